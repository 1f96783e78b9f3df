/* cg_atomic.c -- atomic updates of elements: relaxed, visible to the whole device (the target row says what its scope
 * is called). Where LLVM has an update with our meaning it is one atomicrmw, which a back end without the instruction
 * turns into a compare-and-swap loop; float min and max are such a loop here, because no atomicrmw keeps to the language's
 * rule for NaN and signed zeros. In functions that only the host's one thread runs, they are ordinary updates. */
#include "irgen/cg.h"

#include <string.h>

static bool may_run_in_parallel(const CgFunc *f, const Expr *target) {
    const Expr *whole = expr_whole((Expr *)target);
    const Symbol *array = whole->kind == EXPR_INDEX ? expr_array_symbol(whole->index.base) : NULL;
    if (array && array->is_shared && f->cg->target->group_is_loop) return false;
    return f->is_kernel || f->func->is_kernel || f->func->on_device;
}

unsigned cg_atomic_scope(Cg *cg) {
    const char *name = cg->target->atomic_scope ? cg->target->atomic_scope : "";
    return LLVMGetSyncScopeID(cg->ctx, name, strlen(name));
}

static CgValue updated(CgFunc *f, Expr *e, CgValue old, CgValue v) {
    if (e->atomic.is_min || e->atomic.is_max) return cg_minmax(f, e->atomic.is_max, old, v);
    return cg_binary(f, e->atomic.op, old, v, NULL, NULL, e->atomic.op_span);
}

static LLVMAtomicRMWBinOp rmw_op(const Expr *e, const Type *t) {
    if (e->atomic.is_min) return t->is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    if (e->atomic.is_max) return t->is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    switch (e->atomic.op) {
    case OP_SUB: return t->is_float ? LLVMAtomicRMWBinOpFSub : LLVMAtomicRMWBinOpSub;
    case OP_BIT_AND: return LLVMAtomicRMWBinOpAnd;
    case OP_BIT_OR: return LLVMAtomicRMWBinOpOr;
    case OP_BIT_XOR: return LLVMAtomicRMWBinOpXor;
    default: return t->is_float ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    }
}

static CgValue one_step(CgFunc *f, Expr *e, CgPlace place, CgValue v) {
    LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(f->b, rmw_op(e, place.type), place.at, v.v,
                                                   LLVMAtomicOrderingMonotonic, cg_atomic_scope(f->cg));
    LLVMSetAlignment(old, (unsigned)cg_align(place.type));
    cg_tag_element(f, old, place, VARYING);
    return cg_value(old, place.type, VARYING);
}

/* The old bits are compared, not the old value: a NaN in memory is replaced like anything else. */
static CgValue compare_and_swap(CgFunc *f, Expr *e, CgPlace place, CgValue v) {
    LLVMTypeRef bits = place.type->bits == 64 ? f->cg->i64 : f->cg->i32, value = cg_type(f->cg, place.type);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef again = cg_block(f, "atomic"), done = cg_block(f, "atomic.done");
    LLVMValueRef first = LLVMBuildLoad2(f->b, bits, place.at, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(first, cg_atomic_scope(f->cg));
    LLVMSetAlignment(first, (unsigned)cg_align(place.type));
    cg_tag_element(f, first, place, VARYING);
    cg_goto(f, again);
    cg_enter(f, again);
    LLVMValueRef seen = LLVMBuildPhi(f->b, bits, "seen");
    CgValue old = cg_value(LLVMBuildBitCast(f->b, seen, value, "old"), place.type, VARYING);
    LLVMValueRef wanted = LLVMBuildBitCast(f->b, updated(f, e, old, v).v, bits, "");
    LLVMValueRef swap = LLVMBuildAtomicCmpXchgSyncScope(f->b, place.at, seen, wanted, LLVMAtomicOrderingMonotonic,
                                                        LLVMAtomicOrderingMonotonic, cg_atomic_scope(f->cg));
    LLVMSetWeak(swap, true);
    LLVMSetAlignment(swap, (unsigned)cg_align(place.type));
    cg_tag_element(f, swap, place, VARYING);
    LLVMValueRef found = LLVMBuildExtractValue(f->b, swap, 0, "");
    LLVMValueRef values[2] = {first, found};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(f->b)};
    LLVMAddIncoming(seen, values, from, 2);
    LLVMBuildCondBr(f->b, LLVMBuildExtractValue(f->b, swap, 1, ""), done, again);
    cg_enter(f, done);
    return old;
}

static CgValue plain(CgFunc *f, Expr *e, CgPlace place, CgValue v) {
    CgValue old = cg_load(f, place);
    cg_store(f, place, updated(f, e, old, v));
    return old;
}

/* The value first, as in an assignment: it may give the array on the left other memory. */
CgValue cg_atomic(CgFunc *f, Expr *e) {
    CgValue v = cg_convert(f, cg_expr(f, e->atomic.value), e->type);
    CgPlace place = cg_lvalue(f, e->atomic.target);
    cg_debug_at(f, e->span);
    if (!may_run_in_parallel(f, e->atomic.target)) return plain(f, e, place, v);
    bool minmax = e->atomic.is_min || e->atomic.is_max;
    v = cg_at_rate(f, v, place.rate);
    return minmax && place.type->is_float ? compare_and_swap(f, e, place, v) : one_step(f, e, place, v);
}
