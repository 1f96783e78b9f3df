#!/usr/bin/env python3
"""-g in code for GPUs: lines of the source in PTX, which ptxas takes with optimisation, and in AMD's objects."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1)).resolve()
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
PROGRAMS = [f"bench/kernels/{name}.kdsl" for name in ("matmul_tiled", "scan", "reduce", "spmv")]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def device_asm(path, arch, *flags):
    done = run(KDSLC, "-g", *flags, "--emit=device-asm", f"--offload-arch={arch}", path)
    assert not done.returncode, done.stderr
    return done.stdout


def lines_of_kernels(path):
    """Numbers of the lines in the kernels of a file that write an element"""
    found, inside = set(), False
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        inside = line.startswith("kernel ") or (inside and line != "}")
        if inside and re.match(r" +\w+\[.*\] \+?= .*;$", line):
            found.add(number)
    return found


class Lines(unittest.TestCase):
    def test_every_element_has_its_line(self):
        for path in PROGRAMS:
            want = lines_of_kernels(path)
            for arch in ("sm_90", "gfx90a"):
                for level in ("-O0", "-O2"):
                    text = device_asm(path, arch, level)
                    number = re.search(r'\.file\s+(\d+) .*"[^"]*' + re.escape(Path(path).name) + '"', text)[1]
                    got = {int(m[1]) for m in re.finditer(rf"\t\.loc\t{number} (\d+)", text)}
                    self.assertLessEqual(want, got, f"{path} {arch} {level}")

    def test_without_it_there_are_none(self):
        for arch in ("sm_90", "gfx90a"):
            done = run(KDSLC, "--emit=device-asm", f"--offload-arch={arch}", PROGRAMS[0])
            self.assertNotIn("\t.loc\t", done.stdout)

    def test_nothing_but_lines_for_nvidia(self):
        """The words for a debugger would keep ptxas from optimising."""
        text = device_asm(PROGRAMS[0], "sm_90")
        self.assertIn(".target sm_90\n", text)
        self.assertNotIn(".debug_info", text)

    def test_programs_are_made(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(KDSLC, "-g", "--offload-arch=sm_75,sm_90,gfx90a,gfx1100,host", PROGRAMS[0], "-o", f"{folder}/p")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(b".debug_line", Path(f"{folder}/p").read_bytes())

    @unittest.skipUnless(PTXAS, "no ptxas here: nothing is assembled")
    def test_ptxas_keeps_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in PROGRAMS:
                ptx, cubin = Path(folder) / "k.ptx", Path(folder) / "k.cubin"
                ptx.write_text(device_asm(path, "sm_90", "-O3"))
                done = run(PTXAS, "-O3", "-lineinfo", "-arch=sm_90", ptx, "-o", cubin)
                self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), path)
                self.assertIn(os.fsencode(Path(path).name), cubin.read_bytes())


if __name__ == "__main__":
    unittest.main()
