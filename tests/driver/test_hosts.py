#!/usr/bin/env python3
"""Host programs that nobody here wrote, with threads of their own: C, C++ and Fortran with gcc's OpenMP, C with clang's,
Python with NumPy and the threads of its OpenBLAS. All call the same exported kernels, from one thread and from all, with
the library linked, opened before and after their OpenMP, opened in every way that dlopen knows, or linked as an object;
and what the kernels give is compared with what the host works out itself. The numbers are whole: all sums are exact.
Usage: test_hosts.py KDSLC [unittest arguments]"""
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
BLAS = Path("/usr/lib/x86_64-linux-gnu")
PYTHON = "/usr/bin/python3"     # Debian's, for which its package of NumPy is

KERNELS = """
export kernel bump(y: &mut [f64; n]) over i in n { y[i] += 1.0; }
export kernel total(x: &[f64; n]) over i in n -> sum f64 { return x[i]; }
export kernel tally(x: &[i32; n], counts: &mut [i32; k]) over i in n { atomic counts[x[i]] += 1; }
export kernel blur(x: &[f64; n, m], y: &out [f64; n, m]) over i in n, j in m {
    y[i, j] = x[i, j] + (if i > 0 { x[i - 1, j] } else { 0.0 }) + (if j > 0 { x[i, j - 1] } else { 0.0 });
}
export kernel steps(x: &[i64; n], y: &mut [i32; n]) over i in n {      // uneven: threads take it in chunks
    var v = x[i];
    while v != 1 {
        v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
        y[i] += 1;
    }
}
export fn pass(x: &mut [f64; n], rounds: index) {                      // stays on the device between launches
    for r in rounds { offload bump(&mut x); }
}
"""

# The body of every C and C++ program: returns how many results differ from what it works out itself.
CHECKS = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 60000, BINS = 7, ROWS = 150, COLUMNS = 400 };

static int wrong(void) {
    double *x = (double *)malloc(N * sizeof *x), *y = (double *)malloc(N * sizeof *y), sum = 0, expected = 0;
    int32_t *bins = (int32_t *)malloc(N * sizeof *bins), counts[BINS] = {0}, many[BINS] = {0}, failed = 0;
    int64_t *v = (int64_t *)malloc(N * sizeof *v);
    int32_t *n_steps = (int32_t *)calloc(N, sizeof *n_steps);
    for (int i = 0; i < N; i++) {
        x[i] = i % 10;
        expected += i % 10;
        bins[i] = i * 3 % BINS;
        many[bins[i]]++;
        v[i] = i % 97 + 1;
    }
    failed += total(x, N, &sum) != 0 || sum != expected;
    failed += bump(x, N) != 0;
    for (int i = 0; i < N; i++) failed += x[i] != i % 10 + 1;
    failed += tally(bins, counts, N, BINS) != 0 || memcmp(counts, many, sizeof many);
    failed += blur(x, y, ROWS, COLUMNS) != 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            failed += y[i * COLUMNS + j] != x[i * COLUMNS + j] + (i ? x[(i - 1) * COLUMNS + j] : 0) +
                                                (j ? x[i * COLUMNS + j - 1] : 0);
    failed += steps(v, n_steps, N) != 0;
    for (int i = 0; i < N; i++) {
        int n = 0;
        for (int64_t w = v[i]; w != 1; w = w % 2 ? 3 * w + 1 : w / 2) n++;
        failed += n != n_steps[i];
    }
    failed += pass(x, 3, N) != 0;
    for (int i = 0; i < N; i++) failed += x[i] != i % 10 + 4;
    free(x), free(y), free(bins), free(v), free(n_steps);
    return failed;
}

/* The host's own threads: they have to be as many as before, and find their own numbers. */
static int own_threads(void) {
    int members = 0, numbers = 0;
#ifdef _OPENMP
    #pragma omp parallel num_threads(3) reduction(+ : members, numbers)
    {
        members += 1;
        numbers += omp_get_thread_num();
    }
    return members == 3 && numbers == 3;
#else
    return members == numbers;
#endif
}

static int all_wrong(void) {
    int failed = wrong();
#ifdef _OPENMP
    #pragma omp parallel num_threads(3) reduction(+ : failed)
    failed += wrong();
#endif
    return failed;
}
"""

LINKED = """
#ifdef _OPENMP
#include <omp.h>
#endif
#include "lib.h"
""" + CHECKS + """
int main(void) {
    int before = own_threads(), failed = all_wrong();
    printf("%s\\n", failed || !before || !own_threads() ? "wrong" : "right");
    return 0;
}
"""

# argv: how to open the library, and whether before or after the host's first parallel region.
OPENED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#ifdef _OPENMP
#include <omp.h>
#endif
static int32_t (*bump)(double *, int64_t), (*total)(const double *, int64_t, double *),
    (*tally)(const int32_t *, int32_t *, int64_t, int64_t), (*blur)(const double *, double *, int64_t, int64_t),
    (*steps)(const int64_t *, int32_t *, int64_t), (*pass)(double *, int64_t, int64_t);
""" + CHECKS + """
static void *take(void *library, const char *name) {
    void *f = dlsym(library, name);
    if (!f) printf("%s\\n", dlerror()), exit(1);
    return f;
}

int main(int argc, char **argv) {
    int after = argc > 2 && strcmp(argv[2], "after") == 0, mode = RTLD_NOW, fine = 1;
    if (strstr(argv[1], "global")) mode |= RTLD_GLOBAL;
    if (strstr(argv[1], "deep")) mode |= RTLD_DEEPBIND;
    if (after) fine = own_threads();
    void *library = dlopen("./lib.so", mode);
    if (!library) printf("%s\\n", dlerror()), exit(1);
    *(void **)&bump = take(library, "bump");
    *(void **)&total = take(library, "total");
    *(void **)&tally = take(library, "tally");
    *(void **)&blur = take(library, "blur");
    *(void **)&steps = take(library, "steps");
    *(void **)&pass = take(library, "pass");
    int failed = all_wrong();
    printf("%s\\n", failed || !fine || !own_threads() ? "wrong" : "right");
    return 0;
}
"""

FORTRAN = """
program host
    use iso_c_binding
    use omp_lib
    implicit none
    interface
        function bump(y, n) bind(c) result(status)
            import :: c_double, c_int64_t, c_int32_t
            real(c_double), intent(inout) :: y(*)
            integer(c_int64_t), value :: n
            integer(c_int32_t) :: status
        end function
        function total(x, n, sum) bind(c) result(status)
            import :: c_double, c_int64_t, c_int32_t
            real(c_double), intent(in) :: x(*)
            integer(c_int64_t), value :: n
            real(c_double), intent(out) :: sum
            integer(c_int32_t) :: status
        end function
        function tally(x, counts, n, k) bind(c) result(status)
            import :: c_int64_t, c_int32_t
            integer(c_int32_t), intent(in) :: x(*)
            integer(c_int32_t), intent(inout) :: counts(*)
            integer(c_int64_t), value :: n, k
            integer(c_int32_t) :: status
        end function
    end interface
    integer(c_int64_t), parameter :: n = 60000
    integer :: failed, threads
    failed = wrong()
    threads = 0
    !$omp parallel num_threads(3) reduction(+:failed, threads)
    failed = failed + wrong()
    threads = threads + omp_get_thread_num()
    !$omp end parallel
    if (failed == 0 .and. threads == 3) then
        print "(a)", "right"
    else
        print "(a)", "wrong"
    end if
contains
    function wrong() result(failed)
        integer :: failed
        integer(c_int64_t) :: i
        integer(c_int32_t) :: status, counts(7), many(7)
        real(c_double), allocatable :: x(:)
        integer(c_int32_t), allocatable :: bins(:)
        real(c_double) :: all
        x = [(real(mod(i, 10_c_int64_t), c_double), i = 1, n)]
        bins = [(int(mod(3 * i, 7_c_int64_t), c_int32_t), i = 1, n)]
        many = [(int(count(bins == i)), i = 0, 6)]
        counts = 0
        failed = 0
        status = total(x, n, all)
        if (status /= 0 .or. all /= sum(x)) failed = failed + 1
        status = bump(x, n)
        if (status /= 0 .or. any(x /= [(mod(i, 10_c_int64_t) + 1, i = 1, n)])) failed = failed + 1
        status = tally(bins, counts, n, 7_c_int64_t)
        if (status /= 0 .or. any(counts /= many)) failed = failed + 1
    end function
end program
"""

NUMPY = """
import ctypes
import sys
import threading
import numpy

N = 60000
a = numpy.arange(250000.0).reshape(500, 500) % 7


def product():                      # large enough for OpenBLAS to use its threads
    return int((a @ a).sum())


def check(wrong):
    x = numpy.arange(N) % 10 + 0.0
    bins = numpy.arange(N, dtype=numpy.int32) * 3 % 7
    counts = numpy.zeros(7, numpy.int32)
    r = ctypes.c_double()
    at = lambda v: ctypes.c_void_p(v.ctypes.data)
    n = ctypes.c_int64
    for _ in range(3):
        if lib.total(at(x), n(N), ctypes.byref(r)) or r.value != x.sum(): wrong.append("total")
        was = x.copy()
        if lib.bump(at(x), n(N)) or (x != was + 1).any(): wrong.append("bump")
        counts[:] = 0
        if lib.tally(at(bins), at(counts), n(N), n(7)) or (counts != numpy.bincount(bins)).any(): wrong.append("tally")
        if product() != expected: wrong.append("product")


wrong = []
if sys.argv[1] == "after": expected = product()
lib = ctypes.CDLL("./lib.so")
if sys.argv[1] == "before":
    lib.bump(None, ctypes.c_int64(0))
    expected = product()
check(wrong)
threads = [threading.Thread(target=check, args=(wrong,)) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
if product() != expected: wrong.append("product at the end")
print(wrong or "right", [line.split("/")[-1].strip() for line in open("/proc/self/maps") if "openblas" in line][:1] != [])
"""


class HostsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        for name, text in (("lib.kdsl", KERNELS), ("linked.c", LINKED), ("opened.c", OPENED), ("host.f90", FORTRAN),
                           ("host.py", NUMPY)):
            (cls.dir / name).write_text(text)
        for command in ((KDSLC, "--emit=header", "lib.kdsl", "-o", "lib.h"), (KDSLC, "--shared", "lib.kdsl"),
                        (KDSLC, "-c", "lib.kdsl")):
            subprocess.run(command, cwd=cls.dir, check=True)

    def run_(self, *command, env=None):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True,
                              timeout=300,
                              env=dict(os.environ, KMP_BLOCKTIME="0", OMP_WAIT_POLICY="passive", **(env or {})))
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def right(self, *command, env=None):
        with self.subTest(command=command, env=env):
            self.assertEqual(self.run_(*command, env=env), "right\n")

    def test_linked(self):
        for compiler, options in (("gcc", ["-fopenmp"]), ("g++", ["-x", "c++", "-fopenmp"]), ("gcc", []),
                                  ("clang-22", ["-fopenmp", f"-L{LLVM}"])):
            for order in parts.first((["./lib.so"], ["-Wl,--no-as-needed", "-lgomp", "./lib.so"])):
                self.run_(compiler, "-O1", *options, "linked.c", "-x", "none", *order, "-o", "linked")
                for env in ({}, {"LD_PRELOAD": "libgomp.so.1"}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                    self.right("./linked", env=env)

    @parts.exhaustive
    def test_opened(self):
        self.run_("gcc", "-O1", "-fopenmp", "opened.c", "-o", "opened")
        self.run_("clang-22", "-O1", "-fopenmp", f"-L{LLVM}", "opened.c", "-o", "opened-clang")
        for mode in ("local", "global", "local+deep"):
            for when in ("before", "after"):
                self.right("./opened", mode, when)
        for when in ("before", "after"):
            self.right("./opened-clang", "local", when)
            self.right("./opened", "global", when, env={"LD_PRELOAD": "libgomp.so.1", "OMP_TARGET_OFFLOAD": "disabled"})

    def test_object(self):
        offloading = [f"-L{LLVM}", f"-Wl,-rpath,{LLVM}", "-l:libomptarget.so.22.1"]
        for order in parts.first((["lib.o", *offloading], ["-Wl,--no-as-needed", "-lgomp", "lib.o", *offloading],
                      ["lib.o", *offloading, "-l:libomp.so.5"], ["lib.o", "-Wl,--as-needed", *offloading])):
            self.run_("gcc", "-O1", "-fopenmp", "linked.c", *order, "-lm", "-o", "linked")
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.right("./linked", env=env)

    @parts.quick
    def test_fortran(self):
        self.run_("gfortran", "-O1", "-fopenmp", "host.f90", "./lib.so", "-o", "fortran")
        for env in ({}, {"LD_PRELOAD": "libgomp.so.1"}, {"OMP_TARGET_OFFLOAD": "disabled"}):
            self.right("./fortran", env=env)

    def test_numpy(self):
        for flavour in parts.first(("openblas-pthread", "openblas-openmp")):
            self.assertTrue((BLAS / flavour).exists(), f"there is no {flavour}: ./dev setup installs it")
            for when in ("before", "after"):
                with self.subTest(flavour=flavour, when=when):
                    out = self.run_(PYTHON, "host.py", when, env={"LD_LIBRARY_PATH": str(BLAS / flavour)})
                    self.assertEqual(out, "right True\n")

    @parts.quick
    def test_sessions(self):
        lines = ("kernel bump(y: &mut [f64; n]) over i in n { y[i] += 1.0; }\nvar y = [1.0; 60000];\n"
                 "offload bump(&mut y);\nvar sum = 0.0;\nfor i in 60000 { sum += y[i]; }\nsum\n")
        for env in ({}, {"LD_PRELOAD": "libgomp.so.1"}):
            done = subprocess.run([KDSLC, "repl"], cwd=self.dir, input=lines, capture_output=True, text=True,
                                  timeout=300,
                                  env=dict(os.environ, KMP_BLOCKTIME="0", **env))
            self.assertEqual((done.stdout, done.stderr), ("120000 : f64\n", ""))

    def open_names(self, path):
        """What it leaves to the loader, without the names of the C library, which carry its version."""
        lines = self.run_("nm", "-D", "--undefined-only", path).splitlines()
        return {line.split()[-1] for line in lines if "@GLIBC_" not in line} - {"__gmon_start__", "__tls_get_addr"}

    @parts.quick
    def test_names_left_open(self):
        """A name without a version belongs to the first library of the process that has it."""
        (self.dir / "program.kdsl").write_text(KERNELS + "fn main() { var y = [0.0; 60000]; pass(&mut y, 2); }\n")
        self.run_(KDSLC, "program.kdsl")
        for path in ("lib.so", "program"):
            self.assertEqual(self.open_names(path), {"__tgt_register_lib@VERS1.0"})
        whole = (self.dir / "program").read_bytes()
        (self.dir / "image").write_bytes(whole[whole.index(b"\x7fELF", 4):])
        self.assertEqual(self.open_names("image"), set())


if __name__ == "__main__":
    unittest.main()
