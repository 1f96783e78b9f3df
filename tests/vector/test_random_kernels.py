#!/usr/bin/env python3
"""The vector code of 640 random kernels (random_kernels.py) leaves the same bits as their scalar code at -O0; and so do
programs of such kernels that print sums, which other executors are compared with. Of some kernels checks fail: for the same
launches (failing_kernels.py).
Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]

The files take turns with the widths of vectors that this machine runs. `random_kernels.py KDSLC FOLDER SEED 1` makes
the kernels of one seed and keeps what is left of one that fails."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from pathlib import Path

import failing_kernels
import random_kernels
from hosts import Sums
from kernels import kernels_of, program

N_FILES = 16
SUMS_SEED, FEW = 9001, 6
FAILING_SEEDS = (1, 2)


def sums(kdslc, folder):
    """None, or what is wrong with a program that prints sums."""
    source, said = Path(folder) / "sums.kdsl", []
    source.write_text(program(kernels_of(SUMS_SEED, FEW), host=Sums))
    for flags in (["-O0"], ["-O2"]):
        code, err = random_kernels.run([kdslc, *flags, "--color=never", source, "-o", source.with_suffix("")], 300)
        if code:
            return f"kdslc {flags[0]} of a program that prints sums ended with {code}: {err[-1000:]}"
        done = subprocess.run([source.with_suffix("")], capture_output=True, text=True, timeout=60)
        said.append((done.returncode, done.stdout, done.stderr))
    launches = sum(len(kernel.launches()) for kernel in kernels_of(SUMS_SEED, FEW))
    if said[0] != said[1] or said[0][0] or len(said[0][1].splitlines()) < 2 * launches:
        return f"sums at -O0: {said[0]}\nand at -O2: {said[1]}"
    return None


def main():
    kdslc = os.path.abspath(sys.argv[1])
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, N_FILES)
    turns = random_kernels.variants()

    def check(seed):
        return random_kernels.check(kdslc, folder, seed, random_kernels.KERNELS, [turns[seed % len(turns)]])

    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for found in pool.map(check, range(first, first + n_files)):
            if found:
                failed += 1
                print(found, flush=True)
        wrong = [sums(kdslc, folder)]
        wrong += [failing_kernels.check(kdslc, folder, seed, FEW, turns[seed % len(turns)])[0] for seed in FAILING_SEEDS]
        wrong = [found for found in wrong if found]
        failed += len(wrong)
        print("\n".join(wrong) or "sums and failures are the same")
    print(f"{n_files * random_kernels.KERNELS} kernels, {failed} of {n_files} files differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
