/* foreign_field.c -- fields of structs as in C, `double x, y;`, and types of arrays as in other languages, in fields,
 * results and declarations: `w: double[3]`, `-> f64*`, `let a: [f64]`. Parsing continues after them. */
#include "parser/declarator.h"

/* ---- fields ---- */

/* `double *data` is an array of any length in KDSL, and `const char *name` a text. */
static const char *type_of_field(Feed *f, const Declared *d) {
    if (d->is_char && d->is_const && d->n_pointers == 1 && !d->n_extents) return "str";
    bool is_single = d->is_own && d->n_pointers == 1 && !d->n_extents; /* `struct P *next` */
    int from = is_single || d->is_vector ? 0 : -d->n_pointers;
    bool is_known = from == 0;
    for (int i = 0; i < d->n_extents; i++) is_known &= d->extents[i] != NULL;
    const char *text = ""; /* either all extents are constant, or none */
    for (int i = from; i < d->n_extents; i++)
        text = arena_printf(f->p.arena, "%s%s%s", text, *text ? ", " : "", is_known ? d->extents[i] : "_");
    return *text ? arena_printf(f->p.arena, "[%s; %s]", d->type, text) : d->type;
}

/* Is token `at`, after a comma, another name of the same declaration? */
static bool goes_on(const Tokens *p, int at) {
    int after = tokens_kind(p, at + 1);
    bool is_pointer = tokens_kind(p, at) == TOK_STAR;
    return is_pointer || (tokens_name(p, at) && (after == TOK_COMMA || after == TOK_SEMI || after == TOK_LBRACKET));
}

bool foreign_field(Feed *f, Token *t, Repair *repair) {
    bool in_struct = f->open.n == 1 && innermost(f) == TOK_LBRACE && !at_statement(f) && !after_expression(f);
    bool at_name = feed_accepts(f, TOK_ID) && (f->prev.kind == TOK_LBRACE || f->prev.kind == TOK_COMMA);
    bool is_qualified = at_name && (t->kind == TOK_CONST || t->kind == TOK_STRUCT);
    bool is_word = f->prev.kind == TOK_ID && feed_accepts(f, TOK_COLON);
    if (!in_struct || !(is_qualified || is_word) || (is_word && t->kind == TOK_COLON && f->prev2.kind == TOK_COLON))
        return false;
    Tokens p = tokens_of_item(f, f->open.at[0].span.lo);
    int from = tokens_at(&p, is_word ? f->prev.span.lo : t->span.lo), at;
    Declared base = {0}, d;
    if (from < 0 || (at = declared_type(f, &p, from, &base)) < 0 || !base.type || base.is_void) return false;
    const char *ours = "";
    bool is_pointer = false;
    Name name = NULL;
    for (bool more = true; more; at += more) {
        d = base;
        at = declarator(f, &p, at, &d);
        if (at < 0 || d.is_reference) return false;
        name = name ? name : d.name;
        is_pointer |= d.n_pointers > 0;
        ours = arena_printf(f->p.arena, "%s%s%s: %s", ours, *ours ? ", " : "", d.name, type_of_field(f, &d));
        more = tokens_kind(&p, at) == TOK_COMMA && goes_on(&p, at + 1);
    }
    int end = tokens_kind(&p, at), after = end == TOK_SEMI;
    bool is_go = base.is_own && at == from + 2 && foreign_type(&p.at[from + 1]); /* `x f32` */
    if ((end != TOK_SEMI && end != TOK_COMMA && end != TOK_RBRACE) || is_go) return false;
    Span whole = span_join(p.at[from].span, p.at[at - 1 + after].span);
    Diag *said = is_pointer ? diag(f->c, E0221, whole, "there are no pointers; write the field as `%s`", ours)
                            : diag(f->c, E0210, whole, "the type comes after the name: `%s`", ours);
    diag_fix(f->c, said, whole, after ? arena_printf(f->p.arena, "%s,", ours) : ours, "write the name first");
    while (t->span.lo < p.at[at].span.lo) *t = feed_take(f);
    declared_complete(f, name);
    if (after) t->kind = TOK_COMMA;
    *repair = REPAIR_RETRY;
    return true;
}

/* ---- types ---- */

/* Where the type begins in which `t` is unexpected; 0: it is in none, or in a parameter. */
static uint32_t begin_of_type(const Feed *f, const Token *t) {
    Token open = f->open.n ? f->open.at[f->open.n - 1] : (Token){0};
    bool is_first = f->prev.span.lo == open.span.lo || f->prev2.span.lo == open.span.lo;
    if (at_expression(f) || after_expression(f)) return 0;
    if (open.kind == TOK_LBRACKET && is_first) return open.span.lo;
    bool is_behind = f->prev2.kind == TOK_COLON || f->prev2.kind == TOK_ARROW;
    if (f->prev.kind == TOK_ID && is_behind) return f->prev.span.lo;
    bool is_next = f->prev.kind == TOK_COLON || f->prev.kind == TOK_ARROW;
    return is_next && t->kind == TOK_STAR ? t->span.lo : 0;
}

bool foreign_type_of_array(Feed *f, Token *t, Repair *repair) {
    bool begins = t->kind == TOK_STAR || t->kind == TOK_LBRACKET || t->kind == TOK_RBRACKET || t->kind == TOK_INT ||
                  t->kind == TOK_ID;
    uint32_t from = begins ? begin_of_type(f, t) : 0;
    if (!from || (f->open.n && f->open.at[0].kind == TOK_LPAREN)) return false;
    Tokens p = tokens_of_block(f, from);
    Declared d = {0};
    int end = declared_after_name(f, &p, 0, &d), after = tokens_kind(&p, end);
    bool is_array = end > 0 && d.type && !d.is_void && !d.is_shape && (d.n_extents || d.n_pointers);
    bool ends = after == TOK_ASSIGN || after == TOK_SEMI || after == TOK_COMMA || after == TOK_LBRACE ||
                end == p.n; /* a `}` ends the struct */
    if (!is_array || !ends) return false;
    const char *ours = type_of_field(f, &d);
    Span whole = span_join(p.at[0].span, p.at[end - 1].span);
    Diag *said = diag(f->c, d.n_pointers ? E0221 : d.is_slice ? E0201 : E0216, whole,
                      "%swrite an array type as `%s`",
                      d.n_pointers ? "there are no pointers; " : d.is_slice ? "the extents are missing; " : "", ours);
    diag_fix(f->c, said, whole, ours, "%s",
             strchr(ours, '_') ? "`_` is any extent" : "write the extent after the type");
    while (t->span.lo < whole.hi && t->kind != TOK_END) *t = feed_take(f);
    declared_complete(f, f->prev.kind == TOK_ID ? f->prev.name : name_intern(&f->c->names, "x", 1));
    *repair = REPAIR_RETRY;
    return true;
}
