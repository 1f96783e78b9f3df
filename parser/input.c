/* input.c -- parsing of an input of an interactive session: items and statements in any order, and at the end
 * optionally an expression whose value is shown. Lookahead decides whether a construct is that expression, since `f(x)`
 * and `if a { 1 } else { 2 }` may also be statements. The last `;` of an input may be omitted.
 * */
#include "parser/feed.h"

static bool starts_value(const Token *t) {
    switch (t->kind) {
    case TOK_END:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_SEMI:
    case TOK_FOR:
    case TOK_ELSE:
    case TOK_ATOMIC: return false;
    default: return !starts_item(t->kind) && !starts_statement(t->kind);
    }
}

static bool assigns(int kind) { return kind >= TOK_ASSIGN && kind <= TOK_SHR_ASSIGN; }

/* The state of the lookahead: all tokens from the first one on, and the open brackets. */
typedef struct Look {
    Vec(Token) seen;
    Vec(int) open;
    bool has_else, is_statement;
} Look;

/* Examines one token. The branches of an `if` expression contain an expression, without a `;` after it. */
static void look_at(Look *l, const Token *t) {
    int n = l->seen.n, inside = l->open.n ? l->open.at[l->open.n - 1] : 0;
    bool is_if = l->seen.at[0].kind == TOK_IF;
    if (!inside) l->is_statement |= t->kind == TOK_SEMI || assigns(t->kind);
    if (!inside && t->kind == TOK_ELSE) l->has_else = true;
    if (is_if && inside == TOK_LBRACE) l->is_statement |= t->kind == TOK_SEMI;
    if (is_if && t->kind == TOK_RBRACE && n > 1) l->is_statement |= l->seen.at[n - 2].kind == TOK_LBRACE;
    if (n == 2 && l->seen.at[0].kind == TOK_OFFLOAD && t->kind == TOK_RESIDENT) l->is_statement = true;
}

/* True if the text from `first` to its end is an expression, not a statement: it has no `;` or assignment. */
static bool ends_in_value(Feed *f, const Token *first) {
    Look l = {0};
    Token t = *first;
    for (;; t = feed_take(f)) {
        vec_push(f->p.arena, &l.seen, t);
        look_at(&l, &t);
        if (t.kind == TOK_END || l.is_statement || f->gave_up) break;
        if (is_opener(t.kind)) vec_push(f->p.arena, &l.open, t.kind);
        else if (l.open.n && t.kind == closer_of(l.open.at[l.open.n - 1])) l.open.n--;
    }
    for (int i = l.seen.n; i-- > 1;) feed_unread(f, l.seen.at[i]);
    if (first->kind == TOK_IF && !l.has_else && !l.open.n) return false;
    return !l.is_statement;
}

static bool at_start(const Feed *f) {
    int before = f->prev.kind;
    return !before || before == TOK_SEMI || before == TOK_RBRACE || before == TOK_RESYNC;
}

bool input_is_foreign(Feed *f, const Token *t) {
    return !f->open.n && at_start(f) && feed_accepts(f, TOK_STRUCT) && foreign_begins_item(f, t);
}

void input_before(Feed *f, const Token *t) {
    if (f->has_value) return;
    if (t->kind == TOK_END && !feed_accepts(f, TOK_END) && feed_accepts(f, TOK_SEMI)) {
        feed_push(f, feed_invent(f, TOK_SEMI));
    } else if (at_start(f) && starts_value(t) && feed_accepts(f, TOK_VALUE) && ends_in_value(f, t)) {
        f->has_value = true;
        KdslParse(f->yy, TOK_VALUE, feed_invent(f, TOK_VALUE));
    }
}

Module *parse_input(Compiler *c, Source *s, bool *incomplete) {
    Feed f;
    feed_begin(&f, c, s);
    f.is_input = true;
    KdslParse(f.yy, TOK_INPUT, feed_invent(&f, TOK_INPUT));
    feed_tokens(&f);
    Module *m = feed_end(&f, incomplete);
    if (f.p.input.n) m->input = ast_input(&f.p, (Span){s->base, s->base + s->n});
    return m;
}

/* ---- after an error ---- */

typedef struct Brackets {
    Vec(Token) open;
    Source *source;
} Brackets;

static uint32_t indentation(const Brackets *b, Token t) {
    uint32_t line = t.span.lo - b->source->base, n;
    while (line > 0 && b->source->text[line - 1] != '\n') line--;
    for (n = 0; b->source->text[line + n] == ' ' || b->source->text[line + n] == '\t';) n++;
    return n;
}

/* A closing bracket closes those inside it as well; without an opening one it is an error that closes none. */
static void close_bracket(Brackets *b, int kind) {
    for (int i = b->open.n; i-- > 0;)
        if (closer_of(b->open.at[i].kind) == kind) {
            b->open.n = i;
            return;
        }
}

/* The statement ends, and with it the brackets that it has not closed, but not its block. */
static void end_statement(Brackets *b) {
    while (b->open.n && b->open.at[b->open.n - 1].kind != TOK_LBRACE) b->open.n--;
}

/* A bracket that was forgotten must not keep a session waiting: those of a statement end with a `;` at the end of a
 * line and with a malformed token, such as a string that is not closed; a declaration that is not indented ends all. */
bool input_has_open_bracket(Compiler *c, Source *s) {
    Lexer lx;
    Brackets b = {.source = s};
    Token before = {0};
    lex_init(&lx, c, s);
    for (Token t = lex_next(&lx);; before = t, t = lex_next(&lx)) {
        if (before.kind == TOK_SEMI && (t.first_on_line || t.kind == TOK_END)) end_statement(&b);
        if (t.kind == TOK_END) return b.open.n > 0;
        if (b.open.n && t.first_on_line && starts_item(t.kind) && indentation(&b, t) <= indentation(&b, b.open.at[0]))
            b.open.n = 0;
        if (is_opener(t.kind)) vec_push(&c->arena, &b.open, t);
        else if (t.kind == TOK_RPAREN || t.kind == TOK_RBRACKET || t.kind == TOK_RBRACE) close_bracket(&b, t.kind);
        if (t.kind == TOK_BAD || t.broken) end_statement(&b);
    }
}

/* ---- names ---- */

static bool declares(int kind) { return starts_item(kind) || kind == TOK_LET || kind == TOK_VAR; }

/* `kernal k(...)` declares a name, too: a text with syntax errors is read by its tokens. */
void input_names(Compiler *c, Source *s, InputName *visit, void *context) {
    Lexer lx;
    Token before = {.kind = TOK_SEMI}, t;
    bool is_first_word = false; /* `before` begins a statement */
    int depth = 0;
    lex_init(&lx, c, s);
    for (; (t = lex_next(&lx)).kind != TOK_END; before = t) {
        bool begins = before.kind == TOK_SEMI || before.kind == TOK_RBRACE || t.first_on_line;
        if (t.first_on_line && starts_item(t.kind)) depth = 0; /* a bracket before it was not closed */
        if (t.kind == TOK_ID && !depth && (declares(before.kind) || is_first_word)) visit(context, t.name, t.span);
        is_first_word = t.kind == TOK_ID && begins;
        if (is_opener(t.kind)) depth++;
        else if (depth && (t.kind == TOK_RPAREN || t.kind == TOK_RBRACKET || t.kind == TOK_RBRACE)) depth--;
    }
}
