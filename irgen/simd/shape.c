/* shape.c -- how many items a block has, and whether vector code is worth it. The width is that of the machine's
 * vectors, in elements of the size the kernel computes with. Rows and vectors share what is the same along them and
 * give the machine independent work where one chain of operations would make it wait; registers bound them. The time of
 * a shape is estimated loop by loop (level_cost.c). A kernel stays scalar if one item alone takes less time than its
 * share of the best block. */
#include "irgen/lang/marks.h"
#include "irgen/simd/level_cost.h"

/* Of the elements that items read, write and compute with: numbers of floating point and what lies in memory. */
static int64_t element_bytes(const SimdRegion *g) {
    int64_t widest = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (g->blocks.at[value->block].leaves) continue;
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        LLVMTypeRef t = simd_element(value->v);
        LLVMTypeKind k = LLVMGetTypeKind(t);
        bool is_float = k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
        bool is_memory = (op == LLVMLoad || op == LLVMStore) && k == LLVMIntegerTypeKind;
        bool counts = (op == LLVMStore || value->rate.x == LANE_VARYING) && (is_float || is_memory);
        if (counts && simd_bytes(g, t) > widest) widest = simd_bytes(g, t);
    }
    return widest ? widest : 4;
}

/* Of the integers that items compute with; with other types among them vectors have 32-bit lanes at least. */
static int64_t widest_integer(const SimdRegion *g) {
    int64_t widest = 1;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        LLVMTypeRef t = LLVMTypeOf(value->v);
        LLVMTypeKind k = LLVMGetTypeKind(t);
        if (g->blocks.at[value->block].leaves || value->rate.x != LANE_VARYING || k == LLVMVoidTypeKind) continue;
        if (simd_is_of_partial(g, value->v, 0)) continue; /* it is added up before it is wide */
        if (simd_is_of_table(g, value->v)) continue;
        if (k != LLVMIntegerTypeKind) return 4;
        if (simd_bytes(g, t) > widest) widest = simd_bytes(g, t);
    }
    return widest;
}

int simd_width(const SimdRegion *g, const SimdTarget *t) {
    int64_t bytes = element_bytes(g), across = simd_trips(g->x_lo, g->x_hi),
            widest = bytes < 4 ? widest_integer(g) : bytes;
    if (bytes < 4 && widest > bytes) bytes = widest > 4 ? 4 : widest;
    if (bytes < 4 && across % (t->vector_bits / 8 / bytes)) bytes = 4;
    int width = (int)(t->vector_bits / 8 / bytes);
    while (across > 1 && across <= width / 2) width /= 2; /* lanes that no item has cost as much as the others */
    return width;
}

/* Which shapes there may be ---------------------------------------------------------------------------------------- */

enum { MAX_WRITTEN = 500, MAX_WRITTEN_STRAIGHT = 1000, MOST_STRAIGHT = 4 };

static int written(const SimdRegion *g) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++)
        n += !g->blocks.at[g->values.at[i].block].leaves && g->values.at[i].rate.x == LANE_VARYING;
    return n;
}

static int n_diverging(const SimdRegion *g) {
    int n = 0;
    for (int b = 0; b < g->blocks.n; b++)
        n += g->blocks.at[b].diverges && !simd_is_of_some_rows(g, g->blocks.at[b].loop);
    return n;
}

int64_t simd_trips(LLVMValueRef lo, LLVMValueRef hi) {
    if (!lo || !LLVMIsAConstantInt(lo) || !LLVMIsAConstantInt(hi)) return 0;
    return LLVMConstIntGetSExtValue(hi) - LLVMConstIntGetSExtValue(lo);
}

/* The constant that v is no less than, or no more: of itself, of a maximum or minimum, and of that plus 1. */
static int64_t constant_of(LLVMValueRef v, const char *name, int64_t otherwise) {
    if (LLVMIsAConstantInt(v)) return LLVMConstIntGetSExtValue(v);
    bool is_sum = LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetNSW(v);
    if (is_sum && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && !LLVMIsAInstruction(LLVMGetOperand(v, 1))) {
        int64_t of = constant_of(LLVMGetOperand(v, 0), name, otherwise);
        return of == otherwise ? of : of + LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    }
    bool is_bounded = simd_is_call_of(v, name) && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
    return is_bounded ? LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) : otherwise;
}

int64_t simd_most_trips(const SimdRegion *g) {
    int64_t lo = constant_of(g->x_lo, "llvm.smax.", 0), hi = constant_of(g->x_hi, "llvm.smin.", 0);
    lo = lo > 0 ? lo : 0; /* no counter is negative */
    return hi > lo ? hi - lo : 0;
}

/* Rows that begin anywhere and end at a known place, as those of a group's items from a gap on. 0: other rows */
int64_t simd_known_end(const SimdRegion *g, int width) {
    if (LLVMIsAConstantInt(g->x_lo) || !LLVMIsAConstantInt(g->x_hi)) return 0;
    int64_t end = LLVMConstIntGetSExtValue(g->x_hi);
    return end > 0 && end % width == 0 ? end : 0;
}

static bool is_power_of_two(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/* Elements of all private arrays of an item. */
static int64_t private_elements(const SimdRegion *g) {
    int64_t n = 0;
    for (int i = 0; i < g->privates.n; i++) {
        const SimdPrivate *p = &g->privates.at[i];
        n += simd_bytes(g, LLVMGetAllocatedType(p->alloca_)) / (p->elem_bytes ? p->elem_bytes : 1);
    }
    return n;
}

/* Beside arrays of an item: as those that sort a few elements. */
static bool has_short_loops(const SimdRegion *g) {
    enum { MOST = 16 };
    for (int l = 0; l < g->loops.n; l++)
        if (g->loops.at[l].parent < 0 && (!simd_known_trips(g, l) || simd_known_trips(g, l) > MOST)) return false;
    return g->loops.n && g->privates.n;
}

static bool loads_far(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves && simd_walks_far(g, &g->values.at[i])) return true;
    return false;
}

static bool fits(const SimdRegion *g, const SimdTarget *t, SimdShape s, int n_written) {
    enum { PRIVATE_ROOM = 32 << 10, TEMPORARIES = 2 };
    int n = s.rows * s.vectors;
    bool fills_line = is_power_of_two(s.vectors) && s.vectors * s.width * element_bytes(g) <= SIMD_LINE;
    bool is_square = s.rows == s.width && fills_line && level_takes_columns(g);
    int64_t across = simd_trips(g->x_lo, g->x_hi), down = simd_trips(g->y_lo, g->y_hi);
    bool in_chunks = LLVMGetStringAttributeAtIndex(g->fn, LLVMAttributeFunctionIndex, CG_CHUNKS, sizeof CG_CHUNKS - 1);
    if (in_chunks && CG_CHUNK_ROWS % s.rows && loads_far(g))
        return false; /* the last rows of each chunk would load for themselves what the others share */
    if (n > 1 && n * n_written > (g->loops.n ? MAX_WRITTEN : MAX_WRITTEN_STRAIGHT)) return false;
    if (n > MOST_STRAIGHT && !g->loops.n && !is_square) return false; /* enough not to wait, and to share */
    if (n > 1 && simd_private_bytes(g) * n * s.width > PRIVATE_ROOM) return false;
    int64_t in_registers = private_elements(g) + (has_short_loops(g) ? TEMPORARIES : 0);
    if (n > 1 && in_registers <= t->registers && in_registers * n > t->registers)
        return false; /* LLVM unrolls loops over them, and keeps them there */
    if (g->tile && s.vectors > 1 && g->tile % (s.vectors * s.width)) return false;
    if (!across) across = simd_most_trips(g);
    if (across > 0 && s.vectors > 1 && across % (s.vectors * s.width)) return false;
    int64_t end = simd_known_end(g, s.width), block = s.vectors * s.width;
    if (end > 0 && s.vectors > 1 && (!is_power_of_two(block) || end % block)) return false;
    return !(down > 0 && s.rows > 1 && down % s.rows);
}

static int n_items(SimdShape s) { return s.rows * s.vectors * s.width; }

/* Blocks of several rows go through as many rows of memory more, none of which goes on where it ends: where items have
 * little to do, memory and the ways of the first cache are worth more than a few operations. */
enum { MOST_STREAMS = 8, FEW_CYCLES = 160 };
static const double CROWDED_MARGIN = 0.88, APART_MARGIN = 0.5; /* of rows that share what they read, and of others */
static const double MARGIN = 1.05; /* what an estimate may be wrong by */

/* A block stays in a loop until its last item has left; the iterations that not all of its rows have are one for each
 * row but the first (triangle.c). */
static double n_rounds(const SimdRegion *g, int loop, SimdShape s) {
    return simd_is_of_some_rows(g, loop) ? s.rows - 1 : simd_unevenness(g, loop, n_items(s));
}

/* Of a vector. An update waits for the stores before it (Intel SDM 8.2.5), so that it is not hidden by them. */
static double whole_time(const LevelCost *c, SimdShape s, double time) {
    double all = time + level_live_time(c) + level_locked_together_time(c) / (s.rows * s.vectors);
    double least = level_locked_time(c);
    return all > least ? all : least;
}

/* In blocks inside, or in those at edges (ends.c). */
static bool is_better_alone(SimdRegion *g, const SimdTarget *t, SimdShape s, bool inside) {
    double alone = 0, vector = 0;
    bool settled = g->settled, has_ends = false;
    for (int i = 0; i < g->values.n; i++) has_ends |= g->values.at[i].at_ends != 0;
    if (has_ends) simd_rates_settled(g, inside);
    for (int l = -1; l < g->loops.n; l++) {
        LevelCost c = level_cost(g, t, l, s.width);
        c.hoisted_both = c.hoisted_vectors = 0; /* measured: docs/decisions/cost-model.md */
        alone += level_time_alone(g, t, &c, l, s.width);
        SimdShape as = level_chases(&c) ? (SimdShape){s.rows, 1, s.width} : s;
        double time = level_time(&c, t, as) + level_divergence_time(&c) + level_gather_time(&c);
        vector += whole_time(&c, as, time * n_rounds(g, l, as)) / s.width;
    }
    if (has_ends) simd_rates_settled(g, settled);
    g->slower = vector / alone;
    g->lanes_tried = s.width;
    return alone * MARGIN < vector;
}

bool simd_loses_at_edges(SimdRegion *g, const SimdTarget *t, int width) {
    return is_better_alone(g, t, (SimdShape){1, 1, width}, false);
}

static double time_of(const SimdRegion *g, const LevelCost *levels, int n, const SimdTarget *t, SimdShape s) {
    double time = 0;
    for (int l = 0; l < n; l++) time += whole_time(&levels[l], s, level_time(&levels[l], t, s) * n_rounds(g, l - 1, s));
    return time;
}

/* At the end of a single row, a block of which the last vectors have no items takes as long as a whole one; vectors by
 * themselves take as long as they have items, but wait for each iteration of their loops alone. */
static void compare_tails(SimdRegion *g, const LevelCost *levels, int n, const SimdTarget *t, SimdShape s) {
    double block = time_of(g, levels, n, t, s) * s.vectors;
    double single = time_of(g, levels, n, t, (SimdShape){s.rows, 1, s.width});
    int least = (int)(block / single) + 1;
    g->tail_vectors = g->loops.n && s.rows == 1 && s.vectors > 1 && least < s.vectors ? least : 0;
}

/* Rows of memory that the iterations of its loops go through: then neighbouring rows of items read the same ones. */
static int64_t rows_in_loops(const SimdRegion *g, const SimdValue *access) {
    int64_t rows = 1;
    for (int l = g->blocks.at[access->block].loop; l >= 0; l = g->loops.at[l].parent) {
        int64_t pace = simd_pace(g, simd_address(access->v), l);
        if (pace >= SIMD_LINE || pace <= -SIMD_LINE) rows *= (int64_t)simd_trip_count(g, l);
    }
    return rows;
}

static bool is_row_access(const SimdRegion *g, const SimdValue *value) {
    if (g->blocks.at[value->block].leaves || !simd_is_access(value->v) || value->private_of >= 0) return false;
    return simd_is_beside(g, value) && simd_address_rate(g, value).y;
}

/* Rows of memory that a row of items goes through. shared: neighbouring rows of items read the same one, or some
 * access is not along a row. */
static int n_streams(const SimdRegion *g, bool *shared) {
    enum { MOST = 16 };
    int n = 0;
    *shared = false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!is_row_access(g, value)) {
            bool varies = simd_is_access(value->v) && simd_address_rate(g, value).x != LANE_UNIFORM;
            *shared |= varies && value->private_of < 0 && !g->blocks.at[value->block].leaves;
            continue;
        }
        bool is_new = true;
        for (int k = 0; k < i && is_new; k++) {
            int64_t by;
            const SimdValue *other = &g->values.at[k];
            if (!is_row_access(g, other)) continue;
            bool near = simd_goes_on_by(g, simd_address(other->v), simd_address(value->v), &by) && by < SIMD_LINE &&
                        by > -SIMD_LINE;
            is_new = !near;
            *shared |= !near && LLVMIsALoadInst(value->v) && LLVMIsALoadInst(other->v) &&
                       simd_object(simd_address(other->v)) == simd_object(simd_address(value->v));
        }
        int64_t rows = is_new ? rows_in_loops(g, value) : 0;
        *shared |= rows > 1;
        n += (int)(rows < MOST ? rows : MOST);
    }
    return n;
}

static SimdShape best(SimdRegion *g, const SimdTarget *t, int width, bool rows) {
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
    enum { N_SIZES = sizeof sizes / sizeof *sizes, N_VECTORS = 4, N_VECTORS_DOWN = 6 };
    int n = g->loops.n + 1, n_written = written(g), n_vectors = level_walks_down(g) ? N_VECTORS_DOWN : N_VECTORS;
    LevelCost *levels = arena_array(g->arena, LevelCost, n);
    for (int l = 0; l < n; l++) levels[l] = level_cost(g, t, l - 1, width);
    SimdShape best = {1, 1, width};
    double least = time_of(g, levels, n, t, best), single = least;
    bool shared = true;
    bool has_constant_rows = LLVMIsAConstantInt(g->x_lo) && LLVMIsAConstantInt(g->x_hi); /* tiles, mostly */
    int streams = rows && !has_constant_rows ? n_streams(g, &shared) : 0;
    for (int r = 0; r < (rows ? N_SIZES : 1); r++)
        for (int v = 0; v < n_vectors; v++) {
            SimdShape s = {sizes[r], sizes[v], width};
            bool is_allowed =
                (s.rows == 1 || simd_allows(g, UNROLL_JAM)) && (s.vectors == 1 || simd_allows(g, INTERLEAVE));
            if (!is_allowed || !fits(g, t, s, n_written)) continue;
            double time = time_of(g, levels, n, t, s);
            double margin = !shared ? APART_MARGIN : streams * s.rows > MOST_STREAMS ? CROWDED_MARGIN : 1;
            bool is_less = time <= least * 0.97; /* else it is more code for nothing */
            if (s.rows > 1 && single < FEW_CYCLES) is_less &= time <= single * margin;
            if (!is_less) continue;
            least = time;
            best = s;
            if (s.rows == 1) single = time;
        }
    compare_tails(g, levels, n, t, best);
    return !g->always && is_better_alone(g, t, best, true) ? (SimdShape){1, 1, 1} : best;
}

static bool divides_apart(const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (op != LLVMUDiv && op != LLVMURem) return false;
    return value->rate.x == LANE_VARYING && !LLVMIsConstant(LLVMGetOperand(value->v, 1));
}

int simd_n_apart(const SimdRegion *g) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        n += !g->blocks.at[value->block].leaves && divides_apart(value);
        if (g->blocks.at[value->block].leaves || !simd_is_access(value->v)) continue;
        n += simd_address_rate(g, value).x == LANE_VARYING;
    }
    return n;
}

/* Where items inside have accesses that those at edges have not, blocks are made for them, who are most (ends.c). true:
 * it is only at edges that items part. */
static bool rates_inside(SimdRegion *g, bool rows) {
    g->settled = false;
    simd_rates(g, rows);
    int apart = simd_n_apart(g);
    if (!simd_find_ends(g)) return false;
    simd_rates_settled(g, true);
    bool only_at_edges = n_diverging(g) == 0;
    if (simd_n_apart(g) >= apart) simd_rates_settled(g, false);
    return only_at_edges;
}

/* Rows that would part ways where items of one row do not are not worth it, unless only the edges part them. */
SimdShape simd_shape(SimdRegion *g, const SimdTarget *t) {
    rates_inside(g, false);
    int width = simd_width(g, t), diverging = n_diverging(g);
    level_find_costs(g, t, width);
    SimdShape s = {1, 1, 1};
    g->row_vectors = g->y && g->loops.n ? best(g, t, width, false).vectors : 1;
    if (g->y) {
        bool only_at_edges = rates_inside(g, true);
        if (simd_find_triangles(g)) only_at_edges = rates_inside(g, true);
        if (n_diverging(g) == diverging || only_at_edges) s = best(g, t, width, true);
    }
    if (s.rows == 1) {
        simd_forget_triangles(g);
        rates_inside(g, false);
        s = best(g, t, width, false);
    }
    simd_rates_settled(g, false);
    return s;
}
