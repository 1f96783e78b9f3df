#!/usr/bin/env python3
"""Which conditions --explain=launch calls divergent within a warp, beside brute force: random conditions of the position
in the domain and in the group, evaluated here for every work item of many warps. What the compiler does not call divergent
is the same in all lanes of each warp; and of what is the same in all it finds more than two thirds.
Usage: test_lanes.py KDSLC"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KDSLC = Path(sys.argv.pop(1)).resolve()
WARP, ITEMS, GROUP, CONDITIONS, SEED = 32, 4096, 128, 400, 20261127


def value(r, depth, names):
    """(KDSL, Python) of a value that is not negative"""
    if depth == 0 or r.random() < 0.3:
        name = r.choice(names)
        return name, name.replace(".", "_")
    (a, p), by = value(r, depth - 1, names), r.choice([2, 3, 5, 16, 32, 48, 64, 96, 128])
    op = r.choice(["/", "%", "+", "*", ">>", "&", "/", "%"])
    if op == "+":
        b, q = value(r, depth - 1, names)
        if r.random() < 0.5:
            b = q = str(by)
        return f"({a} + {b})", f"({p} + {q})"
    masks = [1, 15, 31, 32, 33, 63, 64, 96, 127]
    number = {"*": r.choice([2, 3, 4]), ">>": r.randrange(7), "&": r.choice(masks)}.get(op, by)
    return f"({a} {op} {number})", f"({p} {op.replace('/', '//')} {number})"


def condition(r, names):
    a, p = value(r, 3, names)
    op = r.choice(["<", "<=", ">", ">=", "==", "!="])
    number = r.choice([0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 95, 96, 128])
    return f"{a} {op} {number}", f"{p} {op} {number}"


def divergent_lines(program):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.kdsl"
        path.write_text(program)
        done = subprocess.run([KDSLC, "--explain=launch", "--offload-arch=host", "--format=json", path],
                              capture_output=True,
                              text=True, check=True, env={**os.environ, "KDSL_PTXAS": ""})
    return {branch["line"] for kernel in json.loads(done.stdout)["kernels"] for branch in kernel["divergent"]}


class LanesTest(unittest.TestCase):
    def compare(self, head, names, place):
        r = random.Random(SEED)
        found = missed = 0
        conditions = [condition(r, names) for _ in range(CONDITIONS)]
        lines = "".join(f"    if {kdsl} {{ x[i] += 1.0; }}\n" for kdsl, _ in conditions)
        divergent = divergent_lines(f"{head} {{\n{lines}}}\n")
        for line, (kdsl, python) in enumerate(conditions, 2):
            code = compile(python, kdsl, "eval")
            values = [bool(eval(code, place(i))) for i in range(ITEMS)]
            same = all(len(set(values[w:w + WARP])) == 1 for w in range(0, ITEMS, WARP))
            if line not in divergent:
                self.assertTrue(same, f"`{kdsl}` differs within a warp")
                found += 1
            elif same and len(set(values)) > 1:
                missed += 1
        self.assertGreater(found, CONDITIONS // 10)
        self.assertLess(missed, found // 2, f"{missed} of {found + missed}")

    def test_position_in_the_domain(self):
        self.compare("kernel k(x: &mut [f32; n]) over i in n", ["i"], lambda i: {"i": i})

    def test_position_in_the_group(self):
        self.compare(f"kernel k(x: &mut [f32; n]) over i in n by {GROUP}", ["i", "i.local", "i.group"],
                     lambda i: {"i": i, "i_local": i % GROUP, "i_group": i // GROUP})


if __name__ == "__main__":
    unittest.main()
