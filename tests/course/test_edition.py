#!/usr/bin/env python3
"""The HTML edition of the course (course/edition.py): links and anchors lead somewhere, nothing comes from a network, every
block is there with its text unchanged, students do not get solutions, another folder is not overwritten.
Usage: test_edition.py KDSLC"""
import html
import json
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from docs_blocks import blocks  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.open, self.problems, self.loads = [], set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes["href"])
        if "src" in attributes or tag in ("link", "script"):
            self.loads.append(attributes.get("src", tag))
        if tag not in VOID and tag not in ("td", "th", "tr", "li", "p"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("td", "th", "tr", "li", "p"):
            return
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> in line {self.getpos()[0]}")


class EditionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temp.cleanup)
        cls.folder = Path(cls.temp.name) / "edition"
        cls.make(cls.folder)
        cls.pages = {path.name: path.read_text() for path in cls.folder.glob("*.html")}
        cls.read = {name: Page(text) for name, text in cls.pages.items()}

    @staticmethod
    def make(folder, *options, code=0):
        done = subprocess.run(["/usr/bin/python3", ROOT / "course/edition.py", folder, "--kdslc", KDSLC, *options],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def test_links(self):
        self.assertGreater(len(self.pages), 8)
        for name, page in self.read.items():
            self.assertEqual((name, [], []), (name, page.problems, page.open))
            for picture in page.loads:
                self.assertIn(Path(picture).suffix, (".png", ".svg"), f"{name} loads {picture}")
                self.assertTrue((self.folder / picture).is_file(), f"{name} loads {picture}")
            for link in page.links:
                if re.match(r"https?:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = self.folder / (path or name)
                self.assertTrue(target.is_file(), f"{name} links to {link}")
                if anchor:
                    self.assertIn(anchor, self.read[target.name].ids, f"{name} links to {link}")

    def test_every_lesson_can_be_reached_with_its_exercises(self):
        for lesson in (ROOT / "course").glob("[0-9][0-9]-*"):
            self.assertIn(f"{lesson.name}.html", self.read["index.html"].links)
            for path in lesson.glob("exercises/*.json"):
                for name in (path.name, f"{path.stem}.kdsl"):
                    copy = self.folder / lesson.name / "exercises" / name
                    self.assertEqual(copy.read_text(), (path.parent / name).read_text())

    def test_blocks_are_unchanged(self):
        for lesson in (ROOT / "course").glob("[0-9][0-9]-*"):
            shown = re.findall(r"<pre class=[^>]*><code>(.*?)</code></pre>", self.pages[f"{lesson.name}.html"], flags=re.S)
            shown = [html.unescape(re.sub(r"<[^>]*>", "", text)) for text in shown]
            self.assertEqual([text for _, _, text, _ in blocks(lesson / "lesson.md")], shown, lesson.name)

    def test_notebooks(self):
        notebooks = sorted((ROOT / "course/notebooks").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            self.assertIn(f"notebooks/{path.name}", self.read["index.html"].links)
            ours = json.loads((self.folder / "notebooks" / path.name).read_text())
            self.assertEqual([cell["source"] for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"],
                             [cell["source"] for cell in ours["cells"] if cell["cell_type"] == "code"])
            text = "".join("".join(cell["source"]) for cell in ours["cells"] if cell["cell_type"] == "markdown")
            self.assertIn(f"(../{path.stem}.html#exercises)", text)
            for target in re.findall(r"\]\(([^)#\s]+)", text):
                self.assertTrue((self.folder / "notebooks" / target).is_file(), f"{path.name} links to {target}")

    def test_pictures(self):
        made = {path.name for path in (self.folder / "pictures").glob("*.svg")}
        shown = [Path(picture).name for name, page in self.read.items() if name.endswith("-teacher.html")
                 for picture in page.loads if picture.startswith("pictures/")]
        self.assertEqual(sorted(made), sorted(shown))

    def test_for_students(self):
        folder = Path(self.temp.name) / "students"
        self.make(folder, "--for-students")
        names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        self.assertFalse([name for name in names if re.search("teach|solutions|wrong|pictures", name)])
        for path in folder.glob("*.html"):
            for link in Page(path.read_text()).links:
                self.assertTrue((folder / link.partition("#")[0]).exists() or link.startswith("http"), f"{path.name}: {link}")

    def test_a_folder_of_somebody_else(self):
        folder = Path(self.temp.name) / "other"
        folder.mkdir()
        (folder / "index.html").write_text("mine")
        self.assertIn("is not a folder that this script has made", self.make(folder, code=1))
        self.assertEqual("mine", (folder / "index.html").read_text())
        for _ in range(2):
            self.make(Path(self.temp.name) / "again", "--for-students")


if __name__ == "__main__":
    unittest.main()
