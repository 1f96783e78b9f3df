#!/usr/bin/env python3
"""Random programs, each result computed several ways: tests/differential/test_differential.py KDSLC [options]

A body of a few statements over the scalar core of the language is made as source text and, beside it, as a Python
function. The text runs as a host function, as a kernel, as a device function called by a kernel and, for integers, as
a sum over the domain; compiled at -O0 and at -O2; with the device and with OMP_TARGET_OFFLOAD=disabled. Every number
must be the same everywhere, and be what Python says.

Options: --seed N (first program; each program is made from its own number), --seconds S (stop after), --programs N
(stop after), --keep (leave a failing program in the current folder). The same seed makes the same program."""
import argparse
import ctypes
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["u8", "u16", "u32", "u64"]
INTS, FLOATS = SIGNED + UNSIGNED, ["f32", "f64"]
ROWS, BODIES, INPUTS = 19, 14, 3


def bits(t):
    return int(t[1:])


def widens(a, b):
    """Does every value of a survive in b?"""
    if a in FLOATS or b == "bool" or a == "bool":
        return a == b or (a, b) == ("f32", "f64")
    if b in FLOATS:
        return bits(a) <= (16 if b == "f32" else 32)
    return a == b or bits(a) < bits(b) and (a[0] == "u" or b[0] == "i")


# Arithmetic as the language defines it --------------------------------------------------------------------------------

def limits(t):
    return (0, 2 ** bits(t) - 1) if t[0] == "u" else (-2 ** (bits(t) - 1), 2 ** (bits(t) - 1) - 1)


def wrap(t, v):
    lo, hi = limits(t)
    return (v - lo) % (hi - lo + 1) + lo


def rounded(t, v):
    return ctypes.c_float(v).value if t == "f32" else v


def int_to_float(t, v):
    """Rounded once: what does not fit in a double is cut with a sticky bit first."""
    cut = max(0, abs(v).bit_length() - 50)
    if t == "f64" or not cut:
        return rounded(t, float(v))
    kept = abs(v) >> cut | (abs(v) & (1 << cut) - 1 != 0)
    return rounded(t, math.copysign(math.ldexp(kept, cut), v))


def convert(to, t, v):
    if to == "bool":
        return v != 0
    if to in FLOATS:
        return rounded(to, v) if t in FLOATS else int_to_float(to, int(v))
    if t not in FLOATS:
        return wrap(to, int(v))
    lo, hi = limits(to)
    return 0 if math.isnan(v) else lo if v <= lo else hi if v >= hi else int(v)


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def float_divide(a, b):
    if b != 0 or math.isnan(a):
        return a / b if b != 0 else a
    return math.nan if a == 0 else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def float_remainder(a, b):
    return math.nan if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b) else math.fmod(a, b)


def smaller(a, b):
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=lambda v: (v, math.copysign(1, v)))


def larger(a, b):
    return -smaller(-a, -b)


def fused(a, b, c):
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.copysign(math.inf, exact)


def half_away(v):
    if not math.isfinite(v) or abs(v) >= 2 ** 52:
        return v
    whole = math.trunc(v)
    return math.copysign(abs(whole) + (abs(v - whole) >= 0.5), v)


def whole(function):
    return lambda v: math.copysign(function(v), v) if math.isfinite(v) else v


ARITHMETIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
BITWISE = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
UNARY_MATH = {"sqrt": lambda v: v if v == 0 else math.sqrt(v) if v > 0 else math.nan, "floor": whole(math.floor),
              "ceil": whole(math.ceil), "trunc": whole(math.trunc), "round": half_away, "abs": abs}


def int_operation(op, t):
    return {**ARITHMETIC, **BITWISE, "/": truncated, "%": lambda a, b: a - b * truncated(a, b),
            "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b}[op]


# Programs -------------------------------------------------------------------------------------------------------------

class Node:
    """An expression: its text, its type, what it is worth given the variables; `known`: made of literals only."""

    def __init__(self, text, type_, worth, known=False):
        self.text, self.type, self.worth, self.known = text, type_, worth, known


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = []

    def any_type(self):
        return self.random.choice(INTS * 2 + FLOATS * 3)

    def number(self, t):
        """A value worth trying."""
        if t in INTS:
            lo, hi = limits(t)
            return self.random.choice([lo, hi, lo + 1, hi - 1, 0, 1, max(lo, -1), 2, 7, self.random.randint(lo, hi),
                                       self.random.randint(max(lo, -100), min(hi, 100))])
        return rounded(t, self.random.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e10, -1e19, 1e-40, 3e38, 255.5, math.inf, math.nan,
                                              self.random.uniform(-300, 300), self.random.gauss(0, 1e5)]))

    def literal(self, t):
        if t in INTS:
            v = self.random.randint(0, min(limits(t)[1], 300))
            return Node(f"{v}{t}", t, lambda env: v, True)
        v = self.random.choice([0.5, 2.0, 3.25, 100.0, 1e-3])
        v = rounded(t, v)
        return Node(f"{v!r}{t}", t, lambda env: v, True)

    def leaf(self, t):
        mine = [name for name, type_ in self.variables if type_ == t]
        if t == "bool":
            a, b = self.leaf("i32"), self.leaf("i32")
            return Node(f"({a.text} < {b.text})", t, lambda env: a.worth(env) < b.worth(env))
        if mine and self.random.random() < 0.8:
            name = self.random.choice(mine)
            return Node(name, t, lambda env: env[name])
        if not self.variables or self.random.random() < 0.4:
            return self.literal(t)
        name, type_ = self.random.choice(self.variables)
        return Node(f"{t}({name})", t, lambda env: convert(t, type_, env[name]))

    def expression(self, t, depth):
        if depth == 0 or self.random.random() < 0.12:
            return self.leaf(t)
        how = self.random.random()
        if how < 0.12:
            return self.choice(t, depth - 1)
        if t == "bool":
            return self.condition(depth - 1)
        if how < 0.24:
            return self.conversion(t, depth - 1)
        if how < 0.36:
            return self.min_max(t, depth - 1)
        return self.integer(t, depth - 1) if t in INTS else self.floating(t, depth - 1)

    def unknown(self, node):
        """Not a constant: those are computed by the compiler, which refuses the ones that overflow."""
        if not node.known:
            return node
        name, type_ = self.random.choice([v for v in self.variables if v[1] != "bool"])
        to = node.type
        return Node(f"{to}({name})", to, lambda env: convert(to, type_, env[name]))

    def choice(self, t, depth):
        c, a, b = self.expression("bool", depth), self.expression(t, depth), self.expression(t, depth)
        return Node(f"(if {c.text} {{ {a.text} }} else {{ {b.text} }})", t,
                    lambda env: a.worth(env) if c.worth(env) else b.worth(env))

    def conversion(self, t, depth):
        from_ = self.random.choice(INTS + FLOATS + ["bool"] * (t in INTS))
        a = self.unknown(self.expression(from_, depth))
        return Node(f"{t}({a.text})", t, lambda env: convert(t, from_, a.worth(env)))

    def min_max(self, t, depth):
        a, b, c = (self.unknown(self.expression(t, depth)) for _ in range(3))
        name = self.random.choice(["min", "max", "clamp", "abs"])
        if name == "clamp":
            return Node(f"clamp({a.text}, {b.text}, {c.text})", t,
                        lambda env: smaller(larger(a.worth(env), b.worth(env)), c.worth(env)) if t in FLOATS
                        else min(max(a.worth(env), b.worth(env)), c.worth(env)))
        if name == "abs":
            return Node(f"abs({a.text})", t, lambda env: abs(a.worth(env)) if t in FLOATS else wrap(t, abs(a.worth(env))))
        f = {"min": smaller, "max": larger}[name] if t in FLOATS else {"min": min, "max": max}[name]
        return Node(f"{name}({a.text}, {b.text})", t, lambda env: f(a.worth(env), b.worth(env)))

    def narrower(self, t, depth):
        """An expression of t, or of a type that becomes t by itself."""
        types = [s for s in INTS + FLOATS if widens(s, t)]
        s = t if self.random.random() < 0.7 else self.random.choice(types)
        a = self.expression(s, depth)
        return Node(a.text, s, lambda env: convert(t, s, a.worth(env)), a.known)

    def integer(self, t, depth):
        op = self.random.choice(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "-x", "~x"])
        a = self.unknown(self.expression(t, depth))
        if op == "-x":
            return Node(f"(-{a.text})", t, lambda env: wrap(t, -a.worth(env)))
        if op == "~x":
            return Node(f"(~{a.text})", t, lambda env: wrap(t, ~a.worth(env)))
        f = int_operation(op, t)
        if op in ("<<", ">>"):
            n = self.unknown(self.expression(self.random.choice(INTS), depth))
            mask = self.random.choice([3, bits(t) - 1])
            return Node(f"({a.text} {op} ({n.text} & {mask}))", t, lambda env: wrap(t, f(a.worth(env), n.worth(env) & mask)))
        if op in ("/", "%"):
            if self.random.random() < 0.3:
                k = self.random.choice([1, 2, 3, 7, 10, 16, 100])
                return Node(f"({a.text} {op} {k})", t, lambda env: wrap(t, f(a.worth(env), k)))
            b = self.unknown(self.expression(t, depth))
            return Node(f"({a.text} {op} ({b.text} | 1))", t, lambda env: wrap(t, f(a.worth(env), b.worth(env) | 1)))
        b = self.narrower(t, depth)
        left, right = (b, a) if self.random.random() < 0.5 else (a, b)
        return Node(f"({left.text} {op} {right.text})", t, lambda env: wrap(t, f(left.worth(env), right.worth(env))))

    def floating(self, t, depth):
        a, b = self.unknown(self.expression(t, depth)), self.narrower(t, depth)
        op = self.random.choice(["+", "-", "*", "/", "%", "-x", "call", "fma", "copysign"])
        if op == "-x":
            return Node(f"(-{a.text})", t, lambda env: -a.worth(env))
        if op == "call":
            name = self.random.choice(list(UNARY_MATH))
            return Node(f"{name}({a.text})", t, lambda env: rounded(t, UNARY_MATH[name](a.worth(env))))
        if op == "copysign" or (op == "fma" and t == "f32"):
            b = self.expression(t, depth) # no NaN on the right: the sign of one is not defined
            return Node(f"copysign({a.text}, {t}(i32({b.text})))", t,
                        lambda env: math.copysign(a.worth(env), convert("i32", t, b.worth(env))))
        if op == "fma":
            b, c = self.unknown(self.expression(t, depth)), self.unknown(self.expression(t, depth))
            return Node(f"fma({a.text}, {b.text}, {c.text})", t, lambda env: fused(a.worth(env), b.worth(env), c.worth(env)))
        f = {**ARITHMETIC, "/": float_divide, "%": float_remainder}[op]
        left, right = (b, a) if self.random.random() < 0.5 else (a, b)
        return Node(f"({left.text} {op} {right.text})", t, lambda env: rounded(t, f(left.worth(env), right.worth(env))))

    def condition(self, depth):
        how = self.random.choice(["compare", "compare", "compare", "&&", "||", "!", "nan"])
        if how == "compare":
            t, op = self.any_type(), self.random.choice(list(COMPARE))
            a, b = self.unknown(self.expression(t, depth)), self.narrower(t, depth)
            return Node(f"({a.text} {op} {b.text})", "bool", lambda env: COMPARE[op](a.worth(env), b.worth(env)))
        if how == "nan":
            a = self.unknown(self.expression(self.random.choice(FLOATS), depth))
            return Node(f"isnan({a.text})", "bool", lambda env: math.isnan(a.worth(env)))
        a, b = self.expression("bool", depth), self.expression("bool", depth)
        if how == "!":
            return Node(f"(!{a.text})", "bool", lambda env: not a.worth(env))
        if how == "&&":
            return Node(f"({a.text} && {b.text})", "bool", lambda env: a.worth(env) and b.worth(env))
        return Node(f"({a.text} || {b.text})", "bool", lambda env: a.worth(env) or b.worth(env))


class Body:
    """Statements: inputs, a loop that changes `v`, a result. `run` is the same in Python, for work item i."""

    def __init__(self, seed):
        m = self.maker = Maker(seed)
        r = m.random
        self.input_types = [m.any_type() for _ in range(INPUTS)]
        self.inputs = [[m.number(t) for _ in range(ROWS)] for t in self.input_types]
        self.picks = [(1, 0)] + [(r.randrange(1, ROWS), r.randrange(ROWS)) for _ in range(INPUTS - 1)]
        m.variables = [(f"a{k}", t) for k, t in enumerate(self.input_types)]
        self.v_type, self.type = m.any_type(), m.any_type()
        self.start = m.expression(self.v_type, 2)
        m.variables += [("v", self.v_type), ("j", "i64")]
        self.lo, self.hi, self.step = r.randint(-3, 3), r.randint(-2, 9), r.choice([1, 1, 2, 3])
        self.skip, self.leave, self.update = (m.expression(t, 3) for t in ("bool", "bool", self.v_type))
        self.compound = r.choice(["=", "+=", "*=", "min=", "max="])
        m.variables.pop()
        self.result = m.expression(self.type, 4)

    def text(self):
        lines = []
        for k, (scale, shift) in enumerate(self.picks):
            index = "i" if k == 0 else f"(i * {scale} + {shift}) % n"
            lines.append(f"let a{k} = x{k}[{index}];")
        step = f" step {self.step}" if self.step > 1 else ""
        lines += [f"var v: {self.v_type} = {self.start.text};",
                  f"for j in {self.lo}i64..{self.hi}{step} {{",
                  f"    if {self.skip.text} {{ continue; }}",
                  f"    v {self.compound} {self.update.text};",
                  f"    if {self.leave.text} {{ break; }}",
                  "}",
                  f"let result: {self.type} = {self.result.text};"]
        return "".join(f"    {line}\n" for line in lines)

    def updated(self, old, new):
        t = self.v_type
        if self.compound == "=":
            return new
        if self.compound in ("min=", "max="):
            least = self.compound == "min="
            return (smaller if least else larger)(old, new) if t in FLOATS else (min if least else max)(old, new)
        v = ARITHMETIC[self.compound[0]](old, new)
        return rounded(t, v) if t in FLOATS else wrap(t, v)

    def run(self, i):
        env = {f"a{k}": self.inputs[k][(i * scale + shift) % ROWS] for k, (scale, shift) in enumerate(self.picks)}
        env["v"] = self.start.worth(env)
        for j in range(self.lo, self.hi, self.step):
            env["j"] = j
            if self.skip.worth(env):
                continue
            env["v"] = self.updated(env["v"], self.update.worth(env))
            if self.leave.worth(env):
                break
        return self.result.worth(env)


def list_text(t, values):
    return "[" + ", ".join(f"{v}" if math.isfinite(v) else f'{t}("{v}")' for v in values) + "]"


def program_text(bodies):
    functions, main = [], []
    for k, body in enumerate(bodies):
        arrays = ", ".join(f"x{x}: &[{t}; n]" for x, t in enumerate(body.input_types))
        given = ", ".join(f"&x{x}" for x in range(INPUTS))
        text, t = body.text(), body.type
        functions.append(
            f"fn f{k}({arrays}, i: index) -> {t} {{\n{text}    return result;\n}}\n"
            f"kernel k{k}({arrays}, r: &out [{t}; n]) over i in n {{\n{text}    r[i] = result;\n}}\n"
            f"kernel c{k}({arrays}, r: &out [{t}; n]) over i in n {{\n    r[i] = f{k}({given}, i);\n}}\n"
            f"kernel s{k}({arrays}) over i in n -> sum {t} {{\n{text}    return result;\n}}\n")
        lists = "".join(f"    let x{x}: [{t_}; _] = {list_text(t_, body.inputs[x])};\n"
                        for x, t_ in enumerate(body.input_types))
        zero = f"{t}(0)"
        main.append(f"fn body{k}() {{\n{lists}    var r = [{zero}; {ROWS}];\n    var c = [{zero}; {ROWS}];\n"
                    f"    offload k{k}({given}, &out r);\n    offload c{k}({given}, &out c);\n"
                    f"    for i in {ROWS} {{ print(\"{k} {{}} {{}} {{}} {{}}\", i, f{k}({given}, i), r[i], c[i]); }}\n"
                    f"    print(\"{k} sum {{}}\", offload s{k}({given}));\n}}\n")
    calls = "".join(f"    body{k}();\n" for k in range(len(bodies)))
    return "".join(functions + main) + f"fn main() {{\n{calls}}}\n"


# Running and judging --------------------------------------------------------------------------------------------------

class Wrong(Exception):
    pass


def run(command, **env):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "KMP_BLOCKTIME": "0", **env})
    if done.returncode:
        raise Wrong(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done.stdout


def same(t, value, text):
    if t in INTS:
        return text == str(value)
    if math.isnan(value) or text == "nan":
        return math.isnan(value) and text == "nan"
    got = rounded(t, float(text))
    return got == value and math.copysign(1, got) == math.copysign(1, value)


def judge(bodies, output):
    lines = iter(output.splitlines())
    for k, body in enumerate(bodies):
        values = [body.run(i) for i in range(ROWS)]
        for i, value in enumerate(values):
            got = next(lines).split()[2:]
            if not all(same(body.type, value, text) for text in got):
                raise Wrong(f"body {k}, item {i}: Python {value!r}, host, kernel, device function: {got}")
        total = next(lines).split()[2]
        if body.type in INTS and total != str(wrap(body.type, sum(values))):
            raise Wrong(f"body {k}: the sum is {wrap(body.type, sum(values))}, the kernel says {total}")


def one_program(kdslc, seed, folder):
    bodies = [Body(seed * BODIES + k) for k in range(BODIES)]
    source = Path(folder) / f"differential-{seed}.kdsl"
    source.write_text(program_text(bodies))
    outputs = {}
    for level in ("-O2", "-O0"):
        program = source.with_suffix("." + level[1:])
        run([kdslc, level, source, "-o", program])
        outputs[level, "device"] = run([program])
        outputs[level, "host"] = run([program], OMP_TARGET_OFFLOAD="disabled")
        judge(bodies, outputs[level, "device"])
    first = outputs["-O2", "device"]
    for where, output in outputs.items():
        if output != first:
            pairs = zip(first.splitlines(), output.splitlines())
            raise Wrong(f"{where} differs from -O2 on the device: {next((a, b) for a, b in pairs if a != b)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kdslc", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--programs", type=int, default=10 ** 9)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    started, made, failed = time.monotonic(), 0, 0
    while made < options.programs and (made == 0 or time.monotonic() - started < options.seconds):
        seed = options.seed + made
        made += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                one_program(options.kdslc.resolve(), seed, folder)
            except Wrong as why:
                failed += 1
                print(f"FAILED --seed {seed} --programs 1\n{why}\n", flush=True)
                if options.keep:
                    name = f"differential-{seed}.kdsl"
                    Path(name).write_text((Path(folder) / name).read_text())
    print(f"{made} programs, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
