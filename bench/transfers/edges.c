/* examples/edges.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

static void write_png(const char *path, long h, long w, const float *pixels) {
    png_image image = {.version = PNG_IMAGE_VERSION, .width = w, .height = h, .format = PNG_FORMAT_GRAY};
    png_byte *bytes = malloc(h * w);
    for (long i = 0; i < h * w; i++) bytes[i] = pixels[i] * 255 + 0.5f;
    if (!png_image_write_to_file(&image, path, 0, bytes, 0, NULL)) exit(1);
    free(bytes);
}

static float *read_png(const char *path, long *h, long *w) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) exit(1);
    image.format = PNG_FORMAT_GRAY;
    *h = image.height, *w = image.width;
    png_byte *bytes = malloc(*h * *w);
    float *pixels = malloc(sizeof *pixels * *h * *w);
    if (!png_image_finish_read(&image, NULL, bytes, 0, NULL)) exit(1);
    for (long i = 0; i < *h * *w; i++) pixels[i] = bytes[i] / 255.0;
    free(bytes);
    return pixels;
}

static void draw(long h, long w, float *p) {
#pragma omp target teams distribute parallel for collapse(2) map(from: p[0:h * w])
    for (long i = 0; i < h; i++)
        for (long j = 0; j < w; j++) {
            float y = i - 80, x = j - 80;
            int in_square = i >= 50 && i < 110 && j >= 160 && j < 220;
            p[i * w + j] = x * x + y * y < 2500 ? 1 : in_square ? 0.5f : 0;
        }
}

static float at(long h, long w, const float *p, long i, long j) {
    return i < 0 || i >= h || j < 0 || j >= w ? 0 : p[i * w + j];
}

static void sobel(long h, long w, const float *p, float *edges) {
#pragma omp target teams distribute parallel for collapse(2) map(to: p[0:h * w]) map(from: edges[0:h * w])
    for (long i = 0; i < h; i++)
        for (long j = 0; j < w; j++) {
            float right = at(h, w, p, i - 1, j + 1) + 2 * at(h, w, p, i, j + 1) + at(h, w, p, i + 1, j + 1);
            float left = at(h, w, p, i - 1, j - 1) + 2 * at(h, w, p, i, j - 1) + at(h, w, p, i + 1, j - 1);
            float below = at(h, w, p, i + 1, j - 1) + 2 * at(h, w, p, i + 1, j) + at(h, w, p, i + 1, j + 1);
            float above = at(h, w, p, i - 1, j - 1) + 2 * at(h, w, p, i - 1, j) + at(h, w, p, i - 1, j + 1);
            edges[i * w + j] = fminf(hypotf(right - left, below - above) / 4, 1);
        }
}

int main(int n_args, char **args) {
    long h = 160, w = 240, count = 0;
    if (n_args < 2) {
        float *drawn = malloc(sizeof *drawn * h * w);
        draw(h, w, drawn);
        write_png("picture.png", h, w, drawn);
    }
    float *p = read_png(n_args > 1 ? args[1] : "picture.png", &h, &w), *edges = malloc(sizeof *edges * h * w);
#pragma omp target data map(from: edges[0:h * w])
    {
        sobel(h, w, p, edges);
#pragma omp target teams distribute parallel for reduction(+: count)
        for (long i = 0; i < h * w; i++) count += edges[i] > 0.1f;
    }
    write_png("edges.png", h, w, edges);
    printf("%ld x %ld\n%ld edge pixels\n", h, w, count);
    return 0;
}
