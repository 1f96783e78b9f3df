/* mistakes.h -- private to parser/: shared by mistakes.c and foreign.c; tests of the parser's state by the tokens that
 * it accepts. */
#ifndef KDSL_MISTAKES_H
#define KDSL_MISTAKES_H

#include "parser/feed.h"

#include <string.h>

/* Recognises one kind of mistake. false: it is another one; true: it was reported, and *repair set if not
 * REPAIR_SKIP. */
typedef bool Mistake(Feed *f, Token *t, Repair *repair);

static inline bool is_name(const Token *t, const char *text) { return t->kind == TOK_ID && !strcmp(t->name, text); }
static inline bool touches(const Token *a, const Token *b) { return a->span.hi == b->span.lo; }
static inline bool at_statement(const Feed *f) { return feed_accepts(f, TOK_LET); }
static inline bool at_item(const Feed *f) { return !f->open.n && feed_accepts(f, TOK_STRUCT); }
static inline bool at_expression(const Feed *f) { return feed_accepts(f, TOK_INT) && feed_accepts(f, TOK_STR); }
static inline bool after_expression(const Feed *f) { return feed_accepts(f, TOK_STAR) && feed_accepts(f, TOK_OR); }
static inline bool at_type(const Feed *f) {
    return feed_accepts(f, TOK_AMP) && feed_accepts(f, TOK_LBRACKET) && !at_expression(f) && !after_expression(f);
}
static inline int innermost(const Feed *f) { return f->open.n ? f->open.at[f->open.n - 1].kind : 0; }

/* Tries *t again as a token of another kind. */
static inline bool retry_as(Token *t, int kind, Repair *repair) {
    t->kind = kind;
    *repair = REPAIR_RETRY;
    return true;
}

/* foreign.c: keywords and operators of other languages. */
extern Mistake foreign_type_before_name, foreign_word, foreign_item, foreign_sign, foreign_call, foreign_pointer,
    foreign_range, foreign_array, foreign_declaration, foreign_kernel, foreign_argument;

#endif
