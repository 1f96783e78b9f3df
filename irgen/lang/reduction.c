/* reduction.c -- reductions: the identity of each, how two values are combined, and where an item stores its value.
 * The order in which values are combined is decided by the device (irgen/cpu/reduce.c, irgen/gpu/reduce.c). */
#include "irgen/lang/lang.h"

#include <math.h>

static int64_t int_extreme(const Type *t, bool largest) {
    if (!t->is_signed) return largest ? -1 : 0;
    uint64_t top = (uint64_t)1 << (t->bits - 1);
    return (int64_t)(largest ? top - 1 : ~(uint64_t)0 << (t->bits - 1));
}

static LLVMValueRef extreme(Cg *cg, const Type *t, bool largest) {
    if (t->is_float) return LLVMConstReal(cg_type_mem(cg, t), largest ? INFINITY : -INFINITY);
    return LLVMConstInt(cg_type_mem(cg, t), (uint64_t)int_extreme(t, largest), true);
}

static LLVMValueRef number(Cg *cg, const Type *t, int v) {
    if (t->is_float) return LLVMConstReal(cg_type_mem(cg, t), v);
    return LLVMConstInt(cg_type_mem(cg, t), (uint64_t)v, true);
}

LLVMValueRef cg_identity(Cg *cg, Reduction r, const Type *t) {
    switch (r) {
    case REDUCE_SUM: case REDUCE_ANY: case REDUCE_COUNT: return number(cg, t, 0);
    case REDUCE_PROD: case REDUCE_ALL: return number(cg, t, 1);
    case REDUCE_MIN: return extreme(cg, t, true);
    case REDUCE_MAX: return extreme(cg, t, false);
    case REDUCE_NONE: break;
    }
    ice(cg->c, (Span){0}, "the identity of no reduction");
}

LLVMValueRef cg_neutral(Cg *cg, Reduction r, const Type *item) {
    return cg_identity(cg, r == REDUCE_COUNT ? REDUCE_ANY : r, item); /* items of count are bool */
}

LLVMValueRef cg_join(CgFunc *f, Reduction r, Type *t, LLVMValueRef a, LLVMValueRef b) {
    bool is_float = t->is_float;
    switch (r) {
    case REDUCE_SUM: return is_float ? LLVMBuildFAdd(f->b, a, b, "") : LLVMBuildAdd(f->b, a, b, "");
    case REDUCE_PROD: return is_float ? LLVMBuildFMul(f->b, a, b, "") : LLVMBuildMul(f->b, a, b, "");
    case REDUCE_MIN:
    case REDUCE_MAX:
        return cg_minmax(f, r == REDUCE_MAX, cg_value(a, t), cg_value(b, t)).v;
    case REDUCE_ANY: return LLVMBuildOr(f->b, a, b, "");
    case REDUCE_ALL: return LLVMBuildAnd(f->b, a, b, "");
    case REDUCE_COUNT: return LLVMBuildAdd(f->b, a, b, "");
    case REDUCE_NONE: break;
    }
    ice(f->cg->c, (Span){0}, "joining values of no reduction");
}

/* ATOMIC_NONE: no update does what the reduction does. */
static AtomicKind update_of(Reduction r) {
    switch (r) {
    case REDUCE_SUM: case REDUCE_COUNT: return ATOMIC_ADD;
    case REDUCE_MIN: return ATOMIC_MIN;
    case REDUCE_MAX: return ATOMIC_MAX;
    case REDUCE_ANY: return ATOMIC_OR;
    case REDUCE_ALL: return ATOMIC_AND;
    case REDUCE_PROD: case REDUCE_NONE: break;
    }
    return ATOMIC_NONE;
}

bool cg_combines_at_once(const Cg *cg, const Func *fn) {
    bool has_order = fn->reduction == REDUCE_SUM && fn->result->is_float; /* the others are the same in any order */
    return cg->target->group_is_loop && !has_order && !fn->group.items && update_of(fn->reduction) != ATOMIC_NONE;
}

void cg_combine_item(CgFunc *f, LLVMValueRef total) {
    const Func *fn = f->func;
    bool is_bool = fn->result->kind == TY_BOOL;
    Type *type = is_bool ? cg_scalar(f->cg, TY_U8) : fn->result; /* a bool is the number 0 or 1 */
    CgValue v = cg_load(f, (CgPlace){f->item_result, fn->item_result, true, NULL, 0});
    cg_combine_alone(f, update_of(fn->reduction), total, cg_convert(f, v, type));
}

/* Items that hang over the end of the domain change nothing. */
void cg_store_item(CgFunc *f, CgValue v) {
    const Func *fn = f->func;
    if (fn->group.items) {
        LLVMValueRef bits = v.type->kind == TY_BOOL ? LLVMBuildZExt(f->b, v.v, f->cg->i8, "") : v.v;
        LLVMValueRef inside = f->slots[fn->group.inside->id].value;
        bits = LLVMBuildSelect(f->b, inside, bits, cg_neutral(f->cg, fn->reduction, v.type), "");
        LLVMBuildStore(f->b, bits, f->item_result);
        return;
    }
    cg_store(f, (CgPlace){f->item_result, v.type, true, NULL, 0}, v);
}
