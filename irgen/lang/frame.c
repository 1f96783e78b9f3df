/* frame.c -- arrays of constant extents. The array of a variable is in the frame of its function: an alloca, which
 * LLVM promotes to registers (SROA) if all its indices are constants. They are after loops over the array are
 * unrolled; so loops whose counter indexes such an array are marked for unrolling, unless that would multiply the code
 * too often. The array of a field is part of the memory of its struct. */
#include <string.h>

#include "irgen/lang/lang.h"

/* Kept for each item of a group (irgen/cpu/group_plan.c) ----------------------------------------------------------- */

/* Arrays in the frame are aligned to 16 bytes. */
LLVMTypeRef cg_kept_type(CgFunc *f, const Symbol *sym) {
    if (sym->type->kind != TY_ARRAY) return cg_type_mem(f->cg, sym->type);
    int64_t bytes = cg_size(sym->type->elem);
    for (int d = 0; d < sym->type->rank; d++) bytes *= frame_facts(sym)->extents[d];
    return LLVMArrayType2(f->cg->i8, (uint64_t)(bytes + 15) / 16 * 16);
}

LLVMValueRef cg_kept(CgFunc *f, const Symbol *sym) {
    const Slot *slot = &f->slots[sym->id];
    LLVMTypeRef t = slot->kept_step ? cg_type_mem(f->cg, sym->type->elem) : cg_kept_type(f, sym);
    return LLVMBuildInBoundsGEP2(f->b, t, slot->kept, &f->group_item, 1, sym->name);
}

enum { FRAME_ALIGN = 16, MAX_COPIES = 128 };

static int64_t elements(const Symbol *sym) {
    int64_t n = 1;
    for (int d = 0; d < sym->type->rank; d++) n *= frame_facts(sym)->extents[d];
    return n;
}

static CgArray frame_memory(CgFunc *f, const Symbol *sym) {
    CgArray a = {.type = sym->type, .name = sym->name};
    int64_t n = elements(sym);
    a.data = cg_alloca(f, LLVMArrayType2(cg_type_mem(f->cg, sym->type->elem), (uint64_t)n), sym->name);
    LLVMSetAlignment(a.data, FRAME_ALIGN);
    for (int d = 0; d < sym->type->rank; d++) a.ext[d] = cg_i64(f->cg, frame_facts(sym)->extents[d]);
    return a;
}

static LLVMValueRef place(CgFunc *f, const CgArray *a, LLVMValueRef i) {
    if (a->step) i = LLVMBuildNSWMul(f->b, i, cg_i64(f->cg, a->step), "");
    return LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, a->type->elem), a->data, &i, 1, "");
}

/* Transposes the arrays of the items of a group: all first elements are contiguous, then all second ones, so that
 * vectors load contiguous elements. */
static void spread_elements(CgFunc *f, const CgArray *to, const CgArray *from, int64_t n) {
    Axis all = cg_axis_upto(f, cg_i64(f->cg, n));
    CgLoop l = cg_loop_begin(f, &all);
    LLVMValueRef v = LLVMBuildLoad2(f->b, cg_type_mem(f->cg, to->type->elem), place(f, from, l.i.v), "");
    LLVMBuildStore(f->b, v, place(f, to, l.i.v));
    cg_loop_end(f, &l);
}

/* Declares the array; its memory is the same in each iteration of a loop around it. */
void cg_frame_array(CgFunc *f, const Symbol *sym, Expr *init) {
    Slot *slot = &f->slots[sym->id];
    CgArray a = frame_memory(f, sym);
    if (slot->kept && !slot->kept_step) a.data = cg_kept(f, sym);
    if (init) cg_array_into(f, init, &a);
    else LLVMBuildMemSet(f->b, a.data, LLVMConstNull(f->cg->i8), cg_array_bytes(f, &a), FRAME_ALIGN);
    if (slot->kept_step) {
        CgArray made = a;
        a.data = cg_kept(f, sym);
        a.step = slot->kept_step;
        spread_elements(f, &a, &made, elements(sym));
    } else if (f->debug_scope) {
        a.desc = cg_array_desc(f, &a);
        cg_debug_variable(f, sym, a.desc, 0);
    }
    slot->array = a;
    cg_private_declare(f, sym, init != NULL);
}

static void copy_elements(CgFunc *f, const CgArray *to, const CgArray *from) {
    unsigned align = (unsigned)cg_align(to->type->elem);
    LLVMBuildMemCpy(f->b, to->data, align, from->data, align, cg_array_bytes(f, to));
}

/* The value may read what it replaces, so it is made elsewhere first. */
void cg_frame_assign(CgFunc *f, const Symbol *sym, Expr *value) {
    CgArray fresh = frame_memory(f, sym), a = cg_symbol_array(f, sym);
    cg_array_into(f, value, &fresh);
    copy_elements(f, &a, &fresh);
    cg_private_written(f, sym);
}

void cg_frame_swap(CgFunc *f, const CgArray *a, const CgArray *b) {
    CgArray held = *a;
    held.data = cg_alloca(f, LLVMArrayType2(f->cg->i8, LLVMConstIntGetZExtValue(cg_array_bytes(f, a))), "held");
    LLVMSetAlignment(held.data, FRAME_ALIGN);
    copy_elements(f, &held, a);
    copy_elements(f, a, b);
    copy_elements(f, b, &held);
}

/* Arrays that are part of a struct --------------------------------------------------------------------------------- */

static bool has_arrays(const Type *t) {
    if (t->kind != TY_STRUCT) return t->kind == TY_FIXED;
    for (int i = 0; i < t->n_fields; i++)
        if (has_arrays(t->fields[i].type)) return true;
    return false;
}

static LLVMValueRef memory_of(CgFunc *f, const Type *t, const char *name) {
    LLVMValueRef at = cg_alloca(f, cg_type(f->cg, t), name);
    LLVMSetAlignment(at, FRAME_ALIGN);
    return at;
}

/* An element is found by address. */
void cg_addressable(CgFunc *f, const Symbol *sym) {
    Slot *slot = &f->slots[sym->id];
    if (!slot->value || !has_arrays(sym->type)) return;
    slot->addr = memory_of(f, sym->type, sym->name);
    cg_store(f, cg_variable(slot->addr, sym->type), cg_value(slot->value, sym->type));
    slot->value = NULL;
}

static const char *field_text(CgFunc *f, const Expr *e) {
    Expr *base = e->field.base;
    const char *of = base->kind == EXPR_NAME    ? base->name.name
                     : base->kind == EXPR_FIELD ? field_text(f, base)
                                                : "the struct";
    return arena_printf(&f->cg->c->arena, "%s.%s", of, e->field.name);
}

CgArray cg_field_array(CgFunc *f, Expr *e) {
    const Type *field = expr_fixed_field(e);
    CgPlace whole;
    if (cg_has_place(f, e->field.base)) {
        whole = cg_lvalue(f, e->field.base);
    } else {
        CgValue v = cg_expr(f, e->field.base);
        whole = cg_variable(memory_of(f, v.type, "whole"), v.type);
        cg_store(f, whole, v);
    }
    CgPlace p = cg_part_place(f, whole, e->field.at[0]);
    CgArray a = {.data = p.at, .type = e->type, .name = field_text(f, e)};
    a.whole = p.whole;
    a.in_variable = !p.is_element;
    a.touch = e->touch;
    for (int d = 0; d < field->rank; d++) a.ext[d] = cg_i64(f->cg, field->extent[d]);
    return a;
}

static CgArray part_array(CgFunc *f, const Type *field, Type *array, LLVMValueRef at) {
    CgArray a = {.type = array, .name = "the field", .data = at, .in_variable = true};
    for (int d = 0; d < field->rank; d++) a.ext[d] = cg_i64(f->cg, field->extent[d]);
    return a;
}

static CgArray part_memory(CgFunc *f, const Type *field, Type *array) {
    return part_array(f, field, array, memory_of(f, field, "field"));
}

CgValue cg_field_value(CgFunc *f, Expr *e, const Type *field) {
    CgArray a = part_memory(f, field, e->type);
    cg_array_into(f, e, &a);
    LLVMValueRef v = LLVMBuildLoad2(f->b, cg_type(f->cg, field), a.data, "");
    return cg_value(v, (Type *)field);
}

void cg_field_assign(CgFunc *f, Expr *target, Expr *value) {
    CgArray fresh = part_memory(f, expr_fixed_field(target), target->type);
    cg_array_into(f, value, &fresh);
    CgArray a = cg_field_array(f, target);
    cg_touch_bytes(f, TOUCH_WRITE, target->touch, a.data, cg_array_bytes(f, &a));
    copy_elements(f, &a, &fresh);
}

/* Structs with arrays in them are large: they are built in place, field by field, and copied as bytes. */
bool cg_by_bytes(const Type *t) { return t->kind == TY_STRUCT && !t->owns && has_arrays(t); }

static void copy_bytes(CgFunc *f, LLVMValueRef to, LLVMValueRef from, const Type *t) {
    unsigned align = (unsigned)cg_align(t);
    LLVMBuildMemCpy(f->b, to, align, from, align, cg_i64(f->cg, t->size_bytes));
}

static void build_into(CgFunc *f, Expr *e, LLVMValueRef at) {
    for (int i = 0; i < e->call.args.n; i++) {
        int part = e->call.info->part_of[i];
        Expr *given = e->call.args.at[i].value;
        CgPlace p = cg_part_place(f, cg_variable(at, e->type), part);
        if (p.type->kind == TY_FIXED) {
            CgArray a = part_array(f, p.type, given->type, p.at);
            cg_array_into(f, given, &a);
        } else if (cg_by_bytes(p.type)) {
            cg_struct_into(f, given, p.at);
        } else {
            cg_store(f, p, cg_convert(f, cg_expr(f, given), p.type));
        }
    }
}

static void copy_place(CgFunc *f, LLVMValueRef to, Expr *e) {
    CgPlace from = cg_lvalue(f, e);
    cg_touch(f, TOUCH_READ, &from);
    copy_bytes(f, to, from.at, e->type);
}

/* `at` is memory that nothing in `e` can name. */
void cg_struct_into(CgFunc *f, Expr *e, LLVMValueRef at) {
    bool places = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_FIELD;
    if (e->kind == EXPR_CALL && e->call.info->kind == CALL_BUILD) build_into(f, e, at);
    else if (places && cg_has_place(f, e)) copy_place(f, at, e);
    else cg_store(f, cg_variable(at, e->type), cg_expr(f, e));
}

LLVMValueRef cg_struct_made(CgFunc *f, Expr *e) {
    LLVMValueRef made = memory_of(f, e->type, "made");
    cg_struct_into(f, e, made);
    return made;
}

void cg_struct_store(CgFunc *f, LLVMValueRef to, LLVMValueRef made, const Type *t) { copy_bytes(f, to, made, t); }

CgArray cg_pass_part(CgFunc *f, const CgArray *a) {
    if (!a->whole || a->in_variable) return *a;
    CgArray copy = *a;
    LLVMTypeRef bytes = LLVMArrayType2(f->cg->i8, LLVMConstIntGetZExtValue(cg_array_bytes(f, a)));
    copy.data = cg_alloca(f, bytes, "part");
    copy.desc = NULL;
    LLVMSetAlignment(copy.data, FRAME_ALIGN);
    cg_touch_bytes(f, TOUCH_READ, a->touch, a->data, cg_array_bytes(f, a));
    copy_elements(f, &copy, a);
    return copy;
}

void cg_part_back(CgFunc *f, const CgArray *a, const CgArray *passed, RefMode mode) {
    if (passed->data == a->data || mode == REF_IN) return;
    cg_touch_bytes(f, TOUCH_WRITE, a->touch, a->data, cg_array_bytes(f, a));
    copy_elements(f, a, passed);
}

/* Unrolling -------------------------------------------------------------------------------------------------------- */

/* The trip count; 0: no constant, or none. */
static int64_t constant_trips(const Range *r) {
    if (r->hi->konst.kind != CONST_INT || (r->lo && r->lo->konst.kind != CONST_INT)) return 0;
    if (r->step && (r->step->konst.kind != CONST_INT || r->step->konst.i <= 0)) return 0;
    int64_t lo = r->lo ? r->lo->konst.i : 0, hi = r->hi->konst.i, step = r->step ? r->step->konst.i : 1;
    uint64_t width = hi > lo ? (uint64_t)hi - (uint64_t)lo : 0;
    return width && width <= INT64_MAX ? (int64_t)(width - 1) / step + 1 : 0;
}

int64_t cg_unroll_for(CgFunc *f, const Symbol *counter, const Range *r) {
    if (!frame_facts(counter)->unrolls || f->cg->options->opt_level < 2) return 0;
    if (r->lo && r->lo->konst.kind == CONST_INT && r->lo->konst.i < 0) return 0;
    int64_t rounds = constant_trips(r);
    return rounds <= MAX_COPIES / (f->unrolled ? f->unrolled : 1) ? rounds : 0;
}

/* LLVM unrolls nested loops from the inside and decides about each by itself: the product of the trip counts is
 * bounded here. So is the number of blocks, because LLVM is quadratic in blocks whose branches fold. */
bool cg_loop_ends_rolled(CgFunc *f, const Range *r, CgCopies before) {
    enum { MOST_BLOCKS = 256 };
    int64_t inside = f->copies.blocks - before.blocks + f->copies.more, trips = constant_trips(r);
    bool fits = trips && trips <= MOST_BLOCKS / (inside ? inside : 1);
    f->copies.more += before.more + (fits ? (trips - 1) * inside : 0);
    return trips && !fits;
}

/* !{"wish"} or !{"wish", value} */
static LLVMMetadataRef wish(CgFunc *f, const char *text, LLVMValueRef value) {
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(f->cg->ctx, text, strlen(text))};
    if (value) parts[1] = LLVMValueAsMetadata(value);
    return LLVMMDNodeInContext2(f->cg->ctx, parts, value ? 2 : 1);
}

/* !{itself, hint, ...} on the back edge; parts[0] is for `itself`. */
static void mark_loop(CgFunc *f, LLVMValueRef latch, LLVMMetadataRef *parts, int n) {
    LLVMContextRef ctx = f->cg->ctx;
    parts[0] = LLVMTemporaryMDNode(ctx, NULL, 0);
    LLVMMetadataRef self = parts[0], loop = LLVMMDNodeInContext2(ctx, parts, (size_t)n);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9), LLVMMetadataAsValue(ctx, loop));
}

/* Followed if the loop is small enough (passes/bound_unrolling.c). */
void cg_mark_unrolled(CgFunc *f, LLVMValueRef latch, int64_t copies) {
    LLVMContextRef ctx = f->cg->ctx;
    LLVMMetadataRef parts[2] = {NULL, wish(f, "llvm.loop.unroll.full", NULL)};
    LLVMMetadataRef count = LLVMValueAsMetadata(cg_i64(f->cg, copies));
    mark_loop(f, latch, parts, 2);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(ctx, CG_COPIES, sizeof CG_COPIES - 1),
                    LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, &count, 1)));
}

void cg_mark_rolled(CgFunc *f, LLVMValueRef latch) {
    LLVMMetadataRef parts[3] = {NULL, wish(f, "llvm.loop.unroll.disable", NULL), wish(f, CG_ROLLED, NULL)};
    mark_loop(f, latch, parts, 3);
}

void cg_mark_outer(CgFunc *f, LLVMValueRef latch) {
    enum { BOUND = 300 }; /* what LLVM begins with */
    const Gpu *gpu = f->cg->target->gpu;
    if (!gpu || !gpu->copies_bound) return;
    LLVMMetadataRef parts[2] = {NULL, wish(f, gpu->copies_bound, cg_i32(f->cg, BOUND))};
    mark_loop(f, latch, parts, 2);
}

void cg_mark_plain(CgFunc *f, LLVMValueRef latch) {
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(f->cg->ctx), 0, false);
    LLVMMetadataRef parts[4] = {NULL, wish(f, "llvm.loop.unroll.disable", NULL), wish(f, CG_ROLLED, NULL),
                                wish(f, "llvm.loop.vectorize.enable", no)};
    mark_loop(f, latch, parts, 4);
}
