/* early.c -- range check hoisting: checks that a loop on a device makes once for all of its iterations (sema:
 * LoopCheck). The access comes at the beginning of every iteration, at the loop's variable plus a constant: if the
 * first iteration is in bounds, the first one that is not is where the array ends. The loop then stops there, and the
 * failure is reported after it; the iterations themselves check nothing. The report is the one that the access itself
 * would have made. */
#include "irgen/lang/lang.h"
#include "irgen/lang/marks.h"

static LLVMValueRef extent(CgFunc *f, const LoopCheck *c, CgArray *a) {
    *a = cg_array(f, c->access->index.base);
    return a->ext[c->dim];
}

/* `at` is a value of the loop's variable. */
static void report(CgFunc *f, const CgEarly *e, const LoopCheck *c, LLVMValueRef at) {
    CgArray a;
    extent(f, c, &a);
    if (e->item) {
        LLVMTypeRef t = cg_type(f->cg, e->item->type);
        f->slots[e->item->id].value = LLVMBuildTruncOrBitCast(f->b, at, t, "");
    }
    LLVMValueRef index = LLVMBuildAdd(f->b, at, cg_i64(f->cg, c->add), "");
    cg_report(f, c->site, (CgFailure){.value = index, .other = cg_i64(f->cg, INT64_MIN), .dim = c->dim, .array = &a});
}

/* The first value of the loop variable whose access is out of bounds; greater than lo if the first iteration is in
 * bounds. An array without elements may have any extent, so values are clamped to the largest one. */
static LLVMValueRef limit(CgFunc *f, const LoopCheck *c) {
    CgArray a;
    LLVMValueRef args[2] = {extent(f, c, &a), cg_i64(f->cg, c->add)};
    return cg_intrinsic(f, "llvm.ssub.sat", &f->cg->i64, 1, args, 2);
}

CgEarly cg_early_begin(CgFunc *f, const LoopChecks *checks, const Symbol *item, LLVMValueRef lo, LLVMValueRef hi) {
    CgEarly e = {.item = item, .hi = hi, .end = hi};
    if (!checks || !checks->n || !f->error_slot || !cg_can_report(f, checks->at[0].site)) return e;
    e.checks = checks;
    e.out = cg_block(f, "early.done");
    LLVMBasicBlockRef runs = cg_block(f, "runs"), ok;
    LLVMValueRef branch = LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, lo, hi, ""), runs, e.out);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(f->cg->ctx, CG_RUNS, sizeof CG_RUNS - 1),
                    LLVMMetadataAsValue(f->cg->ctx, LLVMMDNodeInContext2(f->cg->ctx, NULL, 0)));
    cg_enter(f, runs);
    for (int i = 0; i < checks->n; i++) {
        CgArray a;
        LLVMValueRef first = LLVMBuildAdd(f->b, lo, cg_i64(f->cg, checks->at[i].add), "");
        LLVMValueRef outside = LLVMBuildICmp(f->b, LLVMIntUGE, first, extent(f, &checks->at[i], &a), "");
        cg_cold(f, cg_unless_removed(f, "early", checks->at[i].access->span, checks->at[i].dim, outside), &ok);
        report(f, &e, &checks->at[i], lo);
        cg_enter(f, ok);
    }
    for (int i = 0; i < checks->n; i++) {
        LLVMValueRef last = limit(f, &checks->at[i]);
        if (cg_removes(f, "early-end", checks->at[i].access->span, checks->at[i].dim)) continue;
        e.end = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, last, e.end, ""), last, e.end, "");
    }
    LLVMValueRef some = LLVMBuildICmp(f->b, LLVMIntSLT, lo, e.end, ""); /* the first round is inside */
    cg_intrinsic(f, "llvm.assume", NULL, 0, &some, 1);
    return e;
}

/* After the loop, when all iterations up to e->end have been executed. */
void cg_early_end(CgFunc *f, const CgEarly *e) {
    if (!e->checks) return;
    LLVMBasicBlockRef ok, next;
    cg_cold(f, LLVMBuildICmp(f->b, LLVMIntNE, e->end, e->hi, ""), &ok);
    for (int i = 0; i < e->checks->n - 1; i++) {
        cg_cold(f, LLVMBuildICmp(f->b, LLVMIntEQ, e->end, limit(f, &e->checks->at[i]), ""), &next);
        report(f, e, &e->checks->at[i], e->end);
        cg_enter(f, next);
    }
    report(f, e, &e->checks->at[e->checks->n - 1], e->end);
    cg_enter(f, ok);
    cg_goto(f, e->out);
    cg_enter(f, e->out);
}
