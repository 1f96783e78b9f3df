/* check_vector.c -- short vectors: construction, components, and operators, which work component by component. A
 * scalar beside a vector is converted to a vector whose components are all that scalar; the conversion is written into
 * the tree. */
#include <string.h>

#include "sema/check.h"

/* Building ---------------------------------------------------------------------------------------------------- */

static bool is_plain(Sema *s, const Arg *a) {
    if (a->label) diag(s->c, E0326, a->span, "the components of a vector cannot be named here");
    else if (a->mode != REF_NONE) diag(s->c, E0401, a->span, "a vector is constructed from values, not references");
    return !a->label && a->mode == REF_NONE;
}

/* f32x4(v): each component converted; f32x4(a): all components are a. */
static Type *convert_or_splat(Sema *s, Expr *e, Type *to) {
    Expr **slot = &e->call.args.at[0].value;
    Type *from = (*slot)->type;
    if (from->kind == TY_VECTOR && from->width != to->width) return NULL;
    if (from->kind != TY_VECTOR && !type_is_number(from)) {
        diag(s->c, E0320, e->span, "%s cannot be converted to `%s`", quoted_type(s, from), to->name);
        return bad(s, e);
    }
    if (type_is_literal(from) && !coerce(s, slot, to->elem, NULL)) return bad(s, e);
    e->call.info->kind = CALL_CONVERT;
    return e->type = to;
}

static int parts_in(const Type *t) { return t->kind == TY_VECTOR ? t->width : 1; }

/* f32x4(a, b, c, d), and f32x4(v, a) where v has several of them. */
static Type *build_of_parts(Sema *s, Expr *e, Type *to) {
    ArgList *args = &e->call.args;
    int n = 0;
    bool ok = true;
    for (int i = 0; i < args->n; i++) {
        Type *t = args->at[i].value->type;
        e->call.info->part_of[i] = n;
        n += parts_in(t);
        Type *want = t->kind == TY_VECTOR ? type_vector(s->types, to->elem, t->width) : to->elem;
        const char *why = arena_printf(s->arena, "`%s` is constructed from `%s`", to->name, to->elem->name);
        ok = coerce(s, &args->at[i].value, want, why) && ok;
    }
    if (!ok) return bad(s, e);
    if (n == to->width) return e->type = to;
    Diag *d = diag(s->c, E0343, e->span, "`%s` needs %d numbers, or one for all components; got %d", to->name,
                   to->width, n);
    diag_note(s->c, d, e->span, "a vector counts as its number of components");
    return bad(s, e);
}

Type *check_build_vector(Sema *s, Expr *e, Type *to) {
    ArgList *args = &e->call.args;
    CallInfo *info = e->call.info = arena_new(s->arena, CallInfo);
    info->kind = CALL_BUILD;
    info->part_of = arena_array(s->arena, int, args->n + 1);
    e->call.callee->type = s->nothing;
    bool ok = true;
    for (int i = 0; i < args->n; i++) {
        ok = is_plain(s, &args->at[i]) && ok;
        ok = !is_bad(check_scalar(s, &args->at[i].value)) && ok;
    }
    Type *t = !ok ? bad(s, e) : args->n == 1 ? convert_or_splat(s, e, to) : NULL;
    if (!t) t = build_of_parts(s, e, to);
    if (is_bad(t)) info->kind = CALL_ERROR;
    return t;
}

/* `f32x5`, `i32x16`: spelled like a vector type, but there is no such type. True: reported. */
bool vector_unknown(Sema *s, Name name, Span at) {
    const char *x = strrchr(name, 'x');
    if (!x || x == name || !x[1] || strspn(x + 1, "0123456789") != strlen(x + 1)) return false;
    Type *elem = type_find(s->types, name_intern(&s->c->names, name, (size_t)(x - name)));
    if (!elem || !type_is_number(elem)) return false;
    Diag *d = diag(s->c, E0343, at, "there is no vector `%s`", name);
    diag_note(s->c, d, at, elem->kind == TY_INDEX ? "use `i64`: there are no vectors of `index`"
                                                  : "a vector has 2, 3, 4 or 8 components, as in `%sx4`", elem->name);
    return true;
}

/* Parts ------------------------------------------------------------------------------------------------------- */

/* `x y z w`, and `s0` to `s7`. Several letters are a vector of their own. */
static int read_parts(const char *text, int at[4]) {
    if (text[0] == 's' && text[1] >= '0' && text[1] <= '7' && !text[2]) {
        at[0] = text[1] - '0';
        return 1;
    }
    int n = 0;
    for (; text[n]; n++) {
        const char *letter = strchr("xyzw", text[n]);
        if (!letter || n == 4) return 0;
        at[n] = (int)(letter - "xyzw");
    }
    return n;
}

Type *check_vector_part(Sema *s, Expr *e, Type *t) {
    int at[4] = {0}, n = read_parts(e->field.name, at);
    bool ok = n > 0;
    for (int i = 0; i < n; i++) ok = ok && at[i] < t->width;
    if (!ok) {
        Diag *d = diag(s->c, E0318, e->field.name_span, "`%s` has no component `%s`", t->name, e->field.name);
        diag_note(s->c, d, e->field.name_span, t->width == 8 ? "its components are `s0` to `s7`"
                                                             : "its components are `%.*s`, alone or together",
                  t->width, "xyzw");
        return bad(s, e);
    }
    e->field.n_at = n;
    memcpy(e->field.at, at, sizeof at);
    return e->type = n == 1 ? t->elem : type_vector(s->types, t->elem, n);
}

/* Operators --------------------------------------------------------------------------------------------------- */

/* A scalar beside a vector is converted to a vector. All other cases are left to unify. */
void broadcast(Sema *s, Expr **slot, Type *vector) {
    Expr *e = *slot;
    if (vector->kind != TY_VECTOR || !type_is_number(e->type)) return;
    if (!type_is_literal(e->type) && !type_widens(e->type, vector->elem)) return;
    if (coerce(s, slot, vector->elem, NULL)) *slot = convert_new(s, *slot, vector);
}

Type *vector_among(ArgList *args) {
    for (int i = 0; i < args->n; i++)
        if (args->at[i].value->type->kind == TY_VECTOR) return args->at[i].value->type;
    return NULL;
}

/* dot(a, b), cross(a, b), length(a) */
Type *check_vector(Sema *s, Expr *e) {
    ArgList *args = &e->call.args;
    BuiltinId id = e->call.info->builtin;
    bool ok = true;
    for (int i = 0; i < args->n; i++) {
        ok = is_plain(s, &args->at[i]) && ok;
        Type *t = check_scalar(s, &args->at[i].value);
        if (is_bad(t) || !ok) return s->error;
        bool suits = t->kind == TY_VECTOR && (id == BUILTIN_DOT || t->elem->is_float) &&
                     (id != BUILTIN_CROSS || t->width == 3);
        if (suits) continue;
        diag(s->c, E0304, args->at[i].span, "`%s` needs a vector%s, but this is %s", builtin_rows[id].name,
             id == BUILTIN_CROSS ? " of three floats" : id == BUILTIN_LENGTH ? " of floats" : "", quoted_type(s, t));
        return s->error;
    }
    Type *t = args->at[0].value->type;
    if (args->n == 2 && args->at[1].value->type != t) {
        diag(s->c, E0305, e->span, "`%s` mixes `%s` and `%s`", builtin_rows[id].name, t->name,
             args->at[1].value->type->name);
        return s->error;
    }
    return id == BUILTIN_CROSS ? t : t->elem;
}
