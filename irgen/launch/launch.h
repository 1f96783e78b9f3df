/* launch.h -- code for launches in the host program: arguments, array sections, geometry, and the call of
 * libomptarget. */
#ifndef KDSL_LAUNCH_H
#define KDSL_LAUNCH_H

#include "irgen/lang/abi.h"

extern const CgLaunches cg_launches; /* the implementation of Cg.launches */

#endif
