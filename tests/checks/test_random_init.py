#!/usr/bin/env python3
"""--check=init against brute force: tests/checks/test_random_init.py KDSLC [--seed N] [--programs N]

Makes random kernels whose arrays begin without values: `&out`, `&scratch`, `shared`, and arrays of an item. They are filled
and read by affine indices, in loops, under conditions, before and after barriers, by functions, and often not
wholly, so that proofs are near: what the compiler proves to be written it does not record. All accesses are known here as
well. A read that no write can come before must be reported, and every report must be of a read that a write need not come
before. How many arrays without such a read are proven, is counted."""
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
UNSET = re.compile(r"^\S+?:(\d+):\d+: `(\w+)((?:\[[^]]*\])?(?:\.\w+)*)` of `(\w+)` has no value: work item (.+?) "
                   r"(reads|updates) it (?:atomically )?here before anything has written it$")
PARTS = {"i32": [""], "i32x2": [".x", ".y"], "P": [".a", ".b"], "Q": [".v.x", ".v.y", ".c"]}
WHOLE = {"i32": "1", "i32x2": "i32x2(1)", "P": "P(a: 1, b: 2)", "Q": "Q(v: i32x2(1), c: 3)"}
HEAD = """struct P { a: i32, b: u8 }
struct Q { v: i32x2, c: i32 }
fn fill(x: &mut [i32; n]) {
    for k in n { x[k] = 1; }
}
fn put(x: &mut [i32; n], at: index) {
    if at % 3 == 1 { return; }
    x[at] = 1;
}
fn get(x: &[i32; n], at: index) -> i32 {
    return x[at];
}
"""
LINE_OF_GET = HEAD[:HEAD.index('return x[at]')].count('\n') + 1


class Leave(Exception):
    """break, continue, return"""


class Env(dict):
    """The variables of an item; `memory`: those that may be assigned, the same in all copies."""
    def __missing__(self, name):
        return self["memory"][name]


class Array:
    def __init__(self, name, elem, extents, mode):
        self.name, self.elem, self.extents, self.mode = name, elem, extents, mode  # mode: out, scratch, shared, own
        self.n = extents[0] * (extents[1] if len(extents) == 2 else 1)

    def number(self, at):
        k = 0
        for x, value in zip(self.extents, at):
            if not 0 <= value < x:
                raise IndexError
            k = k * x + value
        return k


class Kernel:
    """Source text, and what each work item does: functions of its variables that yield accesses."""

    def __init__(self, rng, name):
        self.rng, self.name, self.fresh = rng, name, 0
        self.axes = rng.choice((1, 1, 1, 2))
        self.domain = [rng.randint(1, 5) if self.axes == 2 else rng.randint(1, 12) for _ in range(self.axes)]
        self.group = rng.random() < .7
        self.by = [rng.choice((1, 2, 3)) if self.axes == 2 else rng.choice((2, 3, 4, 6)) for _ in range(self.axes)]
        self.vars = ["i", "j"][:self.axes]
        self.arrays = [self.array(f"s{k}", "shared") for k in range(rng.randint(1, 2))] if self.group else []
        if not self.group or rng.random() < .3:
            self.arrays.append(self.array("x0", rng.choice(("out", "scratch"))))
        self.own = []  # those in scope
        self.lines, self.line = [], 0

    def padded(self, axis):
        n, by = self.domain[axis], self.by[axis]
        return -(-n // by) * by if self.group else n

    def array(self, name, mode):
        rng = self.rng
        natural = [self.by[0], self.by[-1]] if mode == "shared" else [self.padded(0), self.padded(self.axes - 1)]
        if mode == "own":
            natural = [rng.randint(1, 4), rng.randint(1, 3)]
        extents = natural if self.axes == 2 or rng.random() < .2 else natural[:1]
        extents = [max(1, x * rng.choice((1, 1, 1, 2)) + rng.choice((0, 0, 0, 1, 2))) for x in extents]
        return Array(name, rng.choice(("i32", "i32", "i32", "i32x2", "P", "Q")), extents, mode)

    def ranges(self, loops):
        """Variables, and from where to where they go."""
        known = {v: (0, self.padded(d) - 1) for d, v in enumerate(self.vars)}
        for d, v in enumerate(self.vars if self.group else []):
            known[v + ".local"] = (0, self.by[d] - 1)
        return {**known, **loops}

    # Indices: a text, and its value from the variables of an item
    def index(self, a, d, loops):
        rng, extent, known = self.rng, a.extents[d], self.ranges(loops)
        names = list(known)
        natural = [v for v in names if known[v] == (0, extent - 1)] or names
        v = rng.choice(natural if rng.random() < .7 else names)
        lo, hi = known[v]
        kind, k, m = rng.random(), rng.randint(1, 3), rng.randint(2, 3)
        if kind < .45:
            text, value = v, lambda e: e[v]
        elif kind < .55:
            text, value, lo, hi = f"{v} + {k}", lambda e: e[v] + k, lo + k, hi + k
        elif kind < .65:
            text, value, lo, hi = f"{extent - 1} - {v}", lambda e: extent - 1 - e[v], extent - 1 - hi, extent - 1 - lo
        elif kind < .72:
            text, value, lo, hi = f"{v} * {m}", lambda e: e[v] * m, lo * m, hi * m
        elif kind < .8:
            u = rng.choice(names)
            text, value = f"{v} * {m} + {u}", lambda e: e[v] * m + e[u]
            lo, hi = lo * m + known[u][0], hi * m + known[u][1]
        elif kind < .86:
            text, value, lo, hi = f"{v} / {m}", lambda e: e[v] // m, 0 if lo >= 0 else lo, hi // m if lo >= 0 else hi
            if known[v][0] < 0:
                text, value = v, lambda e: e[v]
        elif kind < .93:
            k = rng.randint(0, extent - 1)
            return str(k), lambda e: k
        else:
            return f"index(c[{names[0]} % {len(C)}]) % {extent}", lambda e: C[e[names[0]] % len(C)] % extent
        if lo < 0 or hi >= extent:
            shift = -(lo // extent) * extent if lo < 0 else 0
            return f"({text} + {shift}) % {extent}", lambda e: (value(e) + shift) % extent
        return text, value

    def element(self, a, loops):
        at = [self.index(a, d, loops) for d in range(len(a.extents))]
        return f"{a.name}[{', '.join(t for t, _ in at)}]", lambda e: a.number([value(e) for _, value in at])

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)
        return self.line + len(self.lines)

    def condition(self, loops):
        rng, known = self.rng, self.ranges(loops)
        v, kind = rng.choice(list(known)), rng.random()
        if self.group and kind < .2:
            return "inside", lambda e: e["inside"]
        k = rng.randint(*known[v])
        if kind < .4:
            return f"{v} == {k}", lambda e: e[v] == k
        if kind < .7:
            return f"{v} < {k + 1}", lambda e: e[v] < k + 1
        if kind < .85:
            return f"{v} % 2 == 0", lambda e: e[v] % 2 == 0
        return f"c[i % {len(C)}] > {k}", lambda e: C[e["i"] % len(C)] > k

    # Statements: each is emitted, and returns what it does
    def declare(self, depth):
        self.fresh += 1
        a = self.array(f"p{self.fresh}", "own")
        self.own.append(a)
        self.emit(depth, f"var {a.name}: [{a.elem}; {', '.join(map(str, a.extents))}];")
        first = self.first_write(a, depth)

        def run(e):
            yield a, None, None, "D", None
            yield from first(e)
        return run

    def first_write(self, a, depth):
        """The compiler asks for one, of some element."""
        line = self.emit(depth, f"{a.name}[{', '.join(f'index(c[10]) % {x}' for x in a.extents)}] = {WHOLE[a.elem]};")
        at = a.number([C[10] % x for x in a.extents])
        return lambda e: iter([(a, at, p, "W", line) for p in range(len(PARTS[a.elem]))])

    def access(self, depth, loops, kinds=("read", "read", "write", "write", "write", "add", "atomic", "call")):
        rng = self.rng
        a = rng.choice(self.arrays + self.own)
        text, number = self.element(a, loops)
        kind, count = rng.choice(kinds), len(PARTS[a.elem])
        if kind == "call" and a.elem == "i32":
            return self.call(a, depth, loops)
        if kind == "atomic" and (a.elem != "i32" or a.mode == "own"):
            kind = "add"
        part = rng.randrange(count)
        which = [part]
        if kind == "write" and (count == 1 or rng.random() < .5):
            line, which = self.emit(depth, f"{text} = {WHOLE[a.elem]};"), range(count)
        elif kind == "write":
            line = self.emit(depth, f"{text}{PARTS[a.elem][part]} = 1;")
        elif kind in ("add", "atomic"):
            line = self.emit(depth, f"{'atomic ' * (kind == 'atomic')}{text}{PARTS[a.elem][part]} += 1;")
        else:
            line = self.emit(depth, f"t += i32({text}{PARTS[a.elem][part]});")
        steps = {"write": "W", "add": "RW", "atomic": "A"}.get(kind, "R")

        def run(e):
            for s in steps:
                for p in which:
                    yield a, number(e), p, s, line
        return run

    def call(self, a, depth, loops):
        rng, name, first, n = self.rng, a.name, lambda e: 0, a.n
        if len(a.extents) == 2:  # a row
            text, row = self.index(a, 0, loops)
            name, first, n = f"{a.name}[{text}, ..]", lambda e: row(e) * a.extents[1], a.extents[1]
        elif rng.random() < .4:
            lo = rng.randint(0, a.n - 1)
            name, first, n = f"{a.name}[{lo}..]", lambda e: lo, a.n - lo
        at, value = self.index(Array("", "i32", [n], ""), 0, loops)
        fn = rng.choice(("fill", "put", "get"))

        def element(e):
            if not 0 <= value(e) < n or not 0 <= first(e) <= a.n - n:
                raise IndexError
            return first(e) + value(e)
        if fn == "get":
            self.emit(depth, f"t += get(&{name}, {at});")
            return lambda e: (element(e), iter([] if a.mode == "own" else [(a, element(e), 0, "R", LINE_OF_GET)]))[1]
        self.emit(depth, f"fill(&mut {name});" if fn == "fill" else f"put(&mut {name}, {at});")
        if a.mode == "own":  # counts as if all of it were written
            return lambda e: (element(e), iter([(a, k, 0, "W", 0) for k in range(a.n)]))[1]
        if fn == "fill":
            return lambda e: (element(e), iter([(a, first(e) + k, 0, "W", 0) for k in range(n)]))[1]
        return lambda e: (element(e), iter([(a, element(e), 0, "W", 0)] if value(e) % 3 != 1 else []))[1]

    def fill(self, depth, scope, a=None):
        """Nearly all of an array, in the ways that programs do it."""
        a = a or self.rng.choice(self.arrays + self.own)
        rng, whole, parts_ = self.rng, WHOLE[a.elem], range(len(PARTS[a.elem]))
        mine = [v + ".local" if self.group and a.mode == "shared" else v for v in self.vars]
        counts = [b if self.group and a.mode == "shared" else self.padded(d) for d, b in enumerate(self.by[:self.axes])]
        if a.mode == "own" or rng.random() < .3:
            mine, counts = ["0"] * self.axes, [1] * self.axes
        at, loops, texts = [], [], []
        for d, extent in enumerate(a.extents):
            v = mine[min(d, self.axes - 1)] if d < self.axes or self.axes == 1 and d == 0 else "0"
            n = counts[min(d, self.axes - 1)] if v != "0" else 1
            short = rng.random() < .25
            self.fresh += 1
            k, end = f"f{self.fresh}", max(1, extent - short)
            if v != "0" and n == extent:
                texts.append(v)
                at.append(lambda e, v=v: e[v])
            elif rng.random() < .5 or v == "0":
                texts.append(k)
                at.append(lambda e, k=k: e[k])
                loops.append((k, v, end, n))
            else:  # blocks
                width = -(-extent // n)
                self.emit(depth, f"for {k} in {width} {{")
                loops.append((k, "block", width, 0))
                texts.append(f"min({v} * {width} + {k}, {extent - 1})")
                at.append(lambda e, v=v, k=k, w=width, x=extent: min(e[v] * w + e[k], x - 1))
        lines = 0
        loops.sort(key=lambda loop: loop[1] != "block")  # these are there already
        for k, v, end, n in loops:
            if v != "block":
                self.emit(depth, f"for {k} in {v}..{end} step {n} {{" if v != "0" else f"for {k} in {end} {{")
            lines += 1
        known = dict(scope)
        for k, v, end, n in loops:
            known[k] = (0, end - 1)
        inner, skip, leave, only = depth + len(loops), None, None, None
        if loops and rng.random() < .2:
            text, skip = self.condition(known)
            self.emit(inner, f"if {text} {{ continue; }}")
        if rng.random() < .2:
            text, only = self.condition(known)
            self.emit(inner, f"if {text} {{")
        line = self.emit(inner, f"{a.name}[{', '.join(texts)}] = {whole};")
        if only and rng.random() < .5:
            self.emit(inner, "} else {")
            only = (lambda e: True) if self.emit(inner, f"{a.name}[{', '.join(texts)}] = {whole};") else None
        if only:
            self.emit(inner, "}")
        if loops and rng.random() < .2:
            text, leave = self.condition(known)
            self.emit(inner, f"if {text} {{ break; }}")
        self.emit(depth, "}" * lines)

        def run(e, todo=tuple(loops)):
            if not todo:
                if skip and skip(e):
                    return
                for p in parts_ if not only or only(e) else ():
                    yield a, a.number([x(e) for x in at]), p, "W", line
                if leave and leave(e):
                    raise Leave("break")
                return
            (k, v, end, n), rest = todo[0], todo[1:]
            for x in range(end) if v in ("0", "block") else range(e[v], end, n):
                try:
                    yield from run(Env({**e, k: x}), rest)
                except Leave:
                    return
        return run

    def read_all(self, depth, a):
        """Each element, or one that the data choose."""
        self.fresh += 1
        names = [f"r{self.fresh}{d}" for d in range(len(a.extents))]
        part = self.rng.randrange(len(PARTS[a.elem]))
        if self.rng.random() < .3:
            at = [f"index(c[i % {len(C)}]) % {x}" for x in a.extents]
            line = self.emit(depth, f"t += i32({a.name}[{', '.join(at)}]{PARTS[a.elem][part]});")
            return lambda e: iter([(a, a.number([C[e["i"] % len(C)] % x for x in a.extents]), part, "R", line)])
        for k, x in zip(names, a.extents):
            self.emit(depth, f"for {k} in {x} {{")
        line = self.emit(depth, f"t += i32({a.name}[{', '.join(names)}]{PARTS[a.elem][part]});")
        self.emit(depth, "}" * len(names))
        return lambda e: iter([(a, k, part, "R", line) for k in range(a.n)])

    def near_again(self):
        """An array that each iteration declares anew."""
        rng, body = self.rng, []
        self.fresh += 1
        r, n = f"r{self.fresh}", rng.randint(1, 3)
        self.emit(1, f"for {r} in {n} {{")
        scope = {r: (0, n - 1)}
        body.append(self.declare(2))
        text, holds = self.condition(scope) if rng.random() < .6 else (f"{r} == 0", lambda e: e[r] == 0)
        self.emit(2, f"if {text} {{")
        fill = self.fill(3, scope, self.own[-1])
        self.emit(2, "}")
        body.append(lambda e: fill(e) if holds(e) else iter(()))
        body.append(self.read_all(2, self.own[-1]))
        self.emit(1, "}")

        def run(e):
            for x in range(n):
                for s in body:
                    yield from s(Env({**e, r: x}))
        return run

    def through_variable(self, a):
        """A store whose index is a variable that is assigned."""
        loops = {}
        change = self.variable(1, loops)
        v, = loops
        line = self.emit(1, f"{a.name}[{', '.join(f'{v} % {x}' for x in a.extents)}] = {WHOLE[a.elem]};")

        def run(e):
            yield from change(e)
            for p in range(len(PARTS[a.elem])):
                yield a, a.number([e[v] % x for x in a.extents]), p, "W", line
        return run

    def near(self):
        """An array that is nearly filled, and read."""
        rng, steps = self.rng, []
        if not self.arrays or rng.random() < .3:
            if rng.random() < .3:
                return self.near_again()
            steps.append(self.declare(1))
        a = rng.choice(self.arrays + self.own)
        if rng.random() < .25:
            steps.append(self.through_variable(a))
        for _ in range(rng.randint(1, 2)):
            wrap = rng.random()
            if wrap < .2:
                text, holds = self.condition({})
                self.emit(1, f"if {text} {{")
                inner = self.fill(2, {}, a)
                self.emit(1, "}")
                steps.append(lambda e, inner=inner, holds=holds: inner(e) if holds(e) else iter(()))
            else:
                steps.append(self.fill(1, {}, a))
            if self.group and rng.random() < .7:
                self.emit(1, "barrier;")
                steps.append(lambda e: iter(["barrier"]))
        steps.append(self.read_all(1, a))

        def run(e):
            for s in steps:
                yield from s(e)
        return run

    def block(self, depth, loops, uniform, size, words=()):
        n, loops = len(self.own), dict(loops)
        steps = [self.statement(depth, loops, uniform, words) for _ in range(self.rng.randint(1, size))]
        del self.own[n:]

        def run(e):
            for s in steps:
                yield from s(e)
        return run

    def statement(self, depth, loops, uniform, words):
        rng, kind = self.rng, self.rng.random()
        if kind < .1 or not self.arrays + self.own:
            return self.declare(depth)
        if kind < .3:
            return self.fill(depth, loops)
        if kind > .95:
            return self.variable(depth, loops)
        if self.group and uniform and kind < .42:
            self.emit(depth, "barrier;")
            return lambda e: iter(["barrier"])
        if depth < 4 and kind < .52:
            return self.loop(depth, loops, uniform)
        if depth < 4 and kind < .64:
            return self.branch(depth, loops, words)
        return self.access(depth, loops)

    def branch(self, depth, loops, words):
        rng = self.rng
        text, holds = self.condition(loops)
        self.emit(depth, f"if {text} {{")
        yes = self.block(depth + 1, loops, False, 2)
        leaves = words and rng.random() < .3
        if leaves:
            word = rng.choice(words)
            self.emit(depth + 1, word + ";")
        no = None
        if not leaves and rng.random() < .5:
            self.emit(depth, "} else {")
            no = self.block(depth + 1, loops, False, 2)
        self.emit(depth, "}")

        def run(e):
            if holds(e):
                yield from yes(e)
                if leaves:
                    raise Leave(word)
            elif no:
                yield from no(e)
        return run

    def value(self, loops):
        known = self.ranges(loops)
        v, k = self.rng.choice(list(known)), self.rng.randint(0, 2)
        return f"index({v} + {k})", lambda e: e[v] + k, (known[v][0] + k, known[v][1] + k)

    def variable(self, depth, loops):
        """One that is assigned: always, in a branch, or in a loop."""
        self.fresh += 1
        v = f"v{self.fresh}"
        text, first, (lo, hi) = self.value(loops)
        self.emit(depth, f"var {v} = {text};")
        text, second, (lo2, hi2) = self.value(loops)
        kind, n = self.rng.choice(("plain", "if", "for")), self.rng.randint(0, 2)
        head, holds = ("", lambda e: True) if kind == "plain" else (f"for _u{self.fresh} in {n} {{ ", lambda e: n > 0)
        if kind == "if":
            head, holds = self.condition(loops)
            head = f"if {head} {{ "
        self.emit(depth, f"{head}{v} = {text};{' }' if head else ''}")
        loops[v] = min(lo, lo2), max(hi, hi2)

        def run(e):
            e["memory"][v] = first(e)
            if holds(e):
                e["memory"][v] = second(e)
            return iter(())
        return run

    def loop(self, depth, loops, uniform):
        """`for` or `while`; a second variable may count beside the first one."""
        rng = self.rng
        self.fresh += 1
        k, lo, n, step = f"k{self.fresh}", rng.randint(0, 1), rng.randint(1, 4), rng.choice((1, 1, 1, 2))
        values, down = list(range(lo, lo + n, step)), rng.random() < .15
        if down:
            values = values[::-1]
        inner, last = {**loops, k: (min(values), max(values))}, ""
        beside = None
        if rng.random() < .25:
            beside, start, by = f"q{self.fresh}", rng.randint(0, 3), rng.choice((1, 2, 3))
            self.emit(depth, f"var {beside} = {start}index;")
            inner[beside] = (start, start + by * (len(values) - 1))
            last = f"{beside} += {by}; "
        is_while = rng.random() < .35
        if is_while:
            self.emit(depth, f"var {k} = {values[0]}index;")
            self.emit(depth, f"while {k} {f'>= {values[-1]}' if down else f'< {lo + n}'} {{")
            last += f"{k} {'-' if down else '+'}= {step};"
        else:
            end = f"{values[0]}..{lo - 1} step {-step}" if down else f"{lo}..{lo + n}" + (f" step {step}" if step > 1 else "")
            self.emit(depth, f"for {k} in {end} {{")
        words = () if uniform else ("break",) if last else ("break", "continue")
        body = self.block(depth + 1, inner, uniform, 4, words)
        if last:
            self.emit(depth + 1, last)
        self.emit(depth, "}")

        def run(e):
            for t, x in enumerate(values):
                try:
                    yield from body(Env({**e, k: x, **({beside: start + by * t} if beside else {})}))
                except Leave as word:
                    if str(word) == "break":
                        return
        return run

    def make(self, line):
        self.line = line
        over = ", ".join(f"{v} in {n}" + (f" by {b}" if self.group else "") for v, n, b in zip(self.vars, self.domain, self.by))
        params, scratch = ["c: &[i32; cn]", "keep: &mut [i32; kn]"], []
        for a in self.arrays:
            if a.mode != "shared":
                text = f"{a.name}: &{a.mode} [{a.elem}; {', '.join(map(str, a.extents))}]"
                (scratch if a.mode == "scratch" else params).append(text)
        self.emit(0, f"kernel {self.name}({', '.join(params + scratch)}) over {over} {{")
        for a in self.arrays:
            if a.mode == "shared":
                self.emit(1, f"shared {a.name}: [{a.elem}; {', '.join(map(str, a.extents))}];")
                zero = f"{a.name}[{', '.join('0' for _ in a.extents)}]"
                self.emit(1, f"if cn < 0 {{ {zero} = {WHOLE[a.elem]}; }}")  # the compiler asks for one; never executed
        rng = self.rng
        self.emit(1, "var t = 0;")
        first = [self.first_write(a, 1) for a in self.arrays if a.mode != "shared"]
        rest = self.near() if rng.random() < .6 else self.block(1, {}, True, 9)
        own = " + ".join(f"{v} * {m}" for v, m in zip(self.vars, (100, 1))) if self.axes == 2 else "i"
        self.emit(1, ("if inside { " if self.group else "") + f"keep[{own}] = t;" + (" }" if self.group else ""))
        self.emit(0, "}")

        def body(e):
            for s in first:
                yield from s(e)
            yield from rest(e)
        self.body = body
        return "\n".join(self.lines) + "\n"

    def launch(self):
        given, text = ["&c", "&mut keep"], ""
        for a in self.arrays:
            if a.mode == "out":
                name = f"{self.name}_{a.name}"
                text += f"    var {name} = [{WHOLE[a.elem]}; {', '.join(map(str, a.extents))}];\n"
                given.append(f"&out {name}")
        return text + f"    offload {self.name}({', '.join(given)});\n"

    # What happens
    def items(self):
        for i in range(self.padded(0)):
            for j in range(self.padded(1) if self.axes == 2 else 1):
                e = Env({"memory": {}, "i": i, "j": j, "inside": i < self.domain[0] and (self.axes == 1 or j < self.domain[1])})
                for v, at, b in zip(self.vars if self.group else [], (i, j), self.by):
                    e[v + ".local"], e[v + ".group"] = at % b, at // b
                yield e

    def execute(self):
        """Accesses by element: (item, group, phase, kind, line), those of one item in its order."""
        of = {}
        for e in self.items():
            item = tuple(e[v] for v in self.vars)
            group = tuple(e[v + ".group"] for v in self.vars) if self.group else item
            phase, declared = 0, {}
            for x in self.body(e):
                if x == "barrier":
                    phase += 1
                    continue
                a, number, part, kind, line = x
                if kind == "D":
                    declared[a.name] = declared.get(a.name, 0) + 1
                    continue
                key = (a.name, number, part) + ((group,) if a.mode == "shared" else ())
                key += (item, declared[a.name]) if a.mode == "own" else ()
                of.setdefault(key, []).append((item, group, phase, kind, line))
        return of

    def unset(self, of):
        """(element, item, kind, line) of each read that no write comes before in every order, and of those for which
        there is no order in which one does."""
        sure, maybe = set(), set()
        for key, all_ in of.items():
            for k, (i, g, p, s, l) in enumerate(all_):
                writes = [(n, x) for n, x in enumerate(all_) if x[3] != "R" and n != k]
                if s == "W" or any((x[0] == i and n < k) or (x[0] != i and x[1] == g and x[2] < p) for n, x in writes):
                    continue
                maybe.add((key[:3], i, s, l))
                if all((x[0] == i and n > k) or (x[0] != i and x[1] == g and x[2] > p) for n, x in writes):
                    sure.add((key[:3], i, s, l))
        return sure, maybe


def make_kernel(rng, name, line):
    while True:
        k = Kernel(rng, name)
        text = k.make(line)
        try:
            of = k.execute()
        except IndexError:
            continue
        if not any(a.mode == "shared" or any(key[0] == a.name for key in of) for a in k.arrays):
            continue
        return k, of, text


def element_of(kernel, shapes, name, text):
    elem, extents = shapes[name]
    at = re.match(r"\[([^]]*)\](.*)$", text)
    number = 0
    for x, k in zip(extents, at[1].split(",")):
        number = number * x + int(k)
    return name, number, PARTS[elem].index(at[2])


def shapes_of(text):
    found = re.finditer(r"(\w+): (?:&\w+ )?\[(\w+); ([\d, ]+)\]", text)
    return {m[1]: (m[2], [int(x) for x in m[3].split(",")]) for m in found}


def recorded(kdslc, path, options):
    """Kernels that record something."""
    run = subprocess.run([kdslc, "--check=init", "--races=off", *options, "--emit=llvm", path], capture_output=True, text=True)
    return set(re.findall(r"^@kdsl\.shadow\.(\w+) =", run.stdout, re.M)) | \
        set(re.findall(r"^@kdsl\.private\.(\w+)\.", run.stdout, re.M))


def check(kdslc, folder, seed, options):
    rng = random.Random(seed)
    kernels, text = {}, HEAD
    for k in range(KERNELS):
        kernel, of, lines = make_kernel(rng, f"k{k}", text.count("\n"))
        kernels[kernel.name] = kernel, of, shapes_of(lines)
        text += lines
    text += f"fn main() {{\n    let c: [i32; {len(C)}] = {C};\n    var keep = [0; 4000];\n"
    text += "".join(k.launch() for k, _, _ in kernels.values()) + "}\n"
    path = folder / f"init{seed}.kdsl"
    path.write_text(text)
    run = subprocess.run([kdslc, "run", "--check=init", "--races=off", *options, path], capture_output=True, text=True)
    if run.returncode not in (0, 3) or "error[" in run.stderr:
        return f"{path}: exit code {run.returncode}\n{run.stderr[:3000]}"
    problems, got = [], {n: set() for n in kernels}
    for line in failures(run.stderr):
        m = UNSET.match(line)
        if not m:
            problems.append(f"not understood: {line}")
            continue
        kernel, of, shapes = kernels[m[4]]
        item = tuple(int(x.split("=")[1]) for x in m[5].split(","))
        access = element_of(kernel, shapes, m[2], m[3]), item, "R" if m[6] == "reads" else "A", int(m[1])
        if access not in kernel.unset(of)[1]:
            problems.append(f"false alarm: {line}")
        got[m[4]].add((m[2], int(m[1])))
    unset, clean = 0, []
    for name, (kernel, of, _) in kernels.items():
        sure, maybe = kernel.unset(of)
        unset += bool(sure)
        if not maybe:
            clean.append(name)
        for key, item, _, line in sure:
            if (key[0], line) not in got[name]:
                problems.append(f"missed: `{key}` of `{name}` has no value on line {line} for item {item}")
    if problems:
        return f"{path}:\n" + "\n".join(problems[:20])
    kept = recorded(kdslc, path, []) if not options[1:] else set(clean)
    return unset, len(clean), len([n for n in clean if n not in kept]), not options[1:]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("kdslc")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--programs", type=int, default={"quick": 8, "exhaustive": 200}.get(parts.PART, 24))
    p.add_argument("--keep")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(a.keep or made)
        options = [[f"-O{k % 4}"] + ["--check=all"] * (k % 4 == 3) for k in range(a.programs)]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda k: check(a.kdslc, folder, a.seed + k, options[k]), range(a.programs)))
    failed = [r for r in results if isinstance(r, str)]
    good = [r for r in results if not isinstance(r, str)]
    unset = sum(r[0] for r in good)
    clean, proven = (sum(r[k] for r in good if r[3]) for k in (1, 2))
    print("\n".join(failed))
    print(f"{len(results)} programs of {KERNELS} kernels, {unset} with reads of elements without values, {clean} without, of which "
          f"{proven} are proven; {len(failed)} programs failed")
    # A generator of kernels that never read such elements, or always do, or are never proven, tests nothing.
    n = KERNELS * len(results)
    return bool(failed) or not n // 5 < unset < n * 19 // 20 or proven < clean // 2


if __name__ == "__main__":
    sys.exit(main())
