/* results.h -- the results of `kdslc test` for tools. */
#ifndef KDSL_RESULTS_H
#define KDSL_RESULTS_H

#include "base/base.h"
#include "driver/options.h"
#include "offload/offload.h"

/* Runs the compiled tests and prints their results as JSON or, as Jenkins, GitLab and others read them, JUnit's XML.
 * Returns the exit code; -1: reported to c. */
int results_run(Compiler *c, Blob program, const Options *o);

#endif
