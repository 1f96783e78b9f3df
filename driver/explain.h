/* explain.h -- the explanation of a diagnostic, from docs/errors.md. */
#ifndef KDSL_EXPLAIN_H
#define KDSL_EXPLAIN_H

#include <stdbool.h>

#include "base/base.h"

bool is_diagnostic_code(const char *text);     /* E0301, w0401: looks like one */
bool explain_code(const char *code, Buf *out); /* false: there is none */

#endif
