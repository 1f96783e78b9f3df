/* stack.c -- stack overflow checks. Functions that may call themselves call this first, so that stack overflow is a
 * failed check like any other: the message has a place, the devices are shut down in order, and in an exported
 * function or a session only the call ends. A guard page cannot do that, because it traps anywhere, for example in
 * malloc while its lock is held.
 *
 * A reserve of stack is left for functions that do not check (the C library, libomptarget, other functions of the
 * program). */
#define _GNU_SOURCE
#include <pthread.h>

#include "runtime/internal.h"

enum { RESERVE_BYTES = 512 << 10, LEAST_PART = 4 }; /* the reserve is at most this fraction of the stack */

typedef struct Stack {
    const char *begin, *end, *reserve; /* of this thread; stacks grow down, from the end */
} Stack;

static _Thread_local Stack stack;
_Thread_local uintptr_t kdsl_stack_reserve = UINTPTR_MAX;

static bool find(Stack *s) {
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t n_bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return false;
    bool known = !pthread_attr_getstack(&attributes, &begin, &n_bytes) && n_bytes;
    pthread_attr_destroy(&attributes);
    size_t reserve = n_bytes / LEAST_PART < RESERVE_BYTES ? n_bytes / LEAST_PART : RESERVE_BYTES;
    *s = (Stack){begin, (const char *)begin + n_bytes, (const char *)begin + reserve};
    if (known) kdsl_stack_reserve = (uintptr_t)s->reserve;
    return known;
}

/* Code may also run on a stack that was allocated by the program, such as that of a coroutine. Its bounds are not
 * known. */
static __attribute__((noinline)) void look_closer(const char *here, const char *place, const char *function) {
    if (!stack.end && !find(&stack)) return;
    if (here < stack.begin || here >= stack.end || here >= stack.reserve) return;
    long long n_kib = ((stack.end - stack.begin) + 512) >> 10, n_mib = (n_kib + 512) >> 10;
    kdsl_fail(place, "stack overflow in `%s`: calls are nested too deeply for a stack of %lld %s", function,
              n_kib < 1000 ? n_kib : n_mib, n_kib < 1000 ? "KiB" : "MiB");
}

void kdsl_check_stack(const char *place, const char *function) {
    const char *here = __builtin_frame_address(0);
    if (here < stack.reserve || here >= stack.end) look_closer(here, place, function);
}
