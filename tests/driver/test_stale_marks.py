#!/usr/bin/env python3
"""Files in /dev/shm that libomp has left for an earlier process with the same number: a program runs, whatever they
hold. Usage: test_stale_marks.py KDSLC [unittest arguments]"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
PROGRAM = """kernel step(x: &mut [f64; n]) over i in n { x[i] += 1.0; }
fn main() {
    var x = [0.0; 100000];
    for k in 3 { offload step(&mut x); }
    print("{}", x[99999]);
}
"""


def mark():
    return Path(f"/dev/shm/__KMP_REGISTERED_LIB_{os.getpid()}_{os.getuid()}")


class StaleMarks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = Path(cls.folder.name) / "p"
        cls.program.with_suffix(".kdsl").write_text(PROGRAM)
        subprocess.run([KDSLC, cls.program.with_suffix(".kdsl"), "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, left, **env):
        """The file is written by the process that then becomes the program."""
        done = subprocess.run([self.program], preexec_fn=left and (lambda: mark().write_bytes(left())),
                              capture_output=True, text=True, env={**os.environ, **env}, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "3\n", ""))

    def test_none(self):
        self.check(None)

    def test_no_bytes(self):
        self.check(lambda: b"")
        self.check(lambda: b"", KDSL_DIRECT="off")
        self.check(lambda: b"", OMP_TARGET_OFFLOAD="disabled")

    def test_nothing_written(self):
        self.check(lambda: bytes(1024))

    def test_of_a_dead_process(self):
        self.check(lambda: b"0x7f0000000008-cafe1234-libomp.so.5".ljust(1024, b"\0"))

    def test_none_is_left(self):
        child = subprocess.Popen([self.program], stdout=subprocess.DEVNULL)
        child.wait()
        self.assertFalse(Path(f"/dev/shm/__KMP_REGISTERED_LIB_{child.pid}_{os.getuid()}").exists())


if __name__ == "__main__":
    unittest.main()
