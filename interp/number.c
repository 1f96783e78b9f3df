/* number.c -- parsing of numbers: the whole text must be a number as in source code, with an optional sign; otherwise
 * the program ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

typedef enum Reading { READ, NO_NUMBER, NO_ROOM } Reading;

static int digit_of(char c) {
    const char *all = "0123456789abcdef", *at = strchr(all, c | 0x20);
    if (c >= '0' && c <= '9') return c - '0';
    return c && at && at - all >= 10 ? (int)(at - all) : 16;
}

static int base_of(const char **s) {
    const char *letter = (*s)[0] == '0' && (*s)[1] ? strchr("xbo", (*s)[1]) : NULL;
    if (!letter) return 10;
    *s += 2;
    return *letter == 'x' ? 16 : *letter == 'b' ? 2 : 8;
}

static Reading read_int(const char *s, const Type *t, Const *v) {
    bool negative = *s == '-', over = false;
    s += *s == '-' || *s == '+';
    int base = base_of(&s);
    unsigned __int128 n = 0, most = ((unsigned __int128)1 << (t->bits - t->is_signed)) - 1;
    if (negative) most = t->is_signed ? most + 1 : 0;
    if (!*s) return NO_NUMBER;
    for (; *s; s++) {
        if (digit_of(*s) >= base) return NO_NUMBER;
        if (!over) n = n * (unsigned)base + (unsigned)digit_of(*s);
        over |= n > most;
    }
    *v = const_int(negative ? (int64_t)(0 - (uint64_t)n) : (int64_t)n);
    return over ? NO_ROOM : READ;
}

static Reading read_float(const char *s, const Type *t, Const *v) {
    const char *digits = s + (*s == '-' || *s == '+');
    bool word = !strcmp(digits, "inf") || !strcmp(digits, "nan");
    bool starts = (*digits >= '0' && *digits <= '9') || *digits == '.';
    if (!word && (!starts || (digits[1] | 0x20) == 'x')) return NO_NUMBER;
    char *end;
    double x = t->bits == 32 ? (double)strtof(s, &end) : strtod(s, &end);
    if (end == s || *end) return NO_NUMBER;
    *v = const_convert(const_float(x), t, t);
    return !word && isinf(x) ? NO_ROOM : READ;
}

Const interp_number_of_text(Frame *f, Expr *e, const char *text, const Type *to) {
    Const v = {0};
    Reading is = to->is_float ? read_float(text, to, &v) : read_int(text, to, &v);
    if (is == NO_ROOM) interp_fail(f, e->span, FAILURE_RANGE, text, to->name);
    if (is == NO_NUMBER) interp_fail(f, e->span, FAILURE_NUMBER, text, to->name[0] == 'u' ? "a" : "an", to->name);
    return v;
}
