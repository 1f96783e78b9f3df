#!/usr/bin/env python3
"""Random kernels (tests/vector/random_kernels.py) leave the same bits when they are executed on their tree, their work
items in random order, as scalar code at -O0. Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vector"))
import random_kernels  # noqa: E402

N_FILES = 2


def main():
    kdslc = os.path.abspath(sys.argv[1])
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, N_FILES)
    failed = 0
    for seed in range(first, first + n_files):
        os.environ["KDSL_INTERPRET_SEED"] = str(seed)
        with tempfile.TemporaryDirectory() as folder:
            found = random_kernels.check(kdslc, folder, seed, random_kernels.KERNELS, [random_kernels.INTERPRETED])
        failed += bool(found)
        print(found or f"seed {seed}: {random_kernels.KERNELS} kernels, all the same", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
