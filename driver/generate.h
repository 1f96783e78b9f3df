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
    int image;          /* of a GPU: this one of the program's images; -1: none */
    int from;           /* of a GPU: that piece has the optimised module, of which this one emits the code; -1: none */
    bool assembles;     /* the image is made, too, by a program that can run meanwhile: ptxas */
    IrOptions options;
    IrResult result;
    Blob bytes;         /* the image, or nothing if it is to be made yet, or could not be made */
    bool is_taken, is_done, ok; /* by a thread */
} Piece;

typedef struct Code {
    Piece *at; /* the host's, then those for GPUs, then the x86 device's */
    int n, n_images; /* those of GPUs */
} Code;

/* The modules to make: that of the host and, for programs with kernels, those of devices, one for each CPU level and
 * each part of the kernels. For --emit only the modules that are printed, with all kernels in one part. */
Code code_plan(Arena *arena, const Program *p, const Options *o);
bool code_generate(Code *code, Times *t);
/* The same; the calling thread does something else meanwhile. If `beside` returns false, the modules that no thread has
 * begun are left, and so is the result. */
bool code_generate_beside(Code *code, Times *t, bool (*beside)(void *context), void *context);
void code_free(Code *code);

#endif
