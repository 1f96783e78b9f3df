/* gaps.c -- interleaved stores with gaps: some fields of a struct, or every other number, of an item are written and
 * those between are not, so whole vectors have elements that no lane writes. On machines with mask registers these are
 * stored under a mask that is constant. Elsewhere the vector is loaded, blended and stored, which writes back what lies
 * between.
 *
 * Writing it back is legal if nobody writes these elements while the kernel runs: the array has one name in the
 * function (noalias), all stores to it in the whole function are the parts, each item's places lie a multiple of the
 * step from every other item's, and the vectors end with the last item's last part. */
#include "irgen/simd/emit.h"

enum { MANY = 1 << 20 };

/* Stores through a pointer, or addresses made from it; MANY: something else may happen to it. */
static int n_stores(LLVMValueRef pointer) {
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && n < MANY; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user)) n += LLVMGetOperand(user, 0) == pointer ? n_stores(user) : MANY;
        else if (LLVMIsAStoreInst(user)) n += LLVMGetOperand(user, 1) == pointer ? 1 : MANY;
        else if (!LLVMIsALoadInst(user)) n += MANY;
    }
    return n < MANY ? n : MANY;
}

void simd_count_stores(SimdRegion *g) {
    g->n_stores = value_map_new(g->arena, 8);
    for (LLVMValueRef v = LLVMGetFirstParam(g->fn); v; v = LLVMGetNextParam(v))
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && simd_is_param(v, "noalias"))
            value_map_put(g->n_stores, v, n_stores(v));
}

static bool is_once_each(const SimdParts *p) {
    for (int i = 0; i < p->place.n; i++)
        for (int k = 0; k < i; k++)
            if (p->place.at[k] == p->place.at[i]) return false;
    return true;
}

/* Fewer parts are written faster by themselves. */
bool simd_bridges_gaps(const SimdRegion *g, const SimdParts *p) {
    enum { AS_MANY = 3 };
    if (!simd_allows(g, GAPS) || p->of.n < 2 || p->of.n * AS_MANY < p->step || !is_once_each(p)) return false;
    if (g->mask_registers) return true;
    LLVMValueRef object = simd_object(LLVMGetOperand(g->values.at[p->of.at[0]].v, 1));
    return p->is_grid && g->n_stores && value_map_get(g->n_stores, object) == p->of.n;
}

/* For each lane of the vector that begins with this element: which part, and which item's; -1: none. */
static void find_lanes(const SimdEmit *e, const SimdParts *p, int element, int *of, int *item) {
    for (int l = 0; l < e->shape.width; l++) {
        int at = (element + l) % p->step;
        of[l] = -1;
        item[l] = (element + l) / p->step;
        for (int i = 0; i < p->of.n; i++)
            if (p->place.at[i] - p->lo == at) of[l] = i;
    }
}

/* Lanes with a part whose item is live. mask NULL: all are */
static LLVMValueRef mask_of_lanes(SimdEmit *e, const int *of, const int *item, LLVMValueRef *mask) {
    LLVMTypeRef t = simd_type(e, e->cg->i1);
    LLVMValueRef live = mask ? *mask : LLVMConstAllOnes(t);
    LLVMValueRef *from = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int l = 0; l < e->shape.width; l++) from[l] = cg_i32(e->cg, of[l] < 0 ? e->shape.width : item[l]);
    return LLVMBuildShuffleVector(e->b, live, LLVMConstNull(t), LLVMConstVector(from, (unsigned)e->shape.width), "");
}

/* What lies there, without what is said of the parts' type: fields of other types are between them. */
static LLVMValueRef load_between(SimdEmit *e, LLVMTypeRef t, LLVMValueRef at, int64_t bytes) {
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, at, "");
    LLVMSetAlignment(v, (unsigned)bytes);
    return v;
}

static void store_blended(SimdEmit *e, LLVMValueRef v, LLVMValueRef old, LLVMValueRef lanes, LLVMValueRef at,
                          int64_t bytes) {
    LLVMSetAlignment(LLVMBuildStore(e->b, LLVMBuildSelect(e->b, lanes, v, old, ""), at), (unsigned)bytes);
}

/* first: the address of the first item's lowest part. The last vector overlaps the one before it, so all are loaded
 * before one is stored: a load waits for a store of a part of it. */
void simd_store_gaps(SimdEmit *e, const SimdValue *store, LLVMValueRef first, int row, int vector,
                     LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    int width = e->shape.width, total = (width - 1) * p->step + (int)(p->hi - p->lo) + 1;
    int n = (total + width - 1) / width, *of = arena_array(e->g->arena, int, 2 * width), *item = of + width;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(store->v, 0));
    int64_t bytes = simd_bytes(e->g, t);
    LLVMValueRef *parts = arena_array(e->g->arena, LLVMValueRef, p->of.n + 2 * n), *at = parts + p->of.n, *old = at + n;
    for (int i = 0; i < p->of.n; i++)
        parts[i] = simd_vector(e, LLVMGetOperand(e->g->values.at[p->of.at[i]].v, 0), row, vector);
    for (int k = 0; k < n; k++) {
        LLVMValueRef by = cg_i64(e->cg, (k == n - 1 ? total - width : k * width) * bytes);
        at[k] = LLVMBuildGEP2(e->b, e->cg->i8, first, &by, 1, "");
        if (!e->target->mask_registers) old[k] = load_between(e, simd_type(e, t), at[k], bytes);
    }
    for (int k = 0; k < n; k++) {
        find_lanes(e, p, k == n - 1 ? total - width : k * width, of, item);
        LLVMValueRef lanes = mask_of_lanes(e, of, item, mask), v = simd_gathered(e, parts, p->of.n, of, item);
        if (e->target->mask_registers) simd_store_elements(e, store->v, (unsigned)bytes, v, at[k], &lanes);
        else store_blended(e, v, old[k], lanes, at[k], bytes);
    }
}
