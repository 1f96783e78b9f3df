"""A second implementation of KDSL that finds races by brute force, written from docs/reference.md alone.

A program is translated to Python (translate.py) and executed. Every access of a work item to memory that other items
can reach is recorded with its item, group, number of barriers passed, line and kind; after the launch all pairs of
accesses to one scalar (element, field and component) are compared. Two accesses conflict if

- different items make them,
- at least one writes, and not both are atomic,
- the items are of different groups, or have passed the same number of barriers.

Integers do not wrap, floats are those of Python: programs must not depend on either."""
import itertools

COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3, **{f"s{k}": k for k in range(8)}}
ATOMIC, READ, WRITE = "atomic", "read", "write"


class Failed(Exception):
    """A check failed, in the program's terms."""


class Vec(list):
    pass


class Struct:
    def __init__(self, fields):
        self.fields = fields


class Arr:
    """A view of memory. A variable of which a reference is taken is an array without dimensions."""

    def __init__(self, data, shape, offset=0, private=True, name=None, store=None):
        self.data, self.shape, self.offset, self.private, self.name = data, tuple(shape), offset, private, name
        self.store = self if store is None else store

    def flat(self, indices):
        if len(indices) != len(self.shape):
            raise Failed(f"{len(indices)} indices for {len(self.shape)} dimensions")
        at = 0
        for index, extent in zip(indices, self.shape):
            if not 0 <= index < extent:
                raise Failed(f"index {index} of `{self.name}` is out of {extent}")
            at = at * extent + index
        return at + self.offset

    def view(self, name=None, private=None):
        return Arr(self.data, self.shape, self.offset, self.private if private is None else private,
                   name or self.name, self.store)


def copied(value):
    if isinstance(value, Vec):
        return Vec(value)
    if isinstance(value, Struct):
        return Struct({name: copied(field) for name, field in value.fields.items()})
    if isinstance(value, Arr):
        return filled([copied(value.data[value.offset + k]) for k in range(size_of(value.shape))], value.shape)
    return value


def size_of(shape):
    size = 1
    for extent in shape:
        size *= extent
    return size


def filled(values, shape):
    if any(extent < 0 for extent in shape):
        raise Failed("negative extent")
    return Arr(values, shape)


def leaves(value, path=()):
    if isinstance(value, Vec):
        return [path + (k,) for k in range(len(value))]
    if isinstance(value, Struct):
        return [leaf for name, field in value.fields.items() for leaf in leaves(field, path + (name,))]
    if isinstance(value, Arr):
        return [leaf for k, element in enumerate(value.data) for leaf in leaves(element, path + (k,))]
    return [path]


class Launch:
    """What the items of one launch have touched."""

    def __init__(self, kernel):
        self.kernel, self.touched, self.item, self.stores = kernel, {}, None, {}

    def touch(self, arr, flat, path, value, kind, line):
        store = self.stores.setdefault(id(arr.store), arr.store)  # keeps it alive: ids stay different
        for leaf in leaves(value, path):
            kinds = self.touched.setdefault((id(store), flat, leaf), {})
            kinds.setdefault((line, kind, arr.name), set()).add(self.item)

    def conflicts(self):
        """{(array, line, kind, line, kind): (item, item, element)}, the smaller line first."""
        found = {}
        for (_, flat, leaf), kinds in self.touched.items():
            entries = sorted(kinds.items(), key=lambda entry: (entry[0][0], entry[0][1]))
            for (a, first), (b, second) in itertools.combinations_with_replacement(entries, 2):
                if a[1] == b[1] and a[1] in (READ, ATOMIC):
                    continue
                key = (a[2], a[0], a[1], b[0], b[1])
                if key not in found:
                    pair = concurrent(first, second)
                    if pair:
                        found[key] = (*pair, (flat, *leaf))
        return found


def concurrent(first, second):
    for a in sorted(first):
        for b in sorted(second):
            if a[2] != b[2] and (a[0] != b[0] or a[1] == b[1]):
                return a, b
    return None


class Machine:
    """What translated programs call."""

    def __init__(self, steps=2_000_000):
        self.launch, self.races, self.steps, self.witnesses, self.touched = None, set(), steps, {}, {}

    def count(self):
        self.steps -= 1
        if self.steps < 0:
            raise Failed("runs too long")

    # --- places -----------------------------------------------------------------------------------------------------

    def locate(self, base, steps):
        """(array, flat index, path inside of the element, holder, key, value) of `base` followed by steps."""
        value, arr, flat, path, holder, key = base, None, None, (), None, None
        for kind, step in steps:
            while isinstance(value, Arr) and value.shape == () and (kind != "index" or step != ()):
                if arr is None:
                    arr, flat = value, value.offset
                holder, key = value.data, value.offset
                value = holder[key]
            if isinstance(value, Arr):
                key = value.flat(step)
                if arr is None:
                    arr, flat = value, key
                else:
                    path += (key,)
                holder, value = value.data, value.data[key]
            elif isinstance(value, Struct):
                holder, key, value = value.fields, step, value.fields[step]
                if arr is not None and not (isinstance(value, Arr) and not value.private):
                    path += (step,)
                elif isinstance(value, Arr) and not value.private:
                    arr = None
            elif isinstance(value, Vec):
                if step in COMPONENTS:
                    holder, key = value, COMPONENTS[step]
                    path, value = path + (key,), value[key]
                else:
                    holder, value = None, Vec(value[COMPONENTS[letter]] for letter in step)
            else:
                raise Failed(f"no {kind} in {value!r}")
        return arr, flat, path, holder, key, value

    def touch(self, arr, flat, path, value, kind, line):
        if self.launch is not None and arr is not None and not arr.private:
            self.count()
            self.launch.touch(arr, flat, path, value, kind, line)

    def read(self, base, steps, line):
        arr, flat, path, _, _, value = self.locate(base, steps)
        if isinstance(value, Arr):
            return value
        self.touch(arr, flat, path, value, READ, line)
        return copied(value)

    def write(self, base, steps, operator, operand, line):
        arr, flat, path, holder, key, value = self.locate(base, steps)
        if operator:
            self.touch(arr, flat, path, value, READ, line)
            operand = self.apply(operator, value, operand)
        self.touch(arr, flat, path, value, WRITE, line)
        if isinstance(operand, Vec) and not isinstance(value, Vec):
            raise Failed("vector into scalar")
        if isinstance(value, Vec) and not isinstance(operand, Vec):
            operand = Vec([operand] * len(value))
        holder[key] = copied(operand)

    def atomic(self, base, steps, operator, operand, expected, line):
        arr, flat, path, holder, key, value = self.locate(base, steps)
        self.touch(arr, flat, path, value, ATOMIC, line)
        if expected is None or value == expected[0]:
            holder[key] = self.apply(operator, value, operand) if operator else operand
        return value

    def at(self, base, steps, indices, line):
        arr = self.read(base, steps, line)
        try:
            arr.flat(indices)
        except Failed:
            return 0
        return self.read(arr, [("index", indices)], line)

    def slice(self, arr, parts):
        """parts: an int, or (from, to) with None for what is left out."""
        offset, shape, strides = arr.offset, [], [size_of(arr.shape[d + 1:]) for d in range(len(arr.shape))]
        for part, extent, stride in zip(parts, arr.shape, strides):
            if isinstance(part, tuple):
                low = 0 if part[0] is None else part[0]
                high = extent if part[1] is None else part[1]
                if not 0 <= low <= high <= extent:
                    raise Failed("slice out of bounds")
                offset += low * stride
                shape.append(high - low)
            else:
                if not 0 <= part < extent:
                    raise Failed("slice out of bounds")
                offset += part * stride
        return Arr(arr.data, shape, offset, arr.private, arr.name, arr.store)

    # --- operators --------------------------------------------------------------------------------------------------

    def apply(self, op, a, b):
        if isinstance(a, Vec) or isinstance(b, Vec):
            n = len(a) if isinstance(a, Vec) else len(b)
            a, b = (v if isinstance(v, Vec) else [v] * n for v in (a, b))
            return Vec(self.apply(op, x, y) for x, y in zip(a, b))
        whole = isinstance(a, int) and isinstance(b, int)
        if op in ("/", "%") and whole:
            if b == 0:
                raise Failed("division by zero")
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return q if op == "/" else a - b * q
        if op == "/":
            return a / b if b else float("inf")
        if op in ("<<", ">>") and not 0 <= b < 64:
            raise Failed("shift")
        return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "%": lambda: a % b, "&": lambda: a & b,
                "|": lambda: a | b, "^": lambda: a ^ b, "<<": lambda: a << b, ">>": lambda: a >> b,
                "min": lambda: min(a, b), "max": lambda: max(a, b)}[op]()

    def convert(self, name, arguments):
        if name[-2] == "x":
            components = [c for a in arguments for c in (a if isinstance(a, Vec) else [a])]
            count = int(name.rsplit("x", 1)[1])
            components = components * count if len(components) == 1 else components
            return Vec(self.convert(name.rsplit("x", 1)[0], [c]) for c in components)
        (value,) = arguments
        if name[0] == "f" or name == "bf16":
            return float(value)
        if name == "bool":
            return bool(value)
        bits = 64 if name == "index" else int(name[1:])
        value = int(value) & ((1 << bits) - 1)
        return value - (1 << bits) if name[0] == "i" and value >> (bits - 1) else value

    def range(self, low, high, step):
        if step == 0:
            raise Failed("step 0")
        for value in range(low, high, step):
            self.count()
            yield value

    def comprehension(self, ranges, function):
        values = [function(*point) for point in itertools.product(*ranges)]
        return filled(values, [len(r) for r in ranges])

    def fill(self, value, shape):
        return filled([copied(value) for _ in range(max(0, size_of(shape)))], shape)

    def boxed(self, value):
        return value if isinstance(value, Arr) else Arr([copied(value)], ())

    def swap(self, a, b):
        for name in ("data", "shape", "offset", "store"):
            mine, other = getattr(a, name), getattr(b, name)
            setattr(a, name, b if other is None else other)
            setattr(b, name, a if mine is None else mine)

    # --- launches ---------------------------------------------------------------------------------------------------

    def execute(self, kernel, ranges, by, body, reduction):
        """ranges: one Python range for each axis; by: group extents, None without groups. `body` makes a generator."""
        extents = [b or 1 for b in by] if by else [1] * len(ranges)
        counts = [-(-len(r) // e) for r, e in zip(ranges, extents)]
        launch, results = Launch(kernel), []
        for number, group in enumerate(itertools.product(*map(range, counts))):
            shared, running = {}, []
            for local in itertools.product(*map(range, extents)):
                at = [g * e + k for g, e, k in zip(group, extents, local)]
                inside = all(k < len(r) for k, r in zip(at, ranges))
                values = [r.start + k * r.step for k, r in zip(at, ranges)]
                axes = list(zip(values, local, group, counts))
                running.append((tuple(values), inside, body(axes, inside, shared)))
            phase = 0
            while running:
                waiting = []
                for values, inside, generator in running:
                    launch.item, self.launch = (number, phase, values), launch
                    try:
                        next(generator)
                        waiting.append((values, inside, generator))
                    except StopIteration as stop:
                        if inside and reduction:
                            results.append(stop.value)
                    finally:
                        self.launch = None
                running, phase = waiting, phase + 1
        self.touched = launch.touched
        for (array, *pair), witness in launch.conflicts().items():
            self.races.add((kernel, array, *pair))
            self.witnesses.setdefault((kernel, array, *pair), witness)
        return {None: lambda: None, "sum": lambda: sum(results), "any": lambda: any(results),
                "all": lambda: all(results),
                "count": lambda: sum(map(bool, results)), "min": lambda: min(results, default=1 << 60),
                "max": lambda: max(results, default=-(1 << 60)), "prod": lambda: product(results)}[reduction]()


def product(values):
    result = 1
    for value in values:
        result *= value
    return result
