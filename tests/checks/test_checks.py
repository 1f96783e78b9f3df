#!/usr/bin/env python3
"""--check beyond whole programs: libraries called from C, `kdslc test`, exit codes, sessions, options.

tests/checks/test_checks.py KDSLC"""
import ctypes
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import failures  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()

LIBRARY = """export kernel shift(at: &[i32; n], x: &mut [i32; n]) over i in n - 1 {
    x[i] = x[at[i]];
}
kernel tally(x: &[i32; n], h: &mut [i32; 4]) over i in n {
    h[x[i] % 4] += 1;
}
export fn twice(x: &[i32; n], h: &mut [i32; 4]) {
    offload tally(&x, &mut h);
    offload tally(&x, &mut h);
}
test "apart" {
    let x = [1, 2, 3];
    var h = [0; 4];
    offload tally(&x, &mut h);
}
test "together" {
    let x = [1, 2, 5];
    var h = [0; 4];
    offload tally(&x, &mut h);
}
"""
PROGRAM = """kernel tally(x: &[i32; n], h: &mut [i32; 4]) over i in n { h[x[i] % 4] += 1; }
kernel fails(x: &[i32; n], h: &mut [i32; 4]) over i in n { h[x[i]] += 1; }
fn main() -> i32 {
    let x = [1, 5, 9, 2];
    var h = [0; 4];
    LAUNCH
    print("{}", h[2]);
    return CODE;
}
"""


class ChecksTest(unittest.TestCase):
    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.folder = Path(self.made.name)
        self.addCleanup(self.made.cleanup)

    def kdslc(self, *words, stdin=""):
        return subprocess.run([KDSLC, *words], cwd=self.folder, input=stdin, capture_output=True, text=True)

    def program(self, launch, code=0, *options):
        (self.folder / "p.kdsl").write_text(PROGRAM.replace("LAUNCH", launch).replace("CODE", str(code)))
        return self.kdslc("run", *(options or ("--check=race",)), "p.kdsl")

    def test_library(self):
        (self.folder / "lib.kdsl").write_text(LIBRARY)
        made = self.kdslc("--check=race", "--shared", "lib.kdsl", "-o", "lib.so")
        self.assertEqual(made.returncode, 0, made.stderr)
        lib = ctypes.CDLL(str(self.folder / "lib.so"))
        lib.kdsl_last_error.restype = ctypes.c_char_p
        x, h, n = (ctypes.c_int32 * 6)(1, 2, 5, 3, 4, 0), (ctypes.c_int32 * 4)(), ctypes.c_int64(6)
        apart = (ctypes.c_int32 * 3)(1, 2, 3)
        for value in "1", "7":  # the second call reports what the first one did
            self.assertEqual(lib.twice(x, h, n), 3)
            said = lib.kdsl_last_error().decode()
            self.assertTrue(said.startswith("error: data race on `h[1]` in `tally`: work item i = 0 writes it here, and work "
                                            "item i = 2 reads it here (value: " + value + ")\n --> lib.kdsl:5:5"), said)
            self.assertEqual(lib.twice(apart, h, ctypes.c_int64(3)), 0)
            self.assertEqual(lib.kdsl_last_error(), b"")
        self.assertEqual(list(h), [8, 12, 8, 8])  # the calls ran to their ends
        at = (ctypes.c_int32 * 6)(1, 2, 3, 4, 5, 6)
        self.assertEqual(lib.shift(at, x, n), 3)
        self.assertIn("`x[1]` in `shift`", lib.kdsl_last_error().decode())

    def test_tests(self):
        (self.folder / "lib.kdsl").write_text(LIBRARY)
        ran = self.kdslc("test", "--check=race", "lib.kdsl")
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stdout, r"ok +apart")
        self.assertRegex(ran.stdout, r"FAILED +together")
        self.assertIn("data race on `h[1]`", ran.stdout)
        self.assertEqual(self.kdslc("test", "--races=off", "lib.kdsl").returncode, 0)

    def test_exit_codes(self):
        race = "offload tally(&x, &mut h);"
        ran = self.program(race)
        self.assertEqual((ran.returncode, ran.stdout), (3, "1\n"))
        self.assertEqual(ran.stderr.count("data race"), 1)
        self.assertEqual(self.program(f"for k in 0..3 {{ {race} }}").stderr.count("data race"), 1)
        self.assertEqual(self.program(race, 7).returncode, 7)
        self.assertEqual(self.program(race, 0, "--check=bounds").returncode, 0)
        self.assertEqual(self.program("").returncode, 0)

    def test_with_a_failed_check(self):
        ran = self.program("offload fails(&x, &mut h);")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("index 5 is out of bounds for `h`", ran.stderr)

    def test_session(self):
        lines = ["kernel k(at: &[i32; n], x: &mut [i32; n]) over i in n - 1 { x[i] = x[at[i]]; }",
                 "let at = [i32(i + 1) for i in 5];", "var x = [i32(i) for i in 5];", "offload k(&at, &mut x);",
                 ":check race", "offload k(&at, &mut x);", "offload k(&at, &mut x);", "x[0]", ":check off",
                 "offload k(&at, &mut x);"]
        ran = self.kdslc("repl", "--offload-arch=host", stdin="\n".join(lines) + "\n")
        self.assertEqual(ran.stderr.count("data race on `x[1]` in `k`"), 2, ran.stderr)
        self.assertIn("3 : i32", ran.stdout)
        self.assertIn("launches are checked for: bounds, race", ran.stdout)

    def test_an_element_of_all_items(self):
        """E0513 stops a compilation, unless the program is to run with its races."""
        called = "fn put(y: &mut [i32; n], v: i32) { y[0] = v + 1; }\n"
        for before, write in ("", "y[0] = i32(i);"), (called, "put(&mut y, i32(i));"):
            (self.folder / "all.kdsl").write_text(f"""{before}
kernel k(y: &mut [i32; n]) over i in n {{ {write} }}
fn main() {{ var y = [0; 4]; offload k(&mut y); }}
""")
            self.assertIn("error[E0513]", self.kdslc("run", "all.kdsl").stderr)
            off = self.kdslc("run", "--races=off", "all.kdsl")
            self.assertEqual((off.returncode, off.stderr), (0, ""))
            checked = self.kdslc("run", "--check=race", "all.kdsl")
            self.assertNotIn("E0513", checked.stderr)
            self.assertIn("data race on `y[0]` in `k`", checked.stderr)

    def test_options(self):
        (self.folder / "p.kdsl").write_text("fn main() { }\n")
        gpu = self.kdslc("--check=race", "--offload-arch=sm_90", "p.kdsl")
        self.assertEqual(gpu.returncode, 2)
        self.assertIn("are for the CPU device", gpu.stderr)
        wrong = self.kdslc("--check=rac", "p.kdsl")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("must be a list of `race`, `init` and `bounds`, not `rac`", wrong.stderr)

WRITTEN = """struct P { x: f32, t: i64 }
kernel flat(at: &[index; n], y: &out [f32; m]) over i in n assume written(y) { y[at[i]] = 1.0; }
kernel both(at: &[index; n], y: &out [P; m]) over i in n assume written(y) {
    y[at[i]].x = 1.0;
    if at[i] % 3 != 0 { y[at[i]].t = 1; }
}
kernel group(at: &[index; n], y: &out [i32; m, 2]) over i in n by 8 assume written(y) {
    shared s: [index; 8];
    if inside { s[i.local] = at[i]; }
    barrier;
    if inside { for j in 2 { y[s[i.local], j] = i32(j); } }
}
fn main() {
    let at = AT;
    var a = [0.0f32; SIZE];
    offload flat(&at, &out a);
    var b = [P(x: 0.0, t: 0); SIZE];
    offload both(&at, &out b);
    var c = [0; SIZE, 2];
    offload group(&at, &out c);
    print("{} {} {}", a[0] >= 0.0, b[0].t >= 0, c[0, 0] >= 0);
}
"""


class WrittenTest(unittest.TestCase):
    def said(self, kernel, array, names, missing):
        if not missing:
            return None
        first = min(missing)
        more = f" and {len(missing) - 1} others are not" if len(missing) > 1 else " is not"
        return f"`{kernel}` assumes that every element of `{array}` is written, but `{names(first)}`{more}"

    def test_assumptions_that_are_wrong(self):
        """Beside what Python counts: random tables that leave none, one or many elements out."""
        rnd = random.Random(3)
        for size in (1, 7, 20, 33):
            for _ in range(3):
                at = [rnd.randrange(size) for _ in range(rnd.choice([size, 3 * size, 6 * size]))]
                text = WRITTEN.replace("SIZE", str(size)).replace("AT", f"[{', '.join(f'index({i})' for i in at)}]")
                with tempfile.TemporaryDirectory() as folder:
                    (Path(folder) / "p.kdsl").write_text(text)
                    done = subprocess.run([KDSLC, "run", "--check=init", "p.kdsl"], cwd=folder, capture_output=True,
                                          text=True)
                left = set(range(size)) - set(at)
                parts = [2 * i for i in left] + [2 * i + 1 for i in range(size) if i in left or i % 3 == 0]
                want = [self.said("flat", "y", lambda k: f"y[{k}]", left),
                        self.said("both", "y", lambda k: f"y[{k // 2}].{'xt'[k % 2]}", parts),
                        self.said("group", "y", lambda k: f"y[{k // 2}, {k % 2}]",
                                  [2 * i + j for i in left for j in range(2)])]
                got = [line.partition(": ")[2] for line in failures(done.stderr)]
                self.assertEqual(got, [line for line in want if line], (size, at))
                self.assertEqual(done.returncode, 3 if any(want) else 0)


if __name__ == "__main__":
    unittest.main()
