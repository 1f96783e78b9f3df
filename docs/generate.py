#!/usr/bin/env python3
"""Write the pages that are tables of the compiler: docs/errors.md (base/diag.def and the failing examples in tests/)
and docs/builtins.md (sema/builtin.def). With --check, only say whether they are up to date (CTest does)."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AREAS = [("E01", "Lexer"), ("E02", "Parser"), ("E03", "Names and types"), ("E04", "References, modes, assignment"),
         ("E05", "Kernels"), ("E06", "Shapes and extents"), ("E07", "Formats, asserts, constants"),
         ("E08", "Modules, C, tests"), ("E09", "Parses, not built yet"), ("E10", "Files, options, back end"), ("W", "Warnings")]
WHERE = {"HOST": "host", "BOTH": "host, kernels"}
ARGS = {"FLOAT": "floats", "NUMBER": "numbers", "INTEGER": "integers", "BOOL": "bool", "SPECIAL": "see the reference"}


def rows(path, macro):
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    for row in re.finditer(rf'^{macro}\((.*)\)\s*$', text, flags=re.M):
        yield [field.strip() for field in re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s][^,]*', row.group(1))]


def example(code):
    for folder in ("lex", "parse", "sema"):
        found = sorted((ROOT / "tests" / folder).glob(f"{code}-*.kdsl"), key=lambda p: (p.stat().st_size, p.name))
        for path in found:
            try:
                text = path.read_text().strip("\n")
            except UnicodeDecodeError:
                continue
            modules = re.findall(r"^import (\w+)", text, flags=re.M)
            if code == "E0801" or all((ROOT / "stdlib" / f"{name}.kdsl").exists() for name in modules):
                return text
    return None


def errors_page():
    out = ["# Diagnostics", "",
           "One section a code, each with the smallest program of `tests/` that shows it; the comment marks the guilty line.",
           "Codes never change meaning. This page is made by `docs/generate.py`.", ""]
    table = [(code, help_.strip('"').replace('\\"', '"')) for code, _, help_ in rows("base/diag.def", "DIAG")]
    for prefix, title in AREAS:
        part = sorted(row for row in table if row[0].startswith(prefix))
        if not part:
            continue
        out += [f"## {title}", ""]
        for code, help_ in part:
            out += [f"### {code}", "", help_[:1].upper() + help_[1:] + ".", ""]
            text = example(code)
            if text and len(text) < 1500 and all(letter.isprintable() or letter in "\n\t" for letter in text):
                fence = "````" if "```" in text else "```"
                out += [f"{fence}kdsl-error", text, fence, ""]
    return "\n".join(out).rstrip() + "\n"


def builtins_page():
    out = ["# Built-in functions", "", "Made by `docs/generate.py` from `sema/builtin.def`.", "",
           "| function | arguments | result | where |", "| --- | --- | --- | --- |"]
    for _, name, n, args, result, where, *_ in rows("sema/builtin.def", "BUILTIN"):
        count = "any number" if n == "-1" else n
        kind = ARGS.get(args, args.lower())
        result = {"SAME": "the arguments' type", "SPECIAL": "see the reference"}.get(result, f"`{result.lower()}`")
        out.append(f"| `{name.strip(chr(34))}` | {count}: {kind} | {result} | {WHERE[where]} |")
    return "\n".join(out) + "\n"


def main():
    check, stale = "--check" in sys.argv, []
    for name, text in (("errors.md", errors_page()), ("builtins.md", builtins_page())):
        path = ROOT / "docs" / name
        if check and (not path.exists() or path.read_text() != text):
            stale.append(f"docs/{name}")
        elif not check:
            path.write_text(text)
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run docs/generate.py")


if __name__ == "__main__":
    main()
