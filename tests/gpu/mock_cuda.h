/* mock_cuda.h -- between the files of the mock CUDA driver: its results, devices and streams. Numbers are CUDA's own
   (cuda.h of CUDA 13.0; they have not changed since the functions came). */
#ifndef MOCK_CUDA_H
#define MOCK_CUDA_H
#include "tests/gpu/mock.h"

typedef int CUresult;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_LAUNCH_FAILED = 719,
};

/* What chips of one compute capability have. */
typedef struct {
    int sm, n_multiprocessors, threads, shared_per_block, shared_per_multiprocessor;
} Chip;

typedef struct Stream {
    int number; /* 0: the stream that a context always has */
    struct Device *device;
    double busy_until; /* by mock_now */
    bool trapped;      /* a kernel has, and nobody has waited since */
} Stream;

/* A device is its own primary context. */
typedef struct Device {
    int number, n_retained;
    unsigned flags; /* of the primary context */
    int sm; /* 90 */
    const Chip *chip;
    Stream stream; /* number 0 */
    CUresult broken; /* a kernel has trapped: everything fails from then on */
} Device;

enum { SHARED_WITHOUT_ASKING = 48 << 10, MAX_THREADS = 1024, MAX_GRID_YZ = 65535 };

/* The device whose context is current in this thread; else NULL, and why in *error. */
Device *current_device(CUresult *error);
/* sm_90 -> 90, sm_90a -> 90; 0 for anything else. */
int sm_of(const char *arch);
/* An image runs on a device of the same major number and at least its minor one; PTX on anything newer, too. */
bool runs_on(const MockImage *image, const Device *device);
int driver_version(void);
/* A cubin that mock_read_linked understands, for PTX: malloc'd. */
void *write_linked(const MockImage *image, int sm, size_t *n_bytes);
/* The PTX inside such a cubin; NULL for any other. */
const char *read_linked(const void *cubin);

#define EXPORT __attribute__((visibility("default")))
#define CURRENT(d)                                                                                                     \
    CUresult context_error;                                                                                            \
    Device *d = current_device(&context_error);                                                                        \
    if (!d) return context_error
#endif
