/* type.c -- the mapping of types, constants and addresses to LLVM. A bool is i1 as a value and i8 in memory; index is
 * i64; str is a pointer to NUL-terminated text; an array is its descriptor { ptr data, [rank x i64] extents }. */
#include "irgen/lang/lang.h"
#include "runtime/failure.h"

#include <string.h>

void cg_types_init(Cg *cg) {
    LLVMContextRef ctx = cg->ctx;
    cg->void_ = LLVMVoidTypeInContext(ctx);
    cg->global_ptr = LLVMPointerTypeInContext(cg->ctx, cg->target->global_space);
    cg->ptr = LLVMPointerTypeInContext(ctx, 0);
    cg->i1 = LLVMInt1TypeInContext(ctx);
    cg->i8 = LLVMInt8TypeInContext(ctx);
    cg->i16 = LLVMInt16TypeInContext(ctx);
    cg->i32 = LLVMInt32TypeInContext(ctx);
    cg->i64 = LLVMInt64TypeInContext(ctx);
    cg->f32 = LLVMFloatTypeInContext(ctx);
    cg->f64 = LLVMDoubleTypeInContext(ctx);
    cg->md_tbaa = LLVMGetMDKindIDInContext(ctx, "tbaa", 4);
    cg->md_items = LLVMGetMDKindIDInContext(ctx, "kdsl.items", 10);
    cg->md_tile = LLVMGetMDKindIDInContext(ctx, "kdsl.tile", 9);
    cg->md_short_rows = LLVMGetMDKindIDInContext(ctx, "kdsl.short_rows", 15);
    cg->md_unwritten = LLVMGetMDKindIDInContext(ctx, "kdsl.unwritten", 14);
    cg->md_single = LLVMGetMDKindIDInContext(ctx, "kdsl.single", 11);
    cg->md_version = LLVMGetMDKindIDInContext(ctx, "kdsl.version", 12);
    cg->md_counted = LLVMGetMDKindIDInContext(ctx, "kdsl.counted", 12);
    cg->md_rows = LLVMGetMDKindIDInContext(ctx, "kdsl.rows", 9);
}

LLVMTypeRef cg_desc_type(Cg *cg, int rank) {
    LLVMTypeRef fields[2] = {cg->ptr, LLVMArrayType2(cg->i64, (uint64_t)rank)};
    return LLVMStructTypeInContext(cg->ctx, fields, 2, false);
}

LLVMTypeRef cg_type(Cg *cg, const Type *t) {
    switch (t->kind) {
    case TY_VOID: return cg->void_;
    case TY_BOOL: return cg->i1;
    case TY_I8: case TY_U8: return cg->i8;
    case TY_I16: case TY_U16: return cg->i16;
    case TY_I32: case TY_U32: return cg->i32;
    case TY_I64: case TY_U64: case TY_INDEX: case TY_INT_LITERAL: return cg->i64;
    case TY_F16: case TY_BF16: return cg->i16; /* lang/half.c */
    case TY_F32: return cg->f32;
    case TY_F64: case TY_FLOAT_LITERAL: return cg->f64;
    case TY_STR: return cg->ptr;
    case TY_ARRAY: return cg_desc_type(cg, t->rank);
    case TY_VECTOR: case TY_STRUCT: return cg_type_of_parts(cg, t);
    case TY_FIXED:
        return LLVMArrayType2(cg_type_mem(cg, t->elem), (uint64_t)(t->size_bytes / type_size_bytes(t->elem)));
    case TY_ERROR: case TY__COUNT: break;
    }
    ice(cg->c, (Span){0}, "a value without a type reached the generator");
}

LLVMTypeRef cg_type_mem(Cg *cg, const Type *t) { return t->kind == TY_BOOL ? cg->i8 : cg_type(cg, t); }

Type *cg_scalar(Cg *cg, TypeKind kind) { return type_scalar(cg->program->types, kind); }

int64_t cg_size(const Type *elem) { return elem->kind == TY_STR ? 8 : type_size_bytes(elem); }
int64_t cg_align(const Type *elem) { return type_is_parts(elem) ? cg_part_align(elem) : cg_size(elem); }

LLVMValueRef cg_i64(Cg *cg, int64_t v) { return LLVMConstInt(cg->i64, (uint64_t)v, true); }
LLVMValueRef cg_i32(Cg *cg, int64_t v) { return LLVMConstInt(cg->i32, (uint64_t)v, true); }

static LLVMValueRef const_number(Cg *cg, const Const *k, const Type *type) {
    LLVMTypeRef t = cg_type(cg, type);
    bool is_float = type->is_float || type->kind == TY_FLOAT_LITERAL;
    if (type_is_half(type)) {
        t = type->kind == TY_F16 ? LLVMHalfTypeInContext(cg->ctx) : LLVMBFloatTypeInContext(cg->ctx);
        return LLVMConstBitCast(LLVMConstReal(t, k->kind == CONST_FLOAT ? k->f : (double)k->i), cg->i16);
    }
    if (is_float) return LLVMConstReal(t, k->kind == CONST_FLOAT ? k->f : (double)k->i);
    return LLVMConstInt(t, (uint64_t)k->i, true);
}

CgValue cg_const(Cg *cg, const Const *k, Type *type) {
    switch (k->kind) {
    case CONST_INT: case CONST_FLOAT: return (CgValue){const_number(cg, k, type), type};
    case CONST_BOOL: return (CgValue){LLVMConstInt(cg->i1, k->i != 0, false), type};
    case CONST_STR: return (CgValue){cg_string(cg, k->s.at, k->s.n), type};
    case CONST_NONE: break;
    }
    ice(cg->c, (Span){0}, "a constant without a value reached the generator");
}

/* Private, mergeable; the linker folds equal ones. */
LLVMValueRef cg_string(Cg *cg, const char *at, size_t n) {
    LLVMValueRef text = LLVMConstStringInContext2(cg->ctx, at, n, false);
    LLVMValueRef global = LLVMAddGlobal(cg->module, LLVMTypeOf(text), ".str");
    LLVMSetInitializer(global, text);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 1);
    return global;
}

Place cg_place(Cg *cg, Span span) {
    if (!span.hi) return (Place){cg->c->sources.files.at[0], 1, 1};
    return source_place(&cg->c->sources, span.lo + cg->base_shift);
}

LLVMValueRef cg_plain_place_string(Cg *cg, Span span) {
    Place p = cg_place(cg, span);
    const char *text = arena_printf(&cg->c->arena, "%s:%d:%d", p.file->path, p.line, p.col);
    return cg_string(cg, text, strlen(text));
}

uint32_t cg_line_hash(Cg *cg, Place p) {
    bool is_last = cg->hashed_line.file == p.file && cg->hashed_line.line == p.line;
    int n;
    const char *line = is_last ? NULL : source_line(p.file, p.line, &n);
    if (!is_last) cg->hashed_line.hash = failure_hash(FAILURE_HASH, line, (size_t)n);
    cg->hashed_line.file = p.file;
    cg->hashed_line.line = p.line;
    return cg->hashed_line.hash;
}

bool cg_is_in_library(Cg *cg, Span span) {
    return span.hi && !strncmp(cg_place(cg, span).file->path, FAILURE_LIBRARY, sizeof FAILURE_LIBRARY - 1);
}

/* runtime/excerpt.c: of the standard library with what is marked. */
LLVMValueRef cg_place_string(Cg *cg, Span span) {
    Place p = cg_place(cg, span);
    if (!span.hi) return cg_plain_place_string(cg, span);
    uint32_t n = span.hi > span.lo ? span.hi - span.lo : 1;
    const char *text = arena_printf(&cg->c->arena, "%s:%d:%d\n%u %08x", p.file->path, p.line, p.col, n,
                                    cg_line_hash(cg, p));
    if (cg_is_in_library(cg, span))
        text = arena_printf(&cg->c->arena, "%s\n%s", text, source_marked(&cg->c->arena, p, n));
    return cg_string(cg, text, strlen(text));
}

LLVMAttributeRef cg_attr(Cg *cg, const char *name, uint64_t value) {
    return LLVMCreateEnumAttribute(cg->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

void cg_fn_attr(Cg *cg, LLVMValueRef fn, const char *name) {
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(cg, name, 0));
}

void cg_param_attr(Cg *cg, LLVMValueRef fn, int param, const char *name, uint64_t value) {
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)(param + 1), cg_attr(cg, name, value));
}

LLVMValueRef cg_through_register(Cg *cg, LLVMValueRef v, const char *constraint) {
    LLVMTypeRef t = LLVMTypeOf(v), type = LLVMFunctionType(t, &t, 1, false);
    LLVMInlineAsmDialect dialect = LLVMInlineAsmDialectATT;
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, constraint, strlen(constraint), false, false, dialect, false);
    return LLVMBuildCall2(cg->b, type, nothing, &v, 1, "");
}
