/* figure.c -- the data of plots and histograms: finite numbers and ranges of axes. */
#include "repl/draw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PLOT_TICKS = 6, BARS_MAX = 40, BARS_MIN = 5 };

typedef struct Range {
    double lo, hi; /* of the finite numbers */
    int64_t n;
    bool rises, falls, whole;
} Range;

static Range range_of(const double *v, int64_t n) {
    Range r = {INFINITY, -INFINITY, 0, true, true, true};
    for (int64_t i = 0; i < n; i++) {
        if (i && !(v[i] >= v[i - 1])) r.rises = false;
        if (i && !(v[i] <= v[i - 1])) r.falls = false;
        if (!isfinite(v[i])) continue;
        r.lo = fmin(r.lo, v[i]);
        r.hi = fmax(r.hi, v[i]);
        r.whole = r.whole && v[i] == floor(v[i]);
        r.n++;
    }
    return r;
}

static bool fit(Axis *a, double lo, double hi, int wanted, Buf *why) {
    if (axis_fit(a, lo, hi, PLOT_TICKS, wanted)) return true;
    buf_printf(why, "%g and %g are too far apart for one axis", lo, hi);
    return false;
}

static bool has_numbers(const Range *r, Buf *why) {
    if (!r->n) buf_puts(why, "there is no finite number to plot");
    return r->n > 0;
}

/* Points are joined by lines if x is monotonic; else they are a scatter plot. */
bool figure_plot(Figure *f, const double *x, const double *y, int64_t n, Buf *why) {
    *f = (Figure){.kind = FIGURE_LINE, .x = x, .y = y, .n = n};
    Range down = range_of(y, n), across = {0, n > 1 ? (double)(n - 1) : 1, n, true, false, true};
    if (x) across = range_of(x, n);
    if (!has_numbers(&down, why) || !has_numbers(&across, why)) return false;
    if (!across.rises && !across.falls) f->kind = FIGURE_POINTS;
    return fit(&f->xs, across.lo, across.hi, x ? 0 : AXIS_WHOLE, why) && fit(&f->ys, down.lo, down.hi, AXIS_ROUND, why);
}

/* Whole numbers in a small range have one bar each. */
static int64_t bars_of(const Range *r, double *lo, double *hi) {
    *lo = r->lo;
    *hi = r->hi;
    if (r->whole && r->hi - r->lo < BARS_MAX) {
        *lo -= 0.5;
        *hi += 0.5;
        return (int64_t)(r->hi - r->lo) + 1;
    }
    double root = ceil(sqrt((double)r->n));
    if (r->hi <= r->lo) {
        double room = fmax(fabs(r->lo) / 10, DBL_MIN * 1e6);
        *lo -= room;
        *hi += room;
    }
    return root > BARS_MAX ? BARS_MAX : root < BARS_MIN ? BARS_MIN : (int64_t)root;
}

bool figure_hist(Figure *f, const double *x, int64_t n, Buf *why) {
    *f = (Figure){.kind = FIGURE_BARS};
    Range r = range_of(x, n);
    double lo, hi, most = 0;
    if (!has_numbers(&r, why)) return false;
    f->n = bars_of(&r, &lo, &hi);
    if (!fit(&f->xs, lo, hi, 0, why)) return false;
    f->xs.lo = lo;
    f->xs.hi = hi;
    f->owned = calloc((size_t)f->n, sizeof *f->owned);
    if (!f->owned) abort();
    f->y = f->owned;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) continue;
        int64_t bar = (int64_t)(axis_place(&f->xs, x[i]) * (double)f->n);
        f->owned[bar < 0 ? 0 : bar < f->n ? bar : f->n - 1]++;
    }
    for (int64_t i = 0; i < f->n; i++) most = fmax(most, f->owned[i]);
    if (fit(&f->ys, 0, most, AXIS_ROUND | AXIS_WHOLE, why)) return true;
    figure_free(f);
    return false;
}

void figure_free(Figure *f) {
    free(f->owned);
    f->owned = NULL;
}
