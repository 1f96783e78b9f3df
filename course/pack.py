#!/usr/bin/env python3
"""What students get of the course: for each lesson its page, programs, pictures, exercises with checkers and notebook,
without solutions, wrong answers and pages for teachers. A limit that is that of the solution becomes a number, so that
students can grade without the solution.

Usage: pack.py FOLDER [LESSON...] [--kdslc KDSLC]     LESSON: its number, or the folder of a lesson of your own

    FOLDER/course/                  the files
    FOLDER/01-first-kernel.tar.gz   those of one lesson; each archive has `course/` in it
    FOLDER/course.tar.gz            all of them

The folder must be empty or new, or one that this script has made: then `course/` and the archives are made again."""
import argparse
import gzip
import io
import json
import posixpath
import re
import shutil
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check

COURSE = Path(__file__).resolve().parent
MARK = "<!-- made by course/pack.py -->\n"
# A lesson's folder may also contain what its programs have written, and compiled programs: students get source and data.
KINDS = {".md", ".kdsl", ".json", ".png", ".svg", ".jpg", ".csv", ".txt", ".npy", ".ipynb"}
FOR_TEACHERS = {"teacher.md", "notebook.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ ]*$", flags=re.M | re.S)


def lessons():
    return sorted(path.parent for path in COURSE.glob("[0-9][0-9]-*/lesson.md"))


def chosen(words):
    """The folders of the lessons that the words name."""
    found = []
    for word in words:
        same = [lesson for lesson in lessons() if lesson.name == word or (word.isdigit() and int(lesson.name[:2]) == int(word))]
        folder = same[0] if same else Path(word).resolve()
        if not (folder / "exercises").is_dir():
            sys.exit(f"pack.py: there is no lesson `{word}`: name its number, or a folder that contains exercises/")
        found.append(folder)
    return found


def how_students_work(text):
    """README.md, with what a student does who has an archive."""
    students = (COURSE / "students.md").read_text() + "\n"
    text, count = re.subn(r"^## How to work\n.*?(?=^## )", lambda _: students, text, flags=re.M | re.S)
    assert count == 1, "README.md has no `## How to work`"
    return text


def page_for_students():
    """The page of the course, without what is for teachers."""
    text = how_students_work((COURSE / "README.md").read_text())
    text, count = re.subn(r"^## For teachers\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    assert count == 1, "README.md has no `## For teachers`"
    return text.rstrip() + "\n"


def for_students(kdslc, exercise):
    """The description of an exercise, which does not need the solution."""
    about = json.loads(exercise.read_text())
    limits = about.get("limits", {})
    if "solution" in limits.values():
        result = check.grade(kdslc, exercise, check.solution(exercise))[0]
        measured = {criterion["name"]: criterion.get("limit") for criterion in result["criteria"]}
        failed = {criterion["name"] for criterion in result["criteria"] if not criterion["passed"]}
        if failed - {"time"} or any(measured.get(name) is None for name, most in limits.items() if most == "solution"):
            raise ValueError(f"{exercise}: the solution does not pass; course/check.py says why")
        about["limits"] = {name: measured[name] if most == "solution" else most for name, most in limits.items()}
    if about.get("limits", {}).pop("time", None) is not None:
        print(f"pack.py: {exercise.stem}: students do not get the limit `time`, which is measured beside the solution",
              file=sys.stderr)
    about.pop("solution", None)
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def files_of(kdslc, lesson):
    """The files of a lesson by their names in `course/`."""
    found = {}
    for path in sorted([*lesson.glob("*"), *(lesson / "exercises").rglob("*")]):
        if path.is_file() and path.suffix in KINDS and path.name not in FOR_TEACHERS:
            found[f"{lesson.name}/{path.relative_to(lesson)}"] = path.read_bytes()
    with ThreadPoolExecutor(2) as pool:
        todo = check.exercises(lesson)
        for exercise, text in zip(todo, pool.map(lambda path: for_students(kdslc, path), todo)):
            found[f"{lesson.name}/exercises/{exercise.name}"] = text.encode()
            about = json.loads(text)
            for name in (about.get("checker"), about.get("program")):
                if name and f"{lesson.name}/{(exercise.parent / name).resolve().relative_to(lesson)}" not in found:
                    raise ValueError(f"{exercise}: students do not get `{name}`: it must be in the lesson, outside of "
                                     f"solutions/ and wrong/")
    notebook = COURSE / "notebooks" / f"{lesson.name}.ipynb"
    if lesson.parent == COURSE and notebook.exists():
        found[f"notebooks/{notebook.name}"] = notebook.read_bytes()
    return found


def relinked(name, text, everything):
    """A page without links that lead to what students do not get; their words stay, and names of pages of docs/, which are
    installed with the compiler."""
    def link(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[3]))
        if re.match(r"\w+:", match[3]) or target in everything:
            return match[0]
        page = re.fullmatch(r"\.\./(docs/(.*))", target)
        return match[2] if not page else f"`{page[1]}`" if match[2].endswith(page[2]) else f"{match[2]} (`{page[1]}`)"

    out, at = [], 0
    for fence in FENCE.finditer(text):
        out += [LINK.sub(link, text[at:fence.start()]), fence[0]]
        at = fence.end()
    return "".join(out) + LINK.sub(link, text[at:])


def packed(kdslc, folders):
    """(the files of each lesson, the page of the course) as {name: content}"""
    found = {lesson: files_of(kdslc, lesson) for lesson in folders}
    # A lesson that is handed out later will be there: archives are unpacked in one place.
    ours = {f"{lesson.name}/lesson.md" for lesson in lessons()}
    ours |= {f"notebooks/{path.name}" for path in (COURSE / "notebooks").glob("*.ipynb")}
    everything = ours.union(*found.values(), ["README.md"])
    for files in found.values():
        for name in files:
            if name.endswith(".md"):
                files[name] = relinked(name, files[name].decode(), everything).encode()
            elif name.endswith(".ipynb"):
                notebook = json.loads(files[name])
                for cell in notebook["cells"]:
                    if cell["cell_type"] == "markdown":
                        cell["source"] = relinked(name, "".join(cell["source"]), everything).splitlines(keepends=True)
                files[name] = (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()
    page = relinked("README.md", page_for_students(), everything)
    return found, f"{MARK}{page}\nPages named `docs/…` are in the folder `share/doc/kdslc` of the installation.\n".encode()


def archive(files):
    """A .tar.gz of these files in the folder `course`; the same files make the same bytes."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(f"course/{name}")
            member.size, member.mode = len(files[name]), 0o644
            tar.addfile(member, io.BytesIO(files[name]))
    return gzip.compress(data.getvalue(), mtime=0)


def archives(found, page):
    """{name of an archive: its bytes}"""
    made = {f"{lesson.name}.tar.gz": archive(files) for lesson, files in found.items()}
    whole = {"README.md": page}
    for files in found.values():
        whole |= files
    return {**made, "course.tar.gz": archive(whole)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("lesson", nargs="*", help="its number, or the folder of a lesson of your own; all if none is named")
    parser.add_argument("--kdslc", default="kdslc")
    args = parser.parse_intermixed_args()
    page = args.folder / "course/README.md"
    if args.folder.exists() and any(args.folder.iterdir()) and not (page.exists() and page.read_text().startswith(MARK)):
        sys.exit(f"pack.py: {args.folder} exists, and is not a folder that this script has made")
    folders = chosen(args.lesson) or lessons()
    try:
        found, text = packed(args.kdslc, folders)
    except ValueError as error:
        sys.exit(f"pack.py: {error}")
    if args.folder.exists():  # what somebody has put beside stays
        shutil.rmtree(args.folder / "course", ignore_errors=True)
        for path in args.folder.glob("*.tar.gz"):
            path.unlink()
    for files in (*found.values(), {"README.md": text}):
        for name, content in files.items():
            (args.folder / "course" / name).parent.mkdir(parents=True, exist_ok=True)
            (args.folder / "course" / name).write_bytes(content)
    for name, content in archives(found, text).items():
        (args.folder / name).write_bytes(content)
    count = sum(len(check.exercises(lesson)) for lesson in folders)
    print(f"{args.folder}: {len(folders)} lessons, {count} exercises; course.tar.gz has all of them")


if __name__ == "__main__":
    main()
