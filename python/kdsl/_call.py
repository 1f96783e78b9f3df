"""Programs and their functions. For each exported function a Python function is generated from its description
(`kdslc --emit=interface`), since a general one takes longer than a launch."""
import ctypes
import operator

from ._arrays import Array, Parameter
from ._errors import ArgumentError, Error
from ._types import Types, limits, vector


class Program:
    """A compiled program. Its exported functions and kernels are attributes; so are its structs, as classes, with
    NumPy's data type of each in `dtypes`."""

    def __init__(self, path, library, interface):
        self._path, self._interface = path, interface
        self._library = library = ctypes.CDLL(library)
        library.kdsl_last_error.restype = ctypes.c_char_p
        types = Types(interface["structs"])
        for s in interface["structs"]:
            setattr(self, s["name"], types.ctype(s["name"]))
        self._types = types
        for row in interface["functions"]:
            setattr(self, row["name"], _function(row, library, types))

    @property
    def dtypes(self):
        return {s["name"]: self._types.dtype(s["name"]) for s in self._interface["structs"]}

    def __repr__(self):
        lines = [f"<KDSL program {self._path}>"] + [row["declaration"] for row in self._interface["functions"]]
        return "\n    ".join(" ".join(line.split()) for line in lines)


def _integer(function, row):
    least, most = limits(row["type"])
    words = f"parameter `{row['name']}` of `{function}` is `{row['type']}`"

    def convert(value):
        try:
            value = operator.index(value)
        except TypeError:
            raise ArgumentError(f"{words}, but this is the {type(value).__name__} {value!r}") from None
        if least <= value <= most:
            return value
        raise ArgumentError(f"{words}: {value} is out of range")
    return convert


def _real(function, row):
    def convert(value):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"parameter `{row['name']}` of `{function}` is `{row['type']}`, but this is the "
                                f"{type(value).__name__} {value!r}") from None
    return convert


def _text(function, row):
    def convert(value):
        if isinstance(value, str):
            return value.encode()
        raise ArgumentError(f"parameter `{row['name']}` of `{function}` is `str`, but this is the {type(value).__name__} "
                            f"{value!r}")
    return convert


def _struct(function, row, made):
    def convert(value):
        if isinstance(value, made):
            return value
        if hasattr(value, "tobytes") and getattr(value, "nbytes", None) == ctypes.sizeof(made):
            return made.from_buffer_copy(value.tobytes())
        try:
            return made(**value) if isinstance(value, dict) else made(**dict(zip(made._members, value)))
        except TypeError:
            raise ArgumentError(f"parameter `{row['name']}` of `{function}` is `{row['type']}`; make one with "
                                f"`{made.__name__}(...)`") from None
    return convert


def _by_value(function, row, types):
    kind = row["type"]
    if kind in types.layouts or vector(kind):
        if types.align(kind) > 8 and types.size(kind) > 16:
            def refuse(_):
                raise ArgumentError(f"parameter `{row['name']}` of `{function}` is `{kind}`, which ctypes cannot pass by "
                                    f"value; take it as `&{kind}`")
            return refuse
        return _struct(function, row, types.ctype(kind))
    if limits(kind):
        return _integer(function, row)
    if kind in ("f32", "f64"):
        return _real(function, row)
    return _text(function, row) if kind == "str" else bool if kind == "bool" else int


class _Reference:
    """`&mut f64` and the like: a NumPy array or buffer of one element, or, for `&`, a value."""

    def __init__(self, function, row, types):
        self.made, self.mode = types.ctype(row["type"]), row["mode"]
        self.convert = _by_value(function, {**row, "type": row["type"]}, types) if not row["type"] in types.layouts else \
            _struct(function, row, self.made)
        self.array = Parameter(function, {**row, "shape": [1]}, types)

    def __call__(self, value):
        if isinstance(value, self.made):
            return ctypes.byref(value), value
        if self.mode == "&" and not hasattr(value, "__len__"):
            kept = self.made(self.convert(value)) if not isinstance(self.convert(value), self.made) else self.convert(value)
            return ctypes.byref(kept), kept
        address, _, keep = self.array.slowly(value)
        return ctypes.c_void_p(address), keep


def _shape_words(shape):
    return f"[{', '.join(map(str, shape))}]"


def _sum(extent):
    """Of an extent of a parameter: ("n", 1) of "n + 1"."""
    words = extent.split()
    return words[0], int("".join(words[1:]) or 0)


def _less(expression, number):
    return f"{expression} - {number}" if number > 0 else f"{expression} + {-number}" if number else expression


def _refuse_shapes(row, given):
    """The shapes of the arguments do not agree: with which words?"""
    name, sizes = row["name"], {}
    for p, shape in given:
        for d, (extent, want) in enumerate(zip(shape, p["shape"])):
            if isinstance(want, int) and extent != want:
                raise ArgumentError(f"in the call of `{name}`, dimension {d} of `{p['name']}` must be {want}, but its shape "
                                    f"is {_shape_words(shape)}")
            if not isinstance(want, str):
                continue
            size, add = _sum(want)
            other = sizes.setdefault(size, (extent, add, want, p["name"], shape))
            again = "" if want == other[2] else f"`{want}` is "
            if other[0] - other[1] != extent - add:
                raise ArgumentError(f"in the call of `{name}`, `{other[2]}` is {other[0]} for `{other[3]}`, whose shape is "
                                    f"{_shape_words(other[4])}, but {again}{extent} for `{p['name']}`, whose shape is "
                                    f"{_shape_words(shape)}")


def _function(row, library, types):
    """The source of a function that checks and converts its arguments in order, and calls the library's."""
    name, params, known = row["name"], row["parameters"], {}
    called = getattr(library, name)
    scope = {"call": called, "library": library, "Error": Error, "Array": Array, "row": row, "refuse": _refuse_shapes}
    lines, arguments, argument_types, checks, arrays = [], [], [], [], []
    for i, p in enumerate(params):
        if p["shape"] is not None:
            scope[f"get{i}"] = Parameter(name, p, types).getter()
            lines += [f"    if type({p['name']}) is Array: {p['name']}._keep(library)",
                      f"    at{i}, shape{i}, keep{i} = get{i}({p['name']})"]
            arrays.append(f"(row['parameters'][{i}], shape{i})")
            arguments.append(f"at{i}")
            argument_types.append(ctypes.c_void_p)
            for d, extent in enumerate(p["shape"]):
                size, add = _sum(extent) if isinstance(extent, str) else (None, 0)
                here = _less(f"shape{i}[{d}]", add)
                first = known.setdefault(size, here) if size else repr(extent)
                if extent is not None and first != here:
                    checks.append(f"{here} != {first}")
        elif p["mode"] != "value":
            scope[f"get{i}"] = _Reference(name, p, types)
            lines.append(f"    at{i}, keep{i} = get{i}({p['name']})")
            arguments.append(f"at{i}")
            argument_types.append(ctypes.c_void_p)
        else:
            scope[f"convert{i}"] = _by_value(name, p, types)
            arguments.append(f"convert{i}({p['name']})")
            argument_types.append(types.ctype(p["type"]))
    if checks:
        lines.append(f"    if {' or '.join(checks)}: refuse(row, [{', '.join(arrays)}])")
    for size in row["sizes"]:
        arguments.append(_less(f"shape{size['parameter']}[{size['dimension']}]", size.get("add", 0)))
        argument_types.append(ctypes.c_int64)
    if row["result"]:
        scope["made"], scope["byref"] = types.ctype(row["result"]), ctypes.byref
        lines.append("    result = made()")
        arguments.append("byref(result)")
        argument_types.append(ctypes.c_void_p)
    lines.append(f"    if call({', '.join(arguments)}): raise Error(library.kdsl_last_error().decode())")
    if row["result"] == "str":
        lines.append("    return result.value.decode()")
    elif row["result"]:
        lines.append("    return result" + ("" if row["result"] in types.layouts or vector(row["result"]) else ".value"))
    called.argtypes, called.restype = argument_types, ctypes.c_int32
    text = f"def {name}({', '.join(p['name'] for p in params)}):\n" + "\n".join(lines) + "\n"
    exec(compile(text, f"<{name} of {row['file']}>", "exec"), scope)
    made = scope[name]
    made.__doc__ = row["declaration"]
    made.__module__ = row["file"]
    return made
