/* examples/primes.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

static int is_prime(long n) {
    if (n % 2 == 0) return n == 2;
    for (long d = 3; d * d <= n; d += 2)
        if (n % d == 0) return 0;
    return n > 1;
}

static long count_by_division(long limit) {
    long count = 0;
#pragma omp target teams distribute parallel for reduction(+: count)
    for (long n = 0; n < limit; n++) count += is_prime(n);
    return count;
}

static void cross_out(long n_words, unsigned *words, long p) {
#pragma omp target teams distribute parallel for map(tofrom: words[0:n_words])
    for (long bit = p * p / 2; bit < 32 * n_words; bit += p) {
#pragma omp atomic
        words[bit / 32] |= 1u << bit % 32;
    }
}

static int bits_set(unsigned word) {
    int bits = 0;
    for (; word != 0; word &= word - 1) bits++;
    return bits;
}

int main(void) {
    for (long limit = 100; limit <= 100000; limit *= 10)
        printf("below %7ld: %5ld by division\n", limit, count_by_division(limit));
    long n_words = 1000000 / 64, left = 0;
    unsigned *words = calloc(n_words, sizeof *words);
#pragma omp target data map(to: words[0:n_words])
    {
        for (long p = 3; p < 1000; p += 2)
            if (is_prime(p)) cross_out(n_words, words, p);
#pragma omp target teams distribute parallel for reduction(+: left)
        for (long i = 0; i < n_words; i++) left += bits_set(~words[i]);
    }
    printf("below %ld: %ld by sieve\n", 64 * n_words, left);
    return 0;
}
