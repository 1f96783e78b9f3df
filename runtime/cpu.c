/* cpu.c -- CPU feature detection: which level of x86-64 this processor has, for programs and images that contain their
 * kernels in several versions (--march=portable). Detected once, by a constructor that irgen/version.c makes; kernels
 * read the result. KDSL_CPU in the environment names a lower level, to test the other versions. Source of the levels:
 * x86-64 psABI 1.0, table 3.1.
 *
 * Also the size of the last-level cache that this core shares with its neighbours. sysconf returns the sum of all
 * caches of the socket, or more on virtual machines. Source: Intel SDM 2A, CPUID leaf 4; AMD64 manual 3, leaf
 * 8000001D, which has the same layout. */
#include <cpuid.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/internal.h"

KDSL_RT int32_t kdsl_cpu_level = 0;

enum { EAX, EBX, ECX, EDX };
enum { LEVELS = 4 };
static const char *const names[LEVELS + 1] = {"", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

/* What a level adds to the one before it. */
static const struct {
    int level;
    unsigned leaf, word, bit;
} features[] = {
    {2, 1, ECX, 0},           /* SSE3 */
    {2, 1, ECX, 9},           /* SSSE3 */
    {2, 1, ECX, 13},          /* CMPXCHG16B */
    {2, 1, ECX, 19},          /* SSE4.1 */
    {2, 1, ECX, 20},          /* SSE4.2 */
    {2, 1, ECX, 23},          /* POPCNT */
    {2, 0x80000001, ECX, 0},  /* LAHF, SAHF */
    {3, 1, ECX, 12},          /* FMA */
    {3, 1, ECX, 22},          /* MOVBE */
    {3, 1, ECX, 27},          /* OSXSAVE */
    {3, 1, ECX, 28},          /* AVX */
    {3, 1, ECX, 29},          /* F16C */
    {3, 7, EBX, 3},           /* BMI1 */
    {3, 7, EBX, 5},           /* AVX2 */
    {3, 7, EBX, 8},           /* BMI2 */
    {3, 0x80000001, ECX, 5},  /* LZCNT */
    {4, 7, EBX, 16},          /* AVX512F */
    {4, 7, EBX, 17},          /* AVX512DQ */
    {4, 7, EBX, 28},          /* AVX512CD */
    {4, 7, EBX, 30},          /* AVX512BW */
    {4, 7, EBX, 31},          /* AVX512VL */
};

static bool has(unsigned leaf, unsigned word, unsigned bit) {
    unsigned at[4];
    return __get_cpuid_count(leaf, 0, &at[EAX], &at[EBX], &at[ECX], &at[EDX]) && at[word] >> bit & 1;
}

/* A register that the operating system does not save is none: XCR0 says which it does. */
static bool saves(int level) {
    static const unsigned needed[LEVELS + 1] = {[3] = 0x06, [4] = 0xe6}; /* SSE, AVX; and the three of AVX-512 */
    unsigned low, high;
    if (!needed[level]) return true;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & needed[level]) == needed[level];
}

static bool has_level(int level) {
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].level == level && !has(features[i].leaf, features[i].word, features[i].bit)) return false;
    return saves(level);
}

static int level_of_processor(void) {
    int level = 1;
    while (level < LEVELS && has_level(level + 1)) level++;
    return level;
}

/* Nothing has been started yet that would have to be shut down. */
static _Noreturn __attribute__((format(printf, 1, 2))) void refuse(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    _exit(KDSL_EXIT_CHECK);
}

static int level_named(const char *name) {
    for (int level = 1; level <= LEVELS; level++)
        if (!strcmp(name, names[level])) return level;
    refuse("KDSL_CPU=%s: unknown level; use x86-64, x86-64-v2, x86-64-v3 or x86-64-v4\n", name);
}

void kdsl_cpu_choose(int32_t lowest) {
    const char *wanted = getenv("KDSL_CPU");
    int here = level_of_processor(), level = wanted && *wanted ? level_named(wanted) : here;
    if (here < lowest) refuse("this program needs a processor of level %s; this one supports %s\n", names[lowest],
                              names[here]);
    if (level > here) refuse("KDSL_CPU=%s: this processor only supports %s\n", wanted, names[here]);
    if (level < lowest) refuse("KDSL_CPU=%s: the lowest version in this program is %s\n", wanted, names[lowest]);
    kdsl_cpu_level = level;
}

/* Caches ----------------------------------------------------------------------------------------------------------- */

static int64_t level3_bytes(unsigned leaf) {
    enum { MOST_CACHES = 16, TYPE = 31 };
    unsigned at[4];
    for (unsigned i = 0; i < MOST_CACHES; i++) {
        if (!__get_cpuid_count(leaf, i, &at[EAX], &at[EBX], &at[ECX], &at[EDX]) || !(at[EAX] & TYPE)) return 0;
        if ((at[EAX] >> 5 & 7) != 3) continue;
        int64_t ways = (at[EBX] >> 22) + 1, parts = (at[EBX] >> 12 & 1023) + 1, line = (at[EBX] & 4095) + 1;
        return ways * parts * line * ((int64_t)at[ECX] + 1);
    }
    return 0;
}

static int64_t bytes_named(const char *text) {
    char *end;
    errno = 0;
    long long n_bytes = strtoll(text, &end, 10);
    if (errno || *end || n_bytes <= 0) refuse("KDSL_CACHE=%s: expected a number of bytes\n", text);
    return n_bytes;
}

/* KDSL_CACHE in the environment says otherwise, to try small arrays as if they were large. */
static int64_t cache_bytes(void) {
    enum { LEAST = 8 << 20 }; /* the least size, also where the processor reports none */
    static _Atomic int64_t known;
    if (known) return known;
    const char *wanted = getenv("KDSL_CACHE");
    if (wanted && *wanted) return known = bytes_named(wanted);
    int64_t intel = level3_bytes(4), amd = level3_bytes(0x8000001d), n_bytes = intel > amd ? intel : amd;
    return known = n_bytes > LEAST ? n_bytes : LEAST;
}

int32_t kdsl_exceeds_cache(int64_t n_bytes) { return n_bytes > cache_bytes(); }
