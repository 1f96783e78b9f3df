/* paint.c -- semantic tokens: the compiler's tokens, and what each name is. */
#include <string.h>

#include "lexer/lexer.h"
#include "lsp/internal.h"

/* As server.c announces them. */
typedef enum Paint { PAINT_KEYWORD, PAINT_TYPE, PAINT_FUNCTION, PAINT_VARIABLE, PAINT_PARAMETER, PAINT_PROPERTY,
                     PAINT_NUMBER, PAINT_STRING, PAINT_STRUCT, PAINT_NAMESPACE, PAINT_NONE } Paint;
enum { IS_DECLARATION = 1, IS_READONLY = 2 };

static Paint paint_of_symbol(const Symbol *sym) {
    switch (sym->kind) {
    case SYM_LOCAL:
    case SYM_DOMAIN:
    case SYM_SIZE:
    case SYM_CONST: return PAINT_VARIABLE;
    case SYM_PARAM: return PAINT_PARAMETER;
    case SYM_FN: return PAINT_FUNCTION;
    case SYM_MODULE: return PAINT_NAMESPACE;
    case SYM_STRUCT: return PAINT_STRUCT;
    case SYM_TYPE: return PAINT_TYPE;
    }
    return PAINT_NONE;
}

static const Mention *mention_from(const Analysis *a, uint32_t lo) {
    int low = 0, high = a->mentions.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a->mentions.at[middle].at.lo < lo) low = middle + 1;
        else high = middle;
    }
    return low < a->mentions.n && a->mentions.at[low].at.lo == lo ? &a->mentions.at[low] : NULL;
}

static Paint paint_of(const Analysis *a, const Token *t, int *modifiers) {
    const Mention *m = mention_from(a, t->span.lo);
    *modifiers = 0;
    if (m) {
        bool is_fixed = m->sym && m->sym->kind != SYM_FN && !m->sym->is_mutable &&
                        (m->sym->kind != SYM_PARAM || m->sym->mode == REF_NONE || m->sym->mode == REF_IN);
        *modifiers = (m->at.lo == m->declared.lo ? IS_DECLARATION : 0) | (is_fixed ? IS_READONLY : 0);
        return m->sym ? paint_of_symbol(m->sym) : PAINT_PROPERTY;
    }
    if (t->kind == TOK_INT || t->kind == TOK_FLOAT) return PAINT_NUMBER;
    if (t->kind == TOK_STR) return PAINT_STRING;
    Name name = t->kind == TOK_ID ? name_of((Interner *)&a->c.names, t->name) : NULL; /* of the other compilation */
    if (name && type_find(a->program->types, name)) return PAINT_TYPE;
    for (int i = 0; name && i < a->module->symbols.n; i++) {
        const Symbol *sym = a->module->symbols.at[i];
        if (sym->kind == SYM_MODULE && sym->name == name) return PAINT_NAMESPACE;
    }
    TokenClass class = token_info[t->kind].class;
    return class == TOKEN_WORD || class == TOKEN_SOFT ? PAINT_KEYWORD : PAINT_NONE;
}

/* A walk through the text, in columns of the protocol. */
typedef struct Cursor {
    const Server *s;
    const Source *of;
    uint32_t at;
    int line, column;
} Cursor;

static void advance(Cursor *c, uint32_t to) {
    int columns;
    while (c->at < to) {
        bool ends = c->of->text[c->at] == '\n';
        c->at += character_bytes(c->s, c->of->text, c->of->n, c->at, &columns);
        c->column = ends ? 0 : c->column + columns;
        c->line += ends;
    }
}

/* Five numbers for each token: lines and columns since the one before, its length, type and modifiers. */
static void add_token(const Analysis *a, struct json_object *data, const Token *t, Cursor *c, int last[2]) {
    int modifiers;
    Paint paint = paint_of(a, t, &modifiers);
    if (paint == PAINT_NONE) return;
    advance(c, t->span.lo - a->source->base);
    int line = c->line, column = c->column;
    advance(c, t->span.hi - a->source->base);
    if (c->line != line) return; /* some clients know no tokens of several lines */
    int since = line == last[0] ? last[1] : 0;
    int row[5] = {line - last[0], column - since, c->column - column, (int)paint, modifiers};
    for (int i = 0; i < 5; i++) json_object_array_add(data, json_object_new_int(row[i]));
    last[0] = line;
    last[1] = column;
}

struct json_object *lsp_semantic_tokens(Server *s, struct json_object *params) {
    struct json_object *o = json_object_new_object(), *data = json_object_new_array();
    json_object_object_add(o, "data", data);
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    if (!a || a != d->now) return o;
    Compiler c;
    compiler_init(&c);
    Source *source = source_add(&c.sources, "text", a->source->text, a->source->n);
    Lexer lx;
    lex_init(&lx, &c, source);
    int last[2] = {0, 0};
    Cursor cursor = {.s = s, .of = a->source};
    for (Token t = lex_next(&lx); t.kind != TOK_END; t = lex_next(&lx)) {
        t.span.lo += a->source->base - source->base;
        t.span.hi += a->source->base - source->base;
        add_token(a, data, &t, &cursor, last);
    }
    compiler_free(&c);
    return o;
}
