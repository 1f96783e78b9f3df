/* feed.h -- what parser.c (the loop) and syntax_error.c (the messages) share. Nobody outside includes it.
 *
 * Every token is offered to the grammar first (grammar_accepts, exact), so an error is seen before the parser's state
 * has moved: the messages can look around, and a repaired text can go on as if it had been right. */
#ifndef KDSL_FEED_H
#define KDSL_FEED_H

#include "parser/ast_build.h"

enum { PARSER_MAX_STACK = 4096 }; /* entries; a level of nesting takes about ten */

typedef struct Feed {
    Parser p;
    Compiler *c;
    Lexer lexer;
    void *yy;
    Token prev, prev2;    /* the last two tokens fed */
    Token first;          /* the first one of this statement */
    Vec(Token) ahead;     /* read but not yet fed; the next one last */
    Vec(Token) open;      /* brackets on the parser's stack */
    Token suspect;        /* the first brace of this item that was closed by a `}` indented less than it */
    bool quiet;           /* the lexer has spoken: the next error of this statement is a consequence */
    bool gave_up, incomplete;
    bool is_input, has_value; /* input.c; the expression at the end of the input has begun */
} Feed;

/* What to do about a token that cannot stand where it is. */
typedef enum Repair {
    REPAIR_SKIP,   /* give up the statement or item; start over behind it */
    REPAIR_RETRY,  /* *t was changed, or tokens were fed: offer it again */
    REPAIR_DROP,   /* go on without it */
    REPAIR_CLOSE,  /* close all open brackets, then offer it again */
    REPAIR_NESTED, /* as SKIP, and over a whole declaration that begins with it */
} Repair;

/* parser.c */
Token feed_peek(Feed *f);
Token feed_take(Feed *f);
void feed_unread(Feed *f, Token t);
void feed_push(Feed *f, Token t);
bool feed_accepts(const Feed *f, int kind);
/* A token that is not in the text, just behind the last one. */
Token feed_invent(const Feed *f, int kind);
/* Blanks before the first token of the line that holds `at`. */
int feed_indentation(const Feed *f, Span at);
bool is_opener(int kind);
int closer_of(int opener);
bool starts_item(int kind);      /* words that begin a declaration */
bool starts_statement(int kind); /* words that begin a statement and nothing else */

void feed_tokens(Feed *f); /* to the end of the text */
void feed_begin(Feed *f, Compiler *c, Source *s);
Module *feed_end(Feed *f, bool *incomplete);
/* input.c: before `t`, at the top of an input. */
void input_before(Feed *f, const Token *t);

/* syntax_error.c: report it, and say how to go on. */
Repair syntax_error(Feed *f, Token *t);

/* mistakes.c: the common mistakes, each with a message of its own. False: none of them. */
bool common_mistake(Feed *f, Token *t, Repair *repair);
const char *token_text(Feed *f, const Token *t); /* as a message shows it: "`;`", "the end of the file" */

#endif
