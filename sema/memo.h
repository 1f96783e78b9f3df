/* memo.h -- memoisation across checks of texts that differ little, as an editor's: answers of analyses that cost much
 * and depend on nothing but a function, what it calls, and the declarations of structs and constants. */
#ifndef KDSL_MEMO_H
#define KDSL_MEMO_H

#include "sema/check.h"

/* The answer to `what` about parameter `param` of f, from an earlier check; NULL: not known. */
const char *memo_find(Sema *s, const Func *f, const char *what, int param);
/* Keeps the answer, a text, for later checks. */
void memo_add(Sema *s, const Func *f, const char *what, int param, const char *answer);
void memo_begin(Sema *s); /* a check begins, and all modules are loaded */

#endif
