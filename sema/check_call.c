/* check_call.c -- checks of calls: what is called, the number, modes and types of the arguments, and which arrays are
 * passed more than once. Extents are compared later (shape.c), when it is known which arrays keep theirs. */
#include <string.h>

#include "sema/check.h"

static const char *const mode_text[REF__COUNT] = {"", "&", "&mut ", "&out ", "&scratch "};

/* What a C function does with an array is not known: it may write each array that it takes by `&mut`. */
static void check_arg_alone(Sema *s, Arg *arg) {
    if (arg->mode != REF_NONE && expr_is_slice(arg->value)) check_slice(s, arg->value);
    else check_expr(s, &arg->value);
    if (arg->mode != REF_MUT && arg->mode != REF_OUT) return;
    Symbol *sym = expr_root(arg->value);
    if (sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM)) own_written(sym);
}

/* After an error in the call itself: the arguments may have errors of their own. */
static Type *check_args_only(Sema *s, Expr *e) {
    e->call.callee->type = s->error;
    for (int i = 0; i < e->call.args.n && s->holes.n; i++) /* which may depend on what is called */
        if (!e->call.args.at[i].value->type) bad(s, e->call.args.at[i].value);
    for (int i = 0; i < e->call.args.n; i++) check_arg_alone(s, &e->call.args.at[i]);
    return bad(s, e);
}

const char *signature_text(Sema *s, const Item *item) {
    const char *text = arena_printf(s->arena, "%s %s", item->kind == ITEM_KERNEL ? "kernel" : "fn", item->name);
    const GenericList *types = &item->fn.generics;
    for (int i = 0; i < types->n && i < 16; i++)
        text = arena_printf(s->arena, "%s%s%s%s", text, i ? ", " : "<",
                            source_text(s, span_join(types->at[i].span, types->at[i].constraint_span)),
                            i + 1 < types->n ? "" : ">");
    text = arena_printf(s->arena, "%s(", text);
    const Symbol *last = NULL;
    for (int i = 0; i < item->fn.params.n && i < 16; i++) {
        const Param *p = &item->fn.params.at[i];
        const Symbol *whole = p->owner ? own_whole(p->owner) : NULL;
        if (whole && whole == last) continue;
        last = whole;
        text = arena_printf(s->arena, "%s%s%s: %s", text, i ? ", " : "", whole ? whole->name : p->name,
                            source_text(s, p->type->span));
    }
    text = arena_printf(s->arena, "%s%s)", text, item->fn.params.n > 16 ? ", ..." : "");
    const TypeExpr *result = item->kind == ITEM_FN ? item->fn.result : NULL;
    return result ? arena_printf(s->arena, "%s -> %s", text, source_text(s, result->span)) : text;
}

/* One of several declarations with this name: the call may be meant for another one. */
static bool is_ambiguous(const Sema *s, const Func *f) {
    int n = 0;
    const ItemList *items = &s->program->module->items;
    for (int i = 0; i < items->n; i++)
        n += (items->at[i]->kind == ITEM_FN || items->at[i]->kind == ITEM_KERNEL) && items->at[i]->name == f->name;
    return n > 1;
}

/* Which of one argument too many is it? A number where an array follows is its length, as in C; else the last one. */
static int extra_argument(const Func *f, const ArgList *args, int want) {
    for (int i = 0; i < want && f->params.n == want; i++)
        if (f->params.at[i]->mode != REF_NONE && args->at[i].mode == REF_NONE)
            return args->at[i + 1].mode == REF_NONE ? want : i;
    return want;
}

static bool check_count(Sema *s, Expr *e, Func *f) {
    int got = e->call.args.n, want = own_count(f);
    if (got == want) return true;
    check_args_only(s, e);
    if (is_ambiguous(s, f)) return false;
    if (got < want) {
        Diag *d = say_missing(s, e, f);
        diag_note(s->c, d, f->name_span, "it is declared `%s`", signature_text(s, f->item));
        return false;
    }
    const ArgList *args = &e->call.args;
    int extra = got == want + 1 ? extra_argument(f, args, want) : want;
    Span at = args->at[extra].span;
    Diag *d =
        diag(s->c, E0311, at, "`%s` expects %d argument%s, but got %d", f->name, want, want == 1 ? "" : "s", got);
    Span with_comma = extra ? (Span){args->at[extra - 1].span.hi, at.hi} : (Span){at.lo, args->at[got > 1].span.lo};
    if (want && got == want + 1) diag_fix(s->c, d, with_comma, "", "leave it out");
    diag_note(s->c, d, f->name_span, "it is declared `%s`", signature_text(s, f->item));
    if (f->sizes.n)
        diag_note(s->c, d, at, "do not pass the size `%s`: it is taken from the arrays", f->sizes.at[0]->name);
    return false;
}

/* References ------------------------------------------------------------------------------------------------- */

void wrong_mode(Sema *s, Arg *arg, RefMode mode) {
    Expr *e = arg->value;
    if (mode == REF_NONE) {
        Diag *d = diag(s->c, E0401, arg->mode_span, "this parameter is passed by value, not by reference");
        diag_fix(s->c, d, (Span){arg->mode_span.lo, e->span.lo}, "", "pass it without `%s`",
                 source_text(s, arg->mode_span));
        return;
    }
    Diag *d = diag(s->c, E0401, arg->span, "this parameter is `%s`, and the argument must repeat it",
                   (const char *[]){"", "&", "&mut", "&out", "&scratch"}[mode]);
    Span old = arg->mode == REF_NONE ? (Span){e->span.lo, e->span.lo} : (Span){arg->mode_span.lo, e->span.lo};
    diag_fix(s->c, d, old, mode_text[mode], "write `%s%s`", mode_text[mode], source_text(s, e->span));
}

/* `&mut m[2]` of a table: the row is a slice. */
static bool is_row(Sema *s, const Arg *arg) {
    Expr *e = arg->value, *base = e->kind == EXPR_INDEX ? e->index.base : NULL;
    Symbol *sym = base && base->kind == EXPR_NAME ? scope_find(s, base->name.name) : NULL;
    if (!sym || !sym->type || sym->type->kind != TY_ARRAY || sym->type->rank <= e->index.at.n) return false;
    Expr *last = e->index.at.at[e->index.at.n - 1];
    const char *rest = "";
    for (int i = e->index.at.n; i < sym->type->rank; i++) rest = arena_printf(s->arena, "%s, ..", rest);
    Diag *d = diag(s->c, E0316, e->span, "`%s` has %d dimensions, but is indexed with %d ind%s", sym->name,
                   sym->type->rank, e->index.at.n, e->index.at.n == 1 ? "ex" : "ices");
    fix_insert(s, d, last->span.hi, rest, "pass a slice, with all indices of the other dimensions");
    note_declared(s, d, sym);
    sym->used = true;
    for (int i = 0; i < e->index.at.n; i++) check_expr(s, &e->index.at.at[i]);
    bad(s, e);
    return true;
}

static bool check_named(Sema *s, Arg *arg) {
    Expr *e = arg->value;
    if (e->kind == EXPR_NAME || expr_is_slice(e)) return true;
    if (is_row(s, arg)) return false;
    Type *t = check_expr(s, &arg->value);
    e = arg->value;
    if (is_bad(t)) return false;
    if (e->kind == EXPR_NAME) return true; /* g.u: a name now */
    if (expr_fixed_field(e) && expr_root(e)) return true;
    bool element = e->kind == EXPR_INDEX;
    Diag *d = diag(s->c, E0410, e->span,
                   element ? "an element cannot be passed by reference, only a variable, an array or a slice"
                           : "only a variable or array with a name can be passed by reference");
    const char *text = source_text(s, e->span);
    if (t->kind == TY_ARRAY) diag_note(s->c, d, e->span, "give it a name first: `let a = %s;`", text);
    else if (element && arg->mode != REF_IN)
        diag_note(s->c, d, e->span, "pass a variable, and store its value: `var v = %s; f(%sv); %s = v;`", text,
                  mode_text[arg->mode], text);
    else if (element) diag_note(s->c, d, e->span, "pass a variable: `let v = %s; f(&v);`", text);
    bad(s, e);
    return false;
}

bool check_reference(Sema *s, Arg *arg, RefMode mode) {
    if (arg->value->kind == EXPR_ERROR) return !is_bad(bad(s, arg->value));
    if (!check_named(s, arg)) return false;
    bool slice = expr_is_slice(arg->value);
    Type *t = slice ? check_slice(s, arg->value) : check_array_name(s, arg->value, "pass a reference");
    if (is_bad(t)) return false;
    const Symbol *array = expr_array_symbol(arg->value);
    bool may_repeat = !array || !array->table || mode == REF_IN; /* else check_writable says that it is a constant */
    if (arg->mode != mode && may_repeat) {
        wrong_mode(s, arg, mode);
        return false;
    }
    if (mode == REF_IN) return true;
    return check_writable(s, expr_array_symbol(arg->value), arg->span, WRITE_PASS);
}

static bool check_array_type(Sema *s, Arg *arg, const Func *f, const Symbol *param) {
    Type *have = arg->value->type, *want = param->type;
    if (have == want) return true;
    Diag *d;
    bool is_flat = expr_is_slice(arg->value) && arg->value->index.is_flat;
    const char *name = source_text(s, is_flat ? arg->span : arg->value->span);
    if (have->rank != want->rank)
        d = diag(s->c, E0602, arg->span, "`%s` has %d dimension%s, but parameter `%s` of `%s` has %d", name, have->rank,
                 have->rank == 1 ? "" : "s", param->name, f->name, want->rank);
    else
        d = diag(s->c, E0304, arg->span, "`%s` has elements of type `%s`, but parameter `%s` of `%s` needs `%s`", name,
                 have->elem->name,
                 param->name, f->name, want->elem->name);
    diag_note(s->c, d, param->span, "the parameter is declared here");
    bool may_flatten = want->rank == 1 && have->rank > 1 && have->elem == want->elem && !s->func->is_kernel;
    if (may_flatten)
        diag_fix(s->c, d, arg->span, arena_printf(s->arena, "flat(%s)", source_text(s, arg->span)),
                 "pass all elements as one dimension");
    const Symbol *sym = arg->value->kind == EXPR_NAME ? arg->value->name.sym : NULL;
    if (sym && sym->kind == SYM_LOCAL && have->rank == want->rank && have->elem != want->elem)
        explain_elements(s, d, sym, want->elem);
    return false;
}

/* &a where the parameter is a reference to one value: the value is then a checked name. */
static bool check_value_reference(Sema *s, Arg *arg, const Func *f, const Symbol *param) {
    if (arg->value->kind == EXPR_ERROR) return !is_bad(bad(s, arg->value));
    if (expr_is_slice(arg->value)) check_slice(s, arg->value);
    else if (!check_named(s, arg)) return false;
    else check_expr(s, &arg->value);
    Expr *e = arg->value;
    if (is_bad(e->type)) return false;
    if (arg->mode != param->mode) {
        wrong_mode(s, arg, param->mode);
        return false;
    }
    if (e->type != param->type) {
        Diag *d = diag(s->c, E0304, arg->span, "`%s` is `%s`, but parameter `%s` of `%s` is a reference to `%s`",
                       source_text(s, e->span), type_name(s->c, e->type), param->name, f->name,
                       type_name(s->c, param->type));
        diag_note(s->c, d, param->span, "the parameter is declared here; a reference needs exactly this type");
        return false;
    }
    if (param->mode == REF_IN) return true;
    e->konst = (Const){0};
    return check_writable(s, e->name.sym, arg->span, WRITE_PASS);
}

static void passed_twice(Sema *s, const Arg *a, const Arg *b, const Symbol *array) {
    bool slices = expr_is_slice(a->value) || expr_is_slice(b->value);
    Diag *d = diag(s->c, E0403, b->span, "`%s` is passed twice, and can be written through one of the two",
                   array->name);
    diag_note(s->c, d, a->span, "it is also passed here, as `%s`", source_text(s, a->span));
    if (slices)
        diag_note(s->c, d, b->span,
                  "two slices are allowed if their bounds show that they do not overlap, as in `[..k]` and `[k..]`");
    if (b->mode != REF_IN && a->mode != REF_IN) return;
    if (array->type->kind == TY_ARRAY)
        diag_note(s->c, d, b->span, "to read the old values, pass a copy: `let old = copy(&%s);`", array->name);
    else
        diag_note(s->c, d, b->span, "to read the old value, pass a copy: `let old = %s;`", array->name);
}

/* An array or variable may not be passed twice if one of the references is mutable: the generated alias information
 * relies on it. */
static void check_exclusive(Sema *s, Expr *e) {
    ArgList *args = &e->call.args;
    for (int i = 1; i < args->n; i++) {
        const Arg *b = &args->at[i];
        const Symbol *array = b->mode == REF_NONE ? NULL : expr_array_symbol(b->value);
        for (int k = 0; array && k < i; k++) {
            const Arg *a = &args->at[k];
            if (a->mode == REF_NONE || expr_array_symbol(a->value) != array) continue;
            if ((a->mode == REF_IN && b->mode == REF_IN) || slices_disjoint(a->value, b->value)) continue;
            passed_twice(s, a, b, array);
            return;
        }
    }
}

static bool check_arg(Sema *s, Arg *arg, const Func *f, const Symbol *param) {
    if (arg->label) {
        Diag *d = diag(s->c, E0326, arg->span, "arguments of functions cannot be named");
        diag_fix(s->c, d, (Span){arg->span.lo, arg->value->span.lo}, "", "pass the value without `%s:`", arg->label);
    }
    if (is_bad(param->type)) {
        check_arg_alone(s, arg);
        Symbol *sym = expr_root(arg->value); /* it may be meant to change: no warning that it never does */
        if (sym && sym->kind == SYM_LOCAL) own_written(sym);
        return false;
    }
    if (param->mode != REF_NONE && param->type->kind != TY_ARRAY) return check_value_reference(s, arg, f, param);
    if (param->mode != REF_NONE) return check_reference(s, arg, param->mode) && check_array_type(s, arg, f, param);
    if (arg->mode != REF_NONE) {
        if (expr_is_slice(arg->value)) check_slice(s, arg->value);
        else check_expr(s, &arg->value);
        wrong_mode(s, arg, REF_NONE);
        return false;
    }
    const char *why =
        arena_printf(s->arena, "parameter `%s` of `%s` is `%s`", param->name, f->name, type_name(s->c, param->type));
    return check_value(s, &arg->value, param->type, why);
}

static void find_sizes(Sema *s, CallInfo *info, const Func *f) {
    for (int k = 0; k < f->sizes.n; k++)
        for (int i = 0; i < f->shapes.n; i++)
            for (int d = 0; d < f->shapes.at[i].rank; d++) {
                const Extent *x = &f->shapes.at[i].at[d];
                SizeSource from = {i, d, x->value};
                if (x->kind == EXTENT_BINDS && x->size == f->sizes.at[k]) vec_push(s->arena, &info->sizes, from);
            }
}

static Type *check_func_call(Sema *s, Expr *e, Func *f, bool is_launch) {
    Template *generic = e->call.callee->name.sym->generic;
    if (!s->func) {
        Diag *d = diag(s->c, E0707, e->span, "the value of a constant cannot be computed by calling `%s`", f->name);
        if (s->made_for) const_array_advise(s, d, e->span);
        else diag_note(s->c, d, e->span, "use a `let` inside a function: its value is computed at run time");
        return check_args_only(s, e);
    }
    if (f->facts->skip) return check_args_only(s, e);
    if (group_meets(s, e->call.callee->name.sym) && !group_may_call(s, e, f)) return check_args_only(s, e);
    if (f->is_kernel && !is_launch) {
        Diag *d = diag(s->c, E0501, e->span, "`%s` is a kernel and must be launched, not called", f->name);
        if (!s->func->is_kernel) fix_insert(s, d, e->span.lo, "offload ", "launch it");
        note_declared(s, d, e->call.callee->name.sym);
        return check_args_only(s, e);
    }
    if (!check_count(s, e, f)) return bad(s, e);
    if (arguments_exchanged(s, e, f)) return check_args_only(s, e);
    unsigned *columns = NULL;
    if (!columns_find(s, e, generic ? generic->item : f->facts->as_parsed, &columns)) return check_args_only(s, e);
    if (generic) f = infer_call(s, e, generic, columns);
    else if (columns) f = columns_instance(s, e, columns);
    if (!f) return check_args_only(s, e);
    columns_pass(s, e, columns);
    if (!own_expand_args(s, e, f)) return check_args_only(s, e);
    CallInfo *info = e->call.info = arena_new(s->arena, CallInfo);
    info->kind = CALL_FUNC;
    info->func = f;
    e->call.callee->type = s->nothing;
    bool ok = true;
    for (int i = 0; i < f->n_given; i++) ok = check_arg(s, &e->call.args.at[i], f, f->params.at[i]) && ok;
    if (ok) check_exclusive(s, e);
    if (ok) call_site_add(s, f, e, is_launch);
    if (!ok) info->kind = CALL_ERROR;
    find_sizes(s, info, f);
    return e->type = f->result;
}

/* Conversions ------------------------------------------------------------------------------------------------ */

static bool convertible(Sema *s, Expr *e, Expr *x, const Type *to) {
    Type *from = x->type;
    if (type_is_number(from) && type_is_number(to)) return true;
    if (from == to && from->kind == TY_BOOL) return true;
    if (from->kind == TY_STR && type_is_number(to)) return true;
    if (from->kind == TY_BOOL && to->is_int) return true;
    if (from->is_int && to->kind == TY_BOOL) return true;
    Diag *d = diag(s->c, E0320, e->span, "%s cannot be converted to `%s`", quoted_type(s, from), to->name);
    const char *text = source_text(s, x->span);
    if (to->kind == TY_STR && from->kind != TY_STRUCT)
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "format(\"{}\", %s)", text), "convert it to text");
    else if (to->kind == TY_BOOL && from->is_float)
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "(%s != 0.0)", text), "compare it");
    else if (from->kind == TY_BOOL)
        diag_fix(s->c, d, x->span, arena_printf(s->arena, "i32(%s)", text), "through an integer");
    return false;
}

static Type *check_convert(Sema *s, Expr *e, Type *to) {
    ArgList *args = &e->call.args;
    if (args->n != 1 || args->at[0].label) {
        diag(s->c, E0311, e->span, "`%s(...)` converts one value, but got %d", to->name, args->n);
        return check_args_only(s, e);
    }
    if (args->at[0].mode != REF_NONE) {
        wrong_mode(s, &args->at[0], REF_NONE);
        return check_args_only(s, e);
    }
    Type *from = check_scalar(s, &args->at[0].value);
    Expr *x = args->at[0].value;
    if (is_bad(from) || !convertible(s, e, x, to)) return bad(s, e);
    if (from->kind == TY_STR) effect_add(s, EFFECT_STR, e->span, "reads a number from text");
    /* An untyped operand gets a type that has its value; the conversion then decides the result. */
    Const value = const_convert(x->konst, from, to);
    if (from->kind == TY_INT_LITERAL) retype(s, x, s->i64);
    if (from->kind == TY_FLOAT_LITERAL) retype(s, x, s->f64);
    if (is_bad(x->type)) return bad(s, e);
    CallInfo *info = e->call.info = arena_new(s->arena, CallInfo);
    info->kind = CALL_CONVERT;
    e->call.callee->type = s->nothing;
    if (from->kind != TY_STR) e->konst = value;
    return e->type = to;
}

static Type *check_convert_or_splat(Sema *s, Expr *e, Type *to) {
    return to->kind == TY_VECTOR ? check_build_vector(s, e, to) : check_convert(s, e, to);
}

/* What is called --------------------------------------------------------------------------------------------- */

static Type *unknown_function(Sema *s, Expr *e, bool is_launch) {
    Name name = e->call.callee->name.name;
    if (vector_unknown(s, name, e->call.callee->span) || slice_misplaced_flat(s, e)) return check_args_only(s, e);
    if (holes_may_declare(s, name)) return check_args_only(s, e);
    Diag *d =
        diag(s->c, E0301, e->call.callee->span, "there is no %s `%s`", is_launch ? "kernel" : "function", name);
    explain_unknown(s, d, e->call.callee->span, name, e);
    return check_args_only(s, e);
}

/* a(i, j) of Fortran and MATLAB is an element. */
static void fix_brackets(Sema *s, Diag *d, const Expr *e, int rank) {
    const ArgList *args = &e->call.args;
    if (args->n != rank) return;
    for (int i = 0; i < rank; i++)
        if (args->at[i].mode != REF_NONE || args->at[i].label) return;
    Span inside = {args->at[0].span.lo, args->at[rank - 1].span.hi};
    diag_fix(s->c, d, (Span){e->call.callee->span.hi, e->span.hi},
             arena_printf(s->arena, "[%s]", source_text(s, inside)), "write indices in brackets; they begin at 0");
}

static Type *check_named_call(Sema *s, Expr *e, bool is_launch) {
    Expr *callee = e->call.callee;
    Name name = callee->name.name;
    Symbol *sym = scope_find(s, name);
    if (!sym && is_launch && holes_may_declare(s, name)) return check_args_only(s, e);
    if (sym) {
        callee->name.sym = sym;
        sym->used = true;
        bool stands_for_struct = sym->kind == SYM_TYPE && sym->type->kind == TY_STRUCT;
        if ((sym->kind == SYM_STRUCT || stands_for_struct) && !is_launch) return check_build_struct(s, e, sym);
        if (sym->type && is_bad(sym->type)) return check_args_only(s, e);
        if (sym->kind == SYM_TYPE && !is_launch) return check_convert_or_splat(s, e, sym->type);
        if (sym->kind == SYM_FN && sym->func) return check_func_call(s, e, sym->func, is_launch);
        Diag *d = diag(s->c, E0310, callee->span, "`%s` is %s, not a function", name, symbol_what(sym));
        note_declared(s, d, sym);
        if (sym->type && sym->type->kind == TY_ARRAY) fix_brackets(s, d, e, sym->type->rank);
        return check_args_only(s, e);
    }
    Type *to = type_find(s->types, name);
    if (to) return check_convert_or_splat(s, e, to);
    BuiltinId id = builtin_find(s, name);
    if (id != BUILTIN_NONE && holes_mention(s, name)) return check_args_only(s, e);
    if (id != BUILTIN_NONE) return check_builtin(s, e, id);
    return unknown_function(s, e, is_launch);
}

static Type *check_callee(Sema *s, Expr *e, bool is_launch) {
    Expr *callee = e->call.callee;
    module_member(s, callee);
    slice_flat_args(s, &e->call.args);
    if (callee->kind == EXPR_ERROR) return check_args_only(s, e);
    if (callee->kind == EXPR_NAME) return check_named_call(s, e, is_launch);
    if (foreign_path(s, e)) return check_args_only(s, e);
    if (callee->kind == EXPR_FIELD && !is_launch) return check_method(s, e);
    Type *t = check_expr(s, &e->call.callee);
    if (is_bad(t)) return check_args_only(s, e);
    Diag *d = diag(s->c, E0310, callee->span, "only functions can be called");
    const char *after = source_text(s, (Span){callee->span.hi, e->span.hi}), *newline = strchr(after, '\n');
    if (newline && newline < after + strspn(after, " \t\r\n"))
        diag_note(s->c, d, callee->span, "the bracket in the next line continues this line: end it with `;`");
    return check_args_only(s, e);
}

Type *check_call(Sema *s, Expr *e) { return check_callee(s, e, false); }

static bool launches_kernel(Sema *s, Expr *call, Span launch) {
    Expr *callee = call->call.callee;
    module_member(s, callee);
    if (callee->kind != EXPR_NAME) return true; /* check_callee speaks */
    Symbol *sym = scope_find(s, callee->name.name);
    if (sym ? sym->type && is_bad(sym->type) : holes_may_declare(s, callee->name.name)) return true;
    if (sym ? sym->kind != SYM_FN || sym->func->is_kernel
            : !type_find(s->types, callee->name.name) && !builtin_find(s, callee->name.name))
        return true;
    Diag *d = diag(s->c, E0502, callee->span, "`%s` is not a kernel, so it cannot be launched", callee->name.name);
    if (sym) note_declared(s, d, sym);
    if (sym) diag_fix(s->c, d, (Span){launch.lo, callee->span.lo}, "", "call it");
    else diag_note(s->c, d, callee->span, "call it, and use its result");
    return false;
}

/* The program does not wait for an asynchronous launch, so it cannot have a value: results must be in arrays. */
static void check_async(Sema *s, Expr *e) {
    const CallInfo *info = e->offload.call->kind == EXPR_CALL ? e->offload.call->call.info : NULL;
    const Func *k = info && info->kind == CALL_FUNC ? info->func : NULL;
    if (!k) return;
    if (k->reduction) {
        Diag *d = diag(s->c, E0622, e->span, "`%s` has a result, so it cannot be launched `async`",
                       k->name);
        diag_note(s->c, d, e->span, "remove `async`");
    }
    for (int i = 0; i < k->n_given; i++) {
        const Arg *a = &e->offload.call->call.args.at[i];
        bool is_array = a->value->kind == EXPR_NAME || expr_is_slice(a->value);
        const Symbol *p = k->params.at[i];
        if (p->mode == REF_NONE || (p->type->kind == TY_ARRAY && is_array)) continue;
        Diag *d = diag(s->c, E0622, a->span, "`%s` is %s, but an `async` launch may use it after this statement",
                       p->name,
                       p->type->kind == TY_ARRAY ? "passed a part of a struct" : "not an array");
        diag_note(s->c, d, a->span, "pass arrays that have names, or launch `%s` without `async`", k->name);
    }
}

Type *check_offload(Sema *s, Expr *e) {
    Expr *call = e->offload.call;
    if (e->offload.device) check_value(s, &e->offload.device, s->index, "the number of a device is an integer");
    if (call->kind != EXPR_CALL) return bad(s, e);
    if (!launches_kernel(s, call, e->span)) {
        check_args_only(s, call);
        return bad(s, e);
    }
    effect_add(s, EFFECT_OFFLOAD, e->span, "launches a kernel");
    e->type = call->type = check_callee(s, call, true);
    if (e->offload.async) check_async(s, e);
    s->program->has_async |= e->offload.async;
    return e->type;
}
