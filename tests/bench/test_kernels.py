"""The programs of bench/kernels at small sizes, one sample, no time looked at: right at -O0 and -O2, on the device and by
the host's version, at sizes that fill groups and vectors and at those that do not. And a verdict that nothing can turn
is none: each program with a fault put into its kernel has to say so. Code at -O2 is in the quick part of the suite.
usage: test_kernels.py KDSLC"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench/kernels"
sys.dont_write_bytecode = True
sys.path[:0] = [str(FOLDER), str(ROOT / "tests")]
import parts  # noqa: E402
from facts import KERNELS  # noqa: E402

# name: sizes, a fault
CASES = {
    "saxpy": ((1, 16, 100003), "y[i] += a", "y[i] -= a"),
    "triad": ((1, 17, 100003), "= x[i] + s", "= x[i] - s"),
    "reduce": ((1, 100003), "return x[i];", "return if i == 0 { 2.0f32 * x[i] + 1000.0f32 } else { x[i] };"),
    "reduce_tree": ((255, 100003), "half > 0", "half > 1"),
    "jacobi2d": ((3, 18, 67), "src[i, j - 1]", "src[i, j]"),
    "stencil3d": ((3, 18, 23), "p[i + 1, j, k] + p[i, j - 1, k] + p[i, j + 1, k]\n",
                  "p[i, j, k] + p[i, j - 1, k] + p[i, j + 1, k]\n"),
    "transpose": ((1, 16, 67), "tile[j.local, i.local];", "tile[i.local, j.local];"),
    "scan": ((1, 256, 257, 70001), "i.local >= gap", "i.local > gap"),
    "spmv": ((1, 301), "sum += value[e]", "sum -= value[e]"),
    "hist_local": ((1, 100003), "mine[keys[e]] += 1", "mine[keys[e]] += 2"),
    "hist_atomic": ((1, 100003), "counts[keys[i]] += 1", "counts[keys[i]] += 2"),
    "matmul_naive": ((1, 16, 50), "a[i, e] * b[e, j]", "a[i, e] * b[j, e]"),
    "matmul_tiled": ((1, 16, 50), "ta[i.local, e] *", "ta[e, i.local] *"),
    "nbody": ((1, 101), "sz += f * dz", "sz += f * dx"),
    "blackscholes": ((1, 1003), "discounted * normal(d2)", "discounted * normal(d1)"),
    "mandelbrot": ((16, 67), "mandelbrot(picture: &out [i32; n, m]) over i in n, j in m {\n    picture[i, j] = steps(",
                   "mandelbrot(picture: &out [i32; n, m]) over i in n, j in m {\n    picture[i, j] = 1 + steps("),
    "bitonic": ((512, 8192), "(i & size) == 0", "(i & size) != 0"),
}
FAST = dict(os.environ, KMP_BLOCKTIME="0")


def build(kdslc, text, name, level, folder):
    program, source = Path(folder) / name, Path(folder) / f"{name}.kdsl"
    source.write_text(text)
    (Path(folder) / "harness.kdsl").write_text((FOLDER / "harness.kdsl").read_text())
    done = subprocess.run([kdslc, level, "--color=never", source, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"{name} at {level}\n{done.stderr}"
    return program


def verdict(program, size, env):
    done = subprocess.run([program, "test", str(size), "1"], env=dict(FAST, **env), capture_output=True, text=True,
                          timeout=300)
    where = f"{program.name} {size} {env}"
    assert done.returncode == 0 and not done.stderr, f"{where}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    row = re.fullmatch(rf"test\t{program.name}\t[\d.]+\t[\d.]+\t(ok|WRONG)\n", done.stdout)
    assert row, f"{where} prints\n{done.stdout}"
    return row[1]


def main():
    kdslc = Path(sys.argv[1]).resolve()
    names = {path.stem for path in FOLDER.glob("*.kdsl")} - {"harness"}
    assert names == {kernel.name for kernel in KERNELS} == set(CASES), "facts.py, the programs and this test disagree"
    for name, (sizes, right, wrong) in CASES.items():
        text = (FOLDER / f"{name}.kdsl").read_text()
        with tempfile.TemporaryDirectory() as folder:
            for level in parts.chosen(("-O2", "-O0"), lambda level: level == "-O2"):
                program = build(kdslc, text, name, level, folder)
                for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                    for size in sizes:
                        assert verdict(program, size, env) == "ok", f"{name} at {level}, size {size}, {env}: wrong"
            assert text.count(right) >= 1, f"{name}: no `{right}` to put a fault into"
            if parts.wanted(False):
                program = build(kdslc, text.replace(right, wrong, 1), name, "-O0", folder)
                assert verdict(program, sizes[-1], {}) == "WRONG", f"{name}: a fault in the kernel is not noticed"
    print(f"{len(CASES)} kernels")


if __name__ == "__main__":
    main()
