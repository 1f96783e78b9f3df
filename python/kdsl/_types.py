"""The types of KDSL in Python: for ctypes, for NumPy, and for formats of the buffer protocol."""
import ctypes
import re

SCALARS = {"bool": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
           "index": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double, "str": ctypes.c_char_p,
           "pointer": ctypes.c_void_p}
DTYPES = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
          "index": "i8", "f32": "f4", "f64": "f8", "str": "u8", "pointer": "u8"}
_VECTOR = re.compile(r"^([iuf]\d+)x([2348])$")


def vector(name):
    """("f32", 3) for "f32x3"; None for another type."""
    found = _VECTOR.match(name)
    return (found[1], int(found[2])) if found else None


def vector_parts(width):
    return [f"s{i}" for i in range(8)] if width == 8 else list("xyzw"[:width])


def limits(name):
    """The least and the greatest value of an integer type, or None."""
    if name == "index" or name[0] == "i" and name[1:].isdigit():
        bits = 64 if name == "index" else int(name[1:])
        return -1 << (bits - 1), (1 << (bits - 1)) - 1
    if name[0] == "u" and name[1:].isdigit():
        return 0, (1 << int(name[1:])) - 1
    return None


class Types:
    """The types of one program: ctypes classes and NumPy's dtypes of its structs and of the vectors."""

    def __init__(self, structs):
        self.layouts = {s["name"]: s for s in structs}
        self.classes = {}

    def size(self, name):
        if name in self.layouts:
            return self.layouts[name]["bytes"]
        parts = vector(name)
        return ctypes.sizeof(SCALARS[parts[0]]) * (4 if parts[1] == 3 else parts[1]) if parts else ctypes.sizeof(SCALARS[name])

    def align(self, name):
        return self.layouts[name]["align"] if name in self.layouts else self.size(name)

    def ctype(self, name):
        if name in SCALARS:
            return SCALARS[name]
        if name not in self.classes:
            parts = vector(name)
            members = [(part, SCALARS[parts[0]], i * ctypes.sizeof(SCALARS[parts[0]]))
                       for i, part in enumerate(vector_parts(parts[1]))] if parts else \
                      [(f["name"], self._field(f), f["offset"]) for f in self.layouts[name]["fields"]]
            self.classes[name] = self._class(name, members)
        return self.classes[name]

    def _field(self, field):
        made = self.ctype(field["type"])
        for extent in reversed(field["extents"]):
            made = made * extent
        return made

    def _class(self, name, members):
        """With room between the members where KDSL aligns them more than ctypes does."""
        fields, end = [], 0
        align = max(ctypes.alignment(made) for _, made, _ in members)
        for member, made, offset in members + [("", None, self.size(name))]:
            natural = ctypes.alignment(made) if made else align
            unit = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_float, 8: ctypes.c_double}[natural]
            while (end + natural - 1) // natural * natural < offset:
                end = (end + natural - 1) // natural * natural
                fields.append((f"_room_at_{end}", unit))
                end += natural
            if made:
                fields.append((member, made))
                end = offset + ctypes.sizeof(made)
        made = type(re.sub(r"\W+", "_", name).strip("_"), (_Struct,), {"_fields_": fields})
        made._members = [member for member, _, _ in members]
        return made

    def dtype(self, name):
        import numpy
        if name in DTYPES:
            return numpy.dtype(DTYPES[name])
        parts = vector(name)
        if parts:
            names = vector_parts(parts[1])
            step = numpy.dtype(DTYPES[parts[0]]).itemsize
            return numpy.dtype({"names": names, "formats": [DTYPES[parts[0]]] * len(names),
                                "offsets": [i * step for i in range(len(names))], "itemsize": self.size(name)})
        fields = self.layouts[name]["fields"]
        return numpy.dtype({"names": [f["name"] for f in fields], "offsets": [f["offset"] for f in fields],
                            "formats": [(self.dtype(f["type"]), tuple(f["extents"])) for f in fields],
                            "itemsize": self.layouts[name]["bytes"]})


class _Struct(ctypes.Structure):
    """A struct or vector as a value, with its fields as attributes."""
    _members = []

    def __init__(self, *values, **named):
        unknown = [name for name in named if name not in self._members]
        if len(values) > len(self._members) or unknown:
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self._members)}")
        super().__init__(**dict(zip(self._members, values)), **named)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{m}={_shown(getattr(self, m))}' for m in self._members)})"

    def __eq__(self, other):
        return type(other) is type(self) and all(_shown(getattr(self, m)) == _shown(getattr(other, m))
                                                 for m in self._members)

    def __iter__(self):
        return (getattr(self, m) for m in self._members)


def _shown(value):
    return [_shown(v) for v in value] if isinstance(value, ctypes.Array) else value
