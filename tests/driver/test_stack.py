#!/usr/bin/env python3
"""Stacks that end: calls nested without end, in programs, below exported functions, in threads and in sessions; and kernels
that need more stack than OpenMP's threads have. Usage: test_stack.py KDSLC [unittest arguments]"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()

PROGRAM = """struct Pair { a: i32, b: i32 }
fn tail(n: i32) -> i32 { return tail(n + 1); }
fn sum(n: i32) -> i32 { if n < 0 { return 0; } return sum(n + 1) + n; }
fn ping(n: i32) -> i32 { let x = [n; 7]; return pong(x[3] + 1); }
fn pong(n: i32) -> i32 { if n < 0 { return 1; } return ping(n) + 1; }
fn pairs(p: Pair) -> Pair { print("{}", p.a); return pairs(Pair(a: p.b, b: p.a)); }
fn text(n: i32) -> str { let x = [n; 3]; return text(i32(len(x))); }
fn down(n: i32) -> i32 { if n == 0 { return 0; } return down(n - 1) + 1; }
fn main() {
    let way = args()[0];
    print("begin");
    if way == "tail" { print("{}", tail(1)); }
    if way == "sum" { print("{}", sum(1)); }
    if way == "ping" { print("{}", ping(1)); }
    if way == "pairs" { print("{}", pairs(Pair(a: 1, b: 2)).a); }
    if way == "text" { print("{}", text(1)); }
    if way == "down" { print("{}", down(30000)); }
}
"""

LIBRARY = """fn tail(n: i32) -> i32 { return tail(n + 1); }
kernel fill(x: &out [f64; n]) over i in n { x[i] = 1.0; }
fn nest(x: &mut [f64; n], depth: i32) -> i32 {
    if depth == 3 { offload fill(&out x); }
    let more = [1.0; 10];
    return nest(&mut x, depth + i32(more[0]));
}
export fn without_end(x: &mut [f64; n]) -> i32 { return nest(&mut x, 0); }
export fn fine(x: &mut [f64; n]) -> f64 { offload fill(&out x); return x[n - 1]; }
"""

CALLER = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int32_t without_end(double *, int64_t, int32_t *), fine(double *, int64_t, double *);
const char *kdsl_last_error(void);
static void *call(void *says) {
    double x[100] = {0}, last;
    int32_t n;
    for (int i = 0; i < 5; i++) {
        if (without_end(x, 100, &n) != 3 || !strstr(kdsl_last_error(), says) || x[50] != 1) puts(kdsl_last_error());
        if (fine(x, 100, &last) || last != 1) puts("wrong");
    }
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 512 << 10);
    call("error: stack overflow in `nest`: calls are nested too deeply for a stack of 8 MiB\\n --> lib.kdsl:3:4");
    pthread_create(&thread, &small, call, "a stack of 512 KiB");
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
"""

KERNEL = """kernel big(x: &mut [f64; n]) over i in n {
    var a = [0.0; 2000];
    for k in 2000 { a[k] = f64(k + i) * 0.5; }
    var s = 0.0;
    for k in 2000 { s += a[(k * 7 + i32(x[i])) % 2000]; }
    x[i] = s;
}
kernel sum(x: &[f64; n]) over i in n -> sum f64 {
    var a = [x[i]; 1500];
    a[i32(x[i]) % 1500] = 1.0;
    return a[i % 1500] + 2.0;
}
kernel small(x: &mut [f64; n]) over i in n { x[i] += 1.0; }
fn main() {
    var x = [f64(i % 10) for i in 5000];
    offload small(&mut x);
    offload big(&mut x);
    print("{} {} {}", x[0], x[4999], offload sum(&x));
}
"""


class StackTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def run_(self, *command, env=None, status=0, stack=8 << 20, text=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True,
                              timeout=200,
                              preexec_fn=limit, input=text, env=dict(os.environ, KMP_BLOCKTIME="0", **(env or {})))
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-1000:]}{done.stderr}")
        return done.stdout, done.stderr

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def test_programs(self):
        self.write("program.kdsl", PROGRAM)
        for level in ("-O0", "-O1", "-O2", "-O3"):
            self.run_(KDSLC, level, "program.kdsl")
            for way, place in (("tail", "2:4"), ("sum", "3:4"), ("ping", ("4:4", "5:4")), ("pairs", "6:4"),
                               ("text", "7:4")):
                with self.subTest(level=level, way=way):
                    out, err = self.run_("./program", way, status=3)
                    self.assertTrue(out.startswith("begin\n"), out[:100])
                    self.assertRegex(err, f"^error: stack overflow in `({way}|pong)`: calls are nested too deeply for a stack of 8 MiB\n"
                                          f" --> program.kdsl:({place if way != 'ping' else '|'.join(place)})\n")
            self.assertEqual(self.run_("./program", "down")[0], "begin\n30000\n")
        _, err = self.run_("./program", "sum", status=3, stack=1 << 20)
        self.assertIn("a stack of 1 MiB", err)

    def test_exported_functions(self):
        self.write("lib.kdsl", LIBRARY)
        self.write("main.c", CALLER)
        self.run_(KDSLC, "--shared", "lib.kdsl")
        self.run_("gcc", "main.c", "./lib.so", "-o", "main", "-lpthread")
        for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
            self.assertEqual(self.run_("./main", env=env), ("done\n", ""))

    def test_threads_with_small_stacks(self):
        self.write("kernel.kdsl", KERNEL)
        for options in ((), ("-O0",), ("--march=portable",)):
            self.run_(KDSLC, *options, "kernel.kdsl")
            expected, err = self.run_("./kernel")
            self.assertEqual(err, "")
            for size in ("16k", "64k", "260k"):
                for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                    out, err = self.run_("./kernel", env={"OMP_STACKSIZE": size, "OMP_NUM_THREADS": "4", **env})
                    self.assertEqual(out, expected)
                    if size in ("16k", "64k"):
                        self.assertRegex(err, "^OMP_STACKSIZE: threads have a stack of [0-9]+ KiB, but a kernel needs "
                                              "[0-9]+ KiB: it runs on one thread\n$")
            self.assertEqual(self.run_("./kernel", env={"OMP_STACKSIZE": "2M"}), (expected, ""))

    def test_sessions(self):
        out, err = self.run_(KDSLC, "repl", status=1, text="fn tail(n: i32) -> i32 { return tail(n + 1); }\n"
                                                           "var x = 5;\ntail(1)\nx + 1\n")
        self.assertIn("stack overflow in `tail`", err)
        self.assertEqual(out, "6 : i32\n")


if __name__ == "__main__":
    unittest.main()
