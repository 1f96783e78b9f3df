#!/usr/bin/env python3
"""Groups on a CPU, judged by gcc: random kernels whose items share memory and wait at barriers, beside C that goes through the
groups and, between two barriers, through the items of a group in order. What items guard, what lives across barriers, how
tiles are loaded and how loops around barriers count is up to chance. Arrays lie beside pages that must not be read.
Usage: test_groups.py KDSLC"""
import math
import random
import re
import sys
import tempfile
import unittest
from collections import namedtuple
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from guarded import HEAD, GuardedTest  # noqa: E402

GuardedTest.kdslc = Path(sys.argv.pop(1)).resolve()
KERNELS = 12  # in each program
TYPES = {"i32": "int32_t", "u32": "uint32_t", "index": "int64_t", "i64": "int64_t", "i16": "int16_t", "u8": "uint8_t", "f32": "float"}
HELPERS = """#include <signal.h>
#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define clamp(x, a, b) min(max(x, a), b)
""" + "".join(f"#define {t}(e) (({c})(e))\n" for t, c in TYPES.items()) + """
static char sizes[200];  /* of what runs */
static void crashed(int by) { printf("CRASHED %s\\n", sizes); exit(1); }
static void compare(const char *name, const int *a, const int *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) if (a[i] != b[i] && ++bad) {
        printf("WRONG %s of %s: element %d is %d (0x%x), not %d (0x%x)\\n", name, sizes, (int)i, a[i], a[i], b[i], b[i]);
        return;
    }
}
"""
TYPES["bool"] = "_Bool"
Axis = namedtuple("Axis", "name size items by lo step")
Place = namedtuple("Place", "text lo hi type")  # an index, and between which numbers it is
Variable = namedtuple("Variable", "name type lo hi kind")  # kind: let, var, or uniform: counts a loop around barriers
BIG = 10 ** 9  # more than any index
# Text is that of the language but for a few marks, which are written in another way in C: indices, and `if` as an expression.
MARKS = {"§": (", ", "]["), "«": ("(if ", "(("), "‹": (" { ", ") ? ("), "›": (" } else { ", ") : ("), "»": (" })", "))")}


def spelt(text, in_c):
    for mark, pair in MARKS.items(): text = text.replace(mark, pair[in_c])
    return re.sub(r"\.(local|groups|group|at)\b", r"_\1", text) if in_c else text


class Shared:
    """An array of the group. So that there are no races, in one segment (mode) all items `read` it, each has its `own` element, a
    loop gives elements to items (`loop`; the one at hand is `at`), or nothing else may use it (`closed`)."""
    def __init__(self, name, type, extents, own):
        self.name, self.type, self.extents, self.own, self.filled, self.mode, self.at = name, type, extents, own, False, None, None
    def element(self, at): return f"{self.name}[{'§'.join(at)}]"
    def of(self, text): return text if self.type == "i32" else f"f32(({text}) & 4095)" if self.type == "f32" else f"{self.type}({text})"
    def as_i32(self, at):
        e = self.element(at)
        return {"i32": e, "f32": f"i32(clamp({e}, -90000.0, 90000.0))"}.get(self.type, f"i32({e})")


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name, self.pick, self.depth, self.blocks, self.names = rng, name, rng.choice, 0, 1, count()
        self.lines, self.code, self.outer, self.defined, self.scope, self.axes = [], [], [], {}, [], self.chosen_axes()
        self.items, self.extents, self.own = math.prod(a.items for a in self.axes), [a.size for a in self.axes], [a.name for a in self.axes]
        self.shared = [self.chosen_shared(f"s{i}") for i in range(self.pick([1, 2, 2, 3]))]
        self.generate()

    # What is written in both languages; an item's variables are arrays in C.

    def say(self, text, code=None):
        self.lines.append("    " * self.blocks + spelt(text, 0))
        self.code.append(spelt(text if code is None else code, 1))
    def let(self, name, type, text, lo=0, hi=BIG, word="let"):
        self.defined[name] = type
        self.say(f"{word} {name}{f': {type}' if word == 'var' else ''} = {text};", f"{name} = {text};")
        self.scope.append(Variable(name, type, lo, hi, word))
    def barrier(self):
        self.say("barrier;", "}\nITEMS")
        for s in self.shared: s.mode = None
    @contextmanager
    def block(self, text, code, last=None):
        self.say(text + " {", code + " {")
        self.blocks += 1
        yield
        if last: self.say(last)
        self.blocks -= 1
        self.say("}")
    def when(self, condition): return self.block(f"if {condition}", f"if ({condition})")
    @contextmanager
    def together(self, text, code, counter=None, first=None, last=None):
        """A loop or an `if` around barriers, and the variable that counts it."""
        modes, scope = [s.mode for s in self.shared], len(self.scope)
        self.code.append("}")
        if first is not None:
            self.outer.append(f"{TYPES[counter.type]} {counter.name};")
            self.say(f"var {counter.name}: {counter.type} = {first};", f"{counter.name} = {first};")
        self.scope += [counter] if counter else []
        with self.block(text, code):
            self.code.append("ITEMS")
            yield
            self.barrier()
            self.code.append("}")
            if last: self.say(last)
        self.code.append("ITEMS")
        del self.scope[scope:]
        for s, mode in zip(self.shared, modes): s.mode = mode
    def chance(self, p): return self.rng.random() < p
    def chosen_axes(self):
        while True:
            items = [self.pick([1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 20, 32, 48, 64, 128]) for _ in range(self.pick([1, 1, 2, 2, 2, 2, 3, 3]))]
            if math.prod(items) <= 256 and (len(items) < 3 or items[0] <= 64) and (math.prod(items) >= 8 or self.chance(0.03)): break
        return [Axis(name, f"n{name}", n, None if n == 1 < math.prod(items) and self.chance(0.6) else n, self.pick([0] * 7 + [1, 3]),
                     self.pick([1] * 9 + [2])) for name, n in zip("zyx"[3 - len(items):], items)]
    def chosen_shared(self, name):
        type, form, n = self.pick(["i32"] * 4 + ["u8", "i16", "f32", "i64", "u32"]), self.pick(["line", "axes", "axes", "rows"]), self.items
        if form == "axes" and (len(self.axes) > 1 or self.chance(0.5)):
            more = [self.pick([0, 0, 2, 2, 1, a.items, 5]) for a in self.axes]
            own = [f"{a.name}.local" + (" + 1" if m and self.chance(0.3) else "") for a, m in zip(self.axes, more)]
            return Shared(name, type, [a.items + m for a, m in zip(self.axes, more)], own)
        if form == "rows":
            width = self.pick([4, 5, 8, 10, 16, 18, 20, 32, 33, 34])
            return Shared(name, type, [(n + width - 1) // width + self.pick([0, 0, 1, 3]), width], [f"(tid / {width})", f"(tid % {width})"])
        more = self.pick([0, 0, 1, 2, 5, n, n + 3, 3 * n, 4 * n + 7])
        return Shared(name, type, [n + more], [self.pick(["tid", "tid", f"{n - 1} - tid"] + ["tid + 1", "1 + tid"] * bool(more))])

    # Expressions.
    def linear(self):
        text = f"{self.axes[0].name}.local"
        for i, a in enumerate(self.axes[1:]): text = (f"({text})" if i else text) + f" * {a.items} + {a.name}.local"
        return text
    def place(self):
        known = [Place(v.name, v.lo, v.hi, v.type) for v in self.scope if v.type in ("index", "i32") and v.kind != "var"]
        a = self.pick(self.axes)
        place, item = Place(f"{a.name}.local", 0, a.items - 1, "index"), Place(self.pick(["tid", "tid", f"({self.linear()})"]), 0, self.items - 1, "index")
        some = [place] * 5 + [Place(a.name, 0, BIG, "index"), Place(f"{a.name}.group", 0, BIG, "index"), item, item]
        text, lo, hi, type = p = self.pick(known[-8:] if known and self.chance(0.45) else some)
        c, d, m = self.pick([1, 1, 2, 3, 7]), self.pick([2, 3, 4, 5, 8, 8, 16, 20]), self.pick([1, 3, 7, 15])
        forms = [p] * 5 + [Place(f"({text} + {c})", lo + c, hi + c, type), Place(f"({c} + {text})", lo + c, hi + c, type),
                           Place(f"({text} * 2 + 1)", 2 * lo + 1, 2 * hi + 1, type)] + [Place(f"({text} - {c})", lo - c, hi - c, type)] * 2
        if lo >= 0: forms += [Place(f"({text} {op})", 0, most, type) for op, most in [(f"/ {d}", hi // d), (f"% {d}", d - 1), (f"& {m}", m), (">> 3", hi >> 3)]]
        if 0 <= lo and hi < BIG: forms.append(Place(f"({hi} - {text})", 0, hi - lo, type))
        return self.pick(forms)
    def bound(self, p):
        uniform = [v.name for v in self.scope if v.kind == "uniform"]
        if uniform and self.chance(0.5): return self.pick(uniform) + self.pick(["", "", " + 1", " - 1"])
        if self.chance(0.25): return self.pick(["k", "k", "k", "k + 1", "k - 2", "rounds"])
        if self.chance(0.08): return self.place().text
        lo, hi = max(p.lo, -20), min(max(p.hi, -20), 300)
        return str(self.pick([lo, lo, lo + 1, hi, hi, hi + 1, hi - 1, (lo + hi) // 2, self.rng.randint(lo - 1, hi + 1)]))
    def comparison(self, may_be_data=0.12):
        if self.chance(may_be_data):
            data = {"bool": ["{0}", "!{0}"], "f32": ["{0} > 50.0"], "i32": ["{0} % 3 == 1", "({0} & 4) != 0"], "u32": ["{0} % 3 == 1"]}
            some = [data[v.type] + [v.name] for v in self.scope if v.type in data and (v.kind == "var" or v.type == "bool")] + [["inside"] * 2]
            *forms, name = self.pick(some)
            return self.pick(forms).format(name)
        sides = [(p := self.place()).text, self.bound(p)]
        if self.chance(0.3): sides.reverse()
        return f"{sides[0]} {self.pick('< < <= > >= == == !='.split())} {sides[1]}"
    def condition(self):
        may_be_data = self.pick([0, 0.25])
        some = [self.comparison(may_be_data) for _ in range(self.pick([1, 1, 1, 2, 2, 3]))]
        if len(some) == 2 and self.chance(0.15): return " || ".join(some)
        return f"!({' && '.join(some)})" if self.chance(0.06) else " && ".join(some)
    def guard(self, p=1.0): return self.when(self.condition()) if self.chance(p) else nullcontext()
    def index(self, extent):
        text, lo, hi, _ = self.place()
        if 0 <= lo and hi < extent: return text if self.chance(0.7) else f"{extent - 1} - {text}"
        if lo >= 0 and self.chance(0.5): return f"{text} % {extent}"
        return self.pick([f"clamp({text}, 0, {extent - 1})", f"min(max({text}, 0), {extent - 1})", str(self.rng.randrange(extent))])
    def readable(self): return [s for s in self.shared if s.filled and (s.mode in (None, "read", "own") or s.mode == "loop" and s.at)]
    def read(self, s, at=None):
        at = s.own if s.mode == "own" else s.at if s.mode == "loop" else at or [self.index(n) for n in s.extents]
        s.mode = s.mode or "read"
        return s.as_i32(at)
    def input(self):
        if self.chance(0.2): return f"«inside‹a[{'§'.join(self.own)}]›0»"
        return f"a.at({', '.join(self.pick([o, o, f'{o} + 2', f'{o} + 9', f'{o} - 1', self.place().text, '3']) for o in self.own)})"
    def number(self, depth=0):
        """An i32."""
        choice, p = self.rng.random() + (0.41 if depth > 1 else 0), self.place()
        if choice < 0.35:
            forms = "({0} + {1})|({0} - {1})|({0} * {1})|({0} ^ {1})|max({0}, {1})|min({0}, {1})|({0} + ({1} & 63))|({0} * 3 - {1} / 7)|({0} % 11 + {1})"
            return self.pick(forms.split("|")).format(self.number(depth + 1), self.number(depth + 1))
        if choice < 0.41: return f"«{self.condition()}‹{self.number(depth + 1)}›{self.number(depth + 1)}»"
        if choice < 0.7 and self.readable(): return self.read(self.pick(self.readable()))
        if choice < 0.8: return self.input()
        if choice < 0.9: return f"i32({p.text})" if p.type == "index" else p.text
        known = [f"i32({v.name})" if v.type != "i32" else v.name for v in self.scope if v.type != "f32"]
        return self.pick(known) if choice < 1 else self.pick(["i32(k)", str(self.rng.randint(1, 99)), str(self.rng.randint(1, 99))])

    # Statements of a segment.
    def store(self, s, at):
        op = self.pick(["+=", "-=", "-=" if s.type == "f32" else "^="]) if s.filled and self.chance(0.4) else "="
        self.say(f"{s.element(at)} {op} {s.of(self.number())};")
    @contextmanager
    def counted(self, counter, first, n, step):
        """A loop from the item's place on."""
        type, test = self.pick(["index", "index", "i32"]), self.pick([f"{counter} < {n}", f"{n} > {counter}"])
        if first == "tid" and self.chance(0.2): first = self.linear()
        if type == "i32": first = "ti" if first == "tid" and "ti" in self.defined and self.chance(0.6) else f"i32({first})"
        self.scope.append(Variable(counter, type, 0, n - 1, "let"))
        begin = f"{TYPES[type]} {counter} = {first};"
        if self.chance(0.6):
            with self.block(f"for {counter} in {first}..{n} step {step}", f"for ({begin} {counter} < {n}; {counter} += {step})"): yield
        else:
            self.say(f"var {counter} = {first};", begin)
            with self.block(f"while {test}", f"while ({test})", f"{counter} += {step};"): yield
    def tile(self, s, body):
        """Loops of all items through all elements, or those of a row of items through a row."""
        extents, axes, scope, forms = s.extents, self.axes, len(self.scope), ["linear", "linear"]
        if len(extents) == len(axes): forms += ["axes"] * 3
        if len(extents) == len(axes) == 2 and extents[0] == axes[0].items: forms += ["row"] * 3
        if len(extents) == 1 < len(axes): forms.append("first")
        form, wide, p = self.pick(forms), extents[-1], f"p{next(self.names)}"
        with ExitStack() as stack:
            if form == "linear":
                stack.enter_context(self.counted(p, "tid", math.prod(extents), self.pick([str(self.items), " * ".join(str(a.items) for a in axes)])))
                at = [[p], [f"{p} / {wide}", f"{p} % {wide}"], [f"{p} / {wide * extents[-2 % len(extents)]}", f"{p} / {wide} % {extents[-2 % len(extents)]}",
                                                                f"{p} % {wide}"]][len(extents) - 1]
            else:
                if form == "first": stack.enter_context(self.when(" && ".join(f"{a.name}.local == {self.pick([0, a.items - 1])}" for a in axes[:-1])))
                at = [f"{axes[0].name}.local"] if form == "row" else []
                for n, a in list(zip(extents, axes[-len(extents):]))[len(at):]:
                    at.append(f"p{next(self.names)}")
                    stack.enter_context(self.counted(at[-1], f"{a.name}.local", n, a.items))
            body(at)
        del self.scope[scope:]
    def fill(self, s):
        """All elements, so that they can be read from the next segment on."""
        def body(at):
            text = self.number(1)
            if len(at) != len(self.extents): text = f"{text} * 3 + i32({at[-1]})"
            elif self.chance(0.8):
                forms = [(f"{a.name}.group * {a.items} + {e}", f"{a.name} + {e}", e) for a, e in zip(self.axes, at)]
                text = f"a.at({', '.join(self.pick([f[0], f[0] + ' - 1', f[1], f[2]]) for f in forms)})" + self.pick(["", f" + {text}"])
            self.say(f"{s.element(at)} = {s.of(text)};")
        self.tile(s, body)
        s.mode = "closed"
    def loop_of_elements(self, s):
        """Elements that loops give to items are read, or written."""
        def body(at):
            s.at = at
            with self.guard(0.3): self.store(s, at) if s.mode == "loop" else self.say(f"v += {self.read(s, at)};")
        s.mode = "loop" if s.mode is None and self.chance(0.5) else "read"
        self.tile(s, body)
        s.mode, s.at = "read" if s.mode == "read" else "closed", None
    def row(self, s):
        """Each item goes through a row, or through all."""
        e, n, first = f"e{next(self.names)}", s.extents[-1], self.pick([0, 0, 1])
        self.scope.append(Variable(e, "index", 0, n - 1, "let"))
        with self.block(f"for {e} in {first}..{n}", f"for (int64_t {e} = {first}; {e} < {n}; {e}++)"), self.guard(0.3):
            self.say(f"v = v * {self.pick([1, 3])} + {self.read(s, [self.index(m) for m in s.extents[:-1]] + [e])};")
        self.scope.pop()
    def halo(self, s):
        """The own element, and what lies around, by those at the edges."""
        s.mode, (a, b) = "closed", self.axes
        y, x = (f"t{c.name}" if f"t{c.name}" in self.defined and self.chance(0.7) else f"{c.name}.local + 1" for c in self.axes)
        self.say(f"{s.element([y, x])} = {s.of(self.number())};")
        for c, own, at in [(a, y, ["0", x]), (a, y, [str(a.items + 1), x]), (b, x, [y, "0"]), (b, x, [y, str(b.items + 1)])]:
            place, n = f"{c.name}.local", c.items
            low, high = [f"{place} == 0", f"1 == {own}", f"{own} <= 1", f"{own} - 1 < 1"], [f"{place} == {n - 1}", f"{n} == {own}", f"{place} > {n - 2}"]
            with self.when(self.pick(low if "0" in at else high)): self.say(f"{s.element(at)} = {s.of(self.number())};")
    def change(self):
        """Assigns a variable that lives across barriers."""
        v = self.pick([v for v in self.scope if v.kind == "var"])
        forms = {"i32": "{0} = {1};|{0} += {1};|{0} -= {1};|{0} = {0} * 3 + {1};|{0} ^= {1};", "bool": "{0} = {2};",
                 "u32": "{0} = {0} * 5 + u32({1});|{0} ^= u32({1}) >> 3;|{0} += u32({1}) % 17;", "f32": "{0} += f32({1} & 255);|{0} *= 0.375;",
                 "index": "{0} = ({0} * 3 + {3}) % 1000;|{0} += {3} % 50;|{0} = {3} % 77;"}
        self.say(self.pick(forms[v.type].split("|")).format(v.name, self.number(), self.condition(), self.place().text))
    def position(self):
        (text, lo, hi, type), c, d, a, n = self.place(), self.pick([1, 2, 3, 7]), self.pick([2, 4, 8, 16, 20]), self.pick(self.axes), self.extents[-1]
        group = self.pick([f"{a.name}.group / max({n} / {d}, 1) * {d}", f"{a.name}.group % ({n} / {d} + 1) * {d}", f"{a.name}.group * {a.items}"])
        group += " + " + self.pick([f"{a.name}.local % {d}", f"({a.name}.local & 7)", text])
        top = max((hi if hi < 1000 else 40) - c, 0)
        forms = [("bool", self.condition(), 0, 0)] * 2 + [("index", group, -BIG, BIG)] * 2
        forms += [(type, text, lo, hi), (type, f"min({text}, {top})", min(lo, top), top), (type, f"max({text} - {c}, 0)", 0, max(hi - c, 0)),
                  (type, f"clamp({text} + {c}, 1, {top + 1})", 1, top + 1), ("index", f"min(max(k, 0), 9) + {text}", lo, hi + 9)]
        if lo >= 0: forms += [(type, f"{text} / {d}", 0, hi // d), (type, f"{text} % {d}", 0, d - 1)]
        self.let(f"l{next(self.names)}", *self.pick(forms))
    def statement(self, depth=0):
        s, choice = self.pick([s for s in self.shared if s.filled]), self.rng.random()
        if depth < 2 and choice < 0.3:
            with self.guard():
                for n in range(self.pick([1, 1, 2])): self.statement(depth + 1)
                if self.chance(0.2):
                    self.say("} else {")
                    self.statement(depth + 1)
        elif depth == 0 and choice < 0.4: self.position()
        elif choice < 0.6 and s.mode in (None, "own"):
            s.mode = "own"
            self.store(s, s.own)
        elif choice < 0.75 and s.mode in (None, "read"): self.pick([self.loop_of_elements, self.row])(s)
        elif choice < 0.8 and s.mode is None and len(self.axes) == 2 and s.extents == [a.items + 2 for a in self.axes]: self.halo(s)
        elif choice < 0.83:
            with self.when(self.pick(["inside", "inside", f"inside && {self.comparison()}"])): self.say(f"b[{'§'.join(self.own)}] += {self.number()};")
        else: self.change()
    def segment(self):
        for _ in range(self.pick([1, 2, 2, 3, 4])): self.statement()

    # What has barriers.
    def around(self):
        form, h, n = self.pick("half half double steps for for rounds if".split()), f"h{next(self.names)}", self.pick([3, 5, 8, 16, 32, self.items])
        if form in ("half", "double", "steps"):
            first, test, last = {"half": (n, f"{h} > 0", f"{h} /= 2;"), "double": (1, f"{h} < {n}", self.pick([f"{h} *= 2;", f"{h} <<= 1;"])),
                                 "steps": (n, f"{h} >= 1", f"{h} -= {max(n // 3, 1)};")}[form]
            loop = f"while {test}", f"while ({test})", Variable(h, self.pick(["index", "index", "i32"]), 1, n, "uniform"), first, last
        elif form == "if":
            c = self.pick(["k > 1", "rounds < 3", f"{self.axes[-1].name}.group % 2 == 0", f"{self.extents[-1]} > 20 && k < 9", "rounds == 2"])
            loop = f"if {c}", f"if ({c})"
        else:
            n, type = (self.pick([1, 2, 3, 4]), "index") if form == "for" else ("rounds", "i32")
            loop = f"for {h} in 0..{n}", f"for ({TYPES[type]} {h} = 0; {h} < {n}; {h}++)", Variable(h, type, 0, 5, "uniform")
        self.depth += 1
        with self.together(*loop):
            for n in range(self.pick([1, 1, 2])):
                if n: self.barrier()
                if self.depth == 1 and self.chance(0.12): self.around()
                self.segment()
        self.depth -= 1
    def tree(self, s, scan):
        """A sum of halves, or of what lies before, along the last index."""
        (*rows, base), h, half = s.own, f"h{next(self.names)}", 1
        if "/" in base or "%" in base or "- tid" in base: return
        if s.mode is not None or self.chance(0.5): self.barrier()
        place, n = (f"{self.axes[-1].name}.local", self.axes[-1].items) if ".local" in base else ("tid", self.items)
        while 2 * half < n: half *= 2
        first, test, last = (1, f"{h} < {n}", f"{h} *= 2;") if scan else (half, self.pick([f"{h} > 0", f"{h} >= 1"]), f"{h} /= 2;")
        with self.together(f"while {test}", f"while ({test})", Variable(h, self.pick(["index", "i32"]), 1, half, "uniform"), first, last):
            mine, other, s.mode = s.element(s.own), s.element(rows + [f"{base} + {h}"]), "closed"
            c = self.pick([f"{place} >= {h}", f"{h} <= {place}"]) if scan else f"{place} < {h} && {place} + {h} < {n}"
            if not scan and 2 * half == n: c = self.pick([c, f"{place} < {h}", f"{h} > {place}"])
            if scan:
                self.say(f"{mine} = {s.of('v')};")
                self.barrier()
            s.mode, added = "closed", s.type != "f32" and self.chance(0.5)
            text = f"v += {s.as_i32(rows + [f'{base} - {h}'])};" if scan else f"{mine} += {other};" if added else f"{mine} = max({mine}, {other});"
            with self.when(c): self.say(text)
            if self.chance(0.3): self.change()
    def generate(self):
        self.let("tid", "index", self.linear(), 0, self.items - 1)
        if self.chance(0.5): self.let("ti", "i32", "i32(tid)", 0, self.items - 1)
        for a in self.axes:
            if self.chance(0.6): self.let(f"t{a.name}", "index", self.pick([f"{a.name}.local + 1", f"1 + {a.name}.local"]), 1, a.items)
        self.let("v", "i32", self.pick([self.input(), "1", self.input() + " * 3"]), word="var")
        for name, type, text in [("w", "u32", "7"), ("j", "index", "tid"), ("q", "bool", "tid == 3"), ("f", "f32", "0.5")]:
            if self.chance(0.4): self.let(name, type, text, word="var")
        for _ in range(self.pick([0, 1, 2, 3])): self.position()
        for s in self.shared: self.fill(s)
        self.barrier()
        for s in self.shared: s.filled = True
        for _ in range(self.pick([2, 2, 3, 4])):
            what = self.pick(["segment", "segment", "around", "around", "tree", "scan"])
            if what in ("tree", "scan"): self.tree(self.pick(self.shared), what == "scan")
            elif what == "segment" or self.chance(0.5): self.segment()
            if what == "segment" or self.chance(0.4): self.barrier()
            if what == "around": self.around()
        self.segment()
        if self.chance(0.6): self.barrier()
        for s in self.readable():
            if s.mode in (None, "read") and self.chance(0.7): self.tile(s, lambda at: self.say(f"v = v * 3 + {self.read(s, at)};"))
        with self.when(self.pick(["tid == 0", " && ".join(f"{a.name}.local == 0" for a in self.axes), f"tid == {self.items - 1}"])):
            self.say(f"g[{'§'.join(a.name + '.group' for a in self.axes)}] = v + {self.number()};")
        if returns := self.chance(0.4): self.say("if !inside { return; }", "if (!inside) continue;")
        with nullcontext() if returns else self.when("inside"):
            self.say(f"b[{'§'.join(self.own)}] += v + {self.number(1)}" + "".join(f" * 5 + i32({n})" for n in "wjq" if n in self.defined) + ";")
            if "f" in self.defined: self.say(f"o[{'§'.join(self.own)}] = f;")

    # The kernel, the same in C, and what calls both.
    def text(self):
        shape, f32s = ", ".join(self.extents), "f" in self.defined
        return (f"export kernel {self.name}(a: &[i32; {shape}], b: &mut [i32; {shape}], {f'o: &mut [f32; {shape}], ' if f32s else ''}"
                f"g: &mut [i32; {', '.join('g' + a.name for a in self.axes)}], k: index, rounds: i32)\n    over "
                + ", ".join(f"{a.name} in {f'{a.lo}..{a.size} step {a.step}'.replace(' step 1', '').removeprefix('' if a.step > 1 else '0..')}{f' by {a.by}' if a.by else ''}" for a in self.axes)
                + "\n{\n" + "".join(f"    shared {s.name}: [{s.type}; {', '.join(map(str, s.extents))}];\n" for s in self.shared)
                + "\n".join(self.lines) + "\n}\n")
    def c(self):
        def each(form, some, between=""): return between.join(form.replace("@", n) for n in some)
        sizes, axes, at, item = self.extents, self.axes, [f"i{d}" for d in range(len(self.extents))], "0"
        groups, size, shape = ["g" + a.name for a in axes], " * ".join(self.extents), each("[@]", self.extents)
        for a in axes: item = f"({item}) * {a.items} + {a.name}_local"
        arrays = [("b", "int32_t", shape, size), ("o", "float", shape, size), ("g", "int32_t", each("[@]", groups), " * ".join(groups))]
        if "f" not in self.defined: del arrays[1]
        in_range = " && ".join(f"{i}_ >= 0 && {i}_ < {n}" for i, n in zip(at, sizes))
        return "\n".join([
            f"#undef ITEMS\n#undef a_at\n#define a_at({', '.join(at)}) ({{ {each('int64_t @_ = @; ', at)}{in_range} ? a{each('[@_]', at)} : 0; }})",
            "#define ITEMS " + "".join(f"for (int64_t {a.name}_local = 0; {a.name}_local < {a.items}; {a.name}_local++) " for a in axes)
            + f"{{ int item_ = {item}; " + "".join(f"int64_t {a.name} = {a.lo} + {a.step} * ({a.name}_group * {a.items} + {a.name}_local); " for a in axes)
            + f"_Bool inside = {' && '.join(f'{a.name} < {a.size}' for a in axes)};",
            f"static void want_{self.name}({each('int64_t @, ', sizes + groups)}const int32_t a{shape}, "
            + "".join(f"{t} {n}{extents}, " for n, t, extents, _ in arrays) + "int64_t k, int32_t rounds) {",
            *(f"{TYPES[t]} V_{n}[{self.items}];\n#define {n} V_{n}[item_]" for n, t in self.defined.items()), *self.outer,
            *(f"for (int64_t {a.name}_group = 0; {a.name}_group < g{a.name}; {a.name}_group++)" for a in axes), "{",
            *(f"{TYPES[s.type]} {s.name}{each('[@]', map(str, s.extents))};" for s in self.shared), "ITEMS", *self.code, "}\n}\n}",
            each("#undef @\n", self.defined) + f"static void try_{self.name}({each('int64_t @, ', sizes)}int64_t k, int rounds) {{",
            f"sprintf(sizes, \"{self.name}: [{each('%d', sizes, ', ')}], k = %d, rounds = %d\", {each('(int)@, ', sizes)}(int)k, rounds);",
            *(f"int64_t g{a.name} = max((({a.size} - {a.lo + 1 - a.step}) / {a.step} + {a.items - 1}) / {a.items}, 0);" for a in axes),
            f"int32_t *a = guarded({size} * 4);\nfor (int64_t i = 0; i < {size}; i++) a[i] = (i * 7919 + (i >> 3) * 31) % 1009 - 300;",
            *(f"{t} *{n} = guarded({some} * 4), *want_{n} = guarded({some} * 4);\nfor (int64_t i = 0; i < {some}; i++) {n}[i] = want_{n}[i] = i % 13;"
              for n, t, _, some in arrays),
            f"if ({self.name}(a, {each('@, ', [n for n, *_ in arrays])}k, rounds, {', '.join(sizes + groups)})) {{",
            'printf("FAILED %s: %s\\n", sizes, kdsl_last_error());\nbad++;\n}',
            f"want_{self.name}({', '.join(sizes + groups)}, a, {each('want_@, ', [n for n, *_ in arrays])}k, rounds);",
            *(f"compare(\"{n}\", {n}, want_{n}, {some});" for n, _, _, some in arrays), "}\n"])
    def calls(self, some=5):
        items, text = [a.items * a.step for a in self.axes], ""
        for t in range(some):
            sizes = [max(1, min([1500, 140, 34][len(items) - 1], self.pick([1, n - 1, n, n + 1, 2 * n, 2 * n + 3, 3 * n - 1, 4 * n, 4 * n + 1,
                                                                            self.rng.randint(1, 3 * n + 20)]))) for n in items]
            k = self.pick([0, 1, 2, 3, self.rng.randint(0, items[-1] + 2), self.rng.randint(0, self.items), -1, 1000])
            text += f"try_{self.name}({''.join(f'{n}, ' for n in sizes)}{k}, {[2, 0, 1, 3, 5][t % 5]});\n"
        return text


def program(seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng, f"k{i}") for i in range(KERNELS)]
    calls = "".join(k.calls() for k in kernels)
    return kernels, HEAD + HELPERS + "\n".join(k.c() for k in kernels) + f"int main(void) {{\nsetbuf(stdout, NULL);\nsignal(SIGSEGV, crashed);\n{calls}return bad > 0;\n}}\n"


class GroupsTest(GuardedTest):
    def run_one(self, seed):
        kernels, main = program(seed)
        cpus = ["native", "x86-64-v2"] + [cpu for cpu, flag in [("x86-64-v3", "avx2"), ("x86-64-v4", "avx512f")] if flag in Path("/proc/cpuinfo").read_text()]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "p.kdsl").write_text("\n".join(k.text() for k in kernels))
            Path(folder, "main.c").write_text(main)
            flags = self.sh(self.kdslc, "--print-link-flags", cwd=folder).split()
            for options in [["-O2", f"--march={cpu}"] for cpu in cpus] + [["-O0"]]:
                with self.subTest(seed=seed, options=options):
                    self.sh(self.kdslc, "-c", "p.kdsl", "-o", "p.o", "--header=p.h", *options, cwd=folder, what=f"seed {seed}")
                    if not Path(folder, "main.o").exists(): self.sh("gcc", "-O1", "-w", "-fwrapv", "-ffp-contract=off", "-c", "main.c", cwd=folder)
                    self.sh("gcc", "main.o", "p.o", *flags, "-lm", "-o", "main", cwd=folder)
                    try: self.sh("env", "OMP_NUM_THREADS=1", "./main", cwd=folder, what=f"seed {seed} {' '.join(options)}")
                    except AssertionError as error:
                        wrong = re.findall(r"\b(k\d+): \[", str(error))
                        raise AssertionError("\n".join([str(error)] + [k.text() for k in kernels if k.name in wrong])) from None

    @parts.quick
    def test_some(self): self.run_one(1)

    @parts.exhaustive
    def test_more(self):
        for seed in range(2, 10): self.run_one(seed)


if __name__ == "__main__":
    unittest.main()
