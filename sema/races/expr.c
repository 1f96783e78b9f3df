/* expr.c -- expressions in the race analysis: their values as quasi-affine functions, with a variable for each part
 * that is not one, and the accesses that evaluating them makes. Calls are inlined. */
#include <string.h>

#include "parser/children.h"
#include "sema/races/walk.h"

enum { MAX_EVENTS = 160, MAX_CALLS = 200, MAX_TEXT = 40 };

const char *const touch_names[] = {"read", "write", "update", "atomic"};

bool races_is_tracked(const Type *t) { return t && ((t->kind >= TY_I8 && t->kind <= TY_INDEX) || t->kind == TY_BOOL); }

static bool is_integer(const Type *t) { return races_is_tracked(t) && t->kind != TY_BOOL; }

static const char *text_of(Walk *w, Span span) {
    const char *text = source_text(w->s, span);
    return strlen(text) <= MAX_TEXT ? text : "an expression";
}

/* States ----------------------------------------------------------------------------------------------------------- */

void races_suppose(Walk *w, isl_set *c) {
    if (!c) {
        w->failed = true;
        return;
    }
    w->live = space_keep(&w->space, quasi_and(isl_set_copy(w->live), isl_set_copy(c)));
    if (!w->live) w->failed = true;
}

/* Facts of the variables from number n on. */
static void learn_from(Walk *w, int n) {
    for (; n < w->space.vars.n; n++)
        if (w->space.vars.at[n]->facts) races_suppose(w, w->space.vars.at[n]->facts);
}

static void learn_of(Walk *w, isl_pw_aff *value) {
    VarSet in = varset_new(&w->space);
    varset_add_value(&w->space, &in, value);
    int n = w->space.vars.n;
    varset_close(&w->space, &in);
    for (int i = 0; i < n; i++)
        if (in.has[i] && w->space.vars.at[i]->facts && w->space.vars.at[i]->kind > VAR_COUNTER)
            races_suppose(w, w->space.vars.at[i]->facts);
}

void races_bind(Walk *w, const Symbol *sym, isl_pw_aff *value) {
    quasi_bind(&w->frame->quasi, sym, isl_pw_aff_copy(value));
}

/* Unknown values --------------------------------------------------------------------------------------------------- */

Var *races_unknown(Walk *w, const Type *t, const char *why, unsigned origin) {
    Var *v = var_new(&w->space, t->kind == TY_BOOL ? VAR_CHOICE : VAR_DATA, "value", false);
    v->why = why;
    v->origin = origin;
    if (t->kind == TY_BOOL) var_within(&w->space, v, 0, 2);
    else var_learn(&w->space, v, quasi_in_type(v->value, t));
    learn_from(w, w->space.vars.n - 1);
    return v;
}

void races_same_in_group(Walk *w, Var *v) {
    v->args = arena_array(&w->space.arena, isl_pw_aff *, w->groups.n + w->counters.n + 1);
    for (int i = 0; i < w->groups.n; i++) v->args[v->n_args++] = w->groups.at[i]->value;
    for (int i = 0; i < w->counters.n; i++) v->args[v->n_args++] = w->counters.at[i]->value;
    v->is_function = true;
}

static bool varies(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_NAME) return e->name.sym && symbol_varies(e->name.sym);
    if (e->kind != EXPR_CALL) return e->kind == EXPR_ATOMIC;
    return e->call.info && e->call.info->kind == CALL_FUNC;
}

static void make_uniform(Walk *w, Var *v, const Expr *e) {
    if (!w->kernel->group.items || w->frame->caller || expr_find((Expr *)e, varies, NULL)) return;
    races_same_in_group(w, v);
}

/* Is it made of parameters, and elements of arrays that nobody writes at such places? Then all items have it. */
static bool depends(Expr *e, void *context) {
    Walk *w = context;
    switch (e->kind) {
    case EXPR_NAME: {
        const Symbol *sym = e->name.sym;
        bool same = sym && (sym->kind == SYM_SIZE || sym->kind == SYM_CONST ||
                            (sym->kind == SYM_PARAM && (sym->mode == REF_NONE || sym->mode == REF_IN)));
        if (same || !sym || sym->id < 0) return !same;
        isl_pw_aff *v = sym->id < w->frame->quasi.f->n_symbols ? w->frame->quasi.value[sym->id] : NULL;
        return !v || !value_is_shared(&w->space, v);
    }
    case EXPR_CALL: return !e->call.info || e->call.info->kind == CALL_FUNC;
    case EXPR_ATOMIC:
    case EXPR_COMPREHEND:
    case EXPR_ERROR: return true;
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_INDEX:
    case EXPR_FIELD:
    case EXPR_IF:
    case EXPR_FILL:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_OFFLOAD:
    case EXPR_CONVERT:
    case EXPR__COUNT: break;
    }
    return false;
}

static bool is_same_for_all(Walk *w, const Expr *e) { return !w->frame->caller && !expr_find((Expr *)e, depends, w); }

static Var *loaded_before(Walk *w, const Ref *ref) {
    for (int i = 0; i < w->space.vars.n; i++) {
        Var *v = w->space.vars.at[i];
        if (v->root != ref->root || !v->root || v->n_args != ref->n) continue;
        bool same = true;
        for (int k = 0; k < ref->n; k++) same = same && value_equal(v->args[k], ref->at[k].at);
        if (same) return v;
    }
    return NULL;
}

/* An element of an array that the kernel only reads is a function of its indices. */
static isl_pw_aff *loaded(Walk *w, const Expr *e) {
    Ref ref = races_resolve(w, e);
    bool plain = ref.root && ref.root->sym->mode == REF_IN;
    bool shared = plain;
    for (int i = 0; i < ref.n; i++) {
        plain = plain && !ref.at[i].mask && ref.at[i].at && !ref.at[i].open;
        shared = shared && plain && value_is_shared(&w->space, ref.at[i].at);
    }
    Var *v = plain ? loaded_before(w, &ref) : NULL;
    if (v) return v->value;
    v = var_new(&w->space, shared ? VAR_SCALAR : VAR_DATA, "value", shared);
    v->why = text_of(w, e->span);
    v->origin = races_origin(w, e);
    var_learn(&w->space, v, quasi_in_type(v->value, e->type));
    if (plain) {
        v->root = ref.root;
        v->args = arena_array(&w->space.arena, isl_pw_aff *, ref.n + 1);
        for (; v->n_args < ref.n; v->n_args++) v->args[v->n_args] = ref.at[v->n_args].at;
        v->is_function = true;
    } else make_uniform(w, v, e);
    return v->value;
}

static bool is_nonneg(Walk *w, isl_pw_aff *v) {
    return quasi_at_least(w->live, v, 0);
}

/* a * b, a / b, a % b with a b that only the launch decides. */
static isl_pw_aff *symbolic(Walk *w, const Expr *e, isl_pw_aff *a, isl_pw_aff *b) {
    Space *s = &w->space;
    bool swaps = e->binary.op == OP_MUL && !value_is_shared(s, b);
    isl_pw_aff *of = swaps ? b : a, *factor = swaps ? a : b;
    if (!value_is_shared(s, factor)) return NULL;
    bool sign = is_nonneg(w, factor);
    if (e->binary.op == OP_MUL) {
        isl_pw_aff *product = space_keep_value(s, space_multiply(s, of, factor, sign));
        return e->type->bits == 64 || quasi_is_in_type(w->live, product, e->type) ? product : NULL;
    }
    if (!is_nonneg(w, of)) return NULL;
    isl_pw_aff *q = var_quotient(s, of, factor, sign)->value;
    if (e->binary.op == OP_DIV) return q;
    isl_pw_aff *whole = space_multiply(s, q, factor, sign);
    return space_keep_value(s, isl_pw_aff_sub(isl_pw_aff_copy(of), whole));
}

/* a ^ b with a b that only the launch decides: the partner in an exchange. */
static isl_pw_aff *exchanged(Walk *w, const Expr *e, isl_pw_aff *a, isl_pw_aff *b) {
    bool swaps = !value_is_shared(&w->space, b);
    isl_pw_aff *of = swaps ? b : a, *by = swaps ? a : b;
    if (!value_is_shared(&w->space, by) || value_is_shared(&w->space, of)) return NULL;
    if (!is_nonneg(w, of) || !is_nonneg(w, by)) return NULL;
    Var *v = var_exchange(&w->space, of, by);
    v->why = text_of(w, e->span);
    return v->value;
}

/* a & (w - 1) is a % w for a power of two. */
static isl_pw_aff *below_power(Walk *w, isl_pw_aff *a, isl_pw_aff *b) {
    bool swaps = !value_is_shared(&w->space, b);
    isl_pw_aff *of = swaps ? b : a, *mask = swaps ? a : b;
    for (int i = 0; i < w->powers.n; i++) {
        isl_pw_aff *power = w->powers.at[i];
        isl_pw_aff *less = isl_pw_aff_sub(isl_pw_aff_copy(power), isl_pw_aff_copy(mask));
        isl_set *one = isl_pw_aff_eq_set(less, quasi_number(&w->space.q, 1));
        bool fits = isl_set_is_subset(w->live, one) == isl_bool_true;
        isl_set_free(one);
        if (!fits || !is_nonneg(w, mask) || !is_nonneg(w, of)) continue;
        isl_pw_aff *q = var_quotient(&w->space, of, power, true)->value;
        isl_pw_aff *whole = space_multiply(&w->space, q, power, true);
        return space_keep_value(&w->space, isl_pw_aff_sub(isl_pw_aff_copy(of), whole));
    }
    return NULL;
}

/* A sum that may wrap: as it is where it fits its type, and 2^n less or more elsewhere. Most often that is no index
 * of an array, so that the bounds check leaves the first case only. */
static isl_pw_aff *wrapped(Walk *w, const Expr *e, isl_pw_aff *a, isl_pw_aff *b) {
    if (isl_pw_aff_n_piece(a) != 1 || isl_pw_aff_n_piece(b) != 1) return NULL;
    if (!quasi_is_in_type(w->live, a, e->type) || !quasi_is_in_type(w->live, b, e->type)) return NULL;
    isl_pw_aff *sum = e->binary.op == OP_ADD ? isl_pw_aff_add(isl_pw_aff_copy(a), isl_pw_aff_copy(b))
                                             : isl_pw_aff_sub(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
    isl_val *range = isl_val_2exp(isl_val_int_from_si(w->space.q.ctx, e->type->bits));
    isl_pw_aff *value = NULL;
    for (int turn = -1; turn <= 1; turn++) {
        isl_val *by = isl_val_mul(isl_val_copy(range), isl_val_int_from_si(w->space.q.ctx, turn));
        isl_pw_aff *v = isl_pw_aff_add_constant_val(isl_pw_aff_copy(sum), by);
        isl_set *there = quasi_in_type(v, e->type), *here = quasi_and(isl_set_copy(w->live), isl_set_copy(there));
        bool never = isl_set_is_empty(here) == isl_bool_true;
        isl_set_free(here);
        v = isl_pw_aff_intersect_domain(v, there);
        if (never) isl_pw_aff_free(v);
        else value = value ? isl_pw_aff_union_add(value, v) : v;
    }
    isl_val_free(range);
    isl_pw_aff_free(sum);
    return space_keep_value(&w->space, value);
}

/* Operations of a value of the item and one that only the launch decides. */
static isl_pw_aff *operated(Walk *w, const Expr *e, isl_pw_aff *a, isl_pw_aff *b) {
    switch ((int)e->binary.op) {
    case OP_MUL:
    case OP_DIV:
    case OP_REM: return symbolic(w, e, a, b);
    case OP_BIT_XOR: return exchanged(w, e, a, b);
    case OP_BIT_AND: return below_power(w, a, b);
    case OP_ADD:
    case OP_SUB: return wrapped(w, e, a, b);
    }
    return NULL;
}

static isl_pw_aff *measured(Walk *w, const Expr *e) {
    const CallInfo *info = e->call.info;
    const Expr *x = info->receiver ? info->receiver : e->call.args.n ? e->call.args.at[0].value : NULL;
    const Expr *d = e->call.args.n ? e->call.args.at[e->call.args.n - 1].value : NULL;
    int axis = info->builtin == BUILTIN_LEN ? 0 : d && d->konst.kind == CONST_INT ? (int)d->konst.i : -1;
    Ref ref = x ? races_resolve(w, x) : (Ref){0};
    for (int i = 0; i < ref.n; i++)
        if (ref.at[i].open && !axis--) return ref.at[i].ext;
    return NULL;
}

static bool is_operated(const Walk *w, Op op) {
    return op == OP_MUL || op == OP_DIV || op == OP_REM || op == OP_ADD || op == OP_SUB || op == OP_BIT_XOR ||
           (op == OP_BIT_AND && w->powers.n);
}

static isl_pw_aff *find_value(Walk *w, QuasiFrame *at, const Expr *e, isl_set *states) {
    if (e->kind == EXPR_BINARY && is_operated(w, e->binary.op)) {
        isl_pw_aff *a = quasi_int(at, e->binary.lhs, states), *b = quasi_int(at, e->binary.rhs, states), *v = NULL;
        if (a && b && !w->created) v = operated(w, e, a, b);
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        if (v || w->created) return v;
    }
    if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
        (e->call.info->builtin == BUILTIN_LEN || e->call.info->builtin == BUILTIN_SHAPE)) {
        isl_pw_aff *ext = measured(w, e);
        if (ext) return ext;
    }
    if (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD || e->kind == EXPR_NAME) {
        isl_pw_aff *v = loaded(w, e);
        return w->created ? NULL : v;
    }
    if (is_same_for_all(w, e)) {
        Var *v = var_new(&w->space, VAR_SCALAR, "value", true);
        v->why = text_of(w, e->span);
        var_learn(&w->space, v, quasi_in_type(v->value, e->type));
        return v->value;
    }
    Var *v = races_unknown(w, e->type, text_of(w, e->span), races_origin(w, e));
    make_uniform(w, v, e);
    return v->value;
}

static isl_pw_aff *memo_of(Walk *w, const Expr *e) {
    for (int i = w->memo.n - 1; i >= 0; i--)
        if (w->memo.at[i].of == e) return w->memo.at[i].value;
    return NULL;
}

static void memoise(Walk *w, const Expr *e, isl_pw_aff *value) {
    vec_push(&w->space.arena, &w->memo, ((Memo){e, value}));
    w->created = true;
}

/* quasi_int cannot tell what it is. The first of them in an evaluation gets a variable; then the evaluation begins
 * anew, with what is known of the variable. */
static isl_pw_aff *other_int(QuasiFrame *at, const Expr *e, isl_set *states) {
    Walk *w = ((Frame *)at)->walk;
    isl_pw_aff *v = memo_of(w, e);
    if (v) return isl_pw_aff_copy(v);
    if (w->created || w->failed) return NULL;
    v = find_value(w, at, e, states);
    if (v && !w->created) memoise(w, e, v);
    return NULL;
}

static isl_set *other_bool(QuasiFrame *at, const Expr *e, isl_set *states) {
    (void)states;
    Walk *w = ((Frame *)at)->walk;
    isl_pw_aff *v = memo_of(w, e);
    if (!v && !w->created && !w->failed) {
        Var *choice;
        if (is_same_for_all(w, e)) {
            choice = var_new(&w->space, VAR_SCALAR, "choice", true);
            choice->why = text_of(w, e->span);
            var_within(&w->space, choice, 0, 2);
        } else {
            choice = races_unknown(w, e->type, text_of(w, e->span), races_origin(w, e));
            make_uniform(w, choice, e);
        }
        memoise(w, e, choice->value);
    }
    return v ? isl_pw_aff_eq_set(isl_pw_aff_copy(v), quasi_number(&w->space.q, 1)) : NULL;
}

enum { MAX_PARTS = 40 }; /* of one expression, that are not quasi-affine */

/* After a part of the expression got a variable: what is known of it; false: no part did. */
static bool again(Walk *w, int *parts) {
    if (!w->created || w->failed || ++*parts > MAX_PARTS) return false;
    learn_of(w, w->memo.at[w->memo.n - 1].value);
    w->created = false;
    return true;
}

isl_pw_aff *races_int(Walk *w, const Expr *e) {
    isl_pw_aff *v;
    int parts = 0;
    do v = quasi_int(&w->frame->quasi, e, w->live);
    while (!v && again(w, &parts));
    w->created = false;
    if (!v) w->failed = true;
    return space_keep_value(&w->space, v);
}

isl_set *races_bool(Walk *w, const Expr *e) {
    isl_set *c;
    int parts = 0;
    do c = quasi_bool(&w->frame->quasi, e, w->live);
    while (!c && again(w, &parts));
    w->created = false;
    if (!c) w->failed = true;
    return space_keep(&w->space, c);
}

isl_pw_aff *races_bool_value(Walk *w, const Expr *e) {
    isl_set *c = races_bool(w, e);
    return c ? space_keep_value(&w->space, isl_set_indicator_function(isl_set_copy(c))) : NULL;
}

/* Arrays ----------------------------------------------------------------------------------------------------------- */

Frame races_frame(Walk *w, const Func *f, bool with_result) {
    Frame in = {.quasi = quasi_frame(&w->space.q, f), .walk = w, .caller = w->frame};
    in.refs = arena_array(&w->space.arena, Ref, f->n_symbols + 1);
    in.needed = races_slice(w, f, with_result);
    in.quasi.other_int = other_int;
    in.quasi.other_bool = other_bool;
    return in;
}

static Step *step_add(Walk *w, Ref *r) {
    Step *at = arena_array(&w->space.arena, Step, r->n + 1);
    if (r->n) memcpy(at, r->at, sizeof(Step) * (size_t)r->n);
    r->at = at;
    return &at[r->n++];
}

static isl_pw_aff *number(Walk *w, int64_t v) { return space_keep_value(&w->space, quasi_number(&w->space.q, v)); }

static isl_pw_aff *sum(Walk *w, isl_pw_aff *a, isl_pw_aff *b) {
    return a && b ? space_keep_value(&w->space, isl_pw_aff_add(isl_pw_aff_copy(a), isl_pw_aff_copy(b))) : NULL;
}

static void open_axis(Walk *w, Ref *r, isl_pw_aff *ext) {
    *step_add(w, r) = (Step){.at = number(w, 0), .ext = ext, .open = true};
}

static Ref variable(Walk *w, const Symbol *sym) {
    Ref none = {0};
    if (!sym || sym->id < 0 || sym->id >= w->frame->quasi.f->n_symbols) return none;
    Ref *r = &w->frame->refs[sym->id];
    if (r->n || r->root || sym->kind != SYM_LOCAL || sym->type->kind != TY_ARRAY) return *r;
    Ref own = {0}; /* an array of the item */
    for (int d = 0; d < sym->type->rank; d++)
        open_axis(w, &own, sym->dims[d].kind == DIM_CONST ? number(w, sym->dims[d].value) : NULL);
    return own;
}

static void index_ref(Walk *w, Ref *r, const ExprList *at) {
    Step *copy = arena_array(&w->space.arena, Step, r->n + 1);
    if (r->n) memcpy(copy, r->at, sizeof(Step) * (size_t)r->n);
    r->at = copy;
    for (int i = 0, k = 0; i < at->n; i++, k++) {
        while (k < r->n && !copy[k].open) k++;
        if (k == r->n) return;
        const Expr *e = at->at[i];
        if (e->kind != EXPR_RANGE) {
            isl_pw_aff *v = races_int(w, e);
            copy[k].at = sum(w, copy[k].at, v);
            copy[k].open = false;
            continue;
        }
        const Range *range = &e->range.range;
        isl_pw_aff *lo = range->lo ? races_int(w, range->lo) : number(w, 0);
        isl_pw_aff *hi = range->hi ? races_int(w, range->hi) : copy[k].ext;
        copy[k].at = copy[k].from = sum(w, copy[k].at, lo);
        copy[k].ext =
            lo && hi ? space_keep_value(&w->space, isl_pw_aff_sub(isl_pw_aff_copy(hi), isl_pw_aff_copy(lo))) : NULL;
    }
}

Ref races_resolve(Walk *w, const Expr *e) {
    if (e->kind == EXPR_CONVERT) return races_resolve(w, e->convert.operand);
    if (e->kind == EXPR_NAME) return variable(w, e->name.sym);
    if (e->kind == EXPR_INDEX) {
        Ref r = races_resolve(w, e->index.base);
        if (r.n) index_ref(w, &r, &e->index.at);
        return r;
    }
    if (e->kind != EXPR_FIELD) return (Ref){0};
    Ref r = races_resolve(w, e->field.base);
    unsigned mask = 0;
    for (int i = 0; i < e->field.n_at; i++) mask |= e->field.at[i] < 31 ? 1u << e->field.at[i] : 1u << 31;
    step_add(w, &r)->mask = mask ? mask : ~0u;
    const Type *fixed = expr_fixed_field(e);
    for (int d = 0; fixed && d < fixed->rank; d++) open_axis(w, &r, number(w, fixed->extent[d]));
    return r;
}

/* Events ----------------------------------------------------------------------------------------------------------- */

static void suppose(Walk *w, isl_set *c) {
    races_suppose(w, c);
    isl_set_free(c);
}

/* The states in which the element exists: a check ends the item otherwise. */
static void suppose_inside(Walk *w, const Ref *r) {
    for (int i = 0; i < r->n; i++) {
        const Step *s = &r->at[i];
        if (s->mask || !s->at || !s->ext || s->open) continue;
        isl_pw_aff *at = isl_pw_aff_copy(s->at); /* a slice checks an index of its own */
        if (s->from) at = isl_pw_aff_sub(at, isl_pw_aff_copy(s->from));
        isl_pw_aff *left = isl_pw_aff_sub(isl_pw_aff_copy(s->ext), isl_pw_aff_copy(at));
        if (!quasi_at_least(w->live, at, 0)) suppose(w, isl_pw_aff_nonneg_set(isl_pw_aff_copy(at)));
        if (!quasi_at_least(w->live, left, 1)) suppose(w, isl_pw_aff_pos_set(isl_pw_aff_copy(left)));
        isl_pw_aff_free(at);
        isl_pw_aff_free(left);
    }
}

/* With the facts of all variables that occur in it. */
static isl_set *states_of(Walk *w, const Ref *r) {
    Space *s = &w->space;
    VarSet in = varset_new(s);
    varset_add_set(s, &in, w->live);
    for (int i = 0; i < r->n; i++) varset_add_value(s, &in, r->at[i].at);
    varset_close(s, &in);
    isl_set *states = isl_set_copy(w->live);
    for (int i = 0; i < s->vars.n; i++)
        if (in.has[i] && s->vars.at[i]->facts && s->vars.at[i]->kind > VAR_COUNTER)
            states = quasi_and(states, isl_set_copy(s->vars.at[i]->facts));
    return space_keep(s, states);
}

static void note(Walk *w, Ref r, Event e) {
    if (!r.root || w->quiet || w->failed || (r.root->sym->mode == REF_IN && e.touch == TOUCH_READ)) return;
    suppose_inside(w, &r);
    e.ref = r;
    e.states = states_of(w, &r);
    e.phase = w->phase;
    e.call = w->call;
    e.may = w->may;
    e.is_claimed = w->claimed;
    if (e.touch != TOUCH_READ) r.root->is_written = true;
    if (w->events.n >= MAX_EVENTS) w->failed = true;
    else vec_push(&w->space.arena, &w->events, e);
}

void races_touch(Walk *w, Expr *e, Event how) {
    const Symbol *root = expr_root(e);
    if (w->frame->quasi.f == w->kernel && how.touch == TOUCH_READ && root && root->mode == REF_IN) return;
    if (w->quiet) return;
    const Ref r = races_resolve(w, e);
    how.span = e->span;
    note(w, r, how);
}

void races_scan_target(Walk *w, Expr *e) {
    if (e->kind == EXPR_FIELD) races_scan_target(w, e->field.base);
    if (e->kind == EXPR_CONVERT) races_scan_target(w, e->convert.operand);
    if (e->kind != EXPR_INDEX) return;
    races_scan_target(w, e->index.base);
    bool wanted = w->wanted;
    w->wanted = true;
    for (int i = 0; i < e->index.at.n; i++) races_scan(w, e->index.at.at[i]);
    w->wanted = wanted;
}

static bool is_place(const Expr *e) {
    while (e->kind == EXPR_FIELD || e->kind == EXPR_INDEX) e = e->kind == EXPR_FIELD ? e->field.base : e->index.base;
    return e->kind == EXPR_NAME;
}

/* x.at(i, j) reads only what is inside. */
static void scan_at(Walk *w, Expr *e) {
    for (int i = 0; i < e->call.args.n; i++) races_scan(w, e->call.args.at[i].value);
    Ref r = races_resolve(w, e->call.info->receiver);
    ExprList at = {0};
    for (int i = 0; i < e->call.args.n; i++) vec_push(&w->space.arena, &at, e->call.args.at[i].value);
    isl_set *live = w->live;
    if (r.root) index_ref(w, &r, &at);
    note(w, r, (Event){.touch = TOUCH_READ, .span = e->span});
    w->live = live;
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static void pass(Walk *w, Frame *in, const Symbol *param, const Arg *a) {
    if (param->id < 0) return;
    if (param->mode == REF_NONE) {
        if (!in->needed[param->id]) return;
        isl_pw_aff *v = NULL;
        if (is_integer(param->type)) v = races_int(w, a->value);
        else if (param->type->kind == TY_BOOL) v = races_bool_value(w, a->value);
        if (v) quasi_bind(&in->quasi, param, isl_pw_aff_copy(v));
        return;
    }
    in->refs[param->id] = races_resolve(w, a->value);
}

static void pass_sizes(Walk *w, Frame *in, const Expr *call) {
    const CallInfo *info = call->call.info;
    for (int k = 0; k < in->quasi.f->sizes.n && k < info->sizes.n; k++) {
        const Arg *a = &call->call.args.at[info->sizes.at[k].arg];
        Ref r = races_resolve(w, a->value);
        int axis = info->sizes.at[k].dim;
        for (int i = 0; i < r.n; i++) {
            if (!r.at[i].open || axis--) continue;
            isl_pw_aff *n = r.at[i].ext ? isl_pw_aff_copy(r.at[i].ext) : NULL;
            if (n && info->sizes.at[k].add) n = isl_pw_aff_sub(n, quasi_number(&w->space.q, info->sizes.at[k].add));
            if (n) quasi_bind(&in->quasi, in->quasi.f->sizes.at[k], n);
        }
    }
}

/* A variable of the item that a function writes. */
static void forget_passed(Walk *w, const Expr *call) {
    for (int i = 0; i < call->call.args.n; i++) {
        const Arg *a = &call->call.args.at[i];
        const Symbol *sym =
            (a->mode == REF_MUT || a->mode == REF_OUT) && a->value->kind == EXPR_NAME ? a->value->name.sym : NULL;
        if (sym && sym->kind == SYM_LOCAL && !sym->is_shared && races_is_tracked(sym->type))
            races_bind(w, sym, races_unknown(w, sym->type, sym->name, races_origin_of(w, sym))->value);
    }
}

/* Does a call get memory that items share, and that is written? */
static bool gets_shared(Walk *w, const Expr *e) {
    for (int i = 0; i < e->call.args.n; i++) {
        if (e->call.args.at[i].mode == REF_NONE) continue;
        const Symbol *sym = expr_root(e->call.args.at[i].value);
        bool known = sym && sym->id >= 0 && sym->id < w->frame->quasi.f->n_symbols;
        const Root *root = known ? w->frame->refs[sym->id].root : NULL;
        if (root && root->sym->mode != REF_IN) return true;
    }
    return false;
}

static void inline_call(Walk *w, Expr *e) {
    const Func *f = e->call.info->func;
    bool known = f && f->item && f->item->fn.body && !f->facts->skip, wanted = w->wanted && races_is_tracked(e->type);
    const bool *needed = known ? races_slice(w, f, wanted) : NULL;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        w->wanted = needed && i < f->params.n && f->params.at[i]->id >= 0 && needed[f->params.at[i]->id];
        if (a->mode == REF_NONE) races_scan(w, a->value);
        else races_scan_target(w, a->value);
    }
    w->wanted = wanted;
    if (!known || (!wanted && !gets_shared(w, e))) {
        forget_passed(w, e);
        return;
    }
    if (++w->calls > MAX_CALLS) {
        w->failed = true;
        return;
    }
    Frame in = races_frame(w, f, wanted);
    for (int i = 0; i < e->call.args.n && i < f->params.n; i++) pass(w, &in, f->params.at[i], &e->call.args.at[i]);
    pass_sizes(w, &in, e);
    isl_set *live = w->live;
    const char *may = w->may;
    Span call = w->call;
    if (!call.hi) w->call = e->span;
    int n = w->memo.n;
    in.result_unknown = !wanted;
    w->frame = &in;
    races_block(w, f->item->fn.body);
    w->frame = in.caller;
    w->memo.n = n;
    w->call = call;
    w->live = live;
    w->may = may;
    w->wanted = wanted;
    forget_passed(w, e);
    isl_set *covered = isl_pw_aff_domain(isl_pw_aff_copy(in.result)); /* every path returns */
    known = in.result && !in.result_unknown && isl_set_is_subset(live, covered) == isl_bool_true;
    isl_set_free(covered);
    if (known) {
        vec_push(&w->space.arena, &w->memo, ((Memo){e, space_keep_value(&w->space, in.result)}));
        learn_of(w, in.result);
    } else isl_pw_aff_free(in.result);
    quasi_frame_end(&in.quasi);
}

static void scan_call(Walk *w, Expr *e) {
    const CallInfo *info = e->call.info;
    if (info && info->kind == CALL_FUNC) {
        inline_call(w, e);
        return;
    }
    if (info && info->kind == CALL_BUILTIN && info->builtin == BUILTIN_AT) {
        scan_at(w, e);
        return;
    }
    if (info && info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE)) return;
    for (int i = 0; i < e->call.args.n; i++) races_scan(w, e->call.args.at[i].value);
}

/* Scanning --------------------------------------------------------------------------------------------------------- */

static void scan_under(Walk *w, Expr *e, isl_set *c, bool holds) {
    isl_set *live = w->live;
    if (!c) return;
    w->live = holds ? quasi_and(isl_set_copy(live), isl_set_copy(c))
                    : isl_set_subtract(isl_set_copy(live), isl_set_copy(c));
    space_keep(&w->space, w->live);
    if (w->live) races_scan(w, e);
    else w->failed = true;
    w->live = live;
}

static void scan_atomic(Walk *w, Expr *e) {
    races_scan_target(w, e->atomic.target);
    races_scan(w, e->atomic.value);
    races_scan(w, e->atomic.was);
    races_touch(w, e->atomic.target, (Event){.touch = TOUCH_ATOMIC, .atomic = e});
    const Symbol *sym = e->atomic.target->kind == EXPR_NAME ? e->atomic.target->name.sym : NULL;
    if (sym && sym->kind == SYM_LOCAL && races_is_tracked(sym->type))
        races_bind(w, sym, races_unknown(w, sym->type, sym->name, races_origin_of(w, sym))->value);
}

/* [e for i in n] makes an array of the item. */
static void scan_comprehension(Walk *w, Expr *e) {
    isl_set *live = w->live;
    for (int i = 0; i < e->comprehend.binders.n; i++) {
        const Binder *b = &e->comprehend.binders.at[i];
        if (b->range.lo) races_scan(w, b->range.lo);
        races_scan(w, b->range.hi);
        Var *v = races_unknown(w, b->range.type ? b->range.type : w->s->index, b->name, 0);
        v->kind = VAR_COUNTER;
        races_bind(w, b->sym, v->value);
        isl_set *range = quasi_range(&w->frame->quasi, &b->range, v->value, w->live);
        if (range) races_suppose(w, range);
        isl_set_free(range);
    }
    races_scan(w, e->comprehend.value);
    w->live = live;
}

void races_scan(Walk *w, Expr *e) {
    if (!e || w->failed || e->konst.kind != CONST_NONE) return;
    switch (e->kind) {
    case EXPR_NAME: {
        Ref r = variable(w, e->name.sym);
        bool is_value = e->type && e->type->kind != TY_ARRAY && r.root;
        if (is_value) races_touch(w, e, (Event){.touch = TOUCH_READ});
        return;
    }
    case EXPR_INDEX:
    case EXPR_FIELD:
        if (!is_place(e)) break;
        races_scan_target(w, e);
        if (!expr_is_slice(e) && e->type && e->type->kind != TY_ARRAY) races_touch(w, e, (Event){.touch = TOUCH_READ});
        return;
    case EXPR_CALL: scan_call(w, e); return;
    case EXPR_IF: {
        bool wanted = w->wanted, splits = races_touches(e->if_.then_) || races_touches(e->if_.else_);
        w->wanted = wanted || splits;
        races_scan(w, e->if_.cond);
        w->wanted = wanted;
        if (!splits) return;
        isl_set *c = w->failed ? NULL : races_bool(w, e->if_.cond);
        scan_under(w, e->if_.then_, c, true);
        scan_under(w, e->if_.else_, c, false);
        return;
    }
    case EXPR_BINARY:
        races_scan(w, e->binary.lhs);
        if ((e->binary.op == OP_AND || e->binary.op == OP_OR) && races_touches(e->binary.rhs)) {
            isl_set *c = w->failed ? NULL : races_bool(w, e->binary.lhs);
            scan_under(w, e->binary.rhs, c, e->binary.op == OP_AND);
        } else races_scan(w, e->binary.rhs);
        return;
    case EXPR_ATOMIC: scan_atomic(w, e); return;
    case EXPR_COMPREHEND: scan_comprehension(w, e); return;
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_UNARY:
    case EXPR_FILL:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_OFFLOAD:
    case EXPR_CONVERT:
    case EXPR__COUNT: break;
    }
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) races_scan(w, x);
}
