/* libFuzzer target: lexer, parser, printer and sema on any bytes. No input may crash, hang or leak.
 * A text that parses without error must also survive a round trip: its printed form parses to the same tree. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "parser/ast.h"
#include "sema/sema.h"

static void check_round_trip(Compiler *c, const Module *m) {
    Buf once = {0}, twice = {0};
    Compiler again;
    compiler_init(&again);
    ast_dump(c, m, false, &once);
    Source *s = source_add(&again.sources, "dump.kdsl", once.n ? once.at : "", once.n);
    Module *parsed = parse_source(&again, s, NULL);
    ast_dump(&again, parsed, false, &twice);
    if (again.diags.n_errors || once.n != twice.n || memcmp(once.at, twice.at, once.n)) abort();
    compiler_free(&again);
    buf_free(&once);
    buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    Compiler c;
    Buf said = {0};
    compiler_init(&c);
    Source *s = source_add(&c.sources, "fuzz.kdsl", (const char *)data, n);
    if (s) {
        Module *m = parse_source(&c, s, NULL);
        if (!c.diags.n_errors && m->items.n) check_round_trip(&c, m);
        sema_check(&c, m, &(SemaOptions){.need_main = false});
        diags_print(&c, &said, true);
    }
    buf_free(&said);
    compiler_free(&c);
    return 0;
}
