#!/usr/bin/env python3
"""Random kernels (tests/vector/kernels.py) through the back ends of GPUs: code for NVIDIA, which ptxas takes where there
is one, and for AMD; and some of them on the mock device, which interprets their PTX: they leave the bits that the CPU
leaves, in both versions that kernels have. Sums of floats, whose order is the device's own, are left out.

The quick part of the suite has those that run, and compiles one file.
Usage: test_random_kernels.py KDSLC [FIRST_SEED N_FILES]    1 25: the 1,000 kernels of tests/vector, some minutes"""
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/vector"), str(ROOT / "tests")]
import parts  # noqa: E402
import random_kernels  # noqa: E402
from kernels import kernels_of, program  # noqa: E402

BUILD = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")).resolve()
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
FEW = 12  # kernels of a file that the interpreter runs
MOCKED = {"LD_LIBRARY_PATH": str(BUILD / "mock/nvidia"), "KDSL_MOCK_RUN": "1", "KDSL_PTXAS": ""}
ON_GPU = ("-O2", "--offload-arch=sm_90,host")


def run(command, **env):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ, **env},
                          timeout=random_kernels.COMPILE_S)
    return "" if done.returncode == 0 else f"$ {' '.join(map(str, command))}\n{done.stderr[-2000:]}"


def compiles(kdslc, folder, seed, arch, level):
    """A line of what went wrong, or nothing."""
    source = folder / f"compiled-{seed}.kdsl"
    source.write_text(program(kernels_of(seed, random_kernels.KERNELS)))
    out = folder / f"{seed}.{arch}"
    failed = run([kdslc, level, "--color=never", "--emit=device-asm", f"--offload-arch={arch}", source, "-o", out])
    if not failed and PTXAS and arch.startswith("sm_"):
        failed = run([PTXAS, "-O0", f"-arch={arch}", out, "-o", folder / f"{seed}.cubin"])
    return failed


class Mocked(random_kernels.Bench):
    """The program on the mock device, or on the CPU."""

    def outcome(self, flags):
        saved = {name: os.environ.get(name) for name in [*MOCKED, "KDSL_MOCK_LOG"]}
        log = self.folder / "log"
        log.write_text("")
        if flags == ON_GPU:
            os.environ.update(MOCKED, KDSL_MOCK_LOG=str(log))
        got, problem = super().outcome(flags)
        for name, value in saved.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        launches = [line for line in log.read_text().splitlines() if line.startswith("launch ")]
        version = "kernel" if os.environ.get("KDSL_NARROW") == "off" else "narrow"
        if flags == ON_GPU and not problem and not any(f"kdsl_{version}_" in line for line in launches):
            return None, "nothing ran on the device"
        return got, problem


def comparable(bench, want, got):
    """Both without the results of kernels that add floats."""
    place, kept = 0, ([], b"", b"")
    for what, t, n in bench.records():
        size = random_kernels.bytes_of(t) * n
        if not (what.endswith("result") and t in ("f32", "f64")):
            kept = (kept[0] + [(what, t, n)], kept[1] + want[place:place + size], kept[2] + got[place:place + size])
        place += size
    return kept if len(got) == len(want) else (kept[0], kept[1], b"")


def runs(kdslc, folder, seed):
    bench = Mocked(kdslc, folder, f"kernels-{seed}", kernels_of(seed, FEW))
    bench.source.write_text(program(bench.kernels))
    want, problem = bench.outcome(("-O0", "--offload-arch=host"))
    if problem:
        return problem
    for narrow in ("on", "off"):
        os.environ["KDSL_NARROW"] = narrow
        got, problem = bench.outcome(ON_GPU)
        found = problem or random_kernels.difference(*comparable(bench, want, got))
        if found:
            said = problem or "{0}[{1}] is {3}, on the CPU {2}".format(*found)
            return f"seed {seed}, KDSL_NARROW={narrow}: {said}\n"
    return ""


def main():
    kdslc = os.path.abspath(sys.argv[1])
    first, n_files = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (1, 0)
    compiled = [(seed, arch, level) for seed in range(first, first + n_files) for arch in ("sm_90", "gfx90a")
                for level in ("-O2",)] or [(1, "sm_90", "-O2"), (2, "sm_90", "-O0"), (3, "gfx90a", "-O1")]
    compiled = parts.chosen(compiled, lambda job: job[2] == "-O0")
    seeds = range(first, first + max(1, n_files)) if parts.wanted(True) else ()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        folder = Path(name)
        failed = [text for text in pool.map(lambda job: compiles(kdslc, folder, *job), compiled) if text]
        failed += [text for text in (runs(kdslc, folder, seed) for seed in seeds) if text]
    ptxas = "" if PTXAS else "; there is no ptxas here: none was assembled"
    print("\n".join(failed) or f"{len(compiled) * random_kernels.KERNELS} kernels compiled, "
                               f"{len(seeds) * FEW} run in both versions{ptxas}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
