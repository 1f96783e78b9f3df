"""The programs of the suite that have kernels, and what the compiler writes of them for GPUs; for the tests here."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("examples", "bench/kernels", "tests/run", "tests/vector", "tests/transfers")
ERROR = re.compile(r"//.*\berror\[E")
KERNEL = re.compile(r"^\s*(export )?kernel ", re.M)


def programs(folders=FOLDERS):
    """Path and flags of those without a marked error; devices are the test's matter."""
    for folder in folders:
        for path in sorted((ROOT / folder).glob("*.kdsl")):
            text = path.read_bytes().decode(errors="replace")
            if KERNEL.search(text) and not ERROR.search(text):
                flags = (re.search(r"// flags: (.*)", text) or [None, ""])[1].split()
                yield path, [flag for flag in flags if not flag.startswith("--offload-arch")]


def assembly(kdslc, path, flags, archs):
    """What is printed for each arch, by its name; or what went wrong."""
    command = [kdslc, *flags, "--color=never", "--emit=device-asm", f"--offload-arch={','.join(archs)}", path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return None, f"{path.name} {flags}: exit code {done.returncode}\n{done.stderr[:2000]}"
    if len(archs) == 1:  # which has no headline
        return {archs[0]: done.stdout}, None
    parts = re.split(r"^(?://|#) (\w+)\n", done.stdout, flags=re.M)
    made = dict(zip(parts[1::2], parts[2::2]))
    return made, None if list(made) == list(archs) else f"{path.name}: made for {list(made)}"


def failures(kdslc, level, archs, problem, folders=FOLDERS):
    """Of all programs in the folders: what problem(path, code by arch) says, where it says something."""
    def one(program):
        path, flags = program
        made, wrong = assembly(kdslc, path, [*flags, level], archs)
        return wrong or problem(path, made)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [why for why in pool.map(one, programs(folders)) if why]
