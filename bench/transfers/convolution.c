/* examples/convolution.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>

enum { H = 40, W = 64, WEIGHTS_SUM = 256 };

static int at(const int *image, long y, long x) { return y < 0 || y >= H || x < 0 || x >= W ? 0 : image[y * W + x]; }

static void direct(long k, const int *src, const int *weights, int *dst) {
#pragma omp target teams distribute parallel for collapse(2) map(to: src[0:H * W], weights[0:k * k]) \
    map(from: dst[0:H * W])
    for (long y = 0; y < H; y++)
        for (long x = 0; x < W; x++) {
            int sum = 0;
            for (long a = 0; a < k; a++)
                for (long b = 0; b < k; b++) sum += weights[a * k + b] * at(src, y + a - k / 2, x + b - k / 2);
            dst[y * W + x] = sum;
        }
}

static void along_rows(long k, const int *src, const int *weights, int *dst) {
#pragma omp target teams distribute parallel for collapse(2) map(to: src[0:H * W], weights[0:k]) \
    map(from: dst[0:H * W])
    for (long y = 0; y < H; y++)
        for (long x = 0; x < W; x++) {
            int sum = 0;
            for (long b = 0; b < k; b++) sum += weights[b] * at(src, y, x + b - k / 2);
            dst[y * W + x] = sum;
        }
}

static void along_columns(long k, const int *src, const int *weights, int *dst) {
#pragma omp target teams distribute parallel for collapse(2) map(to: src[0:H * W], weights[0:k]) \
    map(from: dst[0:H * W])
    for (long y = 0; y < H; y++)
        for (long x = 0; x < W; x++) {
            int sum = 0;
            for (long a = 0; a < k; a++) sum += weights[a] * at(src, y + a - k / 2, x);
            dst[y * W + x] = sum;
        }
}

static long differences(const int *a, const int *b) {
    long count = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:H * W], b[0:H * W]) reduction(+: count)
    for (long y = 1; y < H - 1; y++)
        for (long x = 1; x < W - 1; x++) count += a[y * W + x] != b[y * W + x];
    return count;
}

static void show(const char *title, const int *image, int scale) {
    printf("%s\n", title);
    for (long y = 0; y < H; y += 4) {
        printf(" ");
        for (long x = 0; x < W; x += 4) printf(" %3d", image[y * W + x] / scale);
        printf("\n");
    }
}

int main(void) {
    static int image[H * W], one[H * W], between[H * W], two[H * W], three[H * W], square[5 * 5], small[3 * 3];
    int row[] = {1, 4, 6, 4, 1}, small_row[] = {1, 2, 1};
    for (long y = 0; y < H; y++)
        for (long x = 0; x < W; x++) image[y * W + x] = (x >= 28 && x < 36) || (y >= 16 && y < 20) ? 240 : 16;
    for (long i = 0; i < 25; i++) square[i] = row[i / 5] * row[i % 5];
    for (long i = 0; i < 9; i++) small[i] = small_row[i / 3] * small_row[i % 3];
    long separable, twice;
#pragma omp target data map(to: image, row) map(from: one) map(alloc: between, two, three)
    {
        direct(5, image, square, one);
        along_rows(5, image, row, between);
        along_columns(5, between, row, two);
#pragma omp target data map(to: small)
        {
            direct(3, image, small, between);
            direct(3, between, small, three);
        }
        separable = differences(one, two);
        twice = differences(one, three);
    }
    show("before", image, 1);
    show("after", one, WEIGHTS_SUM);
    printf("separable differs in %ld inner pixels, twice 3 x 3 in %ld\n", separable, twice);
    return 0;
}
