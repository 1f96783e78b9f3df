#!/usr/bin/env python3
"""The programs of the suite compile for GPUs of NVIDIA's, nothing is left open, and NVIDIA's assembler takes it.
Without a ptxas this last part is skipped, and ctest says so."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from programs import failures, programs  # noqa: E402

KDSLC = Path(sys.argv[1]).resolve()
ARCHS = ["sm_90", "sm_75"]
SIBLINGS = ["sm_100", "sm_80"]  # nearly the same PTX as for those: only compiled, and not all programs
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
SKIPPED = 77  # tests/CMakeLists.txt


def assemble(path, arch, text):
    """What ptxas has against it."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "k.ptx"
        ptx.write_text(text)
        command = [PTXAS, "-m64", "-O1", f"-arch={arch}", ptx, "-o", f"{folder}/k.cubin"]
        said = subprocess.run(command, capture_output=True, text=True)
    return f"{path.name} for {arch}: {said.stdout}{said.stderr}" if said.returncode else None


def problem(path, made):
    names = {name for text in made.values() for name in re.findall(r"\.extern \.func.*?(\w+)\s*[\n(]*$", text, re.M)}
    if names:
        return f"{path.name}: nobody has {sorted(names)}"
    refused = [assemble(path, arch, text) for arch, text in made.items() if PTXAS and arch in ARCHS]
    return "\n".join(filter(None, refused))


def main():
    n = len(list(programs()))
    failed = failures(KDSLC, "-O2", ARCHS, problem)
    failed += failures(KDSLC, "-O2", SIBLINGS, problem, ["examples", "tests/vector"])
    failed += failures(KDSLC, "-O0", ["sm_90"], problem, ["examples", "tests/vector"])
    done = "assembled" if PTXAS else "compiled, and no ptxas here: nothing was assembled"
    print("\n".join(failed) or f"{n} programs {done} for {', '.join(ARCHS)}, some for {', '.join(SIBLINGS)}")
    sys.exit(1 if failed or n < 250 else 0 if PTXAS else SKIPPED)


if __name__ == "__main__":
    main()
