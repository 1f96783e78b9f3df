/* test_collapse.c -- loop collapsing: the loops whose iterations are found to be independent, and those that would be
 * the fastest axis. */
#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"

#include "checked.h"

typedef enum Found { NONE, LEGAL, WANTED, NO_KERNEL } Found;

static void expect_loop(const char *text, Found want) {
    Compiler c;
    const Func *kernel = kernel_of(&c, text);
    const Stmt *loop = kernel ? collapsible_loop(&c.arena, kernel) : NULL;
    Found got = !kernel ? NO_KERNEL : !loop ? NONE : axes_want_loop(&c.arena, kernel, loop, false) ? WANTED : LEGAL;
    if (got == want) return;
    n_failed++;
    fprintf(stderr, "FAILED: %s\n  expected %d, got %d\n", text, want, got);
}

#define ROWS(body) \
    "fn total(x: &[f32; n]) -> f32 { var s = 0.0f32; for e in n { s += x[e]; } return s; }\n" \
    "fn clear(x: &mut [f32; n]) { for e in n { x[e] = 0.0; } }\n" \
    "kernel k(x: &[f32; n, m], y: &mut [f32; n, m], z: &mut [f32; m, n], w: &mut [f32; o], q: &mut [f32; n, 3], " \
    "t: &mut f32) over i in n { " body " }\nfn main() {}\n"

static void test_free(void) {
    expect_loop(ROWS("for j in m { y[i, j] = x[i, j]; }"), WANTED);
    expect_loop(ROWS("let a = x[i, 0]; for j in 1..m - 1 { let b = a; y[i, j] += b + x[i, j - 1]; }"), WANTED);
    expect_loop(ROWS("for j in m { var s = 0.0f32; for e in m { if e > j { break; } s += x[i, e]; } y[i, j] = s; }"),
                WANTED);
    expect_loop(ROWS("for j in m { if j == 3 { continue; } y[i, j] = 1.0; }"), WANTED);
    expect_loop(ROWS("for j in m { w[i * m + j] = x[i, j]; }"), WANTED);
    expect_loop(ROWS("for j in m { y[i, j] = x[i, j]; w[j + i] = 0.0; }"), WANTED);
    expect_loop(ROWS("for j in m { z[j, i] = 1.0; }"), LEGAL);  /* contiguous along i */
    expect_loop(ROWS("for j in 3 { q[i, j] = 1.0; }"), LEGAL);  /* too short */
}

static void test_bound(void) {
    expect_loop(ROWS("var s = 0.0f32; for j in m { s += x[i, j]; y[i, j] = s; }"), NONE);
    expect_loop(ROWS("for j in 1..m { y[i, j] = y[i, j - 1]; }"), NONE);
    expect_loop(ROWS("let a = y[i, 0]; for j in m { y[i, j] = a; }"), NONE);
    expect_loop(ROWS("for j in m { y[i, 0] = x[i, j]; }"), NONE);
    expect_loop(ROWS("for j in m { y[i, j / 2] = x[i, j]; }"), NONE);
    expect_loop(ROWS("for j in m { w[i * m + j] = w[i * m + j + 1]; }"), NONE);
    expect_loop(ROWS("for j in m { for e in 3 { w[j + e] = x[i, j]; } }"), NONE);
    expect_loop(ROWS("for j in m { t = x[i, j]; }"), NONE);
    expect_loop(ROWS("for j in m { atomic t += x[i, j]; }"), NONE);
    expect_loop(ROWS("for j in m { if x[i, j] > 1.0 { return; } y[i, j] = 1.0; }"), NONE);
    expect_loop(ROWS("for j in m { if x[i, j] > 1.0 { break; } y[i, j] = 1.0; }"), NONE);
    expect_loop(ROWS("for j in m { clear(&mut y[i, ..]); }"), NONE);
    expect_loop(ROWS("for j in m { y[i, j] = total(&y[i, ..]); }"), NONE);
    expect_loop(ROWS("for j in i..m { y[i, j] = 1.0; }"), NONE); /* rows of different lengths */
    expect_loop(ROWS("for j in 0..m step 2 { y[i, j] = 1.0; }"), NONE);
    expect_loop(ROWS("for j in m { y[i, j] = 1.0; } t = 1.0;"), NONE);
    expect_loop(ROWS("if i > 2 { for j in m { y[i, j] = 1.0; } }"), NONE);
    expect_loop(ROWS("let s = total(&x[i, ..]); for j in m { y[i, j] = x[i, j] / s; }"), NONE); /* costs too much */
    expect_loop(ROWS("let s = exp(x[i, 0]); for j in m { y[i, j] = x[i, j] / s; }"), NONE);
}

int main(void) {
    test_free();
    test_bound();
    return n_failed > 0;
}
