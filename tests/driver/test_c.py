#!/usr/bin/env python3
"""C, both ways: programs that call C libraries, libm and cblas among them; C, C++, Fortran and Python programs that call
exported functions and kernels, from a shared library and from an object file; what failures look like there.
Usage: test_c.py KDSLC [unittest arguments]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
LLVM = "/usr/lib/llvm-22/lib"

EXPORTS = """import math;

export fn mean(x: &[f64; n]) -> f64 {
    var sum = 0.0;
    for i in n { sum += x[i]; }
    return sum / f64(n);
}
export fn pick(m: &[i32; _, 3], i: index, j: i32, really: bool) -> bool { return really && m[i, j] > 0; }
export fn label(step: i8, small: u16) -> str {
    assert step >= 0, "step is {}", step;
    return format("step {} {}", step, small);
}
export fn halve(x: &mut [f64; n], to: &out [f64; n]) {
    for i in n { to[i] = x[i]; x[i] /= 2.0; }
}
export fn nothing() {}
export fn sums(x: &[f64; n], y: &[f64; n]) -> f64 {
    var sum = 0.0;
    for i in n { sum += x[i] + y[i]; }
    return sum;
}
export kernel plus(x: &[f64; n], y: &[f64; n], z: &out [f64; n]) over i in n { z[i] = x[i] + y[i]; }
export kernel saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] += a * x[i]; }
export kernel total(x: &[f64; n, m]) over i in n, j in m -> sum f64 { return x[i, j]; }
export kernel shift(x: &[f64; n], y: &mut [f64; n], by: index) over i in n { y[i] = x[i + by]; }
export kernel weigh(x: &[f64; n, m]) over i in n, j in m -> sum f64 {
    return x[i, j] * f64(j + 1) * (if i == 1 { 10.0 } else { 1.0 });
}
export fn split(x: f64, whole: &out i64, rest: &out f64, sure: &mut bool) {
    whole = i64(x);
    rest = x - f64(whole);
    sure = !sure && rest >= 0.0;
}
export kernel tally(x: &[f64; n], total: &mut f64, seen: &out i32, limit: &f64, t: &scratch [f64; n]) over i in n {
    t[i] = min(x[i], limit);
    atomic total += t[i];
    if i == 0 { seen = i32(n); }
}
export kernel turn(x: &out [f64; n]) over i in n { x[i] = cos(math.TAU * f64(i) / f64(n)); }
"""

CALLER = """
#include <stdio.h>
#include <string.h>
#include "lib.h"

static int failed;
#define CHECK(c) do { if (!(c)) { printf("line %d: %s (%s)\\n", __LINE__, #c, kdsl_last_error()); failed = 1; } } while (0)

int main(void) {
    double d[4] = {1, 2, 3, 6}, r = 0, copy[4];
    float x[3] = {1, 2, 3}, y[3] = {10, 10, 10};
    int32_t m[6] = {1, 0, 1, 0, 1, 0};
    bool yes = false;
    const char *text = NULL;
    CHECK(mean(d, 4, &r) == 0 && r == 3.0);
    CHECK(pick(m, 1, 1, true, 2, &yes) == 0 && yes);
    CHECK(pick(m, 1, 2, true, 2, &yes) == 0 && !yes);
    CHECK(pick(m, 0, 0, false, 2, &yes) == 0 && !yes);
    CHECK(label(7, 65535, &text) == 0 && !strcmp(text, "step 7 65535"));
    CHECK(halve(d, copy, 4) == 0 && copy[3] == 6.0 && d[3] == 3.0);
    CHECK(nothing() == 0);
    CHECK(saxpy(2, x, y, 3) == 0 && y[0] == 12 && y[2] == 16);
    CHECK(total(d, 2, 2, &r) == 0 && r == 6.0);
    int64_t whole = 0;
    int32_t seen = 0;
    double rest = 0, sum = 0.5, limit = 2.5;
    CHECK(split(5.75, &whole, &rest, &yes) == 0 && whole == 5 && rest == 0.75 && yes);
    CHECK(split(5.75, &whole, NULL, &yes) == 3 && strstr(kdsl_last_error(), "`rest` is a null pointer"));
    CHECK(tally(d, &sum, &seen, &limit, 4) == 0 && sum == 0.5 + 0.5 + 1 + 1.5 + 2.5 && seen == 4);
    CHECK(turn(d, 2) == 0 && d[0] == 1.0 && d[1] == -1.0);
    CHECK(saxpy(2, x, y, 0) == 0 && saxpy(2, NULL, NULL, 0) == 0 && y[0] == 12);
    /* failures: a status, a message, and life goes on */
    CHECK(pick(m, 2, 0, true, 2, &yes) == 3);
    CHECK(strstr(kdsl_last_error(), "lib.kdsl:8:") && strstr(kdsl_last_error(), "index 2 is out of bounds"));
    CHECK(label(-7, 0, &text) == 3 && strstr(kdsl_last_error(), "step is -7"));
    CHECK(mean(d, -1, &r) == 3 && strstr(kdsl_last_error(), "negative extent"));
    CHECK(mean(NULL, 4, &r) == 3 && strstr(kdsl_last_error(), "null pointer"));
    CHECK(halve(d, d + 1, 3) == 3 && strstr(kdsl_last_error(), "`x` and `to` overlap"));
    CHECK(halve(d, d + 2, 2) == 0 && halve(copy, d, 0) == 0);
    CHECK(saxpy(1, x, x, 3) == 3 && saxpy(1, x, x + 2, 3) == 3 && saxpy(1, x, x, 0) == 0);
    CHECK(plus(d, d, copy, 4) == 0 && copy[3] == 2 * d[3]);
    CHECK(plus(d, d + 1, copy, 3) == 3 && strstr(kdsl_last_error(), "`x` and `y` overlap"));
    CHECK(plus(d, d + 2, copy, 2) == 0 && plus(copy, d, copy + 3, 4) == 3);
    CHECK(split(5.75, &whole, (double *)(void *)&whole, &yes) == 3);
    CHECK(sums(d, d + 1, 3, &r) == 0 && r == d[0] + 2 * (d[1] + d[2]) + d[3]);
    CHECK(shift(d, copy, 0, 4) == 0 && copy[3] == d[3]);
    CHECK(shift(d, copy, 2, 4) == 3 && strstr(kdsl_last_error(), "index 4 is out of bounds"));
    CHECK(label(1, 1, &text) == 0 && !strcmp(text, "step 1 1") && !*kdsl_last_error());
    puts(failed ? "failed" : "done");
    return failed;
}
"""

PYTHON = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.kdsl_last_error.restype = ctypes.c_char_p
n = ctypes.c_int64
d = (ctypes.c_double * 4)(1, 2, 3, 6)
r = ctypes.c_double()
assert lib.mean(d, n(4), ctypes.byref(r)) == 0 and r.value == 3.0
assert lib.total(d, n(2), n(2), ctypes.byref(r)) == 0 and r.value == 12.0
x = (ctypes.c_float * 3)(1, 2, 3)
y = (ctypes.c_float * 3)(10, 10, 10)
assert lib.saxpy(ctypes.c_float(2), x, y, n(3)) == 0 and list(y) == [12, 14, 16]
assert lib.mean(d, n(-4), ctypes.byref(r)) == 3 and b"negative extent" in lib.kdsl_last_error()
assert lib.mean(d, n(4), ctypes.byref(r)) == 0 and lib.kdsl_last_error() == b""
print("done")
"""

FORTRAN = """
module kdsl_lib
    use iso_c_binding
    implicit none
    interface
        function saxpy(a, x, y, n) bind(c) result(status)
            import :: c_float, c_int64_t, c_int32_t
            real(c_float), value :: a
            real(c_float), intent(in) :: x(*)
            real(c_float), intent(inout) :: y(*)
            integer(c_int64_t), value :: n
            integer(c_int32_t) :: status
        end function
        function weigh(m, rows, columns, total) bind(c) result(status)
            import :: c_double, c_int64_t, c_int32_t
            real(c_double), intent(in) :: m(*)
            integer(c_int64_t), value :: rows, columns
            real(c_double), intent(out) :: total
            integer(c_int32_t) :: status
        end function
        function pick(m, i, j, really, m_0, found) bind(c) result(status)
            import :: c_int32_t, c_int64_t, c_bool
            integer(c_int32_t), intent(in) :: m(*)
            integer(c_int64_t), value :: i, m_0
            integer(c_int32_t), value :: j
            logical(c_bool), value :: really
            logical(c_bool), intent(out) :: found
            integer(c_int32_t) :: status
        end function
        function kdsl_last_error() bind(c) result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        function strlen(text) bind(c) result(n)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: n
        end function
    end interface
contains
    function message() result(text)
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: at
        integer :: i
        at = kdsl_last_error()
        call c_f_pointer(at, letters, [strlen(at)])
        allocate(character(len=size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function
end module

program caller
    use kdsl_lib
    real(c_float) :: x(4) = [1, 2, 3, 4], y(4) = 10
    real(c_double) :: m(3, 2) = reshape([1, 2, 3, 4, 5, 6], [3, 2]), total   ! columns first: [f64; 2, 3] in KDSL
    integer(c_int32_t) :: table(3, 2) = reshape([0, 0, 1, 0, 0, 0], [3, 2])
    logical(c_bool) :: found
    if (saxpy(2.0, x, y, 4_c_int64_t) /= 0) error stop "saxpy"
    if (any(y /= [12, 14, 16, 18])) error stop "saxpy gives something else"
    if (weigh(m, 2_c_int64_t, 3_c_int64_t, total) /= 0) error stop "weigh"
    if (total /= 1*1 + 2*2 + 3*3 + 10 * (4*1 + 5*2 + 6*3)) error stop "weigh gives something else"
    if (pick(table, 0_c_int64_t, 2, .true._c_bool, 2_c_int64_t, found) /= 0 .or. .not. found) error stop "pick"
    if (pick(table, 5_c_int64_t, 2, .true._c_bool, 2_c_int64_t, found) /= 3) error stop "pick outside"
    if (index(message(), "index 5 is out of bounds") == 0) error stop "no message"
    print "(a)", "done"
end program
"""

LEAKS = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int32_t total(int64_t n, int64_t bad, double *result);
int32_t nested(int64_t n, double *result);
int32_t owned(int64_t n, double *result);
int call_back(int64_t n) { double r; return total(n, n / 2, &r); } /* a failing call inside a call */
int main(void) {
    struct rusage use;
    double r = 0;
    for (int i = 0; i < 300; i++) {
        if (total(1 << 20, i % 2 ? 1000 : -1, &r) != (i % 2 ? 3 : 0)) return 1;
        if (i % 2 == 0 && r != 1 << 21) return 2;
    }
    if (nested(1000, &r) || r != 3000) return 3;
    for (int i = 0; i < 100; i++) if (owned(1 << 16, &r) || r != 34) return 4;
    getrusage(RUSAGE_SELF, &use);
    printf(use.ru_maxrss < 500000 ? "done\\n" : "%ld kB\\n", use.ru_maxrss); /* 150 failed calls of 24 MB each */
    return 0;
}
"""

LEAKING = """
extern "C" fn call_back(n: index) -> i32;
fn made(n: index) -> [f64; _] { return [1.0; n]; }
export fn total(n: index, bad: index) -> f64 {
    let x = made(n);
    var y = copy(&x);
    y = [2.0; n];
    var sum = 0.0;
    for i in n {
        assert i != bad;
        let one = [y[i]];
        sum += one[0];
    }
    return sum;
}
struct Pair { u: [f64; _], v: [f64; _] }
struct Pairs { a: Pair, b: Pair, n: index }
fn pair(n: index, x: f64) -> Pair { return Pair(u: [x; n], v: [2.0 * x; n]); }
fn renew(p: &mut Pairs) { p.b = pair(p.n, 4.0); }
export fn owned(n: index) -> f64 {
    var sum = 0.0;
    for i in 0..5 {
        var p = Pairs(a: pair(n, 1.0), b: pair(n, 2.0), n: n);
        if i == 1 { continue; }
        let q = copy(&p.a);
        renew(&mut p);
        swap(&mut p.a.u, &mut p.b.v);
        p.a.v = [9.0; n];
        var r = p;
        if i == 4 { break; }
        r = Pairs(a: q, b: pair(n, 1.0), n: 1);
        sum += r.a.u[0] + r.b.v[n - 1];
    }
    let last = pair(n, 5.0);
    if n > 0 { return sum + last.v[0] * 2.5; }
    return 0.0;
}
export fn nested(n: index) -> f64 {
    let x = [3.0; n];
    assert call_back(n) == 3;
    let more = [0.0; n];
    assert call_back(n) == 3;
    var sum = more[0];
    for i in n { sum += x[i]; }
    return sum;
}
"""

LIBM = """
extern "C" fn tgamma(x: f64) -> f64;
extern "C" fn fmaf(x: f32, y: f32, z: f32) -> f32;
extern "C" fn ilogb(x: f64) -> i32;
extern "C" fn modf(x: f64, whole: &out [f64; 1]) -> f64;
extern "C" fn remquo(x: f64, y: f64, quotient: &mut i32) -> f64;

fn main() {
    var whole = [0.0];
    let part = modf(-3.75, &out whole);
    var quotient = 0;
    let rest = remquo(29.0, 3.0, &mut quotient);
    print("{:.6} {} {} {} {} {} {}", tgamma(5.0), fmaf(2.0, 3.0, 0.5), ilogb(1000.0), part, whole[0], rest, quotient & 7);
}
"""

CBLAS = """
// Row-major throughout, as in KDSL.
const ROW_MAJOR = 101;
const NO_TRANS = 111;
const TRANS = 112;

extern "C" fn cblas_ddot(n: i32, x: &[f64; _], step_x: i32, y: &[f64; _], step_y: i32) -> f64;
extern "C" fn cblas_daxpy(n: i32, a: f64, x: &[f64; _], step_x: i32, y: &mut [f64; _], step_y: i32);
extern "C" fn cblas_idamax(n: i32, x: &[f64; _], step: i32) -> u64;
extern "C" fn cblas_dgemv(order: i32, trans: i32, rows: i32, columns: i32, alpha: f64, a: &[f64; m, n], lda: i32,
                          x: &[f64; _], step_x: i32, beta: f64, y: &mut [f64; _], step_y: i32);
extern "C" fn cblas_sgemm(order: i32, trans_a: i32, trans_b: i32, m: i32, n: i32, k: i32, alpha: f32, a: &[f32; _, _],
                          lda: i32, b: &[f32; _, _], ldb: i32, beta: f32, c: &mut [f32; _, _], ldc: i32);

kernel multiply(a: &[f32; n, k], b: &[f32; k, m], c: &out [f32; n, m]) over i in n, j in m {
    var sum = 0.0f32;
    for l in k { sum += a[i, l] * b[l, j]; }
    c[i, j] = sum;
}

fn main() {
    let x = [f64(i + 1) for i in 5];
    var y = [f64(10 * i) for i in 5];
    print("{}", cblas_ddot(5, &x, 1, &y, 1));
    cblas_daxpy(5, -2.0, &x, 1, &mut y, 1);
    print("{} {} {}", y[0], y[4], cblas_idamax(5, &y, 1));
    let m = [f64(3 * i + j) for i in 2, j in 3];
    let v = [1.0, 10.0];
    var w = [1.0; 3];
    cblas_dgemv(ROW_MAJOR, TRANS, 2, 3, 1.0, &m, 3, &v, 1, 0.5, &mut w, 1);
    print("{} {} {}", w[0], w[1], w[2]);

    // The same product by the library and by a kernel; whole numbers, so both are exact.
    let a = [f32((i + 2 * j) % 5) for i in 7, j in 4];
    let b = [f32((3 * i + j) % 7) for i in 4, j in 6];
    var theirs = [0.0f32; 7, 6];
    var ours = [0.0f32; 7, 6];
    cblas_sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, 7, 6, 4, 1.0, &a, 4, &b, 6, 0.0, &mut theirs, 6);
    offload multiply(&a, &b, &out ours);
    var same = true;
    for i in 7 { for j in 6 { same = same && ours[i, j] == theirs[i, j]; } }
    print("{} {}", same, ours[6, 5]);
}
"""

LIBRARY = """
#include <stdbool.h>
#include <stdint.h>
int32_t add_i8(int8_t a, uint8_t b, int16_t c, uint16_t d) { return a + b + c + d; }
bool both(bool a, bool b) { return a && b; }
void scale(double *x, int64_t n, double by) { for (int64_t i = 0; i < n; i++) x[i] *= by; }
float norm1(const float *x, int32_t n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] < 0 ? -x[i] : x[i]; return s; }
int8_t negative(void) { return -5; }
uint64_t all_ones(void) { return UINT64_MAX; }
const char *greeting(const char *name) { return name[0] == 'k' ? "hello, k" : "hello"; }
void both_ways(const float *x, double *y, bool *b) { *y += *x; *b = !*b; }
int64_t matrix_at(const int64_t *m, int64_t columns, int64_t i, int64_t j) { return m[i * columns + j]; }
"""

PROGRAM = """
extern "C" fn add_i8(a: i8, b: u8, c: i16, d: u16) -> i32;
extern "C" fn both(a: bool, b: bool) -> bool;
extern "C" fn scale(x: &mut [f64; _], n: index, by: f64);
extern "C" fn norm1(x: &[f32; _], n: i32) -> f32;
extern "C" fn negative() -> i8;
extern "C" fn all_ones() -> u64;
extern "C" fn greeting(name: str) -> str;
extern "C" fn both_ways(x: &f32, y: &mut f64, b: &mut bool);
extern "C" fn matrix_at(m: &[i64; _, columns], columns_: index, i: index, j: index) -> i64;

fn main() {
    assert add_i8(-128, 255, -32768, 65535) == 32894;
    assert both(true, true) && !both(true, false);
    var x = [f64(i) for i in 5];
    scale(&mut x, len(x), 2.5);
    assert x[4] == 10.0 && x[0] == 0.0;
    let y = [-1.0f32, 2.0, -3.0];
    assert norm1(&y, i32(len(y))) == 6.0;
    assert negative() == -5 && all_ones() == ~0u64;
    var sum = 1.5;
    var flag = false;
    let step = 0.25f32;
    both_ways(&step, &mut sum, &mut flag);
    assert sum == 1.75 && flag;
    print("{}", greeting("kdsl"));
    let m = [i64(10 * i + j) for i in 3, j in 4];
    assert matrix_at(&m, shape(m, 1), 2, 3) == 23;
}
"""


class CTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def run_(self, *command, env=None, status=0):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True,
                              timeout=300,
                              env=dict(os.environ, KMP_BLOCKTIME="0", **(env or {})))
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def test_calls_of_a_c_library(self):
        self.write("library.c", LIBRARY)
        self.write("program.kdsl", PROGRAM)
        self.run_("cc", "-O1", "-c", "library.c")
        (self.dir / "lib").mkdir()
        self.run_("ar", "rcs", "lib/libthings.a", "library.o")
        for level in parts.first(("-O2", "-O0")):
            self.assertEqual(self.run_(KDSLC, "run", level, "-Llib", "-lthings", "program.kdsl"), "hello, k\n")
        if not parts.wanted(True):
            return
        self.run_("cc", "-shared", "-fPIC", "library.c", "-o", "libshared.so")
        self.run_(KDSLC, "program.kdsl", "-L.", "-lshared")
        self.assertEqual(self.run_("./program", env={"LD_LIBRARY_PATH": str(self.dir)}), "hello, k\n")

    @parts.quick
    def test_what_is_not_there(self):
        self.write("program.kdsl", 'extern "C" fn nowhere(x: i32) -> i32;\nfn main() { print("{}", nowhere(1)); }\n')
        said = self.run_(KDSLC, "program.kdsl", status=1)
        self.assertIn("program.kdsl:1:15: error[E1023]: cannot link the program: no library that is linked defines `nowhere`", said)
        self.assertIn("`-lNAME` links with the library that defines it", said)
        self.assertIn("unable to find library -lnowhere", self.run_(KDSLC, "-lnowhere", "program.kdsl", status=1))
        self.assertIn("needs a value", self.run_(KDSLC, "-l", "program.kdsl", status=2))
        self.assertIn("cannot be combined", self.run_(KDSLC, "--shared", "-c", "program.kdsl", status=2))
        self.assertFalse((self.dir / "program").exists())

    @parts.quick
    def test_library_that_exports_nothing(self):
        text = "fn helper(x: f64) -> f64 { return 2.0 * x; }\n" \
               "kernel double(y: &mut [f64; n]) over i in n { y[i] = helper(y[i]); }\n"
        self.write("lib.kdsl", text)
        for option in ("-c", "--shared", "--emit=header"):
            said = self.warned(option, "lib.kdsl")
            self.assertIn("lib.kdsl:2:8: warning[W0801]: `lib.kdsl` exports nothing that C could call: write `export kernel "
                          "double`", said)
            self.assertIn("fix: export it: insert `export `", said)
            self.assertIn("note: it also declares `helper`", said)
        self.assertEqual(self.warned("check", "lib.kdsl"), "")
        for more in ("export fn one() -> i32 { return 1; }\n", "fn main() { var y = [1.0]; offload double(&mut y); }\n"):
            self.write("lib.kdsl", text + more)
            self.assertEqual(self.warned("-c", "lib.kdsl"), "")
        self.write("lib.kdsl", text.replace("kernel", "export kernel"))
        self.assertEqual(self.warned("--shared", "lib.kdsl"), "")
        self.write("lib.kdsl", "struct P { x: f64 }\nfn _hidden() { }\nfn first<T>(x: &[T; n]) -> T { return x[0]; }\n")
        self.assertNotIn("W0801", self.warned("-c", "lib.kdsl"))

    def warned(self, *command):
        done = subprocess.run([KDSLC, *command], cwd=self.dir, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    @parts.quick
    def test_header_beside_the_object(self):
        self.write("lib.kdsl", EXPORTS)
        wanted = self.run_(KDSLC, "--emit=header", "lib.kdsl")
        self.run_(KDSLC, "-c", "--header=beside.h", "lib.kdsl")
        self.assertEqual((self.dir / "beside.h").read_text(), wanted)
        for arguments, status, says in ((("--header=x.h", "lib.kdsl"), 2, "--header=FILE is for -c and --shared"),
                                        (("-c", "--header=lib.kdsl", "lib.kdsl"), 1, "E1004"),
                                        (("-c", "--header=no/x.h", "lib.kdsl"), 1, "E1003")):
            self.assertIn(says, self.run_(KDSLC, *arguments, status=status))

    def exports(self):
        self.write("lib.kdsl", EXPORTS)
        self.write("caller.c", CALLER)
        self.write("caller.cpp", CALLER)
        self.run_(KDSLC, "--emit=header", "lib.kdsl", "-o", "lib.h")

    def test_shared_library_in_c_and_python(self):
        self.exports()
        self.write("caller.py", PYTHON)
        for level in parts.first(("-O2", "-O0")):
            self.run_(KDSLC, level, "--shared", "lib.kdsl")
            self.run_("cc", "-Wall", "-Wextra", "-Werror", "-pedantic", "caller.c", "./lib.so", "-o", "caller")
            self.run_("c++", "-Wall", "-Werror", "caller.cpp", "./lib.so", "-o", "caller++")
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_("./caller", env=env), "done\n")
                self.assertEqual(self.run_("./caller++", env=env), "done\n")
                self.assertEqual(self.run_(sys.executable, "caller.py", "./lib.so", env=env), "done\n")
        names = self.run_("nm", "-D", "--defined-only", "lib.so").split()[2::3]
        ours = [name for name in names if not name.startswith("kdsl_")]
        self.assertEqual(sorted(ours), ["halve", "label", "mean", "nothing", "pick", "plus", "saxpy", "shift",
                                        "split", "sums", "tally", "total", "turn", "weigh"])
        self.assertIn("kdsl_last_error", names)

    @parts.quick
    def test_object_in_c(self):
        self.exports()
        self.run_(KDSLC, "-c", "lib.kdsl")
        self.run_("cc", "caller.c", "lib.o", "-o", "caller", f"-L{LLVM}", f"-Wl,-rpath,{LLVM}",
                  "-l:libomptarget.so.22.1",
                  "-l:libomp.so.5", "-lm")
        self.assertEqual(self.run_("./caller"), "done\n")

    def test_library_in_fortran(self):
        self.write("lib.kdsl", EXPORTS)
        self.write("caller.f90", FORTRAN)
        for level in parts.first(("-O2", "-O0")):
            self.run_(KDSLC, level, "--shared", "lib.kdsl")
            self.run_("gfortran", "-Wall", "caller.f90", "./lib.so", "-o", "caller")
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_("./caller", env=env), "done\n")

    def test_failed_calls_give_back_their_arrays(self):
        self.write("leaking.kdsl", LEAKING)
        self.write("main.c", LEAKS)
        for level in parts.first(("-O2", "-O0")):
            self.run_(KDSLC, level, "-c", "leaking.kdsl")
            self.run_("cc", "main.c", "leaking.o", "-o", "main", "-lm")
            self.assertEqual(self.run_("./main"), "done\n")

    def test_libm(self):
        self.write("program.kdsl", LIBM)
        for level in parts.first(("-O2", "-O0")):
            self.assertEqual(self.run_(KDSLC, "run", level, "program.kdsl"), "24.000000 6.5 9 -0.75 -3 -1 2\n")

    def test_cblas(self):
        self.write("program.kdsl", CBLAS)
        a = [[(i + 2 * j) % 5 for j in range(4)] for i in range(7)]
        b = [[(3 * i + j) % 7 for j in range(6)] for i in range(4)]
        last = sum(a[6][k] * b[k][5] for k in range(4))
        expected = f"400\n-2 30 4\n30.5 41.5 52.5\ntrue {last}\n"
        for level in parts.first(("-O2", "-O0")):
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_(KDSLC, "run", level, "-lblas", "program.kdsl", env=env), expected)

    @parts.quick
    def test_two_libraries_share_the_message(self):
        for name in ("one", "two"):
            self.write(f"{name}.kdsl", f'export fn {name}(x: i32) {{ assert x > 0, "{name} says {{}}", x; }}\n')
            self.run_(KDSLC, "--shared", f"{name}.kdsl")
        self.write("main.c", "#include <stdio.h>\n#include <stdint.h>\nint32_t one(int32_t), two(int32_t);\n"
                             "const char *kdsl_last_error(void);\nint main(void) { one(-1); puts(kdsl_last_error());\n"
                             "two(-2); puts(kdsl_last_error()); return 0; }\n")
        self.run_("cc", "main.c", "./one.so", "./two.so", "-o", "main")
        out = self.run_("./main")
        self.assertIn("one says -1", out)
        self.assertIn("two says -2", out)


if __name__ == "__main__":
    unittest.main()
