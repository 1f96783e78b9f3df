/* elf.h -- private to offload/: reading and writing the parts of ELF (64-bit, little-endian) that are needed here,
 * without a library. */
#ifndef KDSL_OFFLOAD_ELF_H
#define KDSL_OFFLOAD_ELF_H

#include "offload/container.h"

/* True if the relocatable object defines the symbol; false also for anything that is not an ELF object. */
bool elf_defines(Blob object, const char *symbol);
/* True if the relocatable object has an undefined symbol whose name begins with `prefix`. */
bool elf_needs(Blob object, const char *prefix);
/* Name of the k-th undefined symbol of a relocatable object, or NULL if there is none. Points into `object`. */
const char *elf_undefined_symbol(Blob object, int k);
/* Name of the k-th undefined symbol of a shared object that has no symbol version, or NULL if there is none; weak
 * symbols do not count. Points into `image`. */
const char *elf_unbound_symbol(Blob image, int k);
/* True if a program linked with the file can use a symbol of this name: exported by a shared object, or global in a
 * relocatable object or an archive. false also for any other file. */
bool elf_gives(Blob file, const char *symbol);
/* Name of the k-th DT_NEEDED library of a shared object, or NULL if there is none. Points into `object`. */
const char *elf_needed_library(Blob object, int k);
/* Returns a relocatable object with a read-only section .llvm.offloading that contains the containers, and hidden
 * symbols names[2 * i] and names[2 * i + 1] at the begin and end of the i-th image. at == NULL: out of memory. */
Blob elf_data_object(const Container *containers, const char *const *names, int n);

#endif
