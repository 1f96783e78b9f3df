/* slice.c -- slices: an array value whose data pointer is the address of its first element. Bounds are evaluated with
 * the other arguments, and the pointer is made afterwards, as for named arrays: a call among the arguments may
 * reallocate the array. At a launch a slice is mapped as a section; the kernel receives the address of its first
 * element, so its indices start at 0 there, too. */
#include "irgen/lang/lang.h"

#include <string.h>

CgBounds cg_slice_bounds(CgFunc *f, Expr *e) {
    CgBounds b = {0};
    for (int d = 0; d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d], *part[3] = {at, NULL, NULL};
        const Range *r = at->kind == EXPR_RANGE ? &at->range.range : NULL;
        if (r) part[0] = r->lo, part[1] = r->hi, part[2] = r->column;
        LLVMValueRef *to[3] = {&b.lo[d], &b.hi[d], &b.column[d]};
        for (int i = 0; i < 3; i++)
            if (part[i]) *to[i] = cg_convert(f, cg_expr(f, part[i]), cg_scalar(f->cg, TY_INDEX)).v;
    }
    return b;
}

static bool is_constant(LLVMValueRef v, uint64_t *value) {
    if (!LLVMIsAConstantInt(v)) return false;
    *value = LLVMConstIntGetZExtValue(v);
    return true;
}

/* 0 <= lo <= hi <= extent: compared without sign, hi <= extent makes both small enough. */
static void check_range(CgFunc *f, const CgArray *a, LLVMValueRef lo, LLVMValueRef hi, int d, Span span,
                        int site) {
    uint64_t l, h, n;
    bool whole = hi == a->ext[d];
    if (is_constant(lo, &l) && l == 0 && whole) return;
    if (is_constant(lo, &l) && is_constant(hi, &h) && is_constant(a->ext[d], &n) && l <= h && h <= n) return;
    LLVMValueRef failed = LLVMBuildICmp(f->b, LLVMIntUGT, lo, hi, "");
    if (!whole) failed = LLVMBuildOr(f->b, failed, LLVMBuildICmp(f->b, LLVMIntUGT, hi, a->ext[d], ""), "");
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "slice", span, d, failed), &ok);
    if (f->error_slot) {
        cg_report(f, site, (CgFailure){.value = lo, .other = hi, .dim = d, .array = a});
        cg_enter(f, ok);
        return;
    }
    LLVMValueRef args[7] = {cg_place_string(f->cg, span), cg_string(f->cg, a->name, strlen(a->name)), lo, hi,
                            cg_i64(f->cg, d), cg_i64(f->cg, a->type->rank), cg_extents_in_memory(f, 0, a)};
    cg_call_runtime(f, RT_FAIL_SLICE, args, 7);
    cg_enter(f, ok);
}

CgArray cg_slice(CgFunc *f, Expr *e, const CgBounds *b) {
    CgArray a = cg_array(f, e->index.base);
    CgArray s = {.data = a.data, .type = e->type, .name = a.name};
    LLVMValueRef offset = NULL;
    cg_debug_at(f, e->span);
    int n = 0;
    for (int d = 0; d < a.type->rank; d++) {
        bool ranged = e->index.at.at[d]->kind == EXPR_RANGE;
        LLVMValueRef lo = b->lo[d] ? b->lo[d] : cg_i64(f->cg, 0), hi = b->hi[d] ? b->hi[d] : a.ext[d];
        int site = e->index.site;
        if (ranged && cg_can_report(f, site)) check_range(f, &a, lo, hi, d, e->index.at.at[d]->span, site);
        if (!ranged) cg_check_index(f, &a, lo, d, e->index.at.at[d]->span, site);
        if (b->column[d]) cg_check_index(f, &a, b->column[d], d, e->index.at.at[d]->span, site);
        if (ranged) s.ext[n++] = b->lo[d] ? LLVMBuildSub(f->b, hi, lo, "ext") : hi;
        if (offset) offset = LLVMBuildMul(f->b, offset, a.ext[d], "");
        if (b->lo[d]) offset = offset ? LLVMBuildAdd(f->b, offset, lo, "") : lo;
    }
    for (int d = 1; e->index.is_flat && d < n; d++) s.ext[0] = LLVMBuildMul(f->b, s.ext[0], s.ext[d], "count");
    if (offset) s.data = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, a.type->elem), a.data, &offset, 1, "slice");
    if (e->index.base->sync != SYNC_NONE) cg_sync_part(f, e->index.base, s.data, cg_array_bytes(f, &s), true);
    return s;
}
