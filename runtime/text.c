/* text.c -- print and format: a line is built piece by piece in a growing buffer, then written in one call. Numbers
 * without a precision are printed as the shortest text that reads back as the same value. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

static struct {
    char *at;
    size_t n, cap;
} line;

static void *need_memory(void *at) {
    if (!at) kdsl_fail(NULL, "out of memory for a text");
    return at;
}

/* Room for n more bytes. */
static char *line_room(size_t n) {
    if (line.cap - line.n < n) {
        size_t cap = line.cap + line.cap / 2 + n + 128;
        line.at = need_memory(realloc(line.at, cap));
        line.cap = cap;
    }
    return line.at + line.n;
}

static void put(const char *at, size_t n) {
    if (!n) return;
    memcpy(line_room(n), at, n);
    line.n += n;
}

static void fill(char c, int32_t n) {
    if (n <= 0) return;
    memset(line_room((size_t)n), c, (size_t)n);
    line.n += (size_t)n;
}

/* Columns taken by UTF-8 text: bytes that do not continue a character. */
static int32_t columns(const char *at, size_t n) {
    int32_t k = 0;
    for (size_t i = 0; i < n; i++) k += ((unsigned char)at[i] & 0xc0) != 0x80;
    return k;
}

static void put_padded(const char *at, size_t n, int32_t width, bool right) {
    int32_t pad = width - columns(at, n);
    if (right) fill(' ', pad);
    put(at, n);
    if (!right) fill(' ', pad);
}

/* Sign and digits apart, because zeros go in between. */
static void put_number(bool negative, const char *at, size_t n, int32_t width, int32_t align, bool zero) {
    int32_t pad = width - (int32_t)n - negative;
    zero = zero && align != '<';
    if (!zero && align != '<') fill(' ', pad);
    if (negative) put("-", 1);
    if (zero) fill('0', pad);
    put(at, n);
    if (align == '<') fill(' ', pad);
}

void kdsl_text_bytes(const char *at, int64_t n) { put(at, (size_t)n); }

void kdsl_text_str(const char *s, int32_t width, int32_t align) { put_padded(s, strlen(s), width, align == '>'); }

void kdsl_text_bool(int32_t v, int32_t width, int32_t align) { kdsl_text_str(v ? "true" : "false", width, align); }

/* Integers --------------------------------------------------------------------------------------------------------- */
enum { INTEGER_BYTES = 64 };

/* Digits of v, written backwards from `end`; returns where they begin. */
static char *digits_of(uint64_t v, unsigned base, char *end) {
    do *--end = "0123456789abcdef"[v % base];
    while (v /= base);
    return end;
}

static unsigned base_of_style(int32_t style) { return style == 'x' ? 16 : style == 'b' ? 2 : 10; }

void kdsl_text_u64(uint64_t v, int32_t width, int32_t align, int32_t zero, int32_t style) {
    char text[INTEGER_BYTES], *end = text + INTEGER_BYTES, *at = digits_of(v, base_of_style(style), end);
    put_number(false, at, (size_t)(end - at), width, align, zero);
}

/* In hexadecimal and binary a negative number shows its two's complement, as wide as its type. */
void kdsl_text_i64(int64_t v, int32_t bits, int32_t width, int32_t align, int32_t zero, int32_t style) {
    uint64_t u = (uint64_t)v;
    if (style == 'x' || style == 'b') {
        kdsl_text_u64(bits < 64 ? u & ((UINT64_C(1) << bits) - 1) : u, width, align, zero, style);
        return;
    }
    char text[INTEGER_BYTES], *end = text + INTEGER_BYTES, *at = digits_of(v < 0 ? -u : u, 10, end);
    put_number(v < 0, at, (size_t)(end - at), width, align, zero);
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

/* printf's %f and %e, for any number of digits. */
static void put_precise(bool negative, double v, int32_t width, int32_t precision, int32_t align, bool zero, bool exp) {
    char small[64], *text = small;
    const char *format = exp ? "%.*e" : "%.*f";
    int n = snprintf(small, sizeof small, format, precision, v);
    if ((size_t)n >= sizeof small) {
        text = need_memory(malloc((size_t)n + 1));
        snprintf(text, (size_t)n + 1, format, precision, v);
    }
    put_number(negative, text, (size_t)n, width, align, zero);
    if (text != small) free(text);
}

void kdsl_text_f64(double v, int32_t bits, int32_t width, int32_t precision, int32_t align, int32_t zero,
                   int32_t style) {
    bool negative = signbit(v) && !isnan(v);
    v = fabs(v);
    if (isnan(v) || isinf(v)) {
        put_number(negative, isnan(v) ? "nan" : "inf", 3, width, align, false);
    } else if (precision >= 0) {
        put_precise(negative, v, width, precision, align, zero, style == 'e');
    } else {
        char text[SHORTEST_BYTES];
        int n = shortest_text(text, v, bits, style == 'e');
        put_number(negative, text, (size_t)n, width, align, zero);
    }
}

/* The end of a piece of text --------------------------------------------------------------------------------------- */
void kdsl_text_print(void) {
    put("\n", 1);
    errno = 0;
    if (fwrite(line.at, 1, line.n, stdout) != line.n) kdsl_output_failed(errno);
    line.n = 0;
}

const char *kdsl_text_format(void) {
    put("", 1);
    char *text = need_memory(malloc(line.n));
    memcpy(text, line.at, line.n);
    line.n = 0;
    return text;
}

void kdsl_text_assert(const char *place) {
    put("", 1);
    line.n = 0;
    kdsl_fail(place, "%s", line.at);
}

void kdsl_text_reset(void) { line.n = 0; }
