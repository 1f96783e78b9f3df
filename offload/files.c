/* files.c -- locates the files that a link needs from the system: the C start files, libc, libm, LLVM's offloading
 * libraries. They are searched for at run time, because kdslc may run on another machine than the one it was built
 * on. */
#include "offload/linker.h"

#include <stdlib.h>
#include <unistd.h>

#ifndef KDSL_LLVM_LIB_DIR
#define KDSL_LLVM_LIB_DIR "/usr/lib/llvm-22/lib"
#endif

/* Debian's folders first, then those of distributions without multiarch. The dynamic loader searches all of them. */
static const char *const system_folders[] = {
    "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib", "/lib"};
static const char *const llvm_folders[] = {"/usr/lib/llvm-22/lib", KDSL_LLVM_LIB_DIR, "/usr/local/lib"};
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const char *find_in(Compiler *c, const char *const *folders, int n, const char *name, int *which) {
    const char *root = getenv("KDSL_SYSROOT");
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(&c->arena, "%s%s/%s", root ? root : "", folders[i], name);
        if (access(path, R_OK)) continue;
        *which = i;
        return path;
    }
    return NULL;
}

const char *find_system_file(Compiler *c, const char *name) {
    int which;
    return find_in(c, system_folders, COUNT(system_folders), name, &which);
}

const char *need_system_file(Compiler *c, const char *name, const char *package) {
    const char *path = find_system_file(c, name);
    if (path) return path;
    Diag *d = diag(c, E1021, (Span){0, 0}, "cannot link: `%s` was not found", name);
    diag_note(c, d, (Span){0, 0}, "install the Debian package %s, or set KDSL_SYSROOT to another root folder", package);
    return NULL;
}

/* *rpath: the folder for the program's run path; NULL if the loader searches it by default. */
const char *find_llvm_library(Compiler *c, const char *name, const char **rpath) {
    int which;
    *rpath = NULL;
    const char *path = find_in(c, system_folders, COUNT(system_folders), name, &which);
    if (path) return path;
    path = find_in(c, llvm_folders, COUNT(llvm_folders), name, &which);
    if (path) *rpath = llvm_folders[which];
    return path;
}

void add_system_folders(Linker *l) {
    const char *root = getenv("KDSL_SYSROOT");
    for (int i = 0; i < COUNT(system_folders); i++)
        linker_add(l, arena_printf(&l->c->arena, "-L%s%s", root ? root : "", system_folders[i]));
}
