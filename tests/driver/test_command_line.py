#!/usr/bin/env python3
"""The grammar of the command line: options before and after the command, words that are nearly commands, options that come
too late, the two levels of help, and that docs/cli.md has every row of the table. Usage: test_command_line.py KDSLC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()


def run(*args, **more):
    return subprocess.run([KDSLC, *map(str, args)], capture_output=True, text=True, timeout=120, **more)


def rows(macro):
    """The texts of each row, and its level."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "driver/options.def").read_text(), flags=re.S)
    for row in re.findall(rf"^{macro}\((.*?)\)$", text, flags=re.M | re.S):
        level = re.search(r", (BASIC|MORE|TESTS),", row)
        yield re.findall(r'"((?:[^"\\]|\\.)*)"', row), level and level[1]


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "p.kdsl"
        self.program.write_text('fn main() { print("{} {}", len(args()), 7 / 2); }\n')

    def test_options_before_and_after_the_command(self):
        for args in (("-O3", "run", "-g", self.program), ("run", "-O3", self.program), ("-Werror", "-O0", "run", self.program)):
            done = run(*args, "-O1", "--", "run")
            self.assertEqual((done.stdout, done.stderr), ("3 3\n", ""), args)
        self.assertEqual(run("-Werror", "check", self.program).returncode, 0)
        self.assertEqual(run("check", self.program, "-Werror").returncode, 0)
        self.assertEqual(run("--color=never", "explain", "E0301").stdout, run("explain", "E0301").stdout)
        self.assertEqual(run("-g", "explain", "bounds", self.program).returncode, 0)

    def test_a_file_may_be_named_like_a_command(self):
        (self.folder / "run").write_text("fn main() { print(\"file\"); }\n")
        self.assertEqual(run("--", "run", "-o", "out", cwd=self.folder).returncode, 2)
        self.assertEqual(run("-o", "out", "--", "run", cwd=self.folder).returncode, 0)
        self.assertEqual(run("run", "run", cwd=self.folder).stdout, "file\n")
        (self.folder / "chek").write_text("fn main() {}\n")
        self.assertEqual(run("-o", "out", "chek", cwd=self.folder).returncode, 0)

    def test_words_that_are_nearly_commands(self):
        for word, meant in (("chek", "check"), ("rnu", "run"), ("tset", "test"), ("docter", "doctor"), ("explian", "explain")):
            for rest in ((), (self.program,)):
                done = run(word, *rest)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"there is no command `{word}`; did you mean `{meant}`?", done.stderr)
        done = run(self.program, "check")
        self.assertIn("write the command first: `kdslc check ...", done.stderr)
        self.assertIn("only one source file is allowed", run(self.program, "b.kdsl").stderr)

    def test_options_that_come_too_late(self):
        self.program.write_text('extern "C" fn no_such(x: f64) -> f64;\nfn main() { print("{}", no_such(1.0)); }\n')
        done = run("run", self.program, "-lm")
        self.assertIn("no library that is linked defines `no_such`", done.stderr)
        self.assertIn(f"for the compiler: `kdslc run -lm {self.program}`", done.stderr)
        self.assertNotIn("for the compiler", run("run", self.program, "other").stderr)

    def test_two_levels_of_help(self):
        basic, full = run("--help").stdout, run("--help-all").stdout
        self.assertLess(len(basic.split("\n")), 50)
        for (spelling, *_), level in rows("OPTION"):
            shown = re.compile(rf"(?m)^  {re.escape(spelling)}(?![-\w])|^  {re.escape(spelling)}[A-Z]")
            self.assertEqual(bool(shown.search(basic)), level == "BASIC", spelling)
            self.assertEqual(bool(shown.search(full)), level != "TESTS", spelling)
        self.assertIn("kdslc --help-all", basic)
        self.assertIn("--offload-arch", basic)

    def test_the_page_has_every_row(self):
        page = (ROOT / "docs/cli.md").read_text()
        for (spelling, *_), level in rows("OPTION"):
            if level != "TESTS":
                self.assertRegex(page, rf"(?m)^\| `{re.escape(spelling)}", spelling)
        for (name, arguments, *help_), _ in rows("COMMAND"):
            if "".join(help_):
                self.assertIn(f"kdslc {name} {arguments}".replace("  ", " ").rstrip(), page)
        for (name, *_), _ in [*rows("EMIT"), *rows("EXPLAIN")]:
            self.assertRegex(page, rf"(?m)^\| `{name}` \|")


if __name__ == "__main__":
    unittest.main()
