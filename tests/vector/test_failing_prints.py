#!/usr/bin/env python3
"""What a launch whose check fails leaves behind, as the reference promises (section 17): the reported item did all that
stands before its check and nothing behind it; every other item did a first part of its statements, all, some or none;
lines are sorted by items. Scalar code, vector code of every width that the machine runs, one thread and several, the
host's version, and the mock GPU.
Usage: test_failing_prints.py KDSLC

Each kernel has a model in Python: the lines of an item that stand before its check, and those behind."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402
from run import widths  # noqa: E402

BUILD = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")).resolve()
PLACES = [  # n, the first item that fails, every how many-th behind it does, too (0: none)
    (1, 0, 0), (3, 2, 0), (8, 7, 0), (17, 16, 0), (33, 31, 1), (40, 3, 1), (64, 15, 3), (65, 64, 0), (100, 37, 2),
    (100, 0, 1),
    (1000, 777, 5)]
if parts.PART == "quick":
    PLACES = PLACES[::3]

# Of item i, whose v is 5 where it goes well: statements, then the lines before the check and behind it.
KERNELS = {
    "once": ('if i % 4 == 1 { print("v is {}", v); } y[i] = 1; y[i] = x[(if v == 5 { i } else { n })];',
             lambda i, v: ([f"v is {v}"] if i % 4 == 1 else [], [])),
    "around": ('print("before {}", v); y[i] = 1; y[i] = 100 / (v - (if v == 5 { 4 } else { v })); print("behind");',
               lambda i, v: ([f"before {v}"], ["behind"])),
    "rounds": ('for k in 0..i % 4 { print("round {}", k); } y[i] = 1;\n'
               '    for k in 0..3 { if k == 2 { assert v == 5; } else { print("more {}", k); } } print("end");',
               lambda i, v: ([f"round {k}" for k in range(i % 4)] + ["more 0", "more 1"], ["end"])),
    "parted": ('if i % 3 == 0 { print("third"); y[i] = 1; if v != 5 { y[i] = x[n + i]; } print("all right"); }\n'
               '    else { print("other"); y[i] = 1; y[i] = x[(if v == 5 { i } else { -1 })]; }',
               lambda i, v: (["third"], ["all right"]) if i % 3 == 0 else (["other"], [])),
    "called": ('y[i] = 1; y[i] = checked(v, i);', lambda i, v: ([f"called with {v}"], ["handed back"])),
}
GROUP = ('if inside { print("first {}", v); y[i] = 1; }\n    barrier;\n'
         '    if inside { print("second {}", s[11 - i.local]); }\n    assert v == 5;\n    barrier;\n'
         '    if inside { print("third {}", v); }', lambda i, v: ([f"first {v}", f"second {11 - i % 12}"],
                                                                  [f"third {v}"]))


def program():
    head = ('fn checked(v: i32, i: index) -> i32 {\n    print("called with {}", v);\n    assert v == 5;\n'
            '    print("handed back");\n    return v;\n}\n')
    kernels = [f"kernel {name}(x: &[i32; n], vs: &[i32; n], y: &mut [i32; n]) over i in n {{\n"
               f"    let v = vs[i];\n    {body}\n}}\n" for name, (body, _) in KERNELS.items()]
    kernels.append("kernel grouped(x: &[i32; n], vs: &[i32; n], y: &mut [i32; n]) over i in n by 12 {\n"
                   "    shared s: [i32; 12];\n    s[i.local] = i32(i.local);\n"
                   f"    let v = if inside {{ vs[i] }} else {{ 5 }};\n    {GROUP[0]}\n}}\n")
    names = [*KERNELS, "grouped"]
    launches = "".join(f'    if a[0] == "{name}" {{ offload {name}(&x, &vs, &mut y); }}\n' for name in names)
    return f"""{head}{''.join(kernels)}
fn main() {{
    let a = args();
    let n = index(i64(a[1]));
    let first = i64(a[2]);
    let every = i64(a[3]);
    let x = [i32(i) * 3 for i in n];
    var vs = [5; n];
    vs[first] = 6 + i32(first % 2);
    if every > 0 {{ for i in first..n step every {{ vs[i] = 6 + i32(i % 2); }} }}
    var y = [0; n];
{launches}}}
"""


def failing(place):
    n, first, every = place
    return {first, *(range(first, n, every) if every else [])}


def model(name, place):
    """Of each item its lines before the check and behind it."""
    of = GROUP[1] if name == "grouped" else KERNELS[name][1]
    fails = failing(place)
    return [of(i, 6 + i % 2 if i in fails else 5) for i in range(place[0])]


def wrong(name, place, code, out, err):
    """None, or what the reference does not allow."""
    told = re.search(r"\n      = note: work item i = (\d+) of kernel `\w+`\n$", err)
    if code != 3 or not told:
        return f"ended with {code}, no item is named: {err}"
    item, fails = int(told[1]), failing(place)
    if item not in fails:
        return f"item {item} is reported, which does not fail"
    lines = [re.fullmatch(r"\[i = (\d+)\] (.*)", line) for line in out.splitlines()]
    if None in lines:
        return f"a line of no item: {out}"
    items = [int(line[1]) for line in lines]
    if items != sorted(items):
        return f"lines are not sorted by items: {out}"
    for i, (before, behind) in enumerate(model(name, place)):
        mine = [line[2] for line in lines if int(line[1]) == i]
        may = before if i in fails else before + behind
        if mine != may[:len(mine)] or (i == item and mine != before):
            return f"item {i}{' (reported)' if i == item else ''} printed {mine}, its statements are {before} | {behind}"
    return None


def run(command, **env):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "KMP_BLOCKTIME": "0", **env})
    return done.returncode, done.stdout, done.stderr


def build(kdslc, source, target, *flags):
    code, _, err = run([kdslc, *flags, "--color=never", source, "-o", target], KDSL_PTXAS="")  # the mock takes PTX
    if code:
        sys.exit(f"kdslc {' '.join(flags)} ended with {code}:\n{err}")
    return target


def machines(kdslc, folder, source):
    """(program, environment) of each way to run it."""
    serial, threads = {"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "3"}
    scalar = build(kdslc, source, folder / "O0", "-O0")
    found = parts.first([(scalar, serial), (scalar, threads), (scalar, {"OMP_TARGET_OFFLOAD": "disabled"})])
    for flags in parts.first([("-O2",), ("-O3",), *(("-O2", width) for width in widths()[:-1])]):
        program = build(kdslc, source, folder / "".join(flags), *flags)
        found += [(program, serial), (program, threads)]
    if not parts.wanted(True):
        return found
    gpu = build(kdslc, source, folder / "gpu", "-O2", "--offload-arch=sm_90,host")
    found.append((gpu, {"LD_LIBRARY_PATH": str(BUILD / "mock/nvidia"), "KDSL_MOCK_RUN": "1", "KDSL_PTXAS": "",
                        "KDSL_MOCK_LOG": str(folder / "log")}))
    return found


def main():
    kdslc, failures, n_runs = os.path.abspath(sys.argv[1]), [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "prints.kdsl"
        source.write_text(program())
        ways = machines(kdslc, folder, source)
        for turn, place in enumerate(PLACES):
            for number, kernel in enumerate([*KERNELS, "grouped"]):
                for way in range(turn + number, turn + number + 3):     # the machines take turns
                    target, env = ways[way % len(ways)]
                    n_runs += 1
                    found = wrong(kernel, place, *run([target, kernel, *place], **env))
                    failures += [f"{kernel} {place}, {target.name} {env}: {found}"] if found else []
        log = folder / "log"
        if parts.wanted(True) and (not log.exists() or "launch " not in log.read_text()):
            failures.append("nothing ran on the mock GPU")
    print("\n".join(failures[:20]) if failures else f"{n_runs} runs on {len(ways)} machines: as the reference promises")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
