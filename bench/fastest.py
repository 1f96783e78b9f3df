#!/usr/bin/env python3
"""Runs several programs interleaved, A B C, A B C, ..., each of which prints one number, its minimum time. Prints the minimum
of each over all runs, and the ratios to the first.

usage: fastest.py [-n ROUNDS] name='command' ...
"""
import argparse
import shlex
import subprocess


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=10, dest="rounds")
    parser.add_argument("commands", nargs="+", metavar="name=command")
    options = parser.parse_args()
    commands = [(name, shlex.split(text)) for name, text in (c.split("=", 1) for c in options.commands)]
    fastest = {}
    for _ in range(options.rounds):
        for name, argv in commands:
            time = float(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
            fastest[name] = min(time, fastest.get(name, time))
    first = fastest[commands[0][0]]
    for name, _ in commands:
        print(f"{name:<36} {fastest[name]:>10.1f} us {fastest[name] / first:>7.3f}")


if __name__ == "__main__":
    main()
