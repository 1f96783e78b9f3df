/* text.h -- --explain=launch as text. */
#ifndef KDSL_ADVICE_TEXT_H
#define KDSL_ADVICE_TEXT_H

#include "irgen/lang/cg.h"

void launch_tell(Cg *cg, const LaunchDevice *devices, int n, Buf *out);

#endif
