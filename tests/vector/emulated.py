#!/usr/bin/env python3
"""Vector code for AVX-512 on a machine that has none: Bochs emulates one (machine.py).
usage: emulated.py KDSLC FOLDER [--march CPU] [--seeds N] [--flags=-O2] [FILE.kdsl...]

The programs of tests/vector, or those named, must print what they should, and the random kernels of the first N seeds
must leave the bits that their scalar code at -O0 leaves on this machine. Not among the tests of CTest: it wants packages
(`./dev emulate` installs them) and minutes; a machine that runs the code itself does so in CTest."""
import argparse
import sys
import time
from pathlib import Path

import machine
import random_kernels

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import run as tests  # noqa: E402

def compiled(kdslc, flags, source, program):
    command = [kdslc, *flags, "--color=never", source, "-o", program]
    code, out, err = tests.run(command)
    if code or out:
        sys.exit(f"{tests.show(command)}\nexit code {code}\n{out}{err}")
    return program


class Program(machine.Job):
    """One of the test programs."""

    def __init__(self, kdslc, folder, flags, path):
        self.test = tests.Test(path, kdslc, False)
        program = compiled(kdslc, [*flags, *(self.test.note("flags") or "").split()], path, folder / path.stem)
        super().__init__(self.test.name, program, (self.test.note("args") or "").split(),
                         dict(pair.split("=", 1) for pair in self.test.notes("env")),
                         "".join(line + "\n" for line in self.test.notes("stdin")))

    def wrong(self):
        want, got = int(self.test.note("expect-exit", "0")), self.code
        if want != got:
            return f"exit code {got}, expected {want}: {self.stderr.decode(errors='replace')[-1000:]}"
        err = self.stderr.decode(errors="replace")
        missing = [text for text in self.test.notes("expect-stderr") if not tests.says(text, err)]
        if missing:
            return f"no `{missing[0]}` in standard error"
        try:
            tests.compare("standard output", self.test.expected_output() or "", self.stdout.decode(errors="replace"))
        except tests.Failed as why:
            return str(why)
        return None


class Kernels(machine.Job):
    """The random kernels of a seed."""

    def __init__(self, kdslc, folder, flags, seed):
        kernels = random_kernels.kernels_of(seed, random_kernels.KERNELS)
        self.bench = random_kernels.Bench(kdslc, folder, f"kernels-{seed}", kernels)
        self.bench.source.write_text(random_kernels.program(kernels))
        self.want, problem = self.bench.outcome(random_kernels.BASE)
        if problem:
            sys.exit(problem)
        super().__init__(f"kernels of seed {seed}", compiled(kdslc, flags, self.bench.source, folder / f"seed-{seed}"))

    def wrong(self):
        if self.code:
            return f"exit code {self.code}: {self.stderr.decode(errors='replace')[-1000:]}"
        found = random_kernels.difference(self.bench.records(), self.want, self.out)
        return found and "{0}[{1}] is {3}, at -O0 {2}".format(*found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kdslc", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--march", default="x86-64-v4")
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--anyway", action="store_true", help="even if this machine runs such code itself")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_intermixed_args()
    if f"--march={options.march}" in tests.widths() and not options.anyway:
        print(f"this machine runs code for {options.march} itself, as `./dev test` does; --anyway emulates it")
        return 0
    kdslc, folder = options.kdslc.resolve(), options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    paths = [path.resolve() for path in options.files] or sorted((ROOT / "tests/vector").glob("*.kdsl"))
    flags = [f"--march={options.march}", *options.flags.split()]
    jobs = [Program(kdslc, folder, flags, path) for path in paths]
    jobs += [Kernels(kdslc, folder, flags, seed) for seed in range(1, options.seeds + 1)]
    print(f"{len(jobs)} programs compiled for {options.march}", flush=True)
    noise = {f"{t}.noise": numbers for t, numbers in random_kernels.NOISE.items()}

    failed, began = 0, time.monotonic()
    for job in machine.emulate(folder, jobs, noise):
        if job.name == "processor":
            flags = sorted(word for word in set(job.stdout.decode().split()) if word.startswith("avx"))
            print(f"a processor with {' '.join(flags)} after {time.monotonic() - began:.0f} s", flush=True)
            continue
        wrong = job.wrong()
        failed += wrong is not None
        print(f"FAILED {job.name}: {wrong}" if wrong else f"{job.name}: as it should be", flush=True)
    never = [job.name for job in jobs if job.code is None]
    print(f"{len(jobs) - failed - len(never)} passed, {failed} failed, {len(never)} never ended {' '.join(never)}")
    return 1 if failed or never else 0


if __name__ == "__main__":
    sys.exit(main())
