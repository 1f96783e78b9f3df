#!/usr/bin/env python3
"""What a session keeps: the memory of `kdslc repl` after so many inputs, each kind of input by itself and all in turn.

    bench/repl/growth.py [--kdslc PATH] [--inputs N] [--kind NAME] [--limit BYTES]

A kind is inputs that follow one another again and again; `#` in them is the round's number. The slope is taken over the
second half: what is made once (the OpenMP runtime's threads, LLVM's tables) is there by then. --limit: exit with 1 where
a kind grows by more bytes an input, or by more than a few mappings in all.
"""
import argparse
import os
import subprocess
import sys
import threading

KINDS = {
    "expression": ["1 + #"],
    "variable": ["let v = #;", "v * 2"],
    "array": ["let a = [f32(i) for i in 1000];", "a[#%1000]"],
    "function": ["fn f(x: i32) -> i32 { return x + #; }", "f(1)"],
    "kernel": ["kernel k(v: &mut [f32; n]) over i in n { v[i] += #.0; }", "var w = [0.0f32; 1000];", "offload k(&mut w);", "w[7]"],
    "launch": ["offload add(1.0, &mut kept);"],
    "error": ["let q = nothing_like_it + #;", "1 +* #"],
    "failure": ["at(200000 + #)", "offload shift(1 + #, &mut kept);", "assert(# < 0);"],
    "print": ["print(\"{}\", #);"],
    "struct": ["struct P { x: f32, y: f32 }", "let p = P(x: 1.0, y: #.0);", "p.x + p.y"],
}
FEW_MAPPINGS = 4
SETUP = ["kernel add(a: f32, v: &mut [f32; n]) over i in n { v[i] += a; }", "var kept = [0.0f32; 1000];",
         "kernel shift(k: i32, v: &mut [f32; n]) over i in n { v[i + k] = 1.0; }",
         "fn at(i: i32) -> f32 { let a = [1.0f32; 100000]; return a[i]; }"]


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def entries_of(pid):
    with open(f"/proc/{pid}/maps") as f:
        return sum(1 for _ in f)


class Session:
    def __init__(self, kdslc):
        self.process = subprocess.Popen([kdslc, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.marks = 0

    def run(self, inputs):
        """All of them, and back when the last one has run."""
        self.marks += 1
        mark = f"mark {self.marks}"
        text = "".join(line + "\n" for line in inputs) + f'print("{mark}");\n'
        writer = threading.Thread(target=lambda: (self.process.stdin.write(text), self.process.stdin.flush()))
        writer.start()
        for line in self.process.stdout:
            if line.strip() == mark:
                break
        else:
            sys.exit(f"the session ended: {self.process.wait()}")
        writer.join()

    def measure(self):
        return resident_bytes(self.process.pid), entries_of(self.process.pid)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait()


def rounds(inputs, first, n):
    for i in range(first, first + n):
        for text in inputs:
            yield text.replace("#", str(i))


def grow(kdslc, name, inputs, n_inputs):
    session, steps = Session(kdslc), 4
    session.run(SETUP)
    n = max(1, n_inputs // len(inputs) // steps)
    points = []
    for step in range(steps):
        session.run(rounds(inputs, step * n, n))
        points.append(session.measure())
    status = session.end()
    if status not in (0, 1):  # 1: some input was refused, as it should be
        sys.exit(f"{name}: the session ended with {status}")
    per_input = (points[-1][0] - points[1][0]) / (2 * n * len(inputs))
    sizes = "  ".join(f"{p[0] / 1e6:6.1f}" for p in points)
    print(f"{name:<12}{steps * n * len(inputs):>7} inputs  MB: {sizes}   mappings: {points[0][1]} .. {points[-1][1]}"
          f"   {per_input:8.0f} B an input", flush=True)
    return per_input, points[-1][1] - points[1][1]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kdslc", default=os.environ.get("KDSLC", "build/bin/kdslc"))
    options.add_argument("--inputs", type=int, default=10000)
    options.add_argument("--kind", choices=[*KINDS, "all"])
    options.add_argument("--limit", type=float)
    o = options.parse_args()
    kinds = dict(KINDS, all=[text for inputs in KINDS.values() for text in inputs])
    grown = [grow(o.kdslc, name, inputs, o.inputs) for name, inputs in kinds.items() if o.kind in (None, name)]
    return o.limit is not None and any(n > o.limit or mappings > FEW_MAPPINGS for n, mappings in grown)


sys.exit(main())
