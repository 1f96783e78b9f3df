"""What a kernel is made of: registers and memory as `ptxas -v` tells them, and PTX instructions by what they do."""
import re
import subprocess
import tempfile
from pathlib import Path

# The first pattern that fits an instruction counts it; they are searched in this order.
MIX = [
    ("ld_nc", r"ld\.global\.nc|ldu"),
    ("ld_global", r"ld(\.\w+)*\.global|ld\.(b|u|s|f)\d"),
    ("st_global", r"st(\.\w+)*\.global|st\.(b|u|s|f)\d"),
    ("ld_shared", r"ld(\.\w+)*\.shared"),
    ("st_shared", r"st(\.\w+)*\.shared"),
    ("local", r"(ld|st)\.local"),
    ("param", r"(ld|st)\.param"),
    ("atomic", r"atom|red\."),
    ("barrier", r"bar|membar|fence"),
    ("shuffle", r"shfl|vote|redux|match"),
    ("fma", r"fma|mad\.(rn|rz)?\.?f"),
    ("special", r"(ex2|lg2|sin|cos|rsqrt|sqrt|rcp|tanh|div\.\w*\.?\w*\.?f)"),
    ("float", r"(add|sub|mul|min|max|neg|abs|setp|set|selp|copysign|div|testp)(\.\w+)*\.(f16|bf16|f32|f64)"),
    ("convert", r"cvt(?!a)"),
    ("address", r"cvta"),
    ("branch", r"bra|brx|call|ret|exit"),
    ("move", r"mov"),
    ("integer", r"\w"),
]
WIDE = re.compile(r"\.v[248]\.")


def plain_name(symbol):
    """saxpy of _ZN12_GLOBAL__N_15saxpyEfPKfPfi: the last part of a name; anything else as it is."""
    rest = re.match(r"_ZN?(.*)", symbol)
    at, name = rest[1] if rest else "", symbol
    while match := re.match(r"(\d+)", at):
        n = int(match[1])
        name, at = at[len(match[1]):][:n], at[len(match[1]) + n:]
    return name


def kernels(ptx):
    """name -> body of every .entry"""
    found = {}
    for match in re.finditer(r"\.entry\s+([\w$.]+)\s*\(", ptx):
        start = ptx.index("{", match.end())
        depth, at = 1, start + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(ptx[at], 0)
            at += 1
        found[match[1]] = ptx[start:at]
    return found


def mix(body):
    """How many instructions of each sort; `wide` are the loads and stores of several elements among them."""
    counts = dict.fromkeys([name for name, _ in MIX], 0) | {"wide": 0, "instructions": 0}
    for line in re.sub(r"//.*", "", body).splitlines():
        match = re.match(r"\s*(?:\$?\w+:\s*)?(?:@!?%\w+\s+)?([a-z][\w.]*)[\s;]", line)
        if not match:
            continue
        counts["instructions"] += 1
        counts[next(name for name, pattern in MIX if re.match(pattern, match[1]))] += 1
        counts["wide"] += bool(WIDE.search(match[1] + "."))
    return counts


def resources(ptx, arch, ptxas="ptxas"):
    """name -> registers, shared bytes, spilled bytes, as the assembler says"""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(ptx)
        done = subprocess.run([ptxas, "-v", f"-arch={arch}", source, "-o", Path(folder) / "k.cubin"],
                              capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ptxas: {done.stderr}")
    found, name = {}, None
    for line in done.stderr.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            name = match[1]
            found[name] = {"registers": 0, "shared": 0, "spilled": 0}
        if match := re.search(r"(\d+) bytes spill stores", line):
            found[name]["spilled"] = int(match[1])
        if match := re.search(r"Used (\d+) registers", line):
            found[name]["registers"] = int(match[1])
            smem = re.search(r"(\d+) bytes smem", line)
            found[name]["shared"] = int(smem[1]) if smem else 0
    return found


def table(who, ptx, arch, ptxas="ptxas"):
    """One row (a dict) a kernel; of one that is there twice, its version for small launches, which nearly all take."""
    used, bodies = resources(ptx, arch, ptxas), kernels(ptx)
    return [{"who": who, "function": plain_name(name), **used[name], **mix(body)}
            for name, body in bodies.items() if name.replace("kdsl_kernel_", "kdsl_narrow_") not in set(bodies) - {name}]
