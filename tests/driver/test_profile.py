#!/usr/bin/env python3
"""`kdslc profile`: what it counts is exact, what it measures is consistent, and the program's output stays usable.
Usage: test_profile.py KDSLC [unittest arguments]"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()

PROGRAM = """kernel step(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = 0.5 * x[i] + 1.0; }
kernel dot(x: &[f32; n]) over i in n -> sum f64 { return f64(x[i]) * f64(x[i]); }
kernel rows(m: &[f64; h, w], s: &out [f64; h]) over i in h {
    var sum = 0.0;
    for j in w { sum += m[i, j] * m[i, j]; }
    s[i] = sqrt(sum);
}
kernel until(x: &mut [f32; n]) over i in n { while x[i] < 100.0 { x[i] = x[i] * 2.0 + 1.0; } }
kernel vectors(v: &mut [f32x4; n]) over i in n { if i > 2 { v[i] = v[i] * v[i] + v[i]; } }
fn main() {
    var a = [f32(i) for i in 30000];
    var b = [0.0f32; 30000];
    for s in 0..10 {
        offload step(&a, &out b);
        swap(&mut a, &mut b);
    }
    let m = [1.0; 100, 50];
    var s = [0.0; 100];
    offload rows(&m, &out s);
    offload until(&mut b);
    var v = [f32x4(1.0) for i in 10];
    offload vectors(&mut v);
    for s in 0..3 { offload async step(&a, &out b); }
    print("{:.3} {:.3} {}", offload dot(&a), s[7], v[9]);
    if len(args()) > 0 { exit(i32(args()[0])); }
}
"""
FAILS = """kernel pick(x: &[f32; n], at: &[i64; m], y: &mut [f32; m]) over i in m { y[i] = x[at[i]]; }
fn main() {
    let x = [1.0f32; 10];
    var y = [0.0f32; 3];
    let at = [i64(5 * i) for i in 3];
    offload pick(&x, &at, &mut y);
}
"""


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def profile(self, text, *options, args=(), code=0, **env):
        (self.dir / "p.kdsl").write_text(text)
        done = subprocess.run([KDSLC, "profile", "--offload-arch=host", *options, "p.kdsl", *args], cwd=self.dir,
                              capture_output=True, text=True, timeout=300,
                              env={**os.environ, "KMP_BLOCKTIME": "0", **env})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def json(self, text, *options, **more):
        self.profile(text, "--format=json", "-o", "p.json", *options, **more)
        return json.loads((self.dir / "p.json").read_text())

    def test_counts(self):
        """Launches, items, bytes and operations of each launch; in place nothing is copied."""
        p = self.json(PROGRAM)
        rows = {(r["kernel"], r["line"]): r for r in p["launches"]}
        n = 30000

        def row(times, items, reads, writes, f32, f64):
            return {"times": times, "items": items, "reads": reads, "writes": writes, "flops_f32": f32,
                    "flops_f64": f64}
        expected = {("step", 14): row(10, 10 * n, 40 * n, 40 * n, 20 * n, 0),
                    ("step", 23): row(3, 3 * n, 12 * n, 12 * n, 6 * n, 0),
                    ("rows", 19): row(1, 100, 40000, 800, 0, 100 * (50 * 2 + 1)),
                    ("dot", 24): row(1, n, 4 * n, 8, 0, 2 * n),
                    ("vectors", 22): row(1, 10, 160, 160, 10 * 8, 0),
                    ("until", 20): row(1, n, 4 * n, 4 * n, None, None)}
        self.assertEqual({key: {k: r.get(k) for k in expected[key]} for key, r in rows.items()}, expected)
        self.assertEqual({(r["file"], r["in_place"], r["device"]) for r in rows.values()}, {("p.kdsl", True, 0)})
        self.assertEqual([r["kernel"] for r in p["launches"] if r["async"]], ["step"])
        self.assertEqual(p["transfers"], [])
        self.check_times(p)

    def check_times(self, p):
        """Sorted; the parts of the main thread are not longer than the whole."""
        total = sum(r["total_ms"] for part in ("launches", "transfers", "waits") for r in p[part] if not r.get("async"))
        self.assertLessEqual(total + p["host_code_ms"], p["total_ms"] * 1.01)
        self.assertGreater(p["host_code_ms"], 0)
        for part in ("launches", "transfers", "waits"):
            self.assertEqual([r["total_ms"] for r in p[part]], sorted((r["total_ms"] for r in p[part]), reverse=True))
            for r in p[part]:
                self.assertLessEqual(r["min_ms"], r["mean_ms"] * 1.001)
                self.assertLessEqual(r["mean_ms"], r["max_ms"] * 1.001)
                self.assertAlmostEqual(r["mean_ms"] * r["times"], r["total_ms"], delta=0.01 * r["total_ms"] + 1e-5)
        limits = p["limits"]
        for r in p["launches"]:
            self.assertAlmostEqual(r["GB_per_s"], 1e-6 * (r["reads"] + r["writes"]) / r["total_ms"],
                                   delta=0.01 * r["GB_per_s"])
            self.assertAlmostEqual(r["memory_share"], r["GB_per_s"] / limits["GB_per_s"],
                                   delta=0.01 * r["memory_share"])
            if "nearer" in r:
                is_memory = r["memory_share"] >= r["arithmetic_share"]
                self.assertEqual(r["nearer"], "memory" if is_memory else "arithmetic")
        self.assertTrue(0.5 < limits["GB_per_s"] < 5000, limits)
        self.assertTrue(1 < limits["GFLOP_per_s_f64"] < limits["GFLOP_per_s_f32"] * 2, limits)

    def test_separate(self):
        """What is copied, for which launch, on a device with its own memory; and the timeline of the same run."""
        p = self.json(PROGRAM, "--trace=t.json", KDSL_MEMORY="separate")
        moves = {(r["array"], r["direction"], r["for"]): (r["times"], r["bytes"]) for r in p["transfers"]}
        self.assertEqual(moves[("a", "to device", "step")], (1, 120000))
        self.assertEqual(moves[("result", "from device", "dot")], (1, 8))
        self.assertEqual(sum(r["to_device"] for r in p["launches"]),
                         sum(r["bytes"] for r in p["transfers"] if r["direction"] == "to device"))
        self.check_times(p)
        events = json.loads((self.dir / "t.json").read_text())["traceEvents"]
        self.assertEqual(sum(e.get("cat") == "launch" for e in events), sum(r["times"] for r in p["launches"]))

    def test_table(self):
        """On standard error, in columns; standard output is the program's. A program that fails gets a table, too."""
        done = self.profile(PROGRAM, args=["5"], code=5)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^profile of p\.kdsl, on .*, in place, which ended with exit code 5$")
        self.assertRegex(lines[1], r"^limits, measured: [\d.]+ GB/s of memory; [\d.]+ GFLOP/s on f32, [\d.]+ on f64$")
        table = [line for line in lines if "(p.kdsl:" in line]
        self.assertEqual(len(table), 6)
        self.assertEqual({line.index(line.split("  ")[-1].lstrip()) for line in table}, {lines[3].index("kernel")})
        self.assertRegex(lines[-1], r"^ *100% +[\d.]+ ms  the whole run$")
        done = self.profile(FAILS, code=3)
        self.assertIn("p.kdsl:1:", done.stderr)
        self.assertIn("pick (p.kdsl:6)", done.stderr)

    def test_without_kernels(self):
        done = self.profile('fn main() { print("nothing"); }')
        self.assertEqual(done.stdout, "nothing\n")
        self.assertIn("host code", done.stderr)

    def test_page(self):
        """--html: the page of the program, with this run; also of a run that fails, beside a timeline of its own."""
        self.profile(PROGRAM, "--html=p.html")
        page = (self.dir / "p.html").read_text()
        self.assertTrue("<title>p.kdsl</title>" in page and '<section id="timeline">' in page)
        self.assertTrue('"launch","vectors"' in page)
        self.profile(FAILS, "--html=f.html", "--trace=f.json", code=3)
        self.assertTrue('"launch","pick"' in (self.dir / "f.html").read_text())
        self.assertIn("pick", (self.dir / "f.json").read_text())
        self.assertEqual(list(Path("/tmp").glob("kdslc-timeline-*")), [])
        self.profile('extern "C" fn abort(); fn main() { abort(); }', "--html=a.html", code=1)
        self.assertFalse((self.dir / "a.html").exists())
        self.profile(PROGRAM, "--html=no/such/folder.html", code=1)

    def test_errors(self):
        """No program; a signal; options that do not go together."""
        done = self.profile("fn main() { x; }", code=1)
        self.assertIn("error[", done.stderr)
        done = self.profile('extern "C" fn abort(); fn main() { abort(); }', code=1)
        self.assertIn("left no profile", done.stderr)
        for options, message in ((["run", "--trace=x"], "--trace is for --emit=html and `kdslc profile`"),
                                 (["profile", "--trace="], "`--trace=` needs a value"),
                                 (["run", "--html=x"], "--html is for `kdslc profile`; use --emit=html"),
                                 (["profile", "-c"], "`kdslc profile` writes no file, so -c cannot be used")):
            done = subprocess.run([KDSLC, *options, "p.kdsl"], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
