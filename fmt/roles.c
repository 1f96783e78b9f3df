/* roles.c -- what the tree says of tokens that have several meanings. A walk over the tree marks places of the text:
 * operators between operands, where what is called or indexed ends, braces of blocks. What is not marked is the other
 * meaning: `-` is a sign, `<` begins types, `step` is a keyword. */
#include "fmt/internal.h"
#include "parser/children.h"

enum { MARK_PRECEDENCE = 15, MARK_CALLEE_END = 16, MARK_BLOCK = 32, MARK_UPDATE = 64, MARK_FIELDS_END = 128 };

static void mark(Fmt *f, uint32_t at, unsigned what) { f->marks[at - f->source->base] |= (uint8_t)what; }

static void walk_expr(Fmt *f, const Expr *e);

static void walk_range(Fmt *f, const Range *r) {
    Children all = range_children(r);
    for (Expr *x; (x = child_expr(&all));) walk_expr(f, x);
}

static void walk_expr(Fmt *f, const Expr *e) {
    if (e->kind == EXPR_BINARY) mark(f, e->binary.op_span.lo, (unsigned)op_info[e->binary.op].precedence);
    if (e->kind == EXPR_CALL) mark(f, e->call.callee->span.hi, MARK_CALLEE_END);
    if (e->kind == EXPR_INDEX) mark(f, e->index.base->span.hi, MARK_CALLEE_END);
    if (e->kind == EXPR_ATOMIC && (e->atomic.is_min || e->atomic.is_max)) mark(f, e->atomic.op_span.lo, MARK_UPDATE);
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) walk_expr(f, x);
}

static void walk_type(Fmt *f, const TypeExpr *t) {
    if (!t) return;
    switch (t->kind) {
    case TE_ERROR: break;
    case TE_NAME:
        for (int i = 0; i < t->name.args.n; i++) walk_type(f, t->name.args.at[i]);
        break;
    case TE_ARRAY:
        walk_type(f, t->array.elem);
        for (int i = 0; i < t->array.extents.n; i++) walk_expr(f, t->array.extents.at[i]);
        break;
    case TE_REF: walk_type(f, t->ref.to); break;
    }
}

static void walk_stmt(Fmt *f, const Stmt *st) {
    if (st->kind == STMT_LET) walk_type(f, st->let.type);
    if (st->kind == STMT_SHARED) walk_type(f, st->shared.type);
    bool is_update = st->kind == STMT_ASSIGN && (st->assign.is_min || st->assign.is_max);
    if (is_update) mark(f, st->assign.op_span.lo, MARK_UPDATE);
    Children all = stmt_children(st);
    if (all.block && *all.block) mark(f, (*all.block)->span.lo, MARK_BLOCK);
    for (Expr *x; (x = child_expr(&all));) walk_expr(f, x);
    for (Stmt *x; (x = child_stmt(&all));) walk_stmt(f, x);
}

static void walk_block(Fmt *f, const Block *b) {
    if (!b) return;
    mark(f, b->span.lo, MARK_BLOCK);
    for (int i = 0; i < b->stmts.n; i++) walk_stmt(f, b->stmts.at[i]);
}

static void walk_function(Fmt *f, const Item *item) {
    for (int i = 0; i < item->fn.params.n; i++) walk_type(f, item->fn.params.at[i].type);
    for (int i = 0; i < item->fn.over.n; i++) {
        walk_range(f, &item->fn.over.at[i].range);
        if (item->fn.over.at[i].by) walk_expr(f, item->fn.over.at[i].by);
    }
    walk_type(f, item->fn.result);
    walk_block(f, item->fn.body);
}

static void walk_item(Fmt *f, const Item *item) {
    switch (item->kind) {
    case ITEM_FN:
    case ITEM_KERNEL: walk_function(f, item); break;
    case ITEM_STRUCT:
        for (int i = 0; i < item->struct_.fields.n; i++) walk_type(f, item->struct_.fields.at[i].type);
        mark(f, item->span.hi - 1, MARK_FIELDS_END);
        break;
    case ITEM_CONST:
        walk_type(f, item->const_.type);
        walk_expr(f, item->const_.value);
        break;
    case ITEM_TEST: walk_block(f, item->test.body); break;
    case ITEM_IMPORT:
    case ITEM_ERROR:
    case ITEM__COUNT: break;
    }
}

/* `name(`, `x[`: a plain name before `(` is always called or declared; a soft keyword if the tree has a call. */
static bool is_call(const Fmt *f, int i) {
    int before = token_before(f, i);
    if (before < 0) return false;
    const Piece *left = piece_at(f, before);
    if (f->marks[left->hi] & MARK_CALLEE_END) return true;
    if (!is_token(piece_at(f, i), TOK_LPAREN)) return false;
    if (left->token == TOK_ID) return true;
    if (left->token == TOK_GT || left->token == TOK_SHR) return left->role == ROLE_GENERIC;
    int declares = token_before(f, before);
    return declares >= 0 && (piece_at(f, declares)->token == TOK_FN || piece_at(f, declares)->token == TOK_KERNEL);
}

static Role role_of_brace(const Fmt *f, const Piece *open) {
    if (f->marks[open->lo] & MARK_BLOCK) return ROLE_BODY;
    return f->marks[piece_at(f, open->match)->lo] & MARK_FIELDS_END ? ROLE_FIELDS : ROLE_VALUE;
}

static bool is_angle(int token) { return token == TOK_LT || token == TOK_GT || token == TOK_SHR; }

static Role role_of(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i);
    if (p->token == TOK_LBRACE) return role_of_brace(f, p);
    if (p->token == TOK_LPAREN || p->token == TOK_LBRACKET) return is_call(f, i) ? ROLE_CALL : ROLE_PLAIN;
    if (closes(p)) return piece_at(f, p->match)->role;
    if (f->marks[p->lo] & MARK_PRECEDENCE) return ROLE_BINARY;
    if (f->marks[p->lo] & MARK_UPDATE) return ROLE_UPDATE;
    return is_angle(p->token) ? ROLE_GENERIC : ROLE_PLAIN;
}

static void count_angles(Fmt *f) {
    int angles = 0;
    for (int i = 0; i < f->pieces.n; i++) {
        Piece *p = piece_at(f, i);
        if (p->role == ROLE_GENERIC) angles += p->token == TOK_LT ? 1 : p->token == TOK_GT ? -1 : -2;
        p->angles = angles;
    }
}

void fmt_roles(Fmt *f, const Module *m) {
    f->marks = arena_array(&f->c->arena, uint8_t, f->source->n + 2);
    for (int i = 0; i < m->items.n; i++) walk_item(f, m->items.at[i]);
    for (int i = 0; i < f->pieces.n; i++) {
        Piece *p = piece_at(f, i);
        if (is_comment(p)) continue;
        p->role = role_of(f, i);
        p->precedence = p->role == ROLE_BINARY ? f->marks[p->lo] & MARK_PRECEDENCE : 0;
    }
    count_angles(f);
}
