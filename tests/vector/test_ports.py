#!/usr/bin/env python3
"""Kernels ported from public suites, with arrays of the item's own, several exits and 16-bit data, print what the same in C
prints: ports/NAME.kdsl in scalar code and in vector code of every width that this machine runs, beside ports/NAME.c.
Usage: test_ports.py KDSLC"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import parts  # noqa: E402
from run import compare, widths, Failed  # noqa: E402

CC = os.environ.get("CC", "cc")
C_FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
LEVELS = parts.first([*(("-O2", width) for width in reversed(widths())), ("-O0",), ("-O3",)])


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Failed(f"$ {' '.join(map(str, command))}\nexit code {done.returncode}\n{done.stderr}")
    return done.stdout


def check(kdslc, source, folder):
    c, program = folder / "c", folder / "kdsl"
    call([CC, *C_FLAGS, source.with_suffix(".c"), "-o", c, "-lm"])
    want = call([c])
    for flags in LEVELS:
        call([kdslc, *flags, "--color=never", source, "-o", program])
        compare(f"{source.name} {' '.join(flags)}", want, call([program]))


def main():
    kdslc, failures, sources = os.path.abspath(sys.argv[1]), [], sorted((HERE / "ports").glob("*.kdsl"))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            try:
                check(kdslc, source, Path(folder))
            except Failed as why:
                failures.append(str(why))
    print("\n".join(failures) if failures else f"{len(sources)} ports, {len(LEVELS)} ways each: as in C")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
