/* heap.c -- allocation of arrays: aligned to 64 bytes (a cache line, and the widest vector), in huge pages where that
 * pays; the CPU device works in them. Memory is not initialised, as whatever makes an array fills it, or it is zero:
 * then pages that are new need no filling, and whoever first uses one gets it, each thread of a kernel its own.
 *
 * Functions that are called again and again allocate the same arrays each time. Large memory that malloc gives back to
 * the system comes again page by page, each with a fault, so some of it is kept for the next array of about that size.
 *
 * A header precedes each array. During a call of an exported function the blocks of the call form a list, so that a
 * failed call frees what it has allocated; in programs, which end on failure, there is no list. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

enum { ALIGN_BYTES = 64, HUGE_PAGE = 2 << 20, HUGE_FROM_BYTES = 4 << 20 };

/* Advice, so a refusal is no error. Whole pages inside the block only: its end shares a page with other data. */
static void ask_for_huge_pages(char *at, size_t n_bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = ((uintptr_t)at + n_bytes) & -page;
    madvise(at, end - (uintptr_t)at, MADV_HUGEPAGE);
}

/* The list: each block knows what points to it, so that it can leave from anywhere. */
struct KdslBlock {
    KdslBlock *next, **link; /* link NULL: in no list */
    KdslBlock *next_large;
    int64_t n_bytes; /* of the array */
    int64_t skew;    /* bytes before the head that belong to the block */
};
_Static_assert(sizeof(KdslBlock) <= ALIGN_BYTES, "the head of a block fits in front of its array");

static _Thread_local KdslBlock *blocks;
static _Thread_local bool keeps_list;

/* What malloc knows it by. */
static void *start_of(const KdslBlock *b) { return (char *)b - b->skew; }

/* Cache colouring: large arrays begin at different offsets in their pages. If all began at the same one, elements with
 * the same index would map to the same cache sets, and loads would suffer from 4K aliasing with stores to other
 * arrays. */
static size_t next_skew(void) {
    enum { STEP = 9 * ALIGN_BYTES, N_STEPS = 7 }; /* the offsets, modulo a page, are at least half a KiB apart */
    static unsigned n;
    return __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED) % N_STEPS * STEP;
}

static void enter(KdslBlock *b, int64_t n_bytes, size_t skew) {
    *b = (KdslBlock){.n_bytes = n_bytes, .skew = (int64_t)skew};
    if (!keeps_list) return;
    b->next = blocks;
    b->link = &blocks;
    if (blocks) blocks->link = &b->next;
    blocks = b;
}

static void unlist(KdslBlock *b) {
    if (!b->link) return;
    *b->link = b->next;
    if (b->next) b->next->link = b->link;
}

/* Large blocks are known, as a few of many, for pinning. */
static pthread_mutex_t large_lock = PTHREAD_MUTEX_INITIALIZER;
static KdslBlock *large;

static bool is_large(const KdslBlock *b) { return b->n_bytes >= KDSL_LARGE_FROM_BYTES; }

static void enter_large(KdslBlock *b) {
    pthread_mutex_lock(&large_lock);
    b->next_large = large;
    large = b;
    pthread_mutex_unlock(&large_lock);
}

static void leave_large(KdslBlock *b) {
    pthread_mutex_lock(&large_lock);
    KdslBlock **at = &large;
    while (*at != b) at = &(*at)->next_large;
    *at = b->next_large;
    pthread_mutex_unlock(&large_lock);
}

/* Is the block a mapping of its own, as most large blocks of malloc are? glibc marks it in the second bit of the word
 * before the block (malloc/malloc.c, IS_MMAPPED). */
static bool has_own_pages(const KdslBlock *b) { return ((const size_t *)start_of(b))[-1] & 2; }

bool kdsl_is_large_array(const char *at, int64_t n_bytes) {
    pthread_mutex_lock(&large_lock);
    const KdslBlock *b = large;
    while (b && ((const char *)b + ALIGN_BYTES != at || b->n_bytes != n_bytes)) b = b->next_large;
    bool found = b && has_own_pages(b);
    pthread_mutex_unlock(&large_lock);
    return found;
}

KDSL_RT void (*kdsl_forget_freed)(void *at, size_t n_bytes) = NULL;

/* Kept memory: what was freed last comes first. */
enum { MOST_KEPT = 16, KEEP_FROM_BYTES = 128 << 10, KEEP_BYTES = 128 << 20, MORE_BY = 8 };
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept[MOST_KEPT];
static int n_kept;
static size_t kept_bytes;

/* Not for tools that look for what is done to memory after it was freed. */
static bool keeps;

static void decide(void) {
    const char *how = getenv("KDSL_KEEP"), *preloaded = getenv("LD_PRELOAD");
    bool is_watched = dlsym(RTLD_DEFAULT, "__asan_init") || (preloaded && strstr(preloaded, "vgpreload"));
    keeps = !is_watched && !(how && !strcmp(how, "off"));
}

static bool is_worth_keeping(size_t n_bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, decide);
    return keeps && n_bytes >= KEEP_FROM_BYTES && n_bytes <= KEEP_BYTES / 2;
}

static void *take_kept(int i) {
    void *start = kept[i];
    kept_bytes -= malloc_usable_size(start);
    memmove(kept + i, kept + i + 1, sizeof *kept * (size_t)(--n_kept - i));
    return start;
}

static void keep(void *start) {
    size_t n_bytes = malloc_usable_size(start);
    if (!is_worth_keeping(n_bytes)) {
        free(start);
        return;
    }
    pthread_mutex_lock(&kept_lock);
    while (n_kept == MOST_KEPT || (n_kept && kept_bytes + n_bytes > KEEP_BYTES)) free(take_kept(n_kept - 1));
    memmove(kept + 1, kept, sizeof *kept * (size_t)n_kept++);
    kept[0] = start;
    kept_bytes += n_bytes;
    pthread_mutex_unlock(&kept_lock);
}

/* Kept memory of so many bytes, or an eighth more at most; NULL: there is none. */
static void *kept_memory(size_t n_bytes) {
    void *found = NULL;
    if (!is_worth_keeping(n_bytes)) return NULL;
    pthread_mutex_lock(&kept_lock);
    for (int i = 0; i < n_kept && !found; i++) {
        size_t has = malloc_usable_size(kept[i]);
        if (has >= n_bytes && has - n_bytes <= n_bytes / MORE_BY) found = take_kept(i);
    }
    pthread_mutex_unlock(&kept_lock);
    return found;
}

static bool free_kept(void) {
    pthread_mutex_lock(&kept_lock);
    bool any = n_kept > 0;
    while (n_kept) free(take_kept(n_kept - 1));
    pthread_mutex_unlock(&kept_lock);
    return any;
}

/* Nothing is left to do with it (kdsl_settle). */
static void give_back(KdslBlock *b) {
    void *start = start_of(b);
    if (kdsl_forget_freed) kdsl_forget_freed(start, malloc_usable_size(start));
    if (is_large(b)) leave_large(b);
    keep(start);
}

/* A nested call has its own list; the list of the outer call is saved. */
KdslBlocks kdsl_blocks_begin(void) {
    KdslBlocks outer = {blocks, keeps_list};
    blocks = NULL;
    keeps_list = true;
    return outer;
}

void kdsl_blocks_end(KdslBlocks outer, int free_all) {
    if (free_all) kdsl_settle();
    while (free_all && blocks) {
        KdslBlock *b = blocks;
        blocks = b->next;
        give_back(b);
    }
    blocks = outer.first;
    keeps_list = outer.keeps_list;
}

void kdsl_blocks_keep(void *data) {
    KdslBlock *b = (KdslBlock *)((char *)data - ALIGN_BYTES);
    if (!data) return;
    unlist(b);
    b->link = NULL;
}

static _Noreturn void no_memory(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place) {
    char text[FAILURE_BYTES], shape[KDSL_SHAPE_BYTES];
    const FailedArray a = {.shape = kdsl_shape_text(shape, rank, extents), .rank = rank, .extents = extents};
    kdsl_fail(place, "%s", failure_memory(text, &a, elem_bytes));
}

/* calloc knows which memory is new from the system, but not of alignment; and pages that posix_memalign has cut out of
 * more go back to the system when they are freed, to come back one by one. */
static void *new_memory(size_t align, size_t room, bool is_zero) {
    void *start = NULL;
    size_t as_any_other = is_worth_keeping(room) ? align : 0; /* it may become one of another alignment */
    if (!is_zero && align < HUGE_PAGE) return posix_memalign(&start, align, room + as_any_other) ? NULL : start;
    return is_zero ? calloc(1, room + align) : malloc(room + align);
}

static void *memory(size_t align, size_t room, bool is_zero) {
    size_t most;
    if (__builtin_add_overflow(room, align, &most)) return NULL;
    void *start = kept_memory(most);
    if (start && is_zero) memset(start, 0, most);
    if (!start) start = new_memory(align, room, is_zero);
    if (!start && free_kept()) start = new_memory(align, room, is_zero);
    return start;
}

static void *array_of(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place, bool is_zero) {
    char shape[KDSL_SHAPE_BYTES];
    int64_t n_bytes = elem_bytes;
    int overflow = 0, empty = 0;
    for (int64_t d = 0; d < rank; d++) {
        if (extents[d] < 0) kdsl_fail(place, FAILURE_EXTENT, kdsl_shape_text(shape, rank, extents));
        empty |= extents[d] == 0;
    }
    for (int64_t d = 0; d < rank && !empty; d++) overflow |= __builtin_mul_overflow(n_bytes, extents[d], &n_bytes);
    if (empty) n_bytes = 0;
    void *start = NULL;
    bool is_huge = !overflow && n_bytes >= HUGE_FROM_BYTES;
    size_t room = 0, skew = is_huge ? next_skew() : 0, align = is_huge ? HUGE_PAGE : ALIGN_BYTES;
    overflow |= __builtin_add_overflow((size_t)n_bytes, skew + (empty ? 2 * ALIGN_BYTES : ALIGN_BYTES), &room);
    if (!overflow) start = memory(align, room, is_zero);
    if (!start) no_memory(elem_bytes, rank, extents, place);
    size_t unaligned = -(uintptr_t)start & (align - 1);
    if (is_huge) ask_for_huge_pages((char *)start + unaligned, room); /* before the first use */
    KdslBlock *block = (KdslBlock *)((char *)start + unaligned + skew);
    enter(block, n_bytes, unaligned + skew);
    if (is_large(block)) enter_large(block);
    return (char *)block + ALIGN_BYTES;
}

void *kdsl_array_new(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place) {
    return array_of(elem_bytes, rank, extents, place, false);
}

void *kdsl_array_zero(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place) {
    return array_of(elem_bytes, rank, extents, place, true);
}

void kdsl_array_free(void *data) {
    if (!data) return;
    kdsl_settle(); /* in a session it may find a failure, and not come back */
    KdslBlock *b = (KdslBlock *)((char *)data - ALIGN_BYTES);
    unlist(b);
    give_back(b);
}
