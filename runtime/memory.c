/* memory.c -- does a device work in the host's memory, so that launches are given the host's addresses and nothing is
 * copied ("in place"), or in memory of its own? Decided for each device, when it is used first:
 *
 * | KDSL_MEMORY, else --memory | CPU device | GPU                                                              |
 * | auto                       | in place   | its own memory, unless libomptarget says that they are the same  |
 * | separate                   | its own    | its own                                                          |
 * | unified                    | in place   | in place                                                         |
 *
 * On a GPU that can use the host's memory (an APU, Grace Hopper), a copy may still be faster. libomptarget has switches
 * for this (AMD: HSA_XNACK=1 on MI300A, OMPX_APU_MAPS=1 on others; useAutoZeroCopyImpl in
 * offload/plugins-nextgen/amdgpu/src/rtl.cpp of LLVM 22), and its mappings are then the host's memory, which section.c
 * recognises by the address. With KDSL_POISON=1, which is about copies, `auto` is `separate`. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"

static KdslMemoryKind chosen = KDSL_MEMORY_AUTO;
static const char *refused; /* of KDSL_MEMORY: none of its values */

static void read_environment(void) {
    static const char *const names[] = {
        [KDSL_MEMORY_AUTO] = "auto", [KDSL_MEMORY_SEPARATE] = "separate", [KDSL_MEMORY_UNIFIED] = "unified"};
    const char *wanted = getenv("KDSL_MEMORY"), *poison = getenv("KDSL_POISON");
    if (chosen == KDSL_MEMORY_AUTO && poison) chosen = KDSL_MEMORY_SEPARATE;
    if (!wanted || !*wanted) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(wanted, names[i])) {
            chosen = (KdslMemoryKind)i;
            return;
        }
    refused = wanted;
}

static void read_environment_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

bool kdsl_copies_each;

void kdsl_memory(int32_t kind, int32_t copies_each, int64_t *requirements) {
    chosen = (KdslMemoryKind)kind;
    kdsl_copies_each = copies_each != 0;
    read_environment_once();
    if (requirements && chosen != KDSL_MEMORY_UNIFIED) *requirements = REQUIRES_NOTHING;
}

static bool decide(int64_t device) {
    read_environment_once();
    if (refused) kdsl_fail(NULL, "KDSL_MEMORY must be `auto`, `separate` or `unified`, not `%s`", refused);
    if (device < 0 || device >= kdsl_target()->n_devices()) return false; /* a launch runs on the host itself */
    return chosen == KDSL_MEMORY_UNIFIED || (chosen == KDSL_MEMORY_AUTO && !kdsl_device_is_gpu((int)device));
}

enum { MOST = 64 }; /* further devices are asked about each time */
static enum Known { UNKNOWN, NO, YES } known[MOST];

static enum Known known_of(int64_t device) {
    return device < 0 || device >= MOST ? UNKNOWN : __atomic_load_n(&known[device], __ATOMIC_RELAXED);
}

bool kdsl_is_in_place(int64_t device) {
    enum Known is = known_of(device);
    if (is != UNKNOWN) return is == YES;
    is = decide(device) ? YES : NO;
    if (device >= 0 && device < MOST) __atomic_store_n(&known[device], is, __ATOMIC_RELAXED);
    return is == YES;
}

bool kdsl_is_known_in_place(int64_t device) { return known_of(device) == YES; }

/* To ask for the kind of a device loads its image, which may fail. */
bool kdsl_is_in_place_for(const KdslSection *what, int64_t device, int64_t n_bytes) {
    if (known_of(device) == UNKNOWN) {
        kdsl_moving(what, device, n_bytes, MOVES_NOTHING);
        kdsl_is_in_place(device);
        kdsl_moving(NULL, 0, 0, MOVES_NOTHING);
    }
    return kdsl_is_in_place(device);
}
