#!/usr/bin/env python3
"""Does the vectoriser's cost model choose well? run.py [--kdslc KDSLC] [--march CPU] [--least RATIO] [--plans] [PATTERN]

Each kernel of bench/strangers is compiled as the cost model chooses, and as it might have chosen: --vector=off, --vector=always,
and with --plans by --nest-plan with other rows, vectors and lanes, as far as they are legal for its nests. Choices whose code is
that of another one are not timed. All run in turn on one thread, and the fastest execution of each counts; what looks slower than
another choice is measured again, more often. Rows: program, milliseconds as chosen, and for each other choice its rate (above 1:
it would have been faster). Exit code 1: a choice is below --least of the best one."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STRANGERS = ROOT / "bench/strangers"
FLAGS = ["-O2", "-march=native", "-fopenmp", "-std=gnu17", "-w"]
ROUNDS, AGAIN = 3, 6
BLOCKS = [{"rows": 1, "vectors": 1}, {"rows": 1, "vectors": 2}, {"rows": 1, "vectors": 4}, {"rows": 2, "vectors": 1},
          {"rows": 4, "vectors": 1}, {"rows": 4, "vectors": 2}]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--march", default="native")
    parser.add_argument("--least", type=float, default=0.95)
    parser.add_argument("--plans", action="store_true", help="other blocks, too")
    parser.add_argument("pattern", nargs="?", default="")
    return parser.parse_args()


def call(*command, cwd):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def with_keys(plans, keys):
    for key, value in keys.items():
        plans = re.sub(rf"\b{key}=\d+", f"{key}={value}", plans)
    return plans


def choices(chosen, name, folder):
    """Of each choice its name and the options that force it."""
    found = [("off", ["--vector=off"]), ("always", ["--vector=always"])]
    explained = call(chosen.kdslc, f"--march={chosen.march}", "--explain=vector", STRANGERS / f"{name}.kdsl", cwd=folder)
    plans = "\n".join(line.strip() for line in explained.splitlines() if re.match(r"\s*plan ", line))
    half = re.sub(r"\blanes=(\d+)", lambda lanes: f"lanes={max(2, int(lanes.group(1)) // 2)}", plans)
    blocks = [(f"{keys['rows']}x{keys['vectors']}", with_keys(plans, keys)) for keys in BLOCKS] + [("half the lanes", half)]
    for what, text in blocks if chosen.plans and plans else []:
        file = folder / f"{name}.{what.replace(' ', '-')}.plan"
        file.write_text(text + "\n")
        found.append((what, [f"--nest-plan={file}"]))
    return found


def build(chosen, name, folder):
    """The executables of all choices, as chosen first, without those of the same code."""
    call(chosen.kdslc, "-c", STRANGERS / f"{name}.kdsl", "-o", "kernel.o", f"--header={name}.h", cwd=folder)
    call("gcc", *FLAGS, "-DCOMPILER=gcc", "-DDATA", f"-I{folder}", f"-I{STRANGERS}", "-c", STRANGERS / f"{name}.c", "-o", "data.o",
         cwd=folder)
    libraries = call(chosen.kdslc, "--print-link-flags", cwd=folder).split()
    programs, seen = {}, set()
    for what, how in [("chosen", []), *choices(chosen, name, folder)]:
        code = call(chosen.kdslc, f"--march={chosen.march}", "--emit=device-asm", *how, STRANGERS / f"{name}.kdsl", "-o", "-",
                    cwd=folder)
        if code in seen:
            continue
        seen.add(code)
        programs[what] = folder / f"{name}.{what.replace(' ', '-')}"
        call(chosen.kdslc, f"--march={chosen.march}", "-c", *how, STRANGERS / f"{name}.kdsl", "-o", "kernel.o", cwd=folder)
        call("gcc", "-O2", "-std=gnu17", f"-I{STRANGERS}", HERE / "time.c", "kernel.o", "data.o", *libraries,
             "-L/usr/lib/llvm-22/lib", "-lomp", "-lm", "-o", programs[what], cwd=folder)
    return programs


def measure(programs, best, rounds):
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false",
           "LD_LIBRARY_PATH": f"/usr/lib/llvm-22/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    for _ in range(rounds):
        for what, program in programs.items():
            done = subprocess.run([program, "0.2"], capture_output=True, text=True, env=env, timeout=300)
            if done.returncode:
                sys.exit(f"{program.name}: {done.stdout}{done.stderr}")
            best[what] = min(best.get(what, float("inf")), float(done.stdout))


def main():
    chosen = options()
    chosen.kdslc = chosen.kdslc.resolve()
    lost = []
    names = sorted(path.stem for path in STRANGERS.glob("*.kdsl") if re.search(chosen.pattern, path.stem))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            programs, best = build(chosen, name, Path(folder)), {}
            measure(programs, best, ROUNDS)
            if min(best.values()) < chosen.least * best["chosen"]:
                measure(programs, best, AGAIN)
            rates = {what: best["chosen"] / time for what, time in best.items() if what != "chosen"}
            print(f"{name:16} {best['chosen']:9.3f} ms  " + "  ".join(f"{what} {rate:.2f}" for what, rate in rates.items()),
                  flush=True)
            if min(best.values()) < chosen.least * best["chosen"]:
                lost.append((best["chosen"] / min(best.values()), name, min(best, key=best.get)))
    print(f"{len(names)} programs; better than what was chosen: "
          + (", ".join(f"{name} {what} {rate:.2f}" for rate, name, what in sorted(lost, reverse=True)) or "nothing"))
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
