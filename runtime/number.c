/* number.c -- one number or text, as print and format write it. Numbers without a precision are printed as the shortest
 * text that reads back as the same value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/value.h"

static void put_bytes(const KdslSink *to, const char *at, size_t n) {
    if (n) to->put(to->to, at, n);
}

void kdsl_put_fill(const KdslSink *to, char c, int32_t n) {
    char some[64];
    memset(some, c, sizeof some);
    for (; n > 0; n -= (int32_t)sizeof some) put_bytes(to, some, n < (int32_t)sizeof some ? (size_t)n : sizeof some);
}

/* Bytes that do not continue a character. */
int32_t kdsl_count_columns(const char *at, size_t n) {
    int32_t k = 0;
    for (size_t i = 0; i < n; i++) k += ((unsigned char)at[i] & 0xc0) != 0x80;
    return k;
}

void kdsl_put_str(const KdslSink *to, const char *at, size_t n, int32_t width, int32_t align) {
    int32_t pad = width - kdsl_count_columns(at, n);
    if (align == '>') kdsl_put_fill(to, ' ', pad);
    put_bytes(to, at, n);
    if (align != '>') kdsl_put_fill(to, ' ', pad);
}

/* Sign and digits apart, because zeros go in between. */
void kdsl_put_digits(const KdslSink *to, bool negative, const char *at, size_t n, const KdslSpec *spec) {
    int32_t pad = spec->width - (int32_t)n - negative;
    bool left = spec->align == '<', zero = spec->zero && !left;
    if (!zero && !left) kdsl_put_fill(to, ' ', pad);
    if (negative) put_bytes(to, "-", 1);
    if (zero) kdsl_put_fill(to, '0', pad);
    put_bytes(to, at, n);
    if (left) kdsl_put_fill(to, ' ', pad);
}

/* Integers --------------------------------------------------------------------------------------------------------- */
enum { INTEGER_BYTES = 64 };

/* Digits of v, written backwards from `end`; returns where they begin. */
static char *digits_of(uint64_t v, unsigned base, char *end) {
    do *--end = "0123456789abcdef"[v % base];
    while (v /= base);
    return end;
}

static unsigned base_of_style(int32_t style) { return style == 'x' ? 16 : style == 'b' ? 2 : 10; }

void kdsl_put_u64(const KdslSink *to, uint64_t v, const KdslSpec *spec) {
    char text[INTEGER_BYTES], *end = text + INTEGER_BYTES, *at = digits_of(v, base_of_style(spec->style), end);
    kdsl_put_digits(to, false, at, (size_t)(end - at), spec);
}

/* In hexadecimal and binary a negative number shows its two's complement, as wide as its type. */
void kdsl_put_i64(const KdslSink *to, int64_t v, int32_t bits, const KdslSpec *spec) {
    uint64_t u = (uint64_t)v;
    if (spec->style == 'x' || spec->style == 'b') {
        kdsl_put_u64(to, bits < 64 ? u & ((UINT64_C(1) << bits) - 1) : u, spec);
        return;
    }
    char text[INTEGER_BYTES], *end = text + INTEGER_BYTES, *at = digits_of(v < 0 ? -u : u, 10, end);
    kdsl_put_digits(to, v < 0, at, (size_t)(end - at), spec);
}

/* Floating point --------------------------------------------------------------------------------------------------- */
/* A positive finite number as 0.DIGITS x 10^point, without trailing zeros. */
typedef struct Decimal {
    char digits[24];
    int n, point;
} Decimal;

static bool reads_back(const char *text, double v, int bits) {
    return bits == 32 ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
}

/* "d.ddde[+-]xx" -> Decimal */
static Decimal decimal_of(const char *text) {
    Decimal d = {0};
    const char *p = text;
    for (; *p && *p != 'e'; p++)
        if (*p != '.') d.digits[d.n++] = *p;
    d.point = atoi(p + 1) + 1;
    while (d.n > 1 && d.digits[d.n - 1] == '0') d.n--;
    return d;
}

/* The next larger decimal with as many digits as `text`. False: there is none, as the number is 9.99...; the next
 * power of ten has fewer digits and was tried already. */
static bool next_up(char *text) {
    char *p = strchr(text, 'e');
    while (p-- > text) {
        if (*p == '.') continue;
        if (*p != '9') {
            ++*p;
            return true;
        }
        *p = '0';
    }
    return false;
}

/* The fewest digits that read back. A decimal of up to 15 digits (6 for f32) is unchanged by conversion to a normal
 * number and back, so if such a text exists, %.15 yields it with trailing zeros, and the search starts there. Below a
 * power of two the numbers are twice as dense: there the nearest decimal may not read back while the next larger one
 * does. */
static Decimal shortest(double v, int bits) {
    bool subnormal = bits == 32 ? v < 0x1p-126 : v < 0x1p-1022;
    int most = bits == 32 ? 9 : 17, exponent;
    bool power_of_two = frexp(v, &exponent) == 0.5;
    char text[40];
    for (int n = subnormal ? 1 : bits == 32 ? 6 : 15;; n++) {
        snprintf(text, sizeof text, "%.*e", n - 1, v);
        if (n == most || reads_back(text, v, bits)) return decimal_of(text);
        if (power_of_two && next_up(text) && reads_back(text, v, bits)) return decimal_of(text);
    }
}

/* Longest: "0.00000" and 17 digits, or 21 digits, or d.ddde-308. */
enum { SHORTEST_BYTES = 48 };

static int put_exponent(char *out, const Decimal *d) {
    int n = 0;
    out[n++] = d->digits[0];
    if (d->n > 1) out[n++] = '.';
    memcpy(out + n, d->digits + 1, (size_t)(d->n - 1));
    n += d->n - 1;
    return n + sprintf(out + n, "e%+03d", d->point - 1);
}

/* 3, 0.1, 1234.5, 0.000001 and 21 digits at most before the point; beyond that 1e+21, 1e-07. */
static int shortest_text(char out[SHORTEST_BYTES], double v, int bits, bool exponent) {
    if (v == 0) {
        strcpy(out, exponent ? "0e+00" : "0");
        return (int)strlen(out);
    }
    /* Whole and below the point where doubles are further apart than 1. No floor(): it would drag in libm. */
    if (!exponent && v <= (bits == 32 ? 0x1p24 : 0x1p53) && v == (double)(long long)v)
        return sprintf(out, "%lld", (long long)v);
    Decimal d = shortest(v, bits);
    if (exponent || d.point > 21 || d.point < -5) return put_exponent(out, &d);
    int n = 0, before = d.point < d.n ? d.point : d.n;
    if (d.point <= 0) {
        n = sprintf(out, "0.");
        for (int i = d.point; i < 0; i++) out[n++] = '0';
        before = 0;
    }
    for (int i = 0; i < d.n; i++) {
        if (i == before && before > 0) out[n++] = '.';
        out[n++] = d.digits[i];
    }
    for (int i = d.n; i < d.point; i++) out[n++] = '0';
    return n;
}

/* printf's %f and %e. A precision is at most 100, so the largest f64 has 410 characters. */
static int precise_text(char *out, size_t room, double v, const KdslSpec *spec) {
    return snprintf(out, room, spec->style == 'e' ? "%.*e" : "%.*f", (int)spec->precision, v);
}

void kdsl_put_f64(const KdslSink *to, double v, int32_t bits, const KdslSpec *spec) {
    enum { PRECISE_BYTES = 512 };
    char text[PRECISE_BYTES];
    bool negative = signbit(v) && !isnan(v);
    v = fabs(v);
    if (isnan(v) || isinf(v)) {
        KdslSpec blanks = *spec;
        blanks.zero = 0;
        kdsl_put_digits(to, negative, isnan(v) ? "nan" : "inf", 3, &blanks);
        return;
    }
    int n = spec->precision >= 0 ? precise_text(text, sizeof text, v, spec)
                                 : shortest_text(text, v, bits, spec->style == 'e');
    kdsl_put_digits(to, negative, text, (size_t)n, spec);
}
