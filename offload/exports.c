/* exports.c -- symbol interposition: names that an exported function must not have. A process binds a name to the first
 * program or library that defines it, so an exported `write` would also replace the C library's for this program's
 * runtime and for libomptarget. The names are read from the files that the program is linked with or loads: start
 * files, C library, libomptarget, and their dependences. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "offload/elf.h"
#include "offload/linker.h"

typedef struct Search {
    Compiler *c;
    Vec(const Func *) exports; /* not reported yet */
    Vec(const char *) libraries;
} Search;

static Blob map_file(const char *path) {
    Blob b = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) b = (Blob){at, (size_t)st.st_size};
    }
    if (fd >= 0) close(fd);
    return b;
}

static void add_library(Search *s, const char *name) {
    for (int i = 0; i < s->libraries.n; i++)
        if (!strcmp(s->libraries.at[i], name)) return;
    vec_push(&s->c->arena, &s->libraries, arena_strndup(&s->c->arena, name, strlen(name)));
}

static void compare(Search *s, Blob file, const char *name) {
    int kept = 0;
    for (int i = 0; i < s->exports.n; i++) {
        const Func *f = s->exports.at[i];
        if (!elf_gives(file, f->name)) {
            s->exports.at[kept++] = f;
            continue;
        }
        Diag *d = diag(s->c, E0811, f->name_span, "`%s` cannot be exported: %s has a function or variable with this "
                                                  "name",
                       f->name, name);
        diag_note(s->c, d, f->name_span, "every other caller in the process would call this function instead; choose "
                                         "another name");
    }
    s->exports.n = kept;
}

static void search_file(Search *s, const char *name) {
    const char *rpath, *path = find_llvm_library(s->c, name, &rpath), *needed;
    Blob file = path ? map_file(path) : (Blob){0};
    if (!file.at) return; /* the linker reports a missing file */
    compare(s, file, name);
    for (int k = 0; (needed = elf_needed_library(file, k)); k++) add_library(s, needed);
    munmap(file.at, file.n);
}

void off_check_exports(Compiler *c, const Program *p) {
    static const char *const first[] = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libc_nonshared.a", "Scrt1.o",
                                        "crti.o"};
    Search s = {.c = c};
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export) vec_push(&c->arena, &s.exports, p->funcs.at[i]);
    if (!s.exports.n) return;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) add_library(&s, first[i]);
    const char *omptarget;
    off_find_omptarget(c, &omptarget);
    add_library(&s, omptarget);
    for (int i = 0; i < s.libraries.n; i++) search_file(&s, s.libraries.at[i]);
}
