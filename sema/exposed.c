/* exposed.c -- upward-exposed reads (array data-flow analysis: Feautrier 1991; must-write regions: Creusillet and
 * Irigoin 1995): which arrays that begin without values may be read before they are written? For each point of a kernel
 * or function, a set of isl has the elements that certainly have values there, with the sizes, the position of the work
 * item and the variables of the loops around as parameters. A read asks whether its element is in the set.
 *
 * The set of an item has what it has written itself. At a barrier, what the other items of the group have written is
 * added: the set, for some item of the group. So after a tile is loaded and a barrier passed, every element of the tile
 * is in it, and an index that is not understood does no harm: it is inside of the array or fails its check.
 * A loop adds the union over its iterations; inside of it, those before the one under way are added if a read needs
 * them. Branches add what they write where their condition holds, or what both write where it is not quasi-affine.
 *
 * The set is a lower bound. What is not understood adds nothing: loops that may be left early, `while`, parts of
 * elements below a field. Values that are not quasi-affine are variables as long as they are in scope. */
#include "parser/children.h"
#include "sema/analysis/quasi.h"
#include "sema/check.h"

#include <isl/id.h>
#include <isl/val.h>

enum {
    MAX_OPERATIONS = 2000000, /* of isl, for one function */
    MAX_CALLS = 100,
    MAX_PARTS = 64,
};

typedef struct Tracked {
    const Symbol *sym;
    int rank, n_parts; /* fields or components of an element, a further dimension; 0: it has none */
    bool is_private;
    isl_set *box;      /* all elements */
    isl_set *set;      /* that have values */
    isl_set *gain;     /* since the branch or loop around began */
    bool is_exposed;
} Tracked;

/* What a reference is bound to: along each axis of the array an index, or where the range of a slice begins. */
typedef struct Axis {
    isl_pw_aff *from; /* NULL: not known */
    bool is_open;     /* the reference has this axis, too */
} Axis;
typedef struct Ref {
    Tracked *to; /* NULL: nothing that matters */
    Axis *at;
    int n_open;
    bool is_whole;  /* the array itself */
    bool is_inside; /* of elements: a part of them */
} Ref;

typedef struct Frame {
    QuasiFrame quasi;
    Ref *refs; /* by Symbol.id */
} Frame;

/* A variable that stands for a value: of a loop, or one that is not quasi-affine. */
typedef struct Value {
    isl_pw_aff *v;
    bool is_uniform; /* the same for all items of a group */
} Value;

typedef struct Walk {
    Arena *arena;
    Quasi q;
    Frame *frame;
    Tracked *arrays;
    int n, calls, n_found;
    isl_set *states, *items; /* that reach this point; of all items of a group, where their positions are */
    bool is_dead;
    isl_pw_aff *local[3];
    Vec(Value) values;
    Vec(isl_set *) kept;
    Vec(isl_pw_aff *) kept_values;
} Walk;

/* Sets ------------------------------------------------------------------------------------------------------------- */

static isl_set *keep(Walk *w, isl_set *s) {
    if (s) vec_push(w->arena, &w->kept, s);
    return s;
}

static isl_pw_aff *keep_value(Walk *w, isl_pw_aff *v) {
    if (v) vec_push(w->arena, &w->kept_values, v);
    return v;
}

static isl_space *elements(const Walk *w, const Tracked *t) {
    return isl_space_set_alloc(w->q.ctx, 0, (unsigned)(t->rank + (t->n_parts > 0)));
}

static isl_set *where(isl_set *set, isl_set *states) { return isl_set_intersect_params(set, isl_set_params(states)); }

static isl_map *no_index(const Walk *w) {
    return isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(w->q.ctx, 0, 0)));
}

static isl_map *below(const Walk *w, isl_pw_aff *extent) {
    isl_map *less = isl_map_lex_gt(isl_space_set_alloc(w->q.ctx, 0, 1)); /* extent -> i */
    return isl_map_apply_range(isl_map_from_pw_aff(extent), isl_map_lower_bound_si(less, isl_dim_out, 0, 0));
}

static isl_set *box_of(Walk *w, const Tracked *t) {
    isl_map *m = no_index(w);
    for (int d = 0; d < t->rank; d++) {
        const Dim *fixed = &t->sym->dims[d];
        isl_pw_aff *extent = NULL;
        if (t->sym->kind == SYM_PARAM)
            extent = quasi_extent(&w->frame->quasi, &w->frame->quasi.f->shapes.at[t->sym->dim].at[d]);
        else if (fixed->kind == DIM_CONST) extent = quasi_number(&w->q, fixed->value);
        m = isl_map_flat_range_product(m, below(w, extent));
    }
    if (t->n_parts) m = isl_map_flat_range_product(m, below(w, quasi_number(&w->q, t->n_parts)));
    return keep(w, isl_map_range(m));
}

static isl_set *unite(Walk *w, isl_set *a, isl_set *b) {
    if (a == b || isl_set_plain_is_empty(b) == isl_bool_true) return a;
    return keep(w, isl_set_union(isl_set_copy(a), isl_set_copy(b)));
}

static int find(isl_set *set, isl_pw_aff *variable) {
    isl_id *id = isl_pw_aff_get_dim_id(variable, isl_dim_param, 0);
    int pos = set ? isl_set_find_dim_by_id(set, isl_dim_param, id) : -1;
    isl_id_free(id);
    return pos;
}

static bool involves(isl_set *set, isl_pw_aff *variable) {
    int pos = find(set, variable);
    return pos >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)pos, 1) != isl_bool_false;
}

typedef struct Without {
    int pos;
    isl_set *rest;
} Without;

static isl_stat take_without(isl_basic_set *b, void *user) {
    Without *x = user;
    if (isl_basic_set_involves_dims(b, isl_dim_param, (unsigned)x->pos, 1) == isl_bool_false)
        x->rest = isl_set_union(x->rest, isl_set_from_basic_set(b));
    else isl_basic_set_free(b);
    return isl_stat_ok;
}

/* Without the conjunctions in which the variable occurs. */
static isl_set *without(Walk *w, isl_set *set, isl_pw_aff *variable) {
    Without x = {.pos = find(set, variable)};
    if (x.pos < 0) return set;
    x.rest = isl_set_empty(isl_set_get_space(set));
    isl_set_foreach_basic_set(set, take_without, &x);
    return keep(w, isl_set_project_out(x.rest, isl_dim_param, (unsigned)x.pos, 1));
}

/* Values ----------------------------------------------------------------------------------------------------------- */

/* A value that is not known. */
static void bind_unknown(Walk *w, Frame *in, const Symbol *sym) {
    if (!sym || sym->type->kind < TY_I8 || sym->type->kind > TY_INDEX) return;
    isl_pw_aff *v = quasi_variable(&w->q, sym);
    w->states = keep(w, isl_set_intersect(isl_set_copy(w->states), quasi_in_type(v, sym->type)));
    vec_push(w->arena, &w->values, ((Value){isl_pw_aff_copy(v), false}));
    quasi_bind(&in->quasi, sym, v);
}

static void bind_value(Walk *w, Frame *in, const Symbol *sym, const Expr *e) {
    isl_pw_aff *v = quasi_int(&w->frame->quasi, e, w->states);
    if (sym->type->kind == TY_BOOL) {
        isl_set *c = quasi_bool(&w->frame->quasi, e, w->states);
        v = c ? isl_set_indicator_function(c) : NULL;
    }
    if (v) quasi_bind(&in->quasi, sym, v);
    else bind_unknown(w, in, sym);
}

/* The variables from number n on go out of scope. */
static void forget_values(Walk *w, int n) {
    while (w->values.n > n) {
        isl_pw_aff *v = w->values.at[--w->values.n].v;
        for (int i = 0; i < w->n; i++) {
            w->arrays[i].set = without(w, w->arrays[i].set, v);
            w->arrays[i].gain = without(w, w->arrays[i].gain, v);
        }
        w->states = keep(w, quasi_some(isl_set_copy(w->states), v));
        isl_pw_aff_free(v);
    }
}

/* States ----------------------------------------------------------------------------------------------------------- */

typedef struct State {
    isl_set *states;
    bool is_dead;
    isl_set **sets; /* set and gain of each array */
} State;

static State save(Walk *w) {
    State s = {w->states, w->is_dead, arena_array(w->arena, isl_set *, 2 * w->n + 1)};
    for (int i = 0; i < w->n; i++) {
        s.sets[2 * i] = w->arrays[i].set;
        s.sets[2 * i + 1] = w->arrays[i].gain;
    }
    return s;
}

static void restore(Walk *w, const State *s) {
    w->states = s->states;
    w->is_dead = s->is_dead;
    for (int i = 0; i < w->n; i++) {
        w->arrays[i].set = s->sets[2 * i];
        w->arrays[i].gain = s->sets[2 * i + 1];
    }
}

/* Sets stay as they are; what is gained from here on is counted anew. */
static void begin_gain(Walk *w) {
    for (int i = 0; i < w->n; i++) w->arrays[i].gain = keep(w, isl_set_empty(elements(w, &w->arrays[i])));
}

static void gain(Walk *w, Tracked *t, isl_set *more) {
    t->set = unite(w, t->set, more);
    t->gain = unite(w, t->gain, more);
}

static void suppose(Walk *w, isl_set *c, bool holds) {
    isl_set *states = isl_set_copy(w->states);
    states = holds ? isl_set_intersect(states, isl_set_copy(c)) : isl_set_subtract(states, isl_set_copy(c));
    w->states = keep(w, states);
}

/* Accesses --------------------------------------------------------------------------------------------------------- */

typedef struct Mention {
    Tracked *to;   /* NULL: memory that does not matter */
    isl_set *part; /* the elements, or more */
    bool is_whole; /* all of these elements are accessed, with all that is in them */
    bool is_element, has_fields;
} Mention;

static Ref ref_of(const Walk *w, const Symbol *sym) {
    const Func *f = w->frame->quasi.f;
    bool known = sym && sym->id >= 0 && sym->func == f && sym->id < f->n_symbols;
    return known ? w->frame->refs[sym->id] : (Ref){0};
}

/* The element with these indices of the reference; with any index where one is not known, or `at` is NULL. */
static isl_set *element(Walk *w, const Ref *r, const ExprList *at, bool *is_known) {
    isl_map *m = no_index(w);
    for (int d = 0, k = 0; d < r->to->rank; d++) {
        isl_pw_aff *i = isl_pw_aff_copy(r->at[d].from);
        if (r->at[d].is_open) i = isl_pw_aff_add(i, at ? quasi_int(&w->frame->quasi, at->at[k++], w->states) : NULL);
        if (!i) *is_known = false;
        isl_map *index = i ? isl_map_from_pw_aff(i) : isl_map_universe(isl_space_alloc(w->q.ctx, 0, 0, 1));
        m = isl_map_flat_range_product(m, index);
    }
    if (r->to->n_parts) m = isl_map_flat_range_product(m, below(w, quasi_number(&w->q, r->to->n_parts)));
    return keep(w, isl_map_range(m));
}

static isl_set *fields(Walk *w, const Tracked *t, isl_set *part, const Expr *e) {
    isl_set *some = isl_set_empty(isl_set_get_space(part));
    for (int i = 0; i < e->field.n_at; i++) {
        isl_set *one = isl_set_copy(part);
        some = isl_set_union(some, isl_set_fix_si(one, isl_dim_set, (unsigned)t->rank, e->field.at[i]));
    }
    return keep(w, some);
}

static Mention mention_of(Walk *w, const Expr *e) {
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX) {
        const Expr *base = e->kind == EXPR_INDEX ? e->index.base : e;
        Ref r = base->kind == EXPR_NAME ? ref_of(w, base->name.sym) : (Ref){0};
        if (base->kind != EXPR_NAME) {
            Mention p = mention_of(w, base);
            p.is_whole = p.is_element = false;
            return p;
        }
        if (!r.to) return (Mention){0};
        if (r.is_whole && e == base && r.n_open) return (Mention){r.to, r.to->box, true, false, false};
        bool is_element = e == base ? r.n_open == 0 : r.n_open && !expr_is_slice(e) && e->index.at.n == r.n_open;
        bool is_known = is_element && !r.is_inside;
        isl_set *part = element(w, &r, is_element && r.n_open ? &e->index.at : NULL, &is_known);
        return (Mention){r.to, part, is_known, is_element && !r.is_inside, false};
    }
    if (e->kind != EXPR_FIELD) return (Mention){0};
    Mention p = mention_of(w, e->field.base);
    if (!p.to) return p;
    bool is_part = p.is_element && !p.has_fields && p.to->n_parts && e->field.n_at > 0;
    if (is_part) p.part = fields(w, p.to, p.part, e);
    p.is_whole = p.is_whole && is_part;
    p.has_fields = true;
    return p;
}

static void read_part(Walk *w, Tracked *t, isl_set *part) {
    if (t->is_exposed || w->is_dead) return;
    isl_set *asked = isl_set_copy(part);
    if (part != t->box) asked = isl_set_intersect(asked, isl_set_copy(t->box));
    asked = where(asked, isl_set_copy(w->states));
    if (isl_set_is_subset(asked, t->set) != isl_bool_true) {
        t->is_exposed = true;
        w->n_found++;
    }
    isl_set_free(asked);
}

static void write_place(Walk *w, const Mention *p) {
    if (p->to && p->is_whole) gain(w, p->to, p->part);
}

/* Expressions ------------------------------------------------------------------------------------------------------ */

static void walk_expr(Walk *w, Expr *e);
static void walk_block(Walk *w, const Block *b);

/* The indices of a place. */
static void walk_indices(Walk *w, Expr *e) {
    if (e->kind == EXPR_FIELD) walk_indices(w, e->field.base);
    if (e->kind != EXPR_INDEX) return;
    walk_indices(w, e->index.base);
    for (int d = 0; d < e->index.at.n; d++) walk_expr(w, e->index.at.at[d]);
}

static void read_place(Walk *w, Expr *e) {
    Mention p = mention_of(w, e);
    if (p.to) read_part(w, p.to, p.part);
}

static bool leaves_early(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        if (stmt_holds(st, STMTS_RETURN) && !(i == b->stmts.n - 1 && st->kind == STMT_RETURN)) return true;
    }
    return false;
}

/* Of a slice of what `base` refers to. */
static Ref sliced(Walk *w, const Ref *base, const Expr *e) {
    Ref r = {base->to, arena_array(w->arena, Axis, base->to->rank + 1), 0, false, base->is_inside};
    for (int d = 0, k = 0; d < base->to->rank; d++) {
        r.at[d] = base->at[d];
        if (!base->at[d].is_open) continue;
        const Expr *i = e->index.at.at[k++];
        const Range *range = i->kind == EXPR_RANGE ? &i->range.range : NULL;
        r.at[d].is_open = range != NULL;
        r.n_open += range != NULL;
        if (range && range->lo) i = range->lo;
        else if (range) continue;
        isl_pw_aff *more = range && range->step ? NULL : quasi_int(&w->frame->quasi, i, w->states);
        r.at[d].from = keep_value(w, isl_pw_aff_add(isl_pw_aff_copy(base->at[d].from), more));
    }
    return r;
}

static Ref ref_to(Walk *w, const Expr *e) {
    if (e->kind == EXPR_NAME) return ref_of(w, e->name.sym);
    const Expr *name = expr_is_slice(e) ? e->index.base : NULL;
    Ref base = name && name->kind == EXPR_NAME ? ref_of(w, name->name.sym) : (Ref){0};
    if (base.to && base.n_open == e->index.at.n) return sliced(w, &base, e);
    Tracked *to = mention_of(w, e).to;
    return (Ref){to, arena_array(w->arena, Axis, (to ? to->rank : 0) + 1), 0, false, true};
}

static void bind_arguments(Walk *w, Frame *in, const Expr *e) {
    const Func *f = in->quasi.f;
    quasi_bind_sizes(&w->frame->quasi, &in->quasi, e, w->states);
    for (int i = 0; i < f->params.n && i < e->call.args.n; i++) {
        const Symbol *p = f->params.at[i];
        const Expr *value = e->call.args.at[i].value;
        Ref r = p->mode == REF_NONE ? (Ref){0} : ref_to(w, value);
        if (p->mode == REF_NONE) bind_value(w, in, p, value);
        else if (r.to && !r.to->is_private) in->refs[p->id] = r;
    }
}

/* A function, as often as it is called. */
static void walk_body(Walk *w, const Expr *e) {
    const Func *f = e->call.info->func;
    State before = save(w);
    int n = w->values.n;
    Frame in = {quasi_frame(&w->q, f), arena_array(w->arena, Ref, f->n_symbols + 1)}, *caller = w->frame;
    bind_arguments(w, &in, e);
    w->frame = &in;
    walk_block(w, f->item->fn.body);
    w->frame = caller;
    w->is_dead = before.is_dead;
    forget_values(w, n);
    w->states = before.states;
    if (leaves_early(f->item->fn.body)) restore(w, &before);
    quasi_frame_end(&in.quasi);
}

static void walk_call(Walk *w, Expr *e) {
    const Func *f = e->call.info->func;
    bool has_body = f->item && f->item->fn.body && !f->facts->skip, matters = false;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        Mention p = a->mode == REF_NONE ? (Mention){0} : mention_of(w, a->value);
        if (p.to) walk_indices(w, a->value);
        else walk_expr(w, a->value);
        matters |= p.to && !p.to->is_private;
    }
    if (matters && has_body && w->calls > 0) {
        w->calls--;
        walk_body(w, e);
    }
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        Mention p = a->mode == REF_NONE ? (Mention){0} : mention_of(w, a->value);
        if (!p.to) continue;
        if (p.to->is_private && a->mode != REF_IN) gain(w, p.to, p.to->box); /* as irgen/lang/shadow_private.c says */
        else if (!p.to->is_private && !(has_body && w->calls > 0)) read_part(w, p.to, p.to->box);
    }
}

/* Evaluated only under a condition, which may be NULL: what it writes does not count. */
static void walk_under(Walk *w, Expr *e, isl_set *c, bool holds) {
    State before = save(w);
    if (c) suppose(w, c, holds);
    walk_expr(w, e);
    restore(w, &before);
}

static void walk_atomic(Walk *w, Expr *e) {
    walk_indices(w, e->atomic.target);
    walk_expr(w, e->atomic.value);
    if (e->atomic.was) walk_expr(w, e->atomic.was);
    read_place(w, e->atomic.target);
    Mention p = mention_of(w, e->atomic.target);
    write_place(w, &p);
}

static void walk_at(Walk *w, Expr *e) {
    Expr *array = e->call.info->receiver;
    ExprList at = {0};
    for (int i = 0; i < e->call.args.n; i++) {
        walk_expr(w, e->call.args.at[i].value);
        vec_push(w->arena, &at, e->call.args.at[i].value);
    }
    Mention p = mention_of(w, array);
    Ref r = array->kind == EXPR_NAME ? ref_of(w, array->name.sym) : (Ref){0};
    bool is_known = true;
    if (!p.to) walk_expr(w, array);
    else read_part(w, p.to, r.to && r.n_open == at.n ? element(w, &r, &at, &is_known) : p.part);
}

static void walk_choice(Walk *w, Expr *e) {
    bool is_if = e->kind == EXPR_IF;
    Expr *first = is_if ? e->if_.cond : e->binary.lhs;
    walk_expr(w, first);
    isl_set *c = keep(w, quasi_bool(&w->frame->quasi, first, w->states));
    walk_under(w, is_if ? e->if_.then_ : e->binary.rhs, c, is_if || e->binary.op == OP_AND);
    if (is_if) walk_under(w, e->if_.else_, c, false);
}

static void walk_expr(Walk *w, Expr *e) {
    bool is_choice = e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR);
    bool is_call = e->kind == EXPR_CALL && e->call.info;
    if (expr_is_builtin(e, BUILTIN_LEN) || expr_is_builtin(e, BUILTIN_SHAPE)) return;
    if (e->kind == EXPR_ATOMIC) walk_atomic(w, e);
    else if (e->kind == EXPR_IF || is_choice) walk_choice(w, e);
    else if (expr_is_builtin(e, BUILTIN_AT)) walk_at(w, e);
    else if (is_call && e->call.info->kind == CALL_FUNC) walk_call(w, e);
    else if ((e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_FIELD) && mention_of(w, e).to) {
        walk_indices(w, e);
        read_place(w, e);
    } else {
        State before = save(w);
        Children all = expr_children(e);
        for (Expr *x; (x = child_expr(&all));) walk_expr(w, x);
        if (is_call && e->call.info->receiver) walk_expr(w, e->call.info->receiver);
        if (e->kind == EXPR_COMPREHEND) restore(w, &before);
    }
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static void walk_stmt(Walk *w, Stmt *st);

static void walk_block(Walk *w, const Block *b) {
    int n = w->values.n;
    for (int i = 0; i < b->stmts.n && !w->is_dead; i++) walk_stmt(w, b->stmts.at[i]);
    forget_values(w, n);
}

static void walk_assign(Walk *w, Stmt *st) {
    Expr *target = st->assign.target;
    bool is_plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    walk_indices(w, target);
    walk_expr(w, st->assign.value);
    if (!is_plain) read_place(w, target);
    Mention p = mention_of(w, target);
    write_place(w, &p);
}

static void walk_let(Walk *w, Stmt *st) {
    const Symbol *sym = st->let.sym;
    if (st->let.init) walk_expr(w, st->let.init);
    Tracked *t = sym ? ref_of(w, sym).to : NULL;
    if (t) t->set = t->gain = keep(w, isl_set_empty(elements(w, t))); /* each time it is declared */
    if (sym && !st->let.is_var && st->let.init) bind_value(w, w->frame, sym, st->let.init);
}

/* What all items that come to the end of an `if` have; `c`: its condition, or NULL. */
static void join(Walk *w, const State *before, const State *yes, const State *no, isl_set *c) {
    bool both = !yes->is_dead && !no->is_dead;
    restore(w, before);
    w->is_dead = yes->is_dead && no->is_dead;
    if (w->is_dead) return;
    if (c && !both) suppose(w, c, !yes->is_dead);
    isl_set *other = c ? keep(w, isl_set_complement(isl_set_copy(c))) : NULL;
    for (int i = 0; i < w->n; i++) {
        isl_set *a = yes->sets[2 * i + 1], *b = no->sets[2 * i + 1];
        if (!both && !c) {
            gain(w, &w->arrays[i], yes->is_dead ? b : a);
        } else if (both && !c) {
            gain(w, &w->arrays[i], keep(w, isl_set_intersect(isl_set_copy(a), isl_set_copy(b))));
        } else {
            if (!yes->is_dead) gain(w, &w->arrays[i], keep(w, where(isl_set_copy(a), isl_set_copy(c))));
            if (!no->is_dead) gain(w, &w->arrays[i], keep(w, where(isl_set_copy(b), isl_set_copy(other))));
        }
    }
}

static void walk_if(Walk *w, Stmt *st) {
    walk_expr(w, st->if_.cond);
    isl_set *c = keep(w, quasi_bool(&w->frame->quasi, st->if_.cond, w->states));
    State before = save(w);
    begin_gain(w);
    if (c) suppose(w, c, true);
    walk_block(w, st->if_.then_);
    State yes = save(w);
    restore(w, &before);
    begin_gain(w);
    if (c) suppose(w, c, false);
    if (st->if_.else_) walk_stmt(w, st->if_.else_);
    State no = save(w);
    join(w, &before, &yes, &no, c);
}

/* An iteration from the state at hand: what it gains, if it runs to its end. */
static void iterate(Walk *w, const Block *body, isl_set *range, isl_set **gained) {
    State before = save(w);
    begin_gain(w);
    if (range) suppose(w, range, true);
    walk_block(w, body);
    bool ends = !block_holds(body, 1u << STMT_BREAK | 1u << STMT_CONTINUE);
    for (int i = 0; i < w->n; i++)
        gained[i] = ends ? w->arrays[i].gain : keep(w, isl_set_empty(elements(w, &w->arrays[i])));
    restore(w, &before);
}

/* The union over the iterations, or over those before the one under way. */
static isl_set *over(Walk *w, isl_set *set, isl_set *range, isl_pw_aff *k, const Range *r, bool earlier) {
    set = where(isl_set_copy(set), isl_set_copy(range));
    if (!earlier) return keep(w, quasi_some(set, k));
    isl_id *was = isl_id_alloc(w->q.ctx, "earlier", NULL);
    isl_pw_aff *before = isl_pw_aff_param_on_domain_id(quasi_all(&w->q), isl_id_copy(was));
    int pos = find(set, k);
    if (pos >= 0) set = isl_set_set_dim_id(set, isl_dim_param, (unsigned)pos, was);
    else isl_id_free(was);
    bool down = r->step && r->step->konst.kind == CONST_INT && r->step->konst.i < 0;
    isl_set *order = down ? isl_pw_aff_gt_set(isl_pw_aff_copy(before), isl_pw_aff_copy(k))
                          : isl_pw_aff_lt_set(isl_pw_aff_copy(before), isl_pw_aff_copy(k));
    set = quasi_some(where(set, order), before);
    isl_pw_aff_free(before);
    return keep(w, set);
}

/* Are its bounds the same for all items of a group? */
static bool is_uniform(const Walk *w, isl_set *range, isl_pw_aff *k) {
    for (int d = 0; d < 3; d++)
        if (w->local[d] && involves(range, w->local[d])) return false;
    for (int i = 0; i < w->values.n; i++) {
        const Value *x = &w->values.at[i];
        if (!x->is_uniform && x->v != k && involves(range, x->v)) return false;
    }
    return true;
}

static bool is_empty(isl_set **sets, int n) {
    for (int i = 0; i < n; i++)
        if (isl_set_plain_is_empty(sets[i]) != isl_bool_true) return false;
    return true;
}

static void walk_for(Walk *w, Stmt *st) {
    const Range *r = &st->for_.binder.range;
    const Symbol *sym = st->for_.binder.sym;
    Expr *ends[3] = {r->lo, r->hi, r->step};
    for (int i = 0; i < 3; i++)
        if (ends[i]) walk_expr(w, ends[i]);
    isl_set **gained = arena_array(w->arena, isl_set *, w->n + 1);
    bool *was = arena_array(w->arena, bool, w->n + 1);
    for (int i = 0; i < w->n; i++) was[i] = w->arrays[i].is_exposed;
    int n = w->values.n, found = w->n_found;
    bind_unknown(w, w->frame, sym);
    isl_pw_aff *k = sym && w->values.n > n ? w->values.at[n].v : NULL;
    isl_set *range = k ? keep(w, quasi_range(&w->frame->quasi, r, k, w->states)) : NULL;
    if (range) w->values.at[n].is_uniform = is_uniform(w, range, k);
    iterate(w, st->for_.body, range, gained);
    if (range && w->n_found > found && !is_empty(gained, w->n)) { /* with the iterations before */
        State before = save(w);
        for (int i = 0; i < w->n; i++) {
            w->arrays[i].is_exposed = was[i];
            gain(w, &w->arrays[i], over(w, gained[i], range, k, r, true));
        }
        isl_set **again = arena_array(w->arena, isl_set *, w->n + 1);
        iterate(w, st->for_.body, range, again);
        restore(w, &before);
    }
    for (int i = 0; range && i < w->n; i++) gain(w, &w->arrays[i], over(w, gained[i], range, k, r, false));
    forget_values(w, n);
}

static void walk_while(Walk *w, Stmt *st) {
    isl_set **gained = arena_array(w->arena, isl_set *, w->n + 1);
    walk_expr(w, st->while_.cond);
    isl_set *c = keep(w, quasi_bool(&w->frame->quasi, st->while_.cond, w->states));
    iterate(w, st->while_.body, c, gained);
}

/* What any item of the group has written, all have from here on. */
static void walk_barrier(Walk *w) {
    for (int i = 0; i < w->n; i++) {
        Tracked *t = &w->arrays[i];
        if (t->is_private) continue;
        isl_set *all = t->set;
        for (int k = 0; k < w->values.n; k++)
            if (!w->values.at[k].is_uniform) all = without(w, all, w->values.at[k].v);
        all = where(isl_set_copy(all), isl_set_copy(w->items));
        for (int d = 0; d < 3; d++)
            if (w->local[d]) all = quasi_some(all, w->local[d]);
        gain(w, t, keep(w, all));
    }
}

static void walk_stmt(Walk *w, Stmt *st) {
    switch (st->kind) {
    case STMT_LET: walk_let(w, st); return;
    case STMT_ASSIGN: walk_assign(w, st); return;
    case STMT_ATOMIC: walk_expr(w, st->atomic.atomic); return;
    case STMT_EXPR: walk_expr(w, st->expr.expr); return;
    case STMT_IF: walk_if(w, st); return;
    case STMT_FOR: walk_for(w, st); return;
    case STMT_WHILE: walk_while(w, st); return;
    case STMT_BREAK:
    case STMT_CONTINUE: w->is_dead = true; return;
    case STMT_RETURN:
        if (st->return_.value) walk_expr(w, st->return_.value);
        w->is_dead = true;
        return;
    case STMT_ASSERT: {
        Children all = stmt_children(st);
        for (Expr *e; (e = child_expr(&all));) walk_expr(w, e);
        isl_set *c = keep(w, quasi_bool(&w->frame->quasi, st->assert_.cond, w->states));
        if (c) suppose(w, c, true);
        return;
    }
    case STMT_BLOCK:
    case STMT_RESIDENT: walk_block(w, st->block.block); return;
    case STMT_BARRIER: walk_barrier(w); return;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}

/* Functions -------------------------------------------------------------------------------------------------------- */

static isl_set *less(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_lt_set(a, b); } /* takes both */

static void add_item_fact(Walk *w, isl_set *c) {
    if (c) w->items = keep(w, isl_set_intersect(isl_set_copy(w->items), c));
}

/* All items of a group run; its first one is in the domain. */
static void bind_group(Walk *w, int d) {
    const Func *f = w->frame->quasi.f;
    const Group *g = &f->group;
    const Range *r = &f->item->fn.over.at[d].range;
    QuasiFrame *at = &w->frame->quasi;
    bool is_fixed = !r->step || r->step->konst.kind == CONST_INT;
    int64_t step = r->step ? r->step->konst.i : 1;
    isl_pw_aff *group = quasi_variable(&w->q, g->at[d]), *local = quasi_number(&w->q, 0);
    add_item_fact(w, isl_pw_aff_nonneg_set(isl_pw_aff_copy(group)));
    if (g->by[d] > 1) {
        isl_pw_aff_free(local);
        local = quasi_variable(&w->q, g->local[d]);
        w->local[d] = isl_pw_aff_copy(local);
        add_item_fact(w, isl_pw_aff_nonneg_set(isl_pw_aff_copy(local)));
        add_item_fact(w, less(isl_pw_aff_copy(local), quasi_number(&w->q, g->by[d])));
    }
    quasi_bind(at, g->at[d], isl_pw_aff_copy(group));
    quasi_bind(at, g->local[d], isl_pw_aff_copy(local));
    isl_pw_aff *lo = r->lo ? quasi_int(at, r->lo, w->states) : quasi_number(&w->q, 0);
    isl_pw_aff *hi = quasi_int(at, r->hi, w->states);
    isl_val *across = isl_val_int_from_si(w->q.ctx, is_fixed ? g->by[d] * step : 1);
    isl_val *one = isl_val_int_from_si(w->q.ctx, is_fixed ? step : 1);
    isl_pw_aff *first = isl_pw_aff_add(lo, isl_pw_aff_scale_val(group, across));
    if (is_fixed && first && hi) add_item_fact(w, less(isl_pw_aff_copy(first), isl_pw_aff_copy(hi)));
    isl_pw_aff *i = isl_pw_aff_add(first, isl_pw_aff_scale_val(local, one));
    if (is_fixed && i) quasi_bind(at, f->domain.at[d], isl_pw_aff_copy(i));
    isl_pw_aff_free(i);
    isl_pw_aff_free(hi);
}

static void bind_axis(Walk *w, int d) {
    const Func *f = w->frame->quasi.f;
    isl_pw_aff *v = quasi_variable(&w->q, f->domain.at[d]);
    isl_set *range = quasi_range(&w->frame->quasi, &f->item->fn.over.at[d].range, v, w->states);
    add_item_fact(w, range);
    quasi_bind(&w->frame->quasi, f->domain.at[d], v);
}

/* `inside`: each axis is below its end. */
static void bind_inside(Walk *w) {
    const Func *f = w->frame->quasi.f;
    isl_set *inside = quasi_all(&w->q);
    for (int d = 0; d < f->domain.n; d++) {
        isl_pw_aff *i = isl_pw_aff_copy(w->frame->quasi.value[f->domain.at[d]->id]);
        isl_pw_aff *hi = quasi_int(&w->frame->quasi, f->item->fn.over.at[d].range.hi, w->states);
        inside = isl_set_intersect(inside, less(i, hi));
    }
    isl_pw_aff *v = inside ? isl_set_indicator_function(inside) : quasi_variable(&w->q, f->group.inside);
    if (!inside) vec_push(w->arena, &w->values, ((Value){isl_pw_aff_copy(v), false}));
    quasi_bind(&w->frame->quasi, f->group.inside, v);
}

static int parts_of(const Type *t) {
    int n = t->kind == TY_STRUCT ? t->n_fields : t->kind == TY_VECTOR ? t->width : 0;
    return n <= MAX_PARTS ? n : 0;
}

static bool begins_unset(const Func *f, const Symbol *sym) {
    if (sym->kind == SYM_PARAM) return f->is_kernel && symbol_is_fresh(sym);
    return sym->is_shared ? f->is_kernel : symbol_is_unset(sym);
}

static void track(Walk *w, const Symbol *sym) {
    const Type *elem = sym->type->kind == TY_ARRAY ? sym->type->elem : sym->type;
    Tracked *t = &w->arrays[w->n++];
    *t = (Tracked){.sym = sym, .rank = sym->type->kind == TY_ARRAY ? sym->type->rank : 0, .n_parts = parts_of(elem)};
    t->is_private = sym->kind == SYM_LOCAL && !sym->is_shared;
    t->box = box_of(w, t);
    t->set = t->gain = keep(w, isl_set_empty(elements(w, t)));
    Ref *r = &w->frame->refs[sym->id];
    *r = (Ref){t, arena_array(w->arena, Axis, t->rank + 1), t->rank, true, false};
    for (int d = 0; d < t->rank; d++) r->at[d] = (Axis){keep_value(w, quasi_number(&w->q, 0)), true};
}

bool *exposed_arrays(Arena *arena, const Func *f, Symbol *const *arrays, int n) {
    bool *exposed = arena_array(arena, bool, n + 1);
    Arena own = {0};
    Walk w = {.arena = &own, .q = quasi_begin(&own, MAX_OPERATIONS), .calls = MAX_CALLS};
    Frame frame = {quasi_frame(&w.q, f), arena_array(&own, Ref, f->n_symbols + 1)};
    w.frame = &frame;
    w.arrays = arena_array(&own, Tracked, n + 1);
    w.states = w.items = keep(&w, quasi_bind_parameters(&frame.quasi));
    for (int d = 0; f->is_kernel && d < f->domain.n; d++) {
        if (f->group.items) bind_group(&w, d);
        else bind_axis(&w, d);
    }
    w.states = w.items;
    if (f->group.items) bind_inside(&w);
    for (int i = 0; i < n; i++)
        if (begins_unset(f, arrays[i])) track(&w, arrays[i]);
    walk_block(&w, f->item->fn.body);
    bool failed = isl_ctx_last_error(w.q.ctx) != isl_error_none;
    for (int i = 0, k = 0; i < n; i++) exposed[i] = !begins_unset(f, arrays[i]) || w.arrays[k++].is_exposed || failed;
    forget_values(&w, 0);
    for (int d = 0; d < 3; d++) isl_pw_aff_free(w.local[d]);
    for (int i = 0; i < w.kept.n; i++) isl_set_free(w.kept.at[i]);
    for (int i = 0; i < w.kept_values.n; i++) isl_pw_aff_free(w.kept_values.at[i]);
    quasi_frame_end(&frame.quasi);
    quasi_end(&w.q);
    arena_free(&own);
    return exposed;
}
