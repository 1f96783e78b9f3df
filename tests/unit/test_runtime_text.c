/* How values become text and text becomes values: exactly, shortest where nothing else is asked, and back again. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The runtime is no library of the compiler: it is embedded as objects. Here it is compiled in. */
#include "runtime/async.c"
#include "runtime/border.c"
#include "runtime/check.c"
#include "runtime/excerpt.c"
#include "runtime/heap.c"
#include "runtime/host.c"
#include "runtime/number.c"
#include "runtime/print.c"
#include "runtime/text.c"
#include "runtime/value.c"

int64_t kdsl_trace_start(void) { return 0; }
void kdsl_trace_waited(int64_t start, const char *place) { (void)start, (void)place; }
void kdsl_trace_is_worker(void) {}
void kdsl_trace_end(void) {}
void kdsl_team_leave(void) {}
void kdsl_tables_let_go(void) {} /* of resident.c: nothing is on a device */

static int n_failed;

static void expect(const char *got, const char *want, const char *what) {
    if (!strcmp(got, want)) return;
    printf("%s: `%s`, not `%s`\n", what, got, want);
    n_failed++;
}

/* The line that was put together so far. */
static void expect_line(const char *want, const char *what) {
    const char *got = kdsl_text_format();
    expect(got, want, what);
    free((char *)got);
}

static const struct {
    double v;
    int bits;
    const char *text;
} shortest_cases[] = {
    {0, 64, "0"},
    {-0.0, 64, "-0"},
    {3, 64, "3"},
    {-3, 64, "-3"},
    {0.1, 64, "0.1"},
    {0.1f, 32, "0.1"},
    {0.1f, 64, "0.10000000149011612"},
    {1.0 / 3, 64, "0.3333333333333333"},
    {1.0f / 3, 32, "0.33333334"},
    {1e20, 64, "100000000000000000000"},
    {1e21, 64, "1e+21"},
    {1.5e300, 64, "1.5e+300"},
    {1234.5, 64, "1234.5"},
    {123456789012345680.0, 64, "123456789012345680"},
    {9007199254740992.0, 64, "9007199254740992"},
    {9007199254740993.0, 64, "9007199254740992"},
    {0.000001, 64, "0.000001"},
    {0.0000012, 64, "0.0000012"},
    {1e-7, 64, "1e-07"},
    {1.25e-7, 64, "1.25e-07"},
    {5e-324, 64, "5e-324"},
    {2.2250738585072014e-308, 64, "2.2250738585072014e-308"},
    {1.7976931348623157e308, 64, "1.7976931348623157e+308"},
    {1e-45f, 32, "1e-45"},
    {3.4028235e38f, 32, "3.4028235e+38"},
    {16777216, 32, "16777216"},
    {16777218, 32, "16777218"},
    {1e10f, 32, "10000000000"},
    {0x1p-44, 64, "5.684341886080802e-14"},
    {9.5367431640625e-07, 32, "9.536743e-07"},
    {0x1p-24, 32, "5.9604645e-08"},
    {INFINITY, 64, "inf"},
    {-INFINITY, 32, "-inf"},
    {-(double)NAN, 64, "nan"},
    {0.3, 64, "0.3"},
    {0.1 + 0.2, 64, "0.30000000000000004"},
    {2.5, 32, "2.5"},
    {100, 32, "100"},
    {0.001, 64, "0.001"},
    {123456.789, 64, "123456.789"},
    {1e15 + 0.5, 64, "1000000000000000.5"},
};

static void test_shortest(void) {
    for (size_t i = 0; i < sizeof shortest_cases / sizeof *shortest_cases; i++) {
        kdsl_text_f64(shortest_cases[i].v, shortest_cases[i].bits, 0, -1, 0, 0, 0);
        expect_line(shortest_cases[i].text, "shortest");
    }
}

/* Any bits at all: the text reads back as the same value, and no text with a digit less does. */
static void test_round_trip(void) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 40000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double v;
        float f;
        uint32_t low = (uint32_t)(state >> 16);
        memcpy(&v, &state, sizeof v);
        memcpy(&f, &low, sizeof f);
        if (i % 8 == 0) v = (double)(int64_t)(state >> 40) / 100, f = (float)v; /* what people print */
        if (i % 97 == 0) v = ldexp(1, i % 2000 - 1000), f = (float)ldexp(1, i % 250 - 130);
        if (isnan(v) || isnan(f)) continue;
        char shorter[64];
        kdsl_text_f64(v, 64, 0, -1, 0, 0, 0);
        const char *text = kdsl_text_format();
        if (strtod(text, NULL) != v) printf("%a as `%s`\n", v, text), n_failed++;
        int digits = v != 0 && isfinite(v) ? shortest(fabs(v), 64).n : 0;
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, v);
        if (digits > 1 && strtod(shorter, NULL) == v) printf("`%s` is shorter than `%s`\n", shorter, text), n_failed++;
        free((char *)text);
        kdsl_text_f64(f, 32, 0, -1, 0, 0, 'e');
        text = kdsl_text_format();
        if (strtof(text, NULL) != f) printf("%a as `%s`\n", (double)f, text), n_failed++;
        free((char *)text);
    }
}

static void test_layout(void) {
    struct {
        double v;
        int width, precision, align, zero, style;
        const char *text;
    } floats[] = {
        {3.14159, 0, 2, 0, 0, 0, "3.14"},
        {3.14159, 8, 3, 0, 0, 0, "   3.142"},
        {-3.5, 8, 1, 0, 1, 0, "-00003.5"},
        {3.14159, 8, 3, '<', 0, 0, "3.142   "},
        {3.14159, 8, 3, '<', 1, 0, "3.142   "},
        {12345, 0, 3, 0, 0, 'e', "1.234e+04"},
        {1500, 0, -1, 0, 0, 'e', "1.5e+03"},
        {0, 0, -1, 0, 0, 'e', "0e+00"},
        {INFINITY, 6, 2, 0, 1, 0, "   inf"},
        {-0.001, 0, 2, 0, 0, 0, "-0.00"},
        {2, 0, 0, 0, 0, 0, "2"},
        {1e22, 0, 1, 0, 0, 0, "10000000000000000000000.0"},
    };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        kdsl_text_f64(floats[i].v, 64, floats[i].width, floats[i].precision, floats[i].align, floats[i].zero,
                      floats[i].style);
        expect_line(floats[i].text, "float layout");
    }
    struct {
        int64_t v;
        int bits, width, align, zero, style;
        const char *text;
    } integers[] = {
        {42, 32, 6, 0, 0, 0, "    42"},
        {42, 32, 6, '<', 0, 0, "42    "},
        {-7, 32, 5, 0, 1, 0, "-0007"},
        {-1, 32, 0, 0, 0, 'x', "ffffffff"},
        {-1, 8, 0, 0, 0, 'b', "11111111"},
        {255, 32, 4, 0, 1, 'x', "00ff"},
        {INT64_MIN, 64, 0, 0, 0, 0, "-9223372036854775808"},
        {-1, 64, 0, 0, 0, 'x', "ffffffffffffffff"},
        {5, 64, 0, 0, 0, 'b', "101"},
        {0, 64, 0, 0, 0, 0, "0"},
        {123456, 32, 3, 0, 0, 0, "123456"},
    };
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        kdsl_text_i64(integers[i].v, integers[i].bits, integers[i].width, integers[i].align, integers[i].zero,
                      integers[i].style);
        expect_line(integers[i].text, "integer layout");
    }
    kdsl_text_u64(UINT64_MAX, 0, 0, 0, 0);
    kdsl_text_bytes(" ", 1);
    kdsl_text_str("h\xc3\xa9", 4, 0);
    kdsl_text_str("|", 3, '>');
    kdsl_text_bool(1, 6, 0);
    kdsl_text_bool(0, 0, 0);
    expect_line("18446744073709551615 h\xc3\xa9    |true  false", "a line");
    expect_line("", "the empty line");
    kdsl_text_f64(1e308, 64, 0, 400, 0, 0, 0);
    if (line.n != 309 + 1 + 400) expect("?", "710 characters", "a long number");
    free((char *)kdsl_text_format());
}

/* Ends of programs ------------------------------------------------------------------------------------------------- */
/* Run `f(text)` in a child; its stderr and exit status. */
static const char *dying(void (*f)(const char *), const char *text, int *status) {
    static char got[512];
    int ends[2];
    fflush(stdout);
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], 2);
        dup2(ends[1], 1);
        f(text);
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t k; n < sizeof got - 1 && (k = read(ends[0], got + n, sizeof got - 1 - n)) > 0;) n += (size_t)k;
    got[n] = '\0';
    close(ends[0]);
    waitpid(child, status, 0);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return got;
}

static void parse_i32(const char *t) {
    printf("%lld\n", (long long)kdsl_parse_int(t, "i32", 32, 1, "p:1")), fflush(stdout);
}
static void parse_u8(const char *t) {
    printf("%lld\n", (long long)kdsl_parse_int(t, "u8", 8, 0, "p:1")), fflush(stdout);
}
static void parse_i64(const char *t) {
    printf("%lld\n", (long long)kdsl_parse_int(t, "i64", 64, 1, "p:1")), fflush(stdout);
}
static void parse_u64(const char *t) {
    printf("%llu\n", (unsigned long long)kdsl_parse_int(t, "u64", 64, 0, "p:1")), fflush(stdout);
}
static void parse_f32(const char *t) { printf("%g\n", kdsl_parse_float(t, "f32", 32, "p:1")), fflush(stdout); }
static void parse_f64(const char *t) { printf("%g\n", kdsl_parse_float(t, "f64", 64, "p:1")), fflush(stdout); }

static const struct {
    void (*parse)(const char *);
    const char *text, *output;
} parse_cases[] = {
    {parse_i32, "12", "12\n"},
    {parse_i32, "-12", "-12\n"},
    {parse_i32, "+7", "7\n"},
    {parse_i32, "0xff", "255\n"},
    {parse_i32, "-0b101", "-5\n"},
    {parse_i32, "0o17", "15\n"},
    {parse_i32, "007", "7\n"},
    {parse_i32, "0", "0\n"},
    {parse_i32, "2147483647", "2147483647\n"},
    {parse_i32, "-2147483648", "-2147483648\n"},
    {parse_i32, "2147483648", "error: `2147483648` is out of range for i32\n --> p:1\n"},
    {parse_i32, "-2147483649", "error: `-2147483649` is out of range for i32\n --> p:1\n"},
    {parse_i32, "", "error: `` is not an i32\n --> p:1\n"},
    {parse_i32, "12x", "error: `12x` is not an i32\n --> p:1\n"},
    {parse_i32, " 1", "error: ` 1` is not an i32\n --> p:1\n"},
    {parse_i32, "-", "error: `-` is not an i32\n --> p:1\n"},
    {parse_i32, "0x", "error: `0x` is not an i32\n --> p:1\n"},
    {parse_i32, "1.5", "error: `1.5` is not an i32\n --> p:1\n"},
    {parse_u8, "255", "255\n"},
    {parse_u8, "256", "error: `256` is out of range for u8\n --> p:1\n"},
    {parse_u8, "-1", "error: `-1` is out of range for u8\n --> p:1\n"},
    {parse_u8, "-0", "0\n"},
    {parse_u8, "z", "error: `z` is not a u8\n --> p:1\n"},
    {parse_i64, "-9223372036854775808", "-9223372036854775808\n"},
    {parse_i64, "9223372036854775808", "error: `9223372036854775808` is out of range for i64\n --> p:1\n"},
    {parse_u64, "18446744073709551615", "18446744073709551615\n"},
    {parse_u64, "18446744073709551616", "error: `18446744073709551616` is out of range for u64\n --> p:1\n"},
    {parse_f64, "1.5", "1.5\n"},
    {parse_f64, "-2e3", "-2000\n"},
    {parse_f64, ".5", "0.5\n"},
    {parse_f64, "inf", "inf\n"},
    {parse_f64, "-inf", "-inf\n"},
    {parse_f64, "nan", "nan\n"},
    {parse_f64, "1e-400", "0\n"},
    {parse_f64, "1e400", "error: `1e400` is out of range for f64\n --> p:1\n"},
    {parse_f64, "", "error: `` is not an f64\n --> p:1\n"},
    {parse_f64, "1.5.2", "error: `1.5.2` is not an f64\n --> p:1\n"},
    {parse_f64, "0x10", "error: `0x10` is not an f64\n --> p:1\n"},
    {parse_f64, "infinity", "error: `infinity` is not an f64\n --> p:1\n"},
    {parse_f64, " 1", "error: ` 1` is not an f64\n --> p:1\n"},
    {parse_f32, "1e39", "error: `1e39` is out of range for f32\n --> p:1\n"},
    {parse_f32, "3e38", "3e+38\n"},
};

static void test_parse(void) {
    for (size_t i = 0; i < sizeof parse_cases / sizeof *parse_cases; i++) {
        int status;
        const char *got = dying(parse_cases[i].parse, parse_cases[i].text, &status);
        expect(got, parse_cases[i].output, parse_cases[i].text);
        if (status != (got[0] == 'e' ? KDSL_EXIT_CHECK : 0)) expect("?", "exit 0 or 3", parse_cases[i].text);
    }
}

static const int64_t extents[] = {1024, 512};
static void fail_index(const char *t) {
    kdsl_text_bytes("printed before", 14);
    kdsl_text_print();
    kdsl_fail_index("s.kdsl:3:5", t, 1048576, 1, t[1] ? 2 : 1, extents);
}
static void fail_shape(const char *t) {
    bool is_plain = !*t || *t == 'b';
    kdsl_fail_shape("s.kdsl:9:1", "matmul", *t ? "k" : NULL, "a", 2, extents, 1, *t && *t != '>' ? "b" : NULL, 2,
                    (int64_t[]){256, 1024}, 0, 16, is_plain ? NULL : "k + 1");
}
static void fail_assert(const char *t) {
    kdsl_text_str(t, 0, 0);
    kdsl_text_assert("s.kdsl:2:2");
}
static void array_new(const char *t) {
    int64_t big[] = {INT64_C(1) << 40, INT64_C(1) << 40}, negative[] = {-3}, none[] = {0, INT64_C(1) << 62};
    if (*t == 'b') kdsl_array_new(4, 2, big, "p:1");
    if (*t == 'n') kdsl_array_new(4, 1, negative, "p:1");
    if (*t == 'h') kdsl_array_new(1, 1, big, "p:1");
    char *a = kdsl_array_new(8, 2, none, "p:1"), *b = kdsl_array_new(8, 1, (int64_t[]){1000000}, "p:1");
    if (a && (uintptr_t)b % 64 == 0) memset(b, 1, 8000000), kdsl_array_free(b), kdsl_array_free(a);
    kdsl_array_free(NULL);
}
static void full_output(const char *t) {
    if (!freopen("/dev/full", "w", stdout)) return;
    kdsl_text_str(t, 0, 0);
    kdsl_text_print();
    kdsl_exit(0);
}

static void test_ends(void) {
    struct {
        void (*f)(const char *);
        const char *text, *output;
        int status;
    } cases[] = {
        {fail_index, "x",
         "printed before\nerror: index 1048576 is out of bounds for `x`, which has 1024 elements "
         "(0 to 1023)\n --> s.kdsl:3:5\n",
         3},
        {fail_index, "xy",
         "printed before\nerror: index 1048576 is out of bounds for dimension 1 of `xy`, whose "
         "shape is [1024, 512]\n --> s.kdsl:3:5\n",
         3},
        {fail_shape, "b",
         "error: in the call of `matmul`, `k` is 512 for `a`, whose shape is [1024, 512], but 256 "
         "for `b`, whose shape is [256, 1024]\n --> s.kdsl:9:1\n",
         3},
        {fail_shape, "+",
         "error: in the call of `matmul`, `k` is 512 for `a`, whose shape is [1024, 512], but `k + 1` "
         "is 256 for `b`, whose shape is [256, 1024]\n --> s.kdsl:9:1\n",
         3},
        {fail_shape, ">",
         "error: in the call of `matmul`, dimension 1 of `a` must be at least 16, but its shape is "
         "[1024, 512]\n --> s.kdsl:9:1\n",
         3},
        {fail_shape, "",
         "error: in the call of `matmul`, dimension 1 of `a` must be 16, but its shape is [1024, "
         "512]\n --> s.kdsl:9:1\n",
         3},
        {fail_assert, "100%d", "error: 100%d\n --> s.kdsl:2:2\n", 3},
        {array_new, "big",
         "error: out of memory: [1099511627776, 1099511627776] elements of 4 bytes need 4.836e+06 EB\n --> p:1\n", 3},
        {array_new, "negative", "error: an array cannot have a negative extent: [-3]\n --> p:1\n", 3},
        {array_new, "fine", "", 0},
        {full_output, "lost", "error: cannot write to standard output: No space left on device\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        expect(dying(cases[i].f, cases[i].text, &status), cases[i].output, "end of program");
        if (status != cases[i].status) printf("%s: exit %d\n", cases[i].output, status), n_failed++;
    }
}

int main(void) {
    test_shortest();
    test_round_trip();
    test_layout();
    test_parse();
    test_ends();
    return n_failed != 0;
}
