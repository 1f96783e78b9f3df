#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 20 };

static int solve(const double *r, int m, double *v) {
    double z[MOST] = {0}, beta = 1, alpha = -r[0];
    int k = 1;
    for (int e = 0; e < MOST; e++) v[e] = 0;
    v[0] = -r[0];
    while (k < m) {
        beta = (1 - alpha * alpha) * beta;
        if (fabs(beta) < 1e-3) break;
        double sum = 0;
        for (int e = 0; e < k; e++) sum += r[k - e - 1] * v[e];
        alpha = -(r[k] + sum) / beta;
        if (isnan(alpha)) return -k;
        for (int e = 0; e < k; e++) z[e] = v[e] + alpha * v[k - e - 1];
        for (int e = 0; e < k; e++) v[e] = z[e];
        v[k++] = alpha;
        if (k == 7 && alpha > 0.5) break;
    }
    return k;
}

int main(void) {
    uint32_t seed = 31415;
    for (int round = 1; round < 6; round++) {
        int n = round * 23, all = 0;
        double total = 0;
        for (int i = 0; i < n; i++) {
            double r[MOST], y[MOST];
            for (int k = 0; k < MOST; k++) {
                seed = seed * 1664525u + 1013904223u;
                r[k] = ((double)(seed >> 8) / 16777216.0 - 0.5) / (double)(k + 1 + i % 2);
            }
            seed = seed * 1664525u + 1013904223u;
            int order = (int16_t)(seed >> 20) % 21;
            all += solve(r, order < 0 ? -order : order, y) * (i % 7 + 1);
            for (int k = 0; k < MOST; k++) total += y[k] * (double)((i * 3 + k) % 11);
        }
        printf("%.6f %d\n", total, all);
    }
    return 0;
}
