#!/usr/bin/env python3
"""Bytes between host and device, no times: bench/transfers/run.py [NAME...] (KDSLC: the compiler, build/bin/kdslc).

For every program of examples/, and every pair of tests/conformance/: by `--transfers=each` (every launch copies its
arguments, as the modes say), by the transfer plan, by the same program with OpenMP as an expert writes it (NAME.c here,
or beside the program), and the lower bound (bounds.txt, which says why). `!` marks a plan that is above the bound, `-` what
nobody has written down yet."""
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


def bounds():
    found = {}
    for line in (HERE / "bounds.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *numbers = line.split(None, 5)[:5]
            found[name] = [int(number) for number in numbers]
    return found


def measure(name, bound):
    kdsl = ROOT / (f"tests/{name}.kdsl" if "/" in name else f"examples/{name}.kdsl")
    c = kdsl.with_suffix(".c") if "/" in name else HERE / f"{name}.c"
    with tempfile.TemporaryDirectory() as folder:
        out, each, _ = run_kdsl(KDSLC, kdsl, folder, "--transfers=each")
        same, plan, checks = run_kdsl(KDSLC, kdsl, folder)
        c_out, expert, _ = run_c(c, folder) if c.exists() else (out, None, None)
    cells = [name]
    for i, way in enumerate(DIRECTIONS):
        over = "!" if bound and bytes_of(plan, way) > bound[i] else " "
        cells += [*(str(bytes_of(moves, way)) for moves in (each, plan)), over, str(bytes_of(expert, way)) if expert else "-",
                  *((str(bound[i]), str(bound[2 + i])) if bound else "--")]
    remark = "" if out == same == c_out else "the output differs!"
    return [*cells, str(checks), remark]


def main():
    known = bounds()
    there = {path.stem for path in ROOT.glob("examples/*.kdsl")}
    there |= {f"conformance/{path.stem}" for path in ROOT.glob("tests/conformance/*.kdsl")}
    names = [name for name in [*known, *sorted(there - set(known))] if not sys.argv[1:] or name in sys.argv[1:]]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        rows = list(pool.map(lambda name: measure(name, known.get(name)), names))
    ways = [cell for way in DIRECTIONS for cell in (f"{way}: each", "plan", "", "C", "bound", "elements")]
    table([["bytes", *ways, "checks", ""], *rows])


if __name__ == "__main__":
    sys.exit(main())
