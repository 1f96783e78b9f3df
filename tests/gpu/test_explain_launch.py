#!/usr/bin/env python3
"""What --explain=launch says of registers and of how many blocks a device holds at once: of NVIDIA's by ptxas, beside
what the CUDA documentation gives for such a kernel; of AMD's by the metadata of the code object. The other lines are
compared as text: tests/sema/launch.kdsl."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
HELD = re.compile(r"^  (?P<arch>\w+) +(?P<uses>.*)\n +occupancy: (?P<most>at most )?(?P<blocks>\d+) blocks? per [a-z ]+, "
                  r"(?P<threads>\d+) of (?P<all>\d+) threads \((?P<percent>\d+) %\), limited by (?P<limit>.*)$", re.M)


def explain(path, *flags, **env):
    done = subprocess.run([KDSLC, "--explain=launch", *flags, path], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, **env})
    assert not done.returncode, done.stderr
    return done.stdout


def held(text):
    """(kernel, arch) -> what is said of it"""
    found = {}
    for part in re.split(r"^(?=kernel )", text, flags=re.M)[1:]:
        name = re.match(r"kernel (\w+)", part)[1]
        found |= {(name, m["arch"]): m for m in HELD.finditer(part)}
    return found


class Launch(unittest.TestCase):
    def test_without_ptxas(self):
        said = held(explain("bench/kernels/matmul_tiled.kdsl", KDSL_PTXAS=""))["matmul", "sm_90"]
        self.assertEqual(said["uses"], "registers unknown: ptxas is not installed")
        self.assertEqual((said["most"], said["blocks"]), ("at most ", "8"))

    def test_shared_memory_limits(self):
        """32 KiB a block, 1 KiB of the system's besides from 8.0 on; of 64, 164, 100, 100, 228 and 228 KiB."""
        want = {"sm_75": 2, "sm_80": 4, "sm_86": 3, "sm_89": 3, "sm_90": 6, "sm_100": 6, "gfx90a": 2, "gfx942": 2,
                "gfx1100": 4}
        path = Path(os.environ.get("TMPDIR", "/tmp")) / f"launch-{os.getpid()}.kdsl"
        path.write_text("kernel k(x: &out [f32; n]) over i in n by 256 {\n    shared s: [f32; 8192];\n"
                        "    s[i.local] = 1.0;\n    barrier;\n    if inside { x[i] = s[255 - i.local]; }\n}\n")
        try:
            said = held(explain(path, f"--offload-arch={','.join(want)}"))
        finally:
            path.unlink()
        self.assertEqual({arch: int(m["blocks"]) for (_, arch), m in said.items()}, want)
        self.assertEqual({m["limit"] for m in said.values()}, {"shared memory"})

    def test_amd_by_its_metadata(self):
        """Of 512 registers of a SIMD's lane by eights, and at most 8 wavefronts of 64; gfx1100: 1536 by 24, 16 of 32."""
        for arch, lanes, registers, unit, most in (("gfx90a", 64, 512, 8, 8), ("gfx942", 64, 512, 8, 8),
                                                   ("gfx1100", 32, 1536, 24, 16)):
            for name in ("stencil3d", "nbody", "matmul_tiled", "blackscholes"):
                path = f"bench/kernels/{name}.kdsl"
                text = subprocess.run([KDSLC, "--emit=device-asm", f"--offload-arch={arch}", path], capture_output=True,
                                      text=True, cwd=ROOT, check=True).stdout
                counts = {}
                for part in text.partition("amdhsa.kernels:")[2].partition("amdhsa.target:")[0].split("\n  - ")[1:]:
                    number = dict(re.findall(r"^    \.(\w+_count): +(\d+)$", part, re.M))
                    counts |= {m[1]: number for m in re.finditer(r"\.symbol: +kdsl_narrow_(\w+)\.kd", part)}
                said = held(explain(path, f"--offload-arch={arch}"))
                self.assertEqual({kernel for kernel, _ in said}, set(counts))
                for (kernel, _), m in said.items():
                    n = counts[kernel]
                    uses = f"{n['vgpr_count']} vector and {n['sgpr_count']} scalar registers, no spills"
                    self.assertEqual(m["uses"], uses)
                    waves = min(most, registers // (-(-int(n["vgpr_count"]) // unit) * unit))
                    self.assertEqual(int(m["blocks"]), waves * 4 * lanes // 256, kernel)

    @unittest.skipUnless(PTXAS, "no ptxas here: what it says of registers is not compared")
    def test_registers_of_nvidia(self):
        """Of the version for small launches, which nearly all launches take."""
        for name, arch in (("stencil3d", "sm_90"), ("saxpy", "sm_75"), ("scan", "sm_80")):
            path = f"bench/kernels/{name}.kdsl"
            ptx = subprocess.run([KDSLC, "--emit=device-asm", f"--offload-arch={arch}", path], capture_output=True,
                                 text=True, cwd=ROOT, check=True).stdout
            told = subprocess.run([PTXAS, "-v", "-O3", f"--gpu-name={arch}", "-", "-o", "/dev/null"], input=ptx,
                                  capture_output=True, text=True)
            used = dict(re.findall(r"function 'kdsl_narrow_(\w+)'(?s:.*?)Used (\d+) registers", told.stderr))
            self.assertTrue(used, told.stderr)
            said = held(explain(path, f"--offload-arch={arch}"))
            self.assertEqual({kernel: m["uses"] for (kernel, _), m in said.items()},
                             {kernel: f"{n} registers, no spills" for kernel, n in used.items()})
            for (kernel, _), m in said.items():  # 64 K registers, given to warps by 256
                of_warp = -(-int(used[kernel]) * 32 // 256) * 256
                fits = (65536 // 4 // of_warp) * 4 // 8
                self.assertLessEqual(int(m["blocks"]), fits)
                if m["limit"] == "registers":
                    self.assertEqual(int(m["blocks"]), fits)

    def test_the_command(self):
        path = "bench/kernels/saxpy.kdsl"
        done = subprocess.run([KDSLC, "explain", "launch", path], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual((done.returncode, done.stdout), (0, explain(path)))
        self.assertEqual(explain(path, "-O0", KDSL_PTXAS=""), explain(path, "-O3", KDSL_PTXAS=""))


if __name__ == "__main__":
    unittest.main()
