/* test_front.c -- lexer and parser as a library: what no golden file can show.
 *
 *   precedence   every pair of binary operators groups as ops.def says, and every unary one binds tighter
 *   round trip   tokens and what is between them make up the source; the dump of a dump is the dump
 *   truncated    each file cut off after every byte ends in diagnostics, never in a crash
 *   mutated      each file with bytes changed at random (fixed seed) likewise
 *   side by side two Compilers do not know of each other
 *
 * Arguments: the files to use; without any, those of tests/lex, tests/parse and examples. Exit status 1 on failure. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lexer/lexer.h"
#include "parser/ast.h"

static int n_failed;

static void check(bool ok, const char *what, const char *where) {
    if (ok) return;
    n_failed++;
    fprintf(stderr, "FAILED: %s: %s\n", where, what);
}

/* ---- parsing text ---- */

typedef struct Parsed {
    Compiler c;
    Module *module;
    bool incomplete;
} Parsed;

static void parse(Parsed *p, const char *text, size_t n) {
    compiler_init(&p->c);
    p->module = parse_source(&p->c, source_add(&p->c.sources, "test.kdsl", text, n), &p->incomplete);
}

static void dump(Parsed *p, Buf *out) {
    ast_dump(&p->c, p->module, false, out);
    buf_puts(out, "");
}

/* ---- precedence ---- */

/* The expression of `fn f() { let x = TEXT; }`, or NULL when it is an error. */
static Expr *parse_expr(Parsed *p, const char *text) {
    char program[200];
    snprintf(program, sizeof program, "fn f() { let x = %s; }", text);
    parse(p, program, strlen(program));
    return p->c.diags.n_errors ? NULL : p->module->items.at[0]->fn.body->stmts.at[0]->let.init;
}

static void check_pair(Op first, Op second) {
    const OpInfo *a = &op_info[first], *b = &op_info[second];
    char text[64];
    snprintf(text, sizeof text, "x %s y %s z", a->spelling, b->spelling);
    Parsed p;
    Expr *e = parse_expr(&p, text);
    if (a->precedence == b->precedence && a->kind == OPK_COMPARE) {
        check(!e, "comparisons must not associate", text);
    } else {
        bool left = a->precedence >= b->precedence;
        check(e && e->kind == EXPR_BINARY && e->binary.op == (left ? second : first), "wrong grouping", text);
    }
    compiler_free(&p.c);
}

static void check_unary(Op unary, Op binary) {
    char text[64];
    snprintf(text, sizeof text, "%sx %s %sy", op_info[unary].spelling, op_info[binary].spelling,
             op_info[unary].spelling);
    Parsed p;
    Expr *e = parse_expr(&p, text);
    bool ok = e && e->kind == EXPR_BINARY && e->binary.op == binary && e->binary.lhs->kind == EXPR_UNARY
           && e->binary.lhs->unary.op == unary && e->binary.rhs->kind == EXPR_UNARY;
    check(ok, "a unary operator binds tighter", text);
    compiler_free(&p.c);
}

static void test_precedence(void) {
    for (int a = 1; a < OP__COUNT; a++)
        for (int b = 1; b < OP__COUNT; b++) {
            if (op_info[a].arity == 2 && op_info[b].arity == 2) check_pair((Op)a, (Op)b);
            if (op_info[a].arity == 1 && op_info[b].arity == 2) check_unary((Op)a, (Op)b);
        }
}

/* ---- round trips ---- */

static bool is_trivia(const char *text, size_t n) {
    Parsed p;
    Lexer lx;
    compiler_init(&p.c);
    lex_init(&lx, &p.c, source_add(&p.c.sources, "gap", text, n));
    bool ok = lex_next(&lx).kind == TOK_END;
    compiler_free(&p.c);
    return ok;
}

static void test_tokens(const char *path, const char *text, size_t n) {
    Compiler c;
    Lexer lx;
    compiler_init(&c);
    Source *s = source_add(&c.sources, path, text, n);
    lex_init(&lx, &c, s);
    uint32_t at = 0;
    for (Token t = {.kind = TOK_BAD}; t.kind != TOK_END;) {
        t = lex_next(&lx);
        uint32_t lo = t.span.lo - s->base, hi = t.span.hi - s->base;
        check(lo >= at && hi >= lo && hi <= s->n, "tokens are in order and inside the text", path);
        if (lo > at && t.kind != TOK_BAD) check(is_trivia(s->text + at, lo - at), "only blanks between tokens", path);
        at = hi;
    }
    check(at == s->n || c.diags.n_errors, "the end is at the end", path);
    compiler_free(&c);
}

static void test_dump(const char *path, const char *text, size_t n) {
    Parsed first, second;
    Buf once = {0}, twice = {0};
    parse(&first, text, n);
    if (!first.c.diags.n_errors) {
        dump(&first, &once);
        parse(&second, once.n ? once.at : "", once.n);
        dump(&second, &twice);
        check(!second.c.diags.n_errors, "the dump parses", path);
        check(once.n == twice.n && (!once.n || !memcmp(once.at, twice.at, once.n)), "dump of the dump", path);
        compiler_free(&second.c);
    }
    compiler_free(&first.c);
    buf_free(&once);
    buf_free(&twice);
}

/* ---- broken texts ---- */

static void survive(const char *text, size_t n) {
    Parsed p;
    Buf said = {0};
    parse(&p, text, n);
    diags_print(&p.c, &said, true);
    compiler_free(&p.c);
    buf_free(&said);
}

enum { BROKEN_MAX_BYTES = 2500, N_MUTATIONS = 60 };

static void test_truncated(const char *text, size_t n) {
    for (size_t cut = 0; cut < n; cut++) {
        char *part = malloc(cut + 1); /* of exactly this size, so that a sanitizer sees a step past the end */
        memcpy(part, text, cut);
        survive(part, cut);
        free(part);
    }
}

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

static void test_mutated(const char *text, size_t n) {
    static const char pieces[] = "(){}[];:,.=+-*/%&|<>!~\"'\\\n #\x80\xff" "0123456789eExbuif_";
    char *copy = malloc(n);
    uint32_t seed = 12345;
    for (int round = 0; n && round < N_MUTATIONS; round++) {
        memcpy(copy, text, n);
        for (int k = 0; k <= round % 8; k++)
            copy[(next_random(&seed) >> 8) % n] = pieces[(next_random(&seed) >> 8) % (sizeof pieces - 1)];
        survive(copy, n);
    }
    free(copy);
}

/* ---- side by side ---- */

static void test_side_by_side(void) {
    const char *good = "fn a() { let x = 1 + 2; }", *bad = "fn b() { let = ; }";
    Parsed p, q;
    Buf text = {0};
    parse(&p, good, strlen(good));
    parse(&q, bad, strlen(bad));
    dump(&p, &text);
    check(!p.c.diags.n_errors && q.c.diags.n_errors, "errors stay with their compiler", "side by side");
    bool same = text.n && !strcmp(text.at, "fn a() {\n    let x = 1 + 2;\n}\n");
    check(same, "trees stay with their compiler", "side by side");
    compiler_free(&q.c);
    compiler_free(&p.c);
    buf_free(&text);
}

static void test_incomplete(void) {
    static const struct { const char *text; bool incomplete; } cases[] = {
        {"", false}, {"fn f() {}", false}, {"fn f() {", true}, {"fn f(", true}, {"fn f() { let x = 1 +", true},
        {"/* open", true}, {"fn f() { let x = ; }", false}, {"fn f() } {", false}, {"const A = [1,\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Parsed p;
        parse(&p, cases[i].text, strlen(cases[i].text));
        check(p.incomplete == cases[i].incomplete, "incomplete?", cases[i].text);
        compiler_free(&p.c);
    }
}

/* Texts so large that anything quadratic, or recursive over the input, would show. */
static void test_large(void) {
    static const char *const units[] = {"(", "[", "{", "-", "a+", "a", "\"", "/*", "0", "x=1;", "&", "if a {", "\xff",
                                        "fn f() {} ", "@", "else ", "f(", "a,", "\0"};
    enum { BYTES = 1 << 18 };
    char *text = malloc(BYTES);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]) ? strlen(units[i]) : 1;
        static const char head[] = "fn f() { x = ";
        size_t at = i % 2 ? 0 : sizeof head - 1;
        memcpy(text, head, at);
        for (; at + n <= BYTES; at += n) memcpy(text + at, units[i], n);
        survive(text, at);
    }
    free(text);
}

static void test_file(const char *path) {
    Compiler c;
    const char *why = NULL;
    compiler_init(&c);
    Source *s = source_read(&c.sources, path, SOURCE_ANY, &why);
    check(s, why ? why : "cannot be read", path);
    if (s) {
        test_tokens(path, s->text, s->n);
        test_dump(path, s->text, s->n);
        if (s->n <= BROKEN_MAX_BYTES) {
            test_truncated(s->text, s->n);
            test_mutated(s->text, s->n);
        }
    }
    compiler_free(&c);
}

int main(int argc, char **argv) {
    test_precedence();
    test_side_by_side();
    test_incomplete();
    test_large();
    glob_t files = {0};
    if (argc < 2) {
        glob("tests/lex/*.kdsl", 0, NULL, &files);
        glob("tests/parse/*.kdsl", GLOB_APPEND, NULL, &files);
        glob("examples/*.kdsl", GLOB_APPEND, NULL, &files);
        check(files.gl_pathc > 50, "the test files are not here: run at the root of the repository", "files");
        for (size_t i = 0; i < files.gl_pathc; i++) test_file(files.gl_pathv[i]);
    }
    for (int i = 1; i < argc; i++) test_file(argv[i]);
    globfree(&files);
    if (n_failed) fprintf(stderr, "%d checks failed\n", n_failed);
    return n_failed != 0;
}
