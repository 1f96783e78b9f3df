/* The mock CUDA driver by itself: what it refuses, what it catches, what it tells. Each case is a process of its own,
   for the driver counts and remembers. */
#define _GNU_SOURCE
#include "tests/gpu/mock_cuda.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Context Context;
typedef struct ModuleHandle ModuleHandle;
typedef struct FunctionHandle FunctionHandle;
typedef struct StreamHandle StreamHandle;
typedef struct LinkHandle LinkHandle;
CUresult cuInit(unsigned flags);
CUresult cuDeviceGetCount(int *n);
CUresult cuDeviceGetAttribute(int *value, int attribute, int device);
CUresult cuDevicePrimaryCtxRetain(Context **context, int device);
CUresult cuCtxSetCurrent(Context *context);
CUresult cuMemAlloc_v2(uint64_t *address, size_t n_bytes);
CUresult cuMemFree_v2(uint64_t address);
CUresult cuMemGetInfo_v2(size_t *n_free, size_t *n_all);
CUresult cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n);
CUresult cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n);
CUresult cuMemsetD32Async(uint64_t to, uint32_t value, size_t n, StreamHandle *stream);
CUresult cuModuleLoadData(ModuleHandle **module, const void *bytes);
CUresult cuModuleGetFunction(FunctionHandle **function, ModuleHandle *module, const char *name);
CUresult cuModuleGetGlobal_v2(uint64_t *address, size_t *n_bytes, ModuleHandle *module, const char *name);
CUresult cuFuncGetAttribute(int *value, int attribute, FunctionHandle *function);
CUresult cuFuncSetAttribute(FunctionHandle *function, int attribute, int value);
CUresult cuFuncGetParamInfo(FunctionHandle *function, size_t i, size_t *offset, size_t *n_bytes);
CUresult cuLaunchKernel(FunctionHandle *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned dynamic_bytes, StreamHandle *stream, void **params, void **extra);
CUresult cuStreamCreate(StreamHandle **stream, unsigned flags);
CUresult cuStreamSynchronize(StreamHandle *stream);
CUresult cuLinkCreate_v2(unsigned n_options, const int *options, void **values, LinkHandle **link);
CUresult cuLinkAddData_v2(LinkHandle *link, int type, void *data, size_t n_bytes, const char *name, unsigned n_options,
                          int *options, void **values);
CUresult cuLinkComplete(LinkHandle *link, void **cubin, size_t *n_bytes);
CUresult cuLinkDestroy(LinkHandle *link);

/* As llc and nvcc write it, with every sort of parameter and variable. */
static const char PTX[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    "/* .entry no_kernel( */\n"
    ".visible .global .align 4 .b8 table[8] = {1, 0, 0, 0, 255, 0, 0, 0};\n"
    ".visible .global .align 4 .u32 count = 5;\n"
    ".const .align 8 .f64 half = 0d3FE0000000000000;\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".shared .align 4 .b8 everywhere[64];\n"
    ".func (.param .b32 r) helper(.param .b32 a) { .reg .b32 %r<2>; ret; }\n"
    ".visible .entry all_sorts(\n"
    "\t.param .u64 .ptr .align 8 p0,\n\t.param .u32 p1,\n\t.param .u64 .ptr .global .align 4 p2,\n"
    "\t.param .align 2 .b8 p3[6],\n\t.param .f32 p4\n)\n.maxntid 32, 4, 1\n.minnctapersm 2\n"
    "{\n\t.reg .b32 %r<9>;\n\t.shared .align 16 .b8 tile[1000]; // here\n"
    "\t{ // a call\n\t}\n\tmov.u64 %rd1, everywhere;\n\tret;\n}\n"
    ".visible .entry empty()\n{\n\tret;\n}\n";

static const char *doing;

static void check(bool ok, const char *what, int line) {
    if (ok) return;
    fprintf(stderr, "%s: line %d: %s\n", doing, line, what);
    exit(1);
}

#define CHECK(condition) check(condition, #condition, __LINE__)

static void open_device(void) {
    Context *context;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

static ModuleHandle *load(void) {
    ModuleHandle *module;
    open_device();
    CHECK(cuModuleLoadData(&module, PTX) == CUDA_SUCCESS);
    return module;
}

static FunctionHandle *get(ModuleHandle *module, const char *name) {
    FunctionHandle *function;
    CHECK(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
    return function;
}

static void order(void) {
    int n;
    uint64_t a;
    CHECK(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(NULL) == CUDA_SUCCESS);
    CHECK(cuDeviceGetCount(&n) == CUDA_SUCCESS && n == 1);
}

static void memory(void) {
    uint64_t a, b;
    size_t n_free, n_all;
    int in[4] = {1, 2, 3, 4}, out[4] = {0};
    setenv("KDSL_MOCK_MEMORY", "64K", 1);
    open_device();
    CHECK(cuMemAlloc_v2(&a, sizeof in) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD_v2(a, in, sizeof in) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH_v2(out, a + 4, 12) == CUDA_SUCCESS && out[0] == 2 && out[2] == 4);
    CHECK(cuMemcpyHtoD_v2(a + 4, in, sizeof in) == CUDA_ERROR_INVALID_VALUE); /* beyond the end */
    CHECK(cuMemcpyDtoH_v2(out, (uint64_t)in, 4) == CUDA_ERROR_INVALID_VALUE); /* the host's */
    CHECK(cuMemcpyHtoD_v2(a, (void *)a, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD32Async(a, 7, 2, NULL) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH_v2(out, a, 16) == CUDA_SUCCESS && out[0] == 7 && out[1] == 7 && out[2] == 3);
    CHECK(cuMemGetInfo_v2(&n_free, &n_all) == CUDA_SUCCESS && n_all == 65536 && n_free == 61440);
    CHECK(cuMemAlloc_v2(&b, 61441) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuMemFree_v2(a) == CUDA_SUCCESS);
    CHECK(cuMemFree_v2(a) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoH_v2(out, a, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAlloc_v2(&b, 61441) == CUDA_SUCCESS && b != a);
    CHECK(cuMemcpyDtoH_v2(out, b, 4) == CUDA_SUCCESS && out[0] == (int)0xCBCBCBCB); /* nothing is zero by luck */
}

static void touch(void) {
    uint64_t a;
    open_device();
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_SUCCESS);
    *(volatile int *)a = 1;
}

static void images(void) {
    ModuleHandle *module = load(), *other;
    FunctionHandle *f = get(module, "all_sorts");
    size_t offset, n_bytes;
    static const size_t WANTED[][2] = {{0, 8}, {8, 4}, {16, 8}, {24, 6}, {32, 4}};
    for (size_t i = 0; i < 5; i++)
        CHECK(cuFuncGetParamInfo(f, i, &offset, &n_bytes) == CUDA_SUCCESS && offset == WANTED[i][0] &&
              n_bytes == WANTED[i][1]);
    CHECK(cuFuncGetParamInfo(f, 5, &offset, &n_bytes) == CUDA_ERROR_INVALID_VALUE);
    int value;
    CHECK(cuFuncGetAttribute(&value, 0, f) == CUDA_SUCCESS && value == 128);
    CHECK(cuFuncGetAttribute(&value, 1, f) == CUDA_SUCCESS && value == 1064); /* 1000, and what it names */
    CHECK(cuFuncGetAttribute(&value, 1, get(module, "empty")) == CUDA_SUCCESS && value == 0);
    CHECK(cuModuleGetFunction(&f, module, "helper") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&f, module, "no_kernel") == CUDA_ERROR_NOT_FOUND);
    uint64_t address;
    int table[2];
    double half;
    CHECK(cuModuleGetGlobal_v2(&address, &n_bytes, module, "table") == CUDA_SUCCESS && n_bytes == 8);
    CHECK(cuMemcpyDtoH_v2(table, address, 8) == CUDA_SUCCESS && table[0] == 1 && table[1] == 255);
    CHECK(cuModuleGetGlobal_v2(&address, &n_bytes, module, "half") == CUDA_SUCCESS && n_bytes == 8);
    CHECK(cuMemcpyDtoH_v2(&half, address, 8) == CUDA_SUCCESS && half == 0.5);
    CHECK(cuModuleGetGlobal_v2(&address, &n_bytes, module, "tables") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleLoadData(&other,
                           "\177ELF is not enough: what follows is no program for any machine at all, it is text") ==
          CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&other, ".version 7.8\n.target sm_90\n.entry x(") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&other, ".version 7.8\n.target sm_100\n") == CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static CUresult launch(FunctionHandle *f, unsigned grid, unsigned block, unsigned shared, size_t n_bytes) {
    char args[64] = {0};
    void *extra[] = {(void *)1, args, (void *)2, &n_bytes, NULL};
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, NULL, NULL, extra);
}

static void launches(void) {
    FunctionHandle *f = get(load(), "all_sorts");
    CHECK(launch(f, 7, 128, 0, 40) == CUDA_SUCCESS);
    CHECK(launch(f, 0, 128, 0, 40) == CUDA_ERROR_INVALID_VALUE);
    CHECK(launch(f, 7, 129, 0, 40) == CUDA_ERROR_INVALID_VALUE);
    CHECK(launch(f, 7, 128, 0, 32) == CUDA_ERROR_INVALID_VALUE);
    CHECK(launch(f, 7, 128, 48 * 1024 - 1064, 40) == CUDA_SUCCESS);
    CHECK(launch(f, 7, 128, 48 * 1024, 40) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(f, 8, 100 * 1024) == CUDA_SUCCESS);
    CHECK(launch(f, 7, 128, 100 * 1024, 40) == CUDA_SUCCESS);
    CHECK(cuFuncSetAttribute(f, 8, 232448) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamSynchronize(NULL) == CUDA_SUCCESS);
}

static void trap(void) {
    int x;
    uint64_t a;
    setenv("KDSL_MOCK_FAIL", "trap:2", 1);
    FunctionHandle *f = get(load(), "empty");
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_SUCCESS);
    CHECK(launch(f, 1, 1, 0, 0) == CUDA_SUCCESS && cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    CHECK(launch(f, 1, 1, 0, 0) == CUDA_SUCCESS && cuStreamSynchronize(NULL) == CUDA_ERROR_LAUNCH_FAILED);
    CHECK(cuMemcpyDtoH_v2(&x, a, 4) == CUDA_ERROR_LAUNCH_FAILED); /* it stays broken */
}

static void failures(void) {
    uint64_t a;
    setenv("KDSL_MOCK_FAIL", "alloc:2,launch:1,copy:1+", 1);
    FunctionHandle *f = get(load(), "empty");
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_SUCCESS);
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuMemAlloc_v2(&a, 4) == CUDA_SUCCESS);
    CHECK(launch(f, 1, 1, 0, 0) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CHECK(launch(f, 1, 1, 0, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 3; i++) CHECK(cuMemcpyHtoD_v2(a, &a, 4) != CUDA_SUCCESS);
}

static CUresult link_ptx(const char *ptx, ModuleHandle **module, char *log, size_t log_bytes) {
    static const int OPTIONS[] = {5, 6}; /* error log, its size */
    void *values[] = {log, (void *)log_bytes}, *cubin;
    size_t n_bytes;
    LinkHandle *link;
    CHECK(cuLinkCreate_v2(2, OPTIONS, values, &link) == CUDA_SUCCESS);
    CUresult status = cuLinkAddData_v2(link, 1, (void *)ptx, strlen(ptx), "a kernel", 0, NULL, NULL);
    if (!status) {
        CHECK(cuLinkComplete(link, &cubin, &n_bytes) == CUDA_SUCCESS && n_bytes > strlen(ptx));
        CHECK(!memcmp(cubin, "\177ELF", 4));
        status = cuModuleLoadData(module, cubin);
    }
    CHECK(cuLinkDestroy(link) == CUDA_SUCCESS);
    return status;
}

static void linker(void) {
    ModuleHandle *module;
    char log[256];
    open_device();
    CHECK(link_ptx(PTX, &module, log, sizeof log) == CUDA_SUCCESS && !*log);
    CHECK(launch(get(module, "all_sorts"), 7, 128, 0, 40) == CUDA_SUCCESS);
    CHECK(link_ptx("no PTX", &module, log, sizeof log) == CUDA_ERROR_INVALID_PTX && strstr(log, ".version"));
    CHECK(link_ptx(".version 7.8\n.target sm_100\n", &module, log, sizeof log) == CUDA_ERROR_INVALID_PTX &&
          strstr(log, "SM version"));
    setenv("KDSL_MOCK_DRIVER", "11070", 1); /* knows PTX 7.7 */
    CHECK(link_ptx(PTX, &module, log, sizeof log) == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    setenv("KDSL_MOCK_DRIVER", "11080", 1);
    CHECK(link_ptx(PTX, &module, log, sizeof log) == CUDA_SUCCESS);
    setenv("KDSL_MOCK_FAIL", "link:7", 1);
    CHECK(link_ptx(PTX, &module, log, 20) == CUDA_SUCCESS);
    CHECK(link_ptx(PTX, &module, log, 20) == CUDA_ERROR_INVALID_PTX && strlen(log) == 19); /* as much as fits */
}

static void several(void) {
    int n, sm;
    Context *first, *second;
    ModuleHandle *module;
    setenv("KDSL_MOCK_DEVICES", "3", 1);
    setenv("KDSL_MOCK_ARCH", "sm_90,sm_75", 1);
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&n) == CUDA_SUCCESS && n == 3);
    CHECK(cuDeviceGetAttribute(&sm, 75, 0) == CUDA_SUCCESS && sm == 9);
    CHECK(cuDeviceGetAttribute(&sm, 75, 1) == CUDA_SUCCESS && sm == 7);
    CHECK(cuDeviceGetAttribute(&sm, 76, 2) == CUDA_SUCCESS && sm == 5);
    CHECK(cuDevicePrimaryCtxRetain(&first, 0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(first) == CUDA_SUCCESS && cuModuleLoadData(&module, PTX) == CUDA_SUCCESS);
    FunctionHandle *f = get(module, "empty");
    CHECK(cuCtxSetCurrent(second) == CUDA_SUCCESS);
    CHECK(launch(f, 1, 1, 0, 0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuModuleLoadData(&module, PTX) == CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* Two streams are busy at the same time. */
static void overlap(void) {
    StreamHandle *a, *b;
    setenv("KDSL_MOCK_KERNEL_MS", "200", 1);
    FunctionHandle *f = get(load(), "empty");
    CHECK(cuStreamCreate(&a, 0) == CUDA_SUCCESS && cuStreamCreate(&b, 0) == CUDA_SUCCESS);
    double start = mock_now();
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, a, NULL, NULL) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, b, NULL, NULL) == CUDA_SUCCESS);
    CHECK(mock_now() - start < 0.15);
    CHECK(cuStreamSynchronize(a) == CUDA_SUCCESS && cuStreamSynchronize(b) == CUDA_SUCCESS);
    double took = mock_now() - start;
    CHECK(took > 0.19 && took < 0.39);
}

static void nothing(void) {
    setenv("KDSL_MOCK_DEVICES", "0", 1);
    CHECK(cuInit(0) == CUDA_ERROR_NO_DEVICE);
}

static const struct {
    const char *name;
    void (*run)(void);
    int signal; /* that ends it */
} CASES[] = {
    {"order", order, 0},       {"memory", memory, 0},   {"touch", touch, SIGSEGV}, {"images", images, 0},
    {"launches", launches, 0}, {"trap", trap, 0},       {"failures", failures, 0}, {"linker", linker, 0},
    {"several", several, 0},   {"overlap", overlap, 0}, {"nothing", nothing, 0},
};

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        doing = CASES[i].name;
        pid_t child = fork();
        if (child == 0) CASES[i].run(), exit(0);
        int status;
        waitpid(child, &status, 0);
        bool ok = CASES[i].signal ? WIFSIGNALED(status) && WTERMSIG(status) == CASES[i].signal : status == 0;
        if (!ok) fprintf(stderr, "FAILED %s (status %#x)\n", doing, status);
        failed += !ok;
    }
    return failed != 0;
}
