/* affine.c -- affine sums over atoms, and a prover of inequalities. To prove f >= 0, the prover writes f as known
 * facts (sums that are not negative) times positive factors plus a remainder that is not negative: it eliminates one
 * atom after the other, the newest first, with a fact in which the atom has the same sign, or with the range of the
 * atom's type. Each step is sound by itself. The search is bounded, so a proof may be missed. */
#include "sema/affine.h"

#include <stdio.h>

enum { PROOF_STEPS = 160, PROOF_DEPTH = 8, MAX_FACTS = 96 };
static const int64_t MAX_FACTOR = (int64_t)1 << 31;
static const Wide MAX_SUM = (Wide)1 << 94; /* two products with MAX_FACTOR can be added */

Wide type_least(const Type *t) { return t->is_signed ? -((Wide)1 << (t->bits - 1)) : 0; }
Wide type_most(const Type *t) { return ((Wide)1 << (t->bits - t->is_signed)) - 1; }

Form form_const(Wide c) { return (Form){.c = c}; }
Form form_of_atom(int atom) { return (Form){.n = 1, .at = {{atom, 1}}}; }
bool form_is_const(const Form *f) { return f->n == 0; }

Form form_atom(Affine *a, Atom atom) {
    vec_push(a->arena, &a->atoms, atom);
    return form_of_atom(a->atoms.n - 1);
}

static bool in_reach(Wide v, Wide limit) { return v <= limit && v >= -limit; }

/* *out = p * x + q * y */
static bool combine(Form *out, int64_t p, const Form *x, int64_t q, const Form *y) {
    Form sum = {.c = p * x->c + q * y->c};
    if (!in_reach(sum.c, MAX_SUM)) return false;
    for (int i = 0, j = 0; i < x->n || j < y->n;) {
        bool from_x = i < x->n && (j >= y->n || x->at[i].atom <= y->at[j].atom);
        bool from_y = j < y->n && (i >= x->n || y->at[j].atom <= x->at[i].atom);
        int atom = from_x ? x->at[i].atom : y->at[j].atom;
        Wide k = (from_x ? (Wide)p * x->at[i].k : 0) + (from_y ? (Wide)q * y->at[j].k : 0);
        i += from_x;
        j += from_y;
        if (!k) continue;
        if (!in_reach(k, MAX_FACTOR) || sum.n == FORM_TERMS) return false;
        sum.at[sum.n].atom = atom;
        sum.at[sum.n++].k = (int64_t)k;
    }
    *out = sum;
    return true;
}

bool form_add(Form *out, const Form *x, int64_t k, const Form *y) {
    return in_reach(k, MAX_FACTOR) && combine(out, 1, x, k, y);
}

Interval affine_interval(const Affine *a, const Form *f) {
    Interval r = {f->c, f->c};
    for (int i = 0; i < f->n; i++) {
        const Atom *atom = &a->atoms.at[f->at[i].atom];
        Wide k = f->at[i].k;
        r.lo += k * (k > 0 ? atom->lo : atom->hi);
        r.hi += k * (k > 0 ? atom->hi : atom->lo);
    }
    return r;
}

Wide wide_least(Wide a, Wide b) { return a < b ? a : b; }
Wide wide_most(Wide a, Wide b) { return a > b ? a : b; }

void affine_limit(Affine *a, const Form *atom, Wide lo, Wide hi) {
    Atom *at = &a->atoms.at[atom->at[0].atom];
    at->lo = wide_most(at->lo, lo);
    at->hi = wide_least(at->hi, hi);
}

/* The prover ---------------------------------------------------------------------------------------------------- */

static bool prove(Affine *a, const Form *f, int depth);

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Fourier-Motzkin step: eliminates the last atom of f with g, which has the atom with the same sign: m * f - l * g
 * with m, l > 0. The sums are integers, so m * f >= 1 - m implies f >= 0. */
static bool prove_with(Affine *a, const Form *f, const Form *g, int64_t k_of_g, int depth) {
    int64_t k = f->at[f->n - 1].k, size = k < 0 ? -k : k, by = k_of_g < 0 ? -k_of_g : k_of_g;
    int64_t d = common_divisor(size, by);
    Form rest;
    if (!combine(&rest, by / d, f, -(size / d), g)) return false;
    rest.c += by / d - 1;
    return prove(a, &rest, depth - 1);
}

static int64_t factor_of(const Form *g, int atom) {
    for (int i = 0; i < g->n; i++)
        if (g->at[i].atom == atom) return g->at[i].k;
    return 0;
}

static bool prove_either(Affine *a, const Form *f, const Atom *atom, int depth) {
    Form first = *f, one;
    int64_t k = first.at[--first.n].k;
    for (int i = 0; i < 2; i++)
        if (!form_add(&one, &first, k, &atom->either[i]) || !prove(a, &one, depth - 1)) return false;
    return true;
}

static bool prove(Affine *a, const Form *f, int depth) {
    if (f->n == 0) return f->c >= 0;
    if (depth == 0 || a->steps-- <= 0) return false;
    int last = f->at[f->n - 1].atom;
    int64_t k = f->at[f->n - 1].k;
    Atom atom = a->atoms.at[last];
    Form least = *f;
    least.n--;
    least.c += k * (k > 0 ? atom.lo : atom.hi);
    if (in_reach(least.c, MAX_SUM) && prove(a, &least, depth - 1)) return true;
    for (int i = a->facts.n; i-- > 0;) {
        int64_t k_of_g = factor_of(&a->facts.at[i], last);
        if (k_of_g && (k_of_g > 0) == (k > 0) && prove_with(a, f, &a->facts.at[i], k_of_g, depth)) return true;
    }
    return atom.is_either && prove_either(a, f, &atom, depth);
}

/* Iterative deepening: most proofs are short, and a long search in the wrong direction would use up the steps. */
bool affine_prove(Affine *a, const Form *f) {
    for (int depth = 1; depth <= PROOF_DEPTH; depth++) {
        a->steps = PROOF_STEPS;
        if (prove(a, f, depth)) return true;
        if (a->steps == PROOF_STEPS) return false; /* there was nothing to search */
    }
    return false;
}

bool affine_at_least(Affine *a, const Form *f, const Form *g) {
    Form d;
    return form_add(&d, f, -1, g) && affine_prove(a, &d);
}

bool affine_within(Affine *a, const Form *f, Wide lo, Wide hi) {
    Form least = form_const(lo), most = form_const(hi);
    return affine_at_least(a, f, &least) && affine_at_least(a, &most, f);
}

void affine_learn(Affine *a, const Form *f) {
    if (a->facts.n < MAX_FACTS && f->n) vec_push(a->arena, &a->facts, *f);
}

void affine_learn_at_least(Affine *a, const Form *f, const Form *g, int64_t by) {
    Form d;
    if (!form_add(&d, f, -1, g)) return;
    d.c -= by;
    affine_learn(a, &d);
}

/* Text ---------------------------------------------------------------------------------------------------------- */

static const char *number_text(Arena *arena, Wide v) {
    if (v == (int64_t)v) return arena_printf(arena, "%lld", (long long)v);
    return arena_printf(arena, "%.0f", (double)v);
}

const char *form_text(Affine *a, const Form *f) {
    const char *text = "";
    for (int i = 0; i < f->n; i++) {
        int64_t k = f->at[i].k, size = k < 0 ? -k : k;
        const char *sign = k < 0 ? (i ? " - " : "-") : i ? " + " : "";
        const char *times = size == 1 ? "" : arena_printf(a->arena, "%lld * ", (long long)size);
        text = arena_printf(a->arena, "%s%s%s%s", text, sign, times, a->atoms.at[f->at[i].atom].text);
    }
    if (!f->n) return number_text(a->arena, f->c);
    if (!f->c) return text;
    const char *size = number_text(a->arena, f->c < 0 ? -f->c : f->c);
    return arena_printf(a->arena, "%s %s %s", text, f->c < 0 ? "-" : "+", size);
}
