"""Random well-typed expressions: their text in KDSL and, beside it, what they are worth in Python."""
import math
import random

from arithmetic import (ARITHMETIC, BIT_COUNTS, COMPARE, FLOATS, INTS, UNARY_MATH, bits, convert, float_divide,
                        float_remainder, fused, int_operation, larger, limits, rotated, rounded, smaller, widens, wrap)


class Node:
    """An expression: its text, its type, what it is worth given the variables; `known`: made of literals only; `factors`:
    of a product of floats, each with its worth, the first with the product's sign."""

    def __init__(self, text, type_, worth, known=False, factors=None):
        self.text, self.type, self.worth, self.known, self.factors = text, type_, worth, known, factors

    def negated_factors(self):
        a, b = self.factors
        return lambda env: -a(env), b


def float_sum(t, op, left, right):
    """What `left op right` is worth: of a product among them the rounding is the sum's, unless env has "strict" set."""
    by_itself = ARITHMETIC[op]

    def worth(env):
        if not env.get("strict") and left.factors and left.type == t:
            a, b = (f(env) for f in left.factors)
            c = right.worth(env)
            return fused(t, a, b, -c if op == "-" else c)
        if not env.get("strict") and right.factors and right.type == t:
            c = left.worth(env)
            a, b = (f(env) for f in (right.negated_factors() if op == "-" else right.factors))
            return fused(t, a, b, c)
        return rounded(t, by_itself(left.worth(env), right.worth(env)))
    return worth


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = []

    def any_type(self):
        return self.random.choice(INTS * 2 + FLOATS * 3)

    def number(self, t):
        """A value worth trying."""
        if t in INTS:
            lo, hi = limits(t)
            return self.random.choice([lo, hi, lo + 1, hi - 1, 0, 1, max(lo, -1), 2, 7, self.random.randint(lo, hi),
                                       self.random.randint(max(lo, -100), min(hi, 100))])
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e10, -1e19, 1e-40, 3e38, 255.5, math.inf, math.nan]
        return rounded(t, self.random.choice(special + [self.random.uniform(-300, 300), self.random.gauss(0, 1e5)]))

    def literal(self, t):
        if t in INTS:
            v = self.random.randint(0, min(limits(t)[1], 300))
            return Node(f"{v}{t}", t, lambda env: v, True)
        v = self.random.choice([0.5, 2.0, 3.25, 100.0, 1e-3])
        v = rounded(t, v)
        return Node(f"{v!r}{t}", t, lambda env: v, True)

    def leaf(self, t):
        mine = [name for name, type_ in self.variables if type_ == t]
        if t == "bool":
            of = self.any_type()
            a, b = self.unknown(self.leaf(of)), self.leaf(of)
            return Node(f"({a.text} < {b.text})", t, lambda env: a.worth(env) < b.worth(env))
        if mine and self.random.random() < 0.8:
            name = self.random.choice(mine)
            return Node(name, t, lambda env: env[name])
        if not self.variables or self.random.random() < 0.4:
            return self.literal(t)
        name, type_ = self.random.choice(self.variables)
        return Node(f"{t}({name})", t, lambda env: convert(t, type_, env[name]))

    def expression(self, t, depth):
        if depth == 0 or self.random.random() < 0.12:
            return self.leaf(t)
        how = self.random.random()
        if how < 0.12:
            return self.choice(t, depth - 1)
        if t == "bool":
            return self.condition(depth - 1)
        if how < 0.24:
            return self.conversion(t, depth - 1)
        if how < 0.36:
            return self.min_max(t, depth - 1)
        return self.integer(t, depth - 1) if t in INTS else self.floating(t, depth - 1)

    def unknown(self, node):
        """Not a constant: those are computed by the compiler, which refuses the ones that overflow."""
        if not node.known:
            return node
        name, type_ = self.random.choice([v for v in self.variables if v[1] != "bool"])
        to = node.type
        return Node(f"{to}({name})", to, lambda env: convert(to, type_, env[name]))

    def choice(self, t, depth):
        c, a, b = self.expression("bool", depth), self.expression(t, depth), self.expression(t, depth)
        return Node(f"(if {c.text} {{ {a.text} }} else {{ {b.text} }})", t,
                    lambda env: a.worth(env) if c.worth(env) else b.worth(env))

    def conversion(self, t, depth):
        from_ = self.random.choice(INTS + FLOATS + ["bool"] * (t in INTS))
        a = self.unknown(self.expression(from_, depth))
        return Node(f"{t}({a.text})", t, lambda env: convert(t, from_, a.worth(env)))

    def min_max(self, t, depth):
        a, b, c = (self.unknown(self.expression(t, depth)) for _ in range(3))
        name = self.random.choice(["min", "max", "clamp", "abs"])
        if name == "clamp":
            return Node(f"clamp({a.text}, {b.text}, {c.text})", t,
                        lambda env: smaller(larger(a.worth(env), b.worth(env)), c.worth(env)) if t in FLOATS
                        else min(max(a.worth(env), b.worth(env)), c.worth(env)))
        if name == "abs":
            return Node(f"abs({a.text})", t,
                        lambda env: abs(a.worth(env)) if t in FLOATS else wrap(t, abs(a.worth(env))))
        f = {"min": smaller, "max": larger}[name] if t in FLOATS else {"min": min, "max": max}[name]
        return Node(f"{name}({a.text}, {b.text})", t, lambda env: f(a.worth(env), b.worth(env)))

    def narrower(self, t, depth):
        """An expression of t, or of a type that becomes t by itself."""
        types = [s for s in INTS + FLOATS if widens(s, t)]
        s = t if self.random.random() < 0.7 else self.random.choice(types)
        a = self.expression(s, depth)
        return Node(a.text, s, lambda env: convert(t, s, a.worth(env)), a.known, a.factors)

    def integer(self, t, depth):
        op = self.random.choice(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "-x", "~x", "<<<", "bits"])
        a = self.unknown(self.expression(t, depth))
        if op == "-x":
            return Node(f"(-{a.text})", t, lambda env: wrap(t, -a.worth(env)))
        if op == "~x":
            return Node(f"(~{a.text})", t, lambda env: wrap(t, ~a.worth(env)))
        if op == "bits":
            name = self.random.choice(list(BIT_COUNTS))
            return Node(f"{name}({a.text})", t, lambda env: BIT_COUNTS[name](t, a.worth(env)))
        if op == "<<<":
            n = self.unknown(self.expression(self.random.choice(INTS), depth))
            text = self.random.choice([f"({a.text} <<< {n.text})", f"rotate_left({a.text}, {n.text})"])
            return Node(text, t, lambda env: wrap(t, rotated(t, a.worth(env), n.worth(env))))
        f = int_operation(op, t)
        if op in ("<<", ">>"):
            n = self.unknown(self.expression(self.random.choice(INTS), depth))
            mask = self.random.choice([3, bits(t) - 1])
            return Node(f"({a.text} {op} ({n.text} & {mask}))", t,
                        lambda env: wrap(t, f(a.worth(env), n.worth(env) & mask)))
        if op in ("/", "%"):
            if self.random.random() < 0.3:
                k = self.random.choice([1, 2, 3, 7, 10, 16, 100])
                return Node(f"({a.text} {op} {k})", t, lambda env: wrap(t, f(a.worth(env), k)))
            b = self.unknown(self.expression(t, depth))
            return Node(f"({a.text} {op} ({b.text} | 1))", t, lambda env: wrap(t, f(a.worth(env), b.worth(env) | 1)))
        b = self.narrower(t, depth)
        left, right = (b, a) if self.random.random() < 0.5 else (a, b)
        return Node(f"({left.text} {op} {right.text})", t, lambda env: wrap(t, f(left.worth(env), right.worth(env))))

    def floating(self, t, depth):
        a, b = self.unknown(self.expression(t, depth)), self.narrower(t, depth)
        op = self.random.choice(["+", "+", "-", "-", "*", "*", "*", "/", "%", "-x", "call", "fma", "copysign"])
        if op == "-x":
            return Node(f"(-{a.text})", t, lambda env: -a.worth(env), factors=a.factors and a.negated_factors())
        if op == "call":
            name = self.random.choice(list(UNARY_MATH))
            return Node(f"{name}({a.text})", t, lambda env: rounded(t, UNARY_MATH[name](a.worth(env))))
        if op == "copysign":
            b = self.expression(t, depth) # no NaN on the right: the sign of one is not defined
            return Node(f"copysign({a.text}, {t}(i32({b.text})))", t,
                        lambda env: math.copysign(a.worth(env), convert("i32", t, b.worth(env))))
        if op == "fma":
            b, c = self.unknown(self.expression(t, depth)), self.unknown(self.expression(t, depth))
            return Node(f"fma({a.text}, {b.text}, {c.text})", t,
                        lambda env: fused(t, a.worth(env), b.worth(env), c.worth(env)))
        f = {"*": ARITHMETIC["*"], "/": float_divide, "%": float_remainder}.get(op)
        left, right = (b, a) if self.random.random() < 0.5 else (a, b)
        if op in "+-":
            return Node(f"({left.text} {op} {right.text})", t, float_sum(t, op, left, right))
        if op == "*":
            return Node(f"({left.text} * {right.text})", t,
                        lambda env: rounded(t, left.worth(env) * right.worth(env)), factors=(left.worth, right.worth))
        return Node(f"({left.text} {op} {right.text})", t, lambda env: rounded(t, f(left.worth(env), right.worth(env))))

    def condition(self, depth):
        how = self.random.choice(["compare", "compare", "compare", "&&", "||", "!", "nan"])
        if how == "compare":
            t, op = self.any_type(), self.random.choice(list(COMPARE))
            a, b = self.unknown(self.expression(t, depth)), self.narrower(t, depth)
            return Node(f"({a.text} {op} {b.text})", "bool", lambda env: COMPARE[op](a.worth(env), b.worth(env)))
        if how == "nan":
            a = self.unknown(self.expression(self.random.choice(FLOATS), depth))
            return Node(f"isnan({a.text})", "bool", lambda env: math.isnan(a.worth(env)))
        a, b = self.expression("bool", depth), self.expression("bool", depth)
        if how == "!":
            return Node(f"(!{a.text})", "bool", lambda env: not a.worth(env))
        if how == "&&":
            return Node(f"({a.text} && {b.text})", "bool", lambda env: a.worth(env) and b.worth(env))
        return Node(f"({a.text} || {b.text})", "bool", lambda env: a.worth(env) or b.worth(env))
