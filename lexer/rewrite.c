/* rewrite.c -- expressions of other languages, rewritten in the text. The operands of `c ? a : b` and `a if c else b`
 * are found there, because the parser has read the first one as an expression of its own; only one line is searched. */
#include "lexer/lexer.h"

#include <string.h>

static bool is_blank(char ch) { return ch == ' ' || ch == '\t'; }
static bool opens(char ch) { return ch == '(' || ch == '[' || ch == '{'; }
static bool closes(char ch) { return ch == ')' || ch == ']' || ch == '}'; }

/* `=` of an assignment, not of a comparison. */
static bool assigns(const char *begin, const char *at) {
    return *at == '=' && at[1] != '=' && !(at > begin && strchr("=!<>", at[-1]));
}

uint32_t lex_expression_before(const Source *s, uint32_t offset) {
    const char *begin = s->text, *hi = begin + (offset - s->base), *at = hi;
    for (int depth = 0; at > begin; at--) {
        char ch = at[-1];
        if (ch == '\n') break;
        if (ch == '"') {
            do at--;
            while (at - 1 > begin && at[-1] != '\n' && (at[-1] != '"' || at[-2] == '\\'));
            if (at - 1 <= begin || at[-1] == '\n') return offset;
            continue;
        }
        if (closes(ch)) depth++;
        if (!depth && (opens(ch) || ch == ',' || ch == ';' || assigns(begin, at - 1))) break;
        if (opens(ch)) depth--;
    }
    static const char *const words[] = {"return ", "if ", "while ", "assert "};
    bool is_line = at > begin && at[-1] == '\n', has_word = false;
    while (at < hi && is_blank(*at)) at++;
    for (size_t i = 0; i < sizeof words / sizeof *words && !has_word; i++) {
        size_t n = strlen(words[i]);
        has_word = (size_t)(hi - at) > n && !memcmp(at, words[i], n);
        if (has_word) at += n;
    }
    return is_line && !has_word ? offset : s->base + (uint32_t)(at - begin);
}

/* The end of the operand that begins at `at`: before a `:` if `colon`, else where the expression ends; NULL: not on
 * this line. */
static const char *operand_end(const char *at, bool colon) {
    for (int depth = 0; *at && *at != '\n'; at++) {
        bool ends = *at == ';' || *at == ',' || closes(*at);
        if (*at == '?' || *at == '"') return NULL;
        if (!depth && (colon ? *at == ':' : ends)) return at;
        if (!depth && ends) return NULL;
        depth += opens(*at) - closes(*at);
    }
    return NULL;
}

static int length(const char *from, const char *to) {
    while (to > from && is_blank(to[-1])) to--;
    return (int)(to - from);
}

void lex_fix_choice(Lexer *lx, Diag *d, Span question) {
    const Source *s = lx->source;
    uint32_t lo = lex_expression_before(s, question.lo);
    const char *c = s->text + (lo - s->base), *mark = s->text + (question.lo - s->base), *a = mark + 1;
    const char *colon = operand_end(a, true), *b = colon ? colon + 1 : NULL, *end = b ? operand_end(b, false) : NULL;
    if (lo >= question.lo || !end) return;
    while (is_blank(*a)) a++;
    while (is_blank(*b)) b++;
    int n_c = length(c, mark), n_a = length(a, colon), n_b = length(b, end);
    bool in_brackets = n_c > 2 && c[0] == '(' && c[n_c - 1] == ')' && !memchr(c + 1, ')', (size_t)n_c - 2);
    if (!n_c || !n_a || !n_b) return;
    diag_fix(lx->c, d, (Span){lo, s->base + (uint32_t)(b + n_b - s->text)},
             arena_printf(&lx->c->arena, "if %.*s { %.*s } else { %.*s }", n_c - 2 * in_brackets, c + in_brackets,
                          n_a, a, n_b, b),
             "write the condition first");
}

const char *lex_names_out_of(Arena *a, const char *quoted) {
    Buf format = {0}, values = {0};
    bool fits = true;
    for (const char *at = quoted; *at && fits; at++) {
        if (*at == '$' && at[1] == '{' && at[2] != '{') continue; /* `${x}` of JavaScript */
        buf_putc(&format, *at);
        if (*at == '{' && at[1] == '{') buf_putc(&format, *++at);
        if (*at != '{' || at[-1] == '{') continue;
        size_t n = strcspn(at + 1, "{}\":!=");
        fits = n > 0 && (at[n + 1] == '}' || at[n + 1] == ':');
        buf_printf(&values, ", %.*s", (int)n, at + 1);
        at += n;
        while (fits && at[1] && at[1] != '}') {
            if (at[1] != 'f' && at[1] != 'd') buf_putc(&format, at[1]); /* `{x:.2f}` */
            at++;
        }
    }
    const char *text = fits && values.n ? arena_printf(a, "%s%s", format.at, values.at) : NULL;
    buf_free(&format);
    buf_free(&values);
    return text;
}
