/* value.c -- basic operations of code generation: load, store, branch, call. Each load and store of array memory has
 * metadata for alias analysis (TBAA): a descriptor never overlaps an element, and elements of different types never
 * overlap. */
#include "irgen/lang/lang.h"

#include <stdio.h>
#include <string.h>

CgValue cg_value(LLVMValueRef v, Type *type) { return (CgValue){v, type}; }

CgHere cg_to_entry(CgFunc *f) {
    CgHere here = {LLVMGetInsertBlock(f->b), LLVMGetCurrentDebugLocation2(f->b)};
    LLVMPositionBuilderBefore(f->b, LLVMGetBasicBlockTerminator(f->entry));
    return here;
}

void cg_back(CgFunc *f, CgHere here) {
    LLVMPositionBuilderAtEnd(f->b, here.block);
    LLVMSetCurrentDebugLocation2(f->b, here.debug); /* positioning has set the location of the next instruction */
}

LLVMValueRef cg_alloca(CgFunc *f, LLVMTypeRef type, const char *name) {
    CgHere here = cg_to_entry(f);
    LLVMValueRef at = LLVMBuildAlloca(f->b, type, name);
    if (LLVMTypeOf(at) != f->cg->ptr) at = LLVMBuildAddrSpaceCast(f->b, at, f->cg->ptr, name); /* AMDGPU: 5 */
    cg_back(f, here);
    return at;
}

static void mark(CgFunc *f, LLVMValueRef latch, unsigned kind) {
    LLVMMetadataRef nothing = LLVMMDNodeInContext2(f->cg->ctx, NULL, 0);
    if (f->cg->vector) LLVMSetMetadata(latch, kind, LLVMMetadataAsValue(f->cg->ctx, nothing));
}

void cg_mark_items(CgFunc *f, LLVMValueRef latch, bool rows) {
    mark(f, latch, rows ? f->cg->md_rows : f->cg->md_items);
}

/* The end of an item. If several paths join there, LLVM sinks their last stores into the join block; so the latch,
 * which must only count for simd/, is a block of its own. */
void cg_enter_next(CgFunc *f, LLVMBasicBlockRef next) {
    cg_enter(f, next);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));
    if (!f->cg->vector || !use || !LLVMGetNextUse(use)) return;
    LLVMBasicBlockRef count = cg_block(f, "item.count");
    cg_goto(f, count);
    cg_enter(f, count);
}

void cg_mark_short_rows(CgFunc *f, LLVMValueRef latch) { mark(f, latch, f->cg->md_short_rows); }

void cg_mark_unwritten(CgFunc *f, LLVMValueRef v) {
    if (LLVMIsALoadInst(v)) mark(f, v, f->cg->md_unwritten);
}

void cg_mark_single(CgFunc *f, LLVMValueRef latch) { mark(f, latch, f->cg->md_single); }

void cg_mark_version(CgFunc *f, LLVMValueRef branch) { mark(f, branch, f->cg->md_version); }

void cg_mark_counted(CgFunc *f, LLVMValueRef latch) { mark(f, latch, f->cg->md_counted); }

/* Until the vectoriser has run, LLVM sees nothing but that the address is known elsewhere. */
LLVMValueRef cg_group_memory(CgFunc *f, LLVMValueRef at) {
    Cg *cg = f->cg;
    if (!cg->vector) return at;
    LLVMTypeRef type = LLVMFunctionType(cg->ptr, &cg->ptr, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_GROUP_MEMORY);
    if (!fn) {
        fn = LLVMAddFunction(cg->module, CG_GROUP_MEMORY, type);
        cg_fn_attr(cg, fn, "nounwind");
        cg_fn_attr(cg, fn, "willreturn");
    }
    CgHere here = cg_to_entry(f);
    at = LLVMBuildCall2(f->b, type, fn, &at, 1, "");
    cg_back(f, here);
    return at;
}

void cg_ahead(CgFunc *f, LLVMValueRef at, CgAhead whose) {
    Cg *cg = f->cg;
    if (!cg->vector) return;
    LLVMTypeRef params[2] = {cg->ptr, cg->i32}, type = LLVMFunctionType(cg->void_, params, 2, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_AHEAD), args[2] = {at, cg_i32(cg, whose)};
    if (!fn) {
        fn = LLVMAddFunction(cg->module, CG_AHEAD, type);
        cg_fn_attr(cg, fn, "nounwind");
        cg_fn_attr(cg, fn, "willreturn");
    }
    cg_call(f, type, fn, args, 2);
}

static void tag_alias(Cg *cg, LLVMValueRef inst, LLVMMetadataRef *node, const char *name) {
    if (cg->options->opt_level == 0) return;
    if (!*node) {
        LLVMMetadataRef root_name = LLVMMDStringInContext2(cg->ctx, "kdsl", 4);
        LLVMMetadataRef root = LLVMMDNodeInContext2(cg->ctx, &root_name, 1);
        LLVMMetadataRef zero = LLVMValueAsMetadata(cg_i64(cg, 0));
        LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(cg->ctx, name, strlen(name)), root, zero};
        LLVMMetadataRef type = LLVMMDNodeInContext2(cg->ctx, parts, 3);
        LLVMMetadataRef tag[3] = {type, type, zero};
        *node = LLVMMDNodeInContext2(cg->ctx, tag, 3);
    }
    LLVMSetMetadata(inst, cg->md_tbaa, LLVMMetadataAsValue(cg->ctx, *node));
}

void cg_tag_element(CgFunc *f, LLVMValueRef inst, CgPlace p) {
    if (!p.is_element) return;
    const Type *t = p.whole ? p.whole : p.type;
    const char *name = t->kind == TY_STRUCT ? "struct" : t->kind == TY_VECTOR ? "vector" : t->name;
    tag_alias(f->cg, inst, &f->cg->tbaa_elem[t->kind], name);
}

void cg_tag_cell(CgFunc *f, LLVMValueRef inst) { tag_alias(f->cg, inst, &f->cg->tbaa_cell, "shadow"); }

CgPlace cg_variable(LLVMValueRef addr, Type *type) { return (CgPlace){addr, type, false, NULL, 0}; }

CgValue cg_load(CgFunc *f, CgPlace p) {
    cg_touch(f, TOUCH_READ, &p);
    LLVMValueRef v = LLVMBuildLoad2(f->b, cg_type_mem(f->cg, p.type), p.at, "");
    if (type_is_parts(p.type)) LLVMSetAlignment(v, (unsigned)cg_part_align(p.type));
    cg_tag_element(f, v, p);
    if (p.type->kind == TY_BOOL) v = LLVMBuildICmp(f->b, LLVMIntNE, v, LLVMConstNull(f->cg->i8), "");
    return cg_value(v, p.type);
}

void cg_store(CgFunc *f, CgPlace p, CgValue v) {
    LLVMValueRef bits = v.v;
    cg_touch_store(f, &p, v);
    if (p.type->kind == TY_BOOL) bits = LLVMBuildZExt(f->b, bits, f->cg->i8, "");
    LLVMValueRef st = LLVMBuildStore(f->b, bits, p.at);
    if (type_is_parts(p.type)) LLVMSetAlignment(st, (unsigned)cg_part_align(p.type));
    cg_tag_element(f, st, p);
}

static LLVMValueRef desc_field(CgFunc *f, LLVMValueRef desc, int rank, int field) {
    if (field == 0) return desc;
    LLVMValueRef at[3] = {cg_i32(f->cg, 0), cg_i32(f->cg, 1), cg_i32(f->cg, field - 1)};
    return LLVMBuildInBoundsGEP2(f->b, cg_desc_type(f->cg, rank), desc, at, 3, "");
}

LLVMValueRef cg_load_desc(CgFunc *f, LLVMValueRef desc, int rank, int field) {
    LLVMValueRef at = desc_field(f, desc, rank, field);
    LLVMValueRef v = LLVMBuildLoad2(f->b, field ? f->cg->i64 : f->cg->ptr, at, field ? "ext" : "data");
    tag_alias(f->cg, v, &f->cg->tbaa_desc, "descriptor");
    return v;
}

void cg_store_desc(CgFunc *f, LLVMValueRef desc, int rank, int field, LLVMValueRef v) {
    LLVMValueRef st = LLVMBuildStore(f->b, v, desc_field(f, desc, rank, field));
    tag_alias(f->cg, st, &f->cg->tbaa_desc, "descriptor");
}

LLVMBasicBlockRef cg_block(CgFunc *f, const char *name) {
    f->copies.blocks++;
    return LLVMAppendBasicBlockInContext(f->cg->ctx, f->fn, name);
}

bool cg_ended(CgFunc *f) { return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b)) != NULL; }

void cg_goto(CgFunc *f, LLVMBasicBlockRef to) {
    if (!cg_ended(f)) LLVMBuildBr(f->b, to);
}

void cg_enter(CgFunc *f, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(f->b, block); }

void cg_branch(CgFunc *f, CgValue cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    LLVMBuildCondBr(f->b, cond.v, yes, no);
}

static void mark_rare(Cg *cg, LLVMValueRef branch) {
    enum { RARELY = 1, USUALLY = 1 << 20 };
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(cg->ctx, "branch_weights", strlen("branch_weights")),
                                  LLVMValueAsMetadata(cg_i32(cg, RARELY)), LLVMValueAsMetadata(cg_i32(cg, USUALLY))};
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "prof", strlen("prof"));
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, weights, 3)));
}

void cg_cold(CgFunc *f, LLVMValueRef failed, LLVMBasicBlockRef *ok) {
    LLVMBasicBlockRef bad = cg_block(f, "fail");
    *ok = cg_block(f, "ok");
    LLVMValueRef branch = LLVMBuildCondBr(f->b, failed, bad, *ok);
    if (f->cg->target->gpu) mark_rare(f->cg, branch); /* elsewhere LLVM sees that it calls a cold function */
    cg_enter(f, bad);
}

LLVMValueRef cg_call(CgFunc *f, LLVMTypeRef type, LLVMValueRef fn, LLVMValueRef *args, int n) {
    LLVMValueRef call = LLVMBuildCall2(f->b, type, fn, args, (unsigned)n, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(fn));
    return call;
}

LLVMValueRef cg_intrinsic(CgFunc *f, const char *name, LLVMTypeRef *over, int n_over, LLVMValueRef *args, int n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) ice(f->cg->c, (Span){0}, "LLVM has no intrinsic %s", name);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(f->cg->module, id, over, (size_t)n_over);
    return LLVMBuildCall2(f->b, LLVMIntrinsicGetType(f->cg->ctx, id, over, (size_t)n_over), fn, args, (unsigned)n, "");
}

static LLVMTypeRef bits_type(Cg *cg, const Type *t) {
    return t->bits == 64 ? cg->i64 : t->bits == 32 ? cg->i32 : cg->i16;
}

LLVMValueRef cg_bits_to_slot(CgFunc *f, CgValue v) {
    LLVMValueRef bits = v.v;
    if (v.type->is_float) bits = LLVMBuildBitCast(f->b, bits, bits_type(f->cg, v.type), "");
    return LLVMBuildZExtOrBitCast(f->b, bits, f->cg->i64, "");
}

CgValue cg_slot_to_value(CgFunc *f, LLVMValueRef slot, Type *type) {
    LLVMTypeRef t = type->is_float ? bits_type(f->cg, type) : cg_type(f->cg, type);
    LLVMValueRef v = LLVMBuildTruncOrBitCast(f->b, slot, t, "");
    if (type->is_float) v = LLVMBuildBitCast(f->b, v, cg_type(f->cg, type), type->name);
    return cg_value(v, type);
}
