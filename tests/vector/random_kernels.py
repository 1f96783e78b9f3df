"""Random kernels (kernels.py), whose scalar code (-O0) and vector code must leave the same bits in every array.

usage: random_kernels.py KDSLC FOLDER FIRST_SEED N_FILES [KERNELS_PER_FILE]    at every width that this machine runs
       random_kernels.py --program SEED [KERNELS]    the same kernels as a program that needs no files and prints sums

A file holds many kernels, each launched over several trip counts, so that one compilation tests them all. A seed always
gives the same text. Of a kernel that differs, statements are taken away as long as it still does; what is left stays in
FOLDER. test_random_kernels.py runs this among the tests."""
import math
import os
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

from hosts import Sums
from kernels import FORMATS, PRELUDE, bytes_of, kernels_of, program
from statements import FLOATS, HALVES, INTS, smaller_versions
from arithmetic import limits     # statements.py knows where

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import widths  # noqa: E402

KERNELS = 40
BASE = ("-O0",)
INTERPRETED = ("interpret",)   # in place of flags: not compiled, but executed on its tree (interp/)
COMPILE_S, RUN_S = 300, 60     # longer is a failure
REDUCE_S = 120                 # then what is left of a kernel is small enough


# A file of noise for each type --------------------------------------------------------------------------------------

def noise_of(t, rng):
    """A number worth trying, as bytes."""
    if t in INTS:
        lo, hi = limits(t)
        v = rng.choice([lo, hi, 0, max(lo, -1), *(rng.randint(max(lo, -9), 15) for _ in range(8)),
                        *(rng.randint(lo, hi) for _ in range(8))])
    else:
        special = [0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 1e-6, -6e4]
        v = rng.choice(special + [rng.randint(-40, 40) / 4 for _ in range(10)] + [rng.gauss(0, 300) for _ in range(8)])
    if t == "bf16":
        return struct.pack("<f", v)[2:]
    return struct.pack("<" + FORMATS[t], v)


def noise():
    """20,000 numbers of each type; some of them come often."""
    rng = random.Random(1)
    some = {t: [noise_of(t, rng) for _ in range(997)] for t in INTS + FLOATS + HALVES}
    return {t: b"".join(rng.choices(numbers, k=20000)) for t, numbers in some.items()}


NOISE = noise()


def value(t, data):
    """What the bytes of an element mean: NaN is NaN, whatever its bits."""
    if t == "bf16":
        t, data = "f32", b"\0\0" + data
    values = struct.unpack("<" + FORMATS[t], data)
    return tuple("nan" if isinstance(v, float) and math.isnan(v) else repr(v) for v in values)


def difference(records, want, got, any_order=False):
    """None, or (what, element, its value, the other value) of the first element that differs. any_order: how a sum of
    floats is put together is the compiler's affair."""
    place = 0
    for what, t, n in records:
        size = bytes_of(t)
        skip = any_order and t in FLOATS and what.endswith(": result")
        if not skip and want[place:place + n * size] != got[place:place + n * size]:
            for k in range(n):
                at = slice(place + k * size, place + (k + 1) * size)
                a, b = want[at], got[at]
                if len(b) < size or value(t, a) != value(t, b):
                    return what, k, value(t, a), value(t, b) if len(b) == size else "nothing"
        place += n * size
    return None if len(got) == len(want) == place else ("the file", 0, f"{len(want)} bytes", f"{len(got)} bytes")


# Running and judging --------------------------------------------------------------------------------------------------

def run(command, seconds, cwd=None):
    env = {**os.environ, "KMP_BLOCKTIME": "0"}  # waiting threads leave the cores to other tests
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "no end", f"within {seconds} s"
    return done.returncode, done.stderr


class Bench:
    """One source file, compiled and run with several flags."""

    def __init__(self, kdslc, folder, name, kernels):
        self.kdslc, self.folder, self.kernels = kdslc, folder / name, kernels
        self.folder.mkdir(exist_ok=True)
        self.source = self.folder / f"{name}.kdsl"
        for t, numbers in NOISE.items():
            (self.folder / f"{t}.noise").write_bytes(numbers)

    def outcome(self, flags):
        """(what it wrote, None), or (None, why there is nothing)."""
        target = self.source.with_suffix("." + "".join(c for c in "".join(flags) if c.isalnum()))
        out = self.folder / "out"
        out.write_bytes(b"")
        if flags == INTERPRETED:
            rc, err = run([self.kdslc, "interpret", "--color=never", self.source], RUN_S, cwd=self.folder)
            return (None, f"kdslc interpret {self.source} ended with {rc}: {err[-1000:]}") if rc else (out.read_bytes(), None)
        said = f"{' '.join(flags)} of {self.source}"
        rc, err = run([self.kdslc, *flags, "--color=never", self.source, "-o", target], COMPILE_S)
        if rc:
            return None, f"kdslc {said} ended with {rc}: {err[-3000:]}"
        rc, err = run([target], RUN_S, cwd=self.folder)
        target.unlink()
        if rc:
            return None, f"the program made by {said} ended with {rc}: {err[-1000:]}"
        return out.read_bytes(), None

    def records(self):
        return [record for k in self.kernels for record in k.records()]

    def differs(self, text, flags):
        """Does the program run at -O0, and do something else with these flags?"""
        self.source.write_text(text)
        want, _ = self.outcome(base_of(flags))
        if want is None:
            return False
        got, _ = self.outcome(flags)
        return got is None or difference(self.records(), want, got, flags == INTERPRETED) is not None

    def first_difference(self, flags):
        want, problem = self.outcome(base_of(flags))
        if problem:
            return problem
        got, problem = self.outcome(flags)
        found = problem or difference(self.records(), want, got, flags == INTERPRETED)
        return found if problem or not found else "{0}[{1}] is {3}, at -O0 {2}".format(*found)

    def remove(self):
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


def shrink(nodes, still_differs, deadline):
    """Takes away what can be taken away."""
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for less in smaller_versions(nodes):
            if time.monotonic() < deadline and still_differs(less):
                nodes, progress = less, True
                break
    return nodes


def reduced(bench, kernel, flags):
    """The text of the kernel with as little in it as still differs."""
    deadline = time.monotonic() + REDUCE_S
    functions = [f.nodes for f in kernel.functions]
    nodes = shrink(kernel.nodes, lambda less: bench.differs(program([kernel], less, functions), flags), deadline)
    for k in range(len(functions)):
        functions[k] = shrink(functions[k], lambda less: bench.differs(
            program([kernel], nodes, functions[:k] + [less] + functions[k + 1:]), flags), deadline)
    return program([kernel], nodes, functions)


def variants():
    """A processor without fused products runs as --fp=strict does on any."""
    strict = {"--march=x86-64-v2": ("--fp=strict",)}
    always = ("-O2", "--vector=always")
    return [always, *((*always, width, *strict.get(width, ())) for width in widths()[:-1]), ("-O3",)]


def base_of(flags):
    """The flags of the scalar code that these are compared with."""
    return (*BASE, "--fp=strict") if "--fp=strict" in flags else BASE


def check(kdslc, folder, seed, n_kernels, variants):
    """None, or what is wrong with the kernels of a seed."""
    kernels = kernels_of(seed, n_kernels)
    bench = Bench(kdslc, Path(folder), f"kernels-{seed}", kernels)
    bench.source.write_text(program(kernels))
    want = {}
    for flags in variants:
        base = base_of(flags)
        if base not in want:
            want[base], problem = bench.outcome(base)
            if problem:
                return f"seed {seed}: {problem}"
        got, problem = bench.outcome(flags)
        found = None if problem else difference(bench.records(), want[base], got, flags == INTERPRETED)
        if problem or found:
            numbers = [int(found[0].split()[0])] if found else [k.number for k in kernels]
            what = problem or "{0}[{1}] is {3}, at -O0 {2}".format(*found)
            return f"seed {seed}, {' '.join(flags)}: {what}\n" + explain(kdslc, folder, kernels, numbers, flags)
    bench.remove()
    return None


def explain(kdslc, folder, kernels, numbers, flags):
    """What is left of the first kernel, of those with these numbers, that fails by itself."""
    for kernel in kernels:
        if kernel.number not in numbers:
            continue
        bench = Bench(kdslc, Path(folder), f"kernel-{kernel.number}", [kernel])
        if bench.differs(program([kernel]), flags):
            text = reduced(bench, kernel, flags)
            bench.source.write_text(text)
            return f"{text[len(PRELUDE):]}\n{bench.first_difference(flags)}\n{bench.source}"
        bench.remove()
    return "not one of them by itself"


def main():
    if sys.argv[1] == "--program":
        print(program(kernels_of(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else KERNELS), host=Sums),
              end="")
        return 0
    kdslc, folder, first, n_files = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    n_kernels = int(sys.argv[5]) if len(sys.argv) > 5 else KERNELS
    Path(folder).mkdir(parents=True, exist_ok=True)
    failed = 0
    for seed in range(first, first + n_files):
        found = check(kdslc, folder, seed, n_kernels, variants())
        failed += bool(found)
        print(found or f"seed {seed}: {n_kernels} kernels, all the same", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
