/* examples/montecarlo.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long hash(unsigned long counter) {
    unsigned long z = counter * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(unsigned long counter) { return ((double)(hash(counter) >> 11) + 0.5) / 9007199254740992.0; }

static double normal(unsigned long counter) {
    return sqrt(-2 * log(uniform(2 * counter))) * cos(6.283185307179586 * uniform(2 * counter + 1));
}

static double phi(double x) { return 0.5 * erfc(-x / sqrt(2)); }

int main(void) {
    double strike = 105, start = 100, rate = 0.03, volatility = 0.2, sum = 0;
    long paths = 1 << 20;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (long i = 0; i < paths; i++) {
        double price = start * exp(rate - 0.5 * volatility * volatility + volatility * normal(42 + (unsigned long)i));
        sum += price > strike ? price - strike : 0;
    }
    printf("%ld paths: %.4f\n", paths, sum / paths * exp(-rate));
    double d1 = (log(start / strike) + (rate + 0.5 * volatility * volatility)) / volatility;
    printf("Black and Scholes: %.4f\n", start * phi(d1) - strike * exp(-rate) * phi(d1 - volatility));
    return 0;
}
