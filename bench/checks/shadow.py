#!/usr/bin/env python3
"""What --check=race costs: bench/checks/shadow.py KDSLC [NAME...] [--runs N]

The kernels of bench/kernels, in milliseconds for a launch, and the programs of examples/, in milliseconds of processor
time for a run, on one thread: as compiled by default, with --check=race, with --check=race,init,bounds, and with
--check=race,all, which trusts no proof and records all arrays that a kernel writes. Each is the best of N runs; they take turns. Then
the ratios, and the largest memory of the process beyond that of the ordinary one, in MiB. Rows of a table in Markdown."""
import argparse
import math
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = {"saxpy": 1 << 18, "triad": 1 << 18, "jacobi2d": 256, "matmul_naive": 64, "matmul_tiled": 64, "mandelbrot": 128,
         "nbody": 512, "blackscholes": 1 << 15, "reduce": 1 << 18, "reduce_tree": 1 << 18, "scan": 1 << 16,
         "bitonic": 1 << 13, "hist_atomic": 1 << 18, "hist_local": 1 << 18, "transpose": 256, "stencil3d": 32, "spmv": 1 << 13}
ENV = dict(os.environ, OMP_NUM_THREADS="1")
MADE = {"plain": [], "race": ["--check=race"], "race,init,bounds": ["--check=race,init,bounds"], "race,all": ["--check=race,all"]}
CHECKED = list(MADE)[1:]


def arguments(path):
    for line in path.read_text().splitlines():
        if line.startswith("// args: "):
            return line[9:].split()
    return []


def cost(program, words, folder, is_kernel):
    """Milliseconds of a launch (bench/kernels/harness.kdsl prints its best one), or of the process; kilobytes."""
    child = subprocess.Popen([program, *words], cwd=folder, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = child.stdout.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3) or (is_kernel and "\tok" not in said):
        raise SystemExit(f"{program} {' '.join(words)}: exit code {child.returncode}\n{said}")
    seconds = float(said.split("\t")[2]) if is_kernel else used.ru_utime + used.ru_stime
    return seconds * 1e3, used.ru_maxrss


def main():
    p = argparse.ArgumentParser()
    p.add_argument("kdslc")
    p.add_argument("names", nargs="*")
    p.add_argument("--runs", type=int, default=5)
    a = p.parse_args()
    kdslc = Path(a.kdslc).resolve()
    sources = sorted((ROOT / "bench/kernels").glob("*.kdsl")) + sorted((ROOT / "examples").glob("*.kdsl"))
    ratios = {"kernels": [], "examples": []}
    columns = " | ".join(f"`{made}`" for made in CHECKED)
    print(f"| program | ms | {columns} | MiB: {columns} |\n| --- |" + " ---: |" * (1 + 2 * len(CHECKED)))
    with tempfile.TemporaryDirectory() as folder:
        for path in sources:
            name, room = path.stem, path.parent.name
            if name == "harness" or (a.names and name not in a.names):
                continue
            best, most = dict.fromkeys(MADE, math.inf), dict.fromkeys(MADE, 0)
            for made, options in MADE.items():
                subprocess.run([kdslc, *options, path, "-o", f"{folder}/{name}.{made}"], check=True, capture_output=True)
            for picture in ROOT.glob("examples/*.png"):
                (Path(folder) / picture.name).write_bytes(picture.read_bytes())
            words = [name, str(SIZES[name]), "40"] if room == "kernels" else arguments(path)
            for _ in range(a.runs):
                for made in MADE:
                    ms, kilobytes = cost(f"./{name}.{made}", words, folder, room == "kernels")
                    best[made] = min(best[made], ms)
                    most[made] = max(most[made], kilobytes)
            slower = [best[made] / best["plain"] for made in CHECKED]
            more = [f"{max(most[made] - most['plain'], 0) / 1024:.1f}" for made in CHECKED]
            ratios[room].append(slower)
            print(f"| {room}/{name} | {best['plain']:.3f} | {' | '.join(f'{x:.1f}' for x in slower)} | {' | '.join(more)} |",
                  flush=True)
    for room, rows in ratios.items():
        for column, made in zip(zip(*rows), CHECKED):
            mean = math.exp(sum(map(math.log, column)) / len(column))
            print(f"{room}, --check={made}: geometric mean {mean:.2f}, worst {max(column):.1f}")


if __name__ == "__main__":
    main()
