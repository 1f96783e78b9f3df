#!/usr/bin/env python3
"""What it costs that a kernel of a session can be stopped: the kernels of bench/kernels in a session beside programs.

    bench/repl/speed.py [--kdslc PATH] [--rounds N] [KERNEL ...]

Programs and sessions take turns; the best time of each is compared. Rows: kernel, seconds of the program, of the session,
and how many times as long the session takes.
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench/kernels"


def seconds(text):
    """Of the row that the harness prints: kdslc, kernel, seconds, rate, verdict."""
    for line in text.splitlines():
        words = line.split("\t")
        if words[0] == "kdslc":
            if words[4] != "ok":
                raise SystemExit(f"wrong: {line}")
            return float(words[2])
    raise SystemExit(f"no row in:\n{text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kdslc", default=str(ROOT / "build/bin/kdslc"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    names = options.kernels or sorted(f.stem for f in FOLDER.glob("*.kdsl") if f.stem != "harness")
    with tempfile.TemporaryDirectory() as made:
        print(f"{'kernel':<16}{'program':>12}{'session':>12}{'ratio':>8}")
        for name in names:
            source, program = FOLDER / f"{name}.kdsl", Path(made) / name
            subprocess.run([options.kdslc, "-O3", source, "-o", program], check=True)
            times = {"program": [], "session": []}
            for _ in range(options.rounds):
                run = subprocess.run([program], capture_output=True, text=True, check=True)
                times["program"].append(seconds(run.stdout))
                run = subprocess.run([options.kdslc, "-O3", "repl"], input=f":load {source}\nmain()\n",
                                     capture_output=True, text=True, check=True)
                times["session"].append(seconds(run.stdout))
            best = {who: min(t) for who, t in times.items()}
            print(f"{name:<16}{best['program']:>12.6f}{best['session']:>12.6f}"
                  f"{best['session'] / best['program']:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
