/* dots.c -- braille characters as a grid of 2 x 4 dots each. */
#include "repl/draw.h"

#include <stdlib.h>

enum { DOTS_ACROSS = 2, DOTS_DOWN = 4 };

void dots_new(Dots *d, int columns, int rows) {
    *d = (Dots){columns, rows, calloc((size_t)columns * (size_t)rows, 1)};
    if (!d->cells) abort();
}

void dots_free(Dots *d) { free(d->cells); }

void dots_set(Dots *d, int x, int y) {
    static const unsigned char bits[DOTS_DOWN][DOTS_ACROSS] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= d->columns * DOTS_ACROSS || y >= d->rows * DOTS_DOWN) return;
    d->cells[y / DOTS_DOWN * d->columns + x / DOTS_ACROSS] |= bits[y % DOTS_DOWN][x % DOTS_ACROSS];
}

/* Bresenham's algorithm; the error is the distance of the dot from the line. */
void dots_line(Dots *d, int x0, int y0, int x1, int y1) {
    int across = abs(x1 - x0), down = -abs(y1 - y0), error = across + down;
    for (;;) {
        dots_set(d, x0, y0);
        if (x0 == x1 && y0 == y1) return;
        int twice = 2 * error;
        if (twice >= down) {
            error += down;
            x0 += x0 < x1 ? 1 : -1;
        }
        if (twice <= across) {
            error += across;
            y0 += y0 < y1 ? 1 : -1;
        }
    }
}

/* U+2800 plus the bits of the dots, in UTF-8; a blank if there are none, which every font has. */
void dots_cell(const Dots *d, int column, int row, Buf *out) {
    unsigned char dots = d->cells[row * d->columns + column];
    if (!dots) {
        buf_putc(out, ' ');
        return;
    }
    buf_putc(out, (char)0xe2);
    buf_putc(out, (char)(0xa0 | dots >> 6));
    buf_putc(out, (char)(0x80 | (dots & 0x3f)));
}
