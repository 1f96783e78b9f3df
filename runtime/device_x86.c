/* device_x86.c -- the part of an x86 device image that is not generated from kernels. It is linked into each such
 * image with hidden names, so each of the four host devices has its own copy. When a constructor of the image runs,
 * the file of the plugin is mapped and can be deleted. If a debugger runs the process, the file stays until the image
 * is closed, because debuggers read sections of it later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "runtime/internal.h"

/* Defined by the linker: this image's first mapped byte. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

static bool is_traced(void) {
    char line[128];
    int tracer = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "TracerPid: %d", &tracer) != 1) continue;
    if (f) fclose(f);
    return tracer != 0;
}

__attribute__((destructor)) static void remove_image_file(void) {
    Dl_info self;
    if (dladdr(__ehdr_start, &self)) kdsl_remove_image_file(self.dli_fname, __ehdr_start);
}

__attribute__((constructor)) static void image_is_loaded(void) {
    if (!is_traced()) remove_image_file();
}

/* Loops of the host call the host version of a kernel, so an image has no teams (team.c). */
bool kdsl_team_run(void *ident, Task *task, void *context) {
    (void)ident, (void)task, (void)context;
    return false;
}

int kdsl_team_thread(void) { return -1; }
int kdsl_team_size(void) { return 0; }
int32_t kdsl_has_team(void) { return 0; }
