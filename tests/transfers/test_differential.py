#!/usr/bin/env python3
"""No transfer is missed: 280 random host programs (differential.py) and 12 sessions print what an interpreter of their
own says, with the transfer plan while stale memory is poisoned, with `--transfers=each`, and without a device; every
program of examples/ prints the same in all these ways. The quick part of the suite has one file and two sessions.
Usage: test_differential.py KDSLC; `differential.py KDSLC FOLDER SEED 1` runs one file and reduces it if it fails."""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import differential  # noqa: E402
import parts  # noqa: E402

N_FILES, N_CASES, N_SESSIONS = 7, 40, 12
QUICK_FILES, QUICK_SESSIONS = 1, 2
EXAMPLES = sorted((Path(__file__).resolve().parent.parent.parent / "examples").glob("*.kdsl"))
WORLDS = [("plan", {}), ("plan", {"KDSL_POISON": "1"}), ("each", {"KDSL_MEMORY": "separate"}), ("plan", {"OMP_TARGET_OFFLOAD": "disabled"})]


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
    examples = EXAMPLES if parts.wanted(False) else []
    files = parts.chosen(range(1, 1 + N_FILES), lambda seed: seed <= QUICK_FILES)
    sessions = parts.chosen(range(1, 1 + N_SESSIONS), lambda seed: seed <= QUICK_SESSIONS)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        jobs = [pool.submit(check_example, kdslc, work, path) for path in examples]
        jobs += [pool.submit(differential.check, kdslc, work, seed, N_CASES, True) for seed in files]
        jobs += [pool.submit(differential.check_session, kdslc, seed) for seed in sessions]
        failures = [found for found in (job.result() for job in jobs) if found]
    print("\n".join(failures) if failures else
          f"{len(examples)} examples, {len(files) * N_CASES} programs, {len(sessions)} sessions: all the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
