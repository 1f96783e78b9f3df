/* check_stmt.c -- checks of statements and blocks. */
#include "sema/check.h"

static void check_stmt(Sema *s, Stmt *st);

static bool leaves(const Stmt *st) {
    return st->kind == STMT_RETURN || st->kind == STMT_BREAK || st->kind == STMT_CONTINUE;
}

void check_block(Sema *s, Block *b) {
    Block *outer = s->block;
    s->block = b;
    scope_enter(s);
    for (int i = 0; i < b->stmts.n; i++) {
        int done = group_inline(s, b, i);
        if (done) {
            i += done - 1;
            continue;
        }
        check_stmt(s, b->stmts.at[i]);
        if (i + 1 < b->stmts.n && leaves(b->stmts.at[i]) && b->stmts.at[i + 1]->kind != STMT_ERROR &&
            (i == 0 || !leaves(b->stmts.at[i - 1])))
            diag(s->c, W0403, b->stmts.at[i + 1]->span, "this statement is never reached");
    }
    scope_leave(s);
    s->block = outer;
}

/* Ranges ------------------------------------------------------------------------------------------------------ */

/* The name of the first extent of an array parameter, or NULL. */
static const Symbol *size_of(const Func *f, const Symbol *param) {
    for (int i = 0; f && i < f->shapes.n && i < f->params.n; i++)
        if (f->params.at[i] == param && f->shapes.at[i].rank && f->shapes.at[i].at[0].kind == EXTENT_BINDS)
            return f->shapes.at[i].at[0].size;
    return NULL;
}

/* `for v in x` of an array. */
static bool counts_array(Sema *s, Expr *e) {
    Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.name) : NULL;
    if (e->kind != EXPR_LIST && !(sym && sym->type && sym->type->kind == TY_ARRAY)) return false;
    Diag *d = diag(s->c, E0317, e->span, "a range needs integers, but this is an array");
    const char *text = sym ? sym->name : "x";
    if (sym) sym->used = true;
    const Symbol *size = sym && sym->kind == SYM_PARAM && sym->type->rank == 1 ? size_of(s->func, sym) : NULL;
    if (size) {
        diag_note(s->c, d, e->span, "use `%s[i]` for its elements", text);
        diag_fix(s->c, d, e->span, size->name, "count to its length");
    } else diag_note(s->c, d, e->span, "use `%s[i]` for its elements: `for i in 0..len(%s) { }`", text, text);
    return true;
}

/* `for x in 0.0..1.0 step 0.25`: converting the numbers would make another loop. */
static bool counts_floats(Sema *s, Range *r) {
    const Expr *step = r->step ? r->step : r->hi;
    bool is_float = r->lo && (r->lo->kind == EXPR_FLOAT || step->kind == EXPR_FLOAT);
    if (!is_float || (!r->step && r->lo->kind != EXPR_FLOAT)) return false;
    Diag *d = diag(s->c, E0317, r->span, "a range counts integers, not floats");
    const char *lo = source_text(s, r->lo->span), *by = r->step ? source_text(s, r->step->span) : "1.0";
    diag_note(s->c, d, r->span,
              "count the iterations, and compute the float: `for i in n { let x = %s + %s * f64(i); }`", lo, by);
    Expr *parts[] = {r->lo, r->hi, r->step};
    for (int i = 0; i < 3; i++)
        if (parts[i]) check_expr(s, &parts[i]), bad(s, parts[i]);
    return true;
}

static bool check_bound(Sema *s, Expr **slot) {
    if (!*slot) return true;
    if (counts_array(s, *slot) || range_called(s, *slot)) return false;
    Type *t = check_scalar(s, slot);
    if (is_bad(t)) return false;
    if (t->is_int) return true;
    Diag *d = diag(s->c, E0317, (*slot)->span, "a range needs integers, but this is %s", quoted_type(s, t));
    if (t->is_float) fix_convert(s, d, *slot, s->index);
    bad(s, *slot);
    return false;
}

/* The common type of the bounds; `index` where they are all untyped. */
bool check_binder(Sema *s, Binder *b, Type **type) {
    Range *r = &b->range;
    r->type = *type = s->error;
    if (r->hi && counts_floats(s, r)) return false;
    bool ok = check_bound(s, &r->lo);
    ok = check_bound(s, &r->hi) && ok;
    ok = check_bound(s, &r->step) && ok;
    r->type = *type = s->error;
    if (!ok || !r->hi) return false;
    Type *t = r->lo ? unify(s, &r->lo, &r->hi, r->span, "this range") : r->hi->type;
    if (r->step && !is_bad(t)) t = unify(s, &r->hi, &r->step, r->step->span, "this range");
    if (type_is_literal(t)) t = s->index;
    if (is_bad(t) || (r->lo && !coerce(s, &r->lo, t, NULL)) || !coerce(s, &r->hi, t, NULL)) return false;
    if (r->step && !coerce(s, &r->step, t, NULL)) return false;
    if (r->step && r->step->konst.kind == CONST_INT && r->step->konst.i == 0) {
        diag(s->c, E0609, r->step->span, "the step of a range cannot be 0");
        return false;
    }
    r->type = *type = t;
    return true;
}

static void check_for(Sema *s, Stmt *st) {
    Binder *b = &st->for_.binder;
    Type *t = s->error;
    check_binder(s, b, &t);
    scope_enter(s);
    b->sym = symbol_new(s, SYM_LOCAL, b->name, b->span, t);
    b->sym->counts = &b->range;
    scope_add(s, b->sym);
    s->loop_depth++;
    check_block(s, st->for_.body);
    s->loop_depth--;
    scope_leave(s);
}

static void check_while(Sema *s, Stmt *st) {
    check_condition(s, &st->while_.cond);
    s->loop_depth++;
    check_block(s, st->while_.body);
    s->loop_depth--;
}

/* Leaving ----------------------------------------------------------------------------------------------------- */

static void check_jump(Sema *s, Stmt *st) {
    if (s->loop_depth) return;
    const char *word = st->kind == STMT_BREAK ? "break" : "continue";
    Diag *d = diag(s->c, E0315, st->span, "`%s` outside of a loop", word);
    if (s->func->is_kernel) diag_note(s->c, d, st->span, "use `return;` to end this work item");
}

static void check_kernel_return(Sema *s, Stmt *st) {
    Func *f = s->func;
    if (!st->return_.value) {
        if (f->reduction == REDUCE_NONE) return;
        Diag *d = diag(s->c, E0506, st->span, "each work item must return a value for `%s`",
                       reduction_name(f->reduction));
        diag_note(s->c, d, f->item->fn.reduce_span, "the reduction is declared here");
        return;
    }
    if (f->reduction == REDUCE_NONE) {
        check_expr(s, &st->return_.value);
        if (f->facts->skip_result) return;
        Diag *d =
            diag(s->c, E0506, st->return_.value->span, "`%s` has no reduction, so its work items cannot return a "
                                                       "value", f->name);
        diag_note(s->c, d, f->name_span,
                  "declare a reduction, as in `-> sum f32`, or write the value to an array: `y[i] = ...;`");
        return;
    }
    const char *why = arena_printf(s->arena, "`%s` needs a value of type `%s` from each work item",
                                   reduction_name(f->reduction),
                                   type_name(s->c, f->item_result));
    check_value(s, &st->return_.value, f->item_result, why);
}

static void check_return(Sema *s, Stmt *st) {
    Func *f = s->func;
    if (f->is_input) {
        diag(s->c, E0315, st->span, "`return` outside of a function");
        return;
    }
    vec_push(s->arena, &s->facts->returns, st);
    if (f->is_kernel) {
        check_kernel_return(s, st);
        return;
    }
    if (is_bad(f->result)) {
        if (st->return_.value) check_expr(s, &st->return_.value);
    } else if (f->result->kind == TY_VOID && st->return_.value) {
        Type *t = check_expr(s, &st->return_.value);
        if (is_bad(t)) return;
        Diag *d = diag(s->c, E0313, st->return_.value->span, "`%s` is declared without a result", f->name);
        if (t->kind == TY_VOID || t->kind == TY_ARRAY || !f->item->fn.body) return;
        const char *result = type_name(s->c, settle(s, &st->return_.value));
        diag_note(s->c, d, f->name_span, "declare the result type: `-> %s`", result);
        if (!f->is_main)
            fix_insert(s, d, f->item->fn.body->span.lo, arena_printf(s->arena, "-> %s ", result), "declare it");
    } else if (f->result->kind != TY_VOID && !st->return_.value) {
        Diag *d = diag(s->c, E0313, st->span, "`%s` must return `%s`, but this returns nothing", f->name,
                       type_name(s->c, f->result));
        diag_note(s->c, d, s->facts->result_span, "the result is declared here");
    } else if (st->return_.value) {
        const char *why = arena_printf(s->arena, "`%s` must return `%s`", f->name, type_name(s->c, f->result));
        check_owned(s, &st->return_.value, f->result, why);
    }
}

/* The rest ---------------------------------------------------------------------------------------------------- */

static bool is_idle_call(const Expr *e) {
    if (e->kind != EXPR_CALL || !e->call.info) return false;
    const CallInfo *info = e->call.info;
    return info->kind == CALL_CONVERT || info->kind == CALL_BUILD ||
           (info->kind == CALL_BUILTIN && !builtin_rows[info->builtin].host_only && info->builtin != BUILTIN_PRINT);
}

static void check_expr_stmt(Sema *s, Stmt *st) {
    Type *t = check_expr(s, &st->expr.expr);
    Expr *e = st->expr.expr;
    if (is_bad(t)) return;
    if (t->kind == TY_ARRAY || type_owns(t)) {
        Diag *d = diag(s->c, E0411, e->span, "the array%s created here %s not used", type_owns(t) ? "s" : "",
                       type_owns(t) ? "are" : "is");
        diag_note(s->c, d, e->span, "keep it: `let a = ...;`");
    } else if ((e->kind != EXPR_CALL && e->kind != EXPR_OFFLOAD) || is_idle_call(e)) {
        diag(s->c, E0327, e->span, "the result of this expression is not used");
    } else {
        settle(s, &st->expr.expr);
    }
}

static void check_assert(Sema *s, Stmt *st) {
    check_condition(s, &st->assert_.cond);
    if (!st->assert_.format) return;
    for (int i = 0; i < st->assert_.args.n; i++) {
        Arg *a = &st->assert_.args.at[i];
        if (a->mode != REF_NONE || a->label) diag(s->c, E0401, a->span, "`assert` needs a value, not a reference");
    }
    st->assert_.plan = check_format(s, st->assert_.format, st->assert_.args.at, st->assert_.args.n);
}

static void check_stmt(Sema *s, Stmt *st) {
    switch (st->kind) {
    case STMT_ERROR:
    case STMT__COUNT: break;
    case STMT_LET: check_let(s, st); break;
    case STMT_ASSIGN: check_assign(s, st); break;
    case STMT_ATOMIC: check_expr(s, &st->atomic.atomic); break;
    case STMT_EXPR:
        if (st->expr.is_shown) session_show(s, st);
        else check_expr_stmt(s, st);
        break;
    case STMT_IF:
        check_condition(s, &st->if_.cond);
        check_block(s, st->if_.then_);
        if (st->if_.else_) check_stmt(s, st->if_.else_);
        break;
    case STMT_FOR: check_for(s, st); break;
    case STMT_WHILE: check_while(s, st); break;
    case STMT_BREAK:
    case STMT_CONTINUE: check_jump(s, st); break;
    case STMT_RETURN: check_return(s, st); break;
    case STMT_ASSERT: check_assert(s, st); break;
    case STMT_BLOCK: check_block(s, st->block.block); break;
    case STMT_SHARED: check_shared(s, st); break;
    case STMT_BARRIER: joins_groups(s, st->span, "`barrier`"); break;
    case STMT_WAIT:
        if (s->func->is_kernel) diag(s->c, E0621, st->span, "`wait` waits for launches, and a kernel cannot launch");
        else effect_add(s, EFFECT_OFFLOAD, st->span, "waits for launches");
        break;
    case STMT_RESIDENT:
        if (s->func->is_kernel) {
            Span word = {st->span.lo, st->block.block->span.lo};
            diag(s->c, E0621, word, "`offload resident` is for launches, and a kernel cannot launch");
        }
        check_block(s, st->block.block);
        break;
    }
}
