#!/usr/bin/env python3
"""Loops of launches, which one team of threads executes (runtime/team.c): the same results, failures and ends with any
number of threads, from several threads of a C program at once, and beside OpenMP of other languages. Usage: test_teams.py
KDSLC [unittest arguments]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
THREADS = ("1", "2", "3", "9")

# Launches of all sizes, from those that one thread executes to those that fork without a team; sums, loops that are left
# early, functions with loops of their own, a kernel that comes late, and a pause in which the other threads sleep.
PROGRAM = """kernel next(x: &[i64; n], y: &mut [i64; n], k: index) over i in n - k { y[i] = 3 * x[i] + x[i + k] % 5 + i64(k); }
kernel total(x: &[i64; n]) over i in n -> sum i64 { return x[i] % 1000; }
kernel count(x: &[i64; n], bins: &mut [i64; m]) over i in n { atomic bins[index(abs(x[i] % 16))] += 1; }
kernel late(x: &mut [i64; n]) over i in n { x[i] = x[i] % 1000003; }
kernel turn(x: &mut [i64; n]) over i in n by 64 {
    shared part: [i64; 64];
    part[i.local] = if inside { x[i] } else { 0 };
    barrier;
    if inside { x[i] += part[63 - i.local]; }
}

fn rounds(x: &mut [i64; n], y: &mut [i64; n], most: index) -> i64 {
    var sum = 0i64;
    for k in 1..most {
        offload next(&x, &mut y, k);
        if k % 7 == 3 { continue; }
        offload next(&y, &mut x, k / 2);
        sum += offload total(&x);
        if sum > 1000000000 { return -sum; }
        if k % 50 == 49 { offload turn(&mut x); }
    }
    return sum;
}

fn main() {
    for which in 4 {
        let n = if which == 0 { 40 } else if which == 1 { 700 } else if which == 2 { 5000 } else { 300000 };
        var x = [i64(i % 10) for i in n];
        var y = [0i64; n];
        var bins = [0i64; 16];
        var all = 0i64;
        for time in 3 {
            all += rounds(&mut x, &mut y, min(n, if n > 5000 { 20 } else { 200 }));
            var pause = 0.5;
            for i in if n == 700 { 20000000 } else { 10 } { pause = pause * (1.5 - pause); }
            if pause > 2.0 { print("never"); }
            if time == 2 {
                for again in 30 {
                    offload late(&mut x);
                    offload count(&x, &mut bins);
                    if again == 25 { break; }
                }
            }
        }
        print("{} {} {}", all, offload total(&x), bins);
    }
}
"""

# The check fails in a launch that has a team, in a function that the loop calls; or the program ends there.
FAILING = """kernel pick(at: &[i32; n], x: &[f64; m], y: &mut [f64; n]) over i in n { y[i] += x[at[i]]; }
kernel touch(y: &mut [f64; n]) over i in n { y[i] += 1.0; }
fn step(at: &mut [i32; n], x: &[f64; m], y: &mut [f64; n], k: i32, ends: bool) {
    if k == 150 && ends { exit(5); }
    if k == 150 { at[n / 2] = 7; }
    offload pick(&at, &x, &mut y);
}
export fn steps(at: &mut [i32; n], x: &[f64; m], y: &mut [f64; n], ends: bool) -> f64 {
    for k in 200 {
        offload touch(&mut y);
        step(&mut at, &x, &mut y, i32(k), ends);
    }
    return y[0];
}
"""
FAILING_MAIN = """fn main() {
    let x = [1.0, 2.0, 3.0];
    var at = [i32(i % 3) for i in 3000];
    var y = [0.0; 3000];
    print("{}", steps(&mut at, &x, &mut y, args()[0] == "ends"));
}
"""

CALLER = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib.h"
enum { N = 3000, CALLS = 6, THREADS = 3 };
static void *call(void *as) {
    static const double x[3] = {1, 2, 3};
    int32_t *at = malloc(sizeof *at * N);
    double *y = calloc(N, sizeof *y), result = 0;
    for (int c = 0; c < CALLS; c++) {
        int fails = c % 2;
        for (int i = 0; i < N; i++) at[i] = i % 3, y[i] = 0;
        int rc = steps(at, x, y, fails, N, 3, &result);
        if (fails != (rc != 0) || (!fails && result != 400)) printf("call %d: %d %g %s\\n", c, rc, result, kdsl_last_error());
    }
    free(at);
    free(y);
    return as;
}
int main(void) {
    pthread_t threads[THREADS];
    call(NULL);
    for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, call, NULL);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    printf("%.30s\\n", kdsl_last_error());
#pragma omp parallel num_threads(3)
    call(NULL);
    puts("done");
    return 0;
}
"""

# C code with OpenMP of its own in the loop gets its threads, though its runtime is libomp, too.
WITH_C = """extern "C" fn n_threads() -> i32;
kernel step(x: &mut [f64; n]) over i in n { x[i] += 1.0; }
export fn least_threads(x: &mut [f64; n]) -> i32 {
    var least = 1000i32;
    for k in 50 {
        for j in 30 {
            if x[0] > 9000.0 { assert x[0] < 9100.0; }
            offload step(&mut x);
        }
        least = min(least, n_threads());
    }
    return least;
}
"""
OPENMP = """
#include <stdint.h>
#include <stdio.h>
#include "program.h"
int32_t n_threads(void) {
    int32_t n = 0;
#pragma omp parallel num_threads(3)
#pragma omp atomic
    n++;
    return n;
}
int main(void) {
    static double x[200000];
    int32_t least = 0;
    int rc = least_threads(x, 200000, &least);
    printf("%d %d %g\\n", rc, (int)least, x[7]);
    x[0] = 9095;
    rc = least_threads(x, 200000, &least);
    printf("%d %d\\n", rc != 0, (int)n_threads());
    return 0;
}
"""


LATE = """kernel first(x: &mut [f64; n]) over i in n { x[i] += 1.0; }
kernel late(x: &mut [f64; n]) over i in n { x[i] += 2.0; }
fn main() {
    var x = [0.0; 200000];
    for k in 40 {
        offload first(&mut x);
        if k == 30 { offload late(&mut x); }
    }
    print("{}", i32(x[0]));
}
"""


class TeamTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def run_(self, *command, threads="2", env=None, status=0):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, KMP_BLOCKTIME="0", OMP_NUM_THREADS=threads, **(env or {})))
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout, done.stderr

    def build(self, text, *options):
        self.write("program.kdsl", text)
        self.run_(KDSLC, "--offload-arch=host", *options, "program.kdsl")

    def test_results(self):
        self.build(PROGRAM, "-O0")
        expected, _ = self.run_("./program", env={"KDSL_DIRECT": "off"})
        self.assertEqual(len(expected.splitlines()), 4)
        for options in ((), ("--vector=off",), ("--march=portable",)):
            self.build(PROGRAM, *options)
            for threads in THREADS:
                self.assertEqual(self.run_("./program", threads=threads), (expected, ""), f"{options} {threads}")

    def test_ends(self):
        self.build(FAILING + FAILING_MAIN)
        for threads in THREADS:
            out, err = self.run_("./program", "fails", threads=threads, status=3)
            self.assertEqual(out, "")
            self.assertIn("index 7 is out of bounds", err)
            self.assertIn("work item i = 1500", err)
            self.assertEqual(self.run_("./program", "ends", threads=threads, status=5), ("", ""))

    def test_calls_from_c(self):
        exits, spoils = "if k == 150 && ends { exit(5); }\n", "if k == 150 {"
        self.write("lib.kdsl", FAILING.replace(exits, "\n").replace(spoils, "if k == 150 && ends {"))
        self.write("caller.c", CALLER)
        self.run_(KDSLC, "--shared", "lib.kdsl", "-o", "lib.so", "--header=lib.h")
        self.run_("cc", "-O1", "-fopenmp", "caller.c", "./lib.so", "-o", "caller", "-pthread")
        for threads in THREADS:
            out, err = self.run_("./caller", threads=threads)
            self.assertEqual((out.splitlines()[-1], err), ("done", ""))
            self.assertEqual(len(out.splitlines()), 2, out)

    def test_other_openmp(self):
        self.write("caller.c", OPENMP)
        self.write("program.kdsl", WITH_C)
        self.run_(KDSLC, "--offload-arch=host", "-c", "program.kdsl", "-o", "program.o", "--header=program.h")
        flags = self.run_(KDSLC, "--print-link-flags")[0].split()
        self.run_("cc", "-O1", "-fopenmp", "caller.c", "program.o", "-l:libomp.so.5", *flags, "-o", "program")
        self.assertEqual(self.run_("./program"), ("0 3 1500\n1 3\n", ""))


    def test_first_launches(self):
        """A launch by way of libomptarget is not within the team's region, where libomp would give it one thread."""
        self.build(LATE)
        out, _ = self.run_("./program", env={"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "level %L of %N"})
        self.assertEqual(set(out.splitlines()), {"level 1 of 2", "42"})


if __name__ == "__main__":
    unittest.main()
