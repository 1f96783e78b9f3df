/* warn.c -- warnings for variables that are never used, and for `var`s that never change. A name that starts with `_`
 * says that this is intentional. Parameters and loop variables are not reported: signatures and loops need them. */
#include "sema/check.h"

static void never_used(Sema *s, const Symbol *sym) {
    Diag *d = diag(s->c, W0401, sym->span, sym->written ? "`%s` is assigned but never read" : "`%s` is never used",
                   sym->name);
    diag_fix(s->c, d, (Span){sym->span.lo, sym->span.lo}, "_", "if this is intentional, rename it `_%s`", sym->name);
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
