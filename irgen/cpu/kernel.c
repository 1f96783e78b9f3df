/* kernel.c -- kernels on the cores of a processor: contiguous shares of the domain through libomp's fork call, no more
 * threads than libomp thinks right. One share a thread where all items are alike, else many, taken from a counter as
 * threads get free; below a certain amount of work just one share, here. The entry
 * function of a kernel lives here for the targets that are CPUs: the host's version and the x86 device. */
#include "irgen/cpu/cpu.h"
#include "sema/analysis/rate.h"

#include <string.h>

/* libomp's ident_t (openmp/runtime/src/kmp.h): { 0, KMP_IDENT_KMPC, 0, length, ";file;function;line;column;;" }. */
static LLVMValueRef ident(Kernel *k) {
    Cg *cg = k->cg;
    Place p = cg_place(cg, k->func->name_span);
    const char *text =
        arena_printf(&cg->c->arena, ";%s;%s;%d;%d;;", p.file->path, k->func->name, p.line, p.col);
    LLVMValueRef fields[5] = {cg_i32(cg, 0), cg_i32(cg, 2), cg_i32(cg, 0), cg_i32(cg, (int64_t)strlen(text)),
                              cg_string(cg, text, strlen(text))};
    LLVMValueRef value = LLVMConstStructInContext(cg->ctx, fields, 5, false);
    LLVMValueRef global = LLVMAddGlobal(cg->module, LLVMTypeOf(value), "ident");
    LLVMSetInitializer(global, value);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 8);
    return global;
}

enum {
    CHUNKS_A_THREAD = 64,  /* where there is so much: the last chunk is waited for, whatever it costs */
    LEAST_CHUNKS = 4,      /* a thread, before chunks become too small to be worth taking */
    ROW_CHUNKS = 16,       /* a thread, so that chunks of whole rows still even out what rows differ by */
    CHUNK_ROWS = 8,        /* rows of a chunk, a multiple where that leaves enough chunks: vector code's blocks */
    CHUNK_COST = 1 << 13,  /* rough instructions of a chunk, beside which the counter does not matter */
    CHUNK_ITEMS = 16       /* chunks of items are a multiple: whole vectors, and lines of memory of one thread */
};

/* What the threads are told: the values, then n, the items of a row, and the counter of what is taken. */
enum { TOLD_N, TOLD_ROW, TOLD_COUNTER, TOLD__COUNT };

static LLVMTypeRef context_type(Cg *cg, LLVMValueRef *values, int n_values) {
    LLVMTypeRef *fields = arena_array(&cg->c->arena, LLVMTypeRef, n_values + TOLD__COUNT);
    for (int i = 0; i < n_values; i++) fields[i] = LLVMTypeOf(values[i]);
    for (int i = 0; i < TOLD__COUNT; i++) fields[n_values + i] = cg->i64;
    return LLVMStructTypeInContext(cg->ctx, fields, (unsigned)n_values + TOLD__COUNT, false);
}

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULT, a, b, ""), a, b, "");
}

/* begin and end of this thread's share of n: equal parts, the first n % threads one longer. */
static void thread_share(CgFunc *f, LLVMValueRef n, LLVMValueRef *begin, LLVMValueRef *end) {
    LLVMTypeRef i64 = f->cg->i64;
    LLVMValueRef me = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_THREAD_NUM, NULL, 0), i64, "me");
    LLVMValueRef threads = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_NUM_THREADS, NULL, 0), i64, "threads");
    LLVMValueRef part = LLVMBuildUDiv(f->b, n, threads, ""), rest = LLVMBuildURem(f->b, n, threads, "");
    LLVMValueRef extra = LLVMBuildZExt(f->b, LLVMBuildICmp(f->b, LLVMIntULT, me, rest, ""), i64, "");
    *begin = LLVMBuildAdd(f->b, LLVMBuildMul(f->b, me, part, ""), smaller(f, me, rest), "begin");
    *end = LLVMBuildAdd(f->b, LLVMBuildAdd(f->b, *begin, part, ""), extra, "end");
}

static void call_share(CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef begin,
                       LLVMValueRef end) {
    LLVMValueRef *args = arena_array(&f->cg->c->arena, LLVMValueRef, n_values + 2);
    memcpy(args, values, sizeof *values * (size_t)n_values);
    args[n_values] = begin;
    args[n_values + 1] = end;
    cg_call(f, LLVMGlobalGetValueType(share), share, args, n_values + 2);
}

static LLVMValueRef larger(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntUGT, a, b, ""), a, b, "");
}

/* size, rounded up. */
static LLVMValueRef multiple(CgFunc *f, LLVMValueRef size, LLVMValueRef of) {
    LLVMValueRef more = LLVMBuildAdd(f->b, size, LLVMBuildSub(f->b, of, cg_i64(f->cg, 1), ""), "");
    return LLVMBuildMul(f->b, LLVMBuildUDiv(f->b, more, of, ""), of, "chunk");
}

/* What chunks are a multiple of: blocks of whole rows, or whole rows, or whole vectors, as there are enough of. */
static LLVMValueRef chunk_unit(CgFunc *f, LLVMValueRef n, LLVMValueRef row, LLVMValueRef threads) {
    LLVMValueRef chunks = LLVMBuildMul(f->b, threads, cg_i64(f->cg, ROW_CHUNKS), "");
    LLVMValueRef enough = LLVMBuildUDiv(f->b, n, chunks, ""), rows = LLVMBuildMul(f->b, row, cg_i64(f->cg, CHUNK_ROWS), "");
    LLVMValueRef some = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULE, row, enough, ""), row, cg_i64(f->cg, CHUNK_ITEMS), "");
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULE, rows, enough, ""), rows, some, "unit");
}

/* How much is taken at a time: many chunks a thread, but of some work each, and never too few chunks. */
static LLVMValueRef chunk_size(const Kernel *k, CgFunc *f, LLVMValueRef n, LLVMValueRef row, int64_t least) {
    LLVMValueRef threads = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_NUM_THREADS, NULL, 0), f->cg->i64, "threads");
    LLVMValueRef many = LLVMBuildMul(f->b, threads, cg_i64(f->cg, CHUNKS_A_THREAD), "");
    LLVMValueRef few = LLVMBuildMul(f->b, threads, cg_i64(f->cg, LEAST_CHUNKS), "");
    LLVMValueRef size = larger(f, LLVMBuildUDiv(f->b, n, many, ""), cg_i64(f->cg, least));
    size = smaller(f, size, larger(f, LLVMBuildUDiv(f->b, n, few, ""), cg_i64(f->cg, 1)));
    if (least < CHUNK_ITEMS || k->share_items > 1) return size;
    return multiple(f, size, k->row ? chunk_unit(f, n, row, threads) : cg_i64(f->cg, CHUNK_ITEMS));
}

/* Chunk after chunk, as long as there are any. */
static void run_chunks(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values,
                       LLVMValueRef counter, int64_t least) {
    LLVMValueRef n = values[n_values + TOLD_N], size = chunk_size(k, f, n, values[n_values + TOLD_ROW], least);
    LLVMBasicBlockRef take = cg_block(f, "take"), work = cg_block(f, "work"), done = cg_block(f, "done");
    cg_goto(f, take);
    cg_enter(f, take);
    LLVMValueRef begin = LLVMBuildAtomicRMW(f->b, LLVMAtomicRMWBinOpAdd, counter, size, LLVMAtomicOrderingMonotonic, false);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, begin, n, ""), work, done);
    cg_enter(f, work);
    LLVMValueRef count = smaller(f, size, LLVMBuildSub(f->b, n, begin, ""));
    call_share(f, share, values, n_values, begin, LLVMBuildAdd(f->b, begin, count, ""));
    cg_goto(f, take);
    cg_enter(f, done);
}

static void run_equal_part(CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values) {
    LLVMValueRef begin, end;
    thread_share(f, values[n_values + TOLD_N], &begin, &end);
    LLVMBasicBlockRef work = cg_block(f, "work"), done = cg_block(f, "done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, begin, end, ""), work, done);
    cg_enter(f, work);
    call_share(f, share, values, n_values, begin, end);
    cg_goto(f, done);
    cg_enter(f, done);
}

/* What each thread runs: void task(ptr gtid, ptr btid, ptr context). */
static LLVMValueRef task(Kernel *k, LLVMValueRef share, LLVMTypeRef context, int n_values, int64_t least) {
    Cg *cg = k->cg;
    LLVMTypeRef params[3] = {cg->ptr, cg->ptr, cg->ptr};
    const char *name = arena_printf(&cg->c->arena, "kernel.%s.task", k->func->symbol);
    LLVMValueRef fn = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->void_, params, 3, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    CgFunc f;
    cg_func_begin(&f, cg, k->func, fn);
    LLVMValueRef at = LLVMGetParam(fn, 2);
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, n_values + TOLD__COUNT);
    for (int i = 0; i < n_values + TOLD_COUNTER; i++)
        values[i] = LLVMBuildLoad2(f.b, LLVMStructGetTypeAtIndex(context, (unsigned)i),
                                   LLVMBuildStructGEP2(f.b, context, at, (unsigned)i, ""), "");
    LLVMValueRef counter = LLVMBuildStructGEP2(f.b, context, at, (unsigned)n_values + TOLD_COUNTER, "counter");
    if (least) run_chunks(k, &f, share, values, n_values, counter, least);
    else run_equal_part(&f, share, values, n_values);
    LLVMBuildRetVoid(f.b);
    return fn;
}

static void fork_call(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef n,
                      int64_t least) {
    LLVMTypeRef type = context_type(f->cg, values, n_values);
    LLVMValueRef context = cg_alloca(f, type, "context");
    LLVMValueRef told[TOLD__COUNT] = {n, k->row ? k->row : cg_i64(f->cg, 1), cg_i64(f->cg, 0)};
    for (int i = 0; i < n_values + TOLD__COUNT; i++)
        LLVMBuildStore(f->b, i < n_values ? values[i] : told[i - n_values],
                       LLVMBuildStructGEP2(f->b, type, context, (unsigned)i, ""));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef fn = task(k, share, type, n_values, least);
    cg_enter(f, here);
    LLVMValueRef args[4] = {ident(k), fn, context, cg_i64(f->cg, 0)}; /* what it needs: stack.c */
    cg_call_runtime(f, RT_FORK, args, 4);
}

void cpu_spread(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef n,
                LLVMValueRef fork, int64_t least) {
    LLVMBasicBlockRef many = cg_block(f, "fork"), one = cg_block(f, "serial"), done = cg_block(f, "spread.done");
    LLVMBuildCondBr(f->b, fork, many, one);
    cg_enter(f, many);
    fork_call(k, f, share, values, n_values, n, least);
    cg_goto(f, done);
    cg_enter(f, one);
    call_share(f, share, values, n_values, cg_i64(f->cg, 0), n);
    cg_goto(f, done);
    cg_enter(f, done);
}

/* Enough work to share: items, or groups, times what one costs. */
static LLVMValueRef worth_forking(Kernel *k, CgFunc *f, LLVMValueRef total) {
    LLVMValueRef fork = cg_i64(f->cg, COST_FORK - 1), two = cg_i64(f->cg, 2);
    LLVMValueRef items = LLVMBuildAdd(f->b, LLVMBuildUDiv(f->b, fork, k->share_work, ""), cg_i64(f->cg, 1), "");
    return LLVMBuildICmp(f->b, LLVMIntUGE, total, larger(f, items, two), "");
}

static int64_t least_chunk(const Kernel *k) {
    int64_t least = (CHUNK_COST + k->share_cost - 1) / k->share_cost;
    return k->share_items == 1 && least < CHUNK_ITEMS ? CHUNK_ITEMS : least;
}

void cpu_kernel_entry(Kernel *k) {
    Cg *cg = k->cg;
    CgFunc f;
    k->share_cost = cost_of_item(k->func) * k->share_items;
    cpu_kernel_ranges(k);
    k->uneven = cg_copies_are_light(cg, k->func) && rates_are_uneven(&cg->c->arena, k->func);
    cg_func_begin(&f, cg, k->func, k->entry);
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, k->n_values + 4);
    int n = cg_kernel_values(k, &f, values);
    cg_kernel_bind(&f, k->func, values);
    Axis axes[MAX_RANK];
    cg_domain(&f, k->func, axes);
    LLVMValueRef total = cg_domain_shares(&f, k->func, axes);
    LLVMBasicBlockRef some = cg_block(&f, "some"), done = cg_block(&f, "done");
    LLVMValueRef result = k->func->reduction ? cg_kernel_result(k, &f) : NULL;
    if (result) LLVMBuildStore(f.b, cg_identity(cg, k->func->reduction, k->func->result), result);
    LLVMBuildCondBr(f.b, LLVMBuildICmp(f.b, LLVMIntEQ, total, cg_i64(cg, 0), ""), done, some);
    cg_enter(&f, some);
    int fastest = k->order[k->func->domain.n - 1];
    if (k->func->domain.n > 1 && !k->func->group.items) k->row = cg_axis_trips(&f, &axes[fastest]);
    if (k->flat)
        k->row = LLVMBuildSelect(f.b, cg_flat_is_legal(&f, k->flat), cg_flat_length(&f, k->flat), cg_i64(cg, CHUNK_ITEMS), "row");
    k->share_work = LLVMBuildMul(f.b, cost_at_launch(&f, k->func), cg_i64(cg, k->share_items), "");
    LLVMValueRef fork = worth_forking(k, &f, total);
    if (result) cpu_reduce(k, &f, values, n, total, fork, result);
    else cpu_spread(k, &f, private_share(k, k->range, k->range_apart, -1), values, n, total, fork,
                    k->uneven ? least_chunk(k) : 0);
    cg_goto(&f, done);
    cg_enter(&f, done);
    LLVMBuildRetVoid(f.b);
}
