/* arena.c -- arena allocation: objects are never freed one by one, but all at once. Also growable text (Buf).
 *
 * Small objects share chunks, whose sizes double up to CHUNK_MAX_BYTES; a large object gets a chunk of its own, so that
 * no chunk is left half empty. Only this file handles a lack of memory: it ends the process. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN_BYTES = 16 << 10, CHUNK_MAX_BYTES = 1 << 20, ALIGN_BYTES = 16 };

struct ArenaChunk {
    ArenaChunk *next;
    size_t size_bytes;
};

static _Noreturn void out_of_memory(void) {
    fputs("kdslc: error[E1001]: out of memory\n", stderr);
    exit(1);
}

/* calloc returns zeroed chunks (large ones are the kernel's zero pages), so arena_alloc need not clear memory. */
static char *chunk_new(Arena *a, size_t size_bytes) {
    size_t header_bytes = (sizeof(ArenaChunk) + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    ArenaChunk *chunk = calloc(1, header_bytes + size_bytes);
    if (!chunk) out_of_memory();
    chunk->next = a->chunks;
    chunk->size_bytes = size_bytes;
    a->chunks = chunk;
    a->total_bytes += size_bytes;
    return (char *)chunk + header_bytes;
}

void *arena_alloc(Arena *a, size_t size_bytes) {
    if (size_bytes > SIZE_MAX / 2) out_of_memory();
    size_bytes = (size_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (size_bytes > CHUNK_MAX_BYTES / 4) return chunk_new(a, size_bytes);
    if ((size_t)(a->limit - a->next) < size_bytes) {
        size_t chunk_bytes = a->total_bytes < CHUNK_MIN_BYTES ? CHUNK_MIN_BYTES : a->total_bytes;
        if (chunk_bytes > CHUNK_MAX_BYTES) chunk_bytes = CHUNK_MAX_BYTES;
        if (chunk_bytes < size_bytes) chunk_bytes = size_bytes;
        a->next = chunk_new(a, chunk_bytes);
        a->limit = a->next + chunk_bytes;
    }
    void *at = a->next;
    a->next += size_bytes;
    return at;
}

char *arena_strndup(Arena *a, const char *text, size_t n) {
    char *copy = arena_alloc(a, n + 1);
    if (n) memcpy(copy, text, n);
    return copy;
}

char *arena_vprintf(Arena *a, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    char *text = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(Arena *a, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *text = arena_vprintf(a, format, ap);
    va_end(ap);
    return text;
}

void arena_free(Arena *a) {
    for (ArenaChunk *chunk = a->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *a = (Arena){0};
}

void *vec_grow(Arena *a, void *at, int n, int *cap, size_t elem_bytes) {
    int grown = *cap ? *cap * 2 : 4;
    void *moved = arena_alloc(a, (size_t)grown * elem_bytes);
    if (n) memcpy(moved, at, (size_t)n * elem_bytes);
    *cap = grown;
    return moved;
}

/* Ensures capacity for n more bytes and the final NUL. */
static void buf_reserve(Buf *b, size_t n) {
    if (b->cap - b->n > n) return;
    size_t cap = b->cap ? b->cap : 256;
    while (cap - b->n <= n) cap *= 2;
    char *at = realloc(b->at, cap);
    if (!at) out_of_memory();
    b->at = at;
    b->cap = cap;
}

void buf_add(Buf *b, const void *bytes, size_t n) {
    buf_reserve(b, n);
    if (n) memcpy(b->at + b->n, bytes, n);
    b->n += n;
    b->at[b->n] = 0;
}

void buf_puts(Buf *b, const char *text) { buf_add(b, text, strlen(text)); }
void buf_putc(Buf *b, char c) { buf_add(b, &c, 1); }

void buf_printf(Buf *b, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n > 0) {
        buf_reserve(b, (size_t)n);
        vsnprintf(b->at + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_base64(Buf *b, const void *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i += 3) {
        unsigned three =
            (unsigned)at[i] << 16 | (i + 1 < n ? (unsigned)at[i + 1] << 8 : 0) | (i + 2 < n ? at[i + 2] : 0);
        for (int d = 0; d < 4; d++) buf_putc(b, (size_t)d > n - i ? '=' : digits[three >> (18 - 6 * d) & 63]);
    }
}

void buf_free(Buf *b) {
    free(b->at);
    *b = (Buf){0};
}
