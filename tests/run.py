#!/usr/bin/env python3
"""Run tests: tests/run.py --kdslc build/bin/kdslc [--bless] [--quick | --exhaustive] FILE.kdsl...

The folder determines what is tested; comments in the file, and files beside it, contain the expected results.

tests/lex      FILE.tokens is what --emit=tokens prints
tests/parse    FILE.ast is what --emit=ast prints; that text parses again, to the same text
tests/mistakes what beginners write: test_mistakes.py, with the marks of tests/sema
tests/sema     `kdslc check` reports exactly the marked diagnostics (none marked: none)
tests/passes   FILE.ll: LLVM IR for one pass of irgen/pass.def, then FileCheck's ; CHECK: lines on the result:
               ; RUN-PASS: lower-masks --march=x86-64-v3       (several: separate runs on the same file)
               ; error: TEXT      the pass ends with this message instead
tests/irgen    // RUN-EMIT: device-llvm -O2     then FileCheck's // CHECK: lines
tests/run, examples, anything else: the program is compiled at -O2, -O0 and -O3 and run, each with offloading on and off
               (tests/vector: also with other vector widths, and without vectors). The first of these runs is in the quick
               part of the suite, the others in the exhaustive part; comments are
               // expect: LINE           standard output, line by line (or FILE.expected)
               // expect-stderr: TEXT    a part of standard error, on one line without the lines of the source, as in
               //                        error: MESSAGE --> FILE:3:5 = note: work item i = 3 of kernel `k`
               // expect-exit: 3         exit code (default 0)
               // args: a b              arguments of the program
               // stdin: LINE            standard input, line by line
               // flags: -g              options of kdslc
               // env: NAME=VALUE        environment of the program, which then runs once
               // quick: all             all levels and widths are in the quick part
               // moves: to a 4000       a transfer between host and device, in order: direction, name, bytes
               // moves: from b 4000     (then KDSL_POISON=1 is tested, too); `// moves: nothing`: no transfers.
                                         Results of reductions and the error slot are ignored unless listed

Diagnostics are marked where they are reported, in every folder:
    x[i] = 1;      // error[E0401]             on this line; a comment may contain several
    x[i] = 1;      // error[E0401]@5           column 5
    x[i] = 1;      // error[E0401]@5: `x` is ... replace `&`     and its message and notes contain these texts, in order
    // next: error[E0102]@9                    on the next line, if that cannot have a comment
    // expect-message: TEXT                    a part of kdslc's messages
    // explain: bounds [FLAGS]                 FILE.bounds, in the same folder, is what --explain=bounds prints (without
                                               ptxas)
Files with error markers are only checked, not run. --bless rewrites .tokens, .ast and .expected."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import parts

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"\b(error|warning)\[([EW]\d{4})\](?:@(\d+))?")
PINNED = re.compile(r"\b(?:error|warning)\[(?P<code>[EW]\d{4})\]@(?P<col>\d+): "
                    r"(?P<text>.*?)(?=$|\s(?:error|warning)\[[EW]\d{4}\]@)")
SAID = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<col>\d+): (?P<severity>error|warning)\[(?P<code>[EW]\d{4})\]")
SNIPPET = re.compile(r" *\d+ \| ")
COPIED = re.compile(r"^omptarget .*: Copying data from (?P<source>host|device) to .*"
                    r"Size=(?P<bytes>\d+), Name=(?P<name>[^\[\n]*).*$\n?", re.MULTILINE)
NO_ARRAYS = ("result", "checks")  # mapped by the compiler, not part of the transfer plan
EXCERPT = re.compile(r"^ *\d+ \| .*\n *\| .*\n?", re.MULTILINE)  # a line of the source, and what marks it
TIMEOUT_S = 300


class Failed(Exception):
    pass


def widths():
    """Flags that make code of every width of vectors that this machine runs, from 16 bytes to 64, narrowest first. Code
    for the machine itself has the last one."""
    flags = set(Path("/proc/cpuinfo").read_text().split())
    levels = {"x86-64-v2": set(), "x86-64-v3": {"avx2", "fma", "bmi2", "f16c"},
              "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}
    return [f"--march={level}" for level, needs in levels.items() if needs <= flags]


def copies(err):
    """What LIBOMPTARGET_INFO=32 tells of copies: ("to" or "from", name, bytes) of each, in order."""
    return [("to" if m["source"] == "host" else "from", m["name"], int(m["bytes"])) for m in COPIED.finditer(err)]


def run(command, cwd=ROOT, env=None, stdin=""):
    full = dict(os.environ, KMP_BLOCKTIME="0", **(env or {}))  # waiting threads leave the cores to other tests
    for name in ("LIBOMPTARGET_INFO", "LIBOMPTARGET_DEBUG"):
        if name not in (env or {}):
            full.pop(name, None)
    try:
        done = subprocess.run(command, cwd=cwd, env=full, input=stdin.encode(), capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise Failed(f"{show(command)}\ndid not end within {TIMEOUT_S} s")
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def on_one_line(err):
    """Standard error without lines of the source, and without the folders of its places."""
    return re.sub(r"--> \S*/", "--> ", " ".join(EXCERPT.sub("", err).split()))


def failures(err):
    """What standard error says of failures at run time, one by one: `FILE:3:5: MESSAGE`."""
    told = [on_one_line(text) for text in re.split(r"^error: ", err, flags=re.MULTILINE)[1:]]
    return [re.sub(r"^(.*) --> (\S+).*$", r"\2: \1", text) for text in told]


def says(text, err):
    return " ".join(text.split()) in on_one_line(err)


def show(command):
    return "$ " + " ".join(str(word) for word in command)


def compare(what, want, got):
    if want == got:
        return
    import difflib
    diff = difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", lineterm="")
    raise Failed(f"{what} differs\n" + "\n".join(diff))


class Test:
    def __init__(self, path, kdslc, bless):
        self.path = path
        self.name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
        self.kdslc = kdslc
        self.bless = bless
        self.text = path.read_bytes().decode(errors="replace")
        self.lines = self.text.split("\n")

    def notes(self, key):
        """The values of `// key: value` comments, in order; of `; key: value` in LLVM IR."""
        begin = ";" if self.path.suffix == ".ll" else "//"
        found = (re.search(rf"{begin}\s*{re.escape(key)}:(?: (.*))?$", line.rstrip("\r")) for line in self.lines)
        return [match.group(1) or "" for match in found if match]

    def note(self, key, default=None):
        values = self.notes(key)
        return values[0] if values else default

    def markers(self):
        """(line, code, column or None) of every marked diagnostic."""
        wanted = []
        for number, line in enumerate(self.lines, 1):
            comment = line.partition("//")[2]
            shift = 1 if comment.strip().startswith("next:") else 0
            for match in MARK.finditer(comment):
                column = int(match.group(3)) if match.group(3) else None
                wanted.append((number + shift, match.group(2), column))
        return wanted

    def check_texts(self, err):
        """`// error[E0401]@5: one text ... another`: in the message or what follows it, up to the next diagnostic."""
        blocks = {}
        for line in err.splitlines():
            match = SAID.match(line)
            if match:
                block = blocks.setdefault((int(match["line"]), match["code"], int(match["col"])), [])
            if blocks and not SNIPPET.match(line):  # the source line itself has the marker
                block.append(line)
        for number, line in enumerate(self.lines, 1):
            comment = line.partition("//")[2]
            shift = 1 if comment.strip().startswith("next:") else 0
            for match in PINNED.finditer(comment):
                at = (number + shift, match["code"], int(match["col"]))
                said = "\n".join(blocks.get(at, []))
                place = 0
                for text in match["text"].strip().split(" ... "):
                    place = said.find(text, place)
                    if place < 0:
                        raise Failed(f"{self.name}:{at[0]}: no `{text}` in\n{said}")

    def emit(self, what, *flags, path=None, stdin=""):
        command = [self.kdslc, f"--emit={what}", *flags, path or self.name]
        code, out, err = run(command, stdin=stdin)
        if code != 0:
            raise Failed(f"{show(command)}\nexit code {code}\n{err}")
        return out

    def check_markers(self):
        command = [self.kdslc, "check", "--color=never", self.name]
        code, out, err = run(command)
        said = [match for match in map(SAID.match, err.splitlines()) if match]
        got = sorted((int(m["line"]), m["code"], int(m["col"])) for m in said)
        wanted = sorted(self.markers(), key=lambda w: (w[0], w[1], w[2] or 0))
        columns = {(line, code) for line, code, column in wanted if column}
        plain = [(line, code, column if (line, code) in columns else None) for line, code, column in got]
        if sorted(map(str, plain)) != sorted(map(str, wanted)):
            raise Failed(f"{show(command)}\nmarked:   {wanted}\nreported: {got}\n{err}")
        self.check_texts(err)
        expected_code = 1 if any(m["severity"] == "error" for m in said) else 0
        if code != expected_code:
            raise Failed(f"{show(command)}\nexit code {code}, expected {expected_code}\n{err}")
        if out:
            raise Failed(f"{show(command)}\nprinted on standard output:\n{out}")
        for text in self.notes("expect-message"):
            if text not in err:
                raise Failed(f"{show(command)}\nno `{text}` in the messages:\n{err}")

    def explain(self):
        for what, *flags in (note.split() for note in self.notes("explain")):
            command = [self.kdslc, f"--explain={what}", *flags, self.name]
            code, out, err = run(command, env={"KDSL_PTXAS": ""})
            if code != 0:
                raise Failed(f"{show(command)}\nexit code {code}\n{err}")
            self.golden(f".{what}", out)

    def golden(self, suffix, got):
        path = self.path.with_suffix(suffix)
        if self.bless:
            path.write_text(got)
        elif not path.exists():
            raise Failed(f"{path.name} is missing; --bless makes it")
        else:
            compare(path.name, path.read_text(), got)

    def lex(self):
        if self.markers():
            self.check_markers()
        else:
            self.golden(".tokens", self.emit("tokens"))

    def parse(self):
        if self.markers():
            self.check_markers()
            return
        dump = self.emit("ast")
        self.golden(".ast", dump)
        compare("the dump of the dump", dump, self.emit("ast", path="-", stdin=dump))

    def irgen(self):
        requests = self.notes("RUN-EMIT")
        if not requests:
            raise Failed("no `// RUN-EMIT:` line")
        for request in requests:
            what, *flags = request.split()
            self.filecheck(self.emit(what, *flags), f"--emit={request}")

    def filecheck(self, text, what):
        code, out, err = run([os.environ.get("KDSL_FILECHECK", "FileCheck-22"), self.name], stdin=text)
        if code != 0:
            raise Failed(f"{what}: {err}")

    def passes(self):
        requests = self.notes("RUN-PASS")
        if not requests:
            raise Failed("no `; RUN-PASS:` line")
        for request in requests:
            name, *flags = request.split()
            command = [self.kdslc, f"--run-pass={name}", "--color=never", *flags, self.name]
            code, out, err = run(command)
            errors = self.notes("error")
            if (code != 0) != bool(errors) or any(text not in err for text in errors):
                raise Failed(f"{show(command)}\nexit code {code}\n{err}")
            if "CHECK" in self.text:
                self.filecheck(out, show(command))

    def expected_output(self):
        beside = self.path.with_suffix(".expected")
        if self.notes("expect"):
            return "".join(line + "\n" for line in self.notes("expect"))
        return beside.read_text() if beside.exists() else None

    def levels(self):
        """The flags to compile with, one set after the other."""
        if self.path.parent.name == "vector":
            off = ["-O2 --vector=off"] if "--vector=" in run([self.kdslc, "--help"])[1] else []
            always = "-O2 --vector=always" if off else "-O2"
            return [always, "-O0", "-O3", *(f"{always} {width}" for width in widths()[:-1]), *off]
        return ["-O2", "-O0", "-O3"]

    def programs(self):
        """Compile at several levels of the optimiser and run each with the device and with the host fallback."""
        flags = (self.note("flags") or "").split()
        set_env = dict(pair.split("=", 1) for pair in self.notes("env"))
        worlds = [set_env] if set_env else [{}, {"OMP_TARGET_OFFLOAD": "disabled"}]
        if self.notes("moves") and not set_env:
            worlds = [{"KDSL_MEMORY": "separate", "LIBOMPTARGET_INFO": "32"}, {"KDSL_POISON": "1"}, *worlds]
        first = self.levels()[0]
        is_quick = (lambda level: True) if self.note("quick") == "all" else (lambda level: level == first)
        for level in parts.chosen(self.levels(), is_quick):
            with tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / self.path.stem
                command = [self.kdslc, *level.split(), "--color=never", *flags, self.name, "-o", program]
                code, out, err = run(command)
                if code != 0 or out:
                    raise Failed(f"{show(command)}\nexit code {code}\n{out}{err}")
                for env in worlds:  # at -O3 the CPU device has its own memory, at other levels it works in place
                    self.run_program(program, level, {"KDSL_MEMORY": "separate", **env} if level == "-O3" else env)

    def check_moves(self, where, err):
        """The copies that libomptarget tells of; gives back what else was said."""
        wanted = [line for line in self.notes("moves") if line != "nothing"]
        left_out = [name for name in NO_ARRAYS if not any(line.split()[1] == name for line in wanted)]
        got = [f"{way} {name} {n_bytes}" for way, name, n_bytes in copies(err) if name not in left_out]
        compare(f"{where}: what is copied", "\n".join(wanted), "\n".join(got))
        return COPIED.sub("", err)

    def run_program(self, program, level, env):
        with tempfile.TemporaryDirectory() as folder:
            stdin = "".join(line + "\n" for line in self.notes("stdin"))
            program = [program, *(self.note("args") or "").split()]
            code, out, err = run(program, cwd=folder, env={"MALLOC_PERTURB_": "165", **env}, stdin=stdin)  # not zero, nor freed
        where = f"{self.name} at {level} {' '.join(f'{k}={v}' for k, v in env.items())}"
        wanted_code = int(self.note("expect-exit", "0"))
        if env.get("LIBOMPTARGET_INFO") == "32":
            err = self.check_moves(where, err)
        if code != wanted_code:
            raise Failed(f"{where}: exit code {code}, expected {wanted_code}\n{out}{err}")
        for text in self.notes("expect-stderr"):
            if not says(text, err):
                raise Failed(f"{where}: no `{text}` in standard error:\n{err}")
        wanted = self.expected_output()
        if self.bless and not self.notes("expect") and wanted != out:
            self.path.with_suffix(".expected").write_text(out)
        elif wanted is None:
            raise Failed("nothing says what it prints: `// expect:` lines or a .expected file")
        else:
            compare(f"{where}: standard output", wanted, out)
        if not self.notes("expect-stderr") and err:
            raise Failed(f"{where}: unexpected standard error:\n{err}")

    def run(self):
        names = Path(self.name).parts
        folder = names[1] if names[0] == "tests" else names[0]
        if parts.PART == "exhaustive":
            self.programs()
        elif folder in ("lex", "parse", "irgen", "passes"):
            getattr(self, folder)()
        elif folder in ("mistakes", "sema", "stdlib") or any(code.startswith("E") for _, code, _ in self.markers()):
            self.check_markers()
            self.explain()
        else:
            self.check_markers()  # warnings too: exactly the marked ones
            self.explain()
            self.programs()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", default=ROOT / "build/bin/kdslc", type=Path)
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("tests", nargs="+", type=Path)
    options = parser.parse_args()
    failed = 0
    for path in options.tests:
        try:
            Test(path.resolve(), options.kdslc.resolve(), options.bless).run()
        except Failed as why:
            failed += 1
            print(f"FAILED {path}\n{why}\n")
    print(f"{len(options.tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
