"""What goes wrong, as exceptions."""
import re

_PLACE = re.compile(r"^ --> (?P<file>[^:\n]*):(?P<line>\d+):(?P<column>\d+)$", re.MULTILINE)
_ITEM = re.compile(r"^ += note: work item (?P<item>.*) of kernel `", re.MULTILINE)
_DIAGNOSTIC = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|warning)\[(?P<code>\w+)\]: "
                         r"(?P<message>.*)$", re.MULTILINE)


class Error(RuntimeError):
    """A call failed: a check in the program, an assertion, too little memory.

    `file`, `line`, `column`: where; `item`: the work item of a kernel, {"i": 3}, or None."""

    def __init__(self, message):
        super().__init__(message)
        self.message = message
        place, item = _PLACE.search(message), _ITEM.search(message)
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None
        self.column = int(place["column"]) if place else None
        self.item = {name.strip(): int(value) for name, value in
                     (part.split("=") for part in item["item"].split(","))} if item else None


class ArgumentError(Error, TypeError, ValueError):
    """An argument does not fit the parameter: type, shape, order, or an array that must not be written."""


class CompileError(Error):
    """The program has errors. `text`: all that the compiler says; `diagnostics`: (file, line, column, code, message)."""

    def __init__(self, text):
        self.text = text
        self.diagnostics = [(d["file"], int(d["line"]), int(d["column"]), d["code"], d["message"])
                            for d in _DIAGNOSTIC.finditer(text)]
        super().__init__(text.strip())
        first = next((d for d in _DIAGNOSTIC.finditer(text) if d["kind"] == "error"), None)
        if first:
            self.file, self.line, self.column = first["file"], int(first["line"]), int(first["column"])
