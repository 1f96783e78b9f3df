/* breaks.c -- where lines end inside a statement or a declaration: where the source has a line end at a place for one,
 * and, if a line is too long, at the best of these places. */
#include "fmt/internal.h"

/* Places for a line end, the best first; brackets around a place count more. */
enum {
    COST_FIELDS = 0, COST_OVER = 1, COST_HEAD = 2, COST_FOR = 3, COST_COMMA = 4, COST_ELSE = 5, COST_OPERATOR = 6,
    COST_OPENER = 18, COST_BRACKETS = 20, COST_VALUE = 10 + COST_BRACKETS,
};

static bool assigns(const Piece *p) {
    return p->kind == PIECE_TOKEN && p->token >= TOK_ASSIGN && p->token <= TOK_SHR_ASSIGN;
}

/* A soft keyword after an operand is the keyword. */
static bool follows_operand(const Piece *left) {
    return left->token == TOK_ID || left->token == TOK_INT || left->token == TOK_FLOAT || closes(left);
}

/* `fast`, `over`, `assume`, `->` */
static bool continues_head(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i), *left = piece_at(f, token_before(f, i));
    if (p->token == TOK_ARROW) return true;
    bool is_word = p->token == TOK_FAST || p->token == TOK_OVER || p->token == TOK_ASSUME;
    return p->role == ROLE_PLAIN && is_word && follows_operand(left);
}

static bool is_value_else(const Fmt *f, int i) {
    const Piece *left = piece_at(f, token_before(f, i));
    return piece_at(f, i)->token == TOK_ELSE && left->role == ROLE_VALUE;
}

/* `for` of [x for i in n] */
static bool is_inner_for(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i);
    return p->token == TOK_FOR && p->parent >= 0 && piece_at(f, p->parent)->token == TOK_LBRACKET;
}

static bool follows_separator(const Fmt *f, int i) {
    const Piece *left = piece_at(f, token_before(f, i));
    bool in_list = left->parent >= 0 && piece_at(f, left->parent)->role != ROLE_BODY;
    return !left->angles && (left->token == TOK_COMMA || (left->token == TOK_SEMI && in_list));
}

/* The cost without brackets; -1: a line cannot begin here. */
static int cost_inside(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i), *left = piece_at(f, token_before(f, i));
    if (closes(p)) return -1;
    if (opens(left) && left->role != ROLE_BODY) return left->role == ROLE_FIELDS ? COST_FIELDS : COST_OPENER;
    if (follows_separator(f, i)) return COST_COMMA;
    if (p->role == ROLE_BINARY) return COST_OPERATOR + p->precedence;
    if (assigns(left)) return COST_VALUE;
    if (continues_head(f, i)) return p->token == TOK_OVER || p->token == TOK_FAST ? COST_OVER : COST_HEAD;
    if (is_inner_for(f, i)) return COST_FOR;
    return is_value_else(f, i) && !piece_at(f, piece_at(f, token_before(f, i))->match)->is_tall ? COST_ELSE : -1;
}

int fmt_break_cost(const Fmt *f, int i) {
    const Piece *p = piece_at(f, i);
    if (is_comment(p) || i == 0 || token_before(f, i) < 0) return -1;
    int inside = cost_inside(f, i);
    return inside < 0 ? -1 : inside == COST_FIELDS ? inside : p->depth * COST_BRACKETS + inside;
}

/* A bracket whose contents have lines of their own. */
static void make_tall(Fmt *f, int open) {
    Piece *p = piece_at(f, open);
    int first = open + 1;
    while (first < token_from(f, open + 1) && !piece_at(f, first)->newlines) first++; /* comments beside the bracket */
    p->is_tall = true;
    piece_at(f, first)->breaks = piece_at(f, p->match)->breaks = true;
}

static void break_after_commas(Fmt *f, int open) {
    for (int i = open + 1; i < piece_at(f, open)->match; i++) {
        const Piece *p = piece_at(f, i);
        if (p->parent == open && is_token(p, TOK_COMMA) && !p->angles && !is_comment(piece_at(f, i + 1)))
            piece_at(f, i + 1)->breaks = true;
    }
}

void fmt_break(Fmt *f, int i) {
    int left = token_before(f, i);
    if (!opens(piece_at(f, left))) {
        piece_at(f, i)->breaks = true;
        return;
    }
    make_tall(f, left);
    if (piece_at(f, left)->role == ROLE_FIELDS) break_after_commas(f, left);
}

/* Lists that may end with a comma --------------------------------------------------------------------------------- */

static bool has_for(const Fmt *f, int open) {
    for (int i = open + 1; i < piece_at(f, open)->match; i++)
        if (piece_at(f, i)->parent == open && is_token(piece_at(f, i), TOK_FOR)) return true;
    return false;
}

/* [f32; ..] */
static bool has_any_rank(const Fmt *f, int open) {
    int last = token_before(f, piece_at(f, open)->match);
    return is_token(piece_at(f, last), TOK_DOTDOT) && is_token(piece_at(f, token_before(f, last)), TOK_SEMI);
}

/* `distinct(to)` after `assume`: a name, after a comma or `assume` outside of brackets */
static bool is_assumption(const Fmt *f, int open) {
    const Piece *p = piece_at(f, open);
    int before = token_before(f, token_before(f, open));
    if (p->parent >= 0 || before < 0) return false;
    return is_token(piece_at(f, before), TOK_ASSUME) || is_token(piece_at(f, before), TOK_COMMA);
}

static bool takes_comma(const Fmt *f, int open) {
    const Piece *p = piece_at(f, open);
    if (token_from(f, open + 1) == p->match) return false;
    if (p->token == TOK_LPAREN) return p->role == ROLE_CALL && !is_assumption(f, open);
    if (p->token == TOK_LBRACKET) return !has_for(f, open) && !has_any_rank(f, open);
    return p->role == ROLE_FIELDS;
}

/* Keeping the line ends of the source ------------------------------------------------------------------------------ */

static bool newline_in(const Fmt *f, int from, int to) {
    for (int i = from; i <= to; i++)
        if (piece_at(f, i)->newlines) return true;
    return false;
}

/* Between two items of a list. */
static bool has_inner_break(const Fmt *f, int open) {
    for (int i = open + 1; i < piece_at(f, open)->match; i++) {
        const Piece *p = piece_at(f, i);
        int next = token_from(f, i + 1);
        bool is_inner = p->parent == open && is_token(p, TOK_COMMA) && !p->angles && next < piece_at(f, open)->match;
        if (is_inner && newline_in(f, i + 1, next)) return true;
    }
    return false;
}

/* A list is tall if its first item is on a line of its own, if it ends with a comma, or with a comment on a line. */
static void keep_in_brackets(Fmt *f, int open) {
    Piece *p = piece_at(f, open);
    p->takes_comma = takes_comma(f, open);
    if (p->match == open + 1 || p->role == ROLE_BODY) return;
    int last = token_before(f, p->match);
    bool comma = p->takes_comma && is_token(piece_at(f, last), TOK_COMMA);
    bool first = newline_in(f, open + 1, token_from(f, open + 1));
    const Piece *end = piece_at(f, p->match - 1);
    bool comment = is_comment(end) && (end->kind == PIECE_LINE_COMMENT || end->newlines);
    bool fields = p->role == ROLE_FIELDS && newline_in(f, open + 1, p->match);
    if (!comma && !first && !comment && !fields) return;
    make_tall(f, open);
    if (!has_inner_break(f, open) && (p->role == ROLE_FIELDS || !first)) break_after_commas(f, open);
}

/* An operator begins the line, also if the source has it at the end of one. */
static void keep_before(Fmt *f, int i) {
    Piece *p = piece_at(f, i);
    int left = token_before(f, i);
    if (left < 0 || opens(piece_at(f, left)) || closes(p)) return;
    if (piece_at(f, left)->role == ROLE_BINARY) {
        if (newline_in(f, left + 1, i)) piece_at(f, left)->breaks = true;
        return;
    }
    if (p->newlines && cost_inside(f, i) >= 0) p->breaks = true;
}

void fmt_keep_breaks(Fmt *f) {
    for (int i = 0; i < f->pieces.n; i++)
        if (opens(piece_at(f, i))) keep_in_brackets(f, i);
    for (int i = 0; i < f->pieces.n; i++)
        if (!is_comment(piece_at(f, i))) keep_before(f, i);
}
