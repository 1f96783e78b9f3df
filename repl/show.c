/* show.c -- formats values for display: as print does (runtime/value.c), with their type and a summary. */
#include "repl/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char DIM[] = "\033[2m", PLAIN[] = "\033[0m";

static void dim(const ShowHow *how, const char *text, Buf *out) {
    buf_printf(out, "%s%s%s", how->colour ? DIM : "", text, how->colour ? PLAIN : "");
}

/* ---- as a whole ---- */

static void summary_of_bools(const SessionValue *v, const Elements *e, const ShowHow *how, Buf *out) {
    int64_t n = value_length(v), n_true = 0;
    for (int64_t i = 0; i < n; i++) n_true += element_number(v, e, i, 0) != 0;
    Buf text = {0};
    buf_printf(&text, "%lld of %lld true", (long long)n_true, (long long)n);
    dim(how, text.at, out);
    buf_free(&text);
    buf_putc(out, '\n');
}

/* Minimum and maximum are shown with the digits of the element, not of a double; NaN is ignored and counted. */
static void summary(const SessionValue *v, const ShowHow *how, Buf *out) {
    Elements e;
    if (!elements_of(v, &e) || e.lanes != 1) return;
    if (!strcmp(e.name, "bool")) {
        summary_of_bools(v, &e, how, out);
        return;
    }
    int64_t n = value_length(v), least = -1, greatest = -1, n_nan = 0;
    double lo = INFINITY, hi = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = element_number(v, &e, i, 0);
        sum += isnan(x) ? 0 : x;
        n_nan += isnan(x);
        if (x < lo || (least < 0 && !isnan(x))) lo = x, least = i;
        if (x > hi || (greatest < 0 && !isnan(x))) hi = x, greatest = i;
    }
    Buf text = {0};
    if (least >= 0) {
        buf_puts(&text, "min ");
        element_text(v, &e, least, &text);
        buf_puts(&text, ", max ");
        element_text(v, &e, greatest, &text);
        buf_printf(&text, ", mean %.6g", sum / (double)(n - n_nan));
    }
    if (n_nan) buf_printf(&text, "%s%lld NaN", least >= 0 ? ", " : "", (long long)n_nan);
    dim(how, text.at, out);
    buf_free(&text);
    buf_putc(out, '\n');
}

static void end_with_type(const SessionValue *v, const ShowHow *how, const char *before, Buf *out) {
    Buf type = {0};
    buf_printf(&type, "%s: %s", before, v->type);
    dim(how, type.at, out);
    buf_free(&type);
    buf_putc(out, '\n');
}

static void add_text(void *to, const char *at, size_t n) { buf_add(to, at, n); }

void value_text(const void *at, const char *layout, KdslLook *look, Buf *out) {
    const KdslSink sink = {add_text, out};
    const KdslSpec plain = {.precision = -1};
    kdsl_put_value(&sink, layout, at, &plain, look);
}

void show_value(const SessionValue *v, const ShowHow *how, Buf *out) {
    if (!v->type || !*v->type) return;
    char array[VALUE_RANK * sizeof(int64_t) + sizeof v->at];
    Buf text = {0};
    KdslLook look = {how->columns, how->colour ? DIM : NULL, how->colour ? PLAIN : NULL, false, true};
    memcpy(array, &v->at, sizeof v->at);
    memcpy(array + sizeof v->at, v->extents, sizeof v->extents);
    value_text(v->rank ? array : v->at, v->layout, &look, &text);
    buf_add(out, text.at, text.n);
    buf_free(&text);
    if (look.is_table) buf_putc(out, '\n');
    end_with_type(v, how, look.is_table ? "" : " ", out);
    if (!look.is_whole) summary(v, how, out);
}

/* ---- quantities ---- */

void show_bytes(int64_t bytes, Buf *out) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    int unit = 0;
    for (; v >= 1024 && unit < 4; unit++) v /= 1024;
    buf_printf(out, v >= 100 || v == floor(v) ? "%.0f %s" : "%.1f %s", v, units[unit]);
}

void show_seconds(double seconds, Buf *out) {
    static const char *const units[] = {"s", "ms", "µs", "ns"};
    double v = seconds;
    int unit = 0;
    for (; v < 1 && unit < 3; unit++) v *= 1000;
    buf_printf(out, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[unit]);
}
