#!/usr/bin/env python3
"""What the compiler tells tools: diagnostics as JSON and SARIF, the results of tests as JSON and JUnit's XML, and the time
limit of tests. Compared with the text for people. Usage: test_formats.py KDSLC"""
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = sys.argv.pop(1)
TESTS = """fn f() -> i32 { return 1; }
test "one" { assert f() == 1; print("said"); }
test "two <&> \\"é\\"" { print("a < b & c"); assert f() == 2; }
test "three" { exit(4); }
"""


def run(*args, **more):
    return subprocess.run([KDSLC, *map(str, args)], capture_output=True, text=True, timeout=120, **more)


class FormatsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, text, name="p.kdsl"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_json_says_what_the_text_says(self):
        n = 0
        for path in sorted((ROOT / "tests/sema").glob("E0*.kdsl"))[::9]:
            text, done = run("check", path), run("check", "--format=json", path)
            said = re.findall(rf"(?m)^{re.escape(str(path))}:(\d+):(\d+): (error|warning)\[(\w+)\]: (.*)", text.stderr)
            told = [(str(d["line"]), str(d["column"]), d["severity"], d["code"], d["message"])
                    for d in json.loads(done.stderr)]
            self.assertEqual([d for d in told if d[3] in {s[3] for s in said}], said, path)
            self.assertEqual((done.returncode, done.stdout), (text.returncode, ""))
            n += len(told)
        self.assertGreater(n, 40)

    def test_json_notes_and_fixes(self):
        path = self.file("fn main() {\n    let count = 1;\n    print(\"{}\", cuont);\n}\n")
        told = json.loads(run(path, "--format=json").stderr)
        unknown = next(d for d in told if d["code"] == "E0301")
        fix = next(n for n in unknown["notes"] if "fix" in n)
        self.assertEqual((unknown["line"], unknown["column"], unknown["end_column"]), (3, 17, 22))
        self.assertEqual((fix["fix"], fix["line"], fix["column"], fix["end_column"]), ("count", 3, 17, 22))
        self.assertEqual(json.loads(run("check", "--format=json", self.file("fn main() {}\n")).stderr), [])

    def test_sarif(self):
        path = self.file("fn main() {\n    /* 𝄞 é */ let count: i32 = 1.5;\n    print(\"{}\", cuont);\n}\n")
        log = json.loads(run("check", "--format=sarif", path).stderr)
        results, rules = log["runs"][0]["results"], log["runs"][0]["tool"]["driver"]["rules"]
        self.assertEqual(log["version"], "2.1.0")
        self.assertEqual({r["ruleId"] for r in results}, {r["id"] for r in rules})
        place = next(r for r in results if r["ruleId"] != "E0301")["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], str(path))
        self.assertEqual(place["region"]["startColumn"],
                         len(path.read_text().split("\n")[1].partition("1.5")[0].encode("utf-16-le")) // 2 + 1)
        fix = next(r for r in results if r["ruleId"] == "E0301")["fixes"][0]["artifactChanges"][0]["replacements"][0]
        self.assertEqual((fix["insertedContent"]["text"], fix["deletedRegion"]["startLine"]), ("count", 3))

    def test_results_of_tests(self):
        path = self.file(TESTS)
        done = run("test", "--format=json", path)
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(t["name"], t["passed"]) for t in told],
                         [("one", True), ('two <&> "é"', False), ("three", False)])
        self.assertEqual(told[0]["output"], "said\n")
        self.assertEqual([t.get("why") for t in told], [None, "a check failed", "ended with exit code 4 before its end"])
        self.assertIn("assertion failed: f() == 2", told[1]["output"])
        self.assertEqual(told[1]["place"], f"{path}:3:6")
        suite = xml.fromstring(run("test", "--format=junit", path).stdout.encode()).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("name")), ("3", "2", str(path)))
        self.assertEqual([case.get("name") for case in suite], [t["name"] for t in told])
        self.assertIn("a < b & c\n", suite[1].find("failure").text)
        self.assertIsNone(suite[0].find("failure"))
        one = run("test", "--format=json", path, "one")
        self.assertEqual((one.returncode, len(json.loads(one.stdout))), (0, 1))
        none = run("test", "--format=junit", path, "nothing")
        self.assertEqual((none.returncode, len(xml.fromstring(none.stdout.encode()).find("testsuite"))), (1, 0))

    def test_errors_of_tests_are_told_the_same_way(self):
        done = run("test", "--format=json", self.file("test \"x\" { assert y; }\n"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual([d["code"] for d in json.loads(done.stderr)], ["E0301"])
        done = run("test", "--format=junit", self.file("test \"x\" { assert y; }\n"))
        self.assertIn("error[E0301]", done.stderr)

    def test_time_limit(self):
        path = self.file("test \"ever\" { var i = 1; while i > 0 { i = i % 7 + 1; } }\ntest \"fine\" { assert 1 < 2; }\n")
        begin = time.monotonic()
        done = run("test", "--timeout=0.4", path)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"FAILED  ever .*\n +stopped after 0\.4\d* s \(--timeout\)\nok      fine")
        told = json.loads(run("test", "--timeout=0.4", "--format=json", path).stdout)
        self.assertRegex(told[0]["why"], r"^stopped after 0\.4")
        self.assertGreaterEqual(told[0]["seconds"], 0.4)
        self.assertEqual(run("test", "--timeout=1e5", self.file(TESTS)).stdout.count("ok  "), 1)

    def test_what_does_not_fit(self):
        path = self.file("fn main() {}\n")
        for args, message in ((("--format=xml", path), "must be `text`, `json`, `sarif` or `junit`"),
                              (("--format=junit", path), "is for `kdslc test`"),
                              (("--format=sarif", "--explain=races", path), "is for diagnostics"),
                              (("--timeout=1", path), "is for `kdslc test`"),
                              (("test", "--timeout=0", path), "needs a number of seconds above 0"),
                              (("test", "--timeout=soon", path), "needs a number of seconds above 0")):
            done = run(*args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
