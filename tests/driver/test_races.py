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

ASSUMED = """\
kernel distinct_(to: &[index; n], x: &mut [f64; n]) over i in n assume distinct(to) {
    x[to[i]] = 1.5;
}
kernel halves(to: &[index; n], x: &mut [f64; n]) over i in n / 2 assume distinct(to) {
    x[to[2 * i]] = x[to[2 * i + 1]];
}
kernel rows(row: &[index; m], x: &mut [f64; n]) over i in m - 1 assume sorted(row) -> sum f64 {
    var sum = 0.0;
    for k in row[i]..row[i + 1] { x[k] *= 2.0; sum += x[k]; }
    return sum;
}
kernel both(row: &[i32; m], p: &[i32; e], x: &mut [f64; n]) over i in m - 1 assume sorted(row), distinct(p) {
    for k in row[i]..row[i + 1] { x[p[k]] *= 2.0; }
}
kernel matrix(to: &[index; n, m], x: &mut [f64; e]) over i in n, j in m assume distinct(to) { x[to[i, j]] = 1.0; }
"""
TOO_LITTLE = """\
kernel neighbours(to: &[index; n], x: &mut [f64; n]) over i in n - 1 assume distinct(to) {
    x[to[i]] = x[to[i + 1]];
}
kernel quarters(to: &[index; n], x: &mut [f64; n]) over i in n assume distinct(to) { x[to[i / 4]] = 1.0; }
kernel near(to: &[index; n], x: &mut [f64; n]) over i in n assume distinct(to) { x[to[i] / 2] = 1.0; }
kernel longer(row: &[index; m], x: &mut [f64; n]) over i in m - 1 assume sorted(row) {
    for k in row[i]..row[i + 1] + 1 { x[k] *= 2.0; }
}
kernel alike(row: &[index; n], x: &mut [f64; n]) over i in n assume sorted(row) { x[row[i]] = 1.0; }
kernel row_only(row: &[i32; m], p: &[i32; e], x: &mut [f64; n]) over i in m - 1 assume sorted(row) {
    for k in row[i]..row[i + 1] { x[p[k]] *= 2.0; }
}
"""
CELLS = """\
fn cell_of(x: f32, side: index) -> index { return min(index(x * f32(side)), side - 1); }
kernel forces(at: &[f32; n, 3], who: &[i32; n], begins: &[i32; c], ends: &[i32; c], f: &mut [f32; n], side: index)
    over i in n
{
    let cx = cell_of(at[i, 0], side);
    let cy = cell_of(at[i, 1], side);
    let cz = cell_of(at[i, 2], side);
    var sum = 0.0f32;
    for a in max(cx - 1, 0)..min(cx + 2, side) {
        for b in max(cy - 1, 0)..min(cy + 2, side) {
            for d in max(cz - 1, 0)..min(cz + 2, side) {
                let k = (a * side + b) * side + d;
                for o in begins[k]..ends[k] { if o != i { sum += at[i, 0] - at[o, 0]; } }
            }
        }
    }
    f[who[i]] = sum;
}
"""
TORUS = """\
kernel step(now: &[u8; h, w], next: &out [u8; h, w]) over i in h, j in w {
    let up = (i + h - 1) % h;
    let down = (i + 1) % h;
    let left = (j + w - 1) % w;
    let right = (j + 1) % w;
    let around = now[up, left] + now[up, j] + now[up, right] + now[i, left] + now[i, right] + now[down, left] +
                 now[down, j] + now[down, right];
    next[i, j] = if around == 3 || (around == 2 && now[i, j] == 1) { 1 } else { 0 };
}
"""
WRONG = """\
kernel put(to: &[index; n], x: &mut [f64; n]) over i in n assume distinct(to) {
    x[to[i]] = f64(i);
}
fn main() {
    let assume = 4;
    var x = [1.0; assume];
    let to: [index; 4] = [0, 2, %d, 1];
    offload put(&to, &mut x);
    print("{}", x[1]);
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

    def test_what_is_only_read_is_not_followed(self):
        for program in (CELLS, TORUS):
            text = self.explain(program)
            self.assertNotIn("not analysed", text)
        self.assertIn("kernel step: 1 of 1 pair free\n", text)
        self.assertIn("`f[who[i]]` (write) of two work items: unknown: it depends on the values of `who[i]`\n",
                      self.explain(CELLS))

    def test_json(self):
        kernels = {k["name"]: k for k in json.loads(self.explain(PROGRAM, "--format=json"))["kernels"]}
        self.assertEqual(kernels["shift"]["line"], 1)
        race = kernels["shift"]["pairs"][0]
        self.assertEqual((race["array"], race["lines"], race["columns"], race["modes"], race["verdict"]),
                         ("x", [2, 2], [5, 12], ["write", "read"], "race"))
        self.assertEqual(race["witness"], {"sizes": {"n": 3}, "items": [{"i": 1}, {"i": 0}], "element": [1]})
        self.assertEqual([p["verdict"] for p in kernels["scatter"]["pairs"]], ["unknown"])
        self.assertEqual([p["verdict"] for p in kernels["rows"]["pairs"]], ["free"])

    def verdicts(self, program):
        return [pair["verdict"] for kernel in json.loads(self.explain(program, "--format=json"))["kernels"]
                for pair in kernel["pairs"]]

    def test_assumptions_are_believed(self):
        self.assertEqual(set(self.verdicts(ASSUMED)), {"free"})
        self.assertIn("`x[to[i]]` (write) of two work items: free if the assumptions hold\n", self.explain(ASSUMED))
        without = re.sub(r" assume [^{-]*", " ", ASSUMED)
        self.assertEqual(self.verdicts(without).count("free"), 0)

    def test_assumptions_that_do_not_suffice(self):
        for kernel in re.split(r"^(?=kernel)", TOO_LITTLE, flags=re.M)[1:]:
            self.assertIn("unknown", self.verdicts(kernel), kernel)

    def test_a_wrong_assumption_is_reported_by_a_run(self):
        for value, code in ((2, 3), (3, 0)):
            self.file.write_text(WRONG % value)
            done = subprocess.run([KDSLC, "run", "--check=race", self.file.name], cwd=self.file.parent,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("data race on `x[2]` in `put`" in done.stderr, code == 3)

    def test_strict(self):
        self.file.write_text(PROGRAM)
        done = subprocess.run([KDSLC, "check", "--races=strict", self.file.name], cwd=self.file.parent,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        found = re.findall(r"prog.kdsl:(\d+):\d+: error\[(\w+)\]", done.stderr)
        self.assertEqual(found, [("2", "E0530"), ("5", "E0531")])
        self.assertIn("cannot prove that no two work items touch the same element of `x`: it depends on the values of "
                      "`to[i]`", done.stderr)


UNUSED = """\
fn unused(a: i32) -> i32 { return a; }
kernel scatter(to: &[i32; n], x: &mut [i32; n]) over i in n {
    x[0] = 1;
    x[to[i]] += 1;
}
fn main() {
    let to = [0; 10];
    var x = [0; 10];
    offload scatter(&to, &mut x);
    print("{}", x[0]);
}
"""


class Beside(unittest.TestCase):
    """Races are looked for while code is generated, and what is reported stays the same."""

    def test_a_program_and_a_check_report_the_same(self):
        for options in [], ["-Werror"], ["--races=strict"], ["--races=off"]:
            with tempfile.TemporaryDirectory() as folder:
                source, output = Path(folder, "unused.kdsl"), Path(folder, "program")
                source.write_text(UNUSED)
                check = subprocess.run([KDSLC, "check", *options, source], capture_output=True, text=True)
                build = subprocess.run([KDSLC, *options, source, "-o", output], capture_output=True, text=True)
                self.assertEqual((build.returncode, build.stderr), (check.returncode, check.stderr), options)
                self.assertEqual(output.exists(), check.returncode == 0, options)


if __name__ == "__main__":
    unittest.main()
