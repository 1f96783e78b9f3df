#!/usr/bin/env python3
"""No transfer is missed: 500 random host programs (differential.py), and every program of examples/, give the same output
with the transfer plan while stale memory is poisoned, with `--transfers=each`, and without a device.
Usage: test_differential.py KDSLC [FIRST_SEED N_FILES]; `differential.py KDSLC FOLDER SEED 1` keeps the file that failed."""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import differential

N_FILES, N_CASES = 25, 20
EXAMPLES = sorted((Path(__file__).resolve().parent.parent.parent / "examples").glob("*.kdsl"))
WORLDS = [("plan", {}), ("plan", {"KDSL_POISON": "1"}), ("each", {}), ("plan", {"OMP_TARGET_OFFLOAD": "disabled"})]


def check_example(kdslc, work, path):
    folder = Path(work) / path.stem
    folder.mkdir()
    for how in ("plan", "each"):
        rc, out, err = differential.run([kdslc, f"--transfers={how}", str(path), "-o", str(folder / how)])
        if rc:
            return f"{path.name}: kdslc --transfers={how} ended with {rc}:\n{out}{err}"
    beside = path.with_suffix(".expected")
    want = beside.read_text() if beside.exists() else differential.run([str(folder / "each")], cwd=str(folder))[1]
    for how, env in WORLDS:
        got = differential.run([str(folder / how)], cwd=str(folder), **env)
        if got[:2] != (0, want):
            return f"{path.name} with --transfers={how} {env}: exit code {got[0]}\n{got[1]}{got[2]}"
    return None


def main():
    kdslc = os.path.abspath(sys.argv[1])
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, N_FILES)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        examples = [pool.submit(check_example, kdslc, work, path) for path in EXAMPLES]
        files = [pool.submit(differential.check, kdslc, work, seed, N_CASES) for seed in range(first, first + n_files)]
        failures = [found for found in (job.result() for job in examples + files) if found]
    print("\n".join(failures) if failures else
          f"{len(EXAMPLES)} examples, {n_files * N_CASES} programs: all the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
