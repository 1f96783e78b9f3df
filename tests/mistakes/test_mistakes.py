#!/usr/bin/env python3
"""What beginners write who come from other languages: tests/mistakes/test_mistakes.py KDSLC [NAME...]

Each NAME.kdsl is a wrong text, with its diagnostics marked as in tests/sema (tests/run.py). Some are lists of similar
mistakes. The others are whole programs with one mistake, named by the language and the mistake; a comment at the end,
`/* right:`, has the program without it, and what that prints (`// expect: LINE`). Of these:

- exactly the marked diagnostics are reported, with these texts;
- the right program is compiled without a diagnostic, and prints what is expected (in the exhaustive part);
- `--format=json` has the fixes that the text shows, with the place that each replaces;
- where the first diagnostic has a fix: the fixes of the JSON are applied, as often as some are left, until the program is
  compiled without an error.

tests/unit/test_fixes.c applies each fix by itself."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import parts  # noqa: E402
import run  # noqa: E402

KDSLC = Path(sys.argv[1]).resolve()
RIGHT = re.compile(r"^/\* right:\n(.*)^\*/\n", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^ +(?:= fix: .*?)?(?:insert|replace|remove|write) ")
MAX_ROUNDS = 6


def kdslc(*arguments, stdin=None):
    done = subprocess.run([KDSLC, *arguments], input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def diagnostics(path):
    return json.loads(kdslc("check", "--format=json", path)[2])


def fixes_of(said):
    return [note for diagnostic in said for note in diagnostic.get("notes", []) if "fix" in note]


def offset(text, line, column):
    """Columns count bytes."""
    lines = text.split(b"\n")
    return sum(len(one) + 1 for one in lines[:line - 1]) + column - 1


def applied(text, note):
    lo, hi = offset(text, note["line"], note["column"]), offset(text, note["end_line"], note["end_column"])
    return text[:lo] + note["fix"].encode() + text[hi:]


def compiles_after_fixes(path, text):
    """What is still wrong when the fixes have been applied, one after the other; None: nothing."""
    said = diagnostics(path)
    for _ in range(MAX_ROUNDS):
        fixes = fixes_of(said)
        if not fixes:
            break
        text = applied(text, fixes[0])
        path.write_bytes(text)
        said = diagnostics(path)
        if not said:
            return None
    errors = [d for d in said if d["severity"] == "error"]
    return "\n".join(f"{d['line']}: {d['code']}: {d['message']}" for d in errors) if errors else None


class Mistake:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        match = RIGHT.search(self.text)
        self.right = match[1] if match else None

    def wrong(self):
        """Of a list of mistakes, all; of a program, what is before the right one."""
        return RIGHT.sub("", self.text)

    def marked(self):
        run.Test(self.path, KDSLC, False).check_markers()

    def same_fixes(self):
        text = kdslc("check", "--color=never", self.path)[2]
        shown = [line for line in text.splitlines() if re.match(r" +(= )?fix: ", line)]
        told = fixes_of(diagnostics(self.path))
        if len(shown) != len(told):
            raise run.Failed(f"{self.path.name}: {len(shown)} fixes in the text, {len(told)} in the JSON\n{text}")
        for line, note in zip(shown, told):
            if note["fix"].rstrip("\n") not in line:
                raise run.Failed(f"{self.path.name}: the JSON has the fix `{note['fix']}`, the text: {line}")

    def fixed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fixed.kdsl"
            path.write_text(self.wrong())
            said = diagnostics(path)
            if not said or not fixes_of(said[:1]):
                return
            left = compiles_after_fixes(path, self.wrong().encode())
            if left:
                raise run.Failed(f"{self.path.name}: after its fixes\n{path.read_text()}\n{left}")

    def right_is_right(self):
        code, out, err = kdslc("check", "-", stdin=self.right)
        if code or out or err:
            raise run.Failed(f"{self.path.name}: the right program\n{err}")

    def prints(self):
        wanted = "".join(line + "\n" for line in re.findall(r"^// expect: (.*)$", self.right, re.MULTILINE))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "right.kdsl"
            path.write_text(self.right)
            code, out, err = kdslc("run", "-O0", path)
        if code or err or out != wanted:
            raise run.Failed(f"{self.path.name}: the right program prints\n{out}{err}instead of\n{wanted}")


def mistakes():
    names = sys.argv[2:]
    return [Mistake(path) for path in sorted(HERE.glob("*.kdsl")) if not names or path.stem in names]


class MistakesTest(unittest.TestCase):
    def each(self, of, what):
        def failure(mistake):
            try:
                what(mistake)
            except run.Failed as why:
                return str(why)
            return None
        with ThreadPoolExecutor(2) as several:
            failures = [why for why in several.map(failure, of) if why]
        self.assertFalse(failures, f"{len(failures)} of {len(of)}\n" + "\n\n".join(failures))

    @parts.quick
    def test_marked_diagnostics(self):
        self.each(mistakes(), Mistake.marked)

    @parts.quick
    def test_json_has_the_same_fixes(self):
        self.each(mistakes(), Mistake.same_fixes)

    @parts.quick
    def test_fixes_lead_to_a_program(self):
        self.each([m for m in mistakes() if m.right], Mistake.fixed)

    @parts.quick
    def test_right_programs(self):
        self.each([m for m in mistakes() if m.right], Mistake.right_is_right)

    @parts.exhaustive
    def test_right_programs_print(self):
        self.each([m for m in mistakes() if m.right], Mistake.prints)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
