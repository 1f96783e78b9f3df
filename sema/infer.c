/* infer.c -- type inference for generics: the type parameters are found by matching the types of parameters with those
 * of arguments (`x: &[T; n]` with an array of f32: T is f32). Typed arguments decide first; untyped literals take the
 * types found so far, or their default type. For a struct, the fields are the parameters; where a type is written, its
 * arguments are explicit. */
#include "sema/check.h"

/* What one type parameter was found to be, and where. */
typedef struct Found {
    Type *type;
    Name from; /* the parameter or field */
    Expr *value;
    bool is_literal;
} Found;

typedef struct Inference {
    Sema *s;
    const Template *of;
    Found *found; /* one per type parameter */
    bool ok;
} Inference;

static Inference inference_new(Sema *s, const Template *t) {
    return (Inference){s, t, arena_array(s->arena, Found, t->params->n + 1), true};
}

static Found *find_param(Inference *f, Name name) {
    for (int i = 0; i < f->of->params->n; i++)
        if (f->of->params->at[i].name == name) return &f->found[i];
    return NULL;
}

static void conflict(Inference *f, const Found *first, Name param, Type *t, Name from, Expr *value) {
    Sema *s = f->s;
    f->ok = false;
    Diag *d = diag(s->c, E0353, value->span, "`%s` is inferred as `%s` from `%s`, but as `%s` from `%s`", param,
                   type_name(s->c, first->type), first->from, type_name(s->c, t), from);
    diag_note(s->c, d, first->value->span, "`%s` is inferred as `%s` here", param, type_name(s->c, first->type));
    bool are_numbers = type_is_number(t) && type_is_number(first->type);
    /* a fraction, or bits: the first argument is converted instead */
    bool loses = first->type->is_int && t->is_float;
    if (first->type->is_int == t->is_int) loses = first->type->bits < t->bits;
    if (!are_numbers) return;
    if (loses && first->value->type == first->type) fix_convert(s, d, first->value, t);
    else if (!loses && value->type == t) fix_convert(s, d, value, first->type);
}

static void bind(Inference *f, Name param, Type *t, Name from, Expr *value) {
    Found *found = find_param(f, param);
    if (!found || is_bad(t) || !f->ok) return;
    if (!found->type) *found = (Found){t, from, value, type_is_literal(t)};
    else if (found->is_literal && type_is_literal(t)) found->type = t->is_float ? t : found->type;
    else if (!type_is_literal(t) && found->type != t) conflict(f, found, param, t, from, value);
}

/* `te` is written in the generic's own module, whose names are in scope. */
static void match(Inference *f, const TypeExpr *te, Type *t, Name from, Expr *value) {
    switch (te->kind) {
    case TE_ERROR: return;
    case TE_NAME: break;
    case TE_ARRAY:
        if (t->kind == TY_ARRAY) match(f, te->array.elem, t->elem, from, value);
        return;
    case TE_REF: match(f, te->ref.to, t, from, value); return;
    }
    if (!te->name.args.n) {
        if (t->kind != TY_ARRAY) bind(f, te->name.name, t, from, value);
        return;
    }
    if (t->kind != TY_STRUCT || !t->instance) return;
    Symbol *sym = scope_find(f->s, te->name.name);
    if (!sym || sym->generic != t->instance->of) return;
    for (int i = 0; i < te->name.args.n && i < t->instance->of->params->n; i++)
        match(f, te->name.args.at[i], t->instance->args[i], from, value);
}

/* Reporting --------------------------------------------------------------------------------------------------- */

static void not_allowed(Inference *f, int param, Span at) {
    const Generic *g = &f->of->params->at[param];
    const Found *found = &f->found[param];
    Sema *s = f->s;
    Diag *d = diag(s->c, E0351, at, "`%s` of `%s` must be %s, and `%s` is not", g->name, f->of->item->name,
                   constraint_what(g), type_name(s->c, found->type));
    diag_note(s->c, d, span_join(g->span, g->constraint_span), "the constraint is declared here");
}

/* The default type of a number without one: what the constraint has room for. */
static void settle_found(Inference *f, int param) {
    Found *found = &f->found[param];
    if (!found->is_literal) return;
    Sema *s = f->s;
    bool is_int = found->type->kind == TY_INT_LITERAL;
    found->type = is_int && constraint_allows(&f->of->params->at[param], s->i32) ? s->i32 : s->f64;
}

static bool check_found(Inference *f, int param, Span use) {
    if (!f->ok) return false;
    settle_found(f, param);
    if (constraint_allows(&f->of->params->at[param], f->found[param].type)) return true;
    not_allowed(f, param, f->found[param].value ? f->found[param].value->span : use);
    return f->ok = false;
}

static Type **types_found(Inference *f, Span use) {
    Type **args = arena_array(f->s->arena, Type *, f->of->n_keys + 1);
    for (int i = 0; i < f->of->params->n; i++) {
        if (!check_found(f, i, use)) return NULL;
        args[i] = f->found[i].type;
    }
    return args;
}

/* Calls ------------------------------------------------------------------------------------------------------- */

/* The array or value that a reference is to. NULL: reported. */
static Type *referenced_type(Sema *s, Arg *a, RefMode mode) {
    Expr *e = a->value;
    if (expr_is_slice(e)) return check_slice(s, e);
    Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.name) : NULL;
    bool is_variable = sym && sym->type && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM);
    if (is_variable) return is_bad(sym->type) ? bad(s, e) : sym->type;
    return check_reference(s, a, mode) ? a->value->type : s->error;
}

static Type *arg_type(Sema *s, Arg *a, const TypeExpr *te) {
    if (te->kind == TE_REF) return referenced_type(s, a, te->ref.mode);
    if (a->mode != REF_NONE || te->kind != TE_NAME) return s->error; /* check_arg will say so */
    return check_scalar(s, &a->value);
}

/* An argument from which T would be inferred has an error, which is already reported. */
static void cannot_tell(Sema *s, Expr *call, const Template *t, Type **have, Name param) {
    const ParamList *params = &t->item->fn.params;
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->at[i];
        if (!type_mentions(p->type, param) || i >= call->call.args.n) continue;
        const Arg *a = &call->call.args.at[i];
        if (is_bad(have[i]) && a->value->type && is_bad(a->value->type)) return;
        Diag *d = diag(s->c, E0352, a->span, "cannot infer `%s` of `%s` from this", param, t->item->name);
        const char *want = source_text(s, p->type->span);
        if (is_bad(have[i])) diag_note(s->c, d, p->span, "`%s` is declared `%s`", p->name, want);
        else diag_note(s->c, d, p->span, "`%s` is declared `%s`, and the argument is %s", p->name, want,
                       quoted_type(s, have[i]));
        return;
    }
}

/* The names of the generic's own module are needed for `p: Pair<T, U>` only, but always right. */
static void match_call(Inference *f, Type **have, const ArgList *args, int n) {
    const ParamList *params = &f->of->item->fn.params;
    Elsewhere here = elsewhere_enter(f->s, f->of->module);
    for (int literals = 0; literals < 2; literals++)
        for (int i = 0; i < n; i++)
            if (type_is_literal(have[i]) == literals)
                match(f, params->at[i].type, have[i], params->at[i].name, args->at[i].value);
    elsewhere_leave(f->s, here);
}

/* let x: f32 = limit(1, 0, 2); -- T occurs only in untyped literals and in the result: then T is the type that the
 * context needs, if that is allowed for T. */
static void follow_result(Inference *f, Type *wanted) {
    const TypeExpr *te = f->of->item->fn.result;
    Found *found = te && te->kind == TE_NAME && f->of->item->kind == ITEM_FN ? find_param(f, te->name.name) : NULL;
    if (!found || !wanted || !found->is_literal || !type_is_number(wanted)) return;
    if (!constraint_allows(&f->of->params->at[found - f->found], wanted)) return;
    if (found->type->is_float && !wanted->is_float) return;
    found->type = wanted;
    found->is_literal = false;
}

/* The function or kernel that a call of a generic calls. NULL: reported. */
Func *infer_call(Sema *s, Expr *call, Template *t, const unsigned *columns) {
    ArgList *args = &call->call.args;
    int errors = s->c->diags.n_errors, n = t->item->fn.params.n < args->n ? t->item->fn.params.n : args->n;
    Type **have = arena_array(s->arena, Type *, t->item->fn.params.n + 1);
    for (int i = 0; i < n; i++) have[i] = arg_type(s, &args->at[i], t->item->fn.params.at[i].type);
    Inference f = inference_new(s, t);
    match_call(&f, have, args, n);
    for (int i = 0; i < t->params->n && f.ok; i++) {
        if (f.found[i].type) continue;
        if (s->c->diags.n_errors == errors) cannot_tell(s, call, t, have, t->params->at[i].name);
        return NULL;
    }
    follow_result(&f, call->call.wanted);
    Type **types = types_found(&f, call->span);
    for (int i = 0; types && i < n; i++) types[t->params->n + i] = any_rank_key(s, &t->item->fn.params.at[i], have[i]);
    return types ? instance_func(s, t, types, columns, call->span) : NULL;
}

/* Structs ----------------------------------------------------------------------------------------------------- */

static const Field *field_named(const Item *item, Name name) {
    for (int i = 0; name && i < item->struct_.fields.n; i++)
        if (item->struct_.fields.at[i].name == name) return &item->struct_.fields.at[i];
    return NULL;
}

/* An element of an array that is made here, which has no type before the field has one. */
static Expr **first_element(Expr *e) {
    if (e->kind == EXPR_FILL) return &e->fill.value;
    while (e->kind == EXPR_LIST && e->list.items.n && e->list.items.at[0]->kind == EXPR_LIST) e = e->list.items.at[0];
    return e->kind == EXPR_LIST && e->list.items.n ? &e->list.items.at[0] : NULL;
}

/* A comprehension is checked when the type of its field is known; its type without a context is found on a copy. */
static Type *comprehended_type(Sema *s, const Expr *e) {
    Expr *copy = ast_clone_expr(s->c, e);
    return check_expr(s, &copy);
}

static void match_field(Inference *f, const Field *field, Arg *a) {
    Sema *s = f->s;
    const TypeExpr *te = field->type;
    Expr **slot = &a->value;
    if (te->kind == TE_ARRAY && first_element(a->value)) {
        te = te->array.elem;
        slot = first_element(a->value);
    }
    Type *t = (*slot)->kind == EXPR_COMPREHEND ? comprehended_type(s, *slot) : check_expr(s, slot);
    if (te->kind == TE_NAME && (t->kind == TY_ARRAY || t->kind == TY_VOID)) t = check_scalar(s, slot);
    Elsewhere here = elsewhere_enter(s, f->of->module);
    match(f, te, t, field->name, *slot);
    elsewhere_leave(s, here);
}

static const Arg *arg_named(const Expr *e, Name name) {
    for (int i = 0; i < e->call.args.n; i++)
        if (e->call.args.at[i].label == name) return &e->call.args.at[i];
    return NULL;
}

/* A field that is left out, misspelt or not understood says nothing of T. */
static void cannot_build(Sema *s, Expr *e, const Template *t, Name param) {
    const FieldList *fields = &t->item->struct_.fields;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (field_named(t->item, a->label)) continue;
        Diag *d = a->label ? diag(s->c, E0342, a->span, "`%s` has no field `%s`", t->item->name, a->label)
                           : diag(s->c, E0342, a->span, "the name of the field of `%s` is missing", t->item->name);
        diag_note(s->c, d, t->item->name_span, "it is declared here");
        return;
    }
    for (int i = 0; i < fields->n; i++) {
        const Field *field = &fields->at[i];
        if (!type_mentions(field->type, param)) continue;
        const Arg *given = arg_named(e, field->name);
        const char *want = source_text(s, field->type->span);
        Diag *d = given ? diag(s->c, E0352, given->span, "cannot infer `%s` of `%s` from this", param,
                               t->item->name)
                        : diag(s->c, E0342, (Span){e->span.hi - 1, e->span.hi}, "field `%s` of `%s` is missing",
                               field->name, t->item->name);
        diag_note(s->c, d, field->span, "it is declared `%s`", want);
        return;
    }
    Diag *d = diag(s->c, E0352, e->span, "cannot infer `%s` of `%s` from this", param, t->item->name);
    diag_note(s->c, d, t->item->name_span, "no field of `%s` uses it", t->item->name);
}

/* Untyped literals decide last: a second pass visits them. */
static bool is_untyped(Sema *s, Expr **slot) {
    if ((*slot)->kind == EXPR_COMPREHEND || ((*slot)->kind == EXPR_LIST && !(*slot)->list.items.n)) return false;
    Expr **element = first_element(*slot);
    return type_is_literal(check_expr(s, element ? element : slot));
}

Symbol *infer_build(Sema *s, Expr *e, Template *t) {
    const Instance *wanted = e->call.wanted ? e->call.wanted->instance : NULL;
    if (wanted && wanted->of == t) return wanted->sym;
    Inference f = inference_new(s, t);
    int errors = s->c->diags.n_errors;
    for (int literals = 0; literals < 2; literals++)
        for (int i = 0; i < e->call.args.n; i++) {
            Arg *a = &e->call.args.at[i];
            const Field *field = a->mode == REF_NONE ? field_named(t->item, a->label) : NULL;
            if (field && is_untyped(s, &a->value) == literals) match_field(&f, field, a);
        }
    for (int i = 0; i < t->params->n && f.ok; i++) {
        if (f.found[i].type) continue;
        if (s->c->diags.n_errors == errors) cannot_build(s, e, t, t->params->at[i].name);
        return NULL;
    }
    Type **types = types_found(&f, e->span);
    return types ? instance_struct(s, t, types, e->span) : NULL;
}

/* Written out ------------------------------------------------------------------------------------------------- */

static Type *written_arg(Sema *s, TypeExpr *te) {
    if (te->kind != TE_ARRAY) return scalar_type(s, te);
    diag(s->c, E0356, te->span, "a type parameter is a value type, not an array");
    return s->error;
}

static const char *params_text(Sema *s, const Template *t) {
    const char *text = t->item->name;
    for (int i = 0; i < t->params->n; i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "<", t->params->at[i].name);
    return arena_printf(s->arena, "%s>", text);
}

/* Pair<f32, i32> */
Type *written_struct(Sema *s, TypeExpr *te, Template *t) {
    int n = te->name.args.n, want = t->params->n;
    Inference f = inference_new(s, t);
    for (int i = 0; i < n; i++) {
        Type *type = written_arg(s, te->name.args.at[i]);
        if (i < want) f.found[i] = (Found){.type = type};
        f.ok = f.ok && !is_bad(type);
    }
    if (n != want) {
        Diag *d = n ? diag(s->c, E0356, te->span, "`%s` expects %d type%s, but got %d", te->name.name, want,
                           want == 1 ? "" : "s", n)
                    : diag(s->c, E0356, te->span, "`%s` is generic; write its type arguments", te->name.name);
        diag_note(s->c, d, t->item->name_span, "it is declared `%s`", params_text(s, t));
        return s->error;
    }
    Type **types = arena_array(s->arena, Type *, want + 1);
    for (int i = 0; i < want; i++) {
        if (!check_found(&f, i, te->name.args.at[i]->span)) return s->error;
        types[i] = f.found[i].type;
    }
    Symbol *sym = instance_struct(s, t, types, te->span);
    return sym ? struct_need(s, sym, te->span) : s->error;
}

/* f32<i32>, Plain<f32>, T<f32> */
Type *not_generic(Sema *s, const TypeExpr *te) {
    Diag *d = diag(s->c, E0356, te->span, "`%s` is not generic and has no type arguments", te->name.name);
    Span plain = {te->span.lo + (uint32_t)__builtin_strlen(te->name.name), te->span.hi};
    diag_fix(s->c, d, plain, "", "leave out `%s`", source_text(s, plain));
    return s->error;
}
