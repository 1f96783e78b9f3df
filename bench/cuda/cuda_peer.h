// cuda_peer.h -- for kernels.cu: launches that can be timed one by one, and the memory that driver.c has mapped.
#pragma once
#include <cuda_runtime.h>

extern "C" {
#include "../kernels/peers/bench.h"
}

void check(cudaError_t status, const char *what); // ends the program
void begin_kernel(const char *name);
void end_kernel();

// name<<<grid, block>>>(...); with CUDA_TIMES set, between two events.
#define LAUNCH(name, grid, block, ...)                                                                                 \
    do {                                                                                                               \
        begin_kernel(#name);                                                                                           \
        name<<<grid, block>>>(__VA_ARGS__);                                                                            \
        end_kernel();                                                                                                  \
    } while (0)

void *device_address(const void *host);
template <class T> T *on_device(T *host) { return static_cast<T *>(device_address(host)); }

float *scratch(int n_floats);            // the same memory each time
void fetch(float *to, const float *from); // one float, and everything before it is done
void clear(int *p, int n);
