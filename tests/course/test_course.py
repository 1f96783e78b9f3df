#!/usr/bin/env python3
"""The course: every exercise compiles and does not pass as it is given, its solution passes, and each wrong answer fails
by the criteria that its first line names and by no other (course/check.py). Each lesson is whole. Usage: test_course.py
KDSLC [--quick | --exhaustive]; --quick: of each exercise one wrong answer."""
import json
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "course"))
import check  # noqa: E402
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
LESSONS = sorted(path for path in (ROOT / "course").glob("[0-9][0-9]-*"))
EXERCISES = sorted((ROOT / "course").glob("*/exercises/*.json"))


class CourseTest(unittest.TestCase):
    def test_lessons_are_whole(self):
        self.assertTrue(LESSONS)
        for lesson in LESSONS:
            exercises = [path for path in EXERCISES if path.parent.parent == lesson]
            self.assertTrue(4 <= len(exercises) <= 6, lesson)
            for page in ("lesson.md", "teacher.md"):
                self.assertTrue((lesson / page).exists(), f"{lesson}/{page}")
            kinds = {"predict" if "answers" in e else "break" if "must_race" in e else "write"
                     for e in (json.loads(path.read_text()) for path in exercises)}
            self.assertTrue(kinds - {"write"}, f"{lesson}: an exercise that is not to write a program")
            page = (lesson / "lesson.md").read_text()
            for path in exercises:
                self.assertIn(path.stem, page, f"{lesson.name}/lesson.md does not name the exercise {path.stem}")
            extra = {path.stem for path in lesson.glob("solutions/*")} - {path.stem for path in exercises}
            self.assertFalse(extra, f"{lesson}: solutions without an exercise")

    def test_answers(self):
        with ThreadPoolExecutor(2) as pool:
            for problem in pool.map(self.grade, EXERCISES):
                if problem:
                    with self.subTest():
                        self.fail(problem)

    def grade(self, exercise):
        """What is not as it should be; or None."""
        wrong = check.wrong_answers(exercise)
        if len(wrong) < 2:
            return f"{exercise}: fewer than two wrong answers"
        return "\n".join(check.problems(KDSLC, exercise, wrong[:1] if parts.PART == "quick" else wrong))

    def test_names_are_unique(self):
        """A teacher collects the submissions of a class in a folder for each exercise."""
        names = [path.stem for path in EXERCISES]
        self.assertEqual([], sorted({name for name in names if names.count(name) > 1}))


if __name__ == "__main__":
    unittest.main()
