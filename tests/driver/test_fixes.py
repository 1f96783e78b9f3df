#!/usr/bin/env python3
"""Fixes work when they are applied: each `fix:` line of a wrong program is carried out as it says, and the program then
compiles and prints what is expected. Usage: test_fixes.py KDSLC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv[1] if len(sys.argv) > 1 else "kdslc").resolve()

PROLOGUE = """struct Point { x: f32, y: f32 }
fn main() {
    let a = [1, 2, 3];
    let name = "n";
    let p = Point(x: 1.5, y: 2.5);
    %s
}
"""


def fixed(text, said):
    """The text with every fix of `said` carried out, the last place first."""
    edits = []
    place = None  # of the error
    for line in said.splitlines():
        at = re.match(r".*:(\d+):(\d+): error", line)
        place = (int(at[1]), int(at[2])) if at else place
        for old, new in re.findall(r"= fix: .*: replace `(.*)` with `(.*)`$", line):
            edits.append((*place, old, new))
        for new in re.findall(r"= fix: .*: insert `(.*)`$", line):
            edits.append((*place, "", new))
    lines = text.splitlines()
    for number, column, old, new in reversed(edits):
        line = lines[number - 1]
        at = line.rindex(old, 0, column - 1 + len(old))  # what is replaced begins there or before
        lines[number - 1] = line[:at] + new + line[at + len(old):]
    return "\n".join(lines) + "\n", len(edits)


class FixesTest(unittest.TestCase):
    def expect(self, statements, output):
        text = PROLOGUE % statements
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "wrong.kdsl"
            path.write_text(text)
            said = subprocess.run([KDSLC, "check", "--color=never", path], capture_output=True, text=True)
            self.assertEqual(said.returncode, 1, said.stderr)
            text, n = fixed(text, said.stderr)
            self.assertTrue(n, said.stderr)
            path.write_text(text)
            run = subprocess.run([KDSLC, "run", "-O0", path], capture_output=True, text=True)
        self.assertEqual(run.stdout, output, f"{text}{run.stderr}")

    def test_print_of_a_value(self):
        self.expect("print(a[0]);", "1\n")
        self.expect("print(name);", "n\n")
        self.expect("print(name, 2, true);", "n 2 true\n")

    def test_print_of_an_array(self):
        self.expect("print(a);", "[1, 2, 3]\n")
        self.expect("for i in 1 { print(a, i); }", "[1, 2, 3] 0\n")

    def test_print_of_a_struct(self):
        self.expect("print(p);", "Point(x: 1.5, y: 2.5)\n")

    def test_format_without_a_format(self):
        self.expect('let t = format(name); print("{}", t);', "n\n")


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
