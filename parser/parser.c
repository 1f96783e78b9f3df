/* parser.c -- the main loop of the parser, which passes tokens from the lexer to the generated LALR parser, and
 * panic-mode error recovery.
 *
 * Recovery: the grammar has `error RESYNC` rules for statements and items. After an error, the parser pops its stack to
 * the nearest one, skip_rest skips the rest of the statement or item by brackets and line starts, and the token RESYNC
 * completes the rule. This file also limits nesting: of brackets, and of the parser's stack. */
#include "parser/feed.h"

#include <stdlib.h>

bool is_opener(int kind) { return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE; }
static bool is_closer(int kind) { return kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE; }
int closer_of(int opener) {
    return opener == TOK_LPAREN ? TOK_RPAREN : opener == TOK_LBRACKET ? TOK_RBRACKET : TOK_RBRACE;
}

bool starts_item(int kind) { return kind >= TOK_FN && kind <= TOK_TEST; }

bool starts_statement(int kind) {
    return kind == TOK_LET || kind == TOK_VAR || kind == TOK_WHILE || kind == TOK_BREAK || kind == TOK_CONTINUE
        || kind == TOK_RETURN || kind == TOK_ASSERT || kind == TOK_SHARED || kind == TOK_BARRIER || kind == TOK_WAIT;
}

/* ---- reading and feeding ---- */

/* Drops TOK_BAD tokens, which the lexer has reported. */
static Token read_token(Feed *f) {
    for (;;) {
        Token t = lex_next(&f->lexer);
        if (t.kind != TOK_BAD) return t;
        f->quiet = true;
        if (f->c->diags.too_many) f->gave_up = true; /* the main loop will stop */
        if (f->gave_up) return (Token){.kind = TOK_END, .span = {t.span.hi, t.span.hi}};
    }
}

Token feed_take(Feed *f) {
    if (f->ahead.n) return f->ahead.at[--f->ahead.n];
    return read_token(f);
}

void feed_unread(Feed *f, Token t) { vec_push(f->p.arena, &f->ahead, t); }

Token feed_peek(Feed *f) {
    Token t = feed_take(f);
    feed_unread(f, t);
    return t;
}

bool feed_accepts(const Feed *f, int kind) { return grammar_accepts(f->yy, kind); }

Token feed_invent(const Feed *f, int kind) {
    return (Token){.kind = kind, .span = {f->prev.span.hi, f->prev.span.hi}, .broken = true};
}

static void give_up_too_deep(Feed *f, Span at) {
    if (!f->p.too_deep) diag(f->c, E0203, at, "nested too deeply: the limit is %d levels", AST_MAX_DEPTH);
    f->gave_up = true;
}

int feed_indentation(const Feed *f, Span at) {
    Place place = source_place(&f->c->sources, at.lo);
    int n, i = 0;
    const char *line = source_line(place.file, place.line, &n);
    while (i < n && (line[i] == ' ' || line[i] == '\t')) i++;
    return i;
}

/* A `}` at the start of a line with less indentation than the line of its `{` probably belongs to another `{`. */
static void watch_indentation(Feed *f, const Token *t) {
    const Token *open = &f->open.at[f->open.n - 1];
    if (f->suspect.kind || t->kind != TOK_RBRACE || !t->first_on_line) return;
    if (feed_indentation(f, t->span) < feed_indentation(f, open->span)) f->suspect = *open;
}

/* Passes a token to the parser, which must accept it. */
void feed_push(Feed *f, Token t) {
    if (!f->open.n && (t.kind == TOK_FN || t.kind == TOK_KERNEL || t.kind == TOK_ARROW))
        f->has_result = t.kind == TOK_ARROW;
    if (is_opener(t.kind)) {
        if (f->open.n == AST_MAX_DEPTH) {
            give_up_too_deep(f, t.span);
            return;
        }
        vec_push(f->p.arena, &f->open, t);
    }
    if (is_closer(t.kind)) {
        watch_indentation(f, &t);
        if (!--f->open.n) f->suspect.kind = 0;
    }
    if (t.kind == TOK_SEMI || t.kind == TOK_LBRACE || t.kind == TOK_RBRACE) f->quiet = false;
    if (t.broken && token_info[t.kind].class == TOKEN_VALUE && t.span.hi > t.span.lo) f->quiet = true;
    KdslParse(f->yy, t.kind, t);
    int before = f->prev.kind;
    bool in_list = f->open.n && f->open.at[f->open.n - 1].kind != TOK_LBRACE;
    if (!before || before == TOK_RESYNC || before == TOK_LBRACE || before == TOK_RBRACE ||
        (before == TOK_SEMI && !in_list))
        f->first = t;
    f->prev2 = f->prev;
    f->prev = t;
    if (grammar_stack_depth(f->yy) > PARSER_MAX_STACK) give_up_too_deep(f, t.span);
}

/* ---- recovery ---- */

/* Open brackets while skipping: first those that were popped from the parser's stack, then new ones. */
typedef struct Skip {
    Vec(int) open;
    int n_lost;    /* of `open`: opened before the error */
    bool in_block; /* else at item level */
    bool in_input; /* at the top level of an input, which has statements and items */
} Skip;

static bool skip_holds(const Skip *s, int kind) {
    for (int i = 0; i < s->open.n; i++)
        if (s->open.at[i] == kind) return true;
    return false;
}

/* True if the token certainly begins a new statement or item. */
static bool stops_before(Feed *f, const Skip *s, const Token *t) {
    if (t->kind == TOK_END) return true;
    if (starts_item(t->kind)) {
        if (t->first_on_line && source_place(&f->c->sources, t->span.lo).col == 1) return true;
        return !s->in_block && !skip_holds(s, TOK_LBRACE);
    }
    if (!(s->in_block || s->in_input) || skip_holds(s, TOK_LBRACE) || !t->first_on_line) return false;
    if (starts_statement(t->kind)) return true;
    return s->open.n == 0 && (t->kind == TOK_IF || t->kind == TOK_FOR || t->kind == TOK_OFFLOAD);
}

/* After a `}`: true if the skipped statement or item ends here. */
static bool ends_with_brace(Feed *f, const Skip *s) {
    if (skip_holds(s, TOK_LBRACE)) return false;
    Token next = feed_peek(f);
    if (next.kind == TOK_RBRACE || next.kind == TOK_END) return true;
    return next.first_on_line && next.kind != TOK_ELSE && next.kind != TOK_LBRACE;
}

/* True if this closing bracket has no opening bracket in `s`, so that it ends the block around the error. */
static bool skip_closer(Skip *s, int kind) {
    int i = s->open.n;
    while (i > 0 && closer_of(s->open.at[i - 1]) != kind) i--;
    if (!i) return kind == TOK_RBRACE && s->in_block;
    s->open.n = i - 1;
    if (s->n_lost > s->open.n) s->n_lost = s->open.n;
    return false;
}

/* Skips from `t` to the start of the next statement or item. */
static void skip_rest(Feed *f, Skip *s, Token t, bool take_first) {
    for (bool first = true;; first = false, t = feed_take(f)) {
        bool stop = !(first && take_first) && stops_before(f, s, &t);
        if (!stop && is_closer(t.kind)) stop = skip_closer(s, t.kind);
        if (stop) {
            feed_unread(f, t);
            return;
        }
        if (is_opener(t.kind)) vec_push(f->p.arena, &s->open, t.kind);
        if (s->open.n > 2 * AST_MAX_DEPTH) f->gave_up = true; /* not a program; and each token searches the stack */
        if (f->gave_up) return;
        if (t.kind == TOK_RBRACE && ends_with_brace(f, s)) return;
        bool inside = s->open.n > s->n_lost || skip_holds(s, TOK_LBRACE);
        if (t.kind == TOK_SEMI && (s->in_block || s->in_input) && !inside) return;
    }
}

/* Makes the parser pop its stack to the nearest list of statements or items. */
static void pop_to_list(Feed *f, Skip *s) {
    KdslParse(f->yy, TOK_BAD, feed_invent(f, TOK_BAD));
    int kept = grammar_open_brackets(f->yy);
    for (int i = kept; i < f->open.n; i++) vec_push(f->p.arena, &s->open, f->open.at[i].kind);
    s->n_lost = s->open.n;
    s->in_block = kept > 0;
    s->in_input = f->is_input && !kept;
    f->open.n = kept;
}

static void resync(Feed *f) {
    feed_push(f, feed_invent(f, TOK_RESYNC));
    f->quiet = false;
}

static void recover(Feed *f, Token t, bool take_first) {
    Skip s = {0};
    pop_to_list(f, &s);
    skip_rest(f, &s, t, take_first);
    resync(f);
    f->p.too_deep = false;
}

/* After a constructor has rejected an expression (E0203), skips its rest, which may be a chain of a million
 * operators. */
static void leave_too_deep(Feed *f) {
    if (!f->p.too_deep || f->gave_up || f->prev.kind == TOK_SEMI || f->prev.kind == TOK_RBRACE) return;
    recover(f, feed_take(f), false);
}

/* Closes all brackets, at the end of the text or before a new item. */
static void close_all(Feed *f) {
    if (!feed_accepts(f, TOK_RBRACE) || f->open.at[f->open.n - 1].kind != TOK_LBRACE) {
        Skip s = {0};
        pop_to_list(f, &s);
        resync(f);
    }
    while (f->open.n && feed_accepts(f, TOK_RBRACE)) feed_push(f, feed_invent(f, TOK_RBRACE));
}

/* `end`, `end do`: it closes the block if that begins on a line with the same indentation. */
static void close_block(Feed *f, Token t) {
    int indentation = feed_indentation(f, f->prev.span);
    Skip s = {0};
    pop_to_list(f, &s);
    resync(f);
    while (!t.first_on_line && t.kind != TOK_END && t.kind != TOK_SEMI) t = feed_take(f);
    if (t.kind != TOK_SEMI) feed_unread(f, t);
    if (f->open.n && f->open.at[f->open.n - 1].kind == TOK_LBRACE && feed_accepts(f, TOK_RBRACE) &&
        feed_indentation(f, f->open.at[f->open.n - 1].span) == indentation)
        feed_push(f, feed_invent(f, TOK_RBRACE));
}

/* ---- the loop ---- */

/* After `&out`: are the next brackets those of indices? A slice is the one valid form; `[0.0; n]` and `[x for x in n]`
 * are arrays. `out[0]` and `out [0, 1]` are errors, which differ in what they say. */
static bool indices_are_next(Feed *f, const Token *out) {
    Vec(Token) taken = {0};
    bool is_slice = false, is_list = false;
    for (int depth = 0;;) {
        Token t = feed_take(f);
        vec_push(f->p.arena, &taken, t);
        if (depth == 1) is_slice |= t.kind == TOK_DOTDOT;
        if (depth == 1) is_list |= t.kind == TOK_SEMI || t.kind == TOK_FOR;
        depth += is_opener(t.kind) - is_closer(t.kind);
        if (depth <= 0 || is_list || t.kind == TOK_END || f->gave_up) break;
    }
    Token first = taken.at[0];
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return !is_list && (is_slice || first.span.lo == out->span.hi);
}

/* A word that the grammar allows as a keyword here, although what comes next shows that it is a name: `f(&out)`,
 * `f(&out[1..])`, `offload async(&x)`. LALR(1) decides before it has seen that. */
static bool is_name_here(Feed *f, const Token *t) {
    bool after_offload = f->prev.kind == TOK_OFFLOAD && (t->kind == TOK_ASYNC || t->kind == TOK_RESIDENT);
    bool after_amp = f->prev.kind == TOK_AMP && t->kind == TOK_OUT && feed_accepts(f, TOK_INT); /* not in a type */
    if (!after_offload && !after_amp) return false;
    Token next = feed_peek(f);
    if (next.kind == TOK_DOT) return true;
    if (after_offload) return next.kind == TOK_LPAREN;
    if (next.kind == TOK_LBRACKET) return indices_are_next(f, t);
    return next.kind == TOK_COMMA || next.kind == TOK_RPAREN;
}

static void handle_error(Feed *f, Token t) {
    switch (syntax_error(f, &t)) {
    case REPAIR_RETRY: feed_unread(f, t); break;
    case REPAIR_DROP: break;
    case REPAIR_CLOSE:
        close_all(f);
        feed_unread(f, t);
        break;
    case REPAIR_SKIP: recover(f, t, false); break;
    case REPAIR_END: close_block(f, t); break;
    case REPAIR_NESTED: recover(f, t, true); break;
    }
}

void feed_tokens(Feed *f) {
    while (!f->gave_up) {
        Token t = feed_take(f);
        if (f->gave_up) break;
        if (is_name_here(f, &t)) t.kind = TOK_ID;
        bool is_wrong = f->is_input && input_is_foreign(f, &t);
        if (f->is_input && !f->open.n && !is_wrong) input_before(f, &t);
        if (!is_wrong && feed_accepts(f, t.kind)) {
            feed_push(f, t);
            if (t.kind == TOK_END) break;
            leave_too_deep(f);
        } else {
            handle_error(f, t);
        }
        if (f->c->diags.too_many) f->gave_up = true;
    }
}

void feed_begin(Feed *f, Compiler *c, Source *s) {
    *f = (Feed){.c = c, .p = {.c = c, .arena = &c->arena, .module = arena_new(&c->arena, Module)}};
    f->p.module->source = s;
    lex_init(&f->lexer, c, s);
    f->prev.span = (Span){s->base, s->base};
    f->yy = KdslParseAlloc(malloc, &f->p);
    if (!f->yy) ice(c, f->prev.span, "out of memory");
}

Module *feed_end(Feed *f, bool *incomplete) {
    KdslParseFree(f->yy, free);
    if (incomplete) *incomplete = f->incomplete || f->lexer.incomplete;
    return f->p.module;
}

Module *parse_source(Compiler *c, Source *s, bool *incomplete) {
    Feed f;
    feed_begin(&f, c, s);
    feed_tokens(&f);
    return feed_end(&f, incomplete);
}
