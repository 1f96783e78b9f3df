#!/usr/bin/env python3
"""What :save writes, :load takes: for each kind of declaration, variable and input, a session is saved, loaded in a new
session, and an expression has the same value in both. Usage: test_save.py KDSLC"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()

KINDS = {  # inputs, an expression that uses them
    "function": (["fn twice(x: i32) -> i32 { return 2 * x; }"], "twice(21)"),
    "function of several lines": (
        ["fn sum(x: &[f64; n]) -> f64 {\n    var s = 0.0;\n\n    for i in n { s += x[i]; }\n    return s;\n}",
         "let v = [1.0, 2.0]"], "sum(&v)"),
    "function again": (["fn f() -> i32 { return 1; }", "fn g() -> i32 { return f(); }", "fn f() -> i32 { return 2; }"],
                       "g()"),
    "function of C": (['extern "C" fn cbrt(x: f64) -> f64;'], "cbrt(27.0)"),
    "exported function": (["export fn twice(x: f64) -> f64 { return 2.0 * x; }"], "twice(4.0)"),
    "function that hides another": (["fn sqrt(x: f64) -> f64 { return x + 1.0; }"], "sqrt(3.0)"),
    "main": (['fn main() { print("never"); }', "let a = 2", "let a = 3"], "a"),
    "test": (["fn f() -> i32 { return 3; }", 'test "f" { assert f() == 3; }'], "f()"),
    "kernel": (["kernel half(x: &mut [f32; n]) over i in n { x[i] /= 2.0; }", "var a = [8.0f32, 4.0]",
                "offload half(&mut a)"], "a"),
    "kernel with a result": (["kernel total(x: &[f64; n]) over i in n -> sum f64 { return x[i]; }", "let b = [1.0, 2.5]"],
                             "offload total(&b)"),
    "kernel in groups": (
        ["kernel last(x: &[f32; n], y: &mut [f32; g]) over i in n by 64 {\n    shared s: [f32; 64];\n"
         "    s[i.local] = x.at(i);\n    barrier;\n    if i.local == 0 { y[i.group] = s[63]; }\n}",
         "let x = [f32(i) for i in 128]", "var y = [0.0f32; 2]", "offload last(&x, &mut y)"], "y"),
    "struct": (["struct P { x: f64, n: i32 }", "let p = P(x: 1.5, n: 2)"], "p"),
    "struct again": (["struct P { x: f64 }", "struct P { x: f64, y: f64 }", "let q = P(x: 2.0, y: 3.0)"], "q"),
    "struct with an array": (["struct F { w: [f32; 3], b: f32 }", "var f = F(w: [1.0, 2.0, 3.0], b: 0.5)",
                              "f.w[1] = 9.0"], "f.w[1]"),
    "struct that owns arrays": (["struct G { u: [f64; _], k: i32 }", "var g = G(u: [f64(i) for i in 5], k: 3)",
                                 "g.u[2] = 7.5"], "g.u[2] + f64(g.k)"),
    "constant": (["const N = 4", "const HALF: f32 = 0.5"], "f32(N) * HALF"),
    "constant again": (["const N = 4;", "let a = [0; N];", "const N = 5;"], "N"),
    "import": (["import math"], "math.gcd(12, 18)"),
    "import and its use": (["import algo", "import random", "let x = [random.uniform(3, i) for i in 10]"],
                           "algo.sum(&x)"),
    "generic function": (["fn larger<T: number>(a: T, b: T) -> T { return if a > b { a } else { b }; }"],
                         "larger(2.5, 1.0)"),
    "generic kernel": (["kernel scale<T: number>(x: &mut [T; n], by: T) over i in n { x[i] *= by; }", "var a = [1, 2]",
                        "offload scale(&mut a, 3)"], "a"),
    "generic struct": (["struct Pair<T, U> { a: T, b: U }", "let p = Pair(a: 1, b: 0.5)"], "p"),
    "any number of dimensions": (["fn count<T>(x: &[T; ..]) -> index { return len(x); }", "let m = [0.0; 3, 4]"],
                                 "count(&m)"),
    "variable again": (["let n = 1;", 'let n = "text";'], "n"),
    "variable that changes": (["var n = 1", "n += 41"], "n"),
    "matrix": (["let m = [i * j for i in 3, j in 4]"], "m"),
    "four dimensions": (["let m = [i + j + k + l for i in 2, j in 2, k in 2, l in 2]"], "m[1, 1, 1, 1]"),
    "array of structs": (["struct P { x: f32, t: bool }", "let ps = [P(x: f32(i), t: i > 1) for i in 3]"], "ps[2]"),
    "moved array": (["let a = [1, 2]", "let b = a"], "b"),
    "exchanged arrays": (["var a = [1, 2]", "var b = [3, 4]", "swap(&mut a, &mut b)"], "a"),
    "array of the device": (["kernel fill(x: &out [i32; n]) over i in n { x[i] = i32(i); }", "var x = [0; 5]",
                             "offload fill(&out x)"], "x"),
    "loop": (["var s: index = 0", "for i in 10 {\n    s += i;\n}"], "s"),
    "condition": (["var s = 0", "if s == 0 {\n    s = 5;\n} else {\n    s = 6;\n}"], "s"),
    "expressions": (["7 / 2", "let n = 3", "n", "-n", "(n)", "[n, n]", "let m = n"], "m"),
    "print": (["let a = 3", 'print("{}", a)', "let b = 4"], "a + b"),
    "comments": (["// only a comment", "let n = 3 // three", "/* several\nlines */ let m = 4"], "n + m"),
    "texts": (['let t = "a \\"quoted\\" {text}\\n"', 'let u = "//: input 1"'], "u"),
    "several in one input": (["let a = 1; let b = 2; fn c() -> i32 { return 3; }"], "a + b + c()"),
    "drawing": (["let y = [1.0, 2.0, 3.0]", "plot(y)", "let n = 2"], "n"),
    "input that was refused": (["let x = 3", "y", "let z = 4"], "x + z"),
    "input that failed": (["let x = [1, 2]", "var n = 0", "n = 5; x[n]", "n += 1"], "n"),
}
NUMBERS = {"i8": "-3", "i16": "300", "i32": "-70000", "i64": "5000000000", "u8": "200", "u16": "60000", "u32": "4000000000",
           "u64": "18000000000000000000", "index": "12", "f16": "1.5", "bf16": "2.5", "f32": "0.1", "f64": "0.1"}
VARIABLES = [f"var v_{name}: {name} = {value}" for name, value in {**NUMBERS, "bool": "true", "str": '"text"'}.items()]
ARRAYS = [f"let a_{name}: [{name}; 2] = [{value}, {value}]"
          for name, value in {**NUMBERS, "bool": "true", "str": '"text"'}.items()]
VECTORS = [f"let v_{name} = {name}(1)" for name in ("f32x2", "f64x3", "i32x4", "u8x8")]
QUICK = {"function of several lines", "function again", "constant again", "import and its use", "input that failed"}

MARK = "what follows is compared"


class SaveTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def session(self, *inputs):
        """What is shown after the mark, and on standard error."""
        done = subprocess.run([KDSLC, "repl"], input="\n".join(inputs) + "\n", capture_output=True, text=True, timeout=120,
                              cwd=self.folder)
        return done.stdout.partition(MARK + "\n")[2], done.stderr

    def compare(self, inputs, *expressions):
        show = (f'print("{MARK}")', *expressions)
        before, _ = self.session(*inputs, ":save saved.kdsl", *show)
        after, said = self.session(":load saved.kdsl", *show)
        self.assertTrue(before)
        self.assertEqual(after, before, said)
        return said

    def test_each_kind(self):
        for kind in parts.chosen(KINDS, lambda kind: kind in QUICK):
            inputs, expression = KINDS[kind]
            with self.subTest(kind):
                said = self.compare(inputs, expression)
                self.assertEqual(bool(said), "failed" in kind, said)

    @parts.quick
    def test_variables_of_each_type(self):
        inputs = VARIABLES + ARRAYS + VECTORS
        self.compare(inputs, *[each.split()[1].rstrip(":") for each in inputs])

    @parts.quick
    def test_everything_together(self):
        """Saved again after it was loaded, it is the same."""
        self.compare([each for inputs, _ in KINDS.values() for each in inputs], "a", "x", "q")
        self.session(":load saved.kdsl", ":save again.kdsl")
        self.assertEqual((self.folder / "again.kdsl").read_text(), (self.folder / "saved.kdsl").read_text())

    @parts.quick
    def test_loaded_file(self):
        """Its functions call later ones, its module is in its folder, and one of its names is declared again."""
        (self.folder / "library").mkdir()
        (self.folder / "library" / "tools.kdsl").write_text("fn one() -> i32 { return 1; }\n")
        (self.folder / "library" / "lib.kdsl").write_text(
            "import tools;\nfn even(n: i32) -> bool { return if n == 0 { true } else { odd(n - tools.one()) }; }\n"
            "fn odd(n: i32) -> bool { return if n == 0 { false } else { even(n - 1) }; }\nconst N = 4;\n")
        self.compare([":load library/lib.kdsl", "const N = 5", "let a = even(N)"], "a")

    @parts.quick
    def test_stopped_loading(self):
        """An input that fails only now ends the loading, as for other files."""
        (self.folder / "saved.kdsl").write_text("//: input 1\nlet a = 1\n//: input 2\nb\n//: input 3\nlet a = 3\n")
        shown, said = self.session(":load saved.kdsl", f'print("{MARK}")', "a")
        self.assertEqual(shown, "1 : i32\n")
        self.assertIn("saved.kdsl:4:1: error[E0301]", said)


if __name__ == "__main__":
    unittest.main()
