"""A smaller case that still fails: statements, expressions and functions are taken away as long as it does."""
import copy

FIXED = ("n", "v", "iv", "ext", "ix", "let", "put", "acc", "launch", "call", "for", "if", "while", "&", "&mut", "&out",
         "i")  # nothing simpler goes in their place
BLOCKS = {"if": (2, 3), "for": (4,), "while": (4,), "block": (1,), "resident": (1,)}


def is_node(x):
    return isinstance(x, list) and x and isinstance(x[0], str)


def blocks_of(body):
    """All lists of statements, outermost first."""
    yield body
    for st in body:
        for at in BLOCKS.get(st[0], ()):
            yield from blocks_of(st[at])


def all_blocks(case):
    for f in case["functions"]:
        yield from blocks_of(f.body)
    yield from blocks_of(case["body"])


def nodes_in(x):
    """(list, position) of each node below."""
    for at, part in enumerate(x):
        if isinstance(part, list):
            if is_node(part):
                yield x, at
            yield from nodes_in(part)


def smaller_nodes(case):
    """Expressions, one after the other, as something simpler."""
    places = [place for body in all_blocks(case) for place in nodes_in(body)]
    for n in range(len(places)):
        for how in (["n", 1], ["v", "c"], 0):
            changed = copy.deepcopy(case)
            where, at = [place for body in all_blocks(changed) for place in nodes_in(body)][n:n + 1][0]
            node = where[at]
            if node[0] in FIXED:
                break
            inner = [part for part in node[1:] if is_node(part)]
            if how == 0 and not inner:
                continue
            where[at] = how if how else inner[0]
            yield changed


def without_statements(case):
    size = max((len(body) for body in all_blocks(case)), default=0)
    while size:
        for n in range(len(list(all_blocks(case)))):
            length = len(list(all_blocks(case))[n])
            for lo in range(0, length, size):
                changed = copy.deepcopy(case)
                body = list(all_blocks(changed))[n]
                if len(body) < size:
                    continue
                del body[lo:lo + size]
                yield changed
        size //= 2


def without_loops(case):
    for n, body in enumerate(all_blocks(case)):
        for at, st in enumerate(body):
            for which in BLOCKS.get(st[0], ()):
                changed = copy.deepcopy(case)
                inner = list(all_blocks(changed))[n]
                inner[at:at + 1] = inner[at][which]
                yield changed


def without_functions(case):
    for n in range(len(case["functions"])):
        changed = copy.deepcopy(case)
        del changed["functions"][n]
        yield changed


def reduced(case, fails, most=600):
    """`fails(case)`: is this one wrong, too? Tries at most `most` cases."""
    found = True
    while found and most > 0:
        found = False
        for way in (without_statements, without_loops, without_functions, smaller_nodes):
            again = True
            while again and most > 0:
                again = False
                for smaller in way(case):
                    most -= 1
                    if most <= 0:
                        break
                    if fails(smaller):
                        case, found, again = smaller, True, True
                        break
    return case
