/* output.c -- output files. User files are never destroyed: a source is never an output, and files appear completely
 * or not at all (off_write_file, off_link). */
#include "driver/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/perf.h"

static const char source_suffix[] = ".kdsl";
static const Span no_place = {0, 0};

bool output_ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

static const char *default_name(Compiler *c, const Options *o) {
    const char *slash = strrchr(o->input, '/'), *base = slash ? slash + 1 : o->input;
    if (!output_ends_with(base, source_suffix) || strlen(base) == strlen(source_suffix)) {
        diag(c, E1004, no_place, "`%s` does not end in `.kdsl`: name the output with -o", o->input);
        return NULL;
    }
    int n = (int)(strlen(base) - strlen(source_suffix));
    return arena_printf(&c->arena, "%.*s%s", n, base, o->object ? ".o" : o->shared ? ".so" : "");
}

/* No source and no folder is ever replaced. Devices and pipes may be named: they are written, not replaced. */
static bool may_replace(Compiler *c, const Options *o, const char *path) {
    struct stat out, in;
    if (output_ends_with(path, source_suffix)) {
        diag(c, E1004, no_place, "the output `%s` has the name of a source file", path);
        return false;
    }
    if (stat(path, &out)) return true; /* not there yet, or the writer will say what is wrong */
    if (S_ISDIR(out.st_mode)) {
        diag(c, E1004, no_place, "the output `%s` is a directory", path);
        return false;
    }
    if (!stat(o->input, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
        diag(c, E1004, no_place, "the output `%s` is the source itself", path);
        return false;
    }
    return true;
}

const char *output_name(Compiler *c, const Options *o) {
    if ((o->emit || o->explain || o->run_pass) && (!o->output || !strcmp(o->output, "-"))) return "-";
    const char *path = o->output ? o->output : default_name(c, o);
    if (o->header && strcmp(o->header, "-") && !may_replace(c, o, o->header)) return NULL;
    return path && may_replace(c, o, path) ? path : NULL;
}

bool write_fully(int fd, const char *bytes, size_t n) {
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

bool output_text(Compiler *c, const char *path, const char *text, size_t n) {
    if (strcmp(path, "-")) return off_write_file(c, path, (Blob){(char *)text, n}, 0666);
    bool ok = write_fully(STDOUT_FILENO, text, n);
    if (!ok) diag(c, E1003, no_place, "cannot write standard output: %s", strerror(errno));
    return ok;
}

/* For perf, which reads the symbols after the program has ended (runtime/perf.h): the file stays. */
static void execute_file(Compiler *c, Blob program, const char *name, char **argv) {
    char folder[] = "/tmp/kdslc-run-XXXXXX";
    if (!mkdtemp(folder)) return;
    const char *path = arena_printf(&c->arena, "%s/%s", folder, *name ? name : "program");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool ok = fd >= 0 && write_fully(fd, program.at, program.n);
    if (fd >= 0) close(fd);
    if (ok) execve(path, argv, environ);
    unlink(path);
    rmdir(folder);
}

/* The program lives in memory only: nothing to clean up after it, and no folder needs to be writable. */
void output_execute(Compiler *c, Blob program, const Options *o) {
    const char *slash = strrchr(o->input, '/'), *name = slash ? slash + 1 : o->input;
    if (output_ends_with(name, source_suffix))
        name = arena_strndup(&c->arena, name, strlen(name) - strlen(source_suffix));
    char **argv = arena_array(&c->arena, char *, o->n_program_args + 2);
    argv[0] = (char *)name;
    for (int i = 0; i < o->n_program_args; i++) argv[i + 1] = o->program_args[i];
    if (o->no_colour) setenv("NO_COLOR", "1", 1);
    if (kdsl_is_for_perf()) execute_file(c, program, name, argv);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && write_fully(fd, program.at, program.n)) fexecve(fd, argv, environ);
    diag(c, E1005, no_place, "cannot start the compiled program: %s", strerror(errno));
}

void output_guard_standard_files(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest free number is fd itself */
}
