#!/usr/bin/env python3
"""How long a person waits for `kdslc repl`, measured as they see it: through a pseudo-terminal, from the key to the text.

    bench/repl/latency.py [--kdslc PATH] [--samples N] [--check]

  start     from the start of the process to the prompt
  1 + 1     from Enter to the result
  kernel    from Enter after a launch of a kernel that has just been declared to the next prompt: it is compiled, its image
            registered, and it runs; `declared` is the declaration before it

--check: exit with 1 where a median is above the target.
"""
import argparse
import os
import pty
import re
import select
import signal
import statistics
import sys
import tempfile
import time

TARGETS = {"start": 150, "1 + 1": 15, "kernel": 60}
PROMPT = "kdsl> "
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>()][A-Z0-9]?|\r")


class Terminal:
    def __init__(self, kdslc, home):
        self.text, self.start = "", time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", HOME=home, XDG_STATE_HOME=home, COLUMNS="100", LINES="40")
            os.execv(kdslc, [kdslc, "repl"])

    def wait_for(self, done, seconds=20):
        """Until `done` holds for what is on the screen; the time when it did."""
        end = time.monotonic() + seconds
        while not done(CONTROL.sub("", self.text)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise SystemExit(f"nothing came any more; the screen ends in {self.text[-300:]!r}")
            self.text += os.read(self.fd, 1 << 16).decode("utf-8", "replace")
        return time.perf_counter()

    def prompt(self):
        return self.wait_for(lambda text: text.endswith(PROMPT))

    def type(self, line):
        """Key by key as far as the screen is concerned: it is there before Enter is pressed."""
        os.write(self.fd, line.encode())
        self.wait_for(lambda text: line in text.replace("\n", ""))
        time.sleep(0.02)

    def enter(self, line):
        """Seconds from Enter to the next prompt, and what came in between."""
        self.type(line)
        self.text = ""
        start = time.perf_counter()
        os.write(self.fd, b"\r")
        end = self.wait_for(lambda text: text.endswith(PROMPT) and "\n" in text)
        return end - start, CONTROL.sub("", self.text)

    def leave(self):
        os.write(self.fd, b"\x04")
        try:
            while os.read(self.fd, 1 << 16):
                pass
        except OSError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def session(kdslc, home, n):
    times = {"start": [], "1 + 1": [], "declared": [], "kernel": []}
    for _ in range(n):
        t = Terminal(kdslc, home)
        times["start"].append(t.prompt() - t.start)
        t.leave()
    t = Terminal(kdslc, home)
    t.prompt()
    for _ in range(n):
        seconds, text = t.enter("1 + 1")
        if "2 : i32" not in text:
            raise SystemExit(f"1 + 1 gave {text!r}")
        times["1 + 1"].append(seconds)
    t.enter("var v = [1.0f32; 100000];")
    for i in range(n):
        declared = f"kernel k{i}(v: &mut [f32; n]) over j in n {{ v[j] = v[j] * {i}.5 + 1.0; }}"
        times["declared"].append(t.enter(declared)[0])
        times["kernel"].append(t.enter(f"offload k{i}(&mut v);")[0])
    t.leave()
    return times


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kdslc", default=os.environ.get("KDSLC", "build/bin/kdslc"))
    options.add_argument("--samples", type=int, default=20)
    options.add_argument("--check", action="store_true")
    o = options.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as home:
        times = session(os.path.abspath(o.kdslc), home, o.samples)
    print(f"{'ms':<10}{'median':>8}{'least':>8}{'most':>8}{'target':>8}")
    for name, seconds in times.items():
        ms, target = [1e3 * s for s in seconds], TARGETS.get(name)
        median = statistics.median(ms)
        failed |= target is not None and median > target
        print(f"{name:<10}{median:>8.2f}{min(ms):>8.2f}{max(ms):>8.2f}{target if target else '':>8}")
    return o.check and failed


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.exit(main())
