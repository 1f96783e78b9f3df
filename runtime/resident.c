/* resident.c -- memory coherence between host and devices: which arrays are kept on which devices, and where the
 * newest copy of each is. Each device has a table, sorted by host address, of a few sections (section.h). libomptarget
 * maps each section once, from the first launch that needs it until the array is freed. The compiler calls these
 * functions only where it cannot decide at compile time (sema/plan.c).
 *
 * Copies are made on demand (lazily): an array that is never read again is not copied back, and an array that two
 * launches use is copied to the device once. What a launch writes becomes stale on the host and on all other devices.
 * What a launch reads and another device has newer is copied through the host. At a launch libomptarget finds the
 * arrays mapped and copies nothing.
 *
 * Elements that the host writes singly become patches, which are copied to the device before a launch uses them again.
 * The rest of both copies stays valid.
 *
 * Asynchronous launches run in parallel on several devices (async.c), if none of them writes what another one uses. So
 * a launch touches only the bytes that it was given, on the host and on each device. Host code, which first waits for
 * all launches, may copy more than it needs where that will be cheaper.
 *
 * KDSL_POISON=1 (for tests): host memory is filled with 0xA5 when the copy of a device becomes the newest, new device
 * memory is filled unless it is copied to, and single elements that the host reads are always copied singly. So a
 * missing transfer shows in the results. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure.h"
#include "runtime/internal.h"
#include "runtime/section.h"
#include "runtime/target.h"

enum { MOST_PATCHES = 8 }; /* patches: parts of a section that the host has written singly */

typedef struct Table {
    Section *at;
    int64_t n, capacity;
} Table;

static Table *tables; /* by device */
static int64_t n_tables;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Part *given;   /* arrays of the exported calls that are under way: one for each argument */
static int64_t n_given, given_capacity;
static bool poison;
static _Thread_local bool holds; /* the lock */

static void hold(void) {
    pthread_mutex_lock(&lock);
    holds = true;
}

static void let_go(void) {
    holds = false;
    pthread_mutex_unlock(&lock);
}

void kdsl_tables_let_go(void) {
    if (holds) let_go();
}

/* The tables ------------------------------------------------------------------------------------------------------- */

/* The first section that ends after `at`. */
static int64_t find(const Table *t, const char *at) {
    int64_t low = 0, high = t->n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (t->at[middle].end <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Iterates over the sections of a table that overlap `part`; NULL: begins. */
static Section *next_in(const Table *t, const Section *s, Part part) {
    int64_t i = s ? s - t->at + 1 : find(t, part.begin);
    return i < t->n && t->at[i].begin < part.end ? &t->at[i] : NULL;
}

static void send(Section *s, Part part);

/* A lent section is left as it was found: the device has all of it. */
static void release(Table *t, int64_t i) {
    if (t->at[i].is_lent) send(&t->at[i], kdsl_section_all(&t->at[i]));
    kdsl_section_unmap(&t->at[i]);
    free(t->at[i].pieces);
    memmove(&t->at[i], &t->at[i + 1], sizeof *t->at * (size_t)(t->n - i - 1));
    t->n--;
}

void kdsl_no_room_in_table(void) { kdsl_fail(NULL, "out of memory for the table of resident arrays"); }

/* Before anything is mapped that would not be found again. */
static void need_room_for_one(Table *t) {
    if (t->n < t->capacity) return;
    int64_t more = t->capacity ? 2 * t->capacity : 16;
    Section *larger = realloc(t->at, sizeof *larger * (size_t)more);
    if (!larger) kdsl_no_room_in_table();
    t->at = larger;
    t->capacity = more;
}

static void insert(Table *t, int64_t i, Section s) {
    memmove(&t->at[i + 1], &t->at[i], sizeof *t->at * (size_t)(t->n - i));
    t->at[i] = s;
    t->n++;
}

static void forget_freed(void *at, size_t n_bytes) {
    kdsl_settle();
    hold();
    for (int64_t d = 0; d < n_tables; d++)
        for (int64_t i = find(&tables[d], at); i < tables[d].n && tables[d].at[i].begin < (char *)at + n_bytes;)
            release(&tables[d], i);
    let_go();
}

static void at_exit(void) {
    kdsl_settle();
    hold();
    for (int64_t d = 0; d < n_tables; d++)
        while (tables[d].n) release(&tables[d], tables[d].n - 1);
    let_go();
}

/* Without a table no device has a copy of anything: that needs no lock. */
static bool has_tables(void) { return __atomic_load_n(&n_tables, __ATOMIC_ACQUIRE) > 0; }

/* NULL: there is no such device, or OMP_TARGET_OFFLOAD=disabled: launches run on the host, and nothing is resident. */
static Table *table_of(int64_t device) {
    if (device < n_tables) return &tables[device];
    if (device >= kdsl_target()->n_devices()) return NULL;
    if (!n_tables) {
        poison = getenv("KDSL_POISON") != NULL;
        kdsl_forget_freed = forget_freed;
        atexit(at_exit);
    }
    Table *more = realloc(tables, sizeof *more * (size_t)(device + 1));
    if (!more) kdsl_no_room_in_table();
    memset(more + n_tables, 0, sizeof *more * (size_t)(device + 1 - n_tables));
    tables = more;
    __atomic_store_n(&n_tables, device + 1, __ATOMIC_RELEASE);
    return &tables[device];
}

/* Several devices -------------------------------------------------------------------------------------------------- */

static void come_from_others(int64_t device, Part part, const KdslSection *what) {
    kdsl_report_serve(what);
    for (int64_t d = 0; d < n_tables; d++)
        for (Section *s = NULL; d != device && (s = next_in(&tables[d], s, part));)
            kdsl_section_fetch(s, kdsl_section_within(s, part));
    kdsl_report_serve(NULL);
}

static void outdate_others(int64_t device, Part part) {
    for (int64_t d = 0; d < n_tables; d++)
        for (Section *s = NULL; d != device && (s = next_in(&tables[d], s, part));)
            kdsl_section_mark(s, kdsl_section_within(s, part), ELSEWHERE);
}

static void send(Section *s, Part part) {
    Part p;
    for (Part rest = part; n_tables > 1 && kdsl_section_find(s, rest, ELSEWHERE, &p); rest.begin = p.end)
        come_from_others(s->device, p, s->what);
    kdsl_section_send(s, part);
}

static void bring_back(Section *s) {
    kdsl_section_fetch(s, kdsl_section_all(s));
    s->apart_bytes = 0;
}

void kdsl_all_come_back(void) {
    hold();
    for (int64_t d = 0; d < n_tables; d++)
        for (Table *t = &tables[d]; t->n; release(t, t->n - 1)) bring_back(&t->at[t->n - 1]);
    let_go();
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static void take_over_part(Section *s, Part p, Newest newest) {
    if (newest == ELSEWHERE || p.begin >= p.end) return;
    kdsl_section_send(s, p);
    kdsl_section_mark(s, p, newest);
    if (poison && newest == ON_DEVICE && s->there != s->begin) memset(p.begin, 0xA5, (size_t)kdsl_part_bytes(p));
}

/* Copies to the device again what the old section had there, because it may be an argument of the current launch, too.
 * The part that the launch will request is left out: that is copied as a whole. The host has all of it. A lent section
 * has everything but what the host has written. */
static void take_over(Section *s, const Section *old, Part asked) {
    Part p = {old->begin, old->begin};
    for (int64_t i = 0; s->is_lent && i < old->n_pieces; i++, p.begin = p.end)
        kdsl_section_mark(s, (Part){p.begin, p.end = old->pieces[i].end}, old->pieces[i].newest);
    if (s->is_lent) return;
    for (int64_t i = 0; i < old->n_pieces; i++, p.begin = p.end) {
        p.end = old->pieces[i].end;
        take_over_part(s, (Part){p.begin, p.end < asked.begin ? p.end : asked.begin}, old->pieces[i].newest);
        take_over_part(s, (Part){p.begin > asked.end ? p.begin : asked.end, p.end}, old->pieces[i].newest);
    }
}

/* Sections that overlap it but do not contain it are replaced by a section that contains them, too: libomptarget
 * cannot extend a mapping. */
static Section *extend(Table *t, int64_t device, Part part, const KdslSection *what) {
    int64_t first = find(t, part.begin), n = 0;
    for (Section *s = NULL; (s = next_in(t, s, part)); n++) {}
    Section *old = malloc(sizeof *old * (size_t)n), *from = &t->at[first];
    if (!old) kdsl_no_room_in_table();
    for (int64_t i = 0; i < n; i++) {
        kdsl_section_peek(&from[i], kdsl_section_all(&from[i]));
        kdsl_section_unmap(&from[i]);
    }
    memcpy(old, from, sizeof *old * (size_t)n);
    memmove(from, from + n, sizeof *from * (size_t)(t->n - first - n));
    t->n -= n;
    Part all = part;
    if (old[0].begin < all.begin) all.begin = old[0].begin;
    if (old[n - 1].end > all.end) all.end = old[n - 1].end;
    insert(t, first, kdsl_section_map(device, all, false, what));
    if (poison && !t->at[first].is_lent) kdsl_section_poison(&t->at[first]);
    for (int64_t i = 0; i < n; i++) {
        take_over(&t->at[first], &old[i], part);
        free(old[i].pieces);
    }
    free(old);
    return &t->at[first];
}

static Section *make_room(Table *t, int64_t device, Part part, bool reads, const KdslSection *what) {
    if (next_in(t, NULL, part)) return extend(t, device, part, what);
    int64_t i = find(t, part.begin);
    if (reads) come_from_others(device, part, what);
    need_room_for_one(t);
    insert(t, i, kdsl_section_map(device, part, reads, what));
    if (poison && !reads && !t->at[i].is_lent) kdsl_section_poison(&t->at[i]);
    return &t->at[i];
}

int32_t kdsl_keeps_nothing(int64_t device, const char *place) {
    kdsl_settle_at(place);
    if (device < 0) device = kdsl_default_device();
    return kdsl_is_known_in_place(device) && !kdsl_report_is_on && !has_tables();
}

void kdsl_on_device(const KdslSection *what, int64_t device, void *at, int64_t n_bytes, int32_t reads, int32_t writes) {
    if (!n_bytes) return;
    Part part = {at, (char *)at + n_bytes};
    kdsl_settle_at(kdsl_ident_place(what->ident));
    if (device < 0) device = kdsl_default_device();
    if (kdsl_is_in_place_for(what, device, n_bytes) && !kdsl_report_is_on) {
        kdsl_not_on_device(at, n_bytes, writes);
        return;
    }
    hold();
    Table *t = table_of(device);
    if (!t) {
        let_go();
        return;
    }
    Section *s = next_in(t, NULL, part);
    if (!s || s->begin > part.begin || s->end < part.end) s = make_room(t, device, part, reads, what);
    if (reads && kdsl_section_has(s, part, ELSEWHERE)) {
        if (!KDSL_IS_LIVE) s->what = what;
        send(s, part);
    }
    if (writes) {
        bool is_apart = s->there != s->begin; /* else host and device see one memory */
        outdate_others(device, part);
        kdsl_section_mark(s, part, is_apart || s->is_in_place ? ON_DEVICE : ON_BOTH);
        s->apart_bytes = 0;
        if (poison && is_apart) memset(at, 0xA5, (size_t)n_bytes);
    }
    let_go();
}

bool kdsl_is_resident(int64_t device, void *at) {
    hold();
    bool found = device < n_tables && next_in(&tables[device], NULL, (Part){at, (char *)at + 1});
    let_go();
    return found;
}

void kdsl_not_on_device(void *at, int64_t n_bytes, int32_t writes) {
    Part part = {at, (char *)at + n_bytes};
    kdsl_settle();
    if (!has_tables()) return;
    hold();
    for (int64_t d = 0; d < n_tables; d++)
        for (Section *s = NULL; (s = next_in(&tables[d], s, part));) {
            Part here = kdsl_section_within(s, part);
            kdsl_section_fetch(s, here); /* the kernel has not run: this is what it would have found */
            if (writes) kdsl_section_mark(s, here, ELSEWHERE);
        }
    let_go();
}

/* Host code -------------------------------------------------------------------------------------------------------- */

/* For all sections, on all devices, that overlap it. */
typedef void Visit(Section *s, Part part, bool more);

static void visit(Visit *does, void *at, int64_t n_bytes, bool more, const char *place) {
    if (n_bytes <= 0) return;
    Part part = {at, (char *)at + n_bytes};
    kdsl_settle_at(place);
    if (!has_tables()) return;
    hold();
    for (int64_t d = 0; d < n_tables; d++)
        for (Section *s = NULL; (s = next_in(&tables[d], s, part));) does(s, kdsl_section_within(s, part), more);
    let_go();
}

static void read_all(Section *s, Part part, bool more) {
    (void)part, (void)more;
    bring_back(s);
}

static void write_all(Section *s, Part part, bool more) {
    (void)part, (void)more;
    bring_back(s);
    kdsl_section_mark(s, kdsl_section_all(s), ELSEWHERE);
}

static void fill(Section *s, Part part, bool more) {
    (void)more;
    kdsl_section_mark(s, part, ELSEWHERE);
}

/* An element or a slice is copied back by itself, until the cost of such copies is about that of copying the whole
 * section; then the whole is copied (ski rental). For a small array that is at the first copy, unless that is likely
 * to be the last one; then the next one may be single as well. */
static void peek(Section *s, Part part, bool more) {
    if (!kdsl_section_has(s, part, ON_DEVICE)) return;
    int64_t n_bytes = kdsl_part_bytes(part);
    s->apart_bytes += n_bytes < LEAST_COST_BYTES ? LEAST_COST_BYTES : n_bytes;
    bool is_one_of_few = !more && s->apart_bytes <= 2 * LEAST_COST_BYTES;
    if (s->apart_bytes >= s->end - s->begin && !is_one_of_few && !poison) bring_back(s);
    else kdsl_section_peek(s, part);
}

static int64_t count_patches(const Section *s) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->n_pieces; i++) n += s->pieces[i].newest == ELSEWHERE;
    return n;
}

/* Is one more patch dearer than the alternatives? Two patches cost no more than copying the whole section back and
 * forth. */
static bool is_scattered(const Section *s, int64_t n_patches) {
    if (n_patches >= MOST_PATCHES) return true;
    if (n_patches < 2 || !kdsl_section_has(s, kdsl_section_all(s), ON_DEVICE)) return false;
    return s->apart_bytes + (n_patches + 1) * LEAST_COST_BYTES >= s->end - s->begin;
}

/* Then all patches are copied now or, if that would cost too much in the long run, everything between them is copied
 * later. */
static void gather_patches(Section *s, int64_t n_patches) {
    int64_t cost = n_patches * LEAST_COST_BYTES;
    if (n_patches >= MOST_PATCHES && s->apart_bytes + cost < s->end - s->begin) {
        send(s, kdsl_section_all(s));
        s->apart_bytes += cost;
        return;
    }
    bring_back(s);
    Part all = kdsl_section_all(s), first, last;
    if (!kdsl_section_find(s, all, ELSEWHERE, &first)) return;
    for (last = first; kdsl_section_find(s, (Part){last.end, all.end}, ELSEWHERE, &last);) {}
    kdsl_section_mark(s, (Part){first.begin, last.end}, ELSEWHERE);
}

/* Patches that touch become one; so do two with little between them, if the host has the newest of that as well. */
static void poke(Section *s, Part part, bool more) {
    (void)more;
    if (s->there == s->begin && !s->is_in_place) return;
    Part around = {part.begin - (part.begin > s->begin), part.end + (part.end < s->end)}, near;
    int64_t n_patches = count_patches(s);
    if (!kdsl_section_has(s, around, ELSEWHERE) && is_scattered(s, n_patches)) gather_patches(s, n_patches);
    if (!kdsl_section_has(s, kdsl_section_all(s), ON_DEVICE)) {
        Part before = {part.begin - s->begin > LEAST_COST_BYTES ? part.begin - LEAST_COST_BYTES : s->begin, part.begin};
        Part behind = {part.end, s->end - part.end > LEAST_COST_BYTES ? part.end + LEAST_COST_BYTES : s->end};
        if (kdsl_section_find(s, before, ELSEWHERE, &near)) part.begin = near.begin;
        while (kdsl_section_find(s, behind, ELSEWHERE, &near)) part.end = behind.begin = near.end;
    }
    kdsl_section_mark(s, part, ELSEWHERE);
}

void kdsl_host_reads(void *at, int64_t n_bytes, const char *place) { visit(read_all, at, n_bytes, false, place); }
void kdsl_host_writes(void *at, int64_t n_bytes, const char *place) { visit(write_all, at, n_bytes, false, place); }
void kdsl_host_fills(void *at, int64_t n_bytes, const char *place) { visit(fill, at, n_bytes, false, place); }
void kdsl_host_pokes(void *at, int64_t n_bytes, const char *place) { visit(poke, at, n_bytes, false, place); }

void kdsl_host_peeks(void *at, int64_t n_bytes, int32_t more, const char *place) {
    visit(peek, at, n_bytes, more, place);
}

void kdsl_host_takes(void *at, int64_t n_bytes) {
    if (n_bytes <= 0) return;
    kdsl_host_reads(at, n_bytes, NULL);
    forget_freed(at, (size_t)n_bytes);
}

/* Exported functions ----------------------------------------------------------------------------------------------- */

/* Two threads may pass one array that both only read: it stays on the device until the last of the calls ends. */
static void note_given(Part part) {
    if (n_given == given_capacity) {
        int64_t more = given_capacity ? 2 * given_capacity : 16;
        Part *larger = realloc(given, sizeof *larger * (size_t)more);
        if (!larger) kdsl_no_room_in_table();
        given = larger;
        given_capacity = more;
    }
    given[n_given++] = part;
}

static bool is_given_once_more(Part part) {
    bool found = false, others = false;
    for (int64_t i = 0; i < n_given; i++) {
        bool same = given[i].begin == part.begin && given[i].end == part.end;
        if (same && !found) given[i--] = given[--n_given], found = true;
        else others |= given[i].begin < part.end && part.begin < given[i].end;
    }
    return others;
}

void kdsl_resident_begin(const KdslSection *what, void *at, int64_t n_bytes) {
    int64_t device = kdsl_default_device();
    if (n_bytes <= 0 || kdsl_is_in_place_for(what, device, n_bytes)) return;
    Part part = {at, (char *)at + n_bytes};
    hold();
    Table *t = table_of(device);
    if (t) {
        note_given(part);
        Section *s = next_in(t, NULL, part);
        bool is_known = s && (!s->is_lent || (s->begin <= part.begin && s->end >= part.end));
        if (!is_known && kdsl_section_is_lent(device, part, what)) make_room(t, device, part, false, what);
    }
    let_go();
}

void kdsl_resident_end(void *at, int64_t n_bytes) {
    if (n_bytes <= 0) return; /* a call that was refused for its extents */
    Part part = {at, (char *)at + n_bytes};
    kdsl_settle();
    if (!has_tables()) return;
    hold();
    bool stays = is_given_once_more(part);
    for (int64_t d = 0; d < n_tables; d++)
        for (Section *s = NULL; (s = next_in(&tables[d], stays ? s : NULL, part));) {
            if (!s->is_lent) bring_back(s);
            if (!stays) release(&tables[d], s - tables[d].at);
            else if (s->is_lent) send(s, kdsl_section_all(s));
        }
    let_go();
}

/* Without any device launches run on the host, whatever number they name. */
void kdsl_check_device(const char *place, int64_t number) {
    int n = kdsl_target()->n_devices();
    if (number < 0 || (n && number >= n))
        kdsl_fail(place, FAILURE_DEVICE, (long long)number, n);
}
