/* target.h -- the functions that the runtime calls in libomptarget (offload/include/omptarget.h of LLVM 22.1.8) and in
 * libomp, the OpenMP runtime that it uses. The calls go through a table whose entries are looked up only in
 * libomptarget and the libraries that it depends on: in a process that uses OpenMP itself, the same names may also be
 * defined by libgomp or by another version of these libraries (target.c). */
#ifndef KDSL_RUNTIME_TARGET_H
#define KDSL_RUNTIME_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/runtime.h"

typedef void Mapper(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,
                    void **names, void **mappers);

/* field, name in the library, result, parameters */
#define TARGET_FUNCTIONS(FUNCTION)                                                                                     \
    FUNCTION(register_lib, "__tgt_register_lib", void, (const void *descriptor))                                       \
    FUNCTION(unregister_lib, "__tgt_unregister_lib", void, (const void *descriptor))                                   \
    FUNCTION(kernel, "__tgt_target_kernel", int32_t,                                                                   \
             (void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args))                    \
    FUNCTION(begin_mapping, "__tgt_target_data_begin_mapper", void,                                                    \
             (void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,       \
              void **names, void **mappers))                                                                           \
    FUNCTION(end_mapping, "__tgt_target_data_end_mapper", void,                                                        \
             (void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,       \
              void **names, void **mappers))                                                                           \
    FUNCTION(update, "__tgt_target_data_update_mapper", void,                                                          \
             (void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,       \
              void **names, void **mappers))                                                                           \
    FUNCTION(mapped, "omp_get_mapped_ptr", void *, (const void *at, int device))                                       \
    FUNCTION(associate, "omp_target_associate_ptr", int,                                                               \
             (const void *at, const void *there, size_t n_bytes, size_t offset, int device))                           \
    FUNCTION(dissociate, "omp_target_disassociate_ptr", int, (const void *at, int device))                             \
    FUNCTION(n_devices, "omp_get_num_devices", int, (void))                                                            \
    FUNCTION(default_device, "omp_get_default_device", int, (void))                                                    \
    FUNCTION(device_uid, "omp_get_uid_from_device", const char *, (int device))

typedef struct Target {
#define FUNCTION(field, name, result, parameters) result(*field) parameters;
    TARGET_FUNCTIONS(FUNCTION)
#undef FUNCTION
} Target;

/* Where the process has no libomptarget, the table of a machine without devices. */
KDSL_RT const Target *kdsl_target(void);
/* libomptarget, or NULL: dlsym with this handle looks in the library and in those that it depends on. */
KDSL_RT void *kdsl_target_library(void);

enum {
    MAP_TO = 1, MAP_FROM = 2, MAP_ALWAYS = 4, MAP_DELETE = 8, MAP_PARAM = 0x20, MAP_RETURN = 0x40, MAP_LITERAL = 0x100
};
enum { REQUIRES_NOTHING = 1 }; /* OMP_REQ_NONE of offload/include/omptarget.h */

/* offload/include/Shared/APITypes.h, KernelArgsTy: its first fields */
typedef struct KernelArgs {
    uint32_t version, n_args;
    void **bases, **begins;
    int64_t *sizes, *types;
    char **names;
    void **mappers;
    uint64_t items, flags;
    uint32_t blocks[3], threads[3];
} KernelArgs;

#endif
