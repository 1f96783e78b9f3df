#!/usr/bin/env python3
"""The mock driver runs PTX as the host runs the same C (ptx/sample.c), at every level of the optimiser and for old and
new processors; and it says where a kernel goes wrong. Its random orders find what is right in one order only, and a
barrier that lanes of a warp reach apart is an error in every order. Usage: test_mock_ptx.py KDSLC"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOCK = Path(os.environ.get("KDSL_BUILD_DIR", "build")).resolve() / "mock"
CLANG = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
LAUNCH_FAILED = 719 & 255


class PtxTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ptx(self, level, cpu):
        out = self.folder / f"sample{level}.ptx"
        target = ("--target=nvptx64-nvidia-cuda", f"-march={cpu}", "-nogpulib", "-ffp-contract=off")
        subprocess.run([CLANG, level, *target, "-S", HERE / "ptx/sample.c", "-o", out], check=True, capture_output=True)
        return out

    def run_sample(self, *words, seed=0):
        env = {"KDSL_MOCK_RUN": "1", "KDSL_MOCK_ARCH": "sm_90", "KDSL_MOCK_SEED": str(seed)}
        return subprocess.run([MOCK / "run_sample", *map(str, words)], env=env, capture_output=True, text=True)

    def test_the_same_as_on_the_host(self):
        for level, cpu in (("-O0", "sm_75"), ("-O1", "sm_75"), ("-O2", "sm_90"), ("-O3", "sm_80")):
            with self.subTest(level=level, cpu=cpu):
                done = self.run_sample(self.ptx(level, cpu))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_the_same_in_random_orders(self):
        for level, cpu in (("-O0", "sm_75"), ("-O2", "sm_90")):
            ptx = self.ptx(level, cpu)
            for seed in 1, 2, 3:
                with self.subTest(level=level, seed=seed):
                    done = self.run_sample(ptx, seed=seed)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def words(self, ptx, kernel, blocks, threads, seed):
        done = self.run_sample(ptx, kernel, blocks, threads, seed=seed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_what_is_right_in_one_order_only(self):
        ptx = self.ptx("-O2", "sm_90")
        plain = {"lock_step": "1 0 3 2 5 4 ", "block_order": "2 3 4 5 6 7 ", "unwritten": "cbcbcbcb cbcbcbcb "}
        for kernel, begin in plain.items():
            with self.subTest(kernel=kernel):
                blocks, threads = (64, 32) if kernel == "block_order" else (1, 64)
                got = [self.words(ptx, kernel, blocks, threads, seed) for seed in (0, 1, 2, 3, 4, 5, 1)]
                self.assertEqual(got[0][:len(begin)], begin)
                self.assertGreater(len(set(got)), 3, "orders that differ")
                self.assertEqual(got[1], got[6], "the same seed, the same order")

    def test_barriers_that_lanes_reach_apart(self):
        for level in "-O0", "-O2":
            ptx = self.ptx(level, "sm_90")
            for kernel in "lengths", "times", "nested":
                for seed in 0, 1, 2:
                    done = self.run_sample(ptx, kernel, 1, 64, seed=seed)
                    self.assertEqual(done.returncode, LAUNCH_FAILED, done.stderr)
                    self.assertIn(f"{kernel}: a barrier that lanes of a warp do not reach together: ", done.stderr)

    def test_loops_of_lanes_in_a_loop_of_the_group(self):
        for level in "-O0", "-O2":
            ptx = self.ptx(level, "sm_90")
            got = {self.words(ptx, "inner", 2, 64, seed) for seed in (0, 1, 2)}
            self.assertEqual(len(got), 1, got)

    def test_a_kernel_that_goes_wrong(self):
        ptx = self.ptx("-O2", "sm_90")
        for kernel, text in (("beyond", "an illegal address: st"), ("stops", "a trap: ")):
            done = self.run_sample(ptx, kernel)
            self.assertEqual(done.returncode, LAUNCH_FAILED, done.stderr)
            self.assertIn(f"mock GPU: {kernel}: {text}", done.stderr)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
