"""The text of random well-typed kernels and of the host code that launches them: domains with offsets and steps, groups
with barriers in rounds that are known at run time, device functions, nested control flow (statements.py), loads, gathers,
stores, scatters and atomics of all types. No two items touch one element where the order would show, every loop ends, and
every division, shift and index is allowed."""
import math
import random
import struct

from hosts import Files, Sums
from statements import FLOATS, HALVES, INTS, PALETTES, Body, Line, Nest, text_of

TABLE = 37              # elements of the arrays for gathers
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 100, 129]
GROUPS = [[4], [5], [8], [12], [16], [48], [64], [4, 4], [3, 5], [2, 16], [1, 8], [2, 2, 4]]
FORMATS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
           "f16": "e", "f32": "f", "f64": "d", "bf16": "H", "Pair": "i4xdB7x"}


def bytes_of(t):
    return struct.calcsize("<" + FORMATS[t])


PRELUDE = """\
struct Pair { a: i32, b: f64, c: u8 }
struct Three { a: i32, b: f32, c: u32 }
struct Held { from: i16, v: [i16; 4], to: u16 }

// The i-th of 0 .. n-1 in another order.
fn shuffled(n: index) -> [i32; _] {
    var p = [i32(i) for i in n];
    for i in n {
        let j = (i * i * 7919 + i * 31 + 5) % n;
        let old = p[i];
        p[i] = p[j];
        p[j] = old;
    }
    return p;
}
"""


# Kernels --------------------------------------------------------------------------------------------------------------

def table_load(body, rng):
    """Gathers and uniform loads from `table`, which has at least TABLE elements."""
    e = rng.choice(["gather", "gather", "fixed", "linear", "guarded"])
    if e == "fixed":
        return f"table[{rng.randrange(TABLE)}]"
    if e == "linear":
        return f"table[({body.item} * {rng.choice([1, 2, 3, 5])} + {rng.randrange(9)}) % s]"
    if e == "guarded":
        return f"table.at({body.item} - {rng.randrange(4)})"
    return f"table[index({body.unknown(body.leaf(rng.choice(INTS))).text} & 31)]"


class Function:
    """A device function: numbers, the table, perhaps an array of the item's; loops, early returns, checks."""

    def __init__(self, rng, name, table_type, types, may_fail):
        self.name, self.table_type = name, table_type
        body = Body(rng, types=types)
        body.may_fail = may_fail
        self.params = [body.some_type() for _ in range(rng.randint(1, 3))]
        self.result = body.some_type()
        self.array = (body.some_type(), rng.choice([4, 8])) if rng.random() < 0.4 else None
        body.item, body.depth = "i64(u)", 2
        body.checked = ["u < 5", "i64(u) + 32 < s", "s > 30 || u > 100"]
        body.variables = [(f"b{k}", t) for k, t in enumerate(self.params)] + [("u", "i32")]
        self.names = [f"b{k}" for k in range(len(self.params))] + ["u"]
        body.loads = [(lambda: table_load(body, rng), table_type)]
        if self.array:
            t, n = self.array
            body.loads.append((lambda: f"of[{body.at(n)}]", t))
        result = self.result
        body.returns = lambda: f"return {body.expression(result, 1).text};"
        self.nodes = [body.declare()]
        name, t = "r", self.result
        body.variables.append((name, t))
        body.values.append((name, t))
        self.nodes.insert(0, Line(f"var r: {t} = {t}(u);"))
        self.nodes += [body.checked_line()] if rng.random() < 0.4 else []
        self.nodes += body.block(rng.randint(0, 2)) + [Line(f"return {body.expression(t, 2).text};", "return r;")]

    def text(self, nodes):
        params = "".join(f"b{k}: {t}, " for k, t in enumerate(self.params))
        params += "of: &[{}; {}], ".format(*self.array) if self.array else ""
        return "\n".join([f"fn {self.name}({params}u: i32, table: &[{self.table_type}; s]) -> {self.result} {{",
                          *text_of(nodes, 1), "}"])


# A domain's axis over extent {}, and where it begins if elements are counted from there.
DOMAINS = [("{}", 0)] * 4 + [("1..{}", 0), ("2..{} - 1", 0), ("0..{} step 2", 0), ("1..{} step 3", 0),
                             ("i64(u)..{}", 0),
                             ("{} / 3..{}", 0), ("i64(u)..{} step 2", 0), ("3..{} + 3", 3), ("-2..{} - 2", -2),
                             ("-5..{} - 5 step 2", -5), ("7..{} + 7 step 3", 7)]


class Kernel:
    def __init__(self, rng, number, may_fail=False):
        self.rng, self.number, self.may_fail = rng, number, may_fail
        self.types = rng.choice(PALETTES)
        self.table_type = rng.choice(self.types)
        self.functions = [Function(rng, f"f{number}_{k}", self.table_type, self.types, may_fail)
                          for k in range(rng.choice([0, 0, 1, 2]))]
        self.group = rng.choice(GROUPS) if rng.random() < 0.25 else []
        self.rank = len(self.group) or rng.choice([1, 1, 1, 2, 2, 3])
        self.reduction = None if rng.random() < 0.75 else rng.choice(
            ["sum", "sum", "prod", "min", "max", "any", "all", "count"])
        self.result = rng.choice(INTS + FLOATS * 4) if self.reduction else None
        self.make_parameters()
        self.make_domain()
        self.make_body()
        self.sizes = rng.sample(SIZES, 5 if self.rank == 1 else 3)
        if rng.random() < 0.1:
            self.sizes.append(rng.choice([700, 3000]))
        if self.rank > 1 and not self.group and rng.random() < 0.4:
            rng.shuffle(self.over)  # against the order of memory

    def make_parameters(self):
        rng = self.rng
        kinds = self.types * 2 + HALVES + ["bool"]
        self.inputs = [(f"x{k}", rng.choice(kinds)) for k in range(rng.randint(1, 3))]
        self.outputs = [(f"o{k}", rng.choice(kinds)) for k in range(rng.randint(1, 2))]
        self.scatters = [("z0", rng.choice(INTS + FLOATS))] if self.rank == 1 and rng.random() < 0.4 else []
        self.strided = [("y0", rng.choice(INTS + FLOATS))] if self.rank == 1 and rng.random() < 0.3 else []
        self.bins = [("c0", rng.choice(["i32", "i64", "u32", "u64", "f32", "f64"]))] if rng.random() < 0.4 else []
        self.pairs = rng.random() < 0.2

    def make_domain(self):
        rng = self.rng
        names, extents = ["i", "j", "l"][:self.rank], ["n", "m", "o"][:self.rank]
        self.over, self.places = [], []
        for d, (name, extent) in enumerate(zip(names, extents)):
            form, begin = rng.choice(DOMAINS)
            by = f" by {self.group[d]}" if self.group else ""
            self.over.append(f"{name} in {form.format(extent, extent)}{by}")
            self.places.append(f"({name} - {begin})" if begin > 0 else f"({name} + {-begin})" if begin else name)
        self.own, self.shape = ", ".join(self.places), ", ".join(extents)
        self.names = names
        self.item = {1: "i", 2: "(i * m + j)", 3: "((i * m + j) * o + l)"}[self.rank]  # its number, on the host

    def own_element(self, name):
        return f"{name}.at({self.own})" if self.group else f"{name}[{self.own}]"

    def make_body(self):
        rng = self.rng
        body = self.body = Body(rng, [(f.name, f.params, f.result, f.array) for f in self.functions], self.types)
        body.item, body.depth, body.may_fail = self.places[-1], 1, self.may_fail
        body.checked = ["u < 5", "i64(u) + 32 < s", f"{self.places[-1]} + 9 >= i64(u)"]
        body.variables = [(name, "i64") for name in self.names] + [("u", "i32"), ("g", "f64")]
        body.loads.append((lambda: table_load(body, rng), self.table_type))
        for name, t in self.bins:       # updates that may come in any order
            ops = [["min="], ["max="], [f"= {t}(7)"]]
            if t in INTS: # the last is what another sets an element to, whichever comes first
                ops += [["+=", "-="], ["&="], ["|="], ["^="], [f"= {t}(5)", f"= {t}(5) if == {t}(0)"]]
            body.bins.append((name, t, 16, rng.choice(ops)))
        for name, t in self.inputs + self.outputs:
            if t == "bool":
                body.flags.append(self.own_element(name))
            else:
                body.loads.append((lambda name=name: self.own_element(name), t))
        if self.rank == 1 and not self.group:
            self.add_neighbours()
        self.is_triangle = self.rank == 2 and not self.group and not self.may_fail and rng.random() < 0.4
        self.is_stencil = self.rank == 1 and not self.group and not self.may_fail and rng.random() < 0.25
        rows = self.add_rows() if self.rank == 1 and not self.group and rng.random() < 0.3 else []
        self.nodes = rows + [Line(f"var v: i64 = i64(u) + {self.names[-1]};")]
        self.nodes += [body.declare() for _ in range(rng.randint(0, 2))]
        body.variables.append(("v", "i64"))
        body.values.append(("v", "i64"))
        (self.make_groups if self.group else self.make_plain)()

    def add_neighbours(self):
        """Elements beside the item's own, which not every item has."""
        for name, t in self.inputs:
            if t != "bool":
                k = self.rng.randint(1, 5)
                zero = f"{t}(0)"
                i = self.own
                after = f"(if {i} + {k} < n {{ {name}[{i} + {k}] }} else {{ {zero} }})"
                before = f"(if {i} >= {k} {{ {name}[{i} - {k}] }} else {{ {zero} }})"
                forms = [after, before, f"{name}[n - 1 - {i}]", *self.bordered(name, i, k)]
                self.body.loads.append((lambda text=self.rng.choice(forms): text, t))

    def bordered(self, name, i, k):
        """On a torus, clamped, and mirrored at the border."""
        return [f"{name}[({i} + {k}) % n]", f"{name}[({i} + n * {k} - {k}) % n]", f"{name}[min({i} + {k}, n - 1)]",
                f"{name}[max({i} - {k}, 0)]", f"{name}[clamp({i} - {k}, 0, n - 1)]",
                f"{name}[if {i} == 0 {{ n - 1 }} else {{ {i} - 1 }}]",
                f"{name}[if {i} + 1 == n {{ 0 }} else {{ {i} + 1 }}]"]

    def stencil(self):
        """Only what the compiler may take for a stencil: sums of neighbours, found in one or two ways, without loops."""
        rng = self.rng
        forms = rng.sample(range(len(self.bordered("", "", 0))), rng.randint(1, 2))
        numbers = [(name, t) for name, t in self.inputs if t != "bool"]
        for make, t in [place for place in self.own_places() if place[1] != "bool"]:
            near = [f"{t}({x})" for name, _ in numbers
                    for x in [self.bordered(name, self.own, rng.randint(1, 3))[form] for form in forms]]
            self.nodes.append(Line(f"{make()} = {' + '.join([*near, f'{t}(v)'])};"))

    def add_rows(self):
        """The item's place in rows of `s`, and in areas of three of them."""
        rng = self.rng
        position = rng.choice(["i % s", "i - row * s", "i - i / s * s", "plane % s"])
        rows = [f"let plane = i % {rng.choice(['(s * 3)', '(3 * s)'])};", "let row = i / s;", f"let at = {position};",
                f"let z = i / (s * 3) + {rng.choice(['plane / s', 'row % 3'])};"]
        self.body.variables += [(name, "i64") for name in ("row", "at", "plane", "z")]
        self.body.loads += [(lambda: rng.choice(["table.at(at)", "table.at(s - 1 - at)", "table.at(row)"]),
                             self.table_type)] * 2
        return [Line(line) for line in rows]

    def triangle(self):
        """Sums in loops whose bounds change from row to row."""
        rng, (row, column) = self.rng, self.places
        inside = [("0", f"{row} + 1"), ("0", row), (f"{row} + 1", "n"), (row, "n"), ("0", f"n - {row}"), (f"n - {row}", "n"),
                  ("0", f"{row} - {rng.randint(1, 9)}"), (f"max({row} - 2, 0)", f"{row} + 1")]
        others = [("0", f"2 * {row}"), (f"2 * {row}", "n"), (f"{row} - 3", "7"), ("0", f"{column} + 1"), ("i64(u)", row),
                  ("0", f"min({row}, {column})"), (f"{row}", f"{row} + 5")]
        numbers = [name for name, t in self.inputs if t != "bool"]
        for number, (make, t) in enumerate(place for place in self.own_places() if place[1] != "bool"):
            acc = "f32" if t in HALVES else t
            self.nodes.append(Line(f"var sum{number}: {acc} = {acc}(v);"))
            for loop in range(rng.randint(1, 2)):
                k, is_inside = f"k{number}{loop}", rng.random() < 0.7
                lo, hi = rng.choice(inside if is_inside else others)
                near = [f"{name}[{k}, {column}]" for name in numbers if is_inside] + [k]
                line = f"sum{number} = sum{number} * {acc}({rng.choice([1, 1, 3])}) + {acc}({rng.choice(near)});"
                self.nodes.append(Nest((f"for {k} in {lo}..{hi} {{", [Line(line)])))
            self.nodes.append(Line(f"{make()} = {t}(sum{number});"))

    def own_places(self):
        """The elements that are this item's to write."""
        places = [(lambda name=name: f"{name}[{self.own}]", t) for name, t in self.outputs]
        places += [(lambda name=name: f"{name}[perm[{self.own}]]", t) for name, t in self.scatters]
        places += [(lambda name=name, k=k: f"{name}[2 * {self.own} + {k}]", t)
                   for name, t in self.strided for k in (0, 1)]
        if self.pairs:
            places += [(lambda f=f: f"ps[{self.own}].{f}", t) for f, t in (("a", "i32"), ("b", "f64"), ("c", "u8"))]
        return places

    def returned(self):
        if not self.reduction:
            return "return;"
        is_bool = self.reduction in ("any", "all", "count")
        return f"return {self.body.expression('bool' if is_bool else self.result, 2).text};"

    def make_plain(self):
        body = self.body
        body.returns = self.returned
        body.places += self.own_places() * 2
        if self.is_stencil or self.is_triangle:
            (self.stencil if self.is_stencil else self.triangle)()
            if self.reduction:
                self.nodes.append(Line(self.returned()))
            return
        if self.pairs:
            body.loads += [(lambda: f"ps[{self.own}].a", "i32"), (lambda: f"ps[{self.own}].b", "f64")]
        for _ in range(2 if self.may_fail else 1):
            self.nodes += [body.failing_line()] if self.may_fail else []
            self.nodes += body.block(self.rng.randint(1, 4))
        self.finish(self.nodes)
        if not self.reduction:
            self.nodes = self.guarded(self.nodes)

    def guarded(self, nodes):
        """Items outside of a part of the domain do nothing: comparisons of places with what the launch says, in one
        condition, one inside another, or each before a return. Its numbers come from elsewhere than the other ones."""
        rng = random.Random(self.number + 7)
        if rng.random() < 0.6:
            return nodes
        bounds = ["0", "1", "i64(u)", "i64(u) - 3", "n - 1", "n - i64(u)", "n / 2", "n + 5", "min(n - 3, s)", "-2",
                  "n % 8"]
        forms = ["{p} {op} {b}", "{p} {op} {b}", "{p} {op} {b}", "{b} {op} {p}", "{p} + i64(u) {op} {b}",
                 "2 * {p} + 1 {op} {b}", "{b} - {p} {op} i64(u)", "i32({p}) {op} i32({b})", "u32({p}) {op} u32(u) * 3",
                 "i32({p}) - u {op} i32({b})", "{p} * 4 - n {op} {b}"]
        ops, opposite = ["<", "<", "<=", ">", ">=", ">=", "==", "!=", "!="], dict(zip(
            ["<", "<=", ">", ">=", "==", "!="], [">=", ">", "<=", "<", "!=", "=="]))
        chosen = []
        for _ in range(rng.choice([1, 1, 2, 3, 4])):
            place, form = rng.choice(self.places), rng.choice(forms)
            chosen.append((form.format(p=place, op="{op}", b=rng.choice(bounds)), rng.choice(ops)))
        how = rng.randrange(3)
        if how == 0:
            return [Nest((f"if {' && '.join(c.format(op=op) for c, op in chosen)} {{", nodes))]
        if how == 1:
            for c, op in chosen:
                nodes = [Nest((f"if {c.format(op=op)} {{", nodes))]
            return nodes
        outside = " || ".join(c.format(op=opposite[op]) for c, op in chosen)
        return [Nest((f"if {outside} {{", [Line("return;")])), *nodes]

    def finish(self, nodes):
        """At least one store that shows what became of the variables."""
        for make, t in self.own_places()[:2]:
            nodes.append(self.body.assignment(make(), t))
        if self.reduction:
            nodes.append(Line(self.returned(), "return u > 2;" if self.reduction in ("any", "all", "count") else
                              f"return {self.result}(v);"))

    def make_groups(self):
        """Rounds of: each item writes its own element of `share`, barrier, reads those of others, barrier."""
        rng, body, t = self.rng, self.body, self.body.some_type()
        at = ", ".join(f"{name}.local" for name in self.names)
        extents = ", ".join(map(str, self.group))
        body.variables += [(f"{name}.local", "i64") for name in self.names] + [(f"{self.names[0]}.group", "i64")]
        body.flags.append("inside")
        counts = rng.random() < 0.4
        self.nodes = [Line(f"shared share: [{t}; {extents}];")] + self.nodes
        if counts:
            first = " && ".join(f"{name}.local == 0" for name in self.names)
            self.nodes = [Line("shared counts: [i32; 8];")] + self.nodes
            self.nodes += [Nest((f"if {first} {{\n    for k in 8 {{ counts[k] = 0; }}", []), fixed=True),
                           Line("barrier;", fixed=True)]
        numbers = [name for name, t in self.inputs if t != "bool"]
        if self.rank == 1 and numbers and rng.random() < 0.5:
            self.nodes += self.walk(rng.choice(numbers))
        for _ in range(rng.randint(1, 2)):
            self.nodes += self.tree(t) if self.rank == 1 and rng.random() < 0.4 else self.round(at, t, counts)
        body.returns = self.returned
        if not self.reduction:
            self.nodes.append(Nest(("if !inside {", [Line("return;")]), fixed=True))
            body.places += self.own_places() * 2
            self.nodes += body.block(rng.randint(0, 2))
            self.finish(self.nodes)
        else:
            stores = []
            body.returns = None
            self.finish(stores)
            self.nodes += [Nest(("if inside {", stores[:-1]), fixed=True), stores[-1]]

    def round(self, at, t, counts):
        rng, body = self.rng, self.body
        nodes = body.block(rng.randint(0, 2))
        # Fixed: without it the others would read what was never written.
        nodes.append(Line(f"share[{at}] = {body.expression(t, 2).text};", f"share[{at}] = {t}(v);", fixed=True))
        if counts:
            nodes.append(Line(f"atomic counts[{body.at(8)}] += i32(v);"))
        barrier = Line("barrier;", fixed=True)
        nodes.append(barrier)
        other = ", ".join(f"({name}.local + {rng.choice(['1', 'i64(u)', str(size - 1)])}) % {size}"
                          for name, size in zip(self.names, self.group))
        body.loads.append((lambda: f"share[{other}]", t))
        if counts:
            body.loads.append((lambda: f"counts[{body.at(8)}]", "i32"))
        nodes.append(Line(f"v = v * 3 + i64(share[{other}]);"))
        nodes += body.block(rng.randint(0, 2))
        del body.loads[-(2 if counts else 1):]
        nodes.append(barrier)
        if rng.random() < 0.5:
            rounds, r = rng.choice(["i64(u) % 3", "2", "i64(u)", "i64(u) / 2 + 1"]), body.fresh("r")
            heads = [f"for {r} in {rounds} {{", f"var {r}: index = 0;\nwhile {r} < {rounds} {{\n    {r} += 1;",
                     f"var {r}: index = 0;\nwhile true {{\n    {r} += 1;\n    if {r} > {rounds} {{ break; }}"]
            return [Nest((rng.choice(heads), nodes), fixed=True)]
        return nodes

    def walk(self, x):
        """A loop with which the items of a group walk through an array side by side, in one of its spellings."""
        rng, e, r = self.rng, self.body.fresh("e"), self.body.fresh("r")
        group = self.group[0]
        start = rng.choice(["i.local", "i.local + 1", "i64(u) + i.local"])
        step = rng.choice([group, 2 * group, group + 3])
        read = [Line(f"v = v * 3 + i64({x}[{e}]);"), Line(f"v = v ^ {self.body.expression('i64', 2).text};")]
        position = f"let {e} = {r} * {step} + ({start});"
        counter = rng.choice([f"for {r} in n {{", f"for {r} in 0..(n + {step - 1}) / {step} {{"])
        advance = Line(f"{e} += {step};", fixed=True)
        variable = Line(f"var {e}: index = {start};", fixed=True)
        return rng.choice([
            [Nest((f"for {e} in {start}..n step {step} {{", read), fixed=True)],
            [variable, Nest((f"while {e} < n {{", [*read, advance]), fixed=True)],
            [variable, Nest((f"while n - 1 >= {e} {{", [*read, advance]), fixed=True), Line(f"v += i64({e});")],
            [Nest((counter, [Line(position, fixed=True), Nest((f"if {e} < n {{", read), fixed=True)]), fixed=True)],
            [Nest((f"for {r} in {rng.choice(['i64(u)', 'i64(u) / 2', '3'])} {{",
                   [Line(position, fixed=True), Nest((f"if {e} < n {{", read), fixed=True)]), fixed=True)],
        ])

    def tree(self, t):
        """What the items share is joined in rounds, of which there are as many as the launch says; then all read it."""
        rng, body, h, half = self.rng, self.body, self.body.fresh("h"), self.body.fresh("h")
        first = rng.choice([str(self.group[0]), f"min({self.group[0]}, index(u) * 3 + 1)", "index(u)"])
        op = rng.choice(["+=", "min=", "max="])
        share = Line(f"share[i.local] = {body.expression(t, 2).text};", f"share[i.local] = {t}(v);", fixed=True)
        join = Line(f"if i.local + {half} < {h} {{ share[i.local] {op} share[i.local + {half}]; }}")
        halve = Line(f"let {half} = ({h} + 1) / 2;", fixed=True)
        rest, barrier = Line(f"{h} = {half};", fixed=True), Line("barrier;", fixed=True)
        inside = body.block(rng.randint(0, 1)) if rng.random() < 0.4 else []
        if rng.random() < 0.5:
            loop = Nest((f"while {h} > 1 {{", [barrier, halve, *inside, join, rest]), fixed=True)
        else:
            loop = Nest(("while true {", [barrier, Line(f"if {h} <= 1 {{ break; }}", fixed=True), halve, *inside, join,
                                          rest]),
                        fixed=True)
        return [share, Line(f"var {h}: index = {first};", fixed=True), loop, barrier,
                Line(f"v = v * 5 + i64(share[0]);"), barrier]

    # As text ----------------------------------------------------------------------------------------------------------

    def arrays(self):
        """(name, type of the elements, shape, mode) of the parameters."""
        found = [(name, t, self.shape, "&") for name, t in self.inputs]
        found += [(name, t, self.shape, "&mut ") for name, t in self.outputs]
        found += [(name, t, "n", "&mut ") for name, t in self.scatters]
        found += [("perm", "i32", "n", "&")] if self.scatters else []
        found += [(name, t, "n2", "&mut ") for name, t in self.strided]
        found += [(name, t, "16", "&mut ") for name, t in self.bins]
        found += [("ps", "Pair", self.shape, "&mut ")] if self.pairs else []
        return found + [("table", self.table_type, "s", "&")]

    def result_type(self):
        return {"any": "bool", "all": "bool", "count": "i64"}.get(self.reduction, self.result)

    def text(self, nodes, functions, host):
        result = ""
        if self.reduction:
            result = f" -> {self.reduction}" + ("" if self.reduction in ("any", "all", "count") else f" {self.result}")
        arrays = [f"{name}: {mode}[{t}; {shape}]" for name, t, shape, mode in self.arrays()]
        head = ", ".join(arrays + ["u: i32", "g: f64"])
        lines = [f.text(nodes_of_f) for f, nodes_of_f in zip(self.functions, functions)]
        lines += [f"kernel k{self.number}({head})\n    over {', '.join(self.over)}{result} {{", *text_of(nodes, 1), "}"]
        return "\n".join(lines + self.host_text(host))

    def host_text(self, host):
        """A function that makes the arrays, launches, and keeps what became of them."""
        extents = self.shape.split(", ")
        lines = [f"fn run{self.number}({', '.join(f'{e}: index' for e in extents)}, u: i32) {{"]
        for k, (name, t, shape, mode) in enumerate(self.arrays()):
            shape = shape.replace("n2", "2 * n + 1").replace("s", str(TABLE))
            kept = "var" if mode == "&mut " else "let"
            if name == "perm":
                lines.append("let perm = shuffled(n);")
            elif t == "Pair":
                lines.append(f"var ps = [Pair(a: u, b: f64(u), c: 7); {shape}];")
            elif t == "bool":
                each = ", ".join(f"{v} in {e}" for v, e in zip("ijl", shape.split(", ")))
                lines.append(f"{kept} {name} = [({self.item} * {k + 3}) % 5 < 2 for {each}];")
            else:
                lines += host.fill(name, t, shape, (self.number * 13 + k * 211) % 1000, bytes_of(t))
        args = ", ".join([f"{mode}{name}" for name, _, _, mode in self.arrays()] + ["u", "1.25"])
        launch = f"offload k{self.number}({args})"
        lines.append(f"let result = [{launch}];" if self.reduction else f"{launch};")
        results = [("result", self.result_type(), 1)] if self.reduction else []
        results += [(name, t, shape.count(",") + 1) for name, t, shape, mode in self.arrays() if mode == "&mut "]
        lines += ["var sum = 0u64;"] if host is Sums else []
        for name, t, rank in results:
            lines += host.keep(name, t, rank, f"{self.number}")
        return [lines[0], *(f"    {line}" for line in lines[1:]), "}"]

    def launches(self):
        """The arguments of each launch: extents, then `u`."""
        return [{1: (n,), 2: ((n * 7 + k) % 5 + 1, n), 3: (2, 3, n)}[self.rank] + ((n + k) % 5,)
                for k, n in enumerate(self.sizes)]

    def records(self):
        """(what, type, elements) of all that is in the file, in order."""
        for *extents, u in self.launches():
            whole = math.prod(extents)
            sizes = {self.shape: whole, "n": extents[0], "n2": 2 * extents[0] + 1, "16": 16}
            said = f"{self.number} of {' x '.join(map(str, extents))}, u = {u}: "
            if self.reduction:
                yield said + "result", self.result_type(), 1
            for name, t, shape, mode in self.arrays():
                if mode == "&mut ":
                    yield said + name, t, sizes[shape]


def program(kernels, nodes=None, functions=None, host=Files):
    """The text; of one kernel with other nodes than it was made with, too. With a number as an argument it makes only that
    launch."""
    texts = [k.text(nodes or k.nodes, functions or [f.nodes for f in k.functions], host) for k in kernels]
    calls = []
    for k in kernels:
        for *extents, u in k.launches():
            label = f'print("kernel {k.number}, {" x ".join(map(str, extents))} items, u = {u}"); ' if host is Sums else ""
            calls.append(f"    if only < 0 || only == {len(calls)} {{ {label}run{k.number}({', '.join(map(str, extents))}, {u}); }}")
    head = ["fn main() {", "    let a = args();", "    let only = if len(a) > 0 { i64(a[0]) } else { -1i64 };"]
    return "\n".join([PRELUDE + host.prelude, "\n\n".join(texts), "", *head, *calls, "}", ""])


def kernels_of(seed, n, may_fail=False):
    return [Kernel(random.Random(seed * 1000 + k), seed * 1000 + k, may_fail) for k in range(n)]
