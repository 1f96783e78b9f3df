/* heat.kdsl in C: the same blocks, steps, messages and output. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, rows, columns;

static void exchange(double *u) {
    MPI_Request r[4];
    MPI_Status s[4];
    int n = 0, m = columns;
    if (rank > 0) MPI_Irecv(u, m, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &r[n++]);
    if (rank < size - 1) MPI_Irecv(u + (rows + 1L) * m, m, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &r[n++]);
    if (rank > 0) MPI_Isend(u + m, m, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &r[n++]);
    if (rank < size - 1) MPI_Isend(u + (long)rows * m, m, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &r[n++]);
    MPI_Waitall(n, r, s);
}

static void step(const double *restrict u, double *restrict v) {
    long m = columns;
    for (long i = 1; i <= rows; i++)
        for (long j = 1; j < m - 1; j++)
            v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

static double steps(double **u, double **v, int count, int halos) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), mine, most;
    for (int s = 0; s < count; s++) {
        if (halos) exchange(*u);
        step(*u, *v);
        double *other = *u;
        *u = *v;
        *v = other;
    }
    mine = MPI_Wtime() - begin;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most / count;
}

static double to_and_fro(double *x, int n, int count) {
    if (size < 2) return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int s = 0; s < count; s++) {
        if (rank == 0) MPI_Send(x, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        if (rank < 2) MPI_Recv(x, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / count / 2;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rows = atoi(argv[1]), columns = atoi(argv[2]);
    int count = atoi(argv[3]);
    long above = (long)rows * rank, n = (rows + 2L) * columns;
    size_t n_bytes = (size_t)(n * 8 + 63) / 64 * 64;
    double *u = aligned_alloc(64, n_bytes), *v = aligned_alloc(64, n_bytes);
    for (long i = 0; i < n; i++) u[i] = v[i] = (double)((above + i / columns) * (i % columns) % 7);
    steps(&u, &v, 20, 1);
    double whole = steps(&u, &v, count, 1), bare = steps(&u, &v, count, 0);
    double *many = calloc(131072, 8);
    double small = to_and_fro(many, 1, 20000), large = to_and_fro(many, 131072, 500);
    if (!rank)
        printf("%.4f %.4f %.3f %.3f %.17g\n", 1e3 * whole, 1e3 * bare, 1e6 * small, 1e6 * large,
               u[columns + columns / 2]);
    MPI_Finalize();
}
