/* checked.h -- what unit tests over the checked tree share: a program from its text, and failures that are counted. */
#ifndef KDSL_TEST_CHECKED_H
#define KDSL_TEST_CHECKED_H

#include <stdio.h>
#include <string.h>

#include "parser/ast.h"
#include "sema/check.h"

static int n_failed;

/* Returns `ok`, for tests that go on only where it holds. */
static inline bool check(bool ok, const char *what) {
    if (ok) return true;
    n_failed++;
    fprintf(stderr, "FAILED: %s\n", what);
    return false;
}

static inline void expect_text(const char *program, const char *got, const char *wanted) {
    if (!strcmp(got, wanted)) return;
    n_failed++;
    fprintf(stderr, "FAILED: %s\n  expected `%s`, got `%s`\n", program, wanted, got);
}

static inline Program *program_of(Compiler *c, const char *text) {
    bool incomplete;
    compiler_init(c);
    Module *m = parse_source(c, source_add(&c->sources, "test.kdsl", text, strlen(text)), &incomplete);
    SemaOptions how = {.races_off = true}; /* kernels here need not make sense as programs */
    return sema_check(c, m, &how);
}

/* The first kernel; NULL: there is none. */
static inline const Func *kernel_of(Compiler *c, const char *text) {
    const Program *p = program_of(c, text);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) return p->funcs.at[i];
    return NULL;
}

#endif
