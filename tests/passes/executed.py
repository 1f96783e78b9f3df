#!/usr/bin/env python3
"""Run the loops of tests/passes/vectorize-*.ll: tests/passes/executed.py --kdslc build/bin/kdslc [--trials N] FILE.ll...

Each function @f is executed as it stands and vectorised for every x86-64 level that this machine has, with the same random
memory and lengths; what memory holds afterwards, also beside the arrays, is compared. Where a check fails, both fail. Needs
llc (KDSL_LLC, default llc-22) and cc. By hand: about a second a file."""
import argparse
import ctypes
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import widths  # noqa: E402

ELEMENTS = 4096
BESIDE = 64  # bytes before and after an array
LENGTHS = (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 127, 200)
PASSES = ("vectorize", "fold-masks", "lower-masks")
STUBS = """#include <stdint.h>
static int64_t failed = -1;
int64_t take_failed(void) { int64_t i = failed; failed = -1; return i; }
void report(int64_t i) { failed = i; }
float outside(float v) { return v * 3 + 1; }
int32_t kdsl_exceeds_cache(int64_t n) { return n > 100; }
int32_t add(int32_t *p, int32_t v) __asm__("kdsl.update.add.i32");
int32_t add(int32_t *p, int32_t v) { int32_t old = *p; *p += v; return old; }
void ahead(void *p, int32_t whose) __asm__("kdsl.ahead");
void ahead(void *p, int32_t whose) { (void)p; (void)whose; }
void extent(void *p, int64_t n) __asm__("kdsl.extent");
void extent(void *p, int64_t n) { (void)p; (void)n; }
"""


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"$ {' '.join(map(str, command))}\n{done.stderr[:2000]}")
    return done.stdout


def library(folder, name, text, march):
    base = Path(folder) / name
    base.with_suffix(".ll").write_text(text)
    base.with_suffix(".c").write_text(STUBS)
    call(os.environ.get("KDSL_LLC", "llc-22"), "-O1", "-relocation-model=pic", "-filetype=obj", f"-mcpu={march}",
         base.with_suffix(".ll"), "-o", base.with_suffix(".o"))
    call("cc", "-shared", "-fPIC", base.with_suffix(".c"), base.with_suffix(".o"), "-o", base.with_suffix(".so"))
    return ctypes.CDLL(str(base.with_suffix(".so")))


def vectorised(kdslc, folder, text, march):
    source = Path(folder) / "pass.ll"
    for name in PASSES:
        source.write_text(text)
        text = call(kdslc, f"--run-pass={name}", f"--march={march}", source)
    return text


def contents(rng, name, text):
    """Of an array: places where it holds such, else numbers of the first type that the loop loads."""
    if name == "%at":
        wide = "load i64" in text
        return struct.pack(f"{ELEMENTS}{'q' if wide else 'i'}", *rng.sample(range(ELEMENTS), ELEMENTS))
    loaded = re.search(r"load (?:atomic |volatile )?(\w+)", text)
    kind = {"double": "d", "i32": "i", "i8": "b"}.get(loaded[1] if loaded else "float", "f")
    some = {"d": [1.5, -2.25, 1e9], "i": [0, 0, 1, -1, 7, 2**31 - 1], "b": [0, 1, -1, 127],
            "f": [0.5, 3e9, -3e9, 2147483648.0, 1e38, float("nan")]}[kind]
    values = [rng.choice(some) if rng.random() < 0.3 else rng.randrange(-100, 100) for _ in range(ELEMENTS)]
    return struct.pack(f"{ELEMENTS}{kind}", *values).ljust(8 * ELEMENTS, b"\0")


def execute(lib, params, arrays, numbers):
    memory, arguments = [], []
    for kind, name in params:
        if kind == "ptr":
            memory.append(ctypes.create_string_buffer(bytes(BESIDE) + arrays[name] + bytes(BESIDE)))
            arguments.append(ctypes.c_void_p(ctypes.addressof(memory[-1]) + BESIDE))
        else:
            c_type = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "i1": ctypes.c_bool, "float": ctypes.c_float}[kind]
            arguments.append(c_type(numbers[name]))
    lib.f(*arguments)
    failed = lib.take_failed() >= 0
    return failed, [] if failed else [m.raw for m in memory]


def check(kdslc, path, trials):
    text = path.read_text()
    signature = re.search(r"^define void @f\((.*?)\)", text, re.M)[1]
    params = [(p.split()[0], p.split()[-1]) for p in signature.split(",")]
    rng = random.Random(1)
    levels = [flag.partition("=")[2] for flag in widths()]
    with tempfile.TemporaryDirectory() as folder:
        scalar = library(folder, "scalar", text, "x86-64-v2")
        vector = [library(folder, m, vectorised(kdslc, folder, text, m), m) for m in levels]
        for _ in range(trials):
            n, rows = rng.choice(LENGTHS), rng.choice((1, 3, 9))
            numbers = {"%n": n, "%m": rows, "%a": 3.0, "%b": 7.0, "%v": 2.5, "%c": rng.randrange(2), "%bytes": 1000,
                       "%gap": rng.choice((1, 2, 16, 64, 256))}
            arrays = {name: contents(rng, name, text) for kind, name in params if kind == "ptr"}
            want = execute(scalar, params, arrays, numbers)
            for march, lib in zip(levels, vector):
                if execute(lib, params, arrays, numbers) != want:
                    print(f"{path.name}: memory differs for {march} with {numbers}")
                    return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kdslc", required=True, type=Path)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    wrong = sum(not check(options.kdslc, path, options.trials) for path in options.files)
    print(f"{len(options.files)} loops, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
