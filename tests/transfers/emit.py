"""A case of generate.py as KDSL."""
from generate import STRUCTS, WIDTH

PRELUDE = """
struct Pair { x: i64, y: i64 }
struct G { u: [i64; _], v: [i64; _], k: i64 }
struct F { w: [i64; 3], k: i64 }
struct H { g: G, w: [i64; _], p: [Pair; _], t: i64 }
fn put(b: &mut [i64; n], i: index, v: i64) { b[i] = b[i] * 2 + v; }
kernel add(a: &[i64; n], b: &mut [i64; n]) over i in n { b[i] += a[i] + index(i); }
kernel back(b: &mut [i64; n], a: &[i64; n]) over i in n { b[i] += a[i] - index(i); }
kernel triple(a: &[i64; n], b: &out [i64; n]) over i in n { b[i] = a[i] * 3 + 1; }
kernel evens(b: &mut [i64; n]) over i in n { if i % 2 == 0 { b[i] = b[i] * 5 - 7; } }
kernel some(a: &[i64; n], b: &out [i64; n]) over i in n { if a[i] % 2 == 0 { b[i] = a[i]; } else { b[i] = -a[i]; } }
kernel partly(a: &[i64; n], b: &out [i64; n]) over i in n { if a[i] % 2 == 0 { b[i] = a[i]; } }
kernel stamp(b: &mut [i64; n], v: i64) over i in n { b[i] = v + index(i); }
kernel peeks(a: &mut [i64; n], b: &mut [i64; n]) over i in n { b[i] ^= a[i]; }
kernel ignores(_a: &mut [i64; n], b: &mut [i64; n], v: i64) over i in n { b[i] -= v; }
kernel shift(a: &[i64; n], b: &mut [i64; n]) over i in 1..n { b[i] = a[i - 1] ^ b[i]; }
kernel through(b: &mut [i64; n], v: i64) over i in n { put(&mut b, i, v); }
kernel total(a: &[i64; n]) over i in n -> sum i64 { return a[i]; }
kernel most(a: &[i64; n]) over i in n -> max i64 { return a[i]; }
kernel pairs(p: &mut [Pair; n], v: i64) over i in n { p[i].x += p[i].y * v; p[i].y += index(i); }
kernel mix(a: &[i64; n], p: &mut [Pair; n]) over i in n { p[i].x += a[i]; }
kernel grid_step(g: &mut G) over i in shape(g.u, 0) { g.v[i] += g.u[i] * 2 + g.k; }
kernel grid_read(g: &G, b: &mut [i64; n]) over i in n { b[i] += g.u[i] - g.k; }
kernel grid_total(g: &G) over i in shape(g.v, 0) -> sum i64 { return g.v[i]; }
kernel turn(m: &mut [i64; n, w], v: i64) over i in n, j in w { m[i, j] = m[i, j] * 3 + v + index(j); }
kernel rows(m: &[i64; n, w], a: &out [i64; n]) over i in n { a[i] = m[i, 0] + m[i, 1] * 7; }

fn sum_A(a: &[i64; n]) -> i64 {
    var s = 0i64;
    for i in n { s = s * 31 + a[i]; }
    return s;
}
fn sum_P(p: &[Pair; n]) -> i64 {
    var s = 0i64;
    for i in n {
        s = s * 31 + p[i].x;
        s = s * 31 + p[i].y;
    }
    return s;
}
fn sum_M(m: &[i64; n, w]) -> i64 {
    var s = 0i64;
    for i in n { for j in w { s = s * 31 + m[i, j]; } }
    return s;
}
"""
TYPES = {"A": "[i64; {}]", "P": "[Pair; {}]", "M": "[i64; {}, %d]" % WIDTH}


class Emitter:
    def __init__(self):
        self.lines, self.kinds = [], {}

    def say(self, depth, text):
        self.lines.append("    " * depth + text)

    # Types of names, for what differs among arrays --------------------------------------------------------------

    def kind(self, path):
        kind = self.kinds.get(path[0])
        for field in path[1:]:
            kind = dict(STRUCTS.get(kind, [])).get(field)
        return kind

    def learn(self, name, value):
        kinds = {"comp": lambda e: e[1], "fill": lambda e: e[1], "build": lambda e: e[1],
                 "copy": lambda e: "A" if e[2] and e[2][0] == "row" else self.kind(e[1]),
                 "mv": lambda e: self.kind(e[1]), "callx": lambda e: e[1].result}
        self.kinds[name] = kinds.get(value[0], lambda e: "i")(value)

    # Expressions ---------------------------------------------------------------------------------------------------

    def extent(self, node):
        if isinstance(node, list) and node[0] == "n":
            return str(node[1])
        if isinstance(node, list) and node[0] == "ext":
            ext, path = node[1], ".".join(node[2])
            return str(ext) if not isinstance(ext, (tuple, list)) else f"shape({path}, 0)"
        return str(node)

    def index(self, node, path, i):
        if node[0] == "n":
            return str(node[1])
        if node[0] == "iv":
            return i
        if node[0] == "ix":
            return f"{node[1]} % {self.extent(node[2])}"
        return self.expr(node, i)

    def element(self, path, index, field, i):
        kind, text = self.kind(path), f"{'.'.join(path)}[{self.index(index, path, i)}"
        return text + ("]" + f".{field or 'y'}" if kind == "P" else ", 1]" if kind == "M" else "]")

    def part(self, path, part, i):
        if not part:
            return ""
        rest = ", .." if self.kind(path) == "M" else ""
        if part[0] == "row":
            return f"[{part[1]}, ..]"
        if part[0] != "by":
            return f"[{part[0]}..{part[1]}{rest}]"
        lo = f"{part[2]} - {-part[1]} * {i}" if part[1] < 0 else f"{part[1]} * {i} + {part[2]}"
        return f"[{lo}..{lo} + {part[3]}{rest}]"

    def args(self, args, i):
        found = []
        for a in args:
            if a[0] == "i":
                found.append(self.expr(a[1], i))
                continue
            found.append(f"{a[0]}{' ' if a[0] != '&' else ''}{'.'.join(a[1])}{self.part(a[1], a[2], i)}")
        return "(" + ", ".join(found) + ")"

    def expr(self, e, i="0"):
        kind = e[0]
        if kind == "n":
            return str(e[1]) if e[1] >= 0 else f"({e[1]})"
        if kind == "v":
            return e[1]
        if kind == "iv":
            return f"i64({i})"
        if kind == "el":
            return self.element(e[1], e[2], e[3], i)
        if kind == "at":
            return f"{'.'.join(e[1])}.at({self.expr(e[2], i)})"
        if kind == "dyn":
            n = self.extent(e[2])
            return f"(({self.expr(e[1], i)}) % {n} + {n}) % {n}"
        if kind == "bin":
            return f"({self.expr(e[2], i)} {e[1]} {self.expr(e[3], i)})"
        if kind == "mod":
            return f"({self.expr(e[1], i)}) % {e[2]}"
        if kind == "ife":
            return f"(if {self.condition(e[1], i)} {{ {self.expr(e[2], i)} }} else {{ {self.expr(e[3], i)} }})"
        if kind == "textlen":
            return f"i64(len(format(\"{{}}\", {self.expr(e[1], i)})))"
        if kind == "red":
            return f"(offload {e[3]}{e[1]}{self.args(e[2], i)})"
        if kind == "num" or kind == "mv":
            return ".".join(e[1])
        if kind == "callx":
            return f"{e[1].name}{self.args(e[2], i)}"
        if kind == "elc":
            call = self.expr(e[1], i)
            return {"[]": f"{call}[0]", "at": f"{call}.at(1)", "len": f"i64(len({call}))"}[e[2]]
        if kind == "copy":
            return f"copy(&{'.'.join(e[1])}{self.part(e[1], e[2], i)})"
        if kind == "build":
            return f"{e[1]}({', '.join(f'{name}: {self.expr(value, i)}' for name, value in e[2])})"
        if kind == "comp":
            at, n, value = e[2], self.extent(e[3]), self.expr(e[4], e[2])
            if e[1] == "P":
                return f"[Pair(x: {value} + i64({at}), y: i64({at})) for {at} in {n}]"
            return f"[{value} + i64({at}) for {at} in {n}{f', {at}_j in {WIDTH}' if e[1] == 'M' else ''}]"
        if kind == "fill":
            return f"[i64({self.expr(e[3], i)}); {self.extent(e[2])}]"
        raise ValueError(kind)

    def condition(self, e, i="0"):
        if e[0] in ("and", "or"):
            return f"({self.condition(e[1], i)} {'&&' if e[0] == 'and' else '||'} {self.condition(e[2], i)})"
        return f"{self.expr(e[2], i)} {e[1]} {self.expr(e[3], i)}"

    # Statements ------------------------------------------------------------------------------------------------------

    def block(self, depth, body, i):
        for st in body:
            self.statement(depth, st, i)

    def statement(self, d, st, i):
        kind = st[0]
        if kind == "let":
            self.learn(st[1], st[2])
            value = self.expr(st[2], i)
            self.say(d, f"var {st[1]}{': i64' if self.kinds[st[1]] == 'i' else ''} = {value};")
        elif kind in ("set", "num="):
            self.say(d, f"{'.'.join(st[1])} = {self.expr(st[2], i)};")
        elif kind == "put":
            self.say(d, f"{self.element(st[1], st[2], st[5], i)} {st[3]} {self.expr(st[4], i)};")
        elif kind == "grid":
            _, path, i1, j1, first, op, value = st
            self.say(d, f"for {i1} in shape({'.'.join(path)}, 0) {{")
            self.say(d + 1, f"for {j1} in {first}..shape({'.'.join(path)}, 1) {{")
            self.say(d + 2, f"{'.'.join(path)}[{i1}, {j1}] {op} {self.expr(value, i)};")
            self.say(d + 1, "}")
            self.say(d, "}")
        elif kind == "stride":
            _, w, at, ext, step, path, op, value, reads = st
            name = ".".join(path)
            self.say(d, f"var {w} = {at};")
            self.say(d, f"while {w} < {ext} {{")
            self.say(d + 1, f"{name}[{w}] {op} {self.expr(value, i)};")
            if reads:
                self.say(d + 1, f"c = c * 31 + {name}[{w}];")
            self.say(d + 1, f"{w} += {step};")
            self.say(d, "}")
        elif kind == "acc":
            self.say(d, f"c = c * 31 + {self.expr(st[1], i)};")
        elif kind == "digest":
            self.say(d, f"{st[2]} = {st[2]} * 31 + sum_{self.kind(st[1])}(&{'.'.join(st[1])});")
        elif kind == "swap":
            self.say(d, f"swap(&mut {'.'.join(st[1])}, &mut {'.'.join(st[2])});")
        elif kind == "launch":
            self.say(d, f"offload {st[3].format(i)}{st[1]}{self.args(st[2], i)};")
        elif kind == "call":
            self.say(d, f"{st[1].name}{self.args(st[2], i)};")
        elif kind in ("block", "resident"):
            self.say(d, "offload resident {" if kind == "resident" else "{")
            self.block(d + 1, st[1], i)
            self.say(d, "}")
        elif kind == "if":
            self.say(d, f"if {self.condition(st[1], i)} {{")
            self.block(d + 1, st[2], i)
            if st[3]:
                self.say(d, "} else {")
                self.block(d + 1, st[3], i)
            self.say(d, "}")
        elif kind == "for":
            hi = self.expr(st[3], i) if st[3][0] == "dyn" else self.extent(st[3])
            self.say(d, f"for {st[1]} in {self.expr(st[2], i)}..{hi} {{")
            self.block(d + 1, st[4], st[1])
            self.say(d, "}")
        elif kind == "while":
            self.say(d, f"var {st[1]} = 0;")
            self.say(d, f"while {st[1]} < {st[2]} && {self.condition(st[3], i)} {{")
            self.say(d + 1, f"{st[1]} += 1;")
            self.block(d + 1, st[4], i)
            self.say(d, "}")
        elif kind == "return":
            self.say(d, f"return{' ' + self.expr(st[1], i) if st[1] else ''};")
        elif kind == "print":
            self.say(d, f"print(\"{' '.join(['{}'] * len(st[1]))}\", {', '.join(self.expr(e, i) for e in st[1])});")
        elif kind == "show":
            self.say(d, f"print(\"{{}}\", {'.'.join(st[1])}{self.part(st[1], st[2], i)});")
        elif kind == "assert":
            self.say(d, f"assert {self.expr(st[1], i)} != 123456789, \"{{}}\", {self.expr(st[2], i)};")
        else:
            self.say(d, {"break": "break;", "continue": "continue;", "wait": "wait;"}[kind])

    def function(self, f):
        self.kinds = {name: kind for name, _, kind in f.params}
        params = []
        for name, mode, kind in f.params:
            space = " " if mode in ("&mut", "&out") else ""
            params.append(f"{name}: i64" if kind == "i" else
                          f"{name}: {mode}{space}{TYPES[kind].format('n') if kind in TYPES else kind}")
        result = {None: "", "i": " -> i64", "A": " -> [i64; _]", "G": " -> G", "H": " -> H"}[f.result]
        self.say(0, f"fn {f.name}({', '.join(params)}){result} {{")
        self.block(1, f.body, "0")
        self.say(0, "}")


def functions(cases):
    out = Emitter()
    for case in cases:
        for f in case["functions"]:
            out.function(f)
    return "\n".join(out.lines)


def program(cases):
    out = Emitter()
    for n, case in enumerate(cases):
        out.say(0, f"fn case{n}() {{")
        out.kinds = {}
        out.block(1, case["body"], "0")
        out.say(0, "}")
    calls = "".join(f'    print("case {n}");\n    case{n}();\n' for n in range(len(cases)))
    return f"{PRELUDE}\n{functions(cases)}\n" + "\n".join(out.lines) + f"\nfn main() {{\n{calls}}}\n"


def session(case):
    """The same as inputs of `kdslc repl`, each on a line of its own."""
    lines = [":quiet"]
    for text in (PRELUDE, functions([case])):
        item = []
        for line in text.splitlines():
            item.append(line.strip())
            if item and sum(part.count("{") - part.count("}") for part in item) == 0:
                lines.append(" ".join(item).strip())
                item = []
    out, before = Emitter(), ""
    for st in case["body"]:
        out.lines = []
        out.statement(0, st, "0")
        if st[0] in ("while", "stride"):
            lines.append(out.lines.pop(0))
        lines.append(before + " ".join(line.strip() for line in out.lines))
        before = ""
        if st[0] == "let" and st[2][0] == "mv":  # what an input moves away is gone, unless it gets a new array there
            before = lines.pop() + " "
    return "\n".join(line for line in lines if line) + "\n"
