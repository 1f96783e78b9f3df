/* device_x86.c -- the part of an x86 device image that is not the program's kernels. Linked into every such image,
 * every name hidden: each of the four host devices has its own copy.
 *
 * libomptarget's host plugin writes the image to /tmp/tmpfile_XXXXXX, loads that and leaves it behind. By the time a
 * constructor of the image runs the file is mapped and its name is no longer needed, so it goes here: at once, not at
 * exit, so that nothing stays even if the program is killed later. KDSL_KEEP_IMAGE=1 in the environment keeps the file
 * (for profilers that read symbols afterwards).
 * Source: LLVM 22.1.8 offload/plugins-nextgen/host/src/rtl.cpp, loadBinaryImpl. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Defined by the linker: this image's first mapped byte. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

static bool is_plugin_name(const char *path) {
    static const char prefix[] = "/tmp/tmpfile_";
    if (strncmp(path, prefix, sizeof prefix - 1)) return false;
    const char *p = path + sizeof prefix - 1;
    int n = 0;
    while (isalnum((unsigned char)p[n])) n++;
    return n == 6 && !p[n];
}

/* Does the file still hold what was loaded? Its headers are compared with ours. Not by inode: on overlay file systems
 * (containers) the numbers of a mapping and of its path differ. */
static bool is_this_image(int fd) {
    enum { N = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr) };
    unsigned char head[N];
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
           pread(fd, head, N, 0) == N && !memcmp(head, __ehdr_start, N);
}

__attribute__((constructor)) static void remove_image_file(void) {
    Dl_info self;
    if (!dladdr(__ehdr_start, &self) || !self.dli_fname || !is_plugin_name(self.dli_fname)) return;
    if (getenv("KDSL_KEEP_IMAGE")) return;
    int fd = open(self.dli_fname, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    if (is_this_image(fd)) unlink(self.dli_fname);
    close(fd);
}
