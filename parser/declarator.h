/* declarator.h -- private to parser/: declarations as C, C++ and others write them, such as `const double *x`, read
 * from the text for the messages of foreign_parameter.c and foreign_variable.c.
 *
 * The tokens are read ahead of the parser by a second lexer, whose errors are dropped: the parser will report them. */
#ifndef KDSL_DECLARATOR_H
#define KDSL_DECLARATOR_H

#include "parser/mistakes.h"

enum { MAX_EXTENTS = 4 };

typedef struct Tokens {
    Token *at;
    int n;
} Tokens;

/* What is declared, and how. A type word may be followed by several declarators: `double *x, y`. */
typedef struct Declared {
    const char *type;   /* of one element, in KDSL; NULL: it is `auto` */
    const char *theirs; /* the word or words of the type */
    bool is_void, is_char, is_own; /* `void`; `char` without a sign; a type that is no word of C */
    bool is_const, is_reference, is_vector;
    bool is_slice, is_shape; /* `[f64]`; `[f64; n]` of KDSL */
    int n_pointers;
    Name name; /* NULL: none */
    const char *extents[MAX_EXTENTS]; /* of `[10][n]`; NULL: `[]`, or what a pointer does not tell */
    int n_extents;
    const char *mode; /* of a parameter of KDSL: "&", "&mut "; NULL: none is written */
    Span span;
} Declared;

Tokens tokens_of_item(Feed *f, uint32_t from);  /* from that byte on to the end of the declaration */
Tokens tokens_of_block(Feed *f, uint32_t from); /* to the end of the block */
bool tokens_name(const Tokens *p, int i);       /* an ID, or a soft keyword */
int tokens_at(const Tokens *p, uint32_t offset); /* index of the token that begins there; -1: none */
int tokens_kind(const Tokens *p, int i);
int tokens_find(const Tokens *p, int from, int kind); /* outside of brackets; p->n: none before these close */
const char *tokens_text(const Feed *f, const Tokens *p, int from, int to);

/* `const unsigned char`, `std::vector<double>`: the index after it, or -1. */
int declared_type(Feed *f, const Tokens *p, int at, Declared *d);
/* `*x`, `&x`, `x[10][n]`, `(*x)[10]`: the same. */
int declarator(Feed *f, const Tokens *p, int at, Declared *d);
/* `double[10]`, `*mut f64`, `[]f64`, `&[f64]`: a type after the `:` of a parameter. */
int declared_after_name(Feed *f, const Tokens *p, int at, Declared *d);

/* Passes the rest of `name: type` to the parser, which has the first tokens of it, or of what was written instead. */
void declared_complete(Feed *f, Name name);

/* How the statements from token `at` on use a variable. */
typedef struct Uses {
    bool is_assigned;      /* `x = 1`, `x++` */
    bool has_elements;     /* `x[i]` */
    bool writes_elements;  /* `x[i] = 1`, `*x = 1`, `x->f = 1`, or passed as `&mut` */
    bool is_pointer;       /* `*x`, `x->f` */
    bool is_passed;        /* as a whole, `f(x)` */
} Uses;
Uses uses_of(const Tokens *p, int at, Name name);

#endif
