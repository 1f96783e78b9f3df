/* output.c -- see output.h. */
#include "runtime/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, NAME_BYTES = 40 };

/* A short name, so that a long one beside it does not make one that is too long. */
static int open_beside(Output *o, mode_t mode) {
    static unsigned count;
    const char *slash = strrchr(o->real, '/');
    size_t n_folder = slash ? (size_t)(slash - o->real) + 1 : 0;
    o->temporary = malloc(n_folder + NAME_BYTES);
    if (!o->temporary) return -1;
    memcpy(o->temporary, o->real, n_folder);
    for (int i = 0; i < TRIES; i++) {
        unsigned n = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
        snprintf(o->temporary + n_folder, NAME_BYTES, ".kdsl-%x-%x", (unsigned)getpid(), n);
        int fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* Where this file is what standard output or standard error are written to, as /dev/stdout is: that one, else -1. */
static int standard_stream(const struct stat *about) {
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat own;
        if (!fstat(fd, &own) && own.st_dev == about->st_dev && own.st_ino == about->st_ino) return fd;
    }
    return -1;
}

/* A file that is there keeps its rights, and a link to it stays one. Devices and pipes are written to; so is a file in
 * a folder in which no other one can be made. */
static int open_either(Output *o, const char *path) {
    struct stat about;
    bool is_there = !stat(path, &about);
    if (!is_there && errno != ENOENT) return -1;
    if (!is_there && !lstat(path, &about))
        return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666); /* a link to nothing */
    if (is_there && !S_ISREG(about.st_mode)) return open(path, O_WRONLY | O_CLOEXEC);
    int stream = is_there ? standard_stream(&about) : -1;
    if (stream >= 0) return fflush(NULL), fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (is_there && access(path, W_OK)) return -1;
    o->real = is_there ? realpath(path, NULL) : strdup(path);
    int fd = o->real ? open_beside(o, 0666) : -1;
    if (fd >= 0) {
        if (is_there && fchmod(fd, about.st_mode & 07777)) errno = 0; /* not permitted: it keeps its own */
        return fd;
    }
    free(o->temporary);
    o->temporary = NULL;
    return is_there ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
}

static void forget(Output *o) {
    int error = errno;
    free(o->real);
    free(o->temporary);
    *o = (Output){0};
    errno = error;
}

bool kdsl_output_open(Output *o, const char *path) {
    *o = (Output){0};
    int fd = open_either(o, path);
    o->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (o->file) return true;
    int error = errno;
    if (fd >= 0) close(fd);
    if (fd >= 0 && o->temporary) unlink(o->temporary);
    forget(o);
    errno = error;
    return false;
}

bool kdsl_output_close(Output *o, bool ok) {
    int error = errno;
    if (fclose(o->file) && ok) { /* NFS reports a full disk here */
        ok = false;
        error = errno;
    }
    if (ok && o->temporary && rename(o->temporary, o->real)) {
        ok = false;
        error = errno;
    }
    if (!ok && o->temporary) unlink(o->temporary);
    errno = error;
    forget(o);
    return ok;
}
