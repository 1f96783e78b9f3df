/* literal.c -- values of literals: decodes numbers and strings.
 *
 * The lexer has found the end of the literal. A malformed literal is reported and gets a valid default value, so that
 * the parser need not handle it. */
#include "lexer/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const int_suffixes[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "index"};
static const char *const float_suffixes[] = {"f16", "bf16", "f32", "f64"};

static bool is_one_of(const char *text, size_t n, const char *const *list, size_t n_list) {
    for (size_t i = 0; i < n_list; i++)
        if (strlen(list[i]) == n && !memcmp(text, list[i], n)) return true;
    return false;
}

static bool is_float_suffix(const char *text, size_t n) {
    return is_one_of(text, n, float_suffixes, sizeof float_suffixes / sizeof *float_suffixes);
}

static bool is_int_suffix(const char *text, size_t n) {
    return is_one_of(text, n, int_suffixes, sizeof int_suffixes / sizeof *int_suffixes);
}

static int digit_value(char ch) {
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F') return ch - 'A' + 10;
    return 99;
}

static bool is_digit(char ch) { return ch >= '0' && ch <= '9'; }

static bool too_long(Lexer *lx, Token *t, size_t n) {
    if (n <= LEX_MAX_NUMBER_BYTES) return false;
    diag(lx->c, E0109, t->span, "a number of %zu characters is too long; the limit is %d", n, LEX_MAX_NUMBER_BYTES);
    return t->broken = true;
}

static const char *suffix_of_other_language(const char *suffix) {
    static const struct { const char *theirs, *ours; } known[] = {
#define FOREIGN_SUFFIX(theirs, ours) {theirs, ours},
#include "grammar/foreign.def"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(suffix, known[i].theirs)) return known[i].ours;
    return NULL;
}

/* `1.5d0` and `1.5d-3` of Fortran: `d` is the `e` of a double. */
static bool is_exponent(const Lexer *lx, const char *suffix) {
    if (*suffix != 'd' && *suffix != 'D') return false;
    const unsigned char *after = lx->cursor;
    if (!suffix[1] && (*after == '-' || *after == '+') && is_digit((char)after[1])) return true;
    const char *at = suffix + 1;
    while (is_digit(*at)) at++;
    return at > suffix + 1 && !*at;
}

/* The number itself is right: `2x` is a product, `1.5d0` has an exponent. */
static bool number_of_other_language(Lexer *lx, const Token *t, Span where, const char *suffix) {
    Span first = {where.lo, where.lo + 1};
    if (is_exponent(lx, suffix)) {
        Diag *d = diag(lx->c, E0110, where, "write an exponent with `e`, as in `1.5e3`");
        diag_fix(lx->c, d, first, "e", "use `e`");
        return true;
    }
    static const char *const types[] = {"i8", "u8", "i32", "f32", "index"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (edit_distance(suffix, types[i], 1) <= 1) return false;
    if (suffix_of_other_language(suffix) || (strchr("iuf", *suffix) && is_digit(suffix[1]))) return false;
    int n = (int)(where.lo - t->span.lo);
    const char *number = lx->source->text + (t->span.lo - lx->source->base);
    Diag *d = diag(lx->c, E0110, where, "`%.*s%s` is not a number; write a product as `%.*s * %s`", n, number, suffix,
                   n, number, suffix);
    diag_fix(lx->c, d, (Span){where.lo, where.lo}, " * ", "multiply");
    return true;
}

static void bad_suffix(Lexer *lx, Token *t, const char *text, size_t at, size_t n) {
    Span where = {t->span.lo + (uint32_t)at, t->span.hi};
    const char *suffix = arena_strndup(&lx->c->arena, text + at, n - at);
    t->broken = true;
    if (t->kind == TOK_FLOAT && is_int_suffix(text + at, n - at)) {
        diag(lx->c, E0110, where, "`%s` is an integer type, but this number has a fraction or an exponent", suffix);
        return;
    }
    if (number_of_other_language(lx, t, where, suffix)) return;
    Diag *d = diag(lx->c, E0110, where,
                   "`%s` is not a number type; use one of the suffixes i8 i16 i32 i64 u8 u16 u32 u64 index f32 f64",
                   suffix);
    const char *ours = suffix_of_other_language(suffix);
    bool is_float = ours && ours[0] == 'f';
    if (ours && (is_float || t->kind != TOK_FLOAT)) diag_fix(lx->c, d, where, ours, "use the name of the type");
}

/* Reads digits of `base` from text[at] on, without underscores. Returns the index after them; *n_digits: their
 * number. */
static size_t read_digits(Token *t, const char *text, size_t at, size_t n, unsigned base, int *n_digits) {
    *n_digits = 0;
    for (; at < n; at++) {
        if (text[at] == '_') continue;
        unsigned digit = (unsigned)digit_value(text[at]);
        if (digit >= base) break;
        uint64_t next;
        if (__builtin_mul_overflow(t->int_.value, (uint64_t)base, &next)
            || __builtin_add_overflow(next, (uint64_t)digit, &t->int_.value))
            t->int_.too_big = true;
        ++*n_digits;
    }
    return at;
}

static unsigned base_of(const char *text, size_t n) {
    if (n < 2 || text[0] != '0') return 10;
    return text[1] == 'x' ? 16 : text[1] == 'b' ? 2 : text[1] == 'o' ? 8 : 10;
}

/* The message for a malformed number, or NULL. at: the index after its digits. */
static const char *number_fault(Lexer *lx, const char *text, size_t at, size_t n, unsigned base, int n_digits) {
    if (!n_digits) return arena_printf(&lx->c->arena, "digits are missing after `%.2s`", text);
    if (at < n && is_digit(text[at]))
        return arena_printf(&lx->c->arena, "`%c` is not a digit in base %u", text[at], base);
    if (base == 10 && n > 1 && text[0] == '0' && at == 1 && strchr("XBO", text[1]))
        return "write the base in lower case: `0x`, `0b` or `0o`";
    if (base == 10 && at < n && (text[at] == 'e' || text[at] == 'E') && (at + 1 == n || is_digit(text[at + 1])))
        return "digits are missing in the exponent";
    if (base == 10 && n_digits > 1 && text[0] == '0')
        return "a number cannot begin with 0; write an octal number as `0o17`";
    return NULL;
}

void lex_number(Lexer *lx, Token *t, const char *text, size_t n) {
    t->kind = TOK_INT;
    t->int_.value = 0;
    if (too_long(lx, t, n)) return;
    unsigned base = base_of(text, n);
    int n_digits;
    size_t at = read_digits(t, text, base == 10 ? 0 : 2, n, base, &n_digits);
    const char *fault = number_fault(lx, text, at, n, base, n_digits);
    if (fault) {
        Diag *d = diag(lx->c, E0107, t->span, "%s", fault);
        bool is_octal = base == 10 && n_digits > 1 && text[0] == '0' && at == n && strspn(text, "01234567") >= n;
        if (is_octal) diag_fix(lx->c, d, (Span){t->span.lo + 1, t->span.lo + 1}, "o", "write an octal number");
        t->broken = true;
        return;
    }
    if (base == 10 && is_float_suffix(text + at, n - at)) { /* 1f32 */
        lex_float(lx, t, text, n);
        return;
    }
    if (t->int_.too_big) {
        diag(lx->c, E0109, t->span, "the number does not fit in 64 bits");
        t->broken = true;
    }
    if (at == n) return;
    if (is_int_suffix(text + at, n - at)) t->int_.suffix = name_intern(&lx->c->names, text + at, n - at);
    else bad_suffix(lx, t, text, at, n);
}

/* The index after digits, dot and exponent, where the suffix begins. */
static size_t float_end(const char *text, size_t n) {
    size_t at = 0;
    while (at < n && (is_digit(text[at]) || text[at] == '_' || text[at] == '.')) at++;
    if (at + 1 >= n || (text[at] != 'e' && text[at] != 'E')) return at;
    at += text[at + 1] == '+' || text[at + 1] == '-' ? 2 : 1;
    while (at < n && (is_digit(text[at]) || text[at] == '_')) at++;
    return at;
}

void lex_float(Lexer *lx, Token *t, const char *text, size_t n) {
    t->kind = TOK_FLOAT;
    t->float_.value = 0;
    t->float_.suffix = NULL;
    if (too_long(lx, t, n)) return;
    char digits[LEX_MAX_NUMBER_BYTES + 1];
    size_t end = float_end(text, n), n_digits = 0;
    for (size_t i = 0; i < end; i++)
        if (text[i] != '_') digits[n_digits++] = text[i];
    digits[n_digits] = 0;
    bool is_f32 = n - end == 3 && !memcmp(text + end, "f32", 3);
    double value = is_f32 ? (double)strtof(digits, NULL) : strtod(digits, NULL); /* f32: a single rounding */
    if (end < n) {
        if (!is_float_suffix(text + end, n - end)) bad_suffix(lx, t, text, end, n);
        else t->float_.suffix = name_intern(&lx->c->names, text + end, n - end);
    }
    if (isfinite(value)) {
        t->float_.value = value;
        return;
    }
    diag(lx->c, E0109, t->span, "the number is larger than any %s", is_f32 ? "f32" : "f64");
    t->broken = true;
}

/* ---- strings ---- */

int utf8_decode(const char *text, size_t n, uint32_t *code_point) {
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n) return 0;
    int length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    if (!length || (size_t)length > n) return 0;
    uint32_t value = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (at[i] & 0x3F);
    }
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    *code_point = value;
    return length;
}

static size_t utf8_encode(char *out, uint32_t value) {
    if (value < 0x80) return out[0] = (char)value, 1;
    if (value < 0x800) return out[0] = (char)(0xC0 | value >> 6), out[1] = (char)(0x80 | (value & 0x3F)), 2;
    if (value < 0x10000) {
        out[0] = (char)(0xE0 | value >> 12);
        out[1] = (char)(0x80 | (value >> 6 & 0x3F));
        out[2] = (char)(0x80 | (value & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | value >> 18);
    out[1] = (char)(0x80 | (value >> 12 & 0x3F));
    out[2] = (char)(0x80 | (value >> 6 & 0x3F));
    out[3] = (char)(0x80 | (value & 0x3F));
    return 4;
}

/* The state of decoding a string; text[0..n) starts one byte after the start of the token's span. */
typedef struct Decoder {
    Lexer *lx;
    Token *t;
    const char *text;
    size_t n, at;
} Decoder;

static void bad_escape(Decoder *d, size_t from, const char *why) {
    uint32_t base = d->t->span.lo + 1;
    diag(d->lx->c, E0108, (Span){base + (uint32_t)from, base + (uint32_t)d->at}, "%s", why);
    d->t->broken = true;
}

/* Decodes `\xNN` or (braces) `\u{N...}`, after the letter. -1: an error was reported. */
static int64_t read_code(Decoder *d, size_t from, bool braces) {
    int64_t value = 0;
    size_t most = braces ? 6 : 2, n_digits = 0;
    if (braces && (d->at >= d->n || d->text[d->at++] != '{'))
        return bad_escape(d, from, "write the code point after `\\u` in braces: `\\u{e9}`"), -1;
    for (; n_digits < most && d->at < d->n && digit_value(d->text[d->at]) < 16; n_digits++)
        value = value * 16 + digit_value(d->text[d->at++]);
    if (!braces && n_digits != 2)
        return bad_escape(d, from, "write two hexadecimal digits after `\\x`: `\\x7f`"), -1;
    if (braces && (!n_digits || d->at >= d->n || d->text[d->at++] != '}'))
        return bad_escape(d, from, "write one to six hexadecimal digits in braces after `\\u`: `\\u{e9}`"), -1;
    if (value > 0x10FFFF || (braces && value >= 0xD800 && value < 0xE000))
        return bad_escape(d, from, "this is not a Unicode character"), -1;
    if (!value) return bad_escape(d, from, "a string cannot contain a zero byte, which marks its end"), -1;
    return value;
}

static size_t read_escape(Decoder *d, char *out) {
    size_t from = d->at++;
    char ch = d->at < d->n ? d->text[d->at++] : 0;
    static const char simple[] = "n\nt\tr\r\"\"\\\\";
    for (const char *s = simple; *s; s += 2)
        if (s[0] == ch) return *out = s[1], 1;
    if (ch == 'x' || ch == 'u') {
        int64_t value = read_code(d, from, ch == 'u');
        if (value < 0) return 0;
        return ch == 'u' ? utf8_encode(out, (uint32_t)value) : (*out = (char)value, 1);
    }
    if (ch == '0') bad_escape(d, from, "a string cannot contain a zero byte, which marks its end");
    else bad_escape(d, from, "unknown escape sequence; use one of \\n \\t \\r \\\" \\\\ \\xNN \\u{N}");
    return 0;
}

/* Copies a character that is not an escape, which may have several bytes. */
static size_t read_plain(Decoder *d, char *out) {
    uint32_t code_point;
    Span where = {d->t->span.lo + 1 + (uint32_t)d->at, d->t->span.lo + 2 + (uint32_t)d->at};
    int length = utf8_decode(d->text + d->at, d->n - d->at, &code_point);
    if (length && code_point) {
        memcpy(out, d->text + d->at, (size_t)length);
        d->at += (size_t)length;
        return (size_t)length;
    }
    if (!length && !d->t->broken)
        diag(d->lx->c, E0103, where, "byte 0x%02X is not UTF-8; write it as `\\x%02x`", (unsigned char)d->text[d->at],
             (unsigned char)d->text[d->at]);
    else if (!d->t->broken) diag(d->lx->c, E0104, where, "a zero byte in a string");
    d->t->broken = true;
    d->at++;
    return 0;
}

void lex_string(Lexer *lx, Token *t, const char *text, size_t n) {
    Decoder d = {lx, t, text, n, 0};
    t->kind = TOK_STR;
    t->str.n = 0;
    if (!memchr(text, '\\', n) && !memchr(text, 0, n)) { /* the common case: no escapes */
        uint32_t code_point;
        size_t at = 0;
        for (int length; at < n && (length = utf8_decode(text + at, n - at, &code_point)); at += (size_t)length) {}
        if (at == n) {
            t->str.at = arena_strndup(&lx->c->arena, text, n);
            t->str.n = n;
            return;
        }
    }
    char *out = arena_alloc(&lx->c->arena, n + 1); /* decoding never needs more bytes: \u{10ffff} becomes 4 */
    while (d.at < n) t->str.n += text[d.at] == '\\' ? read_escape(&d, out + t->str.n) : read_plain(&d, out + t->str.n);
    t->str.at = out;
}
