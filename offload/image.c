/* image.c -- the x86 device image, a shared object that libomptarget loads, and the object that contains all images of
 * a program. */
#include <string.h>

#include "offload/elf.h"
#include "offload/linker.h"
#include "offload/module.h"
#include "runtime/embedded.h"

/* The only undefined symbols of the x86 image may be versioned symbols of the C library: the loader binds a symbol
 * without a version to the first library in the process that defines it. Functions of libomp are looked up by the
 * runtime in the image (runtime/threads.c). */
static bool is_runtime_symbol(const char *name) { return !strncmp(name, "kdsl_", 5); }

static bool check_symbols(Compiler *c, Blob image) {
    const char *name;
    bool ok = true;
    for (int k = 0; (name = elf_unbound_symbol(image, k)); k++) {
        diag(c, E1025, (Span){0, 0}, "device code needs `%s`, which is not in libc or libm", name);
        ok = false;
    }
    return ok;
}

/* The plugin finds kernels by dlsym. It opens the image once per device with RTLD_GLOBAL, so any other visible symbol
 * would bind to the first device's copy. This version script hides all symbols but the kernels. */
static const char exports[] = "{ global: kdsl_*; local: *; };";

/* Always links libc, for the device runtime; libm and libmvec, whose symbols take 1 ms to read, only if the kernels
 * call library functions. They must be linked, not only found at run time, because an unversioned reference is bound to
 * the oldest version of expf. */
static void add_libraries(Linker *l, const Blob *objects, int n) {
    const char *name, *path;
    bool calls = false;
    for (int i = 0; i < n; i++)
        for (int k = 0; (name = elf_undefined_symbol(objects[i], k)); k++) calls = calls || !is_runtime_symbol(name);
    linker_add(l, "--as-needed");
    if (calls && (path = find_system_file(l->c, "libm.so.6"))) linker_add(l, path);
    if (calls && (path = find_system_file(l->c, "libmvec.so.1"))) linker_add(l, path);
    if ((path = need_system_file(l->c, "libc.so.6", "libc6"))) linker_add(l, path);
    else l->failed = true;
}

bool off_link_x86_image(Compiler *c, const Blob *objects, int n, Blob *image) {
    Linker l;
    linker_begin(&l, c, "the x86 device image");
    linker_add_all(&l, "-shared", "-Bsymbolic", "--gc-sections", "--eh-frame-hdr", "--hash-style=gnu",
                   "--build-id=sha1", "--allow-shlib-undefined", "--version-script");
    linker_add_bytes(&l, "exports", exports, sizeof exports - 1);
    for (int i = 0; i < n; i++) linker_add_bytes(&l, "device code", objects[i].at, objects[i].n);
    linker_add_bytes(&l, "device runtime", kdsl_embedded_device_x86,
                     (size_t)(kdsl_embedded_device_x86_end - kdsl_embedded_device_x86));
    add_libraries(&l, objects, n);
    if (!linker_run(&l, image)) return false;
    if (check_symbols(c, *image)) return true;
    blob_free(image);
    return false;
}

bool off_images_object(Compiler *c, const DeviceImage *images, int n, Blob *object) {
    const char **names = arena_array(&c->arena, const char *, 2 * n);
    Container *containers = arena_array(&c->arena, Container, n);
    bool ok = true;
    for (int i = 0; i < 2 * n; i++) names[i] = off_image_symbol(c, i / 2, i % 2);
    for (int i = 0; i < n; i++) ok = ok && container_make(&images[i], &containers[i]);
    if (ok) *object = elf_data_object(containers, names, n);
    for (int i = 0; i < n; i++) blob_free(&containers[i].bytes);
    if (!ok || !object->at) diag(c, E1024, (Span){0, 0}, "out of memory for the device images");
    return ok && object->at;
}
