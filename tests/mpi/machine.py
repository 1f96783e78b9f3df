"""The MPI libraries of this machine: Debian's names of Open MPI and MPICH, each with its mpicc and launcher, or else what
CMake has found. At least one must be there."""
import os
import re
import shutil
import subprocess

TIMEOUT_S = 120
# mpirun of Open MPI 4.1.4 sometimes ends with a signal of its own after an MPI_Abort; then the run is repeated.
LAUNCHER_CRASHED = re.compile(r"received signal.*mpirun", re.S)


class Mpi:
    def __init__(self, mpicc, launcher):
        self.mpicc, self.launcher = mpicc, launcher
        said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
        self.name = "openmpi" if "Open MPI" in said or "OpenRTE" in said or "prte" in said.lower() else "mpich"

    def command(self, n):
        if self.name == "mpich":
            return [self.launcher, "-n", str(n)]
        return [self.launcher, "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", str(n)]

    def run(self, n, program, *args, folder=None, **environment):
        env = {**os.environ, "OMP_NUM_THREADS": "1", "KDSL_MPI_TIMEOUT": "60", **environment}
        for _ in range(3):
            done = subprocess.run([*self.command(n), program, *args], capture_output=True, text=True, env=env, cwd=folder,
                                  timeout=TIMEOUT_S, check=False)
            if not LAUNCHER_CRASHED.search(done.stderr):
                break
        return done


def libraries():
    found = []
    for family, launcher in (("openmpi", "mpirun"), ("mpich", "mpiexec")):
        mpicc, launcher = (shutil.which(f"{name}.{family}") for name in ("mpicc", launcher))
        if mpicc and launcher:
            found.append(Mpi(mpicc, launcher))
    if not found:
        found.append(Mpi(os.environ["KDSL_MPICC"], os.environ["KDSL_MPIEXEC"]))
    return found
