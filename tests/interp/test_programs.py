#!/usr/bin/env python3
"""Every program of tests/run, tests/vector, examples and the documentation, executed on its tree (`kdslc interpret`,
see interp/): it must print what is expected of the compiled one. Usage: test_programs.py KDSLC [--all] [SEED]...

Work items run in the order that a seed gives, which must not matter; 0 is the order of the domain, in which programs
run whose checks fail in a kernel, as which item is named depends on it. --all: also those that take long. The quick part
of the suite has tests/run, but what takes a second, and the documentation."""
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/driver")]
from docs_blocks import programs as programs_of_docs
import parts
from run import Test, says

KDSLC = Path(sys.argv.pop(1)).resolve()
ALL = "--all" in sys.argv
SEEDS = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1]
CPU_S = 60  # longer is a failure, but for the slow ones
UNSUPPORTED = 4
FLAGS = ("--unchecked", "--fp=")  # options that change what a program means

# What the interpreter ends with a message (exit code 4).
NOT_DONE = {
    "tests/run/device-name-none.kdsl": "no devices to name",
    "tests/run/device-name.kdsl": "no devices to name",
}
# What is about a machine rather than the language.
NOT_MEANT = {
    "tests/run/print-kernel-full.kdsl": "the size of a buffer on devices",
    "tests/run/require-gpu.kdsl": "which devices there are",
    "tests/vector/sums-in-lanes.kdsl": "the order of a float sum that is more than one block",
    "tests/vector/reduction-order.kdsl": "the order of a float sum that is more than one block",
}
# More than four seconds of a processor; with --all they run, too.
SLOW = {
    "tests/run/atomic-copies.kdsl",
    "tests/run/reduction-sizes.kdsl",
    "tests/run/uneven-shares.kdsl",
    "tests/vector/packed-panels.kdsl",
    "examples/heat.kdsl",
    "examples/jacobi.kdsl",
    "examples/lbm.kdsl",
    "examples/mandelbrot.kdsl",
    "examples/nbody.kdsl",
}
LATER = re.compile(r"^(examples|tests/vector)/|^tests/run/(random-numbers|offload-async)\.kdsl$")
# What calls C, itself or by a module.
OF_C = re.compile(r"^(import (text|image|npy|mpi);|extern \"C\")", flags=re.M)


def sources():
    for folder in ("tests/run", "tests/vector", "examples"):
        yield from sorted((ROOT / folder).rglob("*.kdsl"))


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def interpret(source, args, stdin, flags, seed, slow):
    with tempfile.TemporaryDirectory() as folder:
        command = [KDSLC, "interpret", "--color=never", *flags, source, *args]
        done = subprocess.run(command, cwd=folder, env={"KDSL_INTERPRET_SEED": str(seed)}, input=stdin.encode(),
                              capture_output=True, preexec_fn=None if slow else limited)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def without_items(text):
    """Lines that work items print: beside one that fails, which others still come to theirs is not said."""
    return [line for line in text.splitlines() if not re.match(r"\[\w+ = -?\d+", line)]


class ProgramsTest(unittest.TestCase):
    def judge(self, name, source, args, stdin, flags, want, want_code, want_err, seed):
        slow = ALL and name in SLOW
        code, out, err = interpret(source, args, stdin, flags, seed, slow)
        where = f"{name}, seed {seed}\n{err}"
        if name in NOT_DONE or OF_C.search(source.read_text()):
            self.assertEqual(code, UNSUPPORTED, where)
            return
        self.assertEqual(code, want_code, where)
        if code == 3 and "note: work item " in err:
            self.assertEqual(without_items(out), without_items(want), where)
        else:
            self.assertEqual(out, want, where)
        for text in want_err:
            self.assertTrue(says(text, err), f"no `{text}` in standard error of {where}")

    def test_files(self):
        n = 0
        for path in sources():
            test = Test(path, KDSLC, False)
            errors = any(code.startswith("E") for _, code, _ in test.markers())
            is_module = test.expected_output() is None
            if errors or is_module or test.name in NOT_MEANT or (test.name in SLOW and not ALL):
                continue
            if not parts.wanted(not LATER.search(test.name)):
                continue
            n += 1
            code = int(test.note("expect-exit", "0"))
            flags = [flag for flag in (test.note("flags") or "").split() if flag.startswith(FLAGS)]
            told = [] if test.notes("env") else test.notes("expect-stderr")  # then it is not the program that speaks
            stdin = "".join(line + "\n" for line in test.notes("stdin"))
            for seed in [0] if code == 3 else SEEDS:
                with self.subTest(test.name):
                    self.judge(test.name, path, (test.note("args") or "").split(), stdin, flags, test.expected_output(),
                               code, told, seed)
        self.assertGreater(n, 250 if parts.PART is None else 50)

    @parts.quick
    def test_docs(self):
        n = 0
        for where, text, args, stdin, printed, code in programs_of_docs():
            n += 1
            with self.subTest(where), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "program.kdsl"
                source.write_text(text)
                for seed in [0] if code == 3 else SEEDS:
                    self.judge(where, source, args, stdin, [], printed, code, [], seed)
        self.assertGreater(n, 40)

    def test_the_lists_name_what_is_there(self):
        for name in [*NOT_DONE, *NOT_MEANT, *SLOW]:
            self.assertTrue((ROOT / name.partition(":")[0]).exists(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
