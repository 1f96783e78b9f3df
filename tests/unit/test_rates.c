/* test_rates.c -- uniformity analysis: the rate of every index in a kernel, in the order of the text, along an axis. */
#include "sema/analysis/rate.h"

#include "checked.h"

typedef struct Texts {
    Compiler *c;
    Rates *rates;
    const char *text;
} Texts;

static const char *rate_text(Compiler *c, Rate r) {
    if (r.kind == RATE_UNIFORM) return "uniform";
    if (r.kind == RATE_LINEAR) return arena_printf(&c->arena, "linear %lld", (long long)r.stride);
    if (r.why == RATE_LOADED) return "loaded";
    return r.why == RATE_STEADY ? arena_printf(&c->arena, "steady %lld", (long long)r.stride) : "computed";
}

static bool add_text(Expr *e, void *context) {
    Texts *t = context;
    if (e->kind != EXPR_INDEX) return false;
    for (int i = 0; i < e->index.at.n; i++)
        t->text = arena_printf(&t->c->arena, "%s%s%s", t->text, *t->text ? ", " : "",
                               rate_text(t->c, rate_of(t->rates, e->index.at.at[i])));
    return false;
}

static void expect_rates(const char *text, int axis, const char *wanted) {
    Compiler c;
    const Func *k = kernel_of(&c, text);
    check(!c.diags.n_errors && k, "the program is fine");
    if (k) {
        Rates rates = rates_along(&c.arena, k, axis, NULL);
        Texts t = {.c = &c, .rates = &rates, .text = ""};
        block_find(k->item->fn.body, add_text, &t);
        expect_text(text, t.text, wanted);
    }
    compiler_free(&c);
}

static void expect_uneven(Unevenness uneven, const char *text) {
    Compiler c;
    const Func *k = kernel_of(&c, text);
    check(k && rates_unevenness(&c.arena, k) == uneven, text);
    compiler_free(&c);
}

static void check_values(void) {
    expect_rates("kernel k(x: &[f32; n], t: &[i32; n], u: &[f32; n, 8], y: &mut [f32; n]) over i in n {\n"
           "    y[i] = x[0];\n"
           "    y[2 * i + 1] = x[n - 1 - i];\n"
           "    y[i] = x[t[i]];\n"
           "    y[i] = u[3, i] + u[i, 3];\n"
           "    let j = i * 4;\n"
           "    y[j] = x[i - i];\n"
           "    y[i * n] = x[i / 2];\n"
           "    y[index(i32(i) << 3)] = x[(i + 1) * (i + 1)];\n"
           "}\nfn main() { }\n", 0,
           "linear 1, uniform, linear 2, linear -1, linear 1, loaded, linear 1, linear 1, uniform, linear 1, linear 1, "
           "uniform, linear 4, uniform, steady 0, computed, steady 8, computed");
}

static void check_axes(void) {
    static const char text[] =
        "kernel k(u: &mut [f32; n, m], v: &mut [f32; n]) over i in n, j in 0..m step 3 {\n"
        "    u[i, j] = 1.0;\n"
        "    v[i] = 2.0;\n"
        "    u[j, i] = 3.0;\n"
        "}\nfn main() { }\n";
    expect_rates(text, 1, "uniform, linear 3, uniform, linear 3, uniform");
    expect_rates(text, 0, "linear 1, uniform, linear 1, uniform, linear 1");
}

/* A variable assigned where items diverge is varying; one that only counts a uniform loop stays uniform. */
static void check_variables(void) {
    expect_rates("kernel k(x: &[f32; n], y: &mut [f32; n], m: index) over i in n {\n"
           "    var same: index = 0;\n"
           "    var own: index = 0;\n"
           "    for e in 0..m {\n"
           "        same += 1;\n"
           "        if x[i] > 0.5 { own += 1; }\n"
           "    }\n"
           "    y[same] = 1.0;\n"
           "    y[own] = 2.0;\n"
           "    var rounds: index = 0;\n"
           "    while true {\n"
           "        if x[rounds + i] > 1.0 { break; }\n"
           "        rounds += 1;\n"
           "    }\n"
           "    y[rounds] = 3.0;\n"
           "    for e in i..n { y[e] = 4.0; }\n"
           "}\nfn main() { }\n", 0, "linear 1, uniform, computed, computed, computed, linear 1");
}

static void check_uneven(void) {
    expect_uneven(EVEN, "kernel k(y: &mut [f32; n]) over i in n { for e in 0..4 { y[i] += 1.0; } }\nfn main() { }\n");
    expect_uneven(UNEVEN_REGULAR,
                  "kernel k(y: &mut [f32; n]) over i in n { for e in 0..i { y[i] += 1.0; } }\nfn main() { }\n");
    expect_uneven(UNEVEN_REGULAR,
                  "fn g(n: index) -> i32 { var s = 0; for e in 0..n { s += 1; } return s; }\n"
                  "kernel k(y: &mut [i32; n]) over i in n { y[i] = g(n - 2 * i); }\nfn main() { }\n");
    expect_uneven(UNEVEN_REGULAR, "kernel k(y: &mut [f32; n, n]) over i in n, j in n {\n"
                                  "    if j <= i && i > 3 { for e in n { y[i, j] += 1.0; } }\n"
                                  "}\nfn main() { }\n");
    expect_uneven(UNEVEN, "kernel k(y: &mut [f32; n], x: &[f32; n]) over i in n {\n"
                          "    if x[i] > 0.0 { for e in n { y[i] += 1.0; } }\n"
                          "}\nfn main() { }\n");
    expect_uneven(UNEVEN, "kernel k(y: &mut [f32; n], m: &[i32; n]) over i in n {\n"
                          "    for e in index(m[i]) { y[i] += 1.0; }\n"
                          "}\nfn main() { }\n");
    expect_uneven(UNEVEN, "kernel k(y: &mut [f32; n]) over i in n {\n"
                          "    for e in i { if y[i] > 2.0 { break; } y[i] += 1.0; }\n"
                          "}\nfn main() { }\n");
}

int main(void) {
    check_values();
    check_axes();
    check_variables();
    check_uneven();
    return n_failed > 0;
}
