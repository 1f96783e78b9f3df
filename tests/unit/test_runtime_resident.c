/* The tables of resident arrays, on devices that are nothing but memory of this process: random launches on several of
 * them, whole and in parts, with host code between, beside an array that everybody writes. What a kernel or the host
 * reads has to be what was written last, wherever that was. With KDSL_POISON and without, with a device that works in
 * the memory of the host and without, with and without the report of what such a device would need copied, and with
 * memory that runs out now and then: then the call fails, no lock is held, and everything else is as it was. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the tables: the one that comes after `plenty` others fails. */
enum { NO_END = 1 << 30 };
static int plenty = NO_END;
static void *scarce(void *at, size_t n) { return plenty-- > 0 ? realloc(at, n) : NULL; }

#define malloc(n) scarce(NULL, n)
#define realloc scarce
#include "runtime/resident.c"
#include "runtime/section.c"
#undef malloc
#undef realloc

/* libomptarget ----------------------------------------------------------------------------------------------------- */

enum { DEVICES = 3, MOST_MAPPED = 64 };

typedef struct Mapped {
    char *begin, *end, *copy;
} Mapped;
static Mapped mapped[DEVICES][MOST_MAPPED];
static Mapped lent; /* by the caller, on device 0 */
static int64_t in_place = -1; /* the device that works in the memory of the host; -1: none */
static long n_copied;

static int n_devices(void) { return DEVICES; }

static Mapped *find_mapped(int64_t device, const char *begin, const char *end) {
    for (int i = 0; i < MOST_MAPPED; i++) {
        Mapped *m = &mapped[device][i];
        if (m->begin && m->begin < end && begin < m->end) return m;
    }
    return NULL;
}

static void begin_on_device(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes,
                            int64_t *types, void **names, void **mappers) {
    (void)loc, (void)n, (void)names, (void)mappers;
    char *begin = *begins, *end = begin + *sizes;
    assert(device != in_place);
    if (!device && lent.begin) {
        assert(lent.begin <= begin && end <= lent.end);
        assert(!(*types & MAP_TO));
        *bases = lent.copy + (begin - lent.begin);
        return;
    }
    assert(!find_mapped(device, begin, end)); /* libomptarget cannot extend a mapping */
    int i = 0;
    while (mapped[device][i].begin) i++;
    mapped[device][i] = (Mapped){begin, end, malloc((size_t)*sizes)};
    memset(mapped[device][i].copy, 0xEE, (size_t)*sizes);
    if (*types & MAP_TO) memcpy(mapped[device][i].copy, begin, (size_t)*sizes);
    *bases = mapped[device][i].copy;
}

static void end_on_device(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes,
                          int64_t *types, void **names, void **mappers) {
    (void)loc, (void)n, (void)bases, (void)types, (void)names, (void)mappers;
    Mapped *m = find_mapped(device, *begins, (char *)*begins + *sizes);
    if (!device && lent.begin) {
        assert(!(*types & MAP_DELETE));
        return;
    }
    assert(m && m->begin == *begins && m->end - m->begin == *sizes);
    free(m->copy);
    *m = (Mapped){0};
}

static void update(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,
                   void **names, void **mappers) {
    (void)loc, (void)n, (void)bases, (void)names, (void)mappers;
    char *at = *begins;
    Mapped *m = !device && lent.begin ? &lent : find_mapped(device, at, at + *sizes);
    assert(m && m->begin <= at && at + *sizes <= m->end);
    n_copied++;
    if (*types & MAP_TO) memcpy(m->copy + (at - m->begin), at, (size_t)*sizes);
    else memcpy(at, m->copy + (at - m->begin), (size_t)*sizes);
}

static void *mapped_at(const void *at, int device) {
    const char *byte = at;
    return !device && lent.begin && lent.begin <= byte && byte < lent.end ? lent.copy + (byte - lent.begin) : NULL;
}

const Target *kdsl_target(void) {
    static const Target target = {.n_devices = n_devices,
                                  .begin_mapping = begin_on_device,
                                  .end_mapping = end_on_device,
                                  .update = update,
                                  .mapped = mapped_at};
    return &target;
}

/* The rest of the runtime ------------------------------------------------------------------------------------------ */

void (*kdsl_forget_freed)(void *at, size_t n_bytes);
void kdsl_settle(void) {}
void kdsl_settle_at(const char *place) { (void)place; }
const char *kdsl_ident_place(const void *ident) { return ident; }
int64_t kdsl_default_device(void) { return 0; }
void kdsl_moving(const KdslSection *what, int64_t device, int64_t n, KdslMove m) {
    (void)what, (void)device, (void)n, (void)m;
}
int kdsl_field(const char *text, int k, const char **at) { return (void)text, (void)k, (void)at, abort(), 0; }
void kdsl_report_serve(const KdslSection *launch) { (void)launch; }
bool kdsl_report_is_on;
int64_t kdsl_trace_start(void) { return 0; }
void kdsl_trace_filled(const KdslSection *what, int64_t device, int64_t n, int64_t start) {
    (void)what, (void)device, (void)n, (void)start;
}
void kdsl_trace_compared(const KdslSection *what, int64_t n, int64_t start) { (void)what, (void)n, (void)start; }
bool kdsl_is_in_place(int64_t device) { return device == in_place; }
bool kdsl_is_known_in_place(int64_t device) { return device == in_place; }
bool kdsl_is_in_place_for(const KdslSection *what, int64_t device, int64_t n_bytes) {
    (void)what, (void)n_bytes;
    return device == in_place;
}
bool kdsl_is_large_array(const char *at, int64_t n_bytes) { return (void)at, (void)n_bytes, true; }
static long n_filled;
bool kdsl_device_fill(int64_t device, void *there, uint32_t value, int64_t n) {
    (void)device;
    for (int64_t i = 0; i < n; i += (int64_t)sizeof value) memcpy((char *)there + i, &value, sizeof value);
    return ++n_filled % 3; /* else: it failed half way */
}
static long n_pinned;
bool kdsl_nvidia_pin(int64_t device, void *at, int64_t n) { return (void)device, (void)at, (void)n, n_pinned++, true; }
void kdsl_nvidia_unpin(int64_t device, void *at) { (void)device, (void)at, n_pinned--; }
static jmp_buf failed;
static long n_failed;
_Noreturn void kdsl_fail(const char *place, const char *format, ...) {
    (void)place;
    if (!strstr(format, "out of memory") || plenty > 0) abort();
    kdsl_tables_let_go();
    assert(!pthread_mutex_trylock(&lock) && !pthread_mutex_unlock(&lock));
    plenty = NO_END;
    n_failed++;
    longjmp(failed, 1);
}

/* The array, and what it should hold ------------------------------------------------------------------------------- */

enum { MOST_BYTES = 5 << 20 };
static char *array, expected[MOST_BYTES];
static int64_t n_bytes_of_array;

static int64_t below(int64_t n) { return rand() % n; }

static Part any_part(void) {
    int64_t n = n_bytes_of_array, from = below(4) ? below(n) : 0, most = n - from;
    int64_t length = !below(3) ? most : !below(3) && most > 70000 ? 1 + below(70000) : 1 + below(most < 9 ? most : 9);
    return (Part){array + from, array + from + length};
}

static void same(const char *at, Part part, const char *who) {
    if (!memcmp(at, expected + (part.begin - array), (size_t)kdsl_part_bytes(part))) return;
    fprintf(stderr, "%s does not read what was written last\n", who);
    abort();
}

/* All of a part, or only some bytes of it: on the host or on a device. */
static void change(char *at, Part part, bool all) {
    int64_t n = kdsl_part_bytes(part);
    char *want = expected + (part.begin - array);
    if (all) memset(want, (int)below(100), (size_t)n);
    for (int i = 0; i < 3; i++) want[below(n)] = (char)below(100);
    memcpy(at, want, (size_t)n);
}

static bool is_scarce; /* memory */
static void write_anew(Part p);

/* Where the kernel finds it. */
static char *there(int64_t device, char *at) {
    if (device == in_place) return at;
    if (!device && lent.begin) return lent.copy + (at - lent.begin);
    const Mapped *m = find_mapped(device, at, at + 1);
    assert(m);
    return m->copy + (at - m->begin);
}

static void launch(bool fails) {
    static const KdslSection what = {"ident", ";x;f;1;1;;"};
    int64_t device = below(DEVICES + 1) - 1;
    bool two = !below(3), reads[2], writes[2];
    Part parts[2] = {any_part(), any_part()};
    for (int i = 0; i < 2; i++) {
        writes[i] = below(3);
        reads[i] = !writes[i] || below(2);
    }
    if ((writes[0] || writes[1]) && parts[0].begin < parts[1].end && parts[1].begin < parts[0].end) two = false;
    if (setjmp(failed)) {
        for (int i = 0; i <= two; i++)
            if (writes[i]) write_anew(parts[i]);
        return;
    }
    for (int i = 0; i <= two; i++) {
        if (is_scarce) plenty = (int)below(5);
        kdsl_on_device(&what, device, parts[i].begin, kdsl_part_bytes(parts[i]), reads[i], writes[i]);
    }
    plenty = NO_END;
    for (int i = 0; fails && i <= two; i++) kdsl_not_on_device(parts[i].begin, kdsl_part_bytes(parts[i]), writes[i]);
    for (int i = 0; i <= two; i++) {
        char *at = fails ? parts[i].begin : there(device < 0 ? 0 : device, parts[i].begin);
        if (reads[i]) same(at, parts[i], fails ? "the host version" : "the kernel");
        if (writes[i]) change(at, parts[i], !reads[i]);
    }
}

/* What would have been written has no value any more. */
static void write_anew(Part p) {
    kdsl_host_fills(p.begin, kdsl_part_bytes(p), NULL);
    change(p.begin, p, true);
}

static void host_code(void) {
    Part p = any_part();
    int64_t n = kdsl_part_bytes(p), what = below(7);
    bool more = below(2);
    if (setjmp(failed)) {
        if (what >= 2 && what <= 4) write_anew(p);
        return;
    }
    if (is_scarce) plenty = (int)below(3);
    switch (what) {
    case 0: kdsl_host_reads(p.begin, n, NULL), same(p.begin, p, "host code"); break;
    case 1: kdsl_host_writes(p.begin, n, NULL), same(p.begin, p, "host code"), change(p.begin, p, false); break;
    case 2: kdsl_host_fills(p.begin, n, NULL), change(p.begin, p, true); break;
    case 3: kdsl_host_pokes(p.begin, n, NULL), change(p.begin, p, true); break;
    case 4:
        kdsl_host_peeks(p.begin, n, more, NULL), same(p.begin, p, "host code");
        if (is_scarce) plenty = (int)below(2);
        kdsl_host_pokes(p.begin, n, NULL), change(p.begin, p, false);
        break;
    case 5: kdsl_host_peeks(p.begin, n, more, NULL), same(p.begin, p, "host code"); break;
    default:
        if (!below(5) && !lent.begin) kdsl_host_takes(p.begin, n), same(p.begin, p, "the caller");
    }
    plenty = NO_END;
}

/* The array of a caller who keeps it on the device: there it is up to date before the call and after it. */
static void begin_call(void) {
    static const KdslSection what = {"ident", ";x;f;1;1;;"};
    if (below(2)) {
        lent = (Mapped){array, array + n_bytes_of_array, malloc((size_t)n_bytes_of_array)};
        memcpy(lent.copy, expected, (size_t)n_bytes_of_array);
        memset(array, 0x77, (size_t)n_bytes_of_array);
    }
    kdsl_resident_begin(&what, array, n_bytes_of_array);
}

static void end_call(void) {
    Part all = {array, array + n_bytes_of_array};
    kdsl_resident_end(array, n_bytes_of_array);
    same(lent.begin ? lent.copy : array, all, "the caller");
    if (lent.begin) memcpy(array, lent.copy, (size_t)n_bytes_of_array);
    free(lent.copy);
    lent = (Mapped){0};
}

static void run(int64_t n_bytes, int n_steps) {
    array = malloc((size_t)n_bytes);
    n_bytes_of_array = n_bytes;
    bool is_called = below(2);
    bool is_uniform = n_bytes > LEAST_COST_BYTES && below(2);
    for (int64_t i = 0; i < n_bytes; i++) array[i] = expected[i] = (char)(is_uniform ? 7 : below(100));
    if (is_called) begin_call();
    for (int i = 0; i < n_steps; i++) {
        if (below(2)) launch(!below(12));
        else host_code();
    }
    if (is_called) end_call();
    kdsl_host_reads(array, n_bytes, NULL);
    same(array, (Part){array, array + n_bytes}, "host code at the end");
    if (kdsl_forget_freed) kdsl_forget_freed(array, (size_t)n_bytes);
    for (int d = 0; d < DEVICES; d++) assert(!find_mapped(d, array, array + n_bytes));
    free(array);
}

int main(void) {
    for (int way = 0; way < 12; way++) {
        bool poisoned = way & 1;
        is_scarce = way & 2;
        in_place = way < 4 ? -1 : 1;
        kdsl_report_is_on = way >= 8;
        for (int seed = 1; seed <= 400; seed++) {
            srand((unsigned)seed);
            run(1 + below(40), 300);
            poison = poisoned;
        }
        for (int seed = 1; seed <= 6; seed++) {
            srand((unsigned)seed);
            run(200000 + below(200000), 300);
        }
        srand(7);
        run(MOST_BYTES, 60);
    }
    assert(n_filled > 10 && n_copied > 10000 && !n_pinned && n_failed > 1000);
    puts("ok");
    return 0;
}
