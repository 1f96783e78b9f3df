#!/usr/bin/env python3
"""How long the language server takes for a keystroke: from the change to the diagnostics, and for what an editor asks then,
in programs of growing length (the examples one after the other, with their names made different).
Usage: bench/lsp/latency.py KDSLC [--keys N] [--cpu]

--cpu counts the processor time of the server, which other programs on the machine change less than they change latency."""
import argparse
import re
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


def clock(client, cpu):
    """Seconds: of processor time of the server, or passed."""
    if not cpu:
        return time.perf_counter()
    return int(Path(f"/proc/{client.process.pid}/schedstat").read_text().split()[0]) / 1e9


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kdslc")
    options.add_argument("--keys", type=int, default=100)
    options.add_argument("--cpu", action="store_true")
    options = options.parse_args()
    print(f"{'lines':>6} {'errors':>6} | ms, median and 99 %: {'diagnostics':>14} {'hover':>14} {'completion':>14} "
          f"{'tokens':>14} {'hints':>14} | {'with races':>10}")
    for n in (100, 500, 1000, 2000, 4000, 10000):
        text = program(n)
        with Client(options.kdslc) as client:
            errors = [d for d in client.open(URI, text) if d["severity"] == 1]
            lines = text.count("\n")
            begin = clock(client, options.cpu)
            if not errors:
                client.told()
            races = (clock(client, options.cpu) - begin) * 1000 - (0 if options.cpu else 300)
            times = {name: [] for name in ("diagnostics", "hover", "completion", "tokens", "hints")}
            target = text.rindex("main_0")
            line = text.count("\n", 0, target)
            for _ in range(options.keys):
                begin = clock(client, options.cpu)
                client.change(URI, [{"range": {"start": {"line": line, "character": 0},
                                               "end": {"line": line, "character": 0}}, "text": " "}])
                times["diagnostics"].append(clock(client, options.cpu) - begin)
                here = {"textDocument": {"uri": URI}, "position": {"line": line // 2, "character": 6}}
                for name, method, params in (
                        ("hover", "hover", here), ("completion", "completion", here),
                        ("tokens", "semanticTokens/full", {"textDocument": {"uri": URI}}),
                        ("hints", "inlayHint", {"textDocument": {"uri": URI}, "range": {
                            "start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}})):
                    begin = clock(client, options.cpu)
                    client.ask(f"textDocument/{method}", params)
                    times[name].append(clock(client, options.cpu) - begin)
            cells = " ".join(f"{percentile(t, 0.5):6.1f} {percentile(t, 0.99):7.1f}" for t in times.values())
            print(f"{lines:6} {len(errors):6} | {'':21}{cells} | {races:10.0f}")


if __name__ == "__main__":
    main()
