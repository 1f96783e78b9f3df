/* examples/mandelbrot.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

static int escape_time(double cx, double cy) {
    double x = 0, y = 0;
    for (int k = 0; k < 255; k++) {
        double xx = x * x, yy = y * y;
        if (xx + yy > 4) return k;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    return 255;
}

int main(void) {
    long width = 640, height = 480, inside = 0, brightness = 0;
    unsigned char *image = malloc(width * height);
    double pixel = 0.005;
#pragma omp target data map(from: image[0:width * height])
    {
#pragma omp target teams distribute parallel for collapse(2)
        for (long row = 0; row < height; row++)
            for (long col = 0; col < width; col++)
                image[row * width + col] = (unsigned char)(255 - escape_time(-2.3 + col * pixel, 1.2 - row * pixel));
#pragma omp target teams distribute parallel for reduction(+: inside)
        for (long i = 0; i < width * height; i++) inside += image[i] == 0;
#pragma omp target teams distribute parallel for reduction(+: brightness)
        for (long i = 0; i < width * height; i++) brightness += image[i];
    }
    FILE *f = fopen("mandelbrot.pgm", "wb");
    if (!f) return 1;
    fprintf(f, "P5\n%ld %ld\n255\n", width, height);
    fwrite(image, 1, width * height, f);
    fclose(f);
    printf("mandelbrot.pgm: %ld x %ld pixels, %ld in the set, brightness %ld\n", width, height, inside, brightness);
    return 0;
}
