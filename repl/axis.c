/* axis.c -- axis ticks: steps of 1, 2 or 5 times a power of ten, with labels that differ from each other. */
#include "repl/draw.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The smallest such step with at most `max_ticks` ticks. */
static double round_step(double length, int max_ticks) {
    double least = length / (max_ticks > 1 ? max_ticks - 1 : 1), power = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (factors[i] * power >= least * (1 - 1e-9)) return factors[i] * power;
    return 10 * power;
}

/* "1.5e+06" becomes "1.5e6". */
static void shorten_exponent(char *text) {
    char *e = strchr(text, 'e');
    if (!e) return;
    char *digits = e + 1 + (e[1] == '+' || e[1] == '-'), *to = e + 1 + (e[1] == '-');
    while (*digits == '0' && digits[1]) digits++;
    memmove(to, digits, strlen(digits) + 1);
}

static void label(char *text, double v, double step, double largest) {
    if (fabs(v) < step / 1000) v = 0;
    int step_power = (int)floor(log10(step) + 1e-9), power = (int)floor(log10(largest));
    if (v == 0) {
        snprintf(text, AXIS_LABEL, "0");
    } else if (power < 6 && step_power > -6) {
        snprintf(text, AXIS_LABEL, "%.*f", step_power < 0 ? -step_power : 0, v);
    } else {
        int digits = (int)floor(log10(fabs(v)) + 1e-9) - step_power;
        snprintf(text, AXIS_LABEL, "%.*e", digits < 0 ? 0 : digits > 15 ? 15 : digits, v);
        shorten_exponent(text);
    }
}

/* Widens a range that has a single value, or whose ends differ in their last bits only. */
static void widen(double *lo, double *hi) {
    double largest = fmax(fabs(*lo), fabs(*hi));
    if (*hi - *lo > largest * 1e-12) return;
    double room = largest > 0 ? largest / 10 : 1;
    *lo -= room;
    *hi += room;
}

bool axis_fit(Axis *a, double lo, double hi, int max_ticks, int wanted) {
    *a = (Axis){0};
    if (max_ticks > AXIS_TICKS) max_ticks = AXIS_TICKS;
    widen(&lo, &hi);
    if (!isfinite(hi - lo) || hi - lo < DBL_MIN * 1000) return false;
    double step = round_step(hi - lo, max_ticks);
    if (wanted & AXIS_WHOLE && step < 1) step = 1;
    if (wanted & AXIS_ROUND) { /* two ticks may be added: use a larger step if they do not fit */
        while (ceil(hi / step) - floor(lo / step) > max_ticks - 1)
            step = round_step(step * max_ticks * 1.01, max_ticks);
        lo = floor(lo / step) * step;
        hi = ceil(hi / step) * step;
        if (!isfinite(hi - lo)) return false;
    }
    a->lo = lo;
    a->hi = hi;
    double first = ceil(lo / step - 1e-9), largest = fmax(fabs(lo), fabs(hi));
    for (double i = first; i * step <= hi + step * 1e-9 && a->n < max_ticks; i++) {
        a->at[a->n] = i * step;
        label(a->label[a->n++], i * step, step, largest);
    }
    return true;
}

double axis_place(const Axis *a, double v) { return (v - a->lo) / (a->hi - a->lo); }
