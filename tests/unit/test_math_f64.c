/* How exact are the kernels' mathematical functions of f64? Numbers with a story, and random ones, as many as you ask:
 *   test_math_f64                 as CTest does
 *   test_math_f64 100000000 [NAME] */
#include "irgen/math/f64.c"

#include <float.h>

typedef double Real;
typedef long double Wide;
typedef uint64_t Bits;
#define FREXP frexpl
#define LDEXP ldexpl
#define FABS fabsl
#define DIGITS DBL_MANT_DIG
#define MIN_EXPONENT DBL_MIN_EXP
#define MAX_EXPONENT DBL_MAX_EXP
#define TINIEST DBL_TRUE_MIN
#define SMALLEST DBL_MIN
#define LARGEST DBL_MAX
#include "math_accuracy.h"

/* Those that are libm's own: asinh, acosh, atanh. */
#define asinh_f64 NULL
#define acosh_f64 NULL
#define atanh_f64 NULL
#define ONE(name) .f = name##_f64, .exact = name##l
#define TWO(name) .f2 = name##_f64, .exact2 = name##l
#define ARGS1(name) ONE(name)
#define ARGS2(name) TWO(name)

#ifdef KDSL_FAST
#define BOUND(exact, fast) fast
#else
#define BOUND(exact, fast) exact
#endif

static const Row rows[] = {
#define MATH(name, n_args, ulp32, ulp64, fast32, fast64) {#name, n_args, BOUND(ulp64, fast64), ARGS##n_args(name)},
#include "irgen/math/accuracy.def"
#undef MATH
};

int main(int argc, char **argv) {
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    int n_failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        if (row->bound == 0 || (argc > 2 && strcmp(argv[2], row->name))) continue;
        Worst worst = {.ulps = -1};
        see_special(row, &worst);
        see_random(row, &worst, n);
        n_failed += finish(row, &worst);
    }
    return n_failed != 0;
}
