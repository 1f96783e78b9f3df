"""Random kernels for test_random_races.py. A program is a tree, so that a failing one can be reduced: a statement is a
line, or a block (head, statements). Barriers are only where all items of a group come."""
import random

HOST = """fn size(at: index, otherwise: index) -> index {
    let a = args();
    return if len(a) > at { index(a[at]) } else { otherwise };
}

fn main() {
    launch(size(0, %d), size(1, %d), size(2, %d));
}
"""
LAUNCH = """
fn launch(n: index, m: index, k: index) {
    var x = [i32(i %% 5) for i in n];
    var y = [i32(i %% 3) for i in m];
    var a = [i32(i + j) for i in n, j in m];
    var p = [P(f: 0, g: i32(i), v: i32x2(0)) for i in n];
    let t = [i32(i * 3 %% 4) for i in n];
    var c = [0; 8];
    %s
}

"""
OFFLOAD = "offload work(&mut x, &mut y, &mut a, &mut p, &t, &mut c, k);"
WITH_GAP = "let gap = 1index << k; if gap > 0 { offload work(&mut x, &mut y, &mut a, &mut p, &t, &mut c, k, gap); }"
TYPES = """struct P { f: i32, g: i32, v: i32x2 }

fn put(z: &mut [i32; e], at: index) {
    z[at] = 1;
}

fn peek(z: &[i32; e], at: index) -> i32 {
    return z[at];
}

fn left(i: index) -> index {
    return if i > 0 { i - 1 } else { 0 };
}

"""


class Generator:
    """Every fourth kernel gets a parameter `gap`, which the launch makes a power of two, for exchanges with partners."""

    def __init__(self, seed):
        self.rng, self.has_gap = random.Random(seed), seed % 4 == 0
        self.names, self.budget = 0, self.rng.randint(1, 4)

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def domain(self):
        r = self.rng
        self.groups = r.random() < .45
        self.sizes = (r.choice((5, 6, 8)), r.choice((4, 5, 7)), r.choice((0, 1, 2)))
        if not self.groups:
            first = r.choice(("n", "n", "m", "0..n", "1..n", "1..n - 1", "0..n step 2", "1..n step 3", "n / 2", "k..n",
                              "8", "0..n - k", "2 * n", "n - 1"))
            axes = [("i", first)]
            if r.random() < .35:
                axes.append(("j", r.choice(("m", "n", "1..m", "m - 1", "4"))))
            if len(axes) == 2 and r.random() < .2:
                axes.append(("l", "2"))
            self.extents = {}
        elif r.random() < .75:
            axes, self.extents = [("i", r.choice(("n by 4", "n by 8", "8 by 8", "1..n by 4", "n by 2")))], {}
            self.extents["i"] = int(axes[0][1].split(" by ")[1])
        else:
            axes, self.extents = [("i", "n by 2"), ("j", "m by 4")], {"i": 2, "j": 4}
        self.axes = [name for name, _ in axes]
        return ", ".join(f"{name} in {extent}" for name, extent in axes)

    def value(self, scope):
        r = self.rng
        names = [*scope, *self.axes, *self.axes, "k"]
        for axis in self.extents:
            names += [f"{axis}.local", f"{axis}.local", f"{axis}.group"]
        return r.choice(names)

    def index(self, extent, scope):
        r, v, c = self.rng, self.value(scope), self.rng.randint(1, 3)
        w = self.value(scope)
        if self.has_gap and r.random() < .6:
            return r.choice((f"{v} ^ gap", f"{v} ^ gap", f"{v} ^ k", f"{v} + gap", f"{v} - gap", f"{v} & (gap - 1)",
                             f"2 * {v} - ({v} & (gap - 1))", f"2 * {v} - ({v} & (gap - 1)) + gap", f"{v} / gap",
                             f"({v} ^ gap) + {c}", f"({v} ^ gap) ^ k"))
        return r.choice((v, v, v, f"{v} + {c}", f"{v} - {c}", f"{c + 1} * {v}", f"{c + 1} * {v} + {c}",
                         f"{extent} - 1 - {v}", f"{v} / {c + 1}", f"{v} % {c + 1}", f"{v} / 2 * 4 + {v} % 2",
                         f"{v} + {w}", f"{v} - {w}", f"min({v} + {c}, {extent} - 1)", f"max({v} - {c}, 0)",
                         f"clamp({v} - {c}, 0, {extent} - 1)", f"({v} + {c}) % {extent}", f"{v} ^ {c}", f"{v} & {c}",
                         f"{v} >> 1", f"2 * {v} + {w}", f"{c - 1}",
                         f"left({v})", f"{v} / 2 + {extent} / 2", f"{v} % {extent}"))

    def place(self, scope):
        """(lines that declare the index, condition that it is in bounds or None, place)"""
        r = self.rng
        arrays = ["x", "x", "y", "a", "p", "c"] + (["s", "s", "s"] if self.shared else [])
        array = r.choice(arrays)
        extents = {"x": ("n",), "y": ("m",), "a": ("n", "m"), "p": ("n",), "c": ("8",), "s": (str(self.shared),)}[array]
        declared, conditions, indices = [], [], []
        for extent in extents:
            index = self.index(extent, scope)
            if array == "s" and r.random() < .6:
                index = self.local_index(scope)
            if index in self.axes or index in scope and r.random() < .5:
                indices.append(index)
            else:
                name = self.name("e")
                declared.append(f"let {name} = {index};")
                indices.append(name)
            if r.random() < .97:
                conditions.append(f"{indices[-1]} >= 0 && {indices[-1]} < {extent}")
        tail = r.choice((".f", ".g", ".v.x", ".v.y")) if array == "p" else ""
        return declared, " && ".join(conditions), f"{array}[{', '.join(indices)}]{tail}", array, indices

    def local_index(self, scope):
        r, e, c = self.rng, self.shared, self.rng.choice((1, 2, 4))
        v = r.choice([f"{axis}.local" for axis in self.extents])
        if len(self.extents) == 2 and r.random() < .5:
            return "4 * i.local + j.local"
        more = [f"{v} + {q}" for q in scope] + [f"{v} ^ {q}" for q in scope] + [f"({v} + {q}) % {e}" for q in scope]
        return r.choice([v, v, v, f"{v} ^ {c}", f"({v} + {c}) % {e}", f"{e} - 1 - {v}", f"{v} + {c}", f"{v} / 2", "0",
                         *more])

    def access(self, scope):
        r = self.rng
        declared, condition, place, array, indices = self.place(scope)
        other_declared, other_condition, other, _, _ = self.place(scope)
        kind = r.random()
        if kind < .3:
            line = f"{place} = {r.choice(('1', 'sum'))};"
        elif kind < .45:
            line = f"{place} += 1;"
        elif kind < .65:
            line = f"sum += {place};"
        elif kind < .8:
            declared += other_declared
            condition = " && ".join(part for part in (condition, other_condition) if part)
            line = f"{place} = {other};"
        elif kind < .9:
            line = f"atomic {place} += 1;"
        elif len(indices) == 1 and array != "p":
            line = f"put(&mut {array}, {indices[0]});" if r.random() < .6 else f"sum += peek(&{array}, {indices[0]});"
        elif array == "a":
            line = f"put(&mut a[{indices[0]}, ..], {indices[1]});"
        else:
            line = f"{place} = 2;"
        return [*declared, (f"if {condition}", [line]) if condition else line]

    def guard(self, scope, uniform):
        r, v, w = self.rng, self.value(scope), self.value(scope)
        if uniform:
            return r.choice(("k > 0", "k == 1", *(f"{axis}.group == 0" for axis in self.extents),
                             *(f"{q} % 2 == 0" for q in scope), *(f"{q} > 0" for q in scope)))
        c = r.randint(0, 3)
        if self.has_gap and r.random() < .6:
            return r.choice((f"({v} ^ gap) > {v}", f"({v} ^ gap) < {v}", f"({v} & (gap - 1)) == {v}", f"{v} < gap",
                             f"({v} & gap) == 0", f"{v} % gap == 0", f"({v} ^ k) > {w}"))
        return r.choice((f"{v} % 2 == {c % 2}", f"{v} % 3 {r.choice(('==', '!='))} {c % 3}", f"{v} < n / 2",
                         f"{v} == {c}", f"{v} < {w}", f"{v} != k", f"{v} > {c}", f"({v} + {w}) % 2 == 0",
                         f"{v} < n - 1", f"{v} == n - 1", f"{v} >= 0 && {v} < n && t[{v}] > 1",
                         "inside" if self.groups else f"{v} <= {w}",
                         *(f"{axis}.local == 0" for axis in self.extents),
                         *(f"{axis}.local < 2" for axis in self.extents)))

    def statements(self, scope, uniform, depth, count=None):
        result = []
        for _ in range(count or self.rng.randint(1, 3)):
            result += self.statement(scope, uniform, depth)
            if self.groups and uniform and self.rng.random() < .45:
                result.append("barrier;")
        return result

    def statement(self, scope, uniform, depth):
        r = self.rng
        kind = r.random()
        if depth >= 2 or kind < .6:
            return self.access(scope)
        if kind < .75:
            q = self.name("q")
            lower, upper = r.choice((("0", "2"), ("0", "3"), ("1", "4"), ("0", "k"), ("0", "4 step 2")))
            same = True
            if r.random() < .4:
                v = self.value(scope)
                lower, upper = r.choice(((f"2 * {v}", f"2 * {v} + 2"), (v, f"{v} + 2"), ("0", v), (v, "n"),
                                         (f"{v} * 3", f"({v} + 1) * 3"), (f"{v} + 2", f"{v} step -1"), (v, "8 step 4")))
                same = False
            return [(f"for {q} in {lower}..{upper}", self.statements([*scope, q], uniform and same, depth + 1))]
        if kind < .85 and uniform:
            q = self.name("q")
            body = self.statements([*scope, q], True, depth + 1)
            if r.random() < .5:
                return [f"var {q}: index = {r.choice((4, 2, 1))};", (f"while {q} > 0", [*body, f"{q} /= 2;"])]
            return [f"var {q}: index = 1;", (f"while {q} < {r.choice((4, 8))}", [*body, f"{q} *= 2;"])]
        same = uniform and r.random() < .5
        block = [(f"if {self.guard(scope, same)}", self.statements(scope, same, depth + 1))]
        if r.random() < .3:
            block.append(("else", self.statements(scope, same, depth + 1)))
        return block

    def program(self):
        domain = self.domain()
        self.shared = 8 if self.groups else 0
        body = self.statements([], True, 0, self.budget)
        if not self.groups and self.rng.random() < .15:
            body.insert(self.rng.randint(0, len(body)), (f"if {self.guard([], False)}", ["return;"]))
        return Tree(domain, body, self.sizes, self.shared, self.has_gap)


class Tree:
    def __init__(self, domain, body, sizes, shared, has_gap):
        self.domain, self.body, self.sizes, self.shared, self.has_gap = domain, body, sizes, shared, has_gap

    def text(self):
        lines = ["kernel work(x: &mut [i32; n], y: &mut [i32; m], a: &mut [i32; n, m], p: &mut [P; n], t: &[i32; n],",
                 f"            c: &mut [i32; 8], k: index{', gap: index' if self.has_gap else ''}) over {self.domain} {{", "    var sum = 0;"]
        if self.shared:
            lines.append(f"    shared s: [i32; {self.shared}];")
            lines.append("    if n < 0 { s[0] = 0; }")  # the compiler asks for a write; it is never executed
        self.write(self.body, lines, 1)
        lines.append("}")
        return "\n".join(lines) + "\n" + LAUNCH % (WITH_GAP if self.has_gap else OFFLOAD) + HOST % self.sizes + "\n" + TYPES

    def write(self, body, lines, depth):
        for statement in body:
            if isinstance(statement, str):
                lines.append("    " * depth + statement)
            else:
                head = f"{statement[0]} {{"
                if statement[0] == "else":
                    lines[-1] += " else {"
                else:
                    lines.append("    " * depth + head)
                self.write(statement[1], lines, depth + 1)
                lines.append("    " * depth + "}")

    def smaller(self):
        """Programs with one statement less, or a block replaced by what is in it."""
        for body in removals(self.body):
            yield Tree(self.domain, body, self.sizes, self.shared, self.has_gap)


def removals(body):
    for k, statement in enumerate(body):
        rest = [s for s in body[k + 1:k + 2] if isinstance(s, tuple) and s[0] == "else"]
        yield body[:k] + body[k + 1 + len(rest):]
        if isinstance(statement, tuple):
            yield body[:k] + statement[1] + body[k + 1 + len(rest):]
            for inner in removals(statement[1]):
                if inner:
                    yield body[:k] + [(statement[0], inner)] + body[k + 1:]
