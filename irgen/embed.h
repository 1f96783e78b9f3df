/* embed.h -- embeds a file of the build in the compiler's read-only data: extern const char name[], name_end[]. */
#ifndef KDSL_IRGEN_EMBED_H
#define KDSL_IRGEN_EMBED_H

#define EMBED(name, file)                                                                                              \
    extern const char name[], name##_end[];                                                                            \
    __asm__(".pushsection .rodata." #name ",\"a\"\n"                                                                   \
            ".balign 16\n"                                                                                             \
            ".globl " #name ", " #name "_end\n"                                                                        \
            ".hidden " #name ", " #name "_end\n" #name ":\n"                                                           \
            ".incbin \"" KDSL_MATH_DIR "/" file "\"\n" #name "_end:\n"                                                 \
            ".popsection")

#endif
