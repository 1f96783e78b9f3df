#!/usr/bin/env python3
"""A bundle for machines with a GPU runs by itself: its host device here, in an environment with nothing in it, and
tests/run.py inside it. And what suite.py calls the same. Usage: test_bundle.py KDSLC"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import suite  # noqa: E402

BARE = {"PATH": "/usr/bin:/bin"}
LIBRARIES = ("libLLVM", "libomptarget", "libomp", "libstdc++")
SAME = (("1 2", "1 2"), ("x = 1.5", "x = 1.500001"), ("inf -inf nan", "inf -inf nan"), ("1e3 0.0", "1e3 0.0000001"))
DIFFERENT = (("1 2", "1 3"), ("x = 1.5", "x = 1.51"), ("1.0", "1"), ("nan", "1.0"), ("inf", "-inf"), ("a 1.0", "b 1.0"),
             ("1.0 2.0", "1.0"), ("inf", "1.5"))


class BundleTest(unittest.TestCase):
    def test_what_is_close(self):
        for got, want in SAME:
            self.assertTrue(suite.near(got, want, 1e-5), (got, want))
        for got, want in DIFFERENT:
            self.assertFalse(suite.near(got, want, 1e-5), (got, want))

    def run_in(self, folder, *command, env=BARE):
        done = subprocess.run([str(word) for word in command], cwd=folder, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_bundle(self):
        with tempfile.TemporaryDirectory() as name:
            bundle = Path(name) / "kdsl-gpu"
            env = dict(os.environ, PACK="no", NVCC="no-nvcc")
            code, _, err = self.run_in(name, HERE / "bundle.sh", KDSLC, bundle, env=env)
            self.assertEqual(code, 0, err)
            self.assertIn("no nvcc here", err)
            self.check_runs(bundle)
            self.check_libraries(bundle)
            self.check_faults(bundle)

    def check_runs(self, bundle):
        pattern = "examples/(saxpy|matmul|scan)"
        code, out, err = self.run_in(bundle.parent, bundle / "run.sh", "--device", "host", pattern)
        self.assertEqual((code, out), (0, "3 runs: 3 same, 0 close, 0 failed\n"), err)
        rows = (bundle.parent / "results/all.tsv").read_text().splitlines()
        self.assertEqual([row.split("\t")[:4] for row in rows],
                         [["suite", f"examples/{name}.kdsl", "-O2", "same"] for name in ("matmul", "saxpy", "scan")])

    def check_libraries(self, bundle):
        """They are the bundle's own, for the compiler and for what it makes."""
        env = {**BARE, "LD_LIBRARY_PATH": f"{bundle}/lib", "KDSL_SYSROOT": f"{bundle}/sysroot"}
        tests = ("python3", "tests/run.py", "--kdslc", "bin/kdslc", "examples/saxpy.kdsl")
        code, out, err = self.run_in(bundle, *tests, env=env)
        self.assertEqual((code, out), (0, "1 passed, 0 failed\n"), err)
        code, _, err = self.run_in(bundle, "bin/kdslc", "examples/saxpy.kdsl", "-o", "saxpy", env=env)
        self.assertEqual(code, 0, err)
        for program in ("bin/kdslc", "saxpy"):
            _, out, _ = self.run_in(bundle, "ldd", program, env=env)
            self.assertNotIn("not found", out)
            for line in out.splitlines():
                if line.strip().startswith(LIBRARIES):
                    self.assertIn(f"=> {bundle}/lib/", line)

    def check_faults(self, bundle):
        """A program that prints something else is found, and a machine without a driver is told so."""
        path = bundle / "examples/saxpy.expected"
        path.write_text(path.read_text() + "one line more\n")
        code, out, err = self.run_in(bundle.parent, bundle / "run.sh", "--device", "host", "examples/saxpy")
        self.assertEqual((code, out), (1, "1 runs: 0 same, 0 close, 1 failed\n"), err)
        self.assertIn("FAILED examples/saxpy.kdsl -O2: `<end>` instead of `one line more`", err)
        (bundle / "made-with").write_text("glibc 99.1\n")
        code, _, err = self.run_in(bundle.parent, bundle / "run.sh", "--device", "host", "examples/saxpy")
        self.assertEqual(code, 1)
        self.assertIn("older than 99.1", err)


if __name__ == "__main__":
    KDSLC = sys.argv[1]
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
