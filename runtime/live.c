/* live.c -- see live.h. */
#define _GNU_SOURCE
#include "runtime/live.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"

/* One run ---------------------------------------------------------------------------------------------------------- */

volatile int32_t kdsl_interrupt, kdsl_n_launching;
int32_t kdsl_exit_code;

/* Called by the code itself, where it sees that kdsl_interrupt is not 0. */
void kdsl_interrupted(void) {
    kdsl_border_leave(KDSL_STOPPED);
    abort(); /* code runs below a border only */
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the threads of async.c launch, too */
static char stopped[1024];                               /* the launches that were interrupted */

void kdsl_launch_stopped(const char *what) {
    pthread_mutex_lock(&lock);
    size_t n = strlen(stopped);
    snprintf(stopped + n, sizeof stopped - n, "%s\n", what);
    pthread_mutex_unlock(&lock);
    kdsl_interrupted();
}

typedef struct Run {
    void (*run)(void *frame);
    void *frame;
} Run;

static void run_and_settle(void *at) {
    const Run *r = at;
    r->run(r->frame);
    kdsl_settle();
    if (kdsl_interrupt) kdsl_interrupted(); /* perhaps in an asynchronous launch */
}

static bool keeps_blocks; /* between a run and kdsl_live.settle */
static KdslBlocks outer_blocks;

static void settle(bool free_others) {
    if (keeps_blocks) kdsl_blocks_end(outer_blocks, free_others);
    keeps_blocks = false;
}

static void forget_launches(void);

static KdslEnd run(void (*function)(void *frame), void *frame, int32_t *exit_code, const char **message) {
    Run r = {function, frame};
    settle(false);
    forget_launches();
    stopped[0] = '\0';
    *message = "";
    if (kdsl_interrupt) return KDSL_INTERRUPTED;
    outer_blocks = kdsl_blocks_begin();
    keeps_blocks = true;
    int32_t status = kdsl_border_cross(run_and_settle, &r);
    if (status) kdsl_settle();
    kdsl_called_at(NULL);
    *exit_code = kdsl_exit_code;
    *message = kdsl_last_error();
    if (status == KDSL_STOPPED) *message = stopped;
    if (!status) return KDSL_RETURNED;
    return status == KDSL_LEFT ? KDSL_EXITED : status == KDSL_STOPPED ? KDSL_INTERRUPTED : KDSL_FAILED;
}

static void choose_device(int device) {
    void *library = kdsl_target_library();
    void (*choose)(int) = library ? (void (*)(int))dlsym(library, "omp_set_default_device") : NULL;
    kdsl_settle();
    kdsl_all_come_back();
    if (choose) choose(device);
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static KdslLaunch *noted;
static int n_noted, capacity;
static int64_t bytes_to, bytes_from; /* of the launch to come */

static KdslLaunch *add(const KdslLaunch *l) {
    if (n_noted == capacity) {
        int more = capacity ? 2 * capacity : 16;
        KdslLaunch *larger = realloc(noted, sizeof *noted * (size_t)more);
        if (!larger) return NULL;
        noted = larger;
        capacity = more;
    }
    noted[n_noted] = *l;
    return &noted[n_noted++];
}

static bool is_alike(const KdslLaunch *a, const KdslLaunch *b) {
    return a->line == b->line && a->device == b->device && a->is_in_place == b->is_in_place && a->items == b->items &&
           !strcmp(a->kernel, b->kernel);
}

static void note(const KdslLaunch *l) {
    KdslLaunch *last = n_noted ? &noted[n_noted - 1] : NULL;
    if (!last || !is_alike(last, l)) {
        add(l);
        return;
    }
    last->times += l->times;
    last->seconds += l->seconds;
    last->bytes_to += l->bytes_to;
    last->bytes_from += l->bytes_from;
}

/* A copy to a device is counted for the launch that follows; a copy back without a launch is counted for host code. */
void kdsl_live_moved(bool in, bool by_launch, bool is_in_place, int64_t n_bytes) {
    pthread_mutex_lock(&lock);
    if (in) bytes_to += n_bytes;
    else if (by_launch) bytes_from += n_bytes;
    else note(&(KdslLaunch){.device = -1, .times = 1, .bytes_from = n_bytes, .is_in_place = is_in_place});
    pthread_mutex_unlock(&lock);
}

static int32_t device_of(int64_t asked_for) {
    if (asked_for == KDSL_HOST) return -1;
    return asked_for < 0 ? kdsl_target()->default_device() : (int32_t)asked_for;
}

void kdsl_live_launched(const char *place, int64_t device, const KernelArgs *args, double seconds) {
    const char *kernel, *line;
    KdslLaunch l = {.device = device_of(device), .items = (int64_t)args->items, .times = 1, .seconds = seconds};
    int n = kdsl_field(place, 1, &kernel);
    snprintf(l.kernel, sizeof l.kernel, "%.*s", n, kernel);
    kdsl_field(place, 2, &line);
    l.line = atoi(line);
    l.is_in_place = l.device >= 0 && kdsl_is_in_place(l.device);
    for (int i = 0; i < 3; i++) {
        l.blocks[i] = (int32_t)args->blocks[i];
        l.threads[i] = (int32_t)args->threads[i];
    }
    pthread_mutex_lock(&lock);
    l.bytes_to = bytes_to;
    l.bytes_from = bytes_from;
    bytes_to = bytes_from = 0;
    note(&l);
    pthread_mutex_unlock(&lock);
}

static void forget_launches(void) {
    n_noted = 0;
    bytes_to = bytes_from = 0;
}

static int launches(const KdslLaunch **at) {
    *at = noted;
    return n_noted;
}

/* Images ----------------------------------------------------------------------------------------------------------- */

/* The loader calls this for an image that it has just mapped: it is the last of all. */
static int keep_last(struct dl_phdr_info *info, size_t n, void *last) {
    (void)n;
    *(struct dl_phdr_info *)last = *info;
    return 0;
}

static void image_loaded(void) {
    struct dl_phdr_info last = {0};
    dl_iterate_phdr(keep_last, &last);
    kdsl_remove_image_file(last.dlpi_name, (const void *)last.dlpi_addr);
}

/* Of the names in the loader's list: all that is loaded, or NULL. */
static struct link_map *all_loaded(void) {
    struct link_map *map = NULL;
    void *self = dlopen(NULL, RTLD_LAZY);
    if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map)) return NULL;
    dlclose(self);
    return map;
}

static void *find_image(const char *name, const void *at) {
    for (struct link_map *m = all_loaded(); m; m = m->l_next) {
        void *image = kdsl_is_image_file(m->l_name) ? dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (image && dlsym(image, name) == at) return image;
        if (image) dlclose(image);
    }
    return NULL;
}

static void register_ptx(const void *descriptor) { kdsl_ptx_register(descriptor, NULL); }
static void unregister_ptx(const void *descriptor) { kdsl_ptx_unregister(descriptor); }

/* The OpenMP runtime finds this by OMP_TOOL_LIBRARIES: so report.c hears what moves. */
__attribute__((visibility("default"))) void *ompt_start_tool(unsigned version, const char *runtime);
void *ompt_start_tool(unsigned version, const char *runtime) {
    (void)version, (void)runtime;
    return kdsl_report_tool();
}

const KdslLive kdsl_live = {.run = run,
                            .keep = kdsl_blocks_keep,
                            .settle = settle,
                            .interrupt = &kdsl_interrupt,
                            .n_launching = &kdsl_n_launching,
                            .choose_device = choose_device,
                            .sources_are = kdsl_sources_are,
                            .launches = launches,
                            .image_loaded = image_loaded,
                            .find_image = find_image,
                            .register_ptx = register_ptx,
                            .unregister_ptx = unregister_ptx};
