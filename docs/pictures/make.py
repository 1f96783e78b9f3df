#!/usr/bin/env python3
"""Make the pictures of this folder that programs draw: each NAME.kdsl writes NAME.png. terminals.py makes those
of terminals. Usage: make.py [KDSLC]"""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KDSLC = sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build/bin/kdslc"

for program in sorted(HERE.glob("*.kdsl")):
    picture = program.with_suffix(".png")
    subprocess.run([KDSLC, "run", program, picture], check=True)
    print(f"{picture.name}: {picture.stat().st_size // 1000} kB")
