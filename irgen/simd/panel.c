/* panel.c -- packing (Goto, van de Geijn 2008): where the blocks of a column of blocks all read the same elements in
 * their loops, as those of b in `for k in l { s += a[k, i] * b[k, j]; }`, these elements, a panel of l rows as wide
 * as a block, are copied to contiguous memory once, and the blocks read the copy, one below the other. The rows of the
 * panel in the array are far apart: each is on a page of its own, and if they are a power of two apart they share few
 * sets of the caches, so that reading them again takes nearly as long as the first time. What the blocks of a row of
 * blocks all read in columns, as those of a, is packed likewise, for as many rows as have room.
 *
 *     for y by band { pack a[.., y..y + band]
 *         for x by block { pack b[.., x..x + block]; for y in the band by rows { block at (y, x) } } }
 *
 * Legal where every item executes the loop, with the same bounds, and no check is in the nest, so that nothing is read
 * that would not have been; and where the array is only read. */
#include "irgen/simd/nest.h"

enum {
    COLUMN_BYTES = 384 << 10, /* of a panel of columns: less than the second-level cache */
    ROW_BYTES = 2 << 20,      /* of the panels of all rows of a band, each of which is read once for each column */
    LEAST_BLOCKS = 8,         /* that share a panel */
    LEAST_ROUNDS = 32
};

/* Which loads --------------------------------------------------------------------------------------------------------
 */

typedef enum Motion { STILL, MOVES_EVENLY, UNKNOWN_MOTION } Motion;

static Motion sum_of(Motion a, Motion b) { return a > b ? a : b; }

/* How an address changes with the loop's counter: evenly if it is a sum of counters times what is the same. */
static Motion motion(const SimdRegion *g, const SimdCounted *c, LLVMValueRef v, int depth) {
    enum { FAR = 12 };
    if (v == c->counter) return MOVES_EVENLY;
    if (value_map_get(g->value_of, v) < 0) return STILL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (depth > FAR || !(op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl))
        return UNKNOWN_MOTION;
    Motion all = STILL;
    int moving = 0;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        Motion one = motion(g, c, LLVMGetOperand(v, (unsigned)k), depth + 1);
        moving += one != STILL;
        all = sum_of(all, one);
        if (op == LLVMShl && k && one != STILL) return UNKNOWN_MOTION;
    }
    return op == LLVMMul && moving > 1 ? UNKNOWN_MOTION : all;
}

/* Bytes from a row of the nest to the next one; 0: who knows. */
static int64_t by_row(const SimdRegion *g, LLVMValueRef address, int block) {
    Form at = simd_place(g, address, AS_BITS);
    int64_t by = 0;
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef v = simd_atom(g, at.at[i].atom, NULL);
        if (v == g->y) by = at.at[i].k;
        else if (simd_rate(g, v, block).y) return 0;
    }
    return by;
}

static bool is_packed(const SimdRegion *g, const SimdCounted *c, const SimdValue *value, PanelKind *kind) {
    if (!LLVMIsALoadInst(value->v) || value->private_of >= 0 || simd_is_atomic(value->v)) return false;
    LLVMValueRef address = simd_address(value->v), object = simd_object(address);
    LaneRate rate = simd_address_rate(g, value);
    bool is_read_only = simd_is_param(object, "readonly") && simd_is_param(object, "noalias");
    if (!is_read_only || value->parts >= 0 || !simd_walks_far(g, value)) return false;
    if (motion(g, c, address, 0) != MOVES_EVENLY) return false;
    *kind = rate.x == LANE_UNIFORM ? PANEL_ROWS : PANEL_COLUMNS;
    if (*kind == PANEL_COLUMNS) return simd_is_beside(g, value) && !rate.y;
    return rate.y && by_row(g, address, value->block) == simd_bytes(g, LLVMTypeOf(value->v));
}

/* By every item: no way through the nest leads past it, nor out of the nest. */
static bool is_always_executed(const SimdRegion *g, int loop) {
    const SimdLoop *l = &g->loops.at[loop];
    for (int b = 0; b < g->blocks.n; b++) {
        if (g->blocks.at[b].leaves) return false;
        for (int i = 0; i < simd_n_succ(g, b); i++)
            if (value_map_get(g->block_of, simd_succ(g, b, i)) < 0 && !simd_dominates(g, l->header, b)) return false;
    }
    return l->parent < 0 && !l->divergent && !simd_is_masked(g, l->header);
}

static bool is_outside(const SimdRegion *g, LLVMValueRef v) {
    return v != g->x && v != g->y && value_map_get(g->value_of, v) < 0;
}

bool nest_find_panel(const SimdRegion *g, NestPanel *p) {
    *p = (NestPanel){0};
    for (int l = 0; l < g->loops.n && !p->n && g->y; l++) {
        bool is_counted = is_always_executed(g, l) && simd_find_counted(g, l, &p->c) && !p->c.checks;
        if (!is_counted || p->c.includes_hi || !is_outside(g, p->c.lo) || !is_outside(g, p->c.hi)) continue;
        int64_t rounds = simd_trips(p->c.lo, p->c.hi);
        if (rounds && rounds < LEAST_ROUNDS) continue;
        bool has_columns = false;
        for (int i = 0; i < p->c.n && p->n < MOST_PACKED; i++) {
            p->of[p->n].value = p->c.of[i];
            if (!is_packed(g, &p->c, &g->values.at[p->c.of[i]], &p->of[p->n].kind)) continue;
            has_columns |= p->of[p->n++].kind == PANEL_COLUMNS;
        }
        if (!has_columns) p->n = 0;
    }
    return p->n > 0;
}

/* Packing ------------------------------------------------------------------------------------------------------------
 */

/* An address in the round with this counter, for the first item of the block. */
static LLVMValueRef in_round(Items *n, const NestPanel *p, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y,
                             LLVMValueRef k) {
    if (v == p->c.counter) return k;
    if (v == n->g->x || v == n->g->y) return v == n->g->x ? x : y;
    if (value_map_get(n->g->value_of, v) < 0) return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(copy, (unsigned)i, in_round(n, p, LLVMGetOperand(v, (unsigned)i), x, y, k));
    LLVMInsertIntoBuilder(n->b, copy);
    return copy;
}

/* Where the first round finds a load's element in the array, and how far it is to the next one. There may be no such
 * rounds. */
static LLVMValueRef place_in_array(Items *n, const NestPanel *p, int i, LLVMValueRef x, LLVMValueRef y,
                                   LLVMValueRef *step) {
    LLVMValueRef address = simd_address(n->g->values.at[p->of[i].value].v), from[2];
    for (int k = 0; k < 2; k++) {
        LLVMValueRef round = k ? LLVMBuildAdd(n->b, p->c.lo, cg_i64(n->cg, 1), "") : p->c.lo;
        from[k] = LLVMBuildFreeze(n->b, in_round(n, p, address, x, y, round), "");
    }
    *step = LLVMBuildSub(n->b, LLVMBuildPtrToInt(n->b, from[1], n->cg->i64, ""),
                         LLVMBuildPtrToInt(n->b, from[0], n->cg->i64, ""), "");
    return from[0];
}

static LLVMValueRef behind(Items *n, LLVMValueRef p, LLVMValueRef bytes) {
    return LLVMBuildGEP2(n->b, n->cg->i8, p, &bytes, 1, "");
}

static LLVMValueRef rounds_of(Items *n, const NestPanel *p) { return LLVMBuildSub(n->b, p->c.hi, p->c.lo, ""); }

static LLVMTypeRef element_of(const Items *n, const NestPanel *p, int i) {
    return LLVMTypeOf(n->g->values.at[p->of[i].value].v);
}

/* Bytes that a round has in the panels of this kind before load i; i = p->n: in all. */
static int64_t round_bytes(const Items *n, const NestPanel *p, PanelKind kind, SimdShape shape, int i) {
    int64_t bytes = 0, elements = kind == PANEL_ROWS ? shape.rows : shape.width * shape.vectors;
    for (int k = 0; k < i; k++)
        if (p->of[k].kind == kind) bytes += simd_bytes(n->g, element_of(n, p, k)) * elements;
    return bytes;
}

static LLVMValueRef buffer(Items *n, int bytes) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(n->allocas));
    LLVMValueRef at = LLVMBuildAlloca(n->b, LLVMArrayType2(n->cg->i8, (uint64_t)bytes), "panel");
    LLVMSetAlignment(at, SIMD_LINE);
    LLVMPositionBuilderAtEnd(n->b, here);
    return at;
}

/* One round of a load: so many vectors, from the array to the panel. */
static void copy_round(Items *n, LLVMTypeRef element, int lanes, int vectors, LLVMValueRef from, LLVMValueRef to) {
    LLVMTypeRef t = LLVMVectorType(element, (unsigned)lanes);
    int64_t bytes = simd_bytes(n->g, element);
    for (int v = 0; v < vectors; v++) {
        LLVMValueRef at = cg_i64(n->cg, v * lanes * bytes);
        LLVMValueRef one = LLVMBuildLoad2(n->b, t, behind(n, from, at), "");
        LLVMSetAlignment(one, (unsigned)bytes);
        LLVMSetAlignment(LLVMBuildStore(n->b, one, behind(n, to, at)), (unsigned)bytes);
    }
}

/* All rounds of the loads of this kind, for the block at x and y. */
static void copy_panel(Items *n, const NestPanel *p, PanelKind kind, SimdShape shape, LLVMValueRef x, LLVMValueRef y,
                       LLVMValueRef to) {
    LLVMValueRef from[MOST_PACKED], step[MOST_PACKED];
    for (int i = 0; i < p->n; i++)
        if (p->of[i].kind == kind) from[i] = place_in_array(n, p, i, x, y, &step[i]);
    Loop l = nest_loop_begin(n, nest_counter(n, cg_i64(n->cg, 0), "round"), NULL, rounds_of(n, p), 1, false, "pack");
    int64_t round = round_bytes(n, p, kind, shape, p->n);
    LLVMValueRef line = behind(n, to, LLVMBuildMul(n->b, l.at, cg_i64(n->cg, round), ""));
    for (int i = 0; i < p->n; i++) {
        if (p->of[i].kind != kind) continue;
        LLVMValueRef at = behind(n, from[i], LLVMBuildMul(n->b, l.at, step[i], ""));
        LLVMValueRef place = behind(n, line, cg_i64(n->cg, round_bytes(n, p, kind, shape, i)));
        if (kind == PANEL_ROWS) copy_round(n, element_of(n, p, i), shape.rows, 1, at, place);
        else copy_round(n, element_of(n, p, i), shape.width, shape.vectors, at, place);
    }
    nest_loop_end(n, &l);
}

/* Where each load of this kind is found: as it is in the array, or in the panel. */
typedef struct Places {
    LLVMValueRef base[MOST_PACKED], step[MOST_PACKED], by_row[MOST_PACKED];
} Places;

static void choose(Items *n, NestPanel *p, PanelKind kind, const Places *array, LLVMBasicBlockRef from_array,
                   const Places *panel, LLVMBasicBlockRef from_panel) {
    LLVMBasicBlockRef from[2] = {from_array, from_panel};
    for (int i = 0; i < p->n; i++) {
        if (p->of[i].kind != kind) continue;
        LLVMValueRef base[2] = {array->base[i], panel->base[i]}, step[2] = {array->step[i], panel->step[i]},
                     row[2] = {array->by_row[i], panel->by_row[i]};
        LLVMAddIncoming(p->of[i].base = LLVMBuildPhi(n->b, n->cg->ptr, ""), base, from, 2);
        LLVMAddIncoming(p->of[i].step = LLVMBuildPhi(n->b, n->cg->i64, ""), step, from, 2);
        LLVMAddIncoming(p->of[i].by_row = LLVMBuildPhi(n->b, n->cg->i64, ""), row, from, 2);
    }
}

static Places in_array(Items *n, const NestPanel *p, PanelKind kind, LLVMValueRef x, LLVMValueRef y) {
    Places at = {0};
    for (int i = 0; i < p->n; i++) {
        if (p->of[i].kind != kind) continue;
        at.base[i] = place_in_array(n, p, i, x, y, &at.step[i]);
        at.by_row[i] = cg_i64(n->cg, simd_bytes(n->g, element_of(n, p, i)));
    }
    return at;
}

static Places in_buffer(Items *n, const NestPanel *p, PanelKind kind, SimdShape shape, LLVMValueRef to) {
    Places at = {0};
    int64_t round = round_bytes(n, p, kind, shape, p->n);
    for (int i = 0; i < p->n; i++) {
        if (p->of[i].kind != kind) continue;
        at.base[i] = behind(n, to, cg_i64(n->cg, round_bytes(n, p, kind, shape, i)));
        at.step[i] = cg_i64(n->cg, round);
        at.by_row[i] = LLVMBuildMul(n->b, rounds_of(n, p), cg_i64(n->cg, round / shape.rows), "");
    }
    return at;
}

/* lo <= v <= hi, of numbers that are not negative */
static LLVMValueRef is_between(Items *n, LLVMValueRef v, int64_t lo, int64_t hi) {
    LLVMValueRef above = LLVMBuildSub(n->b, v, cg_i64(n->cg, lo), "");
    return LLVMBuildICmp(n->b, LLVMIntULE, above, cg_i64(n->cg, hi < lo ? 0 : hi - lo), "");
}

/* The panel of the blocks at x, from row y on: packed, or, if that would not pay or it is too large, as it is. */
void nest_pack_columns(Items *n, NestPanel *p, SimdShape shape, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef to = buffer(n, COLUMN_BYTES), rows = LLVMBuildSub(n->b, n->band_end, y, "");
    Places array = in_array(n, p, PANEL_COLUMNS, x, y), panel = in_buffer(n, p, PANEL_COLUMNS, shape, to);
    int64_t round = round_bytes(n, p, PANEL_COLUMNS, shape, p->n);
    LLVMValueRef fits = is_between(n, rounds_of(n, p), LEAST_ROUNDS, COLUMN_BYTES / round);
    LLVMValueRef pays = LLVMBuildICmp(n->b, LLVMIntSGE, rows, cg_i64(n->cg, LEAST_BLOCKS * shape.rows), "");
    LLVMBasicBlockRef pack = nest_block(n, "pack.columns"), join = nest_block(n, "packed"),
                      here = LLVMGetInsertBlock(n->b);
    LLVMBuildCondBr(n->b, LLVMBuildAnd(n->b, fits, pays, ""), pack, join);
    LLVMPositionBuilderAtEnd(n->b, pack);
    copy_panel(n, p, PANEL_COLUMNS, shape, x, y, to);
    pack = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, join);
    LLVMPositionBuilderAtEnd(n->b, join);
    choose(n, p, PANEL_COLUMNS, &array, here, &panel, pack);
}

static bool packs_rows(const NestPanel *p) {
    for (int i = 0; i < p->n; i++)
        if (p->of[i].kind == PANEL_ROWS) return true;
    return false;
}

/* The rounds of a block's rows have a place in the buffer, LEAST_BLOCKS times. */
static LLVMValueRef rows_fit(Items *n, const NestPanel *p, SimdShape shape) {
    int64_t round = round_bytes(n, p, PANEL_ROWS, shape, p->n);
    return is_between(n, rounds_of(n, p), LEAST_ROUNDS, ROW_BYTES / round / LEAST_BLOCKS);
}

LLVMValueRef nest_band_rows(Items *n, const NestPanel *p, SimdShape shape) {
    if (!packs_rows(p)) return NULL;
    LLVMValueRef rounds = rounds_of(n, p), one = cg_i64(n->cg, 1), fits = rows_fit(n, p, shape);
    rounds = LLVMBuildSelect(n->b, fits, rounds, one, "");
    LLVMValueRef bytes = LLVMBuildMul(n->b, rounds, cg_i64(n->cg, round_bytes(n, p, PANEL_ROWS, shape, p->n)), "");
    LLVMValueRef blocks = LLVMBuildUDiv(n->b, cg_i64(n->cg, ROW_BYTES), bytes, "");
    LLVMValueRef rows = LLVMBuildMul(n->b, blocks, cg_i64(n->cg, shape.rows), "");
    return LLVMBuildSelect(n->b, fits, rows, LLVMBuildNSWSub(n->b, n->g->y_hi, n->g->y_lo, ""), "");
}

/* The panels of the rows of the band that begins at y. */
void nest_pack_rows(Items *n, NestPanel *p, SimdShape shape, LLVMValueRef y) {
    p->y = y;
    if (!packs_rows(p)) return;
    LLVMValueRef to = buffer(n, ROW_BYTES), columns = LLVMBuildSub(n->b, n->g->x_hi, n->g->x_lo, "");
    Places array = in_array(n, p, PANEL_ROWS, n->g->x_lo, y), panel = in_buffer(n, p, PANEL_ROWS, shape, to);
    int block = shape.vectors * shape.width;
    LLVMValueRef pays = LLVMBuildICmp(n->b, LLVMIntSGE, columns, cg_i64(n->cg, LEAST_BLOCKS * block), "");
    LLVMBasicBlockRef pack = nest_block(n, "pack.rows"), join = nest_block(n, "packed"),
                      here = LLVMGetInsertBlock(n->b);
    LLVMBuildCondBr(n->b, LLVMBuildAnd(n->b, rows_fit(n, p, shape), pays, ""), pack, join);
    LLVMPositionBuilderAtEnd(n->b, pack);
    Loop blocks = nest_loop_begin(n, nest_counter(n, y, "y"), NULL, n->band_end, shape.rows, false, "pack.blocks");
    LLVMValueRef before = LLVMBuildMul(n->b, LLVMBuildSub(n->b, blocks.at, y, ""), rounds_of(n, p), "");
    before = LLVMBuildMul(
        n->b, before, cg_i64(n->cg, round_bytes(n, p, PANEL_ROWS, shape, p->n) / shape.rows), "");
    copy_panel(n, p, PANEL_ROWS, shape, n->g->x_lo, blocks.at, behind(n, to, before));
    nest_loop_end(n, &blocks);
    pack = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, join);
    LLVMPositionBuilderAtEnd(n->b, join);
    choose(n, p, PANEL_ROWS, &array, here, &panel, pack);
}

/* Reading ------------------------------------------------------------------------------------------------------------
 */

static int index_in(const SimdEmit *e, const SimdValue *load) {
    const NestPanel *p = e->panel;
    for (int i = 0; p && i < p->n; i++)
        if (&e->g->values.at[p->of[i].value] == load) return i;
    return -1;
}

/* The address of a vector, or of a row's element, in the round at hand; NULL: it is not packed. */
LLVMValueRef nest_in_panel(SimdEmit *e, const SimdValue *load, int row, int vector) {
    int i = index_in(e, load);
    if (i < 0) return NULL;
    const NestPanel *p = e->panel;
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(load->v));
    bool is_row = p->of[i].kind == PANEL_ROWS;
    LLVMValueRef round = LLVMBuildSub(e->b, simd_scalar(e, p->c.counter, row, vector), p->c.lo, ""),
                 by = LLVMBuildMul(e->b, round, p->of[i].step, ""), at = p->of[i].base;
    if (is_row) {
        LLVMValueRef below = LLVMBuildMul(e->b, LLVMBuildSub(e->b, e->y, p->y, ""), p->of[i].by_row, "");
        at = LLVMBuildGEP2(e->b, e->cg->i8, at, &below, 1, "");
    }
    LLVMValueRef beside = cg_i64(e->cg, (is_row ? row : vector * e->shape.width) * bytes);
    at = LLVMBuildGEP2(e->b, e->cg->i8, at, &by, 1, "");
    return LLVMBuildGEP2(e->b, e->cg->i8, at, &beside, 1, "");
}
