/* triangle.c -- unroll-and-jam of triangular loops (Carr, Kennedy 1994): where a bound of an item's loop changes from
 * row to row of the nest, as in `for k in i + 1`, the rows of a block share the iterations that all of them have, and
 * with them what these load; a loop before that or after it has the few others, with a mask for each row.
 *
 *     for k in i + 1 { k }   ==>   for k in 0..rows_min(i + 1) { k }   for k in rows_min(i + 1)..i + 1 { k }
 *
 * rows_min is the least value of all rows of the block; where a block has one row, and in scalar code, the value
 * itself, so that nothing is left of the second loop. */
#include "irgen/simd/emit.h"

static const char ROWS_MIN[] = "kdsl.rows.min", ROWS_MAX[] = "kdsl.rows.max", PART[] = "kdsl.of.some.rows";

enum { STEEPEST = 2 }; /* iterations by which neighbouring rows differ */

bool simd_is_of_all_rows(LLVMValueRef v) {
    return LLVMIsACallInst(v) && (simd_is_call_of(v, ROWS_MIN) || simd_is_call_of(v, ROWS_MAX));
}

static LLVMValueRef head_branch(const SimdRegion *g, int loop) {
    return LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[loop].header].bb);
}

static unsigned part_kind(const SimdRegion *g) {
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(g->fn)), PART, sizeof PART - 1);
}

bool simd_is_of_some_rows(const SimdRegion *g, int loop) {
    return loop >= 0 && LLVMGetMetadata(head_branch(g, loop), part_kind(g));
}

/* Which loops ------------------------------------------------------------------------------------------------------ */

/* The same for the items of a row, and so many more in the next row. */
static bool goes_with_rows(const SimdRegion *g, LLVMValueRef v, int block) {
    LaneRate r = simd_rate(g, v, block);
    if (r.x != LANE_UNIFORM || !r.y) return false;
    Form at = simd_place(g, v, AS_SIGNED);
    int64_t by = 0;
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef atom = simd_atom(g, at.at[i].atom, NULL);
        if (atom == g->y) by = at.at[i].k;
        else if (simd_rate(g, atom, block).y) return false;
    }
    return by && by >= -STEEPEST && by <= STEEPEST;
}

static bool is_same_for_rows(const SimdRegion *g, LLVMValueRef v, int block) {
    LaneRate r = simd_rate(g, v, block);
    return r.x == LANE_UNIFORM && !r.y;
}

static bool is_used_behind(const SimdRegion *g, const SimdCounted *c, LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (!simd_is_in_counted(g, c, LLVMGetUser(u))) return true;
    return false;
}

typedef enum Side { NO_SIDE, LOW_SIDE, HIGH_SIDE } Side;

static Side moving_side(const SimdRegion *g, const SimdCounted *c) {
    int block = c->loop->header;
    if (goes_with_rows(g, c->hi, block)) return is_same_for_rows(g, c->lo, block) ? HIGH_SIDE : NO_SIDE;
    bool is_low = goes_with_rows(g, c->lo, block) && is_same_for_rows(g, c->hi, block);
    return is_low && !is_used_behind(g, c, c->counter) ? LOW_SIDE : NO_SIDE;
}

bool simd_find_triangles(SimdRegion *g) {
    bool any = false;
    for (int l = 0; l < g->loops.n; l++) {
        SimdCounted c;
        bool may_be = simd_allows(g, TRIANGLES) && !simd_is_of_some_rows(g, l) && simd_find_counted(g, l, &c) &&
                      simd_may_have_front(&c);
        g->loops.at[l].triangle = may_be && moving_side(g, &c) != NO_SIDE ? c.counter : NULL;
        any |= g->loops.at[l].triangle != NULL;
    }
    return any;
}

void simd_forget_triangles(SimdRegion *g) {
    for (int l = 0; l < g->loops.n; l++) g->loops.at[l].triangle = NULL;
}

/* Two loops of one ------------------------------------------------------------------------------------------------- */

static LLVMValueRef of_all_rows(Cg *cg, LLVMValueRef v, const char *name) {
    LLVMTypeRef t = LLVMFunctionType(cg->i64, &cg->i64, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, name);
    if (!fn) {
        fn = LLVMAddFunction(cg->module, name, t);
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(cg, "memory", 0));
        cg_fn_attr(cg, fn, "nounwind");
        cg_fn_attr(cg, fn, "willreturn");
        cg_fn_attr(cg, fn, "speculatable");
    }
    return LLVMBuildCall2(cg->b, t, fn, &v, 1, "");
}

static void note_part(SimdRegion *g, LLVMBasicBlockRef head) {
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(g->fn));
    LLVMValueRef note = LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, NULL, 0));
    LLVMSetMetadata(LLVMGetBasicBlockTerminator(head), part_kind(g), note);
}

static void write_triangle(Cg *cg, SimdRegion *g, const SimdCounted *c) {
    LLVMBuilderRef b = cg->b;
    Side side = moving_side(g, c);
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(c->before);
    LLVMPositionBuilderBefore(b, enter);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(c->head)));
    LLVMValueRef hi = c->includes_hi ? LLVMBuildNSWAdd(b, c->hi, cg_i64(cg, 1), "") : c->hi;
    if (side == HIGH_SIDE) {
        simd_write_front(cg, g, c, of_all_rows(cg, hi, ROWS_MIN), 1);
        note_part(g, c->head);
        return;
    }
    LLVMValueRef start = of_all_rows(cg, c->lo, ROWS_MAX);
    LLVMValueRef end = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, start, hi, ""), start, hi, "");
    SimdFront front = simd_write_front(cg, g, c, end, 1);
    note_part(g, front.head);
    for (unsigned i = 0; i < LLVMCountIncoming(front.counter); i++)
        if (LLVMGetIncomingBlock(front.counter, i) == front.exit) LLVMSetOperand(front.counter, i, start);
}

bool simd_write_triangles(Cg *cg, SimdRegion *g) {
    for (int l = 0; l < g->loops.n; l++) {
        SimdCounted c;
        if (!g->loops.at[l].triangle || !simd_find_counted(g, l, &c)) continue;
        write_triangle(cg, g, &c);
        return true;
    }
    return false;
}

/* The rows' values differ by the same from row to row: one of the outermost is the least. */
LLVMValueRef simd_of_all_rows(SimdEmit *e, LLVMValueRef call) {
    LLVMValueRef v = LLVMGetOperand(call, 0), first = simd_scalar(e, v, 0, 0);
    if (e->shape.rows == 1) return first;
    LLVMValueRef args[2] = {first, simd_scalar(e, v, e->shape.rows - 1, 0)};
    LLVMTypeRef t = LLVMTypeOf(first);
    return simd_intrinsic(e, simd_is_call_of(call, ROWS_MIN) ? "llvm.smin" : "llvm.smax", &t, 1, args, 2);
}

/* In what has stayed scalar, each row is by itself. */
void simd_drop_of_all_rows(Cg *cg) {
    simd_drop_calls(cg, ROWS_MIN);
    simd_drop_calls(cg, ROWS_MAX);
}
