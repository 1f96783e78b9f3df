/* arch.h -- which devices a program is made for: --offload-arch. */
#ifndef KDSL_ARCH_H
#define KDSL_ARCH_H

#include "base/base.h"

/* One device image: the generator's target, and the processor it is for (NULL: that of --march). */
typedef struct Arch {
    const char *target, *cpu;
    bool any_newer; /* NVIDIA: it stays PTX, which the driver assembles for the model that is there */
} Arch;

typedef struct Archs {
    Arch *at; /* GPUs before the CPU, the more special before the more general: libomptarget takes the first that
               * fits */
    int n;
} Archs;

/* `list` as it was written, or "auto". false: *why says what is wrong with it, in the arena. */
bool archs_parse(Archs *archs, Arena *arena, const char *list, const char **why);
bool archs_have(const Archs *archs, const char *target);
bool archs_have_text(const Archs *archs); /* is one of them any_newer? */
bool archs_have_gpu(const Archs *archs);
bool archs_have_cpu(const Archs *archs);

#endif
