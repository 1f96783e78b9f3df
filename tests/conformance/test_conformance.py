#!/usr/bin/env python3
"""What moves, beside what an expert's OpenMP would move: each NAME.kdsl has a NAME.c of the same algorithm and sizes, with
pragmas as someone who knows them writes them. Both are compiled and run with LIBOMPTARGET_INFO=32. They must print the
same, and the copies that libomptarget then tells of are compared: in neither direction may KDSL's program make more
copies, or move more bytes. Results of reductions count too; slots of checks, which C does not have, are shown apart. The
same copies in the same order are called `same`; if KDSL's are some of the C program's, `part`; anything else `other`.

Where KDSL moves more, the head of NAME.kdsl says so, and how much, which must then be exact:
    // more: from 7920            because ...
The quick part of the suite has a pair for each kind of plan (QUICK).
Usage: test_conformance.py KDSLC [NAME...]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import parts  # noqa: E402
from run import copies  # noqa: E402

CLANG = os.environ.get("CLANG", "clang-22")
CLANG_FLAGS = ["-O1", "-Wall", "-march=native", "-ffp-contract=on", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
DIRECTIONS = ("to", "from")
# Straight line, swaps in a loop, a branch, a read of the host between launches, a slice, a function, a reduction, atomics.
QUICK = {"saxpy", "jacobi", "branch", "host-reads", "slice", "in-function", "dot", "histogram"}


def call(command, cwd=None, **env):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, cwd=cwd,
                          env={**os.environ, "KMP_BLOCKTIME": "0", **env})
    if done.returncode != 0:
        raise RuntimeError(f"$ {' '.join(map(str, command))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def moved(program, *args):
    """What the program prints, its copies as (direction, bytes) in order, and the bytes of checks' slots."""
    out, err = call([program, *args], cwd=program.parent, LIBOMPTARGET_INFO="32", KDSL_MEMORY="separate")
    made = copies(err)
    checks = sum(n_bytes for _, name, n_bytes in made if name == "checks")
    return out, [(way, n_bytes) for way, name, n_bytes in made if name != "checks"], checks


def run_kdsl(kdslc, source, folder, *flags, args=()):
    program = Path(folder) / f"{source.stem}.kdsl.out"
    call([kdslc, "-O1", "--color=never", *flags, source, "-o", program])
    return moved(program, *args)


def run_c(source, folder):
    program = Path(folder) / f"{source.stem}.c.out"
    call([CLANG, *CLANG_FLAGS, source, "-o", program, "-lm", "-lpng"])
    return moved(program)


def bytes_of(moves, way):
    return sum(n_bytes for direction, n_bytes in moves if direction == way)


def count_of(moves, way):
    return sum(direction == way for direction, _ in moves)


def order_of(kdsl, c):
    """Neighbours of one direction have no order among themselves."""
    def runs(moves):
        found = []
        for way, n_bytes in moves:
            if not found or found[-1][0] != way:
                found.append((way, []))
            found[-1][1].append(n_bytes)
        return [(way, sorted(sizes)) for way, sizes in found]

    if runs(kdsl) == runs(c):
        return "same"
    rest = list(c)
    for move in kdsl:
        if move not in rest:
            return "other"
        rest.remove(move)
    return "part"


class Pair:
    def __init__(self, source, kdslc, folder):
        self.name, self.complaints = source.stem, []
        more = dict.fromkeys(DIRECTIONS, 0)
        for way, n_bytes in re.findall(r"^// more: (to|from) (\d+)", source.read_text(encoding="utf-8"), re.MULTILINE):
            more[way] = int(n_bytes)
        out, self.kdsl, self.checks = run_kdsl(kdslc, source, folder)
        c_out, self.c, _ = run_c(source.with_suffix(".c"), folder)
        self.order = order_of(self.kdsl, self.c)
        if out != c_out:
            self.complaints.append(f"{self.name}: the output differs\n{out}and from C\n{c_out}")
        for way in DIRECTIONS:
            n_more = bytes_of(self.kdsl, way) - bytes_of(self.c, way)
            if n_more != more[way] if more[way] else n_more > 0:
                self.complaints.append(f"{self.name}: {n_more} bytes more than C {way} the device, expected {more[way]}")
            if not more[way] and count_of(self.kdsl, way) > count_of(self.c, way):
                self.complaints.append(f"{self.name}: more copies than C {way} the device")

    def row(self):
        cells = [f"{bytes_of(moves, way)} / {count_of(moves, way)}" for way in DIRECTIONS
                 for moves in (self.kdsl, self.c)]
        return [self.name, *cells, str(self.checks), self.order]


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i,
                        (cell, w) in enumerate(zip(row, widths))).rstrip())


def main():
    kdslc = Path(sys.argv[1]).resolve()
    names = sys.argv[2:]
    if not shutil.which(CLANG):
        print(f"{CLANG} is missing: ./dev test installs it (Debian packages clang-22 clang-tools-22)")
        return 1
    sources = sorted(path for path in HERE.glob("*.kdsl") if not names or path.stem in names)
    sources = parts.chosen(sources, lambda path: path.stem in QUICK)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        pairs = list(pool.map(lambda path: Pair(path, kdslc, folder), sources))
    table([["bytes / copies", "to: kdsl", "to: C", "from: kdsl", "from: C", "checks", "order"],
           *(pair.row() for pair in pairs)])
    complaints = [text for pair in pairs for text in pair.complaints]
    print("\n".join([f"{len(pairs)} pairs", *complaints]))
    return 1 if complaints or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
