/* stdlib.c -- the modules of stdlib/, embedded in the compiler, so that it works as a single file. The list is made by
 * CMake: STDLIB(name) for each file. */
#include "driver/stdlib.h"

#define STDLIB(name)                                                                                                   \
    extern const char kdsl_stdlib_##name[], kdsl_stdlib_##name##_end[];                                                \
    __asm__(".pushsection .rodata.kdsl_stdlib_" #name ",\"a\"\n"                                                       \
            ".globl kdsl_stdlib_" #name ", kdsl_stdlib_" #name "_end\n"                                                \
            ".hidden kdsl_stdlib_" #name ", kdsl_stdlib_" #name "_end\n"                                               \
            "kdsl_stdlib_" #name ":\n"                                                                                 \
            ".incbin \"" KDSL_STDLIB_DIR "/" #name ".kdsl\"\n"                                                         \
            "kdsl_stdlib_" #name "_end:\n.byte 0\n.popsection");
KDSL_STDLIB_MODULES
#undef STDLIB

const BuiltInModule stdlib_modules[] = {
#define STDLIB(name) {#name, kdsl_stdlib_##name, kdsl_stdlib_##name##_end},
    KDSL_STDLIB_MODULES
#undef STDLIB
    {0}};
