#!/usr/bin/env python3
"""kdslc doctor: what it finds, and what it says of what is missing."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", ROOT / "build")) / "mock"
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()


def doctor(*args, **env):
    return subprocess.run([KDSLC, "doctor", *args], capture_output=True, text=True,
                          env={**os.environ, "KMP_BLOCKTIME": "0", **env})


class Doctor(unittest.TestCase):
    def test_a_kernel_runs_on_each_device(self):
        done = doctor()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"libomptarget +/.*libomptarget\.so\.22\.1\n")
        self.assertRegex(done.stdout, r"C start files +/.*/Scrt1\.o\n")
        self.assertRegex(done.stdout, r"devices 0 to 3 +.+: works, [\d.]+ ms for the first launch\n"
                                     r" +\(one processor: libomptarget's plugin for processors always has 4 devices, ")

    def test_without_devices(self):
        done = doctor(OMP_TARGET_OFFLOAD="disabled")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("none; kernels run on the host", done.stdout)

    def test_what_is_missing_has_a_package(self):
        with tempfile.TemporaryDirectory() as empty:
            done = doctor(KDSL_SYSROOT=empty, KDSL_PTXAS="")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("libomptarget.so.22.1 not found: install liboffload-22", done.stdout)
        self.assertIn("Scrt1.o not found: install libc6-dev", done.stdout)
        self.assertRegex(done.stdout, r"ptxas +not found \(package nvidia-cuda-toolkit\)")
        self.assertIn("Debian package libc6", done.stdout)

    def on(self, vendor, **env):
        """With a driver, whose GPUs may only do what the PTX says."""
        return doctor(LD_LIBRARY_PATH=str(MOCK / vendor) if isinstance(vendor, str) else str(vendor),
                      KDSL_MOCK_RUN="1", **env)

    def test_drivers_of_gpus(self):
        done = self.on("nvidia", KDSL_MOCK_DEVICES="2", KDSL_MOCK_ARCH="sm_90,sm_80")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"NVIDIA driver +libcuda\.so: Mock GPU \(sm_90\), Mock GPU \(sm_80\)\n")
        for d in range(2):
            self.assertRegex(done.stdout, rf"device {d} +Mock GPU: works, [\d.]+ ms for the first launch\n")
        self.assertRegex(done.stdout, r"devices 2 to 5 +.+: works")
        done = self.on("amd", KDSL_MOCK_ARCH="gfx942")  # there the mock does not compute
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"AMD driver +libhsa-runtime64\.so: AMD GPU \(gfx942\)\n")
        self.assertRegex(done.stdout, r"device 0 +AMD GPU \S+: wrong results\n")

    def test_a_gpu_on_which_kernels_fail(self):
        done = self.on("nvidia", KDSL_MOCK_FAIL="trap:1")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"device 0 +\S.*unspecified launch failure\n")
        self.assertIn("the launch of `roots` failed on device 0", done.stdout)
        self.assertRegex(done.stdout, r"devices 1 to 4 +.+: works")

    def test_drivers_that_do_not_work(self):
        done = self.on("nvidia", KDSL_MOCK_FAIL="init:1+")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"NVIDIA driver +libcuda\.so: it finds no GPU\n")
        done = self.on("amd", KDSL_MOCK_FAIL="init:1+")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"AMD driver +libhsa-runtime64\.so does not work: hsa_init: HSA_STATUS_ERROR: .*\n")
        with tempfile.TemporaryDirectory() as folder:
            names = "cuGetErrorString cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute"
            others = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names.split())
            for text, says in [("int cuInit(unsigned f) { __builtin_trap(); }\n" + others, "it crashes with signal 4"),
                               ("int cuInit(unsigned f) { return 999; }\n" + others,
                                "cuInit: no reason given (error 999)"),
                               ("int cuInit(unsigned f) { return 0; }\n", "it does not define cuGetErrorString")]:
                (Path(folder) / "libcuda.c").write_text(text)
                subprocess.run(["cc", "-shared", "-fPIC", "-o", "libcuda.so", "libcuda.c"], cwd=folder, check=True)
                done = self.on(Path(folder))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(f"libcuda.so does not work: {says}", done.stdout)
                self.assertRegex(done.stdout, r"devices 0 to 3 +.+: works")

    def test_a_driver_without_its_plain_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for vendor, name in ("nvidia", "libcuda.so"), ("amd", "libhsa-runtime64.so"):
                (Path(folder) / f"{name}.1").symlink_to(MOCK / vendor / name)
            done = self.on(Path(folder))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("libcuda.so.1 is installed, but libcuda.so is missing: create a link in a folder of LD_LIBRARY_PATH\n", done.stdout)
        self.assertIn("libhsa-runtime64.so.1 is installed, but libhsa-runtime64.so is missing: install libhsa-runtime-dev, or create a link",
                      done.stdout)

    def test_it_takes_no_file(self):
        self.assertEqual(doctor("examples/saxpy.kdsl").returncode, 2)


if __name__ == "__main__":
    unittest.main()
