/* intern.c -- string interning: a hash table with open addressing, doubled when half full, so that equal names are the
 * same pointer. Also the edit distance of names, for "did you mean". */
#include "base/base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct InternSlot {
    uint32_t hash, n;
    Name text; /* NULL: free */
};

static uint32_t hash_bytes(const char *text, size_t n) { /* FNV-1a */
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

/* The slot of this name, or the free slot to insert it at. */
static struct InternSlot *slot_of(struct InternSlot *slots, uint32_t cap, const char *text, size_t n, uint32_t hash) {
    for (uint32_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        struct InternSlot *s = &slots[i];
        if (!s->text || (s->hash == hash && s->n == n && !memcmp(s->text, text, n))) return s;
    }
}

static void grow(Interner *in) {
    uint32_t cap = in->cap ? in->cap * 2 : 256;
    struct InternSlot *slots = arena_array(in->arena, struct InternSlot, cap);
    for (uint32_t i = 0; i < in->cap; i++) {
        struct InternSlot *s = &in->slots[i];
        if (s->text) *slot_of(slots, cap, s->text, s->n, s->hash) = *s;
    }
    in->slots = slots;
    in->cap = cap;
}

Name name_intern(Interner *in, const char *text, size_t n) {
    if (in->n * 2 >= in->cap) grow(in);
    uint32_t hash = hash_bytes(text, n);
    struct InternSlot *s = slot_of(in->slots, in->cap, text, n, hash);
    if (!s->text) {
        *s = (struct InternSlot){hash, (uint32_t)n, arena_strndup(in->arena, text, n)};
        in->n++;
    }
    return s->text;
}

Name name_of(Interner *in, const char *text) { return name_intern(in, text, strlen(text)); }

void interner_free(Interner *in) { *in = (Interner){0}; } /* the arena owns the memory */

/* `areaOfCircle` and `area_of_circle` */
static bool is_same_but_for_style(const char *a, const char *b) {
    for (;; a++, b++) {
        while (*a == '_') a++;
        while (*b == '_') b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

/* Optimal string alignment, with three rows of the dynamic programming table; longer names have no suggestions. */
int edit_distance(const char *a, const char *b, int cap) {
    enum { MAX = 64 };
    size_t na = strlen(a), nb = strlen(b);
    if (is_same_but_for_style(a, b)) return strcmp(a, b) != 0;
    if (na >= MAX || nb >= MAX || llabs((long long)na - (long long)nb) > cap) return cap + 1;
    int rows[3][MAX] = {{0}};
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++) above[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
        int *free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[nb] > cap ? cap + 1 : above[nb];
}
