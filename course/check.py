#!/usr/bin/env python3
"""Checks the exercises of a lesson, before students get them: each compiles and does not pass as it is given, its solution
passes, and each wrong answer fails by the criteria that its first line names and by no other.

Usage: check.py FOLDER... [--kdslc KDSLC]     a folder has exercises/, solutions/ and wrong/

    // Fails: races, bytes       the first line of a wrong answer
    // May fail: tests           the second, where it depends on the machine"""
import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def exercises(lesson):
    """The descriptions of the exercises of a lesson."""
    return sorted((lesson / "exercises").glob("*.json"))


def solution(exercise):
    """The file of the solution: the one that the exercise names, or the one in solutions/."""
    named = json.loads(exercise.read_text()).get("solution")
    return exercise.parent / named if named else exercise.parent.parent / "solutions" / f"{exercise.stem}.kdsl"


def wrong_answers(exercise):
    return sorted((exercise.parent.parent / "wrong").glob(f"{exercise.stem}-*.kdsl"))


def grade(kdslc, exercise, *submissions):
    """What `kdslc grade` says of each submission; ValueError with its message if it cannot grade."""
    try:
        done = subprocess.run([kdslc, "grade", exercise, *submissions, "--format=json"], capture_output=True, text=True)
    except OSError as error:
        raise ValueError(f"cannot run `{kdslc}` ({error.strerror}): name the compiler with --kdslc") from None
    try:
        return json.loads(done.stdout)["submissions"]
    except ValueError:
        raise ValueError(done.stdout + done.stderr) from None


def names(line, word):
    """The criteria after `// word:`; None: the line is another one."""
    found = re.fullmatch(rf"// {word}: ([a-z_0-9, ]+)", line)
    return set(found[1].replace(" ", "").split(",")) if found else None


def problems(kdslc, exercise, wrong=None):
    """What is not as it should be, as sentences. `wrong`: these wrong answers instead of all."""
    lesson = exercise.parent.parent
    given, right = exercise.with_suffix(".kdsl"), solution(exercise)
    wrong = wrong_answers(exercise) if wrong is None else wrong
    missing = [path for path in (given, right) if not path.is_file()]
    if missing:
        return [f"{path}: there is no such file" for path in missing]
    try:
        results = grade(kdslc, exercise, given, right, *wrong)
    except ValueError as error:
        return [str(error).strip()]
    found = []
    for path, result in zip((given, right, *wrong), results):
        failed = {criterion["name"]: criterion["sentence"] for criterion in result["criteria"] if not criterion["passed"]}
        said = "".join(f"\n    {name}: {sentence}" for name, sentence in failed.items())

        def add(problem):
            found.append(f"{path.relative_to(lesson) if lesson in path.parents else path}: {problem}{said}")

        if path == given:
            if not failed:
                add("passes as it is given")
            elif "compiles" in failed:
                add("what is given must compile")
        elif path == right:
            if failed:
                add("the solution does not pass")
        else:
            first, second = (path.read_text().splitlines() + ["", ""])[:2]
            must, may = names(first, "Fails"), names(second, "May fail") or set()
            if must is None:
                add("the first line must name the criteria by which it fails, as in `// Fails: tests`")
            elif must - set(failed):
                add(f"should fail by {', '.join(sorted(must))}, but does not fail by {', '.join(sorted(must - set(failed)))}")
            elif set(failed) - must - may:
                add(f"also fails by {', '.join(sorted(set(failed) - must - may))}, which its first line does not name")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, nargs="+", help="of a lesson")
    parser.add_argument("--kdslc", default="kdslc")
    args = parser.parse_intermixed_args()
    failed = False
    for folder in args.folder:
        todo = exercises(folder)
        if not todo:
            sys.exit(f"check.py: {folder}/exercises has no descriptions of exercises (*.json)")
        with ThreadPoolExecutor(2) as pool:
            for exercise, found in zip(todo, pool.map(lambda e: problems(args.kdslc, e), todo)):
                wrong = len(wrong_answers(exercise))
                print(f"{exercise.stem}: " + ("not as it should be" if found else
                      f"what is given fails, the solution passes, {wrong} wrong answers fail as they say"))
                for problem in found:
                    print("  " + problem.replace("\n", "\n  "))
                if not found and wrong < 2:
                    print("  write wrong answers: a criterion that none of them fails is not needed")
                failed = failed or bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
