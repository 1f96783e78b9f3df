#!/usr/bin/env python3
"""The page of --emit=html as a user of a browser has it: mouse and keyboard, in Chromium (browser.py). Pointing lights up
what belongs together, a click keeps it, tabs, the border and the timeline work by mouse and keyboard, text can be read in
both colour schemes, and nothing throws. Usage: test_page_browser.py KDSLC [unittest arguments]

KDSL_SCREENSHOTS=FOLDER keeps pictures, to look at."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
SCREENSHOTS = os.environ.get("KDSL_SCREENSHOTS")
PROGRAM = """// Two kernels, so that each line has other code.
kernel scale(x: &mut [f32; n], a: f32) over i in n {
    x[i] = a * x[i] + 1.0;
}

kernel norm(x: &[f32; n]) over i in n -> sum f64 {
    return f64(x[i]) * f64(x[i]);
}

fn main() {
    var x = [f32(i) for i in 1000];
    for s in 0..40 {
        offload scale(&mut x, 0.5);
    }
    print("{:.3}", offload norm(&x));
}
"""
CODE = 'document.querySelector(".pane.shown")'
LIT_LINES = '[...document.querySelectorAll(".l.lit")].map((e) => e.id)'
LIT_CODE = f'[...new Set([...{CODE}.querySelectorAll(".lit")].map((e) => Number(e.dataset.k)))]'
LIT_BARS = '[...new Set([...document.querySelectorAll("#chart rect.lit")].map((e) => Number(e.dataset.k)))]'
# The contrast of each text with what is behind it (WCAG 2.1), and its size; only what is shown.
READABLE = """(() => {
    const parse = (text) => {
        const n = (text.match(/-?[\\d.]+(e-?\\d+)?/g) || []).map(Number);
        const rgb = text.startsWith("color(") ? n.slice(0, 3).map((v) => 255 * v) : n.slice(0, 3);
        return [...rgb, text === "transparent" ? 0 : n.length > 3 ? n[3] : 1];
    };
    const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
    const light = (c) => {
        const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (e) => {
        const layers = [];
        for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
        return layers.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]);
    };
    const bad = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        const e = node.parentElement, style = getComputedStyle(e);
        if (!node.textContent.trim() || !e.checkVisibility() || ["SCRIPT", "TITLE"].includes(e.tagName.toUpperCase())) continue;
        const back = behind(e), ink = e instanceof SVGElement ? style.fill : style.color;
        const a = light(over(parse(ink), back)), b = light(back);
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5 || parseFloat(style.fontSize) < 12)
            bad.push([e.tagName, e.className.baseVal ?? e.className, node.textContent.trim().slice(0, 20),
                      contrast.toFixed(2), style.fontSize].join(" "));
    }
    return [...new Set(bad)].slice(0, 30);
})()"""


class PageInBrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert shutil.which("chromium"), "chromium is not installed: ./dev installs it with --all"
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "p.kdsl").write_text(PROGRAM)
        cls.make("p.kdsl", "-o", "program", html=False)
        subprocess.run(["./program"], cwd=cls.folder, check=True, capture_output=True, timeout=120,
                       env={**os.environ, "KDSL_TRACE": "run.json"})
        cls.url = cls.make("p.kdsl", "--trace=run.json", "-o", "p.html")
        cls.page = Browser(1400, 900, cls.folder)
        cls.addClassCleanup(cls.page.__exit__)

    @classmethod
    def make(cls, *arguments, html=True):
        subprocess.run([KDSLC, *(["--emit=html"] if html else []), *arguments], cwd=cls.folder, check=True, timeout=300)
        return f"file://{cls.folder}/{arguments[-1]}"

    def setUp(self):
        self.page.call("Page.navigate", url="about:blank")  # the same address with another #L3 would not load it again
        self.page.size(1400, 900)
        self.page.media()
        self.page.open(self.url)

    def tearDown(self):
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(exist_ok=True)
            self.page.screenshot(Path(SCREENSHOTS) / f"{self.id().split('.')[-1]}.png")
        self.assertEqual(self.page.thrown(), [])
        self.assertFalse(self.page.value('!!document.getElementById("error")'))

    def middle(self, element):
        x, y, width, height = self.page.box(element)
        return x + min(width / 2, 200), y + min(height, 24) / 2

    def source(self, line):
        self.page.value(f'document.getElementById("L{line}").scrollIntoView({{block: "nearest"}})')  # not under the code
        return self.middle(f'document.querySelector("#L{line} code")')

    def code(self, line):
        return self.middle(f'{CODE}.querySelector("[data-k=\\"{line}\\"]")')

    def tab(self, name):
        return self.middle(f'document.getElementById("tab-{name}")')

    def assert_lit(self, lines, code=None):
        self.assertEqual(self.page.value(LIT_LINES), [f"L{line}" for line in lines])
        self.assertEqual(self.page.value(LIT_CODE), lines if code is None else code)

    def test_pointing_at_the_source(self):
        """Lights up the line, its code, which comes into view, and its bars."""
        self.page.move(*self.source(3))
        self.assert_lit([3])
        self.assertRegex(self.page.value('document.querySelector(".away").textContent'),
                         r"^Line 3: \d+ lines of this codex\[i\] = a \* x\[i\] \+ 1\.0;$")
        self.page.move(*self.source(7))
        self.assert_lit([7])
        seen = self.page.value(f"""[...{CODE}.querySelectorAll(".lit")].some((e) => {{
            const r = e.getBoundingClientRect();
            return r.top > 0 && r.bottom < innerHeight && document.elementFromPoint(r.left + 60, r.top + 3) !== null;
        }})""")
        self.assertTrue(seen, "the code of the line is not in view")
        self.page.move(*self.source(13))
        self.assertEqual(self.page.value(LIT_BARS), [13])
        self.page.move(*self.source(1))
        self.assert_lit([1], [])
        self.assertIn("none of this code", self.page.value('document.querySelector(".away").textContent'))

    def test_pointing_at_code(self):
        """Lights up all the code of its line, and the line."""
        for line in (3, 7):
            self.page.move(*self.code(line))
            self.assert_lit([line])

    def test_every_tab(self):
        tabs = self.page.value('[...document.querySelectorAll("[role=tab]")].map((e) => e.getAttribute("aria-controls"))')
        self.assertEqual(tabs, ["llvm", "x86", "sm_90", "gfx90a", "host-llvm", "copies"])
        self.assertEqual(self.page.value(f"{CODE}.id"), "x86")
        for name in tabs:
            self.page.click(*self.tab(name))
            self.assertEqual(self.page.value('[...document.querySelectorAll(".pane.shown")].map((e) => e.id)'), [name])
            line = 13 if name == "host-llvm" else 3
            if name != "copies":
                self.page.move(*self.source(line))
                self.assert_lit([line])
                self.page.move(*self.code(line))
                self.assert_lit([line])

    def test_a_click_keeps(self):
        """The line stays lit while the mouse is elsewhere, its notes are open, and the address names it; Escape ends that."""
        self.page.click(*self.source(3))
        self.assertEqual(self.page.value("location.hash"), "#L3")
        self.assertTrue(self.page.value('document.getElementById("L3").open'))
        self.page.move(*self.source(8))
        self.assert_lit([3])
        self.page.click(*self.code(7))
        self.assertEqual(self.page.value("location.hash"), "#L7")
        self.assert_lit([7])
        self.page.key("Escape")
        self.assert_lit([])
        self.page.move(*self.source(3))
        self.assert_lit([3])

    def test_an_address_with_a_line(self):
        self.page.call("Page.navigate", url="about:blank")
        self.page.open(f"{self.url}#L7")
        self.assert_lit([7])

    def test_keyboard(self):
        """Tab reaches the lines, the arrow keys go from line to line, Enter opens one; the tabs take arrow keys, too."""
        self.page.value('document.querySelector("#L2 summary").focus()')
        self.page.key("ArrowDown")
        self.assert_lit([3])
        self.page.key("Enter")
        self.assertTrue(self.page.value('document.getElementById("L3").open'))
        self.page.key("ArrowUp")
        self.assertEqual(self.page.value("document.activeElement.parentElement.id"), "L2")
        self.page.value('document.getElementById("tab-x86").focus()')
        for key, name in (("ArrowRight", "sm_90"), ("ArrowLeft", "x86"), ("Home", "llvm"), ("End", "copies"),
                          ("ArrowRight", "llvm")):
            self.page.key(key)
            self.assertEqual((self.page.value(f"{CODE}.id"), self.page.value("document.activeElement.id")),
                             (name, f"tab-{name}"))

    def test_border(self):
        """Moves with the mouse and with the arrow keys."""
        width = 'document.getElementById("source").clientWidth'
        before = self.page.value(width)
        x, y, w, _ = self.page.box('document.getElementById("border")')
        self.page.drag(x + w / 2, y + 100, x - 200, y + 120)
        self.assertAlmostEqual(self.page.value(width), before - 200, delta=8)
        self.page.value('document.getElementById("border").focus()')
        self.page.key("ArrowRight")
        self.assertAlmostEqual(self.page.value(width), before - 200 + 42, delta=8)

    def test_timeline(self):
        """Pointing at a bar lights up its line, a click keeps it; buttons, wheel and keys zoom, dragging moves."""
        width = 'document.querySelector("#chart svg").clientWidth'
        bar = 'document.querySelector("#chart rect.launch")'
        self.page.click(*self.middle('[...document.querySelectorAll(".keys button")][0]'))
        x, y, w, h = self.page.box(bar)
        self.page.move(x + w / 2, y + h / 2)
        self.assertEqual(self.page.value(LIT_LINES), ["L13"])
        self.assertEqual(self.page.value(LIT_BARS), [13])
        self.assertRegex(self.page.value(f'{bar}.querySelector("title").textContent'), r"^scale\n[\d.]+ \S+\n")
        self.page.click(x + w / 2, y + h / 2)
        self.assertEqual(self.page.value("location.hash"), "#L13")
        self.page.key("Escape")
        wide = self.page.value(width)
        self.page.click(*self.middle('[...document.querySelectorAll(".keys button")][1]'))
        self.assertAlmostEqual(self.page.value(width), wide / 2, delta=4)
        x, y, w, h = self.page.box('document.getElementById("chart")')
        at_pointer = f"(document.getElementById('chart').scrollLeft + {w / 4}) / {width}"
        before = self.page.value(at_pointer)
        for _ in range(8):
            self.page.wheel(x + w / 4, y + h / 2, -100, modifiers=["Control"])
        self.assertGreater(self.page.value(width), 8 * w)
        self.assertAlmostEqual(self.page.value(at_pointer), before, delta=0.02)
        left = self.page.value("document.getElementById('chart').scrollLeft")
        self.page.drag(x + w / 2, y + h / 2, x + w / 2 - 150, y + h / 2)
        self.assertAlmostEqual(self.page.value("document.getElementById('chart').scrollLeft"), left + 150, delta=3)
        self.assertEqual(self.page.value(LIT_BARS), [], "a drag is not a click")
        self.page.value("document.getElementById('chart').focus()")
        wide = self.page.value(width)
        self.page.key("-")
        self.assertAlmostEqual(self.page.value(width), wide / 2, delta=4)
        self.page.key("+")
        self.assertAlmostEqual(self.page.value(width), wide, delta=4)
        self.page.key("0")
        self.assertLess(self.page.value(width), w + 1)

    def test_text_can_be_read(self):
        """Contrast 4.5 or more, letters of 12 pixels or more: light and dark, with a line lit, notes open, on each tab."""
        for scheme in ("light", "dark"):
            self.page.media(prefers_color_scheme=scheme)
            self.page.open(self.url)
            self.page.click(*self.source(3))
            for name in ("x86", "llvm", "copies"):
                self.page.click(*self.tab(name))
                with self.subTest(f"{scheme} {name}"):
                    self.assertEqual(self.page.value(READABLE), [])

    def test_narrow(self):
        """A projector at 200 %, or a telephone: nothing is wider than the window but what scrolls by itself."""
        for width, height in ((700, 450), (390, 800)):
            self.page.size(width, height)
            self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), width)
            self.page.click(*self.source(3))
            self.assert_lit([3])

    def test_long_lines(self):
        """Go on below, in the column of the code; so what names the columns of marks stays in view."""
        text = "// " + "a long line that " * 20 + "\n" + PROGRAM.replace("a * x[i] + 1.0", " + ".join(["a * x[i]"] * 30))
        (self.folder / "long.kdsl").write_text(text + "// more\n" * 60)
        self.page.open(self.make("long.kdsl", "-o", "long.html") + "#L70")
        self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), 1400)
        self.assertGreater(self.page.value("scrollY"), 200)
        top = self.page.value('document.querySelector(".heads").getBoundingClientRect().top')
        self.assertAlmostEqual(top, 0, delta=1)
        for line in (1, 4):
            x, _, width, height = self.page.box(f'document.querySelector("#L{line} code")')
            self.assertGreater(height, 60)
            self.assertLess(x + width, self.page.box('document.getElementById("border")')[0] + 1)

    def test_a_kept_line_is_marked_once(self):
        """At its number, and not at numbers in its code."""
        self.page.click(*self.source(3))
        marked = self.page.value("""[...document.querySelectorAll("#L3 *")]
            .filter((e) => parseFloat(getComputedStyle(e).borderLeftWidth) > 2).map((e) => e.textContent)""")
        self.assertEqual(marked, ["3"])

    def test_long_code_is_packed(self):
        """More code than a page of 1 MB holds is unpacked when its tab is shown."""
        shutil.copy(ROOT / "examples/heat.kdsl", self.folder)
        url = self.make("heat.kdsl", "--march=portable", "--offload-arch=all", "-o", "heat.html")
        text = (self.folder / "heat.html").read_text()
        self.assertLess(len(text.encode()), 1_000_000)
        packed = list(json.loads(text.partition(' id="data">')[2].partition("</script>")[0])["packed"])
        self.assertGreater(len(packed), 1)
        self.page.open(url)
        lines = (ROOT / "examples/heat.kdsl").read_text().splitlines()
        in_kernel = next(i for i, code in enumerate(lines, 1) if code.startswith("kernel ")) + 1
        launch = next(i for i, code in enumerate(lines, 1) if code.strip().startswith("offload "))
        for name in packed:
            self.page.click(*self.tab(name))
            self.page.frame()
            line = launch if name.startswith("host") else in_kernel
            self.page.move(*self.source(line))
            self.assert_lit([line])


if __name__ == "__main__":
    unittest.main()
