#!/usr/bin/env python3
"""Tables and plots of what run.py measured. As a program: write those of docs/performance-kernels.md again from
docs/performance-kernels.tsv; with --check, only say whether they are up to date (CTest does)."""
import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

import plot
from facts import BEST, GFLOP, KERNELS, LIMIT_UNIT, LIMITS, PEERS

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
COLUMNS = ["round", "slot", "who", "what", "seconds", "rate", "verdict"]
OURS = "kdslc"
RIVALS = [peer.name for peer in PEERS if peer.is_peer]


def first_line(*argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "none"


def machine(threads, loads, flags):
    """What one has to know about the machine to read the figures."""
    cpu = dict(re.findall(r"^(.*?)\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text().partition("\n\n")[0], flags=re.M))
    has = [name for name in ("avx2", "avx512f") if name in cpu["flags"].split()]
    caches = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    words = [[(index / name).read_text().strip() for name in ("level", "type", "size")] for index in caches]
    return {
        "processor": f"{cpu['model name']}, family {cpu['cpu family']} model {cpu['model']}, {' '.join(has)}",
        "caches": ", ".join(f"L{level} {size}" for level, kind, size in words if kind != "Instruction"),
        "threads": f"{threads} of {os.cpu_count()}",
        "compilers": f"{first_line('clang-22', '--version')}; {first_line('gcc', '--version')}; kdslc {' '.join(flags)}",
        "measured": f"{datetime.date.today()}, load at the beginning of each round {', '.join(f'{x:.1f}' for x in loads)}",
    }


class Measured:
    """Rows of COLUMNS, and the best of the rounds of each."""

    def __init__(self, about, rows):
        self.about = about
        self.rows = rows
        self.best = {}
        self.worst = {}
        for row in rows:
            _, slot, who, what, seconds, rate, _ = row
            key = (slot, who, what)
            self.best[key] = max(self.best.get(key, (0, 0)), (float(rate), float(seconds)))
            self.worst[key] = min(self.worst.get(key, float(rate)), float(rate))
        self.wrong = {(row[3], row[2]) for row in rows if row[6] != "ok"}
        self.variants = [name for name in dict.fromkeys(row[2] for row in rows)
                         if name not in {peer.name for peer in PEERS} | {"limit"}]
        self.peers = [peer.name for peer in PEERS if any(row[2] == peer.name for row in rows)]
        self.kernels = [k for k in KERNELS if any(row[3] == k.name and row[2] in self.variants for row in rows)]

    def row(self, kernel, who):
        """(rate, seconds) of the best round, or None"""
        return self.best.get((kernel.peer_kernel, who, self.name_for(kernel, who)))

    def name_for(self, kernel, who):
        return kernel.name if who in self.variants else kernel.peer_kernel

    def rate(self, kernel, who):
        row = self.row(kernel, who)
        return row[0] if row else None

    def seconds(self, kernel, who):
        row = self.row(kernel, who)
        return row[1] if row else None

    def is_wrong(self, kernel, who):
        return (self.name_for(kernel, who), who) in self.wrong

    def best_peer(self, kernel):
        """(rate, name) of the fastest peer whose result is right, or (None, "")"""
        rates = [(self.rate(kernel, name), name) for name in RIVALS if not self.is_wrong(kernel, name)]
        return max((pair for pair in rates if pair[0]), default=(None, ""))

    def limit(self, kernel, name):
        """The best of the rounds, measured at the time of this kernel."""
        return self.best.get((kernel.peer_kernel, "limit", name), (None, None))[0]

    def needed(self, kernel, goal):
        """The rate that fulfils the easiest alternative of the goal, and the alternative in words."""
        found = []
        for factor, of in goal:
            if isinstance(of, str) and of.endswith(BEST):
                other = next((k for k in KERNELS if of == f"{k.name}: {BEST}"), kernel)
                base = self.best_peer(other)[0]
            elif isinstance(of, str):
                base = self.limit(kernel, of) or self.rate(kernel, of)
            else:
                base = of
            if base:
                found.append((factor * base, f"{of} {kernel.unit}" if base == of else f"{factor} × {of}"))
        return min(found, default=(None, " or ".join(f"{factor} × {of}" for factor, of in goal)))


def read(path):
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = [line.split("\t") for line in lines if line and not line.startswith("# ")]
    return Measured(about, rows[1:])


def tsv(measured):
    head = [f"# {key}: {value}" for key, value in measured.about.items()]
    return "\n".join([*head, *("\t".join(row) for row in [COLUMNS, *measured.rows])]) + "\n"


# Tables: lists of rows of texts, the first one the heading ---------------------------------------------------------


def number(x):
    return "-" if x is None else f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def rates_table(m):
    head = ["kernel", "unit", *m.variants, "of the best peer", "of the limit", *m.peers]
    table = [head]
    for kernel in m.kernels:
        ours = m.rate(kernel, OURS)
        peer, name = m.best_peer(kernel)
        limit = m.limit(kernel, kernel.limit)

        def cell(who):
            text = number(m.rate(kernel, who)) + ("!" if m.is_wrong(kernel, who) else "")
            return f"**{text}**" if who == name else text

        share = f"{ours / limit:.2f} {kernel.limit}" if ours and limit else "-"
        table.append([kernel.name, kernel.unit, *map(cell, m.variants), f"{ours / peer:.2f}" if ours and peer else "-", share,
                      *map(cell, m.peers)])
    return table


def goals_table(m):
    table = [["kernel", "unit", OURS, "bar", "needs", "reached", "stretch", "needs", "reached"]]
    for kernel in m.kernels:
        ours = m.rate(kernel, OURS)
        row = [kernel.name, kernel.unit, number(ours)]
        for goal in (kernel.bar, kernel.stretch):
            needed, words = m.needed(kernel, goal)
            reached = "-" if not (needed and ours) else "yes" if ours >= needed else f"no, {ours / needed:.2f}"
            row += [words, number(needed), reached]
        table.append(row)
    return table


def limits_table(m):
    table = [["limit", "", "unit", "best", "worst"]]
    for name, what in LIMITS.items():
        slots = [key for key in m.best if key[1:] == ("limit", name)]
        if slots:
            table.append([name, what, LIMIT_UNIT[name], number(max(m.best[key][0] for key in slots)),
                          number(min(m.worst[key] for key in slots))])
    return table


def times_table(m):
    table = [["ms a call", *m.variants, *m.peers]]
    for kernel in m.kernels:
        seconds = [m.seconds(kernel, who) for who in [*m.variants, *m.peers]]
        table.append([kernel.name, *(f"{s * 1e3:.3g}" if s else "-" for s in seconds)])
    return table


def plain(table):
    table = [[cell.replace("**", "") for cell in row] for row in table]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in table)


def markdown(table):
    numbers = [all(re.match(r"[\d*-]", row[i]) for row in table[1:]) for i in range(len(table[0]))]
    rule = ["--:" if right else "---" for right in numbers]
    return "\n".join("| " + " | ".join(row) + " |" for row in [table[0], rule, *table[1:]])


def sections(m):
    """Name, text for a terminal, text for a page."""
    about = [[key, value] for key, value in m.about.items()]
    yield "machine", plain(about), markdown([["", ""], *about])
    for name, table in (("limits", limits_table(m)), ("rates", rates_table(m)), ("times", times_table(m)),
                        ("goals", goals_table(m))):
        yield name, plain(table), markdown(table)


def text(m):
    return "\n\n".join(plain_text for _, plain_text, _ in sections(m))


def write(m, folder):
    (folder / "rows.tsv").write_text(tsv(m))
    (folder / "tables.md").write_text("\n\n".join(page for _, _, page in sections(m)) + "\n")
    for name, svg in plot.plots(m):
        (folder / f"{name}.svg").write_text(svg)


# docs/performance-kernels.md ------------------------------------------------------------------------------------------------


def peers_table():
    return [["name", "what", "command"], *([peer.name, peer.what, f"`{' '.join(peer.command)}`"] for peer in PEERS)]


def kernels_table():
    def words(goal):
        return " or ".join(f"{of}" if not isinstance(of, str) else f"{factor} × {of}" for factor, of in goal)
    return [["kernel", "unit", "counted", "limit", "bar", "stretch"],
            *([k.name, k.unit, k.what, k.limit or "-", words(k.bar), words(k.stretch)] for k in KERNELS)]


def docs_files(m):
    """Path and text of everything in docs/ that is made here."""
    page = (DOCS / "performance-kernels.md").read_text()
    parts = {name: body for name, _, body in sections(m)}
    parts |= {"peers": markdown(peers_table()), "kernels": markdown(kernels_table())}
    for name, body in parts.items():
        head, mark, rest = page.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        assert mark and end, f"docs/performance-kernels.md has no place for {name}"
        page = head + mark + body + "\n" + end + tail
    yield DOCS / "performance-kernels.md", page
    for name, svg in plot.plots(m):
        yield DOCS / f"performance-{name}.svg", svg


def write_docs(m):
    for path, body in [(DOCS / "performance-kernels.tsv", tsv(m)), *docs_files(m)]:
        path.write_text(body)


def main():
    m = read(DOCS / "performance-kernels.tsv")
    if sys.argv[1:] != ["--check"]:
        write_docs(m)
        return 0
    stale = [str(path.relative_to(ROOT)) for path, body in docs_files(m) if not path.exists() or path.read_text() != body]
    for path in stale:
        print(f"{path} is not what bench/kernels/report.py makes of docs/performance-kernels.tsv")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
