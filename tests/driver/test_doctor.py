#!/usr/bin/env python3
"""kdslc doctor: what it finds, and what it says of what is missing."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()


def doctor(*args, **env):
    return subprocess.run([KDSLC, "doctor", *args], capture_output=True, text=True, env={**os.environ, "KMP_BLOCKTIME": "0", **env})


class Doctor(unittest.TestCase):
    def test_a_kernel_runs_on_each_device(self):
        done = doctor()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"libomptarget +/.*libomptarget\.so\.22\.1\n")
        for d in range(4):
            self.assertRegex(done.stdout, rf"device {d} +.+: works, [\d.]+ ms for the first launch\n")

    def test_without_devices(self):
        done = doctor(OMP_TARGET_OFFLOAD="disabled")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("none; kernels run in the program itself", done.stdout)

    def test_what_is_missing_has_a_package(self):
        with tempfile.TemporaryDirectory() as empty:
            done = doctor(KDSL_SYSROOT=empty, KDSL_PTXAS="")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("libomptarget.so.22.1 not found: install liboffload-22", done.stdout)
        self.assertRegex(done.stdout, r"ptxas +none \(CUDA toolkit\)")
        self.assertIn("Debian package libc6", done.stdout)

    def test_it_takes_no_file(self):
        self.assertEqual(doctor("examples/saxpy.kdsl").returncode, 2)


if __name__ == "__main__":
    unittest.main()
