/* syntax_error.c -- messages for unexpected tokens.
 *
 * In this order: mismatched brackets, the common mistakes (mistakes.c), a missing `;`, and last the list of expected
 * tokens, which is exact because the grammar is asked about every kind of token. */
#include "parser/mistakes.h"

#include <string.h>

static const char *quoted(Feed *f, int kind) {
    const TokenInfo *info = &token_info[kind];
    if (info->class == TOKEN_VALUE || info->class == TOKEN_MARK) return info->spelling;
    return arena_printf(f->p.arena, "`%s`", info->spelling);
}

const char *token_text(Feed *f, const Token *t) {
    if (t->kind == TOK_STR) return "a string";
    if (token_info[t->kind].class != TOKEN_VALUE || t->kind == TOK_END) return quoted(f, t->kind);
    const Source *s = f->lexer.source;
    int n = (int)(t->span.hi - t->span.lo);
    return arena_printf(f->p.arena, "`%.*s%s`", n > 40 ? 40 : n, s->text + (t->span.lo - s->base), n > 40 ? "..." : "");
}

/* ---- the list of what is expected ---- */

enum { MAX_EXPECTED = 4 };
typedef struct Expected {
    bool can[TOK__COUNT];
    const char *list[MAX_EXPECTED];
    int n;
} Expected;

static void expect(Expected *e, const char *what) {
    if (e->n < MAX_EXPECTED) e->list[e->n++] = what;
}

static void forget(Expected *e, int from, int to) {
    for (int kind = from; kind <= to; kind++) e->can[kind] = false;
}

/* Removes the tokens that begin an expression. */
static void forget_expression(Expected *e) {
    forget(e, TOK_ID, TOK_LPAREN);
    e->can[TOK_LBRACKET] = e->can[TOK_MINUS] = e->can[TOK_BANG] = e->can[TOK_TILDE] = e->can[TOK_IF] = false;
    e->can[TOK_OFFLOAD] = e->can[TOK_TRUE] = e->can[TOK_FALSE] = e->can[TOK_ATOMIC] = e->can[TOK_AMP] = false;
}

static void forget_operators(Expected *e) {
    forget(e, TOK_OR, TOK_PERCENT);
    e->can[TOK_LPAREN] = e->can[TOK_LBRACKET] = e->can[TOK_DOT] = e->can[TOK_DOTDOT] = e->can[TOK_COLON] = false;
    e->can[TOK_STEP] = e->can[TOK_BY] = e->can[TOK_FOR] = e->can[TOK_MIN] = e->can[TOK_MAX] = false;
    e->can[TOK_ASSUME] = e->can[TOK_FAST] = false;
}

/* Replaces a set of tokens by a name such as "an expression", if all of them are accepted. */
static const char *expected_idea(Expected *e) {
    if (e->can[TOK_LET]) {
        forget(e, TOK_LET, TOK_MUT);
        forget_expression(e);
        e->can[TOK_LBRACE] = false;
        return "a statement";
    }
    if (e->can[TOK_STRUCT]) {
        forget(e, TOK_FN, TOK_TEST);
        return "a declaration such as `fn` or `kernel`";
    }
    if (e->can[TOK_INT] && e->can[TOK_STR]) {
        forget_expression(e);
        e->can[TOK_DOTDOT] = false;
        return "an expression";
    }
    if (e->can[TOK_ID] && e->can[TOK_LBRACKET] && e->can[TOK_AMP]) {
        e->can[TOK_ID] = e->can[TOK_LBRACKET] = e->can[TOK_AMP] = false;
        return "a type";
    }
    if (e->can[TOK_STAR]) {
        forget_operators(e);
        return "an operator";
    }
    if (e->can[TOK_ADD_ASSIGN]) {
        forget(e, TOK_ADD_ASSIGN, TOK_SHR_ASSIGN);
        forget_operators(e);
    }
    return NULL;
}

static const char *expected_list(Feed *f) {
    Expected e = {0};
    for (int kind = 0; kind < TOK_RESYNC; kind++) e.can[kind] = feed_accepts(f, kind);
    if (e.can[TOK_ID]) /* where a name is accepted, soft keywords are as well */
        for (int kind = TOK_BY; kind <= TOK_FAST; kind++) e.can[kind] = false;
    const char *idea = expected_idea(&e);
    if (idea) e.n = 1; /* reserves an entry; set below as the last one */
    for (int kind = 1; kind < TOK_RESYNC; kind++)
        if (e.can[kind]) expect(&e, quoted(f, kind));
    if (idea) {
        memmove(e.list, e.list + 1, sizeof *e.list * (size_t)(e.n - 1));
        e.list[e.n - 1] = idea;
    }
    const char *text = "";
    for (int i = 0; i < e.n; i++)
        text = arena_printf(f->p.arena, "%s%s%s", text, !i ? "" : i == e.n - 1 ? " or " : ", ", e.list[i]);
    return text;
}

static void report_expected(Feed *f, const Token *t) {
    const char *list = expected_list(f), *found = token_text(f, t);
    Diag *d = diag(f->c, E0201, t->span, *list ? "expected %s, found %s" : "%sunexpected %s", list, found);
    if (!f->open.n) return;
    Token open = f->open.at[f->open.n - 1];
    if (open.kind != TOK_LBRACE && feed_accepts(f, closer_of(open.kind)))
        diag_note(f->c, d, open.span, "%s was opened here", quoted(f, open.kind));
}

/* ---- brackets ---- */

/* `t` does not match the innermost bracket. True: a closing bracket is missing before it; false: `t` itself is
 * wrong. */
static bool one_is_missing(Feed *f, const Token *t) {
    bool closes_next = f->open.n > 1 && closer_of(f->open.at[f->open.n - 2].kind) == t->kind;
    if (t->kind != TOK_RBRACE) return closes_next;
    Token next = feed_peek(f); /* closing braces begin or end a line */
    return closes_next && (t->first_on_line || next.first_on_line || next.kind == TOK_END);
}

/* A closing bracket that does not match the innermost open one. */
static bool bracket_mismatch(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_RPAREN && t->kind != TOK_RBRACKET && t->kind != TOK_RBRACE) return false;
    if (!f->open.n) {
        diag(f->c, E0204, t->span, "%s has no matching opening bracket", quoted(f, t->kind));
        *repair = REPAIR_DROP;
        return true;
    }
    Token open = f->open.at[f->open.n - 1];
    int closer = closer_of(open.kind);
    if (closer == t->kind) return false;
    Diag *d = diag(f->c, E0204, t->span, "%s where %s is expected", quoted(f, t->kind), quoted(f, closer));
    diag_note(f->c, d, open.span, "to close this %s", quoted(f, open.kind));
    if (!feed_accepts(f, closer)) {
        *repair = REPAIR_SKIP;
    } else if (one_is_missing(f, t)) {
        feed_push(f, feed_invent(f, closer));
        *repair = REPAIR_RETRY;
    } else {
        t->kind = closer;
        *repair = REPAIR_RETRY;
    }
    return true;
}

/* The bracket that is probably unclosed, found by indentation, after a declaration or the end of the file inside
 * brackets. */
static Token unclosed_bracket(const Feed *f) { return f->suspect.kind ? f->suspect : f->open.at[f->open.n - 1]; }

static bool unclosed_at_item(Feed *f, Token *t, Repair *repair) {
    if (!f->open.n || !starts_item(t->kind) || !t->first_on_line) return false;
    if (feed_indentation(f, t->span) > feed_indentation(f, f->open.at[0].span)) {
        if (f->open.at[0].kind != TOK_LBRACE) return false;
        *repair = REPAIR_NESTED;
        if (t->kind == TOK_CONST && at_statement(f) && foreign_declared(f, t, t)) return true; /* `const int n = 3;` */
        if (foreign_field(f, t, repair)) return true;
        Diag *d = diag(f->c, E0220, t->span, "declare %s outside of functions", quoted(f, t->kind));
        if (t->kind == TOK_CONST)
            diag_fix(f->c, d, t->span, "let", "declare a constant value in a function with `let`");
        return true;
    }
    Token open = unclosed_bracket(f);
    Diag *d = diag(f->c, E0205, open.span, "this %s is never closed", quoted(f, open.kind));
    diag_note(f->c, d, t->span, "the next declaration begins here");
    *repair = REPAIR_CLOSE;
    return true;
}

/* ---- the end, and the missing `;` ---- */

static Repair at_end(Feed *f, const Token *t) {
    if (!f->c->diags.n_errors) f->incomplete = true;
    if (f->quiet) { /* reported by the lexer */
    } else if (f->open.n) {
        Token open = unclosed_bracket(f);
        Diag *d = diag(f->c, E0205, open.span, "this %s is never closed", quoted(f, open.kind));
        diag_note(f->c, d, t->span, "the file ends here");
    } else {
        report_expected(f, t);
    }
    f->quiet = true;
    return f->open.n ? REPAIR_CLOSE : REPAIR_SKIP;
}

/* Python's `a // b;`: the `;` is in the comment. */
static bool ends_in_comment(const Feed *f, const char *last) {
    Place at = source_place(&f->c->sources, f->prev.span.hi);
    int n;
    const char *line = source_line(at.file, at.line, &n), *rest = line + at.col - 1, *end = line + n;
    while (rest < end && *rest == ' ') rest++;
    while (end > rest && end[-1] == ' ') end--;
    size_t n_last = strlen(last);
    bool is_comment = end - rest > (ptrdiff_t)(2 + n_last) && rest[0] == '/' && rest[1] == '/';
    return is_comment && !memcmp(end - n_last, last, n_last);
}

static void say_comment(Feed *f) {
    const Source *s = f->lexer.source;
    uint32_t at = f->prev.span.hi;
    while (s->text[at - s->base] == ' ') at++;
    Diag *d = diag(f->c, E0202, (Span){at, at + 2}, "`//` begins a comment; divide integers with `/`");
    diag_fix(f->c, d, (Span){at, at + 2}, "/", "divide");
}

/* `print("{}", a // b);`: the comment has the brackets' ends as well. */
static bool brackets_end_in_comment(Feed *f, const Token *t) {
    int open = f->open.n ? f->open.at[f->open.n - 1].kind : 0;
    if (open != TOK_LPAREN && open != TOK_LBRACKET) return false;
    bool ends = t->first_on_line && feed_accepts(f, closer_of(open));
    if (!ends || !ends_in_comment(f, open == TOK_LPAREN ? ");" : "];")) return false;
    say_comment(f);
    for (; open == TOK_LPAREN || open == TOK_LBRACKET; open = f->open.n ? f->open.at[f->open.n - 1].kind : 0) {
        if (!feed_accepts(f, closer_of(open))) return true;
        feed_push(f, feed_invent(f, closer_of(open)));
    }
    if (feed_accepts(f, TOK_SEMI)) feed_push(f, feed_invent(f, TOK_SEMI));
    return true;
}

/* `f(x) }` at the end of a function: the result in Rust and Julia. */
static void fix_last_call(Feed *f, Diag *d, const Token *t) {
    bool is_last = t->kind == TOK_RBRACE && f->open.n == 1 && f->has_result;
    if (!is_last || f->prev.kind != TOK_RPAREN || !feed_accepts(f, TOK_ADD_ASSIGN)) return;
    Span whole = {f->first.span.lo, f->prev.span.hi};
    const char *text = arena_printf(f->p.arena, "return %s;", text_of(f, whole));
    diag_fix(f->c, d, whole, text, "return it, if it is the result");
}

static bool missing_semicolon(Feed *f, const Token *t) {
    if (!feed_accepts(f, TOK_SEMI)) return false;
    if (!t->first_on_line && t->kind != TOK_RBRACE && !starts_statement(t->kind)) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    bool said = f->prev.span.hi == f->prev.span.lo && f->prev.broken; /* after an inserted token */
    if (!said) {
        if (ends_in_comment(f, ";")) {
            say_comment(f);
        } else {
            Diag *d = diag(f->c, E0202, gap, "`;` is missing");
            fix_last_call(f, d, t);
            diag_fix(f->c, d, gap, ";", "end the statement with `;`");
        }
    }
    feed_push(f, feed_invent(f, TOK_SEMI));
    return true;
}

/* Splits `>>` that closes two `<`, or `&&` that is two `&`, which the lexer cannot distinguish. */
static bool split_token(Feed *f, Token *t) {
    static const struct { int whole, first, rest; } splits[] = {
        {TOK_SHR, TOK_GT, TOK_GT}, {TOK_GE, TOK_GT, TOK_ASSIGN}, {TOK_SHR_ASSIGN, TOK_GT, TOK_GE},
        {TOK_AND, TOK_AMP, TOK_AMP},
    };
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        if (splits[i].whole != t->kind || !feed_accepts(f, splits[i].first)) continue;
        Token rest = *t;
        rest.kind = splits[i].rest;
        rest.span.lo++;
        rest.first_on_line = false;
        feed_unread(f, rest);
        t->kind = splits[i].first;
        t->span.hi = t->span.lo + 1;
        return true;
    }
    return false;
}

Repair syntax_error(Feed *f, Token *t) {
    Repair repair = REPAIR_SKIP;
    if (split_token(f, t)) return REPAIR_RETRY;
    if (!f->quiet && foreign_end(f, t, &repair)) return repair;
    if (t->kind == TOK_END) return at_end(f, t);
    if (f->quiet) return REPAIR_SKIP;
    if (brackets_end_in_comment(f, t)) return REPAIR_RETRY;
    if (unclosed_at_item(f, t, &repair) || bracket_mismatch(f, t, &repair)) return repair;
    if (common_mistake(f, t, &repair)) return repair;
    if (missing_semicolon(f, t)) return REPAIR_RETRY;
    report_expected(f, t);
    return REPAIR_SKIP;
}
