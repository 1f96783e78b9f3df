#!/usr/bin/env python3
"""Write the pages that are tables of the compiler: docs/builtins.md (sema/builtin.def, irgen/math/accuracy.def), and of docs/errors.md the
headings and first sentences (base/diag.def); what the page says about a code stays, a new code gets its failing test.
With --check, only say whether they are up to date, and what docs/errors.md lacks (CTest does)."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AREAS = [("E01", "Lexer"), ("E02", "Parser"), ("E03", "Names and types"), ("E04", "References, modes, assignment"),
         ("E05", "Kernels"), ("E06", "Shapes and extents"), ("E07", "Formats, asserts, constants"),
         ("E08", "Modules, C, tests"), ("E10", "Files, options, back end"), ("W", "Warnings")]
WHERE = {"HOST": "host", "BOTH": "host, kernels"}
ARGS = {"FLOAT": "floats", "NUMBER": "numbers", "INTEGER": "integers", "BOOL": "bool", "SPECIAL": "see the reference"}


def rows(path, macro):
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    for row in re.finditer(rf'^{macro}\((.*)\)\s*$', text, flags=re.M):
        yield [field.strip() for field in re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s][^,]*', row.group(1))]


# Codes that no single file of text shows: they are about files, bytes, several modules, sizes, or what is installed.
NO_PROGRAM = {"E0103", "E0104", "E0328", "E0623", "E0802"}


def sections():
    """What docs/errors.md says about each code, below the sentence from diag.def."""
    path = ROOT / "docs/errors.md"
    parts = re.split(r"^### (\w+)\n", path.read_text() if path.exists() else "", flags=re.M)[1:]
    for code, body in zip(parts[::2], parts[1::2]):
        yield code, re.split(r"^## ", body, flags=re.M)[0].strip("\n").partition("\n")[2].strip("\n")


def example(code):
    """The smallest failing test, for a code that is new."""
    for folder in ("lex", "parse", "sema"):
        found = sorted((ROOT / "tests" / folder).glob(f"{code}-*.kdsl"), key=lambda p: (p.stat().st_size, p.name))
        for path in found:
            text = path.read_bytes().decode(errors="replace").strip("\n")
            return f"```kdsl-error\n{text}\n```"
    return ""


def errors_page():
    out = ["# Diagnostics", "",
           "One section a code: what it means, a program that is wrong, and the same put right. `kdslc explain E0301` prints",
           "a section. Codes never change meaning.", "",
           "The sentences in italics come from `base/diag.def`, with `docs/generate.py`; the rest is written here, and the",
           "tests hold every wrong program to its code and every right one to none.", ""]
    table = [(code, help_.strip('"').replace('\\"', '"')) for code, _, help_ in rows("base/diag.def", "DIAG")]
    known = dict(sections())
    for prefix, title in AREAS:
        part = sorted(row for row in table if row[0].startswith(prefix))
        if not part:
            continue
        out += [f"## {title}", ""]
        for code, help_ in part:
            out += [f"### {code}", "", f"*{help_[:1].upper() + help_[1:]}.*", "", known.get(code) or example(code), ""]
    return re.sub(r"\n{3,}(?=#)", "\n\n", "\n".join(out)).rstrip() + "\n"


def incomplete():
    """Codes whose section lacks its sentences, its wrong or its right program."""
    for code, body in sections():
        alone = code in NO_PROGRAM or code.startswith("E10")
        words = re.sub(r"^```.*?^```", "", body, flags=re.M | re.S).strip()
        if not words or not (alone or ("```kdsl-error\n" in body and "```kdsl-right\n" in body)):
            yield code


def builtins_page():
    out = ["# Built-in functions", "", "Made by `docs/generate.py` from `sema/builtin.def` and `irgen/math/accuracy.def`.", "",
           "| function | arguments | result | where |", "| --- | --- | --- | --- |"]
    for _, name, n, args, result, where, *_ in rows("sema/builtin.def", "BUILTIN"):
        count = "any number" if n == "-1" else n
        kind = ARGS.get(args, args.lower())
        result = {"SAME": "the arguments' type", "SPECIAL": "see the reference"}.get(result, f"`{result.lower()}`")
        out.append(f"| `{name.strip(chr(34))}` | {count}: {kind} | {result} | {WHERE[where]} |")
    out += ["", "## How exact they are in kernels", "",
            "At most so many units in the last place from the exact result, over the whole range, on a processor with FMA",
            "(`irgen/math/accuracy.def`, which tests hold the functions to). What is not in the table, or has no number, is a",
            "call of the C library's function; so are all of them in host code, and in kernels for processors without FMA.",
            "", "| function | `f32` | `f64` |", "| --- | --- | --- |"]
    for name, _, *bounds in rows("irgen/math/accuracy.def", "MATH"):
        ulp32, ulp64 = ("C library" if float(bound) == 0 else bound for bound in bounds)
        out.append(f"| `{name}` | {ulp32} | {ulp64} |")
    return "\n".join(out) + "\n"


def main():
    check, stale = "--check" in sys.argv, []
    for name, text in (("errors.md", errors_page()), ("builtins.md", builtins_page())):
        path = ROOT / "docs" / name
        if check and (not path.exists() or path.read_text() != text):
            stale.append(f"docs/{name}")
        elif not check:
            path.write_text(text)
    missing = list(incomplete()) if check else []
    if missing:
        print("docs/errors.md: say in a few words what it is, with a ```kdsl-error and a ```kdsl-right program:",
              ", ".join(missing))
    if missing and not stale:
        sys.exit(1)
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run docs/generate.py")


if __name__ == "__main__":
    main()
