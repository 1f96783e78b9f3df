/* heap.c -- the memory of arrays: 64-byte aligned (a cache line, and the widest vector), asked for in huge pages where
 * that pays. Contents are the caller's business: every way to make an array fills it. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/internal.h"

enum { ALIGN_BYTES = 64, HUGE_FROM_BYTES = 4 << 20 };

/* Advice, so a refusal is no error. Whole pages inside the block only: its ends share pages with other data. */
static void ask_for_huge_pages(char *at, size_t n_bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)at + page - 1) & -page, end = ((uintptr_t)at + n_bytes) & -page;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *kdsl_array_new(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place) {
    char shape[KDSL_SHAPE_BYTES];
    int64_t n_bytes = elem_bytes;
    int overflow = 0, empty = 0;
    for (int64_t d = 0; d < rank; d++) {
        if (extents[d] < 0)
            kdsl_fail(place, "an array cannot have a negative extent: %s", kdsl_shape_text(shape, rank, extents));
        empty |= extents[d] == 0;
    }
    for (int64_t d = 0; d < rank && !empty; d++) overflow |= __builtin_mul_overflow(n_bytes, extents[d], &n_bytes);
    if (empty) n_bytes = 0;
    void *at = NULL;
    size_t room = n_bytes > 0 ? (size_t)n_bytes : ALIGN_BYTES; /* an empty array has an address of its own, too */
    if (overflow || posix_memalign(&at, ALIGN_BYTES, room))
        kdsl_fail(place, "no memory for an array %s of %lld-byte elements", kdsl_shape_text(shape, rank, extents),
                  (long long)elem_bytes);
    if (n_bytes >= HUGE_FROM_BYTES) ask_for_huge_pages(at, (size_t)n_bytes);
    return at;
}

void kdsl_array_free(void *data) { free(data); }
