/* segment.c -- reconvergence points of groups on GPUs, and items whose check fails before a barrier.
 *
 * Reconvergence points. LLVM may neither make a convergent operation depend on further conditions nor duplicate it,
 * but it may change the cycle that the operation belongs to: it sinks a store that the entry of a loop and one of two
 * paths to the next iteration share; then the loop with the barrier becomes the inner one of two, which items leave at
 * different times. So a convergent operation without code marks what has to stay: the begin and the end of the body of
 * each loop, and the front of each statement, that a group executes together (Stmt.together). Then all paths of an
 * iteration lead through one latch, and no loop of single items shares its header.
 *
 * Failed checks. If an item left the kernel, its group would wait for ever, or a warp would reach the barrier in
 * parts. So the statements between two statements that the group executes together are a segment: an item whose check
 * fails branches to the end of the segment, after it has recorded the number of the segment in shared memory. There
 * the group waits, all items read the same record, and all end together. Segments without checks have no such end, and
 * the last segment needs none. */
#include "irgen/lang/lang.h"

void cg_barrier(CgFunc *f) { f->cg->target->gpu->barrier(f); }

LLVMValueRef cg_shared(CgFunc *f, LLVMTypeRef type, unsigned align, const char *name) {
    LLVMValueRef v = LLVMAddGlobalInAddressSpace(f->cg->module, type, name, SHARED_SPACE);
    LLVMSetInitializer(v, LLVMGetPoison(type));
    LLVMSetLinkage(v, LLVMInternalLinkage);
    LLVMSetAlignment(v, align);
    return LLVMConstAddrSpaceCast(v, f->cg->ptr);
}

/* Reconvergence points --------------------------------------------------------------------------------------------- */

/* MemoryEffects of LLVM 22: reads and writes (3) memory that the program cannot name (the second location). */
enum { INACCESSIBLE_MEMORY = 3 << 2 };

void cg_reconverge(CgFunc *f) {
    Cg *cg = f->cg;
    if (!cg->target->gpu) return;
    LLVMTypeRef type = LLVMFunctionType(cg->void_, NULL, 0, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "", 0, true, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(f->b, type, nothing, NULL, 0, "");
    static const char *const plain[] = {"convergent", "nomerge", "nounwind", "willreturn"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, cg_attr(cg, plain[i], 0));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, cg_attr(cg, "memory", INACCESSIBLE_MEMORY));
}

/* Failed checks ---------------------------------------------------------------------------------------------------- */

void cg_segments_begin(CgFunc *f) {
    CgSegments *m = &f->meet;
    if (!block_holds(f->func->item->fn.body, 1u << STMT_BARRIER)) return;
    m->joint = true;
    m->start = cg_block(f, "group");
    LLVMBasicBlockRef body = cg_block(f, "group.body");
    cg_goto(f, m->start);
    cg_enter(f, m->start);
    cg_goto(f, body);
    cg_enter(f, body);
}

/* Made by the first check that may fail before a barrier. */
static void need_note(CgFunc *f) {
    Cg *cg = f->cg;
    CgSegments *m = &f->meet;
    if (m->note) return;
    m->note = LLVMAddGlobalInAddressSpace(cg->module, cg->i32, CG_FAILED, SHARED_SPACE);
    LLVMSetInitializer(m->note, LLVMGetPoison(cg->i32));
    LLVMSetLinkage(m->note, LLVMInternalLinkage);
    LLVMSetAlignment(m->note, 4);
    m->ended = cg_alloca(f, cg->i32, "ended");
}

/* Before the first segment: no item has failed. */
void cg_segments_end(CgFunc *f) {
    CgSegments *m = &f->meet;
    if (!m->note) return;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMPositionBuilderBefore(f->b, LLVMGetBasicBlockTerminator(m->start));
    LLVMBuildStore(f->b, cg_i32(f->cg, 0), m->ended);
    LLVMSetVolatile(LLVMBuildStore(f->b, cg_i32(f->cg, 0), m->note), true);
    cg_barrier(f);
    cg_enter(f, here);
}

/* The number of the segment, worked out at its begin, so that it is one value for all paths. */
static LLVMValueRef segment_number(CgFunc *f) {
    CgSegments *m = &f->meet;
    if (m->number) return m->number;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef next = m->before ? LLVMGetNextInstruction(m->before) : LLVMGetFirstInstruction(m->begin);
    if (next) LLVMPositionBuilderBefore(f->b, next);
    else cg_enter(f, m->begin);
    LLVMValueRef ended = LLVMBuildLoad2(f->b, f->cg->i32, m->ended, "");
    m->number = LLVMBuildAdd(f->b, ended, cg_i32(f->cg, 1), "segment");
    cg_enter(f, here);
    return m->number;
}

/* Variables that are the same for all items get poison in an item that is about to end. Then at the end of the segment
 * only the values of the other items count, and LLVM sees that they are the same. */
static void forget_variables(CgFunc *f) {
    for (int i = 0; i < f->meet.variables.n; i++) {
        const Symbol *sym = f->meet.variables.at[i];
        LLVMBuildStore(f->b, LLVMGetPoison(cg_type_mem(f->cg, sym->type)), f->slots[sym->id].addr);
    }
}

void cg_segment_declares(CgFunc *f, const Symbol *sym) {
    if (f->meet.joint && !symbol_varies(sym) && !cg_by_bytes(sym->type))
        vec_push(&f->cg->c->arena, &f->meet.variables, sym);
}

void cg_leave_item(CgFunc *f) {
    CgSegments *m = &f->meet;
    if (!m->at || m->at == f->next_item) {
        cg_goto(f, f->next_item);
        return;
    }
    need_note(f);
    forget_variables(f);
    LLVMSetVolatile(LLVMBuildStore(f->b, segment_number(f), m->note), true);
    cg_goto(f, m->at);
}

/* An item may fail in the next segment before another one has looked: it then notes a larger number, which is none
 * here. */
static void end_if_failed(CgFunc *f) {
    CgSegments *m = &f->meet;
    cg_barrier(f);
    LLVMValueRef note = LLVMBuildLoad2(f->b, f->cg->i32, m->note, "failed");
    LLVMSetVolatile(note, true);
    LLVMBuildStore(f->b, m->number, m->ended);
    LLVMBasicBlockRef ok;
    cg_cold(f, LLVMBuildICmp(f->b, LLVMIntEQ, note, m->number, ""), &ok);
    LLVMBuildRetVoid(f->b);
    cg_enter(f, ok);
}

void cg_segment_begin(CgFunc *f) {
    CgSegments *m = &f->meet;
    if (!m->joint) return;
    m->at = cg_block(f, "meet");
    m->begin = LLVMGetInsertBlock(f->b);
    m->before = LLVMGetLastInstruction(m->begin);
    m->number = NULL;
}

bool cg_segment_end(CgFunc *f) {
    LLVMBasicBlockRef at = f->meet.at;
    f->meet.at = NULL;
    if (!at || at == f->next_item) return false;
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(at))) {
        LLVMDeleteBasicBlock(at);
        return false;
    }
    cg_goto(f, at);
    cg_enter(f, at);
    end_if_failed(f);
    return true;
}

static bool holds_together(const Block *b, int from) {
    for (int i = from; i < b->stmts.n; i++)
        if (b->stmts.at[i]->together) return true;
    return false;
}

bool cg_segment(CgFunc *f, const Block *b, int i) {
    const Stmt *st = b->stmts.at[i];
    if (st->together) {
        bool waited = cg_segment_end(f);
        if (st->kind == STMT_BARRIER) return waited;
        cg_reconverge(f);
        return false;
    }
    if (f->meet.at) return false;
    if (!f->scope->parent && !holds_together(b, i)) f->meet.at = f->next_item;
    else cg_segment_begin(f);
    return false;
}
