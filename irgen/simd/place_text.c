/* place_text.c -- the pass print-places: every load and store of a nest gets its place (place.c) and how that changes
 * from item to item (rates.c) as metadata, to be read with --run-pass=print-places. It runs for that only. */
#include "irgen/simd/simd.h"

#include <string.h>

static const char *text_of_value(Arena *a, LLVMValueRef v) {
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);
    if (n) return arena_printf(a, "%%%s", name);
    char *text = LLVMPrintValueToString(v);
    const char *copy = arena_printf(a, "(%s)", text + strspn(text, " "));
    LLVMDisposeMessage(text);
    return copy;
}

static const char *text_of_place(const SimdRegion *g, LLVMValueRef pointer) {
    Form f = simd_place(g, pointer, AS_BITS);
    const char *text = "";
    for (int i = 0; i < f.n; i++) {
        bool is_signed;
        const char *atom = text_of_value(g->arena, simd_atom(g, f.at[i].atom, &is_signed));
        const char *factor = f.at[i].k == 1 ? "" : arena_printf(g->arena, "%lld * ", (long long)f.at[i].k);
        text = arena_printf(g->arena, "%s%s%s%s%s", text, i ? " + " : "", factor, is_signed ? "" : "unsigned ", atom);
    }
    return f.c ? arena_printf(g->arena, "%s + %lld", text, (long long)f.c) : text;
}

static const char *text_of_rate(const SimdRegion *g, const SimdValue *access) {
    LaneRate at = simd_address_rate(g, access);
    const char *rows = at.y ? ", differs between rows" : "";
    if (simd_is_beside(g, access)) return arena_printf(g->arena, "contiguous%s", rows);
    if (at.x == LANE_LINEAR) return arena_printf(g->arena, "stride %lld%s", (long long)at.stride, rows);
    return arena_printf(g->arena, "%s%s", at.x == LANE_UNIFORM ? "uniform" : "varying", rows);
}

void simd_note_places(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "kdsl.place", 10);
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return;
    simd_privates(&g);
    simd_find_slices(&g);
    simd_rates(&g, g.y != NULL);
    for (int i = 0; i < g.values.n; i++) {
        const SimdValue *access = &g.values.at[i];
        if (!simd_is_access(access->v)) continue;
        LLVMValueRef p = simd_address(access->v);
        const char *text = arena_printf(g.arena, "%s: %s", text_of_place(&g, p), text_of_rate(&g, access));
        LLVMMetadataRef words = LLVMMDStringInContext2(cg->ctx, text, strlen(text));
        LLVMSetMetadata(access->v, kind, LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, &words, 1)));
    }
}
