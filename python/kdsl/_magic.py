"""%%kdsl: a cell with a KDSL program, whose exported functions become functions of the notebook."""
import shlex
import sys

from ._compile import source
from ._errors import CompileError


def kdsl(line, cell, ipython):
    """%%kdsl [OPTIONS OF kdslc]"""
    try:
        program = source(cell, *shlex.split(line))
    except CompileError as e:
        print(e.text, file=sys.stderr, end="")
        return None
    names = [row["name"] for row in program._interface["functions"]] + list(program._types.layouts)
    ipython.push({name: getattr(program, name) for name in names})
    return program


def register(ipython):
    ipython.register_magic_function(lambda line, cell: kdsl(line, cell, ipython), "cell", "kdsl")
