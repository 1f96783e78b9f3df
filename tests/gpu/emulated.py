#!/usr/bin/env python3
"""Run programs on a GPU that is not there: emulated.py --kdslc KDSLC --mock FOLDER [--shard K/N] FILE.kdsl...

The program is compiled for an NVIDIA GPU and runs against the mock driver in FOLDER, which does everything a driver does
but run kernels: for those it has the same kernels, made by the same generator for this processor (irgen/emulated.c), whose
threads emulator.c runs in turn. So launches, geometry, transfers, shared memory, barriers, reductions, checks and prints
are those of a GPU, and the output has to be what the test says; numbers may differ where GPUs round otherwise."""
import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run as suite  # noqa: E402

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
TOLERANCE = 2e-5  # relative: sums of f32 in another order
ARCH = "sm_90"


def alike(wanted, got):
    """The same but for numbers that are nearly the same."""
    if NUMBER.split(wanted) != NUMBER.split(got):
        return False
    pairs = zip(map(float, NUMBER.findall(wanted)), map(float, NUMBER.findall(got)))
    return all(abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) for a, b in pairs)


class Emulated(suite.Test):
    mock = None

    def is_for_gpus(self):
        return "offload" in self.text and not any("OMP_" in pair for pair in self.notes("env"))

    def compile(self, folder, *flags):
        command = [self.kdslc, "-O2", "--color=never", *(self.note("flags") or "").split(), *flags, self.name]
        code, out, err = suite.run(command)
        if code != 0:
            raise suite.Failed(f"{suite.show(command)}\nexit code {code}\n{out}{err}")

    def programs(self):
        with tempfile.TemporaryDirectory() as folder:
            program, kernels = Path(folder) / self.path.stem, Path(folder) / "kernels.so"
            self.compile(folder, f"--offload-arch={ARCH},host", "-o", str(program))
            self.compile(folder, "--offload-arch=emulated", "--emit=device-asm", "-o", f"{folder}/kernels.s")
            command = ["cc", "-O1", "-w", "-shared", "-fPIC", f"-I{suite.ROOT}", f"{folder}/kernels.s", HERE / "emulator.c",
                       "-o", kernels, "-lm"]
            code, out, err = suite.run(command)
            if code != 0:
                raise suite.Failed(f"{suite.show(command)}\n{out}{err}")
            log = Path(folder) / "log"
            env = {"LD_LIBRARY_PATH": str(self.mock), "KDSL_MOCK_KERNELS": str(kernels), "KDSL_MOCK_LOG": str(log)}
            env.update(pair.split("=", 1) for pair in self.notes("env"))
            self.run_program(program, "the emulated GPU", env)
            if "\nlaunch " not in log.read_text() and "offload " in self.text:
                print(f"{self.name}: nothing was launched on the GPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", required=True, type=Path)
    parser.add_argument("--mock", required=True, type=Path)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("tests", nargs="+", type=Path)
    options = parser.parse_args()
    Emulated.mock = options.mock.resolve()
    suite.compare_exactly = suite.compare
    suite.compare = lambda what, want, got: None if alike(want, got) else suite.compare_exactly(what, want, got)
    shard, n_shards = map(int, options.shard.split("/"))
    failed = ran = 0
    for path in sorted(options.tests)[shard - 1::n_shards]:
        test = Emulated(path.resolve(), options.kdslc.resolve(), False)
        if test.markers() or not test.is_for_gpus():
            continue
        ran += 1
        try:
            test.programs()
        except suite.Failed as why:
            failed += 1
            print(f"FAILED {path}\n{why}\n")
    print(f"{ran - failed} passed, {failed} failed")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
