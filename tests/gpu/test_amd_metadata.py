#!/usr/bin/env python3
"""What an AMD code object says of a kernel, beside what clang says of the same one written in C: the driver reads this,
and a mistake in it shows on a real GPU only."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/kdslc").resolve()
LLVM = Path("/usr/lib/llvm-22/bin")

KDSL = """
kernel saxpy(a: f32, x: &[f32; n], y: &mut [f32; n]) over i in n { y[i] = a * x[i] + y[i]; }
kernel tile(x: &[f32; n], y: &mut [f32; n]) over i in n by 64 {
    shared s: [f32; 64];
    s[i.local] = x.at(i);
    barrier;
    if inside { y[i] = s[63 - i.local]; }
}
fn main() {
    let x = [1.0f32; 128];
    var y = [1.0f32; 128];
    offload saxpy(2.0, &x, &mut y);
    offload tile(&x, &mut y);
}
"""
C = """
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected")))
typedef unsigned long slot;
typedef __attribute__((address_space(1))) float *array;
typedef __attribute__((address_space(1))) void *pointer;
unsigned size(void) { return ((__attribute__((address_space(4))) unsigned short *)__builtin_amdgcn_implicitarg_ptr())[6]; }
KERNEL __attribute__((amdgpu_flat_work_group_size(1, 256))) void kdsl_kernel_saxpy(pointer e, const array x, array y, slot a, slot n) {
    slot i = __builtin_amdgcn_workgroup_id_x() * (slot)size() + __builtin_amdgcn_workitem_id_x();
    if (i < n) y[i] = a * x[i] + y[i];
}
KERNEL __attribute__((amdgpu_flat_work_group_size(64, 64))) void kdsl_kernel_tile(pointer e, const array x, array y, slot n) {
    static __attribute__((address_space(3), loader_uninitialized)) float s[64];
    unsigned l = __builtin_amdgcn_workitem_id_x();
    slot i = __builtin_amdgcn_workgroup_id_x() * 64ul + l;
    s[l] = i < n ? x[i] : 0;
    __builtin_amdgcn_s_barrier();
    if (i < n) y[i] = s[63 - l];
}
"""


def run(*command, **how):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT, **how)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


def kernels(path):
    """name: fields, from the note of a code object."""
    text = run(LLVM / "llvm-readobj", "--notes", path)
    yaml = text[text.index("---"):text.index("...")]
    found = {}
    for part in re.split(r"^  - (?=\.)", yaml, flags=re.M)[1:]:
        name = re.search(r"\.name:\s+(kdsl_\w+)", part)
        if not name:
            continue
        fields = dict(re.findall(r"^    (\.\w+):\s+(\S+)$", part, re.M))
        args = [dict(re.findall(r"(\.\w+):\s+(\S+)", a)) for a in re.split(r"^      - ", part, flags=re.M)[1:]]
        found[name[1]] = fields, [a for a in args if ".offset" in a]
    return found


class Metadata(unittest.TestCase):
    def test_kernels_are_described_as_clang_describes_them(self):
        for arch in ("gfx90a", "gfx942", "gfx1100"):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "k.kdsl").write_text(KDSL)
                (Path(folder) / "k.c").write_text(C)
                run(KDSLC, f"--offload-arch={arch},host", f"{folder}/k.kdsl", "-o", f"{folder}/k")
                run(LLVM / "llvm-objdump", "--offloading", f"{folder}/k")
                ours = self.image(folder, arch)
                run(LLVM / "clang", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-O2", "-nogpulib",
                    "-mcode-object-version=5",
                    f"{folder}/k.c", "-o", f"{folder}/c.so")
                theirs = kernels(f"{folder}/c.so")
                self.assertEqual(sorted(ours), [f"kdsl_{v}_{k}" for v in ("kernel", "narrow")
                                                for k in ("saxpy", "tile")])
                for name, (fields, args) in ours.items(): # in both versions the same is asked of the driver
                    twin = name.replace("narrow", "kernel")
                    fields[".symbol"] = fields[".symbol"].replace(name, twin)
                    self.same(arch, name, fields, args, *theirs[twin])

    def image(self, folder, arch):
        """The code object is in the program, between two magic numbers of ELF files."""
        program = (Path(folder) / "k").read_bytes()
        for at in (m.start() for m in re.finditer(rb"\x7fELF\x02\x01\x01\x40", program)):
            (Path(folder) / "image").write_bytes(program[at:])
            return kernels(Path(folder) / "image")
        self.fail(f"no image for {arch}")

    def same(self, arch, name, fields, args, clang_fields, clang_args):
        where = f"{name} for {arch}"
        for key in (".kernarg_segment_align", ".max_flat_workgroup_size", ".wavefront_size",
                    ".group_segment_fixed_size",
                    ".private_segment_fixed_size", ".symbol", ".uniform_work_group_size"):
            if key in clang_fields or key in fields:
                want = "1" if key == ".uniform_work_group_size" else clang_fields.get(key)
                self.assertEqual(fields.get(key), want, f"{where}: {key}")
        given = [a for a in args if not a[".value_kind"].startswith("hidden")]
        wanted = [a for a in clang_args if not a[".value_kind"].startswith("hidden")]
        for ours, theirs in zip(given, wanted, strict=True):
            for key in (".offset", ".size", ".value_kind", ".address_space"):
                self.assertEqual(ours.get(key), theirs.get(key), f"{where}: {ours} {theirs}")
        hidden = {a[".value_kind"]: a[".offset"] for a in clang_args if a[".value_kind"].startswith("hidden")}
        for a in args:
            if a[".value_kind"] in hidden:
                self.assertEqual(a[".offset"], hidden[a[".value_kind"]], f"{where}: {a}")


if __name__ == "__main__":
    unittest.main()
