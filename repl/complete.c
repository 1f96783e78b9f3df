/* complete.c -- is this input finished? The grammar knows files, so what a user types is tried as each of the things
 * it may be, wrapped to make it one: the first form that parses wins. Left open at its end, a form tells whether more
 * text could help: then the parser fails at the end of the text and nowhere else. */
#include "repl/complete.h"

#include "base/base.h"
#include "parser/ast.h"

static const struct {
    const char *before, *after;
} forms[] = {
    {"", ""},                /* items: fn, kernel, const */
    {"fn it() {\n", "\n}"},  /* statements */
    {"const it =\n", "\n;"}, /* one expression */
};

typedef struct Attempt {
    bool parses, incomplete;
} Attempt;

static Attempt attempt(const char *before, const char *text, size_t n, const char *after) {
    Compiler c;
    Buf whole = {0};
    Attempt result = {0};
    compiler_init(&c);
    buf_puts(&whole, before);
    buf_add(&whole, text, n);
    buf_puts(&whole, after);
    Source *s = source_add(&c.sources, "input", whole.at, whole.n);
    if (s) {
        parse_source(&c, s, &result.incomplete);
        result.parses = c.diags.n_errors == 0;
        result.incomplete &= c.diags.n_errors <= 1; /* an error before the end is no matter of waiting */
    }
    buf_free(&whole);
    compiler_free(&c);
    return result;
}

InputState input_state(const char *text, size_t n) {
    enum { N_FORMS = sizeof forms / sizeof forms[0] };
    for (int i = 0; i < N_FORMS; i++)
        if (attempt(forms[i].before, text, n, forms[i].after).parses) return INPUT_COMPLETE;
    for (int i = 0; i < N_FORMS; i++)
        if (attempt(forms[i].before, text, n, "").incomplete) return INPUT_INCOMPLETE;
    return INPUT_WRONG;
}
