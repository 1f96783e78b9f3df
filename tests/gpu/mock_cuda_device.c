/* mock_cuda_device.c -- the driver, its devices and contexts. */
#include "tests/gpu/mock_cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Device devices[MOCK_MAX_DEVICES];
static int n_devices = -1; /* before cuInit */
static _Thread_local Device *current;

/* The largest chip of each compute capability. */
static const Chip CHIPS[] = {
    {75, 72, 1024, 65536, 65536},     {80, 108, 2048, 166912, 167936}, {86, 84, 1536, 101376, 102400},
    {89, 128, 1536, 101376, 102400},  {90, 132, 2048, 232448, 233472}, {100, 148, 2048, 232448, 233472},
    {120, 170, 1536, 101376, 102400},
};

static const Chip *chip_of(int sm) {
    const Chip *found = &CHIPS[0];
    for (size_t i = 0; i < sizeof CHIPS / sizeof *CHIPS; i++)
        if (CHIPS[i].sm <= sm) found = &CHIPS[i];
    return found;
}

int sm_of(const char *arch) { return strncmp(arch, "sm_", 3) ? 0 : atoi(arch + 3); }

int driver_version(void) { return atoi(mock_setting("KDSL_MOCK_DRIVER", "13000")); }

bool runs_on(const MockImage *image, const Device *d) {
    int sm = sm_of(image->arch);
    if (!strcmp(image->kind, "ptx")) return sm <= d->sm;
    return sm / 10 == d->sm / 10 && sm % 10 <= d->sm % 10;
}

Device *current_device(CUresult *error) {
    *error = n_devices < 0 ? CUDA_ERROR_NOT_INITIALIZED : !current ? CUDA_ERROR_INVALID_CONTEXT : current->broken;
    return *error ? NULL : current;
}

static Device *device_at(int number) { return number >= 0 && number < n_devices ? &devices[number] : NULL; }

EXPORT CUresult cuInit(unsigned flags) {
    (void)flags;
    if (n_devices >= 0) return CUDA_SUCCESS;
    if (mock_fails("init") || !mock_n_devices()) {
        mock_log("init failed");
        return CUDA_ERROR_NO_DEVICE;
    }
    n_devices = mock_n_devices();
    for (int i = 0; i < n_devices; i++) {
        Device *d = &devices[i];
        int sm = sm_of(mock_arch(i, "sm_90"));
        *d = (Device){.number = i, .sm = sm, .chip = chip_of(sm), .stream = {.device = d}};
        mock_log("device %d %s", i, mock_arch(i, "sm_90"));
    }
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDriverGetVersion(int *version) {
    *version = driver_version();
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *n) {
    if (n_devices < 0) return CUDA_ERROR_NOT_INITIALIZED;
    *n = n_devices;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(int *device, int number) {
    if (n_devices < 0) return CUDA_ERROR_NOT_INITIALIZED;
    if (!device_at(number)) return CUDA_ERROR_INVALID_DEVICE;
    *device = number;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int size, int device) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)size, "%s", mock_setting("KDSL_MOCK_NAME", "Mock GPU"));
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid(char *uuid, int device) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    memset(uuid, 'a' + device, 16);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid_v2(char *uuid, int device) { return cuDeviceGetUuid(uuid, device); }

EXPORT CUresult cuDeviceTotalMem_v2(size_t *n_bytes, int device) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    *n_bytes = mock_memory_bytes();
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = device_at(device) && device_at(peer) && device != peer;
    return CUDA_SUCCESS;
}

/* CUdevice_attribute: what every chip has alike. All others are 0. */
static const struct {
    int attribute, value;
} ATTRIBUTES[] = {
    {1, MAX_THREADS},           /* threads per block */
    {2, 1024},                  /* block x */
    {3, 1024},                  /* block y */
    {4, 64},                    /* block z */
    {5, INT32_MAX},             /* grid x */
    {6, MAX_GRID_YZ},           /* grid y */
    {7, MAX_GRID_YZ},           /* grid z */
    {8, SHARED_WITHOUT_ASKING}, /* shared memory per block */
    {9, 65536},                 /* constant memory */
    {10, 32},                   /* warp size */
    {11, INT32_MAX},            /* pitch */
    {12, 65536},                /* registers per block */
    {13, 1980000},              /* clock, kHz */
    {15, 1},                    /* copies beside kernels */
    {19, 1},                    /* maps host memory */
    {31, 1},                    /* kernels beside each other */
    {36, 2619000},              /* memory clock, kHz */
    {37, 5120},                 /* memory bus, bits */
    {38, 50 << 20},             /* L2 cache */
    {40, 3},                    /* copy engines */
    {41, 1},                    /* unified addresses */
    {82, 65536},                /* registers per multiprocessor */
    {83, 1},                    /* managed memory */
    {95, 1},                    /* cooperative launch */
    {106, 32},                  /* blocks per multiprocessor */
    {111, 1024},                /* shared memory that the driver keeps of each block */
    {115, 1},                   /* memory pools */
};

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    const Device *d = device_at(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    *value = 0;
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
        if (ATTRIBUTES[i].attribute == attribute) *value = ATTRIBUTES[i].value;
    switch (attribute) {
    case 16: *value = d->chip->n_multiprocessors; break;
    case 39: *value = d->chip->threads; break;
    case 75: *value = d->sm / 10; break;
    case 76: *value = d->sm % 10; break;
    case 81: *value = d->chip->shared_per_multiprocessor; break;
    case 97: *value = d->chip->shared_per_block; break;
    }
    return CUDA_SUCCESS;
}

/* Contexts --------------------------------------------------------------------------------------------------------- */

EXPORT CUresult cuDevicePrimaryCtxRetain(Device **context, int device) {
    if (n_devices < 0) return CUDA_ERROR_NOT_INITIALIZED;
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    *context = device_at(device);
    (*context)->n_retained++;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(int device) {
    Device *d = device_at(device);
    if (!d || !d->n_retained) return CUDA_ERROR_INVALID_CONTEXT;
    d->n_retained--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

EXPORT CUresult cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    *flags = device_at(device)->flags;
    *active = device_at(device)->n_retained > 0;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    device_at(device)->flags = flags;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags(int device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

EXPORT CUresult cuCtxSetCurrent(Device *context) {
    if (n_devices < 0) return CUDA_ERROR_NOT_INITIALIZED;
    if (context && !context->n_retained) return CUDA_ERROR_INVALID_CONTEXT;
    current = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
    CURRENT(d);
    *flags = d->flags;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetFlags(unsigned flags) {
    CURRENT(d);
    d->flags = flags;
    mock_log("flags %d %u", d->number, flags);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(Device **context) {
    *context = current;
    return n_devices < 0 ? CUDA_ERROR_NOT_INITIALIZED : CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(int *device) {
    CURRENT(d);
    *device = d->number;
    return CUDA_SUCCESS;
}

/* Limits (stack, heap, ...): kept, and without effect. */
static size_t limits[16] = {1024, 1 << 20, 8 << 20};

EXPORT CUresult cuCtxGetLimit(size_t *value, unsigned limit) {
    CURRENT(d);
    (void)d;
    if (limit >= sizeof limits / sizeof *limits) return CUDA_ERROR_INVALID_VALUE;
    *value = limits[limit];
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetLimit(unsigned limit, size_t value) {
    CURRENT(d);
    (void)d;
    if (limit >= sizeof limits / sizeof *limits) return CUDA_ERROR_INVALID_VALUE;
    limits[limit] = value;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxEnablePeerAccess(Device *peer, unsigned flags) {
    CURRENT(d);
    (void)flags;
    return peer && peer != d ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Errors ----------------------------------------------------------------------------------------------------------- */

static const struct {
    CUresult code;
    const char *name, *text;
} ERRORS[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
    *text = NULL;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (ERRORS[i].code == code) *text = ERRORS[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
    *name = NULL;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (ERRORS[i].code == code) *name = ERRORS[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
