/* resident.c -- which arrays are kept on the device, and which of the two copies is the newest. A table by host address,
 * sorted, of a handful of sections; libomptarget has each mapped once, from the launch that first needs it until the
 * array is freed. The compiler calls this only where it does not know the answer itself (sema/plan.c).
 *
 * A copy is made when someone is about to use it and never before, so an array that dies unread does not come back, and
 * one that two launches share goes in once. Kernels get the device's address as a value: nothing is looked up at launches.
 *
 * KDSL_POISON=1 fills host memory with 0xA5 the moment the device's copy becomes the newest, and new device memory that
 * nothing is copied to, and single elements that the host reads always come alone: a transfer that is missing cannot go
 * unnoticed. For tests. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

/* libomptarget's own entry points (offload/include/omptarget.h). Weak: the runtime is also part of programs that launch
 * nothing, and of objects that are linked elsewhere. */
#define TARGET __attribute__((weak))
typedef void Mapper(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,
                    void **names, void **mappers);
TARGET Mapper __tgt_target_data_begin_mapper, __tgt_target_data_end_mapper, __tgt_target_data_update_mapper;
TARGET int omp_get_num_devices(void);
TARGET int omp_get_default_device(void);

enum { MAP_TO = 1, MAP_FROM = 2, MAP_DELETE = 8, MAP_RETURN = 0x40 };

typedef struct Section {
    char *begin, *end, *device;
    bool host_ok, device_ok;
    bool was_host_ok; /* before the launch at hand */
    int64_t peeked_bytes; /* what parts that came by themselves have cost since the host's copy was the newest */
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
    kdsl_report_moving(s->what->name, n_bytes, direction == MAP_TO);
    __tgt_target_data_update_mapper((void *)s->what->ident, device, 1, &at, &at, &n_bytes, &direction,
                                    (void **)&s->what->name, NULL);
    kdsl_report_moving(NULL, 0, false);
}

static void move(Section *s, int64_t direction) { copy(s, s->begin, s->end - s->begin, direction); }

static void bring_back(Section *s) {
    if (s->host_ok) return;
    move(s, MAP_FROM);
    s->host_ok = true;
    s->peeked_bytes = 0;
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
    void *base = begin, *at = begin;
    int64_t n_bytes = end - begin, type = MAP_RETURN | (fill ? MAP_TO : 0);
    kdsl_report_moving(what->name, fill ? n_bytes : 0, true);
    __tgt_target_data_begin_mapper((void *)what->ident, device, 1, &base, &at, &n_bytes, &type, (void **)&what->name, NULL);
    kdsl_report_moving(NULL, 0, false);
    s->device = base;
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
    } else if (!s->device_ok) {
        bool part = s->begin != begin || s->end != end;
        s->what = what;
        if (reads || part) move(s, MAP_TO);
    }
    s->was_host_ok = s->host_ok;
    s->device_ok = true;
    if (writes && s->device != s->begin) { /* else host and device see one memory */
        s->host_ok = false;
        s->peeked_bytes = 0;
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
        if (writes) s->device_ok = false;
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

/* An element or a slice comes by itself where the array is large; if that goes on, all of it comes: what the parts have
 * cost by then is about what the whole costs. */
void kdsl_host_peeks(void *at, int64_t n_bytes) {
    enum { LEAST_COST_BYTES = 1 << 16 }; /* a small copy takes about as long as one of this size */
    if (!n_bytes) return;
    char *end = (char *)at + n_bytes;
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < end; i++) {
        Section *s = &table[i];
        if (s->host_ok) continue;
        char *from = s->begin > (char *)at ? s->begin : at, *to = s->end < end ? s->end : end;
        s->peeked_bytes += to - from < LEAST_COST_BYTES ? LEAST_COST_BYTES : to - from;
        if (s->peeked_bytes >= s->end - s->begin && !poison) bring_back(s);
        else copy(s, from, to - from, MAP_FROM);
    }
    pthread_mutex_unlock(&lock);
}

void kdsl_host_writes(void *at, int64_t n_bytes) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    for (int64_t i = find(at); i < n_sections && table[i].begin < (char *)at + n_bytes; i++) {
        bring_back(&table[i]);
        table[i].device_ok = false;
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
        table[i].host_ok = true;
        table[i].device_ok = false;
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
