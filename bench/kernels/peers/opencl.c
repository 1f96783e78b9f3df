/* The OpenCL peer: builds the file of KERNELS with CLFLAGS, and wraps host memory without copying. */
#define CL_TARGET_OPENCL_VERSION 120
#include "bench.h"
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { WG = 256, T = 16, GROUPS = 256 };
static cl_context ctx;
static cl_command_queue queue;
static cl_program prog;
static cl_device_id dev;
static struct buf {
    void *p;
    cl_mem m;
} bufs[16];
static float *part;

static void ck(cl_int e, const char *what) {
    if (e) fprintf(stderr, "opencl: %s: %d\n", what, e), exit(1);
}
static struct buf *find(const void *p) {
    struct buf *b = bufs;
    while (b->p != p && b < bufs + 15) b++;
    return b;
}
void peer_in(void *p, size_t n) {
    struct buf *b = find(p);
    if (b->p != p) {
        b = find(NULL);
        b->p = p, b->m = clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE, n, p, NULL);
        return;
    }
    ck(clEnqueueWriteBuffer(queue, b->m, 1, 0, n, p, 0, NULL, NULL), "write");
}
void peer_out(void *p, size_t n) {
    cl_int e;
    void *q = clEnqueueMapBuffer(queue, find(p)->m, 1, CL_MAP_READ, 0, n, 0, NULL, NULL, &e);
    ck(e, "map");
    ck(clEnqueueUnmapMemObject(queue, find(p)->m, q, 0, NULL, NULL), "unmap");
    clFinish(queue);
}
void peer_sync(void) { clFinish(queue); }

void peer_init(void) {
    cl_platform_id pf;
    cl_int e;
    char *name = getenv("KERNELS"), *flags = getenv("CLFLAGS"), log[4096], src[32768], *s = src;
    ck(clGetPlatformIDs(1, &pf, NULL), "platform");
    ck(clGetDeviceIDs(pf, CL_DEVICE_TYPE_ALL, 1, &dev, NULL), "device");
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &e), ck(e, "context");
    queue = clCreateCommandQueue(ctx, dev, 0, &e), ck(e, "queue");
    FILE *f = fopen(name ? name : "kernels.cl", "r");
    size_t n = f ? fread(src, 1, sizeof src, f) : 0;
    prog = clCreateProgramWithSource(ctx, 1, (const char **)&s, &n, &e), ck(e, "source");
    if (clBuildProgram(prog, 1, &dev, flags ? flags : "-cl-fast-relaxed-math", NULL, NULL)) {
        clGetProgramBuildInfo(prog, dev, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log), exit(1);
    }
    part = malloc(GROUPS * sizeof *part);
    peer_in(part, GROUPS * sizeof *part);
}

// go("name", "ppif", dims, gx, gy, gz, lx, ly, args...): p buffer, i int, f float
static void go(const char *name, const char *sig, int dims, size_t gx, size_t gy, size_t gz, size_t lx, size_t ly,
               ...) {
    static struct {
        const char *name;
        cl_kernel k;
    } cache[32];
    int c = 0, i = 0, iv;
    cl_int e;
    while (cache[c].name && strcmp(cache[c].name, name)) c++;
    if (!cache[c].name) cache[c].name = name, cache[c].k = clCreateKernel(prog, name, &e), ck(e, name);
    va_list ap;
    va_start(ap, ly);
    for (; sig[i]; i++) {
        float fv;
        if (sig[i] == 'p') e = clSetKernelArg(cache[c].k, i, sizeof(cl_mem), &find(va_arg(ap, void *))->m);
        else if (sig[i] == 'i') iv = va_arg(ap, int), e = clSetKernelArg(cache[c].k, i, 4, &iv);
        else fv = va_arg(ap, double), e = clSetKernelArg(cache[c].k, i, 4, &fv);
        ck(e, name);
    }
    va_end(ap);
    size_t g[3] = {gx, gy, gz}, l[3] = {lx, ly, 1};
    ck(clEnqueueNDRangeKernel(queue, cache[c].k, dims, NULL, g, l, 0, NULL, NULL), name);
}
#define GO1(name, sig, n, ...) go(name, sig, 1, n, 1, 1, WG, 1, __VA_ARGS__)
#define GO2(name, sig, n, ...) go(name, sig, 2, n, n, 1, T, T, __VA_ARGS__)

void k_saxpy(float *y, const float *x, float a, int n) { GO1("saxpy", "ppf", n, y, x, a); }
void k_triad(float *a, const float *b, const float *c, float s, int n) { GO1("triad", "pppf", n, a, b, c, s); }
void k_jacobi(float *d, const float *s, int n) { go("jacobi", "ppi", 2, n, n, 1, 64, 4, d, s, n); }
void k_stencil(float *d, const float *s, int n) { go("stencil3d", "ppi", 3, n, n, n, 64, 4, d, s, n); }
void k_matmul(float *c, const float *a, const float *b, int n) { GO2("matmul", "pppi", n, c, a, b, n); }
void k_matmul_tiled(float *c, const float *a, const float *b, int n) { GO2("matmul_tiled", "pppi", n, c, a, b, n); }
float k_reduce(const float *x, int n) {
    double s = 0;
    GO1("reduce", "ppi", WG * GROUPS, x, part, n);
    peer_out(part, GROUPS * sizeof *part);
    for (int i = 0; i < GROUPS; i++) s += part[i];
    return s;
}
void k_scan(float *out, const float *in, float *tmp, int n) { // three levels: n, n/256 in tmp, n/65536 in part
    static float *tmp2, *top;
    if (!tmp2) {
        tmp2 = malloc(n / WG * sizeof *tmp2), peer_in(tmp2, n / WG * sizeof *tmp2);
        top = malloc(GROUPS * sizeof *top), peer_in(top, GROUPS * sizeof *top);
    }
    GO1("scan_block", "ppp", n, out, in, tmp);
    GO1("scan_block", "ppp", n / WG, tmp2, tmp, part);
    GO1("scan_block", "ppp", n / WG / WG, top, part, part); // one group: its total lands in part[0], read before
    GO1("scan_add", "pp", n / WG, tmp2, top);
    GO1("scan_add", "pp", n, out, tmp2);
}
void k_hist_atomic(int *bins, const int *keys, int n) {
    GO1("zero", "p", N_BINS, bins);
    GO1("hist_atomic", "pp", n, bins, keys);
}
void k_hist_local(int *bins, const int *keys, int n) {
    GO1("zero", "p", N_BINS, bins);
    GO1("hist_local", "ppi", WG * GROUPS, bins, keys, n);
}
void k_mandel(int *out, int n, int maxit) { GO2("mandel", "pii", n, out, n, maxit); }
void k_nbody(float *acc, const float *pos, int n) { GO1("nbody", "ppi", n, acc, pos, n); }
void k_blackscholes(float *c, float *p, const float *s, const float *k, const float *t, int n) {
    GO1("blackscholes", "ppppp", n, c, p, s, k, t);
}
void k_spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n) {
    GO1("spmv", "ppppp", n, y, val, col, row, x);
}
void k_transpose(float *out, const float *in, int n) { GO2("transpose", "ppi", n, out, in, n); }
void k_bitonic(float *a, int n) {
    GO1("bitonic_local", "pii", n / 2, a, 2, 2 * WG);
    for (int k = 4 * WG; k <= n; k *= 2) {
        for (int j = k / 2; j > WG; j /= 2) GO1("bitonic_step", "pii", n / 2, a, k, j);
        GO1("bitonic_local", "pii", n / 2, a, k, k);
    }
}
