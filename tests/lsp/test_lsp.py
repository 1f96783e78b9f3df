#!/usr/bin/env python3
"""The language server, driven by messages. What it says of a text is compared with what the command line says of it, and
what its edits make of a program is compiled and run. Usage: test_lsp.py KDSLC"""
import json
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).resolve().parent)]
import parts  # noqa: E402
from client import Client  # noqa: E402

KDSLC = sys.argv.pop(1)
URI = "file:///tmp/program%20one.kdsl"
TEXT = """import math;
// Adds c to
// every element.
kernel add(x: &mut [f32; n], c: f32) over i in n { x[i] += c; }
kernel take(x: &[f32; n], at: &[index; m], y: &out [f32; m]) over i in m { y[i] = x[at[i]]; }
struct Pair { first: f32, second: i32 }
const N = 7;
fn total<T: number>(x: &[T; n]) -> T {
    var t = T(0);
    for v in n { t += x[v]; }
    return t;
}
fn main() {
    var m = [1.0f32; 3];
    let p = Pair(first: 1.0, second: N);
    let where = [2, 0];
    let at = [index(where[i]) for i in 2];
    var y = [0.0f32; 2];
    offload add(&mut m, p.first);
    offload take(&m, &at, &out y);
    print("{} {} {}", total(&m), y[1], math.lerp(1.0, 2.0, 0.5));
}
"""


def place(text, offset, encoding="utf-16"):
    line = text.count("\n", 0, offset)
    head = text[text.rfind("\n", 0, offset) + 1:offset]
    width = {"utf-16": lambda c: 2 if ord(c) > 0xffff else 1, "utf-8": lambda c: len(c.encode())}[encoding]
    return {"line": line, "character": sum(map(width, head))}


def offset_of(text, position, encoding="utf-16"):
    at = 0
    for _ in range(position["line"]):
        at = text.index("\n", at) + 1
    while place(text, at, encoding)["character"] < position["character"]:
        at += 1
    return at


def edited(text, edits):
    for edit in sorted(edits, key=lambda e: offset_of(text, e["range"]["start"]), reverse=True):
        lo, hi = (offset_of(text, edit["range"][side]) for side in ("start", "end"))
        text = text[:lo] + edit["newText"] + text[hi:]
    return text


def at(needle, nth=0, inside=0):
    found = [m.start() for m in re.finditer(re.escape(needle), TEXT)][nth]
    return {"textDocument": {"uri": URI}, "position": place(TEXT, found + inside)}


class LspTest(unittest.TestCase):
    def setUp(self):
        self.client = Client(KDSLC)
        self.addCleanup(self.client.__exit__)

    def ask(self, method, params):
        return self.client.ask(f"textDocument/{method}", params)

    def opened(self):
        self.assertEqual(self.client.open(URI, TEXT), [])

    def hover(self, *where):
        found = self.ask("hover", at(*where))
        return found and found["contents"]["value"]

    def change(self, text, uri=URI):
        return self.client.change(uri, [{"text": text}])

    def test_hover(self):
        self.opened()
        self.assertIn("x: &mut [f32; n]", self.hover("x[i] +="))
        self.assertIn("line 19, `&mut m`: to (4*n bytes)", self.hover("x[i] +="))
        self.assertIn("proven to be in bounds: no check", self.hover("x[i] +="))
        self.assertIn("The index is checked at run time: ", self.hover("x[at[i]]"))
        self.assertIn("kernel add(x: &mut [f32; n], c: f32) over i in n", self.hover("add(&mut"))
        self.assertIn("Adds c to\nevery element.", self.hover("add(&mut"))
        self.assertIn("var m: [f32; 3]", self.hover("m, p.first"))
        self.assertIn("moves nothing", self.hover("m, &at"))
        self.assertIn("first: f32", self.hover("p.first", 0, 3))
        self.assertIn("const N: i32 = 7", self.hover("N);"))
        self.assertIn("var t: f32", self.hover("t += x"))  # of the first instance
        self.assertIn("extent n: index", self.hover("n {"))
        self.assertIn("Linear interpolation", self.hover("lerp"))
        self.assertIsNone(self.hover("return"))

    def test_array_constant(self):
        text = ('const W = [0.5, 0.25];\nkernel k(y: &mut [f64; n]) over i in n { y[i] *= W[i % 2]; }\n'
                'fn main() {\n    var y = [1.0; 4];\n    offload k(&mut y);\n    print("{} {}", y[1], W[0] + f64(len(W)));\n}\n')
        self.assertEqual(self.client.open(URI, text), [])

        def here(nth):
            offset = [m.start() for m in re.finditer(r"\bW\b", text)][nth]
            return {"textDocument": {"uri": URI}, "position": place(text, offset)}
        for nth in range(4):
            self.assertIn("const W: [f64; 2] = 0.5, 0.25", self.ask("hover", here(nth))["contents"]["value"])
            self.assertEqual(self.ask("definition", here(nth))["range"]["start"], {"line": 0, "character": 6})
        found = self.ask("references", {**here(1), "context": {"includeDeclaration": True}})
        self.assertEqual(sorted(r["range"]["start"]["line"] for r in found), [0, 1, 5, 5])
        renamed = self.ask("rename", {**here(2), "newName": "weights"})["changes"][URI]
        self.assertEqual(edited(text, renamed), re.sub(r"\bW\b", "weights", text))

    def test_extent_that_is_a_sum(self):
        text = "fn last(x: &[f32; n + 1]) -> f32 { return x[n]; }\nfn main() {}\n"
        self.client.open(URI, text)

        def here(needle, inside=0):
            return {"textDocument": {"uri": URI}, "position": place(text, text.index(needle) + inside)}
        self.assertIn("x: &[f32; n + 1]", self.ask("hover", here("x[n]"))["contents"]["value"])
        self.assertIn("extent n: index", self.ask("hover", here("n + 1"))["contents"]["value"])
        self.assertEqual(self.ask("definition", here("x[n]", 2))["range"]["start"], {"line": 0, "character": 18})

    def test_definition_references_and_highlight(self):
        self.opened()

        def definition(*where):
            found = self.ask("definition", at(*where))
            return found and (found["range"]["start"]["line"], found["range"]["start"]["character"])
        self.assertEqual(definition("add(&mut"), (3, 7))
        self.assertEqual(definition("p.first"), (14, 8))
        self.assertEqual(definition("p.first", 0, 2), (5, 14))
        self.assertEqual(definition("x[v]"), (7, 20))
        self.assertIsNone(definition("lerp"))  # its text is in the compiler

        def references(declared, *where):
            return len(self.ask("references", {**at(*where), "context": {"includeDeclaration": declared}}))
        self.assertEqual(references(True, "m, p.first"), 4)
        self.assertEqual(references(False, "m, p.first"), 3)
        self.assertEqual(references(True, "first: f32"), 3)
        self.assertEqual(references(True, "Pair {"), 2)
        self.assertEqual(len(self.ask("documentHighlight", at("t += x"))), 3)

    def test_definition_in_another_file(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "other file.kdsl").write_text("")
            Path(folder, "lib.kdsl").write_text("// Twice.\nfn twice(x: f32) -> f32 { return 2.0 * x; }\n")
            uri = f"file://{folder}/main.kdsl"
            text = 'import lib;\nfn main() { print("{}", lib.twice(1.0)); }\n'
            self.assertEqual(self.client.open(uri, text), [])
            found = self.ask("definition", {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 29}})
            self.assertEqual((found["uri"], found["range"]["start"]), (f"file://{folder}/lib.kdsl",
                                                                       {"line": 1, "character": 3}))
            refused = self.client.ask_all("textDocument/rename", {"textDocument": {"uri": uri}, "newName": "thrice",
                                                                  "position": {"line": 1, "character": 29}})
            self.assertIn("declared in another file", refused["error"]["message"])

    def test_rename(self):
        self.opened()

        def rename(name, *where):
            return self.client.ask_all("textDocument/rename", {**at(*where), "newName": name})
        for where, old in ((("m, p.first",), "m"), (("first: f32",), "first"), (("total(&m",), "total"), (("n {",), "n"),
                           (("Pair {",), "Pair"), (("t += x",), "t"), (("add(&mut",), "add"), (("N);",), "N")):
            answer = rename("renamed", *where)
            text = edited(TEXT, answer["result"]["changes"][URI])
            self.assertIn("renamed", text)
            self.assertEqual(self.change(text), [], old)
            self.assertEqual(edited(text, self.client.ask_all("textDocument/rename", {
                "textDocument": {"uri": URI}, "position": place(text, text.index("renamed")), "newName": old
            })["result"]["changes"][URI]), TEXT)
            self.change(TEXT)
        for name in ("p", "over there", "for", "2x", ""):
            self.assertIn("error", rename(name, "m, p.first"), name)
        self.assertIsNone(self.ask("prepareRename", at("return")))
        self.assertEqual(self.ask("prepareRename", at("m, p.first"))["start"], at("m, p.first")["position"])

    def labels(self, *where):
        return [item["label"] for item in self.ask("completion", at(*where))]

    def test_completion(self):
        self.opened()
        self.assertEqual(self.labels("p.first", 0, 2), ["first", "second"])
        self.assertIn("lerp", self.labels("lerp"))
        here = self.labels("offload add")
        self.assertLess({"m", "p", "add", "Pair", "N", "total", "math", "sqrt", "f32", "offload"}, set(here))
        self.assertNotIn("t", here)
        self.assertNotIn("y", self.labels("var y"))
        self.assertEqual(len(here), len(set(here)))

    def test_completion_while_a_line_is_written(self):
        self.opened()
        text = TEXT.replace("    offload take", "    p.\n    offload take")
        self.assertNotEqual(self.change(text), [])
        here = {"textDocument": {"uri": URI}, "position": place(text, text.index("p.\n") + 2)}
        self.assertEqual([item["label"] for item in self.ask("completion", here)], ["first", "second"])
        self.assertIn("kernel take", self.ask("hover", {"textDocument": {"uri": URI}, "position": place(
            text, text.index("take(&m") + 1)})["contents"]["value"])

    def test_signature_help(self):
        self.opened()
        found = self.ask("signatureHelp", at("p.first)"))
        self.assertEqual(found["activeParameter"], 1)
        self.assertEqual([p["label"] for p in found["signatures"][0]["parameters"]], ["x: &mut [f32; n]", "c: f32"])
        self.assertEqual(self.ask("signatureHelp", at("0.5)"))["activeParameter"], 2)
        self.assertIsNone(self.ask("signatureHelp", at("var m")))

    def test_formatting(self):
        text = TEXT.replace("x[i] += c", "x[i]+=c").replace("    var m =", "  var m   =").replace("N = 7;\n", "N = 7;\n\n\n")
        text = text.rstrip("\n")
        wanted = subprocess.run([KDSLC, "fmt"], input=text, capture_output=True, text=True, check=True).stdout
        self.client.open(URI, text)
        here = {"textDocument": {"uri": URI}, "options": {"tabSize": 8, "insertSpaces": False}}
        edits = self.ask("formatting", here)
        self.assertGreater(len(edits), 2)
        self.assertEqual(edited(text, edits), wanted)
        line = text[:text.index("x[i]+=c")].count("\n")
        found = self.ask("rangeFormatting", {**here, "range": {"start": {"line": line, "character": 4},
                                                               "end": {"line": line, "character": 9}}})
        self.assertEqual(edited(text, found), text.replace("x[i]+=c", "x[i] += c"))
        self.change(wanted)
        self.assertEqual(self.ask("formatting", here), [])
        self.change("fn f( {\n")
        refused = self.client.ask_all("textDocument/formatting", here)
        self.assertIn("syntax errors", refused["error"]["message"])

    def test_inlay_hints(self):
        self.opened()
        hints = self.ask("inlayHint", {"textDocument": {"uri": URI}, "range": {
            "start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}})
        self.assertEqual([(h["position"]["line"], h["label"]) for h in hints], [(18, "in m"), (19, "in at")])
        self.assertEqual(hints[0]["position"], place(TEXT, TEXT.index("p.first)") + 8))

    def test_outline(self):
        self.opened()
        names = [item["name"] for item in self.ask("documentSymbol", {"textDocument": {"uri": URI}})]
        self.assertEqual(names, ["math", "add", "take", "Pair", "N", "total", "main"])

    def test_semantic_tokens(self):
        self.opened()
        legend = self.client.server["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
        data, lines, seen = self.ask("semanticTokens/full", {"textDocument": {"uri": URI}})["data"], TEXT.split("\n"), []
        line = column = 0
        for i in range(0, len(data), 5):
            line, column = (line + data[i], data[i + 1]) if data[i] else (line, column + data[i + 1])
            seen.append((lines[line][column:column + data[i + 2]], legend[data[i + 3]], data[i + 4]))
        for token in (("kernel", "keyword", 0), ("add", "function", 1), ("x", "parameter", 1), ("f32", "type", 0),
                      ("7", "number", 0), ("first", "property", 0), ("m", "variable", 1), ("math", "namespace", 0),
                      ("Pair", "struct", 2), ("p", "variable", 3), ("over", "keyword", 0)):
            self.assertIn(token, seen)

    def test_fixes(self):
        self.opened()
        for wrong, right in (("p.frist", "p.first"), ("retrun t", "return t"), ("lett p", "let p")):
            text = TEXT.replace(right, wrong)
            told = self.change(text)
            self.assertTrue(told, wrong)
            actions = self.ask("codeAction", {"textDocument": {"uri": URI}, "range": told[0]["range"],
                                              "context": {"diagnostics": told}})
            self.assertEqual(edited(text, actions[0]["edit"]["changes"][URI]), TEXT, wrong)
            self.assertEqual(actions[0]["diagnostics"][0]["code"], told[0]["code"])

    def test_fixes_of_a_line(self):
        self.opened()
        text = TEXT.replace("p.first", "p.frist").replace("return t", "retrun t")
        told = self.change(text)
        wrong = next(d for d in told if d["range"]["start"]["line"] == text[:text.index("retrun")].count("\n"))
        line, column = wrong["range"]["start"]["line"], wrong["range"]["start"]["character"]
        self.assertGreater(column, 0)
        end = len(text.split("\n")[line])

        def titles(first, last, named):
            span = {"start": {"line": first[0], "character": first[1]}, "end": {"line": last[0], "character": last[1]}}
            return [action["title"] for action in self.ask("codeAction", {
                "textDocument": {"uri": URI}, "range": span, "context": {"diagnostics": named}})]

        fix = titles((line, column), (line, column), [])
        self.assertEqual(fix, ["replace `retrun` with `return`"])
        self.assertEqual(titles((line, 0), (line, 0), []), fix)
        self.assertEqual(titles((line, end), (line, end), []), fix)
        self.assertEqual(titles((line - 1, 0), (line, 0), [wrong]), fix)
        self.assertEqual(titles((0, 0), (0, 0), [wrong]), fix)
        self.assertEqual(titles((0, 0), (0, 0), []), [])
        self.assertEqual(titles((0, 0), (len(text.split("\n")), 0), told), titles((0, 0), (999, 0), []))

    def test_races_are_reported_when_it_is_quiet(self):
        text = "kernel k(x: &mut [i32; n]) over i in n { x[i / 2] = i32(i); }\nfn main() { var x = [0; 4]; " \
               "offload k(&mut x); print(\"{}\", x[0]); }\n"
        self.assertEqual(self.client.open(URI, text), [])
        self.assertEqual([d["code"] for d in self.client.told()], ["E0530"])

    def test_places_in_wide_characters(self):
        for encoding in ("utf-16", "utf-8"):
            with Client(KDSLC, encodings=(encoding,)) as client:
                self.assertEqual(client.server["capabilities"]["positionEncoding"], encoding)
                text = 'fn main() { /* é 𝄞 */ let x = "𝄞é"; print("{} 𝄞 {}", x, yy); let y = 1; }\r\n// ende\r\n'
                told = [d for d in client.open(URI, text) if d["code"] == "E0301"]
                self.assertEqual(told[0]["range"]["start"], place(text, text.index("yy"), encoding))
                change = {"range": {"start": place(text, text.index("yy"), encoding),
                                    "end": place(text, text.index("yy") + 2, encoding)}, "text": "x"}
                self.assertEqual([d["code"] for d in client.change(URI, [change]) if d["code"] == "E0301"], [])

    def test_random_edits_arrive(self):
        rng = random.Random(7)
        text = (ROOT / "examples/saxpy.kdsl").read_text()
        self.client.open(URI, text)
        for _ in range(40):
            changes = []
            for _ in range(rng.randrange(1, 4)):
                lo = rng.randrange(len(text))
                hi = min(len(text), lo + rng.choice((0, 0, 1, 3, 30)))
                new = rng.choice(("", "", "x", "{", "}", "\n", "é", "𝄞", "let a = 1;", "\"", "/*", "offload "))
                changes.append({"range": {"start": place(text, lo), "end": place(text, hi)}, "text": new})
                text = text[:lo] + new + text[hi:]
            told = self.client.change(URI, changes)
            where = rng.randrange(len(text))
            for method in ("hover", "completion", "signatureHelp", "definition"):
                self.ask(method, {"textDocument": {"uri": URI}, "position": place(text, where)})
            with Client(KDSLC) as other:
                self.assertEqual(other.open(URI, text), told, text)

    def test_what_is_remembered_fits_the_text(self):
        """After each change the server says what one says that sees the text for the first time: it keeps answers about
        kernels, which depend on what they call, and on constants and structs."""
        text = """struct Size { half: i32 }
const STEP = 1;
fn last(n: index) -> index { return n - 1; }
fn put(y: &mut [f32; n], i: index) { y[i] = 1.0; }
kernel fill(y: &out [f32; n]) over i in 0..n step STEP { y[i] = 0.0; }
kernel ends(y: &out [f32; n]) over i in n { if i <= last(n) { y[i] = 0.0; } }
kernel by_call(y: &mut [f32; n]) over i in n { put(&mut y, i); }
kernel evens(y: &out [f32; n]) over i in n / 2 { y[2 * i] = 0.0; }
kernel odds(y: &out [f32; n]) over i in n / 2 { y[2 * i + 1] = 0.0; }
fn half() -> index { return 2; }
fn main() {
    var y = [1.0f32; 64];
    offload fill(&out y);
    offload ends(&out y);
    offload by_call(&mut y);
    offload evens(&out y);
    offload odds(&out y);
    print("{}", y[half()]);
}
"""
        changes = [("STEP = 1", "STEP = 2"), ("STEP = 2", "STEP = 1"), ("return n - 1", "return n - 2"), ("y[i] = 1.0", "y[0] = 1.0"),
                   ("y[0] = 1.0", "y[i] = 2.0"), ("n / 2 { y[2 * i] ", "n / 3 { y[2 * i] "), ("n / 3 {", "n / 2 {"),
                   ("    offload odds", "    // offload odds"), ("// offload odds", "offload odds"), ("2 * i + 1]", "2 * i]"),
                   ("last(n: index)", "last(n: i32)"), ("last(n: i32)", "last(n: index)"), ("{ y[i] = 0.0; }", "{ if i > 0 { y[i] = 0.0; } }")]
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}

        def said(client, tell):
            before = client.notes
            tell()
            is_valid = not any(d["severity"] == 1 for d in client.diagnostics[URI])
            while is_valid and client.notes < before + 2:  # races follow
                self.assertTrue(client.receive())
            hints = client.ask("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": whole})
            return [(d["code"], d["range"], d["message"]) for d in client.diagnostics[URI]], hints

        with Client(KDSLC) as client:
            seen = [said(client, lambda: client.open(URI, text))]
            for before, after in changes:
                self.assertIn(before, text)
                text = text.replace(before, after, 1)
                seen.append(said(client, lambda: client.change(URI, [{"text": text}])))
                with Client(KDSLC) as fresh:
                    self.assertEqual(seen[-1], said(fresh, lambda: fresh.open(URI, text)), (before, after))
            self.assertGreater(len({str(one) for one in seen}), 4)

    def test_says_what_the_command_says(self):
        paths = sorted((ROOT / "tests/sema").glob("*.kdsl")) + sorted((ROOT / "tests/mistakes").glob("*.kdsl"))
        self.assertGreater(len(paths), 300)
        self.client = Client(KDSLC, encodings=("utf-8",))
        self.addCleanup(self.client.__exit__)
        n_told = 0
        for path in parts.chosen(paths, lambda path: paths.index(path) % 8 == 0):
            try:
                text = path.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            if "// flags:" in text or "\0" in text or "\r" in text:
                continue
            uri = f"file://{path}"
            told = {(d["code"], d["range"]["start"]["line"] + 1, d["range"]["start"]["character"] + 1)
                    for d in self.client.open(uri, text)}
            said = subprocess.run([KDSLC, "check", "--races=off", path], capture_output=True, text=True).stderr
            expected = {(m[3], int(m[1]), int(m[2])) for m in
                        re.finditer(rf"(?m)^{re.escape(str(path))}:(\d+):(\d+): (?:error|warning)\[(\w+)\]", said)}
            own = {d for d in told if d[1:] != (1, 1)}
            self.assertEqual(own, {d for d in expected if d[1:] != (1, 1)}, path)
            n_told += len(own)
            self.assertEqual(self.client.shut(uri), [])
        self.assertGreater(n_told, 50)

    def test_messages_in_pieces_and_wrong_ones(self):
        one = json.dumps({"jsonrpc": "2.0", "id": 50, "method": "none/such", "params": {}}).encode()
        text = b"content-length: %d\r\nContent-Type: x\r\n\r\n%s" % (len(one), one)
        for piece in (text[:5], text[5:40], text[40:] + text[:9], text[9:]):
            self.client.raw(piece)
        self.assertEqual([self.client.receive()["error"]["code"] for _ in range(2)], [-32601, -32601])
        self.client.raw(b"Content-Length: 9\r\n\r\n{\"id\": 1,")
        self.assertEqual(self.client.receive()["error"]["code"], -32700)
        self.client.tell("$/unknown", {})
        self.client.tell("textDocument/didChange", {"textDocument": {"uri": "file:///not/open"}, "contentChanges": 1})
        self.client.tell("textDocument/didOpen", {})
        for method in ("hover", "completion", "rename", "inlayHint", "semanticTokens/full", "codeAction"):
            self.ask_any(method, None)
            self.ask_any(method, {"textDocument": [], "position": 7, "range": "x"})
        self.assertEqual(self.client.close(), 0)

    def ask_any(self, method, params):
        self.assertIn("id", self.client.ask_all(f"textDocument/{method}", params))

    def test_begin_and_end(self):
        process = subprocess.Popen([KDSLC, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        one = b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}'
        out, _ = process.communicate(b"Content-Length: %d\r\n\r\n%s" % (len(one), one), timeout=20)
        self.assertIn(b"-32002", out)
        self.assertEqual(process.returncode, 1)
        done = subprocess.run([KDSLC, "lsp"], input=b"hello\r\n\r\n", capture_output=True, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        done = subprocess.run([KDSLC, "lsp", "x.kdsl"], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)

    def test_cut_texts(self):
        """Whatever is left of a program: an answer, and the server lives."""
        paths = sorted((ROOT / "examples").glob("*.kdsl")) + sorted((ROOT / "tests/run").glob("*.kdsl"))[::20]
        rng = random.Random(3)
        for path in parts.chosen(paths, lambda path: paths.index(path) % 6 == 0):
            text = path.read_text()
            self.client.open(URI, text)
            for _ in range(6):
                lo = rng.randrange(len(text))
                cut = text[:lo] + text[min(len(text), lo + rng.randrange(60)):]
                self.change(cut)
                self.ask("completion", {"textDocument": {"uri": URI}, "position": place(cut, min(lo, len(cut)))})
                self.ask("hover", {"textDocument": {"uri": URI}, "position": place(cut, min(lo, len(cut)))})
        self.assertEqual(self.client.close(), 0)


if __name__ == "__main__":
    unittest.main()
