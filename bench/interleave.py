#!/usr/bin/env python3
"""Times several commands interleaved, A B C, A B C, ..., so that noise of the machine affects all of them.

usage: interleave.py [-n ROUNDS] [-w WARMUPS] name='command' ...

Prints median, minimum and maximum of the processes' wall times in ms, and the ratio of medians to the first command.
"""
import argparse
import shlex
import statistics
import subprocess
import time


def run_ms(argv):
    start = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=20, dest="rounds")
    parser.add_argument("-w", type=int, default=2, dest="warmups")
    parser.add_argument("commands", nargs="+", metavar="name=command")
    options = parser.parse_args()
    commands = [(name, shlex.split(text)) for name, text in (c.split("=", 1) for c in options.commands)]
    times = {name: [] for name, _ in commands}
    for turn in range(options.warmups + options.rounds):
        for name, argv in commands:
            ms = run_ms(argv)
            if turn >= options.warmups:
                times[name].append(ms)
    first = statistics.median(times[commands[0][0]])
    print(f"{'what':<28} {'median ms':>10} {'least':>8} {'most':>8} {'ratio':>7}")
    for name, _ in commands:
        t = times[name]
        median = statistics.median(t)
        print(f"{name:<28} {median:>10.1f} {min(t):>8.1f} {max(t):>8.1f} {median / first:>7.2f}")


if __name__ == "__main__":
    main()
