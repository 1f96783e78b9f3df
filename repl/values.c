/* values.c -- the value that an input shows, that of its final expression: memory, type and text. */
#include <stdio.h>
#include <string.h>

#include "repl/internal.h"

/* Text of variables ------------------------------------------------------------------------------------------------ */

static uint32_t text_hash(const char *at) {
    uint32_t h = 2166136261u;
    for (; *at; at++) h = (h ^ (unsigned char)*at) * 16777619u;
    return h;
}

static char **text_slot(Session *s, const char *text) {
    uint32_t i = text_hash(text) & (s->texts.cap - 1);
    while (s->texts.at[i] && strcmp(s->texts.at[i], text)) i = (i + 1) & (s->texts.cap - 1);
    return &s->texts.at[i];
}

static void texts_grow(Session *s) {
    char **old = s->texts.at;
    uint32_t n = s->texts.cap;
    s->texts.cap = n ? 2 * n : 64;
    s->texts.at = calloc(s->texts.cap, sizeof *s->texts.at);
    if (!s->texts.at) ice(NULL, (Span){0}, "out of memory");
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) *text_slot(s, old[i]) = old[i];
    free(old);
}

const char *session_keep_text(Session *s, const char *at, size_t n) {
    char *text = copy_text(at, n);
    if (2 * s->texts.n >= s->texts.cap) texts_grow(s);
    char **slot = text_slot(s, text);
    if (*slot) {
        free(text);
        return *slot;
    }
    s->texts.n++;
    return *slot = text;
}

/* The elements of array constants. */
const void *session_keep_bytes(Session *s, const void *at, size_t n) {
    enum { ALIGN = 64 };
    for (int i = 0; i < s->bytes.n; i++)
        if (s->bytes.at[i].n == n && !memcmp(s->bytes.at[i].at, at, n)) return s->bytes.at[i].at;
    void *copy = aligned_alloc(ALIGN, (n + ALIGN) / ALIGN * ALIGN);
    if (!copy) ice(NULL, (Span){0}, "out of memory");
    memcpy(copy, at, n);
    KeptBytes kept = {copy, n};
    list_push(&s->bytes, kept);
    return copy;
}

/* The value -------------------------------------------------------------------------------------------------------- */

static const Stmt *shown(const Trial *t) {
    if (!t->module->input) return NULL;
    const Block *body = t->module->input->fn.body;
    const Stmt *last = body->stmts.n ? body->stmts.at[body->stmts.n - 1] : NULL;
    return last && last->kind == STMT_EXPR && last->expr.is_shown ? last : NULL;
}

/* Calls visit(s, data) for each array that a value of this type owns. */
static void each_array(Session *s, const Type *t, void *at, void (*visit)(Session *s, void *data)) {
    if (t->kind == TY_ARRAY) visit(s, *(void **)at);
    for (int i = 0; type_owns(t) && i < t->n_fields; i++)
        each_array(s, t->fields[i].type, (char *)at + t->fields[i].offset, visit);
}

static void free_array(Session *s, void *data) {
    void (*array_free)(void *) = (void (*)(void *))(uintptr_t)jit_runtime(s->jit, "kdsl_array_free");
    if (array_free) array_free(data);
}

void value_drop(Session *s) {
    if (s->value.owned && s->value.type) each_array(s, s->value.type, s->value.at, free_array);
    s->value.type = NULL;
    s->value.owned = false;
    free(s->value.type_text);
    s->value.type_text = NULL;
}

void value_begin(Session *s, const Trial *t) {
    enum { LEAST = 64, ALIGN = 64 };
    const Stmt *st = shown(t);
    if (!st) return;
    const Type *type = st->expr.expr->type;
    size_t need = type->kind == TY_VOID ? LEAST : (size_t)type_size_bytes(type);
    need = (need + ALIGN) / ALIGN * ALIGN;
    if (need > s->value.room) {
        free(s->value.at);
        s->value.at = aligned_alloc(ALIGN, s->value.room = need);
        if (!s->value.at) ice(NULL, (Span){0}, "out of memory");
    }
    memset(s->value.at, 0, s->value.room);
    s->value.type = type;
    s->value.owned = !shown_variable(st) && (type->kind == TY_ARRAY || type_owns(type));
}

static void keep(Session *s, void *data) { jit_keep(s->jit, data); }

void value_keep(Session *s) {
    if (s->value.owned && s->value.type) each_array(s, s->value.type, s->value.at, keep);
}

/* The fields of a variable that owns arrays are stored separately: copies them to a value of its type. */
static void gather(const Symbol *sym, void *const *leaves, char *to) {
    if (!sym->parts) {
        memcpy(to, leaves[kept_facts(sym)->number - 1], (size_t)type_size_bytes(sym->type));
        return;
    }
    for (int i = 0; i < sym->n_parts; i++) gather(sym->parts[i], leaves, to + sym->type->fields[i].offset);
}

static char *type_text(const Type *t, const int64_t *extents) {
    Buf b = {0};
    if (t->kind != TY_ARRAY) {
        buf_puts(&b, t->name);
        return b.at;
    }
    buf_printf(&b, "[%s; ", t->elem->name);
    for (int d = 0; d < t->rank; d++) buf_printf(&b, "%s%lld", d ? ", " : "", (long long)extents[d]);
    buf_puts(&b, "]");
    return b.at;
}

void value_tell(Session *s, const Trial *t, void *const *leaves, SessionValue *v) {
    const Stmt *st = shown(t);
    *v = (SessionValue){.type = "", .element = ""};
    if (!st || st->expr.expr->type->kind == TY_VOID) return;
    const Type *type = s->value.type;
    const Symbol *sym = shown_variable(st);
    if (sym) gather(sym, leaves, s->value.at);
    v->at = s->value.at;
    v->element = type->kind == TY_ARRAY ? type->elem->name : type->name;
    if (type->kind == TY_ARRAY) {
        v->rank = type->rank;
        memcpy(v->extents, (char *)s->value.at + sizeof(void *), sizeof(int64_t) * (size_t)type->rank);
        v->at = *(void **)s->value.at;
    }
    v->type = s->value.type_text = type_text(type, v->extents);
}

/* Formatting ------------------------------------------------------------------------------------------------------- */

typedef struct Writer {
    void (*i64)(int64_t, int32_t, int32_t, int32_t, int32_t, int32_t);
    void (*u64)(uint64_t, int32_t, int32_t, int32_t, int32_t);
    void (*f64)(double, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
    const char *(*format)(void);
} Writer;

static double float_value(const Type *t, const void *at) {
    if (t->kind == TY_F64) return *(const double *)at;
    if (t->kind == TY_F32) return *(const float *)at;
    uint16_t bits = *(const uint16_t *)at;
    if (t->kind == TY_F16) {
        _Float16 half;
        memcpy(&half, at, sizeof half);
        return (double)half;
    }
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

static int64_t int_value(const Type *t, const void *at) {
    switch (t->bits) {
    case 8: return t->is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
    case 16: return t->is_signed ? *(const int16_t *)at : *(const uint16_t *)at;
    case 32: return t->is_signed ? (int64_t)*(const int32_t *)at : (int64_t)*(const uint32_t *)at;
    }
    return *(const int64_t *)at;
}

static void write_number(const Writer *w, const Type *t, const void *at, Buf *out) {
    if (t->is_float) w->f64(float_value(t, at), t->bits == 64 ? 64 : 32, 0, -1, 0, 0, 0);
    else if (t->is_signed) w->i64(int_value(t, at), t->bits, 0, 0, 0, 0);
    else w->u64((uint64_t)int_value(t, at), 0, 0, 0, 0);
    char *text = (char *)(uintptr_t)w->format();
    buf_puts(out, text);
    free(text);
}

static void write_str(const char *text, Buf *out) {
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') buf_putc(out, '\\');
        if (*text == '\n') buf_puts(out, "\\n");
        else if (*text == '\t') buf_puts(out, "\\t");
        else buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

static void write_value(const Writer *w, const Type *t, const void *at, Buf *out);

static void write_list(const Writer *w, const Type *elem, int64_t n, const char *at, Buf *out) {
    enum { MOST = 8 };
    buf_putc(out, '[');
    for (int64_t i = 0; i < n && i < MOST; i++) {
        if (i) buf_puts(out, ", ");
        write_value(w, elem, at + i * type_size_bytes(elem), out);
    }
    if (n > MOST) buf_printf(out, ", ... %lld in all", (long long)n);
    buf_putc(out, ']');
}

static void write_struct(const Writer *w, const Type *t, const char *at, Buf *out) {
    buf_printf(out, "%s(", t->name);
    for (int i = 0; i < t->n_fields; i++) {
        buf_printf(out, "%s%s: ", i ? ", " : "", t->fields[i].name);
        write_value(w, t->fields[i].type, at + t->fields[i].offset, out);
    }
    buf_putc(out, ')');
}

static void write_array(const Writer *w, const Type *t, const char *at, Buf *out) {
    const int64_t *extents = (const int64_t *)(at + sizeof(void *));
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++) n *= extents[d];
    write_list(w, t->elem, n, *(const char *const *)at, out);
}

static void write_value(const Writer *w, const Type *t, const void *at, Buf *out) {
    int64_t n = 1;
    switch (t->kind) {
    case TY_BOOL: buf_puts(out, *(const uint8_t *)at ? "true" : "false"); return;
    case TY_STR: write_str(*(const char *const *)at, out); return;
    case TY_STRUCT: write_struct(w, t, at, out); return;
    case TY_ARRAY: write_array(w, t, at, out); return;
    case TY_VECTOR:
        buf_printf(out, "%s(", t->name);
        for (int i = 0; i < t->width; i++) {
            if (i) buf_puts(out, ", ");
            write_value(w, t->elem, (const char *)at + i * type_size_bytes(t->elem), out);
        }
        buf_putc(out, ')');
        return;
    case TY_FIXED:
        for (int d = 0; d < t->rank; d++) n *= t->extent[d];
        write_list(w, t->elem, n, at, out);
        return;
    case TY_ERROR: case TY_VOID: case TY_I8: case TY_I16: case TY_I32: case TY_I64: case TY_U8: case TY_U16:
    case TY_U32: case TY_U64: case TY_INDEX: case TY_F16: case TY_BF16: case TY_F32: case TY_F64: case TY_INT_LITERAL:
    case TY_FLOAT_LITERAL: case TY__COUNT: break;
    }
    write_number(w, t, at, out);
}

void session_value_text(Session *s, const SessionValue *v, int64_t i, Buf *out) {
    const Type *t = s->value.type;
    if (!t || !v->at) return;
    Writer w = {.i64 = jit_runtime(s->jit, "kdsl_text_i64"), .u64 = jit_runtime(s->jit, "kdsl_text_u64"),
                .f64 = jit_runtime(s->jit, "kdsl_text_f64"), .format = jit_runtime(s->jit, "kdsl_text_format")};
    if (t->kind == TY_ARRAY) write_value(&w, t->elem, (const char *)v->at + i * type_size_bytes(t->elem), out);
    else write_value(&w, t, v->at, out);
}
