#!/usr/bin/env python3
"""Sweeps of a stencil, microseconds each: called from C and Fortran for each sweep, in a loop inside KDSL, in C with OpenMP,
and in NumPy, in turn; the best of all rounds. Every program is a process of its own: two OpenMP runtimes in one
process keep each other from the cores.
Usage: bench/calls/run.py KDSLC [--rounds N] [--memory KIND]"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIZES = [(16, 40000), (64, 20000), (128, 10000), (256, 4000), (512, 1000), (1024, 200), (2000, 50)]
NUMPY = """
import sys, time
import numpy as np
n, sweeps = int(sys.argv[1]), max(2, int(sys.argv[2]) // 10)
u = np.zeros((n, n)); v = np.zeros((n, n)); u[0] = v[0] = 1
def sweep(u, v): v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
best = 1e30
for r in range(5):
    start = time.perf_counter()
    for s in range(sweeps // 2): sweep(u, v); sweep(v, u)
    best = min(best, time.perf_counter() - start)
print(best / sweeps * 1e6, u[1, n // 2])
"""
PYTHON = NUMPY.replace("import numpy as np", "import numpy as np, kdsl\nm = kdsl.load('stencil.kdsl', '-O3')").replace(
    "// 10", "").replace("def sweep(u, v): v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])",
                         "sweep = m.sweep")


def build(kdslc, folder):
    def sh(*command):
        subprocess.run([str(word) for word in command], cwd=folder, check=True)
    source = HERE / "stencil.kdsl"
    sh(kdslc, "-O3", source, "-o", "inside")
    sh(kdslc, "-O3", "--shared", source, "-o", "stencil.so")
    sh(kdslc, "--emit=header", source, "-o", "stencil.h")
    sh("gcc", "-O3", f"-I{folder}", HERE / "stencil.c", "./stencil.so", "-Wl,-rpath,$ORIGIN", "-o", "from_c")
    sh("gfortran", "-O3", HERE / "stencil.f90", "./stencil.so", "-Wl,-rpath,$ORIGIN", "-o", "from_fortran")
    sh("gcc", "-O3", "-march=native", "-fopenmp", "-DPLAIN", HERE / "stencil.c", "-o", "openmp")
    programs = {"inside KDSL": ["./inside"], "from C": ["./from_c"], "from Fortran": ["./from_fortran"],
                "C, OpenMP": ["./openmp"]}
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            (folder / "numpy_stencil.py").write_text(NUMPY)
            (folder / "kdsl_stencil.py").write_text(PYTHON)
            (folder / "stencil.kdsl").write_text(source.read_text())
            programs.update({"from Python": [python, "kdsl_stencil.py"], "NumPy": [python, "numpy_stencil.py"]})
    return programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kdslc", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="auto")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        programs = build(given.kdslc.resolve(), folder)
        print(f"{'points':>10}" + "".join(f"{name:>14}" for name in programs))
        for n, sweeps in SIZES:
            best = dict.fromkeys(programs, float("inf"))
            for _ in range(given.rounds):
                for name, command in programs.items():
                    said = subprocess.run([*command, str(n), str(sweeps)], cwd=folder, check=True, text=True,
                                          capture_output=True, env={**os.environ, "KDSL_MEMORY": given.memory, "KDSLC": str(given.kdslc.resolve()),
                                               "KDSL_PYTHON_CACHE": str(folder / "cache"),
                                               "PYTHONPATH": str(HERE.parent.parent / "python")})
                    best[name] = min(best[name], float(said.stdout.split()[0]))
            print(f"{n:>5}x{n:<4}" + "".join(f"{best[name]:>14.2f}" for name in programs), flush=True)


if __name__ == "__main__":
    main()
