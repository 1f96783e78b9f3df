/* Particle transport: macroscopic cross sections, looked up in the tables of nuclides. */
#include "stranger.h"

enum { NUCLIDES = 60, POINTS = 2000, MATERIALS = 12, N = 20000, X = 5 };
GLOBAL double *energy, *sections, *density, *e, *total;
GLOBAL int32_t *first, *nuclide, *material, entries;

static inline int position(const double *energies, double at) {
    int low = 0, high = POINTS - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (energies[middle] > at) high = middle;
        else low = middle;
    }
    return low;
}

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double sum[X] = {0};
        for (int k = first[material[i]]; k < first[material[i] + 1]; k++) {
            const double *energies = energy + nuclide[k] * POINTS;
            int at = position(energies, e[i]);
            const double *s = sections + (nuclide[k] * POINTS + at) * X;
            double f = (e[i] - energies[at]) / (energies[at + 1] - energies[at]);
            for (int x = 0; x < X; x++) sum[x] += density[k] * (s[x] + f * (s[X + x] - s[x]));
        }
        for (int x = 0; x < X; x++) total[i * X + x] = sum[x];
    }
}

/* A search without branches for eight nuclides at a time, whose accesses to memory overlap. */
void TUNED(void) {
    enum { LANES = 8 };
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < N; i++) {
        double sum[X] = {0}, at = e[i];
        int end = first[material[i] + 1];
        for (int k0 = first[material[i]]; k0 < end; k0 += LANES) {
            int n = end - k0 < LANES ? end - k0 : LANES, base[LANES], low[LANES];
            for (int l = 0; l < LANES; l++) low[l] = base[l] = nuclide[l < n ? k0 + l : k0] * POINTS;
            for (int left = POINTS - 1; left > 1; left -= left / 2)
                for (int l = 0; l < LANES; l++) low[l] = energy[low[l] + left / 2] > at ? low[l] : low[l] + left / 2;
            for (int l = 0; l < n; l++) {
                const double *s = sections + low[l] * X;
                double f = (at - energy[low[l]]) / (energy[low[l] + 1] - energy[low[l]]);
                for (int x = 0; x < X; x++) sum[x] += density[k0 + l] * (s[x] + f * (s[X + x] - s[x]));
            }
        }
        memcpy(total + i * X, sum, sizeof sum);
    }
}

#ifdef DATA
#include "neutrons.h"
Result result;
double bytes = 0, flops = 0;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first material is fuel, of most nuclides, and where most lookups are. */
void setup(void) {
    uint64_t seed = 36;
    static const int32_t sizes[MATERIALS] = {40, 5, 4, 4, 20, 15, 15, 15, 15, 15, 9, 9};
    energy = array(8ll * NUCLIDES * POINTS), sections = array(8ll * NUCLIDES * POINTS * X);
    first = array(4 * (MATERIALS + 1)), e = array(8ll * N), material = array(4ll * N), total = array(8ll * N * X);
    for (int k = 0; k < MATERIALS; k++) first[k + 1] = first[k] + sizes[k];
    entries = first[MATERIALS], nuclide = array(4 * entries), density = array(8 * entries);
    for (int k = 0; k < entries; k++)
        nuclide[k] = (int32_t)(next_random(&seed) % NUCLIDES), density[k] = uniform(&seed);
    for (int u = 0; u < NUCLIDES; u++) {
        double *own = energy + u * POINTS;
        for (int p = 0; p < POINTS; p++) own[p] = uniform(&seed);
        own[0] = 0, own[1] = 1;
        qsort(own, POINTS, 8, ascending);
    }
    for (int k = 0; k < NUCLIDES * POINTS * X; k++) sections[k] = uniform(&seed);
    for (int i = 0; i < N; i++)
        e[i] = uniform(&seed), material[i] = next_random(&seed) % 2 ? 0 : (int32_t)(next_random(&seed) % MATERIALS);
    result = (Result){'d', total, N * X, 1e-12};
}
void prepare(void) { memset(total, 0, 8ll * N * X); }
void kdsl(void) {
    must(neutrons(energy, sections, first, nuclide, density, e, material, total, NUCLIDES, POINTS, MATERIALS, entries,
                  N));
}
#endif
