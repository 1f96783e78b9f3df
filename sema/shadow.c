/* shadow.c -- which accesses a program records that is compiled with --check=race or --check=init (runtime/shadow.c):
 * those to memory that several work items may access and one of them may write. Not recorded are arrays that a kernel
 * only reads, and those of which disjoint.c or the race analysis (races/) shows that they cannot race. A kernel without
 * a recorded access is compiled as without the option.
 *
 * Device functions are compiled a second time for kernels with recorded accesses: an access through a reference is
 * recorded if some such kernel may pass a recorded array. Each recorded access has a number (Expr.touch), by which
 * Program.touches has its place. */
#include <string.h>

#include "sema/check.h"
#include "sema/races/races.h"

enum { MOST_TOUCHES = (1 << 16) - 1 }; /* runtime/shadow.c, SITE_BITS */

bool shadow_checks(const char *list, unsigned *checks) {
    enum { N_CHECKS = 4 };
    static const struct {
        const char *name;
        unsigned check;
    } known[N_CHECKS] = {{"race", SHADOW_RACE}, {"init", SHADOW_INIT}, {"bounds", 0}, {"all", SHADOW_ALL}};
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < N_CHECKS && (strlen(known[i].name) != n || strncmp(at, known[i].name, n))) i++;
        if (i == N_CHECKS) return false;
        *checks |= known[i].check;
        at += n;
        if (!*at) return true;
    }
}

bool symbol_is_shadowed(const Symbol *sym) {
    return sym && sym->id >= 0 && sym->func && sym->func->shadowed.at[sym->id];
}

bool symbol_is_exposed(const Symbol *sym) { return symbol_is_shadowed(sym) && sym->func->exposed.at[sym->id]; }

/* Which memory ----------------------------------------------------------------------------------------------------- */

/* Its elements have no value when a launch, or a group, begins. */
bool symbol_is_fresh(const Symbol *sym) {
    return sym->is_shared || (sym->kind == SYM_PARAM && (sym->mode == REF_OUT || sym->mode == REF_SCRATCH));
}

/* Accesses in functions are recorded in any case. */
static bool is_within(const Func *kernel, const Span at[2]) {
    Span body = kernel->item->fn.body->span;
    return at[0].lo >= body.lo && at[0].hi <= body.hi && at[1].lo >= body.lo && at[1].hi <= body.hi;
}

/* The race analysis has decided about each pair of accesses. */
static bool is_proven_free(const Func *kernel, const Symbol *array) {
    const RaceTable *t = kernel->races;
    int n = 0;
    for (int i = 0; t && !t->failed && i < t->pairs.n; i++) {
        const RacePair *p = &t->pairs.at[i];
        if (p->array != array) continue;
        if (p->verdict != RACE_FREE || p->is_assumed || !is_within(kernel, p->at)) return false;
        n++;
    }
    return n > 0;
}

static bool may_race(const Sema *s, const Func *kernel, const Symbol *array) {
    if (s->options->shadow & SHADOW_ALL) return true;
    return !accesses_are_disjoint(s->arena, kernel, array) && !is_proven_free(kernel, array);
}

static void choose(const Sema *s, Func *kernel, Symbol *sym, bool is_exposed) {
    unsigned checks = s->options->shadow;
    bool is_written = sym->is_shared || sym->mode == REF_MUT || sym->mode == REF_OUT || sym->mode == REF_SCRATCH;
    bool is_value = sym->type->kind != TY_ARRAY; /* one that no item writes is passed by value */
    if (is_value && !(is_written && kernel->transfers.at[sym->dim] & TRANSFER_FROM)) return;
    bool wants_init = checks & SHADOW_INIT && symbol_is_fresh(sym);
    if (!(checks & SHADOW_ALL)) wants_init = wants_init && is_exposed;
    bool is_assumed_whole = checks & SHADOW_INIT && is_assumed(kernel, sym, ASSUME_WRITTEN);
    wants_init |= is_assumed_whole;
    bool wants_races = checks & SHADOW_RACE && is_written && may_race(s, kernel, sym);
    kernel->shadowed.at[sym->id] = wants_init || wants_races;
    kernel->exposed.at[sym->id] = wants_init;
}

bool symbol_is_unset(const Symbol *sym) {
    bool is_local = sym && sym->kind == SYM_LOCAL && sym->func && sym->id >= 0 && !sym->is_shared && !sym->init;
    return is_local && sym->type->kind == TY_ARRAY && frame_facts(sym)->in_frame;
}

typedef struct Unset {
    const Sema *s;
    Vec(Symbol *) arrays;
} Unset;

static bool find_unset(Expr *e, void *context) {
    Unset *u = context;
    Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    bool is_new = symbol_is_unset(sym);
    for (int i = 0; is_new && i < u->arrays.n; i++) is_new = u->arrays.at[i] != sym;
    if (is_new) vec_push(u->s->arena, &u->arrays, sym);
    return false;
}

/* The arrays of a kernel or function that --check=init is about, those of a work item last. */
static void choose_arrays(Sema *s, Func *f) {
    Unset u = {.s = s};
    bool wants_init = s->options->shadow & SHADOW_INIT;
    for (int i = 0; f->is_kernel && i < f->params.n; i++) vec_push(s->arena, &u.arrays, f->params.at[i]);
    for (int i = 0; f->is_kernel && i < f->group.shared.n; i++) vec_push(s->arena, &u.arrays, f->group.shared.at[i]);
    int n = u.arrays.n;
    if (wants_init) block_find(f->item->fn.body, find_unset, &u);
    if (!u.arrays.n) return;
    bool *exposed = wants_init ? exposed_arrays(s->arena, f, u.arrays.at, u.arrays.n) : NULL;
    for (int i = 0; i < u.arrays.n; i++) {
        Symbol *sym = u.arrays.at[i];
        if (i < n) choose(s, f, sym, exposed && exposed[i]);
        else if (exposed[i] || s->options->shadow & SHADOW_ALL) f->shadowed.at[sym->id] = true;
    }
}

static bool passes_on(const Func *f) {
    bool changed = false;
    for (int i = 0; i < f->facts->calls.n; i++) {
        const CallSite *site = f->facts->calls.at[i];
        Func *callee = site->callee;
        if (site->is_launch || !callee->on_device || site->call->kind != EXPR_CALL) continue;
        for (int k = 0; k < callee->params.n && k < site->call->call.args.n; k++) {
            const Symbol *p = callee->params.at[k];
            if (p->mode == REF_NONE || callee->shadowed.at[p->id]) continue;
            if (!symbol_is_shadowed(expr_root(site->call->call.args.at[k].value))) continue;
            callee->shadowed.at[p->id] = changed = true;
        }
    }
    return changed;
}

/* Recorded accesses ------------------------------------------------------------------------------------------------ */

typedef struct Numbering {
    Sema *s;
    Func *func;
} Numbering;

/* The array, or the value passed by reference; NULL: not recorded. */
static const Symbol *recorded(Expr *e) {
    bool is_part = e->kind == EXPR_INDEX || (e->kind == EXPR_FIELD && expr_fixed_field(e));
    const Symbol *sym = NULL;
    if (expr_is_builtin(e, BUILTIN_AT)) sym = expr_root(e->call.info->receiver);
    else if (is_part) sym = expr_root(e);
    else if (e->kind == EXPR_NAME) sym = e->name.sym;
    return symbol_is_shadowed(sym) ? sym : NULL;
}

static bool give_number(Expr *e, void *context) {
    Numbering *n = context;
    Program *p = n->s->program;
    Recorded access = {e->span, recorded(e)};
    if (!access.array) return false;
    n->func->is_shadowed = true;
    if (p->touches.n == MOST_TOUCHES) {
        diag(n->s->c, E1001, e->span, "the program has more accesses than --check can record: %d", MOST_TOUCHES);
        return true;
    }
    vec_push(n->s->arena, &p->touches, access);
    e->touch = p->touches.n;
    return false;
}

/* A caller of such a function calls its second version, from which the function knows that it is to record. */
static bool inherits(Func *f) {
    if (f->is_shadowed) return false;
    for (int i = 0; i < f->facts->calls.n; i++) {
        const CallSite *site = f->facts->calls.at[i];
        if (!site->is_launch && site->callee->on_device && site->callee->is_shadowed) f->is_shadowed = true;
    }
    return f->is_shadowed;
}

void shadow_find(Sema *s) {
    Program *p = s->program;
    if (!s->options || !s->options->shadow) return;
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        if (f->on_device && !f->is_made && f->item && f->item->fn.body) choose_arrays(s, f);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->funcs.n; i++)
            if (p->funcs.at[i]->on_device) changed |= passes_on(p->funcs.at[i]);
    }
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        Numbering n = {s, f};
        if (f->on_device && f->item && f->item->fn.body) block_find(f->item->fn.body, give_number, &n);
    }
    for (bool changed = true; changed;) { /* device functions do not recurse */
        changed = false;
        for (int i = 0; i < p->funcs.n; i++)
            if (p->funcs.at[i]->on_device && !p->funcs.at[i]->is_kernel) changed |= inherits(p->funcs.at[i]);
    }
}
