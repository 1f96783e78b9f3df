#!/usr/bin/env python3
"""The CUDA twins of bench/cuda compile, none of them spills, and there is one for every kernel of bench/kernels; the table
beside them in docs/devices.md is what the compilers make now.
Without nvcc the test is skipped, and CTest says so. Usage: test_cuda_twins.py KDSLC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "bench/kernels"), str(ROOT / "bench/cuda")]
from facts import KERNELS  # noqa: E402

SKIPPED = 77
NVCC = shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")


def run(*words, **how):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **how)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def main():
    if not NVCC:
        print("skipped: no nvcc on this machine")
        sys.exit(SKIPPED)
    os.environ["PATH"] += f":{Path(NVCC).parent}"
    os.environ["KDSLC"] = sys.argv[1]
    bench = ROOT / "bench/cuda/run.py"
    with tempfile.TemporaryDirectory() as folder:
        twins = run(sys.executable, bench, "--build", "--arch", "sm_90", "--out", folder).strip()
        functions = run("nm", "--defined-only", twins)
        driver = (ROOT / "bench/kernels/peers/driver.c").read_text()
        for kernel in KERNELS:
            row = re.search(rf"\bROW\({kernel.name}, (\w+)\)", driver)
            assert row and re.search(rf" [TW] {row[1]}$", functions, re.M), f"no twin of {kernel.name}"
        print(run(sys.executable, bench, "--static", "--check", "--arch", "sm_90", "--out", folder), end="")
        table = (Path(folder) / "static.tsv").read_text().splitlines()
        names = table[0].split("\t")
        rows = [dict(zip(names, line.split("\t"))) for line in table[1:]]
        assert len(rows) >= len(KERNELS), table
        for row in rows:
            assert row["spilled"] == "0" and int(row["registers"]) > 0, row
            assert int(row["instructions"]) > 5, row


main()
