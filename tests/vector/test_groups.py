#!/usr/bin/env python3
"""Groups on a CPU, judged by gcc: random kernels whose items share memory and wait at barriers, beside C that goes through the
groups and, between two barriers, through the items of a group in order. What items guard, what lives across barriers, how
tiles are loaded and how loops around barriers count is all by chance. Arrays lie beside pages that must not be read.
Usage: test_groups.py KDSLC"""
import random
import re
import shutil
import sys
import tempfile
import unittest
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from guarded import HEAD, GuardedTest  # noqa: E402

GuardedTest.kdslc = Path(sys.argv.pop(1)).resolve()
KERNELS = 12  # in each program
TYPES = {"i32": "int32_t", "u32": "uint32_t", "index": "int64_t", "i64": "int64_t", "i16": "int16_t", "u8": "uint8_t", "f32": "float",
         "bool": "bool"}
HELPERS = """#include <stdbool.h>
#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define clamp(x, a, b) min(max(x, a), b)
""" + "".join(f"#define {t}(e) (({c})(e))\n" for t, c in TYPES.items() if t != "bool") + """
static int64_t groups_of(int64_t lo, int64_t n, int64_t step, int64_t items) {
    return n <= lo ? 0 : ((n - lo + step - 1) / step + items - 1) / items;
}
static void compare(const char *name, const char *sizes, const void *a, const void *b, int64_t some) {
    const int *p = a, *w = b;
    for (int64_t i = 0; i < some; i++) if (p[i] != w[i]) {
        printf("WRONG %s of %s: element %ld is %d (%g), not %d (%g)\\n", name, sizes, (long)i, p[i], ((float *)a)[i], w[i], ((float *)b)[i]);
        bad++;
        return;
    }
}
"""
Axis = namedtuple("Axis", "name size items by lo step")  # `by`: how the number of items is written, None: it is not
Place = namedtuple("Place", "text lo hi type")  # an index of an item, and between which numbers it is, or None
Variable = namedtuple("Variable", "name type lo hi kind")  # kind: let, var or uniform

# Text is that of the language, but for what is written in another way in C: a comma of an index, and `if` as an expression.
SPELT = {"§": (", ", "]["), "«": ("(if ", "(("), "‹": (" { ", ") ? ("), "›": (" } else { ", ") : ("), "»": (" })", "))")}


def spelt(text, language):
    for mark, pair in SPELT.items(): text = text.replace(mark, pair[language])
    return re.sub(r"\.(local|groups|group|at)\b", r"_\1", text) if language else text


class Shared:
    """An array of the group. In a segment its mode is None, `read`: by all, `own`: each item has one element, a loop that gives
    elements to items, of which `at` is the one at hand, or `closed`."""
    def __init__(self, name, type, extents, own):
        self.name, self.type, self.extents, self.own = name, type, extents, own
        self.filled, self.mode, self.at = False, None, None

    def element(self, at):
        return f"{self.name}[{'§'.join(at)}]"


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.code, self.outer, self.defined, self.scope = [], [], [], {}, []
        self.depth, self.names, self.blocks = 0, 0, 1
        self.picture = rng.random() < 0.12
        self.constants = {}
        self.axes = self.chosen_axes()
        self.items = 1
        for axis in self.axes: self.items *= axis.items
        self.extents = ["ny", "nx"] if self.picture else [axis.size for axis in self.axes]
        self.shared = [self.chosen_shared(f"s{i}") for i in range(rng.choice([1, 2, 2, 3]))]
        self.has_float = rng.random() < 0.4
        self.generate()

    # Choices.

    def chance(self, p): return self.rng.random() < p

    def pick(self, some): return self.rng.choice(some)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def constant(self, name, value):
        """A number, or the name of a constant."""
        if self.chance(0.5): return str(value)
        self.constants[f"{self.name}_{name}"] = value
        return f"{self.name}_{name}"

    def chosen_axes(self):
        if self.picture:
            self.tall, self.wide = self.pick([(8, 16), (4, 8), (5, 20), (16, 16), (3, 7), (1, 32), (2, 64)])
            items = self.tall * self.wide
            return [Axis("t", f"ny / {self.tall} * (nx / {self.wide}) * {items}", items, str(items), 0, 1)]
        while True:
            some = self.pick([1, 1, 2, 2, 2, 2, 3, 3])
            items = [self.pick([1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 20, 32, 48, 64, 128]) for _ in range(some)]
            product = 1
            for n in items: product *= n
            if product <= 256 and (some < 3 or items[0] <= 64) and (product >= 8 or self.chance(0.03)): break
        axes = []
        for name, n in zip("zyx"[3 - some:], items):
            by = None if n == 1 and product > 1 and self.chance(0.6) else self.constant(f"B{name.upper()}", n)
            lo, step = self.pick([0] * 7 + [1, 3]), self.pick([1] * 9 + [2])
            axes.append(Axis(name, f"n{name}", n, by, lo, step))
        return axes

    def chosen_shared(self, name):
        type = self.pick(["i32", "i32", "i32", "i32", "u8", "i16", "f32", "i64", "u32"])
        form = self.pick(["line", "axes", "axes", "rows"])
        if form == "axes" and (len(self.axes) > 1 or self.chance(0.5)):
            more = [self.pick([0, 0, 2, 2, 1, axis.items, 5]) for axis in self.axes]
            first = [min(m, self.pick([0, 0, 1])) for m in more]
            return Shared(name, type, [axis.items + m for axis, m in zip(self.axes, more)],
                          [f"{axis.name}.local" + (f" + {f}" if f else "") for axis, f in zip(self.axes, first)])
        if form == "rows":
            width = self.pick([4, 5, 8, 10, 16, 18, 20, 32, 33, 34])
            rows = (self.items + width - 1) // width + self.pick([0, 0, 1, 3])
            return Shared(name, type, [rows, width], [f"(tid / {width})", f"(tid % {width})"])
        more = self.pick([0, 0, 1, 2, 5, self.items, self.items + 3, 3 * self.items, 4 * self.items + 7])
        own = self.pick(["tid", "tid", f"{self.items - 1} - tid"] + (["tid + 1", "1 + tid"] if more else []))
        return Shared(name, type, [self.items + more], [own])

    # What is written in both languages.

    def say(self, text, code=None):
        self.lines.append("    " * self.blocks + spelt(text, 0))
        self.code.append(spelt(text if code is None else code, 1))
        self.blocks += text.endswith("{")

    def end(self, code="}"):
        self.blocks -= 1
        self.lines.append("    " * self.blocks + "}")
        self.code.append(code)

    def let(self, name, type, text, lo=None, hi=None, word="let"):
        self.define(name, type)
        self.say(f"{word} {name}{f': {type}' if word == 'var' or self.chance(0.2) else ''} = {text};", f"{name} = {text};")
        self.scope.append(Variable(name, type, lo, hi, word))

    def define(self, name, type):
        self.defined[name] = type

    def barrier(self):
        self.say("barrier;", "}\nITEMS")
        for s in self.shared: s.mode = None

    def leave_items(self, text, code):
        """A loop or an `if` around a barrier."""
        self.code.append("}")
        self.say(text, code)
        self.code.append("ITEMS")

    # Expressions.

    def linear(self):
        text = ""
        for axis in self.axes: text = f"{axis.name}.local" if not text else f"({text}) * {axis.by or 1} + {axis.name}.local"
        return text.replace("(" + self.axes[0].name + ".local)", self.axes[0].name + ".local")

    def simple_place(self):
        known = [v for v in self.scope if v.type in ("index", "i32") and v.kind != "var"]
        if known and self.chance(0.45):
            v = self.pick(known[-8:])
            return Place(v.name, v.lo, v.hi, v.type)
        axis = self.pick(self.axes)
        choice = self.rng.random()
        if choice < 0.55: return Place(f"{axis.name}.local", 0, axis.items - 1, "index")
        if choice < 0.7: return Place(axis.name, 0, None, "index")
        if choice < 0.78: return Place(f"{axis.name}.group", 0, None, "index")
        return Place(f"({self.linear()})" if self.chance(0.3) else "tid", 0, self.items - 1, "index")

    def place(self):
        p = self.simple_place()
        if self.chance(0.4): return p
        lo, hi, c, d = p.lo, p.hi, self.pick([1, 1, 2, 3, 7]), self.pick([2, 3, 4, 5, 8, 8, 16, 20])
        sure = lo is not None and hi is not None
        form = self.pick(["+", "+", "-", "-", "/", "%", "&", ">>", "turned", "twice"])
        if form == "+":
            return Place(self.pick([f"({p.text} + {c})", f"({c} + {p.text})"]), *((lo + c, hi + c) if sure else (None, None)), p.type)
        if form == "-": return Place(f"({p.text} - {c})", *((lo - c, hi - c) if sure else (None, None)), p.type)
        if form == "twice": return Place(f"({p.text} * 2 + 1)", *((2 * lo + 1, 2 * hi + 1) if sure else (None, None)), p.type)
        if form == "turned" and sure: return Place(f"({hi} - {p.text})", 0, hi - lo, p.type)
        if lo is None or lo < 0: return p
        if form == "%": return Place(f"({p.text} % {d})", 0, d - 1, p.type)
        if form == "&": return Place(f"({p.text} & {self.pick([1, 3, 7, 15])})", 0, 15, p.type)
        if form == ">>": return Place(f"({p.text} >> 3)", 0, hi and hi >> 3, p.type)
        return Place(f"({p.text} / {d})", 0, hi and hi // d, p.type)

    def bound(self, p):
        uniform = [v.name for v in self.scope if v.kind == "uniform"]
        if uniform and self.chance(0.5): return self.pick(uniform) + self.pick(["", "", " + 1", " - 1"])
        if self.chance(0.25): return self.pick(["k", "k", "k", "k + 1", "k - 2", "rounds"])
        if self.chance(0.08): return self.place().text
        lo, hi = p.lo or 0, 30 if p.hi is None else p.hi
        return str(self.pick([lo, lo, lo + 1, hi, hi, hi + 1, hi - 1, (lo + hi) // 2, self.rng.randint(lo - 1, hi + 1)]))

    def comparison(self):
        if self.chance(0.16):
            bools = [v.name for v in self.scope if v.type == "bool"]
            numbers = [v.name for v in self.scope if v.type in ("i32", "u32") and v.kind == "var"]
            return self.pick(["inside", "inside"] + bools + [f"!{b}" for b in bools] + [f"{v} % 3 == 1" for v in numbers]
                             + [f"({v} & 4) != 0" for v in numbers] + (["f > 50.0"] if self.has_float else []))
        p, op = self.place(), self.pick(["<", "<", "<=", ">", ">=", "==", "=="] + ["!="] * self.chance(0.2))
        sides = [p.text, self.bound(p)]
        if self.chance(0.3): sides.reverse()
        return f"{sides[0]} {op} {sides[1]}"

    def condition(self):
        some = [self.comparison() for _ in range(self.pick([1, 1, 1, 2, 2, 3]))]
        if len(some) == 2 and self.chance(0.15): return " || ".join(some)
        if self.chance(0.06): return f"!({' && '.join(some)})"
        return " && ".join(some)

    def index(self, extent):
        p = self.place()
        if p.lo is not None and p.hi is not None and 0 <= p.lo and p.hi < extent and self.chance(0.9):
            return p.text if self.chance(0.7) else f"{extent - 1} - {p.text}"
        if p.lo is not None and p.lo >= 0 and self.chance(0.5): return f"{p.text} % {extent}"
        return self.pick([f"clamp({p.text}, 0, {extent - 1})", f"min(max({p.text}, 0), {extent - 1})", str(self.rng.randrange(extent))])

    def readable(self):
        return [s for s in self.shared if s.filled and (s.mode in (None, "read", "own") or s.mode == "loop" and s.at)]

    def read(self, s, at=None):
        if s.mode in ("own", "loop"): at = s.own if s.mode == "own" else s.at
        else: s.mode = "read"
        element = s.element(at or [self.index(n) for n in s.extents])
        return f"i32(clamp({element}, -90000.0, 90000.0))" if s.type == "f32" else element if s.type == "i32" else f"i32({element})"

    def input(self):
        at = []
        for d in range(len(self.extents)):
            own = self.globals[d]
            at.append(self.pick([own, own, f"{own} + {self.pick([1, 2, 9])}", f"{own} - 1", self.place().text, str(self.rng.randrange(4))]))
        return f"a.at({', '.join(at)})"

    def number(self, depth=0):
        """An i32."""
        variables = [v for v in self.scope if v.type in ("i32", "u32") and (v.kind == "var" or self.chance(0.3))]
        choice = self.rng.random()
        if depth < 2 and choice < 0.35:
            one, two = self.number(depth + 1), self.number(depth + 1)
            return self.pick([f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} ^ {two})", f"max({one}, {two})",
                              f"min({one}, {two})", f"({one} + ({two} & 63))", f"({one} * 3 - {two} / 7)", f"({one} % 11 + {two})"])
        if depth < 2 and choice < 0.41: return f"«{self.condition()}‹{self.number(depth + 1)}›{self.number(depth + 1)}»"
        if choice < 0.65 and self.readable(): return self.read(self.pick(self.readable()))
        if choice < 0.75: return self.input()
        if choice < 0.85:
            p = self.place()
            return f"i32({p.text})" if p.type == "index" else p.text
        if choice < 0.95 and variables:
            v = self.pick(variables)
            return v.name if v.type == "i32" else f"i32({v.name})"
        return f"i32(k)" if self.chance(0.2) else str(self.rng.randint(1, 99))

    def value(self, type):
        text = self.number()
        return text if type == "i32" else f"f32({text} & 4095)" if type == "f32" else f"{type}({text})"

    # Statements of a segment.

    def store(self, s, at):
        if s.filled and self.chance(0.4):
            op = self.pick(["+=", "-="] if s.type == "f32" else ["+=", "-=", "^="])
            self.say(f"{s.element(at)} {op} {self.value(s.type)};")
        else: self.say(f"{s.element(at)} = {self.value(s.type)};")

    def counted(self, counter, first, n, step):
        """A loop from the item's place on, and what ends it."""
        type = "index"
        if self.chance(0.3): type, first = "i32", f"i32({first})"
        if type == "i32" and first == "i32(tid)" and "ti" in self.defined and self.chance(0.6): first = "ti"
        if first == "tid" and self.chance(0.2): first = self.linear()
        self.scope.append(Variable(counter, type, 0, n - 1, "let"))
        if self.chance(0.6):
            self.say(f"for {counter} in {first}..{n} step {step} {{", f"for ({TYPES[type]} {counter} = {first}; {counter} < {n}; {counter} += {step}) {{")
            return self.end
        self.say("{")
        self.say(f"var {counter} = {first};", f"{TYPES[type]} {counter} = {first};")
        self.say(*self.pick([(f"while {counter} < {n} {{", f"while ({counter} < {n}) {{"), (f"while {n} > {counter} {{", f"while ({n} > {counter}) {{")]))

        def end():
            self.say(f"{counter} += {step};")
            self.end()
            self.end()
        return end

    def tile(self, s, body):
        """Loops of all items through all elements, or those of a row for each row of items."""
        extents, scope, ends = s.extents, len(self.scope), []
        total = 1
        for n in extents: total *= n
        forms = ["linear", "linear"]
        if len(extents) == len(self.axes): forms += ["axes"] * 3
        if len(extents) == len(self.axes) == 2 and extents[0] == self.axes[0].items: forms += ["row"] * 2
        if len(extents) == 1 and len(self.axes) > 1: forms += ["first"]
        form = self.pick(forms)
        if form == "linear":
            p, wide = self.fresh("p"), extents[-1]
            ends.append(self.counted(p, "tid", total, self.pick([str(self.items), " * ".join(a.by or "1" for a in self.axes)])))
            at = [p] if len(extents) == 1 else [f"{p} / {wide}", f"{p} % {wide}"]
            if len(extents) == 3: at = [f"{p} / {wide * extents[1]}", f"{p} / {wide} % {extents[1]}", f"{p} % {wide}"]
            if len(extents) == 2 and self.chance(0.4):
                for d, what in enumerate("rc"):
                    e = self.fresh(what)
                    self.say(f"let {e} = {at[d]};", f"int64_t {e} = {at[d]};")
                    self.scope.append(Variable(e, "other", None, None, "let"))
                    at[d] = e
        else:
            if form == "first":
                self.say(f"if {(c := ' && '.join(f'{a.name}.local == {self.pick([0, a.items - 1])}' for a in self.axes[:-1]))} {{", f"if ({c}) {{")
                ends.append(self.end)
            at = []
            for n, axis in zip(extents, self.axes[-len(extents):]):
                if form == "row" and axis is self.axes[0]:
                    at.append(f"{axis.name}.local")
                    continue
                at.append(self.fresh("m"))
                ends.append(self.counted(at[-1], f"{axis.name}.local", n, axis.by or "1"))
        body(at)
        for end in reversed(ends): end()
        del self.scope[scope:]

    def fill(self, s):
        """All elements, so that they can be read from the next segment on."""
        def body(at):
            text = self.number(1)
            if len(at) == len(self.extents) and not self.picture:
                where = [self.pick([f"{a.name}.group * {a.by or 1} + {e} - 1", f"{a.name}.group * {a.by or 1} + {e}", f"{a.name} + {e}", e])
                         for a, e in zip(self.axes, at)]
                text = f"a.at({', '.join(where)}) + {text}" if self.chance(0.8) else text
            else: text = f"{text} * 3 + i32({at[-1]})"
            self.say(f"{s.element(at)} = {s.type}(({text}){' & 4095' if s.type == 'f32' else ''});")
        self.tile(s, body)
        s.mode = "closed"

    def loop_of_elements(self, s):
        """Elements that loops give to items are read, or written."""
        if s.mode in (None, "read") and self.chance(0.5):
            s.mode = "read"
            self.tile(s, lambda at: self.say(f"v += {self.read(s, at)};") if self.chance(0.7) else self.guarded(lambda: self.change("v")))
        elif s.mode is None:
            def body(at):
                s.mode, s.at = "loop", at
                if self.chance(0.3): self.guarded(lambda: self.store(s, at))
                else: self.store(s, at)
            self.tile(s, body)
            s.mode, s.at = "closed", None

    def rows(self, s):
        """Each item goes through a row, or through all."""
        e, n, scope = self.fresh("e"), s.extents[-1], len(self.scope)
        first = self.pick([0, 0, 0, 1 if n > 1 else 0])
        self.scope.append(Variable(e, "index", 0, n - 1, "let"))
        self.say(f"for {e} in {first}..{n} {{", f"for (int64_t {e} = {first}; {e} < {n}; {e}++) {{")
        at = [self.index(m) for m in s.extents[:-1]] + [e]
        if self.chance(0.3): self.guarded(lambda: self.say(f"v = v * 3 + {self.read(s, at)};"))
        else: self.say(f"v += {self.read(s, at)};")
        self.end()
        del self.scope[scope:]

    def halo(self, s):
        """The own element, and what lies around, by those at the edges."""
        s.mode = "closed"
        t = [a.name + ".local" for a in self.axes]
        names = {v.name for v in self.scope}
        ty, tx = (n if n in names and self.chance(0.7) else f"{p} + 1" for n, p in zip(["ty", "tx"], t))
        ey, ex = (a.items for a in self.axes)
        self.say(f"{s.element([ty, tx])} = {self.value(s.type)};")
        for place, edge, at in [(t[0], 0, ["0", tx]), (t[0], ey - 1, [str(ey + 1), tx]), (t[1], 0, [ty, "0"]), (t[1], ex - 1, [ty, str(ex + 1)])]:
            if self.chance(0.15): continue
            own = ty if place == t[0] else tx
            c = self.pick([f"{place} == {edge}", f"{edge} == {place}", f"{own} == {edge + 1}", f"{place} {'<=' if edge == 0 else '>='} {edge}",
                           f"{own} - 1 {'< 1' if edge == 0 else f'> {edge - 1}'}"])
            self.say(f"if {c} {{", f"if ({c}) {{")
            self.say(f"{s.element(at)} = {self.value(s.type)};")
            self.end()

    def change(self, name=None):
        """Assigns a variable that lives across barriers."""
        v = next((v for v in self.scope if v.name == name), None) or self.pick([v for v in self.scope if v.kind == "var"])
        if v.type == "i32": text = self.pick(["{0} = {1};", "{0} += {1};", "{0} += {1};", "{0} -= {1};", "{0} = {0} * 3 + {1};", "{0} ^= {1};"])
        elif v.type == "u32": text = self.pick(["{0} = {0} * 5 + u32({1});", "{0} ^= u32({1}) >> 3;", "{0} += u32({1}) % 17;"])
        elif v.type == "bool": text = "{0} = {2};"
        elif v.type == "f32": text = self.pick(["{0} += f32({1} & 255);", "{0} *= 0.375;", "{0} = f32({1} & 511) - {0};"])
        else: text = self.pick(["{0} = ({0} * 3 + {3}) % 1000;", "{0} += {3} % 50;", "{0} = {3} % 77;"])
        self.say(text.format(v.name, self.number(), self.condition(), self.place().text))

    def position(self):
        p, c, d, axis = self.place(), self.pick([1, 2, 3, 7]), self.pick([2, 4, 8, 16, 20]), self.pick(self.axes)
        hi, n = p.hi if p.hi is not None else 40, "nx" if "nx" in self.extents else self.extents[0]
        top = max(hi - c, 0)
        form = self.pick(["min", "max", "clamp", "/", "%", "bool", "bool", "group", "group", "plain", "k"])
        name = self.fresh("l")
        if form == "bool": return self.let(name, "bool", self.condition())
        if form == "min": return self.let(name, p.type, f"min({p.text}, {top})", p.lo if p.lo is None else min(p.lo, top), top)
        if form == "max": return self.let(name, p.type, f"max({p.text} - {c}, 0)", 0, p.hi and max(p.hi - c, 0))
        if form == "clamp": return self.let(name, p.type, f"clamp({p.text} + {c}, 1, {top + 1})", 1, top + 1)
        if form == "k": return self.let(name, "index", f"min(max(k, 0), 9) + {p.text}", p.lo, p.hi and p.hi + 9)
        if form == "group":
            u = self.pick([f"{axis.name}.group / (max({n} / {d}, 1)) * {d}", f"{axis.name}.group % ({n} / {d} + 1) * {d}", f"{axis.name}.group * {axis.items}"])
            return self.let(name, "index", f"{u} + {self.pick([f'{axis.name}.local % {d}', f'({axis.name}.local & 7)', p.text])}")
        if p.lo is None or p.lo < 0 or form == "plain": return self.let(name, p.type, p.text, p.lo, p.hi)
        if form == "/": return self.let(name, p.type, f"{p.text} / {d}", 0, p.hi and p.hi // d)
        return self.let(name, p.type, f"{p.text} % {d}", 0, d - 1)

    def guarded(self, body, may_else=False):
        c = self.condition()
        self.say(f"if {c} {{", f"if ({c}) {{")
        body()
        if may_else and self.chance(0.25):
            self.blocks -= 1
            self.say("} else {")
            body()
        self.end()

    def statement(self, depth=0):
        s, choice = self.pick(self.shared), self.rng.random()
        own = s.filled and s.mode in (None, "own")
        if depth < 2 and choice < 0.3: return self.guarded(lambda: [self.statement(depth + 1) for _ in range(self.pick([1, 1, 2]))], True)
        if depth == 0 and choice < 0.4: return self.position()
        if choice < 0.6 and own:
            s.mode = "own"
            return self.store(s, s.own)
        if choice < 0.68 and s.filled: return self.loop_of_elements(s)
        if choice < 0.75 and s.filled and s.mode in (None, "read"): return self.rows(s)
        if choice < 0.8 and s.filled and s.mode is None and len(self.axes) == 2 and s.extents == [a.items + 2 for a in self.axes]: return self.halo(s)
        if choice < 0.83 and self.output_known: return self.output(self.pick(["+=", "^=", "="]))
        self.change()

    def segment(self):
        scope = len(self.scope)
        for _ in range(self.pick([1, 2, 2, 3, 4])): self.statement()
        return scope

    def output(self, op):
        c = self.pick(["inside", "inside", "inside", f"inside && {self.comparison()}"])
        self.say(f"if {c} {{", f"if ({c}) {{")
        self.say(f"b[{'§'.join(self.globals)}] {op} {self.number()};")
        self.end()

    # What has barriers.

    def around(self):
        """A loop or an `if` around barriers; the last one is at its end."""
        modes, scope = [s.mode for s in self.shared], len(self.scope)
        form, h, n = self.pick(["half", "half", "double", "steps", "for", "for", "rounds", "if"]), self.fresh("h"), self.pick([3, 5, 8, 16, 32, self.items])
        last = None
        if form in ("half", "double", "steps"):
            type = self.pick(["index", "index", "i32"])
            first, test, last = {"half": (n, f"{h} > 0", f"{h} /= 2;"), "double": (1, f"{h} < {n}", self.pick([f"{h} *= 2;", f"{h} <<= 1;"])),
                                 "steps": (n, f"{h} >= 1", f"{h} -= {max(n // 3, 1)};")}[form]
            self.outer.append(f"{TYPES[type]} {h};")
            self.code.append("}")
            self.say(f"var {h}: {type} = {first};", f"{h} = {first};")
            self.code.append("ITEMS")
            self.leave_items(f"while {test} {{", f"while ({test}) {{")
            self.scope.append(Variable(h, type, 1, n, "uniform"))
        elif form == "if":
            c = self.pick(["k > 1", "rounds < 3", f"{self.axes[-1].name}.group % 2 == 0", f"{self.extents[-1]} > 20 && k < 9", "rounds == 2"])
            self.leave_items(f"if {c} {{", f"if ({c}) {{")
        else:
            n = self.pick([1, 2, 3, 4])
            to, type, text = ("rounds", "i32", self.pick(["0..rounds", "rounds"])) if form == "rounds" else (n, "index", f"0..{n}")
            self.leave_items(f"for {h} in {text} {{", f"for ({TYPES[type]} {h} = 0; {h} < {to}; {h}++) {{")
            self.scope.append(Variable(h, type, 0, 5 if to == "rounds" else n - 1, "uniform"))
        self.depth += 1
        for _ in range(self.pick([1, 1, 2])):
            if self.depth == 1 and self.chance(0.12): self.around()
            self.segment()
            self.barrier()
        self.depth -= 1
        self.code.append("}")
        if last: self.say(last)
        self.end()
        self.code.append("ITEMS")
        del self.scope[scope:]
        for s, mode in zip(self.shared, modes): s.mode = mode

    def tree(self, s, scan):
        """A sum of halves, or of what lies before, along the last index."""
        if s.mode is not None or self.chance(0.5): self.barrier()
        own, base, h = s.own, s.own[-1], self.fresh("h")
        along_axis = base.endswith(".local") or ".local + " in base
        if not (along_axis or base in ("tid", "tid + 1", "1 + tid")): return
        n = self.axes[-1].items if along_axis else self.items
        place = f"{self.axes[-1].name}.local" if along_axis else "tid"
        half = 1
        while 2 * half < n: half *= 2
        scope, type = len(self.scope), self.pick(["index", "index", "i32"])
        self.outer.append(f"{TYPES[type]} {h};")
        self.code.append("}")
        self.say(f"var {h}: {type} = {1 if scan else half};", f"{h} = {1 if scan else half};")
        self.code.append("ITEMS")
        test = f"{h} < {n}" if scan else self.pick([f"{h} > 0", f"{h} >= 1"])
        self.leave_items(f"while {test} {{", f"while ({test}) {{")
        self.scope.append(Variable(h, type, 1, half, "uniform"))
        if scan:
            self.say(f"{s.element(own)} = {s.type}(v{' & 4095' if s.type == 'f32' else ''});")
            self.barrier()
            c = self.pick([f"{place} >= {h}", f"{h} <= {place}", f"{place} > {h} - 1"])
            self.say(f"if {c} {{", f"if ({c}) {{")
            self.say(f"v += {self.read(s, own[:-1] + [f'{base} - {h}'])};")
        else:
            c = self.pick([f"{place} < {h}", f"{h} > {place}"]) + (f" && {place} + {h} < {n}" if 2 * half != n or self.chance(0.3) else "")
            self.say(f"if {c} {{", f"if ({c}) {{")
            if s.type != "f32" and self.chance(0.5): self.say(f"{s.element(own)} += {s.element(own[:-1] + [f'{base} + {h}'])};")
            else: self.say(f"{s.element(own)} = max({s.element(own)}, {s.element(own[:-1] + [f'{base} + {h}'])});")
        self.end()
        s.mode = "closed"
        if self.chance(0.3): self.change()
        self.barrier()
        self.code.append("}")
        self.say(*[f"{h} *= 2;" if scan else f"{h} /= 2;"] * 2)
        self.end()
        self.code.append("ITEMS")
        del self.scope[scope:]

    # The whole.

    def generate(self):
        axes, self.output_known = self.axes, not self.picture
        self.globals = ["Y", "X"] if self.picture else [a.name for a in axes]
        self.let("tid", "index", self.linear(), 0, self.items - 1)
        if self.chance(0.5): self.let("ti", "i32", "i32(tid)", 0, self.items - 1)
        for a in axes:
            if self.chance(0.6): self.let(f"t{a.name}", "index", self.pick([f"{a.name}.local + 1", f"1 + {a.name}.local"]), 1, a.items)
        if self.picture:
            wide = f"(nx / {self.wide})"
            self.let("row", "index", f"t.local / {self.wide}", 0, self.tall - 1)
            self.let("col", "index", f"t.local % {self.wide}", 0, self.wide - 1)
            self.let("Y", "index", f"t.group / {wide} * {self.tall} + row", 0, None)
            self.let("X", "index", f"t.group % {wide} * {self.wide} + col", 0, None)
            self.output_known = True
        self.let("v", "i32", self.pick([self.input(), "1", self.input() + " * 3"]), word="var")
        for name, type, text in [("w", "u32", "7"), ("j", "index", "tid"), ("q", "bool", "tid == 3")]:
            if self.chance(0.4): self.let(name, type, text, word="var")
        if self.has_float: self.let("f", "f32", "0.5", word="var")
        for _ in range(self.pick([0, 1, 2, 3])): self.position()
        for s in self.shared: self.fill(s)
        self.barrier()
        for s in self.shared: s.filled = True
        for _ in range(self.pick([2, 2, 3, 4])):
            what = self.pick(["segment", "segment", "around", "around", "tree", "scan"])
            if what == "segment":
                self.segment()
                self.barrier()
            elif what == "around":
                if self.chance(0.5): self.segment()
                if self.chance(0.5): self.barrier()
                self.around()
            else: self.tree(self.pick(self.shared), what == "scan")
        if self.chance(0.5): self.barrier()
        self.segment()
        first = self.pick(["tid == 0", " && ".join(f"{a.name}.local == 0" for a in axes), f"tid == {self.items - 1}"])
        self.say(f"if {first} {{", f"if ({first}) {{")
        self.say(f"g[{'§'.join(a.name + '.group' for a in axes)}] = {self.number()};")
        self.end()
        if self.chance(0.4): self.say("if !inside { return; }", "if (!inside) continue;")
        else: self.say("if inside {", "if (inside) {")
        self.say(f"b[{'§'.join(self.globals)}] += v + {self.number(1)};")
        if self.has_float: self.say(f"o[{'§'.join(self.globals)}] = f;")
        if self.blocks > 1: self.end()

    def text(self):
        arrays = f"a: &[i32; {', '.join(self.extents)}], b: &mut [i32; {', '.join(self.extents)}]"
        if self.has_float: arrays += f", o: &mut [f32; {', '.join(self.extents)}]"
        domain = []
        for a in self.axes:
            by, step = f" by {a.by}" if a.by else "", f" step {a.step}" if a.step > 1 else ""
            domain.append(f"{a.name} in {f'{a.lo}..' if a.lo or step else ''}{a.size}{step}{by}")
        return ("".join(f"const {n} = {v};\n" for n, v in self.constants.items())
                + f"export kernel {self.name}({arrays}, g: &mut [i32; {', '.join('g' + a.name for a in self.axes)}], k: index, rounds: i32)\n"
                f"    over {', '.join(domain)}\n{{\n" + "".join(f"    shared {s.name}: [{s.type}; {', '.join(map(str, s.extents))}];\n" for s in self.shared)
                + "\n".join(self.lines) + "\n}\n")

    def c(self):
        sizes, groups, axes = self.extents, ["g" + a.name for a in self.axes], self.axes
        shape, by_group = "".join(f"[{n}]" for n in sizes), "".join(f"[{n}]" for n in groups)
        outs = "b, o, g" if self.has_float else "b, g"
        at = [f"i{d}" for d in range(len(sizes))]
        ranges = " && ".join(f"{i}_ >= 0 && {i}_ < {n}" for i, n in zip(at, sizes))
        place, item = "", "0"
        for a in axes:
            place += f"int64_t {a.name} = {a.lo} + {a.step} * ({a.name}_group * {a.items} + {a.name}_local); (void){a.name};"
            item = f"({item}) * {a.items} + {a.name}_local"
        items = " ".join(f"for (int64_t {a.name}_local = 0; {a.name}_local < {a.items}; {a.name}_local++)" for a in axes)
        over = " ".join(f"for (int64_t {a.name}_group = 0; {a.name}_group < g{a.name}; {a.name}_group++)" for a in axes)
        inside = " && ".join(f"{a.name} < {a.size}" for a in axes)
        size = " * ".join(sizes)
        floats = self.has_float
        sizes_of, values = "[" + ", ".join(["%ld"] * len(sizes)) + "], k = %ld, rounds = %d", "".join(f"(long){n}, " for n in sizes) + "(long)k, rounds"
        arrays = [("b", "int32_t", size)] + [("o", "float", size)] * floats + [("g", "int32_t", " * ".join(groups))]
        given = lambda prefix: ", ".join(prefix + n for n, _, _ in arrays)  # noqa: E731
        return ("".join(f"#define {n} {v}\n" for n, v in self.constants.items()) + "#undef ITEMS\n#undef a_at\n"
                f"#define a_at({', '.join(at)}) ({{ int64_t {', '.join(f'{i}_ = {i}' for i in at)}; "
                f"{ranges} ? a{''.join(f'[{i}_]' for i in at)} : 0; }})\n"
                f"#define ITEMS {items} {{ int item_ = {item}; {place} bool inside = {inside};\n"
                f"static void want_{self.name}({''.join(f'int64_t {n}, ' for n in sizes + groups)}const int32_t a{shape}, int32_t b{shape}, "
                f"{f'float o{shape}, ' if floats else ''}int32_t g{by_group}, int64_t k, int32_t rounds) {{\n"
                + "".join(f"{TYPES[t]} V_{n}[{self.items}];\n#undef {n}\n#define {n} V_{n}[item_]\n" for n, t in self.defined.items())
                + "\n".join(self.outer) + f"\n{over} {{\n" + "".join(f"{TYPES[s.type]} {s.name}{''.join(f'[{n}]' for n in s.extents)};\n" for s in self.shared)
                + "ITEMS\n" + "\n".join(self.code) + "\n}\n}\n}\n" + "".join(f"#undef {n}\n" for n in self.defined)
                + f"static void try_{self.name}({''.join(f'int64_t {n}, ' for n in sizes)}int64_t k, int rounds) {{\nchar sizes[200]; "
                f"sprintf(sizes, \"{self.name}: {sizes_of}\", {values});\n"
                + "".join(f"int64_t g{a.name} = groups_of({a.lo}, {a.size}, {a.step}, {a.items});\n" for a in axes)
                + f"int32_t *a = guarded({size} * 4);\nfor (int64_t i = 0; i < {size}; i++) a[i] = (i * 7919 + (i >> 3) * 31) % 1009 - 300;\n"
                + "".join(f"{t} *{n} = guarded({some} * 4), *want_{n} = guarded({some} * 4);\nfor (int64_t i = 0; i < {some}; i++) {n}[i] = want_{n}[i] = i % 13;\n"
                          for n, t, some in arrays)
                + f"if ({self.name}(a, {given('')}, k, rounds, {', '.join(sizes + groups)})) {{ printf(\"FAILED %s: %s\\n\", sizes, kdsl_last_error()); bad++; return; }}\n"
                f"want_{self.name}({', '.join(sizes + groups)}, a, {given('want_')}, k, rounds);\n"
                + "".join(f"compare(\"{n}\", sizes, {n}, want_{n}, {some});\n" for n, _, some in arrays) + "}\n")

    def tries(self, some=5):
        rng, calls = self.rng, ""
        items = [self.tall, self.wide] if self.picture else [a.items * a.step for a in self.axes]
        for t in range(some):
            most = {1: 1500, 2: 140, 3: 34}[len(items)]
            sizes = [min(most, rng.choice([1, n - 1, n, n + 1, 2 * n, 2 * n + 3, 3 * n - 1, 4 * n, 4 * n + 1, rng.randint(1, 3 * n + 20)])) or 1 for n in items]
            k = rng.choice([0, 1, 2, 3, rng.randint(0, items[-1] + 2), rng.randint(0, self.items), -1, 1000])
            calls += f"try_{self.name}({''.join(f'{n}, ' for n in sizes)}{k}, {[2, 0, 1, 3, 5][t % 5]});\n"
        return calls


class GroupsTest(GuardedTest):
    def run_one(self, seed, options, names=None):
        rng = random.Random(seed)
        kernels = [Kernel(rng, f"k{i}") for i in range(KERNELS)]
        tries = [k.tries() for k in kernels]
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder, True)
        (folder / "p.kdsl").write_text("\n".join(k.text() for k in kernels))
        (folder / "main.c").write_text(HEAD + HELPERS + "\n".join(k.c() for k in kernels) + "int main(void) {\nsetbuf(stdout, NULL);\n"
                                       + "".join(tries) + "return bad > 0;\n}\n")
        flags = self.sh(self.kdslc, "--print-link-flags", cwd=folder).split()
        for k, option in enumerate(options):
            what = f"seed {seed}, {option}"
            with self.subTest(seed=seed, option=option):
                self.sh(self.kdslc, "-c", "p.kdsl", "-o", "p.o", "--header=p.h", *option.split(), cwd=folder, what=what)
                if not (folder / "main.o").exists():
                    self.sh("gcc", "-O1", "-w", "-fwrapv", "-ffp-contract=off", "-c", "main.c", cwd=folder, what=what)
                self.sh("gcc", "main.o", "p.o", *flags, "-lm", "-o", "main", cwd=folder, what=what)
                try: self.sh("env", "OMP_NUM_THREADS=1", folder / "main", cwd=folder, what=what)
                except AssertionError as error:
                    wrong = sorted(set(re.findall(r"\b(k\d+): \[", str(error))))
                    raise AssertionError(str(error) + "\n" + "\n".join(k.text() for k in kernels if k.name in wrong)) from None

    def options(self):
        cpus = ["native", "x86-64-v2"] + [f"x86-64-v{v}" for v, flag in [(3, " avx2 "), (4, " avx512f ")] if flag in Path("/proc/cpuinfo").read_text()]
        return [f"-O2 --march={cpu}" for cpu in cpus] + ["-O0"]

    @parts.quick
    def test_some(self):
        self.run_one(1, self.options())

    @parts.exhaustive
    def test_more(self):
        for seed in range(2, 10): self.run_one(seed, self.options())


if __name__ == "__main__":
    unittest.main()
