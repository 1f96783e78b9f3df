/* host_names.c -- a kernel that uses a variable of the function that launches it, a mistake of users of OpenMP and
 * Numba. The note, with the parameter that is missing, is added when the module has been checked, and the type of the
 * variable is known. */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

/* A variable of host code with that name: the statement that declares it. */
static const Stmt *variable_in(const Stmt *st, Name name) {
    if (st->kind == STMT_LET && st->let.name == name) return st;
    Children all = stmt_children(st);
    while (child_expr(&all)) continue;
    for (Stmt *x; (x = child_stmt(&all));) {
        const Stmt *found = variable_in(x, name);
        if (found) return found;
    }
    return NULL;
}

bool host_names_find(Sema *s, Diag *d, Name name) {
    for (int i = 0; s->func && s->func->is_kernel && i < s->program->funcs.n; i++) {
        const Func *f = s->program->funcs.at[i];
        if (f->is_kernel || !f->item || !f->item->fn.body) continue;
        for (int k = 0; k < f->item->fn.body->stmts.n; k++) {
            const Stmt *st = variable_in(f->item->fn.body->stmts.at[k], name);
            if (!st) continue;
            vec_push(s->arena, &s->host_names, ((HostName){d, s->func, st}));
            return true;
        }
    }
    return false;
}

static bool is_taken(const Func *kernel, const char *name) {
    const ParamList *params = &kernel->item->fn.params;
    for (int i = 0; i < kernel->sizes.n; i++)
        if (!strcmp(kernel->sizes.at[i]->name, name)) return true;
    for (int i = 0; i < params->n; i++)
        if (!strcmp(params->at[i].name, name)) return true;
    return false;
}

/* `factor: f32`, `table: &[f32; m]`: extents have names that the kernel has not. */
static const char *parameter_text(Sema *s, const Func *kernel, const Symbol *sym) {
    const Type *t = sym->type;
    if (t->kind != TY_ARRAY) return arena_printf(s->arena, "%s: %s", sym->name, type_name(s->c, t));
    static const char *const names[] = {"n", "m", "k", "l", "rows", "columns", "n1", "n2", "n3", "n4"};
    const char *extents = "";
    size_t next = 0, n_names = sizeof names / sizeof *names;
    for (int d = 0; d < t->rank; d++, next++) {
        while (next < n_names && is_taken(kernel, names[next])) next++;
        extents = arena_printf(s->arena, "%s%s%s", extents, d ? ", " : "", next < n_names ? names[next] : "_");
    }
    return arena_printf(s->arena, "%s: &[%s; %s]", sym->name, type_name(s->c, t->elem), extents);
}

/* The variable is used where the kernel gets it: that it is not used would follow from the same mistake. */
void host_names_explain(Sema *s) {
    for (int i = 0; i < s->host_names.n; i++) {
        const HostName *h = &s->host_names.at[i];
        Symbol *sym = h->declared->let.sym;
        Span at = h->declared->let.name_span;
        if (sym) sym->used = true;
        if (!sym || is_bad(sym->type) || type_is_literal(sym->type))
            diag_note(s->c, h->diag, at, "a kernel sees only its parameters: add `%s` to them, and pass it",
                      h->declared->let.name);
        else
            diag_note(s->c, h->diag, at, "a kernel sees only its parameters: add `%s` to them, and pass `%s%s`",
                      parameter_text(s, h->kernel, sym), sym->type->kind == TY_ARRAY ? "&" : "", sym->name);
    }
    s->host_names.n = 0;
}
