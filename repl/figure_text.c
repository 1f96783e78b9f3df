/* figure_text.c -- draws a figure in characters: curves in braille, bars in eighths of blocks, axes around them. */
#include "repl/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INK = 0x4aa5f0 };

typedef struct Area {          /* the characters inside the axes */
    int columns, rows, margin; /* margin: columns of the labels */
} Area;

static Area area_of(const Figure *f, int columns, int rows) {
    Area a = {.rows = rows};
    for (int t = 0; t < f->ys.n; t++) {
        int n = (int)strlen(f->ys.label[t]);
        if (n > a.margin) a.margin = n;
    }
    a.columns = columns - a.margin - 2;
    if (a.columns < 8) a.columns = 8;
    if (f->kind == FIGURE_BARS && a.columns > f->n) a.columns -= a.columns % (int)f->n; /* bars of equal width */
    return a;
}

/* ---- the curve ---- */

typedef struct Point {
    int x, y;
} Point;

static bool point_of(const Figure *f, const Dots *d, int64_t i, Point *p) {
    double x = f->x ? f->x[i] : (double)i, y = f->y[i];
    if (!isfinite(x) || !isfinite(y)) return false;
    p->x = (int)lround(axis_place(&f->xs, x) * (d->columns * 2 - 1));
    p->y = (int)lround((1 - axis_place(&f->ys, y)) * (d->rows * 4 - 1));
    return true;
}

static void draw_curve(const Figure *f, Dots *d) {
    Point last, p;
    bool joined = false;
    for (int64_t i = 0; i < f->n; i++) {
        bool here = point_of(f, d, i, &p);
        if (here && joined) dots_line(d, last.x, last.y, p.x, p.y);
        else if (here) dots_set(d, p.x, p.y);
        joined = here && f->kind == FIGURE_LINE;
        last = p;
    }
}

/* ---- bars ---- */

static void bar_cell(const Figure *f, const Area *a, int column, int row, Buf *out) {
    static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double height = axis_place(&f->ys, f->y[column * f->n / a->columns]) * a->rows;
    double part = height - (a->rows - 1 - row);
    int n = part >= 1 ? 8 : part <= 0 ? 0 : (int)lround(part * 8);
    if (!n && part > 0) n = 1; /* a small number of elements is visible, too */
    buf_puts(out, eighths[n]);
}

/* ---- axes ---- */

static int row_of_tick(const Figure *f, const Area *a, int t) {
    return (int)lround((1 - axis_place(&f->ys, f->ys.at[t])) * (a->rows - 1));
}

static int column_of_tick(const Figure *f, const Area *a, int t) {
    return (int)lround(axis_place(&f->xs, f->xs.at[t]) * (a->columns - 1));
}

static void left_axis(const Figure *f, const Area *a, int row, Buf *out) {
    const char *label = NULL;
    for (int t = 0; t < f->ys.n; t++)
        if (row_of_tick(f, a, t) == row) label = f->ys.label[t];
    buf_printf(out, "%*s %s", a->margin, label ? label : "", label ? "┤" : "│");
}

static void bottom_axis(const Figure *f, const Area *a, Buf *out) {
    buf_printf(out, "%*s └", a->margin, "");
    for (int column = 0; column < a->columns; column++) {
        bool tick = false;
        for (int t = 0; t < f->xs.n; t++) tick = tick || column_of_tick(f, a, t) == column;
        buf_puts(out, tick ? "┬" : "─");
    }
    buf_putc(out, '\n');
}

/* Centres each label below its tick, unless it would touch the previous one. */
static void bottom_labels(const Figure *f, const Area *a, Buf *out) {
    int at = 0, left = a->margin + 2;
    for (int t = 0; t < f->xs.n; t++) {
        int n = (int)strlen(f->xs.label[t]), from = left + column_of_tick(f, a, t) - n / 2;
        if (from < 0) from = 0;
        if (at && from <= at) continue;
        buf_printf(out, "%*s%s", from - at, "", f->xs.label[t]);
        at = from + n;
    }
    buf_putc(out, '\n');
}

/* Removes trailing blanks of a line. */
static void end_line(Buf *out, Depth depth) {
    while (out->n && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
    colour_reset(out, depth);
    buf_putc(out, '\n');
}

/* With few rows, uses few ticks. */
static Figure with_ticks_for(const Figure *f, int rows) {
    Figure copy = *f;
    int most = rows / 2 + 1;
    if (copy.ys.n > most) axis_fit(&copy.ys, f->ys.lo, f->ys.hi, most, f->kind == FIGURE_BARS ? AXIS_WHOLE : 0);
    return copy;
}

void figure_text(const Figure *figure, int columns, int rows, Depth depth, Buf *out) {
    Figure copy = with_ticks_for(figure, rows), *f = &copy;
    Area a = area_of(f, columns, rows);
    Dots d;
    dots_new(&d, a.columns, a.rows);
    if (f->kind != FIGURE_BARS) draw_curve(f, &d);
    for (int row = 0; row < a.rows; row++) {
        left_axis(f, &a, row, out);
        colour_set(out, depth, LAYER_TEXT, INK);
        for (int column = 0; column < a.columns; column++)
            if (f->kind == FIGURE_BARS) bar_cell(f, &a, column, row, out);
            else dots_cell(&d, column, row, out);
        end_line(out, depth);
    }
    dots_free(&d);
    bottom_axis(f, &a, out);
    bottom_labels(f, &a, out);
}
