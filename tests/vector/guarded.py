"""Programs of kernels and the same loops in C, with arrays beside pages that must not be read: for test_packing.py and others."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TYPES = {"f64": "double", "f32": "float", "i32": "int32_t", "i16": "int16_t", "u8": "uint8_t"}

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "p.h"
/* Ends where a page begins that nobody may read; nor may anybody read before it. */
static void *guarded(size_t bytes) {
    size_t page = 1 << 22, whole = (bytes + 4095) / 4096 * 4096;
    char *at = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) abort();
    mprotect(at + page, whole, PROT_READ | PROT_WRITE);
    return at + page + whole - bytes;
}
static int bad;
"""


class GuardedTest(unittest.TestCase):
    kdslc = None

    def run_widths(self, seed):
        """A run_one on every processor: vectors of two to eight numbers."""
        for k, cpu in enumerate(["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3"]):
            if cpu == "x86-64-v3" and "avx2" not in Path("/proc/cpuinfo").read_text(): continue
            with self.subTest(seed=seed + k): self.run_one(seed + k, f"--march={cpu}", "--vector=always")

    def run_program(self, text, main, what, *options):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "p.kdsl").write_text(text)
        (folder / "main.c").write_text(main)
        self.sh(self.kdslc, "-c", "p.kdsl", "-o", "p.o", "--header=p.h", *options, cwd=folder)
        flags = self.sh(self.kdslc, "--print-link-flags", cwd=folder).split()
        self.sh("gcc", "-O2", "-w", "main.c", "p.o", *flags, "-lm", "-o", "main", cwd=folder)
        # A thread has enough rows then.
        self.sh("env", "OMP_NUM_THREADS=1", folder / "main", cwd=folder, what=f"{what} {' '.join(options)}")

    def sh(self, *command, cwd, what=""):
        done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{what} {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout
