"""The programs of bench/rewrites at small sizes, one sample, no time looked at: every kernel of bench/kernels has three
forms, each of which computes what the original does, by the device's version and by the host's. And a fault in a form
is noticed.
usage: test_rewrites.py KDSLC"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench/rewrites"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench/kernels"))
from facts import KERNELS  # noqa: E402

# name: sizes, a fault in one of the forms
CASES = {
    "saxpy": ((1, 100003), "a * x[k] + y[k]", "a * x[k] - y[k]"),
    "triad": ((1, 100003), "x + s * y;", "x - s * y;"),
    "reduce": ((1, 100003), "var sum = 0.0f32;", "var sum = 1.0e3f32;"),
    "reduce_tree": ((255, 100003), "in 1..9", "in 1..8"),
    "jacobi2d": ((3, 67), "j == w - 1", "j == w - 2"),
    "stencil3d": ((3, 35), "let left = p[i, j, c]", "let left = p[i, j, k]"),
    "transpose": ((1, 67), "b[row, column] = tile[x, y];", "b[row, column] = tile[y, x];"),
    "scan": ((1, 257, 70001), "i.local < gap", "i.local <= gap"),
    "spmv": ((1, 301), "e < end", "e + 1 < end"),
    "hist_local": ((1, 100003), "mine[key] += 1", "mine[key] += 2"),
    "hist_atomic": ((1, 100003), "key >= 0", "key >= 1"),
    "matmul_naive": ((1, 50), "e += 1;", "e += 2;"),
    "matmul_tiled": ((1, 50), "a[i, t + j.local]", "a[i, t]"),
    "nbody": ((1, 101), "d.z * d.z", "d.z * d.x"),
    "blackscholes": ((1, 1003), "options[i].put = both.put", "options[i].put = both.call"),
    "mandelbrot": ((16, 67), "return k;", "return k + 1;"),
    "bitonic": ((512, 8192), "(i & size) == 0", "(i & size) != 0"),
}
FAST = dict(os.environ, KMP_BLOCKTIME="0")


def build(kdslc, level, source, program):
    done = subprocess.run([kdslc, level, "--color=never", source, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"{source}\n{done.stderr}"
    return program


def verdicts(program, name, size, env):
    """What each form is found to be, by its name."""
    done = subprocess.run([program, "test", str(size), "1"], env=dict(FAST, **env), capture_output=True, text=True,
                          timeout=300)
    where = f"{name} {size} {env}"
    assert done.returncode == 0 and not done.stderr, f"{where}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == 4 and all(len(row) == 4 and row[0] == name for row in rows), f"{where} prints\n{done.stdout}"
    found = {row[1]: row[3] for row in rows}
    assert len(found) == 4 and rows[0][1] == "original", f"{where}: the forms are {', '.join(found)}"
    return found


def main():
    kdslc = Path(sys.argv[1]).resolve()
    names = {path.stem for path in FOLDER.glob("*.kdsl")} - {"forms"}
    measured = {kernel.name for kernel in KERNELS}
    assert names == measured, f"kernels without rewrites, or the other way round: {names ^ measured}"
    assert measured == set(CASES), f"this test lacks, or has too many: {set(CASES) ^ measured}"
    for name, (sizes, right, wrong) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            program = build(kdslc, "-O2", FOLDER / f"{name}.kdsl", Path(folder) / name)
            for env in ({}, {"OMP_TARGET_OFFLOAD": "disabled"}):
                for size in sizes:
                    found = verdicts(program, name, size, env)
                    assert set(found.values()) == {"ok"}, f"{name}, size {size}, {env}: {found}"
            text = (FOLDER / f"{name}.kdsl").read_text()
            assert text.count(right) >= 1, f"{name}: no `{right}` to put a fault into"
            (Path(folder) / f"{name}.kdsl").write_text(text.replace(right, wrong, 1))
            (Path(folder) / "forms.kdsl").symlink_to(FOLDER / "forms.kdsl")
            (Path(folder) / "kernels").symlink_to(ROOT / "bench/kernels")
            program = build(kdslc, "-O0", Path(folder) / f"{name}.kdsl", Path(folder) / name)
            found = verdicts(program, name, sizes[-1], {})
            assert "WRONG" in found.values(), f"{name}: a fault in a form is not noticed"
    print(f"{3 * len(CASES)} forms of {len(CASES)} kernels")


if __name__ == "__main__":
    main()
