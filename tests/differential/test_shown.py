#!/usr/bin/env python3
"""Random whole arrays and structs, printed: tests/differential/test_shown.py KDSLC [--first N] [--programs N]

Of each program, what it prints is what tests/shown.py says: compiled at -O0 and -O2, executed on its tree (interp/), and
typed into a session, which also shows each value by itself, with the same text before its type. A program is made from
its number. The quick part of the suite has the first two programs."""
import argparse
import itertools
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
import shown  # noqa: E402

PROGRAMS, QUICK, VALUES = 24, 2, 24
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "index"]
FLOATS = ["f16", "bf16", "f32", "f64"]
LETTERS = 'ab"\\\n\t é…{}%'


def limits(t):
    bits = 64 if t == "index" else int(t[1:])
    return (0, 2 ** bits - 1) if t[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.structs, self.lines, self.consts = [], [], []

    # Types and values, each with its source text ---------------------------------------------------------------------

    def scalar(self):
        return self.r.choice([*INTS, *FLOATS, *FLOATS, "bool", "str", "f32x2", "f64x3", "i32x4", "u8x8"])

    def of_int(self, t):
        lo, hi = limits(t)
        v = self.r.choice([0, 1, lo, hi, self.r.randint(lo, hi), self.r.randint(max(lo, -50), 50)])
        if v == lo and v < 0:
            return v, f"({t}({v + 1}) - 1)"
        return v, f"{t}({v})" if t[0] != "u" else f"{v}{t}"

    def of_float(self, t):
        r, pick = self.r, self.r.random()
        if pick < 0.12:
            text = r.choice(["inf", "-inf", "nan", "-nan"])
            return float(text), f"-{t}(f64(\"nan\"))" if text == "-nan" else f"{t}(f64(\"{text}\"))"
        if t in ("f16", "bf16"):
            v = r.choice([0.0, -0.0, r.randint(-255, 255) / 2 ** r.randint(0, 6)])
        else:
            v = r.choice([0.0, -0.0, float(r.randint(-1000, 1000)), r.uniform(-2, 2), r.uniform(-1, 1) * 1e6, 2.0 ** r.randint(-60, 60),
                          r.uniform(-1, 1) * 10.0 ** r.randint(-30, 30), round(r.uniform(-99, 99), 2), 1e21, 1e-6, 9.999999e5])
        if t == "f32":
            v = struct.unpack("f", struct.pack("f", v))[0]
        text = repr(v) if "." in repr(v) or "e" in repr(v) else f"{v!r}.0"
        return v, f"{t}({text.replace('e+', 'e')})"

    def of_text(self):
        v = "".join(self.r.choice(LETTERS) for _ in range(self.r.choice([0, 1, 3, 12])))
        text = v.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return v, f'"{text}"'

    def value(self, t):
        if t == "bool":
            v = self.r.random() < 0.5
            return v, "true" if v else "false"
        if t == "str":
            return self.of_text()
        if t in INTS:
            return self.of_int(t)
        if t in FLOATS:
            return self.of_float(t)
        if isinstance(t, str):
            elem, n = t.split("x")
            both = [self.value(elem) for _ in range(int(n))]
            return [v for v, _ in both], f"{t}({', '.join(text for _, text in both)})"
        if t[0] == "array":
            return self.array(t[1], t[3] if len(t) > 3 else None, t[2])
        both = [self.value(of) for _, of in t[2]]
        return [v for v, _ in both], f"{t[1]}({', '.join(f'{name}: {x}' for (name, _), (_, x) in zip(t[2], both))})"

    def array(self, elem, extents, rank):
        r = self.r
        if not extents:
            extents = [r.choice([1, 2, 3, 5, 9, 14] if rank < 3 else [1, 2, 4]) for _ in range(rank)]
        both = [self.value(elem) for _ in range(math.prod(extents))]

        def text(at, depth):
            if depth == rank:
                return both[at][1]
            return "[" + ", ".join(text(at * extents[depth] + i, depth + 1) for i in range(extents[depth])) + "]"

        return (extents, [v for v, _ in both]), text(0, 0)

    def computed(self):
        """A large array, or an empty one, whose extents are known at run time only."""
        r = self.r
        rank, t = r.choice([1, 1, 2, 2, 3, 4]), r.choice(["i32", "i64", "f32", "f64"])
        extents = [r.choice([0, 1, 7, 13, 40, 3000 if rank == 1 else 30]) if rank < 3 else r.randint(0, 5) for _ in range(rank)]
        names, factor, plus = "ijkl"[:rank], r.choice([1, -3, 7, 1000]), r.choice([0, 5, -100])
        sum_ = " + ".join(f"{t}({name}) * {factor}{'.0' if t[0] == 'f' else ''}" for name in names)
        over = ", ".join(f"{name} in zero + {n}" for name, n in zip(names, extents))
        divided = r.choice([3.0, 8.0]) if t == "f64" else None
        text = f"[({sum_} + {t}({plus})){f' / {divided}' if divided else ''} for {over}]"
        data = []
        for at in range(math.prod(extents)):
            rest, total = at, 0
            for n in reversed(extents):
                total += rest % n
                rest //= n
            v = total * factor + plus
            data.append(v / divided if divided else float(v) if t[0] == "f" else v)
        return ("array", t, rank), (extents, data), text

    def struct(self):
        """A struct, declared; of values, or one that owns arrays."""
        r, name = self.r, f"S{len(self.structs)}"
        owns = r.random() < 0.4
        plain = [t for t, has in self.structs if not has and self.most_bytes(t) <= 96]
        fields = []
        for k in range(r.randint(1, 5)):
            of = self.scalar()
            if r.random() < 0.3:
                of = ("array", r.choice([self.scalar(), *plain]), 1 if owns else r.randint(1, 2))
            elif plain and r.random() < 0.3:
                of = r.choice(plain)
            if of[0] == "array" and not owns:
                of = (*of, [r.randint(1, 4) for _ in range(of[2])])
            fields.append((r.choice(["x", "name", "w", "value_"]) + str(k), of))
        while self.most_bytes(("struct", name, fields)) > 1000:
            fields.pop()
        fields = fields or [("k0", "i32")]
        owns = any(of[0] == "array" and len(of) == 3 for _, of in fields)
        if owns and any(self.has_fixed(of) for _, of in fields):
            fields = [f for f in fields if not self.has_fixed(f[1])]
        t = ("struct", name, fields)
        self.structs.append((t, owns))
        self.lines.append(f"struct {name} {{ {', '.join(f'{f}: {self.type_text(of)}' for f, of in fields)} }}")
        return t

    def most_bytes(self, t):
        """At least the size of a value; a struct has at most 1024 bytes."""
        if isinstance(t, str):
            return 64 if "x" in t and t != "index" else 8
        if t[0] == "struct":
            return sum(self.most_bytes(of) for _, of in t[2])
        return 48 if len(t) < 4 else math.prod(t[3]) * self.most_bytes(t[1])

    def has_fixed(self, t):
        return t[0] == "array" and len(t) > 3

    def type_text(self, t):
        if isinstance(t, str):
            return t
        if t[0] == "struct":
            return t[1]
        extents = ", ".join(str(n) for n in t[3]) if len(t) > 3 else ", ".join(["_"] * t[2])
        return f"[{self.type_text(t[1])}; {extents}]"

    # Prints ----------------------------------------------------------------------------------------------------------

    def leaves(self, t):
        if isinstance(t, str):
            return {t.split("x")[0] if t != "index" else t}
        return self.leaves(t[1]) if t[0] == "array" else set().union(*(self.leaves(of) for _, of in t[2]))

    def spec(self, t):
        r, spec, leaves = self.r, {}, self.leaves(t)
        has_float, has_int = bool(leaves & set(FLOATS)), bool(leaves & set(INTS))
        if r.random() < 0.5:
            return spec
        if r.random() < 0.3:
            spec["align"] = r.choice("<>")
        if (has_float or has_int) and r.random() < 0.2:
            spec["zero"] = True
        if r.random() < 0.5:
            spec["width"] = r.randint(1, 14)
        if has_float and r.random() < 0.5:
            spec["precision"] = r.randint(0, 9)
        styles = ["e"] * has_float + ["x", "b"] * has_int
        if styles and r.random() < 0.3:
            spec["style"] = r.choice(styles)
        return spec

    def spec_text(self, spec):
        inner = (spec.get("align", "") + ("0" if spec.get("zero") else "") + str(spec.get("width", "")) +
                 (f".{spec['precision']}" if "precision" in spec else "") + spec.get("style", ""))
        return "{:" + inner + "}" if inner else "{}"

    def variable(self):
        """(its name, type, value), declared in self.body; or an array constant."""
        r, pick, name = self.r, self.r.random(), f"v{len(self.names)}"
        if pick < 0.25:
            t, value, text = self.computed()
        elif pick < 0.5:
            t = self.struct()
            value, text = self.value(t)
        else:
            plain = [t for t, has in self.structs if not has]
            t = ("array", r.choice(plain) if plain and r.random() < 0.3 else self.scalar(), r.choice([1, 1, 1, 2, 2, 3, 4]))
            value, text = self.value(t)
        self.names.append((name, t, value))
        if t[0] == "array" and t[1] in INTS + ["bool"] and pick >= 0.5 and r.random() < 0.7:
            name = name.upper()
            self.names[-1] = (name, t, value)
            self.lines.append(f"const {name} = {text};")
        else:
            self.body.append(f"let {name} = {text};")

    def part(self, name, t, value):
        """The variable, or a slice or field of it."""
        r = self.r
        if t[0] == "struct" and r.random() < 0.3:
            k = r.randrange(len(t[2]))
            field, of = t[2][k]
            if isinstance(of, str):
                return name, t, value
            return f"{name}.{field}", of[:3] if of[0] == "array" else of, value[k]
        if t[0] != "array" or r.random() < 0.6:
            return name, t, value
        extents, data = value
        ats, kept = [], []
        for n in extents:
            lo = r.randint(0, n)
            hi, pick = r.randint(lo, n), r.random()
            if n and pick < 0.3:
                at = r.randrange(n)
                ats.append((r.choice([f"{at}", f"shape({name}, {len(ats)}) - {n - at}"]), [at]))
                continue
            kept.append(len(ats))
            ats.append((f"{lo}..{hi}", range(lo, hi)) if pick < 0.5 else ("..", range(n)))
        if not kept:
            kept, ats[0] = [0], ("..", range(extents[0]))
        part = [data[sum(i * math.prod(extents[d + 1:]) for d, i in enumerate(at))]
                for at in itertools.product(*(which for _, which in ats))]
        text = f"{name}[{', '.join(text for text, _ in ats)}]"
        return text, ("array", t[1], len(kept)), ([len(ats[d][1]) for d in kept], part)

    def print(self):
        r, formats, args, pieces = self.r, "", [], []
        for k in range(r.choice([1, 1, 2, 3])):
            words = r.choice(["", " ", "x = ", ", ", "\n", " {} "]) if k or r.random() < 0.4 else ""
            if words:
                formats += words.replace("{", "{{").replace("}", "}}").replace("\n", "\\n")
                pieces += words.split(";")
            text, t, value = self.part(*r.choice(self.names))
            spec = self.spec(t)
            formats += self.spec_text(spec)
            args.append(text)
            pieces.append((shown.text(value, t, **spec), t[0] == "array" and t[2] > 1))
        self.body.append(f"print(\"{formats}\", {', '.join(args)});")
        self.out.append(shown.joined(pieces))

    def program(self):
        self.names, self.body, self.out = [], ["let zero = len(args());"], []
        for _ in range(VALUES):
            self.variable()
            self.print()
        main = "\n    ".join(self.body)
        return "\n".join(self.lines) + f"\nfn main() {{\n    {main}\n}}\n"


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    said = "\n".join(line for line in done.stderr.splitlines() if "warning[" not in line)
    return done.stdout, f"exit code {done.returncode}\n{said}" if done.returncode else ""


def first_difference(got, want):
    for k, (a, b) in enumerate(zip(got + ["(the end)"], want + ["(the end)"])):
        if a != b:
            return f"line {k + 1}: {a!r}, not {b!r}"
    return ""


def check(kdslc, seed, work):
    m = Maker(seed)
    path, text = Path(work) / f"shown-{seed}.kdsl", m.program()
    path.write_text(text)
    want, wrong = "\n".join(m.out).split("\n"), []
    for name, command in (("-O0", [kdslc, "run", "-O0", str(path)]), ("-O2", [kdslc, "run", "-O2", str(path)]),
                          ("interpreter", [kdslc, "interpret", str(path)])):
        out, failed = run(command)
        said = failed or first_difference(out.removesuffix("\n").split("\n"), want)
        if said:
            wrong.append(f"{name}: {said}")
    inputs = [*m.lines, *m.body, *(name for name, _, _ in m.names)]
    out, failed = run([kdslc, "repl"], input="\n".join(inputs) + "\n")
    lines = out.split("\n")
    wrong += [f"session: {said}" for said in [failed or first_difference(lines[:len(want)], want)] if said]
    lines = lines[len(want):]
    for name, t, value in m.names:
        text = shown.text(value, t).split("\n")
        is_table = t[0] == "array" and t[2] > 1 and value[1]
        if not failed and (lines[:len(text) - 1] != text[:-1] or not lines[len(text) - 1].startswith(text[-1])):
            wrong.append(f"session, value of {name}: {lines[:len(text)]}, not {text}")
            break
        lines = lines[len(text) + bool(is_table):]
        if lines and re.fullmatch(r"min .*|\d+ NaN|\d+ of \d+ true", lines[0]):
            lines = lines[1:]  # the summary of a large one
    return f"{path.name}:\n" + "\n".join(wrong) if wrong else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("kdslc")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--keep", help="a folder for the programs")
    o = parser.parse_args()
    seeds = parts.first(list(range(o.first, o.first + o.programs)), QUICK)
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        kdslc = str(Path(o.kdslc).resolve())
        found = [x for x in pool.map(lambda seed: check(kdslc, seed, o.keep or work), seeds) if x]
    print("\n".join(found) if found else f"{len(seeds)} programs, {len(seeds) * VALUES} prints: the same everywhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
