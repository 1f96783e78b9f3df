/* mock_image.c -- the kernels and globals of an image, and what the log says of them. */
#define _GNU_SOURCE
#include "tests/gpu/mock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MockKernel *mock_add_kernel(MockImage *image, const char *name) {
    image->kernels = realloc(image->kernels, (size_t)(image->n_kernels + 1) * sizeof *image->kernels);
    MockKernel *k = &image->kernels[image->n_kernels++];
    *k = (MockKernel){0};
    snprintf(k->name, sizeof k->name, "%s", name);
    return k;
}

MockParam *mock_add_param(MockKernel *k, uint32_t n_bytes, uint32_t align, const char *type) {
    uint32_t offset = align ? (k->param_bytes + align - 1) / align * align : k->param_bytes;
    k->params = realloc(k->params, (size_t)(k->n_params + 1) * sizeof *k->params);
    MockParam *p = &k->params[k->n_params++];
    *p = (MockParam){.offset = offset, .n_bytes = n_bytes};
    snprintf(p->type, sizeof p->type, "%s", type);
    k->param_bytes = offset + n_bytes;
    return p;
}

MockGlobal *mock_add_global(MockImage *image, const char *name, uint64_t n_bytes) {
    image->globals = realloc(image->globals, (size_t)(image->n_globals + 1) * sizeof *image->globals);
    MockGlobal *g = &image->globals[image->n_globals++];
    *g = (MockGlobal){.n_bytes = n_bytes};
    snprintf(g->name, sizeof g->name, "%s", name);
    return g;
}

MockKernel *mock_find_kernel(MockImage *image, const char *name) {
    for (int i = 0; i < image->n_kernels; i++)
        if (!strcmp(image->kernels[i].name, name)) return &image->kernels[i];
    return NULL;
}

MockGlobal *mock_find_global(MockImage *image, const char *name) {
    for (int i = 0; i < image->n_globals; i++)
        if (!strcmp(image->globals[i].name, name)) return &image->globals[i];
    return NULL;
}

void mock_free_image(MockImage *image) {
    if (!image) return;
    for (int i = 0; i < image->n_kernels; i++) free(image->kernels[i].params);
    for (int i = 0; i < image->n_globals; i++) free(image->globals[i].initial);
    free(image->kernels);
    free(image->globals);
    free(image->text);
    free(image);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const MockKernel *)a)->name, ((const MockKernel *)b)->name);
}

void mock_log_image(const MockImage *image, int module) {
    MockKernel *sorted = malloc((size_t)(image->n_kernels + 1) * sizeof *sorted);
    if (image->n_kernels) memcpy(sorted, image->kernels, (size_t)image->n_kernels * sizeof *sorted);
    qsort(sorted, (size_t)image->n_kernels, sizeof *sorted, by_name);
    for (int i = 0; i < image->n_kernels; i++) {
        const MockKernel *k = &sorted[i];
        char params[1024] = "";
        for (int p = 0, at = 0; p < k->n_params && at < (int)sizeof params - 64; p++) {
            if (!strncmp(k->params[p].type, "hidden_", 7)) continue; /* the runtime's own */
            at += sprintf(params + at, "%s%u%s%s", at ? "," : "", k->params[p].n_bytes, *k->params[p].type ? ":" : "",
                          k->params[p].type);
        }
        mock_log("kernel m%d %s params=%s shared=%u threads=%u", module, k->name, *params ? params : "none",
                 k->shared_bytes, k->max_threads);
    }
    free(sorted);
}
