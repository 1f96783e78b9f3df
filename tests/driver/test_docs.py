#!/usr/bin/env python3
"""The documentation tells the truth: every fenced block of README.md, CONTRIBUTING.md and docs/*.md is tried.

```kdsl [args=A B]   a program (it has `fn main`) is compiled at -O0 and -O2 and run; a fragment is checked
```kdsl stdin=A|B    the same, with these lines to read
```text [exit=N]     directly after a program: what it prints, and its exit code
```stderr            directly after that: what the program writes to standard error
```c                 before a ```text: a program that calls the exported functions of the last library, lib.kdsl
```kdsl-error        is rejected; the diagnostics marked in it (// error[E0401]) are among the reported ones
```said              directly after one of those: what the compiler says about it, word for word
```kdsl-right        beside one of those: is accepted without a word
```dump              lines that the last ```sh before it prints, in this order; `...` stands for anything
```sh [exit=N]       its lines that begin with kdslc, gdb, valgrind or ./PROGRAM are run in one folder, the examples at hand;
                     on a page of the course, the folder of the lesson

Usage: test_docs.py KDSLC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from docs_blocks import FENCE, blocks, notebooks, pages  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()


class DocsTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.env = dict(os.environ, PATH=f"{KDSLC.parent}:{os.environ['PATH']}", KMP_BLOCKTIME="0")
        self.env.pop("LIBOMPTARGET_INFO", None)

    def sh(self, *command, stdin=""):
        done = subprocess.run(command, cwd=self.dir, env=self.env, input=stdin, capture_output=True, text=True,
                              timeout=300)
        return done.returncode, done.stdout, done.stderr

    def program(self, where, text, arguments, printed, exit_code, failure):
        place = re.search(r"^ --> (.*?):", failure, flags=re.M)
        source = self.dir / (place[1] if place else "program.kdsl")
        source.write_text(text)
        if not re.search(r"^\s*fn main\(", text, flags=re.M):
            if parts.wanted(True):
                self.right(where, text)
            return
        for level in parts.first(("-O0", "-O2")):
            code, _, err = self.sh(KDSLC, level, source.name, "-o", "program")
            self.assertEqual((code, err), (0, ""), where)
            lines = arguments.removeprefix("stdin=") if arguments.startswith("stdin=") else None
            stdin = "" if lines is None else lines.replace("|", "\n") + "\n"
            code, out, err = self.sh(self.dir / "program", *([] if lines else arguments.split()), stdin=stdin)
            self.assertEqual(code, exit_code, f"{where} {level}: {err}")
            if printed is not None:
                self.assertEqual(out, printed, f"{where} {level}")
            if failure:
                self.assertEqual(err, failure, f"{where} {level}")

    def called_from_c(self, where, text, library, printed):
        (self.dir / "lib.kdsl").write_text(library)
        (self.dir / "main.c").write_text(text)
        for command in (f"{KDSLC} -c lib.kdsl", f"{KDSLC} --emit=header -o lib.h lib.kdsl",
                        f"cc main.c lib.o $({KDSLC} --print-link-flags) -o called"):
            code, _, err = self.sh("bash", "-c", command)
            self.assertEqual((code, err), (0, ""), f"{where}: {command}")
        self.assertEqual(self.sh(self.dir / "called"), (0, printed, ""), where)

    def rejected(self, where, text):
        source = self.dir / "program.kdsl"
        source.write_text(text)
        code, _, err = self.sh(KDSLC, "check", source)
        marked = re.findall(r"(?:error|warning)\[([EW]\d{4})\]", text)
        self.assertEqual(code, 0 if marked and all(m.startswith("W") for m in marked) else 1, f"{where}: {err}")
        for diagnostic in marked:
            self.assertIn(f"[{diagnostic}]", err, where)

    def said(self, where, text, source):
        name = text.partition(":")[0]
        (self.dir / name).write_text(re.sub(r" *// (error|warning)\[.*", "", source))
        self.assertEqual(self.sh(KDSLC, "check", name)[2].strip(), text.strip(), where)

    def right(self, where, text):
        source = self.dir / "program.kdsl"
        source.write_text(text)
        code, _, err = self.sh(KDSLC, "check", source)
        self.assertEqual((code, err), (0, ""), where)

    @parts.quick
    def test_every_code_is_explained(self):
        """docs/errors.md: the wrong program of a section shows its code, and `kdslc explain` prints the section."""
        text = (ROOT / "docs/errors.md").read_text()
        sections = re.split(r"^### (\w+)\n", text, flags=re.M)[1:]
        for code, body in zip(sections[::2], sections[1::2]):
            with self.subTest(code):
                status, out, err = self.sh(KDSLC, "explain", code)
                self.assertEqual((status, err), (0, ""))
                self.assertTrue(out.startswith(f"{code}: "), out)
                wrong = re.search(r"^```kdsl-error\n(.*?)^```$", body, flags=re.M | re.S)
                if wrong:
                    self.assertIn(f"[{code}]", wrong.group(1))
                    self.assertIn("Right:", out)
        self.assertEqual(self.sh(KDSLC, "--explain=e0301")[1], self.sh(KDSLC, "explain", "E0301")[1])
        self.assertEqual(self.sh(KDSLC, "explain", "E9999")[0], 2)

    def dump(self, where, text, commands):
        self.assertTrue(commands, f"{where}: which command prints it?")
        _, out, err = self.sh("bash", "-c", commands[-1])
        text = re.sub(r"  +; .*", "", text)  # remarks of the page
        place, said = 0, " ".join((out + err).split())
        for line in text.splitlines():
            for part in " ".join(line.split()).split("..."):
                at = said.find(part.strip(), place)
                self.assertGreaterEqual(at, 0, f"{where}: `{part.strip()}` is not in what `{commands[-1]}` prints")
                place = at + len(part.strip())

    def test_blocks(self):
        n_programs = 0
        for page in pages():
            commands, python, library = [], "", ""
            found = list(blocks(page))
            for i, (line, kind, text, end) in enumerate(found):
                after, next_kind, printed, printed_end = found[i + 1] if i + 1 < len(found) else (0, "", "", 0)
                kind, _, more = kind.partition(" ")
                exits = re.fullmatch(r"text(?: exit=(\d+))?", next_kind) if after == end + 1 else None
                where = f"{page.relative_to(ROOT)}:{line}"
                with self.subTest(where):
                    if kind == "python":
                        python += text
                        self.python(where, python, library, printed if exits else "")
                    elif kind == "kdsl":
                        n_programs += 1
                        library = text if text.startswith("export") else library
                        self.program(where, text, more.removeprefix("args="), printed if exits else None,
                                     int(exits.group(1) or 0) if exits else 0,
                                     next((failure for begin, kind, failure, _ in found[i + 2:i + 3]
                                           if (begin, kind) == (printed_end + 1, "stderr")), ""))
                    elif kind == "c" and exits:
                        self.called_from_c(where, text, library, printed)
                    elif not parts.wanted(True):
                        continue
                    elif kind == "kdsl-error":
                        self.rejected(where, text)
                        if next_kind == "said" and after == end + 1:
                            self.said(where, printed, text)
                    elif kind == "kdsl-right":
                        self.right(where, text)
                    elif kind == "dump":
                        self.dump(where, text, commands)
                    elif kind == "sh":
                        commands = self.commands(where, text, page, int(more.removeprefix("exit=") or 0))
        self.assertGreater(n_programs, 10)

    def test_first_program_is_an_example(self):
        program = next(text for _, kind, text, _ in blocks(ROOT / "README.md") if kind == "kdsl")
        example = (ROOT / "examples/saxpy.kdsl").read_text()
        self.assertEqual(program.strip(), re.sub(r"^//.*\n", "", example, flags=re.M).strip())

    def python(self, where, text, library, printed):
        """After the blocks before it on the page, with the last library of the page, or else the one of docs/python.md, as
        the file that it loads."""
        heat = next(text for _, kind, text, _ in blocks(ROOT / "docs/python.md") if kind == "kdsl")
        name = re.search(r'kdsl\.load\("(.*?)"', text)[1]
        (self.dir / name).write_text(library or heat)
        done = subprocess.run(["/usr/bin/python3", "-c", text], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "KDSLC": str(KDSLC),
                                   "KDSL_PYTHON_CACHE": str(self.dir / "cache")})
        self.assertEqual((done.returncode, done.stderr), (0, ""), where)
        self.assertTrue(done.stdout.endswith(printed), f"{where}\n{done.stdout}")

    def commands(self, where, text, page, exit_code):
        for folder in ("examples", "stdlib"):
            shutil.copytree(ROOT / folder, self.dir / folder, dirs_exist_ok=True)
        for path in (ROOT / "examples").glob("*.kdsl"):
            shutil.copy(path, self.dir)
        if "course" in page.parts:
            shutil.copytree(page.parent, self.dir, dirs_exist_ok=True)
        tried = []
        for command in text.splitlines():
            command = command.removeprefix("$ ").partition(" #")[0].strip()
            if re.match(r"(\w+=\S+ )*(kdslc|gdb|valgrind|\./(?!dev\b)[\w-]+)( |$)", command):
                code, out, err = self.sh("bash", "-c", command)
                self.assertEqual(code, exit_code, f"{where}: {command}\n{err}")
                tried.append(command)
        return tried

    @parts.quick
    def test_links_lead_somewhere(self):
        for page in pages() + notebooks():
            for target in re.findall(r"\]\(([^)#\s]+)\)", FENCE.sub("", page.read_text())):
                if not re.match(r"\w+:", target):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}")


if __name__ == "__main__":
    unittest.main()
