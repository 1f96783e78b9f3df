/* builtin.c -- checks of calls of built-in functions. For most functions the row of builtin.def says which arguments
 * they take and what they return; the others (CHECK) have a function here. */
#include "sema/check.h"

BuiltinId builtin_find(Sema *s, Name name) {
    for (int id = 1; id < BUILTIN__COUNT; id++)
        if (s->builtin_name[id] == name && id != BUILTIN_AT) return (BuiltinId)id;
    return BUILTIN_NONE;
}

/* ---- arguments ---- */

static bool count_is(Sema *s, Expr *e, BuiltinId id, int n) {
    int given = e->call.args.n;
    if (given == n) return true;
    Span at = given > n ? e->call.args.at[n].span : (Span){e->span.hi - 1, e->span.hi};
    const char *name = builtin_rows[id].name;
    Diag *d = diag(s->c, E0311, at, "`%s` expects %d argument%s, but got %d", name, n, n == 1 ? "" : "s", given);
    if (id == BUILTIN_LEN && given == 2)
        diag_fix(s->c, d, e->call.callee->span, "shape", "`shape(x, d)` is the extent of dimension d");
    const ArgList *args = &e->call.args;
    if (n == 2 && given == 3 && name[0] == 'm')
        diag_fix(s->c, d, span_join(args->at[1].span, args->at[2].span),
                 arena_printf(s->arena, "%s(%s, %s)", name, source_text(s, args->at[1].span),
                              source_text(s, args->at[2].span)),
                 "call it twice");
    for (int i = 0; i < given; i++) check_expr(s, &e->call.args.at[i].value);
    return false;
}

static bool is_plain(Sema *s, Arg *a) {
    if (a->label) {
        Diag *d = diag(s->c, E0326, a->span, "the arguments of built-in functions cannot be named");
        diag_fix(s->c, d, a->span, source_text(s, a->value->span), "pass only the value");
        return false;
    }
    if (a->mode == REF_NONE) return true;
    Diag *d = diag(s->c, E0401, a->span, "this argument is passed by value");
    diag_fix(s->c, d, a->span, source_text(s, a->value->span), "remove the `&`");
    return false;
}

static bool suits(BuiltinArgs args, const Type *t) {
    switch (args) {
    case ARGS_CHECK: break;
    case ARGS_FLOAT: return t->is_float || t->kind == TY_INT_LITERAL;
    case ARGS_FLOATS: return suits(ARGS_FLOAT, type_of_part(t));
    case ARGS_NUMBERS: return type_is_number(type_of_part(t));
    case ARGS_INTEGERS: return type_of_part(t)->is_int;
    }
    return true;
}

static bool are_floats(BuiltinArgs args) { return args == ARGS_FLOAT || args == ARGS_FLOATS; }

static void does_not_suit(Sema *s, Expr *e, BuiltinId id) {
    BuiltinArgs args = builtin_rows[id].args;
    const char *wanted = are_floats(args) ? "a float" : args == ARGS_NUMBERS ? "a number" : "an integer";
    Diag *d =
        diag(s->c, E0304, e->span, "`%s` needs %s, but this is %s", builtin_rows[id].name, wanted,
             quoted_type(s, e->type));
    if (are_floats(args) && e->type->is_int) fix_convert(s, d, e, s->f64);
}

/* Scalars of one type: literals follow the others, and become f64 alone. */
static bool check_scalars(Sema *s, Expr *e, BuiltinId id) {
    ArgList *args = &e->call.args;
    bool ok = true;
    for (int i = 0; i < args->n; i++) {
        ok = is_plain(s, &args->at[i]) && ok;
        Type *t = check_scalar(s, &args->at[i].value);
        if (is_bad(t)) {
            ok = false;
        } else if (!suits(builtin_rows[id].args, t)) {
            does_not_suit(s, args->at[i].value, id);
            ok = false;
        }
    }
    if (!ok) return false;
    Type *vector = vector_among(args);
    for (int i = 0; vector && i < args->n; i++) broadcast(s, &args->at[i].value, vector);
    const char *what = arena_printf(s->arena, "`%s`", builtin_rows[id].name);
    Type *common = args->at[0].value->type;
    for (int i = 1; i < args->n && !is_bad(common); i++)
        common = unify(s, &args->at[0].value, &args->at[i].value, args->at[i].span, what);
    if (is_bad(common)) return false;
    if (are_floats(builtin_rows[id].args) && common->kind == TY_INT_LITERAL) common = s->float_literal;
    bool has_width = builtin_rows[id].args == ARGS_INTEGERS; /* which the value may depend on */
    if (has_width && type_is_literal(common)) common = s->i32;
    for (int i = 0; i < args->n; i++) ok = coerce(s, &args->at[i].value, common, NULL) && ok;
    return ok;
}

/* A call with literals only is a literal when its value is known, else it takes the default type. */
static Type *literal_result(Sema *s, Expr *e, Type *t) {
    e->type = t;
    fold_builtin(e);
    if (!type_is_literal(t) || e->konst.kind != CONST_NONE) return t;
    Type *to = t->is_float ? s->f64 : s->i32;
    for (int i = 0; i < e->call.args.n; i++) retype(s, e->call.args.at[i].value, to);
    return e->type = to;
}

static Type *row_result(Sema *s, Expr *e, BuiltinId id) {
    if (builtin_rows[id].result == RESULT_SAME) return literal_result(s, e, e->call.args.at[0].value->type);
    for (int i = 0; i < e->call.args.n; i++) settle(s, &e->call.args.at[i].value);
    e->type = s->boolean;
    fold_builtin(e);
    return e->type;
}

/* ---- those that check their own arguments ---- */

/* rotate_left(x, n): as the operator, n may be of another integer type, unless one of both is a vector. */
static Type *check_rotate_left(Sema *s, Expr *e) {
    Arg *x = &e->call.args.at[0], *n = &e->call.args.at[1];
    bool ok = is_plain(s, x) && is_plain(s, n);
    if (is_bad(check_scalar(s, &x->value)) || is_bad(check_scalar(s, &n->value)) || !ok) return s->error;
    for (int i = 0; i < 2; i++) {
        if (suits(ARGS_INTEGERS, e->call.args.at[i].value->type)) continue;
        does_not_suit(s, e->call.args.at[i].value, BUILTIN_ROTATE_LEFT);
        return s->error;
    }
    Type *vector = vector_among(&e->call.args);
    if (vector) broadcast(s, &x->value, vector);
    if (is_bad(settle(s, &x->value))) return s->error;
    if (vector && !coerce(s, &n->value, vector, NULL)) return s->error;
    e->type = settle(s, &n->value);
    if (!is_bad(e->type)) e->type = x->value->type;
    fold_builtin(e);
    return e->type;
}

static bool is_text(Sema *s, Arg *a, const char *why) {
    return is_plain(s, a) && check_value(s, &a->value, s->str, why);
}

static Type *check_len(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0];
    bool slice = expr_is_slice(a->value);
    if (slice && a->value->index.is_flat) a->mode = REF_NONE; /* len(flat(&m)): the mode says nothing here */
    Type *t = slice ? check_slice(s, a->value) : check_expr(s, &a->value);
    if (is_bad(t) || !is_plain(s, a)) return s->error;
    if (slice) return s->index;
    if (t->kind == TY_STR) return s->index;
    if (is_bad(check_measured(s, a->value, "`len`"))) return s->error;
    const_array_measure(e, a->value, -1);
    return s->index;
}

static Type *check_shape(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0], *d = &e->call.args.at[1];
    bool ok = is_plain(s, a) && is_plain(s, d);
    Type *array = check_measured(s, a->value, "`shape`");
    if (is_bad(check_scalar(s, &d->value)) || !to_index(s, &d->value, "the dimension") || is_bad(array) || !ok)
        return s->error;
    const Const *which = &d->value->konst;
    if (which->kind != CONST_INT) {
        diag(s->c, E0607, d->value->span, "the dimension must be a constant");
        return s->error;
    }
    if (which->i < 0 || which->i >= array->rank) {
        Diag *said = diag(s->c, E0607, d->value->span, "`%s` has dimensions 0 to %d", source_text(s, a->value->span),
                          array->rank - 1);
        if (expr_root(a->value)) note_declared(s, said, expr_root(a->value));
        return s->error;
    }
    const_array_measure(e, a->value, (int)which->i);
    return s->index;
}

static Type *check_copy(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0];
    bool named = a->value->kind == EXPR_NAME || a->value->kind == EXPR_FIELD;
    if (named && a->mode == REF_IN && type_owns(check_expr(s, &a->value)) && a->value->kind == EXPR_NAME) {
        effect_add(s, EFFECT_HEAP, e->span, "copies arrays");
        own_names(s, a->value->name.sym, a->value->span, &e->call.info->copied);
        return a->value->type;
    }
    return check_reference(s, a, REF_IN) ? a->value->type : s->error;
}

static bool is_whole(Sema *s, const Arg *a) {
    if (a->value->kind == EXPR_FIELD && !is_bad(check_expr(s, (Expr **)&a->value)) && expr_fixed_field(a->value)) {
        diag(s->c, E0345, a->span, "`%s` is part of a struct, but `swap` exchanges whole arrays and whole variables",
             source_text(s, a->value->span));
        return false;
    }
    if (!expr_is_slice(a->value)) return true;
    diag(s->c, E0613, a->span, "`swap` exchanges whole arrays, but `%s` is a slice of one",
         source_text(s, a->value->span));
    return false;
}

static Type *check_swap(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0], *b = &e->call.args.at[1];
    if (!is_whole(s, a) || !is_whole(s, b)) return s->error;
    bool ok = check_reference(s, a, REF_MUT);
    if (!check_reference(s, b, REF_MUT) || !ok) return s->error;
    Symbol *x = a->value->name.sym, *y = b->value->name.sym;
    if (x == y) {
        diag(s->c, E0403, b->span, "`%s` cannot be swapped with itself", x->name);
        return s->error;
    }
    if (a->value->type != b->value->type) {
        Diag *d = diag(s->c, E0304, b->span, "`swap` needs two arrays of the same type: `%s` is `%s`, `%s` is `%s`",
                       x->name,
                       type_name(s->c, a->value->type), y->name, type_name(s->c, b->value->type));
        note_declared(s, d, x);
        note_declared(s, d, y);
        return s->error;
    }
    bool reshaped[2] = {x->reshaped, y->reshaped}, open[2] = {shape_is_open(x), shape_is_open(y)};
    ok = check_writable(s, x, a->span, WRITE_WHOLE);
    if (!check_writable(s, y, b->span, WRITE_WHOLE) || !ok) return s->error;
    if (fixed_swap(s, x, y, e->span)) {
        x->reshaped = reshaped[0];
        y->reshaped = reshaped[1];
    } else if (x->kind == SYM_LOCAL && y->kind == SYM_LOCAL) {
        shape_redefine(s, (Redefinition){.sym = x, .other = y}, open[0]);
        shape_redefine(s, (Redefinition){.sym = y, .other = x}, open[1]);
    }
    return s->nothing;
}

/* flat(&m), whose `&` belongs to the view. */
static bool is_flat_view(const Arg *a) { return expr_is_slice(a->value) && a->value->index.is_flat && !a->label; }

/* Only sema makes such calls, checked. */
static Type *check_shown(Sema *s, Expr *e) { return (void)e, s->str; }

/* print, format */
static Type *check_text(Sema *s, Expr *e) {
    ArgList *args = &e->call.args;
    BuiltinId id = e->call.info->builtin;
    Type *result = id == BUILTIN_PRINT ? s->nothing : s->str;
    if (!args->n) {
        Diag *d = diag(s->c, E0701, e->span, "`%s` needs a format string", builtin_rows[id].name);
        if (id == BUILTIN_PRINT) diag_fix(s->c, d, e->span, "print(\"\")", "use an empty text to print an empty line");
        return s->error;
    }
    for (int i = 0; i < args->n; i++)
        if (!is_flat_view(&args->at[i]) && !is_plain(s, &args->at[i])) return s->error;
    if (args->at[0].value->kind == EXPR_STR)
        e->call.info->format = check_format(s, args->at[0].value, args->at + 1, args->n - 1);
    else
        check_missing_format(s, e);
    if (id == BUILTIN_PRINT && s->func) {
        PrintSite site = {s->func, e};
        vec_push(s->arena, &s->program->prints, site);
        e->call.info->print_site = s->program->prints.n;
    }
    return result;
}

static const char *file_words(Sema *s, BuiltinId id) {
    return arena_printf(s->arena, "the first argument of `%s` is the name of the file", builtin_rows[id].name);
}

/* write_file, append_file */
static Type *check_write_file(Sema *s, Expr *e) {
    BuiltinId id = e->call.info->builtin;
    Arg *path = &e->call.args.at[0], *data = &e->call.args.at[1];
    bool ok = is_text(s, path, file_words(s, id));
    if (data->mode == REF_NONE) {
        Type *t = data->value->kind == EXPR_NAME ? check_expr(s, &data->value) : s->nothing;
        if (t->kind != TY_ARRAY)
            return is_text(s, data, "a text, or an array passed as `&a`") && ok ? s->nothing : s->error;
    }
    if (!check_reference(s, data, REF_IN) || !ok) return s->error;
    if (!type_has_text(data->value->type->elem)) return s->nothing;
    diag(s->c, E0325, data->span, "only arrays of numbers can be written, not arrays of texts");
    return s->error;
}

static bool is_path(Sema *s, Expr *e) {
    BuiltinId id = e->call.info->builtin;
    return is_text(s, &e->call.args.at[0], file_words(s, id));
}

/* Types all of whose bit patterns are values: not bool, nor a struct with a bool in it. */
static Type *check_read_array(Sema *s, Expr *e) {
    Arg *offset = &e->call.args.at[1], *to = &e->call.args.at[2];
    bool ok = is_path(s, e);
    ok = is_plain(s, offset) && !is_bad(check_scalar(s, &offset->value)) &&
         to_index(s, &offset->value, "the position of the first byte") && ok;
    if (!check_reference(s, to, to->mode == REF_OUT ? REF_OUT : REF_MUT) || !ok) return s->error;
    if (type_is_number(type_of_part(to->value->type->elem))) return s->nothing;
    Diag *d = diag(s->c, E0331, to->span, "`read_array` reads into arrays of numbers, but this is %s",
                   quoted_type(s, to->value->type));
    note_declared(s, d, expr_array_symbol(to->value));
    return s->error;
}

/* x.at(i, j): the element, or zero outside of the array. */
static Type *check_at(Sema *s, Expr *e) {
    CallInfo *info = e->call.info;
    Type *array = check_measured(s, info->receiver, "`at`");
    bool ok = !is_bad(array);
    for (int i = 0; i < e->call.args.n; i++) {
        Arg *a = &e->call.args.at[i];
        ok = is_plain(s, a) && ok;
        ok = check_as_index(s, &a->value, "an index") && ok;
    }
    if (!ok) return s->error;
    if (e->call.args.n != array->rank) {
        Diag *d =
            diag(s->c, E0316, e->span, "`%s` has %d dimension%s, but is indexed with %d ind%s",
                 source_text(s, info->receiver->span), array->rank, array->rank == 1 ? "" : "s", e->call.args.n,
                 e->call.args.n == 1 ? "ex" : "ices");
        if (expr_root(info->receiver)) note_declared(s, d, expr_root(info->receiver));
        return s->error;
    }
    if (array->elem->kind == TY_STR) {
        diag(s->c, E0306, e->span, "`at` returns 0 for an index out of bounds, and a text has no such value");
        return s->error;
    }
    return array->elem;
}

static Type *check_device_name(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0];
    return is_plain(s, a) && check_value(s, &a->value, s->index, "the number of a device") ? s->str : s->error;
}

static Type *check_exit(Sema *s, Expr *e) {
    Arg *a = &e->call.args.at[0];
    return is_plain(s, a) && check_value(s, &a->value, s->i32, "the exit status") ? s->nothing : s->error;
}

static Type *check_read_file(Sema *s, Expr *e) { return is_path(s, e) ? s->str : s->error; }
static Type *check_file_exists(Sema *s, Expr *e) { return is_path(s, e) ? s->boolean : s->error; }
static Type *check_file_size(Sema *s, Expr *e) { return is_path(s, e) ? s->index : s->error; }

/* ---- those without arguments ---- */

static Type *check_args(Sema *s, Expr *e) { return (void)e, type_array(s->types, s->str, 1); }
static Type *check_clock(Sema *s, Expr *e) { return (void)e, s->f64; }
static Type *check_devices(Sema *s, Expr *e) { return (void)e, s->i32; }
static Type *check_read_line(Sema *s, Expr *e) { return (void)e, s->str; }
static Type *check_input_ended(Sema *s, Expr *e) { return (void)e, s->boolean; }

/* ---- the rows ---- */

const BuiltinRow builtin_rows[BUILTIN__COUNT] = {
#define CHECK_OF_CHECK(f) ARGS_CHECK, check_##f
#define CHECK_OF_FLOAT ARGS_FLOAT, NULL
#define CHECK_OF_FLOATS ARGS_FLOATS, NULL
#define CHECK_OF_NUMBERS ARGS_NUMBERS, NULL
#define CHECK_OF_INTEGERS ARGS_INTEGERS, NULL
#define RESULT_INDEX RESULT_CHECKED
#define RESULT_F64 RESULT_CHECKED
#define RESULT_STR RESULT_CHECKED
#define RESULT_VOID RESULT_CHECKED
#define RESULT_OTHER RESULT_CHECKED
#define WHERE_BOTH false, 0, NULL
#define WHERE_ON_HOST true, 0, NULL
#define WHERE_HOST(effect, what) true, effect, what
#define WHERE_EVEN_IN_KERNELS(effect, what) false, effect, what
#define BUILTIN(id, name, n_args, args, result, where, value, lowering)                                                \
    [BUILTIN_##id] = {name, n_args, CHECK_OF_##args, RESULT_##result, WHERE_##where},
#include "sema/builtin.def"
#undef BUILTIN
};

static CallInfo *info_of(Sema *s, Expr *e, BuiltinId id) {
    if (!e->call.info) e->call.info = arena_new(s->arena, CallInfo);
    e->call.info->kind = CALL_BUILTIN;
    e->call.info->builtin = id;
    e->call.callee->type = s->nothing;
    return e->call.info;
}

Type *check_builtin(Sema *s, Expr *e, BuiltinId id) {
    const BuiltinRow *row = &builtin_rows[id];
    info_of(s, e, id);
    if (row->effect && (id != BUILTIN_COPY || e != s->made_for)) effect_add(s, row->effect, e->span, row->what);
    if (row->n_args >= 0 && !count_is(s, e, id, row->n_args)) return bad(s, e);
    if (row->check) e->type = row->check(s, e);
    else e->type = check_scalars(s, e, id) ? row_result(s, e, id) : s->error;
    return is_bad(e->type) ? bad(s, e) : e->type;
}

Type *check_method(Sema *s, Expr *e) {
    Expr *callee = e->call.callee;
    if (callee->field.name != s->at) {
        Type *t = check_expr(s, &callee->field.base);
        if (is_bad(t)) return bad(s, e);
        Diag *d = diag(s->c, E0318, callee->field.name_span, "there is no method `%s`", callee->field.name);
        if (t->kind == TY_ARRAY) explain_array_member(s, d, callee, e->span);
        else explain_method(s, d, e);
        return bad(s, e);
    }
    info_of(s, e, BUILTIN_AT)->receiver = callee->field.base;
    e->type = check_at(s, e);
    return is_bad(e->type) ? bad(s, e) : e->type;
}
