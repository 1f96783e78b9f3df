#!/usr/bin/env python3
"""The messages of textbook races in full: tests/races/test_messages.py KDSLC [--bless]

messages.txt contains what `kdslc check` prints for the programs below. Where a message proposes a change of the text,
the change is made, until there is none left: the program must then be free of races, and so must all programs of
this folder. Where it proposes something else, CURED has the change to the program."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
GOLDEN = FOLDER / "messages.txt"

# NAME-race.kdsl of this folder
TEXTBOOK = ["shift-left", "stencil-in-place", "transpose-in-place", "reverse-in-place", "quotient-index", "column-sums",
            "histogram", "remainder-index", "counter-read-plainly", "missing-barrier", "matmul-second-barrier",
            "tree-sum", "tree-sum-too-wide", "scan-one-buffer", "one-item-writes", "second-axis-forgotten",
            "same-value", "largest", "reduction-or-sum"]

# (the line, what replaces it) after a remedy in words
CURED = {
    "shift-left": [("    x[i] = x[i + 1];", "    y[i] = x[i + 1];")],
    "stencil-in-place": [("    old[i] = (", "    new[i] = (")],
    "transpose-in-place": [("    a[i, j] = ", "    b[i, j] = ")],
    "reverse-in-place": [("&mut [i32; n])", "&[i32; n], y: &out [i32; n])"), ("    let t = x[i];\n", ""),
                         ("    x[i] = x[n - 1 - i];", "    y[i] = x[n - 1 - i];"), ("    x[n - 1 - i] = t;\n", ""),
                         ("(&mut x)", "(&x, &out y)"), ("    offload", "    var y = copy(&x);\n    offload")],
    "remainder-index": [("over i in 16 {", "over i in 12 {")],
    "counter-read-plainly": [("    seen[i] = before + c[i % 4];",
                              "    let v = atomic c[i % 4] |= 0;\n    seen[i] = before + v;")],
    "tree-sum-too-wide": [("        if i.local <= stride { s[i.local] += s[i.local + stride]; }",
                           "        var v = 0;\n        if i.local <= stride { v = s[i.local + stride]; }\n"
                           "        barrier;\n        if i.local <= stride { s[i.local] += v; }")],
    "one-item-writes": [("i.local >= 0", "i.local == 0")],
    "second-axis-forgotten": [("    s[0, j.local] =",
                              "    if i.local == 0 { s[0, j.local] ="), ("(i, j);\n    b", "(i, j); }\n    b")],
}

INSERT = re.compile(r"fix: (?P<why>.*)insert `(?P<text>[^`]*)`")
PLACE = re.compile(r"^\S+?:(?P<line>\d+):(?P<column>\d+): (?P<kind>\w+)")


def check(kdslc, path):
    result = subprocess.run([kdslc, "check", path.name], capture_output=True, text=True, cwd=path.parent, timeout=60)
    return result.stderr


def has_race(message):
    return re.search(r"E0513|E0530|W0504", message) or "error" in message


def insertions(message):
    """[(line, column, text)] of the fixes; those on the line of the error do not repeat its place."""
    found, error, note, lines = set(), None, None, message.splitlines()
    for line in lines:
        if m := PLACE.match(line):
            place = int(m["line"]), int(m["column"])
            error, note = (place, None) if m["kind"] in ("error", "warning") else (error, place)
        if m := INSERT.search(line):
            place = note if not m["why"] else error
            found.add((place[0], place[1] if not m["why"] or m["text"] == "atomic " else 0, m["text"]))
    return found


def edited(source, changes):
    lines = source.splitlines()
    for line, column, text in sorted(changes, reverse=True):
        old = lines[line - 1]
        at = column - 1 if column else len(old) - len(old.lstrip())
        lines[line - 1] = old[:at] + text + old[at:]
    return "\n".join(lines) + "\n"


class MessagesTest(unittest.TestCase):
    def test_text(self):
        text = ""
        for name in TEXTBOOK:
            path = FOLDER / f"{name}-race.kdsl"
            text += f"== {path.name}\n{check(KDSLC, path)}\n"
        if BLESS:
            GOLDEN.write_text(text)
        self.maxDiff = None
        self.assertEqual(GOLDEN.read_text(), text)

    def test_remedies(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in TEXTBOOK:
                with self.subTest(name):
                    self.remedy(name, Path(folder) / f"{name}.kdsl")

    def test_insertions(self):
        cured = 0
        with tempfile.TemporaryDirectory() as folder:
            for source in sorted(FOLDER.glob("*-race.kdsl")):
                path, steps = Path(folder) / source.name, 0
                path.write_text(source.read_text())
                message = check(KDSLC, path)
                while has_race(message) and (changes := insertions(message)) and steps < 4:
                    path.write_text(edited(path.read_text(), changes))
                    message, steps = check(KDSLC, path), steps + 1
                cured += steps > 0
                if steps:
                    self.assertFalse(has_race(message), f"{message}\n{path.read_text()}")
        self.assertGreater(cured, 40)

    def remedy(self, name, path):
        path.write_text((FOLDER / f"{name}-race.kdsl").read_text())
        message, steps = check(KDSLC, path), 0
        self.assertTrue(has_race(message))
        while has_race(message) and steps < 4:
            if changes := insertions(message):
                path.write_text(edited(path.read_text(), changes))
            else:
                source = path.read_text()
                for old, new in CURED[name]:
                    self.assertIn(old, source)
                    source = source.replace(old, new)
                path.write_text(source)
            message, steps = check(KDSLC, path), steps + 1
        self.assertFalse(has_race(message), f"{message}\n{path.read_text()}")


if __name__ == "__main__":
    KDSLC = str(Path(sys.argv.pop(1)).resolve())
    BLESS = "--bless" in sys.argv
    if BLESS:
        sys.argv.remove("--bless")
    unittest.main()
