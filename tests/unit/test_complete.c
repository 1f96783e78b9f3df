/* Input of an interactive loop: finished, unfinished or wrong. */
#include <stdio.h>
#include <string.h>

#include "repl/complete.h"

static const struct {
    InputState want;
    const char *text;
} cases[] = {
    {INPUT_COMPLETE, ""},
    {INPUT_COMPLETE, "fn f() { }"},
    {INPUT_COMPLETE, "kernel k(y: &mut [f32; n]) over i in n { y[i] = 0.0; }\nconst N = 3;"},
    {INPUT_COMPLETE, "let x = 1;"},
    {INPUT_COMPLETE, "for i in 3 { print(\"{}\", i); }"},
    {INPUT_COMPLETE, "x[i] += 2; y = x[i];"},
    {INPUT_COMPLETE, "1 + 2"},
    {INPUT_COMPLETE, "[f32(i) for i in n]"},
    {INPUT_COMPLETE, "let x = 1"}, /* the last `;` may be missing */
    {INPUT_COMPLETE, "x = 2"},
    {INPUT_COMPLETE, "import math"},
    {INPUT_COMPLETE, "fn f() -> i32 { return 1; } let x = f(); x + 1"},
    {INPUT_COMPLETE, "if x > 1 { 2 } else { 3 }"},
    {INPUT_COMPLETE, "if x > 1 { f(); } else { g(); } x"},
    {INPUT_COMPLETE, "if x > 1 { }"},
    {INPUT_COMPLETE, "offload resident { offload k(&mut x); }"},
    {INPUT_COMPLETE, "offload k(&mut x)"},
    {INPUT_COMPLETE, "[0; 4]"},
    {INPUT_INCOMPLETE, "let x = 3; if x > 1 {"},
    {INPUT_INCOMPLETE, "x + (1 +"},
    {INPUT_INCOMPLETE, "x["},
    {INPUT_WRONG, "x + 1 y"},
    {INPUT_WRONG, "if x { 1 } else { }; 3 4"},
    {INPUT_INCOMPLETE, "fn f() {"},
    {INPUT_INCOMPLETE, "fn f("},
    {INPUT_INCOMPLETE, "kernel k(y: &mut [f32; n])\n    over i in n"},
    {INPUT_INCOMPLETE, "let x ="},
    {INPUT_INCOMPLETE, "if a { b = 1; } else {"},
    {INPUT_INCOMPLETE, "1 +"},
    {INPUT_INCOMPLETE, "f(1, "},
    {INPUT_WRONG, "}"},
    {INPUT_WRONG, "let = 3;"},
    {INPUT_INCOMPLETE, "fn f() { let ) = 1; "}, /* errors are reported when the brackets are closed */
    {INPUT_INCOMPLETE, "fn f() {\n    let x = 1\n    for i in n {"},
    {INPUT_INCOMPLETE, "fn f() {\n    let x = 1\n    for i in n {\n    }\n"},
    {INPUT_WRONG, "fn f() {\n    let x = 1\n    for i in n {\n    }\n}"},
    {INPUT_INCOMPLETE, "let a = [\n    1 2,\n"},
    {INPUT_WRONG, "let a = [\n    1 2,\n    3]"},
    {INPUT_INCOMPLETE, "kernel k(x: [f32; n])\n    over i in n {\n    y = = 1;\n    g(2;\n"},
    {INPUT_WRONG, "kernel k(x: [f32; n])\n    over i in n {\n    y = = 1;\n    g(2;\n}"},
    {INPUT_WRONG, "print(\"{}\", 1;"}, /* a forgotten bracket ends with the statement */
    {INPUT_WRONG, "print(\"{}, 1);"},
    {INPUT_WRONG, "fn f() {\n    let x = 1\nfn g() {\n}"},
    {INPUT_WRONG, "1 + * 2"},
};

int main(void) {
    static const char *const names[] = {"complete", "incomplete", "wrong"};
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        InputState got = input_state(cases[i].text, strlen(cases[i].text));
        if (got == cases[i].want) continue;
        printf("`%s` is %s, not %s\n", cases[i].text, names[got], names[cases[i].want]);
        failed++;
    }
    return failed != 0;
}
