/* stale.c -- libomp marks a process that it runs in by a file in /dev/shm, whose name has the process's number
 * (__kmp_register_library_startup in openmp/runtime/src/kmp_runtime.cpp), and removes it at the end. A process that is
 * killed leaves its file there. libomp takes over the file of an earlier process with the same number, unless that one
 * was killed before it had written the file: then it aborts ("Error #15: ... found unknown library already
 * initialized"), or gets SIGBUS if the file has no bytes at all. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/internal.h"

static bool is_empty(const char *name) {
    int fd = shm_open(name, O_RDONLY | O_CLOEXEC, 0);
    char first = 0;
    bool was_written = fd < 0 || (read(fd, &first, 1) == 1 && first);
    if (fd >= 0) close(fd);
    return !was_written;
}

void kdsl_remove_stale_mark(void) {
    char name[64];
    snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
    if (is_empty(name)) shm_unlink(name);
}
