#!/usr/bin/env python3
"""What users read is plain standard English: phrases of a private idiom do not come back in messages and docs.
Usage: test_words.py KDSLC"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ("base", "lexer", "grammar", "parser", "sema", "interp", "irgen", "offload", "driver", "repl", "lsp", "jupyter",
           "runtime")
OTHERS = {"glossary.md"}  # names the old words

# A phrase, and what to write instead. In docs code is left out.
PHRASES = {
    r"\bmeans? nothing here\b": "unexpected; there is no ...",
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b)\w+": "is not a; there is no",
    r"\bsays? so\b|\bsays that it is meant\b": "use ...; if this is intentional",
    r"\bstands? (?:behind|beside|here|directly)\b": "comes after; is",
    r"\bbehind\b": "after",
    r"\bcomes? about\b": "is computed",
    r"\bshall\b": "is to; must",
    r"\btravels?\b": "is copied",
    r"\bnot shown to\b|\bshown needless\b|\bnothing shows\b": "cannot prove that; proven",
    r"\b(?:is|are) looked at\b": "is checked",
    r"\bitem by item\b": "scalar; not vectorised",
    r"\bpart(?:s|ing)? ways\b": "diverge",
    r"\bside by side\b": "contiguous; concurrently",
    r"\bround (?:after|by) round\b|\bthe rounds? of\b": "iteration",
    r"\bmoved away\b": "moved",
    r"\banew\b": "again",
    r"\b(?:give|gave|gives) (?:zero|one value|a value back)\b": "return",
    r"\bevery way\b|\bways? out\b": "path; exit",
    r"\bstays at home\b|\bnobody reads\b(?! is not copied)": "is not copied",
    r"\bis told\b": "is reported; gets",
    r"\bmay be left out\b": "may not be written",
    r"\bin the head of\b": "in the declaration of; after the domain of",
    r"\b(?:has|have) shown\b(?! (?:in|by|as)\b)|\bneedless\b": "proven; unnecessary",
    r"\b(?:each|other) spellings?\b": "form of the source",
    r"\b(?:is|are) read off\b": "is shown by; is computed from",
    r"\bmade of it\b|\bmakes of\b": "computed from; generates from",
    r"\bcome to the same\b|\bcomes to the same\b": "have the same result",
    r"\b(?:to|be) believed?\b|\bbelieves?\b": "use; rely on",
    r"\b(?:becomes?|became) of\b": "happens to; was done with",
    r"\blie(?:s)? (?:next to|side)\b": "is contiguous",
    r"\bthat come here\b|\bmay come here\b": "reach this",
    r"\bthe paths part\b": "branch",
    r"\basks? for\b": "needs; requests",
}
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)


def messages(text):
    """The string literals of C, those that follow each other as one, with the line where each begins."""
    joined, end, line = "", 0, 0
    for m in LITERAL.finditer(text):
        if m[0][0] != '"':
            end = end if text[end:m.start()].strip() else m.end()  # a comment between two literals
            continue
        if joined and text[end:m.start()].strip():
            yield line, joined
            joined = ""
        if not joined:
            line = text.count("\n", 0, m.start()) + 1
        joined += m[0][1:-1]
        end = m.end()
    if joined:
        yield line, joined


def prose(text):
    """A page without code blocks, code spans and what programs print; paragraphs as one line each."""
    text = re.sub(r"^```.*?^```\n", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        yield line, re.sub(r"``.*?``|`[^`]*`", "`x`", " ".join(paragraph.split()))
        line += paragraph.count("\n")


class WordsTest(unittest.TestCase):
    def check(self, name, pieces):
        for line, text in pieces:
            for phrase, better in PHRASES.items():
                found = re.search(phrase, text, re.I)
                if found:
                    around = text[max(0, found.start() - 50):found.end() + 50]
                    self.found.append(f"{name}:{line}: `{found[0]}` in {around!r}: write {better}")

    def setUp(self):
        self.found = []

    def test_messages(self):
        for room in SOURCES:
            for path in sorted((ROOT / room).rglob("*")):
                if path.suffix in (".c", ".h", ".def", ".re", ".y"):
                    self.check(path.relative_to(ROOT), messages(path.read_text()))
        self.assertEqual(self.found, [], "\n" + "\n".join(self.found))

    def test_docs(self):
        for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            if path.name not in OTHERS:
                self.check(path.relative_to(ROOT), prose(path.read_text()))
        self.assertEqual(self.found, [], "\n" + "\n".join(self.found))

    def test_the_check_finds_them(self):
        self.check("x.c", messages('diag("this `;` means " /* a comment */ "nothing here"); /* it stands behind */'))
        self.check("x.md", prose("An array\ntravels.\n\n```\nbehind\n```\n`travels`, and there is no other.\n"))
        self.assertEqual([text.split(":")[:2] for text in self.found], [["x.c", "1"], ["x.md", "1"]])


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
