"""Compiling and caching. A cache entry holds the library, its interface, and the digests of all files that the program
consists of; it is written under another name and then renamed, so that several processes may do it at once."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ._call import Program
from ._errors import CompileError, Error

_loaded = {}  # by entry: a library is loaded once


def _compiler():
    """KDSLC, or the compiler that this package was installed with, or that of PATH."""
    near = Path(__file__).resolve().parents[4] / "bin/kdslc"
    found = os.environ.get("KDSLC") or (str(near) if near.is_file() else None) or shutil.which("kdslc")
    if not found:
        raise Error("there is no kdslc in PATH; set KDSLC to its path")
    return found


def _identity(compiler):
    """Changes when the compiler does."""
    at = os.stat(shutil.which(compiler) or compiler)
    return f"{at.st_dev} {at.st_ino} {at.st_size} {at.st_mtime_ns}"


def _cache():
    root = os.environ.get("KDSL_PYTHON_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kdsl"
    Path(root).mkdir(parents=True, exist_ok=True)
    return Path(root)


def _digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(done.stderr)
    return done


def _cpu():
    """Code for the processor here is not code for another one that shares the home directory."""
    with open("/proc/cpuinfo") as file:
        lines = [line for line in file if line.startswith(("model name", "flags"))][:2]
    return "".join(lines)


def _is_current(entry):
    try:
        meta = json.loads((entry / "program.json").read_text())
        return meta if all(_digest(path) == digest for path, digest in meta["digests"].items()) else None
    except (OSError, ValueError, KeyError):
        return None


def _make(entry, compiler, path, options):
    folder, name = path.parent, path.name
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=entry.parent))
    try:
        told = _run([compiler, "--emit=interface", "--color=never", *options, name], folder).stdout
        _run([compiler, "--shared", "--color=never", *options, name, "-o", str(work / "program.so")], folder)
        interface = json.loads(told)
        files = [folder / file for file in interface["files"] if (folder / file).is_file()]
        meta = {"interface": interface, "digests": {str(file): _digest(file) for file in files}}
        (work / "program.json").write_text(json.dumps(meta))
        fresh = entry.with_name(f"{entry.name}-{os.path.basename(work)[8:]}")
        work.rename(fresh)
        return fresh, meta
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _entries(prefix):
    return sorted(prefix.parent.glob(prefix.name + "-*"), key=lambda e: e.stat().st_mtime_ns, reverse=True)


def load(path, *options):
    """The program in a file, compiled with the options of kdslc, "-O3" say, or taken from the cache."""
    path = Path(path).resolve()
    if not path.is_file():
        raise Error(f"there is no file `{path}`")
    compiler = _compiler()
    key = "\0".join([str(path), *options, compiler, _identity(compiler), _cpu()])
    prefix = _cache() / hashlib.sha256(key.encode()).hexdigest()[:32]
    for entry in _entries(prefix):
        meta = _is_current(entry)
        if meta:
            break
        shutil.rmtree(entry, ignore_errors=True)  # a process that has it loaded keeps its pages
    else:
        entry, meta = _make(prefix, compiler, path, options)
    if entry not in _loaded:
        _loaded[entry] = Program(path, str(entry / "program.so"), meta["interface"])
    return _loaded[entry]


def source(text, *options):
    """The program in a text."""
    folder = _cache() / "sources"
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.kdsl"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(text)
        os.rename(file.name, path)
    return load(path, *options)
