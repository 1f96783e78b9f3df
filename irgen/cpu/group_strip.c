/* group_strip.c -- strip-mining and loop interchange inside a segment: a loop that every item of the group executes
 * alike, as the sum over a tile. For one item, a sum of floats in such a loop is one long chain that no vectoriser may
 * reorder. So a strip of neighbouring items executes each iteration together, and the sums of the strip are lanes of a
 * vector. The order in which one item adds is the same, and between barriers items are unordered. Loops that read
 * elements and update `shared` arrays by atomics are interchanged, too, where neighbours read neighbouring elements:
 * the array is then read sequentially. */
#include "irgen/cpu/group.h"

enum { SHORT_LOOP = 32, MOST_KEPT = 1 << 20 };

int64_t group_strip_items(const Group *g, int n_axes) {
    int64_t by = g->by[n_axes - 1];
    return by % 16 == 0 ? 16 : by % 8 == 0 ? 8 : 0;
}

/* What the search through a loop's body finds: how many sums of floats go on, and how many updates of `shared` arrays,
 * each as often as inner loops make it. */
typedef struct Sums {
    int64_t n, updates, rounds;
} Sums;

static bool is_plain_block(const Plan *p, const Block *b, Sums *sums);

/* Rounds of a loop, as far as they are known; a long loop otherwise. */
static int64_t rounds(const Range *r) {
    if (r->hi->konst.kind != CONST_INT || (r->lo && r->lo->konst.kind != CONST_INT)) return SHORT_LOOP + 1;
    int64_t lo = r->lo ? r->lo->konst.i : 0;
    uint64_t n = r->hi->konst.i <= lo ? 0 : (uint64_t)r->hi->konst.i - (uint64_t)lo;
    return n > SHORT_LOOP ? SHORT_LOOP + 1 : (int64_t)n;
}

static bool is_plain_loop(const Plan *p, const Stmt *st, Sums *sums) {
    const Range *r = &st->for_.binder.range;
    if (!group_knows(p, r->hi)) return false;
    if ((r->lo && !group_knows(p, r->lo)) || (r->step && !group_knows(p, r->step))) return false;
    int64_t around = sums->rounds;
    sums->rounds = around > SHORT_LOOP ? around : around * rounds(r);
    bool plain = is_plain_block(p, st->for_.body, sums);
    sums->rounds = around;
    return plain;
}

/* x += e; of a variable, or of an element of the item's own array */
static bool is_sum(const Stmt *st) {
    const Expr *target = st->assign.target;
    if (st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max) return false;
    if (target->kind == EXPR_INDEX) target = target->index.base;
    if (target->kind != EXPR_NAME || target->name.sym->kind != SYM_LOCAL || target->name.sym->is_shared) return false;
    return type_of_part(st->assign.target->type)->is_float;
}

static bool updates_shared(const Stmt *st) {
    const Symbol *sym = expr_root(st->atomic.atomic->atomic.target);
    return sym && sym->is_shared;
}

/* Nothing in it that leaves the loop, or that goes on for longer in one item than in another. */
static bool is_plain(const Plan *p, const Stmt *st, Sums *sums) {
    switch (st->kind) {
    case STMT_LET: return true;
    case STMT_ATOMIC:
        if (updates_shared(st)) sums->updates += sums->rounds;
        return true;
    case STMT_ASSIGN:
        if (is_sum(st)) sums->n += sums->rounds;
        return true;
    case STMT_IF:
        return is_plain_block(p, st->if_.then_, sums) && (!st->if_.else_ || is_plain(p, st->if_.else_, sums));
    case STMT_FOR: return is_plain_loop(p, st, sums);
    case STMT_BLOCK: return is_plain_block(p, st->block.block, sums);
    case STMT_EXPR: case STMT_WHILE: case STMT_BREAK: case STMT_CONTINUE: case STMT_RETURN: case STMT_ASSERT:
    case STMT_SHARED: case STMT_BARRIER: case STMT_WAIT: case STMT_RESIDENT: case STMT_ERROR: case STMT__COUNT: break;
    }
    return false;
}

static bool is_plain_block(const Plan *p, const Block *b, Sums *sums) {
    for (int i = 0; i < b->stmts.n; i++)
        if (!is_plain(p, b->stmts.at[i], sums)) return false;
    return true;
}

/* x[..., i] where neighbours have neighbouring i */
static bool is_beside(Expr *e, void *context) {
    const Plan *p = context;
    const Symbol *array = e->kind == EXPR_INDEX ? expr_array_symbol(e->index.base) : NULL;
    if (!array || array->kind != SYM_PARAM) return false;
    int last = e->index.at.n - 1;
    for (int d = 0; d < last; d++)
        if (rate_of(&p->rates, e->index.at.at[d]).kind != RATE_UNIFORM) return false;
    Rate r = rate_of(&p->rates, e->index.at.at[last]);
    return r.kind == RATE_LINEAR && r.stride == 1;
}

/* Loops that make few sums LLVM writes out itself, and then has the items' loop to make vectors of. */
bool group_strip_takes(const Plan *p, const Stmt *st) {
    Sums sums = {.rounds = 1};
    if (st->kind != STMT_FOR || st->together || st->for_.binder.sym->unrolls) return false;
    if (!group_strip_items(&p->func->group, p->func->domain.n) || !is_plain(p, st, &sums)) return false;
    bool chains = sums.n > SHORT_LOOP && !p->f->cg->vector; /* simd/ makes lanes of the items around such a loop */
    if (!cg_allows(p->f->cg, GROUP_STRIP)) return false;
    return chains || (sums.updates > SHORT_LOOP && stmt_find(st, is_beside, (void *)p));
}

bool group_strip_fits(const Plan *p) { return group_kept_bytes(p) <= MOST_KEPT; }
