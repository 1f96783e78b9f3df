/* math_accuracy.h -- how exact are the mathematical functions of kernels? For test_math_f32.c and test_math_f64.c,
 * which compile them for the host: every step is one rounding, so the bits are those of any kernel on any machine. The
 * reference is libm's next wider type, which is exact to a thousandth of our last place. Each test includes this with
 * Real, Wide, Bits and the type's constants defined. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *name;
    int n_args;
    double bound;
    Real (*f)(Real);
    Wide (*exact)(Wide);
    Real (*f2)(Real, Real);
    Wide (*exact2)(Wide, Wide);
} Row;

typedef struct Worst {
    double ulps;
    Real x, y;
    long n;
} Worst;

static Real from_bits(Bits b) {
    Real x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* The error in units of the last place of the exact result; infinite where one of the two has no value, another sign of
 * zero, or is infinite although the other does not round to that. */
static double ulps(Real got, Wide want) {
    Real rounded = (Real)want;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(rounded) && got == rounded) return 0;
    if (isinf(want)) return INFINITY;
    if (rounded == 0 && !signbit(want) != !signbit(got)) return INFINITY;
    int exponent;
    FREXP(want, &exponent);
    if (exponent < MIN_EXPONENT) exponent = MIN_EXPONENT;
    Wide next = LDEXP((Wide)1, MAX_EXPONENT), value = isinf(got) ? got > 0 ? next : -next : (Wide)got;
    return (double)(FABS(value - want) / LDEXP((Wide)1, exponent - DIGITS));
}

#ifdef KDSL_FAST
/* The fast mode promises nothing of arguments and results that are not normal numbers, or near the largest one, nor of
 * angles that are huge. */
static int is_promised(const Row *row, Real x, Real y) {
    int is_angle = !strcmp(row->name, "sin") || !strcmp(row->name, "cos") || !strcmp(row->name, "tan");
    double want = (double)(row->n_args == 1 ? row->exact(x) : row->exact2(x, y));
    if (is_angle && fabs((double)x) > (DIGITS < 30 ? 65536.0 : 268435456.0)) return 0;
    if (!isnormal(x) || (row->n_args == 2 && !isnormal(y))) return 0;
    return fabs(want) == 0 || (fabs(want) >= SMALLEST && fabs(want) <= LARGEST / 2);
}
#else
static int is_promised(const Row *row, Real x, Real y) {
    (void)row, (void)x, (void)y;
    return 1;
}
#endif

static void see(const Row *row, Worst *worst, Real x, Real y) {
    if (!is_promised(row, x, y)) return;
    double error = row->n_args == 1 ? ulps(row->f(x), row->exact(x)) : ulps(row->f2(x, y), row->exact2(x, y));
    worst->n++;
    if (error <= worst->ulps) return;
    *worst = (Worst){error, x, y, worst->n};
}

static uint64_t next_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 -1.5,
                                 2.0,
                                 -2.0,
                                 3.0,
                                 -3.0,
                                 27.0,
                                 1000.0,
                                 88.7,
                                 88.73,
                                 -87.4,
                                 -103.9,
                                 -104.1,
                                 709.7,
                                 709.8,
                                 -708.4,
                                 -745.1,
                                 -745.2,
                                 128.0,
                                 1024.0,
                                 16777215.0,
                                 16777216.0,
                                 9007199254740991.0,
                                 9007199254740992.0,
                                 1e5,
                                 3e8,
                                 1e22,
                                 3e38,
                                 -3e38};
enum { N_SPECIAL = sizeof special / sizeof *special, N_EDGES = 9 };

/* Numbers with a story, and the ends of the type. */
static Real special_value(int i) {
    const Real edges[N_EDGES] = {INFINITY, -INFINITY, NAN, TINIEST, -TINIEST, SMALLEST, -SMALLEST, LARGEST, -LARGEST};
    return i < N_EDGES ? edges[i] : (Real)special[i - N_EDGES];
}

static void see_special(const Row *row, Worst *worst) {
    for (int i = 0; i < N_SPECIAL + N_EDGES; i++)
        for (int k = 0; k < (row->n_args == 1 ? 1 : N_SPECIAL + N_EDGES); k++)
            see(row, worst, special_value(i), special_value(k));
}

/* Of a size that most functions do something with: 2^-12 to 2^12 or so, of both signs. */
static Real middling(void) {
    uint64_t r = next_random();
    return (Real)ldexp((double)(int64_t)next_random(), -63 - 12 + (int)(r % 25));
}

static void see_random(const Row *row, Worst *worst, long n) {
    for (long i = 0; i < n; i++) {
        Real near_one = 1 + (Real)ldexp((double)(int64_t)next_random(), -63 - (int)(next_random() % DIGITS));
        see(row, worst, from_bits((Bits)next_random()), from_bits((Bits)next_random()));
        see(row, worst, middling(), middling());
        see(row, worst, near_one, middling());
        see(row, worst, (Real)fabs((double)middling()), (Real)(int)middling());
    }
}

static int finish(const Row *row, const Worst *worst) {
    int failed = !(worst->ulps <= row->bound);
    printf("%-6s %.3f ulp of %.1f at (%a", row->name, worst->ulps, row->bound, (double)worst->x);
    if (row->n_args == 2) printf(", %a", (double)worst->y);
    printf("), %ld arguments%s\n", worst->n, failed ? ": TOO MUCH" : "");
    return failed;
}
