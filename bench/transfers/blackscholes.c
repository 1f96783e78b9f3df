/* examples/blackscholes.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Option {
    double spot, strike, years;
} Option;
typedef struct Price {
    double call, put;
} Price;

static const double rate = 0.02, volatility = 0.3;

static double normal_below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static Price price(Option o) {
    double width = volatility * sqrt(o.years);
    double d1 = (log(o.spot / o.strike) + (rate + 0.5 * volatility * volatility) * o.years) / width, d2 = d1 - width;
    double discounted = o.strike * exp(-rate * o.years);
    return (Price){o.spot * normal_below(d1) - discounted * normal_below(d2),
                   discounted * normal_below(-d2) - o.spot * normal_below(-d1)};
}

int main(void) {
    long n = 1000;
    double worst = 0;
    Option *options = malloc(sizeof *options * n);
    Price *prices = malloc(sizeof *prices * n);
    for (long i = 0; i < n; i++) options[i] = (Option){100, 60 + i % 10 * 10, 0.25 * (i / 10 + 1)};
#pragma omp target data map(to: options[0:n]) map(from: prices[0:n])
    {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) prices[i] = price(options[i]);
#pragma omp target teams distribute parallel for reduction(max: worst)
        for (long i = 0; i < n; i++) {
            Option o = options[i];
            worst = fmax(worst, fabs(prices[i].call - prices[i].put - (o.spot - o.strike * exp(-rate * o.years))));
        }
    }
    for (long i = 0; i < n; i += 111)
        printf("strike %3.0f, %5.2f years: call %8.4f, put %8.4f\n", options[i].strike, options[i].years,
               prices[i].call, prices[i].put);
    printf("parity holds: %s\n", worst < 1e-10 ? "true" : "false");
    return 0;
}
