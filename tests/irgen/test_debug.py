#!/usr/bin/env python3
"""gdb stops at lines of host and kernel code of a program compiled with -g -O0, and shows its
variables and arrays, without a warning."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """\
kernel scale(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n {
    let product = a * x[i];
    y[i] += product;
}

struct Body { mass: f64, at: f32x2, fixed: bool }

fn twice(v: i32) -> i32 {
    let doubled = 2 * v;
    return doubled;
}

fn middle(m: &[f32; n, k], c: &mut [u8; _, _, _], v: &[f64; _]) -> f32 {
    c[1, 1, 0] = 7;
    return m[n / 2, k / 2];
}

fn main() {
    let m = [f32(10 * i + j) for i in 3, j in 4];
    var c = [u8(0); 2, 2, 1];
    let empty = [0.0; 0];
    let large = [i32(i) for i in 100_000];
    let bodies = [Body(mass: f64(i), at: f32x2(0.0, 1.0), fixed: i == 1) for i in 2];
    let x = [f32(i) + 1.0 for i in 4];
    var y = [0.5f32; 4];
    let body = Body(mass: 2.5, at: f32x2(1.0, -1.0), fixed: true);
    offload scale(2.0, &x, &mut y);
    print("{} {} {} {}", middle(&m, &mut c, &empty), large[7], bodies[1].mass, c[1, 1, 0]);
    print("{} {} {}", y[3], twice(21), body.fixed);
}
"""

COMMANDS = """\
set pagination off
set breakpoint pending on
set confirm off
break debug.kdsl:3
break debug.kdsl:10
break middle
run
print a
print i
print product
print n
print x[1]
print x
ptype x
backtrace 1
delete 1
continue
print m[2][3]
print m
print m[1]
print/d c
ptype v
next
print/d c[1][1][0]
up
print large[99999]
print large[5]@3
print bodies[1].mass
print bodies
info locals
continue
print doubled
print v
up
print sizeof(y) / sizeof(y[0])
print y[3]
print y
print body
continue
quit
"""

EXPECTED = ["scale (", "$1 = 2", "$2 = 0", "$3 = 2", "$4 = 4", "$5 = 2", "$6 = {1, 2, 3, 4}", "type = f32 [4]",
            "#0  scale (a=2, x=..., y=...) at debug.kdsl:3",
            "$7 = 23", "$8 = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}", "$9 = {10, 11, 12, 13}",
            "$10 = {{{0}, {0}}, {{0}, {0}}}", "type = f64 [0]", "$11 = 7", "$12 = 99999", "$13 = {5, 6, 7}", "$14 = 1",
            "$15 = {{mass = 0, at = {0, 1}, fixed = false}, {mass = 1, at = {0, 1}, fixed = true}}",
            "y = {2.5, 4.5, 6.5, 8.5}",
            "$16 = 42", "$17 = 21", "$18 = 4", "$19 = 8.5", "$20 = {2.5, 4.5, 6.5, 8.5}",
            "$21 = {mass = 2.5, at = {1, -1}, fixed = true}", "8.5 42 true"]


def main():
    kdslc = Path(sys.argv[1]).resolve()
    gdb = os.environ.get("KDSL_GDB") or "gdb"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "debug.kdsl").write_text(PROGRAM)
        Path(folder, "commands").write_text(COMMANDS)
        subprocess.run([kdslc, "-O0", "-g", "debug.kdsl", "-o", "debug"], cwd=folder, check=True)
        try:
            done = subprocess.run([gdb, "-nx", "-batch", "-x", "commands", "./debug"], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except FileNotFoundError:
            sys.exit("gdb is not installed")
    for text in EXPECTED:
        if text not in done.stdout:
            sys.exit(f"no `{text}` in what gdb said:\n{done.stdout}")
    if "warning" in done.stdout or "BFD" in done.stdout:
        sys.exit(f"gdb warns:\n{done.stdout}")


if __name__ == "__main__":
    main()
