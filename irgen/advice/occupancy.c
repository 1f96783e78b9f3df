/* occupancy.c -- occupancy: how many blocks of a kernel are resident on a multiprocessor, or an AMD compute unit,
 * limited by registers, warp slots and shared memory. Sources: CUDA C++ Programming Guide, technical specifications by
 * compute capability, and cuda_occupancy.h of its toolkit, for granularities;
 * llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp of LLVM 22, and AMDGPUUsage.rst. gfx1100: the limits of a work-group
 * processor, two compute units in one, which is LLVM's default mode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "irgen/advice/advice.h"

typedef struct Limits {
    const char *arch;
    int warp;                     /* threads of a warp */
    int parts, warps;             /* partitions, each with its own registers and warp slots; warp slots of each */
    int registers, register_unit; /* registers of a partition for each lane; allocation granularity */
    int blocks;
    int shared, shared_unit, shared_each; /* bytes; granularity; shared_each: reserved by the system in each block */
} Limits;

enum { KIB = 1024 };

static const Limits limits[] = {
    {"sm_75", 32, 4, 8, 512, 8, 16, 64 * KIB, 256, 0},       {"sm_80", 32, 4, 16, 512, 8, 32, 164 * KIB, 128, KIB},
    {"sm_86", 32, 4, 12, 512, 8, 16, 100 * KIB, 128, KIB},   {"sm_89", 32, 4, 12, 512, 8, 24, 100 * KIB, 128, KIB},
    {"sm_90", 32, 4, 16, 512, 8, 32, 228 * KIB, 128, KIB},   {"sm_100", 32, 4, 16, 512, 8, 32, 228 * KIB, 128, KIB},
    {"gfx90a", 64, 4, 8, 512, 8, 16, 64 * KIB, 512, 0},      {"gfx942", 64, 4, 8, 512, 8, 16, 64 * KIB, 512, 0},
    {"gfx1100", 32, 4, 16, 1536, 24, 32, 128 * KIB, 512, 0},
};

static const Limits *limits_of(const char *arch) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].arch, arch)) return &limits[i];
    return NULL;
}

static int round_up(int64_t v, int unit) { return (int)((v + unit - 1) / unit * unit); }

static void limit(Occupancy *o, int64_t blocks, const char *what) {
    if (blocks >= o->blocks) return;
    o->blocks = (int)blocks;
    o->limit = what;
}

/* Of several equal limits the first is reported: more registers would not help if there are no warp slots left. */
Occupancy occupancy(const char *arch, int64_t threads, const LaunchResources *r) {
    const Limits *l = limits_of(arch);
    if (!l) return (Occupancy){.known = false};
    int warps = round_up(threads, l->warp) / l->warp;
    Occupancy o = {.known = true, .most_threads = l->parts * l->warps * l->warp, .blocks = l->parts * l->warps / warps};
    o.limit = "the number of threads";
    if (warps > 1 || l->warp == 32) limit(&o, l->blocks, "the number of blocks");
    if (r->known && r->registers) {
        int in_part = l->registers / round_up(r->registers, l->register_unit);
        limit(&o, (int64_t)in_part * l->parts / warps, "registers");
    }
    int64_t shared = r->shared + l->shared_each;
    if (r->shared) limit(&o, l->shared / round_up(shared, l->shared_unit), "shared memory");
    o.threads = (int)threads * o.blocks;
    return o;
}

/* Output of assemblers --------------------------------------------------------------------------------------------- */

static int number_before(const char *at, const char *word) {
    const char *found = strstr(at, word);
    if (!found) return 0;
    while (found > at && found[-1] == ' ') found--;
    while (found > at && strchr("0123456789", found[-1])) found--;
    return atoi(found);
}

/* The heading "Compiling entry function 'kdsl_kernel_saxpy' for 'sm_90'" is followed by two lines with the numbers. */
static LaunchResources read_ptxas(const char *text, const char *kernel) {
    char heading[512];
    LaunchResources r = {0};
    snprintf(heading, sizeof heading, "entry function '%s'", kernel);
    const char *at = strstr(text, heading);
    if (!at) return r;
    at += strlen(heading);
    const char *next = strstr(at, "entry function '");
    size_t n = next ? (size_t)(next - at) : strlen(at);
    char *own = strndup(at, n);
    if (!own) return r;
    r = (LaunchResources){.known = true,
                          .registers = number_before(own, " registers"),
                          .spilled = number_before(own, " bytes spill stores"),
                          .shared = number_before(own, " bytes smem")};
    free(own);
    return r;
}

static int last_before(const char *text, const char *end, const char *key) {
    int v = 0;
    for (const char *at = text; (at = strstr(at, key)) && at < end; at += strlen(key)) v = atoi(at + strlen(key));
    return v;
}

static int first_after(const char *at, const char *key) {
    const char *found = strstr(at, key);
    return found ? atoi(found + strlen(key)) : 0;
}

/* The metadata of the code object, where the keys of a kernel are sorted by name. */
static LaunchResources read_amd(const char *text, const char *kernel) {
    char symbol[512];
    const char *at = text;
    size_t n = (size_t)snprintf(symbol, sizeof symbol, " %s.kd\n", kernel);
    while ((at = strstr(at, ".symbol:")) && strncmp(at + 8 + strspn(at + 8, " ") - 1, symbol, n)) at++;
    if (!at) return (LaunchResources){0};
    return (LaunchResources){.known = true,
                             .registers = first_after(at, ".vgpr_count:"),
                             .spilled = 4 * first_after(at, ".vgpr_spill_count:"),
                             .scalars = last_before(text, at, ".sgpr_count:"),
                             .shared = last_before(text, at, ".group_segment_fixed_size:")};
}

LaunchResources resources_read(const char *text, const char *kernel, bool amd) {
    return amd ? read_amd(text, kernel) : read_ptxas(text, kernel);
}
