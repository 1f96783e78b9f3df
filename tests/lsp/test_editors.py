#!/usr/bin/env python3
"""The files for editors know the keywords of the language. Usage: test_editors.py KDSLC"""
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "editors"


def words(*classes):
    rows = re.findall(r'^TOKEN\(\w+, "([a-z]+)", (\w+)\)', (ROOT / "lexer/tokens.def").read_text(), flags=re.M)
    return {spelling for spelling, kind in rows if kind in classes}


class EditorsTest(unittest.TestCase):
    def test_there_are_words(self):
        self.assertLess({"kernel", "offload", "mut"}, words("WORD"))
        self.assertLess({"over", "by"}, words("SOFT"))

    def test_vim(self):
        text = (EDITORS / "vim/syntax/kdsl.vim").read_text()
        for group, kind in (("kdslKeyword", "WORD"), ("kdslSoft", "SOFT")):
            self.assertEqual(set(re.search(rf"syn keyword {group} (.*)", text)[1].split()), words(kind))

    def test_vscode(self):
        grammar = json.loads((EDITORS / "vscode/syntaxes/kdsl.tmLanguage.json").read_text())
        rules = {rule.get("name"): rule["match"] for rule in grammar["patterns"] if "match" in rule}
        for name, kind in (("keyword.control.kdsl", "WORD"), ("keyword.other.kdsl", "SOFT")):
            self.assertEqual(set(re.fullmatch(r"\\b\((.*)\)\\b", rules[name])[1].split("|")), words(kind))
        for rule in rules.values():
            re.compile(rule)
        package = json.loads((EDITORS / "vscode/package.json").read_text())
        for path in (package["main"], package["contributes"]["grammars"][0]["path"],
                     package["contributes"]["languages"][0]["configuration"]):
            self.assertTrue((EDITORS / "vscode" / path).is_file(), path)

    def test_emacs(self):
        text = (EDITORS / "emacs/kdsl-mode.el").read_text()
        self.assertEqual(set(re.findall(r'"(\w+)"', re.search(r"kdsl-words '\((.*)\)\)", text)[1])), words("WORD", "SOFT"))


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
