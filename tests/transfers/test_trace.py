#!/usr/bin/env python3
"""KDSL_TRACE: the file is in the Trace Event Format, tells each launch, copy, fill, comparison, allocation and wait, and
is written by programs that fail, by libraries in C programs and in Python, and by each process of several.
Usage: test_trace.py KDSLC [unittest arguments]"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()

PROGRAM = """kernel step(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = 0.5 * x[i] + 1.0; }
kernel pick(x: &[f32; n], at: &[i64; m], y: &mut [f32; m]) over i in m { y[i] = x[at[i]]; }
kernel fill(x: &out [f32; n], v: f32) over i in n { x[i] = v; }
kernel total(x: &[f32; n]) over i in n -> sum f64 { return x[i]; }
fn sum(x: &[f32; n]) -> f32 {
    var s = 0.0f32;
    for i in n { s += x[i]; }
    return s;
}
fn some_steps(a: &mut [f32; n], b: &mut [f32; n]) {
    for s in 0..10 {
        offload step(&a, &out b);
        swap(&mut a, &mut b);
    }
}
fn main() {
    var a = [1.0f32; 50000];
    var b = [0.0f32; 50000];
    some_steps(&mut a, &mut b);
    let places = [i64(i) for i in 10];
    var some = [f32(i) for i in 10];
    for s in 0..2 { offload pick(&a, &places, &mut some); }
    print("{}", sum(&some));
    for s in 0..3 { offload async fill(&out b, 3.0); }
    wait;
    print("{}", offload total(&b));
}
"""
DEVICES = """kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
fn main() {
    var x = [f32(i) for i in 1000];
    var y = [f32(i) for i in 1000];
    for d in 2 { offload on d twice(&mut x); }
    offload async on 1 twice(&mut y);
    offload async on 0 twice(&mut x);
    wait;
    print("{} {}", x[3], y[3]);
}
"""
FAILS = """kernel pick(x: &[f32; n], at: &[i64; m], y: &mut [f32; m]) over i in m { y[i] = x[at[i]]; }
fn main() {
    let x = [1.0f32; 10];
    var y = [0.0f32; 3];
    let at = [i64(5 * i) for i in 3];
    offload pick(&x, &at, &mut y);
}
"""
WAITS = """kernel slow(x: &mut [f64; n]) over i in n { for k in 0..300000 { x[i] = sqrt(x[i] + f64(k)); } }
kernel show(x: &[f64; n]) over i in n { if i == 0 { print("{:.1}", x[0]); } }
fn main() {
    var x = [1.0; 50];
    offload async slow(&mut x);
    wait;
    offload async slow(&mut x);
    print("{:.1}", x[3]);
    offload async slow(&mut x);
    for i in 50 { x[i] += 1.0; }
    offload async slow(&mut x);
    offload show(&x);
    offload async slow(&mut x);
}
"""
# Of one value: `kept`, which stays on the device, and `once`, which its launch maps; all but the end: `late`.
COMPARED = """kernel add(h: &mut [i32; n, m], d: index) over i in 1..d, j in 1..d { h[i, j] += i32(d); }
kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
kernel total(x: &[f32; n]) over i in n -> sum f64 { return x[i]; }
fn main() {
    var kept = [1; 200, 200];
    for d in 3..100 { offload add(&mut kept, d); }
    var once = [1.0f32; 30000];
    offload twice(&mut once);
    var late = [0.0f32; 50000];
    late[40000] = 1.0;
    for s in 0..3 { assert(offload total(&late) == 1.0); }
    let differ = [f32(i) for i in 30000];
    for s in 0..3 { assert((offload total(&differ)) > 1.0); }
    print("{}", kept[4, 3]);
}
"""
LIBRARY = """export kernel NAME(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
"""
NOTHING = "fn main() { print(\"nothing\"); }\n"
CATEGORIES = {"launch", "transfer", "fill", "comparison", "allocation", "wait", "program", "note"}


def check(test, text):
    """The events; each has what the format wants, and those of a track contain each other or do not overlap."""
    document = json.loads(text)
    test.assertEqual(set(document), {"displayTimeUnit", "otherData", "traceEvents"})
    tracks, named = {}, set()
    for e in document["traceEvents"]:
        test.assertLessEqual({"ph", "pid", "tid", "ts", "name", "args"}, set(e), e)
        for key in ("pid", "tid"):
            test.assertIsInstance(e[key], int)
        if e["ph"] == "X":
            test.assertGreaterEqual(e["dur"], 0)
            test.assertIn(e["cat"], CATEGORIES)
            tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], e["name"]))
        else:
            test.assertIn(e["ph"], "Mi")
            if e["name"] == "thread_name":
                named.add((e["pid"], e["tid"]))
    test.assertEqual(set(tracks) - named, set())
    for events in tracks.values():
        open_until = []
        for start, minus, name in sorted(events):
            while open_until and open_until[-1] <= start + 1e-6:
                open_until.pop()
            if open_until:
                test.assertLessEqual(start - minus, open_until[-1] + 1e-3, (name, events))
            open_until.append(start - minus)
    return document["traceEvents"]


def counts(events):
    return Counter(e["name"] for e in events if e["ph"] == "X")


class TraceTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def build(self, text, name="p", *options):
        (self.dir / f"{name}.kdsl").write_text(text)
        output = f"lib{name}.so" if "--shared" in options else name
        subprocess.run([KDSLC, "--offload-arch=host", *options, f"{name}.kdsl", "-o", output], cwd=self.dir, check=True)

    def run_it(self, *command, **env):
        return subprocess.run(command or ["./p"], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "KMP_BLOCKTIME": "0", **env})

    def trace(self, *command, code=0, **env):
        done = self.run_it(*command, KDSL_TRACE="t.json", **env)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual([p.name for p in self.dir.glob("t*.json*")], ["t.json"])
        return check(self, (self.dir / "t.json").read_text())

    def test_separate(self):
        """What each event says, on a device with its own memory."""
        self.build(PROGRAM)
        events = self.trace(KDSL_MEMORY="separate")
        self.assertEqual(counts(events), {
            "step": 10, "pick": 2, "fill": 3, "total": 1, "wait for launches": 1, "program": 1,
            "compare: a": 1, "allocate: a": 1, "fill: a": 1, "allocate: b": 1, "to device: places": 1, "allocate: some": 1,
            "to device: checks": 1, "from device: checks": 2, "from device: some": 1,
            "allocate: result": 1, "from device: result": 1})
        launches = [e for e in events if e.get("cat") == "launch"]
        step = next(e["args"] for e in launches if e["name"] == "step")
        track = next(e["args"]["name"] for e in events if e["args"].get("name", "").startswith("device 0"))
        self.assertEqual(f"device 0: {step.pop('device_name')}", track)
        self.assertEqual(step, {"file": "p.kdsl", "line": 12, "column": 9, "kernel": "step", "device": 0,
                                "items": 50000, "in_place": False, "async": False, "reads": 200000, "writes": 200000,
                                "to_device": 0, "from_device": 0})
        pick = [e["args"] for e in launches if e["name"] == "pick"]
        self.assertEqual([(a["to_device"], a["from_device"]) for a in pick], [(80 + 128, 8), (0, 8)])
        self.assertEqual({e["args"]["async"] for e in launches if e["name"] == "fill"}, {True})
        self.assertEqual({e["tid"] for e in launches if e["name"] == "fill"} &
                         {e["tid"] for e in launches if e["name"] == "step"}, set())
        back = next(e["args"] for e in events if e["name"] == "from device: some")
        self.assertEqual((back["for"], back["bytes"], back["direction"], back["line"]),
                         ("host code", 40, "from device", 22))
        there = next(e["args"] for e in events if e["name"] == "to device: places")
        self.assertEqual((there["for"], there["bytes"], there["array"], there["line"]), ("pick", 80, "places", 22))
        program = next(e for e in events if e["name"] == "program")
        for e in events:
            if e["ph"] == "X":
                self.assertGreaterEqual(e["ts"], program["ts"])
                self.assertLessEqual(e["ts"] + e["dur"], program["ts"] + program["dur"] + 1e-3)

    def test_compared(self):
        """Elements are compared once, before they would be copied, and not of what is on the device already."""
        self.build(COMPARED)
        for memory, env in (("separate", {}), ("separate", {"KDSL_REPORT": "1"}), ("auto", {"KDSL_REPORT": "1"})):
            events = self.trace(KDSL_MEMORY=memory, **env)
            compared = [e["args"] for e in events if e.get("cat") == "comparison"]
            self.assertEqual([(e["array"], e["for"], e["bytes"], e["device_name"]) for e in compared],
                             [("kept", "add", 160000, "host"), ("x[0:n]", "twice", 120000, "host"),
                              ("late", "total", 3 * 65536 + 4, "host")])
            found, moves = counts(events), int(memory == "separate")
            self.assertEqual([found[name] for name in ("add", "fill: kept", "fill: x[0:n]", "to device: late")],
                             [97, moves, moves, moves])
        self.assertEqual(counts(self.trace())["compare: kept"], 0)

    @parts.exhaustive
    def test_in_place(self):
        """Nothing moves; the report and the results are those of a run without a trace."""
        self.build(PROGRAM)
        events = self.trace()
        self.assertEqual(counts(events), {"step": 10, "pick": 2, "fill": 3, "total": 1, "wait for launches": 1,
                                          "program": 1})
        self.assertEqual({e["args"]["in_place"] for e in events if e.get("cat") == "launch"}, {True})
        for memory in ("auto", "separate"):
            rows = [re.sub(r" \d+\.\d{3} ", " ", self.run_it(KDSL_REPORT="1", KDSL_MEMORY=memory, **env).stderr)
                    for env in ({}, {"KDSL_TRACE": "t.json"})]
            self.assertEqual(re.sub(" +", " ", rows[0]), re.sub(" +", " ", rows[1]))
        plain = [self.run_it(KDSL_MEMORY="separate", KDSL_POISON="1", **env) for env in ({}, {"KDSL_TRACE": "t.json"})]
        self.assertEqual((plain[0].stdout, plain[0].stderr), (plain[1].stdout, plain[1].stderr))

    @parts.exhaustive
    def test_transfers_each(self):
        """The naive protocol: launches map their arrays; the kernel's time is without the copies."""
        self.build(PROGRAM, "p", "--transfers=each")
        events = self.trace(KDSL_MEMORY="separate")
        self.assertEqual(self.run_it(KDSL_MEMORY="separate").stdout, self.run_it().stdout)
        found = counts(events)
        self.assertEqual((found["step"], found["to device: x[0:n]"], found["from device: y[0:n]"]), (10, 13, 10))

    def test_devices(self):
        """A track for each device and thread; a copy between devices is for the launch that needs it."""
        self.build(DEVICES)
        events = self.trace(KDSL_MEMORY="separate")
        names = sorted({re.sub(r": [^,]*", "", e["args"]["name"]) for e in events if e["name"] == "thread_name"})
        self.assertEqual(names, ["device 0", "device 0, async", "device 1", "device 1, async", "host"])
        self.assertEqual([(e["args"]["device"], e["args"]["from_device"]) for e in events
                          if e.get("cat") == "launch" and not e["args"]["async"]], [(0, 0), (1, 4000)])

    @parts.exhaustive
    def test_no_device(self):
        self.build(PROGRAM)
        events = self.trace(OMP_TARGET_OFFLOAD="disabled")
        self.assertEqual({(e["args"]["device"], e["args"]["device_name"]) for e in events if e.get("cat") == "launch"},
                         {(-1, "host")})

    def test_waits(self):
        """The place of what waits: a statement, the element that is read, a loop, a launch; none at the end."""
        self.build(WAITS)
        for memory in ("auto", "separate"):
            events = self.trace(KDSL_MEMORY=memory)
            waits = [e["args"] for e in sorted(events, key=lambda e: e["ts"]) if e.get("cat") == "wait"]
            self.assertEqual([(w.get("line"), w.get("column"), w.get("function")) for w in waits],
                             [(6, 5, "main"), (8, 20, "main"), (10, 5, "main"), (12, 5, "main"), (None, None, None)], memory)
            self.assertEqual({w["file"] for w in waits if w}, {"p.kdsl"})

    def test_ends(self):
        """A failed check, exit(), a program without kernels, one without events of its own."""
        for text, code in ((FAILS, 3), (FAILS.replace("offload pick", "exit(7); offload pick"), 7), (NOTHING, 0)):
            self.build(text)
            events = self.trace(code=code)
            self.assertEqual(counts(events)["pick"], int(code == 3))

    def test_limit(self):
        self.build(PROGRAM)
        done = self.run_it(KDSL_TRACE="t.json", KDSL_TRACE_EVENTS="4")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "warning: KDSL_TRACE: `t.json` has the first 4 of 17 events; "
                                      "KDSL_TRACE_EVENTS=17 keeps all\n")
        events = check(self, (self.dir / "t.json").read_text())
        self.assertEqual(sum(e.get("cat") == "launch" for e in events), 4)
        self.assertEqual([e["args"]["dropped"] for e in events if e["ph"] == "i"], [13])
        done = self.run_it(KDSL_TRACE="t.json", KDSL_TRACE_EVENTS="many")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "warning: KDSL_TRACE_EVENTS must be a number from 1, not `many`\n"))

    @parts.exhaustive
    def test_cannot_write(self):
        """One line, and the program goes on; what was there stays."""
        self.build(PROGRAM)
        right = self.run_it().stdout
        (self.dir / "folder").mkdir()
        for path, why in (("none/t.json", "No such file or directory"), ("folder", "Is a directory"),
                          ("/dev/full", "No space left on device")):
            done = self.run_it(KDSL_TRACE=path)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, right, f"warning: KDSL_TRACE: cannot write `{path}`: {why}\n"))
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["folder", "p", "p.kdsl"])
        self.assertTrue(check(self, self.run_it(KDSL_TRACE="/dev/stdout").stdout.split("\n", 2)[2]))

    def test_links_stay(self):
        """What a link leads to is written; /dev/stdout may lead to a file, behind what the program has printed."""
        self.build(PROGRAM)
        (self.dir / "real.json").write_text("")
        (self.dir / "link.json").symlink_to("real.json")
        right = self.run_it(KDSL_TRACE="link.json").stdout
        self.assertTrue((self.dir / "link.json").is_symlink())
        self.assertTrue(check(self, (self.dir / "real.json").read_text()))
        (self.dir / "out").symlink_to("/proc/self/fd/1")
        with open(self.dir / "printed", "w+") as printed:
            subprocess.run(["./p"], cwd=self.dir, env={**os.environ, "KDSL_TRACE": "out"}, stdout=printed, check=True)
        text = (self.dir / "printed").read_text()
        self.assertEqual((text[:len(right)], (self.dir / "out").is_symlink()), (right, True))
        self.assertTrue(check(self, text[len(right):]))

    @parts.exhaustive
    def test_names(self):
        """Quotation marks, backslashes, bytes that are not UTF-8."""
        for name in (b'a"b\\c', "\u00e4\u20ac\U0001f600".encode(), b"\xff\xc3(\xed\xa0\x80"):
            source = os.fsencode(self.dir) + b"/" + name + b".kdsl"
            Path(os.fsdecode(source)).write_text(PROGRAM)
            subprocess.run([KDSLC, "--offload-arch=host", os.path.basename(source), b"-o", b"p"], cwd=self.dir, check=True)
            events = self.trace()
            file = next(e["args"]["file"] for e in events if e.get("cat") == "launch")
            self.assertTrue(file.endswith(".kdsl"))
            if b"\xff" not in name:
                self.assertEqual(file, name.decode() + ".kdsl")

    def library(self, name):
        self.build(LIBRARY.replace("NAME", name), name, "--shared")
        subprocess.run([KDSLC, "--emit=header", f"{name}.kdsl", "-o", f"{name}.h"], cwd=self.dir, check=True)

    def test_c(self):
        """Two libraries in one C program, with a locale whose decimal separator may be a comma, write one file."""
        self.library("one")
        self.library("two")
        (self.dir / "main.c").write_text('#include <locale.h>\n#include <stdio.h>\n#include "one.h"\n#include "two.h"\n'
            'int main(void) { static float x[1000] = {1}; setlocale(LC_ALL, "");\n'
            'int rc = one(x, 1000) + two(x, 1000) + one(x, 1000); printf("%d %d\\n", rc, (int)x[0]); return 5; }\n')
        subprocess.run(["cc", "main.c", "-o", "p", "-L.", "-lone", "-ltwo", "-Wl,-rpath,$ORIGIN"], cwd=self.dir,
                       check=True)
        for memory, copies in (("auto", 0), ("separate", 3)):
            events = self.trace(code=5, KDSL_MEMORY=memory)
            found = counts(events)
            self.assertEqual((found["one"], found["two"], found["library"]), (2, 1, 2))
            self.assertEqual(sum(e["args"]["bytes"] for e in events if e["name"].startswith("to device")),
                             4000 * copies)
            self.assertEqual(sum(e["args"]["bytes"] for e in events if e["name"].startswith("from device")),
                             4000 * copies)

    @parts.exhaustive
    def test_object(self):
        """An object file in a C program, which ends by exit()."""
        self.library("one")
        subprocess.run([KDSLC, "-c", "one.kdsl"], cwd=self.dir, check=True)
        flags = subprocess.run([KDSLC, "--print-link-flags"], capture_output=True, text=True, check=True).stdout.split()
        (self.dir / "main.c").write_text('#include <stdlib.h>\n#include "one.h"\n'
                                         "int main(void) { static float x[1000]; one(x, 1000); exit(4); }\n")
        subprocess.run(["cc", "main.c", "one.o", *flags, "-o", "p"], cwd=self.dir, check=True)
        self.assertEqual(counts(self.trace(code=4))["one"], 1)

    def test_python(self):
        """A library in Python, whose process forks: the child writes a file of its own."""
        self.library("one")
        (self.dir / "main.py").write_text(
            "import ctypes, os, sys\nlib = ctypes.CDLL('./libone.so')\nx = (ctypes.c_float * 1000)()\n"
            "def call(): assert lib.one(x, ctypes.c_int64(1000)) == 0\n"
            "child = os.fork() if sys.argv[1:] else 1\n"
            "call()\nif child == 0: call()\nif sys.argv[1:] and child: os.waitpid(child, 0)\n")
        self.assertEqual(counts(self.trace(sys.executable, "main.py"))["one"], 1)
        self.assertEqual(self.run_it(sys.executable, "main.py", "fork", KDSL_TRACE="t.json").returncode, 0)
        files = sorted(self.dir.glob("t*.json"))
        self.assertEqual([re.sub(r"\d+", "N", p.name) for p in files], ["t.N.json", "t.json"])
        self.assertEqual([counts(check(self, p.read_text()))["one"] for p in files], [2, 1])

    @parts.exhaustive
    def test_ranks(self):
        """Each process of an MPI job has a file."""
        self.build(PROGRAM)
        for rank in "01":
            done = self.run_it(KDSL_TRACE="t.json", OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_SIZE="2")
            self.assertEqual(done.returncode, 0)
        self.assertEqual(sorted(p.name for p in self.dir.glob("t*")), ["t.rank0.json", "t.rank1.json"])


if __name__ == "__main__":
    unittest.main()
