/* base.h -- the ground every room stands on: spans, arenas, interned names, vectors.
 *
 * Memory: one Arena per compilation; no pass ever frees. Out of memory ends the process in one place
 * (arena_alloc), so no caller checks. Names are interned: equality is ==. */
#ifndef KDSL_BASE_H
#define KDSL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half-open range of byte offsets into the SourceMap's single offset space: one number says file and place.
 * {0, 0} is "no place": the first file starts at offset 1. */
typedef struct Span {
    uint32_t lo, hi;
} Span;

static inline Span span_join(Span a, Span b) {
    if (!a.hi) return b;
    if (!b.hi) return a;
    return (Span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* arena.c ---------------------------------------------------------------------------------------------------- */
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *chunks;
    char *next, *limit;
    size_t total_bytes;
} Arena;

/* Zeroed memory, aligned to 16 bytes, alive until arena_free. Never NULL. */
void *arena_alloc(Arena *a, size_t size_bytes);
/* NUL-terminated copy of text[0..n). */
char *arena_strndup(Arena *a, const char *text, size_t n);
char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *format, va_list ap);
void arena_free(Arena *a);

#define arena_new(arena, T) ((T *)arena_alloc((arena), sizeof(T)))
#define arena_array(arena, T, n) ((T *)arena_alloc((arena), sizeof(T) * (size_t)(n)))

/* Growable array in an arena: `Vec(Expr *) v = {0}; vec_push(arena, &v, e); v.at[0], v.n`. */
#define Vec(T)                                                                                                         \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        int n, cap;                                                                                                    \
    }
#define vec_push(arena, v, x)                                                                                          \
    ((v)->n == (v)->cap                                                                                                \
         ? (void)((v)->at = vec_grow((arena), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at))                            \
         : (void)0,                                                                                                    \
     (v)->at[(v)->n++] = (x))
void *vec_grow(Arena *a, void *at, int n, int *cap, size_t elem_bytes);

/* Growable text, for dumps and messages. Owns heap memory: buf_free. `at` is always NUL-terminated once written. */
typedef struct Buf {
    char *at;
    size_t n, cap;
} Buf;
void buf_add(Buf *b, const void *bytes, size_t n);
void buf_puts(Buf *b, const char *text);
void buf_putc(Buf *b, char c);
void buf_printf(Buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_free(Buf *b);

/* intern.c --------------------------------------------------------------------------------------------------- */
typedef const char *Name; /* interned and NUL-terminated: compare with == */
typedef struct Interner {
    Arena *arena;
    struct InternSlot *slots;
    uint32_t n, cap;
} Interner;
Name name_intern(Interner *in, const char *text, size_t n);
Name name_of(Interner *in, const char *text); /* from a C string */
void interner_free(Interner *in);

/* Edit distance (insert, delete, change, swap neighbours), capped: anything beyond `cap` returns cap + 1. The same
 * letters in other cases (`pi` for `PI`) are one change. */
int edit_distance(const char *a, const char *b, int cap);

/* source.c --------------------------------------------------------------------------------------------------- */
typedef struct Source {
    const char *path; /* as the user wrote it */
    const char *text; /* text[n] is NUL; the text may hold NULs before that */
    uint32_t n, base; /* spans of this file are base .. base + n */
    uint32_t *line_starts;
    int n_lines; /* filled on first use */
} Source;

typedef struct SourceMap {
    Arena *arena;
    Vec(Source *) files;
    uint32_t next_base;
} SourceMap;

typedef struct Place {
    const Source *file; /* NULL for the null span */
    int line, col;      /* from 1; col counts bytes */
} Place;

/* Read a file ("-" is standard input), strip a byte order mark. On failure returns NULL and *why says it in words. */
typedef enum SourceKind { SOURCE_ANY, SOURCE_FILE } SourceKind; /* a pipe or a device, too; a regular file only */
Source *source_read(SourceMap *m, const char *path, SourceKind kind, const char **why);
Source *source_add(SourceMap *m, const char *path, const char *text, size_t n); /* NULL: over 1 GiB in all */
Place source_place(SourceMap *m, uint32_t offset);
/* Bytes of `line` (from 1), without its line end. */
const char *source_line(const Source *s, int line, int *n);

/* diag.c ----------------------------------------------------------------------------------------------------- */
typedef enum DiagCode {
    DIAG_NONE,
#define DIAG(code, severity, help) code,
#include "base/diag.def"
#undef DIAG
    DIAG__COUNT
} DiagCode;

typedef enum Severity { SEV_ERROR, SEV_WARNING, SEV_NOTE } Severity;

typedef struct DiagNote {
    Span span;
    const char *text;
    const char *fix; /* replacement text for `span`, or NULL */
} DiagNote;

typedef struct Diag {
    DiagCode code;
    Severity severity;
    Span span;
    const char *text;
    Vec(DiagNote) notes;
} Diag;

typedef struct Diags {
    Arena *arena;
    SourceMap *sources;
    Vec(Diag *) list;
    int n_errors, n_warnings;
    bool too_many; /* errors past DIAG_MAX_ERRORS are counted, not kept */
} Diags;

enum { DIAG_MAX_ERRORS = 20 };

/* The compilation's context: what every pass needs and nothing of any pass. Two of them live side by side. */
typedef struct Compiler {
    Arena arena;
    Interner names;
    SourceMap sources;
    Diags diags;
} Compiler;

void compiler_init(Compiler *c);
void compiler_free(Compiler *c);

/* Report at `span`. Severity comes from diag.def. The text is in the user's words, names in `backquotes`.
 * Never returns NULL; a second error with the same code at the same place is dropped. */
Diag *diag(Compiler *c, DiagCode code, Span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
void diag_note(Compiler *c, Diag *d, Span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A note that also carries the text to put in place of `span` (an empty span inserts). */
void diag_fix(Compiler *c, Diag *d, Span span, const char *replacement, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const char *diag_code_name(DiagCode code); /* "E0307" */
const char *diag_help(DiagCode code);      /* the one-line explanation of diag.def */

/* All diagnostics in source order, with source line and caret, into `out`. */
void diags_print(Compiler *c, Buf *out, bool colour);

/* A broken invariant of ours: print where and what to report, then abort. */
_Noreturn void ice(Compiler *c, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
