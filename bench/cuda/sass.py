"""Machine code of NVIDIA's GPUs: SASS, as cuobjdump prints it.

Instructions are counted by their addresses, 16 bytes each, since a disassembler older than the assembler leaves out
those it does not know (they are `?` here); the header of the cubin is changed to one that CUDA 11.8 reads if it is
refused as it is. Padding is not counted."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import hotpath

BYTES = 16  # of an instruction
LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+([^;]*?)\s*;")


def disassembler():
    return shutil.which(os.environ.get("CUOBJDUMP", "cuobjdump")) or shutil.which("/usr/local/cuda/bin/cuobjdump")


def as_of_11_8(cubin):
    """The cubin with the ABI, version and flags of its header as CUDA 11.8 writes them."""
    cubin = bytearray(cubin)
    arch = (int.from_bytes(cubin[48:52], "little") >> 8) & 0xFF
    cubin[7:9] = bytes([0x33, 7])
    cubin[20:24] = (0x76).to_bytes(4, "little")
    cubin[48:52] = (0x500 | arch | arch << 16).to_bytes(4, "little")
    return bytes(cubin)


def text_of(cubin, cuobjdump):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.cubin"
        for content in (cubin, as_of_11_8(cubin)):
            path.write_bytes(content)
            done = subprocess.run([cuobjdump, "-sass", path], capture_output=True, text=True)
            if not done.returncode and "Function :" in done.stdout:
                return done.stdout
    raise RuntimeError(f"{cuobjdump}: {done.stderr}")


class Kernel(hotpath.Kernel):
    REPORT = re.compile(r"\bATOMG?\.\S*CAS")
    ENDS = re.compile(r"(EXIT|RET|BRA|BRX|JMP|KILL)\b")

    def __init__(self, lines):
        code, last = {}, -BYTES
        for line in lines:
            if match := LINE.match(line):
                at = int(match[1], 16)
                code |= dict.fromkeys(range(last + BYTES, at, BYTES), "?")
                code[at], last = match[2], at
        # A kernel ends with a jump to itself, and NOPs.
        end = next((at for at, text in code.items() if self.target(text) == at), last + BYTES)
        super().__init__({at: text for at, text in code.items() if at < end})

    def target(self, text):
        match = re.search(r"\bBRA\b.*?(0x[0-9a-f]+)", text)
        return int(match[1], 16) if match else None

    def falls_through(self, text):
        return text.startswith("@") or re.search(r"BRA(\.\w+)* !?U?P\d", text)


def kernels(cubin, cuobjdump):
    """name -> Kernel"""
    found, lines = {}, None
    for line in text_of(cubin, cuobjdump).splitlines():
        if match := re.match(r"\s*Function : ([\w$.]+)", line):
            lines = found[match[1]] = []
        elif lines is not None:
            lines.append(line)
    return {name: Kernel(lines) for name, lines in found.items()}
