/* numbers.c -- converts the elements of a value from their layout in memory to numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/show.h"

static const struct {
    const char *name;
    int size_bytes;
} kinds[] = {
    {"bool", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},  {"index", 8}, {"u8", 1},
    {"u16", 2},  {"u32", 4}, {"u64", 8}, {"f16", 2}, {"bf16", 2}, {"f32", 4},   {"f64", 8},
};

/* "f32x3": the length of the name of the component type, and 3. */
static int lanes_in(const char *type, size_t *n_name) {
    const char *x = strchr(type, 'x');
    *n_name = strlen(type);
    if (!x || x == type || strcmp(type, "index") == 0 || x[1] < '2' || x[1] > '8' || x[2]) return 1;
    *n_name = (size_t)(x - type);
    return x[1] - '0';
}

bool elements_of(const SessionValue *v, Elements *e) {
    size_t n;
    int lanes = lanes_in(v->element, &n);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strlen(kinds[k].name) != n || strncmp(kinds[k].name, v->element, n)) continue;
        int size = kinds[k].size_bytes;
        *e = (Elements){kinds[k].name, lanes, size, size * (lanes == 3 ? 4 : lanes)}; /* three lanes, padded to four */
        return true;
    }
    return false;
}

/* binary16: sign, 5 bits of exponent, 10 of fraction. */
static double half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return bits >> 15 ? -v : v;
}

static double brain_half(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &wide, sizeof f);
    return f;
}

static uint64_t bits_of(const SessionValue *v, const Elements *e, int64_t i, int lane) {
    uint64_t bits = 0; /* little-endian, like this machine */
    memcpy(&bits, (const char *)v->at + i * e->stride_bytes + lane * e->size_bytes, (size_t)e->size_bytes);
    return bits;
}

static int64_t signed_bits(uint64_t bits, int size_bytes) {
    int unused = 64 - 8 * size_bytes;
    return (int64_t)(bits << unused) >> unused;
}

static bool is_float(const Elements *e) { return strchr(e->name, 'f') != NULL; }
static bool is_unsigned(const Elements *e) { return e->name[0] == 'u' || e->name[0] == 'b'; }

static double float_of(const Elements *e, uint64_t bits) {
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    if (e->size_bytes == 2) return e->name[0] == 'b' ? brain_half((uint16_t)bits) : half((uint16_t)bits);
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return e->size_bytes == 4 ? (double)narrow : wide;
}

double element_number(const SessionValue *v, const Elements *e, int64_t i, int lane) {
    uint64_t bits = bits_of(v, e, i, lane);
    if (is_float(e)) return float_of(e, bits);
    return is_unsigned(e) ? (double)bits : (double)signed_bits(bits, e->size_bytes);
}

void element_text(const SessionValue *v, const Elements *e, int64_t i, Buf *out) {
    uint64_t bits = bits_of(v, e, i, 0);
    if (!strcmp(e->name, "bool")) buf_puts(out, bits ? "true" : "false");
    else if (is_float(e)) buf_printf(out, "%.6g", float_of(e, bits));
    else if (is_unsigned(e)) buf_printf(out, "%llu", (unsigned long long)bits);
    else buf_printf(out, "%lld", (long long)signed_bits(bits, e->size_bytes));
}

int64_t value_length(const SessionValue *v) {
    int64_t n = 1;
    for (int d = 0; d < v->rank; d++) n *= v->extents[d];
    return n;
}

double *value_numbers(const SessionValue *v, int64_t *n) {
    Elements e;
    if (!elements_of(v, &e)) return NULL;
    int64_t length = value_length(v);
    *n = length * e.lanes;
    double *numbers = malloc((size_t)(*n ? *n : 1) * sizeof *numbers);
    if (!numbers) abort();
    for (int64_t i = 0; i < length; i++)
        for (int lane = 0; lane < e.lanes; lane++) numbers[i * e.lanes + lane] = element_number(v, &e, i, lane);
    return numbers;
}
