/* ast_dump.c -- pretty printer of the tree: expressions and types; ast_dump_item.c has statements and items.
 *
 * The text is canonical: brackets are printed only where the precedence in op_info needs them, so that parsing the text
 * yields the same tree, and dumping that tree the same text. */
#include "parser/dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- literals ---- */

/* The shortest text that is parsed as the same number. */
static void dump_float(Dump *d, double value, Name suffix) {
    char text[40];
    bool is_f32 = suffix && !strcmp(suffix, "f32");
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_f32 ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value) break;
    }
    char *exponent = strchr(text, 'e'); /* "1e+03" becomes "1e3" */
    if (exponent) {
        int power = atoi(exponent + 1);
        snprintf(exponent + 1, sizeof text - (size_t)(exponent + 1 - text), "%d", power);
    }
    buf_puts(d->out, text);
    if (!strpbrk(text, ".e")) buf_puts(d->out, ".0");
    if (suffix) buf_puts(d->out, suffix);
}

static char escape_letter(unsigned char ch) {
    switch (ch) {
    case '\n': return 'n';
    case '\t': return 't';
    case '\r': return 'r';
    case '"': case '\\': return (char)ch;
    }
    return 0;
}

void dump_string(Dump *d, const char *at, size_t n) {
    uint32_t code_point;
    buf_putc(d->out, '"');
    for (size_t i = 0; i < n;) {
        unsigned char ch = (unsigned char)at[i];
        int length = utf8_decode(at + i, n - i, &code_point);
        if (escape_letter(ch)) buf_printf(d->out, "\\%c", escape_letter(ch));
        else if (!length || ch < 0x20 || ch == 0x7F) buf_printf(d->out, "\\x%02x", ch);
        else buf_add(d->out, at + i, (size_t)length);
        i += length ? (size_t)length : 1;
    }
    buf_putc(d->out, '"');
}

/* ---- types ---- */

static void dump_exprs(Dump *d, ExprList list) {
    for (int i = 0; i < list.n; i++) {
        if (i) buf_puts(d->out, ", ");
        dump_expr(d, list.at[i]);
    }
}

/* The rows of a list that were joined; `at` is the next element. */
static void dump_rows(Dump *d, const Expr *list, int dim, int *at) {
    const int64_t *extent = list->list.extent;
    buf_putc(d->out, '[');
    for (int64_t i = 0; i < extent[dim]; i++) {
        if (i) buf_puts(d->out, ", ");
        if (extent[dim + 1] >= 0) dump_rows(d, list, dim + 1, at);
        else dump_expr(d, list->list.items.at[(*at)++]);
    }
    buf_putc(d->out, ']');
}

static void dump_list(Dump *d, const Expr *e) {
    int at = 0;
    if (e->list.extent) {
        dump_rows(d, e, 0, &at);
        return;
    }
    buf_putc(d->out, '[');
    dump_exprs(d, e->list.items);
    buf_putc(d->out, ']');
}

static const char *mode_text(RefMode mode) {
    switch (mode) {
    case REF_NONE: return "";
    case REF_IN: return "&";
    case REF_MUT: return "&mut ";
    case REF_OUT: return "&out ";
    case REF_SCRATCH: return "&scratch ";
    case REF__COUNT: break;
    }
    return "";
}

void dump_type(Dump *d, const TypeExpr *t) {
    switch (t->kind) {
    case TE_ERROR: buf_puts(d->out, "/* error */"); break;
    case TE_NAME:
        buf_puts(d->out, t->name.name);
        for (int i = 0; i < t->name.args.n; i++) {
            buf_puts(d->out, i ? ", " : "<");
            dump_type(d, t->name.args.at[i]);
        }
        if (t->name.args.n) buf_putc(d->out, '>');
        break;
    case TE_ARRAY:
        buf_putc(d->out, '[');
        dump_type(d, t->array.elem);
        buf_puts(d->out, "; ");
        dump_exprs(d, t->array.extents);
        buf_putc(d->out, ']');
        break;
    case TE_REF:
        buf_puts(d->out, mode_text(t->ref.mode));
        dump_type(d, t->ref.to);
        break;
    }
}

/* ---- expressions ---- */

static void dump_in_brackets(Dump *d, const Expr *e) {
    buf_putc(d->out, '(');
    dump_expr(d, e);
    buf_putc(d->out, ')');
}

/* Implicit conversions are printed only with types. */
static const Expr *shown(const Dump *d, const Expr *e) {
    while (!d->type_text && e->kind == EXPR_CONVERT) e = e->convert.operand;
    return e;
}

/* The operand of `.`, `(` and `[`: needs brackets unless it is a postfix expression. */
static void dump_base(Dump *d, const Expr *e) {
    ExprKind kind = shown(d, e)->kind;
    if (kind == EXPR_UNARY || kind == EXPR_BINARY || kind == EXPR_IF) dump_in_brackets(d, e);
    else dump_expr(d, e);
}

static int precedence(const Dump *d, const Expr *e) {
    e = shown(d, e);
    return e->kind == EXPR_BINARY ? op_info[e->binary.op].precedence : e->kind == EXPR_UNARY ? 10 : 99;
}

/* An operand: needs brackets if its precedence is less than `least`. */
static void dump_operand(Dump *d, const Expr *e, int least) {
    if (precedence(d, e) < least) dump_in_brackets(d, e);
    else dump_expr(d, e);
}

/* With types: marks a fused product. */
void dump_fused(Dump *d, bool fused) {
    if (fused && d->type_text) buf_puts(d->out, " /* fused */");
}

static void dump_binary(Dump *d, const Expr *e) {
    const OpInfo *op = &op_info[e->binary.op];
    int left = op->kind == OPK_COMPARE ? op->precedence + 1 : op->precedence; /* comparisons are not associative */
    dump_operand(d, e->binary.lhs, left);
    dump_fused(d, e->binary.fused == FUSED_LEFT);
    buf_printf(d->out, " %s ", op->spelling);
    dump_operand(d, e->binary.rhs, op->precedence + 1);
    dump_fused(d, e->binary.fused == FUSED_RIGHT);
}

/* `&out` is a mode, so a variable `out` is passed as `&(out)`. */
static bool begins_with_out(const Dump *d, const Expr *e) {
    for (;;) {
        e = shown(d, e);
        switch (e->kind) {
        case EXPR_BINARY: e = e->binary.lhs; break;
        case EXPR_CALL: e = e->call.callee; break;
        case EXPR_INDEX: e = e->index.base; break;
        case EXPR_FIELD: e = e->field.base; break;
        case EXPR_NAME: return !strcmp(e->name.name, "out");
        case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_UNARY: case EXPR_IF:
        case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD: case EXPR_ATOMIC:
        case EXPR_CONVERT: case EXPR__COUNT: return false;
        }
    }
}

void dump_args(Dump *d, ArgList args) {
    for (int i = 0; i < args.n; i++) {
        const Arg *a = &args.at[i];
        if (i) buf_puts(d->out, ", ");
        if (a->label) buf_printf(d->out, "%s: ", a->label);
        buf_puts(d->out, mode_text(a->mode));
        if (a->mode == REF_IN && begins_with_out(d, a->value)) dump_in_brackets(d, a->value);
        else dump_expr(d, a->value);
    }
}

void dump_range(Dump *d, const Range *r) {
    if (r->lo) dump_expr(d, r->lo);
    if (r->has_dots) buf_puts(d->out, "..");
    if (r->hi) dump_expr(d, r->hi);
    if (!r->step) return;
    buf_puts(d->out, " step ");
    dump_expr(d, r->step);
}

void dump_binders(Dump *d, BinderList binders) {
    for (int i = 0; i < binders.n; i++) {
        const Binder *b = &binders.at[i];
        buf_printf(d->out, "%s%s", i ? ", " : "", b->name);
        if (d->type_text && b->range.type) buf_printf(d->out, " /* %s */", d->type_text(d->c, b->range.type));
        buf_puts(d->out, " in ");
        dump_range(d, &b->range);
        if (!b->by) continue;
        buf_puts(d->out, " by ");
        dump_expr(d, b->by);
    }
}

static void dump_offload(Dump *d, const Expr *e) {
    buf_puts(d->out, e->offload.async ? "offload async " : "offload ");
    const Expr *device = e->offload.device ? shown(d, e->offload.device) : NULL;
    if (device) {
        buf_puts(d->out, "on ");
        if (device->kind == EXPR_NAME || device->kind == EXPR_INT) dump_expr(d, device);
        else dump_in_brackets(d, device);
        buf_putc(d->out, ' ');
    }
    dump_expr(d, e->offload.call);
}

static void dump_if(Dump *d, const Expr *e) {
    buf_puts(d->out, "if ");
    dump_expr(d, e->if_.cond);
    buf_puts(d->out, " { ");
    dump_expr(d, e->if_.then_);
    buf_puts(d->out, " } else ");
    if (shown(d, e->if_.else_)->kind == EXPR_IF) {
        dump_expr(d, e->if_.else_);
        return;
    }
    buf_puts(d->out, "{ ");
    dump_expr(d, e->if_.else_);
    buf_puts(d->out, " }");
}

const char *dump_update_text(Dump *d, Op op, bool is_min, bool is_max) {
    if (is_min || is_max) return is_min ? "min=" : "max=";
    return arena_printf(&d->c->arena, "%s=", op == OP_NONE ? "" : op_info[op].spelling);
}

void dump_expr(Dump *d, const Expr *e) {
    e = shown(d, e);
    switch (e->kind) {
    case EXPR_ERROR: buf_puts(d->out, "/* error */"); break;
    case EXPR_INT:
        buf_printf(d->out, "%llu%s", (unsigned long long)e->int_.value, e->int_.suffix ? e->int_.suffix : "");
        break;
    case EXPR_FLOAT: dump_float(d, e->float_.value, e->float_.suffix); break;
    case EXPR_BOOL: buf_puts(d->out, e->bool_.value ? "true" : "false"); break;
    case EXPR_STR: dump_string(d, e->str.at, e->str.n); break;
    case EXPR_NAME: buf_puts(d->out, e->name.name); break;
    case EXPR_UNARY:
        buf_puts(d->out, op_info[e->unary.op].spelling);
        dump_operand(d, e->unary.operand, op_info[e->unary.op].precedence);
        break;
    case EXPR_BINARY: dump_binary(d, e); break;
    case EXPR_CALL:
        dump_base(d, e->call.callee);
        buf_putc(d->out, '(');
        dump_args(d, e->call.args);
        buf_putc(d->out, ')');
        dump_fused(d, e->call.fused);
        break;
    case EXPR_INDEX:
        dump_base(d, e->index.base);
        buf_putc(d->out, '[');
        dump_exprs(d, e->index.at);
        buf_putc(d->out, ']');
        break;
    case EXPR_FIELD:
        dump_base(d, e->field.base);
        buf_printf(d->out, ".%s", e->field.name);
        break;
    case EXPR_IF: dump_if(d, e); break;
    case EXPR_FILL:
        buf_putc(d->out, '[');
        dump_expr(d, e->fill.value);
        buf_puts(d->out, "; ");
        dump_exprs(d, e->fill.extents);
        buf_putc(d->out, ']');
        break;
    case EXPR_COMPREHEND:
        buf_putc(d->out, '[');
        dump_expr(d, e->comprehend.value);
        buf_puts(d->out, " for ");
        dump_binders(d, e->comprehend.binders);
        buf_putc(d->out, ']');
        break;
    case EXPR_LIST:
        dump_list(d, e);
        break;
    case EXPR_RANGE: dump_range(d, &e->range.range); break;
    case EXPR_OFFLOAD: dump_offload(d, e); break;
    case EXPR_ATOMIC:
        buf_puts(d->out, "atomic ");
        dump_expr(d, e->atomic.target);
        buf_printf(d->out, " %s ", dump_update_text(d, e->atomic.op, e->atomic.is_min, e->atomic.is_max));
        dump_expr(d, e->atomic.value);
        if (!e->atomic.was) break;
        buf_puts(d->out, " if == ");
        dump_expr(d, e->atomic.was);
        break;
    case EXPR_CONVERT:
        buf_printf(d->out, "%s(", e->type ? d->type_text(d->c, e->type) : "?");
        dump_expr(d, e->convert.operand);
        buf_putc(d->out, ')');
        break;
    case EXPR__COUNT: break;
    }
}

void ast_dump_expr(Compiler *c, const Expr *e, Buf *out) {
    Dump d = {.c = c, .out = out};
    dump_expr(&d, e);
}
