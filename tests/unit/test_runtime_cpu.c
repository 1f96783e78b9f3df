/* Which arrays are larger than the last-level cache. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The runtime is no library of the compiler: it is embedded as objects. Here it is compiled in. */
#include "runtime/cpu.c"

static int n_failed;

static void expect(int is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "not so: %s\n", what);
    n_failed++;
}

/* What the system has found out about it; 0 where it does not tell. */
static int64_t system_cache_bytes(void) {
    long kib = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    if (!file) return 0;
    if (fscanf(file, "%ldK", &kib) != 1) kib = 0;
    fclose(file);
    return (int64_t)kib << 10;
}

/* In a process of its own, since a process asks once; so before this one has. */
static int exceeds(const char *cache, int64_t n_bytes) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        setenv("KDSL_CACHE", cache, 1);
        _exit(kdsl_exceeds_cache(n_bytes));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

int main(void) {
    enum { LEAST = 8 << 20 };
    int64_t system = system_cache_bytes(), least = system > LEAST ? system : LEAST;
    expect(exceeds("100", 100) == 0, "KDSL_CACHE=100: 100 bytes fit");
    expect(exceeds("100", 101) == 1, "KDSL_CACHE=100: 101 do not");
    expect(exceeds("", LEAST) == 0, "KDSL_CACHE= is as if not set");
    static const char *const wrong[] = {"0", "-5", "many", "10x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect(exceeds(wrong[i], 1) == KDSL_EXIT_CHECK, wrong[i]);
    expect(!kdsl_exceeds_cache(0), "nothing is too much");
    expect(!kdsl_exceeds_cache(LEAST), "8 MiB fit");
    expect(kdsl_exceeds_cache(INT64_MAX), "everything is too much");
    expect(!kdsl_exceeds_cache(least), "as much as the cache has fits");
    if (system) expect(kdsl_exceeds_cache(least + 1), "one byte more does not");
    return n_failed != 0;
}
