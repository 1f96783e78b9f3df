#!/usr/bin/env python3
"""--emit=html: the page is well-formed, escapes what the program says, needs no network and stays below 1 MB; in Chromium
its script lights up the code of a line. Usage: test_page.py KDSLC"""
import base64
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = sys.argv.pop(1)
MOST_BYTES = 1_000_000
VOID = {"meta", "link", "br", "img"}
OPEN_ENDED = {"li", "td", "th", "tr"}  # whose end tags HTML leaves out
NASTY = """// </script><script>document.title = "bad"</script> & <!-- <b> -->
kernel scale(x: &mut [f32; n], at: &[i32; n]) over i in n {
    x[at[i]] = x[i] * 2.0; // <img src=http://example.org/x.png>
}

fn main() {
    var x = [1.0f32; 4];
    let at = [i32(i) for i in 4];
    offload scale(&mut x, &at);
    print("</script><script>alert(1)</script> <!--<script> {}", x[0]);
}
"""
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def trace(file, line, n=3):
    """A timeline as KDSL_TRACE writes it."""
    events = [{"ph": "M", "pid": 7, "tid": 2, "ts": 0, "name": "thread_name", "args": {"name": "device 0: <x86>"}},
              {"ph": "X", "cat": "program", "pid": 7, "tid": 1, "ts": 0.5, "dur": 900, "name": "program", "args": {}}]
    for i in range(n):
        where = {"file": str(file), "line": line, "column": 5}
        events += [{"ph": "X", "cat": "transfer", "pid": 7, "tid": 2, "ts": 10 + 20 * i, "dur": 3.25, "args":
                    {**where, "bytes": 4096, "direction": "to device"}, "name": "to device: x[0:n]</script>"},
                   {"ph": "X", "cat": "launch", "pid": 7, "tid": 2, "ts": 14 + 20 * i, "dur": 5, "name": "scale",
                    "args": {**where, "items": 4}}]
    return json.dumps({"traceEvents": events})


class Reader(html.parser.HTMLParser):
    """Fails at tags that do not match; collects ids, links, what would load something, and the texts of scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.loads, self.scripts, self.tags, self.code = [], [], [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if tag == "a" else []
        self.loads += [f"{tag} {key}" for key in attributes if key in ("src", "srcset", "data", "action", "poster")]
        self.loads += [f"{tag} href"] if "href" in attributes and tag != "a" else []
        if tag not in VOID | OPEN_ENDED:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in OPEN_ENDED:
            assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        if "code" in self.open:
            self.code.append(data)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def page(self, source, *options):
        out = self.folder / (Path(source).stem + ".html")
        subprocess.run([KDSLC, "--emit=html", "-o", out, *options, source], cwd=ROOT, check=True, timeout=300)
        return out

    def check_page(self, path, source):
        text = path.read_text()
        page = Reader(text)
        self.assertLess(len(text.encode()), MOST_BYTES, source)
        self.assertEqual(page.loads, [], source)
        self.assertNotRegex(text, r"url\(|@import|<iframe|<object|<embed", source)
        self.assertTrue(text.startswith("<!DOCTYPE html>\n"))
        self.assertEqual(len(page.ids), len(set(page.ids)), source)
        for link in page.links:
            self.assertIn(link.lstrip("#"), page.ids, source)
        self.assertEqual(len(page.scripts), 2)
        data = json.loads(page.scripts[0])
        n_lines = Path(ROOT / source).read_text().count("\n")
        self.assertIn(f"L{n_lines}", page.ids)
        self.assertNotIn(f"L{n_lines + 1}", page.ids)
        for name, runs in data["panes"].items():
            pre = re.search(rf'<section class="pane" id="{re.escape(name)}"><h2>[^<]*</h2><pre( data-packed)?>(.*?)</pre>',
                            text, re.S)
            self.assertEqual(name in data["packed"], bool(pre[1]))
            pre = zlib.decompress(base64.b64decode(data["packed"][name])).decode() if pre[1] else pre[2]
            self.assertEqual(pre.count("\n"), sum(runs[::2]), f"{source}: {name}")
            self.assertLessEqual(max(k % data["lines"] for k in runs[1::2]), n_lines if max(runs[1::2]) < data["lines"]
                                 else data["lines"])
            self.assertNotRegex(pre, r"(?m)^\t\.(loc|file|cfi_\w+)\b|!dbg")
            if "kernel" in (ROOT / source).read_text():
                self.assertTrue(any(runs[1::2]), f"{source}: no line of {name} is known")
        return text, page, data

    def test_examples(self):
        names = sorted(path.stem for path in (ROOT / "examples").glob("*.kdsl"))
        for name in parts.chosen(names, lambda name: name in ("saxpy", "transpose")):
            source = f"examples/{name}.kdsl"
            text, page, data = self.check_page(self.page(source), source)
            self.assertIn("gfx90a", data["panes"])
            self.assertIn("sm_90", data["panes"])
            self.assertNotIn(str(ROOT), text)

    @parts.exhaustive
    def test_options(self):
        """Every --march and --offload-arch, and together; for the examples with the longest code."""
        def panes(source, *options):
            return list(self.check_page(self.page(source, *options), source)[2]["panes"])
        source = "examples/saxpy.kdsl"
        gpus = ["sm_90", "gfx90a", "host-llvm"]
        for march in ("native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "skylake-avx512"):
            self.assertEqual(panes(source, f"--march={march}"), ["llvm", "x86", *gpus], march)
        versions = {"portable": ["x86-64-v2", "x86-64-v3", "x86-64-v4"], "x86-64,x86-64-v4": ["x86-64", "x86-64-v4"]}
        for march, levels in versions.items():
            expected = [f"{kind}-{level}" for level in levels for kind in ("llvm", "x86")]
            self.assertEqual(panes(source, f"--march={march}"), [*expected, *gpus], march)
        for arch, named in (("host", ["llvm", "x86", *gpus]), ("sm_75", ["sm_75", "host-llvm"]),
                            ("gfx1100", ["gfx1100", "host-llvm"]), ("host,sm_80", ["llvm", "x86", "sm_80", "host-llvm"]),
                            ("sm_80,gfx942", ["sm_80", "gfx942", "host-llvm"])):
            self.assertEqual(panes(source, f"--offload-arch={arch}"), named, arch)
        for name in ("heat", "gameoflife", "blackscholes"):
            for level in ("-O0", "-O2"):
                panes(f"examples/{name}.kdsl", "--march=portable", "--offload-arch=all", level)

    def test_what_lines_say(self):
        text = self.page("examples/transpose.kdsl").read_text()
        line = re.search(r'<details class="l" id="L12">.*?</details>', text, re.S)[0]
        self.assertIn('<i class="m4 slow"', line)
        self.assertIn("not coalesced: 32 sectors instead of 4", line)
        self.assertIn("index <code>a[i, j]</code>: proven, so there is no check", line)
        self.assertRegex(text, r"<th scope=\"row\">naive<td><a href=\"#L11\">11</a><td>over j in m, i in n<td>0 of 2 left")

    def test_marks_are_the_worst_of_their_notes(self):
        source = self.file("nasty.kdsl", NASTY)
        text = self.page(source, "--races=off").read_text()
        line = re.search(r'<details class="l" id="L3">.*?</details>', text, re.S)[0]
        self.assertRegex(line, r'<i class="m1 slow" title="[^"]*">!</i>')
        self.assertIn("is not known at compile time", line)

    def test_nothing_of_the_program_is_markup(self):
        source = self.file("nasty.kdsl", NASTY)
        timeline = self.file("run.json", trace(source, 9))
        text, page, data = self.check_page(self.page(source, f"--trace={timeline}"), source)
        self.assertEqual(page.tags.count("script"), 2)
        self.assertNotIn("img", page.tags)
        self.assertNotIn("<script", page.scripts[0])
        self.assertIn('print("</script><script>alert(1)</script> <!--<script> {}", x[0]);', "".join(page.code))

    def test_timeline(self):
        source = self.file("nasty.kdsl", NASTY)
        timeline = self.file("run.json", trace(source, 9))
        text = self.page(source, f"--trace={timeline}").read_text()
        data = json.loads(Reader(text).scripts[0])
        self.assertEqual(data["tracks"], ["device 0: <x86>"])
        self.assertEqual(len(data["events"]), 6)
        self.assertEqual(data["events"][0], [0, 0, 3.25, "transfer", "to device: x[0:n]</script>", 9, 4096, -1])
        self.assertIn('<a href="#L9">9</a><td>scale<td>3<td>0.015', text)
        many = self.file("many.json", trace(source, 9, 3000))
        text = self.page(source, f"--trace={many}").read_text()
        self.assertEqual(len(json.loads(Reader(text).scripts[0])["events"]), 4000)
        self.assertIn("2000 events, the shortest or the last ones, are left out", text)
        self.assertLess(len(text), MOST_BYTES)

    def test_what_is_no_timeline(self):
        out = self.folder / "p.html"
        for name, content in (("a.json", "[1, {}"), ("b.json", "7"), ("c.json", '{"traceEvents": 5}'), ("d.json", "")):
            done = subprocess.run([KDSLC, "--emit=html", "-o", out, f"--trace={self.file(name, content)}",
                                   "examples/saxpy.kdsl"], cwd=ROOT, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(f"{name}`: it is not a timeline as KDSL_TRACE writes it", done.stderr)
            self.assertFalse(out.exists())
        odd = '{"traceEvents": [7, {}, {"ph": "X"}, {"ph": "X", "cat": "launch", "args": 3, "dur": "x", "ts": -1}]}'
        self.page("examples/saxpy.kdsl", f"--trace={self.file('odd.json', odd)}")
        done = subprocess.run([KDSLC, "--emit=llvm", "--trace=x.json", "examples/saxpy.kdsl"], cwd=ROOT, text=True,
                              capture_output=True, timeout=120)
        self.assertEqual((done.returncode, "--trace is for --emit=html" in done.stderr), (2, True))

    def test_programs_without_kernels(self):
        source = self.file("plain.kdsl", 'fn main() {\n    print("{}", 1 < 2);\n}\n')
        self.assertEqual(list(self.check_page(self.page(source), source)[2]["panes"]), ["host-llvm"])

    def dom(self, page, fragment):
        profile = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([*CHROMIUM, f"--user-data-dir={profile}", "--dump-dom", "--virtual-time-budget=5000",
                               f"file://{page}#{fragment}"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('data-ready="yes"', done.stdout, done.stderr[-500:])
        self.assertNotIn('id="error"', done.stdout)
        return done.stdout

    @parts.exhaustive
    def test_in_a_browser(self):
        self.assertTrue(shutil.which("chromium"), "chromium is not installed: ./dev installs it with --all")
        source = self.file("nasty.kdsl", NASTY)
        page = self.page(source, f"--trace={self.file('run.json', trace(source, 3))}")
        dom = self.dom(page, "L3")
        self.assertIn("<title>nasty.kdsl</title>", dom)
        self.assertEqual(re.findall(r'<details class="([\w ]*)" id="(\w+)" open', dom), [("l kept lit", "L3")])
        self.assertGreater(len(re.findall(r'<div data-k="3"[^>]* class="lit"', dom)), 3)
        self.assertEqual(re.findall(r'<div data-k="(?!3")\d+"[^>]* class="lit"', dom), [])
        self.assertEqual(len(re.findall(r'<rect [^>]*class="launch lit"', dom)), 3)
        self.assertEqual(len(re.findall(r'role="tab"', dom)), 6)
        self.assertEqual(re.findall(r'class="[^"]*\blit\b', self.dom(page, "L99")), [])
        self.dom(self.page("examples/heat.kdsl"), "L9")


if __name__ == "__main__":
    unittest.main()
