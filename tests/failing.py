#!/usr/bin/env python3
"""Mutation testing of run-time checks: for each index, slice, division, shift, step, assert and array argument of a program,
generates a mutant in which that operation fails for some of its values (`x[i]` becomes `x[(i) * 3 + 1]`). The mutant is
compiled and run, and interpreted (`kdslc interpret`): both must end in the same way, with the same message and output. So
a check that a wrong proof or optimisation has removed is detected, wherever a program has one.

    tests/failing.py KDSLC [--sample N --seed S] [--kinds REGEX] [--removals] [--limit SECONDS] [-O2 ...] FILE.kdsl...

--removals: if the message is about the mutated operation, the mutant is compiled once more without that check
(`--without=KEY`, tests/without.py), which must change its behaviour. Prints the differences, and the number of mutants of
each kind."""
import argparse
import collections
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CPU_S = 20  # seconds of CPU time: without its check a program may not terminate
UNSUPPORTED = 4  # exit code of the interpreter
TOKEN = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\d[\w.]*?(?=\.\.)|\d[\w.]*|[A-Za-z_]\w*|\.\.|<<=?|>>=?|&&|\|\||[-+*/%]=|\s+|.', re.S)
NOT_VALUES = {"in", "return", "if", "while", "for", "let", "var", "else", "over", "by", "step", "assert", "print",
              "shared", "const"}
OPEN, CLOSE = "([{", ")]}"


class Token:
    def __init__(self, text, at):
        self.text, self.at, self.end = text, at, at + len(text)


def tokens_of(text):
    found = (Token(match[0], match.start()) for match in TOKEN.finditer(text))
    return [t for t in found if not t.text.isspace() and not t.text.startswith("//")]


def is_value(token):
    """Can what ends with it be indexed, or divided?"""
    return token.text in ")]" or (re.match(r"[A-Za-z_]", token.text) and token.text not in NOT_VALUES)


def closing(tokens, i):
    """Of the bracket that token i opens."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += (tokens[k].text in OPEN) - (tokens[k].text in CLOSE)
        if depth == 0:
            return k
    return len(tokens) - 1


def parts(tokens, i, stop):
    """Between i and stop, split at the commas that are in no brackets: pairs of first and behind the last."""
    first, depth = i, 0
    for k in range(i, stop):
        depth += (tokens[k].text in OPEN) - (tokens[k].text in CLOSE)
        if depth == 0 and tokens[k].text == ",":
            yield first, k
            first = k + 1
    if first < stop:
        yield first, stop


def until(tokens, i, *texts):
    """The first of them that is in no brackets."""
    while i < len(tokens) and tokens[i].text not in texts:
        i = closing(tokens, i) + 1 if tokens[i].text in OPEN else i + 1
    return i


def operand(tokens, i):
    """Behind the unary expression that begins at i."""
    while tokens[i].text in "-!~":
        i += 1
    i = closing(tokens, i) + 1 if tokens[i].text in OPEN else i + 1
    while tokens[i].text in ".([":
        i = i + 2 if tokens[i].text == "." else closing(tokens, i) + 1
    return i


class Change:
    """One operation of the text, made to fail: `kind` as in the keys of `--without`, the place that messages name, edits."""

    def __init__(self, kind, at, *edits):
        self.kind, self.at, self.edits = kind, at, edits

    def applied(self, text):
        for begin, end, new in sorted(self.edits, reverse=True):
            text = text[:begin] + new.replace("$", text[begin:end]) + text[end:]
        return text

    def line(self, text):
        return text.count("\n", 0, self.at) + 1


def of_brackets(tokens, i):
    """x[i, j], x[a..b]: token i is the bracket."""
    stop = closing(tokens, i)
    for first, end in parts(tokens, i + 1, stop):
        dots = until(tokens[:end], first, "..")
        if dots == end:
            yield Change("index", tokens[first].at, (tokens[first].at, tokens[end - 1].end, "($) * 3 + 1"))
        elif dots > first:
            yield Change("slice", tokens[first].at, (tokens[first].at, tokens[dots - 1].end, "($) * 3 + 1"))
        if first <= dots < end - 1:
            yield Change("slice", tokens[first].at, (tokens[dots + 1].at, tokens[end - 1].end, "($) + 1"))


def of_argument(tokens, i):
    """&x, &mut f.u among arguments: the array without its first rows; token i is the `&`."""
    first = i + 1 + (tokens[i + 1].text in ("mut", "out"))
    end = operand(tokens, first)
    if re.match(r"[A-Za-z_]", tokens[first].text) and tokens[end - 1].text not in ")]" and tokens[end].text in ",)":
        for rank in range(3):
            yield Change("shape", tokens[i].at, (tokens[end - 1].end, tokens[end - 1].end,
                                                 "[1.." + ", .." * rank + "]"))


def changes(text):
    tokens = tokens_of(text)
    for i in range(1, len(tokens) - 1):
        word, before = tokens[i].text, tokens[i - 1]
        if word == "[" and is_value(before):
            yield from of_brackets(tokens, i)
        elif word in ("/", "%", "<<", ">>"):
            new = "(($) & 1)" if word in "/%" else "(($) * 5)"
            end = operand(tokens, i + 1)
            yield Change("divide" if word in "/%" else "shift", tokens[i].at,
                         (tokens[i + 1].at, tokens[end - 1].end, new))
        elif word in ("/=", "%=", "<<=", ">>="):
            end = until(tokens, i + 1, ";")
            new = "($) & 1" if word in ("/=", "%=") else "($) * 5"
            yield Change("divide" if word in ("/=", "%=") else "shift", tokens[i].at,
                         (tokens[i + 1].at, tokens[end - 1].end, new))
        elif word == "step":
            end = until(tokens, i + 1, "{", ",", "by", "]")
            yield Change("step", tokens[i].at, (tokens[i + 1].at, tokens[end - 1].end, "(($) & 1)"))
        elif word == "assert":
            end = until(tokens, i + 1, ",", ";")
            yield Change("assert", tokens[i].at, (tokens[i + 1].at, tokens[end - 1].end, "!($)"))
        elif word == "&" and before.text in "(,":
            yield from of_argument(tokens, i)


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def notes(text, name):
    return re.findall(rf"^\s*// {name}:[ ]?(.*)$", text, flags=re.M)


def close(a, b):
    """The same words, and numbers within what another order of a float sum makes of them."""
    number = r"-?\d+\.\d+(?:e[-+]\d+)?"
    if re.sub(number, "#", a) != re.sub(number, "#", b):
        return False
    pairs = zip(re.findall(number, a), re.findall(number, b))
    return all(abs(float(x) - float(y)) <= 1e-4 * max(1.0, abs(float(x))) for x, y in pairs)


class Ending:
    """How a program ended; an item's check may be that of any of those that fail, so numbers and items are left open."""

    def __init__(self, done):
        self.code = done.returncode
        err = done.stderr.decode(errors="replace")
        said = re.search(r"^error: ([^\n]*)\n --> \S*?([^\s/]+\.kdsl:\d+:\d+)$", err, flags=re.M)
        self.place = said[2] if said else ""
        self.words = re.sub(r"-?\d+(\.\d+)?", "#", said[1]) if said else err.strip()
        self.of_item = "note: work item" in err
        lines = done.stdout.decode(errors="replace").splitlines()
        self.out = [line for line in lines if not re.match(r"\[\w+ = -?\d+", line)]

    def is_timeout(self):
        return self.code in (-24, -9)

    def is_like(self, other):
        mine, its = "\n".join(self.out), "\n".join(other.out)
        return (self.code, self.place, self.words) == (other.code, other.place, other.words) and close(mine, its)

    def __str__(self):
        return f"exit code {self.code}, {self.place} {self.words}, {len(self.out)} lines"


class Source:
    def __init__(self, kdslc, path, options):
        self.kdslc, self.path = kdslc, path
        self.text = path.read_bytes().decode(errors="replace")
        self.flags = [flag for words in notes(self.text, "flags") for flag in words.split()]
        self.options = [*self.flags, *options]

    def is_one(self):
        """Does it run, by itself, the same way on the tree?"""
        asks = re.search(r"^(import (text|image|npy);|extern \"C\")|\"[\w/.]*/dev/", self.text, flags=re.M)
        return re.search(r"^fn main", self.text, flags=re.M) and not asks and not notes(self.text, "env") \
            and "--unchecked" not in self.flags and not re.search(r"\berror\[E", self.text)

    def changed(self, change, work):
        """The changed program, in a folder where its modules are."""
        for other in self.path.parent.iterdir():
            if other != self.path:
                (work / other.name).symlink_to(other)
        (work / self.path.name).write_text(change.applied(self.text))
        return self.path.name

    def compile(self, work, name, *more):
        return subprocess.run([self.kdslc, "--color=never", *self.options, *more, name, "-o", work / "program"],
                              cwd=work,
                              capture_output=True, text=True, errors="replace", timeout=300)

    def end(self, work, command):
        args = " ".join(notes(self.text, "args")).split()
        stdin = "".join(line + "\n" for line in notes(self.text, "stdin")).encode()
        env = {**os.environ, "KDSL_POISON": "1", "OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "0"}
        env.pop("KDSL_INTERPRET_SEED", None)
        return Ending(subprocess.run([*command, *args], cwd=work, env=env, input=stdin, capture_output=True,
                                     preexec_fn=limited))

    def removals(self, work, name, change, ran):
        """The checks of that kind at the place that the message names: those whose absence does not show."""
        place = ran.place.partition(":")[2]
        listed = self.compile(work, name, "--without=list").stderr
        keys = sorted(set(re.findall(rf"^({change.kind} \S+ {re.escape(name)}:{place}\.\d+)$", listed, flags=re.M)))
        silent = []
        for key in keys:
            (work / "program").unlink()
            if self.compile(work, name, f"--without={key}").returncode == 0:
                left = self.end(work, [work / "program"])
                if left.is_like(ran) and left.of_item == ran.of_item:
                    silent.append(key)
        # An operation may have several checks (for each axis, hoisted): removing the one that failed must show.
        return [] if not keys or len(silent) < len(keys) else silent

    def judge(self, change, removals):
        """(verdict, what is to be said of it)."""
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            name = self.changed(change, work)
            made = self.compile(work, name)
            if made.returncode:
                return ("refused", "") if "error[E" in made.stderr else ("differs", made.stderr[-300:])
            flags = [flag for flag in self.options if flag.startswith("--fp=")]
            tree = self.end(work, [self.kdslc, "interpret", "--color=never", *flags, name])
            if tree.code == UNSUPPORTED or tree.is_timeout():
                return "not judged", ""
            ran = self.end(work, [work / "program"])
            if not ran.is_like(tree):
                return "differs", f"compiled: {ran}; on the tree: {tree}"
            if ran.code != 3 or ran.place.split(":")[1:2] != [str(change.line(self.text))]:
                return "passes", ""
            silent = self.removals(work, name, change, ran) if removals else []
            return ("survives", ", ".join(silent)) if silent else ("fails", "")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kdslc")
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", default="")
    options.add_argument("--removals", action="store_true")
    options.add_argument("--limit", type=float, default=0)
    options, more = options.parse_known_args()
    start = time.monotonic()
    sources = [Source(str(Path(options.kdslc).resolve()), path.resolve(), more) for path in options.files]
    every = [(s, c) for s in sources if s.is_one() for c in changes(s.text) if re.match(options.kinds, c.kind)]
    if options.sample:
        every = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    score = collections.Counter()
    for source, change in every:
        if options.limit and time.monotonic() - start > options.limit:
            print("time is up")
            break
        verdict, why = source.judge(change, options.removals)
        score[change.kind, verdict] += 1
        if why:
            edits = " ".join(f"{source.text[b:e]!r} -> {new!r}" for b, e, new in change.edits)
            print(f"{verdict}: {source.path.parent.name}/{source.path.name}:{change.line(source.text)}: {change.kind} {edits}: {why}",
                  flush=True)
    verdicts = ("fails", "passes", "refused", "not judged", "differs", "survives")
    print(f"{'':8}" + "".join(f" {verdict:>10}" for verdict in verdicts))
    for kind in sorted({kind for kind, _ in score}):
        print(f"{kind:8}" + "".join(f" {score[kind, verdict]:10}" for verdict in verdicts))
    bad = sum(score[key] for key in score if key[1] in ("differs", "survives"))
    return 1 if bad or not score else 0


if __name__ == "__main__":
    sys.exit(main())
