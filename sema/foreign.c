/* foreign.c -- suggestions for a name that is not declared: a word of another language (grammar/foreign.def), a module
 * that is not imported, a variable whose block has ended, or the most similar name. */
#include <string.h>

#include "sema/check.h"

const char *type_of_other_language(Name name) {
    static const struct {
        const char *theirs, *ours;
    } known[] = {
#define FOREIGN_TYPE(theirs, ours) {theirs, ours},
#include "grammar/foreign.def"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].theirs)) return known[i].ours;
    return NULL;
}

typedef struct ForeignName {
    const char *theirs, *ours, *advice;
} ForeignName;

static const ForeignName *find_row(const ForeignName *rows, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, rows[i].theirs)) return &rows[i];
    return NULL;
}

static const ForeignName *name_row(const char *name) {
    static const ForeignName names[] = {
#define FOREIGN_NAME(theirs, ours, advice) {theirs, ours, advice},
#include "grammar/foreign.def"
    };
    return find_row(names, sizeof names / sizeof *names, name);
}

const char *foreign_advice(Name name) {
    const ForeignName *row = name_row(name);
    return row && *row->advice ? row->advice : NULL;
}

const char *foreign_function(Name name) {
    const ForeignName *row = name_row(name);
    return row && *row->ours && strcmp(row->ours, "!") ? row->ours : NULL;
}

static bool is_foreign(Sema *s, Diag *d, Span span, Name name, const Expr *call) {
    const ForeignName *row = name_row(name);
    bool is_call = call;
    if (!row) return false;
    if (*row->advice) diag_note(s->c, d, span, "%s", row->advice);
    if (call && fix_foreign_call(s, d, call, name, row->ours)) return true;
    bool is_function = builtin_find(s, name_intern(&s->c->names, row->ours, strlen(row->ours))) != BUILTIN_NONE;
    bool is_sign = !strcmp(row->ours, "!");
    if (!*row->ours || (is_function != is_call && !is_sign)) return true;
    diag_fix(s->c, d, span, row->ours, "use `%s`", row->ours);
    return true;
}

/* Before the first declaration, which comments may precede. */
static void fix_import(Sema *s, Diag *d, Name name) {
    const Module *m = s->program->module;
    if (!m->items.n) return;
    uint32_t at = m->items.at[0]->span.lo;
    for (int i = 1; i < m->items.n; i++)
        if (m->items.at[i]->span.lo < at) at = m->items.at[i]->span.lo;
    fix_insert(s, d, at, arena_printf(s->arena, "import %s;\n", name), "import it");
}

static bool is_module(Sema *s, Diag *d, Span span, Name name, bool is_call) {
    const BuiltInModule *m = s->stdlib;
    while (m && m->name && strcmp(m->name, name)) m++;
    if (!m || !m->name) return false;
    diag_note(s->c, d, span, "this is a module of the standard library: write `import %s;` at the top of the file",
              name);
    if (!is_call) fix_import(s, d, name);
    return true;
}

static bool has_text(const BuiltInModule *m, const char *text) {
    size_t n = strlen(text);
    for (const char *at = m->text; (at = memchr(at, text[0], (size_t)(m->end - at))); at++)
        if ((size_t)(m->end - at) >= n && !memcmp(at, text, n)) return true;
    return false;
}

/* The module of the standard library that declares the function; NULL: none. Its declarations begin lines.
 * *is_for_host: kernels cannot call what launches kernels or is written in C. */
static Name module_with(Sema *s, Name name, bool *is_for_host) {
    const char *head = arena_printf(s->arena, "fn %s", name);
    size_t n = strlen(head);
    for (const BuiltInModule *m = s->stdlib; name[0] != '_' && m && m->name; m++)
        for (const char *at = m->text; (at = memchr(at, '\n', (size_t)(m->end - at)));) {
            at++;
            if ((size_t)(m->end - at) <= n || memcmp(at, head, n)) continue;
            if (at[n] != '(' && at[n] != '<') continue;
            *is_for_host = has_text(m, " offload ") || has_text(m, "\nextern \"C\"");
            return name_intern(&s->c->names, m->name, strlen(m->name));
        }
    return NULL;
}

/* A kernel cannot call what launches another one, or C. */
static void note_for_host(Sema *s, Diag *d, Span span, Name name, const char *function) {
    const char *advice = foreign_advice(name);
    diag_note(s->c, d, span, "%s", advice ? advice : "in a kernel, compute it in a loop over the elements");
    diag_note(s->c, d, span, "`%s` is for the host: kernels cannot call it", function);
}

static bool is_not_imported(Sema *s, Diag *d, Span span, Name name) {
    bool is_for_host = false;
    Name module = module_with(s, name, &is_for_host);
    if (!module || scope_find(s, module)) return false;
    if (is_for_host && s->func && s->func->is_kernel) {
        note_for_host(s, d, span, name, arena_printf(s->arena, "%s.%s", module, name));
        return true;
    }
    const char *advice = foreign_advice(name);
    if (advice) diag_note(s->c, d, span, "%s", advice);
    diag_note(s->c, d, span, "the standard library has `%s.%s`: write `import %s;` at the top of the file", module,
              name, module);
    diag_fix(s->c, d, span, arena_printf(s->arena, "%s.%s", module, name), "call it with the name of its module");
    fix_import(s, d, module);
    return true;
}

void explain_unknown(Sema *s, Diag *d, Span span, Name name, const Expr *call) {
    bool is_call = call;
    if (session_explain_lost(s, d, name)) return;
    bool is_for_host = false;
    const char *offered = module_offers(s, name, &is_for_host);
    if (offered && is_for_host && s->func && s->func->is_kernel) {
        note_for_host(s, d, span, name, offered);
        return;
    }
    if (offered) diag_fix(s->c, d, span, offered, "a module declares it");
    if (!offered && is_call && is_not_imported(s, d, span, name)) return;
    if (offered || is_foreign(s, d, span, name, call) || is_module(s, d, span, name, is_call)) return;
    if (!is_call && (session_explain_unknown(s, d, name) || host_names_find(s, d, name))) return;
    const Symbol *ended = scope_ended(s, name);
    if (ended && !is_call) {
        diag_note(s->c, d, ended->span, "it is declared here, and only in scope until the end of this block");
        return;
    }
    const char *near = is_call ? type_of_other_language(name) : NULL;
    if (!near) near = nearest_name(s, name, is_call ? NAMES_FUNCTIONS | NAMES_TYPES : NAMES_VALUES);
    if (near) diag_fix(s->c, d, span, near, "did you mean `%s`?", near);
}

void explain_array_member(Sema *s, Diag *d, Expr *field, Span whole) {
    static const ForeignName members[] = {
#define FOREIGN_MEMBER(theirs, call, advice) {theirs, call, advice},
#include "grammar/foreign.def"
    };
    const Expr *base = field->field.base;
    const char *x = base->kind == EXPR_NAME ? base->name.name : "x";
    const Type *elem = base->type && base->type->kind == TY_ARRAY ? base->type->elem : NULL;
    for (int i = 0; elem && elem->kind == TY_STRUCT && i < elem->n_fields; i++) {
        if (elem->fields[i].name != field->field.name) continue;
        diag_note(s->c, d, field->field.name_span, "its elements have this field: `%s[i].%s`", x, field->field.name);
        return;
    }
    const ForeignName *row = find_row(members, sizeof members / sizeof *members, field->field.name);
    if (row && *row->advice) {
        diag_note(s->c, d, field->field.name_span, "%s", row->advice);
    } else if (row && base->kind == EXPR_NAME) {
        bool is_copy = !strcmp(row->ours, "copy");
        const char *call = arena_printf(s->arena, "%s(%s%s)", row->ours, is_copy ? "&" : "", x);
        diag_fix(s->c, d, whole, call, "it is a function");
    } else {
        diag_note(s->c, d, field->field.name_span, "use `len(%s)`, `shape(%s, 0)` or `%s.at(...)` for an array", x, x,
                  x);
    }
}

void explain_method(Sema *s, Diag *d, Expr *call) {
    const Expr *callee = call->call.callee, *base = callee->field.base;
    const Symbol *sym = scope_find(s, callee->field.name);
    bool plain = base->kind == EXPR_NAME && call->call.args.n == 0;
    const ArgList *args = &call->call.args;
    const char *name = callee->field.name;
    bool is_text = base->type && base->type->kind == TY_STR;
    bool measures = !strcmp(name, "length") || !strcmp(name, "size") || !strcmp(name, "len") || !strcmp(name, "count");
    if (is_text && plain && measures) {
        diag_fix(s->c, d, call->span, arena_printf(s->arena, "len(%s)", base->name.name), "it is a function");
        return;
    }
    if (!strcmp(name, "equals") && args->n == 1 && args->at[0].mode == REF_NONE) {
        diag_fix(s->c, d, call->span, arena_printf(s->arena, "%s == %s", source_text(s, base->span),
                                                   source_text(s, args->at[0].span)), "compare with `==`");
        return;
    }
    if (is_text && !strcmp(name, "parse")) {
        const char *text = source_text(s, base->span);
        diag_note(s->c, d, callee->field.name_span,
                  "convert a text with the name of a type: `i32(%s)`, `f64(%s)`", text, text);
        return;
    }
    if (!plain || (!builtin_find(s, callee->field.name) && !(sym && sym->kind == SYM_FN))) {
        diag_note(s->c, d, callee->field.name_span, "call a function with its arguments in parentheses: `f(x)`");
        return;
    }
    const char *text = arena_printf(s->arena, "%s(%s)", callee->field.name, base->name.name);
    diag_fix(s->c, d, call->span, text, "it is a function");
}
