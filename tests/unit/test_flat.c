/* test_flat.c -- delinearisation: the rows that are found in kernels, and which divisors are areas of them. */
#include "sema/analysis/flat.h"

#include "checked.h"

/* "w; h * w": the row, then the areas; "": none. */
static void expect_rows(const char *text, const char *rows) {
    Compiler c;
    FlatAxis f;
    const Func *kernel = kernel_of(&c, text);
    const char *got = kernel ? "" : "no kernel";
    if (kernel && flat_axis(&c.arena, kernel, &f)) {
        got = flat_text(&c.arena, &f.row);
        for (int i = 0; i < f.n_areas; i++)
            got = arena_printf(&c.arena, "%s; %s", got, flat_text(&c.arena, &f.area[i]));
    }
    expect_text(text, got, rows);
}

#define OVER(domain, body)                                                                                             \
    "kernel k(y: &mut [index; n], z: &mut [i32; m], w: index, h: index, v: i32, u: u64) over " domain " { " body       \
    " }\n"                                                                                                             \
    "fn main() {}\n"

static void test_rows(void) {
    expect_rows(OVER("p in n", "y[p] = p / w + p % w;"), "w");
    expect_rows(OVER("p in n", "y[p] = p % w;"), "w");
    expect_rows(OVER("p in n", "let i = p / w; y[p] = p - i * w;"), "w");
    expect_rows(OVER("p in n", "if p > 3 { for e in p { y[p] += p / m; } }"), "m");
    expect_rows(OVER("p in n", "let q = p; let r = w; y[p] = q / r;"), "w");
    expect_rows(OVER("p in n", "let stride = w + 1; y[p] = p / stride;"), "stride");
    expect_rows(OVER("p in n", "y[p] = p / 640 + p % 640;"), "640");
    expect_rows(OVER("p in n", "y[p] = p / 8;"), "");          /* too short */
    expect_rows(OVER("p in n", "y[p] = w / p;"), "");
    expect_rows(OVER("p in n", "y[p] = (p + 1) / w;"), "");
    expect_rows(OVER("p in n", "y[p] = p / y[p];"), "");       /* differs from item to item */
    expect_rows(OVER("p in n", "var q = p; q += 1; y[p] = q / w;"), "");
    expect_rows(OVER("p in n", "y[p] = p * w;"), "");
}

static void test_domains(void) {
    expect_rows(OVER("p in 5..n", "y[p] = p / w;"), "w");
    expect_rows(OVER("p in m..n", "y[p] = p / w;"), "w");
    expect_rows(OVER("p in -5..n", "y[p + 5] = p / w;"), "");  /* p may be negative */
    expect_rows(OVER("p in h..n", "y[p] = p / w;"), "");
    expect_rows(OVER("p in 0..n step 2", "y[p] = p / w;"), "");
    expect_rows(OVER("p in n, q in h", "y[p] = p / w;"), "");
    expect_rows(OVER("p in n by 64", "if inside { y[p] = p / w; }"), "");
    expect_rows(OVER("p in v", "z[p] = p / v;"), "v");
    expect_rows(OVER("p in v", "y[p] = index(p) / w;"), "w");
    expect_rows(OVER("p in n", "z[p] = i32(p) / v;"), "");     /* loses bits */
    expect_rows(OVER("p in u", "z[index(p)] = i32(p / u);"), "");
}

static void test_areas(void) {
    expect_rows(OVER("p in n", "y[p] = p / (h * w) + p / w % h + p % w;"), "w; h * w");
    expect_rows(OVER("p in n", "let area = w * h; let r = p % area; y[p] = p / area + r / w + r % w;"), "w; w * h");
    expect_rows(OVER("p in n", "y[p] = p / (m * h * w) + p % (m * h * w) / (h * w) + p % (w * h) / w;"),
                "w; m * h * w; h * w");
    expect_rows(OVER("p in n", "y[p] = p / (4 * w) + p / w;"), "w; 4 * w");
    expect_rows(OVER("p in n", "y[p] = p / (4 * w);"), "4 * w");
    expect_rows(OVER("p in n", "y[p] = p / 4096 + p % 4096 / 64;"), "64; 4096");
    expect_rows(OVER("p in n", "y[p] = p / w + p / h;"), "w"); /* h is nothing to w */
    expect_rows(OVER("p in v", "z[p] = p / (v * v) + p / v;"), "v"); /* a product that may wrap in 32 bits */
}

int main(void) {
    test_rows();
    test_domains();
    test_areas();
    return n_failed > 0;
}
