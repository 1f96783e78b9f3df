/* trim.c -- guards of both counters (guards.c) become bounds of rows. Of
 *
 *     over i in n, j in n { if j <= i { ... } }
 *
 * a row of blocks begins and ends where its items do: there is no vector, under a mask that has none, for places
 * outside. Of several rows in a block the first and the last one have the least and the most items, as bounds change
 * evenly from row to row. The guards stay in the items, for those at edges: so all rows of a block have the same
 * bounds, as blocks need them, and those of a panel (pack.c) do not change. */
#include "irgen/simd/guards.h"
#include "irgen/simd/nest.h"

void simd_find_row_guards(Cg *cg, SimdRegion *g) {
    Guards *of = arena_new(g->arena, Guards);
    *of = (Guards){.cg = cg, .g = g, .b = cg->b, .of_rows = true};
    if (g->y && simd_allows(g, TRIM)) guards_find(of);
    g->row_guards = of->n ? of : NULL;
}

static Bounds bounds_of_row(const Guards *of, LLVMValueRef y) {
    SimdRegion *g = of->g;
    Bounds r = {.lo = g->x_lo, .hi = guards_most(of, g->x_lo, g->x_hi)};
    for (int i = 0; i < of->n; i++) {
        const Guard *guard = &of->at[i];
        LLVMValueRef c = guard_rest(of, guard, y);
        if (guard->holds == BELOW) guard_below(of, &r, guard->line.x, c);
        else guard_equal(of, &r, true, guard->line.x > 0 ? LLVMBuildNeg(of->b, c, "") : c);
    }
    return r;
}

void nest_trim(SimdRegion *g, LLVMValueRef y, LLVMValueRef last) {
    const Guards *of = g->row_guards;
    if (!of) return;
    Bounds r = bounds_of_row(of, y), other = last ? bounds_of_row(of, last) : r;
    if (last) { /* a row that has no items has no bounds to say */
        r.lo = guards_least(of, r.lo, other.lo);
        r.hi = guards_most(of, r.hi, other.hi);
    }
    g->x_lo = r.lo;
    g->x_hi = r.hi;
}
