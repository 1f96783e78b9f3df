/* kernels.c -- the kernels of kernels_*.ll as functions, for KDSL_MOCK_KERNELS. */
#include "tests/gpu/mock.h"
#include <string.h>

static void saxpy(const MockLaunch *l) {
    const struct {
        void *environment;
        const float *x;
        float *y;
        uint64_t a_bits, n;
    } *args = l->args;
    float a;
    memcpy(&a, &args->a_bits, sizeof a);
    uint64_t n_items = (uint64_t)l->grid[0] * l->block[0];
    for (uint64_t i = 0; i < n_items && i < args->n; i++) args->y[i] += a * args->x[i];
}

static void tiles(const MockLaunch *l) {
    const struct {
        void *environment;
        float *y;
    } *args = l->args;
    *args->y = 2;
}

__attribute__((visibility("default"))) MockFunction *mock_kernel(const char *name) {
    return !strcmp(name, "saxpy") ? saxpy : !strcmp(name, "tiles") ? tiles : NULL;
}
