"""A client of `kdslc lsp` for tests: sends messages, waits for answers, keeps the diagnostics of each document."""
import json
import os
import select
import subprocess
import time


class Client:
    def __init__(self, kdslc, encodings=("utf-16",), **env):
        self.process = subprocess.Popen([kdslc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **env})
        self.buffer, self.number, self.diagnostics, self.notes = b"", 0, {}, 0
        self.version, self.last = 0, None  # of texts; the last document that was opened, changed or closed
        self.server = self.ask("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities":
                                              {"general": {"positionEncodings": list(encodings)}}})
        self.tell("initialized", {})

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))

    def raw(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, timeout=30):
        """The next message; None: there is none in time, or no more."""
        end = time.monotonic() + timeout
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            n = int(head.split(b":")[1]) if found else 0
            if found and len(rest) >= n:
                self.buffer = rest[n:]
                message = json.loads(rest[:n])
                if message.get("method") == "textDocument/publishDiagnostics":
                    params = message["params"]
                    self.diagnostics[params["uri"]] = params["diagnostics"]
                    self.notes += (params["uri"], params.get("version")) == self.last
                return message
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                return None
            self.buffer += more

    def ask_all(self, method, params):
        """The answer, with `result` or `error`."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError(f"no answer to {method}: {self.process.stderr.read1().decode()}")
            if message.get("id") == self.number:
                return message

    def ask(self, method, params):
        return self.ask_all(method, params)["result"]

    def open(self, uri, text):
        self.version += 1
        self.last = (uri, self.version)
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "kdsl", "version": self.version,
                                                            "text": text}})
        return self.told()

    def change(self, uri, changes):
        self.version += 1
        self.last = (uri, self.version)
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version},
                                             "contentChanges": changes})
        return self.told()

    def shut(self, uri):
        self.last = (uri, None)
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        return self.told()

    def told(self):
        """Waits for the next diagnostics of the document as it is now; those of an earlier text may still come."""
        before = self.notes
        while self.notes == before:
            if self.receive() is None:
                raise AssertionError("no diagnostics came")
        return self.diagnostics[self.last[0]]

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.stdin.close()
        return self.process.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()
