/* declarations.c -- the declarations of a session: functions, kernels, structs, constants and imports, as source texts
 * with generations. The code of a declaration depends on the generations of all declarations to which its text refers,
 * directly or not (its closure). */
#include <string.h>

#include "lexer/lexer.h"
#include "repl/internal.h"

void *list_grow(void *at, int n, int *cap, size_t elem_bytes) {
    if (n < *cap) return at;
    *cap = *cap ? 2 * *cap : 8;
    void *more = realloc(at, elem_bytes * (size_t)*cap);
    if (!more) ice(NULL, (Span){0}, "out of memory");
    return more;
}

char *copy_text(const char *text, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy) ice(NULL, (Span){0}, "out of memory");
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

Text *text_new(const char *path, const char *at, size_t n) {
    Text *t = malloc(sizeof *t);
    if (!t) ice(NULL, (Span){0}, "out of memory");
    *t = (Text){copy_text(path, strlen(path)), copy_text(at, n), n, 1};
    return t;
}

void text_drop(Text *t) {
    if (!t || --t->refs) return;
    free(t->path);
    free(t->at);
    free(t);
}

/* Declarations ----------------------------------------------------------------------------------------------------- */

static bool has_word(const Decl *d, const char *word) {
    for (int i = 0; i < d->words.n; i++)
        if (!strcmp(d->words.at[i], word)) return true;
    return false;
}

static void read_words(Decl *d, Compiler *c) {
    Source *s = source_add(&c->sources, d->text->path, d->text->at + d->lo, d->hi - d->lo);
    if (!s) return;
    Lexer lx;
    lex_init(&lx, c, s);
    for (Token t; (t = lex_next(&lx)).kind != TOK_END;)
        if (t.kind == TOK_ID && !has_word(d, t.name)) list_push(&d->words, copy_text(t.name, strlen(t.name)));
}

/* The signature as source text: "(x: &[f32; n]) over i in n". */
static char *shape_of(const Item *i, const Source *s) {
    if (i->kind != ITEM_FN && i->kind != ITEM_KERNEL) return copy_text("", 0);
    uint32_t lo = i->name_span.hi, hi = i->fn.body ? i->fn.body->span.lo : i->span.hi - 1;
    while (hi > lo && strchr(" \t\r\n", s->text[hi - 1 - s->base])) hi--;
    return copy_text(s->text + (lo - s->base), hi - lo);
}

Decl *decl_new(Session *s, Compiler *c, Text *t, int item, const Item *i) {
    Decl *d = calloc(1, sizeof *d);
    if (!d) ice(NULL, (Span){0}, "out of memory");
    const Source *source = source_place(&c->sources, i->span.lo).file;
    d->name = copy_text(i->name, strlen(i->name));
    d->kind = i->kind;
    d->text = t;
    t->refs++;
    d->item = item;
    d->lo = i->span.lo - source->base;
    d->hi = i->span.hi - source->base;
    d->generation = ++s->n_generations;
    d->shape = shape_of(i, source);
    d->source = copy_text(t->at + d->lo, d->hi - d->lo);
    read_words(d, c);
    return d;
}

void decl_free(Decl *d) {
    for (int i = 0; i < d->words.n; i++) free(d->words.at[i]);
    free(d->words.at);
    free(d->name);
    free(d->shape);
    free(d->source);
    text_drop(d->text);
    free(d);
}

Decl *decl_find(const Session *s, const char *name) {
    for (int i = 0; i < s->decls.n; i++)
        if (!strcmp(s->decls.at[i]->name, name)) return s->decls.at[i];
    return NULL;
}

static bool in_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* True if the word occurs as a whole identifier. */
bool mentions(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !in_word(at[-1])) && !in_word(at[n])) return true;
    return false;
}

bool decl_is(const Decl *d, ItemKind kind, const char *source) { return d->kind == kind && !strcmp(d->source, source); }

/* Adds or replaces a declaration. With an unchanged text, as when a file is loaded again, it keeps its generation, so
 * its code is reused. */
void decl_add(Session *s, Decl *d) {
    for (int i = 0; i < s->decls.n; i++) {
        if (strcmp(s->decls.at[i]->name, d->name)) continue;
        if (decl_is(s->decls.at[i], d->kind, d->source)) d->generation = s->decls.at[i]->generation;
        decl_free(s->decls.at[i]);
        s->decls.at[i] = d;
        return;
    }
    list_push(&s->decls, d);
}

/* Dependences ------------------------------------------------------------------------------------------------------ */

static void reach(const Session *s, Closure *c, const char *word) {
    const Decl *d = decl_find(s, word);
    if (!d) return;
    for (int i = 0; i < c->decls.n; i++)
        if (c->decls.at[i] == d) return;
    list_push(&c->decls, d);
    c->has_module |= d->kind == ITEM_IMPORT;
}


/* words: source text with names, such as "clamp<Point>". */
Closure closure_of(const Session *s, const char *words) {
    Closure c = {0};
    while (*words) {
        const char *end = words;
        while (in_word(*end)) end++;
        char *word = copy_text(words, (size_t)(end - words));
        reach(s, &c, word);
        free(word);
        words = *end ? end + 1 : end;
    }
    for (int i = 0; i < c.decls.n; i++)
        for (int k = 0; k < c.decls.at[i]->words.n; k++) reach(s, &c, c.decls.at[i]->words.at[k]);
    return c;
}

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x100000001b3u; }

uint64_t closure_hash(const Closure *c, const char *symbol, uint64_t modules) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *symbol; symbol++) h = mix(h, (unsigned char)*symbol);
    for (int i = 0; i < c->decls.n; i++) h = mix(h, (uint64_t)c->decls.at[i]->generation);
    return mix(h, modules);
}

void closure_free(Closure *c) { free(c->decls.at); }
