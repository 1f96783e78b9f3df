/* foreign_statement.c -- statements of other languages that are replaced as a whole: loops that count, prints, arrays,
 * constants. The tokens from the unexpected one to the end of its statement are read ahead, and given back. */
#include "parser/mistakes.h"

enum { MAX_PHRASE = 64 };

typedef struct Phrase {
    Token at[MAX_PHRASE];
    int n;
} Phrase;

/* 1: it opens a bracket, -1: it closes one. */
static int turn(int kind) {
    return is_opener(kind) - (kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE);
}

/* From `t` to the end of the statement or of the line; `braces`: through a block of the same line as well. */
static void phrase_read(Feed *f, const Token *t, bool braces, Phrase *p) {
    *p = (Phrase){.at = {*t}, .n = 1};
    int depth = is_opener(t->kind);
    while (p->n < MAX_PHRASE) {
        Token next = feed_take(f);
        bool brace = next.kind == TOK_LBRACE || next.kind == TOK_RBRACE;
        bool ends = next.kind == TOK_END || next.first_on_line || (brace && !braces);
        if (depth <= 0 && next.kind == TOK_SEMI) ends = true;
        if (ends) {
            feed_unread(f, next);
            break;
        }
        depth += turn(next.kind);
        p->at[p->n++] = next;
    }
    for (int i = p->n; i-- > 1;) feed_unread(f, p->at[i]);
}

static int kind_at(const Phrase *p, int i) { return i >= 0 && i < p->n ? p->at[i].kind : 0; }

/* The first token of this kind outside of brackets, or p->n. */
static int phrase_find(const Phrase *p, int from, int kind) {
    int depth = 0;
    for (int i = from; i < p->n; i++) {
        int k = p->at[i].kind;
        if (k == kind && !depth) return i;
        depth += turn(k);
    }
    return p->n;
}

static const char *phrase_text(const Feed *f, const Phrase *p, int from, int to) {
    return from < to ? text_of(f, span_join(p->at[from].span, p->at[to - 1].span)) : "";
}

/* The bound of a range, which excludes it: the operand and `more`, which is 1, 0 or -1. */
static const char *bound(const Feed *f, const Phrase *p, int from, int to, int more) {
    const char *text = phrase_text(f, p, from, to);
    if (!more) return text;
    const Token *first = &p->at[from];
    if (to - from == 1 && first->kind == TOK_INT && first->int_.value > 0 && first->int_.value < 1000000000)
        return arena_printf(f->p.arena, "%d", (int)first->int_.value + more);
    return arena_printf(f->p.arena, to - from > 1 ? "(%s) %c 1" : "%s %c 1", text, more > 0 ? '+' : '-');
}

/* ---- loops that count ---- */

typedef struct Step {
    int sign;            /* 0: it does not count */
    const char *by;      /* "": by 1 */
} Step;

/* `i++`, `++i`, `i += 2` */
static Step step_of(const Feed *f, const Phrase *p, int from, int to, Name name) {
    int a = kind_at(p, from), b = kind_at(p, from + 1), c = kind_at(p, from + 2), last = to - from;
    bool first = a == TOK_ID && p->at[from].name == name, prefix = c == TOK_ID && p->at[from + 2].name == name;
    if (first && last == 3 && b == c && (b == TOK_PLUS || b == TOK_MINUS)) return (Step){b == TOK_PLUS ? 1 : -1, ""};
    if (prefix && last == 3 && a == b && (a == TOK_PLUS || a == TOK_MINUS)) return (Step){a == TOK_PLUS ? 1 : -1, ""};
    if (first && last == 3 && (b == TOK_ADD_ASSIGN || b == TOK_SUB_ASSIGN))
        return (Step){b == TOK_ADD_ASSIGN ? 1 : -1, phrase_text(f, p, from + 2, to)};
    return (Step){0};
}

/* `i = 0; i < n; i++` from token `name` to `end`: the range that it counts; NULL: it is another loop. */
static const char *counted(Feed *f, const Phrase *p, int name, int end) {
    int first = name + 2, semi = phrase_find(p, first, TOK_SEMI), semi2 = phrase_find(p, semi + 1, TOK_SEMI);
    if (kind_at(p, name) != TOK_ID || end > p->n || semi2 >= end || semi2 <= semi + 3 || semi <= first) return NULL;
    Step step = step_of(f, p, semi2 + 1, end, p->at[name].name);
    int test = kind_at(p, semi + 2);
    bool counts = kind_at(p, semi + 1) == TOK_ID && p->at[semi + 1].name == p->at[name].name;
    bool up = test == TOK_LT || test == TOK_LE || test == TOK_NE, down = test == TOK_GT || test == TOK_GE;
    if (!counts || !(step.sign > 0 ? up : step.sign < 0 && down)) return NULL;
    const char *by = step.sign > 0 && !*step.by ? "" : arena_printf(f->p.arena, " step %s%s", step.sign < 0 ? "-" : "",
                                                                    *step.by ? step.by : "1");
    return arena_printf(f->p.arena, "%s in %s..%s%s", p->at[name].name, phrase_text(f, p, first, semi),
                        bound(f, p, semi + 3, semi2, test == TOK_LE ? 1 : test == TOK_GE ? -1 : 0), by);
}

const char *foreign_loop(Feed *f, const Token *t, Span *whole) {
    Phrase p;
    phrase_read(f, t, false, &p);
    int name = 1, end = phrase_find(&p, 1, TOK_RPAREN);
    while (name + 1 < end && kind_at(&p, name + 1) != TOK_ASSIGN) name++;
    if (end >= p.n) return NULL;
    *whole = span_join(t->span, p.at[end].span);
    return counted(f, &p, name, end);
}

/* `for i := 0; i < n; i++ {` of Go */
bool foreign_loop_of_go(Feed *f, Token *t, Repair *repair) {
    Phrase p = {.at = {f->prev}, .n = 1};
    Token next = *t;
    bool is_walrus = t->kind == TOK_COLON && feed_peek(f).kind == TOK_ASSIGN, has_semi = false;
    if (f->prev2.kind != TOK_FOR || !feed_accepts(f, TOK_IN) || (!is_walrus && t->kind != TOK_ASSIGN)) return false;
    if (is_walrus) next = feed_take(f);
    Vec(Token) taken = {0};
    if (is_walrus) vec_push(f->p.arena, &taken, next);
    for (; p.n < MAX_PHRASE && next.kind != TOK_LBRACE && next.kind != TOK_END && !next.first_on_line;
         next = feed_take(f), vec_push(f->p.arena, &taken, next)) {
        has_semi |= next.kind == TOK_SEMI;
        p.at[p.n++] = next;
    }
    if (!has_semi || next.kind != TOK_LBRACE) {
        while (taken.n) feed_unread(f, taken.at[--taken.n]);
        return false;
    }
    Span whole = span_join(f->prev.span, p.at[p.n - 1].span);
    Diag *d = diag(f->c, E0211, whole, "write a loop as `for i in 0..n { }`");
    const char *range = counted(f, &p, 0, p.n);
    if (range) diag_fix(f->c, d, whole, range, "count with a range");
    feed_push(f, feed_invent(f, TOK_IN));
    feed_push(f, feed_invent(f, TOK_INT));
    *t = next;
    *repair = REPAIR_RETRY;
    return true;
}

/* `do i = 1, n`, `do i = n, 1, -1` of Fortran */
static bool counted_do(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (!is_name(&f->prev, "do") || f->prev.span.lo != f->first.span.lo || t->kind != TOK_ID) return false;
    if (feed_peek(f).kind != TOK_ASSIGN) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    int comma = phrase_find(&p, 2, TOK_COMMA), second = phrase_find(&p, comma + 1, TOK_COMMA);
    Diag *d = diag(f->c, E0216, f->prev.span, "write a loop as `for i in 1..11 { }`, which counts from 1 to 10");
    if (comma >= p.n || comma == 2 || second == comma + 1) return true;
    bool down = kind_at(&p, second + 1) == TOK_MINUS;
    const char *by = second + 1 < p.n ? arena_printf(f->p.arena, " step %s", phrase_text(f, &p, second + 1, p.n)) : "";
    diag_fix(f->c, d, span_join(f->prev.span, p.at[p.n - 1].span),
             arena_printf(f->p.arena, "for %s in %s..%s%s", t->name, phrase_text(f, &p, 2, comma),
                          bound(f, &p, comma + 1, second, down ? -1 : 1), by),
             "a range excludes its upper bound");
    return true;
}

/* ---- prints ---- */

/* One value of a print: text is put into the format, a value after it. */
static void add_value(Feed *f, const Phrase *p, int from, int to, bool apart, Buf *format, Buf *values) {
    if (from >= to) return;
    const char *text = phrase_text(f, p, from, to);
    if (apart && format->n) buf_putc(format, ' ');
    if (to - from == 1 && kind_at(p, from) == TOK_STR) {
        size_t n = strlen(text) - 1;
        if (n >= 2 && !memcmp(text + n - 2, "\\n", 2)) n -= 2;
        for (size_t i = 1; i < n; i++)
            for (int k = 0; k <= (text[i] == '{' || text[i] == '}'); k++) buf_putc(format, text[i]);
        return;
    }
    buf_puts(format, "{}");
    buf_printf(values, ", %s", text);
}

static void fix_print(Feed *f, Diag *d, Span whole, const Buf *format, const Buf *values) {
    diag_fix(f->c, d, whole, arena_printf(f->p.arena, "print(\"%s\"%s)", format->at ? format->at : "",
                                          values->at ? values->at : ""), "use `print`");
}

static bool is_line_end(const Phrase *p, int from, int to) {
    return to > from && (is_name(&p->at[to - 1], "endl") || is_name(&p->at[to - 1], "flush"));
}

/* `std::cout << x << std::endl;`, `cout << x;` */
static bool stream(Feed *f, Token *t) {
    Token next = feed_peek(f);
    bool qualified = t->kind == TOK_COLON && next.kind == TOK_COLON && is_name(&f->prev, "std");
    bool plain = t->kind == TOK_SHL && (is_name(&f->prev, "cout") || is_name(&f->prev, "cerr"));
    if (f->first.span.lo != f->prev.span.lo || !(qualified || plain)) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    int at = qualified ? 3 : 0; /* of the first `<<` */
    bool is_out = plain || is_name(&p.at[2], "cout") || is_name(&p.at[2], "cerr");
    if (p.n <= at || !is_out || kind_at(&p, at) != TOK_SHL) return false;
    Diag *d = diag(f->c, E0216, span_join(f->prev.span, qualified ? p.at[2].span : f->prev.span),
                   "write a line with `print(\"{}\", x);`");
    Buf format = {0}, values = {0};
    while (at < p.n) {
        int end = phrase_find(&p, at + 1, TOK_SHL);
        if (!is_line_end(&p, at + 1, end)) add_value(f, &p, at + 1, end, false, &format, &values);
        at = end;
    }
    fix_print(f, d, span_join(f->prev.span, p.at[p.n - 1].span), &format, &values);
    buf_free(&format);
    buf_free(&values);
    return true;
}

/* `print *, x, y` and `write(*, *) x` of Fortran */
static bool list_directed(Feed *f, Token *t) {
    bool prints = t->kind == TOK_STAR && is_name(&f->prev, "print") && f->first.span.lo == f->prev.span.lo;
    bool writes = t->kind == TOK_STAR && f->prev.kind == TOK_LPAREN && is_name(&f->prev2, "write");
    if (!prints && !writes) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    int at = writes ? phrase_find(&p, 0, TOK_RPAREN) : 1;
    if (prints ? kind_at(&p, 1) != TOK_COMMA : at >= p.n) return false;
    Diag *d = diag(f->c, E0216, f->first.span, "write a line with `print(\"{}\", x);`");
    Buf format = {0}, values = {0};
    while (at < p.n) {
        int end = phrase_find(&p, at + 1, TOK_COMMA);
        add_value(f, &p, at + 1, end, true, &format, &values);
        at = end;
    }
    fix_print(f, d, span_join(f->first.span, p.at[p.n - 1].span), &format, &values);
    buf_free(&format);
    buf_free(&values);
    return true;
}

/* ---- arrays ---- */

const char *zero_of(Feed *f, const char *type) {
    if (!strcmp(type, "f64")) return "0.0";
    if (!strcmp(type, "i32")) return "0";
    if (!strcmp(type, "bool")) return "false";
    if (!strcmp(type, "str")) return "\"\"";
    if (strchr(type, 'x') && strcmp(type, "index")) return arena_printf(f->p.arena, "%s(0)", type);
    return arena_printf(f->p.arena, type[0] == 'f' || type[0] == 'b' ? "0.0%s" : "0%s", type);
}

/* `[3][4]` from token `at` on: "3, 4"; *end is the index after it. */
static const char *extents(Feed *f, const Phrase *p, int at, int *end) {
    const char *text = "";
    while (kind_at(p, at) == TOK_LBRACKET) {
        int close = phrase_find(p, at + 1, TOK_RBRACKET);
        if (close >= p->n || close == at + 1) return NULL;
        text = arena_printf(f->p.arena, "%s%s%s", text, *text ? ", " : "", phrase_text(f, p, at + 1, close));
        *end = at = close + 1;
    }
    return *text ? text : NULL;
}

const char *foreign_array_of(Feed *f, const Token *t, const char *name, const char *type, Span *whole) {
    Phrase p;
    phrase_read(f, t, true, &p);
    int list = phrase_find(&p, 0, TOK_ASSIGN) + 1, close = phrase_find(&p, list + 1, TOK_RBRACE);
    if (kind_at(&p, list) == TOK_LBRACE && close == p.n - 1 && close > list + 1) {
        *whole = p.at[close].span;
        return arena_printf(f->p.arena, "var %s = [%s]", name, phrase_text(f, &p, list + 1, close));
    }
    int end = 0;
    const char *sizes = extents(f, &p, 0, &end);
    if (!sizes || end < p.n) return NULL;
    *whole = p.at[end - 1].span;
    return arena_printf(f->p.arena, "var %s = [%s; %s]", name, zero_of(f, type), sizes);
}

/* `std::vector<float> v(10);`, `vector<float> v(10, 1.0);` */
static bool vector(Feed *f, Token *t) {
    Token next = feed_peek(f);
    bool qualified = t->kind == TOK_COLON && next.kind == TOK_COLON && is_name(&f->prev, "std");
    bool plain = t->kind == TOK_GT && f->prev2.kind == TOK_LT && is_name(&f->first, "vector") && foreign_type(&f->prev);
    if (!plain && !(qualified && f->first.span.lo == f->prev.span.lo)) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    int at = qualified ? 5 : 0; /* of the `>` */
    bool is_vector = !qualified || (is_name(&p.at[2], "vector") && kind_at(&p, 3) == TOK_LT);
    if (kind_at(&p, at) != TOK_GT || !is_vector) return false;
    const char *type = foreign_type(qualified ? &p.at[4] : &f->prev);
    if (!type) return false;
    Diag *d = diag(f->c, E0216, span_join(f->first.span, p.at[at].span),
                   "create an array with its values: `var x = [0.0; n];`");
    int open = at + 2, close = phrase_find(&p, open + 1, TOK_RPAREN), comma = phrase_find(&p, open + 1, TOK_COMMA);
    if (kind_at(&p, open) != TOK_LPAREN || close != p.n - 1 || comma == p.n - 1 || close == open + 1) return true;
    bool has_value = comma < close;
    const char *size = phrase_text(f, &p, open + 1, has_value ? comma : close);
    const char *value = has_value ? phrase_text(f, &p, comma + 1, close) : zero_of(f, type);
    diag_fix(f->c, d, span_join(f->first.span, p.at[close].span),
             arena_printf(f->p.arena, "var %s = [%s; %s]", p.at[at + 1].name, value, size), "fill it");
    return true;
}

/* `__shared__ float s[64];`: `t` is the type. */
void fix_shared(Feed *f, Diag *d, const Token *t) {
    Phrase p;
    phrase_read(f, t, false, &p);
    int end = 0;
    const char *type = foreign_type(t), *sizes = kind_at(&p, 1) == TOK_ID ? extents(f, &p, 2, &end) : NULL;
    if (!type || !sizes || end < p.n) return;
    diag_fix(f->c, d, span_join(f->prev.span, p.at[end - 1].span),
             arena_printf(f->p.arena, "shared %s: [%s; %s]", p.at[1].name, type, sizes), "name it first");
}

/* `assert_eq!(a, b)`: `t` is the `!`. */
bool fix_assert(Feed *f, Diag *d, const Token *t) {
    const char *op = is_name(&f->prev, "assert_eq") ? "==" : is_name(&f->prev, "assert_ne") ? "!=" : NULL;
    Phrase p;
    if (!op) return false;
    phrase_read(f, t, false, &p);
    int comma = phrase_find(&p, 2, TOK_COMMA), close = phrase_find(&p, 2, TOK_RPAREN);
    if (comma >= close || close != p.n - 1 || phrase_find(&p, comma + 1, TOK_COMMA) < close) return false;
    diag_fix(f->c, d, span_join(f->prev.span, p.at[close].span),
             arena_printf(f->p.arena, "assert %s %s %s", phrase_text(f, &p, 2, comma), op,
                          phrase_text(f, &p, comma + 1, close)),
             "`assert` is a statement");
    return true;
}

/* `k<<<blocks, threads>>>(x)`: `t` is the `<<<`. */
void fix_launch(Feed *f, Diag *d, const Token *t) {
    Phrase p;
    phrase_read(f, t, false, &p);
    for (int i = 1; i + 2 < p.n; i++) {
        bool ends = kind_at(&p, i) == TOK_SHR && kind_at(&p, i + 1) == TOK_GT && touches(&p.at[i], &p.at[i + 1]);
        if (!ends || kind_at(&p, i + 2) != TOK_LPAREN) continue;
        diag_fix(f->c, d, span_join(f->prev.span, p.at[i + 1].span),
                 arena_printf(f->p.arena, "offload %s", f->prev.name), "launch it");
        return;
    }
}

/* `-> sum f32 over i in n {`: `t` is the arrow. */
void fix_domain(Feed *f, Diag *d, const Token *t) {
    Phrase p;
    phrase_read(f, t, false, &p);
    int over = phrase_find(&p, 1, TOK_OVER);
    if (over + 1 < p.n)
        diag_fix(f->c, d, span_join(t->span, p.at[p.n - 1].span),
                 arena_printf(f->p.arena, "%s %s", phrase_text(f, &p, over, p.n), phrase_text(f, &p, 0, over)),
                 "write the domain first");
}

/* `fast kernel k(...) over i in n {`: `t` is the `fast`. */
void fix_fast(Feed *f, Diag *d, const Token *t) {
    Phrase p;
    phrase_read(f, t, false, &p);
    int over = phrase_find(&p, 1, TOK_OVER);
    if (over < p.n)
        diag_fix(f->c, d, span_join(t->span, p.at[over - 1].span),
                 arena_printf(f->p.arena, "%s fast", phrase_text(f, &p, 1, over)), "write it before `over`");
}

/* `enum Colour { RED, GREEN = 3 }`, on one line */
void fix_constants(Feed *f, Diag *d, const Token *t) {
    Phrase p;
    phrase_read(f, t, true, &p);
    int at = phrase_find(&p, 1, TOK_LBRACE) + 1, end = phrase_find(&p, at, TOK_RBRACE), value = 0;
    if (end >= p.n || at == end) return;
    const char *text = "";
    while (at < end) {
        bool has_value = kind_at(&p, at + 1) == TOK_ASSIGN && kind_at(&p, at + 2) == TOK_INT;
        if (has_value) value = (int)p.at[at + 2].int_.value;
        int next = at + (has_value ? 3 : 1);
        if (kind_at(&p, at) != TOK_ID || (next < end && kind_at(&p, next) != TOK_COMMA)) return;
        text = arena_printf(f->p.arena, "%s%sconst %s = %d;", text, *text ? " " : "", p.at[at].name, value++);
        at = next + 1;
    }
    diag_fix(f->c, d, span_join(t->span, p.at[kind_at(&p, end + 1) == TOK_SEMI ? end + 1 : end].span), text,
             "declare constants");
}

/* ---- declarations and assignments ---- */

/* `real(8) :: x`, `integer :: n = 3` of Fortran */
static bool double_colon(Feed *f, Token *t) {
    Token next = feed_peek(f);
    const char *type = foreign_type(&f->first);
    bool is_word = f->prev.kind == TOK_RPAREN || f->prev.span.lo == f->first.span.lo;
    if (t->kind != TOK_COLON || next.kind != TOK_COLON || !touches(t, &next) || !type || !is_word) return false;
    if (f->prev.kind == TOK_RPAREN && f->prev2.kind == TOK_INT && f->prev2.int_.value == 8)
        type = type[0] == 'f' ? "f64" : "i64";
    Phrase p;
    phrase_read(f, t, false, &p);
    bool is_one = kind_at(&p, 2) == TOK_ID && (p.n == 3 || kind_at(&p, 3) == TOK_ASSIGN) &&
                  phrase_find(&p, 3, TOK_COMMA) == p.n;
    Span both = span_join(f->first.span, p.at[is_one ? 2 : 1].span);
    const char *name = kind_at(&p, 2) == TOK_ID ? p.at[2].name : "x";
    const char *ours = arena_printf(f->p.arena, "var %s: %s", name, type);
    Diag *d = diag(f->c, E0210, both, "the type comes after the name: `%s`", ours);
    if (is_one) diag_fix(f->c, d, both, ours, "write the name first");
    return true;
}

/* `std::string name = "Ada"` */
static bool qualified_type(Feed *f, Token *t) {
    Token next = feed_peek(f);
    if (t->kind != TOK_COLON || next.kind != TOK_COLON || f->prev.span.lo != f->first.span.lo) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    const char *type = kind_at(&p, 3) == TOK_ID ? foreign_type(&p.at[2]) : NULL;
    if (!type || !is_name(&f->prev, "std")) return false;
    Span both = span_join(f->prev.span, p.at[3].span);
    const char *ours = arena_printf(f->p.arena, "var %s: %s", p.at[3].name, type);
    Diag *d = diag(f->c, E0210, both, "the type comes after the name: `%s`", ours);
    diag_fix(f->c, d, both, ours, "write the name first");
    return true;
}

/* `real, dimension(10) :: x` of Fortran */
static bool dimension(Feed *f, Token *t) {
    const char *type = foreign_type(&f->first);
    if (t->kind != TOK_COMMA || !type || f->prev.span.lo != f->first.span.lo) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    int close = phrase_find(&p, 3, TOK_RPAREN), name = close + 3;
    if (!is_name(&p.at[1], "dimension") || kind_at(&p, 2) != TOK_LPAREN || kind_at(&p, name) != TOK_ID) return false;
    const char *ours = arena_printf(f->p.arena, "var %s = [%s; %s]", p.at[name].name, zero_of(f, type),
                                    phrase_text(f, &p, 3, close));
    Span whole = span_join(f->first.span, p.at[name].span);
    Diag *d = diag(f->c, E0210, whole, "create an array with its values: `%s`", ours);
    if (name == p.n - 1) diag_fix(f->c, d, whole, ours, "fill it");
    return true;
}

/* `a, b = b, a` */
static bool exchange(Feed *f, Token *t) {
    if (t->kind != TOK_COMMA || f->prev.kind != TOK_ID || f->prev.span.lo != f->first.span.lo) return false;
    Phrase p;
    phrase_read(f, t, false, &p);
    bool fits = p.n == 6 && kind_at(&p, 1) == TOK_ID && kind_at(&p, 2) == TOK_ASSIGN && kind_at(&p, 3) == TOK_ID &&
                kind_at(&p, 4) == TOK_COMMA && kind_at(&p, 5) == TOK_ID;
    if (!fits || p.at[3].name != p.at[1].name || p.at[5].name != f->prev.name) return false;
    const char *a = f->prev.name, *b = p.at[1].name;
    Diag *d = diag(f->c, E0216, t->span, "a statement declares or assigns a single variable");
    diag_note(f->c, d, t->span, "exchange two arrays with `swap(&mut %s, &mut %s)`", a, b);
    diag_fix(f->c, d, span_join(f->prev.span, p.at[5].span),
             arena_printf(f->p.arena, "let old_%s = %s; %s = %s; %s = old_%s", a, a, a, b, b, a), "keep the old value");
    return true;
}

bool foreign_statement(Feed *f, Token *t, Repair *repair) {
    return counted_do(f, t, repair) || stream(f, t) || vector(f, t) || list_directed(f, t) || double_colon(f, t) ||
           qualified_type(f, t) || dimension(f, t) || exchange(f, t);
}

/* ---- operators of Fortran ---- */

static const struct {
    const char *theirs, *ours;
    int kind;
} dotted_words[] = {
    {"and", "&&", TOK_AND}, {"or", "||", TOK_OR}, {"eq", "==", TOK_EQ}, {"ne", "!=", TOK_NE}, {"lt", "<", TOK_LT},
    {"le", "<=", TOK_LE},   {"gt", ">", TOK_GT},  {"ge", ">=", TOK_GE},
};

/* `a .and. b`, which the grammar reads as two fields, until the next operator. */
bool dotted_operator(Feed *f, Token *t, Repair *repair) {
    Token next = feed_peek(f);
    if (t->kind == TOK_DOT && is_name(&next, "not") && at_expression(f)) {
        Token word = feed_take(f), dot = feed_peek(f);
        if (dot.kind != TOK_DOT) {
            feed_unread(f, word);
            return false;
        }
        feed_take(f);
        Diag *d = diag(f->c, E0216, span_join(t->span, dot.span), "there is no `.not.`; write `!`");
        diag_fix(f->c, d, span_join(t->span, dot.span), "!", "use this operator");
        return retry_as(t, TOK_BANG, repair);
    }
    bool named = f->prev2.kind == TOK_DOT && f->prev.kind == TOK_ID; /* `a.and.b <` */
    const Token *dot = named ? &f->prev2 : &f->prev;
    if (dot->kind != TOK_DOT) return false;
    const Source *s = f->lexer.source;
    const char *end = s->text + (dot->span.lo - s->base);
    for (size_t i = 0; i < sizeof dotted_words / sizeof *dotted_words; i++) {
        size_t n = strlen(dotted_words[i].theirs);
        if ((size_t)(end - s->text) <= n || end[-1 - (long)n] != '.') continue;
        if (memcmp(end - n, dotted_words[i].theirs, n)) continue;
        Span word = {dot->span.lo - (uint32_t)n - 1, dot->span.hi};
        Diag *d = diag(f->c, E0216, word, "there is no `%s`; write `%s`", text_of(f, word), dotted_words[i].ours);
        diag_fix(f->c, d, word, dotted_words[i].ours, "use this operator");
        if (named && feed_accepts(f, TOK_AND)) return retry_as(t, TOK_AND, repair);
        return true;
    }
    return false;
}

/* ---- `a if c else b` ---- */

/* At the beginning of a line, a `;` is missing before an `if` statement. */
bool foreign_chosen(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_IF || t->first_on_line || !after_expression(f) || innermost(f) == TOK_LBRACKET) return false;
    Diag *d = diag(f->c, E0216, t->span, "the condition of a choice comes first: `if c { a } else { b }`");
    Phrase p;
    phrase_read(f, t, false, &p);
    int other = phrase_find(&p, 1, TOK_ELSE), end = phrase_find(&p, other + 1, TOK_COMMA);
    int close = phrase_find(&p, other + 1, TOK_RPAREN);
    if (close < end) end = close;
    uint32_t lo = lex_expression_before(f->lexer.source, t->span.lo);
    if (lo >= t->span.lo || other >= end || other == 1 || phrase_find(&p, other + 1, TOK_IF) < end) return true;
    Span value = {lo, f->prev.span.hi};
    diag_fix(f->c, d, (Span){lo, p.at[end - 1].span.hi},
             arena_printf(f->p.arena, "if %s { %s } else { %s }", phrase_text(f, &p, 1, other), text_of(f, value),
                          phrase_text(f, &p, other + 1, end)),
             "write the condition first");
    return true;
}
