#!/usr/bin/env python3
"""Packing (irgen/simd/pack.c), judged by gcc: random products of matrices in all layouts, with triangular domains and loops,
beside the same loops in C. Every array ends where a page begins that must not be read, so a panel that is copied from
what no item reads ends the program: there are domains of which a part reads beyond the arrays, behind a condition, without
checks. Usage: test_packing.py KDSLC"""
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from guarded import HEAD, TYPES, GuardedTest  # noqa: E402

GuardedTest.kdslc = Path(sys.argv.pop(1)).resolve()
KERNELS = 8  # in each program
INSIDE = "i + j < q"  # arrays have q rows or columns instead of n or m
GUARDS = [None, None, None, "j <= i", "j >= i", "i >= j && j > 3", "2 * j <= i + 7", "i % 3 != 1", "j + 40 < m && i > 2",
          INSIDE, INSIDE]
# Rows, columns, rounds: around the least rounds and rows of a panel, and beyond what the caches have room for.
SIZES = [(130, 97, 33), (97, 130, 64), (200, 200, 300), (260, 100, 40), (141, 48, 2100), (330, 110, 2100), (33, 300, 31),
         (500, 24, 128), (640, 130, 70)]


def kernel(rng, name, has_edges):
    """A kernel, and the same in C. Rows n, columns m, rounds l; a triangular loop has n rounds at most, so l is n.
    has_edges: one that reads panels of rows, and has rows without items."""
    t = "f64" if has_edges else rng.choice(["f64", "f64", "f32", "i32", "u8"])
    s = "i32" if t == "u8" else t
    triangular = not has_edges and rng.random() < 0.4
    rounds = "n" if triangular else "l"
    guard = INSIDE if has_edges else rng.choice([g for g in GUARDS if not (g == INSIDE and triangular)])
    rows, columns = ("q", "q") if guard == INSIDE else ("n", "m")
    ranges = rng.choice([("0", "i + 1"), ("i", "n"), ("0", "i"), ("i + 1", "n")]) if triangular else ("0", rounds)
    loops = [ranges]
    if triangular and rng.random() < 0.4: loops = [("0", "i + 1"), ("i + 1", "n")]
    a_shapes = {"a[i, k]": f"{rows}, {rounds}", "a[k, i]": f"{rounds}, {rows}"}
    b_shapes = {"b[k, j]": f"{rounds}, {columns}", "b[j, k]": f"{columns}, {rounds}"}
    a_form, b_form = "a[k, i]" if has_edges else rng.choice(list(a_shapes)), rng.choice(list(b_shapes))
    a_value, b_value = (f"i32({a_form})", f"i32({b_form})") if t == "u8" else (a_form, b_form)
    update = rng.choice(["s += {a} * {b};", "s = {a} * {b} - s;", "s max= {a} * {b};", "if {a} != {b} {{ s += 1; }}"])
    store = rng.choice(["c[i, j] = s;", "c[i, j] += s;"])
    body = f"var s = c[i, j];\n" if rng.random() < 0.3 else f"var s: {s} = 0;\n"
    for lo, hi in loops:
        body += f"        for k in {lo}..{hi} {{ {update.format(a=a_value, b=b_value)} }}\n"
    body += f"        {store}"
    inner = f"if {guard} {{\n        {body}\n    }}" if guard else body
    text = (f"export kernel {name}(a: &[{t}; {a_shapes[a_form]}], b: &[{t}; {b_shapes[b_form]}], c: &mut [{s}; n, m])\n"
            f"    over i in n, j in m\n{{\n    {inner}\n}}\n")
    place = {"a[i, k]": f"a[i * {rounds} + k]", "a[k, i]": f"a[k * {rows} + i]", "b[k, j]": f"b[k * {columns} + j]",
             "b[j, k]": f"b[j * {rounds} + k]"}
    c_update = {"s += {a} * {b};": "s += x;", "s = {a} * {b} - s;": "s = x - s;", "s max= {a} * {b};": "s = x > s ? x : s;",
                "if {a} != {b} {{ s += 1; }}": f"s += {place[a_form]} != {place[b_form]};"}[update]
    code = "".join(f"for (int64_t k = {lo}; k < {hi}; k++) {{ {TYPES[s]} x = {place[a_form]} * {place[b_form]}; {c_update} }}\n"
                   for lo, hi in loops)
    begin = "c[i * m + j]" if "var s = c" in body else "0"
    code = (f"static void want_{name}(const {TYPES[t]} *a, const {TYPES[t]} *b, {TYPES[s]} *c, int64_t n, int64_t m, int64_t l, int64_t q) {{\n"
            f"for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {{ (void)l, (void)q;\n"
            f"if (!({guard or '1'})) continue;\n{TYPES[s]} s = {begin};\n{code}"
            f"c[i * m + j] {'+=' if '+=' in store else '='} s; }} }}\n")
    return {"name": name, "text": text, "code": code, "type": TYPES[t], "sum": TYPES[s], "triangular": triangular,
            "rows": rows, "columns": columns}


def check(k):
    """Calls a kernel for these sizes: in the order of its declaration, sizes come as they are first named in it."""
    t, s, name = k["type"], k["sum"], k["name"]
    sizes = []
    for array in k["text"].split("(", 1)[1].split(")\n", 1)[0].split("["):
        for size in array.split("]")[0].split(";")[-1].split(","):
            if size.strip() in ("n", "m", "l", "q") and size.strip() not in sizes: sizes.append(size.strip())
    return (f"static void try_{name}(int64_t n, int64_t m, int64_t l) {{\n"
            f"int64_t q = (n < m ? n : m) - 10;\n{'l = n;' if k['triangular'] else ''}\n"
            f"size_t na = (size_t)({k['rows']} * l), nb = (size_t)({k['columns']} * l), nc = (size_t)(n * m);\n"
            f"{t} *a = guarded(na * sizeof *a), *b = guarded(nb * sizeof *b);\n"
            f"{s} *c = guarded(nc * sizeof *c), *w = guarded(nc * sizeof *w);\n"
            f"for (size_t i = 0; i < na; i++) a[i] = ({t})(i * 7 % 11);\nfor (size_t i = 0; i < nb; i++) b[i] = ({t})(i * 5 % 7);\n"
            f"for (size_t i = 0; i < nc; i++) c[i] = w[i] = ({s})(i % 5);\n"
            f"if ({name}(a, b, c, {', '.join(sizes)})) {{ printf(\"{name}: %s\\n\", kdsl_last_error()); exit(1); }}\n"
            f"want_{name}(a, b, w, n, m, l, q);\n"
            f"for (size_t i = 0; i < nc; i++) if (c[i] != w[i]) {{ printf(\"{name} %d x %d x %d: element %d is %g, not %g\\n\",\n"
            f"(int)n, (int)m, (int)l, (int)i, (double)c[i], (double)w[i]); bad++; break; }}\n}}\n")


# Rounds that a row does not execute, of an array that has nothing there: a convolution with what came before, and a
# triangle in which the last rows, that have the most rounds, have no items.
ROUNDS = """export kernel before(w: &[f64; n, q], b: &[f64; n, m], c: &out [f64; n, m]) over i in n, j in m {
    var s: f64 = 0;
    for k in i + 1 { s += w[i - k, 1] * b[k, j]; }
    c[i, j] = s;
}
export kernel above(a: &[f64; n, q], b: &[f64; m, m], c: &mut [f64; n, m]) over i in n, j in m {
    if i <= j {
        var s: f64 = 0;
        for k in i + 1 { s += a[i, k] * b[k, j]; }
        c[i, j] = s;
    }
}
"""
ROUNDS_MAIN = HEAD + """
int main(void) {
    enum { N = 1000, M = 200, Q = 60 };
    double *w = guarded(N * Q * 8), *a = guarded(N * N * 8), *b = guarded(N * M * 8), *square = guarded(M * M * 8),
           *c = guarded(N * M * 8), *d = guarded(N * M * 8);
    for (int i = 0; i < N * Q; i++) w[i] = i % 7;
    for (int i = 0; i < N * N; i++) a[i] = i % 5;
    for (int i = 0; i < N * M; i++) b[i] = i % 3;
    for (int i = 0; i < M * M; i++) square[i] = i % 11;
    if (before(w, b, c, N, Q, M) || above(a, square, d, N, N, M)) return 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            double s = 0, t = 0;
            for (int k = 0; k <= i; k++) s += w[(i - k) * Q + 1] * b[k * M + j];
            for (int k = 0; i <= j && k <= i; k++) t += a[i * N + k] * square[k * M + j];
            bad += s != c[i * M + j] || t != d[i * M + j];
        }
    return bad > 0;
}
"""


class PackingTest(GuardedTest):
    def run_one(self, seed, *options):
        rng = random.Random(seed)
        kernels = [kernel(rng, f"k{i}", i == 0) for i in range(KERNELS)]
        tries = "".join(f"try_{k['name']}({n}, {m}, {rounds});\n" for k in kernels
                        for n, m, rounds in rng.sample(SIZES, 5))
        self.run_program("\n".join(k["text"] for k in kernels),
                         HEAD + "".join(k["code"] + check(k) for k in kernels) +
                         f"int main(void) {{\n{tries}return bad > 0;\n}}\n", f"seed {seed}", "--unchecked", *options)

    @parts.quick
    def test_rounds(self):
        self.run_program(ROUNDS, ROUNDS_MAIN, "", "--unchecked")

    @parts.quick
    def test_some(self):
        self.run_one(1)

    @parts.exhaustive
    def test_more(self):
        for seed in range(2, 10):
            with self.subTest(seed=seed): self.run_one(seed)

    @parts.exhaustive
    def test_widths(self):
        """On every processor: vectors of two to eight numbers."""
        for seed, cpu in ((20, "x86-64"), (21, "x86-64-v2"), (22, "x86-64-v3"), (23, "x86-64-v3")):
            if cpu == "x86-64-v3" and "avx2" not in Path("/proc/cpuinfo").read_text(): continue
            with self.subTest(seed=seed): self.run_one(seed, f"--march={cpu}")


if __name__ == "__main__":
    unittest.main()
