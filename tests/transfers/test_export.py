#!/usr/bin/env python3
"""What is copied when C calls exported functions: arrays come from outside and go back complete, once per call.
Usage: test_export.py KDSLC [unittest arguments]"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import copies  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()

EXPORTS = """
kernel add(x: &[f64; n], y: &mut [f64; n]) over i in n { y[i] += x[i]; }
kernel place(at: &[i64; n], y: &mut [f64; n], v: f64) over i in n { y[at[i]] = v; }
export kernel saxpy(a: f64, x: &[f64; n], y: &mut [f64; n]) over i in n { y[i] += a * x[i]; }
export fn advance(x: &[f64; n], y: &mut [f64; n], rounds: index) {
    for s in rounds { offload add(&x, &mut y); }
}
export fn scratch(x: &mut [f64; n]) {
    var own = copy(&x);
    for s in 0..4 { offload add(&x, &mut own); }
    for i in n { x[i] = own[i]; }
}
export fn checked(at: &[i64; n], y: &mut [f64; n]) -> f64 {
    for s in 0..2 { offload place(&at, &mut y, 7.0); }
    return y[0];
}
"""
CALLER = """
#include <stdio.h>
#include "lib.h"
static double x[100], y[100], r;
static int64_t at[100];
static void begin(const char *what) {
    fprintf(stderr, "begin %s\\n", what);
    for (int i = 0; i < 100; i++) x[i] = 1.0, y[i] = 2.0, at[i] = i;
}
int main(void) {
    begin("saxpy"); saxpy(2.0, x, y, 100); printf("%g ", y[99]);
    begin("advance"); advance(x, y, 10, 100); printf("%g ", y[99]);
    begin("advance again"); x[99] = 5.0; advance(x, y, 10, 100); printf("%g ", y[99]);
    begin("no round"); advance(x, y, 0, 100); printf("%g ", y[99]);
    begin("scratch"); scratch(x, 100); printf("%g ", x[99]);
    begin("checked"); printf("%d ", checked(at, y, 100, &r)); printf("%g ", y[99]);
    begin("failed"); at[3] = 1000; printf("%d ", checked(at, y, 100, &r));
    begin("afterwards"); advance(x, y, 1, 100); printf("%g\\n", y[99]);
    return 0;
}
"""
THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "lib.h"
enum { N_THREADS = 4, CALLS = 100, N = 64 };
static void *work(void *wrong) {
    static char failed;
    int64_t at[N];
    double y[N], r;
    char want[120], item[80];
    snprintf(item, sizeof item, "\\n      = note: work item i = %d of kernel `", *(int *)wrong);
    snprintf(want, sizeof want, "index 1000 is out of bounds for `y`, which has %d elements (0 to %d)\\n --> lib.kdsl:", N,
             N - 1);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < N; i++) at[i] = N - 1 - i;
        if (call % 3 == 1) at[*(int *)wrong] = 1000;
        int status = checked(at, y, N, &r);
        if (status != (call % 3 == 1 ? 3 : 0) || (status ? (!strstr(kdsl_last_error(), want) || !strstr(kdsl_last_error(), item)) : y[0] != 7.0)) return &failed;
    }
    return NULL;
}
int main(void) {
    pthread_t threads[N_THREADS];
    int wrong[N_THREADS], n_failed = 0;
    for (int t = 0; t < N_THREADS; t++) wrong[t] = 10 * t, pthread_create(&threads[t], NULL, work, &wrong[t]);
    for (int t = 0; t < N_THREADS; t++) {
        void *failed;
        pthread_join(threads[t], &failed);
        n_failed += failed != NULL;
    }
    printf("%d\\n", n_failed);
    return 0;
}
"""
MOVES = {
    "saxpy": ["to x", "to y", "from y"],
    "advance": ["to x", "to y", "from y"],
    "advance again": ["to x", "to y", "from y"],
    "no round": [],
    "scratch": ["to x", "to own", "from own"],
    "checked": ["to at", "to y", "from y"],
    "failed": ["to at", "to y", "from y"], # the caller's array is whole again, with what was written until then
    "afterwards": ["to x", "to y", "from y"],
}


class ExportTest(unittest.TestCase):
    def sh(self, *command, **env):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True,
                              timeout=300,
                              env={**os.environ, "KMP_BLOCKTIME": "0", **env})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def build(self, folder, caller):
        self.dir = Path(folder)
        (self.dir / "lib.kdsl").write_text(EXPORTS)
        (self.dir / "caller.c").write_text(caller)
        self.sh(KDSLC, "--shared", "lib.kdsl", "-o", "lib.so")
        (self.dir / "lib.h").write_text(self.sh(KDSLC, "--emit=header", "lib.kdsl").stdout)
        self.sh("gcc", "-Wall", "-Werror", "caller.c", "./lib.so", "-Wl,-rpath,.", "-pthread", "-o", "caller")

    def test_threads_have_slots_of_their_own(self):
        """A launch that fails tells of itself, and the calls before, after and beside it know nothing of that."""
        with tempfile.TemporaryDirectory() as folder:
            self.build(folder, THREADS)
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.sh("./caller", OMP_NUM_THREADS="1", **env).stdout, "0\n", env)

    def test_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            self.build(folder, CALLER)
            done = self.sh("./caller", LIBOMPTARGET_INFO="32", KDSL_MEMORY="separate")
            self.assertEqual(done.stdout, "4 12 52 2 5 0 7 3 3\n")
            for env in ({}, {"KDSL_POISON": "1"}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                self.assertEqual(self.sh("./caller", **env).stdout, done.stdout, env)
        for part in done.stderr.split("begin ")[1:]:
            what, _, rest = part.partition("\n")
            with self.subTest(what):
                self.assertEqual([f"{way} {name} {n}" for way, name, n in copies(rest)
                                  if name not in ("checks", "result")],
                                 [f"{move} 800" for move in MOVES[what]])


if __name__ == "__main__":
    unittest.main()
