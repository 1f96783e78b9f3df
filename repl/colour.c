/* colour.c -- colours as terminal escape sequences, and the colour map of numbers. */
#include "repl/draw.h"

#include <math.h>

static int red(Rgb c) { return c >> 16 & 255; }
static int green(Rgb c) { return c >> 8 & 255; }
static int blue(Rgb c) { return c & 255; }

/* The 256 colours of terminals: a cube of 6 x 6 x 6 from 16 on, with the steps 0, 95, 135, 175, 215, 255. */
static int cube_step(int v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; }

static int nearest_of_256(Rgb c) { return 16 + 36 * cube_step(red(c)) + 6 * cube_step(green(c)) + cube_step(blue(c)); }

void colour_set(Buf *out, Depth depth, Layer layer, Rgb c) {
    int code = layer == LAYER_TEXT ? 38 : 48;
    switch (depth) {
    case DEPTH_NONE: break;
    case DEPTH_256: buf_printf(out, "\033[%d;5;%dm", code, nearest_of_256(c)); break;
    case DEPTH_TRUE: buf_printf(out, "\033[%d;2;%d;%d;%dm", code, red(c), green(c), blue(c)); break;
    }
}

void colour_reset(Buf *out, Depth depth) {
    if (depth != DEPTH_NONE) buf_puts(out, "\033[0m");
}

Rgb colour_scale(double v) {
    static const Rgb stops[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    double place = fmin(fmax(v, 0), 1) * LAST;
    int i = place < LAST ? (int)place : LAST - 1;
    double part = place - i;
    Rgb mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = stops[i] >> shift & 255, to = stops[i + 1] >> shift & 255;
        mixed |= (Rgb)lround(from + part * (to - from)) << shift;
    }
    return mixed;
}
