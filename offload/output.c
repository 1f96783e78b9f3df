/* output.c -- atomic replacement of files: written to a temporary file in the same folder, then renamed, so that
 * readers see the old file or the new one, and a failure leaves the old one unchanged. */
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

/* Devices and pipes (/dev/null, /dev/stdout) are written directly: there is no file to replace. */
static bool write_directly(Compiler *c, const char *path, Blob bytes) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, bytes);
    int error = errno;
    if (fd >= 0 && close(fd) && ok) {
        ok = false;
        error = errno;
    }
    return ok || cannot_write(c, path, strerror(error));
}

/* Creates the temporary file. Its name is short and does not depend on the name in `path`, which may have the maximal
 * length. The kernel applies the umask to `mode`. */
static int open_temporary(Compiler *c, const char *path, unsigned mode, const char **temporary) {
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
    int fd = open_temporary(c, path, mode, &temporary);
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
    if (!S_ISREG(st.st_mode)) return write_directly(c, path, bytes);
    char *real = realpath(path, NULL); /* a symbolic link is kept, its target replaced */
    if (!real) return cannot_write(c, path, strerror(errno));
    bool ok = replace(c, path, real, bytes, mode);
    free(real);
    return ok;
}
