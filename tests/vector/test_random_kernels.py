#!/usr/bin/env python3
"""The vector code of 800 random kernels (random_kernels.py) leaves the same bits as their scalar code at -O0.
Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]

The files take turns with the widths of vectors that this machine runs. `random_kernels.py KDSLC FOLDER SEED 1` makes
the kernels of one seed and keeps what is left of one that fails."""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import random_kernels

N_FILES = 20


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
    print(f"{n_files * random_kernels.KERNELS} kernels, {failed} of {n_files} files differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
