/* protocol.h -- libomptarget's struct layouts and constants. entries.c builds the same structs as LLVM types, and tests
 * compare the two. Source of everything here: LLVM 22.1.8, the file named at each item, to be read again for a newer
 * LLVM. */
#ifndef KDSL_OFFLOAD_PROTOCOL_H
#define KDSL_OFFLOAD_PROTOCOL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* openmp/runtime/src/kmp.h, struct ident; offload/include/OpenMP/Mapping.h reads psource through
 * offload/include/Shared/SourceInfo.h: ";file;function;line;column;;". clang writes strlen(psource) in reserved_3. */
typedef struct OffIdent {
    int32_t reserved_1, flags, reserved_2, reserved_3;
    const char *psource;
} OffIdent;
static_assert(sizeof(OffIdent) == 24, "ident_t");
enum { OFF_IDENT_KMPC = 2 }; /* KMP_IDENT_KMPC: the calls follow clang's conventions */

/* llvm/include/llvm/Frontend/Offloading/Utility.h, struct EntryTy (version 1). `reserved` must be 0: it distinguishes
 * this layout from the older {addr, name, size, flags, reserved}. */
typedef struct OffEntry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    void *address; /* the region id: any unique host address */
    char *symbol;
    uint64_t size_bytes, data; /* size_bytes 0: a kernel */
    void *aux;
} OffEntry;
static_assert(sizeof(OffEntry) == 56, "EntryTy");
static_assert(offsetof(OffEntry, address) == 16 && offsetof(OffEntry, aux) == 48, "EntryTy");
enum { OFF_ENTRY_VERSION = 1, OFF_KIND_OPENMP = 1, OFF_ENTRY_DATA = 7 /* number of the field */ };
/* An entry with these flags is not a kernel; its `data` is the program's `requires` clauses
 * (offload/include/omptarget.h, OMP_REGISTER_REQUIRES and OpenMPOffloadingRequiresDirFlags; read by
 * offload/libomptarget/PluginManager.cpp). */
enum { OFF_FLAGS_REQUIRES = 0x10, OFF_REQUIRES_UNIFIED_MEMORY = 8 };

/* offload/include/Shared/APITypes.h, struct __tgt_device_image and struct __tgt_bin_desc */
typedef struct OffImage {
    void *image_begin, *image_end;
    OffEntry *entries_begin, *entries_end;
} OffImage;
static_assert(sizeof(OffImage) == 32, "__tgt_device_image");

typedef struct OffDescriptor {
    int32_t n_images;
    OffImage *images;
    OffEntry *entries_begin, *entries_end;
} OffDescriptor;
static_assert(sizeof(OffDescriptor) == 32, "__tgt_bin_desc");

/* offload/include/Shared/APITypes.h, struct KernelArgsTy. The runtime modifies the struct (n_args grows, zero
 * dimensions become 1), so every launch fills all of it again. */
typedef struct OffKernelArgs {
    uint32_t version, n_args;
    void **bases, **begins;
    int64_t *sizes, *types;
    void **names, **mappers;
    uint64_t trip_count, flags;
    uint32_t teams[3], threads[3], dynamic_shared_bytes;
} OffKernelArgs;
static_assert(sizeof(OffKernelArgs) == 104, "KernelArgsTy");
static_assert(offsetof(OffKernelArgs, trip_count) == 56 && offsetof(OffKernelArgs, teams) == 72, "KernelArgsTy");
/* llvm/include/llvm/Frontend/OpenMP/OMPConstants.h, OMP_KERNEL_ARG_VERSION. From 3 on every kernel gets the launch
 * environment as an extra first argument. */
enum { OFF_KERNEL_ARGS_VERSION = 3 };
/* Field numbers of the LLVM struct type, in the order above. */
enum {
    OFF_ARGS_VERSION, OFF_ARGS_COUNT, OFF_ARGS_BASES, OFF_ARGS_BEGINS, OFF_ARGS_SIZES, OFF_ARGS_TYPES, OFF_ARGS_NAMES,
    OFF_ARGS_MAPPERS, OFF_ARGS_TRIP_COUNT, OFF_ARGS_FLAGS, OFF_ARGS_TEAMS, OFF_ARGS_THREADS, OFF_ARGS_SHARED,
    OFF_ARGS__COUNT
};

/* offload/include/omptarget.h, enum tgt_map_type: the bits kdslc uses. */
enum {
    OFF_MAP_TO = 0x1,
    OFF_MAP_FROM = 0x2,
    OFF_MAP_ALWAYS = 0x4,    /* copied even if the data is already mapped */
    OFF_MAP_PARAM = 0x20,    /* the entry is a kernel argument, in the order of the arrays */
    OFF_MAP_LITERAL = 0x100, /* the value itself is in the base slot */
};

/* Any negative device id selects omp_get_default_device (offload/include/omptarget.h, OFFLOAD_DEVICE_DEFAULT). */
#define OFF_DEVICE_DEFAULT (-1)

#endif
