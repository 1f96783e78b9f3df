/* main.c -- executes the five versions of a kernel in turn, and prints a row for each: who, seconds (the least),
 * verdict. */
#include <time.h>

#include "stranger.h"

enum { LEAST_ROUNDS = 7, MOST_ROUNDS = 200, VERSIONS = 5 };
static const double SECONDS = 3.0;

void plain_gcc(void), tuned_gcc(void), plain_clang(void), tuned_clang(void);

static const struct {
    const char *who;
    void (*run)(void);
} versions[VERSIONS] = {{"plain-gcc", plain_gcc},
                        {"plain-clang", plain_clang},
                        {"tuned-gcc", tuned_gcc},
                        {"tuned-clang", tuned_clang},
                        {"kdsl", kdsl}};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t element_bytes(char type) { return type == 'd' ? 8 : type == 'b' ? 1 : 4; }

static double value(const void *at, char type, int64_t i) {
    return type == 'd'   ? ((const double *)at)[i]
           : type == 'f' ? ((const float *)at)[i]
           : type == 'i' ? ((const int32_t *)at)[i]
                         : ((const uint8_t *)at)[i];
}

/* The largest difference, relative to the largest value. */
static double difference(const void *want) {
    double most = 0, largest = 1e-300;
    for (int64_t i = 0; i < result.n; i++) {
        double a = value(want, result.type, i), b = value(result.at, result.type, i), d = fabs(a - b);
        if (!(d <= most)) most = d;
        if (fabs(a) > largest) largest = fabs(a);
    }
    return most / largest;
}

int main(void) {
    double least[VERSIONS], worst[VERSIONS] = {0};
    setup();
    void *want = malloc((size_t)result.n * element_bytes(result.type));
    if (!want) abort();
    prepare();
    plain_gcc();
    memcpy(want, result.at, (size_t)result.n * element_bytes(result.type));
    double begun = now();
    int rounds = 0;
    bool once = getenv("STRANGERS_ONCE"); /* to compare results only */
    for (; rounds < (once ? 1 : LEAST_ROUNDS) || (!once && rounds < MOST_ROUNDS && now() - begun < SECONDS); rounds++)
        for (int v = 0; v < VERSIONS; v++) {
            prepare();
            double start = now();
            versions[v].run();
            double took = now() - start;
            if (!rounds || took < least[v]) least[v] = took;
            double d = rounds ? 0 : difference(want);
            if (!(d <= worst[v])) worst[v] = d;
        }
    for (int v = 0; v < VERSIONS; v++)
        printf("%s\t%.9g\t%s\t%.3g\t%d\n", versions[v].who, least[v], worst[v] <= result.tolerance ? "ok" : "WRONG",
               worst[v], rounds);
    printf("work\t%.9g\t%.9g\n", bytes, flops);
    return 0;
}
