/* shrink.c -- variables that a loop only makes smaller, as the stride of a tree reduction: when every assignment to
 * one in the loop divides or shifts it by a constant, and it was not negative before, it stays between 0 and what it
 * was. */
#include "sema/access.h"

static void look(Shrinking *s, const Stmt *st);

static void look_block(Shrinking *s, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) look(s, b->stmts.at[i]);
}

static int place_of(Shrinking *s, const Symbol *sym) {
    for (int i = 0; i < s->n; i++)
        if (s->at[i].sym == sym) return i;
    if (s->n == MAX_SHRINKING) return -1;
    s->at[s->n].sym = sym;
    s->at[s->n].spoiled = false;
    return s->n++;
}

static void spoil(Shrinking *s, const Symbol *sym) {
    int i = sym ? place_of(s, sym) : -1;
    if (i >= 0) s->at[i].spoiled = true;
    else s->n_lost++;
}

static bool spoil_passed(Expr *e, void *context) {
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        bool writes = a->mode == REF_MUT || a->mode == REF_OUT;
        if (writes && a->value->kind == EXPR_NAME) spoil(context, a->value->name.sym);
    }
    return false;
}

static bool divides(const Stmt *st) {
    Const by = st->assign.value->konst;
    if (st->assign.is_min || st->assign.is_max || by.kind != CONST_INT) return false;
    return (st->assign.op == OP_DIV && by.i >= 1) || (st->assign.op == OP_SHR && by.i >= 0);
}

static void look(Shrinking *s, const Stmt *st) {
    switch (st->kind) {
    case STMT_ASSIGN:
        if (st->assign.target->kind != EXPR_NAME) return;
        if (!divides(st)) spoil(s, st->assign.target->name.sym);
        else if (place_of(s, st->assign.target->name.sym) < 0) s->n_lost++;
        return;
    case STMT_IF:
        look_block(s, st->if_.then_);
        if (st->if_.else_) look(s, st->if_.else_);
        return;
    case STMT_FOR: look_block(s, st->for_.body); return;
    case STMT_WHILE: look_block(s, st->while_.body); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: look_block(s, st->block.block); return;
    case STMT_LET:
    case STMT_ATOMIC:
    case STMT_EXPR:
    case STMT_RETURN:
    case STMT_ASSERT:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_WAIT:
    case STMT_ERROR:
    case STMT__COUNT: return;
    }
}

/* Before the walk forgets what the loop assigns. */
void shrink_look(Walk *w, const Stmt *loop, Shrinking *s) {
    Form zero = form_const(0);
    s->n = s->n_lost = 0;
    look(s, loop);
    stmt_find(loop, spoil_passed, s);
    for (int i = 0; i < s->n; i++) {
        const Symbol *sym = s->at[i].sym;
        bool known = sym->kind == SYM_LOCAL && sym->id >= 0 && sym->id < w->n && w->known[sym->id];
        s->at[i].spoiled = s->at[i].spoiled || s->n_lost || !known || !affine_at_least(&w->a, &w->now[sym->id], &zero);
        if (!s->at[i].spoiled) s->at[i].was = w->now[sym->id];
    }
}

/* After it has. */
void shrink_learn(Walk *w, const Shrinking *s) {
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].spoiled) continue;
        const Form *now = &w->now[s->at[i].sym->id];
        affine_learn(&w->a, now);
        affine_learn_at_least(&w->a, &s->at[i].was, now, 0);
    }
}
