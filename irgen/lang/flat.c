/* flat.c -- delinearisation: quotients and remainders of a domain variable p that runs in rows of w
 * (sema/analysis/flat.h). Each dividend has the form `a w + b` with 0 <= b < w, where b is the position of the item in
 * its row, and `a` is the same for the whole row: for p it is the number of the row, and for `x % (h w)`, where x is
 * `a w + b`, it is `a % h`. So
 *
 *   x / w = a     x % w = b     x / (h w) = a / h     x % (h w) = (a % h) w + b
 *
 * The arithmetic is exact, because neither p nor a factor is negative and no product of factors overflows. */
#include "sema/analysis/flat.h"

#include "irgen/lang/lang.h"

static LLVMValueRef factor(CgFunc *f, const Symbol *s) {
    CgValue v = s->kind == SYM_LOCAL ? cg_expr(f, s->init) : cg_value(f->slots[s->id].value, s->type);
    return cg_index_value(f, v);
}

static LLVMValueRef product(CgFunc *f, const Factors *of) {
    LLVMValueRef v = cg_i64(f->cg, of->k);
    for (int i = 0; i < of->n; i++) v = LLVMBuildMul(f->b, v, factor(f, of->at[i]), "");
    return v;
}

LLVMValueRef cg_flat_length(CgFunc *f, const FlatAxis *axis) { return product(f, &axis->row); }

static LLVMValueRef both(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAnd(f->b, a, b, ""); }

/* All factors are positive, and the product is one of the integers. */
static LLVMValueRef is_exact(CgFunc *f, const Factors *of) {
    Cg *cg = f->cg;
    LLVMValueRef v = cg_i64(cg, of->k), ok = LLVMConstInt(cg->i1, 1, false);
    for (int i = 0; i < of->n; i++) {
        LLVMValueRef args[2] = {v, factor(f, of->at[i])};
        LLVMValueRef next = cg_intrinsic(f, "llvm.smul.with.overflow", &cg->i64, 1, args, 2);
        v = LLVMBuildExtractValue(f->b, next, 0, "");
        ok = both(f, ok, LLVMBuildICmp(f->b, LLVMIntSGT, args[1], cg_i64(cg, 0), ""));
        ok = both(f, ok, LLVMBuildNot(f->b, LLVMBuildExtractValue(f->b, next, 1, ""), ""));
    }
    return ok;
}

LLVMValueRef cg_flat_is_legal(CgFunc *f, const FlatAxis *axis) {
    LLVMValueRef least = cg_i64(f->cg, axis->branches ? LEAST_ROW : LEAST_OPEN_ROW), ok = is_exact(f, &axis->row);
    for (int i = 0; i < axis->n_areas; i++) ok = both(f, ok, is_exact(f, &axis->area[i]));
    return both(f, ok, LLVMBuildICmp(f->b, LLVMIntSGE, cg_flat_length(f, axis), least, "rows"));
}

LLVMValueRef cg_flat_index(CgFunc *f, LLVMValueRef row) {
    LLVMValueRef before = LLVMBuildNSWMul(f->b, row, f->flat.length, "");
    LLVMSetNUW(before, true);
    LLVMValueRef v = LLVMBuildNSWAdd(f->b, before, f->flat.at, "");
    LLVMSetNUW(v, true);
    return v;
}

/* `a` of a value that is `a w + b`; NULL: it is another one. */
static LLVMValueRef row_of(CgFunc *f, const Expr *e) {
    Factors rest;
    e = flat_origin(e);
    if (e->kind == EXPR_NAME) return e->name.sym == f->flat.axis->axis ? f->flat.row : NULL;
    Division d;
    if (!flat_division(e, &d) || !d.is_remainder || !flat_divisor(f->flat.axis, &d.by, &rest)) return NULL;
    LLVMValueRef row = row_of(f, d.of);
    return row ? LLVMBuildURem(f->b, row, product(f, &rest), "") : NULL;
}

LLVMValueRef cg_flat_value(CgFunc *f, LLVMValueRef v, const Type *t) {
    LLVMTypeRef type = cg_type(f->cg, t);
    if (type == f->cg->i64) return v;
    v = LLVMBuildTrunc(f->b, v, type, "");
    if (LLVMIsATruncInst(v)) t->is_signed ? LLVMSetNSW(v, true) : LLVMSetNUW(v, true);
    return v;
}

LLVMValueRef cg_flat_division(CgFunc *f, const Expr *e) {
    Factors rest;
    Division d;
    bool is_known = flat_division(e, &d) && flat_divisor(f->flat.axis, &d.by, &rest);
    LLVMValueRef row = is_known ? row_of(f, d.of) : NULL;
    if (!row) return NULL;
    bool remainder = d.is_remainder;
    if (!rest.n && rest.k == 1) return cg_flat_value(f, remainder ? f->flat.at : row, e->type);
    LLVMValueRef by = product(f, &rest);
    if (!remainder) return cg_flat_value(f, LLVMBuildUDiv(f->b, row, by, ""), e->type);
    return cg_flat_value(f, cg_flat_index(f, LLVMBuildURem(f->b, row, by, "")), e->type);
}
