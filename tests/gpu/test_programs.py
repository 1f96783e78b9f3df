#!/usr/bin/env python3
"""One executable on whatever the machine has: on this CPU, and against mock drivers of NVIDIA and AMD, with everything
that can go wrong there. What reaches the driver is compared with what has to: geometry, arguments, copies."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")) / "mock"

SAXPY = """
kernel saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = a * x[i] + y[i]; }
fn main() {
    let x = [1.0f32; 1000];
    var y = [2.0f32; 1000];
    offload saxpy(3.0, &x, &mut y);
    print("{} on {}", y[999], device_name(0));
}
"""
LARGE = """
kernel ends(y: &out [i32; n], room: &scratch [u8; n, 1 << 25]) over i in n {
    room[i, (1 << 25) - 1] = u8(i + 1);
    y[i] = last(&room, i) - i32(i);
}

fn last(room: &[u8; n, 1 << 25], i: index) -> i32 { return i32(room[i, (1 << 25) - 1]); }

kernel sum(y: &[i32; n], room: &scratch [u8; n, 1 << 25]) over i in n -> sum i32 {
    room[i, (1 << 25) - 1] = u8(i + 1);
    return last(&room, i) + y[i];
}

fn try_ends(n: index) {
    var y = [0; n];
    offload ends(&out y);
    var right = 0;
    for i in n { right += y[i]; }
    print("{} {}", right, offload sum(&y));
}

fn main() {
    try_ends(64);
    try_ends(63);
}
"""
SHAPES = """
import algo;
kernel plane(u: &mut [i32; n, m]) over i in n, j in m { u[i, j] = 1; }
kernel space(u: &mut [i32; n, m, k]) over i in n, j in m, l in k { u[i, j, l] = 1; }
kernel tiles(u: &mut [i32; n, m]) over i in n by 8, j in m by 16 {
    shared t: [i32; 8, 16];
    t[i.local, j.local] = 1;
    barrier;
    if inside { u[i, j] = t[i.local, j.local]; }
}
kernel total(x: &[i32; n]) over i in n -> sum i32 { return x[i]; }
fn main() {
    var u = [0; 100, 3];
    var v = [0; 5, 6, 70];
    let x = [1; 1000000];
    offload plane(&mut u);
    offload space(&mut v);
    offload tiles(&mut u);
    print("{}", offload total(&x));
}
"""
DEVICES = """
kernel twice(x: &mut [i32; n]) over i in n { x[i] *= 2; }
fn main() {
    var x = [1; 100];
    for d in devices() { offload on d twice(&mut x); }
    print("{} {}", devices(), x[0]);
}
"""
SIDE_BY_SIDE = """
kernel twice(x: &mut [i32; n]) over i in n { x[i] *= 2; }
fn main() {
    var a = [1; 100];
    var b = [1; 100];
    offload on 0 twice(&mut a);
    offload on 1 twice(&mut b);
    let start = clock();
    for round in 4 {
        offload async on 0 twice(&mut a);
        offload async on 1 twice(&mut b);
    }
    wait;
    let apart = clock() - start;
    for round in 4 {
        offload async on 0 twice(&mut a);
        offload async on 1 twice(&mut a);
    }
    wait;
    print("{} {} {} {}", a[99], b[99], apart, clock() - start - apart);
}
"""
MOVING = """
kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
fn main() {
    var large = [f32(i % 7) for i in 500000];
    var small = [1.0f32; 1000];
    for r in 4 {
        offload twice(&mut large);
        offload twice(&mut small);
        for i in 500000 { large[i] += 1.0; }
        for i in 1000 { small[i] += 1.0; }
    }
    print("{} {}", large[8], small[7]);
}
"""
CHECKED = """\
kernel count(at: &[i32; m], y: &mut [i32; n]) over i in 1 { y[at[i]] += 1; }

fn main() {
    let at = [3];
    var y = [0; 4];
    for i in i32(args()[0]) { offload count(&at, &mut y); }
    print("{}", y[3]);
}
"""
FILLED = """
kernel add(a: &mut [f64; n], b: &mut [f32; m], c: &mut [u8; k], d: &mut [f64; n], e: &mut [f32; m]) over i in n {
    a[i] += 1.0;
    d[i] += 1.0;
    b[i] += 1.0;
    c[i] += 1;
    e[i] += 1.0;
}
fn main() {
    var a = [0.0; 20000];
    var b = [1.5f32; 40000];
    var c = [7u8; 100000];
    var d = [1.0; 20000];               // 8 bytes that are not twice the same 4
    var e = [f32(i) for i in 40000];
    offload add(&mut a, &mut b, &mut c, &mut d, &mut e);
    for i in 20000 { a[i] = 3.0 - 3.0; }
    offload add(&mut a, &mut b, &mut c, &mut d, &mut e);
    print("{} {} {} {} {} {}", a[5], b[19999], b[20000], c[7], d[3], e[9]);
}
"""
TWO_ARRAYS = """
kernel twice(x: &mut [f32; n]) over i in n { x[i] *= 2.0; }
fn main() {
    var y = [f32(i) for i in 1000000];
    var x = [f32(i) for i in 1000000];
    offload twice(&mut y);
    for i in 2 { offload twice(&mut x); }
    print("{} {}", x[5], y[4]);
}
"""


class Run:
    def __init__(self, done, log):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.log = log.read_text() if log.exists() else ""

    def lines(self, word):
        return [line for line in self.log.splitlines() if line.startswith(word + " ")]


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def build(self, text, archs, ptxas=True, output="program"):
        source = Path(self.folder.name) / "program.kdsl"
        source.write_text(text)
        env = dict(os.environ) if ptxas else {**os.environ, "KDSL_PTXAS": ""}
        done = subprocess.run([KDSLC, "--color=never", f"--offload-arch={archs}", "program.kdsl", "-o", output],
                              capture_output=True, text=True, env=env, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_on(self, vendor, output="program", args=(), **settings):
        log = Path(self.folder.name) / "log"
        log.unlink(missing_ok=True)
        env = {**os.environ, "KMP_BLOCKTIME": "0", "KDSL_MOCK_LOG": str(log), **settings}
        if vendor:
            env["LD_LIBRARY_PATH"] = str(MOCK / vendor)
        done = subprocess.run([f"./{output}", *args], capture_output=True, text=True, env=env, cwd=self.folder.name)
        return Run(done, log)

    def test_arrays_of_one_value_are_not_copied(self):
        """The device fills its own memory: at once, and again after the host has filled the array anew."""
        self.build(FILLED, "sm_90,gfx90a", ptxas=False)
        for vendor in ("nvidia", "amd"):
            got = self.run_on(vendor, KDSL_MOCK_RUN="1")
            if vendor == "nvidia":
                self.assertEqual((got.code, got.out), (0, "1 3.5 1.5 9 3 11\n"), got.err)
            fills = [line.split()[-2 if vendor == "nvidia" else -1] for line in got.lines("fill")]
            self.assertEqual(sorted(fills), ["100000", "160000", "160000", "160000"], got.log)
            self.assertEqual(len([line for line in got.lines("copy-in") if "160000" in line]), 2, got.log)

    def test_launches_spin_and_pin_what_they_copy(self):
        """The thread spins while it waits, and the page with the state of the checks is pinned from the third
        launch on."""
        self.build(CHECKED, "sm_90", ptxas=False)
        for n, pins in (("2", 0), ("9", 1)):
            got = self.run_on("nvidia", args=[n], KDSL_MOCK_RUN="1")
            self.assertEqual((got.code, got.out), (0, f"{n}\n"), got.err)
            self.assertEqual(got.lines("flags"), ["flags 0 0"], got.log)
            self.assertEqual([len(got.lines(word)) for word in ("pin", "unpin")], [pins, pins], got.log)

    def test_one_program_runs_on_what_there_is(self):
        self.build(SAXPY, "sm_90,gfx90a,gfx942,host", ptxas=False)
        self.assertRegex(self.run_on(None).out, r"^5 on .*\n$")
        for vendor, settings in [("nvidia", {}), ("amd", {}), ("amd", {"KDSL_MOCK_ARCH": "gfx942"})]:
            got = self.run_on(vendor, **settings)
            self.assertEqual((got.code, got.err), (0, ""), vendor)
            self.assertEqual(len(got.lines("launch")), 1, got.log)
            self.assertRegex(got.lines("launch")[0], r"kdsl_narrow_saxpy grid=4,1,1 block=256,1,1 shared=0\+0 .*args=\(~0,a\d,a\d,"
                                                     r"0x40400000,0x3e8")
        self.assertIn("gfx942", self.run_on("amd", KDSL_MOCK_ARCH="gfx942").lines("load")[0])

    def test_devices_without_an_image_are_passed_over(self):
        self.build(SAXPY, "gfx90a,host")
        for vendor, settings in [("nvidia", {}), ("amd", {"KDSL_MOCK_ARCH": "gfx1030"})]:
            got = self.run_on(vendor, **settings)
            self.assertEqual((got.code, got.out.split()[0], got.lines("launch")), (0, "5", []))

    def test_ptx_is_assembled_by_the_driver(self):
        self.build(SAXPY, "sm_75,sm_90,host", ptxas=False)
        for arch, image in [("sm_90", "sm_90"), ("sm_80", "sm_75"), ("sm_75", "sm_75"), ("sm_120", "sm_90")]:
            got = self.run_on("nvidia", KDSL_MOCK_ARCH=arch)
            self.assertEqual(got.lines("link"), [f"link 0 ptx {image} for {arch}"], got.log + got.err)
            self.assertEqual(len(got.lines("launch")), 1, got.log + got.err)

    def test_ptx_that_no_driver_takes_is_passed_over(self):
        self.build(SAXPY, "sm_90,host", ptxas=False)
        got = self.run_on("nvidia", KDSL_MOCK_FAIL="link:1")
        self.assertEqual((got.code, got.out.split()[0]), (0, "5"))
        self.assertIn("the NVIDIA driver cannot compile this program's kernels: ", got.err)
        self.assertIn("as KDSL_MOCK_FAIL says", got.err)
        self.assertEqual(self.run_on("nvidia", KDSL_MOCK_ARCH="sm_75").lines("link"), []) # too old for it
        self.assertEqual(self.run_on("nvidia", KDSL_MOCK_FAIL="init:1").out.split()[0], "5")

    def test_geometry(self):
        self.build(SHAPES, "sm_90,host", ptxas=False)
        got = self.run_on("nvidia")
        shapes = [re.search(r"kdsl_(\w+) (grid=\S+ block=\S+) shared=(\d+)", line).groups()
                  for line in got.lines("launch")]
        self.assertEqual(shapes, [("narrow_plane", "grid=1,2,1 block=4,64,1", "0"),
                                  ("narrow_space", "grid=3,2,3 block=32,4,2", "0"),
                                  ("narrow_tiles", "grid=1,13,1 block=16,8,1", "512"),
                                  ("narrow_total", "grid=1024,1,1 block=256,1,1", "1028")])

    def test_narrow_where_it_fits(self):
        """Elements as many as an i32 counts, and more: of memory that is only reserved until somebody touches it."""
        self.build(LARGE, "sm_90,host", ptxas=False)
        for env, last in (({}, "narrow"), ({"KDSL_NARROW": "off"}, "kernel")):
            got = self.run_on("nvidia", KDSL_MOCK_RUN="1", KDSL_MOCK_MEMORY="4G", **env)
            self.assertEqual((got.code, got.out.split()), (0, ["64", "2144", "63", "2079"]), got.err)
            taken = [re.search(r"kdsl_(\w+)_", line)[1] for line in got.lines("launch")]
            self.assertEqual(taken, ["kernel", "kernel", last, last])

    def test_many_devices(self):
        self.build(DEVICES, "sm_90,host", ptxas=False)
        got = self.run_on("nvidia", KDSL_MOCK_DEVICES="2", KDSL_MOCK_ARCH="sm_90,sm_90")
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(got.out.split()[0], "6", "two GPUs, and the four that libomptarget makes of a CPU")
        self.assertEqual([line.split()[1] for line in got.lines("launch")], ["0", "1"])

    def test_ptx_is_assembled_for_each_model(self):
        self.build(DEVICES, "sm_75,sm_90,host", ptxas=False)
        for archs, links in [("sm_75,sm_90", ["link 1 ptx sm_90 for sm_90", "link 0 ptx sm_75 for sm_75"]),
                             ("sm_90,sm_80,sm_90", ["link 0 ptx sm_90 for sm_90", "link 1 ptx sm_75 for sm_80"]),
                             ("sm_120,sm_90", ["link 0 ptx sm_90 for sm_120", "link 1 ptx sm_90 for sm_90"])]:
            n = len(archs.split(","))
            got = self.run_on("nvidia", KDSL_MOCK_DEVICES=str(n), KDSL_MOCK_ARCH=archs)
            self.assertEqual((got.code, got.out.split()[0]), (0, str(n + 4)), archs + got.err)
            self.assertEqual(got.lines("link"), links)
            self.assertEqual(sorted(line.split()[1] for line in got.lines("launch")), [str(d) for d in range(n)])

    def test_any_nvidia_gpu(self):
        """`nvidia`, which is what `auto` means, stays PTX where there is an assembler: a cubin is for one generation."""
        self.build(SAXPY, "nvidia,host")
        for arch in "sm_75", "sm_90", "sm_120":
            got = self.run_on("nvidia", KDSL_MOCK_ARCH=arch)
            self.assertEqual((got.code, got.lines("link")), (0, [f"link 0 ptx sm_75 for {arch}"]), got.err)
            self.assertEqual(len(got.lines("launch")), 1)

    def test_launches_on_two_devices_overlap(self):
        """And have the context of their device, though nothing is copied in their threads."""
        self.build(SIDE_BY_SIDE, "sm_90,gfx90a,host", ptxas=False)
        for vendor in "nvidia", "amd":
            got = self.run_on(vendor, KDSL_MOCK_DEVICES="2", KDSL_MOCK_KERNEL_MS="100", KDSL_MOCK_RUN="1")
            self.assertEqual((got.code, got.err), (0, ""), vendor)
            a, b, apart, together = (float(word) for word in got.out.split())
            if vendor == "nvidia":  # there the mock computes
                self.assertEqual((a, b), (2 ** 13, 2 ** 5))
            self.assertGreater(apart, 0.4)
            self.assertGreater(together, 0.8, "the second launch uses what the first one writes")
            self.assertLess(apart, 0.75 * together, "two devices need half the time of one")

    def test_pinned_memory(self):
        self.build(MOVING, "sm_90,host", ptxas=False)
        got = self.run_on("nvidia", KDSL_MOCK_RUN="1")
        self.assertEqual((got.code, got.out, got.err), (0, "31 31\n", ""))
        moves = [line.split() for line in got.log.splitlines() if line.startswith(("copy", "pin", "unpin"))
                 and "4000 " not in line]
        self.assertEqual([move[0] for move in moves], ["copy-in", "copy-out", "pin"] + 3 * ["copy-in",
                                                                                            "copy-out"] + ["unpin"])
        self.assertEqual(got.lines("pin"), ["pin 0 2000000"])
        got = self.run_on("nvidia", KDSL_MOCK_RUN="1", KDSL_MOCK_FAIL="pin:1")
        self.assertEqual((got.code, got.out, got.err, got.lines("unpin")), (0, "31 31\n", "", []))
        got = self.run_on(None)
        self.assertEqual((got.code, got.out), (0, "31 31\n"))

    def test_the_report_says_where(self):
        self.build(DEVICES, "sm_90,gfx90a,host", ptxas=False)
        for vendor, name in [("nvidia", "Testcard"), ("amd", r"AMD GPU GPU-\w+")]:
            got = self.run_on(vendor, KDSL_REPORT="1", KDSL_MOCK_DEVICES="2", KDSL_MOCK_NAME="Testcard")
            rows = [line for line in got.err.splitlines() if line.startswith("twice ")]
            for device in range(2):
                self.assertRegex(got.err, rf"(?m)^twice \(program.kdsl:5\) +1 .* 1 x, 400 B .*  {device}: {name}$")
            self.assertEqual(len(rows), 6, "two GPUs, and four devices on the CPU")

    def test_what_a_device_cannot_do_is_said_with_the_line(self):
        self.build(SAXPY, "sm_90,gfx90a,host", ptxas=False)
        for vendor in "nvidia", "amd":
            for failure, what in [("trap:1", "the launch of `saxpy` failed on device 0"),
                                  ("launch:1", "the launch of `saxpy` failed on device 0"),
                                  ("load:1", "`y`, 4000 bytes, could not be copied to device 0 for the launch of `saxpy`"),
                                  ("alloc:1", "`y`, 4000 bytes, could not be copied to device 0 for the launch of `saxpy`"),
                                  ("copy:1", "`y`, 4000 bytes, could not be copied to device 0 for the launch of `saxpy`")]:
                got = self.run_on(vendor, KDSL_MOCK_FAIL=failure)
                self.assertEqual((got.code, got.out), (-signal.SIGABRT, ""), failure)
                self.assertIn(f"error: {what}\n --> program.kdsl:6:5\n      = note: see the message above\n", got.err,
                              vendor + failure)

    def test_what_cannot_move_is_named(self):
        self.build(TWO_ARRAYS, "sm_90,gfx90a,host", ptxas=False)
        cannot = "4000000 bytes (4 MB), could not be copied to device 0 for the launch of `twice`\n --> program.kdsl:"
        for vendor in "nvidia", "amd":
            for settings, text in [({"KDSL_MOCK_MEMORY": "1M"}, f"error: `y`, {cannot}6:"),
                                   ({"KDSL_MOCK_MEMORY": "5M"}, f"error: `x`, {cannot}7:"),
                                   ({"KDSL_MOCK_FAIL": "copy:2"}, f"error: `x`, {cannot}7:"),
                                   ({"KDSL_MOCK_FAIL": "copy:3"}, "error: `x`, 4 bytes, could not be copied from device 0 after the "
                                                                  "launch of `twice`\n --> program.kdsl:7:")]:
                got = self.run_on(vendor, **settings)
                self.assertEqual((got.code, got.out), (-signal.SIGABRT, ""))
                self.assertIn(text, got.err, vendor)

    def test_a_device_that_is_not_there(self):
        self.build("kernel k(x: &mut [i32; n]) over i in n { x[i] = 1; }\n"
                   "fn main() { var x = [0; 4]; offload on 9 k(&mut x); }", "sm_90,gfx90a,host", ptxas=False)
        for vendor, n in ("nvidia", 5), ("amd", 5), (None, 4):
            got = self.run_on(vendor)
            self.assertEqual((got.code, got.err), (3, f"error: there is no device 9; `devices()` is {n}\n"
                                                       " --> program.kdsl:2:40\n"
                                                       "    2 | fn main() { var x = [0; 4]; offload on 9 k(&mut x); }\n"
                                                       "      |                                        ^\n"))

    def test_required_gpus(self):
        self.build(SAXPY, "sm_90,host", ptxas=False)
        self.assertEqual(self.run_on("nvidia", KDSL_REQUIRE="gpu").code, 0)
        got = self.run_on(None, KDSL_REQUIRE="gpu")
        self.assertEqual((got.code, got.out), (3, ""))
        self.assertIn("error: KDSL_REQUIRE=gpu, but this machine has no GPU (no libcuda.so, no libhsa-runtime64.so)\n"
                      " --> program.kdsl:6:5\n", got.err)
        for vendor, arch, gpu in ("nvidia", "sm_80", "the GPU of this machine, Mock GPU (sm_80)"), ("amd", "gfx942",
                                                                                         "an AMD GPU of this machine"):
            got = self.run_on(vendor, KDSL_REQUIRE="gpu", KDSL_MOCK_ARCH=arch)
            self.assertEqual((got.code, got.out), (3, ""))
            self.assertIn(f"error: KDSL_REQUIRE=gpu, but this program has no image for {gpu}\n --> program.kdsl:6:5\n", got.err)
        got = self.run_on("nvidia", KDSL_REQUIRE="gpu", OMP_DEFAULT_DEVICE="1")
        self.assertEqual(got.code, 3)
        self.assertIn("device 1, a CPU; device 0 is a GPU", got.err)

    def test_names_of_devices(self):
        self.build(SAXPY, "sm_90,gfx90a,host", ptxas=False)
        self.assertRegex(self.run_on("nvidia", KDSL_MOCK_NAME="Testcard 9000").out, r"on Testcard 9000\n$")
        self.assertRegex(self.run_on("amd").out, r"on AMD GPU GPU-\w+\n$")

    def test_an_assembler_that_refuses(self):
        (Path(self.folder.name) / "program.kdsl").write_text(SAXPY)
        refuse = Path(self.folder.name) / "ptxas"
        refuse.write_text("#!/bin/sh\necho 'sm_90 is unheard of'; exit 1\n")
        refuse.chmod(0o755)
        done = subprocess.run([KDSLC, "--color=never", "--offload-arch=sm_90,host", "program.kdsl"],
                              capture_output=True, text=True,
                              env={**os.environ, "KDSL_PTXAS": str(refuse)}, cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for text in ("E1026", "ptxas cannot assemble the kernels for sm_90", "sm_90 is unheard of"):
            self.assertIn(text, done.stderr)
        self.assertFalse((Path(self.folder.name) / "program").exists())

    def test_images_are_listed_by_llvm(self):
        self.build(SAXPY, "sm_90,gfx90a,host", ptxas=False)
        done = subprocess.run(["/usr/lib/llvm-22/bin/llvm-objdump", "--offloading", f"{self.folder.name}/program"],
                              capture_output=True, text=True)
        found = re.findall(r"kind +(\w+)\narch +(\S+)\ntriple +(\S+)", done.stdout)
        self.assertEqual(found, [("ptx", "sm_90", "nvptx64-nvidia-cuda"), ("elf", "gfx90a", "amdgcn-amd-amdhsa"),
                                 ("elf", "x86-64", "x86_64-unknown-linux-gnu")])


if __name__ == "__main__":
    unittest.main()
