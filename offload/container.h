/* container.h -- private to offload/: device images in LLVM's container format. */
#ifndef KDSL_OFFLOAD_CONTAINER_H
#define KDSL_OFFLOAD_CONTAINER_H

#include <stddef.h>

#include "offload/offload.h"

typedef struct Container {
    Blob bytes;
    size_t begin, end; /* of the image in the container */
} Container;

bool container_make(const DeviceImage *image, Container *c); /* false: out of memory */

#endif
