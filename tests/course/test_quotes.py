#!/usr/bin/env python3
"""What the pages of the course quote of the compiler is what it prints. A block that names a file of the lesson with its
folder (`wrong/bins-1.kdsl:9:15: ...`) is checked: each of its lines is one that a tool prints of this file.
Usage: test_quotes.py KDSLC"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/driver"))
from docs_blocks import FENCE  # noqa: E402

KDSLC = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
TOOLS = ("check", "--explain=races", "--explain=bounds", "--explain=transfers", "--explain=launch", "--explain=vector")
PLACE = re.compile(r"\b((?:exercises|solutions|wrong)/[a-z_0-9-]+\.kdsl):\d+:\d+")


def quotes():
    """(page, line, file, the block's lines)"""
    for page in sorted((ROOT / "course").glob("*/*.md")):
        text = page.read_text()
        for block in FENCE.finditer(text):
            for name in sorted(set(PLACE.findall(block[3]))):
                yield page, text.count("\n", 0, block.start()) + 1, name, block[3].splitlines()


def printed(lesson, name):
    lines = set()
    for tool in TOOLS:
        done = subprocess.run([KDSLC, tool, name], cwd=lesson, capture_output=True, text=True, timeout=100)
        lines |= {line.strip() for line in (done.stdout + done.stderr).splitlines()}
    return lines


class QuotesTest(unittest.TestCase):
    def test_what_is_quoted_is_printed(self):
        outputs = {}
        found = list(quotes())
        self.assertGreater(len(found), 8)
        for page, line, name, block in found:
            key = page.parent, name
            if key not in outputs:
                outputs[key] = printed(*key)
            with self.subTest(page=f"{page.relative_to(ROOT)}:{line}"):
                self.assertEqual([text for text in block if text.strip() not in outputs[key]], [])


if __name__ == "__main__":
    unittest.main()
