/* embedded.c -- embedded.h's symbols. The assembler reads the objects; KDSL_EMBED_DIR says where the build put them. */
#include "runtime/embedded.h"

#define EMBED(name, file)                                                                                              \
    __asm__(".pushsection .rodata." #name ",\"a\"\n"                                                                   \
            ".balign 16\n"                                                                                             \
            ".globl " #name ", " #name "_end\n"                                                                        \
            ".hidden " #name ", " #name "_end\n" #name ":\n"                                                           \
            ".incbin \"" KDSL_EMBED_DIR "/" file "\"\n" #name "_end:\n"                                                \
            ".byte 0\n"                                                                                                \
            ".popsection")

EMBED(kdsl_embedded_start, "kdsl_start.o");
EMBED(kdsl_embedded_runtime, "kdsl_rt.o");
EMBED(kdsl_embedded_device_x86, "kdsl_rt_device_x86.o");
