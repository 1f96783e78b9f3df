/* module.h -- private to offload/: the state of an OffModule, and the structs of the protocol as LLVM types. */
#ifndef KDSL_OFFLOAD_MODULE_H
#define KDSL_OFFLOAD_MODULE_H

#include "offload/offload.h"

typedef struct OffKernel {
    const char *name;    /* device symbol */
    LLVMValueRef region; /* its address is the runtime's key for the kernel */
} OffKernel;

/* Stack memory for the arguments of a launch, in the entry block of a function. All launches of the function share it:
 * they execute one after another, and each sets what it uses. */
typedef struct OffFrame {
    LLVMValueRef function, args, bases, begins, sizes;
    int cap; /* elements of bases, begins, sizes */
} OffFrame;

struct OffModule {
    Arena arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTypeRef i8, i16, i32, i64, ptr;
    LLVMTypeRef ident, entry, image, descriptor, kernel_args;
    Vec(OffKernel) kernels;
    OffFrame frame;
    KdslMemoryKind memory;
    bool copies_each;
    bool is_unit;
    uint64_t tag; /* hash of the sources: distinguishes the image symbols of two programs */
};

/* entries.c */
LLVMValueRef off_region(OffModule *m, const char *kernel);
LLVMValueRef off_private_constant(OffModule *m, LLVMValueRef value, const char *name);
LLVMValueRef off_string(OffModule *m, const char *text, const char *name); /* ptr to a NUL-terminated constant */
uint64_t off_source_tag(const Compiler *c);
/* Writes "kdsl_image_<tag>_<k>_begin" or "..._end" to `name`. */
enum { OFF_SYMBOL_BYTES = 64 };
void off_image_name(char name[OFF_SYMBOL_BYTES], uint64_t tag, int image, bool end);

/* mapping.c */
int64_t off_map_type(Transfer t); /* of an array that is a kernel argument */
int64_t off_map_literal(void);    /* of a scalar that is a kernel argument */
/* The runtime's location strings: ";file;function;line;col;;" and ";label;file;line;col;;". */
const char *off_ident_text(Arena *a, const OffPlace *p);
const char *off_label_text(Arena *a, const char *label, const OffPlace *p);

#endif
