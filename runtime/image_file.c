/* image_file.c -- removal of temporary files: libomptarget's host plugin writes an image to /tmp/tmpfile_XXXXXX, loads
 * the file and leaves it there. The file is removed as soon as it is loaded, not at exit, so that it does not remain
 * if the program is killed later. The file stays if perf has started the program (runtime/perf.h), which reads symbols
 * after the program has ended, and with KDSL_KEEP_IMAGE=1 in the environment.
 * Source: LLVM 22.1.8 offload/plugins-nextgen/host/src/rtl.cpp, loadBinaryImpl. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/perf.h"

bool kdsl_is_image_file(const char *path) {
    static const char prefix[] = "/tmp/tmpfile_";
    if (strncmp(path, prefix, sizeof prefix - 1)) return false;
    const char *p = path + sizeof prefix - 1;
    int n = 0;
    while (isalnum((unsigned char)p[n])) n++;
    return n == 6 && !p[n];
}

/* Is the content of the file still what was loaded? Its headers are compared with those in memory (of the smallest
 * possible image: offload/names.c). Inodes cannot be compared: on overlay file systems (containers) the numbers of a
 * mapping and of its path differ. */
static bool is_image(int fd, const void *loaded) {
    enum { N = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) };
    unsigned char head[N];
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
           pread(fd, head, N, 0) == N && !memcmp(head, loaded, N);
}

void kdsl_remove_image_file(const char *path, const void *loaded) {
    if (!path || !kdsl_is_image_file(path) || getenv("KDSL_KEEP_IMAGE") || kdsl_is_for_perf()) return;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    if (is_image(fd, loaded)) unlink(path);
    close(fd);
}
