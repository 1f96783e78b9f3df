#!/usr/bin/env python3
"""Bytes between host and device, no times: bench/transfers/run.py [NAME...] (KDSLC: the compiler, build/bin/kdslc).

For every program of examples/, and every pair of tests/conformance/: by `--transfers=each` (every launch copies its
arguments, as the modes say), by the transfer plan, by the same program with OpenMP as an expert writes it (NAME.c here, or
beside the program), and the bound (bounds.txt, which says why). `!` marks a plan that is above the bound.

    --write   put the table of the examples into docs/transfers.md
    --check   only say whether that table is up to date, and whether for every example the plan moves no more than OpenMP,
              but for what more.txt lists (CTest does)"""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/conformance")]
from test_conformance import DIRECTIONS, bytes_of, run_c, run_kdsl, table  # noqa: E402

KDSLC = Path(os.environ.get("KDSLC", ROOT / "build/bin/kdslc")).resolve()
PAGE = ROOT / "docs/transfers.md"
COLUMNS = "each", "plan", "OpenMP", "bound"
MARKS = "<!-- made by bench/transfers/run.py --write -->\n", "<!-- end -->\n"


def rows_of(path, n_fields):
    lines = (HERE / path).read_text(encoding="utf-8").splitlines()
    return [line.split(None, n_fields) for line in lines if line and not line.startswith("#")]


def bounds():
    return {name: {"to": int(to), "from": int(from_)} for name, to, from_, _ in rows_of("bounds.txt", 3)}


def allowed():
    """How much more than OpenMP a program may move."""
    return {(name, way): int(more) for name, way, more, _ in rows_of("more.txt", 3)}


def examples():
    # What programs of several processes copy depends on how many there are: tests/mpi/test_mpi.py.
    return sorted(path.stem for path in ROOT.glob("examples/*.kdsl") if not path.stem.endswith("_mpi"))


class Measured:
    """One program's bytes: {column: {"to": n, "from": n}}. What nobody has written down yet has no column."""

    def __init__(self, name, bound):
        self.name = name
        kdsl = ROOT / (f"tests/{name}.kdsl" if "/" in name else f"examples/{name}.kdsl")
        c = kdsl.with_suffix(".c") if "/" in name else HERE / f"{name}.c"
        moves = {}
        with tempfile.TemporaryDirectory() as folder:
            out, moves["each"], _ = run_kdsl(KDSLC, kdsl, folder, "--transfers=each")
            same, moves["plan"], self.checks = run_kdsl(KDSLC, kdsl, folder)
            if c.exists():
                c_out, moves["OpenMP"], _ = run_c(c, folder)
        self.same_output = out == same and (not c.exists() or out == c_out)
        self.bytes = {column: {way: bytes_of(made, way) for way in DIRECTIONS} for column, made in moves.items()}
        if bound:
            self.bytes["bound"] = bound

    def cells(self, way, show=str):
        return [show(self.bytes[column][way]) if column in self.bytes else "-" for column in COLUMNS]

    def row(self):
        cells = []
        for way in DIRECTIONS:
            each, plan, *others = self.cells(way)
            above = "bound" in self.bytes and self.bytes["plan"][way] > self.bytes["bound"][way]
            cells += [each, plan, "!" if above else "", *others]
        return [self.name, *cells, str(self.checks), "" if self.same_output else "the output differs!"]

    def markdown(self):
        return [self.name, *(cell for way in DIRECTIONS for cell in self.cells(way, "{:,}".format)), f"{self.checks:,}"]

    def complaints(self, more):
        if not self.same_output:
            yield "the output differs"
        missing = [column for column in COLUMNS if column not in self.bytes]
        if missing:
            yield f"no {' and no '.join(missing)}"
            return
        for way in DIRECTIONS:
            plan, openmp, bound = (self.bytes[column][way] for column in ("plan", "OpenMP", "bound"))
            expected = more.get((self.name, way), 0)
            if min(plan, openmp) < bound:
                yield f"{min(plan, openmp)} bytes {way} the device are below the bound, {bound}"
            if max(plan - openmp, 0) != expected:
                yield f"{plan - openmp} bytes more than OpenMP {way} the device, expected {expected}"


def page(measured):
    """docs/transfers.md with the table in it."""
    head = ["program", *(f"{way}: {column}" for way in DIRECTIONS for column in COLUMNS), "checks"]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1), *(m.markdown() for m in measured)]
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    return "".join([before, MARKS[0], *(f"| {' | '.join(row)} |\n" for row in rows), MARKS[1], rest.split(MARKS[1])[1]])


def check(measured):
    more = allowed()
    complaints = [f"{m.name}: {text}" for m in measured for text in m.complaints(more)]
    complaints += [f"more.txt: {name} {way}: no such example or direction" for name, way in more
                   if name not in examples() or way not in DIRECTIONS]
    if PAGE.read_text(encoding="utf-8") != page(measured):
        complaints.append(f"the table of {PAGE.relative_to(ROOT)} is not up to date: bench/transfers/run.py --write")
    return complaints


def main():
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")]
    known = bounds()
    names = list(known) + [name for name in examples() if name not in known]
    names = [name for name in names if name in wanted or not wanted]
    if {"--write", "--check"} & set(sys.argv):
        names = examples()
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        measured = list(pool.map(lambda name: Measured(name, known.get(name)), names))
    head = [cell for way in DIRECTIONS for cell in (f"{way}: each", "plan", "", "OpenMP", "bound")]
    table([["bytes", *head, "checks", ""], *(m.row() for m in measured)])
    if "--write" in sys.argv:
        PAGE.write_text(page(measured), encoding="utf-8")
    complaints = check(measured) if "--check" in sys.argv else []
    print("\n".join(complaints))
    return 1 if complaints or not measured else 0


if __name__ == "__main__":
    sys.exit(main())
