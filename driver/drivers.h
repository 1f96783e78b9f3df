/* drivers.h -- queries GPU drivers for their devices, as programs will find them. */
#ifndef KDSL_DRIVERS_H
#define KDSL_DRIVERS_H

#include "base/base.h"

typedef struct DriverState {
    bool works;  /* it answered, be it that there is no GPU */
    int n_gpus;
    Buf says;    /* its GPUs, or what is wrong with it */
    Buf archs;   /* ",nvidia,gfx90a": what a program for these GPUs is compiled for */
} DriverState;

/* Each driver is called in a process of its own, with a limit of twenty seconds, so that one that hangs or crashes
 * affects nothing else. */
DriverState driver_ask_nvidia(void);
DriverState driver_ask_amd(void);
void driver_state_free(DriverState *s);

#endif
