#!/usr/bin/env python3
"""References to columns and planes (sema/column.c): random arrays of two to four dimensions, of which random parts, with
numbers for some dimensions and ranges for others, are passed to kernels and functions that take contiguous arrays.
Python, with lists of lists, says what must come out.
Usage: tests/differential/test_columns.py KDSLC [--seed N] [--programs N]"""
import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# By rank of the part: what is written where. v is the old element, i the position in the part.
KERNELS = """
kernel add1(x: &mut [i64; n], c: i64) over i in n { x[i] += c; }
kernel add2(x: &mut [i64; n, m], c: i64) over i in n, j in m { x[i, j] += c + 10 * j; }
kernel put1(x: &out [i64; n], c: i64) over i in n { x[i] = c + i; }
kernel put2(x: &out [i64; n, m], c: i64) over i in n, j in m { x[i, j] = c + i + 5 * j; }
kernel sum1(x: &[i64; n]) over i in n -> sum i64 { return x[i] * (i + 1); }
kernel sum2(x: &[i64; n, m]) over i in n, j in m -> sum i64 { return x[i, j] * (i + 2 * j + 1); }
fn total1(x: &[i64; n]) -> i64 { var t = 0i64; for i in len(x) { t += x[i] * (i + 1); } return t; }
fn total2(x: &[i64; _, _]) -> i64 {
    var t = 0i64;
    for i in shape(x, 0) { for j in shape(x, 1) { t += x[i, j] * (i + 2 * j + 1); } }
    return t;
}
fn twice1(x: &mut [i64; n], c: i64) { offload add1(&mut x, c); for i in n { x[i] += c; } }
fn twice2(x: &mut [i64; n, m], c: i64) { for j in m { twice1(&mut x[.., j], c + 5 * j); } }
"""


def element(rank, kind, c, at, old):
    i, j = at[0], at[1] if rank == 2 else 0
    return {"add": old + c + 10 * j, "put": c + i + 5 * j, "twice": old + 2 * (c + 5 * j)}[kind]


class Case:
    def __init__(self, rng):
        self.rng = rng
        self.shape = [rng.randrange(1, 6) for _ in range(rng.randrange(2, 5))]
        self.cells = {at: 100 * k for k, at in enumerate(itertools.product(*map(range, self.shape)))}
        self.lines, self.expected = [], []

    def part(self, rank):
        """Text of a slice with `rank` ranges, and the positions in the array of its elements, by position in it."""
        ranged = sorted(self.rng.sample(range(len(self.shape)), rank))
        text, spans = [], []
        for d, n in enumerate(self.shape):
            if d not in ranged:
                at = self.rng.randrange(n)
                spans.append([at])
                text.append(str(at) if self.rng.random() < .5 else f"zero + {at}")
                continue
            lo, hi = sorted((self.rng.randrange(n + 1), self.rng.randrange(n + 1)))
            whole = d != ranged[0] or self.rng.random() < .5 or lo == hi
            spans.append(list(range(n)) if whole else list(range(lo, hi)))
            text.append(".." if whole else f"{lo}..{hi}")
        places = [range(len(spans[d])) for d in ranged]
        cells = {at: tuple(spans[d][at[ranged.index(d)]] if d in ranged else spans[d][0] for d in range(len(spans)))
                 for at in itertools.product(*places)}
        return f"a[{', '.join(text)}]", cells

    def step(self):
        rank = self.rng.choice((1, 2))
        text, cells = self.part(rank)
        kind, c = self.rng.choice(("add", "put", "twice", "sum", "total")), self.rng.randrange(-9, 10)
        if kind in ("sum", "total"):
            call = "offload sum" if kind == "sum" else "total"
            self.lines.append(f'    print("{{}}", {call}{rank}(&{text}));')
            weight = (lambda at: at[0] + 1) if rank == 1 else (lambda at: at[0] + 2 * at[1] + 1)
            self.expected.append(sum(self.cells[cell] * weight(at) for at, cell in cells.items()))
            return
        call = "twice" if kind == "twice" else f"offload {kind}"
        mode = "&out" if kind == "put" else "&mut"
        self.lines.append(f"    {call}{rank}({mode} {text}, {c});")
        for at, cell in cells.items():
            self.cells[cell] = element(rank, kind, c, at, self.cells[cell])

    def program(self):
        for _ in range(12):
            self.step()
        names = "ijkl"[:len(self.shape)]
        number, size = "0", 1
        for name, n in reversed(list(zip(names, self.shape))):
            number, size = f"{number} + {100 * size} * {name}", size * n
        ranges = ", ".join(f"{name} in {n}" for name, n in zip(names, self.shape))
        loops = "".join(f"for {name} in {n} {{ " for name, n in zip(names, self.shape))
        self.expected.append(" ".join(map(str, self.cells.values())))
        return "\n".join(["fn test(zero: index) {", f"    var a = [i64({number}) for {ranges}];", *self.lines,
                          '    var all = "";',
                          f'    {loops}all = format("{{}} {{}}", all, a[{", ".join(names)}]);{" }" * len(names)}',
                          '    print("{}", all);', "}"])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kdslc")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--programs", type=int, default=12)
    options = options.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.programs):
            cases = [Case(random.Random(f"{seed}.{k}")) for k in range(4)]
            texts = [case.program().replace("fn test", f"fn test{k}") for k, case in enumerate(cases)]
            calls = "".join(f"    test{k}(zero);\n" for k in range(len(cases)))
            source = Path(folder, "p.kdsl")
            source.write_text(KERNELS + "\n".join(texts) +
                              f"\nfn main() {{\n    let zero = index(len(args()));\n{calls}}}\n")
            expected = [str(line) for case in cases for line in case.expected]
            for flags, memory in (([], "auto"), ([], "separate"), (["-O0"], "auto"), (["--check=race,init"], "auto")):
                program = Path(folder, "p")
                made = subprocess.run([options.kdslc, *flags, source, "-o", program], capture_output=True, text=True)
                env = {**os.environ, "KDSL_MEMORY": memory, "KDSL_POISON": "1"}
                done = made if made.returncode else subprocess.run([program], capture_output=True, text=True, env=env)
                if done.returncode or [line.strip() for line in done.stdout.splitlines()] != expected:
                    wrong += 1
                    print(f"seed {seed}, {flags}, {memory}:\n{done.stderr[:2000]}{done.stdout[:2000]}\n"
                          f"expected {expected}\n{source.read_text()}")
    print(f"{options.programs} programs of 48 calls, each in 4 ways: {wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
