#!/usr/bin/env python3
"""./dev bench rewrites: each kernel of bench/kernels beside three equivalent forms, which a user might have written.

usage: run.py [--rounds N] [--least RATIO] [--size N] [--samples N] [--cpu] [KERNEL...]

Each program times the original and its forms in turn; the programs are run in rounds, and of all rounds the fastest
launch of each form counts. A ratio is the form's rate over the original's, so 0.5 is half as fast; beside it stand the
least and the greatest ratio of a single round. With --least the exit code is 1 if a ratio is below it. On a machine
that is busy with other work, --cpu runs one thread and counts its CPU time. KDSLC is the compiler (build/bin/kdslc),
KDSLC_FLAGS its flags beside -O3, such as --march=x86-64-v3.
"""
import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench/kernels"))
from facts import KERNELS  # noqa: E402

SECONDS = 300  # for one program: it has hung
NAMES = [kernel.name for kernel in KERNELS]


def build(name, command, out):
    program = out / name
    done = subprocess.run([*command, HERE / f"{name}.kdsl", "-o", program], capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit(f"{name} does not build\n{done.stderr}")
    return program


def measure(program, arguments, cpu):
    """One round: the seconds of each form, the original first; and the rows of forms that are wrong."""
    env = dict(os.environ, OMP_NUM_THREADS="1") if cpu else None
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=SECONDS, env=env)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode or len(rows) != 4:
        return {}, [f"{program.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}"]
    return {row[1]: float(row[2]) for row in rows}, ["\t".join(row) for row in rows if row[3] != "ok"]


def compare(rounds):
    """The rows of one kernel: (form, milliseconds, ratio, least and greatest ratio of a round)."""
    for form in rounds[0]:
        times = [seconds[form] for seconds in rounds]
        original = [seconds["original"] for seconds in rounds]
        each = [o / t for o, t in zip(original, times)]
        yield form, min(times) * 1e3, min(original) / min(times), min(each), max(each)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--least", type=float, help="exit code 1 if a form has less than this ratio")
    parser.add_argument("--size", help="of each problem, in place of the published one")
    parser.add_argument("--samples", default="15", help="launches of each form in a round, fewer if they are slow")
    parser.add_argument("--cpu", action="store_true", help="CPU time of one thread")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench/rewrites")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=" ".join(NAMES))
    chosen = parser.parse_args()
    unknown = set(chosen.kernels) - set(NAMES)
    if unknown:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    kdslc = os.environ.get("KDSLC", str(ROOT / "build/bin/kdslc"))
    command = [kdslc, "-O3", *shlex.split(os.environ.get("KDSLC_FLAGS", ""))]
    chosen.out.mkdir(parents=True, exist_ok=True)
    names = [name for name in NAMES if not chosen.kernels or name in chosen.kernels]
    programs = {name: build(name, command, chosen.out) for name in names}
    arguments = ["rewrites", chosen.size or "", chosen.samples, "cpu" if chosen.cpu else "wall"]
    rounds, failed = {name: [] for name in names}, []
    for turn in range(1, chosen.rounds + 1):
        for name, program in programs.items():
            print(f"round {turn} of {chosen.rounds}: {name:<20}", end="\r", file=sys.stderr, flush=True)
            seconds, wrong = measure(program, arguments, chosen.cpu)
            rounds[name] += [seconds] if seconds else []
            failed += wrong
    print(" " * 60, end="\r", file=sys.stderr)
    below = 0
    print(f"{'kernel':<14} {'form':<14} {'ms':>9} {'ratio':>6} {'least':>6} {'most':>6}")
    for name in names:
        for form, ms, ratio, least, most in compare(rounds[name]) if rounds[name] else ():
            low = chosen.least is not None and ratio < chosen.least
            below += low
            row = f"{name:<14} {form:<14} {ms:>9.3f} {ratio:>6.2f} {least:>6.2f} {most:>6.2f}"
            print(row + ("  below" if low else ""))
    for line in failed:
        print(f"FAILED {line}", file=sys.stderr)
    if below:
        print(f"{below} forms have less than {chosen.least} of their original's rate", file=sys.stderr)
    sys.exit(1 if failed or below else 0)


if __name__ == "__main__":
    main()
