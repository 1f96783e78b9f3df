/* Signals: a complex Fourier transform of 4^9 samples, Stockham's order. */
#include "stranger.h"

enum { N = 1 << 18 };
GLOBAL double *x, *y, *w, *given;

static void stage(const double *from, double *to, int l, int m) {
#pragma omp parallel for collapse(2)
    for (int j = 0; j < l; j++)
        for (int k = 0; k < m; k++) {
            const double *a = from + 2 * (j * m + k), *b = from + 2 * ((j + l) * m + k), *t = w + 2 * j * m;
            double *c = to + 2 * (2 * j * m + k), *d = to + 2 * ((2 * j + 1) * m + k);
            double re = a[0] - b[0], im = a[1] - b[1];
            c[0] = a[0] + b[0], c[1] = a[1] + b[1];
            d[0] = t[0] * re - t[1] * im, d[1] = t[0] * im + t[1] * re;
        }
}

void PLAIN(void) {
    for (int l = N / 2; l > 1; l /= 4) {
        stage(x, y, l, N / 2 / l);
        stage(y, x, l / 2, N / l);
    }
}

/* Radix 4: half as many passes over memory. */
static inline void four(const double *restrict from, double *restrict to, int l, int m, int j, int k0, int k1) {
    const double *a = from + 2 * j * m, *b = a + 2 * l * m, *c = b + 2 * l * m, *d = c + 2 * l * m;
    double *p = to + 8 * j * m, *q = p + 2 * m, *r = q + 2 * m, *s = r + 2 * m;
    const double *w1 = w + 2 * j * m, *w2 = w + 4 * j * m, *w3 = w + 6 * j * m;
    double w1r = w1[0], w1i = w1[1], w2r = w2[0], w2i = w2[1], w3r = w3[0], w3i = w3[1];
#pragma omp simd
    for (int k = k0; k < k1; k++) {
        double acr = a[2 * k] + c[2 * k], aci = a[2 * k + 1] + c[2 * k + 1];
        double bdr = b[2 * k] + d[2 * k], bdi = b[2 * k + 1] + d[2 * k + 1];
        double er = a[2 * k] - c[2 * k], ei = a[2 * k + 1] - c[2 * k + 1];
        double fr = d[2 * k + 1] - b[2 * k + 1], fi = b[2 * k] - d[2 * k]; /* i (b - d) */
        double gr = er - fr, gi = ei - fi, hr = acr - bdr, hi = aci - bdi, ur = er + fr, ui = ei + fi;
        p[2 * k] = acr + bdr, p[2 * k + 1] = aci + bdi;
        q[2 * k] = w1r * gr - w1i * gi, q[2 * k + 1] = w1r * gi + w1i * gr;
        r[2 * k] = w2r * hr - w2i * hi, r[2 * k + 1] = w2r * hi + w2i * hr;
        s[2 * k] = w3r * ur - w3i * ui, s[2 * k + 1] = w3r * ui + w3i * ur;
    }
}

void TUNED(void) {
    enum { PART = 1024 };
    double *from = x, *to = y;
#pragma omp parallel firstprivate(from, to)
    for (int l = N / 4, m = 1; l; l /= 4, m *= 4) {
        if (m == 1) {
#pragma omp for schedule(static)
            for (int j = 0; j < l; j++) four(from, to, l, 1, j, 0, 1);
        } else if (m < PART) {
#pragma omp for schedule(static)
            for (int j = 0; j < l; j++) four(from, to, l, m, j, 0, m);
        } else {
#pragma omp for schedule(static) collapse(2)
            for (int j = 0; j < l; j++)
                for (int k = 0; k < m; k += PART) four(from, to, l, m, j, k, k + PART);
        }
        double *other = from;
        from = to, to = other;
    }
    memcpy(x, y, 16ll * N); /* nine passes end in y */
}

#ifdef DATA
#include "fft.h"
Result result;
double bytes = 0, flops = 5.0 * 18 * N;

void setup(void) {
    uint64_t seed = 21;
    x = array(16ll * N), y = array(16ll * N), w = array(16ll * N), given = array(16ll * N);
    for (int i = 0; i < 2 * N; i++) given[i] = uniform(&seed) - 0.5;
    for (int i = 0; i < N; i++) w[2 * i] = cos(-2 * M_PI * i / N), w[2 * i + 1] = sin(-2 * M_PI * i / N);
    result = (Result){'d', x, 2 * N, 1e-14};
}
void prepare(void) { memcpy(x, given, 16ll * N); }
void kdsl(void) { must(fft((kdsl_f64x2 *)x, (const kdsl_f64x2 *)w, N)); }
#endif
