/* container.h -- private to offload/: images as LLVM's tools find them in a program. */
#ifndef KDSL_OFFLOAD_CONTAINER_H
#define KDSL_OFFLOAD_CONTAINER_H

#include <stddef.h>

#include "offload/offload.h"

typedef struct Container {
    Blob bytes;
    size_t begin, end; /* of the image in it */
} Container;

bool container_make(const DeviceImage *image, Container *c); /* false: no memory */

#endif
