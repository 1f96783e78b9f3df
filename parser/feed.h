/* feed.h -- private to parser/: the state of parsing and error recovery, shared by parser.c (the main loop), input.c,
 * syntax_error.c and mistakes.c (the messages).
 *
 * Every token is tested by grammar_accepts before it is passed to the generated parser, so a syntax error is found
 * before the parser's state changes. Messages can therefore examine the state and the next tokens, and after a repair
 * parsing continues as if the text had been correct. */
#ifndef KDSL_FEED_H
#define KDSL_FEED_H

#include "parser/ast_build.h"

enum { PARSER_MAX_STACK = 4096 }; /* entries; a level of nesting needs about ten */

typedef struct Feed {
    Parser p;
    Compiler *c;
    Lexer lexer;
    void *yy;
    Token prev, prev2;    /* the last two tokens passed to the parser */
    Token first;          /* the first token of this statement */
    Vec(Token) ahead;     /* lookahead, a stack: the next token is the last element */
    Vec(Token) open;      /* brackets on the parser's stack */
    Token suspect;        /* the first brace of this item that was closed by a `}` with less indentation */
    bool quiet;           /* the lexer has reported an error: suppress a syntax error in this statement */
    bool gave_up, incomplete;
    bool has_result;      /* the head of this item has a `->` */
    bool is_input, has_value; /* input.c; the final expression of the input has begun */
} Feed;

/* How to continue after an unexpected token. */
typedef enum Repair {
    REPAIR_SKIP,   /* skip the rest of the statement or item */
    REPAIR_RETRY,  /* *t was changed, or tokens were inserted: try *t again */
    REPAIR_DROP,   /* ignore the token */
    REPAIR_CLOSE,  /* close all open brackets, then try *t again */
    REPAIR_END,    /* the last word was meant as the `}` of a block: leave out what follows it on its line */
    REPAIR_NESTED, /* as SKIP, including the declaration that begins with *t */
} Repair;

/* parser.c */
Token feed_peek(Feed *f);
Token feed_take(Feed *f);
void feed_unread(Feed *f, Token t);
void feed_push(Feed *f, Token t);
bool feed_accepts(const Feed *f, int kind);
/* Creates a token that is not in the text, located after the last one. */
Token feed_invent(const Feed *f, int kind);
/* Number of blanks at the start of the line of `at`. */
int feed_indentation(const Feed *f, Span at);
/* foreign.c: `class P`, `func f`, where a session takes the first word for a name. */
bool foreign_begins_item(Feed *f, const Token *t);

bool is_opener(int kind);
int closer_of(int opener);
bool starts_item(int kind);      /* keywords that begin a declaration */
bool starts_statement(int kind); /* keywords that only begin statements */

void feed_tokens(Feed *f); /* parses to the end of the text */
void feed_begin(Feed *f, Compiler *c, Source *s);
Module *feed_end(Feed *f, bool *incomplete);
/* input.c: inserts VALUE or a `;` before the token `t`, at the top level of an input. */
void input_before(Feed *f, const Token *t);
/* At the start of a declaration in the words of another language. */
bool input_is_foreign(Feed *f, const Token *t);

/* syntax_error.c: reports the unexpected token, and returns how to continue. */
Repair syntax_error(Feed *f, Token *t);

/* mistakes.c: reports a common mistake with a specific message. false: it is none of them. */
bool common_mistake(Feed *f, Token *t, Repair *repair);
const char *text_of(const Feed *f, Span span); /* the text of the source */
const char *foreign_type(const Token *t);      /* foreign.c: the type of KDSL; NULL: the token is not a type */
const char *token_text(Feed *f, const Token *t); /* for messages: "`;`", "the end of the file" */

#endif
