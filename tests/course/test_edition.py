#!/usr/bin/env python3
"""The HTML edition of the course (course/edition.py): links and anchors lead somewhere, nothing comes from a network, every
block is there with its text unchanged, students do not get solutions, another folder is not overwritten.
Usage: test_edition.py KDSLC"""
import html
import json
import re
import subprocess
import sys
import tarfile
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
            links = self.read[f"{lesson.name}.html"].links
            self.assertIn(f"{lesson.name}.tar.gz", links)
            with tarfile.open(self.folder / f"{lesson.name}.tar.gz") as tar:
                for path in lesson.glob("exercises/*"):
                    name = f"{lesson.name}/exercises/{path.name}"
                    self.assertIn(name, links)
                    self.assertEqual((self.folder / name).read_bytes(), tar.extractfile(f"course/{name}").read())
                    if path.suffix == ".kdsl":
                        self.assertEqual((self.folder / name).read_bytes(), path.read_bytes())
        self.assertIn("course.tar.gz", self.read["index.html"].links)

    def test_tables_have_no_backticks(self):
        for lesson in (ROOT / "course").glob("[0-9][0-9]-*"):
            table = self.pages[f"{lesson.name}.html"].partition('id="exercise-files"')[2]
            self.assertTrue(table)
            self.assertNotIn("`", table)
            self.assertNotIn("solution<", table)

    def test_how_to_work(self):
        """On the first page, commands are about the archives that it links, not about a source tree."""
        index = self.pages["index.html"]
        self.assertNotIn("cp -r", index)
        self.assertNotIn("has three ways", index)
        self.assertIn("tar -xzf 01-first-kernel.tar.gz", index)
        self.assertIn("docs-install.html", self.read["index.html"].links)

    def test_pages_for_teachers(self):
        """The page of a lesson links its own, which shows solutions and wrong answers."""
        for lesson in (ROOT / "course").glob("[0-9][0-9]-*"):
            page = f"{lesson.name}-teacher.html"
            self.assertIn(page, self.read[f"{lesson.name}.html"].links)
            shown = self.shown(page)
            for path in (*lesson.glob("solutions/*.kdsl"), *lesson.glob("wrong/*.kdsl")):
                self.assertIn(path.read_text(), shown, path)

    def shown(self, name):
        """The blocks of a page."""
        found = re.findall(r"<pre [^>]*><code>(.*?)</code></pre>", self.pages[name], flags=re.S)
        return [html.unescape(re.sub(r"<[^>]*>", "", text)) for text in found]

    def test_blocks_are_unchanged(self):
        for lesson in (ROOT / "course").glob("[0-9][0-9]-*"):
            *shown, commands = self.shown(f"{lesson.name}.html")
            self.assertEqual([text for _, _, text, _ in blocks(lesson / "lesson.md")], shown, lesson.name)
            self.assertIn(f"tar -xzf {lesson.name}.tar.gz\n", commands)

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
        """Also in a folder where an edition is."""
        folder = Path(self.temp.name) / "students"
        folder.mkdir()
        (folder / "index.html").write_text('<meta name="generator" content="made by course/edition.py">')
        (folder / "01-old.html").write_text("solutions")
        self.make(folder, "--for-students")
        names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        self.assertNotIn("01-old.html", names)
        self.assertFalse([name for name in names if re.search("teach|solutions|wrong|pictures", name)])
        for path in folder.glob("*.html"):
            self.assertNotRegex(path.read_text(), "id=.for-teachers|id=.answers")
            for link in Page(path.read_text()).links:
                self.assertTrue((folder / link.partition("#")[0]).exists() or link.startswith("http"), f"{path.name}: {link}")

    def test_a_folder_of_somebody_else(self):
        folder = Path(self.temp.name) / "other"
        folder.mkdir()
        (folder / "index.html").write_text("mine")
        self.assertIn("is not a folder that this script has made", self.make(folder, code=1))
        self.assertEqual("mine", (folder / "index.html").read_text())


if __name__ == "__main__":
    unittest.main()
