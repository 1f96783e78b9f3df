"""A session that goes on and on keeps nothing of what was redefined: neither code, nor images, nor values of inputs that
failed. An image that stays is a mapping that stays; bench/repl/growth.py has the long runs."""
import subprocess
import sys

ROWS = [("all", 300, 4000), ("kernel", 200, 4000)]

for kind, inputs, limit in ROWS:
    subprocess.run([sys.executable, "bench/repl/growth.py", "--kdslc", sys.argv[1], "--kind", kind, "--inputs",
                    str(inputs),
                    "--limit", str(limit)], check=True)
