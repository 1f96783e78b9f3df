/* mistakes.c -- the mistakes that people make most, coming from other languages: one function each.
 *
 * Each looks at the token that does not fit and at its neighbours, and either is not meant (false), or reports, sets
 * *repair, and may change *t so that the parser goes on as if the right thing had been written. */
#include "parser/feed.h"

#include <string.h>

static bool is_name(const Token *t, const char *text) { return t->kind == TOK_ID && !strcmp(t->name, text); }
static bool touches(const Token *a, const Token *b) { return a->span.hi == b->span.lo; }
static bool at_statement(const Feed *f) { return feed_accepts(f, TOK_LET); }
static bool at_item(const Feed *f) { return !f->open.n && feed_accepts(f, TOK_STRUCT); }
static bool at_expression(const Feed *f) { return feed_accepts(f, TOK_INT) && feed_accepts(f, TOK_STR); }
static bool after_expression(const Feed *f) { return feed_accepts(f, TOK_STAR) && feed_accepts(f, TOK_OR); }

static void become(Token *t, int kind) {
    t->kind = kind;
    t->broken = true;
}

/* `x++`, `++x`, `x--`, and `+x`. A prefix `--` is two signs, and legal. */
static bool increment(Feed *f, Token *t, Repair *repair) {
    Token next = {0};
    bool is_sign = t->kind == TOK_PLUS || t->kind == TOK_MINUS;
    bool doubled = is_sign && (next = feed_peek(f)).kind == t->kind && touches(t, &next);
    const char *sign = token_info[t->kind].spelling;
    if (doubled && feed_accepts(f, TOK_ADD_ASSIGN)) {
        Span both = span_join(t->span, next.span);
        Diag *d = diag(f->c, E0208, both, "there is no `%s%s`", sign, sign);
        diag_fix(f->c, d, both, t->kind == TOK_PLUS ? " += 1" : " -= 1", "a variable is counted with an assignment");
        feed_take(f);
        feed_push(f, feed_invent(f, t->kind == TOK_PLUS ? TOK_ADD_ASSIGN : TOK_SUB_ASSIGN));
        *t = feed_invent(f, TOK_INT);
        t->int_.value = 1;
        *repair = REPAIR_RETRY;
        return true;
    }
    Token first = f->prev, second = *t; /* in an expression only what follows the second sign is wrong */
    if (!(first.kind == TOK_PLUS && second.kind == TOK_PLUS)) first = f->prev2, second = f->prev;
    bool behind = first.kind == second.kind && (first.kind == TOK_PLUS || first.kind == TOK_MINUS)
               && touches(&first, &second) && at_expression(f);
    if (behind || (doubled && at_statement(f))) {
        if (behind) sign = token_info[first.kind].spelling;
        Span both = behind ? span_join(first.span, second.span) : span_join(t->span, next.span);
        diag(f->c, E0208, both, "there is no `%s%s`; write `x %s= 1;` as a statement of its own", sign, sign, sign);
        return true;
    }
    if (t->kind != TOK_PLUS || !at_expression(f)) return false;
    Diag *d = diag(f->c, E0208, t->span, "there is no sign `+`");
    diag_fix(f->c, d, t->span, "", "a number without a sign is positive");
    *repair = REPAIR_DROP;
    return true;
}

static bool assign_in_expression(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_ASSIGN) return false;
    if (f->prev.kind == TOK_DOTDOT) {
        diag(f->c, E0216, span_join(f->prev.span, t->span),
             "there is no `..=`; a range ends before its end: `0..n + 1`");
        *repair = REPAIR_DROP;
        return true;
    }
    if (!feed_accepts(f, TOK_EQ)) return false;
    Diag *d = diag(f->c, E0207, t->span, "`=` is no operator: an assignment is a statement of its own");
    diag_fix(f->c, d, t->span, "==", "two values are compared with `==`");
    become(t, TOK_EQ);
    t->broken = false;
    *repair = REPAIR_RETRY;
    return true;
}

static bool is_comparison(int kind) { return kind >= TOK_EQ && kind <= TOK_GE; }

static bool comparison_chain(Feed *f, Token *t, Repair *repair) {
    if (!is_comparison(t->kind) || !feed_accepts(f, TOK_OR)) return false;
    Diag *d = diag(f->c, E0213, t->span, "comparisons do not chain");
    diag_note(f->c, d, t->span, "write `a < b && b < c`");
    t->kind = TOK_AND;
    *repair = REPAIR_RETRY;
    return true;
}

static bool comparison_as_statement(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_EQ || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    Diag *d = diag(f->c, E0201, t->span, "`==` compares, and nothing is done with the result");
    diag_fix(f->c, d, t->span, "=", "a value is assigned with `=`");
    t->kind = TOK_ASSIGN;
    *repair = REPAIR_RETRY;
    return true;
}

static bool stray_reference(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_AMP || !at_expression(f)) return false;
    Token next = feed_peek(f);
    bool has_mode = next.kind == TOK_MUT || next.kind == TOK_OUT;
    diag(f->c, E0209, has_mode ? span_join(t->span, next.span) : t->span,
         "references exist only as parameters and as arguments of a call");
    if (has_mode) feed_take(f);
    *repair = REPAIR_DROP;
    return true;
}

static bool semicolon_for_nothing(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || !(at_statement(f) || at_item(f))) return false;
    Diag *d = diag(f->c, E0215, t->span, "this `;` ends nothing");
    diag_fix(f->c, d, t->span, "", "a `}` needs no `;` behind it");
    *repair = REPAIR_DROP;
    return true;
}

static bool missing_body(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || f->open.n || !feed_accepts(f, TOK_LBRACE)) return false;
    Diag *d = diag(f->c, E0212, t->span, "the body is missing");
    diag_fix(f->c, d, t->span, " { }", "only functions of C are declared without one: `extern \"C\" fn f();`");
    feed_push(f, feed_invent(f, TOK_LBRACE));
    become(t, TOK_RBRACE);
    *repair = REPAIR_RETRY;
    return true;
}

static bool let_without_value(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || !feed_accepts(f, TOK_ASSIGN) || feed_accepts(f, TOK_SEMI)) return false;
    bool has_type = !feed_accepts(f, TOK_COLON);
    (void)repair;
    diag(f->c, E0217, t->span, has_type ? "a value is missing; only a `var` may get it later"
                                        : "a value is missing: `= ...`");
    return true;
}

static bool body_without_braces(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (!f->open.n || !feed_accepts(f, TOK_LBRACE) || feed_accepts(f, TOK_SEMI) || feed_accepts(f, TOK_COMMA)
        || at_statement(f) || t->kind == TOK_SEMI)
        return false;
    bool starts = t->kind == TOK_ID || starts_statement(t->kind) || t->kind == TOK_IF || t->kind == TOK_FOR
               || t->kind == TOK_OFFLOAD || t->kind == TOK_ATOMIC;
    if (!starts || f->prev.kind == TOK_OFFLOAD) return false;
    Diag *d = diag(f->c, E0218, t->span, "a body is written in braces");
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "{ ", "and `}` behind it");
    return true;
}

/* ---- words of C and others ---- */

static const struct { const char *theirs, *ours; } c_types[] = {
    {"int", "i32"}, {"float", "f32"}, {"double", "f64"}, {"long", "i64"}, {"unsigned", "u32"}, {"char", "u8"},
    {"short", "i16"}, {"size_t", "index"}, {"string", "str"},
};

static bool is_own_type(Name name) {
    static const char *const types[] = {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "index",
                                        "f16", "bf16", "f32", "f64", "str"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i])) return true;
    return false;
}

/* `int x`, `f32 x`: two names in a row, the first a type. */
static bool type_before_name(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_ID || f->prev.kind != TOK_ID || is_own_type(t->name) || after_expression(f)) return false;
    bool is_declaration = feed_accepts(f, TOK_ADD_ASSIGN);
    bool is_parameter = feed_accepts(f, TOK_COLON) && !is_declaration;
    int before = f->prev2.kind;
    bool alone = before == TOK_SEMI || before == TOK_LBRACE || before == TOK_RBRACE || before == TOK_LPAREN
              || before == TOK_COMMA || before == TOK_RESYNC;
    if (!alone || !(is_declaration || is_parameter)) return false;
    const char *type = f->prev.name;
    for (size_t i = 0; i < sizeof c_types / sizeof *c_types; i++)
        if (!strcmp(type, c_types[i].theirs)) type = c_types[i].ours;
    diag(f->c, E0210, span_join(f->prev.span, t->span), "a type stands behind its name: `%s%s: %s`",
         is_declaration ? "var " : "", t->name, type);
    return true;
}

static bool for_with_brackets(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_LPAREN || f->prev.kind != TOK_FOR) return false;
    diag(f->c, E0211, t->span, "a loop is written `for i in 0..n { }`");
    return true;
}

static bool foreign_operator(Feed *f, Token *t, Repair *repair) {
    if (!after_expression(f)) return false;
    bool is_and = is_name(t, "and"), is_or = is_name(t, "or");
    if (is_and || is_or) {
        const char *ours = is_and ? "&&" : "||";
        Diag *d = diag(f->c, E0216, t->span, "`%s` is written `%s`", t->name, ours);
        diag_fix(f->c, d, t->span, ours, "the operator");
        t->kind = is_and ? TOK_AND : TOK_OR;
        *repair = REPAIR_RETRY;
        return true;
    }
    if (!is_name(t, "as")) return false;
    Token type = feed_peek(f);
    if (type.kind == TOK_ID) diag(f->c, E0216, t->span, "a conversion is written `%s(...)`", type.name);
    else diag(f->c, E0216, t->span, "a conversion is written `f32(...)`");
    return true;
}

/* Accepted as a name by the grammar; what follows shows that it was meant as a keyword. */
static bool foreign_word_before(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    static const struct { const char *theirs, *advice; } words[] = {
        {"elif", "`elif` is written `else if`"}, {"elsif", "`elsif` is written `else if`"},
        {"elseif", "`elseif` is written `else if`"}, {"not", "`not` is written `!`"},
        {"match", "a choice is written `if a { } else if b { } else { }`"},
        {"switch", "a choice is written `if a { } else if b { } else { }`"},
        {"do", "a loop is written `while c { }`, with the condition first"},
        {"auto", "a variable is declared with `let` or `var`"}, {"loop", "an endless loop is written `while true { }`"},
    };
    if (f->prev.kind != TOK_ID || t->kind == TOK_SEMI) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_name(&f->prev, words[i].theirs)) continue;
        diag(f->c, E0216, f->prev.span, "%s", words[i].advice);
        return true;
    }
    return false;
}

static bool foreign_declaration(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_MUT && (f->prev.kind == TOK_LET || f->prev.kind == TOK_VAR)) {
        Span both = span_join(f->prev.span, t->span);
        Diag *d = diag(f->c, E0216, both, "a variable that may change is declared with `var`");
        diag_fix(f->c, d, both, "var", "without `mut`");
        *repair = REPAIR_DROP;
        return true;
    }
    if (t->kind != TOK_COLON || f->prev.kind != TOK_ID || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    Diag *d = diag(f->c, E0216, f->prev.span, "a variable is declared with `let` or `var`");
    diag_fix(f->c, d, (Span){f->prev.span.lo, f->prev.span.lo}, "let ", "`var` if it is to change");
    return true;
}

static bool foreign_item(Feed *f, Token *t, Repair *repair) {
    static const char *const functions[] = {"def", "func", "function", "fun", "proc", "void"};
    if (t->kind != TOK_ID || !at_item(f)) return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!is_name(t, functions[i])) continue;
        Diag *d = diag(f->c, E0216, t->span, "a function begins with `fn`");
        diag_fix(f->c, d, t->span, "fn", "in place of `%s`", t->name);
        t->kind = TOK_FN;
        *repair = REPAIR_RETRY;
        return true;
    }
    if (!is_name(t, "pub")) return false;
    diag(f->c, E0216, t->span, "every declaration of a file can be seen by those that import it");
    *repair = REPAIR_DROP;
    return true;
}

static bool power(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_STAR || f->prev.kind != TOK_STAR || !touches(&f->prev, t)) return false;
    diag(f->c, E0216, span_join(f->prev.span, t->span), "a power is written `pow(x, y)`");
    return true;
}

/* ---- the rest ---- */

static bool array_without_extents(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_RBRACKET || !feed_accepts(f, TOK_SEMI) || !feed_accepts(f, TOK_LT) || at_expression(f)
        || after_expression(f))
        return false;
    diag(f->c, E0201, t->span, "the extents are missing: an array type is written `[f32; n]`");
    return true;
}

/* `1.` and `.5` */
static bool bare_point(Feed *f, Token *t, Repair *repair) {
    bool behind = f->prev.kind == TOK_DOT && f->prev2.kind == TOK_INT && touches(&f->prev2, &f->prev);
    if (behind) {
        Diag *d = diag(f->c, E0107, span_join(f->prev2.span, f->prev.span), "a digit is missing behind the point");
        diag_fix(f->c, d, (Span){f->prev.span.hi, f->prev.span.hi}, "0", "as in `1.0`");
        return true;
    }
    Token next = {0};
    if (t->kind != TOK_DOT || !at_expression(f) || (next = feed_peek(f)).kind != TOK_INT || !touches(t, &next))
        return false;
    Diag *d = diag(f->c, E0107, t->span, "a digit is missing before the point");
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "0", "as in `0.5`");
    *repair = REPAIR_DROP;
    return true;
}

static bool keyword_as_name(Feed *f, Token *t, Repair *repair) {
    if (token_info[t->kind].class != TOKEN_WORD || !feed_accepts(f, TOK_ID) || t->first_on_line) return false;
    bool name_like = starts_item(t->kind) || t->kind == TOK_SHARED || t->kind == TOK_BARRIER || t->kind == TOK_WAIT;
    if (at_expression(f) && !name_like) return false; /* `let x = return;`: an expression is missing, not a name */
    diag(f->c, E0206, t->span, "`%s` is a keyword and cannot be a name", t->name);
    t->kind = TOK_ID;
    t->broken = true; /* whatever else is wrong in this statement comes from here */
    *repair = REPAIR_RETRY;
    return true;
}

static bool statement_outside(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (!at_item(f)) return false;
    if (t->kind == TOK_LET || t->kind == TOK_VAR) {
        diag(f->c, E0219, t->span, "variables belong in functions; a value for the whole file is a `const`");
        return true;
    }
    bool starts = starts_statement(t->kind) || t->kind == TOK_ID || t->kind == TOK_IF || t->kind == TOK_FOR
               || t->kind == TOK_OFFLOAD || t->kind == TOK_ATOMIC || t->kind == TOK_LBRACE;
    if (!starts) return false;
    diag(f->c, E0219, t->span, "statements belong in functions: `fn main() { }`");
    return true;
}

bool common_mistake(Feed *f, Token *t, Repair *repair) {
    static bool (*const mistakes[])(Feed *, Token *, Repair *) = {
        increment, comparison_chain, comparison_as_statement, assign_in_expression, stray_reference,
        semicolon_for_nothing, missing_body, let_without_value, bare_point, power, for_with_brackets,
        foreign_word_before, foreign_operator, foreign_declaration, foreign_item, type_before_name,
        array_without_extents, keyword_as_name, statement_outside, body_without_braces,
    };
    *repair = REPAIR_SKIP;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (mistakes[i](f, t, repair)) return true;
    return false;
}
