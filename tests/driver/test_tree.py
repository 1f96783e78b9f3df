#!/usr/bin/env python3
"""Rules the source tree keeps: where LLVM may be included, the order of the rooms, how long a file gets, and that every
diagnostic has a failing example. Usage: test_tree.py KDSLC

`test_tree.py --rooms` prints which room includes which headers of which other one."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ["base", "lexer", "grammar", "parser", "fmt", "sema", "lsp", "interp", "offload", "irgen", "driver"]
ALSO = {"base": [], "lexer": ["grammar"], "parser": ["grammar"], "grammar": ["parser"], "interp": ["runtime"],
        "offload": ["runtime"], "irgen": ["runtime"], "repl": [*ROOMS, "runtime"], "jupyter": ["base", "lexer", "lsp", "repl"], "runtime": []}
# irgen has rooms of its own, which know those before them; files beside them (pipeline, targets) know all, and these
# headers of theirs everybody may include.
IRGEN_ROOMS = ["lang", "launch", "cpu", "gpu", "advice", "passes", "simd"]
IRGEN_ALONE = ["launch", "cpu", "gpu", "advice"]  # know nothing of each other, and of passes and simd
IRGEN_FOR_ALL = ("irgen/irgen.h", "irgen/target.h", "irgen/embed.h")
LLVM_ROOMS = ("irgen", "offload", "repl")
MAX_LINES = 800
MAX_COLUMNS = 120  # of C; rows of tables may be longer
CODE = (".c", ".h", ".cpp", ".def", ".y", ".re", ".py", ".kdsl", ".cmake", ".txt")


def sources(*suffixes):
    for folder in [*ROOMS, "repl", "jupyter", "runtime", "stdlib", "examples", "tests", "bench", "cmake", "docs"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path, path.relative_to(ROOT)


def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), flags=re.M)


def inner_includes():
    """(room of irgen, a header of irgen, the file that includes it)"""
    for path, name in sources(".c", ".h", ".cpp"):
        if name.parts[0] == "irgen" and len(name.parts) > 2 and name.parts[1] != "math":
            for header in includes(path):
                if header.startswith("irgen/"):
                    yield name.parts[1], header, name


def print_rooms():
    seen = {}
    for room, header, name in inner_includes():
        if not header.startswith(f"irgen/{room}/"):
            seen.setdefault((room, header), []).append(name.name)
    for (room, header), names in sorted(seen.items(), key=lambda item: (IRGEN_ROOMS.index(item[0][0]), item[0])):
        print(f"{room:8} -> {header:28} {' '.join(sorted(names))}")


class TreeTest(unittest.TestCase):
    def test_llvm_stays_in_its_rooms(self):
        for path, name in sources(".c", ".h", ".cpp", ".y", ".re"):
            for header in includes(path):
                if re.match(r"(llvm|llvm-c|lld)/", header) and name.parts[0] not in (*LLVM_ROOMS, "tests"):
                    self.fail(f"{name} includes {header}: LLVM belongs in {', '.join(LLVM_ROOMS)}")

    def test_rooms_know_only_what_is_above_them(self):
        for path, name in sources(".c", ".h", ".cpp", ".y", ".re"):
            room = name.parts[0]
            if room in ("tests", "bench", "driver"):
                continue
            allowed = {room, *ALSO.get(room, []), *(ROOMS[:ROOMS.index(room)] if room in ROOMS else [])}
            for header in includes(path):
                if "/" in header and header.split("/")[0] in (*ROOMS, "runtime", "repl"):
                    self.assertIn(header.split("/")[0], allowed, f"{name} includes {header}")

    def test_rooms_of_irgen_know_only_those_before_them(self):
        for room, header, name in inner_includes():
            known = {room, "lang"} if room in IRGEN_ALONE else set(IRGEN_ROOMS[:IRGEN_ROOMS.index(room) + 1]) - set(IRGEN_ALONE)
            other = header.split("/")[1] if header.count("/") > 1 else "irgen"
            self.assertTrue(other in known or header in IRGEN_FOR_ALL, f"{name} includes {header}")

    def test_headers_of_irgen_show_what_other_rooms_use(self):
        seen_by = {}
        for path, name in sources(".c", ".h", ".cpp"):
            if name.parts[0] in ("irgen", "driver", "repl") or name.parts[:2] == ("tests", "unit"):
                room = name.parts[1] if name.parts[0] == "irgen" and len(name.parts) > 2 else name.parts[0]
                for header in includes(path):
                    if re.match(rf"irgen/(?!{room}/|math/)\w+/.*\.h$", header):
                        seen_by.setdefault(header, []).append((room, path))
        for header in seen_by:
            room = header.split("/")[1]
            others = "".join(path.read_text() for path, name in sources(".c", ".cpp", ".h", ".def")
                             if name.parts[:2] != ("irgen", room) and name.parts[0] in ("irgen", "driver", "repl",
                                                                                        "tests"))
            for function in re.findall(r"^[A-Za-z][^;{}()=]*?\**\b(\w+)\(", (ROOT / header).read_text(), flags=re.M):
                used = re.search(rf"\b{function}\b", others)
                self.assertTrue(used, f"{header} shows {function}, which only {room} uses")

    def test_every_room_of_irgen_is_known(self):
        found = {path.parent.name for path in (ROOT / "irgen").glob("*/*.c")} - {"math"}
        self.assertEqual(found, set(IRGEN_ROOMS))

    def test_the_map_has_every_pass_and_decision(self):
        text = (ROOT / "docs/architecture.md").read_text()
        passes = re.findall(r'^PASS\(\w+, "([\w-]+)"', (ROOT / "irgen/pass.def").read_text(), flags=re.M)
        self.assertEqual(re.findall(r"^\| `([\w-]+)` \|", text[text.index("## Passes"):], flags=re.M), passes)
        pages = {path.name for path in (ROOT / "docs/decisions").iterdir()}
        self.assertEqual(set(re.findall(r"\]\(decisions/([\w-]+\.md)\)", text)), pages)
        for path in (ROOT / "docs/decisions").iterdir():
            for code in re.findall(r"`([a-z]+/[\w/]+\.(?:c|h|def|cpp|py))`", path.read_text()):
                self.assertTrue((ROOT / code).exists(), f"{path.name} names {code}")

    def test_switches_over_our_enumerations_have_no_default(self):
        """-Werror=switch names what a new row lacks only where no `default:` takes it."""
        for path, name in sources(".c", ".h", ".cpp"):
            if name.parts[0] in ("tests", "bench"):
                continue
            text = re.sub(r"/\*.*?\*/|//.*", "", path.read_text(), flags=re.S if path.suffix != ".cpp" else 0)
            for found in re.finditer(r"\bdefault:", text):
                start, depth = found.start(), 1
                while depth:
                    start -= 1
                    depth += {"}": 1, "{": -1}.get(text[start], 0)
                for label in re.findall(r"\bcase\s+([\w:]+|'.*?')", text[start:found.start()]):
                    foreign = re.match(r"LLVM|Intrinsic::|TOK_|'|\d", label)
                    self.assertTrue(foreign, f"{name}: a `default:` beside `case {label}`")

    def test_no_file_is_too_long(self):
        for path, name in sources(*CODE):
            if name.parts[0] == "tests" and path.suffix in (".kdsl", ".txt"):
                continue  # generated or deliberately large inputs
            with open(path, errors="replace") as text:
                lines = sum(1 for _ in text)
            self.assertLessEqual(lines, MAX_LINES, f"{name} has {lines} lines: look for the second idea")

    def test_dev_tells_its_commands(self):
        done = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        for command in "setup", "build", "test", "bench":
            self.assertIn(f"./dev {command}", done.stdout)

    def test_lines_of_c_fit_the_screen(self):
        for path, name in sources(".c", ".h"):
            for i, line in enumerate(path.read_text(errors="replace").split("\n")):
                row = re.match(r"\s*(\{|case )", line)
                self.assertTrue(row or len(line) <= MAX_COLUMNS, f"{name}:{i + 1} has {len(line)} columns")

    def test_every_diagnostic_has_a_failing_example(self):
        rows = re.findall(r"^DIAG\((\w+),", (ROOT / "base/diag.def").read_text(), flags=re.M)
        self.assertEqual(len(rows), len(set(rows)), "a code twice")
        shown = set()
        for path, name in sources(".kdsl"):
            if name.parts[0] == "tests":
                shown |= set(re.findall(r"//.*?\[([EW]\d{4})\]", path.read_bytes().decode(errors="replace")))
                shown |= set(re.findall(r"(?:error|warning)\[([EW]\d{4})\]",
                                        path.read_bytes().decode(errors="replace")))
        for path, name in sources(".py", ".c"):
            if name.parts[0] == "tests":
                shown |= set(re.findall(r'"([EW]\d{4})"', path.read_text()))
        missing = sorted(set(rows) - shown)
        self.assertEqual(missing, [], f"diagnostics that no test shows: {missing}")

    def test_every_code_used_is_a_row_and_the_other_way_round(self):
        rows = set(re.findall(r"^DIAG\((\w+),", (ROOT / "base/diag.def").read_text(), flags=re.M))
        used = set()
        for path, name in sources(".c", ".cpp", ".y", ".re", ".h", ".def"):
            if name.parts[0] != "tests" and name != Path("base/diag.def"):
                used |= set(re.findall(r"\b([EW]\d{4})\b", path.read_text()))
        self.assertEqual(sorted(used - rows), [], "codes without a row")
        self.assertEqual(sorted(rows - used), [], "rows that nothing reports")


if __name__ == "__main__":
    if "--rooms" in sys.argv:
        sys.exit(print_rooms())
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
