#!/usr/bin/env python3
"""./dev bench kernels: the kernels of this folder beside the same in C, OpenCL and ISPC, and the machine's limits.

usage: run.py [--rounds N] [--peers REGEX] [--threads N] [--also NAME=COMMAND]... [--docs] [KERNEL...]

Everything that belongs to one kernel is run in turn, limits included, so that a slow minute of the machine is slow for
all; that makes a round, and of the rounds the best counts. KDSLC is the compiler (build/bin/kdslc), KDSLC_FLAGS its
flags beside -O3; kernels that wait for quotients are measured with --fp=fast as well, as kdslc-fast. --also measures another command line beside it, as in --also "scalar=build/bin/kdslc -O3 --vector=off".
Results go to build/bench: rows.tsv, tables.md and the plots; with --docs to docs/ (all kernels, all peers).
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import report
from facts import KERNELS, LIMITS, PEERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FAST = "kdslc-fast"
SECONDS = 300  # for one program: it has hung


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="", metavar="REGEX", help="only peers whose name it matches; `none`: no peer")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--also", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--docs", action="store_true", help="write docs/performance.* too")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=" ".join(k.name for k in KERNELS))
    chosen = parser.parse_args()
    unknown = set(chosen.kernels) - {k.name for k in KERNELS}
    if unknown:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    if chosen.docs and (chosen.kernels or chosen.peers):
        parser.error("--docs is about all kernels and all peers")
    return chosen


class Bench:
    def __init__(self, chosen):
        self.out = chosen.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.words = {"out": str(self.out), "peers": str(HERE / "peers"), "threads": str(chosen.threads)}
        self.env = dict(os.environ, OMP_NUM_THREADS=str(chosen.threads), OMP_PROC_BIND="true")
        self.rows = []
        self.failed = []
        kdslc = os.environ.get("KDSLC", str(ROOT / "build/bin/kdslc"))
        self.ours = {"kdslc": [kdslc, "-O3", *shlex.split(os.environ.get("KDSLC_FLAGS", ""))]}
        self.ours[FAST] = [*self.ours["kdslc"], "--fp=fast"]
        self.ours.update((name, shlex.split(command)) for name, _, command in (a.partition("=") for a in chosen.also))
        for name, command in self.ours.items():
            found = shutil.which(command[0]) if command else None
            if not found:
                sys.exit(f"{name}: there is no compiler `{' '.join(command[:1])}`; KDSLC names another one")
            command[0] = os.path.abspath(found)

    def make(self, command, where):
        done = subprocess.run([word.format(**self.words) for word in command], cwd=where, capture_output=True, text=True)
        if done.returncode:
            return f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
        return None

    def ours_for(self, kernel):
        return [name for name in self.ours if name != FAST or kernel.fast]

    def build_kdsl(self, kernel):
        for name in self.ours_for(kernel):
            command = self.ours[name]
            error = self.make([*command, f"{kernel.name}.kdsl", "-o", str(self.out / f"{kernel.name}-{name}")], HERE)
            if error:
                sys.exit(f"{kernel.name} does not build\n{error}")

    def build_peers(self, pattern):
        """Those peers that this machine can build, and the limits; who is missing is said."""
        peers = HERE / "peers"
        driver = str(self.out / "driver.o")
        limits = ["gcc", "-O3", "-march=native", "-fopenmp", "limits.c", "-o", "{out}/limits"]
        for command in (["gcc", "-O2", "-c", "driver.c", "-o", driver], limits):
            error = self.make(command, peers)
            if error:
                sys.exit(error)
        avx512 = "avx512dq" in Path("/proc/cpuinfo").read_text()
        built = []
        for peer in PEERS:
            if not re.search(pattern, peer.name) or peer.avx512 not in (None, avx512):
                continue
            tool = next((words[0] for words in [*peer.first, peer.command] if not shutil.which(words[0])), None)
            commands = [*peer.first, [*peer.command, driver, "-lm", "-o", f"{{out}}/peer-{peer.name}"]]
            error = f"no {tool}" if tool else next(filter(None, (self.make(c, peers) for c in commands)), None)
            if error:
                print(f"without {peer.name}: {error}", file=sys.stderr)
            else:
                built.append(peer)
        return built

    def run(self, turn, slot, argv, env=None):
        """One program, whose rows go to ours with the round and the kernel at whose time they were measured."""
        try:
            done = subprocess.run(argv, env=dict(self.env, **(env or {})), capture_output=True, text=True, timeout=SECONDS)
            out, error = done.stdout, done.stderr if done.returncode else ""
            if done.returncode:
                error = f"exit code {done.returncode} {error}"
        except subprocess.TimeoutExpired:
            out, error = "", f"no end within {SECONDS} s"
        if error:
            self.failed.append(f"{shlex.join(map(str, argv))}: {error}")
        for line in out.splitlines():
            if line.count("\t") == 4:
                self.rows.append([str(turn), slot, *line.split("\t")])
            if not line.endswith("\tok"):
                self.failed.append(line)

    def programs(self, slot, kernels, peers):
        """What is run for kernels that share their peers, as (argv, environment)."""
        yield [self.out / "limits", *LIMITS], {}
        for kernel in kernels:
            for name in self.ours_for(kernel):
                yield [self.out / f"{kernel.name}-{name}", name], {}
        for peer in peers:
            env = {key: value.format(**self.words) for key, value in peer.env.items()}
            yield [self.out / f"peer-{peer.name}", peer.name, slot], env

    def measure(self, turn, slot, programs):
        first = turn % len(programs)  # nobody always comes first, after the pause
        for argv, env in programs[first:] + programs[:first]:
            self.run(turn, slot, argv, env)


def main():
    chosen = options()
    bench = Bench(chosen)
    kernels = [k for k in KERNELS if not chosen.kernels or k.name in chosen.kernels]
    peers = bench.build_peers(chosen.peers)
    for kernel in kernels:
        bench.build_kdsl(kernel)
    slots = {}
    for kernel in kernels:
        slots.setdefault(kernel.peer_kernel, []).append(kernel)
    loads = []
    try:
        for turn in range(1, chosen.rounds + 1):
            loads.append(os.getloadavg()[0])
            for slot, members in slots.items():
                print(f"round {turn} of {chosen.rounds}: {slot:<20}", end="\r", file=sys.stderr, flush=True)
                bench.measure(turn, slot, list(bench.programs(slot, members, peers)))
    except KeyboardInterrupt:
        print("interrupted; this is what there is", file=sys.stderr)
    print(" " * 60, end="\r", file=sys.stderr)
    measured = report.Measured(report.machine(chosen.threads, loads, bench.ours["kdslc"][1:]), bench.rows)
    report.write(measured, bench.out)
    if chosen.docs:
        report.write_docs(measured)
    print(report.text(measured))
    for line in bench.failed:
        print(f"FAILED {line}", file=sys.stderr)
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
