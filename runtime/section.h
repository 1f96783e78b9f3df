/* section.h -- a section: a part of the memory of an array that a device has a copy of. The newest value of each byte
 * is on both sides, on the device alone, or elsewhere (on the host, or on another device, from which it is copied
 * through the host). Two invariants hold over all devices (resident.c maintains them):
 * - a byte whose newest value is on one device alone is on no other device;
 * - a byte whose newest value is on no device alone has its newest value on the host. */
#ifndef KDSL_RUNTIME_SECTION_H
#define KDSL_RUNTIME_SECTION_H

#include <stdbool.h>

#include "runtime/runtime.h"

typedef enum Newest { ON_BOTH, ON_DEVICE, ELSEWHERE } Newest;

typedef struct Part {
    char *begin, *end;
} Part;

/* Pieces of the section in order; no two that touch are alike. */
typedef struct Piece {
    char *end;
    Newest newest;
} Piece;

typedef struct Section {
    char *begin, *end, *there; /* there: the device's copy; the host's own memory where both see one */
    int64_t device;
    Piece *pieces;
    int64_t n_pieces, capacity;
    int64_t apart_bytes; /* the cost of single copies since the last launch that wrote it */
    int64_t moved_bytes; /* both ways, in large pieces */
    bool is_pinned;
    bool is_lent;     /* mapped by the caller of an exported function, before the call and after it */
    bool is_in_place; /* the device works in the host's memory: copies are counted for the report, and not made */
    const KdslSection *what;
} Section;

enum { LEAST_COST_BYTES = 1 << 16 }; /* a small copy takes about as long as one of this size */

/* resident.c: out of memory: ends the program or the call. The caller has changed nothing yet, or has left the tables
 * consistent: they are used once more at the end, and after a failed call. */
KDSL_RT _Noreturn void kdsl_no_room_in_table(void);

/* Was it filled with one value of at most 4 bytes, zeros say? Then it is not copied: the device fills its own memory.
 * Comparing its elements costs less than copying them, and almost nothing where the first values differ; but it is
 * done only for what would be copied otherwise, and once. */
KDSL_RT bool kdsl_part_is_uniform(Part part, const KdslSection *what);
/* Is it mapped already, by other code than ours: with kdsl_keep, or by OpenMP's `target data`? Fails if only a part is.
 * Then the newest copy is on the device. */
KDSL_RT bool kdsl_section_is_lent(int64_t device, Part all, const KdslSection *what);
/* Allocates it on the device. copies: with the contents of the host; else all bytes are elsewhere. Of a lent section,
 * all bytes are on the device. */
KDSL_RT Section kdsl_section_map(int64_t device, Part all, bool copies, const KdslSection *what);
KDSL_RT void kdsl_section_unmap(Section *s); /* its pieces are left */
/* The first part of `within` in that state. */
KDSL_RT bool kdsl_section_find(const Section *s, Part within, Newest newest, Part *found);
KDSL_RT void kdsl_section_mark(Section *s, Part part, Newest newest);
/* Copies to the host each piece whose newest copy is on the device; pieces that are newer on the host are left alone.
 * The pieces are then on both sides. */
KDSL_RT void kdsl_section_fetch(Section *s, Part part);
/* Copies to the device each piece whose newest copy is elsewhere, which the host has. The pieces are then on both
 * sides. */
KDSL_RT void kdsl_section_send(Section *s, Part part);
/* Copies to the host what is newest on the device, without recording that: the next reader copies again. */
KDSL_RT void kdsl_section_peek(Section *s, Part part);
/* Everything on the device becomes a pattern. */
KDSL_RT void kdsl_section_poison(Section *s);

static inline Part kdsl_section_all(const Section *s) { return (Part){s->begin, s->end}; }

static inline bool kdsl_section_has(const Section *s, Part within, Newest newest) {
    Part found;
    return kdsl_section_find(s, within, newest, &found);
}

static inline Part kdsl_section_within(const Section *s, Part p) {
    return (Part){s->begin > p.begin ? s->begin : p.begin, s->end < p.end ? s->end : p.end};
}

static inline int64_t kdsl_part_bytes(Part p) { return p.end - p.begin; }

#endif
