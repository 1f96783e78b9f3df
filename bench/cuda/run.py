#!/usr/bin/env python3
"""Kernels of bench/kernels on an NVIDIA GPU, as kdslc compiles them and as nvcc compiles their twins (kernels.cu).

usage: run.py [--arch sm_XX] [--rounds N] [--out FOLDER] [KERNEL...]     measure; needs a GPU
       run.py --static [--arch sm_XX] [--out FOLDER] [--docs|--check]    registers and PTX instructions; needs only nvcc
       run.py --sass [--arch sm_XX] [--out FOLDER] [--docs|--check]      hot paths in machine code; needs cuobjdump, too
       run.py --gcn [--arch gfxXX] [--out FOLDER] [--docs|--check]       the same on AMD, beside clang's HIP
       run.py --build [--arch sm_XX] [--out FOLDER]                      compile the twins, and say where they are

A kernel's two programs run in turn. Two times are taken of each: what the program itself prints (the twin by events
around its calls, KDSL by the clock of the host), and what its kernels need by themselves, by events around every
launch: the twin has them built in, for KDSL they come from timed_cuda.c, which stands before the driver. KDSLC names
the compiler, NVCC that of CUDA, CUOBJDUMP its disassembler. Results: FOLDER/cuda.tsv, with --static FOLDER/static.tsv,
of which --docs writes a table into docs/devices.md, and --check says whether it is what stands there. With --sass and
--gcn the same of machine code (sass.py, gcn.py): FOLDER/sass.tsv or gcn.tsv, and a table of its own; what is above the
bars is bold. With --gcn, clang 22 (CLANG) compiles the twins as HIP for gfx90a, or the model that is named; libclc
stands for AMD's library of mathematical functions."""
import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "kernels")]
import gcn  # noqa: E402
import ptx  # noqa: E402
import sass  # noqa: E402
from facts import KERNELS  # noqa: E402

SAMPLES = 5
# How often a program calls its kernel in a sample, and the bar: time of its kernels over that of the twin.
CALLS = {"saxpy": (10, 1.05), "triad": (10, 1.05), "reduce": (10, 1.15), "reduce_tree": (10, 1.15),
         "jacobi2d": (1, 1.05), "stencil3d": (1, 1.05), "transpose": (5, 1.05), "scan": (5, 1.15), "spmv": (5, 1.05),
         "hist_local": (2, 1.15), "hist_atomic": (2, 1.15), "matmul_naive": (1, 1.15), "matmul_tiled": (3, 1.15),
         "nbody": (5, 1.05), "blackscholes": (2, 1.05), "mandelbrot": (1, 1.05), "bitonic": (1, 1.15)}
# The twin of a kernel, where it has another name.
TWINS = {("matmul_naive", "matmul"): "matmul_naive", ("matmul_tiled", "matmul"): "matmul_tiled",
         ("hist_local", "histogram"): "histogram_local"}
PAGE = ROOT / "docs/devices.md"
BEGIN, END = "<!-- bench/cuda/run.py --static --docs writes from here -->\n", "<!-- to here -->\n"
SASS_BEGIN, SASS_END = "<!-- bench/cuda/run.py --sass --docs writes from here -->\n", "<!-- to here, machine code -->\n"
GCN_BEGIN, GCN_END = "<!-- bench/cuda/run.py --gcn --docs writes from here -->\n", "<!-- to here, AMD -->\n"
# What the loop of a twin does once an iteration, as a pattern of machine instructions; the others have no loop.
MARKERS = {"sum": "LDG.E.CONSTANT", "partial_sums": "FADD", "histogram_local": "ATOMS", "matmul_naive": "FFMA",
           "matmul_tiled": "FFMA", "spmv": "FFMA", "mandelbrot": "FSETP", "accelerations": "MUFU.RSQ",
           "local_steps": "BAR"}
GCN_MARKERS = {"sum": "global_load", "partial_sums": "v_add_f32", "histogram_local": "ds_add",
               "matmul_naive": gcn.PRODUCT, "matmul_tiled": gcn.PRODUCT, "spmv": gcn.PRODUCT,
               "mandelbrot": r"v_cmp\w*_n?[lg][te]_f32", "accelerations": "v_(rsq|sqrt)_f32",
               "local_steps": "s_barrier"}
WORK = {"sum": "load", "partial_sums": "addition", "histogram_local": "update", "matmul_naive": "product",
        "matmul_tiled": "product", "spmv": "product", "mandelbrot": "comparison", "accelerations": "root",
        "local_steps": "barrier"}  # what these instructions are
MOST_INSTRUCTIONS, MORE_REGISTERS = 1.1, 4  # bars: hot path over that of the twin, registers above those of the twin
BESIDE = {"bitonic": ("fill",)}  # kernels of a program that are no part of what is measured
COLUMNS = ["kernel", "who", "seconds", "rate", "verdict", "kernel_seconds", "ratio", "bar"]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", help="sm_90 ...; without it, the one of this machine's first GPU")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--static", action="store_true")
    parser.add_argument("--sass", action="store_true")
    parser.add_argument("--gcn", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench/cuda")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    chosen = parser.parse_args()
    unknown = set(chosen.kernels) - set(CALLS)
    if unknown:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    return chosen


def tool(variable, name):
    found = shutil.which(os.environ.get(variable, name)) or shutil.which(f"/usr/local/cuda/bin/{name}")
    if not found:
        sys.exit(f"no {name}: it comes with the CUDA toolkit; {variable} names it")
    return found


def must(command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    if done.returncode:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def this_gpu():
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True,
                              text=True).stdout.split()
    except FileNotFoundError:
        said = []
    return f"sm_{said[0].replace('.', '')}" if said else None


def static_table(rows, heading):
    """Ours beside the twin's, as `ours / nvcc's`."""
    columns = [("registers", ("registers",)), ("spilled", ("spilled",)), ("shared", ("shared",)),
               ("loads", ("ld_nc", "ld_global", "ld_shared")), ("stores", ("st_global", "st_shared")),
               ("local", ("local",)), ("fma", ("fma",)), ("other float", ("float", "special")), ("integer", ("integer",)),
               ("convert", ("convert",)), ("branch", ("branch",)), ("all", ("instructions",))]
    twins = {row["function"]: row for row in rows if row["who"] == "nvcc"}
    text = f"| {heading} | " + " | ".join(name for name, _ in columns) + " |\n|---|" + "---|" * len(columns) + "\n"
    for row in rows:
        name = re.sub(r"kdsl_(kernel|narrow)_", "", row["function"])
        twin = twins.get(TWINS.get((row["kernel"], name), name))
        if row["who"] == "nvcc" or not twin:
            continue
        cells = [f"{sum(row[f] for f in fields)} / {sum(twin[f] for f in fields)}" for _, fields in columns]
        text += f"| {row['kernel']}{'' if name in row['kernel'] else f', `{name}`'} | " + " | ".join(cells) + " |\n"
    return text


def machine_code_table(rows, heading):
    text = f"| {heading} | hot path | of | ratio | all | registers |\n|---|---|---|---|---|---|\n"
    for row in rows:
        marks = [f"**{cell}**" if is_over else cell for cell, is_over in
                 ((f"{row['ratio']:.2f}", row["ratio"] > MOST_INSTRUCTIONS),
                  (f"{row['registers']} / {row['twin_registers']}",
                   row["registers"] > row["twin_registers"] + MORE_REGISTERS))]
        text += f"| {row['name']} | {row['hot']:.4g} / {row['twin_hot']:.4g} | {row['of']} | {marks[0]} | " \
                f"{row['all']} / {row['twin_all']} | {marks[1]} |\n"
    return text


class Bench:
    def __init__(self, chosen):
        self.out = chosen.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.arch = chosen.arch or ("gfx90a" if chosen.gcn else this_gpu() or "sm_90")
        self.kdslc = Path(os.environ.get("KDSLC", ROOT / "build/bin/kdslc")).resolve()
        self.failed = []

    def build_twins(self):
        driver, twins = self.out / "driver.o", self.out / "twins"
        must([os.environ.get("CC", "gcc"), "-O2", "-c", HERE.parent / "kernels/peers/driver.c", "-o", driver])
        nvcc = [tool("NVCC", "nvcc"), "-O3", f"-arch={self.arch}", "-std=c++17"]
        must([*nvcc, HERE / "kernels.cu", HERE / "cuda_peer.cu", driver, "-o", twins])
        return twins

    def twins(self):
        """Compiled here, if the toolkit is; else those that a bundle brought."""
        brought = HERE / "twins"
        if brought.exists() and not shutil.which(os.environ.get("NVCC", "nvcc")):
            return brought
        return self.build_twins()

    def build_timer(self):
        """The folder of a libcuda.so that measures: beside this file, where a bundle brought it, or a new one."""
        brought = HERE / "timed/libcuda.so"
        if brought.exists():
            return brought.parent
        folder = self.out / "timed"
        folder.mkdir(exist_ok=True)
        must(["sh", HERE / "timed_cuda.sh", folder])
        return folder

    def offloads(self):
        """kdslc's options for this GPU; None while it has none."""
        known = "--offload-arch" in must([self.kdslc, "--help"])
        return ["-O3", f"--offload-arch={self.arch}"] if known else None

    # Static -----------------------------------------------------------------------------------------------------------

    def static(self, chosen):
        rows = self.static_rows()
        heading = f"{self.arch}, {self.toolkit()}"
        self.tell(chosen, rows, "static", static_table(rows, heading), heading, BEGIN, END)

    def tell(self, chosen, rows, what, table, heading, begin, end):
        """Writes the rows into a file, and the table into the page, or compares it, or prints the rows."""
        path = self.out / f"{what}.tsv"
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), dialect="excel-tab", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        page = PAGE.read_text()
        before, rest = page.split(begin)
        new = before + begin + table + end + rest.split(end)[1]
        if chosen.docs:
            PAGE.write_text(new)
        elif not chosen.check:
            print(path.read_text(), end="")
        elif f"| {heading} |" not in page:
            print(f"the table in {PAGE.relative_to(ROOT)} is not of {heading}: not compared")
        elif new != page:
            self.failed.append(f"{PAGE.relative_to(ROOT)} has another table: run.py --{what} --arch {self.arch} --docs")

    def toolkit(self):
        return "CUDA " + re.search(r"release ([\d.]+)", must([tool("NVCC", "nvcc"), "--version"]))[1]

    def twins_ptx(self):
        return must([tool("NVCC", "nvcc"), "-O3", f"-arch={self.arch}", "-std=c++17", "-ptx", HERE / "kernels.cu",
                     "-o", "-"])

    def assembly(self, name, flags):
        source = HERE.parent / f"kernels/{name}.kdsl"
        return must([self.kdslc, *flags, "--emit=device-asm", source], cwd=source.parent)

    def nvidia_code(self, text):
        """name of a kernel -> registers, Kernel"""
        path, ptxas = self.out / "k.ptx", tool("KDSL_PTXAS", "ptxas")
        path.write_text(text)
        must([ptxas, f"-arch={self.arch}", path, "-o", path.with_suffix(".cubin")])
        code = sass.kernels(path.with_suffix(".cubin").read_bytes(), sass.disassembler())
        code = {ptx.plain_name(name): kernel for name, kernel in code.items()}
        return {row["function"]: (row["registers"], code[row["function"]])
                for row in ptx.table("", text, self.arch, ptxas)}

    def amd_code(self, text):
        """name of a kernel -> vector registers, Kernel"""
        path = self.out / "k.s"
        path.write_text(text)
        must([gcn.tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", f"-mcpu={self.arch}", "-filetype=obj", path, "-o",
              path.with_suffix(".o")])
        return {ptx.plain_name(name): found for name, found in gcn.kernels(path.with_suffix(".o")).items()}

    def sass(self, chosen):
        if not sass.disassembler():
            sys.exit("no cuobjdump: it comes with the CUDA toolkit; CUOBJDUMP names it")
        heading = f"{self.arch}, {self.toolkit()}"
        self.machine_code(chosen, "sass", heading, self.nvidia_code, self.twins_ptx(), MARKERS, SASS_BEGIN, SASS_END)

    def gcn(self, chosen):
        clang = gcn.tool("clang++")
        heading = f"{self.arch}, clang {re.search(r'version ([0-9.]+)', must([clang, '--version']))[1]}"
        text = must([clang, *gcn.hip_options(self.arch), "-I", HERE / "hip", "-I", HERE, "-S", HERE / "kernels.cu",
                     "-o", "-"])
        self.machine_code(chosen, "gcn", heading, self.amd_code, text, GCN_MARKERS, GCN_BEGIN, GCN_END)

    def machine_code(self, chosen, what, heading, code_of, text, markers, begin, end):
        """Hot paths beside those of the twins in `text`."""
        rows, twins = [], code_of(text)
        for kernel in KERNELS:
            for function, (registers, code) in code_of(self.assembly(kernel.name, self.offloads())).items():
                name = re.sub(r"kdsl_(kernel|narrow)_", "", function)
                twin = TWINS.get((kernel.name, name), name)
                if twin not in twins or "kdsl_kernel_" in function:
                    continue
                marker = markers.get(twin)
                (hot, looped), (twin_hot, _) = code.hot_path(marker), twins[twin][1].hot_path(marker)
                rows.append({"name": kernel.name + ("" if name in kernel.name else f", `{name}`"), "hot": hot,
                             "twin_hot": twin_hot, "of": f"one {WORK[twin]}" if looped else "one item",
                             "ratio": hot / twin_hot, "all": code.size(), "twin_all": twins[twin][1].size(),
                             "registers": registers, "twin_registers": twins[twin][0]})
        self.tell(chosen, rows, what, machine_code_table(rows, heading), heading, begin, end)

    def static_rows(self):
        ptxas = tool("KDSL_PTXAS", "ptxas")
        rows = [dict(kernel="", **row) for row in ptx.table("nvcc", self.twins_ptx(), self.arch, ptxas)]
        flags = self.offloads()
        for kernel in KERNELS if flags else []:
            text = self.assembly(kernel.name, flags)
            rows += [dict(kernel=kernel.name, **row) for row in ptx.table("kdslc", text, self.arch, ptxas)]
        if not flags:
            print(f"{self.kdslc} has no --offload-arch: only the twins are in the table", file=sys.stderr)
        return rows

    # Times ------------------------------------------------------------------------------------------------------------

    def run(self, name, command, env):
        """seconds, rate and verdict as printed, and seconds of the kernels of one call"""
        times = self.out / "times"
        times.unlink(missing_ok=True)
        env = {**os.environ, **env, "CUDA_TIMES": str(times), "KDSL_REQUIRE": "gpu"}
        try:
            done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            self.failed.append(f"{command[0]} does not end")
            return None
        fields = done.stdout.strip().split("\t")
        if done.returncode or len(fields) != 5:
            self.failed.append(f"{command[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
            return None
        calls = 1 + SAMPLES * CALLS[name][0]
        spent = 0.0
        for line in times.read_text().splitlines() if times.exists() else []:
            function, n, _, median, _ = line.split("\t")
            if not any(re.search(rf"(^|\W|_){part}(_|\W|$)", function) for part in BESIDE.get(name, ())):
                spent += int(n) * float(median) / calls
        return {"seconds": float(fields[2]), "rate": float(fields[3]), "verdict": fields[4],
                "kernel_seconds": spent or None}

    def measure(self, chosen):
        if not shutil.which("nvidia-smi") or not this_gpu():
            sys.exit("no NVIDIA GPU here: --static compares the code, --build compiles the twins")
        flags = self.offloads() or sys.exit(f"{self.kdslc} has no --offload-arch")
        twins, timer = self.twins(), self.build_timer()
        library_path = f"{timer}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        rows = []
        for kernel in KERNELS:
            if chosen.kernels and kernel.name not in chosen.kernels:
                continue
            program = self.out / kernel.name
            must([self.kdslc, *flags, f"{kernel.name}.kdsl", "-o", program], cwd=HERE.parent / "kernels")
            best = {}
            for _ in range(chosen.rounds):
                for who, command, env in (("nvcc", [twins, "nvcc", kernel.name], {}),
                                          ("kdslc", [program, "kdslc"], {"LD_LIBRARY_PATH": library_path})):
                    row = self.run(kernel.name, command, env)
                    if row and (who not in best or row["seconds"] < best[who]["seconds"]):
                        best[who] = row
            rows += self.compare(kernel.name, best)
        return rows

    def compare(self, name, best):
        bar = CALLS[name][1]
        ours, theirs = best.get("kdslc"), best.get("nvcc")
        if ours and theirs and ours["kernel_seconds"] and theirs["kernel_seconds"]:
            ours["ratio"], ours["bar"] = f"{ours['kernel_seconds'] / theirs['kernel_seconds']:.3f}", bar
        for who, row in best.items():
            if row["verdict"] != "ok":
                self.failed.append(f"{name} by {who}: {row['verdict']}")
        return [{"kernel": name, "who": who, **row} for who, row in best.items()]

    def write(self, rows):
        path = self.out / "cuda.tsv"
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, dialect="excel-tab", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(path.read_text(), end="")


def main():
    chosen = options()
    bench = Bench(chosen)
    if chosen.build:
        print(bench.build_twins())
    elif chosen.static:
        bench.static(chosen)
    elif chosen.sass:
        bench.sass(chosen)
    elif chosen.gcn:
        bench.gcn(chosen)
    else:
        bench.write(bench.measure(chosen))
    for line in bench.failed:
        print(f"FAILED {line}", file=sys.stderr)
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
