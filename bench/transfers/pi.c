/* examples/pi.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    for (long steps = 10; steps <= 1000000; steps *= 10) {
        double pi = 0, width = 1.0 / steps;
#pragma omp target teams distribute parallel for reduction(+: pi)
        for (long i = 0; i < steps; i++) {
            double x = (i + 0.5) * width;
            pi += 4 / (1 + x * x) * width;
        }
        printf("%7ld steps: pi = %.10f\n", steps, pi);
    }
    return 0;
}
