/* test_children.c -- tree traversal: the children of each kind of node, in order, and copies that share none of
 * them. */
#include "parser/children.h"

#include <stdio.h>
#include <string.h>

static int n_failed;
static unsigned expr_kinds, stmt_kinds; /* met so far */

static void check(bool ok, const char *what) {
    if (ok) return;
    n_failed++;
    fprintf(stderr, "FAILED: %s\n", what);
}

static Block *body_of(Compiler *c, const char *before, const char *text, const char *after) {
    bool incomplete;
    compiler_init(c);
    text = arena_printf(&c->arena, "fn f() { %s%s%s }\n", before, text, after);
    Module *m = parse_source(c, source_add(&c->sources, "test.kdsl", text, strlen(text)), &incomplete);
    check(!c->diags.n_errors, text);
    return m->items.at[0]->fn.body;
}

/* "a; b + c": the expressions, and "{2}" for two statements. */
static const char *text_of(Compiler *c, Children all) {
    Buf out = {0};
    int n = 0;
    for (Expr *e; (e = child_expr(&all));) {
        buf_printf(&out, "%s", out.n ? "; " : "");
        ast_dump_expr(c, e, &out);
    }
    while (child_stmt(&all)) n++;
    if (n) buf_printf(&out, "{%d}", n);
    const char *text = arena_printf(&c->arena, "%s", out.n ? out.at : "");
    buf_free(&out);
    return text;
}

static void expect(const char *program, Compiler *c, Children all, const char *wanted) {
    const char *got = text_of(c, all);
    if (strcmp(got, wanted)) fprintf(stderr, "%s: expected `%s`, got `%s`\n", program, wanted, got);
    check(!strcmp(got, wanted), "children");
}

static void expect_of_expr(const char *text, const char *wanted) {
    Compiler c;
    Block *b = body_of(&c, "let a = ", text, ";");
    const Expr *e = b->stmts.at[0]->let.init;
    expr_kinds |= 1u << e->kind;
    expect(text, &c, expr_children(e), wanted);
    compiler_free(&c);
}

static void expect_of_stmt(const char *text, const char *wanted) {
    Compiler c;
    const Stmt *st = body_of(&c, "", text, "")->stmts.at[0];
    stmt_kinds |= 1u << st->kind;
    expect(text, &c, stmt_children(st), wanted);
    compiler_free(&c);
}

static void test_expressions(void) {
    expect_of_expr("1", "");
    expect_of_expr("1.5", "");
    expect_of_expr("true", "");
    expect_of_expr("\"text\"", "");
    expect_of_expr("x", "");
    expect_of_expr("-x", "x");
    expect_of_expr("x + y * z", "x; y * z");
    expect_of_expr("g(x, &mut y, z: 1)", "g; x; y; 1");
    expect_of_expr("x.at(i)", "x.at; i");
    expect_of_expr("x[i, j, k, l]", "x; i; j; k; l");
    expect_of_expr("p.x", "p");
    expect_of_expr("if c { x } else { y }", "c; x; y");
    expect_of_expr("[x; n, m]", "x; n; m");
    expect_of_expr("[i + j for i in 1..n step 2, j in m]", "1; n; 2; m; i + j"); /* the bounds are evaluated first */
    expect_of_expr("[x, y]", "x; y");
    expect_of_expr("offload k(x)", "k(x)");
    expect_of_expr("atomic x[i] += y", "x[i]; y");
    expect_of_expr("atomic x[i] = y if == z", "x[i]; y; z");
    Compiler c; /* a slice: one end is absent */
    Block *b = body_of(&c, "", "let a = x[lo..hi, ..hi];", "");
    const ExprList *at = &b->stmts.at[0]->let.init->index.at;
    expr_kinds |= 1u << at->at[0]->kind;
    expect("lo..hi", &c, expr_children(at->at[0]), "lo; hi");
    expect("..hi", &c, expr_children(at->at[1]), "hi");
    compiler_free(&c);
    unsigned not_written = 1u << EXPR_ERROR | 1u << EXPR_CONVERT; /* sema makes conversions */
    check((expr_kinds | not_written) == (1u << EXPR__COUNT) - 1, "an expression of each kind");
}

static void test_statements(void) {
    expect_of_stmt("let a = x;", "x");
    expect_of_stmt("var a: [f32; n];", ""); /* types are not children */
    expect_of_stmt("x[i] += y;", "x[i]; y");
    expect_of_stmt("atomic x += y;", "atomic x += y");
    expect_of_stmt("f();", "f()");
    expect_of_stmt("if c { f(); f(); } else { f(); }", "c{3}"); /* two, and the block after `else` */
    expect_of_stmt("if c { } else if d { }", "c{1}");
    expect_of_stmt("if c { f(); }", "c{1}");
    expect_of_stmt("for i in lo..hi step 3 { f(); }", "lo; hi; 3{1}");
    expect_of_stmt("for i in n { }", "n");
    expect_of_stmt("while c { f(); f(); }", "c{2}");
    expect_of_stmt("break;", "");
    expect_of_stmt("continue;", "");
    expect_of_stmt("return x;", "x");
    expect_of_stmt("return;", "");
    expect_of_stmt("assert c, \"{}\", x;", "c; \"{}\"; x");
    expect_of_stmt("{ f(); }", "{1}");
    expect_of_stmt("shared t: [f32; 4];", "");
    expect_of_stmt("barrier;", "");
    expect_of_stmt("wait;", "");
    expect_of_stmt("offload resident { f(); }", "{1}");
    check((stmt_kinds | 1u << STMT_ERROR) == (1u << STMT__COUNT) - 1, "a statement of each kind");
}

static void expect_apart(Expr *e, Expr *copy);

static void expect_children_apart(Children all, Children of_copy) {
    for (Expr *e; (e = child_expr(&all));) expect_apart(e, child_expr(&of_copy));
    check(!child_expr(&of_copy), "as many expressions");
    for (Stmt *s; (s = child_stmt(&all));) {
        Stmt *copy = child_stmt(&of_copy);
        check(copy && copy != s && copy->kind == s->kind, "a statement of its own");
        if (copy) expect_children_apart(stmt_children(s), stmt_children(copy));
    }
    check(!child_stmt(&of_copy), "as many statements");
}

static void expect_apart(Expr *e, Expr *copy) {
    check(copy && copy != e && copy->kind == e->kind, "an expression of its own");
    if (copy) expect_children_apart(expr_children(e), expr_children(copy));
}

static void test_copies(void) {
    Compiler c;
    Block *b = body_of(&c, "", "for i in 1..n { if x[i] > 0 { g(&x, [i; 2]); } else if c { x[i] = -1; } }\n"
                               "let a = [i + j for i in n, j in m]; assert c, \"{}\", f(a); offload resident { }", "");
    Item *item = arena_new(&c.arena, Item);
    *item = (Item){.kind = ITEM_FN, .fn = {.body = b}};
    Block *copy = ast_clone(&c, item)->fn.body;
    check(copy != b && copy->stmts.at != b->stmts.at && copy->stmts.n == b->stmts.n, "a block of its own");
    for (int i = 0; i < b->stmts.n; i++)
        expect_children_apart(stmt_children(b->stmts.at[i]), stmt_children(copy->stmts.at[i]));
    compiler_free(&c);
}

int main(void) {
    test_expressions();
    test_statements();
    test_copies();
    return n_failed > 0;
}
