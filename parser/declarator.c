/* declarator.c -- reads declarations as C, C++ and others write them (declarator.h). */
#include "parser/declarator.h"

/* ---- tokens, ahead of the parser ---- */

/* is_item: to the end of the declaration; else of the block. */
static Tokens read(Feed *f, uint32_t from, bool is_item) {
    enum { MAX_TOKENS = 4000 };
    Diags *all = &f->c->diags;
    int n = all->list.n, n_errors = all->n_errors, n_warnings = all->n_warnings;
    bool too_many = all->too_many;
    Lexer ahead = f->lexer;
    ahead.cursor = (const unsigned char *)f->lexer.source->text + (from - f->lexer.source->base);
    Vec(Token) list = {0};
    for (int depth = 0; list.n < MAX_TOKENS;) {
        Token t = lex_next(&ahead);
        if (t.kind == TOK_BAD) continue;
        bool closes = t.kind == TOK_RPAREN || t.kind == TOK_RBRACKET || t.kind == TOK_RBRACE;
        depth += is_opener(t.kind) - closes;
        if (t.kind == TOK_END || depth < 0) break;
        vec_push(f->p.arena, &list, t);
        if (is_item && !depth && (t.kind == TOK_RBRACE || t.kind == TOK_SEMI)) break;
    }
    all->list.n = n;
    all->n_errors = n_errors;
    all->n_warnings = n_warnings;
    all->too_many = too_many;
    return (Tokens){list.at, list.n};
}

Tokens tokens_of_item(Feed *f, uint32_t from) { return read(f, from, true); }
Tokens tokens_of_block(Feed *f, uint32_t from) { return read(f, from, false); }

int tokens_at(const Tokens *p, uint32_t offset) {
    for (int i = 0; i < p->n; i++)
        if (p->at[i].span.lo == offset) return i;
    return -1;
}

int tokens_kind(const Tokens *p, int i) { return i >= 0 && i < p->n ? p->at[i].kind : TOK_END; }

int tokens_find(const Tokens *p, int from, int kind) {
    for (int i = from, depth = 0; i < p->n; i++) {
        int k = p->at[i].kind;
        if (k == kind && !depth) return i;
        depth += is_opener(k) - (k == TOK_RPAREN || k == TOK_RBRACKET || k == TOK_RBRACE);
        if (depth < 0) break;
    }
    return p->n;
}

const char *tokens_text(const Feed *f, const Tokens *p, int from, int to) {
    return from < to ? text_of(f, span_join(p->at[from].span, p->at[to - 1].span)) : "";
}

bool tokens_name(const Tokens *p, int i) {
    int kind = tokens_kind(p, i);
    return kind == TOK_ID || token_info[kind].class == TOKEN_SOFT;
}

static bool named(const Tokens *p, int i, const char *name) { return i < p->n && is_name(&p->at[i], name); }

/* ---- types ---- */

/* Words that say nothing about the type. */
static bool is_qualifier(const Tokens *p, int i) {
    static const char *const words[] = {"volatile", "restrict", "__restrict", "__restrict__", "register", "__global",
                                        "__constant", "__private", "static", "constexpr"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (named(p, i, words[k])) return true;
    return tokens_kind(p, i) == TOK_STRUCT;
}

static int skip_qualifiers(const Tokens *p, int at, bool *is_const) {
    for (; is_qualifier(p, at) || tokens_kind(p, at) == TOK_CONST || named(p, at, "const"); at++)
        if (!is_qualifier(p, at)) *is_const = true;
    return at;
}

/* `unsigned long int`, `signed char`, `long double`: of two words or more, or `unsigned` alone. */
static int arithmetic_words(const Tokens *p, int at, Declared *d) {
    int from = at, n_long = 0, bits = 0;
    bool is_unsigned = false, is_signed = false, is_float = false;
    for (;; at++) {
        if (named(p, at, "unsigned")) is_unsigned = true;
        else if (named(p, at, "signed")) is_signed = true;
        else if (named(p, at, "long")) n_long++;
        else if (named(p, at, "short")) bits = 16;
        else if (named(p, at, "char")) bits = 8;
        else if (named(p, at, "double")) is_float = true;
        else if (!named(p, at, "int") || at == from) break;
    }
    if (at == from) return -1;
    static const char *const types[2][4] = {{"i8", "i16", "i32", "i64"}, {"u8", "u16", "u32", "u64"}};
    d->is_char = bits == 8 && !is_unsigned && !is_signed;
    int size = bits == 8 ? 0 : bits == 16 ? 1 : n_long ? 3 : 2;
    d->type = is_float ? "f64" : types[is_unsigned || d->is_char][size];
    return at;
}

/* `std::vector<double>`, `vector<const float>`, `std::array<double, 3>`: the elements' type and number. */
static int container(Feed *f, const Tokens *p, int at, Declared *d) {
    static const char *const names[] = {"vector", "span", "array", "valarray", "Vec"};
    bool is_container = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) is_container |= named(p, at, names[i]);
    if (!is_container || tokens_kind(p, at + 1) != TOK_LT) return -1;
    bool is_view = named(p, at, "span"), has_extent = named(p, at, "array") || is_view;
    Declared element = {0};
    int end = declared_type(f, p, at + 2, &element);
    if (end < 0 || !element.type || element.is_own || element.is_vector) return -1;
    d->extents[0] = NULL;
    if (has_extent && tokens_kind(p, end) == TOK_COMMA) {
        int gt = tokens_find(p, end + 1, TOK_GT);
        if (gt - end != 2) return -1;
        d->extents[0] = tokens_text(f, p, end + 1, gt);
        end = gt;
    }
    if (tokens_kind(p, end) != TOK_GT) return -1;
    d->type = element.type;
    d->is_vector = true;
    d->is_const |= element.is_const;
    d->is_reference |= is_view && !element.is_const;
    d->n_extents = 1;
    return end + 1;
}

int declared_type(Feed *f, const Tokens *p, int at, Declared *d) {
    int from = at = skip_qualifiers(p, at, &d->is_const);
    if (named(p, at, "std") && tokens_kind(p, at + 1) == TOK_COLON && tokens_kind(p, at + 2) == TOK_COLON) at += 3;
    int end = container(f, p, at, d);
    if (end < 0) end = arithmetic_words(p, at, d);
    if (end < 0 && tokens_kind(p, at) == TOK_ID) {
        end = at + 1;
        d->is_void = named(p, at, "void");
        d->type = named(p, at, "auto") ? NULL : foreign_type(&p->at[at]);
        d->is_own = !d->type && !d->is_void && !named(p, at, "auto");
        if (d->is_own || d->is_void) d->type = p->at[at].name;
    }
    if (end < 0) return -1;
    d->theirs = tokens_text(f, p, from, end);
    return skip_qualifiers(p, end, &d->is_const);
}

/* ---- declarators ---- */

static bool is_word_of_extent(const Tokens *p, int i) {
    return is_qualifier(p, i) || tokens_kind(p, i) == TOK_CONST;
}

/* `n, m` up to token `close` */
static int listed_extents(Feed *f, const Tokens *p, int at, int close, Declared *d) {
    while (at <= close && d->n_extents < MAX_EXTENTS) {
        int end = tokens_find(p, at, TOK_COMMA);
        if (end > close) end = close;
        d->extents[d->n_extents++] = end > at ? tokens_text(f, p, at, end) : NULL;
        at = end + 1;
    }
    return close;
}

/* `[10][n]`, `[]`: adds the extents. */
static int extents(Feed *f, const Tokens *p, int at, Declared *d) {
    while (tokens_kind(p, at) == TOK_LBRACKET) {
        int close = tokens_find(p, at + 1, TOK_RBRACKET);
        if (close >= p->n || d->n_extents == MAX_EXTENTS) return -1;
        while (is_word_of_extent(p, at + 1)) at++; /* `double x[static 10]` */
        at = listed_extents(f, p, at + 1, close, d) + 1;
    }
    return at;
}

/* `*`, `* const`, `&`, `**` */
static int pointers(const Tokens *p, int at, Declared *d) {
    bool is_const = false; /* the pointer itself, which nobody can see */
    for (;; at = skip_qualifiers(p, at + 1, &is_const)) {
        int kind = tokens_kind(p, at);
        if (kind == TOK_STAR) d->n_pointers++;
        else if (kind == TOK_AMP || kind == TOK_AND) d->is_reference = true;
        else return at;
    }
}

int declarator(Feed *f, const Tokens *p, int at, Declared *d) {
    at = pointers(p, at, d);
    bool in_brackets = tokens_kind(p, at) == TOK_LPAREN && tokens_kind(p, at + 1) == TOK_STAR; /* `(*rows)[10]` */
    if (in_brackets) {
        d->extents[d->n_extents++] = NULL;
        at += 2;
    }
    if (!tokens_name(p, at)) return -1;
    d->name = p->at[at++].name;
    if (in_brackets && (tokens_kind(p, at++) != TOK_RPAREN || tokens_kind(p, at) != TOK_LBRACKET)) return -1;
    return extents(f, p, at, d);
}

/* `&`, `&mut`, `*const` and `*mut` of Rust */
static int written_mode(const Tokens *p, int at, Declared *d) {
    int kind = tokens_kind(p, at);
    if (kind != TOK_AMP && kind != TOK_STAR) return at;
    int word = tokens_kind(p, at + 1);
    bool changes = word == TOK_MUT || word == TOK_OUT;
    d->mode = changes ? (word == TOK_OUT ? "&out " : "&mut ") : kind == TOK_AMP || word == TOK_CONST ? "&" : NULL;
    d->n_pointers += kind == TOK_STAR;
    return at + 1 + (changes || word == TOK_CONST);
}

int declared_after_name(Feed *f, const Tokens *p, int at, Declared *d) {
    at = written_mode(p, at, d);
    int open = -1;
    if (tokens_kind(p, at) == TOK_LBRACKET) { /* `[]f64`, `[4]f64`, `[f64]` */
        int close = tokens_find(p, at + 1, TOK_RBRACKET), after = tokens_kind(p, close + 1);
        bool is_before = after == TOK_ID || after == TOK_CONST;
        if (is_before) at = close == at + 2 && tokens_kind(p, at + 1) == TOK_STAR ? (d->n_pointers++, close + 1)
                                                                                  : extents(f, p, at, d);
        else open = at++;
    }
    if (at < 0 || (at = declared_type(f, p, at, d)) < 0) return -1;
    if (open >= 0) {
        int close = tokens_find(p, at, TOK_RBRACKET);
        d->is_shape = tokens_kind(p, at) == TOK_SEMI;
        d->is_slice = close == at;
        if (close >= p->n || d->n_extents || !(d->is_shape || d->is_slice)) return -1;
        at = d->is_slice ? (d->n_extents = 1, close) : listed_extents(f, p, at + 1, close, d);
        if (tokens_kind(p, at++) != TOK_RBRACKET) return -1;
    }
    const char *element = tokens_kind(p, at + 2) == TOK_RBRACKET && tokens_kind(p, at + 1) == TOK_ID && d->is_own
                              ? foreign_type(&p->at[at + 1])
                              : NULL;
    if (element && tokens_kind(p, at) == TOK_LBRACKET) { /* `list[float]` of Python */
        d->type = element;
        d->is_own = false;
        d->n_extents = 1;
        return at + 3;
    }
    return extents(f, p, pointers(p, at, d), d);
}

/* ---- uses ---- */

static bool is_step(const Tokens *p, int i) {
    int kind = tokens_kind(p, i);
    return (kind == TOK_PLUS || kind == TOK_MINUS) && tokens_kind(p, i + 1) == kind &&
           touches(&p->at[i], &p->at[i + 1]);
}

static bool is_change(const Tokens *p, int i) {
    int kind = tokens_kind(p, i);
    bool is_extreme = (kind == TOK_MIN || kind == TOK_MAX) && tokens_kind(p, i + 1) == TOK_ASSIGN;
    return (kind >= TOK_ASSIGN && kind <= TOK_SHR_ASSIGN) || is_extreme || is_step(p, i);
}

/* `&mut x`, `&out x` */
static bool is_passed(const Tokens *p, int i) {
    int before = tokens_kind(p, i - 1);
    return (before == TOK_MUT || before == TOK_OUT) && tokens_kind(p, i - 2) == TOK_AMP;
}

static bool ends_operand(int kind) {
    return kind == TOK_ID || kind == TOK_INT || kind == TOK_FLOAT || kind == TOK_RPAREN || kind == TOK_RBRACKET;
}

Uses uses_of(const Tokens *p, int at, Name name) {
    Uses uses = {0};
    for (int i = at; i < p->n; i++) {
        if (!tokens_name(p, i) || p->at[i].name != name || tokens_kind(p, i - 1) == TOK_DOT) continue;
        int before = tokens_kind(p, i - 1), end = i + 1;
        bool is_one = before == TOK_STAR && !ends_operand(tokens_kind(p, i - 2)), has_index = false, has_field = false;
        for (;; end++) {
            int kind = tokens_kind(p, end);
            if (kind == TOK_LBRACKET) has_index = true, end = tokens_find(p, end + 1, TOK_RBRACKET);
            else if (kind == TOK_RPAREN && is_one && tokens_kind(p, i - 2) == TOK_LPAREN) continue; /* `(*p).x` */
            else if (kind == TOK_DOT || kind == TOK_ARROW) has_field = true, is_one |= kind == TOK_ARROW, end++;
            else break;
        }
        bool changes = is_change(p, end) || is_step(p, i - 2) || is_passed(p, i);
        uses.has_elements |= has_index;
        uses.is_pointer |= is_one;
        uses.is_passed |= !has_index && !has_field && !is_one;
        uses.is_assigned |= changes && !has_index && !has_field && !is_one;
        uses.writes_elements |= changes && (has_index || is_one || is_passed(p, i));
    }
    return uses;
}

/* ---- the parser ---- */

void declared_complete(Feed *f, Name name) {
    bool has_bracket = innermost(f) == TOK_LBRACKET;
    Token word = feed_invent(f, TOK_ID), extent = feed_invent(f, TOK_ID);
    word.name = extent.name = name;
    if (feed_accepts(f, TOK_ID) && !feed_accepts(f, TOK_COLON) && !feed_accepts(f, TOK_AMP)) feed_push(f, word);
    if (feed_accepts(f, TOK_COLON)) feed_push(f, feed_invent(f, TOK_COLON));
    if (feed_accepts(f, TOK_AMP)) feed_push(f, word);
    if (!has_bracket) return;
    feed_push(f, feed_invent(f, TOK_SEMI));
    feed_push(f, extent);
    feed_push(f, feed_invent(f, TOK_RBRACKET));
}
