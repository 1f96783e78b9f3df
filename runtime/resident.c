/* resident.c -- which arrays are kept on the device, and which of the two copies is the newest. A table by host address,
 * sorted, of a handful of sections; libomptarget has each mapped once, from the launch that first needs it until the
 * array is freed. The compiler calls this only where it does not know the answer itself (sema/plan.c).
 *
 * A copy is made when someone is about to use it and never before, so an array that dies unread does not come back, and
 * one that two launches share goes in once. Kernels get the device's address as a value: nothing is looked up at launches.
 *
 * Elements that the host writes one by one become patches: what has to go to the device before a launch uses the array
 * again. The rest of both copies stays what it is.
 *
 * KDSL_POISON=1 fills host memory with 0xA5 the moment the device's copy becomes the newest, and new device memory that
 * nothing is copied to, and single elements that the host reads always come alone: a transfer that is missing cannot go
 * unnoticed. For tests. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/target.h"

enum {
    LEAST_COST_BYTES = 1 << 16, /* a small copy takes about as long as one of this size */
    MOST_PATCHES = 8,
};

typedef struct Patch {
    char *begin, *end;
} Patch;

typedef struct Section {
    char *begin, *end, *device;
    bool host_ok;     /* all of the host's copy is the newest */
    bool device_ok;   /* the device's is, but for the patches, which are newest on the host */
    bool was_host_ok; /* before the launch at hand */
    Patch patches[MOST_PATCHES];
    int n_patches;
    int64_t apart_bytes; /* what parts that moved by themselves have cost since a launch has written it */
    const KdslSection *what;
} Section;

static Section *table;
static int64_t n_sections, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t device;
static bool poison;

/* The table -------------------------------------------------------------------------------------------------------- */

/* The first section that ends behind `at`. */
static int64_t find(const char *at) {
    int64_t low = 0, high = n_sections;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (table[middle].end <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void copy(Section *s, void *at, int64_t n_bytes, int64_t direction) {
    kdsl_moving(s->what, n_bytes, direction == MAP_TO);
    __tgt_target_data_update_mapper((void *)s->what->ident, device, 1, &at, &at, &n_bytes, &direction,
                                    (void **)&s->what->name, NULL);
    kdsl_moving(NULL, 0, false);
}

static void move(Section *s, int64_t direction) { copy(s, s->begin, s->end - s->begin, direction); }

static int64_t size_of(const Section *s) { return s->end - s->begin; }

/* To the device, each by itself. */
static void send_patches(Section *s) {
    for (int i = 0; i < s->n_patches; i++) {
        const Patch *p = &s->patches[i];
        copy(s, p->begin, p->end - p->begin, MAP_TO);
        if (poison && !s->host_ok) memset(p->begin, 0xA5, (size_t)(p->end - p->begin));
    }
    s->n_patches = 0;
}

static void keep_patches(const Section *s, char *kept, bool put_back) {
    for (int i = 0; i < s->n_patches; i++) {
        size_t n = (size_t)(s->patches[i].end - s->patches[i].begin);
        memcpy(put_back ? s->patches[i].begin : kept, put_back ? kept : s->patches[i].begin, n);
        kept += n;
    }
}

static void bring_back(Section *s) {
    if (s->host_ok) return;
    int64_t n_bytes = 0;
    for (int i = 0; i < s->n_patches; i++) n_bytes += s->patches[i].end - s->patches[i].begin;
    char *kept = n_bytes ? malloc((size_t)n_bytes) : NULL;
    if (n_bytes && !kept) send_patches(s);
    keep_patches(s, kept, false);
    move(s, MAP_FROM);
    keep_patches(s, kept, true);
    free(kept);
    s->host_ok = true;
    s->apart_bytes = 0;
}

/* Only the host's copy counts from here on. */
static void forget_device(Section *s) {
    s->host_ok = true;
    s->device_ok = false;
    s->n_patches = 0;
}

static void unmap(Section *s) {
    void *at = s->begin;
    int64_t n_bytes = s->end - s->begin, type = MAP_DELETE;
    __tgt_target_data_end_mapper((void *)s->what->ident, device, 1, &at, &at, &n_bytes, &type, (void **)&s->what->name, NULL);
}

static void release(int64_t i) {
    unmap(&table[i]);
    memmove(&table[i], &table[i + 1], sizeof *table * (size_t)(n_sections - i - 1));
    n_sections--;
}

static void fill_device(Section *s) {
    size_t n = (size_t)(s->end - s->begin);
    char *kept = malloc(n);
    if (!kept) return;
    memcpy(kept, s->begin, n);
    memset(s->begin, 0xA5, n);
    move(s, MAP_TO);
    memcpy(s->begin, kept, n);
    free(kept);
}

/* Can the processor read there? The kernel looks at the new mask first, and only then refuses what to do with it. */
static bool is_in_our_memory(const char *at) {
    return syscall(SYS_rt_sigprocmask, ~0, at, NULL, 8) < 0 && errno == EINVAL;
}

static void begin_mapping(Section *s, int64_t flags) {
    void *base = s->begin, *at = s->begin;
    int64_t n_bytes = s->end - s->begin, type = MAP_RETURN | flags;
    __tgt_target_data_begin_mapper((void *)s->what->ident, device, 1, &base, &at, &n_bytes, &type,
                                   (void **)&s->what->name, NULL);
    s->device = base;
}

/* Where the processor itself is the device, device memory is ordinary memory, which the plugin takes from malloc: a large
 * array wants huge pages there as it does on the host, and before it is first touched. */
static void begin_large_mapping(Section *s, bool fill) {
    begin_mapping(s, 0);
    bool is_ours = s->device != s->begin && is_in_our_memory(s->device);
    if (is_ours) kdsl_ask_for_huge_pages(s->device, (size_t)(s->end - s->begin));
    if (fill && s->device != s->begin) move(s, MAP_TO);
}

static Section *map(int64_t i, char *begin, char *end, bool fill, const KdslSection *what) {
    if (n_sections == capacity) {
        int64_t more = capacity ? 2 * capacity : 16;
        Section *larger = realloc(table, sizeof *table * (size_t)more);
        if (!larger) kdsl_fail(NULL, "no memory for the table of resident arrays");
        table = larger;
        capacity = more;
    }
    memmove(&table[i + 1], &table[i], sizeof *table * (size_t)(n_sections - i));
    n_sections++;
    Section *s = &table[i];
    *s = (Section){.begin = begin, .end = end, .device = begin, .host_ok = true, .device_ok = fill, .what = what};
    if (end - begin >= KDSL_HUGE_FROM_BYTES) {
        begin_large_mapping(s, fill);
    } else {
        kdsl_moving(what, fill ? end - begin : 0, true);
        begin_mapping(s, fill ? MAP_TO : 0);
        kdsl_moving(NULL, 0, false);
    }
    if (poison && !fill && s->device != begin) fill_device(s);
    return s;
}

/* Start and end ---------------------------------------------------------------------------------------------------- */

static void forget_freed(void *at, size_t n_bytes) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes;) release(i);
    pthread_mutex_unlock(&lock);
}

static void at_exit(void) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    while (n_sections) release(n_sections - 1);
    pthread_mutex_unlock(&lock);
}

/* No device, or OMP_TARGET_OFFLOAD=disabled: launches run on the host, and nothing is ever resident. */
static bool is_ready(void) {
    static int ready = -1;
    if (ready >= 0) return ready;
    device = omp_get_default_device();
    ready = device < omp_get_num_devices();
    poison = getenv("KDSL_POISON") != NULL;
    if (ready) {
        kdsl_forget_freed = forget_freed;
        atexit(at_exit);
    }
    return ready;
}

/* Launches --------------------------------------------------------------------------------------------------------- */

/* Sections that hold a part of begin..end but not all of it: libomptarget cannot extend a mapping. */
static void let_go_of_parts(char **begin, char **end) {
    for (int64_t i = find(*begin); i < n_sections && table[i].begin < *end;) {
        if (table[i].begin < *begin) *begin = table[i].begin;
        if (table[i].end > *end) *end = table[i].end;
        bring_back(&table[i]);
        release(i);
    }
}

void *kdsl_on_device(const KdslSection *what, void *at, int64_t n_bytes, int32_t reads, int32_t writes) {
    if (!n_bytes) return at;
    char *begin = at, *end = begin + n_bytes;
    kdsl_settle();
    pthread_mutex_lock(&lock);
    if (!is_ready()) {
        pthread_mutex_unlock(&lock);
        return at;
    }
    int64_t i = find(begin);
    bool is_there = i < n_sections && table[i].begin <= begin && table[i].end >= end;
    Section *s = &table[i];
    if (!is_there) {
        char *from = begin, *to = end;
        let_go_of_parts(&from, &to);
        i = find(from);
        s = map(i, from, to, reads || from != begin || to != end, what);
    } else if (!s->device_ok || s->n_patches) {
        bool part = s->begin != begin || s->end != end;
        s->what = what;
        if ((reads || part) && !s->device_ok) move(s, MAP_TO);
        else if (reads || part) send_patches(s);
        s->n_patches = 0;
    }
    s->was_host_ok = s->host_ok;
    s->device_ok = true;
    if (writes && s->device != s->begin) { /* else host and device see one memory */
        s->host_ok = false;
        s->apart_bytes = 0;
        if (poison) memset(s->begin, 0xA5, (size_t)(s->end - s->begin));
    }
    void *address = s->device + (begin - s->begin);
    pthread_mutex_unlock(&lock);
    return address;
}

void *kdsl_device_address(void *at) {
    pthread_mutex_lock(&lock);
    int64_t i = find(at);
    bool is_there = i < n_sections && table[i].begin <= (char *)at;
    void *address = is_there ? table[i].device + ((char *)at - table[i].begin) : at;
    pthread_mutex_unlock(&lock);
    return address;
}

void kdsl_not_on_device(void *at, int64_t n_bytes, int32_t writes) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes; i++) {
        Section *s = &table[i];
        if (!poison) s->host_ok = s->was_host_ok;
        bring_back(s);
        if (writes) forget_device(s);
    }
    pthread_mutex_unlock(&lock);
}

/* Host code -------------------------------------------------------------------------------------------------------- */

void kdsl_host_reads(void *at, int64_t n_bytes) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes; i++) bring_back(&table[i]);
    pthread_mutex_unlock(&lock);
}

static Patch within(const Section *s, char *at, char *end) {
    return (Patch){s->begin > at ? s->begin : at, s->end < end ? s->end : end};
}

/* An element or a slice comes by itself; if that goes on, all of it comes: what the parts have cost by then is about what
 * the whole costs. Of a small array that is so with the first one, unless it is likely to be the last; then the next
 * one may come by itself as well. */
static void peek(Section *s, Patch part, bool more) {
    for (int i = 0; i < s->n_patches; i++) {
        if (s->patches[i].begin <= part.begin && part.end <= s->patches[i].end) return;
        if (s->patches[i].begin < part.end && part.begin < s->patches[i].end) send_patches(s);
    }
    int64_t n_bytes = part.end - part.begin;
    s->apart_bytes += n_bytes < LEAST_COST_BYTES ? LEAST_COST_BYTES : n_bytes;
    bool is_one_of_few = !more && s->apart_bytes <= 2 * LEAST_COST_BYTES;
    if (s->apart_bytes >= size_of(s) && !is_one_of_few && !poison) bring_back(s);
    else copy(s, part.begin, n_bytes, MAP_FROM);
}

void kdsl_host_peeks(void *at, int64_t n_bytes, int32_t more) {
    if (!n_bytes) return;
    char *end = (char *)at + n_bytes;
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < end; i++)
        if (!table[i].host_ok) peek(&table[i], within(&table[i], at, end), more);
    pthread_mutex_unlock(&lock);
}

/* Is there a cheaper way to tell the device of one more patch than by itself? Two cost no more than to fetch all and to
 * send it again. */
static bool is_scattered(const Section *s) {
    if (s->n_patches == MOST_PATCHES) return true;
    return !s->host_ok && s->n_patches >= 2 && s->apart_bytes + (s->n_patches + 1) * LEAST_COST_BYTES >= size_of(s);
}

/* Then all there are go now or, if that would cost too much by and by, everything between them goes later. */
static void gather_patches(Section *s) {
    int64_t cost = s->n_patches * LEAST_COST_BYTES;
    if (s->n_patches == MOST_PATCHES && s->apart_bytes + cost < size_of(s)) {
        send_patches(s);
        s->apart_bytes += cost;
        return;
    }
    bring_back(s);
    for (; s->n_patches > 1; s->n_patches--) {
        const Patch *last = &s->patches[s->n_patches - 1];
        if (last->begin < s->patches[0].begin) s->patches[0].begin = last->begin;
        if (last->end > s->patches[0].end) s->patches[0].end = last->end;
    }
}

/* Patches that touch become one; so do two with little between them, if the host has the newest of that as well. */
static void poke(Section *s, Patch part) {
    bool is_apart = true;
    for (int i = 0; i < s->n_patches; i++) is_apart &= s->patches[i].begin > part.end || s->patches[i].end < part.begin;
    if (is_apart && is_scattered(s)) gather_patches(s);
    int64_t gap = s->host_ok ? LEAST_COST_BYTES : 0;
    for (int i = 0; i < s->n_patches;) {
        const Patch *p = &s->patches[i];
        if (p->begin - part.end > gap || part.begin - p->end > gap) {
            i++;
            continue;
        }
        if (p->begin < part.begin) part.begin = p->begin;
        if (p->end > part.end) part.end = p->end;
        s->patches[i] = s->patches[--s->n_patches];
        i = 0;
    }
    s->patches[s->n_patches++] = part;
}

void kdsl_host_pokes(void *at, int64_t n_bytes) {
    if (!n_bytes) return;
    char *end = (char *)at + n_bytes;
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < end; i++) {
        Section *s = &table[i];
        if (s->device_ok && s->device != s->begin) poke(s, within(s, at, end));
    }
    pthread_mutex_unlock(&lock);
}

void kdsl_host_writes(void *at, int64_t n_bytes) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes; i++) {
        bring_back(&table[i]);
        forget_device(&table[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* A section that reaches beyond what is filled keeps its other values: it comes back first. */
void kdsl_host_fills(void *at, int64_t n_bytes) {
    char *end = (char *)at + n_bytes;
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < end; i++) {
        if (table[i].begin < (char *)at || table[i].end > end) bring_back(&table[i]);
        forget_device(&table[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* What came from outside goes back there: complete, and unknown to the device. */
void kdsl_host_takes(void *at, int64_t n_bytes) {
    if (n_bytes <= 0) return; /* a call that was refused for its extents */
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes;) {
        bring_back(&table[i]);
        release(i);
    }
    pthread_mutex_unlock(&lock);
}

/* Without any device launches run on the host, whatever number they name. */
void kdsl_check_device(const char *place, int64_t number) {
    int n = omp_get_num_devices();
    if (number < 0 || (n && number >= n))
        kdsl_fail(place, "there is no device %lld; `devices()` is %d", (long long)number, n);
}
