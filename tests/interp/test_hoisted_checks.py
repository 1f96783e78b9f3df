#!/usr/bin/env python3
"""test_hoisted_checks.py KDSLC: kernels whose items read and write rows and parts at places that come from data, in
which one item fails, in its first, a middle or its last iteration, or none does. Compiled programs must end as the
interpreter does, which executes every check where it is written: the same message, and where no item fails, the same
arrays."""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402
from run import widths  # noqa: E402

KERNELS, N = 8, 21  # a program; items
VALUES = [40, 39, 41, -1, -20, 30, 580, 590, 599, 600, 585, 2000]  # of the item that may fail
PROGRAMS = 4 if parts.PART == "quick" else 24
LEVELS = [("-O0",), ("-O2",), *(("-O2", width) for width in widths()[:-1])]

RANGES = ["k", "2..k", "16", "k - 1", "lo[i]..lo[i] + 9", "p..p + 16", "lo[i]..k", "a % 3..k step 2"]
INDICES = ["x[a, j]", "x[at[i], j]", "y[at[i] + j]", "y[p + j]", "y[p - 1 + j]", "y[j + at[i]]", "y[j]", "x[j, a]",
           "y[a * 16 + j]", "y[i32(at[i]) * 16 + i32(j)]", "y[index(lo[a % 5 + 5]) * 9 + j]", "x[at[i] - 1, j]",
           "y[j - p + 60]", "x[a, p + j]", "x[at[i] - 1, at[i] + j]", "x[j + 2, a + j]",
           "y[i32(at[i]) + i32(j)]", "x[lo[i] + 1, i32(at[i]) + i32(j)]", "z[i8(at[i] * 6 % 128) + i8(j)]",
           "y[i16(a) + i16(j) - 1]"]
ENDS = ["s += {0};", "s += {0} - {1};", "s += {0} * 2; s max= {1};", "o[i, j] = {0};", "o[i, j] = {0} + {1};",
        "s += {0}; if s > 60 {{ break; }} s += {1};",
        "s += {0} / (i64(j) - 9 + (if a < 20 {{ 100 }} else {{ 0 }})) + {1};", "if j > 3 {{ s += {0}; }}",
        "s += {0}; if {1} == 3 {{ return; }}", "s += {0}; s += {1}; o[i, j] = {1};", "let q = {0}; s += q * q;",
        "s += {0}; atomic o[3, j] += {1};", "s += doubled({0}); s += {1};", "s += {0} + failing({1}, i);",
        's += {0}; if i % 3 == 0 {{ print("{{}} {{}}", j, s); }} s += {1};', "for h in 3 {{ s += {0} + y[h + j]; }}",
        "s += {0}; s += {1}; s += y[lo[at[i] % 20 + j % 2] + 1];", "s += {0}; s += deep({1}, i);",
        "s += {0}; s += x[lo[a % 5 + j % 16] + 1, j]; s += {1};"]


def kernel(rng, number):
    body = rng.choice(ENDS).format(rng.choice(INDICES), rng.choice(INDICES))
    return (f"kernel k{number}(x: &[i64; 40, w], y: &[i64; m], z: &[i64; 200], at: &[index; n], lo: &[i32; n], "
            f"k: index, o: &mut [i64; n, 40])\nover i in n {{\n    let a = at[i];\n    let p = index(lo[i]) + a;\n"
            f"    var s: i64 = 0;\n    for j in {rng.choice(RANGES)} {{ {body} }}\n    o[i, 0] += s;\n}}\n")


HEAD = """fn doubled(v: i64) -> i64 { return v + v; }
fn deep(v: i64, i: index) -> i64 { return failing(v + 1, i); }
fn failing(v: i64, i: index) -> i64 { return 100 / (v + 3000 - i); }
"""
MAIN = """fn main() {
    let a = args();
    let which = i64(a[0]);
    let bad = index(i64(a[1]));
    let value = index(i64(a[2]));
    let x = [i64(i * 31 + j * 7) % 23 for i in 40, j in 64];
    let y = [i64(i * 17) % 29 for i in 600];
    let z = [i64(i * 5) %% 31 for i in 200];
    var at = [index(i * 5 % 13 + 1) for i in %(n)d];
    var lo = [i32(i %% 4) for i in %(n)d];
    if bad >= 0 { at[bad] = value; }
    var o = [i64(i + j) for i in %(n)d, j in 40];
%(launches)s
    var sum: i64 = 0;
    for i in %(n)d { for j in 40 { sum = sum * 31 + o[i, j]; } }
    print("{}", sum);
}
"""


def program(seed):
    rng = random.Random(seed)
    kernels = "".join(kernel(rng, k) for k in range(KERNELS))
    call = "offload k{0}(&x, &y, &z, &at, &lo, {1}, &mut o);"
    launches = "\n".join(f"    if which == {k} {{ {call.format(k, rng.choice([16, 5, 19]))} }}"
                         for k in range(KERNELS))
    return HEAD + kernels + (MAIN.replace("i * 5 % 13", "i * 5 %% 13").replace("% 23", "%% 23").replace("% 29", "%% 29")
                             % {"n": N, "launches": launches})


def end(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if not done.returncode: return 0, done.stdout, ""
    error = done.stderr[done.stderr.find("error: "):]
    item = error[error.rfind("item i"):].split(" of")[0][len("item "):]
    said = [line for line in done.stdout.splitlines() if line.startswith(f"[{item}]")]  # others may have come further
    return done.returncode, said, error


def main():
    kdslc, wrong, failed, hoisted = sys.argv[1], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(PROGRAMS):
            source, rng = Path(folder) / f"rows{seed}.kdsl", random.Random(-seed)
            source.write_text(program(seed))
            made = []
            for level in LEVELS:
                made.append(source.with_suffix("." + "".join(level)))
                subprocess.run([kdslc, *level, "--races=off", source, "-o", made[-1]], check=True, capture_output=True)
            bounds = subprocess.run([kdslc, "--explain=bounds", source], capture_output=True, text=True).stdout
            hoisted += bounds.count("checked once, before the loop")
            for k in range(KERNELS):
                for _ in range(5):
                    bad, value = rng.randrange(-1, N), rng.choice(VALUES)
                    args = [str(k), str(bad), str(value)]
                    want = end([kdslc, "interpret", "--races=off", source, *args])
                    failed += want[0] == 3
                    assert want[0] == 0 or bad >= 0 and f"item i = {bad} of" in want[2], f"{source} {args} {want}"
                    for level, one in zip(LEVELS, made):
                        got = end([one, *args])
                        if got != want: wrong.append(f"{source} {level} {args}\n{want}\n{got}")
    print("\n\n".join(wrong[:3]))
    print(f"{PROGRAMS * KERNELS} kernels, {hoisted} hoisted checks, {failed} failures, {len(wrong)} differ")
    enough = hoisted >= PROGRAMS * KERNELS // 4 and failed >= PROGRAMS * KERNELS
    return 1 if wrong or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
