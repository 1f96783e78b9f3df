#!/usr/bin/env python3
"""`kdslc test`: each test runs by itself, the report says what failed and where, the exit code says whether.
Usage: test_tests.py KDSLC [unittest arguments]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
GOOD = """
fn twice(x: i32) -> i32 { return 2 * x; }
kernel fill(x: &out [i32; n], v: i32) over i in n { x[i] = twice(v); }

test "twice doubles" {
    print("not shown");
    assert twice(4) == 8;
    assert len(args()) == 0;
}

test "on the device" {
    var x = [0; 100];
    offload fill(&out x, 21);
    assert x[0] == 42 && x[99] == 42;
}
"""
BAD = """
test "assertion" {
    print("before");
    assert twice(2) == 5, "it is {}", twice(2);
}
test "index" { let x = [1, 2, 3]; print("{}", x[twice(2)]); }
test "exit" { exit(0); }
test "exit 7" { exit(7); }
test "abort" { abort(); }
extern "C" fn abort();
test "the last one" { assert twice(0) == 0; }
"""


class TestsTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def kdslc(self, status, *args, env=None):
        done = subprocess.run([KDSLC, *args], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, KMP_BLOCKTIME="0", **(env or {})))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.err = done.stderr
        return re.sub(r"\d+\.\d+ m?s", "TIME", done.stdout)

    def write(self, text):
        (self.dir / "prog.kdsl").write_text(text)

    def test_all_pass(self):
        self.write(GOOD)
        for level in ("-O0", "-O2"):
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                out = self.kdslc(0, "test", level, "prog.kdsl", env=env)
                self.assertEqual(out, "ok      twice doubles (TIME)\nok      on the device (TIME)\n2 passed, 0 failed (TIME)\n")
        self.assertEqual(os.listdir(self.dir), ["prog.kdsl"])

    def test_failures_do_not_stop_the_others(self):
        self.write(GOOD + BAD)
        out = self.kdslc(1, "test", "prog.kdsl")
        self.assertIn("FAILED  assertion (prog.kdsl:17:6)\n        before\n        error: it is 4\n         --> prog.kdsl:19:5\n", out)
        self.assertIn("FAILED  index (prog.kdsl:21:6)\n        error: index 4 is out of bounds for `x`, which has 3 elements (0 to 2)\n         --> prog.kdsl:21:47\n", out)
        self.assertIn("FAILED  exit (prog.kdsl:22:6)\n        ended with exit code 0 before its end\n", out)
        self.assertIn("FAILED  exit 7 (prog.kdsl:23:6)\n        ended with exit code 7 before its end\n", out)
        self.assertIn("ok      the last one (TIME)\n", out)
        self.assertIn("FAILED  abort (prog.kdsl:24:6)\n        ended by signal 6 (Aborted)\n", out)
        self.assertTrue(out.endswith("3 passed, 5 failed (TIME)\n"), out)

    def test_filter(self):
        self.write(GOOD + BAD)
        self.assertEqual(self.kdslc(0, "test", "prog.kdsl", "device"), "ok      on the device (TIME)\n1 passed, 0 failed (TIME)\n")
        self.assertIn("no test has `nothing` in its name; the file has 8 tests", self.kdslc(1, "test", "prog.kdsl", "nothing"))
        self.kdslc(2, "test", "prog.kdsl", "one", "two")

    def test_tests_are_not_part_of_a_program(self):
        self.write(GOOD + 'fn main() { print("main"); }\n')
        self.assertEqual(self.kdslc(0, "run", "prog.kdsl"), "main\n")
        self.assertNotIn("twice doubles", self.kdslc(0, "--emit=llvm", "-O0", "prog.kdsl"))
        self.assertIn("2 passed", self.kdslc(0, "test", "prog.kdsl"))

    def test_errors(self):
        self.write("fn main() {}\n")
        self.kdslc(1, "test", "prog.kdsl")
        self.assertIn("E1006", self.err)
        self.write('test "x" { assert 1; }\nfn main() {}\n')
        self.kdslc(1, "check", "prog.kdsl")
        self.assertIn("E0308", self.err)
        self.write('import prog2;\ntest "own" { assert prog2.N == 1; }\n')
        (self.dir / "prog2.kdsl").write_text('const N = 1;\ntest "of the module" { assert false; }\n')
        self.assertIn("1 passed, 0 failed", self.kdslc(0, "test", "prog.kdsl"))


if __name__ == "__main__":
    unittest.main()
