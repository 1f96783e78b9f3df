#!/usr/bin/env python3
"""The programs of examples, tests/run and tests/vector under --check=race,init: tests/checks/test_programs.py KDSLC

They have no data race and read no element before it is written, or they say so: `// race: TEXT`, a part of a report.
Each such line must be in a report, and each report must have such a line. What the program prints is not compared:
other tests do that."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import parts  # noqa: E402

KDSLC = Path(sys.argv[1]).resolve()
CHECK = "--check=race,init"


def notes(text, key):
    return [line.split(f"// {key}: ", 1)[1].strip() for line in text.splitlines() if f"// {key}: " in line]


def problem(path):
    text = path.read_text()
    races = notes(text, "race")
    env = dict(os.environ, **dict(word.split("=", 1) for line in notes(text, "env") for word in line.split() if "=" in word))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / path.stem
        flags = [flag for line in notes(text, "flags")[:1] for flag in line.split() if not flag.startswith("--offload-arch")]
        made = subprocess.run([KDSLC, CHECK, *flags, path, "-o", program], capture_output=True, text=True)
        if made.returncode:
            return made.stderr
        words = [word for line in notes(text, "args")[:1] for word in line.split()]
        for picture in ROOT.glob("examples/*.png"):
            (Path(folder) / picture.name).symlink_to(picture)
        ran = subprocess.run([program, *words], cwd=folder, env=env, capture_output=True,
                             input="".join(line + "\n" for line in notes(text, "stdin")).encode())
    reports = [line for line in ran.stderr.decode(errors="replace").splitlines() if "data race on" in line or "has no value" in line]
    wrong = [f"unexpected: {line}" for line in reports if not any(race in line for race in races)]
    wrong += [f"missing: {race}" for race in races if not any(race in line for line in reports)]
    wanted = int((notes(text, "expect-exit") or ["0"])[0]) or (3 if races else 0)
    if ran.returncode != wanted:
        wrong.append(f"exit code {ran.returncode}, not {wanted}: {ran.stderr.decode(errors='replace')[-300:]}")
    return "\n".join(wrong)


def is_quick(path):
    return path.parent.name == "examples" or notes(path.read_text(), "race")


def main():
    paths = [path for room in ("examples", "tests/run", "tests/vector") for path in sorted((ROOT / room).glob("*.kdsl"))]
    paths = [path for path in paths if "error[E" not in path.read_text()]
    paths = [ROOT / name for name in sys.argv[2:]] or parts.chosen(paths, is_quick)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, said in zip(paths, pool.map(problem, paths)):
            if said:
                failed += 1
                print(f"{path.relative_to(ROOT)}\n{said}\n", flush=True)
    print(f"{len(paths)} programs, {failed} failed")
    sys.exit(1 if failed or not paths else 0)


if __name__ == "__main__":
    main()
