/* text.c -- print and format: a line is built piece by piece in a growing buffer, then written in one call. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/value.h"

static struct {
    char *at;
    size_t n, cap;
} line;

static void *need_memory(void *at) {
    if (!at) kdsl_fail(NULL, "out of memory for a text");
    return at;
}

/* Room for n more bytes. */
static char *line_room(size_t n) {
    if (line.cap - line.n < n) {
        size_t cap = line.cap + line.cap / 2 + n + 128;
        line.at = need_memory(realloc(line.at, cap));
        line.cap = cap;
    }
    return line.at + line.n;
}

static void put(const char *at, size_t n) {
    if (!n) return;
    memcpy(line_room(n), at, n);
    line.n += n;
}

static void put_to_line(void *to, const char *at, size_t n) {
    (void)to;
    put(at, n);
}

static const KdslSink line_sink = {put_to_line, NULL};

void kdsl_text_bytes(const char *at, int64_t n) { put(at, (size_t)n); }

void kdsl_text_str(const char *s, int32_t width, int32_t align) {
    kdsl_put_str(&line_sink, s, strlen(s), width, align);
}

void kdsl_text_bool(int32_t v, int32_t width, int32_t align) { kdsl_text_str(v ? "true" : "false", width, align); }

void kdsl_text_u64(uint64_t v, int32_t width, int32_t align, int32_t zero, int32_t style) {
    const KdslSpec spec = {width, -1, align, zero, style};
    kdsl_put_u64(&line_sink, v, &spec);
}

void kdsl_text_i64(int64_t v, int32_t bits, int32_t width, int32_t align, int32_t zero, int32_t style) {
    const KdslSpec spec = {width, -1, align, zero, style};
    kdsl_put_i64(&line_sink, v, bits, &spec);
}

void kdsl_text_f64(double v, int32_t bits, int32_t width, int32_t precision, int32_t align, int32_t zero,
                   int32_t style) {
    const KdslSpec spec = {width, precision, align, zero, style};
    kdsl_put_f64(&line_sink, v, bits, &spec);
}

/* Arrays and structs ----------------------------------------------------------------------------------------------- */

typedef struct Grown {
    char *at;
    size_t n, cap;
} Grown;

static void put_to_grown(void *to, const char *at, size_t n) {
    Grown *g = to;
    if (g->cap - g->n <= n) g->at = need_memory(realloc(g->at, g->cap = g->cap + g->cap / 2 + n + 128));
    memcpy(g->at + g->n, at, n);
    g->at[g->n += n] = '\0';
}

const char *kdsl_value_text(const char *type, const void *at, int32_t width, int32_t precision, int32_t align,
                            int32_t zero, int32_t style) {
    Grown g = {0};
    const KdslSink to = {put_to_grown, &g};
    const KdslSpec spec = {width, precision, align, zero, style};
    KdslLook look = {.columns = KDSL_LINE_COLUMNS};
    kdsl_put_value(&to, type, at, &spec, &look);
    return g.at;
}

void kdsl_value_text_end(const char *text) { free((void *)(uintptr_t)text); }

/* The end of a piece of text --------------------------------------------------------------------------------------- */
void kdsl_text_print(void) {
    put("\n", 1);
    errno = 0;
    if (fwrite(line.at, 1, line.n, stdout) != line.n) kdsl_output_failed(errno);
    line.n = 0;
}

const char *kdsl_text_format(void) {
    put("", 1);
    char *text = need_memory(malloc(line.n));
    memcpy(text, line.at, line.n);
    line.n = 0;
    return text;
}

void kdsl_text_assert(const char *place) {
    put("", 1);
    line.n = 0;
    kdsl_fail(place, "%s", line.at);
}

void kdsl_text_reset(void) { line.n = 0; }
