#!/usr/bin/env python3
"""Which products are rounded with their sums: random sums and products against C, where each fused operation is written
as `fma` by this script, which knows the rule of docs/reference.md, chapter 5, by itself, and compiled without contraction.

test_fused.py KDSLC [options]. Each expression is worked out for all rows of operands (random bits, numbers that nearly
cancel, infinities, NaNs, subnormal numbers, -0) by a host function, by a kernel, as `s += e` in both, for vectors part by
part, and once with constants for operands; all bits must be C's, but those of NaNs. Options: --seed N, --rows N,
--expressions N, --cc "COMMAND" (may be given again; default: gcc and clang-22, whichever is there), --kdslc-flags "FLAGS"
(may be given again: each is compiled and run; default: several levels and processors, of which the quick part of the suite has
-O2 and -O2 --fp=strict), --run "COMMAND" (runs the
programs), --no-division (emulators of GPUs divide numbers near zero in their own way), --keep FOLDER.

The rule is also that of clang's -ffp-contract=on, which works on C without a single `fma`: where clang-22 is, it must find
the same."""
import argparse
import math
import os
import random
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

NAMES = {"f32": "abcd", "f64": "xyzw"}
C_TYPE = {"f32": "float", "f64": "double"}
CONSTANTS = {"f32": [0.5, 3.0, 0.1, 1.000244140625, 1e-3], "f64": [0.5, 3.0, 0.1, 1.0000000074505806, 1e-3]}
TIMEOUT_S = 600


# Expressions: (kind, type, operands...) ------------------------------------------------------------------------------

class Maker:
    def __init__(self, seed, divides):
        self.random = random.Random(seed)
        self.divides = divides

    def leaf(self, t):
        r = self.random.random()
        if r < 0.1:
            return ("number", t, self.random.choice(CONSTANTS[t]))
        if t == "f64" and r < 0.25:
            return ("wide", t, self.make("f32", 1))
        return ("variable", t, self.random.choice(NAMES[t]))

    def make(self, t, depth):
        if depth == 0:
            return self.leaf(t)
        kind = self.random.choices(["+", "-", "*", "neg", "/", "if", "leaf"], [6, 6, 8, 3, self.divides, 1, 2])[0]
        if kind == "leaf":
            return self.leaf(t)
        if kind == "neg":
            return (kind, t, self.make(t, depth - 1))
        if kind == "if":
            return (kind, t, *(self.make(t, d) for d in (0, 0, depth - 1, depth - 1)))
        return (kind, t, self.make(t, depth - 1), self.make(t, depth - 1))

    def expression(self, t):
        """A sum or a difference, so that there is something to fuse."""
        e = self.make(t, self.random.choice([1, 2, 2, 3, 4]))
        return (self.random.choice("+-"), t, e, self.make(t, 2)) if self.random.random() < 0.7 else e


def kdsl(e):
    kind, t, *of = e
    if kind == "variable":
        return of[0]
    if kind == "number":
        return f"{of[0]!r}{t}"
    if kind == "wide":
        return f"f64({kdsl(of[0])})"
    if kind == "neg":
        return f"(-{kdsl(of[0])})"
    if kind == "if":
        return "(if %s < %s { %s } else { %s })" % tuple(map(kdsl, of))
    left, right = map(kdsl, of)
    if (of[0][0], of[1][0]) == ("number", "variable"):  # takes its neighbour's type
        left = repr(of[0][2])
    return f"({left} {kind} {right})"


def product_of(e):
    """The two factors of a product, the first with the signs before it; None: it is none."""
    negated = False
    while e[0] == "neg":
        negated, e = not negated, e[2]
    if e[0] != "*":
        return None
    return (("neg", e[1], e[2]) if negated else e[2]), e[3]


def c_fma(t, a, b, c, strict):
    return f"{'fmaf' if t == 'f32' else 'fma'}({c_text(a, strict)}, {c_text(b, strict)}, {c})"


def c_sum(kind, t, left, right, strict):
    """left and right are expressions, but left may be C's text of what is there already."""
    first = left if isinstance(left, str) else c_text(left, strict)
    if not strict and not isinstance(left, str) and product_of(left):
        return c_fma(t, *product_of(left), ("-" if kind == "-" else "") + c_text(right, strict), strict)
    if not strict and product_of(right):
        a, b = product_of(right)
        return c_fma(t, ("neg", t, a) if kind == "-" else a, b, first, strict)
    return f"({first} {kind} {c_text(right, strict)})"


def c_text(e, strict):
    kind, t, *of = e
    if kind == "variable":
        return of[0]
    if kind == "number":
        return f"({C_TYPE[t]}){of[0]!r}"
    if kind == "wide":
        return f"(double)({c_text(of[0], strict)})"
    if kind == "neg" and of[0][0] == "neg":  # through which clang does not look
        return c_text(of[0][2], strict)
    if kind == "neg":
        return f"(-({c_text(of[0], strict)}))"
    if kind == "if":
        return "(%s < %s ? %s : %s)" % tuple(c_text(o, strict) for o in of)
    if kind in "+-":
        return c_sum(kind, t, *of, strict)
    return f"({c_text(of[0], strict)} {kind} {c_text(of[1], strict)})"


# Programs ------------------------------------------------------------------------------------------------------------

ALL = [(name, t) for t in NAMES for name in NAMES[t]]
PARAMS = ", ".join(f"{name}_: &[{t}; n]" for name, t in ALL)
GIVEN = ", ".join(f"&{name}" for name, _ in ALL)
READ = "".join(f"    let {name} = {name}_[i];\n" for name, _ in ALL)


def of_vectors(e):
    """All in vectors of four, which need one type and nothing to compare."""
    return e[0] not in ("if", "wide") and all(of_vectors(o) for o in e[2:] if isinstance(o, tuple))


def kdsl_program(expressions, rows, constants):
    out, main = [], []
    for k, e in enumerate(expressions):
        t, text = e[1], kdsl(e)
        body = f"{READ}    r[i, 0] = {text};\n    var s = {NAMES[t][0]};\n    s += {text};\n    s -= {text};\n    r[i, 1] = s;\n"
        out.append(f"fn h{k}({PARAMS}, r: &mut [{t}; n, 2]) {{\n    for i in n {{\n{body}    }}\n}}\n"
                   f"kernel k{k}({PARAMS}, r: &mut [{t}; n, 2]) over i in n {{\n{body}}}\n")
        lets = "".join(f"    let {name}: {ty} = {constants[name]!r};\n" for name, ty in ALL)
        out.append(f"fn c{k}(r: &mut [{t}; 1]) {{\n{lets}    r[0] = {text};\n}}\n")
        main.append(f"    var r{k} = [{t}(0); {rows}, 2];\n    var c{k}_ = [{t}(0); 1];\n"
                    f"    h{k}({GIVEN}, &mut r{k});\n    append_file(args()[1], &r{k});\n"
                    f"    r{k} = [{t}(0); {rows}, 2];\n"
                    f"    offload k{k}({GIVEN}, &mut r{k});\n    append_file(args()[1], &r{k});\n"
                    f"    c{k}(&mut c{k}_);\n    append_file(args()[1], &c{k}_);\n")
        if of_vectors(e):
            four = "".join(f"    let {n} = {ty}x4({', '.join(f'{n}_[4 * i + {p}]' for p in range(4))});\n"
                           for n, ty in ALL if ty == t)
            store = "".join(f"    r[4 * i + {p}] = v.{'xyzw'[p]};\n" for p in range(4))
            taken = ", ".join(f"{n}_: &[{ty}; m]" for n, ty in ALL if ty == t)
            vector = text if any(f"{n}" in text for n in NAMES[t]) else f"{t}x4({text})"
            out.append(f"kernel v{k}({taken}, r: &mut [{t}; m]) over i in m / 4 {{\n{four}    let v: {t}x4 = {vector};\n{store}}}\n")
            given = ", ".join(f"&{n}" for n, ty in ALL if ty == t)
            main.append(f"    var v{k}_ = [{t}(0); {rows}];\n    offload v{k}({given}, &mut v{k}_);\n"
                        f"    append_file(args()[1], &v{k}_);\n")
    reads, at = "", 0
    for name, t in ALL:
        reads += f"    var {name} = [{t}(0); {rows}];\n    read_array(args()[0], {at}, &mut {name});\n"
        at += rows * (4 if t == "f32" else 8)
    parts = "".join(f"fn part{k}({PARAMS}) {{\n{text}}}\n" for k, text in enumerate(group_by_function(main)))
    calls = "".join(f"    part{k}({GIVEN});\n" for k in range(len(group_by_function(main))))
    parts = parts.replace(PARAMS, ", ".join(f"{name}: &[{t}; n]" for name, t in ALL))
    return "".join(out) + parts + f'fn main() {{\n{reads}    write_file(args()[1], "");\n{calls}}}\n'


def group_by_function(main):
    return ["".join(main[i:i + 8]) for i in range(0, len(main), 8)]


def c_program(expressions, rows, constants, strict):
    out = ["#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
           *(f"static {C_TYPE[t]} {name}_[{rows}];\n" for name, t in ALL)]
    main = []
    read = "".join(f"        {C_TYPE[t]} {name} = {name}_[i]; (void){name};\n" for name, t in ALL)
    lets = "".join(f"    volatile {C_TYPE[t]} {name} = ({C_TYPE[t]}){constants[name]!r}; (void){name};\n" for name,
                   t in ALL)
    for k, e in enumerate(expressions):
        t, text = e[1], c_text(e, strict)
        c, s = C_TYPE[t], NAMES[t][0]
        out.append(f"static void f{k}(FILE *o) {{\n    static {c} r[{rows}][2], v[{rows}];\n    for (int i = 0; i < {rows}; i++) {{\n{read}"
                   f"        {c} s = {s};\n        r[i][0] = v[i] = {text};\n        s = {c_sum('+', t, 's', e, strict)};\n"
                   f"        s = {c_sum('-', t, 's', e, strict)};\n        r[i][1] = s;\n    }}\n"
                   f"    fwrite(r, sizeof r, 1, o);\n    fwrite(r, sizeof r, 1, o);\n"
                   f"{lets}    {c} known = {text};\n    fwrite(&known, sizeof known, 1, o);\n"
                   + (f"    fwrite(v, sizeof v, 1, o);\n" if of_vectors(e) else "") + "}\n")
        main.append(f"    f{k}(o);\n")
    reads = "".join(f"    if (fread({name}_, sizeof {name}_, 1, in) != 1) return 1;\n" for name, _ in ALL)
    return "".join(out) + ("int main(int n, char **args) {\n    FILE *in = fopen(args[1], \"rb\"), *o = fopen(args[2], \"wb\");\n"
                           f"    if (n < 3 || !in || !o) return 1;\n{reads}{''.join(main)}    return fclose(o);\n}}\n")


# Operands ------------------------------------------------------------------------------------------------------------

def operand(r, t):
    code, bits = ("f", 32) if t == "f32" else ("d", 64)
    how = r.random()
    if how < 0.25:  # any bits: huge, tiny, NaN now and then
        return r.getrandbits(bits).to_bytes(bits // 8, "little")
    if how < 0.35:
        least = struct.unpack("<" + code, (1).to_bytes(bits // 8, "little"))[0]
        v = r.choice([0.0, -0.0, math.inf, -math.inf, math.nan, least, -least, least * r.randrange(1, 1 << 20), 1.0,
                      -1.0])
    elif how < 0.75:  # few bits: sums that nearly cancel
        v = r.choice([1, -1]) * (1 + r.randrange(1 << 6) * 2.0 ** -(12 if t == "f32" else 27)) * 2.0 ** r.randrange(-1,
                                                                                                                    2)
    else:
        v = r.choice([1, -1]) * math.ldexp(1 + r.random(), r.randrange(-30, 30))
    return struct.pack("<" + code, v)


def operands(seed, rows):
    r = random.Random(seed)
    return b"".join(b"".join(operand(r, t) for _ in range(rows)) for _, t in ALL)


# Judging -------------------------------------------------------------------------------------------------------------

class Wrong(Exception):
    pass


def run(command, **env):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT_S,
                          env={**os.environ, "KMP_BLOCKTIME": "0", **env})
    if done.returncode:
        raise Wrong(f"{' '.join(map(str, command))}\nended with {done.returncode}\n{done.stdout[-800:]}{done.stderr[-2000:]}")
    return done.stdout


def shapes(expressions, rows):
    """What the output has, in order: which expression, worked out where, type, how many."""
    for e in expressions:
        for where, n in [("host", 2 * rows), ("kernel", 2 * rows), ("constants", 1)] + [("vectors",
                                                                                         rows)] * of_vectors(e):
            yield e, where, e[1], n


def differences(expressions, rows, want, got, inputs):
    if len(want) != len(got):
        raise Wrong(f"{len(got)} bytes instead of {len(want)}")
    at, n_differ = 0, 0
    for e, where, t, n in shapes(expressions, rows):
        size = 4 if t == "f32" else 8
        a, b = want[at:at + n * size], got[at:at + n * size]
        at += n * size
        if a == b:
            continue
        code = f"<{n}{'f' if t == 'f32' else 'd'}"
        for k, (x, y) in enumerate(zip(struct.unpack(code, a), struct.unpack(code, b))):
            same = a[k * size:k * size + size] == b[k * size:k * size + size] or (math.isnan(x) and math.isnan(y))
            if same:
                continue
            row = k // 2 if where in ("host", "kernel") else k
            if not n_differ:
                first = f"{kdsl(e)}: {where}, row {row}{' (s += e; s -= e)' * (where != 'vectors' and k % 2)}: C {x!r}, KDSL {y!r}; {values(inputs, rows, row)}"
            n_differ += 1
    if n_differ:
        raise Wrong(f"{n_differ} numbers differ, the first: {first}")


def values(inputs, rows, row):
    at, said = 0, []
    for name, t in ALL:
        size = 4 if t == "f32" else 8
        said.append(f"{name} = {struct.unpack('<f' if t == 'f32' else '<d', inputs[at + row * size:at + row * size + size])[0]!r}")
        at += rows * size
    return ", ".join(said)


def c_source(folder, expressions, rows, constants, strict):
    source = folder / f"expressions{'-strict' * strict}.c"
    source.write_text(c_program(expressions, rows, constants, strict))
    return source


def c_output(folder, command, source):
    run([*shlex.split(command), "-std=c17", "-O1", "-w", source, "-o", folder / "program", "-lm"])
    run([folder / "program", folder / "operands", folder / "c"])
    return (folder / "c").read_bytes()


def c_results(folder, compilers, expressions, rows, constants, strict):
    """Of all compilers, which must agree."""
    source = c_source(folder, expressions, rows, constants, strict)
    ways = {f"{cc} -ffp-contract=off": source for cc in compilers}
    if not strict and shutil.which("clang-22") and has("fma"):
        ways["clang-22 -ffp-contract=on -mfma"] = c_source(folder, expressions, rows, constants, True)
    results = {command: c_output(folder, command, source) for command, source in ways.items()}
    first, *others = results
    for other in others:
        try:
            differences(expressions, rows, results[first], results[other], (folder / "operands").read_bytes())
        except Wrong as why:
            raise Wrong(f"{other} differs from {first}: {why}")
    return results[first]


def has(feature):
    return f" {feature} " in Path("/proc/cpuinfo").read_text()


def default_ways():
    ways = ["-O0", "-O2", "-O3", "-O2 --vector=off", "-O2 --fp=strict", "-O2 --march=x86-64-v2"]
    ways += ["-O2 --march=x86-64-v3"] * has("fma")
    return parts.chosen(ways, lambda flags: flags in ("-O2", "-O2 --fp=strict"))


def is_strict(flags):
    return "--fp=strict" in flags or "--march=x86-64-v2" in flags or ("--march" not in flags and not has("fma"))


def judge(folder, chosen):
    maker = Maker(chosen.seed, not chosen.no_division)
    expressions = [maker.expression(maker.random.choice(["f32", "f32", "f64"])) for _ in range(chosen.expressions)]
    constants = {name: maker.random.choice(CONSTANTS[t]) for name, t in ALL}
    inputs = operands(chosen.seed, chosen.rows)
    (folder / "operands").write_bytes(inputs)
    source = folder / "expressions.kdsl"
    source.write_text(kdsl_program(expressions, chosen.rows, constants))
    ways = chosen.kdslc_flags or default_ways()
    want = {s: c_results(folder, chosen.cc, expressions, chosen.rows, constants, s)
            for s in sorted({is_strict(w) for w in ways})}
    if len(want) == 2 and want[True] == want[False]:
        raise Wrong("nothing in these expressions is fused")
    for flags in ways:
        program = folder / "program"
        run([chosen.kdslc.resolve(), *shlex.split(flags), "--color=never", source, "-o", program])
        run([*shlex.split(chosen.run), program, folder / "operands", folder / "kdsl"])
        try:
            differences(expressions, chosen.rows, want[is_strict(flags)], (folder / "kdsl").read_bytes(), inputs)
        except Wrong as why:
            raise Wrong(f"{flags}: {why}")
        print(f"{flags}: {len(want[is_strict(flags)])} bytes as C's", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kdslc", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--expressions", type=int, default=24)
    parser.add_argument("--cc", action="append")
    parser.add_argument("--kdslc-flags", action="append")
    parser.add_argument("--no-division", action="store_true")
    parser.add_argument("--run", default="")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    chosen.cc = chosen.cc or [cc for cc in ("gcc", "clang-22") if shutil.which(cc)]
    with tempfile.TemporaryDirectory() as folder:
        if chosen.keep:
            chosen.keep.mkdir(exist_ok=True)
        try:
            judge(chosen.keep or Path(folder), chosen)
        except Wrong as why:
            print(f"FAILED --seed {chosen.seed}\n{why}")
            sys.exit(1)


if __name__ == "__main__":
    main()
