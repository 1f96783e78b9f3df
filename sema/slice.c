/* slice.c -- slices, `x[a..b]`, `m[r, ..]`, `m[a..b, ..]`: references to a part of an array, as arguments only. A
 * slice is an array with its own shape and indices from 0, in the memory of the sliced array; its elements must be
 * contiguous, so a slice has indices first, then one range, then whole dimensions. Whether two slices of one array can
 * overlap is decided here from the text of their bounds. That the bounds are ordered and in range is checked at
 * compile time (shape.c) or at run time. */
#include <string.h>

#include "sema/check.h"

bool expr_is_slice(const Expr *e) {
    if (e->kind != EXPR_INDEX) return false;
    for (int d = 0; d < e->index.at.n; d++)
        if (e->index.at.at[d]->kind == EXPR_RANGE) return true;
    return false;
}

Symbol *expr_array_symbol(const Expr *e) {
    const Expr *base = expr_is_slice(e) ? e->index.base : e;
    if (expr_fixed_field(base)) return expr_root(base);
    return base->kind == EXPR_NAME ? base->name.sym : NULL;
}

static bool is_whole_dimension(const Expr *at) {
    const Range *r = &at->range.range;
    return !r->hi && (!r->lo || (r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0));
}

bool expr_is_part(const Expr *e) {
    if (!expr_is_slice(e)) return false;
    for (int d = 0; d < e->index.at.n; d++)
        if (e->index.at.at[d]->kind != EXPR_RANGE || !is_whole_dimension(e->index.at.at[d])) return true;
    return false;
}

const Symbol *expr_whole_array(const Expr *e) {
    if (e->kind == EXPR_NAME) return e->name.sym;
    bool is_whole = expr_is_slice(e) && !expr_is_part(e) && !e->index.is_flat && e->index.base->kind == EXPR_NAME;
    return is_whole ? e->index.base->name.sym : NULL;
}

/* Flat views ------------------------------------------------------------------------------------------------------ */

/* `flat(&m)` is a slice of all of m, `flat(&m[a..b, ..])` the slice that it names, with one dimension. */
static bool is_flat_name(Name name) { return !strcmp(name, "flat"); }

static bool is_flat_view(Sema *s, const Arg *a) {
    const Expr *e = a->value, *callee = e->kind == EXPR_CALL ? e->call.callee : NULL;
    if (a->label || !callee || callee->kind != EXPR_NAME) return false;
    if (scope_find(s, callee->name.name) || !is_flat_name(callee->name.name)) return false;
    return e->call.args.n == 1 && e->call.args.at[0].mode != REF_NONE && !e->call.args.at[0].label;
}

static Expr *all_of(Sema *s, Expr *array) {
    Expr *e = arena_new(s->arena, Expr), *all = arena_new(s->arena, Expr);
    *all = (Expr){.kind = EXPR_RANGE, .span = array->span};
    all->range.range.has_dots = true;
    *e = (Expr){.kind = EXPR_INDEX, .span = array->span};
    e->index.base = array;
    vec_push(s->arena, &e->index.at, all);
    return e;
}

void slice_flat_args(Sema *s, ArgList *args) {
    for (int i = 0; i < args->n; i++) {
        Arg *a = &args->at[i];
        if (!is_flat_view(s, a)) continue;
        const Arg *inner = &a->value->call.args.at[0];
        if (a->mode != REF_NONE) {
            Diag *d = diag(s->c, E0614, a->mode_span, "a flat view is a reference already: its mode is written inside");
            diag_fix(s->c, d, (Span){a->mode_span.lo, a->value->span.lo}, "", "write it only there");
        }
        a->mode = inner->mode;
        a->mode_span = inner->mode_span;
        a->value = expr_is_slice(inner->value) ? inner->value : all_of(s, inner->value);
        a->value->index.is_flat = true;
        if (!s->func || !s->func->is_kernel) continue;
        diag(s->c, E0614, a->span, "a kernel cannot make a flat view: pass one where it is launched");
        a->value->type = s->error;
    }
}

/* Is it the value of a variable that is being declared? */
static bool is_initialiser(const Sema *s, const Expr *e) {
    for (int i = 0; s->block && i < s->block->stmts.n; i++) {
        const Stmt *st = s->block->stmts.at[i];
        if (st->kind == STMT_LET && st->let.init == e) return true;
    }
    return false;
}

bool slice_misplaced_flat(Sema *s, Expr *e) {
    if (!is_flat_name(e->call.callee->name.name) || e->call.args.n != 1) return false;
    Diag *d = diag(s->c, E0614, e->span, "a flat view is a reference to an array, and can only be an argument");
    const Arg *a = &e->call.args.at[0];
    if (a->mode != REF_NONE && is_initialiser(s, e))
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "copy(%s)", source_text(s, e->span)),
                 "copy it into an array");
    else if (a->mode == REF_NONE)
        diag_note(s->c, d, a->span, "write it with the mode, as in `k(flat(&%s))`", source_text(s, a->span));
    return true;
}

/* Checking ---------------------------------------------------------------------------------------------------- */

static bool check_positions(Sema *s, Expr *e) {
    bool ok = true;
    for (int d = 0; d < e->index.at.n; d++) {
        Expr **at = &e->index.at.at[d];
        if ((*at)->kind != EXPR_RANGE) {
            ok = check_as_index(s, at, "an index") && ok;
            continue;
        }
        Range *r = &(*at)->range.range;
        (*at)->type = s->index;
        Expr **bounds[2] = {&r->lo, &r->hi};
        for (int i = 0; i < 2; i++) {
            if (*bounds[i]) ok = check_as_index(s, bounds[i], "the bound of a slice") && ok;
        }
        if (!r->step) continue;
        check_expr(s, &r->step);
        diag(s->c, E0612, r->step->span, "a slice cannot have a step");
        ok = false;
    }
    return ok;
}

/* A `..` at the end counts for all dimensions that are left: a function can take rows of an array of any rank. */
static void fill_dimensions(Sema *s, Expr *e, int rank) {
    ExprList *at = &e->index.at;
    Expr *last = at->at[at->n - 1];
    if (last->kind != EXPR_RANGE || last->range.range.lo || last->range.range.hi) return;
    if (at->n == rank + 1 && rank && at->at[rank - 1]->kind == EXPR_RANGE) at->n--;
    while (at->n < rank) {
        Expr *more = ast_clone_expr(s->c, last);
        more->type = s->index;
        vec_push(s->arena, at, more);
    }
}

static bool mentions(Expr *e, void *name) { return e->kind == EXPR_NAME && e->name.name == *(Name *)name; }

/* The number of a column that is passed on: column.c has written it. */
static bool is_not_in_text(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_NAME && strchr(e->name.name, '$');
}

/* The same elements as an array of their own: "[m[i, 2] for i in shape(m, 0)]". NULL: it cannot be written so. */
static const char *elements_text(Sema *s, Expr *e) {
    static const char *const names[] = {"i", "j", "k", "l", "p", "q"};
    size_t next = 0;
    if (expr_find(e, is_not_in_text, NULL)) return NULL;
    const char *array = source_text(s, e->index.base->span), *at = "", *loops = "";
    for (int d = 0; d < e->index.at.n; d++) {
        Expr *x = e->index.at.at[d];
        const char *sep = d ? ", " : "", *text = source_text(s, x->span);
        if (x->kind == EXPR_RANGE) {
            const Range *r = &x->range.range;
            Name name = NULL;
            while (next < sizeof names / sizeof *names && !name) {
                name = name_of(&s->c->names, names[next++]);
                if (expr_find(e, mentions, &name)) name = NULL;
            }
            if (!name) return NULL;
            text = name;
            const char *lo = r->lo ? arena_printf(s->arena, "%s..", source_text(s, r->lo->span)) : "";
            const char *hi = r->hi ? source_text(s, r->hi->span) : arena_printf(s->arena, "shape(%s, %d)", array, d);
            loops = arena_printf(s->arena, "%s%s%s in %s%s", loops, *loops ? ", " : "", name, lo, hi);
        }
        at = arena_printf(s->arena, "%s%s%s", at, sep, text);
    }
    return arena_printf(s->arena, "[%s[%s] for %s]", array, at, loops);
}

static bool check_contiguous(Sema *s, Expr *e) {
    bool ranged = false;
    for (int d = 0; d < e->index.at.n; d++) {
        const Expr *at = e->index.at.at[d];
        bool skips = at->kind == EXPR_RANGE ? !is_whole_dimension(at) : !e->index.is_column;
        if (ranged && skips && s->holes.n) return false; /* what it is passed to may be unknown */
        if (ranged && skips) {
            Diag *said = diag(s->c, E0612, e->span, "the elements of this slice are not contiguous in memory");
            if (at->kind == EXPR_RANGE)
                diag_note(s->c, said, at->span, "write only `..` after the first range, so that whole rows are taken");
            else
                diag_note(s->c, said, at->span, "only functions and kernels that are written in KDSL take columns");
            const char *copy = elements_text(s, e);
            if (copy) diag_note(s->c, said, e->span, "copy the elements: `%s`", copy);
            return false;
        }
        ranged = ranged || at->kind == EXPR_RANGE;
    }
    return true;
}

Type *check_slice(Sema *s, Expr *e) {
    if (e->type) return e->type;
    Type *array = check_array_name(s, e->index.base, "a slice");
    bool ok = check_positions(s, e);
    if (is_bad(array) || !ok) return bad(s, e);
    if (expr_fixed_field(e->index.base)) {
        Diag *d = diag(s->c, E0345, e->span, "`%s` is part of a struct and cannot be sliced",
                       source_text(s, e->index.base->span));
        diag_fix(s->c, d, e->span, source_text(s, e->index.base->span), "pass the whole array");
        return bad(s, e);
    }
    fill_dimensions(s, e, array->rank);
    int n = e->index.at.n, rank = 0;
    if (n != array->rank) {
        Diag *d = diag(s->c, E0316, e->span, "`%s` has %d dimension%s, but this slice has %d",
                       e->index.base->name.name, array->rank, array->rank == 1 ? "" : "s", n);
        note_declared(s, d, e->index.base->name.sym);
        return bad(s, e);
    }
    if (!check_contiguous(s, e)) return bad(s, e);
    for (int d = 0; d < n; d++) rank += e->index.at.at[d]->kind == EXPR_RANGE;
    if (e->index.is_flat) rank = 1;
    if (s->facts) vec_push(s->arena, &s->facts->indexed, e);
    return e->type = type_array(s->types, array->elem, rank);
}

Type *slice_as_value(Sema *s, Expr *e) {
    if (is_bad(check_slice(s, e))) return s->error;
    Diag *d = diag(s->c, E0614, e->span, "a slice is a reference to part of an array, and can only be an argument");
    const char *text = arena_printf(s->arena, "copy(&%s)", source_text(s, e->span));
    if (is_initialiser(s, e)) diag_fix(s->c, d, e->span, text, "copy it into an array");
    else diag_note(s->c, d, e->span, "copy it into an array: `let part = %s;`", text);
    return bad(s, e);
}

/* The elements of a slice as an array of their own --------------------------------------------------------------- */

static Expr *made(Sema *s, ExprKind kind, uint32_t depth, Span span) {
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = kind, .depth = depth, .span = span};
    return e;
}

Expr *shape_call(Sema *s, Expr *array, int d) {
    Expr *e = made(s, EXPR_CALL, 2, array->span), *which = made(s, EXPR_INT, 1, array->span);
    e->call.callee = made(s, EXPR_NAME, 1, array->span);
    e->call.callee->name.name = name_of(&s->c->names, "shape");
    which->int_.value = (uint64_t)d;
    Arg args[2] = {{.value = array, .span = array->span}, {.value = which, .span = array->span}};
    vec_push(s->arena, &e->call.args, args[0]);
    vec_push(s->arena, &e->call.args, args[1]);
    return e;
}

/* It is computed for each element, so it must be the same each time. */
static bool may_differ(Expr *e, void *context) {
    if (e->kind == EXPR_OFFLOAD || e->kind == EXPR_ATOMIC) return true;
    if (e->kind != EXPR_CALL) return false;
    BuiltinId id = e->call.callee->kind == EXPR_NAME ? builtin_find(context, e->call.callee->name.name) : BUILTIN_NONE;
    return id == BUILTIN_NONE || builtin_rows[id].host_only;
}

static bool skips_elements(Sema *s, Expr *e) {
    bool ranged = false, skips = false;
    for (int d = 0; d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d];
        bool is_range = at->kind == EXPR_RANGE;
        if (is_range ? at->range.range.step != NULL : expr_find(at, may_differ, s) != NULL) return false;
        skips = skips || (ranged && (!is_range || !is_whole_dimension(at)));
        ranged = ranged || is_range;
    }
    return skips;
}

Expr *slice_elements(Sema *s, Expr *e) {
    if (e->index.is_flat || e->index.base->kind != EXPR_NAME) return NULL;
    Type *array = check_array_name(s, e->index.base, "a slice");
    if (is_bad(array)) return NULL;
    fill_dimensions(s, e, array->rank);
    if (e->index.at.n != array->rank || !skips_elements(s, e)) return NULL;
    Expr *all = made(s, EXPR_COMPREHEND, e->depth + 2, e->span), *element = made(s, EXPR_INDEX, e->depth, e->span);
    element->index.base = ast_clone_expr(s->c, e->index.base);
    for (int d = 0; d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d];
        if (at->kind == EXPR_RANGE) {
            Range *r = &at->range.range;
            Binder b = {.name = name_of(&s->c->names, arena_printf(s->arena, "$%d", d)), .span = e->span};
            b.range = (Range){.lo = r->lo, .hi = r->hi, .span = at->span, .has_dots = r->lo != NULL};
            if (!r->hi) b.range.hi = shape_call(s, ast_clone_expr(s->c, e->index.base), d);
            vec_push(s->arena, &all->comprehend.binders, b);
            at = made(s, EXPR_NAME, 1, e->span);
            at->name.name = b.name;
        }
        vec_push(s->arena, &element->index.at, at);
    }
    all->comprehend.value = element;
    return all;
}

/* Can two slices meet? ---------------------------------------------------------------------------------------- */

/* sym + plus, or the constant plus. */
typedef struct Bound {
    bool known;
    const Symbol *sym;
    int64_t plus;
} Bound;

static Bound bound_of(Expr *e) {
    Dim d = dim_of(e);
    if (d.kind == DIM_CONST) return (Bound){true, NULL, d.value};
    if (d.kind == DIM_SYMBOL) return (Bound){true, d.sym, 0};
    e = expr_strip(e);
    if (e->kind != EXPR_BINARY || !e->type->is_int || !e->type->is_signed) return (Bound){0};
    Dim l = dim_of(e->binary.lhs), r = dim_of(e->binary.rhs);
    /* No wrapping: both bounds are in the array, so small constants added to the same symbol keep their order. */
    int64_t most = INT64_C(1) << (e->type->bits - 2);
    if (l.kind == DIM_SYMBOL && r.kind == DIM_CONST && r.value > -most && r.value < most) {
        if (e->binary.op == OP_ADD) return (Bound){true, l.sym, r.value};
        if (e->binary.op == OP_SUB) return (Bound){true, l.sym, -r.value};
    }
    if (l.kind == DIM_CONST && r.kind == DIM_SYMBOL && e->binary.op == OP_ADD && l.value > -most && l.value < most)
        return (Bound){true, r.sym, l.value};
    return (Bound){0};
}

static Bound plus(Bound b, int64_t more) {
    b.known = b.known && !__builtin_add_overflow(b.plus, more, &b.plus);
    return b;
}

/* The bound of a loop's variable: above its last value, or at most its first one. */
static Bound bound_of_loop(Bound b, bool above) {
    const Range *r = b.known && b.sym ? b.sym->counts : NULL;
    if (!r || (r->step && (r->step->konst.kind != CONST_INT || r->step->konst.i <= 0))) return (Bound){0};
    if (!above && !r->lo) return (Bound){true, NULL, b.plus};
    return plus(bound_of(above ? r->hi : r->lo), b.plus);
}

static bool is_at_most(Bound a, Bound b) { return a.known && b.known && a.sym == b.sym && a.plus <= b.plus; }

static bool not_above(Bound a, Bound b) {
    return is_at_most(a, b) || is_at_most(plus(bound_of_loop(a, true), -1), b) ||
           is_at_most(a, bound_of_loop(b, false));
}

static void interval(Expr *at, Bound *lo, Bound *hi) {
    if (at->kind == EXPR_RANGE && at->range.range.column) at = at->range.range.column;
    if (at->kind != EXPR_RANGE) {
        *lo = *hi = bound_of(at);
        hi->known = hi->known && hi->plus < INT64_MAX;
        if (hi->known) hi->plus++;
        return;
    }
    const Range *r = &at->range.range;
    *lo = r->lo ? bound_of(r->lo) : (Bound){true, NULL, 0};
    *hi = r->hi ? bound_of(r->hi) : (Bound){0};
}

bool slices_disjoint(const Expr *a, const Expr *b) {
    if (!expr_is_slice(a) || !expr_is_slice(b)) return false;
    for (int d = 0; d < a->index.at.n && d < b->index.at.n; d++) {
        Bound lo[2], hi[2];
        interval(a->index.at.at[d], &lo[0], &hi[0]);
        interval(b->index.at.at[d], &lo[1], &hi[1]);
        if (not_above(hi[0], lo[1]) || not_above(hi[1], lo[0])) return true;
    }
    return false;
}
