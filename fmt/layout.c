/* layout.c -- the pieces become lines: statements and declarations one below the other, each broken where its source
 * is, and where a line would be too long. What the source has on one line between braces stays there if the line is
 * short enough. */
#include "fmt/internal.h"

/* A part of a statement that is laid out as one: without bodies of several lines, up to the `{` of the next one. */
typedef struct Chunk {
    int start, end; /* pieces; `end` comes after the last one */
    int base;       /* its indentation */
    bool may_break; /* else a line that is too long ends the attempt */
    bool opens_body; /* the last piece is the `{` of a body whose statements have lines of their own */
} Chunk;

static int mini(int a, int b) { return a < b ? a : b; }

static bool is_body(const Fmt *f, int i, int token) {
    return piece_at(f, i)->role == ROLE_BODY && is_token(piece_at(f, i), token);
}

static bool is_empty(const Fmt *f, int open) { return piece_at(f, open)->match == open + 1; }

/* Lines of a chunk ------------------------------------------------------------------------------------------------- */

static Line *last_line(const Fmt *f) { return &f->lines.at[f->lines.n - 1]; }

static void begin_line(Fmt *f, int first, int indent, bool after_blank) {
    Line line = {.lo = f->code.n, .hi = f->code.n, .first = first, .comment = NO_PIECE, .indent = indent,
                 .width = indent, .after_blank = after_blank && f->lines.n};
    vec_push(&f->c->arena, &f->lines, line);
}

static void drop_lines(Fmt *f, int n) {
    if (f->lines.n == n) return;
    f->code.n = f->lines.at[n].lo;
    f->lines.n = n;
}

/* After the last line on, the column. */
static int column_after(int column, const char *text, size_t n) {
    size_t at = n;
    while (at && text[at - 1] != '\n') at--;
    return (at ? 0 : column) + width_of(text + at, n - at);
}

static void put_text(Fmt *f, const char *text, size_t n) {
    Line *line = last_line(f);
    buf_add(&f->code, text, n);
    line->hi = f->code.n;
    line->width = column_after(line->width, text, n);
}

static bool ends_tall_list(const Fmt *f, int i) {
    const Piece *close = piece_at(f, token_from(f, i + 1));
    if (!closes(close) || is_token(piece_at(f, i), TOK_COMMA)) return false;
    const Piece *open = piece_at(f, close->match);
    return open->is_tall && open->takes_comma;
}

static void put_piece(Fmt *f, int i) {
    Piece *p = piece_at(f, i);
    Line *line = last_line(f);
    if (i > line->first && fmt_spaced(f, i - 1, i)) put_text(f, " ", 1);
    p->at = line->width;
    if (is_comment(p)) {
        Buf text = {0};
        fmt_comment(f, p, p->at, &text);
        put_text(f, text.at, text.n);
        buf_free(&text);
        return;
    }
    put_text(f, f->text + p->lo, p->hi - p->lo);
    if (opens(p)) {
        int inside = line->width + is_token(p, TOK_LBRACE);
        bool hangs = p->is_tall || inside > FMT_WIDTH * 2 / 3;
        p->line_indent = line->indent;
        p->indent = hangs ? line->indent + FMT_INDENT : inside;
    }
    if (ends_tall_list(f, i)) put_text(f, ",", 1);
}

/* Before the `{` of a body: after a head of several lines it has a line of its own. */
static bool brace_breaks(const Fmt *f, const Chunk *ch, int i) {
    return ch->opens_body && i == ch->end - 1 && last_line(f)->indent > ch->base;
}

static bool starts_line(const Fmt *f, const Chunk *ch, int i) {
    const Piece *p = piece_at(f, i), *left = piece_at(f, i - 1);
    if (p->breaks || left->kind == PIECE_LINE_COMMENT || brace_breaks(f, ch, i)) return true;
    return p->newlines && (is_comment(p) || (is_comment(left) && left->newlines));
}

/* In a list an operator at the start of a line is one step further in than the items. */
static bool starts_item(const Fmt *f, int i) {
    const Piece *left = piece_at(f, token_before(f, i));
    return opens(left) || is_token(left, TOK_COMMA) || is_token(left, TOK_SEMI) || piece_at(f, i)->token == TOK_FOR;
}

/* The brace of a body or of fields, and `else` after a body. */
static bool is_at_base(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i);
    if (p->token == TOK_ELSE) return piece_at(f, token_before(f, i))->role == ROLE_BODY;
    return is_token(p, TOK_LBRACE) && (p->role == ROLE_BODY || p->role == ROLE_FIELDS);
}

static int indentation(const Fmt *f, const Chunk *ch, int i) {
    const Piece *p = piece_at(f, i), *token = piece_at(f, token_from(f, i));
    if (i == ch->start || is_at_base(f, token_from(f, i))) return ch->base;
    if (closes(p)) return piece_at(f, p->match)->line_indent;
    if (p->parent < ch->start) return ch->base + FMT_INDENT;
    const Piece *open = piece_at(f, p->parent);
    bool is_inside = open->is_tall && !starts_item(f, i) && !closes(token);
    return open->indent + (is_inside ? FMT_INDENT : 0);
}

static bool keeps_blank(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i);
    return p->newlines > 1 && p->parent >= 0 && piece_at(f, p->parent)->is_tall && p->parent != i - 1 && !closes(p);
}

/* Lays out one line from piece i on, and returns the piece after it. */
static int put_line(Fmt *f, const Chunk *ch, int i) {
    int first = i;
    for (; i < ch->end && (i == first || !starts_line(f, ch, i)); i++) {
        bool is_last = i + 1 == ch->end || starts_line(f, ch, i + 1);
        if (is_comment(piece_at(f, i)) && is_last && (i > first || fmt_continues(f, i))) last_line(f)->comment = i;
        else put_piece(f, i);
        if (!ch->may_break && last_line(f)->width > FMT_WIDTH) break;
    }
    return i;
}

/* The best piece to begin another line with: one of those up to which the line fits, or else the first one. */
static int best_break(const Fmt *f, const Chunk *ch, int from, int end) {
    int best = NO_PIECE, best_cost = 0;
    for (int i = from + 1; i < end; i++) {
        const Piece *p = piece_at(f, i);
        int cost = fmt_break_cost(f, i);
        if (cost < 0 || is_comment(piece_at(f, i - 1))) continue;
        bool opener = opens(piece_at(f, i - 1));
        int column = opener ? piece_at(f, i - 1)->line_indent + FMT_INDENT : indentation(f, ch, i);
        if (column >= p->at) continue;
        bool fits = p->at - 1 <= FMT_WIDTH;
        if (!fits && best >= 0) break;
        if (best >= 0 && cost > best_cost) continue;
        best = i;
        best_cost = cost;
    }
    return best;
}

static bool lay_out_chunk(Fmt *f, Chunk ch, bool after_blank) {
    for (int i = ch.start; i < ch.end;) {
        int n = f->lines.n;
        begin_line(f, i, indentation(f, &ch, i), i == ch.start ? after_blank : keeps_blank(f, i));
        int end = put_line(f, &ch, i);
        bool fits = last_line(f)->width <= FMT_WIDTH;
        if (!fits && !ch.may_break) return false;
        int better = fits ? NO_PIECE : best_break(f, &ch, i, end);
        if (better < 0) {
            i = end;
            continue;
        }
        fmt_break(f, better);
        drop_lines(f, n);
    }
    return true;
}

/* Statements and declarations -------------------------------------------------------------------------------------- */

/* After the last piece of the statement or declaration that begins at i. */
static int end_of_statement(const Fmt *f, int i) {
    for (;; i++) {
        const Piece *p = piece_at(f, i);
        if (is_token(p, TOK_SEMI) || is_token(p, TOK_END)) return i + 1;
        if (!opens(p)) continue;
        i = p->match;
        if (p->role == ROLE_FIELDS) return i + 1;
        if (p->role == ROLE_BODY && !is_token(piece_at(f, token_from(f, i + 1)), TOK_ELSE)) return i + 1;
    }
}

/* The first `{` of a body with statements at or after i, not inside another one; `end`: there is none. */
static int next_body(const Fmt *f, int i, int end) {
    for (; i < end; i++) {
        if (is_body(f, i, TOK_LBRACE) && !is_empty(f, i)) return i;
        if (opens(piece_at(f, i))) i = piece_at(f, i)->match;
    }
    return end;
}

static bool is_on_one_line(const Fmt *f, int from, int end) {
    for (int i = from; i < end; i++)
        if (piece_at(f, i)->newlines || piece_at(f, i)->kind == PIECE_LINE_COMMENT) return false;
    return true;
}

static bool lay_out_on_one_line(Fmt *f, int start, int end, int indent, bool after_blank) {
    if (!is_on_one_line(f, next_body(f, start, end) + 1, end)) return false;
    int n = f->lines.n;
    if (lay_out_chunk(f, (Chunk){.start = start, .end = end, .base = indent}, after_blank)) return true;
    drop_lines(f, n);
    return false;
}

static void lay_out_list(Fmt *f, int i, int end, int indent);

static void lay_out_statement(Fmt *f, int start, int end, int indent, bool after_blank) {
    int body = next_body(f, start, end);
    if (body < end && lay_out_on_one_line(f, start, end, indent, after_blank)) return;
    for (int from = start; from < end;) {
        Chunk ch = {.start = from, .end = mini(body + 1, end), .base = indent, .may_break = true};
        ch.opens_body = body < end;
        lay_out_chunk(f, ch, after_blank && from == start);
        if (body >= end) return;
        from = piece_at(f, body)->match;
        lay_out_list(f, body + 1, from, indent + FMT_INDENT);
        body = next_body(f, from + 1, end);
    }
}

/* A comment beside what comes before it. */
static void attach_comment(Fmt *f, int i) {
    Line *line = last_line(f);
    if (line->comment >= 0) {
        int before = line->comment;
        line->comment = NO_PIECE;
        put_text(f, " ", 1);
        put_piece(f, before);
    }
    line->comment = i;
}

/* Comments that are not a part of the statement after them. */
static bool lay_out_comment(Fmt *f, int i, int end, int indent, bool after_blank) {
    const Piece *p = piece_at(f, i);
    if (!is_comment(p)) return false;
    if (f->lines.n && !p->newlines) {
        attach_comment(f, i);
        return true;
    }
    if (p->kind == PIECE_BLOCK_COMMENT && i + 1 < end && !piece_at(f, i + 1)->newlines) return false;
    bool continues = fmt_continues(f, i);
    begin_line(f, i, indent, after_blank);
    if (continues) last_line(f)->comment = i;
    else put_piece(f, i);
    return true;
}

static void lay_out_list(Fmt *f, int i, int end, int indent) {
    for (int first = i; i < end;) {
        bool after_blank = i > first && piece_at(f, i)->newlines > 1;
        if (lay_out_comment(f, i, end, indent, after_blank)) {
            i++;
            continue;
        }
        int after = mini(end_of_statement(f, i), end);
        lay_out_statement(f, i, after, indent, after_blank);
        i = after;
    }
}

void fmt_lay_out(Fmt *f) { lay_out_list(f, 0, f->pieces.n - 1, 0); }
