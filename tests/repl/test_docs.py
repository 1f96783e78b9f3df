#!/usr/bin/env python3
"""docs/repl.md is one session: its ```session blocks are typed at a terminal, and the answers are those of the page.
--bless writes the answers into it.    Usage: test_docs.py KDSLC [--bless]"""
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import transcript

KDSLC = Path(sys.argv.pop(1)).resolve()
PAGE = HERE.parent.parent / "docs/repl.md"
BLOCK = re.compile(r"^```session\n(.*?)^```$", flags=re.M | re.S)
COLUMNS = 132


def play(folder):
    blocks = [transcript.parse(match.group(1)) for match in BLOCK.finditer(PAGE.read_text())]
    found, status = transcript.play(KDSLC, folder, [each for block in blocks for each in block], columns=COLUMNS)
    rest = iter(found)
    return blocks, [[next(rest) for _ in block] for block in blocks], status


def lines(block):
    return [line for given, answer in block for line in transcript.spell(given, answer)]


class PageTest(unittest.TestCase):
    maxDiff = None

    def test_the_page_is_a_session(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        wanted, found, status = play(folder)
        self.assertGreater(len(found), 5)
        for want, got in zip(wanted, found):
            self.assertEqual(transcript.difference(lines(want), lines(got)), "")
        self.assertEqual(status, 0)
        self.assertEqual((folder / "wave.png").read_bytes()[:4], b"\x89PNG")


def bless():
    with tempfile.TemporaryDirectory() as folder:
        _, found, _ = play(Path(folder))
    blocks = iter(found)
    PAGE.write_text(BLOCK.sub(lambda _: "```session\n" + "\n".join(lines(next(blocks))) + "\n```", PAGE.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--bless"]:
        bless()
    else:
        unittest.main()
