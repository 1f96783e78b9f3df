/* emulator.c -- the threads of a GPU, one after another. Linked with what `kdslc --emit=device-asm
 * --offload-arch=emulated` prints, it is the shared object in which a mock driver finds its kernels (KDSL_MOCK_KERNELS,
 * mock.h). Blocks run in turn, so their shared memory is a plain variable; the threads of a block have a stack each,
 * and go on to the next one at a barrier, whether they would have to wait or not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "tests/gpu/mock.h"

enum { MAX_THREADS = 1024, STACK_BYTES = 64 << 10, MAX_ARGS = 256, IN_REGISTERS = 6, AXES = 3 };

typedef uint64_t Slot;
/* Six arguments in registers, the others on the stack, which is where a struct by value goes: as many as fit. */
typedef struct OnStack {
    Slot at[MAX_ARGS - IN_REGISTERS];
} OnStack;
typedef void Kernel(Slot, Slot, Slot, Slot, Slot, Slot, OnStack);

/* Made once for a launch, by makecontext; from then on jumps, which make no system call, go from stack to stack. */
typedef struct Thread {
    ucontext_t first;
    jmp_buf at;
    bool is_made, is_done;
} Thread;

/* A launch at a time on each of the driver's threads. */
static _Thread_local struct {
    Kernel *kernel;
    Slot args[MAX_ARGS];
    uint32_t block[AXES], n_threads[AXES], n_blocks[AXES];
    int current;
    jmp_buf back;
    Thread *threads;
    char *stacks;
} run;

enum { THREAD, BLOCK, THREADS, BLOCKS }; /* irgen/target.h, GpuNumber */

static uint32_t thread_along(int axis) {
    uint32_t at = (uint32_t)run.current;
    for (int i = 0; i < axis; i++) at /= run.n_threads[i];
    return at % run.n_threads[axis];
}

uint32_t kdsl_gpu_number(uint32_t which, uint32_t axis) {
    switch (which) {
    case THREAD: return thread_along((int)axis);
    case BLOCK: return run.block[axis];
    case THREADS: return run.n_threads[axis];
    default: return run.n_blocks[axis];
    }
}

static void pause_thread(Thread *t) {
    if (!_setjmp(t->at)) _longjmp(run.back, 1);
}

void kdsl_gpu_barrier(void) { pause_thread(&run.threads[run.current]); }

/* The kernel for one block after another. */
static void body(void) {
    const Slot *a = run.args; /* more than it takes do no harm */
    OnStack rest;
    memcpy(&rest, a + IN_REGISTERS, sizeof rest);
    for (;;) {
        run.kernel(a[0], a[1], a[2], a[3], a[4], a[5], rest);
        Thread *t = &run.threads[run.current];
        t->is_done = true;
        pause_thread(t);
    }
}

static void resume(Thread *t) {
    if (_setjmp(run.back)) return;
    if (t->is_made) _longjmp(t->at, 1);
    t->is_made = true;
    getcontext(&t->first);
    t->first.uc_stack.ss_sp = run.stacks + (size_t)run.current * STACK_BYTES;
    t->first.uc_stack.ss_size = STACK_BYTES;
    makecontext(&t->first, body, 0);
    setcontext(&t->first);
}

static void run_block(int n) {
    for (int i = 0; i < n; i++) run.threads[i].is_done = false;
    for (int left = n; left > 0;) {
        left = 0;
        for (run.current = 0; run.current < n; run.current++) {
            Thread *t = &run.threads[run.current];
            if (!t->is_done) resume(t);
            left += !t->is_done;
        }
    }
}

static void launch(const MockLaunch *l) {
    int n = 1;
    for (int axis = 0; axis < AXES; axis++) {
        run.n_threads[axis] = l->block[axis];
        run.n_blocks[axis] = l->grid[axis];
        n *= (int)l->block[axis];
    }
    if (n > MAX_THREADS || l->n_arg_bytes > sizeof run.args) {
        fprintf(stderr, "emulator: %d threads in a block, %u bytes of arguments\n", n, l->n_arg_bytes);
        abort();
    }
    run.threads = calloc((size_t)n, sizeof *run.threads);
    run.stacks = malloc((size_t)n * STACK_BYTES);
    if (!run.threads || !run.stacks) abort();
    memset(run.args, 0, sizeof run.args);
    memcpy(run.args, l->args, l->n_arg_bytes);
    for (run.block[2] = 0; run.block[2] < l->grid[2]; run.block[2]++)
        for (run.block[1] = 0; run.block[1] < l->grid[1]; run.block[1]++)
            for (run.block[0] = 0; run.block[0] < l->grid[0]; run.block[0]++) run_block(n);
    free(run.threads);
    free(run.stacks);
}

__attribute__((visibility("default"))) MockFunction *mock_kernel(const char *name) {
    Dl_info self;
    void *library = dladdr((void *)&mock_kernel, &self) ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *symbol = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    if (!symbol) return NULL;
    memcpy(&run.kernel, &symbol, sizeof run.kernel);
    return launch;
}
