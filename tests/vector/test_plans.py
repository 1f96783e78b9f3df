#!/usr/bin/env python3
"""The plan of a nest can be forced, and whatever it is, a program computes the same. Programs run with random plans
in place of the compiler's: test_plans.py KDSLC [--seeds N]; each seed is a plan for every nest of each program, at each
width of vectors that
this machine has; the quick part of the suite has one width for each program, in turn."""
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402
from run import Test, widths  # noqa: E402

PROGRAMS = ["tests/run/" + name + ".kdsl" for name in ("symmetric-part", "rotated-image", "hypercube-sum",
                                                       "walsh-hadamard-transform", "frequency-decimation")]
PROGRAMS += ["examples/" + name + ".kdsl" for name in ("saxpy", "heat", "matvec", "gameoflife", "convolution",
                                                       "matmul")]
PROGRAMS += ["tests/vector/packed-panels.kdsl"]
LINE = re.compile(r"^  plan (\S+) (.*)$", re.M)
KDSLC, SEEDS = None, 1


def kdslc(*words):
    return subprocess.run([KDSLC, *map(str, words)], cwd=ROOT, capture_output=True, text=True)


def plans(program, *options):
    """{KERNEL.NEST.VERSION: {key: value}}"""
    text = kdslc("--explain=vector", program, *options).stdout
    return {name: dict(word.split("=") for word in words.split()) for name, words in LINE.findall(text)}


def changed(plan, rng):
    """Any plan that is legal for this nest."""
    lanes = int(plan["lanes"])
    return {"lanes": rng.choice([k for k in (2, 4, 8, 16, 32, 64) if k <= lanes] or [lanes]),
            "vectors": rng.choice((1, 2, 4) if plan["for"] == "aligned" else (1, 2, 3, 4, 5)),
            "rows": rng.choice((1, 2, 3, 4)), "band": rng.choice((1, 1, 2, 3)),
            "start": rng.choice(("first", plan["start"])),
            "tail": rng.choice(("masked", "overlapped", "halved")),
            "stream": rng.choice(("none", "row", plan["stream"])),
            "split": rng.choice(("no", "blocks", "rows"))}


def assembly(program, *options):
    """Without the name of the unit, which the texts that were read make."""
    return re.sub(r"\b[0-9a-f]{16}\b", "", kdslc("--emit=device-asm", program, *options, "-o", "-").stdout)


class PlansTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "plan.txt"

    def force(self, text):
        self.file.write_text(text)
        return f"--nest-plan={self.file}"

    def test_programs_compute_the_same_with_any_plan(self):
        wrong = []
        for turn, march in enumerate(widths()):
            for program in parts.chosen(PROGRAMS, lambda program: PROGRAMS.index(program) % len(widths()) == turn):
                found = plans(program, march)
                self.assertTrue(found, program)
                want = Test(ROOT / program, KDSLC, False).expected_output()
                for seed in range(SEEDS):
                    rng = random.Random(f"{program} {march} {seed}")
                    text = "".join(f"plan {name} {' '.join(f'{k}={v}' for k, v in changed(plan, rng).items())}\n"
                                   for name, plan in found.items())
                    done = kdslc("run", "--offload-arch=host", march, self.force(text), program)
                    if done.stdout != want:
                        wrong.append(f"{program} {march}\n{text}{done.stdout[:400]}{done.stderr[:400]}")
        self.assertFalse(wrong, "\n".join(wrong))

    @parts.quick
    def test_explain_prints_what_is_forced(self):
        wanted = {"lanes": "4", "vectors": "1", "start": "first", "tail": "masked", "stream": "none"}
        text = "plan saxpy.1.1 " + " ".join(f"{k}={v}" for k, v in wanted.items())
        got = plans("examples/saxpy.kdsl", "--march=x86-64-v3", self.force(text))["saxpy.1.1"]
        self.assertEqual({key: got[key] for key in wanted}, wanted)

    @parts.quick
    def test_output_of_explain_is_a_plan_that_changes_nothing(self):
        for program in PROGRAMS:
            option = self.force(kdslc("--explain=vector", program).stdout)
            self.assertEqual(assembly(program, option), assembly(program), program)

    @parts.quick
    def test_what_is_not_legal_is_left_as_it_was(self):
        found = plans("examples/saxpy.kdsl", "--march=x86-64-v3")["saxpy.1.1"]
        text = "plan saxpy.1.1 lanes=64 rows=4 start=multiple tail=overlapped stream=nest split=rows unroll=yes"
        self.assertEqual(plans("examples/saxpy.kdsl", "--march=x86-64-v3", self.force(text))["saxpy.1.1"], found)

    @parts.quick
    def test_what_is_no_plan_is_an_error(self):
        for text, said in (("\nplan saxpy.1.1 lanes=many\n", "line 2: `lanes=many` is not KEY=VALUE of a plan"),
                           ("plan saxpy.1.1 lane=8", "line 1: `lane=8`"),
                           ("plan a.1.1 tail=long", "line 1: `tail=long`")):
            done = kdslc("--emit=device-asm", "examples/saxpy.kdsl", self.force(text), "-o", "-")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--seeds" in arguments:
        at = arguments.index("--seeds")
        SEEDS = int(arguments[at + 1])
        del arguments[at:at + 2]
    KDSLC = Path(arguments.pop(0)).resolve()
    unittest.main(argv=[sys.argv[0], *arguments])
