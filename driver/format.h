/* format.h -- `kdslc fmt`. */
#ifndef KDSL_FORMAT_H
#define KDSL_FORMAT_H

#include "base/base.h"
#include "driver/options.h"

/* Formats the files of the command line. false: one of them has errors, which are reported, or --check found one that
 * is not formatted. */
bool format_files(Compiler *c, const Options *o);

#endif
