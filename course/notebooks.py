#!/usr/bin/env python3
"""The notebooks of the course: writes notebooks/NN-name.ipynb from NN-name/notebook.md, for each lesson that has one.

    ```kdsl            a code cell
    ```kdsl fails      a code cell that is meant to end with an error
    everything else    Markdown cells, which begin at code cells and at headings of level 2

Usage: notebooks.py [--check]     --check: write nothing; exit code 1 if a notebook is stale"""
import argparse
import json
import posixpath
import re
import sys
from pathlib import Path

COURSE = Path(__file__).resolve().parent
FOLDER = COURSE / "notebooks"
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ ]*\n", flags=re.M | re.S)
LINK = re.compile(r"`[^`\n]*`|(\]\()([^)\s]+)(?=\))")
METADATA = {
    "kernelspec": {"display_name": "KDSL", "language": "kdsl", "name": "kdsl"},
    "language_info": {"codemirror_mode": "rust", "file_extension": ".kdsl", "mimetype": "text/x-kdsl", "name": "kdsl",
                      "pygments_lexer": "rust"},  # as the kernel says; jupyter/requests.c
}


def parts(text):
    """(kind, text) of each cell: "kdsl", "kdsl fails", or "" for Markdown."""
    pending, at = "", 0

    def markdown(more):
        nonlocal pending
        first, *others = re.split(r"^(?=## )", more, flags=re.M)
        pending += first
        for part in others:
            yield "", pending
            pending = part

    for fence in FENCE.finditer(text):
        yield from markdown(text[at:fence.start()])
        at = fence.end()
        if fence[2].split()[:1] == ["kdsl"]:
            yield "", pending
            yield fence[2].strip(), fence[3]
            pending = ""
        else:
            pending += fence[0]  # a block of Markdown, whose lines are not headings
    yield from markdown(text[at:])
    yield "", pending


def cells(page):
    for kind, text in parts(page.read_text()):
        if text.strip():
            yield kind, text.strip("\n")


def relinked(page, text):
    """The Markdown with links that lead from the folder of the notebooks to where they lead from the page."""
    def link(match):
        if not match[2] or re.match(r"\w+:|#", match[2]):
            return match[0]
        target = posixpath.normpath(f"../{page.parent.name}/{match[2]}")
        return match[1] + re.sub(r"^\.\./([^/]+)/notebook\.md$", r"\1.ipynb", target)

    out, at = [], 0
    for fence in FENCE.finditer(text + "\n"):
        out += [LINK.sub(link, text[at:fence.start()]), fence[0]]
        at = fence.end()
    return ("".join(out) + LINK.sub(link, text[at:])).rstrip("\n")


def notebook(page):
    """The text of the .ipynb file, with keys and lines as Jupyter writes them when it saves a notebook."""
    found = []
    for number, (kind, text) in enumerate(cells(page), 1):
        if kind not in ("", "kdsl", "kdsl fails"):
            sys.exit(f"notebooks.py: {page.relative_to(COURSE.parent)}: what is a block of the kind `{kind}`?")
        cell = {"id": f"cell-{number:02}", "metadata": {"tags": ["raises-exception"]} if kind == "kdsl fails" else {},
                "source": (text if kind else relinked(page, text)).splitlines(keepends=True)}
        cell |= {"cell_type": "code", "execution_count": None, "outputs": []} if kind else {"cell_type": "markdown"}
        found.append(cell)
    whole = {"cells": found, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a notebook is stale")
    args = parser.parse_args()
    made = {FOLDER / f"{page.parent.name}.ipynb": notebook(page) for page in sorted(COURSE.glob("[0-9][0-9]-*/notebook.md"))}
    stale = 0
    for path, text in made.items():
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if args.check:
            print(f"{path.relative_to(COURSE.parent)} is stale: run course/notebooks.py", file=sys.stderr)
        else:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text)
            print(path.relative_to(COURSE.parent))
    for path in sorted(FOLDER.glob("[0-9][0-9]-*.ipynb")):
        if path not in made:
            stale += 1
            print(f"{path.relative_to(COURSE.parent)} has no notebook.md: remove it", file=sys.stderr)
    sys.exit(1 if args.check and stale else 0)


if __name__ == "__main__":
    main()
