#!/usr/bin/env python3
"""Guards of items (irgen/simd/trim.c) and what rows read once (irgen/simd/panels.c), judged by gcc: random kernels over two axes
whose items do something only where comparisons hold, and read columns, beside the same loops in C. Arrays lie beside pages
that must not be read. Usage: test_guards.py KDSLC"""
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from guarded import HEAD, TYPES, GuardedTest  # noqa: E402

GuardedTest.kdslc = Path(sys.argv.pop(1)).resolve()
KERNELS = 12  # in each program
COMPARED = ["j <= i", "j < i", "j > i", "j >= i", "j == i", "j < i + {c}", "i + {c} > j", "j + {c} >= i", "j - i < {c}", "i - j <= {c}",
            "j > {c}", "j >= {c}", "j < m - {c}", "i > {c}", "i < n - {c}", "i + j < n", "i + j >= {c}", "j + i < m + {c}", "2 * j < i",
            "j != {c}", "i % 3 != 1", "i >= 2 * j - {c}"]


def guard(rng, some):
    return [text.replace("{c}", str(rng.choice([0, 1, 2, 7, 30]))) for text in rng.sample(COMPARED, some)]


def guarded_body(rng, comparisons, body):
    """The same in several spellings."""
    joined = " && ".join(comparisons)
    if not comparisons: return body
    spelling = rng.choice(["if", "nested", "return"])
    if spelling == "nested": return "".join(f"if {c} {{ " for c in comparisons) + body + " }" * len(comparisons)
    if spelling == "return": return f"if !({joined}) {{ return; }}\n    {body}"
    return f"if {joined} {{ {body} }}"


def columns(rng, name):
    """An array that is written, and rows of others that belong to columns; of those there may be fewer."""
    t = rng.choice(["f64", "f32", "i32"])
    width, some = rng.choice([1, 2, 3, 5, 40]), rng.randint(1, 3)
    read = [f"q[j, {rng.randrange(width)}]" for _ in range(some)]
    comparisons = guard(rng, rng.randint(0, 3)) + (["j < r"] if rng.random() < 0.3 else [])
    fewer = "j < r" in comparisons
    rng.shuffle(comparisons)
    lo = rng.choice(["", "", "1..", "3.."])
    body = "a[i, j] += p[i, 0] * " + " + ".join(read) + ";"
    text = (f"export kernel {name}(p: &[{t}; n, {width}], q: &[{t}; {'r' if fewer else 'm'}, {width}], a: &mut [{t}; n, m])\n"
            f"    over i in {lo}n, j in {rng.choice(['', lo])}m\n{{\n    {guarded_body(rng, comparisons, body)}\n}}\n")
    begin = text.split("over i in ")[1].split("\n")[0].split(", j in ")
    i0, j0 = (b.split("..")[0] if ".." in b else "0" for b in begin)
    c_body = body.replace("a[i, j]", "a[i * m + j]").replace("p[i, 0]", f"p[i * {width}]")
    for k in range(width): c_body = c_body.replace(f"q[j, {k}]", f"q[j * {width} + {k}]")
    code = (f"static void want_{name}(const {TYPES[t]} *p, const {TYPES[t]} *q, {TYPES[t]} *a, int64_t n, int64_t m, int64_t r) {{\n"
            f"for (int64_t i = {i0}; i < n; i++) for (int64_t j = {j0}; j < m; j++) if ({' && '.join(comparisons) or 1}) {{ {c_body} }} }}\n"
            f"static void try_{name}(int64_t n, int64_t m) {{\nint64_t r = {'m < 9 ? m : m - 7' if fewer else 'm'};\n"
            f"{TYPES[t]} *p = guarded(n * {width} * sizeof *p), *q = guarded(r * {width} * sizeof *q);\n"
            f"{TYPES[t]} *a = guarded(n * m * sizeof *a), *b = guarded(n * m * sizeof *b);\n"
            f"for (int64_t k = 0; k < n * {width}; k++) p[k] = k * 7 % 11;\nfor (int64_t k = 0; k < r * {width}; k++) q[k] = k * 5 % 13;\n"
            f"for (int64_t k = 0; k < n * m; k++) a[k] = b[k] = k % 17;\n"
            f"if ({name}(p, q, a, n, {'r, m' if fewer else 'm'})) {{ printf(\"{name}: %s\\n\", kdsl_last_error()); exit(1); }}\n"
            f"want_{name}(p, q, b, n, m, r);\n")
    return {"name": name, "text": text, "code": code + compare(name)}


def pivots(rng, name):
    """A column of the array that is written, or a row of it, which no item writes."""
    below, lower = rng.choice(["k + 1..", "k + 1..", "k + 3.."]), rng.choice([["j <= i"], ["i >= j"], ["j >= i"], [], ["j < i + 2"]])
    comparisons = lower + guard(rng, rng.choice([0, 0, 1]))
    comparisons = [c.replace("m ", "n ").replace("< m", "< n") for c in comparisons]
    terms = rng.choice(["a[i, k] * a[j, k]", "a[i, k] * a[k, j]", "a[j, k] + a[k, i]", "a[j, k] * a[j, k] + a[i, k]"])
    body = f"a[i, j] = (a[i, j] + {terms}) & 1023;"
    text = (f"kernel {name}_step(a: &mut [i32; n, n], k: index) over i in {below}n, j in {below}n {{\n"
            f"    {guarded_body(rng, comparisons, body)}\n}}\n\n"
            f"export fn {name}(a: &mut [i32; n, n]) {{ for k in min(n, 5) {{ offload {name}_step(&mut a, k); }} }}\n")
    c_body = body
    for x in "ijk":
        for y in "ijk": c_body = c_body.replace(f"a[{x}, {y}]", f"a[{x} * n + {y}]")
    code = (f"static void want_{name}(int *a, int64_t n) {{ for (int64_t k = 0; k < n && k < 5; k++)\n"
            f"for (int64_t i = {below.replace('..', '')}; i < n; i++) for (int64_t j = {below.replace('..', '')}; j < n; j++)\n"
            f"if ({' && '.join(comparisons) or 1}) {{ {c_body} }} }}\n"
            f"static void try_{name}(int64_t n, int64_t m) {{\nm = n;\nint *a = guarded(n * n * sizeof *a), *b = guarded(n * n * sizeof *b);\n"
            f"for (int64_t k = 0; k < n * n; k++) a[k] = b[k] = k * 7 % 1000;\n"
            f"if ({name}(a, n)) {{ printf(\"{name}: %s\\n\", kdsl_last_error()); exit(1); }}\nwant_{name}(b, n);\n")
    return {"name": name, "text": text, "code": code + compare(name)}


def compare(name):
    return (f"for (int64_t k = 0; k < n * m; k++) if (a[k] != b[k]) {{ printf(\"{name}, %d x %d: [%d, %d] is %g, not %g\\n\",\n"
            f"(int)n, (int)m, (int)(k / m), (int)(k % m), (double)a[k], (double)b[k]); bad++; break; }}\n}}\n")


class GuardsTest(GuardedTest):
    def run_one(self, seed, *options):
        rng = random.Random(seed)
        kernels = [rng.choice([columns, columns, pivots])(rng, f"k{i}") for i in range(KERNELS)]
        sizes = [(rng.randint(1, 12), rng.randint(1, 12)), (rng.randint(17, 90), rng.randint(1, 300)),
                 (rng.randint(30, 200), rng.randint(100, 300)), (rng.randint(16, 40), rng.randint(1500, 3500))]
        tries = "".join(f"try_{k['name']}({n}, {m});\n" for k in kernels for n, m in sizes)
        self.run_program("\n".join(k["text"] for k in kernels),
                         HEAD + "".join(k["code"] for k in kernels) + f"int main(void) {{\n{tries}return bad > 0;\n}}\n",
                         f"seed {seed}", *options)

    @parts.quick
    def test_some(self):
        self.run_one(1)
        self.run_one(2, "--vector=always")

    @parts.exhaustive
    def test_more(self):
        for seed in range(3, 15):
            with self.subTest(seed=seed): self.run_one(seed, *(["--vector=always"] if seed % 2 else []))

    @parts.exhaustive
    def test_widths(self):
        self.run_widths(20)


if __name__ == "__main__":
    unittest.main()
