/* plugin.c -- a program by hand on libomptarget's protocol, with a device image from a file: plugin IMAGE [N].
   It runs saxpy on N elements and tiles on one, on every device, and prints where it ran and what came out. */
#include "offload/protocol.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __tgt_register_lib(OffDescriptor *descriptor);
void __tgt_unregister_lib(OffDescriptor *descriptor);
int __tgt_target_kernel(OffIdent *place, int64_t device, int32_t n_teams, int32_t n_threads, void *kernel,
                        OffKernelArgs *args);
int omp_get_num_devices(void);

static char saxpy_id, tiles_id;
static OffEntry entries[] = {
    {.version = OFF_ENTRY_VERSION, .kind = OFF_KIND_OPENMP, .address = &saxpy_id, .symbol = "saxpy"},
    {.version = OFF_ENTRY_VERSION, .kind = OFF_KIND_OPENMP, .address = &tiles_id, .symbol = "tiles"},
};
static OffImage image;
static OffDescriptor descriptor;
static OffIdent place = {.flags = OFF_IDENT_KMPC, .psource = ";plugin.c;main;1;1;;"};

static void read_image(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) exit((perror(path), 2));
    fseek(file, 0, SEEK_END);
    long n = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)n);
    if (fread(bytes, 1, (size_t)n, file) != (size_t)n) exit((perror(path), 2));
    fclose(file);
    image = (OffImage){bytes, bytes + n, entries, entries + 2};
    descriptor = (OffDescriptor){1, &image, entries, entries + 2};
}

static int run_saxpy(int device, int64_t n) {
    enum { GROUP = 128 };
    float a = 0.5f, *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    uint64_t a_bits = 0;
    memcpy(&a_bits, &a, sizeof a);
    for (int64_t i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    void *at[] = {x, y, (void *)a_bits, (void *)n};
    int64_t sizes[] = {4 * n, 4 * n, 4, 8};
    int64_t types[] = {OFF_MAP_PARAM | OFF_MAP_TO, OFF_MAP_PARAM | OFF_MAP_TO | OFF_MAP_FROM,
                       OFF_MAP_PARAM | OFF_MAP_LITERAL, OFF_MAP_PARAM | OFF_MAP_LITERAL};
    uint32_t n_groups = (uint32_t)((n + GROUP - 1) / GROUP);
    OffKernelArgs args = {.version = OFF_KERNEL_ARGS_VERSION,
                          .n_args = 4,
                          .bases = at,
                          .begins = at,
                          .sizes = sizes,
                          .types = types,
                          .teams = {n_groups, 1, 1},
                          .threads = {GROUP, 1, 1}};
    int status = __tgt_target_kernel(&place, device, (int)n_groups, GROUP, &saxpy_id, &args);
    printf("saxpy %d: %d, y[1] = %g, y[%" PRId64 "] = %g\n", device, status, y[1], n - 1, y[n - 1]);
    free(x), free(y);
    return status;
}

static int run_tiles(int device) {
    float y = 0;
    void *at[] = {&y};
    int64_t sizes[] = {4}, types[] = {OFF_MAP_PARAM | OFF_MAP_FROM};
    OffKernelArgs args = {.version = OFF_KERNEL_ARGS_VERSION,
                          .n_args = 1,
                          .bases = at,
                          .begins = at,
                          .sizes = sizes,
                          .types = types,
                          .teams = {3, 2, 1},
                          .threads = {64, 1, 1},
                          .dynamic_shared_bytes = 256};
    int status = __tgt_target_kernel(&place, device, 3, 64, &tiles_id, &args);
    printf("tiles %d: %d, y = %g\n", device, status, y);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: %s IMAGE [N]\n", argv[0]), 2;
    int64_t n = argc > 2 ? atoll(argv[2]) : 1000;
    read_image(argv[1]);
    __tgt_register_lib(&descriptor);
    int n_devices = omp_get_num_devices(), failed = n_devices == 0;
    printf("%d devices\n", n_devices);
    for (int d = 0; d < n_devices; d++) failed |= run_saxpy(d, n) || run_tiles(d);
    __tgt_unregister_lib(&descriptor);
    return failed;
}
