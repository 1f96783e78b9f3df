/* early.c -- range check hoisting: checks that a loop on a device makes once for all of its iterations (sema/hoist.c,
 * LoopCheck). The access comes at the beginning of every iteration. Where its index is the loop's variable plus a
 * constant, and the first iteration is in bounds, the first one that is not is where the array ends: the loop stops
 * there, and the failure is reported after it. The index may also be the same in all iterations, or be one more in
 * each, in a loop in which the failure of a later iteration may be reported before the first. The iterations themselves
 * check nothing. The report is the one that the access itself would have made. */
#include "irgen/lang/lang.h"
#include "irgen/lang/marks.h"

static LLVMValueRef extent(CgFunc *f, const LoopCheck *c, CgArray *a) {
    *a = cg_array(f, c->access->index.base);
    return a->ext[c->dim];
}

/* `at` is a value of the loop's variable. */
static void report(CgFunc *f, const CgEarly *e, const LoopCheck *c, LLVMValueRef at, LLVMValueRef index) {
    CgArray a;
    extent(f, c, &a);
    if (e->item) {
        LLVMTypeRef t = cg_type(f->cg, e->item->type);
        f->slots[e->item->id].value = LLVMBuildTruncOrBitCast(f->b, at, t, "");
    }
    cg_report(f, c->site, (CgFailure){.value = index, .other = cg_i64(f->cg, INT64_MIN), .dim = c->dim, .array = &a});
}

static void report_near(CgFunc *f, const CgEarly *e, const LoopCheck *c, LLVMValueRef at) {
    report(f, e, c, at, LLVMBuildAdd(f->b, at, cg_i64(f->cg, c->add), ""));
}

/* The index in the first iteration. */
static LLVMValueRef first_index(CgFunc *f, const LoopCheck *c, LLVMValueRef lo) {
    if (c->kind == CHECK_NEAR) return LLVMBuildAdd(f->b, lo, cg_i64(f->cg, c->add), "");
    return cg_index_value(f, cg_expr(f, c->access->index.at.at[c->dim]));
}

static LLVMValueRef smallest(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* The first value of the loop variable whose access is out of bounds; greater than lo if the first iteration is in
 * bounds. An array without elements may have any extent, so values are clamped to the largest one. */
static LLVMValueRef limit(CgFunc *f, const LoopCheck *c) {
    CgArray a;
    LLVMValueRef args[2] = {extent(f, c, &a), cg_i64(f->cg, c->add)};
    return cg_intrinsic(f, "llvm.ssub.sat", &f->cg->i64, 1, args, 2);
}

/* The first index that is out of bounds; an index that wraps around becomes negative. */
static LLVMValueRef first_outside(CgFunc *f, const LoopCheck *c, CgArray *a) {
    LLVMValueRef ext = extent(f, c, a);
    return c->bits < 64 ? smallest(f, ext, cg_i64(f->cg, INT64_C(1) << (c->bits - 1))) : ext;
}

static LLVMValueRef wrapped(CgFunc *f, const LoopCheck *c, LLVMValueRef index) {
    if (c->bits == 64) return index;
    LLVMTypeRef narrow = LLVMIntTypeInContext(f->cg->ctx, (unsigned)c->bits);
    return LLVMBuildSExt(f->b, LLVMBuildTrunc(f->b, index, narrow, ""), f->cg->i64, "");
}

/* Reports the failure of the earliest iteration: n[i] have passed the check i. */
static void report_ahead(CgFunc *f, const CgEarly *e, const LoopCheck *const *checks, const LLVMValueRef *first,
                         const LLVMValueRef *n, int n_checks) {
    LLVMValueRef fewest = n[0];
    for (int i = 1; i < n_checks; i++) fewest = smallest(f, fewest, n[i]);
    for (int i = 0; i < n_checks; i++) {
        LLVMBasicBlockRef next;
        if (i < n_checks - 1) cg_cold(f, LLVMBuildICmp(f->b, LLVMIntEQ, n[i], fewest, ""), &next);
        report(f, e, checks[i], NULL, wrapped(f, checks[i], LLVMBuildAdd(f->b, first[i], n[i], "")));
        if (i < n_checks - 1) cg_enter(f, next);
    }
}

/* The checks of all later iterations; first: by check, the index in the first one, which is in bounds. */
static void check_ahead(CgFunc *f, const CgEarly *e, const LLVMValueRef *first, LLVMValueRef lo) {
    const LoopCheck *ahead[MAX_LOOP_CHECKS];
    LLVMValueRef firsts[MAX_LOOP_CHECKS], n[MAX_LOOP_CHECKS], trips = LLVMBuildSub(f->b, e->hi, lo, ""), any = NULL;
    int count = 0;
    for (int i = 0; i < e->checks->n; i++) {
        const LoopCheck *c = &e->checks->at[i];
        if (c->kind != CHECK_AHEAD) continue;
        CgArray a;
        LLVMValueRef left = LLVMBuildSub(f->b, first_outside(f, c, &a), first[i], "");
        LLVMValueRef fails = LLVMBuildICmp(f->b, LLVMIntULT, left, trips, "");
        fails = cg_unless_removed(f, "early-end", c->access->span, c->dim, fails);
        any = any ? LLVMBuildOr(f->b, any, fails, "") : fails;
        ahead[count] = c;
        firsts[count] = first[i];
        n[count++] = left;
    }
    if (!count) return;
    LLVMBasicBlockRef ok;
    cg_cold(f, any, &ok);
    report_ahead(f, e, ahead, firsts, n, count);
    cg_enter(f, ok);
}

CgEarly cg_early_begin(CgFunc *f, const LoopChecks *checks, const Symbol *var, bool items, LLVMValueRef lo,
                       LLVMValueRef hi) {
    CgEarly e = {.item = items ? var : NULL, .hi = hi, .end = hi};
    if (!checks || !checks->n || !f->error_slot || !cg_can_report(f, checks->at[0].site)) return e;
    LLVMValueRef first[MAX_LOOP_CHECKS];
    e.checks = checks;
    e.out = cg_block(f, "early.done");
    LLVMBasicBlockRef runs = cg_block(f, "runs"), ok;
    LLVMValueRef branch = LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, lo, hi, ""), runs, e.out);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(f->cg->ctx, CG_RUNS, sizeof CG_RUNS - 1),
                    LLVMMetadataAsValue(f->cg->ctx, LLVMMDNodeInContext2(f->cg->ctx, NULL, 0)));
    cg_enter(f, runs);
    if (!items) f->slots[var->id].value = LLVMBuildTruncOrBitCast(f->b, lo, cg_type(f->cg, var->type), "");
    for (int i = 0; i < checks->n; i++) {
        CgArray a;
        first[i] = first_index(f, &checks->at[i], lo);
        LLVMValueRef outside = LLVMBuildICmp(f->b, LLVMIntUGE, first[i], extent(f, &checks->at[i], &a), "");
        cg_cold(f, cg_unless_removed(f, "early", checks->at[i].access->span, checks->at[i].dim, outside), &ok);
        report(f, &e, &checks->at[i], lo, first[i]);
        cg_enter(f, ok);
    }
    check_ahead(f, &e, first, lo);
    for (int i = 0; i < checks->n; i++) {
        if (checks->at[i].kind != CHECK_NEAR) continue;
        LLVMValueRef last = limit(f, &checks->at[i]);
        if (cg_removes(f, "early-end", checks->at[i].access->span, checks->at[i].dim)) continue;
        e.end = smallest(f, last, e.end);
    }
    LLVMValueRef some = LLVMBuildICmp(f->b, LLVMIntSLT, lo, e.end, ""); /* the first round is inside */
    cg_intrinsic(f, "llvm.assume", NULL, 0, &some, 1);
    return e;
}

/* After the loop, when all iterations up to e->end have been executed. */
void cg_early_end(CgFunc *f, const CgEarly *e) {
    if (!e->checks) return;
    LLVMBasicBlockRef ok, next;
    const LoopCheck *last = NULL;
    for (int i = 0; i < e->checks->n; i++)
        if (e->checks->at[i].kind == CHECK_NEAR) last = &e->checks->at[i];
    if (last) {
        cg_cold(f, LLVMBuildICmp(f->b, LLVMIntNE, e->end, e->hi, ""), &ok);
        for (const LoopCheck *c = e->checks->at; c < last; c++) {
            if (c->kind != CHECK_NEAR) continue;
            cg_cold(f, LLVMBuildICmp(f->b, LLVMIntEQ, e->end, limit(f, c), ""), &next);
            report_near(f, e, c, e->end);
            cg_enter(f, next);
        }
        report_near(f, e, last, e->end);
        cg_enter(f, ok);
    }
    cg_goto(f, e->out);
    cg_enter(f, e->out);
}
