/* arch.c -- names of devices, and detection of those of this machine. GPUs are found in /dev and /sys, which takes
 * microseconds; calling a driver would take longer than compiling a program. */
#include "driver/arch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/meant.h"
#include "irgen/irgen.h"

enum { MAX_ARCHS = 32, MAX_TYPOS = 3 };

/* The oldest architecture that CUDA 13 supports: its PTX runs on all newer GPUs, a cubin on no other model. */
static const Arch any_nvidia = {"nvptx", "sm_75", true};

/* --offload-arch=all, in the order of their images. */
static const Arch all[] = {
    {"nvptx", "sm_100", false},  {"nvptx", "sm_90", false},   {"nvptx", "sm_80", false},    {"nvptx", "sm_75", false},
    {"amdgpu", "gfx942", false}, {"amdgpu", "gfx90a", false}, {"amdgpu", "gfx1100", false}, {"x86", NULL, false},
};

static bool same(Arch a, Arch b) { return !strcmp(a.target, b.target) && (!a.cpu || !strcmp(a.cpu, b.cpu)); }

static void add(Archs *archs, Arch arch) {
    for (int i = 0; i < archs->n; i++)
        if (same(archs->at[i], arch)) {
            archs->at[i].any_newer |= arch.any_newer;
            return;
        }
    if (archs->n < MAX_ARCHS) archs->at[archs->n++] = arch;
}

/* What is here ----------------------------------------------------------------------------------------------------- */

static bool exists(const char *path) {
    FILE *f = fopen(path, "r");
    if (f) fclose(f);
    return f != NULL;
}

/* The kernel driver's list of AMD devices: "gfx_target_version 90010" is gfx90a, in decimal major, minor and
 * stepping. */
static void add_amd(Archs *archs, Arena *arena) {
    static const char folder[] = "/sys/class/kfd/kfd/topology/nodes";
    DIR *nodes = opendir(folder);
    for (struct dirent *d; nodes && (d = readdir(nodes));) {
        char line[256];
        unsigned version;
        FILE *f = d->d_name[0] == '.' ? NULL : fopen(arena_printf(arena, "%s/%s/properties", folder, d->d_name), "r");
        while (f && fgets(line, sizeof line, f)) {
            if (sscanf(line, "gfx_target_version %u", &version) != 1 || !version) continue;
            unsigned minor = version / 100 % 100, stepping = version % 100;
            const char *cpu = arena_printf(arena, "gfx%u%x%x", version / 10000, minor, stepping);
            if (irgen_knows_arch("amdgpu", cpu)) add(archs, (Arch){"amdgpu", cpu, false});
        }
        if (f) fclose(f);
    }
    if (nodes) closedir(nodes);
}

static void add_here(Archs *archs, Arena *arena) {
    if (exists("/dev/nvidiactl")) add(archs, any_nvidia); /* which model is not said there */
    add_amd(archs, arena);
    add(archs, (Arch){"x86", NULL, false});
}

/* Names ------------------------------------------------------------------------------------------------------------ */

static const char *target_of(const char *name) {
    if (!strncmp(name, "sm_", 3)) return "nvptx";
    if (!strncmp(name, "gfx", 3)) return "amdgpu";
    return NULL;
}

/* Characters that both begin with. */
static int common(const char *a, const char *b) {
    int n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

static const char *unknown(Arena *arena, const char *name) {
    static const char *const words[] = {"auto", "host", "all", "nvidia"};
    const char *best = NULL, *meant = meant_by(MEANT_DEVICE, name);
    int best_distance = MAX_TYPOS + 1;
    if (meant) return arena_printf(arena, "unknown device `%s`%s", name, meant);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int distance = edit_distance(name, words[i], 1);
        if (distance <= 1 && distance < best_distance) best = words[i], best_distance = distance;
    }
    const char *target = target_of(name), *known;
    if (!target && strchr("gs", *name)) target = *name == 'g' ? "amdgpu" : "nvptx"; /* sm90, gx90a */
    for (int i = 0; target && (known = irgen_arch_name(target, i)); i++) {
        int distance = edit_distance(name, known, MAX_TYPOS);
        bool is_closer = best && distance == best_distance && common(name, known) > common(name, best);
        if (distance < best_distance || is_closer) best = known, best_distance = distance;
    }
    return best ? arena_printf(arena, "unknown device `%s`; did you mean `%s`?", name, best)
                : arena_printf(
                      arena,
                      "unknown device `%s`; use auto, host, nvidia, all, or an architecture such as sm_90 or gfx90a",
                      name);
}

static const char *parse_one(Archs *archs, Arena *arena, const char *name) {
    const char *target = target_of(name);
    if (!strcmp(name, "auto")) {
        add_here(archs, arena);
    } else if (!strcmp(name, "all")) {
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) add(archs, all[i]);
    } else if (!strcmp(name, "host")) {
        add(archs, (Arch){"x86", NULL, false});
    } else if (!strcmp(name, "nvidia")) {
        add(archs, any_nvidia);
    } else if (target && irgen_knows_arch(target, name)) {
        add(archs, (Arch){target, name, false});
    } else {
        return unknown(arena, name);
    }
    return NULL;
}

/* Special before general: a cubin runs on its generation only, so the order among those does not matter, and the PTX of
 * an older one must not hide it; a generic AMD target comes after the models. */
static int rank(Arch a) {
    if (!strcmp(a.target, "x86")) return 1 << 20;
    if (!strcmp(a.target, "nvptx")) return -atoi(a.cpu + 3);
    return strstr(a.cpu, "generic") ? 1 << 10 : 1;
}

static int by_rank(const void *a, const void *b) {
    int x = rank(*(const Arch *)a), y = rank(*(const Arch *)b);
    return (x > y) - (x < y);
}

bool archs_parse(Archs *archs, Arena *arena, const char *list, const char **why) {
    *archs = (Archs){arena_array(arena, Arch, MAX_ARCHS), 0};
    *why = NULL;
    for (const char *at = list; at && !*why; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        *why = parse_one(archs, arena, arena_strndup(arena, at, strcspn(at, ",")));
    qsort(archs->at, (size_t)archs->n, sizeof *archs->at, by_rank);
    return !*why;
}

bool archs_have(const Archs *archs, const char *target) {
    for (int i = 0; i < archs->n; i++)
        if (!strcmp(archs->at[i].target, target)) return true;
    return false;
}

bool archs_have_text(const Archs *archs) {
    for (int i = 0; i < archs->n; i++)
        if (archs->at[i].any_newer) return true;
    return false;
}

bool archs_have_gpu(const Archs *archs) { return archs->n && strcmp(archs->at[0].target, "x86"); }
bool archs_have_cpu(const Archs *archs) { return archs->n && !strcmp(archs->at[archs->n - 1].target, "x86"); }
