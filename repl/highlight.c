/* highlight.c -- syntax highlighting of the input while it is typed, from the compiler's tokens, and the matching
 * bracket of the one at the cursor. */
#include <ctype.h>
#include <string.h>

#include "lexer/lexer.h"
#include "repl/terminal.h"

bool is_type_name(const char *text, size_t n) {
    static const char *const names[] = {"bool", "i8",  "i16", "i32", "i64",  "index", "u8", "u16",
                                        "u32",  "u64", "f16", "f32", "bf16", "f64",   "str"};
    if (n > 2 && text[n - 2] == 'x' && strchr("2348", text[n - 1]) && strncmp(text, "inde", 4)) n -= 2;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], text, n)) return true;
    return false;
}

const char *highlight_code(Paint p) {
    static const char *const codes[PAINT__COUNT] = {
        [PAINT_PLAIN] = "",          [PAINT_KEYWORD] = "\033[35m", [PAINT_TYPE] = "\033[36m",
        [PAINT_NUMBER] = "\033[33m", [PAINT_STRING] = "\033[32m",  [PAINT_COMMENT] = "\033[2m",
        [PAINT_CALL] = "\033[34m",   [PAINT_COMMAND] = "\033[1m",  [PAINT_MATCH] = "\033[1;7m",
        [PAINT_WRONG] = "\033[31m",
    };
    return codes[p];
}

typedef struct Painter {
    const char *text;
    size_t n;
    unsigned char *paints;
    Vec(Token) tokens;
    uint32_t base;
} Painter;

static void read_tokens(Painter *p, Compiler *c) {
    Source *s = source_add(&c->sources, "input", p->text, p->n);
    if (!s) return;
    Lexer lx;
    lex_init(&lx, c, s);
    p->base = s->base;
    for (Token t = lex_next(&lx); t.kind != TOK_END; t = lex_next(&lx)) vec_push(&c->arena, &p->tokens, t);
}

static void paint(Painter *p, Span span, Paint with) {
    memset(p->paints + (span.lo - p->base), with, span.hi - span.lo);
}

/* A soft keyword is highlighted only if its operand follows: `over i`, `step 2`, `&out x`. */
static bool is_word_here(const Painter *p, int i) {
    static const int introduced[] = {TOK_ID, TOK_INT, TOK_FLOAT, TOK_LPAREN, TOK_LBRACKET, TOK_LBRACE, TOK_MINUS};
    int kind = p->tokens.at[i].kind, next = i + 1 < p->tokens.n ? p->tokens.at[i + 1].kind : TOK_END;
    if (kind == TOK_MIN || kind == TOK_MAX) return i + 1 < p->tokens.n && next == TOK_ASSIGN;
    for (size_t k = 0; k < sizeof introduced / sizeof introduced[0]; k++)
        if (next == introduced[k]) return next != TOK_LPAREN || kind == TOK_BY || kind == TOK_ON;
    return kind == TOK_ASYNC || (i && p->tokens.at[i - 1].kind == TOK_AMP && next != TOK_END);
}

static Paint paint_of_name(const Painter *p, int i) {
    const Token *t = &p->tokens.at[i];
    if (is_type_name(p->text + (t->span.lo - p->base), t->span.hi - t->span.lo)) return PAINT_TYPE;
    return i + 1 < p->tokens.n && p->tokens.at[i + 1].kind == TOK_LPAREN ? PAINT_CALL : PAINT_PLAIN;
}

static Paint paint_of(const Painter *p, int i) {
    int kind = p->tokens.at[i].kind;
    switch (kind) {
    case TOK_ID: return paint_of_name(p, i);
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_TRUE:
    case TOK_FALSE: return PAINT_NUMBER;
    case TOK_STR: return PAINT_STRING;
    case TOK_BAD: return PAINT_WRONG;
    default: break; /* by the class of the token */
    }
    if (token_info[kind].class == TOKEN_WORD) return PAINT_KEYWORD;
    if (token_info[kind].class == TOKEN_SOFT) return is_word_here(p, i) ? PAINT_KEYWORD : paint_of_name(p, i);
    return PAINT_PLAIN;
}

static int closer_for(int kind) {
    return kind == TOK_LPAREN     ? TOK_RPAREN
           : kind == TOK_LBRACKET ? TOK_RBRACKET
           : kind == TOK_LBRACE   ? TOK_RBRACE
                                  : TOK_END;
}

static bool is_closing(int kind) { return kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE; }

/* True if the bracket is at the cursor or just before it. */
static bool touches(const Painter *p, const Token *t, int cursor) {
    int at = (int)(t->span.lo - p->base);
    return cursor >= 0 && (at == cursor || at + 1 == cursor);
}

/* Matches brackets; returns the number of open ones. Closing brackets without an opening one are errors. */
static int match_brackets(Painter *p, Compiler *c, int cursor) {
    Vec(int) open = {0};
    for (int i = 0; i < p->tokens.n; i++) {
        const Token *t = &p->tokens.at[i];
        if (closer_for(t->kind)) vec_push(&c->arena, &open, i);
        if (!is_closing(t->kind)) continue;
        const Token *opener = open.n ? &p->tokens.at[open.at[open.n - 1]] : NULL;
        if (!opener || closer_for(opener->kind) != t->kind) {
            if (p->paints) paint(p, t->span, PAINT_WRONG);
            continue;
        }
        open.n--;
        if (!p->paints || !(touches(p, t, cursor) || touches(p, opener, cursor))) continue;
        paint(p, t->span, PAINT_MATCH);
        paint(p, opener->span, PAINT_MATCH);
    }
    return open.n;
}

/* Text between tokens is blank or a comment. */
static void paint_comments(Painter *p) {
    for (size_t i = 0; i < p->n; i++)
        if (p->paints[i] == PAINT__COUNT)
            p->paints[i] = isspace((unsigned char)p->text[i]) ? PAINT_PLAIN : PAINT_COMMENT;
}

void highlight(const char *text, size_t n, int cursor, unsigned char *paints) {
    Compiler c;
    size_t word = 0;
    if (n && *text == ':')
        for (word = 1; word < n && !isspace((unsigned char)text[word]);) word++;
    memset(paints, PAINT_COMMAND, word);
    Painter p = {.text = text + word, .n = n - word, .paints = paints + word};
    memset(p.paints, PAINT__COUNT, p.n);
    compiler_init(&c);
    read_tokens(&p, &c);
    for (int i = 0; i < p.tokens.n; i++) paint(&p, p.tokens.at[i].span, paint_of(&p, i));
    match_brackets(&p, &c, cursor - (int)word);
    paint_comments(&p);
    compiler_free(&c);
}

int highlight_depth(const char *text, size_t n) {
    Compiler c;
    Painter p = {.text = text, .n = n};
    compiler_init(&c);
    read_tokens(&p, &c);
    int depth = match_brackets(&p, &c, -1);
    compiler_free(&c);
    return depth;
}
