/* foreign_head.c -- the heads of declarations as in other languages: types of two words, references of C++, several
 * modifiers, arguments of attributes, and bodies after a `:`. */
#include "parser/mistakes.h"

/* `unsigned int`, `long long`: the second word, after a `:` or at the start of a statement. */
static bool two_words(Feed *f, Token *t, Repair *repair) {
    static const struct {
        const char *first, *second, *ours;
    } types[] = {
        {"unsigned", "int", "u32"},  {"unsigned", "long", "u64"}, {"unsigned", "char", "u8"},
        {"unsigned", "short", "u16"}, {"signed", "char", "i8"},    {"signed", "int", "i32"},
        {"long", "int", "i64"},      {"long", "long", "i64"},     {"short", "int", "i16"},
        {"long", "double", "f64"},   {"double", "precision", "f64"},
    };
    if (t->kind != TOK_ID || f->prev.kind != TOK_ID || t->first_on_line) return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!is_name(&f->prev, types[i].first) || !is_name(t, types[i].second)) continue;
        Span both = span_join(f->prev.span, t->span);
        bool is_type = f->prev2.kind == TOK_COLON || f->prev2.kind == TOK_ARROW || f->prev2.kind == TOK_AMP;
        Token third = feed_take(f);
        bool is_third = is_name(&third, "int") || (is_name(&third, "long") && is_name(t, "long"));
        Token name = is_third ? feed_peek(f) : third;
        if (!is_third || name.kind != TOK_ID) feed_unread(f, third);
        if (!is_type && (name.kind != TOK_ID || !feed_accepts(f, TOK_ADD_ASSIGN))) {
            if (is_third && name.kind == TOK_ID) feed_unread(f, third);
            return false;
        }
        if (is_type) {
            Diag *d = diag(f->c, E0216, both, "a type is one word: `%s`", types[i].ours);
            diag_fix(f->c, d, both, types[i].ours, "use this type");
            *repair = REPAIR_DROP;
            return true;
        }
        both = span_join(both, name.span);
        const char *ours = arena_printf(&f->c->arena, "var %s: %s", name.name, types[i].ours);
        Diag *d = diag(f->c, E0210, both, "the type comes after the name: `%s`", ours);
        diag_fix(f->c, d, both, ours, "write the name first");
        return true;
    }
    return false;
}

/* `n: i32&` */
static bool reference_behind(Feed *f, Token *t) {
    if (t->kind != TOK_AMP || !foreign_type(&f->prev) || f->prev2.kind != TOK_COLON) return false;
    if (after_expression(f)) return false;
    Span both = span_join(f->prev.span, t->span);
    const char *ours = arena_printf(&f->c->arena, "&mut %s", foreign_type(&f->prev));
    Diag *d = diag(f->c, E0216, both, "write the mode of a parameter before its type: `%s`", ours);
    diag_fix(f->c, d, both, ours, "use `&mut` to change it for the caller, `&` to read it");
    return true;
}

/* `public static void main(` */
static bool modifiers(Feed *f, Token *t, Repair *repair) {
    static const char *const words[] = {"public", "private", "protected", "static", "final", "async", "virtual"};
    Vec(Token) taken = {0};
    Token at = *t;
    bool is_modifier = t->kind == TOK_ID && at_item(f), again = is_modifier;
    while (again) {
        again = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) again |= is_name(&at, words[i]);
        if (!again) break;
        at = feed_take(f);
        vec_push(f->p.arena, &taken, at);
    }
    Token name = taken.n ? feed_take(f) : at, open = taken.n ? feed_peek(f) : at;
    bool is_function = taken.n && at.kind == TOK_ID && name.kind == TOK_ID && open.kind == TOK_LPAREN;
    if (taken.n) feed_unread(f, name);
    if (is_function) {
        Span all = span_join(t->span, at.span);
        Diag *d = diag(f->c, E0216, all, "declare a function with `fn`%s",
                       is_name(&at, "void") ? "" : ", and write the result type after `->`");
        diag_fix(f->c, d, all, "fn", "use this instead");
        return retry_as(t, TOK_FN, repair);
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return false;
}

/* Does the body that begins at `t` end with a `}` on a line that begins as that of the statement? */
static bool ends_with_brace(Feed *f) {
    enum { MAX_TOKENS = 400 };
    Vec(Token) taken = {0};
    int indentation = feed_indentation(f, f->first.span);
    bool found = false;
    while (taken.n < MAX_TOKENS) {
        Token next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
        if (next.kind == TOK_END) break;
        if (!next.first_on_line || feed_indentation(f, next.span) > indentation) continue;
        found = next.kind == TOK_RBRACE && feed_indentation(f, next.span) == indentation;
        break;
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return found;
}

/* `if c:` of Python */
static bool body_after_colon(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_COLON || !f->open.n || !feed_accepts(f, TOK_LBRACE) || feed_accepts(f, TOK_SEMI)) return false;
    if (!feed_peek(f).first_on_line) return false;
    Diag *d = diag(f->c, E0218, t->span, "write the body in braces");
    diag_note(f->c, d, t->span, "open it with `{` here, and close it with `}`");
    if (!ends_with_brace(f)) return true;
    diag_fix(f->c, d, t->span, " {", "open it");
    return retry_as(t, TOK_LBRACE, repair);
}

/* `if c: print(x)`, `for i in range(n): print(i)`: the body is the rest of the line. */
static bool body_on_line(Feed *f, Token *t, Repair *repair) {
    bool is_head = t->kind == TOK_COLON && feed_accepts(f, TOK_LBRACE) && !feed_accepts(f, TOK_SEMI);
    bool may_be_range = feed_accepts(f, TOK_DOTDOT) && f->prev.kind != TOK_RPAREN; /* `1:n` of Julia */
    if (!is_head || may_be_range) return false;
    if (feed_peek(f).kind == TOK_LBRACE) {
        Diag *d = diag(f->c, E0218, t->span, "no `:` is needed before a body in braces");
        diag_fix(f->c, d, t->span, "", "leave it out");
        *repair = REPAIR_DROP;
        return true;
    }
    Vec(Token) taken = {0};
    bool has_brace = false;
    Token next = feed_take(f);
    for (; !next.first_on_line && next.kind != TOK_END; next = feed_take(f)) {
        has_brace |= next.kind == TOK_LBRACE || next.kind == TOK_RBRACE;
        vec_push(f->p.arena, &taken, next);
    }
    feed_unread(f, next);
    bool found = taken.n && !has_brace;
    if (found) {
        Token last = taken.at[taken.n - 1];
        const char *body = text_of(f, span_join(taken.at[0].span, last.span));
        Diag *d = diag(f->c, E0218, t->span, "write the body in braces");
        diag_fix(f->c, d, span_join(t->span, last.span),
                 arena_printf(f->p.arena, " { %s%s }", body, last.kind == TOK_SEMI ? "" : ";"), "enclose it");
    }
    for (int i = taken.n; !found && i-- > 0;) feed_unread(f, taken.at[i]);
    return found;
}

/* `if let m = n` of Rust, `while (int c = next())` */
static bool declaration_as_condition(Feed *f, Token *t) {
    bool is_condition = f->prev.kind == TOK_IF || f->prev.kind == TOK_WHILE;
    if ((t->kind != TOK_LET && t->kind != TOK_VAR) || !is_condition) return false;
    diag(f->c, E0216, t->span, "a condition cannot declare a variable: declare it before the `%s`",
         token_info[f->prev.kind].spelling);
    return true;
}

/* `var n == 3;`, `let a: 3;` */
static bool value_of_declaration(Feed *f, Token *t, Repair *repair) {
    bool declares = f->first.kind == TOK_LET || f->first.kind == TOK_VAR || f->first.kind == TOK_CONST;
    if (!declares) return false;
    if (t->kind == TOK_EQ && feed_accepts(f, TOK_ASSIGN)) {
        Diag *d = diag(f->c, E0201, t->span, "`==` compares two values; give a variable its value with `=`");
        diag_fix(f->c, d, t->span, "=", "use `=`");
        return retry_as(t, TOK_ASSIGN, repair);
    }
    bool is_value = t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STR || t->kind == TOK_TRUE ||
                    t->kind == TOK_FALSE;
    if (!is_value || f->prev.kind != TOK_COLON || f->prev2.kind != TOK_ID || !at_type(f)) return false;
    Diag *d = diag(f->c, E0201, f->prev.span, "`:` is followed by a type; give a variable its value with `=`");
    diag_fix(f->c, d, f->prev.span, " =", "use `=`");
    return true;
}

/* `sqrt.(x)` of Julia */
static bool broadcast(Feed *f, Token *t) {
    if (t->kind != TOK_LPAREN || f->prev.kind != TOK_DOT || f->prev2.kind != TOK_ID) return false;
    diag(f->c, E0216, span_join(f->prev.span, t->span),
         "a function is not applied to an array: compute each element, `[%s(x[i]) for i in len(x)]`", f->prev2.name);
    return true;
}

/* `% text` of MATLAB */
static bool percent_comment(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_PERCENT || !(at_item(f) || at_statement(f))) return false;
    Diag *d = diag(f->c, E0216, t->span, "a comment begins with `//`");
    diag_fix(f->c, d, t->span, "//", "write it so");
    Token next = feed_take(f);
    while (!next.first_on_line && next.kind != TOK_END) next = feed_take(f);
    feed_unread(f, next);
    *repair = REPAIR_DROP;
    return true;
}

/* `a .* b` of MATLAB and Julia */
static bool element_wise(Feed *f, Token *t) {
    bool is_operator = t->kind == TOK_STAR || t->kind == TOK_SLASH || t->kind == TOK_PLUS || t->kind == TOK_MINUS ||
                       t->kind == TOK_CARET;
    if (!is_operator || f->prev.kind != TOK_DOT || !touches(&f->prev, t)) return false;
    Span sign = span_join(f->prev.span, t->span);
    Diag *d = diag(f->c, E0216, sign, "there is no `%s`: operators are for single numbers, so compute each element",
                   text_of(f, sign));
    Token right = feed_take(f), after = feed_peek(f);
    feed_unread(f, right);
    const char *source = f->lexer.source->text, *before = source + (f->prev2.span.lo - f->lexer.source->base);
    while (before > source && before[-1] == ' ') before--;
    bool is_whole = f->prev2.kind == TOK_ID && before > source && strchr("=(,", before[-1]) &&
                    (after.kind == TOK_SEMI || after.kind == TOK_RPAREN || after.kind == TOK_COMMA);
    bool is_number = right.kind == TOK_INT || right.kind == TOK_FLOAT;
    if (!is_whole || (right.kind != TOK_ID && !is_number)) return true;
    const char *a = f->prev2.name, *b = text_of(f, right.span);
    if (!is_number) b = arena_printf(f->p.arena, "%s[i]", b);
    bool is_square = right.kind == TOK_INT && right.int_.value == 2;
    const char *value = t->kind != TOK_CARET ? arena_printf(f->p.arena, "%s[i] %s %s", a, text_of(f, t->span), b)
                        : is_square          ? arena_printf(f->p.arena, "%s[i] * %s[i]", a, a)
                                             : arena_printf(f->p.arena, "pow(%s[i], %s)", a, b);
    diag_fix(f->c, d, span_join(f->prev2.span, right.span),
             arena_printf(f->p.arena, "[%s for i in len(%s)]", value, a), "of an array with one dimension");
    return true;
}

/* `fn f(owned x: Int)` of Mojo, `inout x: Int` of Swift */
static bool convention_before_name(Feed *f, Token *t) {
    static const struct {
        const char *theirs, *ours;
    } words[] = {{"owned", ""}, {"borrowed", ""}, {"read", ""}, {"const", ""}, {"inout", "&mut "}, {"ref", "&mut "}};
    if (t->kind != TOK_ID || f->prev.kind != TOK_ID || innermost(f) != TOK_LPAREN || !feed_accepts(f, TOK_COLON))
        return false;
    Token colon = feed_peek(f);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_name(&f->prev, words[i].theirs) || colon.kind != TOK_COLON) continue;
        Diag *d = diag(f->c, E0216, f->prev.span, "a parameter is passed by value, `x: i32`, or by reference, "
                                                  "`x: &[f32; n]` or `x: &mut [f32; n]`");
        Token first = feed_take(f), type = feed_peek(f);
        feed_unread(f, first);
        Span word = {f->prev.span.lo, t->span.lo};
        if (!*words[i].ours) diag_fix(f->c, d, word, "", "leave out `%s`", words[i].theirs);
        else diag_fix(f->c, d, (Span){f->prev.span.lo, type.span.lo},
                      arena_printf(f->p.arena, "%s: %s", t->name, words[i].ours), "write the mode before the type");
        return true;
    }
    return false;
}

/* `.{x}` and `.{ .x = 1.0 }` of Zig */
static bool nameless_struct(Feed *f, Token *t) {
    if (t->kind != TOK_DOT || !at_expression(f) || feed_peek(f).kind != TOK_LBRACE) return false;
    Vec(Token) taken = {0};
    Token next = feed_take(f), brace = next;
    bool assigns = false;
    vec_push(f->p.arena, &taken, next);
    while (next.kind != TOK_RBRACE && next.kind != TOK_END) {
        next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
        assigns |= next.kind == TOK_ASSIGN || next.kind == TOK_LBRACE || next.first_on_line;
    }
    Diag *d = diag(f->c, E0216, span_join(t->span, brace.span),
                   "create a struct with its name, `P(x: 1.0)`; the values of `print` need no braces");
    bool in_call = innermost(f) == TOK_LPAREN && taken.n > 2 && next.kind == TOK_RBRACE && !assigns;
    if (in_call)
        diag_fix(f->c, d, span_join(t->span, next.span),
                 text_of(f, span_join(taken.at[1].span, taken.at[taken.n - 2].span)), "leave out the braces");
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return true;
}

/* `main()` after the functions */
static bool main_called(Feed *f, Token *t) {
    if (!at_item(f) || !is_name(t, "main") || feed_peek(f).kind != TOK_LPAREN) return false;
    Token open = feed_take(f), close = feed_peek(f);
    feed_unread(f, open);
    Diag *d = diag(f->c, E0219, t->span, "a program begins in `main`, which is not called");
    if (close.kind == TOK_RPAREN) diag_fix(f->c, d, span_join(t->span, close.span), "", "leave it out");
    return true;
}

/* `x: mut &[f64; n]` */
static bool mode_turned(Feed *f, Token *t) {
    Token next = feed_peek(f);
    if (t->kind != TOK_MUT || next.kind != TOK_AMP || !at_type(f)) return false;
    Diag *d = diag(f->c, E0216, span_join(t->span, next.span), "write `&mut` instead of `mut &`");
    diag_fix(f->c, d, span_join(t->span, next.span), "&mut ", "pass a reference");
    return true;
}

/* `extern fn cbrt(x: f64) -> f64;` of Rust and Zig */
static bool linkage_missing(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_FN || f->prev.kind != TOK_EXTERN || !feed_accepts(f, TOK_STR)) return false;
    Diag *d = diag(f->c, E0216, f->prev.span, "declare a function of C with `extern \"C\" fn`");
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "\"C\" ", "name the language");
    Token language = feed_invent(f, TOK_STR);
    language.str.at = "C";
    language.str.n = 1;
    feed_push(f, language);
    *repair = REPAIR_RETRY;
    return true;
}

/* `async offload k(&x);` */
static bool async_turned(Feed *f, Token *t) {
    bool is_async = f->prev.kind == TOK_ASYNC || is_name(&f->prev, "async") || is_name(&f->prev, "await");
    if (t->kind != TOK_OFFLOAD || !is_async || t->first_on_line) return false;
    bool waits = !strcmp(f->prev.name, "await");
    Span both = span_join(f->prev.span, t->span);
    Diag *d = diag(f->c, E0216, both, waits ? "a launch is waited for without a word: `offload k(...);`"
                                            : "write `async` after `offload`: `offload async k(...);`");
    diag_fix(f->c, d, both, waits ? "offload" : "offload async", waits ? "leave it out" : "write it in this order");
    return true;
}

bool foreign_head(Feed *f, Token *t, Repair *repair) {
    return two_words(f, t, repair) || reference_behind(f, t) || modifiers(f, t, repair) ||
           body_after_colon(f, t, repair) || body_on_line(f, t, repair) || declaration_as_condition(f, t) ||
           value_of_declaration(f, t, repair) || linkage_missing(f, t, repair) || async_turned(f, t) ||
           broadcast(f, t) || percent_comment(f, t, repair) || nameless_struct(f, t) || element_wise(f, t) ||
           convention_before_name(f, t) || main_called(f, t) || mode_turned(f, t);
}
