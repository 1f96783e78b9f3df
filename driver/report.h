/* report.h -- diagnostics for tools. */
#ifndef KDSL_REPORT_H
#define KDSL_REPORT_H

#include "base/base.h"

/* --format=json: an array with an object for each diagnostic, in the order of the text: code, severity, message, file,
 * line, column, end_line, end_column, and notes, which may have a place and a fix. */
void diags_as_json(Compiler *c, Buf *out);
/* --format=sarif: SARIF 2.1.0, as code hosts read it. */
void diags_as_sarif(Compiler *c, Buf *out);

#endif
