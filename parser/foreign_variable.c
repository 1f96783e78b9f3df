/* foreign_variable.c -- variables as C and C++ declare them: `int k = 2 * i;`, `float x[3] = {0};`, `auto y = x;`,
 * `double *t = malloc(n * sizeof(double));`. */
#include "parser/declarator.h"

/* One declaration of a statement, which may have several: `int i = 0, j;`. */
typedef struct Variable {
    Declared is;
    int value, end; /* tokens of its value; value: 0: it has none. `end` is the `,` or `;` after it */
} Variable;

static bool ends_statement(const Tokens *p, int at) {
    return at >= p->n || tokens_kind(p, at) == TOK_SEMI || p->at[at].first_on_line;
}

/* From token `at`, which follows the type. */
static bool read_variable(Feed *f, const Tokens *p, int at, const Declared *base, Variable *v) {
    *v = (Variable){.is = *base};
    at = declarator(f, p, at, &v->is);
    if (at < 0) return false;
    if (tokens_kind(p, at) == TOK_ASSIGN) {
        v->value = ++at;
        for (int comma = tokens_find(p, at, TOK_COMMA); !ends_statement(p, at) && at < comma;)
            at = is_opener(tokens_kind(p, at)) ? tokens_find(p, at + 1, closer_of(tokens_kind(p, at))) + 1 : at + 1;
    }
    v->end = at;
    return ends_statement(p, at) || tokens_kind(p, at) == TOK_COMMA;
}

/* ---- memory ---- */

/* `sizeof(double)`, `sizeof *x` at `at`: the index after it. */
static int skip_sizeof(const Tokens *p, int at) {
    if (tokens_kind(p, ++at) == TOK_LPAREN) return tokens_find(p, at + 1, TOK_RPAREN) + 1;
    return tokens_kind(p, at) == TOK_STAR ? at + 2 : at + 1;
}

/* `n * sizeof(double)`: `n`; NULL: it is a number of bytes, or something else. */
static const char *without_sizeof(Feed *f, const Tokens *p, int from, int to) {
    int at = from;
    while (at < to && !is_name(&p->at[at], "sizeof")) at++;
    if (at == to) return NULL;
    int after = skip_sizeof(p, at);
    bool has_before = at > from && tokens_kind(p, at - 1) == TOK_STAR;
    bool has_after = after < to && tokens_kind(p, after) == TOK_STAR;
    if ((at > from) != has_before || (after < to) != has_after || after > to) return NULL;
    const char *left = has_before ? tokens_text(f, p, from, at - 1) : "";
    const char *right = has_after ? tokens_text(f, p, after + 1, to) : "";
    if (has_before && has_after) return arena_printf(f->p.arena, "%s * %s", left, right);
    return has_before ? left : has_after ? right : "1";
}

/* `(double *)`: the index after it. */
static int skip_cast(Feed *f, const Tokens *p, int at) {
    Declared cast = {0};
    if (tokens_kind(p, at) != TOK_LPAREN) return at;
    int end = declared_type(f, p, at + 1, &cast);
    if (end < 0 || tokens_kind(p, end) != TOK_STAR || tokens_kind(p, end + 1) != TOK_RPAREN) return at;
    return end + 2;
}

typedef struct Memory {
    bool is_new;       /* it is memory at all */
    const char *type;  /* of the elements, if `new` tells it */
    const char *count; /* of elements; NULL: it cannot be read from the text */
    int end;
} Memory;

/* `(double *)malloc(n * sizeof(double))`, `calloc(n, sizeof *x)`, `new double[n]` */
static Memory read_memory(Feed *f, const Tokens *p, int at) {
    Memory memory = {0};
    at = skip_cast(f, p, at);
    if (tokens_kind(p, at + 1) == TOK_COLON && tokens_kind(p, at + 2) == TOK_COLON) at += 3;
    if (tokens_kind(p, at) != TOK_ID) return memory;
    if (is_name(&p->at[at], "new")) {
        Declared made = {0};
        int open = declared_type(f, p, at + 1, &made), close = tokens_find(p, open + 1, TOK_RBRACKET);
        memory.is_new = open > 0;
        memory.type = made.is_own || made.is_void ? NULL : made.type;
        memory.end = close + 1;
        bool is_list = open > 0 && tokens_kind(p, open) == TOK_LBRACKET && close < p->n && close > open + 1;
        if (is_list) memory.count = tokens_text(f, p, open + 1, close);
        if (is_list && tokens_kind(p, close + 1) == TOK_LPAREN) memory.end = close + 3; /* `new double[n]()` */
        return memory;
    }
    bool counts = is_name(&p->at[at], "calloc"), aligns = is_name(&p->at[at], "aligned_alloc");
    memory.is_new = (counts || aligns || is_name(&p->at[at], "malloc")) && tokens_kind(p, at + 1) == TOK_LPAREN;
    if (!memory.is_new) return memory;
    int first = at + 2, close = tokens_find(p, first, TOK_RPAREN), comma = tokens_find(p, first, TOK_COMMA);
    memory.end = close + 1;
    if (close >= p->n || (counts || aligns) != (comma < close)) return memory;
    bool is_first = counts && without_sizeof(f, p, comma + 1, close);
    if (is_first) memory.count = tokens_text(f, p, first, comma);
    else if (counts) memory.count = without_sizeof(f, p, first, comma) ? tokens_text(f, p, comma + 1, close) : NULL;
    else memory.count = without_sizeof(f, p, aligns ? comma + 1 : first, close);
    return memory;
}

const char *foreign_memory(Feed *f, const Token *type, Span *whole) {
    Tokens p = tokens_of_block(f, f->first.span.lo);
    int at = tokens_at(&p, type->span.lo) - 1;
    Memory memory = at >= 0 ? read_memory(f, &p, at) : (Memory){0};
    if (!memory.count) return NULL;
    *whole = span_join(p.at[at].span, p.at[memory.end - 1].span);
    return arena_printf(f->p.arena, "[%s; %s]", zero_of(f, foreign_type(type)), memory.count);
}

/* ---- what is written instead ---- */

/* The type of a variable whose value has no names; NULL: it has some, or a suffix tells. */
static const char *type_of_numbers(const Tokens *p, int from, int to) {
    const char *type = "i32";
    for (int i = from; i < to; i++) {
        const Token *t = &p->at[i];
        bool has_suffix = (t->kind == TOK_INT && t->int_.suffix) || (t->kind == TOK_FLOAT && t->float_.suffix);
        bool is_other = t->kind == TOK_ID || t->kind == TOK_STR || t->kind == TOK_TRUE || t->kind == TOK_FALSE;
        if (t->broken || has_suffix || is_other) return NULL;
        if (t->kind == TOK_FLOAT) type = "f64";
    }
    return type;
}

/* A variable has the type of its value. That of numbers is written if it is another one; NULL: it is not. */
static const char *written_type(const char *type, const Tokens *p, int from, int to) {
    const char *numbers = type_of_numbers(p, from, to);
    bool is_index = !strcmp(type, "index"), is_float = type[0] == 'f' || !strcmp(type, "bf16");
    bool is_number = is_index || (strchr("iuf", type[0]) && !strchr(type, 'x')) || !strcmp(type, "bf16");
    if (!numbers || !strcmp(type, numbers) || !is_number) return NULL;
    return is_float || strcmp(numbers, "f64") ? type : NULL;
}

static const char *type_of_variable(const Tokens *p, const Variable *v) {
    return v->value && v->is.type ? written_type(v->is.type, p, v->value, v->end) : v->is.type;
}

/* `let k`, `var x: f32`: up to the `=`. */
static const char *head_of(Feed *f, const Tokens *p, const Variable *v) {
    bool changes = !v->value || uses_of(p, v->end, v->is.name).is_assigned;
    const char *type = type_of_variable(p, v);
    return arena_printf(f->p.arena, "%s %s%s%s", changes ? "var" : "let", v->is.name, type ? ": " : "",
                        type ? type : "");
}

static const char *whole_of(Feed *f, const Tokens *p, const Variable *v) {
    const char *head = head_of(f, p, v);
    return v->value ? arena_printf(f->p.arena, "%s = %s", head, tokens_text(f, p, v->value, v->end)) : head;
}

/* `int t[10] = {0};`; NULL: its elements cannot be read from the text. */
static const char *array_of(Feed *f, const Tokens *p, const Variable *v) {
    const char *sizes = "";
    bool is_known = true;
    for (int i = 0; i < v->is.n_extents; i++) {
        is_known &= v->is.extents[i] != NULL;
        sizes = arena_printf(f->p.arena, "%s%s%s", sizes, i ? ", " : "", is_known ? v->is.extents[i] : "");
    }
    int first = v->value + 1, last = v->end - 1; /* in the braces */
    bool is_list = v->value && tokens_kind(p, v->value) == TOK_LBRACE && tokens_kind(p, last) == TOK_RBRACE;
    bool is_zero = is_list && (first == last || (first + 1 == last && !strcmp(tokens_text(f, p, first, last), "0")) ||
                               (first + 1 == last && !strcmp(tokens_text(f, p, first, last), "0.0")));
    if (is_known && (!v->value || is_zero) && v->is.type)
        return arena_printf(f->p.arena, "var %s = [%s; %s]", v->is.name, zero_of(f, v->is.type), sizes);
    if (!is_list || v->is.n_extents > 1 || first == last || !v->is.type) return NULL;
    const char *type = written_type(v->is.type, p, first, last), *list = tokens_text(f, p, first, last);
    if (!type) return arena_printf(f->p.arena, "var %s = [%s]", v->is.name, list);
    int n = 1;
    for (int at = first; (at = tokens_find(p, at, TOK_COMMA)) + 1 < last; at++) n++;
    return arena_printf(f->p.arena, "var %s: [%s; %d] = [%s]", v->is.name, type, n, list);
}

/* ---- messages ---- */

static void say_pointer(Feed *f, const Tokens *p, const Variable *v, Span whole) {
    Memory memory = v->value ? read_memory(f, p, v->value) : (Memory){0};
    Span head = {whole.lo, v->value ? p->at[v->value - 2].span.hi : whole.hi};
    if (v->value && !memory.is_new) {
        Diag *d = diag(f->c, E0221, head, "there are no pointers; use the array by its own name");
        diag_note(f->c, d, head, "a part of it can be passed to a function: `&x[a..b]`");
        return;
    }
    const char *known = v->is.is_own || v->is.is_void ? NULL : v->is.type ? v->is.type : memory.type;
    bool is_array = memory.count && memory.end == v->end && ends_statement(p, v->end) && v->is.n_pointers < 2 && known;
    const char *type = known ? known : "f64";
    const char *ours = arena_printf(f->p.arena, "var %s = [%s; %s%s]", v->is.name, zero_of(f, type),
                                    memory.count ? memory.count : "n", v->is.n_pointers > 1 ? ", m" : "");
    Diag *d = diag(f->c, E0221, head, "there are no pointers; create an array with its values: `%s`", ours);
    if (is_array) diag_fix(f->c, d, whole, ours, "it is freed when its variable goes out of scope");
}

static void say_array(Feed *f, const Tokens *p, const Variable *v, Span whole) {
    const char *ours = array_of(f, p, v);
    Diag *d = diag(f->c, E0210, (Span){whole.lo, p->at[(v->value ? v->value - 1 : v->end) - 1].span.hi},
                   "the type comes after the name; create an array with its values: `%s`",
                   ours ? ours : arena_printf(f->p.arena, "var %s = [0.0; n]", v->is.name));
    if (ours) diag_fix(f->c, d, whole, ours, "fill it");
}

static void say_number(Feed *f, const Tokens *p, const Variable *v, Span whole) {
    Span head = {whole.lo, v->value ? p->at[v->value - 2].span.hi : whole.hi};
    const char *ours = head_of(f, p, v), *all = whole_of(f, p, v);
    if (strlen(all) > 60) all = arena_printf(f->p.arena, "%s = ...", ours);
    if (!v->is.type) { /* `auto` */
        Diag *d = diag(f->c, E0216, p->at[0].span, "declare a variable with `let`, or with `var` if it will change");
        diag_fix(f->c, d, head, ours, "use `%.3s`", ours);
        return;
    }
    bool has_type = !v->value || type_of_variable(p, v);
    Diag *d = diag(f->c, E0210, head, has_type ? "the type comes after the name: `%s`"
                                               : "a variable gets the type of its value: `%s`", all);
    diag_fix(f->c, d, head, ours, has_type ? "write the name first" : "declare it without a type");
}

/* `int i = 0, j = n;` */
static void say_several(Feed *f, const Tokens *p, const Variable *first, int at, const Declared *base) {
    Variable v = *first;
    const char *text = whole_of(f, p, &v);
    bool are_numbers = true;
    while (are_numbers && tokens_kind(p, v.end) == TOK_COMMA) {
        are_numbers = read_variable(f, p, v.end + 1, base, &v) && !v.is.n_pointers && !v.is.n_extents;
        if (are_numbers) text = arena_printf(f->p.arena, "%s; %s", text, whole_of(f, p, &v));
    }
    Span head = span_join(p->at[0].span, p->at[at].span);
    Diag *d = diag(f->c, E0210, head, "the type comes after the name, and each variable is declared by itself");
    if (are_numbers && ends_statement(p, v.end))
        diag_fix(f->c, d, span_join(p->at[0].span, p->at[v.end - 1].span), text, "declare each by itself");
}

bool foreign_declared(Feed *f, const Token *start, const Token *t) {
    Tokens p = tokens_of_block(f, start->span.lo);
    Declared base = {0};
    Variable v;
    int at = declared_type(f, &p, 0, &base);
    if (at < 0 || base.is_vector || !read_variable(f, &p, at, &base, &v)) return false;
    bool is_pointer = v.is.n_pointers > 0, is_memory = v.value && read_memory(f, &p, v.value).is_new;
    int last = v.value ? v.value - 1 : v.end; /* what follows the name */
    if (last < p.n && t->span.lo > p.at[last].span.lo) return false;
    if ((base.is_own || base.is_void) && !(is_pointer && is_memory)) return false;
    if (!base.type && !is_pointer && !v.value) return false;
    Span whole = span_join(p.at[0].span, p.at[v.end - 1].span);
    if (v.is.is_reference && !is_pointer && !v.is.is_const) {
        diag(f->c, E0209, whole, "a reference can only be a parameter or an argument of a call");
    } else if (is_pointer || (is_memory && !base.type)) {
        say_pointer(f, &p, &v, whole);
    } else if (tokens_kind(&p, v.end) == TOK_COMMA) {
        say_several(f, &p, &v, last - 1, &base);
    } else if (v.is.n_extents) {
        say_array(f, &p, &v, whole);
    } else {
        say_number(f, &p, &v, whole);
    }
    return true;
}

bool foreign_variable(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_CONST && at_statement(f)) return foreign_declared(f, t, t);
    bool in_block = innermost(f) == TOK_LBRACE || (f->is_input && !f->open.n);
    bool is_word = f->prev.kind == TOK_ID && f->prev.span.lo == f->first.span.lo;
    return in_block && is_word && feed_accepts(f, TOK_ADD_ASSIGN) && foreign_declared(f, &f->first, t);
}
