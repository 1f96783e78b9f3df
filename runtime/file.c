/* file.c -- files and standard input. A file that cannot be read or written ends the program with the place of the
 * call, the path and the system's own reason. Text that is read lives as long as the program, like all text. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/internal.h"
#include "runtime/output.h"

/* Writing ---------------------------------------------------------------------------------------------------------- */
static bool write_all(int fd, const char *at, int64_t n) {
    while (n > 0) {
        ssize_t k = write(fd, at, (size_t)n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return false;
        at += k;
        n -= k;
    }
    return true;
}

/* A file that could not be written completely is removed. */
static bool append_to(const char *path, const void *at, int64_t n_bytes) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    struct stat before;
    bool is_file = fd >= 0 && !fstat(fd, &before) && S_ISREG(before.st_mode),
         ok = fd >= 0 && write_all(fd, at, n_bytes);
    int error = errno;
    if (is_file && !ok && ftruncate(fd, before.st_size)) error = errno;
    if (fd >= 0 && close(fd) && ok) { /* NFS reports a full disk here */
        ok = false;
        error = errno;
    }
    errno = error;
    return ok;
}

/* Text or bytes that the module `npy` puts before those of the next write_file of this thread, to the same path. */
static _Thread_local struct {
    char bytes[KDSL_HEAD_BYTES];
    int64_t n;
    const char *path; /* text lives as long as the program */
} head;

void kdsl_file_head(const char *path, const char *bytes, int64_t n) {
    memcpy(head.bytes, bytes, (size_t)n);
    head.n = n;
    head.path = path;
}

static int64_t take_head(const char *path) {
    int64_t n = path == head.path ? head.n : 0;
    head.n = 0;
    head.path = NULL;
    return n;
}

void kdsl_write_file(const char *path, const void *at, int64_t n_bytes, int32_t append, const char *place) {
    Output o;
    bool ok;
    if (append) {
        ok = append_to(path, at, n_bytes);
    } else {
        int64_t n_head = take_head(path);
        if (n_head) place = kdsl_called(place);
        ok = kdsl_output_open(&o, path);
        int fd = ok ? fileno(o.file) : -1;
        ok = ok && kdsl_output_close(&o, write_all(fd, head.bytes, n_head) && write_all(fd, at, n_bytes));
    }
    if (!ok) kdsl_fail(place, "cannot write `%s`: %s", path, strerror(errno));
}

/* Reading ---------------------------------------------------------------------------------------------------------- */
static _Noreturn void cannot_read(const char *path, int error, const char *place) {
    kdsl_fail(place, "cannot read `%s`: %s", path, strerror(error));
}

static int open_to_read(const char *path, const char *place) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) cannot_read(path, errno, place);
    return fd;
}

/* Up to n bytes; fewer only at the end of the file, -1 for an error. */
static ssize_t read_up_to(int fd, char *at, size_t n) {
    size_t got = 0;
    while (got < n) {
        ssize_t k = read(fd, at + got, n - got);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return -1;
        if (k == 0) break;
        got += (size_t)k;
    }
    return (ssize_t)got;
}

/* To the end, however much that is: pipes and /proc do not say. NULL: `error` says why. */
static char *read_to_end(int fd, size_t *n, int *error) {
    struct stat about;
    size_t cap = !fstat(fd, &about) && about.st_size > 0 ? (size_t)about.st_size + 1 : 4096;
    char *at = NULL;
    *n = 0;
    for (;; cap *= 2) {
        char *more = realloc(at, cap + 1);
        ssize_t k = more ? read_up_to(fd, more + *n, cap - *n) : -1;
        if (k < 0) {
            *error = more ? errno : ENOMEM;
            free(more ? more : at);
            return NULL;
        }
        at = more;
        *n += (size_t)k;
        if (*n < cap) return at;
    }
}

const char *kdsl_read_file(const char *path, const char *place) {
    int fd = open_to_read(path, place), error = 0;
    size_t n;
    char *text = read_to_end(fd, &n, &error);
    close(fd);
    if (!text) cannot_read(path, error, place);
    text[n] = '\0';
    if (strlen(text) != n) {
        free(text);
        kdsl_fail(place, FAILURE_NOT_TEXT, path);
    }
    return text;
}

int32_t kdsl_file_exists(const char *path) { return access(path, F_OK) == 0; }

int64_t kdsl_file_size(const char *path, const char *place) {
    struct stat about;
    if (stat(path, &about)) cannot_read(path, errno, place);
    if (S_ISDIR(about.st_mode)) cannot_read(path, EISDIR, place);
    return about.st_size;
}

static _Noreturn void too_short(const char *path, int64_t offset, int64_t n_bytes, int64_t got, const char *name,
                                int64_t rank, const int64_t *extents, const char *place) {
    char shape[KDSL_SHAPE_BYTES], needs[FAILURE_SIZE_BYTES], has[FAILURE_SIZE_BYTES];
    kdsl_fail(place, FAILURE_TOO_SHORT, name, kdsl_shape_text(shape, rank, extents), failure_size(needs, n_bytes), path,
              failure_size(has, got), (long long)offset);
}

void kdsl_read_array(const char *path, int64_t offset, void *at, int64_t n_bytes, const char *name, int64_t rank,
                     const int64_t *extents, const char *place) {
    if (offset < 0) kdsl_fail(place, FAILURE_OFFSET, path, (long long)offset);
    int fd = open_to_read(path, place);
    bool ok = !offset || lseek(fd, offset, SEEK_SET) >= 0;
    ssize_t got = ok ? read_up_to(fd, at, (size_t)n_bytes) : -1;
    int error = errno;
    close(fd);
    if (got < 0) cannot_read(path, error, place);
    if (got < n_bytes) too_short(path, offset, n_bytes, got, name, rank, extents, place);
}

/* Standard input --------------------------------------------------------------------------------------------------- */
static void check_input(const char *place) {
    if (ferror(stdin)) kdsl_fail(place, "cannot read standard input: %s", strerror(errno));
}

int32_t kdsl_input_ended(const char *place) {
    int c = getc(stdin);
    check_input(place);
    if (c != EOF) ungetc(c, stdin);
    return c == EOF;
}

const char *kdsl_read_line(const char *place) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = getline(&line, &cap, stdin);
    if (n < 0) {
        free(line);
        check_input(place);
        kdsl_fail(place, FAILURE_INPUT_ENDED);
    }
    if (n > 0 && line[n - 1] == '\n') n--;
    if (n > 0 && line[n - 1] == '\r') n--;
    line[n] = '\0';
    if (strlen(line) != (size_t)n) {
        free(line);
        kdsl_fail(place, FAILURE_INPUT_NOT_TEXT);
    }
    return line;
}
