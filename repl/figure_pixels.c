/* figure_pixels.c -- draws a figure in pixels, for files and for terminals with graphics. */
#include "repl/draw.h"

#include <math.h>
#include <string.h>

enum { GROUND = 0xffffff, GRID = 0xe4e4e4, FRAME = 0x808080, TEXT = 0x303030, INK = 0x1f6fb4 };

typedef struct Area { /* inside the axes, in pixels */
    int left, top, right, bottom, scale;
} Area;

static Area area_of(const Figure *f, const Raster *r) {
    Area a = {.scale = r->width >= 1000 ? 2 : 1};
    int widest = 0, gap = 8 * a.scale;
    for (int t = 0; t < f->ys.n; t++) {
        int n = raster_number_width(f->ys.label[t], a.scale);
        if (n > widest) widest = n;
    }
    a.left = widest + 2 * gap;
    a.top = 2 * gap;
    a.right = r->width - 2 * gap;
    a.bottom = r->height - GLYPH_HEIGHT * a.scale - 2 * gap;
    return a;
}

static double across(const Figure *f, const Area *a, double x) {
    return a->left + axis_place(&f->xs, x) * (a->right - a->left);
}
static double down(const Figure *f, const Area *a, double y) {
    return a->bottom - axis_place(&f->ys, y) * (a->bottom - a->top);
}

static void axes(const Figure *f, const Area *a, Raster *r) {
    for (int t = 0; t < f->xs.n; t++) {
        int x = (int)lround(across(f, a, f->xs.at[t])), n = raster_number_width(f->xs.label[t], a->scale);
        raster_box(r, x, a->top, x + 1, a->bottom, GRID);
        raster_number(r, x - n / 2, a->bottom + 8 * a->scale, a->scale, f->xs.label[t], TEXT);
    }
    for (int t = 0; t < f->ys.n; t++) {
        int y = (int)lround(down(f, a, f->ys.at[t])), n = raster_number_width(f->ys.label[t], a->scale);
        raster_box(r, a->left, y, a->right, y + 1, GRID);
        raster_number(r, a->left - 8 * a->scale - n, y - GLYPH_HEIGHT * a->scale / 2, a->scale, f->ys.label[t], TEXT);
    }
    raster_box(r, a->left, a->top, a->left + 1, a->bottom, FRAME);
    raster_box(r, a->left, a->bottom, a->right, a->bottom + 1, FRAME);
}

static void bars(const Figure *f, const Area *a, Raster *r) {
    double width = (double)(a->right - a->left) / (double)f->n;
    for (int64_t i = 0; i < f->n; i++) {
        int left = (int)lround(a->left + width * (double)i), right = (int)lround(a->left + width * (double)(i + 1));
        raster_box(r, left + 1, (int)lround(down(f, a, f->y[i])), right, a->bottom, INK);
    }
}

static void curve(const Figure *f, const Area *a, Raster *r) {
    double last_x = 0, last_y = 0;
    bool joined = false;
    for (int64_t i = 0; i < f->n; i++) {
        double x = f->x ? f->x[i] : (double)i, y = f->y[i];
        bool here = isfinite(x) && isfinite(y);
        x = across(f, a, x);
        y = down(f, a, y);
        if (here && joined) raster_line(r, last_x, last_y, x, y, 1.6 * a->scale, INK);
        else if (here) raster_line(r, x, y, x, y, 3.0 * a->scale, INK);
        joined = here && f->kind == FIGURE_LINE;
        last_x = x;
        last_y = y;
    }
}

bool figure_pixels(const Figure *f, int width, int height, Raster *out) {
    if (!raster_new(out, width, height, GROUND)) return false;
    Area a = area_of(f, out);
    axes(f, &a, out);
    if (f->kind == FIGURE_BARS) bars(f, &a, out);
    else curve(f, &a, out);
    return true;
}
