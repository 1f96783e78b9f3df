/* forward.c -- store-to-load forwarding and dead store elimination in a group's memory. Where addresses are constants
 * (cpu/group_unroll.c and unrolled rows) each element is a known lane of a known vector, so a vector at any offset is
 * shuffled from two others instead of loaded: a load that spans two recent stores would wait until both have reached
 * the cache. Stores that nothing reads before the next store to the same place are removed.
 *
 * Blocks that follow one another without a branch are treated as one. The group's memory belongs to one thread and its
 * address is stored nowhere, so code that is not passed an address does not access it. */
#include "irgen/simd/simd.h"

typedef struct Cell {
    LLVMValueRef of; /* NULL: not known */
    int lane;
    bool rewritten;  /* on the way back: before anybody reads it */
} Cell;

typedef struct Memory {
    LLVMValueRef base; /* the variable; it may have several names */
    LLVMTypeRef elem;
    int64_t bytes, n; /* of an element; elements */
    Cell *cells;
} Memory;

typedef struct Forward {
    Cg *cg;
    LLVMTargetDataRef layout;
    Vec(Memory) all;
    Vec(LLVMValueRef) chain;
    Vec(LLVMValueRef) kept; /* what is there of it after the way forward, with the loads that came in */
} Forward;

enum { MOST_LANES = 64 }; /* of the widest vector of bytes */

typedef struct Reach { /* what a load or store reaches */
    LLVMValueRef inst, place, stored; /* stored NULL: a load */
    LLVMValueRef mask, otherwise;     /* mask NULL: all lanes; otherwise: what those have that do not read */
    LLVMTypeRef type;
    Memory *m;
    int64_t first;                    /* element */
    int n;
} Reach;

/* Places ----------------------------------------------------------------------------------------------------------- */

static bool is_hidden(LLVMValueRef v) { return simd_is_call_of(v, "kdsl.hidden.place"); }

static bool adds_constant(Forward *w, LLVMValueRef gep, int64_t *offset) {
    LLVMValueRef by = LLVMGetOperand(gep, 1);
    if (LLVMGetNumOperands(gep) != 2 || !LLVMIsAConstantInt(by)) return false;
    *offset += LLVMConstIntGetSExtValue(by) * (int64_t)LLVMABISizeOfType(w->layout, LLVMGetGEPSourceElementType(gep));
    return true;
}

/* The memory that an address leads into; NULL with *other: certainly none of the group's. */
static Memory *memory_of(Forward *w, LLVMValueRef p, int64_t *offset, bool *is_known, bool *other) {
    *offset = 0;
    *is_known = true;
    for (;; p = LLVMGetOperand(p, 0)) {
        if (LLVMIsAGetElementPtrInst(p)) *is_known = adds_constant(w, p, offset) && *is_known;
        else if (!is_hidden(p) && !simd_is_call_of(p, CG_GROUP_MEMORY)) break;
    }
    for (int i = 0; i < w->all.n; i++)
        if (w->all.at[i].base == p) return &w->all.at[i];
    *other = LLVMIsAArgument(p) || LLVMIsAConstant(p) || LLVMIsAAllocaInst(p);
    return NULL;
}

static LLVMTypeRef element_of(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool lane_is_live(const Reach *a, int lane) {
    return !a->mask || !LLVMIsNull(LLVMGetAggregateElement(a->mask, (unsigned)lane));
}

/* A load or store of one, or of a vector, maybe under a mask. */
static bool is_access(LLVMValueRef v, Reach *a) {
    bool is_masked_load = simd_is_call_of(v, "llvm.masked.load."),
         is_masked_store = simd_is_call_of(v, "llvm.masked.store.");
    bool stores = is_masked_store || LLVMIsAStoreInst(v), is_masked = is_masked_load || is_masked_store;
    *a = (Reach){.inst = v};
    if (!stores && !is_masked && !LLVMIsALoadInst(v)) return false;
    if (stores) a->stored = LLVMGetOperand(v, 0);
    a->place = LLVMGetOperand(v, stores);
    if (is_masked) a->mask = LLVMGetOperand(v, stores + 1);
    if (is_masked_load) a->otherwise = LLVMGetOperand(v, 2);
    a->type = LLVMTypeOf(stores ? a->stored : v);
    return true;
}

/* Of whole elements, at places that are known: else false. */
static bool access_of(Forward *w, LLVMValueRef v, Reach *a) {
    bool is_known, other;
    int64_t offset;
    if (!is_access(v, a)) return false;
    a->m = memory_of(w, a->place, &offset, &is_known, &other);
    bool plain = LLVMIsACallInst(v) || (!LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic);
    if (!plain || !a->m || !is_known || element_of(a->type) != a->m->elem || offset % a->m->bytes) return false;
    if (a->mask && !LLVMIsConstant(a->mask)) return false;
    a->first = offset / a->m->bytes;
    bool is_vector = LLVMGetTypeKind(a->type) == LLVMVectorTypeKind;
    a->n = is_vector ? (int)LLVMGetVectorSize(a->type) : 1;
    if (a->n > MOST_LANES || (is_vector && a->n == 1)) return false; /* a vector of one is not its element */
    for (int i = 0; i < a->n; i++) {
        int64_t at = a->first + i;
        if (lane_is_live(a, i) && (at < 0 || at >= a->m->n)) return false;
    }
    return true;
}

static bool is_inside(const Reach *a) { return a->first >= 0 && a->first + a->n <= a->m->n; }

/* What else an instruction may do to the group's memory: anything, to that which it gets an address of. */
static void each_touched(Forward *w, LLVMValueRef v, void (*touch)(Memory *)) {
    if (LLVMIsAGetElementPtrInst(v) || is_hidden(v) || simd_is_call_of(v, "llvm.prefetch")) return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef p = LLVMGetOperand(v, (unsigned)k);
        LLVMTypeRef t = LLVMTypeOf(p);
        bool is_known, other = false;
        int64_t offset;
        if (LLVMGetTypeKind(element_of(t)) != LLVMPointerTypeKind || LLVMIsAFunction(p)) continue;
        Memory *m = memory_of(w, p, &offset, &is_known, &other);
        if (m) touch(m);
        for (int i = 0; !m && !other && i < w->all.n; i++) touch(&w->all.at[i]);
    }
}

/* Forward ---------------------------------------------------------------------------------------------------------- */

/* The elements of the access, as far as lanes are live, from at most two vectors; NULL: not known. */
static LLVMValueRef known(Forward *w, const Reach *a, bool all_lanes) {
    LLVMValueRef from[2] = {0}, index[MOST_LANES];
    bool same = true;
    for (int i = 0; i < a->n; i++) {
        index[i] = LLVMGetPoison(w->cg->i32);
        if (!all_lanes && !lane_is_live(a, i)) continue;
        const Cell *c = &a->m->cells[a->first + i];
        if (!c->of) return NULL;
        int k = !from[0] || from[0] == c->of ? 0 : 1;
        if (from[k] && from[k] != c->of) return NULL;
        from[k] = c->of;
        index[i] = cg_i32(w->cg, c->lane + k * a->n);
        same = same && !k && c->lane == i;
    }
    if (a->n == 1 && LLVMTypeOf(from[0]) == a->type) return from[0];
    if (a->n == 1) return LLVMBuildExtractElement(w->cg->b, from[0], index[0], "");
    if (!from[0] || LLVMTypeOf(from[0]) != a->type || (from[1] && LLVMTypeOf(from[1]) != a->type)) return NULL;
    if (same) return from[0];
    if (!from[1]) from[1] = LLVMGetPoison(a->type);
    return LLVMBuildShuffleVector(w->cg->b, from[0], from[1], LLVMConstVector(index, (unsigned)a->n), "");
}

static void note(const Reach *a, LLVMValueRef v, bool all_lanes) {
    for (int i = 0; i < a->n; i++)
        if (all_lanes || lane_is_live(a, i)) a->m->cells[a->first + i] = (Cell){v, i, false};
}

static void keep(Forward *w, LLVMValueRef v) { vec_push(&w->cg->c->arena, &w->kept, v); }

static LLVMValueRef read_all(Forward *w, const Reach *a) {
    LLVMValueRef v = LLVMBuildLoad2(w->cg->b, a->type, a->place, "");
    LLVMSetAlignment(v, (unsigned)a->m->bytes);
    keep(w, v);
    return v;
}

static LLVMValueRef unhidden(LLVMValueRef p) { return is_hidden(p) ? LLVMGetOperand(p, 0) : p; }

static void forward_load(Forward *w, Reach *a) {
    LLVMValueRef v = known(w, a, false);
    if (!v && (!a->mask || !is_inside(a))) {
        note(a, a->inst, false);
        keep(w, a->inst);
        return;
    }
    a->place = unhidden(a->place);
    if (!v) note(a, v = read_all(w, a), true);
    if (a->mask) v = LLVMBuildSelect(w->cg->b, a->mask, v, a->otherwise, "");
    LLVMReplaceAllUsesWith(a->inst, v);
    LLVMInstructionEraseFromParent(a->inst);
}

/* A store under a mask writes back what it finds in the other lanes. */
static void forward_store(Forward *w, Reach *a) {
    if (!a->mask || !is_inside(a)) {
        note(a, a->stored, false);
        keep(w, a->inst);
        return;
    }
    LLVMValueRef index[MOST_LANES], old = known(w, a, true);
    a->place = unhidden(a->place);
    if (!old) old = read_all(w, a);
    for (int i = 0; i < a->n; i++) index[i] = cg_i32(w->cg, lane_is_live(a, i) ? i : a->n + i);
    LLVMValueRef v = LLVMBuildShuffleVector(w->cg->b, a->stored, old, LLVMConstVector(index, (unsigned)a->n), "");
    LLVMValueRef st = LLVMBuildStore(w->cg->b, v, a->place);
    LLVMSetAlignment(st, (unsigned)a->m->bytes);
    note(a, v, true);
    LLVMInstructionEraseFromParent(a->inst);
    keep(w, st);
}

static void forget(Memory *m) {
    for (int64_t i = 0; i < m->n; i++) m->cells[i].of = NULL;
}

static void go_forward(Forward *w) {
    Reach a;
    w->kept.n = 0;
    for (int i = 0; i < w->chain.n; i++) {
        LLVMValueRef v = w->chain.at[i];
        LLVMPositionBuilderBefore(w->cg->b, v);
        LLVMSetCurrentDebugLocation2(w->cg->b, LLVMInstructionGetDebugLoc(v));
        if (access_of(w, v, &a)) {
            if (a.stored) forward_store(w, &a);
            else forward_load(w, &a);
        } else {
            each_touched(w, v, forget);
            keep(w, v);
        }
    }
}

/* Back ------------------------------------------------------------------------------------------------------------- */

static void is_read(Memory *m) {
    for (int64_t i = 0; i < m->n; i++) m->cells[i].rewritten = false;
}

static bool is_rewritten(const Reach *a) {
    for (int i = 0; i < a->n; i++)
        if (lane_is_live(a, i) && !a->m->cells[a->first + i].rewritten) return false;
    return true;
}

static void go_back(Forward *w) {
    Reach a;
    for (int i = w->kept.n; i-- > 0;) {
        if (!access_of(w, w->kept.at[i], &a)) {
            each_touched(w, w->kept.at[i], is_read);
        } else if (a.stored && is_rewritten(&a)) {
            LLVMInstructionEraseFromParent(a.inst);
        } else {
            for (int k = 0; k < a.n; k++)
                if (lane_is_live(&a, k)) a.m->cells[a.first + k].rewritten = a.stored != NULL;
        }
    }
}

/* Chains of blocks ------------------------------------------------------------------------------------------------- */

static LLVMBasicBlockRef next_in_chain(LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (LLVMGetInstructionOpcode(t) != LLVMBr || LLVMGetNumSuccessors(t) != 1) return NULL;
    LLVMBasicBlockRef next = LLVMGetSuccessor(t, 0);
    return LLVMGetNextUse(LLVMGetFirstUse(LLVMBasicBlockAsValue(next))) ? NULL : next;
}

static bool begins_chain(LLVMBasicBlockRef bb) {
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb));
    return !use || next_in_chain(LLVMGetInstructionParent(LLVMGetUser(use))) != bb;
}

static void collect(Forward *w, LLVMBasicBlockRef bb) {
    w->chain.n = 0;
    for (; bb; bb = next_in_chain(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            if (is_hidden(v) && !LLVMGetFirstUse(v)) LLVMInstructionEraseFromParent(v);
            else vec_push(&w->cg->c->arena, &w->chain, v);
        }
}

/* Of whole bytes: a vector of these lies in memory as an array does. */
static bool is_number(Forward *w, LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMIntegerTypeKind) return LLVMSizeOfTypeInBits(w->layout, t) == 8 * LLVMABISizeOfType(w->layout, t);
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

/* Of anything but an array of numbers nothing is known. */
static void set_elements(Forward *w, Memory *m, LLVMTypeRef t) {
    LLVMTypeRef elem = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetElementType(t) : NULL;
    if (!elem || !is_number(w, elem)) return;
    m->elem = elem;
    m->bytes = (int64_t)LLVMABISizeOfType(w->layout, elem);
    m->n = (int64_t)LLVMGetArrayLength2(t);
}

static bool is_found(const Forward *w, LLVMValueRef base) {
    for (int i = 0; i < w->all.n; i++)
        if (w->all.at[i].base == base) return true;
    return false;
}

static void find_memories(Forward *w, LLVMValueRef fn) {
    LLVMValueRef mark = LLVMGetNamedFunction(w->cg->module, CG_GROUP_MEMORY);
    for (LLVMUseRef use = mark ? LLVMGetFirstUse(mark) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use), at = LLVMGetOperand(call, 0);
        if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != fn || !LLVMIsAAllocaInst(at)) continue;
        if (is_found(w, at)) continue;
        Memory m = {.base = at};
        set_elements(w, &m, LLVMGetAllocatedType(at));
        m.cells = arena_array(&w->cg->c->arena, Cell, m.n + 1);
        vec_push(&w->cg->c->arena, &w->all, m);
    }
}

void simd_forward_in(Cg *cg, LLVMValueRef fn) {
    Forward w = {.cg = cg, .layout = LLVMGetModuleDataLayout(cg->module)};
    find_memories(&w, fn);
    for (LLVMBasicBlockRef bb = w.all.n ? LLVMGetFirstBasicBlock(fn) : NULL; bb; bb = LLVMGetNextBasicBlock(bb)) {
        if (!begins_chain(bb)) continue;
        for (int i = 0; i < w.all.n; i++) {
            forget(&w.all.at[i]);
            is_read(&w.all.at[i]);
        }
        collect(&w, bb);
        go_forward(&w);
        go_back(&w);
    }
}

/* Nests ------------------------------------------------------------------------------------------------------------ */

static bool is_known_place(const SimdRegion *g, LLVMValueRef p) {
    Form f = simd_place(g, p, AS_BITS);
    for (int i = 0; i < f.n; i++) {
        LLVMValueRef v = simd_atom(g, f.at[i].atom, NULL);
        if (v != g->x && v != simd_object(p)) return false;
    }
    return simd_is_group_memory(p);
}

bool simd_has_known_places(const SimdRegion *g) {
    if (g->y || g->blocks.n != 1 || g->aligned) return false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (LLVMIsACallInst(value->v) && !simd_is_remark(value->v) && !simd_has_vector_form(value->v)) return false;
        if (!simd_is_access(value->v)) continue;
        if (value->private_of >= 0 || !simd_is_beside(g, value)) return false;
        if (!is_known_place(g, simd_address(value->v))) return false;
    }
    return true;
}
