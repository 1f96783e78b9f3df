/* text.c -- print and format. Numbers without a precision are printed as the shortest text that reads back as the same
 * value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"
#include "runtime/value.h"

/* Numbers ------------------------------------------------------------------------------------------------------ */

static int columns(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static void pad(Buf *out, char c, int n) {
    for (; n > 0; n--) buf_putc(out, c);
}

static void put_text(Buf *out, const FormatPiece *p, const char *text) {
    int n = p->width - columns(text);
    if (p->align == '>') pad(out, ' ', n);
    buf_puts(out, text);
    if (p->align != '>') pad(out, ' ', n);
}

/* Zeros go between the sign and the digits. */
static void put_number(Buf *out, const FormatPiece *p, bool negative, const char *digits, bool zero) {
    int n = p->width - (int)strlen(digits) - negative;
    bool left = p->align == '<';
    if (!left && !zero) pad(out, ' ', n);
    if (negative) buf_putc(out, '-');
    if (!left && zero) pad(out, '0', n);
    buf_puts(out, digits);
    if (left) pad(out, ' ', n);
}

static void put_int(Buf *out, const FormatPiece *p, const Type *t, int64_t v) {
    char text[72], *at = text + sizeof text - 1;
    bool as_bits = p->style == 'x' || p->style == 'b', negative = t->is_signed && v < 0 && !as_bits;
    unsigned base = p->style == 'x' ? 16 : p->style == 'b' ? 2 : 10;
    uint64_t u = negative ? 0 - (uint64_t)v : (uint64_t)v;
    if (as_bits && t->bits < 64) u &= (UINT64_C(1) << t->bits) - 1;
    *at = '\0';
    do *--at = "0123456789abcdef"[u % base];
    while (u /= base);
    put_number(out, p, negative, at, p->zero);
}

/* The nearest decimal of n digits, or the next one above: one of them reads back, if any of n digits does. */
static bool of_digits(char *text, size_t size, double v, int n, bool is_f32) {
    snprintf(text, size, "%.*e", n - 1, v);
    if ((is_f32 ? (double)strtof(text, NULL) : strtod(text, NULL)) == v) return true;
    char digits[32], *exponent = strchr(text, 'e');
    int k = 0, e = atoi(exponent + 1);
    for (const char *c = text; c < exponent; c++)
        if (*c != '.') digits[k++] = *c;
    digits[k] = '\0';
    unsigned long long above = strtoull(digits, NULL, 10) + 1;
    snprintf(digits, sizeof digits, "%llue%d", above, e - (n - 1));
    if ((is_f32 ? (double)strtof(digits, NULL) : strtod(digits, NULL)) != v) return false;
    snprintf(text, size, "%.*e", n - 1, strtod(digits, NULL));
    return true;
}

/* 1234.5 and 0.000001, up to 21 digits before the point; otherwise 1e+21, 1e-07. */
static void lay_out(char *out, const char *scientific, bool exponent) {
    char digits[32];
    int n = 0, e = atoi(strchr(scientific, 'e') + 1);
    for (const char *c = scientific; *c != 'e'; c++)
        if (*c != '.') digits[n++] = *c;
    while (n > 1 && digits[n - 1] == '0') n--;
    digits[n] = '\0';
    if (exponent || e >= 21 || e < -6) {
        sprintf(out, "%c%s%se%+03d", digits[0], n > 1 ? "." : "", digits + 1, e);
    } else if (e < 0) {
        sprintf(out, "0.%.*s%s", -e - 1, "000000", digits);
    } else if (n <= e + 1) {
        sprintf(out, "%s%.*s", digits, e + 1 - n, "000000000000000000000");
    } else {
        sprintf(out, "%.*s.%s", e + 1, digits, digits + e + 1);
    }
}

static void shortest(char *out, double v, bool is_f32, bool exponent) {
    char text[48];
    int n = 1;
    if (v == 0) {
        strcpy(out, exponent ? "0e+00" : "0");
        return;
    }
    while (!of_digits(text, sizeof text, v, n, is_f32)) n++;
    lay_out(out, text, exponent);
}

static void put_float(Buf *out, const FormatPiece *p, const Type *t, double v) {
    char text[512];
    bool negative = signbit(v) && !isnan(v), exponent = p->style == 'e';
    v = fabs(v);
    if (isnan(v) || isinf(v)) {
        put_number(out, p, negative, isnan(v) ? "nan" : "inf", false);
        return;
    }
    if (p->precision < 0) shortest(text, v, t->bits <= 32, exponent);
    else snprintf(text, sizeof text, exponent ? "%.*e" : "%.*f", p->precision, v);
    put_number(out, p, negative, text, p->zero);
}

static void put_scalar(Buf *out, const FormatPiece *p, const Type *t, const Const v) {
    if (v.kind == CONST_STR) put_text(out, p, v.s.at);
    else if (t->kind == TY_BOOL) put_text(out, p, v.i ? "true" : "false");
    else if (t->is_float) put_float(out, p, t, v.f);
    else put_int(out, p, t, v.i);
}

static void put_vector(Buf *out, const FormatPiece *p, const Type *t, const char *at) {
    for (int i = 0; i < t->width; i++) {
        buf_puts(out, i ? ", " : "(");
        put_scalar(out, p, t->elem, interp_load(t->elem, at + i * type_size_bytes(t->elem)));
    }
    buf_putc(out, ')');
}

/* Whole arrays and structs ------------------------------------------------------------------------------------- */

/* The fields of a struct that owns arrays, which are the arguments from *next on, to its place in memory. */
static void gather(Frame *f, const Type *t, char *at, const ArgList *args, int *next) {
    if (type_owns(t)) {
        for (int i = 0; i < t->n_fields; i++) gather(f, t->fields[i].type, at + t->fields[i].offset, args, next);
        return;
    }
    Expr *value = args->at[(*next)++].value;
    if (t->kind != TY_ARRAY) {
        interp_value(f, value, at);
        return;
    }
    const Array a = interp_array(f, value);
    memcpy(at, &a.data, sizeof a.data);
    memcpy(at + sizeof a.data, a.ext, sizeof *a.ext * (size_t)t->rank);
}

static void add_text(void *to, const char *at, size_t n) { buf_add(to, at, n); }

void run_shown(Frame *f, Expr *e, void *to) {
    enum { ALIGN = 16 };
    const CallInfo *info = e->call.info;
    const FormatPiece *p = info->shown_as;
    int next = 0;
    Buf text = {0};
    KdslLook look = {.columns = KDSL_LINE_COLUMNS};
    const KdslSink sink = {add_text, &text};
    const KdslSpec spec = {p->width, p->precision, p->align, p->zero, p->style};
    void *at = aligned_alloc(ALIGN, ((size_t)type_size_bytes(info->shown) + ALIGN) / ALIGN * ALIGN);
    if (!at) abort();
    gather(f, info->shown, at, &e->call.args, &next);
    kdsl_put_value(&sink, type_layout(f->run->c, info->shown), at, &spec, &look);
    free(at);
    interp_store(e->type, to, (Const){.kind = CONST_STR, .s = {text.at, text.n}});
}

/* Lines -------------------------------------------------------------------------------------------------------- */

enum { VALUE_BYTES = 64 }; /* the widest vector */

/* All values before the first piece: one of them may print. */
char *interp_text(Frame *f, const FormatPlan *plan, const ArgList *args, int first) {
    int n = args->n - first;
    _Alignas(16) char values[n + 1][VALUE_BYTES];
    Buf out = {0};
    for (int i = 0; i < n; i++) interp_value(f, args->at[first + i].value, values[i]);
    buf_puts(&out, "");
    for (int i = 0; i < plan->pieces.n; i++) {
        const FormatPiece *p = &plan->pieces.at[i];
        if (p->kind == PIECE_TEXT) {
            buf_add(&out, p->text, p->n);
            continue;
        }
        const Type *t = args->at[first + p->arg].value->type;
        if (t->kind == TY_VECTOR) put_vector(&out, p, t, values[p->arg]);
        else put_scalar(&out, p, t, interp_load(t, values[p->arg]));
    }
    return out.at;
}

void interp_print_line(const char *head, const char *text) {
    if (printf("%s%s\n", head, text) < 0) {
        fprintf(stderr, "cannot write to standard output\n");
        exit(1);
    }
}

/* A work item leaves its line with the launch. */
void interp_print(Frame *f, Expr *e) {
    char *text = interp_text(f, e->call.info->format, &e->call.args, 1);
    if (f->item) {
        interp_item_prints(f, text);
        return;
    }
    interp_print_line("", text);
    free(text);
}
