"""Random kernels whose checks fail for some items: whether a launch ends with a failed check is the same in scalar code
(-O0), in vector code and in the interpreter, and where none fails, the arrays are.

usage: failing_kernels.py KDSLC FOLDER FIRST_SEED N_FILES [KERNELS_PER_FILE]

One program makes one launch at a time, given by number. Of a kernel that differs as little as possible is kept."""
import os
import sys
import time
from pathlib import Path

import random_kernels
from kernels import PRELUDE, kernels_of, program

KERNELS, FAILED, REDUCE_S = 12, 3, 90


class Launches(random_kernels.Bench):
    """One source file, each of whose launches is made by itself."""

    def built(self, flags):
        """(the command, None), or (None, why there is none)."""
        if flags == random_kernels.INTERPRETED:
            return [self.kdslc, "interpret", "--color=never", self.source], None
        target = self.source.with_suffix("." + "".join(c for c in "".join(flags) if c.isalnum()))
        command = [self.kdslc, *flags, "--color=never", self.source, "-o", target]
        code, err = random_kernels.run(command, random_kernels.COMPILE_S)
        return (None, f"kdslc {' '.join(flags)} ended with {code}: {err[-2000:]}") if code else ([target], None)

    def end(self, made, number):
        """How a launch ends: (exit code, what it wrote, what it said)."""
        out = self.folder / "out"
        out.write_bytes(b"")
        code, err = random_kernels.run([*made, str(number)], random_kernels.RUN_S, cwd=self.folder)
        return code, out.read_bytes(), err

    def problem(self, kernel, number, flags):
        """None, or in what a launch of the kernel, the number-th of this file, differs."""
        programs = [self.built(random_kernels.base_of(flags)), self.built(flags)]
        if not programs[0][0]:
            return None
        return programs[1][1] or self.compared(kernel, number, programs[0][0], programs[1][0], number, flags)

    def compared(self, kernel, launch, base, other, number, flags):
        want, got = self.end(base, number), self.end(other, number)
        if want[0] not in (0, FAILED) or got[0] != want[0]:
            return f"launch {launch} ends with {got[0]} {got[2]}, at -O0 with {want[0]} {want[2]}"
        if want[0] == FAILED:
            return None
        records = [r for r in kernel.records() if r[0].startswith(self.label(kernel, launch))]
        found = random_kernels.difference(records, want[1], got[1], flags == random_kernels.INTERPRETED)
        return found and "{0}[{1}] is {3}, at -O0 {2}".format(*found)

    @staticmethod
    def label(kernel, launch):
        *extents, u = kernel.launches()[launch]
        return f"{kernel.number} of {' x '.join(map(str, extents))}, u = {u}: "


def reduced(bench, kernel, launch, flags):
    def differs(text):
        bench.source.write_text(text)
        return bench.problem(kernel, launch, flags) is not None

    deadline = time.monotonic() + REDUCE_S
    functions = [f.nodes for f in kernel.functions]
    nodes = random_kernels.shrink(kernel.nodes, lambda less: differs(program([kernel], less, functions)), deadline)
    return program([kernel], nodes, functions)


def check(kdslc, folder, seed, n_kernels, flags):
    """(None or what is wrong, launches, failed ones)."""
    kernels = kernels_of(seed, n_kernels, may_fail=True)
    bench = Launches(kdslc, Path(folder), f"failing-{seed}", kernels)
    bench.source.write_text(program(kernels))
    programs = [bench.built(random_kernels.base_of(flags)), bench.built(flags)]
    for made, problem in programs:
        if problem:
            return f"seed {seed}: {problem}", 0, 0
    number = failed = 0
    for kernel in kernels:
        for launch in range(len(kernel.launches())):
            found = bench.compared(kernel, launch, programs[0][0], programs[1][0], number, flags)
            if found:
                alone = Launches(kdslc, Path(folder), f"failing-{kernel.number}", [kernel])
                text = reduced(alone, kernel, launch, flags)
                alone.source.write_text(text)
                return f"seed {seed}, {' '.join(flags)}: {found}\n{text[len(PRELUDE):]}\n{alone.source}", number, failed
            failed += bench.end(programs[0][0], number)[0] == FAILED
            number += 1
    bench.remove()
    return None, number, failed


def main():
    kdslc, folder, first, n_files = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    n_kernels = int(sys.argv[5]) if len(sys.argv) > 5 else KERNELS
    Path(folder).mkdir(parents=True, exist_ok=True)
    turns, wrong = [*random_kernels.variants(), random_kernels.INTERPRETED], 0
    for seed in range(first, first + n_files):
        found, launches, failed = check(kdslc, folder, seed, n_kernels, turns[seed % len(turns)])
        wrong += found is not None
        print(found or f"seed {seed}: {n_kernels} kernels, {launches} launches, {failed} fail, all the same",
              flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
