/* row_copies.c -- copies of rows for an item (sema/analysis/row_copies.h), made before the loop that reads them. Their
 * loop is one along rows, of which the vectoriser reads whole vectors and transposes them (simd/interleave.c). An
 * access is checked as before; then it reads the copy. */
#include "sema/analysis/row_copies.h"
#include "irgen/cpu/cpu.h"

typedef struct Rows {
    CgRows rows; /* first: f->rows points to it */
    RowCopies found;
    LLVMValueRef *at; /* of each copy, in the frame */
} Rows;

static LLVMTypeRef elem_type(CgFunc *f, const RowCopy *c) { return cg_type_mem(f->cg, c->array->type->elem); }

static LLVMValueRef element_of(CgFunc *f, LLVMTypeRef t, LLVMValueRef from, LLVMValueRef i) {
    return LLVMBuildInBoundsGEP2(f->b, t, from, &i, 1, "");
}

/* The first element of the item's row. */
static LLVMValueRef row_begin(CgFunc *f, const RowCopy *c) {
    const CgArray *a = &f->slots[c->array->id].array;
    LLVMValueRef at = cg_i64(f->cg, 0);
    for (int d = 0; d < a->type->rank; d++) {
        at = LLVMBuildNSWMul(f->b, at, a->ext[d], "");
        if (d >= c->lead) continue;
        LLVMValueRef index = cg_index_value(f, cg_expr(f, c->access->index.at.at[d]));
        at = LLVMBuildNSWAdd(f->b, at, index, "");
    }
    return element_of(f, elem_type(f, c), a->data, at);
}

static void before_loop(CgFunc *f, const Stmt *loop) {
    const Rows *r = (const Rows *)f->rows;
    for (int i = 0; i < r->found.copies.n; i++) {
        const RowCopy *c = &r->found.copies.at[i];
        if (c->loop != loop) continue;
        LLVMTypeRef t = elem_type(f, c);
        LLVMValueRef from = row_begin(f, c);
        r->at[i] = cg_alloca(f, LLVMArrayType2(t, (uint64_t)c->n), c->array->name);
        Axis all = cg_axis_upto(f, cg_i64(f->cg, c->n));
        CgLoop l = cg_loop_begin(f, &all);
        LLVMValueRef v = LLVMBuildLoad2(f->b, t, element_of(f, t, from, l.i.v), "");
        LLVMSetAlignment(v, (unsigned)cg_align(c->array->type->elem));
        LLVMBuildStore(f->b, v, element_of(f, t, r->at[i], l.i.v));
        cg_loop_end(f, &l);
    }
}

static LLVMValueRef element(CgFunc *f, const Expr *access, const CgValue *at) {
    const Rows *r = (const Rows *)f->rows;
    for (int i = 0; i < r->found.accesses.n; i++) {
        if (r->found.accesses.at[i].access != access) continue;
        int copy = r->found.accesses.at[i].copy;
        const RowCopy *c = &r->found.copies.at[copy];
        const CgArray *a = &f->slots[c->array->id].array;
        LLVMValueRef sum = at[c->lead].v;
        for (int d = c->lead + 1; d < a->type->rank; d++)
            sum = LLVMBuildNSWAdd(f->b, LLVMBuildNSWMul(f->b, sum, a->ext[d], ""), at[d].v, "");
        return element_of(f, elem_type(f, c), r->at[copy], sum);
    }
    return NULL;
}

/* "`a` and `b`": each array once. */
static const char *names(Arena *arena, const RowCopies *found) {
    const char *text = "";
    for (int i = 0; i < found->copies.n; i++) {
        bool is_new = true;
        for (int k = 0; k < i; k++) is_new &= found->copies.at[k].array != found->copies.at[i].array;
        if (is_new) text = arena_printf(arena, "%s%s`%s`", text, i ? " and of " : "", found->copies.at[i].array->name);
    }
    return text;
}

void cpu_copy_rows(const Kernel *k, CgFunc *f) {
    Arena *arena = &k->cg->c->arena;
    if (!k->cg->vector || !cg_allows(k->cg, COPY_ROWS) || k->cg->shadows) return;
    Rows *r = arena_new(arena, Rows);
    if (!kernel_copies_rows(arena, k->func, &r->found)) return;
    r->rows = (CgRows){before_loop, element};
    r->at = arena_array(arena, LLVMValueRef, r->found.copies.n);
    f->rows = &r->rows;
    LLVMAddTargetDependentFunctionAttr(f->fn, CG_COPIED, names(arena, &r->found));
}
