#!/usr/bin/env python3
"""Every program of the suite compiles for every GPU of AMD's: no back end dies, no instruction is missing, nothing is
left open. NVIDIA's are test_ptxas.py's. And the names that devices are called by."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from programs import ROOT, failures, programs  # noqa: E402

KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()
ARCHS = ["gfx90a", "gfx1100"]
SIBLINGS = ["gfx942"]  # nearly the same code as for gfx90a: for the programs whose code differs most


def open_names(path, made):
    """Functions that are called and that nobody has."""
    names = {name for text in made.values() for name in re.findall(r"(\w+)@gotpcrel32", text) if f"{name}:" not in text}
    return f"{path.name}: nobody has {sorted(names)}" if names else None


class Compile(unittest.TestCase):
    def test_optimised(self):
        failed = failures(KDSLC, "-O2", ARCHS, open_names)
        self.assertFalse(failed, "\n".join(failed))

    def test_siblings(self):
        failed = failures(KDSLC, "-O2", SIBLINGS, open_names, ["examples", "tests/vector"])
        self.assertFalse(failed, "\n".join(failed))

    def test_plain(self):
        failed = failures(KDSLC, "-O0", ["gfx1100"], open_names, ["examples", "tests/vector"])
        self.assertFalse(failed, "\n".join(failed))

    def test_is_about_something(self):
        self.assertGreater(len(list(programs())), 250)


class InverseRoots(unittest.TestCase):
    """rsqrt is one instruction, and 1 / sqrt(x) is rounded twice."""
    SOURCE = """kernel k(x: &[TYPE; n], y: &out [TYPE; n]) over i in n { y[i] = TEXT; }
    fn main() { let x = [TYPE(i) for i in 9]; var y = [TYPE(0); 9]; offload k(&x, &out y); print("{}", y[1]); }
    """
    INSTRUCTIONS = {"sm_90": r"\brsqrt\.approx\.f32\b", "gfx90a": r"\bv_rsq_f32", "gfx1100": r"\bv_rsq_f32"}

    def count(self, pattern, arch, text, scalar="f32"):
        with tempfile.NamedTemporaryFile("w", suffix=".kdsl") as file:
            file.write(self.SOURCE.replace("TYPE", scalar).replace("TEXT", text))
            file.flush()
            made = subprocess.run([KDSLC, "--emit=device-asm", f"--offload-arch={arch}", file.name, "-o", "-"],
                                  capture_output=True, text=True, check=True).stdout
        return len(re.findall(pattern, made))

    def test_rsqrt(self):
        for arch, instruction in self.INSTRUCTIONS.items():
            for scalar in ["f32", "f16"]:
                n_versions = self.count(instruction, arch, "rsqrt(x[i])", scalar)
                self.assertEqual(n_versions, 2, (arch, scalar))
            self.assertEqual(self.count(r"\bv_sqrt_f32|\bsqrt\.rn\.f32", arch, "rsqrt(x[i])"), 0, arch)

    def test_quotients_stay(self):
        self.assertEqual(self.count(self.INSTRUCTIONS["sm_90"], "sm_90", "1.0f32 / sqrt(x[i])"), 0)
        self.assertEqual(self.count(r"\bsqrt\.rn\.f32", "sm_90", "1.0f32 / sqrt(x[i])"), 2)
        self.assertEqual(self.count(r"\bv_div_fixup_f32", "gfx90a", "1.0f32 / sqrt(x[i])"), 2)


class Alike(unittest.TestCase):
    """GPUs for which LLVM optimises alike share the optimised module (irgen/target.c, `alike`)."""
    PROGRAMS = ["examples/knn.kdsl", "examples/nbody.kdsl", "examples/scan.kdsl", "bench/strangers/fdtd.kdsl"]

    def text_for(self, program, arch):
        done = subprocess.run([KDSLC, "--emit=device-llvm", f"--offload-arch={arch}", program, "-o", "-"],
                              capture_output=True, text=True, cwd=ROOT, check=True)
        return done.stdout

    def test_their_modules_are_the_same(self):
        for alike in [["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"], ["gfx90a", "gfx942"]]:
            for program in self.PROGRAMS:
                first = self.text_for(program, alike[0])
                for arch in alike[1:]:
                    self.assertEqual(self.text_for(program, arch), first, f"{program}, {arch}")

    def test_their_code_is_what_each_gets_alone(self):
        def objects(archs, out):
            subprocess.run([KDSLC, "-c", f"--offload-arch={archs}", "examples/knn.kdsl", "-o", out], cwd=ROOT, check=True)
            return Path(out).read_bytes()

        with tempfile.TemporaryDirectory() as folder:
            both = objects("gfx90a,gfx942", f"{folder}/both.o")
            for arch in ["gfx90a", "gfx942"]:
                alone = objects(arch, f"{folder}/alone.o")
                at = alone.index(b"\x7fELF", 4)  # the image
                self.assertIn(alone[at:at + 4096], both, arch)


class Names(unittest.TestCase):
    def run_kdslc(self, *args):
        return subprocess.run([KDSLC, "--color=never", *args, "examples/saxpy.kdsl"], capture_output=True, text=True,
                              cwd=ROOT)

    def test_unknown_devices_are_refused_with_the_nearest(self):
        for given, meant in [("sm_91", "sm_90"), ("gfx90b", "gfx90"), ("hots", "host"), ("al", "all"),
                             ("sm90", "sm_90")]:
            done = self.run_kdslc(f"--offload-arch={given}", "--emit=plan")
            self.assertEqual(done.returncode, 2, given)
            self.assertRegex(done.stderr, f"unknown device `{given}`; did you mean `{meant}", given)

    def test_what_is_no_name_at_all(self):
        done = self.run_kdslc("--offload-arch=toaster", "--emit=plan")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown device `toaster`", done.stderr)

    def test_each_device_once_the_special_before_the_general(self):
        done = self.run_kdslc("--offload-arch=host,gfx90a,sm_75,sm_90,sm_75", "--emit=device-asm")
        self.assertEqual(re.findall(r"^(?://|#) (\w+)$", done.stdout, re.M), ["sm_90", "sm_75", "gfx90a", "native"])


if __name__ == "__main__":
    unittest.main()
