/* region.c -- region formation: finds the nest around a marked branch, the blocks of its body, the loop tree, and for
 * each loop a topological order of its nodes. Only reads LLVM's code, but for `x <= last`, which becomes `x < last + 1`
 * again where a nest ends. The code comes from a structured language, so
 * every loop has one entry; a nest of any other form stays scalar, with the reason. */
#include "irgen/simd/simd.h"

#include <string.h>

#include "irgen/passes/merge.h"

bool simd_refuse(SimdRegion *g, const char *why, LLVMValueRef at) {
    if (!g->why_not) {
        g->why_not = why;
        g->why_at = at;
    }
    return false;
}

/* The nest --------------------------------------------------------------------------------------------------------- */

typedef struct Counted {
    LLVMBasicBlockRef head, body, done, from;
    LLVMValueRef counter, lo, hi;
} Counted;

static LLVMValueRef only_phi(LLVMBasicBlockRef bb) {
    LLVMValueRef first = LLVMGetFirstInstruction(bb);
    if (!LLVMIsAPHINode(first)) return NULL;
    LLVMValueRef next = LLVMGetNextInstruction(first);
    return LLVMIsAPHINode(next) || LLVMCountIncoming(first) != 2 ? NULL : first;
}

static bool is_next(LLVMValueRef v, LLVMValueRef counter) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMAdd || LLVMGetOperand(v, 0) != counter)
        return false;
    LLVMValueRef by = LLVMGetOperand(v, 1);
    return LLVMIsAConstantInt(by) && LLVMConstIntGetSExtValue(by) == 1;
}

/* for (counter = lo; counter < hi; counter++), from the branch back. */
static bool counted(LLVMValueRef latch, Counted *c) {
    LLVMBasicBlockRef back = LLVMGetInstructionParent(latch);
    c->head = LLVMGetSuccessor(latch, 0);
    c->counter = only_phi(c->head);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->head);
    if (!c->counter || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return false;
    LLVMValueRef cond = LLVMGetNextInstruction(c->counter);
    if (LLVMGetCondition(branch) != cond || LLVMGetNextInstruction(cond) != branch || !LLVMIsAICmpInst(cond))
        return false;
    unsigned from = LLVMGetIncomingBlock(c->counter, 0) == back;
    LLVMKdslCountBelow(c->head, c->counter, LLVMGetIncomingBlock(c->counter, from));
    LLVMIntPredicate less = LLVMGetICmpPredicate(cond);
    bool swapped = LLVMGetOperand(cond, 1) == c->counter;
    bool is_signed = less == (swapped ? LLVMIntSGT : LLVMIntSLT);
    bool is_unsigned =
        less == (swapped ? LLVMIntUGT : LLVMIntULT); /* LLVM's form where it has seen that both are not negative */
    if (!(is_signed || is_unsigned) || LLVMGetOperand(cond, swapped) != c->counter) return false;
    c->hi = LLVMGetOperand(cond, !swapped);
    c->body = LLVMGetSuccessor(branch, 0);
    c->done = LLVMGetSuccessor(branch, 1);
    for (unsigned i = 0; i < 2; i++) {
        if (LLVMGetIncomingBlock(c->counter, i) == back) {
            if (!is_next(LLVMGetIncomingValue(c->counter, i), c->counter)) return false;
            continue;
        }
        c->from = LLVMGetIncomingBlock(c->counter, i);
        c->lo = LLVMGetIncomingValue(c->counter, i);
    }
    return c->from != NULL;
}

static bool counts_in_64_bits(const Counted *c) {
    LLVMTypeRef t = LLVMTypeOf(c->counter);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 64;
}

/* The branch back, counter + 1 before it unless the body has computed that already, and nothing else. */
static bool only_counts(LLVMBasicBlockRef bb) {
    LLVMValueRef first = LLVMGetFirstInstruction(bb), branch = LLVMGetBasicBlockTerminator(bb);
    return first == branch || (LLVMGetInstructionOpcode(first) == LLVMAdd && LLVMGetNextInstruction(first) == branch);
}

static bool find_nest(SimdRegion *g, LLVMValueRef latch, LLVMValueRef outer_latch) {
    Counted inner, outer;
    if (!counted(latch, &inner)) return simd_refuse(g, "the loop over the work items has a loop-carried value", latch);
    if (!counts_in_64_bits(&inner)) return simd_refuse(g, "the loop over the work items has no 64-bit counter", latch);
    g->exit = LLVMGetInstructionParent(latch);
    if (!only_counts(g->exit)) return simd_refuse(g, "the loop over the work items has a loop-carried value", latch);
    g->inner_head = inner.head;
    g->body = inner.body;
    g->x = inner.counter;
    g->x_lo = inner.lo;
    g->x_hi = inner.hi;
    g->entry_from = inner.from;
    g->after = inner.done;
    if (!outer_latch || !counted(outer_latch, &outer) || !counts_in_64_bits(&outer)) return true;
    LLVMBasicBlockRef row = outer.body;
    if (LLVMGetInstructionParent(outer_latch) != inner.done || !only_counts(inner.done) || row != inner.from ||
        LLVMGetFirstInstruction(row) != LLVMGetBasicBlockTerminator(row))
        return true;
    g->outer_head = outer.head;
    g->y = outer.counter;
    g->y_lo = outer.lo;
    g->y_hi = outer.hi;
    g->entry_from = outer.from;
    g->after = outer.done;
    return true;
}

/* Blocks ----------------------------------------------------------------------------------------------------------- */

int simd_n_succ(const SimdRegion *g, int block) {
    return (int)LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->blocks.at[block].bb));
}

LLVMBasicBlockRef simd_succ(const SimdRegion *g, int block, int i) {
    return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->blocks.at[block].bb), (unsigned)i);
}

static bool known_terminator(SimdRegion *g, LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    LLVMOpcode op = LLVMGetInstructionOpcode(t);
    if (op == LLVMBr || op == LLVMRet || op == LLVMUnreachable) return true;
    return simd_refuse(g, "it has a kind of jump that cannot be vectorised", t);
}

/* Blocks when all that they lead to has been seen; g->block_of knows those seen. */
static bool post_order(SimdRegion *g, LLVMBasicBlockRef bb) {
    if (bb == g->exit || value_map_get(g->block_of, bb) >= 0) return true;
    if (bb == g->inner_head || bb == g->outer_head) return simd_refuse(g, "its loop has a second back edge", NULL);
    if (!known_terminator(g, bb)) return false;
    if (++g->n_reached > SIMD_MOST_BLOCKS) return simd_refuse(g, "it has too many branches for vector code", NULL);
    value_map_put(g->block_of, bb, 0);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (!post_order(g, LLVMGetSuccessor(t, i))) return false;
    SimdBlock b = {.bb = bb, .loop = -1, .taken = -1};
    vec_push(g->arena, &g->blocks, b);
    return true;
}

/* In an order in which values come before their uses, but for those that go around a loop. */
static bool collect_blocks(SimdRegion *g) {
    if (!post_order(g, g->body)) return false;
    for (int i = 0, k = g->blocks.n - 1; i < k; i++, k--) {
        SimdBlock b = g->blocks.at[i];
        g->blocks.at[i] = g->blocks.at[k];
        g->blocks.at[k] = b;
    }
    for (int i = 0; i < g->blocks.n; i++) value_map_put(g->block_of, g->blocks.at[i].bb, i);
    return true;
}

static void collect_values(SimdRegion *g) {
    for (int i = 0; i < g->blocks.n; i++) {
        g->blocks.at[i].first = g->values.n;
        for (LLVMValueRef v = LLVMGetFirstInstruction(g->blocks.at[i].bb); v; v = LLVMGetNextInstruction(v)) {
            value_map_put(g->value_of, v, g->values.n);
            SimdValue value = {.v = v, .block = i, .private_of = -1, .leaves_loop = -1, .parts = -1};
            vec_push(g->arena, &g->values, value);
        }
        g->blocks.at[i].n = g->values.n - g->blocks.at[i].first;
    }
}

/* In compressed rows: a block's predecessors are g->preds.at[first_pred .. first_pred + n_preds). */
static void find_preds(SimdRegion *g) {
    int *next = arena_array(g->arena, int, g->blocks.n);
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s >= 0) g->blocks.at[s].n_preds++;
        }
    for (int b = 0, n = 0; b < g->blocks.n; b++) {
        g->blocks.at[b].first_pred = next[b] = n;
        n += g->blocks.at[b].n_preds;
        for (int i = 0; i < g->blocks.at[b].n_preds; i++) vec_push(g->arena, &g->preds, 0);
    }
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s >= 0) g->preds.at[next[s]++] = b;
        }
}

static void find_leaving(SimdRegion *g) {
    bool *reaches = arena_array(g->arena, bool, g->blocks.n);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = g->blocks.n - 1; b >= 0; b--)
            for (int i = 0; !reaches[b] && i < simd_n_succ(g, b); i++) {
                LLVMBasicBlockRef s = simd_succ(g, b, i);
                if (s != g->exit && !reaches[value_map_get(g->block_of, s)]) continue;
                reaches[b] = changed = true;
            }
    }
    for (int b = 0; b < g->blocks.n; b++) g->blocks.at[b].leaves = !reaches[b];
}

/* The blocks that leave and lead to this one. */
static void lead_back(SimdRegion *g, int block, bool *seen) {
    const SimdBlock *at = &g->blocks.at[block];
    if (seen[block]) return;
    seen[block] = true;
    for (int i = 0; i < at->n_preds; i++) {
        int from = g->preds.at[at->first_pred + i];
        if (g->blocks.at[from].leaves) lead_back(g, from, seen);
        else seen[from] = true;
    }
}

static void find_ways(SimdRegion *g) {
    bool *seen = arena_array(g->arena, bool, g->blocks.n);
    for (int b = 0; b < g->blocks.n; b++) {
        SimdBlock *at = &g->blocks.at[b];
        if (!at->leaves) continue;
        memset(seen, 0, (size_t)g->blocks.n * sizeof *seen);
        lead_back(g, b, seen);
        at->first_way = g->ways.n;
        for (int from = 0; from < g->blocks.n; from++)
            if (seen[from] && !g->blocks.at[from].leaves) vec_push(g->arena, &g->ways, from);
        at->n_ways = g->ways.n - at->first_way;
    }
}

/* Where all that passed the check at the end of b come to, and nobody else. */
static int behind_check(const SimdRegion *g, int b) {
    if (g->blocks.at[b].leaves || simd_n_succ(g, b) != 2) return -1;
    int to[2];
    for (int i = 0; i < 2; i++) to[i] = value_map_get(g->block_of, simd_succ(g, b, i));
    int fails = to[0] >= 0 && g->blocks.at[to[0]].leaves ? 0 : 1, ok = to[!fails];
    if (to[fails] < 0 || !g->blocks.at[to[fails]].leaves || ok < 0) return -1;
    const SimdBlock *next = &g->blocks.at[ok];
    bool same = next->loop == g->blocks.at[b].loop && next->n_preds == 1;
    return same && !LLVMIsAPHINode(LLVMGetFirstInstruction(next->bb)) ? ok : -1;
}

static void find_behind_checks(SimdRegion *g) {
    for (int b = 0; b < g->blocks.n; b++) {
        int next = g->blocks.at[b].goes_on = behind_check(g, b);
        if (next >= 0) g->blocks.at[next].follows = true;
    }
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

typedef struct Walk {
    SimdRegion *g;
    char *state; /* 0 new, 1 on the way, 2 done */
    Vec(int) tails, heads; /* of the edges back */
} Walk;

static void find_back_edges(Walk *w, int b) {
    SimdRegion *g = w->g;
    w->state[b] = 1;
    for (int i = 0; i < simd_n_succ(g, b); i++) {
        int s = value_map_get(g->block_of, simd_succ(g, b, i));
        if (s < 0) continue;
        if (w->state[s] == 1) {
            vec_push(g->arena, &w->tails, b);
            vec_push(g->arena, &w->heads, s);
        }
        if (!w->state[s]) find_back_edges(w, s);
    }
    w->state[b] = 2;
}

static int loop_of_header(SimdRegion *g, int header) {
    for (int i = 0; i < g->loops.n; i++)
        if (g->loops.at[i].header == header) return i;
    SimdLoop l = {.header = header, .parent = -1, .has = arena_array(g->arena, bool, g->blocks.n), .size = 1};
    l.has[header] = true;
    vec_push(g->arena, &g->loops, l);
    return g->loops.n - 1;
}

/* Everything from which the edge back can be reached without passing the header. */
static void add_to_loop(SimdRegion *g, SimdLoop *l, int tail) {
    if (l->has[tail]) return;
    l->has[tail] = true;
    l->size++;
    const SimdBlock *at = &g->blocks.at[tail];
    for (int i = 0; i < at->n_preds; i++) add_to_loop(g, l, g->preds.at[at->first_pred + i]);
}

static bool find_loops(SimdRegion *g) {
    Walk w = {.g = g, .state = arena_array(g->arena, char, g->blocks.n)};
    find_back_edges(&w, 0);
    for (int i = 0; i < w.heads.n; i++) {
        int l = loop_of_header(g, w.heads.at[i]);
        add_to_loop(g, &g->loops.at[l], w.tails.at[i]);
        if (g->loops.at[l].has[0] && g->loops.at[l].header != 0)
            return simd_refuse(g, "a loop is irreducible: it has two entries", NULL);
    }
    for (int i = 0; i < w.heads.n; i++)
        if (g->blocks.at[w.heads.at[i]].leaves) return simd_refuse(g, "it has an infinite loop", NULL);
    for (int b = 0; b < g->blocks.n; b++)
        for (int l = 0; l < g->loops.n; l++) {
            int best = g->blocks.at[b].loop;
            if (g->loops.at[l].has[b] && (best < 0 || g->loops.at[l].size < g->loops.at[best].size))
                g->blocks.at[b].loop = l;
        }
    for (int l = 0; l < g->loops.n; l++)
        for (int k = 0; k < g->loops.n; k++) {
            int best = g->loops.at[l].parent;
            if (k == l || !g->loops.at[k].has[g->loops.at[l].header] || g->loops.at[k].size <= g->loops.at[l].size)
                continue;
            if (best < 0 || g->loops.at[k].size < g->loops.at[best].size) g->loops.at[l].parent = k;
        }
    return true;
}

bool simd_in_loop(const SimdRegion *g, int loop, int block) { return loop < 0 || g->loops.at[loop].has[block]; }

/* Levels ----------------------------------------------------------------------------------------------------------- */

/* The loop of `level` that holds the block: -1 if the block is in the level itself. -2: it is not inside at all. */
static int inner_loop(const SimdRegion *g, int level_loop, int block) {
    if (!simd_in_loop(g, level_loop, block)) return -2;
    int l = g->blocks.at[block].loop;
    if (l == level_loop) return -1;
    while (g->loops.at[l].parent != level_loop) l = g->loops.at[l].parent;
    return l;
}

int simd_node_of(const SimdRegion *g, int level, int block) {
    int inner = inner_loop(g, g->levels[level].loop, block);
    if (inner == -2) return END;
    for (int i = 0; i < g->levels[level].nodes.n; i++) {
        const SimdNode *n = &g->levels[level].nodes.at[i];
        if (inner >= 0 ? n->loop == inner : n->block == block) return i;
    }
    return END;
}

typedef struct Order {
    SimdRegion *g;
    SimdLevel *level;
    bool *seen_block, *seen_loop;
    Vec(SimdNode) post;
} Order;

static void visit(Order *o, int block);

/* An edge out of a node of the level: END or a block to go to. */
static int target(const Order *o, LLVMBasicBlockRef bb) {
    SimdRegion *g = o->g;
    int s = value_map_get(g->block_of, bb), loop = o->level->loop;
    if (s < 0 || g->blocks.at[s].leaves) return END;
    if (loop >= 0 && (s == g->loops.at[loop].header || !g->loops.at[loop].has[s])) return END;
    return s;
}

static void visit_succs(Order *o, int b, int without_loop) {
    for (int i = simd_n_succ(o->g, b); i-- > 0;) {
        int s = target(o, simd_succ(o->g, b, i));
        if (s != END && (without_loop < 0 || !o->g->loops.at[without_loop].has[s])) visit(o, s);
    }
}

static void visit(Order *o, int block) {
    SimdRegion *g = o->g;
    int inner = inner_loop(g, o->level->loop, block);
    SimdNode n = {.block = inner < 0 ? block : -1, .loop = inner < 0 ? -1 : inner};
    bool *seen = inner < 0 ? &o->seen_block[block] : &o->seen_loop[inner];
    if (*seen) return;
    *seen = true;
    if (inner < 0) visit_succs(o, block, -1);
    for (int b = 0; inner >= 0 && b < g->blocks.n; b++)
        if (g->loops.at[inner].has[b]) visit_succs(o, b, inner);
    vec_push(g->arena, &o->post, n);
}

static bool add_succ(SimdRegion *g, SimdNode *n, int to) {
    for (int i = 0; i < n->n_succ; i++)
        if (n->succ[i] == to) return true;
    if (n->n_succ == (int)(sizeof n->succ / sizeof *n->succ)) return simd_refuse(g, "a loop has too many exits", NULL);
    n->succ[n->n_succ++] = to;
    return true;
}

static bool link_block(Order *o, SimdNode *n, int level, int b, int without_loop) {
    for (int i = 0; i < simd_n_succ(o->g, b); i++) {
        LLVMBasicBlockRef bb = simd_succ(o->g, b, i);
        int s = value_map_get(o->g->block_of, bb), t = target(o, bb);
        if (s >= 0 && (o->g->blocks.at[s].leaves || (without_loop >= 0 && o->g->loops.at[without_loop].has[s])))
            continue;
        if (!add_succ(o->g, n, t == END ? END : simd_node_of(o->g, level, t))) return false;
    }
    return true;
}

static bool make_level(SimdRegion *g, int level, int loop) {
    SimdLevel *l = &g->levels[level];
    l->loop = loop;
    Order o = {.g = g, .level = l, .seen_block = arena_array(g->arena, bool, g->blocks.n),
               .seen_loop = arena_array(g->arena, bool, g->loops.n + 1)};
    if (loop < 0) {
        visit(&o, 0);
    } else { /* the header is no loop of its own here */
        int header = g->loops.at[loop].header;
        o.seen_block[header] = true;
        visit_succs(&o, header, -1);
        SimdNode n = {.block = header, .loop = -1};
        vec_push(g->arena, &o.post, n);
    }
    for (int i = o.post.n; i-- > 0;) vec_push(g->arena, &l->nodes, o.post.at[i]);
    for (int i = 0; i < l->nodes.n; i++) {
        SimdNode *n = &l->nodes.at[i];
        if (n->loop < 0 && !link_block(&o, n, level, n->block, -1)) return false;
        for (int b = 0; n->loop >= 0 && b < g->blocks.n; b++)
            if (g->loops.at[n->loop].has[b] && !link_block(&o, n, level, b, n->loop)) return false;
        for (int k = 0; k < n->n_succ; k++)
            if (n->succ[k] != END && n->succ[k] <= i)
                return simd_refuse(g, "a loop is irreducible: it has two entries", NULL);
    }
    return true;
}

static int later(int a, int b) { return a == END || (b != END && a > b) ? a : b; }

static void find_postdominators(SimdLevel *l) {
    for (int i = l->nodes.n; i-- > 0;) {
        SimdNode *n = &l->nodes.at[i];
        int meet = n->n_succ ? n->succ[0] : END;
        for (int k = 1; k < n->n_succ; k++) {
            int a = meet, b = n->succ[k];
            while (a != b) {
                if (later(a, b) == a) b = l->nodes.at[b].ipdom;
                else a = l->nodes.at[a].ipdom;
            }
            meet = a;
        }
        n->ipdom = meet;
    }
}

bool simd_region(SimdRegion *g, Arena *a, LLVMValueRef fn, LLVMTargetDataRef layout, LLVMValueRef latch,
                 LLVMValueRef outer_latch) {
    *g = (SimdRegion){.arena = a, .fn = fn, .layout = layout};
    if (!find_nest(g, latch, outer_latch)) return false;
    g->block_of = value_map_new(a, 64);
    g->value_of = value_map_new(a, 256);
    g->private_of = value_map_new(a, 8);
    g->places = simd_places_new(a);
    if (g->body == g->exit) return simd_refuse(g, "it is empty", NULL);
    if (!collect_blocks(g)) return false;
    find_preds(g);
    find_leaving(g);
    find_ways(g);
    if (g->blocks.at[0].leaves) return simd_refuse(g, "every work item fails a check", NULL);
    collect_values(g);
    if (g->values.n > SIMD_MOST_VALUES) return simd_refuse(g, "it is too long for vector code", NULL);
    if (!find_loops(g)) return false;
    find_behind_checks(g);
    g->levels = arena_array(a, SimdLevel, g->loops.n + 1);
    for (int l = -1; l < g->loops.n; l++) {
        if (!make_level(g, l + 1, l)) return false;
        find_postdominators(&g->levels[l + 1]);
    }
    simd_find_invariants(g);
    return true;
}
