/* An interactive session, without a terminal: what inputs show, what they leave behind, and what is refused. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "repl/show.h"

typedef struct Row {
    const char *input;
    SessionResult result;
    const char *shows; /* value and type; NULL: nothing */
    const char *says;  /* part of what is said; NULL: nothing */
} Row;

#define DONE SESSION_DONE
#define REFUSED SESSION_REFUSED
#define FAILED SESSION_FAILED
#define LEAVES SESSION_LEAVES

static const Row numbers[] = {
    {"1 + 1", DONE, "2 : i32", NULL},
    {"let x = 3;", DONE, NULL, NULL},
    {"x + 1", DONE, "4 : i32", NULL},
    {"x = 4;", REFUSED, NULL, "`x` is a `let` and cannot be assigned again"},
    {"var y = 1.5", DONE, NULL, NULL}, /* the last `;` may be missing */
    {"y *= 2.0", DONE, NULL, NULL},
    {"y", DONE, "3 : f64", NULL},
    {"let x = y;", DONE, NULL, NULL}, /* another one of the name, of another type */
    {"x", DONE, "3 : f64", NULL},
    {"let x = x + 1.0; let z = x * 2.0;", DONE, NULL, NULL},
    {"z", DONE, "8 : f64", NULL},
    {"1 / 0", REFUSED, NULL, "input 12:1:5: error[E0705]: division by zero"},
    {"var d = 0;", DONE, NULL, NULL},
    {"1 / d", FAILED, NULL, "error: division by zero\n --> input 14:1:3\n    1 | 1 / d\n      |   ^\n"},
    {"d", DONE, "0 : i32", NULL},
    {"if d > 0 { \"more\" } else { \"less\" }", DONE, "\"less\" : str", NULL},
    {"var name = format(\"{}!\", d);", DONE, NULL, NULL},
    {"name", DONE, "\"0!\" : str", NULL},
    {"name = \"a literal outlives its input\";", DONE, NULL, NULL},
    {"name", DONE, "\"a literal outlives its input\" : str", NULL},
    {"f32x4(1, 2, 3, 4)", DONE, "f32x4(1, 2, 3, 4) : f32x4", NULL},
    {"var i = 0; while i < 10 { i += 1; if i == 7 { break; } }", DONE, NULL, NULL},
    {"i", DONE, "7 : i32", NULL},
    {"let inner = 1; { let unused = 2; i = inner; }", DONE, NULL, "`unused` is never used"},
    {"return;", REFUSED, NULL, "`return` outside of a function"},
    {"unknown + 1", REFUSED, NULL, "`unknown` is not declared"},
    {"let ( = 1", REFUSED, NULL, "error[E0216]"},
    {"let a = 5; assert a == 4, \"a is {}\", a; let never = 6;", FAILED, NULL, "a is 5"},
    {"a", DONE, "5 : i32", NULL}, /* it was made before the input failed */
    {"never", REFUSED, NULL, "`never` is not declared"},
    {"test \"t\" { assert 1 == 1; }", DONE, NULL, "`kdslc test`"},
    {"exit(3)", LEAVES, NULL, NULL},
    {"a", DONE, "5 : i32", NULL},
};

static const Row arrays[] = {
    {"let x = [f32(i) for i in 4];", DONE, NULL, NULL},
    {"x", DONE, "[0, 1, 2, 3] : [f32; 4]", NULL},
    {"x[1..3]", DONE, "[1, 2] : [f32; 2]", NULL},
    {"x[4]", FAILED, NULL, "index 4 is out of bounds for `x`, which has 4 elements (0 to 3)"},
    {"var y = [0.0f32; 4];", DONE, NULL, NULL},
    {"kernel axpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] += a * x[i]; }", DONE, NULL, NULL},
    {"offload axpy(2.0, &x, &mut y);", DONE, NULL, NULL},
    {"y", DONE, "[0, 2, 4, 6] : [f32; 4]", NULL},
    {"offload axpy(1.0, &x, &mut y); y[3]", DONE, "9 : f32", NULL}, /* it was on the device, and is again */
    {"y[3] = 100.0;", DONE, NULL, NULL},
    {"offload axpy(1.0, &x, &mut y);", DONE, NULL, NULL},
    {"y", DONE, "[0, 4, 8, 103] : [f32; 4]", NULL},
    {"for i in len(y) { y[i] -= 1.0; }", DONE, NULL, NULL},
    {"kernel total(x: &[f32; n]) over i in n -> sum f32 { return x[i]; }", DONE, NULL, NULL},
    {"offload total(&y)", DONE, "111 : f32", NULL},
    {"let z = y;", DONE, NULL, NULL},
    {"y[0]", REFUSED, NULL, "`y` no longer has a value: it was moved in input 16"},
    {"z", DONE, "[-1, 3, 7, 102] : [f32; 4]", NULL},
    {"var y = copy(&z);", DONE, NULL, NULL},
    {"offload axpy(1.0, &x, &mut y);", DONE, NULL, NULL},
    {"var w = [9.0f32, 8.0]; swap(&mut w, &mut y);", DONE, NULL, NULL},
    {"y", DONE, "[9, 8] : [f32; 2]", NULL},
    {"w", DONE, "[-1, 4, 9, 105] : [f32; 4]", NULL},
    {"offload axpy(1.0, &x, &mut y);", FAILED, NULL, "`n` is 4 for `x`, whose shape is [4]"},
    {"y = w;", DONE, NULL, NULL},
    {"y", DONE, "[-1, 4, 9, 105] : [f32; 4]", NULL},
    {"kernel past(y: &mut [f32; n], k: index) over i in n { y[i + k] = 1.0; }", DONE, NULL, NULL},
    {"offload past(&mut y, 3);", FAILED, NULL,
     "is out of bounds for `y`, which has 4 elements (0 to 3)\n --> input 27:1:55\n"},
    {"len(y)", DONE, "4 : index", NULL},
    {"kernel tell(y: &[f32; n]) over i in n { if i == 1 { print(\"{}\", y[i]); } }", DONE, NULL, NULL},
    {"offload tell(&x); offload tell(&x);", DONE, NULL, NULL},
    {"offload tell(&x);", DONE, NULL, NULL}, /* the table of its lines is that of the input that made it */
    {"offload past(&mut y, 0); y", DONE, "[1, 1, 1, 1] : [f32; 4]", NULL},
    {"offload async axpy(1.0, &x, &mut y);", DONE, NULL, NULL},
    {"y", DONE, "[1, 2, 3, 4] : [f32; 4]", NULL},
    {"fn halve(y: &mut [f32; _]) { for i in len(y) { y[i] *= 0.5; } }", DONE, NULL, NULL},
    {"halve(&mut y); y", DONE, "[0.5, 1, 1.5, 2] : [f32; 4]", NULL},
    {"offload axpy(1.0, &x, &mut y); halve(&mut y); offload axpy(1.0, &x, &mut y);", DONE, NULL, NULL},
    {"y", DONE, "[0.25, 2, 3.75, 5.5] : [f32; 4]", NULL},
    {"fn make(n: index) -> [f32; _] { return [f32(i) * 0.5 for i in n]; }", DONE, NULL, NULL},
    {"make(3)", DONE, "[0, 0.5, 1] : [f32; 3]", NULL},
    {"y = make(2);", DONE, NULL, NULL},
    {"y", DONE, "[0, 0.5] : [f32; 2]", NULL},
    {"let m = [[1.0; 2, 3][0, 1]; 2, 2];", REFUSED, NULL, "error"},
    {"let m = [f64(i * 3 + j) for i in 2, j in 3];", DONE, NULL, NULL},
    {"m", DONE, "  0  1  2\n  3  4  5\n: [f64; 2, 3]", NULL},
    {"let lost = [1.0; 8]; lost[8 + len(lost)]", FAILED, NULL, "out of bounds for `lost`, which has 8 elements"},
    {"lost[7]", DONE, "1 : f64", NULL},
    {"offload resident { offload past(&mut w, 0); }", REFUSED, NULL, "`w` no longer has a value"},
    {"var w = [0.0f32; 4]; offload resident { offload axpy(1.0, &x, &mut w); offload axpy(1.0, &x, &mut w); }", DONE,
     NULL, NULL},
    {"w", DONE, "[0, 2, 4, 6] : [f32; 4]", NULL},
    {"[\"a\", \"b\"]", DONE, "[\"a\", \"b\"] : [str; 2]", NULL},
};

static const Row redefinition[] = {
    {"fn f(a: i32) -> i32 { return a + 1; }", DONE, NULL, NULL},
    {"fn g(a: i32) -> i32 { return f(a) * 2; }", DONE, NULL, NULL},
    {"g(3)", DONE, "8 : i32", NULL},
    {"fn f(a: i32) -> i32 { return a + 2; }", DONE, NULL, NULL},
    {"g(3)", DONE, "10 : i32", NULL}, /* what calls it calls the new one */
    {"fn f(a: f32) -> f32 { return a; }", DONE, NULL, "`g` (input 2) no longer compiles"},
    {"g(3)", REFUSED, NULL, "`g` (input 2) cannot be used"},
    {"f(1.5)", DONE, "1.5 : f32", NULL},
    {"fn f(a: i32) -> i32 { return a; }", DONE, NULL, "`g` compiles again"},
    {"g(3)", DONE, "6 : i32", NULL},
    {"fn f(a: i32) -> i32 { return b; }", REFUSED, NULL, "`b` is not declared"},
    {"g(3)", DONE, "6 : i32", NULL}, /* a refused input changes nothing */
    {"struct P { x: f32, y: f32 }", DONE, NULL, NULL},
    {"let p = P(x: 1.0, y: 2.0); let q = 1;", DONE, NULL, NULL},
    {"p", DONE, "P(x: 1, y: 2) : P", NULL},
    {"struct P { x: f32 }", DONE, NULL, "`p` was removed: its type was declared again"},
    {"p.x", REFUSED, NULL, "`p` no longer has a value"},
    {"let p = P(x: 3.0);", DONE, NULL, NULL},
    {"struct P { x: f32 }", DONE, NULL, NULL}, /* word for word the same, and so `p` stays */
    {"fn of_session() -> f32 { return p.x; }", REFUSED, NULL, "`p` is a variable of the session"},
    {"p", DONE, "P(x: 3) : P", NULL},
    {"kernel k(x: &mut [f32; n]) over i in n { x[i] = 1.0; }", DONE, NULL, NULL},
    {"var a = [0.0f32; 2]; offload k(&mut a); a", DONE, "[1, 1] : [f32; 2]", NULL},
    {"kernel k(x: &mut [f32; n]) over i in n { x[i] = 2.0; }", DONE, NULL, NULL},
    {"offload k(&mut a); a", DONE, "[2, 2] : [f32; 2]", NULL},
    {"const C = 4;", DONE, NULL, NULL},
    {"fn c() -> i32 { return C; }", DONE, NULL, NULL},
    {"c()", DONE, "4 : i32", NULL},
    {"const C = 5;", DONE, NULL, NULL},
    {"c()", DONE, "5 : i32", NULL},
    {"fn q() -> i32 { return 7; }", DONE, NULL, NULL}, /* instead of the variable */
    {"q()", DONE, "7 : i32", NULL},
    {"struct Grid { u: [f64; _, _], dt: f64 }", DONE, NULL, NULL},
    {"var grid = Grid(u: [0.5; 2, 2], dt: 0.25);", DONE, NULL, NULL},
    {"kernel step(g: &mut Grid) over i in 2, j in 2 { g.u[i, j] += g.dt; }", DONE, NULL, NULL},
    {"offload step(&mut grid); grid", DONE, "Grid(u: [0.75, 0.75, 0.75, 0.75], dt: 0.25) : Grid", NULL},
    {"grid.dt = 1.0; offload step(&mut grid);", DONE, NULL, NULL},
    {"grid.u", DONE, "  1.75  1.75\n  1.75  1.75\n: [f64; 2, 2]", NULL},
    {"let other = grid;", DONE, NULL, NULL},
    {"grid.dt", REFUSED, NULL, "`grid` no longer has a value"},
    {"other.dt", DONE, "1 : f64", NULL},
    {"fn clamp<T: number>(x: T, lo: T, hi: T) -> T { return min(max(x, lo), hi); }", DONE, NULL, NULL},
    {"clamp(5.0, 0.0, 1.0)", DONE, "1 : f64", NULL},
    {"clamp(-5, 0, 1)", DONE, "0 : i32", NULL},
    {"fn clamp<T: number>(x: T, lo: T, hi: T) -> T { return lo; }", DONE, NULL, NULL},
    {"clamp(5, 0, 1)", DONE, "0 : i32", NULL},
    {"struct Pair<T> { a: T, b: T }", DONE, NULL, NULL},
    {"let pair = Pair(a: 1, b: 2);", DONE, NULL, NULL},
    {"pair", DONE, "Pair<i32>(a: 1, b: 2) : Pair<i32>", NULL},
    {"fn main() { print(\"main is a function like others\"); }", DONE, NULL, NULL},
    {"main()", DONE, NULL, NULL},
    {"import no_such_module;", REFUSED, NULL, "there is no module `no_such_module`"},
    {"import math;", DONE, NULL, NULL},
    {"math.lerp(0.0, 10.0, 0.5)", DONE, "5 : f64", NULL},
    {"fn safe(x: &[f32; _], i: index) -> f32 { return x[i]; }", DONE, NULL, NULL},
    {"kernel one(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = safe(&x, i); }", DONE, NULL, NULL},
    {"let from = [1.0f32, 2.0]; offload one(&from, &mut a); a", DONE, "[1, 2] : [f32; 2]", NULL},
    {"kernel two(x: &[f32; n], y: &mut [f32; n], k: index) over i in n { y[i] = safe(&x, i + k); }", DONE, NULL, NULL},
    {"offload two(&from, &mut a, 0); offload one(&from, &mut a); a", DONE, "[1, 2] : [f32; 2]", NULL},
    {"offload two(&from, &mut a, 1);", FAILED, NULL, "out of bounds for `x`, which has 2 elements"},
    {"offload one(&from, &mut a); a", DONE, "[1, 2] : [f32; 2]", NULL},
};

static void show(const SessionValue *v, Buf *out) {
    const ShowHow how = {.columns = 200};
    show_value(v, &how, out);
    if (out->n && out->at[out->n - 1] == '\n') out->at[--out->n] = '\0';
}

static int failures;

static void wrong(const char *what, const char *input, const char *got, const char *want) {
    printf("`%s`: %s is `%s`, not `%s`\n", input, what, got, want);
    failures++;
}

static void run_row(Session *s, const Row *row) {
    static const char *const results[] = {"done", "refused", "failed", "stopped", "leaves"};
    SessionValue v;
    Buf said = {0}, shown = {0};
    SessionResult r = session_run(s, row->input, strlen(row->input), &v, &said);
    show(&v, &shown);
    const char *text = said.n ? said.at : "", *value = shown.n ? shown.at : "";
    if (r != row->result) wrong("the result", row->input, results[r], results[row->result]);
    if (strcmp(value, row->shows ? row->shows : ""))
        wrong("its value", row->input, value, row->shows ? row->shows : "");
    if (row->says ? !strstr(text, row->says) : *text)
        wrong("what it says", row->input, text, row->says ? row->says : "");
    buf_free(&said);
    buf_free(&shown);
}

#define ROWS(s, rows) run_rows(s, rows, sizeof rows / sizeof rows[0])
static void run_rows(Session *s, const Row *rows, size_t n) {
    session_reset(s);
    for (size_t i = 0; i < n; i++) run_row(s, &rows[i]);
}

/* Questions -------------------------------------------------------------------------------------------------------- */

static void run_text(Session *s, const char *input) {
    Buf said = {0};
    SessionValue v;
    session_run(s, input, strlen(input), &v, &said);
    if (said.n) wrong("what it says", input, said.at, "");
    buf_free(&said);
}

static void expect_type(Session *s, const char *expr, const char *want) {
    Buf out = {0};
    session_type(s, expr, &out);
    if (!strstr(out.n ? out.at : "", want)) wrong("its type", expr, out.n ? out.at : "", want);
    buf_free(&out);
}

static void expect_explained(Session *s, const char *what, const char *name, const char *want) {
    Buf out = {0};
    session_explain(s, what, name, &out);
    if (!strstr(out.n ? out.at : "", want)) wrong("the explanation", what, out.n ? out.at : "", want);
    buf_free(&out);
}

static void expect_members(Session *s, const char *expr, const char *want) {
    Buf out = {0};
    for (const char *const *m = session_members(s, expr); *m; m++) buf_printf(&out, "%s ", *m);
    if (strcmp(out.n ? out.at : "", want)) wrong("what it has", expr, out.n ? out.at : "", want);
    buf_free(&out);
}

static void ask_questions(Session *s) {
    Buf names = {0};
    session_reset(s);
    run_text(s, "struct P { x: f32, y: f32 } kernel k(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = x[i]; }");
    run_text(s, "let p = P(x: 1.0, y: 2.0); let a = [1.0f32; 8]; var b = [0.0f32; 8]; import time;");
    run_text(s, "offload k(&a, &mut b);");
    expect_type(s, "1 + 2", "i32");
    expect_type(s, "a", "[f32; 8]");
    expect_type(s, "k", "k(x: &[f32; n], y: &mut [f32; n]) over i in n");
    expect_type(s, "p.", "error");
    expect_type(s, "let c = 1;", "this is not an expression");
    expect_explained(s, "transfers", NULL, "k");
    expect_explained(s, "vector", "k", "k");
    expect_explained(s, "vector", NULL, "k");
    expect_explained(s, "bounds", "k", "k");
    expect_explained(s, "plan", "no_such", "there is no function or kernel `no_such`");
    expect_members(s, "p", "x y ");
    expect_members(s, "a", "");
    SessionName name;
    for (int i = 0; session_name(s, i, &name); i++) buf_printf(&names, "%c:%s:%s ", name.kind, name.name, name.type);
    const char want[] =
        "s:P: k:k:(x: &[f32; n], y: &mut [f32; n]) over i in n m:time: v:p:P v:a:[f32; 8] v:b:[f32; 8] ";
    if (strcmp(names.at, want)) wrong("the names", "", names.at, want);
    session_reset(s);
    if (session_name(s, 0, &name)) wrong("what is left after a reset", "", name.name, "nothing");
    expect_type(s, "a", "`a` is not declared");
    buf_free(&names);
}

/* Arrays ----------------------------------------------------------------------------------------------------------- */

static void expect_moved(Session *s, const char *input, int64_t to, int64_t from) {
    const SessionLaunch *at;
    const int *times;
    run_text(s, input);
    int n = session_launches(s, &at, &times);
    if (n == 1 && at->bytes_to == to && at->bytes_from == from) return;
    printf("`%s` has moved %lld and %lld bytes in %d launches, not %lld and %lld in one\n", input,
           n ? (long long)at->bytes_to : 0, n ? (long long)at->bytes_from : 0, n, (long long)to, (long long)from);
    failures++;
}

/* They stay on the device from input to input, and come back when they are looked at. */
static void stay_on_device(Session *s) {
    session_reset(s);
    run_text(s, "kernel add(x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] += x[i]; }");
    run_text(s, "let x = [1.0f32; 1024]; var y = [0.0f32; 1024];");
    expect_moved(s, "offload add(&x, &mut y);", 8192, 0);
    expect_moved(s, "offload add(&x, &mut y);", 0, 0);
    expect_moved(s, "let z = 1; offload add(&x, &mut y);", 0, 0);
    run_row(s, &(Row){"y[1023]", DONE, "3 : f32", NULL});
    expect_moved(s, "offload add(&x, &mut y);", 0, 0);
    run_text(s, "y[0] = 10.0;");
    run_row(s, &(Row){"offload add(&x, &mut y); y[0] + y[1]", DONE, "16 : f32", NULL});
}

/* Interrupted ------------------------------------------------------------------------------------------------------ */

static atomic_bool is_stopped;

/* Again and again: the first one may come before the input has begun, which forgets it. */
static void *interrupt_soon(void *session) {
    while (!is_stopped) {
        nanosleep(&(struct timespec){0, 50000000}, NULL);
        session_interrupt(session);
    }
    return NULL;
}

static void stop_loop(Session *s, const char *input) {
    pthread_t thread;
    SessionValue v;
    Buf said = {0};
    is_stopped = false;
    pthread_create(&thread, NULL, interrupt_soon, s);
    SessionResult r = session_run(s, input, strlen(input), &v, &said);
    is_stopped = true;
    pthread_join(thread, NULL);
    if (r != SESSION_STOPPED) wrong("the result", input, "not stopped", "stopped");
    buf_free(&said);
}

static void stop_loops(Session *s) {
    session_reset(s);
    run_text(s, "var n = 0; fn spin(a: &[f32; _]) { while true { for i in 1000 { } } } let a = [1.0f32; 4];");
    stop_loop(s, "while true { n = 1; }");
    stop_loop(s, "spin(&a);");
    stop_loop(s, "n = 2; for i in 0..1000000000 { for k in 0..1000000000 { } }");
    run_row(s, &(Row){"n <= 2", DONE, "true : bool", NULL});
    run_row(s, &(Row){"a", DONE, "[1, 1, 1, 1] : [f32; 4]", NULL});
}

/* A session does not grow: what an input needs goes with it, and what is declared anew replaces the old. */
static void stay_small(Session *s) {
    int64_t bytes[2];
    int units[2];
    session_reset(s);
    run_text(s, "var a = [0.0f32; 16];");
    for (int i = 0; i < 60; i++) {
        char input[200];
        if (i % 20 == 0)
            snprintf(input, sizeof input, "kernel k(a: &mut [f32; n]) over i in n { a[i] = %d.0; }", i);
        else
            snprintf(input, sizeof input, i % 2 ? "offload k(&mut a);" : "let x%d = a[%d] + f32(len(a));", i % 4,
                     i % 16);
        run_text(s, input);
        if (i == 19 || i == 59) session_size(s, &bytes[i == 59], &units[i == 59]);
    }
    if (units[1] > units[0] || bytes[1] > bytes[0] + bytes[0] / 4) {
        printf("%d units and %lld bytes have become %d and %lld\n", units[0], (long long)bytes[0], units[1],
               (long long)bytes[1]);
        failures++;
    }
}

int main(void) {
    Buf why = {0};
    Session *s = session_new(&(SessionOptions){.opt_level = 2}, &why);
    if (!s) {
        printf("no session: %s\n", why.at);
        return 1;
    }
    ROWS(s, numbers);
    ROWS(s, arrays);
    ROWS(s, redefinition);
    ask_questions(s);
    stay_on_device(s);
    stop_loops(s);
    stay_small(s);
    session_free(s);
    return failures != 0;
}
