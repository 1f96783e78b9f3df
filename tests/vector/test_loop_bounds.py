#!/usr/bin/env python3
"""Loops of an item whose bounds depend on the item, as in triangles, bands and convolutions: each pair of bounds, with bodies
that walk along rows, down columns and from the end, judged by Python. All numbers are small integers, so sums of floats are
exact, too. Usage: test_loop_bounds.py KDSLC [SEED]

The quick part has a seventh of the kernels on the machine's own vectors; the exhaustive one all, on all that it runs."""
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
import random_kernels  # noqa: E402
from judged import check  # noqa: E402

KDSLC = Path(sys.argv[1]).resolve()
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SIZES = [(1,), (6,), (37,), (70,)]
IN_PROGRAM, QUICK = 24, 7
LOWER = ["0", "i", "i + 1", "max(i - 5, 0)", "i / 2", "n - i", "n - 1 - i", "max(i, 3)", "i & 7", "n / 2"]
UPPER = ["n", "i", "i + 1", "min(i + 9, n)", "n - i", "min(2 * i, n)", "n / 2", "max(i, n / 2)", "min(i + 1, 4)"]
LOWER_2 = ["j", "max(i, j)", "n - j", "min(i, j)", "max(j - i, 0)"]
UPPER_2 = ["j", "j + 1", "max(i, j)", "min(j + 9, n)", "n - j", "min(i, j) + 1"]
# What is added for each k; of one item i, and of two, i and j. Python computes with the same text.
BODIES = ["a[i, k] * x[k]", "a[k, i] * x[k]", "x[k]", "a[i, n - 1 - k] * x[k]", "x[k - lo] * x[k]", "a[i, k] * 3",
          "a[i, k] * a[k, i]"]
BODIES_2 = ["a[i, k] * b[j, k]", "a[i, k] * b[k, j]", "a[k, i] * b[j, k]", "a[k, i] * b[k, j]", "a[i, k] * x[k]"]
FORMS = ["sum", "sum", "two", "last", "row"]


class Kernel:
    def __init__(self, rng, name, lower, upper, is_2d):
        self.name, self.lower, self.upper, self.is_2d = name, lower, upper, is_2d
        self.body = rng.choice(BODIES_2 if is_2d else BODIES)
        self.form = rng.choice([form for form in FORMS if form != "row" or not is_2d])
        self.type = rng.choice(["f64", "f32", "i32", "f64", "i64"])

    def source(self):
        t, zero = self.type, "0.0" if self.type.startswith("f") else "0"
        over, at = ("i in n, j in n", "i, j") if self.is_2d else ("i in n", "i")
        shape = "n, n" if self.is_2d or self.form == "row" else "n"
        body = self.body.replace("k - lo", f"k - ({self.lower})")
        added = {"sum": f"s += {body};", "two": f"let v = {body}; s += v; u = max(u, v);", "last": f"s = {body} - s;",
                 "row": f"y[i, k] = {body} + s;"}[self.form]
        end = "" if self.form == "row" else f"    y[{at}] = s + u;\n"
        mode = "&mut" if self.form == "row" else "&out"
        return (f"kernel {self.name}(a: &[{t}; n, n], b: &[{t}; n, n], x: &[{t}; n], y: {mode} [{t}; {shape}]) over {over} {{\n"
                f"    var s: {t} = {zero};\n    var u: {t} = {zero};\n"
                f"    for k in {self.lower}..{self.upper} {{ {added} }}\n{end}}}\n")

    def launch(self, n):
        t, zero = self.type, "0.0" if self.type.startswith("f") else "0"
        shape = f"{n}, {n}" if self.is_2d or self.form == "row" else f"{n}"
        index, sum_of = ("i, j", f"for i in {n} {{ for j in {n} {{") if "," in shape else ("i", f"for i in {n} {{ {{")
        weight = "(i + 3 * j) % 17 + 1" if "," in shape else "i % 17 + 1"
        mode = "&mut" if self.form == "row" else "&out"
        of = f"i64(y[{index}])" if t != "i64" else f"y[{index}]"
        return (f"    {{ let a = [{t}((i * 7 + j * 3) % 11 - 5) for i in {n}, j in {n}];\n"
                f"      let b = [{t}((i * 5 + j * 2) % 9 - 4) for i in {n}, j in {n}];\n"
                f"      let x = [{t}(i % 5 - 2) for i in {n}];\n      var y = [{t}({zero}); {shape}];\n"
                f"      offload {self.name}(&a, &b, &x, {mode} y);\n      var all = 0i64;\n"
                f"      {sum_of} all += {of} * i64({weight}); }} }}\n"
                f"      print(\"{self.name} {n} {{}}\", all); }}\n")

    def bounds(self, text):
        return eval("lambda i, j, n: " + text.replace("/", "//"), {"max": max, "min": min})

    def expected(self, n):
        lower, upper = self.bounds(self.lower), self.bounds(self.upper)
        a = [[(i * 7 + j * 3) % 11 - 5 for j in range(n)] for i in range(n)]
        b = [[(i * 5 + j * 2) % 9 - 4 for j in range(n)] for i in range(n)]
        x = [i % 5 - 2 for i in range(n)]
        text = self.body.replace("k - lo", "k - LO").replace(", ", "][")
        added = eval("lambda i, j, k, LO, n, a, b, x: " + text)
        total = 0
        for i in range(n):
            for j in range(n if self.is_2d else 1):
                s = u = 0
                lo = lower(i, j, n)
                for k in range(lo, upper(i, j, n)):
                    v = added(i, j, k, lo, n, a, b, x)
                    if self.form == "row": total += v * ((i + 3 * k) % 17 + 1)
                    elif self.form == "last": s = v - s
                    else: s += v
                    if self.form == "two": u = max(u, v)
                if self.form != "row": total += (s + u) * (((i + 3 * j) if self.is_2d else i) % 17 + 1)
        return f"{self.name} {n} {total}"


def is_inside(kernel):
    """Does each k lie in the arrays, for all sizes?"""
    lower, upper = kernel.bounds(kernel.lower), kernel.bounds(kernel.upper)
    for (n,) in SIZES:
        for i in range(n):
            for j in range(n if kernel.is_2d else 1):
                lo, hi = lower(i, j, n), upper(i, j, n)
                if lo < hi and (lo < 0 or hi > n): return False
    return True


def kernels():
    rng = random.Random(SEED)
    pairs = [(lo, hi, False) for lo in LOWER for hi in UPPER] + \
            [(lo, hi, True) for lo in LOWER_2 for hi in UPPER_2 + ["n"]] + [(lo, hi, True) for lo in ["0", "i"] for hi in UPPER_2]
    all_of = [Kernel(rng, f"k{at}", *pair) for at, pair in enumerate(pairs)]
    return [kernel for kernel in all_of if is_inside(kernel)]


def main():
    some, variants = kernels(), [[]]
    if parts.PART == "quick": some = some[::QUICK]
    else: variants += [list(flags) for flags in random_kernels.variants()]
    jobs = [(some[at::(len(some) + IN_PROGRAM - 1) // IN_PROGRAM], flags)
            for flags in variants for at in range((len(some) + IN_PROGRAM - 1) // IN_PROGRAM)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        found = [one for one in pool.map(lambda job: check(KDSLC, job[0], SIZES, job[1], folder), jobs) if one]
    print("\n".join(found) or f"{len(some)} kernels are right, {len(variants)} variants")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
