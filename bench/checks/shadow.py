#!/usr/bin/env python3
"""What --check=race costs: bench/checks/shadow.py KDSLC [--all] [NAME...]

The kernels of bench/kernels, in milliseconds of processor time for a launch, and the programs of examples/, in seconds for
a run, on one thread: as compiled by default, with --check=race, and the ratio; then the largest memory of the process
beyond that of the ordinary one. --all also records the accesses that are proven free (--check=race,all)."""
import argparse
import math
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = {"saxpy": 1 << 20, "triad": 1 << 20, "jacobi2d": 512, "matmul_naive": 128, "matmul_tiled": 128, "mandelbrot": 256,
         "nbody": 1024, "blackscholes": 1 << 17, "reduce": 1 << 20, "reduce_tree": 1 << 20, "scan": 1 << 18,
         "bitonic": 1 << 15, "hist_atomic": 1 << 20, "hist_local": 1 << 20, "transpose": 512, "stencil3d": 64, "spmv": 1 << 15}
ENV = dict(os.environ, OMP_NUM_THREADS="1")


def cost(command, folder, runs=3):
    """Seconds of processor time, the best of some runs; kilobytes."""
    best, most = math.inf, 0
    for _ in range(runs):
        child = subprocess.Popen(command, cwd=folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        best = min(best, used.ru_utime + used.ru_stime)
        most = max(most, used.ru_maxrss)
    return best, most


def arguments(path):
    for line in path.read_text().splitlines():
        if line.startswith("// args: "):
            return line[9:].split()
    return []


def main():
    p = argparse.ArgumentParser()
    p.add_argument("kdslc")
    p.add_argument("--all", action="store_true")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    kdslc, check = Path(a.kdslc).resolve(), "--check=race,all" if a.all else "--check=race"
    sources = sorted((ROOT / "bench/kernels").glob("*.kdsl")) + sorted((ROOT / "examples").glob("*.kdsl"))
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sources:
            name = path.stem
            kernel = path.parent.name == "kernels"
            if name == "harness" or (a.names and name not in a.names):
                continue
            for made, options in (("plain", []), ("checked", [check])):
                subprocess.run([kdslc, *options, path, "-o", f"{folder}/{name}.{made}"], check=True, capture_output=True)
            seconds, memory = [], []
            for made in ("plain", "checked"):
                program = f"./{name}.{made}"
                used, kilobytes = cost([program, *arguments(path)], folder) if not kernel else (0.0, 0)
                for samples in (12, 300) if kernel else ():
                    (many, kilobytes), (two, _) = (cost([program, name, str(SIZES[name]), str(n)], folder) for n in (samples, 2))
                    used = max(many - two, 1e-6) / (samples - 2) * 1e3
                    if many - two > 0.03:  # else the start of the program is most of it
                        break
                seconds.append(used)
                memory.append(kilobytes)
            ratios.append(seconds[1] / seconds[0])
            print(f"{path.parent.name}/{name:14} {seconds[0]:10.4f} {seconds[1]:10.4f} {ratios[-1]:7.1f} "
                  f"{(memory[1] - memory[0]) / 1024:8.1f} MiB", flush=True)
    print(f"geometric mean {math.exp(sum(math.log(max(r, 0.1)) for r in ratios) / len(ratios)):.2f}, worst {max(ratios):.1f}")


if __name__ == "__main__":
    main()
