/* entries.c -- registration with libomptarget: the table of kernels, the table of images, the descriptor with both, and
 * the constructor that registers it before the program runs.
 *
 * All symbols are private to the module: the llvm_offload_entries section is only a convention of clang, the runtime
 * takes plain pointers. libomptarget identifies tables by their begin pointer, so several of our objects in one
 * executable can register independently. The descriptor is passed by address: it is constant and lives as long as the
 * program. */
#include "offload/protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offload/module.h"

static LLVMTypeRef struct_type(OffModule *m, const char *name, LLVMTypeRef *fields, unsigned n) {
    LLVMTypeRef t = LLVMGetTypeByName2(m->context, name);
    if (t) return t;
    t = LLVMStructCreateNamed(m->context, name);
    LLVMStructSetBody(t, fields, n, false);
    return t;
}
#define STRUCT(m, name, ...)                                                                                           \
    struct_type((m), (name), (LLVMTypeRef[]){__VA_ARGS__}, sizeof((LLVMTypeRef[]){__VA_ARGS__}) / sizeof(LLVMTypeRef))

static void make_types(OffModule *m) {
    LLVMContextRef x = m->context;
    LLVMTypeRef i16 = m->i16 = LLVMInt16TypeInContext(x), i32 = m->i32 = LLVMInt32TypeInContext(x);
    LLVMTypeRef i64 = m->i64 = LLVMInt64TypeInContext(x), ptr = m->ptr = LLVMPointerTypeInContext(x, 0);
    LLVMTypeRef dims = LLVMArrayType2(i32, 3);
    m->i8 = LLVMInt8TypeInContext(x);
    m->ident = STRUCT(m, "ident_t", i32, i32, i32, i32, ptr);
    m->entry = STRUCT(m, "__tgt_offload_entry", i64, i16, i16, i32, ptr, ptr, i64, i64, ptr);
    m->image = STRUCT(m, "__tgt_device_image", ptr, ptr, ptr, ptr);
    m->descriptor = STRUCT(m, "__tgt_bin_desc", i32, ptr, ptr, ptr);
    m->kernel_args =
        STRUCT(m, "__tgt_kernel_arguments", i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, dims, dims, i32);
}

OffModule *off_module_new(Compiler *c, LLVMModuleRef host) {
    OffModule *m = calloc(1, sizeof *m);
    if (!m) ice(c, (Span){0, 0}, "out of memory");
    m->module = host;
    m->context = LLVMGetModuleContext(host);
    m->tag = off_source_tag(c);
    make_types(m);
    return m;
}

void off_module_free(OffModule *m) {
    if (!m) return;
    arena_free(&m->arena);
    free(m);
}

/* FNV-1a hash of paths and texts. It only has to be distinct for distinct sources. */
uint64_t off_source_tag(const Compiler *c) {
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < c->sources.files.n; i++) {
        const Source *s = c->sources.files.at[i];
        for (const char *p = s->path; p && *p; p++) h = (h ^ (unsigned char)*p) * 0x100000001b3u;
        for (uint32_t k = 0; k < s->n; k++) h = (h ^ (unsigned char)s->text[k]) * 0x100000001b3u;
    }
    return h;
}

void off_image_name(char name[OFF_SYMBOL_BYTES], uint64_t tag, int image, bool end) {
    snprintf(name, OFF_SYMBOL_BYTES, "kdsl_image_%016llx_%d_%s", (unsigned long long)tag, image, end ? "end" : "begin");
}

static const char *symbol(Compiler *c, const char *prefix, const char *kernel) {
    char *name = arena_printf(&c->arena, "%s_%s", prefix, kernel);
    for (char *p = name; *p; p++)
        if (*p == '.') *p = '$';
    return name;
}

const char *off_kernel_symbol(Compiler *c, const char *kernel) { return symbol(c, "kdsl_kernel", kernel); }
const char *off_narrow_symbol(Compiler *c, const char *kernel) { return symbol(c, "kdsl_narrow", kernel); }

const char *off_fallback_symbol(Compiler *c, const char *kernel) {
    return arena_printf(&c->arena, "kdsl_kernel_%s.host.%016llx", kernel, (unsigned long long)off_source_tag(c));
}

const char *off_image_symbol(Compiler *c, int image, bool end) {
    char name[OFF_SYMBOL_BYTES];
    off_image_name(name, off_source_tag(c), image, end);
    return arena_strndup(&c->arena, name, strlen(name));
}

/* Constants -------------------------------------------------------------------------------------------------------- */
LLVMValueRef off_private_constant(OffModule *m, LLVMValueRef value, const char *name) {
    LLVMValueRef g = LLVMAddGlobal(m->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    return g;
}

LLVMValueRef off_string(OffModule *m, const char *text, const char *name) {
    LLVMValueRef g = off_private_constant(m, LLVMConstStringInContext2(m->context, text, strlen(text), false), name);
    LLVMSetAlignment(g, 1);
    return g;
}

/* The kernel's region id, created at its first launch, which also adds the kernel to the entry table. */
LLVMValueRef off_region(OffModule *m, const char *kernel) {
    const char *name = arena_printf(&m->arena, "%s.region_id", kernel);
    LLVMValueRef region = LLVMGetNamedGlobal(m->module, name);
    if (region) return region;
    region = LLVMAddGlobal(m->module, m->i8, name);
    if (m->is_unit) return region;
    LLVMSetInitializer(region, LLVMConstInt(m->i8, 0, false));
    LLVMSetGlobalConstant(region, true);
    LLVMSetLinkage(region, LLVMInternalLinkage); /* no unnamed_addr, or LLVM could merge two regions */
    OffKernel k = {arena_strndup(&m->arena, kernel, strlen(kernel)), region};
    vec_push(&m->arena, &m->kernels, k);
    return region;
}

void off_be_unit(OffModule *m) { m->is_unit = true; }

void off_define_region(OffModule *m, const char *kernel) {
    LLVMSetInitializer(off_region(m, kernel), LLVMConstInt(m->i8, 0, false));
}

static LLVMValueRef int32(OffModule *m, uint64_t v) { return LLVMConstInt(m->i32, v, false); }
static LLVMValueRef int64(OffModule *m, uint64_t v) { return LLVMConstInt(m->i64, v, false); }

/* Address after the last of n elements. */
static LLVMValueRef table_end(OffModule *m, LLVMTypeRef element, LLVMValueRef table, int n) {
    LLVMValueRef at = int64(m, (uint64_t)n);
    return LLVMConstInBoundsGEP2(element, table, &at, 1);
}

static LLVMValueRef entry(OffModule *m, uint64_t flags, LLVMValueRef address, const char *name, uint64_t data) {
    LLVMValueRef fields[] = {
        int64(m, 0), /* reserved */
        LLVMConstInt(m->i16, OFF_ENTRY_VERSION, false),
        LLVMConstInt(m->i16, OFF_KIND_OPENMP, false),
        int32(m, flags),
        address,
        off_string(m, name, "kdsl.entry_name"),
        int64(m, 0), /* size 0: a function */
        int64(m, data),
        LLVMConstNull(m->ptr),
    };
    return LLVMConstNamedStruct(m->entry, fields, 9);
}

static LLVMValueRef entry_table(OffModule *m, int *n) {
    LLVMValueRef *rows = arena_array(&m->arena, LLVMValueRef, m->kernels.n + 1);
    *n = 0;
    if (m->memory == KDSL_MEMORY_UNIFIED)
        rows[(*n)++] = entry(m, OFF_FLAGS_REQUIRES, LLVMConstNull(m->ptr), "", OFF_REQUIRES_UNIFIED_MEMORY);
    for (int i = 0; i < m->kernels.n; i++)
        rows[(*n)++] = entry(m, 0, m->kernels.at[i].region, m->kernels.at[i].name, 0);
    LLVMValueRef table = off_private_constant(m, LLVMConstArray2(m->entry, rows, (uint64_t)*n), "kdsl.entries");
    LLVMSetGlobalConstant(table, m->memory != KDSL_MEMORY_UNIFIED); /* else KDSL_MEMORY may change the requirement */
    return table;
}

/* What the first entry requires, for kdsl_memory; or null. */
static LLVMValueRef requirements(OffModule *m, LLVMValueRef entries) {
    LLVMValueRef at[2] = {int32(m, 0), int32(m, OFF_ENTRY_DATA)};
    if (m->memory != KDSL_MEMORY_UNIFIED) return LLVMConstNull(m->ptr);
    return LLVMConstInBoundsGEP2(m->entry, entries, at, 2);
}

void off_set_memory(OffModule *m, KdslMemoryKind kind, bool copies_each) {
    m->memory = kind;
    m->copies_each = copies_each;
}

static LLVMValueRef image_symbol(OffModule *m, int image, bool end) {
    char name[OFF_SYMBOL_BYTES];
    off_image_name(name, m->tag, image, end);
    LLVMValueRef g = LLVMAddGlobal(m->module, m->i8, name);
    LLVMSetGlobalConstant(g, true);
    LLVMSetVisibility(g, LLVMHiddenVisibility);
    return g;
}

static LLVMValueRef image_table(OffModule *m, int n_images, LLVMValueRef begin, LLVMValueRef end) {
    LLVMValueRef *rows = arena_array(&m->arena, LLVMValueRef, n_images);
    for (int i = 0; i < n_images; i++) {
        LLVMValueRef fields[] = {image_symbol(m, i, false), image_symbol(m, i, true), begin, end};
        rows[i] = LLVMConstNamedStruct(m->image, fields, 4);
    }
    return off_private_constant(m, LLVMConstArray2(m->image, rows, (uint64_t)n_images), "kdsl.images");
}

/* Registration ----------------------------------------------------------------------------------------------------- */
static LLVMValueRef declare(OffModule *m, const char *name, LLVMTypeRef type) {
    LLVMValueRef f = LLVMGetNamedFunction(m->module, name);
    return f ? f : LLVMAddFunction(m->module, name, type);
}

static void call(OffModule *m, LLVMBuilderRef b, const char *callee, LLVMValueRef *args, unsigned n_args) {
    LLVMTypeRef params[3], none = LLVMVoidTypeInContext(m->context);
    for (unsigned i = 0; i < n_args; i++) params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(none, params, n_args, false);
    LLVMBuildCall2(b, type, declare(m, callee, type), args, n_args, "");
}

/* internal void name() { callee(args...); atexit(then); }, at its beginning if `memory` is not NULL:
 * kdsl_memory(memory...); */
static LLVMValueRef thunk(OffModule *m, const char *name, LLVMValueRef *memory, const char *callee, LLVMValueRef *args,
                          unsigned n_args, LLVMValueRef then) {
    LLVMTypeRef none = LLVMVoidTypeInContext(m->context);
    LLVMValueRef f = LLVMAddFunction(m->module, name, LLVMFunctionType(none, NULL, 0, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetSection(f, ".text.startup");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->context, f, "entry"));
    if (memory) call(m, b, "kdsl_memory", memory, 3);
    call(m, b, callee, args, n_args);
    if (then) {
        LLVMTypeRef at_exit = LLVMFunctionType(m->i32, &m->ptr, 1, false);
        LLVMBuildCall2(b, at_exit, declare(m, "atexit", at_exit), &then, 1, "");
    }
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return f;
}

/* Adds `value` to llvm.compiler.used, so that LLVM does not remove it. An existing list is replaced by a longer one. */
static void keep(OffModule *m, LLVMValueRef value) {
    LLVMValueRef old = LLVMGetNamedGlobal(m->module, "llvm.compiler.used");
    LLVMValueRef list = old ? LLVMGetInitializer(old) : NULL;
    int n = list ? LLVMGetNumOperands(list) : 0;
    LLVMValueRef *kept = arena_array(&m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) kept[i] = LLVMGetOperand(list, (unsigned)i);
    kept[n] = value;
    if (old) LLVMDeleteGlobal(old);
    list = LLVMConstArray2(m->ptr, kept, (uint64_t)n + 1);
    LLVMValueRef g = LLVMAddGlobal(m->module, LLVMTypeOf(list), "llvm.compiler.used");
    LLVMSetInitializer(g, list);
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, "llvm.metadata");
}

/* The slot is put into .init_array directly: for llvm.global_ctors a target machine made through the C API emits
 * .ctors, which neither lld nor glibc supports. 101 is the highest priority for programs, so registration comes before
 * any other constructor that could launch a kernel. */
static void add_constructor(OffModule *m, LLVMValueRef function) {
    LLVMValueRef slot = LLVMAddGlobal(m->module, m->ptr, "kdsl.constructor");
    LLVMSetInitializer(slot, function);
    LLVMSetGlobalConstant(slot, true);
    LLVMSetLinkage(slot, LLVMInternalLinkage);
    LLVMSetSection(slot, ".init_array.101");
    keep(m, slot);
}

int off_module_finish(OffModule *m, int n_images, bool has_ptx) {
    int n = m->kernels.n, n_entries;
    if (!n) return 0;
    LLVMValueRef begin = entry_table(m, &n_entries), end = table_end(m, m->entry, begin, n_entries);
    LLVMValueRef fields[] = {int32(m, (uint64_t)n_images), image_table(m, n_images, begin, end), begin, end};
    LLVMValueRef descriptor =
        off_private_constant(m, LLVMConstNamedStruct(m->descriptor, fields, 4), "kdsl.descriptor");
    const char *in = has_ptx ? "kdsl_ptx_register" : "kdsl_register";
    const char *out = has_ptx ? "kdsl_ptx_unregister" : "kdsl_unregister";
    LLVMTypeRef registers = LLVMFunctionType(LLVMVoidTypeInContext(m->context), &m->ptr, 1, false);
    LLVMValueRef args[2] = {descriptor, declare(m, "__tgt_register_lib", registers)};
    LLVMValueRef unregister = thunk(m, "kdsl.unregister", NULL, out, args, 1, NULL);
    LLVMValueRef memory[3] = {int32(m, m->memory), int32(m, m->copies_each), requirements(m, begin)};
    add_constructor(m, thunk(m, "kdsl.register", memory, in, args, 2, unregister));
    return n;
}
