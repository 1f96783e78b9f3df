/* check_assign.c -- declarations and assignments: which variables may be written, and which variable owns an array. */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

/* May it be written? ----------------------------------------------------------------------------------------- */

static bool refuse_local(Sema *s, Symbol *sym, Span at, WriteKind how) {
    const Symbol *whole = own_whole(sym);
    if (!sym->keyword.hi) {
        Diag *d = diag(s->c, E0405, at, "`%s` is a loop variable and cannot be assigned", whole->name);
        diag_note(s->c, d, at, "use `continue` to skip an iteration, or a `while` loop to control the variable");
        return false;
    }
    Diag *d = how == WRITE_PASS
                  ? diag(s->c, E0402, at, "`%s` is a `let`, but `%s` would change it", whole->name, source_text(s, at))
                  : diag(s->c, E0404, at, "`%s` is a `let` and cannot be assigned again", whole->name);
    diag_fix(s->c, d, sym->keyword, "var", "declare it with `var`");
    return false;
}

static bool refuse_param(Sema *s, Symbol *sym, Span at) {
    TypeExpr *te = sym->func->item->fn.params.at[sym->dim].type;
    if (sym->mode == REF_IN) {
        Diag *d = diag(s->c, E0307, at, "`%s` is passed by `&` and cannot be written", sym->name);
        diag_fix(s->c, d, te->ref.mode_span, "&mut ", "use `&mut` to change it for the caller");
        return false;
    }
    Diag *d = diag(s->c, E0405, at, "`%s` is a parameter passed by value and cannot be assigned", sym->name);
    if (sym->type->kind == TY_STRUCT && !sym->func->is_kernel)
        diag_note(s->c, d, te->span, "to change the caller's variable, write `%s: &mut %s`, and pass `&mut`", sym->name,
                  source_text(s, te->span));
    diag_note(s->c, d, sym->span, "copy it to change it: `var my_%s = %s;`", sym->name, sym->name);
    return false;
}

/* Values of the group (`inside`, `i.local` ...), which are not variables of the program. */
static bool refuse_group(Sema *s, const Symbol *sym, Span at, WriteKind how) {
    if (sym->is_group_value) {
        diag(s->c, E0504, at, "`%s` is the index of the work item in its group and cannot be changed", sym->name);
        return true;
    }
    if (!sym->is_shared || how != WRITE_WHOLE) return false;
    Diag *d = diag(s->c, E0525, at, "`%s` is `shared`: assign its elements, not the whole array",
                   sym->name);
    note_declared(s, d, sym);
    return true;
}

/* `g: &Grid` or `g.u` of it. */
static bool refuse_field(Sema *s, const Symbol *sym, Span at) {
    const Symbol *whole = own_whole(sym);
    Diag *d =
        diag(s->c, E0307, at, "`%s` cannot be written: `%s` is passed by `&`", sym->name, whole->name);
    diag_fix(s->c, d, whole->as_written->ref.mode_span, "&mut ", "use `&mut` to change it for the caller");
    return false;
}

static void reshape(Symbol *sym, void *context) {
    (void)context;
    sym->written = sym->reshaped = true;
    sym->redefined = false;
}

bool check_writable(Sema *s, Symbol *sym, Span at, WriteKind how) {
    if (refuse_group(s, sym, at, how)) return false;
    if (sym->table) {
        const_array_refuse(s, sym, at, how == WRITE_PASS ? "passed to be changed" : "assigned");
        return false;
    }
    own_written(sym);
    if (how == WRITE_WHOLE) own_each(sym, reshape, NULL);
    if (own_whole(sym)->as_written && own_whole(sym)->mode == REF_IN) return refuse_field(s, sym, at);
    switch (sym->kind) {
    case SYM_LOCAL: return sym->is_mutable || refuse_local(s, sym, at, how);
    case SYM_PARAM:
        if (sym->mode == REF_NONE || sym->mode == REF_IN) return refuse_param(s, sym, at);
        if (how != WRITE_WHOLE) return true;
        if (s->func->is_kernel) {
            diag(s->c, E0510, at, "a kernel can only assign elements of `%s`, not the whole array", sym->name);
            return false;
        }
        effect_add(s, EFFECT_HEAP, at, "replaces an array");
        return true;
    case SYM_DOMAIN: {
        Diag *d = diag(s->c, E0504, at, "`%s` is the index of the work item and cannot be changed", sym->name);
        note_declared(s, d, sym);
        return false;
    }
    case SYM_SIZE:
    case SYM_CONST: {
        Diag *d = diag(s->c, E0405, at, "`%s` is %s and cannot be assigned", sym->name, symbol_what(sym));
        note_declared(s, d, sym);
        return false;
    }
    case SYM_FN:
    case SYM_MODULE:
    case SYM_STRUCT:
    case SYM_TYPE: break;
    }
    diag(s->c, E0413, at, "`%s` is %s and cannot be assigned", sym->name, symbol_what(sym));
    return false;
}

/* Values with an owner --------------------------------------------------------------------------------------- */

static bool same_array_type(Sema *s, Expr *e, Type *want, const char *why) {
    Type *have = e->type;
    if (have == want) return true;
    Diag *d;
    if (want->kind != TY_ARRAY)
        d = diag(s->c, E0304, e->span, "this is an array `%s`, but `%s` is needed", type_name(s->c, have), want->name);
    else if (want->rank != have->rank)
        d = diag(s->c, E0602, e->span, "this array has %d dimension%s, but `%s` has %d", have->rank,
                 have->rank == 1 ? "" : "s", type_name(s->c, want), want->rank);
    else
        d = diag(s->c, E0304, e->span, "this array has elements of type `%s`, but `%s` is needed", have->elem->name,
                 want->elem->name);
    if (why) diag_note(s->c, d, e->span, "%s", why);
    bad(s, e);
    return false;
}

/* A kernel has no heap to which an array could be moved, but a variable of its own can have a copy. */
static void add_move(Sema *s, const Expr *e, bool has_variable) {
    effect_add(s, EFFECT_HEAP, e->span, "moves an array");
    EffectSource *from = s->func ? &s->facts->effect[effect_bit(EFFECT_HEAP)] : NULL;
    if (from && has_variable && e->kind == EXPR_NAME && from->span.lo == e->span.lo)
        from->copy = arena_printf(s->arena, "copy(&%s)", e->name.sym->name);
}

static bool check_move(Sema *s, Expr *e) {
    Symbol *sym = e->name.sym;
    if (sym->table) {
        Diag *d = diag(s->c, E0405, e->span, "`%s` is a constant and cannot be moved", sym->name);
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "copy(&%s)", sym->name), "copy it");
        bad(s, e);
        return false;
    }
    if (sym->is_shared) {
        Diag *d = diag(s->c, E0525, e->span, "`%s` is `shared` by the group and cannot be moved", sym->name);
        note_declared(s, d, sym);
        bad(s, e);
        return false;
    }
    if (sym->part_of) {
        const Symbol *whole = own_whole(sym);
        Diag *d =
            diag(s->c, E0418, e->span, "`%s` cannot be moved out of `%s`", sym->name, whole->name);
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "copy(&%s)", sym->name), "copy it");
        bad(s, e);
        return false;
    }
    if (sym->kind != SYM_PARAM) return true;
    Diag *d = diag(s->c, E0409, e->span, "`%s` is a reference; its array%s cannot be moved", sym->name,
                   sym->parts ? "s" : "");
    diag_fix(s->c, d, e->span, arena_printf(s->arena, "copy(&%s)", sym->name), "copy it");
    bad(s, e);
    return false;
}

/* p.w of constant extents is part of p. */
static bool refuse_part(Sema *s, Expr *e) {
    if (!expr_fixed_field(e)) return false;
    const char *text = source_text(s, e->span);
    Diag *d = diag(s->c, E0418, e->span, "`%s` cannot be moved out of a struct", text);
    if (expr_root(e)) diag_fix(s->c, d, e->span, arena_printf(s->arena, "copy(&%s)", text), "copy it");
    else diag_note(s->c, d, e->span, "name the struct first, then copy the array");
    bad(s, e);
    return true;
}

void check_owned(Sema *s, Expr **slot, Type *want, const char *why) {
    Expr *e = *slot;
    expect(e, want);
    if (want && is_bad(want)) {
        check_expr(s, slot);
        bad(s, *slot);
        return;
    }
    bool literal = e->kind == EXPR_FILL || e->kind == EXPR_COMPREHEND || e->kind == EXPR_LIST;
    Type *t =
        literal ? check_array_literal(s, e, want && want->kind == TY_ARRAY ? want->elem : NULL) : check_expr(s, slot);
    e = *slot;
    if (is_bad(t)) return;
    if (t->kind == TY_ARRAY) {
        if (e->kind == EXPR_NAME ? !check_move(s, e) : e != s->given && refuse_part(s, e)) return;
        bool made_here = e == s->made_for && e->kind == EXPR_CALL && e->call.info &&
                         e->call.info->kind == CALL_BUILTIN && e->call.info->builtin == BUILTIN_COPY;
        bool copied = e == s->given; /* into a field */
        if (!literal && !made_here && !copied) add_move(s, e, e == s->made_for);
        if (!copied) fixed_leaves(e);
        if (want) same_array_type(s, e, want, why);
        return;
    }
    if (type_owns(t) && (!want || want == t)) {
        if (e->kind == EXPR_NAME && !check_move(s, e)) return;
        effect_add(s, EFFECT_HEAP, e->span, "moves arrays");
        return;
    }
    if (is_bad(check_scalar(s, slot))) return;
    if (want) coerce(s, slot, want, why);
    else settle(s, slot);
}

/* let, var ---------------------------------------------------------------------------------------------------- */

/* `var x: [f32; n];` */
static void fix_array_value(Sema *s, Diag *d, const TypeExpr *te, const Type *elem) {
    const char *zero = elem->is_float ? "0.0" : elem->is_int ? "0" : elem->kind == TY_BOOL ? "false" : NULL;
    const ExprList *extents = te->kind == TE_ARRAY ? &te->array.extents : NULL;
    const char *text = zero;
    for (int i = 0; extents && text && i < extents->n; i++) {
        const char *extent = source_text(s, extents->at[i]->span);
        text = strcmp(extent, "_") ? arena_printf(s->arena, "%s%s %s", text, i ? "," : ";", extent) : NULL;
    }
    Span gap = {te->span.hi, te->span.hi};
    if (extents && text) diag_fix(s->c, d, gap, arena_printf(s->arena, " = [%s]", text), "give each element a value");
    else diag_note(s->c, d, te->span, "give it a value, as in `[value; n]`");
}

static bool let_without_value(Sema *s, Stmt *st, Type *type, const Dim *dims) {
    if (!st->let.is_var) {
        diag(s->c, E0414, st->let.name_span, "a `let` needs a value: `let %s = ...;`", st->let.name);
        return false;
    }
    if (!type) {
        diag(s->c, E0414, st->let.name_span, "`%s` needs a value or a type", st->let.name);
        return false;
    }
    if (type_owns(type)) {
        diag(s->c, E0414, st->let.name_span, "`%s` owns arrays and needs a value where it is declared", st->let.name);
        return false;
    }
    if (type->kind != TY_ARRAY) return !is_bad(type);
    bool constant = true;
    for (int i = 0; i < type->rank; i++) constant = constant && dims[i].kind == DIM_CONST;
    if (constant) return true;
    if (s->func && s->func->is_kernel) { /* with a value it would be refused, too (kernel.c) */
        Diag *d = diag(s->c, E0503, st->let.type->span,
                       "this array has extents that are not constants, which is only possible on the host");
        diag_note(s->c, d, st->let.type->span, KERNEL_ARRAYS);
        return false;
    }
    Diag *d = diag(s->c, E0414, st->let.name_span,
                   "the array `%s` needs a value where it is declared, since its extents are known only at run time",
                   st->let.name);
    fix_array_value(s, d, st->let.type, type->elem);
    return false;
}

/* `let found = i;` in a loop may have been meant as an assignment (warn.c). */
static void note_hidden(Sema *s, const Stmt *st) {
    Symbol *outer = scope_hides(s, st->let.name);
    if (outer && outer->kind == SYM_LOCAL && outer->func == s->func && outer->is_mutable)
        vec_push(s->arena, &s->facts->hidden, ((Hidden){st, outer}));
}

void check_let(Sema *s, Stmt *st) {
    Dim dims[MAX_RANK] = {0};
    Type *want = st->let.type ? local_type(s, st->let.type, dims) : NULL, *type = want;
    if (st->let.init) {
        const char *why =
            want ? arena_printf(s->arena, "`%s` is declared `%s`", st->let.name, type_name(s->c, want)) : NULL;
        s->made_for = st->let.init;
        check_owned(s, &st->let.init, want, why);
        s->made_for = NULL;
        if (!want) type = st->let.init->type;
    } else if (!let_without_value(s, st, want, dims)) {
        type = s->error;
    }
    Symbol *sym = symbol_new(s, SYM_LOCAL, st->let.name, st->let.name_span, type);
    sym->is_mutable = st->let.is_var;
    sym->init = st->let.init;
    sym->keyword = (Span){st->span.lo, st->span.lo + 3};
    st->let.sym = sym;
    note_hidden(s, st);
    scope_add(s, sym);
    vec_push(s->arena, &s->facts->locals, sym);
    if (!sym->is_mutable && sym->init && !is_bad(type)) sym->konst = sym->init->konst;
    if (type_owns(type)) own_declare(s, sym, sym->init);
    session_keep(s, sym);
    if (type->kind != TY_ARRAY) return;
    sym->owns = true;
    vec_push(s->arena, &s->block->drops, sym);
    fixed_declare(s, st, sym, dims);
    if (!want || !st->let.init) return;
    Declared declared = {.sym = sym, .span = st->let.type->span};
    for (int d = 0; d < MAX_RANK; d++) declared.dims[d] = dims[d];
    vec_push(s->arena, &s->facts->declared, declared);
}

/* Assignment -------------------------------------------------------------------------------------------------- */

static const char *update_text(Sema *s, const Stmt *st) {
    if (st->assign.is_min) return "min=";
    if (st->assign.is_max) return "max=";
    return arena_printf(s->arena, "%s=", st->assign.op == OP_NONE ? "" : op_info[st->assign.op].spelling);
}

static bool update_suits(const Stmt *st, const Type *t) {
    t = type_of_part(t);
    if (st->assign.is_min || st->assign.is_max) return type_is_number(t);
    switch (op_info[st->assign.op].kind) {
    case OPK_ARITH: return type_is_number(t);
    case OPK_BITS: return t->is_int || t->kind == TY_BOOL;
    case OPK_SHIFT:
    case OPK_ROTATE: return t->is_int;
    case OPK_COMPARE:
    case OPK_LOGIC: return false;
    }
    return false;
}

/* Where the type of the elements of an array comes from that was not declared with one. */
static void note_index(Sema *s, Diag *d, const Expr *value) {
    const Symbol *sym = value->kind == EXPR_INDEX ? expr_root(value) : NULL;
    const Expr *made = sym && sym->kind == SYM_LOCAL ? sym->init : NULL;
    if (!made || made->kind != EXPR_COMPREHEND) return;
    const Expr *element = expr_strip(made->comprehend.value);
    diag_note(s->c, d, element->span,
              "the elements of `%s` are of type `index`, as the variables of the comprehension; for `i32`, write "
              "`i32(%s)`", sym->name, source_text(s, element->span));
}

/* `var s = 0;`, to which floats or indices are added: the fix is at the declaration, because i32(x) would drop
 * fractions, or need not have the value. */
static bool fix_whole_start(Sema *s, Diag *d, const Stmt *st, const Type *value) {
    const Expr *target = st->assign.target;
    const Symbol *sym = target->kind == EXPR_NAME ? target->name.sym : NULL;
    const Expr *init = sym && sym->kind == SYM_LOCAL ? sym->init : NULL;
    if (!init || init->kind != EXPR_INT || sym->type->kind != TY_I32) return false;
    if (value->kind == TY_INDEX) {
        note_index(s, d, st->assign.value);
        const char *type = source_text(s, (Span){sym->span.hi, init->span.lo});
        if (strchr(type, ':')) return false;
        fix_insert(s, d, sym->span.hi, ": index",
                   arena_printf(s->arena, "`%s` is an `i32`, because its type is not written", sym->name));
        return true;
    }
    if (!value->is_float) return false;
    const char *digits = source_text(s, init->span);
    const char *suffix = value == s->f64 ? "" : value->name;
    if (digits[strspn(digits, "0123456789")]) return false;
    diag_fix(s->c, d, init->span, arena_printf(s->arena, "%s.0%s", digits, suffix), "`%s` is an `i32` because of this",
             sym->name);
    return true;
}

/* `x[i] = 1.5;` after `var x = [0; n];` */
static void fix_elements(Sema *s, Diag *d, const Stmt *st, const Type *to) {
    const Expr *target = st->assign.target, *value = st->assign.value;
    const Expr *base = target->kind == EXPR_INDEX ? target->index.base : NULL;
    const Symbol *sym = base && base->kind == EXPR_NAME ? base->name.sym : NULL;
    const Expr *init = sym && sym->kind == SYM_LOCAL && sym->init && sym->init->kind == EXPR_FILL
                           ? expr_strip(sym->init->fill.value) : NULL;
    if (d->code != E0304 || !init || init->kind != EXPR_INT || to->kind != TY_I32 || value->kind != EXPR_FLOAT) return;
    const char *digits = source_text(s, init->span);
    if (digits[strspn(digits, "0123456789")]) return;
    diag_fix(s->c, d, init->span, arena_printf(s->arena, "%s.0", digits),
             "or make the elements floats: they are `i32` because of this");
}

/* The variable can have the type of the value, which loses nothing: its declared type, the suffix of its first value,
 * or a type that is not written yet. */
static void fix_wider_variable(Sema *s, Diag *d, const Stmt *st, const Type *t, const Type *value) {
    const Expr *target = st->assign.target;
    const Symbol *sym = target->kind == EXPR_NAME ? target->name.sym : NULL;
    const Expr *init = sym && sym->kind == SYM_LOCAL && sym->keyword.hi ? sym->init : NULL;
    if (!init || !type_widens(t, value) || sym->span.hi >= init->span.lo) return;
    const char *between = source_text(s, (Span){sym->span.hi, init->span.lo}), *first = source_text(s, init->span);
    const char *type = strstr(between, t->name), *suffix = strstr(first, t->name);
    bool is_literal = init->kind == EXPR_INT || init->kind == EXPR_FLOAT;
    Span at = {sym->span.hi, sym->span.hi};
    const char *text = arena_printf(s->arena, ": %s", value->name);
    if (strchr(between, ':')) {
        if (!type) return;
        at.lo = sym->span.hi + (uint32_t)(type - between);
        at.hi = at.lo + (uint32_t)strlen(t->name);
        text = value->name;
    } else if (is_literal && suffix) {
        at.lo = init->span.lo + (uint32_t)(suffix - first);
        at.hi = init->span.hi;
        text = value->name;
    }
    diag_fix(s->c, d, at, text, "declare `%s` as `%s`", sym->name, value->name);
}

static void check_update(Sema *s, Stmt *st, Type *t) {
    Expr **slot = &st->assign.value;
    Type *v = check_scalar(s, slot);
    const char *text = update_text(s, st);
    if (is_bad(t) || is_bad(v)) return;
    if (!update_suits(st, t)) {
        diag(s->c, E0306, st->assign.op_span, "`%s` cannot be applied to %s", text, quoted_type(s, t));
        return;
    }
    if (t->kind == TY_VECTOR && st->assign.op != OP_NONE && !check_divisor(s, st->assign.op, t->elem, *slot)) return;
    broadcast(s, slot, t);
    bool counts = t->kind != TY_VECTOR && op_counts(st->assign.op);
    if (counts) {
        if (!v->is_int) diag(s->c, E0306, st->assign.op_span, "`%s` cannot shift by %s", text, quoted_type(s, v));
        else if (type_is_literal(v)) settle(s, slot);
    } else if (type_is_number(v) && type_is_number(t) && !type_is_literal(v) && !type_widens(v, t)) {
        Diag *d = diag(s->c, E0305, st->assign.op_span, "`%s` mixes `%s` and `%s`", text, t->name,
                       v->name);
        if (fix_whole_start(s, d, st, v)) return;
        fix_wider_variable(s, d, st, t, v);
        fix_convert(s, d, *slot, t);
        return;
    } else if (!coerce(s, slot, t, NULL)) {
        return;
    }
    if (st->assign.op != OP_NONE && !is_bad((*slot)->type)) check_divisor(s, st->assign.op, t, *slot);
    st->assign.fused = fuse_update(s, st);
}

typedef struct Mentions {
    Name name;
    int reads;
} Mentions;

static bool mentions(Expr *e, void *context) {
    Mentions *m = context;
    m->reads += e->kind == EXPR_NAME && e->name.name == m->name;
    return false;
}

/* How often a statement assigns the name, also in its blocks. */
static int count_assignments(const Stmt *st, Name name) {
    int n = st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME && st->assign.target->name.name == name;
    Children all = stmt_children(st);
    while (child_expr(&all)) continue;
    for (Stmt *x; (x = child_stmt(&all));) n += count_assignments(x, name);
    return n;
}

/* `n = 3;` with a name that is not declared is how Python declares a variable. The variable is declared here, so that
 * later uses are not reported as well. A name that resembles another one is a typing error, unless it is used again. */
static bool declares(Sema *s, Stmt *st) {
    Expr *target = st->assign.target;
    Name name = target->name.name;
    if (st->assign.op != OP_NONE || st->assign.is_min || st->assign.is_max) return false;
    if (type_find(s->types, name) || builtin_find(s, name) || scope_ended(s, name)) return false;
    Mentions found = {.name = name};
    const Block *body = s->func ? s->func->item->fn.body : NULL;
    int written = 0;
    if (body) block_find(body, mentions, &found);
    for (int i = 0; body && i < body->stmts.n; i++) written += count_assignments(body->stmts.at[i], name);
    bool is_read = found.reads > written;
    if (!is_read && nearest_name(s, name, NAMES_VALUES)) return false;
    Diag *d = diag(s->c, E0301, target->span, "`%s` is not declared", name);
    if (is_read && written == 1)
        fix_insert(s, d, target->span.lo, "let ", "declare a new variable with `let`, or with `var` if it will change");
    else
        fix_insert(s, d, target->span.lo, "var ",
                   "declare a new variable with `var`, or with `let` if it never changes");
    scope_add(s, symbol_new(s, SYM_LOCAL, name, target->span, s->error));
    return true;
}

static WriteKind how_written(const Type *t) { return t->kind == TY_ARRAY || type_owns(t) ? WRITE_WHOLE : WRITE_VALUE; }

/* `sum += x[i];` in a kernel with `-> sum f64`: the launch adds what the work items return. */
static bool assigns_result(Sema *s, Stmt *st) {
    const Func *f = s->func;
    Name name = st->assign.target->name.name;
    if (!f || !f->is_kernel || f->item->fn.reduce != name) return false;
    const Block *body = f->item->fn.body;
    const char *value = source_text(s, st->assign.value->span);
    Diag *d = diag(s->c, E0301, st->assign.target->span,
                   "`%s` is not a variable: the launch combines the values that the work items return", name);
    if (body->stmts.at[body->stmts.n - 1] == st)
        diag_fix(s->c, d, st->span, arena_printf(s->arena, "return %s;", value), "return the value of this work item");
    else diag_note(s->c, d, st->span, "return the value of this work item: `return %s;`", value);
    return true;
}

static Type *check_target_name(Sema *s, Stmt *st) {
    Expr *target = st->assign.target;
    Symbol *sym = scope_find(s, target->name.name);
    if (!sym && (assigns_result(s, st) || declares(s, st))) return bad(s, target);
    bool was_used = sym && sym->used;
    if (sym && sym->kind == SYM_FN && !(sym->type && is_bad(sym->type))) {
        check_writable(s, sym, target->span, WRITE_VALUE);
        return bad(s, target);
    }
    Type *t = check_expr(s, &st->assign.target);
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (sym && plain) sym->used = was_used; /* being assigned is not being used */
    if (is_bad(t)) return t;
    target->konst = (Const){0};
    bool ok = check_writable(s, target->name.sym, target->span, how_written(t));
    return ok ? t : bad(s, target);
}

static Type *check_target(Sema *s, Stmt *st) {
    Expr *target = st->assign.target;
    if (target->kind == EXPR_NAME) return check_target_name(s, st);
    Type *t = check_expr(s, &st->assign.target);
    if (is_bad(t)) return t;
    if (target->kind == EXPR_NAME) /* i.local, g.u: a name now */
        return check_writable(s, target->name.sym, target->span, how_written(t)) ? t : s->error;
    if (target->kind == EXPR_INDEX && target->index.base->kind == EXPR_NAME)
        return check_writable(s, target->index.base->name.sym, target->span, WRITE_ELEMENT) ? t : s->error;
    Expr *whole = expr_whole(target);
    if (target->kind == EXPR_FIELD && target->field.n_at > 1) {
        diag(s->c, E0413, target->span, "assign one component of a vector at a time");
        return s->error;
    }
    if (whole->kind == EXPR_INDEX && whole->index.base->kind == EXPR_NAME && whole != target)
        return check_writable(s, whole->index.base->name.sym, target->span, WRITE_ELEMENT) ? t : s->error;
    if (whole->kind == EXPR_NAME && whole != target)
        return check_writable(s, whole->name.sym, target->span, WRITE_VALUE) ? t : s->error;
    /* p.w[i], x[i].w[k].v: a part of a variable or of an element */
    Symbol *root = expr_root(target);
    if (root && whole->kind == EXPR_INDEX && !expr_is_slice(whole) && expr_fixed_field(whole->index.base)) {
        const Expr *of = expr_whole(whole->index.base);
        WriteKind how = of->kind == EXPR_NAME ? WRITE_VALUE : WRITE_ELEMENT;
        return check_writable(s, root, target->span, how) ? t : s->error;
    }
    diag(s->c, E0413, target->span, "only variables and array elements can be assigned");
    return s->error;
}

/* A new array of the same constant extents leaves the variable its memory. */
static void assign_array(Sema *s, Stmt *st, Type *t, bool was_reshaped, bool was_open) {
    const Type *field = expr_fixed_field(st->assign.target);
    if (field) {
        const Type *whole = st->assign.target->field.base->type;
        fixed_give(s, &st->assign.value, &whole->fields[st->assign.target->field.at[0]], NULL);
        return;
    }
    Symbol *sym = st->assign.target->name.sym;
    s->made_for = st->assign.value;
    check_owned(s, &st->assign.value, t, NULL);
    s->made_for = NULL;
    if (is_bad(st->assign.value->type)) return;
    if (fixed_assign(s, st->assign.target, st->assign.value)) sym->reshaped = was_reshaped;
    else shape_redefine(s, (Redefinition){.sym = sym, .value = st->assign.value}, was_open);
}

void check_assign(Sema *s, Stmt *st) {
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    Expr *name = st->assign.target;
    const Symbol *before = plain && name->kind == EXPR_NAME ? scope_find(s, name->name.name) : NULL;
    bool was_reshaped = before && before->reshaped, was_open = before && shape_is_open(before);
    Type *t = check_target(s, st);
    if (!plain && t->kind == TY_ARRAY) {
        Diag *d = diag(s->c, E0325, st->assign.target->span, "`%s` needs elements, not a whole array",
                       update_text(s, st));
        if (expr_root(st->assign.target)) note_declared(s, d, expr_root(st->assign.target));
        t = s->error;
    }
    if (!plain) {
        check_update(s, st, t);
        return;
    }
    if (t->kind == TY_ARRAY) {
        assign_array(s, st, t, was_reshaped, was_open);
        return;
    }
    if (is_bad(t) || type_owns(t)) {
        check_owned(s, &st->assign.value, t, NULL);
        return;
    }
    int n_before = s->c->diags.list.n;
    check_value(s, &st->assign.value, t, NULL);
    if (s->c->diags.list.n == n_before + 1) fix_elements(s, s->c->diags.list.at[n_before], st, t);
}
