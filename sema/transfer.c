/* transfer.c -- how kernel parameters travel. The modes say it; what the kernel is seen to do narrows it (transfer_narrow),
 * and an `&out` comes from the device only when every element is written, else the elements left over would reach the
 * host as garbage.
 *
 *   &      to                                                    tests/sema/ok-transfer.kdsl
 *   &mut   to and from; to, if nothing is written, with W0503; from, if it is written whole and never read
 *   &out   from, if the kernel stores [i, j, ...] of the whole domain, or the value, unconditionally, also under
 *          what holds for all items of the domain, as `inside` (written_whole);
 *          else to and from, with W0501                          tests/sema/W0501-*.kdsl
 *   g: &mut Grid, which owns arrays: of its fields those that are written to and from, those that are read to, and the
 *   others not at all (narrow_field)                            tests/run/own-kernel-fields.kdsl
 *   any    not at all, if no element is used: its extents travel as numbers */
#include "sema/flow.h"

/* Does the domain variable count exactly 0 .. extent? */
static bool covers(const Func *f, const Symbol *var, const Extent *extent) {
    const Range *r = &f->item->fn.over.at[var->dim].range;
    if (r->lo && !(r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0)) return false;
    if (r->step && !(r->step->konst.kind == CONST_INT && r->step->konst.i == 1)) return false;
    Dim hi = dim_of(r->hi);
    if (extent->kind == EXTENT_CONST) return hi.kind == DIM_CONST && hi.value == extent->value;
    return hi.kind == DIM_SYMBOL && hi.sym == extent->size;
}

/* total = e; whoever comes last has written it. */
static bool is_value_store(const Func *f, const Stmt *st, int param) {
    const Expr *target = st->assign.target;
    return st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max && target->kind == EXPR_NAME &&
           target->name.sym == f->params.at[param];
}

/* z[i, j] with each index another domain variable, each over the whole of its dimension. */
static bool is_whole_store(const Func *f, const Stmt *st, int param) {
    const Expr *target = st->assign.target;
    if (st->assign.op != OP_NONE || st->assign.is_min || st->assign.is_max || target->kind != EXPR_INDEX) return false;
    if (target->index.base->kind != EXPR_NAME || target->index.base->name.sym != f->params.at[param] || target->index.at.n != f->domain.n) return false;
    unsigned seen = 0;
    for (int d = 0; d < target->index.at.n; d++) {
        const Expr *at = expr_strip(target->index.at.at[d]);
        if (at->kind != EXPR_NAME || !at->name.sym || at->name.sym->kind != SYM_DOMAIN) return false;
        if (!covers(f, at->name.sym, &f->shapes.at[param].at[d])) return false;
        seen |= 1u << at->name.sym->dim;
    }
    return seen == (1u << f->domain.n) - 1;
}

static bool same_dim(Dim a, Dim b) {
    if (a.kind == DIM_UNKNOWN || a.kind != b.kind) return false;
    return a.kind == DIM_CONST ? a.value == b.value : a.sym == b.sym;
}

/* `i op n`, where n is the end of the range of `i`. */
static bool compares_with_end(const Func *f, const Expr *e, Op op) {
    if (e->kind != EXPR_BINARY || e->binary.op != op) return false;
    const Expr *var = expr_strip(e->binary.lhs);
    if (var->kind != EXPR_NAME || !var->name.sym || var->name.sym->kind != SYM_DOMAIN) return false;
    return same_dim(dim_of(e->binary.rhs), dim_of(f->item->fn.over.at[var->name.sym->dim].range.hi));
}

/* True for every item of the domain: `inside`, `i < n`, `i < n && j < m`. */
static bool is_inside(const Func *f, const Expr *e) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND)
        return is_inside(f, e->binary.lhs) && is_inside(f, e->binary.rhs);
    return compares_with_end(f, e, OP_LT) || (f->group.items && e->kind == EXPR_NAME && e->name.sym == f->group.inside);
}

/* True for none of them: `!inside`, `i >= n || j >= m`. */
static bool is_outside(const Func *f, const Expr *e) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_OR)
        return is_outside(f, e->binary.lhs) && is_outside(f, e->binary.rhs);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) return is_inside(f, e->unary.operand);
    return compares_with_end(f, e, OP_GE);
}

/* if !inside { return; } -- nobody of the domain goes */
static bool leaves_outside(const Func *f, const Stmt *st) {
    return st->kind == STMT_IF && !st->if_.else_ && is_outside(f, st->if_.cond);
}

static bool written_whole(const Func *f, const Block *b, int param, bool *returned) {
    for (int i = 0; i < b->stmts.n && !*returned; i++) {
        const Stmt *st = b->stmts.at[i];
        if (leaves_outside(f, st)) continue;
        if (st->kind == STMT_IF && is_inside(f, st->if_.cond) && written_whole(f, st->if_.then_, param, returned))
            return true;
        if (st->kind == STMT_ASSIGN && (is_whole_store(f, st, param) || is_value_store(f, st, param))) return true;
        if (st->kind == STMT_BLOCK && written_whole(f, st->block.block, param, returned)) return true;
        *returned = *returned || stmt_holds(st, STMTS_RETURN);
    }
    return false;
}

static const char *store_text(Sema *s, const Func *f, const Symbol *param) {
    if (param->type->kind != TY_ARRAY) return arena_printf(s->arena, "%s = ...;", param->name);
    const char *text = arena_printf(s->arena, "%s[", param->name);
    for (int d = 0; d < f->domain.n; d++)
        text = arena_printf(s->arena, "%s%s%s", text, d ? ", " : "", f->domain.at[d]->name);
    return arena_printf(s->arena, "%s] = ...;", text);
}

/* The fields of a struct that owns arrays each travel as the kernel needs them. */
static void narrow_field(Func *f, const Symbol *param, int i) {
    if (!param->part_of || param->mode == REF_NONE) return;
    if (!param->used) f->transfers.at[i] = TRANSFER_UNUSED;
    else if (param->mode == REF_MUT && !param->written) f->transfers.at[i] = TRANSFER_TO;
}

void transfer_infer(Sema *s, Func *f) {
    for (int i = 0; i < f->params.n; i++) {
        Symbol *param = f->params.at[i];
        narrow_field(f, param, i);
        if (param->mode != REF_OUT || (param->part_of && !param->used)) continue;
        bool returned = false;
        if (written_whole(f, f->item->fn.body, i, &returned)) {
            f->transfers.at[i] = TRANSFER_FROM;
            continue;
        }
        TypeExpr *te = f->item->fn.params.at[i].type;
        Diag *d = diag(s->c, W0501, param->span,
                       "`%s` is not shown to be written whole, so it travels to the device as well", param->name);
        if (param->type->kind != TY_ARRAY)
            diag_note(s->c, d, f->item->fn.body->span, "every item would have to reach `%s`", store_text(s, f, param));
        else if (param->type->rank == f->domain.n)
            diag_note(s->c, d, f->item->fn.body->span, "every item would have to reach `%s`, over all of `%s`",
                      store_text(s, f, param), param->name);
        diag_fix(s->c, d, te->ref.mode_span, "&mut", "write `&mut` if the rest shall keep its values");
    }
}

static void narrow_param(Sema *s, Func *f, int i) {
    const Symbol *param = f->params.at[i];
    unsigned use = f->facts->uses[i];
    bool returned = false;
    if (param->mode == REF_NONE || param->mode == REF_SCRATCH || param->type->kind != TY_ARRAY) return;
    if (!use) f->transfers.at[i] = TRANSFER_UNUSED;
    if (param->mode != REF_MUT || !use) return;
    if (use & USE_WRITES) {
        if (!(use & USE_READS) && written_whole(f, f->item->fn.body, i, &returned)) f->transfers.at[i] = TRANSFER_FROM;
        return;
    }
    f->transfers.at[i] = TRANSFER_TO;
    if (param->part_of) return; /* the mode is that of the struct */
    Diag *d = diag(s->c, W0503, param->span, "`%s` is `&mut`, but `%s` never writes it", param->name, f->name);
    diag_fix(s->c, d, f->item->fn.params.at[i].type->ref.mode_span, "&", "`&` says so; then callers may pass a `let`");
}

void transfer_narrow(Sema *s, Func *f) {
    for (int i = 0; f->facts->uses && i < f->params.n; i++) narrow_param(s, f, i);
}
