/* distribute.c -- as distribute.h says. Legal because work items are independent: between the parts of an item others
 * may run, and an item's parts keep their order. */
#include "sema/analysis/distribute.h"

#include "parser/children.h"
#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"
#include "sema/check.h"

enum { STMTS_SKIP = 1 << STMT_RETURN | 1 << STMT_CONTINUE };

static bool is_axis(Arena *arena, const Func *kernel, const Stmt *st) {
    if (!loop_is_independent(arena, st) || range_is_shorter(&st->for_.binder.range, LEAST_DISTRIBUTED)) return false;
    return axes_want_loop(arena, kernel, st, true);
}

static void cut(Arena *arena, const Func *kernel, Distribution *d) {
    const Block *body = kernel->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) {
        const Stmt *st = body->stmts.at[i];
        DistributedPart *last = d->parts.n ? &d->parts.at[d->parts.n - 1] : NULL;
        DistributedPart next = {i, 1, is_axis(arena, kernel, st) ? st : NULL};
        if (last && !last->loop && !next.loop) last->n++;
        else vec_push(arena, &d->parts, next);
    }
}

/* Loops that keep their order ------------------------------------------------------------------------------------- */

typedef struct Carried {
    Arena *arena;
    Vec(const Symbol *) own; /* variables of an iteration */
} Carried;

static bool is_local_of(const Carried *c, const Symbol *s) {
    for (int i = 0; i < c->own.n; i++)
        if (c->own.at[i] == s) return true;
    return false;
}

static bool is_mention(Expr *e, void *context) { return e->kind == EXPR_NAME && e->name.sym == context; }

static bool joins_integers(Op op) {
    return op == OP_ADD || op == OP_SUB || op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR;
}

/* `m = max(m, e)`, `s = s + e`, `any = any || e` */
static bool joins(const Expr *e, const Symbol *s) {
    e = expr_strip((Expr *)e);
    bool is_call = e->kind == EXPR_CALL && e->call.info->kind == CALL_BUILTIN;
    if (is_call && (e->call.info->builtin == BUILTIN_MIN || e->call.info->builtin == BUILTIN_MAX)) return true;
    if (e->kind != EXPR_BINARY ||
        !(is_mention(expr_strip(e->binary.lhs), (void *)s) || is_mention(expr_strip(e->binary.rhs), (void *)s)))
        return false;
    return s->type->kind == TY_BOOL || (s->type->is_int && joins_integers(e->binary.op));
}

/* Does it matter in which order iterations execute this? Extremes, and sums of integers, are reductions along the row.
 */
static bool is_ordered(const Carried *c, const Stmt *st) {
    const Expr *target = expr_whole(st->assign.target);
    const Symbol *s = target->kind == EXPR_NAME ? target->name.sym : NULL;
    if (!s) return true;
    if (is_local_of(c, s) || st->assign.is_min || st->assign.is_max) return false;
    if (st->assign.op == OP_NONE) return !joins(st->assign.value, s);
    return s->type->is_float || !joins_integers(st->assign.op);
}

static bool keeps_order(Carried *c, const Stmt *st, bool in_loop) {
    if (st->kind == STMT_LET && in_loop) vec_push(c->arena, &c->own, st->let.sym);
    if (st->kind == STMT_ASSIGN && in_loop && is_ordered(c, st)) return true;
    in_loop |= st->kind == STMT_FOR || st->kind == STMT_WHILE;
    Children all = stmt_children(st);
    for (Stmt *s; (s = child_stmt(&all));)
        if (keeps_order(c, s, in_loop)) return true;
    return false;
}

/* Are there loops of both kinds? An item leaves a part at its end only. Loops whose iterations may be reordered are
 * vectorised along the row, as those that are axes, and the item's stay together. */
static bool gains(Arena *arena, const Func *kernel, const Distribution *d) {
    bool axis = false, loop = false;
    Carried carried = {.arena = arena};
    for (int p = 0; p < d->parts.n; p++) {
        const DistributedPart *part = &d->parts.at[p];
        axis |= part->loop != NULL;
        for (int i = part->first; i < part->first + part->n && !part->loop; i++) {
            const Stmt *st = kernel->item->fn.body->stmts.at[i];
            if (stmt_holds(st, STMTS_SKIP)) return false;
            loop |= keeps_order(&carried, st, false);
        }
    }
    return axis && loop && d->parts.n <= MOST_PARTS_OF_BODY;
}

static bool add_value(Arena *arena, const Func *kernel, Distribution *d, int from, const Symbol *sym) {
    DistributedValue v = {sym, from, 0};
    for (int p = from; p < d->parts.n; p++) {
        const DistributedPart *part = &d->parts.at[p];
        for (int i = part->first; i < part->first + part->n; i++)
            if (stmt_find(kernel->item->fn.body->stmts.at[i], is_mention, (void *)sym)) v.in |= 1u << p;
    }
    if (!(v.in >> from >> 1)) return true;
    vec_push(arena, &d->values, v);
    return sym->type->is_int || sym->type->is_float || sym->type->kind == TY_BOOL;
}

bool kernel_distributes(Arena *arena, const Func *kernel, Distribution *out) {
    if (kernel->is_fast || kernel->group.items || kernel->reduction || kernel->domain.n >= MAX_RANK) return false;
    cut(arena, kernel, out);
    if (!gains(arena, kernel, out)) return false;
    for (int p = 0; p < out->parts.n; p++) {
        const DistributedPart *part = &out->parts.at[p];
        for (int i = part->first; i < part->first + part->n; i++) {
            const Stmt *st = kernel->item->fn.body->stmts.at[i];
            if (st->kind == STMT_LET && !add_value(arena, kernel, out, p, st->let.sym)) return false;
        }
    }
    return true;
}
