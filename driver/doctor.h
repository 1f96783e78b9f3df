/* doctor.h -- `kdslc doctor`: reports which requirements of programs this machine meets, and whether the devices
 * work. */
#ifndef KDSL_DOCTOR_H
#define KDSL_DOCTOR_H

#include "base/base.h"

/* Prints a report. The exit code: 0 if every device that is there ran a kernel. */
int doctor_run(Compiler *c);

#endif
