#!/usr/bin/env python3
"""A session on the mock driver of NVIDIA, which runs PTX: arrays stay on the GPU across inputs, images come and go, a
failed check comes back as on the CPU, and a device can be chosen. Usage: test_gpu.py KDSLC"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KDSLC = sys.argv[1]
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", "build")).resolve() / "mock/nvidia"
INPUTS = """\
:devices
:list
kernel times(f: f32, v: &mut [f32; n]) over i in n { v[i] = f * v[i]; }
var b = [1.0f32; 1000];
offload times(2.0, &mut b);
offload times(3.0, &mut b);
b[3]
kernel times(f: f32, v: &mut [f32; n]) over i in n { v[i] = f * v[i] + 1.0; }
offload times(2.0, &mut b);
b[3]
kernel shift(k: i32, v: &mut [f32; n]) over i in n { v[i + k] = 1.0; }
offload shift(1000, &mut b);
kernel total(x: &[f32; n]) over i in n -> sum f32 { return x[i]; }
offload total(&b)
:launches
kernel parts(x: &[f32; n], odd: index) over i in n by 64 -> sum f32 {
    shared s: [f32; 64];
    s[i.local] = x.at(i);
    barrier;
    if i.local == 0 { return s[63 + if i.group == 3 { odd } else { 0 }]; }
    return 0.0;
}
offload parts(&b, 1)
offload parts(&b, 0)
kernel cell(m: &mut [f32; r, c], k: i32) over i in 1 { m[i, k] = 1.0; }
var m = [1.0f32; 2, 3];
offload cell(&mut m, -5);
kernel row(m: &mut [f32; r, c], k: i32) over i in 1 { m[i + k, 0] = 1.0; }
offload row(&mut m, 5);
:device 1
offload times(2.0, &mut b);
b[3]
:launches
"""
WANTED = """\
* 0  Mock GPU
  1  CPU
nothing is declared yet
6 : f32
13 : f32
13000 : f32
{told}195 : f32
all further launches use device 1: CPU
27 : f32
{told}parts on Mock GPU (device 0): 1000 items in 16 blocks of 64, TIME, 12 bytes back
host code: 128 bytes back
parts on Mock GPU (device 0): 1000 items in 16 blocks of 64, TIME, 12 bytes back
cell on Mock GPU (device 0): 1 item in 1 block of 1, TIME, 24 bytes to the device, 8 bytes back
host code: 128 bytes back
row on Mock GPU (device 0): 1 item in 1 block of 1, TIME, 8 bytes back
host code: 128 bytes back
times on x86-64 (device 1): 1000 items, TIME, 3.9 KiB to the device (in place here)
host code: 4 bytes back (in place here)
"""
TOLD = """\
times on Mock GPU (device 0): 1000 items in 4 blocks of 256, TIME, 3.9 KiB to the device
times on Mock GPU (device 0): 1000 items in 4 blocks of 256, TIME, nothing copied
host code: 4 bytes back
times on Mock GPU (device 0): 1000 items in 4 blocks of 256, TIME, nothing copied
host code: 4 bytes back
shift on Mock GPU (device 0): 1000 items in 4 blocks of 256, TIME, 128 bytes to the device, 8 bytes back
host code: 128 bytes back
total on Mock GPU (device 0): 1000 items in 4 blocks of 256, TIME, 4 bytes back
"""

with tempfile.TemporaryDirectory() as folder:
    log = Path(folder) / "log"
    env = {**os.environ, "LD_LIBRARY_PATH": str(MOCK), "KDSL_MOCK_LOG": str(log), "KDSL_MOCK_RUN": "1",
           "KDSL_PTXAS": ""}
    done = subprocess.run([KDSLC, "repl", "--offload-arch=sm_90,host"], input=INPUTS, env=env, capture_output=True,
                          text=True,
                          timeout=120)
    moved = [line.split()[:4] for line in log.read_text().splitlines() if re.match(r"copy-(in|out) 0 a\d+ 4000 ", line)]
    loaded = re.findall(r"^load 0 m\d+ sm_90$", log.read_text(), re.M)

out = re.sub(r"(?m)^  [2-9]  .*\n", "", done.stdout)
out = re.sub(r"(?m)(^  1  |use device 1: ).*$", r"\1CPU", out)
out = re.sub(r"[\d.]+ (ns|µs|ms|s),", "TIME,", out)
assert out == WANTED.format(told=TOLD), f"{out}\n{done.stderr}"
assert "out of bounds for `v`, which has 1000 elements" in done.stderr and "work item i = " in done.stderr, done.stderr
# What an earlier failure has left in the record, as the number of a dimension, is not part of a later one.
assert "index -5 is out of bounds for dimension 1 of `m`" in done.stderr, done.stderr
assert "index 5 is out of bounds for dimension 0 of `m`" in done.stderr, done.stderr
assert done.returncode == 1, done.returncode  # inputs have failed
assert [m[0] for m in moved] == ["copy-in", "copy-out"], moved  # to the GPU once; back where another device is chosen
assert len(loaded) == 8, loaded
