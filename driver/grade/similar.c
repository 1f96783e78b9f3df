/* similar.c -- submissions with the same text, and others that are alike, by winnowing (Schleimer, Wilkerson, Aiken,
 * SIGMOD 2003), as MOSS does it: each text is a sequence of tokens in which names and numbers are all the same, so
 * that renaming and formatting change nothing; of each window of hashed k-grams the least hash is a fingerprint; and
 * two texts are as alike as the fingerprints that they share. Those of the exercise's own text, and those that most
 * submissions have, are left out. */
#include <stdlib.h>
#include <string.h>

#include "driver/grade/grade.h"
#include "lexer/lexer.h"

enum { K = 10, WINDOW = 6, FEW = 4, LEAST_SHARED = 4 }; /* FEW: what more texts than this, and half of all, have is the
                                                          * usual way to write it; fewer shared prints say nothing */

typedef struct Print { /* a fingerprint */
    uint64_t hash;
    int text, line, last_line;
} Print;
typedef Vec(Print) Prints;

typedef struct Word {
    int kind, line;
    uint64_t spelling; /* its hash */
} Word;
typedef Vec(Word) Words;

static const uint64_t FNV_BASIS = 14695981039346656037u, FNV_PRIME = 1099511628211u; /* FNV-1a */

static uint64_t hash_of_bytes(const char *at, size_t n) {
    uint64_t h = FNV_BASIS;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)at[i]) * FNV_PRIME;
    return h;
}

static Words words_of(Compiler *c, const char *text) {
    Words words = {0};
    Lexer lx;
    Source *s = source_add(&c->sources, "submission", text, strlen(text));
    if (!s) return words;
    lex_init(&lx, c, s);
    for (Token t = lex_next(&lx); t.kind != TOK_END; t = lex_next(&lx))
        vec_push(&c->arena, &words,
                 ((Word){t.kind, source_place(&c->sources, t.span.lo).line,
                         hash_of_bytes(s->text + (t.span.lo - s->base), t.span.hi - t.span.lo)}));
    return words;
}

static uint64_t hash_of(const Word *at) {
    uint64_t h = FNV_BASIS;
    for (int i = 0; i < K; i++) h = (h ^ (uint64_t)at[i].kind) * FNV_PRIME;
    return h ^ h >> 29;
}

/* The rightmost least hash of each window. */
static void add_prints(Arena *arena, const Words *w, int text, Prints *out) {
    int n = w->n - K + 1, taken = -1;
    uint64_t *hash = arena_array(arena, uint64_t, n > 0 ? n : 1);
    for (int i = 0; i < n; i++) hash[i] = hash_of(&w->at[i]);
    for (int start = 0; start == 0 || start + WINDOW <= n; start++) {
        int best = start;
        for (int i = start; i < start + WINDOW && i < n; i++)
            if (hash[i] <= hash[best]) best = i;
        if (n <= 0 || best == taken) continue;
        taken = best;
        vec_push(arena, out, ((Print){hash[best], text, w->at[best].line, w->at[best + K - 1].line}));
    }
}

static int by_hash(const void *a, const void *b) {
    const Print *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->text != y->text ? (x->text < y->text ? -1 : 1) : (x->line > y->line) - (x->line < y->line);
}

typedef struct Table {
    Arena *arena;
    int n;          /* texts */
    int *shared;    /* by pair: fingerprints that both have */
    int *own;       /* by text: fingerprints that count */
    Prints prints;  /* those that count, by hash */
} Table;

static int n_texts(const Print *at, int n) {
    int texts = 0;
    for (int i = 0; i < n; i++) texts += i == 0 || at[i].text != at[i - 1].text;
    return texts;
}

/* Equal hashes, at[0..n): each text once. */
static void count_group(Table *t, const Print *at, int n) {
    int most = t->n / 2 > FEW ? t->n / 2 : FEW, texts = n_texts(at, n);
    if (at[0].text < 0 || texts > most) return; /* -1: the exercise's own text */
    for (int i = 0; i < n; i++) {
        vec_push(t->arena, &t->prints, at[i]);
        if (i && at[i].text == at[i - 1].text) continue;
        t->own[at[i].text]++;
        for (int k = i + 1; k < n; k++)
            if (at[k].text != at[k - 1].text) t->shared[at[i].text * t->n + at[k].text]++;
    }
}

static void add_line(Arena *arena, Alike *x, int side, int line) {
    int n = x->lines[side].n;
    if (!n || x->lines[side].at[n - 1] != line) vec_push(arena, &x->lines[side], line);
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sort_lines(Alike *x, int side) {
    int n = 0, *at = x->lines[side].at;
    if (x->lines[side].n) qsort(at, (size_t)x->lines[side].n, sizeof *at, by_number);
    for (int i = 0; i < x->lines[side].n; i++)
        if (!n || at[n - 1] != at[i]) at[n++] = at[i];
    x->lines[side].n = n;
}

static void find_lines(Arena *arena, const Table *t, Alike *x) {
    for (int i = 0; i < t->prints.n;) {
        int end = i;
        bool has[2] = {false, false};
        for (; end < t->prints.n && t->prints.at[end].hash == t->prints.at[i].hash; end++) {
            has[0] |= t->prints.at[end].text == x->a;
            has[1] |= t->prints.at[end].text == x->b;
        }
        for (; i < end; i++) {
            const Print *p = &t->prints.at[i];
            int side = p->text == x->a ? 0 : p->text == x->b ? 1 : -1;
            for (int line = p->line; side >= 0 && has[0] && has[1] && line <= p->last_line; line++)
                add_line(arena, x, side, line);
        }
    }
    sort_lines(x, 0);
    sort_lines(x, 1);
}

static int by_part(const void *a, const void *b) {
    const Alike *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? 1 : -1;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

static bool is_same(const Words *a, const Words *b) {
    if (a->n != b->n || !a->n) return false;
    for (int i = 0; i < a->n; i++)
        if (a->at[i].spelling != b->at[i].spelling) return false;
    return true;
}

/* The first of the texts before the n-th that is the same; n: there is none. Adds it to their group. */
static int same_before(Arena *arena, const Words *words, int n, Sames *same) {
    int first = 0;
    while (first < n && !is_same(&words[first], &words[n])) first++;
    if (first == n) return n;
    int at = 0;
    while (at < same->n && same->at[at].who.at[0] != first) at++;
    if (at == same->n) {
        vec_push(arena, same, ((Same){0}));
        vec_push(arena, &same->at[at].who, first);
    }
    vec_push(arena, &same->at[at].who, n);
    return first;
}

void similar_find(Arena *arena, const char *const *text, const char *skeleton, double least, Class *class) {
    Compiler own;
    Prints all = {0};
    Alikes pairs = {0};
    int n = class->n;
    compiler_init(&own);
    Words *words = arena_array(&own.arena, Words, n), given = {0};
    if (skeleton) given = words_of(&own, skeleton), add_prints(&own.arena, &given, -1, &all);
    for (int i = 0; i < n; i++) {
        words[i] = words_of(&own, text[i]);
        if (same_before(arena, words, i, &class->same) == i) add_prints(&own.arena, &words[i], i, &all);
    }
    if (all.n) qsort(all.at, (size_t)all.n, sizeof *all.at, by_hash);
    Table t = {&own.arena, n, arena_array(&own.arena, int, n * n), arena_array(&own.arena, int, n), {0}};
    for (int i = 0; i < all.n;) {
        int end = i;
        while (end < all.n && all.at[end].hash == all.at[i].hash) end++;
        count_group(&t, &all.at[i], end - i);
        i = end;
    }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            int smaller = t.own[a] < t.own[b] ? t.own[a] : t.own[b], shared = t.shared[a * n + b];
            if (shared < LEAST_SHARED || shared < least * smaller) continue;
            vec_push(arena, &pairs, ((Alike){.a = a, .b = b, .part = (double)shared / smaller}));
        }
    if (pairs.n) qsort(pairs.at, (size_t)pairs.n, sizeof *pairs.at, by_part);
    for (int i = 0; i < pairs.n; i++) find_lines(arena, &t, &pairs.at[i]);
    class->alike = pairs;
    compiler_free(&own);
}
