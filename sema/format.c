/* format.c -- format strings of print, format and assert, parsed and checked against their values at compile time.
 * `{}` is a placeholder, `{:[<>][0][width][.precision][x|b|e]}` a placeholder with a style, `{{` and `}}` are
 * braces. */
#include <ctype.h>
#include <string.h>

#include "lexer/lexer.h"
#include "sema/check.h"

enum { MAX_WIDTH = 1000, MAX_PRECISION = 100 };

typedef struct Reader {
    Sema *s;
    const Expr *literal;
    const char *at;
    size_t n, pos;
    FormatPlan *plan;
    int n_places;
    bool ok, has_values;
} Reader;

/* Length in the source and in the string of the character or escape at raw[0]. */
static void source_step(const char *raw, size_t left, size_t *n_raw, size_t *n_bytes) {
    *n_raw = *n_bytes = 1;
    if (raw[0] != '\\' || left < 2) return;
    *n_raw = 2;
    if (raw[1] == 'x') *n_raw = 4;
    if (raw[1] != 'u') return;
    uint32_t code = 0;
    size_t i = 3;
    for (; i < left && raw[i] != '}'; i++) {
        char c = raw[i] | 0x20;
        code = code * 16 + (uint32_t)(c >= 'a' ? c - 'a' + 10 : raw[i] - '0');
    }
    *n_raw = i + 1;
    *n_bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* The span in the source of bytes from..to of the decoded string. */
static Span text_span(Reader *r, size_t from, size_t to) {
    Span whole = r->literal->span;
    const char *raw = source_text(r->s, whole);
    size_t length = strlen(raw), at = 0, byte = 0, lo = 0;
    while (at < length && raw[at] != '"') at++; /* past brackets around the literal */
    at++;
    while (at < length && byte < to) {
        size_t n_raw, n_bytes;
        if (byte <= from) lo = at;
        source_step(raw + at, length - at, &n_raw, &n_bytes);
        at += n_raw;
        byte += n_bytes;
    }
    if (from >= byte) lo = at;
    if (at > length) return whole;
    return (Span){whole.lo + (uint32_t)lo, whole.lo + (uint32_t)at};
}

static void complain(Reader *r, size_t from, size_t to, const char *what) {
    if (r->ok) diag(r->s->c, E0702, text_span(r, from, to), "%s", what);
    r->ok = false;
}

static void add_text(Reader *r, size_t from, size_t to) {
    if (from >= to) return;
    FormatPiece p = {.kind = PIECE_TEXT, .text = r->at + from, .n = to - from, .precision = -1};
    vec_push(r->s->arena, &r->plan->pieces, p);
}

static bool next_is(Reader *r, char c) { return r->pos < r->n && r->at[r->pos] == c; }

static bool take(Reader *r, char c) {
    if (!next_is(r, c)) return false;
    r->pos++;
    return true;
}

static bool is_digit(Reader *r) { return r->pos < r->n && r->at[r->pos] >= '0' && r->at[r->pos] <= '9'; }

static int read_number(Reader *r, int max) {
    size_t from = r->pos;
    int v = 0;
    while (is_digit(r)) {
        v = v * 10 + (r->at[r->pos++] - '0');
        if (v > max) v = max + 1;
    }
    if (v > max) complain(r, from, r->pos, max == MAX_WIDTH ? "a width is at most 1000" : "a precision is at most 100");
    return v;
}

/* `{:d}`, `{:.2f}`: in Python a letter says the type of the value; here the type is known. */
static void foreign_style(Reader *r, size_t end) {
    if (r->ok) {
        Diag *d = diag(r->s->c, E0702, text_span(r, r->pos, end),
                       "`%c` is not a format; a value is printed according to its type",
                       r->at[r->pos]);
        bool is_float = strchr("fgFG", r->at[r->pos]) != NULL;
        diag_fix(r->s->c, d, text_span(r, r->pos, end), "",
                 is_float ? "leave the letter out; `{:.2}` writes two decimals" : "leave the letter out");
    }
    r->ok = false;
}

/* `"x = {x}"` */
static void name_in_format(Reader *r, size_t end) {
    if (!r->ok) return;
    Sema *s = r->s;
    Span literal = r->literal->span;
    Diag *d = diag(s->c, E0702, text_span(r, r->pos, end),
                   "a format cannot contain the name of a value; write `{}` and pass the value after the format");
    const char *text = r->has_values ? NULL : lex_names_out_of(s->arena, source_text(s, literal));
    if (text) diag_fix(s->c, d, literal, text, "pass the values after the format");
    r->ok = false;
}

/* Past `{`; leaves pos after `}`. */
static void read_place(Reader *r, size_t open) {
    FormatPiece p = {.kind = PIECE_ARG, .arg = r->n_places, .precision = -1};
    size_t spec = r->pos;
    if (take(r, ':')) {
        spec = r->pos;
        if (next_is(r, '<') || next_is(r, '>')) p.align = r->at[r->pos++];
        p.zero = take(r, '0');
        if (is_digit(r)) p.width = read_number(r, MAX_WIDTH);
        if (take(r, '.')) {
            if (!is_digit(r)) complain(r, spec, r->pos, "write the number of digits after the dot, as in `{:.3}`");
            p.precision = read_number(r, MAX_PRECISION);
        }
        if (next_is(r, 'x') || next_is(r, 'b') || next_is(r, 'e')) p.style = r->at[r->pos++];
    }
    if (!take(r, '}')) {
        size_t end = r->pos;
        while (end < r->n && r->at[end] != '}' && r->at[end] != '{') end++;
        bool closed = end < r->n && r->at[end] == '}';
        if (!closed) complain(r, open, open + 1, "this `{` has no `}`; write `{{` for a brace");
        else if (spec == r->pos && r->at[r->pos] != ':' && r->at[spec - 1] == '{')
            name_in_format(r, end);
        else if (end == r->pos + 1 && strchr("fgdisuFG", r->at[r->pos])) foreign_style(r, end);
        else complain(r, r->pos, r->pos + 1, "this is not a format; write `{:[<>][0][width][.precision][x|b|e]}`");
        r->pos = closed ? end + 1 : end;
    }
    r->n_places++;
    vec_push(r->s->arena, &r->plan->pieces, p);
}

static void read_format(Reader *r) {
    size_t text = 0;
    while (r->pos < r->n) {
        char c = r->at[r->pos];
        if (c != '{' && c != '}') {
            r->pos++;
            continue;
        }
        size_t here = r->pos++;
        if (next_is(r, c)) { /* doubled: one of them is text */
            add_text(r, text, r->pos);
            text = ++r->pos;
            continue;
        }
        add_text(r, text, here);
        if (c == '{') read_place(r, here);
        else complain(r, here, here + 1, "this `}` has no `{`; write `}}` for a brace");
        text = r->pos;
    }
    add_text(r, text, r->n);
}

/* A style is for each number of an array or struct that it suits, so there must be one. */
static const char *unsuitable(const FormatPiece *p, const Type *t) {
    bool has_int = shown_has_int(t), has_float = shown_has_float(t);
    if (p->style == 'x' && !has_int) return "`x` is for integers";
    if (p->style == 'b' && !has_int) return "`b` is for integers";
    if (p->style == 'e' && !has_float) return "`e` is for floats";
    if (p->precision >= 0 && !has_float) return "a precision is for floats";
    if (p->zero && !has_int && !has_float) return "leading zeros are for numbers";
    return NULL;
}

static void check_piece(Reader *r, FormatPiece *p, Arg *args, int n_args) {
    if (p->kind != PIECE_ARG || p->arg >= n_args) return;
    Expr *x = args[p->arg].value;
    Type *t = is_bad(x->type) ? x->type : shown_type(x);
    const char *why = is_bad(t) ? NULL : unsuitable(p, t);
    if (why) {
        Diag *d = diag(r->s->c, E0704, x->span, "%s, but this is %s", why, quoted_type(r->s, t));
        if (p->precision >= 0 && t->is_int) fix_convert(r->s, d, x, r->s->f64);
    }
    if (is_bad(t) || !shown_is_whole(t)) return;
    *x->call.info->shown_as = *p; /* the text is written with it */
    *p = (FormatPiece){.kind = PIECE_ARG, .arg = p->arg, .precision = -1};
}

/* The source of the literal with each `%5.2f` as `{}`, `{:.2}`, ..., and without the `\n` that `print` adds. */
const char *format_without_percents(Sema *s, Span literal) {
    const char *from = source_text(s, literal), *to = "";
    while (*from) {
        size_t text = strcspn(from, "%\\");
        to = arena_printf(s->arena, "%s%.*s", to, (int)text, from);
        from += text;
        if (!strcmp(from, "\\n\"")) from += 2;
        size_t flags = *from == '%' ? strspn(from + 1, "-+ #0123456789.lhz") : 0;
        if (*from == '%' && from[1 + flags] && strchr("diufFeEgGxXscp", from[1 + flags])) {
            const char *point = memchr(from, '.', flags + 1);
            size_t digits = point ? strspn(point + 1, "0123456789") : 0;
            to = digits ? arena_printf(s->arena, "%s{:%.*s}", to, (int)digits + 1, point)
                        : arena_printf(s->arena, "%s{}", to);
            from += 2 + flags;
        } else if (*from && *from != '"') {
            size_t n = *from == '\\' && from[1] ? 2 : 1;
            to = arena_printf(s->arena, "%s%.*s", to, (int)n, from);
            from += n;
        } else if (*from) {
            to = arena_printf(s->arena, "%s%c", to, *from++);
        }
    }
    return to;
}

/* The length of a name, as in `$n`; 0: there is none, or none that is declared. */
static size_t declared_name(Reader *r, size_t at) {
    size_t n = 0;
    while (at + n < r->n && (isalnum((unsigned char)r->at[at + n]) || r->at[at + n] == '_')) n++;
    if (!n || (r->at[at] >= '0' && r->at[at] <= '9')) return 0;
    const char *name = arena_strndup(r->s->arena, r->at + at, n);
    return scope_find(r->s, name_of(&r->s->c->names, name)) ? n : 0;
}

/* `%d`, `%5.2f`: the length; `100%`, `5 %d` after a digit, `%done` are texts. */
static size_t percent_length(const Reader *r, size_t at) {
    size_t n = 1;
    if (r->at[at] != '%' || (at && isdigit((unsigned char)r->at[at - 1]))) return 0;
    while (at + n < r->n && strchr("-+ #0123456789.lhz", r->at[at + n])) n++;
    bool is_letter = at + n < r->n && strchr("diufFeEgGxXscp", r->at[at + n]);
    bool goes_on = at + n + 1 < r->n && isalnum((unsigned char)r->at[at + n + 1]);
    return is_letter && !goes_on && r->at[at + n - 1] != ' ' ? n + 1 : 0;
}

/* W0412: `print("$n")`, `print("%d")`: a valid text, printed as it is. */
static void check_foreign_places(Reader *r, int n_args) {
    Sema *s = r->s;
    for (size_t i = 0; i < r->n; i++) {
        size_t name = r->at[i] == '$' ? declared_name(r, i + 1) : 0, percent = n_args ? 0 : percent_length(r, i);
        if (!name && !percent) continue;
        Span where = text_span(r, i, i + 1 + name + (percent ? percent - 1 : 0));
        const char *text = source_text(s, where);
        Diag *d = diag(s->c, W0412, where, "`%s` is printed as it is; write `{}` and pass the value after the format",
                       text);
        Span whole = r->literal->span, before = {whole.lo, where.lo}, after = {where.hi, whole.hi};
        if (name && !r->n_places && !n_args)
            diag_fix(s->c, d, whole, arena_printf(s->arena, "%s{}%s, %s", source_text(s, before),
                                                  source_text(s, after), text + 1), "pass the value after the format");
        return;
    }
}

static void from_c(Reader *r, Diag *d) {
    diag_fix(r->s->c, d, r->literal->span, format_without_percents(r->s, r->literal->span),
             "use `{}` for a value, not `%%d` as in C");
}

static void check_places(Reader *r, Arg *args, int n_args) {
    Sema *s = r->s;
    if (n_args > r->n_places) {
        Diag *d = diag(s->c, E0703, args[r->n_places].value->span, "the format string has no `{}` for this value");
        bool like_c = r->n_places == 0 && memchr(r->at, '%', r->n);
        Span close = {r->literal->span.hi - 1, r->literal->span.hi - 1};
        if (like_c) from_c(r, d);
        else diag_fix(s->c, d, close, " {}", "add ` {}` to the format string");
    } else if (n_args < r->n_places) {
        for (size_t i = 0, k = 0; i + 1 < r->n; i++) { /* finds the first placeholder without a value */
            if (r->at[i] == r->at[i + 1] && (r->at[i] == '{' || r->at[i] == '}')) {
                i++;
                continue;
            }
            if (r->at[i] != '{' || (int)k++ != n_args) continue;
            size_t end = i;
            while (r->at[end] != '}') end++;
            Span span = text_span(r, i, end + 1);
            if (n_args)
                diag(s->c, E0703, span, "there is no value for this `{}`: the format needs %d values, but %d %s given",
                     r->n_places, n_args, n_args == 1 ? "is" : "are");
            else
                diag(s->c, E0703, span, "there is no value for this `{}`: write %s after the format string",
                     r->n_places == 1 ? "one" : arena_printf(s->arena, "%d values", r->n_places));
            return;
        }
    }
}

static void check_format_value(Sema *s, Expr **slot) {
    Type *t = shown_check(s, slot);
    if (is_bad(t)) return;
    if (shown_is_whole(t)) shown_pass(s, slot);
    else if (!is_bad(check_scalar(s, slot))) settle(s, slot);
}

FormatPlan *check_format(Sema *s, Expr *format, Arg *args, int n_args) {
    for (int i = 0; i < n_args; i++) check_format_value(s, &args[i].value);
    FormatPlan *plan = arena_new(s->arena, FormatPlan);
    format->type = s->str; /* part of the statement, not a string that the program handles */
    format->konst = (Const){.kind = CONST_STR, .s = {format->str.at, format->str.n}};
    Reader r = {.s = s, .literal = format, .at = format->str.at, .n = format->str.n, .plan = plan, .ok = true};
    r.has_values = n_args > 0;
    read_format(&r);
    if (!r.ok) return plan;
    for (int i = 0; i < plan->pieces.n; i++) check_piece(&r, &plan->pieces.at[i], args, n_args);
    check_places(&r, args, n_args);
    shown_lines(s, plan, args, n_args);
    if (n_args == r.n_places) check_foreign_places(&r, n_args);
    return plan;
}

/* print(x) without a format --------------------------------------------------------------------------------------- */

void check_missing_format(Sema *s, Expr *call) {
    ArgList *args = &call->call.args;
    const char *format = "{}";
    for (int i = 1; i < args->n; i++) {
        check_format_value(s, &args->at[i].value);
        format = arena_printf(s->arena, "%s {}", format);
    }
    Type *t = shown_check(s, &args->at[0].value);
    Expr *first = args->at[0].value;
    if (is_bad(t)) return;
    Diag *d = diag(s->c, E0701, first->span, "the format must be a string literal: it is read at compile time");
    if (t->kind != TY_VOID && !t->is_handle)
        diag_fix(s->c, d, (Span){first->span.lo, first->span.lo}, arena_printf(s->arena, "\"%s\", ", format),
                 "write a format before the value%s", args->n > 1 ? "s" : "");
    bad(s, first);
}
