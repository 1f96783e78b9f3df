/* pieces.c -- the tokens and comments of a text. The lexer skips comments; they are found between the tokens. */
#include "fmt/internal.h"

#include <string.h>

bool opens(const Piece *p) {
    return is_token(p, TOK_LPAREN) || is_token(p, TOK_LBRACKET) || is_token(p, TOK_LBRACE);
}

bool closes(const Piece *p) {
    return is_token(p, TOK_RPAREN) || is_token(p, TOK_RBRACKET) || is_token(p, TOK_RBRACE);
}

int token_before(const Fmt *f, int i) {
    do i--;
    while (i >= 0 && is_comment(piece_at(f, i)));
    return i;
}

int token_from(const Fmt *f, int i) {
    while (is_comment(piece_at(f, i))) i++;
    return i;
}

int width_of(const char *text, size_t n) {
    int width = 0;
    for (size_t at = 0; at < n; width++) {
        uint32_t code_point;
        int bytes = utf8_decode(text + at, n - at, &code_point);
        at += bytes > 0 ? (size_t)bytes : 1;
    }
    return width;
}

/* Where the reader is in the text. */
typedef struct Reader {
    uint32_t at, line_start;
    int line, newlines;
} Reader;

static void add_piece(Fmt *f, Reader *r, Piece p) {
    p.line = r->line;
    p.column = width_of(f->text + r->line_start, p.lo - r->line_start);
    p.newlines = r->newlines;
    p.parent = p.match = NO_PIECE;
    vec_push(&f->c->arena, &f->pieces, p);
    for (uint32_t i = p.lo; i < p.hi; i++) /* a comment may have several lines */
        if (f->text[i] == '\n') r->line++, r->line_start = i + 1;
    r->at = p.hi;
    r->newlines = 0;
}

static uint32_t end_of_block_comment(const char *text, uint32_t at) {
    for (int depth = 1; depth;) {
        if (text[at] == '/' && text[at + 1] == '*') depth++, at += 2;
        else if (text[at] == '*' && text[at + 1] == '/') depth--, at += 2;
        else at++;
    }
    return at;
}

/* The comments before the token at `to`. */
static void read_gap(Fmt *f, Reader *r, uint32_t to) {
    while (r->at < to) {
        const char *at = f->text + r->at;
        if (*at == '/' && at[1] == '/') {
            uint32_t hi = r->at + (uint32_t)strcspn(at, "\n"), end = hi < to ? hi : to;
            while (end > r->at && strchr(" \t\r\v\f", f->text[end - 1])) end--;
            add_piece(f, r, (Piece){.kind = PIECE_LINE_COMMENT, .lo = r->at, .hi = end});
            continue;
        }
        if (*at == '/') {
            uint32_t hi = end_of_block_comment(f->text, r->at + 2);
            add_piece(f, r, (Piece){.kind = PIECE_BLOCK_COMMENT, .lo = r->at, .hi = hi});
            continue;
        }
        if (*at == '\n') r->newlines++, r->line++, r->line_start = r->at + 1;
        r->at++;
    }
}

static void match_brackets(Fmt *f) {
    int open = NO_PIECE, depth = 0;
    for (int i = 0; i < f->pieces.n; i++) {
        Piece *p = piece_at(f, i);
        if (closes(p)) {
            p->match = open;
            piece_at(f, open)->match = i;
            open = piece_at(f, open)->parent;
            depth--;
        }
        p->parent = open;
        p->depth = depth;
        if (!opens(p)) continue;
        open = i;
        depth++;
    }
}

void fmt_read(Fmt *f, Compiler *c, const Source *s) {
    *f = (Fmt){.c = c, .source = s, .text = s->text};
    Reader r = {0};
    Lexer lx;
    lex_init(&lx, c, s);
    for (Token t = {.kind = TOK_BAD}; t.kind != TOK_END;) {
        t = lex_next(&lx);
        read_gap(f, &r, t.span.lo - s->base);
        add_piece(f, &r, (Piece){.token = t.kind, .lo = t.span.lo - s->base, .hi = t.span.hi - s->base});
    }
    match_brackets(f);
}

/* Comparing ------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* The next character that counts: not a blank at the start or end of a line. */
static uint32_t skip_margin(const char *text, uint32_t at, uint32_t lo, uint32_t hi) {
    uint32_t end = at;
    while (end < hi && is_blank(text[end])) end++;
    bool is_margin = at == lo || text[at - 1] == '\n' || end == hi || text[end] == '\n';
    return is_margin ? end : at;
}

static bool same_text(const Fmt *fa, const Piece *a, const Fmt *fb, const Piece *b) {
    uint32_t i = a->lo, j = b->lo;
    for (;; i++, j++) {
        i = skip_margin(fa->text, i, a->lo, a->hi);
        j = skip_margin(fb->text, j, b->lo, b->hi);
        if (i == a->hi || j == b->hi) return i == a->hi && j == b->hi;
        if (fa->text[i] != fb->text[j]) return false;
    }
}

/* From i on, the next piece that is not a comma before a closing bracket. */
static int skip_last_comma(const Fmt *f, int i) {
    bool is_last = is_token(piece_at(f, i), TOK_COMMA) && closes(piece_at(f, token_from(f, i + 1)));
    return is_last ? i + 1 : i;
}

bool fmt_same(const Fmt *a, const Fmt *b) {
    for (int i = 0, j = 0;; i++, j++) {
        i = skip_last_comma(a, i);
        j = skip_last_comma(b, j);
        const Piece *p = piece_at(a, i), *q = piece_at(b, j);
        if (p->kind != q->kind || p->token != q->token || !same_text(a, p, b, q)) return false;
        if (is_token(p, TOK_END)) return true;
    }
}
