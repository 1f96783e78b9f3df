#!/usr/bin/env python3
"""What emulated.py says of runs, and that it goes on where it stopped: with the project's PTX interpreter as emulator.
Usage: test_emulated.py KDSLC"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
KDSLC = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else HERE.parent.parent / "build/bin/kdslc"
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", HERE.parent.parent / "build")).resolve() / "mock"
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import emulated  # noqa: E402


class EmulatedTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.rows = self.folder / "rows.tsv"

    def run_it(self, *words, emulator=MOCK / "nvidia", **env):
        command = [sys.executable, HERE / "emulated.py", "--kdslc", KDSLC, "--rows", self.rows, *words]
        if emulator:
            command += ["--emulator", emulator]
        env = {**os.environ, **env}
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env)

    def read(self):
        lines = self.rows.read_text().splitlines() if self.rows.exists() else []
        return [emulated.Run(*line.split("\t")) for line in lines]

    def test_which_emulator(self):
        for files, name in ((["libhsa-runtime64.so", "amdemu.py"], "tinygrad"), (["libhsa-runtime64.so"], None),
                            (["libcuda.so", "translate.py"], "Ocelot"), (["libcuda.so"], "interpreter"), ([], None)):
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            for file in files:
                (folder / file).touch()
            found = emulated.machine_in(folder)
            self.assertEqual(found is not None, name is not None, files)
            if found:
                self.assertIn(name, found.name)

    def test_without_an_emulator(self):
        for emulator in (None, self.folder):
            done = self.run_it(emulator=emulator)
            self.assertEqual(done.returncode, emulated.SKIPPED, done.stderr)
            self.assertIn("no emulator in", done.stdout)

    def test_entries_orders_and_going_on(self):
        words = ("--orders", "0,1", "^tests/run/group-(transpose|leaving).kdsl$")
        first = self.run_it("--entries", "narrow", *words)
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertEqual([run.order for run in self.read()], ["0", "1"] * 2)
        both = self.run_it("--entries", "narrow,wide", *words)
        self.assertEqual(both.returncode, 0, both.stdout + both.stderr)
        runs = self.read()
        self.assertEqual([run.entry for run in runs], ["narrow"] * 4 + ["wide"] * 4, "the rest only")
        self.assertEqual({run.verdict for run in runs}, {"same"})
        self.assertTrue(all(run.launches.endswith(run.entry) for run in runs), [run.launches for run in runs])
        self.assertRegex(both.stdout, r"(?m)^sm_90 +-O2 +wide +1 +2 +0 +0 +0 +0 +0$")
        self.run_it("--entries", "narrow,wide", "--again", "same", *words)
        self.assertEqual(len(self.read()), 16)

    def test_out_of_time(self):
        done = self.run_it("--seconds", "1", "^examples/jacobi.kdsl$")
        self.assertEqual([run.kind() for run in self.read()], ["out of time"], done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_nothing_reached_the_device(self):
        done = self.run_it("--arch", "sm_75", "^examples/saxpy.kdsl$", KDSL_MOCK_FAIL="init:1")
        self.assertTrue(self.read(), done.stderr)
        self.assertNotIn("same", {run.verdict for run in self.read()})

    def test_verdicts(self):
        program = emulated.Emulated.__new__(emulated.Emulated)
        launches = {"narrow": 2, "kernel": 0}
        for said, counted, entry, kind in (("same", launches, "narrow", "same"), ("close", launches, "narrow", "close"),
                                           ("same", launches, "wide", "not run"), ("same", {}, "narrow", "not run"),
                                           ("`1` instead of `2`", launches, "narrow", "differs"),
                                           ("RuntimeError: MUBUF X", launches, "narrow", "not run")):
            verdict = program.verdict(said, counted, entry)
            self.assertEqual(emulated.Run("p", "a", "-O2", entry, "0", verdict, "", "0").kind(), kind, verdict)

    def test_what_is_explained(self):
        for name, program, said, why in emulated.EXPLAINED:
            self.assertIn(name, ["", *(machine.name for machine in emulated.MACHINES)])
            machine = next(m for m in emulated.MACHINES if name in ("", m.name))
            run = emulated.Run("other.kdsl", "a", "-O2", "narrow", "0", "differs: `1` instead of `2`", "", "0")
            self.assertEqual(emulated.explain(run, machine).kind(), "differs", "no other program")


if __name__ == "__main__":
    unittest.main()
