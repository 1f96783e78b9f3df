#!/usr/bin/env python3
"""Is any kernel slower as vector code than as scalar code? run.py [--kdslc KDSLC] [--march CPU] [--least RATIO] [PATTERN]

Each program of examples/, tests/run/ and tests/vector/ is compiled with and without vector code (--vector=off) and run with
repeat.c between it and libomptarget, which repeats the program's first launches of each kernel in a child process. What is
compared is the fastest launch of each, on one thread; the two executables run in turn, several times, of which the lower
quartile counts: on some machines a core is half as fast while its other hardware thread is busy, and now and then faster than
usual. Kernels whose assembly is the same in both are counted and not timed. A launch costs about a microsecond beside its
kernel, and a difference below --nanoseconds is none. Rows: program, kernel, launch, time as scalar code and as
vector code in microseconds, the vector code's rate (below 1: it is slower). Exit code 1: a rate is below --least."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
FOLDERS = ("examples", "tests/run", "tests/vector")
LIBRARY = "libomptarget.so.22.1"
SECONDS = 120
MUCH = 1000 # nanoseconds


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--beside", type=Path, help="compare with this compiler's vector code, not with scalar code")
    parser.add_argument("--march", default="native")
    parser.add_argument("--least", type=float, default=0.95)
    parser.add_argument("--nanoseconds", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=8, help="at most")
    parser.add_argument("--all", action="store_true", help="print every kernel, not only those below --least")
    parser.add_argument("pattern", nargs="?", default="")
    return parser.parse_args()


def real_library():
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"{re.escape(LIBRARY)} .*=> (\S+)", listed)
    return Path(found.group(1)) if found else sys.exit(f"no {LIBRARY} here")


def build_library(folder):
    """A library of libomptarget's name, which depends on libomptarget under another one: programs look for functions in
    the library of that name and in those that it depends on."""
    real = folder / "libreal.so"
    subprocess.run(["gcc", "-shared", "-xc", "/dev/null", "-o", real, "-Wl,-soname,libreal.so"], check=True)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", HERE / "repeat.c", "-o", folder / LIBRARY,
                    f"-Wl,-soname,{LIBRARY}", "-Wl,--no-as-needed", f"-L{folder}", "-lreal"], check=True)
    real.unlink()
    real.symlink_to(real_library())


def kernels_at(program):
    """Names of kernels by the place of their region id."""
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\w+) \w kdsl_kernel_(\S+)\.region_id$", listed, re.MULTILINE)
    return {int(place, 16): name for place, name in found}


def times_of(program, folder):
    """(kernel, launch): nanoseconds. The program runs where it finds the repository's files, and leaves its own nowhere."""
    log = folder / "times"
    log.unlink(missing_ok=True)
    env = {**os.environ, "LD_LIBRARY_PATH": str(folder), "KDSL_TIMES": str(log), "OMP_NUM_THREADS": "1"}
    try:
        subprocess.run([program], env=env, cwd=folder / "run", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        pass
    names, rows = kernels_at(program), log.read_text().split("\n") if log.exists() else []
    return {(names.get(int(place, 16), place), int(launch)): float(ns)
            for place, launch, ns in (row.split() for row in rows if row)}


def compile_program(chosen, kdslc, how, source, folder, what=()):
    flags = " ".join(re.findall(r"^// flags: (.*)$", source.read_text(), re.MULTILINE)).split()
    program = folder / f"program-{how}-{kdslc == chosen.kdslc}"
    done = subprocess.run([kdslc, "-O2", *flags, f"--vector={how}", f"--march={chosen.march}",
                           "--offload-arch=host", *what, source, "-o", program], cwd=ROOT, capture_output=True)
    return program if done.returncode == 0 else None


def functions_of(program):
    """Name: assembly, with the constants before it and without the numbers that differ from one module to another."""
    found = {}
    for text in re.split(r"^\.Lfunc_end\d+:$", program.read_text(), flags=re.MULTILINE):
        name = re.search(r'^"?([A-Za-z_][^\s:"]*)"?:', text, re.MULTILINE)
        if name:
            found[name.group(1)] = re.sub(r"(\.L[A-Za-z]+)\d+", r"\1", text)
    return found


def same_code(chosen, compilers, source, folder):
    """Is a kernel's code the same in both? Then there is nothing to time: what differs is the machine's mood."""
    programs = [compile_program(chosen, *each, source, folder, ["--emit=device-asm"]) for each in compilers]
    a, b = (functions_of(program) if program else {} for program in programs)
    differ = {name for name in a.keys() | b.keys() if a.get(name) != b.get(name)}
    kernels = {name: re.match(r"kernel\.([^.]+)|kdsl_kernel_([^.]+)", name) for name in differ}
    of_all = any(not found for found in kernels.values())
    of_some = {found.group(1) or found.group(2) for found in kernels.values() if found}
    return lambda kernel: not of_all and kernel.split(".")[0] not in of_some


def lower_quartile(times):
    return sorted(times)[len(times) // 4]


def is_slower(chosen, off, auto):
    return off < chosen.least * auto and auto - off > chosen.nanoseconds


def compare(chosen, source, folder):
    """(kernel, launch): [nanoseconds as scalar code, as vector code]. What looks slower is measured again: on a busy machine
    a program shares its core with others for longer than it runs."""
    other = (chosen.beside.resolve(), "auto") if chosen.beside else (chosen.kdslc, "off")
    compilers = (other, (chosen.kdslc, "auto"))
    is_same = same_code(chosen, compilers, source, folder)
    programs = [compile_program(chosen, *each, source, folder) for each in compilers]
    times = collections.defaultdict(lambda: [[], []])
    for n in range(chosen.rounds if None not in programs else 0):
        if n >= 2 and not any(is_slower(chosen, *pair) for pair in compared(times, is_same).values()):
            break
        for i, program in enumerate(programs):
            for key, ns in times_of(program, folder).items():
                times[key][i].append(ns)
    return compared(times, is_same), sum(is_same(kernel) for kernel, _ in times)


def compared(times, is_same):
    return {key: [lower_quartile(off), lower_quartile(auto)] for key, (off, auto) in times.items()
            if off and auto and not is_same(key[0])}


def main():
    chosen = options()
    chosen.kdslc = chosen.kdslc.resolve()
    n_compared = n_same = n_slower = n_by_much = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_library(folder)
        (folder / "run").mkdir()
        for part in ("examples", "tests"):
            (folder / "run" / part).symlink_to(ROOT / part)
        for source in sorted(path for part in FOLDERS for path in (ROOT / part).glob("*.kdsl")):
            where = source.relative_to(ROOT).as_posix()
            if not re.search(chosen.pattern, where) or re.search(r"error\[E", source.read_text()):
                continue
            times, n = compare(chosen, source, folder)
            n_same += n
            for (kernel, launch), (off, auto) in sorted(times.items()):
                slower = is_slower(chosen, off, auto)
                n_compared += 1
                n_slower += slower
                n_by_much += slower and auto - off > MUCH
                if slower or chosen.all:
                    print(f"{where:<44} {kernel:<20} {launch} {off / 1e3:10.2f} {auto / 1e3:10.2f} {off / max(auto, 1):6.2f}",
                          flush=True)
    print(f"{n_compared} launches, {n_slower} slower as vector code, {n_by_much} by more than {MUCH / 1e3:.0f} us; "
          f"{n_same} launches of the same code")
    return n_slower > 0


if __name__ == "__main__":
    sys.exit(main())
