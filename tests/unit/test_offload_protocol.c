/* The protocol as LLVM types agrees with protocol.h, every Transfer has its map type, and places survive any name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "offload/elf.h"
#include "offload/module.h"
#include "offload/protocol.h"

static int n_failed;

static void check(bool ok, const char *what) {
    if (ok) return;
    printf("failed: %s\n", what);
    n_failed++;
}

static void expect(const char *got, const char *want) {
    if (!strcmp(got, want)) return;
    printf("`%s`, not `%s`\n", got, want);
    n_failed++;
}

static void test_layouts(void) {
    Compiler c;
    compiler_init(&c);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("layouts", context);
    OffModule *m = off_module_new(&c, module);
    LLVMTargetDataRef data = LLVMCreateTargetData("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128");
    check(LLVMABISizeOfType(data, m->ident) == sizeof(OffIdent), "ident_t");
    check(LLVMABISizeOfType(data, m->entry) == sizeof(OffEntry), "entry");
    check(LLVMABISizeOfType(data, m->image) == sizeof(OffImage), "image");
    check(LLVMABISizeOfType(data, m->descriptor) == sizeof(OffDescriptor), "descriptor");
    check(LLVMABISizeOfType(data, m->kernel_args) == sizeof(OffKernelArgs), "kernel arguments");
    check(LLVMOffsetOfElement(data, m->entry, 4) == offsetof(OffEntry, address), "entry.address");
    check(LLVMOffsetOfElement(data, m->entry, 6) == offsetof(OffEntry, size_bytes), "entry.size");
    check(LLVMCountStructElementTypes(m->kernel_args) == OFF_ARGS__COUNT, "number of fields");
    static const size_t offsets[OFF_ARGS__COUNT] = {
        [OFF_ARGS_VERSION] = offsetof(OffKernelArgs, version),
        [OFF_ARGS_COUNT] = offsetof(OffKernelArgs, n_args),
        [OFF_ARGS_BASES] = offsetof(OffKernelArgs, bases),
        [OFF_ARGS_BEGINS] = offsetof(OffKernelArgs, begins),
        [OFF_ARGS_SIZES] = offsetof(OffKernelArgs, sizes),
        [OFF_ARGS_TYPES] = offsetof(OffKernelArgs, types),
        [OFF_ARGS_NAMES] = offsetof(OffKernelArgs, names),
        [OFF_ARGS_MAPPERS] = offsetof(OffKernelArgs, mappers),
        [OFF_ARGS_TRIP_COUNT] = offsetof(OffKernelArgs, trip_count),
        [OFF_ARGS_FLAGS] = offsetof(OffKernelArgs, flags),
        [OFF_ARGS_TEAMS] = offsetof(OffKernelArgs, teams),
        [OFF_ARGS_THREADS] = offsetof(OffKernelArgs, threads),
        [OFF_ARGS_SHARED] = offsetof(OffKernelArgs, dynamic_shared_bytes),
    };
    for (unsigned i = 0; i < OFF_ARGS__COUNT; i++)
        check(LLVMOffsetOfElement(data, m->kernel_args, i) == offsets[i], "field of the kernel arguments");
    check(off_module_finish(m, 1, false) == 0 && !LLVMGetFirstFunction(module) && !LLVMGetFirstGlobal(module),
          "nothing is emitted where nothing is launched");
    off_module_free(m);
    LLVMDisposeTargetData(data);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    compiler_free(&c);
}

static void test_map_types(void) {
    check(off_map_type(TRANSFER_ALLOC) == 0x20, "alloc");
    check(off_map_type(TRANSFER_TO) == 0x21, "to");
    check(off_map_type(TRANSFER_FROM) == 0x22, "from");
    check(off_map_type(TRANSFER_TOFROM) == 0x23, "tofrom");
    check(off_map_literal() == 0x120, "literal");
}

static void test_places(void) {
    Arena a = {0};
    expect(off_ident_text(&a, &(OffPlace){"a.kdsl", "kdsl_k", 12, 5, 1, 0}), ";a.kdsl;kdsl_k;12;5;;");
    expect(off_ident_text(&a, &(OffPlace){"odd;name\n.kdsl", "", -1, 0, 1, 0}), ";odd_name_.kdsl;unknown;0;0;;");
    expect(off_ident_text(&a, &(OffPlace){NULL, NULL, 1, 1, 1, 0}), ";unknown;unknown;1;1;;");
    const OffPlace utf8 = {"d\xc3\xa9.kdsl", "k", 3, 1, 1, 0};
    expect(off_label_text(&a, "x[0:n]", &utf8), ";x[0:n];d\xc3\xa9.kdsl;3;1;;");
    arena_free(&a);
}

static void test_image_names(void) {
    Compiler a, b;
    compiler_init(&a);
    compiler_init(&b);
    source_add(&a.sources, "a.kdsl", "one", 3);
    source_add(&b.sources, "a.kdsl", "two", 3);
    check(!strcmp(off_image_symbol(&a, 0, false), off_image_symbol(&a, 0, false)), "the same twice");
    check(strcmp(off_image_symbol(&a, 0, false), off_image_symbol(&a, 0, true)), "begin and end");
    check(strcmp(off_image_symbol(&a, 0, false), off_image_symbol(&a, 1, false)), "first and second");
    check(strcmp(off_image_symbol(&a, 0, false), off_image_symbol(&b, 0, false)), "two programs");
    compiler_free(&a);
    compiler_free(&b);
}

/* Objects written here are read back here; broken ones are refused, at every length. */
static void test_elf(void) {
    Container data[2] = {{{"first image", 11}, 6, 11}, {{"second", 6}, 0, 6}};
    const char *names[] = {"a_begin", "a_end", "b_begin", "b_end"};
    Blob object = elf_data_object(data, names, 2);
    for (int i = 0; i < 4; i++) check(elf_defines(object, names[i]), names[i]);
    check(!elf_defines(object, "other") && !elf_undefined_symbol(object, 0), "nothing else");
    for (size_t n = 0; n < object.n; n++) {
        Blob cut = {malloc(n + 1), n};
        memcpy(cut.at, object.at, n);
        check(!elf_defines(cut, "other") && !elf_unbound_symbol(cut, 0), "a truncated object");
        blob_free(&cut);
    }
    for (size_t i = 0; i < object.n; i++) { /* any byte wrong: any answer, but no crash */
        object.at[i] = (char)~object.at[i];
        elf_defines(object, "other");
        elf_unbound_symbol(object, 0);
        elf_undefined_symbol(object, 1);
        object.at[i] = (char)~object.at[i];
    }
    blob_free(&object);
}

int main(void) {
    test_layouts();
    test_map_types();
    test_places();
    test_image_names();
    test_elf();
    return n_failed != 0;
}
