/* registration.c -- registration of device images: how a program or library is registered with libomptarget, and
 * unregistered. */
#include "runtime/internal.h"
#include "runtime/target.h"

void kdsl_register(const void *descriptor, const void *anchor) {
    (void)anchor;
    kdsl_remove_stale_mark();
    kdsl_report_begin();
    kdsl_trace_begin();
    kdsl_target()->register_lib(descriptor);
}

void kdsl_unregister(const void *descriptor) { kdsl_target()->unregister_lib(descriptor); }

#ifndef KDSL_LIVE
/* A library may be closed long before the process ends. Its atexit handlers have to run then: in libraries that gcc
 * links, crtbegin.o runs them; in those that kdslc links, this function does. Otherwise libomptarget would use the
 * images, and exit() would call functions, of a library that is no longer mapped. If both run, or at the end of the
 * process, nothing is left to be run. */
extern void *__dso_handle;
void __cxa_finalize(void *library);

__attribute__((destructor)) static void run_exit_handlers(void) {
    if (__dso_handle) __cxa_finalize(__dso_handle);
}
#endif
