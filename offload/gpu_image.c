/* gpu_image.c -- device images for GPUs: AMD code objects linked by lld, NVIDIA cubins assembled by ptxas, or PTX as
 * text. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "offload/linker.h"

extern char **environ;

/* AMD: a shared object, linked by lld ------------------------------------------------------------------------------ */

static bool link_amd(Compiler *c, const Blob *module, Blob *image) {
    Linker l;
    linker_begin(&l, c, "the AMD device image");
    linker_add_all(&l, "-shared", "--no-undefined", "--gc-sections", "--hash-style=gnu", "--build-id=none");
    linker_add_bytes(&l, "device code", module->at, module->n);
    return linker_run(&l, image);
}

/* NVIDIA: a cubin, assembled by ptxas, which reads and writes files ------------------------------------------------ */

const char *off_find_program(Arena *arena, const char *program) {
    for (const char *at = getenv("PATH"); at && *at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        const char *name = arena_printf(arena, "%.*s/%s", (int)strcspn(at, ":"), at, program);
        if (!access(name, X_OK)) return name;
    }
    return NULL;
}

const char *off_find_ptxas(Arena *arena) {
    static const char usual[] = "/usr/local/cuda/bin/ptxas";
    const char *named = getenv("KDSL_PTXAS");
    if (named) return *named && !access(named, X_OK) ? named : NULL; /* empty: do not use ptxas */
    const char *found = off_find_program(arena, "ptxas");
    return found || access(usual, X_OK) ? found : usual;
}

static int memory_file(const char *name, const void *at, size_t n) {
    int fd = memfd_create(name, 0); /* ptxas opens it as a path in /proc */
    for (size_t done = 0; fd >= 0 && done < n;) {
        ssize_t k = write(fd, (const char *)at + done, n - done);
        if (k < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        if (k > 0) done += (size_t)k;
    }
    return fd;
}

static bool read_back(int fd, Blob *out) {
    struct stat st;
    *out = (Blob){0};
    if (fstat(fd, &st) || !st.st_size || !(out->at = malloc((size_t)st.st_size + 1))) return false;
    while (out->n < (size_t)st.st_size) {
        ssize_t k = pread(fd, out->at + out->n, (size_t)st.st_size - out->n, (off_t)out->n);
        if (k <= 0) break;
        out->n += (size_t)k;
    }
    out->at[out->n] = '\0';
    return out->n == (size_t)st.st_size;
}

static bool run(char **argv, int output, int *status) {
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    int error = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return false;
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR) return false;
    return true;
}

/* True if the PTX has line information (-g); then the cubin gets it, too. */
static bool has_lines(const Blob *ptx) {
    static const char line[] = "\n\t.loc\t";
    return memmem(ptx->at, ptx->n, line, sizeof line - 1) != NULL;
}

/* told: receives the output of ptxas -v about registers; NULL: not needed. */
static bool assemble(Compiler *c, const char *ptxas, const char *cpu, const Blob *ptx, Blob *image, Blob *told) {
    int in = memory_file("kdsl.ptx", ptx->at, ptx->n), out = memory_file("kdsl.cubin", "", 0);
    int said = memory_file("ptxas", "", 0), status = -1;
    Blob text = {0};
    char paths[2][40];
    /* Paths with this process's number, because not every ptxas reads /dev/stdin. */
    snprintf(paths[0], sizeof paths[0], "/proc/%d/fd/%d", (int)getpid(), in);
    snprintf(paths[1], sizeof paths[1], "/proc/%d/fd/%d", (int)getpid(), out);
    char *argv[] = {(char *)ptxas, "-m64", "-O3",    (char *)arena_printf(&c->arena, "--gpu-name=%s", cpu),
                    paths[0],      "-o",   paths[1], NULL, NULL, NULL};
    int n_args = 7;
    if (told) argv[n_args++] = "-v";
    if (has_lines(ptx)) argv[n_args++] = "-lineinfo";
    bool ok = in >= 0 && out >= 0 && said >= 0 && run(argv, said, &status) && status == 0 && read_back(out, image);
    if (!ok) {
        if (said >= 0) read_back(said, &text);
        Diag *d = diag(c, E1026, (Span){0, 0}, "ptxas cannot assemble the kernels for %s", cpu);
        if (text.at && strstr(text.at, "is not defined for option 'gpu-name'"))
            diag_note(c, d, (Span){0, 0},
                      "`%s` does not support %s: choose another --offload-arch, or set KDSL_PTXAS to the ptxas of a "
                      "CUDA version that does", ptxas, cpu);
        else diag_note(c, d, (Span){0, 0}, "%s says: %s", ptxas, text.at ? text.at : "nothing");
        blob_free(&text);
        blob_free(image);
    }
    if (ok && told) ok = read_back(said, told);
    for (int i = 0, fds[] = {in, out, said}; i < 3; i++)
        if (fds[i] >= 0) close(fds[i]);
    return ok;
}

/* PTX as the image ends with a NUL, as the driver requires. */
static bool keep_text(Compiler *c, const Blob *ptx, Blob *image) {
    *image = (Blob){malloc(ptx->n + 1), ptx->n + 1};
    if (!image->at) ice(c, (Span){0, 0}, "out of memory");
    memcpy(image->at, ptx->at, ptx->n);
    image->at[ptx->n] = '\0';
    return true;
}

bool off_link_gpu_image(Compiler *c, const char *target, const char *cpu, bool any_newer, const Blob *module,
                        Blob *image) {
    if (strcmp(target, "nvptx")) return link_amd(c, module, image);
    const char *ptxas = any_newer ? NULL : off_find_ptxas(&c->arena);
    return ptxas ? assemble(c, ptxas, cpu, module, image, NULL) : keep_text(c, module, image);
}

bool off_ptxas_tells(Compiler *c, const char *cpu, const Blob *ptx, Blob *text) {
    const char *ptxas = off_find_ptxas(&c->arena);
    Blob image = {0};
    bool ok = ptxas && assemble(c, ptxas, cpu, ptx, &image, text);
    blob_free(&image);
    return ok;
}
