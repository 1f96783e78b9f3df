/* shadow_cell.c -- recorded accesses whose effect on their cell is known without the runtime: what record() in
 * runtime/shadow.c does first, as code of the kernel. These are nearly all accesses of one number in an array that the
 * kernel names: the first one to an element in this launch or phase, one more by the same item, reads of what several
 * items read, and updates of what several items update. The others call the runtime. Where the arrays are, and their
 * cells, is loaded once. */
#include "irgen/lang/lang.h"

#include <stddef.h>

#include "runtime/runtime.h"

struct CgCells {
    LLVMValueRef at, n_bytes, cells; /* KdslShadowCells; NULL: not loaded so far */
};

/* Arrays ------------------------------------------------------------------------------------------------------ */

/* The size of all numbers of a value, of which there are *n; 0: they differ. */
static int64_t unit_of(const Type *t, int64_t *n) {
    int64_t unit = 0, times = 1, all = 0;
    if (t->kind == TY_STRUCT) {
        for (int i = 0; i < t->n_fields; i++) {
            int64_t parts = 0, of_field = unit_of(t->fields[i].type, &parts);
            if (!of_field || (i && of_field != unit)) return 0;
            unit = of_field;
            all += parts;
        }
        *n = all;
        return unit;
    }
    if (t->kind != TY_FIXED && t->kind != TY_VECTOR) {
        *n = 1;
        return type_size_bytes(t);
    }
    for (int d = 0; t->kind == TY_FIXED && d < t->rank; d++) times *= t->extent[d];
    if (t->kind == TY_VECTOR) times = t->width;
    unit = unit_of(t->elem, &all);
    *n = times * all;
    return unit;
}

static LLVMValueRef load(CgFunc *f, LLVMValueRef base, size_t offset, LLVMTypeRef type, const char *name) {
    LLVMValueRef at = cg_i64(f->cg, (int64_t)offset);
    return LLVMBuildLoad2(f->b, type, LLVMBuildInBoundsGEP2(f->b, f->cg->i8, base, &at, 1, ""), name);
}

static struct CgCells *cells_of(CgFunc *f, const Symbol *sym) {
    if (!f->shadow_cells) f->shadow_cells = arena_array(&f->cg->c->arena, struct CgCells, f->func->n_symbols + 1);
    return &f->shadow_cells[sym->id];
}

/* `shared` arrays are known to the runtime from here on, those of the launch where the kernel begins. */
void cg_shadow_cells(CgFunc *f, const Symbol *sym, int number) {
    LLVMValueRef table = load(f, cg_shadow(f), offsetof(KdslShadow, cells), f->cg->ptr, "");
    size_t row = (size_t)number * sizeof(KdslShadowCells);
    struct CgCells *c = cells_of(f, sym);
    c->at = load(f, table, row + offsetof(KdslShadowCells, at), f->cg->i64, "array.at");
    c->n_bytes = load(f, table, row + offsetof(KdslShadowCells, n_bytes), f->cg->i64, "array.bytes");
    c->cells = load(f, table, row + offsetof(KdslShadowCells, cells), f->cg->ptr, "cells");
}

static const struct CgCells *loaded_cells(CgFunc *f, const Symbol *sym) {
    struct CgCells *c = cells_of(f, sym);
    if (c->at || sym->is_shared) return c->at ? c : NULL;
    cg_shadow(f);
    CgHere here = cg_to_entry(f);
    cg_shadow_cells(f, sym, cg_shadow_number(f->cg, f->func, sym));
    cg_back(f, here);
    return c;
}

/* Cells ------------------------------------------------------------------------------------------------------- */

typedef struct Check {
    CgFunc *f;
    CgTouch how;
    LLVMValueRef cell;   /* what is there */
    LLVMValueRef time;   /* a cell of this turn without anything else */
    bool is_shared;
    bool needs_value;    /* what has no value is reported */
} Check;

static LLVMValueRef word(const Check *a, uint64_t v) { return LLVMConstInt(a->f->cg->i64, v, false); }

static LLVMValueRef without(const Check *a, uint64_t bits) {
    return LLVMBuildAnd(a->f->b, a->cell, word(a, ~bits), "");
}

static LLVMValueRef at_turn(const Check *a, LLVMValueRef turn) {
    return LLVMBuildShl(a->f->b, turn, word(a, KDSL_CELL_TURN), "");
}

static LLVMValueRef is(const Check *a, LLVMIntPredicate how, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildICmp(a->f->b, how, x, y, "");
}

static const uint64_t sites = ((UINT64_C(1) << KDSL_CELL_SITE_BITS) - 1) << KDSL_CELL_SITE;
static const uint64_t numbers = ((UINT64_C(1) << KDSL_CELL_NUMBER_BITS) - 1) << KDSL_CELL_SITE;
static const uint64_t kinds = (1 << KDSL_CELL_KIND_BITS) - 1;

static LLVMValueRef launch(const Check *a) {
    return load(a->f, cg_shadow(a->f), offsetof(KdslShadow, launch), a->f->cg->i64, "");
}

/* Of an earlier launch, or in `shared` memory of an earlier phase: nothing to compare with. Records are never old. */
static LLVMValueRef is_old(const Check *a) {
    CgFunc *f = a->f;
    LLVMValueRef old = is(a, LLVMIntULT, a->cell, at_turn(a, a->is_shared ? f->shadow_phase : launch(a)));
    if (!a->needs_value || a->how == TOUCH_WRITE) return old;
    if (!a->is_shared) return LLVMConstInt(f->cg->i1, 0, false);
    LLVMValueRef group = load(f, cg_shadow(f), offsetof(KdslShadow, first), f->cg->i64, "");
    LLVMValueRef ours = is(a, LLVMIntUGE, a->cell, at_turn(a, group));
    LLVMValueRef set = is(a, LLVMIntNE, LLVMBuildAnd(f->b, a->cell, word(a, KDSL_CELL_SET), ""), word(a, 0));
    return LLVMBuildAnd(f->b, old, LLVMBuildAnd(f->b, ours, set, ""), "");
}

/* Of those who have accessed the element, only this item matters: it has written it, or done the same. A write comes
 * after whatever the item has done. */
static LLVMValueRef is_mine(const Check *a) {
    uint64_t set = a->needs_value && a->how != TOUCH_WRITE ? KDSL_CELL_SET : 0;
    LLVMValueRef what = without(a, sites | (KDSL_CELL_SET & ~set));
    LLVMValueRef kind = LLVMBuildSub(a->f->b, what, a->time, "");
    uint64_t least = (a->how == TOUCH_UPDATE ? KDSL_CELL_WRITE : KDSL_CELL_READ) + set;
    uint64_t more = a->how == TOUCH_WRITE ? KDSL_CELL_UPDATE - KDSL_CELL_READ : 1; /* kinds that are next to it */
    return is(a, LLVMIntULE, LLVMBuildSub(a->f->b, kind, word(a, least), ""), word(a, more));
}

/* Several items have read it, and all that an access has to be compared with are reads; or updates, of an update. */
static LLVMValueRef is_of_many(const Check *a) {
    uint64_t set = a->needs_value ? KDSL_CELL_SET : 0;
    LLVMValueRef flags = LLVMBuildAnd(a->f->b, a->cell, word(a, kinds | KDSL_CELL_SEVERAL | set), "");
    bool updates = a->how == TOUCH_UPDATE;
    uint64_t kind = updates ? KDSL_CELL_UPDATE : KDSL_CELL_READ;
    LLVMValueRef several = is(a, LLVMIntEQ, flags, word(a, kind | KDSL_CELL_SEVERAL | set));
    if (a->needs_value) { /* the cell may be old */
        LLVMValueRef since = a->is_shared ? a->f->shadow_phase : launch(a);
        several = LLVMBuildAnd(a->f->b, several, is(a, LLVMIntUGE, a->cell, at_turn(a, since)), "");
    }
    if (!a->f->shadow_phase) return several;
    uint64_t record = UINT64_C(1) << KDSL_CELL_IS_RECORD | KDSL_CELL_RECORD | KDSL_CELL_MANY;
    if (updates) record |= KDSL_CELL_UPDATES;
    LLVMValueRef phase = LLVMBuildShl(a->f->b, a->f->shadow_phase, word(a, KDSL_CELL_TURN), "");
    LLVMValueRef many = is(a, LLVMIntEQ, without(a, numbers), LLVMBuildOr(a->f->b, phase, word(a, record), ""));
    return LLVMBuildOr(a->f->b, several, many, "");
}

static LLVMValueRef new_cell(const Check *a, int site) {
    static const uint64_t kind[] = {[TOUCH_READ] = KDSL_CELL_READ, [TOUCH_WRITE] = KDSL_CELL_WRITE,
                                    [TOUCH_UPDATE] = KDSL_CELL_UPDATE};
    uint64_t bits = kind[a->how] | (uint64_t)site << KDSL_CELL_SITE | (a->needs_value ? KDSL_CELL_SET : 0);
    return LLVMBuildOr(a->f->b, a->time, word(a, bits), "");
}

bool cg_touch_cell(CgFunc *f, CgTouch how, const CgPlace *p, CgValue stored) {
    const Symbol *sym = f->cg->program->touches.at[p->touch - 1].array;
    if (!f->shadow_turn || !sym || sym->func != f->func) return false;
    const Type *elem = sym->type->kind == TY_ARRAY ? sym->type->elem : sym->type;
    int64_t n = 0, unit = unit_of(elem, &n);
    if (!unit || unit * n != type_size_bytes(elem) || unit != type_size_bytes(p->type)) return false;
    const struct CgCells *of = loaded_cells(f, sym);
    if (!of) return false;
    Check a = {.f = f, .how = how, .is_shared = sym->is_shared};
    a.needs_value = symbol_is_exposed(sym);
    LLVMBasicBlockRef known = cg_block(f, "cell"), first = cg_block(f, "cell.first"), done = cg_block(f, "recorded");
    LLVMBasicBlockRef other = how == TOUCH_WRITE ? NULL : cg_block(f, "cell.again"), call = cg_block(f, "record");
    LLVMValueRef at = LLVMBuildPtrToInt(f->b, p->at, f->cg->i64, "");
    LLVMValueRef offset = LLVMBuildSub(f->b, at, of->at, "");
    LLVMBuildCondBr(f->b, is(&a, LLVMIntULT, offset, of->n_bytes), known, call);
    cg_enter(f, known);
    LLVMValueRef index = LLVMBuildLShr(f->b, offset, word(&a, (uint64_t)__builtin_ctzll((uint64_t)unit)), "");
    LLVMValueRef cell = LLVMBuildInBoundsGEP2(f->b, f->cg->i64, of->cells, &index, 1, "");
    a.cell = LLVMBuildLoad2(f->b, f->cg->i64, cell, "was");
    cg_tag_cell(f, a.cell);
    a.time = at_turn(&a, f->shadow_turn);
    LLVMValueRef fits = is_old(&a);
    if (how == TOUCH_WRITE) fits = LLVMBuildOr(f->b, fits, is_mine(&a), "");
    LLVMBuildCondBr(f->b, fits, first, other ? other : call);
    cg_enter(f, first);
    cg_tag_cell(f, LLVMBuildStore(f->b, new_cell(&a, p->touch), cell));
    cg_goto(f, done);
    if (other) {
        cg_enter(f, other);
        LLVMValueRef same = LLVMBuildOr(f->b, is_mine(&a), is_of_many(&a), "");
        LLVMBuildCondBr(f->b, same, done, call);
    }
    cg_enter(f, call);
    cg_touch_call(f, how, p->touch, p->at, cg_i64(f->cg, unit), stored);
    cg_goto(f, done);
    cg_enter(f, done);
    return true;
}
