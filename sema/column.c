/* column.c -- columns: `f(&m[.., j])`, where the elements of the slice are not contiguous in memory. An array is an
 * address and extents, without strides, so a column is none. Instead the function is cloned for the whole array and the
 * number of the column (procedure cloning; Cooper, Hall and Kennedy, 1993): in the clone, an instance in the sense of
 * generic.c, `x: &[T; n]` is `x: &[T; n, _]`, and a number `x$1: index` follows the other parameters; `x[i]` is
 * `x[i, x$1]`, `len(x)` is `shape(x, 0)`, and `&x` as an argument is `&x[.., x$1]`, a column again. `&out` becomes
 * `&mut`: the other columns keep their elements. The call passes `&m` and j. All analyses see ordinary code.
 *
 * The caller has checked the number, so it is in range in the clone (columns_learn). */
#include "sema/access.h"

#include <string.h>

#include "parser/children.h"

/* Calls ------------------------------------------------------------------------------------------------------- */

static int first_range(const Expr *e) {
    int d = 0;
    while (d < e->index.at.n && e->index.at.at[d]->kind != EXPR_RANGE) d++;
    return d;
}

static bool takes_array(const TypeExpr *te) {
    return te->kind == TE_REF && te->ref.mode != REF_SCRATCH && te->ref.to->kind == TE_ARRAY;
}

static bool is_column(const Arg *a) {
    const Expr *e = a->value;
    if (a->mode == REF_NONE || !expr_is_slice(e) || e->index.is_flat) return false;
    for (int d = first_range(e); d < e->index.at.n; d++)
        if (e->index.at.at[d]->kind != EXPR_RANGE) return true;
    return false;
}

static bool has_effects(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_OFFLOAD || e->kind == EXPR_ATOMIC) return true;
    if (e->kind != EXPR_CALL || !e->call.info) return false;
    return e->call.info->kind == CALL_FUNC ||
           (e->call.info->kind == CALL_BUILTIN && builtin_rows[e->call.info->builtin].host_only);
}

/* The number is used twice: for the check of its range, and as an argument. */
static bool check_numbers(Sema *s, Expr *e) {
    for (int d = first_range(e); d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d];
        if (at->kind == EXPR_RANGE || !expr_find(at, has_effects, NULL)) continue;
        Diag *said = diag(s->c, E0612, at->span, "the number of a column cannot be computed by a call here");
        diag_note(s->c, said, at->span, "give it a name first: `let j = %s;`", source_text(s, at->span));
        return false;
    }
    return true;
}

static unsigned numbers_given(const Expr *e) {
    unsigned mask = 0;
    int first = first_range(e);
    for (int d = first; d < e->index.at.n; d++)
        if (e->index.at.at[d]->kind != EXPR_RANGE) mask |= 1u << (d - first);
    return mask;
}

bool columns_find(Sema *s, Expr *call, const Item *callee, unsigned **columns) {
    ArgList *args = &call->call.args;
    bool ok = true;
    *columns = NULL;
    for (int i = 0; callee && i < args->n && i < callee->fn.params.n; i++) {
        Arg *a = &args->at[i];
        const TypeExpr *te = callee->fn.params.at[i].type;
        if (!takes_array(te) || !is_column(a)) continue;
        a->value->index.is_column = true;
        if (!*columns) *columns = arena_array(s->arena, unsigned, callee->fn.params.n);
        bool is_right = a->mode == te->ref.mode;
        if (!is_right) wrong_mode(s, a, te->ref.mode);
        ok = !is_bad(check_slice(s, a->value)) && check_numbers(s, a->value) && is_right && ok;
        if (ok) (*columns)[i] = numbers_given(a->value);
    }
    return ok;
}

/* `m[.., j]` becomes all of m, with j beside it. */
static void pass_whole(Sema *s, Arg *a, ArgList *numbers) {
    Expr *e = a->value;
    int rank = e->type->rank;
    for (int d = first_range(e); d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d];
        if (at->kind == EXPR_RANGE) continue;
        Arg number = {.value = at, .span = at->span};
        vec_push(s->arena, numbers, number);
        Expr *all = e->index.at.at[d] = arena_new(s->arena, Expr);
        *all = (Expr){.kind = EXPR_RANGE, .span = at->span, .type = s->index};
        all->range.range.has_dots = true;
        all->range.range.column = at;
        rank++;
    }
    e->type = type_array(s->types, e->type->elem, rank);
    if (a->mode == REF_OUT) a->mode = REF_MUT;
}

void columns_pass(Sema *s, Expr *call, const unsigned *columns) {
    ArgList *args = &call->call.args, numbers = {0};
    for (int i = 0, n = args->n; columns && i < n; i++)
        if (args->at[i].value->kind == EXPR_INDEX && args->at[i].value->index.is_column)
            pass_whole(s, &args->at[i], &numbers);
    for (int i = 0; i < numbers.n; i++) vec_push(s->arena, args, numbers.at[i]);
}

/* Of a function that is not generic: made of its text as parsed. */
Func *columns_instance(Sema *s, const Expr *call, const unsigned *columns) {
    Symbol *sym = call->call.callee->name.sym;
    FuncFacts *facts = sym->func->facts;
    const Item *item = facts->as_parsed;
    Template *t = facts->columns_of;
    if (!t) {
        t = facts->columns_of = arena_new(s->arena, Template);
        *t = (Template){.item = item, .params = &item->fn.generics, .n_keys = item->fn.params.n,
                        .module = sym->func->module, .sym = sym};
    }
    return instance_func(s, t, arena_array(s->arena, Type *, t->n_keys + 1), columns, call->span);
}

void columns_keep(Sema *s, Func *f) {
    for (int i = 0; f->item->fn.body && i < f->item->fn.params.n; i++) {
        if (!takes_array(f->item->fn.params.at[i].type)) continue;
        f->facts->as_parsed = ast_clone(s->c, f->item);
        return;
    }
}

/* The clone --------------------------------------------------------------------------------------------------- */

/* The name of a parameter, and what stands for it. */
typedef struct Rewrite {
    Sema *s;
    Name array;
    int rank;                /* of the whole array */
    Expr *number[MAX_RANK];  /* NULL: a dimension of the column */
    int hidden;              /* inner declarations of the same name */
    const Expr *misuse;
} Rewrite;

static void rewrite(Rewrite *r, Expr **slot);
static void rewrite_block(Rewrite *r, Block *b);

static bool is_array(const Rewrite *r, const Expr *e) {
    return e->kind == EXPR_NAME && e->name.name == r->array && !r->hidden;
}

static Expr *make(Rewrite *r, ExprKind kind, Span span) {
    Expr *e = arena_new(r->s->arena, Expr);
    *e = (Expr){.kind = kind, .depth = 1, .span = span};
    return e;
}

static Expr *number_at(Rewrite *r, int d, Span span) {
    Expr *e = ast_clone_expr(r->s->c, r->number[d]);
    e->span = span;
    return e;
}

static int inner_rank(const Rewrite *r) {
    int n = 0;
    for (int d = 0; d < r->rank; d++) n += !r->number[d];
    return n;
}

/* The dimension of the whole array that is dimension d of the column; the rank if there is none. */
static int dimension(const Rewrite *r, uint64_t d) {
    int at = 0;
    while (at < r->rank && (r->number[at] || d-- > 0)) at++;
    return at;
}

/* A wrong number of indices stays wrong: the function itself has that error, too. */
static void widen(Rewrite *r, Expr *e) {
    ExprList out = {0}, *at = &e->index.at;
    Expr *last = at->n ? at->at[at->n - 1] : NULL;
    bool rest = last && last->kind == EXPR_RANGE && !last->range.range.lo && !last->range.range.hi;
    while (rest && at->n < inner_rank(r)) vec_push(r->s->arena, at, ast_clone_expr(r->s->c, last));
    if (at->n != inner_rank(r)) return;
    for (int d = 0, i = 0; d < r->rank; d++)
        vec_push(r->s->arena, &out, r->number[d] ? number_at(r, d, e->span) : at->at[i++]);
    *at = out;
}

static Expr *column(Rewrite *r, Expr *name) {
    Expr *e = make(r, EXPR_INDEX, name->span);
    e->depth = 2;
    e->index.base = name;
    for (int d = 0; d < r->rank; d++) {
        Expr *at = r->number[d] ? number_at(r, d, name->span) : make(r, EXPR_RANGE, name->span);
        if (!r->number[d]) at->range.range.has_dots = true;
        vec_push(r->s->arena, &e->index.at, at);
    }
    return e;
}

/* len(x): the product of its extents. */
static Expr *count(Rewrite *r, Expr *name) {
    Expr *all = NULL;
    for (int d = 0; d < r->rank; d++) {
        if (r->number[d]) continue;
        Expr *one = shape_call(r->s, ast_clone_expr(r->s->c, name), d), *was = all;
        all = one;
        if (!was) continue;
        all = make(r, EXPR_BINARY, name->span);
        all->depth = was->depth + 1;
        all->binary.op = OP_MUL;
        all->binary.op_span = name->span;
        all->binary.lhs = was;
        all->binary.rhs = one;
    }
    return all;
}

static bool calls(const Expr *e, const char *name, int n_args) {
    return e->call.callee->kind == EXPR_NAME && !strcmp(e->call.callee->name.name, name) && e->call.args.n == n_args;
}

/* x.at(i) */
static void rewrite_at(Rewrite *r, Expr *e) {
    ArgList out = {0}, *args = &e->call.args;
    for (int i = 0; i < args->n; i++) rewrite(r, &args->at[i].value);
    if (args->n != inner_rank(r)) return;
    for (int d = 0, i = 0; d < r->rank; d++) {
        Arg number = {.value = r->number[d] ? number_at(r, d, e->span) : NULL, .span = e->span};
        vec_push(r->s->arena, &out, r->number[d] ? number : args->at[i++]);
    }
    *args = out;
}

static bool is_shape(const Rewrite *r, const Expr *e) {
    const ArgList *args = &e->call.args;
    return calls(e, "shape", 2) && is_array(r, args->at[0].value) && args->at[1].value->kind == EXPR_INT &&
           dimension(r, args->at[1].value->int_.value) < r->rank;
}

static void rewrite_call(Rewrite *r, Expr **slot) {
    Expr *e = *slot, *callee = e->call.callee;
    ArgList *args = &e->call.args;
    if (callee->kind == EXPR_FIELD && is_array(r, callee->field.base) && !strcmp(callee->field.name, "at")) {
        rewrite_at(r, e);
    } else if (calls(e, "len", 1) && args->at[0].mode == REF_NONE && is_array(r, args->at[0].value)) {
        *slot = count(r, args->at[0].value);
    } else if (is_shape(r, e)) {
        args->at[1].value->int_.value = (uint64_t)dimension(r, args->at[1].value->int_.value);
    } else {
        rewrite(r, &e->call.callee);
        for (int i = 0; i < args->n; i++) {
            Arg *a = &args->at[i];
            if (a->mode != REF_NONE && is_array(r, a->value)) a->value = column(r, a->value);
            else rewrite(r, &a->value);
        }
    }
}

static int declared_here(const Rewrite *r, const BinderList *list) {
    int n = 0;
    for (int i = 0; i < list->n; i++) n += list->at[i].name == r->array;
    return n;
}

static void rewrite_slots(Rewrite *r, Children all) {
    for (Expr **slot; (slot = child_slot(&all));) rewrite(r, slot);
}

static void rewrite(Rewrite *r, Expr **slot) {
    Expr *e = *slot;
    if (is_array(r, e)) {
        r->misuse = r->misuse ? r->misuse : e;
    } else if (e->kind == EXPR_INDEX && is_array(r, e->index.base)) {
        for (int d = 0; d < e->index.at.n; d++) rewrite(r, &e->index.at.at[d]);
        widen(r, e);
    } else if (e->kind == EXPR_CALL) {
        rewrite_call(r, slot);
    } else if (e->kind == EXPR_COMPREHEND) {
        int inner = declared_here(r, &e->comprehend.binders);
        rewrite_slots(r, (Children){.binders = &e->comprehend.binders});
        r->hidden += inner;
        rewrite(r, &e->comprehend.value);
        r->hidden -= inner;
    } else {
        rewrite_slots(r, expr_children(e));
    }
}

static void rewrite_type(Rewrite *r, TypeExpr *te) {
    if (te && te->kind == TE_REF) te = te->ref.to;
    for (int d = 0; te && te->kind == TE_ARRAY && d < te->array.extents.n; d++)
        if (te->array.extents.at[d]->kind == EXPR_CALL) rewrite(r, &te->array.extents.at[d]);
}

static void rewrite_stmt(Rewrite *r, Stmt *st) {
    Children all = stmt_children(st);
    if (st->kind == STMT_LET) rewrite_type(r, st->let.type);
    rewrite_slots(r, all);
    bool inner = st->kind == STMT_FOR && st->for_.binder.name == r->array;
    r->hidden += inner;
    if (all.block) rewrite_block(r, *all.block);
    r->hidden -= inner;
    if (all.other && *all.other) rewrite_stmt(r, *all.other);
    r->hidden += (st->kind == STMT_LET && st->let.name == r->array) ||
                 (st->kind == STMT_SHARED && st->shared.name == r->array);
}

static void rewrite_block(Rewrite *r, Block *b) {
    int hidden = r->hidden;
    for (int i = 0; i < b->stmts.n; i++) rewrite_stmt(r, b->stmts.at[i]);
    r->hidden = hidden;
}

static void rewrite_item(Rewrite *r, Item *item) {
    for (int i = 0; i < item->fn.over.n; i++) {
        rewrite_slots(r, range_children(&item->fn.over.at[i].range));
        if (item->fn.over.at[i].by) rewrite(r, &item->fn.over.at[i].by);
    }
    rewrite_type(r, item->fn.result);
    r->hidden = declared_here(r, &item->fn.over);
    rewrite_block(r, item->fn.body);
    r->hidden = 0;
}

static bool check_used_by_element(Sema *s, const Rewrite *r, const Item *item, Span use) {
    const AssumptionList *assumes = &item->fn.assumes;
    for (int i = 0; i < assumes->n; i++) {
        if (assumes->at[i].array != r->array) continue;
        Diag *d = diag(s->c, E0612, use, "`%s` cannot be called with a column: it has an assumption about `%s`",
                       item->name, r->array);
        diag_note(s->c, d, assumes->at[i].span, "here");
        return false;
    }
    if (!r->misuse) return true;
    if (holes_in_body(s, item)) return false;
    Diag *d = diag(s->c, E0612, use, "`%s` cannot be called with a column: it uses more of `%s` than elements and "
                                     "extents",
                   item->name, r->array);
    diag_note(s->c, d, r->misuse->span, "here");
    return false;
}

static TypeExpr *type_of_numbers(Sema *s, Span span) {
    TypeExpr *te = arena_new(s->arena, TypeExpr);
    *te = (TypeExpr){.kind = TE_NAME, .depth = 1, .span = span};
    te->name.name = name_of(&s->c->names, "index");
    return te;
}

/* `[T; n]` becomes `[T; n, _]`, and the rest of the item follows. */
static bool give_column(Sema *s, Item *item, const Param *p, unsigned mask, ColumnNumbers *added, Span use) {
    Rewrite r = {.s = s, .array = p->name};
    ExprList *extents = &p->type->ref.to->array.extents, wide = {0};
    for (int i = 0; i < extents->n || mask >> r.rank; r.rank++) {
        if (!(mask >> r.rank & 1)) {
            vec_push(s->arena, &wide, extents->at[i++]);
            continue;
        }
        Expr *number = r.number[r.rank] = make(&r, EXPR_NAME, p->span), *any = make(&r, EXPR_NAME, p->span);
        number->name.name = name_of(&s->c->names, arena_printf(s->arena, "%s$%d", p->name, r.rank));
        any->name.name = s->underscore;
        vec_push(s->arena, &wide, any);
        ColumnNumber more = {number->name.name, p->name, r.rank, p->span};
        vec_push(s->arena, added, more);
    }
    *extents = wide;
    if (p->type->ref.mode == REF_OUT) p->type->ref.mode = REF_MUT;
    rewrite_item(&r, item);
    return check_used_by_element(s, &r, item, use);
}

bool columns_give(Sema *s, Item *item, const unsigned *columns, ColumnNumbers *added, Span use) {
    ParamList out = {0}, *params = &item->fn.params;
    bool ok = true;
    for (int i = 0; i < params->n; i++)
        if (columns[i]) ok = give_column(s, item, &params->at[i], columns[i], added, use) && ok;
    int given = 0; /* the workspaces of a kernel are last */
    while (given < params->n && !is_workspace(params->at[given].type)) given++;
    for (int i = 0; i < given; i++) vec_push(s->arena, &out, params->at[i]);
    for (int i = 0; i < added->n; i++) {
        Span at = added->at[i].span;
        Param number = {.name = added->at[i].name, .span = at, .type = type_of_numbers(s, at)};
        vec_push(s->arena, &out, number);
    }
    for (int i = given; i < params->n; i++) vec_push(s->arena, &out, params->at[i]);
    *params = out;
    return ok;
}

/* What the caller has checked --------------------------------------------------------------------------------- */

static const Symbol *param_named(const Func *f, Name name) {
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i]->name == name) return f->params.at[i];
    return NULL;
}

void columns_learn(Walk *w) {
    const Instance *inst = w->f->facts->instance;
    for (int i = 0; inst && i < inst->numbers.n; i++) {
        const ColumnNumber *c = &inst->numbers.at[i];
        const Symbol *number = param_named(w->f, c->name), *array = param_named(w->f, c->array);
        if (!number || !array || !w->known[number->id]) continue;
        const Symbol *size = w->f->shapes.at[array->dim].at[c->dim].size;
        Form zero = form_const(0);
        affine_learn_at_least(&w->a, &w->now[number->id], &zero, 0);
        int64_t add = w->f->shapes.at[array->dim].at[c->dim].value;
        if (size && w->known[size->id]) affine_learn_at_least(&w->a, &w->now[size->id], &w->now[number->id], 1 - add);
    }
}
