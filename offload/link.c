/* link.c -- links objects and the embedded runtime to an executable, a shared library or a relocatable object, without
 * a compiler driver and without files of gcc. The result is created in memory and written at once (output.c). */
#include <llvm/Config/llvm-config.h>
#include <string.h>
#include <sys/stat.h>

#include "offload/elf.h"
#include "offload/linker.h"
#include "runtime/embedded.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define OMPTARGET "libomptarget.so." TEXT(LLVM_VERSION_MAJOR) "." TEXT(LLVM_VERSION_MINOR)

static void add_embedded(Linker *l, const char *label, const char *begin, const char *end) {
    linker_add_bytes(l, label, begin, (size_t)(end - begin));
}

static void add_needed(Linker *l, const char *name) {
    const char *path = need_system_file(l->c, name, "libc6-dev");
    if (path) linker_add(l, path);
    else l->failed = true;
}

static void add_if_found(Linker *l, const char *path) {
    if (path) linker_add(l, path);
}

/* Adds the parts of the runtime to which the program, or a part added before, refers. */
static void add_parts(Linker *l, const LinkJob *job) {
    Vec(Blob) objects = {0};
    for (int i = 0; i < job->n_objects; i++) vec_push(&l->c->arena, &objects, job->objects[i]);
    for (const KdslPart *p = kdsl_parts; p->label; p++) {
        bool needed = false;
        for (int i = 0; i < objects.n; i++) needed = needed || elf_needs(objects.at[i], p->prefix);
        if (!needed) continue;
        add_embedded(l, p->label, p->begin, p->end);
        vec_push(&l->c->arena, &objects, ((Blob){(char *)p->begin, (size_t)(p->end - p->begin)}));
    }
}

/* Objects, then the runtime; `main` only if there is a program to start. */
static void add_objects(Linker *l, const LinkJob *job) {
    static const char *const labels[] = {"host code", "device images", "device code"};
    bool has_program = !job->relocatable && !job->shared;
    for (int i = 0; i < job->n_objects; i++) {
        linker_add_bytes(l, labels[i < 3 ? i : 2], job->objects[i].at, job->objects[i].n);
        has_program = has_program || elf_defines(job->objects[i], "kdsl_main");
    }
    if (has_program) add_embedded(l, "runtime start", kdsl_embedded_start, kdsl_embedded_start_end);
    add_embedded(l, "runtime", kdsl_embedded_runtime, kdsl_embedded_runtime_end);
    add_parts(l, job);
}

const char *off_find_start_file(Compiler *c) { return find_system_file(c, "Scrt1.o"); }

const char *off_find_omptarget(Compiler *c, const char **name) {
    const char *rpath;
    *name = OMPTARGET;
    return find_llvm_library(c, OMPTARGET, &rpath);
}

/* libomptarget of the version whose protocol this directory implements, by its full name. It depends on libomp. */
static void add_offloading(Linker *l) {
    const char *rpath, *path = find_llvm_library(l->c, OMPTARGET, &rpath);
    if (!path) {
        Diag *d = diag(l->c, E1022, (Span){0, 0}, "cannot link a program with kernels: `%s` was not found",
                       OMPTARGET);
        diag_note(l->c, d, (Span){0, 0}, "install the Debian package liboffload-22");
        l->failed = true;
        return;
    }
    linker_add(l, path);
    if (!rpath) return;
    if (strchr(rpath, ':')) {
        Diag *d = diag(l->c, E1022, (Span){0, 0}, "cannot link a program with kernels: `%s` has a colon", rpath);
        diag_note(l->c, d, (Span){0, 0}, "in the run path of a program, `:` separates folders; move kdslc to another "
                                         "folder");
        l->failed = true;
        return;
    }
    linker_add_all(l, "-rpath", rpath);
}

/* Reports an error for a library that is a pipe, since the linker would block on reading it. */
static void refuse_pipes(Linker *l, const LinkJob *job, const char *library) {
    static const char *const ends[] = {"so", "a"};
    for (int i = 0; i < 2 * job->n_folders; i++) {
        const char *path = arena_printf(&l->c->arena, "%s/lib%s.%s", job->folders[i / 2], library, ends[i % 2]);
        struct stat st;
        if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) continue;
        diag(l->c, E1023, (Span){0, 0}, "cannot link %s: `%s` is not a regular file", l->what, path);
        l->failed = true;
        return;
    }
}

static void add_users_libraries(Linker *l, const LinkJob *job) {
    for (int i = 0; i < job->n_libraries; i++) refuse_pipes(l, job, job->libraries[i]);
    for (int i = 0; i < job->n_folders; i++) linker_add(l, arena_printf(&l->c->arena, "-L%s", job->folders[i]));
    if (job->n_libraries) add_system_folders(l);
    for (int i = 0; i < job->n_libraries; i++) linker_add(l, arena_printf(&l->c->arena, "-l%s", job->libraries[i]));
}

/* Uses the libraries themselves instead of the linker scripts libc.so and libm.so, which take more time.
 * libc_nonshared.a defines atexit. If libm or libmvec is missing but needed, the linker reports an undefined symbol. */
static void add_libraries(Linker *l, const LinkJob *job) {
    linker_add(l, "--as-needed");
    add_users_libraries(l, job);
    if (job->needs_omptarget) add_offloading(l);
    add_if_found(l, find_system_file(l->c, "libm.so.6"));
    add_if_found(l, find_system_file(l->c, "libmvec.so.1"));
    add_needed(l, "libc.so.6");
    add_needed(l, "libc_nonshared.a");
}

static void add_executable(Linker *l, const LinkJob *job) {
    linker_add_all(l, "-pie", "-dynamic-linker", "/lib64/ld-linux-x86-64.so.2", "--eh-frame-hdr", "--gc-sections",
                   "--hash-style=gnu", "--build-id=sha1", "--allow-shlib-undefined");
    if (job->needs_omptarget) linker_add(l,
                                         "--export-dynamic-symbol=ompt_start_tool"); /* for libomp (runtime/start.c) */
    if (!job->debug) linker_add(l, "--strip-debug");
    add_needed(l, "Scrt1.o");
    add_needed(l, "crti.o");
    add_objects(l, job);
    add_libraries(l, job);
    add_needed(l, "crtn.o");
}

/* The host versions of kernels are visible in the x86 device's object, as its image needs; a shared library hides
 * them. */
static const char inside[] = "{ local: kdsl_kernel_*; kdsl_narrow_*; ompt_start_tool*; };";

/* Hides all symbols but the exported functions. -z defs: an undefined symbol is an error now, not when the library is
 * loaded. */
static void add_shared(Linker *l, const LinkJob *job) {
    linker_add_all(l, "-shared", "-z", "defs", "--eh-frame-hdr", "--gc-sections", "--hash-style=gnu",
                   "--build-id=sha1", "--version-script");
    linker_add_bytes(l, "exports", inside, sizeof inside - 1);
    if (!job->debug) linker_add(l, "--strip-debug");
    add_needed(l, "crti.o");
    add_objects(l, job);
    add_libraries(l, job);
    add_needed(l, "ld-linux-x86-64.so.2"); /* __tls_get_addr */
    add_needed(l, "crtn.o");
}

bool off_link(Compiler *c, const LinkJob *job) {
    Linker l;
    Blob output;
    linker_begin(&l, c, job->relocatable ? "the object file" : job->shared ? "the library" : "the program");
    l.externs = job->externs;
    l.n_externs = job->n_externs;
    if (job->relocatable) {
        linker_add(&l, "-r");
        add_objects(&l, job);
    } else if (job->shared) {
        add_shared(&l, job);
    } else {
        add_executable(&l, job);
    }
    if (!linker_run(&l, &output)) return false;
    if (job->in_memory) {
        *job->in_memory = output;
        return true;
    }
    bool ok = off_write_file(c, job->output, output, job->relocatable ? 0666 : 0777);
    blob_free(&output);
    return ok;
}
