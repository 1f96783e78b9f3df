/* told.h -- what explanations need of the code generator. */
#ifndef KDSL_DRIVER_TOLD_H
#define KDSL_DRIVER_TOLD_H

#include "driver/generate.h"
#include "driver/options.h"
#include "driver/timing.h"
#include "irgen/irgen.h"

/* How the kernels are vectorised, in r->vector; ir_result_free frees it. The result does not depend on -O. */
bool told_vector(const Program *p, const Options *o, IrResult *r);

/* Compiles the kernels for each GPU of --offload-arch, or for sm_90. Only ptxas knows the registers of NVIDIA's GPUs,
 * and takes as long as all the rest: registers says whether they are needed. */
bool told_launch(const Program *p, Options *o, bool registers, Times *t, LaunchKernels *kernels);

/* The same of code that has been made, with the assembly for GPUs. */
LaunchKernels told_launch_of(const Program *p, const Code *code, bool registers);

#endif
