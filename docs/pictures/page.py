#!/usr/bin/env python3
"""Makes docs/pictures/page.png: the page of an example in headless Chromium, with a line chosen and its notes open.
Usage: docs/pictures/page.py [KDSLC], in the root of the repository. Needs the package chromium."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE, LINE = "examples/transpose.kdsl", 12
# Without a new fragment in the address, for which Chromium would scroll.
CHOOSE = f"""<script>history.replaceState = () => {{}};
document.querySelector("#L{LINE} summary").click();</script>"""


def main():
    kdslc = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin/kdslc"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        subprocess.run([kdslc, "--emit=html", "--march=x86-64-v3", "-o", page, EXAMPLE], cwd=ROOT, check=True)
        page.write_text(page.read_text().replace("</body>", CHOOSE + "</body>"))
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                        "--disable-background-networking", "--disable-component-update", "--disable-sync",
                        f"--user-data-dir={folder}/profile", "--hide-scrollbars", "--window-size=1500,960",
                        "--virtual-time-budget=4000", f"--screenshot={ROOT}/docs/pictures/page.png", f"file://{page}"],
                       check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
