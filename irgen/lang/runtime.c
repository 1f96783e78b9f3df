/* runtime.c -- declarations of functions outside the module, made on first use from the rows of lang/runtime.def. */
#include "irgen/lang/lang.h"

#include <string.h>

enum { RT_OURS = 1, RT_FAILS = 2, RT_FRESH = 4, RT_READS = 8 };

typedef struct RuntimeRow {
    const char *name;
    char result;
    const char *params;
    int flags;
} RuntimeRow;

static const RuntimeRow rows[RT__COUNT] = {
#define RUNTIME(id, name, result, params, flags) {#name, result, params, flags},
#include "irgen/lang/runtime.def"
#undef RUNTIME
};

struct CgRuntime {
    LLVMValueRef fn[RT__COUNT];
    LLVMTypeRef type[RT__COUNT];
};

static LLVMTypeRef letter_type(Cg *cg, char c) {
    switch (c) {
    case 'p': return cg->ptr;
    case 'i': return cg->i32;
    case 'l': return cg->i64;
    case 'd': return cg->f64;
    }
    return cg->void_;
}

/* memory(read): two bits, 1 meaning reads, for each of the six IRMemLocations of LLVM 22. memory(none): 0. */
enum { MEMORY_READ = 0x555, MEMORY_NONE = 0 };

static void attributes(Cg *cg, LLVMValueRef fn, const RuntimeRow *row) {
    cg_fn_attr(cg, fn, "nounwind");
    if (row->flags & RT_OURS && !cg->options->unit) LLVMSetVisibility(fn, LLVMHiddenVisibility);
    if (row->flags & RT_FAILS) {
        cg_fn_attr(cg, fn, "noreturn");
        cg_fn_attr(cg, fn, "cold");
    }
    if (row->flags & RT_FRESH) LLVMAddAttributeAtIndex(fn, LLVMAttributeReturnIndex, cg_attr(cg, "noalias", 0));
    if (row->flags & RT_READS) {
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(cg, "memory", MEMORY_READ));
        cg_fn_attr(cg, fn, "willreturn");
    }
}

static void need(Cg *cg, RuntimeId id) {
    if (!cg->runtime) cg->runtime = arena_new(&cg->c->arena, struct CgRuntime);
    if (cg->runtime->fn[id]) return;
    const RuntimeRow *row = &rows[id];
    LLVMTypeRef params[16];
    int n = (int)strlen(row->params);
    for (int i = 0; i < n; i++) params[i] = letter_type(cg, row->params[i]);
    cg->runtime->type[id] = LLVMFunctionType(letter_type(cg, row->result), params, (unsigned)n, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, row->name);
    cg->runtime->fn[id] = fn ? fn : LLVMAddFunction(cg->module, row->name, cg->runtime->type[id]);
    attributes(cg, cg->runtime->fn[id], row);
}

LLVMValueRef cg_runtime(Cg *cg, RuntimeId id) {
    need(cg, id);
    return cg->runtime->fn[id];
}

LLVMValueRef cg_call_runtime(CgFunc *f, RuntimeId id, LLVMValueRef *args, int n) {
    need(f->cg, id);
    LLVMValueRef call = cg_call(f, f->cg->runtime->type[id], f->cg->runtime->fn[id], args, n);
    if (rows[id].flags & RT_FAILS) LLVMBuildUnreachable(f->b);
    return call;
}

LLVMValueRef cg_libm(Cg *cg, const char *name, const Type *t, int n_args, LLVMTypeRef *fn_type) {
    char full[32];
    size_t n = strlen(name);
    memcpy(full, name, n + 1);
    if (t->kind == TY_F32) memcpy(full + n, "f", 2);
    LLVMTypeRef elem = cg_type(cg, t), params[3] = {elem, elem, elem};
    *fn_type = LLVMFunctionType(elem, params, (unsigned)n_args, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, full);
    if (fn) return fn;
    fn = LLVMAddFunction(cg->module, full, *fn_type);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "willreturn");
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(cg, "memory", MEMORY_NONE));
    return fn;
}
