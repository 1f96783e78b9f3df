/* balance.c -- a static schedule with equal work. Where it follows from the indices how much an item costs, by loops
 * with affine bounds (cost.c) or by the side of a diagonal that it is on (triangle.c), the launch estimates the work of
 * some rows, and each thread gets whole rows with as much. Unlike chunks that are taken from a counter, rows stay with
 * the same thread from launch to launch, in its caches, and what a thread copies for its items (simd/pack.c) it copies
 * once. */
#include "irgen/cpu/cpu.h"

enum {
    PLACES = 32,        /* between which all rows are taken to cost the same */
    ROW_COST = 1200,    /* to begin a row, besides its items */
    PARTLY = 12,        /* items of a row whose vectors others fill that have no work */
    ROWS_A_THREAD = 8,  /* at least: a row is not divided */
    WHOLE_BLOCKS = 128, /* rows a thread, from which on shares are multiples of CG_CHUNK_ROWS */
    UNIT_ITEMS = 16     /* of a domain of one axis: whole vectors */
};

/* Which kernels ---------------------------------------------------------------------------------------------------- */

bool cpu_balances(const Kernel *k) {
    const Func *fn = k->func;
    if (fn->group.items || fn->reduction || k->flat || k->cg->shadows || k->uneven == UNEVEN) return false;
    if (k->uneven == EVEN) return k->triangle != NULL;
    return fn->domain.n <= 2 && cost_is_of_loops(fn, k->triangle ? k->triangle->guard : NULL);
}

/* The launch ------------------------------------------------------------------------------------------------------- */

static void set_axis(CgFunc *f, const Kernel *k, int axis, LLVMValueRef position) {
    f->slots[k->func->domain.at[axis]->id].value = cg_axis_at(f, &k->axes[axis], position).v;
}

static LLVMValueRef half(CgFunc *f, LLVMValueRef v) { return LLVMBuildLShr(f->b, v, cg_i64(f->cg, 1), ""); }

/* Of a row, whose items cost what the one in the middle of those with work does. */
static LLVMValueRef row_cost(Kernel *k, CgFunc *f, LLVMValueRef row) {
    LLVMBuilderRef b = f->b;
    LLVMValueRef items = cg_i64(f->cg, 1);
    set_axis(f, k, k->order[0], row);
    for (int i = 1; i < k->func->domain.n; i++) {
        int axis = k->order[i];
        LLVMValueRef n = cg_axis_trips(f, &k->axes[axis]), all = n;
        set_axis(f, k, axis, cg_i64(f->cg, 0));
        bool is_triangle = k->triangle && axis == k->triangle->axis;
        if (is_triangle) n = cpu_triangle_columns(f, k->triangle, n);
        LLVMValueRef middle = half(f, n);
        if (is_triangle && !k->triangle->grows)
            middle = LLVMBuildSub(b, LLVMBuildSub(b, all, middle, ""), cg_i64(f->cg, 1), "");
        set_axis(f, k, axis, middle);
        items = LLVMBuildMul(b, items, n, "");
    }
    LLVMTypeRef real = f->cg->f64;
    LLVMValueRef each = LLVMBuildSIToFP(b, cost_at_item(f, k->func), real, "");
    if (k->func->domain.n > 1) items = LLVMBuildAdd(b, items, cg_i64(f->cg, PARTLY), "");
    LLVMValueRef sum = LLVMBuildFMul(b, LLVMBuildSIToFP(b, items, real, ""), each, "");
    return LLVMBuildFAdd(b, sum, LLVMConstReal(real, k->func->domain.n > 1 ? ROW_COST : 0), "cost");
}

/* Where a part of the domain begins, in rows. */
static LLVMValueRef place(CgFunc *f, LLVMValueRef rows, LLVMValueRef i) {
    LLVMValueRef whole = LLVMBuildUDiv(f->b, rows, cg_i64(f->cg, PLACES), "");
    LLVMValueRef rest = LLVMBuildURem(f->b, rows, cg_i64(f->cg, PLACES), "");
    LLVMValueRef more = LLVMBuildUDiv(f->b, LLVMBuildMul(f->b, rest, i, ""), cg_i64(f->cg, PLACES), "");
    return LLVMBuildAdd(f->b, LLVMBuildMul(f->b, whole, i, ""), more, "place");
}

static LLVMValueRef entry_of(CgFunc *f, LLVMValueRef table, LLVMValueRef i) {
    return LLVMBuildInBoundsGEP2(f->b, f->cg->f64, table, &i, 1, "");
}

LLVMValueRef cpu_balance_table(Kernel *k, CgFunc *f) {
    LLVMBuilderRef b = f->b;
    LLVMTypeRef real = f->cg->f64;
    LLVMValueRef table = cg_alloca(f, LLVMArrayType2(real, PLACES + 1), "work");
    LLVMValueRef rows = cg_axis_trips(f, &k->axes[k->order[0]]), one = cg_i64(f->cg, 1);
    for (int i = 1; i < k->func->domain.n; i++) cg_axis_trips(f, &k->axes[k->order[i]]); /* before the loop */
    LLVMBuildStore(b, LLVMConstNull(real), table);
    Axis all = cg_axis_upto(f, cg_i64(f->cg, PLACES));
    CgLoop l = cg_loop_begin(f, &all);
    LLVMValueRef next = LLVMBuildAdd(b, l.i.v, one, "");
    LLVMValueRef from = place(f, rows, l.i.v), to = place(f, rows, next), n = LLVMBuildSub(b, to, from, "");
    LLVMValueRef cost = row_cost(k, f, LLVMBuildAdd(b, from, half(f, n), ""));
    LLVMValueRef before = LLVMBuildLoad2(b, real, entry_of(f, table, l.i.v), "");
    LLVMValueRef part = LLVMBuildFMul(b, cost, LLVMBuildSIToFP(b, n, real, ""), "");
    LLVMBuildStore(b, LLVMBuildFAdd(b, before, part, ""), entry_of(f, table, next));
    cg_loop_end(f, &l);
    return table;
}

/* The threads ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef runtime_number(CgFunc *f, RuntimeId id) {
    return LLVMBuildZExt(f->b, cg_call_runtime(f, id, NULL, 0), f->cg->i64, "");
}

LLVMValueRef cpu_balance_is_fine(const Kernel *k, CgFunc *f, LLVMValueRef rows) {
    int64_t least = k->func->domain.n > 1 ? ROWS_A_THREAD : ROWS_A_THREAD * UNIT_ITEMS;
    LLVMValueRef enough = LLVMBuildMul(f->b, runtime_number(f, RT_NUM_THREADS), cg_i64(f->cg, least), "");
    return LLVMBuildICmp(f->b, LLVMIntUGE, rows, enough, "");
}

/* The part in which so much work has been done: the first one at the end of which there is as much. */
static LLVMValueRef part_after(CgFunc *f, LLVMValueRef table, LLVMValueRef work) {
    LLVMBuilderRef b = f->b;
    LLVMValueRef at = cg_alloca(f, f->cg->i64, "part"), last = cg_i64(f->cg, PLACES - 1), one = cg_i64(f->cg, 1);
    LLVMBuildStore(b, cg_i64(f->cg, 0), at);
    LLVMBasicBlockRef look = cg_block(f, "look"), next = cg_block(f, "next"), found = cg_block(f, "found");
    cg_goto(f, look);
    cg_enter(f, look);
    LLVMValueRef i = LLVMBuildLoad2(b, f->cg->i64, at, ""), more = LLVMBuildAdd(b, i, one, "");
    LLVMValueRef end = LLVMBuildLoad2(b, f->cg->f64, entry_of(f, table, more), "");
    LLVMValueRef is_before = LLVMBuildFCmp(b, LLVMRealOLT, end, work, "");
    is_before = LLVMBuildAnd(b, is_before, LLVMBuildICmp(b, LLVMIntULT, i, last, ""), "");
    LLVMBuildCondBr(b, is_before, next, found);
    cg_enter(f, next);
    LLVMBuildStore(b, more, at);
    cg_goto(f, look);
    cg_enter(f, found);
    return i;
}

/* A multiple of whole blocks, where there are rows enough. */
static LLVMValueRef rounded(const Kernel *k, CgFunc *f, LLVMValueRef row, LLVMValueRef rows, LLVMValueRef threads) {
    LLVMBuilderRef b = f->b;
    LLVMValueRef unit = cg_i64(f->cg, UNIT_ITEMS);
    if (k->func->domain.n > 1) {
        LLVMValueRef many = LLVMBuildMul(b, threads, cg_i64(f->cg, WHOLE_BLOCKS), "");
        LLVMValueRef is_many = LLVMBuildICmp(b, LLVMIntUGE, rows, many, "");
        unit = LLVMBuildSelect(b, is_many, cg_i64(f->cg, CG_CHUNK_ROWS), cg_i64(f->cg, 1), "unit");
    }
    return LLVMBuildSub(b, row, LLVMBuildURem(b, row, unit, ""), "");
}

/* The first item of thread `me`; of the one after the last: n. */
static LLVMValueRef first_item(const Kernel *k, CgFunc *f, LLVMValueRef n, LLVMValueRef rows, LLVMValueRef table,
                               LLVMValueRef me, LLVMValueRef threads) {
    LLVMBuilderRef b = f->b;
    LLVMTypeRef real = f->cg->f64, i64 = f->cg->i64;
    LLVMValueRef all = LLVMBuildLoad2(b, real, entry_of(f, table, cg_i64(f->cg, PLACES)), "");
    LLVMValueRef share = LLVMBuildFDiv(b, LLVMBuildUIToFP(b, me, real, ""), LLVMBuildUIToFP(b, threads, real, ""), "");
    LLVMValueRef work = LLVMBuildFMul(b, all, share, ""), part = part_after(f, table, work);
    LLVMValueRef next = LLVMBuildAdd(b, part, cg_i64(f->cg, 1), "");
    LLVMValueRef from = place(f, rows, part), length = LLVMBuildSub(b, place(f, rows, next), from, "");
    LLVMValueRef before = LLVMBuildLoad2(b, real, entry_of(f, table, part), "");
    LLVMValueRef after = LLVMBuildLoad2(b, real, entry_of(f, table, next), "");
    LLVMValueRef within = LLVMBuildFSub(b, work, before, ""), cost = LLVMBuildFSub(b, after, before, "");
    LLVMValueRef has_work = LLVMBuildFCmp(b, LLVMRealOGT, cost, LLVMConstNull(real), "");
    LLVMValueRef ratio = LLVMBuildSelect(b, has_work, LLVMBuildFDiv(b, within, cost, ""), LLVMConstNull(real), "");
    LLVMValueRef more = LLVMBuildFPToUI(b, LLVMBuildFMul(b, ratio, LLVMBuildUIToFP(b, length, real, ""), ""), i64, "");
    LLVMValueRef row = rounded(k, f, LLVMBuildAdd(b, from, more, ""), rows, threads);
    LLVMValueRef items = LLVMBuildUDiv(b, n, rows, ""); /* of a row */
    LLVMValueRef is_end = LLVMBuildICmp(b, LLVMIntEQ, me, threads, "");
    return LLVMBuildSelect(b, is_end, n, LLVMBuildMul(b, row, items, ""), "");
}

/* The same as a function: one thread's end and the next one's beginning must be the same number, which two copies of
 * arithmetic on floats, optimised apart, need not compute. */
static LLVMValueRef first_item_function(const Kernel *k, CgFunc *f) {
    Cg *cg = k->cg;
    LLVMTypeRef i64 = cg->i64, params[5] = {i64, i64, cg->ptr, i64, i64};
    const char *name = arena_printf(&cg->c->arena, "kernel.%s.first", k->func->symbol);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef fn = LLVMAddFunction(cg->module, name, LLVMFunctionType(i64, params, 5, false)), p[5];
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "noinline");
    CgMode mode = cg_mode_begin(cg, cg->shadows, false);
    CgFunc g;
    cg_func_begin(&g, cg, k->func, fn);
    LLVMGetParams(fn, p);
    LLVMBuildRet(g.b, first_item(k, &g, p[0], p[1], p[2], p[3], p[4]));
    cg_mode_end(cg, mode);
    cg_enter(f, here);
    return fn;
}

void cpu_balance_share(const Kernel *k, CgFunc *f, LLVMValueRef n, LLVMValueRef rows, LLVMValueRef table,
                       LLVMValueRef *begin, LLVMValueRef *end) {
    LLVMValueRef me = runtime_number(f, RT_THREAD_NUM), threads = runtime_number(f, RT_NUM_THREADS);
    LLVMValueRef fn = first_item_function(k, f), args[5] = {n, rows, table, me, threads};
    *begin = cg_call(f, LLVMGlobalGetValueType(fn), fn, args, 5);
    args[3] = LLVMBuildAdd(f->b, me, cg_i64(f->cg, 1), "");
    *end = cg_call(f, LLVMGlobalGetValueType(fn), fn, args, 5);
}
