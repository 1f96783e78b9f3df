/* fiber.c -- coroutines: a function that can suspend and be resumed, on a stack of its own. The sanitizers are
 * notified of each change of stacks. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "interp/run.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define LEAVE(saved, stack, n) __sanitizer_start_switch_fiber(saved, stack, n)
#define ARRIVE(saved, stack, n) __sanitizer_finish_switch_fiber(saved, stack, n)
#else
#define LEAVE(saved, stack, n) ((void)(saved))
#define ARRIVE(saved, stack, n) ((void)(saved))
#endif

struct Fiber {
    ucontext_t here, caller;
    char *stack;
    size_t n;
    void (*run)(void *);
    void *with;
    bool ended;
    void *fake, *caller_fake; /* the sanitizer's notes of both stacks */
    const void *caller_stack;
    size_t caller_n;
};

/* Pages are there once they are touched; the lowest never is. */
enum { GUARD_BYTES = 4096 };

Fiber *fiber_new(size_t stack_bytes) {
    Fiber *b = calloc(1, sizeof *b);
    if (!b) abort();
    b->n = stack_bytes;
    b->stack = mmap(NULL, b->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->stack == MAP_FAILED) abort();
    mprotect(b->stack, GUARD_BYTES, PROT_NONE);
    return b;
}

/* makecontext passes ints: a pointer is two of them. */
static void enter(unsigned high, unsigned low) {
    Fiber *b = (Fiber *)((uintptr_t)high << 32 | low);
    ARRIVE(NULL, &b->caller_stack, &b->caller_n);
    b->run(b->with);
    b->ended = true;
    LEAVE(NULL, b->caller_stack, b->caller_n);
    setcontext(&b->caller);
}

void fiber_start(Fiber *b, void (*run)(void *), void *with) {
    b->run = run;
    b->with = with;
    b->ended = false;
    b->fake = NULL;
    getcontext(&b->here);
    b->here.uc_stack.ss_sp = b->stack;
    b->here.uc_stack.ss_size = b->n;
    b->here.uc_link = NULL;
    makecontext(&b->here, (void (*)(void))enter, 2, (unsigned)((uintptr_t)b >> 32), (unsigned)(uintptr_t)b);
}

bool fiber_resume(Fiber *b) {
    LEAVE(&b->caller_fake, b->stack, b->n);
    swapcontext(&b->caller, &b->here);
    ARRIVE(b->caller_fake, NULL, NULL);
    return !b->ended;
}

void fiber_yield(Fiber *b) {
    LEAVE(&b->fake, b->caller_stack, b->caller_n);
    swapcontext(&b->here, &b->caller);
    ARRIVE(b->fake, &b->caller_stack, &b->caller_n);
}

void fiber_free(Fiber *b) {
    munmap(b->stack, b->n);
    free(b);
}
