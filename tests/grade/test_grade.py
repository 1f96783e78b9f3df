#!/usr/bin/env python3
"""kdslc grade: every criterion passes and fails for its reason; bad exercises are explained; a submission that reads files,
calls C, loops, allocates or prints without end, or is not a program, fails alone; copies are found. Usage: test_grade.py KDSLC"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()

CHECK = """import scale;

fn check(n: index) {
    var x = [f64(i) - 3.0 for i in n];
    offload scale.scale(2.0, &mut x);
    for i in n { assert x[i] == 2.0 * (f64(i) - 3.0), "x[{}] is {}", i, x[i]; }
}

test "one element" { check(1); }
test "many elements" { check(1000); }
"""
RIGHT = """kernel scale(a: f64, x: &mut [f64; n]) over i in n {
    x[i] *= a;
}
"""
GIVEN = """kernel scale(a: f64, x: &mut [f64; n]) over i in n {
    x[i] = a;
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("solutions/scale.kdsl", RIGHT)
        self.write("exercises/scale.kdsl", GIVEN)
        self.write("exercises/scale_check.kdsl", CHECK)
        self.exercise(limits={"races": 0})

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def exercise(self, **keys):
        return self.write("exercises/scale.json", json.dumps({"title": "Scale a vector", **keys}))

    def grade(self, *args, code=None, env=None):
        done = subprocess.run([KDSLC, "grade", *map(str, args)], capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env={**os.environ, **(env or {})})
        self.assertIn(done.returncode, (0, 1, 2) if code is None else (code,), done.stdout + done.stderr)
        return done.stdout + done.stderr

    def verdict(self, text, exercise="exercises/scale.json", **how):
        path = self.write("submission.kdsl", text)
        return json.loads(self.grade(exercise, path, "--format=json", **how))["submissions"][0]

    def failed(self, text, **how):
        """The criteria that fail, with their sentences and places."""
        return {c["name"]: c["sentence"] + "\n" + "\n".join(c.get("where", []))
                for c in self.verdict(text, **how)["criteria"] if not c["passed"]}

    def assertFails(self, text, criterion, *parts, **how):
        failed = self.failed(text, **how)
        self.assertEqual([criterion], list(failed), failed)
        for part in parts:
            self.assertIn(part, failed[criterion])


class CriteriaTest(Case):
    def test_right_and_given(self):
        self.assertEqual({}, self.failed(RIGHT))
        said = self.grade("exercises/scale.kdsl", code=1)
        self.assertIn("scale.kdsl: Scale a vector\n", said)
        self.assertIn("FAILED  tests: 2 of 2 tests fail: `one element`, `many elements`\n", said)
        self.assertIn("x[0] is 2", said)
        self.assertIn("ok      races: no data race: no work item can write an element that another one uses at the same time "
                      "(limit: 0)\n", said)
        self.assertIn("not passed: 1 of 2\n", said)
        self.assertEqual(said.replace("exercises/", ""), self.grade("exercises/scale.json").replace("exercises/", ""))
        self.assertIn("passed: 2 of 2", self.grade("exercises/scale.json", "solutions/scale.kdsl", code=0))

    def test_another_signature(self):
        self.assertFails(RIGHT.replace("a: f64, ", ""), "compiles", "scale_check.kdsl:5", "expects 1 argument")

    def test_main_and_tests_of_a_submission_are_ignored(self):
        self.assertEqual({}, self.failed(RIGHT + 'fn main() { print("x"); }\ntest "wrong" { assert false; }\n'))

    def test_no_import(self):
        self.write("exercises/scale_check.kdsl", 'test "empty" { assert true; }')
        self.assertFails(RIGHT, "compiles", "does not `import scale;`")

    def test_races(self):
        racy = RIGHT.replace("x[i] *= a;", "if i + 1 < n { x[i] *= a; x[i + 1] *= 1.0; } else { x[i] *= a; }")
        failed = self.failed(racy)
        self.assertIn("races", failed)
        self.assertIn("line 2: a data race", failed["races"])

    def test_an_assumption_that_does_not_hold(self):
        self.write("exercises/scale_check.kdsl", """import scale;
test "twice the same" {
    let at = [0, 3, 3, 1];
    var y = [0.0; 4];
    offload scale.put(&at, &mut y);
}
test "a permutation" {
    let at = [3, 2, 1, 0];
    var y = [0.0; 4];
    offload scale.put(&at, &mut y);
}
""")
        put = """kernel put(at: &[i32; n], y: &mut [f64; m]) over i in n
assume distinct(at) {
    y[at[i]] = 1.0;
}
"""
        self.assertFails(put, "races", "what `assume` claims does not hold", "`twice the same`")

    def test_bytes_copies_and_launches(self):
        self.exercise(limits={"bytes": "solution", "copies": "solution", "launches": 2})
        self.assertEqual({}, self.failed(RIGHT))
        more = RIGHT.replace("x[i] *= a;", "x[i] *= a + 0.0 * y[i];").replace("scale(", "_twice(").replace(
            "x: &mut [f64; n]", "x: &mut [f64; n], y: &[f64; n]")
        more += """
fn scale(a: f64, x: &mut [f64; _]) {
    let y = [1.0; len(x)];
    let z = [1.0; len(x)];
    offload _twice(a, &mut x, &y);
    offload _twice(1.0, &mut x, &z);
}
"""
        self.write("exercises/scale_check.kdsl", CHECK.replace("offload scale.scale", "scale.scale"))
        self.write("solutions/scale.kdsl", """kernel _scale(a: f64, x: &mut [f64; n]) over i in n { x[i] *= a; }
fn scale(a: f64, x: &mut [f64; _]) { offload _scale(a, &mut x); }
""")
        failed = self.failed(more)
        self.assertIn("launches", failed)
        self.assertIn("4 launches (limit: 2)\nline 8: kernel `_twice`: 2 launches\nline 9: kernel `_twice`: 2 launches",
                      failed["launches"])

    def test_bytes_are_those_of_the_arrays(self):
        """1 + 1000 elements of 8 bytes to the device and back: counted by hand."""
        self.exercise(limits={"bytes": 1})
        value = [c for c in self.verdict(RIGHT)["criteria"] if c["name"] == "bytes"][0]
        self.assertEqual(2 * 8 * 1001, value["value"])
        self.assertEqual("16,016 bytes copied between host and device (limit: 1)", value["sentence"])

    def test_places_of_copies(self):
        """Each of all tests together, the largest first; also what comes back for host code."""
        self.exercise(limits={"bytes": 1, "copies": 1})
        self.write("exercises/scale_check.kdsl", CHECK.replace("offload scale.scale(2.0, ", "scale.double("))
        failed = self.failed(RIGHT + """fn double(x: &mut [f64; n]) {
    var few = [1.0, 2.0, 3.0];
    offload scale(2.0, &mut few);
    offload scale(2.0, &mut x);
}
""")
        places = ["line 7: `x` to the device: 8,008 bytes in 2 copies",
                  "line 7: `x` from the device for host code: 8,008 bytes in 2 copies",
                  "line 6: `x[0:n]` to the device: 48 bytes in 2 copies"]
        for criterion in ("bytes", "copies"):
            self.assertEqual(places, failed[criterion].splitlines()[1:], criterion)

    def test_checks(self):
        self.exercise(limits={"checks": 0})
        self.assertFails(RIGHT.replace("x[i] *= a;", "let k = index(f64(i) + 0.5); x[k] *= a;"), "checks", "line 2: `x[k]`")

    def test_accesses_of_a_warp(self):
        self.exercise(limits={"uncoalesced": 0, "sectors": 8})
        self.assertEqual({}, self.failed(RIGHT))
        strided = """kernel scale(a: f64, x: &mut [f64; n]) over i in (n + 7) / 8 {
    for k in 8 * i..min(8 * i + 8, n) { x[k] *= a; }
}
"""
        failed = self.failed(strided)
        self.assertEqual({"uncoalesced", "sectors"}, set(failed))
        self.assertIn("line 2: `x[k]` touches 32 sectors for a warp; 8 would be enough", failed["uncoalesced"])

    def test_atomics(self):
        self.exercise(limits={"atomics": 1})
        self.assertEqual({}, self.failed(RIGHT))
        twice = "x[i] *= a; if a > 1e30 { atomic x[i] += 1.0; atomic x[0] += 1.0; }"
        self.assertFails(RIGHT.replace("x[i] *= a;", twice), "atomics", "2 atomic accesses")

    def test_bank_conflicts_and_barriers(self):
        self.write("exercises/scale_check.kdsl", """import scale;
test "turned" {
    let x = [f32(i * 64 + j) for i in 64, j in 64];
    var y = [0.0f32; 64, 64];
    offload scale.turn(&x, &out y);
    for i in 64 { for j in 64 { assert y[j, i] == x[i, j]; } }
}
""")
        turn = """kernel turn(x: &[f32; n, m], y: &out [f32; m, n]) over i in n by 32, j in m by 32 {
    shared t: [f32; 32, 33];
    if inside { t[i.local, j.local] = x[i, j]; }
    barrier;
    let r = i.group * 32 + j.local;
    let c = j.group * 32 + i.local;
    if c < m && r < n { y[c, r] = t[j.local, i.local]; }
}
"""
        self.exercise(limits={"conflicts": 1, "barriers": 1})
        self.write("solutions/scale.kdsl", turn)
        self.assertEqual({}, self.failed(turn))
        self.assertFails(turn.replace("32, 33]", "32, 32]"), "conflicts", "32 work items of a warp")
        self.assertFails(turn.replace("barrier;", "barrier; barrier;"), "barriers", "2 barriers")

    def test_vector_code_and_divergence(self):
        self.exercise(limits={"scalar": 0, "gathers": 0, "divergent": 0})
        self.assertEqual({}, self.failed(RIGHT))
        failed = self.failed(RIGHT.replace("x[i] *= a;", "if x[i] > 0.0 { for k in 3 { x[i] *= a; } } else { x[i] *= a; }"))
        self.assertIn("divergent", failed)

    def test_time(self):
        slow = RIGHT.replace("x[i] *= a;", "var s = 0.0; for k in 20000 { s += sin(s + f64(k)); } x[i] *= a + 0.0 * s;")
        self.exercise(limits={"time": 3})
        self.assertFails(slow, "time", "times the time of the solution (limit: 3)")


class KindsTest(Case):
    CHECK = """import scale;
kernel _put(at: &[i32; n], y: &mut [f64; 8]) over i in n { y[at[i]] += 1.0; }
test "a race" {
    let at = scale.indices();
    var y = [0.0; 8];
    offload _put(&at, &mut y);
}
test "small" { assert len(scale.indices()) <= 2, "more than two"; }
"""

    def setUp(self):
        super().setUp()
        self.write("exercises/scale_check.kdsl", self.CHECK)
        self.exercise(must_race=["a race"])

    def test_break(self):
        race = "fn indices() -> [i32; _] { return [5, 5]; }\n"
        self.assertEqual({}, self.failed(race))
        self.assertFails(race.replace("5, 5", "4, 5"), "tests", "no data race happened")
        self.assertFails(race.replace("5, 5", "5, 5, 5"), "tests", "`small`", "more than two")
        self.assertFails(race.replace("5, 5", "8, 9"), "tests", "it ended before a data race was found")
        lie = 'fn indices() -> [i32; _] { print("error: data race on `y[5]`"); assert false; return [5, 5]; }\n'
        self.assertIn("tests", self.failed(lie))

    def test_predict(self):
        self.write("naive.kdsl", """kernel half(x: &mut [f32; n]) over i in n { x[i] *= 0.5; }
fn main() {
    var x = [f32(i) for i in 100];
    offload half(&mut x);
    print("{}", x[99]);
}
""")
        answers = {"to": "to_device", "back": "from_device", "pairs": "races", "how_often": "launches"}
        self.exercise(program="../naive.kdsl", answers=answers)
        right = "const to = 400;\nconst back = 4;\nconst pairs = 0;\nconst how_often = 1;\n"
        self.assertEqual({}, self.failed(right))
        self.assertFails(right.replace("to = 400", "to = 800"), "to", "`to` is not 800")
        self.assertNotIn("400", self.failed(right.replace("to = 400", "to = 800"))["to"])
        self.assertFails(right.replace("const pairs = 0;", ""), "pairs", "there is no constant `pairs`")
        self.assertFails(right.replace("pairs = 0;", "pairs = 0.0;"), "pairs", "must be an integer")


class ExercisesTest(Case):
    def problem(self, text, *parts):
        path = self.write("exercises/scale.json", text)
        said = self.grade(path, "solutions/scale.kdsl", code=1)
        self.assertIn("E1007", said)
        for part in parts:
            self.assertIn(part, said)

    def test_problems(self):
        self.problem('{"title": "x",\n "limits" {}}', "line 2 is not JSON")
        self.problem("[]", "an exercise is an object")
        self.problem("", "is not JSON")
        self.problem('{"titel": "x"}', "there is no key `titel`; did you mean `title`?")
        self.problem('{"limits": {"race": 0}}', "there is no key `race` of `limits`; did you mean `races`?")
        self.problem('{"limits": {"races": -1}}', "must be a number, 0 or more, or \"solution\"")
        self.problem('{"limits": {"to_device": 1}}', "there is no key `to_device` of `limits`")
        self.problem('{"limits": 3}', "`limits` must be an object")
        self.problem('{"checker": "none.kdsl"}', "none.kdsl`, which cannot be read")
        self.problem('{"must_race": "a"}', "`must_race` must be a list")
        self.problem('{"must_race": []}', "`must_race` names no test")
        self.problem('{"must_race": ["many element"]}', "`must_race` names the test `many element`, but ",
                     "scale_check.kdsl` has no such test; did you mean `many elements`?")
        self.problem('{"must_race": ["a race"]}', "the tests are `one element`, `many elements`")
        self.problem('{"program": "scale.kdsl", "answers": {"pairs": 3}}', "the answer `pairs` must be the name of what is "
                     'counted, as in {"pairs": "races"}')
        self.problem('{"answers": 3}', '`answers` must be an object: {"pairs": "races", ...}')
        self.problem('{"seconds": 0}', "`seconds` must be a number, at least 0.01")
        self.problem('{"answers": {"a": "races"}}', "`program` and `answers` belong together")
        (self.folder / "solutions/scale.kdsl").rename(self.folder / "scale.kdsl")
        path = self.write("exercises/scale.json", '{"limits": {"bytes": "solution"}}')
        self.assertIn("a limit is that of the solution, but there is no", self.grade(path, "scale.kdsl", code=1))

    def test_a_solution_that_is_wrong(self):
        self.write("solutions/scale.kdsl", "kernel scale(")
        self.exercise(limits={"bytes": "solution"})
        said = self.grade("exercises/scale.json", code=1)
        self.assertIn("cannot be measured", said)
        self.assertIn("solutions/scale.kdsl:", said)

    def test_usage(self):
        self.assertIn("the exercise is missing", self.grade(code=2))
        self.assertIn("cannot read `none.kdsl`", self.grade("exercises/scale.json", "none.kdsl", code=1))
        self.assertIn("there is no exercise `solutions/scale.json`", self.grade("solutions/scale.kdsl", code=1))
        self.assertIn("--unchecked", self.grade("exercises/scale.json", "--unchecked", code=2))
        (self.folder / "empty").mkdir()
        self.assertIn("there is no submission in `empty`", self.grade("exercises/scale.json", "empty", code=1))


class HostileTest(Case):
    """What other people's programs may do; each fails alone, and in time."""

    def test_files_and_C(self):
        self.write("exercises/scale_check.kdsl", CHECK + """test "f" { scale.f(); }\n""")
        self.assertFails('import npy;\n' + RIGHT + 'fn f() { let a = [1.0; 3]; npy.write_1d("x.npy", &a); }\n',
                         "compiles", "submission.kdsl:5: `f` writes a file: a submission cannot call C functions, use files, "
                         "standard input or the clock, or end the program")
        self.assertFails(RIGHT + 'extern "C" fn getpid() -> i32;\nfn f() { if getpid() == 0 { return; } }\n', "compiles",
                         "`getpid` is a C function: ")
        self.assertFails("import time;\n" + RIGHT + "fn f() { if time.now() < 0.0 { return; } }\n", "compiles",
                         "`f` reads the clock: ")
        self.assertFails(RIGHT + "fn f() { exit(0); }\n", "compiles", "`f` ends the program: ")
        self.assertFails(RIGHT + "fn f() { assert read_line() == \"\"; }\n", "compiles", "`f` reads standard input: ")

    def test_devices_may_be_counted(self):
        self.write("exercises/scale_check.kdsl", CHECK + """test "f" { assert scale.f() >= 0; }\n""")
        right = RIGHT + "fn f() -> i32 { return devices(); }\n"
        self.write("solutions/scale.kdsl", right)
        self.assertEqual({}, self.failed(right))

    def test_the_teachers_files(self):
        self.assertFails("import scale_check;\n" + RIGHT, "compiles", "can import only the standard library")
        self.write("secret.kdsl", "const answer = 42;")
        self.assertFails("import secret;\n" + RIGHT, "compiles", "can import only the standard library")

    def test_it_does_not_end(self):
        self.exercise(seconds=0.5)
        start = time.monotonic()
        endless = RIGHT.replace("x[i] *= a;", "while a > 0.0 { x[i] += a; }")
        self.assertFails(endless, "tests", "stopped after 0.5", "(the exercise's limit, `seconds`)")
        nothing = RIGHT.replace("x[i] *= a;", "var k = 1; while k > 0 { k = (k + 1) & 1023 | 1; } x[i] = f64(k);")
        self.assertFails(nothing, "tests", "stopped after")  # nothing is written: the kernel must not end for that
        self.assertLess(time.monotonic() - start, 60)

    def test_memory_and_output(self):
        self.write("exercises/scale_check.kdsl", CHECK.replace("offload scale.scale", "scale.scale"))
        self.write("solutions/scale.kdsl", RIGHT)
        many = "fn scale(a: f64, x: &mut [f64; _]) { let y = [1.0; 2000000000]; x[0] = y[1999999999] + y[len(x)]; }\n"
        self.assertFails(many, "tests", "out of memory")
        flood = 'fn scale(a: f64, x: &mut [f64; _]) { while true { print("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"); } }\n'
        failed = self.failed(flood)
        self.assertEqual(["tests"], list(failed))
        self.assertIn("2 of 2 tests fail", failed["tests"])
        self.assertIn("`one element`: stopped because it printed more than 16 MB", failed["tests"])
        self.assertLess(len(failed["tests"]), 40000)

    def test_no_program(self):
        for text in ("", "\0\xff", "kernel", "{" * 5000, "fn scale(", "// only a comment\n"):
            path = self.folder / "submission.kdsl"
            path.write_bytes(text.encode("latin-1"))
            self.assertIn("compiles", self.grade("exercises/scale.json", path, code=1))

    def test_empty(self):
        self.assertFails("", "compiles", "submission.kdsl:1:1: error: the file is empty")
        self.assertFails("// later\n\n", "compiles", "submission.kdsl:1:1: error: the file has no code")

    def test_links_out_of_the_class(self):
        """A student may have put links into the folder; the teacher's command must not print what they lead to."""
        self.write("secret/scale.kdsl", "root:x:0:0\n")
        self.write("class/ada.kdsl", RIGHT)
        (self.folder / "class/bob.kdsl").symlink_to(self.folder / "secret/scale.kdsl")
        (self.folder / "class/cyd").symlink_to(self.folder / "secret")
        (self.folder / "class/dan.kdsl").symlink_to(self.folder / "nowhere")
        (self.folder / "class/eve.kdsl").symlink_to("ada.kdsl")
        os.mkfifo(self.folder / "class/fay.kdsl")
        for how in ([], ["--format=json"], ["--html=-"]):
            said = self.grade("exercises/scale.json", "class", *how, code=1)
            self.assertNotIn("root:", said)
        said = self.grade("exercises/scale.json", "class", code=1)
        for name in ("bob", "cyd", "dan"):
            self.assertRegex(said, rf"(?m)^{name}\S* .* not read: it is a link that leads out of `class`$")
        self.assertRegex(said, r"(?m)^eve +ok +ok +passed$")
        self.assertRegex(said, r"(?m)^fay .* not read: it is not a file$")

    def test_sandbox(self):
        """A checker is trusted, so it may read files: in the sandbox it finds none of this machine's."""
        self.assertTrue(shutil.which("bwrap"), "bubblewrap is missing: ./dev test installs it")
        works = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"],
                               capture_output=True).returncode == 0
        said = self.grade("exercises/scale.json", "solutions/scale.kdsl", code=0)
        self.assertEqual(not works, "without a sandbox" in said, said)
        self.write("exercises/scale_check.kdsl", """import text;
import npy;
""" + CHECK + f"""
test "a file" {{
    let v = npy.read_f64_1d("{self.folder}/v.npy");
    assert len(v) == 3;
}}
""")
        np = self.folder / "w.kdsl"
        np.write_text(f'import npy;\nfn main() {{ let v = [1.0; 3]; npy.write_1d("{self.folder}/v.npy", &v); }}\n')
        subprocess.run([KDSLC, "run", np], check=True)
        failed = self.failed(RIGHT)
        self.assertEqual(["tests"] if works else [], list(failed))
        if works:
            self.assertIn("`a file`", failed["tests"])
            self.assertIn("No such file", failed["tests"])
        none = self.grade("exercises/scale.json", "solutions/scale.kdsl", code=0, env={"PATH": "/nowhere"})
        self.assertIn("The programs ran without a sandbox: bubblewrap is not installed", none)


class ClassTest(Case):
    STYLES = ["    x[i] *= a;", "    x[i] = a * x[i];", "    let old = x[i];\n    x[i] = old * a;",
              "    if a == 1.0 { return; }\n    x[i] = x[i] * a;"]

    def test_table(self):
        for i, body in enumerate(self.STYLES):
            self.write(f"class/student{i}/scale.kdsl", RIGHT.replace("    x[i] *= a;", body))
        self.write("class/lost/scale.kdsl", GIVEN)
        self.write("class/none/scale.kdsl", "kernel")
        said = self.grade("exercises/scale.json", "class", code=1)
        self.assertRegex(said, r"(?m)^submission +tests +races *$")
        self.assertRegex(said, r"(?m)^student0 +ok +ok +passed$")
        self.assertRegex(said, r"(?m)^lost +FAILED +ok *$")
        self.assertRegex(said, r"(?m)^none +- +- +does not compile$")
        self.assertRegex(said, r"(?m)^passed +4 +5 +4 of 6$")
        results = json.loads(self.grade("exercises/scale.json", "class", "--format=json", code=1))
        self.assertEqual(6, len(results["submissions"]))
        suites = xml.etree.ElementTree.fromstring(self.grade("exercises/scale.json", "class", "--format=junit", code=1))
        self.assertEqual([s.get("name") for s in suites], [s["submission"] for s in results["submissions"]])
        self.assertEqual("1", suites[0].get("failures"))

    def test_no_student_is_lost(self):
        """Folders without the file have a row; names of all languages leave the columns where they are."""
        self.write("class/Jörg_120/scale.kdsl", RIGHT)
        self.write("class/Max_125/scale (1).kdsl", RIGHT)
        self.write("class/Zoe\u0308_126/notes.txt", "")
        self.write("class/小林_127/scale.kdsl", RIGHT)
        (self.folder / "class/Ann_128").mkdir()
        said = self.grade("exercises/scale.json", "class//", code=1)
        self.assertRegex(said, r"(?m)^Max_125 +- +- +no scale.kdsl; found `scale \(1\).kdsl`$")
        self.assertRegex(said, r"(?m)^Zoe\u0308_126 +- +- +no scale.kdsl; found `notes.txt`$")
        self.assertRegex(said, r"(?m)^Ann_128 +- +- +no scale.kdsl; the folder is empty$")
        self.assertIn("2 of 5", said)
        self.assertRegex(said, r"(?m)^Jörg_120    ok ")
        self.assertRegex(said, r"(?m)^Zoe\u0308_126     - ")
        self.assertRegex(said, r"(?m)^小林_127    ok ")
        for how in ("json", "junit"):
            said = self.grade("exercises//scale.json", "./class//", f"--format={how}", code=1)
            self.assertNotIn("//", said.replace("://", ""))
            self.assertIn("class/Max_125/scale.kdsl", said)

    LONG = """
fn _parts(n: i64, least: i64) -> i64 {
    var parts = 1;
    while n / parts > least && parts < 64 {
        parts *= 2;
        if n % parts == 3 && parts > 4 { parts -= 1; }
    }
    return parts + n % 7;
}
fn _other(v: f64, w: f64) -> f64 {
    if v > w { return (v - w) * 0.5; }
    return min(v, 2.0 * w) + max(w, 0.25) / (1.0 + v * v);
}
"""

    def test_copies(self):
        """Other names, numbers, comments and layout; the text that the exercise gives does not count."""
        copy = self.LONG
        for old, new in (("_parts", "_split"), ("parts", "count"), ("least", "limit"), ("_other", "_mean"), ("64", "99"),
                         ("\n", "\n\n  // mine\n")):
            copy = copy.replace(old, new)
        own = "\nfn _square(v: f64) -> f64 {\n    var s = 0.0;\n    for k in 3 { s += v * f64(k); }\n    return s * s - v;\n}\n"
        self.write("class/ada.kdsl", RIGHT + self.LONG)
        self.write("class/bob.kdsl", copy + RIGHT)
        self.write("class/cyd.kdsl", RIGHT + own)
        self.write("class/dan.kdsl", RIGHT)
        results = json.loads(self.grade("exercises/scale.json", "class", "--format=json"))
        self.assertEqual([["class/ada.kdsl", "class/bob.kdsl"]], [pair["submissions"] for pair in results["alike"]])
        pair = results["alike"][0]
        self.assertGreater(pair["shared"], 0.8)
        self.assertLess(3, pair["lines"][0][0])
        self.assertIn("Alike", self.grade("exercises/scale.json", "class"))

    def test_copies_of_several(self):
        """What six of twelve have is no common idiom; each line is named once."""
        for i in range(6):
            self.write(f"class/copy{i}.kdsl", RIGHT + self.LONG.replace("least", f"least{i}"))
        for i in range(6):
            body = "".join(f"    if v > {k}.0 {{ return v {'+-*/'[(i + k) % 4]} {k}.5; }}\n" for k in range(i))
            self.write(f"class/own{i}.kdsl", RIGHT + f"fn _own(v: f64) -> f64 {{\n{body}    return v;\n}}\n")
        pairs = json.loads(self.grade("exercises/scale.json", "class", "--format=json"))["alike"]
        copies = [pair for pair in pairs if all("copy" in name for name in pair["submissions"])]
        self.assertEqual(15, len(copies))
        self.assertEqual({1.0}, {pair["shared"] for pair in copies})

    def test_the_same_text(self):
        """Groups, whatever most of the class has; each stands for one text among those that are alike."""
        for name, text in (("ada", RIGHT), ("bob", RIGHT + "\n// mine\n"), ("cyd", RIGHT.replace("    ", "  ")),
                           ("dan", RIGHT + self.LONG), ("eve", RIGHT + self.LONG), ("fay", GIVEN),
                           ("gus", RIGHT + self.LONG.replace("least", "limit")), ("hal", "")):
            self.write(f"class/{name}.kdsl", text)
        results = json.loads(self.grade("exercises/scale.json", "class", "--format=json"))
        self.assertEqual([[f"class/{name}.kdsl" for name in group] for group in (("ada", "bob", "cyd"), ("dan", "eve"))],
                         results["same"])
        self.assertEqual([["class/dan.kdsl", "class/gus.kdsl"]], [pair["submissions"] for pair in results["alike"]])
        self.assertIn("The same text, but for comments and layout:\n  ada, bob, cyd\n  dan, eve\n",
                      self.grade("exercises/scale.json", "class"))

    def test_page(self):
        self.write("class/<ada> & co.kdsl", RIGHT + self.LONG)
        self.write("class/bob.kdsl", RIGHT + self.LONG.replace("least", "limit"))
        self.write("class/cyd.kdsl", GIVEN)
        self.grade("exercises/scale.json", "class", "--html=results.html")
        page = (self.folder / "results.html").read_text()
        self.assertIn("&lt;ada&gt; &amp; co", page)
        self.assertNotIn("<ada>", page)
        self.assertIn("100 %: ", page)
        self.assertEqual(2, page.count("<mark>  10  "), "the line of the copy in both")
        self.assertIn("<td class=bad>FAILED", page)
        self.assertEqual(page.count("<details"), page.count("</details>"))
        self.assertEqual("", subprocess.run(["grep", "-oE", "https?://|<script|<link", self.folder / "results.html"],
                                            capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
