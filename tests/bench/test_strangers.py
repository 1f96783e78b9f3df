#!/usr/bin/env python3
"""The corpus of bench/strangers computes what the C beside it computes, by gcc and by clang. Usage: test_strangers.py KDSLC"""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()


class StrangersTest(unittest.TestCase):
    def test_results(self):
        names = {path.stem for path in (ROOT / "bench/strangers").glob("*.kdsl")}
        done = subprocess.run([sys.executable, ROOT / "bench/strangers/run.py", "--kdslc", KDSLC, "--once"], text=True,
                              capture_output=True, timeout=900)
        self.assertEqual("", done.stderr)
        self.assertEqual(0, done.returncode)
        self.assertEqual(names, {line.split()[0] for line in done.stdout.splitlines() if " kdsl " in line})


if __name__ == "__main__":
    unittest.main()
