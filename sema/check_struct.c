/* check_struct.c -- structs: layout, construction, access to fields. A struct is a value: it is copied, and has at
 * most MAX_STRUCT_BYTES, so that it fits in the arguments of a launch. Structs that own arrays are in own.c. Structs
 * may be declared in any order: each is laid out when it is first needed. */
#include "sema/check.h"

enum { MAX_STRUCT_BYTES = 1024, MAX_STRUCT_DEPTH = 32 };

/* Declarations ------------------------------------------------------------------------------------------------ */

void declare_struct(Sema *s, Item *item) {
    Symbol *sym = symbol_new(s, SYM_STRUCT, item->name, item->name_span, NULL);
    sym->item = item;
    item->struct_.sym = sym;
    scope_add(s, sym);
    if (item->struct_.generics.n) generic_declare(s, sym, &item->struct_.generics);
}

static Type *field_type(Sema *s, const Field *f) {
    if (refuse_any_rank(s, f->type)) return s->error;
    if (f->type->kind == TE_ARRAY) {
        Type *owned = own_field_type(s, f->type);
        return owned ? owned : fixed_field_type(s, f->type);
    }
    return scalar_type(s, f->type);
}

static bool is_new_field(Sema *s, const FieldList *fields, int n) {
    for (int i = 0; i < n; i++) {
        if (fields->at[i].name != fields->at[n].name) continue;
        Diag *d = diag(s->c, E0302, fields->at[n].span, "`%s` is already a field of this struct", fields->at[n].name);
        diag_note(s->c, d, fields->at[i].span, "the first one");
        return false;
    }
    return true;
}

static int64_t round_up(int64_t v, int64_t to) { return (v + to - 1) / to * to; }

static bool add_field(Sema *s, Type *t, const Field *f) {
    Type *of = field_type(s, f);
    if (is_bad(of)) return false;
    int64_t align = type_align_bytes(of), offset = round_up(t->size_bytes, align);
    t->fields[t->n_fields++] = (TypeField){.name = f->name, .span = f->span, .type = of, .offset = offset};
    t->size_bytes = offset + type_size_bytes(of);
    if (align > t->align_bytes) t->align_bytes = align;
    if (of->depth >= t->depth) t->depth = of->depth + 1;
    t->has_text = t->has_text || type_has_text(of) || (of->kind == TY_ARRAY && type_has_text(of->elem));
    return true;
}

/* It is copied like any struct, and stays on the host like text. */
static Type *lay_out_handle(Sema *s, Type *t, const Item *item) {
    t->fields = arena_new(s->arena, TypeField);
    t->fields[t->n_fields++] =
        (TypeField){.name = name_of(&s->c->names, ""), .span = item->name_span, .type = type_scalar(s->types, TY_U64)};
    t->size_bytes = t->align_bytes = 8;
    t->is_handle = t->has_text = true;
    return t;
}

static Type *lay_out(Sema *s, Item *item) {
    const FieldList *fields = &item->struct_.fields;
    Type *t = arena_new(s->arena, Type);
    *t = (Type){.kind = TY_STRUCT, .name = item->name, .align_bytes = 1, .depth = 1};
    if (item->struct_.is_extern) return lay_out_handle(s, t, item);
    if (!fields->n || fields->n > MAX_STRUCT_BYTES) {
        diag(s->c, E0341, item->name_span, fields->n ? "`%s` has more than %d fields" : "`%s` has no fields",
             item->name, MAX_STRUCT_BYTES);
        return s->error;
    }
    t->fields = arena_array(s->arena, TypeField, fields->n);
    bool ok = true;
    for (int i = 0; i < fields->n; i++) {
        ok = is_new_field(s, fields, i) && ok;
        ok = add_field(s, t, &fields->at[i]) && ok;
    }
    if (!ok || !own_check_fields(s, t)) return s->error;
    t->size_bytes = round_up(t->size_bytes, t->align_bytes);
    if (t->size_bytes <= MAX_STRUCT_BYTES && t->depth <= MAX_STRUCT_DEPTH) return t;
    if (t->depth > MAX_STRUCT_DEPTH)
        diag(s->c, E0341, item->name_span, "`%s` is nested more than %d deep", t->name, MAX_STRUCT_DEPTH);
    else
        diag(s->c, E0341, item->name_span, "`%s` has %lld bytes, but a struct can have at most %d", t->name,
             (long long)t->size_bytes, MAX_STRUCT_BYTES);
    return s->error;
}

/* The type that the name of the struct means; `use` is where it is used. */
Type *struct_need(Sema *s, Symbol *sym, Span use) {
    if (sym->type) return sym->type;
    if (sym->written) { /* being laid out, further up */
        Diag *d = diag(s->c, E0340, use, "`%s` contains itself", sym->name);
        diag_note(s->c, d, sym->span, "a struct cannot have a field of its own type");
        return s->error;
    }
    sym->written = true;
    if (++s->struct_chain > 2 * MAX_STRUCT_DEPTH) {
        diag(s->c, E0341, sym->span, "`%s` is the end of a chain of structs nested more than %d deep", sym->name,
             MAX_STRUCT_DEPTH);
        sym->type = s->error;
    } else {
        sym->type = lay_out(s, sym->item);
    }
    s->struct_chain--;
    return sym->type;
}

/* Building ---------------------------------------------------------------------------------------------------- */

static int field_find(const Type *t, Name name) {
    for (int i = 0; i < t->n_fields; i++)
        if (t->fields[i].name == name) return i;
    return -1;
}

static bool is_given(const ArgList *args, Name field) {
    for (int i = 0; args && i < args->n; i++)
        if (args->at[i].label == field) return true;
    return false;
}

/* `given`: arguments that have other fields already; or NULL. */
static const char *nearest_field(const Type *t, Name name, const ArgList *given) {
    const char *best = NULL;
    int distance = 3;
    for (int i = 0; i < t->n_fields; i++) {
        if (is_given(given, t->fields[i].name)) continue;
        int d = edit_distance(name, t->fields[i].name, distance - 1);
        if (d >= distance) continue;
        distance = d;
        best = t->fields[i].name;
    }
    return best;
}

static void no_such_field(Sema *s, const Type *t, DiagCode code, Name name, Span at, const ArgList *given) {
    if (t->is_handle) {
        Diag *d = diag(s->c, code, at, "`%s` is a pointer of C: it has no fields", t->name);
        diag_note(s->c, d, t->fields[0].span, "it is declared here");
        return;
    }
    Diag *d = diag(s->c, code, at, "`%s` has no field `%s`", t->name, name);
    const char *near = nearest_field(t, name, given);
    if (near) diag_fix(s->c, d, at, near, "did you mean `%s`?", near);
    else diag_note(s->c, d, t->fields[0].span, "its fields are declared here");
}

static Span label_span(const Arg *a) {
    uint32_t n = 0;
    while (a->label[n]) n++;
    return (Span){a->span.lo, a->span.lo + n};
}

/* Which field an argument is, or -1: reported. */
static int field_of_arg(Sema *s, const Type *t, const ArgList *args, int number) {
    const Arg *a = &args->at[number];
    if (a->mode != REF_NONE) {
        diag(s->c, E0401, a->span, "a field is a value, not a reference");
        return -1;
    }
    if (!a->label && t->is_handle) {
        Diag *d = diag(s->c, E0342, a->span, "only C functions make values of `%s`, a pointer of C", t->name);
        diag_note(s->c, d, a->span, "`%s()` is the null pointer", t->name);
        return -1;
    }
    if (!a->label) {
        Diag *d = diag(s->c, E0342, a->span, "the name of the field of `%s` is missing", t->name);
        if (number < t->n_fields)
            fix_insert(s, d, a->span.lo, arena_printf(s->arena, "%s: ", t->fields[number].name), "write its name");
        return -1;
    }
    int field = field_find(t, a->label);
    if (field < 0) no_such_field(s, t, E0342, a->label, label_span(a), args);
    return field;
}

static bool give_owned(Sema *s, Expr **slot, Type *t, const char *why) {
    check_owned(s, slot, t, why);
    return !is_bad((*slot)->type);
}

static bool place_args(Sema *s, Expr *e, const Type *t) {
    ArgList *args = &e->call.args;
    int *given = arena_array(s->arena, int, t->n_fields + 1);
    bool ok = true;
    for (int i = 0; i < args->n; i++) {
        Arg *a = &args->at[i];
        int field = field_of_arg(s, t, args, i);
        if (field < 0) {
            check_expr(s, &a->value);
            ok = false;
            continue;
        }
        const TypeField *f = &t->fields[field];
        const char *why =
            arena_printf(s->arena, "field `%s` of `%s` is `%s`", f->name, t->name, type_name(s->c, f->type));
        if (f->type->kind == TY_FIXED) ok = fixed_give(s, &a->value, f, why) && ok;
        else if (f->type->kind == TY_ARRAY || type_owns(f->type)) ok = give_owned(s, &a->value, f->type, why) && ok;
        else ok = check_value(s, &a->value, f->type, why) && ok;
        if (given[field]) {
            Diag *d = diag(s->c, E0342, label_span(a), "field `%s` is specified twice", f->name);
            diag_note(s->c, d, args->at[given[field] - 1].span, "the first one is here");
            ok = false;
        }
        given[field] = i + 1;
        e->call.info->part_of[i] = field;
    }
    for (int i = 0; i < t->n_fields && ok && !t->is_handle; i++) {
        if (given[i]) continue;
        Diag *d = diag(s->c, E0342, (Span){e->span.hi - 1, e->span.hi}, "field `%s` of `%s` is missing",
                       t->fields[i].name, t->name);
        diag_note(s->c, d, t->fields[i].span, "it is declared here");
        return false;
    }
    return ok;
}

Type *check_build_struct(Sema *s, Expr *e, Symbol *sym) {
    if (sym->generic) sym = infer_build(s, e, sym->generic);
    Type *t = sym ? struct_need(s, sym, e->call.callee->span) : s->error;
    e->call.callee->type = s->nothing;
    if (is_bad(t)) {
        for (int i = 0; i < e->call.args.n; i++) check_expr(s, &e->call.args.at[i].value);
        return bad(s, e);
    }
    CallInfo *info = e->call.info = arena_new(s->arena, CallInfo);
    info->kind = CALL_BUILD;
    info->part_of = arena_array(s->arena, int, e->call.args.n + 1);
    if (sym->kind == SYM_TYPE && e->call.args.n == 1 && !e->call.args.at[0].label && !t->is_handle) {
        check_expr(s, &e->call.args.at[0].value);
        Diag *d = diag(s->c, E0351, e->span, "`%s` is the struct `%s` here, and a struct is not made from one value",
                       e->call.callee->name.name, t->name);
        diag_note(s->c, d, sym->span, "write `%s: number` here, and call it with numbers", e->call.callee->name.name);
        info->kind = CALL_ERROR;
        return bad(s, e);
    }
    if (t->is_handle) effect_add(s, EFFECT_EXTERN, e->span, "uses a pointer of C");
    if (place_args(s, e, t)) return e->type = t;
    info->kind = CALL_ERROR;
    return bad(s, e);
}

/* Fields ------------------------------------------------------------------------------------------------------ */

Type *check_struct_field(Sema *s, Expr *e, Type *t) {
    int field = field_find(t, e->field.name);
    if (field < 0) {
        no_such_field(s, t, E0318, e->field.name, e->field.name_span, NULL);
        return bad(s, e);
    }
    e->field.n_at = 1;
    e->field.at[0] = field;
    if (t->owns) return own_field(s, e, field);
    return e->type = fixed_as_array(s, t->fields[field].type);
}
