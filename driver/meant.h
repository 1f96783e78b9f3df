/* meant.h -- what a word that the command line does not have was meant to be: by its meaning (meant.def), or by its
 * spelling; and files that do not exist. */
#ifndef KDSL_MEANT_H
#define KDSL_MEANT_H

#include "base/base.h"

typedef enum MeantKind { MEANT_OPTION, MEANT_COMMAND, MEANT_EMIT, MEANT_EXPLAIN, MEANT_CPU, MEANT_DEVICE } MeantKind;

/* How the message goes on, beginning with `:` or `;`; NULL: no row. */
const char *meant_by(MeantKind kind, const char *word);

/* The most typing mistakes that leave a word of this length recognisable. */
int meant_typos(const char *word);

/* E1002, with the .kdsl file of the same folder that has nearly this name. */
void report_unreadable(Compiler *c, const char *path, const char *why);

#endif
