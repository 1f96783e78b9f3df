/* place.c -- the affine form of a value (scalar evolution): an index or address as
 *
 *     rest + c1 * x + c2 * y + c3 * counter + ... + factor * atom
 *
 * over the item's indices, counters of its loops, and atoms: what is the same for all items, and what is not affine.
 * What is asked of an access (how far it lies from another one, whether it goes on along a loop or down the rows, and
 * by how much) is read off its form. A form is found once for each value and reading, from those of its operands.
 *
 * Overflow. A value of w bits is read in one of three ways; a form says of every item whose value is not poison:
 *     AS_SIGNED    the value, with a sign, is the sum over the integers;
 *     AS_UNSIGNED  the value, without a sign, is the sum over the integers;
 *     AS_BITS      the value is the sum modulo 2^w.
 * An operation that may wrap is expanded AS_BITS only; in the other readings one that LLVM says does not (nsw, nuw) is,
 * for where it did, the value is poison. Extensions are read with the sign that they extend by: a sum over the integers
 * is one modulo any 2^w. The arithmetic of forms is that of the integers (sema/affine.h); where a number would get out
 * of its reach, the value is an atom. So an address is the sum of its form modulo 2^64, and two addresses whose forms
 * differ by a constant are so many bytes apart, whatever wraps on the way. Nothing here says that a value is not
 * poison: who computes one where the program does not has to show that. What is no such operation is an atom, which is
 * always true.
 *
 * LLVM's own ScalarEvolution was tried instead (docs/decisions/affine-places.md). */
#include "irgen/simd/simd.h"

typedef struct PlaceAtom {
    LLVMValueRef v;
    bool is_signed;
} PlaceAtom;

struct SimdPlaces {
    ValueMap *form_of[AS_BITS + 1], *atom_of[2]; /* by the reading; by whether with a sign */
    Vec(Form) forms;
    Vec(PlaceAtom) atoms;
};

SimdPlaces *simd_places_new(Arena *a) {
    SimdPlaces *p = arena_new(a, SimdPlaces);
    for (int r = 0; r <= AS_BITS; r++) p->form_of[r] = value_map_new(a, 256);
    for (int i = 0; i < 2; i++) p->atom_of[i] = value_map_new(a, 64);
    return p;
}

LLVMValueRef simd_atom(const SimdRegion *g, int atom, bool *is_signed) {
    if (is_signed) *is_signed = g->places->atoms.at[atom].is_signed;
    return g->places->atoms.at[atom].v;
}

bool simd_is_atom(const SimdRegion *g, const Form *f, LLVMValueRef v) {
    return f->n == 1 && !f->c && f->at[0].k == 1 && simd_atom(g, f->at[0].atom, NULL) == v;
}

/* Forms ------------------------------------------------------------------------------------------------------------ */

static bool is_integer(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static bool is_pointer(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind; }

static bool constant(LLVMValueRef v, Reading r, int64_t *k) {
    if (!LLVMIsAConstantInt(v) || !is_integer(v)) return false;
    *k = r == AS_UNSIGNED ? (int64_t)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v);
    return r != AS_UNSIGNED || *k >= 0;
}

static bool add(const SimdRegion *g, Form *f, LLVMValueRef v, Reading r, int64_t factor) {
    Form one = simd_place(g, v, r);
    return form_add(f, f, factor, &one);
}

static bool add_both(const SimdRegion *g, Form *f, LLVMValueRef v, Reading r, int64_t factor) {
    return add(g, f, LLVMGetOperand(v, 0), r, 1) && add(g, f, LLVMGetOperand(v, 1), r, factor);
}

static bool add_multiple(const SimdRegion *g, Form *f, LLVMValueRef v, Reading r) {
    int64_t k;
    bool shifts = LLVMGetInstructionOpcode(v) == LLVMShl;
    if (!constant(LLVMGetOperand(v, 1), r, &k) || (shifts && (k < 0 || k > 62))) return false;
    return add(g, f, LLVMGetOperand(v, 0), r, shifts ? (int64_t)1 << k : k);
}

/* ~v is -1 - v, which never wraps with a sign. */
static bool add_inverted(const SimdRegion *g, Form *f, LLVMValueRef v, Reading r) {
    int64_t k;
    *f = form_const(-1);
    bool inverts = constant(LLVMGetOperand(v, 1), AS_SIGNED, &k) && k == -1;
    return inverts && r != AS_UNSIGNED && add(g, f, LLVMGetOperand(v, 0), r, -1);
}

/* A number that is not negative is the same with and without a sign. */
static bool add_zero_extended(const SimdRegion *g, Form *f, LLVMValueRef v) {
    LLVMValueRef from = LLVMGetOperand(v, 0);
    Form form = simd_place(g, from, AS_SIGNED);
    bool with_sign = LLVMGetNNeg(v) && !simd_is_atom(g, &form, from);
    return add(g, f, from, with_sign ? AS_SIGNED : AS_UNSIGNED, 1);
}

static bool add_index(const SimdRegion *g, Form *f, LLVMValueRef index, int64_t bytes) {
    bool narrow = is_integer(index) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64;
    return add(g, f, index, narrow ? AS_SIGNED : AS_BITS, bytes);
}

static bool add_address(const SimdRegion *g, Form *f, LLVMValueRef gep) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    if (!add(g, f, LLVMGetOperand(gep, 0), AS_BITS, 1)) return false;
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            f->c += (Wide)LLVMOffsetOfElement(g->layout, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (i > 1) t = LLVMGetElementType(t);
        if (!add_index(g, f, index, simd_bytes(g, t))) return false;
    }
    return true;
}

/* Of an instruction; false: it is an atom. */
static bool expand(const SimdRegion *g, LLVMValueRef v, Reading r, Form *f) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool wraps = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMTrunc;
    if (wraps && r != AS_BITS && !(r == AS_SIGNED ? LLVMGetNSW(v) : LLVMGetNUW(v))) return false;
    switch (op) {
    case LLVMAdd: return add_both(g, f, v, r, 1);
    case LLVMSub: return add_both(g, f, v, r, -1);
    case LLVMOr: return LLVMGetIsDisjoint(v) && add_both(g, f, v, r, 1);
    case LLVMXor: return add_inverted(g, f, v, r);
    case LLVMMul:
    case LLVMShl: return add_multiple(g, f, v, r);
    case LLVMTrunc: return is_integer(LLVMGetOperand(v, 0)) && add(g, f, LLVMGetOperand(v, 0), r, 1);
    case LLVMSExt: return r != AS_UNSIGNED && add(g, f, LLVMGetOperand(v, 0), AS_SIGNED, 1);
    case LLVMZExt: return add_zero_extended(g, f, v);
    case LLVMGetElementPtr: return add_address(g, f, v);
    default: return false;
    }
}

Form simd_as_atom(const SimdRegion *g, LLVMValueRef v, Reading r) {
    bool is_signed = r != AS_UNSIGNED || v == g->x || v == g->y; /* these are never negative */
    SimdPlaces *p = g->places;
    int i = value_map_get(p->atom_of[is_signed], v);
    if (i >= 0) return form_of_atom(i);
    PlaceAtom one = {v, is_signed};
    value_map_put(p->atom_of[is_signed], v, p->atoms.n);
    vec_push(g->arena, &p->atoms, one);
    return form_of_atom(p->atoms.n - 1);
}

static Form find(const SimdRegion *g, LLVMValueRef v, Reading r) {
    int64_t k;
    Form f = {0};
    if (constant(v, r, &k)) return form_const(k);
    if (LLVMIsAInstruction(v) && (is_integer(v) || is_pointer(v)) && expand(g, v, r, &f)) return f;
    return simd_as_atom(g, v, r);
}

Form simd_place(const SimdRegion *g, LLVMValueRef v, Reading r) {
    SimdPlaces *p = g->places;
    int i = value_map_get(p->form_of[r], v);
    if (i >= 0) return p->forms.at[i];
    Form f = find(g, v, r);
    value_map_put(p->form_of[r], v, p->forms.n);
    vec_push(g->arena, &p->forms, f);
    return f;
}

/* Differences and steps -------------------------------------------------------------------------------------------- */

bool simd_is_behind(const Form *a, const Form *b, int64_t *by) {
    Form d;
    if (!form_add(&d, a, -1, b) || !form_is_const(&d)) return false;
    *by = (int64_t)d.c;
    return true;
}

bool simd_goes_on_by(const SimdRegion *g, LLVMValueRef v, LLVMValueRef next, int64_t *by) {
    Form from = simd_place(g, v, AS_BITS), to = simd_place(g, next, AS_BITS);
    return simd_is_behind(&to, &from, by);
}

bool simd_step_down(const SimdRegion *g, LLVMValueRef v, int64_t *by) {
    Form f = simd_place(g, v, AS_BITS);
    *by = 0;
    for (int i = 0; i < f.n; i++) {
        LLVMValueRef of = simd_atom(g, f.at[i].atom, NULL);
        int value = value_map_get(g->value_of, of);
        if (of == g->y) *by = f.at[i].k;
        else if (value >= 0 && g->values.at[value].rate.y) return false;
    }
    return true;
}

static bool is_same_in_rows(const SimdRegion *g, LLVMValueRef v, LLVMValueRef other) {
    int i = value_map_get(g->value_of, v);
    return v == other && v != g->y && (i < 0 || !g->values.at[i].rate.y);
}

/* Rows a number of elements apart that is no constant: the form of an index has (i + 1) * n as an atom of its own. */
static bool is_in_next_row(const SimdRegion *g, LLVMValueRef v, LLVMValueRef next, int depth) {
    enum { DEEP = 8 };
    int64_t by, down;
    if (is_same_in_rows(g, v, next)) return true;
    if (simd_step_down(g, v, &down) && simd_goes_on_by(g, v, next, &by)) return by == down;
    bool are_alike = depth < DEEP && LLVMIsAInstruction(v) && LLVMIsAInstruction(next) &&
                     LLVMGetInstructionOpcode(v) == LLVMGetInstructionOpcode(next) && LLVMGetNumOperands(v) == 2;
    if (!are_alike || LLVMGetNumOperands(next) != 2) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMValueRef to_a = LLVMGetOperand(next, 0), to_b = LLVMGetOperand(next, 1);
    if (op == LLVMMul || op == LLVMShl) {
        if (is_same_in_rows(g, b, to_b)) return is_in_next_row(g, a, to_a, depth + 1);
        return is_same_in_rows(g, a, to_a) && is_in_next_row(g, b, to_b, depth + 1);
    }
    if (op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(v) != LLVMGetGEPSourceElementType(next)) return false;
    if (op != LLVMAdd && op != LLVMGetElementPtr) return false;
    return is_in_next_row(g, a, to_a, depth + 1) && is_in_next_row(g, b, to_b, depth + 1);
}

bool simd_is_in_next_row(const SimdRegion *g, LLVMValueRef v, LLVMValueRef next) {
    return is_in_next_row(g, v, next, 0);
}

static int64_t clipped(int64_t by) { return by > SIMD_LINE ? SIMD_LINE : by < -SIMD_LINE ? -SIMD_LINE : by; }

static int64_t pace_of_phi(const SimdRegion *g, const SimdLoop *loop, LLVMValueRef phi) {
    int64_t by = 1, step;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, i));
        bool comes_back = from >= 0 && loop->has[from];
        if (comes_back && simd_goes_on_by(g, phi, LLVMGetIncomingValue(phi, i), &step)) by = clipped(step);
    }
    return by;
}

/* A product of what moves goes far; of what a value of the memory becomes nothing is known. A remainder goes as what is
 * divided does, but where it begins anew. */
static int64_t pace_of_atom(const SimdRegion *g, LLVMValueRef v, int loop) {
    int i = value_map_get(g->value_of, v);
    if (i < 0 || !simd_in_loop(g, loop, g->values.at[i].block)) return 0;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool is_header = g->loops.at[loop].header == g->values.at[i].block;
    if (op == LLVMPHI) return is_header ? pace_of_phi(g, &g->loops.at[loop], v) : 0;
    if (op == LLVMMul || op == LLVMShl) {
        bool moves = simd_pace(g, LLVMGetOperand(v, 0), loop) || simd_pace(g, LLVMGetOperand(v, 1), loop);
        return moves ? SIMD_LINE : 0;
    }
    if (simd_takes_low_bits(v)) return simd_pace(g, LLVMGetOperand(v, 0), loop);
    Form bits = simd_place(g, v, AS_BITS);
    return simd_is_atom(g, &bits, v) ? 0 : simd_pace(g, v, loop);
}

int64_t simd_pace(const SimdRegion *g, LLVMValueRef v, int loop) {
    Form f = simd_place(g, v, AS_BITS);
    int64_t sum = 0;
    for (int i = 0; i < f.n; i++) {
        int64_t by = pace_of_atom(g, simd_atom(g, f.at[i].atom, NULL), loop);
        sum += by * clipped(f.at[i].k);
    }
    return clipped(sum);
}
