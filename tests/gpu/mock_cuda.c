/* mock_cuda.c -- libcuda.so without a GPU: what libomptarget's CUDA plugin and the programs themselves ask of the
   driver (mock.h tells of its settings). Here: memory, streams, events, modules and launches.

   Work is done when it is asked for, but its end can be later: KDSL_MOCK_KERNEL_MS moves a stream's own time on, and
   whoever waits for the stream waits. A call that a driver would refuse is refused, and the log says so. */
#define _GNU_SOURCE
#include "tests/gpu/mock_cuda.h"
#include "tests/gpu/ptx/run.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Log why, and give back the error. */
static CUresult refuse(CUresult error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static CUresult refuse(CUresult error, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mock_log("error %d %s", error, text);
    return error;
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

EXPORT CUresult cuMemAlloc_v2(uint64_t *address, size_t n_bytes) {
    CURRENT(d);
    if (!n_bytes) return refuse(CUDA_ERROR_INVALID_VALUE, "alloc of no bytes");
    *address = mock_fails("alloc") ? 0 : mock_allocate(d->number, n_bytes);
    if (!*address) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "alloc %d of %zu bytes", d->number, n_bytes);
    mock_log("alloc %d %s %zu", d->number, mock_show(*address), n_bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree_v2(uint64_t address) {
    CURRENT(d);
    if (!address) return CUDA_SUCCESS;
    const char *shown = mock_show(address);
    if (!mock_release(address)) return refuse(CUDA_ERROR_INVALID_VALUE, "free of %s", shown);
    mock_log("free %d %s", d->number, shown);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAllocAsync(uint64_t *address, size_t n_bytes, Stream *stream) {
    (void)stream;
    return cuMemAlloc_v2(address, n_bytes);
}

EXPORT CUresult cuMemFreeAsync(uint64_t address, Stream *stream) {
    (void)stream;
    return cuMemFree_v2(address);
}

/* Memory of the host that the device can reach: the host's own. */
static CUresult allocate_host(void **p, size_t n_bytes, const char *what) {
    CURRENT(d);
    *p = mock_fails("alloc") ? NULL : aligned_alloc(4096, (n_bytes + 4095) & ~(size_t)4095);
    if (!*p) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "%s %d of %zu bytes", what, d->number, n_bytes);
    mock_pin(*p, n_bytes);
    mock_log("%s %d %zu", what, d->number, n_bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAllocHost_v2(void **p, size_t n_bytes) { return allocate_host(p, n_bytes, "alloc-pinned"); }

EXPORT CUresult cuMemAllocManaged(void **p, size_t n_bytes, unsigned flags) {
    (void)flags;
    return allocate_host(p, n_bytes, "alloc-managed");
}

EXPORT CUresult cuMemFreeHost(void *p) {
    CURRENT(d);
    mock_log("free-pinned %d", d->number);
    mock_unpin(p);
    free(p);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostRegister_v2(void *p, size_t n_bytes, unsigned flags) {
    (void)flags;
    CURRENT(d);
    if (mock_is_pinned((uint64_t)p, 1) || mock_is_pinned((uint64_t)p + n_bytes - 1, 1))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (mock_fails("pin")) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "pin %d %zu", d->number, n_bytes);
    mock_pin(p, n_bytes);
    mock_log("pin %d %zu", d->number, n_bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostUnregister(void *p) {
    CURRENT(d);
    if (!mock_is_pinned((uint64_t)p, 1)) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    mock_unpin(p);
    mock_log("unpin %d", d->number);
    return CUDA_SUCCESS;
}

/* CU_POINTER_ATTRIBUTE_MEMORY_TYPE alone: CU_MEMORYTYPE_HOST or _DEVICE; memory that no driver knows has none. */
EXPORT CUresult cuPointerGetAttribute(void *value, int which, uint64_t address) {
    enum { MEMORY_TYPE = 2, TYPE_HOST = 1, TYPE_DEVICE = 2 };
    CURRENT(d);
    if (which != MEMORY_TYPE) return refuse(CUDA_ERROR_INVALID_VALUE, "attribute %d of %s", which, mock_show(address));
    if (mock_find(address, 1)) return *(unsigned *)value = TYPE_DEVICE, CUDA_SUCCESS;
    if (mock_is_pinned(address, 1)) return *(unsigned *)value = TYPE_HOST, CUDA_SUCCESS;
    return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *n_free, size_t *n_all) {
    CURRENT(d);
    *n_free = mock_free_bytes(d->number);
    *n_all = mock_memory_bytes();
    return CUDA_SUCCESS;
}

/* Streams and time ------------------------------------------------------------------------------------------------- */

static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *stream_name(const Stream *s) {
    static _Thread_local char name[16];
    snprintf(name, sizeof name, "s%d", s->number);
    return name;
}

static Stream *or_default(Stream *s, Device *d) { return s ? s : &d->stream; }

static double ready_at(Stream *s) {
    pthread_mutex_lock(&clock_lock);
    double at = s->busy_until;
    pthread_mutex_unlock(&clock_lock);
    return at;
}

/* The next work of the stream cannot begin before. */
static void not_before(Stream *s, double when) {
    pthread_mutex_lock(&clock_lock);
    if (s->busy_until < when) s->busy_until = when;
    pthread_mutex_unlock(&clock_lock);
}

static void take_time(Stream *s, double seconds) {
    not_before(s, mock_now());
    pthread_mutex_lock(&clock_lock);
    s->busy_until += seconds;
    pthread_mutex_unlock(&clock_lock);
}

static void sleep_until(double when) {
    struct timespec t = {(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

/* Everything in the stream is done; a kernel that trapped shows here. */
static CUresult wait_for(Stream *s) {
    double when = ready_at(s);
    if (when > mock_now()) sleep_until(when);
    if (!s->trapped) return s->device->broken;
    s->trapped = false;
    s->device->broken = CUDA_ERROR_LAUNCH_FAILED;
    return refuse(CUDA_ERROR_LAUNCH_FAILED, "sync %d %s: a kernel has trapped", s->device->number, stream_name(s));
}

EXPORT CUresult cuStreamCreate(Stream **stream, unsigned flags) {
    static _Atomic int n_streams;
    (void)flags;
    CURRENT(d);
    *stream = calloc(1, sizeof **stream);
    **stream = (Stream){.number = mock_number(&n_streams), .device = d};
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(Stream *s) {
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    free(s);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy(Stream *s) { return cuStreamDestroy_v2(s); }

EXPORT CUresult cuStreamSynchronize(Stream *stream) {
    CURRENT(d);
    Stream *s = or_default(stream, d);
    mock_log("sync %d %s", s->device->number, stream_name(s));
    return wait_for(s);
}

EXPORT CUresult cuCtxSynchronize(void) { return cuStreamSynchronize(NULL); }

EXPORT CUresult cuStreamQuery(Stream *stream) {
    CURRENT(d);
    Stream *s = or_default(stream, d);
    return ready_at(s) > mock_now() ? CUDA_ERROR_NOT_READY : wait_for(s);
}

typedef void StreamCallback(Stream *stream, CUresult status, void *data);
typedef void HostFunction(void *data);

EXPORT CUresult cuStreamAddCallback(Stream *stream, StreamCallback *function, void *data, unsigned flags) {
    CURRENT(d);
    (void)flags;
    CUresult status = wait_for(or_default(stream, d));
    function(stream, status, data);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchHostFunc(Stream *stream, HostFunction *function, void *data) {
    CURRENT(d);
    CUresult status = wait_for(or_default(stream, d));
    if (!status) function(data);
    return status;
}

/* Events: a moment of a stream ------------------------------------------------------------------------------------- */

typedef struct {
    Stream *stream; /* NULL: never recorded */
    double when;
} Event;

EXPORT CUresult cuEventCreate(Event **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(Event *e) {
    free(e);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy(Event *e) { return cuEventDestroy_v2(e); }

EXPORT CUresult cuEventRecord(Event *e, Stream *stream) {
    CURRENT(d);
    Stream *s = or_default(stream, d);
    double busy = ready_at(s), now = mock_now();
    *e = (Event){.stream = s, .when = busy > now ? busy : now};
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventQuery(const Event *e) { return e->when > mock_now() ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; }

EXPORT CUresult cuEventSynchronize(const Event *e) {
    if (e->when > mock_now()) sleep_until(e->when);
    return e->stream ? e->stream->device->broken : CUDA_SUCCESS;
}

EXPORT CUresult cuStreamWaitEvent(Stream *stream, const Event *e, unsigned flags) {
    CURRENT(d);
    (void)flags;
    Stream *s = or_default(stream, d);
    mock_log("wait %d %s for s%d", d->number, stream_name(s), e->stream ? e->stream->number : 0);
    not_before(s, e->when);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, const Event *from, const Event *to) {
    if (!from->stream || !to->stream) return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)((to->when - from->when) * 1e3);
    return CUDA_SUCCESS;
}

/* Copies: each end must lie within one allocation ------------------------------------------------------------------ */

static const MockAllocation *check_range(uint64_t address, size_t n_bytes, const char *what) {
    const MockAllocation *a = mock_find(address, n_bytes);
    if (!a)
        refuse(CUDA_ERROR_INVALID_VALUE, "%s of %zu bytes at %s: no such memory", what, n_bytes, mock_show(address));
    return a;
}

static CUresult copy_in(uint64_t to, const void *from, size_t n_bytes, Stream *stream) {
    CURRENT(d);
    if (mock_is_device_address((uint64_t)from))
        return refuse(CUDA_ERROR_INVALID_VALUE, "copy-in from a device's address");
    if (!check_range(to, n_bytes, "copy-in")) return CUDA_ERROR_INVALID_VALUE;
    if (mock_fails("copy")) return refuse(CUDA_ERROR_LAUNCH_FAILED, "copy-in");
    memcpy(mock_view(to), from, n_bytes);
    mock_log("copy-in %d %s %zu %s", d->number, mock_show(to), n_bytes, stream_name(or_default(stream, d)));
    return CUDA_SUCCESS;
}

static CUresult copy_out(void *to, uint64_t from, size_t n_bytes, Stream *stream) {
    CURRENT(d);
    if (mock_is_device_address((uint64_t)to)) return refuse(CUDA_ERROR_INVALID_VALUE, "copy-out to a device's address");
    if (!check_range(from, n_bytes, "copy-out")) return CUDA_ERROR_INVALID_VALUE;
    if (mock_fails("copy")) return refuse(CUDA_ERROR_LAUNCH_FAILED, "copy-out");
    CUresult status = wait_for(or_default(stream, d));
    if (status) return status;
    memcpy(to, mock_view(from), n_bytes);
    mock_log("copy-out %d %s %zu %s", d->number, mock_show(from), n_bytes, stream_name(or_default(stream, d)));
    return CUDA_SUCCESS;
}

static CUresult copy_on(uint64_t to, uint64_t from, size_t n_bytes, Stream *stream) {
    CURRENT(d);
    if (!check_range(to, n_bytes, "copy") || !check_range(from, n_bytes, "copy")) return CUDA_ERROR_INVALID_VALUE;
    memmove(mock_view(to), mock_view(from), n_bytes);
    mock_log("copy %d %s %s %zu %s", d->number, mock_show(to), mock_show(from), n_bytes,
             stream_name(or_default(stream, d)));
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { return copy_in(to, from, n, NULL); }
EXPORT CUresult cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { return copy_out(to, from, n, NULL); }
EXPORT CUresult cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, Stream *s) {
    return copy_in(to, from, n, s);
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, Stream *s) { return copy_out(to, from, n, s); }
EXPORT CUresult cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, Stream *s) {
    return copy_on(to, from, n, s);
}
EXPORT CUresult cuMemcpyHtoD(uint64_t to, const void *from, size_t n) { return copy_in(to, from, n, NULL); }
EXPORT CUresult cuMemcpyDtoH(void *to, uint64_t from, size_t n) { return copy_out(to, from, n, NULL); }
EXPORT CUresult cuMemcpyHtoDAsync(uint64_t to, const void *from, size_t n, Stream *s) {
    return copy_in(to, from, n, s);
}
EXPORT CUresult cuMemcpyDtoHAsync(void *to, uint64_t from, size_t n, Stream *s) { return copy_out(to, from, n, s); }
EXPORT CUresult cuMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t n, Stream *s) { return copy_on(to, from, n, s); }

EXPORT CUresult cuMemcpyPeerAsync(uint64_t to, Device *to_device, uint64_t from, Device *from_device, size_t n_bytes,
                                  Stream *s) {
    (void)to_device, (void)from_device;
    return copy_on(to, from, n_bytes, s);
}

static CUresult fill(uint64_t to, size_t pitch, uint64_t value, size_t width, size_t n, size_t n_rows, Stream *stream) {
    CURRENT(d);
    if (n_rows == 0 || n == 0) return CUDA_SUCCESS;
    if (!check_range(to, pitch * (n_rows - 1) + width * n, "fill")) return CUDA_ERROR_INVALID_VALUE;
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < n; i++) memcpy((char *)mock_view(to) + row * pitch + i * width, &value, width);
    mock_log("fill %d %s %zu %s", d->number, mock_show(to), width * n * n_rows, stream_name(or_default(stream, d)));
    return CUDA_SUCCESS;
}

#define FILL(bits)                                                                                                     \
    EXPORT CUresult cuMemsetD##bits##Async(uint64_t to, uint##bits##_t value, size_t n, Stream *s) {                   \
        return fill(to, 0, value, bits / 8, n, 1, s);                                                                  \
    }                                                                                                                  \
    EXPORT CUresult cuMemsetD2D##bits##Async(uint64_t to, size_t pitch, uint##bits##_t value, size_t n, size_t n_rows, \
                                             Stream *s) {                                                              \
        return fill(to, pitch, value, bits / 8, n, n_rows, s);                                                         \
    }
FILL(8)
FILL(16)
FILL(32)

/* Modules ---------------------------------------------------------------------------------------------------------- */

typedef struct Module Module;

typedef struct Function {
    Module *module;
    const MockKernel *kernel;
    int dynamic_limit; /* of shared memory */
    struct Function *next;
} Function;

struct Module {
    int number;
    Device *device;
    MockImage *image;
    PtxProgram *program; /* to run its kernels here; made when the first one is launched */
    Function *functions;
};

static MockImage *read_image(const char *bytes, const char **why) {
    const char *linked;
    if (memcmp(bytes, "\177ELF", 4)) return mock_read_ptx(bytes, why);
    linked = read_linked(bytes);
    return linked ? mock_read_ptx(linked, why) : mock_read_cubin(bytes, why);
}

static CUresult place_globals(Module *m) {
    for (int i = 0; i < m->image->n_globals; i++) {
        MockGlobal *g = &m->image->globals[i];
        if (!g->n_bytes) continue;
        g->address = mock_allocate(m->device->number, g->n_bytes);
        if (!g->address) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "load: no memory for %s", g->name);
        memset(mock_view(g->address), 0, g->n_bytes);
        if (g->initial) memcpy(mock_view(g->address), g->initial, g->n_bytes);
        mock_log("global m%d %s %s %zu", m->number, g->name, mock_show(g->address), (size_t)g->n_bytes);
    }
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleLoadDataEx(Module **module, const void *bytes, unsigned n_options, int *options,
                                   void **values) {
    static _Atomic int n_modules;
    CURRENT(d);
    (void)n_options, (void)options, (void)values;
    const char *why;
    MockImage *image = read_image(bytes, &why);
    if (!image) return refuse(CUDA_ERROR_INVALID_IMAGE, "load %d: %s", d->number, why);
    if (!runs_on(image, d) || mock_fails("load"))
        return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, "load %d: %s on sm_%d", d->number, image->arch, d->sm);
    Module *m = calloc(1, sizeof *m);
    *m = (Module){.number = mock_number(&n_modules), .device = d, .image = image};
    mock_log("load %d m%d %s", d->number, m->number, image->arch);
    mock_log_image(image, m->number);
    *module = m;
    return place_globals(m);
}

EXPORT CUresult cuModuleLoadData(Module **module, const void *bytes) {
    return cuModuleLoadDataEx(module, bytes, 0, NULL, NULL);
}

EXPORT CUresult cuModuleUnload(Module *m) {
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    mock_log("unload %d m%d", m->device->number, m->number);
    for (int i = 0; i < m->image->n_globals; i++)
        if (m->image->globals[i].address) mock_release(m->image->globals[i].address);
    for (Function *f = m->functions, *after; f; f = after) after = f->next, free(f);
    mock_free_image(m->image);
    ptx_free(m->program);
    free(m);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetGlobal_v2(uint64_t *address, size_t *n_bytes, Module *m, const char *name) {
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    const MockGlobal *g = mock_find_global(m->image, name);
    if (!g) return CUDA_ERROR_NOT_FOUND;
    if (address) *address = g->address;
    if (n_bytes) *n_bytes = g->n_bytes;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetGlobal(uint64_t *address, size_t *n_bytes, Module *m, const char *name) {
    return cuModuleGetGlobal_v2(address, n_bytes, m, name);
}

EXPORT CUresult cuModuleGetFunction(Function **function, Module *m, const char *name) {
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    const MockKernel *k = mock_find_kernel(m->image, name);
    if (!k) return CUDA_ERROR_NOT_FOUND;
    Function *f = calloc(1, sizeof *f);
    *f = (Function){
        .module = m, .kernel = k, .dynamic_limit = SHARED_WITHOUT_ASKING - (int)k->shared_bytes, .next = m->functions};
    *function = m->functions = f;
    return CUDA_SUCCESS;
}

/* Functions and launches ------------------------------------------------------------------------------------------- */

/* CUfunction_attribute */
enum {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED = 1,
    FUNCTION_REGISTERS = 4,
    FUNCTION_BINARY_VERSION = 6,
    FUNCTION_MAX_DYNAMIC = 8,
};

static int max_threads(const Function *f) { return f->kernel->max_threads ? (int)f->kernel->max_threads : MAX_THREADS; }

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, const Function *f) {
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    switch (attribute) {
    case FUNCTION_MAX_THREADS: *value = max_threads(f); break;
    case FUNCTION_SHARED: *value = (int)f->kernel->shared_bytes; break;
    case FUNCTION_REGISTERS: *value = (int)f->kernel->n_registers; break;
    case FUNCTION_BINARY_VERSION: *value = sm_of(f->module->image->arch); break;
    case FUNCTION_MAX_DYNAMIC: *value = f->dynamic_limit; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(Function *f, int attribute, int value) {
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (attribute != FUNCTION_MAX_DYNAMIC) return CUDA_SUCCESS;
    if (value < 0 || value + (int)f->kernel->shared_bytes > f->module->device->chip->shared_per_block)
        return refuse(CUDA_ERROR_INVALID_VALUE, "%s: %d bytes of dynamic shared memory", f->kernel->name, value);
    f->dynamic_limit = value;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetParamInfo(const Function *f, size_t i, size_t *offset, size_t *n_bytes) {
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (i >= (size_t)f->kernel->n_params) return CUDA_ERROR_INVALID_VALUE;
    if (offset) *offset = f->kernel->params[i].offset;
    if (n_bytes) *n_bytes = f->kernel->params[i].n_bytes;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetName(const char **name, const Function *f) {
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    *name = f->kernel->name;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *n_blocks, int *n_threads, const Function *f,
                                                 size_t (*dynamic_bytes)(int), size_t n_dynamic_bytes, int limit) {
    (void)dynamic_bytes, (void)n_dynamic_bytes;
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    *n_threads = limit && limit < max_threads(f) ? limit : max_threads(f);
    *n_blocks = f->module->device->chip->n_multiprocessors * (f->module->device->chip->threads / *n_threads);
    return CUDA_SUCCESS;
}

/* NULL, or what a driver has against a launch. */
static const char *objection(const Function *f, const MockLaunch *l) {
    const uint32_t *g = l->grid, *b = l->block;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2]) return "a dimension of 0";
    if (g[0] > INT32_MAX || g[1] > MAX_GRID_YZ || g[2] > MAX_GRID_YZ) return "the grid is too large";
    if (b[0] > MAX_THREADS || b[1] > MAX_THREADS || b[2] > 64) return "the block is too large";
    if (b[0] * b[1] * b[2] > (uint32_t)max_threads(f)) return "more threads in a block than the kernel allows";
    if ((int)l->dynamic_bytes > f->dynamic_limit) return "more shared memory than was asked for";
    if (l->n_arg_bytes < f->kernel->param_bytes) return "fewer bytes of arguments than the kernel has";
    return NULL;
}

enum { LAUNCH_END = 0, LAUNCH_BUFFER = 1, LAUNCH_BUFFER_BYTES = 2 };

/* Arguments come as one block, or as an array of pointers to each, which is made a block here. */
static void collect_args(const Function *f, MockLaunch *l, void **params, void **extra, char *block) {
    for (; extra && (uintptr_t)*extra != LAUNCH_END; extra += 2) {
        if ((uintptr_t)extra[0] == LAUNCH_BUFFER) l->args = extra[1];
        if ((uintptr_t)extra[0] == LAUNCH_BUFFER_BYTES) l->n_arg_bytes = (uint32_t) * (const size_t *)extra[1];
    }
    if (l->args || !params) return;
    for (int i = 0; i < f->kernel->n_params; i++)
        memcpy(block + f->kernel->params[i].offset, params[i], f->kernel->params[i].n_bytes);
    l->args = block;
    l->n_arg_bytes = f->kernel->param_bytes;
}

static PtxProgram *decoded(Module *m) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!m->program) m->program = ptx_decode(m->image->text, m->image);
    pthread_mutex_unlock(&lock);
    return m->program;
}

/* False: the kernel has trapped, or is a processor's code, which nobody here can execute. */
static bool interpret(Function *f, const MockLaunch *l) {
    Module *m = f->module;
    const char *why = "KDSL_MOCK_RUN, but the image is a cubin; KDSL_PTXAS= in the compiler's environment keeps PTX";
    if (!mock_setting("KDSL_MOCK_RUN", NULL)) return true;
    if (m->image->text && ptx_run(decoded(m), f->kernel->name, l, &why)) return true;
    mock_log("error trap %d %s: %s", m->device->number, f->kernel->name, why);
    fprintf(stderr, "mock GPU: %s: %s\n", f->kernel->name, why);
    return false;
}

EXPORT CUresult cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned dynamic_bytes, Stream *stream, void **params, void **extra) {
    CURRENT(d);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (f->module->device != d) return refuse(CUDA_ERROR_INVALID_CONTEXT, "%s is of another device", f->kernel->name);
    char *block = calloc(1, f->kernel->param_bytes + 1);
    MockLaunch l = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .dynamic_bytes = dynamic_bytes};
    collect_args(f, &l, params, extra, block);
    const char *why = objection(f, &l);
    CUresult error = CUDA_SUCCESS;
    if (why)
        error = refuse(CUDA_ERROR_INVALID_VALUE, "launch %d %s grid=%u,%u,%u block=%u,%u,%u shared=%u: %s", d->number,
                       f->kernel->name, gx, gy, gz, bx, by, bz, dynamic_bytes, why);
    else if (mock_fails("launch"))
        error = refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "launch %d %s", d->number, f->kernel->name);
    if (!error) {
        Stream *s = or_default(stream, d);
        mock_log_launch(d->number, f->kernel, &l, stream_name(s));
        if (!mock_run(f->kernel, &l)) s->trapped |= !interpret(f, &l);
        s->trapped |= mock_fails("trap");
        take_time(s, atof(mock_setting("KDSL_MOCK_KERNEL_MS", "0")) * 1e-3);
    }
    free(block);
    return error;
}
