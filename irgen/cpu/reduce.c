/* reduce.c -- deterministic parallel reductions on a CPU: every number of threads and every CPU produces the same bits.
 * The domain is divided into blocks, whose number depends only on the sizes of the launch. `range` writes the values of
 * a chunk of items to a buffer, and the buffer is added lane by lane to LANES accumulators. Fixed trees combine the
 * lanes of a block, and then the partial results of the blocks. A float sum therefore is vector code without
 * reassociation.
 *
 * Where items do little, and the domain has one axis, there is no buffer: `range` runs LANES items at a time, and adds
 * the value of each to its accumulator, in the same order, in registers.
 *
 * Integers have the same sum, minimum and maximum in any order. Their values need no buffer: `range` combines each with
 * the block's accumulator (a reduction in registers, simd/update.c), in vectors of the type that is summed.
 *
 * On a domain with one axis, a thread interleaves several blocks, a chunk of each in turn: several streams of reads
 * have more requests in flight, since a hardware prefetcher follows each stream up to the end of a page. On domains
 * with two axes this would cost locality, since the next row reads the same rows again. For groups see
 * cpu/group_ahead.c. */
#include "irgen/cpu/cpu.h"

#include <string.h>

enum {
    LANES = SUM_LANES,    /* accumulators of a block: fixed, whatever the vector width */
    CHUNK_ITEMS = 512,    /* items in the buffer: it fits into the first-level cache */
    ABREAST = 4,          /* blocks that are interleaved */
    CHUNK_ABREAST = 128,  /* items of an interleaved chunk: a few cache lines */
    BLOCK_NEAR = 1 << 14, /* items; the input of blocks up to this size may be cached, so each is a single chunk */
    CHUNK_AT_ONCE = 256,  /* items of a chunk of larger blocks, if there is no buffer */
    MAX_BLOCKS = 1024,
    WHOLE_ITEMS = 16,    /* least items of a block, also if they cost much: a vector, if the domain has as many */
    BLOCK_COST = 1 << 15 /* least cost of a block, if the domain has as much */
};

/* The types in memory of the items' values and of the accumulators, and the operation that combines them. */
typedef struct Reducer {
    Kernel *k;
    LLVMValueRef range;  /* the function of the kernel that executes work items */
    Reduction how;
    Type *item, *acc;
    LLVMTypeRef item_mem, acc_mem;
    bool at_once;        /* `range` combines each value with the single accumulator; there is no buffer */
} Reducer;

static Reducer reducer(Kernel *k) {
    Reducer r = {.k = k, .how = k->func->reduction, .item = k->func->item_result, .acc = k->func->result};
    r.item_mem = cg_type_mem(k->cg, r.item);
    r.acc_mem = cg_type_mem(k->cg, r.acc);
    r.at_once = cg_combines_at_once(k->cg, k->func);
    return r;
}

static LLVMValueRef join(Reducer *r, CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return cg_join(f, r->how, r->acc, a, b);
}

static LLVMValueRef splat(LLVMValueRef scalar) {
    LLVMValueRef lanes[LANES];
    for (int i = 0; i < LANES; i++) lanes[i] = scalar;
    return LLVMConstVector(lanes, LANES);
}

/* A loop for k in from..to in steps of `by`; loop_begin leaves the builder in the body. */
typedef struct Loop {
    LLVMValueRef counter, k, by;
    LLVMBasicBlockRef head, done;
} Loop;

static Loop loop_begin(CgFunc *f, LLVMValueRef from, LLVMValueRef to, LLVMValueRef by) {
    Loop l = {.by = by, .head = cg_block(f, "loop"), .done = cg_block(f, "loop.done")};
    LLVMBasicBlockRef body = cg_block(f, "loop.body");
    l.counter = cg_alloca(f, f->cg->i64, "k");
    LLVMBuildStore(f->b, from, l.counter);
    cg_goto(f, l.head);
    cg_enter(f, l.head);
    l.k = LLVMBuildLoad2(f->b, f->cg->i64, l.counter, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, l.k, to, ""), body, l.done);
    cg_enter(f, body);
    return l;
}

/* LLVM need not vectorise or unroll these loops: bodies with much work use vectors already, the others run a few dozen
 * iterations. */
static void loop_end(CgFunc *f, Loop *l) {
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, l->k, l->by, ""), l->counter);
    cg_goto(f, l->head);
    cg_mark_plain(f, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b)));
    cg_enter(f, l->done);
}

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef round_up(CgFunc *f, LLVMValueRef n, int64_t to) {
    LLVMValueRef up = LLVMBuildNSWAdd(f->b, n, cg_i64(f->cg, to - 1), "");
    return LLVMBuildAnd(f->b, up, cg_i64(f->cg, -to), "");
}

static LLVMValueRef element_at(CgFunc *f, LLVMTypeRef t, LLVMValueRef base, LLVMValueRef i) {
    return LLVMBuildInBoundsGEP2(f->b, t, base, &i, 1, "");
}

/* Fills the last vector of the buffer with the identity. */
static void pad(Reducer *r, CgFunc *f, LLVMValueRef items, LLVMValueRef n, LLVMValueRef n_padded) {
    LLVMValueRef neutral = cg_neutral(f->cg, r->how, r->item);
    Loop l = loop_begin(f, n, n_padded, cg_i64(f->cg, 1));
    LLVMBuildStore(f->b, neutral, element_at(f, r->item_mem, items, l.k));
    loop_end(f, &l);
}

/* acc[lane] op= items[lane], items[LANES + lane], ... */
static void accumulate(Reducer *r, CgFunc *f, LLVMValueRef acc, LLVMValueRef items, LLVMValueRef n_padded) {
    LLVMTypeRef vector = LLVMVectorType(r->acc_mem, LANES);
    Loop l = loop_begin(f, cg_i64(f->cg, 0), n_padded, cg_i64(f->cg, LANES));
    LLVMValueRef at = element_at(f, r->item_mem, items, l.k);
    LLVMValueRef v = LLVMBuildLoad2(f->b, LLVMVectorType(r->item_mem, LANES), at, "");
    LLVMSetAlignment(v, (unsigned)cg_align(r->item) * LANES > 64 ? 64 : (unsigned)cg_align(r->item) * LANES);
    if (r->item_mem != r->acc_mem) v = LLVMBuildZExt(f->b, v, vector, "");
    LLVMValueRef old = LLVMBuildLoad2(f->b, vector, acc, "");
    LLVMBuildStore(f->b, join(r, f, old, v), acc);
    loop_end(f, &l);
}

/* Combines the LANES accumulators to one value, in a tree: lane i with lane i + width / 2. */
static LLVMValueRef combine_lanes(Reducer *r, CgFunc *f, LLVMValueRef v) {
    for (int width = LANES / 2; width; width /= 2) {
        LLVMValueRef low[LANES], high[LANES];
        for (int i = 0; i < width; i++) {
            low[i] = cg_i32(f->cg, i);
            high[i] = cg_i32(f->cg, i + width);
        }
        LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v));
        LLVMValueRef a = LLVMBuildShuffleVector(f->b, v, none, LLVMConstVector(low, (unsigned)width), "");
        LLVMValueRef b = LLVMBuildShuffleVector(f->b, v, none, LLVMConstVector(high, (unsigned)width), "");
        v = join(r, f, a, b);
    }
    return LLVMBuildExtractElement(f->b, v, cg_i32(f->cg, 0), "");
}

/* Parameters of `blocks` after the kernel's values. */
enum { BLOCKS_PARTIALS, BLOCKS_TOTAL, BLOCKS_SIZE, BLOCKS_BEGIN, BLOCKS_END, BLOCKS__COUNT };

static LLVMValueRef declare_blocks(Reducer *r, LLVMValueRef *values, int n) {
    Cg *cg = r->k->cg;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, n + BLOCKS__COUNT);
    for (int i = 0; i < n; i++) params[i] = LLVMTypeOf(values[i]);
    for (int i = 0; i < BLOCKS__COUNT; i++) params[n + i] = i == BLOCKS_PARTIALS ? cg->ptr : cg->i64;
    LLVMTypeRef type = LLVMFunctionType(cg->void_, params, (unsigned)(n + BLOCKS__COUNT), false);
    size_t n_name;
    const char *name = LLVMGetValueName2(r->range, &n_name);
    LLVMValueRef fn = LLVMAddFunction(cg->module, arena_printf(&cg->c->arena, "%s.blocks", name), type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "noinline");
    return fn;
}

static int abreast(const Kernel *k) { return k->func->domain.n == 1 && !k->func->group.items ? ABREAST : 1; }

/* Number of work items, or groups of about as many items, that fill the buffer. */
static int64_t chunk_shares(const Kernel *k) {
    int64_t items = abreast(k) > 1 ? CHUNK_ABREAST : CHUNK_ITEMS;
    return k->share_items < items ? items / k->share_items : 1;
}

/* Executes one chunk: the values of its items go to the buffer, then into the accumulators. */
static void chunk(Reducer *r, CgFunc *f, LLVMValueRef *values, int n, LLVMValueRef from, LLVMValueRef count,
                  LLVMValueRef items, LLVMValueRef acc) {
    LLVMValueRef *args = arena_array(&f->cg->c->arena, LLVMValueRef, n + 3);
    memcpy(args, values, sizeof *values * (size_t)n);
    args[n] = from;
    args[n + 1] = LLVMBuildNSWAdd(f->b, from, count, "");
    args[n + 2] = r->at_once || r->k->in_lanes ? acc : items;
    cg_call(f, r->k->range_type, r->range, args, n + 3);
    if (r->at_once || r->k->in_lanes) return;
    count = LLVMBuildNSWMul(f->b, count, cg_i64(f->cg, r->k->share_items), "");
    LLVMValueRef n_padded = round_up(f, count, LANES);
    pad(r, f, items, count, n_padded);
    accumulate(r, f, acc, items, n_padded);
}

/* The local variables of `blocks`: the accumulators of each block, and the buffer. */
typedef struct Locals {
    LLVMTypeRef acc;
    LLVMValueRef accs, items;
    int blocks;          /* interleaved */
    LLVMValueRef shares; /* work items or groups in a chunk */
} Locals;

static Locals make_locals(Reducer *r, CgFunc *f, LLVMValueRef block_size) {
    Locals locals = {.acc = r->at_once ? r->acc_mem : LLVMVectorType(r->acc_mem, LANES), .blocks = abreast(r->k)};
    locals.accs = cg_alloca(f, LLVMArrayType2(locals.acc, (uint64_t)locals.blocks), "accs");
    if (r->at_once || r->k->in_lanes) { /* interleaving gains nothing where the data is cached */
        LLVMValueRef is_far = LLVMBuildICmp(f->b, LLVMIntSGT, block_size, cg_i64(f->cg, BLOCK_NEAR), "");
        LLVMValueRef part = LLVMBuildSelect(f->b, is_far, cg_i64(f->cg, CHUNK_AT_ONCE), block_size, "");
        locals.shares = locals.blocks > 1 ? part : block_size;
        return locals;
    }
    int64_t shares = chunk_shares(r->k), items = (shares * r->k->share_items + LANES - 1) / LANES * LANES;
    locals.shares = cg_i64(f->cg, shares);
    locals.items = cg_alloca(f, LLVMArrayType2(r->item_mem, (uint64_t)items), "items");
    LLVMSetAlignment(locals.items, 64);
    return locals;
}

/* Executes the chunk of block `b` that begins at `at`; the last block may be shorter and have no such chunk. */
static void chunk_of_block(Reducer *r, CgFunc *f, const Locals *locals, LLVMValueRef *v, int n, LLVMValueRef b,
                           LLVMValueRef at, LLVMValueRef acc) {
    LLVMValueRef *own = v + n, from = LLVMBuildNSWMul(f->b, b, own[BLOCKS_SIZE], "");
    LLVMValueRef to = smaller(f, LLVMBuildNSWAdd(f->b, from, own[BLOCKS_SIZE], ""), own[BLOCKS_TOTAL]);
    from = LLVMBuildNSWAdd(f->b, from, at, "");
    LLVMBasicBlockRef some = cg_block(f, "chunk"), done = cg_block(f, "chunk.done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, from, to, ""), some, done);
    cg_enter(f, some);
    LLVMValueRef count = smaller(f, LLVMBuildSub(f->b, to, from, ""), locals->shares);
    chunk(r, f, v, n, from, count, locals->items, acc);
    cg_goto(f, done);
    cg_enter(f, done);
}

/* Emits `blocks`, which computes partials[b] for b in begin..end. */
static LLVMValueRef emit_blocks(Reducer *r, LLVMValueRef range, LLVMValueRef *kernel_values, int n) {
    r->range = range;
    Cg *cg = r->k->cg;
    CgFunc f;
    LLVMValueRef fn = declare_blocks(r, kernel_values, n), zero = cg_i64(cg, 0), one = cg_i64(cg, 1);
    LLVMValueRef *v = arena_array(&cg->c->arena, LLVMValueRef, n + BLOCKS__COUNT), *own = v + n;
    LLVMGetParams(fn, v);
    cg_func_begin(&f, cg, r->k->func, fn);
    Locals locals = make_locals(r, &f, own[BLOCKS_SIZE]);
    LLVMValueRef most = cg_i64(cg, locals.blocks);
    Loop b = loop_begin(&f, own[BLOCKS_BEGIN], own[BLOCKS_END], most);
    LLVMValueRef blocks = smaller(&f, LLVMBuildSub(f.b, own[BLOCKS_END], b.k, ""), most);
    Loop start = loop_begin(&f, zero, blocks, one);
    LLVMValueRef nothing = cg_identity(cg, r->how, r->acc);
    LLVMBuildStore(f.b, r->at_once ? nothing : splat(nothing), element_at(&f, locals.acc, locals.accs, start.k));
    loop_end(&f, &start);
    Loop c = loop_begin(&f, zero, own[BLOCKS_SIZE], locals.shares);
    cg_kernel_poll(&f);
    Loop turn = loop_begin(&f, zero, blocks, one);
    LLVMValueRef acc = element_at(&f, locals.acc, locals.accs, turn.k);
    chunk_of_block(r, &f, &locals, v, n, LLVMBuildNSWAdd(f.b, b.k, turn.k, ""), c.k, acc);
    loop_end(&f, &turn);
    loop_end(&f, &c);
    Loop end = loop_begin(&f, zero, blocks, one);
    LLVMValueRef sums = LLVMBuildLoad2(f.b, locals.acc, element_at(&f, locals.acc, locals.accs, end.k), "");
    if (!r->at_once) sums = combine_lanes(r, &f, sums);
    LLVMValueRef at = LLVMBuildNSWAdd(f.b, b.k, end.k, "");
    LLVMBuildStore(f.b, sums, element_at(&f, r->acc_mem, own[BLOCKS_PARTIALS], at));
    loop_end(&f, &end);
    loop_end(&f, &b);
    LLVMBuildRetVoid(f.b);
    return fn;
}

/* Combines the partial results in a tree: each iteration combines the upper half with the lower half. */
static void combine(Reducer *r, CgFunc *f, LLVMValueRef partials, LLVMValueRef n_blocks) {
    LLVMValueRef one = cg_i64(f->cg, 1), n = cg_alloca(f, f->cg->i64, "n");
    LLVMBasicBlockRef head = cg_block(f, "tree"), body = cg_block(f, "tree.round"), done = cg_block(f, "tree.done");
    LLVMBuildStore(f->b, n_blocks, n);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef count = LLVMBuildLoad2(f->b, f->cg->i64, n, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, count, one, ""), body, done);
    cg_enter(f, body);
    LLVMValueRef half = LLVMBuildLShr(f->b, LLVMBuildNSWAdd(f->b, count, one, ""), one, "");
    Loop l = loop_begin(f, half, count, one);
    LLVMValueRef low = element_at(f, r->acc_mem, partials, LLVMBuildSub(f->b, l.k, half, ""));
    LLVMValueRef a = LLVMBuildLoad2(f->b, r->acc_mem, low, "");
    LLVMValueRef b = LLVMBuildLoad2(f->b, r->acc_mem, element_at(f, r->acc_mem, partials, l.k), "");
    LLVMBuildStore(f->b, join(r, f, a, b), low);
    loop_end(f, &l);
    LLVMBuildStore(f->b, half, n);
    cg_goto(f, head);
    cg_enter(f, done);
}

static LLVMValueRef ceil_div(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef one = cg_i64(f->cg, 1);
    return LLVMBuildAdd(f->b, LLVMBuildUDiv(f->b, LLVMBuildSub(f->b, a, one, ""), b, ""), one, "");
}

void cpu_reduce(Kernel *k, CgFunc *f, LLVMValueRef *values, int n, LLVMValueRef total, LLVMValueRef fork,
                LLVMValueRef result) {
    Cg *cg = k->cg;
    Reducer r = reducer(k);
    LLVMValueRef least = LLVMBuildUDiv(f->b, cg_i64(cg, BLOCK_COST), k->share_work, "");
    LLVMValueRef whole = cg_i64(cg, WHOLE_ITEMS), is_some = LLVMBuildICmp(f->b, LLVMIntUGT, least, whole, "");
    LLVMValueRef wanted = ceil_div(f, total, LLVMBuildSelect(f->b, is_some, least, whole, ""));
    wanted = smaller(f, wanted, cg_i64(cg, MAX_BLOCKS));
    LLVMValueRef size = ceil_div(f, total, wanted), n_blocks = ceil_div(f, total, size);
    LLVMValueRef partials = cg_alloca(f, LLVMArrayType2(r.acc_mem, MAX_BLOCKS), "partials");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef blocks = emit_blocks(&r, k->range, values, n);
    LLVMValueRef apart = k->range_apart ? emit_blocks(&r, k->range_apart, values, n) : NULL;
    blocks = private_share(k, blocks, apart, n + BLOCKS_SIZE);
    cg_enter(f, here);
    LLVMValueRef *all = arena_array(&cg->c->arena, LLVMValueRef, n + BLOCKS__COUNT);
    memcpy(all, values, sizeof *values * (size_t)n);
    all[n + BLOCKS_PARTIALS] = partials;
    all[n + BLOCKS_TOTAL] = total;
    all[n + BLOCKS_SIZE] = size;
    cpu_spread(k, f, blocks, all, n + BLOCKS_BEGIN, n_blocks, fork, k->uneven ? 1 : 0);
    combine(&r, f, partials, n_blocks);
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, r.acc_mem, partials, ""), result);
}
