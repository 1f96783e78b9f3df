/* elf.h -- private to offload/: the little ELF (64-bit, little-endian) that is read and written without a library. */
#ifndef KDSL_OFFLOAD_ELF_H
#define KDSL_OFFLOAD_ELF_H

#include "offload/container.h"

/* Does the relocatable object define a symbol of this name? false also for anything that is no ELF object. */
bool elf_defines(Blob object, const char *symbol);
/* Does the relocatable object leave a symbol whose name begins so to others? */
bool elf_needs(Blob object, const char *prefix);
/* Name of the k-th symbol a relocatable object leaves to others, or NULL past the last. Inside `object`. */
const char *elf_undefined_symbol(Blob object, int k);
/* Name of the k-th undefined symbol of a shared object that is bound to no library's version, or NULL past the last.
 * Weak ones do not count. The name is inside `image`. */
const char *elf_unbound_symbol(Blob image, int k);
/* Does the file give others a symbol of this name? A shared object one that can be linked against, a relocatable
 * object or an archive of those a global one. false also for any other file. */
bool elf_gives(Blob file, const char *symbol);
/* The k-th library that a shared object depends on, or NULL past the last. Inside `object`. */
const char *elf_needed_library(Blob object, int k);
/* An object with one read-only section, .llvm.offloading, of containers, and the hidden symbols names[2 * i] and
 * names[2 * i + 1] where the i-th one's image begins and ends. NULL bytes: no memory. */
Blob elf_data_object(const Container *containers, const char *const *names, int n);

#endif
