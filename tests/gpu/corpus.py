"""The programs of the suite that have kernels, for tests that compile them all."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ERROR = re.compile(r"//.*\berror\[E")
FOLDERS = ["examples", "bench/kernels", "tests/run", "tests/vector"]


def programs(folders=FOLDERS):
    """Path and flags of those without a marked error; devices are the test's matter."""
    for folder in folders:
        for path in sorted((ROOT / folder).glob("*.kdsl")):
            text = path.read_bytes().decode(errors="replace")
            if re.search(r"^\s*(export )?kernel ", text, re.M) and not ERROR.search(text):
                flags = (re.search(r"// flags: (.*)", text) or [None, ""])[1].split()
                yield path, [flag for flag in flags if not flag.startswith("--offload-arch")]
