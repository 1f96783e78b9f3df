/* partial.c -- partial reductions: a sum of small integers is taken in groups of neighbouring lanes, each of which is
 * one lane of the total. `s += i32(x[i])` of bytes would widen each vector of bytes to four of 32 bits; psadbw adds
 * eight bytes to one number, pmaddwd multiplies pairs of 16 bits and adds the two products. So the block has as many
 * lanes as memory has elements in a vector.
 *
 * What is added is the extension of an integer of 1, 8 or 16 bits, the product of two of them, or the absolute
 * difference of two bytes. Legal, as sums of integers have the same value in any order (update.c): a group's sum fits
 * in 32 bits, but for products of 16 bits, which are added up modulo 2^32 only. Numbers with the other sign than the
 * instruction's are shifted by half of their range (x ^ 0x80), and what a group of them has too much is subtracted. */
#include "irgen/simd/emit.h"

#include "offload/lld.h"

enum { BYTE_GROUP = 8, WORD_GROUP = 2, BYTE_HALF = 0x80, WORD_HALF = 0x8000, LEAST_BITS = 128 };

/* What is added ---------------------------------------------------------------------------------------------------- */

static unsigned bits_of(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
}

static bool is_extension(LLVMValueRef v) { return LLVMIsAZExtInst(v) || LLVMIsASExtInst(v); }

/* The number of bits; 0: it is none. */
static unsigned extended_from(LLVMValueRef v) { return is_extension(v) ? bits_of(LLVMGetOperand(v, 0)) : 0; }

/* A factor in a sum of `bits` bits: a signed number of 16 bits, or a byte; only bytes in a sum of 64, as two products
 * of 16 bits may not fit in 32. */
static bool is_factor(LLVMValueRef v, unsigned bits) {
    int64_t most = bits == 64 ? INT8_MAX : INT16_MAX;
    if (LLVMIsAConstantInt(v)) {
        int64_t c = LLVMConstIntGetSExtValue(v);
        return c >= -most && c <= most;
    }
    unsigned from = extended_from(v);
    return from == 8 || (from == 16 && bits == 32 && LLVMIsASExtInst(v));
}

static SimdPartial product(LLVMValueRef v, unsigned bits) {
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    bool can = is_factor(a, bits) && is_factor(b, bits) && is_extension(a);
    return can ? (SimdPartial){PARTIAL_WORDS, a, b} : (SimdPartial){PARTIAL_NONE, NULL, NULL};
}

static SimdPartial difference(LLVMValueRef v) {
    LLVMValueRef sub = LLVMGetOperand(v, 0);
    bool is_sub = LLVMIsAInstruction(sub) && LLVMGetInstructionOpcode(sub) == LLVMSub;
    LLVMValueRef a = is_sub ? LLVMGetOperand(sub, 0) : v, b = is_sub ? LLVMGetOperand(sub, 1) : v;
    bool can = LLVMIsAZExtInst(a) && LLVMIsAZExtInst(b) && extended_from(a) == 8 && extended_from(b) == 8;
    return can ? (SimdPartial){PARTIAL_BYTES, a, b} : (SimdPartial){PARTIAL_NONE, NULL, NULL};
}

/* v: what an update adds */
SimdPartial simd_partial_of(LLVMValueRef v) {
    SimdPartial none = {PARTIAL_NONE, NULL, NULL};
    unsigned bits = bits_of(v), from = extended_from(v);
    if (!LLVMIsAInstruction(v) || (bits != 32 && bits != 64)) return none;
    if (from == 1) return LLVMIsAZExtInst(v) ? (SimdPartial){PARTIAL_BYTES, v, NULL} : none;
    if (from == 8) return (SimdPartial){PARTIAL_BYTES, v, NULL};
    if (from == 16) return (SimdPartial){PARTIAL_WORDS, v, NULL};
    if (LLVMGetInstructionOpcode(v) == LLVMMul) return product(v, bits);
    return simd_is_call_of(v, "llvm.abs.") ? difference(v) : none;
}

/* Is it only there for what such updates add? */
bool simd_is_of_partial(const SimdRegion *g, LLVMValueRef v, int depth) {
    enum { DEPTH = 4 };
    int i = value_map_get(g->value_of, v);
    if (i < 0 || depth > DEPTH || g->blocks.at[g->values.at[i].block].leaves) return false;
    if (simd_partial_update(g, v).kind) return true;
    bool is_inside = is_extension(v) || LLVMGetInstructionOpcode(v) == LLVMMul ||
                     LLVMGetInstructionOpcode(v) == LLVMSub || simd_is_call_of(v, "llvm.abs.");
    if (!is_inside || bits_of(v) < 32 || !LLVMGetFirstUse(v)) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!simd_is_of_partial(g, user, depth + 1)) return false;
    }
    return true;
}

/* Adding it -------------------------------------------------------------------------------------------------------- */

typedef struct Adding {
    SimdEmit *e;
    SimdPartial p;
    int row, vector, lanes; /* lanes: of a register */
    LLVMValueRef *mask;
    unsigned bits;          /* of the sum */
} Adding;

static int bits_of_lane(SimdPartial p) { return p.kind == PARTIAL_BYTES ? 8 : 16; }

static int lanes_of(const SimdEmit *e, SimdPartial p) {
    int most = e->target->vector_bits / bits_of_lane(p);
    return e->shape.width < most ? e->shape.width : most;
}

bool simd_adds_partially(const SimdEmit *e, SimdPartial p) {
    return p.kind && lanes_of(e, p) * bits_of_lane(p) >= LEAST_BITS;
}

/* Of the total: groups of bytes are numbers of 64 bits, which are two of 32. */
LLVMTypeRef simd_partial_type(const SimdEmit *e, SimdPartial p, LLVMTypeRef sum) {
    int per_lane = p.kind == PARTIAL_WORDS ? WORD_GROUP : LLVMGetIntTypeWidth(sum) == 64 ? BYTE_GROUP : BYTE_GROUP / 2;
    return LLVMVectorType(sum, (unsigned)(lanes_of(e, p) / per_lane));
}

static LLVMTypeRef lane_type(const Adding *a) { return a->p.kind == PARTIAL_BYTES ? a->e->cg->i8 : a->e->cg->i16; }

/* The number that is extended, in lanes of the kind; constants are wide as they are. */
static LLVMValueRef operand(const Adding *a, LLVMValueRef v) {
    SimdEmit *e = a->e;
    LLVMTypeRef t = simd_type(e, lane_type(a));
    if (LLVMIsAConstantInt(v))
        return simd_splat(e, LLVMConstInt(lane_type(a), (uint64_t)LLVMConstIntGetSExtValue(v), true));
    LLVMValueRef x = simd_vector(e, LLVMGetOperand(v, 0), a->row, a->vector);
    if (LLVMTypeOf(x) != t) x = LLVMIsAZExtInst(v) ? LLVMBuildZExt(e->b, x, t, "") : LLVMBuildSExt(e->b, x, t, "");
    return a->mask ? LLVMBuildSelect(e->b, *a->mask, x, LLVMConstNull(t), "") : x;
}

static LLVMValueRef piece(const Adding *a, LLVMValueRef v, int from) {
    if (a->lanes == a->e->shape.width) return v;
    LLVMValueRef *order = arena_array(a->e->g->arena, LLVMValueRef, a->lanes);
    for (int i = 0; i < a->lanes; i++) order[i] = cg_i32(a->e->cg, from + i);
    LLVMValueRef lanes = LLVMConstVector(order, (unsigned)a->lanes);
    return LLVMBuildShuffleVector(a->e->b, v, LLVMGetPoison(LLVMTypeOf(v)), lanes, "");
}

static LLVMValueRef filled(const Adding *a, LLVMTypeRef t, uint64_t c) {
    LLVMValueRef *of = arena_array(a->e->g->arena, LLVMValueRef, a->lanes);
    for (int i = 0; i < a->lanes; i++) of[i] = LLVMConstInt(t, c, false);
    return LLVMConstVector(of, (unsigned)a->lanes);
}

/* By the bits of a register: 128, 256, 512. */
static LLVMValueRef machine(const Adding *a, const char *const names[3], LLVMValueRef *args, int n) {
    int bits = a->lanes * bits_of_lane(a->p);
    return simd_intrinsic(a->e, names[bits == 128 ? 0 : bits == 256 ? 1 : 2], NULL, 0, args, n);
}

/* What eight bytes with a sign have too much, and the sum as lanes of the total. */
static LLVMValueRef add_bytes(const Adding *a, LLVMValueRef total, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
    static const char *const names[3] = {"llvm.x86.sse2.psad.bw", "llvm.x86.avx2.psad.bw",
                                         "llvm.x86.avx512.psad.bw.512"};
    LLVMBuilderRef b = a->e->b;
    LLVMTypeRef t = LLVMTypeOf(total);
    if (is_signed) x = LLVMBuildXor(b, x, filled(a, a->e->cg->i8, BYTE_HALF), "");
    LLVMValueRef args[2] = {x, y ? y : LLVMConstNull(LLVMTypeOf(x))};
    total = LLVMBuildAdd(b, total, LLVMBuildBitCast(b, machine(a, names, args, 2), t, ""), "");
    if (!is_signed) return total;
    unsigned n = LLVMGetVectorSize(t), per_group = a->bits == 64 ? 1 : 2;
    LLVMValueRef *excess = arena_array(a->e->g->arena, LLVMValueRef, n);
    for (unsigned i = 0; i < n; i++)
        excess[i] = LLVMConstInt(LLVMGetElementType(t), i % per_group ? 0 : BYTE_GROUP * BYTE_HALF, false);
    return LLVMBuildSub(b, total, LLVMConstVector(excess, n), "");
}

static LLVMValueRef add_words(const Adding *a, LLVMValueRef total, LLVMValueRef x, LLVMValueRef y, bool is_shifted) {
    static const char *const names[3] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                                         "llvm.x86.avx512.pmaddw.d.512"};
    LLVMBuilderRef b = a->e->b;
    if (is_shifted) x = LLVMBuildXor(b, x, filled(a, a->e->cg->i16, WORD_HALF), "");
    LLVMValueRef args[2] = {x, y ? y : filled(a, a->e->cg->i16, 1)}, sum = machine(a, names, args, 2);
    if (a->bits == 64) sum = LLVMBuildSExt(b, sum, LLVMTypeOf(total), "");
    total = LLVMBuildAdd(b, total, sum, "");
    if (!is_shifted) return total;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(total));
    LLVMValueRef *excess = arena_array(a->e->g->arena, LLVMValueRef, n);
    for (unsigned i = 0; i < n; i++)
        excess[i] = LLVMConstInt(LLVMGetElementType(LLVMTypeOf(total)), (uint64_t)WORD_GROUP * WORD_HALF, false);
    return LLVMBuildAdd(b, total, LLVMConstVector(excess, n), "");
}

/* mask NULL: all lanes */
LLVMValueRef simd_add_partially(SimdEmit *e, SimdPartial p, LLVMValueRef total, int row, int vector,
                                LLVMValueRef *mask) {
    Adding a = {e, p, row, vector, lanes_of(e, p), mask, LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(total)))};
    LLVMValueRef x = operand(&a, p.a), y = p.b ? operand(&a, p.b) : NULL;
    bool is_bytes = p.kind == PARTIAL_BYTES, has_sign = LLVMIsASExtInst(p.a) != NULL;
    bool is_shifted = !p.b && (is_bytes ? has_sign : !has_sign);
    for (int from = 0; from < e->shape.width; from += a.lanes) {
        LLVMValueRef one = piece(&a, x, from), other = y ? piece(&a, y, from) : NULL;
        total = is_bytes ? add_bytes(&a, total, one, other, is_shifted) : add_words(&a, total, one, other, is_shifted);
    }
    return total;
}
