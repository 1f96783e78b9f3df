/* distribute.c -- as distribute.h says. Legal because work items are independent: between the parts of an item others
 * may run, and an item's parts keep their order. */
#include "sema/analysis/distribute.h"

#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"

enum { STMTS_LOOP = 1 << STMT_FOR | 1 << STMT_WHILE, STMTS_SKIP = 1 << STMT_RETURN | 1 << STMT_CONTINUE };

static bool is_axis(Arena *arena, const Func *kernel, const Stmt *st) {
    return loop_is_independent(arena, st) && axes_want_loop(arena, kernel, st, true);
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

/* Are there loops of both kinds? An item leaves a part at its end only. */
static bool gains(const Func *kernel, const Distribution *d) {
    bool axis = false, loop = false;
    for (int p = 0; p < d->parts.n; p++) {
        const DistributedPart *part = &d->parts.at[p];
        axis |= part->loop != NULL;
        for (int i = part->first; i < part->first + part->n && !part->loop; i++) {
            const Stmt *st = kernel->item->fn.body->stmts.at[i];
            if (stmt_holds(st, STMTS_SKIP)) return false;
            loop |= stmt_holds(st, STMTS_LOOP);
        }
    }
    return axis && loop && d->parts.n <= MOST_PARTS_OF_BODY;
}

static bool is_mention(Expr *e, void *context) { return e->kind == EXPR_NAME && e->name.sym == context; }

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
    if (kernel->group.items || kernel->reduction || kernel->domain.n >= MAX_RANK) return false;
    cut(arena, kernel, out);
    if (!gains(kernel, out)) return false;
    for (int p = 0; p < out->parts.n; p++) {
        const DistributedPart *part = &out->parts.at[p];
        for (int i = part->first; i < part->first + part->n; i++) {
            const Stmt *st = kernel->item->fn.body->stmts.at[i];
            if (st->kind == STMT_LET && !add_value(arena, kernel, out, p, st->let.sym)) return false;
        }
    }
    return true;
}
