"""Machine code of AMD's GPUs, as llvm-objdump prints it, and registers, as the metadata of a code object says."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import hotpath

PRODUCT = "v_(pk_)?(fma|fmac|mul)_f32"

LINE = re.compile(r"\s+([a-z]\w+(?: .*?)?)\s*// ([0-9A-F]{12}):.*?(?:<.*?(?:\+0x([0-9a-f]+))?>)?$")
BRANCH = re.compile(r"s_c?branch\w* ")
NOT_COUNTED = re.compile(r"s_(nop|code_end|waitcnt\w*|delay_alu)\b")  # they wait for others, and are not executed


class Kernel(hotpath.Kernel):
    """An `if` that some threads of a wavefront enter is a mask of threads, and a branch around it if there are none."""
    REPORT = re.compile(r"_atomic_cmpswap")
    ENDS = re.compile(r"s_(c?branch\w*|endpgm|setpc_b64)\b")

    def __init__(self, lines):
        self.targets, code = {}, {}
        for line in lines:
            if match := LINE.match(line):
                at = int(match[2], 16)
                text = code[at] = f"{match[1]} @{at:x}"
                if BRANCH.match(text):
                    self.targets[text] = int(match[3] or "0", 16)
        begin = min(code)
        self.targets = {text: begin + offset for text, offset in self.targets.items()}
        super().__init__(self.without_padding(code))

    @staticmethod
    def without_padding(code):
        ends = max(at for at, text in code.items() if re.match("s_(endpgm|branch|setpc)", text))
        return {at: text for at, text in code.items() if at <= ends}

    def target(self, text):
        return self.targets.get(text)

    def falls_through(self, text):
        return text.startswith("s_cbranch")

    def marked(self, body, marker):
        """A packed instruction counts twice."""
        lines = [line for block in body for line in self.blocks[block] if re.search(marker, line)]
        return sum(2 if line.startswith("v_pk_") else 1 for line in lines)

    def count(self, block):
        return sum(not NOT_COUNTED.match(line) for line in self.blocks[block])


def tool(name):
    """A tool of LLVM 22; a variable like CLANG or LLVM_MC names another."""
    variable = name.upper().replace("-", "_").replace("+", "")
    found = shutil.which(os.environ.get(variable, f"{name}-22")) or shutil.which(f"/usr/lib/llvm-22/bin/{name}")
    if not found:
        raise SystemExit(f"no {name}-22: it comes with LLVM; {variable} names it")
    return found


def hip_options(arch):
    """For clang++: device code of HIP, with libclc in place of AMD's libraries."""
    library = next((path for path in (Path(f"/usr/lib/clc/{model}-amdgcn--.bc") for model in (arch, "gfx90a"))
                    if path.exists()), None)
    if not library:
        raise SystemExit("no libclc for AMD: Debian's package is libclc-22")
    return ["-x", "hip", "--cuda-device-only", f"--offload-arch={arch}", "-nogpuinc", "-nogpulib", "-O3", "-w",
            "-mllvm", "-amdgpu-function-calls=0", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", library]


def kernels(code_object):
    """name -> (vector registers, Kernel)"""
    def printed(*command):
        return subprocess.run([*command, code_object], capture_output=True, text=True, check=True).stdout

    registers = {}
    for part in re.split(r"\n *- (?=\.a(?:gpr_count|rgs):)", printed(tool("llvm-readelf"), "--notes"))[1:]:
        name = re.search(r"\.symbol: +(\S+)\.kd", part)[1]
        registers[name] = int(re.search(r"\.vgpr_count: +(\d+)", part)[1])
    functions = re.findall(r"^[0-9a-f]+ <([\w$.]+)>:\n(.*?)(?=^[0-9a-f]+ <|\Z)", printed(tool("llvm-objdump"), "-d"),
                           re.S | re.M)
    return {name: (registers[name], Kernel(body.splitlines())) for name, body in functions if name in registers}
