/* report.c -- what several checks report: fixes that quote the source, notes at declarations. */
#include <string.h>

#include "sema/check.h"

const char *source_text(Sema *s, Span span) {
    Place p = source_place(&s->c->sources, span.lo);
    if (!p.file || span.hi < span.lo || span.hi > p.file->base + p.file->n) return "...";
    return arena_strndup(s->arena, p.file->text + (span.lo - p.file->base), span.hi - span.lo);
}

const char *quoted_type(Sema *s, const Type *t) {
    if (type_is_literal(t)) return t->is_float ? "a float" : "an integer";
    return t->kind == TY_VOID ? "nothing" : arena_printf(s->arena, "`%s`", type_name(s->c, t));
}

/* "12" for 12, "2.5" for 2.5. Other texts would fail to be converted. */
static void fix_quoted(Sema *s, Diag *d, const Expr *e, const Type *to) {
    const char *text = source_text(s, e->span), *end = text + strlen(text) - 1, *at = text + 1;
    int n_digits = 0, n_points = 0;
    if (*at == '-' && (to->is_signed || to->is_float)) at++;
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && n_digits && at + 1 < end)); at++) {
        n_points += *at == '.';
        n_digits += *at != '.';
    }
    bool fits = to->is_float ? n_points < 2 : to->is_int && !n_points;
    if (*text != '"' || at != end || !n_digits || n_digits > 18 || !fits) return;
    const char *more = to->is_float && !n_points ? ".0" : "";
    diag_fix(s->c, d, e->span, arena_printf(s->arena, "%.*s%s", (int)(end - text) - 1, text + 1, more),
             "write a number");
}

void fix_convert(Sema *s, Diag *d, Expr *e, const Type *to) {
    const char *text = source_text(s, e->span);
    bool is_quotient = to->is_float && e->type->is_int && e->kind == EXPR_BINARY && e->binary.op == OP_DIV;
    if (is_quotient && !type_is_literal(e->type) && strlen(text) <= 60) {
        fix_quotient(s, d, e, to);
        return;
    }
    if (e->konst.kind == CONST_STR) {
        fix_quoted(s, d, e, to);
        return;
    }
    if (strlen(text) > 60 || strchr(text, '\n')) {
        diag_note(s->c, d, e->span, "convert it with `%s(...)`", to->name);
        return;
    }
    diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s(%s)", to->name, text), "convert the value");
}

/* Without its own parentheses. */
static const char *bare_text(Sema *s, const Expr *e) {
    bool is_binary = e->kind == EXPR_BINARY;
    return source_text(s, is_binary ? span_join(e->binary.lhs->span, e->binary.rhs->span) : e->span);
}

static const char *as_float(Sema *s, Expr *e, const Type *to, bool may_stay) {
    e = expr_strip(e);
    if (e->kind == EXPR_INT && !e->int_.suffix) return arena_printf(s->arena, "%s.0", source_text(s, e->span));
    if (may_stay && type_widens(e->type, to)) return source_text(s, e->span);
    return arena_printf(s->arena, "%s(%s)", to->name, bare_text(s, e));
}

void fix_quotient(Sema *s, Diag *d, Expr *e, const Type *to) {
    const char *text = arena_printf(s->arena, "%s / %s", as_float(s, e->binary.lhs, to, false),
                                    as_float(s, e->binary.rhs, to, true));
    if (e->span.lo < e->binary.lhs->span.lo) text = arena_printf(s->arena, "(%s)", text);
    diag_fix(s->c, d, e->span, text, "divide floats, which keeps the fraction");
}

void fix_insert(Sema *s, Diag *d, uint32_t offset, const char *text, const char *message) {
    diag_fix(s->c, d, (Span){offset, offset}, text, "%s", message);
}

void note_declared(Sema *s, Diag *d, const Symbol *sym) {
    if (!sym->span.hi) return;
    diag_note(s->c, d, sym->span, "`%s` is %s, declared here", sym->name, symbol_what(sym));
}

Type *bad(Sema *s, Expr *e) {
    e->konst = (Const){0};
    return e->type = s->error;
}
