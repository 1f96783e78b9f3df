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
    {INPUT_INCOMPLETE, "fn f() {"},
    {INPUT_INCOMPLETE, "fn f("},
    {INPUT_INCOMPLETE, "kernel k(y: &mut [f32; n])\n    over i in n"},
    {INPUT_INCOMPLETE, "let x ="},
    {INPUT_INCOMPLETE, "let x = 1"},
    {INPUT_INCOMPLETE, "if a { b = 1; } else {"},
    {INPUT_INCOMPLETE, "1 +"},
    {INPUT_INCOMPLETE, "f(1, "},
    {INPUT_WRONG, "}"},
    {INPUT_WRONG, "let = 3;"},
    {INPUT_WRONG, "fn f() { let ) = 1; "},
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
