/* lexer.h -- lexical analysis: from text to tokens.
 *
 * Token kinds are the numbers that Lemon assigns to the terminals of kdsl.y (kdsl_tokens.h, in the build tree); 0 is
 * the end of the text. The lexer does not depend on the parser, which calls lex_next for each token. It reports
 * malformed tokens (E01xx) and continues. */
#ifndef KDSL_LEXER_H
#define KDSL_LEXER_H

#include "base/base.h"
#include "grammar/kdsl_tokens.h"

enum { TOK_END = 0, TOK__COUNT = TOK_BAD + 1 };
enum { LEX_MAX_NAME_BYTES = 255, LEX_MAX_NUMBER_BYTES = 1000 };

typedef struct Token {
    int kind;
    Span span;
    bool first_on_line; /* only blanks and comments precede it on its line */
    bool broken;        /* an error was reported; the value is a valid default */
    union {
        Name name; /* ID and keywords, since soft keywords may be names */
        struct { uint64_t value; bool too_big; Name suffix; } int_;
        struct { double value; Name suffix; } float_;
        struct { const char *at; size_t n; } str; /* escapes decoded, NUL-terminated */
    };
} Token;

typedef enum TokenClass { TOKEN_VALUE, TOKEN_PUNCT, TOKEN_WORD, TOKEN_SOFT, TOKEN_MARK } TokenClass;
typedef struct TokenInfo {
    const char *name;     /* "LBRACE" */
    const char *spelling; /* "{"; TOKEN_VALUE: a description, "a name" */
    TokenClass class;
} TokenInfo;
extern const TokenInfo token_info[TOK__COUNT]; /* rows of tokens.def, indexed by kind */

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
/* Returns the next token; TOK_BAD for invalid bytes, which are reported; at the end of the text always TOK_END. */
Token lex_next(Lexer *lx);
/* Appends a line `KIND lo..hi text` for each token, with offsets from the start of the file; for --emit=tokens. */
void lex_dump(Compiler *c, Source *s, Buf *out);

/* token.c: the kind of the keyword `name`, or TOK_ID. */
int lex_keyword(const Lexer *lx, Name name);

/* rewrite.c: where the expression that ends before `offset` begins; `offset` itself: not on this line. */
uint32_t lex_expression_before(const Source *s, uint32_t offset);
void lex_fix_choice(Lexer *lx, Diag *d, Span question); /* of `c ? a : b` */

/* `"x = {x}"` with its quotes: `"x = {}", x`; NULL: it contains no names, or more than names. */
const char *lex_names_out_of(Arena *a, const char *quoted);

/* literal.c: these set the value of a token with the text text[0..n), whose kind and span are set. */
void lex_number(Lexer *lx, Token *t, const char *text, size_t n);
void lex_float(Lexer *lx, Token *t, const char *text, size_t n);
void lex_string(Lexer *lx, Token *t, const char *text, size_t n); /* without quotes; span.lo: the opening quote */
/* Length of the UTF-8 sequence at text[0..n), and its code point; 0: invalid. */
int utf8_decode(const char *text, size_t n, uint32_t *code_point);

#endif
