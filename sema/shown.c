/* shown.c -- whole arrays and structs among the values of a format. `print("{}", a)` becomes `print("{}", (text)(&a))`,
 * a call of a built-in function that no program can name. So all analyses see an array that is passed by `&` and read
 * on the host: it must have a value, is copied back from a device if the newest copy is there, and stays what it was.
 * A struct that owns arrays is passed as its fields (own.c). runtime/value.c writes the text. */
#include <string.h>

#include "sema/check.h"

/* The layout of a type, as runtime/value.h describes it ------------------------------------------------------------ */

const char *type_layout(Compiler *c, const Type *t) {
    if (t->kind == TY_STRUCT) {
        const char *text = arena_printf(&c->arena, "{%s|%lld|", t->name, (long long)t->size_bytes);
        for (int i = 0; i < t->n_fields; i++)
            text = arena_printf(&c->arena, "%s%s|%lld|%s|", text, t->fields[i].name, (long long)t->fields[i].offset,
                                type_layout(c, t->fields[i].type));
        return arena_printf(&c->arena, "%s}", text);
    }
    if (t->kind != TY_ARRAY && t->kind != TY_FIXED) return t->name;
    const char *text = "";
    for (int d = 0; d < t->rank; d++)
        text = t->kind == TY_ARRAY ? arena_printf(&c->arena, "%s%s_", text, d ? "," : "")
                                   : arena_printf(&c->arena, "%s%s%lld", text, d ? "," : "", (long long)t->extent[d]);
    return arena_printf(&c->arena, "[%s]%s", text, type_layout(c, t->elem));
}

/* What is in it ---------------------------------------------------------------------------------------------------- */

static bool is_float(const Type *t) { return t->is_float; }
static bool is_int(const Type *t) { return t->is_int; }
static bool is_handle(const Type *t) { return t->is_handle; }

/* Does a number, text or pointer of which the value consists satisfy this? */
static bool has_leaf(const Type *t, bool (*is)(const Type *t)) {
    if (t->kind == TY_ARRAY || t->kind == TY_FIXED || t->kind == TY_VECTOR) return has_leaf(t->elem, is);
    if (t->kind != TY_STRUCT || t->is_handle) return is(t);
    for (int i = 0; i < t->n_fields; i++)
        if (has_leaf(t->fields[i].type, is)) return true;
    return false;
}

bool shown_has_float(const Type *t) { return has_leaf(t, is_float); }
bool shown_has_int(const Type *t) { return has_leaf(t, is_int); }

/* The call --------------------------------------------------------------------------------------------------------- */

const char shown_array_words[] = "prints a whole array", shown_struct_words[] = "prints a struct";

static Expr *call_new(Sema *s, Expr *value, const Type *t) {
    Expr *e = arena_new(s->arena, Expr), *callee = arena_new(s->arena, Expr);
    *callee = (Expr){.kind = EXPR_NAME, .depth = 1, .span = value->span, .type = s->nothing};
    callee->name.name = s->builtin_name[BUILTIN_SHOWN];
    *e = (Expr){.kind = EXPR_CALL, .depth = value->depth + 1, .span = value->span, .type = s->str};
    e->call.callee = callee;
    e->call.info = arena_new(s->arena, CallInfo);
    e->call.info->kind = CALL_BUILTIN;
    e->call.info->builtin = BUILTIN_SHOWN;
    e->call.info->shown = t;
    e->call.info->shown_as = arena_new(s->arena, FormatPiece);
    e->call.info->shown_as->precision = -1;
    effect_add(s, EFFECT_STR, value->span, t->kind == TY_ARRAY ? shown_array_words : shown_struct_words);
    return e;
}

static void pass(Sema *s, Expr *call, Expr *value) {
    bool refers = value->type->kind == TY_ARRAY &&
                  (value->kind == EXPR_NAME || expr_is_slice(value) || expr_fixed_field(value));
    Arg a = {.mode = refers ? REF_IN : REF_NONE, .value = value, .span = value->span, .mode_span = value->span};
    vec_push(s->arena, &call->call.args, a);
}

static void pass_parts(Sema *s, Expr *call, Symbol *sym, const Expr *at) {
    for (int i = 0; i < sym->n_parts; i++) pass_parts(s, call, sym->parts[i], at);
    if (sym->parts) return;
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_NAME, .depth = 1, .span = at->span, .type = sym->type};
    e->name.name = sym->name;
    e->name.sym = sym;
    sym->used = true;
    pass(s, call, e);
}

static bool refused(Sema *s, Expr *e) {
    const Type *t = e->type;
    if (has_leaf(t, is_handle)) {
        const char *format = t->is_handle ? "`%s`, a pointer of C, cannot be printed"
                                          : "`%s` cannot be printed: a pointer of C is in it";
        diag(s->c, E0344, e->span, format, type_name(s->c, t));
        return true;
    }
    if (!type_owns(t) || (e->kind == EXPR_NAME && e->name.sym->parts)) return false;
    Diag *d = diag(s->c, E0411, e->span, "this struct has no name, so its arrays could not be freed afterwards");
    diag_note(s->c, d, e->span, "give it a name first: `let g = %s;`", source_text(s, e->span));
    return true;
}

Type *shown_check(Sema *s, Expr **slot) {
    Expr *copy = expr_is_slice(*slot) ? slice_elements(s, *slot) : NULL;
    Expr *e = *slot = copy ? copy : *slot;
    bool literal = e->kind == EXPR_FILL || e->kind == EXPR_COMPREHEND || e->kind == EXPR_LIST;
    return literal ? check_array_literal(s, e, NULL) : expr_is_slice(e) ? check_slice(s, e) : check_expr(s, slot);
}

bool shown_is_whole(const Type *t) { return t->kind == TY_ARRAY || t->kind == TY_STRUCT; }

void shown_pass(Sema *s, Expr **slot) {
    Expr *e = *slot;
    if (refused(s, e)) {
        bad(s, e);
        return;
    }
    if (e->type->kind == TY_STRUCT && !type_owns(e->type) && is_bad(check_scalar(s, slot))) return;
    Expr *call = call_new(s, *slot, (*slot)->type);
    if (type_owns(e->type)) pass_parts(s, call, e->name.sym, e);
    else pass(s, call, *slot);
    *slot = call;
}

Type *shown_type(const Expr *value) {
    const CallInfo *info = value->kind == EXPR_CALL ? value->call.info : NULL;
    bool is_shown = info && info->kind == CALL_BUILTIN && info->builtin == BUILTIN_SHOWN;
    return is_shown ? (Type *)info->shown : value->type;
}

/* Lines ------------------------------------------------------------------------------------------------------------ */

static bool is_table(const FormatPiece *p, const Arg *args, int n_args) {
    if (p->kind != PIECE_ARG || p->arg >= n_args || args[p->arg].value->type->kind == TY_ERROR) return false;
    const Type *t = shown_type(args[p->arg].value);
    return t->kind == TY_ARRAY && t->rank > 1;
}

static FormatPiece text_piece(const char *text, size_t n) {
    return (FormatPiece){.kind = PIECE_TEXT, .text = text, .n = n, .precision = -1};
}

/* Before a table: the line so far ends, without blanks. */
static void end_line(Sema *s, FormatPlan *plan) {
    FormatPiece *last = plan->pieces.n ? &plan->pieces.at[plan->pieces.n - 1] : NULL;
    while (last && last->kind == PIECE_TEXT && last->n && last->text[last->n - 1] == ' ') last->n--;
    if (last && last->kind == PIECE_TEXT && !last->n) plan->pieces.n--;
    last = plan->pieces.n ? &plan->pieces.at[plan->pieces.n - 1] : NULL;
    if (!last || (last->kind == PIECE_TEXT && last->text[last->n - 1] == '\n')) return;
    FormatPiece end = text_piece("\n", 1);
    vec_push(s->arena, &plan->pieces, end);
}

/* An array of two dimensions or more is a table, on lines of its own. */
void shown_lines(Sema *s, FormatPlan *plan, const Arg *args, int n_args) {
    FormatPlan out = {0};
    bool after = false;
    for (int i = 0; i < plan->pieces.n; i++) {
        FormatPiece p = plan->pieces.at[i];
        for (; after && p.kind == PIECE_TEXT && p.n && *p.text == ' '; p.n--) p.text++;
        if (p.kind == PIECE_TEXT && !p.n) continue;
        FormatPiece end = text_piece("\n", 1);
        if (after && (p.kind != PIECE_TEXT || *p.text != '\n')) vec_push(s->arena, &out.pieces, end);
        after = is_table(&p, args, n_args);
        if (after) end_line(s, &out);
        vec_push(s->arena, &out.pieces, p);
    }
    *plan = out;
}
