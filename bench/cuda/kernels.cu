// The kernels of bench/kernels in CUDA C++, one for one: the same algorithm, a thread where KDSL has an item, a block
// where it has a group, in the plain style of a textbook. peers/driver.c brings the data, the checks and the table;
// names of kernels are those of the KDSL sources, so that run.py can set one beside the other.
#include "cuda_peer.h"

namespace {

constexpr int GROUP = 256;
constexpr int GROUPS = 256;
constexpr int TILE = 16;
constexpr int BINS = 256;

int blocks(int n, int block) { return (n + block - 1) / block; }

// Streams
// --------------------------------------------------------------------------------------------------------------

__global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

__global__ void triad(const float *__restrict__ x, const float *__restrict__ y, float s, float *__restrict__ z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + s * y[i];
}

// Sums
// -----------------------------------------------------------------------------------------------------------------

__device__ float block_sum(float sum) { // for thread 0
    __shared__ float part[32];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    return sum;
}

// The sum of what each block has seen; with one block, of everything.
__global__ void sum(const float *__restrict__ x, float *__restrict__ sums, int n) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = mine;
}

__global__ void partial_sums(const float *__restrict__ x, float *__restrict__ sums, int n) {
    __shared__ float part[GROUP];
    int local = threadIdx.x;
    float mine = 0;
    for (int e = blockIdx.x * GROUP + local; e < n; e += GROUPS * GROUP) mine += x[e];
    part[local] = mine;
    __syncthreads();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        if (local < half) part[local] += part[local + half];
        __syncthreads();
    }
    if (local == 0) sums[blockIdx.x] = part[0];
}

// Scan
// -----------------------------------------------------------------------------------------------------------------

__global__ void block_sums(const float *__restrict__ x, float *__restrict__ sums, int n) {
    __shared__ float part[GROUP];
    int local = threadIdx.x, i = blockIdx.x * GROUP + local;
    part[local] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        if (local < half) part[local] += part[local + half];
        __syncthreads();
    }
    if (local == 0) sums[blockIdx.x] = part[0];
}

// through[b] is the sum up to and with block b.
__global__ void scan_blocks(const float *__restrict__ x, const float *__restrict__ through, float *__restrict__ y,
                            int n) {
    __shared__ float a[GROUP];
    int local = threadIdx.x, i = blockIdx.x * GROUP + local;
    float mine = i < n ? x[i] : 0;
    for (int gap = 1; gap < GROUP; gap *= 2) {
        a[local] = mine;
        __syncthreads();
        if (local >= gap) mine += a[local - gap];
        __syncthreads();
    }
    if (i < n) y[i] = (through && blockIdx.x ? through[blockIdx.x - 1] : 0) + mine;
}

// Histograms
// -----------------------------------------------------------------------------------------------------------

__global__ void histogram(const int *__restrict__ keys, int *__restrict__ counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[keys[i]], 1);
}

__global__ void histogram_local(const int *__restrict__ keys, int *__restrict__ counts, int n) {
    __shared__ int mine[BINS];
    int local = threadIdx.x;
    mine[local] = 0;
    __syncthreads();
    for (int e = blockIdx.x * GROUP + local; e < n; e += GROUPS * GROUP) atomicAdd(&mine[keys[e]], 1);
    __syncthreads();
    atomicAdd(&counts[local], mine[local]);
}

// Stencils
// -------------------------------------------------------------------------------------------------------------

__global__ void jacobi(const float *__restrict__ src, float *__restrict__ dst, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1 && j < n - 1)
        dst[i * n + j] =
            0.25f * (src[(i - 1) * n + j] + src[(i + 1) * n + j] + src[i * n + j - 1] + src[i * n + j + 1]);
}

__global__ void stencil(const float *__restrict__ p, float *__restrict__ q, int n) {
    int i = blockIdx.z * blockDim.z + threadIdx.z + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int k = blockIdx.x * blockDim.x + threadIdx.x + 1, at = (i * n + j) * n + k;
    if (i < n - 1 && j < n - 1 && k < n - 1)
        q[at] = 0.4f * p[at] + 0.1f * (p[at - n * n] + p[at + n * n] + p[at - n] + p[at + n] + p[at - 1] + p[at + 1]);
}

// Matrices
// -------------------------------------------------------------------------------------------------------------

__global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    float dot = 0;
    for (int e = 0; e < n; e++) dot += a[i * n + e] * b[e * n + j];
    c[i * n + j] = dot;
}

__global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int y = threadIdx.y, x = threadIdx.x, i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    float dot = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[y][x] = i < n && t + x < n ? a[i * n + t + x] : 0;
        tb[y][x] = t + y < n && j < n ? b[(t + y) * n + j] : 0;
        __syncthreads();
        for (int e = 0; e < TILE; e++) dot += ta[y][e] * tb[e][x];
        __syncthreads();
    }
    if (i < n && j < n) c[i * n + j] = dot;
}

__global__ void transpose(const float *__restrict__ a, float *__restrict__ b, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int y = threadIdx.y, x = threadIdx.x, i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    if (i < n && j < n) tile[y][x] = a[i * n + j];
    __syncthreads();
    int row = blockIdx.x * TILE + y, column = blockIdx.y * TILE + x;
    if (row < n && column < n) b[row * n + column] = tile[x][y];
}

// y = A x, A in CSR
__global__ void spmv(const int *__restrict__ first, const int *__restrict__ column, const float *__restrict__ value,
                     const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float dot = 0;
    for (int e = first[i]; e < first[i + 1]; e++) dot += value[e] * x[column[e]];
    y[i] = dot;
}

// Arithmetic
// -----------------------------------------------------------------------------------------------------------

__global__ void mandelbrot(int *__restrict__ picture, int n, int limit) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    float cr = -2.0f + 3.0f * j / n, ci = -1.5f + 3.0f * i / n, zr = 0, zi = 0;
    int k = 0;
    while (k < limit && zr * zr + zi * zi <= 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        k++;
    }
    picture[i * n + j] = k;
}

__global__ void accelerations(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                              const float *__restrict__ mass, float *__restrict__ ax, float *__restrict__ ay,
                              float *__restrict__ az, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sx = 0, sy = 0, sz = 0;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1.0e-2f);
        float f = mass[j] * inverse * inverse * inverse;
        sx += f * dx, sy += f * dy, sz += f * dz;
    }
    ax[i] = sx, ay[i] = sy, az[i] = sz;
}

__device__ float normal(float d) { return 0.5f + 0.5f * erff(d * 0.70710678f); }

__global__ void prices(const float *__restrict__ spot, const float *__restrict__ strike,
                       const float *__restrict__ years, float *__restrict__ call, float *__restrict__ put, int n) {
    constexpr float RATE = 0.02f, VOLATILITY = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float deviation = VOLATILITY * sqrtf(years[i]);
    float drift = (RATE + 0.5f * VOLATILITY * VOLATILITY) * years[i];
    float d1 = (logf(spot[i] / strike[i]) + drift) / deviation, d2 = d1 - deviation;
    float discounted = strike[i] * expf(-RATE * years[i]);
    call[i] = spot[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * (1 - normal(d2)) - spot[i] * (1 - normal(d1));
}

// Bitonic sorting network
// ------------------------------------------------------------------------------------------------

__global__ void step(float *__restrict__ x, int n, int size, int gap) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int i = 2 * t - (t & (gap - 1));
    float a = x[i], b = x[i + gap];
    if ((a > b) == ((i & size) == 0)) x[i] = b, x[i + gap] = a;
}

// All steps from size `from` to size `to` whose gap is at most GROUP.
__global__ void local_steps(float *__restrict__ x, int from, int to) {
    __shared__ float s[2 * GROUP];
    int local = threadIdx.x, base = blockIdx.x * 2 * GROUP;
    s[local] = x[base + local];
    s[local + GROUP] = x[base + local + GROUP];
    __syncthreads();
    for (int size = from; size <= to; size *= 2)
        for (int gap = min(size / 2, GROUP); gap > 0; gap /= 2) {
            int i = 2 * local - (local & (gap - 1));
            float a = s[i], b = s[i + gap];
            if ((a > b) == (((base + i) & size) == 0)) s[i] = b, s[i + gap] = a;
            __syncthreads();
        }
    x[base + local] = s[local];
    x[base + local + GROUP] = s[local + GROUP];
}

dim3 square(int n, dim3 block) { return dim3(blocks(n, block.x), blocks(n, block.y)); }

} // namespace

// As driver.c calls them; pointers are the host's ---------------------------------------------------------------------

extern "C" {

void k_saxpy(float *y, const float *x, float a, int n) {
    LAUNCH(saxpy, blocks(n, GROUP), GROUP, a, on_device(x), on_device(y), n);
}

void k_triad(float *z, const float *x, const float *y, float s, int n) {
    LAUNCH(triad, blocks(n, GROUP), GROUP, on_device(x), on_device(y), s, on_device(z), n);
}

float k_reduce(const float *x, int n) {
    float *sums = scratch(GROUPS * 4 + 1), *total = sums + GROUPS * 4, result;
    LAUNCH(sum, GROUPS * 4, GROUP, on_device(x), sums, n);
    LAUNCH(sum, 1, 1024, sums, total, GROUPS * 4);
    fetch(&result, total);
    return result;
}

float k_reduce_tree(const float *x, int n) {
    float *sums = scratch(GROUPS + 1), *total = sums + GROUPS, result;
    LAUNCH(partial_sums, GROUPS, GROUP, on_device(x), sums, n);
    LAUNCH(sum, 1, GROUP, sums, total, GROUPS);
    fetch(&result, total);
    return result;
}

void k_scan(float *out, const float *in, float *tmp, int n) {
    int n_blocks = blocks(n, GROUP), n_blocks2 = blocks(n_blocks, GROUP);
    float *sums = on_device(tmp), *through = sums + n_blocks, *sums2 = through + n_blocks,
          *through2 = sums2 + n_blocks2;
    const float *none = nullptr;
    LAUNCH(block_sums, n_blocks, GROUP, on_device(in), sums, n);
    LAUNCH(block_sums, n_blocks2, GROUP, sums, sums2, n_blocks);
    LAUNCH(scan_blocks, 1, GROUP, sums2, none, through2, n_blocks2);
    LAUNCH(scan_blocks, n_blocks2, GROUP, sums, through2, through, n_blocks);
    LAUNCH(scan_blocks, n_blocks, GROUP, on_device(in), through, on_device(out), n);
}

void k_hist_atomic(int *bins, const int *keys, int n) {
    clear(on_device(bins), BINS);
    LAUNCH(histogram, blocks(n, GROUP), GROUP, on_device(keys), on_device(bins), n);
}

void k_hist_local(int *bins, const int *keys, int n) {
    clear(on_device(bins), BINS);
    LAUNCH(histogram_local, GROUPS, GROUP, on_device(keys), on_device(bins), n);
}

void k_jacobi(float *dst, const float *src, int n) {
    dim3 block(32, 8);
    LAUNCH(jacobi, square(n - 2, block), block, on_device(src), on_device(dst), n);
}

void k_stencil(float *dst, const float *src, int n) {
    dim3 block(32, 8), grid(blocks(n - 2, 32), blocks(n - 2, 8), n - 2);
    LAUNCH(stencil, grid, block, on_device(src), on_device(dst), n);
}

void k_matmul(float *c, const float *a, const float *b, int n) {
    dim3 block(TILE, TILE);
    LAUNCH(matmul_naive, square(n, block), block, on_device(a), on_device(b), on_device(c), n);
}

void k_matmul_tiled(float *c, const float *a, const float *b, int n) {
    dim3 block(TILE, TILE);
    LAUNCH(matmul_tiled, square(n, block), block, on_device(a), on_device(b), on_device(c), n);
}

void k_transpose(float *out, const float *in, int n) {
    dim3 block(TILE, TILE);
    LAUNCH(transpose, square(n, block), block, on_device(in), on_device(out), n);
}

void k_spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n) {
    LAUNCH(spmv, blocks(n, GROUP), GROUP, on_device(row), on_device(col), on_device(val), on_device(x), on_device(y),
           n);
}

void k_mandel(int *out, int n, int limit) {
    dim3 block(TILE, TILE);
    LAUNCH(mandelbrot, square(n, block), block, on_device(out), n, limit);
}

void k_nbody(float *acc, const float *pos, int n) {
    const float *p = on_device(pos);
    float *a = on_device(acc);
    LAUNCH(accelerations, blocks(n, 128), 128, p, p + n, p + 2 * n, p + 3 * n, a, a + n, a + 2 * n, n);
}

void k_blackscholes(float *call, float *put, const float *s, const float *k, const float *t, int n) {
    LAUNCH(prices, blocks(n, GROUP), GROUP, on_device(s), on_device(k), on_device(t), on_device(call), on_device(put),
           n);
}

void k_bitonic(float *x, int n) {
    float *keys = on_device(x);
    LAUNCH(local_steps, n / 2 / GROUP, GROUP, keys, 2, 2 * GROUP);
    for (int size = 4 * GROUP; size <= n; size *= 2) {
        for (int gap = size / 2; gap > GROUP; gap /= 2) LAUNCH(step, n / 2 / GROUP, GROUP, keys, n, size, gap);
        LAUNCH(local_steps, n / 2 / GROUP, GROUP, keys, size, size);
    }
}

} // extern "C"
