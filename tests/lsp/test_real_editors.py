#!/usr/bin/env python3
"""Editors themselves: Neovim, set up by the commands of docs/editors.md, with the language server (neovim.lua has the steps) and
with the grammar in editors/tree-sitter-kdsl; Emacs with editors/emacs. Usage: test_real_editors.py KDSLC"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = str(Path(sys.argv.pop(1)).resolve())
WRONG = """kernel saxpy(a: f32, x: &[f32; n], y: &[f32; n]) over i in n {
  y[i]+=a*x[i];
}

fn main() {
    let x = [1.0f32; 8];
    var y = [2.0f32; 8];
    offload saxpy(3.0, &x, &mut y);
    print("{}", y[7]);
}
"""


EMACS = """(progn
  (setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (_) (expand-file-name "mode.elc" "FOLDER")))
  (unless (byte-compile-file "ROOT/editors/emacs/kdsl-mode.el") (kill-emacs 2))
  (load (expand-file-name "mode.elc" "FOLDER"))
  (find-file "FOLDER/saxpy.kdsl")
  (font-lock-ensure)
  (princ (list major-mode))
  (dolist (word '("kernel" "saxpy" "f32" "over" "// two" "{}"))
    (goto-char (point-min))
    (search-forward word)
    (princ (list (get-text-property (match-beginning 0) 'face)))))"""


# The last pattern that takes a word gives its colour; predicates (`#match?`) are evaluated by the editor.
COLOURS = """
local query = (vim.treesitter.get_query or vim.treesitter.query.get)("kdsl", "highlights")
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n")
local tree = vim.treesitter.get_string_parser(text, "kdsl"):parse()[1]
local colours = {}
for id, node in query:iter_captures(tree:root(), text, 0, -1) do
  local row, column, _, last = node:range()
  local word = text:gsub("\\n.*", ""):sub(column + 1, last)
  if row == 0 then colours[column .. word] = query.captures[id] end
end
for _, word in ipairs({ "0kernel", "7step", "12out", "19f32", "28over", "33by", "44step", "49by" }) do
  io.stdout:write(word, "=", colours[word] or "nothing", " ")
end
"""
COLOURED = """kernel step(out: &[f32; n]) over by in 0..9 step by { x(1); }
"""


class EditorsTest(unittest.TestCase):
    def test_emacs(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "saxpy.kdsl").write_text("// two\n" + WRONG)
            lisp = EMACS.replace("ROOT", str(ROOT)).replace("FOLDER", folder)
            done = subprocess.run(["emacs", "--batch", "-Q", "--eval", lisp], capture_output=True, text=True, timeout=240,
                                  env={**os.environ, "HOME": folder}, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "(kdsl-mode)(font-lock-keyword-face)(font-lock-function-name-face)(font-lock-type-face)"
                             "(font-lock-keyword-face)(font-lock-comment-delimiter-face)(font-lock-string-face)")

    def neovim_of_the_page(self, folder, section="## Neovim"):
        """The environment of a user in whose home the commands of the page were run."""
        page = (ROOT / "docs/editors.md").read_text().partition(f"\n{section}\n")[2]
        commands = re.search(r"^```sh\n(.*?)^```", page, flags=re.M | re.S)[1]
        env = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        env.update(HOME=folder, PATH=f"{Path(KDSLC).parent}:{os.environ['PATH']}")
        subprocess.run(["bash", "-ec", commands], cwd=ROOT, env=env, check=True)
        return env

    def test_neovim(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "saxpy.kdsl")
            path.write_text(WRONG)
            env = self.neovim_of_the_page(folder)
            done = subprocess.run(["nvim", "--headless", "-i", "NONE", "-n", "-c", f"luafile {ROOT}/tests/lsp/neovim.lua"],
                                  capture_output=True, text=True, timeout=240, env={**env, "KDSL_FILE": str(path)},
                                  check=False, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = path.read_text()
            self.assertEqual(text, WRONG.replace("y: &[", "y: &mut [").replace("  y[i]+=a*x[i];", "    y[i] += a * x[i];"))
            ran = subprocess.run([KDSLC, "run", path], capture_output=True, text=True, check=False)
            self.assertEqual((ran.stdout, ran.returncode), ("5\n", 0), ran.stderr)

    def test_neovim_with_the_grammar(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a.kdsl", COLOURED), ("colours.lua", COLOURS)):
                Path(folder, name).write_text(text)
            self.neovim_of_the_page(folder)
            env = self.neovim_of_the_page(folder, "### With a grammar for tree-sitter")
            done = subprocess.run(["nvim", "--headless", "-i", "NONE", "-n", "a.kdsl", "-c", "luafile colours.lua", "-c", "qa!"],
                                  capture_output=True, text=True, timeout=240, env=env, check=False, cwd=folder)
            self.assertEqual(done.stdout.split(), ["0kernel=keyword", "7step=function", "12out=parameter", "19f32=type.builtin",
                                                   "28over=keyword", "33by=variable", "44step=repeat", "49by=variable"],
                             done.stderr)


if __name__ == "__main__":
    unittest.main()
