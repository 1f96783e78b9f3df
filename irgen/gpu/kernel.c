/* kernel.c -- kernels on GPUs as grid-stride loops: the entry contains the whole kernel. Loops over the work items of
 * the domain, or over its groups, surround the body; a thread begins at its own index and advances by the size of the
 * grid. If the grid covers the domain, each thread executes one iteration. A group is a block: its items are the
 * threads of the block, all of which execute the body, also those outside the domain, because all must reach the
 * barriers.
 *
 * Each kernel has two entries (loop versioning). A launch whose grid covers the domain, whose arrays have at most
 * CG_NARROW_ELEMENTS elements and whose arguments of type `index` are between that number and its negative, uses the
 * narrow entry: it has no grid-stride loops, except for reductions, which use few blocks, and it computes addresses
 * with 32-bit integers, the width of a GPU register, also in the functions that it calls; passes/words.c and
 * passes/offsets.c rest on that. The launch selects the entry (launch/launch.c). */
#include "irgen/gpu/gpu.h"

#include <string.h>

#include "runtime/geometry.h"

static LLVMValueRef number(CgFunc *f, GpuNumber which, int axis) { return f->cg->target->gpu->number(f, which, axis); }
LLVMValueRef gpu_thread(CgFunc *f, int axis) { return number(f, GPU_THREAD, axis); }
LLVMValueRef gpu_block(CgFunc *f, int axis) { return number(f, GPU_BLOCK, axis); }
LLVMValueRef gpu_threads(CgFunc *f, int axis) { return number(f, GPU_THREADS, axis); }
LLVMValueRef gpu_blocks(CgFunc *f, int axis) { return number(f, GPU_BLOCKS, axis); }

void gpu_attribute(CgFunc *f, const char *name, const char *value) {
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(f->cg->ctx, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(f->fn, LLVMAttributeFunctionIndex, a);
}

LLVMValueRef gpu_flat(CgFunc *f, int n_axes, LLVMValueRef (*at)(CgFunc *, int), LLVMValueRef (*count)(CgFunc *, int)) {
    LLVMValueRef flat = at(f, n_axes - 1);
    for (int axis = n_axes - 1; axis-- > 0;)
        flat = LLVMBuildAdd(f->b, LLVMBuildMul(f->b, flat, count(f, axis), ""), at(f, axis), "");
    return flat;
}

/* Grid-stride loops ------------------------------------------------------------------------------------------------ */

/* Of an index or a count of threads or blocks, which are below 2^31. */
static LLVMValueRef wide(CgFunc *f, LLVMValueRef v) {
    v = LLVMBuildZExt(f->b, v, f->cg->i64, "");
    if (LLVMIsAZExtInst(v)) LLVMSetNNeg(v, true);
    return v;
}

static LLVMValueRef word(CgFunc *f, LLVMValueRef v) { return LLVMBuildTrunc(f->b, v, f->cg->i32, ""); }

/* block * threads + thread, in a narrow entry: each block begins inside the domain. */
static LLVMValueRef narrow_place(CgFunc *f, LLVMValueRef block, LLVMValueRef threads, LLVMValueRef thread) {
    LLVMValueRef first = LLVMBuildNUWMul(f->b, block, threads, "");
    if (LLVMIsABinaryOperator(first)) LLVMSetNSW(first, true);
    first = LLVMBuildNUWAdd(f->b, first, thread, "");
    if (LLVMIsABinaryOperator(first)) LLVMSetNSW(first, true);
    return wide(f, first);
}

/* Index of this thread in the grid. */
static LLVMValueRef first_item(CgFunc *f, int axis) {
    LLVMValueRef threads = gpu_threads(f, axis), block = gpu_block(f, axis);
    if (f->narrow) return narrow_place(f, block, threads, gpu_thread(f, axis));
    LLVMValueRef first = LLVMBuildNSWMul(f->b, wide(f, block), wide(f, threads), "");
    return LLVMBuildNSWAdd(f->b, first, wide(f, gpu_thread(f, axis)), "first");
}

/* for k = first; k < end; k += step. The loop is rotated: the end is tested before the first iteration and after each,
 * so that code between iterations (a barrier) is not executed if there is only one. In the narrow entry there is only
 * one, and no block is outside the grid of groups; a reduction keeps its loops, with i32 counters. */
typedef enum GridUse { GRID_ITEMS, GRID_GROUPS, GRID_SUM } GridUse;
typedef struct GridLoop {
    GridUse use;
    bool once;
    LLVMValueRef inside; /* i1: of a loop of one iteration whose test is made by the next inner one */
    LLVMTypeRef type;    /* of the counter and of its bound */
    LLVMValueRef counter, k, step, end;
    LLVMBasicBlockRef body, next, done;
} GridLoop;

static LLVMValueRef load_counter(CgFunc *f, const GridLoop *l) {
    LLVMValueRef k = LLVMBuildLoad2(f->b, l->type, l->counter, "");
    if (f->narrow) k = wide(f, k);
    /* Opaque to LLVM, which would otherwise keep induction variables in registers for iterations that rarely happen. */
    return l->use == GRID_SUM ? k : f->cg->target->gpu->hidden(f, k, l->use == GRID_GROUPS);
}

/* outer: of the next outer loop; is_last: there is none inside it. Where all loops have one iteration, one branch tests
 * all axes. */
static GridLoop grid_loop_begin(CgFunc *f, GridUse use, LLVMValueRef first, LLVMValueRef step, LLVMValueRef end,
                                const GridLoop *outer, bool is_last) {
    GridLoop l = {.use = use, .k = first, .once = f->narrow && f->func->reduction == REDUCE_NONE};
    l.type = f->narrow && !l.once ? f->cg->i32 : f->cg->i64;
    if (l.once && use == GRID_GROUPS) return l;
    if (l.once) {
        l.inside = LLVMBuildICmp(f->b, LLVMIntSLT, first, end, "");
        if (outer && outer->inside) l.inside = LLVMBuildAnd(f->b, outer->inside, l.inside, "inside");
        if (!is_last) return l;
    }
    l.body = cg_block(f, "item");
    l.done = cg_block(f, "items.done");
    first = LLVMBuildTrunc(f->b, first, l.type, "");
    l.step = LLVMBuildTrunc(f->b, step, l.type, "");
    l.end = LLVMBuildTrunc(f->b, end, l.type, "");
    if (!l.once) {
        l.counter = cg_alloca(f, l.type, "k");
        l.next = cg_block(f, "item.next");
        LLVMBuildStore(f->b, first, l.counter);
    }
    if (!l.once) l.inside = LLVMBuildICmp(f->b, LLVMIntSLT, first, l.end, "");
    LLVMBuildCondBr(f->b, l.inside, l.body, l.done);
    l.inside = NULL;
    cg_enter(f, l.body);
    if (use == GRID_GROUPS) cg_reconverge(f);
    if (!l.once) l.k = load_counter(f, &l);
    return l;
}

static void grid_loop_end(CgFunc *f, GridLoop *l, bool wait) {
    if (!l->body) return;
    if (l->once) {
        cg_goto(f, l->done);
        cg_enter(f, l->done);
        return;
    }
    cg_goto(f, l->next);
    cg_enter(f, l->next);
    if (l->use == GRID_GROUPS) cg_reconverge(f);
    LLVMValueRef next = LLVMBuildNSWAdd(f->b, LLVMBuildLoad2(f->b, l->type, l->counter, ""), l->step, "");
    LLVMBuildStore(f->b, next, l->counter);
    LLVMBasicBlockRef again = cg_block(f, "again");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, next, l->end, ""), again, l->done);
    cg_enter(f, again);
    if (wait) cg_barrier(f);
    cg_goto(f, l->body);
    LLVMValueRef latch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b));
    /* Copies of an iteration would each end with the test of the next one, which no load moves across. */
    cg_mark_plain(f, latch);
    cg_enter(f, l->done);
}

static int grid_axis(const Func *fn, int d) { return fn->domain.n - 1 - d; }

/* Work items ------------------------------------------------------------------------------------------------------- */

typedef struct Grid {
    Kernel *k;
    CgFunc *f;
    const Func *fn;
    Axis axes[GRID_AXES];
    GpuSum sum;
} Grid;

static void bind_domain(Grid *g, int d, LLVMValueRef k) {
    const Symbol *sym = g->fn->domain.at[d];
    LLVMValueRef v = cg_axis_at(g->f, &g->axes[d], k).v;
    g->f->slots[sym->id].value = v;
    cg_debug_value(g->f, sym, v, 0);
}

static void run_body(Grid *g) {
    CgFunc *f = g->f;
    if (g->fn->reduction) {
        LLVMValueRef nothing = cg_neutral(f->cg, g->sum.how, g->sum.item);
        LLVMBuildStore(f->b, nothing, f->item_result);
    }
    f->next_item = cg_block(f, "body.done");
    cg_stmts(f, g->fn->item->fn.body, NULL, NULL);
    cg_goto(f, f->next_item);
    cg_enter(f, f->next_item);
    if (g->fn->reduction) gpu_sum_item(&g->sum, f);
}

/* Checks that a loop over items would make once for all of them (CgEarly) are made by each item: a loop of one
 * iteration. */
static void run_item(Grid *g, LLVMValueRef k) {
    CgFunc *f = g->f;
    const LoopChecks *checks = &g->fn->loop_checks;
    if (!checks->n) {
        run_body(g);
        return;
    }
    const Symbol *sym = g->fn->domain.at[g->fn->domain.n - 1];
    LLVMValueRef lo = cg_index_value(f, g->axes[g->fn->domain.n - 1].lo), at = LLVMBuildAdd(f->b, lo, k, "");
    LLVMBasicBlockRef done = f->next_item = cg_block(f, "item.done");
    LLVMValueRef own = f->slots[sym->id].value; /* cg_early_begin changes it for reports */
    CgEarly early = cg_early_begin(f, checks, sym, true, at, LLVMBuildAdd(f->b, at, cg_i64(f->cg, 1), ""));
    f->slots[sym->id].value = own;
    LLVMBasicBlockRef inside = cg_block(f, "inside"), checked = cg_block(f, "inside.done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, at, early.end, ""), inside, checked);
    cg_enter(f, inside);
    run_body(g);
    cg_goto(f, checked);
    cg_enter(f, checked);
    f->next_item = done;
    cg_early_end(f, &early);
    cg_goto(f, done);
    cg_enter(f, done);
}

static void run_items(Grid *g) {
    CgFunc *f = g->f;
    int n = g->fn->domain.n;
    GridLoop loops[GRID_AXES];
    for (int d = 0; d < n; d++) {
        int axis = grid_axis(g->fn, d);
        LLVMValueRef first = first_item(f, axis), threads = wide(f, gpu_threads(f, axis));
        LLVMValueRef step = LLVMBuildNSWMul(f->b, wide(f, gpu_blocks(f, axis)), threads, "step");
        loops[d] = grid_loop_begin(f, g->fn->reduction && d == n - 1 ? GRID_SUM : GRID_ITEMS, first, step,
                                   cg_axis_trips(f, &g->axes[d]), d ? &loops[d - 1] : NULL, d == n - 1);
        bind_domain(g, d, loops[d].k);
    }
    run_item(g, loops[n - 1].k);
    for (int d = n; d-- > 0;) grid_loop_end(f, &loops[d], false);
}

/* Groups ----------------------------------------------------------------------------------------------------------- */

static void make_shared(Grid *g) {
    CgFunc *f = g->f;
    for (int i = 0; i < g->fn->group.shared.n; i++) {
        const Symbol *sym = g->fn->group.shared.at[i];
        CgArray a = {.type = sym->type, .name = sym->name};
        uint64_t n = 1;
        for (int d = 0; d < sym->type->rank; d++) {
            n *= (uint64_t)sym->dims[d].value;
            a.ext[d] = cg_i64(f->cg, sym->dims[d].value);
        }
        const char *name =
            arena_printf(&f->cg->c->arena, "%s_%s", off_kernel_symbol(f->cg->c, g->fn->symbol), sym->name);
        a.data = cg_shared(f, LLVMArrayType2(cg_type_mem(f->cg, sym->type->elem), n), 16, name);
        f->slots[sym->id].array = a;
    }
}

/* Binds the index of the group along axis d, and of this item in the group; returns i1: is the item inside the
 * domain? */
static LLVMValueRef bind_group(Grid *g, int d, LLVMValueRef place, LLVMValueRef count) {
    CgFunc *f = g->f;
    const Group *group = &g->fn->group;
    LLVMValueRef by = cg_i64(f->cg, group->by[d]), k;
    LLVMValueRef thread = group->by[d] == 1 ? cg_i32(f->cg, 0) : gpu_thread(f, grid_axis(g->fn, d));
    LLVMValueRef local = wide(f, thread);
    if (f->narrow) k = narrow_place(f, word(f, place), word(f, by), thread);
    else k = LLVMBuildNSWAdd(f->b, LLVMBuildNSWMul(f->b, place, by, ""), local, "");
    f->slots[group->at[d]->id].value = place;
    f->slots[group->count[d]->id].value = count;
    f->slots[group->local[d]->id].value = local;
    bind_domain(g, d, k);
    return LLVMBuildICmp(f->b, LLVMIntSLT, k, cg_axis_trips(f, &g->axes[d]), "");
}

/* All threads of a narrow launch have indices below 2^31. */
static void set_most(CgFunc *f, LLVMValueRef number, int64_t most) {
    unsigned kind = LLVMGetEnumAttributeKindForName("range", strlen("range"));
    const uint64_t from = 0, end = (uint64_t)most + 1;
    if (!LLVMIsACallInst(number)) return;
    LLVMAddCallSiteAttribute(number, LLVMAttributeReturnIndex,
                             LLVMCreateConstantRangeAttribute(f->cg->ctx, kind, 32, &from, &end));
}

static void run_groups(Grid *g) {
    CgFunc *f = g->f;
    const Group *group = &g->fn->group;
    int n = g->fn->domain.n;
    GridLoop loops[GRID_AXES];
    LLVMValueRef inside = LLVMConstInt(f->cg->i1, 1, false);
    make_shared(g);
    cg_segments_begin(f);
    for (int d = 0; d < n; d++) {
        int axis = grid_axis(g->fn, d);
        LLVMValueRef block = gpu_block(f, axis), count = cg_groups_along(f, group, &g->axes[d], d);
        if (f->narrow) set_most(f, block, INT32_MAX / group->by[d]);
        loops[d] = grid_loop_begin(f, GRID_GROUPS, wide(f, block), wide(f, gpu_blocks(f, axis)), count, NULL, true);
        LLVMValueRef in = bind_group(g, d, loops[d].k, count);
        inside = d ? LLVMBuildAnd(f->b, inside, in, "inside") : in;
    }
    f->slots[group->inside->id].value = inside;
    run_body(g);
    for (int d = n; d-- > 0;) grid_loop_end(f, &loops[d], group->shared.n > 0);
    cg_segments_end(f);
}

/* Entries ---------------------------------------------------------------------------------------------------------- */

static void emit_entry(Kernel *k) {
    Cg *cg = k->cg;
    CgFunc f;
    const Func *fn = k->func;
    cg_func_begin(&f, cg, fn, k->entry);
    f.narrow = k->narrow;
    if (f.narrow) LLVMAddTargetDependentFunctionAttr(k->entry, CG_NARROW, "");
    cg_debug_function(&f, fn->name);
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, k->n_values + 4);
    int n = cg_kernel_values(k, &f, values);
    cg_kernel_bind(&f, fn, values);
    if (cg_extra_values(cg, fn)) cg_bind_extra(&f, fn, values + n - cg_extra_values(cg, fn));
    cg->target->gpu->bounds(&f, fn->group.items ? fn->group.by : NULL);
    Grid g = {.k = k, .f = &f, .fn = fn};
    cg_domain(&f, fn, g.axes);
    if (fn->reduction) g.sum = gpu_sum_begin(k, &f);
    if (fn->group.items) run_groups(&g);
    else run_items(&g);
    if (fn->reduction) gpu_sum_end(&g.sum, &f, cg_kernel_result(k, &f));
    LLVMBuildRetVoid(f.b);
}

void gpu_kernel_entry(Kernel *k) {
    emit_entry(k);
    Kernel narrow = *k;
    narrow.narrow = true;
    narrow.entry = cg_narrow_entry(k->cg, k->func);
    emit_entry(&narrow);
}
