/* generate.h -- parallel code generation: the modules of the program. */
#ifndef KDSL_GENERATE_H
#define KDSL_GENERATE_H

#include "driver/options.h"
#include "driver/timing.h"
#include "irgen/irgen.h"

/* One module to make. */
typedef struct Piece {
    const Program *program;
    const char *target; /* NULL: the host */
    int image;          /* of a GPU: this one of the program's images */
    IrOptions options;
    IrResult result;
    bool ok;
} Piece;

typedef struct Code {
    Piece *at; /* the host's, then one for each GPU, then the x86 device's */
    int n, n_images; /* those of GPUs */
} Code;

/* The modules to make: that of the host and, for programs with kernels, those of devices, one for each CPU level and
 * each part of the kernels. For --emit only the modules that are printed, with all kernels in one part. */
Code code_plan(Arena *arena, const Program *p, const Options *o);
bool code_generate(Code *code, Times *t);
void code_free(Code *code);

#endif
