/* value.c -- arrays and structs as text. A row of elements is `[0, 1, 2]`, as many as fit a line, then the last three;
 * with more dimensions it is a table, of whose rows and columns the first and last are written. Elements of floats have
 * six digits. Inside of other values arrays are shorter, and numbers have all digits. */
#include "runtime/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer tables show the first and last rows; lists end with the last three elements. */
enum { TABLE_ROWS = 12, TABLE_EDGE = 4, LIST_TAIL = 3, SLICES = 3, INNER_LIST = 8, MOST_RANK = 4 };

/* Types ------------------------------------------------------------------------------------------------------------ */

typedef struct Layout {
    enum { BOOL, STR, SIGNED, UNSIGNED, FLOAT, BRAIN, VECTOR, STRUCT, FIXED, ARRAY } kind;
    const char *name; /* of a scalar, vector or struct */
    int n_name;
    const char *inner; /* the elements of an array; the first field of a struct */
    const char *end;   /* after the type */
    int64_t size_bytes;
    int bits, lanes, rank; /* lanes: of a vector */
    int64_t extent[MOST_RANK];
} Layout;

static const struct Scalar {
    const char *name;
    int kind, bits;
} scalars[] = {
    {"bool", BOOL, 8},    {"str", STR, 64},     {"i8", SIGNED, 8},     {"i16", SIGNED, 16},   {"i32", SIGNED, 32},
    {"i64", SIGNED, 64},  {"index", SIGNED, 64}, {"u8", UNSIGNED, 8},  {"u16", UNSIGNED, 16}, {"u32", UNSIGNED, 32},
    {"u64", UNSIGNED, 64}, {"f16", FLOAT, 16},  {"bf16", BRAIN, 16},   {"f32", FLOAT, 32},    {"f64", FLOAT, 64},
};

static const struct Scalar *scalar_named(const char *name, int n) {
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (!strncmp(scalars[i].name, name, (size_t)n) && !scalars[i].name[n]) return &scalars[i];
    return &scalars[0];
}

static Layout read_layout(const char *text);

/* A number, and the `|` after it. */
static const char *read_number(const char *text, int64_t *number) {
    char *end;
    *number = strtoll(text, &end, 10);
    return end + 1;
}

/* The name of a field up to its `|`, its offset, its type and a `|`. Returns what is after it. */
static const char *read_field(const char *text, int *n_name, int64_t *offset, Layout *type) {
    *n_name = (int)strcspn(text, "|");
    *type = read_layout(read_number(text + *n_name + 1, offset));
    return type->end + 1;
}

static Layout read_struct(const char *text) {
    Layout l = {.kind = STRUCT, .name = text + 1}, field;
    int n_name;
    int64_t offset;
    l.n_name = (int)strcspn(l.name, "|");
    l.inner = read_number(l.name + l.n_name + 1, &l.size_bytes);
    const char *p = l.inner;
    while (*p != '}') p = read_field(p, &n_name, &offset, &field);
    l.end = p + 1;
    return l;
}

static Layout read_array(const char *text) {
    Layout l = {.kind = text[1] == '_' ? ARRAY : FIXED};
    int64_t n = 1;
    const char *p = text;
    while (*p != ']') {
        if (l.kind == ARRAY) p += 2;
        else p = read_number(p + 1, &l.extent[l.rank]) - 1;
        n *= l.kind == FIXED ? l.extent[l.rank] : 1;
        l.rank++;
    }
    l.inner = p + 1;
    Layout elem = read_layout(l.inner);
    l.end = elem.end;
    l.size_bytes = l.kind == ARRAY ? (int64_t)sizeof(void *) + 8 * l.rank : n * elem.size_bytes;
    return l;
}

static Layout read_layout(const char *text) {
    if (*text == '{') return read_struct(text);
    if (*text == '[') return read_array(text);
    int n = (int)strcspn(text, "|"), lanes = 0;
    if (n > 2 && text[n - 2] == 'x' && text[n - 1] >= '2' && text[n - 1] <= '8') lanes = text[n - 1] - '0';
    const struct Scalar *s = scalar_named(text, lanes ? n - 2 : n);
    Layout l = {.kind = lanes ? VECTOR : s->kind, .name = text, .n_name = n, .end = text + n, .bits = s->bits};
    l.lanes = lanes;
    l.size_bytes = l.bits / 8 * (lanes == 3 ? 4 : lanes ? lanes : 1); /* three lanes, padded to four */
    return l;
}

/* Writing ---------------------------------------------------------------------------------------------------------- */

typedef struct Writer {
    const KdslSink *to;
    const KdslSpec *spec;
    bool six_digits; /* of floats without a precision */
} Writer;

static void put_words(const Writer *o, const char *text) { o->to->put(o->to->to, text, strlen(text)); }

__attribute__((format(printf, 2, 3))) static void put_printed(const Writer *o, const char *format, ...) {
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_words(o, text);
}

static void add_columns(void *to, const char *at, size_t n) { *(int *)to += kdsl_count_columns(at, n); }

static double float_at(const Layout *l, const void *at) {
    double wide;
    float narrow;
    uint16_t half;
    if (l->bits == 64) return memcpy(&wide, at, sizeof wide), wide;
    if (l->bits == 32) return memcpy(&narrow, at, sizeof narrow), (double)narrow;
    memcpy(&half, at, sizeof half);
    if (l->kind == BRAIN) {
        uint32_t bits = (uint32_t)half << 16;
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    }
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double v = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? (1024 + fraction) * (exponent < 25 ? 1.0 / (double)(1 << (25 - exponent))
                                                                   : (double)(1 << (exponent - 25)))
                              : fraction * 0x1p-24;
    return half >> 15 ? -v : v;
}

static void put_float(const Writer *o, const Layout *l, const void *at) {
    KdslSpec spec = *o->spec;
    double v = float_at(l, at);
    if (spec.style != 'e') spec.style = 0;
    if (!o->six_digits || spec.precision >= 0 || spec.style == 'e' || isnan(v) || isinf(v)) {
        kdsl_put_f64(o->to, v, l->bits == 64 ? 64 : 32, &spec);
        return;
    }
    char text[32];
    int n = snprintf(text, sizeof text, "%.6g", fabs(v));
    kdsl_put_digits(o->to, signbit(v) != 0, text, (size_t)n, &spec);
}

static uint64_t bits_at(const Layout *l, const void *at) {
    uint64_t bits = 0; /* little-endian, like all hosts */
    memcpy(&bits, at, (size_t)(l->bits / 8));
    return bits;
}

static void put_integer(const Writer *o, const Layout *l, const void *at) {
    KdslSpec spec = *o->spec;
    uint64_t bits = bits_at(l, at);
    int unused = 64 - l->bits;
    if (spec.style == 'e') spec.style = 0;
    if (l->kind == UNSIGNED) kdsl_put_u64(o->to, bits, &spec);
    else kdsl_put_i64(o->to, (int64_t)(bits << unused) >> unused, l->bits, &spec);
}

static void put_quoted(const Writer *o, const char *text) {
    put_words(o, "\"");
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\') put_words(o, "\\");
        if (*text == '\n') put_words(o, "\\n");
        else if (*text == '\t') put_words(o, "\\t");
        else o->to->put(o->to->to, text, 1);
    }
    put_words(o, "\"");
}

static void put_str(const Writer *o, const void *at) {
    const char *text;
    int columns = 0;
    const KdslSink counter = {add_columns, &columns};
    const Writer count = {&counter, o->spec, false};
    memcpy(&text, at, sizeof text);
    put_quoted(&count, text);
    if (o->spec->align == '>') kdsl_put_fill(o->to, ' ', o->spec->width - columns);
    put_quoted(o, text);
    if (o->spec->align != '>') kdsl_put_fill(o->to, ' ', o->spec->width - columns);
}

static void put_one(const Writer *o, const Layout *l, const void *at);

static void put_vector(const Writer *o, const Layout *l, const char *at) {
    Layout lane = read_layout(l->name);
    lane.kind = scalar_named(l->name, l->n_name - 2)->kind;
    o->to->put(o->to->to, l->name, (size_t)l->n_name);
    for (int i = 0; i < l->lanes; i++) {
        put_words(o, i ? ", " : "(");
        put_one(o, &lane, at + i * (l->bits / 8));
    }
    put_words(o, ")");
}

static void put_struct(const Writer *o, const Layout *l, const char *at) {
    o->to->put(o->to->to, l->name, (size_t)l->n_name);
    put_words(o, "(");
    for (const char *p = l->inner; *p != '}';) {
        Layout type;
        int n_name;
        int64_t offset;
        const char *name = p;
        if (p != l->inner) put_words(o, ", ");
        p = read_field(p, &n_name, &offset, &type);
        o->to->put(o->to->to, name, (size_t)n_name);
        put_words(o, ": ");
        put_one(o, &type, at + offset);
    }
    put_words(o, ")");
}

/* An array inside of another value. */
static void put_inner_list(const Writer *o, const Layout *l, const char *at) {
    const Layout elem = read_layout(l->inner);
    int64_t n = 1, extent;
    for (int d = 0; d < l->rank; d++) {
        extent = l->extent[d];
        if (l->kind == ARRAY) memcpy(&extent, at + sizeof(void *) + 8 * d, sizeof extent);
        n *= extent;
    }
    if (l->kind == ARRAY) memcpy(&at, at, sizeof at);
    put_words(o, "[");
    for (int64_t i = 0; i < n && i < INNER_LIST; i++) {
        if (i) put_words(o, ", ");
        put_one(o, &elem, at + i * elem.size_bytes);
    }
    if (n > INNER_LIST) put_printed(o, ", ... %lld in all", (long long)n);
    put_words(o, "]");
}

static void put_one(const Writer *o, const Layout *l, const void *at) {
    const Writer inner = {o->to, o->spec, false};
    const char *word;
    switch (l->kind) {
    case BOOL:
        word = bits_at(l, at) ? "true" : "false";
        kdsl_put_str(o->to, word, strlen(word), o->spec->width, o->spec->align);
        return;
    case STR: put_str(o, at); return;
    case SIGNED:
    case UNSIGNED: put_integer(o, l, at); return;
    case FLOAT:
    case BRAIN: put_float(o, l, at); return;
    case VECTOR: put_vector(&inner, l, at); return;
    case STRUCT: put_struct(&inner, l, at); return;
    case FIXED:
    case ARRAY: put_inner_list(&inner, l, at); return;
    }
}

/* Arrays ----------------------------------------------------------------------------------------------------------- */

typedef struct Array {
    const Writer *out;
    Layout elem;
    const char *at;
    int rank, columns; /* columns: of a line */
    int64_t extent[MOST_RANK];
} Array;

static void put_element(const Array *a, const Writer *o, int64_t i) {
    put_one(o, &a->elem, a->at + i * a->elem.size_bytes);
}

static int width_of_element(const Array *a, int64_t i) {
    int columns = 0;
    const KdslSink counter = {add_columns, &columns};
    const Writer count = {&counter, a->out->spec, a->out->six_digits};
    put_element(a, &count, i);
    return columns;
}

/* Of the elements from..to: the first that does not fit `room` columns; the first one always does. */
static int64_t fitting(const Array *a, int64_t from, int64_t to, int room, int *width) {
    *width = 0;
    for (int64_t i = from; i < to; i++) {
        int more = width_of_element(a, i) + (i > from ? 2 : 0);
        if (i > from && *width + more > room) return i;
        *width += more;
    }
    return to;
}

static void put_elements(const Array *a, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        if (i > from) put_words(a->out, ", ");
        put_element(a, a->out, i);
    }
}

/* A session writes the type after the list: there is room for it. */
static int room_beside_type(const Array *a, int64_t n) {
    int room = a->columns - a->elem.n_name - snprintf(NULL, 0, "[; %lld]", (long long)n) - 6;
    return room < a->columns / 2 ? a->columns / 2 : room;
}

static bool put_list(const Array *a, int64_t n) {
    int room = room_beside_type(a, n), width;
    bool whole = n <= a->columns && fitting(a, 0, n, room, &width) == n;
    put_words(a->out, "[");
    if (whole) {
        put_elements(a, 0, n);
    } else {
        int64_t last = n > LIST_TAIL ? n - LIST_TAIL : 1;
        while (last < n - 1 && fitting(a, last, n, room, &width) < n) last++; /* long ones: fewer, but the last */
        fitting(a, last, n, room, &width);
        int64_t shown = fitting(a, 0, last, room - width - 5, &width);
        put_elements(a, 0, shown);
        put_words(a->out, shown < last ? ", …, " : ", ");
        put_elements(a, last, n);
    }
    put_words(a->out, "]");
    return whole;
}

/* The rows or columns that are written, of n: all, or the first `head` and the last `n - tail`, with a gap between. */
typedef struct Shown {
    int64_t n, head, tail;
} Shown;

static Shown shown_of(int64_t n, int64_t most, int64_t edge) {
    return n <= most ? (Shown){n, n, n} : (Shown){n, edge, n - edge};
}

static int64_t shown_next(const Shown *s, int64_t i) { return i + 1 == s->head && s->tail > s->head ? s->tail : i + 1; }
static bool gap_before(const Shown *s, int64_t i) { return i == s->tail && s->tail > s->head; }

typedef struct Table {
    const Array *a;
    int64_t first; /* index of the element in its first row and column */
    Shown rows, columns;
    int width; /* of a column */
} Table;

static int64_t index_of(const Table *t, int64_t row, int64_t column) {
    return t->first + row * t->columns.n + column;
}

static void measure(Table *t) {
    t->width = 1;
    for (int64_t r = 0; r < t->rows.n; r = shown_next(&t->rows, r))
        for (int64_t c = 0; c < t->columns.n; c = shown_next(&t->columns, c)) {
            int width = width_of_element(t->a, index_of(t, r, c));
            if (width > t->width) t->width = width;
        }
}

static void put_row(const Table *t, int64_t row) {
    const Writer *o = t->a->out;
    bool left = o->spec->align == '<';
    for (int64_t c = 0; c < t->columns.n; c = shown_next(&t->columns, c)) {
        int64_t i = index_of(t, row, c);
        int blanks = t->width - width_of_element(t->a, i);
        if (gap_before(&t->columns, c)) put_words(o, "  …");
        put_words(o, "  ");
        if (!left) kdsl_put_fill(o->to, ' ', blanks);
        put_element(t->a, o, i);
        if (left && c + 1 < t->columns.n) kdsl_put_fill(o->to, ' ', blanks);
    }
}

/* The last two dimensions. True: all rows and columns are there. */
static bool put_table(const Array *a, int64_t first) {
    Table t = {.a = a, .first = first};
    t.rows = shown_of(a->extent[a->rank - 2], TABLE_ROWS, TABLE_EDGE);
    t.columns = shown_of(a->extent[a->rank - 1], TABLE_ROWS, TABLE_EDGE);
    measure(&t);
    int64_t fit = a->columns / (t.width + 2), shown = t.columns.n <= TABLE_ROWS ? t.columns.n : 2 * TABLE_EDGE;
    if (fit < shown) {
        int64_t edge = (fit - 1) / 2;
        t.columns = shown_of(t.columns.n, 0, edge < 1 ? 1 : edge);
        if (t.columns.head >= t.columns.tail) t.columns = (Shown){t.columns.n, t.columns.n, t.columns.n};
    }
    for (int64_t r = 0; r < t.rows.n; r = shown_next(&t.rows, r)) {
        if (r) put_words(a->out, "\n");
        if (gap_before(&t.rows, r)) {
            kdsl_put_fill(a->out->to, ' ', t.width + 1);
            put_words(a->out, "…\n");
        }
        put_row(&t, r);
    }
    return t.rows.head == t.rows.tail && t.columns.head == t.columns.tail;
}

/* The heading of a slice: `[0, 2, ..]`. */
static void put_heading(const Array *a, int64_t slice, const KdslLook *look) {
    int64_t index[MOST_RANK];
    for (int d = a->rank - 3; d >= 0; d--) {
        index[d] = slice % a->extent[d];
        slice /= a->extent[d];
    }
    put_words(a->out, look->dim ? look->dim : "");
    put_words(a->out, "[");
    for (int d = 0; d < a->rank - 2; d++) put_printed(a->out, "%lld, ", (long long)index[d]);
    put_words(a->out, "..]");
    put_words(a->out, look->plain ? look->plain : "");
    put_words(a->out, "\n");
}

static bool put_tables(const Array *a, int64_t count, const KdslLook *look) {
    int64_t size = a->extent[a->rank - 2] * a->extent[a->rank - 1], n = count / size;
    bool whole = n <= SLICES;
    for (int64_t i = 0; i < n && i < SLICES; i++) {
        if (i) put_words(a->out, "\n");
        if (a->rank > 2) put_heading(a, i, look);
        if (!put_table(a, i * size)) whole = false;
    }
    if (n > SLICES) put_printed(a->out, "\n  … %lld more", (long long)(n - SLICES));
    return whole;
}

static void put_array(const Writer *o, const Layout *l, const char *at, KdslLook *look) {
    Array a = {.out = o, .elem = read_layout(l->inner), .rank = l->rank, .columns = look->columns};
    memcpy(a.extent, l->extent, sizeof a.extent);
    if (l->kind == ARRAY) memcpy(a.extent, at + sizeof(void *), 8 * (size_t)l->rank);
    if (l->kind == ARRAY) memcpy(&at, at, sizeof at);
    a.at = at;
    int64_t n = 1;
    for (int d = 0; d < l->rank; d++) n *= a.extent[d];
    if (!n) {
        put_words(o, "[]");
    } else if (l->rank == 1) {
        look->is_whole = put_list(&a, n);
    } else {
        look->is_table = true;
        look->is_whole = put_tables(&a, n, look);
    }
}

void kdsl_put_value(const KdslSink *to, const char *type, const void *at, const KdslSpec *spec, KdslLook *look) {
    const Layout l = read_layout(type);
    const Writer o = {to, spec, l.kind == FIXED || l.kind == ARRAY};
    look->is_table = false;
    look->is_whole = true;
    if (o.six_digits) put_array(&o, &l, at, look);
    else put_one(&o, &l, at);
}
