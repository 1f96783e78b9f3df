/* constant.c -- array constants (sema/const_array.c): one read-only table of its elements in each module of code that
 * uses it. On GPUs a table lies in constant memory, which broadcasts an element to all threads of a warp that read it
 * together; tables that do not fit lie in global memory. A session keeps the tables of host code itself, because the
 * program's table of resident arrays identifies arrays by address, and units of code come and go. */
#include "irgen/lang/lang.h"

#include <string.h>

enum { LINE = 64, LEAST_ALIGN = 16 };

static LLVMValueRef element(Cg *cg, const Const *k, Type *t) {
    if (t->kind == TY_BOOL) return LLVMConstInt(cg->i8, k->i != 0, false);
    return cg_const(cg, k, t).v;
}

static int64_t bytes_of(const ConstArray *a) { return a->n * cg_size(a->sym->type->elem); }

/* A table is never empty: PTX has no variables of 0 bytes. */
static LLVMValueRef values(Cg *cg, const ConstArray *a) {
    Type *elem = a->sym->type->elem;
    LLVMTypeRef t = cg_type_mem(cg, elem);
    LLVMValueRef *at = arena_array(&cg->c->arena, LLVMValueRef, a->n + 1);
    for (int64_t i = 0; i < a->n; i++) at[i] = element(cg, &a->at[i], elem);
    if (!a->n) at[0] = LLVMConstNull(t);
    return LLVMConstArray2(t, at, (uint64_t)(a->n ? a->n : 1));
}

static unsigned space_of(Cg *cg, const ConstArray *a) {
    const Gpu *gpu = cg->target->gpu;
    if (!gpu) return 0;
    int64_t bytes = (bytes_of(a) + LINE - 1) / LINE * LINE;
    if (bytes > gpu->constant_bytes - cg->constant_bytes) return GLOBAL_SPACE;
    cg->constant_bytes += bytes;
    return CONSTANT_SPACE;
}

static LLVMValueRef table(Cg *cg, const ConstArray *a) {
    const char *name = arena_printf(&cg->c->arena, "kdsl.const.%s", a->symbol);
    LLVMValueRef g = LLVMGetNamedGlobal(cg->module, name);
    if (g) return g;
    LLVMValueRef value = values(cg, a);
    g = LLVMAddGlobalInAddressSpace(cg->module, LLVMTypeOf(value), name, space_of(cg, a));
    LLVMSetInitializer(g, value);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetGlobalConstant(g, true);
    LLVMSetAlignment(g, bytes_of(a) >= LINE ? LINE : LEAST_ALIGN);
    return g;
}

static void store_element(Cg *cg, const Const *k, Type *t, char *to) {
    float single = (float)k->f;
    uint64_t bits;
    if (t->kind == TY_F64) memcpy(to, &k->f, sizeof k->f);
    else if (t->kind == TY_F32) memcpy(to, &single, sizeof single);
    else bits = LLVMConstIntGetZExtValue(element(cg, k, t)), memcpy(to, &bits, (size_t)cg_size(t)); /* f16: its bits */
}

static LLVMValueRef kept_table(Cg *cg, const ConstArray *a) {
    Type *elem = a->sym->type->elem;
    int64_t size = cg_size(elem);
    char *bytes = arena_alloc(&cg->c->arena, (size_t)(bytes_of(a) + size));
    for (int64_t i = 0; i < a->n; i++) store_element(cg, &a->at[i], elem, bytes + i * size);
    const void *kept = cg->options->keep_bytes(cg->options->keep_context, bytes, (size_t)bytes_of(a));
    return LLVMConstIntToPtr(LLVMConstInt(cg->i64, (uint64_t)(uintptr_t)kept, false), cg->ptr);
}

CgArray cg_constant_array(CgFunc *f, const Symbol *sym) {
    Cg *cg = f->cg;
    const ConstArray *a = sym->table;
    CgArray r = {.type = sym->type, .name = sym->name};
    bool is_kept = cg->options->keep_bytes && cg->target->is_program;
    LLVMValueRef at = is_kept ? kept_table(cg, a) : table(cg, a);
    r.data = LLVMTypeOf(at) == cg->ptr ? at : LLVMConstAddrSpaceCast(at, cg->ptr);
    for (int d = 0; d < sym->type->rank; d++) r.ext[d] = cg_i64(cg, a->extent[d]);
    return r;
}
