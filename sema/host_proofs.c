/* host_proofs.c -- the walk of kernels (values.c) through host functions. An index, divisor, shift amount or step that
 * is proved to be right has no check there, either; a check that stays is the runtime's, so nothing is recorded of it.
 * Without its checks `x[i] = f(x[i - 1])` is a loop that keeps the element before in a register. On its way the walk
 * looks at each launch (launched.c). */
#include "sema/access.h"

static bool is_walked(const Func *f) {
    return !f->is_kernel && !f->on_device && !f->facts->skip && f->item && f->item->fn.body;
}

void host_prove(Sema *s) {
    Program *p = s->program;
    bool all_known = !s->options || !s->options->is_session; /* inputs to come may launch the same kernels */
    for (int i = 0; i < p->funcs.n; i++)
        if (all_known && is_walked(p->funcs.at[i])) launched_expect(s, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        if (!is_walked(f)) continue;
        Walk w;
        walk_begin(&w, s, f);
        w.on_host = true;
        w.launch = all_known ? launched_look : NULL;
        walk_body(&w, f->item->fn.body);
    }
}
