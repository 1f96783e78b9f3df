"""What `print("{}", value)` writes for numbers, arrays and structs, said once more in Python for tests: it shares nothing
with runtime/value.c.

A type is the name of a scalar or short vector ("f32", "f32x3"), ("array", element, rank), or ("struct", name, [(field,
type), ...]). A value is a number, bool or str; a list for a vector or struct; (extents, flat list of elements) for an
array. A specification is a dict with any of align, zero, width, precision, style."""
import math
import struct

COLUMNS = 80


def is_float(t):
    return isinstance(t, str) and t in ("f16", "bf16", "f32", "f64")


def padded(text, spec, left):
    align = spec.get("align") or ("<" if left else ">")
    return text.ljust(spec.get("width", 0)) if align == "<" else text.rjust(spec.get("width", 0))


def signed(negative, digits, spec, zero=True):
    sign = "-" if negative else ""
    if zero and spec.get("zero") and spec.get("align") != "<":
        return sign + digits.rjust(spec.get("width", 0) - len(sign), "0")
    return padded(sign + digits, spec, False)


def rounded(v, t):
    """The number of type t that is nearest."""
    if t == "f64":
        return v
    try:
        return struct.unpack("f", struct.pack("f", v))[0]
    except OverflowError:
        return math.inf


def shortest_digits(v, t):
    """The fewest digits that read back as v, and the exponent of the first one."""
    for n in range(1, 18):
        digits, exponent = ("%.*e" % (n - 1, v)).split("e")
        near = int(digits.replace(".", ""))
        for m in (near, near + 1):
            if rounded(float(f"{m}e{int(exponent) - n + 1}"), t) == v:
                text = str(m)
                return text.rstrip("0") or "0", int(exponent) + len(text) - n
    raise ValueError(v)


def shortest(v, t, style):
    if v == 0:
        return "0e+00" if style == "e" else "0"
    digits, e = shortest_digits(v, "f64" if t == "f64" else "f32")
    if style == "e" or e >= 21 or e < -6:
        return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{'-' if e < 0 else '+'}{abs(e):02}"
    if e < 0:
        return "0." + "0" * (-e - 1) + digits
    return digits.ljust(e + 1, "0") if len(digits) <= e + 1 else f"{digits[:e + 1]}.{digits[e + 1:]}"


def number(v, t, spec, is_element):
    style, precision = spec.get("style"), spec.get("precision")
    if not is_float(t):
        bits = 64 if t == "index" else int(t[1:])
        if style in ("x", "b"):
            return signed(False, f"{v % 2 ** bits:{style}}", spec)
        return signed(v < 0, str(abs(v)), spec)
    if math.isnan(v) or math.isinf(v):
        return signed(v < 0, "nan" if math.isnan(v) else "inf", spec, False)
    negative, v = math.copysign(1, v) < 0, abs(v)
    if precision is not None:
        return signed(negative, "%.*{}".format("e" if style == "e" else "f") % (precision, v), spec)
    if is_element and style != "e":
        return signed(negative, "%.6g" % v, spec)
    return signed(negative, shortest(v, t, "e" if style == "e" else ""), spec)


def quoted(text):
    for a, b in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(a, b)
    return f'"{text}"'


def one(v, t, spec, is_element=False):
    """Of a number, or of anything inside of another value."""
    if t == "bool":
        return padded("true" if v else "false", spec, True)
    if t == "str":
        return padded(quoted(v), spec, True)
    if isinstance(t, str):
        if "x" in t and t != "index":
            return t + "(" + ", ".join(one(x, t.split("x")[0], spec) for x in v) + ")"
        return number(v, t, spec, is_element)
    if t[0] == "struct":
        return f"{t[1]}({', '.join(f'{name}: {one(x, of, spec)}' for x, (name, of) in zip(v, t[2]))})"
    elements = [one(x, t[1], spec) for x in v[1][:8]]
    if len(v[1]) > 8:
        elements.append(f"... {len(v[1])} in all")
    return "[" + ", ".join(elements) + "]"


def name_of(t):
    return t if isinstance(t, str) else t[1]


def row(cells, elem):
    """A list, as far as it fits a line beside its type."""
    n = len(cells)
    room = max(COLUMNS - len(f"[{name_of(elem)}; {n}]") - 6, COLUMNS // 2)

    def fits(some, room):
        k = 1
        while k < len(some) and len(", ".join(some[:k + 1])) <= room:
            k += 1
        return some[:k]

    if n <= COLUMNS and len(fits(cells, room)) == n:
        return "[" + ", ".join(cells) + "]"
    last = max(n - 3, 1)
    while last < n - 1 and len(fits(cells[last:], room)) < n - last:
        last += 1
    tail = cells[last:]
    head = fits(cells[:last], room - len(", ".join(tail)) - 5)
    return "[" + ", ".join(head + (["…"] if len(head) < last else []) + tail) + "]"


def some_of(n, most, edge):
    """The indices that a table shows, None for a gap."""
    return list(range(n)) if n <= most else [*range(edge), None, *range(n - edge, n)]


def table(cells, n_rows, n_columns, spec):
    rows, columns = some_of(n_rows, 12, 4), some_of(n_columns, 12, 4)
    shown = [len(cells[r * n_columns + c]) for r in rows if r is not None for c in columns if c is not None]
    width = max([1, *shown])
    fit = COLUMNS // (width + 2)
    if fit < (n_columns if n_columns <= 12 else 8):
        edge = max((fit - 1) // 2, 1)
        columns = list(range(n_columns)) if 2 * edge >= n_columns else some_of(n_columns, 0, edge)
    lines = []
    for r in rows:
        if r is None:
            lines.append(" " * (width + 1) + "…")
            continue
        line = ""
        for c in columns:
            if c is None:
                line += "  …"
            else:
                cell = cells[r * n_columns + c]
                last = c == n_columns - 1
                line += "  " + ((cell if last else cell.ljust(width)) if spec.get("align") == "<" else cell.rjust(width))
        lines.append(line)
    return lines


def text(v, t, **spec):
    """Of a value of a format."""
    if isinstance(t, str) or t[0] != "array":
        return one(v, t, spec)
    extents, elements = v
    if not elements:
        return "[]"
    if len(extents) == 1:
        return row([one(x, t[1], spec, True) for x in elements], t[1])
    size, lines = extents[-1] * extents[-2], []
    slices = len(elements) // size
    for k in range(min(slices, 3)):
        if len(extents) > 2:
            at = [k] if len(extents) == 3 else [k // extents[1], k % extents[1]]
            lines.append("[" + "".join(f"{i}, " for i in at) + "..]")
        part = elements[k * size:(k + 1) * size]
        lines += table([one(x, t[1], spec, True) for x in part], extents[-2], extents[-1], spec)
    if slices > 3:
        lines.append(f"  … {slices - 3} more")
    return "\n".join(lines)


def joined(pieces):
    """A line of pieces: a str, or (text, is a table). Tables are on lines of their own."""
    out, after = "", False
    for piece in pieces:
        words, is_table = (piece, False) if isinstance(piece, str) else piece
        if isinstance(piece, str) and after:
            words = words.lstrip(" ")
        if isinstance(piece, str) and not words:
            continue
        if after and not (isinstance(piece, str) and words.startswith("\n")):
            out += "\n"
        if is_table:
            out = out.rstrip(" ")
            out += "\n" if out and not out.endswith("\n") else ""
        out, after = out + words, is_table
    return out
