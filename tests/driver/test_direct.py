#!/usr/bin/env python3
"""Launches on the CPU device that call the host version of a kernel instead of libomptarget: the same results, prints and
failures as through libomptarget, and none where somebody observes launches. Usage: test_direct.py KDSLC [unittest arguments]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
OFF = {"KDSL_DIRECT": "off"}

# On each of the first two devices; 12 launches of each of the six kernels.
PROGRAM = """kernel step(x: &mut [f64; n], by: f64) over i in n { x[i] += by; }
kernel total(x: &[f64; n]) over i in n -> sum f64 { return x[i]; }
kernel count(x: &[f64; n], bins: &mut [i32; m]) over i in n { atomic bins[i32(x[i]) % i32(m)] += 1; }
kernel turn(x: &mut [f64; n]) over i in n by 64 {
    shared part: [f64; 64];
    part[i.local] = if inside { x[i] } else { 0.0 };
    barrier;
    if inside { x[i] = 0.5 * (part[i.local] + part[63 - i.local]); }
}
kernel show(x: &[f64; n], k: i32) over i in n { if i == k { print("item {} is {}", i, x[i]); } }
kernel scaled(x: &mut [f64; n], y: &[f64; n], work: &scratch [f64; n]) over i in n {
    work[i] = y[i];
    x[i] += 0.001 * work[i];
}
fn main() {
    var x = [f64(i % 10) for i in 5000];
    var bins = [0i32; 7];
    let y = [f64(i % 3) for i in 5000];
    for k in 12 {
        let device = index(k) % 2;
        offload on device step(&mut x[0..400 * (index(k) + 1)], 0.5);
        offload async on device turn(&mut x);
        offload on device count(&x, &mut bins);
        offload on device show(&x, i32(k) * 100);
        offload on device scaled(&mut x, &y);
        print("{} {}", offload on device total(&x), bins);
    }
}
"""
KERNELS = ("step", "total", "count", "turn", "show", "scaled")
N_LAUNCHES, N_DEVICES = 12, 2

FAILING = """kernel pick(at: &[i32; n], x: &[f64; m], y: &mut [f64; n]) over i in n { y[i] = x[at[i]]; }
fn main() {
    let rounds = i32(args()[0]);
    let x = [1.0, 2.0, 3.0];
    var at = [i32(i % 3) for i in 2000];
    var y = [0.0; 2000];
    for k in rounds { offload pick(&at, &x, &mut y); }
    at[1500] = 7;
    offload pick(&at, &x, &mut y);
    print("not here");
}
"""

LIBRARY = """kernel pick(at: &[i32; n], x: &[f64; m], y: &mut [f64; n]) over i in n { y[i] = x[at[i]]; }
export fn picked(at: &[i32; n], x: &[f64; m], y: &mut [f64; n]) { offload pick(&at, &x, &mut y); }
"""

CALLER = """
#include <stdint.h>
#include <stdio.h>
#include "lib.h"
int main(void) {
    int32_t good[4] = {0, 1, 2, 0}, bad[4] = {0, 1, 9, 0};
    double x[3] = {1, 2, 3}, y[4] = {0};
    for (int i = 0; i < 3; i++) {
        int32_t first = picked(good, x, y, 4, 3), second = picked(bad, x, y, 4, 3);
        printf("%d %d %g %s\\n", (int)first, (int)second, y[3], kdsl_last_error());
    }
    return 0;
}
"""

# OMPT: the events and types of omp-tools.h.
TOOL = """
#include <stdint.h>
#include <stdio.h>
typedef void (*Function)(void);
static int n_launches;
static void on_target(int kind, int endpoint, int device, void *task, uint64_t id, const void *at) {
    n_launches += kind == 1 && endpoint == 1; /* ompt_target, ompt_scope_begin */
}
static int initialize(Function (*lookup)(const char *), int device, void *data) {
    int (*set)(int, Function) = (int (*)(int, Function))lookup("ompt_set_callback");
    set(8, (Function)on_target); /* ompt_callback_target */
    return 1;
}
static void finalize(void *data) { fprintf(stderr, "%d launches\\n", n_launches); }
static struct { int (*initialize)(Function (*)(const char *), int, void *); void (*finalize)(void *); uint64_t data; }
    tool = {initialize, finalize, 0};
void *ompt_start_tool(unsigned version, const char *runtime) { return &tool; }
"""

LARGE = """kernel big(x: &mut [f64; n]) over i in n {
    var a = [0.0; 2000];
    for k in 2000 { a[k] = f64(k + i) * 0.5; }
    x[i] += a[(i32(x[i]) * 7) % 2000];
}
fn main() {
    var x = [f64(i % 10) for i in 3000];
    offload big(&mut x[0..1]);
    for k in 5 { offload big(&mut x); }
    print("{}", x[1] > 0.0);
}
"""


class DirectTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def run_(self, *command, env=None, status=0):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=200,
                              env=dict(os.environ, KMP_BLOCKTIME="0", **(env or {})))
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout, done.stderr

    def build(self, text, *options):
        self.write("program.kdsl", text)
        self.run_(KDSLC, "--offload-arch=host", *options, "program.kdsl")

    def n_seen(self, env):
        """The launches of PROGRAM that libomptarget is to execute, as its last lines of information have them."""
        _, err = self.run_("./program", env={"LIBOMPTARGET_INFO": "-1", **env})
        return [err.count(f"Launching kernel kdsl_kernel_{name} ") for name in KERNELS]

    def test_results(self):
        for options in ((), ("-O0",), ("--march=portable",), ("--check=all",)):
            self.build(PROGRAM, *options)
            for threads in ("1", "4"):
                env = {"OMP_NUM_THREADS": threads}
                out, err = self.run_("./program", env=env)
                self.assertEqual(out.count("item "), N_LAUNCHES)
                self.assertEqual((out, err), self.run_("./program", env={**env, **OFF}))
                self.assertEqual((out, err), self.run_("./program", env={**env, "OMP_TARGET_OFFLOAD": "mandatory"}))

    def test_failing_checks(self):
        for options in ((), ("-O0",)):
            self.build(FAILING, *options)
            first = self.run_("./program", "0", status=3)
            self.assertIn("error: index 7 is out of bounds for `x`", first[1])
            for rounds in ("1", "2", "9"):
                self.assertEqual(self.run_("./program", rounds, status=3), first)
            self.assertEqual(self.run_("./program", "2", status=3, env=OFF), first)

    def test_failing_calls(self):
        self.write("lib.kdsl", LIBRARY)
        self.write("main.c", CALLER)
        self.run_(KDSLC, "--shared", "--offload-arch=host", "lib.kdsl", "--header=lib.h")
        self.run_("cc", "main.c", "./lib.so", "-o", "main")
        out, err = self.run_("./main")
        calls = out.split("0 3 1 ")[1:]
        self.assertEqual([len(calls), len(set(calls)), err], [3, 1, ""], out)
        self.assertEqual((out, err), self.run_("./main", env=OFF))

    def test_observers_see_every_launch(self):
        self.build(PROGRAM)
        self.assertEqual(self.n_seen({}), [N_LAUNCHES] * len(KERNELS))
        _, err = self.run_("./program", env={"KDSL_REPORT": "1"})
        times = [line.split()[2] for line in err.splitlines() if line.startswith(KERNELS) and line.split()[2] == "6"]
        self.assertEqual(len(times), N_DEVICES * len(KERNELS), err)
        self.run_("./program", env={"KDSL_TRACE": "trace.json"})
        self.assertGreaterEqual((self.dir / "trace.json").read_text().count('"async":false'), 5 * N_LAUNCHES)

    def test_tools_see_every_launch(self):
        self.build(PROGRAM)
        self.write("tool.c", TOOL)
        self.run_("cc", "-shared", "-fPIC", "tool.c", "-o", "tool.so")
        tool, counted = {"OMP_TOOL_LIBRARIES": str(self.dir / "tool.so")}, f"{N_LAUNCHES * len(KERNELS)} launches\n"
        expected, _ = self.run_("./program")
        self.assertEqual(self.run_("./program", env=tool), (expected, counted))
        self.assertEqual(self.run_("./program", env={**tool, "OMP_TOOL": "disabled"}), (expected, ""))

    def test_one_message_about_stacks(self):
        self.build(LARGE)
        self.assertEqual(self.run_("./program"), ("true\n", ""))
        _, err = self.run_("./program", env={"OMP_STACKSIZE": "64k", "OMP_NUM_THREADS": "4"})
        self.assertRegex(err, "^OMP_STACKSIZE: threads have a stack of [0-9]+ KiB, .* it runs on one thread\n$")


if __name__ == "__main__":
    unittest.main()
