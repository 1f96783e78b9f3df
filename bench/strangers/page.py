#!/usr/bin/env python3
"""The table and the plot of docs/performance.md, of what run.py measured: docs/performance.tsv. Without an option writes
them; --check only says whether they are up to date (a test)."""
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from plot import GRID, INK, OURS_COLOR, PEER_COLOR, QUIET, Svg  # noqa: E402

ROOT = HERE.parent.parent
DOCS = ROOT / "docs"
BANDS = [(1.1, "1.1 and more"), (0.9, "0.9 to 1.1"), (0.7, "0.7 to 0.9"), (0.5, "0.5 to 0.7"), (0.3, "0.3 to 0.5"),
         (0, "below 0.3")]
LEAST, MOST = 1 / 32, 32  # times as fast: what lies beyond is drawn at the end


class Measured:
    """Of each kernel, how many times as fast KDSL is as the better tuned C and as the better plain C."""

    def __init__(self, text):
        lines = text.splitlines()
        self.about = [line[2:] for line in lines if line.startswith("# ")]
        seconds = {}
        for line in lines:
            fields = line.split("\t")
            if line.startswith("#") or len(fields) != 6 or fields[0] == "kernel":
                continue
            if fields[3] != "ok":
                raise ValueError(f"{fields[0]}: the result of {fields[1]} is wrong")
            seconds.setdefault(fields[0], {})[fields[1]] = float(fields[2])
        self.tuned, self.plain = ({name: min(s[f"{kind}-gcc"], s[f"{kind}-clang"]) / s["kdsl"] for name, s in seconds.items()}
                                  for kind in ("tuned", "plain"))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(m):
    plain = m.plain.values()
    lines = [f"- KDSL is {mean(m.plain.values()):.1f} times as fast as the plain C (geometric mean of {len(m.plain)}): at least 1.5",
             f"  times in {sum(r >= 1.5 for r in plain)} kernels, less than 0.7 times in {sum(r < 0.7 for r in plain) or 'none'}.",
             f"- It is {mean(m.tuned.values()):.2f} times as fast as the tuned C, which mostly has another algorithm or order: blocks,",
             "  bit-parallel or packed forms.", "", "| times as fast as the better tuned C | kernels |", "| --- | --- |"]
    above = math.inf
    for least, words in BANDS:
        names = sorted(name for name, ratio in m.tuned.items() if least <= ratio < above)
        shown = [f"`{name}` {m.tuned[name]:.2f}" if not least else f"`{name}`" for name in names]
        lines.append(f"| {words} | {', '.join(shown)} |")
        above = least
    return "\n".join(lines)


def dots(m):
    """A line for each kernel: how many times as fast as the tuned C, and as the plain C."""
    left, top, row, width = 100, 62, 15, 560
    names = sorted(m.tuned, key=m.tuned.get, reverse=True)
    bottom = top + row * len(names)
    svg = Svg(left + width + 30, bottom + 34)

    def across(ratio):
        return left + width * math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)

    svg.text(left, 20, "How many times as fast as C", size=15)
    for x, color, words in ((left + 6, OURS_COLOR, "as tuned by hand"), (left + 136, PEER_COLOR, "as a user writes it")):
        svg.dot(x, 38, color)
        svg.text(x + 10, 42, words, size=11)
    for power in range(-5, 6):
        x = across(2.0**power)
        svg.line(x, top - 6, x, bottom, QUIET if not power else GRID)
        svg.text(x, bottom + 16, f"1/{2**-power}" if power < 0 else str(2**power), "middle", QUIET, 11)
    for i, name in enumerate(names):
        y = top + row * i + row / 2
        svg.text(left - 8, y + 4, name, "end", INK, 10)
        svg.line(across(m.tuned[name]), y, across(m.plain[name]), y, GRID)
        svg.dot(across(m.plain[name]), y, PEER_COLOR)
        svg.dot(across(m.tuned[name]), y, OURS_COLOR)
    return str(svg)


def docs_files():
    """Path and text of everything in docs/ that is made here."""
    m = Measured((DOCS / "performance.tsv").read_text())
    page = (DOCS / "performance.md").read_text()
    for name, body in (("strangers", table(m)), ("machine", "\n".join(f"- {line}" for line in m.about))):
        head, mark, rest = page.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        if not (mark and end):
            raise ValueError(f"docs/performance.md has no place for {name}")
        page = head + mark + body + "\n" + end + tail
    yield DOCS / "performance.md", page
    yield DOCS / "performance-strangers.svg", dots(m)


def main():
    if sys.argv[1:] != ["--check"]:
        for path, body in docs_files():
            path.write_text(body)
        return 0
    stale = [path for path, body in docs_files() if not path.exists() or path.read_text() != body]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not what bench/strangers/page.py makes of docs/performance.tsv")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
