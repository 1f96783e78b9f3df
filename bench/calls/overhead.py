#!/usr/bin/env python3
"""What a call of an exported kernel costs from Python beyond the same call from C: with the package `kdsl`, with ctypes and
addresses that are known, and with ctypes and NumPy's addresses. Microseconds, best of many rounds.
Usage: bench/calls/overhead.py KDSLC; with the Python that has NumPy."""
import ctypes
import os
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
os.environ["KDSLC"] = os.path.abspath(sys.argv[1])
import kdsl  # noqa: E402
import numpy  # noqa: E402

N = 8


def best(call, number=20000):
    return min(timeit.repeat(call, number=number, repeat=9)) / number * 1e6


def from_c(folder):
    def sh(*command):
        subprocess.run([str(word) for word in command], cwd=folder, check=True)
    sh(os.environ["KDSLC"], "--shared", HERE / "stencil.kdsl", "-o", "stencil.so")
    sh(os.environ["KDSLC"], "--emit=header", HERE / "stencil.kdsl", "-o", "stencil.h")
    sh("gcc", "-O2", f"-I{folder}", HERE / "stencil.c", "./stencil.so", "-Wl,-rpath,$ORIGIN", "-o", "from_c")
    return min(float(subprocess.run(["./from_c", str(N), "40000"], cwd=folder, check=True, text=True,
                                    capture_output=True).stdout.split()[0]) for _ in range(5))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KDSL_PYTHON_CACHE"] = folder + "/cache"
        c = from_c(folder)
        m = kdsl.load(HERE / "stencil.kdsl")
        u, v = numpy.zeros((N, N)), numpy.zeros((N, N))
        call, at, to = m._library.sweep, u.ctypes.data, v.ctypes.data
        rows = [("C", c), ("ctypes, addresses known", best(lambda: call(at, to, N, N))),
                ("ctypes, `x.ctypes.data`", best(lambda: call(u.ctypes.data, v.ctypes.data, N, N))),
                ("kdsl, NumPy arrays", best(lambda: m.sweep(u, v)))]
        a, b = kdsl.array(u), kdsl.array(v)
        rows.append(("kdsl, arrays of kdsl", best(lambda: m.sweep(a, b))))
        empty = best(lambda: None)
        for name, time in rows:
            time -= 0 if name == "C" else empty
            print(f"{name:26}{time:6.2f} us   {time - c:+.2f}")
        assert isinstance(at, int) and ctypes


main()
