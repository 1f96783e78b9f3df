#!/usr/bin/env python3
"""Random host programs around launches (generate.py), judged by an interpreter of their own (interpret.py): run with the
transfer plan while stale memory is poisoned, without a device, executed on their tree (interp/) and, on request, with
`--transfers=each` and as inputs of a session, they must print what it says.

usage: differential.py KDSLC WORKDIR FIRST_SEED N_FILES [--cases N] [--each] [--sessions N] [--no-reduce]

A file has many cases, so that one compilation tests them all. A seed always gives the same text. If a file fails,
WORKDIR keeps the first case that does, reduced. test_differential.py runs some of them among the tests."""
import argparse
import os
import random
import subprocess
import sys

import emit
import generate
import interpret
import reduce


def cases_of(seed, n):
    """[(case, lines)]"""
    rng, found = random.Random(seed), []
    while len(found) < n:
        case = generate.Generator(rng, len(found)).case()
        try:
            found.append((case, interpret.interpret(case)))
        except interpret.Invalid:
            continue  # it runs too long
    return found


def run(command, cwd=None, stdin="", **env):
    env = {**os.environ, "KMP_BLOCKTIME": "0", **env}  # waiting threads leave the cores to other tests
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env, input=stdin, timeout=300)
    except subprocess.TimeoutExpired:
        return 124, "", "did not end within 300 s"
    return done.returncode, done.stdout, done.stderr


def worlds(each):
    found = [("plan, poisoned", "plan", {"KDSL_POISON": "1"}),
             ("plan, no device", "plan", {"OMP_TARGET_OFFLOAD": "disabled"}), ("tree", None, {})]
    return found + ([("plan", "plan", {}), ("each", "each", {"KDSL_MEMORY": "separate"})] if each else [])


def differences(kdslc, path, found, each, level):
    """What is wrong with the programs of these cases, compiled as one: [] or texts."""
    cases, lines = [case for case, _ in found], []
    for n, (_, want) in enumerate(found):
        lines += [f"case {n}", *want]
    with open(path + ".kdsl", "w", encoding="utf-8") as f:
        f.write(emit.program(cases))
    for how in ["plan", "each"][:2 if each else 1]:
        rc, out, err = run([kdslc, "--color=never", f"--transfers={how}", level, path + ".kdsl", "-o", f"{path}.{how}"])
        if rc:
            errors = [line for line in (out + err).splitlines() if "error" in line]
            return [f"kdslc --transfers={how} ended with {rc}: {' '.join(errors[:3])}"]
    wrong = []
    for name, how, env in worlds(each):
        rc, out, err = run([f"{path}.{how}"] if how else [kdslc, "interpret", path + ".kdsl"], **env)
        got = out.splitlines()
        if rc == 0 and got == lines:
            continue
        at = next((i for i, (a, b) in enumerate(zip(lines, got)) if a != b), min(len(lines), len(got)))
        case = next((line for line in reversed(lines[:at + 1]) if line.startswith("case ")), "case 0")
        wrong.append(f"{name}: {case}: exit code {rc}, {got[at:at + 1]} for {lines[at:at + 1]} {err[:300]}")
    return wrong


def session_differences(kdslc, case, lines):
    rc, out, err = run([kdslc, "repl"], stdin=emit.session(case), KDSL_POISON="1")
    errors = [line for line in err.splitlines() if "error" in line]
    if rc == 0 and out.splitlines() == lines and not errors:
        return []
    return [f"session: exit code {rc}: {out[:300]} for {lines} {errors[:3]}"]


def clean(path):
    for end in (".kdsl", ".plan", ".each"):
        if os.path.exists(path + end):
            os.unlink(path + end)


def reduce_failure(kdslc, path, found, said, each, level):
    """Keeps the smallest case that fails, in any way but being refused by the compiler (unless that is the failure)."""
    def of(case, want):
        wrong = differences(kdslc, path, [(case, want)], each, level)
        return wrong if wrong and wrong[0].startswith("kdslc") == said[0].startswith("kdslc") else []

    def fails(case):
        try:
            return bool(of(case, interpret.interpret(case)))
        except (interpret.Invalid, KeyError, ValueError, IndexError, AttributeError, TypeError):
            return False

    case = next((case for case, want in found if of(case, want)), None)
    if not case:
        return f"only together: {path}.kdsl"
    case = reduce.reduced(case, fails)
    differences(kdslc, path, [(case, interpret.interpret(case))], each, level)
    with open(path + ".kdsl", encoding="utf-8") as f:
        text = f.read()
    return text[text.index(emit.PRELUDE) + len(emit.PRELUDE):]


def check(kdslc, work, seed, n_cases, each=False, reduces=True):
    """None, or what is wrong."""
    path, level = os.path.join(work, f"transfers-{seed}"), "-O2" if seed % 8 == 0 else "-O0"
    found = cases_of(seed, n_cases)
    wrong = differences(kdslc, path, found, each, level)
    if not wrong:
        clean(path)
        return None
    text = reduce_failure(kdslc, path, found, wrong, each, level) if reduces else ""
    return "\n".join([f"seed {seed}: {path}.kdsl", *wrong, text])


def check_session(kdslc, seed):
    (case, lines), = cases_of(-1 - seed, 1)
    wrong = session_differences(kdslc, case, lines)
    prelude = emit.session({"functions": [], "body": []})
    return None if not wrong else "\n".join([f"session of seed {seed}", *wrong, emit.session(case)[len(prelude):]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kdslc")
    parser.add_argument("work")
    parser.add_argument("first", type=int)
    parser.add_argument("files", type=int)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=0)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--no-reduce", action="store_true")
    o = parser.parse_args()
    os.makedirs(o.work, exist_ok=True)
    n_failed = 0
    for seed in range(o.first, o.first + o.files):
        said = check(os.path.abspath(o.kdslc), o.work, seed, o.cases, o.each, not o.no_reduce)
        n_failed += said is not None
        if said:
            print(said, flush=True)
    for seed in range(o.first, o.first + o.sessions):
        said = check_session(os.path.abspath(o.kdslc), seed)
        n_failed += said is not None
        if said:
            print(said, flush=True)
    last = o.first + max(o.files, o.sessions) - 1
    print(f"seeds {o.first} to {last}: {o.files * o.cases} programs and {o.sessions} sessions, {n_failed} failures")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
