/* output.c -- files written whole or not at all: through a temporary in the same folder and a rename, so that a reader
 * sees the old file or the new one, and a failure leaves the old one as it was. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "offload/offload.h"

void blob_free(Blob *b) {
    free(b->at);
    *b = (Blob){0};
}

static bool write_all(int fd, Blob b) {
    for (size_t done = 0; done < b.n;) {
        ssize_t k = write(fd, b.at + done, b.n - done);
        if (k < 0 && errno != EINTR) return false;
        if (k > 0) done += (size_t)k;
    }
    return true;
}

static bool cannot_write(Compiler *c, const char *path, const char *why) {
    diag(c, E1003, (Span){0, 0}, "cannot write `%s`: %s", path, why);
    return false;
}

/* A device or a pipe (/dev/null, /dev/stdout): there is nothing to replace. */
static bool write_through(Compiler *c, const char *path, Blob bytes) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, bytes);
    int error = errno;
    if (fd >= 0 && close(fd) && ok) {
        ok = false;
        error = errno;
    }
    return ok || cannot_write(c, path, strerror(error));
}

/* A new file beside `path`. Its own short name, so that a long `path` does not make one that is too long. The kernel
 * applies the umask to `mode`. */
static int open_beside(Compiler *c, const char *path, unsigned mode, const char **temporary) {
    const char *slash = strrchr(path, '/');
    for (int tries = 0; tries < 100; tries++) {
        unsigned salt = (unsigned)getpid() * 100u + (unsigned)tries;
        *temporary = arena_printf(&c->arena, "%.*s.kdslc-%x", slash ? (int)(slash - path + 1) : 0, path, salt);
        int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static bool replace(Compiler *c, const char *shown, const char *path, Blob bytes, unsigned mode) {
    const char *temporary;
    int fd = open_beside(c, path, mode, &temporary);
    if (fd < 0) return cannot_write(c, shown, strerror(errno));
    bool ok = write_all(fd, bytes);
    int error = errno;
    if (close(fd) && ok) {
        ok = false;
        error = errno;
    }
    if (ok && rename(temporary, path)) {
        ok = false;
        error = errno;
    }
    if (ok) return true;
    unlink(temporary);
    return cannot_write(c, shown, strerror(error));
}

bool off_write_file(Compiler *c, const char *path, Blob bytes, unsigned mode) {
    struct stat st;
    if (!*path) return cannot_write(c, path, "the name is empty");
    if (stat(path, &st)) {
        if (errno != ENOENT) return cannot_write(c, path, strerror(errno));
        return replace(c, path, path, bytes, mode);
    }
    if (S_ISDIR(st.st_mode)) return cannot_write(c, path, "it is a folder");
    if (!S_ISREG(st.st_mode)) return write_through(c, path, bytes);
    char *real = realpath(path, NULL); /* a symbolic link stays one; what it names is replaced */
    if (!real) return cannot_write(c, path, strerror(errno));
    bool ok = replace(c, path, real, bytes, mode);
    free(real);
    return ok;
}
