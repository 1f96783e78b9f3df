/* files.c -- locates the files that a link needs from the system: the C start files, libc, libm, LLVM's offloading
 * libraries. They are searched for at run time, because kdslc may run on another machine than the one it was built
 * on.
 *
 * The tarball (packaging/tarball.py) carries some of them beside the compiler, in ../lib/kdsl. Its libomptarget comes
 * before the system's, since kdslc was built and tested with it; its start files come after the system's, which belong
 * to the C library that the program is linked with. */
#include "offload/linker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

/* A file that the tarball carries; NULL if there is none, or if KDSL_SYSROOT names another place. *folder: where. */
static const char *find_carried(Compiler *c, const char *name, const char **folder) {
    char self[PATH_MAX];
    ssize_t n = getenv("KDSL_SYSROOT") ? -1 : readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return NULL;
    self[n] = 0;
    for (int level = 0; level < 2; level++) { /* the program, bin */
        char *slash = strrchr(self, '/');
        if (!slash) return NULL;
        *slash = 0;
    }
    *folder = arena_printf(&c->arena, "%s/lib/kdsl", self);
    const char *path = arena_printf(&c->arena, "%s/%s", *folder, name);
    return access(path, R_OK) ? NULL : path;
}

const char *find_system_file(Compiler *c, const char *name) {
    int which;
    const char *folder, *path = find_in(c, system_folders, COUNT(system_folders), name, &which);
    return path ? path : find_carried(c, name, &folder);
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
    const char *folder, *path = find_carried(c, name, &folder);
    *rpath = path ? folder : NULL;
    if (path) return path;
    path = find_in(c, system_folders, COUNT(system_folders), name, &which);
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
