#!/usr/bin/env python3
"""The course's programs: docs/programs.md lists each, and the loops that must not check an index have no check left.
Usage: test_programs.py KDSLC"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = sys.argv[1]
WITHOUT_CHECKS = ["saxpy", "jacobi", "heat", "stencil3d", "matmul", "transpose"]


class ProgramsTest(unittest.TestCase):
    def test_the_page_lists_every_program_once(self):
        page = (ROOT / "docs/programs.md").read_text()
        listed = re.findall(r"\]\(\.\./([^)]*\.kdsl)\)", page)
        self.assertEqual(len(listed), len(set(listed)), "a program twice")
        names = {path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*.kdsl")}
        self.assertEqual(sorted(names - set(listed)), [], "programs that docs/programs.md does not list")
        self.assertEqual([name for name in listed if not (ROOT / name).exists()], [], "listed, but not there")
        self.assertGreaterEqual(len(listed), 40)

    def test_the_text_of_each_link_is_where_it_leads(self):
        for text, target in re.findall(r"\[([^]]*\.kdsl)\]\(\.\./([^)]*)\)", (ROOT / "docs/programs.md").read_text()):
            self.assertEqual(text, target)

    def test_no_check_is_left_in_regular_loops(self):
        for name in WITHOUT_CHECKS:
            text = subprocess.run([KDSLC, "--explain=bounds", f"examples/{name}.kdsl"], cwd=ROOT, check=True,
                                  capture_output=True, text=True).stdout
            lines = text.splitlines()
            self.assertTrue(lines, name)
            for line in lines:
                self.assertRegex(line, r": (\d+) of \1 checks? proven unnecessary, none left$", name)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
