/* warn.c -- warnings for variables and declarations that are never used, and for `var`s that never change. A variable
 * whose name starts with `_` is left out on purpose. Parameters and loop variables are not reported: signatures and
 * loops need them. */
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

void warn_unused(Sema *s, Func *f) {
    for (int i = 0; i < f->facts->locals.n; i++) {
        const Symbol *sym = f->facts->locals.at[i];
        if (is_bad(sym->type) || sym->name[0] == '_' || sym->part_of || is_kept(sym)) continue;
        if (!sym->used) never_used(s, sym);
        else if (sym->is_mutable && !sym->written && sym->init) never_changes(s, sym);
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
