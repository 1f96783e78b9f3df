/* own.c -- structs that own arrays, `struct Grid { u: [f64; _, _], dt: f64 }`, are replaced by their fields (scalar
 * replacement of aggregates): a variable `g` by the variables `g.u` and `g.dt`, whose names no program can write, a
 * parameter `g: &mut Grid` by the parameters `g.u: &mut [f64; _, _]` and `g.dt: &mut f64`, and an argument `&mut g` by
 * one argument for each field. So the rules for arrays (ownership, extents, aliasing in one call, transfers) hold for
 * fields without further code. Only moves treat the struct as a whole: a struct is moved with all arrays that it owns,
 * and no array is moved out of it. */
#include "sema/check.h"

/* Declarations ------------------------------------------------------------------------------------------------ */

static bool all_open(Sema *s, const TypeExpr *te) {
    for (int i = 0; i < te->array.extents.n; i++) {
        const Expr *e = te->array.extents.at[i];
        if (e->kind != EXPR_NAME || e->name.name != s->underscore) return false;
    }
    return te->array.extents.n >= 1 && te->array.extents.n <= MAX_RANK;
}

/* u: [f64; _, _] -- an array of any size. NULL: its extents are something else. */
Type *own_field_type(Sema *s, TypeExpr *te) {
    if (!all_open(s, te)) return NULL;
    Type *elem = scalar_type(s, te->array.elem);
    for (int i = 0; i < te->array.extents.n; i++) te->array.extents.at[i]->type = s->index;
    return is_bad(elem) ? elem : (te->type = type_array(s->types, elem, te->array.extents.n));
}

bool type_owns(const Type *t) { return t->kind == TY_STRUCT && t->owns; }

/* After the fields are known: a struct may not have both kinds of arrays, so that each field can be a variable. */
bool own_check_fields(Sema *s, Type *t) {
    const TypeField *fixed = NULL, *open = NULL;
    for (int i = 0; i < t->n_fields; i++) {
        const TypeField *f = &t->fields[i];
        if (f->type->kind == TY_FIXED) fixed = f;
        if (f->type->kind == TY_ARRAY || type_owns(f->type)) open = f;
    }
    t->owns = open != NULL;
    if (!fixed || !open) return true;
    Diag *d = diag(s->c, E0346, fixed->span, "`%s` has constant extents, but the struct also owns an array of any size",
                   fixed->name);
    diag_note(s->c, d, open->span, "this array is owned");
    diag_note(s->c, d, fixed->span, "put it into a second struct: `struct Weights { %s: %s }`", fixed->name,
              fixed->type->name);
    return false;
}

/* Where one value is needed. */
Type *own_as_value(Sema *s, Expr *e) {
    Diag *d = diag(s->c, E0346, e->span,
                   "`%s` owns arrays, so it can only be moved to a variable, not used inside an expression",
                   e->type->name);
    if (e->kind == EXPR_NAME) diag_note(s->c, d, e->span, "pass it as `&%s`, or use its fields", e->name.name);
    return bad(s, e);
}

/* An element of an array, what a constant is, a reduction. */
bool own_refused(Sema *s, const Type *t, Span at, const char *where) {
    if (!type_owns(t)) return false;
    Diag *d = diag(s->c, E0346, at, "`%s` owns arrays and cannot be %s", t->name, where);
    diag_note(s->c, d, at, "it can be a variable, a result or a field of another struct");
    return true;
}

/* Variables --------------------------------------------------------------------------------------------------- */

static Name part_name(Sema *s, Name whole, Name field) {
    return name_of(&s->c->names, arena_printf(s->arena, "%s.%s", whole, field));
}

static Expr *given(const Expr *init, int field) {
    if (!init || init->kind != EXPR_CALL || !init->call.info || init->call.info->kind != CALL_BUILD) return NULL;
    for (int i = 0; i < init->call.args.n; i++)
        if (init->call.info->part_of[i] == field) return init->call.args.at[i].value;
    return NULL;
}

/* One variable for each field; fields that are owning structs are split again. */
void own_declare(Sema *s, Symbol *sym, Expr *init) {
    const Type *t = sym->type;
    sym->parts = arena_array(s->arena, Symbol *, t->n_fields);
    sym->n_parts = t->n_fields;
    for (int i = 0; i < t->n_fields; i++) {
        Name name = part_name(s, sym->name, t->fields[i].name);
        Symbol *part = symbol_new(s, SYM_LOCAL, name, sym->span, t->fields[i].type);
        sym->parts[i] = part;
        part->part_of = sym;
        part->is_mutable = sym->is_mutable;
        part->keyword = sym->keyword;
        part->used = true;
        part->init = given(init, i);
        scope_again(s, part);
        if (type_owns(part->type)) {
            own_declare(s, part, part->init);
            continue;
        }
        vec_push(s->arena, &s->facts->locals, part);
        if (part->type->kind != TY_ARRAY) continue;
        part->owns = true;
        vec_push(s->arena, &s->block->drops, part);
    }
}

const Symbol *own_whole(const Symbol *sym) {
    while (sym->part_of) sym = sym->part_of;
    return sym;
}

/* g.u: its variable. `e->field.base` is checked, and of type `t`. */
Type *own_field(Sema *s, Expr *e, int field) {
    Expr *base = e->field.base;
    Symbol *sym = base->kind == EXPR_NAME ? base->name.sym : NULL;
    if (!sym || !sym->parts) {
        Diag *d = diag(s->c, E0411, e->span, "this struct has no name, so its arrays could not be freed afterwards");
        diag_note(s->c, d, base->span, "give it a name first: `let g = %s;`", source_text(s, base->span));
        return bad(s, e);
    }
    Symbol *part = sym->parts[field];
    e->kind = EXPR_NAME;
    e->name.name = part->name;
    e->name.sym = part;
    part->used = true;
    e->konst = (Const){0};
    return e->type = part->type;
}

/* Parameters and arguments ------------------------------------------------------------------------------------ */

static TypeExpr *known_type(Sema *s, const TypeExpr *at, Type *t) {
    TypeExpr *te = arena_new(s->arena, TypeExpr);
    *te = (TypeExpr){.kind = TE_NAME, .depth = 1, .span = at->span, .type = t, .known = true};
    te->name.name = t->name;
    return te;
}

static TypeExpr *array_of(Sema *s, const TypeExpr *at, Type *t) {
    TypeExpr *te = arena_new(s->arena, TypeExpr);
    *te = (TypeExpr){.kind = TE_ARRAY, .depth = 2, .span = at->span};
    te->array.elem = known_type(s, at, t->elem);
    for (int d = 0; d < t->rank; d++) {
        Expr *e = arena_new(s->arena, Expr);
        *e = (Expr){.kind = EXPR_NAME, .depth = 1, .span = at->span};
        e->name.name = s->underscore;
        vec_push(s->arena, &te->array.extents, e);
    }
    return te;
}

/* A number that is only read is passed by value. */
static TypeExpr *param_of(Sema *s, const TypeExpr *as_written, Type *t) {
    bool is_array = t->kind == TY_ARRAY;
    if (!is_array && as_written->ref.mode == REF_IN) return known_type(s, as_written, t);
    TypeExpr *te = arena_new(s->arena, TypeExpr);
    *te = (TypeExpr){.kind = TE_REF, .depth = 3, .span = as_written->span};
    te->ref = as_written->ref;
    te->ref.to = is_array ? array_of(s, as_written, t) : known_type(s, as_written, t);
    return te;
}

static void add_params(Sema *s, ParamList *out, Symbol *sym) {
    sym->parts = arena_array(s->arena, Symbol *, sym->type->n_fields);
    sym->n_parts = sym->type->n_fields;
    for (int i = 0; i < sym->n_parts; i++) {
        const TypeField *f = &sym->type->fields[i];
        Name name = part_name(s, sym->name, f->name);
        if (type_owns(f->type)) {
            Symbol *part = sym->parts[i] = symbol_new(s, SYM_PARAM, name, sym->span, f->type);
            part->part_of = sym;
            part->mode = sym->mode;
            part->as_written = sym->as_written;
            vec_push(s->arena, &s->facts->owners, part);
            add_params(s, out, part);
            continue;
        }
        Param p = {.name = name, .span = sym->span, .owner = sym, .field = i};
        p.type = param_of(s, sym->as_written, f->type);
        vec_push(s->arena, out, p);
    }
}

static Type *struct_behind(Sema *s, const TypeExpr *te) {
    TypeExpr *to = te->kind == TE_REF ? te->ref.to : (TypeExpr *)te;
    if (to->kind != TE_NAME) return s->nothing;
    Type *t = scalar_type(s, to);
    if (is_bad(t)) to->kind = TE_ERROR; /* said, and once is enough */
    return t;
}

static bool mode_suits(Sema *s, TypeExpr *te, const Type *t) {
    if (te->kind != TE_REF) {
        Diag *d = diag(s->c, E0321, te->span, "`%s` owns arrays and must be passed by reference", t->name);
        fix_insert(s, d, te->span.lo, "&", "use `&` to read it, `&mut ` to change it");
    } else if (te->ref.mode == REF_SCRATCH) {
        diag(s->c, E0346, te->span, "`%s` owns arrays and cannot be `&scratch`", t->name);
    } else {
        return true;
    }
    te->kind = TE_ERROR;
    return false;
}

/* The parameters of a signature, before they are checked: those that own arrays become several. */
void own_expand_params(Sema *s, Func *f) {
    ParamList *params = &f->item->fn.params, out = {0};
    bool any = false;
    for (int i = 0; i < params->n; i++) {
        Param *p = &params->at[i];
        Type *t = struct_behind(s, p->type);
        if (!type_owns(t) || !mode_suits(s, p->type, t)) {
            vec_push(s->arena, &out, *p);
            continue;
        }
        any = true;
        Symbol *sym = symbol_new(s, SYM_PARAM, p->name, p->span, t);
        sym->mode = p->type->ref.mode;
        sym->as_written = p->type;
        scope_add(s, sym);
        vec_push(s->arena, &f->facts->owners, sym);
        add_params(s, &out, sym);
    }
    if (any) *params = out;
}

/* A parameter that replaces a field has been declared. */
void own_bind_param(const Param *p) {
    if (!p->owner) return;
    p->owner->parts[p->field] = p->sym;
    p->sym->part_of = p->owner;
    p->sym->used = false;
}

/* How many arguments the callee is written with, as the reader sees it. */
int own_count(const Func *f) {
    int n = 0;
    const Symbol *last = NULL;
    for (int i = 0; i < f->n_given; i++) {
        const Symbol *p = f->params.n > i ? f->params.at[i] : NULL, *whole = p && p->part_of ? own_whole(p) : NULL;
        if (!whole || whole != last) n++;
        last = whole;
    }
    return n;
}

static void add_args(Sema *s, ArgList *out, const Arg *arg, Symbol *have, const Symbol *param) {
    for (int i = 0; i < param->n_parts; i++) {
        Symbol *want = param->parts[i], *part = have->parts[i];
        if (want->parts) {
            add_args(s, out, arg, part, want);
            continue;
        }
        Expr *e = arena_new(s->arena, Expr);
        *e = (Expr){.kind = EXPR_NAME, .depth = 1, .span = arg->value->span};
        e->name.name = part->name;
        Arg a = {.mode = want->mode, .value = e, .span = arg->span, .mode_span = arg->mode_span};
        vec_push(s->arena, out, a);
    }
}

static bool expand_arg(Sema *s, ArgList *out, Arg *arg, const Symbol *param, const Func *f) {
    Type *t = check_expr(s, &arg->value);
    Expr *e = arg->value;
    if (is_bad(t)) return false;
    if (arg->mode != param->mode) {
        wrong_mode(s, arg, param->mode);
        return false;
    }
    if (t != param->type) {
        Diag *d = diag(s->c, E0304, arg->span, "`%s` is `%s`, but parameter `%s` of `%s` is `%s`",
                       source_text(s, e->span),
                       type_name(s->c, t), param->name, f->name, param->type->name);
        diag_note(s->c, d, param->span, "the parameter is declared here");
        return false;
    }
    if (e->kind != EXPR_NAME || !e->name.sym->parts) {
        Diag *d = diag(s->c, E0410, e->span, "only a variable with a name can be passed by reference");
        diag_note(s->c, d, e->span, "give it a name first: `let g = %s;`", source_text(s, e->span));
        return false;
    }
    if (param->mode == REF_MUT || param->mode == REF_OUT) own_written(e->name.sym);
    add_args(s, out, arg, e->name.sym, param);
    return true;
}

/* f(&mut g) becomes f(&mut g.u, &mut g.dt). The number of arguments has been found right. */
bool own_expand_args(Sema *s, Expr *call, const Func *f) {
    ArgList *args = &call->call.args, out = {0};
    if (!f->facts->owners.n) return true;
    bool ok = true;
    for (int i = 0, p = 0; i < args->n && p < f->n_given; i++) {
        const Symbol *param = f->params.at[p], *whole = param->part_of ? own_whole(param) : NULL;
        if (!whole) {
            vec_push(s->arena, &out, args->at[i]);
            p++;
            continue;
        }
        ok = expand_arg(s, &out, &args->at[i], whole, f) && ok;
        while (p < f->n_given && f->params.at[p]->part_of && own_whole(f->params.at[p]) == whole) p++;
    }
    if (ok) *args = out;
    return ok;
}

void own_written(Symbol *sym) {
    for (; sym; sym = sym->part_of) sym->written = true;
}

/* All variables below, in order. */
void own_each(Symbol *sym, OwnVisit visit, void *context) {
    if (!sym->parts) visit(sym, context);
    for (int i = 0; i < sym->n_parts; i++) own_each(sym->parts[i], visit, context);
}

void own_names(Sema *s, Symbol *sym, Span at, ExprList *out) {
    for (int i = 0; i < sym->n_parts; i++) own_names(s, sym->parts[i], at, out);
    if (sym->type->kind != TY_ARRAY) return;
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_NAME, .depth = 1, .span = at, .type = sym->type};
    e->name.name = sym->name;
    e->name.sym = sym;
    vec_push(s->arena, out, e);
}
