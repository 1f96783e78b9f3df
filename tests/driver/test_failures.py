#!/usr/bin/env python3
"""Failures at run time, as users see them: an `error:` with its place, the source line if it is there and has not changed,
and notes; on the host, in kernels on the CPU and on mock GPUs, on the tree, in sessions, in libraries that C calls; and
lines of kernels that are lost. Usage: test_failures.py KDSLC [unittest arguments]"""
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")) / "mock"

# argument: the statement that fails, its column, what is marked, the message, the work item and kernel
HOST = {
    "index": ("print(\"{}\", x[n]);", "x[n]", "index 4 is out of bounds for `x`, which has 4 elements (0 to 3)"),
    "slice": ("print(\"{}\", len(x[1..n + 1]));", "1..n + 1", "slice 1..5 is out of bounds for `x`, which has 4 elements"),
    "divide": ("print(\"{}\", n / zero);", "/", "division by zero"),
    "shift": ("print(\"{}\", 1 << n8);", "<<", "shift by 64, but the value has 32 bits"),
    "step": ("for i in 0..n step zero { print(\"{}\", i); }", "0..n step zero", "the step of a range is 0"),
    "shape": ("pair(&x, &y);", "pair(&x, &y)", "in the call of `pair`, `k` is 4 for `a`, whose shape is [4], but 5 for `b`, whose shape is [5]"),
    "assert": ("assert n == 5, \"n is {}\", n;", "assert n == 5, \"n is {}\", n;", "n is 4"),
    "plain": ("assert n == 5;", "assert n == 5;", "assertion failed: n == 5"),
    "memory": ("var z = [0.0; n << 48, n]; z[0, 0] = 1.0;", "[0.0; n << 48, n]",
               "out of memory: [1125899906842624, 4] elements of 8 bytes need 36.03 PB"),
    "extent": ("var z = [0; zero - n]; z[0] = 1;", "[0; zero - n]", "an array cannot have a negative extent: [-4]"),
    "number": ("print(\"{}\", i32(args()[0]));", "i32(args()[0])", "`number` is not an i32"),
    "missing": ("print(\"{}\", read_file(\"no.txt\"));", "read_file(\"no.txt\")", "cannot read `no.txt`: No such file or directory"),
    "short": ("var z = [0; n]; read_array(\"short\", 0, &mut z); print(\"{}\", z[0]);", "read_array(\"short\", 0, &mut z)",
              "`z`, whose shape is [4], needs 16 bytes, but `short` has only 3 bytes from byte 0 on"),
    "arguments": ("print(\"{}\", args()[2]);", "args()[2]", "index 2 is out of bounds for `args()`, which has 2 elements (0 to 1)"),
    "kernel": ("offload put(&x, &mut y, 3);", None, "index 5 is out of bounds for `y`, which has 5 elements (0 to 4)"),
    "remainder": ("offload rest(&x, &mut y);", None, "division by zero"),
    "claim": ("offload claim(&x);", None, "item 2 has 0"),
    "device": ("offload on 99 claim(&x);", "99", None),
}
ITEMS = {  # the line of the kernel, what is marked, the work item
    "kernel": ("\ty[i + by] = x[i]; }  // ä", "y[i + by]", "i = 2 of kernel `put`"),
    "remainder": ("    y[i] = 7 % x[i]; }", "%", "i = 2 of kernel `rest`"),
    "claim": ("    assert x[i] != 0, \"item {} has {}\", i, x[i]; }", "assert x[i] != 0, \"item {} has {}\", i, x[i];",
              "i = 2 of kernel `claim`"),
}
HEAD = "".join(f"kernel {head}\n{ITEMS[name][0]}\n" for name, head in {
    "kernel": "put(x: &[i32; n], y: &mut [i32; m], by: index) over i in n {",
    "remainder": "rest(x: &[i32; n], y: &mut [i32; m]) over i in n {",
    "claim": "claim(x: &[i32; n]) over i in n {"}.items()) + """fn pair(a: &[i32; k], b: &[i32; k]) { print("{} {}", a[0], b[0]); }
fn main() {
    let n = index(args()[1]);
    let zero = n - 4;
    let n8 = 16 * i32(n);
    let x = [1 - i32(i) / 2 for i in n];
    var y = [0; index(args()[1]) + 1];  // not known to be n + 1
    print("begin {} {}", zero, n8);
"""
PROGRAM = HEAD + "".join(f"    if args()[0] == \"{name}\" {{ {case[0]} }}\n" for name, case in HOST.items()) + "}\n"
PRINTS = """kernel show(n: index) over i in n { print("{}", i); }
export fn shows(n: index) { offload show(n); }
export fn shows_later(n: index) { offload async show(n); }
"""
IN_LIBRARY = """import algo;
fn main() {
    let k = index(args()[1]);
    let x = [f64(i) for i in 4];
    var y = [0.0; 2];
    let at = [1, k];
    var counts = [0i64; 2];
    let keys = [i32(k), 0];
    print("{}", algo.sum(&x));
    if args()[0] == "assert" { print("{}", algo.histogram(&x, f64(k), 1.0, 4)[0]); }
    if args()[0] == "kernel" { offload algo.gathered(&x, &at, &out y); print("{}", y[0]); }
    if args()[0] == "async" { offload async algo.tally(&keys, &mut counts); wait; print("{}", counts[0]); }
    if args()[0] == "own" { print("{}", x[k]); }
}
"""
LIBRARY_FAILURES = {  # what is marked, the message, the library's text, the work item
    "assert": ("algo.histogram(&x, f64(k), 1.0, 4)", "a histogram needs lo < hi and bins > 0: 4 bins from 9 to 1",
               'assert lo < hi && bins > 0, "a histogram needs lo < hi and bins > 0: {} bins from {} to {}", bins, lo, hi;', ""),
    "kernel": ("offload algo.gathered(&x, &at, &out y)", "index 9 is out of bounds for `x`, which has 4 elements (0 to 3)",
               "x[at[i]]", "i = 1 of kernel `gathered<f64>`"),
    "async": ("offload async algo.tally(&keys, &mut counts)", "index 9 is out of bounds for `counts`, which has 2 elements (0 to 1)",
              "counts[x[i]]", "i = 0 of kernel `tally<i32>`"),
}
LIBRARY = """export fn pick(x: &[f64; n], k: index) -> f64 {
    return x[k];  // é
}
export kernel scale(x: &mut [f64; n], by: f64) over i in n { assert by > 0.0, "by {}", by; x[i] *= by; }
""" + PRINTS
CALLER = """#include <stdio.h>
#include "lib.h"
int main(void) {
    double x[2] = {1, 2}, r;
    for (int i = 0; i < 2; i++) printf("%d\\n%s\\n", pick(x, 7, 2, &r), kdsl_last_error());
    printf("%d\\n%s\\n", pick(NULL, 0, 2, &r), kdsl_last_error());
    printf("%d\\n%s\\n", pick(x, 0, -2, &r), kdsl_last_error());
    printf("%d\\n%s\\n", scale(x, -1.0, 2), kdsl_last_error());
    printf("%d\\n%s\\n", shows(10), kdsl_last_error());
    printf("%d\\n%s\\n", shows_later(10), kdsl_last_error());
    printf("%d|%s|\\n", pick(x, 1, 2, &r), kdsl_last_error());
    return 0;
}
"""


def excerpt(number, line, marked):
    before = line[:line.rindex(marked)]
    return f"{number:5} | {line.expandtabs(4)}\n      | {' ' * len(before.expandtabs(4))}^{'~' * (len(marked) - 1)}\n"


def expected(name):
    """What is said of a case of PROGRAM."""
    lines = PROGRAM.split("\n")
    _, marked, message = HOST[name]
    number = next(i for i, line in enumerate(lines, 1) if f'== "{name}"' in line)
    note = ""
    if name in ITEMS:
        line, marked, item = ITEMS[name]
        number, note = lines.index(line) + 1, f"      = note: work item {item}\n"
    line = lines[number - 1]
    at = len(line[:line.rindex(marked)].encode()) + 1
    return f"error: {message}\n --> p.kdsl:{number}:{at}\n", excerpt(number, line, marked), note


class FailuresTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        (self.dir / "short").write_bytes(b"abc")

    def write(self, text, name="p.kdsl"):
        (self.dir / name).write_text(text)

    def run_(self, *command, status=0, cwd=None, **env):
        clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        done = subprocess.run([str(word) for word in command], cwd=cwd or self.dir, capture_output=True, text=True,
                              env={**clean, "KMP_BLOCKTIME": "0", **env}, timeout=120)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done.stderr

    def compile(self, text=None, *options):
        self.write(PROGRAM if text is None else text)
        self.run_(KDSLC, "--color=never", *options, "p.kdsl", "-o", "p")

    def test_each_kind(self):
        for level in ("-O0", "-O2"):
            self.compile(None, level)
            for name in HOST:
                with self.subTest(name, level=level):
                    err = self.run_("./p", name, 4, status=3)
                    if name == "device":
                        self.assertRegex(err, r"^error: there is no device 99; `devices\(\)` is \d+\n --> p.kdsl:\d+:")
                        continue
                    self.assertEqual(err, "".join(expected(name)))
        for name in HOST:
            if name not in ("memory", "device"):
                with self.subTest(name, on="the tree"):
                    self.assertEqual(self.run_(KDSLC, "interpret", "p.kdsl", name, 4, status=3), "".join(expected(name)))
        self.assertEqual(self.run_(KDSLC, "run", "p.kdsl", "index", 4, status=3), "".join(expected("index")))

    def test_the_standard_library(self):
        """A failure there is the call's, with the library's place as a note; also in its kernels, in launches that
        are `async`, without devices, and on the tree."""
        self.write(IN_LIBRARY)
        lines = IN_LIBRARY.split("\n")
        self.run_(KDSLC, "p.kdsl", "-o", "p")
        for name, (marked, message, place, item) in LIBRARY_FAILURES.items():
            number = next(i for i, line in enumerate(lines, 1) if f'== "{name}"' in line)
            line = lines[number - 1]
            want = (rf"^error: {re.escape(message)}\n --> p\.kdsl:{number}:{line.index(marked) + 1}\n"
                    rf"{re.escape(excerpt(number, line, marked))}      = note: in <stdlib>/algo\.kdsl:\d+:\d+: `{re.escape(place)}`\n")
            want += rf"      = note: work item {re.escape(item)}\n$" if item else "$"
            with self.subTest(name):
                self.assertRegex(self.run_("./p", name, 9, status=3), want)
                self.assertRegex(self.run_("./p", name, 9, status=3, OMP_TARGET_OFFLOAD="disabled"), want)
                self.assertRegex(self.run_(KDSLC, "interpret", "p.kdsl", name, 9, status=3), want)
        # an own failure after such a call
        self.assertIn("error: index 9 is out of bounds for `x`, which has 4 elements (0 to 3)\n --> p.kdsl:",
                      self.run_("./p", "own", 9, status=3))
        self.assertNotIn("note", self.run_("./p", "own", 9, status=3))

    def test_a_launch_that_needs_a_gpu(self):
        """The place of a launch has its line, too."""
        self.compile()
        line = next(line for line in PROGRAM.split("\n") if "offload claim(&x)" in line and "on 99" not in line)
        number = PROGRAM.split("\n").index(line) + 1
        said = self.run_("./p", "claim", 4, status=3, KDSL_REQUIRE="gpu", LD_LIBRARY_PATH="")
        if "no GPU" in said:
            self.assertTrue(said.endswith(f" --> p.kdsl:{number}:{line.index('offload') + 1}\n"
                                          + excerpt(number, line, "offload claim(&x)")), said)

    def test_no_arguments(self):
        self.compile()
        line = "    let n = index(args()[1]);"
        number = PROGRAM.split("\n").index(line) + 1
        want = f"error: the program was given no arguments\n --> p.kdsl:{number}:19\n" + excerpt(number, line, "args()[1]")
        self.assertEqual(self.run_("./p", status=3), want)
        self.assertEqual(self.run_(KDSLC, "interpret", "p.kdsl", status=3), want)

    def test_a_mock_gpu(self):
        self.write(PROGRAM)
        self.run_(KDSLC, "--offload-arch=sm_90,host", "p.kdsl", "-o", "p", KDSL_PTXAS="")  # the mock runs PTX
        for name in ITEMS:
            with self.subTest(name):
                err = self.run_("./p", name, 4, status=3, LD_LIBRARY_PATH=str(MOCK / "nvidia"), KDSL_MOCK_RUN="1",
                                KDSL_REQUIRE="gpu")
                self.assertEqual(err, "".join(expected(name)))

    def test_the_source_when_it_fails(self):
        self.compile()
        head, shown, note = expected("kernel")
        number = int(shown[:5])

        def said(text):
            if text is None:
                (self.dir / "p.kdsl").unlink()
            else:
                (self.dir / "p.kdsl").write_bytes(text)
            return self.run_("./p", "kernel", 4, status=3)
        text = PROGRAM.encode()
        lines = text.split(b"\n")
        for what, changed, is_shown in (
                ("the same", text, True), ("line ends of DOS", text.replace(b"\n", b"\r\n"), True),
                ("another line changed", b"\n".join([b"//", *lines[1:]]), True),
                ("a line more", b"//\n" + text, False), ("this line changed", text.replace(b"+ by]", b"+by ]"), False),
                ("cut in the line", b"\n".join(lines[:number])[:-3], False),
                ("cut after it", b"\n".join(lines[:number]), True),
                ("empty", b"", False), ("bytes", bytes(range(256)) * 50, False), ("a huge line", b"x" * 3_000_000, False),
                ("no text, but this line", b"\0\xff\n" * (number - 1) + lines[number - 1], True), ("gone", None, False)):
            with self.subTest(what):
                self.assertEqual(said(changed), head + (shown if is_shown else "") + note)
        (self.dir / "p.kdsl").mkdir()
        self.assertEqual(self.run_("./p", "kernel", 4, status=3), head + note)
        (self.dir / "p.kdsl").rmdir()
        os.mkfifo(self.dir / "p.kdsl")  # reading would wait
        self.assertEqual(self.run_("./p", "kernel", 4, status=3), head + note)
        (self.dir / "p.kdsl").unlink()
        self.write(PROGRAM)
        with tempfile.TemporaryDirectory() as elsewhere:
            self.assertEqual(self.run_(self.dir / "p", "kernel", 4, status=3, cwd=elsewhere), head + note)

    def test_long_lines(self):
        pad = "/* " + "ö\t" * 400 + "*/"
        line = f"    {pad} print(\"{{}}\", x[n]); {pad}"
        self.compile(f"fn main() {{\n    let n = index(args()[0]);\n    let x = [1; 3];\n{line}\n}}\n")
        err = self.run_("./p", "3", status=3).split("\n")
        self.assertEqual(err[1], f" --> p.kdsl:4:{len(line[:line.index('x[n]')].encode()) + 1}")
        self.assertRegex(err[2], r"^    4 \| \.\.\..*\.\.\.$")
        at = err[3].index("^")
        self.assertEqual((err[2][at:at + 4], err[3][at:]), ("x[n]", "^~~~"))
        self.assertEqual(self.run_(KDSLC, "interpret", "p.kdsl", "3", status=3).split("\n"), err)

    def on_a_terminal(self, *command, **env):
        ours, theirs = pty.openpty()
        clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        done = subprocess.run([str(word) for word in command], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=theirs,
                              env={**clean, "TERM": "xterm", **env}, timeout=120)
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            said += part
            if not part:
                break
        os.close(ours)
        self.assertEqual(done.returncode, 3, said)
        return said.decode().replace("\r\n", "\n")

    def test_colours(self):
        self.compile()
        head, shown, note = expected("kernel")
        message = HOST["kernel"][2]
        source, marks = shown.rstrip("\n").split("\n")
        place = head.split(" --> ")[1]
        bold, red, cyan, green, off = "\033[1m", "\033[1;31m", "\033[1;36m", "\033[1;32m", "\033[0m"
        want = (f"{red}error:{off} {message}\n {bold}-->{off} {place}{source}\n"
                f"{marks.replace('^', green + '^')}{off}\n{note.replace('note:', f'{cyan}note:{off}')}")
        for command in (("./p", "kernel", 4), (KDSLC, "run", "p.kdsl", "kernel", 4), (KDSLC, "interpret", "p.kdsl", "kernel", 4)):
            with self.subTest(command):
                self.assertEqual(self.on_a_terminal(*command), want)
                self.assertEqual(self.on_a_terminal(*command, NO_COLOR="1"), head + shown + note)
                self.assertEqual(self.on_a_terminal(*command, TERM="dumb"), head + shown + note)
        for command in "run", "interpret":
            self.assertEqual(self.on_a_terminal(KDSLC, command, "--color=never", "p.kdsl", "kernel", 4), head + shown + note)

    def test_sessions(self):
        lines = ["let x = [1, 2, 0]", "fn look(k: index, x: &[i32; n]) -> i32 { return x[k]; }", "look(9, &x)",
                 "kernel rest(x: &[i32; n], y: &mut [i32; n]) over i in n { y[i] = 7 % x[i]; }", "var y = [0; 3]",
                 "offload rest(&x, &mut y)"]
        done = subprocess.run([KDSLC, "repl", "--color=never"], input="\n".join(lines) + "\n", capture_output=True, text=True,
                              cwd=self.dir, timeout=120)
        said = done.stdout + done.stderr
        for number, marked, message, note in (
                (2, "x[k]", "index 9 is out of bounds for `x`, which has 3 elements (0 to 2)", ""),
                (4, "%", "division by zero", "      = note: work item i = 2 of kernel `rest`\n")):
            line = lines[number - 1]
            self.assertIn(f"error: {message}\n --> input {number}:1:{line.rindex(marked) + 1}\n{excerpt(1, line, marked)}{note}",
                          said)

    def test_a_library_that_c_calls(self):
        self.write(LIBRARY, "lib.kdsl")
        self.write(CALLER, "main.c")
        self.run_(KDSLC, "--shared", "lib.kdsl", "-o", "lib.so")
        self.run_(KDSLC, "--emit=header", "lib.kdsl", "-o", "lib.h")
        self.run_("gcc", "-O1", "main.c", "./lib.so", "-o", "main")
        index = ("3\nerror: index 7 is out of bounds for `x`, which has 2 elements (0 to 1)\n --> lib.kdsl:2:12\n"
                 "    2 |     return x[k];  // é\n      |            ^~~~\n")
        head = LIBRARY.split("\n")[0]
        lost = ("error: 5 lines printed by kernel `show` were lost: the buffer holds 256 bytes\n --> lib.kdsl:{}\n{}"
                "      = note: run with `KDSL_PRINT_BUFFER=1024` for a larger one\n")
        lines = LIBRARY.split("\n")
        parameter = f" --> lib.kdsl:1:16\n    1 | {head}\n      | {' ' * head.index('x:')}^\n"
        want = index * 2 + "3\nerror: `x`, whose shape is [2], is a null pointer\n" + parameter
        want += "3\nerror: `x` has a negative extent: its shape is [-2]\n" + parameter
        claim = "assert by > 0.0, \"by {}\", by;"
        want += f"3\nerror: by -1\n --> lib.kdsl:4:{lines[3].index(claim) + 1}\n{excerpt(4, lines[3], claim)}"
        want += "      = note: work item i = 0 of kernel `scale`\n"
        for number, call in ((6, "offload show(n)"), (7, "offload async show(n)")):
            line = lines[number - 1]
            want += "3\n" + lost.format(f"{number}:{line.index(call) + 1}", excerpt(number, line, call))
        want += "0||\n"
        done = subprocess.run(["./main"], cwd=self.dir, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "KDSL_PRINT_BUFFER": "256", "OMP_NUM_THREADS": "1"})
        out = "".join(line for line in done.stdout.splitlines(True) if not line.startswith("[i = "))
        self.assertEqual((out, done.stderr), (want, ""))

    def test_lost_lines(self):
        for launch in ("offload show(30);", "offload async show(30); wait;", "offload async show(30);"):
            text = PRINTS.replace("export ", "") + f"fn main() {{\n    {launch}\n    shows(0);\n    shows_later(0);\n    print(\"end\");\n}}\n"
            self.compile(text)
            with self.subTest(launch):
                err = self.run_("./p", status=3, KDSL_PRINT_BUFFER="256")
                self.assertRegex(err, r"^error: 25 lines printed by kernel `show` were lost: the buffer holds 256 bytes\n"
                                      r" --> p\.kdsl:5:5\n    5 \|     offload .*\n      \|     \^~+\n"
                                      r"      = note: run with `KDSL_PRINT_BUFFER=\d+` for a larger one\n$")
                size = err.split("KDSL_PRINT_BUFFER=")[1].split("`")[0]
                self.assertEqual(self.run_("./p", KDSL_PRINT_BUFFER=size), "")
        self.write(PRINTS.replace("export ", "") + "fn main() { offload show(30); exit(5); }\n"
                   "test \"it prints\" { offload show(30); }\n")
        self.run_(KDSLC, "run", "p.kdsl", status=5, KDSL_PRINT_BUFFER="256")
        self.run_(KDSLC, "test", "p.kdsl", status=1, KDSL_PRINT_BUFFER="256")
        self.run_(KDSLC, "test", "p.kdsl")


if __name__ == "__main__":
    unittest.main()
