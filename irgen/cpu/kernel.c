/* kernel.c -- worksharing on a CPU: the entry function of a kernel distributes the domain over the threads of libomp's
 * fork call, and libomp decides how many threads there are. The schedule is static, with one contiguous chunk for each
 * thread: of equal size where all work items cost about the same, of equal work where the costs of rows follow from
 * their indices (balance.c). It is guided where the cost changes evenly along the domain in another way, else dynamic
 * (chunks are taken from an atomic counter, as in `schedule(dynamic)` of OpenMP). A launch with too little work runs
 * serially on the calling thread. This entry is used for the host's version of a kernel and for the x86 device. */
#include "irgen/cpu/cpu.h"
#include "sema/analysis/rate.h"

#include <string.h>

/* libomp's ident_t (openmp/runtime/src/kmp.h): { 0, KMP_IDENT_KMPC, 0, length, ";file;function;line;column;;" }. */
static LLVMValueRef ident(Kernel *k) {
    Cg *cg = k->cg;
    Place p = cg_place(cg, k->func->name_span);
    const char *text = arena_printf(&cg->c->arena, ";%s;%s;%d;%d;;", p.file->path, k->func->name, p.line, p.col);
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
    CHUNKS_A_THREAD = 64, /* where n is large enough: all threads wait for the one that runs the last chunk */
    LEAST_CHUNKS = 4,     /* a thread, before chunks become so small that taking one costs too much */
    ROW_CHUNKS = 16,      /* a thread: chunks of whole rows must still balance rows of different cost */
    CHUNK_COST = 1 << 13, /* least cost of a chunk (cpu/cost.c), beside which the counter's update is cheap */
    CHUNK_ITEMS = 16      /* items: a multiple of this: whole vectors, no false sharing of cache lines */
};

/* Fields of the context that the threads get: the kernel's values, then n, the work items in a row, and the counter
 * from which chunks are taken. */
enum {
    CONTEXT_N,
    CONTEXT_ROW,
    CONTEXT_COUNTER,
    CONTEXT__COUNT,
    CONTEXT_ROWS = CONTEXT__COUNT, /* where the schedule has equal work (balance.c) */
    CONTEXT_TABLE,
    CONTEXT__MOST
};

static int context_fields(const Kernel *k) { return k->balanced ? CONTEXT__MOST : CONTEXT__COUNT; }

static LLVMTypeRef context_type(const Kernel *k, LLVMValueRef *values, int n_values) {
    Cg *cg = k->cg;
    LLVMTypeRef *fields = arena_array(&cg->c->arena, LLVMTypeRef, n_values + CONTEXT__MOST);
    for (int i = 0; i < n_values; i++) fields[i] = LLVMTypeOf(values[i]);
    for (int i = 0; i < context_fields(k); i++) fields[n_values + i] = i == CONTEXT_TABLE ? cg->ptr : cg->i64;
    return LLVMStructTypeInContext(cg->ctx, fields, (unsigned)(n_values + context_fields(k)), false);
}

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULT, a, b, ""), a, b, "");
}

/* begin and end of this thread's chunk in a static schedule: equal sizes, the first n % threads of them one longer. */
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

/* size, rounded up to a multiple. */
static LLVMValueRef multiple(CgFunc *f, LLVMValueRef size, LLVMValueRef of) {
    LLVMValueRef more = LLVMBuildAdd(f->b, size, LLVMBuildSub(f->b, of, cg_i64(f->cg, 1), ""), "");
    return LLVMBuildMul(f->b, LLVMBuildUDiv(f->b, more, of, ""), of, "chunk");
}

/* The unit of chunk sizes: blocks of whole rows, single rows or whole vectors, the largest of which there are
 * enough. */
static LLVMValueRef chunk_unit(CgFunc *f, LLVMValueRef n, LLVMValueRef row, LLVMValueRef threads) {
    LLVMValueRef chunks = LLVMBuildMul(f->b, threads, cg_i64(f->cg, ROW_CHUNKS), "");
    LLVMValueRef enough = LLVMBuildUDiv(f->b, n, chunks, ""),
                 rows = LLVMBuildMul(f->b, row, cg_i64(f->cg, CG_CHUNK_ROWS), "");
    LLVMValueRef some =
        LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULE, row, enough, ""), row, cg_i64(f->cg, CHUNK_ITEMS), "");
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULE, rows, enough, ""), rows, some, "unit");
}

/* The chunk size of a dynamic schedule: many chunks for each thread, but each with some work, and never too few
 * chunks. For one thread there is one. */
static LLVMValueRef chunk_size(const Kernel *k, CgFunc *f, LLVMValueRef n, LLVMValueRef row, int64_t least) {
    LLVMValueRef threads = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_NUM_THREADS, NULL, 0), f->cg->i64, "threads");
    LLVMValueRef many = LLVMBuildMul(f->b, threads, cg_i64(f->cg, CHUNKS_A_THREAD), "");
    LLVMValueRef few = LLVMBuildMul(f->b, threads, cg_i64(f->cg, LEAST_CHUNKS), "");
    LLVMValueRef size = larger(f, LLVMBuildUDiv(f->b, n, many, ""), cg_i64(f->cg, least));
    size = smaller(f, size, larger(f, LLVMBuildUDiv(f->b, n, few, ""), cg_i64(f->cg, 1)));
    if (least >= CHUNK_ITEMS && k->share_items == 1)
        size = multiple(f, size, k->row ? chunk_unit(f, n, row, threads) : cg_i64(f->cg, CHUNK_ITEMS));
    LLVMValueRef alone = LLVMBuildICmp(f->b, LLVMIntEQ, threads, cg_i64(f->cg, 1), "");
    return LLVMBuildSelect(f->b, alone, n, size, "chunk"); /* then it is the whole domain (private.c) */
}

/* Takes the chunk that begins where the counter stands: the builder is left where there is one, and `done` is where
 * there is none. */
static LLVMValueRef take_chunk(CgFunc *f, LLVMValueRef counter, LLVMValueRef size, LLVMValueRef n,
                               LLVMBasicBlockRef done) {
    LLVMBasicBlockRef work = cg_block(f, "work");
    LLVMValueRef begin =
        LLVMBuildAtomicRMW(f->b, LLVMAtomicRMWBinOpAdd, counter, size, LLVMAtomicOrderingMonotonic, false);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, begin, n, ""), work, done);
    cg_enter(f, work);
    return begin;
}

/* The same where neighbours take nearly the same time (guided self-scheduling, Polychronopoulos and Kuck 1987): a
 * share of the items that are left, and `size` at least. *taken is the size of the chunk. */
static LLVMValueRef take_share(CgFunc *f, LLVMValueRef counter, LLVMValueRef size, LLVMValueRef n,
                               LLVMBasicBlockRef done, LLVMValueRef *taken) {
    enum { SHARES_A_THREAD = 2 };
    LLVMBasicBlockRef look = cg_block(f, "look"), some = cg_block(f, "some"), work = cg_block(f, "work");
    LLVMValueRef threads = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_NUM_THREADS, NULL, 0), f->cg->i64, "threads");
    threads = LLVMBuildMul(f->b, threads, cg_i64(f->cg, SHARES_A_THREAD), "");
    cg_goto(f, look);
    cg_enter(f, look);
    LLVMValueRef begin = LLVMBuildLoad2(f->b, f->cg->i64, counter, "begin");
    LLVMSetOrdering(begin, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(begin, 8);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, begin, n, ""), some, done);
    cg_enter(f, some);
    LLVMValueRef share = LLVMBuildUDiv(f->b, LLVMBuildSub(f->b, n, begin, ""), threads, "");
    *taken = larger(f, LLVMBuildSub(f->b, share, LLVMBuildURem(f->b, share, size, ""), ""), size);
    LLVMValueRef next = LLVMBuildAdd(f->b, begin, *taken, "");
    LLVMValueRef swap = LLVMBuildAtomicCmpXchg(f->b, counter, begin, next, LLVMAtomicOrderingMonotonic,
                                               LLVMAtomicOrderingMonotonic, false);
    LLVMBuildCondBr(f->b, LLVMBuildExtractValue(f->b, swap, 1, ""), work, look);
    cg_enter(f, work);
    return begin;
}

/* Takes and executes chunks until the counter reaches n. */
static void run_chunks(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values,
                       LLVMValueRef counter, int64_t least) {
    LLVMValueRef n = values[n_values + CONTEXT_N], size = chunk_size(k, f, n, values[n_values + CONTEXT_ROW], least);
    LLVMBasicBlockRef take = cg_block(f, "take"), done = cg_block(f, "done");
    cg_goto(f, take);
    cg_enter(f, take);
    LLVMValueRef taken = size, begin = k->uneven == UNEVEN_REGULAR ? take_share(f, counter, size, n, done, &taken)
                                                                   : take_chunk(f, counter, size, n, done);
    LLVMValueRef count = smaller(f, taken, LLVMBuildSub(f->b, n, begin, ""));
    call_share(f, share, values, n_values, begin, LLVMBuildAdd(f->b, begin, count, ""));
    cg_goto(f, take);
    cg_enter(f, done);
}

static void run_share(CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef begin,
                      LLVMValueRef end) {
    LLVMBasicBlockRef work = cg_block(f, "work"), done = cg_block(f, "done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, begin, end, ""), work, done);
    cg_enter(f, work);
    call_share(f, share, values, n_values, begin, end);
    cg_goto(f, done);
    cg_enter(f, done);
}

static void run_equal_part(CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values) {
    LLVMValueRef begin, end;
    thread_share(f, values[n_values + CONTEXT_N], &begin, &end);
    run_share(f, share, values, n_values, begin, end);
}

/* Executes rows with this thread's part of the work; the builder is left where there are too few rows for that. */
static void run_equal_work(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values,
                           LLVMBasicBlockRef done) {
    LLVMValueRef *context = values + n_values, rows = context[CONTEXT_ROWS], begin, end;
    LLVMBasicBlockRef fine = cg_block(f, "rows"), other = cg_block(f, "few");
    LLVMBuildCondBr(f->b, cpu_balance_is_fine(k, f, rows), fine, other);
    cg_enter(f, fine);
    cpu_balance_share(k, f, context[CONTEXT_N], rows, context[CONTEXT_TABLE], &begin, &end);
    run_share(f, share, values, n_values, begin, end);
    cg_goto(f, done);
    cg_enter(f, other);
}

/* The outlined function that each thread executes: void task(ptr gtid, ptr btid, ptr context), libomp's kmpc_micro. */
static LLVMValueRef task(Kernel *k, LLVMValueRef share, LLVMTypeRef context, int n_values, int64_t least) {
    Cg *cg = k->cg;
    LLVMTypeRef params[3] = {cg->ptr, cg->ptr, cg->ptr};
    const char *name = arena_printf(&cg->c->arena, "kernel.%s.task", k->func->symbol);
    LLVMValueRef fn = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->void_, params, 3, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    LLVMAddTargetDependentFunctionAttr(fn, CG_LAUNCH, "");
    CgFunc f;
    cg_func_begin(&f, cg, k->func, fn);
    LLVMValueRef at = LLVMGetParam(fn, 2);
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, n_values + CONTEXT__MOST);
    for (int i = 0; i < n_values + context_fields(k); i++)
        if (i != n_values + CONTEXT_COUNTER)
            values[i] = LLVMBuildLoad2(f.b, LLVMStructGetTypeAtIndex(context, (unsigned)i),
                                       LLVMBuildStructGEP2(f.b, context, at, (unsigned)i, ""), "");
    LLVMValueRef counter = LLVMBuildStructGEP2(f.b, context, at, (unsigned)n_values + CONTEXT_COUNTER, "counter");
    LLVMBasicBlockRef all = cg_block(&f, "all");
    if (k->balanced) run_equal_work(k, &f, share, values, n_values, all);
    if (least) run_chunks(k, &f, share, values, n_values, counter, least);
    else run_equal_part(&f, share, values, n_values);
    cg_goto(&f, all);
    cg_enter(&f, all);
    LLVMBuildRetVoid(f.b);
    return fn;
}

static void fork_call(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef n,
                      int64_t least) {
    LLVMTypeRef type = context_type(k, values, n_values);
    LLVMValueRef context = cg_alloca(f, type, "context");
    LLVMValueRef extras[CONTEXT__MOST] = {n, k->row ? k->row : cg_i64(f->cg, 1), cg_i64(f->cg, 0)};
    if (k->balanced) {
        extras[CONTEXT_ROWS] = cg_axis_trips(f, &k->axes[k->order[0]]);
        extras[CONTEXT_TABLE] = cpu_balance_table(k, f);
    }
    for (int i = 0; i < n_values + context_fields(k); i++)
        LLVMBuildStore(f->b, i < n_values ? values[i] : extras[i - n_values],
                       LLVMBuildStructGEP2(f->b, type, context, (unsigned)i, ""));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef fn = task(k, share, type, n_values, least);
    cg_enter(f, here);
    LLVMValueRef args[4] = {ident(k), fn, context, cg_i64(f->cg, 0)}; /* 0: stack.c sets the stack size */
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

static LLVMValueRef by_code(CgFunc *f, LLVMValueRef of_vector, LLVMValueRef of_scalar) {
    Cg *cg = f->cg;
    if (!cg->vector) return of_vector;
    LLVMTypeRef params[2] = {cg->i64, cg->i64}, type = LLVMFunctionType(cg->i64, params, 2, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_BY_CODE), args[2] = {of_vector, of_scalar};
    if (!fn) {
        fn = LLVMAddFunction(cg->module, CG_BY_CODE, type);
        cg_fn_attr(cg, fn, "nounwind");
        cg_fn_attr(cg, fn, "willreturn");
    }
    return LLVMBuildCall2(f->b, type, fn, args, 2, "");
}

/* How many items, or groups, have more than this much work. */
static LLVMValueRef items_with(Kernel *k, CgFunc *f, LLVMValueRef work) {
    LLVMValueRef items = LLVMBuildAdd(f->b, LLVMBuildUDiv(f->b, work, k->share_work, ""), cg_i64(f->cg, 1), "");
    return larger(f, items, cg_i64(f->cg, 2));
}

/* Has the launch at least this much work? */
static LLVMValueRef has_work(Kernel *k, CgFunc *f, LLVMValueRef total, int64_t least) {
    LLVMValueRef vector = cg_i64(f->cg, least - 1), scalar = cg_i64(f->cg, least / COST_SCALAR - 1);
    bool is_known = LLVMIsConstant(k->share_work);
    LLVMValueRef items = is_known ? by_code(f, items_with(k, f, vector), items_with(k, f, scalar))
                                  : items_with(k, f, by_code(f, vector, scalar));
    return LLVMBuildICmp(f->b, LLVMIntUGE, total, items, "");
}

static LLVMValueRef worth_forking(Kernel *k, CgFunc *f, LLVMValueRef total) {
    LLVMBasicBlockRef some = cg_block(f, "some.work"), ask = cg_block(f, "ask"), known = cg_block(f, "known");
    LLVMValueRef much = has_work(k, f, total, COST_FORK);
    LLVMBasicBlockRef here[3] = {LLVMGetInsertBlock(f->b), some, ask};
    LLVMBuildCondBr(f->b, much, known, some);
    cg_enter(f, some);
    LLVMBuildCondBr(f->b, has_work(k, f, total, COST_ROUND), ask, known);
    cg_enter(f, ask);
    LLVMValueRef team = cg_call_runtime(f, RT_HAS_TEAM, NULL, 0);
    LLVMValueRef is[3] = {much, LLVMConstNull(f->cg->i1),
                          LLVMBuildICmp(f->b, LLVMIntNE, team, LLVMConstNull(LLVMTypeOf(team)), "")};
    cg_goto(f, known);
    cg_enter(f, known);
    LLVMValueRef fork = LLVMBuildPhi(f->b, f->cg->i1, "many");
    LLVMAddIncoming(fork, is, here, 3);
    return fork;
}

static int64_t least_chunk(const Kernel *k) {
    int64_t least = (CHUNK_COST + k->share_cost - 1) / k->share_cost;
    return k->share_items == 1 && least < CHUNK_ITEMS ? CHUNK_ITEMS : least;
}

/* The fastest axis, or those that are flattened. NULL: all work items are one row. */
static LLVMValueRef row_length(const Kernel *k, CgFunc *f, Axis *axes) {
    int n = k->func->domain.n, within = k->flattened - (k->loop ? 1 : 0), first = n - (within > 1 ? within : 1);
    if (first == 0) return NULL;
    LLVMValueRef items = cg_axis_trips(f, &axes[k->order[first]]);
    for (int d = first + 1; d < n; d++) items = LLVMBuildNSWMul(f->b, items, cg_axis_trips(f, &axes[k->order[d]]), "");
    return items;
}

void cpu_kernel_entry(Kernel *k) {
    Cg *cg = k->cg;
    CgFunc f;
    k->share_cost = cost_of_item(k->func) * k->share_items;
    cpu_kernel_ranges(k);
    k->uneven = cg_copies_are_light(cg, k->func) ? rates_unevenness(&cg->c->arena, k->func) : EVEN;
    k->triangle = cpu_triangle(k);
    k->balanced = cpu_balances(k);
    cg_func_begin(&f, cg, k->func, k->entry);
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, k->n_values + 4);
    int n = cg_kernel_values(k, &f, values);
    cg_kernel_bind(&f, k->func, values);
    Axis axes[MAX_RANK];
    cg_domain(&f, k->func, axes);
    if (cg->shadows) {
        f.shadow = values[n - 1];
        cg_shadow_enter(&f);
        cg_shadow_domain(&f, axes);
        cg_shadow_arrays(&f, false);
    }
    LLVMValueRef total = cg_domain_shares(&f, k->func, axes);
    LLVMBasicBlockRef some = cg_block(&f, "some"), done = cg_block(&f, "done");
    LLVMValueRef result = k->func->reduction ? cg_kernel_result(k, &f) : NULL;
    if (result) LLVMBuildStore(f.b, cg_identity(cg, k->func->reduction, k->func->result), result);
    LLVMBuildCondBr(f.b, LLVMBuildICmp(f.b, LLVMIntEQ, total, cg_i64(cg, 0), ""), done, some);
    cg_enter(&f, some);
    if (!k->func->group.items) k->row = row_length(k, &f, axes);
    if (k->flat)
        k->row = LLVMBuildSelect(f.b, cg_flat_is_legal(&f, k->flat), cg_flat_length(&f, k->flat),
                                 cg_i64(cg, CHUNK_ITEMS), "row");
    LLVMValueRef ranges[2] = {k->range, k->range_apart};
    for (int i = 0; i < 2 && k->uneven && k->row; i++)
        if (ranges[i]) LLVMAddTargetDependentFunctionAttr(ranges[i], CG_CHUNKS, "");
    k->share_work = LLVMBuildMul(f.b, cost_at_launch(&f, k->func), cg_i64(cg, k->share_items), "");
    LLVMValueRef fork = cg->shadows ? LLVMConstNull(cg->i1) : worth_forking(k, &f, total);
    if (!result) LLVMAddTargetDependentFunctionAttr(k->entry, CG_LAUNCH, "");
    k->axes = axes;
    if (result) cpu_reduce(k, &f, values, n, total, fork, result);
    else
        cpu_spread(k, &f, private_share(k, k->range, k->range_apart, -1), values, n, total, fork,
                   k->uneven ? least_chunk(k) : 0);
    cg_goto(&f, done);
    cg_enter(&f, done);
    LLVMBuildRetVoid(f.b);
}
