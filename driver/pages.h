/* pages.h -- the command line, described for people, manuals and shells, from the rows of options.def. */
#ifndef KDSL_PAGES_H
#define KDSL_PAGES_H

#include "base/base.h"
#include "driver/table.h"

void help_page(Buf *out, Level most);   /* --help, --help-all */
void manual_page(Buf *out, Level most); /* kdslc(1), in the macros of man(7) */
bool completion_page(Buf *out, const char *shell); /* "bash", "zsh" or "fish"; false: another one */

#endif
