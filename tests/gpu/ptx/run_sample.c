/* run_sample.c PTX -- the kernels of sample.c, run by the mock driver from PTX, beside the same on the host;
   run_sample.c PTX KERNEL BLOCKS THREADS -- one of them alone, and the 64 words that it leaves. */
#include "tests/gpu/ptx/sample.c"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *bytes);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(u64 *address, size_t n_bytes);
int cuMemcpyHtoD_v2(u64 to, const void *from, size_t n_bytes);
int cuMemcpyDtoH_v2(void *to, u64 from, size_t n_bytes);
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned dynamic_bytes, void *stream, void **params, void **extra);
int cuMemAllocHost_v2(void **p, size_t n_bytes);
int cuCtxSynchronize(void);

static void must(int status, const char *what) {
    if (status) exit((fprintf(stderr, "%s: error %d\n", what, status), 1));
}

static void *module;

static int launch(const char *name, unsigned blocks, unsigned threads, void **params) {
    void *f;
    must(cuModuleGetFunction(&f, module, name), name);
    must(cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL), name);
    return cuCtxSynchronize();
}

static u64 to_device(const void *from, size_t n_bytes) {
    u64 address;
    must(cuMemAlloc_v2(&address, n_bytes), "cuMemAlloc");
    must(cuMemcpyHtoD_v2(address, from, n_bytes), "cuMemcpyHtoD");
    return address;
}

static int check_sample(void) {
    static u64 in[48] = {0,
                         1,
                         2,
                         3,
                         7,
                         31,
                         64,
                         127,
                         128,
                         255,
                         256,
                         0x7fff,
                         0x8000,
                         0xffff,
                         0x7fffffff,
                         0x80000000,
                         0xffffffff,
                         0x7fffffffffffffff,
                         0x8000000000000000,
                         0xffffffffffffffff,
                         0x3f8000003f800000,
                         0x3ff0000000000000,
                         0xbff8000000000000,
                         0x7f8000007f800000,
                         0x7ff0000000000000,
                         0x7ff8000000000000,
                         0x0000000100000001,
                         0xc2c80000c2c80000,
                         0x40490fdb40490fdb};
    enum { N = 48, N_OUT = N * N * N_RESULTS };
    for (u64 i = 29, x = 88172645463325252u; i < N; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17, in[i] = x;
    u64 *out = calloc(N_OUT, 8), want[N_RESULTS];
    u64 d_in = to_device(in, sizeof in), d_out = to_device(out, N_OUT * 8);
    u32 n = N;
    must(launch("sample", N * N / 64, 64, (void *[]){&d_in, &d_out, &n}), "sample");
    must(cuMemcpyDtoH_v2(out, d_out, N_OUT * 8), "cuMemcpyDtoH");
    int n_wrong = 0;
    for (int i = 0; i < N * N; i++) {
        memset(want, 0, sizeof want);
        compute(in[i / N], in[i % N], want);
        for (int k = 0; k < N_RESULTS; k++)
            if (out[i * N_RESULTS + k] != want[k] && n_wrong++ < 10)
                printf("%d of %#llx, %#llx: %#llx, not %#llx\n", k, in[i / N], in[i % N], out[i * N_RESULTS + k],
                       want[k]);
    }
    return n_wrong;
}

static int check_together(void) {
    enum { BLOCKS = 3, THREADS = 256 };
    u32 in[BLOCKS * THREADS], out[4 * BLOCKS] = {0}, all[2] = {0}, want_all[2] = {0};
    for (u32 i = 0; i < BLOCKS * THREADS; i++) in[i] = i * 2654435761u >> 12;
    u64 d_in = to_device(in, sizeof in), d_out = to_device(out, sizeof out), d_all = to_device(all, sizeof all);
    must(launch("together", BLOCKS, THREADS, (void *[]){&d_in, &d_out, &d_all}), "together");
    must(cuMemcpyDtoH_v2(out, d_out, sizeof out) || cuMemcpyDtoH_v2(all, d_all, sizeof all), "cuMemcpyDtoH");
    int n_wrong = 0;
    for (u32 b = 0; b < BLOCKS; b++) {
        u32 sum = 0, odd = 0;
        for (u32 t = 0; t < THREADS; t++) sum += in[b * THREADS + t], odd += in[b * THREADS + t] & 1;
        want_all[0] += sum;
        n_wrong += out[4 * b] != sum || out[4 * b + 1] != sum || out[4 * b + 2] != odd;
    }
    for (u32 i = 0; i < BLOCKS * THREADS; i++) want_all[1] = in[i] > want_all[1] ? in[i] : want_all[1];
    n_wrong += memcmp(all, want_all, sizeof all) != 0;
    if (n_wrong) printf("together: %d wrong\n", n_wrong);
    return n_wrong;
}

static int check_parted(void) {
    enum { THREADS = 250 };
    u32 out[THREADS] = {0}, turn = 0, n = THREADS;
    u64 d_out = to_device(out, sizeof out), d_turn = to_device(&turn, sizeof turn);
    must(launch("parted", 1, THREADS, (void *[]){&d_out, &d_turn, &n}), "parted");
    must(cuMemcpyDtoH_v2(out, d_out, sizeof out) || cuMemcpyDtoH_v2(&turn, d_turn, sizeof turn), "cuMemcpyDtoH");
    u32 stayed = THREADS - THREADS / 5, n_wrong = turn != stayed;
    for (u32 i = 0; i < THREADS; i++) n_wrong += out[i] != apart(i) + (i == 1 ? stayed : 0);
    if (n_wrong) printf("parted: %u wrong\n", n_wrong);
    return (int)n_wrong;
}

/* A kernel writes into memory of the host that was allocated for it. */
static int check_pinned(void) {
    u32 *out;
    must(cuMemAllocHost_v2((void **)&out, 8), "cuMemAllocHost");
    u64 at = 1;
    out[1] = 7;
    must(launch("beyond", 1, 1, (void *[]){&out, &at}), "beyond");
    if (out[1] != 1) printf("pinned memory: %u\n", out[1]);
    return out[1] != 1;
}

static int show(const char *kernel, unsigned blocks, unsigned threads) {
    u32 out[65] = {[64] = 2};
    u64 d_out = to_device(out, sizeof out);
    int status = launch(kernel, blocks, threads, (void *[]){&d_out});
    if (status) return status;
    must(cuMemcpyDtoH_v2(out, d_out, sizeof out), "cuMemcpyDtoH");
    for (int i = 0; i < 64; i++) printf("%x%c", out[i], i == 63 ? '\n' : ' ');
    return 0;
}

int main(int argc, char **argv) {
    static char ptx[1 << 22];
    void *context;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: %s PTX [beyond|stops|KERNEL BLOCKS THREADS]\n", argv[0]), 2;
    size_t n_bytes = fread(ptx, 1, sizeof ptx - 1, file);
    ptx[n_bytes] = 0;
    must(cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context), "cuInit");
    must(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    if (argc == 2) return check_sample() + check_together() + check_parted() + check_pinned() != 0;
    if (argc == 5) return show(argv[2], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
    u32 one = 1;
    u64 d_one = to_device(&one, sizeof one), at = 1;
    return launch(argv[2], 1, 1, (void *[]){&d_one, &at});
}
