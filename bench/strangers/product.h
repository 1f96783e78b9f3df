/* product.h -- the middle of a tuned matrix product in doubles: 8 rows by 16 columns of the result in registers, from
 * operands packed so that each step reads 8 and 16 numbers that follow one another. */
#ifndef PRODUCT_H
#define PRODUCT_H

enum { ROWS = 8, COLUMNS = 16 };
typedef double Lanes __attribute__((vector_size(64), aligned(8)));

/* acc += a b, where a is [n][ROWS] and b is [n][COLUMNS]. */
static inline void multiply_packed(int n, const double *a, const double *b, Lanes acc[ROWS][2]) {
    Lanes t[ROWS][2];
    for (int r = 0; r < ROWS; r++) t[r][0] = acc[r][0], t[r][1] = acc[r][1];
    for (int k = 0; k < n; k++) {
        Lanes b0 = *(const Lanes *)(b + k * COLUMNS), b1 = *(const Lanes *)(b + k * COLUMNS + 8);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            Lanes v = (Lanes){0} + a[k * ROWS + r];
            t[r][0] += v * b0, t[r][1] += v * b1;
        }
    }
    for (int r = 0; r < ROWS; r++) acc[r][0] = t[r][0], acc[r][1] = t[r][1];
}

/* c = a b, all [n][n], of operands packed whole: a in panels of ROWS rows, b in panels of COLUMNS columns. */
static inline void multiply(int n, const double *a, const double *b, double *c) {
#pragma omp parallel for schedule(static)
    for (int j = 0; j < n; j += COLUMNS)
        for (int i = 0; i < n; i += ROWS) {
            Lanes acc[ROWS][2] = {{{0}}};
            multiply_packed(n, a + i * n, b + j * n, acc);
            for (int r = 0; r < ROWS; r++) memcpy(c + (i + r) * n + j, acc[r], sizeof acc[r]);
        }
}

#endif
