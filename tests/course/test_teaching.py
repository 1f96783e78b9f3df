#!/usr/bin/env python3
"""The script of course/teaching.md for a cluster, with bash instead of a queue: it grades what was handed in, each exercise
into a file of its own, and ends with 0 though submissions fail. Usage: test_teaching.py KDSLC"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from docs_blocks import blocks  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
SCRIPTS = [text for _, _, text, _ in blocks(ROOT / "course/teaching.md") if text.startswith("#!/bin/bash")]


class TeachingTest(unittest.TestCase):
    def test_the_script_for_a_cluster(self):
        script, = SCRIPTS
        for option in ("partition", "account", "time", "mem"):
            self.assertIn(f"\n#SBATCH --{option}=", script)
        with tempfile.TemporaryDirectory() as temp:
            home = Path(temp)
            (home / "kdslc/bin").mkdir(parents=True)
            (home / "kdslc/bin/kdslc").symlink_to(KDSLC)
            (home / "kdslc/share/doc/kdslc").mkdir(parents=True)
            (home / "kdslc/share/doc/kdslc/course").symlink_to(ROOT / "course")
            for folder, file in (("01-first-kernel-celsius", "01-first-kernel/solutions/celsius.kdsl"),
                                 ("01-first-kernel-celsius", "01-first-kernel/wrong/celsius-1.kdsl"),
                                 ("03-shapes-ring", "03-shapes/wrong/ring-1.kdsl")):
                (home / "class/submissions" / folder).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / "course" / file, home / "class/submissions" / folder)
            done = subprocess.run(["bash", "-c", script], cwd=home / "class", capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "HOME": temp, "SLURM_SUBMIT_DIR": str(home / "class")})
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            results = {path.name: json.loads(path.read_text())["submissions"] for path in (home / "class/results").iterdir()}
            passed = {name: sorted(result["passed"] for result in found) for name, found in results.items()}
            self.assertEqual({"01-first-kernel-celsius.json": [False, True], "03-shapes-ring.json": [False]}, passed)


if __name__ == "__main__":
    unittest.main()
