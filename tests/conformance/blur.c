#include <stdio.h>
#include <stdlib.h>

static void blur(long h, long w, float *image) {
    float *between = malloc(sizeof *between * h * w);
#pragma omp target data map(tofrom: image[0:h * w]) map(alloc: between[0:h * w])
    {
#pragma omp target teams distribute parallel for collapse(2)
        for (long i = 0; i < h; i++)
            for (long j = 0; j < w; j++)
                between[i * w + j] = image[i * w + (j > 0 ? j - 1 : 0)] + 2 * image[i * w + j] +
                                     image[i * w + (j < w - 1 ? j + 1 : w - 1)];
#pragma omp target teams distribute parallel for collapse(2)
        for (long i = 0; i < h; i++)
            for (long j = 0; j < w; j++)
                image[i * w + j] = between[(i > 0 ? i - 1 : 0) * w + j] + 2 * between[i * w + j] +
                                   between[(i < h - 1 ? i + 1 : h - 1) * w + j];
    }
    free(between);
}

int main(void) {
    long h = 20, w = 30;
    float *image = malloc(sizeof *image * h * w);
    for (long i = 0; i < h; i++)
        for (long j = 0; j < w; j++) image[i * w + j] = (float)(i * j % 7);
    blur(h, w, image);
    for (long i = 0; i < h; i++) printf("%g %g\n", image[i * w], image[i * w + 17]);
    return 0;
}
