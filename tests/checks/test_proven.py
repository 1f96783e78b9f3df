#!/usr/bin/env python3
"""What --check=init does not record, because every read comes after a write of its element: tests/checks/test_proven.py KDSLC

Each kernel is proven; with one text replaced, some element may be read without a value, and the kernel records accesses."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()

FUNCTIONS = """struct P { a: f32, b: f32 }
fn fill(x: &out [f32; n], v: f32) { for k in n { x[k] = v; } }
fn sum(x: &[f32; n]) -> f32 {
    var s = 0.0f32;
    for k in n { s += x[k]; }
    return s;
}
fn put(x: &mut [f32; n], at: index, v: f32) { x[at] = v; }
"""
X = "x: &[f32; n], at: &[i32; n], y: &mut [f32; n]) over i in n"
CASES = {  # name: text of the kernel, what is replaced, by what
    "tile": (f"k({X} by 16 {{ shared s: [f32; 16]; s[i.local] = x.at(i); barrier; if inside {{ y[i] = s[at[i] % 16]; }} }}",
             "barrier;", ""),
    "half a tile": (f"k({X} by 16 {{ shared s: [f32; 16]; s[i.local] = x.at(i); barrier; y[i] = s[i.local ^ 1]; }}",
                    "s[i.local] = x.at(i);", "if i.local < 15 { s[i.local] = x.at(i); }"),
    "padded": (f"k({X} by 16 {{ shared s: [f32; 16, 17]; for e in 16 {{ s[i.local, e] = x.at(i + e); }} barrier; "
               "y[i] = s[(i.local * 3) % 16, i.local]; }", "for e in 16 {", "for e in 15 {"),
    "scan": (f"k({X} by 16 {{ shared s: [f32; 16]; var v = x.at(i); var gap = 1; while gap < 16 {{ s[i.local] = v; barrier; "
             "if i.local >= gap { v += s[i.local - gap]; } barrier; gap *= 2; } y[i] = v; }", "s[i.local] = v; barrier;",
             "barrier; s[i.local] = v;"),
    "tree": (f"k({X} by 16 {{ shared s: [f32; 16]; s[i.local] = x.at(i); barrier; for k in 0..4 {{ if i.local < 8 "
             "{ s[i.local] += s[i.local + 8]; } barrier; } y[i] = s[0]; }", "s[i.local] = x.at(i)", "s[0] = x.at(i)"),
    "halo": (f"k({X} by 16 {{ shared s: [f32; 18]; s[i.local + 1] = x.at(i); if i.local == 0 {{ s[0] = x.at(i - 1); "
             "s[17] = x.at(i + 16); } barrier; y[i] = s[i.local] + s[i.local + 2]; }", "s[17] =", "s[16] ="),
    "strided": (f"k({X} by 16 {{ shared s: [f32; 100]; for e in i.local..100 step 16 {{ s[e] = 0.0; }} barrier; "
                "y[i] = s[at[i] % 100]; }", "i.local..100 step 16", "i.local..99 step 16"),
    "blocked": (f"k({X} by 16 {{ shared s: [f32; 64]; for e in i.local * 4 .. i.local * 4 + 4 {{ s[e] = 0.0; }} barrier; "
                "y[i] = s[at[i] % 64]; }", "i.local * 4 + 4", "i.local * 4 + 3"),
    "strided by while": (f"k({X} by 16 {{ shared s: [f32; 100]; var e = i.local; while e < 100 {{ s[e] = 0.0; e += 16; }} barrier; "
                         "y[i] = s[at[i] % 100]; }", "e += 16", "e += 17"),
    "backwards by while": (f"k({X} by 16 {{ shared s: [f32; 100]; var e = 99 - i.local; while e >= 0 {{ s[e] = 0.0; e -= 16; }} "
                           "barrier; y[i] = s[at[i] % 100]; }", "e >= 0", "e > 0"),
    "two counters": (f"k({X} {{ var a: [f32; 8]; var to = 1; a[0] = 0.0; for k in 7 {{ a[to] = x[i]; to += 1; }} "
                     "y[i] = a[at[i] % 8]; }", "to += 1;", "if x[i] > 0.0 { to += 1; }"),
    "a counter that is left": (f"k({X} {{ var a: [f32; 8]; var to = 0; a[0] = 0.0; while to < 8 {{ a[to] = x[i]; to += 1; }} "
                               "y[i] = a[at[i] % 8]; }", "to += 1;", "to += 1; if x[i] > 9.0 { break; }"),
    "double buffer": (f"k({X} by 16 {{ shared s: [f32; 2, 16]; s[0, i.local] = x.at(i); barrier; for t in 0..5 {{ "
                      "s[(t + 1) % 2, i.local] = s[t % 2, 15 - i.local]; barrier; } y[i] = s[1, 15 - i.local]; }",
                      "s[0, i.local] =", "s[1, i.local] ="),
    "in a function": (f"k({X} by 16 {{ shared s: [f32; 16]; put(&mut s, i.local, x.at(i)); barrier; y[i] = sum(&s); }}",
                      "i.local, x", "i.local / 2, x"),
    "rows": ("k(x: &[f32; n], y: &mut [f32; n], t: &scratch [f32; n, 8]) over i in n { fill(&out t[i, ..], x[i]); "
             "y[i] = sum(&t[i, ..]); }", "&t[i, ..]", "&t[0, ..]"),
    "part of a row": ("k(x: &[f32; n], y: &mut [f32; n], t: &scratch [f32; n, 8]) over i in n { fill(&out t[i, 2..], x[i]); "
                      "y[i] = sum(&t[i, 2..8]); }", "&t[i, 2..8]", "&t[i, 1..8]"),
    "own row, any column": ("k(x: &[f32; n], at: &[i32; n], y: &mut [f32; n], t: &scratch [f32; n, 8]) over i in n { "
                            "for k in 8 { t[i, k] = x[i]; } y[i] = t[i, at[i] % 8]; }", "for k in 8", "for k in 7"),
    "any place, once more": ("k(x: &[f32; n], at: &[index; n], y: &out [f32; n]) over i in n { let to = at[i]; y[to] = 0.0; "
                             "for k in 3 { y[to] += x[i]; } }", "let to = at[i]; y[to] = 0.0;", "var to = at[i]; y[to] = 0.0; to = 0;"),
    "before this iteration": (f"k({X} {{ var a: [f32; 8]; for k in 8 {{ a[k] = x[i]; if k > 0 {{ a[k] += a[k - 1]; }} }} "
                              "y[i] = a[7]; }", "a[k] = x[i]", "a[k / 2] = x[i]"),
    "fields": (f"k({X} {{ var a: [P; 4]; for k in 4 {{ a[k].a = x[i]; a[k].b = 1.0; }} y[i] = a[at[i] % 4].b; }}",
               "a[k].b = 1.0;", ""),
    "components": (f"k({X} {{ var a: [f32x2; 4]; for k in 4 {{ a[k].x = 1.0; a[k].y = x[i]; }} y[i] = a[at[i] % 4].y; }}",
                   "a[k].y", "a[k].x"),
    "either branch": (f"k({X} {{ var a: [f32; 2]; if x[i] > 0.0 {{ a[0] = 1.0; a[1] = 2.0; }} else {{ a[1] = 1.0; a[0] = 2.0; }} "
                      "y[i] = a[0] - a[1]; }", "a[1] = 1.0; ", ""),
}


def is_recorded(folder, kernel):
    path = folder / "k.kdsl"
    path.write_text(FUNCTIONS + "export kernel " + kernel + "\n")
    made = subprocess.run([KDSLC, "--check=init", "--races=off", "--emit=llvm", path], capture_output=True, text=True)
    if made.returncode:
        raise AssertionError(kernel + "\n" + made.stderr)
    return bool(re.search(r"^@kdsl\.(shadow\.k|private\.)", made.stdout, re.M))


class ProvenTest(unittest.TestCase):
    def test_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (kernel, old, new) in CASES.items():
                with self.subTest(name):
                    self.assertIn(old, kernel)
                    self.assertFalse(is_recorded(Path(folder), kernel), kernel)
                    self.assertTrue(is_recorded(Path(folder), kernel.replace(old, new, 1)), kernel.replace(old, new, 1))


if __name__ == "__main__":
    unittest.main()
