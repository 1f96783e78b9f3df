/* text.h -- --explain=launch as text: what each kernel does to a GPU's memory and threads. */
#ifndef KDSL_ADVICE_TEXT_H
#define KDSL_ADVICE_TEXT_H

#include "irgen/lang/cg.h"

void launch_tell(Cg *cg, const LaunchDevice *devices, int n, Buf *out);

#endif
