/* image.c -- from device object to what libomptarget loads, and from images to an object the program can hold. */
#include <string.h>

#include "offload/elf.h"
#include "offload/linker.h"
#include "offload/module.h"
#include "runtime/embedded.h"

/* The host plugin's image may leave open what the C library defines, and nothing else: a name without a version goes to
 * the first library of the process that has it, whichever that is. What the image needs of libomp its runtime looks up
 * (runtime/threads.c). */
static bool is_ours(const char *name) { return !strncmp(name, "kdsl_", 5); }

static bool check_symbols(Compiler *c, Blob image) {
    const char *name;
    bool ok = true;
    for (int k = 0; (name = elf_unbound_symbol(image, k)); k++) {
        diag(c, E1025, (Span){0, 0}, "device code needs `%s`, which is not in libc or libm", name);
        ok = false;
    }
    return ok;
}

/* Kernels are looked up by name with dlsym. The plugin opens the image once per device with RTLD_GLOBAL, so any other
 * visible name would bind to the first device's copy: the version script hides what irgen may have left visible. */
static const char exports[] = "{ global: kdsl_*; local: *; };";

/* libc always, for the device runtime; reading the symbols of libm and libmvec costs 1 ms, so only where the kernels
 * call anything. (They must be linked, not only found at run time: an unversioned reference gets the oldest expf.) */
static void add_libraries(Linker *l, const Blob *objects, int n) {
    const char *name, *path;
    bool calls = false;
    for (int i = 0; i < n; i++)
        for (int k = 0; (name = elf_undefined_symbol(objects[i], k)); k++) calls = calls || !is_ours(name);
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
                   "--build-id=none", "--allow-shlib-undefined", "--version-script");
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
