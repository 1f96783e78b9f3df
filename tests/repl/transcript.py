"""Sessions as text: what a person would see, `kdsl> ` before each input, `    > ` before its further lines, the answer below.
They are played on a pseudo-terminal and through a pipe, and must give what they say."""
import difflib
import os
import re
import subprocess

from terminal import Terminal

PROMPT, MORE = "kdsl> ", "    > "
COLUMNS, ROWS = 130, 30
NOISE = [  # what differs from run to run and from machine to machine
    (re.compile(r"\b\d+(\.\d+)? (s|ms|µs|ns)\b"), "T"),
    (re.compile(r"\bx86-64 \(device \d+\)|\bthe host\b"), "DEVICE"),
    (re.compile(r"; \d+ runs"), "; N runs"),
]


def parse(text):
    """[(input, answer lines)]"""
    found = []
    for line in text.splitlines():
        if line.startswith(PROMPT):
            found.append([line[len(PROMPT):], []])
        elif line.startswith(MORE) and found and not found[-1][1]:
            found[-1][0] += "\n" + line[len(MORE):]
        elif found:
            found[-1][1].append(line)
    return [(given, answer) for given, answer in found]


def spell(given, answer):
    return [PROMPT + given.replace("\n", "\n" + MORE), *answer]


def settled(line):
    for pattern, word in NOISE:
        line = pattern.sub(word, line)
    return line.rstrip()


def environment(folder, **more):
    """A session's own world: no history, no settings of whoever runs the tests."""
    keep = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    return {**keep, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "COLORTERM": "truecolor", "KDSL_GRAPHICS": "cells", "COLUMNS": str(COLUMNS), "KMP_BLOCKTIME": "0", **more}


def start(kdslc, folder, *arguments, columns=COLUMNS, rows=ROWS, **more):
    terminal = Terminal([str(kdslc), "repl", *arguments], environment(folder, **more), folder, columns, rows)
    terminal.wait()
    return terminal


def type_in(terminal, given):
    """An input of several lines is pasted, as a person would; the answer below it, which begins below the rows it takes."""
    rows = sum(-(-(len(PROMPT + line) + 1) // terminal.screen.columns) for line in given.split("\n"))
    keys = f"\033[200~{given}\033[201~" if "\n" in given else given
    return terminal.run(keys)[rows - 1:]


def play(kdslc, folder, session, columns=COLUMNS):
    """On a terminal: [(input, answer)] as it went, and the exit status."""
    terminal = start(kdslc, folder, columns=columns)
    found = [(given, type_in(terminal, given)) for given, _ in session]
    return found, terminal.close()


def pipe(kdslc, folder, session):
    """Through a pipe: all that comes out, both streams as one."""
    text = "".join(given + "\n" for given, _ in session)
    done = subprocess.run([kdslc, "repl"], cwd=folder, env=environment(folder), input=text.encode(),
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    return done.stdout.decode().splitlines(), done.returncode


def difference(want, got):
    """Of two lists of lines, as a text; empty: there is none."""
    want, got = [settled(line) for line in want], [settled(line) for line in got]
    return "\n".join(difflib.unified_diff(want, got, "expected", "got", lineterm=""))
