"""The fenced blocks of the documentation: test_docs.py tries them all, others the programs among them."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1\s*$", flags=re.M | re.S)


def pages():
    course = (ROOT / "course").rglob("*.md")
    return [*documentation(), *sorted(page for page in course if page.name != "notebook.md")]


def notebooks():
    """Their blocks are inputs of a session, not programs: tests/course/test_notebooks.py runs them."""
    return sorted((ROOT / "course").rglob("notebook.md"))


def documentation():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page):
    """(first line, words after the fence, text, last line)"""
    text = page.read_text()
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match.group(2).strip(), match.group(3), line + match.group(0).count("\n")


def programs():
    """(where, text, arguments, standard input, what it prints, exit code) of each program whose output a page of the
    documentation shows. Not of the course: its programs work on millions of elements, and some show on purpose what depends
    on the order."""
    for page in documentation():
        found = list(blocks(page))
        for (line, kind, text, end), (after, next_kind, printed, _) in zip(found, found[1:]):
            kind, _, more = kind.partition(" ")
            shown = re.fullmatch(r"text(?: exit=(\d+))?", next_kind) if after == end + 1 else None
            if kind != "kdsl" or not shown or not re.search(r"^\s*fn main\(", text, flags=re.M):
                continue
            lines = more.removeprefix("stdin=").split("|") if more.startswith("stdin=") else []
            args = [] if lines else more.removeprefix("args=").split()
            stdin = "".join(line + "\n" for line in lines)
            yield f"{page.relative_to(ROOT)}:{line}", text, args, stdin, printed, int(shown.group(1) or 0)
