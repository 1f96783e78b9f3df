/* launch.c -- emits a kernel launch: arrays that describe the arguments, the argument struct, the call. The builder
 * must be in a function. Every launch fills the whole struct: the runtime modifies it (protocol.h), and with the
 * modified values a second launch would read past the ends of the arrays. */
#include "offload/module.h"
#include "offload/protocol.h"

#include <string.h>

/* Stack memory ----------------------------------------------------------------------------------------------------- */
/* In the entry block: an alloca in a loop would grow the stack in every iteration. */
static LLVMValueRef entry_alloca(OffModule *m, LLVMValueRef function, LLVMTypeRef type, const char *name) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first) LLVMPositionBuilderBefore(b, first);
    else LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef slot = LLVMBuildAlloca(b, type, name);
    LLVMSetAlignment(slot, 8);
    LLVMDisposeBuilder(b);
    return slot;
}

static OffFrame *need_frame(OffModule *m, LLVMValueRef function, int n_args) {
    OffFrame *f = &m->frame;
    if (f->function != function) {
        *f = (OffFrame){.function = function};
        f->args = entry_alloca(m, function, m->kernel_args, "launch.args");
    }
    if (f->cap < n_args) {
        f->cap = n_args;
        f->bases = entry_alloca(m, function, LLVMArrayType2(m->ptr, (uint64_t)n_args), "launch.bases");
        f->begins = entry_alloca(m, function, LLVMArrayType2(m->ptr, (uint64_t)n_args), "launch.begins");
        f->sizes = entry_alloca(m, function, LLVMArrayType2(m->i64, (uint64_t)n_args), "launch.sizes");
    }
    return f;
}

/* Values ----------------------------------------------------------------------------------------------------------- */
/* A scalar as a LITERAL: its bits, zero-extended to the size of a pointer. */
static LLVMValueRef literal_slot(OffModule *m, LLVMBuilderRef b, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) return v;
    if (LLVMGetTypeKind(t) == LLVMFloatTypeKind) v = LLVMBuildBitCast(b, v, m->i32, "");
    else if (LLVMGetTypeKind(t) == LLVMDoubleTypeKind) v = LLVMBuildBitCast(b, v, m->i64, "");
    else if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) v = LLVMBuildBitCast(b, v, m->i16, ""); /* half, bfloat */
    return LLVMBuildIntToPtr(b, LLVMBuildZExt(b, v, m->i64, ""), m->ptr, "");
}

static uint64_t literal_bytes(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return (LLVMGetIntTypeWidth(t) + 7) / 8;
    case LLVMFloatTypeKind: return 4;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 2;
    default: return 8;
    }
}

static void store_element(OffModule *m, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef array, int i, LLVMValueRef v) {
    LLVMValueRef at = LLVMConstInt(m->i64, (uint64_t)i, false);
    LLVMBuildStore(b, v, LLVMBuildInBoundsGEP2(b, type, array, &at, 1, ""));
}

/* Stores the bases, begins and sizes of this launch. If all sizes are constants, they are a constant table. */
static LLVMValueRef fill_arrays(OffModule *m, LLVMBuilderRef b, OffFrame *f, const OffLaunch *l) {
    bool constant = true;
    LLVMValueRef *sizes = arena_array(&m->arena, LLVMValueRef, l->n_args);
    for (int i = 0; i < l->n_args; i++) {
        const OffArg *a = &l->args[i];
        LLVMValueRef base = a->value ? literal_slot(m, b, a->value) : a->base;
        store_element(m, b, m->ptr, f->bases, i, base);
        store_element(m, b, m->ptr, f->begins, i, a->value ? base : a->begin);
        sizes[i] = a->value ? LLVMConstInt(m->i64, literal_bytes(a->value), false) : a->size_bytes;
        constant = constant && LLVMIsConstant(sizes[i]);
    }
    if (constant) {
        LLVMValueRef table = LLVMConstArray2(m->i64, sizes, (uint64_t)l->n_args);
        return off_private_constant(m, table, "kdsl.sizes");
    }
    for (int i = 0; i < l->n_args; i++) store_element(m, b, m->i64, f->sizes, i, sizes[i]);
    return f->sizes;
}

static LLVMValueRef type_table(OffModule *m, const OffLaunch *l) {
    LLVMValueRef *types = arena_array(&m->arena, LLVMValueRef, l->n_args);
    for (int i = 0; i < l->n_args; i++) {
        int64_t t = l->args[i].value ? off_map_literal() : off_map_type(l->args[i].transfer);
        if (l->args[i].is_there) t |= OFF_MAP_ALWAYS;
        types[i] = LLVMConstInt(m->i64, (uint64_t)t, false);
    }
    return off_private_constant(m, LLVMConstArray2(m->i64, types, (uint64_t)l->n_args), "kdsl.map_types");
}

static LLVMValueRef name_table(OffModule *m, const OffLaunch *l) {
    LLVMValueRef *names = arena_array(&m->arena, LLVMValueRef, l->n_args);
    for (int i = 0; i < l->n_args; i++)
        names[i] = off_string(m, off_label_text(&m->arena, l->args[i].label, &l->args[i].place), "kdsl.map_name");
    return off_private_constant(m, LLVMConstArray2(m->ptr, names, (uint64_t)l->n_args), "kdsl.map_names");
}

/* libomptarget reads flags and text only: the first and the third field have what our runtime needs beside the text. */
static LLVMValueRef ident(OffModule *m, const OffPlace *place) {
    const char *text = off_ident_text(&m->arena, place);
    LLVMValueRef fields[] = {LLVMConstInt(m->i32, place->hash, false), LLVMConstInt(m->i32, OFF_IDENT_KMPC, false),
                             LLVMConstInt(m->i32, (unsigned)place->length, false),
                             LLVMConstInt(m->i32, strlen(text), false), off_string(m, text, "kdsl.place")};
    return off_private_constant(m, LLVMConstNamedStruct(m->ident, fields, 5), "kdsl.ident");
}

LLVMValueRef off_section_info(OffModule *m, const OffArg *section, const OffPlace *place) {
    const char *name = off_label_text(&m->arena, section->label, &section->place);
    LLVMValueRef fields[] = {ident(m, place), off_string(m, name, "kdsl.map_name")};
    return off_private_constant(m, LLVMConstStructInContext(m->context, fields, 2, false), "kdsl.section");
}

/* The struct and the call ------------------------------------------------------------------------------------------ */
static void store_dims(OffModule *m, LLVMBuilderRef b, LLVMValueRef args, unsigned field, LLVMValueRef const dims[3]) {
    LLVMValueRef at = LLVMBuildStructGEP2(b, m->kernel_args, args, field, "");
    for (int i = 0; i < 3; i++) store_element(m, b, m->i32, at, i, dims[i] ? dims[i] : LLVMConstInt(m->i32, 1, false));
}

static void fill_args(OffModule *m, LLVMBuilderRef b, OffFrame *f, const OffLaunch *l) {
    LLVMValueRef null = LLVMConstNull(m->ptr);
    LLVMValueRef fields[OFF_ARGS__COUNT] = {
        [OFF_ARGS_VERSION] = LLVMConstInt(m->i32, OFF_KERNEL_ARGS_VERSION, false),
        [OFF_ARGS_COUNT] = LLVMConstInt(m->i32, (uint64_t)l->n_args, false),
        [OFF_ARGS_BASES] = null,
        [OFF_ARGS_BEGINS] = null,
        [OFF_ARGS_SIZES] = null,
        [OFF_ARGS_TYPES] = null,
        [OFF_ARGS_NAMES] = null,
        [OFF_ARGS_MAPPERS] = null,
        [OFF_ARGS_TRIP_COUNT] = l->trip_count ? l->trip_count : LLVMConstInt(m->i64, 0, false),
        [OFF_ARGS_FLAGS] = LLVMConstInt(m->i64, 0, false),
        [OFF_ARGS_SHARED] = LLVMConstInt(m->i32, 0, false),
    };
    if (l->n_args) {
        fields[OFF_ARGS_SIZES] = fill_arrays(m, b, f, l);
        fields[OFF_ARGS_BASES] = f->bases;
        fields[OFF_ARGS_BEGINS] = f->begins;
        fields[OFF_ARGS_TYPES] = type_table(m, l);
        fields[OFF_ARGS_NAMES] = name_table(m, l);
    }
    for (unsigned i = 0; i < OFF_ARGS__COUNT; i++)
        if (fields[i]) LLVMBuildStore(b, fields[i], LLVMBuildStructGEP2(b, m->kernel_args, f->args, i, ""));
    store_dims(m, b, f->args, OFF_ARGS_TEAMS, l->teams);
    store_dims(m, b, f->args, OFF_ARGS_THREADS, l->threads);
}

/* Declares kdsl_launch or kdsl_launch_alone (runtime/launch.c), wrappers of __tgt_target_kernel. */
static LLVMValueRef launch_function(OffModule *m, bool is_alone, LLVMTypeRef *type) {
    LLVMTypeRef params[] = {m->ptr, m->i64, m->i32, m->i32, m->ptr, m->ptr};
    const char *name = is_alone ? "kdsl_launch_alone" : "kdsl_launch";
    *type = LLVMFunctionType(m->i32, params, 6, false);
    LLVMValueRef fn = LLVMGetNamedFunction(m->module, name);
    if (fn) return fn;
    fn = LLVMAddFunction(m->module, name, *type);
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(m->context, nounwind, 0));
    return fn;
}

LLVMValueRef off_emit_launch(OffModule *m, LLVMBuilderRef b, const OffLaunch *l) {
    LLVMTypeRef type;
    LLVMValueRef launch = launch_function(m, l->is_alone, &type);
    OffFrame *f = need_frame(m, LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)), l->n_args);
    fill_args(m, b, f, l);
    LLVMValueRef one = LLVMConstInt(m->i32, 1, false), region = off_region(m, l->kernel);
    if (l->narrow) region = LLVMBuildSelect(b, l->fits, off_region(m, l->narrow), region, "region");
    LLVMValueRef call[] = {
        ident(m, &l->place),
        l->device ? l->device : LLVMConstInt(m->i64, (uint64_t)OFF_DEVICE_DEFAULT, true),
        l->teams[0] ? l->teams[0] : one, /* the struct sets the number of teams; -1 here would force one team */
        l->threads[0] ? l->threads[0] : one,
        region,
        f->args,
    };
    return LLVMBuildCall2(b, type, launch, call, 6, "launched");
}
