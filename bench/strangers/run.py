#!/usr/bin/env python3
"""The corpus of strangers: kernels of fields that bench/kernels lacks, as a user writes them first, beside OpenMP C as a user
writes it and as tuned by hand, compiled by gcc and clang with -O3 -march=native.

Usage: run.py [--kdslc KDSLC] [--out FILE.tsv] [--once] [--fast] [PATTERN]

--once: each version runs once, to compare what they compute; the times say nothing then.
--fast: KDSL with --fp=fast, C with -ffast-math. The tuned C has reductions in any order in either case.

docs/performance.tsv is such a FILE, of which page.py makes the page. Rows: kernel, version, seconds (the least of many, executed in turn), verdict, largest difference. Then, for each kernel, how
many times as fast KDSL is as the better tuned C and as the better plain C, and the geometric means."""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from report import machine  # noqa: E402
FLAGS = ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-std=gnu17", "-Wall"]
COMPILERS = {"gcc": "gcc", "clang": "clang-22"}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    return parser.parse_args()


def call(*command, cwd):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name, kdslc, fast, folder):
    kdslc_flags, c_flags = (["--fp=fast"], [*FLAGS, "-ffast-math"]) if fast else ([], FLAGS)
    call(kdslc, *kdslc_flags, "-c", HERE / f"{name}.kdsl", "-o", f"{name}.k.o", f"--header={name}.h", cwd=folder)
    objects = [f"{name}.k.o"]
    for who, compiler in COMPILERS.items():
        data = ["-DDATA"] if who == "gcc" else []
        call(compiler, *c_flags, f"-DCOMPILER={who}", *data, f"-I{folder}", f"-I{HERE}", "-c", HERE / f"{name}.c", "-o",
             f"{name}.{who}.o", cwd=folder)
        objects.append(f"{name}.{who}.o")
    flags = call(kdslc, "--print-link-flags", cwd=folder).split()
    call("gcc", "-O2", "-std=gnu17", f"-I{HERE}", HERE / "main.c", *objects, *flags, "-L/usr/lib/llvm-22/lib", "-lomp", "-lm",
         "-o", name, cwd=folder)
    return folder / name


def measure(program, threads):
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "false",
           "LD_LIBRARY_PATH": f"/usr/lib/llvm-22/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    done = subprocess.run([program], capture_output=True, text=True, env=env, timeout=900)
    if done.returncode:
        sys.exit(f"{program.name}: {done.stdout}{done.stderr}")
    return [line.split("\t") for line in done.stdout.splitlines()]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    o = options()
    if o.once:
        os.environ["STRANGERS_ONCE"] = "1"
    names = sorted(path.stem for path in HERE.glob("*.kdsl") if re.search(o.pattern, path.stem))
    rows, ratios, wrong, load = [], [], 0, os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found = measure(build(name, o.kdslc.resolve(), o.fast, Path(folder)), o.threads)
            seconds = {row[0]: float(row[1]) for row in found if len(row) == 5}
            for row in found:
                rows.append("\t".join([name, *row]))
                wrong += len(row) == 5 and row[2] != "ok"
                if len(row) == 5 and row[2] != "ok":
                    print(f"{name}: {row[0]} is wrong by {row[3]}", file=sys.stderr)
            best = {kind: min(seconds[f"{kind}-gcc"], seconds[f"{kind}-clang"]) for kind in ("tuned", "plain")}
            ratios.append((best["tuned"] / seconds["kdsl"], best["plain"] / seconds["kdsl"], name))
            print(f"{name:16} kdsl {seconds['kdsl'] * 1e3:9.3f} ms  tuned {best['tuned'] * 1e3:9.3f}  plain "
                  f"{best['plain'] * 1e3:9.3f}   x tuned {ratios[-1][0]:5.2f}   x plain {ratios[-1][1]:5.2f}", flush=True)
    print(f"geometric mean of {len(ratios)}: {mean([r[0] for r in ratios]):.2f} x the better tuned C, "
          f"{mean([r[1] for r in ratios]):.2f} x the better plain C")
    print("worst: " + ", ".join(f"{name} {tuned:.2f}" for tuned, _, name in sorted(ratios)[:5]))
    if o.out:
        about = machine(o.threads, [load], ["-O3", *(["--fp=fast"] if o.fast else [])])
        o.out.write_text("\n".join([*(f"# {key}: {value}" for key, value in about.items()), "kernel\tversion\tseconds\tverdict\tdifference\trounds", *rows]) + "\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
