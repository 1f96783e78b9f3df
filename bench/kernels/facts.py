"""What is measured: one row a kernel, one a peer, one a limit. run.py measures it, report.py writes it down."""
from dataclasses import dataclass, field

BEST = "best peer"
BEST_LOOP = "hist_local: best peer"  # of another kernel, which does the same in a better way

# A goal is a list of alternatives, any of which will do: (factor, of what), of what being BEST, a peer, a limit, or a
# number in the kernel's own unit with factor 1. The numbers were set for two cores of Zen 5.
Goal = list[tuple[float, str | float]]


@dataclass
class Kernel:
    name: str  # of NAME.kdsl
    unit: str
    what: str  # what a unit of the rate counts
    limit: str | None  # the row of LIMITS that bounds it
    bar: Goal
    stretch: Goal
    flops_per_byte: float | None = None  # of the traffic that nobody can avoid
    peers: str | None = None  # the peers' name of it, if another
    fast: bool = False  # also measured in the fast mode, beside peers with fast-math: it waits for quotients and functions

    @property
    def peer_kernel(self):
        return self.peers or self.name


GB, GFLOP, MKEY = "GB/s", "GFLOP/s", "Mkey/s"

KERNELS = [
    Kernel("saxpy", GB, "12 bytes an element", "read", [(0.97, BEST)], [(1, "read")], 2 / 12),
    Kernel("triad", GB, "12 bytes an element", "triad_nt", [(1.25, BEST)], [(0.95, "triad_nt")], 2 / 12),
    Kernel("reduce", GB, "4 bytes an element", "read", [(0.97, BEST)], [(1, "read")], 1 / 4),
    Kernel("reduce_tree", GB, "4 bytes an element", "read", [(0.97, BEST)], [(1, "read")], 1 / 4, peers="reduce"),
    Kernel("jacobi2d", GB, "8 bytes a point and sweep", "copy_l3", [(1.1, BEST)], [(1.35, BEST)], 4 / 8),
    Kernel("stencil3d", GB, "8 bytes a point and sweep", "copy_nt", [(1.2, BEST)], [(1.6, BEST)], 8 / 8),
    Kernel("transpose", GB, "8 bytes an element", "copy_nt", [(1, 50), (0.45, "copy_nt")], [(0.6, "copy_nt")]),
    Kernel("scan", GB, "8 bytes an element", "copy_nt", [(0.55, "copy_nt")], [(0.75, "copy_nt")], 1 / 8),
    Kernel("spmv", GB, "8 bytes an element, 12 a row", "read", [(0.95, BEST)], [(1.05, BEST)], 2 / (8 + 12 / 32)),
    Kernel("hist_local", GB, "4 bytes a key", "read", [(1, 35)], [(1, BEST)]),
    Kernel("hist_atomic", GB, "4 bytes a key", "read", [(1, 30)], [(1, BEST_LOOP)]),
    Kernel("matmul_naive", GFLOP, "2 n³", "fma_peak", [(1, 200), (0.36, "fma_peak")], [(0.72, "fma_peak")], 1024 / 6),
    Kernel("matmul_tiled", GFLOP, "2 n³", "fma_peak", [(1, 250), (0.45, "fma_peak")], [(0.8, "fma_peak")], 1024 / 6),
    Kernel("nbody", GFLOP, "20 a pair", "fma_peak", [(0.97, BEST)], [(1, BEST)], 20 * 4096 / 28, fast=True),
    Kernel("blackscholes", GFLOP, "55 an option", "fma_peak", [(1.6, "gcc-fast")], [(1, 100)], 55 / 20, fast=True),
    Kernel("mandelbrot", GFLOP, "8 a step needed", "fma_peak", [(1, 150), (0.27, "fma_peak")], [(0.48, "fma_peak")]),
    Kernel("bitonic", MKEY, "keys", None, [(1, 100)], [(1, 250)]),
]

# Measured by peers/limits.c. Stores count 4 bytes; that a plain store reads its line first is not counted.
LIMITS = {
    "triad": "triad, plain stores",
    "triad_nt": "triad, non-temporal stores",
    "copy": "copy, plain stores",
    "copy_nt": "copy, non-temporal stores",
    "read": "read only",
    "copy_l3": "copy in the last-level cache, two arrays of a quarter of it",
    "fma_peak": "f32 arithmetic: independent chains of fused multiply-adds in registers",
}
LIMIT_UNIT = {name: GFLOP if name == "fma_peak" else GB for name in LIMITS}


@dataclass
class Peer:
    name: str
    what: str
    command: list[str]  # in peers/, the driver's object and the output come behind
    first: list[list[str]] = field(default_factory=list)  # what is made before it; {out} is the build folder
    env: dict[str, str] = field(default_factory=dict)
    avx512: bool | None = None  # only with it, only without; None: everywhere
    is_peer: bool = True  # False: shown, but nothing to be compared with


CLANG = ["clang-22", "-O3", "-march=native"]
FAST = ["-ffast-math", "-fveclib=libmvec"]
TARGET = [*CLANG, *FAST, "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-DTARGET", "openmp.c"]
GCC = ["gcc", "-O3", "-march=native", "-mprefer-vector-width=512", "-fopenmp"]
OPENCL = dict(KERNELS="{peers}/kernels.cl", CLFLAGS="-cl-fast-relaxed-math", POCL_CACHE_DIR="{out}/pocl",
              POCL_MAX_PTHREAD_COUNT="{threads}")


def ispc(width, target, avx512):
    made = ["ispc", "-O3", f"--target={target}", "--opt=fast-math", "--pic", "kernels.ispc", "-o",
            f"{{out}}/ispc-{width}.obj", "-h", "{out}/kernels.ispc.h"]
    return Peer(f"ispc-{width}", f"ISPC for {target}, fast-math; threads by OpenMP",
                [*CLANG, "-fopenmp", "-I{out}", "ispc.c", f"{{out}}/ispc-{width}.obj"], [made], avx512=avx512)


PEERS = [
    Peer("clang", "OpenMP for the host, as written for a CPU", [*CLANG, "-fopenmp", "openmp.c"]),
    Peer("clang-fast", "the same with fast-math and libmvec", [*CLANG, *FAST, "-fopenmp", "openmp.c"]),
    Peer("gcc", "the same source", [*GCC, "openmp.c"]),
    Peer("gcc-fast", "the same with fast-math, which brings libmvec", [*GCC, "-ffast-math", "openmp.c"]),
    Peer("target", "the same source offloaded to the CPU, fast-math and libmvec", TARGET),
    Peer("target-gpu", "the same, written as for a GPU: collapsed loops, a team a tile", [*TARGET, "-DGPU_STYLE"]),
    Peer("pocl", "OpenCL as for a GPU, 16 x 16 or 256 items a group", ["gcc", "-O2", "opencl.c", "-lOpenCL"], env=OPENCL),
    ispc("x8", "avx2-i32x8", False),
    ispc("x8x2", "avx2-i32x16", False),
    ispc("x16", "avx512skx-x16", True),
    ispc("x32", "avx512skx-x32", True),
    Peer("by-hand", "AVX-512 intrinsics, where peers are weak; not a peer, but what can be reached",
         ["gcc", "-O3", "-march=native", "-fopenmp", "reach.c"], avx512=True, is_peer=False),
]
