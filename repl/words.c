/* words.c -- completion: commands after a colon, members after a dot, else all names in scope. */
#include <ctype.h>
#include <string.h>

#include "lexer/lexer.h"
#include "repl/commands.h"
#include "repl/session.h"

static const char *const builtins[] = {
#define BUILTIN(id, name, ...) name,
#include "sema/builtin.def"
#undef BUILTIN
};

static const char *const types[] = {"bool", "i8",  "i16", "i32", "i64",  "index", "u8", "u16",
                                    "u32",  "u64", "f16", "f32", "bf16", "f64",   "str"};

/* The prefix to complete, and the list of words that have it. */
typedef struct Search {
    const char *prefix;
    size_t n;
    Words *out;
} Search;

static void offer(Search *s, const char *word) {
    if (!isalpha((unsigned char)*word) && *word != '_') return; /* an internal token of the parser */
    if (strncmp(word, s->prefix, s->n)) return;
    for (int i = 0; i < s->out->at.n; i++)
        if (!strcmp(s->out->at.at[i], word)) return;
    vec_push(&s->out->arena, &s->out->at, word);
}

static void offer_names(Search *s, Session *session) {
    SessionName name;
    for (int i = 0; session_name(session, i, &name); i++)
        offer(s, arena_strndup(&s->out->arena, name.name, strlen(name.name)));
    for (int kind = 1; kind < TOK__COUNT; kind++)
        if (token_info[kind].class == TOKEN_WORD || token_info[kind].class == TOKEN_SOFT)
            offer(s, token_info[kind].spelling);
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) offer(s, builtins[i]);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) offer(s, types[i]);
    for (int i = 0; drawing_names[i]; i++) offer(s, drawing_names[i]);
}

/* Start of the expression before the dot at `dot`: names, dots, and brackets after a name. */
static size_t expression_start(const char *text, size_t dot) {
    size_t at = dot;
    int open = 0;
    while (at > 0) {
        char c = text[at - 1];
        bool opens = c == '[' || c == '(';
        if (opens && !open) break;
        if (opens) open--;
        else if (c == ']' || c == ')') open++;
        else if (!open && !isalnum((unsigned char)c) && c != '_' && c != '.') break;
        at--;
    }
    return at;
}

static void offer_members(Search *s, Session *session, const char *text, size_t dot) {
    size_t from = expression_start(text, dot);
    if (from == dot || isdigit((unsigned char)text[from])) return;
    const char *const *members = session_members(session, arena_strndup(&s->out->arena, text + from, dot - from));
    for (; members && *members; members++) offer(s, arena_strndup(&s->out->arena, *members, strlen(*members)));
}

static size_t command_length(const char *text, size_t n) {
    size_t i = 1;
    while (i < n && isalpha((unsigned char)text[i])) i++;
    return i;
}

/* True after :load and :save, and in the string after `to`. */
bool words_want_files(const char *text, size_t n) {
    if (n && *text == ':') {
        size_t word = command_length(text, n);
        return word < n && (!strncmp(text, ":load", word) || !strncmp(text, ":save", word)) && word > 2;
    }
    int quotes = 0;
    size_t opener = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '"') quotes++, opener = i;
    while (opener && text[opener - 1] == ' ') opener--;
    return quotes % 2 && opener >= 3 && !strncmp(text + opener - 3, " to", 3);
}

void words_for(Session *session, const char *text, size_t n, size_t start, Words *out) {
    *out = (Words){.files = words_want_files(text, n)};
    Search s = {text + start, n - start, out};
    if (out->files) return;
    if (*text == ':' && start <= 1) {
        for (int i = 0; i < COMMAND__COUNT; i++) offer(&s, command_info[i].name);
    } else if (start && text[start - 1] == '.') {
        offer_members(&s, session, text, start - 1);
    } else {
        offer_names(&s, session);
    }
}

void words_free(Words *w) {
    arena_free(&w->arena);
    *w = (Words){0};
}
