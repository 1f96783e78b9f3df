/* check_decl.c -- declarations of a module: first all names, then constants (each when it is first needed), then
 * signatures, so that a body may use what is declared after it. */
#include "parser/children.h"
#include "sema/check.h"

#include <string.h>

static Type *element_type(Sema *s, TypeExpr *te, const TypeExpr *around);

/* `Vec<f64>`, `List<float>`: the elements' type in KDSL; NULL: it is something else. */
static const char *element_of_list(Sema *s, const TypeExpr *te) {
    static const char *const lists[] = {"Vec", "vector", "List", "list", "Array", "array", "span", "Span", "valarray"};
    if (te->kind != TE_NAME || te->name.args.n != 1 || scope_find(s, te->name.name)) return NULL;
    const TypeExpr *element = te->name.args.at[0];
    bool is_list = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) is_list |= !strcmp(te->name.name, lists[i]);
    if (!is_list || element->kind != TE_NAME || element->name.args.n) return NULL;
    return type_find(s->types, element->name.name) ? element->name.name : type_of_other_language(element->name.name);
}

static Type *unknown_type(Sema *s, TypeExpr *te) {
    Name name = te->name.name;
    Symbol *sym = scope_find(s, name);
    if (sym && sym->type && is_bad(sym->type)) return s->error;
    if (holes_may_declare(s, name) || vector_unknown(s, name, te->span)) return s->error;
    Diag *d = diag(s->c, E0303, te->span, "there is no type `%s`", name);
    if (session_explain_lost(s, d, name)) return s->error;
    const char *element = element_of_list(s, te);
    if (element) {
        const char *ours = arena_printf(s->arena, "[%s; _]", element);
        diag_fix(s->c, d, te->span, ours, "an array of any length is `%s`", ours);
        return s->error;
    }
    const char *near = type_of_other_language(name), *advice = near ? NULL : foreign_advice(name);
    if (advice) diag_note(s->c, d, te->span, "%s", advice);
    if (!near && !advice) near = nearest_name(s, name, NAMES_TYPES);
    if (near) diag_fix(s->c, d, te->span, near, "did you mean `%s`?", near);
    return s->error;
}

/* `[[f64; 3]; 3]`: the outer extents come first. */
static Type *array_of_arrays(Sema *s, const TypeExpr *te, const TypeExpr *around) {
    Diag *d = diag(s->c, E0319, te->span, "there are no arrays of arrays; an array has up to four dimensions");
    const TypeExpr *elem = te->array.elem;
    int n = te->array.extents.n, m = around ? around->array.extents.n : 0;
    if (elem->kind != TE_NAME || !n || !m || n + m > MAX_RANK) return s->error;
    Span inner = span_join(te->array.extents.at[0]->span, te->array.extents.at[n - 1]->span);
    Span outer = span_join(around->array.extents.at[0]->span, around->array.extents.at[m - 1]->span);
    diag_fix(s->c, d, around->span, arena_printf(s->arena, "[%s; %s, %s]", source_text(s, elem->span),
                                                 source_text(s, outer), source_text(s, inner)),
             "write all extents in one type");
    return s->error;
}

Type *scalar_type(Sema *s, TypeExpr *te) { return element_type(s, te, NULL); }

/* `around`: the array type whose elements are of this one; or NULL. */
static Type *element_type(Sema *s, TypeExpr *te, const TypeExpr *around) {
    if (te->known) return te->type;
    te->type = s->error;
    switch (te->kind) {
    case TE_ERROR: return s->error;
    case TE_ARRAY:
        return array_of_arrays(s, te, around);
    case TE_REF: {
        Diag *d = diag(s->c, E0412, te->span, "references are only for parameters and arguments");
        if (te->ref.to->kind == TE_ARRAY)
            diag_note(s->c, d, te->span, "return the array itself, which needs no copy: `[f32; _]`");
        return s->error;
    }
    case TE_NAME: break;
    }
    Symbol *sym = scope_find(s, te->name.name);
    if (sym && sym->generic && sym->kind == SYM_STRUCT) return te->type = written_struct(s, te, sym->generic);
    bool named = sym && (sym->kind == SYM_STRUCT || sym->kind == SYM_TYPE);
    Type *t = named ? struct_need(s, sym, te->span) : type_find(s->types, te->name.name);
    if (!t) return unknown_type(s, te);
    if (te->name.args.n && !is_bad(t)) return not_generic(s, te);
    return te->type = t;
}

bool refuse_any_rank(Sema *s, const TypeExpr *te) {
    if (!is_any_rank(te)) return false;
    Diag *d = diag(s->c, E0324, te->span, "`..`, any number of dimensions, is only for array parameters of functions");
    diag_note(s->c, d, te->span, "write one extent for each dimension, or `_`");
    return true;
}

static Type *array_type(Sema *s, TypeExpr *te) {
    Type *elem = element_type(s, te->array.elem, te);
    int rank = te->array.extents.n;
    if (refuse_any_rank(s, te)) return s->error;
    if (rank < 1 || rank > MAX_RANK) {
        diag(s->c, E0324, te->span, "an array has one to four dimensions, but this has %d", rank);
        return s->error;
    }
    if (own_refused(s, elem, te->array.elem->span, "an element of an array")) return s->error;
    return is_bad(elem) ? elem : (te->type = type_array(s->types, elem, rank));
}

/* Extents in the type of a local variable or of a result: `_` requires nothing, others are checked (shape.c). */
static bool read_dims(Sema *s, ExprList *extents, Dim dims[MAX_RANK]) {
    bool any = false;
    for (int i = 0; i < extents->n && i < MAX_RANK; i++) {
        Expr *e = extents->at[i];
        if (e->kind == EXPR_NAME && e->name.name == s->underscore) {
            e->type = s->index;
            continue;
        }
        check_scalar(s, &extents->at[i]);
        if (!to_index(s, &extents->at[i], "an extent")) continue;
        dims[i] = dim_of(extents->at[i]);
        any = true;
        if (dims[i].kind == DIM_UNKNOWN)
            diag(s->c, E0604, e->span, "an extent in a type must be a name, a constant, the sum of both or `_`");
        else if (dims[i].kind == DIM_CONST && dims[i].value < 0)
            diag(s->c, E0606, e->span, "an extent cannot be negative, but this is %lld", (long long)dims[i].value);
    }
    return any;
}

Type *local_type(Sema *s, TypeExpr *te, Dim dims[MAX_RANK]) {
    if (te->kind != TE_ARRAY) return scalar_type(s, te);
    Type *t = array_type(s, te);
    if (!is_bad(t)) read_dims(s, &te->array.extents, dims);
    return t;
}

/* Constants --------------------------------------------------------------------------------------------------- */

void check_const_item(Sema *s, Item *item) {
    Symbol *sym = item->const_.sym;
    Expr **value = &item->const_.value;
    if (sym->type) return;
    if (sym->used && (*value)->type == NULL && sym->written) { /* `written`: being worked out */
        diag(s->c, E0708, item->name_span, "the value of `%s` depends on itself", sym->name);
        sym->type = s->error;
        return;
    }
    if (s->const_chain >= MAX_CONST_CHAIN) {
        diag(s->c, E0708, item->name_span,
             "`%s` is the end of a chain of more than %d constants that are used before they are declared", sym->name,
             MAX_CONST_CHAIN);
        sym->type = s->error;
        return;
    }
    s->const_chain++;
    sym->written = true;
    TypeExpr *written = item->const_.type;
    if (const_item_is_array(item)) {
        const_array_check(s, item);
        s->const_chain--;
        return;
    }
    Type *want = written ? scalar_type(s, written) : NULL;
    Type *t = check_expr(s, value);
    if (t->kind == TY_ARRAY) const_array_not_written(s, *value);
    t = t->kind == TY_ARRAY ? bad(s, *value) : check_scalar(s, value);
    if (want && !is_bad(t)) coerce(s, value, want, NULL);
    else if (!want) settle(s, value);
    Expr *e = *value;
    if (!is_bad(e->type) && e->konst.kind == CONST_NONE) {
        Diag *d = diag(s->c, E0707, e->span, "the value of a constant must be known at compile time");
        diag_note(s->c, d, e->span, "use a `let` inside a function: its value is computed at run time");
        bad(s, e);
    }
    if (!sym->type) sym->type = want ? want : e->type;
    if (is_bad(e->type)) sym->type = s->error;
    sym->konst = e->konst;
    s->const_chain--;
}

/* Names of items ---------------------------------------------------------------------------------------------- */

Func *func_new(Sema *s, Item *item, Module *m) {
    Func *f = arena_new(s->arena, Func);
    f->item = item;
    f->name = item->name;
    f->name_span = item->name_span;
    f->is_kernel = item->kind == ITEM_KERNEL;
    f->is_extern = item->fn.is_extern;
    f->is_fast = item->fn.fast_span.hi || (s->options && s->options->fast);
    f->module = m;
    bool own = f->module == s->own_file;
    f->is_export = own && item->fn.is_export;
    f->symbol = own ? f->name : arena_printf(s->arena, "%s.%s", f->module->symbol, f->name);
    bool is_session = s->options && s->options->is_session;
    f->is_main = own && !is_session && item->kind == ITEM_FN && !item->fn.is_extern && item->name == s->main;
    f->result = s->nothing;
    f->facts = arena_new(s->arena, FuncFacts);
    return item->fn.func = f;
}

static void declare_func(Sema *s, Item *item) {
    Func *f = func_new(s, item, s->program->module);
    Symbol *sym = symbol_new(s, SYM_FN, item->name, item->name_span, s->nothing);
    sym->func = f;
    sym->item = item;
    scope_add(s, sym);
    unsigned meets = 1u << STMT_BARRIER | 1u << STMT_SHARED;
    if (group_is_inlined(f) && item->fn.body && block_holds(item->fn.body, meets)) s->functions_meet = true;
    if (f->is_main && !s->program->main) s->program->main = f;
    bool is_hidden = holes_hide(s, item);
    if (!is_hidden && (item->fn.generics.n || has_any_rank(item))) {
        generic_declare(s, sym, &item->fn.generics);
        return;
    }
    vec_push(s->arena, &s->program->funcs, f);
    columns_keep(s, f);
    f->facts->skip = is_hidden || (!item->fn.body && !item->fn.is_extern);
    if (f->facts->skip) sym->type = s->error;
}

static void declare_const(Sema *s, Item *item) {
    Symbol *sym = symbol_new(s, SYM_CONST, item->name, item->name_span, NULL);
    sym->item = item;
    item->const_.sym = sym;
    vec_push(s->arena, &s->program->consts, sym);
    scope_add(s, sym);
}

static void declare_item(Sema *s, Item *item) {
    bool is_function = item->kind == ITEM_FN || item->kind == ITEM_KERNEL;
    if (!is_function && holes_hide(s, item)) {
        item->kind = ITEM_ERROR;
        return;
    }
    switch (item->kind) {
    case ITEM_ERROR:
    case ITEM__COUNT: break;
    case ITEM_FN:
    case ITEM_KERNEL: declare_func(s, item); break;
    case ITEM_STRUCT:
        declare_struct(s, item);
        break;
    case ITEM_CONST: declare_const(s, item); break;
    case ITEM_IMPORT:
        declare_import(s, item);
        break;
    case ITEM_TEST:
        if (s->program->module == s->own_file) declare_test(s, item);
        break;
    }
}

void declare_items(Sema *s) {
    ItemList *items = &s->program->module->items;
    for (int i = 0; i < items->n; i++) declare_item(s, items->at[i]);
    if (s->program->module->input) session_declare(s);
    for (int i = 0; i < items->n; i++)
        if (items->at[i]->kind == ITEM_STRUCT && !items->at[i]->struct_.sym->generic)
            struct_need(s, items->at[i]->struct_.sym, items->at[i]->name_span);
    for (int i = 0; i < items->n; i++)
        if (items->at[i]->kind == ITEM_CONST) check_const_item(s, items->at[i]);
}

/* Parameters -------------------------------------------------------------------------------------------------- */

static Symbol *size_new(Sema *s, Func *f, Name name, Span span) {
    Symbol *size = symbol_new(s, SYM_SIZE, name, span, s->index);
    size->used = true;
    vec_push(s->arena, &f->sizes, size);
    return size;
}

static Extent any_extent(Sema *s, Func *f, Expr *e) {
    if (!f->is_kernel) return (Extent){.kind = EXTENT_ANY, .span = e->span};
    return (Extent){.kind = EXTENT_BINDS, .size = size_new(s, f, s->underscore, e->span), .span = e->span};
}

/* The parameter i, which is a size of an array, with a comma beside it. C functions get no sizes but by parameters. */
static void fix_size(Sema *s, Func *f, Diag *d, int i, Span extent) {
    const ParamList *all = &f->item->fn.params;
    const Param *p = &all->at[i];
    Span whole = {p->span.lo, p->type->span.hi};
    if (i) whole.lo = all->at[i - 1].type->span.hi;
    else if (all->n > 1) whole.hi = all->at[1].span.lo;
    if (f->item->fn.is_extern) diag_fix(s->c, d, extent, "_", "`_` accepts any extent");
    else if (f->item->fn.is_export)
        diag_fix(s->c, d, whole, "", "remove the parameter `%s`; callers in C still pass it, after the other arguments",
                 p->name);
    else diag_fix(s->c, d, whole, "", "remove the parameter `%s`, or rename it", p->name);
}

static Extent named_extent(Sema *s, Func *f, Expr *e) {
    Extent x = {.kind = EXTENT_ANY, .span = e->span};
    Symbol *sym = scope_find(s, e->name.name);
    e->type = s->index;
    if (sym && sym->func == f && sym->kind == SYM_SIZE) {
        x.kind = EXTENT_SAME;
        x.size = e->name.sym = sym;
        return x;
    }
    bool like_constant = e->name.name[0] >= 'A' && e->name.name[0] <= 'Z';
    if (!sym && like_constant && holes_may_declare(s, e->name.name)) return any_extent(s, f, e);
    if (sym && sym->func == f && sym->kind == SYM_PARAM) {
        Diag *d =
            diag(s->c, E0605, e->span, "`%s` is already a parameter; a size takes its value from the array", sym->name);
        note_declared(s, d, sym);
        fix_size(s, f, d, sym->dim, e->span);
        return x;
    }
    x.kind = EXTENT_BINDS;
    x.size = e->name.sym = size_new(s, f, e->name.name, e->span);
    scope_add(s, x.size);
    return x;
}

static bool is_size_or_unknown(Expr *e, void *sema) {
    Sema *s = sema;
    const Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.name) : NULL;
    return e->kind == EXPR_NAME && (!sym || sym->kind == SYM_SIZE);
}

/* `n + 1`, `2 + n - K`: one name that is no constant, plus and minus constants. */
typedef struct Sum {
    Expr *name;
    int64_t add;
} Sum;

static bool read_sum(Sema *s, Expr **slot, int sign, Sum *sum) {
    enum { FAR = 1 << 30 };
    Expr *e = *slot;
    bool adds = e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB);
    if (!expr_find(e, is_size_or_unknown, s)) {
        int errors = s->c->diags.n_errors;
        check_scalar(s, slot);
        if (!to_index(s, slot, "an extent") || s->c->diags.n_errors > errors) return false;
        Const v = (*slot)->konst;
        if (v.kind != CONST_INT || v.i > FAR || v.i < -FAR) return false;
        sum->add += sign * v.i;
        return sum->add <= FAR && sum->add >= -FAR;
    }
    if (e->kind == EXPR_NAME && e->name.name != s->underscore && sign > 0 && !sum->name) {
        sum->name = e;
        return true;
    }
    if (!adds || !read_sum(s, &e->binary.lhs, sign, sum)) return false;
    e->type = s->index;
    return read_sum(s, &e->binary.rhs, e->binary.op == OP_ADD ? sign : -sign, sum);
}

static bool is_unknown(Expr *e, void *sema) { return e->kind == EXPR_NAME && !scope_find(sema, e->name.name); }

static Extent refuse_extent(Sema *s, Func *f, Expr *e) {
    Diag *d = diag(s->c, E0604, e->span, "an extent of a parameter must be a name, a constant, the sum of both or `_`");
    diag_note(s->c, d, e->span, "write `n`, `4`, `n + 1`, `n - 1` or `_`; the array of the call gives `n` its value");
    if (expr_find(e, is_unknown, s)) f->facts->skip = true; /* the body would miss the name */
    bad(s, e);
    return (Extent){.kind = EXTENT_ANY, .span = e->span};
}

/* `n + 1`. As everywhere, the first mention of the name binds it: by the inverse. */
static Extent sum_extent(Sema *s, Func *f, Expr **slot) {
    Expr *e = *slot;
    Sum sum = {0};
    int errors = s->c->diags.n_errors;
    if (!read_sum(s, slot, 1, &sum))
        return s->c->diags.n_errors > errors ? (Extent){.kind = EXTENT_ANY, .span = e->span} : refuse_extent(s, f, e);
    Extent x = named_extent(s, f, sum.name);
    x.span = e->span;
    x.value = x.size ? sum.add : 0;
    return x;
}

static Extent read_extent(Sema *s, Func *f, Expr **slot) {
    Expr *e = *slot;
    if (e->kind == EXPR_RANGE) return (Extent){.kind = EXTENT_ANY, .span = e->span}; /* array_type has refused it */
    if (e->kind == EXPR_NAME && e->name.name == s->underscore) {
        e->type = s->index;
        return any_extent(s, f, e);
    }
    Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.name) : NULL;
    if (e->kind == EXPR_NAME && !(sym && sym->kind == SYM_CONST)) return named_extent(s, f, e);
    if (expr_find(e, is_size_or_unknown, s)) return sum_extent(s, f, slot);
    Extent x = {.kind = EXTENT_ANY, .span = e->span};
    check_scalar(s, slot);
    if (!to_index(s, slot, "an extent")) return x;
    Const v = (*slot)->konst;
    if (v.kind != CONST_INT) return refuse_extent(s, f, *slot);
    if (v.i < 0) {
        diag(s->c, E0606, e->span, "an extent cannot be negative, but this is %lld", (long long)v.i);
        return x;
    }
    x.kind = EXTENT_CONST;
    x.value = v.i;
    return x;
}

static bool has_handle(const Type *t) {
    if (t->kind == TY_FIXED) return has_handle(t->elem);
    for (int i = 0; i < t->n_fields && !t->is_handle; i++)
        if (has_handle(t->fields[i].type)) return true;
    return t->is_handle;
}

/* Text and pointers of C stay on the host. */
static Type *kernel_can_take(Sema *s, const Func *f, const TypeExpr *te, Type *t) {
    if (!type_has_text(t) || !f->is_kernel) return t;
    bool is_handle = has_handle(t), is_inside = t->kind != TY_STR && !t->is_handle;
    const char *what = is_handle ? "pointers of C are" : "text is";
    Diag *d = diag(s->c, E0329, te->span, "%s only available on the host; a kernel cannot take %s", what,
                   !is_inside ? "one" : is_handle ? "a value that contains one" : "a value that contains text");
    for (int i = 0; i < t->n_fields && is_inside; i++)
        if (type_has_text(t->fields[i].type)) diag_note(s->c, d, t->fields[i].span, "it is in this field");
    return s->error;
}

/* A `&scratch` array is not passed by a caller, so its extents must be known from other parameters. */
static bool workspace_extent(Sema *s, Func *f, Expr *e) {
    bool adds = e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB);
    if (adds) return workspace_extent(s, f, e->binary.lhs) && workspace_extent(s, f, e->binary.rhs);
    if (e->kind != EXPR_NAME) return true;
    Symbol *sym = scope_find(s, e->name.name);
    if (e->name.name != s->underscore && sym && (sym->kind == SYM_CONST || (sym->kind == SYM_SIZE && sym->func == f)))
        return true;
    Diag *d = diag(s->c, E0616, e->span, "`%s` has no value: a `&scratch` array is not passed by the caller",
                   e->name.name);
    diag_note(s->c, d, e->span, "use constants, or sizes of other parameters, as its extents");
    bad(s, e);
    return false;
}

/* t: &scratch [f32; n, 4] -- memory of the device for the time of a launch. */
static Type *workspace_type(Sema *s, Func *f, TypeExpr *te, Shape *shape) {
    TypeExpr *to = te->ref.to;
    if (!f->is_kernel || to->kind != TE_ARRAY) {
        Diag *d = diag(s->c, E0520, te->span, "`&scratch` is an array that exists for a kernel during a launch");
        if (!f->is_kernel) diag_fix(s->c, d, te->ref.mode_span, "&mut", "a function takes it as `&mut`");
        else diag_note(s->c, d, to->span, "declare a value of each work item with `var`");
        return s->error;
    }
    Type *t = array_type(s, to);
    bool ok = !is_bad(t);
    for (int i = 0; i < to->array.extents.n && i < MAX_RANK; i++)
        ok = workspace_extent(s, f, to->array.extents.at[i]) && ok;
    if (ok && t->elem->kind == TY_STR) {
        diag(s->c, E0329, to->array.elem->span, "text is only available on the host; a kernel cannot use it");
        ok = false;
    }
    if (!ok) return s->error;
    shape->rank = t->rank;
    for (int i = 0; i < t->rank; i++) shape->at[i] = read_extent(s, f, &to->array.extents.at[i]);
    return t;
}

static Type *reference_type(Sema *s, Func *f, TypeExpr *te, Shape *shape) {
    TypeExpr *to = te->ref.to;
    if (te->ref.mode == REF_SCRATCH) return workspace_type(s, f, te, shape);
    if (to->kind != TE_ARRAY) return kernel_can_take(s, f, to, scalar_type(s, to));
    Type *t = array_type(s, to);
    if (!is_bad(t) && type_has_text(t->elem) && f->is_kernel) {
        kernel_can_take(s, f, to->array.elem, t->elem);
        t = s->error;
    }
    if (is_bad(t)) {
        for (int i = 0; i < to->array.extents.n && i < MAX_RANK; i++) read_extent(s, f, &to->array.extents.at[i]);
        return t;
    }
    shape->rank = t->rank;
    for (int i = 0; i < t->rank; i++) shape->at[i] = read_extent(s, f, &to->array.extents.at[i]);
    return t;
}

static bool is_place_in(const Expr *e, Name name) {
    while (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD) e = e->kind == EXPR_INDEX ? e->index.base : e->field.base;
    return e->kind == EXPR_NAME && e->name.name == name;
}

static bool is_changed_in_expr(const Expr *e, Name name) {
    Children all = expr_children(e);
    if (e->kind == EXPR_CALL || e->kind == EXPR_OFFLOAD)
        for (int i = 0; all.args && i < all.args->n; i++) {
            const Arg *a = &all.args->at[i];
            if ((a->mode == REF_MUT || a->mode == REF_OUT) && is_place_in(a->value, name)) return true;
        }
    if (e->kind == EXPR_ATOMIC && is_place_in(e->atomic.target, name)) return true;
    for (Expr *x; (x = child_expr(&all));)
        if (is_changed_in_expr(x, name)) return true;
    return false;
}

/* True if the body assigns to the parameter, or passes it on to be changed. Names are not resolved yet. */
static bool is_changed_in(const Stmt *st, Name name) {
    Children all = stmt_children(st);
    if (st->kind == STMT_ASSIGN && is_place_in(st->assign.target, name)) return true;
    for (Expr *x; (x = child_expr(&all));)
        if (is_changed_in_expr(x, name)) return true;
    for (Stmt *x; (x = child_stmt(&all));)
        if (is_changed_in(x, name)) return true;
    return false;
}

static bool body_changes(const Func *f, Name name) {
    const Block *body = f->item ? f->item->fn.body : NULL;
    for (int i = 0; body && i < body->stmts.n; i++)
        if (is_changed_in(body->stmts.at[i], name)) return true;
    return false;
}

/* `x: Vec<f64>`, `x: &mut Vec<f64>` */
static void list_as_param(Sema *s, Func *f, const Param *p) {
    TypeExpr *te = p->type;
    const TypeExpr *list = te->kind == TE_REF ? te->ref.to : te;
    const char *element = element_of_list(s, list);
    if (!element) return;
    bool has_n = false;
    for (int i = 0; i < f->item->fn.params.n; i++) has_n |= !strcmp(f->item->fn.params.at[i].name, "n");
    const char *mode = te->kind == TE_REF            ? source_text(s, (Span){te->span.lo, list->span.lo})
                       : body_changes(f, p->name) ? "&mut "
                                                  : "&";
    const char *ours = arena_printf(s->arena, "%s[%s; %s]", mode, element, has_n ? "_" : "n");
    Diag *d = diag(s->c, E0303, list->span, "there is no type `%s`", list->name.name);
    diag_fix(s->c, d, te->span, ours, "pass an array by reference");
    te->kind = TE_ERROR;
    f->facts->skip = true; /* the body would miss the size */
}

static Type *param_type(Sema *s, Func *f, const Param *p, Shape *shape) {
    TypeExpr *te = p->type;
    if (te->kind == TE_REF) return te->type = reference_type(s, f, te, shape);
    if (te->kind == TE_ARRAY) {
        Diag *d = diag(s->c, E0321, te->span, "pass an array by reference");
        fix_insert(s, d, te->span.lo, body_changes(f, p->name) ? "&mut " : "&",
                   "use `&` to read it, `&mut ` to change it, `&out ` to fill it");
        for (int i = 0; i < te->array.extents.n && i < MAX_RANK; i++) read_extent(s, f, &te->array.extents.at[i]);
        return s->error;
    }
    return kernel_can_take(s, f, te, scalar_type(s, te));
}

static Transfer transfer_of_mode(RefMode mode) {
    if (mode == REF_SCRATCH) return TRANSFER_ALLOC;
    return mode == REF_MUT || mode == REF_OUT ? TRANSFER_TOFROM : TRANSFER_TO;
}

/* Arguments are found by their position, so what has none comes last. */
static void count_given(Sema *s, Func *f, const Symbol *sym) {
    if (sym->mode == REF_SCRATCH && f->is_kernel) return; /* in a function it has been refused */
    if (f->n_given == sym->dim) {
        f->n_given++;
        return;
    }
    Diag *d = diag(s->c, E0520, sym->span, "`%s` comes after a `&scratch` parameter, which is not passed", sym->name);
    diag_note(s->c, d, f->params.at[f->n_given]->span, "move `&scratch` parameters to the end of the list");
    f->facts->skip = true;
}

static void check_param(Sema *s, Func *f, int i) {
    Param *p = &f->item->fn.params.at[i];
    Shape shape = {0};
    Type *t = param_type(s, f, p, &shape);
    Symbol *hidden = scope_find(s, p->name);
    Symbol *sym = p->sym = symbol_new(s, SYM_PARAM, p->name, p->span, t);
    sym->mode = p->type->kind == TE_REF ? p->type->ref.mode : REF_NONE;
    sym->dim = i;
    vec_push(s->arena, &f->params, sym);
    vec_push(s->arena, &f->shapes, shape);
    vec_push(s->arena, &f->transfers, transfer_of_mode(sym->mode));
    count_given(s, f, sym);
    own_bind_param(p);
    if (hidden && hidden->kind == SYM_SIZE && hidden->func == f) {
        Diag *d = diag(s->c, E0605, p->span, "`%s` is already a size; it takes its value from the array", p->name);
        note_declared(s, d, hidden);
        fix_size(s, f, d, i, hidden->span);
        return;
    }
    scope_add(s, sym);
}

static void check_result(Sema *s, Func *f) {
    TypeExpr *te = f->item->fn.result;
    if (!te) return;
    f->facts->result_span = te->span;
    if (te->kind == TE_ARRAY) {
        f->result = array_type(s, te);
        if (!is_bad(f->result)) f->facts->has_result_dims = read_dims(s, &te->array.extents, f->facts->result_dims);
    } else {
        f->result = scalar_type(s, te);
    }
}

static void check_main(Sema *s, Func *f) {
    const Item *item = f->item;
    if (item->fn.params.n) {
        Diag *d = diag(s->c, E0322, item->fn.params.at[0].span, "`main` takes no parameters");
        diag_note(s->c, d, item->fn.params.at[0].span, "use `args()` for the arguments of the program");
    }
    if (f->result->kind == TY_VOID || f->result == s->i32 || is_bad(f->result)) return;
    diag(s->c, E0322, item->fn.result->span, "`main` must return nothing, or an `i32` as the exit status");
}

void check_signature(Sema *s, Func *f) {
    int since = s->c->diags.list.n;
    Elsewhere here = instance_enter(s, f->facts->instance);
    s->func = f;
    s->facts = f->facts;
    scope_enter(s);
    for (int i = 0; i < f->item->fn.params.n; i++) list_as_param(s, f, &f->item->fn.params.at[i]);
    own_expand_params(s, f);
    for (int i = 0; i < f->item->fn.params.n; i++) check_param(s, f, i);
    if (f->is_kernel) check_kernel_result(s, f);
    else check_result(s, f);
    if (f->is_main) check_main(s, f);
    if (f->is_extern) check_extern(s, f);
    if (f->is_export) check_export(s, f);
    scope_leave(s);
    s->func = NULL;
    s->facts = NULL;
    instance_leave(s, f->facts->instance, here);
    instance_notes(s, f->facts->instance, since, 1);
}

void check_signatures(Sema *s) {
    for (int i = s->first_func; i < s->program->funcs.n; i++) {
        Func *f = s->program->funcs.at[i];
        if (!f->facts->skip && !f->facts->instance) check_signature(s, f); /* those are, from the start */
    }
}

void check_body(Sema *s, Func *f) {
    const Instance *inst = f->facts->instance;
    if (f->facts->checked || f->facts->skip || f->is_extern) return;
    f->facts->checked = true;
    f->facts->has_errors = holes_in_body(s, f->item);
    if (f->facts->has_errors) return;
    if (s->functions_meet && !inst && group_is_inlined(f)) f->facts->unchecked = ast_clone(s->c, f->item);
    int errors = s->c->diags.n_errors, since = s->c->diags.list.n;
    Elsewhere here = instance_enter(s, inst);
    s->func = f;
    s->facts = f->facts;
    s->loop_depth = 0;
    scope_enter(s);
    for (int i = 0; i < f->params.n; i++) scope_again(s, f->params.at[i]);
    for (int i = 0; i < f->facts->owners.n; i++) scope_again(s, f->facts->owners.at[i]);
    for (int i = 0; i < f->sizes.n; i++) scope_again(s, f->sizes.at[i]);
    if (f->is_kernel) check_domain(s, f);
    if (f->is_kernel) check_assumptions(s, f);
    if (f->is_input) session_enter(s);
    check_block(s, f->item->fn.body);
    scope_leave(s);
    f->facts->has_errors = s->c->diags.n_errors != errors;
    s->func = NULL;
    s->facts = NULL;
    s->block = NULL;
    instance_leave(s, inst, here);
    instance_notes(s, inst, since, ALL_STEPS);
    if (inst) f->facts->has_errors = inst->of->has_errors = inst->of->has_errors || f->facts->has_errors;
}

void check_bodies(Sema *s) {
    for (int i = s->first_func; i < s->program->funcs.n; i++) check_body(s, s->program->funcs.at[i]);
}
