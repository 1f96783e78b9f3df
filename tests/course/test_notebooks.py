#!/usr/bin/env python3
"""The notebooks of the course: they are those that course/notebooks.py writes, Jupyter accepts them, their links lead
somewhere, and their cells run one after the other in a session: those marked `fails` fail, and no other.
Usage: test_notebooks.py KDSLC"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from docs_blocks import FENCE, blocks, notebooks  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
NOTEBOOKS = sorted((ROOT / "course/notebooks").glob("*.ipynb"))
NBFORMAT = """
import sys, nbformat
for path in sys.argv[1:]:
    nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))
"""


def source(cell):
    return "".join(cell["source"])


def make(script, *options):
    done = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


class NotebooksTest(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def test_they_are_those_of_the_script(self):
        self.assertEqual(make(ROOT / "course/notebooks.py", "--check"), (0, ""))
        self.assertEqual([page.parent.name for page in notebooks()], [path.stem for path in NOTEBOOKS])

    def test_stale(self):
        script, page = self.dir / "notebooks.py", self.dir / "01-some/notebook.md"
        shutil.copy(ROOT / "course/notebooks.py", script)
        page.parent.mkdir()
        page.write_text("# A title\n\nSee [this](lesson.md#x), `[f](x)`, [that](#here), [n](../02-o/notebook.md).\n\n## Next\n\nText\n\n"
                        "```sh\n## no heading\n[no](link)\n```\n\n```kdsl\nlet a = 1\n\na\n```\n```kdsl fails\nb\n```\n")
        made = self.dir / "notebooks/01-some.ipynb"
        stale = f"{self.dir.name}/notebooks/01-some.ipynb is stale: run course/notebooks.py\n"
        self.assertEqual(make(script, "--check"), (1, stale))
        self.assertFalse(made.exists())
        self.assertEqual(make(script)[0], 0)
        self.assertEqual(make(script, "--check"), (0, ""))
        cells = json.loads(made.read_text())["cells"]
        self.assertEqual([(cell["id"], cell["cell_type"], cell["metadata"], source(cell)) for cell in cells], [
            ("cell-01", "markdown", {}, "# A title\n\nSee [this](../01-some/lesson.md#x), `[f](x)`, [that](#here), [n](02-o.ipynb)."),
            ("cell-02", "markdown", {}, "## Next\n\nText\n\n```sh\n## no heading\n[no](link)\n```"),
            ("cell-03", "code", {}, "let a = 1\n\na"),
            ("cell-04", "code", {"tags": ["raises-exception"]}, "b")])
        made.write_text(made.read_text().replace("let a = 1", "let a = 2"))
        self.assertEqual(make(script, "--check"), (1, stale))
        page.write_text("```kdsl failing\na\n```\n")
        code, said = make(script)
        self.assertEqual(code, 1)
        self.assertIn("`kdsl failing`", said)
        page.unlink()
        code, said = make(script, "--check")
        self.assertEqual(code, 1)
        self.assertIn("has no notebook.md", said)

    def test_jupyter_accepts_them(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import nbformat"], capture_output=True).returncode:
            self.skipTest("./dev test installs python3-nbformat")
        done = subprocess.run(["/usr/bin/python3", "-W", "error", "-c", NBFORMAT, *NOTEBOOKS], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_links_lead_somewhere(self):
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text())["cells"]:
                if cell["cell_type"] == "markdown":
                    for target in re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", source(cell) + "\n")):
                        self.assertTrue(re.match(r"\w+:", target) or (path.parent / target).exists(),
                                        f"{path.name} links to {target}")

    def test_lessons(self):
        """A notebook has a length that fits into a lesson, and names the exercises of its lesson."""
        for page in notebooks():
            code = [kind for _, kind, _, _ in blocks(page) if kind.split()[:1] == ["kdsl"]]
            self.assertTrue(15 <= len(code) <= 25, f"{page}: {len(code)} code cells")
            for exercise in page.parent.glob("exercises/*.json"):
                self.assertIn(f"(exercises/{exercise.stem}.kdsl)", page.read_text(), page)

    def test_cells(self):
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                self.run_cells(path)

    def run_cells(self, path):
        """`:load` ends at the first input that fails. So the last line of each file says that there was none."""
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        inputs = ""
        for number, cell in enumerate(cells, 1):
            file = self.dir / f"cell{number}.kdsl"
            file.write_text(f'{source(cell)}\nprint("cell {number} has succeeded")\n')
            inputs += f':load {file.name}\nprint("end of cell {number}")\n'
        done = subprocess.run([KDSLC, "repl"], input=inputs, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300)
        rest = done.stdout
        for number, cell in enumerate(cells, 1):
            printed, end, rest = rest.partition(f"end of cell {number}\n")
            self.assertTrue(end, f"the session ended in cell {number}:\n{source(cell)}\n{printed}")
            failed = f"cell {number} has succeeded" not in printed
            self.assertEqual("raises-exception" in cell["metadata"].get("tags", []), failed,
                             f"whether cell {number} fails:\n{source(cell)}\n{printed}")


if __name__ == "__main__":
    unittest.main()
