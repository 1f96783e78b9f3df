#!/usr/bin/env python3
"""The check of an own exercise (course/check.py): what it says of the template, and of each thing that is not as it should
be. Usage: test_check.py KDSLC"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from docs_blocks import blocks  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
GOOD = "scale: what is given fails, the solution passes, 3 wrong answers fail as they say\n"


class CheckTest(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.lesson = Path(temp.name) / "lesson"
        shutil.copytree(ROOT / "course/template", self.lesson)

    def check(self, code=1):
        done = subprocess.run([sys.executable, ROOT / "course/check.py", self.lesson, "--kdslc", KDSLC], capture_output=True,
                              text=True, timeout=300)
        self.assertEqual((code, ""), (done.returncode, done.stderr if code == 0 else ""), done.stdout)
        return done.stdout + done.stderr

    def change(self, name, old, new):
        path = self.lesson / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def test_the_template(self):
        self.assertEqual(GOOD, self.check(0))
        self.assertIn(GOOD, [text for _, _, text, _ in blocks(ROOT / "docs/grading.md")])

    def test_given(self):
        shutil.copy(self.lesson / "solutions/scale.kdsl", self.lesson / "exercises/scale.kdsl")
        self.assertIn("exercises/scale.kdsl: passes as it is given", self.check())
        self.change("exercises/scale.kdsl", "x[i] *= a", "x[i] *= b")
        self.assertRegex(self.check(), r"exercises/scale.kdsl: what is given must compile\n +compiles: ")
        (self.lesson / "exercises/scale.kdsl").unlink()
        self.assertIn("exercises/scale.kdsl: there is no such file", self.check())

    def test_solution(self):
        self.change("solutions/scale.kdsl", "over i in n", "over i in n / 2")
        self.assertRegex(self.check(), r"solutions/scale.kdsl: the solution does not pass\n +tests: ")
        (self.lesson / "solutions/scale.kdsl").unlink()
        self.assertIn("solutions/scale.kdsl: there is no such file", self.check())

    def test_wrong_answers(self):
        self.change("wrong/scale-1.kdsl", "// Fails: tests", "// The last element")
        self.change("wrong/scale-2.kdsl", "// Fails: launches", "// Fails: launches, races")
        self.change("wrong/scale-3.kdsl", "// Fails: tests, races", "// Fails: tests")
        said = self.check()
        self.assertIn("wrong/scale-1.kdsl: the first line must name the criteria by which it fails, as in `// Fails: tests`", said)
        self.assertIn("wrong/scale-2.kdsl: should fail by launches, races, but does not fail by races", said)
        self.assertIn("wrong/scale-3.kdsl: also fails by races, which its first line does not name", said)
        self.change("wrong/scale-1.kdsl", "// The last element", "// Fails: tests")
        self.change("wrong/scale-2.kdsl", "// Fails: launches, races", "// Fails: launches")
        self.change("wrong/scale-3.kdsl", "// Fails: tests", "// Fails: tests\n// May fail: races")
        self.assertEqual(GOOD, self.check(0))
        for number in (1, 2):
            (self.lesson / f"wrong/scale-{number}.kdsl").unlink()
        self.assertIn("write wrong answers: a criterion that none of them fails is not needed", self.check(0))

    def test_descriptions(self):
        about = json.loads((self.lesson / "exercises/scale.json").read_text())
        (self.lesson / "exercises/scale.json").write_text(json.dumps({**about, "limits": {"speed": 1}}))
        self.assertTrue(re.search(r"E10\d\d.*`speed`", self.check(), flags=re.S))
        (self.lesson / "exercises/scale.json").unlink()
        self.assertIn("exercises has no descriptions of exercises (*.json)", self.check())


if __name__ == "__main__":
    unittest.main()
