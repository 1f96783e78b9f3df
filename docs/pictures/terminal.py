"""Pictures of terminals: a program runs in a tmux pane, keys are sent to it, and what the pane shows becomes a PNG, by way of
a page of HTML that Chromium draws. docs/pictures/terminals.py has the sessions. Needs tmux and chromium (Debian)."""
import html
import os
import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

BASIC = ["#1e222a", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
         "#5c6370", "#e88a92", "#b1d39b", "#edd29b", "#85c3f4", "#d59ae6", "#82cdd6", "#ffffff"]
FOREGROUND, BACKGROUND = "#d7dae0", "#1e222a"
PAGE = """<!doctype html><meta charset="utf-8"><style>
* {{ margin: 0; padding: 0 }}
body {{ background: {background}; width: {width}px; height: {height}px; overflow: hidden }}
pre {{ font: 15px/20px "DejaVu Sans Mono", "Liberation Mono", monospace; color: {foreground}; padding: 14px 16px }}
pre span {{ display: inline-block; height: 20px; vertical-align: top; white-space: pre }}
pre b {{ display: inline-block; width: 1ch; font-weight: inherit; text-align: center }}
</style><pre>{text}</pre>
"""
CELL, LINE = 9.03, 20  # of the font, in pixels


class Terminal:
    """A pane of `columns` by `rows` in a tmux server of its own."""

    def __init__(self, command, columns=100, rows=30, folder=None, **env):
        self.columns, self.rows = columns, rows
        self.socket = tempfile.mkdtemp(prefix="terminal") + "/tmux"
        settings = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
        words = " ".join(["env", "TERM=screen-256color", *settings, *map(shlex.quote, map(str, command))])
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder or os.getcwd()),
                  words, ";", "set", "-g", "status", "off", ";", "set", "-sg", "escape-time", "0")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout

    def keys(self, *names):
        """Keys by tmux's names: "Enter", "Escape", "C-d"; other words are typed."""
        for name in names:
            self.tmux("send-keys", name)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def shown(self):
        return self.tmux("capture-pane", "-p")

    def wait_until(self, holds, text, seconds):
        end = time.monotonic() + seconds
        while not holds(self.shown()):
            if time.monotonic() > end:
                raise TimeoutError(f"{text!r} did not appear:\n{self.shown()}")
            time.sleep(0.1)

    def wait(self, text, seconds=60):
        self.wait_until(lambda shown: text in shown, text, seconds)

    def wait_for_end(self, text, seconds=60):
        """Waits until this is the last thing on the screen; blanks at its end do not count."""
        time.sleep(0.5)  # for what has been typed
        self.wait_until(lambda shown: ("\n" + shown).rstrip().endswith(text), text, seconds)

    def picture(self, path):
        self.wait_until_quiet()
        draw(self.tmux("capture-pane", "-e", "-p"), self.columns, self.rows, path)

    def wait_until_quiet(self):
        before = None
        while before != (before := self.shown()):
            time.sleep(0.5)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


def colour(number):
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[number // n % 6]:02x}" for n in (36, 6, 1))


def extended(codes):
    """The colour of 38 and 48, whose parameters follow."""
    if codes.pop(0) == 5:
        return colour(codes.pop(0))
    return "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))


def applied(style, codes):
    """The style after the parameters of an escape sequence."""
    style = dict(style)
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code in (38, 48):
            style["color" if code == 38 else "background"] = extended(codes)
        elif code in (39, 49):
            style.pop("color" if code == 39 else "background", None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["color"] = colour(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["background"] = colour(code - 40 if code < 100 else code - 92)
        elif code in (1, 3, 4, 7):
            style[code] = True
        elif code in (22, 23, 24, 27):
            style.pop({22: 1, 23: 3, 24: 4, 27: 7}[code], None)
    return style


def css(style):
    fore, back = style.get("color", FOREGROUND), style.get("background", BACKGROUND)
    if 7 in style:
        fore, back = back, fore
    rules = [f"color:{fore}"]
    rules += [f"background:{back}"] if back != BACKGROUND else []
    rules += ["font-weight:bold"] if 1 in style else []
    rules += ["font-style:italic"] if 3 in style else []
    rules += ["text-decoration:underline"] if 4 in style else []
    return ";".join(rules)


def cells(line):
    """Escaped text. Dots of braille come from another font, which may be wider."""
    return re.sub("[\u2800-\u28ff]", r"<b>\g<0></b>", html.escape(line))


def spans(text):
    """Text with escape sequences as HTML."""
    out, style = [], {}
    for part in re.split(r"(\x1b\[[\d;:]*m|\x1b\([B0]|[\x0e\x0f])", text):
        found = re.fullmatch(r"\x1b\[([\d;:]*)m", part)
        if found:
            style = applied(style, [int(code or 0) for code in re.split("[;:]", found[1])])
        elif part and part[0] not in "\x1b\x0e\x0f":
            lines = [f'<span style="{css(style)}">{cells(line)}</span>' if line else "" for line in part.split("\n")]
            out.append("\n".join(lines))
    return "".join(out)


def draw(text, columns, rows, path):
    width, height = int(columns * CELL + 32), rows * LINE + 28
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(PAGE.format(width=width, height=height, foreground=FOREGROUND, background=BACKGROUND,
                                    text=spans(text.rstrip("\n"))))
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                        "--disable-background-networking", "--disable-component-update", "--disable-sync",
                        "--hide-scrollbars", f"--user-data-dir={folder}/profile", f"--window-size={width},{height}",
                        f"--screenshot={Path(path).resolve()}", page.as_uri()], check=True, capture_output=True, timeout=300)
