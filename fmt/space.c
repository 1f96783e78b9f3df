/* space.c -- the blanks between neighbours on a line: around operators between operands, after commas and keywords,
 * inside braces; none inside other brackets and after a sign. */
#include "fmt/internal.h"

#include <string.h>

/* `&`, `-`, `!`, `~` before an operand or a type. */
static bool is_prefix(const Piece *p) {
    return p->kind == PIECE_TOKEN && p->role != ROLE_BINARY &&
           (p->token == TOK_MINUS || p->token == TOK_BANG || p->token == TOK_TILDE || p->token == TOK_AMP);
}

static bool is_generic(const Piece *p, int token) { return is_token(p, token) && p->role == ROLE_GENERIC; }
static bool separates(const Piece *p) {
    return is_token(p, TOK_COMMA) || is_token(p, TOK_SEMI) || is_token(p, TOK_COLON);
}
static bool is_dot(const Piece *p) { return is_token(p, TOK_DOT) || is_token(p, TOK_DOTDOT); }

/* `- -x` would be read in another way without the blank if there were a token `--`. */
static bool would_join(const Piece *left, const Piece *right) {
    if (token_info[left->token].class != TOKEN_PUNCT || token_info[right->token].class != TOKEN_PUNCT) return false;
    char both[16];
    size_t n = strlen(token_info[left->token].spelling);
    strcpy(both, token_info[left->token].spelling);
    strcpy(both + n, token_info[right->token].spelling);
    for (int kind = 1; kind < TOK__COUNT; kind++) {
        const char *spelling = token_info[kind].spelling;
        size_t length = strlen(spelling);
        if (token_info[kind].class == TOKEN_PUNCT && length > n && !strncmp(both, spelling, length)) return true;
    }
    return false;
}

static bool is_loose(const Fmt *f, int left, int right) {
    const Piece *a = piece_at(f, left), *b = piece_at(f, right);
    if (is_token(b, TOK_COMMA) || is_token(b, TOK_SEMI) || is_token(b, TOK_COLON)) return false;
    if (opens(a) && closes(b)) return false;
    if (is_token(a, TOK_LBRACE) || is_token(b, TOK_RBRACE) || is_token(b, TOK_LBRACE)) return true;
    if (opens(a) || closes(b)) return false;
    if (is_comment(a) || is_comment(b)) return true;
    if (is_generic(b, TOK_LT) || is_generic(b, TOK_GT) || is_generic(b, TOK_SHR)) return false;
    if (separates(a)) return true;
    if (is_generic(a, TOK_LT) || is_dot(a) || is_dot(b) || is_prefix(a)) return false;
    if (opens(b)) return b->role != ROLE_CALL;
    return !(a->role == ROLE_UPDATE && is_token(b, TOK_ASSIGN));
}

bool fmt_spaced(const Fmt *f, int left, int right) {
    const Piece *a = piece_at(f, left), *b = piece_at(f, right);
    if (is_loose(f, left, right)) return true;
    return !is_comment(a) && !is_comment(b) && would_join(a, b);
}
