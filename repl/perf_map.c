/* perf_map.c -- see perf_map.h. Only global symbols can be looked up. A section is loaded as one piece, so the address
 * of one of its global functions tells those of its local ones. */
#include "repl/perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Bases {
    Blob object;
    uint64_t (*address_of)(void *context, const char *name);
    void *context;
    int section; /* of `base` */
    uint64_t base;
} Bases;

/* Where the section is loaded; 0: not known. The functions of a section usually follow one another. */
static uint64_t base_of(Bases *b, int section) {
    OffFunction f;
    if (b->section == section) return b->base;
    b->section = section;
    b->base = 0;
    for (int k = 0; !b->base && off_function(b->object, k, &f); k++) {
        uint64_t at = f.section == section && f.is_global ? b->address_of(b->context, f.name) : 0;
        if (at) b->base = at - f.at;
    }
    return b->base;
}

/* Without the hashes by which a session tells definitions of one name apart (code.c): `kernel.step.1a2b...f.task`. */
static void put_name(FILE *map, const char *name) {
    enum { HASH_DIGITS = 16 };
    while (*name) {
        size_t n = *name == '.' ? strspn(name + 1, "0123456789abcdef") : 0;
        bool is_hash = n == HASH_DIGITS && (!name[1 + n] || name[1 + n] == '.');
        if (is_hash) name += 1 + n;
        else putc(*name++, map);
    }
    putc('\n', map);
}

void perf_map_add(Blob object, uint64_t (*address_of)(void *context, const char *name), void *context) {
    char path[64];
    OffFunction f;
    Bases b = {object, address_of, context, -1, 0};
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *map = fd >= 0 ? fdopen(fd, "a") : NULL;
    if (!map && fd >= 0) close(fd);
    for (int k = 0; map && off_function(object, k, &f); k++) {
        uint64_t base = base_of(&b, f.section);
        if (!base || !f.n_bytes) continue;
        fprintf(map, "%llx %llx ", (unsigned long long)(base + f.at), (unsigned long long)f.n_bytes);
        put_name(map, f.name);
    }
    if (map) fclose(map);
}
