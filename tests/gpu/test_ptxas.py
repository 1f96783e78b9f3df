#!/usr/bin/env python3
"""NVIDIA's assembler takes what the compiler writes, for each of the architectures. Needs ptxas: without one the test is
skipped, and ctest says so."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KDSLC = Path(sys.argv[1]).resolve()
ARCHS = ["sm_75", "sm_80", "sm_90", "sm_100"]
SKIPPED = 77  # tests/CMakeLists.txt


def assemble(job):
    ptxas, path = job
    command = [KDSLC, "-O2", "--color=never", "--emit=device-asm", f"--offload-arch={','.join(ARCHS)}", path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return [f"{path.name}: {done.stderr}"]
    parts = re.split(r"^// (sm_\w+)\n", done.stdout, flags=re.M)[1:]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for arch, text in zip(parts[::2], parts[1::2]):
            ptx = Path(folder) / "k.ptx"
            ptx.write_text(text)
            said = subprocess.run([ptxas, "-m64", "-O1", f"-arch={arch}", ptx, "-o", f"{folder}/k.cubin"], capture_output=True, text=True)
            if said.returncode:
                failed.append(f"{path.name} for {arch}: {said.stdout}{said.stderr}")
    return failed


def main():
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    if not ptxas:
        print("no ptxas here: nothing was assembled")
        sys.exit(SKIPPED)
    paths = [p for folder in ("examples", "bench/kernels", "tests/vector") for p in sorted((ROOT / folder).glob("*.kdsl"))
             if re.search(r"^kernel ", p.read_text(), re.M)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        failed = [line for lines in pool.map(assemble, [(ptxas, p) for p in paths]) for line in lines]
    print("\n".join(failed) or f"{len(paths)} programs assembled for {', '.join(ARCHS)}")
    sys.exit(1 if failed or len(paths) < 60 else 0)


if __name__ == "__main__":
    main()
