/* mpi_library.c -- finds and opens the MPI library, and reads its handles and functions. A program has to use the
 * library of the launcher that has started it. So it is opened when the program runs, by this order:
 * - what the process has loaded already: a host program that calls a KDSL library uses MPI itself;
 * - KDSL_MPI in the environment: `openmpi`, `mpich`, or the path of a library;
 * - the family whose launcher has started the program, which is told by the environment that the launcher sets;
 * - the family of the `mpicc` in PATH;
 * - whichever is found.
 * A library of a family is looked for where the loader looks, then in ../lib of the folder that has `mpicc`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/mpi.h"

typedef struct Family {
    const char *name;
    const char *libraries[4]; /* NULL: no more */
    const char *launched[3];  /* variables that its launcher sets */
    const char *wrapper;      /* what the real name of its mpicc contains */
} Family;

static const Family families[] = {
    {"openmpi", {"libmpi.so.40", "libmpi.so.20"}, {"OMPI_COMM_WORLD_SIZE"}, "op"}, /* opal_wrapper, mpicc.openmpi */
    {"mpich",
     {"libmpich.so.12", "libmpi.so.12", "libmpi_intel.so.4"},
     {"MPI_LOCALRANKID", "HYDI_CONTROL_FD"},
     "mpich"},
};
enum { N_FAMILIES = sizeof families / sizeof *families };

/* mpicc ------------------------------------------------------------------------------------------------------------ */

static bool find_mpicc(char path[PATH_MAX]) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/mpicc", (int)n, at);
        if (!access(path, X_OK)) return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static const Family *family_of_mpicc(void) {
    char path[PATH_MAX], real[PATH_MAX];
    if (!find_mpicc(path) || !realpath(path, real)) return NULL;
    const char *name = strrchr(real, '/') + 1;
    for (int i = 0; i < N_FAMILIES; i++)
        if (strstr(name, families[i].wrapper)) return &families[i];
    return NULL;
}

/* Opening ---------------------------------------------------------------------------------------------------------- */

/* The libraries that MPI loads itself look for its symbols in the whole program. */
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

static void *open_family(const Family *f) {
    char mpicc[PATH_MAX], path[PATH_MAX + 64];
    void *library = NULL;
    for (int i = 0; !library && f->libraries[i]; i++) library = open_library(f->libraries[i]);
    if (library || !find_mpicc(mpicc)) return library;
    *strrchr(mpicc, '/') = '\0';
    for (int i = 0; !library && f->libraries[i]; i++) {
        snprintf(path, sizeof path, "%s/../lib/%s", mpicc, f->libraries[i]);
        library = open_library(path);
    }
    return library;
}

static const Family *launcher(void) {
    for (int i = 0; i < N_FAMILIES; i++)
        for (int k = 0; families[i].launched[k]; k++)
            if (getenv(families[i].launched[k])) return &families[i];
    return NULL;
}

static void *open_wanted(const char *wanted) {
    for (int i = 0; i < N_FAMILIES; i++)
        if (!strcmp(wanted, families[i].name)) return open_family(&families[i]);
    return open_library(wanted);
}

static void *loaded_library(void) {
    void *library = dlsym(RTLD_DEFAULT, "MPI_Init_thread") ? dlopen(NULL, RTLD_NOW) : NULL;
    for (int i = 0; i < N_FAMILIES; i++)
        for (int k = 0; !library && families[i].libraries[k]; k++)
            library = dlopen(families[i].libraries[k], RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    return library;
}

static void *find_library(void) {
    void *loaded = loaded_library();
    if (loaded) return loaded;
    const char *wanted = getenv("KDSL_MPI");
    if (wanted && *wanted) {
        void *library = open_wanted(wanted);
        if (!library) kdsl_fail(kdsl_called("mpi"), "KDSL_MPI is `%s`, which cannot be loaded: %s", wanted, dlerror());
        return library;
    }
    const Family *f = launcher();
    if (f) { /* no other library would know of the other processes */
        void *library = open_family(f);
        if (!library)
            kdsl_fail(kdsl_called("mpi"), "the launcher of %s has started this program, but its library cannot be "
                                          "loaded: %s", f->name, dlerror());
        return library;
    }
    f = family_of_mpicc();
    void *library = f ? open_family(f) : NULL;
    for (int i = 0; !library && i < N_FAMILIES; i++) library = open_family(&families[i]);
    if (library) return library;
    kdsl_fail(kdsl_called("mpi"), "no MPI library was found. Install Open MPI (Debian: openmpi-bin) or MPICH (mpich), "
                                  "or set KDSL_MPI to the path of its library");
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

static void *need_symbol(void *library, const char *name) {
    void *at = dlsym(library, name);
    if (!at) kdsl_fail(kdsl_called("mpi"), "the MPI library has no `%s`", name);
    return at;
}

static Mpi mpi;

static void read_library(void *library) {
    bool is_open_mpi = dlsym(library, "ompi_mpi_comm_world") != NULL;
#define MPI_HANDLE(field, symbol, number) mpi.field = is_open_mpi ? (intptr_t)need_symbol(library, symbol) : number;
    MPI_HANDLES
#undef MPI_HANDLE
#define MPI_NUMBER(field, open_mpi, mpich) mpi.field = is_open_mpi ? open_mpi : mpich;
    MPI_NUMBERS
#undef MPI_NUMBER
    void *at;
#define MPI_FUNCTION(field, name, parameters) at = need_symbol(library, name), memcpy(&mpi.field, &at, sizeof at);
    MPI_FUNCTIONS
#undef MPI_FUNCTION
}

const Mpi *kdsl_mpi_library(void) {
    static void *library;
    if (!library) read_library(library = find_library());
    return &mpi;
}
