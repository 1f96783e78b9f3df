#!/usr/bin/env python3
"""What students get (course/pack.py): in the unpacked archive of a lesson, each exercise is graded and does not pass as it is
given, and passes with the solution in its place; nothing is there for teachers only; links lead somewhere; the same course
makes the same archives. Usage: test_pack.py KDSLC [--quick | --exhaustive]; --quick: two lessons"""
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/driver"))
import parts  # noqa: E402
from docs_blocks import FENCE  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
COURSE = ROOT / "course"
LESSONS = sorted(path for path in COURSE.glob("[0-9][0-9]-*"))
if parts.PART == "quick":
    LESSONS = LESSONS[:2]


def pack(folder, *lessons, code=0):
    done = subprocess.run([sys.executable, COURSE / "pack.py", folder, "--kdslc", KDSLC, *lessons], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


class PackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temp.cleanup)
        cls.temp = Path(temp.name)
        cls.folder = cls.temp / "packed"
        cls.said = pack(cls.folder, *(lesson.name for lesson in LESSONS))
        cls.unpacked = cls.temp / "unpacked"
        for lesson in LESSONS:
            with tarfile.open(cls.folder / f"{lesson.name}.tar.gz") as tar:
                tar.extractall(cls.unpacked, filter="data")

    def test_exercises_can_be_graded(self):
        exercises = sorted(self.unpacked.glob("course/*/exercises/*.json"))
        ours = [path for lesson in LESSONS for path in sorted(lesson.glob("exercises/*.json"))]
        self.assertEqual([path.name for path in ours], [path.name for path in exercises])
        with ThreadPoolExecutor(2) as pool:
            for exercise, problem in zip(exercises, pool.map(self.grade, exercises)):
                self.assertIsNone(problem, exercise.name)

    def grade(self, exercise):
        """What is wrong with the exercise for a student, who grades a file beside it; or None."""
        lesson, name = exercise.parent.parent.name, exercise.with_suffix(".kdsl")
        for solved in (False, True):
            if solved:
                shutil.copy(COURSE / lesson / "solutions" / name.name, name)
            done = subprocess.run([KDSLC, "grade", name.name], cwd=exercise.parent, capture_output=True, text=True, timeout=300)
            said = done.stdout + done.stderr
            if done.returncode != (not solved) or "error" in done.stderr or ("not passed" in said) == solved:
                return f"{'solved' if solved else 'as given'}, exit code {done.returncode}:\n{said}"
        return None

    def test_limits_are_numbers(self):
        self.assertIn("exercises", self.said)
        for path in self.unpacked.glob("course/*/exercises/*.json"):
            ours = json.loads((COURSE / path.relative_to(self.unpacked / "course")).read_text())
            theirs = json.loads(path.read_text())
            self.assertEqual({**ours, "limits": 0}, {**theirs, "limits": 0})
            for name, most in ours.get("limits", {}).items():
                given = theirs["limits"][name]
                self.assertTrue(isinstance(given, (int, float)), path)
                self.assertTrue(most == "solution" or most == given, path)

    def test_nothing_for_teachers(self):
        names = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}
        with tarfile.open(self.folder / "course.tar.gz") as tar:
            members = {member.name: member for member in tar.getmembers()}
        self.assertEqual({name for name in names if "." in name and not name.endswith(".gz")}, set(members))
        self.assertFalse([name for name in names if re.search("solutions|wrong|teach|notebook.md|__pycache__", name)])
        secret = {path.read_bytes() for lesson in COURSE.glob("*") for path in lesson.glob("solutions/*")}
        for path in self.folder.rglob("*.*"):
            self.assertNotIn(path.read_bytes(), secret, path.name)
        self.assertNotRegex((self.folder / "course/README.md").read_text(), "[Tt]eacher|teaching")

    def test_links(self):
        """A lesson that is not packed may be linked: it is handed out later."""
        pages = [*self.folder.glob("course/**/*.md"), *self.folder.glob("course/notebooks/*.ipynb")]
        self.assertGreater(len(pages), 3)
        for page in pages:
            text = page.read_text()
            if page.suffix == ".ipynb":
                text = "".join("".join(c["source"]) + "\n" for c in json.loads(text)["cells"] if c["cell_type"] == "markdown")
            for target in re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", text)):
                path = (page.parent / target).resolve()
                later = COURSE / path.relative_to(self.folder / "course") if self.folder in path.parents else path
                self.assertTrue(re.match(r"\w+:", target) or path.is_file() or later.name == "lesson.md" and later.is_file()
                                or later.suffix == ".ipynb" and later.is_file(), f"{page.name} links to {target}")

    def test_one_lesson_again(self):
        """By its number, into the same folder; the archive has the same bytes."""
        other, lesson = self.temp / "other", LESSONS[0].name
        pack(other, "1")
        (other / "mine.txt").write_text("mine")
        (other / "old.tar.gz").write_text("old")
        pack(other, "1")
        self.assertEqual({"course", "course.tar.gz", f"{lesson}.tar.gz", "mine.txt"}, {path.name for path in other.iterdir()})
        self.assertEqual((self.folder / f"{lesson}.tar.gz").read_bytes(), (other / f"{lesson}.tar.gz").read_bytes())

    def test_an_own_lesson(self):
        own = self.temp / "mine/vectors"
        for name in ("exercises", "solutions", "wrong"):
            shutil.copytree(COURSE / LESSONS[1].name / name, own / name)
        (own / "exercises/scratch").write_text("a program")
        about = json.loads((own / "exercises/row.json").read_text())
        (own / "solutions/row.kdsl").rename(own / "solutions/best.kdsl")
        about["solution"] = "../solutions/best.kdsl"
        about["limits"]["time"] = 2
        (own / "exercises/row.json").write_text(json.dumps(about))
        folder = self.temp / "own"
        for path in own.glob("exercises/traffic*"):
            path.unlink()
        self.assertIn("row: students do not get the limit `time`", pack(folder, own))
        theirs = json.loads((folder / "course/vectors/exercises/row.json").read_text())
        self.assertNotIn("solution", theirs)
        self.assertEqual({"races", "bytes"}, set(theirs["limits"]))
        self.assertFalse((folder / "course/vectors/exercises/scratch").exists())
        del about["limits"]["time"]
        about["checker"] = "../solutions/row_check.kdsl"
        shutil.move(own / "exercises/row_check.kdsl", own / "solutions/row_check.kdsl")
        (own / "exercises/row.json").write_text(json.dumps(about))
        self.assertIn("students do not get `../solutions/row_check.kdsl`", pack(folder, own, code=1))
        about["checker"] = "row_check.kdsl"
        shutil.move(own / "solutions/row_check.kdsl", own / "exercises/row_check.kdsl")
        (own / "exercises/row.json").write_text(json.dumps(about))
        shutil.copy(own / "wrong/settle-1.kdsl", own / "solutions/settle.kdsl")
        self.assertIn("settle.json: the solution does not pass; course/check.py says why", pack(folder, own, code=1))

    def test_wrong_arguments(self):
        done = subprocess.run([sys.executable, COURSE / "pack.py", self.temp / "no", "2", "--kdslc", "no-kdslc"],
                              capture_output=True, text=True)
        self.assertEqual((1, "pack.py: cannot run `no-kdslc` (No such file or directory): name the compiler with --kdslc\n"),
                         (done.returncode, done.stderr))
        self.assertFalse((self.temp / "no").exists())
        self.assertIn("there is no lesson `77`", pack(self.temp / "no", "77", code=1))
        (self.temp / "theirs").mkdir()
        (self.temp / "theirs/a.txt").write_text("mine")
        self.assertIn("is not a folder that this script has made", pack(self.temp / "theirs", "1", code=1))


if __name__ == "__main__":
    unittest.main()
