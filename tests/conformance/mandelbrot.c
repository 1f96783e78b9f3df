#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long h = 40, w = 60, inside = 0;
    unsigned char *image = malloc(h * w);
#pragma omp target data map(from: image[0:h * w])
    {
#pragma omp target teams distribute parallel for collapse(2)
        for (long row = 0; row < h; row++)
            for (long col = 0; col < w; col++) {
                double cx = -2.0 + col * 0.05, cy = -1.0 + row * 0.05, x = 0, y = 0;
                int steps = 0;
                for (; steps < 200 && x * x + y * y <= 4; steps++) {
                    double t = x * x - y * y + cx;
                    y = 2 * x * y + cy;
                    x = t;
                }
                image[row * w + col] = (unsigned char)steps;
            }
#pragma omp target teams distribute parallel for reduction(+: inside)
        for (long i = 0; i < h * w; i++) inside += image[i] == 200;
    }
    printf("%ld\n", inside);
    for (long row = 0; row < h; row++) printf("%d %d\n", image[row * w + 20], image[row * w + 40]);
    return 0;
}
