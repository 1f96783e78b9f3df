"""Programs of random kernels, judged by Python: a kernel has `name`, `source()`, `launch(*size)`, which prints one line that
begins with its name, and `expected(*size)`, that line."""
import subprocess
from pathlib import Path


def check(kdslc, chosen, sizes, flags, folder):
    """What is wrong with the program of these kernels, or \"\"."""
    source = Path(folder) / f"{chosen[0].name}{''.join(flags).replace('=', '-')}.kdsl"
    launches = "".join(kernel.launch(*size) for kernel in chosen for size in sizes)
    source.write_text("".join(kernel.source() for kernel in chosen) + f"fn main() {{\n{launches}}}\n")
    program = source.with_suffix("")
    command = [kdslc, *flags, "--races=off", "--color=never", source, "-o", program]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"{source}: kdslc {' '.join(flags)} ended with {done.returncode}\n{done.stderr[-2000:]}"
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    want, lines = [kernel.expected(*size) for kernel in chosen for size in sizes], done.stdout.splitlines()
    by_name = {kernel.name: kernel for kernel in chosen}
    wrong = [f"{flags} {a}, and Python {b}\n{by_name[b.split()[0]].source()}" for a, b in zip(lines, want) if a != b]
    if len(lines) != len(want): wrong.append(f"{len(lines)} lines of {len(want)}, {done.stderr[-500:]}")
    return "\n".join(wrong)
