/* reduce.c -- deterministic reductions on a CPU: the same bits whatever the number of threads and on every CPU. The
 * domain is cut into blocks whose number depends on the sizes of the launch alone; the values of a block's items are
 * written to a buffer, a chunk at a time, by the same loop that runs any kernel, and added lane by lane into LANES
 * accumulators; these, and then the partial results of blocks, are combined by fixed trees. So a float sum is vector
 * code without reassociation.
 *
 * Integers have the same sum, minimum and maximum in any order. Their values need no buffer: each is combined with the
 * block's accumulator at once (a reduction in registers, simd/update.c), in vectors of whatever type is summed.
 *
 * Where the domain has one axis, a thread interleaves several blocks, a chunk of each in turn: memory that is read at
 * several addresses has more requests in flight, since hardware prefetchers follow each stream up to the end of a page.
 * Domains of two axes would lose more, as the next row reads the same rows again; for groups see cpu/group_ahead.c. */
#include "irgen/cpu/cpu.h"

#include <string.h>

enum {
    LANES = 32,          /* accumulators: fixed, never the machine's width */
    CHUNK_ITEMS = 512,   /* items buffered: stays in the first-level cache */
    ABREAST = 4,         /* blocks at a time, where they are: */
    CHUNK_ABREAST = 128, /* a few lines of memory, then the next block's */
    BLOCK_NEAR = 1 << 14,   /* items; what so small blocks read may be in the caches: each is one chunk */
    CHUNK_AT_ONCE = 256,    /* items of larger blocks, if their values need no buffer */
    MAX_BLOCKS = 1024,
    BLOCK_COST = 1 << 15 /* a block is at least this much work, where the domain has it */
};

/* What is accumulated: memory type of items, of accumulators, and how two are joined. */
typedef struct Reducer {
    Kernel *k;
    LLVMValueRef range;  /* the kernel's items */
    Reduction how;
    Type *item, *acc;
    LLVMTypeRef item_mem, acc_mem;
    bool at_once;        /* each item's value is combined with the accumulator at once: there is one, and no buffer */
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

/* A loop for k in from..to in steps of `by`, by hand: begin leaves the builder in the body. */
typedef struct Rounds {
    LLVMValueRef counter, k, by;
    LLVMBasicBlockRef head, done;
} Rounds;

static Rounds rounds_begin(CgFunc *f, LLVMValueRef from, LLVMValueRef to, LLVMValueRef by) {
    Rounds l = {.by = by, .head = cg_block(f, "loop"), .done = cg_block(f, "loop.done")};
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

/* What is long here is written as vectors already; the rest is a few dozen rounds. */
static void rounds_end(CgFunc *f, Rounds *l) {
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

/* The buffer's last vector is filled up with values that change nothing. */
static void pad(Reducer *r, CgFunc *f, LLVMValueRef items, LLVMValueRef n, LLVMValueRef n_padded) {
    LLVMValueRef neutral = cg_neutral(f->cg, r->how, r->item);
    Rounds l = rounds_begin(f, n, n_padded, cg_i64(f->cg, 1));
    LLVMBuildStore(f->b, neutral, element_at(f, r->item_mem, items, l.k));
    rounds_end(f, &l);
}

/* acc[lane] op= items[lane], items[LANES + lane], ... */
static void accumulate(Reducer *r, CgFunc *f, LLVMValueRef acc, LLVMValueRef items, LLVMValueRef n_padded) {
    LLVMTypeRef vector = LLVMVectorType(r->acc_mem, LANES);
    Rounds l = rounds_begin(f, cg_i64(f->cg, 0), n_padded, cg_i64(f->cg, LANES));
    LLVMValueRef at = element_at(f, r->item_mem, items, l.k);
    LLVMValueRef v = LLVMBuildLoad2(f->b, LLVMVectorType(r->item_mem, LANES), at, "");
    LLVMSetAlignment(v, (unsigned)cg_align(r->item) * LANES > 64 ? 64 : (unsigned)cg_align(r->item) * LANES);
    if (r->item_mem != r->acc_mem) v = LLVMBuildZExt(f->b, v, vector, "");
    LLVMValueRef old = LLVMBuildLoad2(f->b, vector, acc, "");
    LLVMBuildStore(f->b, join(r, f, old, v), acc);
    rounds_end(f, &l);
}

/* LANES accumulators to one: neighbours halves apart. */
static LLVMValueRef across(Reducer *r, CgFunc *f, LLVMValueRef v) {
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

/* Parameters of `blocks` behind the kernel's values. */
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

/* Of what is spread, as many as fill the buffer: items, or the groups that have about so many. */
static int64_t chunk_shares(const Kernel *k) {
    int64_t items = abreast(k) > 1 ? CHUNK_ABREAST : CHUNK_ITEMS;
    return k->share_items < items ? items / k->share_items : 1;
}

/* One chunk: its items into the buffer, then into the accumulators. */
static void chunk(Reducer *r, CgFunc *f, LLVMValueRef *values, int n, LLVMValueRef from, LLVMValueRef count,
                  LLVMValueRef items, LLVMValueRef acc) {
    LLVMValueRef *args = arena_array(&f->cg->c->arena, LLVMValueRef, n + 3);
    memcpy(args, values, sizeof *values * (size_t)n);
    args[n] = from;
    args[n + 1] = LLVMBuildNSWAdd(f->b, from, count, "");
    args[n + 2] = r->at_once ? acc : items;
    cg_call(f, r->k->range_type, r->range, args, n + 3);
    if (r->at_once) return;
    count = LLVMBuildNSWMul(f->b, count, cg_i64(f->cg, r->k->share_items), "");
    LLVMValueRef n_padded = round_up(f, count, LANES);
    pad(r, f, items, count, n_padded);
    accumulate(r, f, acc, items, n_padded);
}

/* What is in the frame of `blocks`: the accumulators of each block, and the buffer. */
typedef struct Room {
    LLVMTypeRef acc;
    LLVMValueRef accs, items;
    int blocks;          /* at a time */
    LLVMValueRef shares; /* of a chunk: as many as fill the buffer */
} Room;

static Room make_room(Reducer *r, CgFunc *f, LLVMValueRef block_size) {
    Room room = {.acc = r->at_once ? r->acc_mem : LLVMVectorType(r->acc_mem, LANES), .blocks = abreast(r->k)};
    room.accs = cg_alloca(f, LLVMArrayType2(room.acc, (uint64_t)room.blocks), "accs");
    if (r->at_once) { /* several streams gain nothing from the caches */
        LLVMValueRef is_far = LLVMBuildICmp(f->b, LLVMIntSGT, block_size, cg_i64(f->cg, BLOCK_NEAR), "");
        LLVMValueRef part = LLVMBuildSelect(f->b, is_far, cg_i64(f->cg, CHUNK_AT_ONCE), block_size, "");
        room.shares = room.blocks > 1 ? part : block_size;
        return room;
    }
    int64_t shares = chunk_shares(r->k), items = (shares * r->k->share_items + LANES - 1) / LANES * LANES;
    room.shares = cg_i64(f->cg, shares);
    room.items = cg_alloca(f, LLVMArrayType2(r->item_mem, (uint64_t)items), "items");
    LLVMSetAlignment(room.items, 64);
    return room;
}

/* The chunk at `at` of block `b`; the last block may have ended before. */
static void chunk_of_block(Reducer *r, CgFunc *f, const Room *room, LLVMValueRef *v, int n, LLVMValueRef b,
                           LLVMValueRef at, LLVMValueRef acc) {
    LLVMValueRef *own = v + n, from = LLVMBuildNSWMul(f->b, b, own[BLOCKS_SIZE], "");
    LLVMValueRef to = smaller(f, LLVMBuildNSWAdd(f->b, from, own[BLOCKS_SIZE], ""), own[BLOCKS_TOTAL]);
    from = LLVMBuildNSWAdd(f->b, from, at, "");
    LLVMBasicBlockRef some = cg_block(f, "chunk"), done = cg_block(f, "chunk.done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, from, to, ""), some, done);
    cg_enter(f, some);
    LLVMValueRef count = smaller(f, LLVMBuildSub(f->b, to, from, ""), room->shares);
    chunk(r, f, v, n, from, count, room->items, acc);
    cg_goto(f, done);
    cg_enter(f, done);
}

/* partials[b] for b in begin..end. */
static LLVMValueRef emit_blocks(Reducer *r, LLVMValueRef range, LLVMValueRef *kernel_values, int n) {
    r->range = range;
    Cg *cg = r->k->cg;
    CgFunc f;
    LLVMValueRef fn = declare_blocks(r, kernel_values, n), zero = cg_i64(cg, 0), one = cg_i64(cg, 1);
    LLVMValueRef *v = arena_array(&cg->c->arena, LLVMValueRef, n + BLOCKS__COUNT), *own = v + n;
    LLVMGetParams(fn, v);
    cg_func_begin(&f, cg, r->k->func, fn);
    Room room = make_room(r, &f, own[BLOCKS_SIZE]);
    LLVMValueRef most = cg_i64(cg, room.blocks);
    Rounds b = rounds_begin(&f, own[BLOCKS_BEGIN], own[BLOCKS_END], most);
    LLVMValueRef blocks = smaller(&f, LLVMBuildSub(f.b, own[BLOCKS_END], b.k, ""), most);
    Rounds start = rounds_begin(&f, zero, blocks, one);
    LLVMValueRef nothing = cg_identity(cg, r->how, r->acc);
    LLVMBuildStore(f.b, r->at_once ? nothing : splat(nothing), element_at(&f, room.acc, room.accs, start.k));
    rounds_end(&f, &start);
    Rounds c = rounds_begin(&f, zero, own[BLOCKS_SIZE], room.shares);
    Rounds turn = rounds_begin(&f, zero, blocks, one);
    LLVMValueRef acc = element_at(&f, room.acc, room.accs, turn.k);
    chunk_of_block(r, &f, &room, v, n, LLVMBuildNSWAdd(f.b, b.k, turn.k, ""), c.k, acc);
    rounds_end(&f, &turn);
    rounds_end(&f, &c);
    Rounds end = rounds_begin(&f, zero, blocks, one);
    LLVMValueRef sums = LLVMBuildLoad2(f.b, room.acc, element_at(&f, room.acc, room.accs, end.k), "");
    if (!r->at_once) sums = across(r, &f, sums);
    LLVMValueRef at = LLVMBuildNSWAdd(f.b, b.k, end.k, "");
    LLVMBuildStore(f.b, sums, element_at(&f, r->acc_mem, own[BLOCKS_PARTIALS], at));
    rounds_end(&f, &end);
    rounds_end(&f, &b);
    LLVMBuildRetVoid(f.b);
    return fn;
}

/* The partial results to one: in each round the upper half is added to the lower. */
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
    Rounds l = rounds_begin(f, half, count, one);
    LLVMValueRef low = element_at(f, r->acc_mem, partials, LLVMBuildSub(f->b, l.k, half, ""));
    LLVMValueRef a = LLVMBuildLoad2(f->b, r->acc_mem, low, "");
    LLVMValueRef b = LLVMBuildLoad2(f->b, r->acc_mem, element_at(f, r->acc_mem, partials, l.k), "");
    LLVMBuildStore(f->b, join(r, f, a, b), low);
    rounds_end(f, &l);
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
    LLVMValueRef one = cg_i64(cg, 1), is_some = LLVMBuildICmp(f->b, LLVMIntUGT, least, one, "");
    LLVMValueRef wanted = ceil_div(f, total, LLVMBuildSelect(f->b, is_some, least, one, ""));
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
