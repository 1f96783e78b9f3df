/* const_array.c -- array constants of modules: `const W = [0.25, 0.5, 0.25];`. All elements are known at compile time,
 * and nobody can write them, so the array needs no owner and no declaration in the functions that use it: irgen puts
 * one table of its elements into each module of code.
 *
 * In each function that names the constant a local symbol stands for it (Func.constants): a `let` of constant extents
 * that is there from the start. So all later passes know it as an array that nobody writes. */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

enum { MOST_BYTES = 1 << 24 };

static bool is_array_literal(const Expr *e) {
    return e->kind == EXPR_LIST || e->kind == EXPR_FILL || e->kind == EXPR_COMPREHEND;
}

bool const_item_is_array(const Item *item) {
    const TypeExpr *written = item->const_.type;
    return (written && written->kind == TE_ARRAY) || is_array_literal(item->const_.value);
}

/* Values of elements ----------------------------------------------------------------------------------------------- */

/* The parts of a comprehension's element that have no value by themselves: they depend on its variables. */
typedef struct Varying {
    Sema *s;
    Vec(Expr *) at;
} Varying;

static bool note_varying(Expr *e, void *context) {
    Varying *v = context;
    if (e->konst.kind == CONST_NONE) vec_push(v->s->arena, &v->at, e);
    return false;
}

static void forget_values(const Varying *v) {
    for (int i = 0; i < v->at.n; i++) v->at.at[i]->konst = (Const){0};
}

static void evaluate(Sema *s, Expr *e);

static void evaluate_call(Sema *s, Expr *e) {
    const CallInfo *info = e->call.info;
    const ArgList *args = &e->call.args;
    if (!info || info->receiver || !args->n) return;
    for (int i = 0; i < args->n; i++) evaluate(s, args->at[i].value);
    const Expr *first = args->at[0].value;
    if (info->kind == CALL_CONVERT && first->type->kind != TY_STR)
        e->konst = const_convert(first->konst, first->type, e->type);
    else if (info->kind == CALL_BUILTIN && first->type->kind != TY_ARRAY) fold_builtin(e);
}

/* Only the branch that is chosen is computed. */
static void evaluate_if(Sema *s, Expr *e) {
    evaluate(s, e->if_.cond);
    if (e->if_.cond->konst.kind != CONST_BOOL) return;
    Expr *chosen = e->if_.cond->konst.i ? e->if_.then_ : e->if_.else_;
    evaluate(s, chosen);
    e->konst = chosen->konst;
}

static void evaluate_binary(Sema *s, Expr *e) {
    bool is_logic = op_info[e->binary.op].kind == OPK_LOGIC;
    evaluate(s, e->binary.lhs);
    Const a = e->binary.lhs->konst;
    if (is_logic && a.kind == CONST_BOOL && a.i == (e->binary.op == OP_OR)) {
        e->konst = a;
        return;
    }
    evaluate(s, e->binary.rhs);
    fold_binary(s, e);
}

/* Gives each part that has no value its value. */
static void evaluate(Sema *s, Expr *e) {
    if (is_bad(e->type) || e->konst.kind != CONST_NONE) return;
    switch (e->kind) {
    case EXPR_NAME:
        if (e->name.sym) e->konst = e->name.sym->konst;
        break;
    case EXPR_UNARY:
        evaluate(s, e->unary.operand);
        fold_unary(s, e);
        break;
    case EXPR_BINARY: evaluate_binary(s, e); break;
    case EXPR_CALL: evaluate_call(s, e); break;
    case EXPR_IF: evaluate_if(s, e); break;
    case EXPR_CONVERT:
        evaluate(s, e->convert.operand);
        e->konst = const_convert(e->convert.operand->konst, e->convert.operand->type, e->type);
        break;
    case EXPR_INDEX:
        for (int d = 0; d < e->index.at.n; d++) evaluate(s, e->index.at.at[d]);
        if (!const_array_index(s, e)) bad(s, e);
        break;
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_FIELD: case EXPR_FILL:
    case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD: case EXPR_ATOMIC: case EXPR__COUNT: break;
    }
}

static const char *position(Sema *s, const ConstArray *a, int64_t i) {
    int rank = a->sym->type->rank;
    int64_t at[MAX_RANK];
    const char *text = "";
    for (int d = rank; d-- > 0; i /= a->extent[d]) at[d] = i % a->extent[d];
    for (int d = 0; d < rank; d++) text = arena_printf(s->arena, "%s%s%lld", text, d ? ", " : "", (long long)at[d]);
    return text;
}

/* The first part of e that has no value, itself if its parts have one. Variables of comprehensions have one. */
static const Expr *unknown_part(const Expr *e) {
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) {
        bool has_value = x->konst.kind != CONST_NONE || x->kind == EXPR_NAME || !x->type;
        if (!has_value && x->type->kind != TY_ARRAY && x->type->kind != TY_VOID) return unknown_part(x);
    }
    return e;
}

void const_array_advise(Sema *s, Diag *d, Span at) {
    diag_note(s->c, d, at,
              "compute the array with `let` on the host, and pass it by `&` to the functions and kernels that read "
              "it: a kernel with a `let` of its own would compute it for each work item");
}

static bool not_known(Sema *s, const ConstArray *a, int64_t i, const Expr *e) {
    const Expr *part = unknown_part(e);
    Diag *d = diag(s->c, E0707, part->span, "the element `%s[%s]` of a constant must be known at compile time",
                   a->sym->name, position(s, a, i));
    if (part->kind == EXPR_CALL)
        diag_note(s->c, d, part->span, "calls of functions are not computed at compile time; most built-in ones are");
    const_array_advise(s, d, part->span);
    return false;
}

static bool read_list(Sema *s, const ConstArray *a, const Expr *e, Const *out) {
    for (int64_t i = 0; i < a->n; i++) {
        const Expr *item = e->list.items.at[i];
        if (item->konst.kind == CONST_NONE) return not_known(s, a, i, item);
        out[i] = item->konst;
    }
    return true;
}

static bool read_fill(Sema *s, const ConstArray *a, const Expr *e, Const *out) {
    const Expr *value = e->fill.value;
    if (value->konst.kind == CONST_NONE) return not_known(s, a, 0, value);
    for (int64_t i = 0; i < a->n; i++) out[i] = value->konst;
    return true;
}

static int64_t value_at(const Range *r, int64_t k) {
    int64_t lo = r->lo ? r->lo->konst.i : 0, step = r->step ? r->step->konst.i : 1;
    return (int64_t)((uint64_t)lo + (uint64_t)k * (uint64_t)step);
}

/* false: what is wrong with its value was reported */
static bool note_element(Sema *s, const ConstArray *a, int64_t i, int since) {
    for (int k = since; k < s->c->diags.list.n; k++) {
        Diag *d = s->c->diags.list.at[k];
        diag_note(s->c, d, d->span, "this is computed for the element `%s[%s]`", a->sym->name, position(s, a, i));
    }
    return s->c->diags.list.n == since && !s->c->diags.too_many;
}

static bool read_comprehension(Sema *s, const ConstArray *a, Expr *e, Const *out) {
    BinderList *binders = &e->comprehend.binders;
    Expr *value = e->comprehend.value;
    Varying varying = {.s = s};
    int since = s->c->diags.list.n;
    bool ok = true;
    expr_find(value, note_varying, &varying);
    for (int64_t i = 0; i < a->n && ok; i++) {
        int64_t rest = i;
        for (int d = binders->n; d-- > 0; rest /= a->extent[d])
            binders->at[d].sym->konst = const_int(value_at(&binders->at[d].range, rest % a->extent[d]));
        evaluate(s, value);
        out[i] = value->konst;
        ok = note_element(s, a, i, since) && (out[i].kind != CONST_NONE || not_known(s, a, i, value));
        forget_values(&varying);
    }
    for (int d = 0; d < binders->n; d++) binders->at[d].sym->konst = (Const){0};
    return ok;
}

/* The constant itself ---------------------------------------------------------------------------------------------- */

static bool suits(Sema *s, const Item *item, const Type *t) {
    if (type_is_number(t->elem) || t->elem->kind == TY_BOOL) return true;
    Diag *d = diag(s->c, E0711, item->const_.value->span,
                   "the elements of an array constant are numbers or bools, but these are %s", quoted_type(s, t->elem));
    diag_note(s->c, d, item->name_span, "declare the array with `let` in the function that reads it");
    return false;
}

static const Expr *extent_expr(const Expr *e, int d) {
    if (e->kind == EXPR_FILL) return e->fill.extents.at[d];
    return e->kind == EXPR_COMPREHEND ? e->comprehend.binders.at[d].range.hi : e;
}

static bool read_extents(Sema *s, ConstArray *a, Expr *e) {
    Dim dims[MAX_RANK];
    dims_of_array(e, dims);
    int64_t bytes = type_size_bytes(e->type->elem);
    a->n = 1;
    for (int d = 0; d < e->type->rank; d++) {
        if (dims[d].kind != DIM_CONST) {
            diag(s->c, E0707, extent_expr(e, d)->span, "the extents of a constant must be known at compile time");
            return false;
        }
        a->extent[d] = dims[d].value;
        bool fits = !dims[d].value || bytes <= MOST_BYTES / dims[d].value;
        if (!fits) {
            Diag *said = diag(s->c, E0711, e->span, "the array constant `%s` has more than %d bytes", a->sym->name,
                              MOST_BYTES);
            diag_note(s->c, said, e->span, "fill a larger array when the program runs");
            return false;
        }
        bytes *= dims[d].value;
        a->n *= dims[d].value;
    }
    return true;
}

/* [i32; 3] as written, [i32; 4] as given */
static bool as_declared(Sema *s, const Item *item, const ConstArray *a, const Dim *declared) {
    for (int d = 0; d < a->sym->type->rank; d++) {
        if (declared[d].kind != DIM_CONST || declared[d].value == a->extent[d]) continue;
        Diag *said = diag(s->c, E0601, item->const_.value->span,
                          "extent %d is %lld here, but %lld in the type of the constant", d, (long long)a->extent[d],
                          (long long)declared[d].value);
        diag_note(s->c, said, item->const_.type->span, "the type is here");
        return false;
    }
    return true;
}

void const_array_not_written(Sema *s, const Expr *e) {
    Diag *d = diag(s->c, E0711, e->span, "an array constant is written with its elements, in brackets");
    if (e->kind == EXPR_NAME && scope_find(s, e->name.name))
        diag_note(s->c, d, e->span, "use `%s` itself: a constant needs no second name", e->name.name);
    else
        diag_note(s->c, d, e->span, "write `[1, 2, 3]`, `[0; 8]` or `[i * i for i in 8]`");
}

static Type *literal_type(Sema *s, Expr *e, Type *want) {
    const Expr *made_for = s->made_for;
    s->made_for = e;
    Type *t = check_array_literal(s, e, want ? want->elem : NULL);
    s->made_for = made_for;
    if (is_bad(t) || !want || t->rank == want->rank) return t;
    diag(s->c, E0602, e->span, "this array has %d dimension%s, but `%s` has %d", t->rank, t->rank == 1 ? "" : "s",
         type_name(s->c, want), want->rank);
    return s->error;
}

static bool read_elements(Sema *s, ConstArray *a, Expr *e) {
    Const *elements = arena_array(s->arena, Const, a->n + 1);
    a->at = elements;
    if (e->kind == EXPR_LIST) return read_list(s, a, e, elements);
    if (e->kind == EXPR_FILL) return read_fill(s, a, e, elements);
    return read_comprehension(s, a, e, elements);
}

static void find_range(ConstArray *a) {
    const Type *elem = a->sym->type->elem;
    a->has_range = elem->is_int && a->n;
    a->least = INT64_MAX, a->greatest = INT64_MIN;
    for (int64_t i = 0; i < a->n && a->has_range; i++) {
        int64_t v = a->at[i].i;
        if (v < a->least) a->least = v;
        if (v > a->greatest) a->greatest = v;
        a->has_range = elem->is_signed || v >= 0; /* not the upper half of a u64 */
    }
}

static bool check_array(Sema *s, Item *item, ConstArray *a) {
    Dim declared[MAX_RANK] = {0};
    Type *want = item->const_.type ? local_type(s, item->const_.type, declared) : NULL;
    Expr *e = item->const_.value;
    if (!is_array_literal(e)) {
        const_array_not_written(s, e);
        return false;
    }
    if (want && is_bad(want)) return false;
    if (want && want->kind != TY_ARRAY) {
        diag(s->c, E0304, e->span, "this is an array, but `%s` is declared `%s`", item->name, type_name(s->c, want));
        return false;
    }
    Type *t = literal_type(s, e, want);
    if (is_bad(t) || !suits(s, item, t)) return false;
    item->const_.sym->type = t;
    return read_extents(s, a, e) && as_declared(s, item, a, declared) && read_elements(s, a, e);
}

void const_array_check(Sema *s, Item *item) {
    Symbol *sym = item->const_.sym;
    ConstArray *a = arena_new(s->arena, ConstArray);
    const Module *m = s->program->module;
    a->sym = sym;
    a->symbol = m == s->own_file ? sym->name : arena_printf(s->arena, "%s.%s", m->symbol, sym->name);
    if (!check_array(s, item, a)) {
        sym->type = s->error;
        return;
    }
    for (int d = 0; d < sym->type->rank; d++) sym->dims[d] = (Dim){.kind = DIM_CONST, .value = a->extent[d]};
    find_range(a);
    sym->table = a;
}

/* Uses ------------------------------------------------------------------------------------------------------------- */

Symbol *const_array_local(Sema *s, Symbol *sym, Name name) {
    if (!sym->table || !s->func) return sym;
    for (int i = s->func->constants.n; i-- > 0;)
        if (s->func->constants.at[i]->table == sym->table) return s->func->constants.at[i];
    Symbol *local = symbol_new(s, SYM_LOCAL, name, sym->span, sym->type);
    local->used = true;
    local->item = sym->item;
    local->table = sym->table;
    memcpy(local->dims, sym->dims, sizeof local->dims);
    fixed_constant(local);
    vec_push(s->arena, &s->func->constants, local);
    return local;
}

static bool is_outside(Sema *s, const Expr *e, const ConstArray *a, int d) {
    const Expr *at = e->index.at.at[d];
    if (at->konst.i >= 0 && at->konst.i < a->extent[d]) return false;
    if (s->facts) return true; /* shape.c reports it */
    Diag *said = diag(s->c, E0610, at->span, "index %lld is out of bounds for `%s`, whose extent is %lld",
                      (long long)at->konst.i, a->sym->name, (long long)a->extent[d]);
    note_declared(s, said, a->sym);
    return true;
}

/* P[2]: the value of the element. */
bool const_array_index(Sema *s, Expr *e) {
    const Expr *base = e->index.base;
    const ConstArray *a = base->kind == EXPR_NAME && base->name.sym ? base->name.sym->table : NULL;
    int64_t at = 0;
    if (!a) return true;
    for (int d = 0; d < e->index.at.n; d++) {
        if (e->index.at.at[d]->konst.kind != CONST_INT) return true;
        if (is_outside(s, e, a, d)) return false;
        at = at * a->extent[d] + e->index.at.at[d]->konst.i;
    }
    e->konst = a->at[at];
    return true;
}

const ConstArray *const_array_of(const Expr *element) {
    const Expr *base = element->kind == EXPR_INDEX ? element->index.base : NULL;
    const Symbol *sym = base && base->kind == EXPR_NAME ? base->name.sym : NULL;
    return sym && sym->table && sym->table->has_range ? sym->table : NULL;
}

/* len(P), shape(P, 1) */
void const_array_measure(Expr *call, const Expr *array, int dim) {
    const ConstArray *a = array->kind == EXPR_NAME && array->name.sym ? array->name.sym->table : NULL;
    if (a) call->konst = const_int(dim < 0 ? a->n : a->extent[dim]);
}

/* `&mut P`, `P[0] = 1`, `let q = P;`: a constant stays what it is. */
void const_array_refuse(Sema *s, const Symbol *sym, Span at, const char *what) {
    const char *name = sym->table->sym->name;
    Diag *d = diag(s->c, E0405, at, "`%s` is a constant and cannot be %s", sym->name, what);
    diag_note(s->c, d, at, "change a copy: `var my_%s = copy(&%s);`", name, sym->name);
    note_declared(s, d, sym);
}
