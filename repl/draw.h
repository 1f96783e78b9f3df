/* draw.h -- figures: from numbers to text or pixels. Independent of the session and the terminal; the capabilities of
 * the terminal are arguments, so that each part can be tested alone. */
#ifndef KDSL_DRAW_H
#define KDSL_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* colour.c: 0xRRGGBB, and the number of colours of the output --------------------------------------------------- */
typedef uint32_t Rgb;
typedef enum Depth { DEPTH_NONE, DEPTH_256, DEPTH_TRUE } Depth;
typedef enum Layer { LAYER_TEXT, LAYER_GROUND } Layer;
void colour_set(Buf *out, Depth depth, Layer layer, Rgb colour);
void colour_reset(Buf *out, Depth depth);
Rgb colour_scale(double v); /* 0 .. 1: the viridis colour map, from dark blue to yellow */

/* axis.c: axis ticks --------------------------------------------------------------------------------------------- */
enum { AXIS_TICKS = 16, AXIS_LABEL = 24 };
typedef struct Axis {
    double lo, hi; /* lo < hi */
    int n;
    double at[AXIS_TICKS];
    char label[AXIS_TICKS][AXIS_LABEL];
} Axis;
/* Options of ticks: the ends of the axis are ticks; ticks are whole numbers only. */
enum { AXIS_ROUND = 1, AXIS_WHOLE = 2 };
/* false: the length of the range is not finite. */
bool axis_fit(Axis *a, double lo, double hi, int max_ticks, int wanted);
double axis_place(const Axis *a, double v); /* 0 at lo, 1 at hi */

/* dots.c: braille, 2 x 4 dots in a character --------------------------------------------------------------------- */
typedef struct Dots {
    int columns, rows;
    unsigned char *cells; /* one byte for each character, with Unicode's bit order */
} Dots;
void dots_new(Dots *d, int columns, int rows);
void dots_free(Dots *d);
void dots_set(Dots *d, int x, int y); /* ignores positions outside */
void dots_line(Dots *d, int x0, int y0, int x1, int y1);
void dots_cell(const Dots *d, int column, int row, Buf *out);

/* raster.c: pixels ------------------------------------------------------------------------------------------------ */
typedef struct Raster {
    int width, height;
    unsigned char *rgb; /* 3 bytes for each pixel, rows from the top */
} Raster;
bool raster_new(Raster *r, int width, int height, Rgb ground); /* false: out of memory */
void raster_free(Raster *r);
Rgb raster_at(const Raster *r, int x, int y);
void raster_set(Raster *r, int x, int y, Rgb colour);
void raster_box(Raster *r, int x0, int y0, int x1, int y1, Rgb colour); /* x1, y1 exclusive */
void raster_line(Raster *r, double x0, double y0, double x1, double y1, double width, Rgb colour);
enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };
void raster_number(Raster *r, int x, int y, int scale, const char *text, Rgb colour); /* digits and +-.e */
int raster_number_width(const char *text, int scale);

/* figure.c: the data and axes of a plot or histogram --------------------------------------------------------------- */
typedef enum FigureKind { FIGURE_LINE, FIGURE_POINTS, FIGURE_BARS } FigureKind;
typedef struct Figure {
    FigureKind kind;
    const double *x, *y; /* x NULL: 0, 1, 2, ...; bars: y is the heights of bars of equal width from xs.lo to xs.hi */
    int64_t n;
    Axis xs, ys;
    double *owned;
} Figure;
/* false: cannot be drawn, *why is the reason. The caller owns the numbers. */
bool figure_plot(Figure *f, const double *x, const double *y, int64_t n, Buf *why);
bool figure_hist(Figure *f, const double *x, int64_t n, Buf *why);
void figure_free(Figure *f);
/* figure_text.c, figure_pixels.c */
void figure_text(const Figure *figure, int columns, int rows, Depth depth, Buf *out);
bool figure_pixels(const Figure *f, int width, int height, Raster *out); /* false: out of memory */

/* picture.c: a matrix as an image ---------------------------------------------------------------------------------- */
typedef struct Picture {
    int64_t height, width;
    int channels;     /* 1, 3 or 4; the fourth is ignored */
    bool scaled;      /* one channel, coloured from its minimum to its maximum; else 0 is black and `white` is white */
    double white;
    double lo, hi;    /* if scaled: minimum and maximum, set by picture_look */
    const double *at; /* rows of pixels, channels interleaved */
} Picture;
bool picture_look(Picture *p, Buf *why); /* false: cannot be drawn, *why is the reason */
/* The size of the image: the largest that fits; small images are enlarged by an integer factor. */
void picture_size(const Picture *p, int max_width, int max_height, int *width, int *height);
bool picture_pixels(const Picture *p, int width, int height, Raster *out); /* false: out of memory */
void picture_legend(const Picture *p, Depth depth, Buf *out); /* if scaled: a line with minimum and maximum */

/* graphics.c: pixels as bytes for a terminal or a file ------------------------------------------------------------- */
void graphics_blocks(const Raster *r, Depth depth, Buf *out); /* half blocks; DEPTH_NONE: shades of gray */
void graphics_kitty(const Raster *r, Buf *out);
void graphics_sixel(const Raster *r, Buf *out);
void graphics_png(const Raster *r, Buf *out);

#endif
