/* complete.c -- decides by the parser whether an input is complete, using the grammar's start rule for inputs. */
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
        incomplete &= c.diags.n_errors <= 1; /* an error before the end of the text remains, whatever follows */
    }
    compiler_free(&c);
    return incomplete ? INPUT_INCOMPLETE : wrong ? INPUT_WRONG : INPUT_COMPLETE;
}
