/* memo.c -- memoisation of answers across checks (memo.h). The key is text: that of the function and of all that it
 * calls, directly or not, as written. A change of a declaration without a body (struct, const, import) empties the
 * table; comments and other functions do not matter. Answers that some checks in a row did not want are forgotten. */
#include "sema/memo.h"

#include <stdlib.h>
#include <string.h>

enum { N_CHAINS = 1024, MAX_AGE = 8 /* checks */ };

typedef struct Answer {
    struct Answer *next;
    uint64_t hash;
    Buf key, text;
    int last_wanted; /* number of a check */
} Answer;

struct Memo {
    Answer *chains[N_CHAINS];
    Buf declarations;
    int n_checks;
};

Memo *memo_new(void) {
    Memo *m = calloc(1, sizeof *m);
    if (!m) abort();
    return m;
}

static void drop(Memo *m, int older_than) {
    for (int i = 0; i < N_CHAINS; i++)
        for (Answer **at = &m->chains[i]; *at;) {
            Answer *a = *at;
            if (a->last_wanted >= older_than) {
                at = &a->next;
                continue;
            }
            *at = a->next;
            buf_free(&a->key);
            buf_free(&a->text);
            free(a);
        }
}

void memo_free(Memo *m) {
    if (!m) return;
    drop(m, m->n_checks + 1);
    buf_free(&m->declarations);
    free(m);
}

static void add_span(Sema *s, Buf *out, Span span) {
    const Source *of = source_place(&s->c->sources, span.lo).file;
    if (of) buf_add(out, of->text + (span.lo - of->base), span.hi - span.lo);
    buf_putc(out, 0);
}

static void add_declarations(Sema *s, Buf *out, const Module *m) {
    buf_printf(out, "%s:", m->key ? m->key : "");
    for (int i = 0; i < m->items.n; i++) {
        const Item *item = m->items.at[i];
        bool is_code = item->kind == ITEM_TEST || item->kind == ITEM_KERNEL || (item->kind == ITEM_FN && item->fn.body);
        if (!is_code) add_span(s, out, item->span);
    }
}

void memo_begin(Sema *s) {
    Memo *m = s->options ? s->options->memo : NULL;
    if (!m) return;
    Buf now = {0};
    for (int i = 0; i < s->in_order.n; i++)
        if (!s->in_order.at[i]->is_std) add_declarations(s, &now, s->in_order.at[i]);
    bool same = now.n == m->declarations.n && (!now.n || !memcmp(now.at, m->declarations.at, now.n));
    buf_free(&m->declarations);
    m->declarations = now;
    m->n_checks++;
    drop(m, same ? m->n_checks - MAX_AGE : m->n_checks + 1);
}

typedef Vec(const Func *) FuncList;

static void add_called(Sema *s, FuncList *list, const Func *f) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i] == f) return;
    vec_push(s->arena, list, f);
}

/* The function and what it calls, each once. A generic one has the same text for each of its types. */
static Buf key_of(Sema *s, const Func *f, const char *what, int param) {
    FuncList all = {0};
    Buf key = {0};
    buf_printf(&key, "%s %d", what, param);
    add_called(s, &all, f);
    for (int i = 0; i < all.n; i++) {
        const Func *g = all.at[i];
        buf_printf(&key, "%s:%s:", g->symbol, g->item->fn.bound ? g->item->fn.bound : "");
        if (!g->module->is_std) add_span(s, &key, g->item->span);
        for (int k = 0; k < g->facts->calls.n; k++) add_called(s, &all, g->facts->calls.at[k]->callee);
        for (int k = 0; k < g->facts->inlined.n; k++) add_called(s, &all, g->facts->inlined.at[k]->callee);
    }
    return key;
}

static uint64_t hash_of(const Buf *key) {
    uint64_t h = 0xCBF29CE484222325; /* FNV-1a */
    for (size_t i = 0; i < key->n; i++) h = (h ^ (unsigned char)key->at[i]) * 0x100000001B3;
    return h;
}

static Answer *search(Memo *m, const Buf *key, uint64_t hash) {
    for (Answer *a = m->chains[hash % N_CHAINS]; a; a = a->next)
        if (a->hash == hash && a->key.n == key->n && !memcmp(a->key.at, key->at, key->n)) return a;
    return NULL;
}

const char *memo_find(Sema *s, const Func *f, const char *what, int param) {
    Memo *m = s->options ? s->options->memo : NULL;
    if (!m) return NULL;
    Buf key = key_of(s, f, what, param);
    Answer *a = search(m, &key, hash_of(&key));
    buf_free(&key);
    if (!a) return NULL;
    a->last_wanted = m->n_checks;
    return a->text.at;
}

void memo_add(Sema *s, const Func *f, const char *what, int param, const char *answer) {
    Memo *m = s->options ? s->options->memo : NULL;
    if (!m) return;
    Answer *a = calloc(1, sizeof *a);
    if (!a) abort();
    a->key = key_of(s, f, what, param);
    a->hash = hash_of(&a->key);
    a->last_wanted = m->n_checks;
    buf_puts(&a->text, answer);
    a->next = m->chains[a->hash % N_CHAINS];
    m->chains[a->hash % N_CHAINS] = a;
}
