#!/usr/bin/env python3
"""The vector code of 1,000 random kernels (random_kernels.py) leaves the same bits as their scalar code at -O0.
Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]

The files take turns with the processors whose code they are compiled to. `random_kernels.py KDSLC FOLDER SEED 1` makes
the kernels of one seed and keeps what is left of one that fails."""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import random_kernels

N_FILES = 25
TURNS = [("-O2",), ("-O2", "--march=x86-64-v3"), ("-O2",), ("-O3",), ("-O2", "--march=x86-64-v2")]


def runs_here(flags):
    return "--march=x86-64-v3" not in flags or " avx2 " in Path("/proc/cpuinfo").read_text()


def main():
    kdslc = os.path.abspath(sys.argv[1])
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, N_FILES)
    turns = [flags for flags in TURNS if runs_here(flags)]

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
