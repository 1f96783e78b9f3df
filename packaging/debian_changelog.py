#!/usr/bin/env python3
"""Write a Debian changelog, as a package has it, from CHANGELOG.md. Usage: debian_changelog.py MAINTAINER > changelog"""
import re
import sys
import textwrap
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def versions():
    """(version, date, its points) of each section `## 0.1.0 (2026-11-24)`."""
    text = (ROOT / "CHANGELOG.md").read_text()
    for version, date, body in re.findall(r"^## (\S+) \((\S+)\)\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S):
        points = re.findall(r"^- (.*?)(?=^- |^$|^#|\Z)", body, flags=re.M | re.S)
        yield version, date, [re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", " ".join(point.split())) for point in points]


def main():
    found = list(versions())
    if not found:
        sys.exit("debian_changelog: CHANGELOG.md has no section `## VERSION (DATE)`")
    for version, date, points in found:
        day = datetime.fromisoformat(date).replace(tzinfo=timezone.utc).strftime("%a, %d %b %Y %H:%M:%S %z")
        print(f"kdslc ({version}) unstable; urgency=medium\n")
        for point in points:
            print(textwrap.fill(point, 76, initial_indent="  * ", subsequent_indent="    "))
        print(f"\n -- {sys.argv[1]}  {day}\n")


if __name__ == "__main__":
    main()
