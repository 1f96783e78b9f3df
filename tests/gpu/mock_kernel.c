/* mock_kernel.c -- launches: in the log, and on the CPU where somebody has the kernel as a function. */
#include "tests/gpu/mock.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef MockFunction *Lookup(const char *name);

static Lookup *lookup;

static void open_kernels(void) {
    const char *path = mock_setting("KDSL_MOCK_KERNELS", NULL);
    if (!path) return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "mock_kernel") : NULL;
    if (!symbol) {
        fprintf(stderr, "KDSL_MOCK_KERNELS: %s\n", dlerror());
        abort();
    }
    memcpy(&lookup, &symbol, sizeof lookup);
}

static MockFunction *find_function(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_kernels);
    return lookup ? lookup(name) : NULL;
}

static bool is_hidden(const MockParam *p) { return !strncmp(p->type, "hidden_", 7); }

/* As what it is: a place in the memory of a device, or a number; ~0 stands for no environment. */
static const char *show_arg(const MockParam *p, const MockLaunch *l, uint64_t *value) {
    *value = 0;
    if (p->offset + p->n_bytes > l->n_arg_bytes) return "missing";
    if (p->n_bytes > sizeof *value) return "...";
    memcpy(value, (const char *)l->args + p->offset, p->n_bytes);
    return *value == UINT64_MAX ? "~0" : mock_show(*value);
}

/* In order; of what the runtime adds by itself (AMD's hidden arguments), those that are not 0, with their names. */
static void show_args(const MockKernel *k, const MockLaunch *l, char *text, size_t size) {
    size_t at = 0;
    *text = 0;
    for (int i = 0; i < k->n_params && at + 96 < size; i++) {
        const MockParam *p = &k->params[i];
        uint64_t value;
        const char *shown = show_arg(p, l, &value), *comma = at ? "," : "";
        if (!is_hidden(p)) at += (size_t)snprintf(text + at, size - at, "%s%s", comma, shown);
        else if (value) at += (size_t)snprintf(text + at, size - at, "%s%s=%s", comma, p->type + 7, shown);
    }
}

void mock_log_launch(int device, const MockKernel *k, const MockLaunch *l, const char *queue) {
    char args[2048];
    show_args(k, l, args, sizeof args);
    mock_log("launch %d %s grid=%u,%u,%u block=%u,%u,%u shared=%u+%u %s args=(%s)", device, k->name, l->grid[0],
             l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], k->shared_bytes, l->dynamic_bytes, queue,
             args);
}

bool mock_run(const MockKernel *k, const MockLaunch *l) {
    MockFunction *run = find_function(k->name);
    if (!run) return false;
    mock_open_memory();
    run(l);
    mock_close_memory();
    return true;
}
