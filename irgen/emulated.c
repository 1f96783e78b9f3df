/* emulated.c -- a GPU that is not there: the code of kernels as GPUs get it, for this processor. Where a GPU has
 * registers and a barrier instruction there are calls of functions that an emulator defines (tests/gpu/emulator.c),
 * which runs the threads of a block in turn. It is how the tests run, on any machine, what gpu.c makes. */
#include "irgen/gpu.h"

static LLVMValueRef declare(CgFunc *f, const char *name, LLVMTypeRef type) {
    LLVMValueRef fn = LLVMGetNamedFunction(f->cg->module, name);
    return fn ? fn : LLVMAddFunction(f->cg->module, name, type);
}

static LLVMValueRef number(CgFunc *f, GpuNumber which, int axis) {
    Cg *cg = f->cg;
    LLVMTypeRef params[2] = {cg->i32, cg->i32}, type = LLVMFunctionType(cg->i32, params, 2, false);
    LLVMValueRef args[2] = {cg_i32(cg, which), cg_i32(cg, axis)};
    return cg_call(f, type, declare(f, "kdsl_gpu_number", type), args, 2);
}

static void barrier(CgFunc *f) {
    LLVMTypeRef type = LLVMFunctionType(f->cg->void_, NULL, 0, false);
    cg_call(f, type, declare(f, "kdsl_gpu_barrier", type), NULL, 0);
}

static void bounds(CgFunc *f, const int64_t *by) { (void)f, (void)by; }

const Gpu emulated_gpu = {
    .number = number,
    .barrier = barrier,
    .bounds = bounds,
    .uniform_register = "=r,0",
    .register_ = "=r,0",
    .group_scope = "",
};
