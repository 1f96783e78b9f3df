/* doctor.h -- `kdslc doctor`: what this machine has of what programs need, and whether it works. */
#ifndef KDSL_DOCTOR_H
#define KDSL_DOCTOR_H

#include "base/base.h"

/* Prints a report. The exit code: 0 if every device that is there ran a kernel. */
int doctor_run(Compiler *c);

#endif
