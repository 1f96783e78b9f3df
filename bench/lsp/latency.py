#!/usr/bin/env python3
"""How long the language server takes for a keystroke: from the change to the diagnostics, and for what an editor asks then,
in programs of growing length (the examples one after the other, with their names made different).
Usage: bench/lsp/latency.py KDSLC [--keys N]"""
import argparse
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/lsp"))
from client import Client  # noqa: E402

URI = "file:///tmp/program.kdsl"


def renamed(text, number):
    """Items get a suffix; `main` becomes a function. Programs with modules of their own or tests are left out."""
    names = set(re.findall(r"(?m)^(?:export )?(?:kernel|fn|struct|const) (\w+)", text))
    for name in names:
        text = re.sub(rf"(?<!\w)(?<!(?<!\.)\.){name}\b", f"{name}_{number}", text)
    return text


def programs():
    for path in sorted((ROOT / "examples").glob("*.kdsl")):
        text = path.read_text()
        if not re.search(r"(?m)^(import|test|extern|export) ", text):
            yield text


def program(n_lines):
    parts, number = [], 0
    while sum(part.count("\n") for part in parts) < n_lines:
        for text in programs():
            parts.append(renamed(text, number))
            number += 1
            if sum(part.count("\n") for part in parts) >= n_lines:
                break
    return "".join(parts) + "fn main() { main_0(); }\n"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kdslc")
    options.add_argument("--keys", type=int, default=30)
    options = options.parse_args()
    print(f"{'lines':>6} {'errors':>6} | ms, median and most: {'diagnostics':>14} {'hover':>14} {'completion':>14} "
          f"{'tokens':>14} {'hints':>14} | {'with races':>10}")
    for n in (100, 500, 1000, 2000, 4000):
        text = program(n)
        with Client(options.kdslc) as client:
            errors = [d for d in client.open(URI, text) if d["severity"] == 1]
            lines = text.count("\n")
            begin = time.perf_counter()
            if not errors:
                client.told()
            races = (time.perf_counter() - begin) * 1000 - 300
            times = {name: [] for name in ("diagnostics", "hover", "completion", "tokens", "hints")}
            target = text.rindex("main_0")
            line = text.count("\n", 0, target)
            for key in range(options.keys):
                begin = time.perf_counter()
                client.change(URI, [{"range": {"start": {"line": line, "character": 0},
                                               "end": {"line": line, "character": 0}}, "text": " "}])
                times["diagnostics"].append(time.perf_counter() - begin)
                here = {"textDocument": {"uri": URI}, "position": {"line": line // 2, "character": 6}}
                for name, method, params in (
                        ("hover", "hover", here), ("completion", "completion", here),
                        ("tokens", "semanticTokens/full", {"textDocument": {"uri": URI}}),
                        ("hints", "inlayHint", {"textDocument": {"uri": URI}, "range": {
                            "start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}})):
                    begin = time.perf_counter()
                    client.ask(f"textDocument/{method}", params)
                    times[name].append(time.perf_counter() - begin)
            cells = " ".join(f"{statistics.median(t) * 1000:6.1f} {max(t) * 1000:7.1f}" for t in times.values())
            print(f"{lines:6} {len(errors):6} | {'':21}{cells} | {races:10.0f}")


if __name__ == "__main__":
    main()
