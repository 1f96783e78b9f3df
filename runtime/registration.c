/* registration.c -- registration of device images: how a program or library is registered with libomptarget, and
 * unregistered. */
#include "runtime/internal.h"
#include "runtime/target.h"

void kdsl_register(const void *descriptor, const void *anchor) {
    (void)anchor;
    kdsl_target()->register_lib(descriptor);
}

void kdsl_unregister(const void *descriptor) { kdsl_target()->unregister_lib(descriptor); }

#ifndef KDSL_LIVE
/* A library may be closed long before the process ends. What it has registered with atexit has to run then: gcc's
 * crtbegin.o sees to that in libraries that gcc links, and this in those that kdslc links. Without it libomptarget goes
 * on using the images of a library that is gone, and exit() calls functions that are. Where both do it, or where the
 * process ends, nothing is left to be run. */
extern void *__dso_handle;
void __cxa_finalize(void *library);

__attribute__((destructor)) static void run_exit_handlers(void) {
    if (__dso_handle) __cxa_finalize(__dso_handle);
}
#endif
