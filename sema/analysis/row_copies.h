/* row_copies.h -- array copying (Temam, Granston and Jalby, To copy or not to copy, 1993): rows of constant length that
 * an item reads again and again. As vectors of items read them, the elements of one access are as far apart as the
 * rows; copied to an array of the item, which the vectoriser interleaves, they are side by side. */
#ifndef KDSL_ROW_COPIES_H
#define KDSL_ROW_COPIES_H

#include "sema/sema.h"

typedef struct RowCopy {
    const Symbol *array; /* a parameter that is only read */
    const Stmt *loop;    /* of the item's body, not under a condition: the row is copied before it */
    const Expr *access;  /* one of the accesses: its first `lead` indices are those of the item, the same in all */
    int lead;
    int64_t n; /* elements: of the dimensions after these */
} RowCopy;

typedef struct CopiedAccess {
    const Expr *access;
    int copy;
} CopiedAccess;

typedef struct RowCopies {
    Vec(RowCopy) copies;
    Vec(CopiedAccess) accesses;
} RowCopies;

/* false: the kernel has no such rows. */
bool kernel_copies_rows(Arena *arena, const Func *kernel, RowCopies *out);

#endif
