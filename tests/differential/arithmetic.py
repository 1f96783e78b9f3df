"""The scalar arithmetic of the language in Python, bit for bit: integers that wrap, floats that are rounded once."""
import ctypes
import math
import struct
from fractions import Fraction

SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["u8", "u16", "u32", "u64"]
INTS, FLOATS = SIGNED + UNSIGNED, ["f32", "f64"]


def bits(t):
    return int(t[1:])


def widens(a, b):
    """Does every value of a survive in b?"""
    if a in FLOATS or b == "bool" or a == "bool":
        return a == b or (a, b) == ("f32", "f64")
    if b in FLOATS:
        return bits(a) <= (16 if b == "f32" else 32)
    return a == b or bits(a) < bits(b) and (a[0] == "u" or b[0] == "i")


def limits(t):
    return (0, 2 ** bits(t) - 1) if t[0] == "u" else (-2 ** (bits(t) - 1), 2 ** (bits(t) - 1) - 1)


def wrap(t, v):
    lo, hi = limits(t)
    return (v - lo) % (hi - lo + 1) + lo


def rounded(t, v):
    return ctypes.c_float(v).value if t == "f32" else v


def int_to_float(t, v):
    """Rounded once: what does not fit in a double is cut with a sticky bit first."""
    cut = max(0, abs(v).bit_length() - 50)
    if t == "f64" or not cut:
        return rounded(t, float(v))
    kept = abs(v) >> cut | (abs(v) & (1 << cut) - 1 != 0)
    return rounded(t, math.copysign(math.ldexp(kept, cut), v))


def convert(to, t, v):
    if to == "bool":
        return v != 0
    if to in FLOATS:
        return rounded(to, v) if t in FLOATS else int_to_float(to, int(v))
    if t not in FLOATS:
        return wrap(to, int(v))
    lo, hi = limits(to)
    return 0 if math.isnan(v) else lo if v <= lo else hi if v >= hi else int(v)


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def float_divide(a, b):
    if b != 0 or math.isnan(a):
        return a / b if b != 0 else a
    return math.nan if a == 0 else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def float_remainder(a, b):
    return math.nan if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b) else math.fmod(a, b)


def smaller(a, b):
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=lambda v: (v, math.copysign(1, v)))


def larger(a, b):
    return -smaller(-a, -b)


def fused(t, a, b, c):
    """a * b + c, rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        return c if math.isinf(c) and math.isfinite(a) and math.isfinite(b) else a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return a * b + c
    try:
        v = float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)
    if t == "f32" and Fraction(v) != exact:  # an odd last bit stands for the rest, so that rounding twice is rounding once
        bits = struct.unpack("<q", struct.pack("<d", v))[0]
        if not bits & 1:
            bits += 1 if abs(Fraction(v)) < abs(exact) else -1
        v = struct.unpack("<d", struct.pack("<q", bits))[0]
    return rounded(t, v)


def half_away(v):
    if not math.isfinite(v) or abs(v) >= 2 ** 52:
        return v
    whole = math.trunc(v)
    return math.copysign(abs(whole) + (abs(v - whole) >= 0.5), v)


def whole(function):
    return lambda v: math.copysign(function(v), v) if math.isfinite(v) else v


ARITHMETIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
BITWISE = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
UNARY_MATH = {"sqrt": lambda v: v if v == 0 else math.sqrt(v) if v > 0 else math.nan, "floor": whole(math.floor),
              "ceil": whole(math.ceil), "trunc": whole(math.trunc), "round": half_away, "abs": abs}


def bits_of(t, v):
    return v & (1 << bits(t)) - 1


def rotated(t, v, by):
    width = bits(t)
    v, by = bits_of(t, v), by % width
    return (v << by | v >> (width - by)) & (1 << width) - 1


BIT_COUNTS = {"popcount": lambda t, v: bits_of(t, v).bit_count(),
              "leading_zeros": lambda t, v: bits(t) - bits_of(t, v).bit_length(),
              "trailing_zeros": lambda t, v: ((v | 1 << bits(t)) & -(v | 1 << bits(t))).bit_length() - 1}


def int_operation(op, t):
    return {**ARITHMETIC, **BITWISE, "/": truncated, "%": lambda a, b: a - b * truncated(a, b),
            "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b}[op]
