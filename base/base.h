/* base.h -- what all parts of the compiler use: spans, arenas, interned names, vectors, source files, diagnostics.
 *
 * Memory: each compilation has one Arena; no pass frees memory. If there is no memory left, arena_alloc ends the
 * process, so callers need not check. Names are interned: equal names have equal pointers. */
#ifndef KDSL_BASE_H
#define KDSL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half-open range of byte offsets. All files of the SourceMap share one range of offsets, so an offset identifies file
 * and position. {0, 0} is no location: the first file starts at offset 1. */
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

/* Returns zeroed memory, aligned to 16 bytes, valid until arena_free; never NULL. */
void *arena_alloc(Arena *a, size_t size_bytes);
/* NUL-terminated copy of text[0..n). */
char *arena_strndup(Arena *a, const char *text, size_t n);
/* Formatted text, NUL-terminated. */
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

/* Growable text, for dumps and messages, in heap memory that buf_free frees. `at` is NULL at first, then always
 * NUL-terminated. */
typedef struct Buf {
    char *at;
    size_t n, cap;
} Buf;
void buf_add(Buf *b, const void *bytes, size_t n);
void buf_puts(Buf *b, const char *text);
void buf_putc(Buf *b, char c);
void buf_printf(Buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_base64(Buf *b, const void *bytes, size_t n); /* appends them, coded (RFC 4648) */
void buf_free(Buf *b);

/* intern.c --------------------------------------------------------------------------------------------------- */
typedef const char *Name; /* interned and NUL-terminated: compare with == */
typedef struct Interner {
    Arena *arena;
    struct InternSlot *slots;
    uint32_t n, cap;
} Interner;
Name name_intern(Interner *in, const char *text, size_t n); /* text[0..n) */
Name name_of(Interner *in, const char *text); /* from a C string */
void interner_free(Interner *in);

/* Optimal string alignment distance (insert, delete, change, swap adjacent characters); more than `cap` returns cap +
 * 1. Names that differ in case and underscores only (`pi` for `PI`) have distance 1. */
int edit_distance(const char *a, const char *b, int cap);

/* source.c --------------------------------------------------------------------------------------------------- */
typedef struct Source {
    const char *path; /* as the user wrote it */
    const char *text; /* text[n] is NUL; the text may hold NULs before that */
    uint32_t n, base; /* spans of this file are in base .. base + n */
    uint32_t *line_starts;
    int n_lines; /* computed on first use */
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

/* Reads a file ("-" is standard input) without its byte order mark. After a failure returns NULL and sets *why to the
 * reason. */
typedef enum SourceKind { SOURCE_ANY, SOURCE_FILE } SourceKind; /* ANY: pipes and devices, too */
Source *source_read(SourceMap *m, const char *path, SourceKind kind, const char **why);
Source *source_add(SourceMap *m, const char *path, const char *text, size_t n); /* NULL: more than 1 GiB in all */
Place source_place(SourceMap *m, uint32_t offset); /* file NULL: the offset is in no file */
/* The bytes of `line` (from 1), without its line end; not NUL-terminated. */
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
    bool too_many; /* errors after DIAG_MAX_ERRORS are counted, not stored */
} Diags;

enum { DIAG_MAX_ERRORS = 20 };

/* The context of a compilation: what all passes share. A process may have several. */
typedef struct Compiler {
    Arena arena;
    Interner names;
    SourceMap sources;
    Diags diags;
} Compiler;

void compiler_init(Compiler *c);
void compiler_free(Compiler *c);

/* Reports a diagnostic at `span`; diag.def has its severity. The text uses the words of the language's reference, with
 * names in `backquotes`. Never returns NULL; a second diagnostic with the same code at the same location is dropped. */
Diag *diag(Compiler *c, DiagCode code, Span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
void diag_note(Compiler *c, Diag *d, Span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds a note with a replacement for the text of `span` (an empty span inserts). */
void diag_fix(Compiler *c, Diag *d, Span span, const char *replacement, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const char *diag_code_name(DiagCode code); /* "E0307" */
const char *diag_help(DiagCode code);      /* the one-line explanation of diag.def */

/* Appends all diagnostics to `out` in source order, with source line and caret. */
void diags_print(Compiler *c, Buf *out, bool colour);

/* Appends a failure of a program that the interpreter runs, as compiled programs print it (runtime/excerpt.c). note: ""
 * for none. */
/* library: no span, or where in the standard library that was, while `span` is the program's. */
void diag_failure(Compiler *c, Span span, Span library, const char *message, const char *note, Buf *out, bool colour);
/* What the n bytes from there on are, up to the end of the line. */
const char *source_marked(Arena *a, Place at, uint32_t n);

/* Internal compiler error, an invariant that does not hold: prints the location and how to report it, then aborts. */
_Noreturn void ice(Compiler *c, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
