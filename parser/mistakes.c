/* mistakes.c -- messages for common syntax errors, one function for each. foreign.c has those for constructs of other
 * languages.
 *
 * Each function examines the unexpected token and the tokens around it. It returns false if this is not its mistake;
 * else it reports, sets *repair, and may change *t, so that parsing continues as if the text had been correct. */
#include "parser/mistakes.h"

#include "parser/declarator.h"

static void become(Token *t, int kind) {
    t->kind = kind;
    t->broken = true;
}

/* `x++`, `++x`, `x--`, and `+x`. A prefix `--` is two minus signs, and legal. */
static bool increment(Feed *f, Token *t, Repair *repair) {
    Token next = {0};
    bool is_sign = t->kind == TOK_PLUS || t->kind == TOK_MINUS;
    bool doubled = is_sign && (next = feed_peek(f)).kind == t->kind && touches(t, &next);
    const char *sign = token_info[t->kind].spelling;
    if (doubled && feed_accepts(f, TOK_ADD_ASSIGN)) {
        Span both = span_join(t->span, next.span);
        Diag *d = diag(f->c, E0208, both, "there is no `%s%s`", sign, sign);
        diag_fix(f->c, d, both, t->kind == TOK_PLUS ? " += 1" : " -= 1", "count with an assignment");
        feed_take(f);
        feed_push(f, feed_invent(f, t->kind == TOK_PLUS ? TOK_ADD_ASSIGN : TOK_SUB_ASSIGN));
        *t = feed_invent(f, TOK_INT);
        t->int_.value = 1;
        *repair = REPAIR_RETRY;
        return true;
    }
    Token first = f->prev, second = *t; /* in an expression the parser has accepted both signs */
    if (!(first.kind == TOK_PLUS && second.kind == TOK_PLUS)) first = f->prev2, second = f->prev;
    bool behind = first.kind == second.kind && (first.kind == TOK_PLUS || first.kind == TOK_MINUS)
               && touches(&first, &second) && at_expression(f);
    if (behind || (doubled && at_statement(f))) {
        if (behind) sign = token_info[first.kind].spelling;
        Span both = behind ? span_join(first.span, second.span) : span_join(t->span, next.span);
        diag(f->c, E0208, both, "there is no `%s%s`; write `x %s= 1;` as a separate statement", sign, sign, sign);
        return true;
    }
    if (t->kind != TOK_PLUS || !at_expression(f)) return false;
    if (f->prev.kind == TOK_ASSIGN && touches(&f->prev, t)) { /* `x =+ 1` */
        Diag *d = diag(f->c, E0208, span_join(f->prev.span, t->span), "there is no `=+`");
        diag_fix(f->c, d, span_join(f->prev.span, t->span), "+=", "count with an assignment");
        *repair = REPAIR_DROP;
        return true;
    }
    Diag *d = diag(f->c, E0208, t->span, "there is no unary `+`");
    diag_fix(f->c, d, t->span, "", "a number without a sign is positive");
    *repair = REPAIR_DROP;
    return true;
}

static bool assign_in_expression(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_ASSIGN) return false;
    bool in_head = f->open.n == 1 && (f->first.kind == TOK_FN || f->first.kind == TOK_KERNEL);
    if (in_head && f->prev.kind == TOK_ID && feed_accepts(f, TOK_COLON)) {
        Diag *d = diag(f->c, E0216, t->span, "parameters have no default values");
        diag_note(f->c, d, t->span, "write the type: `%s: f32`", f->prev.name);
        return true;
    }
    if (innermost(f) == TOK_LPAREN && f->prev.kind == TOK_ID && feed_accepts(f, TOK_COLON)) {
        Diag *d = diag(f->c, E0207, t->span, "`=` cannot be used inside an expression; name an argument with `:`");
        diag_fix(f->c, d, t->span, ":", "use `:` (`==` compares two values)");
        return retry_as(t, TOK_COLON, repair);
    }
    if (!feed_accepts(f, TOK_EQ)) return false;
    Diag *d = diag(f->c, E0207, t->span, "`=` cannot be used inside an expression; use `==` to compare");
    if (innermost(f) == TOK_LBRACE && feed_accepts(f, TOK_SEMI)) { /* `a = b = 0;` */
        diag_note(f->c, d, t->span, "write one assignment after the other, or use `==` to compare two values");
        return true;
    }
    diag_fix(f->c, d, t->span, "==", "use `==` to compare two values");
    return retry_as(t, TOK_EQ, repair);
}

static bool is_comparison(int kind) { return kind >= TOK_EQ && kind <= TOK_GE; }

/* `b` of `a < b < c`; NULL: it is long, or not on this line. */
static const char *middle_operand(Feed *f, const Token *t) {
    uint32_t lo = lex_expression_before(f->lexer.source, t->span.lo);
    const char *text = text_of(f, (Span){lo, t->span.lo}), *at = text, *middle = NULL;
    for (int depth = 0; *at; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        bool compares = *at == '<' || *at == '>' || (at[1] == '=' && strchr("=!", *at));
        if (depth || !compares) continue;
        if (middle) return NULL;
        at += at[1] == '=';
        middle = at + 1;
    }
    if (!middle || strchr(middle, '&') || strchr(middle, '|') || strchr(middle, '"')) return NULL;
    while (*middle == ' ') middle++;
    size_t n = strlen(middle);
    while (n && middle[n - 1] == ' ') n--;
    return n && n <= 40 ? arena_strndup(f->p.arena, middle, n) : NULL;
}

static void fix_chain(Feed *f, Diag *d, const Token *t, const char *middle) {
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, arena_printf(f->p.arena, "&& %s ", middle), "compare twice");
}

static bool comparison_chain(Feed *f, Token *t, Repair *repair) {
    if (!is_comparison(t->kind) || !feed_accepts(f, TOK_OR)) return false;
    Diag *d = diag(f->c, E0213, t->span, "comparisons cannot be chained");
    const char *middle = middle_operand(f, t);
    if (middle) fix_chain(f, d, t, middle);
    else diag_note(f->c, d, t->span, "write `a < b && b < c`");
    t->kind = TOK_AND;
    *repair = REPAIR_RETRY;
    return true;
}

static bool comparison_as_statement(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_EQ || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    Diag *d = diag(f->c, E0201, t->span, "`==` compares two values, and the result is not used");
    diag_fix(f->c, d, t->span, "=", "use `=` to assign a value");
    t->kind = TOK_ASSIGN;
    *repair = REPAIR_RETRY;
    return true;
}

static bool stray_reference(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_AMP || !at_expression(f)) return false;
    Token next = feed_peek(f);
    bool has_mode = next.kind == TOK_MUT || next.kind == TOK_OUT;
    diag(f->c, E0209, has_mode ? span_join(t->span, next.span) : t->span,
         "a reference can only be a parameter or an argument of a call");
    if (has_mode) feed_take(f);
    *repair = REPAIR_DROP;
    return true;
}

/* `if c; {`, `while c; {` */
static bool semicolon_before_body(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || !feed_accepts(f, TOK_LBRACE) || feed_peek(f).kind != TOK_LBRACE) return false;
    Diag *d = diag(f->c, E0215, t->span, "there is no `;` before the body of `%s`",
                   token_info[f->first.kind].class == TOKEN_WORD ? token_info[f->first.kind].spelling : "if");
    diag_fix(f->c, d, t->span, "", "the body follows directly");
    *repair = REPAIR_DROP;
    return true;
}

/* `let y = if c { 1 };` */
static bool choice_without_else(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (f->prev.kind != TOK_RBRACE || !feed_accepts(f, TOK_ELSE) || feed_accepts(f, TOK_SEMI) || at_statement(f))
        return false;
    diag(f->c, E0201, t->span, "an `if` that is a value needs an `else`: `if c { a } else { b }`");
    return true;
}

static bool semicolon_for_nothing(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || !(at_statement(f) || at_item(f))) return false;
    Diag *d = diag(f->c, E0215, t->span, "there is no statement before this `;`");
    diag_fix(f->c, d, t->span, "",
             f->prev.kind == TOK_SEMI ? "one `;` ends a statement" : "no `;` is needed after `}`");
    *repair = REPAIR_DROP;
    return true;
}

static bool missing_body(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || f->open.n || !feed_accepts(f, TOK_LBRACE)) return false;
    Diag *d = diag(f->c, E0212, t->span, "the body is missing");
    diag_fix(f->c, d, t->span, " { }", "only C functions are declared without a body: `extern \"C\" fn f();`");
    feed_push(f, feed_invent(f, TOK_LBRACE));
    become(t, TOK_RBRACE);
    *repair = REPAIR_RETRY;
    return true;
}

static bool let_without_value(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || !feed_accepts(f, TOK_ASSIGN) || feed_accepts(f, TOK_SEMI)) return false;
    bool may_be_var = !feed_accepts(f, TOK_COLON) && f->first.kind == TOK_LET;
    if (!may_be_var) {
        diag(f->c, E0217, t->span, "the value is missing: write `= ...`");
        return true;
    }
    Diag *d = diag(f->c, E0217, f->first.span, "the value is missing; only a `var` can be assigned later");
    diag_fix(f->c, d, f->first.span, "var", "to assign it later, declare a `var`");
    feed_push(f, feed_invent(f, TOK_RESYNC));
    *repair = REPAIR_DROP;
    return true;
}

/* From `t` to a `;` on the same line; false: there is none before another statement or brace. */
static bool statement_ends(Feed *f, const Token *t, Span *whole) {
    Vec(Token) taken = {0};
    bool found = t->kind == TOK_SEMI;
    for (int depth = 0; !found;) {
        Token next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
        if (next.kind == TOK_END || next.first_on_line || next.kind == TOK_LBRACE || next.kind == TOK_RBRACE) break;
        depth += next.kind == TOK_LPAREN || next.kind == TOK_LBRACKET;
        depth -= next.kind == TOK_RPAREN || next.kind == TOK_RBRACKET;
        found = next.kind == TOK_SEMI && !depth;
        if (found) *whole = span_join(t->span, next.span);
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return found;
}

const char *text_of(const Feed *f, Span span) {
    Place p = source_place(&f->c->sources, span.lo);
    return arena_strndup(f->p.arena, p.file->text + (span.lo - p.file->base), span.hi - span.lo);
}

/* `if c return;`, and Python's `if c:` */
static bool body_without_braces(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_COLON && feed_accepts(f, TOK_LBRACE) && !feed_accepts(f, TOK_SEMI)) {
        Diag *d = diag(f->c, E0218, t->span, "write the body in braces");
        diag_note(f->c, d, t->span, "open it with `{` here, and close it with `}`");
        return true;
    }
    if (!f->open.n && t->first_on_line && feed_accepts(f, TOK_LBRACE) && !starts_item(t->kind)) {
        Span gap = {f->prev.span.hi, f->prev.span.hi};
        Diag *d = diag(f->c, E0218, gap, "write the body in braces");
        diag_note(f->c, d, gap, "open it with `{` here, and close it with `}`");
        return true;
    }
    if (!f->open.n || !feed_accepts(f, TOK_LBRACE) || feed_accepts(f, TOK_SEMI) || feed_accepts(f, TOK_COMMA)
        || at_statement(f) || t->kind == TOK_SEMI)
        return false;
    bool starts = t->kind == TOK_ID || starts_statement(t->kind) || t->kind == TOK_IF || t->kind == TOK_FOR
               || t->kind == TOK_OFFLOAD || t->kind == TOK_ATOMIC;
    if (!starts || f->prev.kind == TOK_OFFLOAD) return false;
    if (is_name(t, "then") || is_name(t, "do") || is_name(t, "begin")) {
        Diag *d = diag(f->c, E0218, t->span, "write the body in braces");
        if (feed_peek(f).kind == TOK_LBRACE) {
            diag_fix(f->c, d, (Span){f->prev.span.hi, t->span.hi}, "", "the brace is enough");
            *repair = REPAIR_DROP;
            return true;
        }
        Token next = feed_take(f);
        Span one;
        bool is_one = !next.first_on_line && statement_ends(f, &next, &one);
        feed_unread(f, next);
        if (is_one) {
            diag_fix(f->c, d, (Span){t->span.lo, one.hi}, arena_printf(f->p.arena, "{ %s }", text_of(f, one)),
                     "put braces around it");
            return true;
        }
        diag_fix(f->c, d, t->span, "{", "begin it with `{`, and end it with `}`");
        return retry_as(t, TOK_LBRACE, repair);
    }
    Diag *d = diag(f->c, E0218, t->span, "write the body in braces");
    Span whole;
    if (statement_ends(f, t, &whole))
        diag_fix(f->c, d, whole, arena_printf(f->p.arena, "{ %s }", text_of(f, whole)), "put braces around it");
    else diag_note(f->c, d, t->span, "open it with `{` here, and close it with `}`");
    return true;
}

/* `for i in 0..n by 2` */
static bool step_of_others(Feed *f, Token *t, Repair *repair) {
    bool is_step = t->kind == TOK_BY || is_name(t, "by") || (t->kind == TOK_COMMA && f->first.kind == TOK_FOR);
    if (!is_step || !feed_accepts(f, TOK_STEP) || feed_accepts(f, TOK_BY)) return false;
    if (t->kind == TOK_COMMA && feed_peek(f).kind != TOK_INT) return false;
    Diag *d = diag(f->c, E0216, t->span, "write the step of a range as `0..n step 2`");
    diag_fix(f->c, d, t->span, t->kind == TOK_COMMA ? " step" : "step", "use `step`");
    return retry_as(t, TOK_STEP, repair);
}

/* `for i in n, j in m { ... }`, as in a domain */
static bool two_variables(Feed *f, Token *t, Repair *repair) {
    bool in_head = innermost(f) == 0 || innermost(f) == TOK_LBRACE;
    (void)repair;
    if (t->kind != TOK_COMMA || f->first.kind != TOK_FOR || !in_head || !feed_accepts(f, TOK_LBRACE)) return false;
    Diag *d = diag(f->c, E0201, t->span, "a `for` statement has one variable: write another `for` in its body");
    diag_note(f->c, d, t->span, "only the domain of a kernel has several, as in `over i in n, j in m`");
    return true;
}

/* ---- what is missing ---- */

/* `k(out y)` */
static bool mode_without_sign(Feed *f, Token *t, Repair *repair) {
    bool is_mode = f->prev.kind == TOK_OUT || f->prev.kind == TOK_SCRATCH;
    if (!is_mode || t->kind != TOK_ID || innermost(f) != TOK_LPAREN || !feed_accepts(f, TOK_COMMA)) return false;
    Span mode = f->prev.span, both = span_join(mode, t->span);
    Diag *d = diag(f->c, E0216, both, "write `&%s` instead of `%s`", f->prev.name, f->prev.name);
    diag_fix(f->c, d, (Span){mode.lo, mode.lo}, "&", "pass a reference");
    *repair = REPAIR_DROP;
    return true;
}

static bool missing_comma(Feed *f, Token *t, Repair *repair) {
    bool operand = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STR;
    bool in_list = innermost(f) == TOK_LPAREN || innermost(f) == TOK_LBRACKET;
    Token next = {0};
    if (!operand || !feed_accepts(f, TOK_COMMA)) return false;
    if (!in_list && t->kind != TOK_STR && (next = feed_peek(f)).kind != TOK_IN && next.kind != TOK_COLON) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    Diag *d = diag(f->c, E0201, gap, "`,` is missing between %s and %s", token_text(f, &f->prev), token_text(f, t));
    diag_fix(f->c, d, gap, ",", "separate them with a comma");
    feed_push(f, feed_invent(f, TOK_COMMA));
    *repair = REPAIR_RETRY;
    return true;
}

/* `f(a, b;` */
static bool missing_closer(Feed *f, Token *t, Repair *repair) {
    int open = innermost(f);
    if (t->kind != TOK_SEMI || (open != TOK_LPAREN && open != TOK_LBRACKET) || !feed_accepts(f, closer_of(open)))
        return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    const char *closer = token_info[closer_of(open)].spelling;
    Diag *d = diag(f->c, E0201, gap, "`%s` is missing before `;`", closer);
    diag_note(f->c, d, f->open.at[f->open.n - 1].span, "to close this `%s`", token_info[open].spelling);
    diag_fix(f->c, d, gap, closer, "close it");
    feed_push(f, feed_invent(f, closer_of(open)));
    *repair = REPAIR_RETRY;
    return true;
}

/* `w[0 = v;`, `w[i += 1;`: without a `]` up to the `;`, on this line. */
static bool index_not_closed(Feed *f, Token *t, Repair *repair) {
    bool assigns = t->kind >= TOK_ASSIGN && t->kind <= TOK_SHR_ASSIGN;
    bool at_index = f->open.n > 1 && innermost(f) == TOK_LBRACKET && f->open.at[f->open.n - 2].kind == TOK_LBRACE;
    if (!assigns || !at_index || f->first.kind != TOK_ID || !feed_accepts(f, TOK_RBRACKET)) return false;
    Vec(Token) taken = {0};
    int depth = 0;
    bool ends = false, is_closed = false;
    while (!ends && !is_closed) {
        Token next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
        if (next.kind == TOK_END || next.first_on_line) break;
        depth += is_opener(next.kind) - (next.kind == TOK_RPAREN || next.kind == TOK_RBRACKET);
        ends = next.kind == TOK_SEMI && !depth;
        is_closed = depth < 0;
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    if (!ends) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    Diag *d = diag(f->c, E0201, gap, "`]` is missing before `%s`", token_info[t->kind].spelling);
    diag_note(f->c, d, f->open.at[f->open.n - 1].span, "to close this `[`");
    diag_fix(f->c, d, gap, "]", "close it");
    feed_push(f, feed_invent(f, TOK_RBRACKET));
    *repair = REPAIR_RETRY;
    return true;
}

static bool semicolon_in_struct(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || innermost(f) != TOK_LBRACE) return false;
    if (!feed_accepts(f, TOK_COMMA) || !feed_accepts(f, TOK_RBRACE)) return false;
    Diag *d = diag(f->c, E0201, t->span, "fields are separated by commas");
    diag_fix(f->c, d, t->span, ",", "separate them with a comma");
    return retry_as(t, TOK_COMMA, repair);
}

/* `barrier();`, `shared t = [...];` */
static bool group_statement(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_LPAREN && (f->prev.kind == TOK_BARRIER || f->prev.kind == TOK_WAIT)) {
        const char *word = token_info[f->prev.kind].spelling;
        diag(f->c, E0201, t->span, "`%s` is a statement, not a function: `%s;`", word, word);
        return true;
    }
    if (t->kind != TOK_ASSIGN || f->first.kind != TOK_SHARED) return false;
    Diag *d = diag(f->c, E0201, t->span, "a `shared` array cannot be initialised in its declaration: "
                                         "`shared t: [f32; 64];`");
    diag_note(f->c, d, t->span, "let each work item write its part, then wait at `barrier;`");
    return true;
}

/* `fn f(x: f32) fast`, `fast kernel k(...)`, `over i in n fast` */
static bool fast_elsewhere(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_FAST) return false;
    if (at_item(f) && feed_peek(f).kind == TOK_KERNEL) {
        Diag *d = diag(f->c, E0201, t->span, "write `fast` after the parameters: `kernel k(...) fast over i in n`");
        fix_fast(f, d, t);
        *repair = REPAIR_DROP;
        return true;
    }
    bool of_function = at_item(f) ? feed_peek(f).kind == TOK_FN
                                  : f->first.kind == TOK_FN && f->prev.kind == TOK_RPAREN && feed_accepts(f, TOK_ARROW);
    if (of_function) {
        Diag *d = diag(f->c, E0201, t->span, "only kernels are `fast`: a function is compiled for each kernel that "
                                             "calls it");
        diag_fix(f->c, d, t->span, "", "a fast kernel computes its functions fast as well");
        *repair = REPAIR_DROP;
        return true;
    }
    if (f->first.kind != TOK_KERNEL || f->open.n) return false;
    Diag *d = diag(f->c, E0201, t->span, "write `fast` before `over`: `kernel k(...) fast over i in n`");
    Tokens all = tokens_of_item(f, f->first.span.lo);
    int over = tokens_find(&all, 0, TOK_OVER), here = tokens_at(&all, t->span.lo);
    if (tokens_kind(&all, over - 1) == TOK_FAST) diag_fix(f->c, d, t->span, "", "the kernel is `fast` already");
    else if (over < here)
        diag_fix(f->c, d, span_join(all.at[over].span, t->span),
                 arena_printf(f->p.arena, "fast %s", tokens_text(f, &all, over, here)), "write it before `over`");
    *repair = REPAIR_DROP;
    return true;
}

/* Without a `;` the expression ends where the next line or a `}` begins: it is the result in Rust and Julia. */
static void fix_result(Feed *f, Diag *d, const Token *t) {
    Vec(Token) taken = {0};
    Token next = *t, last = t->kind == TOK_RBRACE ? f->prev : *t;
    while (next.kind != TOK_RBRACE) {
        next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
        if (next.kind == TOK_END || next.first_on_line || next.kind == TOK_RBRACE || next.kind == TOK_SEMI) break;
        last = next;
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    if (next.kind != TOK_RBRACE) return;
    Span whole = span_join(f->first.span, last.span);
    const char *text = text_of(f, whole);
    if (!strchr(text, '\n')) diag_fix(f->c, d, whole, arena_printf(f->p.arena, "return %s;", text), "return it");
}

/* `x * 2 }`: the last expression of a body is not its result. */
static bool expression_as_statement(Feed *f, Token *t, Repair *repair) {
    bool is_operator = t->kind >= TOK_OR && t->kind <= TOK_PERCENT && t->kind != TOK_AMP && t->kind != TOK_EQ;
    /* `x[i] }`; a call may be a statement */
    bool ends = t->kind == TOK_RBRACE && f->prev.kind != TOK_RPAREN && feed_accepts(f, TOK_SEMI);
    if ((!is_operator && !ends) || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    Diag *d = diag(f->c, E0214, ends ? span_join(f->first.span, f->prev.span) : t->span,
                   "an expression is not a statement; use its value, as in `return ...;` or `let y = ...;`");
    fix_result(f, d, t);
    if (!ends) return true;
    feed_push(f, feed_invent(f, TOK_SEMI));
    *repair = REPAIR_RETRY;
    return true;
}

static bool stray_else(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_ELSE || !at_statement(f)) return false;
    const Diags *all = &f->c->diags;
    if (all->list.n && all->list.at[all->list.n - 1]->code == E0218) return true; /* of an `if` without braces */
    Diag *d = diag(f->c, E0201, t->span, "this `else` has no `if`");
    diag_note(f->c, d, t->span, "write `else` directly after the `}` of an `if`");
    return true;
}

/* ---- the rest ---- */

static bool array_without_extents(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_RBRACKET || !feed_accepts(f, TOK_SEMI) || !feed_accepts(f, TOK_LT) || at_expression(f)
        || after_expression(f))
        return false;
    Diag *d = diag(f->c, E0201, t->span, "the extents are missing; write an array type as `[f32; n]`");
    if (f->prev.kind == TOK_ID && !at_statement(f))
        diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "; n", "name the extent");
    return true;
}

/* `1.` and `.5` */
static bool bare_point(Feed *f, Token *t, Repair *repair) {
    bool behind = f->prev.kind == TOK_DOT && f->prev2.kind == TOK_INT && touches(&f->prev2, &f->prev);
    if (behind) {
        Diag *d = diag(f->c, E0107, span_join(f->prev2.span, f->prev.span),
                       "digits are missing after the decimal point");
        diag_fix(f->c, d, (Span){f->prev.span.hi, f->prev.span.hi}, "0", "write `1.0`");
        return true;
    }
    Token next = {0};
    if (t->kind != TOK_DOT || !at_expression(f) || (next = feed_peek(f)).kind != TOK_INT || !touches(t, &next))
        return false;
    Diag *d = diag(f->c, E0107, t->span, "digits are missing before the decimal point");
    diag_fix(f->c, d, (Span){t->span.lo, t->span.lo}, "0", "write `0.5`");
    *repair = REPAIR_DROP;
    return true;
}

static bool keyword_as_name(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_FN && innermost(f) == TOK_LBRACE && feed_accepts(f, TOK_RBRACE) && !at_statement(f)) {
        diag(f->c, E0220, t->span, "declare functions outside of the struct, and pass it as a parameter");
        return true;
    }
    if (token_info[t->kind].class != TOKEN_WORD || !feed_accepts(f, TOK_ID) || t->first_on_line) return false;
    bool name_like = starts_item(t->kind) || t->kind == TOK_SHARED || t->kind == TOK_BARRIER || t->kind == TOK_WAIT;
    if (at_expression(f) && !name_like) return false; /* `let x = return;`: an expression is missing */
    diag(f->c, E0206, t->span, "`%s` is a keyword and cannot be a name", t->name);
    t->kind = TOK_ID;
    t->broken = true; /* other errors in this statement are consequences */
    *repair = REPAIR_RETRY;
    return true;
}

/* The keyword of these that is nearest to a name, or -1: one letter differs, or two of a long word. */
static int near_keyword(const char *name, bool (*is_wanted)(int kind)) {
    int best = 3, found = -1, most = strlen(name) > 4 ? 2 : 1;
    for (int kind = 1; kind < TOK__COUNT; kind++) {
        bool is_word = token_info[kind].class == TOKEN_WORD || token_info[kind].class == TOKEN_SOFT;
        if (!is_word || !is_wanted(kind)) continue;
        int distance = edit_distance(name, token_info[kind].spelling, most);
        if (distance <= most && distance < best) best = distance, found = kind;
    }
    return found;
}

static bool begins_statement(int kind) {
    return starts_statement(kind) || kind == TOK_LET || kind == TOK_VAR || kind == TOK_IF || kind == TOK_FOR ||
           kind == TOK_OFFLOAD || kind == TOK_ATOMIC;
}

/* An input of a session has declarations where it has statements. */
static bool begins_in_input(int kind) { return begins_statement(kind) || starts_item(kind); }

static bool is_else_word(int kind) { return kind == TOK_ELSE; }

static void say_misspelt(Feed *f, const Token *word, int kind) {
    const char *meant = token_info[kind].spelling;
    Diag *d = diag(f->c, E0201, word->span, "`%s` is not a keyword", word->name);
    diag_fix(f->c, d, word->span, meant, "did you mean `%s`?", meant);
}

/* `kernal k(...)`, `retrun x;`, `forr i in n { }` */
static bool misspelt_keyword(Feed *f, Token *t, Repair *repair) {
    if (at_item(f) && t->kind == TOK_ID) {
        int kind = near_keyword(t->name, starts_item);
        if (kind == -1) return false;
        say_misspelt(f, t, kind);
        return retry_as(t, kind, repair);
    }
    bool is_first = f->prev.kind == TOK_ID && f->first.kind == TOK_ID && f->first.span.lo == f->prev.span.lo;
    bool is_else = is_first && f->prev2.kind == TOK_RBRACE && (t->kind == TOK_LBRACE || t->kind == TOK_IF);
    if (is_else && near_keyword(f->prev.name, is_else_word) != -1) {
        say_misspelt(f, &f->prev, TOK_ELSE);
        return true;
    }
    bool is_next = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STR ||
                   token_info[t->kind].class == TOKEN_WORD;
    bool (*begins)(int) = f->is_input && !f->open.n ? begins_in_input : begins_statement;
    int kind = is_first && is_next && !t->first_on_line ? near_keyword(f->prev.name, begins) : -1;
    if (kind == -1) return false;
    say_misspelt(f, &f->prev, kind);
    return true;
}

static bool statement_outside(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (!at_item(f)) return false;
    if (t->kind == TOK_LET || t->kind == TOK_VAR) {
        Diag *d = diag(f->c, E0219, t->span,
                       "there are no global variables; declare a `const`, or a variable in a function");
        if (t->kind == TOK_LET) diag_fix(f->c, d, t->span, "const", "declare a constant");
        return true;
    }
    bool starts = starts_statement(t->kind) || t->kind == TOK_ID || t->kind == TOK_IF || t->kind == TOK_FOR
               || t->kind == TOK_OFFLOAD || t->kind == TOK_ATOMIC || t->kind == TOK_LBRACE;
    if (!starts) return false;
    diag(f->c, E0219, t->span, "write statements inside a function: `fn main() { }`");
    return true;
}

bool common_mistake(Feed *f, Token *t, Repair *repair) {
    static Mistake *const mistakes[] = {
        increment, semicolon_before_body, step_of_others, foreign_parameter, foreign_field,
        foreign_type_of_array, foreign_variable, foreign_head,
        foreign_range, foreign_call, foreign_sign, comparison_chain, comparison_as_statement,
        index_not_closed, assign_in_expression, stray_reference, semicolon_in_struct, semicolon_for_nothing,
        missing_body,
        let_without_value, bare_point, stray_else, choice_without_else, foreign_word, foreign_declaration,
        foreign_item,
        foreign_type_before_name, foreign_pointer, foreign_array, fast_elsewhere, foreign_kernel,
        array_without_extents,
        keyword_as_name, misspelt_keyword, statement_outside, two_variables, body_without_braces, mode_without_sign,
        missing_comma, missing_closer, expression_as_statement, group_statement, foreign_argument,
    };
    *repair = REPAIR_SKIP;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (mistakes[i](f, t, repair)) return true;
    return false;
}
