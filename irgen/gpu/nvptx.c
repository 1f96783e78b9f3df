/* nvptx.c -- NVIDIA GPUs: special registers, the barrier, launch bounds. Source: llvm/docs/NVPTXUsage.rst of LLVM
 * 22. */
#include "irgen/gpu/gpu.h"

#include <stdio.h>

#include <llvm-c/Target.h>

#include "irgen/embed.h"
#include "runtime/geometry.h"

EMBED(kdsl_libm_nvptx, "libm-nvptx.bc");

#define REGISTERS(name)                                                                                                \
    { "llvm.nvvm.read.ptx.sreg." name ".x", "llvm.nvvm.read.ptx.sreg." name ".y", "llvm.nvvm.read.ptx.sreg." name ".z" }

static LLVMValueRef number(CgFunc *f, GpuNumber which, int axis) {
    static const char *const registers[][GRID_AXES] = {[GPU_THREAD] = REGISTERS("tid"),
                                                       [GPU_BLOCK] = REGISTERS("ctaid"),
                                                       [GPU_THREADS] = REGISTERS("ntid"),
                                                       [GPU_BLOCKS] = REGISTERS("nctaid")};
    return cg_intrinsic(f, registers[which][axis], NULL, 0, NULL, 0);
}

static LLVMValueRef hidden(CgFunc *f, LLVMValueRef v, bool is_uniform) {
    (void)is_uniform; /* PTX does not distinguish scalar and vector registers */
    return cg_through_register(f->cg, v, "=l,0");
}

static void barrier(CgFunc *f) {
    LLVMValueRef which = cg_i32(f->cg, 0);
    cg_intrinsic(f, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 0, &which, 1);
}

/* Sets either nvvm.reqntid or nvvm.maxntid, since ptxas rejects both together. `by` has the order of the domain; in a
 * block the last axis comes first. */
static void bounds(CgFunc *f, const int64_t *by) {
    char text[64];
    int n = f->func->domain.n, at = 0;
    if (!by) snprintf(text, sizeof text, "%d", GPU_MAX_THREADS);
    for (int d = n; by && d-- > 0;)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%d", at ? "," : "", (int)by[d]);
    gpu_attribute(f, by ? "nvvm.reqntid" : "nvvm.maxntid", text);
}

const Gpu nvptx_gpu = {
    .number = number,
    .barrier = barrier,
    .bounds = bounds,
    .hidden = hidden,
    .libm = kdsl_libm_nvptx,
    .libm_end = kdsl_libm_nvptx_end,
    .group_scope = "block",
    .constant_bytes = 65536,
    .inverse_root = LLVMFastMathAllowContract | LLVMFastMathApproxFunc,
};

void nvptx_init(void) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}
