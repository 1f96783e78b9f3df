/* parts.c -- aggregates: structs and short vectors. A struct is an LLVM struct of its fields as in memory (bool: i8),
 * in C's layout; a vector is an LLVM vector. Both are first-class values. A field or component of something in memory
 * is read and written there; one of any other value is extracted from it. */
#include "irgen/lang/lang.h"

enum { PART_ALIGN = 16, MAX_WIDTH = 8, SLOT_BYTES = 8 };

/* Types ------------------------------------------------------------------------------------------------------------ */

LLVMTypeRef cg_type_of_parts(Cg *cg, const Type *t) {
    if (t->kind == TY_VECTOR) return LLVMVectorType(cg_type(cg, t->elem), (unsigned)t->width);
    LLVMTypeRef *fields = arena_array(&cg->c->arena, LLVMTypeRef, t->n_fields);
    for (int i = 0; i < t->n_fields; i++) fields[i] = cg_type_mem(cg, t->fields[i].type);
    return LLVMStructTypeInContext(cg->ctx, fields, (unsigned)t->n_fields, false);
}

/* The alignment of elements in memory that may be assumed: device memory, like malloc's, is aligned to 16 bytes. */
int64_t cg_part_align(const Type *t) {
    int64_t align = type_align_bytes(t);
    return align < PART_ALIGN ? align : PART_ALIGN;
}

static Type *part_type(const Type *whole, int i) {
    return whole->kind == TY_VECTOR ? whole->elem : whole->fields[i].type;
}

/* Taking apart, putting together ----------------------------------------------------------------------------------- */

CgValue cg_part(CgFunc *f, CgValue whole, int i) {
    Type *t = part_type(whole.type, i);
    LLVMValueRef v;
    if (whole.type->kind == TY_VECTOR) v = LLVMBuildExtractElement(f->b, whole.v, cg_i32(f->cg, i), "");
    else v = LLVMBuildExtractValue(f->b, whole.v, (unsigned)i, whole.type->fields[i].name);
    if (t->kind == TY_BOOL) v = LLVMBuildICmp(f->b, LLVMIntNE, v, LLVMConstNull(f->cg->i8), "");
    return cg_value(v, t);
}

CgValue cg_with_part(CgFunc *f, CgValue whole, int i, CgValue part) {
    LLVMValueRef v = part.v;
    if (part.type->kind == TY_BOOL) v = LLVMBuildZExt(f->b, v, f->cg->i8, "");
    if (whole.type->kind == TY_VECTOR) v = LLVMBuildInsertElement(f->b, whole.v, v, cg_i32(f->cg, i), "");
    else v = LLVMBuildInsertValue(f->b, whole.v, v, (unsigned)i, "");
    return cg_value(v, whole.type);
}

static CgValue nothing_yet(CgFunc *f, Type *t) { return cg_value(LLVMGetPoison(cg_type(f->cg, t)), t); }

/* P(x: a, y: b) and f32x4(a, b, c, d): the arguments in the order written. */
CgValue cg_build(CgFunc *f, Expr *e) {
    if (e->type->is_handle) return cg_value(LLVMConstNull(cg_type(f->cg, e->type)), e->type);
    CgValue whole = nothing_yet(f, e->type);
    for (int i = 0; i < e->call.args.n; i++) {
        int at = e->call.info->part_of[i];
        const Type *part = part_type(e->type, at);
        Expr *given = e->call.args.at[i].value;
        CgValue v = part->kind == TY_FIXED ? cg_field_value(f, given, part) : cg_expr(f, given);
        if (e->type->kind != TY_VECTOR || v.type->kind != TY_VECTOR) {
            whole = cg_with_part(f, whole, at, cg_convert(f, v, part_type(e->type, at)));
            continue;
        }
        for (int k = 0; k < v.type->width; k++)
            whole = cg_with_part(f, whole, at + k, cg_convert(f, cg_part(f, v, k), e->type->elem));
    }
    return whole;
}

static CgValue splat(CgFunc *f, CgValue v, Type *to) {
    CgValue one = cg_with_part(f, nothing_yet(f, to), 0, v);
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(f->cg->i32, (unsigned)to->width));
    return cg_value(LLVMBuildShuffleVector(f->b, one.v, LLVMGetPoison(LLVMTypeOf(one.v)), mask, "splat"), to);
}

CgValue cg_to_vector(CgFunc *f, CgValue v, Type *to) {
    if (v.type->kind != TY_VECTOR) return splat(f, cg_convert(f, v, to->elem), to);
    CgValue whole = nothing_yet(f, to);
    for (int i = 0; i < to->width; i++) whole = cg_with_part(f, whole, i, cg_convert(f, cg_part(f, v, i), to->elem));
    return whole;
}

/* Operations without a vector instruction, or with a check for each component. */
CgValue cg_by_part(CgFunc *f, Op op, CgValue a, CgValue b, Span span) {
    CgValue whole = nothing_yet(f, a.type);
    CgCheck check = f->check;
    for (int i = 0; i < a.type->width; i++) {
        f->check = check; /* the same for each part */
        whole = cg_with_part(f, whole, i, cg_binary(f, op, cg_part(f, a, i), cg_part(f, b, i), NULL, span));
    }
    f->check = (CgCheck){0};
    return whole;
}

/* Places ----------------------------------------------------------------------------------------------------------- */

CgPlace cg_part_place(CgFunc *f, CgPlace whole, int i) {
    Type *t = part_type(whole.type, i);
    CgPlace p = {.type = t, .is_element = whole.is_element, .touch = whole.touch};
    p.whole = whole.whole ? whole.whole : whole.type;
    LLVMValueRef at = cg_i64(f->cg, i);
    if (whole.type->kind == TY_STRUCT)
        p.at = LLVMBuildStructGEP2(f->b, cg_type(f->cg, whole.type), whole.at, (unsigned)i, whole.type->fields[i].name);
    else p.at = LLVMBuildInBoundsGEP2(f->b, cg_type(f->cg, t), whole.at, &at, 1, "");
    return p;
}

bool cg_has_place(CgFunc *f, const Expr *e) {
    if (e->kind == EXPR_FIELD) return e->field.n_at == 1 && cg_has_place(f, e->field.base);
    if (e->kind == EXPR_INDEX) return e->index.base->kind != EXPR_CALL; /* whose array is freed once it is read */
    if (e->kind != EXPR_NAME) return false;
    return e->name.sym->id >= 0 && f->slots[e->name.sym->id].addr && !f->slots[e->name.sym->id].value;
}

/* The whole vector is loaded, but only these components are read. */
static CgValue load_several(CgFunc *f, Expr *e) {
    CgPlace whole = cg_lvalue(f, e->field.base);
    for (int i = 0; i < e->field.n_at && whole.touch; i++) {
        CgPlace part = cg_part_place(f, whole, e->field.at[i]);
        cg_touch(f, TOUCH_READ, &part);
    }
    whole.touch = 0;
    return cg_load(f, whole);
}

/* v.zyx */
static CgValue several(CgFunc *f, Expr *e) {
    CgValue v = cg_has_place(f, e->field.base) ? load_several(f, e) : cg_expr(f, e->field.base);
    LLVMValueRef mask[MAX_WIDTH];
    for (int i = 0; i < e->field.n_at; i++) mask[i] = cg_i32(f->cg, e->field.at[i]);
    LLVMValueRef order = LLVMConstVector(mask, (unsigned)e->field.n_at);
    LLVMValueRef parts = LLVMBuildShuffleVector(f->b, v.v, LLVMGetPoison(LLVMTypeOf(v.v)), order, e->field.name);
    return cg_value(parts, e->type);
}

CgValue cg_field(CgFunc *f, Expr *e) {
    if (e->field.n_at > 1) return several(f, e);
    if (!cg_has_place(f, e)) return cg_part(f, cg_expr(f, e->field.base), e->field.at[0]);
    return cg_load(f, cg_lvalue(f, e));
}

/* Functions -------------------------------------------------------------------------------------------------------- */

/* a.x * b.x + a.y * b.y + ..., in this order, so that the result does not depend on the machine. */
static CgValue dot(CgFunc *f, CgValue a, CgValue b, bool fused, Span span) {
    if (!fused) {
        CgValue products = cg_binary(f, OP_MUL, a, b, NULL, span), sum = cg_part(f, products, 0);
        for (int i = 1; i < a.type->width; i++)
            sum = cg_binary(f, OP_ADD, sum, cg_part(f, products, i), NULL, span);
        return sum;
    }
    CgValue sum = cg_binary(f, OP_MUL, cg_part(f, a, 1), cg_part(f, b, 1), NULL, span);
    for (int i = 0; i < a.type->width; i++)
        if (i != 1) sum = cg_fused(f, cg_part(f, a, i), cg_part(f, b, i), sum, false, false);
    return sum;
}

static CgValue turned(CgFunc *f, CgValue v, int first) {
    LLVMValueRef mask[3];
    for (int i = 0; i < 3; i++) mask[i] = cg_i32(f->cg, (first + i) % 3);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v.v));
    return cg_value(LLVMBuildShuffleVector(f->b, v.v, none, LLVMConstVector(mask, 3), ""), v.type);
}

/* yzx * zxy' - zxy * yzx' */
static CgValue cross(CgFunc *f, CgValue a, CgValue b, bool fused, Span span) {
    CgValue r = cg_binary(f, OP_MUL, turned(f, a, 2), turned(f, b, 1), NULL, span);
    if (fused) return cg_fused(f, turned(f, a, 1), turned(f, b, 2), r, false, true);
    CgValue l = cg_binary(f, OP_MUL, turned(f, a, 1), turned(f, b, 2), NULL, span);
    return cg_binary(f, OP_SUB, l, r, NULL, span);
}

CgValue lower_vector(CgFunc *f, Expr *e) {
    CgValue a = cg_expr(f, e->call.args.at[0].value);
    CgValue b = e->call.args.n > 1 ? cg_expr(f, e->call.args.at[1].value) : a;
    cg_debug_at(f, e->span);
    bool fused = e->call.fused && f->cg->has_fma;
    if (e->call.info->builtin == BUILTIN_CROSS) return cross(f, a, b, fused, e->span);
    CgValue v = dot(f, a, b, fused, e->span);
    if (e->call.info->builtin == BUILTIN_DOT) return v;
    v = cg_widen_half(f, v);
    LLVMTypeRef over = LLVMTypeOf(v.v);
    return cg_convert(f, cg_value(cg_intrinsic(f, "llvm.sqrt", &over, 1, &v.v, 1), v.type), e->type);
}

/* Launches --------------------------------------------------------------------------------------------------------- */

/* A by-value argument of a kernel is passed as 64-bit literals: one for a number, as many as needed for a struct or a
 * vector, with its bytes in order, padding and the rest of the last literal zero. */
int cg_slot_count(const Type *t) {
    return type_is_parts(t) ? (int)((type_size_bytes(t) + SLOT_BYTES - 1) / SLOT_BYTES) : 1;
}

static LLVMValueRef slot_at(CgFunc *f, LLVMTypeRef type, LLVMValueRef room, int i) {
    LLVMValueRef at[2] = {cg_i32(f->cg, 0), cg_i32(f->cg, i)};
    return LLVMBuildInBoundsGEP2(f->b, type, room, at, 2, "");
}

static LLVMValueRef slot_room(CgFunc *f, const Type *t, LLVMTypeRef *type) {
    *type = LLVMArrayType2(f->cg->i64, (uint64_t)cg_slot_count(t));
    LLVMValueRef room = cg_alloca(f, *type, "slots");
    LLVMSetAlignment(room, type_align_bytes(t) > SLOT_BYTES ? (unsigned)type_align_bytes(t) : SLOT_BYTES);
    return room;
}

void cg_value_to_slots(CgFunc *f, CgValue v, LLVMValueRef *slots) {
    if (!type_is_parts(v.type)) {
        slots[0] = cg_bits_to_slot(f, v);
        return;
    }
    LLVMTypeRef type;
    LLVMValueRef room = slot_room(f, v.type, &type);
    LLVMBuildStore(f->b, LLVMConstNull(type), room);
    LLVMBuildStore(f->b, v.v, room);
    for (int i = 0; i < cg_slot_count(v.type); i++)
        slots[i] = LLVMBuildLoad2(f->b, f->cg->i64, slot_at(f, type, room, i), "slot");
}

CgValue cg_slots_to_value(CgFunc *f, LLVMValueRef *slots, Type *t) {
    if (!type_is_parts(t)) return cg_slot_to_value(f, slots[0], t);
    LLVMTypeRef type;
    LLVMValueRef room = slot_room(f, t, &type);
    for (int i = 0; i < cg_slot_count(t); i++) LLVMBuildStore(f->b, slots[i], slot_at(f, type, room, i));
    return cg_value(LLVMBuildLoad2(f->b, cg_type(f->cg, t), room, ""), t);
}
