#!/usr/bin/env python3
"""Every program of the suite compiles for every GPU: for NVIDIA's to PTX, for AMD's to assembly. No back end dies, no
instruction is missing, nothing is left open. ptxas has its say in test_ptxas.py."""
import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()
ARCHS = ["sm_100", "sm_90", "sm_80", "sm_75", "gfx942", "gfx90a", "gfx1100"]
ERROR = re.compile(r"//.*\berror\[E")


FOLDERS = ["examples", "bench/kernels", "tests/run", "tests/vector"]


def programs(folders=FOLDERS):
    """Those with kernels, and without a marked error."""
    for folder in folders:
        for path in sorted((ROOT / folder).glob("*.kdsl")):
            text = path.read_bytes().decode(errors="replace")
            if re.search(r"^\s*(export )?kernel ", text, re.M) and not ERROR.search(text):
                yield path, (re.search(r"// flags: (.*)", text) or [None, ""])[1].split()


def assembly(path, flags, level, archs):
    """What is printed for each arch, by its name."""
    done = subprocess.run([KDSLC, *flags, level, "--color=never", "--emit=device-asm", f"--offload-arch={','.join(archs)}", path],
                          capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return f"{path.name} {level}: exit code {done.returncode}\n{done.stderr[:2000]}"
    parts = re.split(r"^(?://|#) (\w+)\n", done.stdout, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


class Compile(unittest.TestCase):
    def check(self, level, folders, archs):

        def one(job):
            path, flags = job
            made = assembly(path, [f for f in flags if not f.startswith("--offload-arch")], level, archs)
            if isinstance(made, str):
                return made
            if list(made) != archs:
                return f"{path.name}: made for {list(made)}"
            open_names = [name for arch in archs if arch[0] == "s" for name in re.findall(r"\.extern \.func.*?(\w+)\s*[\n(]*$", made[arch], re.M)]
            open_names += [name for arch in archs if arch[0] == "g" for name in re.findall(r"(\w+)@gotpcrel32", made[arch])
                           if f"{name}:" not in made[arch]]
            return f"{path.name}: nobody has {sorted(set(open_names))}" if open_names else None

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            failed = [why for why in pool.map(one, programs(folders)) if why]
        self.assertFalse(failed, "\n".join(failed))

    def test_optimised(self):
        self.check("-O2", FOLDERS, ["sm_75", "gfx90a"])

    def test_all_devices(self):
        self.check("-O2", ["examples"], ARCHS)

    def test_plain(self):
        self.check("-O0", ["examples", "tests/vector"], ["sm_90", "gfx1100"])

    def test_is_about_something(self):
        self.assertGreater(len(list(programs())), 150)


class Names(unittest.TestCase):
    def run_kdslc(self, *args):
        return subprocess.run([KDSLC, "--color=never", *args, "examples/saxpy.kdsl"], capture_output=True, text=True, cwd=ROOT)

    def test_unknown_devices_are_refused_with_the_nearest(self):
        for given, meant in [("sm_91", "sm_90"), ("gfx90b", "gfx90"), ("hots", "host"), ("al", "all"), ("sm90", "sm_90")]:
            done = self.run_kdslc(f"--offload-arch={given}", "--emit=plan")
            self.assertEqual(done.returncode, 2, given)
            self.assertRegex(done.stderr, f"no device is called `{given}`; did you mean `{meant}", given)

    def test_what_is_no_name_at_all(self):
        done = self.run_kdslc("--offload-arch=toaster", "--emit=plan")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no device is called `toaster`", done.stderr)

    def test_each_device_once_the_special_before_the_general(self):
        done = self.run_kdslc("--offload-arch=host,gfx90a,sm_75,sm_90,sm_75", "--emit=device-asm")
        self.assertEqual(re.findall(r"^(?://|#) (\w+)$", done.stdout, re.M), ["sm_90", "sm_75", "gfx90a", "native"])


if __name__ == "__main__":
    unittest.main()
