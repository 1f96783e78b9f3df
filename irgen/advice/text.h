/* text.h -- --explain=launch as text. */
#ifndef KDSL_ADVICE_TEXT_H
#define KDSL_ADVICE_TEXT_H

#include "irgen/lang/cg.h"

/* Appends a report for each kernel of cg->program, with its occupancy on the n devices. */
void launch_tell(Cg *cg, const LaunchDevice *devices, int n, Buf *out);

#endif
