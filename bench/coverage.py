#!/usr/bin/env python3
"""Coverage matrix, which programs each transformation changes: bench/coverage.py [--kdslc KDSLC] [--march LIST] [TRANSFORMATION ...]

Compiles every program of examples/, tests/run/, bench/kernels/, bench/rewrites/ and bench/strangers/ for the CPU device without each row of
irgen/transform.def (--no-transform), for each --march. A program counts if its assembly changes. A transformation must
change at least three unrelated programs (docs/vectoriser.md); programs are unrelated if their names have no word in
common.

--write [TRANSFORMATION ...] writes three programs for each transformation, and for each processor on which it has an effect, to
bench/coverage.txt; --check compiles these, and fails if one no longer changes or there are fewer than three (a test).
Without either option prints the matrix: a line for each transformation, then its programs."""
import argparse
import collections
import hashlib
import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench/coverage.txt"
FOLDERS = ("examples", "tests/run", "bench/kernels", "bench/rewrites", "bench/strangers")
LEAST = 3
# Words of program names that do not describe the computation.
COMMON = {"kernel", "kernels", "in", "of", "and", "as", "the", "with", "from", "to", "naive", "tiled", "local", "host", "gpu",
          "group", "groups", "f32", "f64", "i32", "i64", "array", "arrays", "2d", "3d", "a", "at", "large", "small"}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--march", default="x86-64-v2,x86-64-v3,x86-64-v4")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", metavar="TRANSFORMATION")
    return parser.parse_args()


def transformations(kdslc):
    text = subprocess.run([kdslc, "--no-transform=list"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.splitlines()]


def programs():
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).glob("*.kdsl"))]
    return [str(p.relative_to(ROOT)) for p in found if re.search(r"\bkernel\b", p.read_text(errors="replace"))]


class Assembly:
    """Of a program for a processor, without a transformation; None: it has no kernels, or is not to be compiled."""

    def __init__(self, kdslc):
        self.kdslc, self.known = kdslc, {}

    def __call__(self, program, march, without=None):
        key = program, march, without
        if key not in self.known:
            command = [self.kdslc, program, "--emit=device-asm", f"--march={march}", "--offload-arch=host", "-o", "-"]
            command += [f"--no-transform={without}"] if without else []
            done = subprocess.run(command, capture_output=True, cwd=ROOT)
            self.known[key] = None if done.returncode else hashlib.sha1(done.stdout).digest()
        return self.known[key]

    def changes(self, program, march, name):
        whole = self(program, march)
        return whole is not None and self(program, march, name) != whole


def words(program):
    stem = re.sub(r"\d+$", "", Path(program).stem)
    return {w for w in re.split(r"[-_]", stem) if w not in COMMON} or {stem}


def unrelated(names):
    """As many programs as possible (greedily) no two of which share a word; examples and benchmarks first."""
    chosen = []
    for name in sorted(names, key=lambda n: (n.startswith("tests"), n)):
        if not any(words(name) & words(other) for other in chosen):
            chosen.append(name)
    return chosen


def measure(chosen, names):
    """{transformation: {program: [march, ...]}}"""
    assembly, found = Assembly(chosen.kdslc), collections.defaultdict(dict)
    marches = chosen.march.split(",")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        wholes = list(itertools.product(programs(), marches))
        kernels = [w for w, text in zip(wholes, pool.map(lambda w: assembly(*w), wholes)) if text]
        todo = [(program, march, name) for name in names for program, march in kernels]
        for (program, march, name), differs in zip(todo, pool.map(lambda t: assembly.changes(*t), todo)):
            if differs:
                found[name].setdefault(program, []).append(march)
    return found


def show(found, names):
    for name in names:
        all_of, apart = found.get(name, {}), unrelated(found.get(name, {}))
        print(f"{name:26}{len(all_of):4} programs, {len(apart):4} unrelated")
        for program in all_of if len(apart) < 12 else apart[:12]:
            print(f"    {program}  {' '.join(all_of[program])}")


def find_some(assembly, name, march, jobs):
    """LEAST unrelated programs that the transformation changes, or all that there are; it is asked in small batches."""
    todo, found = sorted(programs(), key=lambda p: p.startswith("tests")), []
    with ThreadPoolExecutor(jobs) as pool:
        while todo and len(unrelated(found)) < LEAST:
            batch, todo = todo[:4 * jobs], todo[4 * jobs:]
            found += [p for p, differs in zip(batch, pool.map(lambda p: assembly.changes(p, march, name), batch)) if differs]
    return unrelated(found)[:LEAST]


def write(chosen, names):
    assembly, lines = Assembly(chosen.kdslc), []
    if TABLE.exists():
        lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#") and line.split()[0] not in names]
    for name, march in itertools.product(names, chosen.march.split(",")):
        some = find_some(assembly, name, march, chosen.jobs)
        print(name, march, *some, flush=True)
        if some:
            lines.append(f"{name} {march} {' '.join(some)}")
    TABLE.write_text("# Made by bench/coverage.py --write: a transformation, a processor, three programs that it serves there.\n" +
                     "\n".join(sorted(lines)) + "\n")


def check(chosen, names, all_names):
    rows = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    unknown = {row[0] for row in rows} - set(all_names)
    rows = [row for row in rows if row[0] in names]
    assembly, problems = Assembly(chosen.kdslc), []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        kept = list(pool.map(lambda row: [p for p in row[2:] if assembly.changes(p, row[1], row[0])], rows))
    for (name, march, *served), still in zip(rows, kept):
        problems += [f"{name} does not change {p} for {march} any more" for p in served if p not in still]
        if len(unrelated(still)) < LEAST:
            problems.append(f"{name} serves {len(unrelated(still))} unrelated programs of {TABLE.name} for {march}, not {LEAST}")
    known = {row[0] for row in rows}
    problems += [f"{TABLE.name} has no line for {name}" for name in names if name not in known]
    problems += [f"{TABLE.name} has a line for {name}, which --no-transform does not know" for name in sorted(unknown)]
    print("\n".join(problems) or f"{len(names)} transformations serve {LEAST} unrelated programs each, on each processor named")
    return 1 if problems else 0


def main():
    chosen = options()
    chosen.kdslc = chosen.kdslc.resolve()
    known = transformations(chosen.kdslc)
    names = chosen.names or known
    if set(names) - set(known):
        sys.exit(f"coverage: no transformation `{sorted(set(names) - set(known))[0]}`; there are {', '.join(known)}")
    if chosen.check:
        return check(chosen, names, known)
    if chosen.write:
        write(chosen, names)
        return 0
    show(measure(chosen, names), names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
