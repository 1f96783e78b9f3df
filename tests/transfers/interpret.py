"""What a case of generate.py computes, said once more in Python: the judge that shares nothing with the compiler."""
import sys
from pathlib import Path

from generate import STRUCTS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import shown  # noqa: E402

PAIR = ("struct", "Pair", [("x", "i64"), ("y", "i64")])
STEPS = 60000  # of one case; longer ones are not worth it


class Invalid(Exception):
    """Not a program (the reducer makes such), or one that runs too long."""


class Leave(Exception):
    pass


class Break(Leave):
    pass


class Continue(Leave):
    pass


class Return(Leave):
    def __init__(self, value):
        super().__init__()
        self.value = value


class Array:
    """Elements off .. off + n of a list; of pairs these are lists of two."""

    def __init__(self, data, off=0, n=None):
        self.data, self.off, self.n = data, off, len(data) if n is None else n

    def at(self, i):
        if not 0 <= i < self.n:
            raise Invalid("index")
        return self.data[self.off + i]

    def put(self, i, v):
        if not 0 <= i < self.n:
            raise Invalid("index")
        self.data[self.off + i] = v

    def copy(self):
        return Array([list(v) if isinstance(v, list) else v for v in self.data[self.off:self.off + self.n]])


class Cell:
    def __init__(self, value):
        self.value = value


def wrap(v):
    return (v + 2 ** 63) % 2 ** 64 - 2 ** 63


def remainder(a, b):
    r = abs(a) % abs(b)
    return -r if a < 0 else r


def copied(v):
    if isinstance(v, dict):
        return {name: Cell(copied(cell.value)) for name, cell in v.items()}
    return v.copy() if isinstance(v, Array) else v


def k_add(a, b):
    for i in range(b.n):
        b.put(i, wrap(b.at(i) + a.at(i) + i))


def k_back(b, a):
    for i in range(b.n):
        b.put(i, wrap(b.at(i) + a.at(i) - i))


def k_triple(a, b):
    for i in range(a.n):
        b.put(i, wrap(a.at(i) * 3 + 1))


def k_evens(b):
    for i in range(0, b.n, 2):
        b.put(i, wrap(b.at(i) * 5 - 7))


def k_some(a, b):
    for i in range(a.n):
        b.put(i, a.at(i) if a.at(i) % 2 == 0 else wrap(-a.at(i)))


def k_partly(a, b):
    for i in range(a.n):
        if a.at(i) % 2 == 0:
            b.put(i, a.at(i))


def k_stamp(b, v):
    for i in range(b.n):
        b.put(i, wrap(v + i))


def k_peeks(a, b):
    for i in range(a.n):
        b.put(i, b.at(i) ^ a.at(i))


def k_ignores(_a, b, v):
    for i in range(b.n):
        b.put(i, wrap(b.at(i) - v))


def k_shift(a, b):
    for i in range(1, a.n):
        b.put(i, a.at(i - 1) ^ b.at(i))


def k_through(b, v):
    for i in range(b.n):
        b.put(i, wrap(b.at(i) * 2 + v))


def k_total(a):
    return wrap(sum(a.at(i) for i in range(a.n)))


def k_most(a):
    return max(a.at(i) for i in range(a.n))


def k_pairs(p, v):
    for i in range(p.n):
        x, y = p.at(i)
        p.put(i, [wrap(x + y * v), wrap(y + i)])


def k_mix(a, p):
    for i in range(p.n):
        p.put(i, [wrap(p.at(i)[0] + a.at(i)), p.at(i)[1]])


def k_grid_step(g):
    u, v = g["u"].value, g["v"].value
    for i in range(u.n):
        v.put(i, wrap(v.at(i) + u.at(i) * 2 + g["k"].value))


def k_grid_read(g, b):
    for i in range(b.n):
        b.put(i, wrap(b.at(i) + g["u"].value.at(i) - g["k"].value))


def k_grid_total(g):
    return wrap(sum(g["v"].value.at(i) for i in range(g["v"].value.n)))


def k_turn(m, v):
    for i in range(m.n):
        row = m.at(i)
        m.put(i, [wrap(row[j] * 3 + v + j) for j in range(len(row))])


def k_rows(m, a):
    for i in range(a.n):
        a.put(i, wrap(m.at(i)[0] + m.at(i)[1] * 7))


def shown_value(value):
    """As tests/shown.py has values, and its type."""
    if isinstance(value, dict):
        kind = next(kind for kind, fields in STRUCTS.items() if {name for name, _ in fields} == set(value))
        fields = [(name, *shown_value(cell.value)) for name, cell in value.items()]
        order = [name for name, _ in STRUCTS[kind]]
        fields.sort(key=lambda field: order.index(field[0]))
        return [x for _, x, _ in fields], ("struct", kind, [(name, of) for name, _, of in fields])
    if not isinstance(value, Array):
        return value, "i64"
    elements = value.data[value.off:value.off + value.n]
    if elements and isinstance(elements[0], list) and len(elements[0]) > 2:
        return ([value.n, len(elements[0])], [x for row in elements for x in row]), ("array", "i64", 2)
    return ([value.n], elements), ("array", PAIR if elements and isinstance(elements[0], list) else "i64", 1)


class Run:
    def __init__(self):
        self.steps, self.out = 0, []

    def block(self, env, body):
        inner = dict(env)
        for st in body:
            self.statement(inner, st)

    # References ------------------------------------------------------------------------------------------------

    def cell(self, env, path):
        if path[0] not in env:
            raise Invalid("name")
        cell = env[path[0]]
        for field in path[1:]:
            if not isinstance(cell.value, dict) or field not in cell.value:
                raise Invalid("field")
            cell = cell.value[field]
        if cell.value is None:
            raise Invalid("moved")
        return cell

    def extent(self, env, node):
        if isinstance(node, list) and node[0] == "n":
            return node[1]
        if isinstance(node, list) and node[0] == "ext":
            ext = node[1]
            return ext if isinstance(ext, int) else self.cell(env, node[2]).value.n
        return node if isinstance(node, int) else env[node].value

    def index(self, env, node, array):
        if node[0] == "n":
            return node[1]
        if node[0] == "iv":
            return env["iv"].value
        if node[0] == "ix":
            return node[1] % array.n
        return self.expr(env, node)

    def arguments(self, env, args):
        found = []
        for a in args:
            found.append(self.expr(env, a[1]) if a[0] == "i" else None)
        for i, a in enumerate(args):
            if a[0] == "i":
                continue
            cell = self.cell(env, a[1])
            if a[2]:
                cell = Cell(self.sliced(env, cell.value, a[2]))
            found[i] = cell
        return found

    def sliced(self, env, whole, part):
        if part[0] == "row":
            return Array(whole.at(part[1]))
        lo = part[1] * env["iv"].value + part[2] if part[0] == "by" else part[0]
        hi = lo + part[3] if part[0] == "by" else part[1]
        if not 0 <= lo <= hi <= whole.n:
            raise Invalid("slice")
        return Array(whole.data, whole.off + lo, hi - lo)

    def launch(self, env, name, args):
        values = [v.value if isinstance(v, Cell) else v for v in self.arguments(env, args)]
        sizes = {v.n for v in values if isinstance(v, Array)}
        if len(sizes) > 1:
            raise Invalid("shape")
        self.tick(8)
        return globals()["k_" + name](*values)

    def call(self, env, f, args):
        values = self.arguments(env, args)
        inner = {name: v if isinstance(v, Cell) else Cell(v) for (name, _, _), v in zip(f.params, values)}
        sizes = {v.value.n for v in inner.values() if isinstance(v.value, Array)}
        if len(sizes) > 1:
            raise Invalid("shape")
        inner["n"] = Cell(min(sizes) if sizes else 0)
        try:
            self.block(inner, f.body)
        except Return as r:
            return r.value
        if f.result:
            raise Invalid("no result")
        return None

    def tick(self, n=1):
        self.steps += n
        if self.steps > STEPS:
            raise Invalid("too long")

    # Expressions -----------------------------------------------------------------------------------------------

    def part(self, element, field):
        if isinstance(element, list):
            return element[1 if field in ("y", None) else 0]
        return element

    def expr(self, env, e):
        self.tick()
        kind = e[0]
        if kind == "n":
            return e[1]
        if kind == "v":
            return self.cell(env, [e[1]]).value
        if kind == "iv":
            return env["iv"].value
        if kind == "el":
            array = self.cell(env, e[1]).value
            i = self.index(env, e[2], array)
            return self.part(self.cell(env, e[1]).value.at(i), e[3])
        if kind == "at":
            i = self.expr(env, e[2])
            array = self.cell(env, e[1]).value
            return array.at(i) if 0 <= i < array.n else 0
        if kind == "dyn":
            n = self.extent(env, e[2])
            return remainder(remainder(self.expr(env, e[1]), n) + n, n)
        if kind == "bin":
            a, b = self.expr(env, e[2]), self.expr(env, e[3])
            return wrap({"+": a + b, "-": a - b, "*": a * b, "^": a ^ b}[e[1]])
        if kind == "mod":
            return remainder(self.expr(env, e[1]), e[2])
        if kind == "ife":
            return self.expr(env, e[2] if self.condition(env, e[1]) else e[3])
        if kind == "textlen":
            return len(str(self.expr(env, e[1])))
        if kind == "red":
            return self.launch(env, e[1], e[2])
        if kind == "num":
            return self.cell(env, e[1]).value
        if kind == "callx":
            return self.call(env, e[1], e[2])
        if kind == "elc":
            array = self.call(env, e[1][1], e[1][2])
            return {"[]": array.at(0), "at": array.at(1) if array.n > 1 else 0, "len": array.n}[e[2]]
        if kind == "mv":
            cell = self.cell(env, e[1])
            value, cell.value = cell.value, None
            return value
        if kind == "copy":
            value = self.cell(env, e[1]).value
            return self.sliced(env, value, e[2]).copy() if e[2] else copied(value)
        if kind == "build":
            return {name: Cell(self.expr(env, value)) for name, value in e[2]}
        if kind == "comp":
            return self.comprehension(env, e)
        if kind == "fill":
            value = self.expr(env, e[3])
            return Array([value] * self.extent(env, e[2]))
        raise Invalid(kind)

    def comprehension(self, env, e):
        inner, n = dict(env), self.extent(env, e[3])
        found = []
        for i in range(n):
            inner["iv"] = Cell(i)
            value = wrap(self.expr(inner, e[4]) + i)
            found.append({"A": value, "P": [value, i], "M": [value, i, i]}[e[1]])
            if e[1] == "M":
                found[-1] = [value] + [wrap(self.expr(inner, e[4]) + i) for _ in range(2)]
        return Array(found)

    def condition(self, env, e):
        if e[0] == "and":
            return self.condition(env, e[1]) and self.condition(env, e[2])
        if e[0] == "or":
            return self.condition(env, e[1]) or self.condition(env, e[2])
        a, b = self.expr(env, e[2]), self.expr(env, e[3])
        return {"<": a < b, ">": a > b, "==": a == b, "!=": a != b}[e[1]]

    # Statements ------------------------------------------------------------------------------------------------

    def statement(self, env, st):
        self.tick()
        name = {"num=": "number"}.get(st[0], st[0])
        getattr(self, "do_" + name)(env, *st[1:])

    def do_let(self, env, name, value, _mutable):
        env[name] = Cell(self.expr(env, value))

    def do_set(self, env, path, value):
        value = self.expr(env, value)
        cell = env[path[0]]
        for field in path[1:]:
            cell = cell.value[field]
        cell.value = value

    def do_number(self, env, path, value):
        value = self.expr(env, value)
        self.cell(env, path).value = value

    def do_put(self, env, path, index, op, value, field):
        value = self.expr(env, value)
        i = self.index(env, index, self.cell(env, path).value)
        array = self.cell(env, path).value
        old = self.part(array.at(i), field)
        new = {"=": value, "+=": wrap(old + value), "-=": wrap(old - value), "min=": min(old, value)}[op]
        if isinstance(array.at(i), list):
            array.at(i)[1 if field in ("y", None) else 0] = new
        else:
            array.put(i, new)

    def do_grid(self, env, path, _i, _j, first, op, value):
        for i in range(self.cell(env, path).value.n):
            for j in range(first, len(self.cell(env, path).value.at(0))):
                new = self.expr(env, value)
                row = self.cell(env, path).value.at(i)
                row[j] = new if op == "=" else wrap(row[j] + new)

    def do_stride(self, env, _w, at, ext, step, path, op, value, reads):
        while at < ext:
            self.do_put(env, path, ["n", at], op, value, None)
            if reads:
                self.do_acc(env, ["el", path, ["n", at], None])
            at += step

    def do_acc(self, env, e):
        c = self.cell(env, ["c"])
        old = c.value
        c.value = wrap(old * 31 + self.expr(env, e))

    def do_digest(self, env, path, name):
        c, array = self.cell(env, [name]), self.cell(env, path).value
        s = 0
        for i in range(array.n):
            v = array.at(i)
            for x in v if isinstance(v, list) else [v]:
                s = wrap(s * 31 + x)
        self.tick(array.n)
        c.value = wrap(c.value * 31 + s)

    def do_swap(self, env, x, y):
        a, b = self.cell(env, x), self.cell(env, y)
        a.value, b.value = b.value, a.value

    def do_launch(self, env, name, args, _how):
        self.launch(env, name, args)

    def do_call(self, env, f, args):
        self.call(env, f, args)

    def do_block(self, env, body):
        self.block(env, body)

    do_resident = do_block

    def do_if(self, env, cond, yes, no):
        self.block(env, yes if self.condition(env, cond) else no)

    def do_for(self, env, i, lo, hi, body):
        lo, hi = self.expr(env, lo), self.expr(env, hi) if hi[0] == "dyn" else self.extent(env, hi)
        for at in range(lo, hi):
            inner = dict(env)
            inner["iv"] = inner[i] = Cell(at)
            try:
                self.block(inner, body)
            except Break:
                break
            except Continue:
                pass

    def do_while(self, env, _w, limit, cond, body):
        n = 0
        while n < limit and self.condition(env, cond):
            n += 1
            try:
                self.block(env, body)
            except Break:
                break
            except Continue:
                pass

    def do_break(self, _env):
        raise Break

    def do_continue(self, _env):
        raise Continue

    def do_return(self, env, e):
        raise Return(self.expr(env, e) if e else None)

    def do_print(self, env, values):
        self.out.append(" ".join(str(self.expr(env, e)) for e in values))

    def do_show(self, env, path, part):
        value = self.cell(env, path).value
        value, of = shown_value(self.sliced(env, value, part) if part else value)
        self.tick(8)
        self.out += shown.text(value, of).split("\n")

    def do_assert(self, env, e, _shown):
        if self.expr(env, e) == 123456789:
            raise Invalid("assert")

    def do_wait(self, _env):
        pass


def interpret(case):
    """The lines that it prints. Invalid: it is no program."""
    run = Run()
    try:
        run.block({}, case["body"])
    except (KeyError, AttributeError, TypeError, IndexError) as error:
        raise Invalid(str(error)) from error
    except Leave as error:
        raise Invalid("leaves") from error
    return run.out
