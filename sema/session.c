/* session.c -- inputs of an interactive session (repl/). The statements of an input are a function of their own,
 * checked like any other. A variable that is declared in its outermost block lives on: in later inputs it is a local
 * variable that exists from the start, treated like an array that a caller passes by reference (plan.c). The value of
 * the expression at the end of an input is shown. */
#include "sema/check.h"

#include <string.h>

void session_declare(Sema *s) {
    Func *f = func_new(s, s->own_file->input, s->own_file);
    f->symbol = "input";
    f->is_input = true;
    s->program->input = f;
    vec_push(s->arena, &s->program->funcs, f);
}

/* Variables -------------------------------------------------------------------------------------------------------- */

static KeptFacts *row_of(const Symbol *sym) { return &sym->func->kept.at[sym->id]; }

const KeptFacts *kept_facts(const Symbol *sym) {
    static const KeptFacts none;
    return sym->id < 0 ? &none : row_of(sym);
}

static void number(Symbol *sym, void *context) {
    Sema *s = context;
    vec_push(s->arena, &s->program->kept, sym);
    row_of(sym)->number = s->program->kept.n;
    fixed_symbol_leaves(sym); /* no frame has room for what outlives it */
}

static void mark_older(Symbol *sym, void *context) {
    (void)context;
    row_of(sym)->is_older = sym->used = true;
}

static void enter_older(Sema *s, KeptVar *v) {
    Dim dims[MAX_RANK] = {0};
    Type *t = v->gone ? s->error : local_type(s, v->type, dims);
    Symbol *sym = v->sym = symbol_new(s, SYM_LOCAL, v->name, v->span, t);
    sym->is_mutable = v->is_mutable;
    sym->keyword = v->keyword;
    sym->konst = v->konst;
    row_of(sym)->gone = v->gone;
    scope_again(s, sym);
    if (v->gone) return;
    if (type_owns(t)) own_declare(s, sym, NULL);
    else vec_push(s->arena, &s->facts->locals, sym);
    sym->owns = t->kind == TY_ARRAY;
    own_each(sym, number, s);
    own_each(sym, mark_older, NULL);
    mark_older(sym, NULL);
}

void session_enter(Sema *s) {
    Block none = {0}; /* nothing frees them here */
    s->block = &none;
    for (int i = 0; s->options && i < s->options->n_kept; i++) enter_older(s, &s->options->kept[i]);
    s->block = NULL;
}

void session_keep(Sema *s, Symbol *sym) {
    if (!s->func->is_input || s->block != s->func->item->fn.body) return;
    own_each(sym, number, s);
    KeptVar v = {
        .name = sym->name, .is_mutable = sym->is_mutable, .span = sym->span, .keyword = sym->keyword, .sym = sym};
    vec_push(s->arena, &s->program->new_vars, v);
}

void session_gone(Sema *s, const Expr *e) {
    const Symbol *sym = e->name.sym;
    Diag *d = diag(s->c, E0407, e->span, "`%s` no longer has a value: %s", sym->name, kept_facts(sym)->gone);
    note_declared(s, d, sym);
}

bool session_explain_unknown(Sema *s, Diag *d, Name name) {
    for (int i = 0; s->options && i < s->options->n_kept; i++) {
        const KeptVar *v = &s->options->kept[i];
        if (v->name != name || !s->func || s->func->is_input) continue;
        diag_note(s->c, d, v->span, "`%s` is a variable of the session; pass it to the function as an argument",
                  name);
        return true;
    }
    return false;
}

bool session_explain_lost(Sema *s, Diag *d, Name name) {
    for (int i = 0; s->options && i < s->options->n_lost; i++) {
        const LostName *l = &s->options->lost[i];
        if (l->name != name) continue;
        diag_note(s->c, d, l->span, l->has_ended
                      ? "this declaration of `%s` was not executed, because its input ended before: enter it again"
                      : "this declaration of `%s` was not kept, because its input had errors: enter it again without "
                        "them", name);
        return true;
    }
    return false;
}

/* The words for a type --------------------------------------------------------------------------------------------- */

static const Symbol *struct_symbol(const Sema *s, const Type *t, const Module **from) {
    for (int i = 0; i < s->modules.n; i++) {
        *from = s->modules.at[i];
        for (int k = 0; k < (*from)->symbols.n; k++) {
            const Symbol *sym = (*from)->symbols.at[k];
            bool same = t->instance ? sym == t->instance->of->sym : sym->kind == SYM_STRUCT && sym->type == t;
            if (same) return sym;
        }
    }
    return NULL;
}

static const char *module_name(const Sema *s, const Module *m) {
    for (int i = 0; i < s->own_file->items.n; i++) {
        const Item *item = s->own_file->items.at[i];
        if (item->kind == ITEM_IMPORT && item->import.module == m) return item->name;
    }
    return NULL;
}

static const char *type_words(Sema *s, const Type *t);

static const char *struct_words(Sema *s, const Type *t) {
    const Module *from = NULL;
    const Symbol *sym = struct_symbol(s, t, &from);
    if (!sym) return NULL;
    const char *text = sym->name;
    if (from != s->own_file) {
        const char *module = module_name(s, from);
        if (!module) return NULL;
        text = arena_printf(s->arena, "%s.%s", module, text);
    }
    int n = t->instance ? t->instance->of->params->n : 0;
    for (int i = 0; i < n; i++) {
        const char *arg = type_words(s, t->instance->args[i]);
        if (!arg) return NULL;
        text = arena_printf(s->arena, "%s%s%s%s", text, i ? ", " : "<", arg, i + 1 == n ? ">" : "");
    }
    return text;
}

/* NULL: the session has no name for it. */
static const char *type_words(Sema *s, const Type *t) {
    if (t->kind == TY_STRUCT) return struct_words(s, t);
    if (t->kind != TY_ARRAY) return t->name;
    const char *text = type_words(s, t->elem);
    if (!text) return NULL;
    text = arena_printf(s->arena, "[%s; _", text);
    for (int d = 1; d < t->rank; d++) text = arena_printf(s->arena, "%s, _", text);
    return arena_printf(s->arena, "%s]", text);
}

void session_name_types(Sema *s) {
    for (int i = 0; i < s->program->new_vars.n; i++) {
        KeptVar *v = &s->program->new_vars.at[i];
        if (is_bad(v->sym->type)) continue;
        v->type_text = type_words(s, v->sym->type);
        if (v->type_text) continue;
        Diag *d = diag(s->c, E0303, v->span, "`%s` cannot be kept: the session has no name for its type `%s`", v->name,
                       type_name(s->c, v->sym->type));
        diag_note(s->c, d, v->span, "import the module that declares it");
    }
}

/* What is shown ---------------------------------------------------------------------------------------------------- */

static bool is_name_of_arrays(const Expr *e) {
    bool is_name = e->kind == EXPR_NAME && e->name.sym && !e->name.sym->table; /* a constant is copied */
    return is_name && (e->type->kind == TY_ARRAY || type_owns(e->type));
}

Symbol *shown_variable(const Stmt *st) {
    return st->expr.is_shown && is_name_of_arrays(st->expr.expr) ? st->expr.expr->name.sym : NULL;
}

void session_show(Sema *s, Stmt *st) {
    Expr **slot = &st->expr.expr;
    Type *t = shown_check(s, slot);
    if (is_bad(t) || t->kind == TY_VOID) return;
    if (is_name_of_arrays(*slot)) {
        own_names(s, (*slot)->name.sym, (*slot)->span, &st->expr.reads);
    } else if (t->kind == TY_ARRAY && expr_is_slice(*slot) && (*slot)->index.base->kind == EXPR_NAME) {
        vec_push(s->arena, &st->expr.reads, (*slot)->index.base);
    } else if (t->kind != TY_ARRAY && !type_owns(t)) {
        check_scalar(s, slot);
        settle(s, slot);
    }
}

/* What is run ------------------------------------------------------------------------------------------------------ */

bool session_is_input(const Sema *s, const Func *f) { return f == s->program->input; }

/* The input, and what it declares. What earlier inputs declared was analysed for races with these, and is again when it
 * is launched. */
bool session_is_new(const Sema *s, const Func *f) {
    Span own = s->options->own, at = f->item ? f->item->span : (Span){0};
    return session_is_input(s, f) || (is_own(s, f) && at.lo >= own.lo && at.hi <= own.hi);
}
