#!/usr/bin/env python3
"""Programs with `import mpi;` under the launcher of each MPI library of this machine: what the functions give on several
numbers of ranks, and that a rank that fails ends the job with its message. Usage: test_mpi.py KDSLC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine import libraries

KDSLC = Path(sys.argv.pop(1)).resolve()
LIBRARIES = libraries()

# Each rank prints what it has, one line for each function.
FUNCTIONS = """
import mpi;

struct Body { pos: f32x4, id: i32 }

fn text<T: number>(x: &[T; n]) -> str {
    var s = "";
    for i in n { s = format("{} {}", s, x[i]); }
    return s;
}

// Goes once around the ring.
fn shifted<T: number>(x: &[T; n]) -> [T; _] {
    var y = [T(0); n];
    let size = mpi.size();
    mpi.sendrecv(&x, (mpi.rank() + 1) % size, &out y, (mpi.rank() + size - 1) % size, 1);
    return y;
}

fn main() {
    mpi.init();
    let r = mpi.rank();
    let n = mpi.size();
    mpi.sync();

    let floats = [f32(r) + 0.5, 1.0];
    let bytes = [u8(r), 255];
    let longs = [i64(r) - 5, 1i64 << 60];
    let indices = [index(r)];
    let a = shifted(&floats);
    let b = shifted(&bytes);
    let c = shifted(&longs);
    let d = shifted(&indices);
    print("{} ring{};{};{};{}", r, text(&a), text(&b), text(&c), text(&d));

    // A row, and a slice of a row, of arrays with two and three dimensions.
    var m = [i32(100 * r) + i32(10 * i + j) for i in 3, j in 4];
    if r > 0 { mpi.receive(&out m[0, ..], r - 1, 2); }
    if r + 1 < n { mpi.send(&m[2, ..], r + 1, 2); }
    if r > 0 { mpi.receive(&out m[1, 1..3], r - 1, 3); }
    if r + 1 < n { mpi.send(&m[2, 0..2], r + 1, 3); }
    print("{} rows {} {} {} {} {}", r, m[0, 0], m[0, 3], m[1, 0], m[1, 1], m[1, 2]);
    var cube = [0.0; 2, 3, 2];
    if r == 0 { cube[1, 2, 1] = 7.5; }
    mpi.broadcast(&mut cube[1, ..], 0);
    print("{} cube {} {}", r, cube[1, 2, 1], cube[0, 2, 1]);

    var bodies = [Body(pos: f32x4(f32(r), 2.0, 3.0, 4.0), id: r) for i in 2];
    mpi.broadcast(&mut bodies, n - 1);
    print("{} bodies {} {}", r, bodies[1].pos, bodies[1].id);

    var sums = [r, 1];
    mpi.all_sum(&mut sums);
    var least = [-f64(r), 3.0];
    mpi.all_min(&mut least);
    var most = [u16(r), 3];
    mpi.all_max(&mut most);
    print("{} all{};{};{}; {} {} {}", r, text(&sums), text(&least), text(&most), mpi.sum(1u8), mpi.least(r + 5),
          mpi.greatest(f32(r)));

    let part = [10 * r, 10 * r + 1];
    var all = [0; if r == 0 { n } else { 0 }, 2];
    mpi.gather(&part, &mut all, 0);
    if r == 0 { print("{} gathered {} {}", r, all[0, 1], all[n - 1, 1]); }
    var every = [0; n, 2];
    mpi.all_gather(&part, &out every);
    for i in n { for j in 2 { every[i, j] += 1000; } }
    var mine = [0, 0];
    mpi.scatter(&every, &out mine, n - 1);
    print("{} scattered{}", r, text(&mine));
}
"""


def functions(n):
    """What FUNCTIONS prints on n ranks."""
    for r in range(n):
        left = (r - 1) % n
        yield f"{r} ring {left + 0.5:g} 1; {left} 255; {left - 5} {1 << 60}; {left}"
        m = [[100 * r + 10 * i + j for j in range(4)] for i in range(3)]
        if r:
            m[0] = [100 * (r - 1) + 20 + j for j in range(4)]
            m[1][1:3] = m[0][:2]
        yield f"{r} rows {m[0][0]} {m[0][3]} {m[1][0]} {m[1][1]} {m[1][2]}"
        yield f"{r} cube 7.5 0"
        yield f"{r} bodies ({n - 1}, 2, 3, 4) {n - 1}"
        yield f"{r} all {n * (n - 1) // 2} {n}; {-(n - 1) or -0.0:g} 3; {max(n - 1, 0)} 3; {n} 5 {n - 1}"
        if r == 0:
            yield f"0 gathered 1 {10 * (n - 1) + 1}"
        yield f"{r} scattered {1000 + 10 * r} {1001 + 10 * r}"


# Two ranks; the argument chooses what goes wrong.
FAILURES = """
import mpi;

kernel put(x: &mut [f64; n], at: &[i32; n]) over i in n { x[at[i]] = 1.0; }

fn main() {
    let a = args();
    let r = mpi.rank();
    var x = [f64(i) for i in 10];
    let at = [if r == 1 { i32(i) + 3 } else { i32(i) } for i in 10];
    if a[0] == "index" { x[10 * r] = 1.0; mpi.sync(); }
    if a[0] == "kernel" { offload put(&mut x, &at); mpi.sync(); }
    if a[0] == "exit" { if r == 1 { exit(5); } mpi.sync(); }
    if a[0] == "short" { if r == 0 { mpi.send(&x[..5], 1, 0); } else { mpi.receive(&out x, 0, 0); } mpi.sync(); }
    if a[0] == "long" { if r == 0 { mpi.send(&x, 1, 0); } else { mpi.receive(&out x[..5], 0, 0); } mpi.sync(); }
    if a[0] == "size" { if r == 0 { mpi.broadcast(&mut x, 0); } else { mpi.broadcast(&mut x[..5], 0); } }
    if a[0] == "order" { if r == 0 { mpi.sync(); } else { mpi.all_sum(&mut x); } }
    if a[0] == "silent" { mpi.receive(&out x, 1 - r, 7); }
    if a[0] == "absent" { if r == 0 { mpi.sync(); } }
    if a[0] == "rank" { mpi.send(&x, 2 - r, 0); }
    if a[0] == "tag" { mpi.send(&x, 1 - r, -1); }
    if a[0] == "parts" { var all = [0.0; 2, 9]; mpi.gather(&x, &mut all, 0); }
    if a[0] == "type" { var s = [f16(1.0)]; mpi.all_sum(&mut s); }
    print("end");
}
"""

MESSAGES = {
    "index": ["index 10 is out of bounds for `x`, which has 10 elements (0 to 9) (rank 1 of 2)"],
    "kernel": ["index 10 is out of bounds for `x`, which has 10 elements (0 to 9) (work item i = 7) (rank 1 of 2)"],
    "short": ["receive: the message of rank 0 (tag 0) has 5 elements, but the array has 10 of type `f64` (rank 1 of 2)"],
    "long": ["receive: the message of rank 0 (tag 0) is longer than the array, which has 5 elements of type `f64` (rank 1"],
    "size": ["rank 0 calls broadcast of 10 elements of type `f64`, root 0, and rank 1 broadcast of 5 elements",
             "rank 1 calls broadcast of 5 elements of type `f64`, root 0, and rank 0 broadcast of 10 elements"],
    "order": ["rank 0 calls sync, and rank 1 all_sum of 10 elements", "rank 1 calls all_sum of 10 elements of type `f64`, "
              "and rank 0 sync"],
    "silent": ["receive: rank 0 has not sent 10 elements of type `f64` (tag 7) for 1 seconds (rank 1 of 2)",
               "receive: rank 1 has not sent 10 elements of type `f64` (tag 7) for 1 seconds (rank 0 of 2)"],
    "absent": ["sync: some ranks have not called it for 1 seconds (rank 0 of 2)"],
    "rank": ["send: there is no rank 2; `mpi.size()` is 2 (rank 0 of 2)"],
    "tag": ["send: the tag -1 is not from 0 to 32767 (rank 0 of 2)", "send: the tag -1 is not from 0 to 32767 (rank 1 of 2)"],
    "parts": ["gather: 2 parts of 10 elements are not the array of 18 (rank 0 of 2)"],
    "type": ["all_sum: MPI cannot combine elements of type `f16` (rank 0 of 2)",
             "all_sum: MPI cannot combine elements of type `f16` (rank 1 of 2)"],
}


class MpiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.programs = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiled(self, text):
        if text not in self.programs:
            source = Path(self.folder.name, f"p{len(self.programs)}.kdsl")
            source.write_text(text)
            program = source.with_suffix("")
            done = subprocess.run([KDSLC, "-Werror", source, "-o", program], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.programs[text] = program
        return self.programs[text]

    def test_functions(self):
        program = self.compiled(FUNCTIONS)
        for mpi in LIBRARIES:
            for n in (1, 2, 4):
                with self.subTest(mpi=mpi.name, n=n):
                    done = mpi.run(n, program)
                    self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, sorted(functions(n))),
                                     done.stderr)

    def test_without_launcher(self):
        program = self.compiled(FUNCTIONS)
        for mpi in LIBRARIES:
            with self.subTest(mpi=mpi.name):
                done = subprocess.run([program], env={"KDSL_MPI": mpi.name, "PATH": "/usr/bin", "OMP_NUM_THREADS": "1"},
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, sorted(functions(1))),
                                 done.stderr)

    def test_without_checks(self):
        program = self.compiled(FUNCTIONS)
        for mpi in LIBRARIES:
            with self.subTest(mpi=mpi.name):
                done = mpi.run(2, program, KDSL_MPI_CHECK="0", KDSL_MPI_TIMEOUT="")
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, sorted(functions(2))),
                                 done.stderr)

    def test_failures(self):
        program = self.compiled(FAILURES)
        for mpi in LIBRARIES:
            for what, messages in MESSAGES.items():
                with self.subTest(mpi=mpi.name, what=what):
                    done = mpi.run(2, program, what, KDSL_MPI_TIMEOUT="1" if what in ("silent", "absent") else "60")
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    # The first rank that fails may end the others before they have told anything.
                    self.assertTrue(any("run-time error: " in line and message in line for message in messages
                                        for line in done.stderr.splitlines()), done.stderr)
            with self.subTest(mpi=mpi.name, what="exit"):
                self.assertEqual(mpi.run(2, program, "exit").returncode, 5)

    def test_no_library(self):
        done = subprocess.run([self.compiled(FUNCTIONS)], env={"KDSL_MPI": "/no/libmpi.so"}, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"p\d+\.kdsl:\d+:\d+: run-time error: KDSL_MPI is `/no/libmpi.so`, which cannot be "
                                      r"loaded: .*No such file")

    def test_report_has_ranks(self):
        program = self.compiled("""
import mpi;
kernel double(x: &mut [f64; n]) over i in n { x[i] *= 2.0; }
fn main() {
    var x = [f64(mpi.rank()); 1000];
    offload double(&mut x);
    assert x[999] == 2.0 * f64(mpi.rank());
}
""")
        for mpi in LIBRARIES:
            with self.subTest(mpi=mpi.name):
                done = mpi.run(2, program, KDSL_REPORT="1")
                lines = done.stderr.splitlines()
                for r in range(2):
                    mine = [line for line in lines if line.startswith(f"rank {r}: ")]
                    self.assertTrue(any(re.match(r"rank \d: double \(.*kdsl:6\)\s+1 ", line) for line in mine), lines)
                self.assertFalse([line for line in lines if not line.startswith("rank ")], lines)


if __name__ == "__main__":
    unittest.main()
