#!/usr/bin/env python3
"""Every program of the tests compiles with debug information, and the module is valid after each pass: without the
options that the tests themselves give, for processors in turn. What is not found here is code that is never reached
with the options of a test."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = sys.argv.pop(1)
FOLDERS = ("tests/run", "tests/vector", "tests/transfers", "examples", "bench/kernels", "bench/kernels/source")
MARCH = ("native", "x86-64-v3", "x86-64-v4", "x86-64-v2")


class ValidIr(unittest.TestCase):
    def test_each_program(self):
        programs = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.kdsl"))]
        self.assertGreater(len(programs), 400)
        jobs = [(path, MARCH[i % len(MARCH)]) for i, path in enumerate(programs)]
        n_compiled = n_tried = 0
        with tempfile.TemporaryDirectory() as folder:
            for path, march in parts.chosen(jobs, lambda job: jobs.index(job) % 25 == 0):
                done = subprocess.run([KDSLC, "-g", "--verify-each", f"--march={march}", path, "-c", "-o",
                                       f"{folder}/x.o"], capture_output=True, text=True, cwd=ROOT, timeout=300)
                with self.subTest(path=path.name, march=march):
                    self.assertIn(done.returncode, (0, 1), done.stderr[:2000])
                n_compiled += done.returncode == 0
                n_tried += 1
        self.assertGreater(n_compiled, 0.8 * n_tried)


if __name__ == "__main__":
    unittest.main()
