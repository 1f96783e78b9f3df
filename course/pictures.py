#!/usr/bin/env python3
"""Pictures for slides, as SVG files: what the compiler, or a run, says of the programs of the lessons. PICTURES is the
list; each kind of picture is one function, for any program.

Usage: pictures.py FOLDER [--kdslc KDSLC] [--list]     --list: only print the names of the files and what they show

Every number in a picture comes from the command that its last line names. Those of runs are counted by prints that are
added to a copy of the program (`probe`). The background is white, so a picture looks the same on every slide."""
import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COURSE = Path(__file__).resolve().parent
WIDTH, HEIGHT, MARGIN = 1600, 900, 50
SMALL, LARGE = 28, 44  # sizes of text, for the back of a room
BROAD = 0.6            # of a character, in sizes: no sans-serif or monospace font has broader text on average
SECTOR, BANKS, WORD = 32, 32, 4  # bytes of a sector; banks of shared memory, and bytes of a bank
FAR = 1 << 36          # bytes between rows whose length only a launch knows: they share no sector
# Okabe and Ito's colours, which colour-blind people can distinguish; what differs has another form or hatching as well.
INK, DIM, FAINT = "#1a1a1a", "#555555", "#d9d9d9"
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = "#0072b2", "#e69f00", "#00785a", "#b34700", "#56b4e9", "#cc79a7"


# What the tools say -------------------------------------------------------------------------------------------------

class Tools:
    """The answers of one compiler, each asked for once."""

    def __init__(self, kdslc):
        self.kdslc, self.known = kdslc, {}

    def explain(self, what, path):
        """The rows of `--explain`. A program with an error, as a data race, has rows as well."""
        key = (what, path)
        if key not in self.known:
            done = self.command(f"--explain={what}", "--format=json", path.name, folder=path.parent)
            try:
                self.known[key] = json.loads(done.stdout)
            except json.JSONDecodeError:
                raise SystemExit(f"pictures.py: no rows of --explain={what} for {path}:\n{done.stderr}") from None
        return self.known[key]

    def kernel(self, path, name):
        kernels = self.explain("launch", path)["kernels"]
        return only([k for k in kernels if k["kernel"] == name], f"kernel {name} in {path}")

    def profile(self, path):
        """The profile of a run with a device memory of its own, and the events of its trace."""
        if path not in self.known:
            with tempfile.TemporaryDirectory() as temp:
                trace, table = Path(temp) / "trace.json", Path(temp) / "profile.json"
                done = self.command("profile", "--format=json", f"--trace={trace}", "-o", table, path.name,
                                    folder=path.parent, KDSL_MEMORY="separate")
                if done.returncode:
                    raise SystemExit(f"pictures.py: {path}:\n{done.stderr}")
                events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
                self.known[path] = json.loads(table.read_text()), sorted(events, key=lambda e: e["ts"])
        return self.known[path]

    def probe(self, path, prints):
        """Runs a copy of the program with prints in kernels: {offset in the text: statement}. The lines that begin with
        @, of the first launch that prints any: [(indices of the item, words)]."""
        text = path.read_text()
        for at in sorted(prints, reverse=True):
            text = f"{text[:at]}{prints[at]}{text[at:]}"
        with tempfile.TemporaryDirectory() as temp:
            copy = Path(temp) / path.name
            copy.write_text(text)
            done = self.command("run", copy.name, folder=temp, KDSL_PRINT_BUFFER=str(1 << 27))
        if done.returncode:
            raise SystemExit(f"pictures.py: {path} with prints:\n{done.stderr}")
        lines = []
        for line in re.finditer(r"^\[([^\]]*)\] @ (.*)$", done.stdout, flags=re.M):
            item = tuple(int(value) for value in re.findall(r"= (-?\d+)", line[1]))
            if lines and item < lines[-1][0]:
                break  # items are in order, so this is another launch
            lines.append((item, line[2].split()))
        return lines

    def command(self, *words, folder, **environment):
        return subprocess.run([self.kdslc, *words], cwd=folder, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment})


def only(found, what):
    if not found:
        raise SystemExit(f"pictures.py: there is no {what}")
    return found[0]


def access_of(kernel, text):
    return only([a for a in kernel["accesses"] if a["access"] == text], f"access {text} in {kernel['kernel']}")


def lane_addresses(kernel, access):
    """The address of each lane of a warp relative to the lowest, in bytes, from the affine form."""
    lanes = [0]
    for axis, (across, stride) in enumerate(zip(kernel["warp"], access["strides"])):
        step = stride if isinstance(stride, int) else FAR << 6 * axis
        lanes = [at + i * (step if across > 1 else 0) for i in range(across) for at in lanes]
    return [at - min(lanes) for at in lanes]


def sectors_of(lanes, size):
    return sorted({s for at in lanes for s in range(at // SECTOR, (at + size - 1) // SECTOR + 1)})


def words_together(lanes, size):
    """The lanes that shared memory serves at once, and the words of each of their accesses."""
    together = lanes[:32 if size <= WORD else 16 if size <= 2 * WORD else 8]
    return [[(at + b) // WORD for b in range(0, size, WORD)] for at in together]


def offset(text, line, column):
    """Of a place that the compiler names: columns count bytes."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[:line - 1])) + len(lines[line - 1].encode()[:column - 1].decode())


def opening(text, at):
    """The offset after the `{` that opens the body of a branch, from its condition on."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([") - (text[i] in ")]")
        if text[i] == "{" and depth <= 0:
            return i + 1
    raise ValueError("no body")


def closing(text, at):
    depth = 1
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if not depth:
            return i + 1
    raise ValueError("no end")


def statement(text, line):
    """The offset of the first statement in a line."""
    start = offset(text, line, 1)
    return start + len(text[start:]) - len(text[start:].lstrip())


def index_of(access):
    """The indices of an access, as text: `counts[x[i] / 32]` has `x[i] / 32`."""
    inside, parts, depth = access[access.index("[") + 1:-1], [""], 0
    for char in inside:
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def amount(size):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def times(n, one, many=None):
    return f"{n} {one if n == 1 else many or one + 's'}"


# Drawing ------------------------------------------------------------------------------------------------------------

class Picture:
    """An SVG of 1600 x 900. The classes of its shapes say what they stand for, so that tests can count them."""

    def __init__(self, title, subtitle, caption):
        self.title, self.caption, self.parts, self.told = title, caption, [], [subtitle]
        self.text(MARGIN, 72, title, LARGE, weight="bold", room=WIDTH - 2 * MARGIN)
        self.text(MARGIN, 122, subtitle, 32, fill=DIM, room=WIDTH - 2 * MARGIN)
        self.text(MARGIN, HEIGHT - 28, caption, SMALL, fill=DIM, mono=True, room=WIDTH - 2 * MARGIN)

    def tell(self, sentence):
        """For those who do not see the picture."""
        self.told.append(sentence)

    def text(self, x, y, text, size=SMALL, *, fill=INK, anchor="start", weight="normal", mono=False, room=None):
        if room is not None:
            size = max(SMALL, min(size, room / (BROAD * len(text) or 1)))
            most = int(room / (BROAD * size))
            text = text if len(text) <= most else text[:most - 1].rstrip() + "…"
        family = ' font-family="monospace"' if mono else ""
        bold = ' font-weight="bold"' if weight == "bold" else ""
        self.parts.append(f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size:.4g}" fill="{fill}" text-anchor="{anchor}"'
                          f'{family}{bold} xml:space="preserve">{html.escape(text)}</text>')

    def box(self, x, y, w, h, fill="none", *, kind="", line=INK, width=2, dash="", round=0):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        corner = f' rx="{round}"' if round else ""
        self.parts.append(f'<rect{name(kind)} x="{x:.5g}" y="{y:.5g}" width="{max(w, 1):.5g}" height="{h:.5g}" '
                          f'fill="{fill}" stroke="{line}" stroke-width="{width}"{dashes}{corner}/>')

    def line(self, x, y, to_x, to_y, stroke=INK, *, kind="", width=3, arrow=False, dash=""):
        end = f' marker-end="url(#arrow{stroke[1:]})"' if arrow else ""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line{name(kind)} x1="{x:.5g}" y1="{y:.5g}" x2="{to_x:.5g}" y2="{to_y:.5g}" '
                          f'stroke="{stroke}" stroke-width="{width}"{dashes}{end}/>')

    def legend(self, x, y, entries, room=None):
        for fill, text, line in entries:
            self.box(x, y - 24, 40, 28, fill, line=line)
            self.text(x + 52, y, text)
            x += 52 + BROAD * SMALL * len(text) + 40

    def svg(self):
        arrows = "".join(f'<marker id="arrow{c[1:]}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" '
                         f'markerHeight="6" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{c}"/></marker>'
                         for c in (INK, BLUE, ORANGE, GREEN, RED))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
                f'role="img" aria-labelledby="title desc">\n<title id="title">{html.escape(self.title)}</title>\n'
                f'<desc id="desc">{html.escape(" ".join(self.told))}</desc>\n<defs>{arrows}'
                '<pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
                f'<rect width="10" height="10" fill="#ffffff"/><rect width="4" height="10" fill="{FAINT}"/></pattern>'
                f'</defs>\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n' + "\n".join(self.parts) +
                "\n</svg>\n")


def name(kind):
    return f' class="{kind}"' if kind else ""


HATCH = "url(#hatch)"


def lanes_row(p, n, y, h, left=MARGIN, right=WIDTH - MARGIN, labels=None):
    """The lanes of a warp, or other numbered boxes; returns the x of their centres."""
    w = min(60, (right - left) / n)
    left += (right - left - n * w) / 2
    for i in range(n):
        p.box(left + i * w, y, w, h, "#ffffff", kind="lane", round=6)
        p.text(left + (i + 0.5) * w, y + h / 2 + 10, str(labels[i] if labels else i), anchor="middle")
    return [left + (i + 0.5) * w for i in range(n)]


def draw_access(tools, path, title, kernel, access):
    """A warp above the sectors of memory that one of its accesses touches."""
    k = tools.kernel(path, kernel)
    a = access_of(k, access)
    lanes, size = lane_addresses(k, a), a["bytes"]
    sectors = sectors_of(lanes, size)
    assert len(sectors) == a["sectors"] and len(set(lanes)) == a["addresses"], (path, access)
    stride = next((s for s, n in zip(a["strides"], k["warp"]) if n > 1), 0)
    apart = "all lanes use one address" if len(set(lanes)) == 1 else f"from lane to lane: {stride} bytes"
    does = {"read": "reads", "write": "writes", "both": "reads and writes", "atomic": "updates"}[a["mode"]]
    p = Picture(title, f"{kernel}: each item {does} {a['access']}, {times(size, 'byte')}; {apart}",
                f"{relative(path)}: kdslc --explain=launch --format=json")
    p.text(MARGIN, 190, f"a warp: {len(lanes)} lanes")
    top = lanes_row(p, len(lanes), 210, 60)
    w = min(330, (WIDTH - 2 * MARGIN) / len(sectors))
    left = (WIDTH - w * len(sectors)) / 2
    gap = min(8, w / 6)
    y, h = 560, 90
    at = {s: left + i * w for i, s in enumerate(sectors)}
    used = {divmod(lane + b, SECTOR) for lane in lanes for b in range(size)}
    good = a["coalesced"] and not (a["mode"] == "atomic" and a["addresses"] == 1)
    colour = GREEN if good else RED
    inner, fill = w - gap, SKY if good else ORANGE
    unit = size if SECTOR % size == 0 and all(lane % size == 0 for lane in lanes) else 1  # an element, or its bytes
    for s in sectors:
        x = at[s] + gap / 2
        p.box(x, y, inner, h, HATCH, kind="sector", width=3 if inner > 100 else 1.5)
        for b in range(0, SECTOR, unit):
            if (s, b) in used:
                p.box(x + inner * b / SECTOR, y, inner * unit / SECTOR, h, fill, kind="used",
                      width=1.5 if inner > 100 else 0.5)
    for i, lane in enumerate(lanes):
        x = at[lane // SECTOR] + gap / 2 + (w - gap) * (lane % SECTOR + size / 2) / SECTOR
        p.line(top[i], 272, x, y - 3, colour, kind="access", width=2.5)
    p.text(MARGIN, y + h + 42, f"memory: sectors of {SECTOR} bytes")
    part = len(used) / (len(sectors) * SECTOR)
    p.legend(760, y + h + 42, [(SKY if good else ORANGE, "used", INK), (HATCH, "moved for nothing", INK)])
    if len(set(lanes)) == 1:
        verdict = (f"{len(lanes)} updates of one address: one after the other" if a["mode"] == "atomic" else
                   "1 sector: one element for all lanes")
    else:
        verdict = (f"{times(len(sectors), 'sector')} of {a['least_sectors']} needed" if good else
                   f"{times(len(sectors), 'sector')}; {a['least_sectors']} would be enough")
        verdict += f": {100 * part:.3g} % of the bytes are used"
    p.text(WIDTH / 2, y + h + 120, verdict, 40, anchor="middle", weight="bold", fill=colour, room=WIDTH - 2 * MARGIN)
    p.tell(f"{len(lanes)} lanes touch {times(len(sectors), 'sector')}. {verdict}.")
    return p


def draw_banks(tools, path, title, kernel, access):
    """The banks of shared memory, and the words that lanes of a warp meet at in each of them."""
    k = tools.kernel(path, kernel)
    a = access_of(k, access)
    words = words_together(lane_addresses(k, a), a["bytes"])
    columns = {}
    for w in sorted({w for lane in words for w in lane}):
        columns.setdefault(w % BANKS, []).append(w)
    ways = max(len(column) for column in columns.values())
    assert ways == a["conflict"], (path, access)
    stride = next((s for s, n in zip(a["strides"], k["warp"]) if n > 1), 0)
    p = Picture(title, f"{kernel}: {a['access']} of shared memory; from lane to lane: {stride} bytes",
                f"{relative(path)}: kdslc --explain=launch --format=json")
    p.text(MARGIN, 190, f"{len(words)} lanes")
    top = lanes_row(p, len(words), 210, 60)
    w, floor, h = (WIDTH - 2 * MARGIN) / BANKS, 700, min(60, 220 / ways)
    place = {}
    for bank in range(BANKS):
        x = MARGIN + bank * w
        p.box(x, floor, w, 46, "#ffffff", kind="bank", line=DIM)
        p.text(x + w / 2, floor + 34, str(bank), anchor="middle", fill=DIM)
        for i, word in enumerate(columns.get(bank, [])):
            y = floor - (i + 1) * h
            place[word] = x + w / 2, y
            p.box(x + 3, y, w - 6, h, SKY if ways == 1 else ORANGE, kind="word")
    for i, lane in enumerate(words):
        for word in lane:
            p.line(top[i], 272, place[word][0], place[word][1] + h / 2, GREEN if ways == 1 else RED, kind="access",
                   width=2.5)
    p.text(MARGIN, floor + 88, "banks, each one word at a time")
    verdict = ("no bank conflict: all at once" if ways == 1 else
               f"{ways}-way bank conflict: {ways} times the time")
    p.text(WIDTH - MARGIN, floor + 88, verdict, 38, anchor="end", weight="bold", fill=GREEN if ways == 1 else RED,
           room=920)
    p.tell(f"{len(words)} lanes use {len(columns)} of {BANKS} banks; {verdict}.")
    return p


def warp_items(kernel, lines):
    """The items of the first warp, in the order of its lanes, of those that printed."""
    items = sorted({item for item, _ in lines})
    low = [min(item[d] for item in items) for d in range(len(items[0]))]
    across = kernel["warp"][::-1]  # of the domain's variables: the last one is x
    return [item for item in items if all(item[d] < low[d] + across[d] for d in range(len(low)))]


def draw_loop(tools, path, title, kernel):
    """The trips of a divergent loop, lane by lane."""
    k = tools.kernel(path, kernel)
    loop = only([d for d in k["divergent"] if d["kind"] == "loop" and d["function"] == kernel], f"loop in {kernel}")
    text = path.read_text()
    start = k["line"], k["column"]
    body = opening(text, offset(text, loop["line"], loop["column"]))
    first = opening(text, offset(text, *start))
    lines = tools.probe(path, {first: 'print("@ item");', body: 'print("@ trip");'})
    items = warp_items(k, lines)
    trips = [sum(item == other and words == ["trip"] for other, words in lines) for item in items]
    p = Picture(title, f"{kernel}: how often does each item repeat the loop in line {loop['line']}?",
                f"{relative(path)}: kdslc run, with a print in line {loop['line']}")
    most, n = max(trips), len(items)
    w, top, room = min(90, (WIDTH - 2 * MARGIN - 90) / n), 230, 440
    left, h = MARGIN + 90 + (WIDTH - 2 * MARGIN - 90 - n * w) / 2, room / most
    for i, (item, trip) in enumerate(zip(items, trips)):
        p.text(left + (i + 0.5) * w, top - 14, str(item[-1]), anchor="middle")
        for t in range(most):
            busy = t < trip
            p.box(left + i * w, top + t * h, w, h, BLUE if busy else HATCH, kind="busy" if busy else "idle", width=1)
    p.text(left - 20, top - 14, "item", anchor="end")
    p.text(left - 20, top + 34, "time", anchor="end", fill=DIM)
    p.line(left - 45, top + 55, left - 45, top + room, DIM, arrow=False)
    p.parts.append(f'<path d="M{left - 55:.4g} {top + room - 12}L{left - 45:.4g} {top + room + 4}L{left - 35:.4g} '
                   f'{top + room - 12}z" fill="{DIM}"/>')
    p.legend(left, top + room + 50, [(BLUE, "works", INK), (HATCH, "waits for the longest", INK)])
    share = sum(trips) / (most * n)
    p.text(WIDTH / 2, top + room + 118, f"{sum(trips)} trips need the time of {most} x {n} = {most * n}: "
           f"{100 * share:.0f} % is work", 38, anchor="middle", weight="bold", fill=RED, room=WIDTH - 2 * MARGIN)
    p.tell(f"The trips of the items: {', '.join(map(str, trips))}. {loop['cost']}.")
    return p


def draw_paths(tools, path, title, kernel):
    """The paths of divergent conditions, one after the other, and the lanes that execute each."""
    k = tools.kernel(path, kernel)
    text, prints, labels = path.read_text(), {}, {}
    prints[opening(text, offset(text, k["line"], k["column"]))] = 'print("@ item");'
    found = [d for d in k["divergent"] if d["kind"] == "if" and d["function"] == kernel]
    for d in found:
        body = opening(text, offset(text, d["line"], d["column"]))
        labels[body] = d["line"], "if " + " ".join(d["condition"].split())
        other = re.match(r"\s*else\s*\{", text[closing(text, body):])
        if other:
            labels[closing(text, body) + other.end()] = d["line"], "else"
    order = sorted(labels)
    for i, at in enumerate(order):
        prints[at] = prints.get(at, "") + f'print("@ path {i}");'
    lines = tools.probe(path, prints)
    items = warp_items(k, lines)
    paths = [{item for item, words in lines if words == ["path", str(i)]} for i in range(len(order))]
    p = Picture(title, f"{kernel}: a warp executes every path that one of its items needs, one after the other",
                f"{relative(path)}: kdslc run, with a print in each path")
    n, rows = len(items), len(order)
    w = min(110, (WIDTH - 2 * MARGIN) / n)
    left, top, each = (WIDTH - n * w) / 2, 235, min(170, 470 / rows)
    for i, item in enumerate(items):
        p.text(left + (i + 0.5) * w, top - 22, str(item[-1]), anchor="middle")
    busy = 0
    for row, at in enumerate(order):
        y = top + row * each
        p.text(left, y + 26, labels[at][1], mono=True, room=n * w)
        for i, item in enumerate(items):
            works = item in paths[row]
            busy += works
            p.box(left + i * w, y + 38, w, each - 58, BLUE if works else HATCH,
                  kind="busy" if works else "idle", width=1)
    y = top + rows * each + 40
    p.legend(left, y, [(BLUE, "works", INK), (HATCH, "waits", INK)])
    part = f"{100 * busy / (rows * n):.0f} % of the lanes work"
    p.text(WIDTH / 2, y + 75, f"{times(rows, 'path')}, one after the other: {part}", 38,
           anchor="middle", weight="bold", fill=RED, room=WIDTH - 2 * MARGIN)
    for row, at in enumerate(order):
        p.tell(f"`{labels[at][1]}`: {sum(item in paths[row] for item in items)} of {n} lanes.")
    return p


def draw_touch(tools, path, title, kernel, access):
    """The elements that the items of a warp touch, where the indices are values in memory."""
    k = tools.kernel(path, kernel)
    a = access_of(k, access)
    text = path.read_text()
    index = index_of(a["access"])
    values = " ".join(["{}"] * len(index))
    spot = statement(text, a["line"])
    lines = tools.probe(path, {spot: f'print("@ {values}", {", ".join(index)});'})
    items = warp_items(k, lines)
    touched = [next(tuple(map(int, words)) for item, words in lines if item == one) for one in items]
    elements = sorted(set(touched))
    together = max(touched.count(e) for e in elements)
    atomic = a["mode"] == "atomic"
    p = Picture(title, f"{kernel}: which element is {a['access']} for each item of the first warp?",
                f"{relative(path)}: kdslc run, with a print in line {a['line']}")
    p.text(MARGIN, 190, f"a warp: {len(items)} work items")
    top = lanes_row(p, len(items), 210, 60, labels=[item[-1] for item in items])
    labels = [", ".join(map(str, e)) for e in elements]
    w = min(110, (WIDTH - 2 * MARGIN) / len(elements))
    left, y, h = (WIDTH - w * len(elements)) / 2, 580, 70
    narrow = max(len(t) for t in labels) * BROAD * SMALL > w - 6
    for i, e in enumerate(elements):
        p.box(left + i * w, y, w, h, ORANGE if touched.count(e) > 1 and atomic else SKY, kind="element")
        if not narrow:
            p.text(left + (i + 0.5) * w, y + 46, labels[i], anchor="middle")
    for x, e in zip(top, touched):
        p.line(x, 272, left + (elements.index(e) + 0.5) * w, y - 3, RED if atomic else BLUE, kind="access", width=2.5)
    p.text(MARGIN, y + h + 42, f"elements of {a['access'].split('[')[0]} that are touched, by index")
    verdict = (f"{len(items)} updates, {times(len(elements), 'element')}: up to {together} wait for each other" if atomic
               else f"{len(items)} items touch {times(len(elements), 'element')}, in the order of the values")
    p.text(WIDTH / 2, y + h + 118, verdict, 38, anchor="middle", weight="bold", fill=RED if atomic else INK,
           room=WIDTH - 2 * MARGIN)
    p.tell(f"{verdict}. The elements: {', '.join(', '.join(map(str, e)) for e in touched)}.")
    return p


def draw_rounds(tools, path, title, kernel, access, round_by, first=0):
    """The rounds of a loop over shared memory: which element each item of a group reads."""
    k = tools.kernel(path, kernel)
    reads = only([a for a in k["accesses"] if a["access"] == access and a["memory"] == "shared"], f"read {access}")
    text = path.read_text()
    item, index = k["axes"][0] + ".local", index_of(access)[0]
    lines = tools.probe(path, {statement(text, reads["line"]):
                               f'print("@ {{}} {{}} {{}} {{}}", {k["axes"][0]}.group, {round_by}, {item}, {index});'})
    steps = {}
    for _, words in lines:
        group, by, to, source = map(int, words)
        if group == first and source >= 0:
            steps.setdefault(by, []).append((source, to))
    n = k["threads"][0]
    p = Picture(title, f"{kernel}: {times(len(steps), 'round')}; in each, an item reads {access}",
                f"{relative(path)}: kdslc run, with a print in line {reads['line']}")
    left, right = MARGIN + 190, WIDTH - MARGIN
    w, top, bottom = (right - left) / n, 200, 770
    each = (bottom - top) / len(steps)
    for row in range(len(steps) + 1):
        for i in range(n):
            changed = not row or any(i == to for _, to in list(steps.values())[row - 1])
            p.box(left + i * w + 1, top + row * each - 9, w - 2, 18, SKY if changed else "#ffffff", kind="cell",
                  width=1)
    for row, (by, pairs) in enumerate(steps.items()):
        y = top + row * each
        p.text(left - 20, y + each / 2 + 10, f"{round_by} = {by}", anchor="end", mono=True)
        for source, to in pairs:
            p.line(left + (source + 0.5) * w, y + 9, left + (to + 0.5) * w, y + each - 9, BLUE, kind="read", width=2)
    p.text(left, top - 22, "0", fill=DIM)
    p.text(right, top - 22, f"element {n - 1}", anchor="end", fill=DIM)
    total = sum(map(len, steps.values()))
    p.text(WIDTH / 2, bottom + 58,
           f"{n} items, {times(len(steps), 'round')}, {total} reads; blue: changed in this round", 34,
           anchor="middle", weight="bold", room=WIDTH - 2 * MARGIN)
    p.tell("; ".join(f"{round_by} = {by}: {len(pairs)} items read" for by, pairs in steps.items()) + ".")
    return p


def draw_race(tools, path, title, kernel):
    """The two work items of a data race, and the element that both touch."""
    pairs = [pair for k in tools.explain("races", path)["kernels"] if k["name"] == kernel for pair in k["pairs"]]
    pair = only([pair for pair in pairs if pair["verdict"] == "race"], f"race in {kernel} of {path}")
    witness, source = pair["witness"], path.read_text().splitlines()
    sizes = ", ".join(f"{size} = {value}" for size, value in witness["sizes"].items())
    met = f"{pair['array']}[{', '.join(map(str, witness['element']))}]" if witness["element"] else pair["array"]
    p = Picture(title, f"{kernel}{', for example with ' + sizes if sizes else ''}: two work items meet at {met}",
                f"{relative(path)}: kdslc --explain=races --format=json")
    y, h, w = 590, 90, max(200, BROAD * 36 * len(met) + 40)
    x = WIDTH / 2 - w / 2
    for side, (item, line, mode) in enumerate(zip(witness["items"], pair["lines"], pair["modes"])):
        left = MARGIN + side * 780
        who = ", ".join(f"{variable} = {value}" for variable, value in item.items())
        writes = mode != "read"
        colour = RED if writes else BLUE
        p.box(left, 190, 720, 200, "#ffffff", kind="item", line=colour, width=5, round=16)
        p.text(left + 30, 245, f"work item {who}", 40, weight="bold", room=660)
        does = {"read": "reads", "write": "writes", "update": "reads and writes", "atomic": "updates"}[mode]
        p.text(left + 30, 300, f"line {line} {does} {met}", 34, fill=colour, room=660)
        p.text(left + 30, 356, source[line - 1].strip(), mono=True, room=660)
        near, far = left + 360, x + (60 if side == 0 else w - 60)
        if writes:
            p.line(near, 396, far, y - 8, colour, kind="touch", width=6, arrow=True)
        else:
            p.line(far, y - 8, near, 400, colour, kind="touch", width=6, arrow=True, dash="18 8")
    last = witness["element"][-1] if witness["element"] else 0
    for i in (range(-2, 3) if witness["element"] else [0]):
        if last + i >= 0:
            p.box(x + i * w, y, w, h, ORANGE if not i else "#ffffff", kind="met" if not i else "near",
                  dash="" if not i else "8 8", width=5 if not i else 2, line=INK if not i else DIM)
    p.text(WIDTH / 2, y + 58, met, 36, anchor="middle", weight="bold", mono=True, room=w - 20)
    p.text(WIDTH / 2, y + h + 90, "No order is promised, so the result depends on chance", 38, anchor="middle",
           weight="bold", fill=RED)
    p.tell(f"Lines {' and '.join(map(str, pair['lines']))}: {' and '.join(pair['modes'])}.")
    return p


EVENTS = {"allocation": "allocate", "fill": "fill", "comparison": "compare"}  # and their names in a profile


def is_copy(row):
    return row["direction"] in ("to device", "from device")


def actions_of(profile, events):
    """What a run did, in the order in which each occurred first: launches, copies, allocations, fills, comparisons."""
    first = {}
    for i, e in enumerate(events):
        a = e["args"]
        does = EVENTS.get(e["cat"], a.get("direction", "launch"))
        first.setdefault((does, a.get("array", a.get("kernel")), a.get("for")), i)
    rows = {}
    for x in profile["launches"] + profile["transfers"]:
        what = x.get("array", x.get("kernel"))
        key = x.get("direction", "launch"), what, x.get("for")
        row = rows.setdefault(key, {"direction": key[0], "name": re.sub(r"\[.*", "", what), "times": 0, "bytes": 0,
                                    "order": first.get(key, len(events))})
        row["times"] += x["times"]
        row["bytes"] += x.get("bytes", 0)
    return sorted(rows.values(), key=lambda row: row["order"])


def sources(programs):
    return ", ".join([relative(programs[0])] + [program.name for program in programs[1:]])


def draw_transfers(tools, path, title, mended=None):
    """Host and device as lanes, an arrow for each copy; two programs beside each other, or one."""
    programs = [path] + ([path.parent / mended] if mended else [])
    p = Picture(title, "launches and copies in the order in which they first occur, with their numbers in one run",
                f"{sources(programs)}: KDSL_MEMORY=separate kdslc profile")
    wide = (WIDTH - 2 * MARGIN) / len(programs)
    for side, program in enumerate(programs):
        profile, events = tools.profile(program)
        rows = actions_of(profile, events)
        devices = len({x["device"] for x in profile["launches"]})
        left = MARGIN + side * wide
        host, device = left + 70, left + wide - 150
        p.text(left, 185, program.name, 34, weight="bold", mono=True)
        p.text(host, 232, "host", 32, anchor="middle", weight="bold", fill=DIM)
        p.text(device, 232, "device" if devices == 1 else f"{devices} devices", 32, anchor="middle", weight="bold",
               fill=DIM)
        each = min(92, 520 / len(rows))
        bottom = 250 + each * len(rows)
        for x in (host, device):
            p.line(x, 245, x, bottom, DIM, width=5)
        for i, row in enumerate(rows):
            y = 250 + each * (i + 0.65)
            if not is_copy(row):
                launch = row["direction"] == "launch"
                label = f"{row['name']} x {row['times']}" if launch else f"{row['direction']} {row['name']}"
                x = max(left, host - 140) if row["direction"] == "compare" else device - 140
                p.box(x, y - each * 0.45, 280, each * 0.72, SKY if launch else "#ffffff",
                      kind="launch" if launch else "other", dash="" if launch else "8 8", round=10)
                p.text(x + 140, y - each * 0.09 + 10, label, 30, anchor="middle", room=270)
                continue
            colour = BLUE if row["direction"] == "to device" else RED
            ends = (host + 8, device - 8) if row["direction"] == "to device" else (device - 8, host + 8)
            p.line(ends[0], y + 8, ends[1], y + 8, colour, kind="copy", width=4 if row["times"] == 1 else 6, arrow=True)
            often = f" in {row['times']} copies" if row["times"] > 1 else ""
            label = f"{row['name']}: {amount(row['bytes'])}{often}"
            p.text((host + device) / 2, y - 6, label, 30, anchor="middle", room=device - host - 30)
        moved = [row for row in rows if is_copy(row)]
        total, n = sum(row["bytes"] for row in moved), sum(row["times"] for row in moved)
        p.text(left, 822, f"{amount(total)} in {times(n, 'copy', 'copies')}", 38, weight="bold", room=wide - 30)
        launches = sum(x["times"] for x in profile["launches"])
        p.tell(f"{program.name}: {amount(total)} in {n} copies, {launches} launches.")
    return p


def draw_timeline(tools, path, title, launches):
    """A part of the timeline of a run, with so many launches: the shortest, which other programs did not disturb."""
    _, events = tools.profile(path)
    events = [e for e in events if e["cat"] in ("launch", "transfer", "fill", "comparison", "allocation")]
    starts = [e for e in events if e["cat"] == "launch"]
    parts = [(starts[i]["ts"], starts[i + launches]["ts"]) for i in range(launches, len(starts) - launches, launches)]
    begin, end = min(parts, key=lambda part: part[1] - part[0])
    shown = [e for e in events if e["ts"] < end and e["ts"] + e["dur"] > begin]
    devices = sorted({e["args"]["device"] for e in shown})
    p = Picture(title, f"{launches} of {len(starts)} launches, with the copies between them",
                f"{relative(path)}: KDSL_MEMORY=separate kdslc profile --trace=run.json")
    left, right = MARGIN + 190, WIDTH - MARGIN
    scale = (right - left) / (end - begin)
    tracks = ["host code"] + [f"device {d}" for d in devices]
    top, each = 170, min(230, 480 / len(tracks))
    colours = {"launch": SKY, "to": ORANGE, "from": PURPLE, "other": FAINT}
    for i, track in enumerate(tracks):
        p.text(MARGIN, top + each * (i + 0.5) + 8, track, 32)
        p.line(left, top + each * (i + 0.85), right, top + each * (i + 0.85), FAINT, width=2)

    def bar(track, kind, lo, hi, fill):
        lo, hi = max(lo, begin), min(hi, end)
        p.box(left + (lo - begin) * scale, top + each * (track + 0.15), max((hi - lo) * scale, 3), each * 0.7, fill,
              kind=kind, width=1)
        if kind == "event" and (hi - lo) * scale > 120 and fill == SKY:
            p.text(left + ((lo + hi) / 2 - begin) * scale, top + each * (track + 0.5) + 10, label, anchor="middle",
                   room=(hi - lo) * scale)

    clock = begin
    for e in shown:
        if e["ts"] > clock:
            bar(0, "host", clock, e["ts"], GREEN)
        clock = max(clock, e["ts"] + e["dur"])
        direction = e["args"].get("direction", "").split(" ")[0]
        label = e["name"]
        bar(1 + devices.index(e["args"]["device"]), "event", e["ts"], e["ts"] + e["dur"],
            colours[e["cat"] if e["cat"] == "launch" else direction or "other"])
    if clock < end:
        bar(0, "host", clock, end, GREEN)
    axis = top + each * len(tracks) + 20
    p.line(left, axis, right, axis, INK)
    span = (end - begin) / 1000
    for i in range(5):
        x = left + (right - left) * i / 4
        p.line(x, axis, x, axis + 12, INK)
        at = span * i / 4
        p.text(x, axis + 45, f"{at:.3g} ms" if span >= 1 else f"{1000 * at:.0f} µs",
               anchor="middle" if 0 < i < 4 else "end" if i else "start")
    kinds = {e["args"].get("direction", e["cat"]) for e in shown}
    p.legend(MARGIN, axis + 100, [(GREEN, "host code", INK), (SKY, "launch", INK)] + [
        (fill, text, INK) for fill, text, kind in ((ORANGE, "copy to device", "to device"),
                                                   (PURPLE, "copy from device", "from device")) if kind in kinds])
    device = starts[0]["args"]["device_name"]
    p.text(MARGIN, axis + 152, f"Times of one run on one machine: {device}", fill=DIM, room=WIDTH - 2 * MARGIN)
    p.tell(f"{len([e for e in shown if e['cat'] == 'launch'])} launches and "
           f"{len([e for e in shown if e['cat'] == 'transfer'])} copies in {span:.3g} ms.")
    return p


def draw_shares(tools, path, title, mended):
    """Where the time of two runs went."""
    programs = [path, path.parent / mended]
    p = Picture(title, "the time of each run; other: allocating, filling, comparing, waiting",
                f"{sources(programs)}: KDSL_MEMORY=separate kdslc profile")
    runs = []
    for program in programs:
        profile, _ = tools.profile(program)
        kernels = sum(x["total_ms"] for x in profile["launches"])
        copies = sum(x["total_ms"] for x in profile["transfers"] if is_copy(x))
        rest = max(0, profile["total_ms"] - kernels - copies - profile["host_code_ms"])
        runs.append((program, profile, [("kernels", kernels, SKY), ("copies", copies, ORANGE),
                                        ("host code", profile["host_code_ms"], GREEN), ("other", rest, FAINT)]))
    scale = (WIDTH - 2 * MARGIN) / max(sum(ms for _, ms, _ in parts) for *_, parts in runs)
    for row, (program, profile, parts) in enumerate(runs):
        y, x = 180 + row * 260, MARGIN
        n = sum(t["times"] for t in profile["transfers"] if is_copy(t))
        launches = sum(t["times"] for t in profile["launches"])
        p.text(MARGIN, y + 30, f"{program.name}: {profile['total_ms']:.0f} ms, {launches} launches, "
               f"{times(n, 'copy', 'copies')}", 34, weight="bold", room=WIDTH - 2 * MARGIN)
        for what, ms, fill in parts:
            p.box(x, y + 55, ms * scale, 110, fill, kind="part")
            share = f"{100 * ms / profile['total_ms']:.0f} %"
            if ms * scale > BROAD * 32 * len(share) + 10:
                p.text(x + ms * scale / 2, y + 122, share, 32, anchor="middle", fill="#ffffff" if fill == GREEN else INK)
            x += ms * scale
        p.tell(f"{program.name}: " + ", ".join(f"{what} {ms:.0f} ms" for what, ms, _ in parts) + ".")
    p.legend(MARGIN, 740, [(fill, what, INK) for what, _, fill in runs[0][2]])
    device = runs[0][1]["launches"][0]["device_name"]
    p.text(MARGIN, 805, f"Times of one run on one machine: {device}", fill=DIM, room=WIDTH - 2 * MARGIN)
    return p


def draw_checks(tools, path, title):
    """The checks of indices in each kernel: those that are proven, and those that stay."""
    rows = tools.explain("bounds", path)["checks"]
    kernels = {}
    for row in rows:
        if "kernel" in row:
            kernels.setdefault(row["kernel"], []).append(row)
    kept = [row for group in kernels.values() for row in group if row["check"] in ("kept", "hoisted")]
    p = Picture(title, "a box for each index: does the program check it when it runs?",
                f"{relative(path)}: kdslc --explain=bounds --format=json")
    each = min(80, 420 / len(kernels))
    for i, (kernel, group) in enumerate(kernels.items()):
        y, x = 170 + i * each, 330
        p.text(MARGIN, y + each / 2 + 8, kernel, 34, mono=True, room=270)
        w = min(300, (WIDTH - MARGIN - x) / len(group))
        for row in group:
            stays = row in kept
            p.box(x, y + 4, w - 12, each - 12, ORANGE if stays else "#ffffff", kind="kept" if stays else "proven",
                  line=RED if stays else GREEN, width=4, round=10)
            p.text(x + (w - 12) / 2, y + each / 2 + 8, row.get("access", row["kind"]), anchor="middle", mono=True,
                   room=w - 24)
            x += w
    y = 190 + each * len(kernels) + 40
    p.legend(MARGIN, y, [("#ffffff", "proven: no check in the program", GREEN), (ORANGE, "checked in every run", RED)])
    for i, row in enumerate(kept[:3]):
        reason = f"line {row['line']}, {row.get('access', row['kind'])}: {row['reason']}".replace("`", "")
        p.text(MARGIN, y + 65 + 45 * i, reason, 30, fill=RED, room=WIDTH - 2 * MARGIN)
        p.tell(f"Kept in line {row['line']}: {row['reason']}.")
    p.tell(f"{sum(map(len, kernels.values()))} checks, {len(kept)} of them kept.")
    return p


def relative(path):
    return str(path.relative_to(COURSE))


# The list: file, function, program, what it shows, and what the function needs besides.
PICTURES = [
    ("01-access", draw_access, "01-first-kernel/wetbulb_kernel.kdsl", "Neighbours read neighbours",
     dict(kernel="wet_bulbs", access="t[i]")),
    ("01-order", draw_race, "01-first-kernel/order.kdsl", "Work items have no order", dict(kernel="totals")),
    ("02-forecast", draw_transfers, "02-where-data-lives/forecast.kdsl", "Data stays where it was used last", {}),
    ("02-copies", draw_transfers, "02-where-data-lives/naive.kdsl", "One loop on the host, and a copy in every step",
     dict(mended="fixed.kdsl")),
    ("02-timeline", draw_timeline, "02-where-data-lives/naive.kdsl", "After each launch, a copy and the host",
     dict(launches=4)),
    ("02-time", draw_shares, "02-where-data-lives/naive.kdsl", "Where the time goes", dict(mended="fixed.kdsl")),
    ("03-checks", draw_checks, "03-shapes/kept.kdsl", "What the shapes prove, and what is left", {}),
    ("04-column", draw_access, "04-coalescing/calibrate.kdsl", "The domain in the wrong order",
     dict(kernel="calibrate", access="raw[station, hour]")),
    ("04-row", draw_access, "04-coalescing/solutions/axes.kdsl", "The domain in the right order",
     dict(kernel="centre", access="t[day, station]")),
    ("04-stride", draw_access, "04-coalescing/strides.kdsl", "A column of four",
     dict(kernel="first", access="x[i, 0]")),
    ("04-broadcast", draw_access, "04-coalescing/strides.kdsl", "One element for all",
     dict(kernel="spread", access="p[i, 0]")),
    ("05-loop", draw_loop, "05-divergence/totals.kdsl", "A warp is as slow as its slowest item", dict(kernel="totals")),
    ("05-paths", draw_paths, "05-divergence/exercises/kinds.kdsl", "Three paths take the time of three",
     dict(kernel="correct")),
    ("06-atomic", draw_access, "06-reductions/atomic.kdsl", "A sum in one place",
     dict(kernel="add", access="sum")),
    ("07-tree", draw_rounds, "07-groups/exercises/fewer.kdsl", "A reduction as a tree",
     dict(kernel="between", access="low[i.local + half]", round_by="half")),
    ("07-banks-two", draw_banks, "07-groups/stages.kdsl", "Two lanes for each bank",
     dict(kernel="turn", access="tile[j.local, i.local]")),
    ("07-banks-four", draw_banks, "07-groups/stages.kdsl", "Four lanes for each bank",
     dict(kernel="fours", access="s[4 * i.local]")),
    ("07-banks-none", draw_banks, "07-groups/solutions/turn.kdsl", "One column more, and no conflict",
     dict(kernel="turn", access="tile[j.local, i.local]")),
    ("08-barrier", draw_race, "08-races/suspects.kdsl", "A barrier is missing", dict(kernel="running")),
    ("09-atomics", draw_touch, "09-atomics/shades.kdsl", "A histogram of a dark picture",
     dict(kernel="shades", access="counts[x[i] / 32]")),
    ("10-scan", draw_rounds, "10-scan/steps.kdsl", "Running sums in six rounds",
     dict(kernel="scan_blocks", access="s[i.local - gap]", round_by="gap")),
    ("11-time", draw_shares, "11-application/slow.kdsl", "Before and after", dict(mended="fast.kdsl")),
    ("11-in-place", draw_race, "11-application/wrong/outbreak-1.kdsl", "One launch, in place", dict(kernel="day")),
    ("12-halo", draw_timeline, "12-clusters/slabs.kdsl", "Slabs on several devices exchange their borders",
     dict(launches=8)),
    ("12-copies", draw_transfers, "12-clusters/slabs.kdsl", "Every border is a copy", {}),
]


def make(folder, kdslc):
    """Writes all pictures; returns their paths."""
    tools, paths = Tools(kdslc), []
    folder.mkdir(parents=True, exist_ok=True)
    for file, draw, program, title, needs in PICTURES:
        paths.append(folder / f"{file}.svg")
        paths[-1].write_text(draw(tools, COURSE / program, title, **needs).svg())
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--kdslc", default="kdslc")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for file, _, program, title, _ in PICTURES:
            print(f"{file}.svg  {title} ({program})")
    elif args.folder:
        print(f"{args.folder}: {len(make(args.folder, args.kdslc))} pictures")
    else:
        parser.error("a folder is needed")


if __name__ == "__main__":
    sys.exit(main())
