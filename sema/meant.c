/* meant.c -- what a wrong expression was meant to be, as a fix: arguments that are missing or in the wrong order, calls
 * of functions of other languages, texts joined with `+`, structs compared, indices in brackets of their own, elements
 * of another type than a parameter needs. */
#include <string.h>

#include "lexer/lexer.h"
#include "sema/check.h"

/* Arguments --------------------------------------------------------------------------------------------------- */

enum { MAX_GIVEN = 16 };

/* A parameter as it is written: one that owns arrays counts once, although Func.params has its fields. */
typedef struct Given {
    const Param *at[MAX_GIVEN];
    int n;
} Given;

static bool given_of(const Func *f, Given *given) {
    const ParamList *params = &f->item->fn.params;
    const Symbol *last = NULL;
    given->n = 0;
    for (int i = 0; i < params->n; i++) {
        const Param *p = &params->at[i];
        const Symbol *whole = p->owner ? own_whole(p->owner) : NULL;
        if (whole && whole == last) continue;
        last = whole;
        if (p->type->kind == TE_REF && p->type->ref.mode == REF_SCRATCH) continue;
        if (given->n == MAX_GIVEN) return false;
        given->at[given->n++] = p;
    }
    return given->n == own_count(f);
}

static const char *name_of_param(const Param *p) { return p->owner ? own_whole(p->owner)->name : p->name; }

static RefMode mode_of(const Param *p) { return p->type->kind == TE_REF ? p->type->ref.mode : REF_NONE; }

static bool may_be(const Type *have, const Type *want) {
    if (!have || !want || is_bad(have) || is_bad(want) || have == want) return true;
    if (have->kind == TY_ARRAY || want->kind == TY_ARRAY) return false;
    if (type_is_literal(have)) return have->is_float ? want->is_float : type_is_number(want);
    return type_widens(have, want);
}

/* How well the arguments suit the parameters, if parameter number `left_out` is missing. */
static int suits(const ArgList *args, const Given *given, int left_out) {
    int points = 0;
    for (int i = 0; i < args->n; i++) {
        const Arg *a = &args->at[i];
        const Param *p = given->at[i < left_out ? i : i + 1];
        const Type *want = p->owner || !p->sym ? NULL : p->sym->type;
        points += 4 * (a->mode == mode_of(p)) + 4 * may_be(a->value->type, want);
        points += a->value->kind == EXPR_NAME && a->value->name.name == p->name;
    }
    return points;
}

static const char *param_text(Sema *s, const Param *p) {
    return arena_printf(s->arena, "%s: %s", name_of_param(p), source_text(s, p->type->span));
}

/* A variable in scope that has the name of the parameter and its type. */
static const char *argument_for(Sema *s, const Param *p) {
    static const char *const modes[REF__COUNT] = {"", "&", "&mut ", "&out ", ""};
    const Symbol *sym = p->owner ? NULL : scope_find(s, p->name);
    RefMode mode = mode_of(p);
    bool is_variable = sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM || sym->kind == SYM_SIZE);
    if (!is_variable || !p->sym || !sym->type || sym->type != p->sym->type) return NULL;
    if ((mode == REF_MUT || mode == REF_OUT) && !sym->is_mutable) return NULL;
    return arena_printf(s->arena, "%s%s", modes[mode], p->name);
}

Diag *say_missing(Sema *s, Expr *call, const Func *f) {
    const ArgList *args = &call->call.args;
    int got = args->n, want = own_count(f), left_out = got;
    Given given;
    bool knows = given_of(f, &given) && got < want;
    for (int i = got, best = -1; knows && got + 1 == want && i >= 0; i--) {
        int points = suits(args, &given, i);
        if (points > best) best = points, left_out = i;
    }
    Span end = {call->span.hi - 1, call->span.hi};
    const char *missing = "";
    for (int i = left_out; knows && i < left_out + want - got; i++)
        missing = arena_printf(s->arena, "%s%s`%s`", missing, *missing ? ", " : "", param_text(s, given.at[i]));
    Diag *d = diag(s->c, E0311, left_out < got ? args->at[left_out].span : end,
                   "`%s` expects %d argument%s, but got %d%s%s%s", f->name, want, want == 1 ? "" : "s", got,
                   knows ? ": " : "", missing, !knows ? "" : want - got == 1 ? " is missing" : " are missing");
    const char *text = knows && got + 1 == want ? argument_for(s, given.at[left_out]) : NULL;
    if (!text) return d;
    if (left_out < got) fix_insert(s, d, args->at[left_out].span.lo, arena_printf(s->arena, "%s, ", text), "pass it");
    else fix_insert(s, d, end.lo, got ? arena_printf(s->arena, ", %s", text) : text, "pass it");
    return d;
}

/* The type of an argument, which is not checked yet; NULL: not known. */
static const Type *type_given(Sema *s, const Expr *e) {
    const Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.name) : NULL;
    if (e->kind == EXPR_STR) return type_scalar(s->types, TY_STR);
    if (e->kind == EXPR_FLOAT && !e->float_.suffix) return s->f64;
    return sym ? sym->type : NULL;
}

static bool fits(Sema *s, const Arg *a, const Param *p) {
    const Type *have = type_given(s, a->value), *want = p->owner || !p->sym ? NULL : p->sym->type;
    if (a->label || a->mode != mode_of(p)) return false;
    if (!have || !want || is_bad(have) || is_bad(want)) return true;
    if (have->kind != TY_ARRAY || want->kind != TY_ARRAY)
        return a->value->kind == EXPR_FLOAT ? want->is_float : may_be(have, want);
    return have->rank == want->rank && (have->elem == want->elem || is_bad(want->elem));
}

/* Finds an argument for parameter `at` and those after it: the first that fits, so that arguments that are not in the
 * wrong place keep their order. */
static bool arrange(Sema *s, const ArgList *args, const Given *given, int at, int *order) {
    if (at == given->n) return true;
    for (int i = 0; i < args->n; i++) {
        bool taken = false;
        for (int k = 0; k < at; k++) taken |= order[k] == i;
        order[at] = i;
        if (!taken && fits(s, &args->at[i], given->at[at]) && arrange(s, args, given, at + 1, order)) return true;
    }
    return false;
}

/* saxpy(&x, &mut y, 2.0) for saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) */
static bool arguments_turned(Sema *s, Expr *call, const Func *f, const Given *given) {
    enum { MOST = 6 };
    const ArgList *args = &call->call.args;
    int order[MAX_GIVEN];
    if (given->n > MOST || !arrange(s, args, given, 0, order)) return false;
    const char *text = "";
    int moved = 0;
    for (int i = 0; i < given->n; i++) moved += order[i] != i;
    if (moved == 2) return false; /* they were exchanged */
    for (int i = 0; i < given->n; i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", source_text(s, args->at[order[i]].span));
    Span all = span_join(args->at[0].span, args->at[args->n - 1].span);
    Diag *d = diag(s->c, E0401, all, "the arguments of `%s` are in another order", f->name);
    diag_note(s->c, d, f->name_span, "it is declared `%s`", signature_text(s, f->item));
    diag_fix(s->c, d, all, text, "write them in the order of the parameters");
    return true;
}

/* f(&x, 3.0) for f(a: f32, x: &[f32; n]): the modes of two arguments show that they were exchanged. */
bool arguments_exchanged(Sema *s, Expr *call, const Func *f) {
    ArgList *args = &call->call.args;
    Given given;
    int wrong[2], n = 0;
    if (!given_of(f, &given) || args->n != given.n) return false;
    for (int i = 0; i < args->n; i++) {
        if (args->at[i].mode == mode_of(given.at[i])) continue;
        if (n < 2) wrong[n] = i;
        n++;
    }
    if (n > 1 && args->n > 2 && arguments_turned(s, call, f, &given)) return true;
    if (n != 2) return false;
    Arg *a = &args->at[wrong[0]], *b = &args->at[wrong[1]];
    const Param *p = given.at[wrong[0]], *q = given.at[wrong[1]];
    if (a->label || b->label || a->mode != mode_of(q) || b->mode != mode_of(p)) return false;
    const char *first = source_text(s, a->span), *second = source_text(s, b->span);
    Diag *d = diag(s->c, E0401, a->span, "`%s` and `%s` are in the wrong order: `%s` expects `%s` before `%s`", first,
                   second, f->name, param_text(s, p), param_text(s, q));
    diag_fix(s->c, d, span_join(a->span, b->span),
             arena_printf(s->arena, "%s%s%s", second, source_text(s, (Span){a->span.hi, b->span.lo}), first),
             "exchange them");
    return true;
}

/* Calls of other languages ------------------------------------------------------------------------------------ */

static bool are_plain(const ArgList *args, int from) {
    for (int i = from; i < args->n; i++)
        if (args->at[i].label || args->at[i].mode != REF_NONE) return false;
    return true;
}

static Span inside(const ArgList *args) { return span_join(args->at[0].span, args->at[args->n - 1].span); }

/* `println(x)`, `printf("%d\n", x)` */
static bool fix_print_call(Sema *s, Diag *d, const Expr *call, const char *ours) {
    const ArgList *args = &call->call.args;
    if (!args->n || !are_plain(args, 0)) return false;
    const Expr *first = args->at[0].value;
    Span head = {call->span.lo, first->span.lo};
    const char *format = "{}";
    if (first->kind == EXPR_STR) {
        if (!memchr(first->str.at, '%', first->str.n)) return false;
        format = format_without_percents(s, first->span);
        head.hi = first->span.hi;
        diag_fix(s->c, d, head, arena_printf(s->arena, "%s(%s", ours, format), "use `%s`", ours);
        return true;
    }
    for (int i = 1; i < args->n; i++) format = arena_printf(s->arena, "%s {}", format);
    diag_fix(s->c, d, head, arena_printf(s->arena, "%s(\"%s\", ", ours, format), "use `%s`", ours);
    return true;
}

/* `zeros(n, m)` */
static bool fix_filled(Sema *s, Diag *d, const Expr *call, Name name) {
    const char *value = !strcmp(name, "zeros") ? "0.0" : !strcmp(name, "ones") ? "1.0" : NULL;
    const ArgList *args = &call->call.args;
    if (!value || args->n < 1 || args->n > MAX_RANK || !are_plain(args, 0)) return false;
    diag_fix(s->c, d, call->span, arena_printf(s->arena, "[%s; %s]", value, source_text(s, inside(args))),
             "fill an array");
    return true;
}

/* `atomicAdd(&x[i], 1)` */
static bool fix_atomic(Sema *s, Diag *d, const Expr *call, Name name) {
    static const struct {
        const char *theirs, *ours;
    } updates[] = {{"atomicAdd", "+="}, {"atomicSub", "-="}, {"atomicMin", "min="}, {"atomicMax", "max="},
                   {"atomicExch", "="}};
    const ArgList *args = &call->call.args;
    if (args->n != 2 || args->at[0].mode == REF_NONE || args->at[1].mode != REF_NONE) return false;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        if (strcmp(name, updates[i].theirs)) continue;
        diag_fix(s->c, d, call->span,
                 arena_printf(s->arena, "atomic %s %s %s", source_text(s, args->at[0].value->span), updates[i].ours,
                              source_text(s, args->at[1].value->span)),
                 "update it atomically");
        return true;
    }
    return false;
}

bool fix_foreign_call(Sema *s, Diag *d, const Expr *call, Name name, const char *ours) {
    const char *end = name + strlen(name);
    bool is_barrier = strstr(name, "sync") && end - name > 8 && !call->call.args.n;
    if (is_barrier && (strstr(name, "threads") || strstr(name, "warp"))) {
        diag_fix(s->c, d, call->span, "barrier", "use `barrier`");
        return true;
    }
    if (!strcmp(ours, "print") || !strcmp(ours, "format")) return fix_print_call(s, d, call, ours);
    return fix_filled(s, d, call, name) || fix_atomic(s, d, call, name);
}

/* `for i in range(n)`, which counts from 0 or from its first argument. */
bool range_called(Sema *s, Expr *e) {
    const Expr *callee = e->kind == EXPR_CALL ? e->call.callee : NULL;
    if (!callee || callee->kind != EXPR_NAME || strcmp(callee->name.name, "range") || scope_find(s, callee->name.name))
        return false;
    const ArgList *args = &e->call.args;
    if (args->n < 1 || args->n > 3 || !are_plain(args, 0)) return false;
    const char *text[3] = {0};
    for (int i = 0; i < args->n; i++) text[i] = source_text(s, args->at[i].span);
    Diag *d = diag(s->c, E0301, callee->span, "there is no function `range`");
    const char *range = args->n == 1   ? arena_printf(s->arena, "0..%s", text[0])
                        : args->n == 2 ? arena_printf(s->arena, "%s..%s", text[0], text[1])
                                       : arena_printf(s->arena, "%s..%s step %s", text[0], text[1], text[2]);
    diag_fix(s->c, d, e->span, range, "write a range");
    for (int i = 0; i < args->n; i++) check_expr(s, &args->at[i].value);
    bad(s, e);
    return true;
}

/* `System.out.println(x)`, `np.sqrt(x)`: a path that begins with a name that is not declared, to a function that is
 * built in, perhaps under another name. */
bool foreign_path(Sema *s, Expr *e) {
    Expr *callee = e->call.callee, *root = callee;
    while (root->kind == EXPR_FIELD) root = root->field.base;
    if (callee->kind != EXPR_FIELD || root->kind != EXPR_NAME || scope_find(s, root->name.name)) return false;
    Name name = callee->field.name;
    const char *ours = foreign_function(name);
    if (!ours && builtin_find(s, name)) ours = name;
    if (!ours || holes_may_declare(s, root->name.name)) return false;
    Diag *d = diag(s->c, E0301, root->span, "`%s` is not declared", root->name.name);
    if (!fix_foreign_call(s, d, e, name, ours))
        diag_fix(s->c, d, callee->span, ours, "`%s` is built in", ours);
    return true;
}

/* Operators --------------------------------------------------------------------------------------------------- */

typedef struct Joined {
    Sema *s;
    const char *format, *values;
    int n;
} Joined;

static void join(Joined *j, Expr *e) {
    e = expr_strip(e);
    bool has_brackets = source_text(j->s, e->span)[0] == '(';
    if (e->kind == EXPR_BINARY && e->binary.op == OP_ADD && !has_brackets) {
        join(j, e->binary.lhs);
        join(j, e->binary.rhs);
        return;
    }
    const char *text = source_text(j->s, e->span);
    j->n++;
    if (e->kind != EXPR_STR || text[0] != '"') {
        j->format = arena_printf(j->s->arena, "%s{}", j->format);
        j->values = arena_printf(j->s->arena, "%s, %s", j->values, text);
        return;
    }
    for (size_t i = 1, n = strlen(text) - 1; i < n; i++)
        j->format = arena_printf(j->s->arena, "%s%s%c", j->format,
                                 text[i] == '{' ? "{" : text[i] == '}' ? "}" : "", text[i]);
}

/* `"a" + b`; not a part of a longer sum. */
bool fix_joined(Sema *s, Diag *d, Expr *e) {
    Joined j = {.s = s, .format = "", .values = ""};
    const char *after = source_text(s, (Span){e->span.hi, e->span.hi + 2});
    if (e->span.hi - e->span.lo > 100 || after[0] == '+' || (after[0] == ' ' && after[1] == '+')) return false;
    join(&j, e);
    if (j.n > 8) return false;
    diag_fix(s->c, d, e->span, arena_printf(s->arena, "format(\"%s\"%s)", j.format, j.values), "use `format`");
    return true;
}

/* `p == q` of structs */
bool fix_compared(Sema *s, Diag *d, const Expr *e) {
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    const Type *t = l->type;
    bool equal = e->binary.op == OP_EQ, fits = l->kind == EXPR_NAME && r->kind == EXPR_NAME && t == r->type;
    if (!fits || (!equal && e->binary.op != OP_NE) || t->n_fields > 4 || t->is_handle) return false;
    const char *text = "";
    for (int i = 0; i < t->n_fields; i++) {
        const Type *of = t->fields[i].type;
        if (!type_is_number(of) && of->kind != TY_BOOL && of->kind != TY_STR) return false;
        text = arena_printf(s->arena, "%s%s%s.%s %s %s.%s", text, !i ? "" : equal ? " && " : " || ", l->name.name,
                            t->fields[i].name, equal ? "==" : "!=", r->name.name, t->fields[i].name);
    }
    if (t->n_fields > 1) text = arena_printf(s->arena, "(%s)", text);
    diag_fix(s->c, d, e->span, text, "compare the fields");
    return true;
}

/* `a .and. b` of Fortran, which the grammar reads as the field `and` of a, and its field b. */
bool fix_dotted(Sema *s, Diag *d, const Expr *field) {
    static const struct {
        const char *theirs, *ours;
    } words[] = {{"and", "&&"}, {"or", "||"}, {"eq", "=="}, {"ne", "!="},
                 {"lt", "<"},   {"le", "<="}, {"gt", ">"},  {"ge", ">="}};
    Span word = {field->field.name_span.lo - 1, field->field.name_span.hi + 1};
    const char *text = source_text(s, word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(field->field.name, words[i].theirs) || text[0] != '.' || text[strlen(text) - 1] != '.') continue;
        diag_fix(s->c, d, word, words[i].ours, "there is no `%s`; write `%s`", text, words[i].ours);
        return true;
    }
    return false;
}

/* m[1][2] of a matrix */
bool indices_apart(Sema *s, Expr *e) {
    Expr *root = e;
    int n = 0;
    const char *text = "";
    for (; root->kind == EXPR_INDEX && !expr_is_slice(root); root = root->index.base) {
        const ExprList *at = &root->index.at;
        const char *here = source_text(s, span_join(at->at[0]->span, at->at[at->n - 1]->span));
        text = arena_printf(s->arena, "%s%s%s", here, *text ? ", " : "", text);
        n += at->n;
    }
    if (e->index.base == root || root->kind != EXPR_NAME) return false;
    Symbol *sym = scope_find(s, root->name.name);
    if (!sym || !sym->type || sym->type->kind != TY_ARRAY || sym->type->rank != n) return false;
    sym->used = true;
    int first = e->index.base->kind == EXPR_INDEX ? 1 : n;
    Diag *d = diag(s->c, E0316, e->span, "`%s` has %d dimensions, but is indexed with %d index", sym->name, n, first);
    diag_fix(s->c, d, (Span){root->span.hi, e->span.hi}, arena_printf(s->arena, "[%s]", text),
             "write all indices in one pair of brackets");
    note_declared(s, d, sym);
    for (Expr *x = e; x != root; x = x->index.base) {
        for (int i = 0; i < x->index.at.n; i++) check_expr(s, &x->index.at.at[i]);
        bad(s, x);
    }
    return true;
}

/* Elements of another type ------------------------------------------------------------------------------------ */

static bool is_in_parens(const Expr *e, const char *text) {
    if (*text != '(') return false;
    if (e->kind == EXPR_BINARY) return e->binary.lhs->span.lo > e->span.lo;
    return e->kind == EXPR_UNARY || e->kind == EXPR_INT || e->kind == EXPR_FLOAT || e->kind == EXPR_NAME;
}

const char *argument_text(Sema *s, const Expr *e) {
    const char *text = source_text(s, e->span);
    return is_in_parens(e, text) ? arena_strndup(s->arena, text + 1, strlen(text) - 2) : text;
}

static const Expr *number_in(const Expr *e) {
    e = expr_strip((Expr *)e);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NEG) e = expr_strip(e->unary.operand);
    return e->kind == EXPR_INT || e->kind == EXPR_FLOAT ? e : NULL;
}

static Name suffix_of(const Expr *number) {
    return number->kind == EXPR_INT ? number->int_.suffix : number->float_.suffix;
}

/* `1.0` of another type: "1.0f32". NULL: it has no such value, or is not decimal. */
static const char *number_as(Sema *s, const Expr *e, const Type *want) {
    const Expr *number = number_in(e);
    bool has_point = number->kind == EXPR_FLOAT;
    const char *text = argument_text(s, expr_strip((Expr *)e));
    Name suffix = suffix_of(number);
    int n = (int)(strlen(text) - (suffix ? strlen(suffix) : 0));
    for (int i = 0; i < n && !has_point; i++)
        if (!strchr("-0123456789", text[i])) return NULL;
    if (has_point && !want->is_float) return NULL;
    if (want->is_int && !const_fits(number->konst, number->type, want)) return NULL;
    return arena_printf(s->arena, "%.*s%s%s", n, text, want->is_float && !has_point ? ".0" : "", want->name);
}

/* An element as `want`; NULL: that would lose its fraction. */
static const char *element_as(Sema *s, const Expr *e, const Type *want) {
    if (number_in(e)) return number_as(s, e, want);
    e = expr_strip((Expr *)e);
    if (!e->type || (e->type->is_float && !want->is_float)) return NULL;
    const CallInfo *info = e->kind == EXPR_CALL ? e->call.info : NULL;
    bool converts = info && info->kind == CALL_CONVERT && e->call.args.n == 1;
    const char *text = argument_text(s, converts ? e->call.args.at[0].value : e);
    return arena_printf(s->arena, "%s(%s)", want->name, text);
}

/* The first element, if all are numbers without a type, which get the type that it has. */
static const Expr *first_of_numbers(Sema *s, const Expr *list, const Type *want) {
    const Expr *first = NULL;
    for (int i = 0; i < list->list.items.n; i++) {
        const Expr *item = expr_strip(list->list.items.at[i]);
        const Expr *found = item->kind == EXPR_LIST ? first_of_numbers(s, item, want) : item, *number = NULL;
        if (found) number = number_in(found);
        if (!number || suffix_of(number) || !number_as(s, found, want)) return NULL;
        if (!first) first = found;
    }
    return first;
}

static const char *list_as(Sema *s, const Expr *list, const Type *want) {
    const char *text = "[";
    for (int i = 0; i < list->list.items.n; i++) {
        const Expr *item = expr_strip(list->list.items.at[i]);
        const char *one = item->kind == EXPR_LIST ? list_as(s, item, want) : element_as(s, item, want);
        if (!one) return NULL;
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", one);
    }
    return arena_printf(s->arena, "%s]", text);
}

static bool has_declared_type(const Sema *s, const Symbol *array) {
    for (int i = 0; i < s->facts->declared.n; i++)
        if (s->facts->declared.at[i].sym == array) return true;
    return false;
}

/* `array` is a variable of this function, whose elements are numbers of another type than `want`. */
void explain_elements(Sema *s, Diag *d, const Symbol *array, const Type *want) {
    const Type *have = array->type->elem;
    const Expr *init = array->init, *changed = NULL;
    const char *text = NULL;
    bool may_change = init && type_is_number(want) && type_is_number(have) && !has_declared_type(s, array);
    if (may_change && init->kind == EXPR_FILL) changed = init->fill.value;
    if (may_change && init->kind == EXPR_COMPREHEND) changed = init->comprehend.value;
    if (may_change && init->kind == EXPR_LIST) changed = first_of_numbers(s, init, want);
    if (changed) text = element_as(s, changed, want);
    if (may_change && init->kind == EXPR_LIST && !text) changed = init, text = list_as(s, init, want);
    const Expr *number = changed ? number_in(changed) : NULL;
    bool is_counted = init && init->kind == EXPR_COMPREHEND && have->kind == TY_INDEX;
    const char *why =
        is_counted ? "the elements are of type `index`, as the variables of the comprehension"
        : number && !suffix_of(number)
            ? arena_printf(s->arena, "a number without a suffix is an `%s`", have->name)
            : arena_printf(s->arena, "`%s` gets elements of type `%s` here", array->name, have->name);
    if (text) diag_fix(s->c, d, expr_strip((Expr *)changed)->span, text, "%s", why);
    else diag_note(s->c, d, array->span, "%s", why);
}
