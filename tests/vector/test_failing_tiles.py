#!/usr/bin/env python3
"""A check that fails in a block of several rows names an item that failed, with that item's values, wherever in the
block the item is: tests/vector/test_failing_checks.py does it for blocks of one row.
Usage: test_failing_tiles.py KDSLC

One program; its arguments say which kernel is launched, over how many rows and columns, and which item fails. The plans
of the compiler have few rows where checks are kept, so others are forced."""
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_failing_checks import LEVELS, build, parts, run  # noqa: E402

# What a kernel does with item i, j, for which v is 5 where all is well: with it, `far` is an index that is outside.
KERNELS = {
    "told": 'assert v == 5, "{} {} has {}", i, j, v; y[i, j] = v + x[i, j];',
    "read": "y[i, j] = x[i, j] + x[i, if v == 5 { j } else { far }];",
    "below": "y[i, j] = x[if v == 5 { i } else { far }, j] * v;",
    "looped": "var s = 0; for k in 0..40 { s = s * 3 + x[i, (j + k) % w] + v; } "
              "y[i, j] = s + x[i, if v == 5 { j } else { far }];",
    "parting": "var k = 0; var z = x[i, j]; while k < 50 && z < 900 { assert v == 5 || k < 3, \"{} {} {}\", i, j, z; "
               "z += z / 3 + 1; k += 1; } y[i, j] = k;",
    "product": "var s = 0; for k in w { s += x[i, k] * x[k % m, j]; } "
               "y[i, j] = s + x[i, if v == 5 { j } else { far }];",
    "steps": "var s = 0; for k in m { assert v == 5 || k + 1 < m, \"{} {} at {}\", s, v, k; "
             "s += x[k, j] * i32(i + 2); } y[i, j] = s;",
    "common": "var s = 0; for k in 0..20 { s = s * 5 + x[0, (j + k) % w] / 3; } "
              "assert v == 5, \"{}\", s + i32(i); y[i, j] = s + i32(i);",
    "divided": "y[i, j] = 100 / (v - 4 - (if v == 5 { 0 } else { v - 4 }));",
}
PLACES = [(1, 1, 0, 0), (2, 64, 1, 0), (2, 64, 1, 63), (3, 33, 2, 32), (4, 128, 3, 17), (5, 70, 1, 31), (5, 70, 4, 69),
          (8, 96, 7, 40), (9, 200, 6, 150), (16, 65, 13, 64)]
PLACES = parts.chosen(PLACES, {(2, 64, 1, 0), (5, 70, 4, 69), (9, 200, 6, 150)}.__contains__)
IN_ROWS = 3  # at least: those whose loops gain by it
PLACES = [(1, 1, 0, 0), (2, 64, 1, 0), (2, 64, 1, 63), (3, 33, 2, 32), (4, 128, 3, 17), (5, 70, 1, 31), (5, 70, 4, 69),
          (8, 96, 7, 40), (9, 200, 6, 150), (16, 65, 13, 64)]
PLACES = parts.chosen(PLACES, {(2, 64, 1, 0), (5, 70, 4, 69), (9, 200, 6, 150)}.__contains__)


def program():
    head = "(x: &[i32; m, w], vs: &[i32; m, w], y: &out [i32; m, w], far: index) over i in m, j in w"
    kernels = "".join(f"kernel {name}{head} {{\n    let v = vs[i, j];\n    {body}\n}}\n"
                      for name, body in KERNELS.items())
    launches = "".join(f'    if a[0] == "{name}" {{ offload {name}(&x, &vs, &out y, far); }}\n' for name in KERNELS)
    return f"""{kernels}
fn main() {{
    let a = args();
    let m = index(i64(a[1]));
    let w = index(i64(a[2]));
    let x = [i32(i * 7 + j * 3) % 50 for i in m, j in w];
    var vs = [5; m, w];
    for k in 0..(len(a) - 3) / 2 {{ vs[index(i64(a[3 + 2 * k])), index(i64(a[4 + 2 * k]))] = 6 + i32(k % 2); }}
    var y = [0; m, w];
    let far = 1000000;
{launches}    var sum = 0;
    for i in m {{ for j in w {{ sum = sum * 31 + y[i, j]; }} }}
    print("{{}}", sum);
}}
"""


SHAPES = parts.first([(2, 1), (2, 2), (3, 1), (4, 2), (3, 3)], 2)  # rows, vectors


def forced(kdslc, folder, rows, vectors):
    """The compiler with a plan in which every nest has this shape, and how many nests there are."""
    told = run([kdslc, "-O2", "--explain=vector", Path(folder) / "checks.kdsl"])[1]
    plan = Path(folder) / f"plan{rows}{vectors}"
    plan.write_text(re.sub(r"vectors=\d+ rows=\d+", f"vectors={vectors} rows={rows}", told))
    flags = ("-O2", f"--nest-plan={plan}")
    told = run([kdslc, *flags, "--explain=vector", Path(folder) / "checks.kdsl"])[1]
    return flags, len(re.findall(rf" of {rows} rows", told))


def one(programs, name, place):
    """One item fails: every program says what scalar code says; none: so, too."""
    m, w, i, j = place
    found = []
    for args in ([name, m, w], [name, m, w, i, j]):
        want = run([programs[0], *map(str, args)])
        if want[0] != (3 if len(args) > 3 else 0):
            found.append(f"{args}: scalar code says {want}")
        if want[0] == 3 and f"i = {i}, j = {j} of kernel" not in want[2]:
            found.append(f"{args}: not the item: {want[2]}")
        for other in programs[1:]:
            got = run([other, *map(str, args)])
            if got != want:
                found.append(f"{args}: {other.name} says {got}, scalar code {want}")
    return found


def several(programs, name, place):
    """Several fail: every program says of one of them what scalar code says of it where it is the only one."""
    m, w, i, j = place
    items = sorted({(i, j), (i // 2, w - 1), (m - 1, j // 3), (0, w // 2)})
    alone = {run([programs[0], name, str(m), str(w), str(a), str(b)])[2] for a, b in items}
    found = []
    for other in programs[1:]:
        at = [str(x) for item in items for x in item]
        code, _, said = run([other, name, str(m), str(w), *at])
        same = said in alone or re.sub(r"\b7\b", "6", said) in {re.sub(r"\b7\b", "6", text) for text in alone}
        if code != 3 or not same:
            found.append(f"{name} {place}: {other.name} says {said}, not one of {alone}")
    return found


def main():
    kdslc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        source = Path(folder) / "checks.kdsl"
        source.write_text(program())
        plans = [forced(kdslc, folder, *shape) for shape in SHAPES]
        in_rows = min(n for _, n in plans)
        programs = [build(kdslc, folder, flags) for flags in [("-O0",), *LEVELS]]
        for k, (flags, _) in enumerate(plans):
            programs.append(build(kdslc, folder, flags, f"plan{k}"))
        jobs = [pool.submit(judge, programs, name, place)
                for judge in (one, several) for name in KERNELS for place in PLACES]
        failures = [problem for job in jobs for problem in job.result()]
    if in_rows < IN_ROWS:
        failures.append(f"only {in_rows} of {len(KERNELS)} kernels have blocks of several rows")
    print("\n".join(failures[:40]) if failures else
          f"{len(KERNELS)} kernels, {len(SHAPES)} forced shapes, at {len(PLACES)} places: all alike")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
