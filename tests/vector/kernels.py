"""The text of random well-typed kernels and of the host code that launches them: domains and groups with barriers,
device functions, nested control flow, loads, gathers, stores, scatters and atomics of all types. No two items touch one
element where the order would show, every loop ends, and every division, shift and index is allowed."""
import math
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "differential"))
from arithmetic import FLOATS, INTS, SIGNED, bits  # noqa: E402
from expressions import Maker, Node  # noqa: E402

TABLE = 37              # elements of the arrays for gathers
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 100, 129]
GROUPS = [[4], [5], [8], [12], [16], [48], [64], [4, 4], [3, 5], [2, 16], [1, 8], [2, 2, 4]]
HALVES = ["f16", "bf16"]
FORMATS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
           "f16": "e", "f32": "f", "f64": "d", "bf16": "H", "Pair": "i4xdB7x"}


def bytes_of(t):
    return struct.calcsize("<" + FORMATS[t])

PRELUDE = """\
struct Pair { a: i32, b: f64, c: u8 }

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


# Text as a tree, so that parts of it can be taken away --------------------------------------------------------------

class Line:
    """A statement; `simpler` says almost the same with less in it. What may not be taken away is `fixed`."""

    def __init__(self, text, simpler=None, fixed=False):
        self.text, self.simpler, self.fixed = text, simpler, fixed


class Nest:
    """A statement with blocks: [("if c {", nodes), ("} else {", nodes)]."""

    def __init__(self, *parts, fixed=False):
        self.parts, self.fixed = list(parts), fixed


def text_of(nodes, depth):
    out = []
    for node in nodes:
        if isinstance(node, Line):
            out += ["    " * depth + line for line in node.text.split("\n")]
            continue
        for head, body in node.parts:
            out += ["    " * depth + line for line in head.split("\n")]
            out += text_of(body, depth + 1)
        out.append("    " * depth + "}")
    return out


def smaller_versions(nodes):
    """Every list of nodes with something less; the largest things first."""
    half = len(nodes) // 2
    for part in (nodes[:half], nodes[half:]):
        if len(part) > 1:
            yield [node for node in nodes if node.fixed or node not in part]
    for k, node in enumerate(nodes):
        if not node.fixed:
            yield nodes[:k] + nodes[k + 1:]
    for k, node in enumerate(nodes):
        if isinstance(node, Line):
            if node.simpler and node.simpler != node.text:
                yield nodes[:k] + [Line(node.simpler)] + nodes[k + 1:]
            continue
        if not node.fixed:
            for _, body in node.parts:
                yield nodes[:k] + body + nodes[k + 1:]
        for p, (head, body) in enumerate(node.parts):
            for less in smaller_versions(body):
                parts = node.parts[:p] + [(head, less)] + node.parts[p + 1:]
                yield nodes[:k] + [Nest(*parts, fixed=node.fixed)] + nodes[k + 1:]


# Statements -----------------------------------------------------------------------------------------------------------

def cast(t, node):
    """The text of a node as an element of an array of t."""
    return node.text if node.type == t else f"{t}({node.text})"


class Body(Maker):
    """Makes the statements of one kernel or device function. `places` are (text, type) that may be written, `loads`
    (a function that makes the text, type) what may be read, `functions` the (name, parameter types, result) known."""

    def __init__(self, rng, functions=()):
        super().__init__(0)
        self.random = rng
        self.functions = list(functions)
        self.loads, self.places, self.bins, self.flags, self.values = [], [], [], [], []
        self.returns = None      # the text of a `return`, given a condition's depth; None: no returns here
        self.loops, self.counter = 0, 0

    def fresh(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def some_type(self):
        return self.random.choice(INTS + FLOATS * 3)

    def leaf(self, t):
        r = self.random.random()
        if t == "bool" and self.flags and r < 0.4:
            return Node(self.random.choice(self.flags), t, None)
        if t != "bool" and self.loads and r < 0.35:
            same = [load for load in self.loads if load[1] == t]
            make, type_ = self.random.choice(same if same and r < 0.2 else self.loads)
            return Node(make() if type_ == t else f"{t}({make()})", t, None)
        if t != "bool" and self.functions and r < 0.42:
            return self.call(t)
        return super().leaf(t)

    def call(self, t):
        name, params, result = self.random.choice(self.functions)
        functions, self.functions = self.functions, []      # no calls among the arguments
        args = ", ".join(self.expression(p, 1).text for p in params)
        self.functions = functions
        return Node(f"{t}({name}({args}, u, &table))", t, None)

    def at(self, extent):
        """An index below a constant extent, of something that changes from item to item or does not."""
        if self.random.random() < 0.3:
            return str(self.random.randrange(extent))
        power = 1 << (extent.bit_length() - 1)
        return f"index({self.unknown(self.expression(self.random.choice(INTS), 1)).text} & {power - 1})"

    def truth(self):
        """A condition: of the items, of all alike, always or never true."""
        r = self.random.random()
        if r < 0.12:
            return self.random.choice(["u > 1", "u % 2 == 0", "u < -5", "u >= 0", "s > 100", "s >= 1"])
        return self.expression("bool", 2).text

    def block(self, size):
        known = len(self.variables), len(self.values), len(self.flags), len(self.places), len(self.loads)
        nodes = [self.statement() for _ in range(size)]
        del self.variables[known[0]:], self.values[known[1]:], self.flags[known[2]:]
        del self.places[known[3]:], self.loads[known[4]:]
        return nodes

    def declare(self):
        r = self.random.random()
        if r < 0.12:
            name = self.fresh("q")
            line = Line(f"var {name} = {self.expression('bool', 2).text};", f"var {name} = u > 1;")
            self.flags.append(name)
            self.values.append((name, "bool"))
        elif r < 0.24:
            name, t = self.fresh("h"), self.random.choice(HALVES)
            line = Line(f"var {name} = {t}({self.expression('f32', 2).text});", f"var {name} = {t}(u);")
            self.loads.append((lambda: name, t))
            self.values.append((name, t))
        elif r < 0.34:
            return self.declare_small_array()
        elif r < 0.42:
            return self.declare_struct()
        elif r < 0.52:
            return self.declare_vector()
        else:
            name, t = self.fresh("v"), self.some_type()
            line = Line(f"var {name}: {t} = {self.expression(t, 2).text};", f"var {name}: {t} = {t}(u);")
            self.variables.append((name, t))
            self.values.append((name, t))
        return line

    def declare_small_array(self):
        name, t, n = self.fresh("a"), self.random.choice(INTS + FLOATS), self.random.choice([2, 3, 4, 8])
        elements = ", ".join(self.expression(t, 1).text for _ in range(n))
        self.loads.append((lambda: f"{name}[{self.at(n)}]", t))
        self.places.append((lambda: f"{name}[{self.at(n)}]", t))
        return Line(f"var {name}: [{t}; {n}] = [{elements}];", f"var {name}: [{t}; {n}] = [{t}(u); {n}];")

    def declare_struct(self):
        name = self.fresh("p")
        a, b, c = (self.expression(t, 1).text for t in ("i32", "f64", "u8"))
        for field, t in (("a", "i32"), ("b", "f64"), ("c", "u8")):
            self.loads.append((lambda field=field: f"{name}.{field}", t))
            self.places.append((lambda field=field: f"{name}.{field}", t))
        return Line(f"var {name} = Pair(a: {a}, b: {b}, c: {c});", f"var {name} = Pair(a: u, b: 0.5, c: 1);")

    def declare_vector(self):
        name, t, n = self.fresh("w"), self.random.choice(["f32", "f64", "i32", "u8"]), self.random.choice([2, 3, 4])
        parts = ", ".join(self.expression(t, 1).text for _ in range(n))
        part = (lambda: f"{name}.{self.random.choice('xyzw'[:n])}")
        self.loads += [(part, t), (lambda: f"dot({name}, {name})", t)]
        self.places.append((part, t))
        self.values.append((name, f"{t}x{n}"))
        return Line(f"var {name} = {t}x{n}({parts});", f"var {name} = {t}x{n}({t}(u));")

    def assignment(self, target, t):
        r = self.random
        if t == "bool":
            op = r.choice(["=", "=", "&=", "|=", "^="])
            return Line(f"{target} {op} {self.expression('bool', 2).text};", f"{target} = u > 2;")
        if t in HALVES:
            op = r.choice(["=", "+=", "*=", "min="])
            return Line(f"{target} {op} {t}({self.expression('f32', 2).text});", f"{target} = {t}(u);")
        if "x" in t:
            part = t[:t.index("x")]
            op = r.choice(["=", "+=", "-=", "*=", "min=", "max="])
            return Line(f"{target} {op} {t}({self.expression(part, 2).text});", f"{target} = {t}({part}(u));")
        ops = ["=", "=", "=", "+=", "-=", "*=", "min=", "max="] + (["/="] if t in FLOATS else ["&=", "|=", "^="])
        if t in INTS and r.random() < 0.15:
            op = r.choice(["/=", "%=", "<<=", ">>="])
            value = self.unknown(self.expression(t, 1)).text
            value = f"({value} | 1)" if op in ("/=", "%=") else f"({value} & {bits(t) - 1})"
            return Line(f"{target} {op} {value};", f"{target} {op} 3;")
        op = r.choice(ops)
        value = self.unknown(self.expression(t, r.choice([1, 2])))
        return Line(f"{target} {op} {value.text};", f"{target} {op} {t}(u);")

    def store(self):
        make, t = self.random.choice(self.places)
        return self.assignment(make(), t)

    def atomic(self):
        name, t, extent, ops = self.random.choice(self.bins)
        op = self.random.choice(ops)
        return Line(f"atomic {name}[{self.at(extent)}] {op} {self.unknown(self.expression(t, 2)).text};",
                    f"atomic {name}[1] {op} {t}(u);")

    def branch(self, depth):
        r = self.random
        if r.random() < 0.2:
            guarded = self.guarded()
            if guarded:
                return guarded
        parts = [(f"if {self.truth()} {{", self.nested(depth, 2))]
        while r.random() < 0.25:
            parts.append((f"}} else if {self.truth()} {{", self.nested(depth, 2)))
        if r.random() < 0.5:
            parts.append(("} else {", self.nested(depth, 2)))
        return Nest(*parts)

    def guarded(self):
        """What only the items may do that the condition lets through: divide by zero, read outside, shift too far."""
        numbers = [(name, t) for name, t in self.values if t in INTS]
        if not numbers:
            return None
        name, t = self.random.choice(numbers)
        divisor = self.unknown(self.expression(t, 1)).text
        d = self.fresh("d")
        how = self.random.randrange(3)
        if how == 0:
            op = self.random.choice(["/=", "%="])
            return Nest((f"let {d}: {t} = {divisor};\nif {d} != 0 {{", [Line(f"{name} {op} {d};")]))
        if how == 1:
            small = f"{d} < {bits(t)}" + (f" && {d} >= 0" if t in SIGNED else "")
            op = self.random.choice(["<<=", ">>="])
            return Nest((f"let {d}: {t} = {divisor};\nif {small} {{", [Line(f"{name} {op} {d};")]))
        return Nest((f"let {d} = i64({divisor});\nif {d} >= 0 && {d} < s {{", [Line(f"{name} ^= {t}(table[{d}]);")]))

    def nested(self, depth, most):
        self.depth = depth + 1
        nodes = self.block(self.random.randint(1, most))
        self.depth = depth
        return nodes

    def bound(self):
        small = f"i64({self.unknown(self.expression(self.random.choice(['i32', 'u8', 'i64']), 1)).text} & 7)"
        return self.random.choice([str(self.random.randint(0, 9)), "i64(u)", small, small])

    def loop(self, depth):
        r = self.random
        self.loops += 1
        if r.random() < 0.7:
            j, step = self.fresh("j"), r.choice(["", "", " step 2", " step 3", " step i64(u + 1)"])
            head = f"for {j} in {r.choice(['0', '0', self.bound(), '-2'])}..{self.bound()}{step} {{"
            if r.random() < 0.2:
                head = f"for {j} in {self.bound()}..-2 step -{r.choice([1, 2, 3])} {{"
            self.variables.append((j, "i64"))
            node = Nest((head, self.nested(depth, 2)))
            self.variables.pop()
        else:
            w = self.fresh("w")
            rounds = r.choice([str(r.randint(0, 7)), "u + 2", f"i32({self.bound()})"])
            self.variables.append((w, "i32"))
            node = Nest((f"var {w} = 0i32;\nwhile {w} < {rounds} && {self.truth()} {{\n    {w} += 1;",
                         self.nested(depth, 2)))
            self.variables.pop()
        self.loops -= 1
        return node

    def leave(self):
        ways = ([("break;", 2), ("continue;", 2)] if self.loops else []) + ([("return", 1)] if self.returns else [])
        way = self.random.choices([w for w, _ in ways], [k for _, k in ways])[0]
        return Nest((f"if {self.truth()} {{", [Line(self.returns() if way == "return" else way)]))

    def statement(self):
        r, depth = self.random.random(), self.depth
        if depth < 4 and r < 0.16:
            return self.branch(depth)
        if depth < 4 and r < 0.28:
            return self.loop(depth)
        if (self.loops or self.returns) and r < 0.34:
            return self.leave()
        if r < 0.44:
            return self.declare()
        if self.bins and r < 0.50:
            return self.atomic()
        if self.places and r < 0.68:
            return self.store()
        name, t = self.random.choice(self.values)
        return self.assignment(name, t)


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
    """A device function: numbers and the table, loops, early returns."""

    def __init__(self, rng, name, table_type):
        self.name, self.table_type = name, table_type
        body = Body(rng)
        self.params = [body.some_type() for _ in range(rng.randint(1, 3))]
        self.result = body.some_type()
        body.item, body.depth = "i64(u)", 2
        body.variables = [(f"b{k}", t) for k, t in enumerate(self.params)] + [("u", "i32")]
        self.names = [f"b{k}" for k in range(len(self.params))] + ["u"]
        body.loads = [(lambda: table_load(body, rng), table_type)]
        result = self.result
        body.returns = lambda: f"return {body.expression(result, 1).text};"
        self.nodes = [body.declare()]
        name, t = "r", self.result
        body.variables.append((name, t))
        body.values.append((name, t))
        self.nodes.insert(0, Line(f"var r: {t} = {t}(u);"))
        self.nodes += body.block(rng.randint(0, 2)) + [Line(f"return {body.expression(t, 2).text};", "return r;")]

    def text(self, nodes):
        params = "".join(f"b{k}: {t}, " for k, t in enumerate(self.params))
        return "\n".join([f"fn {self.name}({params}u: i32, table: &[{self.table_type}; s]) -> {self.result} {{",
                          *text_of(nodes, 1), "}"])


class Kernel:
    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.table_type = rng.choice(INTS + FLOATS * 2)
        self.functions = [Function(rng, f"f{number}_{k}", self.table_type) for k in range(rng.choice([0, 0, 1, 2]))]
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

    def make_parameters(self):
        rng = self.rng
        kinds = INTS + FLOATS * 3 + HALVES + ["bool"]
        self.inputs = [(f"x{k}", rng.choice(kinds)) for k in range(rng.randint(1, 3))]
        self.outputs = [(f"o{k}", rng.choice(kinds)) for k in range(rng.randint(1, 2))]
        self.scatters = [("z0", rng.choice(INTS + FLOATS))] if self.rank == 1 and rng.random() < 0.4 else []
        self.strided = [("y0", rng.choice(INTS + FLOATS))] if self.rank == 1 and rng.random() < 0.3 else []
        self.bins = [("c0", rng.choice(["i32", "i64", "u32", "u64", "f32", "f64"]))] if rng.random() < 0.4 else []
        self.pairs = rng.random() < 0.2

    def make_domain(self):
        rng = self.rng
        names, extents = ["i", "j", "l"][:self.rank], ["n", "m", "o"][:self.rank]
        self.over = []
        for d, (name, extent) in enumerate(zip(names, extents)):
            form = rng.choice(["{}", "{}", "{}", "1..{}", "2..{} - 1", "0..{} step 2", "1..{} step 3", "i64(u)..{}"])
            by = f" by {self.group[d]}" if self.group else ""
            self.over.append(f"{name} in {form.format(extent)}{by}")
        self.own, self.shape = ", ".join(names), ", ".join(extents)
        self.names = names
        self.item = {1: "i", 2: "(i * m + j)", 3: "((i * m + j) * o + l)"}[self.rank]  # its number, on the host

    def own_element(self, name):
        return f"{name}.at({self.own})" if self.group else f"{name}[{self.own}]"

    def make_body(self):
        rng = self.rng
        body = self.body = Body(rng, [(f.name, f.params, f.result) for f in self.functions])
        body.item, body.depth = self.names[-1], 1
        body.variables = [(name, "i64") for name in self.names] + [("u", "i32"), ("g", "f64")]
        body.loads.append((lambda: table_load(body, rng), self.table_type))
        for name, t in self.bins:       # updates that may come in any order
            ops = [["min="], ["max="]] + ([["+=", "-="], ["&="], ["|="], ["^="]] if t in INTS else [])
            body.bins.append((name, t, 16, rng.choice(ops)))
        for name, t in self.inputs + self.outputs:
            if t == "bool":
                body.flags.append(self.own_element(name))
            else:
                body.loads.append((lambda name=name: self.own_element(name), t))
        if self.rank == 1 and not self.group:
            self.add_neighbours()
        self.nodes = [Line(f"var v: i64 = i64(u) + {self.names[-1]};")]
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
                after = f"(if i + {k} < n {{ {name}[i + {k}] }} else {{ {zero} }})"
                before = f"(if i >= {k} {{ {name}[i - {k}] }} else {{ {zero} }})"
                self.body.loads.append((lambda text=self.rng.choice([after, before, f"{name}[n - 1 - i]"]): text, t))

    def own_places(self):
        """The elements that are this item's to write."""
        places = [(lambda name=name: f"{name}[{self.own}]", t) for name, t in self.outputs]
        places += [(lambda name=name: f"{name}[perm[i]]", t) for name, t in self.scatters]
        places += [(lambda name=name: f"{name}[2 * i + 1]", t) for name, t in self.strided]
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
        if self.pairs:
            body.loads += [(lambda: f"ps[{self.own}].a", "i32"), (lambda: f"ps[{self.own}].b", "f64")]
        self.nodes += body.block(self.rng.randint(1, 4))
        self.finish(self.nodes)

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
        for _ in range(rng.randint(1, 2)):
            self.nodes += self.round(at, t, counts)
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
        if rng.random() < 0.4:
            rounds = rng.choice(["i64(u) % 3", "2", "i64(u)"])
            return [Nest((f"for {body.fresh('r')} in {rounds} {{", nodes), fixed=True)]
        return nodes

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

    def text(self, nodes, functions):
        result = ""
        if self.reduction:
            result = f" -> {self.reduction}" + ("" if self.reduction in ("any", "all", "count") else f" {self.result}")
        arrays = [f"{name}: {mode}[{t}; {shape}]" for name, t, shape, mode in self.arrays()]
        head = ", ".join(arrays + ["u: i32", "g: f64"])
        lines = [f.text(nodes_of_f) for f, nodes_of_f in zip(self.functions, functions)]
        lines += [f"kernel k{self.number}({head})\n    over {', '.join(self.over)}{result} {{", *text_of(nodes, 1), "}"]
        return "\n".join(lines + self.host_text())

    def host_text(self):
        """A function that reads the arrays from files of noise, launches, and adds what it got to a file."""
        lines = [f"fn run{self.number}({', '.join(f'{e}: index' for e in self.shape.split(', '))}, u: i32) {{"]
        for k, (name, t, shape, mode) in enumerate(self.arrays()):
            shape = shape.replace("n2", "2 * n + 1").replace("s", str(TABLE))
            kept = "var" if mode == "&mut " else "let"
            if name == "perm":
                lines.append("    let perm = shuffled(n);")
            elif t == "Pair":
                lines.append(f"    var ps = [Pair(a: u, b: f64(u), c: 7); {shape}];")
            elif t == "bool":
                each = ", ".join(f"{v} in {e}" for v, e in zip("ijl", shape.split(", ")))
                lines.append(f"    {kept} {name} = [({self.item} * {k + 3}) % 5 < 2 for {each}];")
            else:
                first = (self.number * 13 + k * 211) % 1000 * bytes_of(t)
                lines += [f"    var {name} = [{t}(0); {shape}];", f'    read_array("{t}.noise", {first}, &mut {name});']
        args = ", ".join([f"{mode}{name}" for name, _, _, mode in self.arrays()] + ["u", "1.25"])
        launch = f"offload k{self.number}({args})"
        lines.append(f"    let result = [{launch}];" if self.reduction else f"    {launch};")
        lines += ['    append_file("out", &result);'] if self.reduction else []
        lines += [f'    append_file("out", &{name});' for name, _, _, mode in self.arrays() if mode == "&mut "]
        return lines + ["}"]

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


def program(kernels, nodes=None, functions=None):
    """The text; of one kernel with other nodes than it was made with, too."""
    texts = [k.text(nodes or k.nodes, functions or [f.nodes for f in k.functions]) for k in kernels]
    calls = [f"    run{k.number}({', '.join(map(str, launch))});" for k in kernels for launch in k.launches()]
    return "\n".join([PRELUDE, "\n\n".join(texts), "", "fn main() {", *calls, "}", ""])


def kernels_of(seed, n):
    return [Kernel(random.Random(seed * 1000 + k), seed * 1000 + k) for k in range(n)]
