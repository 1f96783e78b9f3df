/* invariant.c -- loop-invariant values: for each value the innermost of the loops around it in which it changes; it
 * changes in all loops around that one, too, and in no other. Arithmetic changes where its operands do, a load also
 * where memory may be written, anything else in the loop that it is in. Found once for a region, in the order of its
 * values, in which operands come first but for phis, which are not arithmetic.
 *
 * Likewise the innermost loop in which a value has to stay: it can be computed before a loop around it that may have no
 * iteration (speculation) if it is arithmetic that cannot fail, of values that can. */
#include "irgen/simd/simd.h"

static bool may_write(LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: case LLVMFence: return true;
    case LLVMCall: return !simd_is_pure_call(v) && !simd_is_remark(v);
    default: return false;
    }
}

static bool may_fail(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* Of two loops around one block, the inner one; END: none. */
static int inner_of(const SimdRegion *g, int a, int b) {
    if (a == END || b == END) return a == END ? b : a;
    return simd_in_loop(g, a, g->loops.at[b].header) ? b : a;
}

static int loop_around(const SimdRegion *g, int loop, int block) {
    while (loop != END && !simd_in_loop(g, loop, block)) loop = g->loops.at[loop].parent;
    return loop;
}

static bool *loops_that_write(const SimdRegion *g) {
    bool *writes = arena_array(g->arena, bool, g->loops.n + 1);
    for (int i = 0; i < g->values.n; i++)
        for (int l = g->blocks.at[g->values.at[i].block].loop; l != END && may_write(g->values.at[i].v);
             l = g->loops.at[l].parent)
            writes[l] = true;
    return writes;
}

static void find(SimdRegion *g, SimdValue *value, const bool *writes) {
    int loop = g->blocks.at[value->block].loop, from = loop;
    bool is_load = LLVMIsALoadInst(value->v) && !simd_is_atomic(value->v) && !LLVMGetVolatile(value->v);
    value->changes_in = value->stays_in = loop;
    if (!is_load && !simd_is_plain(value->v)) return;
    while (from != END && !writes[from]) from = g->loops.at[from].parent;
    value->changes_in = is_load ? from : END;
    value->stays_in = is_load || may_fail(value->v) ? loop : END;
    for (int k = 0; k < LLVMGetNumOperands(value->v); k++) {
        int i = value_map_get(g->value_of, LLVMGetOperand(value->v, (unsigned)k));
        if (i < 0) continue;
        const SimdValue *of = &g->values.at[i];
        value->changes_in = inner_of(g, value->changes_in, loop_around(g, of->changes_in, value->block));
        value->stays_in = inner_of(g, value->stays_in, loop_around(g, of->stays_in, value->block));
    }
}

void simd_find_invariants(SimdRegion *g) {
    const bool *writes = loops_that_write(g);
    for (int i = 0; i < g->values.n; i++) find(g, &g->values.at[i], writes);
}

static bool is_within(const SimdRegion *g, int loop, int inner) {
    return inner != END && simd_in_loop(g, loop, g->loops.at[inner].header);
}

bool simd_is_invariant(const SimdRegion *g, int loop, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    return i < 0 || !simd_in_loop(g, loop, g->values.at[i].block) || !is_within(g, loop, g->values.at[i].changes_in);
}

bool simd_may_hoist(const SimdRegion *g, int loop, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    return i < 0 || !simd_in_loop(g, loop, g->values.at[i].block) || !is_within(g, loop, g->values.at[i].stays_in);
}
