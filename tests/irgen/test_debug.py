#!/usr/bin/env python3
"""gdb stops at lines of host and kernel code of a program compiled with -g -O0, and shows its variables."""
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

fn main() {
    let x = [f32(i) + 1.0 for i in 4];
    var y = [0.5f32; 4];
    let body = Body(mass: 2.5, at: f32x2(1.0, -1.0), fixed: true);
    offload scale(2.0, &x, &mut y);
    print("{} {} {}", y[3], twice(21), body.fixed);
}
"""

COMMANDS = """\
set pagination off
set breakpoint pending on
set confirm off
break debug.kdsl:3
break debug.kdsl:10
run
print a
print i
print product
print n
print x.data[1]
backtrace 1
delete 1
continue
print doubled
print v
up
print y.extent_0
print y.data[3]
print body
continue
quit
"""

EXPECTED = ["scale (", "$1 = 2", "$2 = 0", "$3 = 2", "$4 = 4", "$5 = 2", "debug.kdsl:3",
            "$6 = 42", "$7 = 21", "$8 = 4", "$9 = 8.5",
            "$10 = {mass = 2.5, at = {1, -1}, fixed = true}", "8.5 42 true"]


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


if __name__ == "__main__":
    main()
