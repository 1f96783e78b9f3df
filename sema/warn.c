/* warn.c -- warnings for variables and declarations that are never used, and for `var`s that never change. A variable
 * whose name starts with `_` is left out on purpose. Parameters and loop variables are not reported: signatures and
 * loops need them. */
#include "parser/children.h"
#include "sema/check.h"

static void never_used(Sema *s, const Symbol *sym) {
    Diag *d = diag(s->c, W0401, sym->span, sym->written ? "`%s` is assigned but never read" : "`%s` is never used",
                   sym->name);
    if (sym->written) diag_note(s->c, d, sym->span, "remove it, or rename it `_%s` everywhere", sym->name);
    else diag_fix(s->c, d, (Span){sym->span.lo, sym->span.lo}, "_", "if this is intentional, rename it `_%s`",
                  sym->name);
}

static void never_changes(Sema *s, const Symbol *sym) {
    Diag *d = diag(s->c, W0402, sym->span, "`%s` is a `var` but never changes", sym->name);
    diag_fix(s->c, d, sym->keyword, "let", "use `let` for a variable that never changes");
}

/* It lives on in a session, and later inputs may use it. */
static bool is_kept(const Symbol *sym) {
    return sym->parts ? sym->n_parts && is_kept(sym->parts[0]) : kept_facts(sym)->number != 0;
}

/* The unused variable that hides this one, perhaps instead of an assignment. */
static const Stmt *hidden_by(const Func *f, const Symbol *outer, const Symbol *inner) {
    for (int i = 0; i < f->facts->hidden.n; i++) {
        const Hidden *h = &f->facts->hidden.at[i];
        const Symbol *sym = h->by->let.sym;
        if ((inner && sym != inner) || (outer && h->outer != outer)) continue;
        if (!sym->used && !sym->written && sym->type == h->outer->type && h->by->let.init) return h->by;
    }
    return NULL;
}

static void hides(Sema *s, const Func *f, const Stmt *st) {
    Symbol *sym = st->let.sym, *outer = NULL;
    for (int i = 0; i < f->facts->hidden.n; i++)
        if (f->facts->hidden.at[i].by == st) outer = f->facts->hidden.at[i].outer;
    Diag *d = diag(s->c, W0401, sym->span, "`%s` is never used: this declares another variable of that name",
                   sym->name);
    Span words = {st->span.lo, st->let.name_span.lo};
    if (!st->let.type) diag_fix(s->c, d, words, "", "assign to the variable of the outer block");
    if (outer) diag_note(s->c, d, outer->span, "this `%s` keeps its value", sym->name);
}

/* Every work item of a reduction does the same, which is rarely intended. */
static void same_items(Sema *s, const Func *f) {
    bool counts = f->reduction == REDUCE_SUM || f->reduction == REDUCE_PROD || f->reduction == REDUCE_COUNT;
    if (s->c->diags.n_errors || !f->is_kernel || !counts || f->group.items || f->effects || !f->domain.n) return;
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i]->mode == REF_MUT || f->params.at[i]->mode == REF_OUT) return;
    for (int i = 0; i < f->domain.n; i++)
        if (f->domain.at[i]->used || f->domain.at[i]->name[0] == '_') return;
    bool computes = false; /* a constant counts the work items */
    for (int i = 0; i < f->facts->returns.n; i++) {
        const Expr *value = f->facts->returns.at[i]->return_.value;
        computes |= value && value->konst.kind == CONST_NONE;
    }
    const Range *first = &f->item->fn.over.at[0].range;
    const Expr *hi = f->domain.n == 1 && !first->lo ? first->hi : NULL;
    bool is_one = hi && hi->konst.kind == CONST_INT && hi->konst.i < 2;
    if (!computes || is_one) return;
    const Symbol *sym = f->domain.at[0];
    Diag *d = diag(s->c, W0401, sym->span, "`%s` is never used, so every work item returns the same value", sym->name);
    diag_note(s->c, d, sym->span, "return the value of work item `%s`: the launch combines the values of all of them",
              sym->name);
    fix_insert(s, d, sym->span.lo, "_", "if this is intentional, rename it");
}

/* Changes of a copy ------------------------------------------------------------------------------------------- */

/* The fields of a local struct that are assigned, and those that are read elsewhere than in their own new values. */
typedef struct FieldUses {
    const Symbol *of;
    uint64_t written, read;
    bool is_whole; /* the struct itself is used */
    const Stmt *last;
} FieldUses;

static uint64_t field_bit(const Expr *e, const Symbol *of) {
    bool is_its = e->kind == EXPR_FIELD && e->field.n_at && e->field.base->kind == EXPR_NAME &&
                  e->field.base->name.sym == of;
    return is_its ? 1ull << (e->field.at[0] & 63) : 0;
}

static void uses_in_expr(Expr *e, FieldUses *u, uint64_t own) {
    uint64_t bit = field_bit(e, u->of);
    u->read |= bit & ~own;
    if (bit) return;
    u->is_whole |= e->kind == EXPR_NAME && e->name.sym == u->of;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) uses_in_expr(x, u, own);
}

/* The field that the target is, or is a part of; indices in it are read. */
static uint64_t uses_in_target(Expr *e, FieldUses *u) {
    while (!field_bit(e, u->of)) {
        if (e->kind != EXPR_INDEX && e->kind != EXPR_FIELD) return 0;
        for (int i = 0; e->kind == EXPR_INDEX && i < e->index.at.n; i++) uses_in_expr(e->index.at.at[i], u, 0);
        e = e->kind == EXPR_INDEX ? e->index.base : e->field.base;
    }
    return field_bit(e, u->of);
}

static void uses_in_stmt(const Stmt *st, FieldUses *u) {
    uint64_t own = st->kind == STMT_ASSIGN ? uses_in_target(st->assign.target, u) : 0;
    u->written |= own;
    if (own) {
        u->last = st;
        uses_in_expr(st->assign.value, u, own);
        return;
    }
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) uses_in_expr(x, u, 0);
    for (Stmt *x; (x = child_stmt(&all));) uses_in_stmt(x, u);
}

/* `var p = ps[i]; p.x += 1.0;`, and that is all: the element keeps its value. */
static bool changes_copy(Sema *s, Func *f, const Symbol *sym) {
    Expr *init = sym->is_mutable && sym->init ? expr_strip(sym->init) : NULL;
    bool is_copy = init && sym->type->kind == TY_STRUCT && !sym->type->owns && init->kind == EXPR_INDEX;
    Symbol *root = is_copy && !expr_is_slice(init) ? expr_root(init) : NULL;
    FieldUses u = {.of = sym};
    if (!root || !f->item->fn.body || sym->type->n_fields > 64) return false;
    for (int i = 0; i < f->item->fn.body->stmts.n; i++) uses_in_stmt(f->item->fn.body->stmts.at[i], &u);
    if (!u.written || u.is_whole || (u.read & u.written)) return false;
    const char *element = source_text(s, init->span);
    Diag *d = diag(s->c, W0401, u.last->assign.target->span,
                   "`%s` is assigned but never read: `%s` is a copy of `%s`, which keeps its value",
                   source_text(s, u.last->assign.target->span), sym->name, element);
    diag_note(s->c, d, u.last->span, "store the copy after this, `%s = %s;`, or change the element itself", element,
              sym->name);
    vec_push(s->arena, &f->facts->copied, root);
    return true;
}

bool warn_copied(const Func *f, const Symbol *array) {
    for (int i = 0; i < f->facts->copied.n; i++)
        if (f->facts->copied.at[i] == array) return true;
    return false;
}

void warn_unused(Sema *s, Func *f) {
    same_items(s, f);
    for (int i = 0; i < f->facts->locals.n; i++)
        if (!is_bad(f->facts->locals.at[i]->type)) changes_copy(s, f, f->facts->locals.at[i]);
    for (int i = 0; i < f->facts->locals.n; i++) {
        const Symbol *sym = f->facts->locals.at[i];
        if (is_bad(sym->type) || sym->name[0] == '_' || sym->part_of || is_kept(sym)) continue;
        if (!sym->used && hidden_by(f, NULL, sym)) hides(s, f, hidden_by(f, NULL, sym));
        else if (!sym->used) never_used(s, sym);
        else if (sym->is_mutable && !sym->written && sym->init && !hidden_by(f, sym, NULL) && !warn_copied(f, sym))
            never_changes(s, sym);
    }
}

/* A module offers its declarations to those that import it, except names that begin with `_`. A file with a `main` is a
 * program; what C can call, and what it declares of C, is used from outside. */
void warn_unused_items(Sema *s) {
    const Module *m = s->own_file;
    const Func *main = s->program->main;
    bool is_program = main && main->item->fn.body && main->item->fn.body->stmts.n; /* an empty one is not written yet */
    if (s->c->diags.n_errors || (s->options && s->options->is_session)) return;
    for (int i = 0; i < m->symbols.n; i++) {
        const Symbol *sym = m->symbols.at[i];
        bool is_item = sym->kind == SYM_FN || sym->kind == SYM_STRUCT || sym->kind == SYM_CONST;
        if (!is_item || sym->is_mentioned || !(is_program || sym->name[0] == '_')) continue;
        if (sym->kind == SYM_FN && (sym->func->is_main || sym->func->is_export || sym->func->is_extern)) continue;
        if (sym->kind == SYM_STRUCT && sym->item->struct_.is_extern) continue;
        Diag *d = diag(s->c, W0408, sym->span, "%s `%s` is never used",
                       sym->kind == SYM_CONST ? "the constant" : sym->kind == SYM_STRUCT ? "the struct"
                       : sym->func->is_kernel ? "the kernel" : "the function", sym->name);
        diag_note(s->c, d, sym->span, "remove it, or use it in a `test`");
    }
}
