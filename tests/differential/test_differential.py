#!/usr/bin/env python3
"""Random programs, each result computed several ways: tests/differential/test_differential.py KDSLC [options]

A body of a few statements over the scalar core of the language is made as source text and, beside it, as a Python
function. The text runs as a host function, as a kernel, as a device function called by a kernel and, for integers, as
a sum over the domain; compiled at -O0 and at -O2; with the device and with OMP_TARGET_OFFLOAD=disabled; and executed on its tree (interp/).
Every number must be the same everywhere, and be what Python says. Every fourth program is compiled with --fp=strict.

Options: --seed N (first program; each program is made from its own number), --seconds S (stop after), --programs N
(stop after), --keep (leave a failing program in the current folder). The same seed makes the same program. The quick
part of the suite has the first program, the exhaustive one as many others as it has time for."""
import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from arithmetic import ARITHMETIC, FLOATS, INTS, larger, rounded, smaller, wrap  # noqa: E402
from expressions import Maker, Node, float_sum  # noqa: E402

ROWS, BODIES, INPUTS = 19, 14, 3
QUICK = 1
TIMEOUT_S = 120
HAS_FMA = " fma " in Path("/proc/cpuinfo").read_text() # or else code is strict


class Body:
    """Statements: inputs, a loop that changes `v`, a result. `run` is the same in Python, for work item i."""

    def __init__(self, seed):
        m = self.maker = Maker(seed)
        r = m.random
        self.input_types = [m.any_type() for _ in range(INPUTS)]
        self.inputs = [[m.number(t) for _ in range(ROWS)] for t in self.input_types]
        self.picks = [(1, 0)] + [(r.randrange(1, ROWS), r.randrange(ROWS)) for _ in range(INPUTS - 1)]
        m.variables = [(f"a{k}", t) for k, t in enumerate(self.input_types)]
        self.constants(seed)
        self.v_type, self.type = m.any_type(), m.any_type()
        self.start = m.expression(self.v_type, 2)
        m.variables += [("v", self.v_type), ("j", "i64")]
        self.lo, self.hi, self.step = r.randint(-3, 3), r.randint(-2, 9), r.choice([1, 1, 2, 3])
        self.skip, self.leave, self.update = (m.expression(t, 3) for t in ("bool", "bool", self.v_type))
        self.compound = r.choice(["=", "+=", "-=", "*=", "min=", "max="])
        m.variables.pop()
        self.result = m.expression(self.type, 4)

    def constants(self, seed):
        """An array constant of one or two dimensions, of which `w` is an element."""
        m = self.maker
        self.table, self.table_type = f"W{seed}", m.any_type()
        self.rows, self.columns = m.random.choice([(1, 1), (1, 5), (1, 7), (2, 3), (4, 2)])
        numbers = (m.number(self.table_type) for _ in range(1000))
        self.elements = [v for v in numbers if math.isfinite(v)][:self.rows * self.columns]
        m.variables.append(("w", self.table_type))

    def constant_text(self):
        rows = [list_text(self.table_type, self.elements[r * self.columns:(r + 1) * self.columns]) for r in range(self.rows)]
        extents = f"{self.rows}, {self.columns}" if self.rows > 1 else f"{self.columns}"
        value = f"[{', '.join(rows)}]" if self.rows > 1 else rows[0]
        return f"const {self.table}: [{self.table_type}; {extents}] = {value};\n"

    def text(self):
        row = f"i % {self.rows}, " if self.rows > 1 else ""
        lines = [f"let w = {self.table}[{row}(i * 3 + 1) % {self.columns}];"]
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

    def updated(self, old, new, env):
        t = self.v_type
        if t in FLOATS and self.compound in ("+=", "-="):
            return float_sum(t, self.compound[0], Node("v", t, lambda env: old), self.update)(env)
        if self.compound == "=":
            return new
        if self.compound in ("min=", "max="):
            least = self.compound == "min="
            return (smaller if least else larger)(old, new) if t in FLOATS else (min if least else max)(old, new)
        v = ARITHMETIC[self.compound[0]](old, new)
        return rounded(t, v) if t in FLOATS else wrap(t, v)

    def run(self, i, strict):
        env = {"strict": strict}
        env |= {f"a{k}": self.inputs[k][(i * scale + shift) % ROWS] for k, (scale, shift) in enumerate(self.picks)}
        env["w"] = self.elements[i % self.rows * self.columns + (i * 3 + 1) % self.columns]
        env["v"] = self.start.worth(env)
        for j in range(self.lo, self.hi, self.step):
            env["j"] = j
            if self.skip.worth(env):
                continue
            env["v"] = self.updated(env["v"], self.update.worth(env), env)
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
    constants = "".join(body.constant_text() for body in bodies)
    return constants + "".join(functions + main) + f"fn main() {{\n{calls}}}\n"


# Running and judging --------------------------------------------------------------------------------------------------

class Wrong(Exception):
    pass


def run(command, **env):
    words = " ".join(map(str, command))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S,
                              env={**os.environ, "KMP_BLOCKTIME": "0", **env})
    except subprocess.TimeoutExpired:
        raise Wrong(f"{words} did not end within {TIMEOUT_S} s")
    if done.returncode:
        raise Wrong(f"{words} ended with {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done.stdout


def same(t, value, text):
    if t in INTS:
        return text == str(value)
    if math.isnan(value) or text == "nan":
        return math.isnan(value) and text == "nan"
    got = rounded(t, float(text))
    return got == value and math.copysign(1, got) == math.copysign(1, value)


def judge(bodies, output, strict):
    lines = iter(output.splitlines())
    for k, body in enumerate(bodies):
        values = [body.run(i, strict) for i in range(ROWS)]
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
    outputs, strict = {}, seed % 4 == 0 or not HAS_FMA
    for level in ("-O2", "-O0"):
        program = source.with_suffix("." + level[1:])
        run([kdslc, level, "--fp=strict" if strict else "--fp=fused", source, "-o", program])
        outputs[level, "device"] = run([program])
        outputs[level, "host"] = run([program], OMP_TARGET_OFFLOAD="disabled")
        judge(bodies, outputs[level, "device"], strict)
    outputs["tree", "interpreter"] = run([kdslc, "interpret", "--fp=strict" if strict else "--fp=fused", source])
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
    if parts.PART == "quick":
        options.programs = QUICK
    elif parts.PART == "exhaustive":
        options.seed += QUICK
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
