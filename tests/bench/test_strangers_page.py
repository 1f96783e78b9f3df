"""bench/strangers/page.py: ratios to the better compiler, bands, a plot, and that docs/performance.md is what it makes of
docs/performance.tsv. usage: test_strangers_page.py KDSLC"""
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "bench/strangers"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))
import page  # noqa: E402


def rows(name, *seconds, verdict="ok"):
    versions = ("plain-gcc", "plain-clang", "tuned-gcc", "tuned-clang", "kdsl")
    return [f"{name}\t{version}\t{s}\t{verdict}\t0\t9" for version, s in zip(versions, seconds)]


TEXT = "\n".join(["# processor: a", "kernel\tversion\tseconds\tverdict\tdifference\trounds", *rows("fast", 8, 9, 3, 2, 1),
                  *rows("even", 2, 4, 1, 1.5, 1), *rows("slow", 1, 2, 1, 1, 4)])


class PageTest(unittest.TestCase):
    def setUp(self):
        self.m = page.Measured(TEXT)

    def test_ratios(self):
        self.assertEqual(self.m.tuned, {"fast": 2, "even": 1, "slow": 0.25})
        self.assertEqual(self.m.plain, {"fast": 8, "even": 2, "slow": 0.25})
        self.assertEqual(self.m.about, ["processor: a"])

    def test_table(self):
        lines = page.table(self.m).splitlines()
        self.assertIn("- KDSL is 1.6 times as fast as the plain C (geometric mean of 3): at least 1.5", lines)
        self.assertIn("  times in 2 kernels, less than 0.7 times in 1.", lines)
        self.assertEqual(lines[-6], "| 1.1 and more | `fast` |")
        self.assertEqual(lines[-5], "| 0.9 to 1.1 | `even` |")
        self.assertEqual(lines[-1], "| below 0.3 | `slow` 0.25 |")

    def test_a_wrong_result_is_no_figure(self):
        with self.assertRaises(ValueError):
            page.Measured("\n".join(rows("bad", 1, 1, 1, 1, 1, verdict="WRONG")))

    def test_the_plot_is_xml(self):
        svg = page.dots(self.m)
        self.assertTrue(xml.fromstring(svg).tag.endswith("svg"))
        self.assertIn("slow", svg)

    def test_the_readme_has_the_figures(self):
        m = page.Measured((page.DOCS / "performance.tsv").read_text())
        readme = " ".join((page.ROOT / "README.md").read_text().split())
        self.assertIn(f"are {page.mean(m.plain.values()):.1f} times as fast as the same in C", readme)
        self.assertIn(f"{page.mean(m.tuned.values()):.2f} times as fast as C that was tuned by hand", readme)

    def test_the_page_is_up_to_date(self):
        done = subprocess.run([sys.executable, FOLDER / "page.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
