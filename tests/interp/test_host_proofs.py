#!/usr/bin/env python3
"""test_host_proofs.py KDSLC [N]: N random host functions whose indices, divisors and shift amounts are sometimes wrong.
The interpreter executes every check, those too that the compiler has proven unnecessary, and says so if one of these
fails: then the proof was wrong. Some are also compiled and must print the same."""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

WRONG_PROOF = "the checker has proven"
COMPILED = 5  # every fifth function that ends is also compiled
ARRAYS = {"a": "n", "b": "m", "c": "n + 2", "d": "8", "e": "n + 1", "g": "n + 1"}  # e and g are swapped or assigned


class Function:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.loops = 0
        self.names = ["n", "m", "p"]  # integers in scope
        self.replaces = seed % 2 == 0  # by arrays of other extents
        self.inside = []  # variables of loops over an array, with what may be added
        self.variables = ["v", "w"]

    def integer(self, depth=2):
        r = self.rng
        kind = r.randrange(12) if depth else r.randrange(5)
        if kind < 3: return r.choice(self.names + self.variables)
        if kind < 5: return str(r.randrange(-1, 9))
        x, y = self.integer(depth - 1), self.integer(depth - 1)
        if kind < 8: return f"({x} {r.choice('+-')} {r.choice([y, '1', '2'])})"
        if kind == 8: return f"{r.choice(['min', 'max'])}({x}, {y})"
        if kind == 9: return f"({x} {r.choice('/%')} {r.choice(['2', '3', y])})"
        if kind == 10: return f"({x} {r.choice(['<<', '>>', '&'])} {r.choice(['1', '2', y])})"
        return f"(if {self.condition(depth - 1)} {{ {x} }} else {{ {y} }})"

    def condition(self, depth=1):
        r = self.rng
        one = f"{self.integer(1)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.integer(1)}"
        if not depth or r.random() < 0.6: return one
        if r.random() < 0.3: one = f"next(&mut {r.choice(self.variables)}) < {self.integer(0)}"
        return f"({one} {r.choice(['&&', '||'])} {self.condition(depth - 1)})"

    def element(self):
        r = self.rng
        if r.random() < 0.1: return f"{r.choice('abcdeg')}[{self.integer()}]"
        if not self.inside or r.random() < 0.1: return f"{r.choice('acdeg')}[{r.choice(['0', '1', 'p'])}]"
        name, array, by = r.choice(self.inside)
        return f"{array}[{name}{by if r.random() < 0.2 else ''}]"

    def block(self, depth):
        names = list(self.names)
        text = "".join(self.statement(depth) for _ in range(self.rng.randrange(1, 4)))
        self.names = names
        return f"{{\n{text}}}\n"

    def loop(self, depth):
        r = self.rng
        self.loops += 1
        name = f"i{self.loops}"
        array = r.choice("aabcdeg")
        end = ARRAYS[array]
        by, range_ = r.choice([
            (" - 1", end), (" + 1", f"len({array}) - 1"), (" - 1", f"1..{end}"), (" - p", f"p..{end}"),
            (" + 1", f"{end} - 2..-1 step -1"), (" + 1", f"0..{end} step 2"),
            ("", f"{self.integer(0)}..{self.integer(1)}"), ("", f"0..min({self.integer(1)}, {end})")])
        head = f"for {name} in {range_} "
        self.names.append(name)
        self.inside.append((name, array, by))
        body = self.block(depth - 1)
        self.names.pop()
        self.inside.pop()
        return head + body

    def within(self, name, array):
        """A call that changes the variable, before or after its use in the same expression."""
        r, inside = self.rng, f"{name} >= 0 && {name} < len({array})"
        element, change = f"{array}[{name}]", f"&mut {name}"
        calls = [f"len(row({change})) > 0", f"next({change}) > 0", f"row({change})[0] > 0"]
        return r.choice([
            f"if {inside} && ({r.choice(calls)} && {element} > 0) {{ t += 1; }}\n",
            f"if {inside} && ({element} > 0 && {r.choice(calls)} || {element} > 9) {{ t += 1; }}\n",
            f"if {inside} {{ t += row(&mut {name})[{element} % 2] + {element}; }}\n",
            f"if {inside} {{ t += {array}[{name} + (if t > 3 {{ next({change}) }} else {{ 0 }}) * 0]"
            f" - {element}; }}\n"])

    def guarded(self, depth):
        """A variable inside an array, until the block changes it."""
        r = self.rng
        name, array = r.choice(self.variables), r.choice("acd")
        small, end = f"{name} = {r.randrange(3)};\n", ARRAYS[array]
        head = r.choice([f"if {name} >= 0 && {name} < {end} ", f"if {name} < len({array}) && 0 <= {name} ",
                         f"{small}if {name} < {end} ", f"while {name} >= 0 && {name} < {end} && turns < 40 ",
                         f"{small}while turns < 40 "])
        self.inside += [(name, array, r.choice([" + 1", " - 1"]))] * 3
        body = self.block(depth - 1)
        step = f"{name} += 1;\nturns += 1;\n"
        if "while" in head: body = f"{{\n{step}{body[2:]}" if r.random() < 0.5 else f"{body[:-2]}{step}}}\n"
        if r.random() < 0.7: del self.inside[-3:]  # else it looks as if it was inside after the block, too
        return head + body

    def changed(self):
        """A variable that is known, perhaps changes, and is an index."""
        r = self.rng
        name, other = r.choice(self.variables), self.integer(1)
        new = r.choice([other, "3"])
        change = r.choice([f"if {self.condition()} {{ {name} = {new}; }}\n", f"t += i32(next(&mut {name}));\n",
                           f"if {self.condition()} {{ t += 1; }} else {{ {name} += 1; }}\n",
                           f"if {other} > 3 || next(&mut {name}) < 2 {{ t += 1; }}\n",
                           f"for x in 3 {{ {name} += x; if x == {other} {{ break; }} }}\n",
                           f"t += if {other} > 2 {{ i32(next(&mut {name})) }} else {{ 2 }};\n"])
        if r.random() < 0.3: return self.within(name, r.choice(["d", "e"]))
        return f"{name} = {r.randrange(10)};\n{change}t += d[{name}];\n"

    def redefined(self):
        r = self.rng
        if self.replaces and r.random() < 0.7: return f"{r.choice('eg')} = [4; {r.choice(['n', 'm', 'n + 2', '8'])}];\n"
        same = ["swap(&mut e, &mut g)", "e = [2; n + 1]", "g = [i32(i) for i in n + 1]", "g = copy(&e)"]
        return f"{r.choice(same)};\n"

    def statement(self, depth):
        r = self.rng
        kind = r.randrange(15) if depth else r.randrange(8)
        variable = r.choice(self.variables)
        if kind < 3: return f"{self.element()} = {self.element()} + {self.element()};\n"
        if kind == 3: return f"{variable} {r.choice(['=', '+=', '-=', '/=', 'min=', 'max='])} {self.integer()};\n"
        if kind == 4: return f"t += {self.element()} + i32({self.integer()});\n"
        if kind == 5: return self.changed()
        if kind == 6:
            self.loops += 1
            name = f"l{self.loops}"
            text = f"let {name}: index = {self.integer()};\n"
            self.names.append(name)
            return text
        if kind == 7: return self.redefined()
        if kind < 10: return self.loop(depth)
        if kind == 10: return self.guarded(depth)
        if kind == 11: return f"if {self.condition()} " + self.block(depth - 1)
        if kind == 12:
            return f"if {self.condition()} " + self.block(depth - 1)[:-1] + " else " + self.block(depth - 1)
        if kind == 13:
            leave = r.choice(["", f"if {self.condition(0)} {{ {r.choice(['break', 'continue'])}; }}"])
            return f"while {self.condition()} && turns < 40 {{\nturns += 1;\n{self.statement(depth - 1)}{leave}\n}}\n"
        return f"if {self.condition()} {{ return t; }}\n"

    def source(self):
        body = "".join(self.statement(3) for _ in range(5))
        return (f"fn work(a: &mut [i32; n], b: &mut [i32; m], c: &mut [i32; n + 2], p: index) -> i32 {{\n"
                f"var d = [1; 8];\nvar v: index = {self.rng.randrange(0, 9)};\nvar w = p;\n"
                f"var e = [1; n + 1];\nvar g = [2; n + 1];\nvar turns = 0;\n"
                f"var t: i32 = 0;\n{body}return t + d[0];\n}}\n")


def program(seed):
    f = Function(seed)
    n, m, p = f.rng.choice([1, 2, 3, 5, 8, 9]), f.rng.choice([0, 1, 2, 5, 8]), f.rng.choice([0, 1, 1, 2, 7])
    return (f"fn next(v: &mut index) -> index {{\nv += 1;\nreturn v;\n}}\n"
            f"fn row(v: &mut index) -> [i32; _] {{\nv += 3;\nreturn [1; 3];\n}}\n{f.source()}"
            f"fn main() {{\nvar a = [1; {n}];\nvar b = [2; {m}];\nvar c = [3; {n} + 2];\n"
            f'print("{{}}\\n", work(&mut a, &mut b, &mut c, {p}));\n}}\n')


def compiled(kdslc, source):
    """What the compiled program prints."""
    program = source.with_suffix("")
    subprocess.run([kdslc, "--color=never", source, "-o", program], check=True, capture_output=True)
    return subprocess.run([program], capture_output=True, text=True, timeout=60).stdout


def main():
    kdslc, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400
    wrong, ended, failed, refused = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(n):
            source = Path(folder) / "work.kdsl"
            source.write_text(program(seed))
            command = [kdslc, "interpret", "--color=never", source]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            says = done.stderr
            if WRONG_PROOF in says or done.returncode < 0: wrong.append((seed, says[-600:]))
            elif "error[" in says: refused += 1
            elif done.returncode: failed += 1
            else:
                ended += 1
                got = compiled(kdslc, source) if ended % COMPILED == 0 else done.stdout
                if got != done.stdout: wrong.append((seed, f"compiled: {got}, interpreted: {done.stdout}"))
    for seed, says in wrong: print(f"seed {seed}: {says}\n{program(seed)}")
    print(f"{n} functions: {ended} ended, {failed} failed in a check, {refused} not compiled, {len(wrong)} wrong")
    enough = ended > n // 5 and failed > n // 5
    if not enough: print("too few functions end, or too few fail")
    return 1 if wrong or not enough else 0


if __name__ == "__main__": sys.exit(main())
