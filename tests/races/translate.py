"""Translates a KDSL program to Python over model.Machine. Written from docs/reference.md. What it does not know is an
error: modules, files, text."""
import math
import re

from model import Arr, Failed, Machine, Struct, Vec, copied, filled

TOKEN = re.compile(r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/) |
    (?P<number>0x[0-9a-fA-F_]+(?:[iu]\d+)?|0b[01_]+|(?:\d[\d_]*\.\d+(?:e[+-]?\d+)?|\d[\d_]*e[+-]?\d+|\d[\d_]*)
        (?:(?:[iuf](?:8|16|32|64))|bf16|index)?) |
    (?P<string>"(?:[^"\\]|\\.)*") | (?P<name>[A-Za-z_]\w*) |
    (?P<op><<<=|<<<|<<=|>>=|\.\.|->|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^<>=!~(){}\[\],;:.])""", re.X | re.S)
SCALAR = re.compile(r"(?:i8|i16|i32|i64|u8|u16|u32|u64|f16|f32|f64|bf16|bool|index)(?:x[2348])?$")
LEVELS = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"],
          ["*", "/", "%"]]
ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]


def vectorised(function):
    def apply(*arguments):
        sizes = [len(a) for a in arguments if isinstance(a, Vec)]
        if not sizes:
            return function(*arguments)
        spread = [a if isinstance(a, Vec) else [a] * sizes[0] for a in arguments]
        return Vec(function(*point) for point in zip(*spread))
    return apply


BUILTINS = {name: vectorised(function) for name, function in {
    "min": min, "max": max, "abs": abs, "clamp": lambda x, low, high: min(max(x, low), high), "sqrt": math.sqrt,
    "floor": math.floor, "exp": math.exp, "sin": math.sin, "cos": math.cos, "popcount": lambda x: bin(x).count("1"),
    "fma": lambda a, b, c: a * b + c}.items()}
BUILTINS["dot"] = lambda a, b: sum(x * y for x, y in zip(a, b))


def number(word):
    """A literal as Python writes it."""
    if word.startswith("0x"):
        return re.sub(r"[iu](8|16|32|64)$", "", word)
    digits = re.sub(r"(index|bf16|[iuf](8|16|32|64))$", "", word).replace("_", "")
    if word.endswith(("f16", "f32", "f64")):
        return f"float({digits})"
    return digits.lstrip("0") or "0" if digits.isdigit() else digits


class Translator:
    def __init__(self, text):
        self.tokens, line, at = [], 1, 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise SyntaxError(f"line {line}: {text[at:at + 20]!r}")
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match.group(), line))
            line, at = line + match.group().count("\n"), match.end()
        self.tokens.append(("end", "", line))
        self.at, self.names, self.scopes, self.code, self.depth = 0, 0, [{}], [], 0
        self.kernels, self.waiting, self.structs, self.referenced, self.in_kernel = {}, set(), {}, set(), False
        for k, (kind, word, _) in enumerate(self.tokens):  # variables of which a reference is taken
            if word == "&" and self.tokens[k - 1][1] in ("(", ","):
                k += self.tokens[k + 1][1] in ("mut", "out")
                self.referenced.add(self.tokens[k + 1][1])

    # --- tokens -----------------------------------------------------------------------------------------------------

    def word(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.at][0]

    def line(self):
        return self.tokens[self.at][2]

    def take(self, expected=None):
        word = self.word()
        if expected is not None and word != expected:
            raise SyntaxError(f"line {self.line()}: {word!r} where {expected!r} is expected")
        self.at += 1
        return word

    def accept(self, word):
        if self.word() == word and self.kind() != "string":
            self.at += 1
            return True
        return False

    def emit(self, text):
        self.code.append("    " * self.depth + text)

    def declare(self, name, box=False):
        self.names += 1
        python = f"{name}_{self.names}"
        self.scopes[-1][name] = (python, box)
        return python

    def find(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    # --- top level --------------------------------------------------------------------------------------------------

    def program(self):
        for self.at in [k + 1 for k, token in enumerate(self.tokens) if token[1] == "struct"]:
            self.struct()
        self.find_waiting()
        self.at = 0
        while self.kind() != "end":
            self.accept("export")
            word = self.take()
            if word == "const":
                name = self.take()
                if self.accept(":"):
                    self.type()
                self.take("=")
                self.emit(f"{self.declare(name)} = {self.expression()}")
                self.take(";")
            elif word == "struct":
                self.struct()
            elif word in ("fn", "kernel"):
                self.function(word == "kernel")
            else:
                raise SyntaxError(f"line {self.line()}: {word!r}")
        return "\n".join(self.code) + "\n"

    def find_waiting(self):
        """Functions with a barrier, in their body or in what they call, become generators as kernels are."""
        bodies, name = {}, None
        for k, (_, word, _) in enumerate(self.tokens):
            if word in ("fn", "kernel") and self.tokens[k + 2][1] in ("(", "<"):
                name = self.tokens[k + 1][1] if word == "fn" else None
            if name:
                bodies.setdefault(name, set()).add(word)
        self.waiting = {name for name, words in bodies.items() if "barrier" in words}
        while more := {name for name, words in bodies.items() if words & self.waiting} - self.waiting:
            self.waiting |= more

    def struct(self):
        name, fields = self.take(), []
        self.generics()
        self.take("{")
        while not self.accept("}"):
            field = self.take()
            self.take(":")
            fields.append((field, self.type()))
            self.accept(",")
        self.structs[name] = fields

    def generics(self):
        if self.accept("<"):
            while not self.accept(">"):
                self.scopes[0][self.take()] = ("_T", False)  # conversions to it keep the value
                if self.accept(":"):
                    self.take()
                self.accept(",")

    def type(self):
        """(mode, element type, extents as token positions or None)"""
        mode = None
        if self.accept("&"):
            mode = next((m for m in ("mut", "out", "scratch") if self.accept(m)), "in")
        if self.accept("["):
            element = self.type()[1]
            self.take(";")
            extents = []
            while not self.accept("]"):
                start, nested = self.at, 0
                while nested or self.word() not in (",", "]"):
                    nested += self.word() in "([" and self.word() != ""
                    nested -= self.word() in ")]" and self.word() != ""
                    self.at += 1
                extents.append((start, self.at))
                self.accept(",")
            return mode, element, extents
        name = self.take()
        if self.accept("<"):
            while not self.accept(">"):
                self.type()
                self.accept(",")
        return mode, name, None

    def text_of(self, extent):
        saved, self.at = self.at, extent[0]
        result = self.expression()
        self.at = saved
        return result

    def function(self, is_kernel):
        name = self.take()
        self.generics()
        self.take("(")
        self.scopes.append({})
        parameters = []
        while not self.accept(")"):
            parameter = self.take()
            self.take(":")
            mode, element, extents = self.type()
            box = "value" if mode is not None and extents is None else mode is not None
            parameters.append((parameter, mode, element, extents, self.declare(parameter, box)))
            self.accept(",")
        self.code_name = f"{'kernel' if is_kernel else 'fn'}_{name}"
        passed = [p for p in parameters if p[1] != "scratch"]
        self.emit(f"def {self.code_name}({', '.join(p[4] for p in passed)}):")
        self.depth += 1
        self.emit("pass")
        for parameter, mode, _, extents, python in passed:
            if mode is None:
                self.emit(f"{python} = copied({python})")
                if parameter in self.referenced:
                    self.emit(f"{python} = m.boxed({python})")
                    self.scopes[-1][parameter] = (python, True)
            elif is_kernel:
                self.emit(f"{python} = shown({python}, {parameter!r})")
            for d, extent in enumerate(extents or ()):
                word = self.tokens[extent[0]][1]
                if extent[1] == extent[0] + 1 and self.tokens[extent[0]][0] == "name" and word != "_":
                    known = self.find(word)
                    if known is None:
                        self.emit(f"{self.declare(word)} = {python}.shape[{d}]")
                    else:
                        self.emit(f"same({known[0]}, {python}.shape[{d}])")
        if is_kernel:
            self.kernel(name, parameters)
        else:
            if self.accept("->"):
                self.type()
            if name in self.waiting:
                self.emit("if 0: yield")
            self.block()
        self.depth -= 1
        self.scopes.pop()

    def kernel(self, name, parameters):
        for parameter, mode, element, extents, python in parameters:
            if mode == "scratch":
                self.emit(f"{python} = shown({self.zero_of(element, extents or ())}, {parameter!r})")
        self.take("over")
        axes, ranges, by = [], [], []
        while True:
            axes.append(self.take())
            self.take("in")
            ranges.append(self.range("range"))
            by.append(self.expression(no_block=True) if self.accept("by") else "None")
            if not self.accept(","):
                break
        reduction = None
        if self.accept("->"):
            reduction = self.take()
            if reduction not in ("any", "all", "count"):
                self.type()
        self.kernels[name] = [(p[0], p[1], p[2], [" ".join(self.tokens[k][1] for k in range(*e)) for e in p[3] or ()]
                               if p[3] is not None else None) for p in parameters]
        self.emit("def body(axes, inside, shared):")
        self.depth += 1
        self.emit("if 0: yield")
        self.scopes.append({})
        for d, axis in enumerate(axes):
            python = self.declare(axis)
            for k, part in enumerate(("", "_local", "_group", "_groups")):
                self.emit(f"{python}{part} = axes[{d}][{k}]")
        self.axes, self.in_kernel = axes, True
        self.block()
        self.in_kernel = False
        self.scopes.pop()
        self.depth -= 1
        grouped = f"[{', '.join(by)}]" if any(b != "None" for b in by) else "None"
        self.emit(f"return m.execute({name!r}, [{', '.join(ranges)}], {grouped}, body, {reduction!r})")

    def zero(self, element):
        if element in self.structs:
            fields = [f"{name!r}: {self.zero_of(*kind[1:])}" for name, kind in self.structs[element]]
            return f"Struct({{{', '.join(fields)}}})"
        return f"m.convert({element!r}, [0])" if SCALAR.match(element) else "0"

    def zero_of(self, element, extents):
        if extents is None:
            return self.zero(element)
        return f"m.fill({self.zero(element)}, ({''.join(self.text_of(e) + ',' for e in extents)}))"

    # --- statements -------------------------------------------------------------------------------------------------

    def block(self):
        self.take("{")
        self.scopes.append({})
        self.emit("pass")
        while not self.accept("}"):
            self.statement()
        self.scopes.pop()

    def range(self, maker):
        low = self.expression(no_block=True)
        high = None
        if self.accept(".."):
            high = self.expression(no_block=True)
        step = self.expression(no_block=True) if self.accept("step") else "1"
        return f"{maker}({'0' if high is None else low}, {low if high is None else high}, {step})"

    def statement(self):
        line, word = self.line(), self.word()
        if word == "{":
            self.block()
        elif word in ("let", "var", "shared"):
            self.declaration(word)
        elif word == "if":
            self.branch("if")
        elif word == "for":
            self.take()
            name = self.take()
            self.take("in")
            ranges = self.range("m.range")
            self.scopes.append({})
            python = self.declare(name)
            self.emit(f"for {python} in {ranges}:")
            self.depth += 1
            if name in self.referenced:
                self.emit(f"{python} = m.boxed({python})")
                self.scopes[-1][name] = (python, True)
            self.block()
            self.depth -= 1
            self.scopes.pop()
        elif word == "while":
            self.take()
            self.emit(f"while {self.expression(no_block=True)}:")
            self.depth += 1
            self.emit("m.count()")
            self.block()
            self.depth -= 1
        elif word in ("break", "continue"):
            self.take()
            self.take(";")
            self.emit(word)
        elif word == "return":
            self.take()
            self.emit("return" if self.word() == ";" else f"return copied_value({self.expression()})")
            self.take(";")
        elif word == "barrier":
            self.take()
            self.take(";")
            self.emit("yield")
        elif word == "assert":
            self.take()
            self.emit(f"check({self.expression()}, {line})")
            while not self.accept(";"):
                self.take()
        elif word in ("print", "wait"):
            while not self.accept(";"):
                self.take()
        elif word == "offload" and self.word(1) == "resident":
            self.take()
            self.take()
            self.block()
        elif word == "atomic":
            self.emit(self.atomic())
            self.take(";")
        else:
            self.assignment()

    def declaration(self, word):
        self.take()
        name = self.take()
        annotated = None
        if self.accept(":"):
            annotated = self.type()
        if word == "shared":
            zero = self.zero_of(annotated[1], annotated[2])
            python = self.declare(name)
            self.emit(f"{python} = shared_array(shared, {python!r}, {name!r}, lambda: {zero})")
            self.take(";")
            return
        if self.accept("="):
            value = f"copied_value({self.expression()})"
        elif annotated[2] is not None:
            value = self.zero_of(annotated[1], annotated[2])
        else:
            value = "0"
        self.take(";")
        box = name in self.referenced
        python = self.declare(name, box)
        self.emit(f"{python} = m.boxed({value})" if box else f"{python} = {value}")

    def branch(self, keyword):
        self.take("if")
        self.emit(f"{keyword} {self.expression(no_block=True)}:")
        self.depth += 1
        self.block()
        self.depth -= 1
        if self.accept("else"):
            if self.word() == "if":
                self.branch("elif")
            else:
                self.emit("else:")
                self.depth += 1
                self.block()
                self.depth -= 1

    def assignment(self):
        start, line = self.at, self.line()
        if self.kind() == "name" and self.word(1) != "(" and self.word() != "offload":
            name = self.take()
            steps = self.steps()
            operator = None
            if self.word() in ASSIGNMENTS:
                operator = self.take()[:-1]
            elif self.word() in ("min", "max") and self.word(1) == "=":
                operator = self.take()
                self.take("=")
            if operator is not None:
                value = self.expression()
                self.take(";")
                python, box = self.find(name)
                if steps or box:
                    steps = steps or [f"('index', ())"]
                    self.emit(f"m.write({python}, [{', '.join(steps)}], {operator!r}, {value}, {line})"
                              if steps[0] != "('index', ())" or box == "value" else
                              f"{python} = assigned({python}, {operator!r}, {value}, {line})")
                else:
                    value = f"m.apply({operator!r}, {python}, {value})" if operator else f"copied_value({value})"
                    self.emit(f"{python} = {value}")
                return
            self.at = start
        self.emit(self.expression())
        self.take(";")

    def atomic(self):
        self.take("atomic")
        line, name = self.line(), self.take()
        steps = self.steps() or ["('index', ())"]
        operator = self.take()
        if operator in ("min", "max"):
            self.take("=")
        else:
            operator = operator[:-1]
        value = self.expression()
        expected = "None"
        if self.accept("if"):
            self.take("==")
            expected = f"({self.expression()},)"
        return f"m.atomic({self.find(name)[0]}, [{', '.join(steps)}], {operator!r}, {value}, {expected}, {line})"

    # --- expressions ------------------------------------------------------------------------------------------------

    def steps(self):
        steps = []
        while True:
            if self.accept("["):
                steps.append(f"('index', ({''.join(e + ',' for e in self.list(']'))}))")
            elif self.word() == "." and self.word(1) != "at":
                self.take()
                steps.append(f"('field', {self.take()!r})")
            else:
                return steps

    def list(self, end):
        items = []
        while not self.accept(end):
            items.append(self.expression())
            self.accept(",")
        return items

    def expression(self, no_block=False, level=0):
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level=level + 1)
        while self.kind() == "op" and self.word() in LEVELS[level]:
            op = self.take()
            right = self.expression(level=level + 1)
            if op in ("&&", "||"):
                left = f"({left} {'and' if op == '&&' else 'or'} {right})"
            elif level == 2:
                left = f"({left} {op} {right})"
            else:
                left = f"m.apply({op!r}, {left}, {right})"
        return left

    def unary(self):
        if self.accept("-"):
            return f"m.apply('-', 0, {self.unary()})"
        if self.accept("!"):
            return f"(not {self.unary()})"
        if self.accept("~"):
            return f"(~{self.unary()})"
        return self.primary()

    def reference(self):
        """An argument of a call."""
        if not self.accept("&"):
            return self.expression()
        self.accept("mut") or self.accept("out")
        name = self.take()
        value = self.find(name)[0]
        while self.accept("."):
            value = f"m.read({value}, [('field', {self.take()!r})], {self.line()})"
        if self.accept("["):
            parts = []
            while not self.accept("]"):
                low = None if self.word() == ".." else self.expression()
                if self.accept(".."):
                    high = None if self.word() in (",", "]") else self.expression()
                    parts.append(f"({low}, {high})")
                else:
                    parts.append(low)
                self.accept(",")
            value = f"m.slice({value}, [{', '.join(parts)}])"
        return value

    def arguments(self):
        arguments = []
        while not self.accept(")"):
            arguments.append(self.reference())
            self.accept(",")
        return ", ".join(arguments)

    def array(self):
        start, nested = self.at, 0
        while nested or self.word() not in ("for", ";", ",", "]"):  # a comprehension's variables come after its value
            nested += (self.word() in ("(", "[", "{")) - (self.word() in (")", "]", "}"))
            self.at += 1
        if self.accept("for"):
            names, ranges = [], []
            self.scopes.append({})
            while not self.accept("]"):
                names.append(self.declare(self.take()))
                self.take("in")
                ranges.append(self.range("range"))
                self.accept(",")
            end, self.at = self.at, start
            value = self.expression()
            self.at = end
            self.scopes.pop()
            return f"m.comprehension([{', '.join(ranges)}], lambda {', '.join(names)}: {value})"
        self.at = start
        first = self.expression()
        if self.accept(";"):
            return f"m.fill({first}, ({''.join(e + ',' for e in self.list(']'))}))"
        values = [first]
        while not self.accept("]"):
            self.take(",")
            if self.word() != "]":
                values.append(self.expression())
        return f"filled([{', '.join(values)}], [{len(values)}])"

    def primary(self):
        kind, line = self.kind(), self.line()
        word = self.take()
        if kind == "number":
            return number(word)
        if kind == "string":
            return repr(word)
        if word == "(":
            value = self.expression()
            self.take(")")
            return self.tail(f"({value})", line, False)
        if word == "[":
            return self.array()
        if word in ("true", "false"):
            return word.capitalize()
        if word == "atomic":
            self.at -= 1
            return self.atomic()
        if word == "if":
            condition = self.expression(no_block=True)
            self.take("{")
            yes = self.expression()
            self.take("}")
            self.take("else")
            if self.word() == "if":
                no = self.primary()
            else:
                self.take("{")
                no = self.expression()
                self.take("}")
            return f"({yes} if {condition} else {no})"
        if word == "offload":
            self.accept("async")
            if self.accept("on"):
                self.expression()
            name = self.take()
            self.take("(")
            return f"kernel_{name}({self.arguments()})"
        if kind != "name":
            raise SyntaxError(f"line {line}: unexpected {word!r}")
        if word == "inside" and self.in_kernel and not self.find(word):
            return "inside"
        if self.word() == "(":
            return self.tail(self.call(word), line, False)
        if self.in_kernel and word in self.axes and self.word() == "." and self.word(1) in ("local", "group", "groups"):
            self.take()
            return f"{self.find(word)[0]}_{self.take()}"
        found = self.find(word)
        if not found:
            raise SyntaxError(f"line {line}: unknown name {word}")
        return self.tail(found[0], line, found[1])

    def tail(self, value, line, box):
        steps = self.steps()
        if self.word() == ".":
            self.take()
            self.take("at")
            self.take("(")
            return f"m.at({value}, [{', '.join(steps)}], ({''.join(e + ',' for e in self.list(')'))}), {line})"
        if steps:
            return f"m.read({value}, [{', '.join(steps)}], {line})"
        return f"unboxed({value}, {line})" if box else value

    def call(self, name):
        self.take("(")
        if name in self.structs:
            fields = []
            while not self.accept(")"):
                field = self.take()
                self.take(":")
                fields.append(f"{field!r}: copied_value({self.expression()})")
                self.accept(",")
            return f"Struct({{{', '.join(fields)}}})"
        if self.find(name) == ("_T", False):
            return f"({self.arguments()})"
        if name in ("len", "shape"):
            array = self.reference() if self.word() == "&" else self.path()
            if name == "len":
                self.take(")")
                return f"length_of({array})"
            self.take(",")
            dimension = self.expression()
            self.take(")")
            return f"{array}.shape[{dimension}]"
        if name == "format":
            self.arguments()
            return "''"
        if name == "copy":
            return f"copied({self.arguments()})"
        if name == "swap":
            return f"m.swap({self.arguments()})"
        if name == "args":
            self.take(")")
            return "filled([], [0])"
        if SCALAR.match(name):
            return f"m.convert({name!r}, [{self.arguments()}])"
        if name in BUILTINS:
            return f"BUILTINS[{name!r}]({self.arguments()})"
        waits = "yield from " if name in self.waiting else ""
        return f"({waits}fn_{name}({self.arguments()}))"

    def path(self):
        if self.word() == "args":
            return self.expression()
        value = self.find(self.take())[0]
        while self.accept("."):
            value = f"m.read({value}, [('field', {self.take()!r})], 0)"
        return value


class Program:
    def __init__(self, text):
        translator = Translator(text)
        self.python = translator.program()
        self.code = compile(self.python, "kdsl", "exec")

    def machine(self, steps=2_000_000):
        m = Machine(steps)

        def check(condition, line):
            if not condition:
                raise Failed(f"assert in line {line}")

        def same(a, b):
            if a != b:
                raise Failed("shapes")

        def shared_array(shared, key, name, make):
            if key not in shared:
                shared[key] = make()
                shared[key].private, shared[key].name = False, name
            return shared[key]

        def unboxed(value, line):
            if isinstance(value, Arr) and value.shape == ():
                return m.read(value, [("index", ())], line)
            return value

        def assigned(variable, operator, value, line):
            if isinstance(variable, Arr) and variable.shape == () and not isinstance(value, Arr):
                m.write(variable, [("index", ())], operator, value, line)
                return variable
            return copied_value(value)

        def copied_value(value):
            return value if isinstance(value, Arr) else copied(value)

        def shown(value, name):
            """An argument of a launch: memory that all items reach."""
            if isinstance(value, Arr):
                inner = value.data[value.offset] if value.shape == () else None
                if isinstance(inner, Struct) and any(isinstance(f, Arr) for f in inner.fields.values()):
                    fields = {k: f.view(k, False) if isinstance(f, Arr) else f for k, f in inner.fields.items()}
                    return Arr([Struct(fields)], (), 0, False, name)
                return value.view(name, False)
            return value
        names = dict(m=m, Struct=Struct, Vec=Vec, filled=filled, copied=copied, check=check, same=same, shown=shown,
                     shared_array=shared_array, unboxed=unboxed, assigned=assigned, copied_value=copied_value,
                     BUILTINS=BUILTINS, length_of=lambda a: __import__("model").size_of(a.shape), inf=math.inf)
        exec(self.code, names)
        return m, names

    def run(self, steps=2_000_000):
        """The races of `main`: {(kernel, array, line, kind, line, kind): (item, item, element)}."""
        m, names = self.machine(steps)
        names["fn_main"]()
        return m.witnesses
