/* examples/spmv.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Row by row, for each cell itself and its neighbours; how many elements there are. */
static int laplacian(int side, int *first, int *column, double *value) {
    static const int down[] = {-1, 0, 0, 0, 1}, right[] = {0, -1, 0, 1, 0};
    int e = 0;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            int row = i * side + j;
            first[row] = e;
            for (int d = 0; d < 5; d++) {
                int y = i + down[d], x = j + right[d];
                if (y < 0 || y >= side || x < 0 || x >= side) continue;
                column[e] = y * side + x;
                value[e++] = d == 2 ? 4 : -1;
            }
        }
    first[side * side] = e;
    return e;
}

int main(void) {
    int side = 100, n = side * side, middle = n / 2 + side / 2;
    int *first = malloc(sizeof *first * (n + 1)), *column = malloc(sizeof *column * 5 * n);
    double *value = malloc(sizeof *value * 5 * n), *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    double h = pi / (side + 1), eigenvalue = 4 - 4 * cos(h), worst = 0;
    int n_elements = laplacian(side, first, column, value);
    printf("%d x %d: %d of %ld elements are not zero\n", n, n, n_elements, (long)n * n);
    for (int i = 0; i < n; i++) x[i] = sin((i / side + 1) * h) * sin((i % side + 1) * h);
#pragma omp target data map(to: x[0:n]) map(alloc: y[0:n])
    {
#pragma omp target teams distribute parallel for map(to: first[0:n + 1], column[0:n_elements], value[0:n_elements])
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int e = first[i]; e < first[i + 1]; e++) sum += value[e] * x[column[e]];
            y[i] = sum;
        }
#pragma omp target teams distribute parallel for reduction(max: worst)
        for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - eigenvalue * x[i]));
#pragma omp target update from(y[middle:1])
    }
    printf("y / x in the middle: %.9f\n", y[middle] / x[middle]);
    printf("4 - 4 cos h:         %.9f\n", eigenvalue);
    printf("largest error below 1e-14: %s\n", worst < 1e-14 ? "true" : "false");
    return 0;
}
