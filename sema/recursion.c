/* recursion.c -- recursion: which functions may call themselves, directly or through others. Only their calls can be
 * nested without end, so they test how much of the stack is left (irgen/lang/func.c).
 *
 * Functions that call nothing are removed from the call graph, then those that call only removed ones, and so on; then
 * functions without callers, in the same way. The functions that are left are on a cycle, or between two cycles. */
#include "sema/check.h"

typedef Vec(Func *) FuncList;
enum { CALLEES, CALLERS };

static CallSites *sites_of(const Func *f, int direction) {
    return direction == CALLEES ? &f->facts->calls : &f->facts->callers;
}

static bool counts(const CallSite *site) {
    return !site->is_launch && site->caller->recurses && site->callee->recurses;
}

static void peel(Sema *s, int direction) {
    FuncList ends = {0};
    for (int i = 0; i < s->program->funcs.n; i++) {
        Func *f = s->program->funcs.at[i];
        CallSites *sites = sites_of(f, direction);
        f->facts->pending = 0;
        for (int k = 0; k < sites->n; k++) f->facts->pending += counts(sites->at[k]);
        if (f->recurses && !f->facts->pending) vec_push(s->arena, &ends, f);
    }
    for (int i = 0; i < ends.n; i++) {
        CallSites *sites = sites_of(ends.at[i], !direction);
        for (int k = 0; k < sites->n; k++) {
            Func *next = direction == CALLEES ? sites->at[k]->caller : sites->at[k]->callee;
            if (counts(sites->at[k]) && --next->facts->pending == 0) vec_push(s->arena, &ends, next);
        }
        ends.at[i]->recurses = false;
    }
}

void find_recursion(Sema *s) {
    for (int i = 0; i < s->program->funcs.n; i++) s->program->funcs.at[i]->recurses = true;
    peel(s, CALLEES);
    peel(s, CALLERS);
}
