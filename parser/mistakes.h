/* mistakes.h -- what mistakes.c and foreign.c share: where the parser stands, asked of the grammar itself. */
#ifndef KDSL_MISTAKES_H
#define KDSL_MISTAKES_H

#include "parser/feed.h"

#include <string.h>

/* One kind of mistake: false when it is not meant; else it has reported, and set *repair if not REPAIR_SKIP. */
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

/* *t is offered again, as another kind of token. */
static inline bool retry_as(Token *t, int kind, Repair *repair) {
    t->kind = kind;
    *repair = REPAIR_RETRY;
    return true;
}

/* foreign.c: the words and signs of other languages. */
extern Mistake foreign_type_before_name, foreign_word, foreign_item, foreign_sign, foreign_call, foreign_pointer,
    foreign_range, foreign_array, foreign_declaration, foreign_kernel, foreign_argument;

#endif
