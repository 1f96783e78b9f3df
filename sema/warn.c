/* warn.c -- variables without use. Names that start with `_` are meant to have none; parameters and loop variables are
 * part of something that says more than they do. */
#include "sema/check.h"

void warn_unused(Sema *s, Func *f) {
    for (int i = 0; i < f->facts->locals.n; i++) {
        const Symbol *sym = f->facts->locals.at[i];
        if (sym->used || sym->name[0] == '_' || is_bad(sym->type)) continue;
        Diag *d = diag(s->c, W0401, sym->span, sym->written ? "`%s` is assigned but never read" : "`%s` is never used",
                       sym->name);
        diag_fix(s->c, d, (Span){sym->span.lo, sym->span.lo}, "_", "`_%s` says that it is meant", sym->name);
    }
}
