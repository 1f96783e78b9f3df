#!/usr/bin/env python3
"""Compile time of all examples and of one kernel of each shape (shapes.py), beside saxpy's: the goal is a ratio of 2.

usage: programs.py KDSLC [--beside OLD] [--rounds N] [--stages] [NAME...]

Every round compiles each program once, so that a noisy machine is noisy to all of them, and the best of the rounds counts.
`cpu` is the processor time of the process, all threads together (user and system): other work on the machine changes it
little. `wall` is what a person waits for. The ratio is that of the cpu times. --beside compiles each program by another
compiler as well, in turn. --stages adds the processor's parts by --time-report, of the round in which they were shortest."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

from pathlib import Path

import shapes

ROOT = Path(__file__).resolve().parent.parent.parent
# Columns of --stages: rows of --time-report that are added up.
STAGES = {"load": ["load kdslc"], "front": ["read", "parse", "check"], "host": [f"host {s}" for s in ("build", "verify", "optimize", "codegen")],
          "vectorize": ["x86 build", "x86 verify", "x86 vectorize"], "optimize": ["x86 optimize"], "codegen": ["x86 codegen"],
          "link": ["link device image", "embed image", "link program"]}


def programs(folder):
    """{name: path}: the examples, saxpy first; then one of each shape"""
    examples = sorted((ROOT / "examples").glob("*.kdsl"), key=lambda p: (p.stem != "saxpy", p.stem))
    found = {path.stem: path for path in examples}
    for name in shapes.SHAPES:
        found[f"shape: {name}"] = Path(folder) / (re.sub(r"\W+", "-", name) + ".kdsl")
        found[f"shape: {name}"].write_text(shapes.program(name))
    return found


def stage_times(report):
    """{row: ms} of --time-report"""
    return {" ".join(m[1].split()): float(m[2]) for m in re.finditer(r"^ *(\S.*?) +(\d+\.\d{3})(?: .*)?$", report, re.M)}


def compile_once(kdslc, path, out):
    """(cpu ms, wall ms, {column: ms})"""
    started = time.perf_counter()
    child = subprocess.Popen([kdslc, "--time-report", path, "-o", out], stderr=subprocess.PIPE, text=True)
    report = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if child.returncode:
        raise SystemExit(f"{kdslc} {path}: {report}")
    rows = stage_times(report)
    stages = {name: sum(rows.get(row, 0.0) for row in parts) for name, parts in STAGES.items()}
    return 1e3 * (usage.ru_utime + usage.ru_stime), 1e3 * wall, stages


def merge(best, got):
    if not best:
        return got
    return min(best[0], got[0]), min(best[1], got[1]), {name: min(best[2][name], got[2][name]) for name in best[2]}


def measure(compilers, chosen, rounds, folder):
    """{(program, compiler's number): (cpu, wall, stages)}, the least of each"""
    best = {}
    for _ in range(rounds):
        for name, path in chosen.items():
            for i, kdslc in enumerate(compilers):
                best[name, i] = merge(best.get((name, i)), compile_once(kdslc, path, f"{folder}/program"))
    return best


def table(best, chosen, n_compilers, with_stages):
    base = [best["saxpy", i] for i in range(n_compilers)]
    head = f"{'program':24} {'cpu ms':>7} {'ratio':>6} {'wall ms':>8}"
    if n_compilers > 1:
        head += f" | {'cpu ms':>7} {'ratio':>6} {'wall ms':>8} | {'new/old':>7}"
    if with_stages:
        head += " |" + "".join(f"{name:>10}" for name in STAGES)
    print(head)
    for name in chosen:
        cells = [f"{cpu:7.0f} {cpu / base[i][0]:6.2f} {wall:8.0f}"
                 for i in range(n_compilers) for cpu, wall, _ in [best[name, i]]]
        if n_compilers > 1:
            cells.append(f"{best[name, 0][0] / best[name, 1][0]:7.2f}")
        if with_stages:
            cells.append("".join(f"{ms:10.1f}" for ms in best[name, 0][2].values()))
        print(f"{name:24} " + " | ".join(cells), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kdslc")
    options.add_argument("names", nargs="*", help="names, or parts of names, of programs")
    options.add_argument("--beside", metavar="OLD")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--stages", action="store_true")
    options = options.parse_intermixed_args()
    compilers = [options.kdslc] + ([options.beside] if options.beside else [])
    with tempfile.TemporaryDirectory() as folder:
        chosen = {name: path for name, path in programs(folder).items()
                  if name == "saxpy" or not options.names or any(part in name for part in options.names)}
        best = measure(compilers, chosen, options.rounds, folder)
    table(best, chosen, len(compilers), options.stages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
