"""Chromium without a window, driven by the DevTools protocol with real events of mouse and keyboard.

    with Browser(width, height, folder) as page:
        page.open("file:///tmp/page.html")
        page.value("document.title")           what an expression of JavaScript is
        page.move(x, y), page.click(x, y), page.key("ArrowDown")
        page.screenshot("page.png")

The protocol's messages go through a pipe, file descriptors 3 and 4 of the browser, each ended by a zero byte
(--remote-debugging-pipe): no port, and no library for web sockets."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--remote-debugging-pipe"]
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27, "Tab": 9, "Home": 36,
        "End": 35}
TEXTS = {"Enter": "\r"}
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


class Browser:
    def __init__(self, width, height, folder, options=()):
        profile = tempfile.mkdtemp(dir=folder)
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        self.log = open(Path(profile) / "log", "w+")

        def connect():  # the pipes may have the numbers that the browser wants
            given = os.dup(to_browser), os.dup(from_browser)
            os.dup2(given[0], 3)
            os.dup2(given[1], 4)

        self.process = subprocess.Popen(["chromium", *OPTIONS, *options, f"--window-size={width},{height}",
                                         f"--user-data-dir={profile}", "about:blank"],
                                        preexec_fn=connect, pass_fds=(3, 4), stdout=self.log, stderr=self.log)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.n, self.events, self.session = b"", 0, [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.errors = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.send("Browser.close")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write)
        os.close(self.read)
        self.log.close()

    # The protocol

    def send(self, method, **parameters):
        self.n += 1
        message = {"id": self.n, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        return self.n

    def receive(self, seconds=120):
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            ready = select.select([self.read], [], [], max(0, end - time.monotonic()))[0]
            more = os.read(self.read, 1 << 16) if ready else b""
            if not more:
                self.log.seek(0)
                raise RuntimeError(f"no answer from the browser:\n{self.log.read()[-2000:]}")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        n = self.send(method, **parameters)
        while True:
            message = self.receive()
            if message.get("id") == n:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    # The page

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            message = self.receive()
            if "method" in message:
                self.events.append(message)
        self.frame()

    def thrown(self):
        """Exceptions of the page's scripts since it was opened."""
        return [e["params"]["exceptionDetails"] for e in self.events if e["method"] == "Runtime.exceptionThrown"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def frame(self):
        """Waits until everything so far is on the screen, and scrolling has come to rest."""
        self.value("""new Promise((done) => {
            let last = "", same = 0;
            const look = () => {
                const now = JSON.stringify([scrollX, scrollY, ...[...document.querySelectorAll("*")]
                    .filter((e) => e.scrollTop || e.scrollLeft).map((e) => [e.scrollTop, e.scrollLeft])]);
                same = now === last ? same + 1 : 0;
                last = now;
                same > 3 ? done(true) : requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        })""")

    def media(self, **features):
        """media(prefers_color_scheme="dark"), or media(type="print")."""
        kind = features.pop("type", "")
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.frame()

    def box(self, element):
        """[x, y, width, height] on the screen of what an expression selects, scrolled into view."""
        scroll = f'{element}.scrollIntoView({{block: "nearest", inline: "nearest"}})'
        self.value(scroll)
        self.frame()  # another line comes beneath a mouse at rest, and the page shows what belongs to it
        return self.value(f"""(() => {{
            {scroll};
            const r = {element}.getBoundingClientRect();
            return [r.x, r.y, r.width, r.height];
        }})()""")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.frame()

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.frame()

    def wheel(self, x, y, down, right=0, modifiers=()):
        self.mouse("mouseWheel", x, y, deltaX=right, deltaY=down, modifiers=sum(MODIFIERS[m] for m in modifiers))
        self.frame()

    def drag(self, x, y, to_x, to_y, steps=5):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.frame()

    def key(self, name, modifiers=()):
        code = KEYS.get(name) or ord(name.upper())
        text = TEXTS.get(name) or (name if len(name) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name if len(name) > 1 else "",
                      windowsVirtualKeyCode=code, modifiers=sum(MODIFIERS[m] for m in modifiers), **more)
        self.frame()

    def screenshot(self, path):
        shot = self.call("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(shot["data"]))
