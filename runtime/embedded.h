/* embedded.h -- the runtime as bytes inside the compiler: relocatable x86-64 objects, made when kdslc was built. */
#ifndef KDSL_RUNTIME_EMBEDDED_H
#define KDSL_RUNTIME_EMBEDDED_H

extern const char kdsl_embedded_start[], kdsl_embedded_start_end[];           /* start.c: programs with an fn main */
extern const char kdsl_embedded_runtime[], kdsl_embedded_runtime_end[];       /* everything else of the host */
extern const char kdsl_embedded_device_x86[], kdsl_embedded_device_x86_end[]; /* device_x86.c */

#endif
