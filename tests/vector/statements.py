"""Random statements of kernels and device functions as trees of text, of which parts can be taken away: variables, arrays
and structs of the item's own at computed indices, branches, loops with several exits, checks that hold, atomics. Every
loop ends, and every division, shift and index is allowed."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "differential"))
from arithmetic import FLOATS, INTS, SIGNED, bits  # noqa: E402
from expressions import Maker, Node  # noqa: E402

HALVES = ["f16", "bf16"]
NARROW = ["i8", "i16", "u8", "u16"]
# What most variables of a kernel are.
PALETTES = [INTS + FLOATS * 3] * 3 + [NARROW * 3 + ["i32", "f32"], ["i16", "u16", "i32"], ["f32", "i32"]]


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
                yield nodes[:k] + [Line(node.simpler, fixed=node.fixed)] + nodes[k + 1:]
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

    def __init__(self, rng, functions=(), types=PALETTES[0]):
        super().__init__(0)
        self.random = rng
        self.types = types
        self.functions = list(functions)
        self.loads, self.places, self.bins, self.flags, self.values = [], [], [], [], []
        self.arrays = []         # (name, type of the elements, elements) of the item's own
        self.checked = []        # conditions that always hold, though the compiler does not see it
        self.may_fail = False    # checks may fail for some items
        self.returns = None      # the text of a `return`, given a condition's depth; None: no returns here
        self.loops, self.counter = 0, 0

    def fresh(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def some_type(self):
        return self.random.choice(self.types)

    def any_type(self):
        return self.some_type()

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
        name, params, result, array = self.random.choice(self.functions)
        functions, self.functions = self.functions, []      # no calls among the arguments
        args = [self.expression(p, 1).text for p in params]
        self.functions = functions
        if array:
            mine = [a for a, *of in self.arrays if tuple(of) == array]
            if not mine:
                return super().leaf(t)
            args.append(f"&{self.random.choice(mine)}")
        return Node(f"{t}({name}({', '.join(args)}, u, &table))", t, None)

    def below(self, power):
        """A number that changes from item to item, below a power of two."""
        return f"index({self.unknown(self.expression(self.random.choice(INTS), 1)).text} & {power - 1})"

    def at(self, extent):
        """An index below a constant extent: the same for all items, counting along with them, of a mask, and sums."""
        r, power = self.random, 1 << (extent.bit_length() - 1)
        low = max(1, power // 2)                # a mask below it leaves room for something to be added
        most = extent - low                     # ... up to this
        return r.choice([
            lambda: str(r.randrange(extent)),
            lambda: f"({self.item} + {r.randrange(9)}) % {extent}" if r.random() < 0.5
            else f"{self.item} & {power - 1}",
            lambda: f"{self.below(low)} + {r.randint(0, most)}",
            lambda: f"{self.below(low)} + index(u & 1)" if most else self.below(low),
            lambda: f"{self.below(low)} + index(u)" if most >= 4 else f"index(u) % {extent}",
            lambda: f"{r.randint(0, most)} + {self.below(low)}",
            lambda: self.below(power), lambda: self.below(power)])()

    def truth(self):
        """A condition: of the items, of all alike, always or never true."""
        r = self.random.random()
        if r < 0.12:
            return self.random.choice(["u > 1", "u % 2 == 0", "u < -5", "u >= 0", "s > 100", "s >= 1"])
        return self.expression("bool", 2).text

    def block(self, size):
        lists = [self.variables, self.values, self.flags, self.places, self.loads, self.arrays]
        known = [len(names) for names in lists]
        nodes = [self.statement() for _ in range(size)]
        for names, n in zip(lists, known):      # what was declared in here ends with it
            del names[n:]
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
        elif r < 0.36:
            return self.declare_small_array()
        elif r < 0.39:
            return self.declare_grid()
        elif r < 0.44:
            return self.random.choice([self.declare_threes, self.declare_held])()
        elif r < 0.48:
            return self.declare_struct()
        elif r < 0.56:
            return self.declare_vector()
        else:
            name, t = self.fresh("v"), self.some_type()
            line = Line(f"var {name}: {t} = {self.expression(t, 2).text};", f"var {name}: {t} = {t}(u);")
            self.variables.append((name, t))
            self.values.append((name, t))
        return line

    def own(self, make, t, times=1):
        self.loads += [(make, t)] * times
        self.places += [(make, t)] * times

    def declare_small_array(self):
        name, t, n = self.fresh("a"), self.some_type(), self.random.choice([2, 3, 4, 4, 8, 11, 16])
        fill = n > 4 or self.random.random() < 0.4
        values = [self.expression(t, 1).text for _ in range(1 if fill else n)]
        self.own(lambda: f"{name}[{self.at(n)}]", t, 2)
        self.arrays.append((name, t, n))
        whole = f"[{values[0]}; {n}]" if fill else f"[{', '.join(values)}]"
        return Line(f"var {name}: [{t}; {n}] = {whole};", f"var {name}: [{t}; {n}] = [{t}(u); {n}];")

    def declare_grid(self):
        name, t, rows, columns = self.fresh("m"), self.some_type(), self.random.randint(2, 4), self.random.randint(2, 5)
        value = self.expression(t, 1).text
        self.own(lambda: f"{name}[{self.at(rows)}, {self.at(columns)}]", t, 2)
        return Line(f"var {name}: [{t}; {rows}, {columns}] = [{value}; {rows}, {columns}];",
                    f"var {name}: [{t}; {rows}, {columns}] = [{t}(u); {rows}, {columns}];")

    def declare_threes(self):
        """An array of structs, whose fields are all as wide."""
        name, n = self.fresh("t"), self.random.choice([2, 4, 7])
        a, b, c = (self.expression(t, 1).text for t in ("i32", "f32", "u32"))
        for field, t in (("a", "i32"), ("b", "f32"), ("c", "u32")):
            self.own(lambda field=field: f"{name}[{self.at(n)}].{field}", t)
        return Line(f"var {name} = [Three(a: {a}, b: {b}, c: {c}); {n}];",
                    f"var {name} = [Three(a: u, b: 0.5, c: 1); {n}];")

    def declare_held(self):
        """An array of structs that hold arrays."""
        name, n = self.fresh("t"), self.random.choice([2, 3, 4])
        values = self.expression("i16", 1).text, self.expression("u16", 1).text
        self.own(lambda: f"{name}[{self.at(n)}].v[{self.at(4)}]", "i16", 2)
        self.own(lambda: f"{name}[{self.at(n)}].to", "u16")
        return Line("var {0} = [Held(from: {1}, v: [{1}; 4], to: {2}); {3}];".format(name, *values, n),
                    f"var {name} = [Held(from: 1, v: [i16(u); 4], to: 2); {n}];")

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
            op = r.choice(["/=", "%=", "<<=", ">>=", "<<<="])
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
        if op.startswith("= "):
            return Line(f"atomic {name}[{self.at(extent)}] {op};", f"atomic {name}[1] {op};")
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

    def sweep(self):
        """A loop over an array of the item's own, up to its end or to where something else says."""
        name, t, n = self.random.choice(self.arrays)
        j = self.fresh("j")
        end = self.random.choice([str(n), str(n), f"{self.below(1 << (n.bit_length() - 1))}", f"index(u) % {n + 1}"])
        self.variables.append((j, "i64"))
        body = [self.assignment(f"{name}[{j}]", t)]
        if self.random.random() < 0.5:
            other, _, m = self.random.choice(self.arrays)
            body.append(self.assignment(f"{other}[({j} + {self.random.randrange(5)}) % {m}]", _))
        self.variables.pop()
        return Nest((f"for {j} in 0..{end} {{", body))

    def failing_line(self):
        """A check that fails for some items, perhaps: of something that varies, counts along or is the same for all."""
        r, item = self.random, self.item
        name, t = r.choice([(name, t) for name, t in self.variables if t in INTS])
        number = self.unknown(self.expression(r.choice(INTS), 1)).text
        some = r.choice([f"i64({number} & 63)", item, item, f"{item} + i64(u)", f"30 - {item}",
                         f"i64({number} & 63) - {item}"])
        times = r.choice(["0", "i64(u)", f"i64(u) * {r.randint(2, 9)}"])
        return Line(r.choice([
            f"assert {some} {r.choice(['<', '<=', '!='])} {times} + {r.choice([40, 64, 99, 120])};",
            f"assert {some} {r.choice(['>=', '>', '!='])} {times} - {r.choice([20, 40, 63, 100])};",
            f"let {self.fresh('_f')} = table[{item}{r.choice(['', ' + 3', ' - 1'])}];",
            f"let {self.fresh('_f')} = table[i64({number} & 31) + i64(u) * 2];",
            f"let {self.fresh('_f')} = {t}({name}) / {t}({number} & 127);",
            f"let {self.fresh('_f')} = {t}({name}) << (i64({number} & {bits(t) - 1}) + i64(u) / 4);"]))

    def checked_line(self):
        """A check that holds, which the compiler does not see."""
        if self.may_fail:
            return self.failing_line()
        return Line(f"assert {self.random.choice(self.checked)};", "assert u < 5;")

    def exits(self, depth):
        """A loop with several ways out, some from inside of others."""
        r = self.random
        self.loops += 1
        w = self.fresh("w")
        self.variables.append((w, "i32"))
        self.depth = depth + 1
        nodes = []
        for _ in range(r.randint(2, 3)):
            nodes += self.block(r.randint(0, 1)) + [self.leave()]
        nodes += self.block(1)
        self.depth = depth
        self.variables.pop()
        self.loops -= 1
        if r.random() < 0.5:
            return Nest((f"for {w}_ in 0..{self.bound()} {{\n    let {w} = i32({w}_);", nodes))
        bound = r.choice(["u + 3", f"i32({self.bound()})", "6"])
        return Nest((f"var {w} = 0i32;\nwhile true {{\n    {w} += 1;\n    if {w} > {bound} {{ break; }}", nodes))

    def leave(self):
        ways = ([("break;", 2), ("continue;", 2)] if self.loops else []) + ([("return", 1)] if self.returns else [])
        way = self.random.choices([w for w, _ in ways], [k for _, k in ways])[0]
        return Nest((f"if {self.truth()} {{", [Line(self.returns() if way == "return" else way)]))

    def statement(self):
        r, depth = self.random.random(), self.depth
        if depth < 4 and r < 0.16:
            return self.branch(depth)
        if depth < 4 and r < 0.25:
            return self.loop(depth)
        if depth < 3 and r < 0.29:
            return self.exits(depth)
        if (self.loops or self.returns) and r < 0.34:
            return self.leave()
        if r < 0.44:
            return self.declare()
        if self.bins and r < 0.49:
            return self.atomic()
        if self.checked and r < 0.51:
            return self.checked_line()
        if self.arrays and r < 0.57:
            return self.sweep()
        if self.places and r < 0.72:
            return self.store()
        name, t = self.random.choice(self.values)
        return self.assignment(name, t)
