/* plan.c -- how a nest of loops over items is vectorised, decided before any code is written (NestPlan). What the
 * decisions rest on are the rates of values, the cost model (shape.c) and which stores may be non-temporal (stream.c).
 */
#include "irgen/simd/nest.h"

/* Facts ------------------------------------------------------------------------------------------------------------ */

bool nest_has_constant_rows(const SimdRegion *g) { return LLVMIsAConstantInt(g->x_lo) && LLVMIsAConstantInt(g->x_hi); }

static bool walks_far(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!LLVMIsALoadInst(value->v) || g->blocks.at[value->block].leaves) continue;
        if (simd_is_beside(g, value) && simd_walks_far(g, value)) return true;
    }
    return false;
}

bool nest_is_row_store(const SimdRegion *g, const SimdValue *value, bool settled) {
    if (!LLVMIsAStoreInst(value->v) || g->blocks.at[value->block].leaves || value->private_of >= 0) return false;
    bool is_made = settled || !simd_is_masked(g, value->block);
    return is_made && simd_is_beside(g, value) && LLVMIsAArgument(simd_object(simd_address(value->v)));
}

int64_t nest_vector_bytes(const SimdRegion *g, SimdShape shape, LLVMValueRef store) {
    return simd_bytes(g, LLVMTypeOf(LLVMGetOperand(store, 0))) * shape.width;
}

/* Many rows of unknown length whose items do little: the ends of a row are much of its time, and worth code of their
 * own. */
static bool ends_matter(const SimdRegion *g) {
    enum { FEW_VALUES = 64 };
    return g->y && !g->loops.n && !nest_has_constant_rows(g) && g->values.n <= FEW_VALUES;
}

/* Short rows in a group's memory whose addresses are all constants: store forwarding (forward.c) needs them unrolled.
 */
static bool is_unrolled(Cg *cg, const SimdRegion *g, LLVMValueRef latch, int width) {
    enum { MOST_VECTORS = 128 };
    int64_t trips = simd_trips(g->x_lo, g->x_hi);
    return cg_allows(cg, FORWARD) && LLVMGetMetadata(latch, cg->md_counted) && trips > 0 &&
           trips <= MOST_VECTORS * width && simd_has_known_places(g);
}

/* Rows ------------------------------------------------------------------------------------------------------------- */

/* What each item of a reduction returns goes to a small array, whose lines are in the first cache. */
static bool is_item_result(LLVMValueRef store) {
    return simd_is_param(simd_object(LLVMGetOperand(store, 1)), "writeonly");
}

/* Peeling: rows begin where the first of these stores is aligned, since stores that lie across two cache lines cost
 * twice. Only where there is little else to do, or where loops walk down the columns of an array: other arrays are
 * mostly aligned alike, and each iteration would read one line more. */
static LLVMValueRef store_to_align(const SimdRegion *g, EdgeSplit split) {
    if (!simd_allows(g, PEEL) || g->aligned || g->tile || nest_has_constant_rows(g)) return NULL;
    if (g->loops.n && !walks_far(g)) return NULL;
    for (int i = 0; i < g->values.n; i++)
        if (nest_is_row_store(g, &g->values.at[i], split == SPLIT_ROWS) && !is_item_result(g->values.at[i].v))
            return simd_is_placed(g, LLVMGetOperand(g->values.at[i].v, 1)) ? g->values.at[i].v : NULL;
    return NULL;
}

static LLVMValueRef is_streamed(const NestContext *n, SimdShape shape, LLVMValueRef store) {
    return simd_is_streamed(n->streams, store, nest_vector_bytes(n->g, shape, store));
}

/* Non-temporal stores need lines of memory that are written as a whole. Of rows of a constant length, mostly those of a
 * tile, each block is tested; else rows begin aligned, and each is tested, or, where rows are aligned by the only such
 * store and their tails may overlap, the nest is written for either answer. */
static RowStream stream_of(const NestContext *n, const NestVersion *v) {
    const SimdRegion *g = n->g;
    int n_streamed = 0;
    bool is_alone = v->align && is_streamed(n, v->shape, v->align);
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef store = g->values.at[i].v;
        bool may = nest_is_row_store(g, &g->values.at[i], v->split) && is_streamed(n, v->shape, store);
        if (!may) continue;
        n_streamed++;
        if (store != v->align && nest_is_row_store(g, &g->values.at[i], false)) is_alone = false;
    }
    if (!n_streamed) return STREAM_NONE;
    if (nest_has_constant_rows(g)) return STREAM_BLOCK;
    if (is_alone && v->idempotent && v->shape.rows == 1) return STREAM_NEST;
    return v->align && v->shape.rows == 1 ? STREAM_ROW : STREAM_NONE;
}

/* Items update rows in place, in many rows: a load that overlaps a store under a mask, as the first of a row does the
 * last store of the row before, cannot be forwarded, and waits until the store is in the cache. */
static bool rows_wait_for_masks(const NestContext *n) {
    enum { FEW_VALUES = 32 };
    const SimdRegion *g = n->g;
    if (!g->y || g->loops.n || nest_has_constant_rows(g) || g->values.n > FEW_VALUES || simd_has_totals(g))
        return false;
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef store = g->values.at[i].v;
        if (!nest_is_row_store(g, &g->values.at[i], false)) continue;
        for (int k = 0; k < g->values.n; k++) {
            const SimdValue *load = &g->values.at[k];
            if (!LLVMIsALoadInst(load->v) || load->private_of >= 0 || g->blocks.at[load->block].leaves) continue;
            if (simd_is_beside(g, load) && simd_may_meet(load->v, store)) return true;
        }
    }
    return false;
}

static RowTail tail_of(const NestContext *n, const NestVersion *v) {
    int64_t trips = simd_trips(n->g->x_lo, n->g->x_hi);
    if (v->unrolled || (trips > 0 && trips % (v->shape.vectors * v->shape.width) == 0)) return TAIL_NONE;
    if (v->idempotent && !n->target->mask_registers) return TAIL_OVERLAPPED;
    return rows_wait_for_masks(n) ? TAIL_HALVED : TAIL_MASKED;
}

/* Legal: items have no order. */
bool nest_may_have_bands(const NestContext *n, const NestVersion *v) {
    bool plain = !v->split && !v->unrolled && v->start != START_MULTIPLE && v->stream == STREAM_NONE;
    return plain && v->shape.rows > 1 && !n->g->loops.n && !simd_trips(n->g->y_lo, n->g->y_hi);
}

/* Strip-mining of the rows where the part of a column that a block reads or writes is less than a line: the next row of
 * blocks would need the other part, and in columns of power-of-two rows, whose lines share few sets of the caches,
 * finds it evicted. By as many blocks as have two lines, which memory mostly moves together; blocks that have a line
 * gain nothing. */
static int band_of(const NestContext *n, const NestVersion *v) {
    enum { LINES = 2 };
    int64_t band = 1;
    for (int i = 0; i < n->g->values.n && nest_may_have_bands(n, v); i++) {
        const SimdValue *access = &n->g->values.at[i];
        if (n->g->blocks.at[access->block].leaves || !simd_turns_columns(n->g, v->shape, access)) continue;
        int64_t bytes = v->shape.rows * simd_bytes(n->g, simd_element(access->v));
        if (bytes < SIMD_LINE && LINES * SIMD_LINE / bytes > band) band = LINES * SIMD_LINE / bytes;
    }
    return (int)band;
}

static void plan_rows(const NestContext *n, NestVersion *v) {
    bool ends_at_multiple = simd_known_end(n->g, v->shape.width);
    v->align = store_to_align(n->g, v->split);
    v->start = v->align ? START_ALIGNED : ends_at_multiple ? START_MULTIPLE : START_FIRST;
    if (v->split == SPLIT_ROWS && v->start == START_MULTIPLE) v->split = SPLIT_BLOCKS;
    v->stream = stream_of(n, v);
    v->tail = tail_of(n, v);
    v->band = band_of(n, v);
}

/* Versions --------------------------------------------------------------------------------------------------------- */

/* Of blocks that begin at a multiple of their size, a power of two; width 0: that would show nothing new. */
static SimdShape shape_if_aligned(SimdRegion *g, const SimdTarget *t) {
    SimdShape s = {0};
    int apart = simd_n_apart(g);
    if (!apart || !simd_allows(g, ALIGNED) || !simd_find_aligned(g)) return s;
    g->aligned = true;
    s = simd_shape(g, t);
    while (s.vectors & (s.vectors - 1)) s.vectors--;
    if (s.width == 1 || simd_n_apart(g) >= apart) s = (SimdShape){0};
    g->aligned = false;
    simd_shape(g, t); /* the rates of the other version */
    return s;
}

void nest_select(NestContext *n, const NestVersion *v) {
    bool aligned = v->launches == LAUNCHES_ALIGNED;
    if (n->g->aligned == aligned) return;
    n->g->aligned = aligned;
    simd_shape(n->g, n->target);
}

static void add(NestContext *n, NestPlan *plan, NestVersion v) {
    nest_select(n, &v);
    nest_force(n, plan->n, &v); /* what depends on the shape is decided for the forced one */
    plan_rows(n, &v);
    nest_force(n, plan->n, &v);
    plan->at[plan->n++] = v;
}

/* Up to how many items rows are short: those of half a vector, where items have no loops that a vector with few lanes
 * would run through once for all of these; those of a block, if all of it would lie at edges and take longer than its
 * items. */
static int short_rows(const NestContext *n, SimdShape shape, EdgeSplit split) {
    if (!simd_allows(n->g, SHORT_ROWS) || n->g->tile || nest_has_constant_rows(n->g)) return 0;
    if (split == SPLIT_BLOCKS && !n->g->always && simd_loses_at_edges(n->g, n->target, shape.width))
        return shape.vectors * shape.width;
    return ends_matter(n->g) ? shape.width / 2 : 0;
}

/* simd_note_scalar tells what takes so long. */
static const char *slower_than_scalar(const NestContext *n) {
    return arena_printf(&n->cg->c->arena, "its vector code is estimated to take %.1f times as long as its scalar code",
                        n->g->slower);
}

bool nest_plan(NestContext *n, LLVMValueRef latch, SimdShape shape, NestPlan *plan) {
    SimdRegion *g = n->g;
    *plan = (NestPlan){0};
    SimdShape aligned = shape_if_aligned(g, n->target);
    if (shape.width == 1 && !aligned.width) { /* nor does LLVM's vectoriser do better, which takes gathers for cheap */
        simd_keep_scalar(n->cg, latch);
        return simd_refuse(g, slower_than_scalar(n), NULL);
    }
    plan->rest_is_scalar = shape.width == 1;
    bool unrolled = is_unrolled(n->cg, g, latch, shape.width);
    EdgeSplit split = !simd_find_ends(g) ? SPLIT_NONE : simd_has_interior(g) && !unrolled ? SPLIT_ROWS : SPLIT_BLOCKS;
    bool idempotent = simd_allows(g, OVERLAP) && ends_matter(g) && simd_is_idempotent(g);
    plan->short_rows = plan->rest_is_scalar ? 0 : short_rows(n, shape, split);
    if (unrolled) shape = (SimdShape){1, 1, shape.width};
    if (aligned.vectors > 1) add(n, plan, (NestVersion){.launches = LAUNCHES_ALIGNED, .shape = aligned});
    aligned.vectors = 1; /* the smaller the block, the more masks leave it whole */
    if (aligned.width) add(n, plan, (NestVersion){.launches = LAUNCHES_ALIGNED, .shape = aligned});
    if (plan->rest_is_scalar) return true;
    if (split && !plan->n && simd_has_periods(g)) { /* little code: few kernels come here */
        SimdShape one = {1, 1, shape.width};
        add(n, plan, (NestVersion){.launches = LAUNCHES_SHORT_PERIODS, .shape = one});
    }
    add(n, plan, (NestVersion){.shape = shape, .split = split, .unrolled = unrolled, .idempotent = idempotent});
    return true;
}
