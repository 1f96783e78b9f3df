/* rows.h -- --explain=launch as rows. */
#ifndef KDSL_ADVICE_ROWS_H
#define KDSL_ADVICE_ROWS_H

#include "irgen/lang/cg.h"

/* A row for each kernel of cg->program, with its occupancy on the n devices. */
LaunchKernels launch_rows(Cg *cg, const LaunchDevice *devices, int n);

#endif
