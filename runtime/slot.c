/* slot.c -- error slots of launches: where the first work item whose check fails records its failure
 * (irgen/lang/check.c). A slot stays allocated on the device while the program runs, and is all zero there. So a
 * launch of a kernel with checks allocates nothing and copies nothing to the device, and copies one word back: whether
 * the slot is taken. A slot that is taken is copied back whole, and zeroed again before the failure is reported, since
 * the report may end the call of an exported function.
 *
 * Copies of memory that is not pinned go through a buffer of NVIDIA's driver, and cost a launch some 15 us: so a slot
 * is pinned when it is used for the third time.
 *
 * Each launch has its own slot: launches that run at the same time take different ones from a free list. If launches
 * run on the host, the slot is only host memory. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"

typedef struct Slot {
    KdslSlot slot; /* first: it is by its address that the program knows the whole */
    struct Slot *next;
    const KdslSection *what; /* the launch that made it */
    int64_t device, n_launches;
    bool is_mapped, is_pinned;
} Slot;

enum { PAGE_BYTES = 4096, PINNED_FROM = 3 };
_Static_assert(sizeof(KdslSlot) == 128, "--explain=transfers says what a slot sends");
_Static_assert(sizeof(Slot) <= PAGE_BYTES, "a slot has a page of its own");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Slot *unused;

typedef struct Ident { /* ident_t: offload/protocol.h */
    int32_t reserved_1, flags, reserved_2, reserved_3;
    const char *source;
} Ident;

KdslSection *kdsl_section_copy(const KdslSection *what) {
    const Ident *ident = what->ident;
    size_t n_source = strlen(ident->source) + 1, n_name = strlen(what->name) + 1;
    struct Copy {
        KdslSection what;
        Ident ident;
        char text[];
    } *copy = malloc(sizeof *copy + n_source + n_name);
    if (!copy) return NULL;
    copy->what = (KdslSection){&copy->ident, copy->text + n_source};
    copy->ident = *ident;
    copy->ident.source = memcpy(copy->text, ident->source, n_source);
    memcpy(copy->text + n_source, what->name, n_name);
    return &copy->what;
}

static void call(Mapper *mapper, Slot *s, int64_t n_bytes, int64_t type) {
    void *at = &s->slot;
    if (kdsl_is_in_place(s->device)) return;
    mapper((void *)s->what->ident, s->device, 1, &at, &at, &n_bytes, &type, (void **)&s->what->name, NULL);
}

static void copy(Mapper *mapper, Slot *s, int64_t n_bytes, int64_t direction) {
    kdsl_moving(s->what, s->device, n_bytes, direction == MAP_TO ? MOVES_IN : MOVES_OUT);
    call(mapper, s, n_bytes, direction);
    kdsl_moving(NULL, 0, 0, MOVES_NOTHING);
}

/* A KDSL library may be closed before the program ends: then libomptarget must not keep a name or address of it. */
static void at_exit(void) {
    pthread_mutex_lock(&lock);
    for (Slot *s = unused; s; s = s->next) {
        if (s->is_mapped) call(kdsl_target()->end_mapping, s, sizeof s->slot, MAP_DELETE);
        if (s->is_pinned) kdsl_nvidia_unpin(s->device, s);
        s->is_mapped = s->is_pinned = false;
    }
    pthread_mutex_unlock(&lock);
}

static void at_exit_once(void) { atexit(at_exit); }

static Slot *make(const KdslSection *what, int64_t device) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Slot *s = aligned_alloc(PAGE_BYTES, PAGE_BYTES); /* pages of its own, which can be pinned */
    if (!s) kdsl_fail(NULL, "out of memory for a launch");
    *s = (Slot){0};
    s->what = KDSL_IS_LIVE ? kdsl_section_copy(what) : what;
    if (!s->what) kdsl_fail(NULL, "out of memory for a launch");
    s->device = device;
    s->is_mapped = device < kdsl_target()->n_devices();
    if (!s->is_mapped) return s;
    copy(kdsl_target()->begin_mapping, s, sizeof s->slot, MAP_TO);
    pthread_once(&once, at_exit_once);
    return s;
}

KdslSlot *kdsl_slot_take(const KdslSection *what, int64_t device) {
    if (device < 0) device = kdsl_default_device();
    pthread_mutex_lock(&lock);
    Slot **at = &unused, *s;
    while (*at && (*at)->device != device) at = &(*at)->next;
    s = *at;
    if (s) *at = s->next;
    pthread_mutex_unlock(&lock);
    if (!s) s = make(what, device);
    if (++s->n_launches == PINNED_FROM && s->is_mapped && !kdsl_is_in_place(s->device))
        s->is_pinned = kdsl_nvidia_pin(s->device, s, PAGE_BYTES);
    return &s->slot;
}

static void give_back(Slot *s) {
    pthread_mutex_lock(&lock);
    s->next = unused;
    unused = s;
    pthread_mutex_unlock(&lock);
}

void kdsl_slot_end(KdslSlot *slot, int32_t on_host, const KdslCheck *checks, const char *const *axes, int64_t n_axes,
                   const char *kernel) {
    Slot *s = (Slot *)slot;
    if (!slot->taken) {
        give_back(s);
        return;
    }
    bool is_away = s->is_mapped && !on_host;
    if (is_away) copy(kdsl_target()->update, s, sizeof *slot, MAP_FROM);
    KdslSlot failed = *slot;
    if (!failed.site) failed.site = failed.taken;
    *slot = (KdslSlot){0};
    if (is_away) copy(kdsl_target()->update, s, sizeof *slot, MAP_TO);
    give_back(s);
    kdsl_fail_item(checks, &failed, axes, n_axes, kernel);
}
