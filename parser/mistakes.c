/* mistakes.c -- the mistakes that people make most: one function each, and the order in which they are asked. Those of
 * people who write another language's words and signs are in foreign.c.
 *
 * Each looks at the token that does not fit and at its neighbours, and either is not meant (false), or reports, sets
 * *repair, and may change *t so that the parser goes on as if the right thing had been written. */
#include "parser/mistakes.h"

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
    if (f->prev.kind == TOK_ASSIGN && touches(&f->prev, t)) { /* `x =+ 1` */
        Diag *d = diag(f->c, E0208, span_join(f->prev.span, t->span), "there is no `=+`");
        diag_fix(f->c, d, span_join(f->prev.span, t->span), "+=", "a variable is counted with an assignment");
        *repair = REPAIR_DROP;
        return true;
    }
    Diag *d = diag(f->c, E0208, t->span, "there is no sign `+`");
    diag_fix(f->c, d, t->span, "", "a number without a sign is positive");
    *repair = REPAIR_DROP;
    return true;
}

static bool assign_in_expression(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_ASSIGN) return false;
    if (innermost(f) == TOK_LPAREN && f->prev.kind == TOK_ID && feed_accepts(f, TOK_COLON)) {
        Diag *d = diag(f->c, E0207, t->span, "`=` is no operator; an argument is named with `:`");
        diag_fix(f->c, d, t->span, ":", "or `==`, if two values are compared");
        return retry_as(t, TOK_COLON, repair);
    }
    if (!feed_accepts(f, TOK_EQ)) return false;
    Diag *d = diag(f->c, E0207, t->span, "`=` is no operator: an assignment is a statement of its own");
    if (innermost(f) == TOK_LBRACE && feed_accepts(f, TOK_SEMI)) { /* `a = b = 0;` */
        diag_note(f->c, d, t->span, "assign one after the other; two values are compared with `==`");
        return true;
    }
    diag_fix(f->c, d, t->span, "==", "two values are compared with `==`");
    return retry_as(t, TOK_EQ, repair);
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

/* `if c return;`, and Python's `if c:` */
static bool body_without_braces(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_COLON && feed_accepts(f, TOK_LBRACE) && !feed_accepts(f, TOK_SEMI)) {
        Diag *d = diag(f->c, E0218, t->span, "a body is written in braces");
        diag_fix(f->c, d, t->span, " {", "and `}` behind it");
        return true;
    }
    if (!f->open.n && t->first_on_line && feed_accepts(f, TOK_LBRACE) && !starts_item(t->kind)) {
        Span gap = {f->prev.span.hi, f->prev.span.hi};
        Diag *d = diag(f->c, E0218, gap, "a body is written in braces");
        diag_fix(f->c, d, gap, " {", "and `}` behind it");
        return true;
    }
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

/* ---- what is missing ---- */

static bool missing_comma(Feed *f, Token *t, Repair *repair) {
    bool operand = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STR;
    bool in_list = innermost(f) == TOK_LPAREN || innermost(f) == TOK_LBRACKET;
    Token next = {0};
    if (!operand || !feed_accepts(f, TOK_COMMA)) return false;
    if (!in_list && t->kind != TOK_STR && (next = feed_peek(f)).kind != TOK_IN && next.kind != TOK_COLON) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    Diag *d = diag(f->c, E0201, gap, "`,` is missing between %s and %s", token_text(f, &f->prev), token_text(f, t));
    diag_fix(f->c, d, gap, ",", "a list has commas");
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

static bool semicolon_in_struct(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_SEMI || innermost(f) != TOK_LBRACE) return false;
    if (!feed_accepts(f, TOK_COMMA) || !feed_accepts(f, TOK_RBRACE)) return false;
    Diag *d = diag(f->c, E0201, t->span, "fields are separated by commas");
    diag_fix(f->c, d, t->span, ",", "a list has commas");
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
    Diag *d = diag(f->c, E0201, t->span, "`shared` memory begins without values: `shared t: [f32; 64];`");
    diag_note(f->c, d, t->span, "each work item writes its part, then all meet at `barrier;`");
    return true;
}

/* `x * 2 }`: the last expression of a body is not its result. */
static bool expression_as_statement(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    bool is_operator = t->kind >= TOK_OR && t->kind <= TOK_PERCENT && t->kind != TOK_AMP && t->kind != TOK_EQ;
    if (!is_operator || !feed_accepts(f, TOK_ADD_ASSIGN)) return false;
    diag(f->c, E0214, t->span,
         "an expression is no statement: use its value, as in `return ...;` or `let y = ...;`");
    return true;
}

static bool stray_else(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind != TOK_ELSE || !at_statement(f)) return false;
    const Diags *all = &f->c->diags;
    if (all->list.n && all->list.at[all->list.n - 1]->code == E0218) return true; /* of an `if` without braces */
    Diag *d = diag(f->c, E0201, t->span, "this `else` has no `if`");
    diag_note(f->c, d, t->span, "it stands directly behind the `}` of one");
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
    if (t->kind == TOK_FN && innermost(f) == TOK_LBRACE && feed_accepts(f, TOK_RBRACE) && !at_statement(f)) {
        diag(f->c, E0220, t->span, "functions stand beside a struct, and take it as a parameter");
        return true;
    }
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
    static Mistake *const mistakes[] = {
        increment, foreign_range, foreign_call, foreign_sign, comparison_chain, comparison_as_statement,
        assign_in_expression, stray_reference, semicolon_in_struct, semicolon_for_nothing, missing_body,
        let_without_value, bare_point, stray_else, foreign_word, foreign_declaration, foreign_item,
        foreign_type_before_name, foreign_pointer, foreign_array, foreign_kernel, array_without_extents,
        keyword_as_name, statement_outside, body_without_braces, missing_comma, missing_closer,
        expression_as_statement, group_statement, foreign_argument,
    };
    *repair = REPAIR_SKIP;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (mistakes[i](f, t, repair)) return true;
    return false;
}
