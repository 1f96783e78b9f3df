#!/usr/bin/env python3
"""The compiler under Valgrind: no pass may read an LLVM value after it was erased, nor anything that nobody has set. LLVM
is the distribution's, without a sanitizer, so such a read gives wrong code or a crash in one compilation of fifty.
Usage: test_memory.py KDSLC [--all] [PATTERN]: a sample of the programs, all of them, or those of which the path has it.
Exit code 1: something was read or written that must not be."""
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
FAULT = 99
# Scalar promotion read a phi that it had erased; the others have nests of every kind.
CHOSEN = ["tests/run/offload-async.kdsl", "tests/vector/parts.kdsl"]
TARGETS = [["--march=x86-64-v3"], ["--march=x86-64-v4"], ["--march=x86-64-v2"], ["--offload-arch=sm_90"],
           ["--offload-arch=gfx942"]]
N_SAMPLE = 18


def is_compiled(path):
    text = path.read_text()
    return "fn main" in text and "kernel " in text and not re.search(r"//.*error\[E", text)


def jobs():
    """(program, options): a different target for each program, the same ones in each run."""
    programs = [path.relative_to(ROOT).as_posix() for folder in ("examples", "tests/run", "tests/vector")
                for path in sorted((ROOT / folder).glob("*.kdsl")) if is_compiled(path)]
    given = [arg for arg in sys.argv[2:] if arg != "--all"]
    if given:
        return [(program, flags) for program in programs if re.search(given[0], program) for flags in TARGETS]
    order = random.Random(1).sample(programs, len(programs))
    if "--all" not in sys.argv:
        order = order[:N_SAMPLE]
    made = [(program, TARGETS[0]) for program in CHOSEN]
    made += [(program, TARGETS[i % len(TARGETS)]) for i, program in enumerate(order)]
    return parts.first(made)


def compile_under_valgrind(kdslc, job):
    program, flags = job
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = ["valgrind", "-q", f"--error-exitcode={FAULT}", f"--log-file={log}", kdslc, "-O2", *flags,
                   "--color=never", "--emit=device-llvm", program, "-o", Path(folder) / "out.ll"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        text = log.read_text() if log.exists() else ""
    if done.returncode == FAULT:
        return f"{program} {' '.join(flags)}:\n{text[:4000]}"
    return None if done.returncode in (0, 1) else f"{program} {' '.join(flags)}: ends with {done.returncode}\n{text}"


def main():
    todo = jobs()
    with ThreadPoolExecutor(2) as pool:
        failed = [text for text in pool.map(lambda job: compile_under_valgrind(sys.argv[1], job), todo) if text]
    print("\n".join(failed))
    print(f"{len(todo)} compilations, {len(failed)} with a fault")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
