/* reduce.c -- deterministic tree reductions on a GPU. Each thread accumulates its items in a register; a tree in shared
 * memory combines the threads of a block; each block writes its result to a table, and the block that finishes last
 * combines the table. The geometry determines the order of all operations, and depends only on the sizes of the launch,
 * so every run produces the same bits. The table and the count of finished blocks exist once for each kernel, so its
 * launches on a device must not overlap (kdsl_launch_alone). */
#include "irgen/gpu/gpu.h"

#include "runtime/geometry.h"

static void join_into(GpuSum *s, CgFunc *f, LLVMValueRef at, LLVMValueRef v) {
    LLVMTypeRef t = cg_type_mem(f->cg, s->acc);
    LLVMBuildStore(f->b, cg_join(f, s->how, s->acc, LLVMBuildLoad2(f->b, t, at, ""), v), at);
}

void gpu_sum_item(GpuSum *s, CgFunc *f) {
    LLVMTypeRef item = cg_type_mem(f->cg, s->item), acc = cg_type_mem(f->cg, s->acc);
    LLVMValueRef v = LLVMBuildLoad2(f->b, item, f->item_result, "");
    if (item != acc) v = LLVMBuildZExt(f->b, v, acc, ""); /* counting: a bool becomes an integer */
    join_into(s, f, s->at, v);
}

/* A block ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef element(CgFunc *f, LLVMTypeRef t, LLVMValueRef base, LLVMValueRef i) {
    i = LLVMBuildZExt(f->b, i, f->cg->i64, "");
    return LLVMBuildInBoundsGEP2(f->b, t, base, &i, 1, "");
}

/* Computed before all loops: if LLVM computed these numbers on each path that uses them, its uniformity analysis would
 * no longer find them, and the loops of the tree, uniform. */
static GpuTeam block_threads(GpuSum *s, CgFunc *f) {
    int n = s->k->func->domain.n;
    GpuTeam b = {.me = gpu_flat(f, n, gpu_thread, gpu_threads), .count = gpu_threads(f, 0)};
    for (int axis = 1; axis < n; axis++) b.count = LLVMBuildMul(f->b, b.count, gpu_threads(f, axis), "");
    int64_t items = s->k->func->group.items, most = items ? items : GPU_MAX_THREADS;
    const char *name = arena_printf(&f->cg->c->arena, "%s_sums", off_kernel_symbol(f->cg->c, s->k->func->symbol));
    b.room = cg_shared(f, LLVMArrayType2(cg_type_mem(f->cg, s->acc), (uint64_t)most), 16, name);
    return b;
}

GpuSum gpu_sum_begin(Kernel *k, CgFunc *f) {
    GpuSum s = {.k = k, .how = k->func->reduction, .item = k->func->item_result, .acc = k->func->result};
    LLVMTypeRef t = cg_type_mem(f->cg, s.acc);
    s.at = cg_alloca(f, t, "sum");
    s.team = block_threads(&s, f);
    f->item_result = cg_alloca(f, cg_type_mem(f->cg, s.item), "item");
    LLVMBuildStore(f->b, cg_identity(f->cg, s.how, s.acc), s.at);
    return s;
}

/* Combines s->at of all threads of the block; thread 0 finds the result in room[0]. Each iteration of the tree combines
 * the upper half with the lower half. */
static void join_block(GpuSum *s, CgFunc *f, const GpuTeam *b) {
    Cg *cg = f->cg;
    LLVMTypeRef t = cg_type_mem(cg, s->acc);
    LLVMValueRef own = element(f, t, b->room, b->me), n = cg_alloca(f, cg->i32, "n"), one = cg_i32(cg, 1);
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, s->at, ""), own);
    LLVMBuildStore(f->b, b->count, n);
    cg_barrier(f);
    LLVMBasicBlockRef head = cg_block(f, "tree"), body = cg_block(f, "tree.round"), done = cg_block(f, "tree.done");
    LLVMBasicBlockRef low = cg_block(f, "lower"), next = cg_block(f, "tree.next");
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef count = LLVMBuildLoad2(f->b, cg->i32, n, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntUGT, count, one, ""), body, done);
    cg_enter(f, body);
    LLVMValueRef half = LLVMBuildLShr(f->b, LLVMBuildAdd(f->b, count, one, ""), one, "");
    LLVMValueRef other = LLVMBuildAdd(f->b, b->me, half, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, other, count, ""), low, next);
    cg_enter(f, low);
    join_into(s, f, own, LLVMBuildLoad2(f->b, t, element(f, t, b->room, other), ""));
    cg_goto(f, next);
    cg_enter(f, next);
    LLVMBuildStore(f->b, half, n);
    cg_barrier(f); /* all threads reconverge here in each iteration, so LLVM cannot split the loop into two */
    cg_goto(f, head);
    cg_enter(f, done);
}

/* The grid --------------------------------------------------------------------------------------------------------- */

/* A global variable of the device, zero at first. It keeps its value between launches, so each launch must reset it. */
static LLVMValueRef device_variable(GpuSum *s, CgFunc *f, LLVMTypeRef t, const char *what) {
    const char *name = arena_printf(&f->cg->c->arena, "%s_%s", off_kernel_symbol(f->cg->c, s->k->func->symbol), what);
    LLVMValueRef v = LLVMAddGlobalInAddressSpace(f->cg->module, t, name, GLOBAL_SPACE);
    LLVMSetInitializer(v, LLVMConstNull(t));
    LLVMSetLinkage(v, LLVMInternalLinkage);
    LLVMSetAlignment(v, 16);
    return LLVMConstAddrSpaceCast(v, f->cg->ptr);
}

static void fence(CgFunc *f) {
    LLVMBuildFenceSyncScope(f->b, LLVMAtomicOrderingAcquireRelease, cg_atomic_scope(f->cg), "");
}

static LLVMBasicBlockRef only_first(CgFunc *f, const GpuTeam *b) {
    LLVMBasicBlockRef yes = cg_block(f, "first"), rest = cg_block(f, "all");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, b->me, cg_i32(f->cg, 0), ""), yes, rest);
    cg_enter(f, yes);
    return rest;
}

static LLVMValueRef all_blocks(GpuSum *s, CgFunc *f) {
    LLVMValueRef n = gpu_blocks(f, 0);
    for (int axis = 1; axis < s->k->func->domain.n; axis++) n = LLVMBuildMul(f->b, n, gpu_blocks(f, axis), "");
    return n;
}

/* Stores the block's result in the table. Returns i1, uniform in the block: has this block finished last? */
static LLVMValueRef store_part(GpuSum *s, CgFunc *f, const GpuTeam *b, LLVMValueRef parts, LLVMValueRef finished) {
    Cg *cg = f->cg;
    LLVMTypeRef t = cg_type_mem(cg, s->acc);
    const char *name = arena_printf(&cg->c->arena, "%s_last", off_kernel_symbol(cg->c, s->k->func->symbol));
    LLVMValueRef last = cg_shared(f, cg->i32, 4, name);
    LLVMBasicBlockRef rest = only_first(f, b);
    LLVMValueRef mine = gpu_flat(f, s->k->func->domain.n, gpu_block, gpu_blocks), one = cg_i32(cg, 1);
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, b->room, ""), element(f, t, parts, mine));
    fence(f);
    LLVMValueRef before = LLVMBuildAtomicRMWSyncScope(f->b, LLVMAtomicRMWBinOpAdd, finished, one,
                                                      LLVMAtomicOrderingMonotonic, cg_atomic_scope(cg));
    LLVMBuildStore(f->b, LLVMBuildSub(f->b, all_blocks(s, f), before, ""), last);
    cg_goto(f, rest);
    cg_enter(f, rest);
    cg_barrier(f);
    return LLVMBuildICmp(f->b, LLVMIntEQ, LLVMBuildLoad2(f->b, cg->i32, last, ""), one, "is.last");
}

/* s->at = parts[me] op parts[me + count] op ... */
static void combine_parts(GpuSum *s, CgFunc *f, const GpuTeam *b, LLVMValueRef parts) {
    Cg *cg = f->cg;
    LLVMTypeRef t = cg_type_mem(cg, s->acc);
    LLVMValueRef i = cg_alloca(f, cg->i32, "part"), n = all_blocks(s, f);
    LLVMBasicBlockRef head = cg_block(f, "parts"), body = cg_block(f, "part"), done = cg_block(f, "parts.done");
    LLVMBuildStore(f->b, cg_identity(cg, s->how, s->acc), s->at);
    LLVMBuildStore(f->b, b->me, i);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef at = LLVMBuildLoad2(f->b, cg->i32, i, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, at, n, ""), body, done);
    cg_enter(f, body);
    LLVMValueRef part = LLVMBuildLoad2(f->b, t, element(f, t, parts, at), "");
    LLVMSetVolatile(part, true); /* written by other blocks while this one ran */
    join_into(s, f, s->at, part);
    LLVMBuildStore(f->b, LLVMBuildAdd(f->b, at, b->count, ""), i);
    cg_goto(f, head);
    cg_mark_plain(f, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b)));
    cg_enter(f, done);
}

void gpu_sum_end(GpuSum *s, CgFunc *f, LLVMValueRef result) {
    Cg *cg = f->cg;
    LLVMTypeRef t = cg_type_mem(cg, s->acc);
    LLVMValueRef parts = device_variable(s, f, LLVMArrayType2(t, GPU_MAX_PARTS), "parts");
    /* After a failed check a launch may end before all blocks have counted. Then the counter is in the error slot,
     * which is zeroed for each launch. */
    LLVMValueRef finished = f->error_slot ? cg_slot_blocks(f) : device_variable(s, f, cg->i32, "finished");
    GpuTeam b = s->team;
    join_block(s, f, &b);
    LLVMValueRef is_last = store_part(s, f, &b, parts, finished);
    LLVMBasicBlockRef last = cg_block(f, "last"), done = cg_block(f, "done");
    LLVMBuildCondBr(f->b, is_last, last, done);
    cg_enter(f, last);
    fence(f);
    combine_parts(s, f, &b, parts);
    join_block(s, f, &b);
    LLVMBasicBlockRef rest = only_first(f, &b);
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, b.room, ""), result);
    LLVMBuildStore(f->b, cg_i32(cg, 0), finished);
    cg_goto(f, rest);
    cg_enter(f, rest);
    cg_goto(f, done);
    cg_enter(f, done);
}
