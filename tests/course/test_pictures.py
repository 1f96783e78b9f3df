#!/usr/bin/env python3
"""The pictures for slides (course/pictures.py): each lesson has some, and its page for teachers names them; they are SVG
with a title and a description, text stays inside and is large enough, and the shapes are as many as the compiler's numbers.
Usage: test_pictures.py KDSLC [--quick | --exhaustive]; --exhaustive: Chromium draws them, if it is there

KDSL_SCREENSHOTS=FOLDER keeps what Chromium draws, to look at."""
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/driver"), str(ROOT / "course")]
sys.dont_write_bytecode = True
import parts  # noqa: E402
import pictures  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve()
SCREENSHOTS = os.environ.get("KDSL_SCREENSHOTS")
SVG = "{http://www.w3.org/2000/svg}"
TIMED = (pictures.draw_timeline, pictures.draw_shares)


def rows_drawn(path):
    """The number of different rows of a PNG: of a blank page there are one or two."""
    data, at, packed = path.read_bytes(), 8, b""
    high = struct.unpack(">I", data[20:24])[0]
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    plain = zlib.decompress(packed)
    return len({plain[i:i + len(plain) // high] for i in range(0, len(plain), len(plain) // high)})


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temp.cleanup)
        cls.temp, before = Path(temp.name), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-B", ROOT / "course/pictures.py", cls.temp / "a", "--kdslc", KDSLC],
                              capture_output=True, text=True, timeout=600)
        assert not done.returncode, done.stdout + done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)  # a clock would count other work on the machine as well
        cls.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cls.text = {path.stem: path.read_text() for path in sorted((cls.temp / "a").glob("*.svg"))}
        cls.svg = {name: ElementTree.fromstring(text) for name, text in cls.text.items()}
        cls.count = {name: Counter(e.get("class") for e in svg.iter()) for name, svg in cls.svg.items()}
        cls.rows = {file: (draw, ROOT / "course" / program, needs)
                    for file, draw, program, _, needs in pictures.PICTURES}

    def of(self, *kinds):
        return [(file, path, needs) for file, (draw, path, needs) in self.rows.items() if draw in kinds]

    def explain(self, what, path):
        done = subprocess.run([KDSLC, f"--explain={what}", "--format=json", path], capture_output=True, text=True)
        return json.loads(done.stdout)

    def access(self, path, needs):
        kernel = next(k for k in self.explain("launch", path)["kernels"] if k["kernel"] == needs["kernel"])
        return kernel, next(a for a in kernel["accesses"] if a["access"] == needs["access"])

    @parts.quick
    def test_each_lesson_has_some_and_names_them(self):
        self.assertEqual(sorted(self.rows), sorted(self.text))
        self.assertLess(self.seconds, 60)
        for lesson in sorted((ROOT / "course").glob("[0-9][0-9]-*")):
            own = [(title, file) for file, _, _, title, _ in pictures.PICTURES if file.startswith(lesson.name[:2])]
            self.assertTrue(own, lesson.name)
            slides = (lesson / "teacher.md").read_text().partition("\n## Slides\n")[2]
            self.assertEqual(own, re.findall(r"^- (.*): `(.*)\.svg`$", slides, flags=re.M), lesson.name)

    @parts.quick
    def test_form(self):
        for name, svg in self.svg.items():
            with self.subTest(picture=name):
                self.assertEqual("0 0 1600 900", svg.get("viewBox"))
                self.assertTrue(svg.find(f"{SVG}title").text)
                self.assertGreater(len(svg.find(f"{SVG}desc").text), 40)
                self.assertEqual("#ffffff", svg.find(f"{SVG}rect").get("fill"))
                self.assertFalse([e.tag for e in svg.iter() if e.tag in (f"{SVG}script", f"{SVG}image", f"{SVG}style")])
                self.assertNotRegex(self.text[name].replace("http://www.w3.org/2000/svg", ""), r"https?:|@import|/work|/tmp")
                for e in svg.iter(f"{SVG}text"):
                    size = float(e.get("font-size"))
                    wide = 0.6 * size * len(e.text)
                    left = float(e.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[e.get("text-anchor")]
                    self.assertGreaterEqual(size, 28, e.text)
                    self.assertGreaterEqual(left, 0, e.text)
                    self.assertLessEqual(left + wide, 1600, e.text)
                    self.assertTrue(size <= float(e.get("y")) <= 900 - size / 4, e.text)
                for e in svg.iter(f"{SVG}rect"):
                    if e.get("x"):
                        x, y = float(e.get("x")), float(e.get("y"))
                        self.assertTrue(0 <= x and x + float(e.get("width")) <= 1600, e.attrib)
                        self.assertTrue(0 <= y and y + float(e.get("height")) <= 900, e.attrib)

    @parts.quick
    def test_texts_do_not_overlap(self):
        for name, svg in self.svg.items():
            boxes = []
            for e in svg.iter(f"{SVG}text"):
                size, x, y = (float(e.get(key)) for key in ("font-size", "x", "y"))
                wide = 0.5 * size * len(e.text)  # average text is narrower than the limit
                left = x - {"start": 0, "middle": wide / 2, "end": wide}[e.get("text-anchor")]
                for other, a, b, c, d in boxes:
                    apart = left >= b or left + wide <= a or y - 0.7 * size >= d or y <= c
                    self.assertTrue(apart, f"{name}: {e.text!r} and {other!r}")
                boxes.append((e.text, left, left + wide, y - 0.7 * size, y))

    @parts.quick
    def test_accesses(self):
        for file, path, needs in self.of(pictures.draw_access):
            kernel, a = self.access(path, needs)
            count = self.count[file]
            lanes = kernel["warp"][0] * (kernel["warp"] + [1, 1])[1] * (kernel["warp"] + [1, 1])[2]
            self.assertEqual((lanes, lanes, a["sectors"]), (count["lane"], count["access"], count["sector"]), file)
            self.assertEqual(a["addresses"], count["used"], file)
        for file, path, needs in self.of(pictures.draw_banks):
            _, a = self.access(path, needs)
            self.assertEqual((32, a["addresses"]), (self.count[file]["bank"], self.count[file]["word"]), file)
            columns = Counter(e.get("x") for e in self.svg[file].iter() if e.get("class") == "word")
            self.assertEqual(a["conflict"], max(columns.values()), file)

    @parts.exhaustive
    def test_every_access_of_the_course_can_be_drawn(self):
        """The addresses that a picture computes have the sectors and conflicts that the compiler computes."""
        tools, drawn = pictures.Tools(KDSLC), 0
        for path in sorted((ROOT / "course").glob("[0-9][0-9]-*/*.kdsl")):
            try:
                kernels = tools.explain("launch", path)["kernels"]
            except SystemExit:
                continue  # programs with errors, on purpose, have no code
            for k in kernels:
                for a in k["accesses"]:
                    if a["memory"] in ("global", "shared") and "addresses" in a and a["function"] == k["kernel"]:
                        draw = pictures.draw_access if a["memory"] == "global" else pictures.draw_banks
                        draw(tools, path, "x", k["kernel"], a["access"])
                        drawn += 1
        self.assertGreater(drawn, 100)

    @parts.quick
    def test_divergence(self):
        loop = self.count["05-loop"]  # the orders of each customer, from the program
        first = [0, 2, 3, 5, 13, 16, 18, 19, 24]
        orders = [b - a for a, b in zip(first, first[1:])]
        self.assertIn(str(first), self.rows["05-loop"][1].read_text())
        self.assertEqual((sum(orders), 8 * max(orders) - sum(orders)), (loop["busy"], loop["idle"]))
        paths = self.count["05-paths"]  # each of the 8 items takes one of three paths
        self.assertEqual((8, 16), (paths["busy"], paths["idle"]))

    @parts.quick
    def test_rounds_and_elements(self):
        self.assertEqual(63, self.count["07-tree"]["read"])  # 32 + 16 + ... + 1
        self.assertEqual(sum(64 - (1 << r) for r in range(6)), self.count["10-scan"]["read"])
        shades = [(250 if i % 50 == 0 else i * i % 37) // 32 for i in range(32)]  # as in shades.kdsl
        self.assertEqual((32, len(set(shades))), (self.count["09-atomics"]["access"], self.count["09-atomics"]["element"]))

    @parts.quick
    def test_races(self):
        for file, path, needs in self.of(pictures.draw_race):
            pair = next(p for k in self.explain("races", path)["kernels"] if k["name"] == needs["kernel"]
                        for p in k["pairs"] if p["verdict"] == "race")
            self.assertEqual((2, 2, 1), tuple(self.count[file][c] for c in ("item", "touch", "met")), file)
            for line in pair["lines"]:
                self.assertRegex(self.text[file], f">line {line} (reads|writes|updates)")

    @parts.quick
    def test_checks(self):
        for file, path, _ in self.of(pictures.draw_checks):
            checks = [row["check"] for row in self.explain("bounds", path)["checks"] if "kernel" in row]
            kept = sum(check in ("kept", "hoisted") for check in checks)
            self.assertEqual((kept, len(checks) - kept), (self.count[file]["kept"], self.count[file]["proven"]))

    @parts.exhaustive
    def test_copies(self):
        for file, path, needs in self.of(pictures.draw_transfers):
            arrows, launches = 0, 0
            for program in [path] + [path.parent / name for name in needs.values()]:
                done = subprocess.run([KDSLC, "profile", "--format=json", "-o", self.temp / "p.json", program],
                                      capture_output=True, env={**os.environ, "KDSL_MEMORY": "separate"})
                self.assertEqual(0, done.returncode)
                profile = json.loads((self.temp / "p.json").read_text())
                copies = [t for t in profile["transfers"] if t["direction"] in ("to device", "from device")]
                arrows += len({(t["array"], t["direction"], t["for"]) for t in copies})
                launches += len({launch["kernel"] for launch in profile["launches"]})
                total = pictures.amount(sum(t["bytes"] for t in copies))
                self.assertIn(f"{total} in {sum(t['times'] for t in copies)} cop", self.text[file])
            self.assertEqual((arrows, launches), (self.count[file]["copy"], self.count[file]["launch"]), file)

    @parts.quick
    def test_timelines(self):
        for file, _, needs in self.of(pictures.draw_timeline):
            self.assertGreaterEqual(self.count[file]["event"], needs["launches"], file)
        for file in (file for file, *_ in self.of(*TIMED)):
            self.assertIn("Times of one run on one machine", self.text[file])

    @parts.exhaustive
    def test_the_same_again(self):
        again = pictures.make(self.temp / "b", KDSLC)
        for path in again:
            if self.rows[path.stem][0] not in TIMED:
                self.assertEqual(self.text[path.stem], path.read_text(), path.stem)

    @parts.exhaustive
    def test_chromium_draws_them(self):
        if not shutil.which("chromium"):
            self.skipTest("there is no chromium")
        from browser import Browser
        with Browser(1600, 900, self.temp) as page:
            for name in self.text:
                (self.temp / "a" / "page.html").write_text(f'<body style="margin:0"><img src="{name}.svg" width="1600">')
                page.open((self.temp / "a" / "page.html").as_uri())
                with self.subTest(picture=name):
                    shot = Path(SCREENSHOTS or self.temp) / f"{name}.png"
                    page.screenshot(shot)
                    self.assertGreater(rows_drawn(shot), 50)


if __name__ == "__main__":
    unittest.main()
