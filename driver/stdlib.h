/* stdlib.h -- the standard library, for sema: a table ended by a row without a name. */
#ifndef KDSL_DRIVER_STDLIB_H
#define KDSL_DRIVER_STDLIB_H

#include "sema/sema.h"

extern const BuiltInModule stdlib_modules[];

#endif
