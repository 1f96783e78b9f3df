/* expr.c -- expressions. A folded expression is a constant; all others are evaluated once, left to right. An array
 * variable that is used as a value is moved: its descriptor is emptied, so that the end of its scope frees nothing. */
#include "irgen/lang/lang.h"

CgValue cg_move_array(CgFunc *f, const Symbol *sym) {
    CgArray a = cg_symbol_array(f, sym);
    CgValue v = cg_array_value(f, &a);
    Slot *slot = &f->slots[sym->id];
    if (slot->addr) cg_store_desc(f, slot->addr, sym->type->rank, 0, LLVMConstNull(f->cg->ptr));
    return v;
}

static CgValue name(CgFunc *f, Expr *e) {
    const Symbol *sym = e->name.sym;
    if (sym->kind == SYM_CONST) return cg_const(f->cg, &sym->konst, e->type);
    if (sym->type->kind == TY_ARRAY) return cg_move_array(f, sym);
    if (sym->parts) return cg_own_moved(f, sym);
    const Slot *slot = &f->slots[sym->id];
    return slot->value ? cg_value(slot->value, sym->type) : cg_load(f, cg_lvalue(f, e));
}

static CgPlace element_place(CgFunc *f, Expr *e, CgArray *a);

CgPlace cg_lvalue(CgFunc *f, Expr *e) {
    if (e->kind == EXPR_NAME) {
        const Symbol *sym = e->name.sym;
        bool is_ref = sym->kind == SYM_PARAM && sym->mode != REF_NONE;
        return (CgPlace){f->slots[sym->id].addr, sym->type, is_ref, NULL, e->touch};
    }
    if (e->kind == EXPR_FIELD) return cg_part_place(f, cg_lvalue(f, e->field.base), e->field.at[0]);
    if (e->kind != EXPR_INDEX) ice(f->cg->c, e->span, "a place of an unknown kind");
    CgArray a;
    return element_place(f, e, &a);
}

/* What is known as a value only (a constant, a size, a parameter by value) is read through a copy. */
LLVMValueRef cg_reference(CgFunc *f, Expr *e) {
    const Symbol *sym = e->name.sym;
    if (sym->kind != SYM_CONST && f->slots[sym->id].addr) return f->slots[sym->id].addr;
    LLVMValueRef copy = cg_alloca(f, cg_type_mem(f->cg, e->type), sym->name);
    cg_store(f, cg_variable(copy, e->type), cg_expr(f, e));
    return copy;
}

LLVMValueRef cg_index_value(CgFunc *f, CgValue v) { return cg_convert(f, v, cg_scalar(f->cg, TY_INDEX)).v; }

static bool is_const(const Expr *e) { return e->konst.kind != CONST_NONE && e->type->kind != TY_ARRAY; }

/* && and ||: the right side is evaluated only when it decides. */
static CgValue logic(CgFunc *f, Expr *e) {
    bool is_and = e->binary.op == OP_AND;
    CgValue a = cg_expr(f, e->binary.lhs);
    bool is_known = f->known && LLVMIsAConstantInt(a.v);
    if (is_known) return LLVMConstIntGetZExtValue(a.v) == is_and ? cg_expr(f, e->binary.rhs) : a;
    LLVMBasicBlockRef rhs = cg_block(f, is_and ? "and" : "or"), done = cg_block(f, "logic");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(f->b), NULL};
    if (is_and) cg_branch(f, a, rhs, done);
    else cg_branch(f, a, done, rhs);
    cg_enter(f, rhs);
    CgValue b = cg_expr(f, e->binary.rhs);
    from[1] = LLVMGetInsertBlock(f->b);
    cg_goto(f, done);
    cg_enter(f, done);
    LLVMValueRef values[2] = {LLVMConstInt(f->cg->i1, !is_and, false), b.v};
    LLVMValueRef phi = LLVMBuildPhi(f->b, f->cg->i1, "");
    LLVMAddIncoming(phi, values, from, 2);
    return cg_value(phi, e->type);
}

static CgValue fused_sum(CgFunc *f, Expr *e) {
    bool left = e->binary.fused == FUSED_LEFT, minus = e->binary.op == OP_SUB;
    Product p = fused_product(left ? e->binary.lhs : e->binary.rhs);
    CgValue c;
    if (!left) c = cg_expr(f, e->binary.lhs);
    CgValue a = cg_expr(f, p.whole->binary.lhs), b = cg_expr(f, p.whole->binary.rhs);
    if (left) c = cg_expr(f, e->binary.rhs);
    cg_debug_at(f, e->binary.op_span);
    return cg_fused(f, a, b, c, p.negated != (minus && !left), minus && left);
}

static CgValue binary(CgFunc *f, Expr *e) {
    if (op_info[e->binary.op].kind == OPK_LOGIC) return logic(f, e);
    if (e->binary.fused && f->cg->has_fma) return fused_sum(f, e);
    LLVMValueRef known = f->flat.axis ? cg_flat_division(f, e) : NULL;
    if (known) return cg_value(known, e->type);
    CgValue a = cg_expr(f, e->binary.lhs), b = cg_expr(f, e->binary.rhs);
    cg_debug_at(f, e->binary.op_span);
    if (op_info[e->binary.op].kind != OPK_COMPARE)
        f->check = (CgCheck){.site = e->binary.site, .natural = e->binary.exact};
    CgValue v = cg_binary(f, e->binary.op, a, b, &e->binary.rhs->konst, e->binary.op_span);
    v.type = e->type;
    if (e->binary.exact) cg_set_exact(v);
    return v;
}

static CgValue if_expr(CgFunc *f, Expr *e) {
    Const known = f->known ? evaluate_expr(e->if_.cond, f->known, f->known_of) : (Const){0};
    if (known.kind == CONST_BOOL) return cg_convert(f, cg_expr(f, known.i ? e->if_.then_ : e->if_.else_), e->type);
    LLVMBasicBlockRef block[2] = {cg_block(f, "then"), cg_block(f, "else")}, done = cg_block(f, "endif");
    CgValue cond = cg_expr(f, e->if_.cond), v[2];
    cg_branch(f, cond, block[0], block[1]);
    LLVMValueRef values[2];
    for (int i = 0; i < 2; i++) {
        cg_enter(f, block[i]);
        v[i] = cg_convert(f, cg_expr(f, i ? e->if_.else_ : e->if_.then_), e->type);
        values[i] = v[i].v;
        block[i] = LLVMGetInsertBlock(f->b);
        cg_goto(f, done);
    }
    cg_enter(f, done);
    if (e->type->kind == TY_VOID) return cg_value(NULL, e->type);
    LLVMValueRef phi = LLVMBuildPhi(f->b, cg_type(f->cg, e->type), "");
    LLVMAddIncoming(phi, values, block, 2);
    return cg_value(phi, e->type);
}

static CgPlace element_place(CgFunc *f, Expr *e, CgArray *a) {
    CgValue at[MAX_RANK];
    for (int d = 0; d < e->index.at.n; d++) at[d] = cg_expr(f, e->index.at.at[d]);
    *a = cg_array(f, e->index.base); /* after the indices: a call in one may reallocate it */
    cg_debug_at(f, e->span);
    unsigned known = f->known_inside ? f->known_inside(e, f->known_of) : 0;
    f->check =
        (CgCheck){.site = e->index.site, .proven = e->index.proven | known | (f->error_slot ? e->index.early : 0)};
    CgPlace p = cg_element(f, a, at, e->span);
    LLVMValueRef copy = f->rows ? f->rows->element(f, e, at) : NULL;
    if (copy) p.at = copy;
    p.touch = e->touch;
    if (e->index.base->sync == SYNC_PEEK) cg_sync_part(f, e->index.base, p.at, cg_i64(f->cg, cg_size(p.type)), true);
    return p;
}

/* The address of a target that will be written; `reads`: and is read before. */
CgPlace cg_target(CgFunc *f, Expr *e, bool reads) {
    const Expr *whole = expr_whole(e);
    CgPlace p = cg_lvalue(f, e);
    if (whole->kind == EXPR_INDEX) cg_sync_part(f, whole->index.base, p.at, cg_i64(f->cg, cg_size(p.type)), reads);
    return p;
}

static CgValue element(CgFunc *f, Expr *e) {
    CgArray a;
    CgValue v = cg_load(f, element_place(f, e, &a));
    if (e->index.is_unwritten) cg_mark_unwritten(f, v.v);
    cg_free_made(f, e->index.base, &a);
    return v;
}

CgValue cg_expr(CgFunc *f, Expr *e) {
    if (is_const(e) && e->konst.kind == CONST_STR) return cg_session_text(f, e->konst.s.at, e->konst.s.n, e->type);
    if (is_const(e)) return cg_const(f->cg, &e->konst, e->type);
    Const known = f->known ? evaluate_expr(e, f->known, f->known_of) : (Const){0};
    if (known.kind != CONST_NONE) return cg_const(f->cg, &known, e->type);
    cg_debug_at(f, e->span);
    LLVMValueRef held = f->held ? f->held(e, f->known_of) : NULL;
    if (held) return cg_value(LLVMBuildLoad2(f->b, cg_type(f->cg, e->type), held, ""), e->type);
    switch (e->kind) {
    case EXPR_NAME: return name(f, e);
    case EXPR_UNARY: return cg_unary(f, e->unary.op, cg_expr(f, e->unary.operand));
    case EXPR_BINARY: return binary(f, e);
    case EXPR_CALL: return cg_call_expr(f, e);
    case EXPR_INDEX: return element(f, e);
    case EXPR_FIELD: return cg_field(f, e);
    case EXPR_IF: return if_expr(f, e);
    case EXPR_FILL: return cg_fill(f, e);
    case EXPR_COMPREHEND: return cg_comprehend(f, e);
    case EXPR_LIST: return cg_list(f, e);
    case EXPR_OFFLOAD: return f->cg->launches->launch(f, e);
    case EXPR_ATOMIC: return cg_atomic(f, e);
    case EXPR_CONVERT: return cg_convert(f, cg_expr(f, e->convert.operand), e->type);
    case EXPR_STR: return cg_session_text(f, e->str.at, e->str.n, e->type);
    case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_ERROR: case EXPR_RANGE:
    case EXPR__COUNT: break;
    }
    ice(f->cg->c, e->span, "sema let an expression through that cannot be generated");
}
