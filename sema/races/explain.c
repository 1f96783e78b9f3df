/* explain.c -- --explain=races: each pair of accesses with its verdict; and values in words. */
#include "sema/races/pairs.h"

const char *const race_verdicts[] = {"free", "unknown", "race, benign", "race"};

/* "i = 3", "i = 3, j = 0"; of an element "4, 0" */
const char *races_values(Arena *arena, const RaceValues *v) {
    const char *text = "";
    for (int i = 0; i < v->n; i++) {
        const char *name = v->at[i].name ? arena_printf(arena, "%s = ", v->at[i].name) : "";
        text = arena_printf(arena, "%s%s%s%lld", text, i ? ", " : "", name, (long long)v->at[i].value);
    }
    return text;
}

const char *races_items(Arena *arena, const RaceWitness *x) {
    bool single = x->items[0].n == 1;
    return arena_printf(arena, single ? "%s and %s" : "(%s) and (%s)", races_values(arena, &x->items[0]),
                        races_values(arena, &x->items[1]));
}

const char *races_element(Arena *arena, const RacePair *p) {
    if (p->witness.is_symbolic) return p->text[0];
    if (!p->witness.element.n) return p->array->name;
    return arena_printf(arena, "%s[%s]", p->array->name, races_values(arena, &p->witness.element));
}

/* --explain=races -------------------------------------------------------------------------------------------------- */

static void explain_pair(const Program *p, const RacePair *r, Buf *out, Arena *arena) {
    Place a = source_place(&p->c->sources, r->at[0].lo), b = source_place(&p->c->sources, r->at[1].lo);
    buf_printf(out, "  %s:%d:%d: `%s` (%s)", a.file ? a.file->path : "?", a.line, a.col, r->text[0], r->mode[0]);
    if (r->at[0].lo == r->at[1].lo) buf_puts(out, " of two work items");
    else buf_printf(out, " and %d:%d: `%s` (%s)", b.line, b.col, r->text[1], r->mode[1]);
    buf_printf(out, ": %s", race_verdicts[r->verdict]);
    if (r->holes) {
        long long n = (long long)r->holes + 1;
        buf_printf(out, ": at least two of %lld items touch the same element, whatever the data", n);
    } else if (r->verdict >= RACE_BENIGN) {
        buf_printf(out, ": %s touch `%s`", races_items(arena, &r->witness), races_element(arena, r));
        if (r->witness.sizes.n) buf_printf(out, " when %s", races_values(arena, &r->witness.sizes));
    } else if (r->is_assumed) buf_puts(out, " if the assumptions hold");
    else if (r->verdict == RACE_UNKNOWN) buf_printf(out, ": %s", r->reason);
    buf_putc(out, '\n');
}

void explain_races(const Program *p, Buf *out) {
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        if (!f->is_kernel || !f->races) continue;
        int n[RACE_FOUND + 1] = {0};
        for (int k = 0; k < f->races->pairs.n; k++) n[f->races->pairs.at[k].verdict]++;
        int all = f->races->pairs.n;
        buf_printf(out, "kernel %s: ", f->name);
        if (f->races->failed) buf_printf(out, "not analysed: %s\n", f->races->failed);
        else if (!all) buf_puts(out, "no two accesses can conflict\n");
        else buf_printf(out, "%d of %d %s free\n", n[RACE_FREE], all, all == 1 ? "pair" : "pairs");
        for (int k = 0; k < all; k++) explain_pair(p, &f->races->pairs.at[k], out, &p->c->arena);
    }
}
