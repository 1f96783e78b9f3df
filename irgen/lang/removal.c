/* removal.c -- mutation testing, `--without=KEY`: leaves out one check or one copy, so that tests/without.py can
 * verify that a test fails for each. A key says what is left out and where: "index host FILE:LINE:COL.1" is the check
 * of the second index at that place in host code. `--without=list` leaves out nothing and prints the keys, once for
 * each place in the generated code. */
#include "irgen/lang/lang.h"

#include <stdio.h>
#include <string.h>

bool cg_removes(CgFunc *f, const char *what, Span span, int part) {
    Cg *cg = f->cg;
    const char *wanted = cg->options->without;
    if (!wanted) return false;
    Place p = cg_place(cg, span);
    const char *path = p.file ? p.file->path : "?", *slash = strrchr(path, '/');
    const char *where = cg->target->is_program ? "host" : f->is_kernel ? "kernel" : "function";
    const char *key =
        arena_printf(&cg->c->arena, "%s %s %s:%d:%d.%d", what, where, slash ? slash + 1 : path, p.line, p.col, part);
    if (!strcmp(wanted, "list")) fprintf(stderr, "%s\n", key);
    return !strcmp(wanted, key);
}

LLVMValueRef cg_unless_removed(CgFunc *f, const char *what, Span span, int part, LLVMValueRef failed) {
    return cg_removes(f, what, span, part) ? LLVMConstNull(LLVMTypeOf(failed)) : failed;
}

Transfer cg_without_copies(CgFunc *f, Span span, int param, Transfer t) {
    Transfer left = t;
    if (t & TRANSFER_TO && cg_removes(f, "copy-to", span, param)) left &= (Transfer)~TRANSFER_TO;
    if (t & TRANSFER_FROM && cg_removes(f, "copy-from", span, param)) left &= (Transfer)~TRANSFER_FROM;
    return left; /* neither: TRANSFER_ALLOC */
}
