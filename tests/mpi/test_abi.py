#!/usr/bin/env python3
"""The handles and numbers of runtime/mpi.h are those of the MPI headers of this machine: a C program with the header
prints what each is, and compares it. Usage: test_abi.py KDSLC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine import libraries

ROOT = Path(__file__).resolve().parent.parent.parent
sys.argv[1:] = []  # this needs no compiler of ours

NAMES = {"world": "MPI_COMM_WORLD", "request_null": "MPI_REQUEST_NULL", "errors_return": "MPI_ERRORS_RETURN",
         "sum": "MPI_SUM", "min": "MPI_MIN", "max": "MPI_MAX", "byte": "MPI_BYTE", "f32": "MPI_FLOAT", "f64": "MPI_DOUBLE",
         "in_place": "MPI_IN_PLACE", "status_ignore": "MPI_STATUS_IGNORE", "err_truncate": "MPI_ERR_TRUNCATE",
         **{f"i{bits}": f"MPI_INT{bits}_T" for bits in (8, 16, 32, 64)},
         **{f"u{bits}": f"MPI_UINT{bits}_T" for bits in (8, 16, 32, 64)}}

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static int same(const char *name, intptr_t is, const char *symbol, intptr_t open_mpi, intptr_t mpich) {
#ifdef OPEN_MPI
    intptr_t want = symbol ? (intptr_t)dlsym(RTLD_DEFAULT, symbol) : open_mpi;
#else
    intptr_t want = mpich;
    (void)open_mpi, (void)symbol;
#endif
    printf("%s %llx %llx\n", name, (unsigned long long)is, (unsigned long long)want);
    return is == want;
}

int main(void) {
    int ok = sizeof(MPI_Status) <= 64 && sizeof(MPI_Request) <= sizeof(intptr_t) && MPI_THREAD_FUNNELED == 1;
    int provided;
    (void)&MPI_Init; /* so that the library is linked */
    (void)provided;
ROWS
    return !ok;
}
"""


class AbiTest(unittest.TestCase):
    def test_handles(self):
        header = (ROOT / "runtime/mpi.h").read_text()
        handles = re.findall(r'^    MPI_HANDLE\((\w+), "(\w+)", (\w+)\)', header, re.M)
        numbers = re.findall(r"^    MPI_NUMBER\((\w+), (-?\w+), (-?\w+)\)", header, re.M)
        self.assertEqual({name for name, *_ in handles + numbers}, set(NAMES))
        rows = [f'    ok &= same("{f}", (intptr_t){NAMES[f]}, "{symbol}", 0, {number});' for f, symbol, number in handles]
        rows += [f'    ok &= same("{f}", (intptr_t){NAMES[f]}, 0, {a}, {b});' for f, a, b in numbers]
        for mpi in libraries():
            with self.subTest(mpi=mpi.name), tempfile.TemporaryDirectory() as folder:
                source = Path(folder, "abi.c")
                source.write_text(PROGRAM.replace("ROWS", "\n".join(rows)))
                subprocess.run([mpi.mpicc, "-w", source, "-o", f"{folder}/abi", "-ldl"], check=True)
                done = subprocess.run([f"{folder}/abi"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
