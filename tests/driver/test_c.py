#!/usr/bin/env python3
"""C, both ways: programs that call C libraries; C, C++ and Python programs that call exported functions and kernels, from
a shared library and from an object file; what failures look like there. Usage: test_c.py KDSLC [unittest arguments]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

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
export kernel saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] += a * x[i]; }
export kernel total(x: &[f64; n, m]) over i in n, j in m -> sum f64 { return x[i, j]; }
export kernel shift(x: &[f64; n], y: &mut [f64; n], by: index) over i in n { y[i] = x[i + by]; }
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
    CHECK(turn(d, 2) == 0 && d[0] == 1.0 && d[1] == -1.0);
    CHECK(saxpy(2, x, y, 0) == 0 && saxpy(2, NULL, NULL, 0) == 0 && y[0] == 12);
    /* failures: a status, a message, and life goes on */
    CHECK(pick(m, 2, 0, true, 2, &yes) == 3);
    CHECK(strstr(kdsl_last_error(), "lib.kdsl:8:") && strstr(kdsl_last_error(), "index 2 is outside"));
    CHECK(label(-7, 0, &text) == 3 && strstr(kdsl_last_error(), "step is -7"));
    CHECK(mean(d, -1, &r) == 3 && strstr(kdsl_last_error(), "negative extent"));
    CHECK(mean(NULL, 4, &r) == 3 && strstr(kdsl_last_error(), "null pointer"));
    CHECK(shift(d, copy, 0, 4) == 0 && copy[3] == d[3]);
    CHECK(shift(d, copy, 2, 4) == 3 && strstr(kdsl_last_error(), "index 4 is outside"));
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
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=300,
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
        for level in ("-O0", "-O2"):
            self.assertEqual(self.run_(KDSLC, "run", level, "-Llib", "-lthings", "program.kdsl"), "hello, k\n")
        self.run_("cc", "-shared", "-fPIC", "library.c", "-o", "libshared.so")
        self.run_(KDSLC, "program.kdsl", "-L.", "-lshared")
        self.assertEqual(self.run_("./program", env={"LD_LIBRARY_PATH": str(self.dir)}), "hello, k\n")

    def test_what_is_not_there(self):
        self.write("program.kdsl", 'extern "C" fn nowhere(x: i32) -> i32;\nfn main() { print("{}", nowhere(1)); }\n')
        self.assertIn("undefined symbol: nowhere", self.run_(KDSLC, "program.kdsl", status=1))
        self.assertIn("unable to find library -lnowhere", self.run_(KDSLC, "-lnowhere", "program.kdsl", status=1))
        self.assertIn("needs a value", self.run_(KDSLC, "-l", "program.kdsl", status=2))
        self.assertIn("two different results", self.run_(KDSLC, "--shared", "-c", "program.kdsl", status=2))
        self.assertFalse((self.dir / "program").exists())

    def exports(self):
        self.write("lib.kdsl", EXPORTS)
        self.write("caller.c", CALLER)
        self.write("caller.cpp", CALLER)
        self.run_(KDSLC, "--emit=header", "lib.kdsl", "-o", "lib.h")

    def test_shared_library_in_c_and_python(self):
        self.exports()
        self.write("caller.py", PYTHON)
        for level in ("-O0", "-O2"):
            self.run_(KDSLC, level, "--shared", "lib.kdsl")
            self.run_("cc", "-Wall", "-Wextra", "-Werror", "-pedantic", "caller.c", "./lib.so", "-o", "caller")
            self.run_("c++", "-Wall", "-Werror", "caller.cpp", "./lib.so", "-o", "caller++")
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_("./caller", env=env), "done\n")
                self.assertEqual(self.run_("./caller++", env=env), "done\n")
                self.assertEqual(self.run_(sys.executable, "caller.py", "./lib.so", env=env), "done\n")
        names = self.run_("nm", "-D", "--defined-only", "lib.so").split()[2::3]
        ours = [name for name in names if not name.startswith("kdsl_")]
        self.assertEqual(sorted(ours), ["halve", "label", "mean", "nothing", "pick", "saxpy", "shift", "total", "turn"])
        self.assertIn("kdsl_last_error", names)

    def test_object_in_c(self):
        self.exports()
        self.run_(KDSLC, "-c", "lib.kdsl")
        self.run_("cc", "caller.c", "lib.o", "-o", "caller", f"-L{LLVM}", f"-Wl,-rpath,{LLVM}", "-l:libomptarget.so.22.1",
                  "-l:libomp.so.5", "-lm")
        self.assertEqual(self.run_("./caller"), "done\n")

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
