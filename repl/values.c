/* values.c -- the value that an input shows, that of its final expression: its memory and type. */
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
    v->layout = type_layout((Compiler *)&t->c, type);
}
