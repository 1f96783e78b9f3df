#include <stdio.h>
#include <stdlib.h>

static long hits(long paths) {
    long count = 0;
#pragma omp target teams distribute parallel for reduction(+: count)
    for (long i = 0; i < paths; i++) {
        unsigned x = (unsigned)i * 2654435761u % 1000, y = (unsigned)i * 40503u % 1000;
        count += x * x + y * y < 1000000;
    }
    return count;
}

int main(void) {
    printf("%ld\n", hits(100000));
    printf("%ld\n", hits(200000));
    return 0;
}
