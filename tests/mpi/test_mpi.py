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

ROOT = Path(__file__).resolve().parent.parent.parent
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

# After an exchange, each halo has what the neighbour has: a number made of the global indices. What has no neighbour is
# left alone.
HALOS = """
import mpi;

fn value(i: index, j: index) -> f64 { return f64(1000 * i + j); }

fn main() {
    let r = mpi.rank();
    let n = mpi.size();
    let w = 2;

    var u = [-1.0; 8 + 2 * w, 5, 2];
    for i in w..8 + w { for j in 5 { for k in 2 { u[i, j, k] = value(8 * r + i, 2 * j + k); } } }
    mpi.halo(&mut u, w);
    for i in 8 + 2 * w {
        let alone = (i < w && r == 0) || (i >= 8 + w && r == n - 1);
        for j in 5 { for k in 2 { assert u[i, j, k] == if alone { -1.0 } else { value(8 * r + i, 2 * j + k) }; } }
    }

    let columns = if n % 2 == 0 { 2 } else { 1 };
    let a = 6;
    let b = 4;
    let down = r / columns;
    let right = r % columns;
    var v = [-1.0; a + 2 * w, b + 2 * w];
    for i in w..a + w { for j in w..b + w { v[i, j] = value(a * down + i, b * right + j); } }
    mpi.halo_2d(&mut v, w, columns);
    for i in a + 2 * w {
        for j in b + 2 * w {
            let alone = (i < w && down == 0) || (i >= a + w && down == n / columns - 1) || (j < w && right == 0)
                     || (j >= b + w && right == columns - 1);
            assert v[i, j] == if alone { -1.0 } else { value(a * down + i, b * right + j) }, "{} {}: {}", i, j, v[i, j];
        }
    }
    var m = [-1; 5, 7];
    if n > 1 && r == 0 {                           // a message to itself would wait for its own end
        for i in 5 { for j in 7 { m[i, j] = i32(10 * i + j); } }
        mpi.send_columns(&m, 2, 3, n - 1, 9);
    }
    if n > 1 && r == n - 1 {
        var got = [-1; 5, 7];
        mpi.receive_columns(&mut got, 4, 3, 0, 9);
        for i in 5 { for j in 7 { assert got[i, j] == if j < 4 { -1 } else { i32(10 * i + j - 2) }; } }
    }
    if r == 0 { print("same"); }
}
"""

# A program with MPI that calls a KDSL library.
HOSTED = """
import mpi;

export fn total(x: f64) -> f64 { return mpi.sum(x); }

export fn shift(x: &[f64; n], y: &out [f64; n]) {
    let size = mpi.size();
    for i in n { y[i] = 0.0; }
    mpi.sendrecv(&x, (mpi.rank() + 1) % size, &out y, (mpi.rank() + size - 1) % size, 0);
}

export fn wrong() -> i32 { let x = [1.0]; mpi.send(&x, mpi.size(), 0); return 0; }
"""

HOST = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "hosted.h"

int main(int argc, char **argv) {
    int rank, size, wrong_result;
    double sum, x[3], y[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (total(rank + 1, &sum) || sum != size * (size + 1) / 2) return puts(kdsl_last_error()), 1;
    for (int i = 0; i < 3; i++) x[i] = 10 * rank + i;
    if (shift(x, y, 3) || y[2] != 10 * ((rank + size - 1) % size) + 2) return puts(kdsl_last_error()), 2;
    if (wrong(&wrong_result) != 3 || !strstr(kdsl_last_error(), "send: there is no rank")) return 3; /* the job goes on */
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank) puts("right");
    return MPI_Finalize();
}
"""

# 512 x 512 elements in blocks of rows: what a device with its own memory needs of them in 100 steps.
STEPS = """
import mpi;

kernel step(u: &[f64; n, m], v: &mut [f64; n, m]) over i in 1..n - 1, j in 1..m - 1 {
    v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]);
}

fn main() {
    let rows = 512 / mpi.size();
    let first = rows * mpi.rank();
    var u = [f64((first + i) * j % 7) for i in rows + 2, j in 512];
    var v = copy(&u);
    for s in 100 {
        mpi.halo(&mut u, 1);
        offload step(&u, &mut v);
        swap(&mut u, &mut v);
    }
    var all = [0.0; if mpi.rank() == 0 { 512 } else { 0 }, 512];
    mpi.gather(&u[1..rows + 1, ..], &mut all, 0);
    var sum = 0.0;
    for i in shape(all, 0) { for j in 512 { sum += all[i, j]; } }
    if mpi.rank() == 0 { print("{}", sum); }
}
"""

REQUESTS = """
import mpi;

fn main() {
    let a = args();
    let r = mpi.rank();
    let other = (r + 1) % 2;
    var x = [f64(r); 4];
    var y = [0.0; 4];
    if a[0] == "unfinished" { let _s = mpi.isend(&x, other, 1); mpi.receive(&out y, other, 1); exit(0); }
    let receiving = mpi.irecv(&y, other, 1);
    let sending = mpi.isend(&x, other, 1);
    for i in 4 { x[i] = -1.0; }       // what is sent is a copy
    if a[0] == "twice" { mpi.finish(sending); }
    if a[0] == "size" { mpi.finish_receive(receiving, &out y[..3]); }
    if a[0] == "wrong" { mpi.finish(receiving); }
    if a[0] == "also wrong" { mpi.finish_receive(sending, &out y); }
    mpi.finish_receive(receiving, &out y);
    mpi.finish(sending);
    print("{} {} {}", r, y[0], y[3]);
}
"""

UNFINISHED = {
    "twice": "finish: this request is finished already",
    "size": "finish_receive: `irecv` was of 4 elements of type `f64`, but the array has 3 of type `f64`",
    "wrong": "finish: this request is of `irecv`; use `finish_receive`, which has an array",
    "also wrong": "finish_receive: this request is of `isend`; use `finish`",
    "unfinished": "the program ends, and 1 requests of `isend` or `irecv` are not finished",
}

MESSAGES = {
    "index": ["index 10 is out of bounds for `x`, which has 10 elements (0 to 9)"],
    "kernel": ["index 10 is out of bounds for `x`, which has 10 elements (0 to 9)"],
    "short": ["receive: the message of rank 0 (tag 0) has 5 elements, but the array has 10 of type `f64`"],
    "long": ["receive: the message of rank 0 (tag 0) is longer than the array, which has 5 elements of type `f64`"],
    "size": ["rank 0 calls broadcast of 10 elements of type `f64`, root 0, and rank 1 broadcast of 5 elements",
             "rank 1 calls broadcast of 5 elements of type `f64`, root 0, and rank 0 broadcast of 10 elements"],
    "order": ["rank 0 calls sync, and rank 1 all_sum of 10 elements", "rank 1 calls all_sum of 10 elements of type `f64`, "
              "and rank 0 sync"],
    "silent": ["receive: rank 0 has not sent 10 elements of type `f64` (tag 7) for 1 seconds",
               "receive: rank 1 has not sent 10 elements of type `f64` (tag 7) for 1 seconds"],
    "absent": ["sync: some ranks have not called it for 1 seconds"],
    "rank": ["send: there is no rank 2; `mpi.size()` is 2"],
    "tag": ["send: the tag -1 is not from 0 to 32000", "send: the tag -1 is not from 0 to 32000"],
    "parts": ["gather: 2 parts of 10 elements are not the array of 18"],
    "type": ["all_sum: MPI cannot combine elements of type `f16`",
             "all_sum: MPI cannot combine elements of type `f16`"],
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

    def test_examples_give_the_same_bits(self):
        for name in ("heat_mpi", "nbody_mpi"):
            path = ROOT / f"examples/{name}.kdsl"
            program = self.compiled(path.read_text())
            exact = self.compiled(re.sub(r"\{:[^}]*\}", "{}", path.read_text()))  # with all digits
            expected = path.with_suffix(".expected").read_text()
            alone = subprocess.run([exact], capture_output=True, text=True, check=True).stdout
            self.assertRegex(alone, r"\d\.\d{12}")
            for mpi in LIBRARIES:
                for n in (1, 2, 4):
                    for memory in ({}, {"KDSL_MEMORY": "separate"}):
                        with self.subTest(name=name, mpi=mpi.name, n=n, memory=memory):
                            done = mpi.run(n, exact, **memory)
                            self.assertEqual((done.returncode, done.stdout), (0, alone), done.stderr)
                with self.subTest(name=name, mpi=mpi.name):
                    self.assertEqual(mpi.run(4, program).stdout, expected)

    def test_halos(self):
        program = self.compiled(HALOS)
        for mpi in LIBRARIES:
            for n in (1, 2, 3, 4, 6):
                for memory in ({}, {"KDSL_POISON": "1"}):
                    with self.subTest(mpi=mpi.name, n=n, memory=memory):
                        done = mpi.run(n, program, **memory)
                        self.assertEqual((done.returncode, done.stdout), (0, "same\n"), done.stderr)

    def test_only_halos_move(self):
        program = self.compiled(STEPS)
        alone = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        row = 8 * 512
        for mpi in LIBRARIES:
            for n in (1, 2, 4):
                with self.subTest(mpi=mpi.name, n=n):
                    done = mpi.run(n, program, KDSL_REPORT="1", KDSL_MEMORY="separate")
                    self.assertEqual((done.returncode, done.stdout), (0, alone), done.stderr)
                    for r in range(n):
                        neighbours = (r > 0) + (r < n - 1)
                        to = 2 * (512 // n + 2) * row + 99 * neighbours * row
                        back = (512 // n) * row + 99 * neighbours * row
                        moved = {"step": [0, 0], "host code": [0, 0]}
                        for line in done.stderr.splitlines():
                            found = re.match(rf"rank {r}: (step|host code) .*", line)
                            if found:
                                moved[found[1]] = [int(b) for b in re.findall(r" x, (\d+) B", line)][1::2]
                        self.assertEqual((moved["step"], moved["host code"]), ([to, 0], [0, back]), done.stderr)

    def test_hosted(self):
        folder = Path(self.folder.name)
        (folder / "hosted.kdsl").write_text(HOSTED)
        (folder / "host.c").write_text(HOST)
        subprocess.run([KDSLC, "--shared", "hosted.kdsl", "-o", "libhosted.so"], cwd=folder, check=True)
        subprocess.run([KDSLC, "--emit=header", "hosted.kdsl", "-o", "hosted.h"], cwd=folder, check=True)
        for mpi in LIBRARIES:
            with self.subTest(mpi=mpi.name):
                subprocess.run([mpi.mpicc, "host.c", "./libhosted.so", "-o", "host"], cwd=folder, check=True)
                done = mpi.run(2, "./host", folder=folder)
                self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)

    def test_bytes_on_the_wire(self):
        program = self.compiled(STEPS)
        for mpi in LIBRARIES:
            if mpi.name != "openmpi":
                continue  # MPICH counts no bytes; the messages are the same
            monitored = {"OMPI_MCA_pml_monitoring_enable": "2", "OMPI_MCA_pml_monitoring_enable_output": "1"}
            done = mpi.run(2, program, **monitored)
            sent = re.findall(r"^E\t(\d)\t(\d)\t(\d+) bytes\t(\d+) msgs", done.stdout + done.stderr, re.M)
            self.assertEqual(sorted(sent), [("0", "1", str(100 * 8 * 512), "100"), ("1", "0", str(100 * 8 * 512), "100")])

    def test_requests(self):
        program = self.compiled(REQUESTS)
        for mpi in LIBRARIES:
            with self.subTest(mpi=mpi.name):
                done = mpi.run(2, program, "right")
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, ["0 1 1", "1 0 0"]), done.stderr)
            for what, message in UNFINISHED.items():
                with self.subTest(mpi=mpi.name, what=what):
                    done = mpi.run(2, program, what)
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    self.assertRegex(done.stderr, rf"(?m)^error: {re.escape(message)}\n(?:.*\n)*?      = note: rank [01] of 2$")

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
                    self.assertTrue(any(line.startswith("error: ") and message in line for message in messages
                                        for line in done.stderr.splitlines()), done.stderr)
                    self.assertRegex(done.stderr, r"(?m)^      = note: rank [01] of 2$")
            with self.subTest(mpi=mpi.name, what="exit"):
                self.assertEqual(mpi.run(2, program, "exit").returncode, 5)

    def test_no_library(self):
        done = subprocess.run([self.compiled(FUNCTIONS)], env={"KDSL_MPI": "/no/libmpi.so"}, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"(?m)^error: KDSL_MPI is `/no/libmpi.so`, which cannot be loaded: .*No such file.*\n"
                                      r" --> .*p\d+\.kdsl:\d+:\d+$")

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
