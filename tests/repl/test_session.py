#!/usr/bin/env python3
"""session.txt, some 200 inputs, on a pseudo-terminal and through a pipe: each answer is what stands there.
--bless writes what the terminal shows into it.    Usage: test_session.py KDSLC [--bless]"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import transcript

KDSLC = Path(sys.argv.pop(1)).resolve()
FILE = HERE / "session.txt"


class SessionTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.session = transcript.parse(FILE.read_text())

    def test_there_are_enough_inputs(self):
        self.assertGreaterEqual(len(self.session), 200)

    def test_on_a_terminal(self):
        found, status = transcript.play(KDSLC, self.dir, self.session)
        want = [line for given, answer in self.session for line in transcript.spell(given, answer)]
        got = [line for given, answer in found for line in transcript.spell(given, answer)]
        self.assertEqual(transcript.difference(want, got), "")
        self.assertEqual(status, 0)

    def test_through_a_pipe(self):
        got, status = transcript.pipe(KDSLC, self.dir, self.session)
        want = [line for _, answer in self.session for line in answer]
        self.assertEqual(transcript.difference(want, got), "")
        self.assertEqual(status, 1)  # some of them fail, as they should

    def test_modes_of_arithmetic(self):
        inputs = ("fn ratio(x: f32) -> f32 { return 1.0 / x; }", "var x = [4.0f32, 0.0]",
                  "kernel k(x: &mut [f32; n]) MARK over i in n { x[i] = ratio(x[i]); }", "offload k(&mut x)", "x", "")
        for option, mark in (("--fp=fast", ""), ("--fp=fused", "fast"), ("--fp=strict", "fast")):
            done = subprocess.run([KDSLC, "repl", option], cwd=self.dir, input="\n".join(inputs).replace("MARK", mark),
                                  env=transcript.environment(self.dir), capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stdout, "[0.25, inf] : [f32; 2]\n", done.stderr)


def bless():
    with tempfile.TemporaryDirectory() as folder:
        found, _ = transcript.play(KDSLC, Path(folder), transcript.parse(FILE.read_text()))
    lines = [transcript.settled(line) for given, answer in found for line in transcript.spell(given, answer)]
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--bless"]:
        bless()
    else:
        unittest.main()
