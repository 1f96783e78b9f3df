/* atomic.c -- checks of atomic updates, `atomic h[b] += v`: an update of one element that no other work item can
 * interrupt, as a statement or, in `let old = atomic ...;`, as an expression whose value is the old element. The
 * updates are those that hardware does in one instruction or that a compare-and-swap loop can build with the same
 * result: the rows of atomic.def. */
#include "sema/check.h"

enum { HOW_ALWAYS, HOW_MIN, HOW_MAX, HOW_IF_SAME };
enum { TYPES_NUMBERS, TYPES_INTS };

const AtomicRow atomic_rows[ATOMIC__COUNT] = {
#define ATOMIC(id, name, spelling, op, how, types, joins)                                                              \
    [ATOMIC_##id] = {name,  spelling, op, HOW_##how == HOW_MIN, HOW_##how == HOW_MAX, HOW_##how == HOW_IF_SAME,        \
                     TYPES_##types == TYPES_INTS, ATOMIC_##joins},
#include "sema/atomic.def"
#undef ATOMIC
};

AtomicKind atomic_kind(const Expr *e) {
    for (AtomicKind kind = ATOMIC_NONE + 1; kind < ATOMIC__COUNT; kind++) {
        const AtomicRow *row = &atomic_rows[kind];
        bool same = row->op == e->atomic.op && row->is_min == e->atomic.is_min && row->is_max == e->atomic.is_max;
        if (same && row->compares == (e->atomic.was != NULL)) return kind;
    }
    return ATOMIC_NONE;
}

static const char *update_text(Sema *s, const Expr *e) {
    AtomicKind kind = atomic_kind(e);
    return kind ? atomic_rows[kind].spelling : arena_printf(s->arena, "%s=", op_info[e->atomic.op].spelling);
}

static const char *all_updates(Sema *s) {
    const char *text = "";
    for (int kind = 1; kind < ATOMIC__COUNT; kind++)
        text = arena_printf(s->arena, "%s %s", text, atomic_rows[kind].spelling);
    return text;
}

static bool type_has_atomic(const Type *t) { return t->is_int || t->kind == TY_F32 || t->kind == TY_F64; }

static bool check_update(Sema *s, Expr *e, const Type *t) {
    const char *text = update_text(s, e);
    AtomicKind kind = atomic_kind(e);
    if (!type_has_atomic(t)) {
        Diag *d = diag(s->c, E0416, e->atomic.op_span, "there is no atomic update of %s", quoted_type(s, t));
        if (t->kind == TY_BOOL)
            diag_note(s->c, d, e->atomic.target->span, "store 0 and 1 in a `u8` and use `|=` or `&=`");
        return false;
    }
    if (!kind) {
        Diag *d = diag(s->c, E0416, e->atomic.op_span, "there is no atomic `%s`", text);
        diag_note(s->c, d, e->atomic.op_span, "use one of%s", all_updates(s));
        return false;
    }
    if (!atomic_rows[kind].only_ints || t->is_int) return true;
    if (kind == ATOMIC_COMPARE_AND_SWAP) {
        Diag *d = diag(s->c, E0306, e->atomic.op_span, "`if ==` cannot be applied to %s", quoted_type(s, t));
        diag_note(s->c, d, e->atomic.was->span, "only integers are compared: `0.0 == -0.0`, and NaN equals nothing");
        return false;
    }
    diag(s->c, E0306, e->atomic.op_span, "`%s` cannot be applied to %s", text, quoted_type(s, t));
    return false;
}

static bool check_amount(Sema *s, Expr *e, Expr **slot, Type *t) {
    const Type *v = (*slot)->type;
    if (type_is_number(v) && !type_is_literal(v) && !type_widens(v, t)) {
        Diag *d = diag(s->c, E0305, e->atomic.op_span, "`%s` mixes `%s` and `%s`", update_text(s, e),
                       t->name, v->name);
        fix_convert(s, d, *slot, t);
        return false;
    }
    return coerce(s, slot, t, NULL);
}

/* `n: &mut i32` may be a reference parameter of the calling kernel. */
static bool is_shared_value(const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_PARAM && e->name.sym->mode != REF_NONE &&
           e->type->kind != TY_ARRAY;
}

Type *check_atomic(Sema *s, Expr *e) {
    Type *t = check_expr(s, &e->atomic.target), *v = check_scalar(s, &e->atomic.value);
    Type *was = e->atomic.was ? check_scalar(s, &e->atomic.was) : v;
    Expr *target = e->atomic.target;
    if (is_bad(t)) return bad(s, e);
    const Expr *whole = expr_whole(target);
    const Expr *in = whole->kind == EXPR_INDEX ? whole->index.base : NULL;
    bool element = in && (in->kind == EXPR_NAME ||
                          (expr_fixed_field(in) && expr_whole((Expr *)in)->kind == EXPR_INDEX && expr_root(in)));
    if (element && in->kind == EXPR_NAME && frame_facts(in->name.sym)->is_fixed && s->func && s->func->is_kernel) {
        diag(s->c, E0415, target->span, "no other work item can access `%s`; remove `atomic`", in->name.name);
        return bad(s, e);
    }
    if (!element && !is_shared_value(whole)) {
        Diag *d = diag(s->c, E0415, target->span,
                       "`atomic` needs an array element or a reference parameter, as in `h[i]`");
        if (target->kind == EXPR_NAME && t->kind != TY_ARRAY)
            diag_note(s->c, d, target->span, "no other work item can access `%s`; remove `atomic`",
                      target->name.name);
        return bad(s, e);
    }
    Symbol *sym = element ? expr_root(in) : whole->name.sym;
    if (!check_writable(s, sym, target->span, element ? WRITE_ELEMENT : WRITE_VALUE)) return bad(s, e);
    if (!check_update(s, e, t) || is_bad(v) || is_bad(was)) return bad(s, e);
    if (!check_amount(s, e, &e->atomic.value, t)) return bad(s, e);
    if (e->atomic.was && !check_amount(s, e, &e->atomic.was, t)) return bad(s, e);
    return e->type = t;
}

/* For the remedies of data races ----------------------------------------------------------------------------------- */

bool assign_can_be_atomic(const Stmt *st) {
    const Type *t = st->assign.target->type;
    if (t->kind == TY_BOOL || t->kind == TY_F16 || t->kind == TY_BF16 || type_is_parts(t)) return false;
    if (st->assign.is_min || st->assign.is_max) return true;
    Op op = st->assign.op;
    return op == OP_NONE || op == OP_ADD || op == OP_SUB ||
           (t->is_int && (op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR));
}

const char *assign_as_result(const Stmt *st) {
    if (!assign_can_be_atomic(st)) return NULL; /* bool, f16: no result either */
    if (st->assign.is_min) return "min";
    if (st->assign.is_max) return "max";
    return st->assign.op == OP_ADD ? "sum" : NULL;
}
