/* loop.c -- ranges and counted loops. `lo..hi step s` is evaluated once. With a step of 1 the loop compares its
 * variable with hi, which cannot overflow, and shows LLVM that indices are in range; with any other step it counts
 * iterations, so that no step can overflow the type. */
#include "irgen/lang/lang.h"

static CgValue bound(CgFunc *f, Expr *e, Type *type, int64_t otherwise) {
    if (e) return cg_convert(f, cg_expr(f, e), type);
    return cg_value(LLVMConstInt(cg_type(f->cg, type), (uint64_t)otherwise, true), type);
}

Axis cg_axis(CgFunc *f, const Range *r) {
    Axis a = {.type = r->type, .span = r->span, .known_step = {CONST_INT, {1}}, .site = r->site};
    a.lo = bound(f, r->lo, r->type, 0);
    a.hi = bound(f, r->hi, r->type, 0);
    a.step = bound(f, r->step, r->type, 1);
    if (r->step) a.known_step = r->step->konst;
    return a;
}

Axis cg_axis_upto(CgFunc *f, LLVMValueRef n) {
    Type *index = cg_scalar(f->cg, TY_INDEX);
    CgValue zero = cg_value(cg_i64(f->cg, 0), index), one = cg_value(cg_i64(f->cg, 1), index);
    return (Axis){.lo = zero, .hi = cg_value(n, index), .step = one, .known_step = {CONST_INT, {1}},
                  .type = index};
}

static bool is_unit(const Axis *a) { return a->known_step.kind == CONST_INT && a->known_step.i == 1; }

static LLVMValueRef less(CgFunc *f, const Type *t, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(f->b, t->is_signed ? LLVMIntSLT : LLVMIntULT, a, b, "");
}

/* The trip count of from..to in steps of `by` > 0: exact in unsigned arithmetic of the same width. */
static LLVMValueRef rounds(CgFunc *f, const Type *t, LLVMValueRef from, LLVMValueRef to, LLVMValueRef by, bool unit) {
    LLVMValueRef any = less(f, t, from, to), width = LLVMBuildSub(f->b, to, from, "");
    if (!unit) {
        LLVMValueRef one = LLVMConstInt(LLVMTypeOf(width), 1, false);
        LLVMValueRef last = LLVMBuildUDiv(f->b, LLVMBuildSub(f->b, width, one, ""), by, "");
        width = LLVMBuildAdd(f->b, last, one, "");
    }
    width = LLVMBuildZExtOrBitCast(f->b, width, f->cg->i64, "");
    return LLVMBuildSelect(f->b, any, width, cg_i64(f->cg, 0), "trips");
}

static void check_step(CgFunc *f, LLVMValueRef is_zero, const Axis *a) {
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "step", a->span, 0, is_zero), &ok);
    if (f->error_slot) {
        cg_report(f, a->site, (CgFailure){0});
        cg_enter(f, ok);
        return;
    }
    LLVMValueRef place = cg_place_string(f->cg, a->span);
    cg_call_runtime(f, RT_FAIL_STEP, &place, 1);
    cg_enter(f, ok);
}

/* A step known only at run time may have either sign; 0 is an error where errors can be reported, else there are no
 * iterations. */
static LLVMValueRef dynamic_trips(CgFunc *f, const Axis *a) {
    LLVMValueRef step = a->step.v, zero = LLVMConstNull(LLVMTypeOf(step));
    LLVMValueRef is_zero = LLVMBuildICmp(f->b, LLVMIntEQ, step, zero, "");
    if (cg_can_report(f, a->site)) check_step(f, is_zero, a);
    LLVMValueRef safe = LLVMBuildSelect(f->b, is_zero, LLVMConstInt(LLVMTypeOf(step), 1, false), step, "");
    LLVMValueRef trips = rounds(f, a->type, a->lo.v, a->hi.v, safe, false);
    if (a->type->is_signed) {
        LLVMValueRef down = rounds(f, a->type, a->hi.v, a->lo.v, LLVMBuildNeg(f->b, safe, ""), false);
        trips = LLVMBuildSelect(f->b, less(f, a->type, step, zero), down, trips, "");
    }
    return LLVMBuildSelect(f->b, is_zero, cg_i64(f->cg, 0), trips, "trips");
}

LLVMValueRef cg_axis_trips(CgFunc *f, Axis *a) {
    if (a->trips) return a->trips;
    bool is_known = a->known_step.kind == CONST_INT && a->known_step.i != 0;
    bool up = a->known_step.i > 0 || !a->type->is_signed;
    if (!is_known) a->trips = dynamic_trips(f, a);
    else if (up) a->trips = rounds(f, a->type, a->lo.v, a->hi.v, a->step.v, is_unit(a));
    else a->trips = rounds(f, a->type, a->hi.v, a->lo.v, LLVMBuildNeg(f->b, a->step.v, ""), a->known_step.i == -1);
    return a->trips;
}

/* k may be beyond the largest value of a signed type's half (lo = -100i8, k = 200), so the variable is computed in
 * 64 bits; that the sum is below hi, and so fits the type again, is what the flags say. */
CgValue cg_axis_at(CgFunc *f, const Axis *a, LLVMValueRef k) {
    LLVMTypeRef t = LLVMTypeOf(a->lo.v), wide = f->cg->i64;
    bool is_signed = a->type->is_signed, fits = t != wide || (is_unit(a) && is_signed);
    LLVMValueRef ends[2] = {a->lo.v, a->step.v};
    for (int i = 0; i < 2 && t != wide; i++)
        ends[i] = is_signed ? LLVMBuildSExt(f->b, ends[i], wide, "") : LLVMBuildZExt(f->b, ends[i], wide, "");
    LLVMValueRef v = is_unit(a) ? k : LLVMBuildMul(f->b, k, ends[1], "");
    if (fits && !is_unit(a) && LLVMIsAInstruction(v)) LLVMSetNSW(v, true);
    v = LLVMBuildAdd(f->b, ends[0], v, "");
    if (fits && LLVMIsAInstruction(v)) LLVMSetNSW(v, true);
    if (t == wide) return cg_value(v, a->type);
    v = LLVMBuildTrunc(f->b, v, t, "");
    if (LLVMIsATruncInst(v)) is_signed ? LLVMSetNSW(v, true) : LLVMSetNUW(v, true);
    return cg_value(v, a->type);
}

CgLoop cg_loop_begin(CgFunc *f, Axis *a) {
    bool unit = is_unit(a);
    LLVMTypeRef t = unit ? cg_type(f->cg, a->type) : f->cg->i64;
    LLVMValueRef end = unit ? a->hi.v : cg_axis_trips(f, a);
    CgLoop l = {.axis = *a, .head = cg_block(f, "loop"), .next = cg_block(f, "next"), .done = cg_block(f, "done")};
    LLVMBasicBlockRef body = cg_block(f, "body");
    l.counter = cg_alloca(f, t, unit ? "i" : "k");
    LLVMBuildStore(f->b, unit ? a->lo.v : cg_i64(f->cg, 0), l.counter);
    cg_goto(f, l.head);
    cg_enter(f, l.head);
    LLVMValueRef count = LLVMBuildLoad2(f->b, t, l.counter, "");
    CgValue more = cg_value(less(f, unit ? a->type : cg_scalar(f->cg, TY_U64), count, end),
                            cg_scalar(f->cg, TY_BOOL));
    cg_branch(f, more, body, l.done);
    cg_enter(f, body);
    if (!unit) l.k = count;
    l.i = unit ? cg_value(count, a->type) : cg_axis_at(f, a, count);
    return l;
}

LLVMValueRef cg_loop_position(CgFunc *f, CgLoop *l) {
    if (!l->k) l->k = LLVMBuildZExtOrBitCast(f->b, LLVMBuildSub(f->b, l->i.v, l->axis.lo.v, ""), f->cg->i64, "");
    return l->k;
}

void cg_loop_end(CgFunc *f, CgLoop *l) {
    cg_goto(f, l->next);
    cg_enter(f, l->next);
    if (l->together) cg_reconverge(f);
    LLVMTypeRef t = is_unit(&l->axis) ? cg_type(f->cg, l->axis.type) : f->cg->i64;
    LLVMValueRef old = LLVMBuildLoad2(f->b, t, l->counter, "");
    LLVMValueRef stepped = LLVMBuildAdd(f->b, old, LLVMConstInt(t, 1, false), "");
    if (l->axis.type->is_signed && LLVMIsAInstruction(stepped)) LLVMSetNSW(stepped, true); /* it was below the end */
    else if (LLVMIsAInstruction(stepped)) LLVMSetNUW(stepped, true);
    LLVMBuildStore(f->b, stepped, l->counter);
    cg_goto(f, l->head);
    if (l->copies) cg_mark_unrolled(f, LLVMGetBasicBlockTerminator(l->next), l->copies);
    else if (l->stays_rolled) cg_mark_rolled(f, LLVMGetBasicBlockTerminator(l->next));
    else if (l->is_outer) cg_mark_outer(f, LLVMGetBasicBlockTerminator(l->next));
    cg_enter(f, l->done);
}

/* True if e is a sum or product of constants, sizes and scalar parameters: its value does not depend on the item. */
bool cg_is_known_at_launch(const Expr *e) {
    if (!e || e->konst.kind == CONST_INT) return true;
    if (!e->type || !e->type->is_int) return false;
    switch (e->kind) {
    case EXPR_NAME:
        return e->name.sym && (e->name.sym->kind == SYM_SIZE ||
                               (e->name.sym->kind == SYM_PARAM && e->name.sym->mode == REF_NONE));
    case EXPR_CONVERT: return cg_is_known_at_launch(e->convert.operand);
    case EXPR_BINARY: {
        bool adds = e->binary.op == OP_ADD || e->binary.op == OP_SUB || e->binary.op == OP_MUL;
        return adds && cg_is_known_at_launch(e->binary.lhs) && cg_is_known_at_launch(e->binary.rhs);
    }
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_UNARY: case EXPR_CALL:
    case EXPR_INDEX: case EXPR_FIELD: case EXPR_IF: case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST:
    case EXPR_RANGE: case EXPR_OFFLOAD: case EXPR_ATOMIC: case EXPR__COUNT: break;
    }
    return false;
}
