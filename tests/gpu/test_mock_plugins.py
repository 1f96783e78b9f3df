#!/usr/bin/env python3
"""libomptarget's plugins on the mock drivers, with kernels written by hand (kernels_*.ll): the whole log of a program,
as from PTX's cubin as from the driver's linker, and what programs are told when a driver fails.
Usage: test_mock_plugins.py KDSLC"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", "build")) / "mock"
LLVM = Path("/usr/lib/llvm-22/bin")

SAXPY = "launch 0 saxpy grid=8,1,1 block=128,1,1 shared=0+0"
TILES = "launch 0 tiles grid=3,2,1 block=64,1,1 shared=256+256"

NVIDIA = f"""\
device 0 sm_90
load 0 m1 sm_90
kernel m1 saxpy params=8,8,8,8,8 shared=0 threads=256
kernel m1 tiles params=8,8 shared=256 threads=64
global m1 scale a1 8
alloc 0 a2 4000
copy-in 0 a2 4000 s1
alloc 0 a3 4000
copy-in 0 a3 4000 s1
{SAXPY} s1 args=(~0,a2,a3,0x3f000000,0x3e8)
copy-out 0 a3 4000 s1
sync 0 s1
alloc 0 a4 4
{TILES} s1 args=(~0,a4)
copy-out 0 a4 4 s1
sync 0 s1
unload 0 m1
free 0 a2
free 0 a3
free 0 a4
"""


def hidden(x, y, items, dims):
    """What AMD's plugin puts behind a kernel's own arguments."""
    return (f"block_count_x={x:#x},block_count_y={y:#x},block_count_z=0x1,"
            f"group_size_x={items:#x},group_size_y=0x1,group_size_z=0x1,grid_dims={dims:#x}")


AMD = f"""\
device 0 gfx90a
load 0 m1 gfx90a
kernel m1 saxpy params=8:global_buffer,8:global_buffer,8:global_buffer,8:by_value,8:by_value shared=0 threads=256
kernel m1 tiles params=8:global_buffer,8:global_buffer shared=256 threads=64
global m1 scale a1 8
alloc 0 a2 4000
copy-in 0 a2 4000
alloc 0 a3 4000
copy-in 0 a3 4000
{SAXPY} q1 args=(~0,a2,a3,0x3f000000,0x3e8,{hidden(8, 1, 128, 1)})
copy-out 0 a3 4000
alloc 0 a4 4
{TILES} q1 args=(~0,a4,{hidden(3, 2, 64, 2)},dynamic_lds_size=0x100)
copy-out 0 a4 4
unload 0 m1
free 0 a2
free 0 a3
free 0 a4
"""


def tool(name):
    found = shutil.which(f"{name}-22") or shutil.which(name, path=str(LLVM))
    if not found:
        raise RuntimeError(f"no {name}-22: packages llvm-22 and lld-22")
    return found


def processor_code(kernels=("saxpy", "tiles"), sm=90):
    """A cubin as ptxas writes it, as far as a driver's loader looks: ELF sections named after the kernels."""
    names = ["", ".shstrtab", *(prefix + kernel for kernel in kernels for prefix in (".text.", ".nv.constant0."))]
    strings = "\0".join(names).encode() + b"\0"
    at = [strings.index(b"\0" + name.encode() + b"\0") + 1 if name else 0 for name in names]
    head = b"\x7fELF" + bytes([2, 1, 1, 0x41, 8]) + bytes(7)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(strings), sm << 8, 64, 0, 0, 64, len(names), 1)
    kinds = [0, 3] + [1] * (len(names) - 2)
    sections = b"".join(struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, 64, len(strings) if kind == 3 else 0, 0, 0, 1, 0)
                        for name, kind in zip(at, kinds))
    return head + strings + sections


def ran(devices=1, y=500.5):
    rows = "".join(f"saxpy {d}: 0, y[1] = 1.5, y[999] = {y}\ntiles {d}: 0, y = 2\n" for d in range(devices))
    return f"{devices} devices\n{rows}"


class PluginTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def make(self, *command):
        subprocess.run([str(word) for word in command], cwd=self.folder, check=True, capture_output=True, text=True)

    def ptx(self, sm="sm_90"):
        self.make(tool("llc"), "-O3", "-march=nvptx64", f"-mcpu={sm}", HERE / "kernels_nvptx.ll", "-o", "k.ptx")
        return self.folder / "k.ptx"

    def linked(self, sm="sm_90"):
        """A cubin as the driver's linker gives it, which needs no toolkit."""
        self.make(MOCK / "mock_link", self.ptx(sm), "k.cubin")
        return self.folder / "k.cubin"

    def assembled(self):
        if not shutil.which("ptxas"):
            self.skipTest("no ptxas on this machine")
        self.make("ptxas", "-arch=sm_90", self.ptx(), "-o", "k.cubin")
        return self.folder / "k.cubin"

    def hsaco(self, cpu="gfx90a"):
        self.make(tool("llc"), "-O3", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={cpu}", "-filetype=obj",
                  HERE / "kernels_amdgpu.ll", "-o", "k.o")
        self.make(tool("ld.lld"), "-shared", "--no-undefined", "k.o", "-o", "k.hsaco")
        return self.folder / "k.hsaco"

    def run_plugin(self, image, vendor, kernels=True, n=1000, **settings):
        """Exit code, standard output, standard error and the log."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(MOCK / vendor), "KDSL_MOCK_LOG": str(log), **settings}
        if kernels:
            env["KDSL_MOCK_KERNELS"] = str(MOCK / "kernels.so")
        done = subprocess.run([MOCK / "mock_plugin", image, str(n)], env=env, capture_output=True, text=True,
                              timeout=60)
        return done.returncode, done.stdout, done.stderr, log.read_text() if log.exists() else ""

    def assert_runs(self, image, vendor, log, **settings):
        code, out, err, said = self.run_plugin(image, vendor, **settings)
        self.assertEqual((code, out, err), (0, ran(), ""))
        without = [line for line in said.splitlines() if not line.startswith(("wait ", "alloc-", "pin ", "unpin"))]
        frees = [line for line in without if line.startswith("free ")]  # in no order
        without = without[:-len(frees)] + sorted(frees)
        self.assertEqual("\n".join(without) + "\n", log)

    def test_nvidia_from_the_drivers_linker(self):
        named = NVIDIA.replace("params=8,8,8,8,8", "params=8:u64.ptr,8:u64.ptr,8:u64.ptr,8:u64,8:u64").replace(
            "params=8,8 ", "params=8:u64.ptr,8:u64.ptr ")
        self.assert_runs(self.linked(), "nvidia", named)

    def test_nvidia_from_ptxas(self):
        self.assert_runs(self.assembled(), "nvidia", NVIDIA)

    def test_kernels_run_as_ptx(self):
        for devices in 1, 2:
            code, out, err, log = self.run_plugin(self.linked(), "nvidia", kernels=False, KDSL_MOCK_RUN="1",
                                                  KDSL_MOCK_DEVICES=str(devices))
            self.assertEqual((code, out, err), (0, ran(devices), ""), log)

    def test_processor_code_is_not_taken_for_a_run(self):
        """Nobody here can execute it: the launch fails, and does not pass for one that did nothing."""
        cubin = self.folder / "p.cubin"
        cubin.write_bytes(processor_code())
        code, out, err, log = self.run_plugin(cubin, "nvidia")
        self.assertEqual((code, err), (0, ""), log)
        code, out, err, log = self.run_plugin(cubin, "nvidia", kernels=False, KDSL_MOCK_RUN="1")
        self.assertNotEqual(code, 0, log)
        self.assertIn("mock GPU: saxpy: KDSL_MOCK_RUN, but the image is a cubin; KDSL_PTXAS= ", err)

    def test_amd(self):
        self.assert_runs(self.hsaco(), "amd", AMD)

    def test_amd_family(self):
        log = AMD.replace("device 0 gfx90a", "device 0 gfx1100").replace("m1 gfx90a", "m1 gfx11-generic")
        self.assert_runs(self.hsaco("gfx11-generic"), "amd", log, KDSL_MOCK_ARCH="gfx1100")

    def test_large_copies_and_several_devices(self):
        n = 1 << 20
        for vendor, image in (("nvidia", self.linked()), ("amd", self.hsaco())):
            code, out, err, log = self.run_plugin(image, vendor, n=n, KDSL_MOCK_DEVICES="3")
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"saxpy 2: 0, y[1] = 1.5, y[{n - 1}] = {0.5 * (n - 1) + 1:g}\n", out)
            for device in range(3):
                self.assertEqual(log.count(f"\nlaunch {device} "), 2, log)

    def test_nothing_runs_without_functions(self):
        for vendor, image in (("nvidia", self.linked()), ("amd", self.hsaco())):
            code, out, _, log = self.run_plugin(image, vendor, kernels=False)
            self.assertEqual((code, out), (0, ran(y=1).replace("1.5", "1").replace("y = 2", f"y = {POISON:g}")))
            self.assertEqual(log.count("\nlaunch "), 2)

    def test_other_processors_are_refused(self):
        for vendor, image, arch in (("nvidia", self.linked(), "sm_80"), ("amd", self.hsaco(), "gfx942")):
            code, out, _, log = self.run_plugin(image, vendor, KDSL_MOCK_ARCH=arch)
            self.assertEqual((code, out), (1, "0 devices\n"))
            self.assertNotIn("load", log)

    def test_failures_are_told(self):
        cases = [("nvidia", "alloc:1", "out of memory"), ("nvidia", "launch:1", "too many resources"),
                 ("nvidia", "trap:2", "unspecified launch failure"), ("nvidia", "load:1", "no kernel image"),
                 ("amd", "launch:1", "HSA_STATUS_ERROR_OUT_OF_RESOURCES"),
                 ("amd", "trap:1", "hardware trap instruction"),
                 ("amd", "load:1", "HSA_STATUS_ERROR_INVALID_CODE_OBJECT")]
        images = {"nvidia": self.linked(), "amd": self.hsaco()}
        for vendor, what, text in cases:
            with self.subTest(vendor=vendor, what=what):
                code, _, err, log = self.run_plugin(images[vendor], vendor, KDSL_MOCK_FAIL=what)
                self.assertNotEqual(code, 0)
                self.assertIn(text, err)
                self.assertTrue("error " in log or what.startswith("trap"), log)

    def test_no_device(self):
        for vendor, image in (("nvidia", self.linked()), ("amd", self.hsaco())):
            for settings in ({"KDSL_MOCK_DEVICES": "0"}, {"KDSL_MOCK_FAIL": "init:1"}):
                code, out, err, _ = self.run_plugin(image, vendor, **settings)
                self.assertEqual((code, out, err), (1, "0 devices\n", ""))


POISON = -26711958.0  # four bytes 0xCB as a float: what memory holds that nobody has written

if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
