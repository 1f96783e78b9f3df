/* fmt.h -- `kdslc fmt`: a source in the one style of the language, described in docs/format.md. Tokens and comments
 * stay as they are and in their order; only blanks, line ends and the commas that end lists change. */
#ifndef KDSL_FMT_H
#define KDSL_FMT_H

#include "parser/ast.h"

/* Lines of the source and what replaces them; lines count from 0, and a line ends with its line feed. */
typedef struct FmtEdit {
    int old_line, n_old, new_line, n_new;
} FmtEdit;

typedef Vec(int) FmtLines; /* where each line of a text starts, and where the last one ends */

typedef struct Formatted {
    Buf text; /* in heap memory: buf_free */
    Vec(FmtEdit) edits; /* in order; none: the source has this style */
    FmtLines old_lines, new_lines;
} Formatted;

/* The source must have no syntax errors; `m` is its tree, before sema. */
void fmt_source(Compiler *c, const Source *s, const Module *m, Formatted *out);

/* diff.c: appends what changes, in the unified format. */
void fmt_diff(const Source *s, const Formatted *to, Buf *out);

#endif
