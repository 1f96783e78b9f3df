#!/usr/bin/env python3
"""Weak scaling of a stencil with halos on the cores there are, and the time of a message, beside the same program in C
(gcc -O3 -march=native). One thread in each process, one core for each (MPICH's
launcher leaves that to the system). Both run in turn, the fastest round counts; the
elements of both must be equal. With Open MPI, its monitoring counts the bytes that each process sends.
Usage: bench/mpi/run.py KDSLC [--rounds N]"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/mpi"))
from machine import libraries  # noqa: E402

BLOCKS = ((256, 256, 4000), (1024, 1024, 400), (4096, 2048, 20))  # rows, columns, steps


def output(mpi, n, program, block, *options):
    command = mpi.command(n)
    if mpi.name == "openmpi":
        command[1:1] = options
        command[command.index("--bind-to") + 1] = "core"
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([*command, program, *map(str, block)], capture_output=True, text=True, env=env, check=True).stdout


def fastest(mpi, n, programs, block, rounds):
    best = {}
    for _ in range(rounds):
        for name, program in programs.items():
            *times, element = output(mpi, n, program, block).split()
            times = [float(t) for t in times]
            best[name] = [min(pair) for pair in zip(best.get(name, times), times)]
            assert best.setdefault("element", element) == element or float(best["element"]) == float(element)
    return best


def main():
    kdslc = Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 5
    ranks = [n for n in (1, 2, 4, 8, 16) if n <= len(os.sched_getaffinity(0))]
    with tempfile.TemporaryDirectory() as folder:
        kdsl = f"{folder}/kdsl"
        subprocess.run([kdslc, HERE / "heat.kdsl", "-o", kdsl], check=True)
        for mpi in libraries():
            c = f"{folder}/c-{mpi.name}"
            subprocess.run([mpi.mpicc, "-O3", "-march=native", HERE / "heat.c", "-o", c], check=True)
            print(f"{mpi.name}: ms for a step; efficiency: one process / this many; the halos' part")
            for block in BLOCKS:
                first = {}
                for n in ranks:
                    best = fastest(mpi, n, {"KDSL": kdsl, "C": c}, block, rounds)
                    cells = []
                    for name in ("KDSL", "C"):
                        whole, bare, *_ = best[name]
                        one = first.setdefault(name, whole)
                        cells.append(f"{name} {whole:8.4f} {one / whole:6.1%} {max(whole - bare, 0) / whole:6.1%}")
                    print(f"  {block[0]:5} x {block[1]:4}, {n:2} processes:   {'   '.join(cells)}")
                if n > 1 and block == BLOCKS[0]:
                    for k, what in ((2, "8 bytes"), (3, "1 MiB")):
                        print(f"  a message of {what}, us:   KDSL {best['KDSL'][k]:.3f}   C {best['C'][k]:.3f}")
            if mpi.name == "openmpi" and len(ranks) > 1:
                said = output(mpi, 2, kdsl, (256, 256, 1000), "--mca", "pml_monitoring_enable", "2", "--mca",
                              "pml_monitoring_enable_output", "1")
                sent = [int(b) for b in re.findall(r"^E\t0\t1\t(\d+) bytes", said, re.M)]
                messages = 20000 * 8 + 500 * 2**20  # those to and fro
                print(f"  on the wire: process 0 sends {sum(sent) - messages} bytes in 1020 steps of rows of {256 * 8} bytes")


if __name__ == "__main__":
    main()
