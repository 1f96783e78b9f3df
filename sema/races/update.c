/* update.c -- assignments that are updates in other words, `c[0] = c[0] + 1` and `best = max(best, v)`, and the atomic
 * update that they should be. */
#include <ctype.h>
#include <string.h>

#include "sema/races/pairs.h"

bool races_same_text(Sema *s, Span a, Span b) { return !strcmp(source_text(s, a), source_text(s, b)); }

static bool is_it(Sema *s, const Expr *target, const Expr *e) {
    e = expr_strip((Expr *)e);
    bool place = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_FIELD;
    return place && races_same_text(s, target->span, e->span);
}

/* What follows the operator in `target op ...`. */
static const char *after(Sema *s, const Expr *lhs, const Expr *last, Op op) {
    const char *text = source_text(s, (Span){lhs->span.hi, last->span.hi}), *sign = op_info[op].spelling;
    while (isspace((unsigned char)*text)) text++;
    if (strncmp(text, sign, strlen(sign)) != 0) return NULL;
    text += strlen(sign);
    while (isspace((unsigned char)*text)) text++;
    return strchr(text, '\n') ? NULL : text;
}

static bool is_joined(Op op, const Type *t) {
    return op == OP_ADD || op == OP_SUB || (t->is_int && (op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR));
}

static const char *of_operator(Sema *s, const Expr *target, const Expr *value) {
    const Expr *first = value;
    while (expr_strip(first->binary.lhs)->kind == EXPR_BINARY && first->binary.op == OP_ADD) {
        const Expr *lhs = expr_strip(first->binary.lhs);
        if (lhs->binary.op != OP_ADD || lhs->span.lo != first->span.lo) break;
        first = lhs;
    }
    Op op = first->binary.op;
    const char *sign = op_info[op].spelling, *target_text = source_text(s, target->span);
    if (!is_joined(op, target->type)) return NULL;
    if (is_it(s, target, first->binary.lhs)) {
        const char *rest = after(s, first->binary.lhs, value->binary.rhs, op);
        return rest ? arena_printf(s->arena, "%s %s= %s", target_text, sign, rest) : NULL;
    }
    bool swaps = first == value && op != OP_SUB && is_it(s, target, value->binary.rhs);
    if (!swaps) return NULL;
    return arena_printf(s->arena, "%s %s= %s", target_text, sign, source_text(s, value->binary.lhs->span));
}

static const char *of_extremum(Sema *s, const Expr *target, const Expr *value) {
    const CallInfo *info = value->call.info;
    bool is_min = info && info->kind == CALL_BUILTIN && info->builtin == BUILTIN_MIN;
    bool is_max = info && info->kind == CALL_BUILTIN && info->builtin == BUILTIN_MAX;
    if ((!is_min && !is_max) || value->call.args.n != 2) return NULL;
    for (int i = 0; i < 2; i++) {
        if (!is_it(s, target, value->call.args.at[i].value)) continue;
        return arena_printf(s->arena, "%s %s= %s", source_text(s, target->span), is_min ? "min" : "max",
                            source_text(s, value->call.args.at[1 - i].value->span));
    }
    return NULL;
}

const char *races_as_update(Sema *s, const Expr *target, const Expr *value) {
    value = expr_strip((Expr *)value);
    if (value->kind == EXPR_BINARY) return of_operator(s, target, value);
    return value->kind == EXPR_CALL ? of_extremum(s, target, value) : NULL;
}
