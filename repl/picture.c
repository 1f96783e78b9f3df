/* picture.c -- renders a matrix as an image: one channel by a colour map from its minimum to its maximum, or channels
 * as colours. To shrink the image, the elements of a pixel are averaged; to enlarge it, they are repeated. */
#include "repl/draw.h"

#include <math.h>

bool picture_look(Picture *p, Buf *why) {
    p->lo = INFINITY;
    p->hi = -INFINITY;
    int64_t n = p->height * p->width * p->channels;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(p->at[i])) continue;
        p->lo = fmin(p->lo, p->at[i]);
        p->hi = fmax(p->hi, p->at[i]);
    }
    if (p->lo > p->hi) buf_puts(why, n ? "there is no finite number to plot" : "it has no elements to plot");
    return p->lo <= p->hi;
}

void picture_size(const Picture *p, int max_width, int max_height, int *width, int *height) {
    double fit = fmin((double)max_width / (double)p->width, (double)max_height / (double)p->height);
    if (fit >= 1) fit = floor(fit);
    double w = round((double)p->width * fit), h = round((double)p->height * fit);
    *width = w < 1 ? 1 : (int)w;
    *height = h < 1 ? 1 : (int)h;
}

/* The mean of the finite elements of a channel in rows y0..y1 and columns x0..x1; NaN: there are none. */
static double mean(const Picture *p, int channel, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t y = y0; y < y1; y++) {
        for (int64_t x = x0; x < x1; x++) {
            double v = p->at[(y * p->width + x) * p->channels + channel];
            if (!isfinite(v)) continue;
            sum += v;
            n++;
        }
    }
    return n ? sum / (double)n : NAN;
}

static Rgb gray(int level) { return (Rgb)(level << 16 | level << 8 | level); }

static int level_of(const Picture *p, double v) {
    double part = isnan(v) ? 0 : v / p->white;
    return (int)lround(255 * fmin(fmax(part, 0), 1));
}

static Rgb colour_of(const Picture *p, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
    double first = mean(p, 0, y0, y1, x0, x1);
    if (p->scaled && isnan(first)) return gray(96); /* NaN: a colour that is not in the colour map */
    if (p->scaled) return colour_scale(p->hi > p->lo ? (first - p->lo) / (p->hi - p->lo) : 0.5);
    if (p->channels == 1) return gray(level_of(p, first));
    int green = level_of(p, mean(p, 1, y0, y1, x0, x1)), blue = level_of(p, mean(p, 2, y0, y1, x0, x1));
    return (Rgb)(level_of(p, first) << 16 | green << 8 | blue);
}

/* The range of elements for pixel i of n, at least one of `extent`. */
static void covered(int i, int n, int64_t extent, int64_t *from, int64_t *to) {
    *from = (int64_t)((double)i / n * (double)extent);
    *to = (int64_t)((double)(i + 1) / n * (double)extent);
    if (*from >= extent) *from = extent - 1;
    if (*to > extent) *to = extent;
    if (*to <= *from) *to = *from + 1;
}

bool picture_pixels(const Picture *p, int width, int height, Raster *out) {
    if (!raster_new(out, width, height, 0)) return false;
    for (int y = 0; y < height; y++) {
        int64_t y0, y1, x0, x1;
        covered(y, height, p->height, &y0, &y1);
        for (int x = 0; x < width; x++) {
            covered(x, width, p->width, &x0, &x1);
            raster_set(out, x, y, colour_of(p, y0, y1, x0, x1));
        }
    }
    return true;
}

void picture_legend(const Picture *p, Depth depth, Buf *out) {
    enum { STEPS = 16 };
    if (!p->scaled) return;
    buf_printf(out, "%.6g ", p->lo);
    for (int i = 0; i < STEPS && depth != DEPTH_NONE; i++) {
        colour_set(out, depth, LAYER_TEXT, colour_scale((double)i / (STEPS - 1)));
        buf_puts(out, "█");
    }
    colour_reset(out, depth);
    buf_printf(out, "%s%.6g\n", depth == DEPTH_NONE ? ".. " : " ", p->hi);
}
