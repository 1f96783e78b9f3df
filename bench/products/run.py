#!/usr/bin/env python3
"""Products of matrices of all layouts, as a user writes them first, beside OpenBLAS: shares of the most fused
multiplications and additions that the processor can do.

Usage: run.py [--kdslc KDSLC] [--threads N] [--sizes N,...] [--type f64|f32] [--seconds S] [FORM]

A row for each form and size: billions of operations a second, share of the peak, and KDSL / OpenBLAS. 1 if a result is
wrong."""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from report import machine  # noqa: E402

MOST_DIFFERENT = {"f64": 1e-12, "f32": 1e-4}
LETTERS = {"f64": ("d", "double"), "f32": ("s", "float")}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sizes", default="512,1000,1024,2048")
    parser.add_argument("--type", choices=LETTERS, action="append")
    parser.add_argument("--seconds", default="1")
    parser.add_argument("--flags", default="", help="more options of kdslc")
    parser.add_argument("form", nargs="?", default="")
    return parser.parse_args()


def call(*command, cwd, **more):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def vector_bytes():
    with open("/proc/cpuinfo") as info:
        flags = info.read()
    return 64 if "avx512f" in flags else 32


def build(o, real, folder):
    letter, c_type = LETTERS[real]
    (folder / "products.kdsl").write_text((HERE / "products.kdsl").read_text().replace("f64", real))
    o.kdslc = o.kdslc.resolve() # others run in `folder`
    call(o.kdslc, *shlex.split(o.flags), "-c", "products.kdsl", "-o", "products.k.o", "--header=products.h", cwd=folder)
    flags = call(o.kdslc, "--print-link-flags", cwd=folder).split()
    blas = call("pkg-config", "--cflags", "--libs", "openblas", cwd=folder).split()
    call("clang-22", "-O2", "-march=native", "-fopenmp", "-ffp-contract=fast", "-std=gnu17", f"-I{folder}", f"-DREAL={c_type}",
         f"-DLETTER={letter}", f'-DTYPE="{real}"', f"-DVECTOR_BYTES={vector_bytes()}", HERE / "products.c", "products.k.o",
         *flags, *blas, "-lm", "-o", real, cwd=folder)


def main():
    o, wrong = options(), False
    env = {**os.environ, "OMP_NUM_THREADS": str(o.threads), "OPENBLAS_NUM_THREADS": str(o.threads), "OMP_PROC_BIND": "false",
           "OMP_WAIT_POLICY": "passive", "OPENBLAS_THREAD_TIMEOUT": "4",  # threads that wait would take the other's time
           "LD_LIBRARY_PATH": f"/usr/lib/llvm-22/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    for name, value in machine(o.threads, [os.getloadavg()[0]], shlex.split(o.flags)).items():
        print(f"{name}: {value}")
    print(f"{'form':<9}{'type':<5}{'size':>5} {'GFlop/s':>8} {'of peak':>8} {'OpenBLAS':>9} {'of peak':>8} {'ratio':>6}")
    for real in o.type or LETTERS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            build(o, real, folder)
            out = call(folder / real, o.seconds, o.form, *o.sizes.split(","), cwd=folder, env=env)
        rows = [line.split("\t") for line in out.splitlines()]
        peak = float(rows[0][3])
        print(f"peak     {real:<5}      {peak:8.1f}")
        for form, kind, size, ours, blas, difference in rows[1:]:
            ours, blas = float(ours), float(blas)
            verdict = "" if float(difference) < MOST_DIFFERENT[real] else f" WRONG: {difference}"
            wrong |= bool(verdict)
            print(f"{form:<9}{kind:<5}{size:>5} {ours:8.1f} {ours / peak:8.2f} {blas:9.1f} {blas / peak:8.2f} {ours / blas:6.2f}"
                  + verdict)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
