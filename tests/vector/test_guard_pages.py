#!/usr/bin/env python3
"""Kernels touch no element that no item asks for: exported kernels get arrays between pages that nobody may touch,
ending where the page behind begins or beginning where the page before ends, for sizes around every width of a vector.
Usage: test_guard_pages.py KDSLC

Each case is a kernel and what it leaves, in Python. The calls are made by a process of their own (--calls LIBRARY),
since a wrong one ends it."""
import ctypes
import math
import mmap
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from run import widths  # noqa: E402

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 130, 1027]
BUILDS = parts.first([("-O2",), ("-O3", "--unchecked"), *(("-O2", width) for width in widths()[:-1]), ("-O0",)])
C_TYPES = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
           "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}
PARAMETER = re.compile(r"(\w+): (?:&(?:mut )?)?(?:\[(\w+); ([^\]]+)\]|(\w+))")


def noise(n, most=40):
    """Small whole numbers without a pattern, of both signs."""
    return [(k * k * 7919 + k * 104729 + 12345) // 64 % (2 * most + 1) - most for k in range(n)]


def permutation(n):
    step = next(s for s in (7, 11, 13, 17) if math.gcd(s, n or 1) == 1)
    return [(k * step + 3) % n for k in range(n)]


class Case:
    """A kernel, the arrays for size n (others get noise of n elements), what it does to them (and its result)."""

    def __init__(self, parameters, body, want, data=lambda n: {}):
        self.parameters, self.body, self.want, self.data = parameters, body, want, data


def each(change, ranges=lambda n: range(n)):
    def want(n, a):
        for i in ranges(n):
            change(i, n, a)
    return want


def rows(n):
    """Starts of rows of 0 to 4 elements; the last one ends where the elements do."""
    starts = [0]
    for k in range(n):
        starts.append(starts[-1] + k * 5 % 7 % 5)
    return starts


def set_y(f):
    return each(lambda i, n, a: a.y.__setitem__(i, f(i, n, a)))


def sometimes(holds, f):
    def change(i, n, a):
        if holds(i, n, a):
            a.y[i] = f(i, n, a)
    return each(change)


def scattered(i, n, a):
    if a.at[i] >= 0:
        a.y[a.at[i]] += a.x[i]


def odd_numbers(n):
    return {"at": [p if p % 3 else -1 for p in permutation(n)]}


def first_at_or_above(x, v):
    return next((k for k, e in enumerate(x) if e >= v), len(x))


def matrix_turned(n, a):
    for i in range(n):
        for j in range(3):
            a.t[j * n + i] = a.m[i * 3 + j]


def stencil(n, a):
    for i in range(1, 3):
        for j in range(1, n - 1):
            a.y[i * n + j] = a.x[(i - 1) * n + j] + a.x[(i + 1) * n + j] + a.x[i * n + j - 1] + a.x[i * n + j + 1]


def columns_and_next(n, a):
    for j in range(n - 1):
        for i in range(8):
            if (i + j) % 3:
                a.y[j * 8 + i] = a.m[i * n + j] + a.v[j + 1]


def reversed_groups(n, a):
    for i in range(n):
        other = i // 12 * 12 + 11 - i % 12
        a.y[i] = a.x[other] if other < n else -7


def counted(n, a):
    for v in a.x:
        if 0 <= v < len(a.h):
            a.h[v] += 1


def pairs_swapped(i, n, a):
    a.y[2 * i], a.y[2 * i + 1] = a.x[2 * i + 1], a.x[2 * i] + 1


def some_pairs_swapped(i, n, a):
    if a.x[2 * i] > 0:
        pairs_swapped(i, n, a)


def colours_turned(i, n, a):
    a.y[3 * i], a.y[3 * i + 1], a.y[3 * i + 2] = a.x[3 * i + 2], a.x[3 * i], a.x[3 * i + 1]


def six_sums(i, n, a):
    for k in range(6):
        a.y[6 * i + k] = a.x[6 * i + (k + 1) % 6] + a.x[6 * i + k]


def short_rows(n, a):
    for i in range(n):
        for j in range(2):
            a.y[2 * i + j] = a.x[2 * i + 1 - j] - i


def found(n, a):
    return sum(a.x[i:i + 3] == a.x[:3] for i in range(n - 2))


def rows_walked(n, a):
    for i in range(n):
        for j in range(19):
            a.y[i] += a.m[19 * i + j]
            a.z[19 * i + j] -= a.m[19 * i + j]


CASES = {
    "scaled": Case("x: &[f32; n], y: &mut [f32; n]", "over i in n { y[i] = x[i] * 2.0; }",
                   set_y(lambda i, n, a: a.x[i] * 2)),
    "bytes": Case("x: &[u8; n], y: &mut [u8; n]", "over i in n { y[i] = x[i] + 1; }",
                  set_y(lambda i, n, a: (a.x[i] + 1) % 256)),
    "widths": Case("x: &[i16; n], z: &[f64; n], y: &mut [i64; n]", "over i in n { y[i] = i64(x[i]) + i64(z[i]); }",
                   set_y(lambda i, n, a: a.x[i] + int(a.z[i]))),
    "some": Case("x: &[i32; n], y: &mut [i32; n]", "over i in n { if x[i] > 0 { y[i] = x[i]; } }",
                 sometimes(lambda i, n, a: a.x[i] > 0, lambda i, n, a: a.x[i])),
    "negated": Case("y: &mut [f32; n]", "over i in n { if y[i] < 0.0 { y[i] = -y[i]; } }",
                    sometimes(lambda i, n, a: a.y[i] < 0, lambda i, n, a: -a.y[i])),
    "some_behind": Case("y: &mut [i32; n]", "over i in 1..n { let v = y[n - i]; if v % 2 == 0 { y[n - i] = v + 1; } }",
                        each(lambda i, n, a: a.y.__setitem__(n - i, a.y[n - i] | 1), lambda n: range(1, n))),
    "partners": Case("x: &[i32; n], y: &mut [i32; n], u: i64",
                     "over i in n { let k = i ^ u; if k < n { y[i] = x[k]; } else { y[i] = x[i & (u - 1)]; } }",
                     set_y(lambda i, n, a: a.x[i ^ 8] if i ^ 8 < n else a.x[i & 7]), lambda n: {"u": 8}),
    "flags": Case("b: &[bool; n], x: &[u16; n], y: &mut [u16; n]",
                  "over i in n { if b[i] && x[i] > 3 { y[i] = x[i] - 1; } }",
                  sometimes(lambda i, n, a: a.b[i] and a.x[i] > 3, lambda i, n, a: a.x[i] - 1)),
    "after": Case("x: &[f32; n], y: &mut [f32; n]", "over i in n { if i + 3 < n { y[i] = x[i + 3]; } }",
                  sometimes(lambda i, n, a: i + 3 < n, lambda i, n, a: a.x[i + 3])),
    "before": Case("x: &[f64; n], y: &mut [f64; n]", "over i in n { y[i] = if i >= 2 { x[i - 2] } else { -1.0 }; }",
                   set_y(lambda i, n, a: a.x[i - 2] if i >= 2 else -1)),
    "either": Case("x: &[i32; n], y: &mut [i32; n]", "over i in n { y[i] = x.at(i - 1) - x.at(i + 1); }",
                   set_y(lambda i, n, a: (a.x[i - 1] if i else 0) - (a.x[i + 1] if i + 1 < n else 0))),
    "interior": Case("x: &[f32; n], y: &mut [f32; n]", "over i in 1..n - 1 { y[i] = x[i - 1] + x[i + 1]; }",
                     each(lambda i, n, a: a.y.__setitem__(i, a.x[i - 1] + a.x[i + 1]), lambda n: range(1, n - 1))),
    "by_two": Case("x: &[f32; m], y: &mut [f32; n]", "over i in n { y[i] = x[2 * i]; }",
                   set_y(lambda i, n, a: a.x[2 * i]),
                   lambda n: {"x": noise(max(2 * n - 1, 0))}),
    "by_three": Case("x: &[i32; m], y: &mut [i32; n]", "over i in n { y[i] = x[3 * i] + x[3 * i + 1]; }",
                     set_y(lambda i, n, a: a.x[3 * i] + a.x[3 * i + 1]), lambda n: {"x": noise(max(3 * n - 1, 0))}),
    "into_every_third": Case("x: &[i32; n], y: &mut [i32; m]", "over i in n { y[3 * i] = x[i]; }",
                             each(lambda i, n, a: a.y.__setitem__(3 * i, a.x[i])),
                             lambda n: {"y": noise(max(3 * n - 2, 0))}),
    "pairs": Case("x: &[f32; n, 2], y: &mut [f32; n, 2]",
                  "over i in n { let a = x[i, 0]; y[i, 0] = x[i, 1]; y[i, 1] = a + 1.0; }", each(pairs_swapped),
                  lambda n: {"x": noise(2 * n), "y": noise(2 * n)}),
    "some_pairs": Case("x: &[f64; n, 2], y: &mut [f64; n, 2]",
                       "over i in n { let a = x[i, 0]; if a > 0.0 { y[i, 0] = x[i, 1]; y[i, 1] = a + 1.0; } }",
                       each(some_pairs_swapped), lambda n: {"x": noise(2 * n), "y": noise(2 * n)}),
    "colours": Case("x: &[u8; n, 3], y: &mut [u8; n, 3]",
                    "over i in n { y[i, 0] = x[i, 2]; y[i, 1] = x[i, 0]; y[i, 2] = x[i, 1]; }", each(colours_turned),
                    lambda n: {"x": noise(3 * n), "y": noise(3 * n)}),
    "of_four": Case("x: &[i16; m], y: &mut [i16; n]", "over i in n { y[i] = x[4 * i] - x[4 * i + 2]; }",
                    set_y(lambda i, n, a: a.x[4 * i] - a.x[4 * i + 2]), lambda n: {"x": noise(max(4 * n - 1, 0))}),
    "sixes": Case("x: &[i64; n, 6], y: &mut [i64; n, 6]",
                  "over i in n { for k in 0..5 { y[i, k] = x[i, k + 1] + x[i, k]; } y[i, 5] = x[i, 0] + x[i, 5]; }",
                  each(six_sums), lambda n: {"x": noise(6 * n), "y": noise(6 * n)}),
    "short_rows": Case("x: &[f32; n, 2], y: &mut [f32; n, 2]",
                       "over i in n, j in 2 { y[i, j] = x[i, 1 - j] - f32(i); }",
                       short_rows, lambda n: {"x": noise(2 * n), "y": noise(2 * n)}),
    "some_bytes": Case("x: &[u8; n], z: &[u16; n], y: &mut [u8; n]",
                       "over i in n { if x[i] > 9 && i % 3 != 1 { y[i] = x[i] + u8(z[n - 1 - i]); } }",
                       sometimes(lambda i, n, a: a.x[i] > 9 and i % 3 != 1,
                                 lambda i, n, a: (a.x[i] + a.z[n - 1 - i]) % 256)),
    "fewer_bytes": Case("x: &[u8; m], y: &mut [i32; n]", "over i in n { if i >= m { return; } y[i] = i32(x[i]); }",
                        sometimes(lambda i, n, a: i < len(a.x), lambda i, n, a: a.x[i]),
                        lambda n: {"x": noise(n // 3)}),
    "found": Case("x: &[u8; n]", "over i in n - 2 -> count "
                  "{ for k in 0..3 { if x[i + k] != x[k] { return false; } } return true; }", found),
    "backwards": Case("x: &[i64; n], y: &mut [i64; n]", "over i in n { y[n - 1 - i] = x[i] - x[n - 1 - i]; }",
                      each(lambda i, n, a: a.y.__setitem__(n - 1 - i, a.x[i] - a.x[n - 1 - i]))),
    "stepped": Case("x: &[i32; n], y: &mut [i32; n]", "over i in 1..n step 3 { y[i] = x[i]; }",
                    each(lambda i, n, a: a.y.__setitem__(i, a.x[i]), lambda n: range(1, n, 3))),
    "gather": Case("at: &[i32; n], x: &[f32; n], y: &mut [f32; n]",
                   "over i in n { if at[i] >= 0 { y[i] = x[at[i]]; } }",
                   sometimes(lambda i, n, a: a.at[i] >= 0, lambda i, n, a: a.x[a.at[i]]), odd_numbers),
    "gather_bytes": Case("at: &[i64; n], x: &[u8; n], y: &mut [u8; n]",
                         "over i in n { if at[i] >= 0 { y[i] = x[at[i]]; } }",
                         sometimes(lambda i, n, a: a.at[i] >= 0, lambda i, n, a: a.x[a.at[i]]), odd_numbers),
    "far": Case("at: &[i64; n], x: &[i32; n], y: &mut [i32; n]",
                "over i in n { let k = if at[i] < 0 { i * 1000000000 + n } else { at[i] }; if k < n { y[i] = x[k]; } }",
                sometimes(lambda i, n, a: a.at[i] >= 0, lambda i, n, a: a.x[a.at[i]]), odd_numbers),
    "scatter": Case("at: &[i32; n], x: &[i32; n], y: &mut [i32; n]",
                    "over i in n { if at[i] >= 0 { y[at[i]] += x[i]; } }",
                    each(scattered), odd_numbers),
    "rows": Case("first: &[i32; m], v: &[f32; k], y: &mut [f32; n]",
                 "over i in n { var s = 0.0f32; for e in first.at(i)..first.at(i + 1) { s += v[e]; } y[i] = s; }",
                 set_y(lambda i, n, a: sum(a.v[a.first[i]:a.first[i + 1]])),
                 lambda n: {"first": rows(n), "v": noise(rows(n)[-1])}),
    "search": Case("x: &[i32; n], v: &[i32; n], y: &mut [i32; n]",
                   "over i in n { var k: index = 0; while k < n && x[k] < v[i] { k += 1; } y[i] = i32(k); }",
                   set_y(lambda i, n, a: first_at_or_above(a.x, a.v[i]))),
    "no_table": Case("t: &[f32; m], y: &mut [f32; n], u: i32",
                     "over i in n { if u > 0 { y[i] = t[u - 1]; } for k in 0..m { y[i] += t[k] * t[i % m]; } }",
                     lambda n, a: None, lambda n: {"t": [], "u": 0}),
    "table": Case("t: &[u8; 3], y: &mut [i32; n]", "over i in n { y[i] = i32(t[i % 3]) + i32(t[1]); }",
                  set_y(lambda i, n, a: a.t[i % 3] + a.t[1]), lambda n: {"t": [5, 200, 7]}),
    "shorter": Case("x: &[i32; m], y: &mut [i32; n]", "over i in n { if i >= m { return; } y[i] = x[i]; }",
                    sometimes(lambda i, n, a: i < len(a.x), lambda i, n, a: a.x[i]), lambda n: {"x": noise(n // 2)}),
    "turned": Case("m: &[i32; n, 3], t: &mut [i32; 3, n]", "over j in 3, i in n { t[j, i] = m[i, j]; }", matrix_turned,
                   lambda n: {"m": noise(3 * n), "t": noise(3 * n)}),
    **{f"walked_{t}": Case(f"m: &[{t}; n, 19], z: &mut [{t}; n, 19], y: &mut [{t}; n]",
                           "over i in n { for j in 19 { y[i] += m[i, j]; z[i, j] -= m[i, j]; } }", rows_walked,
                           lambda n: {"m": noise(19 * n), "z": noise(19 * n), "y": noise(n)}) for t in ("f32", "i64")},
    "some_walked": Case("m: &[f64; n, 19], x: &[i32; n], y: &mut [f64; n]",
                        "over i in n { if x[i] > 0 { for j in 1..18 { y[i] += m[i, j]; } } }",
                        sometimes(lambda i, n, a: a.x[i] > 0, lambda i, n,
                                  a: a.y[i] + sum(a.m[19 * i + 1:19 * i + 18])),
                        lambda n: {"m": noise(19 * n), "y": noise(n)}),
    "columns": Case("m: &[f32; 8, n], v: &[f32; n], y: &mut [f32; n, 8]",
                    "over j in n, i in 8 { if (i + j) % 3 != 0 && j + 1 < n { y[j, i] = m[i, j] + v[j + 1]; } }",
                    columns_and_next, lambda n: {"m": noise(8 * n), "y": noise(8 * n)}),
    "stencil": Case("x: &[f32; 4, n], y: &mut [f32; 4, n]",
                    "over i in 1..3, j in 1..n - 1 "
                    "{ y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]; }",
                    stencil, lambda n: {"x": noise(4 * n), "y": noise(4 * n)}),
    "groups": Case("x: &[i32; n], y: &mut [i32; n]", "over i in n by 12 { shared s: [i32; 12]; "
                   "s[i.local] = if inside { x[i] } else { -7 }; barrier; if inside { y[i] = s[11 - i.local]; } }",
                   reversed_groups),
    "counts": Case("x: &[i32; n], h: &mut [i32; 5]",
                   "over i in n { if x[i] >= 0 && x[i] < 5 { atomic h[x[i]] += 1; } }",
                   counted, lambda n: {"h": [0] * 5}),
    "total": Case("x: &[i32; n]", "over i in n -> sum i32 { return x[i]; }", lambda n, a: sum(a.x)),
    "largest": Case("x: &[f32; n], z: &[f32; n]",
                    "over i in n -> max f32 { return if x[i] < 0.0 { z[i] } else { x[i] }; }",
                    lambda n, a: max([q if p < 0 else p for p, q in zip(a.x, a.z)], default=-math.inf)),
    "bytes_total": Case("x: &[u8; n]", "over i in n -> sum i64 { return i64(x[i]); }", lambda n, a: sum(a.x)),
}
RESULTS = {"total": ctypes.c_int32, "largest": ctypes.c_float, "bytes_total": ctypes.c_int64,
           "found": ctypes.c_int64}


# In the process that calls ----------------------------------------------------------------------------------------

class Arena:
    """Pages with one before and one behind that nobody may touch."""

    def __init__(self, n_bytes):
        page = mmap.PAGESIZE
        self.size = (n_bytes + page - 1) // page * page
        self.memory = mmap.mmap(-1, self.size + 2 * page)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory)) + page
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for guard in (self.start - page, self.start + self.size):
            if protect(guard, page, 0):
                raise OSError(ctypes.get_errno(), "mprotect")

    def place(self, type_, values, at_end):
        array = type_ * len(values)
        address = self.start + (self.size - ctypes.sizeof(array) if at_end else 0)
        made = array.from_address(address)
        made[:] = values
        return made


def fitting(t, values):
    if t == "bool":
        return [v % 3 == 0 for v in values]
    return [abs(v) for v in values] if t[0] == "u" else values


def call(library, name, case, n, at_end, arenas):
    parameters = PARAMETER.findall(case.parameters)
    data = case.data(n)
    given = SimpleNamespace()
    placed, arguments, sizes = {}, [], {}
    for k, (p, t, shape, scalar) in enumerate(parameters):
        if scalar:
            arguments.append(C_TYPES[scalar](data[p]))
            continue
        values = fitting(t, data.get(p, noise(n + k)[k:]))
        setattr(given, p, list(values))
        placed[p] = arenas[k].place(C_TYPES[t], values, at_end)
        arguments.append(ctypes.byref(placed[p]))
        extents = [e for e in shape.split(", ") if not e.isdigit()]
        known = math.prod(int(e) for e in shape.split(", ") if e.isdigit())
        for extent in extents:
            sizes.setdefault(extent, len(values) // known)
    arguments += [ctypes.c_int64(size) for size in sizes.values()]
    result = RESULTS[name]() if name in RESULTS else None
    status = library[name](*arguments, *([ctypes.byref(result)] if result is not None else []))
    want = case.want(n, given)
    if status:
        return f"status {status}"
    if result is not None and result.value != want:
        return f"the result is {result.value}, not {want}"
    for p, array in placed.items():
        wrong = [k for k, (a, b) in enumerate(zip(array, getattr(given, p))) if a != b]
        if wrong:
            return f"{p}[{wrong[0]}] is {array[wrong[0]]}, not {getattr(given, p)[wrong[0]]}"
    return None


def calls(path):
    library = ctypes.CDLL(path)
    arenas = [Arena(8 * 19 * (max(SIZES) + 9)) for _ in range(5)]
    failed = 0
    for name, case in CASES.items():
        for at_end in (True, False):
            for n in SIZES:
                where = f"{name}, n = {n}, at the {'end' if at_end else 'start'} of a page"
                print(where, file=sys.stderr, flush=True)  # the last line, if this process ends here
                problem = call(library, name, case, n, at_end, arenas)
                if problem:
                    print(f"{where}: {problem}")
                    failed += 1
    return failed


# The test ---------------------------------------------------------------------------------------------------------

def program():
    return "".join(f"export kernel {name}({case.parameters}) {case.body}\n" for name, case in CASES.items())


def run(command):
    env = {**os.environ, "OMP_TARGET_OFFLOAD": "disabled", "KMP_BLOCKTIME": "0"}  # kernels get the arrays, not copies
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)


def try_build(kdslc, folder, flags):
    source, library = Path(folder) / "kernels.kdsl", Path(folder) / "kernels.so"
    source.write_text(program())
    done = run([kdslc, "--shared", *flags, source, "-o", library])
    if done.returncode:
        return f"kdslc {' '.join(flags)} ended with {done.returncode}: {done.stderr}"
    done = run([sys.executable, __file__, "--calls", library])
    if done.returncode == 0:
        return None
    last = done.stderr.splitlines()[-1:] if done.returncode < 0 else [done.stderr[-1000:]] if not done.stdout else []
    return "\n".join([f"{' '.join(flags)}: the calls ended with {done.returncode}", *last, done.stdout])


def main():
    if sys.argv[1] == "--calls":
        return 1 if calls(sys.argv[2]) else 0
    kdslc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        failures = [found for found in (try_build(kdslc, folder, flags) for flags in BUILDS) if found]
    print("\n".join(failures) if failures else f"{len(CASES)} kernels, {len(BUILDS)} times: nothing touched outside")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
