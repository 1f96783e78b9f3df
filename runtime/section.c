/* section.c -- see section.h. This file handles one device at a time. */
#include "runtime/section.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"
#include "runtime/trace.h"

/* Pieces ----------------------------------------------------------------------------------------------------------- */

bool kdsl_section_find(const Section *s, Part within, Newest newest, Part *found) {
    char *begin = s->begin;
    if (within.begin >= within.end) return false;
    for (int64_t i = 0; i < s->n_pieces && begin < within.end; begin = s->pieces[i++].end) {
        const Piece *p = &s->pieces[i];
        if (p->newest != newest || p->end <= within.begin) continue;
        found->begin = begin > within.begin ? begin : within.begin;
        found->end = p->end < within.end ? p->end : within.end;
        return true;
    }
    return false;
}

static void push(Piece *pieces, int64_t *n, char *begin, char *end, Newest newest) {
    if (begin >= end) return;
    if (*n && pieces[*n - 1].newest == newest) pieces[*n - 1].end = end;
    else pieces[(*n)++] = (Piece){end, newest};
}

/* Room for the pieces, and as much again for those that replace them. */
static void need_room(Section *s) {
    int64_t needed = 2 * (s->n_pieces + 2);
    if (needed <= s->capacity) return;
    Piece *larger = realloc(s->pieces, sizeof *larger * 2 * (size_t)needed);
    if (!larger) kdsl_no_room_in_table();
    s->pieces = larger;
    s->capacity = 2 * needed;
}

void kdsl_section_mark(Section *s, Part part, Newest newest) {
    if (part.begin >= part.end) return;
    if (part.begin <= s->begin && part.end >= s->end) {
        s->pieces[0] = (Piece){s->end, newest};
        s->n_pieces = 1;
        return;
    }
    need_room(s);
    Piece *made = s->pieces + s->capacity / 2;
    int64_t n = 0;
    char *begin = s->begin;
    bool is_in = false;
    for (int64_t i = 0; i < s->n_pieces; begin = s->pieces[i++].end) {
        const Piece *p = &s->pieces[i];
        push(made, &n, begin, p->end < part.begin ? p->end : part.begin, p->newest);
        if (!is_in && p->end > part.begin) push(made, &n, part.begin, part.end, newest);
        is_in |= p->end > part.begin;
        push(made, &n, begin > part.end ? begin : part.end, p->end, p->newest);
    }
    memcpy(s->pieces, made, sizeof *made * (size_t)n);
    s->n_pieces = n;
}

/* Copies ----------------------------------------------------------------------------------------------------------- */

/* A GPU copies pinned memory by DMA, which is faster than through the buffers of the driver; but pinning takes time,
 * too. So only a large array is pinned that has been copied in both directions already, and is about to be copied
 * again. */
static void pin_if_it_pays(Section *s, int64_t n_bytes) {
    int64_t size = kdsl_part_bytes(kdsl_section_all(s)), before = s->moved_bytes;
    if (n_bytes < LEAST_COST_BYTES || size < KDSL_LARGE_FROM_BYTES) return;
    s->moved_bytes += n_bytes;
    bool is_third = before >= 2 * size && before < 3 * size && !s->is_pinned;
    if (is_third && kdsl_is_large_array(s->begin, size)) s->is_pinned = kdsl_nvidia_pin(s->device, s->begin, size);
}

/* In blocks, so that a trace tells how much was compared. */
bool kdsl_part_is_uniform(Part part, const KdslSection *what) {
    enum { WORD = 4, BLOCK = LEAST_COST_BYTES };
    int64_t n = kdsl_part_bytes(part), n_done = 0, start = kdsl_trace_start();
    if (n < LEAST_COST_BYTES || n % WORD || (size_t)part.begin % WORD) return false;
    bool is_same = true;
    for (n -= WORD; is_same && n_done < n;) {
        const char *at = part.begin + n_done;
        int64_t n_block = n - n_done < BLOCK ? n - n_done : BLOCK;
        is_same = !memcmp(at, at + WORD, (size_t)n_block);
        n_done += n_block;
    }
    if (is_same || n_done > BLOCK) kdsl_trace_compared(what, n_done + WORD, start);
    return is_same;
}

/* In place nothing is copied; only a report, which tells what another device would copy, has to know. */
static bool is_uniform(const Section *s, Part part) {
    return (!s->is_in_place || kdsl_report_is_on || KDSL_IS_LIVE) && kdsl_part_is_uniform(part, s->what);
}

/* False: it has to be copied. */
static bool send_value(Section *s, Part part) {
    uint32_t value;
    if (s->is_in_place) return true;
    memcpy(&value, part.begin, sizeof value);
    int64_t n_bytes = kdsl_part_bytes(part), start = kdsl_trace_start();
    if (!kdsl_device_fill(s->device, s->there + (part.begin - s->begin), value, n_bytes)) return false;
    kdsl_trace_filled(s->what, s->device, n_bytes, start);
    return true;
}

static void copy_elements(Section *s, Part part, int64_t direction) {
    void *at = part.begin;
    int64_t n_bytes = kdsl_part_bytes(part);
    if (!s->is_in_place) pin_if_it_pays(s, n_bytes);
    kdsl_moving(s->what, s->device, n_bytes, direction == MAP_TO ? MOVES_IN : MOVES_OUT);
    if (!s->is_in_place)
        kdsl_target()->update((void *)s->what->ident, s->device, 1, &at, &at, &n_bytes, &direction,
                              (void **)&s->what->name, NULL);
    kdsl_moving(NULL, 0, 0, MOVES_NOTHING);
}

static void copy(Section *s, Part part, int64_t direction) {
    if (direction == MAP_TO && is_uniform(s, part) && send_value(s, part)) return;
    copy_elements(s, part, direction);
}

void kdsl_section_send(Section *s, Part part) {
    for (Part p; kdsl_section_find(s, part, ELSEWHERE, &p); kdsl_section_mark(s, p, ON_BOTH)) copy(s, p, MAP_TO);
}

void kdsl_section_peek(Section *s, Part part) {
    for (Part p; kdsl_section_find(s, part, ON_DEVICE, &p); part.begin = p.end) copy(s, p, MAP_FROM);
}

/* Saves the parts of `run` that are newer elsewhere in `kept`, one after the other, or restores them from there. */
static void keep(const Section *s, Part run, char *kept, bool put_back) {
    for (Part p; kdsl_section_find(s, run, ELSEWHERE, &p); run.begin = p.end) {
        memcpy(put_back ? p.begin : kept, put_back ? kept : p.begin, (size_t)kdsl_part_bytes(p));
        kept += kdsl_part_bytes(p);
    }
}

/* Two parts with a small gap between them are copied as one. The caller has locked the table. */
void kdsl_section_fetch(Section *s, Part part) {
    static char kept[LEAST_COST_BYTES];
    for (Part run, p; kdsl_section_find(s, part, ON_DEVICE, &run);) {
        int64_t between = 0;
        while (kdsl_section_find(s, (Part){run.end, part.end}, ON_DEVICE, &p) &&
               (between += p.begin - run.end) <= LEAST_COST_BYTES)
            run.end = p.end;
        keep(s, run, kept, false);
        copy(s, run, MAP_FROM);
        keep(s, run, kept, true);
        while (kdsl_section_find(s, run, ON_DEVICE, &p)) kdsl_section_mark(s, p, ON_BOTH);
    }
}

void kdsl_section_poison(Section *s) {
    size_t n = (size_t)kdsl_part_bytes(kdsl_section_all(s));
    char *kept = s->there == s->begin ? NULL : malloc(n);
    if (!kept) return;
    memcpy(kept, s->begin, n);
    memset(s->begin, 0xA5, n);
    copy(s, kdsl_section_all(s), MAP_TO);
    memcpy(s->begin, kept, n);
    free(kept);
}

/* Room on the device ----------------------------------------------------------------------------------------------- */

/* A mapping has no gaps: its first and last byte tell of all. */
bool kdsl_section_is_lent(int64_t device, Part all, const KdslSection *what) {
    const Target *t = kdsl_target();
    const char *first = t->mapped(all.begin, (int)device), *last = t->mapped(all.end - 1, (int)device);
    if (first && last && last - first == all.end - 1 - all.begin) return true;
    if (!first && !last) return false;
    const char *name;
    int n = kdsl_field(what->name, 0, &name);
    kdsl_fail(NULL, "only a part of `%.*s` is on device %lld: the caller must keep all of it there, or nothing", n,
              name, (long long)device);
}

static void begin_mapping(Section *s, int64_t flags) {
    void *base = s->begin, *at = s->begin;
    int64_t n_bytes = s->end - s->begin, type = MAP_RETURN | flags;
    kdsl_moving(s->what, s->device, n_bytes, flags & MAP_TO ? MOVES_IN : MOVES_ROOM);
    if (!s->is_in_place)
        kdsl_target()->begin_mapping((void *)s->what->ident, s->device, 1, &base, &at, &n_bytes, &type,
                                     (void **)&s->what->name, NULL);
    kdsl_moving(NULL, 0, 0, MOVES_NOTHING);
    s->there = base;
}

static void end_mapping(Section *s) {
    void *at = s->begin;
    int64_t n_bytes = s->end - s->begin, type = s->is_lent ? 0 : MAP_DELETE;
    kdsl_target()->end_mapping((void *)s->what->ident, s->device, 1, &at, &at, &n_bytes, &type, (void **)&s->what->name,
                                 NULL);
}

Section kdsl_section_map(int64_t device, Part all, bool copies, const KdslSection *what) {
    Section s = {.begin = all.begin, .end = all.end, .there = all.begin, .device = device,
                 .what = KDSL_IS_LIVE ? kdsl_section_copy(what) : what};
    if (!s.what) kdsl_no_room_in_table();
    need_room(&s);
    s.is_in_place = kdsl_is_in_place(device);
    s.is_lent = !s.is_in_place && kdsl_section_is_lent(device, all, what);
    if (s.is_lent) copies = false;
    bool is_filled = copies && is_uniform(&s, all);
    if (copies && !is_filled) s.moved_bytes = kdsl_part_bytes(all);
    begin_mapping(&s, copies && !is_filled ? MAP_TO : 0);
    kdsl_section_mark(&s, all, s.is_lent ? ON_DEVICE : copies ? ON_BOTH : ELSEWHERE);
    if (is_filled && !send_value(&s, all)) copy_elements(&s, all, MAP_TO);
    return s;
}

void kdsl_section_unmap(Section *s) {
    if (s->is_pinned) kdsl_nvidia_unpin(s->device, s->begin);
    if (!s->is_in_place) end_mapping(s);
    if (KDSL_IS_LIVE) free((KdslSection *)s->what);
}
