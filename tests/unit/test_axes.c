/* test_axes.c -- memory order of domains: the order of the axes that is chosen for a kernel, by its text. */
#include "sema/analysis/axes.h"

#include "checked.h"

/* "i, j": from the slowest to the fastest. */
static void expect_order(const char *text, const char *axes) {
    Compiler c;
    int order[MAX_RANK];
    const Func *kernel = kernel_of(&c, text);
    const char *got = kernel ? "" : "no kernel";
    if (kernel) axes_in_memory_order(&c.arena, kernel, order);
    for (int d = 0; kernel && d < kernel->domain.n; d++)
        got = arena_printf(&c.arena, "%s%s%s", got, d ? ", " : "", kernel->domain.at[order[d]]->name);
    expect_text(text, got, axes);
}

#define OVER(domain, body)                                                                                             \
    "kernel k(x: &[f32; n, m], y: &mut [f32; n, m], p: &[f32; l, n, m], q: &mut [f32; l, n, m], v: &[f32; o], "        \
    "w: &mut [f32; o], at: &[index; n, m], b: &[f32; 3, n], c: &mut [i32; n], d: &mut [f32; n, 4], e: &mut [f32; m, "  \
    "n], "                                                                                                             \
    "s: index, t: &mut i32) over " domain " { " body " }\nfn main() {}\n"

static void test_two_axes(void) {
    expect_order(OVER("i in n, j in m", "y[i, j] = x[i, j];"), "i, j");
    expect_order(OVER("j in m, i in n", "y[i, j] = x[i, j];"), "i, j");
    expect_order(OVER("j in m, i in 1..n step 2", "y[i, j] = x[i - 1, j];"), "i, j");
    expect_order(OVER("j in m, i in n", "e[j, i] = x[i, j];"), "j, i"); /* as good as each other */
    expect_order(OVER("j in m, i in n", "y[i, j] = x[at[i, j], 0];"), "i, j");
    expect_order(OVER("j in m, i in n", "y[at[i, j], j] = x[i, at[i, j]];"), "i, j");
    expect_order(OVER("j in m, i in n", "w[i * m + j] = v[i * m + j];"), "i, j");
    expect_order(OVER("j in m, i in n", "w[i * 8 + j] = v[i * 8 + j];"), "i, j");
    expect_order(OVER("j in m, i in n", "w[i + j] = v[i + j];"), "j, i");
    expect_order(OVER("j in m, i in n", "let r = i + s; let k = j; y[r, k] = x[r, k];"), "i, j");
    expect_order(OVER("j in m, i in n", "y[i, j] = x[max(i - 1, 0), (j + 1) % m] + x.at(i, j + 1);"), "i, j");
}

static void test_weights(void) {
    expect_order(OVER("j in m, i in n", "for k in s { y[i, j] += x[i, k] * x[k, j]; }"), "i, j");
    expect_order(OVER("i in n, j in m", "for k in s { w[0] += x[j, k]; } y[i, j] = 0.0;"),
                 "j, i"); /* the loop counts more */
    expect_order(OVER("i in n, j in m", "for k in s { w[0] += x[k, i]; } y[j, i] = x[j, i] + x[i, j];"), "j, i");
    expect_order(OVER("i in n, j in 4", "d[i, j] = 1.0;"), "i, j");
    expect_order(OVER("j in 4, i in n", "d[i, j] = 1.0;"), "j, i"); /* rows of 4 */
    expect_order(OVER("i in n, j in m", "atomic c[i] += i32(x[i, j]);"), "i, j");
    expect_order(OVER("j in m, i in n", "atomic c[i] += i32(x[i, j]);"), "i, j");
}

static void test_three_axes(void) {
    expect_order(OVER("k in l, i in n, j in m", "q[k, i, j] = p[k, i, j];"), "k, i, j");
    expect_order(OVER("i in n, k in l, j in m", "q[k, i, j] = p[k, i, j];"), "k, i, j");
    expect_order(OVER("j in m, i in n, k in l", "q[k, i, j] = p[k, i, j];"), "k, i, j");
    expect_order(OVER("i in n, j in m, k in l", "q[k, i, j] = p[k, i, j];"), "k, i, j");
    expect_order(OVER("k in l, j in m, i in n", "q[k, i, j] = p[k, i, j];"), "k, i, j");
}

#define SUM(type, result) \
    "kernel k(x: &[" type "; n, m]) over j in m, i in n -> " result " { return x[i, j]; }\nfn main() {}\n"

static void test_reductions(void) {
    expect_order(SUM("i32", "sum i32"), "i, j");
    expect_order(SUM("u64", "prod u64"), "i, j");
    expect_order(SUM("i8", "min i8"), "i, j");
    expect_order(SUM("bool", "any"), "i, j");
    expect_order(SUM("bool", "count"), "i, j");
    expect_order(SUM("f32", "sum f32"), "j, i"); /* in the order of the text, which its bits depend on */
    expect_order(SUM("f64", "min f64"), "j, i");
}

static void test_functions(void) {
    expect_order("fn first(x: &[f32; n], k: index) -> f32 { return x[k]; }\n"
           "fn all(x: &[f32; n]) -> f32 { var s = 0.0f32; for k in n { s += x[k]; } return s; }\n"
           "kernel k(x: &[f32; n, m], y: &mut [f32; n, m]) over j in m, i in n { y[i, j] += first(&x[i, ..], j); }\n"
           "fn main() {}\n", "i, j");
    expect_order("fn all(x: &[f32; n], k: index) -> f32 { var s = 0.0f32; for e in n { s += x[e]; } return s; }\n"
           "kernel k(x: &[f32; n, m], y: &mut [f32; m, n]) over i in n, j in m { y[j, i] += all(&x[j, ..], i); }\n"
           "fn main() {}\n", "j, i");
    expect_order("kernel k(x: &[f32; n, m], y: &mut [f32; n, m]) over j in m by 16, i in n by 16 { if inside { y[i, j] "
                 "= x[i, j]; } }\n"
                 "fn main() {}\n",
                 "j, i");
}

int main(void) {
    test_two_axes();
    test_weights();
    test_three_axes();
    test_reductions();
    test_functions();
    return n_failed > 0;
}
