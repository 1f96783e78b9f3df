/* embedded.h -- the runtime as bytes inside the compiler: relocatable x86-64 objects, made when kdslc was built, and
 * all of it as a shared object. */
#ifndef KDSL_RUNTIME_EMBEDDED_H
#define KDSL_RUNTIME_EMBEDDED_H

extern const char kdsl_embedded_start[], kdsl_embedded_start_end[];           /* start.c: programs with an fn main */
extern const char kdsl_embedded_runtime[], kdsl_embedded_runtime_end[];       /* everything else of the host */
extern const char kdsl_embedded_device_x86[], kdsl_embedded_device_x86_end[]; /* device_x86.c */
extern const char kdsl_embedded_live[], kdsl_embedded_live_end[];             /* a session's: live.h */

/* Optional parts, linked only into programs whose code refers to a name with this prefix. They define the C functions
 * of modules of stdlib/. */
typedef struct KdslPart {
    const char *label, *prefix, *begin, *end;
} KdslPart;
extern const KdslPart kdsl_parts[]; /* ended by a row without a label */

#endif
