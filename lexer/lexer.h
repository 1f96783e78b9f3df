/* lexer.h -- text to tokens.
 *
 * Token kinds are the numbers Lemon gives the terminals of kdsl.y (kdsl_tokens.h, in the build tree); 0 is the end of
 * the text. The lexer knows nothing of the parser: it is asked for one token after the other. It reports what is
 * wrong with a token (E01xx) and goes on. */
#ifndef KDSL_LEXER_H
#define KDSL_LEXER_H

#include "base/base.h"
#include "grammar/kdsl_tokens.h"

enum { TOK_END = 0, TOK__COUNT = TOK_BAD + 1 };
enum { LEX_MAX_NAME_BYTES = 255, LEX_MAX_NUMBER_BYTES = 1000 };

typedef struct Token {
    int kind;
    Span span;
    bool first_on_line; /* only blanks and comments before it on its line */
    bool broken;        /* reported already; the value is a harmless stand-in */
    union {
        Name name; /* ID and keywords (which may turn out to be names) */
        struct { uint64_t value; bool too_big; Name suffix; } int_;
        struct { double value; Name suffix; } float_;
        struct { const char *at; size_t n; } str; /* escapes decoded, NUL-terminated */
    };
} Token;

typedef enum TokenClass { TOKEN_VALUE, TOKEN_PUNCT, TOKEN_WORD, TOKEN_SOFT, TOKEN_MARK } TokenClass;
typedef struct TokenInfo {
    const char *name;     /* "LBRACE" */
    const char *spelling; /* "{"; of TOKEN_VALUE what to call it: "a name" */
    TokenClass class;
} TokenInfo;
extern const TokenInfo token_info[TOK__COUNT]; /* tokens.def, by kind */

enum { KEYWORDS_PER_LETTER = 6 };
typedef struct Lexer {
    Compiler *c;
    const Source *source;
    const unsigned char *cursor, *limit; /* *limit is NUL */
    bool first_on_line;                  /* of the token being read */
    bool incomplete;                     /* the text ended inside a comment */
    struct { Name name; int kind; } keywords[26][KEYWORDS_PER_LETTER];
} Lexer;

void lex_init(Lexer *lx, Compiler *c, const Source *source);
/* The next token; TOK_BAD for bytes that make none (reported), TOK_END again and again at the end. */
Token lex_next(Lexer *lx);
/* One line per token: `KIND lo..hi text`, offsets from the start of the file. For --emit=tokens and its tests. */
void lex_dump(Compiler *c, Source *s, Buf *out);

/* token.c: the keyword of this spelling, or TOK_ID. */
int lex_keyword(const Lexer *lx, Name name);

/* literal.c: fill in the value of a token whose text is lo[0..n) and whose kind and span are set. */
void lex_number(Lexer *lx, Token *t, const char *text, size_t n);
void lex_float(Lexer *lx, Token *t, const char *text, size_t n);
void lex_string(Lexer *lx, Token *t, const char *text, size_t n); /* without the quotes; span.lo is the opening one */
/* Length of the valid UTF-8 sequence at text[0..n) and its code point, or 0. */
int utf8_decode(const char *text, size_t n, uint32_t *code_point);

#endif
