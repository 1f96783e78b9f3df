/* warp.c -- coalescing and bank conflicts: the sectors of memory, and the banks of shared memory, that a warp accesses
 * together. The address of a lane is the sum of its index along each axis times the stride there. Where a stride is an
 * extent of unknown size, rows are assumed to be far apart, so that they share no sector. */
#include <string.h>

#include "irgen/advice/advice.h"

enum { BANKS = 32, BANK_BYTES = 4 }; /* CUDA C++ Programming Guide, shared memory; AMD's LDS has as many banks */

static const int64_t FAR = (int64_t)1 << 36; /* assumed bytes between rows of unknown length */

/* Threads of a block are linearised with x fastest, then y, then z. */
Warp warp_of(const int64_t *threads) {
    Warp w;
    int64_t left = WARP;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        w.across[axis] = threads[axis] < left ? threads[axis] : left;
        left /= w.across[axis];
        if (left < 1) left = 1;
    }
    return w;
}

static bool is_known(const Warp *w, const Steps *address) {
    for (int axis = 0; axis < GRID_AXES; axis++)
        if (w->across[axis] > 1 && address->along[axis].kind == STEP_ANY) return false;
    return true;
}

static int lanes_of(const Warp *w) { return (int)(w->across[0] * w->across[1] * w->across[2]); }

static int64_t address_of(const Warp *w, const Steps *address, int64_t element, int lane) {
    int64_t at = 0;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        int64_t place = lane % w->across[axis];
        lane /= (int)w->across[axis];
        const Step *s = &address->along[axis];
        if (s->kind == STEP_KNOWN) at += place * s->by * element;
        if (s->kind == STEP_SIZE) at += place * (FAR << 6 * axis);
    }
    return at;
}

typedef struct Set {
    int64_t at[WARP * 64];
    int n;
} Set;

static void put(Set *s, int64_t v) {
    for (int i = 0; i < s->n; i++)
        if (s->at[i] == v) return;
    if (s->n < (int)(sizeof s->at / sizeof *s->at)) s->at[s->n++] = v;
}

/* Accesses wider than a word are executed in halves or quarters of a warp, in each of which a bank delivers one
 * word. */
static int conflict(const int64_t *at, int n, int64_t bytes) {
    int together = bytes <= BANK_BYTES ? WARP : bytes <= 2 * BANK_BYTES ? WARP / 2 : WARP / 4, most = 1;
    for (int first = 0; first < n; first += together) {
        Set words = {.n = 0};
        int in_bank[BANKS] = {0};
        for (int i = first; i < n && i < first + together; i++)
            for (int64_t b = 0; b < bytes; b += BANK_BYTES) put(&words, (at[i] + b) / BANK_BYTES);
        for (int i = 0; i < words.n; i++) {
            int lanes = ++in_bank[words.at[i] % BANKS];
            if (lanes > most) most = lanes;
        }
    }
    return most;
}

WarpCost warp_cost(const Warp *w, const Steps *address, int64_t element, int64_t bytes) {
    WarpCost cost = {.known = is_known(w, address)};
    Set places = {.n = 0}, sectors = {.n = 0};
    int64_t at[WARP], first = 0;
    int n = lanes_of(w);
    if (!cost.known) return cost;
    for (int i = 0; i < n; i++) {
        at[i] = address_of(w, address, element, i);
        if (at[i] < first) first = at[i];
    }
    for (int i = 0; i < n; i++) {
        at[i] -= first;
        put(&places, at[i]);
        for (int64_t s = at[i] / SECTOR_BYTES; s <= (at[i] + bytes - 1) / SECTOR_BYTES; s++) put(&sectors, s);
    }
    cost.places = places.n;
    cost.sectors = sectors.n;
    cost.least = (int)((places.n * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
    cost.ways = conflict(at, n, bytes);
    return cost;
}
