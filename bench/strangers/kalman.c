/* Time series: Kalman's filter with missing values, one item for each series. */
#include "stranger.h"

enum { N = 4096, T = 400 };
static const double drift = 0.01;
GLOBAL double *y, *noise, *level;

void PLAIN(void) {
#pragma omp parallel for
    for (int s = 0; s < N; s++) {
        double x = 0, p = 1e6;
        for (int k = 0; k < T; k++) {
            p += drift;
            if (!isnan(y[s * T + k])) {
                double gain = p / (p + noise[s]);
                x += gain * (y[s * T + k] - x);
                p *= 1 - gain;
            }
            level[s * T + k] = x;
        }
    }
}

/* 16 series at a time; their values are transposed in blocks. */
void TUNED(void) {
    enum { LANES = 16, STEPS = 16 };
#pragma omp parallel for schedule(static)
    for (int s0 = 0; s0 < N; s0 += LANES) {
        double x[LANES], p[LANES], r[LANES];
        for (int l = 0; l < LANES; l++) x[l] = 0, p[l] = 1e6, r[l] = noise[s0 + l];
        for (int k0 = 0; k0 < T; k0 += STEPS) {
            double t[STEPS][LANES];
            for (int l = 0; l < LANES; l++)
                for (int k = 0; k < STEPS; k++) t[k][l] = y[(s0 + l) * T + k0 + k];
            for (int k = 0; k < STEPS; k++)
#pragma omp simd
                for (int l = 0; l < LANES; l++) {
                    double v = t[k][l], q = p[l] + drift, gain = v == v ? q / (q + r[l]) : 0;
                    double d = v == v ? v - x[l] : 0;
                    x[l] += gain * d;
                    p[l] = q * (1 - gain);
                    t[k][l] = x[l];
                }
            for (int l = 0; l < LANES; l++)
                for (int k = 0; k < STEPS; k++) level[(s0 + l) * T + k0 + k] = t[k][l];
        }
    }
}

#ifdef DATA
#include "kalman.h"
Result result;
double bytes = 16.0 * N * T, flops = 0;

void setup(void) {
    uint64_t seed = 44;
    y = array(8ll * N * T), noise = array(8ll * N), level = array(8ll * N * T);
    for (int s = 0; s < N; s++) {
        double x = 10 * uniform(&seed);
        noise[s] = 0.1 + uniform(&seed);
        for (int k = 0; k < T; k++) {
            x += 0.2 * (uniform(&seed) - 0.5);
            y[s * T + k] = next_random(&seed) % 20 ? x + uniform(&seed) - 0.5 : NAN;
        }
    }
    result = (Result){'d', level, N * T, 1e-13};
}
void prepare(void) { memset(level, 0, 8ll * N * T); }
void kdsl(void) { must(kalman(y, noise, level, drift, N, T)); }
#endif
