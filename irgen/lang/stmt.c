/* stmt.c -- statements. A Scope is an open block: it lists the arrays declared in it so far, so each exit (end, break,
 * continue, return) frees exactly those, innermost first. In a kernel `return` ends the work item. */
#include "irgen/lang/lang.h"

static void stmt(CgFunc *f, Stmt *s);

/* Leaving scopes --------------------------------------------------------------------------------------------------- */

static void drop_scope(CgFunc *f, const Scope *scope) {
    for (int i = scope->drops.n; i-- > 0;) cg_drop(f, scope->drops.at[i]);
}

/* Everything from the innermost scope up to and including `last` (NULL: all). */
static void leave(CgFunc *f, const Scope *last) {
    for (const Scope *s = f->scope; s; s = s->parent) {
        drop_scope(f, s);
        if (s == last) break;
    }
}

/* The innermost loop. The body of each loop is emitted with both targets, other blocks with neither, and sema accepts
 * jumps only in loops; so the innermost scope with targets belongs to the loop. */
static Scope *loop_scope(CgFunc *f) {
    Scope *s = f->scope;
    while (!s->break_to) s = s->parent;
    return s;
}

void cg_stmts(CgFunc *f, const Block *b, LLVMBasicBlockRef break_to, LLVMBasicBlockRef continue_to) {
    Scope scope = {.parent = f->scope, .break_to = break_to, .continue_to = continue_to};
    scope.debug = cg_debug_block(f, b->span);
    f->scope = &scope;
    bool joint = f->meet.joint && !f->meet.at;
    for (int i = 0; i < b->stmts.n && !cg_ended(f); i++)
        if (!joint || !cg_segment(f, b, i)) stmt(f, b->stmts.at[i]);
    if (joint) cg_segment_end(f);
    if (!cg_ended(f)) {
        if (b->span.hi) cg_debug_at(f, (Span){b->span.hi - 1, b->span.hi});
        drop_scope(f, &scope);
    }
    f->scope = scope.parent;
}

/* Declarations and assignments ------------------------------------------------------------------------------------- */

/* The extents of an array that keeps its shape: a constant or a size where sema knows one, so that checks against the
 * same size fold away; what the descriptor says otherwise. */
static LLVMValueRef steady_extent(CgFunc *f, const Symbol *sym, int d, LLVMValueRef ext) {
    const Dim *dim = &sym->dims[d];
    if (dim->kind == DIM_CONST) return cg_i64(f->cg, dim->value);
    if (dim->kind == DIM_UNKNOWN) return ext;
    Slot *slot = &f->slots[dim->sym->id];
    LLVMValueRef size = slot->value  ? cg_index_value(f, cg_value(slot->value, dim->sym->type))
                        : slot->addr ? cg_index_value(f, cg_load(f, cg_variable(slot->addr, dim->sym->type)))
                                     : NULL;
    return size ? cg_plus(f, size, dim->value) : ext;
}

/* An array declared without a value is zeroed: elements should be written before they are read, but this is not
 * checked. */
static CgValue zeros(CgFunc *f, const Symbol *sym, Span span) {
    LLVMValueRef ext[MAX_RANK];
    for (int d = 0; d < sym->type->rank; d++) ext[d] = cg_i64(f->cg, frame_facts(sym)->extents[d]);
    CgArray a = cg_array_zero(f, sym->type, ext, span);
    return cg_array_value(f, &a);
}

/* The variable that takes the array over, and frees it. */
static void declare_array(CgFunc *f, Symbol *sym, CgValue v) {
    int rank = sym->type->rank;
    Slot *slot = &f->slots[sym->id];
    slot->addr =
        kept_facts(sym)->number ? cg_session_place(f, sym) : cg_alloca(f, cg_desc_type(f->cg, rank), sym->name);
    cg_store_array(f, slot->addr, v);
    cg_debug_variable(f, sym, slot->addr, 0);
    if (sym->owns && !kept_facts(sym)->number) vec_push(&f->cg->c->arena, &f->scope->drops, sym);
    slot->array.data = NULL;
    if (sym->reshaped) return;
    CgArray a = {.desc = slot->addr, .type = sym->type, .name = sym->name};
    a.data = LLVMBuildExtractValue(f->b, v.v, 0, "data");
    LLVMValueRef ext = LLVMBuildExtractValue(f->b, v.v, 1, "");
    for (int d = 0; d < rank; d++)
        a.ext[d] = steady_extent(f, sym, d, LLVMBuildExtractValue(f->b, ext, (unsigned)d, "ext"));
    slot->array = a;
}

void cg_declare(CgFunc *f, Symbol *sym, CgValue v) {
    if (sym->type->kind == TY_ARRAY) {
        declare_array(f, sym, v);
        return;
    }
    Slot *slot = &f->slots[sym->id];
    if (kept_facts(sym)->number) slot->addr = cg_session_place(f, sym);
    else if (!slot->kept) slot->addr = cg_alloca(f, cg_type_mem(f->cg, sym->type), sym->name);
    if (v.v) cg_store(f, cg_variable(slot->addr, sym->type), v);
    cg_debug_variable(f, sym, slot->addr, 0);
    cg_segment_declares(f, sym);
}

static void let(CgFunc *f, Stmt *s) {
    Symbol *sym = s->let.sym;
    bool is_array = sym->type->kind == TY_ARRAY;
    CgValue v = {0};
    if (is_array && frame_facts(sym)->in_frame) {
        cg_frame_array(f, sym, s->let.init);
        return;
    }
    bool by_bytes = s->let.init && cg_by_bytes(sym->type);
    if (s->let.init && !by_bytes) v = cg_convert(f, cg_expr(f, s->let.init), sym->type);
    else if (is_array) v = zeros(f, sym, s->span);
    if (sym->parts) cg_own_let(f, sym, v);
    else cg_declare(f, sym, v);
    if (by_bytes) cg_struct_into(f, s->let.init, f->slots[sym->id].addr);
    cg_session_made(f, sym);
}

static void assign_array(CgFunc *f, Stmt *s) {
    if (expr_fixed_field(s->assign.target)) {
        cg_field_assign(f, s->assign.target, s->assign.value);
        return;
    }
    const Symbol *sym = s->assign.target->name.sym;
    if (frame_facts(sym)->in_frame) {
        cg_frame_assign(f, sym, s->assign.value);
        return;
    }
    CgValue v = cg_expr(f, s->assign.value);
    cg_drop(f, sym);
    cg_store_array(f, f->slots[sym->id].addr, v);
}

/* s += a * b; s -= a * b, rounded once. */
static void assign_fused(CgFunc *f, Stmt *s) {
    Expr *target = s->assign.target;
    Product p = fused_product(s->assign.value);
    CgValue a = cg_expr(f, p.whole->binary.lhs), b = cg_expr(f, p.whole->binary.rhs);
    CgPlace place = cg_target(f, target, true);
    cg_debug_at(f, s->span);
    CgValue sum = cg_fused(f, a, b, cg_load(f, place), p.negated != (s->assign.op == OP_SUB), false);
    cg_store(f, place, sum);
}

/* The value first: its evaluation may reallocate the array on the left. */
static void assign(CgFunc *f, Stmt *s) {
    Expr *target = s->assign.target;
    if (target->type->kind == TY_ARRAY) {
        assign_array(f, s);
        return;
    }
    if (type_owns(target->type)) {
        CgValue v = cg_expr(f, s->assign.value);
        cg_own_assign(f, target->name.sym, v);
        return;
    }
    if (cg_by_bytes(target->type)) {
        LLVMValueRef made = cg_struct_made(f, s->assign.value);
        CgPlace place = cg_target(f, target, false);
        cg_touch(f, TOUCH_WRITE, &place);
        cg_struct_store(f, place.at, made, target->type);
        return;
    }
    if (s->assign.fused && f->cg->has_fma) {
        assign_fused(f, s);
        return;
    }
    bool counts = op_counts(s->assign.op);
    CgValue v = cg_expr(f, s->assign.value);
    if (!counts) v = cg_convert(f, v, target->type);
    bool is_minmax = s->assign.is_min || s->assign.is_max, reads = is_minmax || s->assign.op != OP_NONE;
    CgPlace place = cg_target(f, target, reads);
    cg_debug_at(f, s->span);
    if (reads) {
        CgValue old = cg_load(f, place);
        f->check = (CgCheck){.site = s->assign.site, .natural = s->assign.exact};
        v = is_minmax ? cg_minmax(f, s->assign.is_max, old, v)
                      : cg_binary(f, s->assign.op, old, v, &s->assign.value->konst, s->assign.op_span);
        if (s->assign.exact) cg_set_exact(v);
    }
    cg_store(f, place, v);
}

/* Control ---------------------------------------------------------------------------------------------------------- */

static void if_(CgFunc *f, Stmt *s) {
    CgValue cond = cg_expr(f, s->if_.cond);
    if (f->known && LLVMIsAConstantInt(cond.v)) {
        if (LLVMConstIntGetZExtValue(cond.v)) cg_stmts(f, s->if_.then_, NULL, NULL);
        else if (s->if_.else_) stmt(f, s->if_.else_);
        return;
    }
    LLVMBasicBlockRef yes = cg_block(f, "then"), done = cg_block(f, "endif");
    LLVMBasicBlockRef no = s->if_.else_ ? cg_block(f, "else") : done;
    cg_branch(f, cond, yes, no);
    cg_enter(f, yes);
    cg_stmts(f, s->if_.then_, NULL, NULL);
    cg_goto(f, done);
    if (s->if_.else_) {
        cg_enter(f, no);
        stmt(f, s->if_.else_);
        cg_goto(f, done);
    }
    cg_enter(f, done);
    /* Both branches left: nothing comes here, and the rest of the block is not generated. */
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(done))) LLVMBuildUnreachable(f->b);
}

static void for_(CgFunc *f, Stmt *s) {
    if (f->rows) f->rows->before_loop(f, s);
    Axis axis = cg_axis(f, &s->for_.binder.range);
    if (s->for_.syncs.n) cg_sync_before_loop(f, &s->for_.syncs, cg_axis_trips(f, &axis), s->span);
    CgEarly early = {0};
    if (s->for_.checks) {
        LLVMValueRef lo = cg_index_value(f, axis.lo), hi = cg_index_value(f, axis.hi);
        early = cg_early_begin(f, s->for_.checks, s->for_.binder.sym, false, lo, hi);
        axis.hi.v = LLVMBuildTruncOrBitCast(f->b, early.end, LLVMTypeOf(axis.hi.v), "");
    }
    CgLoop l = cg_loop_begin(f, &axis);
    const Symbol *sym = s->for_.binder.sym;
    Slot *slot = &f->slots[sym->id];
    slot->value = l.i.v;
    cg_debug_value(f, sym, l.i.v, 0);
    int64_t unrolled = f->unrolled;
    l.copies = cg_unroll_for(f, sym, &s->for_.binder.range);
    l.is_outer = block_holds(s->for_.body, 1 << STMT_FOR | 1 << STMT_WHILE);
    if (l.copies) f->unrolled = l.copies * (unrolled ? unrolled : 1);
    CgCopies before = f->copies;
    f->copies.more = 0;
    if (s->together) cg_reconverge(f);
    cg_stmts(f, s->for_.body, early.checks ? early.out : l.done, l.next);
    if (!l.copies) cg_session_poll(f);
    if (!l.copies) cg_for_polls(f, &s->for_.binder.range);
    l.together = s->together;
    f->unrolled = unrolled;
    l.stays_rolled = cg_loop_ends_rolled(f, &s->for_.binder.range, before) && l.is_outer;
    cg_debug_at(f, s->span);
    cg_loop_end(f, &l);
    cg_early_end(f, &early);
}

/* A failed call returns zeros, with which the loop might never end; so each iteration tests for failure. The items of
 * a group test together, since they see the slot at different times. */
static void stop_if_call_failed(CgFunc *f, const Stmt *s) {
    if (!f->error_slot || !s->while_.calls) return;
    if (s->together) cg_segment_begin(f);
    cg_stop_if_failed(f);
    if (s->together) cg_segment_end(f);
}

static void while_(CgFunc *f, Stmt *s) {
    LLVMBasicBlockRef head = cg_block(f, "while"), body = cg_block(f, "body"), done = cg_block(f, "done");
    LLVMBasicBlockRef next = s->together ? cg_block(f, "while.next") : head;
    if (f->rows) f->rows->before_loop(f, s);
    cg_goto(f, head);
    cg_enter(f, head);
    stop_if_call_failed(f, s);
    cg_session_poll(f);
    cg_kernel_poll(f);
    CgValue cond = cg_expr(f, s->while_.cond);
    cg_branch(f, cond, body, done);
    cg_enter(f, body);
    if (s->together) cg_reconverge(f);
    cg_stmts(f, s->while_.body, done, next);
    cg_goto(f, next);
    if (s->together) {
        cg_enter(f, next);
        cg_reconverge(f);
        cg_goto(f, head);
    }
    cg_enter(f, done);
}

static void resident(CgFunc *f, Stmt *s) {
    for (int i = 0; i < s->block.enter.n; i++) f->cg->launches->enter_resident(f, s->block.enter.at[i].array, s->span);
    cg_stmts(f, s->block.block, NULL, NULL);
}

static void wait_(CgFunc *f, const Stmt *s) {
    LLVMValueRef place = cg_wait_place(f, s->span);
    cg_call_runtime(f, RT_SETTLE, &place, 1);
}

static void jump(CgFunc *f, bool is_break) {
    Scope *loop = loop_scope(f);
    leave(f, loop);
    cg_goto(f, is_break ? loop->break_to : loop->continue_to);
}

static void return_(CgFunc *f, Stmt *s) {
    CgValue v = {0};
    Type *type = f->is_kernel ? f->func->item_result : f->func->result;
    if (s->return_.value) v = cg_convert(f, cg_expr(f, s->return_.value), type);
    leave(f, NULL);
    if (f->is_kernel) {
        if (v.v) cg_store_item(f, v);
        cg_goto(f, f->next_item);
    } else if (v.v && type->kind != TY_VOID) {
        LLVMBuildRet(f->b, v.v);
    } else {
        cg_return_nothing(f);
    }
}

/* The end of a body without a value, or of main without a status. */
void cg_return_nothing(CgFunc *f) {
    if (cg_ended(f)) return;
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    if (f->func->is_main) LLVMBuildRet(f->b, LLVMConstNull(result));
    else if (result == f->cg->void_) LLVMBuildRetVoid(f->b);
    else LLVMBuildUnreachable(f->b); /* sema saw that every path returns */
}

static void statement(CgFunc *f, Stmt *s) {
    switch (s->kind) {
    case STMT_LET: let(f, s); return;
    case STMT_ASSIGN: assign(f, s); return;
    case STMT_EXPR:
        if (s->expr.is_shown) cg_session_show(f, s);
        else cg_expr(f, s->expr.expr);
        return;
    case STMT_ATOMIC: cg_atomic(f, s->atomic.atomic); return;
    case STMT_IF: if_(f, s); return;
    case STMT_FOR: for_(f, s); return;
    case STMT_WHILE: while_(f, s); return;
    case STMT_BREAK: jump(f, true); return;
    case STMT_CONTINUE: jump(f, false); return;
    case STMT_RETURN: return_(f, s); return;
    case STMT_ASSERT: cg_assert(f, s); return;
    case STMT_BLOCK: cg_stmts(f, s->block.block, NULL, NULL); return;
    case STMT_SHARED: return; /* cpu/group.c has made it */
    case STMT_RESIDENT: resident(f, s); return;
    case STMT_WAIT: wait_(f, s); return;
    case STMT_BARRIER: cg_barrier(f); return; /* on a processor it is where cpu/group.c cuts */
    case STMT_ERROR: case STMT__COUNT: break;
    }
    ice(f->cg->c, s->span, "sema let a statement through that cannot be generated");
}

void cg_stmt(CgFunc *f, Stmt *s) { stmt(f, s); }

static void stmt(CgFunc *f, Stmt *s) {
    if (s->kind != STMT_BLOCK) cg_debug_at(f, s->span);
    statement(f, s);
}
