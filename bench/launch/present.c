/* Preloaded into launch.kdsl's program: before the first launch that maps arrays it maps them for good, so that what is
 * timed is a launch on arrays already on the device. Layouts: libomptarget 22, see offload/protocol.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

typedef struct {
    uint32_t version, n_args;
    void **bases, **begins;
    int64_t *sizes, *types;
} Launch;
typedef int Target(void *, int64_t, int32_t, int32_t, void *, Launch *);
typedef void Begin(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

int __tgt_target_kernel(void *loc, int64_t dev, int32_t teams, int32_t threads, void *id, Launch *l) {
    static Target *next;
    static void *seen[8];
    static int n_seen;
    if (!next) next = (Target *)dlsym(RTLD_NEXT, "__tgt_target_kernel");
    int i = 0;
    while (i < n_seen && seen[i] != id) i++;
    if (i == n_seen && n_seen < 8) {
        seen[n_seen++] = id;
        Begin *begin = (Begin *)dlsym(RTLD_NEXT, "__tgt_target_data_begin_mapper");
        for (uint32_t k = 0; k < l->n_args; k++) {
            int64_t to = 1;
            if (!(l->types[k] & 0x100)) begin(0, dev, 1, &l->bases[k], &l->begins[k], &l->sizes[k], &to, 0, 0);
        }
    }
    return next(loc, dev, teams, threads, id, l);
}
