/* complete.c -- decides whether an input is complete: by the parser, using the grammar's start rule for inputs, and
 * after an error by the brackets. */
#include "repl/complete.h"

#include "base/base.h"
#include "parser/ast.h"

InputState input_state(const char *text, size_t n) {
    Compiler c;
    bool incomplete = false, wrong = true;
    compiler_init(&c);
    Source *s = source_add(&c.sources, "input", text, n);
    if (s) {
        parse_input(&c, s, &incomplete);
        wrong = c.diags.n_errors != 0;
        if (c.diags.n_errors > 1 || (wrong && !incomplete)) incomplete = input_has_open_bracket(&c, s);
    }
    compiler_free(&c);
    return incomplete ? INPUT_INCOMPLETE : wrong ? INPUT_WRONG : INPUT_COMPLETE;
}
