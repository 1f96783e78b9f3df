/* mock.h -- what the two mock drivers (mock_cuda.c, mock_hsa.c) share: the settings, the log, a device's memory, what
   an image says of its kernels, and a way to let kernels run on the CPU.

   Settings, all optional, from the environment:
     KDSL_MOCK_LOG=FILE       one line for each call that matters, appended; addresses are numbered, so that the text is
                              the same every time
     KDSL_MOCK_DEVICES=2      how many devices (1)
     KDSL_MOCK_ARCH=sm_90,... of each device; the last one goes for the rest (sm_90, gfx90a)
     KDSL_MOCK_NAME=TEXT      what the devices call themselves
     KDSL_MOCK_MEMORY=4M      of each device, in bytes, K, M or G (1G)
     KDSL_MOCK_FAIL=alloc:3   the third call of that kind fails, `alloc:3+` each from the third on; several by commas.
                              Kinds: init alloc copy pin load link launch trap (of kernels: it is seen when somebody
   waits) KDSL_MOCK_KERNEL_MS=5    how long a kernel takes, on the stream's own time KDSL_MOCK_KERNELS=FILE   a shared
   object in which `mock_kernel` finds functions to run in the kernels' place KDSL_MOCK_RUN=1          NVIDIA: kernels
   whose image is PTX, or was made of it by the driver's linker, run on the CPU by an interpreter (ptx/run.h); the
   launch of one whose image is a cubin fails KDSL_MOCK_SEED=1         with it: blocks, warps and lanes in a random
   order, and other garbage in memory that nobody has written (ptx/order.c); 2, 3, ... are other orders */
#ifndef MOCK_H
#define MOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOCK_MAX_DEVICES = 8 };

/* mock_log.c: settings and log */

/* The value of a setting, or `otherwise`. */
const char *mock_setting(const char *name, const char *otherwise);
int mock_n_devices(void);
/* The architecture of a device: its element of KDSL_MOCK_ARCH, which stays valid. */
const char *mock_arch(int device, const char *otherwise);
uint64_t mock_memory_bytes(void);
/* Is this call of that kind one that KDSL_MOCK_FAIL wants to fail? Counts. */
bool mock_fails(const char *kind);
/* One line of the log, whole; calls from several threads do not mix. */
void mock_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The next number of a kind of thing (streams, modules): 1, 2, ... */
int mock_number(_Atomic int *counter);
double mock_now(void);

/* mock_memory.c: the memory of devices.

   Addresses of a device belong to the device alone: the host that reads or writes there gets a signal. The drivers
   copy through a second view of the same pages. Every allocation has pages of its own, followed by one that nobody may
   touch, starts out as 0xCB bytes, and is never at an address that was in use before. */

typedef struct {
    int number, device; /* the number is what the log calls it: a1, a2, ... */
    uint64_t address, n_bytes;
} MockAllocation;

/* 0 where there is not enough memory left. */
uint64_t mock_allocate(int device, uint64_t n_bytes);
/* The allocation in which these bytes lie, all of them; NULL if there is none. Valid until it is released. */
const MockAllocation *mock_find(uint64_t address, uint64_t n_bytes);
/* False: no allocation begins there. */
bool mock_release(uint64_t address);
/* How many were released so far: what was found before may be gone. */
uint64_t mock_n_released(void);
uint64_t mock_free_bytes(int device);
bool mock_is_device_address(uint64_t address);
/* Where the host may read and write what the device has at `address`. */
void *mock_view(uint64_t address);
/* Memory of the host that devices reach, too. */
void mock_pin(void *p, uint64_t n_bytes);
void mock_unpin(void *p);
bool mock_is_pinned(uint64_t address, uint64_t n_bytes);
/* While a kernel runs on the CPU, it may use the devices' addresses as they are. Nests. */
void mock_open_memory(void);
void mock_close_memory(void);
/* "a1+16" for an address in the memory of a device, a bare number for anything else; in one of a few static buffers. */
const char *mock_show(uint64_t value);

/* mock_ptx.c, mock_cubin.c, mock_amdgpu.c: what an image says */

enum { MOCK_NAME = 256 };

typedef struct {
    uint32_t offset, n_bytes;
    char type[24]; /* "u64.ptr", "by_value", "hidden_block_count_x"; empty where the image does not tell */
} MockParam;

typedef struct {
    char name[MOCK_NAME];
    MockParam *params;
    int n_params;
    uint32_t param_bytes;    /* of the whole block of arguments */
    uint32_t shared_bytes;   /* static */
    uint32_t max_threads;    /* of a block; 0 if the image sets no bound */
    uint32_t private_bytes, n_registers;
    uint64_t descriptor;     /* AMD: the offset of the kernel's descriptor in the image */
} MockKernel;

typedef struct {
    char name[MOCK_NAME];
    uint64_t n_bytes, address;
    void *initial; /* its own copy; NULL: zeros */
} MockGlobal;

typedef struct {
    char kind[16]; /* "cubin", "ptx", "hsaco" */
    char arch[32];
    MockKernel *kernels;
    int n_kernels;
    MockGlobal *globals;
    int n_globals;
    char *text; /* PTX as it came */
} MockImage;

/* Each reads one format; NULL and a reason if it is not that or is broken. */
MockImage *mock_read_ptx(const char *text, const char **why);
MockImage *mock_read_cubin(const void *bytes, const char **why);
MockImage *mock_read_hsaco(const void *bytes, size_t n_bytes, const char **why);
void mock_free_image(MockImage *image);
MockKernel *mock_add_kernel(MockImage *image, const char *name);
MockParam *mock_add_param(MockKernel *kernel, uint32_t n_bytes, uint32_t align, const char *type);
MockGlobal *mock_add_global(MockImage *image, const char *name, uint64_t n_bytes);
MockKernel *mock_find_kernel(MockImage *image, const char *name);
MockGlobal *mock_find_global(MockImage *image, const char *name);
/* Log what the image has, one line a kernel, in order of their names. */
void mock_log_image(const MockImage *image, int module);

/* mock_kernel.c: launches */

typedef struct {
    uint32_t grid[3]; /* blocks */
    uint32_t block[3];
    uint32_t dynamic_bytes; /* of shared memory beside the static ones */
    const void *args;       /* the block of arguments, as the image lays it out */
    uint32_t n_arg_bytes;
} MockLaunch;

/* What KDSL_MOCK_KERNELS offers: `MockFunction *mock_kernel(const char *name)`. NULL: this kernel only is recorded. The
   function does what the whole grid would; device pointers among the arguments can be used as they are. */
typedef void MockFunction(const MockLaunch *launch);

/* The launch as a line of the log. */
void mock_log_launch(int device, const MockKernel *kernel, const MockLaunch *launch, const char *queue);
/* What the kernel does, where somebody has a function for it; false: nobody has. */
bool mock_run(const MockKernel *kernel, const MockLaunch *launch);
#endif
