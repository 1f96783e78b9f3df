#!/usr/bin/env python3
"""The documentation tells the truth: every fenced block of README.md, CONTRIBUTING.md and docs/*.md is tried.

```kdsl [args=A B]   a program (it has `fn main`) is compiled at -O2 and -O0 and run; a fragment is checked
```text [exit=N]     directly after a program: what it prints, and its exit code
```kdsl-later        parses, but needs what is not built yet: only parsed
```kdsl-error        is rejected; the diagnostics marked in it (// error[E0401]) are among the reported ones
```sh                its lines that begin with kdslc or ./PROGRAM are run in one folder, the examples at hand

Usage: test_docs.py KDSLC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1\s*$", flags=re.M | re.S)


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page):
    """(first line, words after the fence, text, last line)"""
    text = page.read_text()
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match.group(2).strip(), match.group(3), line + match.group(0).count("\n")


class DocsTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.env = dict(os.environ, PATH=f"{KDSLC.parent}:{os.environ['PATH']}", KMP_BLOCKTIME="0")
        self.env.pop("LIBOMPTARGET_INFO", None)

    def sh(self, *command):
        done = subprocess.run(command, cwd=self.dir, env=self.env, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def program(self, where, text, arguments, printed, exit_code):
        source = self.dir / "program.kdsl"
        source.write_text(text)
        if not re.search(r"^\s*fn main\(", text, flags=re.M):
            code, _, err = self.sh(KDSLC, "check", source)
            self.assertEqual((code, err), (0, ""), where)
            return
        for level in ("-O2", "-O0"):
            code, _, err = self.sh(KDSLC, level, source, "-o", "program")
            self.assertEqual((code, err), (0, ""), where)
            code, out, err = self.sh(self.dir / "program", *arguments.split())
            self.assertEqual(code, exit_code, f"{where} {level}: {err}")
            if printed is not None:
                self.assertEqual(out, printed, f"{where} {level}")

    def rejected(self, where, text):
        source = self.dir / "program.kdsl"
        source.write_text(text)
        code, _, err = self.sh(KDSLC, "check", source)
        marked = re.findall(r"(?:error|warning)\[([EW]\d{4})\]", text)
        self.assertEqual(code, 0 if marked and all(m.startswith("W") for m in marked) else 1, f"{where}: {err}")
        for diagnostic in marked:
            self.assertIn(f"[{diagnostic}]", err, where)

    def parsed(self, where, text):
        source = self.dir / "program.kdsl"
        source.write_text(text)
        code, _, err = self.sh(KDSLC, "--emit=ast", source, "-o", "/dev/null")
        self.assertEqual(code, 0, f"{where}: {err}")

    def test_blocks(self):
        n_programs = 0
        for page in pages():
            found = list(blocks(page))
            for (line, kind, text, end), (after, next_kind, printed, _) in zip(found, found[1:] + [(0, "", "", 0)]):
                kind, _, more = kind.partition(" ")
                exits = re.fullmatch(r"text(?: exit=(\d+))?", next_kind) if after == end + 1 else None
                where = f"{page.relative_to(ROOT)}:{line}"
                with self.subTest(where):
                    if kind == "kdsl":
                        n_programs += 1
                        self.program(where, text, more.removeprefix("args="), printed if exits else None,
                                     int(exits.group(1) or 0) if exits else 0)
                    elif kind == "kdsl-error":
                        self.rejected(where, text)
                    elif kind == "kdsl-later":
                        self.parsed(where, text)
                    elif kind == "sh":
                        self.commands(where, text)
        self.assertGreater(n_programs, 10)

    def commands(self, where, text):
        for folder in ("examples", "stdlib"):
            shutil.copytree(ROOT / folder, self.dir / folder, dirs_exist_ok=True)
        for path in (ROOT / "examples").glob("*.kdsl"):
            shutil.copy(path, self.dir)
        for command in text.splitlines():
            command = command.removeprefix("$ ").partition(" #")[0].strip()
            if re.match(r"(\w+=\S+ )*(kdslc|\./(?!dev\b)[\w-]+)( |$)", command):
                code, out, err = self.sh("bash", "-c", command)
                self.assertEqual(code, 0, f"{where}: {command}\n{err}")

    def test_links_lead_somewhere(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)#\s]+)\)", FENCE.sub("", page.read_text())):
                if not re.match(r"\w+:", target):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}")


if __name__ == "__main__":
    unittest.main()
