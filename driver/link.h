/* link.h -- the last stage: from the modules' objects to a program. */
#ifndef KDSL_DRIVER_LINK_H
#define KDSL_DRIVER_LINK_H

#include "driver/generate.h"
#include "driver/options.h"
#include "driver/timing.h"
#include "offload/offload.h"

/* Links objects to an executable, a library or one object file: makes the device images, an object with their bytes,
 * then links. The objects of the x86 device are linked as well: their kernels are the host versions, to which a launch
 * falls back. in_memory: not to the file `output`, but to *in_memory; or NULL. False: reported. */
bool link_program(const Program *p, const Options *o, const Code *code, const char *output, Blob *in_memory, Times *t);

#endif
