/* examples/nbody.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double softening = 0.05;

static void kick(long n, const double *mass, const double *pos, double *vel, double dt) {
#pragma omp target teams distribute parallel for map(to: mass[0:n], pos[0:3 * n]) map(tofrom: vel[0:3 * n])
    for (long i = 0; i < n; i++) {
        double a[3] = {0, 0, 0};
        for (long j = 0; j < n; j++) {
            double d[3], r2 = softening * softening;
            for (int k = 0; k < 3; k++) d[k] = pos[k * n + j] - pos[k * n + i], r2 += d[k] * d[k];
            for (int k = 0; k < 3; k++) a[k] += mass[j] / (r2 * sqrt(r2)) * d[k];
        }
        for (int k = 0; k < 3; k++) vel[k * n + i] += a[k] * dt;
    }
}

static void drift(long n, const double *vel, double *pos, double dt) {
#pragma omp target teams distribute parallel for map(to: vel[0:3 * n]) map(tofrom: pos[0:3 * n])
    for (long i = 0; i < 3 * n; i++) pos[i] += vel[i] * dt;
}

static double energy(long n, const double *mass, const double *pos, const double *vel) {
    double sum = 0;
#pragma omp target teams distribute parallel for map(to: mass[0:n], pos[0:3 * n], vel[0:3 * n]) reduction(+: sum)
    for (long i = 0; i < n; i++) {
        double v2 = 0, e = 0;
        for (int k = 0; k < 3; k++) v2 += vel[k * n + i] * vel[k * n + i];
        for (long j = 0; j < i; j++) {
            double r2 = softening * softening;
            for (int k = 0; k < 3; k++) r2 += (pos[k * n + j] - pos[k * n + i]) * (pos[k * n + j] - pos[k * n + i]);
            e -= mass[i] * mass[j] / sqrt(r2);
        }
        sum += 0.5 * mass[i] * v2 + e;
    }
    return sum;
}

int main(void) {
    long n = 256;
    int steps = 200;
    double *mass = malloc(sizeof *mass * n), *pos = calloc(3 * n, sizeof *pos), *vel = calloc(3 * n, sizeof *vel),
           dt = 0.002;
    for (long i = 0; i < n; i++) {
        double r = sqrt((i + 0.5) / n), angle = 2.399963229728653 * i, speed = 0.7 * sqrt(r);
        mass[i] = 1.0 / n;
        pos[i] = r * cos(angle), pos[n + i] = r * sin(angle), pos[2 * n + i] = 0.1 * sin(5 * angle);
        vel[i] = -speed * sin(angle), vel[n + i] = speed * cos(angle);
    }
    double before, after;
#pragma omp target data map(to: mass[0:n], pos[0:3 * n], vel[0:3 * n])
    {
        before = energy(n, mass, pos, vel);
        for (int s = 0; s < steps; s++) {
            kick(n, mass, pos, vel, 0.5 * dt);
            drift(n, vel, pos, dt);
            kick(n, mass, pos, vel, 0.5 * dt);
        }
        after = energy(n, mass, pos, vel);
    }
    printf("%ld bodies, %d steps of %g\n", n, steps, dt);
    printf("energy before %.6f, after %.6f\n", before, after);
    printf("relative drift %.1e\n", fabs((after - before) / before));
    return 0;
}
