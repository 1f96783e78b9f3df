/* launch.h -- launches in the host program: arguments, sections, geometry, and the call of the runtime. */
#ifndef KDSL_LAUNCH_H
#define KDSL_LAUNCH_H

#include "irgen/lang/abi.h"

extern const CgLaunches cg_launches; /* for Cg.launches */

#endif
