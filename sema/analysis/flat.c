/* flat.c -- delinearisation: finds the row length by which the items of a domain divide their index. In `over p in h *
 * w` with `let i = p / w; let j = p % w;` items are in rows of w; in a row, p / w is the same for all, and p % w
 * counts up. With an index of three axes, `p / (h * w)`, `p / w % h` and `p % w`, or with remainders of remainders,
 * the shortest row is found, and the other divisors are products with it.
 *
 * This is the form of a program, not a proof: that w is large enough for rows of vectors, and that no product of an
 * area overflows, is tested at the launch (irgen/cpu/range.c), and there is a version without rows for the others. */
#include "sema/analysis/flat.h"

#include "sema/check.h"

static bool is_value_of_launch(const Symbol *s) {
    return s && s->type && s->type->is_int && (s->kind == SYM_SIZE || (s->kind == SYM_PARAM && s->mode == REF_NONE));
}

/* Made of sizes, parameters and constants alone, without anything that can fail. */
static bool is_sum_of_launch(const Expr *e) {
    e = expr_strip((Expr *)e);
    if (e->konst.kind == CONST_INT) return true;
    if (e->kind == EXPR_NAME) return is_value_of_launch(e->name.sym);
    if (e->kind != EXPR_BINARY || !e->type->is_int) return false;
    Op op = e->binary.op;
    if (op != OP_ADD && op != OP_SUB && op != OP_MUL) return false;
    return is_sum_of_launch(e->binary.lhs) && is_sum_of_launch(e->binary.rhs);
}

static bool is_fixed_local(const Expr *e) {
    const Symbol *s = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return s && s->kind == SYM_LOCAL && !s->is_mutable && s->init;
}

static bool keeps_value(const Type *to, const Type *from) {
    if (!to->is_int || !from->is_int) return false;
    return to->is_signed == from->is_signed ? to->bits >= from->bits : to->is_signed && to->bits > from->bits;
}

/* index(p), where p is an i32: a conversion that is written */
static const Expr *converted(const Expr *e) {
    if (e->kind == EXPR_CONVERT) return e->convert.operand;
    if (e->kind != EXPR_CALL || e->call.info->kind != CALL_CONVERT || e->call.args.n != 1) return NULL;
    return e->call.args.at[0].value;
}

const Expr *flat_origin(const Expr *e) {
    for (;;) {
        const Expr *operand = converted(e);
        if (operand && keeps_value(e->type, operand->type)) e = operand;
        else if (is_fixed_local(e) && e->name.sym->type->kind == e->name.sym->init->type->kind) e = e->name.sym->init;
        else return e;
    }
}

/* Times e. */
static bool multiply(Factors *f, const Expr *e) {
    const Expr *origin = flat_origin(e);
    int64_t k = origin->konst.i;
    if (origin->konst.kind == CONST_INT) return k > 0 && !__builtin_mul_overflow(f->k, k, &f->k);
    if (origin->kind == EXPR_BINARY && origin->binary.op == OP_MUL && origin->type->is_int && origin->type->bits == 64)
        return multiply(f, origin->binary.lhs) && multiply(f, origin->binary.rhs);
    const Symbol *leaf = origin->kind == EXPR_NAME ? origin->name.sym : NULL;
    if (!is_value_of_launch(leaf)) {
        for (e = expr_strip((Expr *)e); is_fixed_local(e) && e->name.sym->init->kind == EXPR_NAME;)
            e = e->name.sym->init;
        leaf = is_fixed_local(e) && is_sum_of_launch(e->name.sym->init) ? e->name.sym : NULL;
    }
    if (!leaf || f->n == MAX_FACTORS) return false;
    f->at[f->n++] = leaf;
    return true;
}

static bool factors_of(const Expr *e, Factors *out) {
    *out = (Factors){.k = 1};
    return e->type->is_int && multiply(out, e);
}

/* a = by * *rest */
static bool quotient(const Factors *a, const Factors *by, Factors *rest) {
    *rest = *a;
    if (a->k % by->k) return false;
    rest->k = a->k / by->k;
    for (int i = 0; i < by->n; i++) {
        int at = 0;
        while (at < rest->n && rest->at[at] != by->at[i]) at++;
        if (at == rest->n) return false;
        rest->at[at] = rest->at[--rest->n];
    }
    return true;
}

static bool is_one(const Factors *f) { return f->k == 1 && !f->n; }

static bool same(const Factors *a, const Factors *b) {
    Factors rest;
    return quotient(a, b, &rest) && is_one(&rest);
}

bool flat_divisor(const FlatAxis *f, const Factors *by, Factors *rest) {
    if (!quotient(by, &f->row, rest)) return false;
    bool known = is_one(rest);
    for (int i = 0; i < f->n_areas; i++) known = known || same(by, &f->area[i]);
    return known;
}

bool flat_division(const Expr *e, Division *out) {
    enum { MOST = 62 };
    if (e->kind != EXPR_BINARY || !e->type->is_int || e->konst.kind != CONST_NONE) return false;
    const Const *k = &flat_origin(e->binary.rhs)->konst;
    Op op = e->binary.op;
    *out = (Division){.of = e->binary.lhs, .by = {.k = 1}, .is_remainder = op == OP_REM || op == OP_BIT_AND};
    if (op == OP_DIV || op == OP_REM) return factors_of(e->binary.rhs, &out->by);
    if (k->kind != CONST_INT) return false;
    if (op == OP_SHR) out->by.k = k->i >= 0 && k->i < MOST ? INT64_C(1) << k->i : 0;
    else if (op == OP_BIT_AND) out->by.k = k->i > 0 && k->i < INT64_C(1) << MOST && !(k->i & (k->i + 1)) ? k->i + 1 : 0;
    else return false;
    return out->by.k > 0;
}

const char *flat_text(Arena *arena, const Factors *f) {
    const char *text = f->k == 1 && f->n ? "" : arena_printf(arena, "%lld", (long long)f->k);
    for (int i = 0; i < f->n; i++) text = arena_printf(arena, "%s%s%s", text, *text ? " * " : "", f->at[i]->name);
    return text;
}

/* The search ------------------------------------------------------------------------------------------------------- */

typedef struct Search {
    FlatAxis *found;
    Vec(Factors) divisors;
    Arena *arena;
} Search;

/* p, or a remainder of it. */
static bool is_of_axis(const Symbol *axis, const Expr *e) {
    Division d;
    e = flat_origin(e);
    while (flat_division(e, &d) && d.is_remainder) e = flat_origin(d.of);
    return e->kind == EXPR_NAME && e->name.sym == axis;
}

static bool see(Expr *e, void *context) {
    Search *s = context;
    Division d;
    if (flat_division(e, &d) && is_of_axis(s->found->axis, d.of)) vec_push(s->arena, &s->divisors, d.by);
    return false;
}

/* The shortest row, and of the others the multiples of it. */
static bool choose(Search *s) {
    FlatAxis *f = s->found;
    if (!s->divisors.n) return false;
    f->row = s->divisors.at[0];
    for (int i = 1; i < s->divisors.n; i++) {
        Factors rest;
        if (quotient(&f->row, &s->divisors.at[i], &rest)) f->row = s->divisors.at[i];
    }
    for (int i = 0; i < s->divisors.n && f->n_areas < MAX_AREAS; i++) {
        Factors rest;
        bool multiple = quotient(&s->divisors.at[i], &f->row, &rest) && !is_one(&rest), known = false;
        for (int k = 0; k < f->n_areas; k++) known = known || same(&f->area[k], &s->divisors.at[i]);
        if (multiple && !known) f->area[f->n_areas++] = s->divisors.at[i];
    }
    return f->row.n || f->row.k >= LEAST_ROW;
}

static bool counts_from_zero_up(const Range *r) {
    const Expr *lo = r->lo ? expr_strip(r->lo) : NULL;
    bool is_low = !lo || (lo->konst.kind == CONST_INT && lo->konst.i >= 0) ||
                  (lo->kind == EXPR_NAME && lo->name.sym && lo->name.sym->kind == SYM_SIZE);
    return is_low && (!r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i == 1));
}

bool flat_axis(Arena *arena, const Func *kernel, FlatAxis *out) {
    *out = (FlatAxis){.axis = kernel->domain.n == 1 ? kernel->domain.at[0] : NULL};
    if (!out->axis || kernel->group.items || !counts_from_zero_up(&kernel->item->fn.over.at[0].range)) return false;
    if (!out->axis->type->is_signed && out->axis->type->bits == 64) return false;
    Search s = {.found = out, .arena = arena};
    block_find(kernel->item->fn.body, see, &s);
    out->branches = block_holds(kernel->item->fn.body, 1u << STMT_IF);
    return choose(&s);
}
