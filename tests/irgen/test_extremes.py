#!/usr/bin/env python3
"""min and max of floats, bit by bit, as an exported library that Python calls: all pairs of special values, in the forms
from which the compiler draws conclusions (accumulators, constants, converted integers, squares, absolute values), as
vector and scalar code for several processors. What is right is computed here. Usage: test_extremes.py KDSLC"""
import ctypes
import itertools
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

KDSLC = sys.argv[1]
TYPES = {"f32": ("<f", "<I", ctypes.c_uint32, 0x7FA00000), "f64": ("<d", "<Q", ctypes.c_uint64, 0x7FF4000000000000)}
CPUS = {"x86-64": None, "x86-64-v3": "avx2", "x86-64-v4": "avx512dq"}
VALUES = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, -1e-40, 255.0, 2.5, -3.0]
FORMS = {  # name: expression of one item, what x and y are made of two values a and b
    "plain": ("OP(x[i], y[i])", lambda a, b: (a, b)),
    "low": ("OP(x[i], 0.0)", lambda a, b: (a, 0.0)),
    "minus": ("OP(-0.0, x[i])", lambda a, b: (-0.0, a)),
    "high": ("OP(255.0, x[i])", lambda a, b: (255.0, a)),
    "converted": ("OP(x[i], TYPE(i - i))", lambda a, b: (a, 0.0)),
    "square": ("OP(x[i] * x[i], y[i])", lambda a, b: (a * a, b)),
    "sizes": ("OP(abs(x[i]), abs(y[i]))", lambda a, b: (abs(a), abs(b))),
    "inner": ("OP(OP(x[i], y[i]), 0.0)", lambda a, b: (a, b, 0.0)),
}
KERNEL = "export kernel {name}(x: &[{t}; n], y: &[{t}; n], z: &out [{t}; n]) over i in n {{ z[i] = {what}; }}\n"
LOOP = """export kernel {name}(x: &[{t}; n], y: &[{t}; n], z: &out [{t}; n]) over i in n {{
    var s: {t} = {begin};
    for e in 3 {{ s = {op}(s, if e == 1 {{ x[i] }} else {{ y[i] }}); }}
    z[i] = s;
}}
"""
FUNCTION = "export fn {name}(x: {t}, y: {t}) -> {t} {{ return {op}(x, y); }}\n"


def extreme(op, values):
    """The language's: numbers before NaN, -0 before +0. None: NaN, of any bits."""
    numbers = [v for v in values if v == v]
    key = lambda v: (v, struct.pack("<d", v)[7] < 128)
    return (min if op == "min" else max)(numbers, key=key) if numbers else None


def source():
    cases, text = {}, ""
    for t, op in itertools.product(TYPES, ("min", "max")):
        for name, (what, values) in FORMS.items():
            cases[f"{name}_{op}_{t}"] = (t, op, values)
            text += KERNEL.format(name=f"{name}_{op}_{t}", t=t, what=what.replace("OP", op).replace("TYPE", t))
        for begin in ("1.0e30", "-1.0e30", "0.0", "-0.0"):
            name = f"loop{len(cases)}_{op}_{t}"
            cases[name] = (t, op, lambda a, b, begin=float(begin): (begin, a, b))
            text += LOOP.format(name=name, t=t, op=op, begin=begin)
        text += FUNCTION.format(name=f"host_{op}_{t}", t=t, op=op)
    return cases, text


def bits(t, v):
    return struct.unpack(TYPES[t][1], struct.pack(TYPES[t][0], v))[0]


def number(t, u):
    return struct.unpack(TYPES[t][0], struct.pack(TYPES[t][1], u))[0]


def inputs(t):
    """All pairs, more than a vector of them; the signalling NaN is one of the values."""
    values = [bits(t, v) for v in VALUES] + [TYPES[t][3]]
    return [p for p in itertools.product(values, values)]


def agrees(t, u, wanted):
    v = number(t, u)
    return v != v if wanted is None else u == bits(t, wanted)


def check(library, cases, what):
    n_checked = 0
    for name, (t, op, values) in cases.items():
        pairs = inputs(t)
        Array = TYPES[t][2] * len(pairs)
        x, y, z = Array(*[p[0] for p in pairs]), Array(*[p[1] for p in pairs]), Array()
        assert getattr(library, name)(x, y, z, ctypes.c_int64(len(pairs))) == 0, name
        for (a, b), u in zip(pairs, z):
            rounded = [number(t, bits(t, v)) if abs(v) < 1e30 or v - v != 0 or t == "f64" else v
                       for v in values(number(t, a), number(t, b))]
            wanted = extreme(op, rounded)
            assert agrees(t, u, wanted), f"{what}: {name}({a:#x}, {b:#x}) is {number(t, u)} ({u:#x}), not {wanted}"
            n_checked += 1
    return n_checked


def check_host(library, what):
    for t, op in itertools.product(TYPES, ("min", "max")):
        f = getattr(library, f"host_{op}_{t}")
        kind = ctypes.c_float if t == "f32" else ctypes.c_double
        f.argtypes = [kind, kind, ctypes.c_void_p]
        for a, b in inputs(t):
            r = TYPES[t][2]()
            assert f(number(t, a), number(t, b), ctypes.byref(r)) == 0
            wanted = extreme(op, [number(t, a), number(t, b)])
            assert agrees(t, r.value, wanted), f"{what}: {op}({number(t, a)}, {number(t, b)}) is {number(t, r.value)}"


def main():
    flags = set(re.search(r"(?m)^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text())[1].split())
    cases, text = source()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "extremes.kdsl"
        file.write_text(text)
        for cpu, flag in CPUS.items():
            if flag and flag not in flags:
                print(f"{cpu}: this processor cannot run it")
                continue
            for vector in ("auto", "off"):
                path = Path(folder) / f"{cpu}-{vector}.so"
                subprocess.run([KDSLC, "--shared", "--memory=unified", f"--march={cpu}", f"--vector={vector}", file,
                                "-o", path], check=True)
                library = ctypes.CDLL(str(path))
                n = check(library, cases, f"{cpu} --vector={vector}")
                check_host(library, cpu)
                print(f"{cpu} --vector={vector}: {n} values")


main()
