/* own.c -- structs that own arrays. A variable of such a type is a variable for each field (sema/own.c); as a value,
 * between a call or `Grid(...)` and its new owner, it is an LLVM struct of descriptors and numbers. */
#include "irgen/lang/lang.h"

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
            cg_store(f, (CgPlace){f->slots[part->id].addr, part->type, is_ref, NULL, 0}, field);
        }
    }
}

static CgValue number(CgFunc *f, const Symbol *part) {
    const Slot *slot = &f->slots[part->id];
    if (slot->value) return cg_value(slot->value, part->type);
    bool is_ref = part->kind == SYM_PARAM && part->mode != REF_NONE;
    return cg_load(f, (CgPlace){slot->addr, part->type, is_ref, NULL, 0});
}

/* All of its fields together. `copied`: the names of its arrays, from number *next on; NULL: they are moved out. */
static CgValue whole_value(CgFunc *f, const Symbol *sym, const ExprList *copied, int *next, Span span) {
    CgValue whole = cg_value(LLVMGetPoison(cg_type(f->cg, sym->type)), sym->type);
    for (int i = 0; i < sym->n_parts; i++) {
        const Symbol *part = sym->parts[i];
        CgValue field;
        if (is_nested(part)) {
            field = whole_value(f, part, copied, next, span);
        } else if (part->type->kind != TY_ARRAY) {
            field = number(f, part);
        } else if (copied) {
            CgArray a = cg_array(f, copied->at[(*next)++]);
            field = cg_copy(f, &a, span);
        } else {
            field = cg_move_array(f, part);
        }
        whole = cg_with_part(f, whole, i, field);
    }
    return whole;
}

CgValue cg_own_moved(CgFunc *f, const Symbol *sym) { return whole_value(f, sym, NULL, NULL, sym->span); }

CgValue cg_own_copy(CgFunc *f, Expr *call) {
    int next = 0;
    return whole_value(f, call->call.args.at[0].value->name.sym, &call->call.info->copied, &next, call->span);
}

void cg_own_sync(CgFunc *f, CgValue v, Sync kind) {
    if (v.type->kind == TY_ARRAY) {
        CgArray a = cg_made_array(f, v);
        cg_sync(f, &a, kind, (Span){0}, 0); /* in sessions, which have no --without */
    }
    for (int i = 0; kind != SYNC_NONE && v.type->kind == TY_STRUCT && i < v.type->n_fields; i++)
        if (v.type->fields[i].type->kind == TY_ARRAY || type_owns(v.type->fields[i].type))
            cg_own_sync(f, cg_part(f, v, i), kind);
}
