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

const char *foreign_type(const Token *t) { return t->kind == TOK_ID ? own_type(t->name) : NULL; }

static bool may_begin_after(int before) {
    return !before || before == TOK_SEMI || before == TOK_LBRACE || before == TOK_RBRACE || before == TOK_LPAREN ||
           before == TOK_COMMA || before == TOK_RESYNC || before == TOK_CONST;
}

static bool type_behind_name(Feed *f, Token *t, Repair *repair) {
    if (!feed_accepts(f, TOK_COLON) || !foreign_type(t) || foreign_type(&f->prev)) return false;
    Span gap = {f->prev.span.hi, f->prev.span.hi};
    Diag *d = diag(f->c, E0201, t->span, "write `:` between a name and its type");
    diag_fix(f->c, d, gap, ":", "`%s: %s`", f->prev.name, foreign_type(t));
    feed_push(f, feed_invent(f, TOK_COLON));
    return retry_as(t, TOK_ID, repair);
}

/* `fn f(x: f32) f32 {` of Go and Zig */
static bool result_without_arrow(Feed *f, Token *t, Repair *repair) {
    if (f->prev.kind != TOK_RPAREN || !foreign_type(t) || !feed_accepts(f, TOK_ARROW)) return false;
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
    const char *type = foreign_type(&f->prev);
    if (!may_begin_after(f->prev2.kind) || (is_declaration && !type) || foreign_type(t)) return false;
    Span both = span_join(f->prev.span, t->span);
    const char *ours =
        arena_printf(&f->c->arena, "%s%s: %s", is_declaration ? "var " : "", t->name, type ? type : f->prev.name);
    Diag *d = diag(f->c, E0210, both, "the type comes after the name: `%s%s`", is_const ? "const " : "", ours);
    diag_fix(f->c, d, both, ours, "write the name first");
    return true;
}

/* `*p`, `f32 *p`, `p: *f32`, `p: f32*`, `(float *)malloc(n)` */
bool foreign_pointer(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_RPAREN && f->prev.kind == TOK_STAR && foreign_type(&f->prev2)) {
        Diag *d = diag(f->c, E0221, span_join(f->prev2.span, f->prev.span),
                       "there are no pointers; create an array with its values: `var x = [0.0; n];`");
        Span whole;
        const char *array = foreign_memory(f, &f->prev2, &whole);
        if (array) diag_fix(f->c, d, whole, array, "fill it");
        return true;
    }
    if (t->kind != TOK_STAR) return false;
    if (at_expression(f) && f->prev.kind != TOK_STAR) {
        Diag *d = diag(f->c, E0221, t->span, "there are no pointers; write `x[i]` for an element");
        Token next = feed_peek(f);
        if (next.kind == TOK_ID && touches(t, &next))
            diag_fix(f->c, d, t->span, "", "a reference is used like the variable itself");
        *repair = REPAIR_DROP;
        return true;
    }
    bool after = foreign_type(&f->prev) && (f->prev2.kind == TOK_COLON || may_begin_after(f->prev2.kind));
    if (!after && !at_type(f)) return false;
    const char *type = foreign_type(&f->prev);
    diag(f->c, E0221, t->span, "there are no pointers; pass an array as `x: &[%s; n]`, or as `&mut` to change it",
         type ? type : "f32");
    return true;
}

/* ---- words ---- */

typedef struct Word {
    const char *theirs, *ours, *advice; /* ours "": the word is left out; NULL: no single word replaces it */
} Word;

static const Word *find_word(const Word *words, size_t n, const Token *t) {
    if (t->kind != TOK_ID) return NULL;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(t->name, words[i].theirs)) return &words[i];
    return NULL;
}

/* `next` is the token after the word. */
static void fix_word(Feed *f, Diag *d, const Token *word, const Word *row, const Token *next) {
    if (!row->ours) return;
    bool is_word = next->kind == TOK_ID || token_info[next->kind].class == TOKEN_WORD;
    bool both = *row->ours == '}' && is_word && !next->first_on_line; /* `end if` */
    if (*row->ours)
        diag_fix(f->c, d, both ? span_join(word->span, next->span) : word->span, row->ours, "use `%s`", row->ours);
    else diag_fix(f->c, d, next->first_on_line ? word->span : (Span){word->span.lo, next->span.lo}, "", "leave it out");
}

static const Word *find_statement_word(const Token *t) {
    static const Word words[] = {
#define FOREIGN_WORD(theirs, ours, advice) {theirs, ours, advice},
#include "grammar/foreign.def"
    };
    return find_word(words, sizeof words / sizeof *words, t);
}

/* `not done`, `not (a == b)`, but not `not a == b`: `!` binds more closely. */
static bool negates_one(Feed *f, const Token *t) {
    Token next = feed_peek(f);
    bool ends = next.kind == TOK_LBRACE || next.kind == TOK_RPAREN || next.kind == TOK_SEMI || next.kind == TOK_AND ||
                next.kind == TOK_OR || is_name(&next, "and") || is_name(&next, "or");
    return t->kind == TOK_LPAREN || (t->kind == TOK_ID && ends);
}

/* `new Point(x: 1.0)`, `new int[10]` */
static void fix_new(Feed *f, Diag *d, const Token *word, const Token *t) {
    const char *type = foreign_type(t);
    Token bracket = feed_peek(f);
    if (t->kind != TOK_ID) return;
    if (bracket.kind == TOK_LPAREN && !type) diag_fix(f->c, d, (Span){word->span.lo, t->span.lo}, "", "leave it out");
    if (bracket.kind != TOK_LBRACKET || !type) return;
    Span whole;
    feed_take(f);
    const char *array = foreign_array_of(f, &bracket, "", type, &whole);
    feed_unread(f, bracket);
    if (array) diag_fix(f->c, d, span_join(word->span, whole), strchr(array, '['), "fill it");
}

/* A keyword of another language, which the grammar has accepted as a name; the next token shows that it is a
 * keyword. */
bool foreign_word(Feed *f, Token *t, Repair *repair) {
    /* `switch (x) {`, `foreach (x in y)` */
    bool like_call = (t->kind == TOK_LBRACE && f->prev.kind == TOK_RPAREN) || (t->kind == TOK_IN && f->open.n > 1);
    const Token *word = like_call ? &f->first : &f->prev;
    const Word *row = find_statement_word(word);
    if (!row || t->kind == TOK_SEMI) return false;
    Diag *d = diag(f->c, E0216, word->span, "%s", row->advice);
    if (is_name(word, "not")) {
        if (negates_one(f, t)) diag_fix(f->c, d, (Span){word->span.lo, t->span.lo}, "!", "use `!`");
    } else if (is_name(word, "new")) {
        fix_new(f, d, word, t);
    } else if (is_name(word, "__shared__") || is_name(word, "__local")) {
        fix_shared(f, d, t);
    } else {
        fix_word(f, d, word, row, t);
    }
    if (row->ours && *row->ours == '}') *repair = REPAIR_END;
    return true;
}

bool foreign_end(Feed *f, Token *t, Repair *repair) {
    bool begins = f->prev.first_on_line && f->prev.span.lo == f->first.span.lo;
    const Word *row = begins ? find_statement_word(&f->prev) : NULL;
    return row && row->ours && *row->ours == '}' && foreign_word(f, t, repair);
}

/* `from math import PI` */
static void fix_import(Feed *f, Diag *d, const Token *t) {
    Token module = feed_take(f), word = feed_take(f), name = feed_peek(f);
    feed_unread(f, word);
    feed_unread(f, module);
    if (module.kind != TOK_ID || word.kind != TOK_IMPORT || name.kind != TOK_ID) return;
    diag_fix(f->c, d, span_join(t->span, name.span), arena_printf(&f->c->arena, "import %s", module.name),
             "import the whole module");
}

/* `pub fn`, `class P {`, `__global__ void k(`: a keyword of KDSL in their place, and parsing continues. */
static bool item_word(Feed *f, Diag *d, Token *t, const Word *row, Repair *repair) {
    Token next = feed_peek(f);
    bool is_kernel = row->ours && !strcmp(row->ours, "kernel");
    if (is_kernel && !is_name(&next, "void")) return true;
    if (is_kernel) {
        diag_fix(f->c, d, span_join(t->span, next.span), row->ours, "use `kernel`");
        feed_take(f);
        return retry_as(t, TOK_KERNEL, repair);
    }
    fix_word(f, d, t, row, &next);
    if (row->ours && !*row->ours) *repair = REPAIR_DROP;
    return row->ours && *row->ours ? retry_as(t, TOK_STRUCT, repair) : true;
}

static bool is_function_word(const Token *t) {
    static const char *const functions[] = {"def", "func", "function", "fun", "proc", "void", "subroutine"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_name(t, functions[i])) return true;
    return false;
}

static const Word *find_item_word(const Token *t) {
    static const Word items[] = {
#define FOREIGN_ITEM(theirs, ours, advice) {theirs, ours, advice},
#include "grammar/foreign.def"
    };
    return find_word(items, sizeof items / sizeof *items, t);
}

bool foreign_begins_item(Feed *f, const Token *t) {
    if (!is_function_word(t) && !find_item_word(t)) return false;
    Token next = feed_peek(f);
    return next.kind == TOK_ID && !next.first_on_line;
}

bool foreign_item(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_ID || !at_item(f)) return false;
    bool is_function = is_function_word(t);
    const char *type = foreign_type(t);
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
    const Word *row = find_item_word(t);
    if (!row) return false;
    Diag *d = diag(f->c, E0216, t->span, "%s", row->advice);
    if (is_name(t, "enum")) fix_constants(f, d, t);
    else if (is_name(t, "from")) fix_import(f, d, t);
    else return item_word(f, d, t, row, repair);
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
    const char *ours = foreign_type(&type);
    Diag *d = diag(f->c, E0216, t->span, "write a conversion as `%s(...)`", ours ? ours : "f32");
    bool is_alone = f->prev.kind == TOK_ID || f->prev.kind == TOK_INT || f->prev.kind == TOK_FLOAT;
    if (ours && is_alone && f->prev2.kind != TOK_DOT)
        diag_fix(f->c, d, span_join(f->prev.span, type.span),
                 arena_printf(&f->c->arena, "%s(%s)", ours, text_of(f, f->prev.span)), "convert the value");
    return true;
}

/* `x**2` is `x * x`, `x**y` is `pow(x, y)`. */
static void fix_power(Feed *f, Diag *d) {
    const Token *base = &f->prev2;
    Token exponent = feed_take(f), after = feed_peek(f);
    feed_unread(f, exponent);
    bool is_plain = base->kind == TOK_ID || base->kind == TOK_INT || base->kind == TOK_FLOAT;
    bool has_exponent = exponent.kind == TOK_ID || exponent.kind == TOK_INT || exponent.kind == TOK_FLOAT;
    const Source *s = f->lexer.source;
    uint32_t before = base->span.lo - s->base;
    while (before && s->text[before - 1] == ' ') before--;
    char ch = before ? s->text[before - 1] : 0;
    if (!is_plain || !has_exponent || ch == '.') return;
    if (after.kind == TOK_LPAREN || after.kind == TOK_LBRACKET || after.kind == TOK_DOT) return;
    const char *x = text_of(f, base->span), *n = text_of(f, exponent.span);
    bool is_square = exponent.kind == TOK_INT && exponent.int_.value == 2;
    bool is_cube = exponent.kind == TOK_INT && exponent.int_.value == 3;
    bool alone = ch && strchr("=(,[{", ch);
    const char *text = is_square ? arena_printf(&f->c->arena, alone ? "%s * %s" : "(%s * %s)", x, x)
                       : is_cube ? arena_printf(&f->c->arena, alone ? "%s * %s * %s" : "(%s * %s * %s)", x, x, x)
                                 : arena_printf(&f->c->arena, "pow(%s, %s)", x, n);
    diag_fix(f->c, d, span_join(base->span, exponent.span), text, is_square || is_cube ? "multiply" : "call `pow`");
}

/* `a /= b` of Fortran and Haskell */
static bool unequal(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_DIV_ASSIGN || !feed_accepts(f, TOK_NE)) return false;
    Diag *d = diag(f->c, E0216, t->span, "`/=` divides a variable; write `!=` to compare");
    diag_fix(f->c, d, t->span, "!=", "use this operator");
    return retry_as(t, TOK_NE, repair);
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
        bool after = f->prev.kind == signs[i].first && t->kind == signs[i].second && touches(&f->prev, t);
        bool ahead = t->kind == signs[i].first && next.kind == signs[i].second && touches(t, &next);
        if (signs[i].kind ? !ahead || !feed_accepts(f, signs[i].kind) : !after && (!ahead || signs[i].ours)) continue;
        Span both = after ? span_join(f->prev.span, t->span) : span_join(t->span, next.span);
        Diag *d = diag(f->c, E0216, both, "%s", signs[i].advice);
        if (signs[i].ours) diag_fix(f->c, d, both, signs[i].ours, "use this operator");
        else if (after) fix_power(f, d);
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
    Diag *d = diag(f->c, E0216, t->span,
                   "launch a kernel with `offload k(...)`; its `over` sets the number of work items");
    fix_launch(f, d, t);
    return true;
}

/* `p->x`, `std::sqrt`, `f::<f32>(x)`, `f<f32>(x)` */
static bool member(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_ARROW && feed_accepts(f, TOK_DOT)) {
        Diag *d = diag(f->c, E0221, t->span, "there are no pointers; access a field with `.`");
        diag_fix(f->c, d, t->span, ".", "use a dot");
        return retry_as(t, TOK_DOT, repair);
    }
    Token next = feed_peek(f);
    bool ahead = t->kind == TOK_COLON && next.kind == TOK_COLON && touches(t, &next);
    bool after = t->kind == TOK_COLON && f->prev.kind == TOK_COLON && touches(&f->prev, t);
    if (!after && !(ahead && feed_accepts(f, TOK_DOT))) return false;
    if (ahead && (parse_of_rust(f) || limit_of_type(f, repair))) return true;
    Span both = ahead ? span_join(t->span, next.span) : span_join(f->prev.span, t->span);
    if (after && next.kind == TOK_LT) {
        diag(f->c, E0216, both, "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    const Token *scope = ahead ? &f->prev : &f->prev2;
    bool is_std = is_name(scope, "std");
    Diag *d = diag(f->c, E0216, both, is_std ? "there is no `std`: `sqrt`, `max` and others are built in"
                                             : "write a name of a module with a dot: `math.PI`");
    if (is_std)
        diag_fix(f->c, d, span_join(scope->span, both), "", "the functions of `std` are built in");
    else diag_fix(f->c, d, both, ".", "use a dot");
    if (after) return true;
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

/* `x >>> n` */
static bool shift_without_sign(Feed *f, Token *t, Repair *repair) {
    if (t->kind != TOK_GT || f->prev.kind != TOK_SHR || !touches(&f->prev, t)) return false;
    Diag *d = diag(f->c, E0216, span_join(f->prev.span, t->span),
                   "there is no `>>>`: `>>` shifts zeros into an unsigned number, and `x <<< -n` rotates to the right");
    diag_fix(f->c, d, t->span, "", "if the number is unsigned, use `>>`");
    *repair = REPAIR_DROP;
    return true;
}

bool foreign_sign(Feed *f, Token *t, Repair *repair) {
    if (is_name(t, "as") && f->first.kind == TOK_IMPORT) {
        diag(f->c, E0216, t->span, "a module cannot be renamed: write `import math;` and `math.PI`");
        return true;
    }
    if (arrow_function(f, t, repair) || two_as_one(f, t, repair) || cuda_launch(f, t)) return true;
    if (foreign_statement(f, t, repair) || member(f, t, repair) || foreign_chosen(f, t, repair)) return true;
    if (shift_without_sign(f, t, repair)) return true;
    if (unequal(f, t, repair) || dotted_operator(f, t, repair)) return true;
    return after_expression(f) && as_and_or(f, t, repair);
}

/* ---- calls ---- */

/* `(float)x`, `(f32) x` */
static bool cast(Feed *f, Token *t) {
    bool operand = t->kind == TOK_ID || t->kind == TOK_INT || t->kind == TOK_FLOAT;
    const char *type = foreign_type(&f->prev2);
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

/* The function of KDSL that has another name there. */
static const char *foreign_function(const Token *t) {
    static const Word names[] = {
#define FOREIGN_NAME(theirs, ours, advice) {theirs, ours, advice},
#include "grammar/foreign.def"
    };
    const Word *row = find_word(names, sizeof names / sizeof *names, t);
    return row && *row->ours ? row->ours : NULL;
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
    const char *ours = foreign_function(&f->prev);
    if (next.kind == TOK_LPAREN && fix_assert(f, d, t)) return true;
    if (next.kind == TOK_LPAREN && ours)
        diag_fix(f->c, d, span_join(f->prev.span, t->span), ours, "use `%s`", ours);
    else if (next.kind == TOK_LPAREN) diag_fix(f->c, d, t->span, "", "a function is called without `!`");
    else diag_fix(f->c, d, span_join(f->prev.span, t->span), "", "write the list alone");
    if (next.kind == TOK_LPAREN) *repair = REPAIR_DROP;
    return true;
}

/* `f"{x}"` */
static bool string_prefix(Feed *f, Token *t) {
    if (t->kind != TOK_STR || f->prev.kind != TOK_ID || !touches(&f->prev, t)) return false;
    Span both = span_join(f->prev.span, t->span);
    Diag *d = diag(f->c, E0216, both, "there are no string prefixes, as in f\"...\"; write `print(\"x = {}\", x)` or "
                                      "`format(\"{}\", x)`");
    const char *text = is_name(&f->prev, "f") ? lex_names_out_of(&f->c->arena, text_of(f, t->span)) : NULL;
    bool is_format = f->prev2.kind == TOK_LPAREN && feed_peek(f).kind == TOK_RPAREN;
    if (text && is_format) diag_fix(f->c, d, both, text, "pass the values after the format");
    else if (text) diag_fix(f->c, d, both, arena_printf(&f->c->arena, "format(%s)", text), "use `format`");
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
    bool at_name = f->prev.kind == TOK_OFFLOAD, after = f->prev2.kind == TOK_OFFLOAD && f->prev.kind == TOK_ID;
    bool brackets = at_name && (t->kind == TOK_LPAREN || t->kind == TOK_LBRACE);
    if (!brackets && !(after && t->kind == TOK_SEMI)) return false;
    diag(f->c, E0201, t->span, "write a launch as `offload k(...)`, with the kernel's arguments");
    return true;
}

/* `offload on d + 1 k(x)`: without parentheses, only one operand can be the device. */
static bool device_of_operators(Feed *f, Token *t) {
    bool is_operator = t->kind == TOK_PLUS || t->kind == TOK_MINUS || t->kind == TOK_STAR || t->kind == TOK_SLASH ||
                       t->kind == TOK_PERCENT;
    if (!is_operator || f->prev2.kind != TOK_ON || (f->prev.kind != TOK_ID && f->prev.kind != TOK_INT)) return false;
    if (feed_accepts(f, t->kind)) return false;
    const char *written = text_of(f, span_join(f->prev.span, t->span));
    diag(f->c, E0201, t->span, "put the device in parentheses: `offload on (%s ...) k(...)`", written);
    return true;
}

static bool begins_statement(const Token *before) {
    return before->kind == TOK_SEMI || before->kind == TOK_LBRACE || before->kind == TOK_RBRACE;
}

/* `f<f32>(x)`, `Pair<f32, i32>(a: x, b: y)`: type arguments, which are inferred. */
static bool type_argument(Feed *f, Token *t) {
    if (t->kind == TOK_COMMA && f->prev2.kind == TOK_LT && foreign_type(&f->prev) && !feed_accepts(f, TOK_COMMA)) {
        diag(f->c, E0216, span_join(f->prev2.span, t->span),
             "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    Token next = feed_peek(f);
    bool launch = f->prev2.kind == TOK_OFFLOAD && next.kind == TOK_ID, first = begins_statement(&f->prev2);
    if (t->kind == TOK_LT && f->prev.kind == TOK_ID &&
        (launch || (first && foreign_type(&next)))) { /* `offload k<f32>(x)`, `f<f32>(x);` */
        diag(f->c, E0216, span_join(t->span, next.span),
             "a call does not name types: the compiler infers them from the arguments");
        return true;
    }
    if (t->kind != TOK_GT || f->prev2.kind != TOK_LT || f->prev.kind != TOK_ID || next.kind != TOK_LPAREN) return false;
    bool together = touches(&f->prev2, &f->prev) && touches(&f->prev, t) && touches(t, &next); /* `f<T>(x)` */
    if (!foreign_type(&f->prev) && !together) return false;
    Span all = {f->prev2.span.lo, t->span.hi};
    Diag *d = diag(f->c, E0216, all, "a call does not name types: the compiler infers them from the arguments");
    diag_fix(f->c, d, all, "", "the arguments determine the types");
    return true;
}

bool foreign_call(Feed *f, Token *t, Repair *repair) {
    return macro(f, t, repair) || cast(f, t) || type_argument(f, t) || launch(f, t) ||
           device_of_operators(f, t) || string_prefix(f, t);
}

/* ---- ranges and arrays ---- */

static bool range_word(Feed *f, Span span, Token *t, Repair *repair) {
    Diag *d = diag(f->c, E0216, span, "write a range as `a..b`, which excludes b");
    diag_fix(f->c, d, span, "..", "write two dots");
    return retry_as(t, TOK_DOTDOT, repair);
}

/* `for (auto v : x)`: `(` is the unexpected token. */
static bool is_over_elements(Feed *f) {
    Vec(Token) taken = {0};
    Token next = {0};
    do {
        next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
    } while (next.kind == TOK_ID || next.kind == TOK_CONST || next.kind == TOK_AMP);
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
    return next.kind == TOK_COLON;
}

/* `for (`, `for i in 1:n`, `0 to n`, `x[a:b]`, `0..=n`, `for i = 0..n` */
bool foreign_range(Feed *f, Token *t, Repair *repair) {
    if (t->kind == TOK_LPAREN && f->prev.kind == TOK_FOR) {
        Diag *d = diag(f->c, E0211, t->span, "write a loop as `for i in 0..n { }`");
        Span whole;
        bool over_elements = is_over_elements(f);
        if (over_elements) diag_note(f->c, d, t->span, "use `x[i]` for the element: `for i in len(x) { }`");
        const char *range = foreign_loop(f, t, &whole);
        if (range) diag_fix(f->c, d, whole, touches(&f->prev, t) ? arena_printf(&f->c->arena, " %s", range) : range,
                            "count with a range");
        else if (!over_elements)
            diag_note(f->c, d, t->span, "where it does not count up or down, use `while`: `while i > 0 { i /= 2; }`");
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
    if (foreign_loop_of_go(f, t, repair)) return true;
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

/* `P { x: 1.0 }`: from `{` to `}` on one line. */
static void fix_struct_value(Feed *f, Diag *d) {
    Vec(Token) taken = {0};
    Token next = {0};
    do {
        next = feed_take(f);
        vec_push(f->p.arena, &taken, next);
    } while (next.kind != TOK_RBRACE && next.kind != TOK_LBRACE && next.kind != TOK_END && !next.first_on_line);
    bool ends = next.kind == TOK_RBRACE && !next.first_on_line;
    if (ends && taken.n > 1) {
        const char *inside = text_of(f, span_join(taken.at[0].span, taken.at[taken.n - 2].span));
        diag_fix(f->c, d, span_join(f->prev.span, next.span),
                 arena_printf(&f->c->arena, "%s(%s)", f->prev.name, inside), "use parentheses");
    }
    while (taken.n) feed_unread(f, taken.at[--taken.n]);
}

/* `{1, 2}`, `P { x: 1.0 }`, `f32[n]`, `[1, 2; 3, 4]`, `(a, b)` */
bool foreign_array(Feed *f, Token *t, Repair *repair) {
    (void)repair;
    if (t->kind == TOK_LBRACE && at_expression(f) && !at_statement(f)) {
        diag(f->c, E0216, t->span, "write an array in square brackets: `[1, 2, 3]`");
        return true;
    }
    if (t->kind == TOK_LBRACE && f->prev.kind == TOK_ID && after_expression(f) && !t->first_on_line) {
        Diag *d = diag(f->c, E0216, t->span, "write a struct value like a call: `%s(field: value, ...)`", f->prev.name);
        fix_struct_value(f, d);
        return true;
    }
    bool after_mode = f->prev2.kind == TOK_AMP || f->prev2.kind == TOK_MUT || f->prev2.kind == TOK_OUT;
    bool after_type = f->prev.kind == TOK_ID && (f->prev2.kind == TOK_COLON || after_mode);
    if (t->kind == TOK_LBRACKET && after_type && !after_expression(f)) {
        diag(f->c, E0216, span_join(f->prev.span, t->span), "write an array type as `[%s; n]`", f->prev.name);
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
    else {
        Diag *d = diag(f->c, E0216, t->span, "there are no tuples; use a struct for several values");
        fix_shape(f, d, t);
    }
    return true;
}

/* ---- declarations ---- */

/* `let mut x`, `x: i32 = 1;`, `var a = 1, b = 2;`, `let (a, b)` */
/* `let a = 1, b = 2;` */
static void fix_next_declaration(Feed *f, Diag *d, const Token *comma) {
    bool declares = f->first.kind == TOK_LET || f->first.kind == TOK_VAR;
    Token name = feed_take(f), after = feed_peek(f);
    feed_unread(f, name);
    declares &= f->prev.span.lo != f->first.span.lo && f->prev2.span.lo != f->first.span.lo; /* not `let a, b = 1` */
    if (!declares || name.kind != TOK_ID || (after.kind != TOK_ASSIGN && after.kind != TOK_COLON)) return;
    diag_fix(f->c, d, comma->span, arena_printf(&f->c->arena, "; %s", f->first.name), "declare each by itself");
}

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
    bool in_block = innermost(f) == TOK_LBRACE || (f->is_input && !f->open.n);
    bool list = t->kind == TOK_COMMA && in_statement && in_block;
    if (list || (behind_let && t->kind == TOK_LPAREN)) {
        Diag *d = diag(f->c, E0216, t->span, "a statement declares or assigns a single variable");
        if (list) fix_next_declaration(f, d, t);
        return true;
    }
    if (t->kind == TOK_ASSIGN && f->prev.kind == TOK_COLON && f->prev2.kind == TOK_ID && touches(&f->prev, t)) {
        Span both = span_join(f->prev.span, t->span);
        Diag *d = diag(f->c, E0216, both, "write `=`: `%s` gets the type of its value", f->prev2.name);
        diag_fix(f->c, d, (Span){f->prev2.span.hi, t->span.hi}, " =", "use `=`");
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
        Diag *d = diag(f->c, E0216, t->span, "write the mode of a parameter before its type: `x: &mut [f32; n]`");
        if (t->kind == TOK_MUT)
            diag_note(f->c, d, t->span, "to change a copy only, declare a variable: `var m = n;`");
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
    bool second = t->kind == TOK_COMMA && f->first.kind == TOK_KERNEL && !f->open.n && feed_accepts(f, TOK_LBRACE);
    bool list = t->kind == TOK_LPAREN && f->prev.kind == TOK_ARROW && at_type(f);
    if (!second && !list) return false;
    Token next = feed_peek(f);
    bool reduces = second || is_name(&next, "sum") || next.kind == TOK_MIN || next.kind == TOK_MAX;
    const char *kernel = "a kernel has a single reduction; update elements of a `&mut` parameter for the others, as in "
                         "`atomic r[1] max= x[i];`";
    diag(f->c, E0216, t->span, "%s",
         reduces ? kernel : "a function returns a single value; return a struct, or use `&out` parameters");
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
        Diag *d = diag(f->c, E0201, t->span, "write the result of a kernel after its domain: `over i in n -> sum f32`");
        fix_domain(f, d, t);
        return true;
    }
    Diag *d = diag(f->c, E0201, t->span, "expected `over`, found %s", token_text(f, t));
    diag_note(f->c, d, t->span, "a kernel needs a domain, which sets its work items: `over i in n`");
    if (t->kind == TOK_LBRACE) note_loop(f, d, t);
    return true;
}
