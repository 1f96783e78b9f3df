/* scanner.c -- the external scanner: words, comments that nest, and the text of strings. It has no state.
 *
 * grammar/kdsl.y and parser/parser.c of the compiler have the rules for words: a hard keyword is never a name; a soft
 * keyword (%fallback) is one where the grammar does not expect the keyword, and where what follows shows that it is a
 * name (is_name_here). */
#include <string.h>
#include <tree_sitter/parser.h>

/* In the order of `externals` in grammar.js. */
enum Token {
    IDENTIFIER,
    FN, KERNEL, STRUCT, CONST, IMPORT, EXTERN, EXPORT, TEST, LET, VAR, IF, ELSE, FOR, IN, WHILE, BREAK, CONTINUE,
    RETURN, ASSERT, OFFLOAD, ATOMIC, SHARED, BARRIER, WAIT, TRUE_, FALSE_, MUT,
    BY, STEP, ON, RESIDENT, ASYNC, OUT, SCRATCH, OVER, MIN, MAX, ASSUME, FAST,
    BLOCK_COMMENT, STRING_CONTENT, ERROR_SENTINEL
};

static const char *const words[] = {
    "fn", "kernel", "struct", "const", "import", "extern", "export", "test", "let", "var", "if", "else", "for", "in",
    "while", "break", "continue", "return", "assert", "offload", "atomic", "shared", "barrier", "wait", "true", "false",
    "mut", "by", "step", "on", "resident", "async", "out", "scratch", "over", "min", "max", "assume",
    "fast",
};

static int32_t next(const TSLexer *lx) { return lx->lookahead; }
static void advance(TSLexer *lx) { lx->advance(lx, false); }
static bool is_letter(int32_t ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_'; }
static bool is_digit(int32_t ch) { return ch >= '0' && ch <= '9'; }
static bool is_space(int32_t ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

/* After the opening `/`; comments nest. */
static bool skip_block_comment(TSLexer *lx) {
    if (next(lx) != '*') return false;
    advance(lx);
    for (int depth = 1; depth;) {
        if (lx->eof(lx)) return false;
        int32_t ch = next(lx);
        advance(lx);
        if (ch == '/' && next(lx) == '*') depth++, advance(lx);
        else if (ch == '*' && next(lx) == '/') depth--, advance(lx);
    }
    return true;
}

/* The next character that is not white space or a comment; what follows is read, but not consumed. */
static int32_t peek(TSLexer *lx) {
    for (;;) {
        if (is_space(next(lx))) {
            advance(lx);
            continue;
        }
        if (next(lx) != '/') return next(lx);
        advance(lx);
        if (next(lx) == '/') {
            while (next(lx) != '\n' && !lx->eof(lx)) advance(lx);
        } else if (!skip_block_comment(lx)) {
            return '/';
        }
    }
}

/* After `&out`, before `[`: are these brackets those of indices? As indices_are_next in parser/parser.c: a slice has
 * `..`; `[0.0; n]` and `[x for x in n]` are arrays; brackets that touch the word are indices. */
static bool indices_are_next(TSLexer *lx, bool touch) {
    bool is_slice = false;
    for (int depth = 0;;) {
        int32_t ch = peek(lx);
        if (lx->eof(lx)) break;
        if (is_letter(ch)) {
            char text[4];
            int n = 0;
            while (is_letter(next(lx)) || is_digit(next(lx))) {
                if (n < 4) text[n++] = (char)next(lx);
                advance(lx);
            }
            if (depth == 1 && n == 3 && !memcmp(text, "for", 3)) return false;
            continue;
        }
        advance(lx);
        if (depth == 1 && ch == ';') return false;
        if (depth == 1 && ch == '.' && next(lx) == '.') is_slice = true;
        if (ch == '(' || ch == '[' || ch == '{') depth++;
        if ((ch == ')' || ch == ']' || ch == '}') && --depth <= 0) break;
    }
    return is_slice || touch;
}

/* A soft keyword that is a name here: `f(&out)`, `f(&out[1..])`, `offload async(&x)`. */
static bool is_name_here(TSLexer *lx, const bool *valid, int token) {
    bool after_offload = (token == ASYNC || token == RESIDENT) && valid[ASYNC];
    bool after_amp = token == OUT && valid[TRUE_]; /* not in a type */
    if (!after_offload && !after_amp) return false;
    bool touch = next(lx) == '[';
    int32_t ch = peek(lx);
    if (ch == '.') return true;
    if (after_offload) return ch == '(';
    if (ch == '[') return indices_are_next(lx, touch);
    return ch == ',' || ch == ')';
}

static bool scan_word(TSLexer *lx, const bool *valid) {
    char text[12];
    size_t n = 0;
    for (; is_letter(next(lx)) || is_digit(next(lx)); n++) {
        if (n < sizeof text) text[n] = (char)next(lx);
        advance(lx);
    }
    lx->mark_end(lx);
    for (int i = 0; n <= sizeof text && i < (int)(sizeof words / sizeof *words); i++) {
        if (strlen(words[i]) != n || memcmp(words[i], text, n)) continue;
        int token = FN + i;
        bool is_hard = token < BY;
        if (valid[token] && (is_hard || !valid[IDENTIFIER] || !is_name_here(lx, valid, token))) {
            lx->result_symbol = (TSSymbol)token;
            return true;
        }
        if (is_hard) return false;
        break;
    }
    lx->result_symbol = IDENTIFIER;
    return valid[IDENTIFIER];
}

static bool scan_string_content(TSLexer *lx) {
    bool any = false;
    for (;; any = true) {
        int32_t ch = next(lx);
        if (lx->eof(lx) || ch == '"' || ch == '\\' || ch == '{' || ch == '}' || ch == '\n') break;
        advance(lx);
    }
    lx->mark_end(lx);
    lx->result_symbol = STRING_CONTENT;
    return any;
}

bool tree_sitter_kdsl_external_scanner_scan(void *payload, TSLexer *lx, const bool *valid) {
    (void)payload;
    if (valid[STRING_CONTENT] && !valid[ERROR_SENTINEL]) return scan_string_content(lx);
    while (is_space(next(lx))) lx->advance(lx, true);
    if (is_letter(next(lx))) return scan_word(lx, valid);
    if (next(lx) != '/' || !valid[BLOCK_COMMENT]) return false;
    advance(lx);
    if (!skip_block_comment(lx)) return false;
    lx->mark_end(lx);
    lx->result_symbol = BLOCK_COMMENT;
    return true;
}

void *tree_sitter_kdsl_external_scanner_create(void) { return NULL; }
void tree_sitter_kdsl_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_kdsl_external_scanner_serialize(void *payload, char *buffer) {
    (void)payload;
    (void)buffer;
    return 0;
}
void tree_sitter_kdsl_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    (void)payload;
    (void)buffer;
    (void)length;
}
