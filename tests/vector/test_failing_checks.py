#!/usr/bin/env python3
"""A check that fails in a kernel says the same in vector code as in scalar code: the item, the place, the values, what
was printed before; wherever in a vector the item stands, in a last part that is no whole vector, and however many others
fail behind it. Items for which a check is not reached never fail.
What kernels print beside a failure: test_failing_prints.py.
Usage: test_failing_checks.py KDSLC

One program holds a kernel for each kind of check; `n` and the items that fail are its arguments."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402
from run import widths  # noqa: E402

NO_VERSIONS = ("-O2", "--no-transform=check-versioning")  # vector code that makes all checks
LEVELS = [("-O2",), NO_VERSIONS, ("-O3",), *(("-O2", width) for width in widths()[:-1])]
LEVELS = LEVELS[:2 if parts.PART == "quick" else None]
PLACES = [  # n, the first item that fails, every how many-th behind it does, too (0: none)
    (1, 0, 0), (3, 2, 0), (8, 7, 0), (16, 5, 0), (17, 16, 0), (33, 31, 1), (40, 3, 1), (64, 15, 3), (65, 64, 0),
    (100, 37, 2), (100, 0, 1)]
PLACES = parts.chosen(PLACES, {(1, 0, 0), (17, 16, 0), (40, 3, 1), (65, 64, 0)}.__contains__)
FINE = parts.first([17, 1, 100])


def outside(index, array, n):
    return f"index {index} is out of bounds for `{array}`, which has {n} element"


# What a kernel does with item i, whose v is 5 where it goes well, and what is said; {i} is the item.
KINDS = {
    "read": ("y[i] = x[v - 5 + i32(i) + (if v != 5 { 1000 } else { 0 })];", outside("{at}", "x", "{n}")),
    "write": ("if v != 5 { y[i + 100000] = 1; } y[i] = 7;", outside("{far}", "y", "{n}")),
    "below": ("y[i] = x[i - index(v - 5)] + x[(if v == 5 { i } else { -3 })];", None),
    "divide": ("y[i] = 100 / (v - 4 - (if v == 5 { 0 } else { v - 4 }));", "division by zero"),
    "remainder": ("if v < 100 { y[i] = 7 % (if v == 5 { 3 } else { 0 }); }", None),
    "shift": ("y[i] = i32(i) << (if v == 5 { 3 } else { 32 + v });", None),
    "assert": ('assert v == 5, "item {} has {}", i, v; y[i] = v;', "item {i} has {v}"),
    "call": ("if v > 0 { y[i] = picked(&x, if v == 5 { i } else { i * 100000 + n }); }", None),
    "loop": ("for k in 0..4 { y[i] += x[(if k == 2 && v != 5 { -1 } else { i })]; }", outside("-1", "x", "{n}")),
    "while": ("var k = 0; while k < 9 { k += 1; if k > i % 3 && v == 5 { break; } y[i] += x[i + k / 8 * n]; }", None),
    "step": ("for k in 0..v step v - (if v == 5 { 4 } else { v }) { y[i] += 1; }", None),
    "slice": ("y[i] = total(&x[0..if v == 5 { i + 1 } else { n + 1 }]);", None),
    "after_return": ("if i % 2 == 1 && v == 5 { return; } y[i] = x[(if v == 5 { i } else { n })];",
                     outside("{n}", "x", "{n}")),
    "group": ("", None),
    "rows": ("", None),
}

# Indices that move along with the items, or are the same for all of them: looked at for the ends of a block of items. The
# body, what `lim` and `k` are where item {i} is the first that fails, where none does, and what is said.
ALONG = {
    "ahead": ("y[i] = x[i + k];", ("0", "n - {i}"), ("0", "0"), outside("{n}", "x", "{n}")),
    "back": ("y[i] = x[k - i];", ("0", "{i} - 1"), ("0", "n - 1"), outside("-1", "x", "{n}")),
    "apart": ("y[i] = two[2 * i + k];", ("0", "2 * (n - {i})"), ("0", "1"), outside("{twice}", "two", "{twice}")),
    "apart_back": ("y[i] = two[k - 2 * i];", ("0", "2 * {i} - 1"), ("0", "2 * n - 1"), outside("-1", "two", "{twice}")),
    "stored": ("y[i + k] = v;", ("0", "n - {i}"), ("0", "0"), outside("{n}", "y", "{n}")),
    "none_beyond": ("if i < lim || v != 5 { y[i] = x[i + k]; }", ("{i}", "n - {i}"), ("n / 2", "n - n / 2"),
                    outside("{n}", "x", "{n}")),
    "none_before": ("if i >= lim { y[i] = x[i - k]; }", ("{i}", "{i} + 1"), ("n / 2", "n / 2"),
                    outside("-1", "x", "{n}")),
    "round": ("if i >= lim { y[i] = x[i + k]; }", ("{i}", "0 - {i} - 1"), ("1", "-1"), outside("-1", "x", "{n}")),
    "same": ("if v != lim { y[i] = x[k]; }", ("5", "n + 7"), ("5", "n - 1"), outside("{far_out}", "x", "{n}")),
    "rounds": ("for e in 0..2 { if i <= lim { y[i] += x[i + e * k]; } }", ("{i}", "n - {i}"), ("n", "0"),
               outside("{n}", "x", "{n}")),
    # What the item is compared with is computed in the kernel.
    "computed_above": ('assert i < lim + k, "item {}", i; y[i] = v;', ("0", "{i}"), ("0", "n"), "item {i}"),
    "computed_below": ('assert -i >= lim - k, "item {}", i; y[i] = v;', ("1", "{i}"), ("1", "n"), "item {i}"),
    "computed_at": ("y[i] = x[i] + two[lim * 2 + k - i];", ("0", "{i} - 1"), ("0", "n"),
                    outside("-1", "two", "{twice}")),
    "two_checks": ("let a = x[i + lim]; y[i] = two[i + k] + a;", ("0", "2 * n - {i}"), ("0", "n"),
                   outside("{twice}", "two", "{twice}")),
}

# Narrow indices: looked at in their own width.
NARROW = {"i8": "i8(if v == 5 { 0 } else { -1 })", "u8": "u8(if v == 5 { 0 } else { 255 })",
          "i16": "i16(if v == 5 { 0 } else { 20000 })", "i32": "(if v == 5 { i32(i) } else { -2147483648 + v })",
          "u32": "u32(if v == 5 { i32(i) } else { -1 })"}
KINDS.update({f"narrow_{t}": (f"let at = {e}; y[i] = x[at];", None) for t, e in NARROW.items()})

PROGRAM_HEAD = """\
fn picked(x: &[i32; n], at: index) -> i32 {
    if at % 2 == 0 { return x[at]; }
    return x[at] + 1;
}
fn total(x: &[i32; n]) -> i32 {
    var sum = 0;
    for k in n { sum += x[k]; }
    return sum;
}
kernel group(x: &[i32; n], vs: &[i32; n], y: &mut [i32; n]) over i in n by 12 {
    shared s: [i32; 12];
    let v = if inside { vs[i] } else { 5 };
    s[11 - i.local] = v;
    barrier;
    let at = if s[11 - i.local] == 5 { i.local } else { i.local + 12 };
    if inside { y[i] = s[at]; }
}
kernel rows(x: &[i32; n], vs: &[i32; n], y: &mut [i32; n]) over r in 2, i in n {
    let v = vs[i];
    if r == 1 { y[i] = x[(if v == 5 { i } else { -2 })]; }
}
"""


def program():
    kernels = "".join(f"kernel {kind}_(x: &[i32; n], vs: &[i32; n], y: &mut [i32; n]) over i in n {{\n"
                      f"    let v = vs[i];\n    {body}\n}}\n" for kind, (body, _) in KINDS.items() if body)
    launches = "".join(f'    if a[0] == "{kind}" {{ offload {kind}{"_" if body else ""}(&x, &vs, &mut y); }}\n'
                       for kind, (body, _) in KINDS.items())
    for kind, (body, fails, fine, _) in ALONG.items():
        kernels += (f"kernel {kind}(x: &[i32; n], two: &[i32; m], vs: &[i32; n], y: &mut [i32; n], lim: index, k: index) "
                    f"over i in n {{\n    let v = vs[i];\n    {body}\n}}\n")
        lim, k = (f"if first >= 0 {{ {bad} }} else {{ {good} }}" for bad, good in zip(fails, fine))
        launches += f"""    if a[0] == "{kind}" {{
        let lim: index = {lim.replace("{i}", "index(first)")};
        let k: index = {k.replace("{i}", "index(first)")};
        offload {kind}(&x, &two, &vs, &mut y, lim, k);
    }}
"""
    return f"""{PROGRAM_HEAD}{kernels}
fn main() {{
    let a = args();
    let n = index(i64(a[1]));
    let first = i64(a[2]);
    let every = i64(a[3]);
    let x = [i32(i) * 3 for i in n];
    let two = [i32(i) * 7 for i in 2 * n];
    var vs = [5; n];
    if first >= 0 {{ vs[first] = 6 + i32(first % 2); }}
    if first >= 0 && every > 0 {{ for i in first..n step every {{ vs[i] = 6 + i32(i % 2); }} }}
    var y = [1; n];
{launches}    var sum = 0;
    for i in n {{ sum = sum * 31 + y[i]; }}
    print("{{}}", sum);
}}
"""


def run(command):
    env = {**os.environ, "OMP_NUM_THREADS": "1"}    # several threads would fail at the same time, each at its own item
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    return done.returncode, done.stdout, done.stderr


def build(kdslc, folder, flags, name=None):
    source = Path(folder) / "checks.kdsl"
    target = Path(folder) / (name or "checks" + "".join(flags))
    done = run([kdslc, *flags, "--color=never", source, "-o", target])
    if done[0]:
        sys.exit(f"kdslc {' '.join(flags)} ended with {done[0]}:\n{done[2]}")
    return target


def judged(kind, place, want):
    """What the scalar code said is what it should say."""
    n, first, _ = place
    text = KINDS[kind][1] if kind in KINDS else ALONG[kind][3]
    if want[0] != 3 or f"i = {first} of kernel `" not in want[2]:
        return f"{kind} {place} at -O0: {want}"
    words = {"n": n, "i": first, "v": 6 + first % 2, "far": first + 100000, "at": first + 1001 + first % 2,
             "twice": 2 * n, "far_out": n + 7}
    if text and text.format(**words) not in want[2]:
        return f"{kind} {place} at -O0: no `{text.format(**words)}` in {want[2]}"
    return None


def compare(programs, args, judge=lambda want: None):
    """All that is wrong with one run: of the scalar code, and of the others beside it."""
    scalar, *others = programs
    want = run([scalar, *map(str, args)])
    found = [judge(want)]
    for other in others:
        got = run([other, *map(str, args)])
        if got != want:
            found.append(f"{args}: {other.name} says {got}, scalar code {want}")
    return [problem for problem in found if problem]


def main():
    kdslc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        (Path(folder) / "checks.kdsl").write_text(program())
        programs = [build(kdslc, folder, flags) for flags in [("-O0",), *LEVELS]]
        jobs = [pool.submit(compare, programs, (kind, n, -1, 0),
                            lambda want, kind=kind: f"{kind} fails for no item: {want}" if want[0] else None)
                for kind in [*KINDS, *ALONG] for n in FINE]
        turn = 0
        for kind in [*KINDS, *ALONG]:
            for place in PLACES:    # the levels take turns
                turn += 1
                some = [programs[0], programs[1 + turn % len(LEVELS)]]
                jobs.append(pool.submit(compare, some, (kind, *place),
                                        lambda want, kind=kind, place=place: judged(kind, place, want)))
        failures = [problem for job in jobs for problem in job.result()]
    print("\n".join(failures[:40]) if failures else f"{len(KINDS) + len(ALONG)} checks at {len(PLACES)} places: all alike")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
