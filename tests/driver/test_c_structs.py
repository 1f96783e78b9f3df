#!/usr/bin/env python3
"""Structs and vectors between KDSL and C: random types and signatures, in both directions, with gcc and, where it is
installed, clang. Each side adds up the numbers of all arguments with weights and makes a result that the other side
adds up; Python knows the sums. The header must be C11 and C++17.
Usage: test_c_structs.py KDSLC [unittest arguments]"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
SCALARS = {"bool": "bool", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
           "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "index": "int64_t", "f32": "float", "f64": "double"}
NUMBERS = [name for name in SCALARS if name not in ("bool", "index")]
COMPILERS = ["gcc"] + [name for name in ("clang", "clang-22") if shutil.which(name)][:1]


class Random:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.structs = []  # (name, [(field, type)])

    def field_type(self):
        kind = self.r.random()
        if kind < 0.15:
            return f"{self.r.choice(NUMBERS)}x{self.r.choice([2, 3, 4, 8])}"
        if kind < 0.3 and self.structs:
            return self.r.choice(self.structs)[0]
        if kind < 0.4:
            return f"[{self.r.choice(list(SCALARS))}; {self.r.randint(1, 3)}]"
        return self.r.choice(list(SCALARS))

    def struct(self):
        fields = [(f"a{i}", self.field_type()) for i in range(self.r.choice([1, 1, 2, 2, 3, 4, 6]))]
        self.structs.append((f"S{len(self.structs)}", fields))

    def value_type(self):
        kind = self.r.random()
        if kind < 0.6:
            return self.r.choice(self.structs)[0]
        if kind < 0.75:
            return f"{self.r.choice(NUMBERS)}x{self.r.choice([2, 3, 4, 8])}"
        return self.r.choice(list(SCALARS))

    def leaves(self, t, path=""):
        """(KDSL path, C path, scalar type) of each number."""
        fields = dict(self.structs).get(t)
        if fields:
            return [leaf for name, of in fields for leaf in self.leaves(of, f"{path}.{name}")]
        if t.startswith("["):
            elem, n = t[1:-1].split("; ")
            return [(f"{path}[{i}]", f"{path}[{i}]", elem) for i in range(int(n))]
        if "x" in t and t != "index":
            elem, n = t.rsplit("x", 1)
            parts = [f"s{i}" for i in range(8)] if n == "8" else "xyzw"[:int(n)]
            return [(f"{path}.{c}", f"{path}.{c}", elem) for c in parts]
        return [(path, path, t)]

    def values(self, t):
        return [self.r.randint(0, 1) if scalar == "bool" else self.r.randint(0, 99) for _, _, scalar in self.leaves(t)]

    def c_type(self, t):
        return t if t.startswith("S") else SCALARS.get(t) or f"kdsl_{t}"

    def kdsl_literal(self, t, values):
        """Takes its numbers from the front of `values`."""
        fields = dict(self.structs).get(t)
        if fields:
            return f"{t}({', '.join(f'{name}: {self.kdsl_literal(of, values)}' for name, of in fields)})"
        if t.startswith("["):
            elem, n = t[1:-1].split("; ")
            return f"[{', '.join(self.kdsl_literal(elem, values) for _ in range(int(n)))}]"
        if "x" in t and t != "index":
            elem, n = t.rsplit("x", 1)
            return f"{t}({', '.join(self.kdsl_literal(elem, values) for _ in range(int(n)))})"
        v = values.pop(0)
        if t == "bool":
            return "true" if v else "false"
        return f"{v}.0{t}" if t.startswith("f") else f"{v}{t}" if t != "index" else f"index({v})"

    def c_set(self, name, t, values):
        return " ".join(f"{name}{c} = {v};" for (_, c, _), v in zip(self.leaves(t), values))

    def kdsl_sum(self, names, types):
        terms, k = ["0i64"], 0
        for name, t in zip(names, types):
            for path, _, scalar in self.leaves(t):
                k += 1
                value = f"(if {name}{path} {{ 1i64 }} else {{ 0i64 }})" if scalar == "bool" else f"i64({name}{path})"
                terms.append(f"{k} * {value}")
        return " + ".join(terms)

    def c_sum(self, names, types):
        terms, k = ["0"], 0
        for name, t in zip(names, types):
            for _, path, _ in self.leaves(t):
                k += 1
                terms.append(f"{k} * (int64_t){name}{path}")
        return " + ".join(terms)


def weighted(values):
    return sum((k + 1) * v for k, v in enumerate(values))


class Signature:
    def __init__(self, rnd, number):
        self.types = [rnd.value_type() for _ in range(rnd.r.randint(1, 7))]
        self.result = rnd.value_type()
        self.given = [rnd.values(t) for t in self.types]
        self.returned = rnd.values(self.result)
        self.names = [f"p{i}" for i in range(len(self.types))]
        self.number = number
        self.expected = [weighted(sum(self.given, [])), weighted(self.returned)]


def program(rnd, signatures):
    """KDSL: exported functions for C, and functions of C that `main`'s counterpart calls."""
    text = [f"struct {name} {{ {', '.join(f'{field}: {t}' for field, t in fields)} }}" for name, fields in rnd.structs]
    for s in signatures:
        params = ", ".join(f"{name}: {t}" for name, t in zip(s.names, s.types))
        text.append(f'extern "C" fn c_{s.number}({params}) -> {s.result};')
        text.append(f"export fn k_{s.number}({params}, sum: &out i64) -> {s.result} {{\n"
                    f"    sum = {rnd.kdsl_sum(s.names, s.types)};\n"
                    f"    return {rnd.kdsl_literal(s.result, list(s.returned))};\n}}")
        text.append(f"export fn refs_{s.number}({', '.join(f'{n}: &mut {t}' for n, t in zip(s.names, s.types))}) -> i64 {{\n"
                    f"    return {rnd.kdsl_sum(s.names, s.types)};\n}}")
    calls = "\n".join(
        f"    let r{s.number} = c_{s.number}("
        f"{', '.join(rnd.kdsl_literal(t, list(v)) for t, v in zip(s.types, s.given))});\n"
        f"    print(\"{{}}\", {rnd.kdsl_sum([f'r{s.number}'], [s.result])});" for s in signatures)
    text.append(f"export fn call_all() {{\n{calls}\n}}")
    first = rnd.structs[0][0]
    text.append(f"export kernel turn(x: &mut [{first}; n], like: {first}) over i in n {{\n    x[i] = like;\n}}")
    return "\n".join(text) + "\n"


def caller(rnd, signatures):
    text = ['#include <stdio.h>', '#include <string.h>', '#include "lib.h"', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for s in signatures:
        params = ", ".join(f"{rnd.c_type(t)} {name}" for name, t in zip(s.names, s.types))
        text.append(f"{rnd.c_type(s.result)} c_{s.number}({params}) {{\n    {rnd.c_type(s.result)} r;\n"
                    f"    memset(&r, 0x5a, sizeof r);\n"
                    f'    printf("%lld\\n", (long long)({rnd.c_sum(s.names, s.types)})); fflush(stdout);\n'
                    f"    {rnd.c_set('r', s.result, s.returned)}\n    return r;\n}}")
    text += ["#ifdef __cplusplus", "}", "#endif"]
    text.append("int main(void) {\n    call_all(); fflush(stdout);")
    for s in signatures:
        declared = " ".join(f"{rnd.c_type(t)} {name}; {rnd.c_set(name, t, v)}"
                            for name, t, v in zip(s.names, s.types, s.given))
        text.append(f"    {{ {declared} {rnd.c_type(s.result)} r; int64_t sum = 0;\n"
                    f"      if (k_{s.number}({', '.join(s.names)}, &sum, &r)) return 1;\n"
                    f'      printf("%lld %lld\\n", (long long)sum, (long long)({rnd.c_sum(["r"], [s.result])}));\n'
                    f"      if (refs_{s.number}({', '.join('&' + n for n in s.names)}, &sum)) return 1;\n"
                    f'      printf("%lld\\n", (long long)sum); }}')
    first = rnd.structs[0][0]
    sets = rnd.c_set("like", first, [1] * len(rnd.leaves(first)))
    text.append(f"    {first} xs[5], like; memset(&like, 0, sizeof like); memset(xs, 0, sizeof xs); {sets}\n"
                f"    if (turn(xs, like, 5)) return 1;\n"
                f'    printf("%lld\\n", (long long)({rnd.c_sum(["xs[4]"], [first])}));')
    text.append("    return 0;\n}\n")
    return "\n".join(text)


class StructTest(unittest.TestCase):
    def sh(self, *command, **env):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **env})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout

    def check(self, seed, compiler, *flags):
        rnd = Random(seed)
        for _ in range(8):
            rnd.struct()
        signatures = [Signature(rnd, k) for k in range(12)]
        with tempfile.TemporaryDirectory() as folder:
            self.dir = Path(folder)
            (self.dir / "lib.kdsl").write_text(program(rnd, signatures))
            (self.dir / "caller.c").write_text(caller(rnd, signatures))
            self.sh(KDSLC, "-O1", "-c", "lib.kdsl", "-o", "lib.o")
            self.sh(KDSLC, "--emit=header", "lib.kdsl", "-o", "lib.h")
            self.sh(compiler, *flags, "-Wall", "-Werror", "caller.c", "-c", "-o", "caller.o")
            self.sh("gcc", "caller.o", "lib.o", "-L/usr/lib/llvm-22/lib", "-Wl,-rpath,/usr/lib/llvm-22/lib", "-lomptarget",
                    "-lm", "-o", "caller")
            said = self.sh("./caller").split()
        want = []
        for s in signatures:
            want += s.expected
        for s in signatures:
            want += s.expected + s.expected[:1]
        want.append(weighted([1] * len(rnd.leaves(rnd.structs[0][0]))))
        self.assertEqual([int(word) for word in said], want, f"seed {seed}")

    def test_random_structs(self):
        for seed in range(6):
            for compiler in COMPILERS:
                with self.subTest(seed=seed, compiler=compiler):
                    self.check(seed, compiler, "-std=c11", f"-O{seed % 3}")

    def test_cxx(self):
        self.check(100, "g++", "-std=c++17", "-x", "c++")


if __name__ == "__main__":
    unittest.main(verbosity=1)
