/* strips.c -- kernels of a session: a function with the parameters of `range` that calls it for one strip of the range
 * after another (strip mining), and tests before each whether the input was interrupted. A strip takes a
 * tenth of a second at most, so `range` itself, which is vectorised, is as in programs. Where the trip counts of a
 * launch make the items so long that a strip is no bound, another version of `range` runs, whose `for` loops test in
 * each iteration. */
#include "irgen/cpu/cpu.h"

/* In units of cost.c: a tenth of a second at most. Tiled nests, such as matrix products, need long strips. */
static const int64_t STRIP_COST = INT64_C(1) << 33;
enum { STRIP_ITEMS = 64 }; /* at least: whole vectors, and blocks of them */

static LLVMValueRef declare(Kernel *k, LLVMValueRef range) {
    size_t n;
    const char *name = LLVMGetValueName2(range, &n);
    LLVMValueRef fn = LLVMAddFunction(k->cg->module, arena_printf(&k->cg->c->arena, "%s.strips", name), k->range_type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(k->cg, fn, "nounwind");
    cg_fn_attr(k->cg, fn, "noinline");
    LLVMAddTargetDependentFunctionAttr(fn, CG_LAUNCH, "");
    return fn;
}

static LLVMValueRef strip_size(CgFunc *f, LLVMValueRef cost) {
    LLVMValueRef blocks = LLVMBuildUDiv(f->b, cg_i64(f->cg, STRIP_COST / STRIP_ITEMS), cost, "");
    LLVMValueRef more = LLVMBuildAdd(f->b, blocks, cg_i64(f->cg, 1), "");
    return LLVMBuildMul(f->b, more, cg_i64(f->cg, STRIP_ITEMS), "strip");
}

/* Reductions test between their chunks (reduce.c), kernels in groups between groups (group.c). */
static bool is_cut(const Kernel *k) { return !k->func->reduction && !k->func->group.items; }

LLVMValueRef cpu_strips(Kernel *k, LLVMValueRef range, LLVMValueRef polling) {
    if (range == polling && !is_cut(k)) return range;
    CgFunc f;
    LLVMValueRef fn = declare(k, range), *values = arena_array(&k->cg->c->arena, LLVMValueRef, k->n_values + 3);
    cg_func_begin(&f, k->cg, k->func, fn);
    LLVMGetParams(fn, values);
    cg_kernel_bind(&f, k->func, values);
    LLVMValueRef cost = cost_at_launch(&f, k->func), end = values[k->n_values + 1];
    LLVMValueRef size = is_cut(k) ? strip_size(&f, cost) : cg_i64(k->cg, INT64_MAX);
    LLVMValueRef is_long = LLVMBuildICmp(f.b, LLVMIntUGE, cost, cg_i64(k->cg, COST_MOST), "");
    LLVMValueRef chosen = LLVMBuildSelect(f.b, is_long, polling, range, ""), at = cg_alloca(&f, k->cg->i64, "at");
    LLVMBasicBlockRef head = cg_block(&f, "strips"), work = cg_block(&f, "strip"), done = cg_block(&f, "strips.done");
    LLVMBuildStore(f.b, values[k->n_values], at);
    cg_goto(&f, head);
    cg_enter(&f, head);
    LLVMValueRef begin = LLVMBuildLoad2(f.b, k->cg->i64, at, ""), left = LLVMBuildSub(f.b, end, begin, "");
    LLVMBuildCondBr(f.b, LLVMBuildICmp(f.b, LLVMIntSGT, left, cg_i64(k->cg, 0), ""), work, done);
    cg_enter(&f, work);
    cg_kernel_poll(&f);
    LLVMValueRef is_last = LLVMBuildICmp(f.b, LLVMIntSLT, left, size, "");
    LLVMValueRef next = LLVMBuildAdd(f.b, begin, LLVMBuildSelect(f.b, is_last, left, size, ""), "");
    values[k->n_values] = begin;
    values[k->n_values + 1] = next;
    cg_call(&f, k->range_type, chosen, values, (int)LLVMCountParams(range));
    LLVMBuildStore(f.b, next, at);
    cg_goto(&f, head);
    cg_enter(&f, done);
    LLVMBuildRetVoid(f.b);
    return fn;
}
