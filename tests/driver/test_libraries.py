#!/usr/bin/env python3
"""Libraries in a process that lives longer than they do, or has several: closed, compiled anew and opened again; two with
kernels of the same names; a program of KDSL that calls one; processes that fork; and how a process ends while launches
run. Usage: test_libraries.py KDSLC [unittest arguments]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
LLVM = "/usr/lib/llvm-22/lib"
RUNS_OF_A_RACE = 25     # one of four failed before

LIBRARY = """
export kernel total_NAME(x: &[f64; n]) over i in n -> sum f64 { return x[i] + VALUE.0; }
kernel total(x: &[f64; n]) over i in n -> sum f64 { return VALUE.0 * x[i]; }
kernel set(x: &out [f64; n]) over i in n { x[i] = VALUE.0; }
kernel more(x: &mut [f64; n], at: index) over i in n { x[i + at] += 1.0; }
export fn fill_NAME(x: &mut [f64; n]) -> f64 {
    offload set(&out x);
    offload async more(&mut x, 0);
    var y = [1.0; n];
    offload set(&out y);
    offload more(&mut y, 0);
    wait;
    x[0] += y[1];
    return offload total(&x);
}
export fn fail_NAME(x: &mut [f64; n], at: index) { offload async more(&mut x, at); }
"""

USE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { N = 60000 };
static double x[N];
typedef int32_t Total(const double *, int64_t, double *), Fill(double *, int64_t, double *), Fail(double *, int64_t, int64_t);

static void *take(void *library, const char *name) {
    void *f = dlsym(library, name);
    if (!f) puts(dlerror()), exit(1);
    return f;
}

static void *open_(const char *path, int mode) {
    void *library = dlopen(path, RTLD_NOW | mode);
    if (!library) puts(dlerror()), exit(1);
    return library;
}

static void check(int ok, const char *what) {
    if (!ok) printf("wrong: %s\\n", what), exit(1);
}

static void use(void *library, const char *name, double value) {
    char total_name[40], fill_name[40];
    double sum = 0;
    sprintf(total_name, "total_%s", name);
    sprintf(fill_name, "fill_%s", name);
    Total *total = (Total *)take(library, total_name);
    Fill *fill = (Fill *)take(library, fill_name);
    check(fill(x, N, &sum) == 0 && sum == value * (N * (value + 1) + value + 1), "fill");
    check(x[0] == 2 * (value + 1) && x[9] == value + 1, "elements");
    check(total(x, N, &sum) == 0 && sum == N * (value + 1) + value + 1 + N * value, "total");
}

static int child(void *library, const char *name, double value) {
    fflush(stdout);
    pid_t pid = fork();
    int status = 1;
    if (!pid) {
        use(library, name, value);
        exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}
"""

RELOAD = USE + """
int main(int argc, char **argv) {
    int mode = strcmp(argv[1], "global") ? 0 : RTLD_GLOBAL;
    for (int k = 1; k <= 6; k++) {
        char command[80];
        sprintf(command, "cp v%d.so new.so && mv new.so lib.so", k % 3 + 1);
        check(!system(command), command);
        void *library = open_("./lib.so", mode);
        use(library, "it", k % 3 + 1);
        check(!dlclose(library), "dlclose");
        check(!dlopen("./lib.so", RTLD_NOLOAD | RTLD_NOW), "the library is still there");
    }
    puts("done");
    return argc == 9;
}
"""

TWO = USE + """
int main(int argc, char **argv) {
    int mode = strcmp(argv[1], "global") ? 0 : RTLD_GLOBAL;
    void *one = open_("./one.so", mode), *two = open_("./two.so", mode);
    use(one, "one", 1);
    use(two, "two", 2);
    use(one, "one", 1);
    Fail *fail = (Fail *)take(one, "fail_one");
    const char *(*why)(void) = (const char *(*)(void))take(one, "kdsl_last_error");
    x[0] = 0;
    check(fail(x, N, 0) == 0 && fail(x, N, N) == 3 && strstr(why(), "60000"), "a failure in an asynchronous launch");
    check(child(two, "two", 2) == 0, "a child");
    check(!dlclose(one), "dlclose");
    use(two, "two", 2);
    check(child(two, "two", 2) == 0, "another child");
    use(two, "two", 2);
    puts("done");
    return argc == 9;
}
"""

STATIC = """
#include <stdint.h>
#include <stdio.h>
int32_t fill_one(double *, int64_t, double *), fill_two(double *, int64_t, double *);
static double x[60000];
int main(void) {
    double one, two;
    if (fill_one(x, 60000, &one) || fill_two(x, 60000, &two)) return 1;
    printf("%g %g\\n", one, two);
    return 0;
}
"""

CALLER = """
extern "C" fn total_one(x: &[f64; n], n_: index, sum: &out f64) -> i32;
kernel total(x: &[f64; n]) over i in n -> sum f64 { return 5.0 * x[i]; }
kernel set(x: &out [f64; n]) over i in n { x[i] = 5.0; }
fn main() {
    var x = [0.0; 60000];
    offload set(&out x);
    var sum = 0.0;
    assert total_one(&x, len(x), &out sum) == 0;
    print("{} {}", offload total(&x), sum);
}
"""

HOST_FAILS = """
kernel work(x: &mut [f64; n]) over i in n { for k in 200 { x[i] = x[i] * 0.5 + 1.0; } }
fn main() {
    var x = [1.0; 1000000];
    print("begin");
    offload async work(&mut x);
    offload async work(&mut x);
    let n = len(args());
    WAY
}
"""


class LibrariesTest(unittest.TestCase):
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

    def library(self, name, value, output, *options):
        self.write(f"{output}.kdsl", LIBRARY.replace("NAME", name).replace("VALUE", str(value)))
        self.run_(KDSLC, *options, f"{output}.kdsl")

    def c_program(self, text, *options):
        self.write("main.c", text)
        self.run_("gcc", "-O1", "-Wall", "main.c", *options, "-o", "main")

    def test_closed_and_opened_again(self):
        for value in (1, 2, 3):
            self.write("lib.kdsl", LIBRARY.replace("NAME", "it").replace("VALUE", str(value)))
            self.run_(KDSLC, "--shared", "lib.kdsl", "-o", f"v{value}.so")
        self.c_program(RELOAD)
        for mode in ("local", "global"):
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_("./main", mode, env=env), "done\n")

    def test_two_with_the_same_names(self):
        self.library("one", 1, "one", "--shared")
        self.library("two", 2, "two", "--shared")
        self.c_program(TWO)
        for mode in ("local", "global"):
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.run_("./main", mode, env=env), "done\n")

    def test_a_program_and_a_library(self):
        self.library("one", 1, "libone", "--shared")
        self.write("caller.kdsl", CALLER)
        self.run_(KDSLC, "caller.kdsl", "-L.", "-lone")
        self.assertEqual(self.run_("./caller", env={"LD_LIBRARY_PATH": str(self.dir)}), "1500000 360000\n")

    def test_two_objects(self):
        self.library("one", 1, "one", "-c")
        self.library("two", 2, "two", "-c")
        self.c_program(STATIC, "one.o", "two.o", f"-L{LLVM}", f"-Wl,-rpath,{LLVM}", "-l:libomptarget.so.22.1", "-lm")
        self.assertEqual(self.run_("./main"), "120002 360006\n")

    def test_names_that_a_library_shows(self):
        self.library("one", 1, "one", "--shared")
        names = {line.split()[-1] for line in self.run_("nm", "-D", "--defined-only", "one.so").splitlines()}
        self.assertEqual(names, {"total_one", "fill_one", "fail_one", "kdsl_last_error", "kdsl_error_report",
                                 "kdsl_keep", "kdsl_host", "kdsl_changed", "kdsl_release", "kdsl_device_pointer",
                                 "kdsl_kept"})

    def test_the_end_while_launches_run(self):
        for way, status, text in (('assert n > 0, "over";', 3, "over"),
                                  ("let x2 = [0; n]; print(\"{}\", x2[1]);", 3, "index 1"),
                                  ("exit(4);", 4, ""), ("exit(i32(n) + 5);", 5, "")):
            self.write("program.kdsl", HOST_FAILS.replace("WAY", way))
            self.run_(KDSLC, "program.kdsl")
            for _ in range(RUNS_OF_A_RACE if status == 3 else 3):
                out = self.run_("./program", status=status)
                self.assertTrue(out.startswith("begin\n") and text in out, out)

    def test_failures_without_a_place(self):
        self.write("program.kdsl", "kernel k(x: &out [f64; n]) over i in n { x[i] = 1.0; }\n"
                                   "fn main() { var x = [0.0; 9]; offload k(&out x); print(\"{}\", x[8]); }\n")
        self.run_(KDSLC, "program.kdsl")
        self.assertEqual(self.run_("./program", env={"KDSL_REQUIRE": "tpu"}, status=3),
                         "error: KDSL_REQUIRE must be `gpu`, not `tpu`\n")
        self.assertEqual(self.run_("./program", env={"KDSL_PRINT_BUFFER": "9"}), "1\n")

    def test_devices_without_a_launch(self):
        self.write("program.kdsl", 'fn main() { print("{} {}", device_name(0) != "", devices()); }\n')
        self.assertEqual(self.run_(KDSLC, "run", "program.kdsl"), "true 0\n")
        self.write("program.kdsl", 'fn main() { print("{}", device_name(-1)); }\n')
        self.assertIn("there is no device -1", self.run_(KDSLC, "run", "program.kdsl", status=3))


if __name__ == "__main__":
    unittest.main()
