/* words.c -- the C functions of the module `text`: splitting and parsing of text. Linked only into programs that use
 * this module. Texts made here live as long as the program, like all texts. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

/* How text is split; text.kdsl uses the numbers. */
enum { BY_SPACE, BY_LINE, BY_TEXT };

KDSL_RT int64_t kdsl_std_text_count(const char *s, int32_t how, const char *separator);
KDSL_RT void kdsl_std_text_split(const char *s, int32_t how, const char *separator, const char **out);
KDSL_RT const char *kdsl_std_text_join(const char *const *parts, int64_t n, const char *separator);
KDSL_RT const char *kdsl_std_text_part(const char *s, int64_t from, int64_t to);
KDSL_RT int64_t kdsl_std_text_find(const char *s, const char *what, int64_t from);
KDSL_RT const char *kdsl_std_text_trim(const char *s);
KDSL_RT const char *kdsl_std_text_replace(const char *s, const char *what, const char *by);
KDSL_RT const char *kdsl_std_text_cased(const char *s, bool upper);
KDSL_RT bool kdsl_std_text_is_integer(const char *s);
KDSL_RT bool kdsl_std_text_is_number(const char *s);
KDSL_RT void kdsl_std_text_bytes(const char *s, uint8_t *out);
KDSL_RT const char *kdsl_std_text_from_bytes(const uint8_t *at, int64_t n);

static char *new_text(size_t n) {
    char *text = malloc(n + 1);
    if (!text) kdsl_fail(kdsl_called("text"), "out of memory for a text of %lld bytes", (long long)n);
    text[n] = '\0';
    return text;
}

static char *copy_of(const char *at, size_t n) { return memcpy(new_text(n), at, n); }

static bool is_space(char c) { return isspace((unsigned char)c); }

/* Splitting -------------------------------------------------------------------------------------------------------- */
typedef struct Part {
    const char *at;
    size_t n;
} Part;

static bool next_word(const char **s, Part *p) {
    while (is_space(**s)) ++*s;
    p->at = *s;
    while (**s && !is_space(**s)) ++*s;
    p->n = (size_t)(*s - p->at);
    return p->n > 0;
}

/* A line end ends a line and begins none: "a\n" is one line. */
static bool next_line(const char **s, Part *p) {
    if (!**s) return false;
    const char *end = strchrnul(*s, '\n');
    *p = (Part){*s, (size_t)(end - *s)};
    if (p->n && p->at[p->n - 1] == '\r') p->n--;
    *s = *end ? end + 1 : end;
    return true;
}

/* A separator has a field on both sides, perhaps an empty one: "a,,b" has three fields, "" one. `*s` NULL: that was
 * the last field. */
static bool next_piece(const char **s, const char *separator, Part *p) {
    if (!*s) return false;
    size_t n = strlen(separator);
    const char *end = n ? strstr(*s, separator) : NULL;
    *p = (Part){*s, end ? (size_t)(end - *s) : strlen(*s)};
    *s = end ? end + n : NULL;
    return true;
}

static bool next_part(const char **s, int32_t how, const char *separator, Part *p) {
    return how == BY_SPACE ? next_word(s, p) : how == BY_LINE ? next_line(s, p) : next_piece(s, separator, p);
}

int64_t kdsl_std_text_count(const char *s, int32_t how, const char *separator) {
    Part p;
    int64_t n = 0;
    while (next_part(&s, how, separator, &p)) n++;
    return n;
}

void kdsl_std_text_split(const char *s, int32_t how, const char *separator, const char **out) {
    Part p;
    char *to = new_text(strlen(s) + 1); /* room for all: at least one byte follows each part */
    while (next_part(&s, how, separator, &p)) {
        *out++ = memcpy(to, p.at, p.n);
        to[p.n] = '\0';
        to += p.n + 1;
    }
}

const char *kdsl_std_text_join(const char *const *parts, int64_t n, const char *separator) {
    size_t bytes = 0;
    for (int64_t i = 0; i < n; i++) bytes += strlen(parts[i]) + (i ? strlen(separator) : 0);
    char *text = new_text(bytes), *to = text;
    for (int64_t i = 0; i < n; i++) to = stpcpy(stpcpy(to, i ? separator : ""), parts[i]);
    return text;
}

/* Parts ------------------------------------------------------------------------------------------------------------ */
const char *kdsl_std_text_part(const char *s, int64_t from, int64_t to) {
    int64_t n = (int64_t)strlen(s);
    if (from < 0 || to < from || to > n)
        kdsl_fail(kdsl_called("text"), "%lld..%lld is out of bounds for a text of %lld bytes", (long long)from,
                  (long long)to,
                  (long long)n);
    return copy_of(s + from, (size_t)(to - from));
}

int64_t kdsl_std_text_find(const char *s, const char *what, int64_t from) {
    int64_t n = (int64_t)strlen(s);
    if (from < 0 || from > n) return -1;
    const char *at = strstr(s + from, what);
    return at ? at - s : -1;
}

const char *kdsl_std_text_trim(const char *s) {
    while (is_space(*s)) s++;
    size_t n = strlen(s);
    while (n && is_space(s[n - 1])) n--;
    return copy_of(s, n);
}

const char *kdsl_std_text_replace(const char *s, const char *what, const char *by) {
    size_t n_what = strlen(what), n_by = strlen(by), count = 0;
    if (!n_what) return s;
    for (const char *at = s; (at = strstr(at, what)); at += n_what) count++;
    char *text = new_text(strlen(s) - count * n_what + count * n_by), *to = text;
    for (const char *at; (at = strstr(s, what)); s = at + n_what) {
        to = mempcpy(to, s, (size_t)(at - s));
        to = mempcpy(to, by, n_by);
    }
    strcpy(to, s);
    return text;
}

const char *kdsl_std_text_cased(const char *s, bool upper) {
    char *text = copy_of(s, strlen(s));
    for (char *p = text; *p; p++) *p = (char)(upper ? toupper((unsigned char)*p) : tolower((unsigned char)*p));
    return text;
}

/* Would i64(s), would f64(s) read it? */
bool kdsl_std_text_is_integer(const char *s) {
    int64_t number;
    return kdsl_read_int(s, 64, true, &number) == KDSL_NUMBER;
}

bool kdsl_std_text_is_number(const char *s) {
    double number;
    return kdsl_read_float(s, 64, &number) == KDSL_NUMBER;
}

/* Bytes ------------------------------------------------------------------------------------------------------------ */
void kdsl_std_text_bytes(const char *s, uint8_t *out) { memcpy(out, s, strlen(s)); }

const char *kdsl_std_text_from_bytes(const uint8_t *at, int64_t n) {
    if (memchr(at, 0, (size_t)n)) kdsl_fail(kdsl_called("text"), "a text cannot contain a NUL byte");
    return copy_of((const char *)at, (size_t)n);
}
