"""The machine code of kernels: SASS, as cuobjdump prints it, and how many instructions the hot path of a kernel has.

Instructions are counted by their addresses, 16 bytes each, since a disassembler older than the assembler leaves out
those it does not know (they are `?` here); the header of the cubin is changed to one that CUDA 11.8 reads if it is
refused as it is. Padding is not counted. Cold are the blocks that lead only to the report of a failed check, and the
slow paths of divisions and roots: a call where another way leads around it.

The hot path of a kernel without loops is the longest way to its end through blocks that are not cold. Of a kernel with
loops it is an iteration of the loop in which its work is done: the instructions of the loop that contains most of the
markers, over their number, which counts an unrolled loop by what it does."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

BYTES = 16  # of an instruction
LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+([^;]*?)\s*;")
REPORT = re.compile(r"\bATOMG?\.\S*CAS")
ENDS = re.compile(r"(EXIT|RET|BRA|BRX|JMP|KILL)\b")


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


class Kernel:
    """Blocks of instructions: address -> (text, addresses of its successors)."""

    def __init__(self, lines):
        self.code, last = {}, -BYTES
        for line in lines:
            if match := LINE.match(line):
                at = int(match[1], 16)
                self.code |= dict.fromkeys(range(last + BYTES, at, BYTES), "?")
                self.code[at], last = match[2], at
        self.cut_padding()
        self.make_blocks()

    def cut_padding(self):
        """A kernel ends with a jump to itself, and NOPs."""
        for at, text in self.code.items():
            target = self.target(text)
            if target == at:
                self.code = {a: t for a, t in self.code.items() if a < at}
                return

    @staticmethod
    def target(text):
        match = re.search(r"\bBRA\b.*?(0x[0-9a-f]+)", text)
        return int(match[1], 16) if match else None

    def make_blocks(self):
        begins = {0}
        for at, text in self.code.items():
            target = self.target(text)
            if target is not None or ENDS.search(text):
                begins |= {at + BYTES} | ({target} if target is not None else set())
        self.blocks, self.next, block = {}, {}, None
        for at in sorted(self.code):
            if at in begins:
                block = self.blocks[at] = []
                head = at
            block.append(self.code[at])
            text, after = self.code[at], at + BYTES
            if after in begins or after not in self.code:
                self.next[head] = self.leads_to(text, after)

    def leads_to(self, text, after):
        if not ENDS.search(text):
            return [after] if after in self.code else []
        target = self.target(text)
        to = [target] if target in self.code else []
        conditional = text.startswith("@") or re.search(r"BRA(\.\w+)* !?U?P\d", text)
        return to + ([after] if conditional and after in self.code else [])

    def cold(self):
        cold = {b for b, lines in self.blocks.items() if any(REPORT.search(line) for line in lines)}
        if not self.ends(self.reachable(cold)):
            cold = set()  # an update of the kernel itself
        for block, lines in self.blocks.items():
            if any("CALL" in line for line in lines) and self.ends(self.reachable(cold | {block})):
                cold.add(block)
        while more := {b for b in self.blocks if b not in cold and self.next[b] and cold.issuperset(self.next[b])}:
            cold |= more
        return cold

    def ends(self, reached):
        return any(not self.next[b] for b in reached)

    def reachable(self, without):
        seen, todo = set(), [0]
        while todo:
            block = todo.pop()
            if block not in seen and block not in without:
                seen.add(block)
                todo += self.next[block]
        return seen

    def loops(self, hot):
        """header -> blocks of the natural loop"""
        before = {b: [p for p in hot if b in self.next[p]] for b in hot}
        found, rest = {}, set(self.blocks) - hot
        for latch in hot:
            for header in self.next[latch]:
                if header not in hot or latch in self.reachable(rest | {header}):
                    continue
                body, todo = {header}, [latch]
                while todo:
                    block = todo.pop()
                    if block not in body:
                        body.add(block)
                        todo += before[block]
                found.setdefault(header, set()).update(body)
        return found

    def count(self, block):
        return len(self.blocks[block])

    def longest(self, hot):
        """Instructions of the longest way to the end that comes through no block twice."""
        length = {}

        def visit(block):
            if block not in length:
                length[block] = 0  # while its successors are visited: a way back is none
                length[block] = self.count(block) + max((visit(n) for n in self.next[block] if n in hot), default=0)
            return length[block]

        return visit(0)

    def hot_path(self, marker=None):
        """Instructions of the hot path; True: of an iteration, False: of the whole kernel."""
        hot = self.reachable(self.cold())
        loops = [body for body in self.loops(hot).values() if marker and self.marked(body, marker)]
        innermost = [body for body in loops if not any(other < body for other in loops)]
        if not innermost:
            return self.longest(hot), False
        body = max(innermost, key=lambda body: self.marked(body, marker))
        return sum(map(self.count, body)) / self.marked(body, marker), True

    def marked(self, body, marker):
        return sum(bool(re.search(marker, line)) for block in body for line in self.blocks[block])


def kernels(cubin, cuobjdump):
    """name -> Kernel"""
    found, lines = {}, None
    for line in text_of(cubin, cuobjdump).splitlines():
        if match := re.match(r"\s*Function : ([\w$.]+)", line):
            lines = found[match[1]] = []
        elif lines is not None:
            lines.append(line)
    return {name: Kernel(lines) for name, lines in found.items()}
