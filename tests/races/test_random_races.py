#!/usr/bin/env python3
"""Random kernels, judged by brute force: test_random_races.py KDSLC [--seed N] [--count N] [--runs N] [--show N]

model.py executes each kernel of generate.py for many small sizes and finds all pairs of accesses that conflict:

- static `free` of a pair that conflicts for some size is a wrong proof,
- static `race` must conflict in the launch that its witness describes, between the items it names,
- a conflicting pair that is not listed at all is forgotten,
- a run with --check=race reports a race if and only if the model finds one in that run, and no other pairs.

A failing program is reduced and printed."""
import concurrent.futures
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from generate import Generator  # noqa: E402
from model import ATOMIC, READ, WRITE, Failed, concurrent as conflict  # noqa: E402
from test_races import REPORT, ignoring, judges_runs  # noqa: E402
from translate import Program  # noqa: E402

KINDS = {"read": {READ}, "write": {WRITE}, "update": {READ, WRITE}, "atomic": {ATOMIC}}
SIZES = list(itertools.product((1, 2, 3, 4, 5, 8, 9), (1, 2, 4, 5, 8), (0, 1, 2, 3)))
QUICK, RUNS_QUICK, ALL, RUNS_ALL = 60, 10, 1500, 120
LARGEST = 48  # witnesses of larger launches are not executed
WRONG_ONCE = (258, 1033, 1075)  # kernels whose example once named another element: clamp(k - 1, 0, n - 1)


class Model:
    def __init__(self, text, seed):
        self.program, self.known = Program(text), {}
        self.sizes = random.Random(seed).sample(SIZES, 14)

    def launch(self, sizes):
        """{(array, line, kind, line, kind): witness} of a launch; None if it fails."""
        if sizes not in self.known:
            machine, names = self.program.machine(400_000)
            try:
                names["fn_launch"](*sizes)
                self.known[sizes] = {key[1:]: value for key, value in machine.witnesses.items()}, machine.touched
            except Failed:
                self.known[sizes] = None
        return self.known[sizes]

    def conflicts(self):
        found = {}
        for sizes in self.sizes:
            for key in (self.launch(sizes) or [{}])[0]:
                found.setdefault(key, sizes)
        return found


def named(pair, array):
    """In a function the array has the name of the function's parameter."""
    return pair["array"] in (array, "z")


def matches(pair, key):
    """Is this pair of the compiler that conflict of the model?"""
    array, first, kind, second, other = key
    if not named(pair, array):
        return False
    sides = list(zip(pair["lines"], pair["modes"]))
    return any(a[0] == first and kind in KINDS[a[1]] and b[0] == second and other in KINDS[b[1]]
               for a, b in (sides, sides[::-1]))


def static_problems(kdslc, file, model, sizes):
    result = subprocess.run([kdslc, "--explain=races", "--format=json", str(file)], capture_output=True, text=True,
                            timeout=60)
    if not result.stdout.strip():
        if "E0513" in result.stderr:
            return [] if model.conflicts() or not any(map(model.launch, model.sizes)) else ["E0513 without a conflict"]
        return [f"no verdict: exit code {result.returncode}: {result.stderr[:300]}"]
    kernels = json.loads(result.stdout)["kernels"]
    pairs = [pair for kernel in kernels for pair in kernel["pairs"]]
    given_up, problems = any("failed" in kernel for kernel in kernels), []
    for key, where in model.conflicts().items():
        same = [pair for pair in pairs if matches(pair, key)]
        if not same and not given_up:
            problems.append(f"forgotten: {key} conflicts for n, m, k = {where}")
        elif same and all(pair["verdict"] == "free" for pair in same):
            problems.append(f"wrong free: {key} conflicts for n, m, k = {where}: {model.launch(where)[0][key]}")
    for pair in pairs:
        if pair["verdict"] == "race":
            problems += witness_problems(pair, model, sizes)
    return problems


def witness_problems(pair, model, sizes):
    witness = pair.get("witness")
    if not witness:
        return [f"race without a witness: {pair}"]
    if "gap" in witness["sizes"]:  # the launch makes it 1 << k
        k = witness["sizes"]["gap"].bit_length() - 1
        if witness["sizes"].setdefault("k", k) != k or witness["sizes"]["gap"] != 1 << max(k, 0):
            return []
    launch = tuple(witness["sizes"].get(name, size) for name, size in zip("nmk", sizes))
    if max(launch) > LARGEST or min(launch) < 0:
        return []
    executed = model.launch(launch)
    if executed is None:
        return []  # another item ends the launch: the message could be better, but these two do race before
    if not any(matches(pair, key) for key in executed[0]):
        said = f"{pair['array']} {pair['lines']} {pair['modes']} {witness}"
        return [f"wrong race: no conflict for n, m, k = {launch}: {said}"]
    items = [tuple(item.values()) for item in witness["items"]]
    return [] if touch_together(pair, items, witness["element"], executed[1], model) else [
        f"wrong witness for n, m, k = {launch}: {pair['array']} {pair['lines']} {pair['modes']} {witness}"]


def touch_together(pair, items, element, touched, model):
    """Do these two items touch one element, at the same time, in these lines?"""
    for (_, flat, _), kinds in touched.items():
        sides = [{item for (line, kind, name), items_of in kinds.items() if line == pair["lines"][s]
                  and kind in KINDS[pair["modes"][s]] and named(pair, name)
                  for item in items_of if item[2] == items[s]} for s in (0, 1)]
        if (len(element) != 1 or element[0] == flat) and conflict(*sides):
            return True
    return False


def dynamic_problems(kdslc, file, model, sizes):
    executed = model.launch(sizes)
    if executed is None:
        return []
    result = subprocess.run([kdslc, "run", "--check=race", *ignoring(kdslc), str(file)], capture_output=True, text=True,
                            timeout=120, env=dict(os.environ, KMP_BLOCKTIME="0"))
    found = {(m["place"], *sorted((int(m["line"]), int(m["other"] or m["line"]))))
             for m in map(REPORT.match, result.stderr.splitlines()) if m}
    right = {(array, first, second) for array, first, _, second, _ in executed[0]}
    if result.returncode != (3 if right else 0):
        return [f"dynamic: exit code {result.returncode}, but the races are {sorted(right)}: {result.stderr[:300]}"]
    return [f"dynamic: {wrong} is no race; right are {sorted(right)}" for wrong in sorted(found - right)]


def problems_of(tree, seed, kdslc, folder, run):
    file = Path(folder) / f"{seed}.kdsl"
    file.write_text(tree.text())
    model = Model(tree.text(), seed)
    model.sizes.append(tree.sizes)
    problems = static_problems(kdslc, file, model, tree.sizes)
    return problems + (dynamic_problems(kdslc, file, model, tree.sizes) if run else [])


def reduced(tree, seed, kdslc, folder, run, kind):
    """The smallest program with a problem of the same kind that leaving statements out leads to."""
    changed, tries = True, 60
    while changed and tries > 0:
        changed = False
        for smaller in tree.smaller():
            tries -= 1
            try:
                if any(p.startswith(kind) for p in problems_of(smaller, seed, kdslc, folder, run)):
                    tree, changed = smaller, True
                    break
            except (SyntaxError, TypeError, json.JSONDecodeError):
                pass  # a name without its declaration
    return tree


def examine(seed, kdslc, folder, run):
    tree = Generator(seed).program()
    problems = problems_of(tree, seed, kdslc, folder, run)
    if not problems:
        return None
    kind = problems[0].split(":")[0]
    small = reduced(tree, seed, kdslc, folder, run and kind == "dynamic", kind)
    rest = problems_of(small, seed, kdslc, folder, run and kind == "dynamic")
    return f"seed {seed}: {problems[0]}\nreduced: {rest}\n{small.text().split(chr(10) + 'fn launch')[0]}"


def main():
    kdslc = str(Path(sys.argv[1]).resolve())
    option = {sys.argv[k]: int(sys.argv[k + 1]) for k in range(2, len(sys.argv) - 1) if sys.argv[k].startswith("--")}
    first = option.get("--seed", 0)
    count = option.get("--count", QUICK if parts.PART == "quick" else ALL)
    runs = option.get("--runs", RUNS_QUICK if parts.PART == "quick" else RUNS_ALL)
    if parts.PART == "exhaustive":
        first += QUICK
    if not judges_runs(kdslc):
        runs = 0
        print("this compiler has no --check=race: runs are not judged")
    seeds = [*range(first, first + count), *(WRONG_ONCE if "--seed" not in option else ())]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(examine, seed, kdslc, folder, seed - first < runs) for seed in seeds]
        failures = 0
        for job in concurrent.futures.as_completed(jobs):
            if text := job.result():
                print(text, flush=True)
                failures += 1
            if failures == option.get("--show", 10):
                pool.shutdown(cancel_futures=True)
                break
    print(f"{len(seeds)} kernels, {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
