#!/usr/bin/env python3
"""Linux perf names kernels: of programs, of `kdslc run`, of libraries that C calls, and of sessions; with the call chain
from `main` and from the threads of OpenMP, and with the lines of the source. The examples of docs/profiling.md are tried.
Where perf cannot record, the test is skipped, and CTest says so. Usage: test_perf.py KDSLC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from docs_blocks import ROOT, blocks

sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
SKIPPED = 77  # tests/CMakeLists.txt
KEPT = r"tmpfile_\w{6}|kdslc-run-\w{6}"
PROGRAM = """kernel grind(x: &mut [f64; n], y: &[f64; n]) over i in n {
    var v = x[i];
    for k in 0..200 { v = sqrt(v * v + y[i]); }
    x[i] = v;
}
fn work(x: &mut [f64; n], y: &[f64; n]) { for k in 0..20 { offload grind(&mut x, &y); } }
"""
MAIN = """
fn main() {
    var x = [f64(i) for i in 200000];
    let y = [1.0; 200000];
    work(&mut x, &y);
    print("{:.3}", x[7]);
}
"""
LIBRARY = PROGRAM.replace("fn work", "export fn work")
CALLER = """#include "work.h"
static double x[200000], y[200000];
int main(void) {
    return work(x, y, 200000);
}
"""


class PerfTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.addCleanup(self.remove_kept, self.kept())
        # HOME: perf copies what it has seen to ~/.debug
        self.env = {**os.environ, "HOME": str(self.dir), "OMP_NUM_THREADS": "3", "KMP_BLOCKTIME": "0",
                    "PATH": f"{KDSLC.parent}:{os.environ['PATH']}"}
        for name in ("KDSL_PERF", "KDSL_KEEP_IMAGE", "PERF_BUILDID_DIR"):
            self.env.pop(name, None)

    @staticmethod
    def kept():
        return {path for pattern in ("tmpfile_??????", "perf-*.map", "kdslc-run-??????")
                for path in Path("/tmp").glob(pattern)}

    def remove_kept(self, before):
        """What this test has made: of its own programs, while other tests may run."""
        for path in self.kept() - before:
            ours = path.name in self.seen or path.suffix == ".map"
            if ours and path.is_dir():
                shutil.rmtree(path)
            elif ours and path.exists():
                path.unlink()

    seen = set()

    def sh(self, *command, stdin="", code=0, **env):
        """With files: `perf record` would write what it records to a pipe, `perf report` would read it from one."""
        (self.dir / "typed").write_text(stdin)
        with open(self.dir / "typed") as typed, open(self.dir / "printed", "w+", errors="replace") as printed:
            done = subprocess.run([str(part) for part in command], cwd=self.dir, env={**self.env, **env}, stdin=typed,
                                  stdout=printed, stderr=subprocess.PIPE, text=True, timeout=300)
            printed.seek(0)
            out = printed.read()
        self.assertEqual(done.returncode, code, f"{command}\n{out[-2000:]}{done.stderr[-2000:]}")
        return out

    def record(self, *command, options=("-F", "500"), **more):
        self.sh("perf", "record", "-e", "cpu-clock", *options, "--", *command, **more)
        report = self.sh("perf", "report", "--stdio", "--no-children", "--no-inline", "-g", "none")
        self.seen.update(re.findall(KEPT, report))
        return report

    def program(self, *options):
        (self.dir / "p.kdsl").write_text(PROGRAM + MAIN)
        self.sh(KDSLC, "p.kdsl", "-o", "p", *options)
        return self.dir / "p"

    def assert_named(self, report, name="kernel.grind", least=30):
        shares = re.findall(rf"^ *([\d.]+)% .*\[\.\] {re.escape(name)} *$", report, re.M)
        self.assertGreater(sum(map(float, shares)), least, report)

    def test_program(self):
        """Of all threads."""
        self.assert_named(self.record(self.program()))
        samples = self.sh("perf", "script", "-F", "tid,ip,sym")
        threads = set(re.findall(r"^ *(\d+) +[0-9a-f]+ kernel\.grind", samples, re.M))
        self.assertGreater(len(threads), 1, samples[:2000])

    @parts.exhaustive
    def test_call_chains(self):
        """From main, and from where a thread of OpenMP begins: what a flame graph shows."""
        self.record(self.program(), options=("-F", "200", "--call-graph=dwarf,16384"))
        chains = [re.findall(r"^\s+[0-9a-f]+ (\S+?)(?:\+0x[0-9a-f]+)? \(", sample, re.M)
                  for sample in self.sh("perf", "script", "--no-inline").split("\n\n")]
        chains = [chain for chain in chains if chain and chain[0] == "kernel.grind"]
        self.assertGreater(len(chains), 5)
        for chain in chains:
            self.assertEqual(chain[1], "kernel.grind.task", chain)
        from_main = [chain for chain in chains if {"kdsl_main", "main"} <= set(chain)]
        self.assertTrue(from_main, chains[:3])
        for chain in from_main:  # a kernel's first launch goes through libomptarget, later ones are direct
            self.assertTrue({"kdsl_launch", "kdsl_fork"} & set(chain), chain)
        self.assertTrue(any("start_thread" in chain for chain in chains), chains[:3])

    @parts.exhaustive
    def test_source_lines(self):
        self.record(self.program("-g", "-O2"))
        lines = self.sh("perf", "annotate", "--stdio", "-l", "kernel.grind")
        self.assertRegex(lines, r"p\.kdsl:3\b")
        self.assertIn("v = sqrt(v * v + y[i]);", lines)

    @parts.exhaustive
    def test_run(self):
        self.program()
        report = self.record(KDSLC, "run", "p.kdsl", options=("-F", "500", "--call-graph=dwarf,16384"))
        self.assert_named(report, least=20)
        self.assertTrue(re.search(r" kdsl_main\+", self.sh("perf", "script", "--no-inline")), "no host code is named")
        self.assertRegex(report, r"%  p +tmpfile_\w{6} +\[\.\] kernel\.grind")

    @parts.exhaustive
    def test_library(self):
        (self.dir / "work.kdsl").write_text(LIBRARY)
        (self.dir / "main.c").write_text(CALLER)
        self.sh(KDSLC, "--shared", "work.kdsl", "-o", "libwork.so")
        (self.dir / "work.h").write_text(self.sh(KDSLC, "--emit=header", "work.kdsl"))
        self.sh("gcc", "main.c", "-o", "called", "-L.", "-lwork", "-Wl,-rpath,.")
        self.assert_named(self.record("./called"))

    def test_session(self):
        """The code of a session is in no file. Its names are those of the source, without the marks of a session."""
        inputs = PROGRAM + "var x = [f64(i) for i in 200000];\nlet y = [1.0; 200000];\nwork(&mut x, &y);\nprint(\"done\");\n"
        report = self.record(KDSLC, "repl", stdin=inputs)
        self.assert_named(report, least=20)

    def test_what_is_kept(self):
        """Nothing but for perf, or where KDSL_PERF=1 asks for it; KDSL_PERF=0 keeps nothing."""
        program = self.program()
        for env, n in (({}, 0), ({"PERF_BUILDID_DIR": "x", "KDSL_PERF": "0"}, 0), ({"KDSL_PERF": "1"}, 1),
                       ({"PERF_BUILDID_DIR": "x"}, 1)):
            self.assertEqual(len(self.images_of(program, env)), n, env)

    def images_of(self, program, env):
        """The images that this program leaves, which are known by its kernel's name: other programs run, too."""
        before = self.kept()
        self.sh(program, **env)
        images = []
        for path in self.kept() - before:
            if path.name.startswith("tmpfile_") and b"kernel.grind" in path.read_bytes():
                images.append(path)
                path.unlink()
        return images

    @parts.exhaustive
    def test_documentation(self):
        """Blocks ```perf of a page: the commands, and of what each prints, the lines below it; `...` is anything."""
        n = 0
        for page in sorted((ROOT / "docs").glob("*.md")):
            for line, kind, text, _ in blocks(page):
                if kind == "perf":
                    self.try_block(f"{page.name}:{line}", text)
                    n += 1
        self.assertGreater(n, 1)

    def try_block(self, where, text):
        for path in (ROOT / "examples").glob("*.kdsl"):
            shutil.copy(path, self.dir)
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            said = " ".join(self.sh("bash", "-c", command.partition(" #")[0]).split())
            self.seen.update(re.findall(KEPT, said))
            at = 0
            for piece in " ".join(shown.split()).split("..."):
                at = said.find(piece.strip(), at)
                self.assertGreaterEqual(at, 0, f"{where}: `{piece.strip()}` is not in what `{command}` prints:\n{said[:3000]}")


def why_perf_cannot_record():
    if not shutil.which("perf"):
        return "perf is not installed (Debian: linux-perf)"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["perf", "record", "-e", "cpu-clock", "-o", f"{folder}/perf.data", "--", "true"],
                              capture_output=True, text=True, env={**os.environ, "HOME": folder})
        return done.stderr.strip() or "perf record fails" if done.returncode else ""


if __name__ == "__main__":
    why = why_perf_cannot_record()
    if why:
        print(f"skipped: perf cannot record here: {why}")
        sys.exit(SKIPPED)
    unittest.main()
