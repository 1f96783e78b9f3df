#!/usr/bin/env python3
"""Every kind of checked operation, made to fail in turn, ends alike compiled and on the tree, and a check that is left out is
noticed; the same for a sample of the suite's operations. tests/failing.py does it to any program. Usage: test_failing.py KDSLC"""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import failing  # noqa: E402
import parts  # noqa: E402

KDSLC = str(Path(sys.argv.pop(1)).resolve())
SAMPLE, SEED = 10, 5

PROGRAM = """
fn first(a: &[i32; n], at: i32) -> i32 { return a[at]; }
kernel k(x: &[i32; n], y: &mut [i32; n], d: i32) over i in n {
    y[i] += x[n - 1 - i] / d;
    for e in 0..3 step d { y[i] += 1 << d; }
    assert y[i] >= 0;
}
kernel add(x: &[i32; n], y: &mut [i32; n]) over i in n { y[i] += first(&x, i32(i)); }
fn main() {
    let n = 8 + len(args());
    let x = [i32(i) + 1 for i in n];
    var y = [0; n];
    offload k(&x, &mut y, 8);
    offload add(&x, &mut y);
    offload add(&x[4..], &mut y[..n - 4]);
    var s = 0;
    for e in 0..8 step 2 { s += x[e] % y[e]; }
    print("{}", s);
}
"""


class FailingTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def source(self, text, *options):
        path = self.folder / "p.kdsl"
        path.write_text(text)
        return failing.Source(KDSLC, path, ["-O2", *options])

    def test_every_kind(self):
        source = self.source(PROGRAM)
        seen, changes = set(), list(failing.changes(PROGRAM))
        firsts = {change.kind: change.at for change in reversed(changes)}
        for change in parts.chosen(changes, lambda change: change.kind == "shape" or firsts[change.kind] == change.at):
            verdict, why = source.judge(change, removals=True)
            self.assertNotIn(verdict, ("differs", "survives"), f"line {change.line(PROGRAM)}: {change.kind}: {why}")
            if verdict == "fails":
                seen.add(change.kind)
        if parts.wanted(True):
            self.assertEqual(seen, {"index", "divide", "shift", "step", "slice", "assert", "shape"})

    @parts.quick
    def test_a_lost_check_is_noticed(self):
        change = next(c for c in failing.changes(PROGRAM) if c.kind == "divide")
        column = change.at - PROGRAM.rfind("\n", 0, change.at)
        where = f"p.kdsl:{change.line(PROGRAM)}:{column}.0"
        self.assertEqual(self.source(PROGRAM).judge(change, removals=True)[0], "fails")
        self.assertEqual(self.source(PROGRAM, f"--without=divide kernel {where}").judge(change, removals=True)[0],
                         "differs")

    @parts.exhaustive
    def test_a_sample_of_the_suite(self):
        files = [path for folder in ("run", "vector", "transfers") for path in sorted((ROOT / "tests" / folder).glob("*.kdsl"))]
        sources = [source for source in (failing.Source(KDSLC, path, ["-O2"]) for path in files) if source.is_one()]
        every = [(s, c) for s in sources for c in failing.changes(s.text) if c.kind != "shape"]
        for source, change in failing.random.Random(SEED).sample(every, SAMPLE):
            verdict, why = source.judge(change, removals=False)
            where = f"{source.path.name}:{change.line(source.text)}: {change.kind}: {why}"
            self.assertNotIn(verdict, ("differs", "survives"), where)


if __name__ == "__main__":
    unittest.main()
