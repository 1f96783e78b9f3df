/* lsp.h -- `kdslc lsp`: a language server (Language Server Protocol 3.17) on a pair of file descriptors. */
#ifndef KDSL_LSP_H
#define KDSL_LSP_H

#include "sema/sema.h"

/* What the driver knows of checking a program: with the standard library, for which host. with_races: also the race
 * analysis, which may take longer than a keystroke. memo: of earlier checks of the document. NULL: the text has syntax
 * errors. */
typedef Program *(*LspCheck)(Compiler *c, Module *m, bool with_races, Memo *memo);

/* Serves until the client says `exit` or closes the input. The exit code: 0 after `shutdown`, else 1. */
int lsp_serve(int in, int out, LspCheck check);

#endif
