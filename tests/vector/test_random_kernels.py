#!/usr/bin/env python3
"""The vector code of 640 random kernels (random_kernels.py) leaves the same bits as their scalar code at -O0; and so do
programs of such kernels that print sums, which other executors are compared with. Of some kernels checks fail: for the same
launches (failing_kernels.py).
Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]

The files take turns with the widths of vectors that this machine runs; the quick part of the suite has a small file
for each. `random_kernels.py KDSLC FOLDER SEED 1` makes
the kernels of one seed and keeps what is left of one that fails."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import failing_kernels  # noqa: E402
import parts  # noqa: E402
import random_kernels  # noqa: E402
from hosts import Sums  # noqa: E402
from kernels import kernels_of, program  # noqa: E402

N_FILES = 16
QUICK_SEED, QUICK_KERNELS = 101, 12
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
    turns = random_kernels.variants()
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, N_FILES)
    seeds, n_kernels = range(first, first + n_files), random_kernels.KERNELS
    if parts.PART == "quick":
        seeds, n_kernels = range(QUICK_SEED, QUICK_SEED + len(turns)), QUICK_KERNELS
    failing_seeds = parts.chosen(FAILING_SEEDS, lambda seed: seed == FAILING_SEEDS[0])

    def check(seed):
        return random_kernels.check(kdslc, folder, seed, n_kernels, [turns[seed % len(turns)]])

    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for found in pool.map(check, seeds):
            if found:
                failed += 1
                print(found, flush=True)
        wrong = [sums(kdslc, folder)] if parts.wanted(True) else []
        wrong += [failing_kernels.check(kdslc, folder, seed, FEW, turns[seed % len(turns)])[0]
                  for seed in failing_seeds]
        wrong = [found for found in wrong if found]
        failed += len(wrong)
        print("\n".join(wrong) or "sums and failures are the same")
    print(f"{len(seeds) * n_kernels} kernels, {failed} of {len(seeds)} files differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
