#!/usr/bin/env python3
"""Compile time and memory grow no faster than the program: families of programs (scaling.py) at sizes n and 4n. Four times
the program may take 4 * SLACK times the processor time and memory, less what an empty program takes: with quadratic growth it
would be 16 times.

Usage: test_scaling.py KDSLC [--all] [--times N] [NAME...]: without --all the families that were worse once, in a few
seconds; with it all of them, and --times for N times the size. Prints a table."""
import argparse
import sys

from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
import scaling  # noqa: E402

SLACK = 3           # for the machine's moods: times are the processor's, of the best of three runs
LEAST_SECONDS = 0.03
LEAST_KB = 16 << 10

# What took quadratic time or worse, and one or two of each kind beside it; by how much larger than the smallest size.
USUAL = {"host-chain": 15, "host-ring-both-ways": 6, "extents-through-calls": 15, "swaps-of-many": 4,
         "resident-arrays": 6,
         "resident-blocks": 20, "loops-one-after-another": 20, "launches-with-arrays-in-loops": 6,
         "generic-instances": 6,
         "kernel-array-call-tree": 8, "kernel-out-call-tree": 8, "kernel-call-tree-object": 2,
         "kernel-array-call-tree-object": 2, "kernel-call-chain-object": 4, "host-chain-object": 1, "host-called-once-object": 2,
         "host-loops-object": 4,
         "kernel-branches-object": 2, "kernel-call-tree-gfx90a": 1, "group-3d-small-object": 1, "unrolled-3d-object": 1,
         "constant-nest-object": 5}
# One of each way to compile, in the quick part of the suite.
QUICK = {"host-ring-both-ways", "generic-instances", "kernel-out-call-tree", "host-loops-object",
         "kernel-branches-object"}


def measure(kdslc, text, how):
    seconds, kb, status, said = scaling.compile_once(kdslc, text, how)
    if status > 0:
        raise SystemExit(f"{how}: exit code {status}: {said[:1000]}")
    return None if status < 0 else (seconds, kb)


class Family:
    def __init__(self, kdslc, name, times):
        self.kdslc, self.name, self.times, self.family = kdslc, name, times, scaling.FAMILIES[name]

    def costs(self, empty):
        """Of n and 4n, less an empty program's."""
        found = []
        for k in (1, 4):
            got = measure(self.kdslc, self.family.make(self.family.n * self.times * k), self.family.how)
            if not got:
                return None
            found.append((max(got[0] - empty[0], LEAST_SECONDS), max(got[1] - empty[1], LEAST_KB)))
        return found

    def verdict(self, empty):
        """(line, is fine)"""
        best = None
        for _ in range(3):
            costs = self.costs(empty)
            if not costs:
                return f"{self.name:44} killed after {scaling.MOST_SECONDS} s", False
            ratios = [costs[1][i] / costs[0][i] for i in range(2)]
            if not best or ratios[0] < best[0][0]:
                best = ratios, costs
            if max(ratios) <= 4 * SLACK:
                break
        ratios, costs = best
        line = f"{self.name:44} {costs[0][0]:6.2f} s {costs[1][0]:6.2f} s  x {ratios[0]:4.1f}   " \
               f"{costs[0][1] >> 10:5} MB {costs[1][1] >> 10:5} MB  x {ratios[1]:4.1f}"
        return line, max(ratios) <= 4 * SLACK


def refuses_too_large(kdslc):
    """The one limit of this kind that is an error."""
    _, _, status, said = scaling.compile_once(kdslc, scaling.arrays_and_branches(4200), ["check"])
    return status == 1 and said.count("error[") == 1 and "E0623" in said


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kdslc")
    options.add_argument("names", nargs="*")
    options.add_argument("--all", action="store_true")
    options.add_argument("--times", type=int, default=0)
    options = options.parse_args()
    names = options.names or (scaling.FAMILIES if options.all else USUAL)
    names = parts.chosen(names, QUICK.__contains__)
    bad = []
    base = {}
    for name in names:
        how = scaling.FAMILIES[name].how
        if tuple(how) not in base:
            base[tuple(how)] = measure(options.kdslc, scaling.EMPTY, how)
        line, fine = Family(options.kdslc, name, options.times or USUAL.get(name, 1)).verdict(base[tuple(how)])
        print(line if fine else line + "  <-", flush=True)
        bad += [] if fine else [name]
    if not options.names and parts.wanted(True) and not refuses_too_large(options.kdslc):
        bad.append("E0623")
    if bad:
        print("grows faster than the program:", *bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
