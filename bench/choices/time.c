/* time.c -- a kernel of bench/strangers alone: NAME SECONDS prints the milliseconds of its fastest execution. */
#include "stranger.h"

#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    enum { LEAST = 3, MOST = 1000 };
    double limit = argc > 1 ? atof(argv[1]) : 0.3, begin = now(), best = 0;
    setup();
    for (int i = 0; i < MOST && (i < LEAST || now() - begin < limit); i++) {
        prepare();
        double start = now();
        kdsl();
        double taken = now() - start;
        if (!i || taken < best) best = taken;
    }
    printf("%.4f\n", best * 1e3);
    return 0;
}
