"""Call KDSL from Python.

    import kdsl, numpy
    heat = kdsl.load("heat.kdsl")          # compiles, or takes the library from the cache
    u, v = numpy.zeros((100, 100)), numpy.zeros((100, 100))
    heat.step(u, v, 0.1)                   # an exported function or kernel; arrays are not copied

Arrays are NumPy arrays, or whatever has DLPack or the buffer protocol. `kdsl.array` makes one that stays on the device.
"""
from ._arrays import Array, array
from ._compile import load, source
from ._errors import ArgumentError, CompileError, Error

__all__ = ["Array", "ArgumentError", "CompileError", "Error", "array", "load", "source"]


def load_ipython_extension(ipython):
    """%load_ext kdsl"""
    from ._magic import register
    register(ipython)
