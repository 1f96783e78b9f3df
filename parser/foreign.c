/* foreign.c -- messages for constructs of other languages that are syntax errors in KDSL, with their replacements. The
 * keywords are rows of grammar/foreign.def; operators need code, because their meaning depends on the context. */
#include "parser/mistakes.h"

/* ---- types ---- */

static const char *own_type(const char *name) {
    static const char *const own[] = {"bool", "i8",    "i16", "i32",  "i64", "u8",  "u16", "u32",
                                      "u64",  "index", "f16", "bf16", "f32", "f64", "str"};
    static const struct {
        const char *theirs, *ours;
    } known[] = {
#define FOREIGN_TYPE(theirs, ours) {theirs, ours},
#include "grammar/foreign.def"
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i])) return own[i];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].theirs)) return known[i].ours;
    return NULL;
}

static const char *type_of(const Token *t) { return t->kind == TOK_ID ? own_type(t->name) : NULL; }

static bool starts_anew(int before) {
    return before == TOK_SEMI || before == TOK_LBRACE || before == TOK_RBRACE || before == TOK_LPAREN ||
           before == TOK_COMMA || before == TOK_RESYNC || before == TOK_CONST;
}

static bool type_behind_name(Feed *f, Token *t, Repair *repair) {
    if (!feed_accepts(f, TOK_COLON) || !type_of(t) || type_of(&f->prev)) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    Diag *d = diag(f->c, E0201, t->span, "write `:` between a name and its type");
    diag_fix(f->c, d, gap, ":", "`%s: %s`", f->prev.name, type_of(t));
    feed_push(f, feed_invent(f, TOK_COLON));
    return retry_as(t, TOK_ID, repair);
}

/* `fn f(x: f32) f32 {` of Go and Zig */
static bool result_without_arrow(Feed *f, Token *t, Repair *repair) {
    if (f->prev.kind != TOK_RPAREN || !type_of(t) || !feed_accepts(f, TOK_ARROW)) return false;
    Diag *d = diag(f->c, E0216, t->span, "write the result type after `->`");
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "-> ", "use the arrow");
    feed_push(f, feed_invent(f, TOK_ARROW));
    return retry_as(t, TOK_ID, repair);
}

/* `int x`, `f32 x`: two names in a row, the first a type. */
bool foreign_type_before_name(Feed *f, Token *t, Repair *repair) {
    if (result_without_arrow(f, t, repair)) return true;
    if (t->kind != TOK_ID || f->prev.kind != TOK_ID || after_expression(f)) return false;
    if (type_behind_name(f, t, repair)) return true;
    bool is_declaration = feed_accepts(f, TOK_ADD_ASSIGN), is_const = f->prev2.kind == TOK_CONST;
    if (!is_declaration && !feed_accepts(f, TOK_COLON)) return false;
    const char *type = type_of(&f->prev);
    if (!starts_anew(f->prev2.kind) || (is_declaration && !type) || type_of(t)) return false;
    Span both = span_join(f->prev.span, t->span);
    const char *ours =
        arena_printf(&f->c->arena, "%s%s: %s", is_declaration ? "var " : "", t->name, type ? type : f->prev.name);
    if (is_declaration && feed_peek(f).kind == TOK_LBRACKET) {
        diag(f->c, E0210, both, "the type comes after the name; create an array with its values: `var %s = [0.0; n]`",
             t->name);
        return true;
    }
    Diag *d = diag(f->c, E0210, both, "the type comes after the name: `%s%s`", is_const ? "const " : "", ours);
    diag_fix(f->c, d, both, ours, "write the name first");
    return true;
}

/* `*p`, `f32 *p`, `p: *f32`, `p: f32*`, `(float *)malloc(n)` */
bool foreign_pointer(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_RPAREN && f->prev.kind == TOK_STAR && type_of(&f->prev2)) {
        diag(f->c, E0216, span_join(f->prev2.span, f->prev.span),
             "there are no pointers; create an array with its values: `var x = [0.0; n];`");
        return true;
    }
    if (t->kind != TOK_STAR) return false;
    if (at_expression(f) && f->prev.kind != TOK_STAR) {
        diag(f->c, E0216, t->span, "there are no pointers; write `x[i]` for an element");
        *repair = REPAIR_DROP;
        return true;
    }
    bool behind = type_of(&f->prev) && (f->prev2.kind == TOK_COLON || starts_anew(f->prev2.kind));
    if (!behind && !at_type(f)) return false;
    diag(f->c, E0216, t->span,
         "there are no pointers; pass an array as `x: &[f32; n]`, or as `&mut` to change it");
    return true;
}

/* ---- words ---- */

typedef struct Word {
    const char *theirs, *advice;
} Word;

static const char *advice_of(const Word *words, size_t n, const Token *t) {
    if (t->kind != TOK_ID) return NULL;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(t->name, words[i].theirs)) return words[i].advice;
    return NULL;
}

/* `not done`, `not (a == b)`, but not `not a == b`: `!` binds more closely. */
static bool negates_one(Feed *f, const Token *t) {
    Token next = feed_peek(f);
    bool ends = next.kind == TOK_LBRACE || next.kind == TOK_RPAREN || next.kind == TOK_SEMI || next.kind == TOK_AND ||
                next.kind == TOK_OR || is_name(&next, "and") || is_name(&next, "or");
    return t->kind == TOK_LPAREN || (t->kind == TOK_ID && ends);
}

/* A keyword of another language, which the grammar has accepted as a name; the next token shows that it is a
 * keyword. */
bool foreign_word(Feed *f, Token *t, Repair *repair) {
    static const Word words[] = {
#define FOREIGN_WORD(theirs, advice) {theirs, advice},
#include "grammar/foreign.def"
    };
    (void)repair;
    /* `switch (x) {`, `foreach (x in y)` */
    bool like_call = (t->kind == TOK_LBRACE && f->prev.kind == TOK_RPAREN) || (t->kind == TOK_IN && f->open.n > 1);
    const Token *word = like_call ? &f->first : &f->prev;
    const char *advice = advice_of(words, sizeof words / sizeof *words, word);
    if (!advice || t->kind == TOK_SEMI) return false;
    Diag *d = diag(f->c, E0216, word->span, "%s", advice);
    if (!strncmp(word->name, "els", 3) || is_name(word, "elif"))
        diag_fix(f->c, d, word->span, "else if", "write two words");
    if (is_name(word, "not") && negates_one(f, t))
        diag_fix(f->c, d, (Span){word->span.lo, t->span.lo}, "!", "use `!`");
    return true;
}

bool foreign_item(Feed *f, Token *t, Repair *repair) {
    static const char *const functions[] = {"def", "func", "function", "fun", "proc", "void", "subroutine"};
    static const Word items[] = {
#define FOREIGN_ITEM(theirs, advice) {theirs, advice},
#include "grammar/foreign.def"
    };
    if (t->kind != TOK_ID || !at_item(f)) return false;
    bool is_function = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) is_function |= is_name(t, functions[i]);
    const char *type = type_of(t);
    if (type) { /* `int main() {`, but not `int total = 0;` */
        Token name = feed_take(f), next = feed_peek(f);
        feed_unread(f, name);
        is_function = name.kind == TOK_ID && next.kind == TOK_LPAREN;
    }
    if (is_function) {
        Diag *d = diag(f->c, E0216, t->span, "declare a function with `fn`%s",
                       type ? ", and write the result type after `->`" : "");
        diag_fix(f->c, d, t->span, "fn", "use this instead of `%s`", t->name);
        return retry_as(t, TOK_FN, repair);
    }
    const char *advice = advice_of(items, sizeof items / sizeof *items, t);
    if (!advice) return false;
    diag(f->c, E0216, t->span, "%s", advice);
    if (is_name(t, "pub")) *repair = REPAIR_DROP;
    return true;
}

/* ---- operators ---- */

static bool as_and_or(Feed *f, Token *t, Repair *repair) {
    bool is_and = is_name(t, "and");
    if (is_and || is_name(t, "or")) {
        const char *ours = is_and ? "&&" : "||";
        Diag *d = diag(f->c, E0216, t->span, "there is no `%s`; write `%s`", t->name, ours);
        diag_fix(f->c, d, t->span, ours, "use this operator");
        return retry_as(t, is_and ? TOK_AND : TOK_OR, repair);
    }
    if (!is_name(t, "as")) return false;
    Token type = feed_peek(f);
    const char *ours = type_of(&type);
    diag(f->c, E0216, t->span, "write a conversion as `%s(...)`", ours ? ours : "f32");
    return true;
}

/* Two tokens that are one operator in other languages: `**`, `===`, `<>`, `~=`. After a replacement parsing
 * continues. */
static bool two_as_one(Feed *f, Token *t, Repair *repair) {
    static const struct {
        int first, second;
        const char *advice, *ours;
        int kind;
    } signs[] = {
        {TOK_STAR, TOK_STAR, "write a power as `pow(x, y)`", NULL, 0},
        {TOK_EQ, TOK_ASSIGN, "there is no `===`; write `==`", "==", 0},
        {TOK_NE, TOK_ASSIGN, "there is no `!==`; write `!=`", "!=", 0},
        {TOK_LT, TOK_GT, "there is no `<>`; write `!=`", "!=", 0},
        {TOK_TILDE, TOK_ASSIGN, "there is no `~=`; write `!=`", "!=", TOK_NE},
        {TOK_ASSIGN, TOK_LT, "there is no `=<`; write `<=`", "<=", TOK_LE},
        {TOK_ASSIGN, TOK_GT, "there is no `=>`; write `>=` to compare", ">=", TOK_GE},
        {TOK_DOTDOT, TOK_DOT, "write a range with two dots: `a..b`, which excludes b", "..", 0},
    };
    Token next = feed_peek(f);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        bool behind = f->prev.kind == signs[i].first && t->kind == signs[i].second && touches(&f->prev, t);
        bool ahead = t->kind == signs[i].first && next.kind == signs[i].second && touches(t, &next);
        if (signs[i].kind ? !ahead || !feed_accepts(f, signs[i].kind) : !behind && (!ahead || signs[i].ours)) continue;
        Span both = behind ? span_join(f->prev.span, t->span) : span_join(t->span, next.span);
        Diag *d = diag(f->c, E0216, both, "%s", signs[i].advice);
        if (signs[i].ours) diag_fix(f->c, d, both, signs[i].ours, "use this operator");
        if (signs[i].kind) {
            feed_take(f);
            return retry_as(t, signs[i].kind, repair);
        }
        if (signs[i].ours) *repair = REPAIR_DROP;
        return true;
    }
    return false;
}

/* `k<<<blocks, threads>>>(x)` as a statement */
static bool cuda_launch(Feed *f, Token *t) {
    if (t->kind != TOK_ROL || f->prev.kind != TOK_ID) return false;
    diag(f->c, E0216, t->span, "launch a kernel with `offload k(...)`; its `over` sets the number of work items");
    return true;
}

/* `p->x`, `std::sqrt`, `f::<f32>(x)`, `f<f32>(x)` */
static bool member(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_ARROW && feed_accepts(f, TOK_DOT)) {
        Diag *d = diag(f->c, E0216, t->span, "there are no pointers; access a field with `.`");
        diag_fix(f->c, d, t->span, ".", "use a dot");
        return retry_as(t, TOK_DOT, repair);
    }
    Token next = feed_peek(f);
    bool ahead = t->kind == TOK_COLON && next.kind == TOK_COLON && touches(t, &next);
    bool behind = t->kind == TOK_COLON && f->prev.kind == TOK_COLON && touches(&f->prev, t);
    if (!behind && !(ahead && feed_accepts(f, TOK_DOT))) return false;
    Span both = ahead ? span_join(t->span, next.span) : span_join(f->prev.span, t->span);
    if (behind && next.kind == TOK_LT) {
        diag(f->c, E0216, both, "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    Diag *d = diag(f->c, E0216, both, "write a name of a module with a dot: `math.PI`");
    diag_fix(f->c, d, both, ".", "use a dot");
    if (behind) return true;
    feed_take(f);
    return retry_as(t, TOK_DOT, repair);
}

static bool arrow_function(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    Token next = feed_peek(f);
    bool arrow = t->kind == TOK_ASSIGN && next.kind == TOK_GT && touches(t, &next) && f->prev.kind == TOK_RPAREN;
    if (!(t->kind == TOK_PIPE && at_expression(f)) && !arrow) return false;
    diag(f->c, E0216, t->span, "functions are not values; declare one with `fn`");
    return true;
}

/* `a if c else b`. At the beginning of a line, a `;` is missing before an `if` statement. */
static bool choice_after_value(Feed *f, const Token *t) {
    if (t->kind != TOK_IF || t->first_on_line || !after_expression(f) || innermost(f) == TOK_LBRACKET) return false;
    diag(f->c, E0216, t->span, "the condition of a choice comes first: `if c { a } else { b }`");
    return true;
}

bool foreign_sign(Feed *f, Token *t, Repair *repair) {
    if (is_name(t, "as") && f->first.kind == TOK_IMPORT) {
        diag(f->c, E0216, t->span, "a module cannot be renamed: write `import math;` and `math.PI`");
        return true;
    }
    if (arrow_function(f, t, repair) || two_as_one(f, t, repair) || cuda_launch(f, t)) return true;
    if (member(f, t, repair) || choice_after_value(f, t)) return true;
    return after_expression(f) && as_and_or(f, t, repair);
}

/* ---- calls ---- */

/* `(float)x`, `(f32) x` */
static bool cast(Feed *f, Token *t) {
    bool operand = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT;
    const char *type = type_of(&f->prev2);
    if (!operand || f->prev.kind != TOK_RPAREN || !type || !after_expression(f)) return false;
    const Source *s = f->lexer.source;
    uint32_t lo = f->prev2.span.lo;
    while (lo > s->base && s->text[lo - s->base] != '(') lo--;
    Token next = feed_peek(f);
    bool alone = next.kind != TOK_LBRACKET && next.kind != TOK_LPAREN && next.kind != TOK_DOT;
    Diag *d = diag(f->c, E0216, (Span){lo, f->prev.span.hi}, "write a conversion like a call: `%s(...)`", type);
    int n = (int)(t->span.hi - t->span.lo);
    if (alone)
        diag_fix(f->c, d, (Span){lo, t->span.hi},
                 arena_printf(&f->c->arena, "%s(%.*s)", type, n, s->text + (t->span.lo - s->base)),
                 "convert the value");
    return true;
}

/* `println!(x)`, `vec![1]` */
static bool macro(Feed *f, Token *t, Repair *repair) {
    Token next = {0};
    if (t->kind != TOK_BANG || f->prev.kind != TOK_ID || !touches(&f->prev, t)) return false;
    next = feed_peek(f);
    if (next.kind != TOK_LPAREN && next.kind != TOK_LBRACKET) return false;
    Diag *d = diag(f->c, E0216, t->span,
                   next.kind == TOK_LPAREN ? "there are no macros; call a function without `!`"
                                           : "there are no macros; write an array as `[a, b, c]` or `[0.0; n]`");
    if (next.kind == TOK_LPAREN) diag_fix(f->c, d, t->span, "", "a function is called without `!`");
    else diag_fix(f->c, d, span_join(f->prev.span, t->span), "", "write the list alone");
    if (next.kind == TOK_LPAREN) *repair = REPAIR_DROP;
    return true;
}

/* `f"{x}"` */
static bool string_prefix(Feed *f, Token *t) {
    if (t->kind != TOK_STR || f->prev.kind != TOK_ID || !touches(&f->prev, t)) return false;
    diag(f->c, E0216, span_join(f->prev.span, t->span),
         "there are no string prefixes, as in f\"...\"; write `print(\"x = {}\", x)` or `format(\"{}\", x)`");
    return true;
}

/* `len x`, `print "x"` */
bool foreign_argument(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    bool operand = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STR;
    if (!operand || f->prev.kind != TOK_ID || t->first_on_line || !feed_accepts(f, TOK_LPAREN)) return false;
    if (f->prev2.kind == TOK_FOR || innermost(f) != TOK_LBRACE || feed_accepts(f, TOK_LBRACE)) return false;
    Diag *d = diag(f->c, E0201, t->span, "an operator is missing between `%s` and %s; to call a function, write "
                                         "`%s(...)`", f->prev.name,
                   token_text(f, t), f->prev.name);
    if (feed_peek(f).kind == TOK_SEMI) {
        const Source *s = f->lexer.source;
        int n = (int)(t->span.hi - t->span.lo);
        diag_fix(f->c, d, (Span){f->prev.span.hi, t->span.hi},
                 arena_printf(&f->c->arena, "(%.*s)", n, s->text + (t->span.lo - s->base)), "write a call");
    }
    return true;
}

/* `offload(k, x)`, `offload k;`, `offload { }` */
static bool launch(Feed *f, Token *t) {
    bool at_name = f->prev.kind == TOK_OFFLOAD, behind = f->prev2.kind == TOK_OFFLOAD && f->prev.kind == TOK_ID;
    bool brackets = at_name && (t->kind == TOK_LPAREN || t->kind == TOK_LBRACE);
    if (!brackets && !(behind && t->kind == TOK_SEMI)) return false;
    diag(f->c, E0201, t->span, "write a launch as `offload k(...)`, with the kernel's arguments");
    return true;
}

static bool begins_statement(const Token *before) {
    return before->kind == TOK_SEMI || before->kind == TOK_LBRACE || before->kind == TOK_RBRACE;
}

/* `f<f32>(x)`, `Pair<f32, i32>(a: x, b: y)`: type arguments, which are inferred. */
static bool type_argument(Feed *f, Token *t) {
    if (t->kind == TOK_COMMA && f->prev2.kind == TOK_LT && type_of(&f->prev) && !feed_accepts(f, TOK_COMMA)) {
        diag(f->c, E0216, span_join(f->prev2.span, t->span),
             "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    Token next = feed_peek(f);
    bool launch = f->prev2.kind == TOK_OFFLOAD && next.kind == TOK_ID, first = begins_statement(&f->prev2);
    if (t->kind == TOK_LT && f->prev.kind == TOK_ID &&
        (launch || (first && type_of(&next)))) { /* `offload k<f32>(x)`, `f<f32>(x);` */
        diag(f->c, E0216, span_join(t->span, next.span),
             "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    if (t->kind != TOK_GT || f->prev2.kind != TOK_LT || f->prev.kind != TOK_ID || next.kind != TOK_LPAREN) return false;
    bool together = touches(&f->prev2, &f->prev) && touches(&f->prev, t) && touches(t, &next); /* `f<T>(x)` */
    if (!type_of(&f->prev) && !together) return false;
    Span all = {f->prev2.span.lo, t->span.hi};
    Diag *d = diag(f->c, E0216, all, "a call does not name types: the compiler infers them from the arguments");
    diag_fix(f->c, d, all, "", "the arguments determine the types");
    return true;
}

bool foreign_call(Feed *f, Token *t, Repair *repair) {
    return macro(f, t, repair) || cast(f, t) || type_argument(f, t) || launch(f, t) || string_prefix(f, t);
}

/* ---- ranges and arrays ---- */

static bool range_word(Feed *f, Span span, Token *t, Repair *repair) {
    Diag *d = diag(f->c, E0216, span, "write a range as `a..b`, which excludes b");
    diag_fix(f->c, d, span, "..", "write two dots");
    return retry_as(t, TOK_DOTDOT, repair);
}

/* `for (`, `for i in 1:n`, `0 to n`, `x[a:b]`, `0..=n`, `for i = 0..n` */
bool foreign_range(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_LPAREN && f->prev.kind == TOK_FOR) {
        diag(f->c, E0211, t->span, "write a loop as `for i in 0..n { }`");
        return true;
    }
    if (t->kind == TOK_ASSIGN && f->prev.kind == TOK_DOTDOT) {
        Token end = feed_peek(f);
        bool number = end.kind == TOK_INT && !end.broken && end.int_.value < 1000000000;
        Span both = span_join(f->prev.span, t->span);
        Diag *d = diag(f->c, E0216, both, "there is no `..=`; the upper bound of a range is excluded: `0..n + 1`");
        if (number)
            diag_fix(f->c, d, span_join(both, end.span), arena_printf(&f->c->arena, "..%d", (int)end.int_.value + 1),
                     "add 1");
        *repair = REPAIR_DROP;
        return true;
    }
    if (f->prev2.kind == TOK_FOR && t->kind == TOK_ASSIGN && feed_accepts(f, TOK_IN)) {
        Diag *d = diag(f->c, E0216, t->span, "write a loop as `for i in a..b { }`");
        diag_fix(f->c, d, t->span, "in", "write `in`");
        return retry_as(t, TOK_IN, repair);
    }
    if (f->prev2.kind == TOK_FOR && t->kind == TOK_COMMA && feed_accepts(f, TOK_IN)) {
        diag(f->c, E0216, t->span, "a loop has one variable; use `x[i]` for the element");
        return true;
    }
    if (!feed_accepts(f, TOK_DOTDOT)) return false;
    if (is_name(t, "to")) return range_word(f, t->span, t, repair);
    return t->kind == TOK_COLON && !feed_peek(f).first_on_line && range_word(f, t->span, t, repair);
}

/* `{1, 2}`, `P { x: 1.0 }`, `f32[n]`, `[1, 2; 3, 4]`, `(a, b)` */
bool foreign_array(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_LBRACE && at_expression(f) && !at_statement(f)) {
        diag(f->c, E0216, t->span, "write an array in square brackets: `[1, 2, 3]`");
        return true;
    }
    if (t->kind == TOK_LBRACE && f->prev.kind == TOK_ID && after_expression(f) && !t->first_on_line) {
        diag(f->c, E0216, t->span, "write a struct value like a call: `%s(field: value, ...)`", f->prev.name);
        return true;
    }
    if (t->kind == TOK_LBRACKET && f->prev.kind == TOK_ID && f->prev2.kind == TOK_COLON && !after_expression(f)) {
        Token extent = feed_take(f), close = feed_peek(f);
        feed_unread(f, extent);
        Diag *d =
            diag(f->c, E0216, span_join(f->prev.span, t->span), "write an array type as `[%s; n]`", f->prev.name);
        if (close.kind == TOK_RBRACKET)
            diag_fix(f->c, d, span_join(f->prev.span, close.span),
                     arena_printf(&f->c->arena, "[%s; %s]", f->prev.name,
                                  arena_strndup(&f->c->arena,
                                                f->lexer.source->text + (extent.span.lo - f->lexer.source->base),
                                                extent.span.hi - extent.span.lo)),
                     "write the extent after the type");
        return true;
    }
    if (t->kind == TOK_IF && innermost(f) == TOK_LBRACKET && after_expression(f)) {
        diag(f->c, E0216, t->span, "a comprehension has no condition; choose each element with "
                                   "`[if c { a } else { b } for i in n]`");
        return true;
    }
    if (f->prev.kind == TOK_COMMA && innermost(f) == TOK_LBRACKET && feed_accepts(f, TOK_ID) && !at_expression(f)) {
        diag(f->c, E0216, t->span, "write all ranges after one `for`: `[e for i in n, j in m]`");
        return true;
    }
    Token next = feed_peek(f);
    if (t->kind == TOK_SEMI && innermost(f) == TOK_LBRACKET && feed_accepts(f, TOK_COMMA) && !next.first_on_line &&
        (next.kind == TOK_INT || next.kind == TOK_FLOAT || next.kind == TOK_ID || next.kind == TOK_MINUS)) {
        diag(f->c, E0216, t->span, "a list has one dimension; write a matrix as `[e for i in n, j in m]`");
        while (t->kind != TOK_RBRACKET && t->kind != TOK_END) {
            *t = feed_take(f);
            if (t->first_on_line) break;
        }
        return true;
    }
    if (t->kind != TOK_COMMA || innermost(f) != TOK_LPAREN || !feed_accepts(f, TOK_RPAREN) || !after_expression(f))
        return false;
    Span open = f->open.at[f->open.n - 1].span;
    const Source *s = f->lexer.source;
    uint32_t before = open.lo - s->base;
    if (before >= 6 && !memcmp(s->text + before - 6, "assert", 6))
        diag(f->c, E0216, open, "`assert` is a statement, not a function: `assert c, \"text\";`");
    else diag(f->c, E0216, t->span, "there are no tuples; use a struct for several values");
    return true;
}

/* ---- declarations ---- */

/* `let mut x`, `x: i32 = 1;`, `var a = 1, b = 2;`, `let (a, b)` */
bool foreign_declaration(Feed *f, Token *t, Repair *repair) {
    bool behind_let = f->prev.kind == TOK_LET || f->prev.kind == TOK_VAR;
    if (t->kind == TOK_MUT && behind_let) {
        Span both = span_join(f->prev.span, t->span);
        Diag *d = diag(f->c, E0216, both, "declare a variable that may change with `var`");
        diag_fix(f->c, d, both, "var", "use `var`");
        *repair = REPAIR_DROP;
        return true;
    }
    bool in_statement = f->prev2.kind == TOK_LET || f->prev2.kind == TOK_VAR || feed_accepts(f, TOK_SEMI);
    bool list = t->kind == TOK_COMMA && in_statement && innermost(f) == TOK_LBRACE;
    if (list || (behind_let && t->kind == TOK_LPAREN)) {
        diag(f->c, E0216, t->span, "a statement declares or assigns a single variable");
        return true;
    }
    if (t->kind != TOK_COLON || f->prev.kind != TOK_ID || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    Diag *d = diag(f->c, E0216, f->prev.span, "declare a variable with `let`, or with `var` if it will change");
    Token next = feed_peek(f);
    bool is_walrus = next.kind == TOK_ASSIGN && touches(t, &next);
    if (is_walrus)
        diag_fix(f->c, d, (Span){f->prev.span.lo, next.span.hi}, arena_printf(&f->c->arena, "let %s =", f->prev.name),
                 "use `let`, or `var` if it will change");
    else
        diag_fix(f->c, d, (Span){f->prev.span.lo, f->prev.span.lo}, "let ", "use `let`, or `var` if it will change");
    return true;
}

/* The mode of a parameter or argument: `mut x: T`, `x: mut T`, `f(mut x)`; a default value. */
static bool parameter(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_MUT && feed_accepts(f, TOK_AMP)) {
        Diag *d = diag(f->c, E0216, t->span, "write `&mut` instead of `mut`");
        diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "&", "pass a reference");
        feed_push(f, feed_invent(f, TOK_AMP));
        return retry_as(t, TOK_MUT, repair);
    }
    if (innermost(f) != TOK_LPAREN || after_expression(f)) return false;
    bool at_name = !at_expression(f) && feed_accepts(f, TOK_ID) && feed_accepts(f, TOK_RPAREN);
    if (at_name && (t->kind == TOK_MUT || t->kind == TOK_AMP)) {
        diag(f->c, E0216, t->span, "write the mode of a parameter before its type: `x: &mut [f32; n]`");
        return true;
    }
    if (at_name && t->kind == TOK_CONST) {
        Diag *d = diag(f->c, E0216, t->span, "there is no `const` for parameters: one passed by value or as `&` is "
                                             "read-only");
        diag_fix(f->c, d, t->span, "", "a parameter needs no `const`");
        *repair = REPAIR_DROP;
        return true;
    }
    if (t->kind == TOK_ASSIGN && feed_accepts(f, TOK_RPAREN) && feed_accepts(f, TOK_COMMA)) {
        diag(f->c, E0216, t->span, "parameters have no default values");
        return true;
    }
    if (f->prev.kind != TOK_ID || !feed_accepts(f, TOK_COLON) || (t->kind != TOK_RPAREN && t->kind != TOK_COMMA))
        return false;
    if (is_name(&f->prev, "void") && f->prev2.kind == TOK_LPAREN && t->kind == TOK_RPAREN) {
        Diag *d = diag(f->c, E0216, f->prev.span, "write empty parentheses for a function without parameters");
        diag_fix(f->c, d, f->prev.span, "", "write empty parentheses");
    } else {
        diag(f->c, E0201, f->prev.span, "the type of `%s` is missing, as in `%s: f32`", f->prev.name, f->prev.name);
    }
    Token type = feed_invent(f, TOK_ID); /* so that the body is parsed, too */
    type.name = f->prev.name;
    feed_push(f, feed_invent(f, TOK_COLON));
    feed_push(f, type);
    *repair = REPAIR_RETRY;
    return true;
}

static bool result(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_COLON && feed_accepts(f, TOK_ARROW)) {
        if (feed_peek(f).first_on_line) return false;
        Diag *d = diag(f->c, E0216, t->span, "write the result type after `->`");
        diag_fix(f->c, d, t->span, " ->", "use the arrow");
        return retry_as(t, TOK_ARROW, repair);
    }
    if (t->kind != TOK_LPAREN || f->prev.kind != TOK_ARROW || !at_type(f)) return false;
    diag(f->c, E0216, t->span, "a function returns a single value; return a struct, or use `&out` parameters");
    return true;
}

/* `kernel k(x: ...) { }`, `... for i in n`, `... -> f32 over i in n`, `over n` */
bool foreign_kernel(Feed *f, Token *t, Repair *repair) {
    if (parameter(f, t, repair) || result(f, t, repair)) return true;
    bool list = t->kind == TOK_COMMA && f->prev2.kind == TOK_OVER,
         bracket = t->kind == TOK_LPAREN && f->prev.kind == TOK_OVER;
    if (bracket || (list && feed_accepts(f, TOK_IN))) {
        diag(f->c, E0201, t->span, "give each variable its own range: `over i in n, j in m`");
        return true;
    }
    if (f->prev2.kind == TOK_OVER && f->prev.kind == TOK_ID && feed_accepts(f, TOK_IN) && t->kind != TOK_COMMA) {
        diag(f->c, E0201, t->span, "name a variable for the index of the work item: `over i in n`");
        return true;
    }
    if (!feed_accepts(f, TOK_OVER) || feed_accepts(f, TOK_LPAREN) || f->prev.kind != TOK_RPAREN) return false;
    if (t->kind == TOK_FOR) {
        Diag *d = diag(f->c, E0216, t->span, "`over` sets the work items of a kernel");
        diag_fix(f->c, d, t->span, "over", "use `over` instead of `for`");
        return retry_as(t, TOK_OVER, repair);
    }
    if (t->kind == TOK_ARROW) {
        diag(f->c, E0201, t->span, "write the result of a kernel after its domain: `over i in n -> sum f32`");
        return true;
    }
    Diag *d = diag(f->c, E0201, t->span, "expected `over`, found %s", token_text(f, t));
    diag_note(f->c, d, t->span, "a kernel needs a domain, which sets its work items: `over i in n`");
    return true;
}
