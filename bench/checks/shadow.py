#!/usr/bin/env python3
"""What --check=race costs: bench/checks/shadow.py KDSLC [NAME...] [--runs N]

The kernels of bench/kernels, in milliseconds for a launch, and the programs of examples/, in milliseconds of processor
time for a run, on one thread: as compiled by default, with --check=race, and with --check=race,all, which also records
the arrays that are proven free. Each is the best of N runs; the three take turns. Then the ratios, and the largest
memory of the process beyond that of the ordinary one, in MiB. Rows of a table in Markdown."""
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
MADE = {"plain": [], "race": ["--check=race"], "all": ["--check=race,all"]}


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
    print("| program | ms | `race` | `race,all` | MiB, `race` | `race,all` |\n| --- | ---: | ---: | ---: | ---: | ---: |")
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
            slower = [best[made] / best["plain"] for made in ("race", "all")]
            more = [(most[made] - most["plain"]) / 1024 for made in ("race", "all")]
            ratios[room].append(slower)
            print(f"| {room}/{name} | {best['plain']:.3f} | {slower[0]:.1f} | {slower[1]:.1f} | {more[0]:.1f} | {more[1]:.1f} |", flush=True)
    for room, rows in ratios.items():
        for k, title in enumerate(("race", "race,all")):
            column = [row[k] for row in rows]
            if column:
                mean = math.exp(sum(map(math.log, column)) / len(column))
                print(f"{room}, --check={title}: geometric mean {mean:.2f}, worst {max(column):.1f}")


if __name__ == "__main__":
    main()
