#!/usr/bin/env python3
"""KDSL_REPORT=1: launches with what moved for them, host code, and arrays under the names that the program gives them.
Usage: test_report.py KDSLC [unittest arguments]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()

PROGRAM = """kernel step(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = 0.5 * x[i] + 1.0; }
kernel pick(x: &[f32; n], at: &[i64; m], y: &mut [f32; m]) over i in m { y[i] = x[at[i]]; }
kernel fill(x: &out [f32; n], v: f32) over i in n { x[i] = v; }
fn sum(x: &[f32; n]) -> f32 {
    var s = 0.0f32;
    for i in n { s += x[i]; }
    return s;
}
fn main() {
    var a = [1.0f32; 1000];
    var b = [0.0f32; 1000];
    for s in 0..100 {
        offload step(&a, &out b);
        swap(&mut a, &mut b);
    }
    let places = [i64(i) for i in 10];
    var some = [0.0f32; 10];
    for s in 0..2 { offload pick(&a, &places, &mut some); }
    print("{} {}", sum(&a), sum(&some));
    for s in 0..3 { offload async fill(&out b, 3.0); }
    print("{}", sum(&b));
}
"""
COUNTS = 2 * (r"  (\d+) x, (\d+) B +" + r"(\d+) x, (\d+) B *")
DEVICES = """kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
fn main() {
    var x = [1.0f32; 1000];
    for d in 2 { offload on d twice(&mut x); }
    offload twice(&mut x);
    print("{} {}", x[0], device_name(1));
}
"""

# x is mapped by its launch, y stays on the device; z has values of its own.
FILLED = """kernel twice(x: &mut [f32; n]) over i in n { x[i] = 2.0 * x[i] + 1.0; }
fn main() {
    var x = [1.0f32; 50000];
    offload twice(&mut x);
    var y = [0.0f32; 50000];
    for s in 0..2 { offload twice(&mut y); }
    var z = [f32(i) for i in 50000];
    offload twice(&mut z);
    print("{} {}", y[7], z[7]);
}
"""


class ReportTest(unittest.TestCase):
    def run_program(self, program, **env):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.kdsl").write_text(program)
            subprocess.run([KDSLC, "--offload-arch=host", "p.kdsl", "-o", "p"], cwd=folder, check=True)
            return subprocess.run(["./p"], cwd=folder, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "KMP_BLOCKTIME": "0", **env})

    def report(self, **env):
        done = self.run_program(PROGRAM, **env)
        self.assertEqual((done.returncode, done.stdout), (0, "2000 20\n3000\n"))
        return done.stderr

    def rows(self, text):
        """{name: (times, planned in, moved in, planned out, moved out)}, bytes, of a part of the report."""
        found = {}
        for line in text.splitlines():
            row = re.fullmatch(r"(\S+(?: code)?) *(\(p\.kdsl:\d+\))? *(?:(\d+) +\d+\.\d+ *)?" + COUNTS + r"  0: .+",
                               line)
            self.assertTrue(row, line)
            found[f"{row[1]} {row[2] or ''}".strip()] = (int(row[3] or 0), *(int(row[k]) for k in (5, 7, 9, 11)))
        return found

    def test_report(self):
        """What moves on a device with its own memory; in place nothing does, and the report tells what would."""
        for memory, moves in (("separate", True), ("auto", False)):
            with self.subTest(memory):
                self.check_report(memory, moves)

    def check_report(self, memory, moves):
        launches, arrays = self.report(KDSL_REPORT="1", KDSL_MEMORY=memory).split("array ", 1)
        self.assertEqual(", in place" in launches, not moves)
        launches, arrays = self.rows(launches.partition("\n")[2]), self.rows(arrays.partition("\n")[2])
        def row(times, to_device, from_device):
            return (times, to_device, to_device * moves, from_device, from_device * moves)

        self.assertEqual(launches, {
            "step (p.kdsl:13)": row(100, 4000, 0),
            "pick (p.kdsl:18)": row(2, 80 + 128, 16),
            "fill (p.kdsl:20)": row(3, 0, 0),
            "host code": row(0, 0, 8040),
        })
        self.assertEqual(arrays, {
            "a (p.kdsl:13)": row(0, 4000, 4000),
            "b (p.kdsl:13)": row(0, 0, 4000),
            "places (p.kdsl:18)": row(0, 80, 0),
            "some (p.kdsl:18)": row(0, 0, 40),
            "checks (p.kdsl:2)": row(0, 128, 16),
        })

    def test_filled(self):
        """Arrays of one value are not copied in, and in place the report says the same of another device."""
        for memory in ("separate", "auto"):
            done = self.run_program(FILLED, KDSL_REPORT="1", KDSL_MEMORY=memory)
            planned = re.findall(r"^(twice \(p\.kdsl:\d+\)|[xyz] \(p\.kdsl:\d+\)).*?  (\d+) x, (\d+) B", done.stderr, re.M)
            self.assertEqual((done.returncode, done.stdout), (0, "3 15\n"))
            self.assertEqual(sorted((name, int(n)) for name, _, n in planned),
                             [("twice (p.kdsl:4)", 0), ("twice (p.kdsl:6)", 0), ("twice (p.kdsl:8)", 200000),
                              ("y (p.kdsl:6)", 0), ("z (p.kdsl:8)", 200000)], (memory, done.stderr))

    def test_choice_of_memory(self):
        """--memory decides, and KDSL_MEMORY overrides it when the program starts."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.kdsl").write_text(PROGRAM)
            for option, variable, in_place in [("auto", "", True), ("separate", "", False), ("unified", "", True),
                                               ("separate", "auto", True), ("separate", "unified", True),
                                               ("auto", "separate", False), ("unified", "separate", False)]:
                subprocess.run([KDSLC, f"--memory={option}", "p.kdsl", "-o", "p"], cwd=folder, check=True)
                done = subprocess.run(["./p"], cwd=folder, capture_output=True, text=True, timeout=300,
                                      env={**os.environ, "KDSL_MEMORY": variable, "KDSL_REPORT": "1"})
                with self.subTest(option=option, variable=variable):
                    self.assertEqual((done.returncode, done.stdout), (0, "2000 20\n3000\n"), done.stderr)
                    self.assertEqual(", in place" in done.stderr, in_place)
            done = subprocess.run(["./p"], cwd=folder, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "KDSL_MEMORY": "mine"})
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("KDSL_MEMORY must be `auto`, `separate` or `unified`, not `mine`", done.stderr)
        done = subprocess.run([KDSLC, "--memory=mine", "p.kdsl"], capture_output=True, text=True, check=False)
        self.assertIn("--memory must be `auto`, `separate` or `unified`, not `mine`", done.stderr)

    def test_by_device(self):
        done = self.run_program(DEVICES, KDSL_REPORT="1", KDSL_MEMORY="separate")
        self.assertEqual(done.returncode, 0, done.stderr)
        value, _, name = done.stdout.strip().partition(" ")
        self.assertEqual(value, "8")
        found = []
        for line in done.stderr.splitlines():
            row = re.fullmatch(r"(\S+(?: code)?) *(?:\(p\.kdsl:(\d+)\))? *(?:(\d+) +\d+\.\d+ *)?" + COUNTS + r"  (\d): (.+)", line)
            if row:
                self.assertEqual(row[13], name)
                found.append((row[1], row[2], int(row[12]), row[3], int(row[7]), int(row[11])))
        # what, line, device, times, bytes to it and from it
        self.assertEqual(sorted(found, key=str), sorted([
            ("twice", "4", 0, "1", 4000, 4000),  # device 1 wants what device 0 has written
            ("twice", "4", 1, "1", 4000, 0), ("twice", "5", 1, None, 0, 4000), ("twice", "5", 0, "1", 4000, 0),
            ("host code", None, 0, None, 0, 4),
            ("x", "4", 0, None, 4000, 4000), ("x", "4", 1, None, 4000, 4000), ("x", "5", 0, None, 4000, 4)], key=str),
            done.stderr)

    def test_without(self):
        self.assertEqual(self.report(), "")
        self.assertEqual(self.report(KDSL_REPORT="0"), "")

    def test_on_the_host(self):
        launches, arrays = self.report(KDSL_REPORT="1", OMP_TARGET_OFFLOAD="disabled").split("array ", 1)
        self.assertRegex(launches, r"step \(p.kdsl:13\) +100 .* the host: no device ran it\n")
        self.assertEqual(self.rows(arrays.partition("\n")[2]), {}, "nothing moves where nothing is a device")


if __name__ == "__main__":
    unittest.main()
