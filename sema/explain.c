/* explain.c -- the compiler's decisions as text: --explain=bounds. */
#include "sema/sema.h"

static const char *kind_text(CheckKind k) {
    switch (k) {
    case CHECK_INDEX: return "index";
    case CHECK_DIVIDE: return "divisor";
    case CHECK_SHIFT: return "shift";
    case CHECK_STEP: return "step";
    case CHECK_SHAPE: return "shape";
    case CHECK_SLICE: return "slice";
    case CHECK_ASSERT: return "assert";
    }
    return "?";
}

static void explain_func(const Program *p, const Func *f, Buf *out) {
    buf_printf(out, "%s %s: ", f->is_kernel ? "kernel" : "function", f->name);
    if (!f->n_checks) {
        buf_puts(out, "no checks are needed\n");
        return;
    }
    buf_printf(out, "%d of %d %s proven unnecessary", f->n_checks - f->n_kept, f->n_checks,
               f->n_checks == 1 ? "check" : "checks");
    buf_puts(out, f->n_kept ? ", kept:\n" : ", none left\n");
    for (int i = 0; i < p->sites.n; i++) {
        const CheckSite *s = &p->sites.at[i];
        if (s->func != f || s->is_needless || s->kind == CHECK_ASSERT) continue; /* which is the program's own */
        Place at = source_place(&p->c->sources, s->span.lo);
        buf_printf(out, "  %s:%d:%d: %s `%s`: %s\n", at.file ? at.file->path : "?", at.line, at.col, kind_text(s->kind),
                   s->text, s->why);
    }
}

void explain_bounds(const Program *p, Buf *out) {
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->on_device) explain_func(p, p->funcs.at[i], out);
}
