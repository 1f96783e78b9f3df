#!/usr/bin/env python3
"""The Python package: programs loaded from files and texts, arrays without copies (shown by addresses), arguments that do
not fit, failures as exceptions, the cache, arrays that stay on the device, cells of IPython.
Usage: test_python.py KDSLC [unittest arguments]; runs under the distribution's Python, which has NumPy and IPython."""
import os
import subprocess
import sys

DEBIAN = "/usr/bin/python3"
if "KDSL_TEST_PYTHON" not in os.environ:
    os.environ.update(KDSL_TEST_PYTHON="1", KDSLC=os.path.abspath(sys.argv[1]))
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

import array  # noqa: E402
import ctypes  # noqa: E402
import io  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import tempfile  # noqa: E402
import threading  # noqa: E402
import unittest  # noqa: E402
from contextlib import redirect_stderr  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
CACHE = tempfile.mkdtemp()
os.environ["KDSL_PYTHON_CACHE"] = CACHE
import kdsl  # noqa: E402

sys.argv.pop(1)

PROGRAM = """
import helpers;
extern "C" struct Opaque;
export kernel step(u: &[f64; n, m], v: &mut [f64; n, m], dt: f64) over i in 1..n - 1, j in 1..m - 1 {
    v[i, j] = u[i, j] + dt * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]);
}
export fn steps(u: &mut [f64; n, m], v: &mut [f64; n, m], dt: f64, rounds: i32) {
    for s in rounds { offload step(&u, &mut v, dt); offload step(&v, &mut u, dt); }
}
export kernel total(u: &[f64; n, m]) over i in n, j in m -> sum f64 { return u[i, j]; }
export kernel shift(x: &[f64; n], y: &mut [f64; n], by: index) over i in n { y[i] = x[i + by]; }
export kernel gaps(first: &[i64; n + 1], gap: &out [i64; n]) over i in n { gap[i] = first[i + 1] - first[i]; }
export kernel fill(x: &out [u8; n], v: u8) over i in n { x[i] = v; }
export kernel three(x: &mut [f32; n, 3]) over i in n { x[i, 2] = helpers.twice(x[i, 0]); }
export kernel flip(x: &mut [bool; n]) over i in n { x[i] = !x[i]; }
export fn any_size(x: &[i32; _], y: &[i32; _]) -> index { return len(x) * 10 + len(y); }
struct Small { x: f32, t: i64 }
struct Large { pos: f32x3, w: [f64; 2], inner: Small, on: bool }
export fn grow(p: Small, by: i32) -> Small { return Small(x: p.x + f32(by), t: -p.t); }
export fn weigh(p: &Large) -> f64 { return f64(p.pos.z) + p.w[1] + f64(p.inner.t) + (if p.on { 100.0 } else { 0.0 }); }
export kernel drift(ps: &mut [Large; n], v: f32x2) over i in n { ps[i].pos.x += v.y; ps[i].inner.t = i; }
export fn vector(v: f32x4) -> f64x2 { return f64x2(f64(v.x + v.w), f64(v.y)); }
export fn greet(name: str, loud: bool) -> str { return format("hello {}{}", name, if loud { "!" } else { "." }); }
export fn swap_values(a: &mut f64, b: &mut i32, c: &out f32) { c = f32(a); a = f64(b); b = 7; }
export fn same(a: Opaque, b: Opaque) -> bool { return a == b; }
export fn nothing() {}
export fn fails(x: i32) { assert x < 3, "x is {}", x; }
"""
HELPERS = "fn twice(x: f32) -> f32 { return 2.0 * x; }\n"


class OnlyDLPack:
    """As torch's tensors look from outside."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, stream=None):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class PythonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        (cls.folder / "program.kdsl").write_text(PROGRAM)
        (cls.folder / "helpers.kdsl").write_text(HELPERS)
        cls.m = kdsl.load(cls.folder / "program.kdsl")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)
        shutil.rmtree(CACHE)

    def fails(self, text, call, *args, kind=kdsl.ArgumentError):
        with self.assertRaises(kind) as caught:
            call(*args)
        self.assertIn(text, str(caught.exception))
        return caught.exception

    # What is called ----------------------------------------------------------------------------------------------

    def test_results_are_numpys(self):
        u = np.random.default_rng(1).random((30, 40))
        v = u.copy()
        self.m.step(u, v, 0.1)
        want = u.copy()
        want[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
        np.testing.assert_allclose(v, want, rtol=1e-13)
        self.assertAlmostEqual(self.m.total(u), u.sum(), places=9)

    def test_every_kind_of_parameter(self):
        self.assertEqual(self.m.greet("you", True), "hello you!")
        self.assertIsNone(self.m.nothing())
        self.assertEqual(self.m.any_size(np.zeros(3, "i4"), np.zeros(4, "i4")), 34)
        a, b, c = np.array([1.5]), np.array([3], "i4"), np.zeros(1, "f4")
        self.m.swap_values(a, b, c)
        self.assertEqual((a[0], b[0], c[0]), (3.0, 7, 1.5))
        d, e, f = ctypes.c_double(2.5), ctypes.c_int32(4), ctypes.c_float()
        self.m.swap_values(d, e, f)
        self.assertEqual((d.value, e.value, f.value), (4.0, 7, 2.5))
        flags = np.array([True, False])
        self.m.flip(flags)
        self.assertEqual(flags.tolist(), [False, True])
        self.assertTrue(self.m.same(16, 16))

    def test_structs(self):
        m = self.m
        self.assertEqual(m.grow(m.Small(1.5, 7), 2), m.Small(x=3.5, t=-7))
        self.assertEqual(repr(m.grow({"x": 1, "t": 2}, 1)), "Small(x=2.0, t=-2)")
        large = m.Large()
        large.pos.z, large.w[1], large.inner.t, large.on = 1.5, 2.25, 10, True
        self.assertEqual(m.weigh(large), 113.75)
        self.assertEqual(list(m.vector((1, 2, 3, 4))), [5.0, 2.0])
        ps = np.zeros(5, m.dtypes["Large"])
        m.drift(ps, (1.0, 2.5))
        self.assertEqual(ps["pos"]["x"].tolist(), [2.5] * 5)
        self.assertEqual(ps["inner"]["t"].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(ctypes.sizeof(m.Large), m.dtypes["Large"].itemsize)

    def test_looks(self):
        self.assertIn("v: &mut [f64; n, m], dt: f64)", self.m.step.__doc__)
        self.assertIn("step", dir(self.m))
        self.assertIn("export kernel total(u: &[f64; n, m])", repr(self.m))

    # Arrays ------------------------------------------------------------------------------------------------------

    def test_nothing_is_copied(self):
        """The library gets the address of the caller's own memory."""
        seen = []
        library = self.m._library
        x = np.zeros(10, np.uint8)
        forms = [x, OnlyDLPack(x), memoryview(x), bytearray(10), array.array("B", [0] * 10)]
        for form in forms:
            self.m.fill(form, 5)
            got = np.from_dlpack(form) if isinstance(form, OnlyDLPack) else np.frombuffer(form, np.uint8)
            seen.append(got.tolist())
        self.assertEqual(seen, [[5] * 10] * 5)
        self.assertTrue(library)
        from kdsl._arrays import _find
        for form, base in ((x, x), (OnlyDLPack(x), x), (memoryview(x), x)):
            self.assertEqual(_find(form, None).address, x.ctypes.data)
        part = np.zeros((6, 4), np.uint8)[2:5]
        self.assertEqual(_find(OnlyDLPack(part), None).address, part.ctypes.data)
        own = array.array("d", [1.0, 2.0])
        self.assertEqual(_find(own, None).address, own.buffer_info()[0])

    def test_read_only_input_is_fine(self):
        x = np.arange(12.0).reshape(3, 4)
        x.flags.writeable = False
        self.assertEqual(self.m.total(x), 66.0)
        self.assertEqual(self.m.total(memoryview(bytes(x.data)).cast("d", (3, 4))), 66.0)

    def test_extents_that_are_sums(self):
        first, gap = np.array([0, 3, 5, 9]), np.zeros(3, "i8")
        self.m.gaps(first, gap)
        self.assertEqual(list(gap), [3, 2, 4])
        self.fails("in the call of `gaps`, `n + 1` is 4 for `first`, whose shape is [4], but `n` is 4 for `gap`, whose shape "
                   "is [4]", self.m.gaps, first, np.zeros(4, "i8"))
        self.fails("in the call of `gaps`, `n + 1` is 0 for `first`, whose shape is [0], but `n` is 0 for `gap`",
                   self.m.gaps, first[:0], gap[:0])

    def test_what_does_not_fit(self):
        m, u = self.m, np.zeros((8, 9))
        self.fails("parameter `u` of `step` is `&[f64; n, m]`: it needs elements of `f64`, but these are `f32` (float32)",
                   m.step, u.astype("f4"), u, 0.1)
        self.fails("it has 2 dimensions, but this array has 1: its shape is [9]", m.step, u[0], u, 0.1)
        self.fails("in the call of `step`, `n` is 4 for `u`, whose shape is [4, 9], but 8 for `v`, whose shape is [8, 9]",
                   m.step, u[:4], u.copy(), 0.1)
        self.fails("column-major order; `numpy.ascontiguousarray` copies it", m.step, np.asfortranarray(u), u, 0.1)
        self.fails("a view or in column-major", m.total, u[:, ::2])
        self.fails("dimension 1 of `x` must be 3, but its shape is [5, 4]", m.three, np.zeros((5, 4), "f4"))
        read_only = u.copy()
        read_only.flags.writeable = False
        self.fails("parameter `v` of `step` is `&mut [f64; n, m]`: it is written, but this array is read-only",
                   m.step, u, read_only, 0.1)
        self.fails("is written, but this array is read-only", m.fill, bytes(10), 1)
        self.fails("needs an array, but this is a str", m.total, "u")
        self.fails("but these are `f32`", m.total, OnlyDLPack(u.astype("f4")))
        self.fails("parameter `v` of `fill` is `u8`: 256 is out of range", m.fill, bytearray(3), 256)
        self.fails("`u8`: -1 is out of range", m.fill, bytearray(3), -1)
        self.fails("is `index`, but this is the float 1.5", m.shift, u[0], u[1].copy(), 1.5)
        self.fails("is `f64`, but this is the str 'x'", m.step, u, u.copy(), "x")
        self.fails("is `str`, but this is the int 3", m.greet, 3, True)
        self.fails("make one with `Small(...)`", m.grow, 5, 1)
        with self.assertRaises(TypeError):
            m.step(u)

    def test_failures(self):
        x, y = np.zeros(8), np.zeros(8)
        e = self.fails("index 8 is out of bounds for `x`", self.m.shift, x, y, 5, kind=kdsl.Error)
        self.assertEqual((e.file, e.line, e.item), ("program.kdsl", 11, {"i": 3}))
        e = self.fails("error: x is 5", self.m.fails, 5, kind=kdsl.Error)
        self.assertIsNone(e.item)
        self.fails("`x` and `y` overlap in memory", self.m.shift, x, x, 0, kind=kdsl.Error)
        self.m.shift(x, y, 0)  # as if nothing had happened

    def test_threads(self):
        failed = []

        def work(number):
            x, y = np.full(64, float(number)), np.zeros(64)
            for call in range(200):
                try:
                    self.m.shift(x, y, 0 if call % 2 else number)
                    if call % 2 == 0 or y[5] != number:
                        failed.append(number)
                except kdsl.Error as e:
                    if call % 2 or e.item != {"i": 64 - number}:
                        failed.append(str(e))
        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    # Compiling ---------------------------------------------------------------------------------------------------

    def test_compile_errors(self):
        with self.assertRaises(kdsl.CompileError) as caught:
            kdsl.source("export fn f() -> i32 {\n    return x;\n}\n")
        e = caught.exception
        self.assertEqual((e.line, e.diagnostics[0][3]), (2, "E0301"))
        self.assertIn("^", e.text)
        self.fails("there is no file", kdsl.load, self.folder / "none.kdsl", kind=kdsl.Error)

    def test_cache(self):
        path = self.folder / "cached.kdsl"
        path.write_text("import part;\nexport fn f() -> i32 { return part.g(); }\n")
        (self.folder / "part.kdsl").write_text("fn g() -> i32 { return 1; }\n")
        first = kdsl.load(path)
        self.assertIs(kdsl.load(path), first)
        self.assertIsNot(kdsl.load(path, "-O1"), first)
        (self.folder / "part.kdsl").write_text("fn g() -> i32 { return 2; }\n")
        self.assertEqual((first.f(), kdsl.load(path).f()), (1, 2))
        code = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r})\nimport kdsl\nprint(kdsl.load({str(path)!r}).f())"
        both = [subprocess.Popen([DEBIAN, "-c", code], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "KDSL_PYTHON_CACHE": str(self.folder / "new cache")}) for _ in range(4)]
        self.assertEqual([p.communicate()[0] for p in both], ["2\n"] * 4)

    # On the device -----------------------------------------------------------------------------------------------

    DEVICE = """
import sys, os, numpy as np
sys.path.insert(0, {python!r})
import kdsl
def say(what): sys.stderr.write("begin " + what + "\\n"); sys.stderr.flush()
m = kdsl.load({path!r})
x = np.random.default_rng(2).random((20, 30))
say("make")
u, v = kdsl.array(x), kdsl.array(x)
say("calls")
for s in range(5): m.steps(u, v, 0.1, 2)
say("sum")
total = m.total(u)
say("read")
first = u.numpy().copy(); again = u[3, 4]
say("write")
u[0] = 1.0
m.steps(u, v, 0.1, 1)
say("read again")
np.testing.assert_allclose(u.numpy().sum(), m.total(u))
a, b = x.copy(), x.copy()
for s in range(5): m.steps(a, b, 0.1, 2)
np.testing.assert_array_equal(first, a); np.testing.assert_allclose(total, a.sum())
a[0] = 1.0
m.steps(a, b, 0.1, 1)
np.testing.assert_array_equal(np.asarray(u), a)
print("same")
"""

    def test_arrays_on_the_device(self):
        code = self.DEVICE.format(python=str(ROOT / "python"), path=str(self.folder / "program.kdsl"))
        for env in ({}, {"KDSL_MEMORY": "separate"}, {"KDSL_POISON": "1"}, {"OMP_TARGET_OFFLOAD": "disabled"}):
            done = subprocess.run([DEBIAN, "-c", code], capture_output=True, text=True,
                                  env={**os.environ, "LIBOMPTARGET_INFO": "32", **env})
            self.assertEqual((done.returncode, done.stdout), (0, "same\n"), done.stderr[-3000:])
            if env == {"KDSL_MEMORY": "separate"}:
                moves = {}
                for line in done.stderr.splitlines():
                    if line.startswith("begin "):
                        now = moves.setdefault(line[6:], [])
                    elif "Copying data from host" in line or "Copying data from device" in line:
                        now.append("to" if "from host" in line else "from")
                self.assertEqual(moves, {"make": [], "calls": ["to", "to"], "sum": ["from"], "read": ["from"],
                                         "write": ["to"], "read again": moves["read again"]})

    # IPython -----------------------------------------------------------------------------------------------------

    def test_cells(self):
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.run_line_magic("load_ext", "kdsl")
        shell.run_cell_magic("kdsl", "-O1", "export kernel twice(x: &mut [f64; n]) over i in n { x[i] *= 2.0; }\n")
        shell.run_cell("import numpy as np; x = np.ones(5); twice(x); y = x.tolist()")
        self.assertEqual(shell.user_ns["y"], [2.0] * 5)
        said = io.StringIO()
        with redirect_stderr(said):
            shell.run_cell_magic("kdsl", "", "export fn f() -> i32 { return true; }\n")
        self.assertRegex(said.getvalue(), r"error\[E\d+\].*\n.*\|")
        self.assertTrue(re.search(r"\^", said.getvalue()))


if __name__ == "__main__":
    unittest.main(verbosity=1)
