#!/usr/bin/env python3
"""Programs of tests/run in one session, one after the other: each is loaded, its main is called, and all is reset. They
print what they print as programs. Usage: test_programs.py KDSLC [--all]"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
STEP = 1 if "--all" in sys.argv else 5  # the others differ little from the point of view of a session
SPECIAL = re.compile(r"^// (args|stdin|flags|env|expect-exit|expect-stderr|moves):|error\[|\bexit\(|\bargs\(",
                     re.MULTILINE)

OTHERWISE = ("devices-without-kernels.kdsl",  # a session may have used devices before
             # free of races for the values of their launches, which are not known when a session checks the kernels
             "group-domains.kdsl", "kernel-scalar-parameters.kdsl")


def expected(path):
    """What the program prints; None: it needs something that a session has not."""
    text = path.read_text()
    lines = re.findall(r"// expect: ?(.*)$", text, flags=re.MULTILINE)
    if path.name in OTHERWISE or SPECIAL.search(text) or "fn main()" not in text or not lines:
        return None
    return lines


class ProgramsTest(unittest.TestCase):
    maxDiff = None

    def test_programs_run_in_a_session(self):
        programs = {str(p.relative_to(ROOT)): expected(p) for p in sorted((ROOT / "tests/run").glob("*.kdsl"))}
        programs = {name: lines for name, lines in programs.items() if lines is not None}
        chosen = list(programs)[::STEP]
        self.assertGreater(len(chosen), 20)
        inputs = [":quiet"]
        for name in chosen:
            inputs += [f'print("@@ {name}");', f":load {ROOT / name}", "main();", ":reset"]
        with tempfile.TemporaryDirectory() as folder:  # some write files
            done = subprocess.run([KDSLC, "repl"], cwd=folder, input="\n".join(inputs) + "\n", capture_output=True,
                                  text=True, timeout=600, check=False)
        parts = re.split(r"^@@ (.*)\n", done.stdout, flags=re.MULTILINE)
        shown = dict(zip(parts[1::2], parts[2::2]))
        for name in chosen:
            with self.subTest(name):
                self.assertEqual([line.rstrip() for line in shown.get(name, "never run").splitlines()],
                                 [line.rstrip() for line in programs[name]], done.stderr[-2000:])


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--all"]
    unittest.main()
