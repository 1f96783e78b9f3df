#!/usr/bin/env python3
"""What a kernel learns from its launches (sema/launched.c) against execution: tests/sema/test_launched.py KDSLC

Random host programs launch a kernel in loops that count, halve and leave, with parameters that are sums, quotients and
remainders. The compiler says whether the kernel keeps a bounds check. The program is then executed on its tree: an
index that is out of bounds there may not have been proven inside. So that a lost proof is noticed, a part of the
programs must be free of checks, and a part must fail."""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

QUICK, ALL = 60, 1200
INDICES = ("k", "k + 1", "k - 1", "i", "i + k", "n - 1 - k", "k / 2", "j", "j - k", "m", "k - j", "i + j")


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def value(self, names):
        r = self.rng
        more = r.choice(("", "", "", " + 1", " - 1", " * 2", " / 2", " % 4"))
        return r.choice([*names, str(r.randint(-1, 9))]) + more

    def launch(self, names):
        return f"s += offload f(&x, &y, {self.value(names)}, i32({self.value(names)}));"

    def block(self, names, depth):
        r, v = self.rng, f"v{depth}"
        inner = self.launch([*names, v]) if depth >= 2 or r.random() < .6 else self.block([*names, v], depth + 1)
        if r.random() < .3:
            compare = f"{self.value([*names, v])} {r.choice(('<', '<=', '!=', '>'))} {self.value([*names, 'n'])}"
            inner = f"if {compare} {{ {inner} }}"
        size = r.choice(("n", "m"))
        return r.choice((
            f"for {v} in {r.choice(('0', '1', self.value(names)))} .. {r.choice([*names, size])} {{ {inner} }}",
            f"for {v} in {r.choice(('0', self.value(names)))} .. {size} {{ {inner} }}",
            f"for {v} in {size} .. 0 step -1 {{ {inner} }}",
            f"var {v}: index = {self.value(names)};\n"
            f"    while {v} < {size} {{ {inner} {v} += {r.choice((1, 2))}; if {v} > 20 {{ break; }} }}",
            f"var {v}: index = {self.value(names)};\n    while {v} > 0 {{ {inner} {v} = {v} / 2; }}",
            f"var {v}: index = {self.value(names)};\n    bump(&mut {v});\n    {inner}"))

    def program(self):
        r = self.rng
        n, m = r.randint(2, 9), r.randint(1, 9)
        access = f"return x[{r.choice(INDICES)}] + x[{r.choice(INDICES)}];"
        if r.random() < .3:
            access = f"if {r.choice(('k > 0', 'j < n', 'k < j', 'i > k'))} {{ {access} }} return 0.0;"
        domain = r.choice(("n", "k .. n", "0 .. k", "m"))
        text = f"kernel f(x: &[f64; n], y: &[f64; m], k: index, j: i32) over i in {domain} -> sum f64 {{ {access} }}\n"
        text += "fn bump(v: &mut index) { v += 1; }\n"
        body = "\n    ".join(f"if n > 0 {{ {self.block(['n', 'm'], 0)} }}" for _ in range(r.choice((1, 1, 2))))
        if r.random() < .5:
            known = "assert n >= m;\n    " if r.random() < .3 else ""
            text += "fn go(x: &[f64; n], y: &[f64; m]) {\n    var s = 0.0;\n"
            text += f"    {known}{body}\n    print(\"{{}}\", s);\n}}\n"
            return text + f"fn main() {{ let x = [1.0; {n}]; let y = [1.0; {m}]; go(&x, &y); }}\n"
        arrays = "let x = [1.0; n]; let y = [1.0; m]; var s = 0.0;"
        return text + f"fn main() {{\n    let n: index = {n}; let m: index = {m}; {arrays}\n    {body}\n    print(\"{{}}\", s);\n}}\n"


def run(kdslc, *args):
    return subprocess.run([kdslc, *args], capture_output=True, text=True, timeout=60)


def main():
    kdslc = sys.argv[1]
    jobs = parts.first(range(ALL), QUICK)
    free = failed = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "launches.kdsl"))
        for seed in jobs:
            text = Writer(seed).program()
            Path(file).write_text(text)
            said = run(kdslc, "--explain=bounds", file)
            done = run(kdslc, "interpret", file)
            is_free, fails = "none left" in said.stdout, "out of bounds" in done.stderr
            free += is_free and not fails
            failed += fails
            if said.returncode or done.returncode not in (0, 3) or "proven" in done.stderr or (is_free and fails):
                wrong += 1
                print(f"seed {seed}:\n{text}{said.stdout}{said.stderr}{done.stderr}")
    print(f"{len(jobs)} programs: {free} without checks, {failed} fail in a check, {wrong} wrong")
    return 1 if wrong or free < len(jobs) // 20 or failed < len(jobs) // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
