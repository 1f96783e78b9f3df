#include <stdio.h>
#include <stdlib.h>

typedef struct Particle {
    double x, v;
    int tag;
} Particle;

int main(void) {
    long n = 100;
    Particle *ps = malloc(sizeof *ps * n);
    for (long i = 0; i < n; i++) ps[i] = (Particle){i, 0, (int)i};
#pragma omp target data map(tofrom: ps[0:n])
    for (int s = 0; s < 10; s++) {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) {
            ps[i].v -= ps[i].x * 0.5;
            ps[i].x += ps[i].v * 0.5;
        }
    }
    for (long i = 0; i < n; i += 11) printf("%d %.6f\n", ps[i].tag, ps[i].x);
    return 0;
}
