#!/usr/bin/env python3
"""Must-write regions (sema/written.c) against brute force: tests/sema/test_whole.py KDSLC [--seed N] [--kernels N]

Makes random kernels with an `&out` array: stores at affine indices, in loops, under conditions that the compiler can
translate and under others, behind early returns, in functions, in groups. The compiler proves that every element is
written (no W0501) or does not. Here each kernel is executed for all small sizes and several outcomes of the conditions
that depend on data. A proof must hold in each of these executions; and of the kernels that write everything in all of
them nine in ten must be proven, so that a lost proof is noticed, too."""
import argparse
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

SIZES = (0, 1, 2, 3, 4, 5, 8)
OUTCOMES = 3
PROVEN = 0.9
BATCH = 5  # kernels in a file: of many warnings the compiler shows the first twenty


class Returned(Exception):
    pass


class Affine:
    """c + sum of factor * variable, all over a divisor (rounded down), or its remainder."""

    def __init__(self, rng, names, depth=0):
        self.terms = [(rng.choice((1, 1, 1, 1, -1, 2, 3)), n) for n in rng.sample(names, min(len(names), rng.choice((1, 1, 1, 2))))]
        self.c = rng.choice((0, 0, 0, 0, 1, -1, 2))
        self.by, self.rest = (rng.choice((2, 3, 4)), rng.random() < .4) if rng.random() < .15 else (1, False)

    def text(self):
        t = " + ".join(f"{k} * {n}" if k != 1 else n for k, n in self.terms)
        t = f"{t} + {self.c}" if self.c > 0 else f"{t} - {-self.c}" if self.c else t
        return t if self.by == 1 else f"({t}) {'%' if self.rest else '/'} {self.by}"

    def value(self, env):
        v = self.c + sum(k * env[n] for k, n in self.terms)
        if self.by == 1:
            return v
        q = abs(v) // self.by * (1 if v >= 0 else -1)
        return v - q * self.by if self.rest else q


class Maker:
    def __init__(self, rng, number):
        self.rng, self.number, self.fresh = rng, number, 0
        self.rank = rng.choice((1, 1, 2))
        self.functions = []
        self.group = rng.choice((2, 4)) if rng.random() < .2 else 0  # items of a group along each axis

    def name(self):
        self.fresh += 1
        return f"v{self.fresh}"

    def bound(self, names):
        kind = self.rng.random()
        if kind < .5:
            return "n", lambda env: env["n"]
        if kind < .7 and self.rank == 2:
            return "m", lambda env: env["m"]
        c = self.rng.choice((1, 2, 3, 4))
        return str(c), lambda env: c

    def store(self, names):
        """The whole rank, each index mostly a variable; within the array, or nothing happens."""
        at = []
        for d in range(self.rank):
            plain = self.rng.random() < .75
            if plain:
                name = names[d] if d < len(names) and self.rng.random() < .6 else self.rng.choice(names)
                a = Affine(self.rng, [name])
                a.terms, a.c, a.by = [(1, name)], 0, 1
            else:
                a = Affine(self.rng, names)
            at.append(a)
        ext = ["n", "m"][:self.rank]
        texts = [a.text() for a in at]
        inside = " && ".join(f"{t} >= 0 && {t} < {e}" for t, e in zip(texts, ext))
        body = f"if {inside} {{ y[{', '.join(texts)}] = 1; }}"

        def run(env, y, outcome):
            p = tuple(a.value(env) for a in at)
            if all(0 <= v < env[e] for v, e in zip(p, ext)):
                y.add(p)
        return body, run

    def condition(self, names):
        if self.rng.random() < .25:
            key = self.rng.randrange(1 << 30)
            name = names[0]
            return f"u[{name}] > 0", lambda env, outcome: outcome(key, env["i"], env.get("j", 0), env[name])
        a, op, b = Affine(self.rng, names), self.rng.choice(("<", "<=", ">", ">=", "==", "!=")), Affine(self.rng, names + ["n"])
        compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "==": int.__eq__, "!=": int.__ne__}[op]
        return f"{a.text()} {op} {b.text()}", lambda env, outcome: compare(a.value(env), b.value(env))

    def loop(self, names, depth):
        name, (text, hi) = self.name(), self.bound(names)
        step = self.rng.choice((1, 1, 1, 1, 2, -1))
        lo = self.rng.choice((0, 0, 0, 1)) if step > 0 else 0
        body, run = self.block(names + [name], depth - 1, True)
        if step > 0:
            head = f"for {name} in {lo}..{text}" + (f" step {step}" if step > 1 else "")
        else:
            head = f"for {name} in {text}..0 step -1"

        def go(env, y, outcome):
            values = range(lo, hi(env), step) if step > 0 else range(hi(env), 0, -1)
            for v in values:
                run({**env, name: v}, y, outcome)
        return f"{head} {{ {body} }}", go

    def branch(self, names, depth, loops):
        text, holds = self.condition(names)
        then, run_then = self.block(names, depth - 1, loops)
        if self.rng.random() < .2:
            then, run_then = "return;", None
        other, run_other = self.block(names, depth - 1, loops) if self.rng.random() < .5 and run_then else ("", None)

        def go(env, y, outcome):
            if holds(env, outcome):
                if not run_then:
                    raise Returned
                run_then(env, y, outcome)
            elif run_other:
                run_other(env, y, outcome)
        return f"if {text} {{ {then} }}" + (f" else {{ {other} }}" if run_other else ""), go

    def let(self, names):
        name, a = self.name(), Affine(self.rng, names)
        return name, f"let {name} = {a.text()};", lambda env: {**env, name: a.value(env)}

    def call(self, names):
        """A function that stores at its parameters."""
        params = ["p", "q"][:self.rank]
        body, run = self.store(params)
        name = f"f{self.number}_{len(self.functions)}"
        shape = ", ".join(["n", "m"][:self.rank])
        self.functions.append(f"fn {name}(y: &out [i32; {shape}], {', '.join(f'{p}: index' for p in params)}) {{ {body} }}")
        at = [Affine(self.rng, [self.rng.choice(names)]) for _ in params]

        def go(env, y, outcome):
            run({**env, **{p: a.value(env) for p, a in zip(params, at)}}, y, outcome)
        return f"{name}(&out y, {', '.join(a.text() for a in at)});", go

    def block(self, names, depth, loops=False):
        texts, runs, names = [], [], list(names)
        for _ in range(self.rng.choice((1, 1, 2))):
            kind = self.rng.random()
            if kind < .2 and depth:
                text, run = self.loop(names, depth)
            elif kind < .4 and depth:
                text, run = self.branch(names, depth, loops)
            elif kind < .5:
                name, text, set_ = self.let(names)
                texts.append(text)
                runs.append(("let", set_))
                names.append(name)
                continue
            elif kind < .6:
                text, run = self.call(names)
            else:
                text, run = self.store(names)
            texts.append(text)
            runs.append(("run", run))
        if all(k == "let" for k, _ in runs):
            text, run = self.store(names)
            texts.append(text)
            runs.append(("run", run))

        def go(env, y, outcome):
            for k, run in runs:
                if k == "let":
                    env = run(env)
                else:
                    run(env, y, outcome)
        return " ".join(texts), go

    def kernel(self):
        axes = ["i", "j"][:self.rank if self.rng.random() < .8 else 1]
        names = axes + ([f"{a}.{what}" for a in axes for what in ("local", "group")] if self.group else [])
        ends = [["n", "m"][d] for d in range(len(axes))]
        step = self.rng.choice((1, 1, 1, 1, 2)) if not self.group else 1
        body, run = self.block(names, 2)
        over = ", ".join(f"{a} in " + (f"0..{e} step {step}" if step > 1 else e) for a, e in zip(axes, ends))
        ends_early = self.rng.random() < .5  # else all items of a group run
        if self.group:
            over = ", ".join(f"{a} in {e} by {self.group}" for a, e in zip(axes, ends))
            body = f"if inside {{ {body} }}" if ends_early else body

        def items(end):
            by = 1 if ends_early or not self.group else self.group
            return range(0, (end + by - 1) // by * by, step)
        shape = ", ".join(["n", "m"][:self.rank])
        text = "\n".join(self.functions + [
            f"kernel k{self.number}(u: &[i32; _], y: &out [i32; {shape}]) over {over} {{ {body} }}"])

        def written(n, m, outcome):
            y = set()
            for p in itertools.product(*(items({"n": n, "m": m}[e]) for e in ends)):
                env = {"n": n, "m": m, **dict(zip(axes, p))}
                for a, v in zip(axes, p):
                    if self.group:
                        env[f"{a}.local"], env[f"{a}.group"] = v % self.group, v // self.group
                try:
                    run(env, y, outcome)
                except Returned:
                    pass
            return y
        return text, written


def outcome_of(seed):
    return lambda *key: hash((seed, *key)) & 8 != 0


def is_whole(written, rank):
    for n, m in itertools.product(SIZES, SIZES if rank == 2 else (1,)):
        for seed in range(OUTCOMES):
            if len(written(n, m, outcome_of(seed))) != (n * m if rank == 2 else n):
                return False
    return True


def proven_in(kdslc, kernels):
    """For each of these texts: has its kernel no W0501?"""
    lines, last = [], []
    for text in kernels:
        lines += text.split("\n")
        last.append(len(lines))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.kdsl"
        source.write_text("\n".join(lines + ["fn main() { }\n"]))
        done = subprocess.run([kdslc, "check", source], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the kernels do not compile:\n{done.stderr[:3000]}")
    said = {int(line.split(":")[1]) for line in done.stderr.splitlines() if "warning[W0501]" in line}
    return [line not in said for line in last]


def tried(kdslc, seed, number):
    """Of `number` kernels: how many write everything, how many of these are proven; the wrong and the missed."""
    rng = random.Random(seed)
    made = []
    for k in range(number):
        maker = Maker(rng, k)
        made.append((maker, *maker.kernel()))
    wrong, missed, whole = [], [], 0
    for first in range(0, number, BATCH):
        batch = made[first:first + BATCH]
        for (maker, text, written), proof in zip(batch, proven_in(kdslc, [text for _, text, _ in batch])):
            truth = is_whole(written, maker.rank)
            whole += truth
            if truth and not proof:
                missed.append(text)
            if proof and not truth:
                wrong.append(text)
    print(f"seed {seed}: {number} kernels, {whole} write every element, {whole - len(missed)} of these proven; "
          f"{len(wrong)} proofs are wrong")
    for what, texts in (("wrong", wrong), ("not proven", missed)):
        for text in texts[:5]:
            print(f"{what}: {text}")
    return not wrong and whole - len(missed) >= PROVEN * whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kdslc")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kernels", type=int, default=300)
    args = parser.parse_args()
    seeds = [args.seed] if args.seed else parts.first(range(1, 9), 1)
    if not all([tried(args.kdslc, seed, args.kernels) for seed in seeds]):
        sys.exit(1)


if __name__ == "__main__":
    main()
