/* target.h -- libomptarget's own entry points (offload/include/omptarget.h of LLVM 22.1.8), as far as the runtime calls
 * them. Weak: the runtime is also part of programs that launch nothing, and of objects that are linked elsewhere. */
#ifndef KDSL_RUNTIME_TARGET_H
#define KDSL_RUNTIME_TARGET_H

#include <stddef.h>
#include <stdint.h>

#define TARGET __attribute__((weak))
typedef void Mapper(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types,
                    void **names, void **mappers);
TARGET Mapper __tgt_target_data_begin_mapper, __tgt_target_data_end_mapper, __tgt_target_data_update_mapper;
TARGET int omp_get_num_devices(void);
TARGET int omp_get_default_device(void);
TARGET int omp_target_associate_ptr(const void *host, const void *there, size_t n_bytes, size_t offset, int device);
TARGET int omp_target_disassociate_ptr(const void *host, int device);
TARGET const char *omp_get_uid_from_device(int device);

enum { MAP_TO = 1, MAP_FROM = 2, MAP_DELETE = 8, MAP_RETURN = 0x40 };

#endif
