#!/usr/bin/env python3
"""--explain=races: the verdicts on pairs of accesses, as text and as JSON. Usage: test_races.py KDSLC"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = sys.argv.pop(1)

PROGRAM = """\
kernel shift(x: &mut [f64; n]) over i in 0..n - 1 {
    x[i] = x[i + 1];
}
kernel scatter(to: &[index; n], x: &mut [f64; n]) over i in n {
    x[to[i]] = 1.5;
}
kernel rows(x: &mut [f64; m], w: index) over i in m / w, j in w {
    x[i * w + j] += 1.0;
}
"""


class RacesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "prog.kdsl"

    def explain(self, program, *options):
        self.file.write_text(program)
        done = subprocess.run([KDSLC, "--explain=races", *options, self.file.name], cwd=self.file.parent,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_text(self):
        text = self.explain(PROGRAM)
        self.assertIn("kernel shift: 1 of 2 pairs free\n", text)
        self.assertIn("  prog.kdsl:2:5: `x[i]` (write) and 2:12: `x[i + 1]` (read): race: i = 1 and i = 0 touch `x[1]` "
                      "when n = 3\n", text)
        self.assertIn("`x[to[i]]` (write) of two work items: unknown: it depends on the values of `to[i]`\n", text)
        self.assertIn("`x[i * w + j]` (update) of two work items: free\n", text)

    def test_json(self):
        kernels = {k["name"]: k for k in json.loads(self.explain(PROGRAM, "--format=json"))["kernels"]}
        self.assertEqual(kernels["shift"]["line"], 1)
        race = kernels["shift"]["pairs"][0]
        self.assertEqual((race["array"], race["lines"], race["columns"], race["modes"], race["verdict"]),
                         ("x", [2, 2], [5, 12], ["write", "read"], "race"))
        self.assertEqual(race["witness"], {"sizes": {"n": 3}, "items": [{"i": 1}, {"i": 0}], "element": [1]})
        self.assertEqual([p["verdict"] for p in kernels["scatter"]["pairs"]], ["unknown"])
        self.assertEqual([p["verdict"] for p in kernels["rows"]["pairs"]], ["free"])

    def test_strict(self):
        self.file.write_text(PROGRAM)
        done = subprocess.run([KDSLC, "check", "--races=strict", self.file.name], cwd=self.file.parent,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        found = re.findall(r"prog.kdsl:(\d+):\d+: error\[(\w+)\]", done.stderr)
        self.assertEqual(found, [("2", "E0530"), ("5", "E0531")])
        self.assertIn("cannot prove that no two work items touch the same element of `x`: it depends on the values of "
                      "`to[i]`", done.stderr)


if __name__ == "__main__":
    unittest.main()
