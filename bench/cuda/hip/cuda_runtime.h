// cuda_runtime.h -- what kernels.cu uses of CUDA, for clang's HIP without AMD's libraries: only to compile device code.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// What kernel<<<grid, block>>>(...) becomes on the host.
extern "C" int __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = nullptr);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
using cudaError_t = int;

#define KDSL_REGISTER(name, along, value)                                                                              \
    struct name##_##along {                                                                                            \
        __device__ operator unsigned() const { return value; }                                                         \
    }
#define KDSL_REGISTERS(name, builtin)                                                                                  \
    KDSL_REGISTER(name, x, __builtin_amdgcn_##builtin##_x());                                                          \
    KDSL_REGISTER(name, y, __builtin_amdgcn_##builtin##_y());                                                          \
    KDSL_REGISTER(name, z, __builtin_amdgcn_##builtin##_z());                                                          \
    struct name {                                                                                                      \
        name##_x x;                                                                                                    \
        name##_y y;                                                                                                    \
        name##_z z;                                                                                                    \
    }
KDSL_REGISTERS(ThreadIdx, workitem_id);
KDSL_REGISTERS(BlockIdx, workgroup_id);
KDSL_REGISTERS(BlockDim, workgroup_size);
KDSL_REGISTERS(GridSize, grid_size);
struct GridDim {
    struct {
        __device__ operator unsigned() const {
            return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
        }
    } x;
};
#define threadIdx (ThreadIdx{})
#define blockIdx (BlockIdx{})
#define blockDim (BlockDim{})
#define gridDim (GridDim{})

static __device__ inline void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __device__ inline float __shfl_down_sync(unsigned, float x, int by) {
    int self = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(4 * (self + by), __builtin_bit_cast(int, x)));
}

static __device__ inline int atomicAdd(int *p, int x) {
    return __hip_atomic_fetch_add(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static __device__ inline int min(int a, int b) { return a < b ? a : b; }

// Functions of libclc, which stands for AMD's device libraries; rsqrtf is the instruction.
__device__ float cl_exp(float) __asm("_Z3expf");
__device__ float cl_log(float) __asm("_Z3logf");
__device__ float cl_erf(float) __asm("_Z3erff");
static __device__ inline float expf(float x) { return cl_exp(x); }
static __device__ inline float logf(float x) { return cl_log(x); }
static __device__ inline float erff(float x) { return cl_erf(x); }
static __device__ inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static __device__ inline float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
