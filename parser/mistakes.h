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

/* `end` at the end of a block: *repair closes it. */
extern Mistake foreign_end;

/* foreign_head.c: the heads of declarations and statements. */
extern Mistake foreign_head;

/* foreign_parameter.c: `double *x`, `x: double[]` */
extern Mistake foreign_parameter;
void note_loop(Feed *f, Diag *d, const Token *t); /* in the body that begins at `t`, of a kernel without a domain */

/* foreign_field.c: `double x, y;` in a struct, `-> double[]` */
extern Mistake foreign_field, foreign_type_of_array;

/* foreign_variable.c: `double *t = malloc(n * sizeof(double));` */
extern Mistake foreign_variable;
bool foreign_declared(Feed *f, const Token *start, const Token *t); /* from `start` on; at the error `t` */
/* `(double *)malloc(n * sizeof(double))`, of which `type` is the `double`: an array; NULL: it is something else. */
const char *foreign_memory(Feed *f, const Token *type, Span *whole);

/* foreign_statement.c: whole statements of other languages. */
extern Mistake foreign_statement, foreign_chosen, dotted_operator;
const char *foreign_loop(Feed *f, const Token *t, Span *whole); /* `(int i = 0; i < n; i++)` */
extern Mistake foreign_loop_of_go;
const char *foreign_array_of(Feed *f, const Token *t, const char *name, const char *type, Span *whole);
const char *zero_of(Feed *f, const char *type); /* 0 as a literal */
bool fix_assert(Feed *f, Diag *d, const Token *t);
void fix_launch(Feed *f, Diag *d, const Token *t);
void fix_domain(Feed *f, Diag *d, const Token *t);
void fix_fast(Feed *f, Diag *d, const Token *t);
void fix_shared(Feed *f, Diag *d, const Token *t);
void fix_constants(Feed *f, Diag *d, const Token *t);

/* foreign_value.c: values of other languages. */
void fix_shape(Feed *f, Diag *d, const Token *comma);
bool limit_of_type(Feed *f, Repair *repair);
bool parse_of_rust(Feed *f);

#endif
