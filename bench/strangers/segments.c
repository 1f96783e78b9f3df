/* Statistics: mean and maximum of segments, from a few values to thousands. */
#include "stranger.h"

enum { N = 40000 };
GLOBAL int32_t *first, m;
GLOBAL float *x, *out;

void PLAIN(void) {
#pragma omp parallel for
    for (int s = 0; s < N; s++) {
        float sum = 0, most = -1e30f;
        for (int e = first[s]; e < first[s + 1]; e++) {
            sum += x[e];
            most = fmaxf(most, x[e]);
        }
        int n = first[s + 1] - first[s];
        out[2 * s] = sum / (n > 1 ? n : 1);
        out[2 * s + 1] = most;
    }
}

void TUNED(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int s = 0; s < N; s++) {
        float sum = 0, most = -1e30f;
        int n = first[s + 1] - first[s];
        const float *at = x + first[s];
#pragma omp simd reduction(+ : sum) reduction(max : most)
        for (int e = 0; e < n; e++) {
            sum += at[e];
            most = most < at[e] ? at[e] : most;
        }
        out[2 * s] = sum / (n > 1 ? n : 1);
        out[2 * s + 1] = most;
    }
}

#ifdef DATA
#include "segments.h"
Result result;
double bytes = 0, flops = 0;

/* Lengths as those of words or of rows of web graphs: most are short, some long. */
void setup(void) {
    uint64_t seed = 33;
    first = array(4ll * (N + 1));
    for (int s = 0; s < N; s++) {
        double n = 8 / (uniform(&seed) + 1e-3);
        first[s + 1] = first[s] + (int32_t)n;
    }
    m = first[N], x = array(4ll * m), out = array(8ll * N);
    for (int e = 0; e < m; e++) x[e] = (float)uniform(&seed);
    result = (Result){'f', out, 2 * N, 1e-4};
}
void prepare(void) { memset(out, 0, 8ll * N); }
void kdsl(void) { must(segments(first, x, out, N, m)); }
#endif
