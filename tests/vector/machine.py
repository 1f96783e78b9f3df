"""A PC that Bochs emulates, of a processor that the machine at hand need not be: programs run there under Linux.

There is no BIOS, no boot loader and no disk. A ROM of a few instructions enters Debian's kernel as a virtual machine does
(PVH: Xen's docs/misc/pvh.pandoc, Linux' arch/x86/platform/pvh); kernel, root file system and programs lie in memory from
the start. Results leave by port 0xe9, each byte written to which Bochs prints."""
import os
import re
import stat
import struct
import subprocess
import time
from pathlib import Path

KERNEL_PACKAGE = "linux-image-cloud-amd64"
PROCESSOR = "corei7_skylake_x"      # the first level of Intel's with x86-64-v4 and no more; others: bochs --help cpu
MEMORY = 2 << 30
INFO, KERNEL, FILES = 0xfe0000, 0x1000000, 0x8000000     # where in memory what lies
ROM = 0xffff0000
# The state that XSAVES saves is larger than what this processor of Bochs says of it, and Linux then does without AVX.
COMMAND_LINE = ("console=ttyS0 quiet nokaslr mitigations=off acpi=off nolapic pci=off tsc=reliable no_timer_check "
                "lpj=1000000 cryptomgr.notests random.trust_cpu=on noxsaves clearcpuid=xsaves,xsavec panic=-1")

# Bochs reads an image into memory in one piece, but gives the blocks of memory places in the order they are first used:
# the loop uses them in theirs.
ENTER_KERNEL = f"""
    .code16
start:
    cli
    lgdtl %cs:table_place
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $8, $({ROM} + protected)
    .code32
protected:
    movl $16, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl ${INFO}, %ebx
    movl %ebx, %esi
1:  movb (%esi), %al
    addl $0x1000, %esi
    cmpl $END, %esi
    jb 1b
    movl $ENTRY, %eax
    jmp *%eax
    .balign 8
table: .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
table_place: .word . - table - 1
    .long {ROM} + table
    .org 0xfff0
    .code16
    jmp start
    .org 0x10000
"""

PARTS = Path(__file__).resolve().parent / "machine"   # what the machine has of our own
LIBOMPTARGET = "libomptarget.so.22.1"

INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin OMP_NUM_THREADS=2 KMP_BLOCKTIME=0
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
cd /work
echo 0 > code
cp /proc/cpuinfo stdout
: > stderr
send processor code stdout stderr out
"""


class Job:
    """A program to run. What the name says is its business; `out` is what it leaves in a file of that name."""

    def __init__(self, name, program, arguments=(), environment=None, stdin=""):
        self.name, self.program, self.arguments = name, program, arguments
        self.environment, self.stdin = environment or {}, stdin
        self.code, self.stdout, self.stderr, self.out = None, b"", b"", b""


def run(command, **how):
    return subprocess.run(command, check=True, capture_output=True, **how).stdout


# The kernel ----------------------------------------------------------------------------------------------------------

def unpacked_kernel(folder):
    """The kernel of the package as an ELF file."""
    path = folder / "vmlinux"
    if path.exists():
        return path.read_bytes()
    depends = run(["apt-cache", "depends", KERNEL_PACKAGE], text=True)
    package = re.search(r"Depends: (linux-image-\S+)", depends)[1]
    run(["apt-get", "-q", "download", package], cwd=folder)
    run(["dpkg", "-x", next(folder.glob(f"{package}_*.deb")), folder / "package"])
    image = next((folder / "package/boot").glob("vmlinuz-*")).read_bytes()
    # Documentation/arch/x86/boot.rst: the sectors of set-up code; in what follows them, where the payload is
    code = (image[0x1f1] + 1) * 512
    place, size = struct.unpack_from("<II", image, 0x248)
    (folder / "payload").write_bytes(image[code + place:code + place + size - 4])  # the last word is its size unpacked
    run(["lz4", "-dqf", folder / "payload", path])
    return path.read_bytes()


def segments(elf):
    """(type, place in the file, address, bytes in the file, bytes in memory) of each."""
    table, = struct.unpack_from("<Q", elf, 32)
    size, n = struct.unpack_from("<HH", elf, 54)
    for i in range(n):
        kind, _, place, _, address, in_file, in_memory = struct.unpack_from("<IIQQQQQ", elf, table + i * size)
        yield kind, place, address, in_file, in_memory


def entry_of(elf):
    """Where to enter it in 32-bit mode: the note XEN_ELFNOTE_PHYS32_ENTRY says so."""
    PT_NOTE, PHYS32_ENTRY = 4, 18
    for kind, place, _, size, _ in segments(elf):
        at = place
        while kind == PT_NOTE and at < place + size:
            name, data, what = struct.unpack_from("<III", elf, at)
            text = at + 12 + (name + 3) // 4 * 4
            if what == PHYS32_ENTRY:
                return int.from_bytes(elf[text:text + data], "little")
            at = text + (data + 3) // 4 * 4
    raise ValueError("the kernel has no entry for virtual machines")


def in_memory(elf):
    PT_LOAD = 1
    memory = bytearray()
    for kind, place, address, in_file, size in segments(elf):
        if kind == PT_LOAD:
            memory.extend(bytes(max(0, address - KERNEL + size - len(memory))))
            memory[address - KERNEL:address - KERNEL + in_file] = elf[place:place + in_file]
    return bytes(memory)


def start_info(n_files):
    """struct hvm_start_info, and what it points to: the files as its one module, the memory map, the command line."""
    MAP, MODULE, COMMAND = INFO + 0x80, INFO + 0x100, INFO + 0x200
    RAM = 1
    info = struct.pack("<IIIIQQQQII", 0x336ec578, 1, 0, 1, MODULE, COMMAND, 0, MAP, 2, 0).ljust(MAP - INFO, b"\0")
    info += struct.pack("<QQII", 0, 0xa0000, RAM, 0) + struct.pack("<QQII", 1 << 20, MEMORY - (1 << 20), RAM, 0)
    info = info.ljust(MODULE - INFO, b"\0") + struct.pack("<QQQQ", FILES, n_files, 0, 0)
    info = info.ljust(COMMAND - INFO, b"\0") + COMMAND_LINE.encode() + b"\0"
    return info.ljust(KERNEL - INFO, b"\0")


# The files ------------------------------------------------------------------------------------------------------------

def archive(files):
    """{path: (mode, bytes)} as an archive of cpio, of the kind the kernel unpacks."""
    out = []
    for path, (mode, data) in [*files.items(), ("TRAILER!!!", (0, b""))]:
        name = path.encode() + b"\0"
        fields = (len(out), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
        out.append(head.ljust((len(head) + 3) // 4 * 4, b"\0") + data.ljust((len(data) + 3) // 4 * 4, b"\0"))
    return b"".join(out)


def libraries(programs, folder):
    """The shared libraries that the programs want, each where it is looked for."""
    found = {}
    env = dict(os.environ, LD_LIBRARY_PATH=str(folder))
    for path in sorted(set(re.findall(r"(/\S+) \(0x", run(["ldd", *programs], env=env, text=True)))):
        at = "lib64" if "ld-linux" in path else "lib/x86_64-linux-gnu"
        found[f"{at}/{Path(path).name}"] = (stat.S_IFREG | 0o755, Path(path).read_bytes())
    return found


MARK = 0x06     # a byte that is illegal; instead of the first of an instruction it calls machine/instructions.c


def wrong_in_bochs(code):
    """Of the instructions listed in machine/instructions.c: those to mark."""
    if code[:3] == b"\xc4\xe3\xf9":
        return code[3] in (0x30, 0x32) and code[5] == 15                        # kshiftrw, kshiftlw
    # EVEX.W1 0F: vcvttpd2uqq, vcvtuqq2pd, vcvttsd2usi, vcvtusi2sd
    return (len(code) > 5 and code[0] == 0x62 and code[1] & 0x0f == 1
            and (code[2] & 0x87, code[4]) in ((0x85, 0x78), (0x86, 0x7a), (0x87, 0x78), (0x87, 0x7b)))


def mended(path):
    """The program as Bochs 2.7 runs it right. Of vpinsrb with registers from xmm16 on it doubles a displacement of a
    byte, which is halved; others are marked."""
    elf = Path(path).read_bytes()
    program, parts = bytearray(elf), list(segments(elf))
    text = run(["objdump", "-d", "-w", "--insn-width=16", "--section=.text", path], text=True)
    for address, code, name in re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(\w+)", text, re.MULTILINE):
        code = bytes.fromhex(code)
        at, byte = 0, MARK
        if name == "vpinsrb" and code[0] == 0x62 and code[5] >> 6 == 1:
            at = 7 if code[5] & 7 == 4 else 6
            displacement, = struct.unpack_from("b", code, at)
            if displacement % 2:
                continue
            byte = displacement // 2 & 0xff
        elif not wrong_in_bochs(code):
            continue
        for _, place, start, size, _ in parts:
            if start <= int(address, 16) < start + size:
                program[place + int(address, 16) - start + at] = byte
                break
    return bytes(program)


def script(jobs, limit_s):
    lines = [INIT]
    for i, job in enumerate(jobs):
        settings = "".join(f"{k}={v} " for k, v in job.environment.items())
        command = f"timeout {limit_s} ./job{i} {' '.join(job.arguments)} < job{i}.stdin > stdout 2> stderr"
        lines.append(f"rm -f out\n{settings}{command}\necho $? > code\nsend {i} code stdout stderr out\n")
    lines.append("send end\nwhile true; do sleep 1000; done\n")
    return "".join(lines)


def root_of(folder, jobs, beside, limit_s):
    """The root file system: programs, and the files `beside` them, in /work."""
    plain, program = stat.S_IFREG | 0o644, stat.S_IFREG | 0o755
    run(["gcc", "-O2", "-static", PARTS / "send.c", "-o", folder / "send"])
    (folder / "versions").write_text("VERS1.0 { global: *; };\n")
    run(["gcc", "-O2", "-mno-avx", "-shared", "-fPIC", f"-Wl,-soname,{LIBOMPTARGET}",
         f"-Wl,--version-script={folder}/versions", PARTS / "no_devices.c", PARTS / "instructions.c",
         "-o", folder / LIBOMPTARGET])
    files = {name: (stat.S_IFDIR | 0o755, b"")
             for name in ("bin", "proc", "sys", "dev", "tmp", "work", "lib64", "lib", "lib/x86_64-linux-gnu")}
    files |= libraries([job.program for job in jobs], folder)
    files["bin/busybox"] = (program, Path("/bin/busybox").read_bytes())
    files["bin/send"] = (program, (folder / "send").read_bytes())
    files["init"] = (program, script(jobs, limit_s).encode())
    for i, job in enumerate(jobs):
        files[f"work/job{i}"] = (program, mended(job.program))
        files[f"work/job{i}.stdin"] = (plain, job.stdin.encode())
    for name, data in beside.items():
        files[f"work/{name}"] = (plain, data)
    return archive(files)


# The machine ----------------------------------------------------------------------------------------------------------

def settings(folder):
    return f"""\
display_library: rfb, options="timeout=0"
cpu: model={PROCESSOR}, count=1, ips=50000000, reset_on_triple_fault=0
memory: guest={MEMORY >> 20}, host={MEMORY >> 20}
romimage: file={folder}/rom, address={ROM:#x}
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
optramimage1: file={folder}/memory, address={INFO:#x}
com1: enabled=1, mode=file, dev={folder}/console
port_e9_hack: enabled=1
speaker: enabled=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
clock: sync=none
log: {folder}/log
panic: action=fatal
"""


def build(folder, jobs, beside, limit_s):
    elf = unpacked_kernel(folder)
    files = root_of(folder, jobs, beside, limit_s)
    memory = start_info(len(files)) + in_memory(elf)
    (folder / "memory").write_bytes(memory.ljust(FILES - INFO, b"\0") + files)
    (folder / "rom.s").write_text(ENTER_KERNEL)
    run(["as", "--32", "--defsym", f"END={FILES + len(files)}", "--defsym", f"ENTRY={entry_of(elf)}", folder / "rom.s",
         "-o", folder / "rom.o"])
    run(["objcopy", "-O", "binary", "-j", ".text", folder / "rom.o", folder / "rom"])
    (folder / "bochsrc").write_text(settings(folder))


def answers(stream, give_up):
    """(name, [bytes, ...]) for each call of send there, as they come."""
    data = b""
    while time.monotonic() < give_up:
        head = re.search(rb"\n@@ (\S+)((?: \d+)*)\n", data)
        sizes = [int(n) for n in head[2].split()] if head else []
        if not head or len(data) < head.end() + sum(sizes):
            more = os.read(stream.fileno(), 1 << 20)
            if not more:
                return
            data += more
            continue
        data = data[head.end():]
        parts = []
        for n in sizes:
            parts.append(data[:n])
            data = data[n:]
        yield head[1].decode(), parts


def emulate(folder, jobs, beside, limit_s=20):
    """Run the jobs, and yield each when it has ended; first, as a job, what /proc/cpuinfo says of the processor."""
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build(folder, jobs, beside, limit_s)
    bochs = subprocess.Popen(["bochs", "-q", "-f", folder / "bochsrc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, cwd=folder)
    try:
        bochs.stdin.write(b"c\n")       # it may be built with its debugger, which waits for this
        bochs.stdin.flush()
        for name, parts in answers(bochs.stdout, time.monotonic() + 600 + limit_s * len(jobs)):
            if name == "end":
                break
            job = jobs[int(name)] if name.isdigit() else Job(name, None)
            job.code, (job.stdout, job.stderr, job.out) = int(parts[0]), parts[1:]
            yield job
    finally:
        bochs.kill()
        bochs.wait()
