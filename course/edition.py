#!/usr/bin/python3
"""The HTML edition of the course: one folder that needs no network, with a page for each lesson, the archives that students
get (course/pack.py) and their files, and the pages of docs/ that the lessons link to. Programs are coloured by the compiler's
own lexer. The pages for teachers show the pictures for slides (pictures.py).

Usage: edition.py FOLDER [--kdslc KDSLC] [--for-students]     --for-students: without the pages for teachers, which have the
                                                              solutions and wrong answers

Needs Python's Markdown (Debian: python3-markdown). The folder must not exist, or be one that this script has made."""
import argparse
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown

import check
import pack
import pictures

COURSE = Path(__file__).resolve().parent
ROOT = COURSE.parent
MARK = "made by course/edition.py"

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1d2330; --dim: #545c69; --line: #dfe3ea; --panel: #f6f7f9;
  --link: #1a55ae; --k: #7a1fd0; --t: #006072; --s: #25682a; --num: #8a4d00; --c: #545c69; }
@media (prefers-color-scheme: dark) { :root { --back: #15181e; --text: #e3e7ed; --dim: #aeb6c2; --line: #2c323d;
  --panel: #1c2028; --link: #8dbbff; --k: #c79bff; --t: #5fd0e0; --s: #8ed08f; --num: #eab676; --c: #aeb6c2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 0 1.2rem 4rem; }
p, ul, ol, h1, h2, h3, footer { max-width: 46rem; }  /* a line of text; programs and tables may be wider */
nav { border-bottom: 1px solid var(--line); padding: .7rem 1.2rem; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem;
  font-size: 15px; }
nav .here { font-weight: 600; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; margin: 2.2rem 0 .6rem; }
h1 { font-size: 1.9rem; } h2 { font-size: 1.35rem; } h3 { font-size: 1.1rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto;
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { font: .88em/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre code { font: inherit; overflow-wrap: normal; }
pre::-webkit-scrollbar, .wide::-webkit-scrollbar { height: 10px; }  /* always shown where a block is wider than the page */
pre::-webkit-scrollbar-thumb, .wide::-webkit-scrollbar-thumb { background: var(--dim); border-radius: 5px; }
pre::-webkit-scrollbar-track, .wide::-webkit-scrollbar-track { background: var(--line); border-radius: 5px; }
@supports not selector(::-webkit-scrollbar) { pre, .wide { scrollbar-color: var(--dim) var(--line); } }
pre.output { border-left: 4px solid var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 15px; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: 6px; padding: .3rem .9rem; margin: .6rem 0; }
summary { cursor: pointer; } img { max-width: 100%; }
.k { color: var(--k); } .t { color: var(--t); } .s { color: var(--s); } .n { color: var(--num); }
.c { color: var(--c); font-style: italic; }
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem; display: flex; gap: 1.2rem; }
footer .next { margin-left: auto; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 44rem) { .exercises tr, .exercises td { display: block; } .exercises th { display: none; }
  .exercises td { border: 0; padding: .1rem 0; } .exercises tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } }
@media print { nav, footer { display: none; } body { font-size: 11pt; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  pre, details, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""

TYPES = {"bool", "str", "index", "f16", "f32", "f64", *(f"{s}{n}" for s in "iu" for n in (8, 16, 32, 64))}
SPACED = re.compile(r"(//[^\n]*)")


def coloured(kdslc, text):
    """The program as HTML, by the tokens of `kdslc --emit=tokens`."""
    done = subprocess.run([kdslc, "--emit=tokens", "-"], input=text, capture_output=True, text=True)
    data, out, at = text.encode(), [], 0

    def between(end):
        for part in SPACED.split(data[at:end].decode()):
            out.append(f'<span class="c">{html.escape(part)}</span>' if part.startswith("//") else html.escape(part))

    for line in done.stdout.splitlines():
        found = re.match(r"(\w+) (\d+)\.\.(\d+)", line)
        if not found or int(found[2]) < at:
            continue
        kind, lo, hi = found[1], int(found[2]), int(found[3])
        word = data[lo:hi].decode()
        between(lo)
        at = hi
        role = ("s" if kind.startswith("STR") else "n" if word[:1].isdigit() else
                "t" if word in TYPES else "k" if word.isidentifier() and kind != "ID" else "")
        out.append(f'<span class="{role}">{html.escape(word)}</span>' if role else html.escape(word))
    between(len(data))
    return "".join(out)


def block(role, code):
    """A block of code, which the keyboard can scroll."""
    return f'<pre class="{role}" tabindex="0"><code>{code}</code></pre>'


def in_line(text):
    """A sentence of a description as HTML: what is in backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


class Edition:
    def __init__(self, folder, kdslc, for_students):
        self.folder, self.kdslc, self.for_students = folder, kdslc, for_students
        self.lessons = pack.lessons()
        packed, page = pack.packed(kdslc, self.lessons)
        self.archives = pack.archives(packed, page)
        self.files = {name: content for files in packed.values() for name, content in files.items()
                      if not name.endswith((".md", ".ipynb"))}
        self.pages = {COURSE / "README.md": "index.html"}
        for lesson in self.lessons:
            self.pages[lesson / "lesson.md"] = f"{lesson.name}.html"
            if not for_students:
                self.pages[lesson / "teacher.md"] = f"{lesson.name}-teacher.html"
        if not for_students:
            self.pages[COURSE / "teaching.md"] = "teaching.html"
            self.pages[COURSE / "compared.md"] = "compared.html"
        for page in list(self.pages):  # what they link to in docs/, not what that links to
            for target in re.findall(r"\]\(([^)#\s]+\.md)", self.text(page)):
                path = (page.parent / target).resolve()
                if path.parent == ROOT / "docs":
                    self.pages.setdefault(path, f"docs-{path.stem}.html")

    def text(self, page):
        """The Markdown of a page. The one of the course tells how to work with the archives that are in the edition."""
        if page != COURSE / "README.md":
            return page.read_text()
        text = pack.page_for_students() if self.for_students else pack.how_students_work(page.read_text())
        return re.sub(r"`([\w-]+\.tar\.gz)`", r"[\1](\1)", text)

    def link(self, page, target):
        """Where a link leads in the edition; None: nowhere, and only its text stays."""
        if re.match(r"(https?|mailto):|#", target):
            return target
        path, _, anchor = target.partition("#")
        path = (page.parent / path).resolve()
        anchor = f"#{anchor}" if anchor else ""
        if path in self.pages:
            return self.pages[path] + anchor
        if COURSE in path.parents:
            name = str(path.relative_to(COURSE))
            if name in self.files or name in self.archives:
                return name + anchor
        if path.is_file() and path.parent == COURSE / "notebooks":
            return self.notebook(path)
        return None

    def notebook(self, path):
        """A copy of a notebook, with links that lead from its folder to the pages and files of the edition."""
        def relink(match):
            if match[2].endswith(".ipynb"):
                return match[0]
            target = self.link(path, match[2])
            return match[1] if not target else f"[{match[1]}]({target if ':' in target else f'../{target}'})"

        notebook = json.loads(path.read_text())
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                text = re.sub(r"\[([^\]]*)\]\(([^)#\s][^)\s]*)\)", relink, "".join(cell["source"]))
                cell["source"] = text.splitlines(keepends=True)
        name = path.relative_to(COURSE)
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")
        return str(name)

    def body(self, page):
        """The page as HTML. Fenced blocks are taken out first: Markdown does not see their text."""
        text, blocks = self.text(page), []

        def take(match):
            kind, code = match[2].split(" ")[0], match[3]
            if kind in ("kdsl", "kdsl-error", "kdsl-right"):
                blocks.append(block("program", coloured(self.kdslc, code)))
            else:
                blocks.append(block("output" if kind in ("text", "said", "dump", "stderr") else "plain", html.escape(code)))
            return f"\n\n@@block{len(blocks) - 1}@@\n\n"

        text = re.sub(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ ]*$", take, text, flags=re.M | re.S)
        text = text.replace("<details>", '<details markdown="1">')
        body = markdown.markdown(text, extensions=["tables", "toc", "md_in_html", "sane_lists"], output_format="html5")
        body = re.sub(r"<p>@@block(\d+)@@</p>", lambda m: blocks[int(m[1])], body)
        assert "@@block" not in body, f"{page}: a block that Markdown does not leave alone"

        def relink(match):
            target = self.link(page, html.unescape(match[1]))
            return f'<a href="{html.escape(target)}">{match[2]}</a>' if target else match[2]

        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', relink, body, flags=re.S)
        body = re.sub(r'<img alt="([^"]*)" src="([^"]*)">', lambda m: self.picture(page, *m.groups()), body)
        if page.name == "teacher.md":
            body = re.sub(r"<code>([\w-]+\.svg)</code>", self.slide, body)
        return body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")

    def slide(self, match):
        """A picture for slides, where the page for teachers names its file."""
        path = self.folder / "pictures" / match[1]
        title, what = (html.escape(html.unescape(re.search(f"<{tag} id=[^>]*>(.*?)</{tag}>", path.read_text(), flags=re.S)[1]))
                       for tag in ("title", "desc"))
        return f'<a href="pictures/{match[1]}">{match[0]}<br><img alt="{title}. {what}" src="pictures/{match[1]}"></a>'

    def picture(self, page, alt, source):
        """A picture of the course, which is copied; of any other, only the description stays."""
        target = None if re.match(r"\w+:", source) else self.link(page, html.unescape(source))
        return f'<img alt="{alt}" src="{html.escape(target)}">' if target else alt

    def exercises(self, lesson):
        """The list below a lesson, from the descriptions of its exercises; and their files."""
        rows = []
        for path in check.exercises(lesson):
            folder = f"{lesson.name}/exercises"
            about = json.loads(self.files[f"{folder}/{path.name}"])
            kind = "predict" if "answers" in about else "break" if "must_race" in about else "write"
            limits = ", ".join(f"{key} at most {value:,}" for key, value in about.get("limits", {}).items())
            beside = [f'<a href="{folder}/{name}">{name}</a>' for name in (f"{path.stem}_check.kdsl", path.name)
                      if f"{folder}/{name}" in self.files]
            rows.append(f'<tr><td><a href="{folder}/{path.stem}.kdsl">{path.stem}.kdsl</a><br><small>{"<br>".join(beside)}</small>'
                        f'<td>{kind}<td>{in_line(about.get("text", ""))}<td>{html.escape(limits)}</tr>')
        name = f"{lesson.name}.tar.gz"
        commands = f"tar -xzf {name}\ncd course/{lesson.name}/exercises\nkdslc grade {check.exercises(lesson)[0].stem}.kdsl\n"
        return (f'<h2 id="exercise-files">The exercises as files</h2><p>All files of this lesson: <a href="{name}" download>{name}'
                f'</a>. Then:</p>{block("plain", html.escape(commands))}<div class="wide exercises"><table><tr><th>files<th>kind<th>task'
                f'<th>limits</tr>{"".join(rows)}</table></div>')

    def answers(self, lesson):
        """For teachers: the solution and the wrong answers of each exercise."""
        parts = []
        for path in check.exercises(lesson):
            about = json.loads(path.read_text())
            parts.append(f'<h3 id="answers-{path.stem}">{path.stem}: {in_line(about["title"])}</h3>')
            for file in (check.solution(path), *check.wrong_answers(path)):
                text = file.read_text()
                fails = check.names(text.partition("\n")[0], "Fails")
                what = "Solution" if file == check.solution(path) else f"Wrong: fails by {', '.join(sorted(fails))}"
                parts.append(f'<details><summary>{what} (<code>{file.relative_to(lesson)}</code>)</summary>'
                             f'{block("program", coloured(self.kdslc, text))}</details>')
        return '<h2 id="answers">Solutions and wrong answers</h2>' + "".join(parts)

    def title(self, page):
        return re.search(r"^# (.*)$", self.text(page), flags=re.M)[1].replace("`", "")

    def write(self, page):
        lessons = [lesson / "lesson.md" for lesson in self.lessons]
        body = self.body(page)
        nav = ['<a href="index.html">Course</a>']
        for lesson in lessons:
            short = str(int(lesson.parent.name[:2]))
            here = ' class="here" aria-current="page"' if lesson == page else ""
            nav.append(f'<a href="{self.pages[lesson]}"{here} title="{html.escape(self.title(lesson))}">{short}</a>')
        footer = ""
        if page in lessons:
            body += self.exercises(page.parent)
            teacher = self.pages.get(page.parent / "teacher.md")
            if teacher:
                body += (f'<h2 id="for-teachers">For teachers</h2><p><a href="{teacher}">Goals, a plan of minutes, typical errors</a>; '
                         f'<a href="{teacher}#answers">solutions and wrong answers</a>.</p>')
            at = lessons.index(page)
            if at:
                footer += f'<a href="{self.pages[lessons[at - 1]]}">Before: {html.escape(self.title(lessons[at - 1]))}</a>'
            if at + 1 < len(lessons):
                footer += (f'<a class="next" href="{self.pages[lessons[at + 1]]}">Next: '
                           f'{html.escape(self.title(lessons[at + 1]))}</a>')
        elif page.name == "teacher.md":
            body += self.answers(page.parent)
            footer = f'<a href="{self.pages[page.parent / "lesson.md"]}">The lesson</a>'
        text = (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="{MARK}">'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">'
                f'<title>{html.escape(self.title(page))}</title><style>{STYLE}</style></head>\n'
                f'<body><nav aria-label="Lessons">{" ".join(nav)}</nav>\n<main>{body}'
                f'{f"<footer>{footer}</footer>" if footer else ""}</main></body></html>\n')
        (self.folder / self.pages[page]).write_text(text)

    def make(self):
        self.folder.mkdir(parents=True)
        if not self.for_students:
            pictures.make(self.folder / "pictures", self.kdslc)
        for page in self.pages:
            self.write(page)
        for name, content in (self.files | self.archives).items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kdslc", default="kdslc")
    parser.add_argument("--for-students", action="store_true")
    args = parser.parse_args()
    index = args.folder / "index.html"
    if args.folder.exists():
        if not index.exists() or MARK not in index.read_text():
            sys.exit(f"edition.py: {args.folder} exists, and is not a folder that this script has made")
        shutil.rmtree(args.folder)
    Edition(args.folder, args.kdslc, args.for_students).make()
    print(f"{index}: {len(list(args.folder.glob('*.html')))} pages")


if __name__ == "__main__":
    main()
