#!/usr/bin/env python3
"""Random host programs around launches, run with the transfer plan (and device and stale host memory poisoned), with
`--transfers=each`, and without a device: all must print the same.

usage: differential.py KDSLC WORKDIR FIRST_SEED N_FILES [CASES_PER_FILE]

A file holds many cases, each a function with arrays, branches, loops, calls and launches of its own, so that one
compilation tests them all. A seed always gives the same text. A file that fails stays in WORKDIR. test_differential.py
runs it among the tests."""
import os
import random
import subprocess
import sys

PRELUDE = """
kernel add(a: &[i64; n], b: &mut [i64; n]) over i in n { b[i] += a[i] + index(i); }
kernel back(b: &mut [i64; n], a: &[i64; n]) over i in n { b[i] += a[i] - index(i); }
kernel triple(a: &[i64; n], b: &out [i64; n]) over i in n { b[i] = a[i] * 3 + 1; }
kernel evens(b: &mut [i64; n]) over i in n { if i % 2 == 0 { b[i] = b[i] * 5 - 7; } }
kernel some(a: &[i64; n], b: &out [i64; n]) over i in n { if a[i] % 2 == 0 { b[i] = a[i]; } else { b[i] = -a[i]; } }
kernel total(a: &[i64; n]) over i in n -> sum i64 { return a[i]; }
kernel stamp(a: &[i64; n], b: &mut [i64; n], v: i64) over i in n { b[i] = v + index(i); }
struct Pair { x: i64, y: i64 }
kernel pairs(p: &mut [Pair; n], v: i64) over i in n { p[i].x += p[i].y * v; p[i].y += index(i); }
kernel shift(a: &[i64; n], b: &mut [i64; n]) over i in 1..n { b[i] = a[i - 1] ^ b[i]; }

fn read(a: &[i64; n], k: i64) -> i64 { return a[(k % n + n) % n]; }
fn sum_of(a: &[i64; n]) -> i64 {
    var s = 0i64;
    for i in n { s = s * 31 + a[i]; }
    return s;
}
fn write(b: &mut [i64; n], k: i64, v: i64) { b[(k % n + n) % n] = v; }
fn reset(b: &out [i64; n], v: i64) { for i in n { b[i] = v; } }
fn exchange(a: &mut [i64; n], b: &mut [i64; n]) { swap(&mut a, &mut b); }
fn step(a: &mut [i64; n], b: &mut [i64; n]) {
    offload add(&a, &mut b);
    swap(&mut a, &mut b);
}
fn sometimes(a: &mut [i64; n], b: &mut [i64; n], k: i64) -> i64 {
    if k % 3 == 0 { offload add(&b, &mut a); return read(&a, k); }
    if k % 3 == 1 { return sum_of(&b); }
    offload evens(&mut b);
    return k;
}
fn made(n: index, k: i64) -> [i64; _] {
    var r = [k + i64(i) for i in n];
    if k % 2 == 0 { offload evens(&mut r); }
    return r;
}
fn again(a: &[i64; n], b: &mut [i64; n], k: i64) {
    if k > 0 { offload add(&a, &mut b); again(&a, &mut b, k - 1); }
}
fn late(a: &[i64; n], b: &mut [i64; n], k: i64) -> i64 {
    b[0] = k;
    offload add(&a, &mut b);
    return if k % 2 == 0 { b[1] } else { a[1] };
}
fn mine(a: &mut [i64; n], k: i64) {
    var own = [k * i64(i) for i in n];
    offload add(&a, &mut own);
    if k % 2 == 0 { swap(&mut a, &mut own); }
    own[0] = k;
}
fn through(a: &mut [i64; n], k: i64) -> i64 {
    var own = copy(&a);
    offload triple(&own, &out a);
    if k % 2 == 0 { return a[0]; }
    return 4;
}
"""


class Case:
    def __init__(self, rng, number):
        self.rng, self.number, self.lines, self.names = rng, number, [], []
        self.depth, self.loops, self.counter = 1, 0, 0
        self.large = 0  # extent of one more array, `z`, if it has one
        self.spreads = rng.random() < 0.5  # are its arrays used on several devices?

    def say(self, text):
        self.lines.append("    " * self.depth + text)

    def array(self):
        return self.rng.choice(self.names)

    def two(self):
        return self.rng.sample(self.names, 2)

    def fresh(self):
        self.counter += 1
        return f"t{self.counter}"

    def value(self):
        return self.rng.choice(["c", "c + 1", str(self.rng.randint(-9, 9)), f"{self.array()}[{self.rng.randrange(4)}]"])

    def condition(self):
        k = self.rng.randint(2, 4)
        return self.rng.choice([f"c % {k} == 0", f"{self.array()}[0] % {k} != 0",
                                f"c > 0 && {self.array()}[1] % 2 == 0", f"c % 2 == 0 || {self.array()}[2] > 5"])

    def launch(self):
        a, b = self.two()
        r = self.rng.random()
        lo = self.rng.randrange(0, 3)
        hi = self.rng.randrange(lo + 2, 7)
        text = self.rng.choice([
            f"offload add(&{a}, &mut {b});", f"offload add(&{a}, &mut {b});", f"offload triple(&{a}, &out {b});",
            f"offload evens(&mut {b});", f"offload some(&{a}, &out {b});", f"c = c * 7 + offload total(&{a});",
            f"offload stamp(&{a}, &mut {b}, c);", f"offload shift(&{a}, &mut {b});",
            f"offload evens(&mut {b}[{lo}..{hi}]);", f"offload add(&{a}[{lo}..{hi}], &mut {b}[{lo}..{hi}]);",
            f"offload add(&{b}[0..3], &mut {b}[3..6]);", f"offload back(&mut {b}[0..3], &{b}[3..6]);", f"c += offload total(&{a}[{lo}..]);",
        ])
        if self.rng.random() < 0.1:
            text = f"offload pairs(&mut p, {self.rng.randint(-3, 3)});"
        elif self.large and self.rng.random() < 0.3:
            text = self.rng.choice(["offload evens(&mut z);", "c = c * 7 + offload total(&z);"])
        how = self.rng.random()
        if how < 0.2 and text.startswith("offload "):
            text = text.replace("offload ", f"offload async {self.on(0.5)}", 1)
        elif how < 0.26 or (self.spreads and how < 0.6):
            text = text.replace("offload ", f"offload {self.on(1.0)}", 1)
        elif how < 0.62:
            text += " wait;" if self.rng.random() < 0.1 else ""
        self.say(text)

    def on(self, chance):
        """A device, as a number or as one that only the run shows."""
        if self.rng.random() >= chance:
            return ""
        return "on " + self.rng.choice(["0", "0", "1", "2", "((c % 3 + 3) % 3)"]) + " "

    def spread(self):
        """An array in parts, one for each of several devices."""
        a, b = self.two()
        how = self.rng.choice(["", "async "])
        for line in self.rng.choice([
            [f"for d in 3 {{ offload {how}on d evens(&mut {b}[2 * d..2 * d + 2]); }}"],
            [f"for d in 3 {{ offload {how}on d add(&{a}[2 * d..2 * d + 2], &mut {b}[2 * d..2 * d + 2]); }}"],
            [f"for d in 3 {{ offload {how}on d triple(&{a}[2 * d..2 * d + 2], &out {b}[4 - 2 * d..6 - 2 * d]); }}"],
            [f"for d in 3 {{ offload {how}on d evens(&mut {b}[d..d + 4]); }}"],
            [f"for d in 3 {{ offload {how}on d add(&{a}, &mut {b}); swap(&mut {a}, &mut {b}); }}"],
            [f"for d in 3 {{ c = c * 3 + offload on d total(&{a}); }}"],
            [f"for d in 3 {{ offload {how}on d stamp(&{b}, &mut {a}, c); {b}[d] = c; }}"],
        ]):
            self.say(line)

    def launches(self):
        """What may stand in `offload resident`: nothing of the host's."""
        found = []
        for _ in range(self.rng.randint(1, 3)):
            a, b = self.two()
            found.append(self.rng.choice([f"    offload add(&{a}, &mut {b});", f"    offload triple(&{a}, &out {b});",
                                          f"    for r in 2 {{ offload add(&{a}, &mut {b}); "
                                          f"swap(&mut {a}, &mut {b}); }}"]))
        return found

    def elements(self):
        """Single elements and rows that the host reads and writes by themselves."""
        a, b = self.two()
        k, m, by = self.rng.randrange(6), self.rng.randrange(6), self.rng.randint(1, 5)
        w = self.fresh()
        choices = [
            [f"{b}[{k}] = c;", f"{b}[{m}] = {self.value()};"], [f"{b}[{k}] min= c;", f"c += {b}[{m}];"],
            [f"{b}[{k}] -= {a}[{m}];", f"{b}[{m}] *= 3;"], [f"if {self.condition()} {{ {b}[{k}] = {a}[{m}]; }}"],
            [f"for i in 3 {{ {b}[{k}] = c + i64(i); offload add(&{b}, &mut {a}); }}"],
            [f"for i in 2 {{ offload evens(&mut {b}); {b}[{k}] += {b}[{m}]; }}"],
            [f"var {w} = {k % 3};", f"while {w} < 6 {{ {b}[{w}] += c; {w} += {by}; }}"],
            [f"var {w} = 0;", f"while {w} < 6 && {a}[{w}] != 5 {{ {b}[5 - {w}] = {a}[{w}]; {w} += {by}; }}"],
            [f"write(&mut {b}[{k // 2}..{k // 2 + 3}], c, {self.value()});", f"{b}[{m}] = 2;"],
            [f"reset(&out {b}[{k // 2}..{k // 2 + 3}], c);", f"c += {b}[{m}];"],
            [f"p[{k}].x = c;"], [f"p[{k}].y += c;", f"c = c * 3 + p[{m}].x;"], [f"p[{k}] = Pair(x: c, y: {m});"],
            [f"swap(&mut {a}, &mut {b});", f"{b}[{k}] = c;"], [f"c = c * 3 + {a}[{k}];", f"{b}[{k}] = {a}[{m}];"],
        ]
        if self.large:
            step = self.rng.choice([3331, 9973, self.large // 2 - 1])
            choices += 3 * [
                [f"var {w} = {k};", f"while {w} < {self.large} {{ z[{w}] = c; {w} += {step}; }}"],
                [f"var {w} = {k};", f"while {w} < {self.large} {{ z[{w}] += c; c = c * 3 + z[{m}]; {w} += {step}; }}"],
                [f"z[{self.large - 1 - k}] = z[{m}] + c;", f"z[{m}] = z[{k}];"],
                [f"reset(&out z[{k}..{k + 1000}], c);", f"write(&mut z[500..{step}], {m}, c);"],
            ]
        for line in self.rng.choice(choices):
            self.say(line)

    def host(self):
        if self.rng.random() < 0.35:
            self.elements()
            return
        a, b = self.two()
        k = self.rng.randrange(6)
        t = self.fresh()
        choices = [
            [f"c = c * 3 + {a}[{k}];"], [f"{b}[{k}] = {self.value()};"], [f"{b}[{k}] += {a}[{k}];"],
            [f"for i in 6 {{ c = c * 5 + {a}[i]; }}"], [f"for i in 6 {{ {b}[i] = {a}[i] + c; }}"],
            [f"for i in (c % 3 + 3) % 3 {{ {b}[i] += {a}[i]; }}"],
            [f"for i in 6 {{ if {a}[i] > c {{ c += {b}[i]; }} }}"],
            [f"c = c * 3 + {a}.at(c % 8);"], [f"swap(&mut {a}, &mut {b});"], [f"exchange(&mut {a}, &mut {b});"],
            [f"{b} = copy(&{a});"], [f"{b} = [{a}[i] * 2 for i in 6];"], [f"{b} = made(6, c);"],
            [f"let {t} = {b};", f"{b} = [c; 6];", f"c += {t}[{k}];"],
            [f"let {t} = copy(&{a});", f"offload add(&{t}, &mut {b});"],
            [f"c = c * 3 + read(&{a}, c);"], [f"c = c * 3 + sum_of(&{a});"], [f"c += sum_of(&{a}[1..4]);"],
            [f"write(&mut {b}, c, {self.value()});"], [f"reset(&out {b}, c);"], [f"reset(&out {b}[1..4], c);"],
            [f"for i in len({b}) {{ {b}[i] = {a}[5 - i] - c; }}"], [f"for i in 6 {{ {b}[i] = {b}[5 - i]; }}"],
            [f"step(&mut {a}, &mut {b});"],
            [f"c = c * 3 + sometimes(&mut {a}, &mut {b}, c % 6);"], [f"c += through(&mut {a}, c);"],
            [f"let {t} = {b};", f"{b} = made(6, c);", f"if {self.condition()} {{ {b} = {t}; }}"],
            [f"let {t} = [{a}[i] + {b}[5 - i] for i in 6];", f"c = c * 3 + sum_of(&{t});"],
            [f"for i in 6 {{ c = c * 5 + {a}[i]; offload stamp(&{a}, &mut {b}, c); }}"],
            [f"for i in 6 {{ {a}[i] = c; c += offload total(&{a}); }}"],
            [f"for i in 3 {{ c = c * 5 + {a}[i]; swap(&mut {a}, &mut {b}); }}"],
            [f"for i in 3 {{ {a}[i] += c; step(&mut {a}, &mut {b}); }}"],
            [f"write(&mut {b}[1..5], c, {self.value()});"], [f"reset(&out {b}[2..4], c);"],
            [f"again(&{a}, &mut {b}, c % 3);"], [f"c += late(&{a}, &mut {b}, c % 5);"], [f"mine(&mut {a}, c % 4);"],
            [f"var {t} = [c; 6];", f"offload add(&{a}, &mut {t});", f"swap(&mut {t}, &mut {b});"],
            [f"var {t} = [c; 6];", f"offload add(&{a}, &mut {t});", f"{b} = {t};"],
            [f"for r in 2 {{ c = c * 3 + {b}[{k}]; reset(&out {b}, c); }}"],
            [f"for r in 2 {{ c = c * 3 + sum_of(&{b}); reset(&out {b}, r); }}"],
            [f"for r in (c % 3 + 3) % 3 {{ reset(&out {b}[..3], c); c = c * 3 + {b}[4]; }}"],
            [f"for r in 2 {{ write(&mut {b}, r, c); c = c * 3 + {a}[{k}] + {b}[{k}]; }}"],
            ["offload resident {", *self.launches(), "}"],
            [f"assert {a}[{k}] != 123456789, \"{{}}\", {b}[0];"],
        ]
        for line in self.rng.choice(choices):
            self.say(line)

    def block(self, size):
        self.depth += 1
        for _ in range(size):
            self.statement()
        self.depth -= 1

    def branch(self):
        self.say(f"if {self.condition()} {{")
        self.block(self.rng.randint(1, 3))
        if self.rng.random() < 0.5:
            self.say("} else {")
            self.block(self.rng.randint(1, 2))
        self.say("}")

    def loop(self):
        self.loops += 1
        if self.rng.random() < 0.7:
            trips = self.rng.choice(["0", "1", "3", "5", "(c % 4 + 4) % 4"])
            self.say(f"for s{self.loops}{self.counter} in {trips} {{")
            self.block(self.rng.randint(1, 4))
        else:
            self.counter += 1
            w = f"w{self.counter}"
            self.say(f"var {w} = 0;")
            self.say(f"while {w} < {self.rng.randint(0, 4)} && {self.array()}[1] != 77 {{")
            self.depth += 1
            self.say(f"{w} += 1;")
            self.depth -= 1
            self.block(self.rng.randint(1, 4))
        self.say("}")
        self.loops -= 1

    def statement(self):
        r = self.rng.random()
        if self.depth < 4 and r < 0.12:
            self.branch()
        elif self.depth < 4 and r < 0.26:
            self.loop()
        elif self.loops and r < 0.31:
            self.say(f"if {self.condition()} {{ {self.rng.choice(['break', 'continue'])}; }}")
        elif r < 0.33 and self.depth > 1:
            self.say(f"if {self.condition()} {{ return c; }}")
        elif r < 0.66:
            if self.spreads and self.rng.random() < 0.3:
                self.spread()
            else:
                self.launch()
        else:
            self.host()

    def text(self):
        self.names = [f"x{i}" for i in range(self.rng.randint(2, 4))]
        self.say(f"var c = {self.number}i64;")
        for i, name in enumerate(self.names):
            self.say(f"var {name} = [i64(i * {i + 2}) + {self.number} for i in 6];")
        self.say("var p = [Pair(x: i64(i), y: i64(i) - 2) for i in 6];")
        if self.rng.random() < 0.2:
            self.large = self.rng.choice([10000, 30000, 80000])
            self.say(f"var z = [i64(i) - {self.number} for i in {self.large}];")
        for _ in range(self.rng.randint(4, 14)):
            self.statement()
        for name in self.names:
            if self.rng.random() < 0.6:
                self.say(f"c = c * 31 + sum_of(&{name});")
        self.say("for i in 6 { c = c * 31 + p[i].x - p[i].y; }")
        if self.large:
            self.say("c = c * 31 + sum_of(&z);")
        return "\n".join([f"fn case{self.number}() -> i64 {{", *self.lines, "    return c;", "}"])


def program(seed, n_cases):
    rng = random.Random(seed)
    cases = [Case(rng, i).text() for i in range(n_cases)]
    main = "\n".join(f'    print("{i} {{}}", case{i}());' for i in range(n_cases))
    return f"{PRELUDE}\n" + "\n\n".join(cases) + f"\n\nfn main() {{\n{main}\n}}\n"


def run(command, cwd=None, **env):
    env = {**os.environ, "KMP_BLOCKTIME": "0", **env}  # waiting threads leave the cores to other tests
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env, timeout=300)
    return done.returncode, done.stdout, done.stderr


def check(kdslc, work, seed, n_cases):
    path = os.path.join(work, f"transfers-{seed}")
    with open(path + ".kdsl", "w", encoding="utf-8") as f:
        f.write(program(seed, n_cases))
    outputs = {}
    for how in ["plan", "each"]:
        rc, out, err = run([kdslc, f"--transfers={how}", "-O1", path + ".kdsl", "-o", f"{path}.{how}"])
        if rc:
            return f"seed {seed}: kdslc --transfers={how} ended with {rc}:\n{out}{err}"
    outputs["each"] = run([path + ".each"])
    outputs["plan"] = run([path + ".plan"])
    outputs["plan, poisoned"] = run([path + ".plan"], KDSL_POISON="1")
    outputs["plan, no device"] = run([path + ".plan"], OMP_TARGET_OFFLOAD="disabled")
    want = outputs["each"]
    for name, got in outputs.items():
        if got == want and got[0] == 0:
            continue
        lines = [f"  {a!r} (each) but {b!r}" for a, b in zip(want[1].splitlines(), got[1].splitlines()) if a != b]
        return "\n".join([f"seed {seed}, {name}: exit code {got[0]}, {path}.kdsl", *lines[:5], got[2][:2000]])
    for end in [".kdsl", ".plan", ".each"]:
        os.unlink(path + end)
    return None


def main():
    kdslc, work, first, n_files = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    n_cases = int(sys.argv[5]) if len(sys.argv) > 5 else 20
    os.makedirs(work, exist_ok=True)
    failures = [f for f in (check(kdslc, work, seed, n_cases) for seed in range(first, first + n_files)) if f]
    print("\n".join(failures) if failures else f"{n_files * n_cases} programs: all the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
