#!/usr/bin/env python3
"""Items under conditions that compare their indices, beside statements that all items execute: rows, columns and strided
elements that are read before, in and after the condition, updates by `atomic`, stores and sums; judged by Python. Usage:
test_guarded_items.py KDSLC [SEED]

The quick part has an eighth of the kernels on the machine's own vectors; the exhaustive one all, and a third of them on all
that it runs."""
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
SIZES = [(5, 5), (17, 16), (40, 33), (9, 70)]
IN_PROGRAM, QUICK, OTHERS = 24, 8, 3
READS = ["b[i, 0]", "b[j, 0]", "x[i]", "x[j]", "b[i, 2] + x[j]", "b[j, 1] * b[i, 1]", "b[i, j % 3]", "1"]
GUARDS = ["j < i", "i <= j", "i + j < n", "j + j >= n", "j < 9 && i > 2", "i != j", "j > i || i == 3", "i % 3 == j % 3"]
TARGETS = ["h[j % 7]", "h[i % 7]", "h[3]", "h[(i + j) % 7]"]
FORMS = ["U if G { V }", "if G { V } U", "if G { V U }", "if !(G) { return; } U if K { V }", "if G { U } else { V }",
         "if G { if K { V } } U"]


class Kernel:
    def __init__(self, rng, name, form, guard):
        self.name, self.form, self.guard, self.other = name, form, guard, rng.choice(GUARDS)
        self.reads = [rng.choice(READS), rng.choice(READS)]
        self.targets = [rng.choice(TARGETS), rng.choice(TARGETS).replace("h", "g")]
        self.operation = rng.choice(["+=", "+=", "max=", "^="])
        self.stores = rng.random() < 0.3  # the first statement is a store

    def body(self):
        first = f"y[i, j] = {self.reads[0]};" if self.stores else f"atomic {self.targets[0]} {self.operation} {self.reads[0]};"
        second = f"atomic {self.targets[1]} += {self.reads[1]};"
        return self.form.replace("U", first).replace("V", second).replace("G", self.guard).replace("K", self.other)

    def source(self):
        return (f"kernel {self.name}(b: &[i32; r, 3], x: &[i32; r], y: &mut [i32; n, m], h: &mut [i32; 7], g: &mut [i32; 7])\n"
                f"    over i in n, j in m\n{{\n    {self.body()}\n}}\n"
                f"kernel {self.name}s(b: &[i32; r, 3], x: &[i32; r], n: index, m: index) over i in n, j in m -> sum i64 {{\n"
                f"    if {self.guard} {{ return 0; }}\n    if !({self.other}) {{ return i64({self.reads[0]}); }}\n    return 1;\n}}\n")

    def launch(self, n, m):
        return (f"    {{ let b = [i32(i * 5 + j * 3) % 11 + 1 for i in {max(n, m)}, j in 3];\n"
                f"      let x = [i32(i * 7 + 2) % 13 for i in {max(n, m)}];\n"
                f"      var y = [0; {n}, {m}]; var h = [0; 7]; var g = [0; 7];\n"
                f"      offload {self.name}(&b, &x, &mut y, &mut h, &mut g);\n"
                f"      var all = 0i64; for i in {n} {{ for j in {m} {{ all += i64(y[i, j]) * i64(i * 3 + j); }} }}\n"
                f"      print(\"{self.name} {{}} {{}} {{}} {{}}\", all, h, g, offload {self.name}s(&b, &x, {n}, {m})); }}\n")

    def expected(self, n, m):
        size = max(n, m)
        b, x = [[(i * 5 + j * 3) % 11 + 1 for j in range(3)] for i in range(size)], [(i * 7 + 2) % 13 for i in range(size)]
        y, h, g, total = [[0] * m for _ in range(n)], [0] * 7, [0] * 7, 0
        python = lambda text: eval("lambda i, j, n, m, b, x: " + text.replace("&&", "and").replace("||", "or").replace(", ", "]["))
        guard, other, reads = python(self.guard), python(self.other), [python(read) for read in self.reads]
        places = [eval("lambda i, j: " + target[2:-1]) for target in self.targets]
        join = {"+=": lambda a, v: a + v, "max=": max, "^=": lambda a, v: a ^ v}[self.operation]
        for i in range(n):
            for j in range(m):
                at = (i, j, n, m, b, x)

                def first():
                    if self.stores: y[i][j] = reads[0](*at)
                    else: h[places[0](i, j)] = join(h[places[0](i, j)], reads[0](*at))

                def second(): g[places[1](i, j)] += reads[1](*at)
                is_in, is_too = guard(*at), other(*at)
                form = FORMS.index(self.form)
                if form in (0, 1):
                    first()
                    if is_in: second()
                elif form == 2 and is_in:
                    second()
                    first()
                elif form == 3 and is_in:
                    first()
                    if is_too: second()
                elif form == 4: first() if is_in else second()
                elif form == 5:
                    if is_in and is_too: second()
                    first()
                if not is_in: total += 1 if is_too else reads[0](*at)
        return f"{self.name} {sum(y[i][j] * (i * 3 + j) for i in range(n) for j in range(m))} {h} {g} {total}"


def kernels():
    rng = random.Random(SEED)
    pairs = [(form, guard) for form in FORMS for guard in GUARDS] * 3
    return [Kernel(rng, f"k{at}", *pair) for at, pair in enumerate(pairs)]


def main():
    some, variants = kernels(), [[]]
    if parts.PART == "quick": some = some[::QUICK]
    else: variants += [list(flags) for flags in random_kernels.variants()]
    jobs = []
    for at, flags in enumerate(variants):
        these = some[at % OTHERS::OTHERS] if at else some
        n_programs = (len(these) + IN_PROGRAM - 1) // IN_PROGRAM
        jobs += [(these[one::n_programs], flags) for one in range(n_programs)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        found = [one for one in pool.map(lambda job: check(KDSLC, job[0], SIZES, job[1], folder), jobs) if one]
    print("\n".join(found) or f"{len(some)} kernels are right, {len(variants)} variants")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
