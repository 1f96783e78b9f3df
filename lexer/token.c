/* token.c -- the table of tokens.def, keyword lookup, and the dump of tokens.
 *
 * The grammar numbers the terminals; the assertions below check that the table has the same order. */
#include "lexer/lexer.h"

const TokenInfo token_info[TOK__COUNT] = {
    [TOK_END] = {"END", "the end of the file", TOKEN_VALUE},
#define TOKEN(name, spelling, class) [TOK_##name] = {#name, spelling, TOKEN_##class},
#include "lexer/tokens.def"
#undef TOKEN
};

enum {
    ROW_END,
#define TOKEN(name, spelling, class) ROW_##name,
#include "lexer/tokens.def"
#undef TOKEN
    ROW__COUNT
};
#define TOKEN(name, spelling, class)                                                                                   \
    _Static_assert((int)TOK_##name == (int)ROW_##name, "tokens.def and %token in kdsl.y differ at " #name);
#include "lexer/tokens.def"
#undef TOKEN
_Static_assert((int)TOK__COUNT == (int)ROW__COUNT, "tokens.def and %token in kdsl.y differ in length");

static void add_keyword(Lexer *lx, int kind) {
    const char *spelling = token_info[kind].spelling;
    int letter = spelling[0] - 'a', i = 0;
    while (i < KEYWORDS_PER_LETTER && lx->keywords[letter][i].name) i++;
    if (i == KEYWORDS_PER_LETTER) ice(lx->c, (Span){0}, "too many keywords with the same first letter for Lexer");
    lx->keywords[letter][i].name = name_of(&lx->c->names, spelling);
    lx->keywords[letter][i].kind = kind;
}

void lex_init(Lexer *lx, Compiler *c, const Source *source) {
    *lx = (Lexer){.c = c, .source = source, .first_on_line = true};
    lx->cursor = (const unsigned char *)source->text;
    lx->limit = lx->cursor + source->n;
    for (int kind = 1; kind < TOK__COUNT; kind++)
        if (token_info[kind].class == TOKEN_WORD || token_info[kind].class == TOKEN_SOFT) add_keyword(lx, kind);
}

int lex_keyword(const Lexer *lx, Name name) {
    if (name[0] < 'a' || name[0] > 'z') return TOK_ID;
    int letter = name[0] - 'a';
    for (int i = 0; i < KEYWORDS_PER_LETTER && lx->keywords[letter][i].name; i++)
        if (lx->keywords[letter][i].name == name) return lx->keywords[letter][i].kind;
    return TOK_ID;
}

void lex_dump(Compiler *c, Source *s, Buf *out) {
    Lexer lx;
    lex_init(&lx, c, s);
    for (;;) {
        Token t = lex_next(&lx);
        uint32_t lo = t.span.lo - s->base, hi = t.span.hi - s->base;
        if (t.kind == TOK_BAD && c->diags.too_many) break;
        buf_printf(out, "%s %u..%u", token_info[t.kind].name, lo, hi);
        if (t.kind == TOK_END) break;
        if (t.kind != TOK_BAD) { /* whose text may be any bytes */
            buf_putc(out, ' ');
            buf_add(out, s->text + lo, hi - lo);
        }
        buf_putc(out, '\n');
    }
    buf_putc(out, '\n');
}
