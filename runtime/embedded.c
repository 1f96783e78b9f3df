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
EMBED(kdsl_embedded_live, "kdsl_live.so");

/* PART(name, label, prefix): the object kdsl_part_NAME.o. A part may need parts that are listed after it. */
#define PARTS                                                                                                          \
    PART(cuda, "runtime of PTX images", "kdsl_ptx_")                                                                   \
    PART(words, "runtime of `text`", "kdsl_std_text_")                                                                 \
    PART(npy, "runtime of `npy`", "kdsl_std_npy_")                                                                     \
    PART(mpi, "runtime of `mpi`", "kdsl_std_mpi_")                                                                     \
    PART(png, "runtime of `image`, PNG", "kdsl_std_png_")                                                              \
    PART(pnm, "runtime of `image`, PGM and PPM", "kdsl_std_pnm_")                                                      \
    PART(shadow, "runtime of --check", "kdsl_shadow_")                                                                 \
    PART(image, "runtime of `image`", "kdsl_std_image_")

#define PART(name, label, prefix)                                                                                      \
    extern const char kdsl_part_##name[], kdsl_part_##name##_end[];                                                    \
    EMBED(kdsl_part_##name, "kdsl_part_" #name ".o");
PARTS
#undef PART

const KdslPart kdsl_parts[] = {
#define PART(name, label, prefix) {label, prefix, kdsl_part_##name, kdsl_part_##name##_end},
    PARTS
#undef PART
    {0}};
