/* marks.h -- names of metadata and attributes by which the language's code passes what it knows to the passes over
 * LLVM IR (simd/, passes/). */
#ifndef KDSL_LANG_MARKS_H
#define KDSL_LANG_MARKS_H

/* Functions without a body. */
#define CG_GROUP_MEMORY "kdsl.group.memory" /* memory that a group's items share or keep, else it would be each
                                             * item's */
#define CG_AHEAD "kdsl.ahead"   /* void (address, CgAhead): what is read there soon may be prefetched */
#define CG_BY_CODE                                                                                                     \
    "kdsl.by.code"              /* i64 (a, b) in a kernel's entry: a where its items have become vector code, else b */
#define CG_EXTENT "kdsl.extent" /* void (array, its bytes): at the beginning of a kernel, of arrays it may write */
#define CG_UPDATE "kdsl.update." /* functions of atomic updates, in modules with vector code: then operation and type */
#define CG_READ "read" /* an operation that changes nothing */
#define CG_WRITE "write"  /* one that does not ask for the old value, or need it */
#define CG_ALONE ".alone" /* end of their names: of memory that only this thread reads and writes meanwhile */

/* String attributes. */
#define CG_NESTS "kdsl-nests" /* of a function with loops over items, while they are vectorised */
/* Of functions that had loops over items: all are vector code; some are not. */
#define CG_VECTOR "kdsl-vector"
#define CG_SCALAR "kdsl-scalar"
#define CG_LAUNCH "kdsl-launch" /* of a function that runs once for each launch, or for each of its threads */
/* Of a function that is called for chunks of a few rows each (a dynamic schedule): most are a multiple of so many. */
#define CG_CHUNKS "kdsl-chunks"
#define CG_CHUNK_ROWS 8
#define CG_AXES "kdsl-axes" /* of a kernel whose axes were interchanged; its value: their names, the fastest last */
enum { CG_STRIP_ITEMS = 16 };             /* executed part by part (loop fission) */
#define CG_DISTRIBUTED "kdsl-distributed" /* of a kernel with loops cut off; its value: their variables */
#define CG_COPIED "kdsl-copied"       /* of a kernel whose items copy rows of arrays; its value: the arrays' names */
#define CG_COLLAPSED "kdsl-collapsed" /* of a kernel whose loop became an axis; its value: the loop's variable */
#define CG_SHORT_AXIS                                                                                                  \
    "kdsl-short-axis" /* of a kernel whose fastest axes are loops of its items; its value: their names */
#define CG_FLATTENED "kdsl-flattened" /* of a kernel with axes that run as one; its value: their names */
#define CG_FLAT "kdsl-flat" /* of a kernel whose first nest runs a domain in rows; its value: their explanation */
/* Of a function whose arrays have at most so many elements, and whose addresses are computed in 32 bits. */
#define CG_NARROW "kdsl-narrow"
#define CG_NARROW_ELEMENTS (INT32_MAX - 65535)
#define CG_FAST "kdsl-fast" /* of a function in the fast mode, until its instructions have their flags */
#define CG_KEPT_CALL "kdsl-kept-call" /* of a function that is not inlined; its value: the function's name */
/* For the check of barriers: marks a parameter that does not affect the result of a function (the position of the work
 * item, for reports and prints), and a function whose result may differ for equal arguments. */
#define CG_REPORTED "kdsl-reported"
#define CG_DIFFERS "kdsl-differs"

/* Metadata of the back edge of a loop that LLVM is to unroll completely: the number of its iterations. */
#define CG_COPIES "kdsl.copies"

/* Metadata of loops, beside LLVM's that forbids to unroll them: nobody else may do so either. */
#define CG_ROLLED "kdsl.rolled"

/* Metadata of loops whose counter begins below the end with which it is compared, without a sign or with one, and does
 * not pass it. */
#define CG_ORDERED "kdsl.ordered"
#define CG_ORDERED_BY_SIGN "kdsl.ordered.by.sign"

/* Metadata of a branch that only asks whether a loop runs at all. */
#define CG_RUNS "kdsl.runs"

/* Metadata of the instruction by which an item of a GPU takes the error slot, to report a failed check. */
#define CG_REPORT "kdsl.report"

/* Prefix of the names of variables to which an item writes a value other than 0 only if it will end at the next
 * barrier of its group: after the barrier, the variables of all remaining items are 0. */
#define CG_FAILED "kdsl.failed"

#endif
