#!/usr/bin/env python3
"""`kdslc fmt`: the tokens and comments of a source stay, the result is stable and has the style of docs/format.md. Tried on
every program of the tree, and on programs whose blanks and line ends are random. Usage: test_fmt.py KDSLC"""
import os
import random
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = str(Path(sys.argv.pop(1)).resolve())
TOKEN = re.compile(r'(?P<line>//[^\n]*)|(?P<block>/\*)|(?P<text>"(?:[^"\\\n]|\\.)*")'
                   r"|(?P<word>\d[\d_]*\.\d[\d_]*(?:[eE][+-]?\d[\d_]*)?\w*|\d[\d_]*[eE][+-]?\d[\d_]*\w*|\w+)"
                   r"|(?P<sign><<<=|<<<|<<=|>>=|<<|>>|\.\.|->|&&|\|\||[-+*/%&|^<>=!]=|.)|(?P<blank>\s+)", re.S)
CASES = [  # before, after
    ("fn main(){}", "fn main() {}\n"),
    ("\n\n\nconst A=1;\n\n\n\nconst B = - A;\n", "const A = 1;\n\nconst B = -A;\n"),
    ("fn f(a:i32,b:&[f32;n,2])->i32{return a*-1+(b[0 , 1]<2.0);}\n",
     "fn f(a: i32, b: &[f32; n, 2]) -> i32 { return a * -1 + (b[0, 1] < 2.0); }\n"),
    ("fn f<T:number>(x:Pair< T , f32 >) -> Pair<T,Pair<T,T>> { return g(x.a>>1, a<b); }\n",
     "fn f<T: number>(x: Pair<T, f32>) -> Pair<T, Pair<T, T>> { return g(x.a >> 1, a < b); }\n"),
    ("fn f() { let a = 1; // one\n let bc = 2;// two\n}", "fn f() {\n    let a = 1;  // one\n    let bc = 2;  // two\n}\n"),
    ("fn f() {\n  a();     // one\n  bcd();   // two\n           // more\n\n  e(); // three\n}",
     "fn f() {\n    a();    // one\n    bcd();  // two\n            // more\n\n    e();  // three\n}\n"),
    ("kernel k(x: &mut [f32; n]) over step in 0 .. n step -step, by in n by (2) { x[step] min= over(by);\n atomic x[0] max= - 1; }",
     "kernel k(x: &mut [f32; n]) over step in 0..n step -step, by in n by (2) {\n"
     "    x[step] min= over(by);\n    atomic x[0] max= -1;\n}\n"),
    ("fn f() { if a { b(); }\n else { c(); }\n let min = if a { 1 } else {\n2 }; min(1, 2); }",
     "fn f() {\n    if a {\n        b();\n    } else {\n        c();\n    }\n"
     "    let min = if a { 1 } else {\n        2\n    };\n    min(1, 2);\n}\n"),
    ("const A = [1, 2, 3,];\nconst B = [\n1, 2,\n3, 4\n];\nconst C = f(a, // first\n b);\n",
     "const A = [\n    1,\n    2,\n    3,\n];\nconst B = [\n    1, 2,\n    3, 4,\n];\nconst C = f(a,  // first\n            b);\n"),
    ("const A = a *\n b\n + c;", "const A = a\n    * b\n    + c;\n"),
    ("struct P { a: f32, b: i32 }\nstruct Q { a: f32,\n b: i32 }\nextern \"C\" struct R;",
     "struct P { a: f32, b: i32 }\nstruct Q {\n    a: f32,\n    b: i32,\n}\nextern \"C\" struct R;\n"),
    ("fn f() {\n\n  /* a\n     b */\n  g(/* c */ 1 /* d */, [ ]);\n\n\n  // end\n\n}\n",
     "fn f() {\n    /* a\n       b */\n    g(/* c */ 1 /* d */, []);\n\n    // end\n}\n"),
    ("kernel k(" + ", ".join(f"some_array_{i}: &[f64; n]" for i in range(4)) + ") over i in n assume distinct(a) -> sum f64 { return x; }",
     "kernel k(some_array_0: &[f64; n], some_array_1: &[f64; n], some_array_2: &[f64; n], some_array_3: &[f64; n])\n"
     "    over i in n assume distinct(a) -> sum f64\n{\n    return x;\n}\n"),
    ("kernel k(" + ", ".join(f"some_array_{i}: &[f64; n]" for i in range(4)) + ")   fast  over i in n { }",
     "kernel k(some_array_0: &[f64; n], some_array_1: &[f64; n], some_array_2: &[f64; n], some_array_3: &[f64; n])\n"
     "    fast over i in n {}\n"),
    ("kernel k(x: &mut [f64; n])\nfast\nover i in n { }", "kernel k(x: &mut [f64; n])\n    fast over i in n {}\n"),
    ("fn f() { let value = " + " + ".join(f"term_number_{i}" for i in range(12)) + "; }",
     "fn f() {\n    let value = term_number_0 + term_number_1 + term_number_2 + term_number_3 + term_number_4 + term_number_5"
     "\n        + term_number_6 + term_number_7 + term_number_8 + term_number_9 + term_number_10 + term_number_11;\n}\n"),
    ("fn f() { f(a & b, & b, !! a, ~ a, [x for i in 0 .. n], x [.. , 2 ..]); }\r\n",
     "fn f() { f(a & b, &b, !!a, ~a, [x for i in 0..n], x[.., 2..]); }\n"),
    ("fn f() {\noffload async on (1) k(&x , & mut y); offload resident{} wait; assert a , \"b\",c; { } } test \"x\" {f();}",
     "fn f() {\n    offload async on (1) k(&x, &mut y);\n    offload resident {}\n    wait;\n    assert a, \"b\", c;\n    {}\n}\n"
     "test \"x\" { f(); }\n"),
    ("fn f() { g(& out [\t1 .. ], &out [..], &out out [.. 2], &out [ 0.0 ;3], &out [x for x in 0 .. 3]); }",
     "fn f() { g(&out[1..], &out[..], &out out[..2], &out [0.0; 3], &out [x for x in 0..3]); }\n"),
    ("", ""), ("// only\n\n\n", "// only\n"),
]


def fmt(*arguments, text=None):
    done = subprocess.run([KDSLC, "fmt", *arguments], input=None if text is None else text.encode(), capture_output=True,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def tokens(text):
    """Tokens and comments, the latter without the blanks at the margins of their lines."""
    out, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        at = found.end()
        if found["block"]:
            depth = 1
            while depth:
                mark = re.compile(r"/\*|\*/").search(text, at)
                depth, at = depth + (1 if mark[0] == "/*" else -1), mark.end()
            out.append("\n".join(line.strip() for line in text[found.start():at].split("\n")))
        elif found["line"]:
            out.append(found[0].rstrip())
        elif not found[0].isspace():
            out.append(found[0])
    return out


def without_last_commas(found):
    def is_last(i):
        rest = next((t for t in found[i + 1:] if not t.startswith(("//", "/*"))), "")
        return found[i] == "," and rest in (")", "]", "}")
    return [t for i, t in enumerate(found) if not is_last(i)]


def mangled(text, chance):
    """The same tokens with other blanks and line ends between them."""
    found, out = tokens(text), []
    for left, right in zip(found, [*found[1:], ""]):
        out.append(left)
        tight = left in "()[]{},;" or right in "()[]{},;"
        out.append("\n" if left.startswith("//") else chance.choice(["" if tight else " ", " ", " ", "\n", "  \t", "\n\n\n "]))
    return "".join(out)


def programs():
    """Every program of the tree that has no syntax errors; the blocks of the pages, too."""
    for folder in ("examples", "stdlib", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*.kdsl")):
            text = path.read_bytes()
            try:
                yield str(path.relative_to(ROOT)), text.decode().replace("\r", "")
            except UnicodeDecodeError:
                pass  # a test of what the lexer says of other bytes
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for i, block in enumerate(re.findall(r"^```kdsl[\w-]*\n(.*?)^```", page.read_text(), flags=re.M | re.S)):
            yield f"{page.relative_to(ROOT)}:{i}", block


class FmtTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def format_all(self, texts):
        """The texts that can be parsed, before and after."""
        paths = []
        for i, (_, text) in enumerate(texts):
            paths.append(self.folder / f"{i}.kdsl")
            paths[-1].write_text(text, newline="")
        bad = self.bad_files(fmt("--check", *paths)[2])
        good = [i for i, path in enumerate(paths) if str(path) not in bad]
        self.assertLessEqual(fmt(*(paths[i] for i in good))[0], 0)
        return [(*texts[i], paths[i].read_text()) for i in good]

    def bad_files(self, said):
        return set(re.findall(r"^(\S+\.kdsl):\d+:\d+: error", said, flags=re.M))

    def assert_same_program(self, name, before, after):
        self.assertEqual(without_last_commas(tokens(before)), without_last_commas(tokens(after)), name)
        self.assertNotRegex(after, r"[ \t]\n|\n\n\n|\A\n|\n\n\Z|\t *\S", name) if "\t" not in before else None
        self.assertTrue(not after or after.endswith("\n"), name)

    def assert_stable(self, formatted):
        paths = [self.folder / f"again{i}.kdsl" for i in range(len(formatted))]
        for path, (_, _, after) in zip(paths, formatted):
            path.write_text(after)
        code, out, err = fmt("--diff", "--check", *paths)
        self.assertEqual((code, out, err), (0, "", ""))

    def test_cases(self):
        for before, after in CASES:
            with self.subTest(before):
                self.assertEqual(fmt(text=before), (0, after, ""))
                self.assertEqual(fmt("-", text=after), (0, after, ""))

    def test_programs_of_the_tree(self):
        texts = list(programs())
        formatted = self.format_all(parts.first(random.Random(2).sample(texts, len(texts)), 200))
        self.assertGreater(len(formatted), 100)
        for name, before, after in formatted:
            self.assert_same_program(name, before, after)
        self.assert_stable(formatted)

    def test_lines_are_short_where_they_can_be(self):
        for name, _, after in self.format_all([p for p in programs() if p[0].startswith(("examples", "stdlib", "bench"))]):
            for line in after.split("\n"):
                self.assertLessEqual(len(re.sub(r"\s*//.*", "", line)), 120, name)

    def test_examples_and_modules_are_formatted(self):
        code, out, err = fmt("--check", *sorted((ROOT / "examples").glob("*.kdsl")), *sorted((ROOT / "stdlib").glob("*.kdsl")))
        self.assertEqual((code, out, err), (0, "", ""), "run `kdslc fmt` on these")

    def test_the_tree_of_the_program_stays(self):
        texts = [p for p in programs() if p[0].startswith(("tests/parse", "tests/run", "tests/sema/ok", "examples"))]
        for name, before, after in self.format_all(parts.first(random.Random(1).sample(texts, len(texts)), 5)):
            for emit in ("ast", "checked"):
                trees = []
                for i, text in enumerate((before, after)):
                    path = self.folder / "tree.kdsl"
                    path.write_text(text)
                    done = subprocess.run([KDSLC, f"--emit={emit}", path], capture_output=True, check=False)
                    trees.append((done.returncode, done.stdout))
                self.assertEqual(*trees, name)

    def test_line_ends_in_type_arguments(self):
        """A line end between type arguments does not decide how the fields of a struct are laid out."""
        text = "struct Deep<T, U> { p: Pair<T, Pair<T, U>>, q: Box<Pair<U, T>>, r: Pair<T, U> }\n"
        texts = [(f"{i}.kdsl", text[:i] + "\n" + text[i:]) for i, c in enumerate(text) if i and text[i - 1] == ","]
        self.assert_stable(self.format_all(texts))

    def test_random_blanks(self):
        chance = random.Random(7)
        texts = [p for p in programs() if not p[0].startswith(("tests/lex", "docs"))]
        texts = parts.first(chance.sample(texts, len(texts)), 40)
        good = {name for name, _, _ in self.format_all(texts)}
        texts = [(name, mangled(text, chance)) for name, text in texts if name in good]
        formatted = self.format_all(texts)
        self.assertEqual([name for name, _, _ in formatted], [name for name, _ in texts])
        for name, before, after in formatted:
            self.assert_same_program(name, before, after)
        self.assert_stable(formatted)

    # The command ------------------------------------------------------------------------------------------------------

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_files_are_replaced_only_if_they_change(self):
        path, other = self.written("a.kdsl", "const A=1;\n"), self.written("b.kdsl", "const B = 1;\n")
        path.chmod(0o664)
        link = self.folder / "link.kdsl"
        link.symlink_to("a.kdsl")
        before = other.stat()
        self.assertEqual(fmt(link, other), (0, "", ""))
        self.assertEqual(path.read_text(), "const A = 1;\n")
        self.assertTrue(link.is_symlink())
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o664)
        self.assertEqual((before.st_ino, before.st_mtime_ns), (other.stat().st_ino, other.stat().st_mtime_ns))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.kdsl", "b.kdsl", "link.kdsl"])

    def test_check_and_diff(self):
        text = "".join(f"const A{i} = {i};\n" for i in range(40)).replace("A3 =", "A3=").replace("A30 =", "A30  =")
        path, good = self.written("a.kdsl", text.rstrip("\n")), self.written("b.kdsl", "const B = 1;\n")
        self.assertEqual(fmt("--check", path, good), (1, f"{path}\n", ""))
        self.assertEqual(fmt("--check", good), (0, "", ""))
        code, diff, _ = fmt("--diff", path, good)
        self.assertEqual(code, 0)
        self.assertEqual(fmt("--diff", "--check", path)[:2], (1, diff))
        self.assertEqual(path.read_text(), text.rstrip("\n"))
        self.assertEqual(diff.count("@@ -"), 3)
        self.assertEqual(self.patched(path.read_text(), diff), fmt(text=text)[1])
        self.assertEqual(fmt("--check", text="const A=1;\n"), (1, "<stdin>\n", ""))

    def patched(self, text, diff):
        """A text after a unified diff."""
        old, new, at = text.split("\n"), [], 0
        for head, body in re.findall(r"^(@@ .*)\n((?:[-+ \\].*\n)*)", diff, flags=re.M):
            start, length, _, count = (int(n or 1) for n in re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", head).groups())
            new += old[at:start - 1]
            lines = [line for line in body.split("\n")[:-1] if line[0] != "\\"]
            self.assertEqual([line[1:] for line in lines if line[0] in " -"], old[start - 1:start - 1 + length])
            self.assertEqual(sum(line[0] in " +" for line in lines), count)
            new += [line[1:] for line in lines if line[0] in " +"]
            at = start - 1 + length
        return "\n".join(new + old[at:]) + ("" if at < len(old) else "\n")

    def test_files_with_errors_stay(self):
        bad, good = self.written("bad.kdsl", "fn f( {\n  x=1;\n"), self.written("good.kdsl", "const A=1;\n")
        code, out, err = fmt(bad, good, self.folder / "none.kdsl", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"{bad}:1:7: error[E02", err)
        self.assertIn("none.kdsl`: No such file", err)
        self.assertIn("it is a directory", err)
        self.assertEqual((bad.read_text(), good.read_text()), ("fn f( {\n  x=1;\n", "const A = 1;\n"))
        self.assertEqual(fmt(text="fn f( {\n")[:2], (1, ""))
        self.assertEqual(fmt(text='fn f() { print("never closed); }\n/* nor this')[:2], (1, ""))
        many = [self.written(f"{i}.kdsl", "fn 1 f( { x=1;\n" * 5) for i in range(12)]
        code, _, err = fmt("--format=json", *many)
        self.assertEqual((code, len({line for line in err.split('"') if line.endswith(".kdsl")})), (1, 12))

    def test_the_command_line(self):
        path = self.written("a.kdsl", "fn main() {}\n")
        for arguments, said in ((["fmt", "-o", "x", path], "`kdslc fmt` changes the files themselves"),
                                (["fmt", "--emit=ast", path], "remove --emit"), (["--check", path], "for `kdslc fmt`"),
                                (["--diff", path], "for `kdslc fmt`"), (["fmt", "--diff=3", path], "takes no value"),
                                (["fmtt", path], "did you mean `fmt`")):
            done = subprocess.run([KDSLC, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
        for arguments in (["check", "--check=bounds", path], ["fmt", "--check", "--", path], ["fmt", path, "--check"]):
            self.assertEqual(subprocess.run([KDSLC, *arguments], check=False).returncode, 0, arguments)


if __name__ == "__main__":
    unittest.main()
