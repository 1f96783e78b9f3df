/* pixels.h -- what image.c, png.c and pnm.c share. Failures end the program with "PLACE: cannot read `a.png`: ...". */
#ifndef KDSL_RUNTIME_PIXELS_H
#define KDSL_RUNTIME_PIXELS_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/internal.h"

/* A picture as in its file: rows from the top, the samples of a pixel contiguous. Channels: 1 gray, 2 gray and alpha,
 * 3 red, green, blue, 4 the same and alpha. A sample has 1 or 2 bytes and is at most `most`. */
typedef struct Pixels {
    void *at; /* malloc; the receiver frees it */
    int64_t h, w;
    int channels, sample_bytes;
    unsigned most;
} Pixels;

/* image.c: the picture that the next take copies out; its height and width into `size`. */
KDSL_RT void kdsl_std_image_hold(Pixels p, int64_t size[2]);
/* Memory for p->h, p->w, p->channels, p->sample_bytes. NULL: too large. */
KDSL_RT void *kdsl_std_image_room(const Pixels *p);
KDSL_RT void kdsl_std_image_check(const char *path, int64_t h, int64_t w); /* is there a pixel to write? */
KDSL_RT _Noreturn void kdsl_std_image_cannot(const char *verb, const char *path, const char *why);
/* n samples from 0 to 1 as bytes; what is outside is cut off, NaN is 0. */
KDSL_RT void kdsl_std_image_bytes(const float *from, uint8_t *to, int64_t n);

#endif
