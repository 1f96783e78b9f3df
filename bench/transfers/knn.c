/* examples/knn.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

enum { K = 7, KINDS = 3, FEATURES = 4 };

typedef struct Sample {
    float features[FEATURES];
    int kind;
} Sample;

static float uniform(u64 seed, u64 i) { return (float)(philox(seed, 0, i) >> 40) * 5.9604644775390625e-8f; }

static void measure(u64 seed, long n, Sample *samples) {
#pragma omp target teams distribute parallel for map(from: samples[0:n])
    for (long i = 0; i < n; i++) {
        static const float mean[KINDS][FEATURES] = {
            {5.0f, 3.4f, 1.5f, 0.2f}, {5.9f, 2.8f, 4.3f, 1.3f}, {6.6f, 3.0f, 5.6f, 2.0f}};
        samples[i].kind = i % KINDS;
        for (int f = 0; f < FEATURES; f++)
            samples[i].features[f] = mean[i % KINDS][f] + 2 * (uniform(seed, FEATURES * i + f) - 0.5f);
    }
}

static float distance(const float *a, const float *b) {
    float sum = 0;
    for (int f = 0; f < FEATURES; f++) sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

static int classify(long n, const Sample *known, const float *features, int k) {
    int votes[KINDS] = {0}, most = 0;
    float last = -1;
    long last_at = -1;
    for (int round = 0; round < k; round++) {
        float best = 1e30f;
        long at = -1;
        for (long i = 0; i < n; i++) {
            float d = distance(known[i].features, features);
            if ((d > last || (d == last && i > last_at)) && d < best) best = d, at = i;
        }
        last = best, last_at = at;
        votes[known[at].kind]++;
    }
    for (int kind = 1; kind < KINDS; kind++)
        if (votes[kind] > votes[most]) most = kind;
    return most;
}

static void guess(long n, const Sample *known, long m, const Sample *unknown, int confusion[KINDS][KINDS], int k) {
#pragma omp target teams distribute parallel for map(tofrom: confusion[0:KINDS])
    for (long i = 0; i < m; i++) {
        int kind = classify(n, known, unknown[i].features, k);
#pragma omp atomic
        confusion[unknown[i].kind][kind]++;
    }
}

int main(void) {
    long n = 600, m = 300;
    Sample *known = malloc(sizeof *known * n), *unknown = malloc(sizeof *unknown * m);
#pragma omp target data map(alloc: known[0:n], unknown[0:m])
    {
        measure(1, n, known);
        measure(2, m, unknown);
        for (int k = 1; k <= K; k += 2) {
            int confusion[KINDS][KINDS] = {0}, right = 0;
            guess(n, known, m, unknown, confusion, k);
            for (int c = 0; c < KINDS; c++) right += confusion[c][c];
            printf("k = %d: %d of %ld right\n", k, right, m);
            if (k < K) continue;
            for (int c = 0; c < KINDS; c++)
                printf("  kind %d: guessed %3d %3d %3d\n", c, confusion[c][0], confusion[c][1], confusion[c][2]);
        }
    }
    return 0;
}
