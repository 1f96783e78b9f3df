#!/usr/bin/env python3
"""Every program of the tests and the examples on a device: suite.py --kdslc KDSLC [--device gpu|host] [PATTERN]

A program is compiled and run as tests/run.py does (its comments say with what), at -O2 and, with --all-levels, at -O0
and -O3; what it prints has to be what is expected there, exit code included. Numbers with a point may differ by
--tolerance of their size, since a GPU's functions and the order of its sums are its own; the verdict is then `close`,
not `same`. With --device gpu a program that offloads has to find a GPU (KDSL_REQUIRE). Those that --wide matches run
once more, with the kernels for large launches.
Rows: program, level, verdict, seconds."""
import argparse
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402
import run as conventions  # noqa: E402
from programs import SAMPLE  # noqa: E402

FOLDERS = ("examples", "tests/run", "tests/vector", "tests/transfers")
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|inf|nan)")
ABOUT_RUNTIME = re.compile(r"\bOMP_TARGET_OFFLOAD|LIBOMPTARGET|KDSL_|OMP_DEFAULT_DEVICE")
COMPILE_SECONDS = 900
# Programs that compare with what another library computes, bit for bit: what they may say of it, line by line, and why.
LIBRARIES = {"tests/vector/builtins.kdsl": (r"f(32|64) 21( of some)?, n = .*|\d+ differ",
                                            "tgamma is libclc's on GPUs, libm's on the host")}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--device", choices=("gpu", "host"), default="gpu")
    parser.add_argument("--arch", help="--offload-arch for the compiler, in place of its default")
    parser.add_argument("--fp", default="fused", choices=("fused", "strict"), help="as of kdslc")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--all-levels", action="store_true")
    parser.add_argument("--wide", metavar="PATTERN")
    parser.add_argument("--seconds", type=int, default=900, help="of one program: an interpreter needs minutes")
    parser.add_argument("--under", default="", metavar="COMMAND",
                        help="runs each program: `compute-sanitizer --tool racecheck --log-file /tmp/log-%%p`, ...")
    parser.add_argument("--out", type=Path, default=Path("suite.tsv"))
    parser.add_argument("pattern", nargs="?", default="", help="only programs whose path it matches")
    return parser.parse_args()


def near(got, want, tolerance):
    """The same text, but for numbers with a point that are close to each other."""
    if NUMBER.sub("#", got) != NUMBER.sub("#", want):
        return False
    for a, b in zip(map(float, NUMBER.findall(got)), map(float, NUMBER.findall(want))):
        if not (a != a and b != b) and not math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance):
            return False
    return True


class Program:
    def __init__(self, path, chosen):
        self.test = conventions.Test(path, chosen.kdslc.resolve(), False)
        self.chosen = chosen

    def is_one(self):
        """Does the file say what a program prints, on this device?"""
        wrong = any(code.startswith("E") for _, code, _ in self.test.markers())
        if self.chosen.device == "gpu" and any("no GPU" in text for text in self.test.notes("expect-stderr")):
            return False
        return not wrong and self.test.expected_output() is not None

    def offloads(self):
        """Do it or a module beside it launch kernels?"""
        seen, todo = set(), [self.test.path]
        while todo:
            path = todo.pop()
            if path in seen or not path.exists():
                continue
            seen.add(path)
            text = path.read_bytes().decode(errors="replace")
            if re.search(r"\boffload\b", text):
                return True
            named = re.findall(r"^import ([\w.]+);", text, flags=re.M)
            todo += [path.parent / f"{name.replace('.', '/')}.kdsl" for name in named]
        return False

    def env(self):
        own = dict(pair.split("=", 1) for pair in self.test.notes("env"))
        env = dict(os.environ, KMP_BLOCKTIME="0", **own)
        asks = any(ABOUT_RUNTIME.search(name) for name in own)
        asks = asks or re.search(r"\boffload (async )?on\b", self.test.text)
        if self.chosen.device == "gpu" and not asks and self.offloads():
            env["KDSL_REQUIRE"] = "gpu"
        return env

    def says(self, text, err):
        """Of several items that fail, a GPU may report another one than a CPU (docs/reference.md)."""
        if conventions.says(text, err) or self.chosen.device != "gpu" or "work item" not in text:
            return conventions.says(text, err)
        return conventions.says(*(re.sub(r"\d+", "N", part) for part in (text, err)))

    def compare(self, done):
        test, want, out = self.test, self.test.expected_output(), done.stdout
        code = int(test.note("expect-exit", "0"))
        if done.returncode != code:
            return f"exit code {done.returncode} instead of {code}: {done.stderr.strip()[-300:]}"
        for text in test.notes("expect-stderr"):
            if not self.says(text, done.stderr):
                return f"no `{text}` in standard error: {done.stderr.strip()[-300:]}"
        if out == want:
            return "same"
        if near(out, want, self.chosen.tolerance):
            return "close"
        said, why = LIBRARIES.get(test.name, (None, None))
        if self.chosen.device == "gpu" and said and all(re.fullmatch(said, line) for line in out.splitlines()):
            return f"close: {why}"
        lines = zip(out.splitlines() + ["<end>"], want.splitlines() + ["<end>"])
        return next((f"`{a}` instead of `{b}`" for a, b in lines if not near(a, b, self.chosen.tolerance)), "differs")

    def worlds(self):
        """What each run is called beside its level, and what it is told."""
        is_wide = self.chosen.wide and re.search(self.chosen.wide, self.test.name)
        return [("", {})] + [(" wide", {"KDSL_NARROW": "off"})] * bool(is_wide)

    def build(self, level, folder):
        """The executable, or None and what the compiler says."""
        test = self.test
        program = Path(folder) / test.path.stem
        flags = (test.note("flags") or "").split()
        if self.chosen.fp != "fused":
            flags.append(f"--fp={self.chosen.fp}")
        if self.chosen.arch and not any(flag.startswith("--offload-arch") for flag in flags):
            flags.append(f"--offload-arch={self.chosen.arch}")
        command = [test.kdslc, level, "--color=never", *flags, test.name, "-o", program]
        made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=COMPILE_SECONDS)
        return (None, f"does not compile: {made.stderr.strip()[-300:]}") if made.returncode else (program, "")

    def at_level(self, level):
        """Its rows."""
        with tempfile.TemporaryDirectory() as folder:
            program, problem = self.build(level, folder)
            if not program:
                return [(self.test.name, level, problem, 0.0)]
            return [(self.test.name, level + name, *self.run(program, folder, told)) for name, told in self.worlds()]

    def run(self, program, folder, told, **limits):
        """The verdict, and how long it took."""
        stdin = "".join(line + "\n" for line in self.test.notes("stdin"))
        command = [*shlex.split(self.chosen.under), program, *(self.test.note("args") or "").split()]
        seconds = self.chosen.seconds
        start = time.monotonic()
        try:
            done = subprocess.run(command, cwd=folder, env={**self.env(), **told}, input=stdin, capture_output=True,
                                  text=True, errors="replace", **{"timeout": seconds, **limits})
        except subprocess.TimeoutExpired:
            return f"no end within {seconds} s", float(seconds)
        return self.compare(done), time.monotonic() - start

    def rows(self):
        levels = ["-O2", "-O0", "-O3"] if self.chosen.all_levels else ["-O2"]
        return [row for level in levels for row in self.at_level(level)]


def programs_of(chosen, kind=Program):
    """Those that the pattern matches and whose files say what they print."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.kdsl"))
    programs = [kind(path, chosen) for path in paths if re.search(chosen.pattern, str(path.relative_to(ROOT)))]
    programs = parts.chosen(programs, lambda program: SAMPLE.search(program.test.name))
    return [program for program in programs if program.is_one()]


def main():
    chosen = options()
    programs = programs_of(chosen)
    rows = []
    with ThreadPoolExecutor(chosen.jobs) as pool, open(chosen.out, "w") as file:
        for row in (row for rows in pool.map(Program.rows, programs) for row in rows):
            rows.append(row)
            name, level, verdict, seconds = row
            print(name, level, " ".join(verdict.split()), f"{seconds:.3f}", sep="\t", file=file, flush=True)
    verdicts = [row[2] for row in rows]
    wrong = [row for row in rows if row[2] != "same" and not row[2].startswith("close")]
    for name, level, verdict, _ in wrong:
        print(f"FAILED {name} {level}: {verdict}", file=sys.stderr)
    print(f"{len(rows)} runs: {verdicts.count('same')} same, {len(rows) - len(wrong) - verdicts.count('same')} close, {len(wrong)} failed")
    sys.exit(1 if wrong or not rows else 0)


if __name__ == "__main__":
    main()
