/* group_worksharing.c -- loops whose iterations the items of a group share out among themselves, as the loads of a tile
 * that is larger than the group:
 *
 *     for p in y.local * 16 + x.local..18 * 18 step 256 { s[p / 18, p % 18] = a[y0 + p / 18, x0 + p % 18]; }
 *     for u in y.local..18 step 16 { for v in x.local..18 step 16 { s[u, v] = a[y0 + u, x0 + v]; } }
 *     for v in x.local..18 step 16 { s[y.local, v] = a[y, x0 + v]; }
 *
 * The first number is the item's in its group, or its position along an axis, and the step is the number of items there
 * are. Each p from 0 up to the end belongs to one item, and between barriers items are unordered. So one loop over all
 * p takes the place of the loops over items and over their iterations (loop coalescing): what is adjacent for adjacent
 * p is in adjacent lanes, and where the end is a multiple of 18, rows of 18 need no division (simd/delinearise.c).
 *
 * Legal if an iteration uses nothing of its item but the variables of these loops, and its position along other axes,
 * and does not leave the loops. A failed check names the item to which the iteration belongs. */
#include "irgen/cpu/group.h"

/* Which loops ------------------------------------------------------------------------------------------------------ */

typedef struct Shares {
    const Plan *p;
    const Stmt *loop; /* the outer one */
    Worksharing *w;
} Shares;

static bool is_shared_axis(const Worksharing *w, int d) { return w->is_linear || w->at[d].var; }

/* What belongs to the item, but for the variables of the loops, and variables declared in them. */
static bool is_of_item(Expr *e, void *context) {
    const Shares *s = context;
    bool is_local;
    if (e->kind != EXPR_NAME || !e->name.sym || e->konst.kind != CONST_NONE) return false;
    const Symbol *sym = e->name.sym;
    for (int d = 0; d < 3; d++)
        if (sym == s->w->at[d].var) return false;
    bool is_own = sym->kind == SYM_LOCAL && sym->span.lo >= s->loop->span.lo && sym->span.hi <= s->loop->span.hi;
    int d = group_axis_of(s->p->func, e, &is_local);
    if (is_own || (d >= 0 && !is_shared_axis(s->w, d))) return false;
    return symbol_varies(sym) || group_is_of_item(e);
}

static bool is_counter(const Type *t) { return t->kind == TY_INDEX || (t->is_int && t->is_signed && t->bits >= 32); }

static bool is_alone_in(const Plan *p, const Stmt *st, Strided *s, int64_t items) {
    if (!group_counts(p, st, s) || !is_counter(s->var->type) || (s->is_while && !s->is_own)) return false;
    const Const *step = s->step ? &s->step->konst : &(Const){.kind = CONST_INT, .i = 1};
    bool is_step = step->kind == CONST_INT && (items ? step->i == items : step->i > 0);
    return is_step && s->lo && group_knows(p, s->hi) && group_is_near(p, s->hi);
}

/* The axis whose items share the loop; -1: none. */
static int axis_of_loop(const Plan *p, const Stmt *st, Strided *s) {
    bool is_local;
    if (!is_alone_in(p, st, s, 0)) return -1;
    int d = group_axis_of(p->func, group_unconverted(s->lo), &is_local);
    int64_t step = s->step ? s->step->konst.i : 1;
    return d >= 0 && is_local && step == p->func->group.by[d] && step > 1 ? d : -1;
}

static bool is_variable_of(Expr *e, void *context) {
    const Worksharing *w = context;
    bool found = false;
    for (int d = 0; d < 3; d++) found = found || (e->kind == EXPR_NAME && w->at[d].var && e->name.sym == w->at[d].var);
    return found;
}

static void share(Worksharing *w, int d, const Strided *s) {
    w->at[d] = (WorkAxis){.var = s->var, .hi = s->hi, .upto = s->upto};
    w->body = s->body;
}

/* A loop over another axis that is all there is in the body, after the `var` of a `while`. */
static void share_inner(const Plan *p, Worksharing *w) {
    Plan inside = *p;
    Block body = w->body;
    Strided s;
    int n = body.stmts.n;
    bool has_var = n == 2 && body.stmts.at[0]->kind == STMT_LET;
    if (n != 1 && !has_var) return;
    inside.around = &body;
    inside.at = n - 1;
    const Stmt *st = body.stmts.at[n - 1];
    if (has_var != (st->kind == STMT_WHILE)) return;
    int d = axis_of_loop(&inside, st, &s);
    bool is_of_loop = d >= 0 && has_var && body.stmts.at[0]->let.sym != s.var;
    if (d < 0 || is_shared_axis(w, d) || is_of_loop) return;
    if (expr_find(s.hi, is_variable_of, w)) return;
    share(w, d, &s);
}

const Worksharing *group_worksharing(const Plan *p, const Stmt *st) {
    Strided s = {0};
    Worksharing w = {0};
    if (!cg_allows(p->f->cg, GROUP_WORKSHARING) || st->together || p->leaves) return NULL;
    if ((st->kind != STMT_FOR && st->kind != STMT_WHILE) || stmt_holds(st, STMTS_RETURN)) return NULL;
    int d = axis_of_loop(p, st, &s);
    if (s.is_while) w.own = s.var;
    if (d >= 0) {
        share(&w, d, &s);
        share_inner(p, &w);
    } else if (is_alone_in(p, st, &s, p->func->group.items) && group_is_number(p->func, s.lo)) {
        share(&w, 0, &s);
        w.is_linear = true;
    } else {
        return NULL;
    }
    Shares all = {p, st, &w};
    for (int i = 0; i < w.body.stmts.n; i++)
        if (stmt_find(w.body.stmts.at[i], is_of_item, &all)) return NULL;
    Worksharing *found = arena_new(p->arena, Worksharing);
    *found = w;
    return found;
}

/* Their code ------------------------------------------------------------------------------------------------------- */

/* The item that an iteration belongs to, and the variables of the loops. */
static void bind_owner(GroupRun *r, const Worksharing *w, const LLVMValueRef *count) {
    LLVMBuilderRef b = r->f->b;
    LLVMValueRef at[3];
    if (w->is_linear) group_position_of(r, LLVMBuildURem(b, count[0], cg_i64(r->f->cg, r->group->items), ""), at);
    for (int d = 0; !w->is_linear && d < r->n; d++) {
        LLVMValueRef by = cg_i64(r->f->cg, r->group->by[d]);
        at[d] = is_shared_axis(w, d) ? LLVMBuildURem(b, count[d], by, "") : count[d];
    }
    group_bind_item(r, at, NULL);
    for (int d = 0; d < 3; d++) {
        const Symbol *var = w->at[d].var;
        if (!var) continue;
        LLVMValueRef v = LLVMBuildTruncOrBitCast(b, count[d], cg_type(r->f->cg, var->type), "");
        r->f->slots[var->id].value = v;
        cg_debug_value(r->f, var, v, 0);
    }
}

static LLVMValueRef items_along(GroupRun *r, const Worksharing *w, int d) {
    CgFunc *f = r->f;
    if (!w->at[d].var) return cg_i64(f->cg, r->group->by[d]);
    LLVMValueRef hi = cg_index_value(f, cg_expr(f, w->at[d].hi));
    return w->at[d].upto ? LLVMBuildNSWAdd(f->b, hi, cg_i64(f->cg, 1), "") : hi;
}

typedef struct ShareLoop {
    LLVMBasicBlockRef head, done;
    LLVMValueRef counter;
} ShareLoop;

void group_run_shared_loop(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    const Worksharing *w = part->shared;
    int n = w->is_linear ? 1 : r->n, inner = 0;
    ShareLoop loops[3];
    LLVMValueRef count[3], hi[3];
    cg_debug_at(f, part->items.at[0]->span);
    for (int d = 0; d < n; d++) hi[d] = items_along(r, w, d);
    cg_shadow_once(f, false);
    for (int d = 0; d < n; d++) {
        LLVMBasicBlockRef body = cg_block(f, "share");
        loops[d] = (ShareLoop){cg_block(f, "shared"), cg_block(f, "shared.done"), cg_alloca(f, f->cg->i64, "share")};
        LLVMBuildStore(f->b, cg_i64(f->cg, 0), loops[d].counter);
        cg_goto(f, loops[d].head);
        cg_enter(f, loops[d].head);
        count[d] = LLVMBuildLoad2(f->b, f->cg->i64, loops[d].counter, "");
        LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, count[d], hi[d], ""), body, loops[d].done);
        cg_enter(f, body);
    }
    LLVMBasicBlockRef next = cg_block(f, "share.next");
    bind_owner(r, w, count);
    group_rematerialise(r, part);
    f->next_item = next;
    cg_stmts(f, &w->body, next, next); /* the body has no break */
    for (int d = 0; d < 3; d++)
        if (w->at[d].var) f->slots[w->at[d].var->id].value = NULL;
    cg_goto(f, next);
    cg_enter_next(f, next);
    for (int d = n; d-- > 0;) {
        LLVMValueRef sum = LLVMBuildLoad2(f->b, f->cg->i64, loops[d].counter, "");
        sum = LLVMBuildNSWAdd(f->b, sum, cg_i64(f->cg, 1), "");
        LLVMSetNUW(sum, true);
        LLVMBuildStore(f->b, sum, loops[d].counter);
        cg_goto(f, loops[d].head);
        if (inner < 2) cg_mark_items(f, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b)), inner == 1);
        inner++;
        cg_enter(f, loops[d].done);
    }
    group_bind_between(r);
}
