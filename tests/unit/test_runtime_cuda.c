/* What reaches libomptarget when images are registered and unregistered (runtime/cuda.c), without a driver: a session
 * may register a later descriptor at the address of an earlier one, and then each registration must be undone once. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>

#include "runtime/cuda.c"

enum { MOST = 8 };
static const Descriptor *live[MOST];
static int n_live, n_registered;

static void register_lib(const void *descriptor) {
    assert(n_live < MOST);
    live[n_live++] = descriptor;
    n_registered++;
}

static void unregister_lib(const void *descriptor) {
    int i = 0;
    while (i < n_live && live[i] != descriptor) i++;
    assert(i < n_live); /* it is registered, so its images can be read */
    assert(live[i]->n == 1);
    live[i] = live[--n_live];
}

void kdsl_report_begin(void) {}
void kdsl_trace_begin(void) {}

const Target *kdsl_target(void) {
    static const Target target = {.register_lib = register_lib, .unregister_lib = unregister_lib};
    return &target;
}

int main(void) {
    static const char bytes[] = "\177ELF, of a CPU";
    Image images[] = {{bytes, bytes + sizeof bytes, NULL, NULL}};
    Descriptor first = {1, images, NULL, NULL}, second = first;
    for (int i = 0; i < 3; i++) {
        kdsl_ptx_register(&first, NULL);
        kdsl_ptx_register(&second, NULL);
        assert(n_live == 2);
        kdsl_ptx_unregister(&first);
        assert(n_live == 1 && live[0]->images != images);
        kdsl_ptx_unregister(&first); /* not registered any more */
        assert(n_live == 1);
        kdsl_ptx_unregister(&second);
        assert(n_live == 0);
    }
    assert(n_registered == 6);
    puts("ok");
    return 0;
}
