#!/usr/bin/env python3
"""The suite's programs that launch kernels, run on an emulator of a GPU: emulated.py --emulator FOLDER [PATTERN]

FOLDER holds a driver library in place of the vendor's. Three kinds are known, by the files in the folder:
  libhsa-runtime64.so, amdemu.py   AMD code objects on tinygrad's emulator; --orders 0 (waves one after the other) and
                                   seeds of random interleavings of waves and groups
  libcuda.so, translate.py         PTX on GPU Ocelot's emulator; --orders threads (a thread waits at a barrier for
                                   itself) and ipdom (strict: a block is in lock step)
  libcuda.so                       PTX on the project's own interpreter (BUILD/mock/nvidia); --orders 0 and seeds
The first two are not part of the project: docs/devices.md names them, and what ran on them when.

A program is compiled at each of --levels, and run with each of --entries (`narrow`: as the launch chooses, which is the
narrow entry for everything small; `wide`: the entry for large launches) in each of --orders. What it prints is compared
as in suite.py; which work item a failing check names is left open. The log of the mock driver says which kernels were
launched: a run that launched none, or not the entry in question, is `not run`. --seconds limits the processor time of a
run. Rows are appended to --rows as they come, and what stands there is not run again (--again PATTERN: verdicts that
are). Exit code 0: nothing differs; 1: something does; 77: there is no emulator.
Rows: program, architecture, level, entry, order, verdict, launches, seconds of processor time."""
import argparse
import collections
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import suite  # noqa: E402

SKIPPED = 77
CLASSES = ("same", "close", "explained", "differs", "out of time", "not run")
GAP = re.compile(r"unimplemented .*|EMU: relocation .*|no such instruction here: .*|assert.*float mode.*|"
                 r"RuntimeError: MUBUF .*|unknown variable: SRC\d|parse: .*")
ITEM = re.compile(r" = note: work item .*")
SAID = re.compile(r"error: (.*?) --> (\S+)")
NUMBER = re.compile(r"-?\d+(\.\d+)?")

# What an emulator does otherwise than a device of that kind, by program: machine ("": each), program, verdict, reason.
EXPLAINED = (
    ("", r"^tests/run/require-gpu\.kdsl$", r"this program has no image for", "tests what is said without a GPU"),
    ("tinygrad's AMD emulator", r"^tests/run/(atomic-copies-kinds|const-extremes|reduction-nan)\.kdsl$",
     r"`[-0, ]*` instead of `[-0, ]*`", "zeros of unlike sign: for CDNA's V_MIN and V_MAX AMD's manual writes "
     "`S0 == +0.0 && S1 == -0.0`, which the emulator takes as a comparison of numbers"),
    ("tinygrad's AMD emulator", r"^tests/run/math-in-kernels\.kdsl$", r"f32 function 14 of 1e-45",
     "division by a subnormal f32: the emulator's V_DIV_SCALE_F32 leaves out what AMD's manual says of these"),
    ("tinygrad's AMD emulator", r"^tests/(run/stencil-sobel|vector/parts)\.kdsl$", r"^differs: `(strong|structs)",
     "loads across 4 bytes of memory: the emulator rounds the addresses of 16-bit and 64-bit loads down"),
    ("tinygrad's AMD emulator", r"^tests/vector/kept-calls\.kdsl$",
     r"EMU FAULT: signal 11 at address 0x200|`false` instead of `true`",
     "16-bit operands in registers from 128 on: the emulator takes them for upper halves, as on RDNA3"),
    ("tinygrad's AMD emulator", r"^examples/(nbody|raytracer)\.kdsl$", r"^differs: `(energy|-{9})",
     "V_FMAC_F64 in its long form: the emulator reads only the lower half of the sum"),
    ("tinygrad's AMD emulator", r"", r"EMU FAULT: signal 11 at address 0x1ae7c[cd]",
     "private memory on gfx90a: the emulator sets up none, its address is made of poison"),
)


class Machine:
    """One kind of folder: which files it has, what a program is told there, and how an order is asked for."""

    def __init__(self, name, files, arch, orders, told, one_call_stack=False):
        self.name, self.files, self.arch, self.orders, self.told = name, files, arch, orders, told
        self.one_call_stack = one_call_stack  # calls that only some items of a block make go wrong

    def env(self, folder, arch, order):
        return {"LD_LIBRARY_PATH": str(folder), "KDSL_MOCK_ARCH": arch, **self.told(folder, order)}


def seed(order):
    return order if order.isdigit() else sys.exit(f"emulated: --orders: `{order}` is not a seed")


MACHINES = (
    Machine("tinygrad's AMD emulator", ("libhsa-runtime64.so", "amdemu.py"), "gfx1100", "0",
            lambda folder, order: {"EMU_HOME": str(folder), "TINYGRAD": str(folder / "tinygrad"),
                                   "EMU_SEED": seed(order), "PYTHONDONTWRITEBYTECODE": ""}),  # begins twice as fast
    Machine("GPU Ocelot", ("libcuda.so", "translate.py"), "sm_75", "threads",
            lambda folder, order: {"KDSL_MOCK_RUN": "1", "OCELOT_RECONVERGE": order}, one_call_stack=True),
    Machine("the project's PTX interpreter", ("libcuda.so",), "sm_90", "0",
            lambda folder, order: {"KDSL_MOCK_RUN": "1", "KDSL_MOCK_SEED": seed(order)}),
)


def machine_in(folder):
    return next((m for m in MACHINES if folder and all((folder / name).exists() for name in m.files)), None)


def words(text):
    return [word for word in text.split(",") if word]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulator", type=Path, help="its folder (or KDSL_EMULATOR)",
                        default=os.environ.get("KDSL_EMULATOR"))
    parser.add_argument("--kdslc", type=Path, default=suite.ROOT / "build/bin/kdslc")
    parser.add_argument("--arch", help="the device: gfx1100, gfx942, gfx90a; sm_75")
    parser.add_argument("--levels", type=words, default=["-O2"], help="--levels=-O0,-O2,-O3")
    parser.add_argument("--entries", type=words, default=["narrow"], help="narrow,wide")
    parser.add_argument("--orders", type=words)
    parser.add_argument("--text", default="", metavar="PATTERN", help="only programs in whose text it occurs")
    parser.add_argument("--first", default="", metavar="PATTERN", help="those in whose text it occurs come first")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N programs, evenly spread over all")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--until", type=float, metavar="MINUTES", help="no run begins later than that")
    parser.add_argument("--rows", type=Path, help="resumable; without it everything runs")
    parser.add_argument("--again", default="", metavar="PATTERN", help="run those again whose verdict it matches")
    parser.add_argument("--fp", default="fused", choices=("fused", "strict", "fast"), help="as of kdslc")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.set_defaults(under="")  # what suite.py's programs run under: here, nothing
    parser.add_argument("pattern", nargs="?", default="", help="only programs whose path it matches")
    return parser.parse_args()


class Run:
    """One row: where and how, and what came of it."""
    FIELDS = ("program", "arch", "level", "entry", "order", "verdict", "launches", "seconds")

    def __init__(self, *fields):
        self.__dict__.update(zip(self.FIELDS, fields))

    def key(self):
        return self.program, self.arch, self.level, self.entry, self.order

    def kind(self):
        """Of CLASSES."""
        return next((name for name in CLASSES if self.verdict.startswith(name)), "differs")

    def line(self):
        return "\t".join(" ".join(str(getattr(self, name)).split()) for name in self.FIELDS)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Emulated(suite.Program):
    device = "gpu"

    def launched(self, log):
        """How many launches of each entry the driver has seen."""
        names = re.findall(r"^launch \d+ kdsl_(narrow|kernel)_", log.read_text(errors="replace"), re.M)
        return collections.Counter(names)

    def verdict(self, said, launches, entry):
        if said == "same" or said.startswith("close"):
            if not launches:
                return "not run: no kernel reached the device"
            if entry == "wide" and launches["narrow"]:
                return "not run: narrow entries were launched"
            return said
        gap = GAP.search(said)
        if gap:
            return f"not run: the emulator lacks this: {gap[0]}"
        return f"differs: {said}"

    def emulate(self, program, folder, level, entry, order):
        chosen = self.chosen
        log = Path(folder) / "log"
        log.write_text("")
        told = {**chosen.machine.env(chosen.emulator, chosen.device_arch, order), "KDSL_MOCK_LOG": str(log)}
        if entry == "wide":
            told["KDSL_NARROW"] = "off"
        self.killed = False
        before = children_seconds()
        # Processor time: what else the machine does must not decide.
        said, _ = self.run(program, folder, told, timeout=30 * chosen.seconds, preexec_fn=self.limit)
        launches = self.launched(log)
        verdict = f"out of time: {chosen.seconds} s" if self.killed or said.startswith("no end") else \
            self.verdict(said, launches, entry)
        shown = " ".join(f"{n} {name.replace('kernel', 'wide')}" for name, n in sorted(launches.items())) or "none"
        return Run(self.test.name, chosen.device_arch, level, entry, order, verdict, shown,
                   f"{children_seconds() - before:.1f}")

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CPU, (self.chosen.seconds, self.chosen.seconds + 5))

    def compare(self, done):
        self.killed = done.returncode in (-24, -9)  # SIGXCPU, SIGKILL
        gaps = [match[0] for match in map(GAP.search, done.stderr.splitlines()) if match]
        said = gaps[-1] if gaps else super().compare(done)
        stopped = said.startswith("exit code") and re.search(r"^(mock GPU|EMU).*", done.stderr, re.M)
        return stopped[0] if stopped else said

    def says(self, text, err):
        """If several items fail, the message names one of them and its values: which one depends on the order."""
        words, _, place = ITEM.sub("", text).partition("--> ")
        words = NUMBER.sub("#", words.strip().removeprefix("error: "))
        return any(place in at and words in NUMBER.sub("#", what)
                   for what, at in SAID.findall(suite.conventions.on_one_line(err)))

    def calls_functions(self, program):
        """Do its kernels, as PTX, call functions?"""
        return b"call.uni" in Path(program).read_bytes()

    def runs(self, known):
        """Those that are missing, one by one."""
        for level in self.chosen.levels:
            todo = [(entry, order) for entry in self.chosen.entries for order in self.chosen.orders
                    if (self.test.name, self.chosen.device_arch, level, entry, order) not in known]
            if not todo:
                continue
            with tempfile.TemporaryDirectory() as folder:
                program, problem = self.build(level, folder)
                for entry, order in todo:
                    if program:
                        run = self.emulate(program, folder, level, entry, order)
                        calls = self.chosen.machine.one_call_stack and self.calls_functions(program)
                        if run.kind() == "differs" and calls:
                            run.verdict = f"explained: the emulator has one call stack for a block: {run.verdict}"
                        yield run
                    else:
                        yield Run(self.test.name, self.chosen.device_arch, level, entry, order,
                                  f"differs: {problem}", "none", "0")


def read_rows(chosen):
    """The last row of each run; without those to be run again."""
    rows = {}
    if chosen.rows and chosen.rows.exists():
        for line in chosen.rows.read_text().splitlines():
            run = Run(*line.split("\t"))
            rows[run.key()] = run
    if chosen.again:
        rows = {key: run for key, run in rows.items() if not re.search(chosen.again, run.verdict)}
    return rows


def explain(run, machine):
    for name, program, said, why in EXPLAINED:
        if name in ("", machine.name) and re.search(program, run.program) and re.search(said, run.verdict):
            run.verdict = f"explained: {why}"
    return run


def show_table(runs, machine):
    """Runs by configuration and verdict, then what is neither the same nor close."""
    table = collections.Counter((run.arch, run.level, run.entry, run.order, run.kind()) for run in runs)
    print(f"{'device':8} {'level':5} {'entry':6} {'order':8}" + "".join(f" {name:>11}" for name in CLASSES))
    for where in sorted({key[:4] for key in table}):
        print("{:8} {:5} {:6} {:8}".format(*where) + "".join(f" {table[(*where, name)]:11}" for name in CLASSES))
    for run in sorted(runs, key=Run.key):
        if run.kind() not in ("same", "close"):
            print("  ".join(run.key()), run.verdict, sep="  ")


def chosen_programs(chosen):
    programs = [p for p in suite.programs_of(chosen, Emulated) if p.offloads()]
    programs = [p for p in programs if re.search(chosen.text, p.test.text)]
    if chosen.sample and chosen.sample < len(programs):
        programs = [programs[k * len(programs) // chosen.sample] for k in range(chosen.sample)]
    return sorted(programs, key=lambda p: not (chosen.first and re.search(chosen.first, p.test.text)))


def main():
    chosen = options()
    chosen.emulator = chosen.emulator and chosen.emulator.resolve()
    chosen.machine = machine_in(chosen.emulator)
    if not chosen.machine:
        print(f"emulated: no emulator in `{chosen.emulator or ''}`; --emulator FOLDER or KDSL_EMULATOR names one")
        return SKIPPED
    chosen.device = "gpu"
    chosen.device_arch = chosen.arch or chosen.machine.arch
    chosen.arch = chosen.device_arch + ",host"
    chosen.orders = chosen.orders or words(chosen.machine.orders)
    os.environ["KDSL_PTXAS"] = ""  # a cubin, which ptxas makes, is nothing that any emulator here can execute
    known = read_rows(chosen)
    programs = chosen_programs(chosen)
    names = {p.test.name for p in programs}
    end = chosen.until and suite.time.monotonic() + 60 * chosen.until
    print(f"{len(programs)} programs on {chosen.machine.name}, {chosen.device_arch}, levels {' '.join(chosen.levels)}, "
          f"entries {' '.join(chosen.entries)}, orders {' '.join(chosen.orders)}", flush=True)
    for program in programs:
        if end and suite.time.monotonic() > end:
            print("the time is up; the rows so far:")
            break
        for run in program.runs(known):
            known[run.key()] = explain(run, chosen.machine)
            if chosen.rows:
                with open(chosen.rows, "a") as file:
                    print(run.line(), file=file)
    runs = [run for run in known.values() if run.program in names]
    show_table(runs, chosen.machine)
    return 1 if any(run.kind() == "differs" for run in runs) or not runs else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.TimeoutExpired as late:
        sys.exit(f"emulated: {late}")
