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
    int64_t apart_bytes; /* what parts that moved by themselves have cost since a launch has written it */
    int64_t moved_bytes; /* both ways, in large pieces */
    bool is_pinned;
    void *room;   /* memory that this program gave the device, with `there` in it; NULL: the device has its own */
    const KdslSection *what;
} Section;

enum { LEAST_COST_BYTES = 1 << 16 }; /* a small copy takes about as long as one of this size */

/* resident.c: the program or the call ends. Whoever calls it has changed nothing yet, or has left everything in order: the
 * tables are looked through once more at the end, and after a call that failed. */
KDSL_RT _Noreturn void kdsl_no_room_in_table(void);

/* Room for it on the device. copies: what the host has goes there with it; else everything is elsewhere. */
KDSL_RT Section kdsl_section_map(int64_t device, Part all, bool copies, const KdslSection *what);
KDSL_RT void kdsl_section_unmap(Section *s); /* its pieces are left */
/* The first part of `within` that is like that. */
KDSL_RT bool kdsl_section_find(const Section *s, Part within, Newest newest, Part *found);
KDSL_RT void kdsl_section_mark(Section *s, Part part, Newest newest);
/* What of it is newest on the device, to the host, which does not overwrite what it has newer; then it is on both. */
KDSL_RT void kdsl_section_fetch(Section *s, Part part);
/* What of it is elsewhere, from the host to the device; then it is on both. The host has it. */
KDSL_RT void kdsl_section_send(Section *s, Part part);
/* What is newest on the device, and nothing is said of it: the next one who looks at it has to ask again. */
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
