#!/usr/bin/env python3
"""Arrays that a function allocates at each call do not come from the system page by page each time: a program has
hardly more page faults with many calls than with few. Usage: test_kept_memory.py KDSLC"""
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()
SOURCE = """kernel add(x: &mut [i32; n], by: i32) over i in n { x[i] += by; }
fn work(n: index, by: i32) -> i32 {
    var a = [0; n];
    var b = [0; n];
    var c = [0; n];
    offload add(&mut a, by);
    offload add(&mut b, by);
    offload add(&mut c, by);
    return a[n - 1] + b[0] + c[0];
}
fn main() {
    var sum = 0;
    for k in CALLS { sum += work(ELEMENTS, i32(k)); }
    print("{}", sum);
}
"""


class KeptMemory(unittest.TestCase):
    def faults(self, folder, calls, elements):
        source, program = Path(folder) / "k.kdsl", Path(folder) / "k"
        source.write_text(SOURCE.replace("CALLS", str(calls)).replace("ELEMENTS", str(elements)))
        subprocess.run([KDSLC, source, "-o", program], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        done = subprocess.run([program], capture_output=True, text=True, check=True)
        self.assertEqual(int(done.stdout), 3 * sum(range(calls)))
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before

    def test_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            for elements in [60000, 400000]:
                pages = 3 * elements * 4 // resource.getpagesize()
                more = self.faults(folder, 60, elements) - self.faults(folder, 2, elements)
                self.assertLess(more, 4 * pages, f"{elements} elements")


if __name__ == "__main__":
    unittest.main()
