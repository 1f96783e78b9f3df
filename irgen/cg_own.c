/* cg_own.c -- structs that own arrays. A variable of one is a variable for each field (sema/own.c); as a value, between
 * a call or `Grid(...)` and the variable that takes it over, it is LLVM's struct of descriptors and numbers. */
#include "irgen/cg.h"

static bool is_nested(const Symbol *sym) { return sym->parts != NULL; }

/* let g = ...; */
void cg_own_let(CgFunc *f, Symbol *sym, CgValue v) {
    for (int i = 0; i < sym->n_parts; i++) {
        Symbol *part = sym->parts[i];
        CgValue field = cg_part(f, v, i);
        if (is_nested(part)) cg_own_let(f, part, field);
        else cg_declare(f, part, field);
    }
}

/* g = ...; the old arrays go when the new value is there: it may be made of them. */
void cg_own_assign(CgFunc *f, const Symbol *sym, CgValue v) {
    for (int i = 0; i < sym->n_parts; i++) {
        const Symbol *part = sym->parts[i];
        CgValue field = cg_part(f, v, i);
        if (is_nested(part)) {
            cg_own_assign(f, part, field);
        } else if (part->type->kind == TY_ARRAY) {
            cg_drop(f, part);
            cg_store_array(f, f->slots[part->id].addr, field);
        } else {
            bool is_ref = part->kind == SYM_PARAM && part->mode != REF_NONE;
            cg_store(f, (CgPlace){f->slots[part->id].addr, part->type, UNIFORM, is_ref, NULL}, field);
        }
    }
}

static CgValue number(CgFunc *f, const Symbol *part) {
    const Slot *slot = &f->slots[part->id];
    if (slot->value) return cg_value(slot->value, part->type, slot->rate);
    bool is_ref = part->kind == SYM_PARAM && part->mode != REF_NONE;
    return cg_load(f, (CgPlace){slot->addr, part->type, UNIFORM, is_ref, NULL});
}

/* All of its fields together: moved out of the variable, or copied. */
CgValue cg_own_value(CgFunc *f, const Symbol *sym, bool copy, Span span) {
    CgValue whole = cg_value(LLVMGetPoison(cg_type(f->cg, sym->type)), sym->type, UNIFORM);
    for (int i = 0; i < sym->n_parts; i++) {
        const Symbol *part = sym->parts[i];
        CgValue field;
        if (is_nested(part)) {
            field = cg_own_value(f, part, copy, span);
        } else if (part->type->kind != TY_ARRAY) {
            field = number(f, part);
        } else if (copy) {
            CgArray a = cg_symbol_array(f, part);
            field = cg_copy(f, &a, span);
        } else {
            field = cg_move_array(f, part);
        }
        whole = cg_with_part(f, whole, i, field);
    }
    return whole;
}
