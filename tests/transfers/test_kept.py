#!/usr/bin/env python3
"""Arrays that C callers keep on the device from call to call: what is copied then, that exported functions of every kind
find the newest elements, in two libraries and beside OpenMP's own table, with threads, and what failures look like.
Each program runs with separate memory, with stale copies poisoned, in place, and without a device.
Usage: test_kept.py KDSLC [unittest arguments]"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import copies  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
OMPTARGET = "/usr/lib/llvm-22/lib"
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", KDSLC.parent.parent)) / "mock"
WAYS = [{"KDSL_MEMORY": "separate"}, {"KDSL_POISON": "1"}, {}, {"OMP_TARGET_OFFLOAD": "disabled"}]

HEAT = """
export kernel step(u: &[f64; n], v: &out [f64; n]) over i in n {
    v[i] = if i == 0 || i == n - 1 { u[i] } else { 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1] };
}
export fn steps(u: &mut [f64; n], v: &mut [f64; n], rounds: index) {
    for s in rounds {
        offload step(&u, &out v);
        offload step(&v, &out u);
    }
}
kernel mark(u: &mut [f64; n], at: &[i64; m], v: f64) over i in m { u[at[i]] = v; }
export fn marked(u: &mut [f64; n], at: &[i64; m], v: f64) -> f64 {
    offload mark(&mut u, &at, v);
    return u[0];
}
export fn source(u: &mut [f64; n], v: f64) { u[n / 2] += v; }
export fn clear(u: &out [f64; n]) { for i in n { u[i] = 0.0; } }
export fn total(u: &[f64; n]) -> f64 {
    var sum = 0.0;
    for i in n { sum += u[i]; }
    return sum;
}
export fn first(u: &mut [f64; n], v: &mut [f64; n]) -> f64 {
    let before = u[0];
    u[0] = before + 1.0;
    offload step(&u, &out v);
    return before + v[0];
}
"""
OTHER = """
export kernel scale(u: &mut [f64; n], by: f64) over i in n { u[i] *= by; }
export kernel sum(u: &[f64; n]) over i in n -> sum f64 { return u[i]; }
"""
BEGIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heat.h"
#include "other.h"
enum { N = 1000 };
static double u[N], v[N], r;
static int64_t at[2] = {3, 900};
#define OK(call) do { if (call) { printf("%s: %s\n", #call, kdsl_last_error()); return 1; } } while (0)
static void say(const char *what) { fprintf(stderr, "begin %s\n", what); fflush(stderr); }
"""
ALL = BEGIN + r"""
int main(void) {
    for (int i = 0; i < N; i++) u[i] = i % 7;
    say("keep");
    OK(kdsl_keep(u, sizeof u));
    OK(kdsl_keep(v, sizeof v));
    say("launch alone");
    OK(step(u, v, N)); OK(step(v, u, N));
    say("launches");
    OK(steps(u, v, 3, N)); OK(steps(u, v, 3, N));
    say("check");
    OK(marked(u, at, 100.0, N, 2, &r)); printf("%.4f ", r);
    say("host code");
    OK(source(u, 5.0, N));
    say("host code reads");
    OK(total(u, N, &r)); printf("%.4f ", r);
    say("both");
    OK(first(u, v, N, &r)); printf("%.4f ", r);
    say("part");
    OK(scale(u + 10, 2.0, 5));
    say("other library");
    OK(scale(u, 0.5, N)); OK(sum(u, N, &r)); printf("%.4f ", r);
    say("host");
    OK(kdsl_host(u)); printf("%.4f %.4f %.4f ", u[0], u[12], u[900]);
    say("changed");
    u[1] = 7.0;
    OK(kdsl_changed(u));
    OK(steps(u, v, 1, N));
    say("clear");
    OK(clear(v, N));
    say("release");
    OK(kdsl_release(u)); OK(kdsl_release(v));
    printf("%.4f %.4f\n", u[1], v[900]);
    say("without");
    OK(steps(u, v, 1, N)); printf("%.4f\n", u[1]);
    return 0;
}
"""
MOVES = {
    "keep": ["to", "to"], "launch alone": [], "launches": [], "check": ["to at", "to slot", "from slot", "from part"],
    "host code": ["from", "to"], "host code reads": ["from"], "both": ["from part", "to part", "from part"], "part": [],
    "other library": ["from result"], "host": ["from"], "changed": ["to"], "clear": ["to"], "release": ["from", "from"],
    "without": ["to", "from", "from"],
}
FAILURES = BEGIN + r"""
static void fails(int status) { printf("%d %s\n", status, kdsl_last_error()); }
int main(void) {
    fails(kdsl_keep(u, -1));
    fails(kdsl_keep(NULL, 8));
    fails(kdsl_keep(u, 800));
    fails(kdsl_keep(u + 50, 800));
    fails(kdsl_host(v));
    fails(kdsl_changed(v));
    fails(kdsl_release(u + 100));
    printf("%d\n", kdsl_device_pointer(v) == NULL);
    fails(total(u, N, &r));
    fails(kdsl_keep(u, 800));
    fails(kdsl_release(u)); fails(kdsl_host(u)); fails(kdsl_release(u)); fails(kdsl_release(u));
    fails(total(u, N, &r));
    return 0;
}
"""
OPENMP = BEGIN + r"""
int omp_get_num_devices(void), omp_get_default_device(void);
void *omp_target_alloc(size_t, int);
int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int);
int omp_target_memcpy(void *, const void *, size_t, size_t, size_t, int, int), omp_get_initial_device(void);
int main(void) {
    if (!omp_get_num_devices()) return puts("no device"), 0;
    int device = omp_get_default_device(), host = omp_get_initial_device();
    for (int i = 0; i < N; i++) u[i] = 1, v[i] = -1;
    double *there = omp_target_alloc(sizeof u, device);
    omp_target_memcpy(there, u, sizeof u, 0, 0, device, host);
    omp_target_associate_ptr(u, there, sizeof u, 0, device);
    if (kdsl_device_pointer(u) != there && kdsl_device_pointer(u) != u) return puts("elsewhere"), 1;
    memset(u, 0, sizeof u);
    say("associated");
    OK(steps(u, v, 2, N)); OK(steps(u, v, 2, N));
    OK(total(u, N, &r));
    printf("%g %g %g\n", r, u[500], v[500]);
    return 0;
}
"""
THREADS = BEGIN + r"""
#include <pthread.h>
static double shared[N];
static void *work(void *number) {
    static char failed;
    double *mine = calloc(N, sizeof *mine), *other = calloc(N, sizeof *other), sum;
    for (int call = 0; call < 100; call++) {
        for (int i = 0; i < N; i++) mine[i] = (long)number;
        if (kdsl_keep(mine, N * sizeof *mine)) return &failed;
        if (steps(mine, other, 1, N) || steps(mine, other, 1, N)) return &failed;
        if (total(shared, N, &sum) || sum != N) return &failed;
        if (total(mine, N, &sum) || sum != (double)N * (long)number) return &failed;
        if (kdsl_release(mine) || mine[7] != (long)number) return &failed;
    }
    free(mine); free(other);
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    int n_failed = 0;
    for (int i = 0; i < N; i++) shared[i] = 1;
    if (kdsl_keep(shared, sizeof shared)) return 1;
    for (long t = 0; t < 4; t++) pthread_create(&threads[t], NULL, work, (void *)(t + 1));
    for (int t = 0; t < 4; t++) {
        void *failed;
        pthread_join(threads[t], &failed);
        n_failed += failed != NULL;
    }
    printf("%d %d\n", n_failed, kdsl_release(shared));
    return 0;
}
"""

CUDA = BEGIN + r"""
#include <dlfcn.h>
int main(void) {
    OK(steps(u, v, 1, N)); /* the driver is there now */
    void *cuda = dlopen("libcuda.so", RTLD_NOW);
    int (*alloc)(double **, size_t) = (int (*)(double **, size_t))dlsym(cuda, "cuMemAlloc_v2");
    int (*to)(double *, const void *, size_t) = (int (*)(double *, const void *, size_t))dlsym(cuda, "cuMemcpyHtoD_v2");
    int (*from)(void *, double *, size_t) = (int (*)(void *, double *, size_t))dlsym(cuda, "cuMemcpyDtoH_v2");
    double *a, *b;
    for (int i = 0; i < N; i++) u[i] = i % 7;
    if (alloc(&a, sizeof u) || alloc(&b, sizeof u) || to(a, u, sizeof u)) return 1;
    memset(u, 0, sizeof u);
    say("launch alone");
    OK(step(a, b, N)); OK(step(b, a, N));
    say("launches");
    OK(steps(a, b, 2, N));
    say("host code");
    OK(source(a, 5.0, N)); OK(total(a, N, &r)); printf("%.4f ", r);
    say("both");
    OK(first(a, b, N, &r)); printf("%.4f ", r);
    say("back");
    if (from(u, a, sizeof u)) return 1;
    printf("%.4f\n", u[500]);
    return 0;
}
"""
FORTRAN = """
program caller
    use iso_c_binding
    implicit none
    interface
        function keep(array, bytes) bind(c, name="kdsl_keep") result(status)
            import :: c_int32_t, c_int64_t, c_ptr
            type(c_ptr), value :: array
            integer(c_int64_t), value :: bytes
            integer(c_int32_t) :: status
        end function
        function host(array) bind(c, name="kdsl_host") result(status)
            import :: c_int32_t, c_ptr
            type(c_ptr), value :: array
            integer(c_int32_t) :: status
        end function
        function release(array) bind(c, name="kdsl_release") result(status)
            import :: c_int32_t, c_ptr
            type(c_ptr), value :: array
            integer(c_int32_t) :: status
        end function
        function steps(u, v, rounds, n) bind(c) result(status)
            import :: c_double, c_int32_t, c_int64_t
            integer(c_int64_t), value :: rounds, n
            real(c_double), intent(inout) :: u(n), v(n)
            integer(c_int32_t) :: status
        end function
    end interface
    integer(c_int64_t), parameter :: n = 100
    real(c_double), target :: u(n), v(n)
    integer :: i
    u = 0
    u(50) = 1
    if (keep(c_loc(u), 8 * n) /= 0 .or. keep(c_loc(v), 8 * n) /= 0) stop 1
    do i = 1, 10
        if (steps(u, v, 1_c_int64_t, n) /= 0) stop 2
    end do
    if (host(c_loc(u)) /= 0) stop 3
    print '(f8.6,1x,f8.6)', u(50), sum(u)
    if (release(c_loc(u)) /= 0 .or. release(c_loc(v)) /= 0) stop 4
end program
"""


def step(u):
    return [u[i] if i in (0, len(u) - 1) else 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1] for i in range(len(u))]


class KeptTest(unittest.TestCase):
    def sh(self, *command, env=None):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "KMP_BLOCKTIME": "0", **(env or {})})
        self.assertEqual(done.returncode, 0, f"{command} {env}\n{done.stdout}{done.stderr}")
        return done

    def build(self, caller, compiler=("gcc",), name="caller.c", *libraries, flags=()):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        for library, text in (("heat", HEAT), ("other", OTHER)):
            (self.dir / f"{library}.kdsl").write_text(text)
            self.sh(KDSLC, "--shared", *flags, f"{library}.kdsl", "-o", f"{library}.so", env={"KDSL_PTXAS": ""})
            (self.dir / f"{library}.h").write_text(self.sh(KDSLC, "--emit=header", f"{library}.kdsl").stdout)
        (self.dir / name).write_text(caller)
        self.sh(*compiler, "-Wall", "-Werror", "-Wno-unused", name, "./heat.so", "./other.so", "-Wl,-rpath,.", "-pthread", *libraries,
                "-o", "caller")

    def expected(self):
        """What the functions mean, in Python."""
        u = [float(i % 7) for i in range(1000)]
        for _ in range(2 + 12):
            u = step(u)
        u[3] = u[900] = 100.0
        said = [u[0]]
        u[500] += 5.0
        said += [sum(u)]
        said += [u[0] + u[0] + 1.0]
        u[0] += 1.0
        for i in range(10, 15):
            u[i] *= 2.0
        u = [0.5 * x for x in u]
        said += [sum(u), u[0], u[12], u[900]]
        u[1] = 7.0
        u = step(step(u))
        first = " ".join(f"{x:.4f}" for x in said + [u[1], 0.0])
        return f"{first}\n{step(step(u))[1]:.4f}\n"

    def moved(self, stderr):
        """By section of the program: "to x", "from x" with the name in libomptarget's messages."""
        found, now = {}, None
        for line in stderr.splitlines():
            if line.startswith("begin "):
                now = found.setdefault(line[6:], [])
            elif now is not None and "Copying data from host to device" in line:
                now.append("to")
            elif now is not None and "Copying data from device to host" in line:
                now.append("from")
        return found

    def test_everything(self):
        self.build(ALL)
        for env in WAYS:
            with self.subTest(env=env):
                self.assertEqual(self.sh("./caller", env=env).stdout, self.expected())

    def test_what_is_copied(self):
        self.build(ALL)
        found = self.moved(self.sh("./caller", env={"KDSL_MEMORY": "separate", "LIBOMPTARGET_INFO": "-1"}).stderr)
        self.assertEqual(found, {at: [move.split()[0] for move in moves] for at, moves in MOVES.items()})
        found = self.moved(self.sh("./caller", env={"LIBOMPTARGET_INFO": "-1"}).stderr)
        self.assertFalse(any(moves for at, moves in found.items() if at != "other library"), found)

    def test_failures(self):
        self.build(FAILURES)
        said = self.sh("./caller", env={"KDSL_MEMORY": "separate"}).stdout.splitlines()
        self.assertEqual(len(said), 15, said)
        for line, want in zip(said, ["-1 bytes", "the address is NULL", "0 ", "overlap another array, of 800 bytes", "no array is kept",
                                     "no array is kept", "no array is kept", "1", "only a part of `u` is on device 0",
                                     "0 ", "0 ", "0 ", "0 ", "no array is kept", "0 "]):
            self.assertIn(want, line)

    def test_arrays_of_openmp(self):
        self.build(OPENMP, ("gcc",), "caller.c", f"-L{OMPTARGET}", f"-Wl,-rpath,{OMPTARGET}", "-lomptarget", "-lomp")
        done = self.sh("./caller", env={"KDSL_MEMORY": "separate", "LIBOMPTARGET_INFO": "-1"})
        self.assertNotIn("re-associate", done.stdout + done.stderr)
        self.assertEqual(done.stdout.split()[0], "1000")

    def test_addresses_on_the_device(self):
        """Of cudaMalloc, with a driver whose addresses the host cannot touch; the PTX is run by an interpreter."""
        self.build(CUDA, ("gcc",), "caller.c", flags=["--offload-arch=sm_90"])
        done = self.sh("./caller", env={"LD_LIBRARY_PATH": str(MOCK / "nvidia"), "KDSL_MOCK_RUN": "1",
                                        "LIBOMPTARGET_INFO": "-1"})
        u = [float(i % 7) for i in range(1000)]
        for _ in range(6):
            u = step(u)
        u[500] += 5.0
        self.assertEqual(done.stdout, f"{sum(u):.4f} {2 * u[0] + 1:.4f} {u[500]:.4f}\n")
        found = self.moved(done.stderr)
        self.assertEqual(found["launch alone"] + found["launches"], [])
        self.assertEqual(found["host code"], ["from", "to", "from"])

    def test_threads(self):
        self.build(THREADS)
        for env in WAYS:
            with self.subTest(env=env):
                self.assertEqual(self.sh("./caller", env=env).stdout, "0 0\n")

    def test_from_cxx(self):
        self.build(ALL, ("g++",), "caller.cpp")
        self.assertEqual(self.sh("./caller", env=WAYS[0]).stdout, self.expected())

    def test_from_fortran(self):
        self.build(FORTRAN, ("gfortran",), "caller.f90")
        u = [float(i == 49) for i in range(100)]
        for _ in range(20):
            u = step(u)
        for env in WAYS:
            done = self.sh("./caller", env={**env, "LIBOMPTARGET_INFO": "-1"})
            self.assertEqual(done.stdout.split(), [f"{u[49]:.6f}", f"{sum(u):.6f}"])
            self.assertLessEqual(done.stderr.count("Copying data from"), 5)


if __name__ == "__main__":
    unittest.main(verbosity=1)
