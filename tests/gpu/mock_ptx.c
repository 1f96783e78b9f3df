/* mock_ptx.c -- what PTX says of its kernels: their parameters, bounds and shared memory, and the globals. It reads the
   declarations that compilers write; of what is between a function's braces only variables and the names that occur. */
#define _GNU_SOURCE
#include "tests/gpu/mock.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHARED = 512 };

typedef struct {
    const char *at;
    char token[MOCK_NAME]; /* empty at the end */
    MockImage *image;
    struct { /* variables in shared memory, at file scope: a kernel has those that it names */
        char name[MOCK_NAME];
        uint32_t n_bytes, align;
    } shared[MAX_SHARED];
    int n_shared;
    const char *error;
} Reader;

static const char *skip_blanks(const char *at) {
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*') at = strstr(at, "*/") ? strstr(at, "*/") + 2 : at + strlen(at);
        else return at;
    }
}

static bool in_word(char c) { return isalnum((unsigned char)c) || strchr("_$%.", c); }

static const char *next(Reader *r) {
    r->at = skip_blanks(r->at);
    size_t n = 0;
    if (*r->at == '"') n = 1 + strcspn(r->at + 1, "\"") + 1;
    else if (*r->at) {
        while (r->at[n] && in_word(r->at[n])) n++;
        if (!n) n = 1;
    }
    snprintf(r->token, sizeof r->token, "%.*s", (int)n, r->at);
    r->at += n;
    return r->token;
}

static bool is(const Reader *r, const char *token) { return !strcmp(r->token, token); }

/* Bytes of .u8 .b16 .f32 .f16x2 ...; 0 for what is no type. */
static uint32_t type_bytes(const char *token) {
    if (token[0] != '.' || !token[1] || !strchr("busf", token[1])) return 0;
    char *end;
    unsigned long bits = strtoul(token + 2, &end, 10);
    unsigned long many = *end == 'x' ? strtoul(end + 1, &end, 10) : 1;
    return *end ? 0 : (uint32_t)(bits * many / 8);
}

typedef struct {
    char name[MOCK_NAME], type[24];
    uint32_t element_bytes, align;
    uint64_t n_bytes;
} Variable;

/* After the word for the space: `.align 4 .b8 name[12]`, `.u64 .ptr .global .align 4 name`. The token after it is
   read. */
static Variable read_variable(Reader *r) {
    Variable v = {.align = 0};
    bool is_pointer = false;
    while (*next(r) == '.') {
        uint32_t n_bytes = type_bytes(r->token);
        if (is(r, ".align")) {
            uint32_t align = (uint32_t)strtoul(next(r), NULL, 10);
            if (!is_pointer) v.align = align; /* else it is of what the pointer points to */
        } else if (is(r, ".ptr")) is_pointer = true;
        else if (n_bytes) v.element_bytes = n_bytes, snprintf(v.type, sizeof v.type, "%.20s", r->token + 1);
    }
    if (is_pointer) strncat(v.type, ".ptr", sizeof v.type - strlen(v.type) - 1);
    if (!v.align) v.align = v.element_bytes;
    snprintf(v.name, sizeof v.name, "%s", r->token);
    v.n_bytes = v.element_bytes;
    while (*next(r) == '[') {
        v.n_bytes *= strtoull(next(r), NULL, 0); /* `[]`, of what the launch adds: no bytes */
        if (!is(r, "]")) next(r);
    }
    if (!v.element_bytes) r->error = "a variable without a type";
    return v;
}

/* = 5 or = {1, 2, 3}: numbers one after the other, as large as an element; names, which are addresses, stay 0. */
static void read_initial(Reader *r, MockGlobal *g, const Variable *v) {
    if (!is(r, "=")) return;
    char *bytes = calloc(1, v->n_bytes + 8);
    uint64_t at = 0;
    for (next(r); *r->token && !is(r, ";") && at + v->element_bytes <= v->n_bytes; next(r)) {
        if (is(r, "{") || is(r, "}") || is(r, ",")) continue;
        bool minus = is(r, "-");
        const char *digits = minus ? next(r) : r->token;
        uint64_t value = !strncmp(digits, "0f", 2) || !strncmp(digits, "0d", 2) ? strtoull(digits + 2, NULL, 16)
                                                                                : strtoull(digits, NULL, 0);
        if (minus) value = -value;
        memcpy(bytes + at, &value, v->element_bytes);
        at += v->element_bytes;
    }
    g->initial = bytes;
}

static void read_global(Reader *r) {
    Variable v = read_variable(r);
    read_initial(r, mock_add_global(r->image, v.name, v.n_bytes), &v);
}

static void add_shared(MockKernel *k, uint64_t n_bytes, uint32_t align) {
    if (align) k->shared_bytes = (k->shared_bytes + align - 1) / align * align;
    k->shared_bytes += (uint32_t)n_bytes;
}

static void read_shared(Reader *r, MockKernel *k) {
    Variable v = read_variable(r);
    if (k) add_shared(k, v.n_bytes, v.align);
    else if (v.n_bytes && r->n_shared < MAX_SHARED) {
        snprintf(r->shared[r->n_shared].name, MOCK_NAME, "%s", v.name);
        r->shared[r->n_shared].n_bytes = (uint32_t)v.n_bytes;
        r->shared[r->n_shared++].align = v.align;
    }
}

/* Between the braces; `k` is NULL for a function that kernels call. */
static void read_body(Reader *r, MockKernel *k) {
    bool seen[MAX_SHARED] = {false};
    for (int depth = 1; depth && *next(r);) {
        depth += is(r, "{") - is(r, "}");
        if (!k) continue;
        if (is(r, ".shared")) read_shared(r, k);
        for (int i = 0; i < r->n_shared; i++)
            if (!seen[i] && is(r, r->shared[i].name))
                seen[i] = true, add_shared(k, r->shared[i].n_bytes, r->shared[i].align);
    }
    if (!is(r, "}")) r->error = "a function that does not end";
}

/* .maxntid 256, 1, 1 */
static uint32_t read_threads(Reader *r) {
    uint32_t n = 1;
    while (isdigit((unsigned char)*next(r)) || is(r, ",")) n *= is(r, ",") ? 1 : (uint32_t)strtoul(r->token, NULL, 10);
    return n;
}

static void read_entry(Reader *r) {
    MockKernel *k = mock_add_kernel(r->image, next(r));
    if (is(r, "")) r->error = "a kernel without a name";
    next(r);
    while (*r->token && !is(r, "{") && !is(r, ";")) {
        if (is(r, ".maxntid") || is(r, ".reqntid")) {
            k->max_threads = read_threads(r);
            continue;
        }
        if (is(r, ".param")) {
            Variable v = read_variable(r);
            mock_add_param(k, (uint32_t)v.n_bytes, v.align, v.type);
        } else next(r);
    }
    if (is(r, "{")) read_body(r, k);
    else r->error = "a kernel without a body";
}

static void read_function(Reader *r) {
    while (*next(r) && !is(r, "{") && !is(r, ";")) {}
    if (is(r, "{")) read_body(r, NULL);
}

MockImage *mock_read_ptx(const char *text, const char **why) {
    Reader *r = calloc(1, sizeof *r);
    r->at = text;
    r->image = calloc(1, sizeof *r->image);
    strcpy(r->image->kind, "ptx");
    r->image->text = strdup(text);
    if (strcmp(next(r), ".version")) r->error = "no `.version`";
    while (!r->error && *next(r)) {
        if (is(r, ".target")) snprintf(r->image->arch, sizeof r->image->arch, "%.30s", next(r));
        else if (is(r, ".global") || is(r, ".const")) read_global(r);
        else if (is(r, ".shared")) read_shared(r, NULL);
        else if (is(r, ".entry")) read_entry(r);
        else if (is(r, ".func")) read_function(r);
    }
    if (!r->error && !*r->image->arch) r->error = "no `.target`";
    MockImage *image = r->image;
    *why = r->error;
    free(r);
    if (!*why) return image;
    mock_free_image(image);
    return NULL;
}
