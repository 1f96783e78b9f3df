/* amdgpu.c -- AMD GPUs: intrinsics for work item and group indices, sizes in the implicit arguments, the barrier with
 * its fences, attributes for the size of a group. Source: llvm/docs/AMDGPUUsage.rst of LLVM 22; the layout of the
 * implicit arguments is that of offload/plugins-nextgen/amdgpu/utils/UtilitiesRTL.h. */
#include "irgen/gpu/gpu.h"

#include <stdio.h>

#include <llvm-c/Target.h>

#include "irgen/embed.h"
#include "runtime/geometry.h"

EMBED(kdsl_libm_amdgpu, "libm-amdgpu.bc");

enum { IMPLICIT_BLOCKS = 0, IMPLICIT_THREADS = 12 }; /* byte offsets: u32 x 3, u16 x 3 */

static LLVMValueRef implicit(CgFunc *f, LLVMTypeRef t, int64_t offset) {
    Cg *cg = f->cg;
    LLVMValueRef at = cg_intrinsic(f, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0), by = cg_i64(cg, offset);
    LLVMValueRef v = LLVMBuildLoad2(f->b, t, LLVMBuildInBoundsGEP2(f->b, cg->i8, at, &by, 1, ""), "");
    LLVMSetAlignment(v, (unsigned)LLVMGetIntTypeWidth(t) / 8);
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "invariant.load", 14);
    LLVMSetMetadata(v, kind, LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0)));
    return v;
}

static LLVMValueRef number(CgFunc *f, GpuNumber which, int axis) {
    static const char *const thread[] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
                                         "llvm.amdgcn.workitem.id.z"};
    static const char *const block[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                        "llvm.amdgcn.workgroup.id.z"};
    switch (which) {
    case GPU_THREAD: return cg_intrinsic(f, thread[axis], NULL, 0, NULL, 0);
    case GPU_BLOCK: return cg_intrinsic(f, block[axis], NULL, 0, NULL, 0);
    case GPU_THREADS: return LLVMBuildZExt(f->b, implicit(f, f->cg->i16, IMPLICIT_THREADS + 2 * axis), f->cg->i32, "");
    case GPU_BLOCKS: break;
    }
    return implicit(f, f->cg->i32, IMPLICIT_BLOCKS + 4 * axis);
}

/* Uniform values stay in scalar registers (readfirstlane), so that branches on them are uniform for the wavefront. */
static LLVMValueRef hidden(CgFunc *f, LLVMValueRef v, bool is_uniform) {
    if (!is_uniform) return cg_through_register(f->cg, v, "=v,0");
    return cg_intrinsic(f, "llvm.amdgcn.readfirstlane", &f->cg->i64, 1, &v, 1);
}

static void barrier(CgFunc *f) {
    unsigned scope = LLVMGetSyncScopeID(f->cg->ctx, "workgroup", 9);
    LLVMBuildFenceSyncScope(f->b, LLVMAtomicOrderingRelease, scope, "");
    cg_intrinsic(f, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
    LLVMBuildFenceSyncScope(f->b, LLVMAtomicOrderingAcquire, scope, "");
}

static void bounds(CgFunc *f, const int64_t *by) {
    char text[64];
    int items = 1;
    for (int d = 0; by && d < f->func->domain.n; d++) items *= (int)by[d];
    if (by) snprintf(text, sizeof text, "%d,%d", items, items);
    else snprintf(text, sizeof text, "1,%d", GPU_MAX_THREADS);
    gpu_attribute(f, "amdgpu-flat-work-group-size", text);
    gpu_attribute(f, "uniform-work-group-size", "true"); /* libomptarget launches no partial groups */
}

/* Without these LLVM makes a compare-and-swap loop of an atomic sum of floats. Arrays are in the device's own memory,
 * which is coarse-grained where libomptarget allocates it. The instructions take subnormal numbers for 0. */
static const char *const update_marks[] = {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
                                           "amdgpu.ignore.denormal.mode", NULL};

const Gpu amdgpu_gpu = {
    .number = number,
    .barrier = barrier,
    .bounds = bounds,
    .hidden = hidden,
    .libm = kdsl_libm_amdgpu,
    .libm_end = kdsl_libm_amdgpu_end,
    .group_scope = "workgroup",
    .update_marks = update_marks,
    /* The threshold of LLVM's complete unrolling on AMDGPU grows with each `if` of a loop. Unrolled outer loops then
     * contain copies of inner loops whose trip counts depend on all copies before them, and scalar evolution takes a
     * hundred times as long to compute these. */
    .copies_bound = "amdgpu.loop.unroll.threshold",
    .constant_bytes = INT64_MAX,
    .inverse_root = LLVMFastMathAllowContract, /* allowed to approximate, LLVM takes subnormal numbers for 0 */
};

void amdgpu_init(void) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
}
