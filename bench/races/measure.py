#!/usr/bin/env python3
"""The static race analysis on the programs of the tree: bench/races/measure.py KDSLC [FILE...] [--open] [--slow N]

Without files: all programs of examples/, tests/run and bench/kernels, then those of tests/races. Rows of a table in
Markdown: access pairs by verdict, the share proven free, and the processor time for a kernel in milliseconds (median,
95th percentile, worst). A pair of a program that says in its first lines that it races on purpose counts like any
other. --open lists the pairs that are not free with their reasons, --slow the N kernels that take longest."""
import argparse
import collections
import concurrent.futures
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["examples", "tests/run", "bench/kernels", "tests/races"]


def verdicts(kdslc, path):
    """The kernels of a program as --explain=races lists them; None: it is no program of its own."""
    done = subprocess.run([kdslc, "--explain=races", "--format=json", "--time-report", path.name], cwd=path.parent,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["kernels"] if done.returncode == 0 and done.stdout.strip() else None


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def row(name, kernels):
    pairs = collections.Counter(p["verdict"] for k in kernels for p in k["pairs"])
    failed = sum("failed" in k for k in kernels)
    times = [k["ms"] for k in kernels] or [0.0]
    share = 100 * pairs["free"] / max(1, pairs.total())
    print(f"| {name} | {len(kernels)} | {failed} | {pairs.total()} | {pairs['free']} | {pairs['race']} "
          f"| {pairs['unknown']} | {share:.1f} % | {statistics.median(times):.2f} | {percentile(times, .95):.1f} | {max(times):.1f} |")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kdslc")
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--open", action="store_true")
    options.add_argument("--slow", type=int, default=0)
    options = options.parse_args()
    kdslc = str(Path(options.kdslc).resolve())
    chosen = {folder: sorted((ROOT / folder).rglob("*.kdsl")) for folder in FOLDERS}
    if options.files:
        chosen = {"files": options.files}
    print("| programs | kernels | not analysed | pairs | free | race | unknown | share free | median ms | 95 % ms "
          "| worst ms |")
    print("| --- " + "| ---: " * 10 + "|")
    everything = []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for name, paths in chosen.items():
            found = zip(paths, pool.map(lambda path: verdicts(kdslc, path), paths))
            kernels = [dict(k, path=path) for path, those in found for k in those or []]
            everything += kernels
            row(name, kernels)
    for k in sorted(everything, key=lambda k: -k["ms"])[:options.slow]:
        print(f"{k['ms']:8.1f} ms {k['steps']:9} steps  {k['path'].name}:{k['line']} {k['name']}")
    for k in everything if options.open else ():
        if "failed" in k:
            print(f"{k['path'].name}:{k['line']} {k['name']}: {k['failed']}")
        for p in k["pairs"]:
            if p["verdict"] != "free":
                print(f"{k['path'].name}:{'/'.join(map(str, p['lines']))} {k['name']} {p['array']} "
                      f"({'/'.join(p['modes'])}): {p['verdict']}: {p.get('reason', '')}")


if __name__ == "__main__":
    main()
