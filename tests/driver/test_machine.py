#!/usr/bin/env python3
"""What compiled programs take of the machine: no more threads than they may, and huge pages for large arrays, on the host
and on the x86 device.
Usage: test_machine.py KDSLC [unittest arguments]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
# Each program says that it is ready, then waits for a line, so that /proc can be looked at.
THREADS = """kernel twice(x: &mut [f64; n]) over i in n { x[i] *= 2.0; }
kernel uneven(x: &mut [f64; n]) over i in n { for k in 0..i % 9 { x[i] += 1.0; } }
kernel total(x: &[f64; n]) over i in n -> sum f64 { return x[i]; }
fn main() {
    var x = [1.0; 1000000];
    var y = [1.0; 1000000];
    offload twice(&mut x);
    offload ASYNC twice(&mut y);
    offload uneven(&mut x);
    print("{}", offload total(&x));
    print("{}", read_line());
    print("{}", offload total(&y));
}
"""
ARRAYS = """kernel add(x: &[f32; n], y: &mut [f32; n], z: &out [f32; n]) over i in n { z[i] = x[i] + y[i]; y[i] = 1.0; }
fn main() {
    let x = [1.0f32; 4194304];
    var y = [2.0f32; 4194304];
    var z = [0.0f32; 4194304];
    offload add(&x, &mut y, &out z); // what two launches need stays on the device
    y[7] = 2.0;
    offload add(&x, &mut y, &out z);
    print("ready");
    print("{}", read_line());
    print("{} {}", z[4194303], y[7]);
}
"""
ARRAY_BYTES = 4 * 4194304


class MachineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def start(self, text, cores=None, **env):
        (self.dir / "p.kdsl").write_text(text)
        subprocess.run([KDSLC, self.dir / "p.kdsl", "-o", self.dir / "p"], check=True)
        bare = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_"))}
        program = subprocess.Popen(["stdbuf", "-oL", self.dir / "p"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True,
                                   env={**bare, **env}, preexec_fn=cores and (lambda: os.sched_setaffinity(0, cores)))
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        first = program.stdout.readline()
        self.assertNotEqual(first, "")
        return program

    def end(self, program, expected):
        out, _ = program.communicate("go on\n", timeout=120)
        self.assertEqual((program.returncode, out), (0, "go on\n" + expected))

    def threads(self, program):
        return len(os.listdir(f"/proc/{program.pid}/task"))

    def test_no_more_threads_than_are_asked_for(self):
        for n in (1, 2, 5):
            program = self.start(THREADS.replace("ASYNC ", ""), OMP_NUM_THREADS=str(n))
            self.assertLessEqual(self.threads(program), n)
            self.end(program, "2000000\n")

    def test_no_more_threads_than_cores(self):
        all_cores = os.sched_getaffinity(0)
        for cores in ({min(all_cores)}, all_cores):
            program = self.start(THREADS.replace("ASYNC ", ""), cores)
            self.assertLessEqual(self.threads(program), len(cores))
            self.end(program, "2000000\n")

    def test_asynchronous_launches_have_one_thread_more(self):
        # which has a team of its own; the program's own thread waits meanwhile, or does what is not launched
        program = self.start(THREADS.replace("ASYNC", "async"), OMP_NUM_THREADS="2")
        self.assertLessEqual(self.threads(program), 2 * 2)
        self.end(program, "2000000\n")

    def advised(self, program):
        """Bytes of private memory that were asked for in huge pages: "hg" among the flags of its mappings."""
        total, size = 0, 0
        for line in Path(f"/proc/{program.pid}/smaps").read_text().splitlines():
            if match := re.match(r"Size:\s+(\d+) kB", line):
                size = 1024 * int(match[1])
            elif line.startswith("VmFlags:") and " hg" in line:
                total += size
        return total

    def test_huge_pages(self):
        for offload in "mandatory", "disabled":
            program = self.start(ARRAYS, OMP_TARGET_OFFLOAD=offload)
            # all but the ends, which share pages with other data
            self.assertGreaterEqual(self.advised(program), 3 * (ARRAY_BYTES - 2 * 4096))
            self.end(program, "2 1\n")

    def test_small_arrays_take_no_huge_pages(self):
        program = self.start(ARRAYS.replace("4194304", "262144").replace("4194303", "262143"))
        self.assertEqual(self.advised(program), 0)
        self.end(program, "2 1\n")


if __name__ == "__main__":
    unittest.main()
