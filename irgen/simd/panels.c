/* panels.c -- which loads of a nest are packed: those that all items below one another make alike, or all items of a
 * row, in a loop that every item executes.
 *
 * Legal where every item executes the loop, so that nothing is read that would not have been; its bounds may change
 * from row to row, as in `for k in i + 1`. No check is in it, and the array is only read. Where items part ways at
 * edges, as in `if j <= i { ... }`, that is known of items that are inside (ends.c).
 *
 * Where there is no such loop, what all rows read outside loops are lines: a[j, k] of an update
 * `a[i, j] -= a[i, k] * a[j, k]` over i and j, the points q[j, 0] and q[j, 1] of a matrix of distances, w[p[j]]. */
#include "irgen/simd/panels.h"

#include <stdlib.h>

typedef struct Moves {
    bool with_x, with_y, with_counter, unknown;
} Moves;

static bool any_move(Moves m) { return m.with_x || m.with_y || m.with_counter || m.unknown; }

/* What a value changes with: evenly, if it is a sum of counters times what is the same in the whole nest. */
static Moves moves(const SimdRegion *g, LLVMValueRef counter, LLVMValueRef v, int depth) {
    enum { FAR = 12 };
    if (v == g->x || v == g->y || v == counter) return (Moves){v == g->x, v == g->y, v == counter, false};
    if (value_map_get(g->value_of, v) < 0) return (Moves){0};
    if (simd_is_of_all_rows(v)) return moves(g, counter, LLVMGetOperand(v, 0), depth + 1);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    Moves all = {.unknown = depth > FAR || !(op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub ||
                                             op == LLVMMul || op == LLVMShl)};
    for (int k = 0, moving = 0; k < LLVMGetNumOperands(v) && !all.unknown; k++) {
        Moves one = moves(g, counter, LLVMGetOperand(v, (unsigned)k), depth + 1);
        moving += any_move(one);
        bool is_product = op == LLVMMul || op == LLVMShl;
        all = (Moves){all.with_x | one.with_x, all.with_y | one.with_y, all.with_counter | one.with_counter,
                      one.unknown || (is_product && moving > 1) || (op == LLVMShl && k && any_move(one))};
    }
    return all;
}

/* Bytes by which an address goes on with a counter; FAR_STEP: so many, or more, or no constant. */
enum { FAR_STEP = SIMD_LINE };

static int64_t step_along(const SimdRegion *g, LLVMValueRef counter, LLVMValueRef address, LLVMValueRef along) {
    Form at = simd_place(g, address, AS_BITS);
    int64_t by = 0;
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef atom = simd_atom(g, at.at[i].atom, NULL);
        if (atom == along) {
            by = at.at[i].k;
            continue;
        }
        Moves m = moves(g, counter, atom, 0);
        if (along == g->x ? m.with_x : along == g->y ? m.with_y : m.with_counter) return FAR_STEP;
    }
    return by > -FAR_STEP && by < FAR_STEP ? by : FAR_STEP;
}

/* A load of what does not change while the kernel runs. */
static bool is_fixed(const Panels *p, LLVMValueRef v) {
    if (!LLVMIsALoadInst(v) || simd_is_atomic(v) || LLVMGetVolatile(v)) return false;
    LLVMValueRef object = simd_object(simd_address(v));
    return (simd_is_param(object, "readonly") && simd_is_param(object, "noalias")) ||
           LLVMGetMetadata(v, p->md_unwritten);
}

static bool is_packed(const Panels *of, Panel *p) {
    const SimdRegion *g = of->g;
    LLVMValueRef load = p->load, counter = p->c.counter;
    if (!is_fixed(of, load)) return false;
    LLVMValueRef address = simd_address(load);
    Moves m = moves(g, counter, address, 0);
    if (m.unknown || !m.with_counter || m.with_x == m.with_y) return false;
    int64_t bytes = simd_bytes(g, LLVMTypeOf(load));
    bool goes_far = step_along(g, counter, address, counter) == FAR_STEP;
    p->kind = m.with_x ? PANEL_COLUMNS : PANEL_ROWS;
    if (p->kind == PANEL_ROWS) return goes_far;
    int64_t across = step_along(g, counter, address, g->x);
    p->is_far = across == FAR_STEP;
    return p->is_far || (across == bytes && goes_far);
}

bool simd_is_of_nest(const SimdRegion *g, LLVMValueRef v) {
    return v == g->x || v == g->y || value_map_get(g->value_of, v) >= 0;
}

static bool goes_with_rows(const SimdRegion *g, LLVMValueRef v) {
    Moves m = moves(g, NULL, v, 0);
    return !m.unknown && !m.with_x && !m.with_counter;
}

/* Does a way lead past the loop? Its blocks are marked. */
static bool passes(const SimdRegion *g, int block, int header, bool *seen) {
    if (block == header || seen[block]) return false;
    seen[block] = true;
    for (int i = 0; i < simd_n_succ(g, block); i++) {
        int to = value_map_get(g->block_of, simd_succ(g, block, i));
        bool is_alive =
            to >= 0 ? simd_comes_alive(g, block, to) : g->blocks.at[block].taken < 0 || g->blocks.at[block].taken == i;
        if (is_alive && (to < 0 || passes(g, to, header, seen))) return true;
    }
    return false;
}

/* By every item, or every one inside: no way through the nest leads past the block, nor out of the nest. */
static bool is_block_always_executed(const SimdRegion *g, int block) {
    for (int b = 0; b < g->blocks.n; b++)
        if (g->blocks.at[b].leaves) return false;
    return !passes(g, 0, block, arena_array(g->arena, bool, g->blocks.n));
}

static bool is_always_executed(const SimdRegion *g, int loop) {
    const SimdLoop *l = &g->loops.at[loop];
    return l->parent < 0 && is_block_always_executed(g, l->header);
}

static bool is_of_counters(const SimdRegion *g, LLVMValueRef v) {
    Form f = simd_place(g, v, AS_SIGNED);
    for (int i = 0; i < f.n; i++) {
        LLVMValueRef atom = simd_atom(g, f.at[i].atom, NULL);
        if (atom != g->x && atom != g->y && value_map_get(g->value_of, atom) >= 0) return false;
    }
    return true;
}

/* If two rows have an item inside in a column, do all rows between them? */
static bool has_even_edges(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef v = g->values.at[i].v;
        if (!g->values.at[i].at_ends) continue;
        if (!LLVMIsAICmpInst(v) || !is_of_counters(g, LLVMGetOperand(v, 0)) || !is_of_counters(g, LLVMGetOperand(v, 1)))
            return false;
    }
    return true;
}

/* One bound may change from row to row: so the rounds of all rows are those of the first or the last one. */
static bool has_known_rounds(const SimdRegion *g, const SimdCounted *c) {
    if (c->checks || !goes_with_rows(g, c->lo) || !goes_with_rows(g, c->hi)) return false;
    int64_t rounds = simd_trips(c->lo, c->hi);
    return (!simd_is_of_nest(g, c->lo) || !simd_is_of_nest(g, c->hi)) && (!rounds || rounds >= LEAST_ROUNDS);
}

/* The same address, in the iterations of another loop? */
static bool is_same(const SimdRegion *g, LLVMValueRef a, LLVMValueRef counter_a, LLVMValueRef b, LLVMValueRef counter_b,
                    int depth) {
    enum { FAR = 12 };
    if (a == b || (a == counter_a && b == counter_b)) return true;
    if (depth > FAR || value_map_get(g->value_of, a) < 0 || value_map_get(g->value_of, b) < 0) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    bool is_alike = op == LLVMGetInstructionOpcode(b) && LLVMTypeOf(a) == LLVMTypeOf(b) &&
                    LLVMGetNumOperands(a) == LLVMGetNumOperands(b) && !moves(g, counter_a, a, 0).unknown;
    if (!is_alike || (op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)))
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(a); i++)
        if (!is_same(g, LLVMGetOperand(a, i), counter_a, LLVMGetOperand(b, i), counter_b, depth + 1)) return false;
    return true;
}

/* The panels have the rounds of all rows. */
static void find_rest(Panels *p, int loop) {
    SimdCounted c;
    if (!simd_find_counted(p->g, loop, &c) || c.checks) return;
    for (int i = 0; i < c.n; i++)
        for (int k = 0; k < p->n; k++) {
            LLVMValueRef load = p->g->values.at[c.of[i]].v;
            Panel *of = &p->at[k];
            bool may_be = LLVMIsALoadInst(load) && !of->rest && LLVMTypeOf(load) == LLVMTypeOf(of->load);
            if (!may_be || !is_same(p->g, simd_address(of->load), of->c.counter, simd_address(load), c.counter, 0))
                continue;
            of->rest = load;
            of->rest_counter = c.counter;
        }
}

static void find_panels(Panels *p) {
    SimdRegion *g = p->g;
    bool has_columns = false;
    p->n = 0;
    for (int l = 0; l < g->loops.n; l++) {
        SimdCounted c;
        bool is_whole = is_always_executed(g, l) && !simd_is_of_some_rows(g, l);
        if (!is_whole || !simd_find_counted_rounds(g, l, &c) || !has_known_rounds(g, &c)) continue;
        for (int i = 0; i < c.n && p->n < MOST_PANELS; i++) {
            Panel one = {.load = g->values.at[c.of[i]].v, .c = c};
            if (!is_packed(p, &one) || (one.kind == PANEL_ROWS && p->has_edges && !has_even_edges(g))) continue;
            has_columns |= one.kind == PANEL_COLUMNS;
            p->at[p->n++] = one;
        }
    }
    if (!has_columns) p->n = 0;
    for (int l = 0; l < g->loops.n && p->n; l++)
        if (simd_is_of_some_rows(g, l)) find_rest(p, l);
}

/* Lines ------------------------------------------------------------------------------------------------------------ */

/* The same in all rows, computed without a branch, outside loops. *with_x: not in all columns. */
static bool is_of_column(const Panels *p, LLVMValueRef v, int depth, bool *with_x) {
    const SimdRegion *g = p->g;
    enum { FAR = 12 };
    if (v == g->x) return *with_x = true;
    int i = value_map_get(g->value_of, v);
    if (v == g->y || i < 0) return v != g->y;
    bool is_plain = simd_is_plain(v) || LLVMIsACmpInst(v) || LLVMIsASelectInst(v);
    if (depth > FAR || g->blocks.at[g->values.at[i].block].loop >= 0 || !(is_plain || is_fixed(p, v))) return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!is_of_column(p, LLVMGetOperand(v, k), depth + 1, with_x)) return false;
    return true;
}

/* Contiguous elements are read as fast from the array. */
static bool is_line(const Panels *p, const SimdValue *load) {
    const SimdRegion *g = p->g;
    bool with_x = false;
    if (!is_fixed(p, load->v) || load->private_of >= 0 || simd_bytes(g, LLVMTypeOf(load->v)) > 8) return false;
    if (!is_of_column(p, load->v, 0, &with_x) || !with_x) return false;
    LaneRate at = simd_address_rate(g, load);
    return at.x == LANE_VARYING || (at.x == LANE_LINEAR && llabs(at.stride) != simd_bytes(g, LLVMTypeOf(load->v)));
}

/* Not 0 <= a < b in one, as an unsigned comparison: the first and the last row may be outside where others are not. */
static bool has_one_bound(LLVMValueRef cmp) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE || LLVMGetICmpSameSign(cmp);
}

/* If a row has an item inside in a column, has the first or the last one? */
static bool has_edges_of_one_side(const SimdRegion *g) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!value->at_ends) continue;
        bool is_equal = LLVMIsAICmpInst(value->v) && (LLVMGetICmpPredicate(value->v) == LLVMIntEQ ||
                                                      LLVMGetICmpPredicate(value->v) == LLVMIntNE);
        n += value->rate.y != 0;
        if (is_equal || (value->rate.y && LLVMIsAICmpInst(value->v) && !has_one_bound(value->v))) return false;
    }
    return n <= 1 && has_even_edges(g);
}

/* Is the block executed by items that are inside only: whichever of the conditions an item fails, it does not come
 * there? */
static bool is_of_those_inside(SimdRegion *g, int block) {
    bool is_dead = true;
    signed char *inside = arena_array(g->arena, signed char, g->values.n);
    for (int i = 0; i < g->values.n; i++) {
        inside[i] = (signed char)g->values.at[i].at_ends;
        g->values.at[i].at_ends = 0;
    }
    for (int i = 0; i < g->values.n; i++) {
        if (!inside[i]) continue;
        g->values.at[i].at_ends = -inside[i];
        simd_find_dead(g);
        is_dead &= g->blocks.at[block].dead;
        g->values.at[i].at_ends = 0;
    }
    for (int i = 0; i < g->values.n; i++) g->values.at[i].at_ends = inside[i];
    simd_find_dead(g);
    return is_dead;
}

static void find_lines(Panels *p) {
    SimdRegion *g = p->g;
    if (p->has_edges && !has_edges_of_one_side(g)) return;
    for (int b = 0; b < g->blocks.n && p->n < MOST_PANELS; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        if (block->loop >= 0 || !is_block_always_executed(g, b)) continue;
        bool of_some = p->has_edges && !p->by_all[b];
        if (of_some && !is_of_those_inside(g, b)) continue;
        for (int i = block->first; i < block->first + block->n && p->n < MOST_PANELS; i++)
            if (is_line(p, &g->values.at[i]))
                p->at[p->n++] = (Panel){.kind = PANEL_COLUMNS,
                                        .is_line = true,
                                        .is_far = true,
                                        .of_some = of_some,
                                        .load = g->values.at[i].v};
    }
}

bool simd_find_panels(Cg *cg, const SimdTarget *target, LLVMValueRef latch, LLVMValueRef outer_latch, Panels *p) {
    SimdRegion *g = p->g;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(latch));
    if (!simd_region(g, &cg->c->arena, fn, layout, latch, outer_latch) || !g->y || !simd_privates(g)) return false;
    g->omitted = cg->options->omitted;
    g->always = cg->options->vector_always;
    g->mask_registers = target->mask_registers;
    simd_find_slices(g);
    simd_count_stores(g);
    simd_rates(g, true);
    p->by_all = arena_array(g->arena, bool, g->blocks.n);
    for (int b = 0; b < g->blocks.n; b++) p->by_all[b] = is_block_always_executed(g, b);
    p->has_edges = simd_find_ends(g);
    if (p->has_edges) simd_rates_settled(g, true);
    p->md_unwritten = cg->md_unwritten;
    find_panels(p);
    if (!p->n) find_lines(p);
    if (p->has_edges) simd_rates_settled(g, false);
    return p->n > 0;
}
