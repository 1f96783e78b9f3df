"""The programs of the suite that have kernels, and what the compiler writes of them for GPUs; for the tests here."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

FOLDERS = ("examples", "bench/kernels", "tests/run", "tests/vector", "tests/transfers")
ERROR = re.compile(r"//.*\berror\[E")
KERNEL = re.compile(r"^\s*(export )?kernel ", re.M)


# One program for each way in which code for GPUs is special. In the quick part of the suite these are interpreted, and
# compiled for one device of each vendor's, in turn; all others, and those for the other devices, are in the exhaustive part.
SAMPLE = re.compile(
    r"^(bench/kernels/(hist_local|matmul_tiled)|examples/(saxpy|scan|histogram|transpose)|tests/vector/(domains|functions|"
    r"gather-scatter|private-places)|tests/run/(atomic-(fields|swap-kinds|tickets)|bits-counted-and-rotated|devices|"
    r"fail-kernel-(assert|index|loop-ends|shift|through-calls|vector)|frame-in-groups|fused|"
    r"generic-kernels|group-(barriers|calls|failing-between|leaving|marching-planes|matmul|reductions|scan|three-axes)|"
    r"half-(precision|vectors)|math-in-kernels|offload-async|own-kernel-fields|print-kernel(-groups|-then-fail)?|"
    r"random-numbers-in-parts|reduction-(kinds|nan)|scratch|slices|struct-kernels|unchecked-division))[.]kdsl$")


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
        number, (path, flags) = program
        in_sample = SAMPLE.search(path.relative_to(ROOT).as_posix())
        turn = number % max(3, len(archs))  # with a single device, a third of the sample
        wanted = parts.chosen(archs, lambda arch: in_sample and archs.index(arch) == turn)
        if not wanted:
            return None
        made, wrong = assembly(kdslc, path, [*flags, level], wanted)
        return wrong or problem(path, made)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [why for why in pool.map(one, enumerate(programs(folders))) if why]
