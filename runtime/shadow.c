/* shadow.c -- shadow memory: a dynamic race detector, exact for the run. Each number in an array that a launch may
 * write has a cell of 8 bytes, which says who has accessed it in this launch: the last plain write, else one reader or
 * updater, and whether there were others. The work items run one after another, so a race is found where the second
 * of two accesses is executed that no order separates, and the reports are the same on every run.
 *
 * Time is counted in turns. Without groups a turn is a work item. With groups each interval between two barriers (a
 * phase) begins at a multiple of ITEMS, and the turn of an item is that plus its number in the group. So a turn names
 * launch, group, phase and item: cells are never cleared, those of earlier launches are older than the launch. Two
 * accesses of different groups are unordered; two of one group are unordered if they are of different items in the same
 * phase.
 *
 * A cell that no race has been found on needs little: once an element is written, only items that are ordered with the
 * write may access it, and once two groups have read it, nobody may write it. What does not fit (two readers of one
 * phase; a read after a write of an earlier phase; reads and updates by one item) is a record in a table, which is
 * emptied when the group ends. */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

typedef uint64_t Cell;
typedef enum Kind { /* of a cell, or of an access */
    NOTHING = KDSL_CELL_NOTHING, READ = KDSL_CELL_READ, WRITE = KDSL_CELL_WRITE, UPDATE = KDSL_CELL_UPDATE,
    RECORD = KDSL_CELL_RECORD
} Kind;

enum {
    NUMBER_BITS = KDSL_CELL_NUMBER_BITS, PHASE_SHIFT = KDSL_CELL_PHASE, MANY = KDSL_CELL_MANY,
    KIND_BITS = KDSL_CELL_KIND_BITS, SET = KDSL_CELL_SET, SEVERAL = KDSL_CELL_SEVERAL, SITE_SHIFT = KDSL_CELL_SITE,
    SITE_BITS = KDSL_CELL_SITE_BITS, TURN_SHIFT = KDSL_CELL_TURN, TURN_BITS = KDSL_CELL_TURN_BITS,
    ITEM_BITS = 10, ITEMS = 1 << ITEM_BITS
};
static const uint64_t MOST_TURNS = UINT64_C(1) << TURN_BITS;

static inline Cell cell_of_record(int64_t number) {
    return UINT64_C(1) << KDSL_CELL_IS_RECORD | RECORD | (Cell)number << SITE_SHIFT;
}
static inline Cell many_in(uint64_t phase) { return MANY | phase << PHASE_SHIFT; }
static inline Kind kind_of(Cell c) { return (Kind)(c & ((1 << KIND_BITS) - 1)); }
static inline uint64_t turn_of(Cell c) { return c >> TURN_SHIFT; }
static inline int64_t site_of(Cell c) { return (int64_t)(c >> SITE_SHIFT) & ((1 << SITE_BITS) - 1); }
static inline Cell cell(Kind kind, uint64_t turn, int64_t site, Cell flags) {
    return (Cell)kind | flags | (Cell)site << SITE_SHIFT | turn << TURN_SHIFT;
}

/* What a group has done with an element, if a cell cannot say it. Each is a cell, 0: there is none; the second read and
 * update are of another item in the same phase as the first. */
typedef struct Record {
    Cell *of; /* NULL: free */
    Cell flags;
    uint64_t turn; /* of the last access */
    Cell write, read[2], update[2];
    bool is_shared;
} Record;

typedef struct Block {
    uintptr_t at, n_bytes;
    Cell *cells;
    size_t n_cells; /* there is memory for */
    const KdslShadowArray *array;
    int64_t extents[4];
    int64_t shift;      /* unit_bytes = 1 << shift; -1: parts of several sizes */
    bool needs_value;   /* elements that nothing has written are reported where they are read */
    const uint64_t *oldest; /* what was before this turn does not matter: the launch, or of shared memory the phase */
    int64_t one_bytes;  /* unit_bytes; 0: parts of several sizes */
} Block;

typedef struct Private {
    Block block;
    struct Private *next;
} Private;

typedef struct Turns { /* of a group */
    uint64_t from;
    int64_t number;
} Turns;

typedef struct Touch {
    Kind kind;
    int64_t site, item[3], group;
} Touch;

typedef struct Report {
    Touch now, before; /* before.kind NOTHING: the element had no value */
    const Block *block;
    int64_t element, part;
    uint64_t found, written; /* bits of the element: before the later access, and after it */
    bool has_found, has_written;
} Report;

enum { MOST_SITES = 1 << SITE_BITS, MOST_REPORTS = 1000, MOST_CACHED = MOST_SITES };

static struct {
    pthread_mutex_t lock;
    const KdslShadowKernel *kernel;
    int64_t lo[3], step[3], trips[3];
    uint64_t shift;        /* turn >> shift: the phase */
    uint64_t next;         /* free turns */
    Block *blocks;
    int64_t n_blocks, room;
    KdslShadowCells *cells;    /* what kernels know of the blocks */
    int64_t cells_room;
    const Block *last[MOST_CACHED];
    Private *privates;
    Record *records;
    int64_t n_records, n_kept, records_room, free_record; /* free: number + 1 of the first, linked by .turn */
    Turns *groups;
    int64_t n_groups, groups_room;
    Report reports[MOST_REPORTS];
    int64_t n_reports, n_dropped;
    char problem[200];     /* why the check has been given up */
} s = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = ITEMS};

static KdslShadow now;

/* The check ends here: nothing more is recorded, and the launch fails when it is over. Not before: there may be frames
 * of libomptarget around the kernel. */
__attribute__((format(printf, 1, 2))) static void give_up(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    if (!s.problem[0]) vsnprintf(s.problem, sizeof s.problem, format, ap);
    va_end(ap);
    for (int64_t i = 0; i < s.n_blocks; i++) s.blocks[i].n_bytes = 0;
    s.n_blocks = 0;
}

/* False: out of memory. */
static bool grow(void **at, int64_t *room, int64_t n, size_t bytes) {
    if (n < *room) return true;
    int64_t more = *room ? 2 * *room : 64;
    void *larger = realloc(*at, (size_t)more * bytes);
    if (!larger) {
        give_up("out of memory for --check");
        return false;
    }
    memset((char *)larger + (size_t)*room * bytes, 0, (size_t)(more - *room) * bytes);
    *at = larger;
    *room = more;
    return true;
}

/* Reports ----------------------------------------------------------------------------------------------------- */

static int64_t group_at(uint64_t turn) {
    int64_t lo = 0, hi = s.n_groups;
    while (hi - lo > 1) {
        int64_t mid = (lo + hi) / 2;
        if (s.groups[mid].from <= turn) lo = mid;
        else hi = mid;
    }
    return s.groups[lo].number;
}

/* The values of the domain variables. */
static Touch touch_of(Cell c) {
    Touch t = {.kind = kind_of(c), .site = site_of(c)};
    const KdslShadowKernel *k = s.kernel;
    bool groups = k->by[0] > 0;
    int64_t rest = groups ? (int64_t)(turn_of(c) & (ITEMS - 1)) : (int64_t)(turn_of(c) - now.launch);
    int64_t group = groups ? group_at(turn_of(c)) : 0;
    t.group = group;
    for (int64_t d = k->n_axes; d-- > 0;) {
        int64_t n = groups ? k->by[d] : s.trips[d], at = n ? rest % n : 0;
        rest = n ? rest / n : 0;
        if (groups) {
            int64_t count = (s.trips[d] + k->by[d] - 1) / k->by[d];
            at += group % count * k->by[d];
            group /= count;
        }
        t.item[d] = s.lo[d] + at * s.step[d];
    }
    return t;
}

/* The line of "file.kdsl:12:5", and where it ends. */
static int line_of(const char *place, int *length) {
    const char *column = strrchr(place, ':'), *line = column;
    while (line > place && line[-1] != ':') line--;
    *length = (int)(column - place);
    return atoi(line);
}

static bool same_line(int64_t a, int64_t b) {
    int n, m;
    if (a == b) return true;
    const char *x = s.kernel->sites[a - 1], *y = s.kernel->sites[b - 1];
    line_of(x, &n);
    line_of(y, &m);
    return n == m && !memcmp(x, y, (size_t)n);
}

static bool same_pair(const Report *r, const Block *b, int64_t x, int64_t y) {
    if (r->block->array != b->array) return false;
    if (!x) return !r->before.kind && same_line(r->now.site, y);
    if (!r->before.kind) return false;
    return (same_line(r->before.site, x) && same_line(r->now.site, y)) ||
           (same_line(r->before.site, y) && same_line(r->now.site, x));
}

/* Pairs that have been reported, found again by their sites: one race is often one of millions. */
enum { SEEN = 4096 };
static uint64_t seen[SEEN];

/* Where a part of an element begins, and its size. */
static int64_t part_offset(const KdslShadowArray *a, int64_t part, int64_t *bytes) {
    *bytes = a->unit_bytes;
    if (a->unit_bytes) return part * a->unit_bytes;
    int64_t from = 0, to;
    while (a->part_at[from] != part) from++;
    for (to = from; to < a->elem_bytes && a->part_at[to] == part; to++) continue;
    *bytes = to - from;
    return from;
}

/* The same on every run: memory that nothing has written may hold anything. */
static void note_values(Report *r) {
    const KdslShadowArray *a = r->block->array;
    if (now.every || !r->before.kind) return;
    int64_t bytes, offset = part_offset(a, r->part, &bytes);
    const char *at = (const char *)r->block->at + r->element * a->elem_bytes + offset;
    r->has_found = (r->before.kind == WRITE || a->memory == KDSL_MEMORY_GLOBAL) && bytes <= 8;
    r->has_written = r->now.kind == WRITE && now.value_site == r->now.site;
    if (r->has_found) memcpy(&r->found, at, (size_t)bytes);
    r->written = now.value;
}

static void report(const Block *b, size_t index, Cell before, Cell after) {
    bool init = kind_of(before) == NOTHING;
    if (!(s.kernel->checks & (init ? KDSL_SHADOW_INIT : KDSL_SHADOW_RACE))) return;
    uint64_t key = (uint64_t)(init ? 0 : site_of(before)) << 48 | (uint64_t)site_of(after) << 32 |
                   (uint32_t)((uintptr_t)b->array >> 3);
    uint64_t *known = &seen[key * UINT64_C(0x9e3779b97f4a7c15) >> 52];
    if (*known == key) return;
    *known = key;
    for (int64_t i = 0; i < s.n_reports; i++)
        if (same_pair(&s.reports[i], b, init ? 0 : site_of(before), site_of(after))) return;
    if (s.n_reports == MOST_REPORTS) {
        s.n_dropped++;
        return;
    }
    size_t parts = (size_t)b->array->n_parts;
    Report *r = &s.reports[s.n_reports++];
    *r = (Report){.now = touch_of(after), .block = b};
    r->element = (int64_t)(index / parts);
    r->part = (int64_t)(index % parts);
    if (!init) r->before = touch_of(before);
    note_values(r);
}

typedef struct Text {
    char at[FAILURE_BYTES];
    size_t n;
    const char *place;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, ap);
    va_end(ap);
    t->n = n > 0 && t->n + (size_t)n < sizeof t->at ? t->n + (size_t)n : n > 0 ? sizeof t->at - 1 : t->n;
}

static void put_item(Text *t, const Touch *who) {
    for (int64_t d = 0; d < s.kernel->n_axes; d++)
        put(t, "%s%.24s = %lld", d ? ", " : "", s.kernel->axes[d], (long long)who->item[d]);
}

static void put_element(Text *t, const Report *r) {
    const KdslShadowArray *a = r->block->array;
    int64_t at[4] = {0}, rest = r->element;
    for (int64_t d = a->rank; d-- > 0;) {
        int64_t n = r->block->extents[d];
        at[d] = n ? rest % n : 0;
        rest = n ? rest / n : 0;
    }
    put(t, "`%.200s", a->name);
    for (int64_t d = 0; d < a->rank; d++) put(t, "%s%lld", d ? ", " : "[", (long long)at[d]);
    put(t, "%s%s`", a->rank ? "]" : "", a->parts ? a->parts[r->part] : "");
}

/* With as many digits as tell it from other numbers of its type. */
static void put_float(Text *t, double v, int bits) {
    int digits = 0, most = bits == 64 ? 17 : bits == 32 ? 9 : 5;
    char text[40];
    do snprintf(text, sizeof text, "%.*g", ++digits, v);
    while (digits < most && (bits == 64 ? strtod(text, NULL) != v : strtof(text, NULL) != (float)v));
    put(t, "%s", text);
}

static double half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double v = exponent == 31 ? (fraction ? __builtin_nan("") : __builtin_inf())
                              : __builtin_ldexp(exponent ? fraction + 1024 : fraction, (exponent ? exponent : 1) - 25);
    return bits >> 15 & 1 ? -v : v;
}

static void put_value(Text *t, char kind, int64_t bytes, uint64_t bits) {
    float narrow;
    double wide;
    uint32_t low = (uint32_t)bits;
    int free_bits = 64 - 8 * (int)bytes;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    if (kind == 'b') put(t, "%s", bits & 255 ? "true" : "false");
    else if (kind == 'i') put(t, "%lld", (long long)(bits << free_bits) >> free_bits);
    else if (kind == 'u') put(t, "%llu", (unsigned long long)(bits << free_bits) >> free_bits);
    else put_float(t, bytes == 8 ? wide : bytes == 4 ? (double)narrow : half(bits), 8 * (int)bytes);
}

/* What the later access finds, and what it leaves. */
static void put_values(Text *t, const Report *r) {
    const KdslShadowArray *a = r->block->array;
    int64_t bytes;
    part_offset(a, r->part, &bytes);
    if (!r->has_found || (r->now.kind == WRITE && !r->has_written)) return;
    put(t, " (value: ");
    put_value(t, a->kinds[r->part], bytes, r->found);
    if (r->has_written) {
        put(t, ", then ");
        put_value(t, a->kinds[r->part], bytes, r->written);
    }
    put(t, ")");
}

static const char *const verbs[] = {[WRITE] = "writes it", [READ] = "reads it", [UPDATE] = "updates it atomically"};

/* "line 7"; "prog.kdsl:7" of another file */
static void put_line(Text *t, int64_t site, int64_t here) {
    int n, m;
    const char *place = s.kernel->sites[site - 1], *other = s.kernel->sites[here - 1];
    int line = line_of(place, &n);
    line_of(other, &m);
    size_t file = strcspn(place, ":");
    if (same_line(site, here)) put(t, "%s", site == here ? "here" : "on the same line");
    else if (file == strcspn(other, ":") && !memcmp(place, other, file)) put(t, "on line %d", line);
    else put(t, "at %.*s", n, place);
}

/* The write is what is shown to the reader first; of two writes, the later one. */
static void put_race(Text *t, const Report *r) {
    const Touch *a = &r->now, *b = &r->before;
    if (a->kind == READ || (a->kind == UPDATE && b->kind == WRITE)) a = &r->before, b = &r->now;
    t->place = s.kernel->sites[a->site - 1];
    put(t, "data race on ");
    put_element(t, r);
    put(t, " in `%.200s`: work item ", s.kernel->name);
    put_item(t, a);
    put(t, " %s here, and work item ", verbs[a->kind]);
    put_item(t, b);
    put(t, " %s ", verbs[b->kind]);
    put_line(t, b->site, a->site);
    if (s.kernel->by[0]) put(t, a->group == b->group ? ", with no barrier between them" : ", in another group");
    put_values(t, r);
}

static void put_unset(Text *t, const Report *r) {
    t->place = s.kernel->sites[r->now.site - 1];
    put_element(t, r);
    put(t, " of `%.200s` has no value: work item ", s.kernel->name);
    put_item(t, &r->now);
    put(t, " %s here before anything has written it", verbs[r->now.kind]);
}

/* The kernel, the array and both lines, in any order: later launches do not report them again. */
static uint64_t key_of(const Report *r) {
    uint64_t key = 0, sites[2] = {(uint64_t)r->before.site, (uint64_t)r->now.site};
    const char *name = r->block->array->name;
    for (int i = 0; i < 2; i++) {
        uint64_t h = UINT64_C(0xcbf29ce484222325);
        int n = 0;
        const char *place = sites[i] ? s.kernel->sites[sites[i] - 1] : "";
        if (sites[i]) line_of(place, &n);
        for (int k = 0; k < n; k++) h = (h ^ (unsigned char)place[k]) * UINT64_C(0x100000001b3);
        key += h;
    }
    for (; *name; name++) key = (key ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    for (name = s.kernel->name; *name; name++) key = (key ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return key;
}

static void print_reports(void) {
    if (!s.n_reports) return;
    for (int64_t i = 0; i < s.n_reports; i++) {
        Text t = {.n = 0};
        if (s.reports[i].before.kind) put_race(&t, &s.reports[i]);
        else put_unset(&t, &s.reports[i]);
        kdsl_found_once(key_of(&s.reports[i]), t.place, t.at);
    }
    if (s.n_dropped) {
        Text t = {.n = 0};
        put(&t, "%lld more races in `%.200s`", (long long)s.n_dropped, s.kernel->name);
        kdsl_found_once(0, NULL, t.at);
    }
    s.n_reports = s.n_dropped = 0;
    memset(seen, 0, sizeof seen);
}

/* Records ----------------------------------------------------------------------------------------------------- */

/* Are an earlier access and this one of different items, and does nothing order them? */
static inline bool unordered(Cell before, uint64_t turn) {
    uint64_t was = turn_of(before);
    return was != turn && (was < now.first || was >> s.shift == turn >> s.shift);
}

static Record *record_of(Cell *at) {
    uint64_t number = *at >> SITE_SHIFT & ((1 << NUMBER_BITS) - 1);
    return number < (uint64_t)s.n_records && s.records[number].of == at ? &s.records[number] : NULL;
}

static Record *record_new(const Block *b, Cell *at, Cell flags) {
    int64_t number = s.free_record - 1;
    if (s.free_record) {
        s.free_record = (int64_t)s.records[number].turn;
    } else {
        static Record nobody;
        if (s.n_records >> NUMBER_BITS) give_up("`%s` has too many elements for --check", s.kernel->name);
        if (s.problem[0] || !grow((void **)&s.records, &s.records_room, s.n_records, sizeof *s.records)) return &nobody;
        number = s.n_records++;
    }
    Record *r = &s.records[number];
    *r = (Record){.of = at, .flags = flags, .turn = now.turn, .is_shared = b->array->memory == KDSL_MEMORY_SHARED};
    *at = cell_of_record(number);
    return r;
}

static void record_free(Record *r) {
    r->of = NULL;
    r->turn = (uint64_t)s.free_record;
    s.free_record = r - s.records + 1;
}

static void note(Cell two[2], Cell access) {
    uint64_t phase = turn_of(access) >> s.shift;
    if (!two[0] || turn_of(two[0]) >> s.shift != phase) {
        two[0] = access;
        two[1] = 0;
    } else if (turn_of(two[0]) != turn_of(access) && !two[1]) {
        two[1] = access;
    }
}

static void compare(const Block *b, size_t index, Cell before, Cell access) {
    if (before && unordered(before, turn_of(access))) report(b, index, before, access);
}

static bool is_of(Cell access, uint64_t phase) { return access && turn_of(access) >> s.shift == phase; }

static void mark_many(const Block *b, const Record *r) {
    uint64_t phase = now.turn >> s.shift;
    bool reads_only = is_of(r->read[1], phase) && !is_of(r->update[0], phase);
    bool updates_only = is_of(r->update[1], phase) && !is_of(r->read[0], phase);
    bool many = (reads_only || updates_only) && !is_of(r->write, phase);
    bool has_value = r->flags & SET || !b->needs_value;
    *r->of = cell_of_record(r - s.records) | (many && has_value && s.shift ? many_in(phase) : 0) |
             (updates_only ? KDSL_CELL_UPDATES : 0);
}

static void touch_record(const Block *b, size_t index, Record *r, Cell access) {
    Kind kind = kind_of(access);
    Cell *at = r->of;
    r->turn = turn_of(access);
    compare(b, index, r->write, access);
    for (int i = 0; i < 2; i++) {
        if (kind != READ) compare(b, index, r->read[i], access);
        if (kind != UPDATE) compare(b, index, r->update[i], access);
    }
    if (kind == WRITE) { /* whoever races with an earlier access races with this one */
        record_free(r);
        *at = access;
        return;
    }
    r->flags |= access & SET;
    note(kind == READ ? r->read : r->update, access);
    mark_many(b, r);
}

/* At the end of a group: for the others it is enough that the group has written, or has read, or has updated. */
static void settle_records(void) {
    int64_t kept = s.n_kept;
    for (int64_t i = s.n_kept; i < s.n_records; i++) {
        Record r = s.records[i];
        if (!r.of || r.is_shared) continue;
        if (r.write || !r.read[0] || !r.update[0]) {
            *r.of = (r.write ? r.write : r.read[0] ? r.read[0] : r.update[0]) | r.flags;
            continue;
        }
        s.records[kept] = r;
        *r.of = cell_of_record(kept++);
    }
    s.n_records = s.n_kept = kept;
    s.free_record = 0;
}

/* Accesses ---------------------------------------------------------------------------------------------------- */

static void touch(const Block *b, size_t index, Kind kind, int64_t site) {
    Cell *at = &b->cells[index], c = *at, flags = c & SET;
    uint64_t turn = now.turn;
    bool is_shared = b->array->memory == KDSL_MEMORY_SHARED;
    uint64_t oldest = *b->oldest;
    Kind was = kind_of(c);
    bool needs_value = b->needs_value && kind != WRITE;
    if (was != RECORD && turn_of(c) == turn && (was == WRITE || was == kind) && (!needs_value || flags)) return;
    Record *r = NULL;
    if (was == RECORD) {
        r = record_of(at);
        flags = r && r->turn >= (is_shared ? now.first : now.launch) ? r->flags : 0;
        if (r && r->turn < oldest) { /* shared memory, of an earlier phase */
            record_free(r);
            r = NULL;
        }
        was = r ? RECORD : NOTHING;
    } else if (turn_of(c) < oldest) {
        if (turn_of(c) < (is_shared ? now.first : now.launch)) flags = 0;
        was = NOTHING;
    }
    if (needs_value && !flags)
        report(b, index, 0, cell(kind, turn, site, 0));
    Cell access = cell(kind, turn, site, kind == READ ? flags : SET);
    switch (was) {
    case NOTHING: *at = access; return;
    case RECORD: touch_record(b, index, r, access); return;
    case WRITE:
        if (unordered(c, turn)) {
            report(b, index, c, access);
            if (kind == WRITE) *at = access;
        } else if (kind == WRITE) {
            *at = access;
        } else if (turn_of(c) != turn) {
            r = record_new(b, at, SET);
            r->write = c;
            note(kind == READ ? r->read : r->update, access);
        }
        return;
    case READ:
    case UPDATE: break;
    }
    bool other = c & SEVERAL || unordered(c, turn);
    if (kind == WRITE) {
        if (other) report(b, index, c, access);
        *at = access;
    } else if (kind != was) {
        if (other) {
            report(b, index, c, access);
            *at |= access & SET;
            return;
        }
        r = record_new(b, at, access & SET);
        note(was == READ ? r->read : r->update, c);
        note(kind == READ ? r->read : r->update, access);
    } else if (c & SEVERAL || turn_of(c) == turn) {
        *at |= access & SET;
    } else if (turn_of(c) < now.first) {
        *at = c | SEVERAL;
    } else if (other) {
        r = record_new(b, at, access & SET);
        note(kind == READ ? r->read : r->update, c);
        note(kind == READ ? r->read : r->update, access);
        mark_many(b, r);
    } else {
        *at = access; /* of a later phase */
    }
}

static const Block *block_at(uintptr_t at, int64_t site) {
    for (int64_t i = 0; i < s.n_blocks; i++)
        if (at - s.blocks[i].at < s.blocks[i].n_bytes) return s.last[site] = &s.blocks[i];
    return NULL;
}

static void touch_parts(const Block *b, uintptr_t offset, int64_t n_bytes, Kind kind, int64_t site) {
    const KdslShadowArray *a = b->array;
    if (b->shift >= 0) {
        size_t end = (size_t)(offset + (uintptr_t)n_bytes - 1) >> b->shift;
        for (size_t i = offset >> b->shift; i <= end; i++) touch(b, i, kind, site);
        return;
    }
    size_t last = SIZE_MAX;
    for (uintptr_t at = offset; at < offset + (uintptr_t)n_bytes; at++) {
        uintptr_t element = at / (uintptr_t)a->elem_bytes;
        uint16_t part = a->part_at[at % (uintptr_t)a->elem_bytes];
        size_t index = element * (size_t)a->n_parts + part;
        if (part == UINT16_MAX || index == last) continue;
        touch(b, index, kind, site);
        last = index;
    }
}

static void touch_all(uintptr_t at, int64_t n_bytes, Kind kind, int64_t site) {
    const Block *b = s.last[site];
    if (!b || at - b->at >= b->n_bytes) b = block_at(at, site);
    if (!b || n_bytes <= 0) return;
    uintptr_t offset = at - b->at;
    if ((uintptr_t)n_bytes > b->n_bytes - offset) n_bytes = (int64_t)(b->n_bytes - offset);
    if (!now.every) {
        touch_parts(b, offset, n_bytes, kind, site);
        return;
    }
    int64_t items = s.kernel->by[0]; /* what all items do: the first and the last stand for them */
    for (int64_t d = 1; d < s.kernel->n_axes; d++) items *= s.kernel->by[d];
    for (int64_t i = 0; i < 2 && i < items; i++) {
        now.turn = now.phase + (uint64_t)(i ? items - 1 : 0);
        touch_parts(b, offset, n_bytes, kind, site);
    }
}

/* Most accesses are of one number, in the array of the last access at this place; and most of these are the first to an
 * element in this launch or phase, or of the item whose access was the last one. touch() says the same at length. */
__attribute__((always_inline)) static inline void record(uintptr_t at, int64_t n_bytes, Kind kind, int64_t site) {
    const Block *b = s.last[site];
    if (__builtin_expect(!b || now.every, 0) || at - b->at >= b->n_bytes || n_bytes != b->one_bytes) {
        touch_all(at, n_bytes, kind, site);
        return;
    }
    size_t index = (at - b->at) >> b->shift;
    Cell *to = &b->cells[index], c = *to, mine = cell(kind, now.turn, site, 0);
    Kind was = kind_of(c);
    if (was == RECORD) {
        Cell many = cell_of_record(0) | many_in(now.phase >> ITEM_BITS);
        Cell number = cell_of_record((1 << NUMBER_BITS) - 1);
        if (kind == UPDATE) many |= KDSL_CELL_UPDATES;
        if (kind != WRITE && (c & ~number) == (many & ~number)) return;
    } else if (!b->needs_value) {
        bool is_mine = turn_of(c) == now.turn && !(c & SEVERAL);
        if (turn_of(c) < *b->oldest || (is_mine && kind == WRITE)) {
            *to = mine;
            return;
        }
        if (is_mine && (was == kind || was == WRITE)) return;
        if (c & SEVERAL && was == kind && kind != WRITE) return;
    }
    touch(b, index, kind, site);
}

static void reads(uint64_t at, int64_t n_bytes, int64_t site) { record(at, n_bytes, READ, site); }
static void writes(uint64_t at, int64_t n_bytes, int64_t site) {
    record(at, n_bytes, WRITE, site);
    now.value_site = 0;
}
static void updates(uint64_t at, int64_t n_bytes, int64_t site) { record(at, n_bytes, UPDATE, site); }

/* Arrays of one item have no cells. */
static const Block *block_of_item(const KdslShadowArray *a) {
    for (Private *p = s.privates; p; p = p->next)
        if (p->block.array == a) return &p->block;
    Private *p = calloc(1, sizeof *p);
    if (!p) {
        give_up("out of memory for --check");
        return NULL;
    }
    *p = (Private){.block = {.array = a}, .next = s.privates};
    for (int64_t d = 0; d < a->rank; d++) p->block.extents[d] = a->extents[d];
    s.privates = p;
    return &p->block;
}

static void unset(const KdslShadowArray *a, const char *flags, int64_t offset, int64_t n_bytes, int64_t site) {
    uint64_t turn = now.every ? now.phase : now.turn;
    for (int64_t at = offset; at < offset + n_bytes; at++) {
        int64_t byte = at % a->elem_bytes, part = a->unit_bytes ? byte / a->unit_bytes : a->part_at[byte];
        if (flags[at] || part == UINT16_MAX) continue;
        const Block *b = block_of_item(a);
        if (b) report(b, (size_t)(at / a->elem_bytes * a->n_parts + part), 0, cell(READ, turn, site, 0));
        return;
    }
}

/* Launches ---------------------------------------------------------------------------------------------------- */

/* Turns have run out, after days: from here on all cells are of no launch. */
static void begin_again(void) {
    for (int64_t i = 0; i < s.room; i++) {
        free(s.blocks[i].cells);
        s.blocks[i] = (Block){0};
    }
    s.next = ITEMS;
}

static void domain(const int64_t *lo, const int64_t *step, const int64_t *trips) {
    uint64_t items = 1;
    bool groups = s.kernel->by[0] > 0, too_many = false;
    for (int64_t d = 0; d < s.kernel->n_axes; d++) {
        s.lo[d] = lo[d], s.step[d] = step[d], s.trips[d] = trips[d];
        too_many |= __builtin_mul_overflow(items, (uint64_t)trips[d], &items);
    }
    if (!groups && (too_many || items >= MOST_TURNS - s.next)) {
        begin_again();
        if (too_many || items >= MOST_TURNS - s.next) {
            give_up("`%s` has too many work items for --check", s.kernel->name);
            return;
        }
    }
    s.shift = groups ? ITEM_BITS : 0;
    now.launch = s.next;
    now.first = groups ? s.next : UINT64_MAX;
    now.turn = now.phase = s.next;
    if (groups) return;
    now.turn = s.next - 1; /* each item begins with the next one */
    s.next += items;
}

static void array(int64_t number, uint64_t at, const int64_t *extents) {
    const KdslShadowArray *a = &s.kernel->arrays[number];
    if (s.problem[0] || !grow((void **)&s.blocks, &s.room, number, sizeof *s.blocks)) return;
    Block *b = &s.blocks[number];
    int64_t n = 1;
    for (int64_t d = 0; d < a->rank; d++) {
        n *= extents[d];
        b->extents[d] = extents[d];
    }
    b->array = a;
    b->at = (uintptr_t)at;
    b->n_bytes = (uintptr_t)(n * a->elem_bytes);
    b->one_bytes = a->unit_bytes;
    b->needs_value = a->is_exposed;
    b->oldest = a->memory == KDSL_MEMORY_SHARED ? &now.phase : &now.launch;
    b->shift = a->unit_bytes ? __builtin_ctzll((unsigned long long)a->unit_bytes) : -1;
    size_t cells = (size_t)n * (size_t)a->n_parts;
    if (cells > b->n_cells) {
        free(b->cells);
        b->cells = calloc(cells, sizeof *b->cells);
        b->n_cells = b->cells ? cells : 0;
        if (!b->cells) {
            b->n_bytes = 0;
            give_up("out of memory for --check: `%s` needs %zu bytes", a->name, cells * sizeof *b->cells);
            return;
        }
    }
    if (number >= s.n_blocks) s.n_blocks = number + 1;
    if (!grow((void **)&s.cells, &s.cells_room, number, sizeof *s.cells)) return;
    s.cells[number] = (KdslShadowCells){b->at, b->n_bytes, b->cells};
    now.cells = s.cells;
}

static void next_phase(void) {
    s.next += ITEMS;
    if (s.next >= MOST_TURNS) give_up("`%s` has too many groups and barriers for --check", s.kernel->name);
}

static void group(int64_t number) {
    settle_records();
    if (!grow((void **)&s.groups, &s.groups_room, s.n_groups, sizeof *s.groups)) return;
    s.groups[s.n_groups++] = (Turns){s.next, number};
    now.first = now.phase = now.turn = s.next;
    next_phase();
}

static void barrier(void) {
    now.phase = now.turn = s.next;
    next_phase();
}

KdslShadow *kdsl_shadow_begin(const KdslShadowKernel *kernel) {
    pthread_mutex_lock(&s.lock);
    s.kernel = kernel;
    if (s.next >= MOST_TURNS / 2) begin_again();
    s.next = (s.next + ITEMS - 1) / ITEMS * ITEMS;
    now = (KdslShadow){.domain = domain, .array = array, .group = group, .barrier = barrier,
                       .reads = reads, .writes = writes, .updates = updates, .unset = unset};
    return &now;
}

static bool has_value(Cell *at) {
    const Record *r = kind_of(*at) == RECORD ? record_of(at) : NULL;
    return r ? r->turn >= now.launch && r->flags & SET : *at & SET && turn_of(*at) >= now.launch;
}

static void check_written(const Block *b) { /* `assume written(x)` in the head of the kernel */
    int64_t n = 0, first = 0, cells = (int64_t)(b->n_bytes / (uintptr_t)b->array->elem_bytes) * b->array->n_parts;
    for (int64_t i = cells; i-- > 0;)
        if (!has_value(&b->cells[i])) n++, first = i;
    if (!n) return;
    Text t = {.place = b->array->written};
    Report r = {.block = b, .element = first / b->array->n_parts, .part = first % b->array->n_parts};
    put(&t, "`%.200s` assumes that every element of `%.200s` is written, but ", s.kernel->name, b->array->name);
    put_element(&t, &r);
    put(&t, n > 1 ? " and %lld others are not" : " is not", (long long)(n - 1));
    kdsl_found_once(key_of(&r), t.place, t.at);
}

void kdsl_shadow_end(void) {
    print_reports();
    for (int64_t i = 0; i < s.n_blocks && !s.problem[0]; i++)
        if (s.blocks[i].n_bytes && s.blocks[i].array->written) check_written(&s.blocks[i]);
    for (int64_t i = 0; i < s.n_blocks; i++) s.blocks[i].n_bytes = 0;
    s.n_blocks = s.n_records = s.n_kept = s.free_record = s.n_groups = 0;
    memset(s.last, 0, (size_t)(s.kernel->n_sites + 1) * sizeof *s.last);
    char problem[sizeof s.problem];
    memcpy(problem, s.problem, sizeof problem);
    s.problem[0] = '\0';
    pthread_mutex_unlock(&s.lock);
    if (problem[0]) kdsl_fail(NULL, "%s", problem);
}
