"""A session on a pseudo-terminal, and what a person would see of it: pyte plays the terminal."""
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

try:
    import pyte
except ImportError:  # Debian's package belongs to Debian's own Python
    sys.path.append(os.environ.get("KDSL_PYTE", "/usr/lib/python3/dist-packages"))
    import pyte

PROMPT = "kdsl> "
TIMEOUT_S = 30


class Screen(pyte.Screen):
    """One that keeps the lines that leave it at the top."""

    def __init__(self, columns, rows):
        super().__init__(columns, rows)
        self.above = []

    def text(self, row):
        return "".join(self.buffer[row][x].data for x in range(self.columns)).rstrip()

    def index(self):
        if self.cursor.y == self.lines - 1:
            self.above.append(self.text(0))
        super().index()


class Terminal:
    """`send` keys, `wait` for the next prompt, look at `lines()`; `raw` is all that has come."""

    def __init__(self, command, env, cwd, columns=100, rows=50):
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(cwd)
            os.execve(command[0], command, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.ended = False

    def read(self, seconds):
        """What comes within this time; False when nothing does."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError as e:
            if e.errno != errno.EIO:
                raise
            data = b""
        self.ended = not data
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def send(self, keys):
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)

    def lines(self):
        """All there is, from the first line on, without blanks at the ends."""
        shown = [self.screen.text(row) for row in range(self.screen.lines)]
        while shown and not shown[-1]:
            shown.pop()
        return self.screen.above + shown

    def at_prompt(self):
        line = self.screen.buffer[self.screen.cursor.y]
        return self.screen.cursor.x == len(PROMPT) and "".join(line[x].data for x in range(len(PROMPT))) == PROMPT

    def until(self, condition, what):
        end = time.monotonic() + TIMEOUT_S
        while not condition():
            if self.ended or time.monotonic() > end:
                raise AssertionError(f"waited for {what}:\n" + "\n".join(self.lines()[-30:]))
            self.read(0.05)

    def wait(self):
        self.until(self.at_prompt, "the prompt")

    def press(self, keys):
        """Keys after which a prompt is to come."""
        sent = len(self.raw)
        self.send(keys)
        self.until(lambda: b"\n" in self.raw[sent:] and self.at_prompt(), f"the prompt after {keys!r}")

    def run(self, text):
        """One input, typed with Enter behind it; the lines below its first."""
        before = len(self.lines())
        self.press(text + "\r")
        return self.lines()[before:-1]

    def close(self):
        """The exit status; the session is asked to leave by the end of its input."""
        if not self.ended:
            self.send("\x03\x04")
        end = time.monotonic() + TIMEOUT_S
        while not self.ended and time.monotonic() < end:
            self.read(0.05)
        if not self.ended:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
