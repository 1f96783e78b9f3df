#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void kick(long n, const double *mass, const double *pos, double *vel, double dt) {
#pragma omp target teams distribute parallel for map(to: mass[0:n], pos[0:n]) map(tofrom: vel[0:n])
    for (long i = 0; i < n; i++) {
        double a = 0;
        for (long j = 0; j < n; j++) {
            double d = pos[j] - pos[i];
            a += mass[j] * d / (fabs(d * d * d) + 0.5);
        }
        vel[i] += a * dt;
    }
}

static void drift(long n, const double *vel, double *pos, double dt) {
#pragma omp target teams distribute parallel for map(to: vel[0:n]) map(tofrom: pos[0:n])
    for (long i = 0; i < n; i++) pos[i] += vel[i] * dt;
}

static double energy(long n, const double *mass, const double *vel) {
    double e = 0;
#pragma omp target teams distribute parallel for map(to: mass[0:n], vel[0:n]) reduction(+: e)
    for (long i = 0; i < n; i++) e += 0.5 * mass[i] * vel[i] * vel[i];
    return e;
}

int main(void) {
    long n = 64;
    double *mass = array(n), *pos = array(n), *vel = array(n);
    for (long i = 0; i < n; i++) mass[i] = 1.0 / 64, pos[i] = i * i % 17, vel[i] = i % 3;
#pragma omp target data map(to: mass[0:n], pos[0:n], vel[0:n])
    {
        printf("%.6f\n", energy(n, mass, vel));
        for (int s = 0; s < 20; s++) {
            kick(n, mass, pos, vel, 0.05);
            drift(n, vel, pos, 0.1);
            kick(n, mass, pos, vel, 0.05);
        }
        printf("%.6f\n", energy(n, mass, vel));
    }
    return 0;
}
