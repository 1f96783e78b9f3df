#!/usr/bin/env python3
"""The HTML edition of the course in Chromium: no page is wider than a phone or a screen, text can be read in both colour
schemes, and no block of code ends where its place ends. Usage: test_edition_browser.py KDSLC

KDSL_SCREENSHOTS=FOLDER keeps pictures, to look at."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from browser import Browser  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
SCREENSHOTS = os.environ.get("KDSL_SCREENSHOTS")
TOO_WIDE = "document.documentElement.scrollWidth - window.innerWidth"
# Blocks and tables that are wider than their place, and have no scroll bar that is always there.
CLIPPED = """[...document.querySelectorAll("pre, .wide")].filter((e) => e.scrollWidth > e.clientWidth &&
    (getComputedStyle(e).overflowX !== "auto" || getComputedStyle(e, "::-webkit-scrollbar").height !== "10px")).length"""
# Programs that a screen of this width does not show whole: the longest lines have 125 columns.
SCROLLED = """[...document.querySelectorAll("pre.program")].filter((e) => e.scrollWidth > e.clientWidth).length"""
# The least contrast of a text with what is behind it (WCAG 2.1).
CONTRAST = """(() => {
    const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
    const light = (c) => {
        const [r, g, b] = rgb(c).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)$/.test(c)) return c;
        }
        return "rgb(255, 255, 255)";
    };
    let least = 99;
    for (const e of document.querySelectorAll("body *")) {
        if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
        const a = light(getComputedStyle(e).color), b = light(behind(e));
        least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return least;
})()"""


class EditionBrowserTest(unittest.TestCase):
    def test_pages(self):
        with tempfile.TemporaryDirectory() as temp:
            folder = Path(temp) / "edition"
            subprocess.run(["/usr/bin/python3", ROOT / "course/edition.py", folder, "--kdslc", KDSLC], check=True,
                           capture_output=True)
            for width, height in ((390, 844), (1100, 800), (1280, 900)):
                with Browser(width, height, temp) as page:
                    for scheme in ("light", "dark"):
                        page.media(prefers_color_scheme=scheme)
                        for path in sorted(folder.glob("*.html")):
                            page.open(path.as_uri())
                            with self.subTest(page=path.name, width=width, scheme=scheme):
                                self.assertLessEqual(page.value(TOO_WIDE), 0)
                                self.assertGreaterEqual(page.value(CONTRAST), 4.5)
                                self.assertEqual(0, page.value(CLIPPED))
                                self.assertTrue(width < 1100 or page.value(SCROLLED) == 0)
                            if SCREENSHOTS and path.name.startswith(("index", "08")):
                                page.screenshot(Path(SCREENSHOTS) / f"{path.stem}-{width}-{scheme}.png")


if __name__ == "__main__":
    unittest.main()
