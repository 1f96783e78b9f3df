/* How exact are the kernels' mathematical functions of f32? Every 4099th number, numbers with a story, and random ones:
 *   test_math_f32            as CTest does
 *   test_math_f32 1 [NAME]   every number there is: minutes for each function */
#include "irgen/math/f32.c"

#include <float.h>

typedef float Real;
typedef double Wide;
typedef uint32_t Bits;
#define FREXP frexp
#define LDEXP ldexp
#define FABS fabs
#define DIGITS FLT_MANT_DIG
#define MIN_EXPONENT FLT_MIN_EXP
#define MAX_EXPONENT FLT_MAX_EXP
#define TINIEST FLT_TRUE_MIN
#define SMALLEST FLT_MIN
#define LARGEST FLT_MAX
#include "math_accuracy.h"

#define ONE(name) .f = name##_f32, .exact = name
#define TWO(name) .f2 = name##_f32, .exact2 = name
#define ARGS1(name) ONE(name)
#define ARGS2(name) TWO(name)

#ifdef KDSL_FAST
#define BOUND(exact, fast) fast
#else
#define BOUND(exact, fast) exact
#endif

static const Row rows[] = {
#define MATH(name, n_args, ulp32, ulp64, fast32, fast64) {#name, n_args, BOUND(ulp32, fast32), ARGS##n_args(name)},
#include "irgen/math/accuracy.def"
#undef MATH
};

int main(int argc, char **argv) {
    uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 4099;
    int n_failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        if (argc > 2 && strcmp(argv[2], row->name)) continue;
        Worst worst = {.ulps = -1};
        see_special(row, &worst);
        see_random(row, &worst, row->n_args == 1 ? 20000 : 200000);
        for (uint64_t b = 0; row->n_args == 1 && b >> 32 == 0; b += step ? step : 1)
            see(row, &worst, from_bits((Bits)b), 0);
        n_failed += finish(row, &worst);
    }
    return n_failed != 0;
}
