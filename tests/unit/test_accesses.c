/* test_accesses.c -- the table of accesses of a kernel: its own, and those that functions make for it, with the sums of
 * the call, what is known there, and whether every item comes to it. */
#include "checked.h"

static const Func *find(const Program *p, const char *name) {
    for (int i = 0; i < p->funcs.n; i++)
        if (!strcmp(p->funcs.at[i]->name, name)) return p->funcs.at[i];
    return NULL;
}

/* "x[i + 1] read always called" */
static const char *text_of(Compiler *c, const Func *f, const Access *x) {
    Affine a = {.arena = &c->arena};
    a.atoms.at = f->facts->atoms.at;
    a.atoms.n = f->facts->atoms.n;
    const char *text = arena_printf(&c->arena, "%s[", x->array ? x->array->name : "?");
    for (int d = 0; d < x->n; d++)
        text = arena_printf(&c->arena, "%s%s%s", text, d ? ", " : "", form_text(&a, &x->at[d]));
    return arena_printf(&c->arena, "%s]%s%s%s%s%s", text, x->reads ? " read" : "", x->writes ? " write" : "",
                        x->is_atomic ? " atomic" : "", x->always ? " always" : "", x->call ? " called" : "");
}

/* The sums known not to be negative where x stands show that `below` is at least its first index. */
static bool knows_below(Compiler *c, const Func *f, const Access *x, int64_t below) {
    Affine a = {.arena = &c->arena};
    a.atoms.at = f->facts->atoms.at;
    a.atoms.n = f->facts->atoms.n;
    for (int i = 0; i < x->n_guard; i++) affine_learn(&a, &x->guard[i]);
    Form limit = form_const(below);
    return affine_at_least(&a, &limit, &x->at[0]);
}

static void check_table(void) {
    static const char *const wanted[] = {
        "x[i - 1] read always called", "x[i + 1] read always called", "y[j + 1, i] read write atomic called",
        "y[3, k + 1] write always called", "x[i + 5] read always", "x[i] read always", "s[i] write always",
    };
    Compiler c;
    Program *p = program_of(&c,
        "fn near(a: &[f32; n], at: index) -> f32 { return a[at - 1] + a[at + 1]; }\n"
        "fn deep(a: &[f32; n], at: index) -> f32 { return near(&a, at); }\n"
        "fn count(t: &mut [i32; r, c], u: index, v: index) { if v < 7 { atomic t[u + 1, v] += 1; } }\n"
        "fn put(t: &mut [i32; r, c], u: index, v: index) { t[u, v] = 4; }\n"
        "kernel k(x: &[f32; n], y: &mut [i32; r, c], s: &mut [f32; n], k: index) over i in 1..n - 1 {\n"
        "    let v = deep(&x, i);\n"
        "    for j in 0..r { count(&mut y, j, i); }\n"
        "    put(&mut y, 3, k + 1);\n"
        "    let w = x.at(i + 5);\n"
        "    s[i] = v + x[i] + w;\n"
        "}\n"
        "fn main() { }\n");
    const Func *k = find(p, "k");
    check(!c.diags.n_errors && k, "the program is fine");
    int n = sizeof wanted / sizeof *wanted;
    for (int i = 0; k && i < k->accesses.n; i++) {
        const char *got = text_of(&c, k, &k->accesses.at[i]);
        bool ok = i < n && !strcmp(got, wanted[i]);
        if (!ok) fprintf(stderr, "got `%s`, wanted `%s`\n", got, i < n ? wanted[i] : "nothing");
        check(ok, "the table");
    }
    check(k && k->accesses.n == n && !k->misses_accesses, "the table is complete");
    check(k && knows_below(&c, k, &k->accesses.at[0], INT64_MAX) && !knows_below(&c, k, &k->accesses.at[0], 5),
          "the guard");
    compiler_free(&c);
}

/* Functions that double the accesses of the one before: the table says that it has not got them all. */
static void check_many(void) {
    char text[4000];
    int n = snprintf(text, sizeof text, "fn f0(a: &[f32; n], i: index) -> f32 { return a[i]; }\n");
    for (int k = 1; k < 30; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "fn f%d(a: &[f32; n], i: index) -> f32 { return f%d(&a, i) + f%d(&a, i); }\n", k, k - 1, k - 1);
    snprintf(text + n, sizeof text - (size_t)n,
             "kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = f29(&x, i); }\nfn main() { }\n");
    Compiler c;
    Program *p = program_of(&c, text);
    const Func *k = find(p, "k"), *f = find(p, "f0");
    check(!c.diags.n_errors && k && f, "the program is fine");
    check(k && k->misses_accesses, "accesses are missing, and it says so");
    check(f && f->may_fail && f->n_kept == 1, "a check that nobody could look at again stays");
    compiler_free(&c);
}

int main(void) {
    check_table();
    check_many();
    return n_failed > 0;
}
