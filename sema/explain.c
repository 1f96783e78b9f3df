/* explain.c -- the checks that code for devices would need, with what became of each; --explain=bounds. */
#include "sema/check.h"

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

static CheckNote note_of(Sema *s, const Checked *x, const CheckSite *site) {
    Place at = source_place(&s->c->sources, x->span.lo);
    CheckNote n = {.func = x->func, .file = at.file ? at.file->path : "?", .line = at.line, .col = at.col};
    n.kind = kind_text(x->kind);
    n.text = site ? site->text : source_brief(s, x->what);
    n.fate = !site ? CHECK_PROVEN
             : site->is_needless ? CHECK_PROVEN_BY_CALLERS
             : site->is_hoisted ? CHECK_HOISTED : CHECK_KEPT;
    n.why = n.fate <= CHECK_HOISTED ? site->why : NULL;
    return n;
}

CheckNotes check_notes(const Program *p) {
    Sema s = {.c = p->c, .arena = &p->c->arena};
    CheckNotes notes = {0};
    for (int i = 0; i < p->funcs.n; i++)
        for (int k = 0; p->funcs.at[i]->on_device && k < p->checked.n; k++) {
            const Checked *x = &p->checked.at[k];
            if (x->func != p->funcs.at[i]) continue;
            vec_push(s.arena, &notes, note_of(&s, x, x->site ? &p->sites.at[x->site - 1] : NULL));
        }
    return notes;
}

enum { MAX_NAMED = 3 };

/* Functions that are called, directly or not, and keep checks; at most MAX_NAMED + 1. */
typedef struct Keepers {
    const Func *at[MAX_NAMED + 1];
    int n;
    Vec(const Func *) seen;
} Keepers;

static void find_keepers(Arena *arena, const Func *f, Keepers *k) {
    for (int i = 0; i < f->facts->calls.n && k->n <= MAX_NAMED; i++) {
        const Func *callee = f->facts->calls.at[i]->callee;
        bool seen = false;
        for (int s = 0; s < k->seen.n; s++) seen |= k->seen.at[s] == callee;
        if (seen) continue;
        vec_push(arena, &k->seen, callee);
        if (callee->n_kept) k->at[k->n++] = callee;
        find_keepers(arena, callee, k);
    }
}

/* ", but `open` and `part`, which are called, keep checks" */
static void tell_keepers(Arena *arena, const Func *f, Buf *out) {
    Keepers k = {0};
    vec_push(arena, &k.seen, f);
    find_keepers(arena, f, &k);
    int n = k.n > MAX_NAMED ? MAX_NAMED : k.n;
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s`%s`", !i ? " in it, but " : i == k.n - 1 ? " and " : ", ", k.at[i]->name);
    if (k.n) buf_printf(out, "%s, which %s called, keep%s checks", k.n > n ? " and others" : "", k.n > 1 ? "are" : "is",
                        k.n > 1 ? "" : "s");
}

static void explain_func(Arena *arena, const Func *f, const CheckNotes *notes, Buf *out) {
    buf_printf(out, "%s %s: ", f->is_kernel ? "kernel" : "function", f->name);
    if (!f->n_checks) {
        buf_puts(out, "no checks are needed");
        tell_keepers(arena, f, out);
        buf_puts(out, "\n");
        return;
    }
    buf_printf(out, "%d of %d %s proven unnecessary", f->n_checks - f->n_kept, f->n_checks,
               f->n_checks == 1 ? "check" : "checks");
    buf_puts(out, f->n_kept ? ", kept:" : ", none left");
    if (!f->n_kept) tell_keepers(arena, f, out);
    buf_puts(out, "\n");
    for (int i = 0; i < notes->n; i++) {
        const CheckNote *n = &notes->at[i];
        if (n->func == f && n->fate <= CHECK_HOISTED)
            buf_printf(out, "  %s:%d:%d: %s `%s`: %s\n", n->file, n->line, n->col, n->kind, n->text, n->why);
    }
}

void explain_bounds(const Program *p, Buf *out) {
    CheckNotes notes = check_notes(p);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->on_device) explain_func(&p->c->arena, p->funcs.at[i], &notes, out);
}
