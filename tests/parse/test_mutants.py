#!/usr/bin/env python3
"""A correct program with one wrong token has no error of types: where there is a syntax error, the declarations without
any are checked in the same run (sema/holes.c), and what follows from the syntax error must not be reported. Of the
programs of examples/, tests/run and tests/vector, random ones are changed: a token is dropped, doubled, replaced or
followed by another one. A name that is gone from the whole text cannot be guessed, so 5 of 1,000 may fail. Usage:
test_mutants.py KDSLC"""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv[1]).resolve()
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|//[^\n]*|\s+|[^\w\s]')
OTHERS = ["(", ")", "{", "}", "[", "]", ";", ",", "=", "fn", "let", "+", "x"]
QUICK, ALL, LARGEST = 250, 4000, 6000


def programs():
    for folder in "examples", "tests/run", "tests/vector":
        for path in sorted((ROOT / folder).glob("*.kdsl")):
            text = path.read_text(errors="replace")
            local = re.search(r"^import (?!algo|image|math|mpi|npy|random|text|time)", text, flags=re.M)
            if len(text) < LARGEST and not local and not re.search(r"(error|warning)\[", text):
                yield path.name, text


def mutant(text, chance):
    tokens = TOKEN.findall(text)
    places = [k for k, token in enumerate(tokens) if not token.isspace() and not token.startswith("//")]
    k = chance.choice(places)
    old = tokens[k]
    tokens[k] = chance.choice(["", f"{old} {old}", tokens[chance.choice(places)], f"{old} {chance.choice(OTHERS)}",
                               chance.choice(OTHERS)])
    return "".join(tokens), f"`{old}` became `{tokens[k]}`"


def main():
    all_programs = list(programs())
    wrong, n = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in parts.first(range(ALL), QUICK):
            chance = random.Random(seed)
            name, text = chance.choice(all_programs)
            text, what = mutant(text, chance)
            path = Path(folder) / "mutant.kdsl"
            path.write_text(text)
            done = subprocess.run([KDSLC, "check", "--color=never", path], capture_output=True, text=True,
                                  errors="replace")
            codes = re.findall(r"^\S+: error\[(E\d+)\]", done.stderr, flags=re.M)
            syntax = [code for code in codes if code < "E03"]
            n += bool(syntax)
            if done.returncode not in (0, 1):
                sys.exit(f"seed {seed}: exit code {done.returncode}: {name}, {what}\n{done.stderr}")
            if syntax and len(syntax) < len(codes):
                wrong.append(f"seed {seed}: {name}, {what}: {' '.join(codes)}")
    print("\n".join(wrong))
    print(f"{n} with syntax errors, {len(wrong)} with errors that follow")
    if n < 0.5 * QUICK or len(wrong) > max(2, n * 5 // 1000):
        sys.exit(1)


main()
