#!/usr/bin/env python3
"""Mutation testing of checks and copies: compiles a program once for each of its run-time checks and copies without that one
(`kdslc --without=KEY`, irgen/lang/removal.c), runs it, and compares its behaviour. A mutant with the same behaviour is a survivor,
which this program does not detect. A copy that survives is `needless` if fewer bytes are copied without it, and `not made` if as
many are: the array was on the device already, or the program ends before. A check that survives does not fail in this program;
tests/failing.py makes it fail.

    tests/without.py KDSLC [--sample N --seed S] [--kinds REGEX] [--limit SECONDS] [-O2 ...] FILE.kdsl...

Prints survivors, and for each kind how many mutants are detected. Memory of arrays on devices is filled with garbage first
(KDSL_POISON)."""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run as suite  # copies, as reported by libomptarget

LIMIT = 20  # seconds: without a check a program may not terminate


def notes(path, name):
    return re.findall(rf"^\s*// {name}:[ ]?(.*)$", path.read_text(errors="replace"), flags=re.M)


class Program:
    def __init__(self, kdslc, path, options):
        self.kdslc, self.path, self.options = kdslc, path, options
        self.usual = None

    def compile(self, output, *more):
        """What it says, or None if it is not a program."""
        done = subprocess.run([self.kdslc, "--color=never", *self.options, *more, self.path, "-o", output],
                              capture_output=True,
                              text=True, errors="replace", timeout=120)
        return None if done.returncode else done.stderr

    def moved(self, *more):
        """The copies that are made, whether a test looks at them or not."""
        with tempfile.TemporaryDirectory() as folder:
            program = str(Path(folder, "program"))
            self.compile(program, *more)
            args = " ".join(notes(self.path, "args")).split()
            env = {**os.environ, "OMP_NUM_THREADS": "2", "LIBOMPTARGET_INFO": "32"}
            done = subprocess.run([program, *args], capture_output=True, timeout=LIMIT, cwd=folder, env=env, text=True,
                                  errors="replace", stdin=subprocess.DEVNULL)
            return sorted(suite.copies(done.stderr))

    def survivor(self, key):
        if not re.match("copy|sync", key):
            return "does not fail here"
        return "not made" if self.moved() == self.moved(f"--without={key}") else "needless"

    def run(self, *more):
        """All that a test could look at."""
        with tempfile.TemporaryDirectory() as folder:
            program = str(Path(folder, "program"))
            if self.compile(program, *more) is None:
                return "not compiled"
            args = " ".join(notes(self.path, "args")).split()
            env = {**os.environ, "KDSL_POISON": "1", "OMP_NUM_THREADS": "2"}
            try:
                done = subprocess.run([program, *args], capture_output=True, timeout=LIMIT, cwd=folder, env=env,
                                      stdin=subprocess.DEVNULL)
                moves = notes(self.path, "moves") and subprocess.run([program, *args], capture_output=True,
                                                                     timeout=LIMIT, cwd=folder,
                                                                     env={**os.environ, "LIBOMPTARGET_INFO": "32"},
                                                                     text=True,
                                                                     errors="replace", stdin=subprocess.DEVNULL).stderr
            except subprocess.TimeoutExpired:
                return "no end"
            return done.returncode, done.stdout, done.stderr, list(suite.copies(moves)) if moves else []

    def keys(self):
        if notes(self.path, "RUN-EMIT") or notes(self.path, "explain") or not re.search(r"^fn main",
                                                                                        self.path.read_text(), re.M):
            return []
        with tempfile.TemporaryDirectory() as folder:
            said = self.compile(str(Path(folder, "program")), "--without=list")
        found = re.findall(rf"^(\S+ (?:host|kernel|function) {re.escape(self.path.name)}:\S+)$", said or "", flags=re.M)
        return sorted(set(found))

    def notices(self, key):
        if self.usual is None:
            self.usual = self.run()
            if self.run() != self.usual:
                self.usual = "differs"
        if isinstance(self.usual, str):
            return None
        return self.run(f"--without={key}") != self.usual


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kdslc")
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", default="")
    options.add_argument("--limit", type=float, default=0)
    options, more = options.parse_known_args()
    start = time.monotonic()
    every = []
    for path in options.files:
        program = Program(str(Path(options.kdslc).resolve()), path.resolve(), more)
        every += [(program, key) for key in program.keys() if re.match(options.kinds, key)]
    if options.sample:
        every = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    score = collections.defaultdict(lambda: [0, 0])
    survivors = collections.Counter()
    for program, key in every:
        if options.limit and time.monotonic() - start > options.limit:
            print("time is up")
            break
        noticed = program.notices(key)
        if noticed is None:
            continue
        kind = " ".join(key.split()[:2])
        score[kind][0] += noticed
        score[kind][1] += 1
        if not noticed:
            why = program.survivor(key)
            survivors[kind, why] += 1
            print(f"survives, {why}: {program.path.parent.name}/{program.path.name}: {key}", flush=True)
    for kind in sorted(score):
        why = ", ".join(f"{n} {what}" for (of, what), n in sorted(survivors.items()) if of == kind)
        print(f"{kind:24} {score[kind][0]:5} of {score[kind][1]:5}   {why}")
    killed, total = (sum(s[i] for s in score.values()) for i in range(2))
    print(f"{'all':24} {killed:5} of {total:5}")
    return 0 if killed == total else 1


if __name__ == "__main__":
    sys.exit(main())
