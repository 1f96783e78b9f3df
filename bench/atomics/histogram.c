/* The same by OpenMP, each thread with bins of its own (histogram.kdsl): what the plain loop costs. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 256 };

static void by_words(const uint32_t *x, int *h, int n) {
#pragma omp parallel for reduction(+ : h[:BINS])
    for (int i = 0; i < n; i++) h[x[i] & 255]++;
}

static void by_bytes(const uint8_t *x, int *h, int n) {
#pragma omp parallel for reduction(+ : h[:BINS])
    for (int i = 0; i < n; i++) h[x[i]]++;
}

static float total(const uint32_t *x, float sum, int n) {
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += (float)x[i];
    return sum;
}

static uint32_t extreme(const uint32_t *x, uint32_t most, int n) {
#pragma omp parallel for simd reduction(max : most)
    for (int i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static int h[BINS];
static volatile float sum;
static volatile uint32_t most;

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const char *what = argv[1];
    int n = atoi(argv[2]);
    uint32_t *words = malloc(sizeof *words * (size_t)n);
    uint8_t *bytes = malloc((size_t)n);
    for (int i = 0; i < n; i++) {
        uint32_t key = ((uint32_t)i * 2654435761u) >> 13;
        words[i] = !strcmp(what, "equal") ? 7 : key;
        bytes[i] = (uint8_t)key;
    }
    double best = 1e9;
    for (int r = 0; r < atoi(argv[3]); r++) {
        double start = omp_get_wtime();
        if (!strcmp(what, "u8")) by_bytes(bytes, h, n);
        else if (!strcmp(what, "total")) sum = total(words, sum, n);
        else if (!strcmp(what, "extreme")) most = extreme(words, most, n);
        else by_words(words, h, n);
        double t = omp_get_wtime() - start;
        best = t < best ? t : best;
    }
    printf("%.1f\n", best * 1e6);
    return 0;
}
