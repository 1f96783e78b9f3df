#!/usr/bin/env python3
"""Make the pictures of terminals from the tools themselves: editor.png (docs/editors.md) from Neovim with `kdslc lsp`,
syntax.png (docs/editors.md) from Neovim with the tree-sitter grammar, session.png (docs/repl.md) from `kdslc repl`.
Usage: docs/pictures/terminals.py [--kdslc KDSLC] [editor] [syntax] [session]

Needs chromium, neovim and tmux (`./dev test --all` installs them)."""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from terminal import Terminal  # noqa: E402

PROGRAM = """// y += a x, and the sum of the products
kernel saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n {
    y[i] += a * x[i];
}

kernel dot(x: &[f32; n], y: &[f32; n]) over i in n -> sum f64 {
    return f64(x[i]) * f64(y[i]);
}

fn main() {
    let n = 1 << 20;
    let x = [f32(i) for i in n];
    var y = [1.0f32; n];

    offload saxpy(2.0, &x, &mut y);
    let d = offload dot(&x, &y);
    let half = d / 2.0;
    print("x . y = {:.6e}", d);
}
"""
START = """
set number signcolumn=yes cursorline background=dark laststatus=2 linebreak noruler noshowcmd shortmess+=FI termguicolors
set statusline=\\ %f\\ %m%=%l:%c\\ \\ kdslc\\ 
syntax on
filetype on
hi Normal guifg=#d7dae0 guibg=#1e222a
hi CursorLine guibg=#262b35
hi LineNr guifg=#5c6370
hi CursorLineNr guifg=#abb2bf guibg=#262b35
hi SignColumn guibg=#1e222a
hi StatusLine gui=NONE guifg=#d7dae0 guibg=#353b45
hi Comment guifg=#7f848e gui=italic
hi Keyword guifg=#c678dd gui=NONE
hi Statement guifg=#c678dd gui=NONE
hi Type guifg=#e5c07b gui=NONE
hi Function guifg=#61afef gui=NONE
hi Identifier guifg=#61afef gui=NONE
hi Number guifg=#d19a66
hi Constant guifg=#d19a66
hi String guifg=#98c379
hi SpecialChar guifg=#56b6c2
hi Special guifg=#56b6c2
hi Operator guifg=#c678dd gui=NONE
hi NonText guifg=#3b4048
hi NormalFloat guifg=#d7dae0 guibg=#2c313a
hi FloatBorder guifg=#5c6370 guibg=#2c313a
hi Pmenu guifg=#d7dae0 guibg=#2c313a
hi DiagnosticWarn guifg=#d19a66
hi DiagnosticUnderlineWarn gui=underline guifg=NONE
nnoremap <silent> K :lua vim.lsp.buf.hover()<CR>
lua vim.lsp.buf_attach_client(0, vim.lsp.start_client({ name = "kdslc", cmd = { "KDSLC", "lsp" }, root_dir = vim.fn.getcwd() }))
lua vim.lsp.handlers["textDocument/hover"] = vim.lsp.with(vim.lsp.handlers.hover, { border = "rounded", max_width = 66 })
"""


def editor(kdslc, path):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "saxpy.kdsl").write_text(PROGRAM)
        Path(folder, "start.vim").write_text(START.replace("KDSLC", str(kdslc)))
        command = ["nvim", "-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set rtp+={ROOT}/editors/vim", "--cmd", "filetype on",
                   "saxpy.kdsl", "-c", "source start.vim"]
        with Terminal(command, 104, 22, folder, HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder,
                      XDG_STATE_HOME=folder) as terminal:
            terminal.wait("`half`")
            terminal.type("3G0fxK")
            terminal.wait("x: &[f32; n] ", 20)
            terminal.picture(path)


TREE = """/* Comments nest: /* as here */ and `step`, `out`, `by` are keywords only where one is expected. */
struct Pair<T> { low: T, high: T }

export kernel spread(step: i32, out: &out [f32; n], to: &[i32; n]) over i in 0..n by 64 assume distinct(to) {
    out[to[i]] = if i % 2 == 0 { 1.5e-3 } else { f32(step) };
}

kernel total(x: &[f32; n]) over i in n -> sum f64 { return f64(x[i]); }

fn main() {
    let to = [i32(i) for i in 1 << 10];
    var out: [f32; 1 << 10];
    for step in 0..16 step 4 {
        offload spread(step, &out out, &to);
        print("{}: {:.3}\\n{{ }}", step, offload total(&out[1..]));
    }
    let while = 1;
}
"""


def syntax(_, path):
    grammar = ROOT / "editors/tree-sitter-kdsl"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "spread.kdsl").write_text(TREE)
        Path(folder, "parser").mkdir()
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{grammar}/src", *grammar.glob("src/*.c"), "-o", f"{folder}/parser/kdsl.so"],
                       check=True)
        shutil.copytree(grammar / "queries", f"{folder}/queries/kdsl")
        kept = [line for line in START.splitlines() if not line.startswith(("lua", "syntax", "filetype"))]
        Path(folder, "start.vim").write_text("\n".join([*kept, "syntax off", "hi Error guifg=#ffffff guibg=#9b3a42",
            f"set rtp+={folder}", 'lua vim.treesitter.highlighter.new(vim.treesitter.get_parser(0, "kdsl"), {})', ""]))
        command = ["nvim", "-u", "NONE", "-i", "NONE", "-n", "spread.kdsl", "-c", "source start.vim"]
        with Terminal(command, 116, 21, folder, HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder,
                      XDG_STATE_HOME=folder) as terminal:
            terminal.wait("let while")
            terminal.picture(path)


INPUTS = [
    "kernel wave(y: &out [f64; n], t: f64) over i in n { y[i] = sin(0.1 * f64(i)) * exp(-0.01 * f64(i) * t); }",
    "var y = [0.0; 200];",
    "offload wave(&out y, 1.5);",
    "y[..6]",
    "plot(y)",
]


def session(kdslc, path):
    with tempfile.TemporaryDirectory() as folder:
        with Terminal([kdslc, "repl"], 112, 28, folder, HOME=folder, COLORTERM="truecolor") as terminal:
            terminal.wait_for_end("\nkdsl>")
            for line in INPUTS:
                terminal.type(line)
                terminal.keys("Enter")
                terminal.wait_for_end("\nkdsl>")
            terminal.picture(path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kdslc", type=Path, default=ROOT / "build/bin/kdslc")
    options.add_argument("--folder", type=Path, default=HERE)
    options.add_argument("pictures", nargs="*")
    options = options.parse_args()
    for make in (editor, syntax, session):
        if not options.pictures or make.__name__ in options.pictures:
            make(options.kdslc.resolve(), options.folder / f"{make.__name__}.png")


if __name__ == "__main__":
    main()
