#!/usr/bin/env python3
"""Programs compiled with -g run in valgrind, which reports no error that is not theirs, and names lines of kernels."""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent

READS_OUTSIDE = """\
kernel pick(x: &[f32; n], at: &[i32; m], y: &mut [f32; m]) over i in m {
    let k = at[i];
    let v = x[k];
    if v > 0.5 { y[i] = v; }
}

fn main() {
    let x = [f32(i) for i in 10];
    let at = [if i == 3 { 100 } else { i32(i) } for i in 8];
    var y = [0.0f32; 8];
    offload pick(&x, &at, &mut y);
    print("{}", y[1]);
}
"""


def under_valgrind(kdslc, folder, source, *flags):
    done = subprocess.run([kdslc, "-g", *flags, source, "-o", "program"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    command = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite",
               "--show-leak-kinds=definite", f"--suppressions={ROOT / 'runtime' / 'valgrind.supp'}", "./program"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def main():
    kdslc = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "outside.kdsl")
        path.write_text(READS_OUTSIDE)
        for flags in parts.first((["-O2"], ["-O0"])):
            done = under_valgrind(kdslc, folder, path, "--unchecked", *flags)
            if done.returncode != 9 or "Invalid read" not in done.stderr or "outside.kdsl:3)" not in done.stderr:
                sys.exit(f"{flags}: the read of line 3 is not reported:\n{done.stderr}")
        if not parts.wanted(True):
            return
        for example in ("matvec", "histogram", "kmeans"):
            done = under_valgrind(kdslc, folder, ROOT / "examples" / f"{example}.kdsl")
            if done.returncode or done.stderr:
                sys.exit(f"{example}: exit code {done.returncode}\n{done.stderr}")
        done = under_valgrind(kdslc, folder, path)
        if done.returncode != 3 or "out of bounds" not in done.stderr or "Invalid" in done.stderr:
            sys.exit(f"with checks: exit code {done.returncode}\n{done.stderr}")


if __name__ == "__main__":
    main()
