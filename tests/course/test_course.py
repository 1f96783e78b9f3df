#!/usr/bin/env python3
"""The course: every exercise compiles and does not pass as it is given, its solution passes, and each wrong answer fails
by the criteria that its first line names and by no other. Each lesson is whole. Usage: test_course.py KDSLC [--quick |
--exhaustive]; --quick: of each exercise one wrong answer.

    // Fails: races, bytes       the first line of a wrong answer
    // May fail: tests           the second, where it depends on the machine"""
import json
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
LESSONS = sorted(path for path in (ROOT / "course").glob("[0-9][0-9]-*"))
EXERCISES = sorted((ROOT / "course").glob("*/exercises/*.json"))


def names(line, word):
    found = re.fullmatch(rf"// {word}: ([a-z_0-9, ]+)", line)
    return set(found[1].replace(" ", "").split(",")) if found else None


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
        lesson, name = exercise.parent.parent, exercise.stem
        wrong = sorted(lesson.glob(f"wrong/{name}-*.kdsl"))
        if len(wrong) < 2:
            return f"{exercise}: fewer than two wrong answers"
        if parts.PART == "quick":
            wrong = wrong[:1]
        given, solution = exercise.with_suffix(".kdsl"), lesson / "solutions" / f"{name}.kdsl"
        paths = [given, solution, *wrong]
        done = subprocess.run([KDSLC, "grade", exercise, *paths, "--format=json"], capture_output=True, text=True, timeout=600)
        try:
            results = json.loads(done.stdout)["submissions"]
        except ValueError:
            return f"{exercise}: {done.stdout}{done.stderr}"
        problems = []
        for path, result in zip(paths, results):
            failed = {c["name"] for c in result["criteria"] if not c["passed"]}
            if path == given:
                ok = failed and "compiles" not in failed
            elif path == solution:
                ok = not failed
            else:
                first, second = (path.read_text().splitlines() + ["", ""])[:2]
                must = names(first, "Fails")
                ok = must is not None and must <= failed <= must | (names(second, "May fail") or set())
            if not ok:
                problems.append(f"{path.relative_to(ROOT)}: fails by {sorted(failed)}\n{json.dumps(result['criteria'], indent=1)}")
        return "\n".join(problems)


if __name__ == "__main__":
    unittest.main()
