#!/usr/bin/env python3
"""Launches that together write an array (sema/together.c): tests/transfers/test_together.py KDSLC [--seed N] [--cases N]

Makes random functions that fill an array with old values, write parts of it by launches (every second row, a column at a
time in a loop, one half or the other under a condition), and print all of it. The program runs on a device with its own
memory, where a copy that was left out wrongly shows old values lost; Python says what must come out. And of the
functions that certainly write everything before anything is read, nine in ten must copy no array to the device, so that
a lost proof is noticed, too."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

PROVEN = 0.9
KERNELS = """
kernel every(b: &mut [i32; n], from: index, step: index, v: i32) over k in n {
    let i = from + k;
    if i < n && k % 2 == 0 { b[i] = v; }
}
kernel even(b: &mut [i32; n], v: i32) over i in (n + 1) / 2 { b[2 * i] = v; }
kernel odd(b: &mut [i32; n], v: i32) over i in n / 2 { b[2 * i + 1] = v; }
kernel one(b: &mut [i32; n], i: index, v: i32) over k in 1 { if i < n && i >= 0 { b[i] = v; } }
kernel below(b: &mut [i32; n], end: index, v: i32) over i in n { if i < end { b[i] = v; } }
kernel above(b: &mut [i32; n], end: index, v: i32) over i in n { if i >= end { b[i] = v; } }
kernel block(b: &mut [i32; n], g: index, v: i32) over i in 4 { if 4 * g + i < n && g >= 0 { b[4 * g + i] = v; } }
kernel add(b: &mut [i32; n], v: i32) over i in n { b[i] += v; }
"""


class Case:
    """Statements as text, and what they do to a list; `is_read`: a value of before has been needed."""

    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.is_const = rng.random() < .5
        self.n = rng.choice((7, 8, 13)) if self.is_const else 40  # more than any number in the text
        self.value = 0
        self.written, self.reads_old = set(), False

    def size(self):
        return str(self.n) if self.is_const else "n"

    def next_value(self):
        self.value += 1
        return self.value

    def put(self, b, places, v):
        for i in places:
            if 0 <= i < self.n:
                b[i] = v
                self.written.add(i)

    def launch(self, b, env):
        """A launch that may depend on the variable of a loop: text, and what it does for a value of that variable."""
        n, v = self.n, self.next_value()
        kinds = ["even", "odd", "below", "above"] + (["one", "block", "one", "block"] if env else [])
        kind = self.rng.choice(kinds)
        if kind in ("even", "odd"):
            return f"offload {kind}(&mut b, {v});", lambda j: self.put(b, range(kind == "odd", n, 2), v)
        if kind in ("below", "above"):
            end, end_text = self.rng.choice(((0, "0"), (3, "3"), (6, "6"), (n, self.size())))
            places = range(end) if kind == "below" else range(end, n)
            return f"offload {kind}(&mut b, {end_text}, {v});", lambda j: self.put(b, places, v)
        by, c = self.rng.choice((1, 1, 1, 2)), self.rng.choice((0, 0, 0, 1))
        at = f"{by} * {env} + {c}"
        if kind == "one":
            return f"offload one(&mut b, {at}, {v});", lambda j: self.put(b, [by * j + c], v)
        return f"offload block(&mut b, {at}, {v});", lambda j: self.put(b, range(4 * (by * j + c), 4 * (by * j + c) + 4), v)

    def loop(self, b):
        end = self.rng.choice((self.size(), self.size(), "3", "4"))
        count = self.n if end in ("n", str(self.n)) else int(end)
        text, run = self.launch(b, "j")
        if self.rng.random() < .4:
            other, run_other = self.launch(b, "j")
            if self.rng.random() < .5:
                text, first = f"if j % 2 == 0 {{ {text} }} else {{ {other} }}", run
                run = lambda j: first(j) if j % 2 == 0 else run_other(j)  # noqa: E731
            else:
                text, both = f"{text} {other}", run
                run = lambda j: (both(j), run_other(j))  # noqa: E731
        for j in range(count):
            run(j)
        return f"for j in {end} {{ {text} }}"

    def needs_old(self):
        if len(self.written) < self.n:
            self.reads_old = True

    def function(self):
        rng, n = self.rng, self.n
        b = [100 + i for i in range(n)]
        other = [200 + i for i in range(n)]
        lines = []
        for _ in range(rng.choice((1, 2, 2, 3))):
            kind = rng.random()
            if kind < .45:
                text, run = self.launch(b, None)
                run(0)
                lines.append(text)
            elif kind < .8:
                lines.append(self.loop(b))
            elif kind < .87:
                v = self.next_value()
                self.needs_old()
                lines.append(f"offload add(&mut b, {v});")
                b[:] = [x + v for x in b]
            elif kind < .94:
                self.needs_old()
                lines.append('print("{}", b[1]);')
                self.printed = getattr(self, "printed", []) + [str(b[1])]
            else:
                lines.append("let size = len(b);" if "let size" not in " ".join(lines) else "")
        self.needs_old()
        swaps = rng.random() < .3
        if swaps:
            lines.append("swap(&mut a, &mut b);")
            b, other = other, b
        size = self.size()
        body = "\n    ".join(lines)
        name = f"case{self.number}"
        head = f"fn {name}(n: index) {{" if not self.is_const else f"fn {name}() {{"
        text = f"""{head}
    var a = [200 + i32(i) for i in {size}];
    var b = [100 + i32(i) for i in {size}];
    {body}
    for i in {size} {{ print("{{}} {{}}", a[i], b[i]); }}
}}
"""
        out = getattr(self, "printed", []) + [f"{x} {y}" for x, y in zip(other, b)]
        return text, f"{name}({'' if self.is_const else n});", out


def tried(kdslc, seed, number):
    rng = random.Random(seed)
    made = [(case, *case.function()) for case in (Case(rng, k) for k in range(number))]
    text = KERNELS + "".join(text for _, text, _, _ in made)
    text += "fn main() {\n" + "".join(f'    print("case {c.number}"); {call}\n' for c, _, call, _ in made) + "}\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "p.kdsl").write_text(text)
        subprocess.run([kdslc, "p.kdsl", "-o", "p"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        environment = {**os.environ, "KDSL_MEMORY": "separate"}
        done, reported = (subprocess.run(["./p"], cwd=folder, env={**environment, more: "1"}, capture_output=True, text=True)
                          for more in ("KDSL_POISON", "KDSL_REPORT"))
    if done.returncode or done.stdout != reported.stdout:
        sys.exit(f"seed {seed}: {done.stderr}{reported.stderr}")
    outputs = done.stdout.split("case ")[1:]
    lines = text.splitlines()
    starts = {int(re.match(r"fn case(\d+)", line)[1]): i + 1 for i, line in enumerate(lines) if line.startswith("fn case")}
    ordered = sorted(starts.items(), key=lambda x: x[1])
    copying = set()
    for place, bytes_in in re.findall(r"^b \(p\.kdsl:(\d+)\) +\d+ x, (\d+) B", reported.stderr, re.M):
        if int(bytes_in):
            copying.add([k for k, line in ordered if line <= int(place)][-1])
    wrong, missed, whole = [], [], 0
    for (case, body, _, out), got in zip(made, outputs):
        if got.splitlines()[1:] != out:
            wrong.append(body)
        if not case.reads_old and "offload" in body:
            whole += 1
            if case.number in copying:
                missed.append(body)
    print(f"seed {seed}: {number} functions, {whole} write everything first, {whole - len(missed)} of these copy nothing; "
          f"{len(wrong)} are wrong")
    for what, bodies in (("wrong", wrong), ("not proven", missed)):
        for body in bodies[:4]:
            print(f"{what}: {body}")
    return not wrong and whole and whole - len(missed) >= PROVEN * whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kdslc", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--cases", type=int, default=100)
    args = parser.parse_args()
    seeds = [args.seed] if args.seed else parts.first(range(1, 9), 1)
    if not all([tried(args.kdslc.resolve(), seed, args.cases) for seed in seeds]):
        sys.exit(1)


if __name__ == "__main__":
    main()
