/* reduce.c -- deterministic tree reductions on a GPU. Each thread combines its own items in a register; the threads of
 * a block combine theirs in shared memory, by a tree; each block writes its result to a table, and the block that
 * finishes last combines the table. Every order is fixed by the geometry, which depends on the sizes of the launch
 * alone: the same bits at each run. The table and the count of finished blocks belong to the kernel, so its launches on
 * a device must follow one another (kdsl_launch_alone). */
#include "irgen/gpu/gpu.h"

#include "runtime/geometry.h"

static void join_into(GpuSum *s, CgFunc *f, LLVMValueRef at, LLVMValueRef v) {
    LLVMTypeRef t = cg_type_mem(f->cg, s->acc);
    LLVMBuildStore(f->b, cg_join(f, s->how, s->acc, LLVMBuildLoad2(f->b, t, at, ""), v), at);
}

void gpu_sum_item(GpuSum *s, CgFunc *f) {
    LLVMTypeRef item = cg_type_mem(f->cg, s->item), acc = cg_type_mem(f->cg, s->acc);
    LLVMValueRef v = LLVMBuildLoad2(f->b, item, f->item_result, "");
    if (item != acc) v = LLVMBuildZExt(f->b, v, acc, ""); /* bool to a count */
    join_into(s, f, s->at, v);
}

/* Of the block --------------------------------------------------------------------------------------------------------
 */

static LLVMValueRef element(CgFunc *f, LLVMTypeRef t, LLVMValueRef base, LLVMValueRef i) {
    i = LLVMBuildZExt(f->b, i, f->cg->i64, "");
    return LLVMBuildInBoundsGEP2(f->b, t, base, &i, 1, "");
}

/* Before all loops: if LLVM worked these numbers out on each path to where they are wanted, it would no longer see that
 * they are the same for all threads, nor that the loops of the tree are. */
static GpuTeam block_here(GpuSum *s, CgFunc *f) {
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
    s.team = block_here(&s, f);
    f->item_result = cg_alloca(f, cg_type_mem(f->cg, s.item), "item");
    LLVMBuildStore(f->b, cg_identity(f->cg, s.how, s.acc), s.at);
    return s;
}

/* s->at of all threads to one value, which thread 0 finds in room[0]: in each round the upper half joins the lower. */
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
    cg_barrier(f); /* all paths of an iteration meet here: LLVM can make no second loop of it */
    cg_goto(f, head);
    cg_enter(f, done);
}

/* Of the grid ------------------------------------------------------------------------------------------------------ */

/* Of the device: kept from launch to launch, so what is there first stays what it was. */
static LLVMValueRef device_variable(GpuSum *s, CgFunc *f, LLVMTypeRef t, const char *what) {
    enum { GLOBAL_SPACE = 1 };
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

/* The block's part into the table; is this the last block? The same answer for all of its threads. */
static LLVMValueRef leave_part(GpuSum *s, CgFunc *f, const GpuTeam *b, LLVMValueRef parts, LLVMValueRef finished) {
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
static void take_parts(GpuSum *s, CgFunc *f, const GpuTeam *b, LLVMValueRef parts) {
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
    /* A launch may end with blocks missing, after a failed check: then the slot, which is made zero, has the count. */
    LLVMValueRef finished = f->error_slot ? cg_slot_blocks(f) : device_variable(s, f, cg->i32, "finished");
    GpuTeam b = s->team;
    join_block(s, f, &b);
    LLVMValueRef is_last = leave_part(s, f, &b, parts, finished);
    LLVMBasicBlockRef last = cg_block(f, "last"), done = cg_block(f, "done");
    LLVMBuildCondBr(f->b, is_last, last, done);
    cg_enter(f, last);
    fence(f);
    take_parts(s, f, &b, parts);
    join_block(s, f, &b);
    LLVMBasicBlockRef rest = only_first(f, &b);
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, b.room, ""), result);
    LLVMBuildStore(f->b, cg_i32(cg, 0), finished);
    cg_goto(f, rest);
    cg_enter(f, rest);
    cg_goto(f, done);
    cg_enter(f, done);
}
