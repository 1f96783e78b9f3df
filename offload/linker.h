/* linker.h -- private to offload/: one run of lld whose inputs and output are memory. */
#ifndef KDSL_OFFLOAD_LINKER_H
#define KDSL_OFFLOAD_LINKER_H

#include "offload/offload.h"

typedef struct LinkerInput {
    int fd;
    const char *label; /* what messages call it */
} LinkerInput;

/* linker_begin, any number of linker_add*, linker_run. After a failed add the rest does nothing and linker_run returns
 * false: callers check once. linker_run closes everything. */
typedef struct Linker {
    Compiler *c;
    const char *what; /* "the device image", "the program": for messages */
    Vec(const char *) argv;
    Vec(LinkerInput) inputs;
    size_t input_bytes;
    bool failed;
} Linker;

void linker_begin(Linker *l, Compiler *c, const char *what);
void linker_add(Linker *l, const char *argument);
#define linker_add_all(l, ...)                                                                                         \
    linker_add_list((l), (const char *const[]){__VA_ARGS__, NULL})
void linker_add_list(Linker *l, const char *const *arguments);
/* The bytes are copied: they may go once this returns. */
void linker_add_bytes(Linker *l, const char *label, const void *at, size_t n);
bool linker_run(Linker *l, Blob *output);

/* files.c: where the C library and LLVM's libraries are. The folders tried, in order: those of the system (below
 * KDSL_SYSROOT where that is set), then LLVM's own. NULL: not found. */
const char *find_system_file(Compiler *c, const char *name);
const char *find_llvm_library(Compiler *c, const char *name, const char **rpath);
/* The same, but reports E1021 with the Debian package that has it. */
const char *need_system_file(Compiler *c, const char *name, const char *package);

/* -L for each of the system's folders. */
void add_system_folders(Linker *l);

#endif
