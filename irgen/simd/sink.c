/* sink.c -- sinking of stores (tail merging): where several paths into a block end with a store to one address, one
 * store of a phi takes their place. `if c { o[i] = a; } else { o[i] = b; }` would be two masked stores, which some
 * processors make lane by lane; it becomes one store of a selected value. So does `o[i] = a; if c { o[i] = b; }`, where
 * the path around the branch ends with the first store.
 *
 * Legal: from each store to the end of its path nothing accesses that memory: there are only loads and stores of other
 * objects (one of the two is a `noalias` parameter or an alloca), and no calls. The address is the same value, or
 * computed by the same instructions of the same values, with the same flags. */
#include "irgen/simd/simd.h"

#include <string.h>

enum { MOST_PATHS = 16, MOST_SUNK = 500, DEPTH = 6 };

/* Equal values ----------------------------------------------------------------------------------------------------- */

static bool have_equal_flags(LLVMValueRef a, LLVMValueRef b) {
    if (LLVMIsAGetElementPtrInst(a))
        return LLVMGetGEPSourceElementType(a) == LLVMGetGEPSourceElementType(b) &&
               LLVMGEPGetNoWrapFlags(a) == LLVMGEPGetNoWrapFlags(b);
    if (LLVMIsASExtInst(a)) return true;
    if (LLVMIsAZExtInst(a)) return LLVMGetNNeg(a) == LLVMGetNNeg(b);
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl) return false;
    return LLVMGetNSW(a) == LLVMGetNSW(b) && LLVMGetNUW(a) == LLVMGetNUW(b);
}

/* Do both compute the same, from values that are available on both paths? */
bool simd_are_equal(LLVMValueRef a, LLVMValueRef b, int depth) {
    if (a == b) return true;
    if (!depth || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMTypeOf(a) != LLVMTypeOf(b)) return false;
    if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || !have_equal_flags(a, b)) return false;
    if (LLVMGetNumOperands(a) != LLVMGetNumOperands(b)) return false;
    for (int k = 0; k < LLVMGetNumOperands(a); k++)
        if (!simd_are_equal(LLVMGetOperand(a, (unsigned)k), LLVMGetOperand(b, (unsigned)k), depth - 1)) return false;
    return true;
}

/* `v`, of one path, computed where the builder is; `others` are the equal values of the other paths. */
static LLVMValueRef recomputed(Cg *cg, LLVMValueRef v, const LLVMValueRef *others, int n) {
    bool is_shared = true;
    for (int i = 0; i < n; i++) is_shared = is_shared && others[i] == v;
    if (is_shared) return v;
    LLVMValueRef copy = LLVMInstructionClone(v), inner[MOST_PATHS];
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        for (int i = 0; i < n; i++) inner[i] = LLVMGetOperand(others[i], (unsigned)k);
        LLVMSetOperand(copy, (unsigned)k, recomputed(cg, LLVMGetOperand(v, (unsigned)k), inner, n));
    }
    LLVMInsertIntoBuilder(cg->b, copy);
    return copy;
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

static bool is_own(LLVMValueRef object) { return LLVMIsAAllocaInst(object) || simd_is_param(object, "noalias"); }

static bool are_distinct(LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = simd_object(a), y = simd_object(b);
    bool known = (LLVMIsAArgument(x) || LLVMIsAAllocaInst(x)) && (LLVMIsAArgument(y) || LLVMIsAAllocaInst(y));
    return known && x != y && (is_own(x) || is_own(y));
}

/* May the instruction access what a store to `address` writes? */
bool simd_may_access(LLVMValueRef inst, LLVMValueRef address) {
    bool is_store = LLVMIsAStoreInst(inst), is_load = LLVMIsALoadInst(inst);
    if (is_store || is_load)
        return LLVMGetVolatile(inst) || simd_is_atomic(inst) || !are_distinct(LLVMGetOperand(inst, is_store), address);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall: return !simd_is_remark(inst) && !simd_has_vector_form(inst);
    case LLVMInvoke:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg: return true;
    default: return false; /* of LLVM's opcodes no other accesses memory */
    }
}

/* The last store of a block, if nothing after it may access its memory, or NULL. */
static LLVMValueRef last_store(LLVMBasicBlockRef bb) {
    LLVMValueRef v = LLVMGetBasicBlockTerminator(bb);
    while (v && !LLVMIsAStoreInst(v)) v = LLVMGetPreviousInstruction(v);
    if (!v || LLVMGetVolatile(v) || simd_is_atomic(v)) return NULL;
    for (LLVMValueRef after = LLVMGetNextInstruction(v); after; after = LLVMGetNextInstruction(after))
        if (simd_may_access(after, LLVMGetOperand(v, 1))) return NULL;
    return v;
}

static bool accesses_before(LLVMValueRef store, LLVMValueRef address) {
    for (LLVMValueRef v = LLVMGetPreviousInstruction(store); v; v = LLVMGetPreviousInstruction(v))
        if (simd_may_access(v, address)) return true;
    return false;
}

/* Paths ------------------------------------------------------------------------------------------------------------ */

/* Paths into a block that each end with a store to one address. */
typedef struct Paths {
    LLVMBasicBlockRef to, from[MOST_PATHS];
    LLVMValueRef store[MOST_PATHS];
    int n;
} Paths;

static bool is_jump(LLVMValueRef t) { return LLVMIsABranchInst(t) && !LLVMIsConditional(t); }

/* The blocks before it, or -1: too many, or one that ends with something else than a branch. */
static int predecessors(LLVMBasicBlockRef bb, LLVMBasicBlockRef from[MOST_PATHS]) {
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user)) continue;
        if (!LLVMIsABranchInst(user) || n == MOST_PATHS) return -1;
        from[n++] = LLVMGetInstructionParent(user);
    }
    return n;
}

/* The branch back of a loop over items. */
static bool ends_item(const Cg *cg, LLVMValueRef t) {
    return LLVMGetMetadata(t, cg->md_items) || LLVMGetMetadata(t, cg->md_rows);
}

/* Is `to` reached from `bb` within an item? */
static bool reaches(Cg *cg, LLVMBasicBlockRef bb, const Paths *to) {
    Vec(LLVMBasicBlockRef) work = {0};
    ValueMap *seen = value_map_new(&cg->c->arena, 8);
    vec_push(&cg->c->arena, &work, bb);
    for (int i = 0; i < work.n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(work.at[i]);
        for (int k = 0; k < to->n; k++)
            if (work.at[i] == to->from[k]) return true;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t) && !ends_item(cg, t); k++) {
            LLVMValueRef next = LLVMBasicBlockAsValue(LLVMGetSuccessor(t, k));
            if (value_map_get(seen, next) >= 0) continue;
            value_map_put(seen, next, 1);
            vec_push(&cg->c->arena, &work, LLVMValueAsBasicBlock(next));
        }
    }
    return false;
}

static bool can_join(const Paths *p, LLVMValueRef store) {
    LLVMValueRef first = p->store[0];
    return LLVMTypeOf(LLVMGetOperand(first, 0)) == LLVMTypeOf(LLVMGetOperand(store, 0)) &&
           simd_are_equal(LLVMGetOperand(first, 1), LLVMGetOperand(store, 1), DEPTH);
}

static void add_path(Paths *p, LLVMBasicBlockRef from, LLVMValueRef store) {
    p->from[p->n] = from;
    p->store[p->n++] = store;
}

/* Blocks that do nothing after their store but jump to `to`; the first of them is number `first` of its predecessors.
 */
static Paths paths_from(LLVMBasicBlockRef to, LLVMBasicBlockRef *from, int n, int first) {
    Paths p = {.to = to};
    for (int i = first; i < n; i++) {
        LLVMValueRef store = is_jump(LLVMGetBasicBlockTerminator(from[i])) ? last_store(from[i]) : NULL;
        if (i == first && !store) return p;
        if (store && (!p.n || can_join(&p, store))) add_path(&p, from[i], store);
    }
    return p;
}

/* if c { o[i] = b; } after o[i] = a: the path through the branch, and the one around it. */
static Paths paths_around(LLVMBasicBlockRef to, LLVMBasicBlockRef branch) {
    Paths p = {.to = to};
    LLVMBasicBlockRef before[MOST_PATHS];
    LLVMValueRef second = is_jump(LLVMGetBasicBlockTerminator(branch)) ? last_store(branch) : NULL;
    if (!second || predecessors(branch, before) != 1) return p;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(before[0]), first = last_store(before[0]);
    if (!first || is_jump(t) || accesses_before(second, LLVMGetOperand(first, 1))) return p;
    if (LLVMGetSuccessor(t, LLVMGetSuccessor(t, 0) == branch) != to) return p;
    add_path(&p, branch, second);
    if (can_join(&p, first)) add_path(&p, before[0], first);
    return p;
}

/* Sinking ---------------------------------------------------------------------------------------------------------- */

static bool is_from(const Paths *p, LLVMBasicBlockRef bb) {
    for (int i = 0; i < p->n; i++)
        if (p->from[i] == bb) return true;
    return false;
}

/* A phi of what comes along the paths, in `join`, and in its block a phi of that and of what comes along the others. */
static void split_phi(Cg *cg, const Paths *p, LLVMValueRef phi, LLVMBasicBlockRef join) {
    LLVMTypeRef t = LLVMTypeOf(phi);
    LLVMPositionBuilderAtEnd(cg->b, join);
    LLVMValueRef along = LLVMBuildPhi(cg->b, t, "");
    LLVMPositionBuilderBefore(cg->b, phi);
    LLVMValueRef all = LLVMBuildPhi(cg->b, t, "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        LLVMAddIncoming(is_from(p, from) ? along : all, &v, &from, 1);
    }
    LLVMAddIncoming(all, &along, &join, 1);
    LLVMReplaceAllUsesWith(phi, all);
    LLVMInstructionEraseFromParent(phi);
}

/* The builder goes to where only these paths lead: to the block itself, or to a new one, which jumps to it. */
static void join(Cg *cg, const Paths *p) {
    LLVMBasicBlockRef all[MOST_PATHS];
    if (predecessors(p->to, all) == p->n) {
        LLVMValueRef first = LLVMGetFirstInstruction(p->to);
        while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(cg->b, first);
        return;
    }
    LLVMBasicBlockRef join = LLVMInsertBasicBlockInContext(cg->ctx, p->to, "sunk");
    for (LLVMValueRef v = LLVMGetFirstInstruction(p->to), next; v && LLVMIsAPHINode(v); v = next) {
        next = LLVMGetNextInstruction(v);
        split_phi(cg, p, v, join);
    }
    for (int i = 0; i < p->n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(p->from[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++)
            if (LLVMGetSuccessor(t, k) == p->to) LLVMSetSuccessor(t, k, join);
    }
    LLVMPositionBuilderAtEnd(cg->b, join);
    LLVMPositionBuilderBefore(cg->b, LLVMBuildBr(cg->b, p->to));
}

static void sink(Cg *cg, const Paths *p) {
    LLVMValueRef address[MOST_PATHS], value[MOST_PATHS];
    for (int i = 0; i < p->n; i++) {
        value[i] = LLVMGetOperand(p->store[i], 0);
        address[i] = LLVMGetOperand(p->store[i], 1);
    }
    join(cg, p);
    LLVMValueRef phi = LLVMBuildPhi(cg->b, LLVMTypeOf(value[0]), "");
    LLVMBasicBlockRef from[MOST_PATHS];
    memcpy(from, p->from, sizeof from);
    LLVMAddIncoming(phi, value, from, (unsigned)p->n);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(p->store[0]));
    LLVMValueRef store = LLVMBuildStore(cg->b, phi, recomputed(cg, address[0], address, p->n));
    unsigned align = LLVMGetAlignment(p->store[0]);
    for (int i = 0; i < p->n; i++) {
        if (LLVMGetAlignment(p->store[i]) < align) align = LLVMGetAlignment(p->store[i]);
        LLVMInstructionEraseFromParent(p->store[i]);
    }
    LLVMSetAlignment(store, align);
}

/* Of the stores before this block those that are sunk together; n is less than 2: none. */
static Paths sinkable(Cg *cg, LLVMBasicBlockRef bb) {
    LLVMBasicBlockRef from[MOST_PATHS];
    int n = predecessors(bb, from);
    for (int i = 0; i < n; i++) {
        Paths p = paths_from(bb, from, n, i);
        if (p.n < 2) p = paths_around(bb, from[i]);
        bool items = false;
        for (int k = 0; k < p.n; k++) items = items || ends_item(cg, LLVMGetBasicBlockTerminator(p.from[k]));
        if (p.n >= 2 && !items && !reaches(cg, bb, &p)) return p;
    }
    return (Paths){0};
}

bool simd_sink(Cg *cg, LLVMValueRef fn) {
    int n = 0;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb && n < MOST_SUNK;) {
        Paths p = sinkable(cg, bb);
        if (p.n >= 2) sink(cg, &p), n++;
        bb = p.n >= 2 ? LLVMGetFirstBasicBlock(fn) : LLVMGetNextBasicBlock(bb); /* what is sunk may be sunk further */
    }
    return n > 0;
}
