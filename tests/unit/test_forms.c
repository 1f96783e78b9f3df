/* test_forms.c -- affine forms: sums of atoms, what cancels, and what is out of reach. */
#include "sema/affine.h"

#include <stdio.h>

static int n_failed;

static void expect(const char *what, bool holds) {
    if (holds) return;
    n_failed++;
    fprintf(stderr, "FAILED: %s\n", what);
}

static void test_sums(void) {
    Form x = form_of_atom(3), y = form_of_atom(1), sum, more;
    expect("x + 4 * y", form_add(&sum, &x, 4, &y) && sum.n == 2 && !sum.c);
    expect("atoms are in order", sum.at[0].atom == 1 && sum.at[0].k == 4 && sum.at[1].atom == 3 && sum.at[1].k == 1);
    Form seven = form_const(7);
    expect("a constant", form_is_const(&seven) && !form_is_const(&x));
    expect("x + 4 * y - 14", form_add(&more, &sum, -2, &seven) && more.n == 2 && more.c == -14);
    expect("a sum into its own operand", form_add(&sum, &sum, 1, &x) && sum.n == 2 && sum.at[1].k == 2);
}

static void test_what_cancels(void) {
    Form x = form_of_atom(0), y = form_of_atom(1), a, b, d;
    Form five = form_const(5);
    form_add(&a, &x, 8, &y);
    form_add(&b, &a, 1, &five);
    expect("the difference is a constant", form_add(&d, &b, -1, &a) && form_is_const(&d) && d.c == 5);
    expect("an atom that cancels is gone", form_add(&d, &a, -8, &y) && d.n == 1 && d.at[0].atom == 0);
    expect("no times an atom is nothing", form_add(&d, &x, 0, &y) && d.n == 1);
}

static void test_out_of_reach(void) {
    Form sum = form_const(0), one, d, x = form_of_atom(0), large = form_const((Wide)1 << 94);
    for (int i = 0; i < FORM_TERMS; i++) {
        one = form_of_atom(i);
        expect("as many terms as there may be", form_add(&sum, &sum, 1, &one));
    }
    one = form_of_atom(FORM_TERMS);
    expect("one term too many", !form_add(&d, &sum, 1, &one));
    expect("and then one less", form_add(&sum, &sum, -1, &x) && form_add(&d, &sum, 1, &one));
    expect("a large factor", form_add(&d, &x, (int64_t)1 << 31, &one));
    expect("a factor that is too large", !form_add(&d, &x, ((int64_t)1 << 31) + 1, &one));
    expect("factors of factors that are too large",
           form_add(&d, &x, (int64_t)1 << 20, &one) && !form_add(&d, &x, 1 << 20, &d));
    expect("a constant that is too large", !form_add(&d, &large, 1, &large));
}

int main(void) {
    test_sums();
    test_what_cancels();
    test_out_of_reach();
    return n_failed > 0;
}
