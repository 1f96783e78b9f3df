"""Random host programs about where data is, as trees: launches, elements read and written, calls by `&`, `&mut` and
`&out`, results, moves, swaps, copies, slices, structs that own arrays, whole assignments, loops, early returns, async
launches.

A case is {"functions": [...], "body": [...]}; interpret.py says what it computes, emit.py writes it as KDSL. Nodes are
lists whose first item is the kind, so that reduce.py can take any of them apart. Nothing here fails a check: extents
agree, indices are inside."""

# name: parameters as (mode, type), "i" a number; has a result. What they do is in interpret.py and emit.py.
KERNELS = {
    "add": ([("&", "A"), ("&mut", "A")], False),
    "back": ([("&mut", "A"), ("&", "A")], False),
    "triple": ([("&", "A"), ("&out", "A")], False),
    "evens": ([("&mut", "A")], False),
    "some": ([("&", "A"), ("&out", "A")], False),
    "partly": ([("&", "A"), ("&out", "A")], False),
    "stamp": ([("&mut", "A"), ("i", "i")], False),
    "peeks": ([("&mut", "A"), ("&mut", "A")], False),
    "ignores": ([("&mut", "A"), ("&mut", "A"), ("i", "i")], False),
    "shift": ([("&", "A"), ("&mut", "A")], False),
    "through": ([("&mut", "A"), ("i", "i")], False),
    "total": ([("&", "A")], True),
    "most": ([("&", "A")], True),
    "pairs": ([("&mut", "P"), ("i", "i")], False),
    "mix": ([("&", "A"), ("&mut", "P")], False),
    "grid_step": ([("&mut", "G")], False),
    "grid_read": ([("&", "G"), ("&mut", "A")], False),
    "grid_total": ([("&", "G")], True),
    "turn": ([("&mut", "M"), ("i", "i")], False),
    "rows": ([("&", "M"), ("&out", "A")], False),
}
STRUCTS = {"G": [("u", "A"), ("v", "A"), ("k", "i")], "H": [("g", "G"), ("w", "A"), ("p", "P"), ("t", "i")],
           "F": [("w", "A"), ("k", "i")]}  # F is a value: w has constant extents
ARRAYS = ("A", "P", "M")
WIDTH = 3  # of the rows of an M, whose number is its extent


class Var:
    def __init__(self, name, kind, ext, level, mode="var", settable=True):
        self.name, self.kind, self.ext, self.level, self.mode = name, kind, ext, level, mode
        self.settable, self.alive = settable, True


class Function:
    def __init__(self, name, params, result):
        self.name, self.params, self.result = name, params, result  # params: (name, mode, kind)
        self.replaced = set()  # parameters that get other arrays: no slices there
        self.body, self.launches = [], False


class Generator:
    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.functions, self.fresh = [], 0
        self.spreads = rng.random() < 0.3

    def case(self, is_session=False):
        for _ in range(self.rng.randint(1, 4)):
            self.function()
        self.is_session = is_session
        self.begin(None, self.rng.choice([1, 4, 6, 6, 7, 9]), self.rng.randint(5, 16))
        body = [["let", "c", ["n", self.number + 1], True]]
        self.vars.append(Var("c", "i", None, 0))
        for _ in range(self.rng.randint(2, 4)):
            body.append(self.declare("A"))
        for kind in ("P", "M", "G", "H"):
            if self.rng.random() < 0.4:
                body.append(self.declare(kind))
        if self.rng.random() < 0.08:
            saved, self.ext = self.ext, 9000
            body += [self.declare("A"), self.declare("A")]
            self.ext = saved
        body += self.statements()
        for path, _, _ in self.arrays(("A", "P", "M")):
            if self.rng.random() < 0.8:
                body.append(["digest", path, "c"])
        body.append(["print", [["v", "c"]]])
        return {"functions": self.functions, "body": body}

    # Functions ----------------------------------------------------------------------------------------------------

    def begin(self, function, ext, size):
        self.current, self.ext, self.budget = function, ext, size
        self.vars, self.level, self.loops = [], 0, 0

    def function(self):
        result = self.rng.choice([None, None, "i", "i", "A", "A", "G", "H"])
        params = []
        for i in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(["A", "A", "A", "G", "P", "H"])
            modes = ["&", "&mut", "&mut", "&out"] if kind == "A" else ["&", "&mut"]
            params.append((f"q{i}", self.rng.choice(modes), kind))
        params.append(("k", "i", "i"))
        f = Function(f"f{self.number}_{len(self.functions)}", params, result)
        self.begin(f, "n" if any(p[2] in ARRAYS for p in params) else 5, self.rng.randint(1, 7))
        for name, mode, kind in params:
            if kind == "i":
                continue
            ext = self.ext if kind in ARRAYS else ("s", name)
            self.vars.append(Var(name, kind, ext, 0, mode, mode != "&"))
        f.body.append(["let", "c", ["v", "k"], True])
        self.vars.append(Var("c", "i", None, 0))
        for name, mode, kind in params:
            if mode == "&out":
                f.body.append(self.overwrite(name))
        if result in ("A", "G", "H") and self.rng.random() < 0.6:
            f.body.append(self.declare(result))
        f.body += self.statements()
        if self.rng.random() < 0.2:
            f.body.append(self.recursion(f))
        if result:
            f.body.append(["return", self.result(result)])
        self.functions.append(f)

    def recursion(self, f):
        """It calls itself, a few times."""
        less = ["bin", "-", ["v", "k"], ["n", 1]]
        args = [["i", less] if kind == "i" else [mode, [name], None] for name, mode, kind in f.params]
        again = ["call", f, args]
        if f.result:
            again[0] = "callx"
            again = ["acc", again] if f.result == "i" else ["let", self.name("r"), again, True]
        return ["if", ["and", ["cmp", ">", ["v", "k"], ["n", 0]], ["cmp", "<", ["v", "k"], ["n", 4]]], [again], []]

    def result(self, kind):
        if kind == "i":
            return self.number_expr()
        local = [v for v in self.vars if v.kind == kind and v.alive and v.mode == "var" and v.ext == self.ext]
        if local and self.rng.random() < 0.7:
            return ["mv", [self.rng.choice(local).name]]
        return self.owned(kind, self.ext)

    def overwrite(self, name):
        """An &out array: every element gets a value before anything else."""
        others = [v for v in self.vars if v.kind == "A" and v.mode in ("&", "&mut") and v.ext == self.ext]
        if others and self.rng.random() < 0.4:
            self.current.launches = True
            args = [["&", [self.rng.choice(others).name], None], ["&out", [name], None]]
            return ["launch", self.rng.choice(["triple", "some"]), args, ""]
        body = [["put", [name], ["iv"], "=", ["v", "c"], None]]
        return ["for", self.name("i"), ["n", 0], ["ext", self.ext, [name]], body]

    # Names ---------------------------------------------------------------------------------------------------------

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def paths(self, want, writes=False):
        """(path, kind, ext, var) of what is alive and of these kinds, fields included."""
        found = []
        for v in self.vars:
            if not v.alive or (writes and not v.settable):
                continue
            self.paths_of([v.name], v.kind, v.ext, v, want, found)
        return found

    def paths_of(self, path, kind, ext, var, want, found):
        if kind in want:
            found.append((path, kind, ext, var))
        for field, of in STRUCTS.get(kind, []):
            self.paths_of(path + [field], of, ext, var, want, found)

    def arrays(self, want, writes=False):
        return [(p, k, e) for p, k, e, _ in self.paths(want, writes)]

    def pick(self, want, writes=False, ext=None):
        found = [x for x in self.paths(want, writes) if ext is None or x[2] == ext]
        return self.rng.choice(found) if found else None

    # Values --------------------------------------------------------------------------------------------------------

    def index(self, ext):
        if isinstance(ext, int):
            return ["n", self.rng.choice([0, 0, ext - 1, self.rng.randrange(ext)])]
        return ["ix", self.rng.randrange(7), ext]

    def field(self, kind):
        return self.rng.choice(["x", "y"]) if kind == "P" else None

    def element(self):
        found = self.pick(ARRAYS)
        if not found:
            return ["v", "c"]
        path, kind, ext, _ = found
        if kind == "A" and self.rng.random() < 0.15:
            return ["at", path, self.number_expr(2)]
        return ["el", path, self.index_of(path, kind, ext), self.field(kind)]

    def index_of(self, path, kind, ext):
        if self.rng.random() < 0.12:
            return ["dyn", ["v", "c"], ["ext", ext, path]]
        return self.index(ext) if not isinstance(ext, tuple) else ["ix", self.rng.randrange(7), ["ext", ext, path]]

    def number_expr(self, depth=0):
        r = self.rng.random()
        if depth > 1 or r < 0.25:
            return self.rng.choice([["v", "c"], ["n", self.rng.randint(-9, 9)]])
        if r < 0.55:
            return self.element()
        if r < 0.75:
            return ["bin", self.rng.choice("+-*^"), self.number_expr(depth + 1), self.number_expr(depth + 1)]
        if r < 0.80:
            return ["ife", self.condition(depth + 1), self.number_expr(depth + 1), self.number_expr(depth + 1)]
        if r < 0.83:
            return ["textlen", self.number_expr(depth + 1)]
        if r < 0.88:
            found = self.launch_of([k for k in KERNELS if KERNELS[k][1]])
            if found:
                return ["red"] + found[1:] + [self.on(0.2 if self.spreads else 0.05)]
        if r < 0.93:
            found = self.pick(("G", "H"))
            if found:
                return ["num", found[0] + ["k" if found[1] == "G" else "t"]]
        if r < 0.99:
            call = self.call(("i", "A"))
            if call and call[1].result == "i":
                return ["callx"] + call[1:]
            if call:
                return ["elc", ["callx"] + call[1:], self.rng.choice(["[]", "at", "len"])]
        return ["v", "c"]

    def condition(self, depth=0):
        r = self.rng.random()
        if r < 0.25 and depth < 2:
            return [self.rng.choice(["and", "or"]), self.condition(depth + 1), self.condition(depth + 1)]
        return ["cmp", self.rng.choice(["<", ">", "==", "!="]), ["mod", self.number_expr(1), self.rng.randint(2, 4)],
                ["n", self.rng.randint(-1, 2)]]

    def owned(self, kind, ext):
        """An expression that gives a new array or struct of this extent."""
        r = self.rng.random()
        if r < 0.35:
            call = self.call((kind,), ext)
            if call:
                return ["callx"] + call[1:]
        if r < 0.6:
            found = self.pick((kind,), ext=ext)
            if found:
                return ["copy", found[0], None]
        if kind in STRUCTS:
            fields = []
            for name, of in STRUCTS[kind]:
                fields.append([name, self.number_expr(1) if of == "i" else self.owned_or_moved(of, ext)])
            return ["build", kind, fields]
        value = self.number_expr(1)
        if r < 0.8 or kind != "A":
            return ["comp", kind, self.name("i"), ext, value]
        return ["fill", kind, ext, value]

    def owned_or_moved(self, kind, ext):
        v = self.movable(kind, ext)
        if v and self.rng.random() < 0.5:
            v.alive = False
            return ["mv", [v.name]]
        return self.owned(kind, ext)

    def movable(self, kind, ext):
        found = [v for v in self.vars if v.kind == kind and v.ext == ext and v.alive and v.mode == "var" and
                 v.level == self.level and not isinstance(ext, tuple)]
        return self.rng.choice(found) if found else None

    # Launches and calls --------------------------------------------------------------------------------------------

    def slice(self, ext, length=None):
        if not isinstance(ext, int) or ext < 3:
            return None
        n = length or self.rng.randint(1, ext - 1)
        lo = self.rng.randint(0, ext - n)
        return [lo, lo + n]

    def arguments(self, params, replaced, ext=None):
        """Arguments whose arrays have one extent, each array once unless all are `&`. None: there are none."""
        if ext is None:
            found = self.pick(("A", "P", "M", "G", "H"))
            ext = found[2] if found else None
        sliced = ext
        part = self.slice(ext) if not replaced and self.rng.random() < 0.2 else None
        if part and all(k in ("A", "P", "M", "i") for _, k in params):
            sliced = part[1] - part[0]
        else:
            part = None
        args, used = [], []
        for i, (mode, kind) in enumerate(params):
            if kind == "i":
                args.append(["i", self.number_expr(2)])
                continue
            writes = mode != "&"
            options = []
            for path, _, e, v in self.paths((kind,), writes):
                if e != ext:
                    continue
                clash = [m for p, m, _ in used if p[:len(path)] == path or path[:len(p)] == p]
                if clash and (writes or any(m != "&" for m in clash)):
                    continue
                if (i in replaced and v.mode in ("&", "&out")) or (v.kind == "F" and (part or i in replaced)):
                    continue
                options.append((path, v))
            if not options:
                return None
            path, v = self.rng.choice(options)
            used.append((path, mode, None))
            args.append([mode, path, self.slice(ext, sliced) if part else None])
            if i in replaced:
                self.note_replaced(v)
        return args

    def note_replaced(self, v):
        if self.current and v.mode != "var":
            self.current.replaced.add([p[0] for p in self.current.params].index(v.name))

    def on(self, chance):
        """A device, as a number or as one that only the run shows."""
        if self.rng.random() >= chance:
            return ""
        return "on " + self.rng.choice(["0", "0", "1", "2", "((c % 3 + 3) % 3)"]) + " "

    def how(self):
        return ("async " if self.rng.random() < 0.15 else "") + self.on(0.5 if self.spreads else 0.05)

    def launch_of(self, names):
        name = self.rng.choice(names)
        args = self.arguments(KERNELS[name][0], ())
        if not args:
            return None
        if self.current:
            self.current.launches = True
        return ["launch", name, args]

    def launch(self):
        found = self.launch_of([k for k in KERNELS if not KERNELS[k][1]])
        how = self.how()
        parts = {v.name for v in self.vars if v.kind == "F"}
        if found and (found[1] == "grid_step" or any(a[0] != "i" and a[1][0] in parts for a in found[2])):
            how = how.replace("async ", "")  # a number behind a reference, or a part of a struct, does not allow it
        return found + [how] if found else None

    def call(self, results, ext=None):
        options = [f for f in self.functions if f.result in results and f is not self.current]
        for _ in range(3):
            if not options:
                return None
            f = self.rng.choice(options)
            has_arrays = any(k in ARRAYS for _, _, k in f.params)
            if ext is not None and f.result != "i" and (ext != 5 if not has_arrays else isinstance(ext, tuple)):
                continue
            args = self.arguments([(m, k) for _, m, k in f.params], f.replaced, ext if has_arrays else None)
            if args and ext is not None and has_arrays and any(a[2] for a in args if a[0] != "i"):
                continue
            if args:
                return ["call", f, args]
        return None

    # Statements ----------------------------------------------------------------------------------------------------

    def declare(self, kind):
        ext = self.ext
        value = self.owned(kind, ext)
        v = Var(self.name("x" if kind in ARRAYS else "g"), kind, ext, self.level)
        self.vars.append(v)
        return ["let", v.name, value, True]

    def statements(self, size=None):
        found = []
        for _ in range(size or self.budget):
            st = self.statement()
            if st:
                found += st
        return found

    def nested(self, size):
        outer = self.vars
        self.vars, self.level = list(outer), self.level + 1
        body = self.statements(size)
        self.vars, self.level = outer, self.level - 1
        return body

    def statement(self):
        r = self.rng.random()
        if self.level < 3 and r < 0.1:
            return [["if", self.condition(), self.nested(self.rng.randint(1, 3)),
                     self.nested(self.rng.randint(1, 2)) if self.rng.random() < 0.4 else []]]
        if self.level < 3 and r < 0.2:
            return [self.loop()]
        if self.level < 3 and r < 0.215 and not self.loops:
            return [self.resident_block()]
        if self.loops and r < 0.24:
            return [["if", self.condition(), [[self.rng.choice(["break", "continue"])]], []]]
        if self.current and r < 0.25:
            return [["if", self.condition(), [["return", self.owned_result()]], []]]
        if r < 0.5:
            st = self.launch()
            return [st] if st else None
        return self.host()

    def owned_result(self):
        kind = self.current.result
        return None if kind is None else self.number_expr() if kind == "i" else self.owned(kind, self.ext)

    def loop(self):
        self.loops += 1
        if self.rng.random() < 0.7:
            i = self.name("i")
            trips = self.rng.choice([["n", 0], ["n", 1], ["n", 2], ["n", 3], ["dyn", ["v", "c"], ["n", 4]]])
            body = self.nested(self.rng.randint(1, 4))
            st = ["for", i, ["n", 0], trips, body]
        else:
            w = self.name("w")
            st = ["while", w, self.rng.randint(0, 3), self.condition(1), self.nested(self.rng.randint(1, 4))]
        self.loops -= 1
        return st

    def resident_block(self):
        """Nothing of the host's may stand in it: launches with whole arrays, and swaps."""
        a = [v for v in self.vars if v.kind == "A" and v.alive and v.mode == "var"]
        ext = self.rng.choice(a).ext if a else None
        names = [[v.name] for v in a if v.ext == ext]
        if len(names) < 2:
            return ["block", []]
        if self.current:
            self.current.launches = True
        body = []
        for _ in range(self.rng.randint(1, 3)):
            x, y = self.rng.sample(names, 2)
            one = ["launch", self.rng.choice(["add", "triple", "shift"]), None, ""]
            one[2] = [["&", x, None], ["&out" if one[1] == "triple" else "&mut", y, None]]
            body.append(self.rng.choice([one, ["for", self.name("i"), ["n", 0], ["n", 2], [one, ["swap", x, y]]]]))
        return ["resident", body]

    def host(self):
        kind = self.rng.choice(["put", "put", "put", "acc", "acc", "each", "each", "set", "set", "swap", "swap", "call",
                                "call", "let", "let", "move", "print", "assert", "digest", "num", "wait", "build",
                                "spread", "stride", "row", "fixed", "fixed", "grid", "show", "show"])
        return getattr(self, "host_" + kind)()

    def host_put(self):
        found = self.pick(ARRAYS, True)
        if not found:
            return None
        path, kind, ext, _ = found
        field = self.rng.choice(["x", "y"]) if kind == "P" else None
        op = self.rng.choice(["=", "=", "+=", "-=", "min="])
        return [["put", path, self.index_of(path, kind, ext), op, self.number_expr(), field]]

    def host_acc(self):
        return [["acc", self.number_expr()]]

    def host_each(self):
        """A loop over an array, or a part of it."""
        found = self.pick(("A", "P"))
        if not found:
            return None
        path, kind, ext, _ = found
        i, here = self.name("i"), ["el", path, ["iv"], self.field(kind)]
        body = [["acc", here]]
        target = self.pick(("A", "P"), True, ext)
        if target and not isinstance(ext, tuple) and self.rng.random() < 0.6:
            value = self.rng.choice([here, ["bin", "+", here, ["v", "c"]], ["v", "c"], self.number_expr(1)])
            put = ["put", target[0], ["iv"], self.rng.choice(["=", "=", "+="]), value, self.field(target[1])]
            body = self.rng.choice([[put], [put], [put, body[0]], [body[0], put]])
        r = self.rng.random()
        if r < 0.1:
            body.append(["if", self.condition(1), [["break"]], []])
        elif r < 0.25:
            st = self.launch()
            body = body + [st] if st else body
        hi = ["ext", ext, path]
        if isinstance(ext, int) and self.rng.random() < 0.3:
            hi = ["n", self.rng.randint(0, ext)]
        lo = ["n", 0] if self.rng.random() < 0.8 or not isinstance(ext, int) else ["n", self.rng.randint(0, ext)]
        return [["for", i, lo, hi, body]]

    def host_set(self):
        found = self.pick(("A", "A", "P", "M", "G", "H"), True)
        if not found or isinstance(found[2], tuple) or found[3].mode == "&out" or found[3].kind == "F":
            return None
        path, kind, ext, v = found
        value = self.owned(kind, ext)
        self.note_replaced(v)
        return [["set", path, value]]

    def host_swap(self):
        found = [x for x in self.paths(("A", "P"), True) if x[3].mode != "&out" and x[3].kind != "F"]
        self.rng.shuffle(found)
        for x in found:
            same = [y for y in found if y[0] != x[0] and y[1] == x[1] and y[2] == x[2]]
            if same:
                y = self.rng.choice(same)
                self.note_replaced(x[3])
                self.note_replaced(y[3])
                return [["swap", x[0], y[0]]]
        return None

    def host_call(self):
        call = self.call((None, "i"))
        if not call:
            return None
        return [call] if call[1].result is None else [["acc", ["callx"] + call[1:]]]

    def host_let(self):
        kind = self.rng.choice(["A", "A", "G", "H", "P"])
        r = self.rng.random()
        found = self.pick(("A",)) if r < 0.2 else None
        part = self.slice(found[2]) if found and found[3].kind != "F" else None
        if part:
            v = Var(self.name("x"), "A", part[1] - part[0], self.level)
            st = ["let", v.name, ["copy", found[0], part], True]
            self.vars.append(v)
            return [st]
        return [self.declare(kind)]

    def host_move(self):
        """let t = a; a = ...: what was in `a` goes on under another name."""
        found = [v for v in self.vars if v.alive and v.mode == "var" and v.kind in ("A", "P", "G", "H")]
        if not found:
            return None
        v = self.rng.choice(found)
        t = Var(self.name("t"), v.kind, v.ext, self.level)
        out = [["let", t.name, ["mv", [v.name]], True]]
        v.alive = False
        value = self.owned(v.kind, v.ext)
        v.alive = True
        self.vars.append(t)
        out.append(["set", [v.name], value])
        if self.rng.random() < 0.5:
            st = self.launch()
            out += [st] if st else []
        if self.rng.random() < 0.4:
            out.append(["set", [v.name], ["mv", [t.name]]])
            t.alive = False
        return out


    def host_build(self):
        """A struct made of variables, which are moved into it."""
        a, b = self.movable("A", self.ext), self.movable("A", self.ext)
        if not a or not b or a is b:
            return None
        v = Var(self.name("g"), "G", self.ext, self.level)
        a.alive = b.alive = False
        fields = [["u", ["mv", [a.name]]], ["k", ["v", "c"]], ["v", ["mv", [b.name]]]]
        self.vars.append(v)
        return [["let", v.name, ["build", "G", fields], True]]

    def host_print(self):
        return [["print", [self.number_expr() for _ in range(self.rng.randint(1, 2))]]]

    def host_assert(self):
        return [["assert", self.number_expr(1), self.element()]]

    def host_digest(self):
        found = self.pick(ARRAYS)
        return [["digest", found[0], "c"]] if found else None

    def host_show(self):
        """A whole array or struct is printed, or a part of an array."""
        whole = [v for v in self.vars if v.alive and v.kind in STRUCTS]
        if whole and self.rng.random() < 0.3:
            return [["show", [self.rng.choice(whole).name], None]]
        found = self.pick(ARRAYS)
        if not found:
            return None
        path, kind, ext, v = found
        part = None
        if isinstance(ext, int) and v.kind != "F" and self.rng.random() < 0.4:
            lo = self.rng.randint(0, ext)
            part = [lo, self.rng.randint(lo, ext)]
            if kind == "M" and ext and self.rng.random() < 0.5:
                part = ["row", self.rng.randrange(ext)]
        return [["show", path, part]]

    def host_fixed(self):
        """A struct with an array of constant extents, made of elements of others."""
        mine = [v for v in self.vars if v.kind == "F" and v.alive]
        from_ = self.pick(ARRAYS)
        value = self.number_expr(1)
        if from_ and self.rng.random() < 0.8:
            within = isinstance(from_[2], int) and from_[2] >= WIDTH
            at = ["iv"] if within else self.index_of(from_[0], from_[1], from_[2])
            value = ["el", from_[0], at, self.field(from_[1])]
        array = ["comp", "A", self.name("i"), WIDTH, value] if self.rng.random() < 0.8 else ["fill", "A", WIDTH, value]
        if mine and self.rng.random() < 0.6:
            return [["set", [self.rng.choice(mine).name, "w"], array]]
        v = Var(self.name("f"), "F", WIDTH, self.level)
        st = ["let", v.name, ["build", "F", [["w", array], ["k", self.number_expr(1)]]], True]
        self.vars.append(v)
        return [st]

    def host_row(self):
        """One row of an M."""
        found = self.pick(("M",), True)
        if not found or not isinstance(found[2], int):
            return None
        path, _, ext, _ = found
        row, other = ["row", self.rng.randrange(ext)], ["row", self.rng.randrange(ext)]
        name = self.name("x")
        st = self.rng.choice([["launch", "evens", [["&mut", path, row]], self.how()],
                              ["acc", ["red", "total", [["&", path, row]], self.on(0.1)]],
                              ["acc", ["red", "most", [["&", path, other]], ""]],
                              ["let", name, ["copy", path, row], True],
                              ["launch", "through", [["&mut", path, row], ["i", self.number_expr(1)]], self.how()]])
        if st[0] == "let":
            self.vars.append(Var(name, "A", WIDTH, self.level))
        return [st]

    def host_grid(self):
        """Loops over all of an M, or over most of it."""
        found = self.pick(("M",), True)
        if not found:
            return None
        return [["grid", found[0], self.name("i"), self.name("i"), self.rng.choice([0, 0, 1]),
                 self.rng.choice(["=", "=", "+="]), self.number_expr(2)]]

    def host_spread(self):
        """An array in parts, one for each of several devices."""
        found = [x for x in self.paths(("A",), True) if isinstance(x[2], int) and x[2] >= 6 and x[3].kind != "F"]
        if not found:
            return None
        path, _, ext, _ = self.rng.choice(found)
        d, how = self.name("i"), self.rng.choice(["", "async ", "on {} ", "async on {} "])
        mul, length = self.rng.choice([(2, 2), (2, 2), (1, 3), (1, 4)])
        part = ["by", mul, 0, length]
        others = self.pick(("A",), False, ext)
        body = [["launch", "evens", [["&mut", path, part]], how]]
        if others and others[0] != path:
            other, back = others[0], ["by", -mul, 2 * mul, length]
            body = self.rng.choice([body, [["launch", "add", [["&", other, part], ["&mut", path, part]], how]],
                                    [["launch", "triple", [["&", other, part], ["&out", path, back]], how]],
                                    [["launch", "add", [["&", other, None], ["&mut", path, None]], how],
                                     ["acc", ["el", path, ["iv"], None]]]])
        return [["for", d, ["n", 0], ["n", 3], body]]

    def host_stride(self):
        """Elements here and there, often of a large array."""
        found = [x for x in self.paths(("A",), True) if isinstance(x[2], int)]
        if not found:
            return None
        path, _, ext, _ = max(self.rng.sample(found, min(2, len(found))), key=lambda x: x[2])
        near = self.rng.choice([1, 2, ext // 3 + 1, max(ext - 2, 1)])
        step = near if ext < 100 else ext // self.rng.randint(2, 9)
        return [["stride", self.name("w"), self.rng.randrange(ext), ext, step, path, self.rng.choice(["=", "+="]),
                 self.number_expr(1), self.rng.random() < 0.5]]

    def host_num(self):
        found = self.pick(("G", "H"), True)
        if not found:
            return None
        return [["num=", found[0] + ["k" if found[1] == "G" else "t"], self.number_expr()]]

    def host_wait(self):
        return [["wait"]]
