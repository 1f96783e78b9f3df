/* linker.h -- private to offload/: one run of lld with inputs and output in memory. */
#ifndef KDSL_OFFLOAD_LINKER_H
#define KDSL_OFFLOAD_LINKER_H

#include "offload/offload.h"

typedef struct LinkerInput {
    int fd;
    const char *label; /* its name in messages */
} LinkerInput;

/* Usage: linker_begin, any number of linker_add*, linker_run. After a failed add all other calls do nothing and
 * linker_run returns false, so callers check only that. linker_run closes all files. */
typedef struct Linker {
    Compiler *c;
    const char *what; /* "the device image", "the program": for messages */
    const struct LinkExtern *externs; /* for messages, too */
    int n_externs;
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
/* The bytes are copied. */
void linker_add_bytes(Linker *l, const char *label, const void *at, size_t n);
bool linker_run(Linker *l, Blob *output);

/* files.c: the path of a file of the C library or of LLVM. Searches the folders of the system (below KDSL_SYSROOT if
 * that is set), LLVM's own, and what the tarball of kdslc carries. NULL: not found. */
const char *find_system_file(Compiler *c, const char *name);
const char *find_llvm_library(Compiler *c, const char *name, const char **rpath);
/* The same, but reports E1021 with the Debian package that contains the file. */
const char *need_system_file(Compiler *c, const char *name, const char *package);

/* Adds -L for each folder of the system. */
void add_system_folders(Linker *l);

#endif
