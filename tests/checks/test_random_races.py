#!/usr/bin/env python3
"""--check=race,init against brute force: tests/checks/test_random_races.py KDSLC [--seed N] [--programs N]

Makes random kernels: plain reads, writes and atomic updates of arrays, of fields, components and whole structs, in loops,
under conditions, in functions that get slices, with one and two axes, in groups with shared memory and barriers. Which
elements they access depends on the domain variables and on an array that is only read, so the accesses are known here
as well; each pair of them is compared. A report must name two accesses that race, and an array must be reported if and
only if two accesses to it race. Elements that are read without a value are checked in the same way."""
import argparse
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from run import failures  # noqa: E402

KERNELS = 12  # in a program
C = [3, 7, 1, 4, 4, 0, 9, 2, 6, 5, 8]
WHOLE = {"i32": "1", "i32x4": "i32x4(1)", "P": "P(a: 1, b: 2, v: i32x2(3))"}
REPORT = re.compile(r"^\S+?:(\d+):\d+: data race on `(\w+)((?:\[[^]]*\])?(?:\.\w+)*)` in `(\w+)`: work item (.+?) "
                    r"(writes|reads|updates) it (?:atomically )?here, and work item (.+?) (writes|reads|updates) it "
                    r"(?:atomically )?(?:here|on the same line|on line (\d+))(, with no barrier between them|, in another group)?"
                    r"(?: \(value: -?\d+(?:, then -?\d+)?\))?$")
UNSET = re.compile(r"^\S+?:(\d+):\d+: `(\w+)((?:\[[^]]*\])?(?:\.\w+)*)` of `(\w+)` has no value: work item (.+?) "
                   r"(reads|updates) it (?:atomically )?here before anything has written it$")
PARTS = {"i32": [""], "i32x4": [".x", ".y", ".z", ".w"], "P": [".a", ".b", ".v.x", ".v.y"]}
HEAD = """struct P { a: i32, b: u8, v: i32x2 }
fn put(x: &mut [i32; n], at: index) {
    x[at % n] = 1;
}
fn get(x: &[i32; n], at: index) -> i32 {
    return x[at % n];
}
fn count(x: &mut [i32; n], at: index) {
    atomic x[at % n] += 1;
}
fn both(x: &mut [i32; n], y: &[i32; m], at: index) {
    x[at % n] += get(&y, at + 1);
}
"""
HEAD_LINES = HEAD.count("\n")
LINE_OF = {"put": 3, "get": 6, "count": 9, "both": 12}


class Array:
    def __init__(self, name, elem, extents, mode):
        self.name, self.elem, self.extents, self.mode = name, elem, extents, mode  # mode: mut, out, scratch, shared
        self.n = 1
        for x in extents:
            self.n *= x


class Kernel:
    """Source text, and what each work item does: functions of (item) that yield accesses."""

    def __init__(self, rng, name):
        self.rng, self.name, self.fresh = rng, name, 0
        self.axes = rng.choice((1, 1, 2))
        self.domain = [rng.randint(1, 6) if self.axes == 2 else rng.randint(1, 14) for _ in range(self.axes)]
        self.group = rng.random() < .5
        self.by = [rng.choice((1, 2, 3)) if self.axes == 2 else rng.choice((1, 2, 4, 5)) for _ in range(self.axes)] if self.group else None
        if self.axes == 2 and self.group and rng.random() < .3:
            self.by[0] = 1
        self.arrays = [self.array(f"x{k}", rng.choice(("mut", "mut", "mut", "out", "scratch"))) for k in range(rng.randint(1, 2))]
        self.shared = [self.array(f"s{k}", "shared") for k in range(rng.randint(0, 2))] if self.group else []
        self.vars = ["i", "j"][:self.axes]
        self.lines, self.line = [], 0

    def array(self, name, mode):
        rng = self.rng
        extents = [rng.randint(1, 9)] if rng.random() < .8 else [rng.randint(1, 4), rng.randint(1, 3)]
        return Array(name, rng.choice(("i32", "i32", "i32", "i32x4", "P")), extents, mode)

    # Indices: a text, and its value from the environment of an item. `w[k]` is k, which the compiler does not know: what
    # it can prove to be a race it does not compile.
    def index(self, extent, loop):
        text, value = self.bare_index(extent, loop)
        return f"w[{text}]", value

    def bare_index(self, extent, loop):
        rng, kind = self.rng, self.rng.random()
        v = rng.choice(self.vars + ([loop] if loop else []))
        if self.group and rng.random() < .5 and v in self.vars:
            v += ".local"
        if kind < .35:
            return f"{v} % {extent}", lambda e: e[v] % extent
        if kind < .6:
            c = rng.randint(1, 4)
            return f"({v} + {c}) % {extent}", lambda e: (e[v] + c) % extent
        if kind < .7:
            return f"({v} / 2) % {extent}", lambda e: e[v] // 2 % extent
        if kind < .8:
            k = rng.randint(0, extent - 1)
            return f"{k}", lambda e: k
        if kind < .9 and self.axes == 2:
            m = rng.randint(1, 5)
            return f"(i * {m} + j) % {extent}", lambda e: (e["i"] * m + e["j"]) % extent
        return f"index(c[{v} % {len(C)}]) % {extent}", lambda e: C[e[v] % len(C)] % extent

    def element(self, a, loop):
        at = [self.index(x, loop) for x in a.extents]

        def number(e):
            k = 0
            for x, (_, value) in zip(a.extents, at):
                k = k * x + value(e)
            return k
        return f"{a.name}[{', '.join(t for t, _ in at)}]", number

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)
        return self.line + len(self.lines)

    def condition(self):
        rng, v = self.rng, self.rng.choice(self.vars)
        if self.group and rng.random() < .3:
            return "inside", lambda e: e["inside"]
        if rng.random() < .4:
            k = rng.randint(0, 5)
            return f"{v} == {k}", lambda e: e[v] == k
        m = rng.randint(2, 3)
        return f"c[{v} % {len(C)}] % {m} == 0", lambda e: C[e[v] % len(C)] % m == 0

    def access(self, depth, loop):
        rng = self.rng
        a = rng.choice(self.arrays + self.shared * 2)
        text, number = self.element(a, loop)
        names = PARTS[a.elem]
        kind = rng.choice(("read", "read", "write", "write", "add", "atomic"))
        if a.elem == "i32" and rng.random() < .25:
            return self.call(a, depth)
        if a.elem != "i32" and rng.random() < .3:
            return self.whole(a, text, number, kind, depth)
        p = rng.randrange(len(names))
        if a.elem == "P" and p == 1 and kind == "atomic":
            kind = "add"
        text += names[p]
        one = "1"
        if kind == "read":
            line = self.emit(depth, f"t += i32({text});")
            steps = "R"
        elif kind == "write":
            line = self.emit(depth, f"{text} = {one};")
            steps = "W"
        elif kind == "add":
            line = self.emit(depth, f"{text} += {one};")
            steps = "RW"
        else:
            line = self.emit(depth, f"atomic {text} += {one};")
            steps = "A"

        def run(e):
            for s in steps:
                yield a, number(e), p, s, line
        return run

    def first_write(self, a):
        text, number = self.element(a, None)
        line = self.emit(1, f"{text} = {WHOLE[a.elem]};")
        return lambda e: iter([(a, number(e), p, "W", line) for p in range(len(PARTS[a.elem]))])

    def whole(self, a, text, number, kind, depth):
        self.fresh += 1
        v, count = f"q{self.fresh}", len(PARTS[a.elem])
        if kind in ("read", "atomic") and a.elem == "i32x4" and self.rng.random() < .5:
            line = self.emit(depth, f"let {v} = {text}.xz; t += {v}.x + {v}.y;")
            which, steps = (0, 2), "R"
        elif kind in ("read", "atomic"):
            line = self.emit(depth, f"let {v} = {text}; t += {v}.{'x' if a.elem == 'i32x4' else 'a'};")
            which, steps = range(count), "R"
        else:
            value = "i32x4(1)" if a.elem == "i32x4" else "P(a: 1, b: 2, v: i32x2(3))"
            line = self.emit(depth, f"{text} = {value};")
            which, steps = range(count), "W"

        def run(e):
            for s in steps:
                for p in which:
                    yield a, number(e), p, s, line
        return run

    def call(self, a, depth):
        rng, fn = self.rng, self.rng.choice(("put", "get", "count", "both"))
        text, value = self.index(50, None)
        lo = rng.randint(0, a.extents[0] - 1)
        slice_, first, n = a.name, 0, a.n
        if len(a.extents) == 2:
            slice_, first, n = f"{a.name}[{lo}, ..]", lo * a.extents[1], a.extents[1]
        elif rng.random() < .4:
            slice_, first, n = f"{a.name}[{lo}..]", lo, a.n - lo
        others = [b for b in self.arrays + self.shared if b is not a and b.elem == "i32" and len(b.extents) == 1]
        if fn == "both" and not others:
            fn = "put"
        if fn == "put":
            self.emit(depth, f"put(&mut {slice_}, {text});")
            return lambda e: iter([(a, first + value(e) % n, 0, "W", 3)])
        if fn == "get":
            self.emit(depth, f"t += get(&{slice_}, {text});")
            return lambda e: iter([(a, first + value(e) % n, 0, "R", 6)])
        if fn == "count":
            self.emit(depth, f"count(&mut {slice_}, {text});")
            return lambda e: iter([(a, first + value(e) % n, 0, "A", 9)])
        b = rng.choice(others)
        self.emit(depth, f"both(&mut {slice_}, &{b.name}, {text});")
        return lambda e: iter([(b, (value(e) + 1) % b.n, 0, "R", 6), (a, first + value(e) % n, 0, "R", 12),
                               (a, first + value(e) % n, 0, "W", 12)])

    def once(self, depth):
        """A value that is the same for all items: they all read it."""
        a = self.rng.choice(self.arrays + self.shared)
        if a.elem != "i32":
            return self.access(depth, None)
        self.fresh += 1
        at = [self.rng.randint(0, x - 1) for x in a.extents]
        number = at[0] if len(at) == 1 else at[0] * a.extents[1] + at[1]
        line = self.emit(depth, f"let u{self.fresh} = {a.name}[{', '.join(f'w[{k}]' for k in at)}];")
        self.emit(depth, f"t += u{self.fresh};")
        return lambda e: iter([(a, number, 0, "R", line)])

    def block(self, depth, loop, uniform, size):
        steps = [self.statement(depth, loop, uniform) for _ in range(self.rng.randint(1, size))]

        def run(e):
            for s in steps:
                yield from s(e)
        return run

    def statement(self, depth, loop, uniform):
        rng, kind = self.rng, self.rng.random()
        if self.group and uniform and kind < .3:
            self.emit(depth, "barrier;")
            return lambda e: iter(["barrier"])
        if self.group and uniform and kind < .38 and depth < 3:
            return self.loop(depth, True)
        if self.group and uniform and kind < .45 and depth < 3:
            self.emit(depth, "if i.group % 2 == 0 {")
            body = self.block(depth + 1, loop, True, 3)
            self.emit(depth, "}")
            return lambda e: body(e) if e["i.group"] % 2 == 0 else iter(())
        if uniform and kind < .55:
            return self.once(depth)
        if kind < .65 and depth < 3:
            text, holds = self.condition()
            self.emit(depth, f"if {text} {{")
            yes = self.block(depth + 1, loop, False, 2)
            no = None
            if rng.random() < .4:
                self.emit(depth, "} else {")
                no = self.block(depth + 1, loop, False, 2)
            self.emit(depth, "}")
            return lambda e: yes(e) if holds(e) else no(e) if no else iter(())
        if kind < .72 and depth < 3:
            return self.loop(depth, False)
        return self.access(depth, loop)

    def loop(self, depth, uniform):
        self.fresh += 1
        k, n = f"k{self.fresh}", self.rng.randint(1, 3)
        self.emit(depth, f"for {k} in 0..{n} {{")
        body = self.block(depth + 1, k, uniform, 3)
        self.emit(depth, "}")

        def run(e):
            for i in range(n):
                yield from body({**e, k: i})
        return run

    def make(self, line):
        self.line = line
        over = ", ".join(f"{v} in {n}" + (f" by {b}" if self.group and b > 1 or self.group and v == "i" else "")
                         for v, n, b in zip(self.vars, self.domain, self.by or (0, 0)))
        params = ["c: &[i32; cn]", "w: &[index; wn]", "keep: &mut [i32; kn]"]
        scratch = []
        for a in self.arrays:
            shape = ", ".join(map(str, a.extents))
            (scratch if a.mode == "scratch" else params).append(f"{a.name}: &{a.mode} [{a.elem}; {shape}]")
        self.emit(0, f"kernel {self.name}({', '.join(params + scratch)}) over {over} {{")
        for a in self.shared:
            self.emit(1, f"shared {a.name}: [{a.elem}; {', '.join(map(str, a.extents))}];")
            zero = f"{a.name}[{', '.join('0' for _ in a.extents)}]"
            self.emit(1, f"if cn < 0 {{ {zero} = {WHOLE[a.elem]}; }}")  # the compiler asks for one; never executed
        self.emit(1, "var t = 0;")
        begin = [self.first_write(a) for a in self.arrays if a.mode in ("out", "scratch")]  # the compiler asks for one
        rest = self.block(1, None, True, 7)

        def body(e):
            for s in begin:
                yield from s(e)
            yield from rest(e)
        own = " + ".join(f"{v} * {m}" for v, m in zip(self.vars, (100, 1))) if self.axes == 2 else "i"
        self.emit(1, ("if inside { " if self.group else "") + f"keep[{own}] = t;" + (" }" if self.group else ""))
        self.emit(0, "}")
        self.body = body
        return "\n".join(self.lines) + "\n"

    def launch(self):
        given = ["&c", "&w", "&mut keep"]
        text = ""
        values = {"i32": "0", "i32x4": "i32x4(0)", "P": "P(a: 0, b: 0, v: i32x2(0))"}
        for a in self.arrays:
            if a.mode == "scratch":
                continue
            name = f"{self.name}_{a.name}"
            text += f"    var {name} = [{values[a.elem]}; {', '.join(map(str, a.extents))}];\n"
            given.append(f"&{a.mode} {name}")
        return text + f"    offload {self.name}({', '.join(given)});\n"

    # What happens
    def items(self):
        n = self.domain if not self.group else [-(-d // b) * b for d, b in zip(self.domain, self.by)]
        for i in range(n[0]):
            for j in range(n[1] if self.axes == 2 else 1):
                e = {"i": i, "j": j, "inside": i < self.domain[0] and (self.axes == 1 or j < self.domain[1])}
                if self.group:
                    for v, at, b in zip(self.vars, (i, j), self.by):
                        e[v + ".local"], e[v + ".group"] = at % b, at // b
                yield e

    def execute(self):
        """Accesses by element: (item, group, phase, kind, line), in an order that the barriers allow."""
        of = {}
        events = []
        for e in self.items():
            item = tuple(e[v] for v in self.vars)
            group = tuple(e[v + ".group"] for v in self.vars) if self.group else item
            phase = 0
            for x in self.body(e):
                if x == "barrier":
                    phase += 1
                    continue
                a, number, part, kind, line = x
                key = (a.name, number, part) + ((group,) if a.mode == "shared" else ())
                events.append((group, phase, item, key, kind, line))
        for group, phase, item, key, kind, line in sorted(events, key=lambda x: x[:3]):
            of.setdefault(key, []).append((item, group, phase, kind, line))
        return of

    def races(self, of):
        found = set()
        for key, all_ in of.items():
            for k, (i, g, p, s, l) in enumerate(all_):
                for i2, g2, p2, s2, l2 in all_[:k]:
                    if i == i2 or (s == s2 and s in "RA") or (self.group and g == g2 and p != p2):
                        continue
                    found.add((key[:3], frozenset([(i, s, l), (i2, s2, l2)])))
        return found

    def unset(self, of):
        """(element, item, kind, line) of each read of an element that no item may have written before. If a write is not
        ordered with it, that is a race, and the order decides."""
        fresh = {a.name for a in self.arrays + self.shared if a.mode != "mut"}
        sure, maybe = set(), set()
        for key, all_ in of.items():
            if key[0] not in fresh:
                continue
            for k, (i, g, p, s, l) in enumerate(all_):  # those of one item are in its order
                writes = [(n, x) for n, x in enumerate(all_) if x[3] != "R" and n != k]
                earlier = [x for n, x in writes if (x[0] == i and n < k) or (x[0] != i and x[1] == g and x[2] < p)]
                later = [x for n, x in writes if (x[0] == i and n > k) or (x[0] != i and x[1] == g and x[2] > p)]
                if s == "W" or earlier:
                    continue
                maybe.add((key[:3], i, s, l))
                if len(later) == len(writes):
                    sure.add((key[:3], i, s, l))
        return sure, maybe


def item_of(text):
    return tuple(int(x.split("=")[1]) for x in text.split(","))


def element_of(kernel, name, text):
    a = next(a for a in kernel.arrays + kernel.shared if a.name == name)
    at = re.match(r"\[([^]]*)\](.*)$", text)
    number = 0
    for x, k in zip(a.extents, at[1].split(",")):
        number = number * x + int(k)
    return name, number, PARTS[a.elem].index(at[2])


def check(kdslc, folder, seed, options):
    rng = random.Random(seed)
    kernels, text = [], HEAD
    for k in range(KERNELS):
        kernels.append(Kernel(rng, f"k{k}"))
        text += kernels[-1].make(text.count("\n"))
    text += f"fn main() {{\n    let c: [i32; {len(C)}] = {C};\n    let w = [index(k) for k in 64];\n    var keep = [0; 4000];\n"
    text += "".join(k.launch() for k in kernels) + "}\n"
    path = folder / f"races{seed}.kdsl"
    path.write_text(text)
    run = subprocess.run([kdslc, "run", "--check=init", *options, path], capture_output=True, text=True)
    if run.returncode not in (0, 3) or "error[" in run.stderr:
        return f"{path}: exit code {run.returncode}\n{run.stderr[:3000]}"
    by_name = {k.name: (k, k.execute()) for k in kernels}
    problems = []
    got_races, got_unset = {n: set() for n in by_name}, {n: set() for n in by_name}
    letters = {"writes": "W", "reads": "R", "updates": "A"}
    n_reports = 0
    for line in failures(run.stderr):
        n_reports += 1
        if m := REPORT.match(line):
            kernel, of = by_name[m[4]]
            here = int(m[1])
            pair = frozenset([(item_of(m[5]), letters[m[6]], here), (item_of(m[7]), letters[m[8]], int(m[9] or here))])
            if (element_of(kernel, m[2], m[3]), pair) not in kernel.races(of):
                problems.append(f"false alarm: {line}")
            got_races[m[4]].add(m[2])
        elif m := UNSET.match(line):
            kernel, of = by_name[m[4]]
            access = element_of(kernel, m[2], m[3]), item_of(m[5]), letters[m[6]], int(m[1])
            if access not in kernel.unset(of)[1]:
                problems.append(f"false alarm: {line}")
            got_unset[m[4]].add((m[2], int(m[1])))
        else:
            problems.append(f"not understood: {line}")
    for name, (kernel, of) in by_name.items():
        racy = {key[0] for key, _ in kernel.races(of)}
        for x in racy - got_races[name]:
            problems.append(f"missed: a race on `{x}` of `{name}`, such as {next(r for r in kernel.races(of) if r[0][0] == x)}")
        for key, item, _, line in kernel.unset(of)[0]:
            if (key[0], line) not in got_unset[name]:
                problems.append(f"missed: `{key}` of `{name}` has no value on line {line} for item {item}")
    if bool(n_reports) != (run.returncode == 3):
        problems.append(f"exit code {run.returncode} with {n_reports} reports")
    if problems:
        return f"{path}:\n" + "\n".join(problems[:20])
    racy = sum(bool(k.races(of)) for k, of in by_name.values())
    path.unlink()
    return racy


def main():
    p = argparse.ArgumentParser()
    p.add_argument("kdslc")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--programs", type=int, default={"quick": 6, "exhaustive": 150}.get(parts.PART, 20))
    p.add_argument("--keep")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(a.keep or made)
        levels = [[f"-O{k % 4}", "--check=race" + ",all" * (k % 3 == 1)] for k in range(a.programs)]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda k: check(a.kdslc, folder, a.seed + k, levels[k]), range(a.programs)))
    failed = [r for r in results if isinstance(r, str)]
    racy = sum(r for r in results if isinstance(r, int))
    print("\n".join(failed))
    print(f"{len(results)} programs of {KERNELS} kernels, {racy} with races; {len(failed)} programs failed")
    # A generator of kernels that never race, or always do, tests nothing.
    n = KERNELS * len(results)
    return bool(failed) or not n // 5 < racy < n * 19 // 20


if __name__ == "__main__":
    sys.exit(main())
