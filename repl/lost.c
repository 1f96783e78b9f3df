/* lost.c -- names that inputs declared in vain: the input had errors, or ended before the declaration. Later inputs
 * that use such a name are told so. The names are found by their tokens, since a text with syntax errors has no
 * tree. */
#include <string.h>

#include "parser/ast.h"
#include "repl/internal.h"

enum { MAX_LOST = 64 }; /* the oldest are forgotten */

static void lost_free(Lost *l) {
    free(l->name);
    text_drop(l->text);
}

void lost_clear(Session *s) {
    for (int i = 0; i < s->lost.n; i++) lost_free(&s->lost.at[i]);
    s->lost.n = 0;
}

void lost_forget(Session *s, const char *name) {
    int kept = 0;
    for (int i = 0; i < s->lost.n; i++) {
        if (strcmp(s->lost.at[i].name, name)) s->lost.at[kept++] = s->lost.at[i];
        else lost_free(&s->lost.at[i]);
    }
    s->lost.n = kept;
}

typedef struct Losing {
    Session *s;
    Text *text;
    uint32_t base;
} Losing;

void lost_add(Session *s, Text *text, const char *name, uint32_t lo, bool has_ended) {
    lost_forget(s, name);
    if (s->lost.n == MAX_LOST) {
        Lost *oldest = s->lost.at;
        lost_free(oldest);
        memmove(oldest, oldest + 1, sizeof *oldest * (size_t)--s->lost.n);
    }
    text->refs++;
    list_push(&s->lost, ((Lost){copy_text(name, strlen(name)), text, lo, has_ended}));
}

/* After an input with errors. */
static void lose(void *context, Name name, Span span) {
    Losing *l = context;
    lost_add(l->s, l->text, name, span.lo - l->base, false);
}

void lost_all(Session *s, Text *text) {
    Compiler c;
    compiler_init(&c);
    Source *source = source_add(&c.sources, text->path, text->at, text->n);
    if (source) input_names(&c, source, lose, &(Losing){s, text, source->base});
    compiler_free(&c);
}
