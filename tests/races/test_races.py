#!/usr/bin/env python3
"""Data races, found and proven absent: tests/races/test_races.py KDSLC [--table] [NAME...]

Each program of this folder begins with its verdict:

    // race: 7 9 x        lines 7 and 9 (or one line twice) are in a race on the array `x`; a row for each pair of lines
    // free               there is none
    // stage: static      sizes, guards and indices decide: `kdslc check` must
    // stage: dynamic     data or products of variables decide: a run must

NAME-race.kdsl and NAME-free.kdsl differ in a token or a line. Both stages judge all programs; model.py, which is not
part of the compiler, confirms the verdicts. --table prints what docs/races-figures.md contains."""
import concurrent.futures
import functools
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
sys.path.insert(0, str(FOLDER.parent))
import parts  # noqa: E402
from run import failures  # noqa: E402
from translate import Program  # noqa: E402

REPORT = re.compile(r"^\S+?\.kdsl:(?P<line>\d+):\d+: data race on `(?:\w+\.)*(?P<place>\w+)[^`]*`.*?"
                    r"(?:on line (?P<other>\d+)|on the same line|\Z)", re.M)
ALWAYS = re.compile(r"^\S+?:(?P<line>\d+):\d+: error\[E0513\]: every work item writes `(?P<place>\w+)", re.M)
CERTAIN = re.compile(r"error\[E0530\]: data race: .*? (?:both touch|touch the same element of) `(?:\w+\.)*(?P<place>\w+)[^`]*`: "
                     r"line (?P<line>\d+) \w+, line (?P<other>\d+)")

# Programs of the static stage that the compiler leaves undecided, with the reason.
PARAMETER = "the launch decides: whether it races depends on the value of a parameter"
LIMIT = "the comparison exceeds its limit of operations"
STORED = "a value of an array that is only stored is taken for one that decides"
BITS = "`|` and `^` of two variables are not affine"
PARTS = "values in structs, vectors and variables passed by `&out` are not followed"
KNOWN_MISSES = {
    "assert-about-an-offset-race": PARAMETER,
    "bitonic-in-a-group-race": LIMIT,
    "bits-joined-free": BITS,
    "bits-joined-race": BITS,
    "condition-as-index-free": "a condition that is converted is not affine",
    "condition-as-index-race": "a condition that is converted is not affine",
    "gray-code-free": BITS,
    "gray-code-race": BITS,
    "odd-even-in-a-group-race": STORED,
    "odd-even-sort-race": PARAMETER,
    "position-by-reference-free": PARTS,
    "position-by-reference-race": PARTS,
    "position-in-a-struct-free": PARTS,
    "position-in-a-struct-race": PARTS,
    "position-in-a-vector-free": PARTS,
    "position-in-a-vector-race": PARTS,
    "triangle-by-formula-free": "products of two variables are not affine",
    "triangle-by-formula-race": "products of two variables are not affine",
    "while-until-uniform-race": "the condition of the loop is an element",
}


class Expected:
    def __init__(self, path):
        self.path, self.races, self.stage, self.free = path, set(), None, False
        for line in path.read_text().splitlines():
            if match := re.match(r"// race: (\d+) (\d+) (\w+)$", line):
                self.races.add((match[3], *sorted((int(match[1]), int(match[2])))))
            elif line == "// free":
                self.free = True
            elif match := re.match(r"// stage: (static|dynamic)$", line):
                self.stage = match[1]
        if self.stage is None or self.free == bool(self.races):
            raise ValueError(f"{path.name}: no verdict")


def run(command, **options):
    env = dict(os.environ, KMP_BLOCKTIME="0")
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=FOLDER, env=env, **options)


EVERYTHING = ("*", 0, 0)  # stands for the pairs that are not listed


def static(kdslc, path):
    """[(array, line, line, verdict, reason)] of all pairs."""
    result = run([kdslc, "--explain=races", "--format=json", path.name])
    if always := [(m["place"], int(m["line"]), int(m["line"]), "race", "") for m in ALWAYS.finditer(result.stderr)]:
        return [*always, (*EVERYTHING, "unknown", "an error before the analysis")]
    if result.returncode or not result.stdout.strip():
        raise RuntimeError(f"{path.name}: exit code {result.returncode}: {result.stderr.strip()}")
    kernels = json.loads(result.stdout)["kernels"]
    return [(pair["array"].split(".")[-1], *sorted(pair["lines"]), pair["verdict"], pair.get("reason", ""))
            for kernel in kernels for pair in kernel["pairs"]] + [
            (*EVERYTHING, "unknown", kernel["failed"]) for kernel in kernels if "failed" in kernel]


def dynamic(kdslc, path):
    """{(array, line, line)} of the races of a run, or of the compiler, which does not let some programs run."""
    result = run([kdslc, "run", "--check=race", *ignoring(kdslc), path.name])
    found = {(m["place"], int(m["line"]), int(m["line"])) for m in ALWAYS.finditer(result.stderr)}
    for m in CERTAIN.finditer(result.stderr):
        found.add((m["place"], *sorted((int(m["line"]), int(m["other"])))))
    if found:
        return found
    for line in failures(result.stderr):
        if match := REPORT.match(line):
            lines = sorted((int(match["line"]), int(match["other"] or match["line"])))
            found.add((match["place"], *lines))
    if result.returncode != (3 if found else 0):
        raise RuntimeError(f"{path.name}: exit code {result.returncode}: {result.stderr.strip()}")
    return found


@functools.cache
def judges_runs(kdslc):
    """Does this compiler have --check=race?"""
    return "--check=" in run([kdslc, "--help"]).stdout


@functools.cache
def ignoring(kdslc):
    """The option by which programs that certainly race are run."""
    return ["--races=off"] if any("--races=" in line and "off" in line
                                  for line in run([kdslc, "--help"]).stdout.splitlines()) else []


def modelled(path):
    return {(array, first, second) for _, array, first, _, second, _ in Program(path.read_text()).run()}


class Judgement:
    """What both stages and the model say of one program."""

    def __init__(self, kdslc, path):
        self.expected, self.name = Expected(path), path.stem
        self.model = modelled(path)
        self.pairs, self.problems = static(kdslc, path), []
        self.dynamic = dynamic(kdslc, path) if judges_runs(kdslc) else self.expected.races
        races = {pair[:3] for pair in self.pairs if pair[3] == "race"}
        free = {pair[:3] for pair in self.pairs if pair[3] == "free"}
        self.unknown = {pair[:3]: pair[4] for pair in self.pairs if pair[3] == "unknown"}
        self.static = "race" if races else "unknown" if self.unknown else "free"
        self.static_lines = bool(races & self.expected.races)
        self.compare(races, free)

    def compare(self, races, free):
        wanted = self.expected.races
        if self.model != wanted:
            self.problems.append(f"the model says {sorted(self.model)}, the program {sorted(wanted)}")
        for pair in sorted(races - wanted):
            self.problems.append(f"static: false alarm {pair}")
        wrong = sorted((free - races - set(self.unknown)) & wanted)
        for pair in wrong:
            self.problems.append(f"static: {pair} is not free")
        listed = races | free | set(self.unknown)
        for pair in sorted(wanted - listed) if EVERYTHING not in self.unknown else ():
            self.problems.append(f"static: {pair} is not listed")
        # Shadow memory keeps some accesses of an element, not all: each racy element has a report, not each pair.
        if self.dynamic - wanted or bool(self.dynamic) != bool(wanted):
            self.problems.append(f"dynamic: {sorted(self.dynamic)}, but {sorted(wanted)} is right")
        if self.expected.stage == "static" and self.static == "unknown" and self.name not in KNOWN_MISSES:
            self.problems.append(f"static: not decided: {self.unknown}")
        if self.static != "unknown" and self.name in KNOWN_MISSES:
            print(f"{self.name} is decided now: it need not be a known miss")


def judgements(kdslc, names=(), every=1):
    paths = [path for path in sorted(FOLDER.glob("*.kdsl")) if not names or path.stem in names]
    paths = paths if every == 1 else [path for k, path in enumerate(paths) if k // 2 % every == 0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda path: Judgement(kdslc, path), paths)


def table(all_of_them):
    rows = []
    for stage in ("static", "dynamic"):
        chosen = [j for j in all_of_them if j.expected.stage == stage]
        racy, free = [j for j in chosen if j.expected.races], [j for j in chosen if j.expected.free]
        for tool in ("check", "run --check=race"):
            said = {j.name: j.static if tool == "check" else "race" if j.dynamic else "free" for j in chosen}
            right = sum(j.static_lines if tool == "check" else bool(j.dynamic & j.expected.races) for j in racy)
            count = {v: sum(said[j.name] == v for j in racy) for v in ("race", "free", "unknown")}
            quiet = {v: sum(said[j.name] == v for j in free) for v in ("race", "free", "unknown")}
            rows.append((stage, tool, len(racy), count["race"], right, count["unknown"], count["free"], len(free),
                         quiet["free"], quiet["unknown"], quiet["race"]))
    print("| decided by | tool | racy | found | right lines | unknown | missed | free | proven | unknown "
          "| false alarms |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


class RacesTest(unittest.TestCase):
    def test_programs(self):
        found = list(judgements(KDSLC, every=8 if parts.PART == "quick" else 1))
        self.assertGreater(len(found), 0)
        problems = [f"{j.name}: {problem}" for j in found for problem in j.problems]
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_programs_are_pairs(self):
        names = {path.stem for path in FOLDER.glob("*.kdsl")}
        self.assertGreaterEqual(len(names), 300)
        for name in names:
            base, kind = name.rsplit("-", 1)
            self.assertIn(kind, ("race", "free"))
            self.assertIn(f"{base}-{'free' if kind == 'race' else 'race'}", names)
            self.assertEqual(kind == "free", Expected(FOLDER / f"{name}.kdsl").free, name)


if __name__ == "__main__":
    KDSLC = str(Path(sys.argv.pop(1)).resolve())
    if "--table" in sys.argv:
        table(list(judgements(KDSLC)))
    elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        for judgement in judgements(KDSLC, sys.argv[1:]):
            print(judgement.name, judgement.static, judgement.problems)
    else:
        unittest.main()
